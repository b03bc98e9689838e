"""Solving with the inertia matrix of a tree of 100 freedoms: its own factors, and dense ones.

    python benchmarks/sparse_factorisation.py [--branching 2] [--batch 512]

One core, one run; the dense side is LAPACK's Cholesky factorisation through NumPy.
"""

from __future__ import annotations

import argparse
import os
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import polhode as ph
from polhode.algorithms.tree import sparsity
from polhode.compiler import Program

N = 100


def seconds(function, repeats: int = 5) -> float:
    """The least processor time of a call."""
    best = np.inf
    for _ in range(repeats):
        began = process_time()
        function()
        best = min(best, process_time() - began)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--branching", type=int, default=2)
    parser.add_argument("--batch", type=int, default=512)
    options = parser.parse_args()
    ph.set_num_threads(1)
    parents = [-1, *((i - 1) // options.branching for i in range(1, N))]
    rng, L = np.random.default_rng(0), np.zeros((options.batch, N, N))
    for i in range(N):
        for j in sparsity.ancestors(parents, i):
            L[:, i, j] = rng.standard_normal(options.batch)
        L[:, i, i] = 3.0 + rng.random(options.batch)
    H, b = L.mT @ L, rng.standard_normal((options.batch, N))

    program = Program(
        lambda H, b: sparsity.ltdl_solve(*sparsity.ltdl(H, parents), b), {"H": (N, N), "b": (N,)}
    )
    x = program(H, b)
    np.testing.assert_allclose(np.einsum("kij,kj->ki", H, x), b, rtol=0, atol=1e-9)
    ours = seconds(lambda: program(H, b, out=x))
    factor = seconds(lambda: np.linalg.cholesky(H))
    dense_ops = (N**3 - N) // 3 + N * N
    print(f"{N} freedoms, branching {options.branching}, {options.batch} matrices, one core")
    print(f"operations: {program.ops} to factorise and solve, {dense_ops} to factorise densely: "
          f"{dense_ops / program.ops:.1f}x")  # fmt: skip
    print(f"time: {factor / ours:.1f}x less than the dense factorisation alone")


if __name__ == "__main__":
    main()
