"""Elementary functions in C99: the arithmetic of `library`, one state at a time.

Every function does the operations of its LLVM twin in the same order on the same
coefficients, so that exported code gives the bits of compiled code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from string import Template

from . import library as own

BITS = """\
static uint64_t polhode_bits(double x)
{
    uint64_t n;
    memcpy(&n, &x, sizeof n);
    return n;
}

static double polhode_number(uint64_t n)
{
    double x;
    memcpy(&x, &n, sizeof x);
    return x;
}
"""

REDUCE = """\
/* A large angle as r + tail in [-pi/4, pi/4] and right angles: Payne and Hanek's reduction. */
static uint64_t polhode_reduce(double x, double *r, double *tail)
{
    static const unsigned char two_over_pi[] = {
$TABLE
    };
    const uint64_t bits = polhode_bits(x);
    const int exponent = (int)((bits >> 52) & 0x7FF);
    const uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFU) | 0x10000000000000U;
    const int position = exponent - 1013;
    const unsigned char *start = two_over_pi + (position >> 3);
    const int shift = 8 - (position & 7);
    uint32_t window[6], turns[6]; /* 192 bits, the lowest first */
    uint64_t carry = 0, high, middle, low, quadrant, exact, rest_bits;
    double scale, first, rest, product, small, lost;
    int j, is_upper, zeros = 0;

    for (j = 0; j < 6; ++j) {
        const unsigned char *p = start + 4 * (5 - j);
        const uint64_t five = (uint64_t)p[0] << 32 | (uint64_t)p[1] << 24
                              | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 8 | p[4];
        window[j] = (uint32_t)(five >> shift);
    }
    for (j = 0; j < 6; ++j) {
        carry += window[j] * (mantissa & 0xFFFFFFFFU);
        turns[j] = (uint32_t)carry;
        carry >>= 32;
    }
    carry = 0;
    for (j = 1; j < 6; ++j) {
        carry += window[j - 1] * (mantissa >> 32) + turns[j];
        turns[j] = (uint32_t)carry;
        carry >>= 32;
    }
    high = (uint64_t)turns[5] << 32 | turns[4];
    middle = (uint64_t)turns[3] << 32 | turns[2];
    low = (uint64_t)turns[1] << 32 | turns[0];

    quadrant = high >> 62;
    high = high << 2 | middle >> 62;
    middle = middle << 2 | low >> 62;
    low <<= 2;
    is_upper = (int)(high >> 63);
    quadrant += (uint64_t)is_upper;
    if (is_upper) {
        high = ~high;
        middle = ~middle;
        low = ~low + 1;
        if (low == 0 && ++middle == 0)
            ++high;
    }
    while (!(high >> 63) && zeros < 192) {
        high = high << 1 | middle >> 63;
        middle = middle << 1 | low >> 63;
        low <<= 1;
        ++zeros;
    }
    scale = polhode_number((uint64_t)(1023 - zeros) << 52);
    exact = high >> 11;
    rest_bits = (high & 0x7FF) << 42 | middle >> 22;
    first = (double)exact * $TWO_53 * scale;
    rest = (double)rest_bits * $TWO_106 * scale;
    product = first * $HALF_PI;
    lost = fma(first, $HALF_PI, -product);
    small = fma(rest, $HALF_PI, fma(first, $HALF_PI_REST, lost));
    *r = product + small;
    *tail = small - (*r - product);
    if (is_upper != (x < 0.0)) {
        *r = -*r;
        *tail = -*tail;
    }
    if (exponent == 0x7FF)
        *r = NAN;
    return x < 0.0 ? 0 - quadrant : quadrant;
}
"""

DOUBLE_QUADRANT = """\
/* Sine and cosine of r + tail in [-pi/4, pi/4]. */
static void polhode_near_zero(double r, double tail, double *sine, double *cosine)
{
    const double z = r * r, half = z * 0.5, w = 1.0 - half;
    const double lost = (1.0 - w) - half;
$SIN
$COS
    *sine = r + fma(r * z, s, tail * w);
    *cosine = w + fma(z * z, c, lost - r * tail);
}
"""

SINGLE_QUADRANT = """\
/* Sine and cosine of r in [-pi/4, pi/4], to single precision. */
static void polhode_near_zero(double r, double tail, double *sine, double *cosine)
{
    const double z = r * r;
$SIN
$COS
    (void)tail;
    *sine = fma(r * z, s, r);
    *cosine = fma(z * z, c, fma(z, -0.5, 1.0));
}
"""

SINCOS = """\
/* Sine and cosine of a reduced angle plus a number of right angles. */
static void polhode_turn(double r, double tail, uint64_t quadrant, $T *sine, $T *cosine)
{
    double s, c;
    polhode_near_zero(r, tail, &s, &c);
    *sine = ($T)polhode_number(polhode_bits(quadrant & 1 ? c : s) ^ (quadrant & 2) << 62);
    *cosine = ($T)polhode_number(polhode_bits(quadrant & 1 ? s : c) ^ ((quadrant + 1) & 2) << 62);
}

/* For |x| < $NEAR: pi/2 in three parts, the error of the second difference kept. */
static void polhode_near($T angle, $T *sine, $T *cosine)
{
    const double x = angle, shifted = fma(x, $TWO_OVER_PI, $WHOLE), k = shifted - $WHOLE;
    const double first = fma(-k, $PART_0, x);
    const double r = fma(-k, $PART_1, first);
    const double error = fma(-k, $PART_1, first - r);
    polhode_turn(r, fma(-k, $PART_2, error), polhode_bits(shifted), sine, cosine);
}

static void polhode_far($T angle, $T *sine, $T *cosine)
{
    double r, tail;
    const uint64_t quadrant = polhode_reduce(angle, &r, &tail);
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

EXP = """\
static double polhode_exp(double y)
{
    const double above = y > 800.0 ? 800.0 : y, x = above < -800.0 ? -800.0 : above;
    const double shifted = fma(x, $PER_LN2, $WHOLE), k = shifted - $WHOLE;
    const double r = fma(-k, $LN2_1, fma(-k, $LN2_0, x));
    const uint64_t n = polhode_bits(shifted) - $WHOLE_BITS;
    const uint64_t half = n >> 1; /* of a negative number too: the shifts below drop the sign */
    const double scale = polhode_number((half + 1023) << 52);
    const double rest = polhode_number((n - half + 1023) << 52);
$EXP
    return (fma(r * r, fma(r, p, 0.5), r) + 1.0) * scale * rest;
}
"""

LOG = """\
static double polhode_log(double x)
{
    const int is_tiny = x < $SMALLEST;
    const uint64_t bits = polhode_bits(is_tiny ? x * $TWO54 : x);
    const double mantissa = polhode_number((bits & 0xFFFFFFFFFFFFFU) | 0x3FF0000000000000U);
    const double raised = polhode_number((bits >> 52) + ($WHOLE_BITS - 1023)) - $WHOLE;
    const double exponent = is_tiny ? raised - 54.0 : raised;
    const int is_upper = mantissa > $ROOT2;
    const double f = (is_upper ? mantissa * 0.5 : mantissa) - 1.0;
    const double k = is_upper ? exponent + 1.0 : exponent;
    const double s = f / (f + 2.0), z = s * s;
$LOG
    const double correction = fma(s, f - z * p, -(k * $LN2_1));
    double result = fma(k, $LN2_0, f - correction);
    result = x < INFINITY ? result : x;
    result = x < 0.0 ? (double)NAN : result;
    return x == 0.0 ? -(double)INFINITY : result;
}
"""

ATAN2 = """\
static double polhode_atan2(double y, double x)
{
    const double rise = fabs(y), run = fabs(x);
    const int is_steep = rise > run;
    double large = is_steep ? rise : run, small = is_steep ? run : rise;
    double over, under, missed_over, missed_under, rest, t, z, angle, eighths, whole, lost;
    int is_middle;
    if (small == INFINITY || large == 0.0) {
        large = 1.0;
        small = rise == 0.0 ? small : 1.0;
    }
    if (large == INFINITY) {
        large = 1.0;
        small = 0.0;
    }
    if (large > $HUGE) {
        large = large * $LESS;
        small = small * $LESS;
    }
    is_middle = small > large * $TAN_EIGHTH;
    over = is_middle ? small - large : small;
    under = is_middle ? small + large : large;
    t = over / under;
    missed_over = is_middle ? small - (over + large) : 0.0;
    missed_under = is_middle ? small - (under - large) : 0.0;
    rest = fma(-t, under, over) + fma(-t, missed_under, missed_over);
    z = t * t;
$ATAN
    angle = t + fma(t * z, p, rest / under * (1.0 - z));
    eighths = is_middle ? 1.0 : 0.0;
    if (is_steep) {
        eighths = 2.0 - eighths;
        angle = -angle;
    }
    if (signbit(x)) {
        eighths = 4.0 - eighths;
        angle = -angle;
    }
    whole = eighths * $QUARTER_PI;
    lost = fma(eighths, $QUARTER_PI, -whole);
    angle = copysign(whole + (fma(eighths, $QUARTER_PI_REST, lost) + angle), y);
    return x != x || y != y ? x + y : angle;
}
"""

_NUMBERS = {
    "TWO_53": 2.0**-53,
    "TWO_106": 2.0**-106,
    "HALF_PI": own._HALF_PI[0],
    "HALF_PI_REST": own._HALF_PI[1],
    "NEAR": own._REDUCED_BELOW,
    "TWO_OVER_PI": 2 / math.pi,
    "WHOLE": own._WHOLE,
    "PART_0": own._HALF_PI_PARTS[0],
    "PART_1": own._HALF_PI_PARTS[1],
    "PART_2": own._HALF_PI_PARTS[2],
    "PER_LN2": 1 / math.log(2),
    "LN2_0": own._LN2[0],
    "LN2_1": own._LN2[1],
    "SMALLEST": 2.0**-1022,
    "TWO54": 2.0**54,
    "ROOT2": math.sqrt(2),
    "HUGE": 2.0**1000,
    "LESS": 2.0**-60,
    "TAN_EIGHTH": math.sqrt(2) - 1,
    "QUARTER_PI": math.pi / 4,
    "QUARTER_PI_REST": own._HALF_PI[1] / 2,
}


def _horner(name: str, variable: str, coefficients: Sequence[float]) -> str:
    last, *others = reversed(coefficients)
    lines = [f"    double {name} = {last!r};"]
    lines += [f"    {name} = fma({name}, {variable}, {c!r});" for c in others]
    return "\n".join(lines)


def library(needs: Iterable[str], dtype: str, lanes: int) -> str:
    """The text of the functions in ``needs`` and of what they call.

    Parameters
    ----------
    needs : iterable of {"sincos", "sincos_lanes", "exp", "log", "atan2"}
    dtype : {"f64", "f32"}
    lanes : int
        Angles that ``sincos_lanes`` takes at once.
    """
    needs, is_single = set(needs), dtype == "f32"
    parts = [BITS] if needs - {"atan2"} else []
    if needs & {"sincos", "sincos_lanes"}:
        parts += [REDUCE, SINGLE_QUADRANT if is_single else DOUBLE_QUADRANT, SINCOS]
    of = {"sincos": SINCOS_ONE, "sincos_lanes": SINCOS_LANES, "exp": EXP, "log": LOG}
    parts += [text for name, text in (of | {"atan2": ATAN2}).items() if name in needs]
    data = bytes(8) + own._TWO_OVER_PI + bytes(16)
    rows = [", ".join(f"{b:3d}" for b in data[k : k + 16]) for k in range(0, len(data), 16)]
    words = {k: repr(x) for k, x in _NUMBERS.items()} | {
        "T": "float" if is_single else "double",
        "F": "f" if is_single else "",
        "LANES": str(lanes),
        "WHOLE_BITS": f"0x{own._WHOLE_BITS:X}U",
        "TABLE": "\n".join(f"        {row}," for row in rows),
        "SIN": _horner("s", "z", own._SIN_SINGLE if is_single else own._SIN),
        "COS": _horner("c", "z", own._COS_SINGLE if is_single else own._COS),
        "EXP": _horner("p", "r", own._EXP),
        "LOG": _horner("p", "z", own._LOG),
        "ATAN": _horner("p", "z", own._ATAN),
    }
    return "\n".join(Template(text).substitute(words) for text in parts)
