"""Docstrings of every public name, by numpydoc's own checks."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from enum import EnumType
from importlib import import_module
from typing import Any

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

# What most users call: `polhode` itself, and the rest of it by theme.
ROOTS = (
    "polhode",
    "polhode.constraints",
    "polhode.contact",
    "polhode.derivatives",
    "polhode.environments",
    "polhode.floating_base",
    "polhode.identification",
    "polhode.kinematics",
    "polhode.simulation",
    "polhode.sweeps",
)
PACKAGES = (
    *ROOTS,
    "polhode.model",
    "polhode.spatial",
    "polhode.scalar",
    "polhode.algorithms",
    "polhode.formats",
    "polhode.scene",
    "polhode.collision",
    "polhode.contact_problem",
    "polhode.simulation.stepping",
    "polhode.viewer",
    "polhode.compiler",
    "polhode.cuda",
    "polhode.rbdl",
    "polhode.spatial_v2",
)

# Functions of these take arrays from users: each argument and each result is described.
PUBLIC = (*ROOTS, "polhode.rbdl", "polhode.spatial_v2", "polhode.scalar")

# A docstring is there, in good order, and speaks of the parameters there are.  Left out are
# demands of taste: an extended summary, See Also and an example for everything (ES01, SA01,
# EX01), a summary that is an infinitive (SS05), and a text where the type says all (PR07, RT03).
ALWAYS = {
    *("GL01", "GL02", "GL03", "GL05", "GL06", "GL07", "GL10"),
    *("SS01", "SS02", "SS03", "SS04", "SS06"),
    *("PR02", "PR03", "PR05", "PR08", "PR09", "PR10"),
    *("RT04", "RT05"),
}
IN_PUBLIC = {"PR01", "PR04", "RT01"}


def public_names(module: Any) -> list[str]:
    """``__all__``, or the functions that are defined in the module."""
    own = [
        name
        for name, value in vars(module).items()
        if inspect.isroutine(value)
        and not name.startswith("_")
        and getattr(value, "__module__", "") == module.__name__
    ]
    return getattr(module, "__all__", own)


def members(cls: type) -> list[tuple[str, Any]]:
    """Public methods and properties that a class defines itself."""
    kinds = (classmethod, staticmethod, property)
    return [
        (name, value)
        for name, value in vars(cls).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, kinds))
        # The validator cannot find where a property of a lambda begins.
        and getattr(getattr(value, "fget", None), "__name__", "") != "<lambda>"
    ]


def documented() -> list:
    """Each public callable once, with the path by which it is found."""
    seen, found = set(), []
    for package in PACKAGES:
        module = import_module(package)
        for name in public_names(module):
            value = getattr(module, name)
            if not (inspect.isroutine(value) or inspect.isclass(value)) or id(value) in seen:
                continue
            if not getattr(value, "__module__", "").startswith("polhode"):
                continue
            seen.add(id(value))
            found.append(pytest.param(package, name, id=f"{package}.{name}"))
    return found


def complaints(path: str, wanted: set[str]) -> list[str]:
    return [f"{path}: {code} {text}" for code, text in validate(path)["errors"] if code in wanted]


def undescribed(cls: type, path: str) -> list[str]:
    """Fields of a record that neither its parameters nor its attributes speak of."""
    if not is_dataclass(cls):
        return []
    doc = get_doc_object(cls)
    entries = [*doc["Parameters"], *doc["Attributes"]]
    named = {name.strip().lstrip("*") for entry in entries for name in entry.name.split(",")}
    return [
        f"{path}: no word on {field.name}"
        for field in fields(cls)
        if field.init and not field.name.startswith("_") and field.name not in named
    ]


@pytest.mark.parametrize(("package", "name"), documented())
def test_docstring(package, name):
    """A public name, with its methods, is documented as numpydoc has it."""
    value, path = getattr(import_module(package), name), f"{package}.{name}"
    assert inspect.getdoc(value), f"{path} has no docstring"
    is_public = package in PUBLIC
    if not inspect.isclass(value):
        assert not complaints(path, ALWAYS | (IN_PUBLIC if is_public else set()))
        return
    wrong = complaints(path, ALWAYS)
    if not isinstance(value, EnumType):
        wrong += undescribed(value, path) if package in ROOTS else []
    for method, member in members(value):
        # An inherited docstring holds for what overrides it.
        assert inspect.getdoc(getattr(value, method)), f"{path}.{method} has no docstring"
        if getattr(value, method).__doc__ and is_public and inspect.isroutine(member):
            returns = inspect.signature(getattr(value, method)).return_annotation
            wrong += complaints(f"{path}.{method}", {"PR01", "PR02", "PR03"})
            if returns not in ("None", None):
                wrong += complaints(f"{path}.{method}", {"RT01"})
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("package", "name"), [p for p in documented() if p.values[0] in ROOTS])
def test_arrays_have_shapes(package, name):
    """Every array that a function takes or returns has its shape said."""
    value = getattr(import_module(package), name)
    if inspect.isclass(value):
        return
    doc = get_doc_object(value)
    for entry in [*doc["Parameters"], *doc["Returns"]]:
        if "array" in entry.type and "of ndarray" not in entry.type:
            assert "shape" in f"{entry.type} {' '.join(entry.desc)}", f"{name}: {entry}"


# These give, take or make something for which there is no equation.
NO_EQUATION = {
    *("compile", "compliant_ground", "explicit_state", "get_quaternion", "set_quaternion"),
    *("inertial_parameters", "with_inertial_parameters", "with_parameters"),
    *("neutral", "random_configuration"),
}


@pytest.mark.parametrize(("package", "name"), [p for p in documented() if p.values[0] in ROOTS])
def test_functions_say_what_they_solve(package, name):
    """A function of the mechanics has notes: its equation, its cost or its source."""
    value = getattr(import_module(package), name)
    if inspect.isfunction(value) and value.__module__.startswith("polhode.api"):
        assert bool(get_doc_object(value)["Notes"]) != (name in NO_EQUATION)
