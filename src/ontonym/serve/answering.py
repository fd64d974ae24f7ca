"""A file of mentions or documents in, a file of their answers out, with counts of what became of every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from ontonym.documents import WHOLE, Document, DocumentFile, DocumentOptions
from ontonym.errors import InputError, UnknownNameError
from ontonym.files.counts import RowCounts
from ontonym.index import Index
from ontonym.serve.answers import OutputChoice, opened_answers
from ontonym.serve.notes import note_format, opened_notes
from ontonym.tasks import AnnotateOptions, NormalizeOptions
from ontonym.tasks.answer import Certainty
from ontonym.tasks.columns import check_read
from ontonym.tasks.documents import MarkAnswer, annotate_documents, normalize_documents
from ontonym.tasks.jobs import Jobs
from ontonym.tasks.normalize import AT_ONCE
from ontonym.text.context import CONTEXTS
from ontonym.types import Advance

DocumentAnswers: TypeAlias = tuple[Document, list[MarkAnswer]]


@dataclass(frozen=True, slots=True)
class AnsweringOptions:
    """How a file is answered: its mentions are normalized, or its texts annotated, as the options ``how`` say.

    ``reading`` says how it is read, ``but`` which contexts leave an annotated mention out (one of `CONTEXTS`), and
    ``explain`` adds the reasons for each normalization.
    """

    how: NormalizeOptions | AnnotateOptions
    reading: DocumentOptions = field(default_factory=DocumentOptions)
    but: tuple[str, ...] = ()
    explain: bool = False

    def __post_init__(self) -> None:
        for context in self.but:
            if context not in CONTEXTS:
                raise UnknownNameError("context", context, CONTEXTS)
        if self.explain and isinstance(self.how, NormalizeOptions) and self.how.reranking:
            raise InputError("`explain=` explains the order of the search, not of a reranker: leave out `rerank=`")

    @property
    def annotating(self) -> bool:
        """Whether texts are annotated."""
        return isinstance(self.how, AnnotateOptions)

    def open(self, path: str, text: str | None = None) -> DocumentFile:
        """The file at a path, which is then read as a stream, or the ``text`` that is given in its place."""
        return DocumentFile(path, self.reading, texts=self.annotating, given=text)


@dataclass(slots=True)
class FileAnswers:
    """What became of a file: its rows, and how many answers are sure, doubtful and none, and how many ``negated``.

    ``documents`` were read. ``left_out`` mentions are not in the output for their context; ``unwritten`` are counted by
    the reason why the output format has no room for them.
    """

    rows: RowCounts
    documents: int = 0
    found: Counter[Certainty] = field(default_factory=Counter)
    negated: int = 0
    left_out: int = 0
    unwritten: Counter[str] = field(default_factory=Counter)

    @property
    def mentions(self) -> int:
        """The number of mentions that were answered and written."""
        return self.found.total()


def answer_file(
    index: Index,
    documents: DocumentFile,
    output: OutputChoice,
    options: AnsweringOptions,
    *,
    jobs: Jobs = 1,
    at_once: int = AT_ONCE,
    advance: Advance = lambda done: None,
) -> FileAnswers:
    """Answers a file, and writes the answers as a stream; an output file takes its place only when all went well.

    ``advance`` is called with the number of mentions, or of annotated documents, since the last call. Raises InputError
    for a format that the output cannot have, FormatError for a file that cannot be read.
    """
    _check(documents, output, options)
    made = FileAnswers(documents.counts)
    verb = "annotate" if options.annotating else "normalize"
    source = f"ontonym {verb}, {index.name}"
    if options.annotating and note_format(output) is not None:
        opened = opened_notes(output, index, source=source, left_out=made.unwritten)
    else:
        table = None if options.annotating else documents
        opened = opened_answers(
            output, source=source, annotating=options.annotating, left_out=made.unwritten, table=table
        )
    with opened as write:
        for document, answers in _answers(index, documents, options, jobs, at_once):
            kept = [one for one in answers if not set(one.context or ()) & set(options.but)]
            made.left_out += len(answers) - len(kept)
            made.found.update(one.answer.certainty for one in kept)
            made.negated += sum(one.answer.negated for one in kept)
            write(document, kept)
            advance(1 if options.annotating else len(kept))
    made.documents = documents.read
    return made


def _answers(
    index: Index, documents: DocumentFile, options: AnsweringOptions, jobs: Jobs, at_once: int
) -> Iterator[DocumentAnswers]:
    if isinstance(options.how, AnnotateOptions):
        return annotate_documents(index, documents, options.how, jobs=jobs)
    return normalize_documents(index, documents, options.how, explain=options.explain, jobs=jobs, at_once=at_once)


def _check(documents: DocumentFile, output: OutputChoice, options: AnsweringOptions) -> None:
    if options.annotating:
        return
    check_read(options.reading.column)
    written = output.written_as
    if written in WHOLE and not documents.has_documents:
        raise InputError(
            f"{documents.place}: {documents.format} has mentions without their documents, and {written} is made of "
            f"documents. Write .jsonl or .tsv, or give one of: {', '.join(WHOLE)}"
        )
    if options.explain and written != "jsonl":
        raise InputError(f"`explain=` is written as JSON lines, not as {written}. Write .jsonl")
