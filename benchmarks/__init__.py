"""The asv suite: see `benchmarks.py`."""
