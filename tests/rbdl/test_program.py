"""A whole program for RBDL's wrapper, run as it is and with the earlier keywords."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode import rbdl

PROGRAM = Path(__file__).with_name("program.py")
EARLIER = {
    "q": "Q", "qdot": "QDot", "qddot": "QDDot", "tau": "Tau", "f_external": "f_ext",
    "body_point_position": "point_position", "index": "body_id", "name": "body_name",
    "groupIndex": "group_index", "qinit": "Qinit", "qres": "Qres",
    "baumgarte_enabled": "enable_stabilization", "T_stab_inv": "stabilization_param",
    "posErr": "position_error", "velErr": "velocity_error",
}  # fmt: skip
OF_FUNCTION = {
    "CalcBaseToBodyCoordinates": {"body_point_position": "base_point_position"},
    "InverseDynamicsConstraints": {
        "qddot": "QDDotDesired", "qddot_out": "QDDotOutput", "tau": "TauOutput"},
    "InverseDynamicsConstraintsRelaxed": {
        "qddot": "QDDotControls", "qddot_out": "QDDotOutput", "tau": "TauOutput"},
    "InverseKinematics": {
        "body_ids": "body_id", "body_point_position": "body_point",
        "target_pos_position": "target_pos"},
    "CalcCenterOfMass": {"q": "q", "qdot": "qdot", "qddot": "qddot"},
    "CalcZeroMomentPoint": {"q": "q", "qdot": "qdot", "qddot": "qddot"},
}  # fmt: skip


class Respelled(ast.NodeTransformer):
    """Calls with the keywords that the facade had before."""

    def __init__(self):
        self.count = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        names = EARLIER | OF_FUNCTION.get(function, {})
        for keyword in node.keywords:
            earlier = names.get(keyword.arg or "", keyword.arg)
            self.count += earlier != keyword.arg
            keyword.arg = earlier
        return node


def run(tree: ast.Module, folder: Path, monkeypatch) -> dict:
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "rbdl", rbdl)
    namespace: dict = {"__name__": "program"}
    with pytest.warns(rbdl.RBDLWarning, match=r"TurnAboutX\.jcalc cannot be compiled"):
        exec(compile(tree, str(PROGRAM), "exec"), namespace)
    return namespace


def test_a_program_runs_in_both_spellings(tmp_path, monkeypatch):
    """With the same numbers, which are those of polhode's own functions."""
    text = PROGRAM.read_text(encoding="utf-8")
    assert len(text.splitlines()) >= 150
    assert "polhode" not in text[text.index('"""', 3) :]
    names = run(ast.parse(text), tmp_path, monkeypatch)
    respelled = Respelled()
    earlier = run(respelled.visit(ast.parse(text)), tmp_path, monkeypatch)
    assert respelled.count >= 40
    assert names["RESULTS"].keys() == earlier["RESULTS"].keys()
    for name, value in names["RESULTS"].items():
        assert np.array_equal(value, earlier["RESULTS"][name]), name
    check(names)


def check(names: dict) -> None:
    """The program's results by polhode's own functions, on the same machine."""
    found, machine, q = names["RESULTS"], names["model"].core, names["RESULTS"]["q"]
    qdot, tau, point = names["qdot"], names["tau"], names["point"]
    foot, forces = names["model"].number(names["foot"]), names["forces"][1:]
    qddot = ph.forward_dynamics(machine, q, qdot, tau)
    contacts = ph.constraints.ConstraintSet(machine)
    for axis in np.eye(3):
        contacts = contacts.contact(foot, np.zeros(3), axis)
    wanted = {
        "qddot": qddot,
        "qddot with forces": ph.forward_dynamics(machine, q, qdot, tau, forces),
        "H": ph.mass_matrix(machine, q),
        "nonlinear": ph.bias_forces(machine, q, qdot),
        "foot": ph.point_position(machine, q, foot, point),
        "a": ph.point_acceleration(machine, q, qdot, qddot, foot, point),
        "B": ph.body_jacobian(machine, q, foot),
        "com": ph.center_of_mass(machine, q),
        "standing": ph.constrained_dynamics(machine, contacts, q, qdot, tau)[0],
        "after": ph.constraint_impulses(machine, contacts, q, qdot)[0],
        "torque": 2.0 * 9.81 * 0.5 * np.sin(0.3),
    }
    for name, value in wanted.items():
        assert np.allclose(found[name], value, atol=1e-9), name
