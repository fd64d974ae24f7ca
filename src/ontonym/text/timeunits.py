"""How English writes the units of time, for the patterns of durations and ages.

Each has its forms in the singular with ``|`` between, as in a pattern or a line of `ontonym.text.patterns`; a plural
adds an *s*. A single letter ("3 d", "2 y") or *mo* is a unit only in some places: a pattern names those that it takes.
"""

from __future__ import annotations

HOUR, DAY, WEEK, MONTH, YEAR = "hour|hr", "day", "week|wk", "month|mth", "year|yr"

UNITS = "|".join((HOUR, DAY, WEEK, MONTH, YEAR))
"""All of them."""
