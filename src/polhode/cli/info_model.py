"""``polhode info FILE`` for a model: degrees of freedom, hierarchy, origins, masses, sets."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api.energetics import center_of_mass
from ..api.kinematics import body_poses
from ..api.manifold import neutral
from ..formats import Note
from ..formats.reading import together
from ..model import Model
from ..spatial import Transform
from .terminal import Output


def run_model(options: Namespace, output: Output, model: Model, notes: Sequence[Note]) -> int:
    """Print the sections asked for; degrees of freedom and hierarchy if none is."""
    if output.json:
        output.result(as_data(model, notes))
        return 0
    output.say(_summary(model))
    if options.verbose:
        say_notes(notes, output)
    say_sections(model, options, output, ["dof_overview", "model_hierarchy"])
    return 0


def say_notes(notes: Sequence[Note], output: Output) -> None:
    """All notes on the file, similar ones together."""
    output.head("Notes:")
    output.say("\n".join(f"  {note.kind}: {note}" for note in together(notes)) or "  none")


def say_sections(model: Model, options: Namespace, output: Output, default: list[str]) -> None:
    """The sections asked for, or those that are said without asking."""
    wanted = [name for name in _SECTIONS if getattr(options, name)]
    for name in wanted or default:
        title, text = _SECTIONS[name]
        output.head(title)
        output.say(text(model, options.verbose))


def _summary(model: Model) -> str:
    gravity = ", ".join(f"{x:g}" for x in model.gravity.lin)
    mass = sum(body.mass for body in model.bodies)
    return (
        f"{model.name}: {model.nv} degrees of freedom ({model.nq} coordinates), "
        f"{model.n_bodies} moving bodies of {mass:.6g} kg, gravity ({gravity}) m/s^2"
    )


def _origins(model: Model, verbose: bool) -> str:
    rows = origins(model).items()
    return "\n".join(f"  {name:<28} {_triple(r)}" for name, r in rows)


def origins(model: Model) -> dict[str, list[float]]:
    """The origin of every named body at the neutral position, base coordinates."""
    poses = body_poses(model, neutral(model))
    every = {}
    for body in (*model.bodies, *model.fixed_bodies):
        if body.name:
            pose = poses[body.moving - 1] if body.moving else np.eye(4)
            r = np.array([float(x) for x in body.frame.r])
            every[body.name] = (pose[:3, :3] @ r + pose[:3, 3]).tolist()
    return every


def _masses(model: Model, verbose: bool) -> str:
    poses = body_poses(model, neutral(model))
    lines = []
    for body in model.bodies:
        if body.name:
            pose = poses[body.id - 1]
            com = pose[:3, :3] @ np.array(body.com) + pose[:3, 3]
            lines.append(f"  {body.name:<28} {_triple(com)}   {body.mass:10.6g} kg")
            if verbose:
                rows = ("  ".join(f"{x:11.5g}" for x in row) for row in body.inertia)
                lines += [f"  {'':<28} {row}" for row in rows]
    if any(body.mass for body in model.bodies):
        total = center_of_mass(model, neutral(model))
        mass = sum(body.mass for body in model.bodies)
        lines.append(f"  {'whole model':<28} {_triple(total)}   {mass:10.6g} kg")
    return "\n".join(lines)


def _sets(model: Model, verbose: bool) -> str:
    lines = []
    for name, rows in model.constraint_sets.items():
        lines.append(f"  {name}: {len(rows)} rows")
        lines += [f"    {_row(row)}" for row in rows]
    return "\n".join(lines) or "  none"


def _row(row: Any) -> str:
    parts = (f"{key}={_short(value)}" for key, value in vars(row).items())
    return f"{type(row).__name__}({', '.join(parts)})"


def _short(value: Any) -> str:
    if isinstance(value, Transform):
        return f"r={_triple(value.r).strip()}"
    return repr(value)


def _triple(values: Any) -> str:
    # Rounded before it is written, so that no zero has a sign.
    return "  ".join(f"{round(float(x), 6) + 0.0:11.6f}" for x in values)


_SECTIONS: dict[str, tuple[str, Callable[[Model, bool], str]]] = {
    "dof_overview": ("Degree of freedom overview:", lambda model, _: model.dof_overview()),
    "model_hierarchy": ("Model Hierarchy:", lambda model, _: model.hierarchy()),
    "body_origins": ("Body Origins:", _origins),
    "center_of_mass": ("Centers of mass:", _masses),
    "constraint_sets": ("Constraint sets:", _sets),
}


def as_data(model: Model, notes: Sequence[Any]) -> dict[str, Any]:
    """All sections as plain data."""
    heavy = any(body.mass for body in model.bodies)
    return {
        "name": model.name,
        "nq": model.nq,
        "nv": model.nv,
        "n_bodies": model.n_bodies,
        "gravity": [float(x) for x in model.gravity.lin],
        "mass": sum(body.mass for body in model.bodies),
        "center_of_mass": center_of_mass(model, neutral(model)).tolist() if heavy else None,
        "dofs": [each.split(": ", 1)[1] for each in model.dof_overview().splitlines()],
        "links": [
            {
                "name": link.name,
                "parent": link.parent or model.base,
                "joint": link.joint_name,
                "kind": link.joint.name,
                "dofs": list(link.joint.dof_names),
                "mass": link.body.mass,
                "com": list(link.body.com),
                "body": model.body(link.name).id,
            }
            for link in model.links
        ],
        "origins": origins(model),
        "constraint_sets": {name: len(rows) for name, rows in model.constraint_sets.items()},
        "notes": [f"{note.kind}: {note}" for note in notes],
    }
