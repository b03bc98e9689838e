"""Sweeps on a real Dask cluster of several processes, with workers killed on the way."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings

import pytest

import polhode as ph
from sweep.tasks import dies_at, noted, runs, same_bits


@pytest.fixture(scope="module")
def client():
    """Three worker processes here, which their nannies restart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import dask
        from distributed import Client, LocalCluster

        with (
            dask.config.set({"distributed.scheduler.allowed-failures": 0}),
            LocalCluster(
                n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client


@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_on_the_way(client, tmp_path):
    """A worker is killed from outside: results equal those of this process bit for bit."""
    log = tmp_path / "log"
    tasks = {"k": range(150), "log": str(log), "seconds": 0.02}
    victim = next(iter(client.run(os.getpid).values()))
    killed = []

    def kill():
        while len(runs(log)) < 30:
            time.sleep(0.01)
        os.kill(victim, signal.SIGKILL)
        killed.append(len(runs(log)))

    killer = threading.Thread(target=kill)
    killer.start()
    result = ph.sweep(noted, tasks, executor=client.get_executor())
    killer.join()
    assert 30 <= killed[0] < 150
    assert not result.errors
    here = ph.sweep(noted, {**tasks, "log": os.devnull, "seconds": 0.0}, workers=0)
    assert same_bits(result, here)


@pytest.mark.filterwarnings("ignore")
def test_a_task_that_kills_its_workers_is_found(client, tmp_path):
    """Dask gives up the batch; it is halved until the one task is left, and the rest is done."""
    log = str(tmp_path / "log")
    tasks = [{"k": k, "fatal": 5, "log": log} for k in range(12)]
    result = ph.sweep(dies_at, tasks, executor=client.get_executor(), retries=0)
    (error,) = result.errors
    assert (error.index, error.kind) == (5, "WorkerDied")
    assert "KilledWorker" in error.message
    assert all(result.results[k] == k * k for k in range(12) if k != 5)
