"""Single elements of arrays in straight lines: read once, and not set to zero only to be added to.

t9 = a[i, j]                          t9 = a[i, j]
t10 = a[i, j]                   ->    ...
b[i, j] = 0.0                         b[i, j] = bt * t9
b[i, j] += bt * t10
"""

from __future__ import annotations

import ast

from tangent.optimise.typed.affine import difference
from tangent.optimise.typed.kinds import Kind, Number
from tangent.optimise.typed.reach import Access, Accesses, Nest, instance
from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import expression_reads, writes

Own = frozenset[str]
Cell = tuple[str, str]


def cells(
    body: list[ast.stmt], own: Own, names: Names, kinds: dict[str, Kind], places: Accesses
) -> list[ast.stmt]:  # fmt: skip
    """`own`: arrays that have one name; `places` knows lengths and names that keep their values."""
    return _Cells(own, names, kinds, places).block(body, ())


class _Cells:
    def __init__(self, own: Own, names: Names, kinds: dict[str, Kind], places: Accesses) -> None:
        self.own, self.names, self.kinds, self.places = own, names, kinds, places
        self.nest: Nest = ()

    def block(self, body: list[ast.stmt], nest: Nest) -> list[ast.stmt]:
        self.nest = nest
        done: list[ast.stmt] = []
        known: dict[Cell, ast.expr] = {}
        for s in self.merged(self.without_zeros(body)):
            match s:
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self.block(then, nest), orelse=self.block(other, nest)))
                    known = {}
                case ast.For(body=inner) | ast.While(body=inner):
                    new = replace(s, body=self.block(inner, (*nest, s)))
                    self.nest = nest
                    if getattr(s, "lowered", False):
                        new.lowered = True  # type: ignore[union-attr]
                    done.append(new)
                    known = {}
                case Comment():
                    done.append(s)
                case ast.Assign() | ast.AugAssign() | ast.Return():
                    done += self.statement(s, known)
                case _:
                    done.append(s)
                    known = {}
        return done

    def statement(self, s: ast.Assign | ast.AugAssign | ast.Return, known: dict[Cell, ast.expr]) -> list[ast.stmt]:
        if s.value is None or not only_computes(s):
            known.clear()
            return [s]
        value = _read(s.value, known)
        match s:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=a), slice=index)]) if self.is_cell(a, index):
                before: list[ast.stmt] = []
                if isinstance(value, ast.Subscript):
                    held = self.names.numbered("c")
                    before, value = [at(assign(held, value), s)], name(held)
                self.forget_array(a, index, known)
                if isinstance(value, (ast.Name, ast.Constant)):
                    known[a, ast.unparse(index)] = value
                return [*before, replace(s, value=value)]
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=a), slice=index)]):
                self.forget_array(a, None, known)
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=a), slice=index)):
                self.forget_array(a, index if self.is_cell(a, index) else None, known)
                known.pop((a, ast.unparse(index)), None)
            case ast.Assign(targets=[ast.Name(id=v)]):
                _forget_name(v, known)
                match value:
                    case ast.Subscript(value=ast.Name(id=a), slice=index) if self.is_cell(a, index):
                        if v not in expression_reads(value):
                            known[a, ast.unparse(index)] = name(v)
            case _:
                for v in writes(s):
                    _forget_name(v, known)
        return [replace(s, value=value)]

    def forget_array(self, a: str, index: ast.expr | None, known: dict[Cell, ast.expr]) -> None:
        """What may have changed by a store."""
        for b, text in list(known):
            if b == a:
                if index is None or not self.differ(a, index, ast.parse(text, mode="eval").body):
                    del known[b, text]
            elif a not in self.own and b not in self.own:
                del known[b, text]

    def without_zeros(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The first contribution to an element that was set to zero is an assignment."""
        done = list(body)
        for i, s in enumerate(body):
            match s:
                case ast.Assign(
                    targets=[ast.Subscript(value=ast.Name(id=a), slice=index)], value=ast.Constant(value=0.0)
                ) if a in self.own and self.is_cell(a, index):
                    j = self.first_sum(body, i, a, index)
                    if j is not None:
                        later = body[j]
                        assert isinstance(later, ast.AugAssign)
                        done[i] = Comment()
                        done[j] = at(ast.Assign([later.target], later.value), later)
        return [s for s in done if not (isinstance(s, Comment) and not s.text and not s.section)]

    def merged(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Contributions to one element, as one."""
        done = list(body)
        for i in range(len(done)):
            match done[i]:
                case (
                    ast.AugAssign(target=ast.Subscript(value=ast.Name(id=a), slice=index), op=ast.Add())
                    | ast.Assign(targets=[ast.Subscript(value=ast.Name(id=a), slice=index)])
                ) as s if a in self.own and self.is_cell(a, index):
                    while (j := self.next_sum(done, i, a, index)) is not None:
                        later = done[j]
                        assert isinstance(later, ast.AugAssign)
                        s = replace(s, value=ast.BinOp(s.value, ast.Add(), later.value))
                        done[i], done[j] = s, Comment()
        return [s for s in done if not (isinstance(s, Comment) and not s.text and not s.section)]

    def next_sum(self, body: list[ast.stmt], i: int, a: str, index: ast.expr) -> int | None:
        """A later contribution to the same element whose value is known already."""
        text, changed = ast.unparse(index), set[str]()
        for j in range(i + 1, len(body)):
            s = body[j]
            if isinstance(s, Comment):
                continue
            if not isinstance(s, (ast.Assign, ast.AugAssign)):
                return None
            match s:
                case ast.AugAssign(
                    target=ast.Subscript(value=ast.Name(id=b), slice=other), op=ast.Add(), value=value
                ) if b == a:
                    if not self.is_cell(a, other) or a in expression_reads(value):
                        return None
                    if ast.unparse(other) == text:
                        reads = expression_reads(value) | expression_reads(index)
                        return j if not reads & changed else None
                    if not self.differ(a, index, other):
                        return None
                    changed.add(b)
                case ast.Assign(targets=[ast.Name(id=v)]) if a not in expression_reads(s.value):
                    changed.add(v)
                case _:
                    return None
        return None

    def first_sum(self, body: list[ast.stmt], i: int, a: str, index: ast.expr) -> int | None:
        text = ast.unparse(index)
        used = expression_reads(index)
        for j in range(i + 1, len(body)):
            s = body[j]
            if isinstance(s, Comment):
                continue
            if not isinstance(s, (ast.Assign, ast.AugAssign)) or used & set(writes(s)):
                return None
            match s:
                case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=b), slice=other), op=ast.Add()) if b == a:
                    same = ast.unparse(other) == text and a not in expression_reads(s.value)
                    return j if same else None
                case _ if a in identifiers(s):
                    return None
        return None

    def is_cell(self, a: str, index: ast.expr) -> bool:
        """Whether an index names one number: there is a part for each axis, none of which is an array."""
        kind = self.kinds.get(a)
        if not is_plain(index) or not isinstance(kind, Number) or kind.rank != len(_parts(index)):
            return False
        inside = [self.kinds.get(v) for v in expression_reads(index)]
        return not any(isinstance(k, Number) and not k.scalar for k in inside)

    def differ(self, a: str, p: ast.expr, q: ast.expr) -> bool:
        """Whether two indices surely name different elements: a[i] and a[i - 1] are one where i is 0, and a has one."""
        names = instance(self.nest, 0, "")
        one, two = (self.places.place(Access(a, _parts(x), self.nest, 0, ast.Pass()), names) for x in (p, q))
        gaps = [difference(x, y) for x, y in zip(one, two) if x is not None and y is not None]
        return len(one) == len(two) and any(list(gap) == [""] for gap in gaps)


def only_computes(s: ast.stmt) -> bool:
    """Whether a statement calls nothing but mathematics."""
    return all(_harmless(n) for n in ast.walk(s) if isinstance(n, ast.Call))


def _harmless(n: ast.Call) -> bool:
    """Calls that only compute."""
    match n.func:
        case (
            ast.Attribute(value=ast.Name(id="math" | "np" | "numpy")) | ast.Name(id="ratio" | "times" | "float" | "max")
        ):
            return True
        case _:
            return False


def is_plain(index: ast.expr) -> bool:
    """Only names, whole numbers, sums and differences."""
    kinds = ast.Name, ast.Constant, ast.BinOp, ast.Tuple, ast.UnaryOp, ast.expr_context, ast.operator, ast.unaryop
    nodes = list(ast.walk(index))
    return all(isinstance(n, kinds) and not (isinstance(n, ast.Constant) and type(n.value) is not int) for n in nodes)


def _parts(index: ast.expr) -> tuple[ast.expr, ...]:
    return tuple(index.elts) if isinstance(index, ast.Tuple) else (index,)


def _read(e: ast.expr, known: dict[Cell, ast.expr]) -> ast.expr:
    def change(n: ast.expr) -> ast.expr:
        match n:
            case ast.Subscript(value=ast.Name(id=a), slice=index, ctx=ast.Load()):
                return known.get((a, ast.unparse(index)), n)
            case _:
                return n

    return rebuild(e, change) if known else e


def _forget_name(v: str, known: dict[Cell, ast.expr]) -> None:
    for (a, text), value in list(known.items()):
        if a == v or v in expression_reads(value) or v in identifiers(ast.parse(text, mode="eval")):
            del known[a, text]
