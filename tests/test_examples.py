"""The examples: each runs as a script, and its derivative is right at its sample arguments."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tangent.view.cli import main

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / "examples").glob("*.py"))


def shown(file):
    return [(file, name) for name in runpy.run_path(str(file))["EXAMPLE"]]


EVERY = [case for file in FILES for case in shown(file)]


def case_id(value):
    return value.stem if isinstance(value, Path) else value


@pytest.mark.parametrize("file", FILES, ids=case_id)
def test_runs_as_a_script(file, tmp_path):
    paths = {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "Agg"}
    run = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, cwd=tmp_path, env=paths)
    assert run.returncode == 0 and run.stdout, run.stderr


@pytest.mark.parametrize("file, name", EVERY, ids=case_id)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_derivative_is_right(file, name, mode, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert main(["show", f"{file}:{name}", "--mode", mode]) == 0, capsys.readouterr().err


def run_of(stem):
    return runpy.run_path(str(ROOT / "examples" / f"{stem}.py"))


def test_the_recurrent_network_learns():
    losses = run_of("rnn")["train"]()
    assert losses[-1] < 1e-6 < losses[0]


def test_the_network_learns_exclusive_or():
    example = run_of("mlp")
    x, label = example["X"], example["LABEL"]
    assert example["mlp"](x, *example["train"](), label) < 0.05 < example["mlp"](x, *example["parameters"](), label)


def test_newtons_method_converges_quadratically():
    _, norms = run_of("logistic")["fit"]()
    assert norms[-1] < 1e-9


def test_the_derivative_of_a_root():
    import tangent

    assert tangent.grad(run_of("newton")["root"])(8.0) == pytest.approx(1 / 12)


def test_the_fit_finds_the_truth():
    found = run_of("curve_fit")["fit"]()
    assert found == pytest.approx({"height": 2.0, "decay": 0.5, "pace": 3.0}, rel=0.1)


def test_the_networks_of_classes_learn():
    example = run_of("classes")
    x, label = example["X"], example["LABEL"]
    assert example["train_network"]().loss(x, label) < 0.05
    assert example["loss"](example["train_parameters"](), x, label) < 0.05
