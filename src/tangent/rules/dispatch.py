"""The functions that generated code calls: they are differentiated when a derivative is."""

@linear
def unbroadcast(y, b, x): d[b] = broadcast_like(d[y], b)
@linear
def broadcast_like(y, b, x): d[b] = unbroadcast(d[y], b)
@linear
def copy_grad(y, b): d[b] = d[y]
@linear
def dense(y, b): d[b] = d[y]
@linear
def settled(y, b, x): d[b] = d[y]
@linear
def as_given(y, b, x): d[b] = d[y]
@linear
def unheld(y, b, *operands): d[b] = d[y]
@linear
def refit(y, b, x): d[b] = d[y]
@linear
def adjoints(y, parts, count, title): d[parts] = d[y]
@linear
def forward_pair(y, found, title): d[found] = d[y]
@linear
def fit_grad(y, b, x): d[b] = unfit_grad(d[y], b)
@linear
def unfit_grad(y, b, given): d[b] = fit_grad(d[y], b)

def replace_item(y, b, index, value):
    d[b] = replace_item(d[y], index, init_grad(b[index]))
    d[value] = d[y][index]
    d[y] = replace_item(d[b], index, d[value])
def replace_field(y, b, name, value):
    d[b] = replace_field(as_given(d[y], y), name, init_grad(get_attribute(b, name)))
    d[value] = get_attribute(as_given(d[y], y), name)
    d[y] = replace_field(d[b], name, d[value])
def sequence(y, xs, ahead=False):
    d[xs] = unsequence(d[y], xs)
    d[y] = sequence_tangent(d[xs], xs)
@linear
def sequence_tangent(y, b, xs): d[b] = unsequence(d[y], xs)
@linear
def unsequence(y, b, xs): d[b] = sequence_tangent(d[y], xs)
@linear
def items_like(y, b, x, later): d[b] = merged_like(d[y], b, later)
@linear
def merged_like(y, b, x, later): d[b] = items_like(d[y], b, later)

def add_grad(y, a, b):
    d[a] = d[y]
    d[b] = d[y]
    d[y] = d[a] + d[b]

@linear
def owner_of(y, function): d[function] = d[y]
def differentiated(y, function): d[function] = behind(d[y], function); d[y] = in_front(d[function], function)
def forward_of(y, function, passes): d[function] = behind(d[y], function); d[y] = in_front(d[function], function)
def backward_of(y, function, passes): d[function] = behind(d[y], function); d[y] = in_front(d[function], function)
def tangent_of(y, function, pushforward): d[function] = behind(d[y], function); d[y] = in_front(d[function], function)
@linear
def behind(y, b, function): d[b] = in_front(d[y], function)
@linear
def in_front(y, b, function): d[b] = behind(d[y], function)
@linear
def captured(y, b, name, value): d[b] = put_captured(d[y], b, name)
@linear
def put_captured(y, b, like, name): d[b] = captured(d[y], name, b)

@linear
@fitted
def cast_tangent(y, b, like, asked=True): d[b] = cast_tangent(d[y], like, asked=asked)
@linear
def as_list(y, b): d[b] = repack_from(b, d[y])
@linear
def where_nonzero(y, b, value): d[value] = nonzero_part(d[y], b, value)
@linear
def nonzero_part(y, g, b, value): d[g] = nonzero_part(d[y], b, value)

def attribute(y, x, name):
    d[x] = put_attribute(d[y], x, name)
    d[y] = attribute_tangent(d[x], x, name)
@linear
def put_field(y, b, x, name): d[b] = field_part(d[y], b, x, name)
@linear
def get_attribute(y, x, name): d[x] = put_field(d[y], x, name)
def field(y, x, name):
    d[x] = put_attribute(d[y], x, name)
    d[y] = attribute_tangent(d[x], x, name)

@linear
def array_part(y, b, x, name): d[b] = put_array_part(d[y], x, name)
@linear
def put_array_part(y, b, x, name): d[b] = array_part(d[y], x, name)

def held(y, x, name): d[x] = put_field(d[y], x, name); d[y] = get_attribute(d[x], name)

@linear
def repack(y, like, *parts): d[parts] = repack_from(parts, d[y])

def seed_each(y, seed, result): d[seed] = sum_each(d[y], seed); d[y] = seed_each(d[seed], result)
def sum_each(y, b, seed): d[b] = seed_each(d[y], b); d[y] = sum_each(d[b], seed)
def check_constant(y, seed, result): d[seed] = d[y]; d[y] = d[seed]
def check_seed(y, seed, *results): d[seed] = d[y]; d[y] = d[seed]
def as_linear(y, found, probed, given, wanted, title): d[found] = d[y]; d[y] = d[found]
def check_tangent(y, tangent, argument, name): d[tangent] = d[y]; d[y] = d[tangent]
@linear
def builtin_list(y, iterable): d[iterable] = repack_from(iterable, d[y])
@linear
def builtin_tuple(y, iterable): d[iterable] = repack_from(iterable, d[y])
@linear
def repack_from(y, like, parts): d[parts] = repack_from(parts, d[y])
@linear
def dict_of(y, keys, parts): d[parts] = parts_of(d[y], keys, parts)
@linear
def parts_of(y, b, keys, parts): d[b] = dict_of(keys, d[y])
def copied_dict(y, x):
    d[x] = copied_grad(d[y], x)
    d[y] = copied_tangent(d[x], x)
@linear
def copied_grad(y, b, x): d[b] = copied_tangent(d[y], x)
@linear
def copied_tangent(y, b, x): d[b] = copied_grad(d[y], x)
@linear
def subset(y, x, keys): d[x] = superset(d[y], x, keys)
@linear
def superset(y, b, x, keys): d[b] = subset(d[y], keys)

def either(z, x, y):
    d[x] = left_items(d[z], x, y)
    d[y] = right_items(d[z], y)
    d[z] = from_left(d[x], y, z) + from_right(d[y], y, z)
@linear
def left_items(w, b, x, y): d[b] = from_left(d[w], y, b)
@linear
def right_items(w, b, y): d[b] = from_right(d[w], y, b)
@linear
def from_left(w, b, y, z): d[b] = left_items(d[w], b, y)
@linear
def from_right(w, b, y, z): d[b] = right_items(d[w], b)

@linear
def product_tangent(y, b, z): d[b] = d[y]
