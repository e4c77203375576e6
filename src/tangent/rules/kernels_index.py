"""The kernels of indexing that write in place, so that they can be differentiated again."""


@linear
def scatter(y, b, x, index):  d[b] = d[y][index]

@linear
def unpermute(y, b, i, a, axis=-1):  d[b] = np.take_along_axis(d[y], i, axis)


def add_item(c, b, x, index, v):
    d[b] = d[c]
    d[v] = d[c][index]
    d[c] = d[b] + scatter(d[v], x, index)


def add_part(c, b, index, v):
    d[b] = d[c]
    d[v] = d[c][index]
    d[c] = with_part(d[b], index, d[v])


def with_part(c, b, index, v):
    d[b] = d[c]
    d[v] = d[c][index]
    d[c] = with_part(d[b], index, d[v])


@linear
def fresh_rows(y, xs):  d[xs] = fresh_rows(d[y])
@linear
def number_rows(y, xs):  d[xs] = fresh_rows(d[y])
@linear
def scatter_cell(y, b, x, i, j):  d[b] = d[y][i][j]


def add_cell(c, b, i, j, v):
    d[b] = d[c]
    d[v] = d[c][i][j]
    d[c] = with_cell(d[b], i, j, d[v])


def with_cell(c, b, i, j, v):
    d[b] = d[c]
    d[v] = d[c][i][j]
    d[c] = with_cell(d[b], i, j, d[v])


@fitted(piece)
def with_piece(y, found, here, piece, x):
    d[found] = np.where(here, 0.0, d[y])
    d[piece] = through_store(np.extract(here, d[y]), x, asked)
    d[x] = lazy_zero(x)
    d[y] = with_piece(d[found], here, through_store(d[piece], x, asked), x)


@linear
def cleared(y, b, index):     d[b] = cleared(d[y], index)
@linear
def clear_item(y, b, index):  d[b] = cleared(d[y], index)
