"""Generated code is ordinary Python: it can be read, stepped through, profiled and traced like any other."""

import bdb
import contextlib
import cProfile
import inspect
import io
import linecache
import os
import pdb
import pstats
import subprocess
import sys
import traceback
import types

import numpy as np
import pytest

from tangent import grad, jvp, vjp
from tangent.errors import TangentError


def wave(x):
    # the square first
    y = x * x
    z = np.sin(y)  # then the sine
    return z * x


def recurrent(x, w, n):
    h = np.zeros_like(x)
    for _ in range(n):
        h = np.tanh(w * h + x)
    return np.sum(h * h)


def helper(x):
    return np.exp(x) * x


def outer(x):
    y = helper(x)
    return y * y


def broken(x, w):
    y = x * x
    return np.sum(np.dot(y, w))


MADE = [grad(wave), jvp(wave), grad(recurrent, "w"), grad(outer), jvp(outer), grad(wave, optimized=False)]
named = pytest.mark.parametrize("made", MADE, ids=lambda f: f.__name__)


# Reading


@named
def test_getsource_is_plain_python(made):
    text = inspect.getsource(made)
    assert text.startswith(f"def {made.__name__}(")
    compile(text, "<test>", "exec")


@named
def test_getsourcefile_and_linecache_agree(made):
    file = inspect.getsourcefile(made)
    assert file == made.__code__.co_filename
    lines, first = inspect.getsourcelines(made)
    assert linecache.getline(file, first) == lines[0]
    linecache.checkcache(file)
    assert linecache.getline(file, first) == lines[0], "the text survives checkcache"


@named
def test_code_positions_are_those_of_the_text(made):
    lines, first = inspect.getsourcelines(made)
    numbers = {line for _, _, line in made.__code__.co_lines() if line}
    assert min(numbers) >= first and max(numbers) <= first + len(lines) - 1


@named
def test_no_line_is_wider_than_100_columns(made):
    assert max(map(len, inspect.getsource(made).splitlines())) <= 100


def test_wide_programs_stay_within_100_columns():
    def wide(first_argument_with_a_long_name, second_argument_with_a_long_name, third_argument_with_a_long_name):
        intermediate_result_one = np.sin(first_argument_with_a_long_name * second_argument_with_a_long_name) + np.exp(
            third_argument_with_a_long_name * first_argument_with_a_long_name
        )
        intermediate_result_two = (
            np.cos(intermediate_result_one + first_argument_with_a_long_name) * second_argument_with_a_long_name
        )
        denominator = 1.0 + first_argument_with_a_long_name * first_argument_with_a_long_name
        return np.sum(intermediate_result_one * intermediate_result_two / denominator)

    for made in (grad(wide), grad(wide, (0, 1, 2)), jvp(wide, (0, 1, 2)), grad(wide, optimized=False)):
        text = made.source
        assert max(map(len, text.splitlines())) <= 100, text


def test_the_users_comments_are_kept():
    for text in (inspect.getsource(grad(wave)), inspect.getsource(jvp(wave))):
        assert "# the square first" in text
        assert "# then the sine" in text


def test_adjoints_have_the_primal_line_above_them():
    text = inspect.getsource(grad(wave))
    assert "# Grad of: z = np.sin(y)" in text
    assert "# Grad of: y = x * x" in text


def test_docstring_name_module_and_annotations():
    made = grad(wave)
    assert made.__name__ == made.__qualname__ == "dwavedx"
    assert made.__module__ == wave.__module__
    assert "wave" in made.__doc__ and "'x'" in made.__doc__
    assert isinstance(made, types.FunctionType)


def test_the_source_of_callees_can_be_read_too():
    made = grad(outer)
    text = "".join(linecache.getlines(made.__code__.co_filename))
    assert "def helper_fwd(" in text and "def helper_bwd(" in text


def test_help_shows_the_derivative():
    import pydoc

    text = pydoc.render_doc(grad(wave), renderer=pydoc.plaintext)
    assert "dwavedx(x" in text and "wave" in text


SCRIPT = """
import numpy as np, tangent

def helper(a, b):
    return np.sin(a) * b + a

def f(x, y, p):
    z = {"k": x, "l": y}
    total = 0.0
    for i in range(3):
        if i % 2:
            total = total + helper(x * i, y)
        else:
            total = total - helper(b=x, a=y)
    return total * z["k"] * p["q"] + x ** y

for make in (tangent.grad, tangent.jvp):
    for wrt in (0, (0, 1), ("y", "p")):
        for optimized in (True, False):
            print(make(f, wrt, optimized=optimized).source)
print(tangent.grad(tangent.grad(f), check_dims=False).source)
print(tangent.grad(f).__code__.co_filename)
"""


def test_output_is_the_same_to_the_byte_in_every_process(tmp_path):
    file = tmp_path / "deterministic.py"
    file.write_text(SCRIPT)
    found = set()
    for seed in ("0", "1", "12345"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.run([sys.executable, str(file)], env=env, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        found.add(run.stdout)
    assert len(found) == 1
    assert "def dfdx" in found.pop()


def test_order_of_requests_does_not_matter(tmp_path):
    file = tmp_path / "order.py"
    late = "    tangent.grad(helper); tangent.jvp(f); tangent.grad(lambda x: helper(x, x))\n"
    head = SCRIPT.split("for make")[0]
    file.write_text(f"{head}import sys\nif sys.argv[1] == 'late':\n{late}print(tangent.grad(f).source)\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    runs = [
        subprocess.run([sys.executable, str(file), when], env=env, capture_output=True, text=True, check=True).stdout
        for when in ("early", "late")
    ]
    assert runs[0] == runs[1]


# pdb


def debugged(made, args, commands):
    """What pdb prints when the derivative runs under it with these commands."""
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("\n".join(commands) + "\n"), stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    debugger.prompt = ""
    with contextlib.suppress(bdb.BdbQuit):
        debugger.runcall(made, *args)
    return out.getvalue()


def line_of(made, text):
    lines, first = inspect.getsourcelines(made)
    return next(n for n, line in enumerate(lines, first) if text in line and not line.lstrip().startswith("#"))


def test_pdb_lists_generated_lines():
    made = grad(wave)
    shown = debugged(made, (0.5,), ["list 1,40", "continue"])
    for line in inspect.getsource(made).splitlines():
        assert line.strip() in shown


def test_pdb_stops_at_a_breakpoint_in_generated_code():
    made = grad(wave)
    file, number = made.__code__.co_filename, line_of(made, "return")
    shown = debugged(made, (0.5,), [f"break {number}", "continue", "p 'x is', x", "where", "continue"])
    assert "Breakpoint" in shown and f"{file}({number})" in shown
    assert f"-> {linecache.getline(file, number).strip()}" in shown
    assert "('x is', 0.5)" in shown


def test_pdb_stops_in_the_derivative_of_a_callee():
    made = grad(outer)
    file = made.__code__.co_filename
    lines = linecache.getlines(file)
    start = next(n for n, line in enumerate(lines, 1) if line.startswith("def helper_bwd("))
    number = next(n for n, line in enumerate(lines, 1) if n > start and line.lstrip().startswith("return"))
    shown = debugged(made, (0.5,), [f"break {number}", "continue", "where", "continue"])
    assert f"{file}({number})helper_bwd()" in shown
    assert f"-> {lines[number - 1].strip()}" in shown


def test_pdb_steps_over_generated_lines_one_by_one():
    made = grad(wave)
    lines, _ = inspect.getsourcelines(made)
    body = [line.strip() for line in lines[1:] if line.strip() and not line.strip().startswith(("#", '"'))]
    shown = debugged(made, (0.5,), ["next"] * (len(body) + 6))
    places = [shown.find(f"-> {line}") for line in body]
    assert -1 not in places, shown
    assert places == sorted(places), "in the order of the text"


def test_pdb_steps_into_the_derivative_of_a_callee():
    made = grad(outer)
    shown = debugged(made, (0.5,), ["step"] * 400 + ["continue"])
    assert "helper_fwd" in shown and "helper_bwd" in shown


# Profilers


def test_cprofile_names_the_generated_function():
    made = grad(recurrent, "w")
    profile = cProfile.Profile()
    profile.runcall(made, np.ones(3), 0.5, 4)
    out = io.StringIO()
    pstats.Stats(profile, stream=out).print_stats()
    assert f"({made.__name__})" in out.getvalue()


def test_cprofile_counts_the_derivatives_of_callees():
    def own(x):  # no derivative has been called before, so that there is no version of it by shape
        y = helper(x)
        return y * y

    profile = cProfile.Profile()
    profile.runcall(grad(own), 0.5)
    names = {key[2] for key in pstats.Stats(profile).stats}
    assert {"helper_fwd", "helper_bwd"} <= names


def test_cprofile_shows_nothing_of_the_machinery():
    import tangent

    made = grad(wave)
    made(0.5)
    profile = cProfile.Profile()
    profile.runcall(made, 0.5)
    package = os.path.dirname(tangent.__file__)
    seen = [key for key in pstats.Stats(profile).stats if key[0].startswith(package)]
    assert not [key for key in seen if f"{os.sep}runtime{os.sep}" not in key[0]]


def test_line_profiler_shows_the_lines():
    line_profiler = pytest.importorskip("line_profiler")
    made = grad(recurrent, "w")
    profiler = line_profiler.LineProfiler()
    wrapped = profiler(made)
    wrapped(np.ones(3), 0.5, 4)
    out = io.StringIO()
    profiler.print_stats(stream=out)
    text = out.getvalue()
    assert made.__name__ in text
    for line in inspect.getsource(made).splitlines()[1:]:
        assert line.strip() in text
    hits = {n: count for key, rows in profiler.get_stats().timings.items() for n, count, _ in rows}
    assert hits[line_of(made, "np.tanh(")] == 4, "the forward loop ran four times"


# Tracebacks


def caught(call, *args):
    with pytest.raises(Exception) as error:
        call(*args)
    return error.value


def frames(error):
    return traceback.extract_tb(error.__traceback__)


def shown(error):
    return "".join(traceback.format_exception(error))


@pytest.mark.parametrize("make, extra", [(grad, ()), (jvp, (np.ones(3),))])
def test_traceback_shows_the_generated_line(make, extra):
    made = make(broken)
    error = caught(made, np.ones(3), np.ones(4), *extra)
    assert isinstance(error, ValueError)
    last = frames(error)[-1]
    assert last.filename == made.__code__.co_filename
    assert last.line == linecache.getline(last.filename, last.lineno).strip()
    assert "np.dot" in last.line
    assert last.line in shown(error)


@pytest.mark.parametrize("make, extra", [(grad, ()), (jvp, (np.ones(3),))])
def test_traceback_tells_the_primal_line(make, extra):
    error = caught(make(broken), np.ones(3), np.ones(4), *extra)
    number = inspect.getsourcelines(broken)[1] + 2
    assert f"{__file__}:{number}\n    return np.sum(np.dot(y, w))\n    ^^^^^" in "\n".join(error.__notes__)
    assert len(error.__notes__) == 1


def test_traceback_holds_nothing_of_the_machinery():
    import tangent

    package = os.path.dirname(tangent.__file__)
    for made, args in (
        (grad(broken), (np.ones(3), np.ones(4))), (grad(outer), ("text",)),
        (grad(grad(outer)), ("text",)), (vjp(broken), (np.ones(3), np.ones(4), 1.0)),
        (grad(recurrent, "w"), (np.ones(3), np.ones(2), 3)),
    ):  # fmt: skip
        error = caught(made, *args)
        assert not [f for f in frames(error) if f.filename.startswith(package)], shown(error)
        assert package not in shown(error)


def test_the_seed_error_holds_nothing_of_the_machinery_either():
    import tangent

    error = caught(vjp(broken), np.ones(3), np.ones(3), np.ones(5))
    assert os.path.dirname(tangent.__file__) not in shown(error)


def test_a_wrong_argument_fails_as_in_the_primal():
    assert type(caught(grad(wave), None)) is type(caught(wave, None))
    assert type(caught(grad(outer), "text")) is type(caught(outer, "text"))


def backward_fails(x):
    y = np.log(x)
    return y * fragile(y)


def fragile(y):
    return y[0] * 2.0


def test_an_error_in_a_callee_is_told_at_its_own_line():
    error = caught(grad(backward_fails), 2.0)
    assert "fragile" in shown(error)
    number = inspect.getsourcelines(fragile)[1] + 1
    assert f"{__file__}:{number}\n    return y[0] * 2.0\n    ^^^^^" in "\n".join(error.__notes__)


def applied(op, x):
    return np.sum(op(x))


def scaled(x):
    y = x * 2.0
    return y


def squared(x):
    y = x * x
    return y


def first_of(x):
    if x[0] > 0.0:
        return x * 2.0
    return x


def unknown_method(x):
    return x.nothing() * 2.0


NOTED = [
    (vjp(scaled), (np.ones(3), np.ones(2)), scaled, "return y"),
    (grad(scaled), (np.ones(3),), scaled, "return y"),
    (grad(first_of), (np.ones(3),), first_of, "return x"),
    (grad(grad(squared)), (np.ones(3),), squared, "return y"),
    (jvp(scaled), (np.ones(3), np.ones(2)), scaled, "def scaled(x):"),
    (grad(scaled), ([1.0],), scaled, "def scaled(x):"),
    (grad(applied, 1), (np.linalg.cholesky, -np.eye(2)), applied, "return np.sum(op(x))"),
    (grad(applied, 1), (np.linalg.svd, np.ones((3, 2))), applied, "return np.sum(op(x))"),
    (grad(unknown_method), (np.ones(3),), unknown_method, "return x.nothing() * 2.0"),
]


@pytest.mark.parametrize("made, args, primal, text", NOTED)
def test_every_error_tells_file_line_and_text_of_the_primal(made, args, primal, text):
    import tangent

    error = caught(made, *args)
    lines, first = inspect.getsourcelines(primal)
    numbers = [first + k for k, line in enumerate(lines) if line.strip() == text]
    excerpt = f"    {text}\n    {'^' * len(text)}"
    if isinstance(error, TangentError):
        assert str(error).startswith(f"{__file__}:{numbers[-1]}: ") and f"\n{excerpt}\n" in str(error)
        assert error.why and error.todo and not hasattr(error, "__notes__")
    else:
        assert error.__notes__ == [f"In the derivative of {__file__}:{numbers[-1]}\n{excerpt}"]
    assert not [f for f in frames(error) if f.filename.startswith(os.path.dirname(tangent.__file__))], shown(error)


def test_an_error_in_the_primal_keeps_its_type_and_message():
    def f(x):
        if x < 0:
            raise ArithmeticError("negative")
        assert x < 10, "too large"
        return x * x

    assert str(caught(grad(f), -1.0)) == "negative"
    assert isinstance(caught(grad(f), -1.0), ArithmeticError)
    assert isinstance(caught(jvp(f), 11.0, 1.0), AssertionError)


def test_an_error_of_second_order_tells_a_line_of_the_primal():
    error = caught(grad(grad(broken), check_dims=False), np.ones(3), np.ones(4))
    assert f"{__file__}:" in shown(error)


def test_warnings_point_at_generated_lines():
    made = grad(lambda x: np.sum(1.0 / x))
    with pytest.warns(RuntimeWarning) as seen:
        made(np.array([0.0, 1.0]))
    assert any(w.filename == made.__code__.co_filename for w in seen)


def test_generated_code_can_be_pasted_into_a_file(tmp_path):
    made = grad(wave)
    text = inspect.getsource(made)
    names = {"np": np}
    exec(text, names)
    assert names[made.__name__](0.5) == made(0.5)


def test_coverage_style_tracing_sees_the_lines():
    made = grad(wave)
    seen = set()

    def trace(frame, event, _):
        if frame.f_code.co_filename == made.__code__.co_filename:
            seen.add(frame.f_lineno)
            return trace
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        made(0.5)
    finally:
        sys.settrace(before)
    lines, first = inspect.getsourcelines(made)
    code = {n for n, line in enumerate(lines, first) if line.strip() and not line.strip().startswith(("#", "def", '"'))}
    assert code <= seen
