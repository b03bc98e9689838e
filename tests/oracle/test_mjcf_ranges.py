"""Ranges of joints, tendons and actuators against MuJoCo: which hold, and what they clamp."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import polhode as ph
from polhode.errors import ParseError
from polhode.formats import mjcf

pytestmark = pytest.mark.oracle

RANGES = ["-0.1 2", "0 1", "-1 0", "-inf 1", "0 0", "1 1", "1 -1"]
SAID = ["", "auto", "true", "false"]
STRONG = 5.0  # beyond all ranges


@pytest.fixture(autouse=True)
def _log_elsewhere(monkeypatch, tmp_path):
    """MuJoCo writes its warnings into the folder where the tests run."""
    monkeypatch.chdir(tmp_path)


def document(joint="", tendon="", actuator='<motor joint="h"/>', more=""):
    return (
        f'<mujoco>{more}<worldbody><body><joint name="h" type="slide" {joint}/><geom size=".1"/>'
        f'</body></worldbody><tendon><fixed name="t" {tendon}><joint joint="h" coef="1"/></fixed>'
        f"</tendon><actuator>{actuator}</actuator></mujoco>"
    )


def said(attribute, word):
    return f'{attribute}="{word}"' if word else ""


PLACES = {
    "joint range": lambda range, word: document(f'range="{range}" {said("limited", word)}'),
    "joint force": lambda range, word: document(
        f'actuatorfrcrange="{range}" {said("actuatorfrclimited", word)}'),
    "tendon range": lambda range, word: document("", f'range="{range}" {said("limited", word)}'),
    "tendon force": lambda range, word: document(
        "", f'actuatorfrcrange="{range}" {said("actuatorfrclimited", word)}',
        '<motor tendon="t"/>'),
    **{key: lambda range, word, key=key: document(
        actuator=f'<motor joint="h" {key}range="{range}" {said(f"{key}limited", word)}/>')
       for key in ("ctrl", "force")},
    "act": lambda range, word: document(actuator=
        f'<general joint="h" dyntype="integrator" actrange="{range}" {said("actlimited", word)}/>'),
}  # fmt: skip


def compare(text):
    """Both refuse it, or both have the same limits and the same forces at strong controls."""
    try:
        theirs = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        with pytest.raises(ParseError):
            mjcf.parse(text)
        return
    model, data = mjcf.parse(text).model.model, mujoco.MjData(theirs)
    for control in (-STRONG, STRONG):
        data.ctrl[:], data.act[:] = control, control
        mujoco.mj_forward(theirs, data)
        found = ph.actuator_forces(model, [0.0], [0.0], data.ctrl, data.act)
        np.testing.assert_allclose(found, data.qfrc_actuator)
    (limits,), (tendon,) = model.limits.lower, model.tendons
    assert np.isfinite([limits, model.limits.upper[0]]).any() == theirs.jnt_limited[0]
    assert np.isfinite(tendon.limits).any() == theirs.tendon_limited[0]
    bounds = model.actuators[0].activation_range
    assert np.isfinite(bounds).any() == theirs.actuator_actlimited[0]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("word", SAID)
@pytest.mark.parametrize("range", RANGES)
def test_ranges(range, word, place):
    """A range that does not rise is none where it is inferred, and an error where it is said."""
    compare(PLACES[place](range, word))


@pytest.mark.parametrize("range", ["", "0 0", "0 30", "30 30"])
@pytest.mark.parametrize("word", SAID)
def test_limits_of_balls(range, word):
    """They are told as not read where MuJoCo has them; a range that is absent is 0 to 0."""
    joint = f"{said('limited', word)} {said('range', range)}"
    text = (f'<mujoco><worldbody><body><joint name="b" type="ball" {joint}/><geom size="1"/></body>'
            "</worldbody></mujoco>")  # fmt: skip
    try:
        theirs = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return
    notes = mjcf.parse(text).notes
    told = any("limits of a joint of type ball are not read" in note.text for note in notes)
    assert told == theirs.jnt_limited[0]


@pytest.mark.parametrize("range", ["0 0", "-1 1", "1 -1"])
def test_ranges_that_are_not_inferred(range):
    """Without ``autolimits`` only the default range may stand alone."""
    compare(document(f'range="{range}"', more='<compiler autolimits="false"/>'))


@pytest.mark.parametrize("flag", ["limit", "constraint", "clampctrl"])
def test_flags_leave_forces_of_actuators_within_what_joints_bear(flag):
    """Limits of positions are off; the range of forces is not."""
    flags = f'<option><flag {flag}="disable"/></option>'
    text = document('actuatorfrcrange="-1 2"', more=flags)
    compare(text)
    assert mjcf.parse(text).model.model.joints[0].limits.efforts == (-1.0, 2.0)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_counts_of_replicas(count):
    """None is a count as others are."""
    ball = '<body><freejoint/><geom size=".1"/></body>'
    balls = f'{ball}<replicate count="{count}">{ball}</replicate>'
    text = f"<mujoco><worldbody>{balls}</worldbody></mujoco>"
    theirs = mujoco.MjModel.from_xml_string(text)
    assert mjcf.parse(text).model.model.nv == theirs.nv
