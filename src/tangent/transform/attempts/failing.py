"""What may raise inside an attempt, and what of that which it has done can be seen where it failed."""

from __future__ import annotations

import ast

from tangent.analysis.liveness import liveness
from tangent.normalise.context import Context
from tangent.syntax.blocks import Attempt
from tangent.syntax.core import is_atom
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.records import pushed
from tangent.syntax.uses import arguments, expression_reads, writes

Body = list[ast.stmt]


def may_raise(s: ast.stmt) -> bool:
    match s:
        case Comment() | ast.Pass() | ast.Global() | ast.Nonlocal():
            return False
        case ast.Assign(targets=[ast.Name()], value=value):
            return not is_atom(value) and not (isinstance(value, (ast.List, ast.Tuple)) and not value.elts)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="append"))):
            return False
        case Attempt() if catches_all(s):
            return False
        case ast.If(body=[ast.Break()], test=test):
            return asking_may_raise(test)
        case ast.If(test=test, body=body, orelse=orelse):
            return asking_may_raise(test) or any(map(may_raise, (*body, *orelse)))
        case ast.For(body=body):
            return any(map(may_raise, body))
        case _:
            return True


def catches_all(s: Attempt) -> bool:
    return isinstance(s.types, ast.Name) and s.types.id.rstrip("_") == "BaseException"


def asking_may_raise(e: ast.expr) -> bool:
    return not all(isinstance(n, (ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp)) or not isinstance(
        n, ast.expr) for n in ast.walk(e))  # fmt: skip


STORED = "[]"  # stands for whatever a statement writes in place


def assigned(body: Body) -> set[str]:
    return {v for s in statements(body) for v in writes(s)}


def changed(body: Body, context: Context, made: set[str]) -> set[str]:
    """What a block assigns, and whether it may write in place; not into lists that were made for it."""
    stored = any(_stores(s, made) or (s.lineno, s.col_offset) in context.augmented for s in statements(body))
    return assigned(body) | ({STORED} if stored else set())


def lists_made(body: Body) -> set[str]:
    """Lists that a block makes itself, as comprehensions do."""
    made = [s for s in statements(body) if isinstance(s, ast.Assign) and isinstance(s.value, ast.List)]
    return {v for s in made for v in writes(s)}


def _stores(s: ast.stmt, made: set[str]) -> bool:
    match s:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"))) if v in made:
            return False
        case ast.Assign(targets=targets) if any(isinstance(t, (ast.Subscript, ast.Attribute)) for t in targets):
            return True
        case ast.AugAssign() | ast.Delete():
            return True
        case ast.Expr(value=ast.Call(func=func, args=args)):
            return isinstance(func, ast.Attribute) or any(isinstance(a, ast.Name) for a in args)
        case ast.Assign(value=ast.Call(keywords=keywords)):
            return any(k.arg == "out" for k in keywords)
        case _:
            return False


def visible(core: ast.FunctionDef, context: Context) -> dict[Attempt, set[str]]:
    """What of that which attempts have done can be seen where they failed, by those around them, too."""
    found: dict[Attempt, set[str]] = {}
    for a in statements(core.body):  # from the outside in
        if isinstance(a, Attempt):
            own = changed(a.body, context, lists_made(a.body))
            around = [o for o in found if not catches_all(a) and any(x is a for x in statements(o.body))]
            found[a] = _visible(a, core, context) | {v for o in around for v in own & found[o]}
    return found


def _visible(a: Attempt, core: ast.FunctionDef, context: Context) -> set[str]:
    """The same, by what comes after one of them."""
    live = live_on_failure(core, a)
    seen = (live & bound_before(a, core)) - expression_reads(a.test)
    return changed(a.body, context, lists_made(a.body)) & (live | {STORED} if seen else live)


def live_on_failure(core: ast.FunctionDef, attempt: Attempt) -> frozenset[str]:
    """What is read after an attempt that failed."""
    caught = next(iter(expression_reads(attempt.test)))

    def block(body: Body) -> Body:
        found = [new for s in body for new in statement(s)]
        end = next((i for i, s in enumerate(found) if isinstance(s, ast.Raise)), len(found))
        return found[: end + 1]

    def statement(s: ast.stmt) -> Body:
        match s:
            case Attempt():
                return [s] if s is attempt else [replace(s, body=block(s.body))]
            case ast.If(test=ast.Compare(left=ast.Name(id=v), ops=[ast.Is()]), orelse=other) if v == caught:
                return block(other)
            case ast.If(test=ast.Compare(left=ast.Name(id=v), ops=[ast.IsNot()]), body=then) if v == caught:
                return block(then)
            case ast.If(body=then, orelse=other):
                return [replace(s, body=block(then), orelse=block(other))]
            case ast.For(body=inner) | ast.While(body=inner):
                return [replace(s, body=block(inner))]
            case _:
                return [s]

    return liveness(replace(core, body=block(core.body)), frozenset([attempt])).after[attempt]


def bound_before(s: ast.stmt, core: ast.FunctionDef) -> set[str]:
    """Names that may have a value where a statement begins."""
    found = {a.arg for a in arguments(core.args)}
    for x in statements(core.body):
        if x is s:
            break
        found.update(writes(x))
    loops = [x for x in statements(core.body) if isinstance(x, (ast.For, ast.While)) and s in statements(x.body)]
    return found | {v for x in loops for v in assigned(x.body)}


def early_records(s: Attempt, stacks: set[str]) -> list[str]:
    """The lists that an attempt may have added to before it fails."""
    found: dict[str, None] = {}
    for x in statements(s.body):
        if isinstance(x, (ast.For, ast.While)) and may_raise(x):
            found |= dict.fromkeys(_grown(x.body) & stacks)
    kept: set[str] = set()
    for x in statements(s.body):
        if not isinstance(x, (ast.If, ast.For)) and may_raise(x):
            found |= dict.fromkeys(kept)
        kept |= _grown([x]) & stacks
    return sorted(found)


def _grown(body: Body) -> set[str]:
    """The lists that a block appends to."""
    return {v for x in statements(body) if (v := pushed(x))}
