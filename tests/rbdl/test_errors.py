"""RBDL's scenarios of unusual input: an exception with a message where it has one or worse."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import rbdl
from rbdl.cases import PROGRAM, record_of, structure, transform
from reference.cases import Tally, read

SCENARIOS = {entry["scenario"]: entry for entry in read("rbdl_errors")["entries"]}
LINK = (
    "{name='a',parent='ROOT',body={mass=1,com={0,0,0.1},inertia={{.1,0,0},{0,.1,0},{0,0,.1}}},"
    "joint={%s}}"
)
HINGE = LINK % "{0,0,1,0,0,0}"

REFUSED_LUA = {
    "lua: joint axis with 5 numbers": (LINK % "{0,0,1,0,0}", "6 numbers"),
    "lua: unknown joint type string": (LINK % "'JointTypeNope'", "JointTypeNope"),
    "lua: inertia 2x3": (
        "{name='a',parent='ROOT',body={mass=1,inertia={{1,0,0},{0,1,0}}}}", "3 rows"),
    "lua: unknown parent name (silently attached to ROOT)": (
        "{name='a',parent='nope',joint={{0,0,1,0,0,0}}}", "nope"),
    "lua: frame without name": ("{parent='ROOT',joint={{0,0,1,0,0,0}}}", "name"),
}  # fmt: skip
REFUSED_SETS = {
    "lua constraints: unknown type": ("{constraint_type='weld',name='x'}", "weld"),
    "lua constraints: contact without normal": (
        "{constraint_type='contact',name='x',body='a'}", "normal"),
    "lua constraints: loop without axis": (
        "{constraint_type='loop',name='x',predecessor_body='ROOT',successor_body='a'}", "axis"),
    "lua constraints: loop without successor_body": (
        "{constraint_type='loop',name='x',predecessor_body='ROOT',axis={0,0,0,1,0,0}}",
        "successor_body"),
}  # fmt: skip
REFUSED_URDF = ("urdf: joint names an unknown parent link", "urdf: two root links")
RIGHT_INSTEAD = {
    "lua: JointTypeEulerZXY string (not known to the reader)": "is read",
    "lua: no frames table": "is refused: a model without frames is a mistake",
    "lua constraints: more rows than degrees of freedom (1 dof, 2 rows): binding runs out of "
    "memory because dof_count - rows underflows": "works",
    "urdf: rotated inertial frame on a child link": "is read",
}
INERTIAL = (
    "<inertial><origin xyz='0 0 .1' rpy='{}'/><mass value='1'/>"
    "<inertia ixx='.1' ixy='0' ixz='0' iyy='.2' iyz='0' izz='.3'/></inertial>"
)


def lua_file(tmp_path, frames: str, rest: str = "") -> str:
    path = tmp_path / "model.lua"
    path.write_text(f"return {{frames={{{frames}}}{rest}}}")
    return str(path)


def text_of(scenario: str) -> tuple[str, str] | None:
    result = SCENARIOS[scenario].get("result")
    for suffix in ("lua", "urdf"):
        if isinstance(result, dict) and suffix in result:
            return result[suffix], suffix
    return None


@pytest.mark.parametrize(
    "scenario",
    [s for s in SCENARIOS if text_of(s) and s not in REFUSED_LUA and s not in RIGHT_INSTEAD],
)
def test_read_as_rbdl_does(scenario, tmp_path, record_property):
    """Unusual files that are read: the model is RBDL's."""
    tally = Tally(PROGRAM)
    (text, suffix), expected = text_of(scenario), dict(SCENARIOS[scenario]["result"]["structure"])
    path = tmp_path / f"model.{suffix}"
    path.write_text(text)
    expected.pop("lambda_q")
    model = rbdl.loadModel(str(path))
    fields = structure(model, expected)
    for field, value in expected.items():
        tally.compare("scenarios", f"{scenario}: {field}", lambda f=field: fields[f], value)
    tally.close(record_property)


def refused(scenario, record_property, error, match, action):
    """The action raises an error of RBDL's kind with a message that says what it is about."""
    tally = Tally(PROGRAM)
    with pytest.raises(error, match=match):
        action()
    tally.count("scenarios", "checked")
    tally.close(record_property)


@pytest.mark.parametrize("scenario", REFUSED_LUA)
def test_lua_refused(scenario, tmp_path, record_property):
    """Wrong frames."""
    frames, match = REFUSED_LUA[scenario]
    path = lua_file(tmp_path, frames)
    refused(scenario, record_property, rbdl.RBDLFileParseError, match, lambda: rbdl.loadModel(path))


@pytest.mark.parametrize("scenario", REFUSED_SETS)
def test_constraint_set_refused(scenario, tmp_path, record_property):
    """Wrong constraints: a row that would do nothing is one of them."""
    row, match = REFUSED_SETS[scenario]
    path = lua_file(tmp_path, HINGE, f",constraint_sets={{s={{{row}}}}}")

    def load():
        rbdl.LuaModelReadFromFileWithConstraints(path, rbdl.Model(), [rbdl.ConstraintSet()], ["s"])

    refused(scenario, record_property, rbdl.RBDLFileParseError, match, load)


@pytest.mark.parametrize(
    ("scenario", "sets", "names", "match"),
    [
        ("lua constraints: set does not exist", 1, ["t"], "no constraint set 't'"),
        ("lua constraints: number of sets and names differ", 1, ["s", "t"], "1 sets and 2 names"),
    ],
)
def test_sets_and_names_refused(scenario, sets, names, match, tmp_path, record_property):
    """Sets that are not there, or not as many as names."""
    row = "{constraint_type='contact',name='x',body='a',normal={1,0,0}}"
    path = lua_file(tmp_path, HINGE, f",constraint_sets={{s={{{row}}}}}")

    def load():
        made = [rbdl.ConstraintSet() for _ in range(sets)]
        rbdl.LuaModelReadFromFileWithConstraints(path, rbdl.Model(), made, names)

    refused(scenario, record_property, rbdl.RBDLFileParseError, match, load)


@pytest.mark.parametrize("suffix", ["lua", "urdf"])
def test_missing_file_refused(suffix, tmp_path, record_property):
    """An exception, where RBDL's Python wrapper ends the process."""
    path = tmp_path / f"nonexistent.{suffix}"
    scenario = "lua: file does not exist" if suffix == "lua" else "urdf: file missing"
    assert scenario in SCENARIOS
    refused(scenario, record_property, rbdl.RBDLFileParseError, "nonexistent",
            lambda: rbdl.loadModel(str(path).encode()))  # fmt: skip


@pytest.mark.parametrize("scenario", REFUSED_URDF)
def test_urdf_refused(scenario, tmp_path, record_property):
    """A URDF that is no tree."""
    parent = "nope" if "unknown" in scenario else "base"
    second = "<link name='b2'/>" if "two root" in scenario else ""
    path = tmp_path / "model.urdf"
    path.write_text(
        f"<robot name='r'><link name='base'/>{second}<link name='l1'/><joint name='j1' "
        f"type='fixed'><parent link='{parent}'/><child link='l1'/></joint></robot>"
    )
    match = "nope" if parent == "nope" else "root"
    refused(scenario, record_property, rbdl.RBDLFileParseError, match,
            lambda: rbdl.loadModel(str(path)))  # fmt: skip


def hinge() -> tuple[rbdl.Model, int, int]:
    """A pendulum with a fixed plate."""
    model = rbdl.Model()
    body = rbdl.Body(1.0, (0.0, 0.0, 0.1), np.eye(3))
    arm = model.AddBody(0, rbdl.SpatialTransform(), rbdl.Joint([0, 0, 1, 0, 0, 0]), body, "arm")
    still = rbdl.Joint(rbdl.JointTypeFixed)
    return model, arm, model.AddBody(arm, rbdl.Xtrans([1.0, 0.0, 0.0]), still, body, "plate")


def join_massless():
    """Two bodies without mass, the second with inertia."""
    model = rbdl.Model()
    turn, still = rbdl.Joint([0, 0, 1, 0, 0, 0]), rbdl.Joint(rbdl.JointTypeFixed)
    arm = model.AddBody(0, rbdl.SpatialTransform(), turn, rbdl.Body(0.0, (0, 0, 0), np.eye(3)))
    model.AddBody(arm, rbdl.SpatialTransform(), still, rbdl.Body(0.0, (0, 0, 0), np.eye(3)))


def assemble_with_wrong_weights():
    model, arm, _ = hinge()
    constraints = rbdl.ConstraintSet()
    constraints.AddContactConstraint(arm, [1, 0, 0], [0, 1, 0])
    rbdl.CalcAssemblyQ(model, np.zeros(1), constraints, np.zeros(1), np.ones(2))


API = {
    "api: fixed joints joining two zero masses with non-zero inertia": (
        rbdl.RBDLError, "zero mass", join_massless),
    "api: SetJointFrame of a fixed body": (
        rbdl.RBDLError, "fixed", lambda: hinge()[0].SetJointFrame(2**31 - 1, rbdl.Xrotx(0.1))),
    "api: Joint(JointTypeRevolute) without axis": (
        rbdl.RBDLError, "axes", lambda: rbdl.Joint(rbdl.JointTypeRevolute)),
    "api: CalcAssemblyQ with wrong size of weights": (
        rbdl.RBDLDofMismatchError, "weights", assemble_with_wrong_weights),
    "api: getGroupIndexByName of an unknown name": (
        rbdl.RBDLError, "nope", lambda: rbdl.ConstraintSet().getGroupIndexByName("nope")),
}  # fmt: skip


@pytest.mark.parametrize("scenario", API)
def test_api_refused(scenario, record_property):
    """Wrong calls."""
    refused(scenario, record_property, *API[scenario])


def test_api_answers(record_property):
    """Unusual calls that are answered."""
    tally, (model, arm, _) = Tally(PROGRAM), hinge()
    name = "api: GetBodyName of an unknown id"
    expected = SCENARIOS[name]["result"]
    tally.compare("scenarios", name, lambda: model.GetBodyName(99), expected)
    name, frame = "api: SetJointFrame of a moving body then GetJointFrame", rbdl.Xtrans([1, 2, 3])
    model.SetJointFrame(arm, frame)
    tally.compare("scenarios", name, lambda: record_of(model.GetJointFrame(arm)),
                  SCENARIOS[name]["result"])  # fmt: skip
    name = "api: fixed massless body with zero inertia"
    still, empty = rbdl.Joint(rbdl.JointTypeFixed), rbdl.Model()
    tally.compare("scenarios", name,
                  lambda: empty.AddBody(0, rbdl.SpatialTransform(), still, rbdl.Body()),
                  SCENARIOS[name]["result"])  # fmt: skip
    name, case = "api: Body::Join", SCENARIOS["api: Body::Join"]["result"]
    first, second = (rbdl.Body(b["mass"], b["com"], b["inertia"])
                     for b in (case["first"], case["second"]))  # fmt: skip
    first.Join(transform(case["transform"]), second)
    joined = {"mass": first.mMass, "com": first.mCenterOfMass, "inertia": first.mInertia}
    tally.compare("scenarios", name, lambda: joined, case["joined"])
    first.Separate(transform(case["transform"]), second)
    alone = {"mass": first.mMass, "com": first.mCenterOfMass, "inertia": first.mInertia}
    tally.compare("Body.Separate", name, lambda: alone, case["first"])
    tally.close(record_property)


def test_right_instead(tmp_path, record_property):
    """Where RBDL fails, or accepts a mistake, and the facade does what is meant."""
    tally = Tally(PROGRAM)
    model = rbdl.loadModel(lua_file(tmp_path, LINK % "'JointTypeEulerZXY'"))
    assert model.mJoints[1].mJointType is rbdl.JointTypeEulerZXY
    (tmp_path / "empty.lua").write_text("return {gravity={0,0,-1}}")
    with pytest.raises(rbdl.RBDLFileParseError, match="frames"):
        rbdl.loadModel(str(tmp_path / "empty.lua"))
    two_rows = (
        "{constraint_type='contact',name='x',body='a',point={1,0,0},normal={1,0,0}},"
        "{constraint_type='contact',name='y',body='a',point={1,0,0},normal={0,1,0}}"
    )
    path = lua_file(tmp_path, HINGE, f",constraint_sets={{s={{{two_rows}}}}}")
    model, constraints = rbdl.Model(), rbdl.ConstraintSet()
    rbdl.LuaModelReadFromFileWithConstraints(path, model, [constraints], ["s"])
    one = np.ones(1)
    qdd = rbdl.ForwardDynamicsConstraintsDirect(model, 0.0 * one, 0.0 * one, one, constraints)
    assert np.abs(qdd).max() < 1e-12
    inertial = INERTIAL.format("0.3 0.2 0.1")
    (tmp_path / "turned.urdf").write_text(
        f"<robot name='r'><link name='base'/><link name='l1'>{inertial}</link><joint name='j' "
        "type='continuous'><parent link='base'/><child link='l1'/><axis xyz='0 0 1'/></joint>"
        "</robot>"
    )
    turned = rbdl.loadModel(str(tmp_path / "turned.urdf")).mBodies[1].mInertia
    assert np.allclose(np.linalg.eigvalsh(turned), [0.1, 0.2, 0.3])
    assert abs(turned[0, 1]) > 1e-3
    for scenario in RIGHT_INSTEAD:
        assert scenario in SCENARIOS
        tally.count("scenarios", "checked")
    tally.close(record_property)


def test_every_scenario_is_checked():
    """None of the reference's scenarios is left out."""
    checked = {*REFUSED_LUA, *REFUSED_SETS, *REFUSED_URDF, *RIGHT_INSTEAD, *API}
    checked |= {s for s in SCENARIOS if text_of(s)} | {
        "lua constraints: set does not exist",
        "lua constraints: number of sets and names differ",
        "lua: file does not exist",
        "urdf: file missing",
        "api: GetBodyName of an unknown id",
        "api: SetJointFrame of a moving body then GetJointFrame",
        "api: fixed massless body with zero inertia",
        "api: Body::Join",
    }
    assert SCENARIOS.keys() <= checked
