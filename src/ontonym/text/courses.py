"""How a finding goes on, when it is there and what brings it on, as people write it around the finding: "cough at
night", "worsening leg swelling", "headache, on and off", "ankle oedema L>R".

`without_course` takes it off, a phrase at each end at a time: what may stand before a finding (`_BEFORE`) and behind it
(`_AFTER`), and single words of how it is (`_MANNER`). Unlike what `ontonym.text.frames` takes off, this says something
of the finding: what is left is searched for only where nothing likely was found for the whole. English only.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ontonym.text.denials import NEGATORS
from ontonym.text.normalization import tokens
from ontonym.text.patterns import any_of, lazy
from ontonym.text.wordlists import MANNER, OBSERVED

_FLAGS = re.IGNORECASE | re.VERBOSE

_BEFORE_ONSET = any_of(
    "new|recent|sudden|gradual|rapid|slow|insidious|abrupt onset of?, sudden|gradual|abrupt, recently, acute on chronic"
)
_REPEATED = any_of(
    "repeated|recurrent|recurring|frequent|occasional|several|multiple|intermittent? episodes|episode|bouts|bout of",
    "repeated|recurrent|recurring|frequent|occasional|several|multiple|intermittent? attacks|attack|spells|spell of",
    "on/off, repeated, repeat, recurring, occasional, occ, infrequent, recent",
)
_GOING_ON = any_of(
    "ongoing, continuing, continued, persisting, longstanding, long-standing, long standing, long term, long-term",
    "unresolved, resolved, resolving, improving, unchanged, settled, settling, deteriorating, still, again",
)
_AT_TIMES = any_of(
    "daily, nightly, hourly, weekly, monthly, morning, evening, night|day time|-time, nighttime, daytime"
)
_HOW_BAD = any_of(
    "mild|moderate - moderate|severe, mild|moderate to moderate|severe, mild-moderate, moderate-severe, mod",
    "bad, terrible, awful, horrible, horrid, dreadful, nasty, unbearable, excruciating, intense, extreme, minimal",
    "really|very|quite|pretty bad|severe, very much, so much, such, a? bit of, lots of, a? lot of",
    "disabling, debilitating, troublesome, bothersome",
    "annoying, distressing, incapacitating, painless, brief, self limiting|limited, self-limiting, self-limited",
)
_AFTER_WHAT = any_of(
    "post op|operative|surgical|partum|natal|viral|infectious|traumatic|exercise, postop, post-op, postoperative",
    "post-operative, postsurgical, postpartum, post-partum, postnatal, post-natal, postviral, post-viral",
    "post-infectious, postinfectious, posttraumatic, post-traumatic, drug|medication induced|related",
    "hospital|community acquired, hospital-acquired, community-acquired, nosocomial",
    "drug-induced, drug-related, medication-induced, medication-related, exertional, positional, exercise-induced",
)
_CONTROLLED = any_of(
    "well|poorly|badly controlled, well-controlled, poorly-controlled, uncontrolled, controlled",
    "intractable, unexplained, mainly",
)
_SIDE = r"(?: (?:bilat|b/l|bilaterally|rt|lt)\b\.? | (?-i:[RL]) (?!\s?[<>=/]) )"
_BEFORE = lazy(
    rf"""
    (?: {_BEFORE_ONSET} | {_REPEATED} | {_GOING_ON} | {_AT_TIMES} | {_HOW_BAD} | {_AFTER_WHAT} | {_CONTROLLED}
      | {_SIDE} ) ,? \s+ (?=\w)
    """,
    _FLAGS,
)

_WHEN = any_of(
    "at night|nights|nighttime|night-time|bedtime|dawn|dusk|weekends|times, at night time, overnight",
    "in|during|through|throughout the? night, in the? dark|cold|heat|sun",
    "in|during|every the? morning|mornings|evening|evenings|afternoon|afternoons, mornings, evenings",
    "by the? evening|night|afternoon, by? the? end of the? day, at|toward|towards the? end of the? day",
    "every|each night|morning|evening|day|week|month|year, most|some|all days|nights|mornings",
    "all night, most of the day, first thing in the? morning?, first thing every morning",
    "daily, nightly, hourly, weekly, monthly",
    "when i? wake|waking up?, on waking|awakening|wakening up?, on getting up, in the? past",
    "started|starting|began|since|from today|yesterday",
    "started|starting|began|since this|last morning|evening|night|week",
)
_BROUGHT_ON = any_of(
    "at rest, when|while resting|sitting|standing|lying|walking|moving|running|exercising|active up|down|flat|around?",
    "on|with|after|during|upon minimal|mild|moderate|slight|least? exertion|exercise|effort|activity|movement",
    "on|with|after|during|upon walking|running|standing|sitting|lying|bending|moving|turning up|down|flat|over|around?",
    "on|with|after|during|upon bending forward, when|while? lying|sleeping on it, when|on turning over? in bed",
    "keeping|keeps me|him|her awake, on|when|while? climbing stairs, on stairs, going|walking up|down stairs",
    "going|walking upstairs|uphill|downstairs",
)
_SOMETIMES = any_of(
    "on and off, off and on, on/off, comes and goes, come and go, coming and going, that|which comes and goes",
    "sometimes, occasionally, occ, intermittently, from time to time, now and then, now and again, at times",
    "episodically, more|less often|frequently, more|less frequent, more than usual, x many, many times",
)
_NOT_BETTER = any_of(
    "not|never|isn't|isnt getting? better|improving|improved|settling|settled|resolving|resolved, no better",
    "not|never|isn't|isnt going away, does|did|will not go away, doesn't|doesnt|won't|wont go away",
    "does|did|will not improve|settle|resolve, doesn't|doesnt|won't|wont improve|settle|resolve",
    "not under control, not well? controlled, poorly controlled, not responding to? treatment|medication|meds?",
)
_LATELY = any_of(
    "now? resolved|resolving|improving|improved|better|worse|worsening|worsened|settled|settling|unchanged|stable",
    "has|have|is|are|was|were now|all|been? resolved|improved|worsened|settled|stable|better|worse",
    "getting|gets|got|becoming|growing much|slowly|gradually|steadily|progressively? worse|better|stronger",
    "much|slightly|bit|little better|worse|improved, ongoing, persisting, persists, persisted, continues",
    "continuing, recurring, recurs, returning, returned, deteriorating, progressing, unresolved, longstanding",
    "long-standing, long standing, long term, still there|present?, again, coming and going, keeps|keep coming back",
    "is|are there|present|happening|coming|noted|seen|reported, present, noted, seen, reported",
    "happening, mainly, mostly, uncontrolled, itself",
    "well? controlled, under good? control, lasting|lasts hours|days|weeks|months|minutes|seconds, for a while",
)
_WORSE = any_of(
    "is|are|gets|getting|much? worse|worst|more|better|relieved|aggravated|exacerbated|mostly|mainly|especially"
)
_SIDES = rf"""(?: (?:L|R|left|right)\s*[<>=]\s*(?:L|R|left|right) | {_SIDE}
    | (?:on\s+)?both\s+sides | (?:on\s+the\s+)?(?:left|right)\s+side | (?:upper|lower)\s+(?:left|right) )"""
_MARKS = r"(?: [1-4]\s?\+ | \+{1,4}(?!\w) | grade\s+(?:[1-5]|I{1,3}|IV|V) )"
_ATTACKS = any_of(
    "episodes, episode, attacks, attack, spells, spell, bouts, bout, flare, flares, flare-up, flare up, flaring",
    "relapse, relapses, relapsed, relapsing, recurrence, exacerbation, exacerbations, exac, in remission, remission",
    "sudden|gradual|recent|acute onset, of|with sudden|gradual|recent|acute onset",
    "all over the? body?, everywhere, only",
)
_ASKED = any_of(
    "?cause, ? cause, nyd, review, f/u, fu, follow up, follow-up, followup, assessment, management"
    ", issues, issue, symptoms, complaint, complaints, unexplained, still, back again"
)
_AFTER = lazy(
    rf"""
    (?: [,;:]\s* | \s+[-–]\s+ | \s+ ) \(?
    (?: (?:{_WORSE}\s+)? (?:{_WHEN}|{_BROUGHT_ON}) | {_SOMETIMES} | {_NOT_BETTER} | {_LATELY} | {_SIDES} | {_MARKS}
      | {_ATTACKS} | {_ASKED} ) \)?\s*$
    """,
    _FLAGS,
)
_LINK = re.compile(
    r"(?:[\s,;:–-]+ (?:is|are|was|that|which|but|and|gets|it|it's|its|only|mostly|mainly))*[\s,;:–-]*$", _FLAGS
)
"""What is left between a finding and what was said of it: "pain which is" of "pain which is worse at night"."""

_TELLING = frozenset("early first isolated late left many old other right second several significant some".split())
_MANNER = (MANNER | OBSERVED) - _TELLING - {"associated", "complete", "congenital", "further", "partial", "typical"}
"""Words that say how a finding is, without those that often make it another one."""

_MOST, _LONGEST = 4, 80
"""So many phrases at each end of a finding are set aside, and so many characters has the longest."""

_DENIED = re.compile(r"(?:no|denies|denied|without)\s+(?=\w)", _FLAGS)
"""What a finding keeps before it: "no severe cough" is *no cough*."""
_DEGREES = MANNER | OBSERVED | {"active", "overt", "real"}
"""Words behind a denial that say of what degree or kind nothing is there."""

_OPEN = NEGATORS | {"like", "type"}
"""What no finding ends with: "asthma-like symptoms" are no asthma."""


@lru_cache(maxsize=1 << 10)
def without_course(text: str) -> str:
    """What a text tells without how it goes on, when it is there, what brings it on, how bad it is and on which side:
    *cough* of "cough, worse at night", *no cough* of "no severe cough"; empty where it says nothing of that, or nothing
    else."""
    text = " ".join(text.split())
    denied = _DENIED.match(text)
    rest = said = text[denied.end() :] if denied else text
    while denied and (found := rest.partition(" "))[2] and _DEGREES.issuperset(tokens(found[0])):
        rest = found[2]
    for _ in range(_MOST):
        last, rest = rest, _bare(rest)
        if rest == last:
            break
    words = tokens(rest)
    if rest == said or not words or words[-1] in _OPEN:
        return ""
    return f"{denied[0]}{rest}" if denied else rest


def _bare(text: str) -> str:
    """A text without one phrase at either end of it that tells the course of a finding."""
    head, tail = text[:-_LONGEST], text[-_LONGEST:]
    cut = _AFTER().search(tail)
    rest = head + _LINK.sub("", tail[: cut.start()]) if cut and head + tail[: cut.start()] else text
    lead = _BEFORE().match(rest)
    rest = rest[lead.end() :] if lead else rest
    first, _, others = rest.partition(" ")
    if others and _MANNER.issuperset(tokens(first)):
        rest = others
    others, _, last = rest.rpartition(" ")
    return others.rstrip(" ,;:–-") if others and _MANNER.issuperset(tokens(last)) else rest
