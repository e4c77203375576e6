"""Functions with loops, each with arguments; a checkpointed derivative is to give what a plain one gives."""

import math

import numpy as np

from tangent import checkpoint, insert_grad_of

X, W = np.linspace(0.1, 1.0, 4), np.linspace(0.5, 1.5, 4)
LOOPS = {}


def loop(*args, wrt=(0, 1)):
    def register(f):
        LOOPS[f.__name__] = f, args, wrt
        return f

    return register


@loop(X, W, 7)
def two_states(x, w, n):
    h = x
    s = 0.0
    for t in range(n):
        h = np.sin(w * h)
        s = s + np.sum(h) * t
    return s


@loop(X, W, 7)
def two_results(x, w, n):
    h = x
    s = 0.0
    k = 0
    for t in range(n):
        h = np.sin(w * h)
        s = s + np.sum(h) * t
        k = k + 1
    return s * np.sum(h) * k


@loop(0.5, 2.0)
def while_loop(x, w):
    k = 0
    while x < 100.0:
        x = x * w + 0.1 * w
        k += 1
    return x * w * k


@loop(0.5, 2.0)
def ended_by_break(x, w):
    for i in range(50):
        x = x * w + math.sin(x)
        if x > 40.0:
            break
        x = x + 0.1
    return x * w


@loop(0.5, 2.0)
def continued(x, w):
    for i in range(12):
        if i % 3 == 0:
            continue
        x = x * 0.8 + math.sin(x * w)
    return x * w


@loop(0.5, 2.0)
def returned_early(x, w):
    for i in range(50):
        x = x * w + math.sin(x)
        if x > 40.0:
            return x * x
    return x * w


@loop(0.5, 2.0)
def with_else(x, w):
    for i in range(5):
        x = x * w
        if x > 400.0:
            break
    else:
        x = x * x
    return x * w


@loop(X, W)
def over_arrays(x, w):
    s = 0.0
    for a, b in zip(x, w):
        s = s * a + b * b
    return s


@loop(X, W)
def walked_backward(x, w):
    s = 0.0
    for i in reversed(range(1, 4)):
        s = s * x[i] + w[i - 1]
    return s


@loop(X, W)
def in_steps_of_two(x, w):
    s = 0.0
    for i in range(0, 4, 2):
        s = s * x[i] + w[i]
    return s


@loop(X, W, 5)
def nested(x, w, n):
    h = x
    for i in range(n):
        g = h
        for j in range(3):
            g = np.sin(g * w)
        h = h + g
    return np.sum(h)


@loop(X, W, 5)
def branches(x, w, n):
    h = x
    for i in range(n):
        if np.sum(h) > 1.0:
            h = np.sin(h * w)
        else:
            h = h * 2.0 + w
    return np.sum(h)


@loop(X, W, 5)
def in_place(x, w, n):
    a = np.zeros(4)
    a[:] = x
    for i in range(n):
        a[1:] = a[:-1] * w[1:] + np.sin(a[1:])
        a[0] = a[3] * 0.5
    return np.sum(a * a)


@loop(X, W, 5)
def argument_in_place(x, w, n):
    for i in range(n):
        x[1:] = x[:-1] * w[1:] + np.sin(x[1:])
        x[0] = x[3] * 0.5
    return np.sum(x * x)


@loop(X, W, 9)
def trajectory(x, w, n):
    a = np.zeros((n + 1, 4))
    a[0] = x
    for i in range(n):
        a[i + 1] = np.sin(a[i] * w)
    return np.sum(a * a)


@loop(X, W, 5)
def augmented(x, w, n):
    s = np.zeros(4)
    for i in range(n):
        s += np.sin(x * w + s)
        x = x * 0.9
    return np.sum(s)


def helper(h, w):
    return np.tanh(h * w)


def filler(a, w):
    a[1:] = a[:-1] * w[1:]
    a[0] = np.sum(a)


@loop(X, W, 5)
def calls_a_helper(x, w, n):
    for i in range(n):
        x = helper(x, w) + 0.1 * x
    return np.sum(x)


@loop(X, W, 5)
def filled_by_a_helper(x, w, n):
    a = x.copy()
    for i in range(n):
        filler(a, w)
    return np.sum(a * a)


@loop(X, W, 5)
def collected_in_a_list(x, w, n):
    ys = []
    for i in range(n):
        x = np.sin(x * w)
        ys.append(x)
    return np.sum(np.stack(ys) ** 2)


@loop(X, W, 5)
def last_value(x, w, n):
    for i in range(n):
        y = np.sin(x * w)
        x = x + y
    return np.sum(y)


@loop(X, W, 5)
def previous_value(x, w, n):
    for i in range(n):
        if i > 0:
            x = x + 0.1 * prev
        prev = np.sin(x * w)
    return np.sum(x)


@loop(X, W, 5)
def tuple_state(x, w, n):
    s = (x, 0.0)
    for i in range(n):
        h, c = s
        s = (np.sin(h * w), c + np.sum(h))
    return s[1]


@loop({"w": W, "b": 0.3}, X, 5, wrt=(0,))
def parameters_in_a_dict(p, x, n):
    for i in range(n):
        x = np.sin(p["w"] * x + p["b"])
    return np.sum(x)


@loop(X, W, 5)
def calls_a_closure(x, w, n):
    def g(h):
        return np.sin(h * w)

    for i in range(n):
        x = g(x) + x
    return np.sum(x)


@loop(X, W, 5)
def calls_a_lambda(x, w, n):
    g = lambda h: np.sin(h)  # noqa: E731
    for i in range(n):
        x = g(x * w) + x
    return np.sum(x)


class Layer:
    def __init__(self, w):
        self.w = w

    def act(self, x):
        return np.tanh(self.w * x)


@loop(Layer(W), X, 5, wrt=(0,))
def calls_a_method(m, x, n):
    for i in range(n):
        x = m.act(x) + 0.1 * x
    return np.sum(x)


@loop(X, W, 5)
def loop_in_a_loop(x, w, n):
    for e in range(2):
        for i in range(n):
            x = np.sin(x * w)
        w = w * 1.1
    return np.sum(x)


@loop(X, W, 0)
def no_steps(x, w, n):
    y = x * 2.0
    for i in range(n):
        y = np.sin(x * w)
    return np.sum(y)


@loop(X.astype(np.float32), W.astype(np.float32), 6)
def single_precision(x, w, n):
    for i in range(n):
        x = np.sin(x * w)
    return np.sum(x)


@loop(1.3 + 0.2j, wrt=(0,))
def complex_state(z):
    for i in range(6):
        z = z * z * 0.5 + 0.1j
    return abs(z)


@loop(X, W, 6)
def in_a_branch(x, w, n):
    if n > 3:
        for i in range(n):
            x = np.sin(x * w)
    else:
        x = x * 2
    return np.sum(x)


@loop(X, W, 6)
def two_loops(x, w, n):
    for i in range(n):
        x = np.sin(x * w)
    for i in range(n):
        x = np.cos(x * w)
    return np.sum(x)


@loop(X, W, 6)
def while_of_arrays(x, w, n):
    while np.sum(x * x) > 1e-2:
        x = 0.7 * np.sin(x * w) * x
    return np.sum(x)


@loop(X, W, 6)
def with_an_attempt(x, w, n):
    for i in range(n):
        try:
            x = np.sin(x * w)
        except ValueError:
            x = x * 2
    return np.sum(x)


@loop(X, W, 6)
def with_a_context(x, w, n):
    for i in range(n):
        with np.errstate(divide="ignore"):
            x = np.sin(x * w) / (1 + x * x)
    return np.sum(x)


@loop(X, W, 6)
def with_an_import(x, w, n):
    import math as mm

    s = 0.0
    for i in range(n):
        s = mm.sin(s + x[0] * w[1])
    return s


@loop(X, W, 6)
def list_that_is_read(x, w, n):
    ys = [x]
    for _ in range(n):
        ys.append(np.sin(ys[-1] * w) + ys[0])
    return np.sum(ys[n] * ys[2])


@loop(X, 5, wrt=(0,))
def comprehension(x, n):
    return np.sum(sum([np.sin(x * i) for i in range(n)]))


@loop(X, W, 6)
def array_written_after(x, w, n):
    a = x * w
    s = x
    for _ in range(n):
        s = np.sin(s * a)
    a[0] = 2.0 * np.sum(s)
    a *= x
    return np.sum(a)


@loop(X,6, wrt=(0,))
def view_in_loop(x,n):
    a=np.outer(x,x)
    for i in range(n):
        row=a[i%4]
        row*=1.1
        a[(i+1)%4]+=row*row
    return np.sum(a)


@loop(X,6, wrt=(0,))
def view_outside(x,n):
    a=np.outer(x,x)
    row=a[1]
    for i in range(n):
        row[i%4]=np.sin(row[(i+1)%4])
        a[2,i%4]=row[0]*a[1,2]
    return np.sum(a)+np.sum(row)


@loop(X,6, wrt=(0,))
def two_arrays(x,n):
    a=x.copy(); b=x*x
    for i in range(n):
        a[i%4]=b[(i+1)%4]*a[i%4]
        b[i%4]=a[(i+2)%4]+b[i%4]
    return np.sum(a*b)


@loop(X,6, wrt=(0,))
def in_place_and_value(x,n):
    a=x.copy(); h=1.0
    for i in range(n):
        h=h*a[i%4]
        a[i%4]=np.sin(h)
    return np.sum(a)*h


@loop(X,6, wrt=(0,))
def read_only_view(x,n):
    a=x.copy(); v=a[1:]
    s=0.0
    for i in range(n):
        s=s+np.sum(v)*a[0]
        a[1]=np.sin(s)
    return s


@loop(X,6, wrt=(0,))
def by_out(x,n):
    a=np.zeros(4)
    for i in range(n):
        np.multiply(x,x,out=a)
        x=np.sin(x+a)
    return np.sum(x)


@loop(X,6, wrt=(0,))
def by_add_at(x,n):
    a=np.zeros(4)
    for i in range(n):
        np.add.at(a,[0,0,1],x[:3]*a[2]+1.0)
        a[2]=a[0]*0.1
    return np.sum(a*a)


class Cell:
    def __init__(self, w):
        self.w = w
        self.h = 0.0


@loop(X,5, wrt=(0,))
def attr_state(x,n):
    c=Cell(0.7)
    c.h=x
    for i in range(n): c.h=np.tanh(c.w*c.h+x)
    return np.sum(c.h)


@loop(X,5, wrt=(0,))
def dict_state(x,n):
    d={'h':x,'s':0.0}
    for i in range(n):
        d['h']=np.sin(d['h']); d['s']=d['s']+np.sum(d['h'])
    return d['s']


@loop(X,5, wrt=(0,))
def list_store(x,n):
    l=[x,x*2]
    for i in range(n): l[i%2]=np.sin(l[(i+1)%2])
    return np.sum(l[0]*l[1])


@loop(X,5, wrt=(0,))
def function_made_in_the_body(x,n):
    for i in range(n):
        def g(v): return np.sin(v*i)
        x=g(x)+x
    return np.sum(x)


@loop(X,5, wrt=(0,))
def while_and(x,n):
    i=0
    while i<n and np.sum(x)>0.1:
        x=x*0.8; i+=1
    return np.sum(x)*i


@loop(X,5, wrt=(0,))
def inner_break(x,n):
    for i in range(n):
        for j in range(10):
            x=x*1.1
            if np.sum(x)>5: break
        x=np.sin(x)
    return np.sum(x)


@loop(X,5, wrt=(0,))
def returned_from_within(x,n):
    for i in range(n):
        for j in range(3):
            x=x*1.3
            if np.sum(x)>6: return np.sum(x*x)
    return np.sum(x)



def marked_callee(x, n):
    with checkpoint(2):
        for _ in range(n):
            x = np.sin(x) * 1.1
    return x


@loop(X,5, wrt=(0,))
def calls_a_marked_function(x,n):
    for i in range(3): x=marked_callee(x,n)
    return np.sum(x)


@loop(X,W,3,wrt=(0,1))
def growing_state(x,w,n):
    for i in range(n): x=np.concatenate([x,np.sin(x)])
    return np.sum(x)*np.sum(w)


@loop(X,5, wrt=(0,))
def inactive_inplace(x,n):
    m=np.zeros(4)
    for i in range(n):
        m[i%4]=m[(i+1)%4]+i
        x=np.sin(x)*(1+m)
    return np.sum(x)


@loop(X,5, wrt=(0,))
def list_as_a_counter(x,n):
    c=[0]
    for i in range(n):
        c[0]=c[0]+1
        x=np.sin(x)*c[0]
    return np.sum(x)


@loop(X,5, wrt=(0,))
def insertion_on_const(x,n):
    h=x
    for i in range(n):
        h=np.sin(h*x)
        with insert_grad_of(x) as dx:
            dx=dx*0.5
    return np.sum(h)


@loop(X,5, wrt=(0,))
def bound_that_changes(x,n):
    m=n
    for i in range(m):
        m=m-1
        x=np.sin(x)*m
    return np.sum(x)


@loop(X,4, wrt=(0,))
def bound_in_the_first_step(x,n):
    for i in range(n):
        if i==0: acc=x
        else: acc=acc+np.sin(x)*acc
    return np.sum(acc)


@loop(X, W, 6)
def swapped_buffers(x, w, n):
    a, b = x.copy(), np.zeros(4)
    for _ in range(n):
        b[:] = a * w
        b[1:] += a[:-1] * a[1:]
        a, b = b, a
    return np.sum(a * a)


@loop(X, W, 5)
def one_array_written_whole_and_by_item(x, w, n):
    y = x.copy()
    for _ in range(n):
        y += 0.3 * np.sin(y * w)
        y[0] = y[1] * y[2]
    return np.sum(y)


@loop(X, W, 5)
def what_only_a_dead_step_reads(x, w, n):
    h = x
    for _ in range(n):
        h = np.sin(h)
        unused = w * h
    return np.sum(h)


@loop(0.6, 0.8, 7)
def the_last_ones(x, w, n):
    last = [x]
    for _ in range(n):
        x = math.sin(w * x) + 0.1 * last[0]
        last.append(x)
        if len(last) > 2:
            last.pop(0)
    return x + last[0] * last[1]


@loop(0.6, 0.8, 7)
def turned_round(x, w, n):
    seen = [w]
    for _ in range(n):
        x = math.sin(w * x + seen[0])
        seen.append(x)
        seen.reverse()
    return x + seen[0] + 2.0 * seen[1]


class Window:
    def __init__(self, x):
        self.x, self.seen = x, [x]

    def step(self, w):
        self.x = math.sin(w * self.x) + 0.1 * self.seen[0]
        self.seen.append(self.x)
        self.seen.pop(0)


@loop(0.6, 0.8, 7)
def a_window_of_an_object(x, w, n):
    window = Window(x)
    for _ in range(n):
        window.step(w)
    return window.x + window.seen[0]
