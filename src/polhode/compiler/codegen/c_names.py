"""Names that C and C++ allow, made of any text."""

from __future__ import annotations

import re

_LANGUAGES = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while alignas alignof and asm bitand bitor bool catch class compl concept const_cast
consteval constexpr constinit decltype delete dynamic_cast explicit export false friend mutable
namespace new noexcept not nullptr operator or private protected public reinterpret_cast requires
static_assert static_cast template this thread_local throw true try typeid typename typeof using
virtual wchar_t xor main memcpy NAN INFINITY NULL abs div errno signgam
"""
_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
fdim floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log
log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo
rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc y0 y1 yn isfinite isinf isnan
isnormal signbit fpclassify
"""
_TAKEN = {*_LANGUAGES.split(), *(f + end for f in _MATH.split() for end in ("", "f", "l"))}


def identifier(name: str) -> str:
    """``name`` as C and C++ allow it, apart from the names that the printer makes itself."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII) or "_"
    word = f"_{word}" if word[0].isdigit() else word
    is_taken = word in _TAKEN or re.fullmatch(r"[vsc]\d+|w|l|u?int\d+_t|polhode_.*", word)
    return f"{word}_" if is_taken else word
