"""Docstrings whose sections come from tables: what a name means is written once for a package."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Entry = tuple[str, str]
"""The type of a value, or the shape of an array in brackets; and what it is."""

_LATER = ("Returns", "Raises", "Warns", "Notes", "Examples")


@dataclass(frozen=True)
class Vocabulary:
    """What the parameters and results of a package's functions are, by name; called, a decorator.

    Attributes
    ----------
    parameters : mapping of str to (str, str)
        Type, or shape of an array; and meaning.
    results : mapping of str to (str, str)
        The same of results that are not parameters too, or mean something else there.
    """

    parameters: Mapping[str, Entry]
    results: Mapping[str, Entry]

    def __call__(
        self, returns: str = "", out: str = "", /, **own: Entry
    ) -> Callable[[Function], Function]:
        """Give a function's docstring the sections of parameters and results that it lacks.

        Parameters
        ----------
        returns : str
            Names of the results, with blanks between; those of ``out`` if omitted.
        out : str
            Names of the parameters that are filled, with blanks between.
        **own : (str, str)
            Parameters that mean something of their own in this function.
        """

        def decorate(function: Function) -> Function:
            doc = inspect.cleandoc(function.__doc__ or "")
            starts = [doc.find(f"\n\n{section}\n---") for section in _LATER]
            end = min((k for k in starts if k >= 0), default=len(doc))
            parts, later = [doc[:end]], doc[end:].strip("\n")
            if "Parameters\n---" not in doc:
                parts += self._parameters(function, out.split(), own)
            if "Returns\n---" not in doc:
                parts += _section("Returns", map(self._result, (returns or out).split()))
            function.__doc__ = "\n\n".join([*parts, later]).rstrip() + "\n"
            return function

        return decorate

    def _parameters(
        self, function: Callable[..., Any], out: list[str], own: Mapping[str, Entry]
    ) -> list[str]:
        known, entries = {**self.parameters, **own}, []
        for name, parameter in inspect.signature(function).parameters.items():
            if name in ("self", "cls"):
                continue
            kind, text = known[name]
            if kind.startswith("("):
                kind = f"{'ndarray' if name in out else 'array_like'}, shape {kind}"
                kind += ", optional" if parameter.default is None else ""
            stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
            shown = stars.get(parameter.kind, "") + name
            entries.append(_entry(shown, kind, f"Filled: {text}" if name in out else text))
        return _section("Parameters", entries)

    def _result(self, name: str) -> str:
        kind, text = self.results.get(name) or self.parameters[name]
        return _entry(name, f"ndarray, shape {kind}" if kind.startswith("(") else kind, text)


def _entry(name: str, kind: str, text: str) -> str:
    return f"{name} : {kind}\n    {text}"


def _section(title: str, entries: Any) -> list[str]:
    lines = list(entries)
    return ["\n".join([title, "-" * len(title), *lines])] if lines else []
