"""In a derivative: blocks of the user that change parts of the gradients they have become functions of their own.

dp = settled(bp, p)              dp = settled(bp, p)
dp.w *= 2                   ->   dp = block(dp)
bp = fit_grad(dp, p)             bp = fit_grad(dp, p)

A gradient may be a list, a dict or an object, and is nobody else's. So the function has a memory of its own
(normalise/memory), and to the derivative around it the gradient is a value.
"""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Iterator
from functools import cached_property

from tangent.normalise.context import Context
from tangent.source.blocks import BlockSpan, blocks_in
from tangent.source.remembering import remembering
from tangent.source.stubs import stub
from tangent.syntax.captured import free_variables, own_variables
from tangent.syntax.inserted import jumps_of
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import function_node, replace, walk_scope, with_blocks
from tangent.syntax.uses import assigned_inside, expression_reads

JUMPS: dict[str, type[ast.stmt]] = {"break": ast.Break, "continue": ast.Continue}
_made: weakref.WeakKeyDictionary[types.FunctionType, dict[object, types.FunctionType]] = weakref.WeakKeyDictionary()


def outlined(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Put blocks that change parts of gradients into functions."""
    for span in blocks_in(context.source.file):
        if f.lineno < span.first <= (f.end_lineno or 0):
            f = _Outline(f, span, context).run()
    return f


class _Outline:
    """Puts the statements of one block into a function."""

    def __init__(self, f: ast.FunctionDef, span: BlockSpan, context: Context) -> None:
        self.f, self.span, self.context = f, span, context
        self.carried: list[str] = []

    def run(self) -> ast.FunctionDef:
        body = self.block(self.f.body)
        return replace(self.f, body=[*(assign(v, constant(None), body[0]) for v in self.carried), *body])

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        inside = [s for s in body if self.is_inside(s)]
        if not inside:
            return [with_blocks(s, self.block) for s in body]
        start = body.index(inside[0])
        return [*body[:start], *self.call(inside), *body[start + len(inside) :]]

    def is_inside(self, node: ast.AST) -> bool:
        return self.span.first <= getattr(node, "lineno", 0) <= self.span.last

    @cached_property
    def outside(self) -> set[str]:
        """Names in the rest of the function."""
        return {n.id for n in walk_scope(self.f) if isinstance(n, ast.Name) and not self.is_inside(n)}

    def call(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """The call that stands for a block, and after it the jump that the block has taken."""
        own = sorted(assigned_inside(body) - set(self.span.parts))
        self.carried = [v for v in own if v in self.outside or not _is_bound_first(v, body)]
        self.refuse_shared(body[0])
        results = list(dict.fromkeys([*self.span.parts, *self.carried, *self.span.changed]))
        jumps = sorted(set(jumps_of(body)))
        if jumps:
            results.append(self.context.names.fresh("jump"))
        function = self.function(body, results, bool(jumps))
        parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
        e = ast.Call(name(self.context.use("block", function)), [name(v) for v in parameters], [])
        targets: list[ast.expr] = [ast.Name(v, ast.Store()) for v in results]
        self.context.scope.local |= set(results)
        yield at(ast.Assign([ast.Tuple(targets, ast.Store())], ast.copy_location(e, body[0])), body[0])
        for kind in jumps:
            test = expression("j == k", j=results[-1], k=constant(kind))
            yield at(ast.If(test, [at(JUMPS[kind](), body[0])], []), body[0])

    def refuse_shared(self, s: ast.stmt) -> None:
        """What a block collects in is another list, dict or object after it: nobody else may hold the old one."""
        for v in set(self.span.changed) - set(self.span.viewed):
            if any(self.hands_on(x, v) for x in walk_scope(self.f)):
                raise self.context.refuse(
                    s, f"a block that changes a gradient in part and '{v}'", f"'{v}' is handed on before",
                    "Take the second derivative without what is collected, or bind the gradient to a new one.",
                )  # fmt: skip

    def hands_on(self, node: ast.AST, v: str) -> bool:
        match node:
            case ast.Tuple(elts=elts, ctx=ast.Load()) | ast.List(elts=elts, ctx=ast.Load()):
                return any(isinstance(e, ast.Name) and e.id == v and not self.is_inside(e) for e in elts)
            case ast.Assign(value=ast.Name(id=read)) | ast.Return(value=ast.Name(id=read)):
                return read == v and not self.is_inside(node)
            case _:
                return False

    def function(self, body: list[ast.stmt], results: list[str], jumps: bool) -> types.FunctionType:
        source = self.context.source
        known = _made.setdefault(source.function, {})
        key = source.function.__code__, self.span
        if key not in known:
            known[key] = self.made(body, results, jumps)
        return known[key]

    def made(self, body: list[ast.stmt], results: list[str], jumps: bool) -> types.FunctionType:
        source, scope = self.context.source, self.context.scope
        whole = at(function_node("block", _parameters([]), _giving(body, results, jumps)), body[0])
        free = free_variables(whole)
        local = own_variables(self.f) - set(scope.imports)
        rebound = [v for v in (*self.span.parts, *self.carried) if v in assigned_inside(body)]
        tree = replace(whole, args=_parameters([*(v for v in free if v in local), *rebound]))
        cells = {**scope.cells, **{v: types.CellType(m) for v, m in scope.imports.items()}}
        made = stub(source.function, tree, {v: cells[v] for v in free if v in cells}, source.file)
        made.__name__, made.__qualname__ = "block", f"scope.<locals>.{self.f.name}.<locals>.block"
        made.__defaults__ = None
        return remembering(made, entry=True, lists=True, arrays=True)


def _parameters(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(v) for v in names], None, [], [], None, [])


def _is_bound_first(v: str, body: list[ast.stmt]) -> bool:
    """Whether a block binds a name before it reads it, whichever way it takes."""
    for s in body:
        if v in expression_reads(s):
            return False
        if isinstance(s, (ast.Assign, ast.Import, ast.ImportFrom, ast.FunctionDef)) and v in assigned_inside([s]):
            return True
    return False


def _giving(body: list[ast.stmt], results: list[str], jumps: bool) -> list[ast.stmt]:
    """The statements of a function that gives back what a block makes, and how it is left."""
    names = results[:-1] if jumps else results

    def leave(s: ast.stmt, jump: str = "") -> ast.stmt:
        parts: list[ast.expr] = [name(v) for v in names]
        given = ast.Tuple([*parts, constant(jump)] if jumps else parts, ast.Load())
        return at(ast.Return(ast.copy_location(given, s)), s)

    def block(inner: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(s) for s in inner]

    def statement(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.Break():
                return leave(s, "break")
            case ast.Continue():
                return leave(s, "continue")
            case ast.For(orelse=orelse) | ast.While(orelse=orelse) | ast.AsyncFor(orelse=orelse):
                return replace(s, orelse=block(orelse))
            case _:
                return with_blocks(s, block)

    return [*block(body), leave(body[-1])]
