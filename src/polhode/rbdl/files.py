"""Models, and constraint sets, from Lua and URDF files."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from typing import Any

from ..errors import ModelError, ParseError, suggestion
from ..formats import read
from ..formats.load import READERS
from ..model import Fixed, FloatingBase, Link
from ..model import Model as CoreModel
from .body import Body
from .constraints import ConstraintSet
from .errors import RBDLError, RBDLFileParseError, RBDLInvalidFileError, ignored
from .joint import Joint, JointType
from .model import UINT_MAX, Model
from .spatial import SpatialTransform

Path_ = str | bytes | os.PathLike[str]


def loadModel(
    filename: Path_, verbose: bool = False, floating_base: bool = False, **kwargs: Any
) -> Model:
    """Read a model from a ``.lua`` or ``.urdf`` file.

    Parameters
    ----------
    filename : path
    verbose : bool
        Print the hierarchy.
    floating_base : bool
        Give the root link of a URDF six degrees of freedom.
    **kwargs
        Further options of `polhode.load`; others are ignored, with a warning.

    Returns
    -------
    model : Model
        The machine.

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


def LuaModelReadFromFile(filename: Path_, model: Model, verbose: bool = False) -> bool:
    """Read a Lua file into an empty model; return True.

    Parameters
    ----------
    filename : str
        Path of the file.
    model : Model
        An empty model, to be filled.
    verbose : bool
        Whether to print the hierarchy.

    Returns
    -------
    done : bool
        True; what goes wrong is an error.
    """
    fill(model, filename, verbose=verbose)
    return True


def URDFReadFromFile(
    filename: Path_, model: Model, floating_base: bool = False, verbose: bool = False
) -> bool:
    """Read a URDF file into an empty model; return True.

    Parameters
    ----------
    filename : str
        Path of the file.
    model : Model
        An empty model, to be filled.
    floating_base : bool
        Whether the root link floats.
    verbose : bool
        Whether to print the hierarchy.

    Returns
    -------
    done : bool
        True; what goes wrong is an error.
    """
    fill(model, filename, verbose=verbose, floating_base=floating_base)
    return True


def PartialURDFReadFromFile(
    filename: Path_,
    model: Model,
    root_link: str,
    tip_links: Sequence[str] = (),
    floating_base: bool = False,
    verbose: bool = False,
) -> bool:
    """Read the links between ``root_link`` and ``tip_links``, or all beyond the root if none.

    Parameters
    ----------
    filename : str
        Path of the file.
    model : Model
        An empty model, to be filled.
    root_link : str
        Name of the link to begin with.
    tip_links : sequence of str
        Names of the links to end with.
    floating_base : bool
        Whether the root link floats.
    verbose : bool
        Whether to print the hierarchy.

    Returns
    -------
    done : bool
        True; what goes wrong is an error.

    Raises
    ------
    RBDLFileParseError
        As `loadModel` does, and if there is no such link beyond the root.
    """
    core = _read(filename)
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
    _add_links(model, [base, *(link for link in core.links if link.name in wanted)], core)
    return True


def LuaModelReadFromFileWithConstraints(
    filename: Path_,
    model: Model,
    constraint_sets: Sequence[ConstraintSet],
    constraint_set_names: Sequence[str],
    verbose: bool = False,
) -> bool:
    """Read a Lua file into an empty model, and named constraint sets into empty sets; return True.

    The sets are bound to the model.  ``normal_acceleration`` of contacts is honoured, as RBDL's
    manual says; stabilization is on where the file enables it.

    Parameters
    ----------
    filename : str
        Path of the file.
    model : Model
        An empty model, to be filled.
    constraint_sets : sequence of ConstraintSet
        Empty sets, to be filled.
    constraint_set_names : sequence of str
        Names of sets in the file.
    verbose : bool
        Whether to print the hierarchy.

    Returns
    -------
    done : bool
        True; what goes wrong is an error.

    Raises
    ------
    RBDLFileParseError
        As `loadModel` does, for a set that is not in the file, for other numbers of names than
        of sets, and for a constraint without a direction.
    """
    if len(constraint_sets) != len(constraint_set_names):
        raise RBDLFileParseError(
            f"expected as many constraint sets as names, got {len(constraint_sets)} sets and "
            f"{len(constraint_set_names)} names",
            path_text(filename),
        )
    core = _read(filename)
    declared = dict(core.constraint_sets)
    for name in constraint_set_names:
        if name not in declared:
            hint = suggestion(name, declared)
            raise RBDLFileParseError(f"no constraint set '{name}'{hint}", path_text(filename))
    _add_links(model, core.links, core)
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


def fill(model: Model, filename: Path_, *, verbose: bool = False, **options: Any) -> None:
    """Read a file into an empty model; options that do not apply are ignored with a warning."""
    if len(model.mBodies) > 1 or model.mFixedBodies:
        raise RBDLError("expected an empty model to read a file into, got one with bodies")
    known = inspect.signature(read).parameters
    ignored("loadModel", options.keys() - known.keys(), "it has no such option", depth=4)
    if options.get("floating_base") and path_text(filename).lower().endswith(".lua"):
        why = "a Lua file says itself how its first body moves"
        ignored("loadModel", ["floating_base"], why, depth=4)
        options["floating_base"] = False
    core = _read(filename, **{key: options[key] for key in options if key in known})
    _add_links(model, core.links, core)
    if verbose:
        print(core.hierarchy())


def path_text(filename: Path_) -> str:
    return os.fsdecode(filename)


def _read(filename: Path_, **options: Any) -> CoreModel:
    text = path_text(filename)
    if not text.lower().endswith(READERS):
        raise RBDLInvalidFileError(f"expected a file that ends in {' or '.join(READERS)}", text)
    try:
        return read(text, **options).warn(stacklevel=4)
    except ParseError as error:
        raise RBDLFileParseError(error.message, error.file, error.line) from None
    except FileNotFoundError as error:
        raise RBDLInvalidFileError(f"cannot open '{text}': {error}") from None
    except ModelError as error:
        raise RBDLError(str(error)) from None


def _add_links(model: Model, links: Sequence[Link], core: CoreModel) -> None:
    """Add links, with RBDL's joints; a free joint inside a URDF becomes its two bodies."""
    model.gravity = [float(x) for x in core.gravity.lin]
    for link in links:
        parent = 0 if link.parent is None else model.GetBodyId(link.parent)
        joint, body = Joint.of(link.joint), Body.of(link.body)
        frame = SpatialTransform.of(link.frame)
        if isinstance(link.joint, FloatingBase) and link.parent is not None:
            slide = Joint(JointType.JointTypeTranslationXYZ)
            parent = model.AddBody(parent, frame, slide, Body(), f"{link.name}_Translate")
            joint, frame = Joint(JointType.JointTypeEulerXYZ), SpatialTransform()
        model.AddBody(parent, frame, joint, body, link.name)
