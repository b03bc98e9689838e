"""A triangle mesh in the table: faces in a tree of boxes, normals that tell inside from outside."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ..errors import ModelError
from ..model import TriangleMesh
from . import shape_layout as at


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
    numbers += _normals(vertices, faces).ravel().tolist()
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


def _normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Of each face its own normal, and the mean ones at its edges and corners.

    Corners weigh faces by their angle. Then a point is outside if it lies on the positive side of
    the nearest feature's normal, else inside (Baerentzen and Aanaes 2005).
    """
    corners = vertices[faces]
    sides = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(sides[:, 0], sides[:, 1])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    lengths = np.linalg.norm(sides, axis=2)
    into = -np.roll(sides, 1, axis=1)
    cosines = np.einsum("fki,fki->fk", sides, into) / (lengths * np.roll(lengths, 1, axis=1))
    angles = np.arccos(np.clip(cosines, -1.0, 1.0))
    at_vertex = np.zeros_like(vertices)
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
