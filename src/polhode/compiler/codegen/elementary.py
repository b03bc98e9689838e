"""Elementary functions over operands of any emitter: for LLVM's instructions, and for C.

Errors, in units in the last place, as in the op table: sine and cosine below 1 for every finite
argument.  Those of exp, log and atan2 are below 1.5 over the normal range.  The polynomials were
fitted to the functions by weighted least squares in 60-digit arithmetic, coefficients rounded one
after the other.  Single precision widens to double, which makes its errors just above one half.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from .code_value import CodeValue

T = TypeVar("T", bound=CodeValue)

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
NEAR = 1e5  # below, the three parts of pi/2 are exact enough
_TWO_OVER_PI = bytes.fromhex(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea"
    "09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b"
    "1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f7"
    "8a5292ea6bfb5fb11f8d5d0856033046fc7b6bab"
)
TWO_OVER_PI = struct.unpack(">22Q", bytes(8) + _TWO_OVER_PI + bytes(16))  # after 64 zeros


def _horner(z: T, coefficients: Sequence[float]) -> T:
    result = z.like(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        result = z.e.fma(result, z, c)
    return result


def _whole_part(x: T, factor: float) -> tuple[T, T]:
    """``rint(x * factor)`` as a number and as integer bits, below 2**51."""
    shifted = x.e.fma(x, factor, _WHOLE)
    return shifted - _WHOLE, shifted.bits()


def reduce_near(x: T) -> tuple[T, T, T]:
    """``x`` as right angles and a sum of two numbers, for |x| below `NEAR`; their count is last.

    The first difference is exact: it has no bit below 2**-53.  The second part of pi/2 is short, so
    that its product with ``k`` is exact.  Hence the error of the second difference is a double,
    found by two more operations whatever cancels.
    """
    e = x.e
    k, bits = _whole_part(x, 2 / math.pi)
    first = e.fma(-k, _HALF_PI_PARTS[0], x)
    r = e.fma(-k, _HALF_PI_PARTS[1], first)
    error = e.fma(-k, _HALF_PI_PARTS[1], first - r)
    return r, e.fma(-k, _HALF_PI_PARTS[2], error), bits


def reduce_far(x: T, word_at: Callable[[T], T]) -> tuple[T, T, T]:
    """The same for a large angle: Payne and Hanek's reduction, with 192 bits of 2/pi.

    ``word_at`` gives an entry of `TWO_OVER_PI`.  No double is so near to a multiple of pi/2
    that the remainder, as a part of a right angle, begins with 64 zeros.
    """
    e, bits = x.e, x.bits()
    exponent = (bits >> 52) & 0x7FF
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    position = exponent - (1075 - 62)  # of the first bit of 2/pi that is not a multiple of 4
    words = [word_at((position >> 6) + k) for k in range(4)]
    shift = position & 63
    window = [_shifted(a, b, shift) for a, b in pairwise(words)]
    high, middle, low = _product(window, mantissa)
    is_upper = (high >> 61) & 1
    quadrant = (high >> 62) + is_upper
    high, middle, low = _shifted(high, middle, 2), _shifted(middle, low, 2), low << 2
    low, middle, high = _negated([low, middle, high], is_upper)
    zeros = _leading_zeros(high)
    top, rest = _shifted(high, middle, zeros), _shifted(middle, low, zeros)
    scale = ((zeros.like(1023) - zeros) << 52).bits(x.type)
    first = (top >> 11).to("uitofp", x.type) * 2.0**-53 * scale
    second = (((top & 0x7FF) << 42) | (rest >> 22)).to("uitofp", x.type) * 2.0**-106 * scale
    product = first * _HALF_PI[0]
    lost = e.fma(first, _HALF_PI[0], -product)
    small = e.fma(second, _HALF_PI[0], e.fma(first, _HALF_PI[1], lost))
    r = product + small
    tail = small - (r - product)
    is_negative = x < 0.0
    flips = is_upper.differs(0) ^ is_negative
    r, tail = flips.select(-r, r), flips.select(-tail, tail)
    quadrant = is_negative.select(quadrant.like(0) - quadrant, quadrant)
    return exponent.differs(0x7FF).select(r, math.nan), tail, quadrant


def _shifted(high: T, low: T, n: T | int) -> T:
    """The upper word of two, shifted left by less than 64 bits."""
    return (high << n) | ((low >> 1) >> (high.like(63) - n))


def _product(words: Sequence[T], factor: T) -> list[T]:
    """The last three words of a product; the most significant word comes first."""
    half = 0xFFFFFFFF
    lower, upper = factor & half, factor >> 32
    limbs = [limb for word in reversed(words) for limb in (word & half, word >> 32)]
    total: list[T] = []
    for limb in limbs:
        x = limb * lower
        total.append(x + (total[-1] >> 32) if total else x)
    for k, limb in enumerate(limbs[:-1], 1):
        x = limb * upper + (total[k] & half)
        total[k] = x + (total[k - 1] >> 32) if k > 1 else x
    pairs = zip(total[::2], total[1::2], strict=True)
    return [(low & half) | (high << 32) for low, high in pairs][::-1]


def _negated(words: Sequence[T], is_negated: T) -> list[T]:
    """The words of a number, or of its negative; the least significant word comes first."""
    mask, carry, result = is_negated.like(0) - is_negated, is_negated, []
    for word in words:
        if result:
            carry = carry & result[-1].equals(0).to("zext", word.type)
        result.append((word ^ mask) + carry)
    return result


def _leading_zeros(word: T) -> T:
    """How many zeros a word begins with, 63 at most; of an empty word any number of these."""
    rounds_within = word ^ (word & (word >> 1))  # no bit after the first one: its power stays
    exponent = rounds_within.to("uitofp", "double").bits() >> 52
    return (word.like(1023 + 63) - exponent) & 63


def of_quadrant(r: T, tail: T | None, bits: T) -> tuple[T, T]:
    """Sine and cosine of a reduced angle plus as many right angles as ``bits`` count."""
    z = r * r
    sine, cosine = _near_zero_single(r, z) if tail is None else _near_zero(r, tail, z)
    is_odd = (bits & 1).differs(0)
    s, c = is_odd.select(cosine, sine), is_odd.select(sine, cosine)
    s = (s.bits() ^ ((bits & 2) << 62)).bits(r.type)
    c = (c.bits() ^ (((bits + 1) & 2) << 62)).bits(r.type)
    return s, c


def _near_zero(r: T, tail: T, z: T) -> tuple[T, T]:
    """Sine and cosine of ``r + tail``, within [-pi/4, pi/4]."""
    e = r.e
    half = z * 0.5
    w = half.like(1.0) - half
    sine = r + e.fma(r * z, _horner(z, _SIN), tail * w)
    lost = (w.like(1.0) - w) - half
    cosine = w + e.fma(z * z, _horner(z, _COS), lost - r * tail)
    return sine, cosine


def _near_zero_single(r: T, z: T) -> tuple[T, T]:
    e = r.e
    sine = e.fma(r * z, _horner(z, _SIN_SINGLE), r)
    cosine = e.fma(z * z, _horner(z, _COS_SINGLE), e.fma(z, -0.5, 1.0))
    return sine, cosine


def exp(x: T) -> T:
    """The exponential of doubles."""
    e = x.e
    x = (x > 800.0).select(x.like(800.0), x)
    x = (x < -800.0).select(x.like(-800.0), x)
    k, bits = _whole_part(x, 1 / math.log(2))
    r = e.fma(-k, _LN2[1], e.fma(-k, _LN2[0], x))
    small = e.fma(r * r, e.fma(r, _horner(r, _EXP), 0.5), r)
    n = bits - _WHOLE_BITS
    half = n >> 1  # of a negative number too: the shifts below drop the sign
    scale = ((half + 1023) << 52).bits(x.type)
    rest = ((n - half + 1023) << 52).bits(x.type)
    return (small + 1.0) * scale * rest


def log(x: T) -> T:
    """The natural logarithm of doubles."""
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


def atan2(y: T, x: T) -> T:
    """The angle of the points ``(x, y)``, with C's signed zeros and infinities."""
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
    return (x.differs(x) | y.differs(y)).select(x + y, result)


FUNCTIONS: dict[str, Callable[..., Any]] = {"exp": exp, "log": log, "atan2": atan2}  # but sincos
