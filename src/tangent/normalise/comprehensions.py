"""Comprehensions of lists and dicts, and generators that are consumed at once, become loops that append.

    y = sum([a * x for a in w if a > 0])   ->   parts = []
                                                for a in w:
                                                    if a > 0: parts.append(a * x)
                                                y = sum(parts)

    d = {k: v * x for k, v in w}       ->   keys = []; parts = []
                                            for k, v in w: keys.append(k); parts.append(v * x)
                                            d = dict_of(keys, parts)

    d = {k: 0.0 for k in w}                d = {}
    for k in w: d[k] += x              ->   for k in w: d[k] = 0.0
                                            for k in w: d[k] += x

A conditional expression with a comprehension inside, and `[...] or b`, become branches first; those in lambdas are left
to them.
"""

from __future__ import annotations

import ast
from collections import OrderedDict, deque
from collections.abc import Iterator

from tangent.normalise.context import Context
from tangent.normalise.walrus import operands_of, with_operands
from tangent.runtime import library
from tangent.source.naming import home_of, is_library
from tangent.source.resolve import MISSING
from tangent.syntax.cells import is_table_of_constants
from tangent.syntax.quote import assign, at, expression, name
from tangent.syntax.rebuild import rename, replace, with_blocks
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import holds, walk

CONDITIONAL = (ast.BoolOp, ast.Lambda, ast.SetComp, ast.Compare)
HOISTED = (ast.ListComp, ast.DictComp, ast.GeneratorExp)
HoistedNode = ast.ListComp | ast.DictComp | ast.GeneratorExp
CONSUMERS = frozenset({sum, list, tuple, max, min, sorted, library.reduced, library.made_dict, library.sorted_by})
CONSUMERS |= {library.chosen_by, library.chosen_or, library.n_largest, library.n_smallest, deque, OrderedDict}
READING = frozenset({"numpy", "math", "statistics"})
EXTENDING = frozenset("extend extendleft update".split())


def comprehensions(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    return replace(f, body=_block(f.body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    match s:
        case ast.With() | ast.Try():
            return [with_blocks(s, lambda body: _block(body, context))]
        case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
            before: list[ast.stmt] = []
            changed = replace(s, body=_block(body, context), orelse=_block(orelse, context))
            if isinstance(s, ast.For) and isinstance(changed, ast.For):
                hoist = _Hoist(s, context)
                changed = replace(changed, iter=hoist.expression(s.iter))
                before = hoist.before
            return [*before, changed]
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.ListComp() as value) if (
            not context.memory and is_table_of_constants(value) and _begins_table(target, value, context.source.tree)
            and all(context.scope.resolve(n.func) in (range, len) for n in walk(value) if isinstance(n, ast.Call))
        ):  # fmt: skip
            return [s]
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.ListComp() as value) if (
            target not in {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} and not context.memory
            and not _begins_table(target, value, context.source.tree) and not _is_replaced(target, context.source.tree)
        ):  # fmt: skip
            hoist = _Hoist(s, context)
            hoist.filled(value, target)
            return hoist.before
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.DictComp() as value) if (
            not context.memory and target not in {n.id for n in walk(value) if isinstance(n, ast.Name)}
            and _begins_dict(target, context.source.tree)
        ):  # fmt: skip
            return _Hoist(s, context).stored(value, target)
        case ast.Assign(targets=[ast.Tuple()], value=ast.GeneratorExp(elt=elt, generators=generators) as value):
            return _statement(replace(s, value=ast.copy_location(ast.ListComp(elt, generators), value)), context)
        case (
            ast.Assign(value=value) | ast.Return(value=ast.expr() as value) | ast.Expr(value=value)
            | ast.AugAssign(value=value) | ast.AnnAssign(value=ast.expr() as value)
        ):  # fmt: skip
            hoist = _Hoist(s, context)
            new = hoist.expression(value)
            return [*hoist.before, s if new is value else replace(s, value=new)]
        case _:
            return [s]


def _is_replaced(v: str, f: ast.FunctionDef) -> bool:
    """Whether another list takes the place of a list, in a loop: then it is a value, filled under another name."""
    loops = [n for n in walk(f) if isinstance(n, (ast.For, ast.While))]
    return any(
        isinstance(n, ast.Assign)
        and isinstance(n.value, (ast.ListComp, ast.Name))
        and any(isinstance(t, ast.Name) and t.id == v for t in n.targets)
        for loop in loops
        for n in walk(loop)
        if not (isinstance(n, ast.Assign) and isinstance(n.value, ast.ListComp) and v not in expression_reads(n.value))
    )


def _begins_table(v: str, e: ast.ListComp, f: ast.FunctionDef) -> bool:
    """Whether items of `v = [0.0 for ...]`, or those of its rows, are assigned: then it is a list of its own.

    It is filled under another name, where that is not known yet.
    """
    stores = [n.value for n in walk(f) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    if any(isinstance(x, ast.Name) and x.id == v for x in stores):
        return not (isinstance(e.elt, (ast.Name, ast.Subscript, ast.Attribute)) and _adds_in_place(v, f))
    rows = {v, *_rows_of(v, f)}
    inside = (x.value for x in stores if isinstance(x, ast.Subscript))
    return any(isinstance(x, ast.Name) and x.id == v for x in inside) or any(
        isinstance(x, ast.Name) and x.id in rows - {v} for x in stores
    )


def _begins_dict(v: str, f: ast.FunctionDef) -> bool:
    """Whether items of `v = {k: 0.0 for ...}` are assigned later; not where a handler may see the dict half filled."""
    if holds(f, ast.Try):
        return False
    changed = (n.value for n in walk(f) if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load))
    return any(isinstance(x, ast.Name) and x.id == v for x in changed)


def _adds_in_place(v: str, f: ast.FunctionDef) -> bool:
    """Whether there is a `v[i] += ...`: of items that are somebody else's, too, arrays would change with it."""
    targets = (n.target for n in walk(f) if isinstance(n, ast.AugAssign))
    return any(isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name) and t.value.id == v for t in targets)


def _rows_of(v: str, f: ast.FunctionDef) -> Iterator[str]:
    """The names that rows of a list of lists get: `row = v[i]`, `for row in v`."""
    for n in walk(f):
        match n:
            case ast.Assign(targets=[ast.Name(id=row)], value=ast.Subscript(value=ast.Name(id=owner))) if owner == v:
                yield row
            case ast.For(target=ast.Name(id=row), iter=ast.Name(id=owner)) if owner == v:
                yield row


class _Hoist:
    """Takes the comprehensions out of one statement, in the order of evaluation."""

    def __init__(self, s: ast.stmt, context: Context) -> None:
        self.s, self.context = s, context
        self.before: list[ast.stmt] = []

    def expression(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.ListComp() | ast.DictComp():
                return self.filled(e)
            case ast.IfExp() if any(isinstance(n, HOISTED) for n in ast.walk(e)):
                return self.chosen(e)
            case ast.BoolOp(op=op, values=[first, *rest]) if any(map(self.fills, e.values)):
                return self.either(op, first, rest[0] if len(rest) == 1 else replace(e, values=rest))
            case ast.Call(func=func, args=args) if self.consumes(func) and any(map(_is_generator, args)):
                return self.operands(e, consumed=True)
            case ast.Constant() | ast.Name() | ast.GeneratorExp():
                return e
            case _ if isinstance(e, CONDITIONAL):
                return e
        if not any(isinstance(n, HOISTED) for n in walk(e)):
            return e
        return self.operands(e)

    def operands(self, e: ast.expr, consumed: bool = False) -> ast.expr:
        old = list(operands_of(e))
        new = self.in_order(old, consumed)
        return e if all(a is b for a, b in zip(old, new)) else with_operands(e, dict(zip(map(id, old), new)))

    def in_order(self, operands: list[ast.expr], consumed: bool) -> list[ast.expr]:
        """Operands without comprehensions; those to the left that do something do it before the loops.

        So do those to the right of a generator that is `consumed`, which is read when all operands are there.
        """
        read = {i: e for i, e in enumerate(operands) if consumed and isinstance(e, ast.GeneratorExp)}
        done: dict[int, ast.expr] = {}
        for i, e in enumerate(operands):
            start = len(self.before)
            new = self.expression(read[i].generators[0].iter if i in read else e)
            if len(self.before) > start:
                self.do_first(done, start)
            done[i] = new
        if read and sum(map(self.acts, done.values())) > 1:
            self.do_first(done, len(self.before))
        for i, e in read.items():
            first, *others = e.generators
            over = e if done[i] is first.iter else replace(e, generators=[replace(first, iter=done[i]), *others])
            start = len(self.before)
            done[i] = self.filled(over)
            self.do_first(done, start)
        return [done[i] for i in range(len(operands))]

    def do_first(self, done: dict[int, ast.expr], start: int) -> None:
        """Operands that do something become variables, assigned at a place among what comes before the statement."""
        acting = {i: self.context.names.numbered("t") for i, e in done.items() if self.acts(e)}
        self.before[start:start] = [assign(v, done[i], self.s) for i, v in acting.items()]
        done |= {i: name(v) for i, v in acting.items()}

    def acts(self, e: ast.expr) -> bool:
        """Whether an operand calls something that may change what others see, or draws random numbers."""
        if isinstance(e, (ast.Starred, ast.Slice)):
            return False
        called = [self.context.scope.resolve(n.func) for n in walk(e) if isinstance(n, ast.Call)]
        draws = any("random" in home_of(x) for f in called for x in (f, type(getattr(f, "__self__", None))))
        return draws or any(f is MISSING or not is_library(f) for f in called)

    def chosen(self, e: ast.IfExp) -> ast.expr:
        """`a if c else b` as a branch that assigns."""
        target = self.context.names.numbered("t")
        sides = [_statement(assign(target, side, self.s), self.context) for side in (e.body, e.orelse)]
        self.before.append(at(ast.If(self.expression(e.test), *sides), self.s))
        return name(target)

    def fills(self, e: ast.expr) -> bool:
        """Whether there is a comprehension in a value, other than to ask whether something holds."""
        asks = isinstance(e, (ast.Compare, ast.UnaryOp)) or (
            isinstance(e, ast.Call) and self.context.scope.resolve(e.func) in (any, all)
        )
        return not asks and any(isinstance(n, HOISTED) for n in ast.walk(e))

    def either(self, op: ast.boolop, first: ast.expr, second: ast.expr) -> ast.expr:
        """`a or b` as an assignment of a, and one of b where that is the value."""
        target = self.context.names.numbered("t")
        self.before += _statement(assign(target, first, self.s), self.context)
        goes_on = name(target) if isinstance(op, ast.And) else ast.UnaryOp(ast.Not(), name(target))
        others = _statement(assign(target, second, self.s), self.context)
        self.before.append(at(ast.If(goes_on, others, []), self.s))
        return name(target)

    def consumes(self, func: ast.expr) -> bool:
        """Whether a function reads all of its iterable before it returns."""
        found = self.context.scope.resolve(func)
        if found is MISSING:
            return isinstance(func, ast.Attribute) and func.attr in EXTENDING
        try:
            return found in CONSUMERS or (getattr(found, "__module__", "") or "").split(".")[0] in (
                "numpy",
                "math",
                "statistics",
            )
        except TypeError:
            return False

    def filled(self, e: HoistedNode, target: str = "") -> ast.expr:
        """The loop that fills a list, and the list; that of a dict is made from its keys and its values."""
        target = target or self.context.names.numbered("parts")
        names = self.own_names(e)
        first = self.expression(e.generators[0].iter)
        elt = e.value if isinstance(e, ast.DictComp) else e.elt
        append = at(ast.Expr(expression("p.append(v)", p=target, v=rename(elt, names))), self.s)
        items: list[ast.stmt] = self.held(append)
        keys = ""
        if isinstance(e, ast.DictComp):
            keys = self.context.names.numbered("keys")
            first_of = at(ast.Expr(expression("p.append(v)", p=keys, v=rename(e.key, names))), self.s)
            items = [*self.held(first_of, "key"), *items]
        self.before += [assign(v, ast.List([], ast.Load()), self.s) for v in (keys, target) if v]
        self.before += self.looped(e, first, names, items)
        if not keys:
            return name(target)
        made = self.context.use("dict_of", library.dict_of)
        return expression("f(k, p)", f=made, k=keys, p=target)

    def stored(self, e: ast.DictComp, target: str) -> list[ast.stmt]:
        """The loop that fills a dict under its own name."""
        names = self.own_names(e)
        first = self.expression(e.generators[0].iter)
        key = self.context.names.numbered("key")
        place = ast.Subscript(name(target), name(key), ast.Store())
        store = at(ast.Assign([place], rename(e.value, names)), self.s)
        items: list[ast.stmt] = [assign(key, rename(e.key, names), self.s), store]
        empty = assign(target, ast.Dict([], []), self.s)
        return [*self.before, empty, *self.looped(e, first, names, items)]

    def own_names(self, e: HoistedNode) -> dict[str, str]:
        """The variables of a comprehension, which are its own, and what they are called outside of it."""
        found = (n.id for g in e.generators for n in ast.walk(g.target) if isinstance(n, ast.Name))
        return {v: self.context.names.numbered(v) for v in found}

    def looped(
        self, e: HoistedNode, first: ast.expr, names: dict[str, str], items: list[ast.stmt]
    ) -> list[ast.stmt]:  # fmt: skip
        """The loops of a comprehension over what is done for each item."""
        body: list[ast.stmt] = _block(items, self.context)
        for position, g in reversed(list(enumerate(e.generators))):
            for test in reversed(g.ifs):
                body = [at(ast.If(rename(test, names), body, []), self.s)]
            iter = first if position == 0 else rename(g.iter, names)
            body = _block([at(ast.For(rename(g.target, names), iter, body, []), self.s)], self.context)
        return body

    def held(self, append: ast.Expr, base: str = "part") -> list[ast.stmt]:
        """The item gets a name first, so that it is an operation like any other."""
        assert isinstance(append.value, ast.Call)
        item = append.value.args[0]
        if isinstance(item, ast.Name):
            return [append]
        held = self.context.names.numbered(base)
        first = assign(held, item, self.s)
        return [first, replace(append, value=replace(append.value, args=[name(held)]))]


def _is_generator(e: ast.expr) -> bool:
    return isinstance(e, ast.GeneratorExp)
