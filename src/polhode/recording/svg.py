"""Lines over time as a small SVG picture that follows the reader's light or dark theme."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape

import numpy as np

_WIDTH, _HEIGHT = 820, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 24, 76, 52
_MAX_POINTS = 1200
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLE = """
  svg { background: #fff; font: 13px system-ui, "DejaVu Sans", sans-serif; }
  text { fill: #5d6875; } .title { fill: #1d242d; font-size: 17px; font-weight: 600; }
  .grid { stroke: #1d242d; stroke-opacity: .1; } .axis { stroke: #1d242d; stroke-opacity: .35; }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
  .s0 { stroke: #d97a2b; } .s1 { stroke: #2f6fde; } .s2 { stroke: #1d242d; }
  .s3 { stroke: #2a9d6f; stroke-dasharray: 6 4; }
  @media (prefers-color-scheme: dark) {
    svg { background: #171b21; } text { fill: #98a4b3; } .title { fill: #eef2f7; }
    .grid, .axis { stroke: #fff; }
    .s0 { stroke: #f0a15e; } .s1 { stroke: #79a7ff; } .s2 { stroke: #eef2f7; }
    .s3 { stroke: #6fd3a8; }
  }
"""

Line = tuple[str, np.ndarray]


def line_plot(times: np.ndarray, lines: Sequence[Line], *, title: str, x: str, y: str) -> str:
    """An SVG picture of up to four named lines; values that are not finite leave gaps."""
    finite = np.concatenate([values[np.isfinite(values)] for _, values in lines])
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    y_ticks = ticks(float(low), float(high))
    x_ticks = ticks(float(times[0]), float(times[-1]))
    y_low, y_high = min(y_ticks[0], low), max(y_ticks[-1], high)
    x_low, x_high = float(times[0]), max(float(times[-1]), float(times[0]) + 1e-12)

    def at(t: float, value: float) -> tuple[float, float]:
        across = (t - x_low) / (x_high - x_low) * (_WIDTH - _LEFT - _RIGHT)
        up = (value - y_low) / (y_high - y_low) * (_HEIGHT - _TOP - _BOTTOM)
        return _LEFT + across, _HEIGHT - _BOTTOM - up

    parts = [f'<text class="title" x="{_LEFT}" y="30">{_text(title)}</text>']
    parts += _frame(at, x_ticks, y_ticks, x_low, x_high)
    parts += _labels(x, y)
    offset = _LEFT
    for k, (name, values) in enumerate(lines):
        parts += [_path(at, times, values, k), *_legend(name, k, offset)]
        offset += 46 + 8 * len(name)
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" role="img">\n'
        f"<style>{_STYLE}</style>\n{body}\n</svg>\n"
    )


def ticks(low: float, high: float, wanted: int = 6) -> list[float]:
    """Round numbers that span the range in about ``wanted`` steps."""
    if not high - low > 1e-9 * max(abs(low), abs(high), 1e-300):
        pad = 0.5 * abs(low) or 0.5
        low, high = low - pad, high + pad
    raw = (high - low) / wanted
    decade = 10.0 ** math.floor(math.log10(raw))
    step = next(k * decade for k in (1, 2, 5, 10) if k * decade >= 0.999 * raw)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [k * step for k in range(first, last + 1)]


def _frame(at, x_ticks, y_ticks, x_low, x_high) -> list[str]:
    parts = []
    for value in y_ticks:
        (x1, y), (x2, _) = at(x_low, value), at(x_high, value)
        kind = "axis" if value == 0.0 else "grid"
        parts.append(
            f'<line class="{kind}" x1="{x1:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(
            f'<text x="{x1 - 10:.1f}" y="{y + 4:.1f}" text-anchor="end">{_g(value)}</text>'
        )
    bottom = _HEIGHT - _BOTTOM
    for value in x_ticks:
        x, _ = at(value, 0.0)
        if x_low - 1e-9 <= value <= x_high + 1e-9:
            parts.append(
                f'<line class="axis" x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 5}"/>'
            )
            parts.append(
                f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{_g(value)}</text>'
            )
    return parts


def _labels(x: str, y: str) -> list[str]:
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    side = (_TOP + _HEIGHT - _BOTTOM) / 2
    return [
        f'<text x="{middle}" y="{_HEIGHT - 10}" text-anchor="middle">{_text(x)}</text>',
        f'<text transform="translate(20 {side}) rotate(-90)" text-anchor="middle">'
        f"{_text(y)}</text>",
    ]


def _path(at, times: np.ndarray, values: np.ndarray, k: int) -> str:
    keep = np.unique(np.linspace(0, len(times) - 1, min(len(times), _MAX_POINTS)).astype(int))
    steps, pen = [], "M"
    for t, value in zip(times[keep].tolist(), values[keep].tolist(), strict=True):
        if not math.isfinite(value):
            pen = "M"
            continue
        across, up = at(t, value)
        steps.append(f"{pen}{across:.1f} {up:.1f}")
        pen = "L"
    return f'<path class="line s{k}" d="{" ".join(steps)}"/>'


def _legend(name: str, k: int, x: float) -> list[str]:
    return [
        f'<path class="line s{k}" d="M{x} 52h22"/>',
        f'<text x="{x + 28}" y="56">{_text(name)}</text>',
    ]


def _text(text: str) -> str:
    """A text as XML can hold it: control characters, which it cannot, are replaced."""
    return escape(_NOT_XML.sub("\ufffd", text), quote=False)


def _g(value: float) -> str:
    return f"{value + 0.0:.6g}".replace("-", "\u2212")
