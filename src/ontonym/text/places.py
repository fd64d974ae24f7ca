"""Where in the body a text says that a finding is: "psoriasis on both elbows", "glaucoma, right eye". English only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from ontonym.text.bodyparts import is_body_part, is_site, names_a_part
from ontonym.text.denials import NEGATORS
from ontonym.text.normalization import tokens
from ontonym.text.qualifiers import words_on
from ontonym.text.wordlists import LIGHT, SMALL
from ontonym.text.wordroots import root

_SIDES = words_on("side") | {"lt", "rt", "l", "r"}
_WHOSE = frozenset("the my his her their our your one".split())
_ON = frozenset("on of in at over around near under inside behind across".split())
"""What stands between a finding and where it is."""

_MOST_WORDS = 4
"""The most words of a place: "the left big toe"."""

_PARTS = frozenset("armpit back belly body bottom bum buttock calf cheek forearm groin head lobe tummy".split())
"""Parts of the body that are so only where a place is told: one may also be *back*, and a *head* of something."""

_ANYWHERE = frozenset(
    map(
        root,
        "abscess ache bite bleeding blister break bruise burn cancer cut cyst deformity discharge dislocation fracture "
        "infection injury itch laceration lesion lump malignancy mass neoplasm numbness pain spasm sprain stiffness "
        "strain surgery swelling tear tenderness tingling trauma tumor ulcer weakness wound "
        "aneurysm atrophy blockage candidiasis clot embolism failure fistula gangrene haemorrhage hematoma hemorrhage "
        "hernia infarct infarction inflammation malformation narrowing necrosis nodule obstruction palsy paralysis "
        "perforation polyp prolapse rupture stenosis stone thrombosis thrush tuberculosis".split(),
    )
)
"""Findings that are another one in each part of the body: without the place they say little."""

_LUNG, _HEAD = frozenset({"chest", "lobe", "lung"}), frozenset({"brain", "head", "forehead", "temple"})
_BELONG = MappingProxyType(
    {
        "asthma": _LUNG, "bronchitis": _LUNG, "pneumonia": _LUNG, "dementia": _HEAD, "epilepsy": _HEAD,
        "migraine": _HEAD, "stroke": _HEAD, "depression": frozenset[str](), "diabetes": frozenset[str](),
    }
)  # fmt: skip
"""Findings that belong to one part of the body, though they do not name it, and what people call that: said of another
one, they are others ("stroke of the eye")."""


def without_place(text: str) -> str:
    """What a text tells without the side of the part of the body that it ends with, or without this part where no side
    is told: *glaucoma of eye* of "glaucoma right eye", *psoriasis* of "psoriasis on my elbow".

    Empty where it ends with none, where nothing is left, and where what is left depends on the place ("pain in hand")
    or belongs to another one ("stroke of the eye").
    """
    words = text.replace(",", " ").replace("(", " ").replace(")", " ").split()
    start = next((one for one in range(max(1, len(words) - _MOST_WORDS), len(words)) if _is_part(words[one:])), 0)
    if not start or not NEGATORS.isdisjoint(tokens(text)):
        return ""
    before, part = words[:start], words[start:]
    sides = [place for place, word in enumerate(before) if place and _is_side(word)]
    if sides and all(map(_is_between, before[sides[-1] + 1 :])):
        finding, between = before[: sides[-1]], before[sides[-1] + 1 :]
        is_linked = finding[-1].lower() in _ON | _WHOSE or between
        return " ".join((*finding, *(between if is_linked else ("of",)), *part))
    finding = _before_link(before)
    said = tokens(" ".join(finding))
    return "" if depends_on_place(said) or _is_elsewhere(said, part) else " ".join(finding)


def is_said_elsewhere(text: str) -> bool:
    """Whether a text says of a finding that it is in another part of the body than it belongs to: "stroke of the
    eye"."""
    words = text.split()
    start = next((one for one in range(max(1, len(words) - _MOST_WORDS), len(words)) if _is_part(words[one:])), 0)
    return bool(start) and _is_elsewhere(tokens(" ".join(_before_link(words[:start]))), words[start:])


def _before_link(words: list[str]) -> list[str]:
    """The words before "of the", "on my" and the like, which they end with; none where they do not."""
    end = len(words)
    while end and words[end - 1].lower() in _WHOSE:
        end -= 1
    return words[: end - 1] if end and words[end - 1].lower() in _ON else []


def _is_elsewhere(finding: Sequence[str], part: Sequence[str]) -> bool:
    """Whether normalized words tell a finding that belongs to another part of the body than the one given."""
    said = tokens(" ".join(part))
    return any(word in _BELONG and _BELONG[word].isdisjoint(said) for word in finding)


def depends_on_place(words: Sequence[str]) -> bool:
    """Whether normalized words tell a finding that is another one in each part of the body, and name no such part; so
    too where they say only what happens ("falling")."""
    telling = [word for word in words if word not in LIGHT and word not in SMALL]
    if any(names_a_part((word,)) for word in telling):
        return False
    is_happening = len(telling) == 1 and telling[0].endswith("ing")
    return not telling or is_happening or not _ANYWHERE.isdisjoint(map(root, telling))


def _is_part(words: list[str]) -> bool:
    said = tokens(" ".join(words))
    if not said or _is_side(words[0]):
        return False
    return is_body_part(tuple(said)) or (said[-1] in _PARTS and all(is_site(word) for word in said[:-1]))


def _is_side(word: str) -> bool:
    return re.sub(r"\W", "", word).lower() in _SIDES


def _is_between(word: str) -> bool:
    return word.lower() in _WHOSE | _ON
