"""A model as plain data, and back: what it was declared from, nothing executable."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from .. import model as records
from ..errors import ModelError
from ..model import Custom, JointKind, Model
from ..spatial import Force, Mat3, Motion, PlaneRotation, Transform, Vec3

_KIND = "is"
_CLASSES = {
    cls.__name__: cls
    for cls in (
        Vec3,
        Mat3,
        PlaneRotation,
        Motion,
        Force,
        Transform,
        *map(records.__dict__.get, records.__all__),
    )
    if isinstance(cls, type) and is_dataclass(cls) and cls not in (Custom, JointKind, Model)
}


def model_to_json(model: Model) -> dict[str, Any]:
    """The declaration of ``model`` as dicts, lists, strings and numbers.

    Raises
    ------
    ModelError
        If a joint is defined by Python code, which is not data.
    """
    return {
        "name": model.name,
        "base": model.base,
        "gravity": [float(x) for x in model.gravity.lin],
        "links": _plain(model.links, model),
        "constraint_sets": _plain([*model.constraint_sets.items()], model),
        "tendons": _plain(model.tendons, model),
        "actuators": _plain(model.actuators, model),
        "fluid": _plain(model.fluid, model),
    }


def model_from_json(data: Any) -> Model:
    """The model that `model_to_json` described.

    Raises
    ------
    ModelError, ValueError, KeyError, TypeError
        If the data does not describe a model.
    """
    return Model(
        name=str(data["name"]),
        links=_value(data["links"]),
        gravity=tuple(float(x) for x in data["gravity"]),  # type: ignore[arg-type]
        base=str(data["base"]),
        constraint_sets=_value(data["constraint_sets"]),
        tendons=_value(data.get("tendons", [])),
        actuators=_value(data.get("actuators", [])),
        fluid=_value(data.get("fluid")),
    )


def _plain(value: Any, model: Model) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (tuple, list)):
        return [_plain(item, model) for item in value]
    name = type(value).__name__
    if _CLASSES.get(name) is type(value):
        named = {f.name: _plain(getattr(value, f.name), model) for f in fields(value) if f.init}
        return {_KIND: name, **named}
    raise ModelError(f"expected a model of plain data, got a {name} (model '{model.name}')")


def _value(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(_value(item) for item in data)
    if isinstance(data, dict):
        named = {key: _value(item) for key, item in data.items() if key != _KIND}
        try:
            return _CLASSES[data[_KIND]](**named)
        except KeyError:
            raise ModelError(f"expected a known kind of record, got {data.get(_KIND)!r}") from None
    return data
