"""Functions that tell what they raise: where a handler looks into an exception, its values come back as a result.

def search(x):                             def search(x):
    if x > 1: raise Found(x * x)     ->        if x > 1: return Found, (x * x,), (("value", 0),)
    return x                                   return None, x, ()

The class and None in its place tell which of both it is; the names say which of the values an attribute is.
"""

from __future__ import annotations

import ast
import inspect
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tangent.errors import TangentError
from tangent.runtime.classes import TELLING
from tangent.runtime.library import told_by, told_by_parent
from tangent.source.cells import cells_of
from tangent.source.generators import is_generator
from tangent.source.giving import methods_named
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import MISSING, Scope
from tangent.source.stubs import stub
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, arguments, assigned_inside
from tangent.syntax.walk import walk

Body = list[ast.stmt]
Resolve = Callable[[ast.expr], Any]
SOMETIMES = (*COMPREHENSIONS, ast.Lambda, ast.IfExp, ast.BoolOp, ast.NamedExpr)
_known: weakref.WeakKeyDictionary[types.FunctionType, dict[types.CodeType, types.FunctionType | None]]
_known = weakref.WeakKeyDictionary()


def telling(function: Any) -> types.FunctionType | None:
    """The function that tells what another one raises; None where that raises nothing that it could tell."""
    if not isinstance(function, types.FunctionType) or is_library(function) or is_generator(function):
        return None
    known = _known.setdefault(function, {})
    if function.__code__ not in known:
        known[function.__code__] = None  # one that calls itself
        known[function.__code__] = _made(function)
    return known[function.__code__]


def _made(function: types.FunctionType) -> types.FunctionType | None:
    try:
        source = read(function)
    except TangentError:
        return None
    tree = source.tree
    own = assigned_inside(tree.body) | {a.arg for a in arguments(tree.args)}
    writer = Telling(tree, Scope(function, own).resolve, function)
    body = writer.whole(tree.body)
    if not writer.raises:
        return None
    itself = types.CellType()
    cells = {**cells_of(function), **writer.cells, writer.itself: itself}
    made = stub(function, replace(tree, body=body, returns=None, decorator_list=[]), cells, source.file)
    made.__kwdefaults__ = function.__kwdefaults__
    made.captures = tuple(v for v in function.__code__.co_freevars)  # type: ignore[attr-defined]
    itself.cell_contents = made
    made.raises = frozenset(writer.raises)  # type: ignore[attr-defined]
    return made


def raised(s: ast.stmt, resolve: Resolve) -> tuple[type[BaseException], ast.expr, list[ast.expr]] | None:
    """The class of an exception that is made where it is raised, and what it is made from."""
    match placed(s, resolve):
        case ast.Raise(exc=ast.Call(func=func, args=args, keywords=[])):
            given = args
        case ast.Raise(exc=ast.Name() | ast.Attribute() as func):
            given = []
        case _:
            return None
    found = resolve(func)
    plain = isinstance(found, type) and not any(isinstance(a, ast.Starred) for a in given)
    return (found, func, given) if plain and issubclass(found, BaseException) else None


def placed(s: ast.stmt, resolve: Resolve) -> ast.stmt:
    """`raise Error(v, code=n)` as `raise Error(v, n)`, where the class says in Python what it takes, in this order."""
    match s:
        case ast.Raise(exc=ast.Call(func=func, args=args, keywords=[_, *_] as keywords) as e):
            method = inspect.getattr_static(resolve(func), "__init__", None)
            if not isinstance(method, types.FunctionType) or any(isinstance(a, ast.Starred) for a in args):
                return s
            names = method.__code__.co_varnames[1 : method.__code__.co_argcount]
            if [k.arg for k in keywords] != list(names[len(args) :][: len(keywords)]):
                return s
            return replace(s, exc=replace(e, args=[*args, *(k.value for k in keywords)], keywords=[]))
        case _:
            return s


def brings(cls: type[BaseException], count: int) -> ast.expr:
    """Which of the values that an exception is made from its attributes are, and the items of its `args`."""
    return ast.Tuple(
        [ast.Tuple([constant(k), constant(i)], ast.Load()) for k, i in _brought(cls, count)], ast.Load()
    )  # fmt: skip


def _brought(cls: type[BaseException], count: int) -> Iterator[tuple[str, int]]:
    method = inspect.getattr_static(cls, "__init__", None)
    own = [c for c in cls.__mro__ if not is_library(c)]
    if any(v in vars(c) for c in own for v in ("__new__", "__setattr__", "args")):
        return
    if not isinstance(method, types.FunctionType):
        yield "args", -1
        yield from ((f"args{i}", i) for i in range(count))
        if issubclass(cls, StopIteration):
            yield "value", 0
        return
    try:
        tree = read(method).tree
    except TangentError:
        return
    me, *parameters = [a.arg for a in tree.args.args]
    given = [v for v in parameters[:count] if v not in assigned_inside(tree.body)]
    stored = [n.attr for n in walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
    for target, value in assigned_parts(tree.body):
        match target, value:
            case ast.Attribute(value=ast.Name(id=owner), attr=attr), ast.Name(id=v):
                if owner == me and v in given and stored.count(attr) == 1 and not hasattr(cls, attr):
                    yield attr, parameters.index(v)
    for s in tree.body:
        match s:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="__init__", value=ast.Call(func=parent)), args=args)):
                if isinstance(parent, ast.Name) and parent.id == "super" and _is_plain_parent(cls):
                    places = [parameters.index(a.id) if isinstance(a, ast.Name) and a.id in given else -1 for a in args]
                    yield from ((f"args{i}", k) for i, k in enumerate(places) if k >= 0)
                    if places == list(range(count)):
                        yield "args", -1


def assigned_parts(body: Body) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is assigned, and what to: of several at once, each."""
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=slots)], value=ast.Tuple(elts=values)) if len(slots) == len(values):
                yield from zip(slots, values)
            case ast.Assign(targets=[target], value=value):
                yield target, value


def _is_plain_parent(cls: type[BaseException]) -> bool:
    """Whether the classes above keep what they are given as `args`."""
    above = next(c for c in cls.__mro__ if "__init__" in vars(c)).__mro__[1:]
    return not any(isinstance(vars(c).get("__init__"), types.FunctionType) for c in above)


def is_passed_on(h: ast.ExceptHandler) -> bool:
    """Whether a handler does nothing but raise again what it has caught."""
    match h.body:
        case [ast.Raise(exc=None)]:
            return True
        case [ast.Raise(exc=ast.Name(id=v), cause=None)]:
            return v == h.name
        case _:
            return False


def without_last_handler(s: ast.Try) -> Body:
    """`try` without its last handler; nothing is left of one that has no other."""
    if len(s.handlers) > 1:
        return [replace(s, handlers=s.handlers[:-1])]
    inner = [*s.body, *s.orelse]
    return [replace(s, body=inner, handlers=[], orelse=[])] if s.finalbody else inner


def _told(value: ast.expr | None = None) -> ast.expr:
    return ast.Tuple([constant(None), value or constant(None), ast.Tuple([], ast.Load())], ast.Load())


def sole_calls(e: ast.expr, is_wanted: Callable[[ast.Call], bool]) -> bool:
    """Whether an expression calls a function that is wanted, and each such call happens surely and once."""
    inner = {n for x in walk(e) if isinstance(x, SOMETIMES) for n in walk(x)}
    wanted = [n for n in walk(e) if isinstance(n, ast.Call) and is_wanted(n)]
    return (
        bool(wanted)
        and not inner & set(wanted)
        and not any(isinstance(n, ast.Compare) and len(n.ops) > 1 for n in walk(e))
    )


def tellable(e: ast.Call, resolve: Resolve, function: types.FunctionType) -> list[types.FunctionType]:
    """The functions that tell among those that a call may mean; of methods, those that the module names."""
    found = resolve(e.func)
    if found is not MISSING or not isinstance(e.func, ast.Attribute):
        return [inner for inner in [telling(found)] if inner is not None]
    return [inner for m in methods_named(e.func.attr, function) if (inner := telling(m)) is not None]


def asking_call(
    e: ast.Call, inner: types.FunctionType, resolve: Resolve, use: Callable[[str, Any], str],
    function: types.FunctionType, memory: str = "",
) -> ast.expr:  # fmt: skip
    """A call of a function that tells; of a method, one that finds out which it is."""
    if resolve(e.func) is not MISSING or not isinstance(e.func, ast.Attribute):
        return replace(e, func=ast.copy_location(name(use(inner.__name__, inner)), e.func))
    if is_super(e.func.value):
        cls = cells_of(function)["__class__"].cell_contents
        first = next(v for v in function.__code__.co_varnames if v != memory)
        owner = [name(use(cls.__name__, cls)), name(first), constant(e.func.attr)]
        asked = ast.copy_location(name(use("told_by_parent", told_by_parent)), e.func)
        return replace(e, func=asked, args=[*owner, *e.args])
    given = [e.func.value, constant(e.func.attr), *e.args]
    return replace(e, func=ast.copy_location(name(use("told_by", told_by)), e.func), args=given)


def is_super(e: ast.expr) -> bool:
    """Whether an expression is `super()`."""
    return isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id == "super" and not e.args


TELLING.append(telling)


class Hoisting:
    """Statements whose calls of functions that tell come first, each followed by what is done where it tells."""

    names: Names

    def asking(self, e: ast.Call) -> ast.expr | None:
        """A call of what tells, in place of a call of a function."""
        raise NotImplementedError

    def leaving(self, told: str, s: ast.stmt) -> Body:
        """What happens where something was raised."""
        raise NotImplementedError

    def fresh(self, base: str) -> str:
        return self.names.numbered(base)

    def opened(self, s: ast.stmt) -> Body:
        """The statement, with the calls in it before it, in their order."""
        match s:
            case ast.Assign(value=e) | ast.AugAssign(value=e, target=ast.Name()) | ast.Expr(value=e):
                value = e
            case ast.Return(value=ast.expr() as e) | ast.AnnAssign(value=ast.expr() as e):
                value = e
            case _:
                return [s]
        if not sole_calls(value, lambda c: self.asking(c) is not None):
            return [s]
        before: Body = []

        def change(x: ast.expr) -> ast.expr:
            if not isinstance(x, ast.Call) or is_super(x):
                return x
            asked = self.asking(x)
            held = self.fresh("told" if asked is not None else "t")
            before.append(assign(held, asked or x, s))
            if asked is None:
                return name(held)
            test = expression("t[0] is not None", t=held)
            before.append(at(ast.If(test, self.leaving(held, s), []), s))
            return expression("t[1]", t=held)

        last = replace(s, value=rebuild(value, change))
        return [*before, last]


class Telling(Hoisting):
    """Rewrites the body of a function into one that tells."""

    def __init__(self, tree: ast.FunctionDef, resolve: Resolve, function: types.FunctionType) -> None:
        self.resolve, self.names, self.function = resolve, Names(identifiers(tree)), function
        self.cells: dict[str, types.CellType] = {}
        self.raises: set[type] = set()
        self.itself = self.names.fresh(tree.name)
        self.caught: list[Any] = []  # what is caught around

    def asking(self, e: ast.Call) -> ast.expr | None:
        if self.resolve(e.func) is self.function and not self.caught:
            return replace(e, func=ast.copy_location(name(self.itself), e.func))
        functions = tellable(e, self.resolve, self.function)
        classes = {c for g in functions for c in g.raises}  # type: ignore[attr-defined]
        if not functions or not self.leaves(classes):
            return None
        self.raises |= classes
        return asking_call(e, functions[0], self.resolve, self.use, self.function)

    def use(self, base: str, value: Any) -> str:
        known = next((v for v, cell in self.cells.items() if cell.cell_contents is value), None)
        if known is None:
            known = self.names.fresh(base)
            self.cells[known] = types.CellType(value)
        return known

    def leaving(self, told: str, s: ast.stmt) -> Body:
        return [at(ast.Return(name(told)), s)]

    def leaves(self, raised: Iterable[type]) -> bool:
        """Whether exceptions of some classes are surely not caught around."""
        return all(isinstance(c, type) and not issubclass(r, c) for r in raised for c in self.caught)

    def whole(self, body: Body) -> Body:
        """The body of the function, with what it tells where it comes to its end."""
        return [*self.block(body, True), at(ast.Return(_told()), body[-1])]

    def block(self, body: Body, free: bool) -> Body:
        """A block; `free` where nothing around it catches or watches what is raised."""
        return [new for s in body for new in self.statement(s, free)]

    def statement(self, s: ast.stmt, free: bool) -> Body:
        match s:
            case ast.FunctionDef() | ast.ClassDef():
                return [s]
            case ast.Try(handlers=[*_, h]) if is_passed_on(h):
                return self.block(without_last_handler(s), free)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=last):
                tried = self.tried(body, handlers, free)
                caught = [replace(h, body=self.block(h.body, free)) for h in handlers]
                return [replace(s, body=tried, handlers=caught, orelse=self.block(orelse, free),
                                finalbody=self.block(last, False))]  # fmt: skip
            case ast.With(body=body):
                return [replace(s, body=self.block(body, False))]
            case ast.Raise() if free and (found := raised(s, self.resolve)) is not None and self.leaves([found[0]]):
                cls, func, given = found
                self.raises.add(cls)
                told = [func, ast.Tuple(given, ast.Load()), brings(cls, len(given))]
                return [at(ast.Return(ast.Tuple(told, ast.Load())), s)]
            case ast.If() | ast.For() | ast.While() | ast.Match():
                return [with_blocks(s, lambda b: self.block(b, free))]
        *before, end = self.opened(s) if free else [s]
        if isinstance(end, ast.Return):
            end = replace(end, value=_told(end.value))
        return [*before, end]

    def tried(self, body: Body, handlers: list[ast.ExceptHandler], free: bool) -> Body:
        """The body of a `try`: what its handlers catch stays an exception."""
        around = self.caught
        for h in handlers:
            types_ = h.type.elts if isinstance(h.type, ast.Tuple) else [h.type]
            self.caught = [*self.caught, *(BaseException if t is None else self.resolve(t) for t in types_)]
        found = self.block(body, free)
        self.caught = around
        return found
