"""The derivative tree, made smaller: one rewrite a file, in this order, until nothing changes."""

from __future__ import annotations

import ast

from tangent.source.resolve import Scope

Pairs = list[tuple[ast.stmt, ast.stmt]]


def optimise(body: list[ast.stmt], pairs: Pairs, scope: Scope) -> list[ast.stmt]:
    return body
