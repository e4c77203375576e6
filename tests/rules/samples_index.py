"""Samples of reading `x[index]`."""

from __future__ import annotations

import numpy as np

from rules.sample import S, Sample, cplx, real

MASK = np.array([[True, False, True], [False, True, True]])

TABLE = [[0.1, -0.2], [0.3, 0.4]]

SAMPLES: dict[str, list[Sample]] = {
    "getitem": [
        S("x.__getitem__((0, slice(1, None)))", x=real(2, 3)),
        S("x[1]", x=real(3)),
        S("x[-1, 0]", x=real(2, 3)),
        S("x[1:]", x=real(2, 3)),
        S("x[:, ::-2]", x=real(2, 3)),
        S("x[None, ..., 0]", x=real(2, 1, 3)),
        S("x[..., None]", x=cplx(3)),
        S("np.sum(x)[None] * np.sum(x)", x=real(3)),
        S("x[[0, 2, 0]]", x=real(3)),
        S("x[i]", x=real(2, 3), i=np.array([[0, 1], [1, 1]])),
        S("x[i, :, j]", x=real(2, 2, 3), i=np.array([0, 1, 0]), j=np.array([2, 1, 2])),
        S("x[0, [1, 1]]", x=real(2, 3)),
        S("x[m]", x=real(2, 3), m=MASK),
        S("x[:, m]", x=real(2, 3), m=np.array([True, False, True])),
        S("x[m, i]", x=real(2, 3), m=np.array([True, True]), i=np.array([[0, 0], [2, 0]])),
        S("x[np.ix_([1, 0, 1], [2, 0])]", x=real(2, 3)),
        S("x[()]", x=np.array(0.5)),
        S("x[1:1]", x=real(3)),
        S("x[True]", x=real(2, 2)),
        S("x[k]", x=(real(), real(2)), k=1),
        S("x[-1]", x=[real(2), real(3)]),
        S("x[1:]", x=[real(), real(seed=1), real(seed=2)]),
        S("x['w']", x={"w": real(2, 2), "b": real(2)}),
    ],
    "append_row": [
        S("runtime.persistent.append(x, row)", x=real(2, 3), row=real(3)),
        S("runtime.persistent.append(x, row)", x=real(3), row=0.7),
        S("runtime.persistent.append(x, row)", x=cplx(2, 2), row=cplx(2)),
    ],
    "setitem": [
        S("runtime.persistent.setitem(x, 1, v)", x=real(3, 2), v=real(2)),
        S("runtime.persistent.setitem(x, i, v)", x=real(3), v=real(2), i=[2, 0]),
        S("runtime.persistent.setitem(x, i, v)", x=real(3), v=real(3, seed=1), i=[2, 0, 2]),
        S("runtime.persistent.setitem(x, m, v)", x=real(2, 3), v=real(4), m=MASK),
        S("runtime.persistent.setitem(x, (slice(None), 1), v)", x=real(2, 3), v=real(2)),
    ],
    "shortened": [
        S("runtime.persistent.shortened(x, 1)", x=real(3, 2)),
        S("runtime.persistent.shortened(x, 2)", x=real(3)),
        S("runtime.persistent.shortened(x, 0)", x=cplx(2)),
    ],
    "lengthened": [S("lengthened(b, x)", "b", b=real(2), x=real(3))],
    "persistent_array": [S("np.asarray(runtime.persistent.PersistentArray(x))", x=real(2, 3))],
    "flat": [
        S("x.flat[2]", x=real(2, 3)),
        S("x.flat[1:4]", x=real(3, 2).T),
        S("x.flat[[0, 5, 0]]", x=real(2, 3)),
    ],
    # Tables: lists of lists
    "scatter_cell": [S("scatter_cell(b, x, 1, 0)", "x", b=0.3, x=TABLE)],
    "with_cell": [S("with_cell(b, 1, 0, v)", b=TABLE, v=0.5)],
    "fresh_rows": [S("fresh_rows(x)", x=TABLE)],
    "number_rows": [S("number_rows(x)", x=TABLE)],
}
