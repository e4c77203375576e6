"""What the function that was asked for looks at before it runs: other arguments, helpers redefined, seeds that fit."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.codegen.changes import Changes, defaults_of, dependencies
from tangent.codegen.late import asked_first, with_another
from tangent.source.resolve import MISSING
from tangent.syntax.quote import call, expression, name
from tangent.syntax.rebuild import function_node
from tangent.syntax.uses import arguments
from tangent.transform.generated import Generated

NUMBERS = frozenset((float, int, np.float64, *(np.dtype(kind).type for kind in "bhilqBHILQ")))  # of one precision


def is_presumed(kind: str, x: Any) -> bool:
    """Whether an argument is what a parameter is taken for (transform/presumed.py)."""
    match kind.split():
        case ["number"]:
            return type(x) in NUMBERS
        case ["items"]:
            return are_items(x)
        case ["fields"]:
            return type(x) is dict and all(type(v) in NUMBERS for v in x.values())
        case [_, *names]:
            held = getattr(x, "__dict__", {})
            return all(type(held.get(v)) in NUMBERS for v in names)
        case _:
            return False


def are_items(x: Any) -> bool:
    """Whether something is a vector of double precision, or holds numbers of such precision by their places."""
    if isinstance(x, np.ndarray):
        return x.ndim == 1 and x.dtype == np.float64 and type(x) is np.ndarray
    return isinstance(x, (tuple, list)) and all(type(v) in NUMBERS for v in x)


def guarded(
    node: ast.FunctionDef, entry: Generated, callees: list[Generated], extra: dict[str, Any],
    checks: list[ast.stmt] | None = None,
) -> ast.FunctionDef:  # fmt: skip
    """The definition with its checks around the body; what they need goes to `extra`."""
    before = _presuming(entry, node.args) if "_anything" in extra else []
    before += _apart(entry)
    if "_copying" in extra and (test := _given_containers(entry, node.args)) is not None:
        before.append(ast.If(test, [ast.Return(_same_call(node.args, "_other"))], []))
    again = _same_call(node.args, "_other")
    if "_late" in extra:
        before.append(asked_first(again))
    if "_version" in extra:
        before += _choosing(node.args)
    outdated = stale(entry, callees, extra)
    if outdated is not None:
        before.append(ast.If(outdated, [ast.Return(_same_call(node.args))], []))
    if "_objects" in extra and (test := _overloaded(entry, node.args)) is not None:
        before.append(ast.If(test, [ast.Return(_same_call(node.args, "_other"))], []))
    checking = argument_checks(entry, node.args, "_lists" in extra) if checks is None else checks
    handler = ast.ExceptHandler(
        name("_Exception"), "_error", [ast.Expr(call("_annotate", name("_error"))), ast.Raise()]
    )
    attempt: list[ast.stmt] = [ast.Try([*checking, *node.body], [handler], [], [])]
    if "_late" in extra:
        attempt = with_another([*checking, *node.body], node.args, again)
    body = [*before, *attempt]
    rules = ast.withitem(call("_rules"))
    if "_rules" in extra:
        body = [ast.With([rules], body)]
    own = {id(s) for s in node.body}
    for inner in (inner for s in (*body, rules) for inner in _outside(s, own)):
        ast.copy_location(inner, node)
    return ast.copy_location(function_node(node.name, node.args, body), node)


def _outside(node: ast.AST, own: set[int]) -> Iterator[ast.AST]:
    """All nodes but those of the derivative itself."""
    if id(node) not in own:
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _outside(child, own)


def _presuming(entry: Generated, args: ast.arguments) -> list[ast.stmt]:
    """Arguments that are not the numbers they are taken for have another derivative."""
    tests = [
        expression(f"_type({p}) not in _numbers" if kind == "number" else f"not _is_presumed({kind!r}, {p})")
        for p, kind in sorted(entry.presumed.items())
    ]
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
    return [ast.If(test, [ast.Return(_same_call(args, "_anything"))], [])]


def _apart(entry: Generated) -> list[ast.stmt]:
    """Arguments that are changed, but treated as values, are looked at: nobody else may hold them."""
    return [
        ast.If(
            expression(f"_type({p}) is not _float"),
            [ast.Expr(call("_require_apart", name(p), ast.Tuple([name(v) for v in others], ast.Load()),
                           *(ast.Constant(x) for x in (place.file, place.line, place.text))))], [],
        )
        for p, others, place in entry.apart
    ]  # fmt: skip


def stale(entry: Generated, callees: list[Generated], extra: dict[str, Any]) -> ast.expr | None:
    """Whether a name no longer means the function or module that was read."""
    tests: list[ast.expr] = []
    for path, value in entry.seen.items():
        if getattr(builtins, path, MISSING) is value or isinstance(value, types.FunctionType):
            continue
        held = f"_seen{len(tests)}"
        extra[held] = value
        tests.append(expression(f"{path} is not {held}"))
    if "_changed" not in extra and (elsewhere := dependencies([entry, *callees])):
        extra["_changed"] = Changes(elsewhere)
    if "_changed" in extra:
        tests.append(call("_changed"))
    if (defaults := defaults_of(entry.primal)) is not None:
        extra["_defaults"] = defaults
        tests.append(call("_defaults"))
    if not tests:
        return None
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)


def asked_names(entry: Generated, args: ast.arguments) -> list[str]:
    """The parameters that may be objects, in the order in which they are looked at."""
    plain = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs) if a.arg not in entry.seeds.values()]
    return [*plain, *(a.arg for a in (args.vararg, args.kwarg) if a is not None)]


def _overloaded(entry: Generated, args: ast.arguments) -> ast.expr | None:
    """Whether an argument is an object for which there is other code."""
    names = asked_names(entry, args)
    if not names:
        return None
    tests = [expression(f"_type({v}) is not _float and _holds_objects({v})") for v in names]
    holds = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
    values = ", ".join(names)
    return ast.BoolOp(ast.And(), [holds, expression(f"(_other := _objects(({values},))) is not None")])


def _given_containers(entry: Generated, args: ast.arguments) -> ast.expr | None:
    """Whether an argument that is written into is a list or dict for which there is other code."""
    plain = [a.arg for a in arguments(args) if a.arg not in entry.seeds.values()]
    owned = [v for v in plain if v in entry.owned]
    if not owned:
        return None
    tests = " or ".join(f"_type({v}) is _list or _type({v}) is _dict or _type({v}) is _tuple" for v in owned)
    pairs, every = ", ".join(f"'{v}': {v}" for v in owned), ", ".join(plain)
    return expression(f"({tests}) and (_other := _copying({{{pairs}}}, ({every},))) is not None")


def _choosing(args: ast.arguments) -> list[ast.stmt]:
    """If there is a version for such arguments, it is called."""
    given: list[ast.expr] = [name(a.arg) for a in arguments(args)]
    chosen = ast.Assign([ast.Name("_chosen", ast.Store())], call("_version", *given))
    return [chosen, ast.If(expression("_chosen is not None"), [ast.Return(call("_chosen", *given))], [])]


def _same_call(args: ast.arguments, made: str = "_renew") -> ast.expr:
    """The call of the renewed derivative with the arguments of this one."""
    positional: list[ast.expr] = [name(a.arg) for a in (*args.posonlyargs, *args.args)]
    if args.vararg:
        positional.append(ast.Starred(name(args.vararg.arg), ast.Load()))
    keywords: list[ast.keyword] = []
    other: ast.expr = name(made) if made == "_other" else call(made)
    if args.kwonlyargs:  # seeds among them may have other names there
        if made != "_other":
            other = ast.NamedExpr(ast.Name("_other", ast.Store()), other)
        values = ast.Tuple([name(a.arg) for a in args.kwonlyargs], ast.Load())
        keywords.append(ast.keyword(None, call("_by_place", name("_other"), values)))
    if args.kwarg:
        keywords.append(ast.keyword(None, name(args.kwarg.arg)))
    return ast.Call(other, positional, keywords)


def by_place(function: types.FunctionType, values: tuple[Any, ...]) -> dict[str, Any]:
    """Keywords for the parameters of a function that are given by keyword only, in their order.

    >>> def g(x, *more, k, bout): ...
    >>> by_place(g, (1.0, 2.0))
    {'k': 1.0, 'bout': 2.0}
    """
    code = function.__code__
    return dict(zip(code.co_varnames[code.co_argcount :], values, strict=False))


def argument_checks(entry: Generated, args: ast.arguments, lists: bool = False) -> list[ast.stmt]:
    """All that a derivative looks at before it runs."""
    return kinds_checked(entry, args, lists) + shapes_checked(entry)


def kinds_checked(entry: Generated, args: ast.arguments, lists: bool) -> list[ast.stmt]:
    """Arguments are arrays as NumPy makes them; lists have a derivative of their own, those in arithmetic none."""
    plain = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs) if a.arg not in entry.seeds.values()]
    if not plain:
        return []
    tests = [expression(f"_type({v}) is not _float") for v in plain]
    pairs = ast.Dict([ast.Constant(v) for v in plain], [name(v) for v in plain])
    numbers = ast.Tuple([ast.Constant(v) for v in entry.numbers], ast.Load())
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
    looked: list[ast.expr] = [name("_arrays"), name("_items")] if lists else []
    given = call("_check_arguments", pairs, numbers, *looked)
    if entry.written:
        written = ast.Tuple([ast.Constant(v) for v in entry.written], ast.Load())
        given.keywords.append(ast.keyword("written", written))
    if not lists:
        return [ast.If(test, [ast.Expr(given)], [])]
    return [ast.If(test, [ast.If(given, [ast.Return(_same_call(args, "_lists"))], [])], [])]


def shapes_checked(entry: Generated) -> list[ast.stmt]:
    """Shapes are looked at only where an argument is not a plain float."""
    if "" in entry.seeds:
        if entry.check is None:
            return []
        seed = entry.seeds[""]
        involved = dict.fromkeys((seed, *entry.check, *entry.dtypes))
        tests = [expression(f"_type({v}) is not _float") for v in involved]
        shapes, dtypes = (ast.Tuple([name(v) for v in names], ast.Load()) for names in (entry.check, entry.dtypes))
        check = call("_check_seed", name(seed), shapes, dtypes, ast.Constant(entry.exact))
        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
        return [ast.If(test, [ast.Assign([ast.Name(seed, ast.Store())], check)], [])]
    return [
        ast.If(
            ast.BoolOp(ast.Or(), [expression(f"_type({v}) is not _float"), expression(f"_type({seed}) is not _float")]),
            [ast.Expr(call("_check_tangent", name(seed), name(v), ast.Constant(v)))], [],
        )
        for v, seed in entry.seeds.items()
    ]  # fmt: skip
