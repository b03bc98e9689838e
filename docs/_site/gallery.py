"""Gallery: the scripts of ``polhode.examples`` as sphinx-gallery wants them, and their files.

Scripts stay plain programs.  For the site each is copied with its first line made a heading and
run in a folder of the build, so that nothing is written beside the sources.
"""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

from polhode.examples import scripts

OUTPUT = Path(__file__).resolve().parents[2] / "build" / "docs-work" / "output"
PICTURES = Path(__file__).resolve().parents[1] / "pictures"
HIDE = "# sphinx_gallery"
TITLES = {
    "tutorials": "The seven tutorials",
    "scenes": "Scenes",
    "sweeps": "Many runs",
    "learning": "Learning",
    "more": "More",
}


def with_heading(source: str) -> str:
    """The script with the first line of its docstring underlined.

    The site shows the docstring as text and runs the rest, so the rest is told what it was.
    """
    tree = ast.parse(source)
    doc = ast.get_docstring(tree)
    if doc is None:
        raise ValueError("a gallery script begins with a docstring")
    head, _, rest = doc.partition("\n")
    head = head.rstrip(".")
    lines = source.splitlines(keepends=True)
    futures = [n.end_lineno for n in tree.body if getattr(n, "module", "") == "__future__"]
    start, cut = tree.body[0].end_lineno, max([tree.body[0].end_lineno, *futures])
    told = f"{HIDE}_start_ignore\n__doc__ = {doc!r}\n{HIDE}_end_ignore\n"
    body = "".join(lines[start:cut]) + "\n" + told + "".join(lines[cut:])
    return f'"""\n{head}\n{"=" * len(head)}\n{rest.rstrip()}\n"""\n{body}'


def thumbnail(script: Path) -> str:
    """The line that makes a picture of the documentation the script's, if there is one."""
    name = f"scene_{script.stem[:2]}.jpg"
    if script.parent.name == "scenes" and (PICTURES / name).exists():
        return f'\n# sphinx_gallery_thumbnail_path = "pictures/{name}"\n'
    return ""


def stage(target: Path) -> list[str]:
    """Copy each folder of scripts; return the folders' names."""
    if target.exists():
        shutil.rmtree(target)
    for name, heading in TITLES.items():
        (target / name).mkdir(parents=True)
        (target / name / "GALLERY_HEADER.rst").write_text(f"{heading}\n{'=' * len(heading)}\n")
    for script in scripts():
        text = with_heading(script.read_text(encoding="utf-8")) + thumbnail(script)
        (target / script.parent.name / script.name).write_text(text, encoding="utf-8")
    return list(TITLES)


seen: set[Path] = set()


def arguments(gallery_conf: dict, script_vars: dict) -> list[str]:
    """Options of a gallery script: where it may write, if it or what it shares takes that one."""
    script = Path(script_vars["src_file"])
    source = script.read_text(encoding="utf-8")
    takes = "--output" in source or "from polhode.examples." in source
    return ["--output", str(OUTPUT)] if takes else []


def pictures(block: tuple, block_vars: dict, gallery_conf: dict, **_: object) -> str:
    """An image scraper: pictures and pages that a script wrote since the last block."""
    from sphinx_gallery.scrapers import figure_rst

    new = [p for p in sorted(OUTPUT.rglob("*")) if p not in seen and p.is_file()]
    seen.update(new)
    places = block_vars["image_path_iterator"]
    shown = []
    for picture in (p for p in new if p.suffix in {".svg", ".png"}):
        place = Path(next(places)).with_suffix(picture.suffix)
        shutil.copy(picture, place)
        shown.append(str(place))
    text = figure_rst(shown, gallery_conf["src_dir"]) if shown else ""
    for page in (p for p in new if p.suffix == ".html"):
        text += FRAME.format(animation(page, Path(gallery_conf["src_dir"])))
    return text


def animation(page: Path, source: Path) -> str:
    """Put an animation where the site copies it from; its address from a gallery page."""
    name = "-".join(page.relative_to(OUTPUT).with_suffix("").parts).removesuffix("-animation")
    place = source / "generated" / "extra" / "animations" / f"{name}.html"
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(page, place)
    return f"../../../animations/{name}.html"


FRAME = """
.. raw:: html

   <iframe src="{}" loading="lazy" style="width:100%;height:480px;border:0"></iframe>

"""
