"""``polhode info FILE`` for a scene: models, geometries, couplings, forces, settings."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from ..scene import Machine, Scene
from .info_model import as_data, say_notes, say_sections
from .terminal import Output


def run_scene(options: Namespace, output: Output, scene: Scene, notes: Sequence[Any]) -> int:
    """Print the contents of a scene; if asked for, the sections of every model."""
    if output.json:
        output.result(_as_data(scene, notes))
        return 0
    output.say(_summary(scene))
    if options.verbose:
        say_notes(notes, output)
    for title, lines in _sections(scene):
        if lines:
            output.head(title)
            output.say("\n".join(f"  {line}" for line in lines))
    say_sections(scene.model, options, output, ["model_hierarchy"])
    return 0


def _summary(scene: Scene) -> str:
    gravity = ", ".join(f"{x:g}" for x in scene.gravity)
    return (
        f"{scene.name}: {len(scene.machines)} models of {scene.model.nv} degrees of freedom, "
        f"{len(scene.geometries)} geometries, {len(scene.loops)} loops, {len(scene.gears)} gears, "
        f"gravity ({gravity}) m/s^2"
    )


def _sections(scene: Scene) -> list[tuple[str, list[str]]]:
    contacts = [
        f"{c.a or 'all'} - {c.b or 'all'}: restitution {c.restitution:g}, mu {c.mu_coulomb:g}"
        + (f", {c.friction_cone_edges} edges" if c.friction_cone_edges else "")
        for c in scene.contacts
    ]
    loops = [f"{x.name}: {x.kind.value}, {_end(x.a)} - {_end(x.b)}" for x in scene.loops]
    gears = [f"{x.name}: {'/'.join(x.a)} = {x.ratio:g} {'/'.join(x.b)}" for x in scene.gears]
    settings = scene.settings
    step = "" if settings.step_size is None else f", step {settings.step_size:g} s"
    return [
        ("Machines:", [_machine(machine) for machine in scene.machines]),
        ("Shapes that touch:", [_geometry(g) for g in scene.geometries]),
        ("Contacts:", contacts),
        ("Never touch:", [f"{pair.a} - {pair.b}" for pair in scene.disabled_pairs]),
        ("Loops:", loops),
        ("Gears:", gears),
        ("Forces:", [repr(force) for force in scene.forces]),
        ("Simulator:", [f"{settings.kind} '{settings.name}'{step}"]),
    ]


def _machine(machine: Machine) -> str:
    kind = "immovable" if machine.is_fixed else f"{machine.model.nv} degrees of freedom"
    aside = "" if machine.is_simulated else ", not simulated"
    mass = sum(body.mass for body in machine.model.bodies)
    weight = f", {mass:.6g} kg" if mass else ""
    return f"{machine.name}: {kind}{weight}{aside}"


def _geometry(geometry: Any) -> str:
    shape = type(geometry.shape).__name__.lower() if geometry.shape is not None else "plug-in"
    soft = ", compliant" if geometry.is_compliant else ""
    return f"{geometry.name}: {shape} on {geometry.machine}/{geometry.body}{soft}"


def _end(body: tuple[str, str] | None) -> str:
    return "world" if body is None else "/".join(body)


def _as_data(scene: Scene, notes: Sequence[Any]) -> dict[str, Any]:
    settings = scene.settings
    return {
        **as_data(scene.model, notes),
        "machines": [
            {
                "name": m.name,
                "nq": m.model.nq,
                "nv": m.model.nv,
                "links": list(m.link_names),
                "q": list(m.q),
                "qd": list(m.qd),
                "simulated": m.is_simulated,
            }
            for m in scene.machines
        ],
        "geometries": [
            {
                "name": g.name,
                "machine": g.machine,
                "body": g.body,
                "shape": None if g.shape is None else type(g.shape).__name__,
            }
            for g in scene.geometries
        ],
        "loops": [loop.name for loop in scene.loops],
        "gears": [gear.name for gear in scene.gears],
        "forces": [force.name for force in scene.forces],
        "settings": {"kind": settings.kind, "name": settings.name, "step_size": settings.step_size},
    }
