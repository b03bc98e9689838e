"""A triangle mesh in the table: faces in a tree of boxes, normals that tell inside from outside."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from ..errors import ModelError
from ..model import TriangleMesh
from . import shape_layout as at

FLAT = 1e-6  # of a mesh's extent: how far the corners of a flat region may be from its plane
STRAIGHT = 1e-3  # radians by which the faces beside an edge, or two edges, may be out of line


def mesh_numbers(mesh: TriangleMesh, numbers: list[float], place: int) -> None:
    """Append a mesh's vertices, faces in the order of its tree, normals and neighbours."""
    vertices = np.array(mesh.vertices)
    faces = np.array(mesh.faces, int)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    faces = faces[area > 1e-14 * np.ptp(vertices, axis=0).max() ** 2]
    if not len(faces):
        raise ModelError("expected a TriangleMesh with area, got none")
    nodes: list[list[float]] = []
    order = _tree(vertices[faces], np.arange(len(faces)), nodes, 0)
    faces = faces[order]
    rings = _rings(faces, len(vertices))

    def append(count_at: int, count: int, values_at: int, values: list[float]) -> None:
        numbers[place + count_at] = count
        numbers[place + values_at] = len(numbers)
        numbers.extend(values)

    append(at.N_VERTICES, len(vertices), at.VERTICES, vertices.ravel().tolist())
    append(at.N_FACES, len(faces), at.FACES, faces.ravel().tolist())
    append(at.N_NODES, len(nodes), at.TREE, [x for node in nodes for x in node])
    numbers[place + at.NORMALS] = len(numbers)
    normals, angles = _face_normals(vertices[faces]), _angles(vertices[faces])
    numbers += _normals(faces, len(vertices), normals, angles).ravel().tolist()
    regions, corners = _regions(vertices, faces, normals, angles)
    numbers[place + at.REGIONS] = len(numbers)
    numbers += regions.ravel().tolist()
    numbers[place + at.CORNERS] = len(numbers)
    numbers += corners.tolist()
    numbers[place + at.TRIANGLES] = len(numbers)
    numbers += _triangles(vertices[faces], len(numbers)).ravel().tolist()
    numbers[place + at.RINGS] = len(numbers)
    start = len(numbers) + 2 * len(rings)
    for ring in rings:
        numbers += [start, len(ring)]
        start += len(ring)
    for ring in rings:
        numbers += ring


def _tree(triangles: np.ndarray, members: np.ndarray, nodes: list, first: int) -> list[int]:
    """Nodes in the order of a walk; each knows where to go on when it is left out."""
    corners = triangles[members].reshape(-1, 3)
    node = [*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist(), 0.0, 0.0, 0.0]
    nodes.append(node)
    if len(members) <= at.LEAF:
        node[6], node[7] = first, len(members)
        order = [int(k) for k in members]
    else:
        centres = triangles[members].mean(axis=1)
        axis = int(np.argmax(np.ptp(centres, axis=0)))
        members = members[np.argsort(centres[:, axis], kind="stable")]
        half = len(members) // 2
        order = _tree(triangles, members[:half], nodes, first)
        order += _tree(triangles, members[half:], nodes, first + half)
    node[8] = len(nodes)
    return order


def _face_normals(corners: np.ndarray) -> np.ndarray:
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


def _angles(corners: np.ndarray) -> np.ndarray:
    """Of each face the angles at its corners."""
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = np.linalg.norm(sides, axis=2)
    into = -np.roll(sides, 1, axis=1)
    cosines = np.einsum("fki,fki->fk", sides, into) / (lengths * np.roll(lengths, 1, axis=1))
    return np.arccos(np.clip(cosines, -1.0, 1.0))


def _normals(
    faces: np.ndarray, n_vertices: int, normal: np.ndarray, angles: np.ndarray
) -> np.ndarray:
    """Of each face its own normal, and the mean ones at its edges and corners.

    Corners weigh faces by their angle. Then a point is outside if it lies on the positive side of
    the nearest feature's normal, else inside (Baerentzen and Aanaes 2005).
    """
    at_vertex = np.zeros((n_vertices, 3))
    at_edge: dict[tuple[int, int], np.ndarray] = defaultdict(lambda: np.zeros(3))
    for f, face in enumerate(faces.tolist()):
        for k in range(3):
            at_vertex[face[k]] += angles[f, k] * normal[f]
            at_edge[_edge(face, k)] += normal[f]
    table = np.empty((len(faces), 7, 3))
    table[:, 0] = normal
    for f, face in enumerate(faces.tolist()):
        for k in range(3):
            table[f, 1 + k] = at_edge[_edge(face, k)]
            table[f, 4 + k] = at_vertex[face[k]]
    return table


def _regions(
    vertices: np.ndarray, faces: np.ndarray, normal: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of each face its flat region and what lies on the border; which vertices are corners.

    A corner is where a region has an angle below 180 degrees.  A convex body touches the region
    within the hull of its corners.
    """
    shared = _shared_edges(faces, len(vertices))
    one, two = shared.T // 3
    level = np.einsum("fi,fi->f", normal[one], normal[two]) > math.cos(STRAIGHT)
    region = _flat_parts(vertices, faces, normal, shared[level] // 3)
    bits = np.full(len(faces), sum(at.BORDER))
    inner = shared[region[one] == region[two]].ravel()
    np.subtract.at(bits, inner // 3, np.array(at.BORDER)[inner % 3])

    keys, which = np.unique(region[:, None] * len(vertices) + faces, return_inverse=True)
    total = np.bincount(which.ravel(), angles.ravel(), len(keys))
    is_corner = (total < math.pi - STRAIGHT)[which.reshape(faces.shape)]
    corners = np.zeros(len(vertices))
    corners[faces[is_corner]] = 1.0
    bits += is_corner @ np.array(at.CORNER)
    return np.stack((region, bits), axis=1).astype(float), corners


def _shared_edges(faces: np.ndarray, n_vertices: int) -> np.ndarray:
    """Edges between two faces: numbers 3 f + k of edge k of either face f."""
    ends = np.stack((faces, np.roll(faces, -1, axis=1)), axis=-1).reshape(-1, 2)
    key = ends.min(axis=1) * n_vertices + ends.max(axis=1)
    _, which, counts = np.unique(key, return_inverse=True, return_counts=True)
    order = np.argsort(which, kind="stable")
    return order[counts[which[order]] == 2].reshape(-1, 2)


def _flat_parts(
    vertices: np.ndarray, faces: np.ndarray, normal: np.ndarray, level: np.ndarray
) -> np.ndarray:
    """Of each face the first face of its flat region; ``level``: pairs that may be in one."""
    slack = FLAT * np.ptp(vertices, axis=0).max()
    beside: dict[int, list[int]] = defaultdict(list)
    for one, two in level.tolist():
        beside[one].append(two)
        beside[two].append(one)
    region = np.full(len(faces), -1)
    for first in range(len(faces)):
        front = [first] if region[first] < 0 else []
        while front:
            face = front.pop()
            rise = (vertices[faces[face]] - vertices[faces[first, 0]]) @ normal[first]
            if region[face] < 0 and np.abs(rise).max() <= slack:
                region[face] = first
                front += beside[face]
    return region


def _triangles(corners: np.ndarray, place: int) -> np.ndarray:
    """Each face as a flat polyhedron, for searches of nearest points."""
    records = np.zeros((len(corners), at.TRIANGLE))
    records[:, at.KIND] = at.POLYHEDRON
    records[:, at.N_VERTICES] = 3
    records[:, at.VERTICES] = place + at.TRIANGLE * np.arange(len(corners)) + at.HEADER
    centres = corners.mean(axis=1)
    records[:, at.CENTRE : at.CENTRE + 3] = centres
    records[:, at.REACH] = np.linalg.norm(corners - centres[:, None], axis=2).max(axis=1)
    records[:, at.HEADER :] = corners.reshape(-1, 9)
    return records


def _edge(face: list[int], k: int) -> tuple[int, int]:
    a, b = face[k], face[(k + 1) % 3]
    return (a, b) if a < b else (b, a)


def _rings(faces: np.ndarray, count: int) -> list[list[int]]:
    """The vertices that share an edge with each vertex."""
    rings: list[set[int]] = [set() for _ in range(count)]
    for a, b, c in faces.tolist():
        rings[a] |= {b, c}
        rings[b] |= {c, a}
        rings[c] |= {a, b}
    return [sorted(ring) for ring in rings]
