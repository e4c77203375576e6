"""Records of numbers in loops over ranges, in arrays: their length is known, and the loop's variable is the place.

h_stack = []                              h_stack = np.empty(max(n, 0))
for i in range(n):                        for i in range(n):
    h_stack.append(h)              ->         h_stack[i] = h
...                                       ...
for i in reversed(range(n)):              for i in reversed(range(n)):
    h = h_stack.pop()                         h = h_stack[i]
"""

from __future__ import annotations

import ast

from tangent.optimise.dead import local_stacks
from tangent.optimise.typed.affine import added, linear, scaled, written
from tangent.optimise.typed.kinds import Kind, Number, Stack
from tangent.syntax.core import is_range
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import expression_reads, writes

READERS = frozenset(
    "len init_grad lazy_zero add_item settled unbroadcast broadcast_like spread check_seed copy scatter range max min "
    "float abs ratio times shadow require_same matmul where as_given add_part".split()
)
DTYPES = {"f8": "", "b1": "np.bool_", "i8": "np.int64"}


def records(
    body: list[ast.stmt], kinds: dict[str, Kind], np_name: str, max_name: str, parameters: set[str]
) -> list[ast.stmt]:
    """The body with arrays for lists, where that can be; what can be read again is not recorded.

    `np_name` and `max_name` stand for NumPy and Python's `max`, whatever the user calls by these names.
    """
    fitting: dict[str, tuple[ast.For, ast.stmt]] = {}
    index: dict[ast.stmt, ast.stmt] = {}
    places = _places(body)
    lengths = _lengths(body)
    fixed = unchanged(body, parameters)
    gone: set[str] = set()
    for v, stack in local_stacks(body).items():
        kind = kinds.get(v)
        if not (isinstance(kind, Stack) and isinstance(kind.item, Number) and kind.item.scalar):
            continue
        if kind.item.dtype not in DTYPES or len(stack.pushes) != 1 or len(stack.pops) != 1:
            continue
        there, back = places.get(stack.pushes[0]), places.get(stack.pops[0])
        if there is None or back is None or not _mirrored(there, back):
            continue
        if (again := _read_again(stack.pushes[0], there, fixed)) is not None:
            pop = stack.pops[0]
            assert isinstance(pop, ast.Assign)
            gone |= {v}
            index[stack.pushes[0]] = ast.Pass()
            index[pop] = replace(pop, value=again)
            continue
        shape = [_size(there, k, lengths) for k in range(len(there))]
        if None in shape:
            continue
        sizes = [_called(n, max_name) for n in shape if n is not None]
        fitting[v] = there[0], _made(v, sizes, kind.item.dtype, np_name, there[0])
        for s in (stack.pushes[0], stack.pops[0]):
            index[s] = _indexed(s, v, there)
    return _rebuilt(body, fitting, index, gone) if index else body


def unchanged(body: list[ast.stmt], parameters: set[str]) -> frozenset[str]:
    """Parameters that nothing changes: neither assigned, nor written into, nor handed to a call that might."""
    changed: set[str] = set()
    for s in statements(body):
        changed |= set(writes(s))
        if isinstance(s, (ast.If, ast.For, ast.While)):
            continue
        for n in ast.walk(s):
            match n:
                case ast.Subscript(value=ast.Name(id=v), ctx=ast.Store()):
                    changed.add(v)
                case ast.Call(func=ast.Name(id=f), args=args) if f not in READERS:
                    changed |= {a.id for a in args if isinstance(a, ast.Name)}
                case ast.Subscript(value=ast.Name(id=v), slice=ast.Slice() | ast.Tuple()) if _has_slice(n.slice):
                    changed.add(v)
    return frozenset(parameters - changed)


def _has_slice(index: ast.expr) -> bool:
    return any(isinstance(n, ast.Slice) for n in ast.walk(index))


def _read_again(push: ast.stmt, nest: Nest, fixed: frozenset[str]) -> ast.expr | None:
    """What is recorded, where it is an element of an array that does not change, at places that are known again."""
    assert isinstance(push, ast.Expr) and isinstance(push.value, ast.Call)
    item = push.value.args[0]
    if not isinstance(item, ast.Name):
        return None
    made = [s for s in statements(nest[0].body) if item.id in writes(s)]
    match made:
        case [ast.Assign(targets=[ast.Name()], value=ast.Subscript(value=ast.Name(id=x), slice=index) as again)]:
            known = fixed | {v for loop in nest for v in writes(loop)}
            inside = made[0] in nest[-1].body and x in fixed and not _has_slice(index)
            return again if inside and expression_reads(index) <= known else None
        case _:
            return None


Nest = tuple[ast.For, ...]


def _places(body: list[ast.stmt]) -> dict[ast.stmt, Nest]:
    """The loops around each push and pop, where all are `for` loops over ranges."""
    found: dict[ast.stmt, Nest] = {}

    def walk(block: list[ast.stmt], nest: Nest) -> None:
        for s in block:
            match s:
                case ast.If(body=then, orelse=other):
                    walk(then, nest)
                    walk(other, nest)
                case ast.For(target=ast.Name(), body=inner) if bounds(s) is not None:
                    walk(inner, (*nest, s))
                case _ if pushed(s) or popped(s):
                    if nest:
                        found[s] = nest

    walk(body, ())
    return found


def bounds(loop: ast.For) -> tuple[ast.expr, ast.expr] | None:
    """Start and stop of a loop over a range, forward or backward, in steps of one."""
    iter = loop.iter
    if isinstance(iter, ast.Call) and isinstance(iter.func, ast.Name) and iter.func.id == "reversed":
        iter = iter.args[0]
    if not is_range(iter) or not isinstance(iter, ast.Call) or len(iter.args) > 2:
        return None
    *start, stop = iter.args
    return (start[0] if start else constant(0)), stop


def _mirrored(there: Nest, back: Nest) -> bool:
    """Whether the second nest walks the first, with bounds and variables that last."""
    if len(there) != len(back) or there == back or there[0] is back[0]:
        return False
    for a, b in zip(there, back):
        if ast.dump(a.target) != ast.dump(b.target) or _text(a) != _text(b):
            return False
    outer = [s for nest in (there, back) for s in statements(nest[0].body)]
    changed = {v for s in outer if s not in there and s not in back for v in writes(s)}
    fixed = {v for loop in there for bound in bounds(loop) or () for v in expression_reads(bound)}
    variables = {v for loop in there for v in writes(loop)}
    if fixed & changed or len(variables) < len(there):
        return False
    return not any(v in writes(s) for loop in (*there, *back) for v in writes(loop) for s in statements(loop.body))


def _text(loop: ast.For) -> str:
    return " ".join(ast.unparse(b) for b in bounds(loop) or ())


def _size(nest: Nest, k: int, lengths: set[str]) -> ast.expr | None:
    """How often a loop of a nest runs, at most."""
    found = bounds(nest[k])
    assert found is not None
    start, stop = found
    outside = {v for loop in nest[:k] for v in writes(loop)}
    if (expression_reads(start) | expression_reads(stop)) & outside:
        return _most(ast.BinOp(stop, ast.Sub(), start), nest[:k])
    if isinstance(start, ast.Constant) and start.value == 0:
        sure = _is_length(stop) or (isinstance(stop, ast.Name) and stop.id in lengths)
        return stop if sure else expression("max(n, 0)", n=stop)
    return simplified_difference(stop, start)


def _called(size: ast.expr, max_name: str) -> ast.expr:
    """A size whose outermost function has this name."""
    match size:
        case ast.Call(func=ast.Name(id="max")):
            return replace(size, func=name(max_name))
        case _:
            return size


def _most(e: ast.expr, nest: Nest) -> ast.expr | None:
    """The greatest value of an expression inside of a nest, by the bounds of its loops."""
    found = linear(e, lambda v: v)
    for loop in reversed(nest):
        (v,), limits = writes(loop), bounds(loop)
        assert limits is not None
        if found is None or v not in found:
            continue
        start, stop = (linear(x, lambda v: v) for x in limits)
        end = added(stop, {"": -1}) if found[v] > 0 else start
        found = added({w: k for w, k in found.items() if w != v}, scaled(end, found[v]))
    return None if found is None else expression("max(n, 0)", n=written(found))


def simplified_difference(stop: ast.expr, start: ast.expr) -> ast.expr:
    match stop, start:
        case ast.Constant(value=int(b)), ast.Constant(value=int(a)):
            return constant(max(b - a, 0))
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=int(k))), ast.Constant(value=int(a)):
            return expression("max(n - k, 0)", n=left, k=constant(k + a))
        case _:
            return expression("max(n - a, 0)", n=stop, a=start)


def _is_length(e: ast.expr) -> bool:
    """`len(x)` or `x.shape[0]`, which are not negative."""
    match e:
        case ast.Call(func=ast.Name(id="len")) | ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Constant(value=int(n)):
            return n >= 0
        case _:
            return False


def _lengths(body: list[ast.stmt]) -> set[str]:
    """Names that only ever hold lengths."""
    good: set[str] = set()
    bad: set[str] = set()
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Attribute(attr="shape")):
                good |= {e.id for e in elts if isinstance(e, ast.Name)}
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if _is_length(value):
                good.add(v)
            case _:
                bad |= set(writes(s))
    return good - bad


def _made(v: str, shape: list[ast.expr], dtype: str, np_name: str, like: ast.stmt) -> ast.stmt:
    size = shape[0] if len(shape) == 1 else ast.Tuple(shape, ast.Load())
    args = [size, expression(DTYPES[dtype].replace("np", np_name, 1))] if DTYPES[dtype] else [size]
    return assign(v, ast.Call(expression(f"{np_name}.empty"), args, []), like)


def _indexed(s: ast.stmt, v: str, nest: Nest) -> ast.stmt:
    places: list[ast.expr] = []
    for loop in nest:
        found = bounds(loop)
        assert found is not None and isinstance(loop.target, ast.Name)
        at_zero = isinstance(found[0], ast.Constant) and found[0].value == 0
        i = name(loop.target.id)
        places.append(i if at_zero else ast.BinOp(i, ast.Sub(), found[0]))
    index = places[0] if len(places) == 1 else ast.Tuple(places, ast.Load())
    match s:
        case ast.Expr(value=ast.Call(args=[item])):
            return at(ast.Assign([ast.Subscript(name(v), index, ast.Store())], item), s)
        case ast.Assign(targets=targets):
            return at(ast.Assign(targets, ast.Subscript(name(v), index, ast.Load())), s)
        case _:
            raise AssertionError("neither push nor pop")


def _rebuilt(
    body: list[ast.stmt], made: dict[str, tuple[ast.For, ast.stmt]], index: dict[ast.stmt, ast.stmt], gone: set[str]
) -> list[ast.stmt]:
    before: dict[ast.stmt, list[ast.stmt]] = {}
    for loop, creation in made.values():
        before.setdefault(loop, []).append(creation)

    def block(stmts: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in stmts:
            done += before.get(s, [])
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])) if v in made or v in gone:
                    continue
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=block(then) or [ast.Pass()], orelse=block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(replace(s, body=block(inner) or [ast.Pass()]))
                case _:
                    new = index.get(s, s)
                    done += [] if isinstance(new, ast.Pass) and new is not s else [new]
        return done

    return block(body)
