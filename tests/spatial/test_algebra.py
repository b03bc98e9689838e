"""Spatial algebra agrees with dense 6x6 matrices and with its own laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polhode.spatial import (
    LDL,
    ArticulatedInertia,
    Force,
    ForceSubspace,
    Inertia,
    Mat3,
    Motion,
    Quaternion,
    Subspace,
    Sym3,
    Transform,
    Vec3,
    rotation_about,
    rotation_x,
    rotation_y,
    rotation_z,
)

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**32 - 1)


def vec3(rng) -> Vec3:
    return Vec3.of(rng.standard_normal(3))


def motion(rng) -> Motion:
    return Motion(vec3(rng), vec3(rng))


def transform(rng) -> Transform:
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    return Transform(rotation_about(Vec3.of(axis), rng.uniform(-4, 4)), vec3(rng))


def sym3(rng) -> Sym3:
    A = rng.standard_normal((3, 3))
    return Sym3.lower(Mat3.of(A @ A.T))


def inertia(rng) -> Inertia:
    return Inertia.about_com(rng.uniform(0.1, 3), vec3(rng), sym3(rng))


def articulated(rng) -> ArticulatedInertia:
    return ArticulatedInertia(sym3(rng), Mat3.of(rng.standard_normal((3, 3))), sym3(rng))


def columns(operator, kind) -> np.ndarray:
    """The 6x6 matrix of a linear operator on motions or forces."""
    return np.array([list(operator(kind.of(e))) for e in np.eye(6)]).T


def dense(operator) -> np.ndarray:
    return columns(lambda m: operator @ m, Motion)


@given(seeds)
def test_transforms_form_a_group(seed):
    """Products and inverses of transforms are those of their matrices."""
    rng = np.random.default_rng(seed)
    X, Y = transform(rng), transform(rng)
    np.testing.assert_allclose(dense(X @ Y), dense(X) @ dense(Y), atol=100 * EPS)
    np.testing.assert_allclose(dense(X.inverse()) @ dense(X), np.eye(6), atol=100 * EPS)


@given(seeds)
def test_force_transforms_are_transposes(seed):
    """``X.T @ f`` is the transpose of ``X @ m``, and ``to_child`` undoes it."""
    rng = np.random.default_rng(seed)
    X, f = transform(rng), Force(vec3(rng), vec3(rng))
    np.testing.assert_allclose(columns(lambda g: X.T @ g, Force), dense(X).T, atol=10 * EPS)
    np.testing.assert_allclose(list(X.to_child(X.T @ f)), list(f), atol=200 * EPS)


@given(seeds)
def test_cross_products_are_dual(seed):
    """Power does not change in a moving frame: ``(v x m) . f + m . (v x* f) = 0``."""
    rng = np.random.default_rng(seed)
    v, m, f = motion(rng), motion(rng), Force(vec3(rng), vec3(rng))
    assert abs(v.cross(m).dot(f) + m.dot(v.cross(f))) < 500 * EPS


@pytest.mark.parametrize("make", [inertia, articulated])
@given(seed=seeds)
def test_congruences_are_matrix_products(make, seed):
    """``X.T @ I @ X`` is the product of three matrices, through factors or not."""
    rng = np.random.default_rng(seed)
    I, X = make(rng), transform(rng)
    turns = (rotation_x, rotation_y, rotation_z)
    permuted = Transform(Mat3.of(((0, 0, -1), (1, 0, 0), (0, -1, 0))), vec3(rng))
    plane = Transform(turns[seed % 3](rng.uniform(-4, 4)), vec3(rng)) @ permuted
    assert plane.factors and not X.factors
    for Y in (X, plane):
        expected = dense(Y).T @ dense(I) @ dense(Y)
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(dense(Y.T @ I @ Y), expected, atol=100 * EPS * scale)


def test_congruence_needs_the_same_transform_twice():
    """A congruence with two different transforms is refused."""
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="same transform"):
        transform(rng).T @ inertia(rng) @ transform(rng)


@given(seeds)
def test_net_force_is_the_equation_of_motion(seed):
    """``net_force`` is ``I a + v x* I v``."""
    rng = np.random.default_rng(seed)
    I, v, a = inertia(rng), motion(rng), motion(rng)
    expected = np.array(list(I @ a + v.cross(I @ v)))
    atol = 100 * EPS * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(list(I.net_force(v, a)), expected, atol=atol)


@given(seeds, st.integers(1, 6))
def test_ldl_solves_and_projects(seed, n):
    """The factors solve, and ``U A^-1 U^T`` is what dense algebra makes of it."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, n))
    A = B @ B.T + np.eye(n)
    b, U = rng.standard_normal(n), rng.standard_normal((6, n))
    factors = LDL.of(A)
    np.testing.assert_allclose(factors.solve(b), np.linalg.solve(A, b), rtol=1e-10, atol=1e-12)
    subspace = ForceSubspace(tuple(Force.of(u) for u in U.T))
    expected = U @ np.linalg.inv(A) @ U.T
    np.testing.assert_allclose(dense(factors.projection(subspace)), expected, atol=1e-11)


@given(seeds)
def test_subspaces_are_matrices(seed):
    """Products with a subspace and its transpose are those of the 6 x n matrix."""
    rng = np.random.default_rng(seed)
    S, F = rng.standard_normal((2, 6, 3))
    subspace = Subspace(tuple(Motion.of(s) for s in S.T))
    forces = ForceSubspace(tuple(Force.of(f) for f in F.T))
    x = rng.standard_normal(3)
    np.testing.assert_allclose(list(subspace @ x), S @ x, atol=50 * EPS)
    np.testing.assert_allclose(subspace.T @ forces, S.T @ F, atol=50 * EPS)
    np.testing.assert_allclose(forces.T @ subspace, F.T @ S, atol=50 * EPS)


@given(seeds, st.floats(0, np.pi - 1e-9))
def test_rotation_vectors_come_back(seed, angle):
    """exp and log undo each other up to half a turn, also through the matrix."""
    rng = np.random.default_rng(seed)
    axis = rng.standard_normal(3)
    turn = axis / np.linalg.norm(axis) * angle
    quaternion = Quaternion.exp(Vec3.of(turn))
    np.testing.assert_allclose(list(quaternion.log()), turn, atol=20 * EPS * max(1, angle))
    again = Quaternion.from_matrix(quaternion.matrix())
    np.testing.assert_allclose(list(again.log()), turn, atol=5e-15)


@pytest.mark.parametrize("axis", np.eye(3))
def test_half_turns_are_exact(axis):
    """The matrix of a half turn about a coordinate axis gives its quaternion and angle."""
    half = Mat3.of(2 * np.outer(axis, axis) - np.eye(3))
    quaternion = Quaternion.from_matrix(half)
    np.testing.assert_allclose(np.abs(list(quaternion.log())), np.pi * axis, atol=1e-15)


def test_quaternion_matrix_turns_coordinates():
    """``matrix`` is the coordinate rotation of the same axis and angle."""
    axis = Vec3(0.6, 0.0, 0.8)
    expected = rotation_about(axis, 1.1).rows()
    np.testing.assert_allclose(Quaternion.about(axis, 1.1).matrix().rows(), expected, atol=4 * EPS)


def test_motions_and_forces_do_not_mix():
    """Operations that have no meaning say what was expected."""
    m, f = Motion(Vec3(1.0, 0.0, 0.0), Vec3.zero()), Force(Vec3(1.0, 0.0, 0.0), Vec3.zero())
    for operation, said in (
        (lambda: m + f, "expected a Motion to add to a Motion, got Force"),
        (lambda: f - m, "expected a Force to subtract from a Force, got Motion"),
        (lambda: f.dot(f), "expected a Motion along which the power of a Force is asked, got F"),
        (lambda: m.dot(m), "expected a Force whose power along a Motion is asked, got Motion"),
        (lambda: m.cross(Vec3.zero()), "expected a Force or a Motion to cross with a Motion"),
        (lambda: m * f, "expected a scalar to multiply a Motion by, got Force"),
    ):
        with pytest.raises(TypeError, match=said):
            operation()
    assert m.dot(f) == f.dot(m) == 1.0
