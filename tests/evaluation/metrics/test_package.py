"""The package is a leaf and light: it imports nothing of the project, and NumPy alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import evaluation.metrics

FOLDER = Path(evaluation.metrics.__file__).parent
REPOSITORY = FOLDER.parents[1]


def imported_by(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module or "")
    return names


def test_it_is_a_leaf_and_needs_numpy_alone():
    for path in FOLDER.rglob("*.py"):
        foreign = {name.split(".")[0] for name in imported_by(path) if not name.startswith("evaluation.metrics")}
        allowed = {"numpy", "evaluate", "datasets"} if "hub" in path.parts else {"numpy"}
        assert foreign - set(sys.stdlib_module_names) <= allowed, path


def test_importing_it_loads_no_heavy_library():
    heavy = "{'scipy', 'sklearn', 'pandas', 'torch', 'evaluate', 'datasets'}"
    script = f"import sys, evaluation.metrics; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_its_face_is_complete():
    public = {name for name in vars(evaluation.metrics) if not name.startswith("_")}
    modules = {path.stem for path in FOLDER.glob("*.py")}
    assert public - modules <= set(evaluation.metrics.__all__)
    assert all(hasattr(evaluation.metrics, name) for name in evaluation.metrics.__all__)
