"""History of speed: algorithms by machine and batch, and of op counts, which are exact.

Run ``asv run --config benchmarks/asv.conf.json``; the shipped machines are measured, so
nothing has to be downloaded.
"""

from importlib.resources import as_file, files

import numpy as np

import polhode as ph
from polhode import algorithms

MACHINES = ("arm.urdf", "walker.lua")
BATCHES = (1, 64, 8192)
FUNCTIONS = {
    "inverse_dynamics": (ph.inverse_dynamics, 3),
    "forward_dynamics": (ph.forward_dynamics, 3),
    "solve_mass_matrix": (ph.solve_mass_matrix, 2),
    "bias_forces": (ph.bias_forces, 2),
    "gravity_forces": (ph.gravity_forces, 1),
    "center_of_mass": (ph.center_of_mass, 1),
    "mass_matrix": (ph.mass_matrix, 1),
    "inverse_mass_matrix": (ph.inverse_mass_matrix, 1),
    "body_poses": (ph.body_poses, 1),
}
COUNTED = {
    "rnea": algorithms.inverse_dynamics,
    "aba": algorithms.forward_dynamics,
    "crba": algorithms.mass_matrix,
    "bias": algorithms.bias,
    "poses": algorithms.poses,
}


def load(name):
    """A machine that ships with the package."""
    with as_file(files("polhode") / "examples" / name) as path:
        return ph.load(path)


def states(model, size):
    """Random positions and two sets of velocities."""
    rng = np.random.default_rng(0)
    q = ph.random_configuration(model, rng, size=size)
    return q, *(rng.standard_normal((*size, model.nv)) for _ in range(2))


class Algorithms:
    """Time of a call into given results, one thread."""

    params = (tuple(FUNCTIONS), MACHINES, BATCHES)
    param_names = ("function", "machine", "batch")

    def setup(self, function, machine, batch):
        ph.set_num_threads(1)
        self.model = load(machine)
        self.function, inputs = FUNCTIONS[function]
        size = () if batch == 1 else (batch,)
        self.arrays = states(self.model, size)[:inputs]
        self.out = self.function(self.model, *self.arrays)
        assert np.isfinite(self.out).all()

    def time_call(self, function, machine, batch):
        self.function(self.model, *self.arrays, out=self.out)


class Derivatives:
    """Time of the derivatives of dynamics, one thread."""

    params = (("inverse_dynamics", "forward_dynamics"), MACHINES, (1, 512))
    param_names = ("function", "machine", "batch")

    def setup(self, function, machine, batch):
        ph.set_num_threads(1)
        self.model = load(machine)
        self.function = getattr(ph, f"{function}_derivatives")
        self.arrays = states(self.model, () if batch == 1 else (batch,))
        self.out = self.function(self.model, *self.arrays)
        assert all(np.isfinite(part).all() for part in self.out)

    def time_call(self, function, machine, batch):
        self.function(self.model, *self.arrays, out=self.out)


class Simulation:
    """Time of a simulated tenth of a second, for one world and for many."""

    params = (("symplectic", "rk4"), MACHINES, (1, 256))
    param_names = ("method", "machine", "worlds")

    def setup(self, method, machine, worlds):
        self.model = load(machine)
        size = () if worlds == 1 else (worlds,)
        way = 0.2 * np.random.default_rng(0).standard_normal((*size, self.model.nv))
        self.q0 = ph.integrate(self.model, ph.neutral(self.model), way)
        run = ph.simulate(self.model, 0.01, q0=self.q0, integrator=method)
        assert np.isfinite(run.qd).all()

    def time_tenth_of_a_second(self, method, machine, worlds):
        ph.simulate(self.model, 0.1, q0=self.q0, integrator=method)


class Programs:
    """What is compiled, and how long that takes."""

    params = (tuple(COUNTED), MACHINES)
    param_names = ("algorithm", "machine")

    def setup(self, algorithm, machine):
        self.model = load(machine)

    def track_ops(self, algorithm, machine):
        return ph.compile(COUNTED[algorithm], self.model).ops

    track_ops.unit = "operations"

    def time_trace(self, algorithm, machine):
        assert ph.compile(COUNTED[algorithm], self.model).ops > 0


class Startup:
    """Time of what a user waits for first."""

    timeout = 120

    def time_load_arm(self):
        load("arm.urdf")

    def time_load_walker(self):
        load("walker.lua")

    def timeraw_import(self):
        return "import polhode"
