"""Functions defined one after the other stand behind those that they call: what they capture has its value by then.

def energy(q):                       def field(q):
    return q**4 + field(q)               return q * q * x
def field(q):                 ->     def energy(q):
    return q * q * x                     return q**4 + field(q)
"""

from __future__ import annotations

import ast
import itertools

from tangent.normalise.context import Context
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import expression_reads


def ordered(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Put definitions in the order in which they need each other, where there is one."""
    if sum(isinstance(n, ast.FunctionDef) for n in walk_scope(f)) < 2:
        return f
    return replace(f, body=_block(f.body))


def _block(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for plain, run in itertools.groupby(body, _is_plain):
        if plain:
            found += _sorted([s for s in run if isinstance(s, ast.FunctionDef)])
        else:
            found += [s if isinstance(s, (ast.FunctionDef, ast.ClassDef)) else with_blocks(s, _block) for s in run]
    return found


def _is_plain(s: ast.stmt) -> bool:
    """Whether a statement defines a function, and evaluates nothing."""
    if not isinstance(s, ast.FunctionDef):
        return False
    return not (s.decorator_list or s.args.defaults or any(d is not None for d in s.args.kw_defaults))


def _sorted(run: list[ast.FunctionDef]) -> list[ast.FunctionDef]:
    """Definitions in a row, each behind those that it reads; as they are where two read each other."""
    waiting, done = list(run), []
    if len({s.name for s in run}) < len(run):
        return run
    while waiting:
        names = {s.name for s in waiting}
        ready = next((s for s in waiting if not expression_reads(s) & names - {s.name}), None)
        if ready is None:
            return run
        waiting.remove(ready)
        done.append(ready)
    return done
