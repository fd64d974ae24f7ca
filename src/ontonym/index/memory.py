"""How much memory building an index may take: what is asked for, what the machine has, and what the names need."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ontonym.errors import InputError
from ontonym.text.counting import count

SHARE = 2
"""Without a limit of the user's, building takes at most one part in so many of the machine's memory."""

LEAST = 1 << 28
FOR_A_TERM = 160
"""Bytes that building needs in any case, and for each term: measured (docs/scale.md), and a quarter more."""

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_CGROUP = Path("/sys/fs/cgroup/memory.max")


def bytes_of(text: str) -> int:
    """The bytes that a text such as ``4G`` or ``512M`` stands for; raises InputError for anything else."""
    found = _SIZE.fullmatch(text.strip())
    size = int(float(found[1]) * _UNITS[found[2].upper()]) if found else 0
    if not size:
        raise InputError(f"memory {text!r}: write a number with M or G, such as 512M or 4G")
    return size


def machine_memory() -> int:
    """The bytes of memory of this machine, or of the container that this process runs in."""
    try:
        own = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        own = 8 << 30
    try:
        return min(own, int(_CGROUP.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return own


def for_sorting(terms: int, memory: int | None) -> int:
    """The bytes that sorting may take while so many terms are indexed in ``memory`` bytes; None: half of the machine's.

    Raises InputError, which says how much is needed, where that is too little.
    """
    limit = machine_memory() // SHARE if memory is None else memory
    needed = LEAST + FOR_A_TERM * terms
    if limit < needed:
        whose = "half of this machine's memory" if memory is None else "the limit"
        enough = f"{-(-needed // (1 << 20))}M"
        raise InputError(
            f"indexing {count(terms, 'term')} needs about {_told(needed)} of memory, and {whose} is "
            f"{_told(limit)}: allow `memory={enough}`, or index fewer terminologies at once"
        )
    return max(limit - FOR_A_TERM * terms, LEAST) // 2


def _told(memory: int) -> str:
    for unit, bytes_ in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if memory >= bytes_:
            return f"{memory / bytes_:,.4g} {unit}"
    return count(memory, "byte")
