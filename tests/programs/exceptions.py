"""`try`, `raise`, `with`: what really ran is what is differentiated."""

import contextlib
import dataclasses
import io
import math
import threading

import numpy as np

from programs.registry import program
from programs.samples import positive, signed


@program({"x": 0.7})
def errstate(x):
    with np.errstate(divide="ignore"):
        y = 1.0 / x
    return y * y


@program({"x": signed(3)})
def errstate_over_a_loop(x):
    y = x
    with np.errstate(all="ignore"):
        for _ in range(3):
            y = np.sin(y) / x
    return np.sum(y)


@program({"x": 0.7})
def errstate_in_a_loop(x):
    y = x
    for _ in range(3):
        with np.errstate(all="ignore"):
            z = y * x
            y = z + y * y
    return y


@program({"x": 0.7})
def null_context(x):
    with contextlib.nullcontext(x) as v:
        y = v * x
    return y * y


LOCK = threading.Lock()


@program({"x": 0.7})
def lock(x):
    with LOCK:
        y = x * x
    return y * x


@program({"x": 0.7})
def two_contexts(x):
    with LOCK, io.StringIO("2.5") as file:
        y = x * float(file.read())
    return y * y


@program({"x": 0.7}, {"x": -0.7})
def return_inside_with(x):
    with LOCK:
        if x > 0:
            return x * x
        y = x * 3.0
    return y * x


@program({"xs": [0.5, 1.5, -2.0]})
def break_inside_with(xs):
    s = 0.0
    for x in xs:
        with LOCK:
            if x < 0:
                break
            s = s + x * x
    return s


@contextlib.contextmanager
def scaled(k):
    yield 2.0 * k


@program({"x": 0.7})
def user_context(x):
    with scaled(1.5) as k:
        y = x * k
    return y * y


class Timer:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stopped = True


@program({"x": 0.7})
def user_context_class(x):
    with Timer():
        y = x * x
    return y * y


@program({"x": 0.7})
def unknown_context(x):
    timer = Timer()
    with timer:
        y = x * x
    return y * y


@program({"x": 0.7})
def try_that_succeeds(x):
    try:
        y = np.sqrt(x)
    except ValueError:
        y = x
    return y * x


@program({"x": 0.7}, {"x": -0.7})
def try_that_raises(x):
    try:
        if x < 0:
            raise ValueError("negative")
        y = x * x
    except ValueError:
        y = 3.0 * x
    else:
        y = y + x
    finally:
        z = x * 2.0
    return y * z


@program({"x": 0.7}, {"x": -0.7})
def return_from_try(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return x * x


@program({"x": 0.7}, {"x": -0.7})
def several_handlers(x):
    try:
        y = math.sqrt(x) if x != 0.0 else 1.0 / x
    except ValueError:
        y = 3.0 * x
    except (ZeroDivisionError, KeyError) as error:
        y = x * len(str(error))
    return y * x + x


@program({"x": 0.7}, {"x": -0.7})
def body_changed_a_variable_before(x):
    y = x
    try:
        y = y * x
        y = y + math.sqrt(x)
    except ValueError:
        y = y * 3.0
    return y


@program({"xs": [0.5, -1.5, 2.0]}, {"xs": [-0.5, 1.5, -2.0]})
def try_in_a_loop(xs):
    s = 1.0
    for x in xs:
        try:
            y = math.sqrt(x)
            s = s * y
        except ValueError:
            s = s * s + x
    return s


@program({"xs": [0.5, -1.5, 2.0]})
def continue_after_a_failure(xs):
    s = 1.0
    for x in xs:
        try:
            y = math.log(x)
        except ValueError:
            continue
        s = s * y + x
    return s


@program({"xs": [0.5, 1.5, -2.0, 3.0]})
def break_after_a_failure(xs):
    s = 1.0
    for x in xs:
        try:
            s = s * math.sqrt(x)
        except ValueError:
            break
    return s


@program({"xs": [0.5, 1.5, -2.0, 3.0]})
def loop_inside_try(xs):
    s = 1.0
    try:
        for x in xs:
            s = s * math.sqrt(x) + x
    except ValueError:
        s = s * s
    return s


@program({"x": 0.7}, {"x": -0.7})
def suppressed(x):
    y = x * x
    with contextlib.suppress(ValueError):
        y = math.sqrt(x) * y
    return y


@program({"x": 0.7}, {"x": -0.7})
def nested_try(x):
    try:
        try:
            y = math.log(x)
        except KeyError:
            y = 0.0
        z = y * x
    except ValueError:
        z = x * x
    return z


def checked(x):
    if x < 0:
        raise ValueError("negative")
    return x * math.sqrt(x)


@program({"x": 0.7}, {"x": -0.7})
def exception_of_a_helper(x):
    try:
        y = checked(x)
    except ValueError:
        y = -x
    return y * y


@program({"x": 0.7}, {"x": -0.7})
def raised_again(x):
    try:
        try:
            y = checked(x)
        except ValueError:
            if x > 0:
                y = x
            else:
                raise
    except ValueError as error:
        y = 2.0 * x if "negative" in str(error) else x
    return y * x


@program({"x": 0.7})
def only_finally(x):
    try:
        y = x * x
    finally:
        z = x * 3.0
    return y * z


@program({"x": 0.7})
def assertions(x):
    assert x > 0, f"{x} is not positive"
    return x * x


@program({"x": 0.7, "key": "b"}, {"x": 0.7, "key": "a"})
def missing_key(x, key):
    d = {"a": x * x}
    try:
        y = d[key]
    except KeyError:
        y = x
    return y * 2.0


@program({"n": 3, "x": 1.3}, wrt="x")
def retried(n, x):
    for attempt in range(n):
        try:
            if attempt < 2:
                raise RuntimeError("again")
            y = x**attempt
            break
        except RuntimeError:
            x = x * 1.1
    else:
        y = x
    return y * x


@contextlib.contextmanager
def doubled(v):
    yield v * 2.0


@program({"x": 0.7})
def value_of_a_generator_context(x):
    with doubled(x) as y, doubled(v=y * x) as z:
        y = y * z
    return y + z


@contextlib.contextmanager
def item_replaced(d, key, v):
    """For a while."""
    old = d[key]
    d[key] = v
    try:
        yield d
    finally:
        d[key] = old


@program({"x": 0.7})
def generator_context_that_changes_a_dict(x):
    d = {"a": x}
    with item_replaced(d, "a", x * x):
        z = d["a"] * 2.0
    return z * d["a"]


@program({"x": 0.7})
def jump_at_the_end_of_a_try_with_else(x):
    while True:
        try:
            x = x * 1.5
            if x > 3.0:
                return x * x
            continue
        except ValueError:
            return 0.0
        else:
            return 1.0


@program({"x": 1.3}, {"x": 0.4})
def return_and_else_and_finally_in_a_loop(x):
    for i in range(3):
        try:
            y = x * i
            if y > 2.0:
                return y * y
        except ZeroDivisionError:
            pass
        else:
            x = x * 1.1
        finally:
            x = x + 0.1
    return x


def chosen(v):
    try:
        if v > 1.0:
            return v * v
        v = v * 3.0
    finally:
        pass
    return v


@program({"x": 1.3})
def returns_inside_finally_of_a_helper(x):
    return chosen(x) * chosen(x / 3.0)


class TooLarge(Exception):
    def __init__(self, v, text=""):
        super().__init__(text)
        self.v = v


@program({"x": 1.3}, {"x": 0.4})
def values_that_exceptions_bring(x):
    s = 0.0
    for i in range(4):
        try:
            if x * i > 1.0:
                raise TooLarge(x * i, "no")
            if i == 1:
                raise ValueError(x * x, i)
            s = s + x
        except TooLarge as e:
            s = s * e.v
        except ValueError as e:
            s = s + e.args[0] * e.args[1]
    return s


@program({"x": 1.3})
def exception_that_leaves_two_loops(x):
    try:
        for i in range(10):
            for j in range(3):
                if x * i * j > 5.0:
                    raise StopIteration(x * i)
    except StopIteration as e:
        return e.value * x
    return x


class Missed(Exception):
    def __init__(self, where, value):
        super().__init__(value)
        self.where = where
        self.value = value


def search(x, n):
    if n == 0:
        raise Missed(n, x * x)
    if x > 3.0:
        raise ValueError("far", x)
    return search(x * 1.5, n - 1) * 2.0


class Searching:
    def __init__(self, x):
        self.x = x

    def at(self, n):
        try:
            return search(self.x, n) + 1.0
        except KeyError:
            return 0.0


@program({"x": 0.7}, {"x": -0.7})
def values_of_exceptions_of_helpers(x):
    s, searching = 0.0, Searching(x)
    for n in range(3, 7):
        try:
            s = s + searching.at(n)
        except Missed as e:
            s = s * e.value + e.args[0]
        except ValueError as e:
            _, far = e.args
            s = s + far * x
    return s


class Account:
    def __init__(self, balance):
        self.balance = balance

    def pay(self, v):
        self.balance = self.balance - v * v
        if self.balance < 0.0:
            raise ValueError
        self.balance = self.balance * 1.1


@program({"x": 0.7}, {"x": 1.7})
def object_changed_before_it_is_refused(x):
    account = Account(x)
    for v in (0.6, x, 0.3):
        try:
            account.pay(v)
        except ValueError:
            account.balance = account.balance * x + 2.0
    return account.balance


@program({"x": 0.7})
def variable_rebound_before_something_fails(x):
    total = 0.0

    def step(v):
        nonlocal total
        total = total + v
        if total > 1.0:
            raise ValueError
        total = total * 2.0

    try:
        step(x)
        step(x)
    except ValueError:
        total = total * x
    return total


def looked_for(v):
    try:
        if v > 0.5:
            raise Missed("there", v * v)
        return v
    except Missed:
        raise


@program({"x": 0.7}, {"x": 0.2})
def raised_again_by_a_function(x):
    try:
        return looked_for(x) * x
    except Missed as e:
        return e.value * x


@contextlib.contextmanager
def scaled_for_a_while(a, k):
    a *= k
    try:
        yield a
    finally:
        a /= k


@program({"x": positive(3)})
def contexts_that_scale_an_array(x):
    a = x.copy()
    s = 0.0
    with scaled_for_a_while(a, 2.0):
        for i in range(2):
            with scaled_for_a_while(a, x[i]) as b:
                s = s + np.sum(b**2)
        s = s * a[1]
    return s + np.sum(a**3)


@program({"x": 0.2})
def loop_inside_try_that_asks_before_each_step(x):
    b, seen = x, []
    for i in range(3):
        try:
            while len(seen) < 4 and not math.sqrt(b) > 0.9:
                seen.append(i)
                b = math.tanh(b * 2.0 + x)
                if b > 0.95:
                    break
            if i == 1:
                raise KeyError
            b = b * x
        except KeyError:
            b = b - x * x
            continue
    return b


def _checked(v):
    np.linalg.cholesky(np.array([[1.0, v], [v, 1.0]]))
    root = math.sqrt(4.0 - v)  # noqa: F841  (only what it raises counts)
    return v


def _checked_twice(v):
    return _checked(v) * _checked(v * 0.5)


@program({"x": 0.7}, {"x": 5.0}, {"x": 1.5})
def helpers_that_only_raise(x):
    y = 0.0
    try:
        y = _checked_twice(x) * 3.0
    except ValueError:
        y = x * x
    except np.linalg.LinAlgError:
        y = x * 0.5
    for f in (_checked, lambda v: v * 4.0):
        with contextlib.suppress(ValueError):
            y = y + f(x) * x
    return y * x


@program({"x": 0.7}, {"x": -0.7})
def nested_functions_that_only_raise(x):
    def chosen():
        found = {"a": x}["a" if x > 0 else "b"]  # noqa: F841
        return x * 3.0

    try:
        return chosen() * x
    except KeyError:
        return x


@contextlib.contextmanager
def _quiet():
    with contextlib.suppress(ValueError):
        yield


@program({"x": 0.7}, {"x": 6.0})
def generator_around_suppress(x):
    y = x
    with _quiet():
        math.sqrt(5.0 - x)
        y = x * 3.0
    return y * x


def _items_that_fail(x):
    yield x
    root = math.sqrt(5.0 - x)
    yield root * x


class _ItemsThatFail:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield from _items_that_fail(self.x)


@program({"x": 0.7}, {"x": 6.0})
def generators_that_fail_half_way(x):
    s = x
    try:
        for v in _items_that_fail(x):
            s = s * v
        for i, v in enumerate(_items_that_fail(x)):
            s = s + v * i
    except ValueError:
        s = s * 2.0
    try:
        for v, w in zip(_items_that_fail(x), [2.0, 3.0]):
            s = s * v * w
    except ValueError:
        s = s * 3.0
    return s


@program({"x": 0.7}, {"x": 6.0})
def items_of_objects_that_fail_half_way(x):
    items = _ItemsThatFail(x)
    s, found = x, []
    try:
        for v in items:
            s = s * v
        found.extend(_items_that_fail(x))
    except ValueError:
        s = s * 2.0
    try:
        found.extend(_items_that_fail(x * 1.1))
    except ValueError:
        s = s + x
    return s * sum(found)


def _refused_below_one(v):
    if v < 1.0:
        raise ValueError("too small")
    return v * v


@program({"x": 0.9}, {"x": 1.4})
def list_that_finally_makes_longer_where_an_exception_passes(x):
    log = []

    def logged(v):
        y = 1.0
        try:
            y = v * x
            y = _refused_below_one(y)
        finally:
            log.append(y)
        return y

    found = 0.0
    for k in (1.0, 2.0):
        try:
            found += logged(x * k)
        except ValueError:
            found += x
    return found + sum(log) * len(log)


@program({"x": 0.9})
def recursion_with_finally_that_ends_by_an_exception(x):
    def down(v, n):
        if n == 0:
            raise ValueError("deep")
        try:
            return down(v * x, n - 1)
        finally:
            log.append(v)

    log = []
    try:
        y = down(x, 3)
    except ValueError:
        y = x
    return y + sum(v * (i + 1) for i, v in enumerate(log))


@program({"x": 1.3, "ys": [1.0, 2.0, 3.0]}, {"x": 1.3, "ys": [1.0, 2.0]})
def lengths_that_must_agree(x, ys):
    s = 0.0
    try:
        for a, b in zip([x, 2.0 * x], ys, strict=True):
            s += a * b * x
    except ValueError:
        s = s * 2.0
    return s


@program({"x": 1.3, "ys": [1.0, 2.0, 3.0]}, {"x": 1.3, "ys": [1.0, 2.0]}, orders=1)
def lengths_that_must_agree_in_expressions(x, ys):
    try:
        return sum(a * b for a, b in zip([x, x * x], ys, strict=True)) + len(list(zip(*[ys, ys], strict=True)))
    except ValueError:
        return x * x


@program({"x": 1.3, "ys": [1, 2]}, {"x": 1.3, "ys": [1, 2, 3]}, wrt="x", orders=1)
def unpacking_that_only_tells_the_length(x, ys):
    try:
        a, b = ys  # noqa: RUF059
        return x * x
    except ValueError:
        return x * 5.0


class Bare:
    pass


@program({"x": 1.3, "set_": True}, {"x": 1.3, "set_": False}, wrt="x", orders=1)
def attribute_that_may_be_missing(x, set_):
    o = Bare()
    if set_:
        o.v = x
    try:
        return o.v * x
    except AttributeError:
        return x * 5.0


@dataclasses.dataclass(frozen=True)
class Fixed:
    v: float


@program({"x": 1.3}, orders=1)
def assignment_to_a_frozen_dataclass(x):
    f = Fixed(x)
    try:
        f.v = 2.0
    except dataclasses.FrozenInstanceError:
        return f.v * x
    return x


def _sum_of_roots(ys, x):
    try:
        return sum([math.sqrt(y) * x * y * x for y in ys])
    except ValueError:
        return x * x


@program({"x": 1.3, "a": [1.0, 2.0], "b": [4.0, 3.0, -1.0]})
def helper_in_a_loop_that_fails_half_way(x, a, b):
    t = 0.0
    for c in (a, b):
        t += _sum_of_roots(c, x) ** 2
    return t


class Purse:
    def __init__(self, held):
        self.held = held

    def take(self, v):
        if v > self.held:
            raise ValueError("too much")
        self.held -= v
        return self.held * v


class Careful(Purse):
    def take(self, v):
        try:
            return super().take(v)
        except ValueError:
            self.held = self.held * 2.0
            return super().take(v * 0.1)


@program({"x": 100.0, "v": 40.0}, {"x": 100.0, "v": 500.0}, orders=1)
def parent_that_raises(x, v):
    purse = Careful(x)
    return purse.take(v) + purse.held


class Crossed(Exception):
    def __init__(self, value, count=0):
        super().__init__(value)
        self.value, self.count = value, count


def _crossing(v, n, x):
    if v > 5.0:
        raise Crossed(v * x, count=n)
    return _crossing(v * 1.5, n + 1, x)


@program({"x": 1.3}, orders=1)
def values_that_exceptions_are_given_by_name(x):
    try:
        return _crossing(x, 0, x)
    except Crossed as e:
        return e.value * e.count + e.args[0]


@program({"x": signed(4)})
def loop_inside_try_inside_a_loop(x):
    s, failed = 1.0, 0
    for i in range(3):
        try:
            t = s
            for j in range(i, i + 3):
                t = t * t * x[j]
            s = t
        except IndexError:
            s = s * x[0]
            failed += 1
    return s * failed


@program({"x": signed(4)})
def until_the_end_of_an_array(x):
    s, i, out = 0.0, 0, []
    while True:
        try:
            s = s * 0.3 + x[i] * x[i + 1]
            out.append(s)
        except IndexError:
            s += x[-1] ** 3
            break
        finally:
            s = s * 1.1
            i += 1
    return s + np.prod(np.array(out))


@program({"x": signed(3)}, orders=1)
def nested_tries_that_fail_behind_what_they_keep(x):
    s = x[0]
    for i in range(5):
        try:
            t = s * s
            try:
                for j in range(2):
                    t = t * x[i + j]
            except IndexError:
                t = t * 0.5 + x[2]
                t = t * x[i - 1]
            s = np.sin(s + t)
        except IndexError:
            s = s * 0.7 * x[1]
    return s


def doubled_keys(d, x):
    for i, (k, v) in enumerate(d.items()):
        d["a" * i] = v * x
    return d


@program({"x": 1.3})
def dicts_that_change_while_a_loop_runs_over_them(x):
    d, y = {"a": x, "": x * x}, x
    try:
        for k in d:
            y = y * d[k]
            d[k + "b"] = y
    except RuntimeError:
        y = y + len(d) * x
    seen = {1, 2}
    try:
        for k in seen:
            y = y * x
            seen.discard(k)
    except RuntimeError:
        y = y * len(seen)
    return y + sum(doubled_keys({"": x, "a": 2.0}, x).values())
