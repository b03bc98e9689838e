"""Elementary functions in LLVM IR: sine and cosine, exp, log, atan2, on all lanes at once.

Errors, in units in the last place: sine and cosine below 1 for every finite argument,
exp, log and atan2 below 1.5 over the normal range, as the op table has them.  The
polynomials were fitted to the functions by weighted least squares in 60-digit arithmetic,
coefficients rounded one after the other.  Single precision widens to double, which makes
its errors just above one half.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .emitter import IR, Emitter
from .machine import Format

_SIN = (
    -0.16666666666666627, 0.008333333333321138, -0.00019841269828776284,
    2.7557313328946776e-06, -2.505070041477599e-08, 1.5893400628850492e-10,
)  # fmt: skip
_COS = (
    0.041666666666666644, -0.001388888888888158, 2.4801587293975498e-05,
    -2.755731559540997e-07, 2.087588428259886e-09, -1.1367564916192904e-11,
)  # fmt: skip
_SIN_SINGLE = (
    -0.16666666638843236, 0.008333329085307272, -0.00019839242140798536, 2.717452946302412e-06,
)  # fmt: skip
_COS_SINGLE = (
    0.041666666643445684, -0.0013888885343889005, 2.4799895440216144e-05, -2.723802926278349e-07,
)  # fmt: skip
_ATAN = (
    -0.3333333333333316, 0.19999999999942542, -0.14285714279074485, 0.11111110726822099,
    -0.09090896114241576, 0.07692030741254545, -0.06662766611335262, 0.05845418703349366,
    -0.05028112950443413, 0.037778919205372866, -0.01759320866678118,
)  # fmt: skip
_EXP = (
    0.16666666666666669, 0.04166666666666667, 0.008333333333328866, 0.0013888888888882506,
    0.000198412698666779, 2.4801587328683896e-05, 2.7557264391740204e-06,
    2.7557270517188754e-07, 2.510190739845613e-08, 2.0915762196180126e-09,
)  # fmt: skip
_LOG = (
    0.6666666666666666, 0.4000000000000518, 0.2857142856928081, 0.2222222263128818,
    0.1818177614673936, 0.15387093845627067, 0.13249636532183656, 0.1325863461265876,
)  # fmt: skip
_HALF_PI = (1.5707963267948966, 6.123233995736766e-17)
_HALF_PI_PARTS = (
    1.5707963267948966,
    6.12323399538461e-17,
    3.5215598651832e-27,
)  # 53, 33 and 53 bits
_LN2 = (0.6931471805598903, 5.497923018708371e-14)  # the first has 11 trailing zero bits
_WHOLE = 6755399441055744.0  # 1.5 * 2**52: added to x, leaves rint(x) in the low bits
_WHOLE_BITS = 0x4338000000000000
_REDUCED_BELOW = 1e5  # the three parts of pi/2 are exact enough below this
_TWO_OVER_PI = bytes.fromhex(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea"
    "09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b"
    "1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f7"
    "8a5292ea6bfb5fb11f8d5d0856033046fc7b6bab"
)


def _horner(z: IR, coefficients: Sequence[float]) -> IR:
    result = z.like(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        result = z.e.fma(result, z, c)
    return result


def _whole_part(x: IR, factor: float) -> tuple[IR, IR]:
    """``rint(x * factor)`` as a number and as integer bits, below 2**51."""
    shifted = x.e.fma(x, factor, _WHOLE)
    return shifted - _WHOLE, shifted.bits()


def sincos(x: IR) -> tuple[IR, IR]:
    """Sine and cosine of double lanes, or of float lanes through double arithmetic."""
    is_single = x.element == "float"
    wide = x.to("fpext", "double") if is_single else x
    k, bits = _whole_part(wide, 2 / math.pi)
    r, tail = _reduced(wide, k)
    s, c = _of_quadrant(r, None if is_single else tail, bits)
    s, c = _far_lanes(wide, s, c, is_single)
    return (s.to("fptrunc", "float"), c.to("fptrunc", "float")) if is_single else (s, c)


def _reduced(x: IR, k: IR) -> tuple[IR, IR]:
    """``x - k * pi/2`` as a sum of two numbers, for |x| below `_REDUCED_BELOW`.

    The first difference is exact: it has no bit below 2**-53.  The second part of pi/2 is
    short, so that its product with ``k`` is exact and the error of the second difference
    is a double, found by two more operations whatever cancels.
    """
    e = x.e
    first = e.fma(-k, _HALF_PI_PARTS[0], x)
    r = e.fma(-k, _HALF_PI_PARTS[1], first)
    error = e.fma(-k, _HALF_PI_PARTS[1], first - r)
    return r, e.fma(-k, _HALF_PI_PARTS[2], error)


def _of_quadrant(r: IR, tail: IR | None, bits: IR) -> tuple[IR, IR]:
    """Sine and cosine of a reduced angle plus as many right angles as ``bits`` count."""
    z = r * r
    sine, cosine = _near_zero_single(r, z) if tail is None else _near_zero(r, tail, z)
    is_odd = (bits & 1).differs(0)
    s, c = is_odd.select(cosine, sine), is_odd.select(sine, cosine)
    s = (s.bits() ^ ((bits & 2) << 62)).bits(r.type)
    c = (c.bits() ^ (((bits + 1) & 2) << 62)).bits(r.type)
    return s, c


def _near_zero(r: IR, tail: IR, z: IR) -> tuple[IR, IR]:
    """Sine and cosine of ``r + tail``, within [-pi/4, pi/4]."""
    e = r.e
    half = z * 0.5
    w = half.like(1.0) - half
    sine = r + e.fma(r * z, _horner(z, _SIN), tail * w)
    lost = (w.like(1.0) - w) - half
    cosine = w + e.fma(z * z, _horner(z, _COS), lost - r * tail)
    return sine, cosine


def _near_zero_single(r: IR, z: IR) -> tuple[IR, IR]:
    e = r.e
    sine = e.fma(r * z, _horner(z, _SIN_SINGLE), r)
    cosine = e.fma(z * z, _horner(z, _COS_SINGLE), e.fma(z, -0.5, 1.0))
    return sine, cosine


def _far_lanes(x: IR, s: IR, c: IR, is_single: bool) -> tuple[IR, IR]:
    """Replace the results of the lanes whose angle is large, infinite or NaN."""
    e = x.e
    is_near = e.intrinsic("fabs", x) < _REDUCED_BELOW
    if x.lanes == 1:
        any_far = is_near ^ "true"
    else:
        any_far = e(f"i{x.lanes}", f"bitcast {is_near} to i{x.lanes}").differs(-1)
    with e.when(any_far) as join:
        memory = [e.alloca(x.type, 128) for _ in range(2)]
        for m, p in zip(memory, (s, c), strict=True):
            m.store(p, 128)
        for lane in range(x.lanes):
            with e.when(is_near.lane(lane) ^ "true"):
                places = [m.at(8 * lane) for m in memory]
                single = IR(e, "i1", "true" if is_single else "false")
                e.call("void", "@far_angle", x.lane(lane), *places, single)
        far = [m.load(x.type, 128) for m in memory]
        join.values = list(zip(far, (s, c), strict=True))
    s, c = join.results
    return s, c


def far_angle() -> tuple[str, Emitter]:
    """``far_angle(x, ptr sine, ptr cosine, is_single)`` of one large angle, out of line."""
    e = Emitter()
    memory = e.alloca("[3 x i64]", 8)
    e.call("void", "@reduce_far", IR(e, "double", "%x"), memory)
    r, tail = memory.load("double"), memory.at(8).load("double")
    bits = memory.at(16).load("i64")
    places = [IR(e, "ptr", "%sine"), IR(e, "ptr", "%cosine")]

    def store(tail: IR | None) -> None:
        for place, x in zip(places, _of_quadrant(r, tail, bits), strict=True):
            place.store(x)

    e.choose(IR(e, "i1", "%is_single"), lambda: store(None), lambda: store(tail))
    e.line("ret void")
    signature = "internal void @far_angle(double %x, ptr %sine, ptr %cosine, i1 %is_single)"
    return e.function(signature, "noinline cold nounwind"), e


def reduce_far() -> tuple[str, Emitter]:
    """The exact reduction of one large angle: Payne and Hanek's, with 192 bits of 2/pi.

    Writes the remainder in [-pi/4, pi/4] as a sum of two doubles and the quadrant.
    """
    e = Emitter()
    x, out = IR(e, "double", "%x"), IR(e, "ptr", "%out")
    bits = x.bits()
    exponent = (bits >> 52) & 0x7FF
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    position = exponent - (1075 - 62)  # of the first bit of 2/pi that is not a multiple of 4
    start = IR(e, "ptr", "@two_over_pi").at(position >> 3)
    window = e.call("i256", "@llvm.bswap.i256", start.load("i256", 1))
    window = window << (position & 7).to("zext", "i256")
    turns = (window >> 64).to("trunc", "i192") * mantissa.to("zext", "i192")
    quadrant = (turns >> 190).to("trunc", "i64")
    fraction = turns << 2
    is_upper = (fraction >> 191).to("trunc", "i1")
    quadrant = quadrant + is_upper.to("zext", "i64")
    fraction = is_upper.select(fraction.like(0) - fraction, fraction)
    zeros = e.call("i192", "@llvm.ctlz.i192", fraction, IR(e, "i1", "false"))
    aligned = fraction << zeros
    top, low = (aligned >> 128).to("trunc", "i64"), (aligned >> 64).to("trunc", "i64")
    scale = ((top.like(1023) - zeros.to("trunc", "i64")) << 52).bits("double")
    high = (top >> 11).to("uitofp", "double") * 2.0**-53 * scale
    rest = (((top & 0x7FF) << 42) | (low >> 22)).to("uitofp", "double") * 2.0**-106 * scale
    product = high * _HALF_PI[0]
    lost = e.fma(high, _HALF_PI[0], -product)
    small = e.fma(rest, _HALF_PI[0], e.fma(high, _HALF_PI[1], lost))
    r = product + small
    tail = small - (r - product)
    is_negative = x < 0.0
    flips = is_upper ^ is_negative
    r = flips.select(-r, r)
    is_finite = exponent.differs(0x7FF)
    out.store(is_finite.select(r, math.nan))
    out.at(8).store(flips.select(-tail, tail))
    out.at(16).store(is_negative.select(quadrant.like(0) - quadrant, quadrant))
    e.line("ret void")
    return e.function("internal void @reduce_far(double %x, ptr %out)", "noinline cold nounwind"), e


def table() -> str:
    """The bits of 2/pi after eight bytes of zeros, as a constant of the module."""
    data = bytes(8) + _TWO_OVER_PI + bytes(16)
    text = "".join(f"\\{b:02X}" for b in data)
    return f'@two_over_pi = internal constant [{len(data)} x i8] c"{text}"'


def exp(x: IR) -> IR:
    """The exponential of double lanes."""
    e = x.e
    x = (x > 800.0).select(x.like(800.0), x)
    x = (x < -800.0).select(x.like(-800.0), x)
    k, bits = _whole_part(x, 1 / math.log(2))
    r = e.fma(-k, _LN2[1], e.fma(-k, _LN2[0], x))
    small = e.fma(r * r, e.fma(r, _horner(r, _EXP), 0.5), r)
    n = bits - _WHOLE_BITS
    half = e(n.type, f"ashr {n}, {n.like(1).text}")
    scale = ((half + 1023) << 52).bits(x.type)
    rest = ((n - half + 1023) << 52).bits(x.type)
    return (small + 1.0) * scale * rest


def log(x: IR) -> IR:
    """The natural logarithm of double lanes."""
    e = x.e
    is_tiny = x < 2.0**-1022
    scaled = is_tiny.select(x * 2.0**54, x)
    bits = scaled.bits()
    mantissa = ((bits & ((1 << 52) - 1)) | (1023 << 52)).bits(x.type)
    exponent = ((bits >> 52) + (_WHOLE_BITS - 1023)).bits(x.type) - _WHOLE
    exponent = is_tiny.select(exponent - 54.0, exponent)
    is_upper = mantissa > math.sqrt(2)
    f = is_upper.select(mantissa * 0.5, mantissa) - 1.0
    k = is_upper.select(exponent + 1.0, exponent)
    s = f / (f + 2.0)
    z = s * s
    correction = e.fma(s, f - z * _horner(z, _LOG), -(k * _LN2[1]))
    result = e.fma(k, _LN2[0], f - correction)
    result = (x < math.inf).select(result, x)
    result = (x < 0.0).select(x.like(math.nan), result)
    return x.equals(0.0).select(x.like(-math.inf), result)


def atan2(y: IR, x: IR) -> IR:
    """The angle of the points ``(x, y)``, double lanes, with C's signed zeros and infinities."""
    e = x.e
    rise, run = e.intrinsic("fabs", y), e.intrinsic("fabs", x)
    is_steep = rise > run
    large, small = is_steep.select(rise, run), is_steep.select(run, rise)
    both = small.equals(math.inf) | large.equals(0.0)
    large = both.select(large.like(1.0), large)
    small = both.select(rise.equals(0.0).select(small, large), small)
    is_endless = large.equals(math.inf)
    large = is_endless.select(large.like(1.0), large)
    small = is_endless.select(small.like(0.0), small)
    is_huge = large > 2.0**1000
    large = is_huge.select(large * 2.0**-60, large)
    small = is_huge.select(small * 2.0**-60, small)
    is_middle = small > large * (math.sqrt(2) - 1)
    over = is_middle.select(small - large, small)
    under = is_middle.select(small + large, large)
    t = over / under
    zero = large.like(0.0)
    missed_over = is_middle.select(small - (over + large), zero)
    missed_under = is_middle.select(small - (under - large), zero)
    remainder = e.fma(-t, under, over) + e.fma(-t, missed_under, missed_over)
    z = t * t
    angle = t + e.fma(t * z, _horner(z, _ATAN), remainder / under * (zero.like(1.0) - z))
    eighths = is_middle.select(x.like(1.0), 0.0)  # of a turn, from the angle to the result
    eighths = is_steep.select(eighths.like(2.0) - eighths, eighths)
    angle = is_steep.select(-angle, angle)
    is_left = x.bits() < 0
    eighths = is_left.select(eighths.like(4.0) - eighths, eighths)
    angle = is_left.select(-angle, angle)
    whole = eighths * (math.pi / 4)
    lost = e.fma(eighths, math.pi / 4, -whole)
    result = whole + (e.fma(eighths, _HALF_PI[1] / 2, lost) + angle)
    result = e.intrinsic("copysign", result, y)
    is_nan = e(both.type, f"fcmp uno {x}, {y.text}")
    return is_nan.select(x + y, result)


def _widened(function: Callable[..., IR]) -> Callable[..., IR]:
    def on_any(*x: IR) -> IR:
        if x[0].element == "double":
            return function(*x)
        return function(*(v.to("fpext", "double") for v in x)).to("fptrunc", "float")

    return on_any


def functions(form: Format) -> list[tuple[str, Emitter]]:
    """The library of one format: ``name(ptr operands, ptr results)`` on consecutive slots."""
    made = [reduce_far(), far_angle()]
    T = form.vector()
    for name, arity, function in (
        ("sincos", 1, sincos),
        ("exp", 1, lambda x: (_widened(exp)(x),)),
        ("log", 1, lambda x: (_widened(log)(x),)),
        ("atan2", 2, lambda y, x: (_widened(atan2)(y, x),)),
    ):
        e = Emitter()
        operands, results = IR(e, "ptr", "%operands"), IR(e, "ptr", "%results")
        x = [operands.at(form.slot * i).load(T, form.slot) for i in range(arity)]
        for i, result in enumerate(function(*x)):
            results.at(form.slot * i).store(result, form.slot)
        e.line("ret void")
        made.append((e.function(f"void @{name}(ptr %operands, ptr %results)"), e))
    return made
