"""Words that exclude each other: opposites, parts of other regions of the body, other numbers of the same thing.

English only; `ontonym.text.qualifiers` has those that also count in the ranking.

Words are normalized as by ``text.normalization.tokens``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise, product, takewhile
from types import MappingProxyType

from ontonym.text.bodyparts import same_part
from ontonym.text.normalization import tokens

_PAIRS = (
    "after|before|during, long|short, slow|fast|rapid, central|peripheral, presence|absence, present|absent",
    "generalized|localized|focal, diffuse|focal|localized, superficial|deep, arterial|venous, bacterial|viral|fungal",
    "motor|sensory, superior|inferior, symmetric|asymmetric, symmetrical|asymmetrical, thick|thin, wide|narrow",
    "broad|narrow, unilateral|bilateral, complete|incomplete, complete|partial, typical|atypical, hot|cold",
    "hard|soft, wet|dry",
    "flexion|extension, abduction|adduction, abducted|adducted, dorsiflexion|plantarflexion, eversion|inversion",
    "varus|valgus, pronation|supination, ascending|descending, afferent|efferent, inspiratory|expiratory",
    "maternal|paternal, underweight|overweight, reversible|irreversible, regular|irregular, intentional|unintentional",
    "traumatic|nontraumatic, advanced|delayed, cranial|caudal, rostral|caudal, ipsilateral|contralateral",
)
_BEGINNINGS = tuple(
    (
        "hyper|hypo macro|micro tachy|brady intra|extra endo|exo supra|infra pre|post poly|oligo hetero|homo over|under"
    ).split()
)
_REGIONS = (
    "toe foot ankle knee leg shin thigh hip kneecap fibula metatarsal sole hallux",
    "finger thumb hand wrist arm elbow shoulder palm humerus ulna radius metacarpal collarbone shoulderblade",
    "brain cerebellum skull forehead scalp face eye eyelid eyebrow eyelash retina cornea iris sclera ear nose mouth",
    "tongue lip gum tooth palate mandible maxilla chin philtrum face mouth jaw throat neck larynx nose",
    "heart lung chest rib breast nipple sternum trachea larynx throat neck thyroid esophagus",
    "belly stomach bowel liver spleen pancreas colon rectum anus kidney bladder umbilicus esophagus pelvis prostate",
    "bladder womb ovary testis penis scrotum prostate genitalia kidney pelvis anus rectum hip",
)
"""Parts of the body that are near each other, one of which may be said for another: "stomach ache" is in the belly."""

_SHORTEST_REST, _LONGEST_END = 4, 2
"""Letters of the shortest beginning of what two words share behind opposites, and of the longest end in which they
differ: *hyperglobulinemic*, *hypoglobulinemia*."""

_DIGITS = re.compile(r"\d+(?:\.\d+)?")


@cache
def _words_opposite() -> Mapping[str, frozenset[str]]:
    """Each word with those that exclude it."""
    found: dict[str, set[str]] = {}
    for pair in ",".join(_PAIRS).split(","):
        words = [" ".join(tokens(word)) for word in pair.strip().split("|")]
        for word in words:
            found.setdefault(word, set()).update(one for one in words if one != word)
    return MappingProxyType({word: frozenset(others) for word, others in found.items()})


@cache
def _regions() -> Mapping[str, frozenset[int]]:
    """Each word for a part of the body with the numbers of the regions that this is in."""
    found: dict[str, set[int]] = {}
    for number, region in enumerate(_REGIONS):
        for part in region.split():
            for word in same_part(part):
                found.setdefault(word, set()).add(number)
    return MappingProxyType({word: frozenset(numbers) for word, numbers in found.items()})


def contrasted(words: Sequence[str], others: Sequence[str]) -> tuple[str, str] | None:
    """A word of a text, and one that excludes it among the ``others`` that stand in its place; None where none does.

    One is the opposite of the other, has another number behind the same letters (*GM2* and *GM1*, *4q21* and *4q22*),
    or is a part of another region of the body.
    """
    for word, other in product(words, others):
        if (
            other in _words_opposite().get(word, ())
            or _begin_otherwise(word, other)
            or _numbered_otherwise(word, other)
        ):
            return word, other
        if (here := _regions().get(word)) and (there := _regions().get(other)) and here.isdisjoint(there):
            return word, other
    return None


def _begin_otherwise(word: str, other: str) -> bool:
    """Whether two words begin with opposites and go on alike, but for their ends."""
    for pair in _BEGINNINGS:
        one, two = pair.split("|")
        for first, second in ((one, two), (two, one)):
            if word.startswith(first) and other.startswith(second):
                rests = word.removeprefix(first), other.removeprefix(second)
                shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*rests, strict=False)))
                if shared >= _SHORTEST_REST and max(map(len, rests)) - shared <= _LONGEST_END:
                    return True
    return False


def _numbered_otherwise(word: str, other: str) -> bool:
    """Whether two words have the same letters and other digits among them; not numbers alone, which may be amounts."""
    shape = _DIGITS.sub("#", word)
    return "#" in shape and any(map(str.isalpha, shape)) and word != other and shape == _DIGITS.sub("#", other)


def renumbered(words: Sequence[str], others: Sequence[str]) -> tuple[str, str] | None:
    """The number of a text, and the other one behind the same word of another text, "type 4" and *type 2*; None where
    there is none."""
    behind = dict(_numbers_behind(others))
    for before, word in _numbers_behind(words):
        if before in behind and behind[before] != word and word not in others and behind[before] not in words:
            return word, behind[before]
    return None


def _numbers_behind(words: Sequence[str]) -> list[tuple[str, str]]:
    return [
        (before, word) for before, word in pairwise(words) if word.isdigit() and before.isalpha() and len(before) > 1
    ]
