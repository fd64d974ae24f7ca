"""Moves confidence between the hits of a mention by its document: by its words, the expected types, and its section.

The sum of the hits' confidences stays as it was: only the mention itself decides whether any of them is meant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from functools import lru_cache

from ontonym.tasks.hits import AnyHit, MovedHits, PendingHit, without_numbers
from ontonym.text.normalization import tokens
from ontonym.text.notes.sections import Section, headings
from ontonym.types import Mention

WORDS_WEIGHT = 1.5
"""The weight of the document's words: from none of a name's extra words to all of them, the odds change by exp(1.5)."""

EXPECTED_ODDS = 10.0
"""The factor on the odds of a concept of an expected type."""

CONSIDERED = 20
"""The number of a mention's hits among which a document can choose."""

_SILENT = 0.5


def in_document(
    hits: Sequence[AnyHit],
    text: str,
    *,
    words: Set[str] = frozenset(),
    expected: Callable[[AnyHit], bool] | None = None,
) -> MovedHits:
    """The hits for ``text``, best first, in a document that has ``words`` and expects concepts of some types.

    A name with more words than the mention ("Drug Toxicities" for "toxicity") becomes likelier if the document has its
    extra words (normalized as by ``text.tokens``), and less likely if not; a name without extra words stays in between.
    Numbers do not count. ``document`` in a hit's ``signals`` is the share of extra words found. Concepts that are
    ``expected`` are `EXPECTED_ODDS` times as likely as others. The sum of all confidences is unchanged; equal hits keep
    their order.
    """
    before, shares = [hit.confidence for hit in hits], list[float]()
    odds = [EXPECTED_ODDS if expected(hit) else 1.0 for hit in hits] if expected else [1.0] * len(hits)
    if words:
        asked = frozenset(tokens(text))
        shares = [_share(_extra_words(hit, asked), words) for hit in hits]
        by_words = [1.0 if share == _SILENT else math.exp(WORDS_WEIGHT * (share - _SILENT)) for share in shares]
        odds = [one * other for one, other in zip(odds, by_words, strict=True)] if expected else by_words
    weighed = [confidence * one for confidence, one in zip(before, odds, strict=True)]
    scale = sum(before) / (sum(weighed) or 1)
    sure = [round(min(one * scale, 1.0), 6) for one in weighed]
    order = sorted(range(len(hits)), key=lambda place: -sure[place])
    documents = [shares[place] for place in order] if shares else []
    return MovedHits([hits[place] for place in order], [sure[place] for place in order], documents)


def section(mention: Mention) -> tuple[str, str]:
    """The heading above a mention as it is written, in lower case, and the name of its section in
    `ontonym.text.notes.sections`; both empty if there is none or the mention's position is unknown.
    """
    if mention.start is None or not mention.passage.startswith(mention.text, mention.start):
        return "", ""
    before = [one for one in _headings(mention.passage) if one.start < mention.start]
    return (before[-1].title.lower(), before[-1].name) if before else ("", "")


@lru_cache(maxsize=64)  # cached: every mention of a document asks
def _headings(text: str) -> tuple[Section, ...]:
    return tuple(headings(text))


def _share(extra: frozenset[str], words: Set[str]) -> float:
    """The part of the extra words of a name that the document has."""
    return len(extra & words) / len(extra) if extra else _SILENT


def _extra_words(hit: AnyHit, asked: frozenset[str]) -> frozenset[str]:
    """The words of a hit's name that the mention, whose words are ``asked``, does not have."""
    return hit.extra_words if isinstance(hit, PendingHit) else without_numbers(tokens(hit.matched)) - asked
