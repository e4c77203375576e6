"""A page with a function on the left and its derivative on the right; lines that belong together share a colour."""

from __future__ import annotations

import ast
import html
import linecache
from collections.abc import Callable, Iterator
from typing import Any

from tangent.codegen import notes
from tangent.view.highlight import html_lines

Place = tuple[str, int]
"""A file and a line in it."""

STYLE = """
:root { color-scheme: light dark; }
body { margin: 2em; font: 15px/1.5 system-ui, sans-serif; }
main { display: flex; flex-wrap: wrap; gap: 2em; align-items: flex-start; }
section { flex: 1 1 30em; min-width: 0; }
pre { overflow-x: auto; font: 13px/1.6 ui-monospace, monospace; }
.line { display: block; padding: 0 .5em; border-left: .3em solid transparent; min-height: 1.6em; }
.line[data-place] { background: hsl(var(--hue) 70% 50% / .12); border-color: hsl(var(--hue) 70% 50%); }
.line.on { background: hsl(var(--hue) 70% 50% / .4); }
.keyword { color: #a626a4; } .definition { color: #4078f2; font-weight: bold; } .builtin { color: #0184bc; }
.number { color: #b76b01; } .string { color: #50a14f; } .comment { color: #8a8f98; font-style: italic; }
"""

SCRIPT = """
for (const line of document.querySelectorAll("[data-place]"))
  for (const [event, on] of [["mouseenter", true], ["mouseleave", false]])
    line.addEventListener(event, () => {
      for (const other of document.querySelectorAll(`[data-place="${line.dataset.place}"]`))
        other.classList.toggle("on", on);
    });
"""


def page(function: Callable[..., Any], derivative: Callable[..., Any]) -> str:
    """The standalone page of a function and its derivative."""
    text: str = derivative.source  # type: ignore[attr-defined]
    origins = line_origins(derivative)
    numbers = {place: k for k, place in enumerate(dict.fromkeys(origins.values()))}
    left = "\n\n".join(_primal(file, span, numbers) for file, span in _definitions(numbers))
    right = _block(text, {k: numbers[place] for k, place in origins.items()}, len(numbers))
    title = html.escape(f"{function.__name__} and its derivative")
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n<style>{STYLE}</style>\n'
        f"<h1>{title}</h1>\n<main>\n<section><h2>Function</h2>\n{left}</section>\n"
        f"<section><h2>Derivative</h2>\n{right}</section>\n</main>\n<script>{SCRIPT}</script>\n</html>\n"
    )


def line_origins(derivative: Callable[..., Any]) -> dict[int, Place]:
    """Which line of the user's source each line of a derivative comes from; comments go with the line below them."""
    known = notes._origins[derivative.__code__.co_filename]
    found = {k: (place.file, place.line) for k, place in known.items()}
    lines = derivative.source.splitlines()  # type: ignore[attr-defined]
    for k in range(len(lines) - 1, 0, -1):
        if lines[k - 1].lstrip().startswith("# Grad of:") and k + 1 in found:
            found[k] = found[k + 1]
    return found


def _definitions(places: dict[Place, int]) -> list[tuple[str, range]]:
    """The definitions that hold these places, in the order in which they are met."""
    return list(dict.fromkeys((file, _span(file, line)) for file, line in places))


def _span(file: str, line: int) -> range:
    """The lines of the outermost function around a line."""
    for node in ast.walk(ast.parse("".join(linecache.getlines(file)))):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            return range(node.lineno, (node.end_lineno or 0) + 1)
    return range(line, line + 1)


def _primal(file: str, span: range, numbers: dict[Place, int]) -> str:
    text = "".join(linecache.getline(file, k) for k in span)
    owned = {k - span.start + 1: numbers[file, k] for k in span if (file, k) in numbers}
    return _block(text, owned, len(numbers))


def _block(text: str, owned: dict[int, int], count: int) -> str:
    return f"<pre>{''.join(_lines(text, owned, count))}</pre>\n"


def _lines(text: str, owned: dict[int, int], count: int) -> Iterator[str]:
    for k, line in enumerate(html_lines(text), 1):
        place = f' data-place="{owned[k]}" style="--hue: {360 * owned[k] // count}"' if k in owned else ""
        yield f'<span class="line"{place}>{line}</span>'
