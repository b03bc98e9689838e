"""Functions of one coordinate, as joints and couplings follow them."""

from __future__ import annotations

from ...errors import ModelError
from ...model import PiecewisePolynomial
from ..names import near, shorten
from ..sdf.values import child
from ..xml import Element
from .values import finite, finite_all, told

SPLINES = ("SimmSpline", "NaturalCubicSpline", "natCubicSpline")
"""One function under three names; its ends are not those of a natural spline."""
KNOWN = (
    "Constant", "LinearFunction", "PolynomialFunction", "PiecewiseLinearFunction",
    "MultiplierFunction", *SPLINES,
)  # fmt: skip
MOST_NESTED = 20


def function_in(element: Element, tag: str) -> PiecewisePolynomial | None:
    """The function inside an element, or inside its child ``tag``; None if there is none."""
    holder = child(element, tag) or element
    found = [each for each in holder.children if each.tag.endswith(("Function", "Spline"))
             or each.tag == "Constant" or each.attributes.get("name") == tag]  # fmt: skip
    return _read(found[0], 0) if found else None


def _read(element: Element, depth: int) -> PiecewisePolynomial:
    try:
        return _function(element, depth)
    except ModelError as error:
        raise told(element, error) from None


def _function(element: Element, depth: int) -> PiecewisePolynomial:
    match element.tag:
        case "Constant":
            return PiecewisePolynomial(((finite(element, "value", 0.0),),))
        case "LinearFunction":
            slope, intercept = _listed(element, "coefficients") or (1.0, 0.0)
            return PiecewisePolynomial(((intercept, slope),))
        case "PolynomialFunction":
            rows = _listed(element, "coefficients")
            return PiecewisePolynomial((tuple(reversed(rows)) or (0.0,),))
        case "PiecewiseLinearFunction":
            return PiecewisePolynomial.lines(_listed(element, "x"), _listed(element, "y"))
        case tag if tag in SPLINES:
            return PiecewisePolynomial.cubic_spline(_listed(element, "x"), _listed(element, "y"))
        case "MultiplierFunction":
            return _multiplied(element, depth)
        case tag:
            raise element.error(
                f"the function <{shorten(tag)}> is not read{near(tag, KNOWN)} (known: "
                f"{', '.join(KNOWN)})"
            )


def _multiplied(element: Element, depth: int) -> PiecewisePolynomial:
    holder = child(element, "function") or element
    inner = [each for each in holder.children if each.tag in KNOWN]
    if len(inner) != 1 or depth == MOST_NESTED:
        raise element.error(
            f"expected one function in <MultiplierFunction>, found {len(inner)}"
            if depth < MOST_NESTED else f"more than {MOST_NESTED} functions in one another"
        )  # fmt: skip
    return _read(inner[0], depth + 1).scaled(finite(element, "scale", 1.0))


def _listed(element: Element, tag: str) -> tuple[float, ...]:
    found = child(element, tag)
    values = () if found is None else finite_all(found)
    if tag == "coefficients" and element.tag == "LinearFunction" and len(values) not in (0, 2):
        raise element.error(
            f"expected a slope and an intercept in <LinearFunction>, found {len(values)} numbers"
        )
    return values
