"""What is known of the variables of a function with a memory: numbers and arrays, lists of its own, classes."""

from __future__ import annotations

import ast
import collections
import copy
import dataclasses
import inspect
import math
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Set
from typing import Any

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime import library as library_module
from tangent.runtime import operators, stateful
from tangent.runtime.classes import is_made_by_class, new_instance, tuple_of
from tangent.runtime.dispatch import sequence
from tangent.runtime.insert import replace_field
from tangent.runtime.kernels import functions as written_out
from tangent.runtime.memory import Variable
from tangent.runtime.objects import is_object
from tangent.runtime.ordered import HEAPS, INSERTS
from tangent.runtime.persistent import PersistentArray, append, setitem
from tangent.runtime.places import is_view_function
from tangent.source.naming import home_of, is_library
from tangent.source.numbers import numbers_made
from tangent.source.resolve import MISSING
from tangent.syntax.blocks import Enter
from tangent.syntax.quote import constant
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import assigned_inside, writes
from tangent.syntax.walk import walk

METHODS = {
    "append": stateful.call_append, "extend": stateful.call_extend, "insert": stateful.call_insert,
    "pop": stateful.call_pop, "clear": stateful.call_clear, "reverse": stateful.call_reverse,
    "update": stateful.call_update, "sort": stateful.call_sort, "remove": stateful.call_remove,
    "popleft": stateful.call_popleft, "appendleft": stateful.call_appendleft, "extendleft": stateful.call_extendleft,
    "rotate": stateful.call_rotate, "add": stateful.call_add, "discard": stateful.call_discard,
    "popitem": stateful.call_popitem, "move_to_end": stateful.call_move_to_end,
    "setdefault": stateful.call_setdefault, "get": stateful.call_get, "delete": stateful.call_delete_rows,
    "subtract": stateful.call_subtract, "most_common": stateful.call_most_common,
    "difference_update": stateful.call_difference_update, "intersection_update": stateful.call_intersection_update,
    "symmetric_difference_update": stateful.call_symmetric_difference_update,
}  # fmt: skip
COLLECTIONS: dict[Any, Any] = {
    deque: stateful.call_deque, defaultdict: stateful.call_default_dict, OrderedDict: stateful.call_ordered_dict,
    Counter: stateful.call_counter,
}  # fmt: skip
COPIES: dict[Any, Any] = {
    list: stateful.call_list, set: stateful.call_set,
    tuple: stateful.call_tuple, dict: stateful.call_dict, sorted: stateful.call_sorted,
}  # fmt: skip
NAMED = frozenset("update subtract sort popitem move_to_end".split())  # methods with keywords
COUNTS = {  # how many arguments they take, where that is not one
    "insert": (2, 2), "pop": (0, 2), "clear": (0, 0), "reverse": (0, 0), "update": (0, 99), "sort": (0, 0),
    "popleft": (0, 0), "rotate": (0, 1), "popitem": (0, 1), "move_to_end": (1, 2), "setdefault": (1, 2), "get": (1, 2),
    "subtract": (0, 99), "most_common": (0, 1), "difference_update": (0, 99), "intersection_update": (0, 99),
}  # fmt: skip
OF_SEQUENCES = frozenset("fsum prod dist sumprod".split())
OF_NUMBERS = (  # functions that take numbers alone
    float, int, complex, *(f for f in vars(math).values() if callable(f) and f.__name__ not in OF_SEQUENCES),
)  # fmt: skip
ASKING_TRUTH = (bool, any, all)
TELLING = (*ASKING_TRUTH, str, repr, format, print)  # functions that may ask objects, and of which no derivative flows
MAKERS = (*COLLECTIONS, *HEAPS, *INSERTS, set, list, dict, sorted, copy.copy, copy.deepcopy)
HOLDING = (new_instance, tuple_of, replace_field)  # what they give holds lists and arrays themselves, or items of them
VERSIONS = (PersistentArray, append, setitem)  # what they give may be changed
KEEPING = (*MAKERS, *HOLDING, *VERSIONS, dataclasses.replace, types.SimpleNamespace, Variable)
FUNCTIONS_OF_FUNCTIONS = (library_module.__name__, operators.__name__, written_out.__name__)


class Known:
    """What a function says of its variables."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.context, self.memory = context, context.memory
        self.done: list[ast.stmt] = []
        self.like: ast.stmt = f
        self.lists = context.source.function.lists  # type: ignore[attr-defined]
        self.arrays = context.source.function.in_place  # type: ignore[attr-defined]
        self.plain = self.plain_variables(f)
        self.named = assigned_inside(context.source.tree.body)  # what the user calls by a name
        self.stored_in = {  # variables of which some item is stored
            n.value.id
            for n in walk(f)
            if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name)
        }
        self.numbers = numbers_made(f, context.scope.resolve) if self.arrays else set()
        if self.arrays:
            self.plain = self.without_other_names(f, self.plain - (self.held_by_others(f) - self.numbers))
        self.own = set() if self.lists or self.arrays else self.own_lists(f)
        self.nesting = self.nesting_lists(f)
        self.surely = self.sure_lists(f)
        self.classes = self.known_classes(f)
        around = context.source.function.__globals__.values()
        self.defaults = any(x is defaultdict or x is collections for x in around) and not self.arrays
        self.looped: dict[str, str] = {}
        self.counted = ""
        self.followed: set[tuple[int, int]] = set()  # where `x += v` is a change of the memory

    def plain_variables(self, f: ast.FunctionDef) -> set[str]:
        """Variables that only ever are numbers or arrays, or lists that a library function made."""
        made: dict[str, list[ast.expr | None]] = {}
        for s in statements(f.body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=value):
                    made.setdefault(v, []).append(value)
                case ast.Assign(targets=[ast.Tuple(elts=elts)]):
                    for e in elts:
                        inner = e.value if isinstance(e, ast.Starred) else e
                        if isinstance(inner, ast.Name):
                            made.setdefault(inner.id, []).append(None)
                case ast.For(target=ast.Name(id=v), iter=iter):
                    made.setdefault(v, []).append(constant(0) if _is_range(iter) else None)
                case ast.FunctionDef(name=v) | Enter(target=ast.Name(id=v)):
                    made.setdefault(v, []).append(None)
        given = {a.arg for a in ast.walk(f.args) if isinstance(a, ast.arg)}
        displays = {v for v, es in made.items() if any(isinstance(e, (ast.List, ast.Dict, ast.ListComp)) for e in es)}
        found = set(made) - given
        while True:
            new = {v for v in found if all(self.is_plain(e, found, displays) for e in made[v])}
            if new == found:
                return found
            found = new

    def is_plain(self, e: ast.expr | None, known: Set[str] = frozenset(), displays: Set[str] = frozenset()) -> bool:
        match e:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return any(
                    isinstance(x, ast.Constant) or (isinstance(x, ast.Name) and x.id in known) for x in (left, right)
                )
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return not any(isinstance(x, ast.Name) and x.id in displays for x in (left, right))
            case ast.Attribute(value=ast.Name(id=v)) | ast.Name(id=v):
                return v in known
            case ast.Subscript(value=ast.Name(id=v)) if self.arrays:
                return v in known and v not in displays
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v))) if v in known:
                return True
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.JoinedStr():
                return True
            case ast.Constant():
                return True
            case ast.Call(func=func):
                found = self.context.scope.resolve(func)
                if found is MISSING or not is_library(found) or self.takes_functions(found):
                    return False
                if self.arrays and (is_view_function(found) or found in (getattr, object.__getattribute__)):
                    return False
                if self.arrays and found is sequence:  # a loop reads what an array is then
                    return isinstance(e.args[0], ast.Name) and e.args[0].id in known
                return found not in KEEPING
            case _:
                return False

    def takes_functions(self, found: Any) -> bool:
        return home_of(found).startswith(FUNCTIONS_OF_FUNCTIONS)

    def known_classes(self, f: ast.FunctionDef) -> dict[str, type]:
        """Variables that only ever are objects of one class, made here."""
        found: dict[str, set[Any]] = {}
        for s in statements(f.body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)):
                    found.setdefault(v, set()).add(self.made_class(func))
                case _:
                    for v in writes(s):
                        found.setdefault(v, set()).add(None)
        given = {a.arg for a in ast.walk(f.args) if isinstance(a, ast.arg)}
        sole = {v: next(iter(kinds)) for v, kinds in found.items() if len(kinds) == 1 and v not in given}
        return {v: cls for v, cls in sole.items() if cls is not None}

    def made_class(self, func: ast.expr) -> type | None:
        found = self.context.scope.resolve(func)
        own = isinstance(found, type) and not is_made_by_class(found) and found is not types.SimpleNamespace
        return found if own and not issubclass(found, tuple) else None

    def own_lists(self, f: ast.FunctionDef) -> set[str]:
        """Lists and dicts that are made here and that nobody but their variable ever holds."""
        made: dict[str, list[bool]] = {}
        for s in statements(f.body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=value):
                    made.setdefault(v, []).append(isinstance(value, (ast.List, ast.Dict)))
                case ast.Assign(targets=[ast.Tuple(elts=elts)]):
                    for n in ast.walk(ast.Tuple(elts, ast.Store())):
                        if isinstance(n, ast.Name):
                            made.setdefault(n.id, []).append(False)
                case ast.FunctionDef(name=v):
                    made.setdefault(v, []).append(False)
        found = {v for v, kinds in made.items() if all(kinds)} - self.context.declared
        for s in statements(f.body):
            if found:
                found -= self.escaping(s)
        return found

    def nesting_lists(self, f: ast.FunctionDef) -> set[str]:
        """Lists of its own that may hold lists which are kept in the memory."""
        found: set[str] = set()
        for s in statements(f.body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v) | ast.Subscript(value=ast.Name(id=v))], value=value):
                    put = [value]
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v)), args=put)):
                    pass
                case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v)), args=put)):
                    pass
                case _:
                    continue
            names = {n.id for e in put for n in ast.walk(e) if isinstance(n, ast.Name)}
            if v in self.own and not names <= self.plain:
                found.add(v)
        return found

    def held_by_others(self, f: ast.FunctionDef) -> set[str]:
        """Variables whose values somebody else may hold, too: arrays among them are followed by what they are."""
        found = set().union(*(self.escaping(s) for s in statements(f.body)))
        shown = [
            (s.targets[0].id, s.value) for s in statements(f.body)
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
            and (isinstance(s.value, (ast.Subscript, ast.Attribute, ast.Name)) or self.shows(s.value))
        ]  # fmt: skip
        while True:
            more = {n.id for v, e in shown if v in found for n in ast.walk(e) if isinstance(n, ast.Name)} - found
            if not more:
                return found
            found |= more

    def shows(self, e: ast.expr) -> bool:
        """Whether a call gives what a loop goes over, or a view: parts of it are parts of the array."""
        found = self.context.scope.resolve(e.func) if isinstance(e, ast.Call) else MISSING
        return found is not MISSING and (found is sequence or is_view_function(found))

    def without_other_names(self, f: ast.FunctionDef, plain: set[str]) -> set[str]:
        """Some variables without other names of what is followed: `y = b` or `y = b.T`, where `b *= 2` comes later."""
        named, written = [], self.stored_in | self.updated(f)
        for s in statements(f.body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=x) | ast.Attribute(value=ast.Name(id=x))):
                    named.append((v, x))
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(args=args) as e) if self.shows(e):
                    named += [(a.id, v) for a in args if isinstance(a, ast.Name)]  # as what shows it
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.Subscript(value=ast.Name(id=x))):
                    named += [(v, x), (x, v)] if v in written else [(v, x)]
        while more := {v for v, x in named if v in plain and x not in plain} - self.numbers:
            plain -= more
        return plain

    def updated(self, f: ast.FunctionDef) -> set[str]:
        """Variables that an operator in place changes."""
        places = [s for s in statements(f.body) if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)]
        return {v for s in places if (s.lineno, s.col_offset) in self.context.augmented for v in writes(s)}

    def escaping(self, s: ast.stmt) -> set[str]:
        """Variables that a statement lets somebody else hold."""
        match s:
            case ast.If(test=test) | ast.While(test=test):
                return self.handed_on(test)
            case ast.For(iter=iter):
                return self.handed_on(iter)
            case ast.Assign(targets=[ast.Name()], value=ast.Name(id=v)):
                return {v}
            case ast.Assign(targets=[ast.Name()], value=value):
                return self.handed_on(value)
            case ast.Assign(targets=[ast.Tuple()]):
                return set()
            case ast.Assign(targets=[ast.Subscript(slice=index)], value=value):
                return self.handed_on(value) | self.handed_on(index)
            case ast.AugAssign(target=ast.Subscript(slice=index), value=value):
                return self.handed_on(value) | self.handed_on(index)
            case ast.AugAssign(value=value):
                return self.handed_on(value)
            case ast.Expr(value=value):
                return self.handed_on(value)
            case _:
                return {n.id for n in ast.walk(s) if isinstance(n, ast.Name)}

    def handed_on(self, e: ast.expr) -> set[str]:
        match e:
            case ast.Name(id=v):
                return {v}
            case ast.Constant():
                return set()
            case ast.Subscript(value=ast.Name(), slice=index):
                return self.handed_on(index)
            case ast.Slice() | ast.BinOp() | ast.UnaryOp() | ast.Compare():
                inner = [x for x in ast.iter_child_nodes(e) if isinstance(x, ast.expr)]
                return set().union(*(set() if isinstance(x, ast.Name) else self.handed_on(x) for x in inner))
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr), args=args, keywords=[]) if attr in METHODS:
                return set().union(*(self.handed_on(a) for a in args))
            case ast.Call(func=func, args=args, keywords=keywords):
                found = self.context.scope.resolve(func)
                kept = found is MISSING or found in KEEPING or self.takes_functions(found)
                if not kept and is_library(found):
                    return set()
                inner = [*args, *(k.value for k in keywords)]
                return {n.id for a in inner for n in ast.walk(a) if isinstance(n, ast.Name)}
            case _:
                return {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}

    def is_kept_as_is(self, v: str) -> bool:
        """Whether a variable is a list of its own, an array or a global, which other passes look after."""
        found = MISSING if v in self.context.scope.cells else self.context.scope.lookup(v)
        return v in self.own or v in self.plain or (found is not MISSING and not is_object(found))

    def may_be_list(self, e: ast.expr) -> bool:
        return isinstance(e, ast.Name) and e.id not in self.plain and e.id not in self.own

    def may_hold_list(self, e: ast.expr) -> bool:
        return self.may_be_list(e) or (isinstance(e, ast.Name) and e.id in self.nesting)

    def may_hold_object(self, e: ast.expr) -> bool:
        """Whether something of which the memory knows may be in what an expression gives."""
        match e:
            case ast.Name():
                return self.may_hold_list(e)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
                return any(map(self.may_hold_object, parts))
            case ast.Call(func=func):
                return self.context.scope.resolve(func) not in (*TELLING, len)
            case _:
                return isinstance(e, (ast.Attribute, ast.Subscript))

    def is_surely_list(self, e: ast.expr) -> bool:
        return isinstance(e, ast.Name) and e.id in self.surely

    def sure_lists(self, f: ast.FunctionDef) -> set[str]:
        """Variables that only ever are lists that are written out."""
        made: dict[str, list[bool]] = {}
        for s in statements(f.body):
            value = s.value if isinstance(s, ast.Assign) else None
            for v in writes(s):
                made.setdefault(v, []).append(isinstance(value, (ast.List, ast.ListComp)) or self.is_grown(v, s))
        return {v for v, kinds in made.items() if all(kinds)} - {
            a.arg for a in ast.walk(f.args) if isinstance(a, ast.arg)
        }

    def is_grown(self, v: str, s: ast.stmt) -> bool:
        """Whether a statement was `v += ...`."""
        match s:
            case ast.Assign(targets=[ast.Name()], value=ast.BinOp(left=ast.Name(id=w), op=ast.Add())):
                return v == w and (s.lineno, s.col_offset) in self.context.augmented
            case _:
                return False

    def may_be_lists(self, left: ast.expr, right: ast.expr) -> bool:
        """Whether an operator may join two lists, of which one is kept in the memory."""
        own = [isinstance(e, ast.Name) and e.id in self.own for e in (left, right)]
        listed = [self.may_be_list(e) for e in (left, right)]
        return any(listed) and all(a or b for a, b in zip(own, listed))

    def computes_with_constant(self, e: ast.BinOp) -> bool:
        """Whether an operator has a number beside it that no list goes with: only `xs * 2` repeats one."""
        numbers = [x.value for x in (e.left, e.right) if isinstance(x, ast.Constant)]
        return any(not (isinstance(e.op, ast.Mult) and isinstance(v, int)) for v in numbers)

    def is_object(self, e: ast.expr) -> bool:
        """Whether an expression may be an object: not a module, a class, an array of the library."""
        match e:
            case ast.Name(id=v):
                found = self.context.scope.lookup(v)
                return v not in self.plain if found is MISSING else is_object(found)
            case _:
                return False

    def is_static(self, e: ast.expr) -> bool:
        found = self.found_around(e)[0]
        return found is not MISSING and not is_object(found)

    def is_array_around(self, e: ast.expr) -> bool:
        """Whether an expression is an array of the module, or of a class, module or function that is found there."""
        return self.is_static(e) and isinstance(self.found_around(e)[-1], np.ndarray)

    def found_around(self, e: ast.expr) -> list[Any]:
        """What a path of attributes leads to now, from what its name stands for around the function."""
        match e:
            case ast.Name(id=v):
                return [self.context.scope.lookup(v)]
            case ast.Attribute(value=owner, attr=attr):
                found = self.found_around(owner)
                return [*found, MISSING if found[-1] is MISSING else inspect.getattr_static(found[-1], attr, MISSING)]
            case _:
                return [MISSING]


def is_of_container(e: ast.Call, attr: str) -> bool:
    """Whether a call could be one of a list, dict or set: of one with other arguments the owner is an object."""
    least, most = COUNTS.get(attr, (1, 1))
    starred = any(isinstance(a, ast.Starred) for a in e.args)
    return attr in METHODS and (attr in NAMED or not e.keywords) and (starred or least <= len(e.args) <= most)


def _is_range(e: ast.expr) -> bool:
    return isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id.rstrip("_") in ("range", "reversed")
