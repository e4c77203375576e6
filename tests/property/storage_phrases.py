"""Statements in place as people write them, for `storage_writer.py`: a phrase is a template of one or more lines.

In VECTORS `{a}` and `{b}` are arrays of one length, 3 at least, which may be the same; in MATRICES they are of one
shape, 2 by 2 at least, `{v}` and `{u}` are values of the length of a row and of a column. `{e}` and `{g}` are values of
the shape of `{a}`, `{s}` and `{t}` numbers, all of order one; `{i}` is a small int, `{n}` the length. Names that a
phrase makes are its own: what it does shows in its arrays.
"""

from __future__ import annotations

from property.writer import Choices

STORES = (
    "{a}[0], {b}[1:] = {s}, {e}[:-1]",
    "{a}[:2] = {s}, {t}",
    "{a}[0], *rest = {s}, {t}, 0.5\n{a}[1] = rest[0]",
    "({a}[0], {a}[1]), {b}[-1] = ({a}[1], {s}), {a}[0]",
    "{a}[slice(1, None)] = {e}[1:]",
    "{a}[::-2] *= {s}",
    "{a}[np.array([True, False] * {n})[:{n}]] = {s}",
    "{a}[[0, 0, 1]] = np.array([{s}, {t}, 0.3])",
    "{a}[[0, 0, 1]] += {s}",
    "{a}[..., None][0] = {s}",
    "{a}[None][0, 1:] = {e}[1:]",
    "{a}[1:][:-1][0] += {s}",
    "{a}[np.argsort({b})] = {e}",
    "{a}[{b} > 0.2] = {e}[{b} > 0.2]",
    "{a}[np.nonzero({b} > 0)] *= {s}",
    "hit = np.where({b} > 0.1)[0]\n{a}[hit] -= {e}[hit]",
    "{a}[np.argmax({b})] = {s}",
    "{a} **= 2",
    "{a}[1:] **= 2\n{a} *= 0.5",
    "{a} //= 2.5",
    "{a}[1:] %= 3.0",
    "{a} -= {a}[0]",
    "{a} /= 1.0 + {a}[-1] ** 2",
    "{a} += {a}[::-1] * {s}",
    "{a}[:] = {a}[::-1]",
    "{a}[1:] = {a}[:-1]",
    "{a}[:-1] += {a}[1:]",
    "{a}[1:] -= {a}[:-1]",
    "{a}[1:] *= np.cos({a}[:-1])",
)

FUNCTIONS = (
    "np.place({a}, {b} > 0.1, [{s}, {t}])",
    "np.put({a}, [0, 0, 1], [{s}, {t}, 0.2])",
    "np.put({a}, [0, {n} + 1], {e}, mode='wrap')",
    "{a}.put([1, -1], [{s}, {t}])",
    "np.put_along_axis({a}, np.argsort({b})[:2], {s}, 0)",
    "np.putmask({a}, {b} < 0.3, {e})",
    "{a}.partition(1)",
    "{a}[1:].sort()",
    "{a}[::-1].sort()",
    "np.copyto({a}[1:], {e}[:-1])",
    "np.copyto({a}, {s}, where=[True, False, True] + [False] * ({n} - 3))",
    "np.add({a}, {e}, out={a}, where={b} > 0)",
    "np.sqrt({e} + 2.0, out={a})",
    "np.cumsum({e}, out={a})\n{a} *= 0.5",
    "np.cumsum({a}, out={a})\n{a} *= 0.3",
    "np.add.accumulate({e}, out={a})\nnp.sin({a}, out={a})",
    "np.clip({a}, -0.8, 0.9, out={a})",
    "np.minimum({a}, {e}, {a})",
    "np.concatenate([{e}[1:], {e}[:1]], out={a})",
    "np.take({e}, [0] * {n}, out={a})",
    "np.where({b} > 0, {a}, {e}).sort()",
    "np.multiply({a}, {s}, out={a}[...])",
    "np.sin({a}[:-1], out={a}[1:])",
    "np.add({a}[1:], {a}[:-1], out={a}[1:])\n{a} *= 0.5",
    "np.subtract({e}, {a}, {a})",
    "whole, part = np.zeros({n}), np.zeros({n})\nnp.divmod({e} + 3.0, 0.7, out=(whole, part))\n{a} += part",
    "np.maximum.at({a}, [0, 0, 1], {s})",
    "np.divide.at({a}, [0, 0], 1.5 + {s} ** 2)",
    "np.sin.at({a}, [0, 1, 1])",
    "np.add.at({a}[1:], [0, 0, -1], {e}[:3])",
    "np.add.at({a}, slice(1, None), {s})",
    "np.add.at({a}, np.array([[0, 1], [0, 1]]), {s})",
    "np.negative.at({a}, [0, 0, 1])",
    "{a}.flat[1:] = {s}",
    "{a}.flat = {e}",
    "{a}.flat[[0, -1]] += {s}",
    "np.nan_to_num({a}, copy=False)",
    "np.random.default_rng(0).standard_normal(out=np.zeros({n}))",
    "np.einsum('i,i->i', {e}, {g}, out={a})",
    "np.square({a}, {a})",
)

VIEWS = (
    "zs = {a} + 1j * {e}\nzs.real[0] = {s}\nzs.imag[1:] *= {t}\n{a}[:] = zs.real * zs.imag",
    "zs = np.zeros({n}, dtype=complex)\nzs.real = {e}\nzs.imag = {a}\nzs *= 0.5 + 0.2j\n{a}[:] = np.abs(zs + 2.0)",
    "{a}.real[0] = {s}",
    "up, down = {a}[1:], {a}[:-1]\nup += 0.3 * down\ndown[0] = up[-1]",
    "wins = np.broadcast_to({a}, (2, {n}))\n{a}[0] = {s}\n{b}[:] = np.sin(wins[1] + wins[0])",
    "wins = np.lib.stride_tricks.sliding_window_view({a}, 2)\n{a}[1] = {s}\n{b}[1:] = np.sin(wins.sum(axis=1))",
    "head, tail = np.split({a}, [1])\ntail *= {s}\nhead[0] = tail[0]",
    "q = np.expand_dims({a}, 0)\nq[0, 1] = {s}",
    "q = np.atleast_2d({a})\nq[:, 1:] += {t}\nnp.squeeze(q)[0] = {s}",
    "q = {a}[:, None]\nq[0] = {s}\nq += {t}",
    "q = np.flip({a})\nq[0] = {s}\n{b}[0] = q[-1]",
    "q = np.ascontiguousarray({a})\nq[0] = {s}",
    "q = {a}.astype(float, copy=False)\nq[1] = {t}",
    "q = {a}.view()\nq[:2] = {s}",
    "q = np.asarray({a})[::2]\nq[:] = {s}\nq[0] += {a}[1]",
    "q = {a}\nq = q[1:]\nq -= {s}\nq = q[::-1]\nq[0] = {t}",
    "q = {a} if {i} > 1 else {b}\nq[0] = {s}\nq += {t}",
    "q = {a}[::-1].ravel()\nq[0] = {s}\n{b}[1] = q[0] + q[-1]",
    "q = {a}.copy()\nq.shape = (1, {n})\nq[0, 1] = {s}\n{a}[:] = np.sin(q[0])",
    "q = np.zeros({n} * 2).reshape(2, {n})\nq[0] = {a}\nq[1, :] = {e}\n{a}[:] = 0.5 * q.sum(axis=0)",
    "old, new = {a}.copy(), {b}.copy()\nfor _ in range(3):\n    new[1:] = 0.5 * (old[1:] + old[:-1])\n"
    "    old, new = new, old\n{a}[:] = old",
    "ring = np.zeros(3)\nfor p in range({n}):\n    ring[p % 3] = {a}[p]\n    {a}[p] = np.sin(ring.sum())",
    "prev = {a}[0]\nfor p in range(1, {n}):\n    {a}[p], prev = 0.5 * prev, {a}[p]",
    "best = {a}\nfor q in ({b}, {a}):\n    if q[0] > best[0]:\n        best = q\nbest[1] = {s}",
    "parts = [{a}[:1], {a}[1:]]\nfor q in parts:\n    q *= {s}\nparts[1][0] = parts[0][0]",
    "total = 0.0\nfor q in {a}:\n    total += np.sin(q)\n{b}[0] = np.tanh(total)",
    "wide = np.zeros({n} + 2)\nwide[1:-1] = {a}\nwide[0], wide[-1] = wide[1], wide[-2]\n"
    "{a}[:] = 0.5 * (wide[:-2] + wide[2:])",
    "fine = np.zeros({n}, dtype=np.longdouble)\nfine[:] = {a}\nfine *= {s}\n{a}[:] = fine",
    "count = np.zeros({n}, dtype=int)\ncount[:] = 10.0 * {a}\ncount[0] += 1\n{a} += 0.1 * count",
    "where = np.arange({n})\nwhere[0] = 1\nwhere += 1\n{a}[:] = {e}[where % {n}]",
)

OBJECTS = (
    "o = Store({a})\no.w[0] = {s}\no.w *= {t}\n{b}[1] = o.w[-1]",
    "o = Store({a}.copy())\no.step({s})\no.n += 1\no.w = np.sin(o.w) + o.n\n{a}[:] = np.cos(o.w)",
    "o = Store({a})\no.fill({e})\no.step(o.w[0])",
    "o, q = Store({a}), Store({b})\no.w, q.w = q.w, o.w\no.w[0] = {s}\nq.step({t})",
    "o = Store({a})\nfor _ in range(2):\n    o.step({s})\n    o.total += o.w[0]\n{b}[0] = np.sin(o.total)",
    "o = Store([{a}, {b}])\no.w[0][1] = {s}\no.w[1] = o.w[0]",
    "o = Store({{'w': {a}}})\no.w['w'][0] = {s}\no.w['w'] = o.w['w'] * {t}\n{b}[:] = np.sin(o.w['w'])",
    "def fill(k, value):\n    {a}[k] = value\n\nfill(0, {s})\nfill(1, {t})",
    "def halve(x, y):\n    x[0] = y\n    x[1:] *= 0.5\n    return x\n\nhalve({a}, {s})[1] = {t}\n"
    "halve({a}[1:], {a}[0])",
)

LISTS = (
    "xs_ = [{s}, {t}, {a}[0]]\nxs_[0] += xs_[1]\nxs_[1:] = [xs_[2], xs_[0]]\nxs_.append(xs_.pop(0))\n{a}[:2] = xs_[:2]",
    "xs_ = list({a})\nfor p in range(1, len(xs_)):\n    xs_[p] = np.sin(xs_[p] + xs_[p - 1])\n{a}[:] = xs_",
    "xs_ = []\nfor p in range({n}):\n    xs_.append(np.sin({a}[p]))\n    if p > 1:\n"
    "        xs_[p] -= xs_[p - 2]\n{a}[:] = xs_",
    "xs_ = [{a}[p] for p in range({n})]\nxs_.reverse()\ndel xs_[0]\nxs_.insert(1, {s})\n{b}[:2] = xs_[:2]",
    "xs_ = [{a}, {b}]\nxs_[:] = xs_[::-1]\nxs_[0][0] = {s}\ndel xs_[1]\nxs_.extend([{e}])\n"
    "{b}[:] = np.sin(xs_[1] + xs_[0])",
    "xs_ = {a}.tolist()\nxs_[0], xs_[-1] = xs_[-1], xs_[0]\nxs_.sort()\n{a}[:] = np.sin(np.array(xs_))",
    "todo = [{a}]\nwhile todo:\n    q = todo.pop()\n    q[0] += {s}\n    if len(q) > 2:\n        todo.append(q[1:])",
    "d_ = {{}}\nfor p in range({n}):\n    d_[p] = {a}[p] * {s}\nd_[0] += d_.pop(1)\n"
    "d_.setdefault(1, {t})\n{a}[:2] = d_[0], d_[1]",
    "d_ = {{'x': {a}, 'y': {b}}}\nfor key in d_:\n    d_[key][0] = {s}\nd_['z'] = d_['x']\n"
    "d_['z'] += {t}\n{b}[1] = d_.pop('y')[0]",
    "d_ = {{'x': {s}}}\nd_.update(y={t})\nd_['x'] *= d_['y']\nfor key, q in d_.items():\n    {a}[0] += q",
    "grid = [[{s}, {t}], [0.1, {a}[0]]]\ngrid[0][1] += grid[1][1]\ngrid[1] = grid[0]\n"
    "grid[1][0] = {a}[1]\n{a}[:2] = grid[0]",
    "pair = ({a}, {b})\npair[0][1] = {s}\npair[1][0] += pair[0][1]",
)

VECTORS = (STORES, FUNCTIONS, VIEWS, OBJECTS, LISTS)

MATRIX_STORES = (
    "{a}[1:, :-1] = {s}",
    "{a}[::-1, ::-1] *= {s}",
    "{a}[np.ix_([0, -1], [1, 0])] = {s}",
    "{a}[np.ix_([0, 1], [0, 1])] += {b}[:2, :2] * {s}",
    "{a}[0, [0, -1]] = {s}, {t}",
    "{a}[[0, 0, 1]] = {v}",
    "{a}[[0, 0, 1], [1, 1, 0]] += np.array([{s}, {t}, 0.2])",
    "{a}[{b}[:, 0] > 0] = {v}",
    "{a}[{b} > 0.1] *= {s}",
    "{a}[:, None, 0] = {s}",
    "{a}[None, ..., 0][0, 1] = {s}",
    "{a}[0], {a}[1] = {a}[1].copy(), {a}[0].copy()",
    "{a}[[0, 1]] = {a}[[1, 0]]",
    "{a}[0][1:], {a}[1][0] = {v}[1:], {s}",
    "{a}[:, 0], {a}[0] = {u}, {v}",
    "{a} += {v}",
    "{a} *= {u}[:, None]",
    "{a} -= {a}.mean(axis=0)",
    "{a}[1:] -= {a}[0] * {s}",
    "{a}[:, 1] += {a}[:, 0] @ {u}",
    "{a}[np.arange({r}), np.arange({r}) % {c}] = {u}",
    "{a}[np.tril_indices(2)] = {s}",
    "{a}.T[1] = {u}",
    "{a}.flat[::2] = {s}",
    "{a}[1:, 1:] = {a}[:-1, :-1]",
    "{a}[1:, 1:] += {a}[:-1, :-1] * {s}",
)

MATRIX_FUNCTIONS = (
    "np.fill_diagonal({a}, [{s}, {t}])",
    "np.fill_diagonal({a}[:, ::-1], {s})",
    "np.fill_diagonal({a}, {s}, wrap=True)",
    "{a}.sort(axis=0)",
    "{a}.sort()",
    "np.put_along_axis({a}, np.argsort({b}, axis=1)[:, :1], {s}, axis=1)",
    "{a}.put([0, 3], {v})",
    "np.place({a}, {b} > 0, {v})",
    "line = np.zeros({c})\nnp.sum({a}, axis=0, out=line)\n{a}[0] = np.sin(line)",
    "np.mean({a}, axis=1, out={a}[:, 0])",
    "line = np.empty({r})\nnp.dot({a}, {v}, out=line)\n{a}[:, 1] = np.tanh(line)",
    "np.matmul({a}, {v}, out={a}[:, 0])\nnp.sin({a}, out={a})",
    "np.outer({u}, {v}, out={a})",
    "np.cumsum({a}, axis=1, out={a})\n{a} *= 0.4",
    "np.add.reduce({e}, axis=0, out={a}[1])\n{a} *= 0.4",
    "np.stack([{v}] * {r}, out={a})",
    "np.copyto({a}, {v})",
    "np.copyto({a}, {b}.T.reshape({r}, {c}))",
    "np.add.at({a}, (slice(None), [0, 0]), {s})",
    "np.add.at({a}, ([0, 0, 1], [1, 1, 0]), np.array([{s}, {t}, 0.2]))",
    "np.add.at({a}[:, 1], [0, 0], {t})",
    "np.multiply.at({a}.T, [0, 0], {u})",
    "np.add.at({a}, [0, 0], {v})",
    "np.multiply({u}[:, None], {v}, out={a})",
    "np.add({a}, {v}, out={a}, where={b} > 0)",
    "np.random.default_rng(1).shuffle(np.zeros(3))",
)

MATRIX_VIEWS = (
    "{a}.diagonal()\ndiag = {a}.diagonal()\n{a}[0, 0] = {s}\n{a}[1, 1] = np.sin(diag.sum())",
    "diag = np.einsum('ii->i', {a}[:2, :2])\ndiag *= {s}",
    "q = {a}.reshape(-1)[1:]\nq[0] = {s}\nq *= {t}",
    "q = {a}.T.reshape(-1)\nq[0] = {s}\n{b}[0, 1] = q[0] * q[-1]",
    "q = {a}[:, ::-1].ravel()\nq += {s}\n{b}[0] = np.sin(q[:{c}])",
    "q = {a}.T.T.ravel()\nq[1] = {s}",
    "q = np.moveaxis({a}, 0, 1)\nq[0] = {u}",
    "q = np.rot90({a})\nq[0, 0] = {s}",
    "q = {a}[None]\nq[0, 1] = {v}\nq[..., 0] = {s}",
    "q = {a}[:, None, :]\nq += {s}\nq[1, 0, 1] = {t}",
    "first, *others = {a}\nfirst += {v}\nothers[-1][0] = first[0]",
    "for p, q in zip({a}, {b}):\n    p *= 0.5\n    q[0] = np.sin(p[1])",
    "for p, q in zip({a}, {a}.T):\n    p[0] = {s}\n    q[1] += p[1]",
    "for p in np.ndindex({a}.shape):\n    {a}[p] = np.sin({a}[p] + {s})",
    "for p in range({r}):\n    for q in range({c}):\n        {a}[p][q] -= 0.3 * {a}[p - 1][q]",
    "for p, line in enumerate({a}):\n    if p % 2:\n        line[:] = {v}\n    else:\n        line[1:] = line[:-1]",
    "top, low = np.vsplit({a}, [1])\nlow -= 0.5 * top",
    "block = {a}[:2, :2]\nblock[:] = block @ block * 0.3\nblock[0] += block[1]",
    "block = {a}[:2, :2]\nblock @= {b}[:2, :2] * 0.3",
    "rows = list({a})\nrows[0] += {v}\nrows[0], rows[1] = rows[1], rows[0]\nrows[0][0] = {s}",
    "rows = [line for line in {a}]\nfor line in reversed(rows):\n    line *= {s}",
    "o = Store({a})\no.w[0, 1] = {s}\no.w[1] += o.w[0]\no.step({t})",
    "o = Store({a}[0])\no.w[:] = {v}\n{a}[1] = o.w\no.step({a}[1, 0])",
    "pivot = {a}[0].copy()\nfor p in range(1, {r}):\n    {a}[p] -= pivot * {a}[p, 0] * 0.5\n    pivot += {a}[p]",
    "zs = {a} + 1j * {e}\nzs[0].imag[:] = {s}\nzs.T[1] *= 1j\n{a}[:] = zs.real + np.sin(zs.imag)",
    "cube = np.zeros((2, {r}, {c}))\ncube[0] = {a}\ncube[1, ..., 0] = {u}\ncube[:, 1] += {v}\n"
    "{a}[:] = np.sin(cube.sum(axis=0))",
    "cube = np.stack([{a}, {e}])\ncube[0], cube[1] = cube[1].copy(), cube[0] * {s}\n{a}[:] = cube[0] - np.sin(cube[1])",
)

MATRICES = (MATRIX_STORES, MATRIX_FUNCTIONS, MATRIX_VIEWS)

# What no derivative flows through changes, too: `{k}` is such an array, for masks and weights of the length `{n}`,
# `{a}` an array of that length, `{v}` a value for three rows of `{a}`, `{e}` one for all of them.

PLACES = {  # three of the first two places
    "make": (
        "np.array([0, 1, 1])",
        "np.arange(3) % 2",
        "np.argsort({a}.sum(axis=tuple(range(1, {a}.ndim))))[[0, 1, 0]] % 2",
    ),
    "change": (
        "{k}[0] = 1 - {k}[0]",
        "{k}[:] = 1 - {k}",
        "{k} += 1\n{k} %= 2",
        "{k}[1:] = {k}[:-1]",
        "{k} ^= 1",
        "{k}[:] = {k}[::-1].copy()",
        "np.copyto({k}, [1, 0, 0])",
        "{k} = {k}[::-1]",
        "{k}.sort()",
        "{k}.fill(1)",
        "exchange({k})",
        "np.random.default_rng(3).shuffle({k})",
        "np.subtract(1, {k}, out={k})",
        "{k}.flat[-1] = 0",
    ),
    "use": (
        "{a}[{k}] = {v}",
        "{a}[{k}] += {v}",
        "{a}[{k}] *= 0.5 + {s} ** 2",
        "{a}[{k}[0]] = {s}",
        "np.add.at({a}, {k}, {v})",
        "np.multiply.at({a}, {k}, 0.5 + 0.3 * np.sin({v}))",
        "{a}[{k}[1:]] -= {s}",
        "{a}[-1] = np.sin({a}[{k}].sum(axis=0))",
        "{a}[{k}], {a}[0] = {a}[{k}[::-1]], {s}",
        "np.put_along_axis({a}, np.expand_dims({k}, tuple(range(1, {a}.ndim))), {s}, 0)",
        "exchange_at({a}, {k})",
        "for p in {k}:\n    {a}[p] = np.sin({a}[p - 1] + {s})\n    {k}[0] = 1",
        "np.take({a}, {k}, axis=0).sum()\n{a}[{k}] = np.take({e}, {k}, axis=0)",
    ),
}
MASKS = {
    "make": ("np.arange({n}) % 2 == 0", "np.ones({n}, dtype=bool)", "{a}.sum(axis=tuple(range(1, {a}.ndim))) > 0.1"),
    "change": (
        "{k}[0] = not {k}[0]",
        "{k}[:] = ~{k}",
        "np.logical_not({k}, out={k})",
        "{k} ^= True",
        "{k}[1:] = {k}[:-1]",
        "{k} &= np.arange({n}) < 2",
        "{k}[:2] |= True",
        "{k} = ~{k}",
        "{k}[-1:] = False",
    ),
    "use": (
        "{a}[{k}] = {s}",
        "{a}[{k}] *= 0.5 + {s} ** 2",
        "{a}[{k}] -= {e}[{k}]",
        "{a}[~{k}] = {e}[~{k}]",
        "np.copyto({a}.T, {e}.T, where={k})",
        "{a}[:] = np.where({k}, {a}.T, {e}.T).T",
        "{a}[0] = np.sum({a}[{k}], axis=0) * 0.3",
        "np.sin({a}.T, out={a}.T, where={k})",
        "flags = {k}\n{a}[flags] += {s}",
    ),
}
WEIGHTS = {
    "make": ("np.linspace(0.2, 0.9, {n})", "np.full({n}, 0.7)", "0.5 + TABLE[np.arange({n}) % 3]"),
    "change": (
        "{k} *= 0.9",
        "{k}[0] = 0.4",
        "{k}[:] = {k}[::-1].copy()",
        "{k}[1:] = {k}[:-1]",
        "{k} += 0.1",
        "{k}.sort()",
        "np.sqrt({k}, out={k})",
        "np.add.at({k}, [0, 0], 0.1)",
        "{k} = {k} * 0.8",
        "{k} /= {k}.sum()",
        "exchange({k})",
    ),
    "use": (
        "{a} = ({a}.T * {k}).T",
        "{a}[:] = ({k} * {e}.T).T",
        "{a}[0] = np.sum({k} * {a}.T * {a}.T) * 0.2",
        "{a}.T[...] *= {k}",
        "np.multiply({a}.T, {k}, out={a}.T)",
        "{a} += ({k} * np.sin({a}.T)).T",
        "{a}[0] = {k}[0] * {a}[-1] ** 2",
        "{a} /= (1.0 + {k} ** 2).sum()",
        "{a}[1:] -= ({k}[1:] * {e}[1:].T).T",
    ),
}
COUNTS = {  # lists of the first two places
    "make": ("[0, 1, 1]", "list(range(2))", "[1]"),
    "change": (
        "{k}[0] = 1 - {k}[0]",
        "{k}.append(1 - {k}[-1])",
        "{k}.reverse()",
        "{k} += [0]",
        "{k}[1:] = [0]",
        "{k}.insert(0, 1)",
        "if len({k}) > 1:\n    {k}.pop()",
        "{k} = [1 - q for q in {k}]",
    ),
    "use": (
        "{a}[{k}[0]] = {s}",
        "{a}[{k}] *= 0.5 + {s} ** 2",
        "for p in {k}:\n    {a}[p] = np.sin({a}[p] + {s})",
        "np.add.at({a}, {k}, {s})",
        "{a}[len({k}) % 2] += {s}",
        "{a}[sum({k}) % 2] = np.cos({a}[{k}[-1]])",
    ),
}
STEADY = {"idx": PLACES, "hit": MASKS, "wts": WEIGHTS, "ks": COUNTS}

EXCHANGE = """\
def exchange(k):
    k[0], k[1] = k[1], k[0]


def exchange_at(a, k):
    a[k] *= 0.5
    exchange(k)
    a[k[:1]] = np.sin(a[k[-1]])
"""

STORE = """\
class Store:
    def __init__(self, w):
        self.w = w
        self.n = 0
        self.total = 0.0

    def step(self, c):
        self.w[0] = 0.5 * c
        self.w += 0.2 * np.sin(c)

    def fill(self, value):
        self.w[:] = value
"""


def phrase(choices: Choices, dimensions: int) -> str:
    """A template for an array of one or two dimensions."""
    return choices.pick(choices.pick(VECTORS if dimensions == 1 else MATRICES))
