"""Sustained arithmetic beside the dense matrix product, and where a batch spends its time.

``OPENBLAS_NUM_THREADS=1 python benchmarks/roofline.py`` prints, for robots of the wheel, the
operations per second of inverse and forward dynamics on one core, as a part of what NumPy's
matrix product reaches on the same core; and how much of the time of a state goes into the
kernel, into sines and cosines, and into moving states between arrays and registers.
"""

from __future__ import annotations

import os
import sys

import numpy as np

import polhode as ph
from polhode import algorithms
from polhode.cli.bench_models import subjects
from polhode.cli.timing import best
from polhode.compiler import Program
from polhode.compiler.codegen.machine import Engine, Format, compile_ir, wide_lanes

ROBOTS = ["panda", "anymal", "talos_reduced"]
BATCH = {"rnea": 8192, "aba": 8192, "crba": 512}
SINE_AND_COSINE = 48  # additions and products of one pair, a multiply-add counting two
NOTHING = "define void @nothing(ptr %a, ptr %b, ptr %c) {\nret void\n}\n"


def matrix_product() -> float:
    """Floating-point operations per second of the best of a few sizes."""
    rates = []
    for n in (256, 512, 1024):
        a, b, out = np.random.rand(n, n), np.random.rand(n, n), np.empty((n, n))
        rates.append(2 * n**3 / best(lambda a=a, b=b, out=out: np.dot(a, b, out=out), 30))
    return max(rates)


def pieces(model: ph.Model, name: str, tries: int) -> tuple[Program, int, float, float, float]:
    """The program, its sines and cosines; seconds of a state: all, trigonometry, movement."""
    program = ph.compile(getattr(algorithms, name), model)
    n = BATCH[name]
    rng = np.random.default_rng(0)
    inputs = [ph.random_configuration(model, rng, size=(n,))]
    inputs += [rng.standard_normal((n, model.nv)) for _ in list(program.inputs)[1:]]
    out = program(*inputs)
    described = program.kernel(Format("f64", wide_lanes("f64"))).descriptor
    nothing = Engine(compile_ir(NOTHING))

    def run() -> float:
        return best(lambda: program(*inputs, out=out), tries) / n

    everything = run()
    kernel, n_trig = described["kernel"], described["n_trig"]
    described["kernel"] = nothing.address("nothing")
    without_kernel = run()
    described["n_trig"] = 0
    movement = run()
    described["kernel"], described["n_trig"] = kernel, n_trig
    return program, n_trig, everything, without_kernel - movement, movement


def main(tries: int = 100) -> None:
    """Print the table."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        raise SystemExit("expected OPENBLAS_NUM_THREADS=1 in the environment, for one core")
    ph.set_num_threads(1)
    peak = matrix_product()
    print(f"dense matrix product, one core: {peak / 1e9:.1f} Gflop/s")
    head = "ns/state  kernel  sin,cos  moving    ops  Gflop/s  of product  without sin, cos"
    print(f"{'robot':14} {'row':5} {head}")
    for subject in subjects(ROBOTS, False):
        for name in BATCH:
            program, n_trig, total, trig, moving = pieces(subject.model, name, tries)
            rates = [(program.ops + n_trig * x) / total for x in (SINE_AND_COSINE, 0)]
            parts = "".join(f"{x * 1e9:8.1f}" for x in (total, total - trig - moving, trig, moving))
            print(
                f"{subject.name:14} {name:5} {parts} {program.ops:6d} {rates[0] / 1e9:8.1f}"
                f"  {rates[0] / peak:10.2f}  {rates[1] / peak:16.2f}"
            )


if __name__ == "__main__":
    main(*(int(x) for x in sys.argv[1:]))
