"""What a call gives each parameter of the function that it calls."""

from __future__ import annotations

import ast

from tangent.syntax.uses import arguments


def passed(call: ast.Call, parameters: ast.arguments) -> list[ast.expr] | None:
    """The arguments of a call by position; None where that is not known, or a keyword or default has to be computed.

    >>> f = ast.parse("def f(x, mode='full', k=1): ...").body[0]
    >>> [ast.unparse(e) for e in passed(ast.parse("f(a, k=b)", mode="eval").body, f.args)]
    ['a', "'full'", 'b']
    >>> passed(ast.parse("f(a, k=b[1])", mode="eval").body, f.args)
    """
    names, args, keywords = [a.arg for a in parameters.args], call.args, call.keywords
    if len(names) < len(arguments(parameters)) or len(args) > len(names):
        return None
    left = names[len(args) :]
    if any(isinstance(a, ast.Starred) for a in args) or not {k.arg for k in keywords} <= set(left):
        return None
    if not all(isinstance(k.value, (ast.Name, ast.Constant)) for k in keywords):
        return None
    defaults = dict(zip(reversed(names), reversed(parameters.defaults)))
    known: dict[str, ast.expr] = {v: e for v, e in defaults.items() if isinstance(e, ast.Constant)}
    known |= {k.arg: k.value for k in keywords if k.arg}
    rest = [known[v] for v in left if v in known]
    return [*args, *rest] if len(rest) == len(left) else None
