"""Items of containers, kept before they are replaced and put back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tangent.runtime.dispatch import add_grad, init_grad
from tangent.runtime.kernels.index import overwritten
from tangent.runtime.storage.handed import content
from tangent.runtime.storage.shadows import shadow


class ABSENT:
    """Stands for what a dict does not hold; a class, since these have no gradients."""


class _Item(NamedTuple):
    """An array or a container in a container, and what it held."""

    array: Any
    content: Any

    def put_back(self) -> Any:
        """The array or container, with what it held."""
        if isinstance(self.array, np.ndarray):
            self.array[...] = self.content
        elif isinstance(self.array, list):
            self.array[:] = [_put_back(v) for v in self.content]
        elif isinstance(self.array, dict):
            items = {k: _put_back(v) for k, v in self.content.items()}
            self.array.clear()
            self.array.update(items)
        else:
            for v in self.content:
                _put_back(v)
        return self.array


def _put_back(kept: Any) -> Any:
    return kept.put_back() if isinstance(kept, _Item) else kept


def _as_item(x: Any) -> Any:
    """What stands in a container, with all that it holds: a sum into its place changes that, too."""
    if isinstance(x, np.ndarray):
        return _Item(x, x.copy())
    if isinstance(x, dict):
        return _Item(x, {k: _as_item(v) for k, v in x.items()})
    return _Item(x, [_as_item(v) for v in x]) if isinstance(x, (list, tuple)) else x


def item_content(x: Any, key: Any) -> Any:
    """What a container holds under a key, to be put back later."""
    if isinstance(x, np.ndarray):
        return content(x[key])
    if isinstance(x, dict) and key not in x:
        return ABSENT
    if isinstance(key, slice):
        return list(x[key])
    return _as_item(x[key])


def put_item_back(x: Any, key: Any, kept: Any) -> None:
    """Undo a store into a container."""
    if kept is ABSENT:
        del x[key]
    elif isinstance(kept, _Item):
        item = kept.put_back()
        if not isinstance(x, tuple):
            x[key] = item
    else:
        x[key] = kept


def take_item(b: Any, key: Any, x: Any, kept: Any) -> Any:
    """The shadow of an item that was stored; its place gets that of the item before, which is zero.

    Where the item before is the very array that was stored (`d[k] += v`), its shadow stays in its place.
    """
    if isinstance(b, np.ndarray):
        found = overwritten(b, key)
        b[key] = 0.0
        return found
    if isinstance(kept, _Item) and isinstance(kept.array, np.ndarray) and x[key] is kept.array:
        return shadow(kept.array)
    found = b[key]
    if kept is ABSENT:
        del b[key]
    elif isinstance(key, slice):
        b[key] = [shadow(v, None) for v in kept]
    else:
        b[key] = shadow(kept.array if isinstance(kept, _Item) else kept)
    return found


# Dicts of values that are written in place: what their adjoints, which are dicts, have no item for is zero.


def kept_item(x: Any, key: Any) -> Any:
    """What a dict holds under a key, to be put back later."""
    return x.get(key, ABSENT)


def restore_item(x: Any, key: Any, kept: Any) -> None:
    """Undo a store into a dict."""
    if kept is ABSENT:
        x.pop(key, None)
    else:
        x[key] = kept


def item_grad(b: Any, x: Any) -> Any:
    """What an item of a dict has received; zero where that is nothing."""
    return init_grad(x) if b is None else b


def add_items(b: Any, v: Any) -> None:
    """Add the gradient of a dict to the adjoint of one that is written in place."""
    for k in v if isinstance(v, dict) else ():
        b[k] = add_grad(b.get(k), v[k])
