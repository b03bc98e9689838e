"""What the documentation's build adds to Sphinx: reference pages and gallery scripts."""
