"""What MuJoCo's own numbers leave out or are off by, found with MuJoCo itself.

The inertia of a mesh comes from its vertices as the file has them, by sums over tetrahedra of its
convex hull: no number of polhode is part of it.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull


def sleeping_tendons(path: Path, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """Which tendons have no body that is awake, (states, tendons); none in a MuJoCo without sleep.

    MuJoCo lists the first two trees of a tendon; those of more count as awake.
    """
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    asleep = np.zeros((len(qpos), model.ntendon), bool)
    if not hasattr(data, "tree_awake"):
        return asleep
    for k, (q, v) in enumerate(zip(qpos, qvel, strict=True)):
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        for tendon, count in enumerate(model.tendon_treenum):
            trees = model.tendon_treeid[tendon, :count]
            asleep[k, tendon] = 0 < len(trees) == count and not data.tree_awake[trees].any()
    return asleep


def of_mesh_axes(path: Path) -> float:
    """How far angular accelerations are off because MuJoCo's axes of a mesh are not principal.

    The inertia that MuJoCo leaves out is between its axes.  Of an acceleration ``a`` the error is
    ``I^-1 dI a`` to first order, at most the largest entry of ``dI`` by the least moment.
    """
    import mujoco

    spec = mujoco.MjSpec.from_file(str(path))
    model, worst = spec.compile(), 0.0
    for k, mesh in enumerate(spec.meshes):
        vertices = np.array(mesh.uservert, float).reshape(-1, 3) * mesh.scale
        if len(vertices) < 4 or len(mesh.userface):
            continue  # only a mesh that is its convex hull has one inertia by every definition
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.mesh_quat[k])
        R = R.reshape(3, 3)
        inertia = R.T @ inertia_of_hull(vertices) @ R
        between = max(abs(inertia[i, j]) for i, j in combinations(range(3), 2))
        worst = max(worst, between / float(inertia.diagonal().min()))
    return worst


def inertia_of_hull(vertices: np.ndarray) -> np.ndarray:
    """Of unit density, about the centre of mass of the convex hull of vertices (n, 3)."""
    inside = vertices.mean(axis=0)
    corners = vertices[ConvexHull(vertices).simplices] - inside
    volume = np.abs(np.linalg.det(corners)) / 6.0
    total = corners.sum(axis=1)
    com = volume @ total / 4.0 / volume.sum()
    second = np.einsum("t,tai,taj->ij", volume, corners, corners)
    second = (second + np.einsum("t,ti,tj->ij", volume, total, total)) / 20.0
    second -= volume.sum() * np.outer(com, com)
    return np.trace(second) * np.eye(3) - second
