"""Elementary functions as functions of LLVM: sines and cosines on all lanes at once, and others."""

from __future__ import annotations

from .elementary import FUNCTIONS, NEAR, TWO_OVER_PI, of_quadrant, reduce_far, reduce_near
from .emitter import IR, Emitter
from .machine import Format


def sincos(x: IR) -> tuple[IR, IR]:
    """Sine and cosine of double lanes, or of float lanes through double arithmetic."""
    is_single = x.element == "float"
    wide = x.to("fpext", "double") if is_single else x
    r, tail, bits = reduce_near(wide)
    s, c = of_quadrant(r, None if is_single else tail, bits)
    s, c = _far_lanes(wide, s, c, is_single)
    return (s.to("fptrunc", "float"), c.to("fptrunc", "float")) if is_single else (s, c)


def _far_lanes(x: IR, s: IR, c: IR, is_single: bool) -> tuple[IR, IR]:
    """Replace the results of the lanes whose angle is large, infinite or NaN."""
    e = x.e
    is_near = e.intrinsic("fabs", x) < NEAR
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
    table = IR(e, "ptr", "@two_over_pi")
    r, tail, bits = reduce_far(IR(e, "double", "%x"), lambda k: table.at(k, 8).load("i64"))
    places = [IR(e, "ptr", "%sine"), IR(e, "ptr", "%cosine")]

    def store(tail: IR | None) -> None:
        for place, x in zip(places, of_quadrant(r, tail, bits), strict=True):
            place.store(x)

    e.choose(IR(e, "i1", "%is_single"), lambda: store(None), lambda: store(tail))
    e.leave()
    signature = "internal void @far_angle(double %x, ptr %sine, ptr %cosine, i1 %is_single)"
    return e.function(signature, "noinline cold nounwind"), e


def table() -> str:
    """The words of 2/pi, as a constant of the module."""
    words = ", ".join(f"i64 {word}" for word in TWO_OVER_PI)
    return f"@two_over_pi = internal constant [{len(TWO_OVER_PI)} x i64] [{words}]"


def in_double(name: str, *x: IR) -> IR:
    """An elementary function of double lanes, or of float lanes through double arithmetic."""
    if x[0].element == "double":
        return FUNCTIONS[name](*x)
    return FUNCTIONS[name](*(v.to("fpext", "double") for v in x)).to("fptrunc", "float")


def functions(form: Format) -> list[tuple[str, Emitter]]:
    """The library of one format: ``name(ptr operands, ptr results)`` on consecutive slots."""
    made = [far_angle()]
    for name in ("sincos", *FUNCTIONS):
        e = Emitter()
        operands, out = IR(e, "ptr", "%operands"), IR(e, "ptr", "%results")
        places = [operands.at(form.slot * i) for i in range(2 if name == "atan2" else 1)]
        x = [place.load(form.vector(), form.slot) for place in places]
        results = sincos(*x) if name == "sincos" else [in_double(name, *x)]
        for i, result in enumerate(results):
            out.at(form.slot * i).store(result, form.slot)
        e.leave()
        made.append((e.function(f"void @{name}(ptr %operands, ptr %results)"), e))
    return made
