"""Reading `x[index]`, with everything that NumPy, tuples, lists and dicts accept as an index. Linear in x."""


def dict_get(y, x, key, default=None):
    d[x] = put_key(d[y], x, key)
    d[default] = default_part(d[y], x, key, default)
    d[y] = get_either(d[x], d[default], x, key)
@linear
def getitem(y, x, index):  d[x] = scatter(d[y], x, index)
@linear
def flat(y, x):            d[x] = np.reshape(d[y], np.shape(x))


# The functional forms of `tangent.append` and `tangent.setitem`. Where the adjoint of the result is nobody else's, the
# transformation writes into it instead (`transform/rows.py`).


@fitted(row)
def append_row(y, x, row):
    d[x] = d[y][:-1]
    d[row] = d[y][-1]
    d[y] = appended_row(d[x], x, d[row])


@fitted(value)
def setitem(y, x, index, value):
    d[x] = cleared(d[y], index)
    d[value] = overwritten(d[y], index)
    d[y] = replaced_item(d[x], x, index, d[value])


def shortened(y, x, count):
    d[x] = lengthened(d[y], x)
    d[y] = shortened_tangent(d[x], x, count)
def lengthened(y, b, x):
    d[b] = d[y][:len(b)]
    d[y] = lengthened(d[b], x)


@linear
@fitted
def persistent_array(y, values, dtype=None):  d[values] = uncast(d[y], dtype)
