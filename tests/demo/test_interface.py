"""The whole interface: mounted in an application, private, and without a word to anybody else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from demo.resources import Resources
from serve.guard import Guard

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def blocks(resources: Resources, gradio_without_loops: None):
    from demo.interface import build_interface

    return build_interface(resources)


def test_nothing_is_reported_or_open_to_clients(blocks) -> None:
    assert blocks.analytics_enabled is False
    assert blocks.api_open is False
    assert {fn.api_visibility for fn in blocks.fns.values()} == {"private"}
    assert blocks.delete_cache == (3600, 3600)


def test_the_foot_and_the_docs_say_the_same_about_files() -> None:
    from demo.interface import FOOTER

    said = "deleted within two hours"
    assert said in FOOTER
    assert said in (REPOSITORY / "docs" / "demo.md").read_text(encoding="utf-8")


def test_looks_the_same_alone_and_mounted(blocks) -> None:
    import inspect

    import gradio as gr

    from demo.interface import appearance

    chosen = appearance()
    assert chosen["run_history"] is False
    assert chosen["footer_links"] == []
    for takes in (gr.Blocks.launch, gr.mount_gradio_app):
        assert set(chosen) <= set(inspect.signature(takes).parameters)
    assert "http" not in chosen["css"] + chosen["js"]


def test_is_mounted_in_an_application(guard: Guard, resources: Resources, gradio_without_loops: None) -> None:
    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    from demo.mounting import mount

    api = mount(FastAPI(), guard, panel=resources.panel, runs=resources.runs)
    with TestClient(api) as client:
        page = client.get("/ui/")
        assert page.status_code == 200
        assert "Babelguard" in page.text
        assert client.get("/ui/config").json()["analytics_enabled"] is False


def test_the_help_needs_no_heavy_library() -> None:
    code = (
        "import sys, runpy\nsys.argv = ['app.py', '--help']\n"
        "try:\n    runpy.run_path('app.py', run_name='__main__')\nexcept SystemExit as end:\n"
        "    print(end.code, sorted({'gradio', 'onnxruntime', 'numpy', 'evaluation'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stdout.splitlines()[-1] == "0 []"


def test_a_bundle_that_is_none_ends_with_a_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "app.py", "--bundle", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert (done.returncode, "is not a folder" in done.stderr) == (2, True)
