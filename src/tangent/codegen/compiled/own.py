"""Functions of Tangent's own that take any keywords have no compiled form: the line of the user that needs them."""

from __future__ import annotations

from tangent.codegen.compiled.disk import PACKAGE
from tangent.codegen.notes import users_location
from tangent.errors import CompileError, Location
from tangent.optimise.typed.nesting import reached
from tangent.source.naming import home_of
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import header_reads
from tangent.transform.generated import Generated

CHANGES = "of a list, dict or object that changes and is held elsewhere, too"
REASONS = {  # by function of Tangent's own, what its call does, and what to do instead
    "call_item": (f"it reads an item {CHANGES}", "Use an array, or one list for each name."),
    "call_store": (f"it stores an item {CHANGES}", "Use an array, or one list for each name."),
    "call_function": ("it calls a function that is known only when it is called", "Call it by its name."),
    "call_method": (f"it calls a method {CHANGES}", "Use an array, or pass the numbers to a function."),
    "call_class": ("it makes an object", "Use variables, a tuple or an array."),
    "call_getter": (f"it reads an attribute {CHANGES}", "Use variables, a tuple or an array."),
    "call_setter": (f"it sets an attribute {CHANGES}", "Use variables, a tuple or an array."),
}
OTHERWISE = (
    "it follows lists in lists, dicts or objects that change, or calls what is known only at run time",
    "Use arrays there.",
)


def refused(g: Generated, entry: Generated, what: str) -> CompileError:
    """Named by the user's function and line, also where a function of Tangent's own is meant."""
    title, rest = "Numba does not compile the derivative", "Without compile='numba' it runs as Python code."
    if _is_own(g):
        where, used = _first_use(g, entry)
        why, todo = REASONS.get(used.primal.__name__, OTHERWISE)
        return CompileError(title, where, why, f"{todo} {rest}")
    where = users_location(g.source.locate(g.source.tree)) if g.source is not None else None
    return CompileError(title, where, f"'{g.primal.__name__}', which it calls, takes {what}", rest)


def users_line(g: Generated, entry: Generated) -> Location | None:
    """Where the user defines a function; of one of Tangent's own, where the user needs it."""
    where = users_location(g.source.locate(g.source.tree)) if g.source is not None else None
    own = where is None or where.file.startswith(str(PACKAGE))
    return _first_use(g, entry)[0] if own else where


def _is_own(g: Generated) -> bool:
    """Whether it is a function of Tangent's own, or written by it."""
    return g.source is None or home_of(g.primal).startswith("tangent.") or g.primal.__code__.co_filename.startswith("<")


def _first_use(g: Generated, entry: Generated) -> tuple[Location | None, Generated]:
    """The first line of the user that needs a function of Tangent's own, and the one of them that it calls."""
    for caller in (entry, *(f for f in reached(entry) if not _is_own(f))):
        for s in statements(caller.tree.body if caller.tree is not None else []):
            called = [used for v in header_reads(s) if isinstance(used := caller.externals.get(v), Generated)]
            needed = [used for used in called if _is_own(used) and (used is g or g in reached(used))]
            if needed and caller.source is not None and int(getattr(s, "lineno", 0)):
                return users_location(caller.source.place(s.lineno, s.col_offset)), needed[0]
    return users_location(entry.source.locate(entry.source.tree)) if entry.source is not None else None, g
