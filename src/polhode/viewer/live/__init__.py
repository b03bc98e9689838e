"""A running simulation in the browser: steered there, pushed with the mouse.

A server of this process alone: it listens on the loopback, and answers nobody who does not know
its token.  May import `errors`, `model`, `scene`, `recording`, `simulation`, and what else is in
`viewer`.
"""

from .view import LiveView, show_live

__all__ = ["LiveView", "show_live"]
