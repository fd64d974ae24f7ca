"""Indexes over terminologies: three signals, each usable alone, and their fusion into one confidence.

Where to look (a test holds this list to the files):

- an index is made and changed: ``build``, ``update``, ``terms``, ``termfile``, ``added``, ``amend``, ``earlier``,
  ``memory``
- its names: ``newnames`` writes them, ``names`` opens them; ``vocabulary``, ``wordfacts``; further names: ``extra``,
  ``everyday``, ``shortened``
- its signals: ``signalfiles`` writes them, ``part`` opens them; ``lexical``, ``char``, ``grams``, ``dense``,
  ``signcodes``, ``inverted``, ``shards``, ``nearest``
- it is opened: ``open``, ``handle``, ``sources``; in a database: ``shared``
- a query: ``query``, ``scan``, ``wordings``, ``beginnings``, ``spacings``, ``spelling``, ``corrections``, ``soundalikes``,
  ``interpret``
- its candidates: ``signals``, ``nametable``, ``namewords``, ``evidence``
- how sure they are: ``fuse``, ``samewords``, ``exchanges``, ``barefindings``, ``doubts``, ``doubtrules``, ``choices``,
  ``calibration``, ``nil``
- names are found in other ways: ``windows``, ``rootforms``, ``partialforms`` in texts, ``prefixes`` while someone types
- pages of encyclopedias: ``pagebuild``, ``pages``
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontonym.index.added import AddedTerm
    from ontonym.index.build import build_index, check_replaced_index
    from ontonym.index.names import IndexOptions
    from ontonym.index.open import Index, open_index
    from ontonym.index.terms import Holding, TermsChange, add_terms, holdings, read_journal, remove_terms
    from ontonym.index.update import Updated, update_index

__all__ = [
    "AddedTerm",
    "Holding",
    "Index",
    "IndexOptions",
    "TermsChange",
    "Updated",
    "add_terms",
    "build_index",
    "check_replaced_index",
    "holdings",
    "open_index",
    "read_journal",
    "remove_terms",
    "update_index",
]

_ROOMS = {
    "AddedTerm": "added",
    "TermsChange": "terms",
    "Holding": "terms",
    "Index": "open",
    "IndexOptions": "names",
    "Updated": "update",
    "add_terms": "terms",
    "build_index": "build",
    "check_replaced_index": "build",
    "holdings": "terms",
    "open_index": "open",
    "read_journal": "terms",
    "remove_terms": "terms",
    "update_index": "update",
}
"""The module of each name: who updates an index need not load what searches one."""


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)
    return globals()[name]
