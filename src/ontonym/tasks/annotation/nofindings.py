"""Names that are no findings where they stand, by the words beside them: who treats something ("stroke unit", "heart
failure nurse"), and phrases with *fall* of which nobody falls ("fall asleep", "a fall in platelets"). English only.
"""

from __future__ import annotations

import re

from ontonym.text.amounts import MEASURED
from ontonym.text.patterns import any_of

_SERVICE = re.compile(
    r"[\s-]+(?:(?:specialist|liaison|outreach|community|rapid[\s-]access|one[\s-]stop)\s+)?"
    rf"(?:{any_of('clinic|clinics|nurse|nurses|unit|ward|service|services|society|charity|foundation|helpline')}"
    r"|(?:specialist\s+)?teams?)\b",
    re.IGNORECASE,
)
"""Those who treat what stands before: "diabetes specialist nurse"."""
_FALLS = re.compile(r"(?:fall|falls|falling|fell)\Z", re.IGNORECASE)
_LONGEST_FALL = 7  # letters
_MEASURES = any_of(*sorted(MEASURED), "hb|haemoglobin|hemoglobin|platelets?|bp|pressure|sats|saturations?|egfr|gfr|crp")
_NO_FALL = re.compile(
    r"\s+(?:asleep|pregnant|ill|behind|apart|short|within|below|outside|under|in\s+love|back\s+to\s+sleep)\b"
    rf"|\s+in\s+(?:the\s+|his\s+|her\s+)?(?:[\w-]+\s+){{0,2}}(?:{_MEASURES})\b",
    re.IGNORECASE,
)
"""What follows the word *fall* where something else than a person falls, or nothing does."""
_FARTHEST = 60
"""Characters behind a name in which such words are looked for."""


def is_no_finding(text: str, start: int, end: int) -> bool:
    """Whether a name at a place of a text is none of a finding: the *stroke* of "stroke unit", the *fall* of "fall
    asleep"."""
    if _SERVICE.match(text, end, end + _FARTHEST):
        return True
    is_fall = _FALLS.search(text, max(start, end - _LONGEST_FALL), end)
    return bool(is_fall and _NO_FALL.match(text, end, end + _FARTHEST))
