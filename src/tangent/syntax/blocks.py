"""Statements of Core Python that the standard tree has no node for.

`with` and `try ... finally` do not change which statements run, so their bodies stay in the block that they stand in,
between marks; they are indented when they are printed. `try ... except` is a branch: its body runs to the end, or
something is caught, and then nothing that it has assigned is read.

    Enter(value, target) ... Leave()             with value as target: ...
    Enter() ... Otherwise() ... Leave()          try: ... finally: ...
    Attempt(caught is None, body, handler)       try: body; except types: handler, which assigns `caught`
    Watch() ... Unwatch()                        what is raised here is seen by whoever called the function
"""

from __future__ import annotations

import ast


class Enter(ast.stmt):
    """The head of a `with` block, or of a `try` block with `finally`; a quiet one may be left out if it is empty."""

    _fields = ("value", "target", "quiet")

    def __init__(self, value: ast.expr | None = None, target: ast.expr | None = None, quiet: bool = False) -> None:
        super().__init__()
        self.value, self.target, self.quiet = value, target, quiet


class Otherwise(ast.stmt):
    """`finally:`"""

    _fields = ()


class Leave(ast.stmt):
    """The end of what `Enter` began."""

    _fields = ()


class Watch(Enter):
    """The beginning of what runs under the `try` or `with` of a caller; nothing is printed for it."""


class Unwatch(Leave):
    """The end of what `Watch` began."""


class Attempt(ast.If):
    """`try: body; except types: orelse`; its test holds where the body ran to its end."""

    _fields = ("test", "body", "orelse", "types")
    types: ast.expr

    def __init__(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], types: ast.expr) -> None:
        super().__init__(test, body, orelse, types)  # type: ignore[call-arg, arg-type]


MARKS = (Enter, Otherwise, Leave)
