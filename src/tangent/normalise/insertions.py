"""`with insert_grad_of(x) as dx:` becomes one statement, whose block no other pass looks into.

with insert_grad_of(x) as dx:        with insert_grad_of(x) as dx, insert_grad_of(y) as dy:
    lines                          ->    lines
    with insert_grad_of(y) as dy:        more lines
        more lines
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tangent.errors import UnsupportedError
from tangent.normalise.block_lines import block_lines
from tangent.normalise.context import Context
from tangent.runtime.insert import insert_grad_of
from tangent.runtime.writers import WRITING_METHODS
from tangent.syntax.inserted import Block, Insertion, jumps_of, root
from tangent.syntax.quote import at
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, assigned_inside, expression_reads

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


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
                return s

    def refuse(self, node: ast.AST, why: str, todo: str) -> UnsupportedError:
        return self.context.refuse(node, "'with insert_grad_of'", why, todo)

    def insertion(self, s: ast.With) -> Insertion:
        nested = list(self.nested(s.body, {n for item in s.items if (n := self.name(item))}))
        items = self.distinct([item for x in (s, *nested) for item in x.items])
        places = [self.place(item) for item in items]
        names = tuple(self.name(item) for item in items)
        body = _flat(s.body, nested)
        self.check_body(s, body)
        jumps = frozenset(jumps_of(body))
        # where a jump may leave out what comes before, the gradients stay with the names
        reads: set[str] = set().union(*(expression_reads(x) for x in (*body, *(places if jumps else ()))))
        binds = frozenset(assigned_inside(body)) - self.context.declared
        block = Block(
            names, tuple(body), block_lines(self.context.source, s, nested),
            frozenset((reads & self.context.scope.local) - self.own),
            binds | (frozenset(names) - {""}), binds, jumps,
        )  # fmt: skip
        return at(Insertion(places, block), s)

    def nested(self, body: list[ast.stmt], bound: set[str]) -> Iterator[ast.With]:
        """The insertions in a block that are of variables of the function, not of gradients that the block has."""
        for s in body:
            for node in (s, *walk_scope(s)) if not isinstance(s, SCOPES) else ():
                if isinstance(node, ast.With) and _is_insertion(node, self.context):
                    if not any(root(_argument(item)) in bound for item in node.items):
                        yield node

    def distinct(self, items: list[ast.withitem]) -> list[ast.withitem]:
        """The items, each gradient once; two names for one gradient, or one for two, would not be told apart."""
        found: dict[str, ast.withitem] = {}
        for item in items:
            place, n = ast.unparse(_argument(item)), self.name(item)
            other = found.setdefault(place, item)
            if self.name(other) != n:
                raise self.refuse(item.context_expr, f"the gradient of '{place}' has two names", "Give it one name.")
            if n and any(self.name(x) == n for p, x in found.items() if p != place):
                raise self.refuse(item.context_expr, "two gradients have one name", "Give each a name of its own.")
        return list(found.values())

    def place(self, item: ast.withitem) -> ast.expr:
        if not _inserts(item, self.context):
            raise self.refuse(item.context_expr, "another context manager stands beside it", "Use a 'with' of its own.")
        e = _argument(item)
        if root(e) not in self.context.scope.local:
            raise self.refuse(
                item.context_expr, "it takes a variable of the function, an attribute or an item of one",
                "Assign the value to a variable first.",
            )  # fmt: skip
        for v in sorted(expression_reads(e) & self.own):
            raise self.refuse(
                item.context_expr, f"it reads '{v}', which a block binds", "Use variables of the function."
            )
        return e

    def name(self, item: ast.withitem) -> str:
        match item.optional_vars:
            case None:
                return ""
            case ast.Name(id=identifier):
                return identifier
            case target:
                raise self.refuse(target, "the gradient is bound to a plain name", "Write 'as dx'.")

    def check_body(self, s: ast.With, body: list[ast.stmt]) -> None:
        for x in body:
            for node in (x, *walk_scope(x)) if not isinstance(x, SCOPES) else ():
                if isinstance(node, ast.Return):
                    raise self.refuse(
                        node, "the backward pass does not end with 'return' there",
                        "Bind the gradient to another value.",
                    )  # fmt: skip

    def refuse_clashes(self, f: ast.FunctionDef, body: list[ast.stmt]) -> None:
        """What blocks bind must not be in the way of the function's own variables."""
        used = {a.arg for a in arguments(f.args)} | assigned_inside(body) | set().union(*map(_reads, body))
        for s in _all(body):
            for v in sorted(s.block.own & used):
                raise self.refuse(
                    s, f"its block binds '{v}', which the function itself uses", "Use another name there."
                )
            both = _changed(s.block.body) & _changed(body)
            for place in sorted(p for p in both if p.split(".")[0] in s.block.reads):
                raise self.refuse(
                    s, f"its block changes '{place}', which the function itself changes",
                    "Collect in a list, dict or object that the function leaves alone.",
                )  # fmt: skip


def _reads(s: ast.stmt) -> set[str]:
    """Names read outside of inserted blocks."""
    return {n.id for n in ast.walk(s) if isinstance(n, ast.Name)}


def _changed(body: Iterable[ast.stmt]) -> set[str]:
    """What statements change in place: lists, dicts, arrays and objects, as they are written."""
    found: set[str] = set()
    for node in (n for s in body for n in ast.walk(s)):
        match node:
            case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()):
                found.add(ast.unparse(value))
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                found.add(ast.unparse(value))
            case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as value, attr=attr)):
                if attr in WRITING_METHODS:
                    found.add(ast.unparse(value))
    return found


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


def _flat(body: list[ast.stmt], nested: list[ast.With]) -> list[ast.stmt]:
    """The statements of a block, those of nested ones among them."""
    found: list[ast.stmt] = []
    for s in body:
        if s in nested:
            assert isinstance(s, ast.With)
            found += _flat(s.body, nested)
        else:
            found.append(with_blocks(s, lambda inner: _flat(inner, nested)))
    return found
