"""Why a name was found for a text, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ontonym.index.evidence import FEATURES, SIGNAL_COLUMNS
from ontonym.text.normalization import changes
from ontonym.types import Correction, Reason

_SPELLED = FEATURES.index("spelled")
_LEXICAL, _CHAR, _DENSE = (SIGNAL_COLUMNS[name] for name in ("lexical", "char", "dense"))
_SHARED_WORDS, _ALIKE = 0.7, 0.6


def reason_of(
    text: str,
    matched: str,
    features: Sequence[float],
    *,
    read_as: str = "",
    correction: Correction = Correction.NONE,
) -> Reason:
    """Why a name was found for a text that was ``read_as`` another one if a ``correction`` was made.

    ``features`` are those of the name's concept (`ontonym.index.evidence.FEATURES`).
    """
    if text == matched:
        return Reason("exact", "the same text")
    is_corrected = correction is not Correction.NONE
    said = f"read as “{read_as}”: " if is_corrected else ""
    if features[_SPELLED]:
        steps = changes(read_as or text, matched) or ()
        detail = f"the same but for {_listed(steps)}" if steps else "the same text"
        return Reason("spelling" if is_corrected else "normalized", said + detail, steps, correction)
    lexical, char, dense = features[_LEXICAL], features[_CHAR], features[_DENSE]
    if lexical >= _SHARED_WORDS:
        return Reason("words", f"{said}words in common ({lexical:.0%} by rarity)", correction=correction)
    if char >= _ALIKE and char >= dense:
        return Reason("spelling", f"{said}spelled alike ({char:.0%} of letter groups)", correction=correction)
    return Reason("meaning", f"{said}close in meaning (cosine {dense:.2f})", correction=correction)


def less_sure(reason: Reason, why: str) -> Reason:
    """A reason that also says why the answer is less sure than its evidence (`ontonym.index.doubts`), if it is."""
    return replace(reason, detail=f"{reason.detail}; less sure: {why}") if why else reason


def _listed(steps: tuple[str, ...]) -> str:
    return steps[0] if len(steps) == 1 else f"{', '.join(steps[:-1])} and {steps[-1]}"
