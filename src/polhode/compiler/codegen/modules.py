"""The functions of a program in modules: all in one, or in several that call each other.

LLVM compiles several side by side while the next is written (see `side_by_side`).  Machine code of
a function does not depend on which others are in its module: none is inlined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from .literals import bytes_text
from .llvm import declarations
from .machine import Format

PART = 1 << 19  # characters of a module of several, of which LLVM takes a fifth of a second
_NAME = re.compile(r"@(\w+)")


@dataclass(slots=True)
class _Module:
    """Functions of one module.

    Attributes
    ----------
    functions : dict
        Their text by name.
    needs : set of str
        Names that they refer to.
    length : int
        Characters.
    """

    functions: dict[str, str] = field(default_factory=dict)
    needs: set[str] = field(default_factory=set)
    length: int = 0


class Modules:
    """Sorts functions into modules.

    Parameters
    ----------
    form : Format
    give : callable, optional
        Takes each module that is full, but for the last.  Without it all is in one module.
    """

    def __init__(self, form: Format, give: Callable[[str], object] | None = None):
        self.form: Format = form
        self.linkage: str = "internal " if give is None else "hidden "
        self._give = give
        self._parameters: dict[str, str] = {}
        self._constants: dict[str, bytes] = {}
        self._module = _Module()
        self._were_given = False

    def add(self, name: str, text: str, parameters: str, needs: Iterable[str] = ()) -> None:
        """Add a function: its text, the types of its parameters, and names that it refers to."""
        module = self._module
        module.functions[name] = text
        module.needs.update(needs)
        module.length += len(text)
        self._parameters[name] = parameters
        if self._give is not None and module.length >= PART:
            self._were_given = True
            self._give(self._text(module, self._referred(module)))
            self._module = _Module()

    def add_caller(self, name: str, text: str, parameters: str) -> None:
        """Add a function that refers to functions and constants of the program."""
        self.add(name, text, parameters, _NAME.findall(text))

    def constant(self, name: str, data: bytes) -> None:
        """Add constant bytes, which are in the last module."""
        self._constants[name] = data

    def last(self) -> str:
        """The module of what is left, and of all constants."""
        linkage = "" if self._were_given else "internal "
        found = [f"@{name} = {linkage}constant {bytes_text(data)}, align 64"
                 for name, data in self._constants.items()]  # fmt: skip
        return self._text(self._module, found)

    def _referred(self, module: _Module) -> list[str]:
        """Declarations of the constants that a module refers to."""
        needs = sorted(module.needs & self._constants.keys())
        return [f"@{name} = external constant [{len(self._constants[name])} x i8], align 64"
                for name in needs]  # fmt: skip

    def _text(self, module: _Module, constants: Iterable[str]) -> str:
        elsewhere = sorted(module.needs & self._parameters.keys() - module.functions.keys())
        called = [f"declare void @{name}({self._parameters[name]})" for name in elsewhere]
        return "\n".join([declarations(self.form), *called, *module.functions.values(), *constants])
