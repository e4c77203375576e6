"""Lists of lists that are filled and changed by two indices, as teachers write dynamic programming and elimination."""

import math

import numpy as np

from programs.registry import program

NUMBERS = [0.7, 1.3, 0.4, 2.1]


@program({"xs": NUMBERS})
def cheapest_path(xs):
    n = 3
    cost = [[0.0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        cost[i][0] = cost[i - 1][0] + xs[0] * xs[1]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            cost[i][j] = min(cost[i - 1][j], cost[i][j - 1]) + xs[(i * j) % 4] ** 2
    return cost[n][n]


@program({"xs": NUMBERS})
def product_of_lists(xs):
    a = [[xs[0], xs[1]], [xs[2], xs[3]]]
    c = [[0.0 for j in range(2)] for i in range(2)]
    for i in range(2):
        for j in range(2):
            for k in range(2):
                c[i][j] += a[i][k] * a[k][j]
    return c[0][0] * c[1][1] - c[0][1] * c[1][0] ** 2


@program({"xs": NUMBERS})
def elimination_on_lists(xs):
    a = [[xs[i] * xs[j] + (3.0 if i == j else 0.1 * i) for j in range(3)] for i in range(3)]
    for k in range(3):
        pivot = a[k]
        for i in range(k + 1, 3):
            row = a[i]
            factor = row[k] / pivot[k]
            for j in range(k, 3):
                row[j] -= factor * pivot[j]
    return a[0][0] * a[1][1] * a[2][2]


@program({"xs": NUMBERS})
def table_of_copied_rows(xs):
    given = [[xs[0], xs[1]], [xs[2], xs[3]]]
    own = [list(row) for row in given]
    for i in range(2):
        for j in range(2):
            own[i][j] = own[i][j] * xs[3] + own[j][i] * given[i][j]
    return sum(sum(row) for row in own)


@program({"xs": NUMBERS})
def rows_written_in_a_loop_over_them(xs):
    table = [[x * y for x in xs[:2]] for y in xs[2:]]
    for row in table:
        for j in range(2):
            row[j] = row[j] ** 2 + row[0]
    return table[0][0] + table[1][0] * table[0][1]


@program({"xs": NUMBERS})
def table_read_as_a_whole(xs):
    table = [[x * y for x in xs[:2]] for y in xs[2:]]
    for i in range(2):
        table[i][1] += table[i][0] * xs[0]
    total = sum(sum(row) * row[0] for row in table)
    return total + np.sum(np.array(table) ** 2) + max(table[1])


@program({"xs": NUMBERS})
def triangle_of_lists(xs):
    rows = [[0.0] * (i + 1) for i in range(4)]
    rows[0][0] = xs[0]
    for i in range(1, 4):
        for j in range(i + 1):
            left = rows[i - 1][j - 1] if j > 0 else 0.0
            right = rows[i - 1][j] if j < i else 0.0
            rows[i][j] = left * xs[1] + right * xs[2]
    return sum(rows[3][j] * xs[j] for j in range(4))


@program({"xs": NUMBERS})
def grid_in_steps(xs):
    u = [[xs[0], xs[1]], [xs[2], xs[3]]]
    for _ in range(2):
        new = [[0.0] * 2 for _ in range(2)]
        for i in range(2):
            for j in range(2):
                new[i][j] = u[i][j] + 0.1 * (u[i - 1][j] * u[i][j - 1] - u[i][j])
        u = new
    return u[1][1] + u[0][1]


@program({"xs": NUMBERS})
def shortest_ways(xs):
    d = [[0.0, xs[0], xs[1]], [xs[2], 0.0, xs[3]], [xs[1], xs[3], 0.0]]
    for k in range(3):
        for i in range(3):
            for j in range(3):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d[0][2] * d[1][0] + math.exp(d[2][1])


def determinant(m):
    return m[0][0] * m[1][1] - m[0][1] * m[1][0]


@program({"xs": NUMBERS})
def table_for_a_helper(xs):
    table = [[0.0] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            table[i][j] = xs[2 * i + j] * xs[i + j]
    return determinant(table)


@program({"xs": NUMBERS}, orders=1)
def one_row_twice(xs):
    row = [xs[0], xs[1]]
    table = [row, row]
    table[0][0] = xs[2] * xs[3]
    return table[1][0] * table[1][1]


@program({"xs": NUMBERS}, orders=1)
def row_with_another_name(xs):
    first = [xs[0], xs[1]]
    table = [first, [xs[2], xs[3]]]
    table[0][0] = xs[2] * xs[3]
    return table[0][1] * table[1][1] + first[0] * table[0][0]


@program({"xs": NUMBERS}, orders=1)
def row_kept_from_a_table(xs):
    table = [[xs[0], xs[1]], [xs[2], xs[3]]]
    kept = [table[1], table[0]]
    table[0][0] = xs[3] ** 2
    return kept[1][0] * kept[0][1]


@program({"m": [[0.7, 1.3], [0.4, 2.1]]})
def cells_of_an_argument(m):
    total = 0.0
    for i in range(2):
        for j in range(2):
            total += m[i][j] * m[j][i] + sum(m[i])
    return total * m[0][1]


@program({"points": [(0.7, 1.3), (0.4, 2.1), (1.1, 0.2)]})
def cells_of_tuples(points):
    total = 0.0
    for i in range(3):
        total += points[i][0] * points[i - 1][1] - points[i - 1][0] * points[i][1]
    return total


@program({"a": np.array([[0.7, 1.3], [0.4, 2.1]])})
def cells_of_an_array(a):
    total = 0.0
    for i in range(2):
        for j in range(2):
            total += a[i][j] * a[j][i] ** 2
    return total


@program({"xs": NUMBERS})
def bodies_in_a_dict(xs):
    bodies = {"sun": [xs[0], xs[1]], "moon": [xs[2], xs[3]]}
    for _ in range(2):
        for name in ("sun", "moon"):
            bodies[name][1] += 0.1 * bodies[name][0] * bodies["sun"][0]
            bodies[name][0] += bodies[name][1] ** 2
    return bodies["sun"][0] * bodies["moon"][1]


@program({"xs": NUMBERS}, orders=1)
def new_row_in_a_dict(xs):
    rows = {"u": [xs[0], xs[1]]}
    rows["v"] = [xs[2], xs[3]]
    rows["v"][0] = xs[1] * rows["u"][1]
    return rows["v"][0] * rows["v"][1]


@program({"xs": NUMBERS})
def list_of_a_comprehension_changed(xs):
    squares = [x * x for x in xs]
    for i in range(1, len(squares)):
        squares[i] = squares[i] * squares[i - 1] + squares[0]
    return sum(squares)


@program({"x": np.array(NUMBERS)})
def items_of_items_of_items(x):
    deep = [[[x[0], x[1]]], [[x[2] * x[0]]]]
    return deep[1][0][0] * deep[0][0][1] + deep[0][0][0]


def rows_of(x):
    return [[x[0], x[1]], [x[2], x[3]]]


@program({"x": np.array(NUMBERS)}, orders=1)
def rows_that_a_function_gave(x):
    t = rows_of(x)
    t[0][1] *= x[1]
    t[1][0] += t[0][1]
    return t[0][1] * t[1][0]


@program({"x": np.array([0.7, 1.3, 0.4, 2.1])})
def slices_of_a_list_share_its_arrays(x):
    parts = [x[:2] * 2.0, x[2:] * 3.0]
    first = parts[:1]
    for part in parts[::-1]:
        part[0] = part[1] * x[1]
    first[0][1] += x[3]
    parts[0] = x[1:3]
    return np.sum(first[0] ** 2) + np.sum(parts[1] * parts[0])


@program({"xs": NUMBERS})
def slices_of_a_table_share_its_rows(xs):
    table = [[x, x * x] for x in xs[:3]]
    rest = table[1:]
    table[1][0] = xs[1] ** 2
    for row in table[:2]:
        row[1] = row[0] * xs[3]
    return rest[0][0] * xs[2] + rest[0][1] * table[0][1]


def _squares(xs):
    return [xs[0], xs[1] * 2.0, xs[2] ** 2]


def _matrix(xs):
    return [[xs[0], xs[1]], [xs[2], xs[3]]]


def _sums(xs, n):
    sums = [0.0] * n
    for i in range(n - 1):
        sums[i + 1] = sums[i] * 0.5 + xs[i] ** 2
    return sums


def _halves(xs):
    return [xs[0], xs[1]], [xs[2], xs[3]]


@program({"xs": NUMBERS})
def list_of_a_helper_changed(xs):
    values = _squares(xs)
    values[0], values[2] = values[2], values[0]
    values[1] *= xs[3]
    values.append(values[0] * xs[1])
    return values[0] * values[1] + values[2] * values[3]


@program({"xs": NUMBERS})
def table_of_a_helper_changed(xs):
    table = _matrix(xs)
    table[0][0] = xs[1] * table[1][1]
    return table[0][0] * table[0][1]


@program({"xs": NUMBERS})
def lists_of_a_helper_changed_in_loops(xs):
    sums = _sums(xs, 5)
    first, second = _halves(xs)
    for i in range(1, 5):
        sums[i] = sums[i] * sums[i - 1] + first[0]
        second[1] = second[1] * first[1] + sums[i]
    return sums[-1] * sums[2] + second[1]


@program({"xs": NUMBERS, "n": 4})
def list_as_long_as_a_number_says(xs, n):
    y = [0.0] * (n + 1)
    y[0] = xs[0]
    y[n] = xs[1] * y[0] ** 2
    return y[n] * xs[3]


@program({"b": NUMBERS})
def list_of_the_caller_scaled(b):
    b[0] *= b[1]
    for k in range(2):
        b[k] = b[k] * b[2]
    return b[0] * b[1]


@program({"b": NUMBERS})
def part_of_a_list_of_the_caller(b):
    p = b[:2]
    p[0] += b[3] * b[0]
    return p[0] * p[1] * b[0]


@program({"a": [[3.0, 1.0, 2.0], [3.0, 5.0, 2.0], [3.0, 1.0, 7.0]], "b": [1.0, 2.0, 3.0]})
def system_of_the_caller_solved(a, b):
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            m = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= m * a[k][j]
            b[i] -= m * b[k]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (b[i] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return sum(v * v for v in x)


@program({"bodies": [[0.0, 0.1, 1.0], [1.0, -0.3, 2.0]]}, {"bodies": np.array([[0.0, 0.1, 1.0], [1.0, -0.3, 2.0]])})
def rows_of_the_caller_in_part(bodies):
    places = [b[:2] for b in bodies]
    for p in places:
        for k in range(2):
            p[k] += p[0] * bodies[0][2]
    return places[0][1] * places[1][1]


@program({"d": {"a": 1.5, "b": 2.5}, "x": 1.1})
def dict_of_the_caller_scaled(d, x):
    d["a"] *= x
    for k in d:
        d[k] = d[k] * x
    return d["a"] * d["b"]


@program({"x": np.array([0.6, 1.2, 0.9])})
def list_summed_while_it_is_filled(x):
    d = [0.0] * 3
    counts = {0: 0.0, 1: 0.0, 2: 0.0}
    s = 0.0
    for i in range(3):
        d[i] = x[i] ** 2
        counts[i] = x[i] ** 3
        s += sum(d) * x[i] + sum(counts.values()) * x[i]
    return s


@program({"a": np.array([[0.5, 1.5, -0.7], [0.2, -0.3, 1.1], [0.9, 0.4, -0.6]])})
def table_of_views_that_are_swapped(a):
    t = [[a[i, j : j + 1] for j in range(3)] for i in range(3)]
    for i in range(3):
        for j in range(i):
            t[i][j], t[j][i] = t[j][i], t[i][j]
            t[i][j] *= t[j][i]
    return np.sum(a * a)


@program({"a": np.array([0.5, 1.5])})
def table_of_arrays_that_operators_change(a):
    t = [[a * (i + j) for j in range(3)] for i in range(2)]
    for i in range(2):
        for j in range(1, 3):
            t[i][j] += t[i][j - 1] * a
            t[i][j][0] *= 2.0
    return np.sum(t[1][2] * t[0][1])


@program({"x": 0.6, "n": 3}, wrt="x")
def list_that_grew_and_is_replaced(x, n):
    state = []
    for i in range(n):
        state.append(x * (i + 1))
    for k in range(2):
        push = []
        for i in range(n):
            push.append(state[i] * 0.5)
        state = [v + a * x for v, a in zip(state, push)]
        parts = []
        for v in state:
            parts.append(v * v)
        state = parts
        state.append(x + k)
    return sum(state)


@program({"x": 0.6})
def list_that_is_replaced_by_one_that_stays(x):
    state = []
    state.append(x)
    for k in range(2):
        parts = []
        for v in state:
            parts.append(v * x)
        state = parts
        state.append(x * k)
        parts.append(0.5 * x)
    return sum(state) * len(parts)


@program({"beta": 0.3, "gamma": 0.1})
def history_of_tuples(beta, gamma):
    s, i, r = 0.9, 0.1, 0.0
    history = []
    for _ in range(4):
        new, gone = beta * s * i, gamma * i
        s, i, r = s - new, i + new - gone, r + gone
        history.append((s, i, r))
    return max(h[1] for h in history) + history[2][0] * history[1][2]
