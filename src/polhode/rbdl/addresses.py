"""The arguments of RBDL's wrapper that are addresses in memory; there are none here."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NoReturn

from .errors import RBDLMissingImplementationError


def refuse_address(address: Any, kind: str) -> None:
    """Raise an error unless ``address`` is 0 or None, which stand for a new object."""
    if address is None or (isinstance(address, Integral) and address == 0):
        return
    raise RBDLMissingImplementationError(
        f"expected 0 or None as the address of a {kind}, got {address!r}: objects of polhode are "
        "values, none is made from a pointer"
    )


class Pointerless:
    """Has the names by which RBDL's wrapper makes an object from a pointer, to refuse them."""

    @classmethod
    def fromPointer(cls, address: Any) -> NoReturn:
        """Refuse an address.

        Parameters
        ----------
        address : int
            Where an object of C++ lies.

        Raises
        ------
        RBDLMissingImplementationError
            Always: objects of polhode are values.
        """
        raise RBDLMissingImplementationError(
            f"expected values to make a {cls.__name__} of, got the address {address!r}: objects "
            "of polhode are values, none is made from a pointer"
        )

    def __reduce_cython__(self) -> NoReturn:
        raise RBDLMissingImplementationError(
            f"pickle a {type(self).__name__} as any Python object: there is no pointer in it"
        )

    def __setstate_cython__(self, state: Any) -> NoReturn:
        self.__reduce_cython__()
