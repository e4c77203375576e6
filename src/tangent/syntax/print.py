"""Print a tree as text that a person would have written: comments, blank lines, at most 100 columns."""

from __future__ import annotations

import ast
import dataclasses
import io
import tokenize
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tangent.syntax.blocks import Attempt, Enter, Leave, Otherwise, Unwatch, Watch
from tangent.syntax.inserted import Block, InsertedCode, Insertion
from tangent.syntax.walk import fact

WIDTH = 100
INDENT = "    "


class Comment(ast.stmt):
    """A comment line in generated code; `section` comments have a blank line above."""

    _fields = ("text", "section")

    def __init__(self, text: str = "", section: bool = False) -> None:
        super().__init__()
        self.text, self.section = text, section


def comment(text: str, like: ast.AST | None = None, section: bool = False) -> Comment:
    node = Comment(text, section)
    node.lineno = getattr(like, "lineno", 0)
    node.col_offset = 0
    return node


class Origin(NamedTuple):
    """Where in the primal something comes from: line (0: nowhere) and column."""

    line: int = 0
    column: int = 0


NOWHERE = Origin()


@dataclass(frozen=True)
class Line:
    """A line of text, the place in the primal that it comes from, and the user's code that it belongs to."""

    text: str
    origin: Origin = NOWHERE
    code: InsertedCode | None = None


def print_function(f: ast.FunctionDef) -> list[Line]:
    """The lines of a function definition."""
    head = f"def {f.name}({ast.unparse(f.args)}):"
    lines = [Line(t) for t in _fold(head, 0)]
    doc = ast.get_docstring(f, clean=False)
    body = f.body
    if doc is not None:
        body = body[1:]
        lines += [Line(INDENT + t if t else "") for t in f'"""{doc}"""'.split("\n")]
    return lines + _block(body, 1)


def print_body(body: list[ast.stmt]) -> str:
    """The text of a block, for display and tests."""
    return "\n".join(line.text for line in _block(body, 0))


def _block(body: list[ast.stmt], depth: int) -> list[Line]:
    lines: list[Line] = []
    for position, s in enumerate(body):
        if isinstance(s, (Watch, Unwatch)):
            continue
        if isinstance(s, (Leave, Otherwise)):
            if isinstance(body[position - 1], (Enter, Otherwise)):
                lines.append(Line(INDENT * depth + "pass"))
            depth -= 1
        lines += _statement(s, depth)
        if isinstance(s, (Enter, Otherwise)):
            depth += 1
    return lines or [Line(INDENT * depth + "pass")]


def _statement(s: ast.stmt, depth: int) -> list[Line]:
    pad, origin = INDENT * depth, _origin(s)
    match s:
        case Comment(text=text):
            return [Line(f"{pad}# {t}") for t in _clip(text, WIDTH - len(pad) - 2)]
        case Enter(value=ast.expr() as value, target=target):
            named = f" as {ast.unparse(target)}" if target is not None else ""
            return _header(f"with {ast.unparse(value)}{named}:", depth, origin)
        case Enter():
            return [Line(f"{pad}try:", origin)]
        case Otherwise():
            return [Line(f"{pad}finally:", origin)]
        case Leave():
            return []
        case Attempt(body=body, orelse=orelse, types=types):
            tried = [Line(f"{pad}try:", origin), *_block(body, depth + 1)]
            return [*tried, *_header(f"except {ast.unparse(types)}:", depth, origin), *_block(orelse, depth + 1)]
        case ast.If():
            return _if(s, depth, "if")
        case ast.While(test=test, body=body):
            return [*_header(f"while {ast.unparse(test)}:", depth, origin), *_block(body, depth + 1)]
        case ast.For(target=target, iter=iter, body=body):
            head = f"for {ast.unparse(target)} in {ast.unparse(iter)}:"
            return [*_header(head, depth, origin), *_block(body, depth + 1)]
        case Insertion(places=places, block=block):
            items = [
                f"insert_grad_of({ast.unparse(p)})" + (f" as {n}" if n else "") for p, n in zip(places, block.names)
            ]
            return [*_header(f"with {', '.join(items)}:", depth, origin), *_own_lines(block, pad + INDENT)]
        case InsertedCode(block=block):
            return [dataclasses.replace(line, code=s) for line in _own_lines(block, pad)]
        case ast.Try():
            return _try(s, depth, origin)
        case ast.Return(value=ast.Tuple(elts=[_, _, *_] as elts)) if (
            len(text := pad + "return " + ", ".join(map(ast.unparse, elts))) <= WIDTH
        ):
            return [Line(text, origin)]
        case _:
            text = text_of(s)
            if "\n" in text:
                return [Line(pad + t if t else "", origin) for t in text.split("\n")]
            return [Line(t, origin) for t in _fold(text, depth)]


@fact
def text_of(s: ast.stmt) -> str:
    """The text of a statement, before it is broken into lines."""
    return ast.unparse(s if hasattr(s, "lineno") else ast.fix_missing_locations(s))


def _origin(s: ast.stmt) -> Origin:
    return Origin(getattr(s, "lineno", 0), getattr(s, "col_offset", 0))


def _try(s: ast.Try, depth: int, origin: Origin) -> list[Line]:
    """A `try` as it was written, whatever its blocks have become."""
    lines = [*_header("try:", depth, origin), *_block(s.body, depth + 1)]
    for h in s.handlers:
        kind = f" {ast.unparse(h.type)}" if h.type is not None else ""
        named = f" as {h.name}" if h.name else ""
        lines += [*_header(f"except{kind}{named}:", depth, origin), *_block(h.body, depth + 1)]
    for word, block in (("else", s.orelse), ("finally", s.finalbody)):
        if block or (word == "finally" and not s.handlers):
            lines += [*_header(f"{word}:", depth, origin), *_block(block, depth + 1)]
    return lines


def _own_lines(block: Block, pad: str) -> list[Line]:
    return [
        Line(line.text if line.raw or not line.text else pad + line.text, Origin(line.number)) for line in block.lines
    ]


def _if(s: ast.If, depth: int, word: str) -> list[Line]:
    pad, origin = INDENT * depth, _origin(s)
    lines = [*_header(f"{word} {ast.unparse(s.test)}:", depth, origin), *_block(s.body, depth + 1)]
    match s.orelse:
        case []:
            return lines
        case [ast.If() as inner] if not isinstance(inner, Attempt):
            return lines + _if(inner, depth, "elif")
        case orelse:
            return [*lines, Line(f"{pad}else:", origin), *_block(orelse, depth + 1)]


def _header(text: str, depth: int, origin: Origin) -> list[Line]:
    return [Line(t, origin) for t in _fold(text, depth)]


def _clip(text: str, width: int) -> list[str]:
    lines = text.split("\n")
    return [t if len(t) <= width else t[: width - 3] + "..." for t in lines]


def _fold(text: str, depth: int) -> list[str]:
    """Break a long line inside brackets, before operators or after commas.

    >>> _fold("x = " + " + ".join(["value_number_%d" % i for i in range(8)]), 0)
    ['x = (value_number_0 + value_number_1 + value_number_2 + value_number_3 + value_number_4', \
'    + value_number_5 + value_number_6 + value_number_7)']
    """
    pad = INDENT * depth
    if len(pad) + len(text) <= WIDTH:
        return [pad + text]
    assigns = any(x.string == "=" for x in _tokens(text)) and not text.startswith(("raise ", "return ", "assert "))
    if not _breaks(text) and assigns and " = " in text:
        target, value = text.split(" = ", 1)
        text = f"({target}) = {value}" if "," in target else f"{target} = ({value})"
    elif not any(level == 1 for _, level in _breaks(text)) and text.startswith(("return ",)):
        text = f"return ({text[7:]})"
    elif assigns and " = " in text and (operators := _top_operators(text)) and operators[0] < WIDTH:
        target, value = text.split(" = ", 1)
        text = f"{target} = ({value})"
    lines: list[str] = []
    indent = pad
    while len(indent) + len(text) > WIDTH:
        fitting = [(p, level) for p, level in _breaks(text, bool(lines)) if 0 < p <= WIDTH - len(indent)]
        if not fitting:
            break
        lowest = (
            min(level for p, level in fitting if p > (WIDTH - len(indent)) // 2 or len(fitting) == 1)
            if any(p > (WIDTH - len(indent)) // 2 for p, _ in fitting)
            else min(level for _, level in fitting)
        )
        cut = max(p for p, level in fitting if level == lowest)
        lines.append((indent + text[:cut]).rstrip())
        text, indent = text[cut:].lstrip(), pad + INDENT
    return [*lines, indent + text]


def _breaks(text: str, inside: bool = False) -> list[tuple[int, int]]:
    """Columns where the text may be cut, with the bracket depth there."""
    found, level = [], 1 if inside else 0
    for token in _tokens(text):
        column = token.start[1]
        if token.string in "([{" and token.type == tokenize.OP:
            level += 1
        elif token.string in ")]}" and token.type == tokenize.OP:
            level -= 1
        elif level > 0 and token.string == ",":
            found.append((token.end[1], level))
        elif (level > 0 and token.type == tokenize.OP and text[column - 1 : column] == " " and token.string != "=") or (
            level > 0 and token.string in ("and", "or", "if", "else", "for")
        ):
            found.append((column, level))
    return found


def _top_operators(text: str) -> list[int]:
    found, level = [], 0
    for token in _tokens(text):
        if token.type == tokenize.OP:
            level += (token.string in "([{") - (token.string in ")]}")
            if level == 0 and token.string in "+-*/@%" and text[token.start[1] - 1] == " ":
                found.append(token.start[1])
    return found


@lru_cache(maxsize=16)
def _tokens(text: str) -> list[tokenize.TokenInfo]:
    """The tokens of a line; one that is too long is asked for several times, until it is broken."""
    found: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.start[0] == 1:
                found.append(token)
    except tokenize.TokenError:
        pass  # a piece of a bracketed line: what was read so far is what there is
    return found
