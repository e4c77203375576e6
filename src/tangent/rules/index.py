"""Reading `x[index]`, with everything that NumPy, tuples, lists and dicts accept as an index. Linear in x."""


@linear
def getitem(y, x, index):       d[x] = scatter(d[y], x, index)
@linear
def flat_getitem(y, x, index):  d[x] = np.reshape(scatter(d[y], np.ravel(x), index), np.shape(x))
