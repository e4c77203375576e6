"""What an exception brings from another function to a handler that looks into it comes back as a result.

try:                                   names, brought = (), ()
    r = search(x)                      try:
except Found as e:             ->          told = search(x)             (source/telling.py)
    r = e.value                            if told[0] is not None:
                                               names, brought = told[2], told[1]
                                               raise error_told(told[0], told[1])
                                           r = told[1]
                                       except Found as e:
                                           place = place_told(names, "value")
                                           r = brought[place] if place is not None else without_numbers(e).value
"""

from __future__ import annotations

import ast

from tangent.normalise.brought import looked
from tangent.normalise.context import Context
from tangent.normalise.told import NestedFunctions
from tangent.runtime.checks import error_told, place_told, without_numbers
from tangent.source.telling import Hoisting, asking_call, brings, is_passed_on, raised, tellable, without_last_handler
from tangent.source.writing import may_write
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.walk import holds, walk

Body = list[ast.stmt]


def outcomes(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Ask functions what they raise, where a handler looks into it."""
    if not holds(f, ast.ExceptHandler) or not any(
        isinstance(n, ast.ExceptHandler) and (context.memory or looked(n)) for n in walk(f)
    ):
        return f
    nested = NestedFunctions(f, context)
    return replace(f, body=nested.beside(_block(f.body, context, nested)))


def _block(body: Body, context: Context, nested: NestedFunctions) -> Body:
    return [new for s in body for new in _statement(s, context, nested)]


def _statement(s: ast.stmt, context: Context, nested: NestedFunctions) -> Body:
    if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
        return [s]
    if isinstance(s, ast.Try) and s.handlers and is_passed_on(s.handlers[-1]):
        return _block(without_last_handler(s), context, nested)
    s = with_blocks(s, lambda b: _block(b, context, nested))
    if not isinstance(s, ast.Try) or not (context.memory or any(map(looked, s.handlers))):
        return [s]
    _refuse_returned(s, context)
    asked = _Asked(context, any(map(looked, s.handlers)), nested)
    body = asked.block(s.body)
    return asked.whole(replace(s, body=body)) if asked.tells else [s]


def _refuse_returned(s: ast.Try, context: Context) -> None:
    """What a generator returns in the end is not followed."""
    for h in s.handlers:
        ends = h.type is not None and context.scope.resolve(h.type) is StopIteration
        if ends and context.kept and "value" in looked(h):
            raise context.refuse(
                looked(h)["value"], "what a generator returns", "only what it yields is followed",
                "Yield it last, or keep it in a list.",
            )  # fmt: skip


class _Asked(Hoisting):
    def __init__(self, context: Context, looks: bool, nested: NestedFunctions) -> None:
        self.looks, self.nested = looks, nested
        self.context, self.names = context, context.names
        self.tells = False
        self.places, self.brought = self.fresh("brought_names"), self.fresh("brought")

    def fresh(self, base: str) -> str:
        found = self.context.names.numbered(base)
        self.context.scope.local.add(found)
        return found

    def asking(self, e: ast.Call) -> ast.expr | None:
        if (inner := self.nested.asking(e, not self.looks)) is not None:
            return inner
        resolve, function = self.context.scope.resolve, self.context.source.function
        found = [] if self.context.has_rule(resolve(e.func)) else tellable(e, resolve, function)
        if not self.looks:  # what they have changed is not lost
            found = [g for g in found if may_write(g)]
        return asking_call(e, found[0], resolve, self.context.use, function, self.context.memory) if found else None

    def leaving(self, told: str, s: ast.stmt) -> Body:
        self.tells = True
        return self.raised(expression("t[0]", t=told), expression("t[1]", t=told), expression("t[2]", t=told), s)

    def raised(self, cls: ast.expr, given: ast.expr, places: ast.expr, s: ast.stmt) -> Body:
        """An exception, and what it brings; it is made first, since that may fail."""
        error, values = self.fresh("error"), self.fresh("values")
        made = call(self.context.use("error_told", error_told), cls, name(values))
        return [
            assign(values, given, s), assign(error, made, s), assign(self.places, places, s),
            assign(self.brought, name(values), s), at(ast.Raise(name(error)), s),
        ]  # fmt: skip

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.If() | ast.For() | ast.While():
                return [with_blocks(s, self.block)]
            case ast.Raise() if (found := raised(s, self.context.scope.resolve)) is not None and found[2]:
                cls, func, given = found
                return self.raised(func, ast.Tuple(given, ast.Load()), brings(cls, len(given)), s)
            case _:
                return self.opened(s)

    def whole(self, s: ast.Try) -> Body:
        start: Body = [assign(v, ast.Tuple([], ast.Load()), s) for v in (self.places, self.brought)]
        return [*start, replace(s, handlers=[replace(h, body=self.handled(h)) for h in s.handlers])]

    def handled(self, h: ast.ExceptHandler) -> Body:
        texts = {ast.unparse(e): key for key, e in looked(h).items()}
        first: Body = []
        held = {key: self.fresh("place") for key in sorted(set(texts.values()))}
        for key, place in held.items():
            found = call(self.context.use("place_told", place_told), name(self.places), constant(key))
            first.append(assign(place, found, h.body[0]))

        def change(e: ast.expr) -> ast.expr:
            if not isinstance(e, (ast.Attribute, ast.Subscript)) or (key := texts.get(ast.unparse(e))) is None:
                return e
            asked = call(self.context.use("without_numbers", without_numbers), name(h.name or ""))
            owner = ast.Attribute(asked, "args", ast.Load()) if isinstance(e, ast.Subscript) else asked
            item = name(self.brought) if key == "args" else expression("b[p]", b=self.brought, p=held[key])
            test = expression("p is not None", p=held[key])
            return ast.copy_location(ast.IfExp(test, item, replace(e, value=owner)), e)

        return [*first, *(rebuild(x, change) for x in h.body)]
