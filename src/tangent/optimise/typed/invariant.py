"""Elements that stay the same place all through a loop, held in a number meanwhile.

for j in range(k + 1, n):                 total = b[i, k]
    b[k, j] += w * a[i, k]                c = a[i, k]
    b[i, k] += w * a[k, j]          ->    for j in range(k + 1, n):
                                              b[k, j] += w * c
                                              total += w * a[k, j]
                                          b[i, k] = total

The loop may not run at all: so the element must be one that is surely there. Where others in the loop may be the same
element, and all of them only add to it, the sum is added to it after the loop:

for j in range(n):                        total = 0.0
    b[j] += w * a[j]                      for j in range(n):
    b[i] -= w                       ->        b[j] += w * a[j]
                                              total -= w
                                          if total != 0.0:
                                              b[i] += total
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tangent.optimise.typed.affine import Sum
from tangent.optimise.typed.cells import is_plain, only_computes
from tangent.optimise.typed.reach import Access, Nest, accesses, limits
from tangent.syntax.names import Names
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, constant, name, quote
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import expression_reads, writes

Element = tuple[str, str]


def invariant(body: list[ast.stmt], own: frozenset[str], read: frozenset[str], fixed: frozenset[str],
              floats: frozenset[str], names: Names) -> list[ast.stmt]:  # fmt: skip
    """`own`: arrays that have one name; `read`: arguments that are only read; `fixed`: names that keep their value;
    `floats`: arrays in double precision."""
    return _Holding(own, read, fixed, floats, names).run(body)


@dataclass
class _Holding:
    own: frozenset[str]
    read: frozenset[str]
    fixed: frozenset[str]
    floats: frozenset[str]
    names: Names

    def run(self, body: list[ast.stmt]) -> list[ast.stmt]:
        self.known = accesses(body, self.fixed, self.own | self.read)
        return self.block(body, ())

    def block(self, body: list[ast.stmt], nest: Nest) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            match s:
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self.block(then, nest), orelse=self.block(other, nest)))
                case ast.For() if not _holds_loops(s) and limits(s) is not None:
                    done += self.loop(s, nest, body)
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(_like(s, self.block(inner, (*nest, s))))
                case _:
                    done.append(s)
        return done

    def loop(self, loop: ast.For, nest: Nest, around: list[ast.stmt]) -> list[ast.stmt]:
        inside = [s for s in loop.body if not isinstance(s, Comment)]
        if not all(isinstance(s, (ast.Assign, ast.AugAssign)) and only_computes(s) for s in inside):
            return [loop]
        varying = {v for s in (loop, *inside) for v in writes(s)}
        mine = [a for a in (*self.known.reads, *self.known.stores) if loop in a.nest]
        before: list[ast.stmt] = []
        after: list[ast.stmt] = []
        changes: dict[Element, str] = {}
        sums: dict[Element, str] = {}
        for a in mine:
            place = _place(a, varying)
            key = (a.array, place)
            if not place or key in changes or key in sums:
                continue
            same = [b for b in mine if b.array == a.array and _place(b, varying) == place]
            others = [b for b in mine if b.array == a.array and b not in same]
            depth = len(nest)
            if all(b.adds for b in same):
                if a.array not in self.own:
                    continue
                alone = not any(self.known.together(a, b, depth, later=False) for b in others)
                if (alone and not self.is_there(a, around)) or not (alone or self.only_grows(a, others)):
                    continue
                sums[key] = self.names.numbered("total")
                first, last = _held_alone(a, sums[key]) if alone else _added_later(a, sums[key])
                before.append(at(first, loop))
                after.append(at(last, loop))
            elif not any(b in self.known.stores for b in same):
                stores = [b for b in others if b in self.known.stores]
                if any(self.known.together(a, b, depth, later=False) for b in stores):
                    continue
                if not self.is_there(a, around):
                    continue
                changes[key] = self.names.numbered("c")
                before.append(at(assign(changes[key], _element(a, ast.Load())), loop))
        if not before:
            return [loop]
        body = [_held(s, changes, sums) for s in loop.body]
        return [*before, _like(loop, body), *after]

    def only_grows(self, a: Access, others: list[Access]) -> bool:
        """Whether all that touches an array of floats in the loop adds to it."""
        return a.array in self.floats and all(b.adds for b in others)

    def is_there(self, a: Access, around: list[ast.stmt]) -> bool:
        """Whether an element exists even if the loop does not run: by its bounds, or because it is used beside it."""
        if self.known.within(a):
            return True
        sizes = self.sizes(a)
        beside = [b for b in (*self.known.reads, *self.known.stores) if b.statement in around]
        return any(b.index is not None and _text(b) == _text(a) and self.sizes(b) == sizes for b in beside)

    def sizes(self, a: Access) -> list[Sum]:
        axes = range(len(a.index or ()))
        return [self.known.lengths.get(text, {text: 1}) for text in (f"{a.array}.shape[{k}]" for k in axes)]


def _held_alone(a: Access, total: str) -> tuple[ast.stmt, ast.stmt]:
    """An element that nothing else in the loop touches: before it, and after."""
    return assign(total, _element(a, ast.Load())), ast.Assign([_element(a, ast.Store())], name(total))


def _added_later(a: Access, total: str) -> tuple[ast.stmt, ast.stmt]:
    """A sum that is added where it is none: others in the loop may add to the element, too, and nothing reads it."""
    add = quote("if total != 0.0:\n    element += total", total=total, element=_element(a, ast.Store()))
    return assign(total, constant(0.0)), add


def _holds_loops(loop: ast.For) -> bool:
    return any(isinstance(s, (ast.For, ast.While)) for s in statements(loop.body))


def _like(s: ast.For | ast.While, body: list[ast.stmt]) -> ast.stmt:
    new = replace(s, body=body)
    if getattr(s, "lowered", False):
        new.lowered = True  # type: ignore[union-attr]
    return new


def _text(a: Access) -> str:
    return ", ".join(ast.unparse(p) for p in a.index or ())


def _place(a: Access, varying: set[str]) -> str:
    """The text of an index that does not change in the loop."""
    if a.index is None or not all(is_plain(p) and not expression_reads(p) & varying for p in a.index):
        return ""
    return _text(a)


def _element(a: Access, ctx: ast.expr_context) -> ast.Subscript:
    assert a.index is not None
    index = a.index[0] if len(a.index) == 1 else ast.Tuple(list(a.index), ast.Load())
    return ast.Subscript(name(a.array), index, ctx)


def _held(s: ast.stmt, changes: dict[Element, str], sums: dict[Element, str]) -> ast.stmt:
    match s:
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=a), slice=index)) if (a, _index(index)) in sums:
            s = replace(s, target=ast.Name(sums[a, _index(index)], ast.Store()))
        case Comment():
            return s

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Subscript(value=ast.Name(id=a), slice=index, ctx=ast.Load()) if (a, _index(index)) in changes:
                return name(changes[a, _index(index)])
            case _:
                return e

    return rebuild(s, change)


def _index(index: ast.expr) -> str:
    return ", ".join(ast.unparse(p) for p in (index.elts if isinstance(index, ast.Tuple) else [index]))
