"""Write functions.md from the rule table: `python docs/make_functions.py`.

What is read is text (the rules, the list of names), so the page is the same under every version of Python and NumPy.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
from pathlib import Path
from typing import Any

from tangent import runtime
from tangent.backends.scipy import SOLVERS
from tangent.rules.notation import Parameter, Rule
from tangent.rules.table import FOLDER, read_rules

PAGE = Path(__file__).with_name("functions.md")
RULES = Path(FOLDER)
NAMES = RULES.parent / "backends" / "names.txt"
UNCOVERED = PAGE.parents[1] / "tests" / "rules" / "uncovered.py"

SECTIONS = {
    "np": "NumPy", "np.linalg": "np.linalg", "np.fft": "np.fft", "np.emath": "np.emath",
    "x": "Methods and attributes of arrays",
    "math": "math", "cmath": "cmath", "operator": "operator", "bisect": "bisect", "copy": "copy", "": "Builtins",
}  # fmt: skip

TIES = "ties share evenly"
WRITING = ("out", "overwrite_input")  # keywords that write into an argument: refused, or handled before the rules
KERNELS = {"all_pole", "correlated", "tap_products"}  # which have rules, and are none of SciPy's functions
NOTES = {
    "abs": "0 at 0", "fabs": "0 at 0", "maximum": TIES, "clip": TIES,
    "max": TIES, "builtin_max": TIES, "builtin_max_of_two": TIES, "builtin_max_of_several": TIES,
    "ptp": TIES, "prod": "exact with zeros", "cumprod": "exact with zeros", "math_prod": "exact with zeros",
    "std": "0 where it is 0", "norm": "0 where it is 0", "vector_norm": "0 where it is 0", "hypot": "0 at 0",
    "sqrt": "infinite at 0", "power": "infinite where the slope is", "sinc": "exact near 0",
    "mod": "between its jumps", "fmod": "between its jumps", "divmod": "between its jumps",
    "unique": "of each value the first", "sort": "equal elements keep their order",
    "pad": "a mode that is a function is refused", "qr": "mode='raw' is refused",
    "svd": "vectors that fill up to square matrices: only what does not depend on their choice",
    "eig": "nan between vectors of equal eigenvalues", "eigh": "nan between vectors of equal eigenvalues",
    "quantile": "constant weights between ties", "bincount": "by the weights only",
    "getitem": "`x[index]`, with every kind of index",
    "arange": "the length is taken as constant", "real_if_close": "the choice is taken as constant",
}  # fmt: skip


def page() -> str:
    """The whole text."""
    rules = {r.name: r for r in read_rules()}
    rows: dict[str, list[str]] = {section: [] for section in SECTIONS}
    for path, rule in sorted(bindings(), key=lambda pair: (pair[0].lower(), pair[0], pair[1])):
        rows[section_of(path)].append(row(path, rules[rule]) if rule in rules else written_row(path, rule))
    tables = [f"## {SECTIONS[s]}\n\n{HEAD}\n" + "\n".join(dict.fromkeys(found)) for s, found in rows.items() if found]
    return "\n\n".join([INTRODUCTION, *tables, scipy(), zeros(), refused()]) + "\n"


def scipy() -> str:
    """What SciPy has: rules, and functions that are written out. `norm_logpdf` is a method of `norm`."""
    found: dict[str, set[str]] = {}
    for file in (*RULES.glob("scipy_*.py"), *(NAMES.parent / "scipy").glob("[!_k]*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} - KERNELS
        found.setdefault(file.stem.removeprefix("scipy_").replace("counts", "stats"), set()).update(names)
    found["stats"] = {".".join(name.rsplit("_", 1)) for name in found["stats"]}
    for module, names in SOLVERS.items():
        found.setdefault(module, set()).update(names.split())
    found["sparse.linalg"] = found.pop("sparse")
    lines = [
        f"* `scipy.{module}`: " + ", ".join(f"`{name}`" for name in sorted(names))
        for module, names in sorted(found.items())
        if names
    ]
    return "\n".join([SCIPY, "", *lines, "* `scipy.fft`: the functions that `np.fft` has, too"])


INTRODUCTION = """\
# What has a derivative

Made from the rule table by `python docs/make_functions.py`; the tests check it in both modes and to second
order. *By* are the operands that derivatives flow to, *options* the other arguments that may be given. An argument
that is not listed is refused by its name. Where NumPy takes a list or a tuple for an array, so do derivatives, and the
gradient is one of the same structure. Gradients have the dtype of their argument; those of integers and booleans are
real, in the precision in which NumPy computes with them: double, unless a call asks for another (`dtype=np.float32`) or
the integers are narrow (`np.sin` of int8 is float16). `np.r_`, `np.c_`, `np.mgrid` and `np.ogrid` become calls of these
functions; `np.vectorize` calls the function for each element, with all its options. What writes in place
is on [a page of its own](storage.md).

Methods of ufuncs that are not listed (`np.hypot.accumulate`, `np.fmod.reduce`) are written out, for every ufunc of two
operands. `where=` of an elementwise function needs an `out=`: without one NumPy leaves the other elements undefined,
and so would be what depends on them. `np.power.reduce` and `np.arctan2.reduce`, whose values differ from processor to
processor, are refused."""

SCIPY = """\
## SciPy

Bound when SciPy has been imported, in both modes. By orders of Bessel functions and by the parameters of hypergeometric
functions SciPy has no slopes: they are refused by name. Those by the first parameters of incomplete gamma and beta
functions, and by the degrees of freedom of Student's t, are sums. Other functions of `scipy.linalg` are refused;
[a rule](rules.md) or `tangent.implicit` ([custom.md](custom.md)) says their derivative.
Sparse matrices are constants: `A @ x`, `x @ A`, `A.dot(x)` and `spsolve(A, x)` have a derivative by the array, wherever
A comes from; their other operators, and matrices that depend on what the derivative is taken by, are refused.

Functions that take functions are differentiated by what these capture, too, and by their further arguments, to any
order. Roots, fixed points and minima are differentiated by the equation that they fulfil, so as accurately as it is
solved; where the search begins has no derivative. Bounds that are met, and constraints, are refused. Integrals are
differentiated under the integral sign and by their limits, solutions of differential equations by the equation of
their derivatives, or of their adjoint where there are many parameters, all with the method and the tolerances of the
call. Interpolators are differentiated by their places, values and knots where they are made in the function, and by
their places where they were made before. Distributions may be given their parameters first, as in
`stats.norm(m, s).logpdf(x)`."""

HEAD = "| function | modes | by | options | notes |\n|---|---|---|---|---|"


def bindings() -> list[tuple[str, str]]:
    """Each name that is bound, and its rule."""
    found = []
    for line in NAMES.read_text(encoding="utf-8").splitlines():
        rule, _, bound = line.partition("#")[0].partition(":")
        for path in bound.split():
            shown = re.sub(r"\(.*", "", path)
            if not shown.startswith("runtime.") and "._" not in shown:
                found.append((re.sub(r"^[.@]", "x.", shown), rule.strip()))
    return found


def section_of(path: str) -> str:
    """The heading under which a name stands: the longest module that it begins with."""
    return max((s for s in SECTIONS if not s or path.startswith(f"{s}.")), key=len)


def row(path: str, rule: Rule) -> str:
    """One line of a table."""
    by = [shown(p) for p in rule.parameters if p.name in rule.operands]
    options = [shown(p) for p in rule.parameters if p.name not in rule.operands and p.name not in WRITING]
    cells = [f"`{path}`", modes(rule), ", ".join(by), ", ".join(options), NOTES.get(rule.name, "")]
    return "| " + " | ".join(cells) + " |"


def written_row(path: str, kernel: str) -> str:
    """One line for a function that is written out in Python, so that derivatives flow as they do in that."""
    parameters = inspect.signature(getattr(runtime, kernel)).parameters.values()
    names = [
        str(p).partition(":")[0].replace("*", r"\*").replace("_", r"\_") for p in parameters if p.name not in WRITING
    ]
    return f"| `{path}` | both | {', '.join(names)} | | written out in Python |"


def shown(p: Parameter) -> str:
    return f"*{p.name}".replace("*", r"\*") if p.star else p.name.replace("_", r"\_")


def modes(rule: Rule) -> str:
    """Which modes differentiate by which operands."""
    reverse = {w for s in rule.adjoint for w in derivatives(s.targets[0])}
    forward = {w for s in rule.tangent for w in derivatives(s.value)} - {rule.result} if rule.tangent else reverse
    if reverse == forward:
        return "both"
    return "; ".join(f"{m} by {', '.join(sorted(found))}" for m, found in (("reverse", reverse), ("forward", forward)))


def derivatives(e: ast.expr) -> list[str]:
    """The x of every `d[x]` in an expression."""
    return re.findall(r"\bd\[(\w+)\]", ast.unparse(e))


def zeros() -> str:
    """The functions through which no derivative flows."""
    body = ast.parse((RULES / "zero.py").read_text(encoding="utf-8")).body
    paths = [ast.unparse(s.value) for s in body if isinstance(s, ast.Expr) and not isinstance(s.value, ast.Constant)]
    names = [p.replace("ndarray.", "x.") for p in paths if not p.startswith("runtime.")]
    why = "Their results are integers, booleans, constants or piecewise constant."
    return f"## No derivative flows through\n\n{why}\n\n" + ", ".join(f"`{n}`" for n in names)


def refused() -> str:
    """The functions that have a derivative and no rule."""
    spec = importlib.util.spec_from_file_location("uncovered", UNCOVERED)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows = [f"| `{name.replace('ndarray.', 'x.')}` | {why} |" for name, why in module.REFUSED.items()]
    return "## Refused for now\n\n| function | why, and what to do |\n|---|---|\n" + "\n".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
