"""How people say that there is much or little of something: "too many platelets", "not enough albumin", "my sodium is
low". Names say *high* and *low*, *increased* and *decreased*, or *deficiency*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ontonym.text.qualifiers import LIGHT, words_on

_MUCH = r"too\s+(?:many|much)|(?:a\s+)?(?:lot|load)s?\s+of|(?:an\s+)?excess\s+of"
_LITTLE = (
    r"(?:not|n't)\s+enough|too\s+(?:few|little)|(?:a\s+)?lack\s+of|lacking(?:\s+in)?|(?:a\s+)?short(?:age)?\s+of"
    r"|(?:running\s+)?low\s+(?:on|in)"
)
_WHERE = r"(?:\s+(?:on|in)\s+(?:(?:the|my|his|her|a)\s+)?(?P<where>blood|urine)?\s*(?:test|work|result|sample)?)?"
_LEVEL = r"(?:\s+(?:level|count|number))?"
_BEFORE = re.compile(rf"(?:(?P<much>{_MUCH})|(?P<little>{_LITTLE}))\s+(?P<what>.+?){_LEVEL}{_WHERE}")
_AFTER = re.compile(
    rf"(?:my\s+)?(?P<what>.+?){_LEVEL}\s+(?:(?:is|are|was|were|be|come\s+back|go)\s+)?"
    r"(?:(?:too|very|really|quite|a\s+bit|a\s+little|way)\s+)?"
    rf"(?:(?P<much>high|up|raised|elevated|increased)|(?P<little>low|down|reduced|decreased)){_WHERE}"
)
AMOUNTS = words_on("amount", "size", "change").union(
    "abnormal abnormality absence absent bad down fast lack poor slow unequal up weak".split()
)
"""Normalized words by which a name says how much there is of what it measures, or that it is not as usual."""

MEASURED = frozenset("blood circulating concentration count level number plasma rate result serum test urine".split())
"""Normalized words that say that something is measured, and not what."""

_HIGH, _LOW = ("high", "increased", "elevated"), ("low", "decreased", "reduced")


@lru_cache(maxsize=1 << 12)
def said_as_amount(words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Normalized words that say how much there is of something as names say it, likeliest first: *low albumin*,
    *decreased albumin*, *albumin deficiency* for "not enough albumin". Empty for other words."""
    text = " ".join(words)
    found = _BEFORE.fullmatch(text) or _AFTER.fullmatch(text)
    if not found or LIGHT.issuperset(what := found["what"].split()):
        return ()
    said = dict.fromkeys(_named(what, is_much=bool(found["much"]), where=found["where"]))
    return tuple(one for one in said if one != words)


def _named(what: Sequence[str], *, is_much: bool, where: str | None) -> Iterator[tuple[str, ...]]:
    amounts = _HIGH if is_much else _LOW
    if where:
        yield from ((amount, where, *what) for amount in amounts)
    yield from ((amount, *what) for amount in amounts)
    yield from ((*what, amount) for amount in amounts)
    if not is_much:
        yield (*what, "deficiency")
