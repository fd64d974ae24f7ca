"""Indexes over terminologies: three signals, each usable alone, and their fusion into one confidence."""

from ontonym.index.build import IndexOptions, build_index
from ontonym.index.open import Index, open_index
from ontonym.index.update import update_index

__all__ = ["Index", "IndexOptions", "build_index", "open_index", "update_index"]
