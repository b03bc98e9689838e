"""Cases at other parameters than those of the reference file, in the same format.

The expected numbers come from the formulas that the file's come from, written out here.
"""

from __future__ import annotations

import math

from scipy.integrate import quad, solve_ivp
from scipy.special import ellipk

from reference.contact_scenes import G

BALL, CYLINDER, SHELL, HOOP = 2 / 5, 1 / 2, 2 / 3, 1.0  # I / (m r^2)


def _case(tolerance, expected, setup="", **params):
    return {"setup": setup, "params": params, "expected": expected, "tolerance": tolerance}


def _bounce(h0, e, g):
    fall = math.sqrt(2.0 * h0 / g)
    expected = {
        "first_contact_t": fall,
        "apex": [h0 * e ** (2 * k) for k in range(4)],
        "flight": [2.0 * e**k * fall for k in (1, 2, 3)],
        "rest_time": fall * (1.0 + e) / (1.0 - e),
    }
    return _case("rel 1e-3", expected, h0=h0, e=e, g=g)


def _slide(v, mu, angle):
    expected = {"stop_time": v / (mu * G), "stop_distance": v * v / (2.0 * mu * G),
                "max_liftoff": 0.0, "omega": 0.0}  # fmt: skip
    return _case("distance rel 2e-3", expected, v=v, mu=mu, angle_deg=angle)


def _incline(mu, degrees):
    tilt = math.radians(degrees)
    a = G * max(0.0, math.sin(tilt) - mu * math.cos(tilt))
    expected = {"accel": a, "s_2s": 2.0 * a, "v_2s": 2.0 * a}
    return _case("rel 2e-3", expected, f"{degrees} deg", mu=mu)


def _slide_to_roll(beta, r, v0, mu, omega0=0.0):
    slip = v0 - r * omega0
    t = beta * slip / ((1.0 + beta) * mu * G)
    v = (v0 + beta * r * omega0) / (1.0 + beta)
    expected = {"v_final": v, "omega_final": v / r, "t_roll": t,
                "distance": v0 * t - 0.5 * mu * G * t * t}  # fmt: skip
    return _case("v rel 1e-3", expected, beta=beta, r=r, v0=v0, mu=mu, omega0=omega0)


def _roll_down(beta, degrees):
    tilt = math.radians(degrees)
    a = G * math.sin(tilt) / (1.0 + beta)
    expected = {"accel": a, "x_2s": 2.0 * a, "mu_min": math.tan(tilt) * beta / (1.0 + beta)}
    return _case("rel 2e-3", expected, beta=beta, mu=0.9, theta_deg=degrees)


def _slip_down(beta, r, mu, degrees):
    tilt = math.radians(degrees)
    expected = {"accel": G * (math.sin(tilt) - mu * math.cos(tilt)),
                "alpha": mu * G * math.cos(tilt) / (beta * r)}  # fmt: skip
    return _case("rel 2e-3", expected, f"{degrees} deg", beta=beta, r=r, mu=mu)


def _head_on(ma, mb, va, vb, e):
    both = ma * va + mb * vb
    expected = {"ua": (both - mb * e * (va - vb)) / (ma + mb),
                "ub": (both + ma * e * (va - vb)) / (ma + mb)}  # fmt: skip
    return _case("abs 1e-6", expected, ma=ma, mb=mb, va=va, vb=vb, e=e)


def _wedge(M, m, degrees):
    tilt = math.radians(degrees)
    s, c = math.sin(tilt), math.cos(tilt)
    below = M + m * s * s
    expected = {"wedge_accel": m * G * s * c / below, "block_rel_accel": (M + m) * G * s / below}
    return _case("rel 2e-3", expected, M=M, m=m, theta_deg=degrees)


def _oblique(beta, r, vn, vt, mu, e):
    push = mu * (1.0 + e) * vn
    rolls = vt <= (1.0 + 1.0 / beta) * push
    v = vt / (1.0 + beta) if rolls else vt - push
    expected = {"vx": v, "vy": e * vn, "omega": -v / r if rolls else -push / (beta * r)}
    return _case("abs 1e-6", expected, beta=beta, r=r, vn=vn, vt=vt, mu=mu, e=e)


def _falling_rod(L, start):
    def rate(tilt):
        share = (math.cos(start) - math.cos(tilt)) / (1.0 + 3.0 * math.sin(tilt) ** 2)
        return math.sqrt(12.0 * G / L * share)

    t, _ = quad(lambda tilt: 1.0 / rate(tilt), start, math.pi / 2)
    expected = {"omega_landing": rate(math.pi / 2), "t_landing": t, "com_x_shift": 0.0}
    return _case("rel 2e-3", expected, L=L, theta0=start)


def _spin_down(mu, a, spin):
    alpha = -6.0 * mu * G / (math.sqrt(2.0) * a)
    expected = {"alpha": alpha, "stop_time": -spin / alpha, "max_liftoff": 0.0}
    return _case("rel 5e-3", expected, mu=mu, a=a, spin=spin)


def _dzhanibekov(I, w):
    a, b, c = I
    H2 = sum((i * x) ** 2 for i, x in zip(I, w, strict=True))
    T2 = sum(i * x * x for i, x in zip(I, w, strict=True))
    rate = math.sqrt((c - b) * (H2 - T2 * a) / (a * b * c))
    m = (b - a) * (T2 * c - H2) / ((c - b) * (H2 - T2 * a))
    expected = {"period": 4.0 * ellipk(m) / rate, "H_norm": math.sqrt(H2), "T": 0.5 * T2,
                "omega2_max": math.sqrt((T2 * c - H2) / (b * (c - b)))}  # fmt: skip
    return _case("period rel 1e-6", expected, I=I, omega0=w)


def _symmetric(I1, I3, w):
    H = math.sqrt((I1 * w[0]) ** 2 + (I1 * w[1]) ** 2 + (I3 * w[2]) ** 2)
    expected = {"body_precession": (I3 - I1) / I1 * w[2], "space_precession": H / I1}
    return _case("rel 1e-6", expected, I1=I1, I3=I3, omega=w)


def _top(I1, I3, m, l, tilt, spin):
    own, c = I3 * spin, math.cos(tilt)
    rate = (own - math.sqrt(own**2 - 4.0 * I1 * m * G * l * c)) / (2.0 * I1 * c)
    params = {"I1_pivot": I1, "I3": I3, "m": m, "l": l, "theta": tilt, "omega3": spin}
    return _case("rel 1e-5", {"Omega": rate}, **params)


def _pendulum(m, d, J):
    def f(t, y):
        return y[1], -m * G * d * math.cos(y[0]) / (J + m * d * d)

    q, qd = solve_ivp(f, (0, 1), (0, 0), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return _case("abs 1e-6", {"q_1s": q, "qd_1s": qd}, m=m, d=d, Jz=J)


def _rimless_wheel(n, I, m, l, g, slope):
    half, whole = math.pi / n, I + m * l * l
    eta = (I + m * l * l * math.cos(2.0 * half)) / whole
    drop = 4.0 * m * g * l * math.sin(half) * math.sin(slope) / whole
    expected = {
        "eta": eta,
        "omega_plus": math.sqrt(eta**2 / (1.0 - eta**2) * drop),
        "omega_plus_min": math.sqrt(2.0 * m * g * l * (1.0 - math.cos(half - slope)) / whole),
    }
    setup = f"n={n}, I={I}, m={m}, l={l}, g={g}, slope {slope}"
    return _case("rel 1e-2", expected, setup)


def _precession(Omega, beta):
    return _case("rel 2e-3", {"center_rate": beta / (1.0 + beta) * Omega}, Omega=Omega, beta=beta)


VARIANTS = [
    _bounce(0.6, 0.7, 9.81),
    _bounce(2.0, 0.4, 3.7),
    _case("rel 1e-4", {"apex": 0.4}, h0=0.4, e=1.0, bounces=30),
    _slide(2.0, 0.3, 70),
    _incline(0.3, 20),
    _incline(0.7, 33),
    _incline(0.5, 40),
    _case("qualitative", {"sticks_at": 0.8008, "slides_at": 0.7992}, mu_crit=0.8),
    _slide_to_roll(HOOP, 0.5, 5.0, 0.2),
    _slide_to_roll(SHELL, 0.3, 4.0, 0.25),
    _slide_to_roll(BALL, 0.2, 3.0, 0.4, omega0=5.0),
    _slide_to_roll(CYLINDER, 0.4, 1.0, 0.1, omega0=-4.0),
    _roll_down(BALL, 30),
    _roll_down(HOOP, 15),
    _roll_down(SHELL, 25),
    _slip_down(BALL, 0.3, 0.1, 35),
    _slip_down(HOOP, 0.5, 0.1, 20),
    _head_on(1.0, 3.0, 2.0, -1.5, 0.4),
    _case("abs 1e-6", {"final": [0.0, 0.0, 2.0]}, "3 equal spheres", v=2.0, gap=0.02),
    _case("abs 1e-6", {"final": [0.0, 0.0, 1.0]}, "3 equal spheres with gaps", v=1.0),
    _case("abs 1e-6", {"final": [0.0] * 4 + [1.5]}, "5 equal spheres", v=1.5, gap=1e-4),
    _case("abs 1e-6", {"final": [-1.0, 2.0, 2.0]}, "3 equal spheres touching", v=3.0),
    _wedge(2.0, 5.0, 40),
    _oblique(BALL, 0.5, 2.0, 5.0, 0.1, 0.0),
    _oblique(BALL, 0.5, 2.0, 3.0, 0.6, 0.5),
    _oblique(HOOP, 0.4, 1.0, 4.0, 0.3, 0.8),
    _falling_rod(2.0, 0.6),
    _case("rel 1e-5", {"v": 4.0 * math.exp(-0.8 * 0.5 / 3.0)}, "b .8 m 3 v0 4, .5 s"),
    _case("abs 1e-9", {"pos": [-1.5, 3.0 - 0.5 * G * 2.25, 0.75]}, "v0=(-1,2,.5), 1.5 s"),
    _spin_down(0.3, 0.5, 12.0),
    _precession(3.0, BALL),
    _precession(2.0, SHELL),
    _case("rel 1e-2", {"Omega": 2.0 * math.sqrt(G / (0.2 * math.sin(0.3)))}, a=0.2, alpha=0.3),
    _dzhanibekov([1.0, 1.5, 2.2], [0.1, 3.0, 0.3]),
    _symmetric(2.0, 3.0, (0.2, 0.4, -4.0)),
    _top(0.08, 0.03, 1.5, 0.15, 0.8, 50.0),
    _pendulum(0.7, 0.6, 0.05),
    _case("abs 1e-6", {"qd_after": -2.4}, qd=3.0, e=0.8),
    _case("rel 1e-5", {"qdd1": -5.0 / (1.2 + 9.0 * 0.4)}, I1=1.2, I2=0.4, r=3.0, mgL=5.0),
    _rimless_wheel(8, 0.5, 1.0, 1.0, 1.0, 0.15),
    _rimless_wheel(7, 0.6, 2.0, 0.5, G, 0.12),
]
