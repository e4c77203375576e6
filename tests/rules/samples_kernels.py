"""Samples of what only derivatives call: the runtime of generated code, and the transposes of the linear functions."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from rules.sample import S, Sample, cplx, real

MASK = np.array([True, False, True])
PAIR = [np.zeros(2), np.zeros((2, 1))]  # what joins and splits are like

RUNTIME: dict[str, list[Sample]] = {
    "unbroadcast": [
        S("runtime.unbroadcast(b, x)", "x", b=real(2, 3), x=real(3)),
        S("runtime.unbroadcast(b, x)", "x", b=real(2, 3), x=0.5),
        S("runtime.unbroadcast(b, x)", "x", b=real(2, 3), x=real(2, 1)),
        S("runtime.unbroadcast(b, x)", "x", b=cplx(2, 3), x=real(3)),
        S("runtime.unbroadcast(b, x)", "x", b=0.3, x=0.5),
    ],
    "broadcast_like": [
        S("runtime.broadcast_like(b, x)", "x", b=real(3), x=real(2, 3)),
        S("runtime.broadcast_like(b, x)", "x", b=0.3, x=real(2, 3)),
    ],
    "count": [S("count(x, 0, False, True, c)", "x", x=real(2, 3), c=0.6)],
    "copy_grad": [S("runtime.copy(b)", b=real(2, 3)), S("runtime.copy(b)", b=[0.5, real(2)])],
    "dense": [S("runtime.dense(b)", b=real(3)), S("runtime.dense(b)", b=(0.5, real(2)))],
    "settled": [S("runtime.settled(b, x)", "x", b=real(3), x=real(3))],
    "adjoints": [S("runtime.adjoints(parts, 2, 'f')", parts=(0.5, real(2)))],
    "forward_pair": [S("runtime.forward_pair(found, 'f')", found=(0.5, real(2)))],
    "to_vector": [
        S("runtime.to_vector(x)", x=0.5),
        S("runtime.to_vector(x)", x=real(2, 3)),
        S("runtime.to_vector(x)", x={"a": 0.5, "b": [real(2), (real(1, 2),)]}),
    ],
    "vector_like": [S("runtime.vector_like(b, x)", "x", b=real(2, 3), x=real(2, 3)), S("runtime.vector_like(b, x)", "x", b={"a": 0.5, "b": [real(2)]}, x={"a": 0.5, "b": [real(2)]})],
    "from_vector": [
        S("runtime.from_vector(v, x)", "x", v=real(1), x=0.5),
        S("runtime.from_vector(v, x)", "x", v=real(6), x=real(2, 3)),
        S("runtime.from_vector(v, x)", "x", v=real(5), x={"a": 0.5, "b": [real(2), (real(1, 2),)]}),
    ],
    "fit_grad": [
        S("runtime.fit_grad(b, x)", "x", b=real(3), x=real(3)),
        S("runtime.fit_grad(b, x)", "x", b=0.5, x=real(3)),
        S("runtime.fit_grad(b, x)", "x", b=(0.5, real(2)), x=(1.5, real(2))),
        S("runtime.fit_grad(b, x)", "x", b={"k": real(2)}, x={"k": real(2)}),
    ],
    "unfit_grad": [
        S("runtime.unfit_grad(b, g)", "g", b=real(3), g=0.5),
        S("runtime.unfit_grad(b, g)", "g", b=(real(3), 0.5), g=(0.5, 1.5)),
        S("runtime.unfit_grad(b, g)", "g", b={"k": real(2)}, g={"k": real(2)}),
    ],
    "replace_item": [
        S("runtime.replace_item(b, 1, v)", b=real(3), v=0.5),
        S("runtime.replace_item(b, 'k', v)", b={"k": real(2), "n": 0.5}, v=real(2)),
        S("runtime.replace_item(b, -1, v)", b=(0.5, real(2)), v=real(2)),
    ],
    "refit": [S("runtime.refit(b, x)", "x", b=real(3), x=real(3))],
    "unheld": [S("runtime.unheld(x, y)", "y", x=real(3), y=real(3))],
    "items_like": [
        S("runtime.items_like(b, x, [])", "x", b={"u": 0.3, "v": 0.4}, x={"u": 1.0}),
        S("runtime.items_like(b, x, [['u']])", "x", b={"u": 0.3, "v": 0.4}, x={"u": 1.0, "v": 2.0}),
    ],
    "merged_like": [S("runtime.merged_like(b, x, [])", "x", b={"u": 0.3}, x={"u": 1.0, "v": 2.0})],
    "dict_of": [
        S("runtime.dict_of(['u', 'v'], parts)", parts=[0.3, 0.7]),
        S("runtime.dict_of(['u', 'v', 'u'], parts)", parts=[0.3, 0.7, real(2)]),
    ],
    "parts_of": [
        S("runtime.parts_of(b, ['u', 'v'], parts)", "parts", b={"u": 0.3, "v": 0.7}, parts=[1.0, 2.0]),
        S("runtime.parts_of(b, ['u', 'u'], parts)", "parts", b={"u": 0.3}, parts=[1.0, 2.0]),
    ],
    "subset": [S("runtime.subset(x, ['u'])", x={"u": 0.3, "v": 0.7})],
    "superset": [S("runtime.superset(b, x, ['u'])", "x", b={"u": 0.3}, x={"u": 1.0, "v": 2.0})],
    "either": [S("x | y", x={"u": 0.3, "v": 0.7}, y={"v": 0.4, "w": 0.2})],
    "left_items": [
        S("runtime.left_items(b, x, y)", "xy", b={"u": 0.3, "v": 0.4}, x={"u": 1.0, "v": 2.0}, y={"v": 1.0}),
    ],
    "right_items": [S("runtime.right_items(b, y)", "y", b={"u": 0.3, "v": 0.4}, y={"v": 1.0})],
    "from_left": [
        S("runtime.from_left(b, y, z)", "yz", b={"u": 0.3, "v": 0.4}, y={"v": 1.0}, z={"u": 1.0, "v": 2.0}),
    ],
    "from_right": [S("runtime.from_right(b, y, z)", "yz", b={"v": 0.4}, y={"v": 1.0}, z={"u": 1.0, "v": 2.0})],
    "unsequence": [S("runtime.unsequence(b, xs)", "xs", b=[0.3, 0.4], xs=[1.0, 2.0])],
    "sequence": [S("runtime.sequence(xs)", xs=[0.5, 0.7]), S("runtime.sequence(xs)", xs=real(2, 2))],
    "add_grad": [
        S("runtime.add_grad(a, b)", a=real(3), b=real(3, seed=1)),
        S("runtime.add_grad(a, b)", a=0.3, b=0.7),
        S("runtime.add_grad(a, b)", a=[0.3, real(2)], b=[0.7, real(2, seed=1)]),
    ],
    "as_list": [S("runtime.as_list(b)", b=[0.3, 0.7]), S("runtime.as_list(b)", b=(0.3, real(2)))],
    "where_nonzero": [
        S("runtime.where_nonzero(b, v)", "b", b=np.array([0.0, 1.0, 2.0]), v=real(3)),
        S("runtime.where_nonzero(b, v)", "b", b=1.5, v=0.3),
    ],
    "joined": [
        S("runtime.joined(x, y)", x=[0.3, 0.4], y=[0.7]),
        S("runtime.joined(x, y)", x=real(2, 3), y=real(3)),
    ],
    "joined_left": [
        S("runtime.joined_left(b, x, y)", "x", "y", b=[0.3, 0.4, 0.5], x=[1.0, 2.0], y=[3.0]),
        S("runtime.joined_left(b, x, y)", "x", "y", b=real(2, 3), x=real(3), y=real(2, 3)),
    ],
    "joined_right": [
        S("runtime.joined_right(b, x, y)", "x", "y", b=[0.3, 0.4, 0.5], x=[1.0, 2.0], y=[3.0]),
        S("runtime.joined_right(b, x, y)", "x", "y", b=real(2, 3), x=real(2, 3), y=real(3)),
    ],
    "joined_tangent": [
        S("runtime.joined_tangent(u, v, x, y)", "x", "y", u=[0.3, 0.4], v=[0.5], x=[1.0, 2.0], y=[3.0]),
    ],
    "nonzero_part": [
        S(
            "runtime.nonzero_part(g, b, v)",
            "b",
            "v",
            g=real(3),
            b=np.array([0.0, 1.0, 0.0]),
            v=np.array([np.nan, 1.0, 2.0]),
        ),
        S("runtime.nonzero_part(g, b, v)", "b", "v", g=0.7, b=0.0, v=0.3),
    ],
    "repack": [
        S("runtime.repack(like, x, y)", "like", like=[0.0, 0.0], x=0.3, y=real(2)),
        S("runtime.repack(like, x, y)", "like", like=(0.0, 0.0), x=0.3, y=0.7),
        S("runtime.repack(like, x, y)", "like", like=np.zeros((2, 3)), x=real(3), y=real(3, seed=1)),
    ],
    "repack_from": [
        S("runtime.repack_from(like, parts)", "like", like=[0.0, 0.0], parts=(0.3, 0.7)),
        S("runtime.repack_from(like, parts)", "like", like=(0.0, 0.0), parts=[0.3, real(2)]),
    ],
    "seed_each": [
        S("runtime.seed_each(b, y)", "y", b=0.7, y=(0.1, [real(3), 0.2])),
        S("runtime.seed_each(b, y)", "y", b=real(3), y=real(3)),
    ],
    "sum_each": [
        S("runtime.sum_each(b, seed)", "seed", b=(0.1, [real(3), 0.2]), seed=1.0),
        S("runtime.sum_each(b, seed)", "seed", b=real(3), seed=real(3)),
    ],
    "check_seed": [S("runtime.check_seed(b, y)", "y", b=real(3), y=real(3))],
    "check_constant": [S("runtime.check_constant(b, y)", "y", b=real(3), y=real(3))],
    "product_tangent": [S("runtime.product_tangent(b, z)", "z", b=real(3), z=real(3))],
    "item_grad": [S("runtime.item_grad(b, x)", "x", b=real(3), x=real(3))],
    "kept_item": [S("runtime.kept_item(x, 'w')", x={"w": real(2), "b": 0.5})],
    "copied_dict": [S("runtime.copied_dict(x)", x={"w": real(2), "b": 0.5})],
    "copied_grad": [S("runtime.copied_grad(b, x)", "x", b={"w": real(2), "b": 0.5}, x={"w": real(2), "b": 0.5})],
    "copied_tangent": [S("runtime.copied_tangent(b, x)", "x", b={"w": real(2), "b": 0.5}, x={"w": real(2), "b": 0.5})],
    "check_tangent": [S("runtime.check_tangent(t, x, 'x')", "x", t=real(3), x=real(3))],
    "builtin_list": [S("list(xs)", xs=(0.3, 0.7)), S("list(x)", x=real(2, 2))],
    "builtin_tuple": [S("tuple(xs)", xs=[0.3, real(2)]), S("tuple(x)", x=real(3))],
    "dict_get": [
        S("x.get('w')", x={"w": real(2), "b": 0.5}),
        S("x.get('w', y)", x={"w": real(2), "b": 0.5}, y=real(2, seed=1)),
        S("x.get('v', y)", x={"w": real(2), "b": 0.5}, y=real(2, seed=1)),
    ],
    "scatter": [
        S("scatter(b, x, 1)", "x", b=0.3, x=real(3)),
        S("scatter(b, x, [0, 0])", "x", b=real(2), x=real(3)),
        S("scatter(b, x, m)", "x", "m", b=real(2), x=real(3), m=MASK),
        S("scatter(b, x, (slice(1), 0))", "x", b=real(1), x=real(2, 2)),
    ],
    "add_item": [
        S("add_item(b.copy(), x, 1, v)", "x", b=real(3), x=real(3), v=0.3),
        S("add_item(b.copy(), x, [0, 0], v)", "x", b=real(3), x=real(3), v=real(2)),
        S("add_item(b.copy(), x, slice(1, 3), v)", "x", b=real(3), x=real(3), v=real(2)),
    ],
    "add_part": [
        S("add_part(b.copy(), 1, v)", b=real(3), v=0.3),
        S("add_part(b.copy(), [0, 0], v)", b=real(3), v=real(2)),
        S("add_part(b.copy(), slice(1, 3), v)", b=real(3), v=real(2)),
    ],
    "with_part": [
        S("with_part(b, 1, v)", b=real(3), v=0.3),
        S("with_part(b, [0, 0], v)", b=real(3), v=real(2)),
    ],
    "fit_matmul": [
        S("fit_matmul(b, x, y)", "x", "y", b=real(2, 2, 3), x=real(2, 4), y=real(4, 3)),
        S("fit_matmul(b, x, y)", "x", "y", b=real(2, 3), x=real(4), y=real(4, 3)),
        S("fit_matmul(b, x, y)", "x", "y", b=real(2, 5, 2, 3), x=real(5, 2, 4), y=real(4, 3)),
    ],
    "fit_dot": [
        S("fit_dot(b, x, y)", "x", "y", b=real(2, 2, 3), x=real(2, 4), y=real(4, 3)),
        S("fit_dot(b, x, y)", "x", "y", b=real(3), x=real(4), y=real(4)),
    ],
    "where_finite": [
        S("where_finite(b, x)", "x", b=real(3), x=real(3)),
        S("where_finite(b, x)", "x", b=cplx(3), x=cplx(3)),
    ],
    "with_piece": [S("with_piece(a, m, v, x)", "m", "x", a=real(3), m=np.array([True, False, True]), v=real(2), x=real(3))],
    "cleared": [S("cleared(b, 1)", b=real(3, 2)), S("cleared(b, [0, 0])", b=real(3))],
    "clear_item": [S("clear_item(b.copy(), 1)", b=real(3, 2))],
}

TRANSPOSES: dict[str, list[Sample]] = {
    "mT": [S("mT(x)", x=real(2, 3)), S("mT(x)", x=cplx(2, 2, 3))],
    "mH": [S("mH(x)", x=cplx(2, 3)), S("mH(x)", x=real(2, 3))],
    "from_triangle": [S("from_triangle(x)", x=real(3, 3)), S("from_triangle(x, UPLO='U')", x=cplx(2, 2))],
    "in_triangle": [S("in_triangle(b)", b=real(3, 3)), S("in_triangle(b, UPLO='U')", b=cplx(2, 2))],
    "matmul_adjoint_x": [
        S("matmul_adjoint_x(b, x, y)", "x", b=real(2, 2), x=real(2, 3), y=real(3, 2)),
        S("matmul_adjoint_x(b, x, y)", "x", b=real(2), x=real(2, 3), y=real(3)),
        S("matmul_adjoint_x(b, x, y)", "x", b=real(2, 2, 1), x=real(2, 3), y=real(2, 3, 1)),
    ],
    "matmul_adjoint_y": [
        S("matmul_adjoint_y(b, x, y)", "y", b=real(2, 2), x=real(2, 3), y=real(3, 2)),
        S("matmul_adjoint_y(b, x, y)", "y", b=0.3, x=real(3), y=real(3)),
        S("matmul_adjoint_y(b, x, y)", "y", b=real(2, 2, 1), x=real(2, 2, 3), y=real(3, 1)),
    ],
    "dot_adjoint_a": [S("dot_adjoint_a(b, x, y)", "x", b=real(2, 2), x=real(2, 3), y=real(3, 2))],
    "dot_adjoint_b": [S("dot_adjoint_b(b, x, y)", "y", b=real(2, 2), x=real(2, 3), y=real(3, 2))],
    "inner_adjoint_a": [S("inner_adjoint_a(b, x, y)", "x", b=real(2, 2), x=real(2, 3), y=real(2, 3))],
    "inner_adjoint_b": [S("inner_adjoint_b(b, x, y)", "y", b=real(2, 2), x=real(2, 3), y=real(2, 3))],
    "outer_adjoint_a": [S("outer_adjoint_a(b, x, y)", "x", b=real(2, 3), x=real(2), y=real(3))],
    "outer_adjoint_b": [S("outer_adjoint_b(b, x, y)", "y", b=real(2, 3), x=real(2), y=real(3))],
    "kron_adjoint_a": [S("kron_adjoint_a(b, x, y)", "x", b=real(2, 6), x=real(2, 2), y=real(1, 3))],
    "kron_adjoint_b": [S("kron_adjoint_b(b, x, y)", "y", b=real(2, 6), x=real(2, 2), y=real(1, 3))],
    "tensordot_adjoint_a": [
        S("tensordot_adjoint_a(b, x, y, axes=1)", "x", b=real(2, 2), x=real(2, 3), y=real(3, 2)),
        S("tensordot_adjoint_a(b, x, y, axes=(0, 1))", "x", b=real(3, 2), x=real(2, 3), y=real(2, 2)),
    ],
    "tensordot_adjoint_b": [S("tensordot_adjoint_b(b, x, y, axes=1)", "y", b=real(2, 2), x=real(2, 3), y=real(3, 2))],
    "vecdot_adjoint": [
        S("vecdot_adjoint(b, x, y)", "x", b=real(2), x=real(2, 3), y=real(3)),
        S("vecdot_adjoint(b, x, y, axis=0)", "x", b=cplx(2), x=cplx(3), y=cplx(3, 2)),
    ],
    "cross_adjoint": [S("cross_adjoint(y, b, x)", "x", b=real(2, 3), x=real(3), y=real(2, 3))],
    "einsum_adjoint_only": [S("einsum_adjoint_only(b, 'ij->j', x)", "x", b=real(3), x=real(2, 3))],
    "einsum_adjoint_x": [S("einsum_adjoint_x(b, 'ij,jk', x, y)", "x", b=real(2, 2), x=real(2, 3), y=real(3, 2))],
    "einsum_adjoint_y": [S("einsum_adjoint_y(b, 'ij,jk', x, y)", "y", b=real(2, 2), x=real(2, 3), y=real(3, 2))],
    "einsum_of": [
        S("einsum_of('i,ij,j', (x, y, z))", x=real(2), y=real(2, 3), z=real(3)),
        S("einsum_adjoints(b, 'i,ij,j', (x, y, z))", b=0.5, x=real(2), y=real(2, 3), z=real(3)),
        S("einsum_adjoints(b, 'ii,ij', (x, y))", b=real(3), x=real(2, 2), y=real(2, 3)),
        S("einsum_tangent((t, u), 'i,ij', (x, y))", t=real(2), u=real(2, 3), x=real(2, seed=1), y=real(2, 3, seed=1)),
    ],
}

JOINS: dict[str, list[Sample]] = {
    "along_labels": [S("along_labels(b, x)", "x", b=real(2, 1), x=real(1, 3))],
    "like": [S("like(b, x)", "x", b=real(6), x=real(2, 3)), S("like(b, x)", "x", b=real(1), x=0.5)],
    "all_elements": [
        S("sum(sorted(x.flat)[:3])", x=real(2, 3)),
        S("(lambda it: max(it) * min(x.flat) + sum(x.flat))(x.ravel())", x=real(2, 3)),
        S("all_elements(x.flat)[2]", x=real(2, 3)),
        S("all_elements(x)", x=real(3)),
    ],
    "given_array": [
        S("given_array(x)", x=[0.1, 0.2]),
        S("given_array(x)", x=real(2)),
    ],
    "restructure": [
        S("restructure(b, x)", "x", b=real(2, 2), x=[[1.0, 2.0], (3.0, 4.0)]),
        S("restructure(b, x)", "x", b=real(2), x=real(2)),
        S("restructure(b, x, dtype=complex)", "x", b=cplx(2), x=[1.0, 2.0]),
    ],
    "past_cut": [S("past_cut(b, x, v)", "x", "v", b=real(2), x=real(3), v=0.5)],
    "uncast": [S("uncast(b)", b=real(2)), S("uncast(b, int)", b=real(2)), S("uncast(b, dtype=float)", b=real(2))],
    "unbroadcast_each": [S("unbroadcast_each((b, c), xs)", "xs", b=real(2, 2), c=real(2, 2, seed=1), xs=PAIR)],
    "broadcast_each": [S("broadcast_each((b, c), xs)", "xs", b=real(2), c=0.3, xs=(np.zeros((2, 2)), np.zeros(3)))],
    "sum_grids": [
        S("sum_grids((b, c), xs)", "xs", b=real(3, 2), c=real(3, 2, seed=1), xs=(np.zeros(2), np.zeros(3))),
        S("sum_grids((b, c), xs, indexing='ij')", "xs", b=real(2, 3), c=real(2, 3), xs=(np.zeros(2), np.zeros(3))),
    ],
    "spread_grids": [
        S("spread_grids((x, y), grids)", "grids", x=real(2), y=real(3), grids=(np.zeros((3, 2)), np.zeros((3, 2)))),
    ],
    "seen_as": [S("seen_as(t, x, like)", "x", "like", t=cplx(3), x=np.zeros(3, complex), like=np.zeros(6))],
    "seen_back": [S("seen_back(b, x, like)", "x", "like", b=cplx(2), x=np.zeros(4), like=np.zeros(2, complex))],
    "split_like": [
        S("split_like(b, xs)", "xs", b=real(4), xs=[np.zeros(1), np.zeros(3)]),
        S("split_like(b, xs, axis=1)", "xs", b=real(2, 3), xs=(np.zeros(2), np.zeros((2, 2)))),
        S("split_like(b, xs, axis=None)", "xs", b=real(4), xs=PAIR),
    ],
    "join_like": [
        S("join_like([p, q], x)", "x", p=real(1), q=real(3), x=np.zeros(4)),
        S("join_like([p, q], x, axis=1)", "x", p=real(2), q=real(2, 2), x=np.zeros((2, 3))),
    ],
    "hsplit_like": [S("hsplit_like(b, xs)", "xs", b=real(4), xs=[np.zeros(1), np.zeros(3)])],
    "unstack_like": [S("unstack_like(b, xs, axis=1)", "xs", b=real(3, 2), xs=[np.zeros(3), np.zeros(3)])],
    "unblock": [S("unblock(b, xs)", "xs", b=real(2, 3), xs=[[np.zeros((2, 1)), np.zeros((2, 2))]])],
    "sum_tiles": [S("sum_tiles(b, x, (2, 2))", "x", b=real(2, 4), x=real(2))],
    "sum_repeats": [
        S("sum_repeats(b, x, 2)", "x", b=real(4), x=real(2)),
        S("sum_repeats(b, x, [2, 1], axis=0)", "x", b=real(3, 2), x=real(2, 2)),
    ],
    "sum_cycles": [S("sum_cycles(b, x)", "x", b=real(5), x=real(3))],
    "undiag": [S("undiag(b, x)", "x", b=real(3, 3), x=real(3)), S("undiag(b, x, k=1)", "x", b=real(2), x=real(3, 3))],
    "on_diagonal": [
        S("on_diagonal(b, x)", "x", b=real(2), x=real(2, 3)),
        S("on_diagonal(b, x, 1, 0, 2)", "x", b=real(2, 2), x=real(3, 2, 3)),
    ],
    "along_diagonal": [
        S("along_diagonal(b, x)", "x", b=0.3, x=real(2, 3)),
        S("along_diagonal(b, x, 1)", "x", b=real(2), x=real(3, 3, 2)),
    ],
    "unpad": [
        S("unpad(b, x, 1)", "x", b=real(4), x=real(2)),
        S("unpad(b, x, (1, 2), mode='edge')", "x", b=real(5), x=real(2)),
        S("unpad(b, x, 1, mode='mean')", "x", b=real(4), x=real(2)),
    ],
    "pad_zero_ended": [S("pad_zero_ended(x, 1)", x=real(2)), S("pad_zero_ended(x, 1, mode='edge')", x=real(2, 2))],
    "pad_tangent": [
        S("pad_tangent(t, x, 1, mode='maximum')", "x", t=real(2, 2), x=real(2, 2)),
        S("pad_tangent(t, x, 1)", "x", t=real(2), x=real(2)),
    ],
    "pad_value_sums": [
        S("pad_value_sums(b, x, 1, 0.5)", "x", b=real(4), x=real(2)),
        S("pad_value_sums(b, x, 1, v)", "x", "v", b=real(4, 4), x=real(2, 2), v=((0.1, 0.2), (0.3, 0.4))),
    ],
    "ramp_end_sums": [S("ramp_end_sums(b, x, 2, 0.5)", "x", b=real(6), x=real(2))],
    "untake": [
        S("untake(b, x, [0, 2, 0])", "x", b=real(3), x=real(3)),
        S("untake(b, x, [4, 1], axis=1, mode='wrap')", "x", b=real(2, 2), x=real(2, 3)),
    ],
    "untake_along_axis": [
        S("untake_along_axis(b, x, i)", "x", "i", b=real(2, 1), x=real(2, 3), i=np.array([[0], [2]])),
    ],
    "unpermute": [
        S("unpermute(b, i, a)", "i", "a", b=real(3), i=np.array([2, 0, 1]), a=real(3)),
        S("unpermute(b, i, a, None)", "i", "a", b=real(4), i=np.array([2, 0, 1, 3]), a=real(2, 2)),
        S("unpermute(b, i, a, 0)", "i", "a", b=real(2, 2), i=np.array([[1, 0], [0, 1]]), a=real(2, 2)),
    ],
    "undelete": [
        S("undelete(b, x, 1)", "x", b=real(2), x=real(3)),
        S("undelete(b, x, [0], axis=1)", "x", b=real(2, 1), x=real(2, 2)),
    ],
    "uncompress": [
        S("uncompress(b, x, [1, 0, 2])", "x", b=real(2), x=real(2, 2)),
        S("uncompress(b, x, m, axis=-1)", "x", b=real(2, 2), x=real(2, 3), m=MASK),
    ],
    "unchoose": [S("unchoose(b, i, xs)", "i", "xs", b=real(3), i=np.array([0, 1, 0]), xs=[np.zeros(3), np.zeros(3)])],
    "unselect": [S("unselect(b, [m], xs)", "m", "xs", b=real(3), m=MASK, xs=[np.zeros(3)])],
    "fit": [S("fit(b, x)", "x", b=real(3), x=real(5)), S("fit(b, x)", "x", b=cplx(4, 2), x=real(2, 3))],
    "halve_pairs": [S("halve_pairs(b, 4, 0)", b=cplx(3)), S("halve_pairs(b, 5, -1)", b=cplx(2, 3))],
    "double_pairs": [S("double_pairs(b, 4, 0)", b=cplx(3))],
    "rfftn_adjoint": [S("rfftn_adjoint(b, x)", "x", b=cplx(2, 3), x=real(2, 4))],
    "irfftn_adjoint": [S("irfftn_adjoint(b, x)", "x", b=real(2, 4), x=cplx(2, 3))],
}  # fmt: skip

Point = namedtuple("Point", "x y")
FIELDS: dict[str, list[Sample]] = {
    "attribute": [S("p.x * p.y", p=Point(0.5, 0.7)), S("p.y", p=Point(real(2), real(3)))],
    "replace_field": [S("runtime.replace_field(p, 'x', v)", p=Point(real(2), real(3)), v=real(2))],
    "put_field": [S("put_field(b, p, 'x')", "p", b=real(2), p=Point(real(2), real(3)))],
    "array_part": [S("array_part(b, x, 'T')", "x", b=real(2, 3), x=real(2, 3)), S("array_part(b, x, 'real')", "x", b=real(2), x=real(2))],
    "put_array_part": [S("put_array_part(b, x, 'T')", "x", b=real(3, 2), x=real(2, 3))],
    "field": [S("field(p, 'x')", p=Point(real(2), real(3)))],
    "get_attribute": [S("get_attribute(p, 'y')", p=Point(real(2), real(3)))],
    "cast_tangent": [S("cast_tangent(b, y)", "y", b=real(2), y=real(2))],
}
SAMPLES: dict[str, list[Sample]] = {**RUNTIME, **TRANSPOSES, **JOINS, **FIELDS}
