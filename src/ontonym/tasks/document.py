"""What a document says of the concepts that a mention in it may mean: by its words, by the types expected, by section.

Everything here moves confidence between the hits of one mention and leaves their sum as it was: how sure it is that any
of them is meant, only the mention tells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from ontonym.text.normalization import tokens
from ontonym.types import Hit, Mention

WORDS_WEIGHT = 1.5
"""How much the document's words count: from none of a name's further words to all of them, the odds times exp(1.5)."""

EXPECTED_ODDS = 10.0
"""How much likelier a concept of an expected type is, other things equal."""

CONSIDERED = 20
"""The hits of a mention among which a document can choose."""

_SILENT = 0.5
_HEADING = re.compile(r"^[ \t]*([A-Za-z][^\n:.;]{0,60}?)[ \t]*:|^[ \t]*([A-Z][A-Z &/-]{2,60})[ \t]*$", re.MULTILINE)


def in_document(
    hits: Sequence[Hit],
    text: str,
    *,
    words: Collection[str] = (),
    expected: Callable[[Hit], bool] | None = None,
    k: int = CONSIDERED,
) -> tuple[Hit, ...]:
    """The ``k`` best of the hits for ``text`` in a document that has ``words`` and expects concepts of some types.

    A name that says more than the mention ("Drug Toxicities" for "toxicity") is likelier where the document has its
    further words (normalized as ``text.tokens`` does), and less likely where it has not; a name that says nothing more
    stays in between. Numbers do not count. Each hit's ``signals`` tell the share of further words found, as
    ``document``. Concepts that are ``expected`` are `EXPECTED_ODDS` times as likely as others. All hits together have
    the confidence they had; equal ones stay as they were.
    """
    odds = [EXPECTED_ODDS if expected and expected(hit) else 1.0 for hit in hits]
    shares: list[float] = []
    if words:
        shares = [_share(text, hit.matched, words) for hit in hits]
        odds = [one * math.exp(WORDS_WEIGHT * (share - _SILENT)) for one, share in zip(odds, shares, strict=True)]
    weighed = [hit.confidence * one for hit, one in zip(hits, odds, strict=True)]
    scale = sum(hit.confidence for hit in hits) / (sum(weighed) or 1)
    sure = [round(min(one * scale, 1.0), 6) for one in weighed]
    order = sorted(range(len(hits)), key=lambda place: -sure[place])[:k]
    if not shares:
        return tuple(replace(hits[place], confidence=sure[place]) for place in order)
    return tuple(
        replace(hits[place], confidence=sure[place], signals={**hits[place].signals, "document": shares[place]})
        for place in order
    )


def section(mention: Mention) -> str:
    """The heading that a mention stands under, in small letters; empty where there is none or its place is not known.

    A heading begins a line and ends with a colon ("Allergies: penicillin"), or is a line of capitals.
    """
    if mention.start is None or not mention.passage.startswith(mention.text, mention.start):
        return ""
    headings = [match[1] or match[2] for match in _HEADING.finditer(mention.passage, 0, mention.start)]
    return " ".join(headings[-1].lower().split()) if headings else ""


def _share(text: str, name: str, words: Collection[str]) -> float:
    further = _further(text, name)
    return sum(word in words for word in further) / len(further) if further else _SILENT


@lru_cache(maxsize=1 << 15)  # a document's mentions come again in it and in others
def _further(text: str, name: str) -> frozenset[str]:
    """The words that a name has and the text has not, without numbers."""
    asked = tokens(text)
    return frozenset(word for word in tokens(name) if word not in asked and not any(map(str.isdigit, word)))
