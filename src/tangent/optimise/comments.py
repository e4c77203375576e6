"""Comments stand above code, once: those that lost theirs go, repetitions go."""

from __future__ import annotations

import ast

from tangent.syntax.print import Comment
from tangent.syntax.rebuild import replace


def tidy(body: list[ast.stmt]) -> list[ast.stmt]:
    return _block(body)


def _block(body: list[ast.stmt]) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    last = ""
    for s in body:
        if isinstance(s, Comment):
            while done and isinstance(done[-1], Comment) and not done[-1].section:
                done.pop()
                last = next((c.text for c in reversed(done) if isinstance(c, Comment) and not c.section), "")
            if s.section:
                done.append(s)
                last = ""
            elif s.text != last:
                done.append(s)
                last = s.text
            continue
        match s:
            case ast.If(body=then, orelse=other):
                s, last = replace(s, body=_block(then), orelse=_block(other)), ""
            case ast.For(body=inner) | ast.While(body=inner):
                s, last = replace(s, body=_block(inner)), ""
        done.append(s)
    while done and isinstance(done[-1], Comment) and not done[-1].section:
        done.pop()
    return done
