"""How well the mentions of texts are found: by document, by mention (exact, overlapping), and near in the hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.corpora import Corpus, GoldDocument
from ontonym.evaluate.goldids import refuse_foreign_corpora
from ontonym.evaluate.results import Evaluation, Results, Table
from ontonym.evaluate.significance import (
    BootstrapOptions,
    Interval,
    clusters,
    f1_interval,
    few_units,
    mean_interval,
)
from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.learning.acceptance import learn_acceptance, measured
from ontonym.learning.markedtexts import AcceptanceOptions, document_dataset
from ontonym.tasks.annotation import AnnotateOptions, Annotation, annotate_texts
from ontonym.tasks.annotation.acceptance import Acceptance, default_acceptance
from ontonym.tasks.confidences import SURE
from ontonym.text.counting import count
from ontonym.text.notes.context import CONTEXTS

LEVELS: Mapping[str, str] = MappingProxyType(
    {
        "document": "each concept of a document once",
        "exact": "both ends and the concept",
        "overlapping": "the concept, in an overlapping place",
        "near": "a concept that is near in the hierarchy, in an overlapping place",
        "place": "both ends, whatever the concept",
    }
)
"""What has to be right, by the name of the measure."""

PartsWanted = Literal["all", "any"]

_CONFIDENCES = (
    (SURE, np.inf, f"sure: {SURE:g} or more"),
    (LIKELIER_RIGHT, SURE, f"{LIKELIER_RIGHT:g} to {SURE:g}"),
    (0.0, LIKELIER_RIGHT, f"below {LIKELIER_RIGHT:g}"),
)
_DECAY = 60.0  # chosen on train splits


@dataclass(frozen=True, slots=True)
class AnnotationEvaluationOptions:
    """What is judged: mentions in none of the contexts ``except_``; ``steps`` is the distance that counts as near.

    ``types`` keeps only gold mentions of these types, ``resamples`` are those of the bootstrap. ``composite`` says what
    a gold mention of several concepts wants of its document: ``all`` of them, or ``any``, as where they are the codes
    of one concept in several terminologies.
    """

    except_: tuple[str, ...] = ()
    steps: int = 1
    types: tuple[str, ...] = ()
    resamples: int = 2_000
    composite: PartsWanted = "all"

    def __post_init__(self) -> None:
        if self.composite not in get_args(PartsWanted):
            raise UnknownNameError("composite rule", self.composite, get_args(PartsWanted))
        for context in self.except_:
            if context not in CONTEXTS:
                raise UnknownNameError("context", context, CONTEXTS)


@dataclass(frozen=True, slots=True)
class Placed:
    """A mention of a document by its place, with the acceptable sets of ids, one for each concept it names; of one that
    was found, the ``confidence`` in [0, 1], the lowest of several."""

    start: int
    end: int
    parts: tuple[frozenset[str], ...]
    confidence: float = 1.0

    @property
    def ids(self) -> frozenset[str]:
        """Every id."""
        return frozenset().union(*self.parts)

    def meets(self, other: Placed) -> bool:
        """Whether both have a character in common."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """A document with the gold mentions and those found, as they are judged."""

    id: str
    text: str
    gold: tuple[Placed, ...]
    found: tuple[Placed, ...]


@dataclass(slots=True)
class _Outcomes:
    right: list[bool] = field(default_factory=list)
    right_in: list[str] = field(default_factory=list)
    reached: list[bool] = field(default_factory=list)
    reached_in: list[str] = field(default_factory=list)

    def add(self, document: str, right: Collection[bool], reached: Collection[bool]) -> None:
        self.right += right
        self.right_in += [document] * len(right)
        self.reached += reached
        self.reached_in += [document] * len(reached)

    def figures(self, bootstrap: BootstrapOptions) -> tuple[Interval, Interval, Interval]:
        """Precision, recall, and F1, their harmonic mean."""
        outcomes, rows = self.right + self.reached, clusters(self.right_in + self.reached_in, bootstrap)
        found = np.arange(len(outcomes)) < len(self.right)
        return (
            _mean(self.right, self.right_in, bootstrap),
            _mean(self.reached, self.reached_in, bootstrap),
            f1_interval(np.asarray(outcomes, dtype=np.float64), found, rows, bootstrap),
        )


def _mean(outcomes: Sequence[bool], documents: Sequence[str], bootstrap: BootstrapOptions) -> Interval:
    if not outcomes:
        return Interval(0.0, 0.0, 1.0)
    return mean_interval(np.asarray(outcomes, dtype=np.float64), clusters(documents, bootstrap), bootstrap)


def judged_documents(
    index: Index,
    documents: Sequence[GoldDocument],
    options: AnnotateOptions,
    judging: AnnotationEvaluationOptions,
    *,
    jobs: int = 1,
) -> Iterator[JudgedDocument]:
    """Each document annotated, beside its gold mentions that have a place and a concept, by present ids.

    Raises what `annotate` raises.
    """
    within = options.normalize.search.within
    allowed = index.mask(within=within) if within else None

    def is_judged(id_: str) -> bool:
        number = index.find(id_)
        return allowed is None or (number is not None and bool(allowed[number]))

    answers = annotate_texts(index, (document.text for document in documents), options, jobs=jobs)
    for document, found in zip(documents, answers, strict=True):
        yield JudgedDocument(
            document.id,
            document.text,
            tuple(_gold(document, index, is_judged, judging.composite)),
            tuple(_found(found, judging.except_)),
        )


def _gold(
    document: GoldDocument, index: Index, is_judged: Callable[[str], bool], composite: PartsWanted
) -> Iterator[Placed]:
    """The gold mentions with a place and a concept, those in one place as one mention of several concepts."""
    gold: dict[tuple[int, int], dict[frozenset[str], None]] = {}
    for one in document.mentions:
        start, end = one.mention.start, one.mention.end
        if start is None or end is None:
            continue
        parts = [frozenset(index.resolve(id_) or id_ for id_ in part) for part in one.parts]
        kept = [part for part in parts if part and any(map(is_judged, part))]
        if kept:
            wanted = kept if composite == "all" else [frozenset[str]().union(*kept)]
            gold.setdefault((start, end), {}).update(dict.fromkeys(wanted))
    for span, several in gold.items():
        yield Placed(*span, tuple(several))


def _found(annotations: Sequence[Annotation], except_: Collection[str]) -> Iterator[Placed]:
    """What was found, those in one place as one mention of several concepts."""
    found: dict[tuple[int, int], list[tuple[str, float]]] = {}
    for one in annotations:
        if one.id is not None and not set(one.context) & set(except_):
            found.setdefault(one.span, []).append((one.id, one.confidence))
    for span, answers in found.items():
        yield Placed(*span, tuple(frozenset([id_]) for id_, _ in answers), min(sure for _, sure in answers))


def judge_annotations(
    documents: Sequence[JudgedDocument],
    index: Index,
    options: AnnotationEvaluationOptions = AnnotationEvaluationOptions(),
) -> dict[str, tuple[Interval, Interval, Interval]]:
    """Precision, recall and F1 for each of `LEVELS`, in [0, 1], with intervals from a bootstrap over documents.

    A gold mention of several concepts is right, at the levels of mentions, with any of them.
    """
    outcomes = {level: _Outcomes() for level in LEVELS}
    near = _Nearness(index, options.steps)
    for one in documents:
        spans = {(gold.start, gold.end): gold for gold in one.gold}
        hits = {(found.start, found.end): found for found in one.found}
        outcomes["place"].add(one.id, [span in spans for span in hits], [span in hits for span in spans])
        outcomes["exact"].add(
            one.id,
            [span in spans and bool(spans[span].ids & hit.ids) for span, hit in hits.items()],
            [span in hits and bool(hits[span].ids & gold.ids) for span, gold in spans.items()],
        )
        for level, agrees in (("overlapping", agree), ("near", near.agrees)):
            outcomes[level].add(
                one.id,
                [any(hit.meets(gold) and agrees(hit, gold) for gold in one.gold) for hit in one.found],
                [any(gold.meets(hit) and agrees(hit, gold) for hit in one.found) for gold in one.gold],
            )
        wanted = {part for gold in one.gold for part in gold.parts}
        ids = sorted({id_ for hit in one.found for id_ in hit.ids})
        outcomes["document"].add(
            one.id,
            [any(id_ in part for part in wanted) for id_ in ids],
            [not part.isdisjoint(ids) for part in sorted(wanted, key=sorted)],
        )
    bootstrap = BootstrapOptions(resamples=options.resamples)
    return {level: outcome.figures(bootstrap) for level, outcome in outcomes.items()}


def right_by_confidence(
    documents: Sequence[JudgedDocument], options: AnnotationEvaluationOptions = AnnotationEvaluationOptions()
) -> Table:
    """How many mentions were found with which confidence, and the share of them whose concept is right where they
    overlap gold, with intervals from a bootstrap over documents."""
    found = [(hit, one.id, any(hit.meets(gold) and agree(hit, gold) for gold in one.gold))
             for one in documents for hit in one.found]  # fmt: skip
    bootstrap = BootstrapOptions(resamples=options.resamples)
    rows = []
    for least, below, name in _CONFIDENCES:
        some = [(document, right) for hit, document, right in found if least <= hit.confidence < below]
        share = _mean([right for _, right in some], [document for document, _ in some], bootstrap)
        rows.append((name, len(some), share if some else None))
    return Table("confidence", "Right mentions, by their confidence", ("confidence", "found", "right"), tuple(rows))


def agree(found: Placed, gold: Placed) -> bool:
    """Whether two mentions have a concept in common."""
    return bool(found.ids & gold.ids)


class _Nearness:
    """Whether concepts are near in the hierarchy; pairs are remembered."""

    def __init__(self, index: Index, steps: int) -> None:
        self._index = index
        self._steps = steps
        self._known: dict[tuple[str, str], bool] = {}

    def agrees(self, found: Placed, gold: Placed) -> bool:
        return any(self._near(one, other) for one in found.ids for other in gold.ids)

    def _near(self, one: str, other: str) -> bool:
        if (one, other) not in self._known:
            self._known[one, other] = one == other or self._measured(one, other)
        return self._known[one, other]

    def _measured(self, one: str, other: str) -> bool:
        first, second = self._index.find(one), self._index.find(other)
        if first is None or second is None:
            return False
        terminology, row = self._index.locate(first)
        where, place = self._index.locate(second)
        if terminology is not where:
            return False
        distance = terminology.hierarchy.distance(row, place)
        return distance is not None and distance <= self._steps


def evaluate_annotation(
    index: Index,
    corpora: Sequence[Corpus],
    options: AnnotateOptions = AnnotateOptions(),  # noqa: B008 (frozen)
    judging: AnnotationEvaluationOptions = AnnotationEvaluationOptions(),
    *,
    jobs: int = 1,
) -> tuple[Evaluation, list[JudgedDocument]]:
    """Annotates the texts of gold corpora and judges what is found; also the documents, for `mistake_rows` and a page.

    Raises InputError where no gold mention has a place and a concept, and where the index has none of the gold ids.
    """
    documents = [document for corpus in corpora for document in corpus]
    refuse_foreign_corpora(corpora, index)
    judged = list(judged_documents(index, documents, options, judging, jobs=jobs))
    if not any(one.gold for one in judged):
        names = ", ".join(corpus.path.name for corpus in corpora)
        within = options.normalize.search.within
        limited = f" within {' or '.join(within)}" if within else ""
        raise InputError(f"{names}: no gold mention has a place in the text and a concept{limited}: nothing to find")
    figures = judge_annotations(judged, index, judging)
    bootstrap = BootstrapOptions(resamples=judging.resamples)
    about = _about(judged, index, options, judging)
    rows = tuple((level, LEVELS[level], *three) for level, three in figures.items())
    columns = ("level", "what has to be right", "precision", "recall", "F1")
    by_confidence = right_by_confidence(judged, judging)
    tables = (Table("annotation", "Mentions found in texts", columns, rows), by_confidence)
    shape = {
        "protocol": {
            "about": list(about),
            "find": options.find,
            "except": list(judging.except_),
            "composite": judging.composite,
        },
        "n": sum(len(one.gold) for one in judged),
        "found": sum(len(one.found) for one in judged),
        "measures": {
            f"{level}_{name}": figure.to_dict()
            for level, three in figures.items()
            for name, figure in zip(("precision", "recall", "f1"), three, strict=True)
        },
        "by_confidence": [
            {"confidence": name, "n": number, "right": right.to_dict() if isinstance(right, Interval) else None}
            for name, number, right in by_confidence.rows
        ],
    }
    return Evaluation(Results("Annotation", about, tables), shape, bootstrap), judged


def _about(
    judged: Sequence[JudgedDocument], index: Index, options: AnnotateOptions, judging: AnnotationEvaluationOptions
) -> tuple[str, ...]:
    """The data, the protocol and the intervals in words."""
    gold, found = sum(len(one.gold) for one in judged), sum(len(one.found) for one in judged)
    learned = "nothing learned from a corpus" if options.acceptance is None else "acceptance learned from documents"
    return (
        f"{count(len(judged), 'document')}, {count(gold, 'gold mention')} with a place and a concept, {found:,} found; "
        f"{index.name}; find={options.find}; names of the index only; {learned}",
        f"mentions left out: {', '.join(judging.except_) or 'none'}; "
        f"within: {', '.join(options.normalize.search.within) or 'everything'}; near: {count(judging.steps, 'step')}; "
        f"of several concepts of a gold mention a document has to have: {judging.composite}",
        BootstrapOptions(resamples=judging.resamples).caption(),
        *few_units(len(judged), "document"),
    )


def learned_acceptance(
    index: Index,
    corpora: Sequence[Corpus],
    options: AnnotateOptions,
) -> Acceptance:
    """Acceptance learned from annotated documents: what is a likely mention there. It begins with that of the package.

    Where the options ask for a precision or recall, it is also measured on the documents, each half by the other.

    Raises InputError if nothing in them is one, or everything is, and where the options find no likely mentions.
    """
    if not options.spans.finds_likely:
        raise InputError(f"what is learned is for likely mentions, and `find={options.find}` finds none")
    learning = AcceptanceOptions(decay=_DECAY)
    texts = (
        (document.text, [
            (one.mention.start, one.mention.end, one.ids)
            for one in document.mentions
            if one.mention.start is not None and one.mention.end is not None
        ])
        for corpus in corpora
        for document in corpus
    )  # fmt: skip
    dataset, prior = document_dataset(index, texts, options.normalize.search), default_acceptance()
    learned = learn_acceptance(dataset.examples(learning), dataset.characters, learning, without=(), prior=prior)
    if options.precision is None and options.recall is None:
        return learned
    return replace(learned, measured=measured([dataset], learning, without=(), prior=prior))
