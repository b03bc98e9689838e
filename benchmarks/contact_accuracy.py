"""Contact against closed forms, here and in MuJoCo, in one run with the same step.

    python benchmarks/contact_accuracy.py [--markdown]

MuJoCo may choose: of all settings in `SETTINGS` - integrator, ratio of friction's impedance,
further sweeps against slip, impedance - and contacts critically damped in two steps, the
stiffest it allows, or springs over some steps whose damping gives the restitution, each case
takes what comes nearest.  All have elliptic cones, the Newton solver with up to 200 iterations
and no early end, and several contacts for a pair of convex shapes.
"""

from __future__ import annotations

import argparse
import math
from itertools import product
from time import perf_counter

import mujoco
import numpy as np
from contact_accuracy_cases import DT, Body, Case, Motion, cases

import polhode as ph
from polhode.model.shapes import Box, Capsule, Polyhedron, Sphere

WORLD = """
<mujoco>
  <option timestep="{dt}" gravity="{gravity}" cone="elliptic" solver="Newton" iterations="200"
    ls_iterations="100" tolerance="0" integrator="{integrator}" impratio="{impratio}"
    noslip_iterations="{noslip}" noslip_tolerance="0"><flag multiccd="enable"/></option>
  <default>
    <geom friction="{mu} 0 0" solref="{solref}" solimp="{solimp}" condim="{condim}"/>
  </default>
  <asset>{assets}</asset>
  <worldbody>{bodies}</worldbody>
</mujoco>
"""
SETTINGS = [
    {"integrator": integrator, "impratio": impratio, "noslip": noslip, "solimp": solimp}
    for integrator, impratio, noslip, solimp in product(
        ("Euler", "implicitfast", "RK4"), (1, 100), (0, 50),
        ("0.9 0.95 0.001", "0.9999 0.9999 0.001"),
    )
]  # fmt: skip
IMPACT_STEPS = (4, 8, 16, 32)


def numbers(values) -> str:
    return " ".join(f"{float(x):.17g}" for x in values)


def geom(name: str, body: Body) -> tuple[str, str]:
    """A shape as MuJoCo writes it, and the mesh that it needs."""
    shape = body.shape
    if isinstance(shape, Sphere):
        return f'<geom type="sphere" size="{shape.radius}"/>', ""
    if isinstance(shape, Box):
        return f'<geom type="box" size="{numbers(x / 2 for x in shape.size)}"/>', ""
    if isinstance(shape, Capsule):
        return f'<geom type="capsule" size="{shape.radius} {shape.length / 2}"/>', ""
    assert isinstance(shape, Polyhedron)
    corners = numbers(x for v in shape.vertices for x in v)
    return f'<geom type="mesh" mesh="{name}"/>', f'<mesh name="{name}" vertex="{corners}"/>'


def text(case: Case, settings: dict, solref: str) -> str:
    """The case as MuJoCo's XML."""
    bodies, assets = [], []
    for turn in case.planes:
        bodies.append(f'<geom type="plane" size="50 50 1" quat="{numbers(turn)}"/>')
    for name, b in case.bodies.items():
        shape, asset = geom(name, b)
        assets.append(asset)
        inertia = f'<inertial pos="0 0 0" mass="{b.mass}" diaginertia="{numbers(b.inertia)}"/>'
        place = f'pos="{numbers(b.position)}" quat="{numbers(b.quaternion)}"'
        bodies.append(f'<body name="{name}" {place}><freejoint/>{inertia}{shape}</body>')
    return WORLD.format(
        dt=DT, gravity=numbers(case.gravity), mu=case.mu, condim=3 if case.mu else 1,
        solref=solref, assets="".join(assets), bodies="".join(bodies), **settings,
    )  # fmt: skip


def springs(e: float) -> dict[str, str]:
    """Contacts for a coefficient of restitution, by what they are called."""
    found = {"": f"{2 * DT} 1"}
    if e > 0.0:
        damping = -math.log(e) / math.hypot(math.pi, math.log(e))
        for n in IMPACT_STEPS:
            w = math.pi / (n * DT) / math.sqrt(1.0 - damping**2)
            found[f"spring of {n} steps"] = f"{-(w**2)} {-2.0 * damping * w}"
    return found


def mujocos(case: Case, settings: dict, solref: str) -> Motion:
    """The motion by MuJoCo."""
    model = mujoco.MjModel.from_xml_string(text(case, settings, solref))
    data, steps = mujoco.MjData(model), round(case.duration / DT)
    for k, body in enumerate(case.bodies.values()):
        data.qvel[6 * k : 6 * k + 3], data.qvel[6 * k + 3 : 6 * k + 6] = body.velocity, body.spin
    q, v = np.empty((steps + 1, model.nq)), np.empty((steps + 1, model.nv))
    for i in range(steps + 1):
        q[i], v[i] = data.qpos, data.qvel
        mujoco.mj_step(model, data)
    order = [0, 1, 2, 4, 5, 6, 3]
    return {
        name: (q[:, 7 * k : 7 * k + 7][:, order], v[:, 6 * k : 6 * k + 6])
        for k, name in enumerate(case.bodies)
    }


def peer(case: Case) -> tuple[float, str]:
    """MuJoCo's least error over all settings, and which that was."""
    best = (math.inf, "")
    for settings, (spring, solref) in product(SETTINGS, springs(case.e).items()):
        error = case.error(mujocos(case, settings, solref))
        if error < best[0]:
            best = (error, label(settings, spring))
    return best


def label(settings: dict, spring: str) -> str:
    """Settings in a few words."""
    impedance = "impedance " + settings["solimp"].split()[1]
    others = [f"{key} {settings[key]}" for key in ("impratio", "noslip")]
    return ", ".join([settings["integrator"], *others, impedance, *([spring] if spring else [])])


def ours(case: Case) -> float:
    """The error here, with nothing to choose."""
    recording = ph.simulate(case.scene(), case.duration, dt=DT, record=1, progress=False)
    return case.error({name: recording.of(name) for name in case.bodies})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    began, closer, every = perf_counter(), 0, cases()
    row = "| {} | {} | {} | {} |" if options.markdown else "{:50s} {:>9} {:>9}   {}"
    print(f"step {DT:g} s, polhode {ph.__version__}, mujoco {mujoco.__version__}")
    print(row.format("case", "polhode", "MuJoCo", "settings of MuJoCo that came nearest"))
    if options.markdown:
        print("| --- | ---: | ---: | --- |")
    for case in every:
        own = ours(case)
        other, settings = peer(case)
        closer += own < other
        print(row.format(case.title, f"{own:.1e}", f"{other:.1e}", settings), flush=True)
    print(f"closer in {closer} of {len(every)}; {perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
