"""Texts with their annotations in files of their own: what ShARe/CLEF, MCN and Mantra's BRAT files share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ontonym.documents import CharSpan
from ontonym.evaluate.corpora.files import text_of
from ontonym.evaluate.corpora.gold import CorpusReader, GoldMention
from ontonym.files.source import Source
from ontonym.types import Mention

_DIGITS = 12
"""No text is so long that a place in it has more."""


class NoteReader(CorpusReader):
    """A reader of texts and of places in them. A row is a text file, and a line of an annotation file.

    Offsets count the characters of the text file as it is, a line break of two characters as two, a byte order mark not
    at all. A mention in several pieces has the words of all as its text; where only white space is between them it has
    their offsets, else none. Places outside the text make a row malformed.
    """

    def _text(self, source: Source) -> str:
        """The text of a document, counted."""
        self.counts.rows += 1
        self.counts.text += 1
        return text_of(source)

    def _gold(
        self,
        at: tuple[Source, int | None],
        document: str,
        text: str,
        spans: Sequence[CharSpan],
        ids: frozenset[str],
        *,
        kind: str = "",
        words: str = "",
    ) -> GoldMention | None:
        """The mention of an annotation, ``at`` a line of a file; None where its places are wrong, which is counted.

        ``words`` are those that the annotation itself gives, if it does; where other ones are at its places it keeps
        them, and has no offsets.
        """
        source, line = at
        if not self._wanted(kind):
            return None
        try:
            found, whole = spelled(text, spans)
        except ValueError as error:
            self._malformed(source.label, line, str(error))
            return None
        place = ",".join(f"{start}-{end}" for start, end in ([whole] if whole else spans))
        self.counts.discontinuous += whole is None
        if words and words.split() != found.split():
            if self.options.strict:
                self._malformed(source.label, line, f"{place} does not point at {words!r}")
            self.counts.without_offsets += 1
            found, whole = " ".join(words.split()), None
        start, end = whole or (None, None)
        mention = Mention(found, f"{document}:{place}", document, start, end, kind, text)
        return GoldMention(mention, (ids,))


def spelled(text: str, spans: Iterable[CharSpan]) -> tuple[str, CharSpan | None]:
    """The words at the spans, white space made single, and the one span that they fill: None where words lie between.

    Raises ValueError for a span that is no stretch of the text with words in it.
    """
    ordered = sorted(spans)
    words = []
    for start, end in ordered:
        if not 0 <= start < end <= len(text):
            raise ValueError(f"{start}-{end} is no place in the text, which has {len(text):,} characters")
        words.append(" ".join(text[start:end].split()))
    if not any(words):
        raise ValueError("no words at its place in the text")
    whole = not any(text[before:after].strip() for (_, before), (after, _) in pairwise(ordered))
    joined = " ".join(word for word in words if word)
    return joined, (ordered[0][0], max(end for _, end in ordered)) if whole else None


def spans_of(cells: Sequence[str]) -> list[CharSpan]:
    """Starts and ends in turn as spans; none where they are not whole numbers in pairs."""
    numbers = [cell.strip() for cell in cells]
    if len(numbers) % 2 or not all(number.isdecimal() and len(number) <= _DIGITS for number in numbers):
        return []
    return [(int(start), int(end)) for start, end in zip(numbers[::2], numbers[1::2], strict=True)]
