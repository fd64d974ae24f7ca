"""Mentions with their concepts, as they are written: JSON lines, TSV, PubTator, BioC XML and JSON, as streams."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from ontonym.documents import WHOLE, Document
from ontonym.documents.formats import document_writer, written_format
from ontonym.documents.pubtator import PubTatorWriter
from ontonym.errors import UnknownNameError
from ontonym.files.output import tsv_line, written_file
from ontonym.serve.shapes import explanation_shape, hit_shape, mention_shape, rounded, to_json
from ontonym.tasks import MentionExplanation, Normalization
from ontonym.tasks.documents import MarkAnswer
from ontonym.text.context import CONTEXTS

NORMALIZATION_COLUMNS = (
    "mention", "document", "start", "end", "type", "text", "id", "preferred", "matched", "kind", "source",
    "terminology", "confidence", "similarity", "reason", "ambiguous", "equivalents", "nearest", "part",
)  # fmt: skip
"""The columns of a normalized file as TSV; ``mention`` is the mention's own id (for plain lines the line number).

``equivalents`` are further ids of the same answer. Where no concept is given, ``nearest`` is the best candidate's id
and preferred term.

A composite mention has one row for each ``part``, the name that the row's concept is for; it is empty elsewhere."""

ANNOTATION_COLUMNS = (*NORMALIZATION_COLUMNS, "context")
"""The columns of an annotated file as TSV; ``context`` lists how the text speaks of the mention (negated…)."""

OUTPUTS = ("jsonl", "tsv", *WHOLE)
"""Every output format; ``bioc`` is XML."""


Write = Callable[[Document, Sequence[MarkAnswer]], None]
"""Writes a document with its answers."""


@dataclass(frozen=True, slots=True)
class OutputChoice:
    """Where answers are written, None for standard output, and in which format: the one named, else by the ending."""

    path: str | None = None
    format: str | None = None
    as_json: bool = False

    @property
    def written_as(self) -> str:
        """The name of the format; UnknownNameError where it is not one of `OUTPUTS`."""
        if self.as_json:
            return "jsonl"
        if self.format is not None:
            if self.format not in OUTPUTS:
                raise UnknownNameError("output format", self.format, OUTPUTS)
            return self.format
        path = self.path or ""
        return "tsv" if path.lower().removesuffix(".gz").endswith(".tsv") else written_format(path) or "jsonl"


@contextmanager
def opened_answers(
    output: OutputChoice, *, source: str, annotating: bool = False, left_out: Callable[[int], None]
) -> Iterator[Write]:
    """Writes answers to a file, which takes its place only when all went well, or to standard output.

    ``source`` tells BioC where the identifiers come from; ``annotating`` adds to a table how the text speaks of a
    mention; ``left_out`` is called with the number of mentions that have no place in a text that PubTator needs.
    """
    path, name = output.path, output.written_as
    if name in WHOLE:
        with document_writer(path, name, source) as writer:
            yield lambda document, found: writer.write(replace(document, marks=tuple(one.marked() for one in found)))
        if isinstance(writer, PubTatorWriter) and writer.placeless:
            left_out(writer.placeless)
        return
    with nullcontext(sys.stdout.buffer) if path is None else written_file(path) as stream:
        if name == "tsv":
            stream.write(f"{tsv_line(ANNOTATION_COLUMNS if annotating else NORMALIZATION_COLUMNS)}\n".encode())
            lines = _table_lines
        else:
            lines = _json_lines
        yield lambda document, found: stream.writelines(f"{line}\n".encode() for one in found for line in lines(one))


def _json_lines(one: MarkAnswer) -> Iterator[str]:
    yield to_json(answer_shape(one.answer, one.context, one.why))


def _table_lines(one: MarkAnswer) -> Iterator[str]:
    """One row of a table for each part of a composite mention, else one."""
    answer = one.answer
    for part in answer.parts:
        chosen = replace(answer, id=part.id, confidence=part.confidence, candidates=part.candidates)
        yield tsv_line(_row(chosen, part.mention.text, one.context))
    if not answer.parts:
        yield tsv_line(_row(answer, "", one.context))


def answer_shape(
    answer: Normalization, context: tuple[str, ...] | None = None, why: MentionExplanation | None = None
) -> dict[str, Any]:
    """A mention with its concept as JSON values; ``id`` is null where no concept fits."""
    mention = answer.mention
    candidates = [hit_shape(hit) for hit in answer.candidates]
    explained = {}
    if why is not None:
        explained["explanation"] = mention_shape(why)
        for shape, explanation in zip(candidates, why.candidates, strict=False):  # a composite has none
            shape["explanation"] = explanation_shape(explanation)
    parts = zip(answer.parts, why.parts if why else [None] * len(answer.parts), strict=True)
    return {
        "mention": mention.id,
        "document": mention.document,
        "start": mention.start,
        "end": mention.end,
        "type": mention.type,
        "text": mention.text,
        "id": answer.id,
        "equivalents": list(answer.equivalents),
        "confidence": rounded(answer.confidence),
        **({} if context is None else {name: name in context for name in CONTEXTS}),
        **explained,
        "candidates": candidates,
        "parts": [answer_shape(part, None, explanation) for part, explanation in parts],
    }


def _row(answer: Normalization, part: str, context: tuple[str, ...] | None) -> list[str]:
    """One row of ``NORMALIZATION_COLUMNS``, or with its context of ``ANNOTATION_COLUMNS``.

    Where no concept fits, columns of the concept are empty but for ``nearest``.
    """
    mention, hit = answer.mention, next((hit for hit in answer.candidates if hit.id == answer.id), None)
    place = ["" if value is None else str(value) for value in (mention.start, mention.end)]
    row = [mention.id, mention.document, *place, mention.type, mention.text, answer.id or ""]
    last = [part] if context is None else [part, "|".join(context)]
    if hit is None:
        nearest = next((f"{one.id} {one.preferred}" for one in answer.candidates), "")
        return [*row, "", "", "", "", "", f"{answer.confidence:.4f}", "", "", "", "", nearest, *last]
    return [
        *row, hit.preferred, hit.matched, hit.kind, hit.source, hit.terminology, f"{answer.confidence:.4f}",
        f"{hit.similarity:.4f}", f"{hit.reason.rule}: {hit.reason.detail}", "|".join(hit.ambiguous),
        "|".join(hit.equivalents), "", *last,
    ]  # fmt: skip
