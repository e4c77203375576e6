"""Programs of the zoo with a block after every assignment that binds the gradient to itself: nothing changes.

In loops the blocks could also jump, which makes the backward loops keep what a jump would need. And the lines of all
blocks stand in the derivative as they were written, in the reverse order of the blocks, optimised or not.
"""

import ast
import copy
import inspect
import re
import textwrap
import types

import numpy as np
import pytest

import programs
import tangent
from programs.registry import PROGRAMS, Case, cases
from tangent.source.adapt import define
from test_zoo import Setting, numeric, positions

programs.load("loops", "branches", "calls", "augmented")
THEMES = ("loops", "branches", "calls", "augmented")
JUMPS = ("break", "continue")


def chosen(case: Case) -> bool:
    f = case.program.function
    plain = isinstance(f, types.FunctionType) and f.__name__ != "<lambda>" and not f.__closure__
    return plain and case.program.theme in THEMES and case.index == 0 and inserted(f) is not None


class Blocks(ast.NodeTransformer):
    """Puts blocks behind assignments to names."""

    def __init__(self) -> None:
        self.count, self.loops = 0, 0

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            done.append(self.visit(s))
            targets = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, ast.AugAssign) else []
            done += [self.one(t.id) for t in targets if isinstance(t, ast.Name)]
        return done

    def one(self, v: str) -> ast.stmt:
        self.count += 1
        g = f"grad_{v}_{self.count}"
        jump = f"\n    if {g} is None:\n        {JUMPS[self.count % 2]}" if self.loops else ""
        return ast.parse(f"with insert_grad_of({v}) as {g}:\n    {g} = {g}{jump}").body[0]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = self.block(node.body)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return node

    def visit_For(self, node: ast.For | ast.While) -> ast.AST:
        self.loops += 1
        node.body = self.block(node.body)
        self.loops -= 1
        node.orelse = self.block(node.orelse)
        return node

    visit_While = visit_For


WRITTEN = re.compile(r"^( *)(grad_\w+_(\d+)) = \2$", re.MULTILINE)


def in_a_style_of_their_own(text: str) -> str:
    """Comments, brackets over lines, strings over lines and odd spacing in every block."""

    def styled(m: re.Match[str]) -> str:
        pad, g, number = m[1], m[2], m[3]
        return "\n".join(pad + line if line[:1] != "|" else line for line in lines_of(g, number))

    return WRITTEN.sub(styled, text)


def lines_of(g: str, number: str) -> list[str]:
    text = [f'text_{number} = """a text', f'| of block {number}"""']
    return [f"# block {number}", f"{g} = ( {g}", "    ,)[0]  # the same", *text]


def inserted(f: types.FunctionType) -> types.FunctionType | None:
    """The function with blocks; None where it has nested scopes, or nothing to put them behind."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(f)))
    node = tree.body[0]
    if not isinstance(node, ast.FunctionDef) or any(
        isinstance(n, ast.FunctionDef) for n in ast.walk(node) if n is not node
    ):
        return None
    node.decorator_list = []
    blocks = Blocks()
    text = in_a_style_of_their_own(ast.unparse(ast.fix_missing_locations(blocks.visit(tree))) + "\n")
    if not blocks.count:
        return None
    made = define(f.__name__, text, {**f.__globals__, "insert_grad_of": tangent.insert_grad_of})
    made.__defaults__, made.__kwdefaults__ = f.__defaults__, f.__kwdefaults__
    return made


@pytest.mark.parametrize("case", list(filter(chosen, cases(PROGRAMS))), ids=str)
def test_blocks_that_change_nothing(case: Case) -> None:
    program, setting = case.program, Setting(case)
    seed = copy.deepcopy(setting.seed)
    want = setting.derivative(tangent.vjp(program.function, positions(program)), seed)
    made = inserted(program.function)
    derivative = tangent.vjp(made, positions(program))
    got = setting.derivative(derivative, seed)
    np.testing.assert_allclose(numeric.vector(got), numeric.vector(want), rtol=1e-9, atol=1e-12)
    for source in (derivative.source, tangent.vjp(made, positions(program), optimized=False).source):
        assert_lines_stay(made, source)


def assert_lines_stay(made: types.FunctionType, source: str) -> None:
    """Each block once, its lines together; without branches the last one comes first."""
    text = inspect.getsource(made)
    blocks = [(m[2], m[1]) for m in re.finditer(r"# block (\d+)\n\s*(grad_\w+) = ", text)]
    shown = [line.strip() for line in source.split("\n\n\ndef ")[0].split("\n")]
    for g, number in blocks:
        first = shown.index(f"# block {number}")
        assert shown[first : first + 5] == [line.strip() for line in lines_of(g, number)]
    order = [int(line.split()[-1]) for line in shown if line.startswith("# block ")]
    assert len(order) == len(blocks)
    if not any(isinstance(n, ast.If) for n in ast.walk(ast.parse(text)) if not isinstance(n, ast.With)):
        assert order == sorted(order, reverse=True)
