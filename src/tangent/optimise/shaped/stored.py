"""What kinds become where something is written into: of one name, and of all others that may be names of it."""

from __future__ import annotations

import ast
from dataclasses import replace as with_changes

from tangent import runtime
from tangent.optimise.shaped.containers import is_filled, is_of_numbers
from tangent.optimise.shaped.infer import Inference, is_starred
from tangent.optimise.shaped.kinds import (
    FLOAT,
    UNKNOWN,
    UNSURE,
    Attributes,
    Axis,
    Fields,
    Items,
    Kind,
    Listed,
    Number,
    Stack,
    any_of,
    is_float,
    join,
)
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.records import pushed
from tangent.syntax.walk import walk

CONTAINERS = (Stack, Items, Listed, Fields, Attributes)


class Stores(Inference):
    """What is known of variables, as statements bind them and write into them."""

    looking: tuple[object, ...] = ()  # functions that keep nothing of a list
    depth: int  # of the loops around
    bindings: dict[ast.Name, int]  # the places where arrays are bound whose lengths have names of their own

    def store(self, target: ast.expr, kind: Kind) -> None:
        match target, kind:
            case ast.Name(id=v), Items(listed=True) if v in self.g.shared:
                same = any_of(kind) if is_of_numbers(kind) else None
                self.env[v] = with_changes(kind, listed=False) if same is None else Listed(same)
            case ast.Name(id=v), Number():
                self.env[v] = with_changes(kind, axes=tuple(self.axis(target, *p) for p in enumerate(kind.axes)))
            case ast.Name(id=v), _:
                self.env[v] = kind
            case ast.Tuple(elts=elts), Items(items=items) if len(items) == len(elts) and not is_starred(elts):
                for e, k in zip(elts, items):
                    self.store(e, k)
            case ast.Tuple(elts=elts), Listed(item=item) if not is_starred(elts):
                for e in elts:
                    self.store(e, item)
            case ast.Tuple(elts=elts), Number(axes=(_, *rest)) if not is_starred(elts):
                for e in elts:
                    self.store(e, Number(tuple(rest), kind.dtype))
            case ast.Tuple(elts=elts), _:
                for e in elts:
                    self.store(e, UNKNOWN)
            case ast.Starred(value=value), _:
                self.store(value, UNKNOWN)
            case ast.Attribute(value=ast.Name(id=v)), _:
                self.forget(v)
                self.env[v] = UNKNOWN
            case ast.Subscript(value=ast.Name(id=v)), _ if not isinstance(self.env.get(v), Number):
                self.env[v] = self.stored(self.env.get(v, UNKNOWN), self.of(loaded(target)), kind)
                self.written(v, kind)
            case ast.Subscript(value=ast.Subscript(value=ast.Name(id=v))), _ if kind != FLOAT:
                self.stored_in_row(v, kind)

    def others(self, v: str) -> list[str]:
        """Other names that may be for the same memory, or for what holds it, where that is written into."""
        shared = self.g.shared
        return [w for w, c in shared.items() if w != v and c == shared[v]] if v in shared else []

    def axis(self, target: ast.Name, i: int, n: Axis) -> Axis:
        """The length of an axis of which nothing is known, by the name that the array is bound to here."""
        if n != UNSURE:
            return n
        number = self.bindings.setdefault(target, len(self.bindings))
        place = f"@{self.depth}<{number}>" if self.depth else f"<{number}>"
        return f"{UNSURE}{target.id}.{i}{place}"

    def stored(self, whole: Kind, old: Kind, new: Kind) -> Kind:
        """What something is when an item of it is another one."""
        if old == new == FLOAT:
            return whole
        if isinstance(whole, Listed) and is_float(whole.item) and is_float(new):
            return join(whole, Listed(new)) or UNKNOWN
        if isinstance(whole, Fields) and is_float(old) and is_float(new):
            return Fields(tuple((v, join(k, new) or UNKNOWN if is_float(k) else k) for v, k in whole.items))
        return UNKNOWN

    def written(self, v: str, new: Kind) -> None:
        """An item is written through one name: what is known of others holds only if it goes for the new item, too."""
        for w in self.others(v):
            kind = self.env.get(w)
            if isinstance(kind, Listed) and is_float(kind.item) and is_float(new):
                self.env[w] = join(kind, Listed(new)) or UNKNOWN
            elif isinstance(kind, Stack):
                self.env[w] = Stack(join(kind.item, new), kind.some)
            elif isinstance(kind, CONTAINERS) and not (new == FLOAT and _of_floats(kind)):
                self.env[w] = with_number(kind, new)

    def stored_in_row(self, v: str, new: Kind) -> None:
        """An item of a row of a list is another one."""
        if isinstance(self.env.get(v), Number):
            return
        for w in (v, *self.others(v)):
            kind = self.env.get(w)
            if isinstance(kind, CONTAINERS):
                self.env[w] = with_number(kind, new)

    def forget(self, v: str) -> None:
        """Something is changed in a way that is not followed."""
        for w in (v, *self.others(v)) if not isinstance(self.env.get(v), Number) else ():  # arrays keep their form
            if isinstance(self.env.get(w), CONTAINERS):
                self.env[w] = UNKNOWN

    def forget_lists(self, e: ast.expr) -> None:
        """Lists that others hold, too, may grow without our seeing it."""
        for v in self.held(e):
            if isinstance(self.env.get(v), Stack):
                self.env[v] = UNKNOWN

    def held(self, e: ast.expr) -> set[str]:
        """Names that a value may hold on to: all that are not operands of methods and subscripts, or only looked at."""
        match e:
            case ast.Name(id=v):
                return {v}
            case ast.Call(func=ast.Name() | ast.Attribute()) if any(self.resolve(e.func) is f for f in self.looking):
                return set()
            case ast.Call(func=ast.Attribute(value=ast.Name())):
                return set().union(*(self.held(a) for a in e.args))
            case ast.Subscript(value=ast.Name()) | ast.Starred(value=ast.Name()):
                return set()
            case _:
                return set().union(*(self.held(x) for x in ast.iter_child_nodes(e) if isinstance(x, ast.expr)))

    def finished(self, e: ast.expr) -> Kind | None:
        """The kind of a list of numbers, arrays or tuples that is filled, and stays as it is under another name."""
        kind = self.of(e)
        if not isinstance(e, ast.Name) or not isinstance(kind, (Stack, Listed)):
            return None
        if not isinstance(kind.item, (Number, Items)):
            return None
        assert self.g.tree is not None
        return Listed(kind.item, kind.some) if is_filled(e.id, self.g.tree.body) else None

    def finish_lists(self, loop: ast.For | ast.While) -> None:
        """Lists that were filled before a loop that goes through them."""
        for n in walk(loop):
            match n:
                case ast.Call(func=func, args=[ast.Name(id=v) as e]) if self.resolve(func) is runtime.sequence:
                    grows = any(pushed(x) == v for x in statements(loop.body))
                    if isinstance(self.env.get(v), Stack) and not grows and (kind := self.finished(e)) is not None:
                        self.env[v] = kind

    def forget_changed(self, e: ast.expr) -> None:
        """What a method does to a list is not followed, unless items are only taken away; sums with floats are."""
        match e:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)) if attr not in ("pop", "clear"):
                self.forget(v)
            case ast.Call(func=func, args=[ast.Name(id=v), more]) if self.resolve(func) is runtime.add_into:
                kind = self.of(more)
                if not isinstance(kind, CONTAINERS) or not _of_floats(kind):
                    self.forget(v)
            case ast.Call(func=func, args=args) if not any(self.resolve(func) is f for f in self.looking):
                for a in args:
                    if isinstance(a, ast.Name) and a.id in self.g.shared:
                        self.forget(a.id)


def with_number(kind: Kind, new: Kind) -> Kind:
    """A list of numbers of double precision, or of lists of such, that may hold another one."""
    match kind:
        case Listed(item=Number() as item) if is_float(item) and is_float(new):
            return join(kind, Listed(new)) or UNKNOWN
        case Listed(item=Listed() as row, some=some):
            inner = with_number(row, new)
            return Listed(inner, some) if inner != UNKNOWN else UNKNOWN
        case _:
            return UNKNOWN


def _of_floats(kind: Kind) -> bool:
    """Whether a list holds Python's floats and nothing else, or lists of such."""
    match kind:
        case Listed(item=item) | Stack(item=item):
            return item is None or item == FLOAT or _of_floats(item)
        case Items(items=items):
            return all(k == FLOAT for k in items)
        case Fields(items=fields):
            return all(k == FLOAT for _, k in fields)
        case _:
            return False


def loaded(e: ast.expr) -> ast.expr:
    return ast.Name(e.id, ast.Load()) if isinstance(e, ast.Name) else replace(e, ctx=ast.Load())
