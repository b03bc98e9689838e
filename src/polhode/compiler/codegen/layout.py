"""Where the values of a program live: the slots of its buffer, and its sections."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..graph.code import Code
from ..graph.loop import Loop
from .literals import numbers_as_bytes


@dataclass(slots=True)
class BufferLayout:
    """Slots of a program's buffer.

    Inputs come first, then sines and cosines of inputs, then everything else.

    Attributes
    ----------
    first : list of int
        First slot of each input array.
    trig : list of int
        Input slots whose sine and cosine the driver computes, into consecutive slot pairs.
    trig_slot : int
        The first of those pairs.
    slot : dict
        Slot of each value that has one.
    given : set of int
        Values that are in their slots before the kernel runs.
    outputs : list of int
        Slot of each scalar output.
    constants : list of (int, float)
        Slots that hold a constant output.
    n_slots : int
    tables : dict
        Constant tables by name, as bytes.
    results : dict
        First slot of what each loop carries; whether lanes go on is in the slot after these.
    carried : dict
        Of a turn of a loop: the slot of each carried number.
    goes : int
        Of a turn of a loop: the slot of whether lanes go on; or -1.
    """

    first: list[int]
    trig: list[int] = field(default_factory=list)
    trig_slot: int = 0
    slot: dict[int, int] = field(default_factory=dict)
    given: set[int] = field(default_factory=set)
    outputs: list[int] = field(default_factory=list)
    constants: list[tuple[int, float]] = field(default_factory=list)
    n_slots: int = 0
    tables: dict[str, bytes] = field(default_factory=dict)
    results: dict[int, int] = field(default_factory=dict)
    carried: dict[int, int] = field(default_factory=dict)
    goes: int = -1

    def new(self) -> int:
        """One more slot."""
        self.n_slots += 1
        return self.n_slots - 1

    def scratch(self, n: int = 2) -> int:
        """Neighbouring slots: for a table, or for operands and results of a library call."""
        self.n_slots += n
        return self.n_slots - n

    def table(self, numbers: Sequence[float], dtype: str) -> str:
        """The name of a constant table, the same for the same numbers."""
        data = numbers_as_bytes(numbers, dtype)
        name = f"table_{hashlib.sha256(data).hexdigest()[:16]}"
        self.tables[name] = data
        return name


def lay_out(code: Code, sizes: Sequence[int]) -> BufferLayout:
    """Slots of inputs, of their sines and cosines, and of the outputs.

    Parameters
    ----------
    code : Code
    sizes : sequence of int
        Scalars in each input array.
    """
    layout = BufferLayout([])
    slots: list[int] = []
    for size in sizes:
        layout.first.append(layout.n_slots)
        slots.extend(range(layout.n_slots, layout.n_slots + size))
        layout.n_slots += size
    _place_inputs(code, layout, slots)
    layout.trig_slot = layout.n_slots
    pair: dict[int, int] = {}
    for k, op in enumerate(code.ops):
        if op.name in ("sin", "cos") and code.ops[code.args[k][0]].name == "input":
            angle = layout.slot[code.args[k][0]]
            base = pair.setdefault(angle, layout.trig_slot + 2 * len(pair))
            layout.slot[k] = base + (op.name == "cos")
            layout.given.add(k)
    layout.trig = list(pair)
    layout.n_slots += 2 * len(pair)
    _place_results(code, layout)
    return layout


def lay_out_turn(
    loop: Loop, around: BufferLayout, first: int, operands: Sequence[int | float]
) -> tuple[BufferLayout, list[tuple[int, int | float]]]:
    """Slots of one turn of a loop, and what some of them hold before the first turn.

    Parameters
    ----------
    loop : Loop
    around : BufferLayout
        Of the code that has the loop; captured numbers stay in their slots there.
    first : int
        First slot of the carried numbers, which those of the condition to go on follow.
    operands : sequence of int or float
        Of the loop: slots or constants.
    """
    layout = BufferLayout([], n_slots=around.n_slots, tables=around.tables)
    goes, *rest = operands
    n = loop.n_carried
    start: list[tuple[int, int | float]] = [(first + n, goes)]
    start += [(first + k, x) for k, x in enumerate(rest[:n])]
    slots = list(range(first, first + n))
    for x in rest[n:]:
        slots.append(layout.new() if isinstance(x, float) else x)
        if isinstance(x, float):
            start.append((slots[-1], x))
    _place_inputs(loop.code, layout, slots)
    _place_results(loop.code, layout)
    layout.goes, last = first + n, first + n
    layout.carried = {k: slot for k, slot in layout.slot.items() if first <= slot < last}
    return layout, start


def _place_inputs(code: Code, layout: BufferLayout, slots: Sequence[int]) -> None:
    for k, op in enumerate(code.ops):
        if op.name == "input":
            layout.slot[k] = slots[code.args[k][0]]
            layout.given.add(k)


def _place_results(code: Code, layout: BufferLayout) -> None:
    """Slots of what loops carry, whose parts stay there, and of the outputs."""
    for k, op in enumerate(code.ops):
        if op.loop is not None:
            layout.results[k] = layout.scratch(op.loop.n_carried + 1)
        elif op.part >= 0:
            layout.slot[k] = layout.results[code.args[k][0]] + op.part
            layout.given.add(k)
    for k in code.outputs:
        if k not in layout.slot:
            layout.slot[k] = layout.new()
            if code.ops[k].name == "const":
                layout.constants.append((layout.slot[k], code.args[k][0]))
        layout.outputs.append(layout.slot[k])
