"""Nested functions that choose by the class of their first argument: the choice is written out.

@singledispatch                   def f_other(v):
def f(v):                             return v
    return v                      def f_list(v):
@f.register              ->           return sum(f(u) for u in v)
def _(v: list):                   def f(v):
    return sum(f(u) for u in v)       kind = [k for k in type(v).__mro__ if k in (list, object)][0]
                                      if kind is list: return f_list(v)
                                      return f_other(v)

Only where all functions are registered by decorators in the block of the first one, for classes that objects are made
of, and where nobody asks for it before.
"""

from __future__ import annotations

import abc
import ast
import functools
import types

from tangent.source.memos import meaning
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, expression, name
from tangent.syntax.rebuild import function_node, replace, with_blocks
from tangent.syntax.walk import walk


def with_choices_by_class(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition in which what `functools.singledispatch` does is a branch."""
    if not any(isinstance(n, ast.FunctionDef) and n.decorator_list for n in walk(tree) if n is not tree):
        return tree
    names = Names(identifiers(tree))

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        for s in body:
            match s:
                case ast.FunctionDef(decorator_list=[d]) if meaning(d, tree, function) is functools.singledispatch:
                    body = _written_out(s, body, tree, function, names)
        return [with_blocks(s, block) for s in body]

    return replace(tree, body=block(tree.body))


def _written_out(
    s: ast.FunctionDef, body: list[ast.stmt], tree: ast.FunctionDef, function: types.FunctionType, names: Names
) -> list[ast.stmt]:
    """The block with the functions under names of their own, and the choice where the last one stands."""
    found = {x: kind for x in body if isinstance(x, ast.FunctionDef) and (kind := _registered(x, s.name)) is not None}
    first, last = body.index(s), max((body.index(x) for x in found), default=0)
    between = [x for x in body[first:last] if not isinstance(x, ast.FunctionDef)]
    if (
        not found or s.args.vararg or s.args.kwarg or not (s.args.posonlyargs or s.args.args)
        or not all(_is_class(kind, tree, function) for kind in found.values())
        or any(s.name in identifiers(x) for x in between) or _asked_for(s, list(found), tree)
    ):  # fmt: skip
        return body
    titles = {x: names.fresh(f"{s.name}_{ast.unparse(kind).split('.')[-1]}") for x, kind in found.items()}
    other = names.fresh(f"{s.name}_other")
    plain = {s: replace(s, name=other, decorator_list=[])}
    plain |= {x: replace(x, name=title, decorator_list=[]) for x, title in titles.items()}
    chosen = _choice(s, other, {titles[x]: kind for x, kind in found.items()}, names)
    new = [plain.get(x, x) if isinstance(x, ast.FunctionDef) else x for x in body]
    return [*new[: last + 1], chosen, *new[last + 1 :]]


def _registered(x: ast.FunctionDef, title: str) -> ast.expr | None:
    """The class that a function is registered for."""
    match x.decorator_list:
        case [ast.Attribute(value=ast.Name(id=v), attr="register")] if v == title:
            first = [*x.args.posonlyargs, *x.args.args][:1]
            return first[0].annotation if first else None
        case [ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="register"), args=[kind])] if v == title:
            return kind
        case _:
            return None


def _is_class(kind: ast.expr, tree: ast.FunctionDef, function: types.FunctionType) -> bool:
    """Whether a class is among the parents of all objects that count as its own: others may be told to."""
    found = meaning(kind, tree, function)
    if any(isinstance(n, ast.ClassDef) and n.name == ast.unparse(kind) and not n.keywords for n in walk(tree)):
        return True
    return isinstance(found, type) and not isinstance(found, abc.ABCMeta)


def _asked_for(s: ast.FunctionDef, found: list[ast.FunctionDef], tree: ast.FunctionDef) -> bool:
    """Whether anybody looks into the generic function, or calls those that it is made of."""
    said = {n for x in found for d in x.decorator_list for n in walk(d)}
    asked = {
        n.value.id
        for n in walk(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n not in said
    }
    read = {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return s.name in asked or not read.isdisjoint({x.name for x in found} - {s.name})


def _choice(s: ast.FunctionDef, other: str, titles: dict[str, ast.expr], names: Names) -> ast.FunctionDef:
    given = [a.arg for a in (*s.args.posonlyargs, *s.args.args)]
    more = [ast.keyword(a.arg, name(a.arg)) for a in s.args.kwonlyargs]
    kind, k = names.fresh("kind"), names.fresh("k")
    kinds = ast.Tuple([*titles.values(), name("object")], ast.Load())
    asked = expression("[k for k in type(v).__mro__ if k in kinds][0]", k=k, v=given[0], kinds=kinds)

    def passed(title: str) -> ast.stmt:
        return ast.Return(ast.Call(name(title), [name(v) for v in given], more))

    body: list[ast.stmt] = [assign(kind, asked, s)]
    body += [ast.If(expression("a is b", a=kind, b=e), [passed(v)], []) for v, e in titles.items()]
    body.append(passed(other))
    for x in (n for b in body for n in ast.walk(b)):
        if isinstance(x, (ast.stmt, ast.expr)):
            ast.copy_location(x, s)
    return ast.copy_location(function_node(s.name, s.args, body), s)
