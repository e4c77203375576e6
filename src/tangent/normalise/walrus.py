"""Assignment expressions become assignments before the statement, in the order in which Python evaluates.

if (y := x * x) > 1: ...         ->   y = x * x
                                      if y > 1: ...
while (e := f(x)) > tol:         ->   while True:
    ...                                   e = f(x)
                                          if not e > tol: break
                                          ...
if a > 0 and (b := a * a) < 1:   ->   test = a > 0
    ...                               if test:
                                          b = a * a
                                          test = b < 1
                                      if test: ...
if any((b := v) > 2 for v in w): ->   found = False
    ...                               for v in w:
                                          b = v
                                          if b > 2: found = True; break
                                      if found: ...

Comprehensions are loops later. What stands to the left of an assignment and could be changed by it is kept under a
name: `x * (x := x + 1)`. Comprehensions that call what may change something are taken out in the same way (acting.py).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from tangent.normalise.acting import Acting, may_act
from tangent.normalise.context import Context
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import rename, replace, walk_scope, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, expression_reads, target_names
from tangent.syntax.walk import walk

LOOPS = (ast.ListComp, ast.DictComp, ast.GeneratorExp)  # what becomes loops


def walrus(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    return _Function(f, context).taken_apart() if _assigned(f) or may_act(f) else f


def acting(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Take apart what acts (acting.py), before loops are looked at; other assignments wait for their turn."""
    return _Function(f, context, early=True).taken_apart() if may_act(f) else f


def _assigned(node: ast.AST) -> set[str]:
    """The names that assignments inside an expression bind; those inside a lambda belong to it."""
    found = [n for n in walk(node) if isinstance(n, ast.NamedExpr)]
    inside = {id(n) for x in walk(node) if found and isinstance(x, ast.Lambda) for n in walk(x.body)}
    return {n.target.id for n in found if id(n) not in inside}


def assigned_outside(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Generators that are left may not assign what anything else reads: they run when somebody else says so."""
    for e in walk_scope(f):
        if isinstance(e, COMPREHENSIONS) and (bound := _assigned(e)):
            within = {id(n) for n in walk(e)}
            names = [n for n in walk(f) if isinstance(n, ast.Name) and id(n) not in within]
            if read := bound & {n.id for n in names if isinstance(n.ctx, ast.Load)}:
                why = f"when '{min(read)}' is assigned depends on who reads the items"
                raise context.refuse(e, "':=' here", why, "Write a loop.")
    return f


def _generator(e: ast.expr) -> ast.GeneratorExp:
    """The items that `map` gives, as a generator expression."""
    if isinstance(e, ast.GeneratorExp):
        return e
    assert isinstance(e, ast.Call)
    function, items = e.args
    loop = ast.comprehension(ast.Name("item", ast.Store()), items, [], 0)
    return ast.copy_location(ast.GeneratorExp(ast.Call(function, [name("item")], []), [loop]), e)


def _compared(e: ast.expr, wanted: ast.expr) -> ast.GeneratorExp:
    """Whether items of a generator expression are equal to what is looked for."""
    assert isinstance(e, ast.GeneratorExp)
    return ast.copy_location(ast.GeneratorExp(ast.Compare(e.elt, [ast.Eq()], [wanted]), e.generators), e)


def _listed(e: ast.GeneratorExp | ast.SetComp) -> ast.ListComp:
    return ast.copy_location(ast.ListComp(e.elt, e.generators), e)


class _Function:
    """The statements of a function, with what comes before them."""

    def __init__(self, f: ast.FunctionDef, context: Context, early: bool = False) -> None:
        self.f, self.context, self.early = f, context, early
        self.acting = Acting(f, context)

    def taken_apart(self) -> ast.FunctionDef:
        return replace(self.f, body=self.block(self.f.body))

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        order = _Order(s, self)
        match s:
            case ast.With() | ast.Try():
                return [with_blocks(s, self.block)]
            case ast.Match(subject=subject):
                subject = order.taken(subject)
                return [*order.before, with_blocks(replace(s, subject=subject), self.block)]
            case ast.If(test=test, body=body, orelse=orelse):
                test = order.taken(test, whole=True)
                return [*order.before, replace(s, test=test, body=self.block(body), orelse=self.block(orelse))]
            case ast.While():
                return self.repeated(s, order)
            case ast.For(iter=iter, body=body, orelse=orelse):
                iter = order.taken(iter)
                return [*order.before, replace(s, iter=iter, body=self.block(body), orelse=self.block(orelse))]
            case ast.AugAssign(target=target) if expression_reads(target) & _assigned(s.value) or _assigned(target):
                return self.plain(s)
            case ast.Assign(targets=targets) if any(_assigned(t) for t in targets):
                return self.plain(s)
            case (
                ast.Assign(value=ast.expr() as value)
                | ast.Return(value=ast.expr() as value)
                | ast.Expr(value=value)
                | ast.AugAssign(value=value)
            ) if order.apart(value):
                value = value if order.is_loop_later(value) else order.value(value)
                return [*order.before, replace(s, value=value)]
            case ast.Assert(test=test, msg=message) if self.context.memory and self.acting.calls(s):
                error = ast.Call(name(self.context.builtin("AssertionError")), [message] if message else [], [])
                told = at(ast.Raise(error, None), s)
                return self.statement(at(ast.If(ast.UnaryOp(ast.Not(), test), [told], []), s))
            case ast.Assert(test=test) if not (s.msg and _assigned(s.msg)):
                test = order.taken(test, whole=True)
                return [*order.before, replace(s, test=test)]
            case ast.Raise(exc=ast.Call(args=[_, *_]) as error) if any(map(self.acting.calls, error.args)):
                error = order.with_arguments(error)
                return [*order.before, replace(s, exc=error)]
            case _:
                return self.plain(s)

    def plain(self, s: ast.stmt) -> list[ast.stmt]:
        if not self.early and _assigned(s) and not hasattr(s, "body"):
            raise self.refusal(s, "what is evaluated before it and after it is not clear")
        return [s]

    def repeated(self, s: ast.While, order: _Order) -> list[ast.stmt]:
        """A condition that takes statements is looked at inside the loop; where it fails, the `else` clause runs."""
        test = order.taken(s.test, whole=True)
        inner, rest = self.block(s.body), self.block(s.orelse)
        if not order.before:
            return [replace(s, body=inner, orelse=rest)]
        if any(isinstance(n, (ast.Break, ast.Continue)) for x in rest for n in walk(x)):
            raise self.refusal(s, "the 'else' clause leaves a loop around this one")
        leave = at(ast.If(ast.UnaryOp(ast.Not(), test), [*rest, at(ast.Break(), s)], []), s)
        return [replace(s, test=constant(True), body=[*order.before, leave, *inner], orelse=[])]

    def refusal(self, node: ast.AST, why: str) -> Exception:
        return self.context.refuse(node, "':=' here", why, "Assign before the statement.")


class _Order:
    """Takes expressions apart from left to right; `before` is what happens before the statement."""

    def __init__(self, s: ast.stmt, around: _Function) -> None:
        self.s, self.around, self.context, self.acting = s, around, around.context, around.acting
        self.before: list[ast.stmt] = []
        self.found: set[int] = set()  # comprehensions that have to be taken out, by their identity

    def apart(self, e: ast.expr, whole: bool = False) -> bool:
        """Whether an expression has to be taken apart."""
        self.found |= {id(n) for n in self.acting.inside(e, whole)}
        return self.is_apart(e)

    def is_apart(self, e: ast.expr) -> bool:
        assigned = not self.around.early and _assigned(e)
        return bool(assigned) or (bool(self.found) and any(id(n) in self.found for n in walk(e)))

    def taken(self, e: ast.expr, whole: bool = False) -> ast.expr:
        """An expression of a statement, which may stay `whole` otherwise."""
        return self.value(e) if self.apart(e, whole) else e

    def with_arguments(self, e: ast.Call) -> ast.Call:
        """A call with arguments that were computed before it."""
        return replace(e, args=[self.kept(self.taken(a)) for a in e.args])

    def value(self, e: ast.expr) -> ast.expr:
        """The expression that is left when the assignments in it are done."""
        if not self.is_apart(e):
            return e
        match e:
            case ast.NamedExpr(target=target, value=value):
                self.before.append(assign(target.id, self.value(value), self.s))
                return name(target.id)
            case ast.BoolOp(op=op, values=[first, *rest]) if any(map(self.is_apart, rest)):
                return self.short(op, first, rest[0] if len(rest) == 1 else replace(e, values=rest))
            case ast.Compare(left=left, ops=[op, *ops], comparators=[first, *rest]) if any(map(self.is_apart, rest)):
                left = self.kept(self.value(left), None if self.is_apart(first) else set())
                middle = self.kept(self.value(first))
                return self.short(ast.And(), ast.Compare(left, [op], [middle]), ast.Compare(middle, ops, rest))
            case ast.IfExp(test=test, body=body, orelse=orelse) if self.is_apart(body) or self.is_apart(orelse):
                return self.either(self.value(test), body, orelse)
            case ast.Call(func=func) if (asked := self.acting.asked(e)) is not None:
                return self.asked(_generator(asked), self.context.scope.resolve(func) is any)
            case ast.Compare(left=left, ops=[op]) if (asked := self.acting.asked(e)) is not None:
                told = self.asked(_compared(asked, self.kept(self.value(left))), any_of=True)
                return told if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), told)
            case ast.Call(args=[ast.GeneratorExp() as items], keywords=[]) if self.acting.takes_all(e.func):
                return replace(e, args=[self.kept(_listed(items))])
            case ast.SetComp():
                return ast.Call(name(self.context.use("set", set)), [self.kept(_listed(e))], [])
            case ast.Call() if self.is_loop_later(e):
                return self.kept(self.parts(e))
            case ast.ListComp() | ast.DictComp():
                return self.kept(e)
            case ast.GeneratorExp():
                return e
            case _:
                return self.parts(e)

    def is_loop_later(self, e: ast.expr) -> bool:
        """Whether what has to be taken out of an expression is in comprehensions that become loops before it."""
        match e:
            case ast.ListComp() | ast.DictComp() | ast.GeneratorExp():
                return True
            case ast.Call(func=func, args=args) if self.acting.asked(e) is None and not self.acting.takes_all(func):
                inside = [a for a in args if isinstance(a, LOOPS)]
                others = [func, *(k.value for k in e.keywords), *(a for a in args if a not in inside)]
                return bool(inside) and not any(map(self.is_apart, others))
        return False

    def asked(self, items: ast.GeneratorExp, any_of: bool) -> ast.expr:
        """`any` and `all` of items, as a loop that ends where they do."""
        held = self.named("found" if any_of else "all_hold")
        own = {v: self.named(v) for g in items.generators for v in target_names(g.target)}
        ends: ast.expr = name(held) if any_of else ast.UnaryOp(ast.Not(), name(held))
        test = rename(items.elt, own)
        told = test if any_of else ast.UnaryOp(ast.Not(), test)
        body: list[ast.stmt] = [assign(held, constant(any_of), self.s), at(ast.Break(), self.s)]
        body = [at(ast.If(told, body, []), self.s)]
        first = items.generators[0]
        for g in reversed(items.generators):
            for condition in reversed(g.ifs):
                body = [at(ast.If(rename(condition, own), body, []), self.s)]
            over = self.value(g.iter) if g is first else rename(g.iter, own)
            body = [at(ast.For(rename(g.target, own), over, body, []), self.s)]
            body += [] if g is first else [at(ast.If(ends, [at(ast.Break(), self.s)], []), self.s)]
        self.before += [assign(held, constant(not any_of), self.s), *self.around.block(body)]
        return name(held)

    def named(self, base: str) -> str:
        """A variable of the function's own."""
        found = self.context.names.numbered(base)
        self.context.scope.local.add(found)
        return found

    def short(self, op: ast.boolop, first: ast.expr, rest: ast.expr) -> ast.expr:
        """`first and rest`, with statements in the second."""
        held = self.named("test")
        self.before.append(assign(held, self.value(first), self.s))
        test: ast.expr = name(held) if isinstance(op, ast.And) else ast.UnaryOp(ast.Not(), name(held))
        self.before.append(at(ast.If(test, self.into(held, rest), []), self.s))
        return name(held)

    def either(self, test: ast.expr, then: ast.expr, other: ast.expr) -> ast.expr:
        held = self.named("chosen")
        self.before.append(at(ast.If(test, self.into(held, then), self.into(held, other)), self.s))
        return name(held)

    def into(self, held: str, e: ast.expr) -> list[ast.stmt]:
        inner = _Order(self.s, self.around)
        inner.found = self.found
        value = inner.value(e)
        return [*inner.before, assign(held, value, self.s)]

    def parts(self, e: ast.expr) -> ast.expr:
        """The operands in their order; those before the last assignment are kept where it could change them."""
        operands = list(operands_of(e))
        last = max(i for i, x in enumerate(operands) if self.is_apart(x))
        new: dict[int, Any] = {}
        for i, x in enumerate(operands):
            later: set[str] = set().union(*map(_assigned, operands[i + 1 :]))
            found = self.value(x)
            function = isinstance(e, ast.Call) and x is e.func
            new[id(x)] = self.kept(found, later, function) if i < last else found
        return with_operands(e, new)

    def kept(self, e: ast.expr, later: set[str] | None = None, function: bool = False) -> ast.expr:
        """A value that stays what it is now; names in `later` are about to change (None: any may)."""
        root = e
        while function and isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(e, ast.Constant) or (isinstance(root, ast.Name) and later is not None and root.id not in later):
            return e
        if isinstance(e, ast.Starred):
            return ast.Starred(self.kept(e.value, later), ast.Load())
        if isinstance(e, ast.Slice):
            return replace(e, **{f: part and self.kept(part, later) for f, part in ast.iter_fields(e)})
        held = self.named("held")
        self.before.append(assign(held, e, self.s))
        return name(held)


def operands_of(e: ast.expr) -> Iterator[ast.expr]:
    """The expressions that an expression is made of, as Python evaluates them."""
    if isinstance(e, ast.Dict):
        for k, v in zip(e.keys, e.values):
            yield from (x for x in (k, v) if x is not None)
        return
    for child in ast.iter_child_nodes(e):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.keyword):
            yield child.value


def with_operands(e: ast.expr, new: dict[int, Any]) -> ast.expr:
    """An expression with other operands."""

    def part(v: Any) -> Any:
        if isinstance(v, list):
            return [part(x) for x in v]
        if isinstance(v, ast.keyword):
            return replace(v, value=part(v.value))
        return new.get(id(v), v)

    return replace(e, **{f: part(getattr(e, f)) for f in e._fields})
