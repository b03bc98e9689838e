"""RBDL's spatial algebra, quaternions and solvers through the facade."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polhode import rbdl
from polhode.rbdl import Quaternion, SpatialRigidBodyInertia, SpatialTransform
from rbdl.cases import PROGRAM, record_of, transform
from reference.cases import MODELS, Tally, array, read

ENTRIES = read("rbdl_math")["entries"]


def inertia(record: dict) -> SpatialRigidBodyInertia:
    return SpatialRigidBodyInertia(record["m"], record["h"], *record["I"])


def inertia_record(I: SpatialRigidBodyInertia) -> dict:
    triangle = [I.Ixx, I.Iyx, I.Iyy, I.Izx, I.Izy, I.Izz]
    again = SpatialRigidBodyInertia.createFromMatrix(I.toMatrix())
    assert np.allclose(again.toMatrix(), I.toMatrix())
    return {"m": I.m, "h": I.h, "I": triangle, "matrix": I.toMatrix()}


def ltl(lambda_q: list, H: list, x: list) -> dict:
    L, x = array(H), array(x)
    rbdl.SparseFactorizeLTL(lambda_q, L)
    assert np.allclose(rbdl.SparseMultiplyLTx(lambda_q, L, rbdl.SparseMultiplyLx(lambda_q, L, x)),
                       array(H) @ x)  # fmt: skip
    assert np.allclose(rbdl.SparseMultiplyHx(lambda_q, array(H), x), array(H) @ x)
    return {
        "L_lower_triangle": np.tril(L),
        "SparseSolveLx": rbdl.SparseSolveLx(lambda_q, L, x.copy()),
        "SparseSolveLTx": rbdl.SparseSolveLTx(lambda_q, L, x.copy()),
    }


def solved(A: list, b: list) -> dict:
    x = np.full(len(b), np.nan)
    assert rbdl.LinSolveGaussElimPivot(array(A), array(b), x) is x
    return {"returned": True, "x": x}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(rbdl, name) for name in (
        *("rotx", "roty", "rotz", "rotxdot", "rotydot", "rotzdot", "VectorCrossMatrix"),
        *("Xrotx_mat", "Xroty_mat", "Xrotz_mat", "Xtrans_mat", "XtransRotZYXEuler"),
        *("parallel_axis", "angular_velocity_from_angle_rates"),
        *("global_angular_velocity_from_rates", "angular_acceleration_from_angle_rates"),
    )},
    "Xrotx": lambda a: record_of(rbdl.Xrotx(a)),
    "Xroty": lambda a: record_of(rbdl.Xroty(a)),
    "Xrotz": lambda a: record_of(rbdl.Xrotz(a)),
    "Xrot": lambda a, axis: record_of(rbdl.Xrot(a, axis)),
    "Xtrans": lambda r: record_of(rbdl.Xtrans(r)),
    "SpatialTransform.toMatrix": lambda X: transform(X).toMatrix(),
    "SpatialTransform.toMatrixAdjoint": lambda X: transform(X).toMatrixAdjoint(),
    "SpatialTransform.toMatrixTranspose": lambda X: transform(X).toMatrixTranspose(),
    "SpatialTransform.inverse": lambda X: record_of(transform(X).inverse()),
    "SpatialTransform*SpatialTransform": lambda X, Y: record_of(transform(X) * transform(Y)),
    "SpatialTransform.apply": lambda X, v: transform(X).apply(v),
    "SpatialTransform.applyTranspose": lambda X, f: transform(X).applyTranspose(f),
    "SpatialTransform.applyAdjoint": lambda X, f: transform(X).applyAdjoint(f),
    "SpatialTransform.apply(inertia)": lambda X, I: inertia_record(transform(X).apply(inertia(I))),
    "SpatialTransform.applyTranspose(inertia)": lambda X, I: inertia_record(
        transform(X).applyTranspose(inertia(I))
    ),
    "SpatialRigidBodyInertia.createFromMassComInertiaC": lambda m, c, I: inertia_record(
        SpatialRigidBodyInertia.createFromMassComInertiaC(m, c, I)
    ),
    "SpatialRigidBodyInertia*vector": lambda I, v: inertia(I) * v,
    "SpatialRigidBodyInertia+SpatialRigidBodyInertia": lambda I, J: inertia_record(
        inertia(I) + inertia(J)
    ),
    "crossm(v,w)": rbdl.crossm,
    "crossf(v,w)": rbdl.crossf,
    "crossm(v)": rbdl.crossm,
    "crossf(v)": rbdl.crossf,
    "Quaternion.toMatrix": lambda q: Quaternion(q).toMatrix(),
    "Quaternion.conjugate": lambda q: Quaternion(q).conjugate(),
    "Quaternion*Quaternion": lambda p, q: Quaternion(p) * Quaternion(q),
    "Quaternion.slerp": lambda p, alpha, q: Quaternion(p).slerp(alpha, q),
    "Quaternion.rotate": lambda q, v: Quaternion(q).rotate(v),
    "Quaternion.omegaToQDot": lambda q, w: Quaternion(q).omegaToQDot(w),
    "Quaternion.timeStep": lambda q, w, dt: Quaternion(q).timeStep(w, dt),
    "Quaternion.fromAxisAngle": Quaternion.fromAxisAngle,
    "Quaternion.fromZYXAngles": Quaternion.fromZYXAngles,
    "Quaternion.fromYXZAngles": Quaternion.fromYXZAngles,
    "Quaternion.fromXYZAngles": Quaternion.fromXYZAngles,
    "Quaternion.fromMatrix": Quaternion.fromMatrix,
    "Quaternion.fromGLRotate": Quaternion.fromGLRotate,
    "CalcAngularVelocityfromMatrix": rbdl.CalcAngularVelocityfromMatrix,
    "SparseFactorizeLTL/SparseSolve": ltl,
    "LinSolveGaussElimPivot": solved,
}  # fmt: skip


@pytest.mark.parametrize("function", sorted({e["function"] for e in ENTRIES} - {"Lua side tables"}))
def test_math(function, record_property):
    """A function on all its examples; half turns by the orientation that they mean."""
    tally = Tally(PROGRAM)
    for k, entry in enumerate(ENTRIES):
        if entry["function"] != function:
            continue
        inputs, expected = entry["inputs"], entry["output"]
        inputs = list(inputs.values()) if isinstance(inputs, dict) else inputs
        compute = FUNCTIONS[function]
        if is_half_turn(inputs):
            tally.compare(function, f"half turn {k}", lambda i=inputs: half_turn(function, i),
                          inputs[0])  # fmt: skip
            continue
        tally.compare(
            function, f"example {k}", lambda c=compute, i=inputs: signed(function, c(*i)),
            signed(function, expected),
        )  # fmt: skip
    tally.close(record_property)


def signed(function: str, value: Any) -> Any:
    """A quaternion read off a matrix may have either sign: the one with w >= 0."""
    if function != "Quaternion.fromMatrix" or value[3] >= 0.0:
        return value
    return [-x for x in value]


def is_half_turn(inputs: list) -> bool:
    """Where RBDL's fromMatrix gives NaN and its CalcAngularVelocityfromMatrix zero."""
    if len(inputs) != 1 or np.shape(inputs[0]) != (3, 3):
        return False
    return abs(np.trace(array(inputs[0])) + 1.0) < 1e-12


def half_turn(function: str, inputs: list) -> np.ndarray:
    """The matrix that our answer stands for."""
    if function == "Quaternion.fromMatrix":
        return Quaternion.fromMatrix(inputs[0]).toMatrix()
    turn = rbdl.CalcAngularVelocityfromMatrix(inputs[0])
    angle = float(np.linalg.norm(turn))
    return Quaternion.fromAxisAngle(turn, angle).toMatrix().T


@pytest.mark.parametrize("k", range(2))
def test_lua_side_tables(k, record_property):
    """Points, frames, markers and set names; RBDL leaves out the markers of the last frame."""
    tally = Tally(PROGRAM)
    tables = [e["output"] for e in ENTRIES if e["function"] == "Lua side tables"][k]
    path = str(MODELS / "rbdl" / tables["lua_file"])
    if not Path(path).exists():
        tally.count("Lua side tables", "model file not at hand")
        return tally.close(record_property)
    model = rbdl.loadModel(path)

    def record(point):
        return {"name": point.name, "body_name": point.body_name, "body_id": point.body_id,
                "point": point.point_local}  # fmt: skip

    points = [record(point) for point in rbdl.LuaModelReadPoints(path, model)]
    tally.compare("LuaModelReadPoints", path, lambda: points, tables["LuaModelReadPoints"])
    frames = [
        {"name": f.name, "body_name": f.body_name, "body_id": f.body_id, "r": f.r, "E": f.E}
        for f in rbdl.LuaModelReadLocalFrames(path, model)
    ]
    tally.compare(
        "LuaModelReadLocalFrames", path, lambda: frames, tables["LuaModelReadLocalFrames"]
    )
    markers = {
        point.name: record(point) for point in rbdl.LuaModelReadMotionCaptureMarkers(path, model)
    }
    for expected in tables["LuaModelReadMotionCaptureMarkers"]:
        tally.compare("LuaModelReadMotionCaptureMarkers", expected["name"],
                      lambda e=expected: markers[e["name"]], expected)  # fmt: skip
    names = tables["LuaModelGetConstraintSetNames"]
    tally.compare("LuaModelGetConstraintSetNames", path,
                  lambda: rbdl.LuaModelGetConstraintSetNames(path), sorted(names))  # fmt: skip
    phases = rbdl.LuaModelGetConstraintSetPhases(path, names)
    tally.compare("LuaModelGetConstraintSetPhases", path, lambda: phases,
                  tables.get("LuaModelGetConstraintSetPhases", []))  # fmt: skip
    return tally.close(record_property)


def test_phases_are_places_among_names(tmp_path):
    """The last phase too, which RBDL leaves at 0."""
    path = tmp_path / "model.lua"
    path.write_text(
        "return {constraint_set_phases={'one','two','one'},constraint_sets={one={},two={}}}"
    )
    assert rbdl.LuaModelGetConstraintSetNames(path) == ["one", "two"]
    assert rbdl.LuaModelGetConstraintSetPhases(path, ["two", "one"]) == [1, 0, 1]
    with pytest.raises(rbdl.RBDLFileParseError, match="two"):
        rbdl.LuaModelGetConstraintSetPhases(path, ["one"])


def test_vectors_and_matrices_are_arrays():
    """RBDL's constructors, with entries, sequences, or nothing."""
    assert np.array_equal(rbdl.Vector3d(1, 2, 3), [1.0, 2.0, 3.0])
    assert np.array_equal(rbdl.Vector3d.fromPythonArray([1, 2, 3]), [1.0, 2.0, 3.0])
    assert rbdl.SpatialVector().shape == (6,)
    assert rbdl.SpatialMatrix.Zero().shape == (6, 6)
    assert np.array_equal(rbdl.Matrix3d(np.eye(3)), rbdl.Matrix3d(*np.eye(3).ravel()))
    assert rbdl.VectorNd(4).shape == (4,)
    assert rbdl.MatrixNd(2, 3).shape == (2, 3)
    with pytest.raises(rbdl.RBDLSizeMismatchError, match="3 numbers"):
        rbdl.Vector3d(1, 2)


def test_transforms_are_values():
    """Products, inverses and equality."""
    X = rbdl.Xrotx(0.3) * rbdl.Xtrans([1.0, 2.0, 3.0])
    assert np.allclose((X * X.inverse()).toMatrix(), np.eye(6))
    assert SpatialTransform() == SpatialTransform()
    assert SpatialTransform() != X
