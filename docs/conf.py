"""Sphinx configuration: ``make docs`` builds the site into ``build/docs``."""

from __future__ import annotations

import shutil
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WORK = ROOT / "build" / "docs-work"
sys.path.insert(0, str(HERE))

from _site.gallery import OUTPUT, stage  # noqa: E402
from _site.live import link_pages, write_book, write_pages  # noqa: E402
from _site.reference import write_reference  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402
from sphinx.ext.autodoc.mock import mock  # noqa: E402

import polhode  # noqa: E402

project = "polhode"
author = "The polhode developers"
project_copyright = author
version = release = polhode.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_gallery.gen_gallery",
]

root_doc = "index"
exclude_patterns = ["_site", "drawings/*.py", "pictures/*.py", "generated/**/*.ipynb"]
exclude_patterns += ["generated/gallery/**/*.py", "generated/**/sg_execution_times.rst"]
exclude_patterns += ["sg_execution_times.rst"]
templates_path: list[str] = []
nitpicky = True
default_role = "code"

# Markdown, as GitHub shows it too.
myst_enable_extensions = ["attrs_inline", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
nb_execution_mode = "auto"
nb_execution_timeout = 240
nb_execution_raise_on_error = True
nb_execution_cache_path = str(WORK / "notebooks")

# Reference.
autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_mock_imports = ["torch", "jax", "casadi"]
with mock(autodoc_mock_imports):
    write_reference(HERE / "generated" / "reference")

# Gallery.
sections = stage(WORK / "gallery")
shutil.rmtree(OUTPUT, ignore_errors=True)
OUTPUT.mkdir(parents=True)
(HERE / "generated" / "extra").mkdir(exist_ok=True)
write_pages()
write_book()

sphinx_gallery_conf = {
    "examples_dirs": [str(WORK / "gallery" / name) for name in sections],
    "gallery_dirs": [f"generated/gallery/{name}" for name in sections],
    "filename_pattern": r".*",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ["_site.gallery.pictures"],
    "reset_argv": "_site.gallery.arguments",
    "reset_modules": (),
    "only_warn_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "plot_gallery": "True",
    "remove_config_comments": True,
    "capture_repr": (),
}
# A model that is read with a remark is no defect of the page.
warnings.simplefilter("ignore", polhode.ModelWarning)

html_extra_path = ["generated/extra"]
html_static_path = ["style"]
html_css_files = ["site.css"]
html_theme = "pydata_sphinx_theme"
html_title = f"polhode {release}"
html_show_sourcelink = False
html_scaled_image_link = False  # a picture in a gallery leads to its live page
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_nav_level": 1,
    "navigation_depth": 2,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 6,
}


def setup(app: Sphinx) -> None:
    app.connect("source-read", link_pages)
