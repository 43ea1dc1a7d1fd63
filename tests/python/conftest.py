"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# The same examples on every run and every machine, and no folder left behind.
settings.register_profile("weft", derandomize=True, database=None, deadline=None, max_examples=50)
settings.load_profile("weft")
