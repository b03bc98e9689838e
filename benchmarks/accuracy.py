"""How exact dynamics are: errors against the same algorithms in extended precision.

    python benchmarks/accuracy.py

An algorithm takes any scalars, so it also runs on arrays of NumPy's ``longdouble`` (64 bits of
mantissa on x86); what that gives is taken as true.  Pinocchio is shown beside, where installed.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np

import polhode as ph
from polhode import algorithms

STATES = 2000
ROWS = {
    "inverse dynamics": (algorithms.inverse_dynamics, ph.inverse_dynamics, "qdd"),
    "forward dynamics": (algorithms.forward_dynamics, ph.forward_dynamics, "tau"),
    "bias forces": (algorithms.bias, ph.bias_forces, ""),
    "gravity forces": (algorithms.gravity, ph.gravity_forces, None),
}


def exact(function: Any, model: ph.Model, state: list[np.ndarray]) -> np.ndarray:
    """The result in extended precision, states first."""
    q, *rates = [np.asarray(x, np.longdouble).T for x in state]
    by_body = [model.split_q(list(q)), *(model.split_v(list(x)) for x in rates)]
    result = model.join_v(function(model, *by_body))
    return np.stack([np.broadcast_to(x, STATES) for x in result], axis=-1)


def error(found: np.ndarray, true: np.ndarray) -> tuple[float, float]:
    """Greatest and mean error of a state's vector, relative to its length."""
    size = np.linalg.norm(true.astype(float), axis=-1)
    each = np.linalg.norm((found - true).astype(float), axis=-1) / size
    return float(each.max()), float(each.mean())


def peer(name: str, path: Any, state: list[np.ndarray]) -> np.ndarray | None:
    """The same by Pinocchio, for the machine of a URDF."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    call = {
        "inverse dynamics": pin.rnea,
        "forward dynamics": pin.aba,
        "bias forces": pin.nonLinearEffects,
        "gravity forces": pin.computeGeneralizedGravity,
    }[name]
    return np.array([call(model, data, *each) for each in zip(*state, strict=True)])


def main() -> None:
    assert np.finfo(np.longdouble).eps < 1e-18, "this needs a longdouble longer than a double"
    rng = np.random.default_rng(0)
    print("| machine | function | float64: greatest, mean | float32 | Pinocchio, float64 |")
    print("|---|---|---|---|---|")
    for file in ("arm.urdf", "walker.lua"):
        path = files("polhode") / "examples" / file
        model = ph.load(path)
        q = ph.random_configuration(model, rng, size=STATES)
        rates = rng.standard_normal((2, STATES, model.nv))
        for name, (function, public, third) in ROWS.items():
            state = [q, *rates][: {None: 1, "": 2}.get(third, 3)]
            true = exact(function, model, state)
            double = error(public(model, *state), true)
            low = [x.astype(np.float32) for x in state]
            single = error(public(model, *low), exact(function, model, low))
            text = "-"
            if file.endswith(".urdf") and (other := peer(name, path, state)) is not None:
                text = "{:.1e}, {:.1e}".format(*error(other, true))
            print("| {} | {} | {:.1e}, {:.1e} | {:.1e}, {:.1e} | {} |".format(
                model.name, name, *double, *single, text))  # fmt: skip


if __name__ == "__main__":
    main()
