from __future__ import annotations

import base64
import socket
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from fastapi import FastAPI
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

import serve.serving
import serve.starter
from babelguard.errors import UserError
from babelguard.recipe import load_recipe
from serve.api.keys import KeyRing
from serve.api.settings import ServeRecipe
from serve.run import main
from serve.serving import _addresses, _check_free, _is_loopback, _mount_pages
from serve.starter import starter_bundle
from tests.conftest import REPOSITORY
from tests.serve.refused_start import refused_start

KEY = "k" * 20
RECIPES = sorted((REPOSITORY / "recipes" / "serve").glob("*.yaml"))


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_is_valid_and_opens_with_its_command(path: Path) -> None:
    load_recipe(path, ServeRecipe)
    assert "python -m serve.run" in path.read_text(encoding="utf-8").split("\n", 1)[0]


def test_the_command_line_stands_above_environment_and_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("port: 1\nhost: ::1\nbundle: from-recipe\nbatching: {queue_texts: 300}\n", encoding="utf-8")
    monkeypatch.setenv("BABELGUARD__PORT", "2")
    monkeypatch.setenv("BABELGUARD__BATCHING__QUEUE_TEXTS", "400")
    main(bundle=Path("it's here"), recipe=recipe, port=3, overrides=["limits.texts=7"], dry_run=True)
    shown = yaml.safe_load(capsys.readouterr().out)
    assert (shown["port"], shown["host"], shown["bundle"]) == (3, "::1", "it's here")
    assert (shown["batching"]["queue_texts"], shown["limits"]["texts"]) == (400, 7)


def test_unknown_settings_name_the_nearest_one() -> None:
    with pytest.raises(UserError, match="Did you mean 'queue_texts'"):
        load_recipe(REPOSITORY / "recipes" / "serve" / "default.yaml", ServeRecipe, ["batching.queue_text=3"])


def test_without_the_starter_guard_a_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(serve.starter, "FOLDER", tmp_path)
    with pytest.raises(UserError, match="name a bundle's folder"):
        starter_bundle()
    (tmp_path / "guard.json").write_text("{}", encoding="utf-8")
    assert starter_bundle() == tmp_path


def pages(monkeypatch: pytest.MonkeyPatch, keys: KeyRing | None) -> TestClient:
    module = ModuleType("made_up_pages")

    def mount(api: FastAPI, guard: Any, *, policy: Any) -> None:
        assert (guard, policy) == ("the guard", "the policy in force")
        api.mount("/ui", PlainTextResponse("a page"))

    vars(module)["mount"] = mount
    monkeypatch.setitem(sys.modules, "made_up_pages", module)
    api = FastAPI()
    guard: Any = "the guard"
    policies: Any = "the policy in force"
    _mount_pages("made_up_pages:mount", api, guard, policies, keys)
    return TestClient(api)


def test_pages_are_mounted_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    client = pages(monkeypatch, None)
    assert client.get("/ui/").text == "a page"
    assert client.get("/ui", headers={"host": "example.org"}, follow_redirects=False).headers["location"] == "/ui/"


def test_pages_ask_for_a_key_where_keys_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    client = pages(monkeypatch, KeyRing({"tests": KEY}))
    refused = client.get("/ui/")
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Basic realm="babelguard"')
    credentials = base64.b64encode(f"anyone:{KEY}".encode()).decode()
    assert client.get("/ui", follow_redirects=False).status_code == 401
    assert client.get("/ui/", headers={"authorization": f"Basic {credentials}"}).text == "a page"


@pytest.mark.parametrize(
    ("target", "said"),
    [("app", "MODULE:FUNCTION"), ("no_such_module_here:mount", "cannot be imported"), ("json:mount", "does not have")],
)
def test_pages_that_are_not_there_are_told(target: str, said: str) -> None:
    nobody: Any = None
    with pytest.raises(UserError, match=said):
        _mount_pages(target, FastAPI(), nobody, nobody, None)


def test_a_missing_gradio_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pages_that_need_gradio.py").write_text("import gradio\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    class Hidden:
        @staticmethod
        def find_spec(name: str, *_: Any) -> None:
            if name == "gradio":
                raise ModuleNotFoundError("No module named 'gradio'", name="gradio")

    monkeypatch.delitem(sys.modules, "gradio", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Hidden, *sys.meta_path])
    nobody: Any = None
    with pytest.raises(UserError, match=r"babelguard\[demo\]"):
        _mount_pages("pages_that_need_gradio:mount", FastAPI(), nobody, nobody, None)


def test_an_address_that_is_taken_is_told_before_anything_is_loaded() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match="pass another --host or --port"):
            _check_free(_addresses("127.0.0.1", port), "127.0.0.1", port)
    _check_free(_addresses("127.0.0.1", 0), "127.0.0.1", 0)


def test_a_host_that_does_not_resolve_is_told_so_and_not_that_others_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BABELGUARD_API_KEYS", raising=False)
    monkeypatch.setattr("serve.api.logs.configure_logging", lambda level: None)
    with pytest.raises(UserError, match="does not resolve"):
        serve.serving.serve(ServeRecipe(host="a..b", port=0))  # no name either, so that nobody is asked for it

    def unknown(*_: Any, **__: Any) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(UserError, match="does not resolve to an address .Name or service not known."):
        serve.serving.serve(ServeRecipe(host="nohost.invalid", port=0))


@pytest.mark.parametrize("port", ["99999", "-1", "none"])
def test_a_port_that_is_none_is_told_of_the_option(port: str) -> None:
    told = refused_start("--port", port, "--dry-run")
    assert "--port" in told
    assert ".yaml" not in told


def test_what_counts_as_this_machine_alone() -> None:
    assert all(map(_is_loopback, ("127.0.0.1", "localhost", "::1", "127.1.2.3")))
    assert not any(map(_is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "")))
