"""The lines of a block for the backward pass, as they stand in the file: only indentation is taken away.

with insert_grad_of(x) as dx:
    dx = 2.0 * dx                          ->  dx = 2.0 * dx
    with insert_grad_of(y) as dy:              dy = -dy  # a comment
        dy = -dy  # a comment
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence

from tangent.source.read import Source
from tangent.syntax.inserted import BlockLine

STARTS = {getattr(tokenize, n, -1) for n in ("FSTRING_START", "TSTRING_START")}
ENDS = {getattr(tokenize, n, -1) for n in ("FSTRING_END", "TSTRING_END")}


def block_lines(source: Source, whole: ast.With, nested: Sequence[ast.With]) -> tuple[BlockLine, ...]:
    """The lines of a block; those of nested ones stand in it without their headers."""
    ends = {h: _head_end(source, h) for h in (whole, *nested)}
    heads = {n: h for h, end in ends.items() for n in range(h.lineno, end + 1)}
    texts = _in_texts(source, whole.lineno, _end(whole))
    found: list[BlockLine] = []
    for n in range(whole.lineno, _last(source, whole) + 1):
        line = source.line(n)
        columns = _indentation(whole, ends) + whole.col_offset
        columns += sum(_indentation(h, ends) for h in nested if ends[h] < n <= _last(source, h))
        if n in texts:
            found.append(BlockLine(line, n, raw=True))
        elif n not in heads:
            found.append(BlockLine(_dedented(line, columns), n))
        elif n == heads[n].body[0].lineno:
            pad = " " * (heads[n].col_offset - columns) if heads[n] is not whole else ""
            found.append(BlockLine(pad + line.encode()[heads[n].body[0].col_offset :].decode(), n))
    while found and not found[0].text:
        found.pop(0)
    return tuple(found)


def _head_end(source: Source, s: ast.With) -> int:
    """The last line of `with ...:`."""
    last = s.items[-1].optional_vars or s.items[-1].context_expr
    n = _first_line(s.body[0])
    if n == last.end_lineno:
        return n
    n -= 1
    while n > (last.end_lineno or s.lineno) and (_is_comment(source.line(n)) or not source.line(n).strip()):
        n -= 1
    return n


def _first_line(s: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(s, "decorator_list", [])
    return min([s.lineno, *(d.lineno for d in decorators)])


def _end(s: ast.stmt) -> int:
    return s.end_lineno or s.lineno


def _last(source: Source, s: ast.With) -> int:
    """The last line of a block, with the comments that end it."""
    last = n = _end(s)
    while _is_comment(line := source.line(n + 1)) or (not line.strip() and n < len(source.lines)):
        n += 1
        if _is_comment(line) and len(line) - len(line.lstrip()) > s.col_offset:
            last = n
        elif _is_comment(line):
            break
    return last


def _is_comment(line: str) -> bool:
    return line.strip().startswith("#")


def _indentation(s: ast.With, ends: dict[ast.With, int]) -> int:
    """How much further the block is indented than its header."""
    return s.body[0].col_offset - s.col_offset if _first_line(s.body[0]) > ends[s] else 0


def _dedented(line: str, columns: int) -> str:
    return line[columns:] if not line[:columns].strip() else line.lstrip()


def _in_texts(source: Source, first: int, last: int) -> set[int]:
    """Lines that begin inside a string: their indentation is part of it."""
    return {first - 1 + n for a, b in _texts(source, first, last) for n in range(a + 1, b + 1)}


def _texts(source: Source, first: int, last: int) -> Iterator[tuple[int, int]]:
    text = "\n".join(source.line(n) for n in range(first, last + 1)) + "\n"
    open_: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            yield token.start[0], token.end[0]
        elif token.type in STARTS:
            open_.append(token.start[0])
        elif token.type in ENDS:
            yield open_.pop(), token.end[0]
