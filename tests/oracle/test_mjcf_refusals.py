"""Files that MuJoCo refuses are refused, too: values without sense, names given twice, defaults."""

from __future__ import annotations

import mujoco
import pytest

from polhode.errors import ParseError
from polhode.formats import mjcf

pytestmark = pytest.mark.oracle

ACTUATORS = [
    '<damper joint="h" kv="-3" ctrlrange="0 1"/>', '<damper joint="h" kv="3" ctrlrange="-1 1"/>',
    '<damper joint="h" kv="3" ctrlrange="-1 1" ctrllimited="false"/>',
    '<position joint="h" kp="1" kv="-3"/>', '<position joint="h" kp="3" dampratio="-1"/>',
    '<position joint="h" kp="3" kv="1" dampratio="1"/>', '<position joint="h" timeconst="-1"/>',
    '<intvelocity joint="h" kv="-1" actrange="0 1"/>',
    '<intvelocity joint="h" kv="1" dampratio="1" actrange="0 1"/>',
    '<adhesion body="a" ctrlrange="-1 1"/>', '<adhesion body="a" ctrlrange="0 1" gain="-1"/>',
    '<general joint="h" dyntype="integrator" actdim="3"/>', '<general joint="h" actdim="1"/>',
    '<general joint="h" dyntype="integrator" actdim="0"/>',
    '<dcmotor joint="h" motorconst="1" resistance="0"/>', '<dcmotor joint="h" motorconst="1"/>',
    '<dcmotor joint="h" motorconst="1" resistance="-1"/>', '<dcmotor joint="h" resistance="1"/>',
    '<dcmotor joint="h" motorconst="-1 2" resistance="1"/>',
    '<dcmotor joint="h" nominal="12 3 0"/>', '<dcmotor joint="h" nominal="-12 3 50"/>',
    '<muscle joint="h" lengthrange="0 1" tausmooth="-1"/>',
    '<motor joint="h" ctrllimited="true"/>', '<motor joint="h" ctrllimited=""/>',
    '<motor joint="h" class=""/>', '<general joint="h" gaintype=""/>',
    '<motor name="x" joint="h"/><motor name="x" joint="k"/>',
]  # fmt: skip
JOINTS = [
    'springdamper="-1 1"', 'springdamper="1 0"', 'springdamper="-1 -1"', 'limited="true"',
    'actuatorfrclimited="true"', *(f'{word}=""' for word in ("limited", "type", "class",
                                                            "actuatorgravcomp")),
]  # fmt: skip
TENDONS = [
    '<fixed name="t" limited="true"><joint joint="h" coef="1"/></fixed>',
    '<fixed name="t"><joint joint="h"/></fixed>',
    '<fixed name="t"><joint joint="h" coef="1"/><joint joint="h" coef="2"/></fixed>',
    '<fixed name="t" actuatorfrcrange="1 2"><joint joint="h" coef="1"/></fixed>',
    '<fixed name="t"><joint joint="h" coef="1"/></fixed>' * 2,
]
SECTIONS = [
    '<equality><joint name="x" joint1="h" joint2="k"/><weld name="x" body1="a" body2="b"/>'
    "</equality>",
    '<contact><exclude name="x" body1="a" body2="b"/><exclude name="x" body1="a" body2="b"/>'
    "</contact>",
    '<asset><material name="x"/><material name="x"/></asset>',
    '<default><jiont damping="3"/></default>', '<default><joint name="q"/></default>',
    '<default><default class="u"><joint damping="x"/></default></default>',
    '<default><default class="u"><geom type="bxo"/></default></default>',
    '<default><geom size="1 2 3 4 5"/></default>',
    '<default><joint damping="1"/><joint stiffness="2"/></default>',
    '<default class="foo"><joint damping="3"/></default>',
    *(f'<option {setting}="foo"/>' for setting in ("integrator", "solver", "cone", "iterations",
                                                 "actuatorgroupdisable")),
    '<option actuatorgroupdisable="31"/>', '<compiler discardvisual="maybe"/>',
    *(f'<compiler {setting}=""/>' for setting in ("angle", "autolimits", "eulerseq",
                                                  "inertiafromgeom", "strippath")),
]  # fmt: skip


def document(joint="", tendon="", actuator="", section=""):
    arm = '<body name="{}" pos="{} 0 0"><joint name="{}" {}/><geom size=".1" pos=".5 0 0"/></body>'
    arms = arm.format("a", 0, "h", joint) + arm.format("b", 5, "k", "")
    return (f"<mujoco>{section}<worldbody>{arms}</worldbody><tendon>{tendon}</tendon>"
            f"<actuator>{actuator}</actuator></mujoco>")  # fmt: skip


TEXTS = [
    *(document(actuator=each) for each in ACTUATORS), *(document(each) for each in JOINTS),
    *(document(tendon=each) for each in TENDONS), *(document(section=each) for each in SECTIONS),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _log_elsewhere(monkeypatch, tmp_path):
    """MuJoCo writes its warnings into the folder where the tests run."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("text", TEXTS)
def test_what_mujoco_refuses(text):
    """An error of the file, by both readers."""
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ParseError):
        mjcf.parse(text)


def test_the_rest_is_read_by_both():
    """What the texts have beside their mistakes is none."""
    text = document()
    assert mjcf.parse(text).model.model.nv == mujoco.MjModel.from_xml_string(text).nv
