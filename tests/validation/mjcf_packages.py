"""The MJCF files of Gymnasium and dm_control, with numbers that MuJoCo computes on the spot.

Together with those of the folder they are the files of which one in twenty may be refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

FOLDERS = {"gymnasium": "envs/mujoco/assets", "dm_control": "suite"}
STATES, TURN, SPEED = 3, 0.3, 0.5  # random ones: how far from the start, and how fast


def has_mujoco() -> bool:
    """Whether MuJoCo can be imported."""
    return find_spec("mujoco") is not None


def files() -> Iterator[tuple[str, Path]]:
    """Names and paths of the files of the packages that are installed beside MuJoCo."""
    for package, folder in FOLDERS.items():
        found = find_spec(package) if has_mujoco() else None
        if found is None or found.origin is None:
            continue
        root = Path(found.origin).parent
        for path in sorted((root / folder).glob("*.xml")):
            yield f"{package}/{path.name}", path


def computed(path: Path) -> dict[str, np.ndarray]:
    """What a folder lists for its files, at the start and at random states; contacts are off."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    off = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.disableflags |= off
    if model.nv == 0:
        return {}
    data, rng, rows = mujoco.MjData(model), np.random.default_rng(11), []
    for k in range(STATES):
        qpos = model.qpos0.copy()
        if k:
            mujoco.mj_integratePos(model, qpos, rng.standard_normal(model.nv), TURN)
            data.qvel[:] = SPEED * rng.standard_normal(model.nv)
        data.qpos[:] = qpos
        mujoco.mj_forward(model, data)
        mujoco.mj_energyVel(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        rows.append({
            "qpos": qpos, "qvel": data.qvel.copy(), "M": M, "bias": data.qfrc_bias.copy(),
            "passive": data.qfrc_passive.copy(),
            "qacc_free": np.linalg.solve(M, data.qfrc_passive - data.qfrc_bias),
            "tendon_length": data.ten_length.copy(), "energy": data.energy.copy(),
            "xpos": data.xpos.copy(), "xquat": data.xquat.copy(),
        })  # fmt: skip
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
