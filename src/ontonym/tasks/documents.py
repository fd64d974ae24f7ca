"""Documents whose marked mentions are normalized, or whose text is annotated: each with its answers, as a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, tee

from ontonym.documents import Document, Mark
from ontonym.index import Index
from ontonym.tasks.annotation import AnnotateOptions, Annotation, annotate_texts
from ontonym.tasks.answer import Normalization, NormalizeOptions
from ontonym.tasks.explain import MentionExplanation, explain_answer
from ontonym.tasks.jobs import Jobs
from ontonym.tasks.normalize import AT_ONCE, normalize_groups


@dataclass(frozen=True, slots=True)
class MarkAnswer:
    """A mention marked in a document, or found in it, with its answer.

    ``context`` lists how the text qualifies it (``negated``…); ``why`` explains the answer. Each is None if not
    requested. ``section`` and ``nested`` are those of an `Annotation`.
    """

    mark: Mark
    answer: Normalization
    context: tuple[str, ...] | None = None
    why: MentionExplanation | None = None
    section: str = ""
    nested: bool = False

    @property
    def runner_up(self) -> str:
        """The id and preferred term of the best candidate after the concept given; empty where there is none."""
        given = (hit for hit in self.answer.candidates if self.answer.id is not None and hit.id != self.answer.id)
        return next((f"{hit.id} {hit.preferred}" for hit in given), "")

    def marked(self) -> Mark:
        """The mark with the answer in its notes; the ids of a composite's parts are joined by ``|``."""
        answer = self.answer
        ids = "|".join(part.id for part in answer.parts if part.id is not None) or answer.id or ""
        name = answer.preferred or ""
        nearest = "" if ids else next((hit.id for hit in answer.candidates), "")
        further = {"section": self.section, "nested": "true" if self.nested else ""}
        if self.context is not None:
            further["runner_up"] = self.runner_up
        return self.mark.answered(ids, answer.confidence, name, self.context, nearest=nearest, further=further)


def normalize_documents(
    index: Index,
    documents: Iterable[Document],
    options: NormalizeOptions = NormalizeOptions(),  # noqa: B008 (frozen)
    *,
    explain: bool = False,
    jobs: Jobs = 1,
    at_once: int = AT_ONCE,
) -> Iterator[tuple[Document, list[MarkAnswer]]]:
    """Each document with the answers to its marked mentions, in order; ``explain`` adds the reasons.

    ``jobs`` processes share the work. Documents are read ahead until they have ``at_once`` mentions (1: every document
    is answered before the next one is read). Raises what `normalize` raises.
    """
    given, asked = tee(documents)
    groups = ([mark.mention for mark in one.marks] for one in asked)
    found = normalize_groups(index, groups, options=options, jobs=jobs, at_once=at_once)
    for document, answers in zip(given, found, strict=True):
        why = [explain_answer(index.refreshed(), one, options) if explain else None for one in answers]
        yield document, [MarkAnswer(*one) for one in zip(document.marks, answers, [None] * len(why), why, strict=True)]


def annotate_documents(
    index: Index,
    documents: Iterable[Document],
    options: AnnotateOptions = AnnotateOptions(),  # noqa: B008 (frozen)
    *,
    jobs: Jobs = 1,
) -> Iterator[tuple[Document, list[MarkAnswer]]]:
    """Each document with the mentions found in its text, by the offsets that the document counts in.

    ``jobs`` processes share the work. Raises what `annotate` raises.
    """
    given, read = tee(documents)
    answers = annotate_texts(index, (document.separated for document in read), options, jobs=jobs)
    for document, found in zip(given, answers, strict=True):
        places = document.offsets(chain.from_iterable(one.span for one in found))
        spans = zip(places[::2], places[1::2], strict=True)
        yield document, [_mark_answer(document, one, *span) for one, span in zip(found, spans, strict=True)]


def _mark_answer(document: Document, one: Annotation, start: int, end: int) -> MarkAnswer:
    _, hash_, number = one.mention.id.partition("#")  # of those in one place
    id_ = f"{document.id}:{start}-{end}{hash_}{number}"
    mention = replace(one.mention, id=id_, document=document.id, start=start, end=end)
    answer = Normalization(mention, one.id, one.confidence, one.candidates)
    return MarkAnswer(Mark(mention), answer, one.context, section=one.section, nested=one.nested)
