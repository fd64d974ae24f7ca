"""Abbreviations of a text mean what their long forms mean where the text defines them: in "heparin-induced
thrombocytopenia (HIT)" the long form ends with a mention, and HIT is one everywhere; in "spinal cord injury study
(SCIS)" it does not, and SCIS is none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ontonym.tasks.annotation.overlaps import Span, free_pieces
from ontonym.text.pieces import Piece

_LINK = re.compile(r"\b(?:of|in|for|from|with|to|on|by|and|or)\b", re.IGNORECASE)


def meant_by_long_forms(
    text: str, defined: Mapping[str, str], row: Sequence[Piece], chosen: Sequence[Span], likely: Sequence[Span]
) -> list[Span]:
    """``likely`` and what the abbreviations ``defined`` in the text add to it, without those whose long form is not
    mentioned where it is defined; ``chosen`` are the other mentions of the text, ``row`` its pieces."""
    if not defined:
        return list(likely)
    found = list(likely)
    for short, long in defined.items():
        place = _defined_at(text, short, long)
        if place is None:
            continue
        written = {short, f"{short}s"}
        meant = _ending_at(text, place, [*chosen, *found])
        if meant is None:
            found = [span for span in found if span.written(text) not in written]
            continue
        free = free_pieces(row, [(span.start, span.end) for span in (*chosen, *found)]).tolist()
        found += [
            Span(piece.start, piece.end, meant.lookup, meant.closeness, sure=meant.sure)
            for piece, is_free in zip(row, free, strict=True)
            if is_free and piece.written(text) in written
        ]
    return found


def _defined_at(text: str, short: str, long: str) -> tuple[int, int, int] | None:
    """The start and end of a long form where it is defined, "long (short)" or "short (long)", and of the definition."""
    match = _definition(short, long).search(text)
    if match is None:
        return None
    return (*(match.span(1) if match[1] else match.span(2)), match.end() + 1)


@lru_cache(maxsize=256)  # cached: texts are asked for each of their abbreviations, and many define the same
def _definition(short: str, long: str) -> re.Pattern[str]:
    short, long = re.escape(short), re.escape(long)
    return re.compile(rf"({long})\s*\((?:[^()]*[,;]\s*)?{short}|{short}\s*\(({long})")


def _ending_at(text: str, place: tuple[int, int, int], spans: Sequence[Span]) -> Span | None:
    """The mention that a long form ends with, or that ends with the definition; None where there is none, or where a
    preposition stands before it, as in "risk of stroke"."""
    start, end, last = place
    meant = [span for span in spans if span.start < end <= span.end <= last]
    if not meant:
        return None
    best = min(meant, key=lambda span: (span.end != end, span.start))
    return None if _LINK.search(text[start : max(best.start, start)]) else best
