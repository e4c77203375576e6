"""Generator functions as functions that give a list: for callers that read all of it at once.

def steps(x, n):                 def steps(x, n):
    for _ in range(n):               yielded = []
        x = x * 1.5                  for _ in range(n):
        yield x             ->           x = x * 1.5
                                         yielded.append(x)
                                     return yielded
"""

from __future__ import annotations

import ast
import heapq
import inspect
import types
import weakref
from collections import deque
from functools import partial

from tangent.runtime.writers import WRITING_METHODS
from tangent.source.read import Source, read
from tangent.source.resolve import Scope
from tangent.source.stubs import bare_parameters
from tangent.source.writing import Resolve, gives_new, writes_outside, written_by
from tangent.syntax.captured import declared
from tangent.syntax.held import Sharing, held, written_into
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, expression, name, quote
from tangent.syntax.rebuild import function_node, replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, assigned_inside, writes
from tangent.syntax.walk import walk

_known: weakref.WeakKeyDictionary[types.FunctionType, dict[tuple[types.CodeType, bool], types.FunctionType | None]]
_known = weakref.WeakKeyDictionary()


AS_LISTS = (heapq.merge,)  # of the standard library: there is a function that gives all of it (runtime/library)


def is_generator(found: object) -> bool:
    """Whether a function gives a generator when it is called."""
    if not isinstance(found, types.FunctionType) or found in AS_LISTS:
        return False
    return bool(found.__code__.co_flags & inspect.CO_GENERATOR)


def collecting(generator: types.FunctionType, turns: bool) -> types.FunctionType | None:
    """The function that gives, as a list, what a generator function yields; None where that is not the same.

    With `turns` each item is looked at before the next one is made, else all are made first.
    """
    known = _known.setdefault(generator, {})
    key = generator.__code__, turns
    if key not in known:
        source = read(generator)
        tree = collecting_tree(source.tree, _resolving(generator, source.tree), turns)
        known[key] = None if tree is None else _made(generator, source, tree)
    return known[key]


def _resolving(generator: types.FunctionType, tree: ast.FunctionDef) -> Resolve:
    return Scope(generator, assigned_inside(tree.body) | set(_parameters(tree))).resolve


def _made(generator: types.FunctionType, source: Source, tree: ast.FunctionDef) -> types.FunctionType | None:
    free = generator.__code__.co_freevars
    own = f"{tree.name}_list"  # by its own name it may call itself, which is the generator
    bare = replace(tree, name=own, args=bare_parameters(tree.args), returns=None)
    outer = function_node("scope", ast.arguments([], [ast.arg(v) for v in free], None, [], [], None, []), [bare])
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(outer, tree)], []))
    scope = next(c for c in compile(module, source.file, "exec").co_consts if isinstance(c, types.CodeType))
    code = next(c for c in scope.co_consts if isinstance(c, types.CodeType) and c.co_name == own)
    cells = dict(zip(free, generator.__closure__ or ()))
    if not cells.keys() >= set(code.co_freevars):
        return None  # the text names what this function does not capture: it is that of another
    contents = tuple(cells[v] for v in code.co_freevars)
    made = types.FunctionType(code, generator.__globals__, tree.name, generator.__defaults__, contents)
    made.__kwdefaults__ = generator.__kwdefaults__
    made.__module__ = generator.__module__
    made.tree = tree  # type: ignore[attr-defined]  # what `read` finds, since the file holds the generator
    return made


def _never_ends(node: ast.AST) -> bool:
    match node:
        case ast.While(test=ast.Constant(value=value), body=body) if value:
            return not any(isinstance(n, (ast.Break, ast.Return)) for s in body for n in (s, *walk_scope(s)))
        case _:
            return False


def has_effects(generator: types.FunctionType) -> bool:
    """Whether a generator does something that can be seen between its items."""
    tree = read(generator).tree
    return does_something(tree, _resolving(generator, tree))


def does_something(tree: ast.FunctionDef, resolve: Resolve) -> bool:
    own = _own_lists(tree, resolve)
    for n in walk_scope(tree):
        match n:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr))) if (
                v in own and attr in WRITING_METHODS
            ):
                continue
            case ast.Expr(value=ast.Call()) | ast.Global() | ast.Nonlocal():
                return True
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                return True
    return writes_outside(tree, resolve)


def changes_items(generator: types.FunctionType) -> bool:
    """Whether a generator changes what it has yielded, later."""
    tree = read(generator).tree
    return _changed_items(tree, _resolving(generator, tree)) != set()


def tree_changes_items(tree: ast.FunctionDef, resolve: Resolve) -> bool:
    """The same of one that is defined inside a function."""
    return _changed_items(tree, resolve) != set()


def _changed_items(tree: ast.FunctionDef, resolve: Resolve) -> set[str] | None:
    """Variables that hold what was yielded when they are changed by `+=`; None where it changes in other ways, too."""
    given = set(_parameters(tree))
    sharing = Sharing(tree.body, lambda call: gives_new(call, resolve))
    stored, augmented = written_into(tree.body, lambda call: written_by(call, resolve, unknown=False))
    let_go = {v for v in _let_go(tree) if sharing.of(v) == {v}}
    yields = [n.value for n in walk_scope(tree) if isinstance(n, (ast.Yield, ast.YieldFrom))]
    yields = [e for e in yields if not (isinstance(e, ast.Name) and e.id in let_go)]
    items = sharing.around(set().union(*(held(e, lambda call: gives_new(call, resolve)) for e in yields)))
    made = assigned_inside(tree.body) - given
    stored -= _own_lists(tree, resolve)
    if items & sharing.around(stored) or any(sharing.of(v) != {v} or v not in made for v in items & augmented):
        return None
    return items & augmented


def _let_go(tree: ast.FunctionDef) -> set[str]:
    """Variables that are bound anew right behind each `yield` of what they hold, or not used any more.

    batch.append(v)
    if len(batch) == n:
        yield batch
        batch = []
    """
    every = [n for n in walk_scope(tree) if isinstance(n, ast.Yield) and isinstance(n.value, ast.Name)]
    fine: set[ast.AST] = set()

    def block(body: list[ast.stmt], last: bool) -> list[ast.stmt]:
        for s, after in zip(body, [*body[1:], None]):
            match s, after:
                case ast.Expr(value=ast.Yield(value=ast.Name(id=v)) as e), ast.Assign(targets=[ast.Name(id=w)]):
                    fine.update([e] if v == w and not _reads(after, v) else [])
                case ast.Expr(value=ast.Yield() as e), None if last:
                    fine.add(e)
            ends = last and after is None and not isinstance(s, (ast.For, ast.While, ast.Try))
            with_blocks(s, partial(block, last=ends))
        return body

    block(tree.body, last=True)
    others = [e.value.id for e in every if isinstance(e.value, ast.Name) and e not in fine]
    return {e.value.id for e in every if isinstance(e.value, ast.Name)} - {*others, *declared(tree)}


def _reads(s: ast.stmt | None, v: str) -> bool:
    return isinstance(s, ast.Assign) and any(isinstance(n, ast.Name) and n.id == v for n in walk(s.value))


def _own_lists(tree: ast.FunctionDef, resolve: Resolve) -> set[str]:
    """Lists and deques that a generator makes, makes longer and shorter, and shows to nobody but by their items."""
    bound: dict[str, list[bool]] = {v: [False] for v in _parameters(tree)}
    for n in walk_scope(tree):
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) | ast.AnnAssign(target=ast.Name(id=v), value=value):
                made = isinstance(value, ast.List) or (
                    isinstance(value, ast.Call) and resolve(value.func) in (list, deque)
                )
                bound.setdefault(v, []).append(made)
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v))):  # an item may change in place
                bound.setdefault(v, []).append(False)
            case ast.stmt():
                for v in writes(n):
                    bound.setdefault(v, []).append(False)
    uses = [n for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    fine = {x for n in walk_scope(tree) for x in _asked(n, resolve)}
    shown = {n.id for n in uses if n not in fine}
    return {v for v, made in bound.items() if all(made)} - shown


def _asked(n: ast.AST, resolve: Resolve) -> list[ast.expr]:
    """What an expression asks for its items, or a method: lists that others get to see are others'."""
    match n:
        case ast.Attribute(value=value, ctx=ast.Load()) | ast.Subscript(value=value, ctx=ast.Load()):
            return [value]
        case ast.Call(func=func, args=args) if resolve(func) in (tuple, list, len, sum, max, min, sorted):
            return list(args)
        case ast.For(iter=value) | ast.comprehension(iter=value) | ast.Starred(value=value):
            return [value]
        case _:
            return []


def _parameters(tree: ast.FunctionDef) -> list[str]:
    return [a.arg for a in arguments(tree.args)]


def collecting_tree(tree: ast.FunctionDef, resolve: Resolve, turns: bool) -> ast.FunctionDef | None:
    """The definition with a list that is filled in place of each `yield`; None where that is not the same."""
    changed = _changed_items(tree, resolve) if turns else set()
    if changed is None:
        return None
    statements = [n for n in walk_scope(tree) if isinstance(n, ast.Expr)]
    plain = {id(s.value) for s in statements}
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) and id(n) not in plain for n in walk_scope(tree)):
        return None
    if any(_never_ends(n) for n in walk_scope(tree)):
        return None
    names = Names(identifiers(tree))
    target = names.fresh("yielded")

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Expr(value=ast.Yield(value=value)):
                item = value if value is not None else ast.Constant(None)
                return [ast.copy_location(ast.Expr(expression("p.append(v)", p=target, v=item)), s)]
            case ast.Expr(value=ast.YieldFrom(value=value)):
                held = names.numbered("item")
                add = at(ast.Expr(expression("p.append(v)", p=target, v=name(held))), s)
                return [ast.copy_location(ast.For(ast.Name(held, ast.Store()), value, [add], []), s)]
            case ast.Return():
                return [ast.copy_location(ast.Return(name(target)), s)]
            case ast.AugAssign(target=ast.Name(id=v), op=op, value=value) if v in changed:  # items stay as they were
                return [assign(v, ast.BinOp(name(v), op, value), s)]
            case _:
                return [with_blocks(s, block)]

    start = at(quote("p = []", p=target), tree.body[0])
    last = at(ast.Return(name(target)), tree.body[-1])
    return replace(tree, body=[start, *block(tree.body), last])
