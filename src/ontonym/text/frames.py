"""What people write around a finding without saying which one it is: "c/o … x3 days", "Dx: …", "my husband has …"."""

from __future__ import annotations

import re

_WHO = r"(?:(?:the|this|my)\s+)?(?:pt|pts|patient|client|he|she)\s+(?:is\s+|was\s+)?"
_WORDS = (
    r"(?:c/o|o/e)\s*[-:]|c/o|o/e|complain(?:s|ed|ing)?\s+(?:of|about)|complaints?\s+of|p/w|reports?|reporting"
    r"|(?:re)?present(?:s|ed|ing)?\s+(?:to\s+(?:the\s+)?(?:ed|er|a&e|gp|clinic|hospital)\s+)?with"
    r"|r/o|rule\s+out|query|suspect(?:ed|s)?(?:\s+of)?|susp|possible|poss|probable|likely|k/c/o|known\s+case\s+of"
    r"|known\s+to\s+have|known|adm(?:itted)?\s+(?:with|for)|seen\s+(?:for|with)|here\s+(?:for|with)|came\s+in\s+with"
    r"|eval(?:uate|uation)?\s+(?:of|for)|f/u\s+(?:of|for)|follow[- ]?up\s+(?:of|for)|dx\s+of|dx|diagnosed\s+with"
    r"|diagnosis\s+of|a/w|suffer(?:s|ing)?\s+from|(?:i\s+)?think\s+(?:i|he|she|it)(?:'s|\s+(?:has|have|is))?"
    r"|concern(?:s|ed|ing)?\s+(?:for|about)|worr(?:y|ied)\s+about|what\s+(?:is|are|causes?)|how\s+to\s+(?:treat|cure)"
    r"|treatment\s+(?:of|for)|help\s+with|confirmed|(?:awaiting|under)\s+(?:surgery|investigations?|treatment)\s+for"
    r"|(?:being\s+|was\s+)?treated\s+for|on\s+(?:treatment|tx|rx|meds?|medications?|tablets|therapy)\s+for"
    r"|(?:a\s+)?\d+(?:\s*[- ]?(?:hour|hr|day|d|week|wk|month|mo|year|yr)s?|/(?:7|52|12))\s+(?:(?:hx|history)\s+)?of"
    r"|\d+/(?:7|52|12)"
)
_AGED = (
    r"\d{1,2}\s*-?\s*(?:(?:y/?o|yrs?|years?|m/?o|mos?|months?|weeks?|wks?)\s*-?\s*(?:old|of\s+age)?,?\s*)?"
    r"(?:(?-i:[MF])|male|female|man|woman|lady|gentleman|boy|girl|child|infant|baby|patient|pt)"
)
_HEADINGS = (
    r"imp(?:ression)?|(?:(?:primary|secondary|principal|main|admi(?:tting|ssion)|discharge|final|working|differential"
    r"|clinical|provisional|(?:pre|post)[- ]?op(?:erative)?)\s+)?(?:diagnos[ei]s|dx)|ddx|c/?c|chief\s+complaint"
    r"|presenting\s+(?:complaint|problem)|reason(?:\s+for\s+(?:visit|admission|referral|exam|study))?"
    r"|(?:clinical\s+)?(?:indications?|information)|hpi"
    r"|co-?morbidit(?:y|ies)|(?:active\s+)?problems?(?:\s+list)?|assessment|a/p|findings?|conclusion"
)
_CLOSE = r"son|daughter|kid|husband|wife|mum|mom|dad|gran|grandma|granny|grandpa|grandad|granddad"
_OTHERS = (
    r"child|toddler|little\s+(?:boy|girl|one)|partner|boyfriend|girlfriend|mother|father|grandmother|nan|grandfather"
    r"|brother|sister|friend|uncle|aunt|teenager"
)
_HAVING = (
    r"(?:have|has|had|having|am|is|are|was|been|got|gets?|getting|keeps?|kept)(?:\s+(?:been|got|having|getting|on))?"
)
_DEGREE = r"(?:(?:a|an|some|this|these|really|very|so|quite|always|constantly|just)\s+)*"
_PERSON = (
    rf"(?:(?:my|our|the|his|her)\s+(?:{_CLOSE}|{_OTHERS})|(?:{_CLOSE}))(?:'s)?(?:\s+{_HAVING})?"
    rf"|(?:{_OTHERS}|baby|infant|newborn)\s+{_HAVING}"
    rf"|(?:i|he|she|we|they)(?:'(?:m|s|ve|re))?(?:\s+{_HAVING})?|(?:i|he|she|we|they)\s+(?:feels?|felt)|{_HAVING}"
)
_LEAD = re.compile(
    rf"(?:{_HEADINGS})(?:\s*:\s*|\s+[-–]\s+)|(?:{_WHO})?(?:{_WORDS})\s+"
    rf"|(?:{_AGED})\s+(?:(?:who\s+)?(?:with|w/|has|had)\s+)?|\?+\s*|(?:{_PERSON})\s+{_DEGREE}",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\w")
_GUESSED = (
    r"[,;.]\s+(?:(?:so|but|and)\s+)?(?:(?:i|we|they)\s+(?:think|thought|guess|suspect|believe|wonder\s+if)"
    r"|(?:could|might)\s+(?:it|this)\s+be|(?:is|was)\s+(?:it|this)|maybe|perhaps|probably)\s+"
    r"(?:(?:it|this|he|she)(?:'s|\s+(?:is|has|might\s+be|could\s+be|may\s+be))\s+)?(?:an?\s+|the\s+)?(?=\w)"
)
_GUESSING = re.compile(_GUESSED, re.IGNORECASE)
_GUESS = re.compile(rf".*{_GUESSED}", re.IGNORECASE)
"""What stands before a guess: "spots all over, I think it's …". Where there is none, looking for it takes the square of
the text's length.
"""

_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|several|couple\s+of|many)"
_UNIT = r"(?:h|hrs?|hours?|d|days?|nights?|w|wks?|weeks?|mths?|mos?|months?|y|yrs?|years?)"
_OLD = (
    r"\d{1,2}(?:\+\d)?/(?:7|12|40|52)|at\s+\d{1,2}(?:\+\d)?\s*(?:wks?|weeks?)|\d{1,2}\s*(?:wks?|weeks?)\s+post\s*(?:partum|natal)"
    r"|(?:(?:aged?|at\s+age)\s+)\d{1,2}|\d{1,2}\s*-?\s*(?:wks?|weeks?|mths?|months?|yrs?|years?|y/?o|m/?o)\s*-?\s*(?:olds?|of\s+age)"
    r"|\d{1,2}\s?(?:mths?|yo|y/o)|\d{2,3}\s?(?-i:[MF])"
)
"""How old somebody is, or how far a pregnancy: "9/40", "at 37 weeks", "3 yr old", "89F"."""
_AFTER = re.compile(
    rf"(?<!\s)[,;]?\s+(?:(?:x|for|over|in|during|since)\s*(?:the\s+)?(?:(?:last|past)\s+)?(?:a\s+)?{_NUMBER}\s*"
    rf"(?:{_UNIT}|/(?:7|52|12))(?:\s+(?:now|back|ago))?|{_OLD}"
    r"|(?:(?:that|which)\s+)?(?:keeps?\s+(?:on\s+)?(?:coming\s+back|returning|happening)|comes?\s+and\s+goes?"
    r"|(?:won'?t|doesn'?t|does\s+not|will\s+not)\s+go\s+away|on\s+and\s+off)"
    r"|for\s+(?:hours|days|weeks|months|years|ages)(?:\s+now)?"
    r"|since\s+(?:childhood|infancy|adolescence|a\s+(?:child|teenager|kid)|yesterday|this\s+morning"
    r"|last\s+(?:night|week|month|year)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|(?:today|yesterday|nowadays|lately|recently|these\s+days|all\s+the\s+time|every\s?day|a\s+lot|for\s+no\s+reason"
    r"|so\s+much|(?:so|really)\s+bad(?:ly)?|again|constantly|#\d{1,2}"
    r"|\d{1,2}(?:st|nd|rd|th)\s+episode|confirmed|(?:s/p|on|under|after)\s+(?:treatment|tx|rx|meds?|medication|therapy)"
    r"|symptoms\s+and\s+treatment))\s*$",
    re.IGNORECASE,
)


_SEES, _ACUITY = re.compile(r"\b(?:VA|vision|acuity)\b", re.IGNORECASE), "6/12"
"""Words beside which this fraction is how well an eye sees, and no six months."""
_SIZE = re.compile(
    r"(?:(?<!\s),?\s+|(?<=\()|^)\d+(?:[.,]\d+)?\s*(?:x\s*\d+(?:[.,]\d+)?\s*){0,2}(?:cm|mm)(?!\w)", re.IGNORECASE
)
_WHOSE = re.compile(r"\b(?:my|his|her|our|their|your|me|him|them)\s+", re.IGNORECASE)
_NORMAL = re.compile(r",[^,]*\bnormal\b[^,]*(?=,|$)", re.IGNORECASE)


_KIN = (
    r"(?:(?:maternal|paternal|great|step|half|both|older|younger|elder|twin|identical\s+twin)[- ]+)*"
    r"(?:grand)?(?:mother|mum|mom|mam|ma|father|dad|pa|parents?)|(?:(?:older|younger|elder|twin|half)[- ]+)?"
    r"(?:brothers?|sisters?|siblings?)|(?:(?:maternal|paternal|great)[- ]+)*(?:uncles?|aunts?|cousins?|gran|nan)"
)
_OF_KIN = re.compile(
    rf"(?:(?:his|her|their|the|pt's|patient's|mat|pat)\s+)?(?:{_KIN})"
    r"(?:\s*:\s*|\s+-\s+|\s+(?:who\s+)?(?:also\s+)?(?:both\s+)?(?:(?:had|has|have|having|with|w/)|suffer(?:s|ed)?\s+(?:from|with)"
    r"|(?:(?:has|have|was|were|is)\s+)?diagnosed\s+with|(?:died|dead|passed\s+away)\s+(?:of|from))\s+)"
    r"(?:(?:an?|some|the)\s+)?(?P<what>\w.*)",
    re.IGNORECASE,
)
_IN_KIN = re.compile(rf"(?P<what>\w.*?)\s+in\s+(?:(?:his|her|their|the|my)\s+)?(?:{_KIN}|family)", re.IGNORECASE)


def of_family(text: str) -> str:
    """What a text says that a relative has ("father died of bowel cancer", "asthma in brother"); empty for other texts.

    "My mother has" is none: so people write for those whom they look after.
    """
    found = _OF_KIN.fullmatch(text.strip()) or _IN_KIN.fullmatch(text.strip())
    return found["what"] if found else ""


def without_frame(text: str) -> str:
    """The text without what leads to a finding, says whose it is, since when, how large, or what else is normal; empty
    if it has no such words, or no others.
    """
    text, whole = _GUESS.sub("", text, count=1) if _GUESSING.search(text) else text, text
    rest = _SIZE.sub("", text[_led(text) :])
    if not (rest.rstrip().endswith(_ACUITY) and _SEES.search(rest)):
        rest = _AFTER.sub("", _AFTER.sub("", rest))  # "on and off for weeks"
    rest = _WHOSE.sub("", _NORMAL.sub("", rest)).strip()
    return "" if rest == whole.strip() else rest


def _led(text: str) -> int:
    """Where what leads to a finding ends, before a word of it; taken one by one, since a pattern of all takes forever
    where none follows."""
    end = at = 0
    while lead := _LEAD.match(text, at):
        at = lead.end()
        if _LETTER.match(text, at):
            end = at
    return end
