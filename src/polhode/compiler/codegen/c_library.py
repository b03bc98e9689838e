"""Elementary functions in C99: the formulas of `elementary`, one state at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from string import Template

from .c_emitter import CEmitter, CValue
from .elementary import FUNCTIONS, NEAR, TWO_OVER_PI, of_quadrant, reduce_far, reduce_near

BITS = """\
static uint64_t polhode_bits(double x)
{
    uint64_t n;
    memcpy(&n, &x, sizeof n);
    return n;
}
"""

NUMBER = """\
static double polhode_number(uint64_t n)
{
    double x;
    memcpy(&x, &n, sizeof x);
    return x;
}
"""

TABLE = """\
/* The bits of 2/pi. */
static const uint64_t polhode_two_over_pi[] = {
$WORDS
};
"""

NEAR_AND_FAR = """\
static void polhode_near($T x, $T *sine, $T *cosine)
{
    double r, tail;
    const uint64_t quadrant = polhode_reduce_near(x, &r, &tail);
    polhode_turn(r, tail, quadrant, sine, cosine);
}

static void polhode_far($T x, $T *sine, $T *cosine)
{
    double r, tail;
    const uint64_t quadrant = polhode_reduce_far(x, &r, &tail);
    polhode_turn(r, tail, quadrant, sine, cosine);
}
"""

SINCOS_ONE = """\
static void polhode_sincos$F($T x, $T *sine, $T *cosine)
{
    if (fabs$F(x) < $NEAR$F)
        polhode_near(x, sine, cosine);
    else
        polhode_far(x, sine, cosine);
}
"""

SINCOS_LANES = """\
static void polhode_sincos_lanes(const $T *restrict x, $T *restrict sine, $T *restrict cosine)
{
    int l;
    for (l = 0; l < $LANES; ++l)
        polhode_near(x[l], &sine[l], &cosine[l]);
    for (l = 0; l < $LANES; ++l)
        if (!(fabs$F(x[l]) < $NEAR$F))
            polhode_far(x[l], &sine[l], &cosine[l]);
}
"""


def _plain(name: str, *parameters: str) -> str:
    """A function of numbers."""
    e = CEmitter()
    result = FUNCTIONS[name](*(CValue(e, "double", x) for x in parameters))
    listed = ", ".join(f"double {x}" for x in parameters)
    return e.function(f"double polhode_{name}({listed})", [("return", result)])


def _reduction(name: str, reduce: Callable[[CValue], tuple[CValue, CValue, CValue]]) -> str:
    """A function that gives an angle as ``r + tail`` in [-pi/4, pi/4] and right angles."""
    e = CEmitter()
    r, tail, bits = reduce(CValue(e, "double", "x"))
    head = f"uint64_t polhode_{name}(double x, double *r, double *tail)"
    return e.function(head, [("*r =", r), ("*tail =", tail), ("return", bits)])


def _word_at(k: CValue) -> CValue:
    return k.e(k.type, f"polhode_two_over_pi[{k.text}]")


def _turn(T: str) -> str:
    """The function of a reduced angle and right angles; single precision needs no ``tail``."""
    e = CEmitter()
    r, tail = (CValue(e, "double", name) for name in ("r", "tail"))
    if T == "float":
        e.put("(void)tail;")
    s, c = of_quadrant(r, None if T == "float" else tail, CValue(e, "i64", "quadrant"))
    head = f"void polhode_turn(double r, double tail, uint64_t quadrant, {T} *sine, {T} *cosine)"
    return e.function(head, [(f"*sine = ({T})", s), (f"*cosine = ({T})", c)])


def _sincos(T: str) -> list[str]:
    """What sines and cosines of one angle and of several have in common."""
    far = _reduction("reduce_far", lambda x: reduce_far(x, _word_at))
    return [TABLE, far, _reduction("reduce_near", reduce_near), _turn(T), NEAR_AND_FAR]


def library(needs: Iterable[str], dtype: str, lanes: int) -> str:
    """The text of the functions in ``needs`` and of what they call.

    Parameters
    ----------
    needs : iterable of {"sincos", "sincos_lanes", "exp", "log", "atan2"}
    dtype : {"f64", "f32"}
    lanes : int
        Angles that ``sincos_lanes`` takes at once.
    """
    needs, T = set(needs), "float" if dtype == "f32" else "double"
    parts = [BITS] if needs else []
    parts += [NUMBER] if needs - {"atan2"} else []
    parts += _sincos(T) if needs & {"sincos", "sincos_lanes"} else []
    parts += [SINCOS_ONE] if "sincos" in needs else []
    parts += [SINCOS_LANES] if "sincos_lanes" in needs else []
    parts += [_plain(name, "x") for name in ("exp", "log") if name in needs]
    parts += [_plain("atan2", "y", "x")] if "atan2" in needs else []
    words = {
        "T": T,
        "F": "f" if T == "float" else "",
        "LANES": str(lanes),
        "NEAR": repr(NEAR),
        "WORDS": "\n".join(f"    0x{word:016X}U," for word in TWO_OVER_PI),
    }
    return "\n".join(Template(text).substitute(words) for text in parts)
