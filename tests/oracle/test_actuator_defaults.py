"""Defaults of actuators against MuJoCo: random classes, of which one has another around it."""

from __future__ import annotations

import random

import mujoco
import numpy as np
import pytest

import polhode as ph

pytestmark = pytest.mark.oracle

TAGS = ("motor", "position", "velocity", "intvelocity", "general", "cylinder", "damper")
DOCUMENT = """<mujoco><default>{outer}<default class="a">{inner}</default></default>
<worldbody><body><joint name="j" type="hinge" range="-200 100" limited="true"/>
<geom size=".1"/></body></worldbody><actuator>{actuator}</actuator></mujoco>"""
Q, QD = np.array([0.3]), np.array([-0.7])


def element(tag: str, rng: random.Random, more: str = "") -> str:
    """An actuator with some attributes."""
    found: dict[str, str] = {}

    def may(key: str, value: object, chance: float = 0.3) -> None:
        if rng.random() < chance:
            found[key] = str(value)

    may("gear", rng.randint(1, 5), 0.2)
    may("ctrlrange", f"{-rng.randint(1, 5)} {rng.randint(1, 5)}", 0.25)
    may("forcerange", f"{-rng.randint(1, 5)} {rng.randint(1, 5)}", 0.2)
    match tag:
        case "position" | "intvelocity":
            may("kp", rng.randint(1, 9))
            may("kv", rng.randint(1, 9), 0.2)
            may("inheritrange", rng.choice(("1", ".5", "0")))
        case "velocity":
            may("kv", rng.randint(1, 9))
        case "damper":
            found["ctrlrange"] = f"0 {rng.randint(1, 8)}"
            may("kv", rng.randint(1, 9), 0.5)
        case "general":
            may("gainprm", rng.randint(1, 9))
            may("biasprm", f"1 {-rng.randint(1, 9)} {-rng.randint(0, 3)}", 0.2)
            may("biastype", rng.choice(("none", "affine")), 0.2)
            may("dyntype", rng.choice(("none", "integrator", "filter")), 0.15)
        case "cylinder":
            may("area", rng.randint(1, 4))
            may("timeconst", rng.randint(1, 4))
            may("bias", "1 -2 -3")
    return f"<{tag} " + " ".join(f'{k}="{x}"' for k, x in found.items()) + f" {more}/>"


def elements(rng: random.Random, most: int) -> str:
    return "".join(element(tag, rng) for tag in rng.sample(TAGS, rng.randint(0, most)))


@pytest.mark.parametrize("seed", range(4))
def test_laws_and_ranges_are_those_of_mujoco(seed, tmp_path):
    """A law of another shortcut is not gone on with, and ranges are inherited by servos alone."""
    rng, compared = random.Random(seed), 0
    for n in range(60):
        text = DOCUMENT.format(
            outer=elements(rng, 1), inner=elements(rng, 2),
            actuator=element(rng.choice(TAGS), rng, 'class="a" joint="j"'),
        )  # fmt: skip
        try:
            theirs = mujoco.MjModel.from_xml_string(text)
        except ValueError:
            continue  # both of a range and 'inheritrange'
        compared += 1
        path = tmp_path / f"{n}.xml"
        path.write_text(text)
        ours = ph.load(path)
        data = mujoco.MjData(theirs)
        theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        data.qpos[:], data.qvel[:] = Q, QD
        assert ours.model.n_activations == theirs.na, text
        for u in (-7.0, -0.4, 2.5, 7.0):
            for act in (-6.0, 0.3, 4.0)[: 3 if theirs.na else 1]:
                data.ctrl[:], data.act[:] = u, act
                mujoco.mj_forward(theirs, data)
                force = ph.actuator_forces(ours, Q, QD, [u], [act] * theirs.na)
                assert np.allclose(force, data.qfrc_actuator, rtol=1e-12), text
        if theirs.actuator_actlimited[0]:
            own = ours.model.actuators[0].activation_range
            assert np.allclose(own, theirs.actuator_actrange[0]), text
    assert compared >= 40
