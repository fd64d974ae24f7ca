"""Words that tell near concepts apart: left and right, acute and chronic, high and low, numbers.

Words are normalized as by ``text.normalization.tokens``. Two texts contradict each other where both say something of
one axis, and nothing the same; or where one denies a word that the other asserts (`ontonym.text.denials`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache, reduce
from operator import or_
from types import MappingProxyType

from ontonym.text.denials import asserted_root, said_of, signs_in
from ontonym.text.normalization import tokens

_MUCH_OR_LITTLE = (
    "active activity acusis adrenalism albuminemia aldosteronism algesia ammonemia androgenism arousal bilirubinemia "
    "calcemia calcemic calciuria capnia carbia cellular cellularity chloremia cholesterolemia chromia chromic "
    "citraturia coagulability coagulable complementemia cupremia dense density dontia echogenic echoic emesis "
    "esthesia extensible extension ferremia fibrinogenemia flexibility function functional functioning "
    "gammaglobulinemia glycemia glycemic gonadism hidrosis insulinemia insulinism intense intensity kalemia kalemic "
    "keratosis kinesia kinesis kinetic lipidemia magnesemia melanosis metabolic metabolism mineralization mobile "
    "mobility motility nasality natremia natremic osmolality osmolar oxaluria parathyroidism perfusion peristalsis "
    "phagia phonia phosphatasia phosphatemia phosphaturia pigmentation pigmented pituitarism plasia plastic "
    "prolactinemia proteinemia reactive reactivity reflexia reflexic salivation secretion sensitive sensitivity "
    "sexuality somnia spermia telorism tension tensive thermia thermic thyroid thyroidism tonia tonic tonicity tonus "
    "trichosis trophic trophy uricemia uricosuria ventilation vigilance vitaminosis volemia volemic"
).split()
"""Ends of words that begin with *hyper* where there is much of something, and with *hypo* where there is little."""

_LARGE_OR_SMALL = (
    "cephalic cephaly cornea cytic cytosis dactyly dontia glossia gnathia melia orchidism penis phallus phthalmia "
    "phthalmos somia stomia thrombocytopenia tia vascular"
).split()
"""The same of words that begin with *macro* where something is large, and with *micro* where it is small."""


def _beginning(start: str, ends: Iterable[str]) -> str:
    return " ".join(f"{start}{end}" for end in ends)


AXES = MappingProxyType(
    {
        "side": ("left", "right", "bilateral both"),
        "level": ("upper", "lower"),
        "front": ("anterior ventral", "posterior dorsal"),
        "middle": ("medial", "lateral"),
        "distance": ("proximal", "distal"),
        "depth": ("internal inner", "external outer"),
        "course": ("acute", "subacute", "chronic"),
        "amount": (
            "high higher increase increased increasing elevate elevated elevation raise raised rise rising excess "
            "excessive overactive overactivity " + _beginning("hyper", _MUCH_OR_LITTLE),
            "low lower decrease decreased decreasing reduce reduced reduction diminished deficient deficiency limited "
            "limitation restricted restriction underactive underactivity " + _beginning("hypo", _MUCH_OR_LITTLE),
        ),
        "size": (
            "large enlarged big " + _beginning("macro", _LARGE_OR_SMALL),
            "small tiny " + _beginning("micro", _LARGE_OR_SMALL),
        ),
        "change": ("gain", "loss"),
        "degree": ("mild", "moderate", "severe profound"),
        "nature": ("benign", "malignant invasive infiltrating infiltrative", "situ noninvasive"),
        "rank": ("primary", "secondary"),
        "skin": ("open", "closed"),
        "origin": ("congenital", "acquired"),
        "age": ("neonatal newborn", "infantile infancy infant", "juvenile childhood", "adult"),
        "sex": ("male man", "female woman"),
        "order": ("first 1st", "second 2nd", "third 3rd", "fourth 4th"),
        "phase": ("systolic", "diastolic"),
        "time": ("early", "late"),
        "inheritance": ("dominant", "recessive"),
        "encounter": ("initial", "subsequent", "sequela"),
        "displacement": ("displaced", "nondisplaced"),
        "symptoms": ("symptomatic", "asymptomatic"),
        "rupture": ("ruptured", "unruptured nonruptured"),
        "result": ("positive", "negative"),
        "whose": ("personal", "family"),
    }
)
"""Each axis with its values: the words of each that mean the same there. A word may be on several axes.

All together have at most 63 values, which are the bits of an int64 (`axis_bits`).
"""

_LETTER = re.compile(r"(?<=[a-z] )[A-HKS](?![\w'\u2019./&-])")
"""A capital that numbers what stands before it: "hepatitis B", "vitamin K", "protein S"; R and L are sides."""


_SIDED = re.compile(
    r"""
    (?:^|(?<=\s)) (?:left|right|lt|rt|l|r) [\s-] sided? \s+ (?!of\b)(?=\w)        # "left-sided weakness"
    | \s+ (?:on|to) \s+ (?:the|my|his|her|their) \s+ (?:left|right) (?:\s+ (?:hand\s+)? side)? $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A side that is said of a whole finding, not of a part of the body."""


def words_on(*axes: str) -> frozenset[str]:
    """All words of some axes of `AXES`."""
    return frozenset(word for axis in axes for value in AXES[axis] for word in value.split())


@cache
def axis_bits() -> Mapping[str, int]:
    """Each word of `AXES` with its values as bits: *left* has the first, *right* the second, *bilateral* and *both* the
    third, *upper* the fourth. Those of an axis are together in one of `axis_masks`.
    """
    bits: dict[str, int] = {}
    bit = 1
    for values in AXES.values():
        for words in values:
            for word in words.split():
                bits[word] = bits.get(word, 0) | bit
            bit <<= 1
    return MappingProxyType(bits)


def qualifier_bits(words: Iterable[str]) -> int:
    """The values of all axes that normalized words have, as the bits of `axis_bits`; 0 for none."""
    bits = axis_bits()
    return reduce(or_, (bits.get(word, 0) for word in words), 0)


@cache
def axis_masks() -> Mapping[str, int]:
    """The bits of all values of each axis, by its name: of the side the first three, of the level the next two."""
    masks, first = {}, 0
    for axis, values in AXES.items():
        masks[axis] = ((1 << len(values)) - 1) << first
        first += len(values)
    return MappingProxyType(masks)


def axes_said() -> dict[str, int]:
    """Each word of `AXES` with the axes that it says something of, each as the bit of its first value."""
    masks = axis_masks().values()
    return {word: sum(mask & -mask for mask in masks if mask & bits) for word, bits in axis_bits().items()}


@lru_cache(maxsize=1 << 8)  # each part of an index asks for those of the same query
def numbers_in(text: str) -> frozenset[str]:
    """The normalized words of a text that number something: those that begin with a digit, and letters such as the
    *b* of "hepatitis B"."""
    letters = (letter.lower() for letter in _LETTER.findall(text))
    return frozenset(word for word in tokens(text) if word[0].isdigit()) | frozenset(letters)


def opposites(text: str, name: str) -> list[tuple[str, str]]:
    """The words by which a name contradicts a text: pairs of a word of the text and one of the name, both normalized.

    Each pair is on one axis with nothing the same there, or has one root, and only one of them denies it.
    """
    bits, ours, theirs = axis_bits(), tokens(text), tokens(name)
    found = []
    for axis in axis_masks().values():
        mine, other = _on_axis(ours, axis, bits), _on_axis(theirs, axis, bits)
        if mine and other and not any(bits[word] & bits[own] & axis for word in mine for own in other):
            found += [(word, own) for word in mine for own in other]
    found += [
        (word, other)
        for word, sign in signs_in(text).items()
        for other, theirs_sign in said_of(theirs).items()
        if sign and theirs_sign == -sign and asserted_root(word) == asserted_root(other)
    ]
    return list(dict.fromkeys(found))


def said_alone(text: str, other: str) -> list[str]:
    """The normalized words of a text that say something of an axis of which the other text says nothing."""
    bits, ours, theirs = axis_bits(), tokens(text), tokens(other)
    found = [
        word
        for axis in axis_masks().values()
        if not _on_axis(theirs, axis, bits)
        for word in _on_axis(ours, axis, bits)
    ]
    return list(dict.fromkeys(found))


def without_side(text: str) -> str:
    """What a text says beside the side that it is on: *weakness* of "left-sided weakness" and of "weakness on the right
    side"; empty where it names none so."""
    text = " ".join(text.split())  # where patterns meet runs of spaces, they take the square of their length
    rest = _SIDED.sub("", text)
    return "" if rest == text else rest.strip()


def _on_axis(words: Sequence[str], axis: int, bits: Mapping[str, int]) -> list[str]:
    return [word for word in words if bits.get(word, 0) & axis]


ONSETS = words_on("inheritance", "age", "time").union("autosomal x linked y inheritance onset".split()) - frozenset(
    ("infancy", "infant", "newborn")
)
"""Words that say how a finding is inherited, or from which age on it is there."""


def without_onset(text: str) -> str:
    """What a text says before the commas behind which it tells only how that is inherited, or from which age on:
    *ataxia* of "ataxia, adult-onset"; empty where it ends with none."""
    *before, last = text.split(",")
    while before and last.strip() and ONSETS.issuperset(last.lower().replace("-", " ").split()):
        *before, last = before
    rest = ",".join((*before, last))
    return "" if rest == text else rest.strip()
