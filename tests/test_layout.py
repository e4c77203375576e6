"""Imports go one way, and importing Tangent loads NumPy and nothing heavier."""

import ast
import functools
import importlib
import subprocess
import sys
import types
from pathlib import Path

import pytest

import tangent

PACKAGE = Path(tangent.__file__).resolve().parent

# Each part may import from itself and from those before it. The run-time functions know no syntax, so they come first;
# the tree comes before its readers; rules name run-time functions, and backends bind library functions to rules.
# `stages` make a module, `pipeline` a function of it (`taken_apart` for objects that change), `service` serves calls at
# run time; `testing` and `view` use what `api` and `matrices` offer,
# `solvers` what `implicit` does.
ORDER = (
    "errors", "options", "runtime", "syntax", "source", "normalise", "analysis", "rules", "backends", "template",
    "custom", "transform", "optimise", "codegen", "stages", "taken_apart", "pipeline", "service", "api", "matrices",
    "inside", "implicit", "solvers", "testing", "view", "__init__", "__main__",
)  # fmt: skip

EXCEPTIONS = {
    # The table is filled on first use by the bindings, which are written in terms of the table.
    ("rules/table.py", "backends"),
}

HEAVY = ("numba", "scipy", "jax", "torch", "tensorflow", "autograd")
FILES = sorted(PACKAGE.rglob("*.py"))


def part(path):
    """The folder or file of the package that a module belongs to."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@functools.cache
def imported(path):
    """The parts of the package that a module imports, wherever in its text."""
    return tuple(imports(path))


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (a.name.split(".")[1] for a in names if a.name.startswith("tangent."))
            case ast.ImportFrom(module="tangent", names=names, level=0):
                yield from (a.name if a.name in ORDER else "__init__" for a in names)
            case ast.ImportFrom(module=str(module), level=0) if module.startswith("tangent."):
                yield module.split(".")[1]
            case ast.ImportFrom(level=level):
                assert level == 0, f"{path}: imports are absolute"


def violations():
    for path in FILES:
        name = path.relative_to(PACKAGE).as_posix()
        for other in sorted(set(imported(path))):
            if ORDER.index(other) > ORDER.index(part(path)) and (name, other) not in EXCEPTIONS:
                yield f"{name} imports {other}"


def test_every_part_has_its_place():
    assert {part(path) for path in FILES} <= set(ORDER)


def test_imports_go_one_way():
    assert list(violations()) == []


def test_exceptions_are_needed():
    found = {(p.relative_to(PACKAGE).as_posix(), other) for p in FILES for other in imported(p)}
    assert found >= EXCEPTIONS


def test_the_runtime_reads_no_trees():
    for path in (PACKAGE / "runtime").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert "ast" not in names, path


def test_no_module_hides_a_function_of_its_name():
    """Importing `tangent.runtime.some` binds the name, also over a function that generated code calls."""
    functions = _functions(PACKAGE / "runtime" / "kernels")
    late = {path.stem for path in (PACKAGE / "runtime").glob("*.py")}
    for name in functions & late:
        importlib.import_module(f"tangent.runtime.{name}")
    assert [n for n in sorted(functions) if isinstance(getattr(tangent.runtime, n, None), types.ModuleType)] == []


def _functions(folder):
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")]
    return {node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("after", ["", "tangent.grad(lambda x: x * np.tanh(x))(2.0)"], ids=["import", "grad"])
def test_only_numpy_is_loaded(after, tmp_path):
    file = tmp_path / "probe.py"
    loaded = f"print(*sorted(set({HEAVY}) & {{m.split('.')[0] for m in sys.modules}}))"
    lines = ["import sys", "import tangent", "assert 'numpy' in sys.modules", "import numpy as np", after, loaded]
    file.write_text("\n".join(lines))
    paths = {"PYTHONPATH": str(PACKAGE.parent)}
    run = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=paths)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []


def test_what_transforms_functions_is_loaded_with_the_first_derivative():
    lines = ["import math, sys", "import tangent", "assert 'tangent.pipeline' not in sys.modules"]
    lines += ["print(tangent.runtime.calls.call_fwd(math.sin, (0,), 0.0)[0])"]
    paths = {"PYTHONPATH": str(PACKAGE.parent)}
    run = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, env=paths)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["0.0"]
