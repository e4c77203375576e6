"""SciPy: its functions are bound when somebody has imported the module that they are in.

The rules stand in `rules/scipy_*.py`, under the names of the functions. What is written out in Python stands beside
this file, a module for each of SciPy's, under their names, too; `norm_logpdf` is the method of an object.
"""

from __future__ import annotations

import ast
import importlib
import operator
import os
import sys
import types
from dataclasses import replace
from typing import Any

import numpy as np

from tangent import runtime
from tangent.rules.notation import Kind, Parameter, parse_rules
from tangent.rules.table import FOLDER, Bound, Elsewhere, Table, text_of

MODULES = (
    "scipy.special", "scipy.linalg", "scipy.stats", "scipy.signal", "scipy.integrate", "scipy.fft", "scipy.optimize",
    "scipy.interpolate", "scipy.ndimage", "scipy.sparse.linalg",
)  # fmt: skip
ZERO = {"scipy.special": "gammasgn round factorial comb perm".split()}
WRITTEN = {"scipy.stats": ("stats", "counts"), "scipy.optimize": (), "scipy.interpolate": (), "scipy.sparse.linalg": ()}
CONTINUOUS = "logpdf pdf cdf logcdf sf logsf ppf isf".split()
# What objects do that are called: the path of the method, and the name of what is written out.
CALLED = {
    "interpolate": {
        "PPoly.__call__": "called_spline", "BSpline.__call__": "called_spline",
        "RegularGridInterpolator.__call__": "called_grid",
    },
    "stats": {
        "rv_continuous.__call__": "frozen", "multivariate_normal.__class__.__call__": "frozen_vector",
        **{f"_distn_infrastructure.rv_continuous_frozen.{name}": f"frozen_{name}" for name in CONTINUOUS},
        **{f"_distn_infrastructure.rv_discrete_frozen.{name}": f"frozen_{name}" for name in ("logpmf", "pmf")},
    },
}  # fmt: skip
SOLVERS = {
    "optimize": "brentq brenth bisect ridder toms748 newton fsolve fixed_point root_scalar root minimize "
    "minimize_scalar least_squares",
    "integrate": "quad quad_vec dblquad odeint solve_ivp",
    "interpolate": "CubicSpline CubicHermiteSpline PchipInterpolator make_interp_spline interp1d "
    "RegularGridInterpolator interpn",
}
KERNELS = {"fft": "kernels_fft", "signal": "kernels_signal", "ndimage": "kernels_ndimage", "sparse": "kernels_sparse"}
TRANSFORMED = (("overwrite_x", False), ("workers", None))
ALIASES = {"psi": "digamma", "jn": "jv"}


def bind_scipy(table: Table) -> None:
    """Bind what has been imported since the last time."""
    for module in MODULES:
        if module in sys.modules and module not in table.imported:
            table.imported.add(module)
            bind_module(table, module)
            table.changed()


def bind_module(table: Table, module: str) -> None:
    """The rules of one module, and what is written out."""
    library, short = sys.modules[module], module.split(".")[1]
    _bind_rules(table, library, short)
    for part in WRITTEN.get(module, (short,)):
        _bind_part(table, library, importlib.import_module(f"{__name__}.{part}"))  # it imports SciPy
    for name in SOLVERS.get(short, "").split():
        table.written[getattr(library, name)] = Elsewhere(f"tangent.solvers.{short}", name)
    for path, name in CALLED.get(short, {}).items():
        table.written[operator.attrgetter(path)(library)] = Elsewhere(f"tangent.solvers.{short}", name)
    for name in ZERO.get(module, ()):
        table.zero.add(getattr(library, name))


def _bind_part(table: Table, library: Any, written: types.ModuleType) -> None:
    """What is written out in a module, and the names that it has for rules of NumPy."""
    for name, function in vars(written).items():
        if isinstance(function, types.FunctionType) and function.__module__ == written.__name__:
            _bind_written(table, library, name, function)
    for name, rule in getattr(written, "TRANSFORMS", {}).items():
        _bind_transform(table, library, name, rule)
    for name, rule in getattr(written, "PLACES", {}).items():
        table.functions[getattr(library, name)] = [Bound(rule)]


def _bind_transform(table: Table, library: Any, name: str, rule: str) -> None:
    """By the rule of NumPy, with the keywords that SciPy has besides."""
    more = tuple(Parameter(keyword, ast.Constant(default)) for keyword, default in TRANSFORMED)
    title = f"scipy.fft.{name}"
    known, scope = table.rules[rule], {**vars(runtime), "np": np}
    table.rules[title] = replace(known, name=title, parameters=(*known.parameters, *more), scope=scope)
    table.functions[getattr(library, name)] = [Bound(title, {"x": "a"})]


def _bind_rules(table: Table, library: Any, short: str) -> None:
    path = os.path.join(FOLDER, f"scipy_{short}.py")
    if not os.path.exists(path):
        return
    kernels = importlib.import_module(f"{__name__}.{KERNELS.get(short, 'kernels')}")  # as above
    scope = {**vars(runtime), **vars(kernels), "np": np, short: library}
    kind: Kind = "elementwise" if short == "special" else "general"
    names = {}
    for rule in parse_rules(text_of(path), kind, path):
        names[rule.name] = f"scipy.{short}.{rule.name}"
        table.rules[names[rule.name]] = replace(rule, name=names[rule.name], scope=scope)
    for name in (*names, *ALIASES):
        function = getattr(library, name, None) or getattr(kernels, name, None)
        if function is not None and ALIASES.get(name, name) in names:
            table.functions[function] = [Bound(names[ALIASES.get(name, name)])]


def _bind_written(table: Table, library: Any, name: str, function: types.FunctionType) -> None:
    owner, _, method = name.rpartition("_")
    found = getattr(library, name, None) or getattr(getattr(library, owner, None), method, None)
    if found is not None:
        table.written[found] = function
