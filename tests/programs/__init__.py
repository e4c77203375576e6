"""A zoo of functions as users write them: what the derivatives of all of them must be is checked in test_zoo.py.

One file a theme. `registry.program` registers a function with sample arguments; `registry.later` does the same for
programs whose constructs have issues of their own, and keeps them out of the zoo.
"""

import importlib

THEMES = (
    "expressions",
    "branches",
    "loops",
    "calls",
    "arrays",
    "scalars",
    "containers",
    "collections_",
    "steered",
    "dicts",
    "changing",
    "tables",
    "gathered",
    "inactive",
    "traps",
    "models",
    "augmented",
    "names",
    "surgery",
    "storage",
    "in_place",
    "written",
    "walking",
    "found_late",
    "buffers",
    "persistent",
    "turned",
    "closures",
    "lifted",
    "captured",
    "iterators",
    "generators",
    "advanced",
    "exceptions",
    "managers",
    "protocols",
    "factories",
    "standard",
    "named_tuples",
    "patterns",
    "objects",
    "attributes",
    "state",
    "asked",
    "acting",
    "in_objects",
    "shown",
    "given",
    "given_lists",
    "cycles",
    "many_objects",
    "networks",
    "knowing",
    "setters",
    "values",
    "dict_objects",
    "nested",
    "kernels",
    "odd",
    "namespaces",
    "own_classes",
    "owners",
    "heaped",
    "helped",
    "told",
    "shallow",
    "classes",
    "once",
    "mixed",
    "everyday",
    "stopped",
    "forms",
)
LATER = ("later_language",)


def load(*themes: str) -> None:
    """Import the files of these themes, which registers their programs."""
    for theme in themes or THEMES + LATER:
        importlib.import_module(f"{__name__}.{theme}")
