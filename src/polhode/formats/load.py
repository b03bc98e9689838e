"""One function for reading model files: the suffix decides which reader is asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from ..arrays import Numbers
from ..errors import ModelError, suggestion, suggests_options
from ..files.reading import path_text
from .descriptions import described, is_description
from .names import shorten
from .reading import Reading

READERS = (".urdf", ".lua")
SCENES = (".xml", ".mjcf", ".sdf", ".osim")
_FLOATING_IN_MOBY = "the attribute floating-base of each articulated body says whether it floats"
Functions = Mapping[str, Callable[..., Any]]


@suggests_options
def load(
    path: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    gravity: Numbers | None = None,
    name: str | None = None,
    mimic: str = "independent",
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
    trusted: bool = False,
    plugins: Functions | None = None,
    strict: bool = True,
    soft_contacts: bool = False,
) -> Any:
    """Read a model from a URDF or an RBDL Lua file, a scene from MJCF, Moby XML, SDF or OpenSim.

    Parameters
    ----------
    path : path
        A file whose name ends in ``.urdf``, ``.xacro`` or ``.lua``, or in ``.xml`` (MJCF or
        Moby), ``.mjcf``, ``.sdf`` or ``.osim``.  Or the name of a robot such as
        ``"panda_description"``, if the package ``robot_descriptions`` is installed, which downloads
        it.
    floating_base : bool
        Give the root link six degrees of freedom instead of fixing it.  A Lua model mostly says
        itself how its first body moves; one that does cannot be set free again.
    gravity : three numbers, optional
        Instead of the file's [m/s^2].  Without it a Lua file with none gets RBDL's
        ``(0, -9.81, 0)``, a URDF, SDF or MJCF ``(0, 0, -9.81)``, an OpenSim file
        ``(0, -9.80665, 0)``, a Moby scene none.
    name : str, optional
        Name of the model or scene; otherwise the robot's name in a URDF, or the file's.
    mimic : "independent" or "coupled"
        What mimic joints of a URDF or an SDF are.  Independent: they have coordinates of their own,
        and the relation is kept in ``link.mimic``.  Coupled: they move with those that they follow.
        So do then gears within a model of a Moby scene or an SDF, and equalities of joints in an
        MJCF.
    snap_angles : True, "digits" or False
        Whether angles that equal a multiple of pi/2 to their last digit are read as that multiple.
        They need at least nine decimals for True, three for ``"digits"``.
    package_roots : sequence of paths
        Folders in which ``package://``, ``model://`` and relative mesh names are looked for.  Only
        files in them and in the folder of the file itself are read.  Packages are also found above
        the file, and in the folders of ``ROS_PACKAGE_PATH``, ``AMENT_PREFIX_PATH``,
        ``GZ_SIM_RESOURCE_PATH`` and ``GAZEBO_MODEL_PATH``.
    trusted : bool
        Run a Lua file in this process with the whole language, without limits.  A xacro file needs
        it, and the package ``xacro``: it evaluates Python and includes files from anywhere.
    plugins : mapping of str to callable, optional
        Python functions of a scene: controllers by the names of models, ``"forces"``,
        ``"contact-filter"``, and what takes the place of C++ plug-ins that a Moby scene names.
    strict : bool
        Refuse what Moby's manual leaves undefined, such as a primitive with both mass and
        density.  False takes what Moby took, and says so.
    soft_contacts : bool
        Whether contacts of an MJCF file are springs and dampers, from its ``solref`` and
        ``solimp``, instead of being rigid.

    Returns
    -------
    Model or Scene

    Raises
    ------
    FileNotFoundError
        If there is no such file; says which names are near.
    ParseError
        For everything that is wrong in the file, with file and line.
    ModelError
        For a wrong option or an unknown kind of file.

    Notes
    -----
    Everything in the file that is not in the model, or is probably not meant, is told in one
    `ModelWarning`; ``polhode.formats.read`` returns those notes instead.
    """
    reading = read(
        path,
        floating_base=floating_base,
        gravity=gravity,
        name=name,
        mimic=mimic,
        snap_angles=snap_angles,
        package_roots=package_roots,
        trusted=trusted,
        plugins=plugins,
        strict=strict,
        soft_contacts=soft_contacts,
    )
    return reading.warn(stacklevel=3)  # one for what checks the options


def read(
    path: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    gravity: Numbers | None = None,
    name: str | None = None,
    mimic: str = "independent",
    snap_angles: bool | str = True,
    package_roots: Sequence[str | os.PathLike[str]] = (),
    trusted: bool = False,
    plugins: Functions | None = None,
    strict: bool = True,
    soft_contacts: bool = False,
) -> Reading[Any]:
    """Read as `load` does, but return the model together with the notes, and warn of nothing."""
    path, package_roots, trusted = located(path, package_roots, trusted=trusted)
    _check_gravity(gravity)
    check_choice("floating_base", floating_base, (True, False))
    check_choice("mimic", mimic, ("independent", "coupled"))
    check_choice("snap_angles", snap_angles, (True, False, "digits"))
    check_choice("soft_contacts", soft_contacts, (True, False))
    if soft_contacts and not _is_mjcf(path):
        raise ModelError(f"soft_contacts is for MJCF files, got '{path}'")
    suffix = Path(path).suffix.lower()
    if plugins and suffix in (".urdf", ".xacro", ".lua"):
        raise ModelError(f"plugins are for scenes, got the file of a model: '{path}'")
    match suffix:
        case ".urdf" | ".xacro":
            from . import urdf

            return urdf.read(
                path,
                floating_base=floating_base,
                gravity=gravity,
                name=name,
                mimic=mimic,
                snap_angles=snap_angles,
                package_roots=package_roots,
                trusted=trusted,
            )
        case ".lua":
            from . import lua

            reading = lua.read(path, gravity=gravity, name=name, trusted=trusted)
            return replace(reading, model=reading.model.float()) if floating_base else reading
        case ".xml" | ".mjcf" | ".sdf":
            from . import mjcf, moby, sdf

            common = {"gravity": gravity, "name": name, "snap_angles": snap_angles,
                      "package_roots": package_roots}  # fmt: skip
            if _is_mjcf(path):
                _refuse_floating(path, floating_base, "the joints of each body say what floats")
                scene = mjcf.read(path, **common, soft_contacts=soft_contacts)
                return _driven(_coupled(scene, mimic), plugins)
            _refuse_floating(path, floating_base, _FLOATING_IN_MOBY)
            if suffix == ".sdf":
                return _driven(_coupled(sdf.read(path, **common, mimic=mimic), mimic), plugins)
            return _coupled(moby.read(path, **common, plugins=plugins, strict=strict), mimic)
        case ".osim":
            from . import osim

            _refuse_floating(path, floating_base, "the joints of each body say what floats")
            scene = osim.read(path, gravity=gravity, name=name)
            return _driven(_coupled(scene, mimic), plugins)
        case _:
            raise unknown_suffix(path, suffix)


def _coupled(reading: Reading[Any], mimic: str) -> Reading[Any]:
    """A scene whose gears within models are coupled joints, if that is wanted."""
    if mimic != "coupled":
        return reading
    from ..scene.coupled import coupled_gears

    return replace(reading, model=coupled_gears(reading.model))


def _driven(reading: Reading[Any], functions: Functions | None) -> Reading[Any]:
    """A scene with its functions."""
    if not functions:
        return reading
    from ..scene.plugins import with_functions

    return replace(reading, model=with_functions(reading.model, functions))


class Located(NamedTuple):
    """A file, where its packages may be, and whether it may do anything."""

    path: str
    package_roots: list[str]
    trusted: bool


def located(
    path: str | os.PathLike[str], package_roots: Sequence[str | os.PathLike[str]], *, trusted: bool
) -> Located:
    """The file of a path, or of the name of a robot that ``robot_descriptions`` knows."""
    path, roots = path_text(path), _folders(package_roots)
    if not is_description(path):
        return Located(path, roots, trusted)
    path, own_roots = described(path)
    return Located(path, [*roots, *own_roots], True)


def unknown_suffix(path: str | os.PathLike[str], suffix: str) -> ModelError:
    """The error for a file of no known kind."""
    every = (*READERS, *SCENES)
    known = f"{', '.join(every[:-1])} or {every[-1]}"
    hint = suggestion(suffix, every)
    if suffix in (".npz", ".h5"):
        hint = "; polhode.Recording.load reads recordings"
    return ModelError(f"expected a file name that ends in {known}, got '{path}'{hint}")


def _is_mjcf(path: str) -> bool:
    from . import mjcf, xml

    suffix = Path(path).suffix.lower()
    return suffix == ".mjcf" or (suffix == ".xml" and xml.root_tag(path) in mjcf.ROOTS)


def _refuse_floating(path: str | os.PathLike[str], floating_base: bool, instead: str) -> None:
    if floating_base:
        raise ModelError(f"floating_base is for models; in '{path}' {instead}")


def check_choice(option: str, value: object, known: tuple[object, ...]) -> None:
    """Refuse a value of an option that is none of the known ones."""
    if any(value is k or (_is_text(k) and value == k) for k in known):
        return
    hint = suggestion(value, filter(_is_text, known)) if isinstance(value, str) else ""
    expected = " or ".join(map(repr, known))
    raise ModelError(f"expected {option} = {expected}, got {shorten(repr(value))}{hint}")


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _check_gravity(gravity: Numbers | None) -> None:
    if gravity is None:
        return
    try:
        if len([float(x) for x in gravity]) == 3:
            return
    except (TypeError, ValueError, OverflowError):
        pass
    raise ModelError(f"expected gravity = three numbers, got {shorten(repr(gravity))}")


def _folders(roots: Sequence[str | os.PathLike[str]]) -> list[str]:
    try:
        if not isinstance(roots, (str, bytes)):
            return [path_text(root) for root in roots]
    except TypeError:
        pass
    found = shorten(repr(roots))
    raise ModelError(f"expected package_roots = a list of folders, got {found}")
