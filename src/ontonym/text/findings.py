"""Whether words say that something is wrong. Each function asks another question:

- `has_abnormal_word`: one of them means so by the lists of `ontonym.text.wordroots` (*absent*, *fractured*)
- `ends_as_finding`: a word does by its ending (*nephropathy*); `has_finding_word`: one of them does either way
- `has_likely_finding`: one of them does by what names of findings are like (`ontonym.text.kinds`)
- `names_finding`: one of them does by list or ending, or all together are like names of findings
- `is_disorder_head`: a word says that something is wrong with what stands before it (*damage*, *disease*)

English only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from ontonym.text.kinds import LIKELIER, clear_kind, kind_of
from ontonym.text.wordroots import ABNORMAL, root

DAMAGE = frozenset(
    "abnormality anomaly damage defect deficit derangement deterioration disease disorder disturbance dysfunction "
    "impairment injury insult lesion malfunction pathology problem symptom toxicity trouble".split()
)
"""Normalized words for a disorder of what stands before them: "kidney damage"."""

MALIGNANT = frozenset("adenocarcinoma carcinoma malignancy".split())
"""Normalized words for a cancer of what stands beside them."""

TOXIC = frozenset("toxicity toxicosis".split())
"""Normalized words for the poisoning of what stands before them."""

DELAYING = frozenset("decline declined declining falter faltered faltering slowed".split())
"""Words for the delay of a development."""

CONDITIONS = frozenset("condition defect disease disorder".split())
"""Normalized words for a disease of which nothing else is said."""

_FINDING_ENDS = tuple(
    "toxicity toxic itis osis asis oma pathy emia aemia uria trophy plegia paresis algia rrhea penia depression "
    "odeficiency dysplasia esthesia kinesia kinesis tonia".split()
)
"""Endings of words that say that something is wrong."""

_SHORTEST_FINDING = 6
"""Letters of the shortest word that says by its ending that something is wrong."""

_HARM = frozenset(
    "ambiguous break damage damaged fracture fractured hyperplasia infected infection injured injury lesion".split()
)
"""Abnormal words that are in no group of `ABNORMAL`."""


def has_abnormal_word(words: Iterable[str]) -> bool:
    """Whether one of some normalized words means something abnormal: *absent*, *fractured*, *neoplasm*; not the general
    *disease*."""
    return any(word in _HARM or root(word) in _abnormal_groups() for word in words)


@cache
def _abnormal_groups() -> frozenset[str]:
    return frozenset(f"={group.split()[0]}" for group in ABNORMAL)


def ends_as_finding(word: str) -> bool:
    """Whether a normalized word is a finding by its ending: *nephropathy*, *arthritis*; or *cancer*."""
    return word == "cancer" or (len(word) >= _SHORTEST_FINDING and word.endswith(_FINDING_ENDS))


def has_finding_word(words: Sequence[str]) -> bool:
    """Whether one of some normalized words is abnormal (`has_abnormal_word`), or a finding by its ending."""
    return has_abnormal_word(words) or any(map(ends_as_finding, words))


def has_likely_finding(words: Sequence[str]) -> bool:
    """Whether one of some normalized words by itself likely names a finding (`ontonym.text.kinds`)."""
    return any(clear_kind([word], LIKELIER) == "finding" for word in words)


def names_finding(words: Sequence[str]) -> bool:
    """Whether normalized words say that something is wrong."""
    return has_finding_word(words) or kind_of(words) == "finding"


def is_disorder_head(word: str) -> bool:
    """Whether a normalized word is the head of a disorder's name: *damage*, *carcinoma*, *toxicity*, *disease*."""
    return word in DAMAGE or word in MALIGNANT or word in DELAYING or word in TOXIC or word in CONDITIONS
