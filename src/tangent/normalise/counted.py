"""Functions that hand a tuple on item by item get the items: `*args`, and tuples that are written out.

def end(y, a, b):                          def end(y, a, b):
    return euler(slope, y, a, b)               return euler(slope, y, a, b)

def euler(f, y, *args):             ->     def euler(f, y, args0, args1):
    for _ in range(9):                         args = (args0, args1)
        y = y + 0.1 * f(y, *args)              for _ in range(9):
    return y                                       y = y + 0.1 * f(y, *args)

How many items a star brings is then known inside, too (`starred`), and so is which function gets them.
"""

from __future__ import annotations

import ast
import inspect
import types
import weakref
from collections.abc import Mapping
from typing import Any

from tangent.normalise.context import Context
from tangent.normalise.handed import taker_of
from tangent.normalise.starred import Tuples
from tangent.source.read import read
from tangent.source.signatures import own_signature
from tangent.source.stubs import stub
from tangent.syntax.captured import bindings
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import replace, statements, with_blocks
from tangent.syntax.walk import walk

Counts = tuple[tuple[str, int], ...]  # by parameter, how many items it has
Body = list[ast.stmt]
_made: weakref.WeakKeyDictionary[types.FunctionType, dict[Any, tuple[Any, types.FunctionType]]] = (
    weakref.WeakKeyDictionary()
)


def counted(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not any(isinstance(s, (ast.Assign, ast.Expr)) and isinstance(s.value, ast.Call) for s in statements(f.body)):
        return f
    tuples = Tuples(f)

    def block(body: Body) -> Body:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> Body:
        match s:
            case ast.Assign(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call):
                taker = taker_of(call, context.scope, context.has_rule)
                counts = _counts(call, taker, tuples.lengths) if taker is not None else ()
                return [s] if taker is None or not counts else _opened(s, call, taker, counts, tuples, context)
            case _:
                return [with_blocks(s, block)]

    return replace(f, body=block(f.body))


def _counts(call: ast.Call, taker: types.FunctionType, lengths: dict[str, int]) -> Counts:
    """The parameters that the callee hands on item by item, with the number of items that this call gives them."""
    own = _handed_on(taker)
    found: dict[str, int] = {}
    for p, given in _bound(call, taker).items():
        match given:
            case tuple():
                found[p] = len(given)
            case ast.Name(id=v) if v in lengths:
                found[p] = lengths[v]
    return tuple((p, n) for p, n in found.items() if p in own)


def _handed_on(taker: types.FunctionType) -> set[str]:
    """The names that a function hands on item by item, and does not bind anew."""
    tree = read(taker).tree
    spread = {n.value.id for n in walk(tree) if isinstance(n, ast.Starred) and isinstance(n.value, ast.Name)}
    bound = bindings(tree)
    return {v for v in spread if bound[v] == 1}


def with_counted(function: types.FunctionType, count: int) -> types.FunctionType:
    """The function that takes what its star does one by one, where it is called with so many arguments."""
    code = function.__code__
    if not code.co_flags & inspect.CO_VARARGS or function.__closure__ or function.__dict__:
        return function
    star = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
    more = count - code.co_argcount
    return _taking(function, ((star, more),)) if more >= 0 and star in _handed_on(function) else function


def _bound(call: ast.Call, taker: types.FunctionType) -> dict[str, Any]:
    """What the parameters get; a tuple for those that a star takes."""
    signature = own_signature(taker)
    try:
        bound = signature.bind(*call.args, **{k.arg or "": k.value for k in call.keywords})
    except TypeError:  # Python says so when the call happens
        return {}
    kinds = {p: q.kind for p, q in signature.parameters.items()}
    star = {p: () for p, kind in kinds.items() if kind is inspect.Parameter.VAR_POSITIONAL}
    found = star | bound.arguments
    return {p: found[p] for p in kinds if p in found}


def _opened(
    s: ast.Assign | ast.Expr, call: ast.Call, taker: types.FunctionType, counts: Counts, tuples: Tuples,
    context: Context,
) -> Body:  # fmt: skip
    """The call of the function that takes the items, after statements that take them out of tuples."""
    before: Body = []
    args: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    parameters = own_signature(taker).parameters
    given, items = _bound(call, taker), _items(taker, counts)
    for p, e in given.items():
        if parameters[p].kind is inspect.Parameter.VAR_POSITIONAL:
            args += e
        elif p in items:
            first, parts = tuples.items(e, context)
            before += [at(x, s) for x in first]
            keywords += [ast.keyword(v, x) for v, x in zip(items[p], parts)]
        elif parameters[p].kind is inspect.Parameter.KEYWORD_ONLY or len(args) < _place(p, parameters, items):
            keywords.append(ast.keyword(p, e))  # behind one that is left out
        else:
            args.append(e)
    func = ast.copy_location(name(context.use(taker.__name__, _taking(taker, counts))), call.func)
    return [*before, replace(s, value=replace(call, func=func, args=args, keywords=keywords))]


def _place(p: str, parameters: Mapping[str, inspect.Parameter], items: dict[str, list[str]]) -> int:
    """How many arguments stand before that of a parameter, where none is left out."""
    return [q for q in parameters if q not in items].index(p)


def _items(taker: types.FunctionType, counts: Counts) -> dict[str, list[str]]:
    """The names of the new parameters, by the old ones."""
    names = Names(identifiers(read(taker).tree))
    return {p: [names.fresh(f"{p}{k}") for k in range(n)] for p, n in counts}


def _taking(taker: types.FunctionType, counts: Counts) -> types.FunctionType:
    """The function that takes the items."""
    known = _made.setdefault(taker, {})
    key = (taker.__code__, counts)
    if key not in known or known[key][0] is not taker.__defaults__:
        known[key] = taker.__defaults__, _written(taker, _items(taker, counts))
    return known[key][1]


def _written(taker: types.FunctionType, items: dict[str, list[str]]) -> types.FunctionType:
    source = read(taker)
    tree, args = source.tree, source.tree.args
    star = args.vararg.arg if args.vararg is not None and args.vararg.arg in items else ""
    places = [*args.posonlyargs, *args.args]
    start = len(places) - len(args.defaults)
    left = [i for i, a in enumerate(places[start:]) if a.arg not in items and not items.get(star)]
    named = [(a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults) if a.arg not in items]
    new = [(ast.arg(v), None) for p, own in items.items() if p != star for v in own]
    own = replace(
        args,
        posonlyargs=[a for a in args.posonlyargs if a.arg not in items],
        args=[*(a for a in args.args if a.arg not in items), *map(ast.arg, items.get(star, []))],
        vararg=None if star else args.vararg,
        defaults=[args.defaults[i] for i in left],
        kwonlyargs=[a for a, _ in (*new, *named)],
        kw_defaults=[d for _, d in (*new, *named)],
    )
    packed = [at(assign(p, ast.Tuple([name(v) for v in own], ast.Load())), tree) for p, own in items.items()]
    first = tree.body[:1] if ast.get_docstring(tree) is not None else []
    body = [*first, *packed, *tree.body[len(first) :]]
    made = stub(taker, replace(tree, args=own, body=body), {}, source.file)
    made.__name__, made.__qualname__ = taker.__name__, taker.__qualname__
    made.__defaults__ = tuple((taker.__defaults__ or ())[i] for i in left) or None
    made.__kwdefaults__ = {p: d for p, d in (taker.__kwdefaults__ or {}).items() if p not in items} or None
    return made
