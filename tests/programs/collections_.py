"""Deques, heaps, dicts with defaults, sets of keys and lists in any order: programs in plain Python."""

import bisect
import functools
import heapq
import itertools
import math
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple

import numpy as np

from programs.registry import program
from programs.samples import signed

NUMBERS = [0.7, 1.3, 0.4, 2.1]
Pair = namedtuple("Pair", "left right")


@program({"xs": NUMBERS}, orders=1)
def window_of_a_deque(xs):
    window = deque(maxlen=2)
    total = 0.0
    for x in xs:
        window.append(x * x)
        total += sum(window) / len(window) * window[0]
    return total


@program({"xs": NUMBERS})
def rotated_deque(xs):
    queue = deque(xs)
    queue.rotate(1)
    queue.appendleft(xs[0] * xs[1])
    first = queue.popleft()
    return first * queue[0] + queue.pop() * queue[-1]


@program({"x": signed(5), "n": 2})
def means_of_a_window(x, n):
    window = deque([0.0] * n, maxlen=n)
    total = 0.0
    for v in x:
        total += window[0] * v - window[-1]
        window.append(v * v * x[0])
    return total + max(window)


@program({"x": signed(5)})
def queue_of_a_search(x):
    queue = deque([(0, x[0])])
    total = 0.0
    while queue:
        i, v = queue.popleft()
        total += v * v
        for child in (2 * i + 1, 2 * i + 2):
            if child < len(x):
                queue.append((child, v * x[child]))
    return total


@program({"x": signed(4)})
def last_steps_of_a_search(x):
    kept = deque(maxlen=2)
    slope = 2.0 * x + x**3
    for _ in range(4):
        step = slope.copy()
        for s, y in reversed(kept):
            step = step - (s @ step) / (y @ y + 1.0) * y
        new = x - 0.1 * step
        after = 2.0 * new + new**3
        kept.append((new - x, after - slope))
        x, slope = new, after
    return np.sum(x * x)


@program({"x": signed(5)})
def deque_that_begins_too_long(x):
    queue = deque((v * v for v in x), 3)
    queue.appendleft(x[0])
    while len(queue) > 1:
        queue.append(queue.popleft() * queue.pop() + 1.0)
    return queue[0]


@program({"x": signed(5)})
def list_whose_first_items_are_dropped(x):
    window, total = [], 0.0
    for v in x:
        window.append(v * v)
        if len(window) > 3:
            window.pop(0)
        total += sum(window) / len(window)
    window.pop()
    return total * window[-1]


def step(queue, k):
    queue.append(queue.popleft() * k)


@program({"xs": NUMBERS}, orders=1)
def deque_changed_by_a_helper(xs):
    queue = deque(xs[1:])
    for _ in range(4):
        step(queue, xs[0])
    return sum(queue)


class Filter:
    def __init__(self):
        self.kept = deque([0.0, 0.0], maxlen=2)
        self.sums = defaultdict(float)

    def push(self, i, x):
        self.kept.append(x)
        self.sums[i % 2] += x
        return sum(self.kept)


@program({"xs": NUMBERS}, orders=1)
def deque_in_an_object(xs):
    filtered = Filter()
    total = 0.0
    for i, x in enumerate(xs):
        total += filtered.push(i, x * x) ** 2
    return total + filtered.sums[0] * filtered.sums[1]


@program({"xs": NUMBERS}, orders=1)
def lists_by_default(xs):
    groups = defaultdict(list)
    for i, x in enumerate(xs):
        groups[i % 2].append(x)
    return sum((sum(g) / len(g)) ** 2 for g in groups.values()) + len(groups[7])


@program({"xs": NUMBERS})
def numbers_by_default(xs):
    found = defaultdict(lambda: 1.0)
    for key, x in zip("abac", xs):
        found[key] *= x
    return found["a"] * found["b"] + found["missing"]


@program({"xs": NUMBERS}, orders=1)
def counted_numbers(xs):
    counts = Counter(a=xs[0])
    for key, x in zip("abac", xs):
        counts[key] += x * x
    counts.update({"b": xs[3]})
    return counts["a"] * counts["b"] + counts["missing"]


@program({"xs": NUMBERS}, orders=1)
def ordered_dict(xs):
    found = OrderedDict()
    for key, x in zip("cab", xs):
        found[key] = x * x
    found.move_to_end("c")
    _, first = found.popitem(last=False)
    return 3.0 * first + sum(i * v for i, v in enumerate(found.values()))


@program({"xs": NUMBERS}, orders=1)
def heap_of_pairs(xs):
    heap = [(x, i) for i, x in enumerate(xs)]
    heapq.heapify(heap)
    total = 0.0
    while len(heap) > 1:
        a, i = heapq.heappop(heap)
        b, j = heapq.heappop(heap)
        total += a * b
        heapq.heappush(heap, (a + b, i + j))
    return total + heap[0][0]


@program({"xs": NUMBERS}, orders=1)
def shortest_path(xs):
    graph = {0: {1: xs[0], 2: xs[1]}, 1: {2: xs[2]}, 2: {}}
    distance = {v: 1e9 for v in graph}
    distance[0] = 0.0
    todo = set(graph)
    while todo:
        u = min(todo, key=lambda v: distance[v])
        todo.remove(u)
        for v, w in graph[u].items():
            if distance[u] + w * w < distance[v]:
                distance[v] = distance[u] + w * w
    return distance[2] * xs[3]


@program({"xs": NUMBERS}, orders=1)
def sorted_downwards_in_place(xs):
    items = [x * x for x in xs]
    items.sort(reverse=True)
    return sum(i * v for i, v in enumerate(items))


@program({"xs": NUMBERS}, orders=1)
def sorted_by_a_key_in_place(xs):
    items = [(i, x) for i, x in enumerate(xs)]
    items.sort(key=lambda item: -item[1])
    return sum(k * item[1] * item[0] for k, item in enumerate(items))


@program({"xs": NUMBERS}, orders=1)
def inserted_in_order(xs):
    items = []
    for x in xs:
        bisect.insort(items, x)
    items.remove(items[1])
    return sum(i * v * v for i, v in enumerate(items))


class Steps:
    """A table between whose entries a line is drawn."""

    def __init__(self, xs, ys):
        self.xs, self.ys = xs, ys

    def __call__(self, q):
        i = min(max(bisect.bisect_right(self.xs, q) - 1, 0), len(self.xs) - 2)
        t = (q - self.xs[i]) / (self.xs[i + 1] - self.xs[i])
        return self.ys[i] * (1.0 - t) + self.ys[i + 1] * t


@program({"x": 1.3})
def places_found_in_sorted_tables(x):
    table = Steps([0.0, 1.0, 2.0], [x, x * x, 3.0])
    kept = []
    for v in (x, 2.0, 0.5 * x):
        kept.insert(bisect.bisect_left(kept, v), v * x)
    rows = [(0.5, x), (1.0, x * x), (2.0, 3.0)]
    k = bisect.bisect(rows, x, key=lambda row: row[0])
    return table(x) * table(0.3 * x) + kept[0] + 2.0 * kept[1] + rows[k - 1][1] * k


@program({"xs": NUMBERS}, orders=1)
def quicksort_of_lists(xs):
    def ordered(items):
        if len(items) < 2:
            return items
        first = items[0]
        return ordered([v for v in items[1:] if v < first]) + [first] + ordered([v for v in items[1:] if v >= first])

    return sum(i * v * v for i, v in enumerate(ordered(xs)))


@program({"xs": NUMBERS}, orders=1)
def keys_listed_and_deleted(xs):
    found = {i + 1: x for i, x in enumerate(xs)}
    del found[3]
    for key in list(found):
        if found[key] > 1.5:
            del found[key]
    total = 0.0
    for key, x in found.items():
        total += key * x * x
    return total


@program({"xs": NUMBERS}, orders=1)
def extended_by_a_generator(xs):
    graph = {0: [1, 2], 1: [3], 2: [], 3: []}
    stack = [(0, 1.0)]
    total = 0.0
    while stack:
        u, weight = stack.pop()
        weight = weight * xs[u]
        total += weight
        stack.extend((v, weight) for v in graph[u])
    return total


@program({"xs": NUMBERS})
def loop_over_a_default(xs):
    cells = {0: [xs[0], xs[1]], 2: [xs[2]]}
    total = 0.0
    for k in range(4):
        for x in cells.get(k, []):
            total += x * x * (k + 1)
    return total


@program({"xs": NUMBERS})
def grouped_neighbours(xs):
    total = 0.0
    for _, group in itertools.groupby(zip("aabb", xs), key=lambda pair: pair[0]):
        total += sum(x for _, x in group) ** 2
    return total


@program({"xs": NUMBERS})
def largest_and_smallest(xs):
    return sum(i * x for i, x in enumerate(heapq.nlargest(3, xs))) * heapq.nsmallest(2, xs)[1]


@program({"xs": NUMBERS}, orders=1)
def text_in_a_loop_with_objects(xs):
    kept = {name: [x] for name, x in zip("ab", xs)}
    for name in "aba":
        kept[name].append(kept[name][-1] * xs[2])
    return sum(kept["a"]) * sum(kept["b"])


@program({"xs": NUMBERS})
def written_ahead_of_the_loop(xs):
    items = [x * x for x in xs]
    total = 0.0
    for i, x in enumerate(items):
        total += x
        if i < 3:
            items[i + 1] += 0.5 * x
    return total * total


@program({"x": np.array(NUMBERS)}, orders=1)
def arrays_of_a_named_tuple_written(x):
    pair = Pair(x[:2] * 1.0, x[2:] * 1.0)
    first = pair.left
    first[0] += pair.right[1]
    return np.sum(pair.left * pair.right)


@program({"x": 0.7, "y": 1.3})
def results_remembered_by_value(x, y):
    known = {}

    def square(v):
        if v not in known:
            known[v] = v * v
        return known[v]

    return square(x) * square(y) + square(x)


@program({"xs": NUMBERS})
def values_summed_by_the_names_of_pairs(xs):
    pairs = [("ab"[i % 2], x * x) for i, x in enumerate(xs)]
    totals = {}
    for name, v in pairs:
        totals[name] = totals.get(name, 0.0) + v
    return sum(len(name) * totals[name] ** 2 for name in totals)


@program({"xs": NUMBERS})
def sums_by_key(xs):
    totals = {}
    for i, x in enumerate(xs):
        key = "ab"[i % 2]
        totals[key] = totals.get(key, 0.0) + x * x
    return totals["a"] * totals["b"]


@program({"x": np.array(NUMBERS)})
def array_got_from_a_dict_and_written(x):
    d = {0: x * 1.0}
    first = d.get(0, x)
    first[1] *= 2.0
    second = d.get(1, first)
    second[2] = first[1] * second[2]
    return np.sum(d[0] ** 2)


@program({"xs": NUMBERS})
def keys_reduced(xs):
    d = {"a": xs[0], "b": xs[1] * xs[2]}
    return functools.reduce(lambda s, k: s * d[k] + 1.0, d, 1.0) * sum([d[k] for k in [*d, *list(d)]])


def _squares(values):
    return sum(v * v for v in values)


@program({"xs": NUMBERS})
def values_handed_to_a_function(xs):
    d = {"a": xs[0]}
    d["b"] = xs[1] * xs[2]
    return _squares(d.values()) * sum(k * v for k, v in zip((1.0, 2.0), d.values()))


@program({"x": np.array(NUMBERS)})
def array_as_a_list_changed_and_joined(x):
    xs = x.tolist()
    xs[1] *= xs[0]
    xs += [xs[0]]
    a = np.array(xs)
    return np.sum(a * a * a)


@program({"x": np.array(NUMBERS)})
def array_written_by_its_own_loop_beside_a_list(x):
    a = np.sin(x)
    held = [a**2 + 1.0]
    held.extend([held[0][:]])
    total = 0.0
    for v in a:
        held[0][2] = np.tanh(a[1] * v)
        total = total + v
        a[:] = np.cos(held[-1] + a)
    return np.sum(a * held[-1]) * total


def _filtered(zs, q):
    x, p, out = 0.0, 1.0, []
    for z in zs:
        p += q
        x += p * (z - x)
        out.append(x)
    return np.array(out)


@program({"x": np.array(NUMBERS)})
def numbers_added_to_and_kept_by_a_helper(x):
    return np.sum(_filtered(x, x[0] * 0.1) ** 2)


def _epidemic(b, g, n):
    s, i, hist = 0.99, 0.01, []
    for _ in range(n):
        new = b * s * i
        s -= new
        i += new - g * i
        hist.append((s, i))
    return hist


@program({"x": np.array([1.4, 0.3])})
def tuples_kept_by_a_helper(x):
    hist = _epidemic(x[0], x[1], 4)
    return sum(p[1] ** 2 for p in hist) + hist[-1][0]


@program({"x": np.array([1.4, 0.3])})
def tuples_of_a_helper_in_a_sum(x):
    return sum(s * i for s, i in _epidemic(x[0], x[1], 3)) + _epidemic(x[0], x[1], 2)[-1][0]


@program({"x": [3.0, 1.0, 2.0, 5.0]}, {"x": [3.0]})
def sorted_by_merging(x):
    return sum(k * v * v for k, v in enumerate(_merge_sorted(x)))


def _merge_sorted(xs):
    if len(xs) <= 1:
        return xs
    half = len(xs) // 2
    return _merged(_merge_sorted(xs[:half]), _merge_sorted(xs[half:]))


def _merged(left, right):
    result = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    result += left[i:]
    result.extend(right[j:])
    return result


@program({"x": [0.5, 2.0, 1.5]}, {"x": []})
def made_longer_by_an_operator(x):
    stack = list(x)
    seen = []
    total = 0.0
    while stack:
        v = stack.pop()
        seen += [v, v * len(seen)]
        if v > 1.6:
            stack += [v * 0.5]
            stack += (v * 0.3, v * 0.2)
        if len(seen) > 4:
            seen.pop(0)
        total += v * v
    return total * sum(seen)


@program({"x": signed(2)})
def scaled_by_what_a_deque_holds(x):
    window = deque(maxlen=2)
    window.append(x * x)
    q = x * 1.0
    q *= window[-1] @ window[0]
    return q @ q


@program({"x": signed(2)})
def directions_kept_in_a_deque(x):
    kept = deque(maxlen=2)
    for _ in range(3):
        q = x.copy()
        for s in kept:
            q += 2.0 * s
        new = x - 0.2 * q
        kept.append(new - x)
        x = new
    return x @ x


@program({"x": 1.3})
def largest_counts(x):
    counts = Counter()
    for i, k in enumerate("abcab"):
        counts[k] += x * i
    (_, first), (_, second) = counts.most_common(2)
    counts.subtract({"a": x * x}, b=x, d=x * 2.0)
    return first * second**2 + sum(v * (i + 1) for i, (_, v) in enumerate(counts.most_common()))


@program({"a": np.array([0.3, 0.7, 1.1])})
def lists_that_tell_how_often_shrink(a):
    places, s = [0, 1, 2], 0.0
    for _ in places:
        s = s + a[0] * a[1]
    del places[0]
    for _ in places:
        s = s + a[1] * a[2]
    places.remove(1)
    for _ in places:
        s = s + a[0] * a[2]
    return s


@program({"a": np.array([0.3, 0.7, 1.1])})
def lists_that_tell_how_often_grow_under_another_name(a):
    table, places, s = {"k": [0]}, [0], 0.0
    inside, again = table["k"], places
    for _ in table["k"]:
        s = s + a[0] * a[1]
    for i in range(len(places)):
        s = s + a[i] * a[1]
    inside.append(1)
    again.append(1)
    for k in table["k"]:
        s = s + a[k] * a[2]
    for i in range(len(places)):
        s = s + a[i] * a[2]
    return s


@program({"x": 0.7})
def events_sorted_by_a_key(x):
    events = []
    for i in range(4):
        events.append((0.3 * i, x * ((3 * i) % 5)))
    events.sort(key=lambda e: -e[1])
    return sum(math.exp(-t * x) * v * (k + 1) for k, (t, v) in enumerate(events))


@program({"x": 0.7})
def list_sorted_while_a_loop_runs_over_it(x):
    items = [3.0 * x, x, 2.0 * x]
    total = 0.0
    for v in items:
        total = (total + 2.0 * v) * 1.5
        items.sort(key=lambda u: -u)
    return total


@program({"x": 0.7})
def list_of_a_dict_turned_while_a_loop_runs_over_it(x):
    items = [3.0 * x, x, 2.0 * x]
    held = {"items": items}
    total = 0.0
    for v in held["items"]:
        total = (total + 2.0 * v) * 1.5
        items.reverse()
        items[0] = items[0] * x
    return total


@program({"x": 1.3}, {"x": 0.4}, orders=1)
def counters_with_operators(x):
    a = Counter(a=x, b=1.0)
    b = Counter(a=x * x, c=2.0)
    c = a - b
    d = (a | b) + (a & b)
    return sum(v * i for i, v in enumerate(c.values())) + d.total() * d["a"] + (-c)["a"] + (+b)["a"]


@program({"x": 1.3}, orders=1)
def chain_of_dicts_that_is_read(x):
    own = {"a": x * x}
    found = ChainMap(own, {"a": 1.0, "b": x})
    total = 0.0
    for key, v in found.items():
        total += v * v * len(key)
    return total * found["a"] + own["a"] * ("b" in found) + found.get("z", x) * len(found)


class Shelf:
    def __init__(self, counts):
        self.counts = counts


def look_up(counts, key):
    found = counts[key]
    return 1.0 if found else 0.5


SEEN = defaultdict(int)
KNOWN = {}


def note(key):
    KNOWN.setdefault(key, 0.0)


@program({"d": defaultdict(float, {1: 2.0}), "x": 0.7}, wrt="x", orders=1)
def reading_fills_a_dict_that_is_given(d, x):
    d[5]
    j = d[6]
    return x * x * len(d) * look_up(d, 7) + sum(d[k] * x for k in (1, 8)) + (9 in d) * x + d.get(10, x) + len(d)


@program({"shelf": Shelf(defaultdict(int, a=1)), "many": [defaultdict(list)], "x": 0.7}, wrt="x", orders=1)
def reading_fills_dicts_that_others_hold(shelf, many, x):
    kept = shelf.counts
    j = shelf.counts["b"]
    for lists in many:
        lists["c"].append(x)
        lists["d"]
    return x * len(kept) * len(many[0]) * many[0]["c"][0] + shelf.counts["e"] * x + len(kept)


@program({"x": 0.7})
def reading_fills_a_dict_of_the_module(x):
    SEEN.clear()
    y = x * (1.0 + len(SEEN))
    j = SEEN["a"]
    return y * x * len(SEEN)


@program({"x": 0.7})
def length_of_a_dict_that_a_helper_fills(x):
    KNOWN.clear()
    y = x * (1.0 + len(KNOWN))
    note("a")
    return y * x


@program({"x": 0.7})
def queue_of_an_import_inside(x):
    from collections import deque

    queue, total = deque([x, x * 2.0, x * 3.0]), 0.0
    for _ in range(4):
        a = queue.popleft()
        total += a * a
        queue.append(a * 0.9 + queue[0] * 0.5)
    return total


@program({"x": 0.7})
def counts_of_a_module_that_is_imported_inside(x):
    import collections

    counts = collections.Counter()
    for k in range(5):
        counts["ab"[k % 2]] += x * k
    return counts["a"] * counts["b"]


@program({"x": 0.7})
def an_import_that_is_bound_anew(x):
    from collections import deque

    if x > 0.5:
        deque = list  # noqa: F811
    items = deque([x, x * x])
    items.append(x)
    return items[0] * items[-1] + items[1]


@program({"x": 0.3})
def queue_that_runs_dry(x):
    queue, total = deque([x, x * 2.0, x * 3.0]), 0.0
    while queue and total < 100.0:
        a = queue.popleft()
        total += a * a * len(queue)
        if a > 0.25:
            queue.append(a * 0.7)
            queue.append(a * queue[0])
    return total + len(queue)


@program({"w": signed(9)})
def tree_in_the_order_of_its_depth(w):
    queue, total = deque([(0, 1.0)]), 0.0
    while len(queue) > 0:
        i, d = queue.popleft()
        total += d * w[i]
        for j in (2 * i + 1, 2 * i + 2):
            if j < len(w):
                queue.append((j, d * w[j] * 0.5))
    return total


@program({"x": 0.3})
def queue_that_is_asked_when_it_is_empty(x):
    queue, total = deque(), 0.0
    queue.append(x)
    for i in range(7):
        try:
            v = queue.popleft()
            total += v * i
        except IndexError:
            total += x * 2.0
            queue.append(x * i)
    return total


@program({"x": signed(7)})
def halves_in_a_queue(x):
    queue, total = deque([x]), 0.0
    while queue:
        v = queue.popleft()
        if len(v) > 1:
            queue.append(v[: len(v) // 2])
            queue.append(np.sin(v[len(v) // 2 :]))
        else:
            total += v[0] ** 2
    return total


@program({"x": 0.7})
def queue_of_which_some_are_dropped(x):
    total = 0.0
    for k in range(2):
        queue = deque([x * k, 2.0 * x, 3.0 * x])
        for i in range(3):
            queue.append(queue[1] * x)
            _ = queue.popleft()
            if not queue or i > 1 + k:
                break
        total += queue[0] * queue[2]
    return total


@program({"x": 0.33})
def list_of_which_the_first_item_is_taken(x):
    queue, total = [x, x * 2.0, x * 3.0], 0.0
    while queue and total < 100.0:
        a = queue.pop(0)
        total += a * a * len(queue)
        if a > 0.25:
            queue.append(a * 0.7)
            queue.append(a * queue[0])
    return total


@program({"x": 0.7})
def lists_in_a_list_of_which_the_first_is_taken(x):
    paths = [[x], [x, x * 2.0]]
    total = 0.0
    while paths:
        path = paths.pop(0)
        if len(path) < 4:
            paths.append(path + [path[-1] * x])
        total += sum(path)
    return total


@program({"x": 0.7})
def list_with_two_names_of_which_the_first_item_is_taken(x):
    queue = [x, x * 2.0, x * 3.0]
    other = queue
    a = queue.pop(0)
    other.append(a * a)
    return queue[-1] * queue[0] + len(other)


@program({"x": np.array([3.0, 1.0, 2.0]), "y": np.array([2.5, 0.5])})
def events_in_order(x, y):
    s = 0.0
    for i, v in enumerate(heapq.merge(sorted(x), sorted(y), [1.7])):
        s += i * v * v
    for at, v in heapq.merge([(1, x[0]), (4, x[1])], [(2, y[0] * x[2])], key=lambda event: event[0]):
        s = 0.5 * s + at * v
    first, *others = heapq.merge(sorted(x, reverse=True), [0.7], reverse=True)
    return s * first + sum(others)


@program({"x": 1.3})
def events_with_a_number_each(x):
    events, number, s = [], itertools.count(), 0.0
    heapq.heappush(events, (1.0, next(number), x))
    heapq.heappush(events, (0.5, next(number), x * x))
    while events:
        at, _, v = heapq.heappop(events)
        s = 0.5 * s + at * v
        if at < 1.0:
            heapq.heappush(events, (at + 0.7, next(number), v * x))
    return s
