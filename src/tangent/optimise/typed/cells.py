"""Single elements of arrays in straight lines: read once, and not set to zero only to be added to.

t9 = a[i, j]                          t9 = a[i, j]
t10 = a[i, j]                   ->    ...
b[i, j] = 0.0                         b[i, j] = bt * t9
b[i, j] += bt * t10
"""

from __future__ import annotations

import ast

from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import expression_reads, writes

Own = frozenset[str]
Cell = tuple[str, str]


def cells(body: list[ast.stmt], own: Own, names: Names) -> list[ast.stmt]:
    """`own`: arrays that have one name."""
    return _Cells(own, names).block(body)


class _Cells:
    def __init__(self, own: Own, names: Names) -> None:
        self.own, self.names = own, names

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        known: dict[Cell, ast.expr] = {}
        for s in self.merged(self.without_zeros(body)):
            match s:
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self.block(then), orelse=self.block(other)))
                    known = {}
                case ast.For(body=inner) | ast.While(body=inner):
                    new = replace(s, body=self.block(inner))
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
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=a), slice=index)]) if is_plain(index):
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
                self.forget_array(a, index if is_plain(index) else None, known)
                known.pop((a, ast.unparse(index)), None)
            case ast.Assign(targets=[ast.Name(id=v)]):
                _forget_name(v, known)
                match value:
                    case ast.Subscript(value=ast.Name(id=a), slice=index) if is_plain(index):
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
                if index is None or not _differ(index, ast.parse(text, mode="eval").body):
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
                ) if a in self.own and is_plain(index):
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
                ) as s if a in self.own and is_plain(index):
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
                    if not is_plain(other) or a in expression_reads(value):
                        return None
                    if ast.unparse(other) == text:
                        reads = expression_reads(value) | expression_reads(index)
                        return j if not reads & changed else None
                    if not _differ(index, other):
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
    """Only names, numbers, sums and differences."""
    kinds = ast.Name, ast.Constant, ast.BinOp, ast.Tuple, ast.UnaryOp, ast.expr_context, ast.operator, ast.unaryop
    return all(isinstance(n, kinds) for n in ast.walk(index))


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


def _differ(p: ast.expr, q: ast.expr) -> bool:
    """Whether two indices surely name different elements."""
    mine = p.elts if isinstance(p, ast.Tuple) else [p]
    other = q.elts if isinstance(q, ast.Tuple) else [q]
    if len(mine) != len(other):
        return False
    return any(x[0] == y[0] and x[1] != y[1] for x, y in zip(map(_offset, mine), map(_offset, other)))


def _offset(e: ast.expr) -> tuple[str, int]:
    match e:
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=int(k))):
            return ast.unparse(left), k
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=int(k))):
            return ast.unparse(left), -k
        case _:
            return ast.unparse(e), 0
