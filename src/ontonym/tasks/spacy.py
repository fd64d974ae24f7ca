"""The spaCy component ``ontonym``: gives the entities that a pipeline found their concepts.

spaCy finds it through the entry point group ``spacy_factories``. It is the only module of ontonym that imports spaCy,
and no other module imports it.
"""

# Annotations are not postponed here: spaCy checks a config against the factory's, and 3.8.2 does not resolve names.
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.scorer import Scorer
from spacy.tokens import Doc, Span
from spacy.training import Example

from ontonym.errors import InputError
from ontonym.index.open import Index, IndexPlace
from ontonym.tasks import carried
from ontonym.tasks.annotate import AnnotateOptions, annotate_texts
from ontonym.tasks.normalize import Normalization, NormalizeOptions, normalize
from ontonym.tasks.search import SearchOptions
from ontonym.text.context import contexts
from ontonym.types import Correction, Hit, Mention, Reason

NIL = "NIL"
"""The id of an entity that no concept fits, as in spaCy's own entity linker."""


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """How the component links entities.

    ``index`` is the path of the index. Entities with one of ``labels`` are linked, all if it is empty. ``overwrite``:
    link entities that already have an id other than `NIL` too. ``copy_index``: a saved pipeline contains the index, its
    terminologies and its encoder; otherwise it records the path. ``normalize`` says how concepts are found. ``find``:
    also make entities of what `annotate` finds in the text, where the pipeline has none; their label is the type that
    `AnnotateOptions` describes.
    """

    index: str
    labels: tuple[str, ...] = ()
    overwrite: bool = True
    copy_index: bool = False
    normalize: NormalizeOptions = field(default_factory=NormalizeOptions)
    find: bool = False

    def __post_init__(self) -> None:
        if not self.index:
            raise InputError(
                "the component ontonym needs an index, which `build_index()` makes: "
                'nlp.add_pipe("ontonym", config={"index": "hp.index"})'
            )


class ConceptLinker(Pipe):
    """Gives each entity of a document the id of its concept, or `NIL` below the threshold of `NormalizeOptions`.

    Sets ``ent.kb_id_``; ``ent._.kb_ents``, the ids and confidences, in [0, 1], of the concepts at or above the
    threshold, best first, none for `NIL`; ``ent._.ontonym``, the `Normalization` with all candidates, None for an
    entity that was not linked; and ``ent._.ontonym_context``, how the text speaks of it (`CONTEXTS`), with
    ``ent._.ontonym_negated``.
    """

    def __init__(self, name: str, options: LinkOptions) -> None:
        self.name = name
        self.options = options
        self._labels = frozenset(options.labels)
        self._place = IndexPlace(Path(options.index))
        self._index: Index | None = None
        for attribute, (getter, setter) in _ATTRIBUTES.items():
            if not Span.has_extension(attribute):
                Span.set_extension(attribute, getter=getter, setter=setter)

    @property
    def index(self) -> Index:
        """The index, opened at first use.

        Raises ArtifactError if there is none, UnknownNameError or UnknownIdError for an unknown filter, InputError for
        a precision that it cannot promise.
        """
        if self._index is None:
            opened = self._place.open()
            how = self.options.normalize.search
            opened.mask(within=how.within, tags=how.tags, terminologies=how.terminologies)
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
        if self.options.find:
            self._find(self._index, docs)
        asked = [pair for doc in docs for pair in self._mentions(doc)]
        answers = normalize(self._index, (mention for _, mention in asked), self.options.normalize)
        least = self.options.normalize.least(self._index)
        for (span, _), answer in zip(asked, answers, strict=True):
            for token in span:
                token.ent_kb_id_ = answer.id or NIL
            span._.ontonym = answer
            span._.kb_ents = [(hit.id, hit.confidence) for hit in answer.candidates if hit.confidence >= least]
        for doc in docs:
            spans = doc.ents
            said = contexts(doc.text, [(span.start_char, span.end_char) for span in spans])
            for span, context in zip(spans, said, strict=True):
                span._.ontonym_context = context

    def _find(self, index: Index, docs: Sequence[Doc]) -> None:
        """Gives the documents the entities that are found where they have none."""
        how = self.options.normalize
        options = AnnotateOptions(replace(how.answering_all(), composites=False), context=False)
        for doc, found in zip(docs, annotate_texts(index, (doc.text for doc in docs), options), strict=True):
            taken = {token.i for span in doc.ents for token in span}
            spans = list(doc.ents)
            for one in found:
                span = doc.char_span(*one.span, label=one.mention.type or "ONTONYM", alignment_mode="expand")
                if span is not None and taken.isdisjoint(token.i for token in span):
                    taken.update(token.i for token in span)
                    spans.append(span)
            doc.ents = tuple(spans)

    def _mentions(self, doc: Doc) -> Iterator[tuple[Span, Mention]]:
        text = doc.text
        for span in doc.ents:
            wanted = not self._labels or span.label_ in self._labels
            if wanted and (self.options.overwrite or span.kb_id_ in ("", NIL)):
                yield span, _mention(span, passage=text)

    # Saving -------------------------------------------------------------------------------------------------------

    def to_disk(self, path: Path | str, *, exclude: Sequence[str] = ()) -> None:
        """Records where the index is, or copies it (``copy_index``); the options are in the pipeline's own config."""
        copy = self.options.copy_index
        carried.save(self.index, self._place, self.options.index, Path(path), copy=copy)

    def from_disk(self, path: Path | str, *, exclude: Sequence[str] = ()) -> Self:
        """Opens the index that was recorded or copied, unless the given config names another one.

        Raises ArtifactError if it is gone.
        """
        return self._from(carried.load(self.options.index, Path(path)))

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """A record of the index's path; the index itself is only written to disk."""
        return carried.Note(self.options.index, str(self._place.path.resolve())).to_bytes()

    def from_bytes(self, data: bytes, *, exclude: Sequence[str] = ()) -> Self:
        """Opens the index that was recorded, unless the given config names another one."""
        return self._from(carried.recall(self.options.index, data))

    def _from(self, place: IndexPlace | None) -> Self:
        if place is not None and place != self._place:
            self._place, self._index = place, None
        _ = self.index  # errors in the index appear here, not at the first document
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.name, self.options, vars(self) | {"_index": None})


def _restored(name: str, options: LinkOptions, state: dict[str, Any]) -> ConceptLinker:
    """The component in another process, or its copy: each opens the index itself, and all share its memory pages."""
    linker = ConceptLinker(name, options)
    vars(linker).update(state)
    return linker


_LINK, _NORMALIZE, _SEARCH = LinkOptions("any"), NormalizeOptions(), SearchOptions()


@Language.factory(
    "ontonym",
    requires=["doc.ents"],
    assigns=["token.ent_kb_id", "span._.kb_ents", "span._.ontonym", "span._.ontonym_context", "span._.ontonym_negated"],
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
    linker = ConceptLinker(name, LinkOptions(index, tuple(labels), overwrite, copy_index, options, find))
    linked = nlp.meta.setdefault("ontonym", {})
    if name not in linked:
        linked[name] = linker.index.name
    return linker


# Span attributes: plain values in the document's user data, so that documents go to bytes and to other processes ------

_HIT_FIELDS = tuple(one.name for one in fields(Hit))


def _mention(span: Span, passage: str = "") -> Mention:
    return Mention(span.text, start=span.start_char, end=span.end_char, type=span.label_, passage=passage)


def _stored(span: Span, attribute: str) -> Any:
    """The stored value, or None."""
    user_data: dict[Any, Any] = span.doc.user_data
    return user_data.get(("._.", attribute, span.start_char, span.end_char))


def _store(span: Span, attribute: str, value: Any) -> None:
    """Stores a value under the key that spaCy itself uses, so that it moves with spans."""
    user_data: dict[Any, Any] = span.doc.user_data
    user_data["._.", attribute, span.start_char, span.end_char] = value


def _kb_ents(span: Span) -> list[tuple[str, float]]:
    return [(concept, confidence) for concept, confidence in _stored(span, "kb_ents") or ()]


def _set_kb_ents(span: Span, value: Iterable[tuple[str, float]]) -> None:
    _store(span, "kb_ents", list(value))


def _answer(span: Span) -> Normalization | None:
    kept = _stored(span, "ontonym")
    if kept is None:
        return None
    candidates = tuple(_hit(values) for values in kept["candidates"])
    return Normalization(_mention(span), kept["id"], kept["confidence"], candidates)


def _set_answer(span: Span, answer: Normalization) -> None:
    candidates = [_values(hit) for hit in answer.candidates]
    _store(span, "ontonym", {"id": answer.id, "confidence": answer.confidence, "candidates": candidates})


def _values(hit: Hit) -> dict[str, Any]:
    values = {name: getattr(hit, name) for name in _HIT_FIELDS}
    reason = hit.reason
    return values | {
        "signals": dict(hit.signals),
        "ambiguous": list(hit.ambiguous),
        "equivalents": list(hit.equivalents),
        "reason": [reason.rule, reason.detail, list(reason.changes), str(reason.correction), reason.negated],
    }


def _hit(values: dict[str, Any]) -> Hit:
    rule, detail, changes, *rest = values["reason"]  # documents saved by earlier versions have no more
    correction = Correction(rest[0]) if rest else Correction.NONE
    reason = Reason(rule, detail, tuple(changes), correction, negated=len(rest) > 1 and bool(rest[1]))
    names = ("ambiguous", "equivalents")
    given = {"reason": reason, **{name: tuple(values.get(name, ())) for name in names}}
    return Hit(**(values | given))


def _context(span: Span) -> tuple[str, ...]:
    return tuple(_stored(span, "ontonym_context") or ())


def _set_context(span: Span, value: Iterable[str]) -> None:
    _store(span, "ontonym_context", list(value))


def _negated(span: Span) -> bool:
    return "negated" in _context(span)


def _not_set(span: Span, value: Any) -> None:
    raise AttributeError("ontonym_negated follows from ontonym_context: set that")


_ATTRIBUTES: dict[str, tuple[Callable[[Span], Any], Callable[[Span, Any], None]]] = {
    "kb_ents": (_kb_ents, _set_kb_ents),
    "ontonym": (_answer, _set_answer),
    "ontonym_context": (_context, _set_context),
    "ontonym_negated": (_negated, _not_set),
}
