"""Where the values of a program live: the slots of its buffer, and its sections."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..graph.code import Code


@dataclass(slots=True)
class Layout:
    """Slots of a program's buffer.

    Inputs come first, then sines and cosines of inputs, then everything else.

    Attributes
    ----------
    n_inputs : int
        Slots of inputs, one per scalar input.
    trig : list of int
        Inputs whose sine and cosine the driver computes, into consecutive slot pairs.
    slot : dict
        Slot of each value that has one.
    given : set of int
        Values that are in their slots before the kernel runs.
    outputs : list of int
        Slot of each scalar output.
    constants : list of (int, float)
        Slots that hold a constant output.
    n_slots : int
    """

    n_inputs: int
    trig: list[int] = field(default_factory=list)
    slot: dict[int, int] = field(default_factory=dict)
    given: set[int] = field(default_factory=set)
    outputs: list[int] = field(default_factory=list)
    constants: list[tuple[int, float]] = field(default_factory=list)
    n_slots: int = 0
    _scratch: int = -1

    def new(self) -> int:
        """One more slot."""
        self.n_slots += 1
        return self.n_slots - 1

    def scratch(self) -> int:
        """Two neighbouring slots for the operands and results of a library call."""
        self.n_slots += 2
        return self.n_slots - 2


def lay_out(code: Code, n_inputs: int) -> Layout:
    """Slots of inputs, of their sines and cosines, and of the outputs."""
    layout = Layout(n_inputs, n_slots=n_inputs)
    for k, op in enumerate(code.ops):
        if op.name == "input":
            layout.slot[k] = code.args[k][0]
            layout.given.add(k)
    for k, op in enumerate(code.ops):
        if op.name in ("sin", "cos") and code.ops[code.args[k][0]].name == "input":
            index = code.args[code.args[k][0]][0]
            if index not in layout.trig:
                layout.trig.append(index)
            layout.slot[k] = n_inputs + 2 * layout.trig.index(index) + (op.name == "cos")
            layout.given.add(k)
    layout.n_slots += 2 * len(layout.trig)
    for k in code.outputs:
        if k not in layout.slot:
            layout.slot[k] = layout.new()
            if code.ops[k].name == "const":
                layout.constants.append((layout.slot[k], code.args[k][0]))
        layout.outputs.append(layout.slot[k])
    return layout
