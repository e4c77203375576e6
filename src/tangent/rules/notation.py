"""Read rules: from a definition in the notation to a `Rule`, and from a rule and a call to derivative code."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from tangent.errors import Location, RuleError
from tangent.syntax.quote import fill
from tangent.syntax.rebuild import rebuild
from tangent.syntax.uses import expression_reads

Kind = Literal["elementwise", "linear", "general", "zero", "custom"]


@dataclass(frozen=True)
class Parameter:
    name: str
    default: ast.expr | None = None
    star: bool = False
    keyword_only: bool = False


@dataclass(frozen=True)
class Rule:
    """How one function is differentiated; expressions are over the names of its result and parameters."""

    name: str
    kind: Kind
    result: str = "y"
    parameters: tuple[Parameter, ...] = ()
    adjoint: tuple[ast.Assign, ...] = ()
    tangent: tuple[ast.Assign, ...] = ()
    where: Location | None = None
    operands: frozenset[str] = field(default=frozenset())
    fitted: frozenset[str] = field(default=frozenset())  # operands whose adjoint is summed and cast to them
    cast: frozenset[str] = field(default=frozenset())  # operands whose tangent is stretched and cast to the result
    unread: bool = False  # whether it tells results that nothing reads from those whose adjoint is zero
    scope: Mapping[str, Any] = field(default_factory=dict, compare=False)  # what names of a user's template mean

    def reads(self, wanted: Iterable[str]) -> frozenset[str]:
        """Which of its own names (result, operands) the adjoint lines of some operands read."""
        return _slice_reads(self.adjoint, frozenset(wanted))


@dataclass(frozen=True)
class Binding:
    """A call fitted to a rule: an expression for each parameter."""

    rule: Rule
    values: Mapping[str, ast.expr]

NOTATION = "docs/rules.md shows how a rule is written."


def parse_rules(text: str, kind: Kind, file: str) -> list[Rule]:
    """All rules of a file."""
    found = []
    known: dict[str, ast.FunctionDef] = {}
    for node in ast.parse(text, file).body:
        if isinstance(node, ast.FunctionDef):
            node.body = [line for s in node.body for line in _spelled_out(s, known)]
            known[node.name] = node
            found.append(parse_rule(node, kind, file, text.splitlines()))
    return found

NOTATION = "docs/rules.md shows how a rule is written."


def _spelled_out(s: ast.stmt, known: Mapping[str, ast.FunctionDef]) -> list[ast.stmt]:
    """`like(var, where=m)` stands for the lines of a rule above it, with m for its `where`."""
    match s:
        case ast.Expr(value=ast.Call(func=ast.Name(id="like"), args=[ast.Name(id=other)], keywords=changes)):
            parts: dict[str, ast.expr | str] = {k.arg or "": k.value for k in changes}
            lines = [fill(line, parts) for line in known[other].body]
            return [line for line in lines if isinstance(line, ast.stmt)]
        case _:
            return [s]


def parse_rule(node: ast.FunctionDef, kind: Kind, file: str, lines: Sequence[str] = ()) -> Rule:
    """One definition in the notation; anything malformed is refused here, with its line.

    >>> rule = parse_rule(ast.parse("def tanh(y, x): d[x] = d[y] * (1.0 - y * y)").body[0], "elementwise", "doc")
    >>> rule.name, sorted(rule.operands), sorted(rule.reads(["x"]))
    ('tanh', ['x'], ['y'])
    """

    def refuse(at: ast.AST, why: str) -> RuleError:
        line = getattr(at, "lineno", node.lineno)
        text = lines[line - 1] if 0 < line <= len(lines) else ast.unparse(at)
        return RuleError(f"malformed rule '{node.name}'", Location(file, line, text, 0, len(text)), why, NOTATION)

    parameters = _parameters(node.args)
    fitted = cast = _left_out(node, parameters)
    unread = False
    for decorator in node.decorator_list:
        match decorator:
            case ast.Name(id="linear"):
                kind = "linear"
            case ast.Name(id="elementwise"):
                kind = "elementwise"
            case ast.Name(id="fitted"):
                fitted = frozenset(p.name for p in parameters)
            case ast.Call(func=ast.Name(id="fitted"), args=args):
                fitted |= {e.id for e in args if isinstance(e, ast.Name)}
            case ast.Name(id="cast"):
                cast = frozenset(p.name for p in parameters)
            case ast.Name(id="unread"):
                unread = True
            case _:
                raise refuse(decorator, "the kinds are @elementwise and @linear, the marks @fitted, @cast and @unread")
    plain = [*node.args.posonlyargs, *node.args.args]
    if not plain:
        raise refuse(node, "the first parameter is the result")
    result, known = plain[0].arg, {p.name for p in parameters}
    adjoint: list[ast.Assign] = []
    tangent: list[ast.Assign] = []
    for s in node.body:
        match s:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id="d"), slice=ast.Name(id=who))]):
                if who != result and who not in known:
                    raise refuse(s, f"d[{who}]: '{who}' is neither the result nor a parameter")
                (tangent if who == result else adjoint).append(s)
            case ast.Assign(targets=[ast.Name() | ast.Tuple()]):
                adjoint.append(s)
                tangent.append(s)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                continue
            case _:
                raise refuse(s, "a rule is made of assignments to d[...] and to local names")
    operands = {w for s in adjoint if (w := _derivative_of(s.targets[0]))}
    if not any(_derivative_of(s.targets[0]) for s in tangent):
        tangent = []
    reads = {w for s in tangent for w in _derivatives_read(s.value)}
    operands |= reads - {result}
    if not operands and kind != "zero":
        raise refuse(node, "no line 'd[operand] = ...'")
    if kind == "general" and not tangent:
        raise refuse(node, "a tangent line 'd[result] = ...' is missing (or mark the rule @linear)")
    for s in _sliced(adjoint, operands):
        if not _derivatives_read(s.value) <= {result}:
            raise refuse(s, "an adjoint line reads d[result] only")
    for s in _sliced(tangent, {result}):
        if result in _derivatives_read(s.value):
            raise refuse(s, "a tangent line reads d[operand] only")
    where = Location(file, node.lineno, f"def {node.name}")
    return Rule(
        node.name, kind, result, parameters, tuple(adjoint), tuple(tangent), where, frozenset(operands), fitted, cast,
        unread,
    )  # fmt: skip


def _parameters(args: ast.arguments) -> tuple[Parameter, ...]:
    plain = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
    found = [Parameter(a.arg, default) for a, default in zip(plain, defaults)][1:]
    if args.vararg:
        found.append(Parameter(args.vararg.arg, star=True))
    found += [Parameter(a.arg, default, keyword_only=True) for a, default in zip(args.kwonlyargs, args.kw_defaults)]
    return tuple(found)


def _left_out(node: ast.FunctionDef, parameters: Iterable[Parameter]) -> frozenset[str]:
    """Operands that may be left out: they take no part in the dtype of the result, and a number is spread over it.

    A kernel that is given the operand itself, or that is differentiated here, knows what they look like.
    """
    optional = {p.name for p in parameters if p.default}
    for s in node.body:
        match s:
            case ast.Assign(targets=[ast.Subscript() as target], value=ast.Call(func=ast.Name(id=kernel), args=args)):
                given = {_derivative_of(target)} & {e.id for e in args if isinstance(e, ast.Name)}
                optional -= optional if kernel == node.name else given
    return frozenset(optional)


def _derivative_of(e: ast.expr) -> str:
    match e:
        case ast.Subscript(value=ast.Name(id="d"), slice=ast.Name(id=who)):
            return who
        case _:
            return ""


def _derivatives_read(e: ast.expr) -> set[str]:
    return {w for n in ast.walk(e) if isinstance(n, ast.expr) and (w := _derivative_of(n))}


def _target_names(s: ast.Assign) -> list[str]:
    target = s.targets[0]
    return [e.id for e in (target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(e, ast.Name)]


def _sliced(lines: Sequence[ast.Assign], wanted: set[str]) -> list[ast.Assign]:
    """The lines for some derivatives, and the local names they need."""
    kept: list[ast.Assign] = []
    needed: set[str] = set()
    for s in reversed(lines):
        if _derivative_of(s.targets[0]) in wanted or needed & set(_target_names(s)):
            kept.append(s)
            needed |= _own_reads(s.value)
    return kept[::-1]


@lru_cache(maxsize=4096)
def _slice_reads(lines: tuple[ast.Assign, ...], wanted: frozenset[str]) -> frozenset[str]:
    kept = _sliced(lines, set(wanted))
    local = {n for s in kept for n in _target_names(s)}
    return frozenset().union(*(_own_reads(s.value) for s in kept)) - local - {"np"}


def _own_reads(e: ast.expr) -> set[str]:
    """Names an expression reads, those inside `d[...]` apart."""
    return {n for n in expression_reads(_named(e)) if not n.startswith("d[")}


def instantiate(
    lines: Sequence[ast.Assign],
    wanted: Sequence[str],
    values: Mapping[str, ast.expr],
    derivatives: Mapping[str, ast.expr],
    fresh: dict[str, str],
) -> tuple[list[ast.Assign], dict[str, ast.expr]]:
    """Code for the wanted derivatives: statements for the local names, and an expression for each."""
    kept = _sliced(lines, set(wanted))
    parts: dict[str, ast.expr | str] = {**values, **fresh, **{f"d[{k}]": e for k, e in derivatives.items()}}
    before: list[ast.Assign] = []
    found: dict[str, ast.expr] = {}
    for s in kept:
        value = fill(_named(s.value), parts)
        assert isinstance(value, ast.expr)
        if who := _derivative_of(s.targets[0]):
            found[who] = value
        else:
            target = fill(s.targets[0], dict(fresh))
            assert isinstance(target, ast.expr)
            before.append(ast.Assign([target], value))
    return before, found


@lru_cache(maxsize=4096)
def _named(e: ast.expr) -> ast.expr:
    """An expression of a template with its derivatives as names."""
    return rebuild(e, _as_name)


def _as_name(e: ast.expr) -> ast.expr:
    """`d[x]` as one name, so that substitution does not look into it."""
    who = _derivative_of(e)
    return ast.Name(f"d[{who}]", ast.Load()) if who else e


def local_names(lines: Sequence[ast.Assign], wanted: Sequence[str]) -> list[str]:
    """The local names that the lines for some derivatives make."""
    return list(dict.fromkeys(n for s in _sliced(lines, set(wanted)) for n in _target_names(s)))
