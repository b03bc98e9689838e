"""Models, and constraint sets, from Lua and URDF files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import suggestion
from ..model import Fixed, FloatingBase, Link
from .constraints import ConstraintSet
from .errors import RBDLFileParseError
from .filling import Path_, add_links, fill, path_text, read_core
from .model import UINT_MAX, Model
from .spatial import SpatialTransform
from .vocabulary import described

_EMPTY = "Model", "An empty model, to be filled."


@described(
    "model", kwargs=("any", "Options of `polhode.load`; others are ignored, with a warning.")
)
def loadModel(
    filename: Path_, verbose: bool = False, floating_base: bool = False, **kwargs: Any
) -> Model:
    """Read a model from a ``.lua`` or ``.urdf`` file.

    Raises
    ------
    RBDLInvalidFileError
        If the file cannot be opened, or is of another kind.
    RBDLFileParseError
        If it is wrong; with file and line.
    """
    model = Model()
    fill(model, filename, verbose=verbose, floating_base=floating_base, **kwargs)
    return model


@described("done", model=_EMPTY)
def LuaModelReadFromFile(filename: Path_, model: Model, verbose: bool = False) -> bool:
    """Read a Lua file into an empty model; return True."""
    fill(model, filename, verbose=verbose)
    return True


@described("done", model=_EMPTY)
def URDFReadFromFile(
    filename: Path_, model: Model, floating_base: bool = False, verbose: bool = False
) -> bool:
    """Read a URDF file into an empty model; return True."""
    fill(model, filename, verbose=verbose, floating_base=floating_base)
    return True


@described("done", model=_EMPTY)
def PartialURDFReadFromFile(
    filename: Path_, model: Model, root_link: str,
    tip_links: Sequence[str] = (), floating_base: bool = False, verbose: bool = False,
) -> bool:  # fmt: skip
    """Read the links between ``root_link`` and ``tip_links``, or all beyond the root if none.

    Raises
    ------
    RBDLFileParseError
        As `loadModel` does, and if there is no such link beyond the root.
    """
    core = read_core(filename)
    parents = {link.name: link.parent for link in core.links}
    if root_link not in parents:
        raise RBDLFileParseError(f"no link '{root_link}' for a root", path_text(filename))

    def way(name: str | None) -> set[str] | None:
        found: set[str] = set()
        while name is not None and name != root_link:
            found.add(name)
            name = parents[name]
        return None if name is None else found

    wanted: set[str] = set()
    for tip in tip_links or parents:
        beyond = way(tip) if tip in parents else None
        if beyond is not None:
            wanted |= beyond
        elif tip_links:
            raise RBDLFileParseError(
                f"no link '{tip}' beyond '{root_link}' for a tip", path_text(filename)
            )
    root = next(link for link in core.links if link.name == root_link)
    base = Link(root_link, None, FloatingBase() if floating_base else Fixed(), body=root.body)
    add_links(model, [base, *(link for link in core.links if link.name in wanted)], core)
    return True


@described("done", model=_EMPTY)
def LuaModelReadFromFileWithConstraints(
    filename: Path_, model: Model, constraint_sets: Sequence[ConstraintSet],
    constraint_set_names: Sequence[str], verbose: bool = False,
) -> bool:  # fmt: skip
    """Read a Lua file into an empty model, and named constraint sets into empty sets; return True.

    The sets are bound to the model.  ``normal_acceleration`` of contacts is honoured, as RBDL's
    manual says; stabilization is on where the file enables it.

    Raises
    ------
    RBDLFileParseError
        As `loadModel` does.  Also for a set that is not in the file, for other numbers of names
        than of sets, and for a constraint without a direction.
    """
    if len(constraint_sets) != len(constraint_set_names):
        raise RBDLFileParseError(
            f"expected as many constraint sets as names, got {len(constraint_sets)} sets and "
            f"{len(constraint_set_names)} names",
            path_text(filename),
        )
    core = read_core(filename)
    declared = core.constraint_sets
    for name in constraint_set_names:
        if name not in declared:
            hint = suggestion(name, declared)
            raise RBDLFileParseError(f"no constraint set '{name}'{hint}", path_text(filename))
    add_links(model, core.links, core)
    for constraints, name in zip(constraint_sets, constraint_set_names, strict=True):
        for record in declared[name]:
            _add_constraint(constraints, record, model, f"{path_text(filename)}: set '{name}'")
        constraints.Bind(model)
    if verbose:
        print(core.hierarchy())
    return True


def _add_constraint(constraints: ConstraintSet, record: Any, model: Model, where: str) -> None:
    """Add a row of a file; one without a direction would silently do nothing."""
    number = UINT_MAX if record.id is None else record.id
    kind = "normal" if hasattr(record, "normal") else "axis"
    if not any(getattr(record, kind)):
        raise RBDLFileParseError(f"{where}: constraint '{record.name}' has no {kind}, or zero")
    if kind == "normal":
        constraints.AddContactConstraint(
            model.GetBodyId(record.body), record.point, record.normal, record.name, number,
            normal_acceleration=record.normal_acceleration,
        )  # fmt: skip
        constraints.number_set(record.id)
        return
    ends = [SpatialTransform(X.E.T.rows(), list(X.r))
            for X in (record.predecessor_frame, record.successor_frame)]  # fmt: skip
    time = record.stabilization
    constraints.AddLoopConstraint(
        model.GetBodyId(record.predecessor), model.GetBodyId(record.successor), ends[0], ends[1],
        record.axis, time is not None, time or 0.1, record.name, number,
    )  # fmt: skip
    constraints.number_set(record.id)
