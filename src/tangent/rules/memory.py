"""The memory of objects, lists and dicts: a table that is made anew where something changes."""

@linear
def memory_of(y, memory, *captured): d[memory] = d[y]

def remembered(y, memory, x, name):
    d[memory] = slot_grad(d[y], memory, x, name)
    d[x] = owner_grad(d[y], memory, x, name)
    d[y] = read_tangent(d[memory], d[x], memory, x, name)
def contents(y, memory, x):
    like(remembered, name=None)
def read_tangent(y, dmemory, dx, memory, x, name):
    d[dmemory] = slot_grad(d[y], memory, x, name)
    d[dx] = owner_grad(d[y], memory, x, name)
    d[y] = read_tangent(d[dmemory], d[dx], memory, x, name)
@linear
def slot_grad(y, b, memory, x, name): d[b] = slot_part(d[y], memory, x, name, b)
@linear
def slot_part(y, b, memory, x, name, like): d[b] = slot_grad(d[y], memory, x, name)
@linear
def owner_grad(y, b, memory, x, name): d[b] = owner_part(d[y], memory, x, name, b)
@linear
def owner_part(y, b, memory, x, name, like): d[b] = owner_grad(d[y], memory, x, name)

def item_now(y, memory, x, index):
    d[memory] = item_slots(d[y], memory, x, index)
    d[x] = item_owner(d[y], memory, x, index)
    d[y] = item_tangent(d[memory], d[x], memory, x, index)
def item_tangent(y, dmemory, dx, memory, x, index):
    d[dmemory] = item_slots(d[y], memory, x, index)
    d[dx] = item_owner(d[y], memory, x, index)
    d[y] = item_tangent(d[dmemory], d[dx], memory, x, index)
@linear
def item_slots(y, b, memory, x, index): d[b] = item_tangent(d[y], init_grad(x), memory, x, index)
@linear
def item_owner(y, b, memory, x, index): d[b] = item_tangent(init_grad(memory), d[y], memory, x, index)

def changed_items(y, memory, x, method, key, value):
    d[memory] = items_rest(d[y], memory, x, method, key, value)
    d[x] = items_own(d[y], memory, x, method, key, value)
    d[value] = items_new(d[y], memory, x, method, key, value)
    d[y] = changed_tangent(d[memory], d[x], memory, x, method, key, value, d[value])
def changed_tangent(y, dmemory, dx, memory, x, method, key, value, dvalue):
    d[dmemory] = items_rest(d[y], memory, x, method, key, value)
    d[dx] = items_own(d[y], memory, x, method, key, value)
    d[dvalue] = items_new(d[y], memory, x, method, key, value)
    d[y] = changed_tangent(d[dmemory], d[dx], memory, x, method, key, value, d[dvalue])
@linear
def items_rest(y, b, memory, x, method, key, value):
    d[b] = changed_tangent(d[y], init_grad(x), memory, x, method, key, value, init_grad(value))
@linear
def items_own(y, b, memory, x, method, key, value):
    d[b] = changed_tangent(init_grad(memory), d[y], memory, x, method, key, value, init_grad(value))
@linear
def items_new(y, b, memory, x, method, key, value):
    d[b] = changed_tangent(init_grad(memory), init_grad(x), memory, x, method, key, value, d[y])

def current(y, memory, x):
    d[memory] = current_slots(d[y], memory, x)
    d[x] = current_owner(d[y], memory, x)
    d[y] = current_tangent(d[memory], d[x], memory, x)
def current_tangent(y, dmemory, dx, memory, x):
    d[dmemory] = current_slots(d[y], memory, x)
    d[dx] = current_owner(d[y], memory, x)
    d[y] = current_tangent(d[dmemory], d[dx], memory, x)
@linear
def current_slots(y, b, memory, x): d[b] = current_tangent(d[y], init_grad(x), memory, x)
@linear
def current_owner(y, b, memory, x): d[b] = current_tangent(init_grad(memory), d[y], memory, x)

def as_now(y, memory, x):
    like(current, current_slots=now_slots, current_owner=now_owner, current_tangent=now_tangent)
def now_tangent(y, dmemory, dx, memory, x):
    like(current_tangent, current_slots=now_slots, current_owner=now_owner, current_tangent=now_tangent)
@linear
def now_slots(y, b, memory, x): d[b] = now_tangent(d[y], init_grad(x), memory, x)
@linear
def now_owner(y, b, memory, x): d[b] = now_tangent(init_grad(memory), d[y], memory, x)

def placed_in(y, memory, x, now):
    d[memory] = placed_rest(d[y], memory, x)
    d[now] = placed_grad(d[y], memory, x, now)
    d[y] = placed_tangent(d[memory], d[now], memory, x)
def placed_tangent(y, dmemory, dnow, memory, x):
    d[dmemory] = placed_rest(d[y], memory, x)
    d[dnow] = placed_grad(d[y], memory, x, dnow)
    d[y] = placed_tangent(d[dmemory], d[dnow], memory, x)
@linear
def placed_rest(y, b, memory, x): d[b] = placed_rest(d[y], memory, x)
@linear
def placed_grad(y, b, memory, x, now): d[b] = placed_part(d[y], memory, x)
@linear
def placed_part(y, b, memory, x): d[b] = placed_grad(d[y], memory, x, b)
def kept_part(y, memory, x, now):
    d[x] = owned_part(d[y], memory, x, True)
    d[now] = owned_part(d[y], memory, x, False)
    d[y] = kept_tangent(d[x], d[now], memory, x)
def kept_tangent(y, dx, dnow, memory, x):
    d[dx] = owned_part(d[y], memory, x, True)
    d[dnow] = owned_part(d[y], memory, x, False)
    d[y] = kept_tangent(d[dx], d[dnow], memory, x)
@linear
def owned_part(y, b, memory, x, own): d[b] = owned_part(d[y], memory, x, own)

@linear
def handed_owner(y, b, memory, x, like): d[b] = returned_owner(d[y], memory, x, like)
@linear
def handed_slots(y, b, memory, x, like): d[b] = returned_slots(d[y], memory, x, like)
@linear
def returned_owner(y, b, memory, x, like): d[b] = handed_owner(d[y], memory, x, like)
@linear
def returned_slots(y, b, memory, x, like): d[b] = handed_slots(d[y], memory, x, like)

def undone_slots(y, memory, after, slots):
    d[memory] = slots_among(d[y], slots, True)
    d[after] = slots_among(d[y], slots, False)
    d[y] = undone_slots(d[memory], d[after], slots)
@linear
def slots_among(y, b, slots, among): d[b] = slots_among(d[y], slots, among)

def changed(y, memory, x, name, value):
    d[memory] = without_slot(d[y], x, name)
    d[value] = slot_taken(d[y], x, name, value)
    d[y] = changed(d[memory], x, name, d[value])
def initialised(y, memory, x, name, value):
    d[memory] = without_slot(d[y], x, name)
    d[value] = slot_taken(d[y], x, name, value)
    d[y] = initialised(d[memory], x, name, d[value])
def forget(y, memory, x, name):
    d[memory] = without_slot(d[y], x, name)
    d[y] = without_slot(d[memory], x, name)
@linear
def without_slot(y, b, x, name): d[b] = without_slot(d[y], x, name)
@linear
def slot_taken(y, b, x, name, like): d[b] = only_slot(d[y], x, name)
@linear
def only_slot(y, b, x, name): d[b] = slot_taken(d[y], x, name, b)
@linear
def new_list(y, items): d[items] = d[y]
@linear
def new_repeated(y, items, n): d[items] = folded(d[y], items)
def joined(z, x, y):
    like(current, y=z, memory=x, x=y, current_slots=joined_left, current_owner=joined_right, current_tangent=joined_tangent)
def joined_tangent(z, dx, dy, x, y):
    like(current_tangent, y=z, dmemory=dx, dx=dy, memory=x, x=y, current_slots=joined_left, current_owner=joined_right, current_tangent=joined_tangent)
@linear
def joined_left(z, b, x, y): d[b] = joined_tangent(d[z], init_grad(y), x, y)
@linear
def joined_right(z, b, x, y): d[b] = joined_tangent(init_grad(x), d[z], x, y)
@linear
def new_deque(y, items, maxlen): d[items] = as_list(d[y])
def new_default_dict(y, factory, items):
    d[items] = merged_like(d[y], items, ())
    d[y] = new_default_dict(zero_factory(factory), d[items])
def new_ordered_dict(y, items):
    d[items] = merged_like(d[y], items, ())
    d[y] = new_list(d[items])
def new_counter(y, items):
    d[items] = merged_like(d[y], items, ())
    d[y] = new_counter_tangent(d[items])
def new_counter_tangent(y, items):
    d[items] = merged_like(d[y], items, ())
    d[y] = new_counter_tangent(d[items])

def threaded(y, memory, function):
    d[function] = held_behind(d[y], function)
    d[y] = held_in_front(d[function], function)
@linear
def held_behind(y, b, function): d[b] = held_in_front(d[y], function)
@linear
def held_in_front(y, b, function): d[b] = held_behind(d[y], function)
@linear
def new_instance(y, cls, names, *parts): d[parts] = instance_parts(d[y], cls, names)
@linear
def instance_parts(y, b, cls, names): d[b] = new_instance(cls, names, *d[y])
@linear
def tuple_of(y, cls, *parts): d[parts] = tuple(d[y])

def written(y, memory, x, index, value):
    d[memory] = kept_grad(d[y], memory, x, index)
    d[x] = held_grad(d[y], memory, x, index)
    d[value] = value_grad(d[y], x, index, value)
    d[y] = written_tangent(d[memory], d[x], memory, x, index, d[value])
def written_tangent(y, dmemory, dx, memory, x, index, dvalue):
    d[dmemory] = kept_grad(d[y], memory, x, index)
    d[dx] = held_grad(d[y], memory, x, index)
    d[dvalue] = value_grad(d[y], x, index, dvalue)
    d[y] = written_tangent(d[dmemory], d[dx], memory, x, index, d[dvalue])
@linear
def kept_grad(y, b, memory, x, index): d[b] = kept_grad(d[y], memory, x, index)
@linear
def held_grad(y, b, memory, x, index): d[b] = held_part(d[y], memory, x, index)
@linear
def held_part(y, b, memory, x, index): d[b] = held_grad(d[y], memory, x, index)
@linear
def value_grad(y, b, x, index, value): d[b] = value_part(d[y], x, index)
@linear
def value_part(y, b, x, index): d[b] = value_grad(d[y], x, index, b)
def pinned(y, memory, x):
    like(current, current_slots=pinned_grad, current_owner=pinned_owner, current_tangent=pinned_tangent)
def pinned_tangent(y, dmemory, dx, memory, x):
    like(current_tangent, current_slots=pinned_grad, current_owner=pinned_owner, current_tangent=pinned_tangent)
@linear
def pinned_grad(y, b, memory, x): d[b] = pinned_grad(d[y], memory, x)
@linear
def pinned_owner(y, b, memory, x): d[b] = pinned_part(d[y], memory, x)
@linear
def pinned_part(y, b, memory, x): d[b] = pinned_owner(d[y], memory, x)

def drawn(y, x, name, args, named):
    d[args] = undrawn(args, name)
    d[named] = undrawn(named, name)
    d[y] = drawn_tangent(d[args], d[named], y, args, named, name)
