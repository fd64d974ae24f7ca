"""What people write around a finding without saying which one it is: "c/o … x3 days", "patient presents with …"."""

from __future__ import annotations

import re

_WHO = r"(?:(?:the|this|my)\s+)?(?:pt|pts|patient|client|he|she)\s+(?:is\s+|was\s+)?"
_WORDS = (
    r"c/o|complain(?:s|ed|ing)?\s+(?:of|about)|complaints?\s+of|p/w|(?:re)?present(?:s|ed|ing)?\s+with|reports?|reporting"
    r"|r/o|rule\s+out|query|suspect(?:ed|s)?(?:\s+of)?|susp|possible|poss|probable|likely|k/c/o|known\s+case\s+of"
    r"|known\s+to\s+have|known|adm(?:itted)?\s+(?:with|for)|seen\s+(?:for|with)|here\s+(?:for|with)|came\s+in\s+with"
    r"|eval(?:uate|uation)?\s+(?:of|for)|f/u\s+(?:of|for)|follow[- ]?up\s+(?:of|for)|dx\s+of|dx|diagnosed\s+with"
    r"|diagnosis\s+of|a/w|suffer(?:s|ing)?\s+from"
)
_HEADINGS = r"imp(?:ression)?|dx|diagnosis|cc|chief\s+complaint|reason|indication"
_BEFORE = re.compile(
    rf"(?:(?:{_WHO})?(?:{_WORDS})\s+|(?:{_HEADINGS})\s*:\s*|\?+\s*)+(?=\w)",
    re.IGNORECASE,
)

_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|several|couple\s+of|many)"
_UNIT = r"(?:h|hrs?|hours?|d|days?|nights?|w|wks?|weeks?|mths?|mos?|months?|y|yrs?|years?)"
_AFTER = re.compile(
    rf"[,;]?\s+(?:(?:x|for|over|in|during)\s*(?:the\s+)?(?:(?:last|past)\s+)?(?:a\s+)?{_NUMBER}\s*"
    rf"(?:{_UNIT}|/(?:7|52|12))(?:\s+now)?"
    r"|since\s+(?:yesterday|this\s+morning|last\s+(?:night|week|month|year)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|(?:today|yesterday|nowadays|again\s+today))\s*$",
    re.IGNORECASE,
)


def without_frame(text: str) -> str:
    """The text without what leads to a finding or says since when; empty if it has no such words, or no others."""
    begins = _BEFORE.match(text)
    rest = text[begins.end() :] if begins else text
    rest = _AFTER.sub("", rest).strip()
    return "" if rest == text.strip() else rest
