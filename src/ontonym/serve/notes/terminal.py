"""A note for a terminal: its text with the mentions in the colour of their branch, and below it a line for each.

Where there are no colours, mentions stand in brackets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import MappingProxyType

from ontonym.documents import Document
from ontonym.files.output import written_file
from ontonym.serve.answers import Write
from ontonym.serve.notes.branches import Branches
from ontonym.serve.show import console
from ontonym.tasks.documents import MarkAnswer
from ontonym.text.visible import cut_to, visible

_COLOURS = ("cyan", "yellow", "green", "magenta", "red", "blue", "bright_cyan", "bright_yellow", "bright_green")
_STYLES = MappingProxyType(
    {
        "negated": "strike",
        "uncertain": "underline",
        "hypothetical": "underline",
        "historical": "italic",
        "family": "italic",
    }
)
_UNNAMED = ("", "-")
_WIDEST = 36

_Styled = tuple[str, str]
"""A stretch of text and its style."""


@contextmanager
def written_note(path: str | None, branches: Branches) -> Iterator[Write]:
    """Lends a function that writes one annotated document after another: to a file without colours, or to standard
    output for None, in colours where it is a terminal.
    """
    note = _Note(branches)
    if path is not None:
        with written_file(path) as stream:
            yield lambda document, found: stream.writelines(
                f"{visible(''.join(words for words, _ in line))}\n".encode(errors="replace")
                for line in note.lines(document, found, colours=False)
            )
        return
    from rich.text import Text

    out = console()
    colours = out.is_terminal and not out.no_color

    def write(document: Document, found: Sequence[MarkAnswer]) -> None:
        for line in note.lines(document, found, colours=colours):
            out.print(Text.assemble(*line), soft_wrap=not colours)

    yield write


class _Note:
    """The branches that were seen, each with its colour."""

    def __init__(self, branches: Branches) -> None:
        self._branches = branches
        self._seen: dict[str, str] = {}

    def lines(self, document: Document, found: Sequence[MarkAnswer], *, colours: bool) -> Iterator[list[_Styled]]:
        """The lines of a document: its name, its text, and its mentions."""
        if document.id not in _UNNAMED:
            yield [(document.id, "bold")]
        line: list[_Styled] = []
        for words, style in self._text(document, found, colours=colours):
            first, *rest = words.split("\n")
            line.append((first, style))
            for one in rest:
                yield line
                line = [(one, style)]
        if any(words for words, _ in line):
            yield line
        yield []
        yield from self._mentions(found)
        if found:
            yield []

    def _text(self, document: Document, found: Sequence[MarkAnswer], *, colours: bool) -> Iterator[_Styled]:
        text, at = document.text, 0
        outer = [one for one in found if not one.nested]
        places = document.places((one.mark.mention.start, one.mark.mention.end) for one in outer)
        for one, (start, end) in zip(outer, places, strict=True):
            if start is None or end is None or start < at:
                continue
            yield text[at:start], ""
            yield (text[start:end], self._style(one)) if colours else (f"[{text[start:end]}]", "")
            at = end
        yield text[at:], ""

    def _mentions(self, found: Sequence[MarkAnswer]) -> Iterator[list[_Styled]]:
        """A line for each mention, in columns; what lies in another one is set in."""
        rows = [(self._words(one), *self._concept(one), one) for one in found]
        widths = [max(map(len, column), default=0) for column in zip(*(row[:3] for row in rows), strict=True)]
        for words, id_, name, one in rows:
            said = ", ".join((*(one.context or ()), *([f"in {one.section}"] if one.section else [])))
            yield [
                (f"{words:<{widths[0]}}", self._style(one)),
                (f"  {id_:<{widths[1]}}", "dim"),
                (f"  {name:<{widths[2]}}  {one.answer.confidence:.2f}", ""),
                (f"  {said}" if said else "", "dim"),
            ]

    @staticmethod
    def _words(one: MarkAnswer) -> str:
        words = " ".join(one.mark.mention.text.split())
        cut = cut_to(words, _WIDEST)
        return f"  {cut}" if one.nested else cut

    @staticmethod
    def _concept(one: MarkAnswer) -> tuple[str, str]:
        hit = one.answer.hit
        return (hit.id, hit.preferred) if hit else ("-", "no concept is likely enough")

    def _style(self, one: MarkAnswer) -> str:
        branch = self._branches[one.answer.id or ""]
        colour = self._seen.setdefault(branch, _COLOURS[len(self._seen) % len(_COLOURS)])
        return " ".join(dict.fromkeys([colour, *(_STYLES[name] for name in one.context or ())]))
