"""A model shows itself in a notebook."""

from __future__ import annotations

from xml.etree import ElementTree

import polhode as ph
from polhode.model import Revolute
from polhode.model.text import MOST_LINES


def rows_of(model: ph.Model) -> list[list[str]]:
    """The cells of the table that a notebook shows."""
    html = ElementTree.fromstring(f"<body>{model._repr_html_()}</body>")
    return [[cell.text or "" for cell in row] for row in html.iter("tr")]


def test_a_model_is_a_table_of_its_links():
    """With joints, limits and masses; names are text, whatever is in them."""
    model = ph.Model("<b>").add("a & b", joint=Revolute.y(), mass=2.5, limits=(-1.0, 0.5))
    model = model.append("<script>", mass=1.0)
    assert rows_of(model)[1:] == [
        ["a & b", "", "a & b (revolute)", "-1 to 0.5", "2.5"],
        ["<script>", "a & b", "<script> (fixed)", "", "1"],
    ]


def test_a_large_model_shows_its_first_links():
    """And says how many are left out."""
    model = ph.Model("long")
    for k in range(MOST_LINES + 3):
        model = model.append(f"link{k}", joint=Revolute.x(), mass=1.0)
    assert len(rows_of(model)) == 1 + MOST_LINES
    assert "and 3 more links" in model._repr_html_()
