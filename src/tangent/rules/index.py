"""Reading `x[index]`, with everything that NumPy, tuples, lists and dicts accept as an index. Linear in x."""


def dict_get(y, x, key, default=None):
    d[x] = put_key(d[y], x, key)
    d[default] = default_part(d[y], x, key, default)
    d[y] = get_key(d[x], x, key) + get_default(d[default], x, key)
@linear
def getitem(y, x, index):  d[x] = scatter(d[y], x, index)
@linear
def flat(y, x):            d[x] = np.reshape(d[y], np.shape(x))
