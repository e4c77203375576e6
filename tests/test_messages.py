"""Every error of Tangent says what, where (file, line, source line, caret), why, and what to do."""

import ast
import pathlib

import numpy as np
import pytest

import tangent
from tangent import errors, grad, hvp, jvp, vjp
from tangent.errors import OptionError, TangentError
from tangent.runtime.persistent import PersistentArray

PACKAGE = pathlib.Path(tangent.__file__).parent
FAMILY = {c.__name__ for c in vars(errors).values() if isinstance(c, type) and issubclass(c, TangentError)}
SIGNALS = {("transform/module.py", "SourceError")}  # caught where it is raised for
COMPILED = "backends/numba"  # one text: compiled code raises constants only


def constructions():
    """All places where an error of the family is made: file, line, class, and how many parts are said."""
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name(id=kind), args=args, keywords=keywords) if kind in FAMILY:
                    said = {"what", "where", "why", "todo"} if len(args) == 4 else set()
                    said |= {k.arg for k in keywords} | set(("what", "where", "why", "todo")[: len(args)])
                    yield file, node.lineno, kind, said


def test_every_error_is_made_with_a_reason_and_a_way_out():
    made = list(constructions())
    assert len(made) > 100
    lacking = [
        (file, line, kind)
        for file, line, kind, said in made
        if not {"why", "todo"} <= said and (file, kind) not in SIGNALS and not file.startswith(COMPILED)
    ]
    assert not lacking


def test_the_public_functions_raise_errors_of_the_family_only():
    for name in ("api.py", "matrices.py", "custom.py", "implicit.py", "template.py", "testing.py", "pipeline.py"):
        for node in ast.walk(ast.parse((PACKAGE / name).read_text())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
                assert node.exc.func.id in FAMILY or node.exc.func.id.startswith("_"), (name, node.lineno)


def square(x):
    return x * x


def rows(x):
    y = x[0] + x[1]
    return np.sum(y)


def operator_on_a_list(p):
    a, b = p
    c = a + b
    return c[0] * c[2]


def generator(x):
    yield x


def unknown_keyword(x):
    return np.sum(x, strange=1)


def no_number(x):
    return str(x)


async def later(x):
    return x


class Thing:
    def __init__(self, x):
        self.x = x


def grown_number(x):
    s = x[0]
    s += x
    s[0] = x[1]
    return s.sum()


def written_list(x):
    x[0] = 1.0
    return x[0] * x[1]


CASES = {
    "wrt position": lambda: grad(square, 3),
    "wrt name": lambda: grad(square, "y"),
    "wrt twice": lambda: grad(square, (0, "x")),
    "wrt empty": lambda: grad(square, ()),
    "wrt kind": lambda: grad(square, 1.5),
    "wrt path": lambda: grad(square, "x[a]"),
    "wrt path forward": lambda: jvp(square, "x[0]"),
    "mode": lambda: tangent.autodiff(square, mode="sideways"),
    "motion": lambda: tangent.autodiff(square, motion="none"),
    "compile": lambda: grad(square, compile="c"),
    "compiler option": lambda: grad(square, fastmath=True),
    "no such option": lambda: grad(square, optimised=True),
    "option of another library": lambda: grad(square, argnums=1),
    "option of another": lambda: vjp(square, mode="reverse"),
    "checkpoint": lambda: grad(square, checkpoint=0),
    "seed missing": lambda: grad(square)(np.ones(3)),
    "seed shape": lambda: vjp(square)(np.ones(3), np.ones(2)),
    "seed kind": lambda: vjp(square)(1.0, "one"),
    "seed structure": lambda: vjp(lambda x: (x, x))(1.0, (1.0,)),
    "seed complex": lambda: grad(lambda x: x * 1j)(1.0),
    "result": lambda: grad(no_number)(1.0),
    "tangent shape": lambda: jvp(square)(np.ones(3), np.ones(2)),
    "tangent structure": lambda: jvp(lambda p: p["a"] * p["b"])({"a": 1.0, "b": 2.0}, {"a": 1.0}),
    "tangent of an item": lambda: jvp(lambda p: p[0] * p[1])([1.0, np.ones(2)], [1.0, 1.0]),
    "checked without a tuple": lambda: tangent.check_grads(square, 1.0),
    "tangent missing": lambda: jvp(grad(square))(1.0),
    "vector missing": lambda: hvp(square)(),
    "argument missing": lambda: hvp(square)(1.0),
    "Jacobian of text": lambda: tangent.jacobian(no_number)(1.0),
    "Jacobian of nothing": lambda: tangent.jacfwd(print)(1.0),
    "masked array": lambda: grad(square)(np.ma.array([1.0])),
    "list": lambda: grad(square)([1.0, 2.0]),
    "dict": lambda: grad(square)({"a": 1.0}),
    "operator on lists": lambda: grad(operator_on_a_list)([[1.0, 2.0], [3.0]]),
    "generator": lambda: grad(generator),
    "keyword": lambda: grad(unknown_keyword),
    "async": lambda: grad(later),
    "no function": lambda: grad(3.0),
    "object": lambda: grad(object()),
    "module": lambda: grad(np),
    "class": lambda: grad(Thing),
    "no source": lambda: grad(dict.fromkeys),
    "list written by index": lambda: grad(written_list, optimized=False)((1.0, 2.0)),
    "number that grows": lambda: grad(grown_number)(np.ones(2)),
    "custom": lambda: tangent.custom_vjp(3.0),
    "implicit": lambda: tangent.implicit(square),
    "persistent": lambda: PersistentArray(1.0),
    "persistent rows": lambda: PersistentArray([1.0]).delete(2),
    "nothing to check": lambda: tangent.check_grads(no_number, (2.0,)),
    "check": lambda: tangent.check_grads(tangent.stop_gradient, (2.0,)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_message_has_its_parts(case):
    with pytest.raises(TangentError) as caught:
        case()
    error = caught.value
    assert error.where is not None and error.why and error.todo
    first, text, carets, *rest = str(error).split("\n")
    assert first == f"{__file__}:{error.where.line}: {error.what}: {error.why}".split("\n")[0]
    assert text.strip() == pathlib.Path(__file__).read_text().splitlines()[error.where.line - 1].strip()
    assert set(carets.strip()) == {"^"} and len(carets) <= len(text)
    assert rest == [*beside(error), *error.todo.split("\n")]


def beside(error):
    """How the other statement of a conflict is shown."""
    if error.other is None:
        return []
    said, where = error.other
    return [f"{said} at {where}:", *where.excerpt().split("\n")]


def test_another_exception_has_a_note_with_a_caret():
    with pytest.raises(IndexError) as caught:
        grad(rows)(np.ones((1, 2)))
    where, text, carets = caught.value.__notes__[0].split("\n")
    assert where.startswith(f"In the derivative of {__file__}:")
    assert text == "    y = x[0] + x[1]" and carets == "    ^^^^^^^^^^^^^^^"


def test_a_pair_that_is_not_returned():
    with pytest.raises(OptionError, match=r"test_messages.py:\d+: has_aux=True: the function returned a float"):
        grad(square, has_aux=True)(1.0)
