"""Print the functions of a generated module, with a map from its lines to those of the primal."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from tangent.syntax.print import print_function
from tangent.transform.module import Generated


@dataclass(frozen=True)
class Text:
    """The text of a generated module: its name in linecache, and the primal place of each line."""

    file: str
    text: str
    origins: dict[int, tuple[str, int, str]] = field(repr=False)


def emit(functions: list[Generated]) -> Text:
    """All functions of a module, the one that was asked for first."""
    lines: list[str] = []
    origins: dict[int, tuple[str, int, str]] = {}
    for g in functions:
        if lines:
            lines += ["", ""]
        assert g.tree is not None and g.source is not None
        for line in print_function(g.tree):
            lines.append(line.text)
            if line.origin:
                origins[len(lines)] = (g.source.file, line.origin, g.source.line(line.origin).strip())
    text = "\n".join(lines) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return Text(f"<tangent {functions[0].name} {digest}>", text, origins)
