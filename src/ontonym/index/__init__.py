"""Indexes over terminologies: three signals, each usable alone, and their fusion into one confidence."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontonym.index.build import IndexOptions, build_index
    from ontonym.index.open import Index, open_index
    from ontonym.index.update import Updated, update_index

__all__ = ["Index", "IndexOptions", "Updated", "build_index", "open_index", "update_index"]

_ROOMS = {
    "Index": "open",
    "IndexOptions": "build",
    "Updated": "update",
    "build_index": "build",
    "open_index": "open",
    "update_index": "update",
}
"""The module of each name: who updates an index need not load what searches one."""


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)
    return globals()[name]
