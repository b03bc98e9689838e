"""Models of RBDL's reference entries, built through the facade."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polhode import rbdl
from polhode.scalar import cos, sin
from reference.cases import MODELS, array, read
from reference.rbdl_models import model_file, with_axes_as_written

PROGRAM = "polhode.rbdl"
TEXTS = ("GetModelDOFOverview", "GetModelHierarchy", "GetNamedBodyOriginsOverview")


class RevoluteX(rbdl.CustomJoint):
    """The reference's custom joint of that name, as RBDL's users write one."""

    mDoFCount = 1

    def jcalc(self, model, joint_id, q, qdot):
        k = model.mJoints[joint_id].q_index
        model.X_J[joint_id] = rbdl.Xrotx(q[k])
        model.v_J[joint_id][0] = qdot[k]

    def jcalc_X_lambda_S(self, model, joint_id, q):
        k = model.mJoints[joint_id].q_index
        model.X_lambda[joint_id] = rbdl.Xrotx(q[k]) * model.X_T[joint_id]
        model.mCustomJoints[model.mJoints[joint_id].custom_joint_index].S[0, 0] = 1.0


class EulerZYX(rbdl.CustomJoint):
    """The reference's custom joint of that name, in terms of `polhode.scalar`."""

    mDoFCount = 3

    def jcalc(self, model, joint_id, q, qdot):
        k = model.mJoints[joint_id].q_index
        s1, c1, s2, c2 = sin(q[k + 1]), cos(q[k + 1]), sin(q[k + 2]), cos(q[k + 2])
        model.X_J[joint_id] = rbdl.Xrotx(q[k + 2]) * rbdl.Xroty(q[k + 1]) * rbdl.Xrotz(q[k])
        self.S[:3, 0] = -s1, c1 * s2, c1 * c2
        self.S[:3, 1] = 0.0, c2, -s2
        self.S[:3, 2] = 1.0, 0.0, 0.0
        z, y, x = qdot[k], qdot[k + 1], qdot[k + 2]
        model.v_J[joint_id][:] = self.S @ np.array([z, y, x])
        model.c_J[joint_id][0] = -c1 * z * y
        model.c_J[joint_id][1] = -s1 * s2 * z * y + c1 * c2 * z * x - s2 * y * x
        model.c_J[joint_id][2] = -s1 * c2 * z * y - c1 * s2 * z * x - c2 * y * x


CUSTOM = {"RevoluteX": RevoluteX, "EulerZYX": EulerZYX}


def entries(*files: str) -> list:
    """Parameters of a test: the file and the number of each entry."""
    return [
        pytest.param(name, k, id=f"{name[5:]}-{entry['model']}")
        for name in files
        for k, entry in enumerate(read(name)["entries"])
    ]


def entry_of(file: str, k: int) -> dict:
    return read(file)["entries"][k]


def is_at_hand(entry: dict) -> bool:
    file = model_file(entry)
    return file is None or model_path(file).exists()


def model_path(file: str):
    found = MODELS / "rbdl" / file
    return found if found.exists() else MODELS / "bench" / file


def build(entry: dict) -> rbdl.Model:
    """The model of an entry; construction calls must return RBDL's ids."""
    source = entry["source"]
    if "calls" in source:
        return from_calls(source["calls"])
    file = source.get("lua_file") or source["urdf_file"]
    floating = {"floating_base": True} if source.get("floating_base") else {}
    model = rbdl.loadModel(str(model_path(file)), **floating)
    if file == "nao.urdf":
        model._grown = with_axes_as_written(model._grown, entry["structure"])
    return model


def from_calls(calls: list[dict]) -> rbdl.Model:
    model = rbdl.Model()
    for call in calls:
        if call["op"] == "set_gravity":
            model.gravity = call["gravity"]
            continue
        parent = () if call["op"] == "AppendBody" else (call["parent_id"],)
        returned = getattr(model, call["op"])(
            *parent, transform(call["joint_frame"]), _joint(call), body(call["body"]), call["name"]
        )
        assert returned == call["returns"]
    return model


def transform(record: dict) -> rbdl.SpatialTransform:
    return rbdl.SpatialTransform(record["E"], record["r"])


def body(record: dict) -> rbdl.Body:
    return rbdl.Body(record["mass"], record["com"] or (0.0, 0.0, 0.0), record["inertia"])


def _joint(call: dict) -> Any:
    if call["op"] == "AddBodyCustomJoint":
        return CUSTOM[call["custom_joint"]]()
    kind, axes = call["joint"]["type"], call["joint"]["axes"]
    if kind == "JointTypeRevolute":
        return rbdl.Joint(rbdl.JointTypeRevolute, axes[0][:3])
    if kind == "JointTypePrismatic":
        return rbdl.Joint(rbdl.JointTypePrismatic, axes[0][3:])
    if kind == "JointTypeHelical" or "DoF" in kind:
        return rbdl.Joint.fromJointAxes(axes)
    return rbdl.Joint.fromJointType(kind)


def record_of(X: rbdl.SpatialTransform) -> dict:
    return {"E": X.E, "r": X.r}


def structure(model: rbdl.Model, expected: dict) -> dict[str, Any]:
    """The fields of ``expected`` read off a facade model."""
    fields = {
        key: getattr(model, key)
        for key in (
            *("dof_count", "q_size", "qdot_size", "previously_added_body_id"),
            *("fixed_body_discriminator", "mu", "multdof3_w_index"),
        )
    }
    fields |= {
        "gravity": list(model.gravity),
        "lambda": model.lambda_,
        "body_ids": model.mBodyNameMap,
        "bodies": [_body(b, e) for b, e in zip(model.mBodies, expected["bodies"], strict=True)],
        "joints": [
            {
                "type": joint.mJointType.name.removeprefix("JointType"),
                "dof_count": joint.mDoFCount,
                "q_index": joint.q_index,
                "axes": [axis.tolist() for axis in joint.mJointAxes],
            }
            for joint in model.mJoints
        ],
        "X_T": [record_of(X) for X in model.X_T],
        "joint_update_order": model.mJointUpdateOrder,
        "fixed_bodies": [
            {
                "id": model.fixed_body_discriminator + k,
                "movable_parent": fixed.mMovableParent,
                "parent_transform": record_of(fixed.mParentTransform),
                **_mass(fixed, e),
            }
            for k, (fixed, e) in enumerate(
                zip(model.mFixedBodies, expected["fixed_bodies"], strict=True)
            )
        ],
        "queries": {
            number: {
                "GetParentBodyId": model.GetParentBodyId(int(number)),
                "GetJointFrame": record_of(model.GetJointFrame(int(number))),
                "GetBodyName": model.GetBodyName(int(number)),
            }
            for number in expected["queries"]
        },
    }
    return fields | {name: getattr(rbdl, name)(model) for name in TEXTS if name in expected}


def _mass(body: rbdl.Body, expected: dict) -> dict:
    """A massless body's centre of mass, null in the reference, has no meaning.

    Nor has what is above the diagonal of an inertia that is not symmetric, as in the manual's
    examples: RBDL and we drop it at different times.
    """
    com = None if expected["com"] is None else body.mCenterOfMass
    inertia, theirs = body.mInertia.copy(), array(expected["inertia"])
    if not np.allclose(theirs, theirs.T) or not np.allclose(inertia, inertia.T):
        upper = np.triu_indices(3, 1)
        inertia[upper] = theirs[upper]
    return {"mass": body.mMass, "com": com, "inertia": inertia}


def _body(body: rbdl.Body, expected: dict) -> dict:
    return {**_mass(body, expected), "virtual": body.mIsVirtual}
