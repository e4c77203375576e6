"""The command line: `python -m tangent show FILE.py:function` and `python -m tangent stages FILE.py:function`."""

from __future__ import annotations

import argparse
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tangent.api import autodiff
from tangent.errors import GradientError, TangentError
from tangent.normalise import normalise
from tangent.options import Mode
from tangent.rules.callables import plain_function
from tangent.source.read import read
from tangent.syntax.print import print_function
from tangent.testing import map_leaves
from tangent.view import html
from tangent.view.highlight import coloured
from tangent.view.target import Target, find
from tangent.view.trial import Trial, try_out


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command: 0 if all is well, 1 if a derivative is wrong, 2 if there is none."""
    options = parser().parse_args(argv)
    try:
        options.command(options)
    except TangentError as error:
        print(f"tangent: {error}", file=sys.stderr)
        return 1 if isinstance(error, GradientError) else 2
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser("tangent", description="Show the derivative of a Python function.")
    commands = top.add_subparsers(required=True, metavar="command")
    for name, command in (("show", show), ("stages", stages)):
        _common(commands.add_parser(name, help=command.__doc__, description=command.__doc__), command)
    _showing(commands.choices["show"])
    return top


def _common(p: argparse.ArgumentParser, command: Callable[[argparse.Namespace], None]) -> None:
    p.set_defaults(command=command)
    p.add_argument("place", metavar="FILE.py:function")
    p.add_argument("--wrt", metavar="x,y", help="names or positions of arguments; the first by default")
    p.add_argument("--mode", choices=("reverse", "forward"), default="reverse")


def _showing(p: argparse.ArgumentParser) -> None:
    p.add_argument("--order", type=_order, default=1, metavar="N", help="differentiate N times")
    p.add_argument("--raw", action="store_true", help="the derivative before it is optimised")
    p.add_argument("--html", metavar="FILE", help="write a page with the function beside its derivative")
    p.add_argument("--no-check", action="store_true", help="print the source only")
    p.add_argument("--args", metavar='"x=2.0, n=3"', help="arguments to try it with; EXAMPLE in the file by default")


def _order(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"an order is 1 or more, not {text!r}")
    return int(text)


def show(options: argparse.Namespace) -> None:
    """Print the derivative, evaluate it, and check it against finite differences."""
    target = find(options.place, options.wrt, options.args)
    made = differentiated(target, options.mode, options.order, not options.raw)
    _print_source(made.source)
    if options.html:
        Path(options.html).write_text(html.page(target.function, made), encoding="utf-8")
    if not options.no_check:
        print("\n" + tried(target, options.mode, options.order))


def stages(options: argparse.Namespace) -> None:
    """Print a function at every stage: source, Core Python, the raw and the optimised derivative."""
    target = find(options.place, options.wrt)
    for title, text in stage_texts(target, options.mode):
        print(coloured(f"# {title}\n", sys.stdout))
        _print_source(text)
        print()


def stage_texts(target: Target, mode: Mode = "reverse") -> list[tuple[str, str]]:
    """The stages of a function, each with its title."""
    plain = plain_function(target.function)
    core, _ = normalise(read(plain))
    return [
        ("Source", textwrap.dedent(inspect.getsource(plain))),
        ("Core Python", "\n".join(line.text for line in print_function(core)) + "\n"),
        ("Derivative, raw", differentiated(target, mode, 1, False).source),
        ("Derivative, optimised", differentiated(target, mode, 1, True).source),
    ]


def differentiated(target: Target, mode: Mode, order: int, optimized: bool) -> Any:
    """The derivative of an order, every differentiation by the same arguments."""
    once = functools.partial(autodiff, wrt=target.wrt, mode=mode, optimized=optimized)
    return functools.reduce(lambda f, _: once(f), range(order), target.function)


def tried(target: Target, mode: Mode, order: int) -> str:
    """What comes out when the derivative is tried, or what is missing to try it."""
    if target.arguments is None:
        return 'Not evaluated: no arguments. Give --args "x=2.0", or put EXAMPLE = {"function": {...}} into the file.'
    with np.printoptions(precision=6, threshold=60, linewidth=100):
        return report(try_out(target, mode, order), mode)


def report(trial: Trial, mode: Mode) -> str:
    """Value, derivatives and largest error, as text."""
    word = "gradient" if mode == "reverse" else "tangent"
    lines = [_field("value", trial.value)]
    for k, derivative in enumerate(trial.derivatives, 1):
        named = [(f" by {n}", part) for n, part in zip(trial.names, _parts(derivative, trial.names, mode))]
        lines += [_field(f"{word}{by}" + (f", order {k}" if k > 1 else ""), part) for by, part in named]
    return "\n".join([*lines, _field("max error", f"{trial.error:.1e} (against finite differences)")])


def _parts(derivative: Any, names: tuple[str, ...], mode: Mode) -> Sequence[Any]:
    return derivative if len(names) > 1 and mode == "reverse" else (derivative,)


def _field(title: str, value: Any) -> str:
    text = str(map_leaves(_plain, value))
    return f"{title}:\n{textwrap.indent(text, '    ')}" if "\n" in text else f"{title}: {text}"


def _plain(leaf: Any) -> Any:
    """Numbers as Python writes them."""
    return leaf.item() if isinstance(leaf, np.generic) else leaf


def _print_source(text: str) -> None:
    print(coloured(text, sys.stdout), end="")
