"""The spaCy component ``ontonym``: gives the entities that a pipeline found their concepts.

spaCy finds it through the entry point group ``spacy_factories``. It and `ontonym.tasks.spacy.spanattributes` are the
only modules of ontonym that import spaCy, and no module outside this folder imports them.
"""

# Annotations are not postponed here: spaCy checks a config against the factory's, and 3.8.2 does not resolve names.
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeAlias

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.scorer import Scorer
from spacy.tokens import Doc, Span
from spacy.training import Example

from ontonym.errors import InputError
from ontonym.index.open import Index, IndexPlace
from ontonym.tasks.annotation import AnnotateOptions, Annotation, annotate_texts
from ontonym.tasks.annotation.annotating import contexts_and_sections
from ontonym.tasks.answer import Normalization, NormalizeOptions, together
from ontonym.tasks.duplicates import named_confidence
from ontonym.tasks.jobs import SameWork
from ontonym.tasks.normalize import normalize
from ontonym.tasks.search import SearchOptions, allowed_by
from ontonym.tasks.spacy import pipelineindex
from ontonym.tasks.spacy.spanattributes import mention_of, register, set_around
from ontonym.types import NIL, Mention

GROUP = "ontonym"
"""The span group that has all mentions found, nested ones too."""

NESTED = "NESTED"
"""The id of a nested mention until it is linked."""

_NOTHING_TO_LINK = (
    "the component ontonym links entities, and no component before it finds any: add one that does, or let this one "
    'find them: config={"index": …, "find": True}'
)

_Place: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """How the component links entities.

    ``index`` is the path of the index. Entities with one of ``labels`` are linked, all if it is empty. ``overwrite``:
    link entities that already have an id other than `NIL` too. ``copy_index``: a saved pipeline contains the index, its
    terminologies and its encoder; otherwise it records the path. ``normalize`` says how concepts are found. ``find``:
    also make entities of what `annotate` finds in the text, where the pipeline has none, with its answers; their label
    is the type that `AnnotateOptions` describes. ``nested``: what it finds in longer mentions, or overlapping them,
    goes with all others into the span group ``ontonym`` (`Doc.spans`), since entities cannot overlap.
    """

    index: str
    labels: tuple[str, ...] = ()
    overwrite: bool = True
    copy_index: bool = False
    normalize: NormalizeOptions = field(default_factory=NormalizeOptions)
    find: bool = False
    nested: bool = False

    def __post_init__(self) -> None:
        if self.nested and not self.find:
            raise InputError("`nested` gives more of what `find` finds: set both")
        if not self.index:
            raise InputError(
                "the component ontonym needs an index, which `build_index()` makes: "
                'nlp.add_pipe("ontonym", config={"index": "hp.index"})'
            )


class ConceptLinker(Pipe):
    """Gives each entity of a document the id of its concept, or `NIL` below the threshold of `NormalizeOptions`.

    Sets ``ent.kb_id_``; ``ent._.kb_ents``, the ids and confidences, in [0, 1], of the concepts at or above the
    threshold, best first, none for `NIL`; ``ent._.ontonym``, the `Normalization` with all candidates, None for an
    entity that was not linked; ``ent._.ontonym_context``, how the text speaks of it (`CONTEXTS`), with
    ``ent._.ontonym_negated``; and ``ent._.ontonym_section``, the heading above it. ``ent._.ontonym_runner_up`` is the
    `Hit` after the one given, or None. Where medspaCy's attributes of entities are registered, those of
    the context are set too.
    """

    def __init__(self, name: str, options: LinkOptions) -> None:
        self.name = name
        self.options = options
        self._labels = frozenset(options.labels)
        self._place = IndexPlace(Path(options.index).expanduser())
        self._index: Index | None = None
        self._finding: tuple[Index, SameWork] | None = None
        self.is_alone = False
        """Whether no component before this one finds entities, which a warning then says at the first texts."""
        register()

    @property
    def index(self) -> Index:
        """The index, opened at first use.

        Raises ArtifactError if there is none, UnknownNameError or UnknownIdError for an unknown filter, InputError for
        a precision that it cannot promise.
        """
        if self._index is None:
            opened = self._place.open()
            allowed_by(opened, self.options.normalize.search)
            opened.mask(tags=self.options.normalize.expected)
            self.options.normalize.least(opened)
            self._index, self._place = opened, self._place.resolved()
        return self._index

    def __call__(self, doc: Doc) -> Doc:
        """The document, with its entities linked."""
        self._link([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """The documents in order, linked in batches: equal entities of a batch are looked up once."""
        handle = self.get_error_handler()
        waiting = iter(stream)
        while docs := list(islice(waiting, batch_size)):
            try:
                self._link(docs)
            except Exception as error:
                handle(self.name, self, docs, error)
            else:
                yield from docs

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Precision, recall and F of the ids of the entities that gold has too, as ``nel_micro_p`` and so on."""
        return Scorer.score_links(examples, negative_labels=[NIL], **kwargs)

    def _link(self, docs: Iterable[Doc]) -> None:
        docs = list(docs)
        self._index = self.index.refreshed()  # a pipeline stays open for long: terms may have been added
        found = self._find(self._index, docs) if self.options.find else {}
        how = self.options.normalize
        least = how.least(self._index)
        if self.is_alone and not any(doc.ents for doc in docs):
            warnings.warn(_NOTHING_TO_LINK, stacklevel=3)
        self.is_alone = False
        asked = [pair for doc in docs for pair in self._mentions(doc)]
        given = [mention for span, mention in asked if _place(span) not in found]
        answers = normalize(self._index, given, how)
        for span, mention in asked:
            some = found.get(_place(span))
            answer = self._answered(mention, some, least) if some else next(answers)
            for token in span if span.kb_id_ != NESTED else ():
                token.ent_kb_id_ = answer.id or NIL
            span._.ontonym = answer
            span._.kb_ents = [(hit.id, hit.confidence) for hit in answer.candidates if hit.confidence >= least]
        for doc in docs:
            if self.options.nested:
                doc.spans[GROUP] = [
                    Span(doc, one.start, one.end, label=one.label_, kb_id=(one._.ontonym and one._.ontonym.id) or NIL)
                    for one in doc.spans[GROUP]
                ]
            self._set_context(doc)

    def _answered(self, mention: Mention, found: Sequence[Annotation], least: float) -> Normalization:
        """The answer for a mention that was found: in parts where its place is that of several."""
        how = self.options.normalize
        by_default = how.threshold is None and how.precision is None
        answers = []
        for one in found:
            reached = named_confidence(one.candidates) if by_default else one.confidence
            id_ = one.id if reached >= least else None
            answers.append(Normalization(mention, id_, one.confidence, one.candidates))
        if len(answers) == 1:
            return answers[0]
        parts = [replace(one, mention=Mention(_named(found[place]))) for place, one in enumerate(answers)]
        return together(answers[0], tuple(parts), how.search.k)

    @staticmethod
    def _set_context(doc: Doc) -> None:
        """Says of each entity and nested mention how the text speaks of it, and its section."""
        spans = sorted({*doc.ents, *doc.spans.get(GROUP, ())}, key=lambda span: (span.start_char, -span.end_char))
        around = contexts_and_sections(doc.text, [(span.start_char, span.end_char) for span in spans])
        for span, (context, section) in zip(spans, around, strict=True):
            set_around(span, context, section)

    def _find(self, index: Index, docs: Sequence[Doc]) -> dict[_Place, list[Annotation]]:
        """Gives the documents the entities that are found where they have none.

        What it returns is what was found by place: several where members of an enumeration share words.
        """
        how = self.options.normalize
        options = AnnotateOptions(replace(how.answering_all(), composites=False), nested=self.options.nested)
        if self._finding is None or self._finding[0] is not index:
            self._finding = index, SameWork()  # what it learns of one text serves the next
        texts = (doc.text for doc in docs)
        placed: dict[_Place, list[Annotation]] = {}
        for doc, found in zip(docs, annotate_texts(index, texts, options, jobs=self._finding[1]), strict=True):
            taken = {token.i for span in doc.ents for token in span}
            spans, nested = list(doc.ents), []
            for one in found:
                label, id_ = one.mention.type or "ONTONYM", NESTED if one.nested else ""
                span = doc.char_span(*one.span, label=label, kb_id=id_, alignment_mode="expand")
                if span is None:
                    continue
                placed.setdefault(_place(span), []).append(one)
                if one.nested:
                    nested.append(span)
                    continue
                if taken.isdisjoint(token.i for token in span):
                    taken.update(token.i for token in span)
                    spans.append(span)
            doc.ents = tuple(spans)
            if self.options.nested:
                places = {(span.start, span.end) for span in doc.ents}
                others = [span for span in nested if (span.start, span.end) not in places]
                doc.spans[GROUP] = sorted((*doc.ents, *others), key=lambda span: (span.start, -span.end))
        return placed

    def _mentions(self, doc: Doc) -> Iterator[tuple[Span, Mention]]:
        text = doc.text
        nested = [span for span in doc.spans.get(GROUP, ()) if span.kb_id_ == NESTED]
        for span in (*doc.ents, *nested):
            wanted = not self._labels or span.label_ in self._labels
            if wanted and (self.options.overwrite or span.kb_id_ in ("", NIL, NESTED)):
                yield span, mention_of(span, passage=text)

    # Saving -------------------------------------------------------------------------------------------------------

    def to_disk(self, path: Path | str, *, exclude: Sequence[str] = ()) -> None:
        """Records where the index is, or copies it (``copy_index``); the options are in the pipeline's own config."""
        copy = self.options.copy_index
        pipelineindex.save(self.index, self._place, self.options.index, Path(path), copy=copy)

    def from_disk(self, path: Path | str, *, exclude: Sequence[str] = ()) -> Self:
        """Opens the index that was recorded or copied, unless the given config names another one.

        Raises ArtifactError if it is gone.
        """
        return self._from(pipelineindex.load(self.options.index, Path(path)))

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """A record of the index's path; the index itself is only written to disk."""
        return pipelineindex.Note(self.options.index, str(self._place.path.resolve())).to_bytes()

    def from_bytes(self, data: bytes, *, exclude: Sequence[str] = ()) -> Self:
        """Opens the index that was recorded, unless the given config names another one."""
        return self._from(pipelineindex.recall(self.options.index, data))

    def _from(self, place: IndexPlace | None) -> Self:
        if place is not None and place != self._place:
            self._place, self._index = place, None
        _ = self.index  # errors in the index appear here, not at the first document
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.name, self.options, vars(self) | {"_index": None, "_finding": None})


def _place(span: Span) -> _Place:
    """A span's document, start and end."""
    return id(span.doc), span.start_char, span.end_char


def _named(one: Annotation) -> str:
    """The name that an annotation matched, or its own words."""
    return one.candidates[0].matched if one.candidates else one.text


def _restored(name: str, options: LinkOptions, state: dict[str, Any]) -> ConceptLinker:
    """The component in another process, or its copy: each opens the index itself, and all share its memory pages."""
    linker = ConceptLinker(name, options)
    vars(linker).update(state)
    return linker


_LINK, _NORMALIZE, _SEARCH = LinkOptions("any"), NormalizeOptions(), SearchOptions()


@Language.factory(
    "ontonym",
    requires=["doc.ents"],
    assigns=[
        "token.ent_kb_id",
        "span._.kb_ents",
        "span._.ontonym",
        "span._.ontonym_context",
        "span._.ontonym_negated",
        "span._.ontonym_section",
        "span._.ontonym_runner_up",
        "doc.spans",
    ],
    default_config={
        "index": "",
        "threshold": _NORMALIZE.threshold,
        "precision": _NORMALIZE.precision,
        "k": _SEARCH.k,
        "strategy": _SEARCH.strategy,
        "signal": _SEARCH.signal,
        "within": list(_SEARCH.within),
        "tags": list(_SEARCH.tags),
        "terminologies": list(_SEARCH.terminologies),
        "abbreviations": _NORMALIZE.abbreviations,
        "document": _NORMALIZE.document,
        "expected": list(_NORMALIZE.expected),
        "labels": list(_LINK.labels),
        "overwrite": _LINK.overwrite,
        "copy_index": _LINK.copy_index,
        "find": _LINK.find,
        "nested": _LINK.nested,
    },
)
def make_linker(
    nlp: Language,
    name: str,
    index: str,
    threshold: float | None,
    precision: float | None,
    k: int,
    strategy: str,
    signal: str,
    within: list[str],
    tags: list[str],
    terminologies: list[str],
    abbreviations: bool,
    document: bool,
    expected: list[str],
    labels: list[str],
    overwrite: bool,
    copy_index: bool,
    find: bool,
    nested: bool,
) -> ConceptLinker:
    """Creates the component from its config: the fields of `SearchOptions`, `NormalizeOptions` and `LinkOptions`.

    An entity has one id, so composites stay whole. The index is opened at once, so that errors appear here; in a
    pipeline that is being loaded, after the component's own folder has given the index's place.
    """
    how = SearchOptions(
        k=k, strategy=strategy, signal=signal,
        within=tuple(within), tags=tuple(tags), terminologies=tuple(terminologies),
    )  # fmt: skip
    options = NormalizeOptions(
        threshold=threshold, precision=precision, abbreviations=abbreviations, document=document,
        expected=tuple(expected), search=how, composites=False,
    )  # fmt: skip
    linking = LinkOptions(
        index=index, labels=tuple(labels), overwrite=overwrite, copy_index=copy_index, normalize=options,
        find=find, nested=nested,
    )  # fmt: skip
    linker = ConceptLinker(name, linking)
    finding = (one for one in nlp.pipe_names if {"doc.ents", "token.ent_iob"} & {*nlp.get_pipe_meta(one).assigns})
    linker.is_alone = not find and next(finding, None) is None
    linked = nlp.meta.setdefault("ontonym", {})
    if name not in linked:
        linked[name] = linker.index.name
    return linker
