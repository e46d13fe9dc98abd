"""Imports point one way, and the front doors stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]

MAY_IMPORT = {
    "babelguard": {"babelguard"},
    "data_prep": {"babelguard", "data_prep", "evaluation.metrics"},
    "serve": {"babelguard", "serve"},
    "evaluation": {"babelguard", "data_prep", "serve", "evaluation"},
    "train": {"babelguard", "data_prep", "serve", "evaluation", "train"},
    "evaluation.metrics": {"evaluation.metrics"},
    "demo": {"babelguard", "data_prep", "serve", "evaluation", "demo"},
}
"""Package -> what it may import of the project; metrics are a leaf that anyone may use."""

PROJECT = {"babelguard", "data_prep", "serve", "evaluation", "train", "demo", "app"}
HEAVY = {"torch", "transformers", "trl", "peft", "gradio", "ray", "vllm", "datasets", "evaluate", "onnxruntime"}


def modules(package: str) -> Iterator[Path]:
    for path in sorted((REPOSITORY / package.replace(".", "/")).rglob("*.py")):
        if package == "evaluation" and "metrics" in path.relative_to(REPOSITORY).parts:
            continue
        yield path


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively; name the module in full"
            yield str(node.module)


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_point_one_way(package: str) -> None:
    allowed = MAY_IMPORT[package]
    for path in modules(package):
        for name in imports(path):
            if name.split(".")[0] not in PROJECT:
                continue
            inside = any(name == one or name.startswith(f"{one}.") for one in allowed)
            assert inside, f"{path.relative_to(REPOSITORY)} imports {name}"


def top_imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield what a module imports at its top: the module, and the name that it goes by."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((alias.name, (alias.asname or alias.name).split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((str(node.module), alias.asname or alias.name) for alias in node.names)


def extends_a_heavy_library(tree: ast.Module) -> bool:
    """Tell whether a module defines a subclass of a heavy library's class: it cannot do so without importing it."""
    heavy = {name for module, name in top_imports(tree) if module.split(".")[0] in HEAVY}
    bases = (base for node in tree.body if isinstance(node, ast.ClassDef) for base in node.bases)
    return any(next(n.id for n in ast.walk(base) if isinstance(n, ast.Name)) in heavy for base in bases)


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)


@pytest.fixture(scope="module")
def extensions() -> set[str]:
    """Modules that extend a heavy library: importing one of them is importing that library."""
    paths = {path for package in MAY_IMPORT for path in modules(package)}
    return {dotted(path) for path in paths if extends_a_heavy_library(ast.parse(path.read_text(encoding="utf-8")))}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_heavy_libraries_are_imported_where_they_are_needed(package: str, extensions: set[str]) -> None:
    for path in modules(package):
        if "hub" in path.parts or dotted(path) in extensions:
            continue  # "hub": modules for the hub's own tooling, which has loaded these libraries already
        tree = ast.parse(path.read_text(encoding="utf-8"))
        heavy = {name for name, _ in top_imports(tree) if name.split(".")[0] in HEAVY or name in extensions}
        assert not heavy, f"{path.relative_to(REPOSITORY)} imports {heavy} at its top"


def test_the_front_door_is_light() -> None:
    code = f"import sys, babelguard; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stdout.strip() == "[]"


def test_the_help_needs_no_heavy_library() -> None:
    unwanted = HEAVY | {"scipy", "sklearn", "matplotlib", "pyarrow", "numpy"}
    code = (
        "import sys\nsys.argv = ['run', '--help']\n"
        "import runpy\n"
        "try:\n    runpy.run_module('evaluation.run', run_name='__main__')\nexcept SystemExit as end:\n"
        f"    print(end.code, sorted({unwanted!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stdout.splitlines()[-1] == "0 []"


def test_the_app_is_light_and_stands_on_the_demo() -> None:
    path = REPOSITORY / "app.py"
    top = {
        str(node.module)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
    }
    assert {name.split(".")[0] for name in top} & (PROJECT | HEAVY) <= {"babelguard"}
    assert {name.split(".")[0] for name in imports(path)} & PROJECT <= {"babelguard", "demo", "serve"}


def test_there_are_no_catch_all_modules() -> None:
    names = {
        path.name
        for package in ("babelguard", "data_prep", "serve", "evaluation", "train", "demo")
        for path in (REPOSITORY / package).rglob("*.py")
    }
    assert not names & {"utils.py", "helpers.py", "common.py", "misc.py"}
