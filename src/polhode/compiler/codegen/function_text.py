"""The text of one function of LLVM while it is written: names, blocks, branches, the stack."""

from __future__ import annotations


class FunctionText:
    """The blocks of one function in order, and the one that is being written."""

    def __init__(self) -> None:
        self.blocks: dict[str, list[str]] = {"entry": []}
        self.places: list[str] = []  # the stack, at the function's start
        self.here: str | None = "entry"  # None: what comes now is never reached
        self._names = 0

    def name(self, stem: str = "v") -> str:
        """A new name of a value."""
        return f"%{self.label(stem)}"

    def put(self, text: str) -> None:
        """Add an instruction without a result."""
        if self.here is not None:
            self.blocks[self.here].append(text)

    def op(self, text: str, stem: str = "v") -> str:
        """Add an instruction; the name of its result."""
        name = self.name(stem)
        self.put(f"{name} = {text}")
        return name

    def label(self, stem: str) -> str:
        """The label of a block that will stand where it is entered."""
        self._names += 1
        return f"{stem}.{self._names}"

    def block(self, stem: str) -> str:
        """The label of a new block, which stands after those that there are."""
        label = self.label(stem)
        self.blocks[label] = []
        return label

    def enter(self, label: str | None) -> None:
        """Go on writing in a block; in none where nothing is reached."""
        self.here = label
        if label is not None:
            self.blocks.setdefault(label, [])

    def jump(self, label: str) -> None:
        """Leave the block for another."""
        self.put(f"br label %{label}")
        self.here = None

    def branch(self, condition: str, yes: str, no: str, *more: str) -> None:
        """Leave the block for one of two; ``more`` is what LLVM is to know of that."""
        self.put(", ".join([f"br i1 {condition}", f"label %{yes}", f"label %{no}", *more]))
        self.here = None

    def leave(self, result: str = "void") -> None:
        """Return from the function."""
        self.put(f"ret {result}")
        self.here = None

    def body(self) -> str:
        """The text of all blocks."""
        lines = []
        for label, block in self.blocks.items():
            lines.append(f"{label}:")
            lines += [f"  {text}" for text in (self.places if label == "entry" else [])]
            lines += [f"  {text}" for text in block]
        return "\n".join(lines)
