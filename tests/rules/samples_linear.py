"""Samples of the linear rules: shapes, joins, repetitions, diagonals, selection and products."""

from __future__ import annotations

import numpy as np

from rules.sample import S, Sample, cplx, real

SHAPES: dict[str, list[Sample]] = {
    "reshape": [
        S("np.reshape(x, (3, 2))", x=real(2, 3)),
        S("np.reshape(x, -1)", x=real(2, 3).T),
        S("x.reshape(2, -1)", x=real(6)),
        S("x.reshape((1, 6), order='F')", x=real(2, 3)),
        S("np.reshape(x, shape=(2, 2), order='F')", x=cplx(4)),
        S("np.reshape(x, (1, 1))", x=real()),
    ],
    "reshape_ordered": [S("np.reshape(x, (3, 2), 'A')", x=real(2, 3)), S("x.reshape(6, order='F')", x=real(2, 3))],
    "ravel_ordered": [S("np.ravel(x, 'K')", x=real(2, 3)), S("x.flatten('F')", x=cplx(2, 3))],
    "ravel": [
        S("np.ravel(x)", x=real(2, 3)),
        S("x.ravel('F')", x=real(2, 3)),
        S("x.flatten()", x=real(2, 1, 3)),
        S("np.ravel(x, order='C')", x=real(3, 2).T),
    ],
    "T": [S("x.T", x=real(2, 3)), S("x.T", x=real(3)), S("x.T", x=cplx(2, 1, 3))],
    "transpose": [
        S("np.transpose(x)", x=real(2, 3)),
        S("np.transpose(x, (2, 0, 1))", x=real(2, 3, 2)),
        S("x.transpose(1, -1, 0)", x=real(2, 3, 2)),
        S("x.transpose()", x=real(2, 3)),
        S("np.permute_dims(x, axes=(1, 0))", x=real(2, 3)),
    ],
    "matrix_transpose": [
        S("np.matrix_transpose(x)", x=real(2, 2, 3)),
        S("x.mT", x=cplx(2, 3)),
        S("np.linalg.matrix_transpose(x)", x=real(2, 3)),
    ],
    "swapaxes": [S("np.swapaxes(x, 0, 2)", x=real(2, 1, 3)), S("x.swapaxes(-1, 0)", x=real(2, 3))],
    "moveaxis": [S("np.moveaxis(x, 0, -1)", x=real(2, 1, 3)), S("np.moveaxis(x, (0, 2), (1, 0))", x=real(2, 1, 3))],
    "rollaxis": [
        S("np.rollaxis(x, 2)", x=real(2, 1, 3)),
        S("np.rollaxis(x, 0, 2)", x=real(2, 1, 3)),
        S("np.rollaxis(x, -1, start=-2)", x=real(2, 1, 3)),
        S("np.rollaxis(x, 1, 3)", x=real(2, 1, 3)),
    ],
    "squeeze": [
        S("np.squeeze(x)", x=real(1, 3, 1)),
        S("x.squeeze(axis=-1)", x=real(1, 3, 1)),
        S("np.squeeze(x)", x=real(1, 1)),
    ],
    "expand_dims": [
        S("np.expand_dims(x, 0)", x=real(3)),
        S("np.expand_dims(x, axis=(0, -1))", x=real(2, 2)),
        S("np.expand_dims(x, 0)", x=real()),
    ],
    "atleast_1d": [S("np.atleast_1d(x)", x=real()), S("np.atleast_1d(x)", x=real(2, 2))],
    "atleast_2d": [S("np.atleast_2d(x)", x=real(3)), S("np.atleast_2d(x)", x=real())],
    "atleast_3d": [S("np.atleast_3d(x)", x=real(3)), S("np.atleast_3d(x)", x=real(2, 3))],
    "broadcast_to": [
        S("np.broadcast_to(x, (2, 3))", x=real(3)),
        S("np.broadcast_to(x, (2, 2, 3))", x=real(2, 1)),
        S("np.broadcast_to(x, (2, 3))", x=real()),
    ],
    "broadcast_arrays": [
        S("np.broadcast_arrays(x, y)", x=real(2, 1), y=real(3)),
        S("np.broadcast_arrays(x, y)", x=real(), y=real(3)),
    ],
    "meshgrid": [
        S("np.meshgrid(x, y)", x=real(2), y=real(3)),
        S("np.meshgrid(x, y, z, indexing='ij')", x=real(2), y=real(3), z=real(2, seed=1)),
        S("np.meshgrid(x, y, z)", x=real(2), y=real(3), z=real(2, seed=1)),
        S("np.meshgrid(x, y, sparse=True)", x=real(2), y=real(3)),
        S("np.meshgrid(x)", x=real(2)),
    ],
}

JOINS: dict[str, list[Sample]] = {
    "concatenate": [
        S("np.concatenate((x, y))", x=real(2, 3), y=real(1, 3)),
        S("np.concatenate([x, y, x], axis=-1)", x=real(2, 1), y=real(2, 2)),
        S("np.concatenate((x, y), axis=None)", x=real(2, 2), y=real(3)),
        S("np.concat([x, y])", x=real(2), y=cplx(3)),
        S("np.concatenate(x, axis=1)", x=real(2, 1, 3)),
    ],
    "stack": [
        S("np.stack((x, y))", x=real(3), y=real(3, seed=1)),
        S("np.stack([x, y], axis=-1)", x=real(2, 2), y=real(2, 2, seed=1)),
        S("np.stack([x, y], 1)", x=real(2, 2), y=cplx(2, 2)),
        S("np.stack([x, y])", x=real(), y=real(seed=1)),
    ],
    "vstack": [
        S("np.vstack((x, y))", x=real(3), y=real(2, 3)),
        S("np.vstack([x, y])", x=real(), y=real(seed=1)),
        S("np.vstack([x, y])", x=real(1, 2, 2), y=real(2, 2, 2)),
    ],
    "hstack": [
        S("np.hstack((x, y))", x=real(3), y=real(2)),
        S("np.hstack([x, y])", x=real(2, 1), y=real(2, 2)),
        S("np.hstack([x, y])", x=real(), y=real(2)),
    ],
    "dstack": [
        S("np.dstack((x, y))", x=real(3), y=real(3, seed=1)),
        S("np.dstack([x, y])", x=real(2, 3), y=real(2, 3, 2)),
    ],
    "column_stack": [
        S("np.column_stack((x, y))", x=real(3), y=real(3, 2)),
        S("np.column_stack([x, y])", x=real(3), y=real(3, seed=1)),
    ],
    "block": [
        S("np.block([[x, y], [z, w]])", x=real(2, 2), y=real(2, 1), z=real(1, 2), w=real(1, 1)),
        S("np.block([x, y])", x=real(2), y=real(3)),
        S("np.block([[x, x], [y]])", x=real(), y=real(2)),
        S("np.block(x)", x=real(2, 2)),
        S("np.block([[[x, y]], [[z]]])", x=real(1, 2), y=real(1, 1), z=real(3)),
    ],
    "append": [
        S("np.append(x, y)", x=real(2, 2), y=real(3)),
        S("np.append(x, y, axis=0)", x=real(2, 2), y=real(1, 2)),
        S("np.append(x, y, 1)", x=real(2, 2), y=real(2, 1)),
        S("np.append(x, y)", x=real(3), y=real()),
    ],
    "insert": [
        S("np.insert(x, 1, y)", x=real(3), y=real()),
        S("np.insert(x, 1, y)", x=real(2, 2), y=real(3)),
        S("np.insert(x, [2, 0, 2], y)", x=real(3), y=real(3, seed=1)),
        S("np.insert(x, 1, y, axis=1)", x=real(2, 3), y=real(2)),
        S("np.insert(x, [0, 2], y, axis=1)", x=real(2, 2), y=real(2, 2, seed=1)),
        S("np.insert(x, slice(0, 2), y, axis=0)", x=real(2, 2), y=real(2)),
        S("np.insert(x, -1, y, axis=-1)", x=real(2, 2), y=real(3, 2)),
    ],
    "split": [
        S("np.split(x, 3)", x=real(6)),
        S("np.split(x, [1, 3], axis=1)", x=real(2, 4)),
        S("np.split(x, [1, 1, 4])[2]", x=real(5)),
        S("np.split(x, 2, -1)", x=cplx(2, 2)),
    ],
    "array_split": [S("np.array_split(x, 3)", x=real(5)), S("np.array_split(x, 2, axis=1)", x=real(2, 3))],
    "vsplit": [S("np.vsplit(x, 2)", x=real(4, 2)), S("np.vsplit(x, [1])", x=real(3, 1))],
    "hsplit": [S("np.hsplit(x, 2)", x=real(4)), S("np.hsplit(x, [1])", x=real(2, 3))],
    "dsplit": [S("np.dsplit(x, 2)", x=real(1, 2, 4))],
    "unstack": [S("np.unstack(x)", x=real(2, 3)), S("np.unstack(x, axis=-1)", x=real(2, 3))],
}

REPEATS: dict[str, list[Sample]] = {
    "tile": [
        S("np.tile(x, 2)", x=real(3)),
        S("np.tile(x, (2, 1, 2))", x=real(2, 2)),
        S("np.tile(x, (2,))", x=real(2, 1, 2)),
        S("np.tile(x, (2, 3))", x=real()),
    ],
    "repeat": [
        S("np.repeat(x, 2)", x=real(2, 2)),
        S("np.repeat(x, [2, 0, 1], axis=1)", x=real(2, 3)),
        S("x.repeat(3, axis=0)", x=real(2, 2)),
        S("np.repeat(x, [1, 2])", x=real(2)),
        S("np.repeat(x, [2], axis=-1)", x=real(2, 2)),
    ],
    "resize": [
        S("np.resize(x, (2, 4))", x=real(3)),
        S("np.resize(x, 2)", x=real(2, 2)),
        S("np.resize(x, (3,))", x=real(3)),
    ],
    "roll": [
        S("np.roll(x, 2)", x=real(2, 3)),
        S("np.roll(x, -1, axis=1)", x=real(2, 3)),
        S("np.roll(x, (1, 2), axis=(0, 1))", x=real(2, 3)),
        S("np.roll(x, 1, (0, 1))", x=real(2, 3)),
    ],
    "flip": [
        S("np.flip(x)", x=real(2, 3)),
        S("np.flip(x, axis=0)", x=real(2, 3)),
        S("np.flip(x, (0, -1))", x=real(2, 1, 3)),
    ],
    "fliplr": [S("np.fliplr(x)", x=real(2, 3))],
    "flipud": [S("np.flipud(x)", x=real(2, 3))],
    "rot90": [
        S("np.rot90(x)", x=real(2, 3)),
        S("np.rot90(x, k=-2)", x=real(2, 3)),
        S("np.rot90(x, 3, axes=(2, 0))", x=real(2, 1, 3)),
    ],
    "pad": [
        S("np.pad(x, 1)", x=real(2, 3)),
        S("np.pad(x, ((1, 0), (0, 2)), constant_values=c)", x=real(2, 3), c=real()),
        S("np.pad(x, (1, 2), 'constant', constant_values=c)", x=real(2, 2), c=real(2, 2, seed=1)),
        S("np.pad(x, 2, mode='edge')", x=real(2, 2)),
        S("np.pad(x, (3, 1), 'reflect')", x=real(2, 3)),
        S("np.pad(x, (2, 1), mode='reflect', reflect_type='odd')", x=real(3)),
        S("np.pad(x, (3, 1), mode='symmetric')", x=real(2, 2)),
        S("np.pad(x, (2, 1), mode='symmetric', reflect_type='odd')", x=real(3)),
        S("np.pad(x, 3, mode='wrap')", x=real(2, 2)),
        S("np.pad(x, (2, 1), mode='mean')", x=real(2, 3)),
        S("np.pad(x, 1, mode='mean', stat_length=2)", x=real(3)),
        S("np.pad(x, (2, 3), mode='linear_ramp', end_values=c)", x=real(2, 2), c=real()),
        S("np.pad(x, {0: (1, 2)}, mode='edge')", x=real(2, 2)),
        *(S(f"np.pad(x, ((1, 2), (0, 1)), mode='{mode}')", x=real(3, 4)) for mode in ("maximum", "minimum", "median")),
        S("np.pad(x, 2, 'maximum', stat_length=2)", x=real(5)),
        S("np.pad(x, 2, 'minimum', stat_length=((2, 3), (1, 2)))", x=real(5, 4)),
        S("np.pad(x, (0, 3), 'median', stat_length=3)", x=real(5)),
        S("np.pad(x, 5, 'reflect')", x=real(3)),
        S("np.pad(x, 1, 'empty')[1:-1]", x=real(3)),
    ],
}

DIAGONALS: dict[str, list[Sample]] = {
    "diag": [
        S("np.diag(x)", x=real(3)),
        S("np.diag(x, k=-1)", x=real(2)),
        S("np.diag(x)", x=real(3, 3)),
        S("np.diag(x, 1)", x=real(2, 3)),
        S("np.diag(x, -1)", x=cplx(3, 2)),
    ],
    "diagflat": [S("np.diagflat(x)", x=real(2, 2)), S("np.diagflat(x, 1)", x=real(3))],
    "diagonal": [
        S("np.diagonal(x)", x=real(2, 3)),
        S("x.diagonal(-1)", x=real(3, 2)),
        S("np.diagonal(x, offset=1, axis1=2, axis2=0)", x=real(2, 2, 3)),
        S("np.diagonal(x, 1, -2, -1)", x=real(2, 2, 3)),
        S("np.diagonal(x, -1, 1, 0)", x=real(3, 2)),
    ],
    "trace": [
        S("np.trace(x)", x=real(3, 3)),
        S("x.trace(1)", x=real(2, 3)),
        S("np.trace(x, offset=-1, axis1=2, axis2=1)", x=real(2, 2, 3)),
        S("np.trace(x)", x=cplx(2, 2)),
    ],
    "tril": [S("np.tril(x)", x=real(3, 3)), S("np.tril(x, k=-1)", x=real(2, 2, 3)), S("np.tril(x)", x=real(3))],
    "triu": [S("np.triu(x)", x=real(3, 3)), S("np.triu(x, 1)", x=cplx(2, 3))],
}

ARRAYS: dict[str, list[Sample]] = {
    "array": [
        S("np.array([x, y])", x=real(), y=real(seed=1)),
        S("np.array([[x, 1.0], (y, x)])", x=real(), y=real(seed=1)),
        S("np.array([x, y])", x=real(3), y=real(3, seed=1)),
        S("np.array(x)", x=real(2, 3)),
        S("np.array(x, ndmin=2)", x=real(3)),
        S("np.array((x, y), dtype=complex)", x=real(), y=real(seed=1)),
        S("np.array(x, dtype=float)", x=real()),
    ],
    "asarray": [
        S("np.asarray([x, 2.0])", x=real()),
        S("np.asarray(x)", x=real(2, 3)),
        S("np.asanyarray(x, dtype=float)", x=real(2, 3)),
    ],
    "require": [S("np.require(x, requirements='C')", x=real(2, 3).T), S("np.require([x, 1.0], float)", x=real())],
    "ascontiguousarray": [
        S("np.ascontiguousarray(x)", x=real(2, 3).T),
        S("np.asfortranarray(x)", x=real(2, 3)),
        S("np.ascontiguousarray(x)", x=real()),
    ],
    "copy": [S("np.copy(x)", x=real(2, 3)), S("np.copy([x, x])", x=real())],
    "copy_method": [S("x.copy()", x=real(2, 3)), S("x.copy('F')", x=cplx(2, 3))],
    "astype": [
        S("np.astype(x, complex)", x=real(2, 3)),
        S("x.astype(np.float64)", x=real(3)),
        S("x.astype(float, copy=False)", x=real(3)),
    ],
    "full": [
        S("np.full((2, 3), x)", x=real()),
        S("np.full((2, 3), x)", x=real(3)),
        S("np.full(3, fill_value=x, dtype=complex)", x=real()),
    ],
    "full_like": [
        S("np.full_like(y, x)", "y", y=real(2, 3), x=real()),
        S("np.full_like(y, x, dtype=float, shape=(2, 3))", "y", y=np.arange(2), x=real(2, 1)),
    ],
    "item": [S("x.item()", x=real(1, 1)), S("x.item()", x=np.array(0.5))],
    "item_at": [S("x.item(2)", x=real(2, 3)), S("x.item(-1)", x=real(3))],
    "tolist": [S("x.tolist()", x=real(2, 3)), S("x.tolist()", x=real(3))],
}

SELECTION: dict[str, list[Sample]] = {
    "take": [
        S("np.take(x, [0, 2, 0])", x=real(2, 3)),
        S("x.take([[0, -1], [1, 1]], axis=1)", x=real(2, 3)),
        S("np.take(x, 1, axis=0)", x=real(2, 3)),
        S("np.take(x, [4, -4], axis=-1, mode='wrap')", x=real(2, 3)),
        S("np.take(x, [4, -4, 1], mode='clip')", x=real(3)),
    ],
    "take_along_axis": [
        S("np.take_along_axis(x, i, axis=1)", x=real(2, 3), i=np.array([[0, 2, 0, 1], [1, 1, 0, -1]])),
        S("np.take_along_axis(x, i, 0)", x=real(2, 3), i=np.array([[1, 0, 1]])),
        S("np.take_along_axis(x, i, axis=None)", x=real(2, 3), i=np.array([5, 0, 0])),
    ],
    "compress": [
        S("np.compress([True, False, True], x, axis=1)", x=real(2, 3)),
        S("np.compress([False, True], x, 0)", x=real(3)),
    ],
    "compress_method": [S("x.compress([1, 0, 1])", x=real(2, 3)), S("x.compress([0, 1, 1], axis=-1)", x=real(2, 3))],
    "extract": [S("np.extract(m, x)", x=real(2, 3), m=np.array([[True, False, True], [False, True, True]]))],
    "delete": [
        S("np.delete(x, 1)", x=real(2, 3)),
        S("np.delete(x, [0, -1], axis=1)", x=real(2, 3)),
        S("np.delete(x, slice(0, 2), 0)", x=real(3, 2)),
        S("np.delete(x, m)", x=real(3), m=np.array([True, False, True])),
    ],
    "trim_zeros": [
        S("np.trim_zeros(np.concatenate([z, x, z]))", "z", x=real(3), z=np.zeros(2)),
        S("np.trim_zeros(np.concatenate([z, x, z]), 'f')", "z", x=real(3), z=np.zeros(2)),
    ],
    "choose": [
        S("np.choose(i, [x, y])", x=real(3), y=real(3, seed=1), i=np.array([0, 1, 0])),
        S("np.choose(i, (x, y), mode='wrap')", x=real(3), y=real(), i=np.array([[2, 1, 0], [1, -1, 1]])),
        S("np.choose(i, [x, y], mode='clip')", x=real(2), y=real(2, seed=1), i=np.array([-3, 9])),
    ],
    "select": [
        S(
            "np.select([m, n], [x, y])",
            x=real(3),
            y=real(3, seed=1),
            m=np.array([True, False, False]),
            n=np.array([True, True, False]),
        ),
        S(
            "np.select([m, n], [x, y], default=z)",
            x=real(3),
            y=real(),
            z=real(seed=2),
            m=np.array([True, False, False]),
            n=np.array([True, True, False]),
        ),
        S("np.select([m], (x,), z)", x=real(2, 3), z=real(2, 1), m=np.array([True, False, False])),
    ],
}

PRODUCTS: dict[str, list[Sample]] = {
    "matmul": [
        S("np.matmul(x, y)", x=real(2, 3), y=real(3, 2)),
        S("x @ y", x=real(3), y=real(3, seed=1)),
        S("x @ y", x=real(2, 3), y=real(3)),
        S("np.matmul(x, y)", x=real(3), y=real(3, 2)),
        S("np.matmul(x, y)", x=real(2, 2, 3), y=real(3, 2)),
        S("np.matmul(x, y)", x=real(2, 3), y=real(2, 3, 1)),
        S("x @ y", x=real(2, 1, 1, 3), y=real(3, 3, 2)),
        S("np.matmul(x, y)", x=real(2, 2, 3), y=real(3)),
        S("np.matmul(x, y)", x=real(3), y=real(2, 3, 2)),
        S("np.linalg.matmul(x, y)", x=cplx(2, 2), y=cplx(2, 2, seed=2)),
    ],
    "dot": [
        S("np.dot(x, y)", x=real(2, 3), y=real(3, 2)),
        S("np.dot(x, y)", x=real(3), y=real(3, seed=1)),
        S("x.dot(y)", x=real(2, 3), y=real(3)),
        S("np.dot(x, y)", x=real(), y=real(2, 2)),
        S("np.dot(a=x, b=y)", x=real(3), y=real(2, 3, 2)),
        S("np.dot(x, y)", x=real(2, 1, 2), y=real(2, 2, 2)),
        S("np.dot(x, y)", x=cplx(2, 2), y=real(2, 2)),
    ],
    "inner": [
        S("np.inner(x, y)", x=real(3), y=real(3, seed=1)),
        S("np.inner(x, y)", x=real(2, 3), y=real(2, 2, 3)),
        S("np.inner(x, y)", x=real(2, 2), y=real()),
        S("np.inner(x, y)", x=real(2, 3), y=cplx(3)),
    ],
    "outer": [
        S("np.outer(x, y)", x=real(2), y=real(3)),
        S("np.outer(x, y)", x=real(2, 2), y=real()),
        S("np.linalg.outer(x, y)", x=cplx(2), y=real(3)),
    ],
    "vdot": [
        S("np.vdot(x, y)", x=real(3), y=real(3, seed=1)),
        S("np.vdot(x, y)", x=cplx(2, 2), y=cplx(4)),
        S("np.vdot(x, y)", x=cplx(3), y=real(3)),
    ],
    "vecdot": [
        S("np.vecdot(x, y)", x=real(2, 3), y=real(3)),
        S("np.vecdot(x, y, axis=0)", x=cplx(3), y=cplx(3, 2)),
        S("np.linalg.vecdot(x, y)", x=cplx(3), y=cplx(3, seed=2)),
        S("np.linalg.vecdot(x, y, axis=-2)", x=real(3, 1), y=real(2, 3, 2)),
    ],
    "matvec": [
        S("np.matvec(x, y)", x=real(2, 3), y=real(3)),
        S("np.matvec(x, y)", x=real(2, 2, 3), y=real(3)),
        S("np.matvec(x, y)", x=cplx(2, 2), y=cplx(3, 2)),
    ],
    "vecmat": [
        S("np.vecmat(x, y)", x=real(3), y=real(3, 2)),
        S("np.vecmat(x, y)", x=real(3), y=real(2, 3, 2)),
        S("np.vecmat(x, y)", x=cplx(3, 2), y=cplx(2, 2)),
    ],
    "tensordot": [
        S("np.tensordot(x, y, axes=1)", x=real(2, 3), y=real(3, 2)),
        S("np.tensordot(x, y)", x=real(2, 2, 3), y=real(2, 3, 1)),
        S("np.tensordot(x, y, ((2, 0), (0, 1)))", x=real(2, 1, 3), y=real(3, 2, 2)),
        S("np.tensordot(x, y, axes=(-1, 0))", x=real(2, 3), y=real(3)),
        S("np.tensordot(x, y, 0)", x=real(2), y=real(3)),
        S("np.linalg.tensordot(x, y, axes=([0, 1], [1, 0]))", x=cplx(2, 3), y=real(3, 2)),
    ],
    "kron": [
        S("np.kron(x, y)", x=real(2), y=real(3)),
        S("np.kron(x, y)", x=real(2, 2), y=real(1, 3)),
        S("np.kron(x, y)", x=real(2), y=real(2, 2)),
        S("np.kron(x, y)", x=real(2, 1, 2), y=cplx(2)),
    ],
    "einsum_one": [
        S("np.einsum('ij->ji', x)", x=real(2, 3)),
        S("np.einsum('ii', x)", x=real(3, 3)),
        S("np.einsum('ii->i', x)", x=real(3, 3)),
        S("np.einsum('ijk->j', x)", x=real(2, 2, 3)),
        S("np.einsum('...ij->...ji', x)", x=real(2, 2, 3)),
        S("np.einsum('iij->j', x)", x=real(2, 2, 3)),
        S("np.einsum('ji', x)", x=real(2, 3)),
        S("np.einsum('iii->i', x)", x=real(3, 3, 3)),
        S("np.einsum(x, [0, 0])", x=real(3, 3)),
        S("np.einsum(x, [1, 0])", x=real(2, 3)),
        S("np.einsum('ij->j', x)", x=real(0, 3)),
        S("np.einsum('ij->i', x, order='F', casting='safe')", x=real(2, 3)),
    ],
    "einsum_two": [
        S("np.einsum('ij,jk->ik', x, y)", x=real(2, 3), y=real(3, 2)),
        S("np.einsum('ij,jk', x, y)", x=real(2, 3), y=real(3, 2)),
        S("np.einsum('...i, ...i -> ...', x, y)", x=real(2, 2, 3), y=real(2, 3)),
        S("np.einsum('i...,i...', x, y)", x=real(2, 3), y=real(2, 1)),
        S("np.einsum('ij,kl->ik', x, y)", x=real(2, 3), y=real(2, 2)),
        S("np.einsum('ii,ij->j', x, y, optimize=True)", x=real(2, 2), y=real(2, 3)),
        S("np.einsum('ij,j->ij', x, y)", x=real(2, 1), y=real(3)),
        S("np.einsum('i,j->ij', x, y)", x=cplx(2), y=real(3)),
        S("np.einsum(x, [0, 1], [1])", x=real(2, 3)),
        S("np.einsum(x, [0, 0, 1], [1, 0])", x=real(2, 2, 3)),
        S("np.einsum('ij,jk->ik', x, y, optimize=['einsum_path', (0, 1)])", x=real(2, 3), y=real(3, 2)),
        S("np.einsum('ij,jk->ik', x, y, dtype=np.float64)", x=real(2, 3), y=real(3, 2)),
        S("np.einsum(',ij->ij', x, y)", x=0.5, y=real(3, 2)),
        S("np.einsum('ij,ij->', x, y)", x=real(1, 3), y=real(2, 3)),
        S("np.einsum(s, x, y)", "s", s="ij,jk", x=real(2, 3), y=real(3, 2)),
    ],
    "einsum": [
        S("np.einsum('ij,jk,kl->il', x, y, z)", x=real(2, 2), y=real(2, 3), z=real(3, 1)),
        S("np.einsum('i,j,k->', x, y, z, optimize='greedy')", x=real(2), y=real(3), z=real(2, seed=1)),
        S("np.einsum('b...i,ij,j...->b...', x, y, z)", x=real(2, 2), y=real(2, 3), z=real(3)),
        S("np.einsum('i,i,i', x, x, x)", x=real(3)),
        S("np.einsum(x, [0, 1], y, [1, 2])", x=real(2, 3), y=real(3, 2)),
        S("np.einsum(x, [0, 1], y, [1, 2], [2, 0])", x=real(2, 3), y=cplx(3, 2)),
        S("np.einsum(x, [Ellipsis, 1], y, [1, 2], [Ellipsis, 2])", x=real(2, 2, 3), y=real(3, 2)),
        S("np.einsum(x, [30], y, [2], z, [1])", x=real(2), y=real(3), z=real(2)),
        S("np.einsum(x, [0, 1], y, [1], optimize=True)", "x", x=real(2, 3), y=real(3)),
    ],
    "cross": [
        S("np.cross(x, y)", x=real(3), y=real(3, seed=1)),
        S("np.cross(x, y)", x=real(2, 3), y=real(3)),
        S("np.cross(x, y, axisa=0, axisb=1, axisc=0)", x=real(3, 2), y=real(2, 3)),
        S("np.cross(x, y, axis=0)", x=real(3, 2), y=cplx(3, 2)),
        S("np.cross(x, y, axisa=0)", x=real(3), y=real(2, 3)),
        S("np.linalg.cross(x, y, axis=0)", x=real(3, 2), y=real(3, 2, seed=1)),
    ],
}

SAMPLES: dict[str, list[Sample]] = {**SHAPES, **JOINS, **REPEATS, **DIAGONALS, **ARRAYS, **SELECTION, **PRODUCTS}
