"""The models that are measured, and where their files are."""

from __future__ import annotations

import os
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ..errors import ModelError, ModelWarning, suggestion
from ..formats import load
from ..model import Model

_ROBOTS = "cmeel.prefix/share/example-robot-data/robots"
_WHEEL = {  # name: file in the example-robot-data wheel, floating base
    "panda": ("panda_description/urdf/panda.urdf", False),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True),
    "talos_reduced": ("talos_data/robots/talos_reduced.urdf", True),
}
_FOLDER = ("arm7", "humanoid30_quaternion")
_SHIPPED = {"arm": "arm.urdf", "walker": "walker.lua"}


@dataclass(frozen=True)
class Subject:
    """A model to measure."""

    name: str
    model: Model
    path: str
    floating: bool


def subjects(names: list[str] | None, peers: bool) -> Iterator[Subject]:
    """The models asked for; by default the shipped ones, or with peers the standard set.

    Raises
    ------
    ModelError
        For an unknown name, or a file that is not at hand.
    """
    chosen = names or [*_WHEEL, *(_FOLDER if _folder() else ())] if peers else names or [*_SHIPPED]
    for name in chosen:
        path, floating = _find(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            model = load(path, floating_base=floating)
        yield Subject(Path(name).stem, model, str(path), floating)


def _find(name: str) -> tuple[Path, bool]:
    if name in _SHIPPED:
        return Path(str(files("polhode") / "examples" / _SHIPPED[name])), False
    if name in _WHEEL:
        relative, floating = _WHEEL[name]
        path = Path(sysconfig.get_paths()["purelib"]) / _ROBOTS / relative
        if not path.is_file():
            raise ModelError(
                f"the robot '{name}' is in the example-robot-data wheel, which is not installed: "
                "pip install example-robot-data"
            )
        return path, floating
    if name in _FOLDER:
        folder = _folder()
        if folder is None:
            raise ModelError(
                f"'{name}' is in the folder bench of the model files: set POLHODE_MODELS to it"
            )
        return folder / f"{name}.lua", False
    if Path(name).suffix in (".urdf", ".lua"):
        return Path(name), False
    known = (*_SHIPPED, *_WHEEL, *_FOLDER)
    raise ModelError(f"no model '{name}'{suggestion(name, known)} (there are: {', '.join(known)})")


def _folder() -> Path | None:
    """The benchmark models beside the checkout, or where POLHODE_MODELS says."""
    root = Path(os.environ.get("POLHODE_MODELS", Path(__file__).parents[4] / "shared/models"))
    for folder in (root / "bench", root):
        if (folder / f"{_FOLDER[0]}.lua").is_file():
            return folder
    return None
