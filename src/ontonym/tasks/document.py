"""What a document says of the concepts that a mention in it may mean: by its words, by the types expected, by section.

Everything here moves confidence between the hits of one mention and leaves their sum as it was: how sure it is that any
of them is meant, only the mention tells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from ontonym.text import tokens
from ontonym.types import Hit, Mention

WORDS_WEIGHT = 1.5
"""How much the document's words count: from none of a name's further words to all of them, the odds times exp(1.5)."""

EXPECTED_ODDS = 10.0
"""How much likelier a concept of an expected type is, other things equal."""

CONSIDERED = 20
"""The hits of a mention among which a document can choose."""

_SILENT = 0.5
_HEADING = re.compile(r"^[ \t]*([A-Za-z][^\n:.;]{0,60}?)[ \t]*:|^[ \t]*([A-Z][A-Z &/-]{2,60})[ \t]*$", re.MULTILINE)


def by_words(hits: Sequence[Hit], text: str, words: Collection[str]) -> tuple[Hit, ...]:
    """The hits for ``text`` in a document that has ``words`` (normalized as ``text.tokens`` does), best first.

    A name that says more than the mention ("Drug Toxicities" for "toxicity") is likelier where the document has its
    further words, and less likely where it has not; a name that says nothing more stays in between. Numbers do not
    count. Each hit's ``signals`` tell the share of further words found, as ``document``.
    """
    asked = frozenset(tokens(text))
    shares = [_share(asked, hit.matched, words) for hit in hits]
    told = [replace(hit, signals={**hit.signals, "document": share}) for hit, share in zip(hits, shares, strict=True)]
    return reweighed(told, [math.exp(WORDS_WEIGHT * (share - _SILENT)) for share in shares])


def by_type(hits: Sequence[Hit], expected: Callable[[Hit], bool]) -> tuple[Hit, ...]:
    """The hits, best first, where concepts of an ``expected`` type are `EXPECTED_ODDS` times as likely as others."""
    return reweighed(hits, [EXPECTED_ODDS if expected(hit) else 1.0 for hit in hits])


def reweighed(hits: Sequence[Hit], factors: Iterable[float]) -> tuple[Hit, ...]:
    """The hits with confidences times ``factors``, scaled to the sum they had; best first, equal ones as before."""
    weighed = [hit.confidence * factor for hit, factor in zip(hits, factors, strict=True)]
    total = sum(weighed)
    if not total:
        return tuple(hits)
    scale = sum(hit.confidence for hit in hits) / total
    moved = [replace(hit, confidence=min(weight * scale, 1.0)) for hit, weight in zip(hits, weighed, strict=True)]
    return tuple(sorted(moved, key=lambda hit: -round(hit.confidence, 6)))


def section(mention: Mention) -> str:
    """The heading that a mention stands under, in small letters; empty where there is none or its place is not known.

    A heading begins a line and ends with a colon ("Allergies: penicillin"), or is a line of capitals.
    """
    if mention.start is None or not mention.passage.startswith(mention.text, mention.start):
        return ""
    headings = [match[1] or match[2] for match in _HEADING.finditer(mention.passage, 0, mention.start)]
    return " ".join(headings[-1].lower().split()) if headings else ""


def _share(asked: Collection[str], name: str, words: Collection[str]) -> float:
    further = {word for word in tokens(name) if word not in asked and not any(map(str.isdigit, word))}
    return sum(word in words for word in further) / len(further) if further else _SILENT
