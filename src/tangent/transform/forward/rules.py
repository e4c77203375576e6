"""Operations that have a rule."""

from __future__ import annotations

import ast
import types

import numpy as np

from tangent.analysis.operation import Operation
from tangent.analysis.shapes.facts import is_real
from tangent.analysis.shapes.results import makes_complex, result_of
from tangent.errors import TangentError
from tangent.rules.forms import is_inexact, result_dtype
from tangent.rules.notation import Rule
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rebuild, rename, replace
from tangent.syntax.uses import expression_reads
from tangent.transform.calls import leaf_names
from tangent.transform.custom import turned_rule
from tangent.transform.forward.frame import Frame
from tangent.transform.forward.terms import bare_sum, only_active
from tangent.transform.reverse.frame import as_leaves

FITTING = frozenset("uncast restructure view_as".split())  # they see to dtypes themselves: adjoints of casts, views
CHOOSING = frozenset("maximum where heaviside clip nan_to_num nextafter".split())  # the tangent is that of one operand
CASTING = frozenset("astype array asarray require ascontiguousarray".split())


class Rules(Frame):
    """Tangents by rules."""

    def by_rule(self, op: Operation, s: ast.stmt) -> list[ast.stmt]:
        rule: Rule = op.rule
        target = op.targets[0]
        wanted = [
            k
            for k, v in op.values.items()
            if k in rule.operands and any(n in self.active for n in leaf_names(as_leaves(v)))
        ]
        if rule.kind == "custom" and not rule.tangent:
            return self.by_adjoint(op, s)
        if rule.name == "dict_get" and (found := self.looked_up(op)) is not None:
            return [s, self.set(op, found, s)]
        lines = rule.tangent if rule.tangent else rule.adjoint
        own = any(target in expression_reads(v) for v in op.values.values())
        result = target
        primal: list[ast.stmt] = [s]
        if own:
            result = self.scribe.names.numbered(f"{target}_new")
            self.scribe.kept[result] = target
            assert isinstance(s, ast.Assign)
            primal = [assign(result, s.value, s)]
        if isinstance(op.value, ast.BinOp) and self.shapes.joins(op):
            left, right = self.tangent_of(op.value.left), self.tangent_of(op.value.right)
            tangent: ast.expr = replace(op.value, left=left, right=right)
            if self.unit.context.memory:  # what is read out of it is not known to be lists
                primal = [assign(result, self.scribe.call("joined", op.value.left, op.value.right), s)]
                tangent = self.scribe.call("joined", left, right)
            done_ = [*primal, self.set(op, tangent, s)]
            return [*done_, assign(target, name(result), s)] if own else done_
        before, terms = self.terms(rule, lines, wanted, op, result)
        value = terms[0]
        for term in terms[1:]:
            value = self.add(value, term, rule.kind == "elementwise" or self.is_product(op))
        if rule.kind == "elementwise" and not rule.tangent:
            value = self.stretched(value, op, result)
        elif rule.kind in ("general", "linear") and rule.tangent and not rule.cast.isdisjoint(wanted):
            value = self.scribe.call("broadcast_like", value, name(result))
        if rule.name == "multiply" and self.may_be_list(op):
            value = self.scribe.call("product_tangent", value, name(result))
        asked = result_dtype(op.value, rule.kind) or (said_dtype(op) if rule.tangent else None)
        if asked is not None and not (isinstance(asked, ast.Constant) and asked.value is None):
            value = self.as_asked(value, result, asked, rule.name == "einsum_one")
        done = [*primal, *(at(x, s) for x in before), self.set(op, value, s)]
        return [*done, assign(target, name(result), s)] if own else done

    def may_be_list(self, op: Operation) -> bool:
        """Whether a factor comes out of an object or a list, whose content a memory knows, and the other may count."""
        factors = [v for k, v in op.values.items() if k in op.rule.operands]
        counts = [e for e in factors if not (isinstance(e, ast.Name) and e.id in self.active)]
        if not self.unit.context.memory or not any(not isinstance(self.unit.constant(e), float) for e in counts):
            return False
        every = self.unit.operations.values()
        found = {x.targets[0] for x in every if x.kind == "rule" and x.rule.name in ("remembered", "getitem")}
        found |= {x.targets[0] for x in every if x.kind == "copy" and x.operands[0] in found}
        return not found.isdisjoint(op.operands)

    def looked_up(self, op: Operation) -> ast.expr | None:
        """`dd.get(key, 0.0)`, where the tangent of a dict has the keys that the dict has: both are written in place."""
        match op.values["x"]:
            case ast.Name(id=v) if v in self.settled.dicts and v in self.shadowed:
                default = self.tangent_of(op.values.get("default", constant(None)))
                return expression("d.get(k, v)", d=self.tangent(v), k=op.values["key"], v=default)
            case _:
                return None

    def by_adjoint(self, op: Operation, s: ast.stmt) -> list[ast.stmt]:
        """A rule that says adjoints only: they are linear in the gradient they are given, so they are turned around."""
        why = "its rule says adjoints only"
        found = self.unit.context.scope.resolve(op.value.func) if isinstance(op.value, ast.Call) else MISSING
        if found is not MISSING:
            assert isinstance(op.value, ast.Call)
            names = sorted(expression_reads(replace(op.value, func=constant(None))))
            seeds = {v: f"d{v}_" for v in names if v in self.active}
            try:
                function = turned_rule(found, op.value, names, seeds)
            except TangentError as e:
                why += f", which cannot be turned around ({e.what})"
            else:
                made = name(self.scribe.use(function.__name__, function))
                given = [ast.keyword(d, self.tangent_of(name(v))) for v, d in seeds.items()]
                slots: list[ast.expr] = [ast.Name(t, ast.Store()) for t in (op.targets[0], self.tangent(op.targets[0]))]
                value = ast.Call(made, [name(v) for v in names], given)
                return [at(ast.Assign([ast.Tuple(slots, ast.Store())], value), s)]
        raise self.unit.refuse(s, f"'{op.rule.name}' in forward mode", why, "Add a rule with @tangent.tangent_.")

    def is_product(self, op: Operation) -> bool:
        """Whether NumPy multiplies arrays: what that gives is no list, as what functions of Tangent give may be."""
        match op.value:
            case ast.BinOp(op=ast.MatMult()):
                return True
            case ast.Call(func=func) if op.rule.kind == "linear":
                found = self.unit.context.scope.resolve(func)
                return isinstance(found, np.ufunc) or (getattr(found, "__module__", None) or "").startswith("numpy")
            case _:
                return False

    def add(self, a: ast.expr, b: ast.expr, broadcast: bool) -> ast.expr:
        """The sum of two terms: of numbers that broadcast, or of gradients of one structure."""
        if isinstance(b, ast.UnaryOp) and isinstance(b.op, ast.USub):
            return ast.BinOp(a, ast.Sub(), b.operand)
        arithmetic = ast.BinOp | ast.UnaryOp
        if broadcast or isinstance(a, arithmetic) or isinstance(b, arithmetic):
            return ast.BinOp(a, ast.Add(), b)
        return self.scribe.call("add_grad", a, b)

    def terms(
        self, rule: Rule, lines: tuple[ast.Assign, ...], wanted: list[str], op: Operation, result: str
    ) -> tuple[list[ast.Assign], list[ast.expr]]:
        values = {**self.scribe.array_values(op, self.shapes, wanted), **self.scribe.asked(op, self.active)}
        values[rule.result] = name(result)
        if rule.tangent:
            tangents = {k: self.operand_tangent(op, k) for k in op.values if k in rule.operands}
            kept = tuple(only_active(x, rule.result, frozenset(wanted)) for x in rule.tangent)
            lines = tuple(x for x in kept if x is not None)
            before, found = self.scribe.template(rule, lines, [rule.result], op, values, tangents)
            return before, bare_sum(found[rule.result])
        if rule.kind == "linear":
            return [], [self.cast(self.applied(op, k), op, result) for k in wanted]
        before_all: list[ast.Assign] = []
        terms: list[ast.expr] = []
        for k in wanted:
            tangent = self.tangent_argument(op.values[k])
            before, found = self.scribe.template(rule, lines, [k], op, values, {rule.result: tangent})
            again = _made_before(before, before_all)
            before_all += [rename(x, again) for x in before if _target(x) not in again]
            terms.append(rename(found[k], again))
        return before_all, terms

    def applied(self, op: Operation, k: str) -> ast.expr:
        """The call itself, with the tangent of one operand in the place of the operand."""
        old = op.values[k]
        assert op.value is not None
        if isinstance(old, ast.Tuple) and not any(old is n for n in ast.walk(op.value)):
            parts = {id(e): self.tangent_argument(e) for e in old.elts}
        else:
            parts = {id(old): self.operand_tangent(op, k)}
        return rebuild(op.value, lambda e: parts.get(id(e), e))

    def cast(self, value: ast.expr, op: Operation, result: str) -> ast.expr:
        """A function that casts does not cast its tangent: where the result is of integers, nothing flows."""
        dtype = said_dtype(op)
        if dtype is None or (op.rule.name not in CASTING and is_inexact(self.unit.constant(dtype))):
            return value
        if isinstance(dtype, ast.Constant) and dtype.value is None:
            return value
        if op.rule.name == "astype":
            value = self.tangent_argument(op.values["x"])
        elif isinstance(value, ast.Call) and op.rule.name != "full_like":  # which else has that of its argument
            args = [constant(None) if a is dtype else a for a in value.args]
            value = replace(value, args=args, keywords=[k for k in value.keywords if k.arg != "dtype"])
        return self.as_asked(value, result, dtype)

    def as_asked(self, value: ast.expr, result: str, dtype: ast.expr, is_overlooked: bool = False) -> ast.expr:
        """The tangent in the dtype that a call asks for; which may be known at run time only."""
        unknown = isinstance(dtype, ast.Name) and self.unit.constant(dtype) is MISSING
        return self.scribe.call("cast_tangent", value, name(result), *([dtype] if unknown or is_overlooked else []))

    def may_widen(self, op: Operation) -> bool:
        """Whether the tangent of a Python number may become an array without knowing the other operands' dtype."""
        literal = ast.Constant | ast.UnaryOp
        numbers = [v for k, v in op.values.items() if k != "condition" and not isinstance(v, literal)]
        return op.rule.name in CHOOSING and len(numbers) > 1

    def stretched(self, value: ast.expr, op: Operation, result: str) -> ast.expr:
        """The tangent in the shape of the result, where its terms do not give it already."""
        whole = result_of(op, self.shapes).shape
        back = {self.scribe.derivative(v, "d"): v for v in self.active}
        atoms: frozenset[str] = frozenset()
        for v in expression_reads(value):
            if isinstance(self.unit.context.scope.lookup(v), types.ModuleType):
                continue
            fact = self.shapes.of(name(back.get(v, v))) if v != result else result_of(op, self.shapes)
            if fact.shape is not None and (v in back or v == result or v in expression_reads(op.value)):
                atoms |= fact.shape
        facts = [self.shapes.of(v) for v in op.values.values()]
        of_math = op.library == "math"  # which takes the real parts of complex numbers
        certain = all(f.scalar for f in facts) if makes_complex(op) else not of_math or all(map(is_real, facts))
        keeps = op.in_place and op.targets[0] in self.shapes.made  # NumPy fits what is added into it
        same = whole is not None and (atoms == whole or (keeps and atoms > whole))
        if same and certain and not self.may_widen(op):
            return value
        return self.scribe.call("broadcast_like", value, name(result))


def said_dtype(op: Operation) -> ast.expr | None:
    """The `dtype` that a call asks for, into which its tangent is cast."""
    return op.values.get("dtype") if op.rule.name not in FITTING else None


def _made_before(lines: list[ast.Assign], before: list[ast.Assign]) -> dict[str, str]:
    """The local names of a rule that the terms before have for the same, by the names that they have here."""
    known = {ast.dump(x.value): _target(x) for x in before}
    again: dict[str, str] = {}
    for x in lines:
        if (same := known.get(ast.dump(rename(x.value, again)))) and (v := _target(x)):
            again[v] = same
    return again


def _target(x: ast.Assign) -> str:
    """The one name that is assigned; none for several."""
    return x.targets[0].id if isinstance(x.targets[0], ast.Name) else ""
