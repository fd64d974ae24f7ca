"""The terminology on disk: built once from a reader's stream, opened read-only by everything else."""

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
