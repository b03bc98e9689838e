"""What a constraint set is made of: one record for each constraint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..arguments import as_items
from ..errors import ModelError, shown
from ..model import Model, PerBody
from ..model.records import Triple
from ..reprs import short_repr
from ..spatial import Transform

Six = tuple[float, float, float, float, float, float]
Place = tuple[str, *tuple[object, ...]]


@dataclass(frozen=True)
class Contact:
    """A point of a body that moves along a normal only as told.

    Attributes
    ----------
    body : int
    point : three numbers
        In body coordinates [m].
    normal : three numbers
        In base coordinates; not made a unit vector.
    name : str
    normal_acceleration : float
        Wanted along the normal [m/s^2].
    ground : three numbers or None
        A point of the plane, in base coordinates, that the body's point shall stay in.
        Without one the position error is zero wherever the body is.
    stabilization : float or None
        Baumgarte's time constant [s]; None for no stabilization.
    id : int or None
        The user's number; rows of different numbers belong to different groups.
    """

    body: int
    point: Triple
    normal: Triple
    name: str = ""
    normal_acceleration: float = 0.0
    ground: Triple | None = None
    stabilization: float | None = None
    id: int | None = None

    __repr__ = short_repr

    n_rows: ClassVar[int] = 1

    @property
    def place(self) -> Place:
        """Constraints that follow each other with equal places share a group."""
        return "contact", self.body, self.point, self.id


@dataclass(frozen=True)
class Loop:
    """Two frames, one on each body, that do not move against each other along an axis.

    Attributes
    ----------
    predecessor, successor : int
        Bodies.
    X_predecessor, X_successor : Transform
        From body to constraint-frame coordinates.
    axis : six numbers
        Angular, then linear, in the predecessor's constraint frame.
    name : str
    stabilization : float or None
        Baumgarte's time constant [s]; None for no stabilization.
    id : int or None
        The user's number, as of a contact.
    """

    predecessor: int
    successor: int
    X_predecessor: Transform
    X_successor: Transform
    axis: Six
    name: str = ""
    stabilization: float | None = None
    id: int | None = None

    __repr__ = short_repr

    n_rows: ClassVar[int] = 1

    @property
    def place(self) -> Place:
        """Constraints that follow each other with equal places share a group."""
        frames = self.X_predecessor, self.X_successor
        return "loop", self.predecessor, self.successor, *frames, self.id, self.stabilization


@dataclass(frozen=True)
class Custom:
    """Rows given by the user.

    Attributes
    ----------
    n_rows : int
    function : callable
        ``function(model, q, qd) -> (G, gamma, error)`` for ``G qdd = gamma``: rows of ``nv``
        scalars each, one right-hand side and one position error for each row.  It is
        written with `polhode.spatial` and `polhode.scalar`; ``q`` and ``qd`` map bodies to
        tuples, as in every algorithm.
    name : str
    stabilization : float or None
        Baumgarte's time constant [s]; None for no stabilization.
    """

    n_rows: int
    function: Callable[..., tuple[Any, Any, Any]] = field(repr=False)
    name: str = ""
    stabilization: float | None = None

    @property
    def place(self) -> Place:
        """No two custom constraints share a group."""
        return ("custom", id(self))

    def rows(
        self, model: Model, q: PerBody, qd: PerBody
    ) -> tuple[list[list[Any]], list[Any], list[Any]]:
        """Return what the function has at a state: ``G``, ``gamma`` and ``error``.

        Parameters
        ----------
        model : Model
        q, qd : dict of int to tuple of scalars
            Positions and velocities by body.

        Returns
        -------
        G : list of list of scalars
            ``n_rows`` rows of ``nv``.
        gamma, error : list of scalars
            One for each row.

        Raises
        ------
        ModelError
            If they are not as many rows, or rows have not ``nv`` scalars.
        """
        where = f" (constraint '{self.name}', model '{model.name}')"
        result = self.function(model, q, qd)
        if not isinstance(result, (tuple, list)) or len(result) != 3:
            raise ModelError(
                f"expected (G, gamma, error) from the function, got {shown(result)}{where}"
            )
        parts = zip(("G", "gamma", "error"), result, strict=True)
        G, gamma, error = (as_items(name, x, "rows", where) for name, x in parts)
        G = [as_items("each row of G", row, "scalars", where) for row in G]
        sizes = {"G": len(G), "gamma": len(gamma), "error": len(error)}
        for name, size in sizes.items():
            if size != self.n_rows:
                raise ModelError(f"expected n_rows = {self.n_rows} in {name}, got {size}{where}")
        for row in G:
            if len(row) != model.nv:
                raise ModelError(
                    f"expected nv = {model.nv} scalars in each row of G, got {len(row)}{where}"
                )
        return G, gamma, error


Constraint = Contact | Loop | Custom


@dataclass(frozen=True)
class Group:
    """Rows of a set that act at the same place.

    Attributes
    ----------
    name : str
        That of its first constraint.
    kind : str
        ``"contact"``, ``"loop"`` or ``"custom"``.
    rows : slice
        Where they are among the rows of the set.
    constraints : tuple
    """

    name: str
    kind: str
    rows: slice
    constraints: tuple[Constraint, ...]

    @property
    def stabilization(self) -> float | None:
        """Baumgarte's time constant [s] of its first constraint."""
        return self.constraints[0].stabilization

    def __len__(self) -> int:
        return self.rows.stop - self.rows.start
