"""Models and recordings as one self-contained HTML page, in the browser, and as pictures.

`film` has the data of a page; `shapes`, `meshes`, `drawing` and `signals` are its parts, and `page`
writes the file.  `render` makes pictures of it by a browser, `live` a page that looks at a running
simulation.  May import `errors`, `notebooks`, `files`, `arrays`, `arguments`, `spatial`, `model`, `api`,
`scene`, `recording`, `simulation` and `formats`.
"""

from .camera import Camera
from .chromium import BrowserError
from .drawing import drawn, has_tiles
from .film import Film, film_of
from .jupyter import iframe
from .page import html, page_of
from .render import render
from .show import show, show_films

__all__ = [
    "BrowserError",
    "Camera",
    "Film",
    "drawn",
    "film_of",
    "has_tiles",
    "html",
    "iframe",
    "page_of",
    "render",
    "show",
    "show_films",
]
