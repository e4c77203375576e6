"""Reading `x[index]`, with everything that NumPy, tuples, lists and dicts accept as an index. Linear in x."""


@linear
def getitem(y, x, index):  d[x] = scatter(d[y], x, index)
@linear
def flat(y, x):            d[x] = np.reshape(d[y], np.shape(x))
