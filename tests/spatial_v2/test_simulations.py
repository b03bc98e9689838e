"""The tutorials' motions against spatial_v2's own, by the same method and step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from polhode import spatial_v2 as sv
from reference.cases import Tally, array, read

from .reference_cases import PROGRAM

TOLERANCE = 1e-8  # moved by less than 1e-11 when inputs are moved by 1e-12
PERIOD = 4.0
SLACK = 1e-9  # for instants that are whole numbers of steps
CASES = {case["id"]: case for case in read("spatial_v2_simulations")["simulations"]}
Rates = Callable[[float, np.ndarray, float], np.ndarray]  # of t, x, and the step's start


def command(parameters: dict, names: list[str]) -> Callable:
    """A repeated polyline: its value and slope, on the segment where the step began."""
    times = array(parameters["cmd_t"])
    values = np.array([array(parameters[name]) for name in names])
    slopes = np.diff(values) / np.diff(times)

    def at(t: float, since: float) -> tuple[np.ndarray, np.ndarray]:
        t, since = t - PERIOD * (since // PERIOD), since % PERIOD
        k = min(int(np.searchsorted(times, since + SLACK, side="right")) - 1, len(slopes.T) - 1)
        return values[:, k] + slopes[:, k] * (t - times[k]), slopes[:, k]

    return at


def pd_planar(p: dict) -> Rates:
    model, at = sv.planar(2), command(p, ["cmd_q1", "cmd_q2"])
    gain, lead = array(p["kp"]), array(p["td"])

    def rates(t, x, since):
        wanted, slope = at(t, since)
        tau = gain * (wanted - x[:2]) + lead * gain * (slope - x[2:])
        return np.concatenate((x[2:], sv.FDab(model, x[:2], x[2:], tau)))

    return rates


def vee_hybrid(p: dict) -> Rates:
    model, w = sv.vee(p["L2"]), p["w"]

    def rates(t, x, since):
        q, qd = x[:7], x[7:]
        given = np.array([*[0.0] * 6, 10000 * (w * t - q[6]) + 140 * (w - qd[6])])
        return np.concatenate((qd, sv.HD(model, [1] * 6 + [0], q, qd, given, np.zeros(7))[0]))

    return rates


def single_body(p: dict) -> Rates:
    model = sv.singlebody()
    return lambda t, x, since: sv.FDfb(model, x, [], [], [])[0]


def scissor(p: dict) -> Rates:
    model = sv.scissor()

    def rates(t, x, since):
        y = sv.gcFD(model, sv.FDfb, np.append(x, 0.0))
        return np.concatenate((y[:13], x[14:], y[13:]))

    return rates


def double_elbow(p: dict) -> Rates:
    model, at, J = sv.doubleElbow(), command(p, ["cmd_1", "cmd_2"]), array(p["J"])
    gain, lead = array(p["kp"]), array(p["td"])

    def rates(t, x, since):
        wanted, slope = at(t, since)
        e, de = wanted - J @ x[:3], slope - J @ x[3:]
        tau = J.T @ (gain * (e + lead * de))
        return np.concatenate((x[3:], sv.FDgq(model, x[:3], x[3:], tau)))

    return rates


def rolling_disc(p: dict) -> Rates:
    model = sv.rollingdisc(p["npoly"])

    def rates(t, x, since):
        u = x[13:].reshape(2, -1, order="F")
        motion = sv.gcPosVel(model, x[:13])
        f, ud, _ = sv.gcontact(p["K"], p["D"], p["mu"], motion[:3], motion[3:], u)
        forces = sv.Fpt(f, motion[:3]).ravel(order="F")
        pushed = sv.gcFD(model, sv.FDfb, np.concatenate((x[:13], forces)))
        return np.concatenate((pushed, ud.ravel(order="F")))

    return rates


RATES = {
    "ex1": pd_planar,
    "ex3": vee_hybrid,
    "ex4": single_body,
    "ex5": scissor,
    "ex6": double_elbow,
    "ex7": rolling_disc,
}


def start(example: str, case: dict) -> np.ndarray:
    x = array(case["x"][0])
    return np.append(x, np.zeros(4 * case["parameters"]["npoly"])) if example == "ex7" else x


def rk4(rates: Rates, x: np.ndarray, t: float, h: float) -> np.ndarray:
    k1 = rates(t, x, t)
    k2 = rates(t + h / 2, x + h / 2 * k1, t)
    k3 = rates(t + h / 2, x + h / 2 * k2, t)
    k4 = rates(t + h, x + h * k3, t)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def sampled(rates: Rates, x: np.ndarray, case: dict) -> np.ndarray:
    """The states at the case's times."""
    h, times = case["h"], array(case["t"])
    states, size = [x], len(case["x"][0])
    for k in range(round(times[-1] / h)):
        x = rk4(rates, x, k * h, h)
        states.append(x)
    return np.array(states)[np.round(times / h).astype(int), :size]


def energies(x: np.ndarray) -> list[dict]:
    """Energy, momentum and centre of mass of the single body in each state."""
    results, model = [], sv.singlebody()
    for row in x:
        record = sv.EnerMo(model, *sv.fbkin(row))
        results.append({name: record[name] for name in ("KE", "htot", "cm")})
    return results


@pytest.mark.parametrize("name", sorted(CASES))
def test_motion(name, record_property):
    """States, and what is derived from them, at all recorded times."""
    case, tally = CASES[name], Tally(f"{PROGRAM}: simulations")
    p = case["parameters"]
    example = name.split("_")[0]
    if example == "ex2":
        x, tau = sampled_controller(case)
        if "tau_held_at_recorded_steps" in p:
            held = p["tau_held_at_recorded_steps"]
            tally.compare(name, "tau", lambda: tau, held, TOLERANCE)
    else:
        x = sampled(RATES[example](p), start(example, case), case)
    tally.compare(name, "x", lambda: x, case["x"], TOLERANCE)
    if "fbanim" in p:
        beyond = (x[:, 13:14].T,) if example == "ex5" else ()
        tally.compare(name, "fbanim", lambda: sv.fbanim(x[:, :13].T, *beyond), p["fbanim"],
                      TOLERANCE)  # fmt: skip
    if "EnerMo" in p:
        tally.compare(name, "EnerMo", lambda: energies(x), p["EnerMo"], TOLERANCE)
    tally.close(record_property)


def sampled_controller(case: dict) -> tuple[np.ndarray, np.ndarray]:
    """States at the recorded times, and the forces that were held just before them."""
    p, h, times = case["parameters"], case["h"], array(case["t"])
    model, at = sv.planar(2), command(p, ["cmd_q1", "cmd_q2"])
    per_sample, gain, lead = round(p["Tsamp"] / h), array(p["kp"]), array(p["td"])
    x, d_before, tau = array(case["x"][0]), 0.0, np.zeros(2)
    states, held = [], []
    for k in range(round(times[-1] / h) + 1):
        if k % per_sample == 0:
            push = gain * (at(k * h, k * h)[0] - x[:2])
            tau = push + (lead * push - d_before) / p["Tsamp"]
            d_before = lead * push
        states.append(x)
        held.append(tau)

        def rates(t, x, since, tau=tau):
            return np.concatenate((x[2:], sv.FDab(model, x[:2], x[2:], tau)))

        x = rk4(rates, x, k * h, h)
    rows = np.round(times / h).astype(int)
    return np.array(states)[rows], np.array(held)[rows[1:] - 1].T
