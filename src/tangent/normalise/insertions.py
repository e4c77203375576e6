"""`with insert_grad_of(x) as dx:` becomes one statement, whose block no other pass looks into.

with insert_grad_of(x) as dx:        with insert_grad_of(x) as dx, insert_grad_of(y) as dy:
    with insert_grad_of(y) as dy:  ->    lines
        lines
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tangent.errors import UnsupportedError
from tangent.normalise.context import Context
from tangent.runtime.insert import insert_grad_of
from tangent.syntax.inserted import Block, Insertion, root
from tangent.syntax.quote import at
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, assigned_inside, expression_reads

LOOPS = (ast.For, ast.While, ast.AsyncFor)


def insertions(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    found = [s for s in walk_scope(f) if isinstance(s, ast.With) and _is_insertion(s, context)]
    if not found:
        return f
    pass_ = _Insertions(context, frozenset().union(*(_own(s) for s in found)) - context.declared)
    body = pass_.block(f.body)
    pass_.refuse_clashes(f, body)
    return replace(f, body=body)


def _is_insertion(s: ast.With, context: Context) -> bool:
    return any(_inserts(item, context) for item in s.items)


def _inserts(item: ast.withitem, context: Context) -> bool:
    e = item.context_expr
    return isinstance(e, ast.Call) and context.scope.resolve(e.func) is insert_grad_of


def _own(s: ast.With) -> set[str]:
    return assigned_inside([s])


class _Insertions:
    def __init__(self, context: Context, own: frozenset[str]) -> None:
        self.context, self.own = context, own

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [self.statement(s) for s in body]

    def statement(self, s: ast.stmt) -> ast.stmt:
        match s:
            case (
                ast.If(body=body, orelse=orelse)
                | ast.For(body=body, orelse=orelse)
                | ast.While(body=body, orelse=orelse)
            ):
                return replace(s, body=self.block(body), orelse=self.block(orelse))
            case ast.With() if _is_insertion(s, self.context):
                return self.insertion(s)
            case ast.With() | ast.Match() | ast.Try():
                return with_blocks(s, self.block)
            case _:
                inner = next(
                    (n for n in walk_scope(s) if isinstance(n, ast.With) and _is_insertion(n, self.context)), None
                )
                if inner is not None:
                    word = type(s).__name__.lower()
                    raise self.refuse(inner, f"it stands inside '{word}'", f"Move it out of the '{word}'.")
                return s

    def refuse(self, node: ast.AST, why: str, todo: str) -> UnsupportedError:
        return self.context.refuse(node, "'with insert_grad_of'", why, todo)

    def insertion(self, s: ast.With) -> Insertion:
        items = list(s.items)
        inner = s
        while (
            len(inner.body) == 1 and isinstance(next_ := inner.body[0], ast.With) and self.is_same_level(next_, items)
        ):
            inner = next_
            items += inner.items
        places = [self.place(item) for item in items]
        names = tuple(self.name(item) for item in items)
        self.check_body(inner, names)
        reads: set[str] = set().union(*(expression_reads(x) for x in (*inner.body, *places)))
        binds = frozenset(assigned_inside(inner.body)) - self.context.declared
        block = Block(
            names, tuple(inner.body), self.lines(inner), frozenset((reads & self.context.scope.local) - self.own),
            binds | (frozenset(names) - {""}), binds, frozenset(_jumps(inner.body)),
        )  # fmt: skip
        return at(Insertion(places, block), s)

    def is_same_level(self, s: ast.With, outer: list[ast.withitem]) -> bool:
        """Whether an inner insertion is of variables of the function, not of gradients that the outer one binds."""
        bound = {self.name(item) for item in outer}
        return _is_insertion(s, self.context) and not any(root(_argument(item)) in bound for item in s.items)

    def place(self, item: ast.withitem) -> ast.expr:
        if not _inserts(item, self.context):
            raise self.refuse(item.context_expr, "another context manager stands beside it", "Use a 'with' of its own.")
        e = _argument(item)
        if root(e) not in self.context.scope.local:
            raise self.refuse(
                item.context_expr, "it takes a variable of the function, an attribute or an item of one",
                "Assign the value to a variable first.",
            )  # fmt: skip
        return e

    def name(self, item: ast.withitem) -> str:
        match item.optional_vars:
            case None:
                return ""
            case ast.Name(id=identifier):
                return identifier
            case target:
                raise self.refuse(target, "the gradient is bound to a plain name", "Write 'as dx'.")

    def check_body(self, s: ast.With, names: tuple[str, ...]) -> None:
        if len(set(names) - {""}) < sum(1 for n in names if n):
            raise self.refuse(s, "two gradients have one name", "Give each a name of its own.")
        for node in walk_scope(s):
            if isinstance(node, ast.Return):
                raise self.refuse(
                    node, "the backward pass does not end with 'return' there", "Bind the gradient to another value."
                )
            if isinstance(node, ast.With) and _is_insertion(node, self.context):
                if not any(root(_argument(item)) in self.own for item in node.items):
                    raise self.refuse(node, "it stands inside the block of another one", "Write them side by side.")

    def lines(self, s: ast.With) -> tuple[tuple[str, int], ...]:
        """The user's own lines, comments included; strings that go over lines have to be written anew."""
        source, first, last = self.context.source, s.body[0], s.body[-1]
        if any(isinstance(n, ast.Constant | ast.JoinedStr) and n.end_lineno != n.lineno for n in ast.walk(s)):
            return tuple((line, x.lineno) for x in s.body for line in ast.unparse(x).split("\n"))
        start = min([first.lineno, *(d.lineno for d in getattr(first, "decorator_list", ()))])
        if start == s.items[-1].context_expr.end_lineno and source.line(start)[: first.col_offset].strip():
            return ((source.line(start).encode()[first.col_offset :].decode(), start),)
        while source.line(start - 1).strip().startswith("#"):
            start -= 1
        return tuple(
            (_dedented(source.line(n), first.col_offset), n) for n in range(start, (last.end_lineno or start) + 1)
        )

    def refuse_clashes(self, f: ast.FunctionDef, body: list[ast.stmt]) -> None:
        """What blocks bind must not be in the way of the function's own variables."""
        used = {a.arg for a in arguments(f.args)} | assigned_inside(body) | set().union(*map(_reads, body))
        for s in _all(body):
            for v in sorted(s.block.own & used):
                raise self.refuse(
                    s, f"its block binds '{v}', which the function itself uses", "Use another name there."
                )


def _reads(s: ast.stmt) -> set[str]:
    """Names read outside of inserted blocks."""
    return {n.id for n in ast.walk(s) if isinstance(n, ast.Name)}


def _all(body: list[ast.stmt]) -> Iterator[Insertion]:
    for s in body:
        for n in ast.walk(s):
            if isinstance(n, Insertion):
                yield n


def _argument(item: ast.withitem) -> ast.expr:
    match item.context_expr:
        case ast.Call(args=[e], keywords=[]):
            return e
        case e:
            return e


def _dedented(line: str, columns: int) -> str:
    return line[columns:] if not line[:columns].strip() else line.lstrip()


def _jumps(body: list[ast.stmt]) -> Iterator[str]:
    """The jumps of a block that act on the loop around it."""
    for s in body:
        match s:
            case ast.Break():
                yield "break"
            case ast.Continue():
                yield "continue"
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
            case _ if isinstance(s, LOOPS):
                yield from _jumps(s.orelse)
            case _:
                for field in ("body", "orelse", "finalbody"):
                    yield from _jumps(getattr(s, field, []))
                for part in (*getattr(s, "handlers", ()), *getattr(s, "cases", ())):
                    yield from _jumps(part.body)
