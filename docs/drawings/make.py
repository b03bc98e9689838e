"""Draws the pictures of the concept pages: python docs/drawings/make.py [NAME ...]

The same script gives the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Polygon

HERE = Path(__file__).parent
INK, PALE, BLUE, ORANGE, GREEN, RED = (
    *("#1d242d", "#e8edf3", "#2f6fb3", "#d97a2b", "#3b8f5c", "#b8443c"),
)
mpl.rcParams.update(
    {
        "svg.hashsalt": "polhode",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 11,
    }
)


def canvas(width: float, height: float) -> Axes:
    """An empty sheet with a unit for each hundred pixels."""
    _, axes = plt.subplots(figsize=(width, height))
    axes.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    axes.axis("off")
    axes.figure.subplots_adjust(0, 0, 1, 1)
    return axes


def arrow(ax: Axes, start, end, color: str = INK, width: float = 1.8, bend: float = 0.0) -> None:
    style = f"arc3,rad={bend}"
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=13,
            color=color,
            lw=width,
            shrinkA=0,
            shrinkB=0,
            connectionstyle=style,
        )
    )


def label(ax: Axes, at, text: str, color: str = INK, size: float = 11, **more) -> None:
    more = {"ha": "center", "va": "center"} | more
    ax.text(*at, text, color=color, fontsize=size, **more)


def box(ax: Axes, at, size, text: str, color: str = PALE, ink: str = INK, points=10.5) -> None:
    corner = np.subtract(at, np.divide(size, 2))
    ax.add_patch(
        FancyBboxPatch(
            corner, *size, boxstyle="round,pad=0,rounding_size=0.08", fc=color, ec=INK, lw=1.0
        )
    )
    label(ax, at, text, ink, points, linespacing=1.35)


def frame(ax: Axes, at, angle: float, name: str, size: float = 0.55) -> None:
    """Two axes of a coordinate frame."""
    c, s = np.cos(angle), np.sin(angle)
    for (x, y), letter in (((c, s), "x"), ((-s, c), "y")):
        tip = np.add(at, np.multiply(size, (x, y)))
        arrow(ax, at, tip, GREEN, 1.5)
        label(ax, np.add(at, np.multiply(size + 0.14, (x, y))), letter, GREEN, 10)
    ax.add_patch(Circle(at, 0.045, color=GREEN))
    label(ax, np.add(at, np.multiply(0.24, (-c - s, c - s))), name, GREEN, 11, weight="bold")


def blob(ax: Axes, centre, width: float, height: float, seed: int) -> None:
    """A rigid body."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 2 * np.pi, 160)
    wave = 1 + sum(0.06 * rng.uniform(-1, 1) * np.cos(k * t + rng.uniform(0, 6)) for k in (2, 3, 4))
    points = np.stack((centre[0] + width * wave * np.cos(t), centre[1] + height * wave * np.sin(t)))
    ax.add_patch(Polygon(points.T, fc=PALE, ec=INK, lw=1.2))


def spatial_vectors() -> Axes:
    """A body's motion and the force on it, each as six numbers at a point."""
    ax = canvas(8.2, 3.4)
    for x, title in ((2.0, "motion: Motion(ang, lin)"), (6.2, "force: Force(ang, lin)")):
        blob(ax, (x, 1.4), 1.35, 0.8, int(x))
        label(ax, (x, 3.15), title, size=12, weight="bold")
    frame(ax, (1.35, 1.1), 0.25, "O")
    arrow(ax, (1.35, 1.1), (2.75, 0.8), BLUE, 2.4)
    label(ax, (3.45, 0.75), "lin: velocity of the\nbody's point at O", BLUE, 9.5, ha="left")
    arrow(ax, (1.5, 1.75), (2.45, 1.78), ORANGE, 2.4, bend=-0.7)
    label(ax, (1.9, 2.55), "ang: turning of the whole body", ORANGE, 9.5)
    frame(ax, (5.55, 1.1), 0.25, "O")
    arrow(ax, (5.55, 1.1), (6.75, 0.75), BLUE, 2.4)
    label(ax, (7.3, 0.48), "lin: the force", BLUE, 9.5)
    arrow(ax, (5.75, 1.75), (6.7, 1.78), ORANGE, 2.4, bend=-0.7)
    label(ax, (6.2, 2.55), "ang: its moment about O", ORANGE, 9.5)
    label(ax, (4.1, 0.12), "motion . force = power: six products, the same in every frame", INK, 10)
    return ax


def transform() -> Axes:
    """A transform: the child's axes and origin, seen from the parent."""
    ax = canvas(7.0, 2.9)
    blob(ax, (1.3, 1.0), 1.0, 0.65, 4)
    blob(ax, (5.2, 1.75), 1.15, 0.7, 9)
    frame(ax, (1.0, 0.85), 0.0, "p")
    frame(ax, (4.85, 1.6), 0.7, "i")
    arrow(ax, (1.0, 0.85), (4.82, 1.58), RED, 2.0)
    label(ax, (3.15, 1.47), "r: origin of i, in p's axes", RED, 9.5, rotation=11)
    label(ax, (5.6, 2.68), "E: takes p's numbers to i's", GREEN, 10)
    label(ax, (3.5, 0.18), "X = Transform(E, r):   X @ m  is the motion m of p seen from i,   "
          "X.T @ f  the force f back in p", INK, 9.5)  # fmt: skip
    return ax


PLACES = {0: (3.0, 0.45), 1: (3.0, 1.25), 2: (1.7, 2.05), 3: (1.2, 2.95), 4: (4.3, 2.05)}
PLACES |= {5: (3.8, 2.95), 6: (5.0, 2.95)}
PARENTS = {1: 0, 2: 1, 3: 2, 4: 1, 5: 4, 6: 4}


def draw_tree(ax: Axes, shift: float = 0.0, links: bool = True) -> dict:
    places = {i: (x + shift, y) for i, (x, y) in PLACES.items()}
    if links:
        for i, p in PARENTS.items():
            ax.plot(*zip(places[i], places[p], strict=True), color=INK, lw=1.3, zorder=0)
            middle = np.mean((places[i], places[p]), axis=0)
            ax.add_patch(Circle(middle, 0.07, fc="white", ec=ORANGE, lw=1.6))
    for i, at in places.items():
        ax.add_patch(Circle(at, 0.24, fc=PALE if i else INK, ec=INK, lw=1.2))
        label(ax, at, str(i), INK if i else "white", 11, weight="bold")
    return places


def tree() -> Axes:
    """A kinematic tree, its numbers and its parent array."""
    ax = canvas(9.2, 3.5)
    draw_tree(ax, -0.6)
    label(ax, (2.4, 0.12), "base", INK, 10)
    rows = [("i", ["1", "2", "3", "4", "5", "6"]), ("parent[i]", ["0", "1", "2", "1", "4", "4"])]
    for k, (name, entries) in enumerate(rows):
        y = 2.75 - 0.45 * k
        label(ax, (6.1, y), name, size=11, ha="right", family="monospace")
        for j, entry in enumerate(entries):
            label(ax, (6.4 + 0.3 * j, y), entry, BLUE if k else INK, 11, family="monospace")
    for k, (color, text) in enumerate(
        ((INK, "a circle is a body, a parent has the lower number"),
         (ORANGE, "a ring is a joint: the joint i leads to body i"),
         (BLUE, "so one loop over i goes from base to tips,\nand one over reversed i comes back"))
    ):  # fmt: skip
        label(ax, (5.1, 1.65 - 0.42 * k), text, color, 10, ha="left", va="top")
    return ax


def sweeps() -> Axes:
    """The two sweeps of inverse dynamics."""
    ax = canvas(9.6, 3.7)
    for shift, title, color, back in (
        (-0.7, "base to tips: velocities, accelerations, forces", BLUE, False),
        (4.2, "tips to base: each force added to its parent's", RED, True),
    ):
        places = draw_tree(ax, shift, links=False)
        for i, p in PARENTS.items():
            a, b = np.array(places[i]), np.array(places[p])
            way = (a - b) / np.linalg.norm(a - b)
            inner, outer = b + 0.27 * way, a - 0.27 * way
            arrow(ax, *((outer, inner) if back else (inner, outer)), color, 1.8)
        label(ax, (3.0 + shift, 3.45), title, color, 10.5, weight="bold")
    label(ax, (0.15, 0.35), "v, a from the parent's,\nplus the joint's share", BLUE, 9.5, ha="left")
    label(ax, (9.5, 0.35), "tau = what of f\nthe joint can push", RED, 9.5, ha="right")
    return ax


def layout() -> Axes:
    """Where the numbers of a floating base and an arm lie in q and in qd."""
    ax = canvas(8.4, 2.3)
    q = ["x", "y", "z", "qx", "qy", "qz", "arm", "hand", "qw"]
    v = ["vx", "vy", "vz", "wx", "wy", "wz", "arm", "hand"]
    colors = [BLUE] * 3 + [ORANGE] * 3 + [GREEN] * 2 + [ORANGE]
    for y, name, entries in ((1.65, "q", q), (0.85, "qd", v)):
        label(ax, (0.45, y), name, size=13, family="monospace", weight="bold")
        for k, entry in enumerate(entries):
            ax.add_patch(
                FancyBboxPatch(
                    (0.85 + 0.8 * k, y - 0.26),
                    0.74,
                    0.52,
                    fc="white",
                    ec=colors[k],
                    lw=1.6,
                    boxstyle="round,pad=0,rounding_size=0.06",
                )
            )
            label(ax, (1.22 + 0.8 * k, y), entry, colors[k], 11, family="monospace")
    for k in range(8):
        ax.plot([1.22 + 0.8 * k] * 2, [1.36, 1.14], color="#9aa5b1", lw=1.0)
    label(ax, (4.4, 0.3), "entry k of q belongs to entry k of qd; the quaternion's w waits at the "
          "end", INK, 10)  # fmt: skip
    return ax


def four_ways() -> Axes:
    """One algorithm, four ways of running it."""
    ax = canvas(8.6, 3.9)
    box(ax, (1.3, 2.0), (2.2, 1.1), "rnea(model, q, qd, qdd)\nthirty lines over scalars", "#fff")
    rows = [
        (3.4, (3.0, 3.2), "floats", "the definition", GREEN),
        (2.5, (3.25, 2.0), "arrays", "a batch in NumPy", GREEN),
        (1.3, (3.0, 1.35), "symbols", "a graph:\nfolded, fused", BLUE),
    ]
    for y, at, given, result, color in rows:
        arrow(ax, (2.45, 2.0), (3.55, y), color)
        label(ax, at, given, color, 10)
        box(ax, (4.45, y), (1.75, 0.7), result, PALE)
    exits = [
        (2.55, "machine code: SIMD,\na NumPy gufunc"),
        (1.7, "derivatives:\nanother graph"),
        (0.95, "C, CUDA,\nWebAssembly"),
    ]
    for y, text in exits:
        arrow(ax, (5.35, 1.3), (6.35, y), BLUE)
        box(ax, (7.35, y), (1.95, 0.62), text, PALE)
    label(ax, (4.3, 0.22), "all of them give the same numbers; compiled ones the same bits, "
          "however many at once", INK, 10)  # fmt: skip
    return ax


def joints() -> Axes:
    """What each kind of joint leaves free."""
    ax = canvas(8.6, 2.2)
    kinds = [
        ("Revolute", "turn"), ("Prismatic", "slide"), ("Screw", "turn and slide\ntogether"),
        ("Universal", "two turns"), ("Planar", "slide, slide,\nturn"),
        ("Spherical", "all turns"), ("FloatingBase", "everything"),
    ]  # fmt: skip
    for k, (name, text) in enumerate(kinds):
        x = 0.65 + 1.21 * k
        ax.add_patch(FancyBboxPatch((x - 0.16, 1.05), 0.32, 0.42, fc=PALE, ec=INK,
                                    boxstyle="round,pad=0,rounding_size=0.05"))  # fmt: skip
        slides = {"Prismatic": 1, "Screw": 1, "Planar": 2, "FloatingBase": 3}.get(name, 0)
        turns = {"Revolute": 1, "Screw": 1, "Universal": 2, "Planar": 1, "Spherical": 3,
                 "FloatingBase": 3}.get(name, 0)  # fmt: skip
        ways = [((0, 0.36), 0.21), ((0.4, 0), 0.16), ((-0.3, -0.26), 0.14)]
        for (dx, dy), gap in ways[:slides]:
            start = np.add((x, 1.26), np.multiply((dx, dy), gap / np.hypot(dx, dy)))
            arrow(ax, start, np.add(start, (dx * 0.75, dy * 0.75)), BLUE, 1.7)
        for j in range(turns):
            y = 1.0 - 0.16 * j
            arrow(ax, (x - 0.26, y), (x + 0.26, y), ORANGE, 1.5, bend=0.45)
        label(ax, (x, 1.98), name, size=10, weight="bold")
        label(ax, (x, 0.22), text, size=9)
    return ax


def main() -> None:
    drawings = [spatial_vectors, transform, tree, sweeps, layout, four_ways, joints]
    wanted = sys.argv[1:] or [d.__name__ for d in drawings]
    for drawing in drawings:
        if drawing.__name__ in wanted:
            axes = drawing()
            axes.add_patch(Polygon([(0, 0), (99, 0), (99, 99), (0, 99)], fc="white", zorder=-9))
            axes.figure.savefig(HERE / f"{drawing.__name__}.svg", metadata={"Date": None})
            plt.close(axes.figure)


if __name__ == "__main__":
    main()
