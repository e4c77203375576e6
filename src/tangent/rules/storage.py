"""The functions that generated code calls for storage, so that it can be differentiated again."""

@linear
def own(y, x, *others): d[x] = d[y]
@linear
def own_any(y, x, *others): d[x] = d[y]
@fitted(content)
def shadow(y, x, content=None):
    d[content] = d[y]
    d[y] = shadow(x, d[content])
@fitted(content)
def beside(y, x, content=None):
    d[content] = d[y]
    d[y] = beside(x, d[content])
@linear
def mirror(y, v, base, shade): d[shade] = unmirror(d[y], v, base, shade)
@linear
def unmirror(y, b, v, base, shade): d[b] = mirror(v, base, d[y])
@linear
def overwritten(y, b, index): d[b] = assigned(d[y], b, index)
@linear
def assigned(y, b, like, index): d[b] = overwritten(d[y], index)
@linear
def content(y, x): d[x] = rest(d[y], ())
@linear
def content_beside(y, b, x, others, tangents): d[b] = d[y]
@linear
def refilled(y, b, other): d[other] = d[y]
@linear
def rest(y, b, shade):
    d[b] = returned_rest(d[y], b, shade)
    d[y] = returned_rest(d[b], b, shade)
@linear
def item_shadow(y, x, shade=None): d[shade] = refit(d[y], shade)
@linear
def unboxed(y, b, x): d[b] = d[y]
@linear
def returned_rest(y, v, b, shade): d[v] = returned_rest(d[y], b, shade)
@fitted(v)
def placed(y, a, v, taken):
    d[a] = np.where(taken < 0, d[y], 0.0)
    d[v] = gather_placed(d[y], v, taken)
    d[y] = placed(d[a], d[v], taken)
@linear
def gather_placed(y, b, v, taken): d[b] = placed(np.zeros_like(b), d[y], taken)
@linear
def item_content(y, x, key): d[x] = scatter(d[y], x, key)
@linear
def kept_item(y, x, key): d[x] = scatter(d[y], x, key)
@linear
def item_grad(y, b, x): d[b] = d[y]

@fitted
def with_real(y, z, v):
    d[z] = d[y] - np.real(d[y])
    d[v] = np.real(d[y])
    d[y] = with_real(d[z], d[v])
@fitted
def with_imag(y, z, v):
    d[z] = np.real(d[y])
    d[v] = -np.imag(d[y])
    d[y] = with_imag(d[z], d[v])

@fitted(v)
def multiplied_at(y, a, index, v):
    d[a] = d[y] * factors_at(a, index, v)
    d[v] = (d[y] * a)[index] * other_factors_at(a, index, v)
    d[y] = d[a] * factors_at(a, index, v) + a * factors_tangent(d[v], a, index, v)
@fitted(v)
def factors_at(y, a, index, v):
    d[v] = d[y][index] * other_factors_at(a, index, v)
    d[y] = factors_tangent(d[v], a, index, v)

def mutated(y, x, method, key, value):
    d[x] = unmutated(d[y], x, method, key, value)
    d[value] = mutated_part(d[y], x, method, key, value)
    d[y] = mutated(d[x], method, key, d[value])
@linear
def unmutated(y, b, x, method, key, value): d[b] = mutated(d[y], method, key, init_grad(value))
@linear
def mutated_part(y, b, x, method, key, value): d[b] = mutated(init_grad(x), method, key, d[y])
def with_attribute(y, x, name, value):
    d[x] = cleared_attribute(d[y], x, name)
    d[value] = get_attribute(d[y], name)
    d[y] = with_attribute(d[x], name, d[value])
@linear
def cleared_attribute(y, b, x, name): d[b] = cleared_attribute(d[y], b, name)
