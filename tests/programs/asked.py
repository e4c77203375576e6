"""Lists and objects that are asked for their truth, length or text, and then change."""

import heapq

from programs.registry import program


class Pile:
    """A stack that tells whether and how many items it has."""

    def __init__(self, items=()):
        self.items = list(items)

    def __bool__(self):
        return len(self.items) > 0

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, v):
        self.items[i] = v

    def __int__(self):
        return int(self.items[0])

    def __str__(self):
        return "*" * len(self.items)

    def __repr__(self):
        return f"Pile of {len(self)}"

    def push(self, v):
        self.items.append(v)
        return self

    def pop(self):
        return self.items.pop()

    def total(self):
        return sum(self[i] * (i + 1.0) for i in range(len(self)))


@program({"x": 1.5})
def taken_from_an_object_if_there_is_something(x):
    pile = Pile().push(x).push(x * x)
    y = pile.pop() if pile else 0.0
    if pile:
        y = y * pile.pop()
    return pile.pop() if pile else y


@program({"x": 1.5})
def object_that_is_filled_by_index_and_counted(x):
    pile = Pile([x, x])
    pile[0] = pile[0] * 3.0
    return pile.total()


@program({"x": 1.5})
def truth_of_objects_that_change(x):
    full, empty = Pile().push(x), Pile()
    y = full[0] if bool(full) else 0.0
    y += 2.0 * (empty or full)[0] if not empty else x
    if any([empty, full]) and not all((empty, full)):
        y = y * x
    return y + sum(p[0] for p in filter(None, [full, empty]))


@program({"x": 2.5})
def whole_number_of_an_object(x):
    pile = Pile().push(x).push(x)
    return x ** int(pile) * len(pile)


@program({"x": 2.5})
def text_of_an_object_that_changes(x):
    pile = Pile().push(x).push(x)
    shown = "".join((str(pile), f"{pile}", "{}".format(pile), "%s" % pile, f"{pile!r}", repr(pile)))
    return x**2 * len(shown)


@program({"xs": [1.0, 2.0, 3.0]})
def lists_that_are_emptied_where_they_are_tested(xs):
    def take(found):
        return found.pop(0)

    left, y = list(xs), 0.0
    if left:
        y += left.pop() ** 2
    y = left.pop() * y if left else y
    for i in range(3):
        if left:
            y += take(left) * (i + 1)
        else:
            y *= 1.5
            left.append(y) if i == 2 else None
    rest = left and left.pop()
    return y * rest


@program({"xs": [3.0, 1.0, 2.0]})
def heap_and_dict_emptied_where_they_are_tested(xs):
    heap, table, y = list(xs), dict(enumerate(xs)), 0.0
    heapq.heapify(heap)
    for i in range(4):
        if heap:
            y += heapq.heappop(heap) * (i + 1)
        else:
            y = y**2
        if table:
            y = y * table.popitem()[1]
    return y


@program({"xs": [1.0, 2.0, 3.0]})
def list_of_an_object_emptied_where_it_is_tested(xs):
    pile, y = Pile(xs), 0.0
    for _ in range(5):
        if pile.items:
            y = 2.0 * y + pile.items.pop()
        else:
            pile.items.extend([y, 0.5 * y])
    return y
