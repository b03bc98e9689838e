"""Random contact problems, and the laws of contact in NumPy: nothing of the solver's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from polhode import contact_problem as c

UP = np.array([0.0, 0.0, 1.0])


def skew(r):
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def tangents(n):
    t = np.cross(n, [1.0, 0.0, 0.0] if abs(n[0]) < 0.7 else [0.0, 1.0, 0.0])
    t /= np.linalg.norm(t)
    return np.array([n, t, np.cross(n, t)])


def rows_on(masses, inertias, velocities, blocks):
    """Rows on free bodies, from blocks ``(kind, [(body, J)], settings)``."""
    n = len(masses)
    mass = np.zeros((n, 6, 6))
    for j in range(n):
        mass[j, :3, :3], mass[j, 3:, 3:] = masses[j] * np.eye(3), inertias[j]
    height = [3 if kind == c.CONTACT else 1 for kind, _, _ in blocks]
    row = np.concatenate(([0], np.cumsum(height))).astype(np.int64)
    parts = [part for _, parts, _ in blocks for part in parts]
    sizes = [np.size(J) for _, J in parts]
    flat = [np.asarray(J, float).ravel() for _, J in parts]

    def each(name, default, dtype=float):
        return np.array([s.get(name, default) for _, _, s in blocks], dtype)

    def per_row(name):
        values = [np.broadcast_to(s.get(name, 0.0), h) for (_, _, s), h in zip(blocks, height)]  # noqa: B905
        return np.concatenate([np.zeros(0), *values]).astype(float)

    return c.ConstraintRows(
        node_dof=6 * np.arange(n + 1),
        node_mass=36 * np.arange(n + 1),
        mass=mass.ravel(),
        free=np.array(velocities, float).ravel(),
        kind=np.array([kind for kind, _, _ in blocks], np.int64),
        row=row,
        segment=np.cumsum([0, *(len(p) for _, p, _ in blocks)]).astype(np.int64),
        node=np.array([body for body, _ in parts], np.int64),
        value=np.cumsum([0, *sizes]).astype(np.int64),
        jacobian=np.concatenate([np.zeros(0), *flat]),
        bias=per_row("bias"),
        compliance=per_row("compliance"),
        mu=each("mu", 0.0),
        widening=each("widening", 0.0),
        edges=each("edges", 0, np.int64),
        lower=each("lower", 0.0),
        upper=each("upper", np.inf),
    )


def contact(a, b, point, normal, centres, **settings):
    """A contact between bodies ``a`` and ``b`` (None: the world), normal from b to a."""
    D = tangents(np.asarray(normal, float))
    parts = []
    for body, sign in ((a, 1.0), (b, -1.0)):
        if body is not None:
            parts.append((body, sign * np.hstack([D, -D @ skew(point - centres[body])])))
    return c.CONTACT, parts, settings


def box_inertia(m, s):
    return m / 12 * np.diag([s[1] ** 2 + s[2] ** 2, s[0] ** 2 + s[2] ** 2, s[0] ** 2 + s[1] ** 2])


def random_velocity(rng, strength=1.0):
    v = strength * rng.normal(size=3) * [1.0, 1.0, 0.3]
    return np.concatenate([v - [0.0, 0.0, 0.1], 0.5 * strength * rng.normal(size=3)])


def flat(rng, n, **settings):
    """A box on ``n`` points of the floor: more of them than needed to hold it."""
    m, s = rng.uniform(0.5, 3.0), rng.uniform(0.5, 2.0, 3)
    corners = [(x, y) for x in (-1, 1) for y in (-1, 1)]
    places = corners if n == 4 else rng.uniform(-1, 1, (n, 2))
    centres = [np.zeros(3)]
    blocks = [contact(0, None, 0.5 * s * [x, y, -1], UP, centres, **settings) for x, y in places]
    return rows_on([m], [box_inertia(m, s)], [random_velocity(rng)], blocks)


def tower(rng, n, masses=None, speed=1.0, **settings):
    """``n`` boxes on each other, four contacts a storey."""
    masses = rng.uniform(0.5, 3.0, n) if masses is None else masses
    sizes = [np.array([1.0, 1.0, rng.uniform(0.3, 1.0)]) for _ in range(n)]
    floors = np.concatenate(([0.0], np.cumsum([s[2] for s in sizes])))
    centres = [np.array([0, 0, floors[i] + sizes[i][2] / 2]) for i in range(n)]
    blocks = [
        contact(i, i - 1 if i else None, np.array([x, y, floors[i]]), UP, centres, **settings)
        for i in range(n)
        for x in (-0.5, 0.5)
        for y in (-0.5, 0.5)
    ]
    inertias = [box_inertia(m, s) for m, s in zip(masses, sizes, strict=True)]
    return rows_on(masses, inertias, [random_velocity(rng, speed) for _ in range(n)], blocks)


def pile(rng, n, speed=1.0, **settings):
    """Spheres in a heap."""
    side = max(1, round((n / 3) ** 0.5))
    centres, blocks = [], []
    for i in range(n):
        layer, rest = divmod(i, side * side)
        place = [rest % side + 0.5 * (layer % 2), rest // side + 0.5 * (layer % 2), 0.5]
        centres.append(np.array(place) + [0, 0, 0.82 * layer] + rng.normal(size=3) * [0.1, 0.1, 0])
        if layer == 0:
            blocks.append(contact(i, None, centres[i] - 0.5 * UP, UP, centres, **settings))
        for j in range(i):
            d = centres[i] - centres[j]
            if np.linalg.norm(d) < 1.1:
                middle = 0.5 * (centres[i] + centres[j])
                blocks.append(contact(i, j, middle, d / np.linalg.norm(d), centres, **settings))
    masses = rng.uniform(0.5, 2.0, n)
    inertias = [0.1 * m * np.eye(3) for m in masses]
    return rows_on(masses, inertias, [random_velocity(rng, speed) for _ in range(n)], blocks)


def dense(rows):
    """(M, J) as full matrices."""
    nv, m = rows.node_dof[-1], rows.row[-1]
    M, J = np.zeros((nv, nv)), np.zeros((m, nv))
    for j in range(len(rows.node_dof) - 1):
        a, b = rows.node_dof[j], rows.node_dof[j + 1]
        M[a:b, a:b] = rows.mass[rows.node_mass[j] :][: (b - a) ** 2].reshape(b - a, b - a)
    for k in range(len(rows.kind)):
        for s in range(rows.segment[k], rows.segment[k + 1]):
            a, b = rows.node_dof[rows.node[s]], rows.node_dof[rows.node[s] + 1]
            block = rows.jacobian[rows.value[s] : rows.value[s + 1]].reshape(-1, b - a)
            J[rows.row[k] : rows.row[k + 1], a:b] += block
    return M, J


def energy(rows, v):
    return 0.5 * v @ dense(rows)[0] @ v


def violation(rows, x, v):
    """Worst violation of any law, relative to the free velocities and their impulses."""
    M, J = dense(rows)
    u = J @ v + rows.bias + rows.compliance * x
    G = J @ np.linalg.solve(M, J.T) + np.diag(rows.compliance)
    speed = max(np.abs(J @ rows.free + rows.bias).max(initial=0.0), 1e-6)
    worst = np.abs(v - rows.free - np.linalg.solve(M, J.T @ x)).max() / speed
    for k, kind in enumerate(rows.kind):
        i = rows.row[k]
        g = G[i, i]
        push = speed / g + 1e-6 * abs(x[i])
        if kind == c.BILATERAL:
            worst = max(worst, abs(u[i]) / speed)
        elif kind == c.BOX:
            least = (u[i] * (x[i] - b) for b in (rows.lower[k], rows.upper[k]))
            worst = max(worst, max(least) / (speed * push))
            out = max(rows.lower[k] - x[i], x[i] - rows.upper[k], 0.0)
            worst = max(worst, out / push)
        elif kind == c.DISK:
            own, pull, rate = slice(i, i + 2), x[i : i + 2], u[i : i + 2]
            push = speed / np.linalg.eigvalsh(G[own, own])[-1] + 1e-6 * np.linalg.norm(pull)
            out = np.linalg.norm(pull) - rows.upper[k]
            slip = np.linalg.norm(rate)
            against = np.linalg.norm(pull + rows.upper[k] * rate / max(slip, 1e-300))
            worst = max(worst, out / push, min(slip / speed, against / push))
        else:
            above = x[i] - rows.lower[k]
            worst = max(worst, -above / push, -u[i] / speed, min(above / push, u[i] / speed))
        if kind == c.CONTACT:
            size = np.hypot(rows.mu[k] * x[i], rows.widening[k])
            xt, ut = x[i + 1 : i + 3], u[i + 1 : i + 3]
            slip, pull = np.linalg.norm(ut), np.linalg.norm(xt)
            if rows.mu[k] >= 100:
                size = np.inf if x[i] > 0 else 0.0
            h = np.linalg.eigvalsh(G[i + 1 : i + 3, i + 1 : i + 3])[-1]
            push = speed / h + 1e-6 * abs(x[i])
            worst = max(worst, (pull - size) / push)
            # Greatest dissipation: either no slip, or all friction there is, against it.
            if size < np.inf:
                worst = max(worst, min(slip / speed, np.linalg.norm(xt + size * ut / slip) / push)
                            if slip > 0 else 0.0)  # fmt: skip
            else:
                worst = max(worst, slip / speed)
    return worst


def run(rows, settings, x=None, door=c.solve):
    """(impulses, velocities, report)."""
    x = np.zeros(len(rows.bias)) if x is None else x.copy()
    v, report = np.zeros(len(rows.free)), c.Report()
    assert door(rows, x, v, settings, report) == report.worst
    return x, v, report


def reordered(rows, order):
    """The same rows with their blocks in another order, and the new place of each row."""
    M_blocks = []
    for k in order:
        parts = [
            (rows.node[s], rows.jacobian[rows.value[s] : rows.value[s + 1]])
            for s in range(rows.segment[k], rows.segment[k + 1])
        ]
        r = slice(rows.row[k], rows.row[k + 1])
        settings = dict(
            mu=rows.mu[k], widening=rows.widening[k], edges=rows.edges[k], lower=rows.lower[k],
            upper=rows.upper[k], bias=rows.bias[r], compliance=rows.compliance[r],
        )  # fmt: skip
        M_blocks.append((rows.kind[k], parts, settings))
    n = len(rows.node_dof) - 1
    masses = rows.mass.reshape(n, 6, 6)
    return rows_on(masses[:, 0, 0], masses[:, 3:, 3:], rows.free.reshape(n, 6), M_blocks)


def kept_problems(name):
    """Problems of random scenes that were left unsolved once: (rows, restitution, start)."""
    with np.load(Path(__file__).parent / name) as kept:
        count = sum(key.endswith(".start") for key in kept.files)
        fields = c.ConstraintRows._fields
        problems, names = [], fields[: fields.index("factor")]  # what is computed again is not kept
        for i in range(count):
            rows = c.ConstraintRows(*(kept[f"{i}.{name}"] for name in names))
            back = kept[f"{i}.back"] if f"{i}.back" in kept.files else np.zeros(len(rows.kind))
            problems.append((rows, back, kept[f"{i}.start"]))
    return problems
