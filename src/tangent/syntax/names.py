"""Fresh names: readable, deterministic, never in the way of the user's."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterable

from tangent.syntax.walk import walk

RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


class Names:
    """Gives names that nothing else in the function uses.

    >>> names = Names(["x", "bx"])
    >>> names.fresh("bx"), names.fresh("t"), names.numbered("t")
    ('bx_', 't', 't2')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)
        self._next: dict[str, int] = {}

    def copied(self) -> Names:
        """The same names taken, for a function of its own."""
        copy = Names(self.taken)
        copy._next = dict(self._next)
        return copy

    def fresh(self, base: str) -> str:
        """The base name, with trailing underscores if it is taken."""
        while base in self.taken or base in RESERVED:
            base += "_"
        self.taken.add(base)
        return base

    def numbered(self, base: str) -> str:
        """`t`, `t2`, `t3`, ..."""
        if base not in self.taken and base not in RESERVED:
            self.taken.add(base)
            return base
        n = self._next.get(base, 2)
        while f"{base}{n}" in self.taken:
            n += 1
        self._next[base] = n + 1
        self.taken.add(f"{base}{n}")
        return f"{base}{n}"


def as_identifier(text: str) -> str:
    """The name of a function as part of a name in generated code.

    >>> as_identifier("<lambda>"), as_identifier("my loss (2)"), as_identifier("2nd")
    ('lambda', 'myloss2', '_2nd')
    """
    plain = "".join(c for c in text if c == "_" or c.isalnum()) or "function"
    return plain if plain.isidentifier() else f"_{plain}"


def identifiers(tree: ast.AST) -> set[str]:
    """Every identifier that occurs anywhere in a tree."""
    known: frozenset[str] | None = tree.__dict__.get("_identifiers")
    if known is None:
        known = tree.__dict__["_identifiers"] = frozenset(_identifiers(tree))
    return set(known)


def _identifiers(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Name(id=text) | ast.arg(arg=text) | ast.FunctionDef(name=text) | ast.ClassDef(name=text):
                found.add(text)
            case ast.alias(name=text, asname=other):
                found.add((other or text).split(".")[0])
            case ast.Global(names=texts) | ast.Nonlocal(names=texts):
                found.update(texts)
            case ast.ExceptHandler(name=str(text)) | ast.MatchAs(name=str(text)) | ast.MatchStar(name=str(text)):
                found.add(text)
    return found
