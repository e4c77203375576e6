"""Objects with operators that nobody names: methods, functions of tables and arguments make them."""

from programs.registry import program


class Scalar:
    """A number whose operators say something of their own, so that those of numbers would be seen."""

    def __init__(self, v):
        self.v = v

    def __mul__(self, other):
        return Scalar(self.v * other.v * 3.0)

    def __add__(self, other):
        return Scalar(self.v + other.v + 1.0)


class Factory:
    def make(self, v):
        return Scalar(v)

    @property
    def one(self):
        return Scalar(1.0)

    @staticmethod
    def twice(v):
        return Scalar(2.0 * v)

    @classmethod
    def half(cls, v):
        return Scalar(0.5 * v)


def scalar(v):
    return Scalar(v)


TABLE = {"function": scalar, "class": Scalar}
FACTORY = Factory()
TABLES = {"all": {"of": [[lambda v: Scalar(v)]]}}


@program({"x": 0.7})
def objects_that_a_method_makes(x):
    a, b = Factory().make(x), Factory().make(x * x)
    return (a * b + a).v


@program({"x": 0.7})
def objects_that_an_object_of_the_module_makes(x):
    a = FACTORY.make(x)
    return (a * FACTORY.one + a).v


@program({"x": 0.7})
def objects_that_static_and_class_methods_make(x):
    a, b = Factory.twice(x), Factory.half(x)
    return (a * b + a).v


@program({"x": 0.7})
def objects_that_functions_of_a_table_make(x):
    a, b = TABLE["function"](x), TABLE["class"](x * x)
    return (a * b + a).v


@program({"x": 0.7})
def objects_that_functions_of_nested_tables_make(x):
    make = TABLES["all"]["of"][0][0]
    a, b = make(x), make(x * x)
    return (a * b + a).v


@program({"f": Factory(), "x": 0.7}, wrt="x")
def objects_that_an_argument_makes(f, x):
    a, b = f.make(x), f.make(x * x)
    return (a * b + a).v


@program({"make": scalar, "x": 0.7}, wrt="x")
def objects_that_a_function_makes_which_is_given(make, x):
    a, b = make(x), make(x * x)
    return (a * b + a).v


@program({"makers": {"k": [scalar]}, "x": 0.7}, wrt="x")
def objects_that_functions_in_a_dict_make_which_is_given(makers, x):
    a, b = makers["k"][0](x), makers["k"][0](x * x)
    return (a * b + a).v


class Tape:
    """Products and sums write themselves down."""

    def __init__(self):
        self.nodes = []

    def var(self, v):
        return self.push((), v)

    def push(self, parents, v):
        self.nodes.append(parents)
        return Recorded(self, len(self.nodes) - 1, v)

    def gradient(self, out):
        g = [0.0] * len(self.nodes)
        g[out.i] = 1.0
        for i in range(len(self.nodes) - 1, -1, -1):
            for j, w in self.nodes[i]:
                g[j] += w * g[i]
        return g


class Recorded:
    def __init__(self, tape, i, v):
        self.tape, self.i, self.v = tape, i, v

    def __add__(self, other):
        return self.tape.push(((self.i, 1.0), (other.i, 1.0)), self.v + other.v)

    def __mul__(self, other):
        return self.tape.push(((self.i, other.v), (other.i, self.v)), self.v * other.v)


@program({"x": 0.7}, orders=1)
def tape_that_makes_its_variables(x):
    tape = Tape()
    a = tape.var(x)
    g = tape.gradient(a * a + a)
    return g[a.i] * x
