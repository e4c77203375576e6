"""Classes that a function defines for itself, and that are the same whenever it runs: made once, as if outside.

def f(x):                            class P: ...             (once)
    class P: ...               ->    def f(x):
    return P(x).area()                   return P(x).area()

The function that comes back captures them. Classes that keep something for all their objects stay where they are. What
methods read of the variables around is given to the objects (class_captures.py).
"""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Callable, Iterator

from tangent.source.cells import cells_of
from tangent.source.class_captures import Captured, captured_by
from tangent.source.naming import home_of, is_generated
from tangent.source.stubs import bare_parameters
from tangent.syntax.captured import bindings, own_variables
from tangent.syntax.quote import name
from tangent.syntax.rebuild import function_node, replace
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk

MAKING = frozenset(("namedtuple", "NamedTuple"))
GIVING = frozenset("field property staticmethod classmethod auto TypeVar".split())  # what a class body may call
Trees = Callable[[types.FunctionType], ast.FunctionDef | None]
_known: weakref.WeakKeyDictionary[types.FunctionType, dict[types.CodeType, types.FunctionType]]
_known = weakref.WeakKeyDictionary()
_plain: weakref.WeakKeyDictionary[types.FunctionType, types.CodeType] = weakref.WeakKeyDictionary()  # without classes


def with_classes_outside(function: types.FunctionType, tree_of: Trees) -> types.FunctionType:
    """The function that captures the classes which another one defines; that one where there are none."""
    if _plain.get(function) is function.__code__:
        return function
    if not _defines_class(function.__code__) or is_generated(function) or hasattr(function, "tree"):
        _plain[function] = function.__code__
        return function
    known = _known.setdefault(function, {})
    if function.__code__ not in known:
        known.clear()
        tree = tree_of(function)
        made = _Outside(function, tree).whole() if tree is not None else None
        if made is None:
            return function
        known[function.__code__] = made
    return known[function.__code__]


def _defines_class(code: types.CodeType) -> bool:
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return not MAKING.isdisjoint(code.co_names) or any("__qualname__" in c.co_names for c in inner)


class _Outside:
    def __init__(self, function: types.FunctionType, tree: ast.FunctionDef) -> None:
        self.function, self.tree = function, tree
        self.cells = cells_of(function)
        self.imports = [s for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]
        self.made: dict[str, ast.stmt] = {}

    def whole(self) -> types.FunctionType | None:
        once = bindings(self.tree)
        for s in list(self.tree.body):
            title = _title(s)
            if title and once[title] == 1 and not self.keeps(title, s):
                self.take(title, s)
        return self.without() if self.made else None

    def take(self, title: str, s: ast.stmt) -> None:
        """Make a class, if nothing that it is made from depends on the call."""
        imported = {(a.asname or a.name).split(".")[0] for x in self.imports for a in x.names}
        around = expression_reads(s) & own_variables(self.tree) - imported - self.made.keys() - {title}
        captured: Captured | None = None
        definition = s
        if around:
            captured = captured_by(s, around, self.tree) if isinstance(s, ast.ClassDef) else None
            if captured is None:
                return
            definition = captured.definition
        cls = self.run(title, definition)
        if not isinstance(cls, type):
            return
        if captured is not None:
            self.tree = captured.around
            captured.give_trees(cls)
        cls.__qualname__ = f"{self.function.__qualname__}.<locals>.{cls.__name__}"
        self.cells[title] = types.CellType(cls)
        self.made[title] = s

    def run(self, title: str, definition: ast.stmt) -> object:
        body = [*self.imports, definition, ast.Return(name(title))]
        function = self.compiled(function_node("scope", _no_parameters(), body))
        try:
            return function()
        except Exception:  # it fails where the function is called, too
            return None

    def without(self) -> types.FunctionType:
        """The function without the definitions."""
        gone = set(self.made.values())
        body = [s for s in self.tree.body if s not in gone]
        tree = replace(self.tree, body=body)
        plain = replace(tree, args=bare_parameters(tree.args), returns=None, decorator_list=[])
        function, old = self.compiled(plain), self.function
        function.__defaults__, function.__kwdefaults__ = old.__defaults__, old.__kwdefaults__
        function.__name__, function.__qualname__, function.__doc__ = old.__name__, old.__qualname__, old.__doc__
        function.__annotations__ = old.__annotations__
        function.__module__ = home_of(old)
        function.__dict__.update(old.__dict__)
        function.tree = tree  # type: ignore[attr-defined]
        return function

    def compiled(self, node: ast.FunctionDef) -> types.FunctionType:
        """The function of a definition, in the surroundings of the one that is read."""
        given = ast.arguments([], [ast.arg(v) for v in self.cells], None, [], [], None, [])
        outer = ast.copy_location(function_node("around", given, [node]), self.tree)
        module = ast.fix_missing_locations(ast.Module([outer], []))
        file = self.function.__code__.co_filename
        scope = next(c for c in compile(module, file, "exec").co_consts if isinstance(c, types.CodeType))
        code = next(c for c in scope.co_consts if isinstance(c, types.CodeType) and c.co_name == node.name)
        cells = tuple(self.cells[v] for v in code.co_freevars)
        return types.FunctionType(code, self.function.__globals__, node.name, None, cells)

    def keeps(self, title: str, s: ast.stmt) -> bool:
        """Whether something is kept for all objects of a class."""
        if isinstance(s, ast.ClassDef) and not all(map(_is_fixed_part, s.body)):
            return True
        return any(_is_class(owner, title) for owner in _changed(self.tree))


def _no_parameters() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])


def _title(s: ast.stmt) -> str:
    """The name of a class that a statement makes."""
    match s:
        case ast.ClassDef(name=title):
            return title
        case ast.Assign(targets=[ast.Name(id=title)], value=ast.Call(func=func, args=[_, *_])):
            called = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
            return title if called in MAKING else ""
        case _:
            return ""


def _changed(tree: ast.FunctionDef) -> Iterator[ast.expr]:
    """What attributes are assigned to."""
    for n in walk(tree):
        match n:
            case ast.Attribute(value=owner, ctx=ast.Store() | ast.Del()):
                yield owner
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, *_]):
                yield owner


def _is_class(e: ast.expr, title: str) -> bool:
    match e:
        case ast.Name(id=v):
            return v in (title, "cls")
        case ast.Attribute(attr=attr):
            return attr == "__class__"
        case ast.Call(func=ast.Name(id=v)):
            return v == "type"
        case _:
            return False


def _is_fixed_part(s: ast.stmt) -> bool:
    """Whether a statement of a class gives it a method, or something that never changes."""
    match s:
        case ast.FunctionDef(args=args):
            rebinds = any(isinstance(n, (ast.Nonlocal, ast.Global, ast.ClassDef)) for n in walk(s))
            return not rebinds and all(_is_fixed(e) for e in (*args.defaults, *filter(None, args.kw_defaults)))
        case ast.Assign(value=value) | ast.Expr(value=value):
            return _is_fixed(value)
        case ast.AnnAssign(value=value):
            return value is None or _is_fixed(value)
        case _:
            return isinstance(s, ast.Pass)


def _is_fixed(e: ast.expr) -> bool:
    match e:
        case ast.Constant() | ast.Name() | ast.Attribute() | ast.Lambda():
            return True
        case ast.Tuple(elts=elts):
            return all(map(_is_fixed, elts))
        case ast.UnaryOp(operand=operand):
            return _is_fixed(operand)
        case ast.BinOp(left=left, right=right):
            return _is_fixed(left) and _is_fixed(right)
        case ast.Call(func=func):
            return (getattr(func, "id", "") or getattr(func, "attr", "")) in GIVING
        case _:
            return False
