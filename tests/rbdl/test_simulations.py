"""RBDL's trajectories, stepped through the facade, and its reading of parts of a URDF."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import rbdl
from rbdl.cases import PROGRAM, model_path, structure
from reference.cases import Tally, array, read

ENTRIES = read("rbdl_simulations")["entries"]
DRIFT = 1e-8


@pytest.mark.parametrize("k", range(len(ENTRIES)))
def test_simulation(k, record_property):
    """A trajectory of the classical Runge-Kutta method, or a model of some links."""
    tally, entry = Tally(PROGRAM), ENTRIES[k]
    function = entry["simulation"]
    file = entry.get("lua_file") or entry["urdf_file"]
    if not model_path(file).exists():
        tally.count(function, "model file not at hand")
    elif function == "PartialURDFReadFromFile":
        check_partial(tally, entry, str(model_path(file)))
    else:
        check_trajectory(tally, entry, str(model_path(file)))
    tally.close(record_property)


def check_partial(tally, entry, path):
    model = rbdl.Model()

    def load():
        return rbdl.PartialURDFReadFromFile(
            path, model, entry["root_link"], entry["tip_links"], entry["floating_base"]
        )

    where = f"{entry['root_link']} {entry['tip_links']}"
    if "exception" in entry:
        with pytest.raises(rbdl.RBDLFileParseError, match="'nope'"):
            load()
        tally.count(entry["simulation"], "checked")
        return
    tally.compare(entry["simulation"], where, load, entry["returned"])
    expected = dict(entry["structure"])
    expected.pop("lambda_q")
    fields = structure(model, expected)
    for field, value in expected.items():
        if "0.707106 " in str(value) or field == "joints":
            tally.count(entry["simulation"], "RBDL's axes are not made unit vectors")
            continue
        tally.compare(entry["simulation"], f"{where} {field}", lambda f=field: fields[f], value)


def check_trajectory(tally, entry, path):
    """The reference's steps of h = 0.001, some of which it keeps."""
    result, constraints = entry["result"], None
    model = rbdl.Model()
    if "constraint_set" in entry:
        constraints = rbdl.ConstraintSet()
        names = [entry["constraint_set"]]
        rbdl.LuaModelReadFromFileWithConstraints(path, model, [constraints], names)
    else:
        rbdl.LuaModelReadFromFile(path, model)
    damping, h = entry.get("damping", 0.0), result["h"]

    def rates(x):
        q, qd = x
        tau = -damping * qd
        if constraints is None:
            return np.stack([qd, rbdl.ForwardDynamics(model, q, qd, tau)])
        return np.stack([qd, rbdl.ForwardDynamicsConstraintsDirect(model, q, qd, tau, constraints)])

    q, qd = array(result["q"]), array(result["qdot"])
    x, done = np.stack([q[0], qd[0]]), 0
    for k, t in enumerate(result["t"]):
        for _ in range(round(t / h) - done):
            k1 = rates(x)
            k2 = rates(x + 0.5 * h * k1)
            k3 = rates(x + 0.5 * h * k2)
            x = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rates(x + h * k3))
        done = round(t / h)
        where = f"{entry['lua_file']} t = {t}"
        tally.compare(entry["simulation"], where, lambda x=x: x, [q[k].tolist(), qd[k].tolist()],
                      DRIFT)  # fmt: skip
        extra = result["extra"][k]
        energies = {
            "kinetic": rbdl.CalcKineticEnergy(model, *x),
            "potential": rbdl.CalcPotentialEnergy(model, x[0]),
        }
        expected = {key: extra[key] for key in energies}
        tally.compare("energies", where, lambda e=energies: e, expected, DRIFT)
