"""Indexes over terminologies: three signals, each usable alone, and their fusion into one confidence.

The way of a query, after `ontonym.tasks.search.search`. Read `Interpreter.readings_of` first; it calls all the rest:

1. A text becomes a `Query`: its normalized words and its vector.
2. A query becomes wordings: what to search for instead of it or beside it, each with a prior (how likely it is meant),
   in groups: one for the whole of it, one for what is left without the words around a finding (`Wordings`).
3. A wording becomes an `Interpretation`, the candidates of one query as it is (`CandidateSearch`). Each signal brings
   its nearest names. All names of their concepts are then compared with the query by all signals, a row of facts for
   each name (`NameTable`), and become a row of features for each concept (`Evidence`). `Fusion` makes a confidence of
   each row, with "none of them" as one more candidate. It rises where a name has just the words of the query, and falls
   where the name says another thing than the query (a doubt).
4. Interpretations become readings, each with its probability (`weighed`). Corrections of the spelling take the place of
   the likeliest one where they are clearly surer. Within a reading, a candidate whose words fit the query better may
   change places with the first (an exchange). Where no answer is likely, the finding is searched for by itself
   (`BareFinding`).
5. Readings become `Choice`, each concept once with its confidence in all of them (`RankedCandidates`). Calibration and
   hits with their reasons are made in `ontonym.tasks`.

Words that have one sense here: a **name** is a row of `Names`, one spelling of one concept; a **part** is the names of
one origin (a terminology's own, everyday ones, added ones) with the signals on them; a **place** is a position in a
list; concepts are numbers through all terminologies in their order. The **surest** candidate has the highest confidence
among those of its own terminology, the **first** one among all. Variables named ``read`` hold an `Interpretation`,
``pair`` a `ComparedName`, and ``sure`` confidences by candidate. Many functions take several queries, and many arrays
hold what belongs to several queries or names end to end (`ontonym.ragged`): searching together is faster.

Where to look (a test holds this list to the files):

- a query: ``query``, ``scan``; what to search for instead: ``wordings``, ``spacings``, ``beginnings``
- its candidates: ``candidates``, ``signals``, ``partnames``, ``nametable``, ``namewords``, ``conceptmeans``,
  ``evidence``
- how sure they are: ``fuse``, ``samewords``, ``doubts``, ``doubtrules``, ``askedfor``, ``comparednames``,
  ``calibration``
- its readings: ``interpret``, ``interpretation``, ``exchanges``, ``barefindings``; of abbreviations: ``expansions``;
  of misspelled words: ``corrections``, ``spelling``, ``soundalikes``; the concepts chosen from them: ``choices``
- texts that mean no concept: ``nil``
- the signals: ``lexical``, ``char``, ``grams``, ``dense``, ``signcodes``, ``inverted``, ``nearest``, ``shards``;
  ``part`` opens their files, ``signalfiles`` writes them
- the names: ``names`` opens them, ``newnames`` writes them; their words: ``vocabulary``, ``wordfacts``; further names:
  ``extra``, ``everyday``, ``shortened``
- an index is opened: ``open``, ``contents``, ``handle``, ``sources``; in a database: ``shared``
- it is made and changed: ``build``, ``update``, ``terms``, ``termfile``, ``added``, ``amend``, ``earlier``, ``memory``
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
