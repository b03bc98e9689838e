"""Functions of LLVM's text, and calls of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .block_writer import WIDE, TypedValue
from .types import Type, flat

if TYPE_CHECKING:
    from .expressions import Expressions

# Of a result in more registers LLVM leaves the fourth number on the x87 stack, where a call in the
# place of a return forgets it; after eight calls that stack is full and gives NaN.
IN_REGISTERS = 3
RESULT = "%result"  # where a function writes a result that is too wide


class Written:
    """A function that is written, or being written.

    Attributes
    ----------
    name : str
        Of LLVM's, in quotes.
    label : str
        Of a constant with the name for messages.
    returns : Type or None
        None while it is being written.
    leaves : bool
        Whether it may return memory that it took.
    may_fail : bool
        Whether it may find no memory.
    callees : dict
        The functions that it calls, in order.
    constants, head, parameters, body : str
        Its text: what stands before it, comments, and the rest.
    """

    def __init__(self, name: str):
        self.name = name
        self.label: str = f'@{name[:-1]}.name"'
        self.returns: Type | None = None
        self.leaves = False
        self.may_fail = False
        self.callees: dict[Written, None] = {}
        self.constants = self.head = self.body = ""
        self.parameters: list[str] = []

    @property
    def length(self) -> int:
        """Characters, about."""
        return len(self.head) + len(self.body)

    def text(self, linkage: str = "internal") -> str:
        """The function as LLVM reads it."""
        assert self.returns is not None
        start = f"define {linkage} {returned(self.returns)} @{self.name}"
        rest = f"({', '.join(self.parameters)}) nounwind {{\n{self.body}\n}}\n"
        return self.constants + self.head + start + rest

    def declaration(self) -> str:
        """What a module has that calls it, but not its text."""
        assert self.returns is not None
        kinds = (parameter.rpartition(" ")[0] for parameter in self.parameters)
        return f"declare {returned(self.returns)} @{self.name}({', '.join(kinds)})"


def returned(kind: Type) -> str:
    """LLVM's type of what a function returns."""
    irs = flat(kind)
    if not irs or is_returned_in_memory(kind):
        return "void"
    return irs[0] if len(irs) == 1 else "{ " + ", ".join(irs) + " }"


def is_returned_in_memory(kind: Type) -> bool:
    """Whether a function writes its result to a place that it is given."""
    return len(flat(kind)) > IN_REGISTERS


def call(e: Expressions, written: Written, values: list[TypedValue]) -> TypedValue:
    """Call a written function."""
    arguments = ["ptr %arena"]
    for value in values:
        irs = flat(value.type)
        if len(irs) > WIDE:
            arguments.append(f"ptr {_home(e, value)}")
        else:
            arguments += [f"{ir} {p}" for ir, p in zip(irs, value.parts, strict=True)]
    kind = written.returns
    assert kind is not None
    e.takes = e.takes or written.leaves
    irs = flat(kind)
    if is_returned_in_memory(kind):
        result = e.in_one_piece(kind, "result")
        assert result.home is not None
        e.put(f"call void @{written.name}({', '.join([*arguments, f'ptr {result.home}'])})")
        return e.load(result)
    text = f"call {returned(kind)} @{written.name}({', '.join(arguments)})"
    if not irs:
        e.put(text)
        return TypedValue(kind, ())
    whole = e.op(text)
    if len(irs) == 1:
        return TypedValue(kind, (whole,))
    parts = [e.op(f"extractvalue {returned(kind)} {whole}, {k}") for k in range(len(irs))]
    return TypedValue(kind, tuple(parts))


def _home(e: Expressions, value: TypedValue) -> str:
    """A wide value in memory."""
    if value.home is not None:
        return value.home
    variable = e.stack(value.type, "wide")
    e.store(value, variable)
    assert variable.home is not None
    return variable.home
