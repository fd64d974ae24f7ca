"""The least and the most that a number among options may be."""

from __future__ import annotations

import math

from ontonym.errors import InputError

MOST_SEED = 2**32 - 1
"""The largest seed that numpy and torch both take."""


def check_range(name: str, value: float, least: float, most: float = math.inf) -> None:
    """InputError for the number of an option that lies outside of a range, or is infinite or none (NaN)."""
    if least <= value <= most and math.isfinite(value):
        return
    range_ = f"at least {_shown(least)}" if math.isinf(most) else f"between {_shown(least)} and {_shown(most)}"
    raise InputError(f"`{name}=` must be {range_}, not {_shown(value)}")


def check_seed(seed: int) -> None:
    """InputError for a seed that the generators of random numbers do not take."""
    check_range("seed", seed, 0, MOST_SEED)


def _shown(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:g}"
