"""Codes as queries: an id, with or without its prefix or dot, finds its concept, or what replaced it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from ontonym.arrays import Mask
from ontonym.index import Index
from ontonym.ontology.xrefs import CANONICAL_PREFIXES, PREFIX_ALIASES
from ontonym.store import Terminology
from ontonym.store.duplicates import recorded_duplicates
from ontonym.text.normalization import tokens
from ontonym.text.records import code_beside
from ontonym.text.wordlists import SMALL
from ontonym.text.wordroots import root
from ontonym.types import Hit, Reason

_LABEL = re.compile(
    r"\s*(?:icd[- ]?(?:9|10|11)(?:[- ]?cm)?\b\s*)?(?:(?:dx\s+|diagnosis\s+)?code\b)?\s*[:#]?\s*", re.IGNORECASE
)
"""What may stand before a code: "ICD-10 code: E11.9"."""
_BEGUN = re.compile(r"(?<=[0-9A-Z])\s*(?:\.[-x]?|-)\s*$", re.IGNORECASE)
"""How a code ends of which more is to be said: "M54.", "C50.-", "E11.x"."""
_SPACED = re.compile(r"\s*([A-Z]\d[0-9A-Z])\s([0-9A-Z]{1,4})\s*", re.IGNORECASE)
"""A code of ICD-10 whose dot was left out or not heard: "E11 9"."""
_OF_CODES = SMALL | frozenset("code coding concept diagnosis dx id identifier snomedct term".split())
"""Normalized words beside a code that say no more than that it is one; so do the names of vocabularies."""


@cache
def _says_nothing() -> frozenset[str]:
    return _OF_CODES.union(tokens(" ".join((*CANONICAL_PREFIXES, *PREFIX_ALIASES)).replace("_", " ")))


def code_hits(index: Index, text: str, allowed: Mask | None = None) -> list[Hit]:
    """The concepts that ``text`` is a code of, in each terminology of the index; empty where it is none.

    So are those of a code beside words that one of their names has ("J45 - bronchial asthma"), or that only say whose
    code it is ("icd10 J45.9"). Each has the confidence 1; where a retired one has several replacements, these share it.
    A retired concept that nothing replaced is a hit itself. ``allowed`` is a bitmap over the concepts of the index.
    """
    text = text if text.isascii() else unicodedata.normalize("NFKC", text)  # Ｅ１１．９
    beside = code_beside(text)
    if beside is None:
        return _code_hits(index, text, allowed)
    code, said = beside
    asked = {root(word) for word in tokens(said) if word not in _says_nothing()}
    return [
        hit
        for hit in _code_hits(index, code, allowed)
        if asked <= _labels_of(hit) or not asked.isdisjoint(_roots_of(index, hit))
    ]


def _labels_of(hit: Hit) -> set[str]:
    """The roots of the words that name the terminology of a hit."""
    return {root(word) for word in tokens(f"{hit.terminology} {hit.id.partition(':')[0]}")}


def _roots_of(index: Index, hit: Hit) -> set[str]:
    """The roots of the words that the names of a hit have."""
    names = index.aliases(index.number_in(hit.terminology, hit.id))
    return {root(word) for name in names for word in tokens(name)}


def _code_hits(index: Index, text: str, allowed: Mask | None) -> list[Hit]:
    hits, first = [], 0
    for terminology in index.terminologies:
        for row, confidence, detail in _meant(terminology, text):
            if allowed is None or allowed[first + row]:
                hits.append(_hit(terminology, row, confidence, detail))
        first += len(terminology)
    return hits


def _meant(terminology: Terminology, text: str) -> Iterator[tuple[int, float, str]]:
    """The rows that a code means, each with its confidence and how it came to it."""
    row = terminology.coded(text)
    if row is None and (label := _LABEL.match(text)) and label[0].strip():
        row = terminology.coded(text[label.end() :])
    if row is None and (bare := _SPACED.sub(r"\1.\2", _BEGUN.sub("", text))) != text:
        row = terminology.coded(bare)
    if row is None:
        return
    code, now = terminology.id(row), terminology.current(terminology.id(row))
    if now is not None:
        yield now, 1.0, f"the code {code}" if now == row else f"the code {code}, which this concept replaced"
        return
    replaced = terminology.lists("replaced_by")[row]
    others = [other for one in replaced if (other := terminology.current(one)) is not None]
    for other in others:
        yield other, 1 / len(others), f"the code {code}, which was replaced by {', '.join(replaced)}"
    if not others:
        yield row, 1.0, f"the code {code}, which is retired"


def _hit(terminology: Terminology, row: int, confidence: float, detail: str) -> Hit:
    term = next((terminology.term(one) for one in terminology.terms_of(row)), None)
    preferred = terminology.preferred(row)
    return Hit(
        id=terminology.id(row),
        preferred=preferred,
        matched=term.text if term else preferred,
        kind=term.kind if term else "preferred",
        scope=term.scope if term else "exact",
        source=term.source if term else "",
        terminology=terminology.name,
        confidence=round(confidence, 6),
        similarity=1.0,
        reason=Reason("code", detail),
        equivalents=tuple(map(terminology.id, recorded_duplicates(terminology, row))),
        status=terminology.status(row),
    )
