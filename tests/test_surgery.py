"""The examples of gradient surgery: they run, do what they say, and their page shows what Tangent makes of them."""

import importlib.util
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tangent

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / "examples" / "surgery").glob("*.py"))


def page():
    spec = importlib.util.spec_from_file_location("make_surgery", ROOT / "docs" / "make_surgery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGE = page()
BLOCKS = {m[2]: m[3] for m in PAGE.BLOCK.finditer(PAGE.PAGE.read_text(encoding="utf-8"))}


@pytest.fixture(scope="module")
def made():
    return PAGE.blocks()


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_what_the_compiler_makes(name, made):
    if name == "debugging-session" and sys.version_info >= (3, 13):
        pytest.skip("the debugger stops a line earlier")
    assert BLOCKS[name] == made[name], "the page is stale: run python docs/make_surgery.py"


def test_every_example_is_on_the_page(made):
    assert set(made) == set(BLOCKS)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_runs_as_a_script(file, tmp_path):
    paths = {"PYTHONPATH": str(ROOT / "src")}
    run = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, cwd=tmp_path, env=paths)
    assert run.returncode == 0 and run.stdout, run.stderr


def example(stem):
    return runpy.run_path(str(ROOT / "examples" / "surgery" / f"{stem}.py"))


def test_clipping(capsys):
    f = example("clipping")["f"]
    assert (f(3.0), tangent.grad(f)(3.0), tangent.grad(f)(8.0)) == (9.0, 6.0, 10.0)
    assert "Warning, large gradient 16.0" in capsys.readouterr().out


def test_norms_vanish_for_small_weights():
    norms_of = example("norms")["norms_of"]
    small, large = norms_of(0.5), norms_of(3.0)
    assert len(small) == 8 and small[-1] < 1e-2 * small[0] and large[-1] > 0.1 * large[0]


def test_truncation():
    names = example("truncated")
    w, xs = names["data"]()
    dloss = tangent.grad(names["loss"])
    full = tangent.grad(lambda w: np.sum(np.tanh(w @ hidden(w, xs, len(xs) - 1) + xs[-1]) ** 2))(w)
    np.testing.assert_allclose(dloss(w, xs, len(xs)), full, rtol=1e-12)
    for k in (1, 2):
        fixed = hidden(w, xs, len(xs) - k)

        def short(w, h, k):
            for x in xs[len(xs) - k :]:
                h = np.tanh(w @ h + x)
            return np.sum(h * h)

        np.testing.assert_allclose(dloss(w, xs, k), tangent.grad(short)(w, fixed, k), rtol=1e-12)


def hidden(w, xs, steps):
    h = np.zeros(xs.shape[1])
    for t in range(steps):
        h = np.tanh(w @ h + xs[t])
    return h


def test_straight_through():
    found, target = example("straight_through")["descend"]()
    np.testing.assert_array_equal(found, target)


def test_reversal():
    names = example("reversal")
    args = names["data"]()
    w, label_head, domain_head, x, label, domain = args

    def task(w):
        return np.mean((np.tanh(x @ w) @ label_head - label) ** 2)

    def adversary(w, domain_head):
        return np.mean((np.tanh(x @ w) @ domain_head - domain) ** 2)

    bw, bhead = tangent.grad(names["loss"], ("w", "domain_head"))(*args)
    other, head = tangent.grad(adversary, (0, 1))(w, domain_head)
    np.testing.assert_allclose(bw, tangent.grad(task)(w) - 0.5 * other, rtol=1e-12)
    np.testing.assert_allclose(bhead, head, rtol=1e-12)


def test_synthetic_gradients_train():
    values = example("synthetic")["train"]()
    assert values[-1] < 0.05 * values[0]


def test_noise_averages_out():
    exact, noisy = example("noise")["gradients"]()
    assert np.max(np.abs(noisy[0] - exact)) > 1e-3
    np.testing.assert_allclose(np.mean(noisy, axis=0), exact, atol=0.02)


def test_the_debugger_sees_the_gradient():
    shown = example("debugging")["session"]("p t\np dx\ncontinue\ncontinue\n")
    assert "(Pdb) 1\n" in shown and "inf])" in shown
