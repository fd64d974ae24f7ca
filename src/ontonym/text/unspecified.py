"""Names of classifications without what they leave unspecified: "Burn of unspecified degree of hand, unspecified site"
is what everybody else calls a burn of the hand.
"""

from __future__ import annotations

import re

UNSPECIFIED = "unspecified"
"""The word, in lower case, without which a name has no shorter form."""

_ASPECTS = (
    "area|body region|causes?|degree|duration|extent|grade|laterality|level|location|multiplicity|nature|organism|"
    "origin|parts?|place|portion|quadrant|region|segment|severity|sites?|stage|trimester|types?"
)
"""What is left open without saying what is meant: nothing is lost with them."""

_ASPECT_OF = re.compile(rf"(?:\bof|^) ?unspecified (?:{_ASPECTS}) (?=of )", re.IGNORECASE)
_ASPECT = re.compile(rf"\b(?:as to|at|due to|in|of|with) unspecified (?:{_ASPECTS})(?=,|$)", re.IGNORECASE)
_WORD = re.compile(r"\bunspecified\b", re.IGNORECASE)
_SPACES = re.compile(r" +(,)?")


def without_unspecified(name: str) -> str:
    """An English name without the word "unspecified" and the parts that only say what is left open.

    The name itself where it has no such word; what is left never has more words, and may have none.
    """
    if UNSPECIFIED not in name.lower():
        return name
    first, *rest = name.split(", ")
    kept = [first, *(part for part in rest if not part.lower().startswith(UNSPECIFIED))]
    shorter = _ASPECT_OF.sub("", ", ".join(kept)).removeprefix("of ")
    shorter = _WORD.sub("", _ASPECT.sub("", shorter))
    return _SPACES.sub(lambda found: found[1] or " ", shorter).strip(" ,")
