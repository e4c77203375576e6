"""Heaps that one variable holds, followed by the places where their items came to be."""

import heapq
import math
from heapq import heapify, heappop, heappush

import numpy as np

from programs.registry import program

ROADS = {0: ((1, 1.0), (2, 2.7)), 1: ((2, 1.1), (3, 3.9)), 2: ((3, 1.3), (4, 4.0)), 3: ((4, 0.9),), 4: ()}


@program({"w": 0.7}, {"w": 1.9})
def shortest_way(w):
    dist = {0: 0.0}
    heap = [(0.0, 0)]
    done = set()
    while heap:
        d, u = heapq.heappop(heap)
        if u in done:
            continue
        done.add(u)
        for v, length in ROADS[u]:
            nd = d + length * w + 0.1 * w**2 * u
            if v not in dist or nd < dist[v]:
                dist[v] = nd
                heapq.heappush(heap, (nd, v))
    return dist[4] * dist[3]


@program({"xs": [0.3, 1.2, 0.8, 2.1]})
def merged_pairs(xs):
    heap = list(xs)
    heapify(heap)
    cost = 0.0
    while len(heap) > 1:
        a = heappop(heap)
        b = heappop(heap)
        cost = cost + math.sin(a) * b
        heappush(heap, a + b)
    return cost * heap[0]


@program({"x": np.array([0.4, 1.7, 0.9]), "rate": 0.6})
def events_with_arrays(x, rate):
    queue = []
    for i in range(3):
        heappush(queue, (float(3 - i), i, x * (i + 1)))
    total = np.zeros(3)
    steps = 0
    while queue and queue[0][0] < 5.0:
        event = heappop(queue)
        at, i, v = event
        total = total + np.sin(v) * at
        steps += 1
        if steps < 6:
            heappush(queue, (at + 1.5 + 0.1 * i, i, v * rate))
    return np.sum(total**2) if not queue else np.sum(total) * queue[0][0] * np.sum(queue[0][2])


@program({"xs": [1.3, 0.2, 0.7]})
def dropped_and_anew(xs):
    best = []
    for x in xs:
        heappush(best, (x * x, x))
        if len(best) > 2:
            heappop(best)
    y = best[0][0] + 2.0 * best[0][1]
    best = [(3.0, 0.5), (xs[0], xs[1])]
    heapify(best)
    heappush(best, (xs[2] * 0.1, xs[2]))
    first = heappop(best)
    return y * first[1] + heappop(best)[0]


@program({"xs": [0.5, 0.1, 0.9, 0.4]})
def equal_keys(xs):
    order = []
    for i, x in enumerate(xs):
        heappush(order, (i % 2, x))
    y = 1.0
    k = 0
    while order:
        group, x = heappop(order)
        y = math.sin(y + (k + 1) * x) + group * x
        k += 1
    return y


@program({"xs": [0.5, 0.1, 0.9, 0.4]})
def heap_that_a_helper_gets(xs):
    """Here the list itself is handed on."""
    heap = list(xs)
    heapify(heap)
    heappush(heap, xs[0] * xs[1])
    return largest(heap) * heappop(heap)


def largest(heap):
    return max(heap) + heap[1]


@program({"w": 1.3, "xs": [0.4, 0.2, 0.8]})
def heap_in_a_nested_function(w, xs):
    heap = []

    def put(v):
        heappush(heap, v * w)

    for x in xs:
        put(x)
    return heappop(heap) - 0.5 * heappop(heap)


@program({"w": 0.8})
def empty_heap(w):
    heap = [w, 2.0 * w]
    y = 0.0
    try:
        for i in range(4):
            y += heappop(heap) * (i + 1)
    except IndexError:
        y = y * w
    return y
