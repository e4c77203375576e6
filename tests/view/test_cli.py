"""The command line, on small files written for each test."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tangent
from tangent.view import trial
from tangent.view.cli import main
from tangent.view.target import TargetError, find

FILE = """
import numpy as np

def f(x):
    y = x * x
    return y

def helper(x):
    return np.sin(x)

def g(x, y, n=2):
    for _ in range(n):
        x = helper(x) * y
    return np.sum(x)

def vector(x):
    return x * x

def keyword(x, *, n):
    return x * n

async def waiting(x):
    return x

EXAMPLE = {"f": {"x": 3.0}, "g": {"x": np.array([0.5, 1.0]), "y": 2.0}, "vector": {"x": np.array([1.0, 2.0])},
           "keyword": {"x": 1.0, "n": 2.0}}
WRT = {"g": ("x", "y")}
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / f"shown_{abs(hash(str(tmp_path)))}.py"
    path.write_text(FILE)
    return path


def shown(capsys, *argv):
    assert main([str(a) for a in argv]) == 0
    return capsys.readouterr().out


def failed(capsys, *argv):
    code = main([str(a) for a in argv])
    return code, capsys.readouterr().err


def test_show_prints_evaluates_and_checks(file, capsys):
    out = shown(capsys, "show", f"{file}:f")
    assert out.startswith("def dfdx(x, by=1.0):\n    # Grad of: y = x * x\n")
    assert "value: 9.0\ngradient by x: 6.0\nmax error: " in out
    assert float(re.search(r"max error: (\S+)", out)[1]) < 1e-6


def test_wrt_of_the_file_and_of_the_command_line(file, capsys):
    assert "gradient by x: " in (out := shown(capsys, "show", f"{file}:g")) and "gradient by y: " in out
    assert "gradient by x: " not in shown(capsys, "show", f"{file}:g", "--wrt", "y")
    assert "gradient by y: " in shown(capsys, "show", f"{file}:g", "--wrt", "-2")


def test_forward_mode_and_order(file, capsys):
    assert "tangent by x: 6.0\ntangent by x, order 2: 2.0\n" in shown(
        capsys, "show", f"{file}:f", "--mode", "forward", "--order", "2"
    )
    assert "gradient by x, order 2: 2.0\n" in shown(capsys, "show", f"{file}:f", "--order", "2")


def test_a_result_that_is_an_array(file, capsys):
    assert "gradient by x: [2. 4.]" in shown(capsys, "show", f"{file}:vector")


def test_arguments_of_the_command_line(file, capsys):
    assert "gradient by x: 10.0" in shown(capsys, "show", f"{file}:f", "--args", "x=5.0")
    assert "gradient by x: [2. 2.]" in shown(capsys, "show", f"{file}:f", "--args", "x=np.ones(2)")


def test_raw_code(file, capsys):
    assert "y_stack.pop()" in shown(capsys, "show", f"{file}:f", "--raw")


def test_no_check_prints_the_source_only(file, capsys):
    assert "value" not in shown(capsys, "show", f"{file}:f", "--no-check")


def test_without_arguments_it_says_so(file, capsys):
    assert "Not evaluated: no arguments." in shown(capsys, "show", f"{file}:helper")


def test_stages(file, capsys):
    out = shown(capsys, "stages", f"{file}:f")
    titles = ["# Source", "# Core Python", "# Derivative, raw", "# Derivative, optimised"]
    assert [line for line in out.splitlines() if line in titles] == titles
    assert "def f(x):\n    y = x * x\n    return y" in out and "def dfdx(x, by=1.0):" in out


@pytest.mark.parametrize(
    "argv, message",
    [
        (["show", "{}:nothing"], "no function 'nothing'"),
        (["show", "{}"], "names no function"),
        (["show", "absent.py:f"], "no file 'absent.py'"),
        (["show", "{}:f", "--wrt", "z"], "has no such argument"),
        (["show", "{}:f", "--args", "z=1"], "the arguments do not fit 'f'"),
        (["show", "{}:keyword"], "keyword-only arguments"),
        (["show", "{}:waiting"], "'waiting' is async"),
    ],
)
def test_errors_are_told_without_a_traceback(file, capsys, argv, message):
    code, err = failed(capsys, *(a.replace("{}", str(file)) for a in argv))
    assert code == 2 and err.startswith("tangent: ") and message in err


def test_a_wrong_derivative_is_an_error(file, capsys, monkeypatch):
    monkeypatch.setattr(trial, "autodiff", lambda f, *a, **k: lambda *args: 1.0)
    code, err = failed(capsys, "show", f"{file}:f")
    assert code == 1 and "the derivative of order 1 is wrong" in err


def test_order_must_be_positive(file, capsys):
    with pytest.raises(SystemExit):
        main(["show", f"{file}:f", "--order", "0"])


def test_a_module_instead_of_a_file():
    assert find("statistics:mean", arguments="data=[1.0, 3.0]").arguments == ([1.0, 3.0],)
    with pytest.raises(TargetError):
        find("sin")


def test_the_example_is_not_changed_by_trying(file, capsys):
    target = find(f"{file}:g")
    before = [getattr(a, "copy", lambda a=a: a)() for a in target.arguments]
    trial.try_out(target, "reverse", 1)
    assert all((a == b).all() if hasattr(a, "all") else a == b for a, b in zip(before, target.arguments))


def test_python_m_tangent(file):
    command = [sys.executable, "-m", "tangent", "show", f"{file}:f"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=Path(tangent.__file__).parents[1])
    assert run.returncode == 0 and "gradient by x: 6.0" in run.stdout and "\x1b" not in run.stdout
