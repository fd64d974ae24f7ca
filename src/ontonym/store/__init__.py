"""The terminology on disk: built once from a reader's stream, opened read-only by everything else.

`build_terminology` takes the concepts in batches and appends each column to its file; then it merges concepts that came
twice, and makes the lookups and the hierarchy. `open_terminology` maps the same files and reads nothing: a concept is
its row, and a record is made of the columns when one is asked for.

Where to look (a test holds this list to the files):

- the folder: ``layout``, ``columns``, ``lookup``, ``hierarchy``; made: ``build``, ``repeats``; opened: ``open``
- records that are the same concept: ``duplicates``; whether one terminology may replace another: ``successor``
- two releases: ``pairing``, ``comparing`` and ``replacement`` find what changed, ``diff`` is the way in, ``describing``
  and ``changepage`` say it; what of a user's files it affects: ``affected``, ``idfiles``
- mappings: ``mappings`` reads them; carried to new releases: ``carry``, ``carrywriting``, ``mappingfile``
- written in other formats: ``export``; numbers beyond the memory while something is built: ``scratch``
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ontonym.store.hierarchy import Hierarchy
from ontonym.store.open import Terminology, open_terminologies, open_terminology, refuse_repeats
from ontonym.text.strings import Coded

if TYPE_CHECKING:
    from ontonym.store.build import build_terminology

__all__ = [
    "Coded",
    "Hierarchy",
    "Terminology",
    "build_terminology",
    "open_terminologies",
    "open_terminology",
    "refuse_repeats",
]


def __getattr__(name: str) -> Any:
    if name != "build_terminology":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ontonym.store.build import build_terminology  # who opens a terminology need not load what builds one

    globals()[name] = build_terminology
    return build_terminology
