"""brat's standoff format: for each document its text and a file of annotations, with which brat shows and edits them.

Stenetorp et al. 2012, brat: a web-based tool for NLP-assisted text annotation; https://brat.nlplab.org/standoff.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ontonym.documents import Document
from ontonym.documents.document import SEPARATORS
from ontonym.files.output import written_file
from ontonym.serve.notes.names import DocumentNames
from ontonym.tasks.documents import MarkAnswer
from ontonym.text.notes.context import CONTEXTS

_PIECE = re.compile(f"[^{SEPARATORS}]+")
"""A stretch of text as a field has it: brat wants the words of a mention as its text has them, with a space between
pieces."""
_BREAKS = re.compile(f"[{SEPARATORS}]+")
_NAMED = re.compile(r"[^A-Za-z0-9_-]+")


class BratFolder:
    """A folder of NAME.txt and NAME.ann, and ``annotation.conf``, which says the types and attributes."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._types: dict[str, None] = {}
        self._names = DocumentNames()
        place.mkdir(parents=True, exist_ok=True)

    def write(self, document: Document, found: Sequence[MarkAnswer]) -> None:
        """Both files of a document, and the configuration where there is a new type."""
        name = self._names.of(document.id)
        types = len(self._types)
        lines = list(self._lines(document, found))
        self._put(f"{name}.txt", document.text)
        self._put(f"{name}.ann", "".join(f"{line}\n" for line in lines))
        if len(self._types) > types or types == 0:
            self._put("annotation.conf", self._configuration())

    def _put(self, name: str, text: str) -> None:
        with written_file(self._place / name) as stream:
            stream.write(text.encode(errors="replace"))

    def _lines(self, document: Document, found: Sequence[MarkAnswer]) -> Iterator[str]:
        text, attributes = document.text, 0
        found_at = document.places((one.mark.mention.start, one.mark.mention.end) for one in found)
        for number, (one, (start, end)) in enumerate(zip(found, found_at, strict=True), 1):
            mention, answer = one.mark.mention, one.answer
            pieces = [match.span() for match in _PIECE.finditer(text, start or 0, end or 0)]
            type_ = _NAMED.sub("_", mention.type).strip("_") or "Mention"
            self._types[type_] = None
            places = ";".join(f"{first} {last}" for first, last in pieces)
            words = " ".join(text[first:last] for first, last in pieces)
            yield f"T{number}\t{type_} {places}\t{words}"
            if answer.id is not None:
                source, _, code = answer.id.partition(":")
                name = answer.preferred or ""
                yield f"N{number}\tReference T{number} {source}:{code}\t{_BREAKS.sub(' ', name)}"
            for context in one.context or ():
                attributes += 1
                yield f"A{attributes}\t{context.capitalize()} T{number}"
            notes = [f"section: {one.section}"] if one.section else []
            notes += [f"runner-up: {one.runner_up}"] if one.runner_up else []
            if notes:
                yield f"#{number}\tAnnotatorNotes T{number}\t{_BREAKS.sub(' ', '; '.join(notes))}"

    def _configuration(self) -> str:
        attributes = "\n".join(f"{context.capitalize()}\tArg:<ENTITY>" for context in CONTEXTS)
        types = "\n".join(self._types)
        return f"[entities]\n{types}\n[relations]\n[events]\n[attributes]\n{attributes}\n"
