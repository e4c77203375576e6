"""`match` becomes a chain of branches: what a pattern asks for is a condition, what it binds are assignments.

match shape:                       if shape == "square":
    case "square": A                   A
    case ("circle", r): B    ->    elif is_sequence(shape, 2) and shape[0] == "circle":
    case _: C                          r = shape[1]; B
                                   else: C
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from tangent.normalise.context import Context
from tangent.runtime.library import subset
from tangent.runtime.patterns import is_mapping, is_sequence, other_keys
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.walk import holds, walk

WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def matches(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not holds(f, ast.Match):
        return f
    return replace(f, body=_block(f.body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    s = with_blocks(s, lambda body: _block(body, context))
    if not isinstance(s, ast.Match):
        return [s]
    subject, before = s.subject, []
    if not isinstance(subject, ast.Name) or subject.id in _bound_anywhere(s):
        held = context.names.numbered("subject")
        subject, before = name(held), [assign(held, s.subject, s)]
    return [*before, *_chain(s.cases, subject, s, context)]


def _bound_anywhere(s: ast.Match) -> set[str]:
    return {n for c in s.cases for p in walk(c.pattern) for n in [_binds(p)] if n}


def _binds(p: ast.AST) -> str | None:
    match p:
        case ast.MatchAs(name=name_) | ast.MatchStar(name=name_):
            return name_
        case ast.MatchMapping(rest=rest):
            return rest
        case _:
            return None


def _chain(cases: list[ast.match_case], subject: ast.Name, like: ast.stmt, context: Context) -> list[ast.stmt]:
    """The first case that fits, else the rest; where a guard reads what its pattern binds, a flag tells which."""
    if not cases:
        return []
    first, *rest = cases
    found = _Pattern(context, first.pattern)
    found.read(first.pattern, subject)
    bindings: list[ast.stmt] = [assign(v, e, like) for v, e in found.bound.items()]
    guard = first.guard
    if guard is not None and bindings:
        done = context.names.numbered("matched")
        inner = at(ast.If(guard, [assign(done, constant(True), like), *first.body], []), first.body[0])
        fits = at(ast.If(found.test(), [*bindings, inner], []), first.body[0])
        other = _chain(rest, subject, like, context)
        after = [at(ast.If(ast.UnaryOp(ast.Not(), name(done)), other, []), other[0])] if other else []
        return [assign(done, constant(False), like), fits, *after]
    test = found.test() if guard is None else _all([*found.tests, guard])
    if isinstance(test, ast.Constant) and test.value is True:
        return [*bindings, *first.body]
    return [at(ast.If(test, [*bindings, *first.body], _chain(rest, subject, like, context)), first.body[0])]


def _all(tests: list[ast.expr]) -> ast.expr:
    if not tests:
        return constant(True)
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


@dataclass
class _Pattern:
    """What a pattern asks for, in order, and what it binds."""

    context: Context
    whole: ast.pattern
    tests: list[ast.expr] = field(default_factory=list)
    bound: dict[str, ast.expr] = field(default_factory=dict)

    def test(self) -> ast.expr:
        return _all(self.tests)

    def ask(self, function: Callable[..., object], *args: ast.expr) -> None:
        self.tests.append(call(self.context.use(function.__name__, function), *args))

    def read(self, p: ast.pattern, e: ast.expr) -> None:
        match p:
            case ast.MatchAs(pattern=inner, name=v):
                if inner is not None:
                    self.read(inner, e)
                if v is not None:
                    self.bound[v] = e
            case ast.MatchValue(value=value):
                self.tests.append(ast.Compare(e, [ast.Eq()], [value]))
            case ast.MatchSingleton(value=value):
                self.tests.append(ast.Compare(e, [ast.Is()], [constant(value)]))
            case ast.MatchSequence(patterns=parts):
                self.sequence(parts, e)
            case ast.MatchMapping(keys=keys, patterns=parts, rest=rest):
                self.mapping(keys, parts, rest, e)
            case ast.MatchClass(cls=cls, patterns=parts, kwd_attrs=attributes, kwd_patterns=named):
                self.of_class(cls, parts, dict(zip(attributes, named)), e, p)
            case ast.MatchOr(patterns=ways):
                self.either(ways, e)
            case _:
                raise self.context.refuse(
                    p, f"the pattern '{type(p).__name__}'", "it is not known here", "Write it with 'if'."
                )

    def sequence(self, parts: list[ast.pattern], e: ast.expr) -> None:
        star = next((i for i, p in enumerate(parts) if isinstance(p, ast.MatchStar)), None)
        if star is None:
            self.ask(is_sequence, e, constant(len(parts)))
            for i, p in enumerate(parts):
                self.read(p, expression("e[i]", e=e, i=constant(i)))
            return
        behind = len(parts) - star - 1
        self.ask(is_sequence, e, constant(len(parts) - 1), constant(True))
        for i, p in enumerate(parts[:star]):
            self.read(p, expression("e[i]", e=e, i=constant(i)))
        rest = parts[star]
        if isinstance(rest, ast.MatchStar) and rest.name is not None:
            stop = constant(-behind) if behind else None
            piece = ast.Subscript(e, ast.Slice(constant(star), stop, None), ast.Load())
            self.bound[rest.name] = call(self.context.builtin("list"), piece)
        for i, p in enumerate(parts[star + 1 :]):
            self.read(p, expression("e[i]", e=e, i=constant(i - behind)))

    def mapping(self, keys: list[ast.expr], parts: list[ast.pattern], rest: str | None, e: ast.expr) -> None:
        self.ask(is_mapping, e)
        for key, p in zip(keys, parts):
            self.tests.append(ast.Compare(key, [ast.In()], [e]))
            self.read(p, expression("e[k]", e=e, k=key))
        if rest is not None:
            taken = ast.Tuple(list(keys), ast.Load())
            others = call(self.context.use("other_keys", other_keys), e, taken)
            self.bound[rest] = call(self.context.use("subset", subset), e, others)

    def of_class(
        self, cls: ast.expr, parts: list[ast.pattern], named: dict[str, ast.pattern], e: ast.expr, p: ast.pattern
    ) -> None:
        self.tests.append(call(self.context.builtin("isinstance"), e, cls))
        found = self.context.scope.resolve(cls)
        if parts and not isinstance(found, type):
            raise self.context.refuse(
                p, f"the pattern '{ast.unparse(p)}'", f"'{ast.unparse(cls)}' is not known before the function runs",
                "Name the attributes in the pattern.",
            )  # fmt: skip
        if len(parts) == 1 and found in WHOLE:
            self.read(parts[0], e)
            parts = []
        order = getattr(found, "__match_args__", ())
        if len(parts) > len(order):
            raise self.context.refuse(
                p, f"the pattern '{ast.unparse(p)}'", f"the class has {len(order)} places", "Name attributes."
            )
        for attribute, inner in [*zip(order, parts), *named.items()]:
            if not hasattr(found, attribute) and not isinstance(found, type):
                self.tests.append(call(self.context.builtin("hasattr"), e, constant(attribute)))
            self.read(inner, ast.Attribute(e, attribute, ast.Load()))

    def either(self, ways: list[ast.pattern], e: ast.expr) -> None:
        """Alternatives; what they bind is what the first that fits binds."""
        found = []
        for p in ways:
            inner = _Pattern(self.context, self.whole)
            inner.read(p, e)
            found.append(inner)
        self.tests.append(ast.BoolOp(ast.Or(), [way.test() for way in found]))
        for v in found[0].bound:
            value = found[-1].bound[v]
            for way in reversed(found[:-1]):
                if ast.dump(way.bound[v]) != ast.dump(value):
                    value = ast.IfExp(way.test(), way.bound[v], value)
            self.bound[v] = value
