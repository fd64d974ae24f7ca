"""What a text says that somebody does not do or have, where that is a finding by itself: "not walking" and "no
reflexes" deny nothing that a name says, as "no fever" does."""

from __future__ import annotations

import re

from ontonym.text.normalization import tokens
from ontonym.text.rewordings import LACKING, POOR_FUNCTIONS

_WHO = r"(?:(?:he|she|i|it|they|baby|child|pt|patient|is|was|are|were|am|be|been|has|have|had|just|still|really)\s+)*"
_NOT = (
    r"(?:not(?:\s+been)?|no|never|no\s+longer|can(?:'|no)?t|can\s+not|couldn'?t|could\s+not|won'?t|will\s+not|isn'?t|wasn'?t"
    r"|aren'?t|don'?t|do\s+not|doesn'?t|does\s+not|didn'?t|did\s+not|hasn'?t|stopped|stops|(?:un|not\s+)able\s+to"
    r"|lost\s+(?:the|his|her|my)\s+ability\s+to|refus(?:es|ing)\s+to|without|absent|lost)"
)
_AT_ALL = r"(?:\s+(?:at\s+all|any\s?more|now|yet|today))*"
"""Around it: "he is not …", "baby can't …", "… any more"."""
_LACKS = re.compile(rf"{_WHO}{_NOT}\s+(?:any\s+|passing\s+|pass\s+)?(?P<what>[^\W\d_]+){_AT_ALL}", re.IGNORECASE)
"""Of what somebody does not do or have: "baby not breathing", "no reflexes", "stopped walking"."""
_WELL = r"\s+(?:(?:so|too|very|that)\s+)?(?:well|good|properly|clearly|right|much|enough|normally)"
_BADLY = r"\s+(?:(?:so|very|really|quite)\s+)?(?:badly|poorly)"
_FARES_BADLY = re.compile(
    rf"{_WHO}(?:{_NOT}\s+(?P<ill>[^\W\d_]+){_WELL}|(?P<badly>[^\W\d_]+){_BADLY}){_AT_ALL}", re.IGNORECASE
)
"""Of what somebody does badly: "not seeing well", "sleeping poorly"."""


def lacking(text: str) -> tuple[tuple[str, ...], ...]:
    """The findings that a text may tell by what somebody does not do or have, likeliest first, each as normalized
    words: *apnea* of "not breathing", *areflexia* of "no reflexes", *poor vision* of "not seeing well"; empty where it
    tells none so.
    """
    text = " ".join(text.split())
    if found := _LACKS.fullmatch(text):
        return LACKING.get(" ".join(tokens(found["what"])), ())
    found = _FARES_BADLY.fullmatch(text)
    return POOR_FUNCTIONS.get(" ".join(tokens(found["ill"] or found["badly"])), ()) if found else ()
