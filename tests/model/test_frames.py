"""How frames are given: as transforms, as poses, by quaternions and by angles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.model import Box, Fixed, Revolute, Visual
from polhode.scene import Bushing, Loop, LoopKind
from polhode.spatial import Mat3, Transform, Vec3
from random_trees import random_rotation


def random_pose(seed: int = 1) -> Any:
    """The pose of a frame: the columns of its rotation are the frame's axes."""
    rng = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = random_rotation(rng), rng.standard_normal(3)
    return pose


def pose_of(frame):
    """Where a link fixed to the base by ``frame`` is."""
    return ph.body_pose(ph.Model("m").add("a", joint=Fixed(), frame=frame), [], "a")


def test_a_pose_is_the_pose_of_the_body():
    """What `body_pose` gives is what ``frame`` takes."""
    pose = random_pose()
    assert np.array_equal(pose_of(pose), pose)
    assert np.array_equal(pose_of(pose.tolist()), pose)
    assert np.array_equal(pose_of(Transform.from_pose(pose)), pose)
    single = pose.astype(np.float32)
    assert np.array_equal(pose_of(single), single)


def test_every_frame_takes_a_pose():
    """Those of visuals, attached models, geometries, bushings and loops as well."""
    pose, X = random_pose(), Transform.from_pose(random_pose())
    arm = ph.Model("arm").add("a", joint=Revolute.z(), mass=1.0)
    assert Visual(Box((1.0, 1.0, 1.0)), pose).frame == X
    assert arm.attach(arm, to="a", frame=pose, prefix="b_").links[1].frame == X
    scene = ph.Scene.of(arm).add_geometry("g", ("arm", "a"), Box((1.0, 1.0, 1.0)), frame=pose)
    assert scene.geometries[-1].frame == X
    assert Bushing("b", None, ("arm", "a"), pose).frame_a == X
    assert Loop("l", LoopKind.FIXED, None, ("arm", "a"), frame_b=pose).frame_b == X


def test_quaternions():
    """In the order w x y z, of any length, and turning as those of scenes do."""
    q, p = np.array([0.3, -0.5, 0.7, 0.1]), (1.0, 2.0, 3.0)
    pose = pose_of(Transform.from_quaternion(q, p))
    assert np.allclose(pose_of(Transform.from_quaternion(-4.0 * q, p)), pose, atol=1e-15)
    box = {"position": p, "quaternion": q}
    scene = ph.Scene().add_fixed("box", Box((1.0, 1.0, 1.0)), **box)
    assert pose_of(scene.machines[0].model.links[0].frame).tolist() == pose.tolist()
    quarter = Transform.from_quaternion((1.0, 0.0, 0.0, 1.0))  # about z
    assert np.allclose(pose_of(quarter)[:3, 0], [0.0, 1.0, 0.0])


def test_roll_pitch_yaw(tmp_path):
    """As a URDF reads them, about the axes of the parent."""
    path = tmp_path / "m.urdf"
    path.write_text(
        '<robot name="m"><link name="base"/><link name="a"/><joint name="j" type="fixed">'
        '<parent link="base"/><child link="a"/><origin xyz="1 2 3" rpy="0.1 -0.7 2.5"/>'
        "</joint></robot>"
    )
    expected = ph.body_pose(ph.load(path), [], "a")
    pose = pose_of(Transform.from_rpy(0.1, -0.7, 2.5, (1.0, 2.0, 3.0)))
    assert np.allclose(pose, expected, rtol=0.0, atol=1e-15)
    assert np.allclose(
        pose_of(Transform.from_rpy(0.0, 0.0, 0.3))[:2, 0], [np.cos(0.3), np.sin(0.3)]
    )


SCALE = np.diag([2.0, 2.0, 2.0, 1.0])
MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])
LAST_ROW = np.eye(4) + np.diag([0.0, 0.0, 0.0, 1.0])
NAN = np.where(np.eye(4) == 1.0, np.nan, 0.0)
WRONG = [
    (SCALE, r"not orthogonal: R\^T R differs from the identity by 3, the determinant is 8"),
    (MIRROR, "a reflection: R.T R differs from the identity by 0, the determinant is -1"),
    (Transform(Mat3.identity() * 2.0, Vec3.zero()), "not orthogonal: .* the determinant is 8"),
    (Transform(-Mat3.identity(), Vec3.zero()), "a reflection"),
    (LAST_ROW, "the last 0 0 0 1"),
    (NAN, "finite"),
    (
        np.eye(3),
        "a Transform or a 4x4 matrix as frame, got 3 rows; Transform.translation, Transform",
    ),
    ((1.0, 2.0, 3.0), "got 3 rows"),
    (np.zeros((4, 3)), "4 numbers as each row of frame, got 3"),
    ("above", "a Transform or a 4x4 matrix as frame, got 'above'"),
]


@pytest.mark.parametrize(("frame", "message"), WRONG)
def test_other_frames_are_refused(frame, message):
    """Scales and reflections with how far they are from a rotation, and the link is named."""
    with pytest.raises(ModelError, match=rf"{message}.*\(link 'a', model 'm'\)"):
        ph.Model("m").add("a", frame=frame)
    with pytest.raises(ModelError, match=message):
        ph.Model("m").attach(ph.Model("n").add("a"), frame=frame)


@pytest.mark.parametrize("quaternion", [(0.0,) * 4, (np.nan, 0.0, 0.0, 0.0), (np.inf, 0, 0, 0)])
def test_quaternions_without_a_direction_are_refused(quaternion):
    """Zero, and what is not finite."""
    with pytest.raises(ValueError, match="finite and not zero"):
        Transform.from_quaternion(quaternion)
