"""What NumPy has and the table has not: what has nothing to differentiate, and what is refused for now."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Types, constants, iterators, memory, files and tests: no numbers flow through them.
NOTHING_TO_DIFFERENTIATE = _names("""
    np.broadcast np.busdaycalendar np.bytes_ np.character np.complexfloating np.flatiter np.flexible np.floating
    np.from_dlpack np.frompyfunc np.generic np.inexact np.integer np.matrix np.memmap np.nditer
    np.ndenumerate np.nested_iters np.number np.object_ np.recarray np.record np.signedinteger np.str_ np.test np.ufunc
    np.unsignedinteger np.void
    np.linalg.LinAlgError np.linalg.test np.fft.test
    ndarray.byteswap ndarray.ctypes ndarray.data ndarray.getfield ndarray.setfield ndarray.to_device
""")

# They write in place, and have no rule: docs/storage.md.
IN_PLACE = _names("""
    np.copyto np.fill_diagonal np.place np.put np.put_along_axis np.putmask
    ndarray.fill ndarray.partition ndarray.put ndarray.resize ndarray.sort
""")

# They have a derivative, and a call of them with something active is an error that says so.
REFUSED = {
    "ndarray.base": "another name of an array, which the array does not tell: use the array itself",
    "np.asmatrix": "np.matrix redefines the operators: use arrays",
    "np.bmat": "np.matrix redefines the operators: use np.block",
    "np.frombuffer": "it reads memory, not numbers: use the array itself, or its method view",
    "np.poly1d": "an object: use np.polyval and its family",
}

# Rules that no call in a function's own text reaches.
EXERCISED_ELSEWHERE = {
    "memory_of": "lists of the module that functions with a memory hand on: tests/test_noted.py",
    "new_instance": "objects that are made at once: tests/programs/protocols.py",
    "instance_parts": "the gradient of an object that is made at once: tests/programs/protocols.py",
    "held": "attributes that descriptors look after: tests/programs/attributes.py",
    "owner_of": "what may be a module or an object, not an array: tests/programs/owners.py",
    "drawn": "random numbers that an object draws: tests/programs/in_objects.py",
    "new_repeated": "lists repeated in the memory: tests/programs/containers.py",
    "new_deque": "queues in the memory: tests/programs/collections_.py",
    "new_counter": "counters in the memory: tests/programs/collections_.py",
    "new_counter_tangent": "tangents of counters: collections_.counted_numbers",
    "new_default_dict": "dicts with defaults in the memory: tests/programs/collections_.py",
    "new_ordered_dict": "ordered dicts in the memory: tests/programs/collections_.py",
    "differentiated": "a gradient of a method inside a function: tests/programs/nested.py",
    "forward_of": "the backward pass of a call of a function that is known at run time: tests/programs/calls.py",
    "backward_of": "the second derivative of a call of a function that is known at run time: tests/programs/nested.py",
    "tangent_of": "the tangent of a call of a function that is known at run time: tests/programs/calls.py",
    "captured": "the gradient of a closure: tests/programs/closures.py",
    "put_captured": "the second derivative of a closure: tests/programs/closures.py",
    "behind": "the second derivative of a call of an object: tests/programs/objects.py",
    "in_front": "the second derivative of a call of an object: tests/programs/objects.py",
    "as_linear": "the transpose of a derivative that is given in one mode: tests/test_custom.py",
    "add_cell": "tables that are added to in place: tests/programs/tables.py",
    "undetermined": "equal eigenvalues, at second order: tests/rules/test_repeated.py",
    "filling_of": "the second derivative of a null space: tests/rules/test_filling.py",
    "as_given": "returned by every derivative, so differentiated by those of second order",
    **dict.fromkeys(
        _names("""
            assigned beside cleared_attribute content content_beside factors_at gather_placed item_content item_shadow
            mirror multiplied_at mutated mutated_part refilled
            overwritten own own_any placed rest returned_rest shadow unboxed unmirror unmutated with_attribute with_imag
            with_real
        """),
        "storage: the programs of tests/programs/storage.py, at second order",
    ),
    **dict.fromkeys(
        _names("""
            changed contents current current_owner current_slots current_tangent forget initialised new_list only_slot
            as_now held_behind held_in_front now_owner now_slots now_tangent slots_among undone_slots
            owner_grad owner_part read_tangent remembered slot_grad slot_part slot_taken threaded tuple_of without_slot
        """),
        "what objects hold: the programs of tests/programs/state.py and objects.py, at second order",
    ),
    **dict.fromkeys(
        _names("""
            held_grad held_part kept_grad pinned pinned_grad pinned_owner pinned_part pinned_tangent value_grad
            value_part written written_tangent
        """),
        "arrays that objects hold: the programs of tests/programs/in_objects.py, at second order",
    ),
    **dict.fromkeys(
        _names("""
            handed_owner handed_slots kept_part kept_tangent owned_part placed_grad placed_in placed_part placed_rest
            placed_tangent returned_owner returned_slots
        """),
        "blocks on what a memory follows, at second order: tests/test_insert_memory.py",
    ),
    **dict.fromkeys(
        _names("""
            changed_items changed_tangent item_now item_owner item_slots item_tangent items_new items_own items_rest
        """),
        "items of lists and dicts in a memory: the programs of tests/programs/containers.py, at second order",
    ),
    "sequence_tangent": "loops in forward mode, differentiated again: tests/programs/loops.py",
}
