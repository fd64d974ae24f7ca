"""How people say that there is much or little of something: "too many platelets", "not enough albumin", "my sodium is
low". Names say *high* and *low*, *increased* and *decreased*, or *deficiency*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ontonym.text.patterns import any_of
from ontonym.text.qualifiers import AXES, words_on
from ontonym.text.wordlists import LIGHT

_MUCH = any_of("too many|much, a? lot|lots|load|loads of, an? excess of")
_LITTLE = any_of(
    "not|n't enough, too few|little, a? lack of, lacking in?, a? short|shortage of, running? low on|in",
)
_IN_A_TEST = r"""(?:
    \s+(?:on|in)\s+ (?: (?:the|my|his|her|a)\s+ )? (?P<where>blood|urine)? \s*(?:test|work|result|sample)?
)?"""
_LEVEL = r"(?: \s+(?:level|count|number) )?"
_BEFORE = re.compile(
    rf"(?: (?P<much>{_MUCH}) | (?P<little>{_LITTLE}) ) \s+ (?P<what>.+?) {_LEVEL} {_IN_A_TEST}", re.VERBOSE
)
"""How much there is, said first: "too many platelets", "not enough albumin in my blood test"."""
_AFTER = re.compile(
    rf"""
    (?:my\s+)? (?P<what>.+?) {_LEVEL} \s+
    (?: {any_of("is, are, was, were, be, come back, go")} \s+ )?
    (?: {any_of("too, very, really, quite, a bit, a little, way")} \s+ )?
    (?: (?P<much>high|up|raised|elevated|increased) | (?P<little>low|down|reduced|decreased) ) {_IN_A_TEST}
    """,
    re.VERBOSE,
)
"""How much there is, said last: "my sodium level is really low"."""

AMOUNTS = words_on("amount", "size", "change").union(
    "abnormal abnormality absence absent bad depressed down drop fall fast lack poor short slow unequal up weak".split()
)
"""Normalized words by which a name says how much there is of what it measures, or that it is not as usual."""

MEASURED = frozenset("blood circulating concentration count level number plasma rate result serum test urine".split())
"""Normalized words that say that something is measured, and not what."""

_ABSENT = frozenset("absence absent agenesis aplasia aplastic lack lacking missing".split())
_MUCH_WORD = re.compile(
    r"hyper.+(?:emi[ac]|uri[ac]) | (?:erythro|granulo|leuko|lympho|mono|thrombo)cytosis | (?:baso|eosino|neutro)philia",
    re.VERBOSE,
)
_LITTLE_WORD = re.compile(r"hypo.+(?:emi[ac]|uri[ac]) | .+penia", re.VERBOSE)

_HIGH, _LOW = ("high", "increased", "elevated"), ("low", "decreased", "reduced")


@lru_cache(maxsize=1 << 12)
def amount_of(word: str) -> str:
    """What a normalized word says of an amount: "much", "little", "none", or the empty string.

    *High*, *hyperkalemia* and *leukocytosis* say much, *low*, *hypokalemia* and *neutropenia* little, *absent* none.
    """
    if word in _ABSENT:
        return "none"
    much, little = (value.split() for value in AXES["amount"])
    if word in much or _MUCH_WORD.fullmatch(word):
        return "much"
    return "little" if word in little or _LITTLE_WORD.fullmatch(word) else ""


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
