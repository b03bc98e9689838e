"""What a sweep costs beside its tasks, and what follows for many machines.

    python benchmarks/sweep_overheads.py [--tasks 20000] [--no-dask]

Processor time of the driver is counted, which other programs on the machine hardly change; the
model for many machines is arithmetic on it.
"""

from __future__ import annotations

import argparse
import tempfile
from time import perf_counter, process_time
from typing import Any
from unittest import mock

import numpy as np

import polhode as ph
from polhode.batch.sweep.batches import RATE, TARGET, BatchSize

CORES = 16  # of a machine in the model
TASKS = 1_000_000


def quick(k: float) -> dict[str, Any]:
    return {"a": 0.5 * k, "b": k, "row": np.full(10, k)}


def cost(function: Any, count: int, **options: Any) -> tuple[float, float]:
    """Processor and wall time of the driver for a sweep."""
    cpu, wall = process_time(), perf_counter()
    result = ph.sweep(function, ph.sweeps.sample(count, k=(0.0, 1.0)), progress=False, **options)
    assert result.done.all()
    return process_time() - cpu, perf_counter() - wall


def measured(count: int, **options: Any) -> tuple[float, float]:
    """Seconds of the driver for a task, and for a batch of one task."""
    cost(quick, 10, **options)
    few, many = cost(quick, count, **options)[0], cost(quick, 3 * count, **options)[0]
    task = (many - few) / (2 * count)
    with mock.patch.object(BatchSize, "next", return_value=1):
        few, many = cost(quick, 100, **options)[0], cost(quick, 1100, **options)[0]
    return task, (many - few) / 1000 - task


def model(task: float, batch: float, start: float) -> None:
    """Hours or seconds of a million tasks, on paper."""
    print("| a task takes | 1 machine | 10 machines | 1000 machines |")
    print("| --- | ---: | ---: | ---: |")
    for t in (1e-3, 0.1, 10.0):
        cells = []
        for machines in (1, 10, 1000):
            places = CORES * machines
            size = max(1.0, max(TARGET, places / RATE) / t)
            driver = TASKS * (task + batch / size)
            work = TASKS * t / places
            total = start + max(work, driver) + min(1.0, 2 * places / TASKS) * work
            share = TASKS * t / places / total
            cells.append(f"{duration(total)}, {100 * share:.0f} %")
        print(f"| {t:g} s | " + " | ".join(cells) + " |")
    print("(how long, and what share of the processors' time is work)")


def duration(seconds: float) -> str:
    for unit, name in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2.0 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:.3g} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", type=int, default=20000)
    parser.add_argument("--no-dask", action="store_true")
    options = parser.parse_args()
    start = min(cost(quick, 1, workers=2)[1] for _ in range(3))
    print("| driver | a task [us] | a batch [us] |\n| --- | ---: | ---: |")
    task, batch = measured(options.tasks, workers=2)
    print(f"| processes here | {1e6 * task:.0f} | {1e6 * batch:.0f} |")
    with tempfile.TemporaryDirectory() as folder:
        disk, _ = cost(quick, options.tasks, workers=2, output=folder + "/runs")
    print(f"| the same, kept on disk | {1e6 * disk / options.tasks:.0f} | |")
    if not options.no_dask:
        from distributed import Client, LocalCluster

        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            task, batch = measured(options.tasks, executor=client)
        print(f"| Dask, scheduler included | {1e6 * task:.0f} | {1e6 * batch:.0f} |")
    print(f"\nstart of a pool, to its first result: {start:.2f} s\n")
    model(task, batch, start)


if __name__ == "__main__":
    main()
