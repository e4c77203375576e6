"""Sum up in place, in loops: into adjoints that start as zeros made here and that nothing else refers to.

bw = init_grad(w)                              bw = init_grad(w)
for t in reversed(range(n)):                   for t in reversed(range(n)):
    bw = bw + matmul_adjoint_y(bz, h, w)  ->       bw += matmul_adjoint_y(bz, h, w)
return bw                                      return bw
"""

from __future__ import annotations

import ast

from tangent.optimise.context import Body, Optimisation
from tangent.optimise.held import content_reads, holds, keeps
from tangent.syntax.quote import at
from tangent.syntax.rebuild import all_writes, mentions, replace, statements
from tangent.syntax.uses import expression_reads, writes
from tangent.syntax.walk import walk


def accumulate(body: Body, o: Optimisation) -> Body:
    mentioned = mentions(body)
    owned = frozenset(b for b in o.accumulators if _is_alone(b, mentioned.get(b, []), body))
    owned |= {v for v in o.kept_shapes if _is_summed(v, body, o)}
    return _block(body, owned, False) if owned else body


def _is_alone(b: str, mentioned: Body, body: Body) -> bool:
    """Whether a name starts as zeros, is only added to, and is read behind all sums, or as an array by arithmetic."""
    starts: list[ast.expr] = []
    read = False
    behind = _behind(b, body)
    for s in mentioned:
        if b in writes(s):
            if not isinstance(s, ast.Assign):
                return False
            if _sums(s, b) is None:
                starts.append(s.value)
                if not isinstance(s.targets[0], ast.Name):
                    return False
        elif s not in behind:
            read = True
            if not _is_operand(s, b):
                return False
    return len(starts) == 1 and (_is_array(starts[0]) if read else _is_zero(starts[0]))


def _behind(b: str, body: Body) -> Body:
    """The last statements of a body, from where on it does not change a name."""
    last = max((i for i, s in enumerate(body) if b in all_writes(s)), default=-1)
    return body[last + 1 :]


def _is_summed(v: str, body: Body, o: Optimisation) -> bool:
    """Whether an array is made once and then added to in place, and nothing else refers to it."""
    started = False
    for s in statements(body):
        match s:
            case ast.Return():
                pass
            case ast.Assign(targets=[ast.Name(id=w)], value=value) if v == w and _terms(s, v) is None:
                if started or not _is_made(value):
                    return False
                started = True
            case ast.For(iter=iter) if keeps(iter, v, o.resolve):
                return False
            case _ if v in writes(s) and _terms(s, v) is None:
                return False
            case _ if v not in writes(s) and holds(s, v, o.resolve):
                return False
    return started


def _is_made(e: ast.expr) -> bool:
    match e:
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr), args=[_]):
            return attr in ("zeros", "ones", "zeros_like", "ones_like")
        case _:
            return False


def _is_operand(s: ast.stmt, b: str) -> bool:
    """Whether a statement reads a name as an operand only: what it computes is something else."""
    if not isinstance(s, (ast.Assign, ast.AugAssign)):
        return False
    names = sum(isinstance(n, ast.Name) and n.id == b for n in walk(s))
    operators = [n for n in walk(s.value) if isinstance(n, ast.BinOp)]
    return names == sum(isinstance(x, ast.Name) and x.id == b for n in operators for x in (n.left, n.right))


def _is_zero(e: ast.expr) -> bool:
    match e:
        case ast.Constant(value=float()):
            return True
        case ast.Call(func=ast.Name(id=function), args=[ast.Name()]):
            return function.rstrip("_") == "init_grad"
        case _:
            return _is_array(e)


def _is_array(e: ast.expr) -> bool:
    """Zeros that are an array, and no lazy ones."""
    match e:
        case ast.Call(func=ast.Attribute(attr="zeros"), args=[ast.Attribute(attr="shape"), *_]):
            return True
        case _:
            return False


def _terms(s: ast.stmt, b: str) -> list[tuple[ast.operator, ast.expr]] | None:
    """What `b = b + e - f` adds and subtracts, in order."""
    match s:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.BinOp() as value) if target == b:
            found: list[tuple[ast.operator, ast.expr]] = []
            e: ast.expr = value
            while isinstance(e, ast.BinOp) and isinstance(e.op, (ast.Add, ast.Sub)):
                if b in content_reads(e.right):
                    return None
                found.append((e.op, e.right))
                e = e.left
            return found[::-1] if isinstance(e, ast.Name) and e.id == b else None
        case _:
            return None


def _sums(s: ast.stmt, b: str) -> Body | None:
    """The statements that sum in place what one adds to b, and to a part of it."""
    match s:
        case ast.Assign(
            value=ast.Call(func=ast.Name(id=function), args=[inner, index, value], keywords=[]) as call
        ) if function.rstrip("_") == "add_part" and b not in expression_reads(value) | expression_reads(index):
            before = [] if isinstance(inner, ast.Name) and inner.id == b else _sums(replace(s, value=inner), b)
            part = replace(s, value=replace(call, args=[ast.Name(b, ast.Load()), index, value]))
            return None if before is None else [*before, part]
        case _ if (terms := _terms(s, b)) is not None:
            return [at(ast.AugAssign(ast.Name(b, ast.Store()), op, e), s) for op, e in terms]
        case _:
            return None


def _block(body: Body, owned: frozenset[str], loop: bool) -> Body:
    done: Body = []
    for s in body:
        match s:
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other):
                done.append(replace(s, body=_block(then, owned, loop), orelse=_block(other, owned, loop)))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_block(inner, owned, True)))
            case ast.Assign(targets=[ast.Name(id=b)]) if loop and b in owned and (sums := _sums(s, b)):
                done += sums
            case _:
                done.append(s)
    return done
