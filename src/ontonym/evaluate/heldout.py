"""Held-out synonyms: hides some of a terminology's own names, then searches for them and their concepts."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.corpora import GoldDocument, GoldMention
from ontonym.evaluate.indexes import chosen_signals, encoder_note, normalizer
from ontonym.evaluate.measures import HELD_OUT_MEASURES, Protocol, Resolve, overlap_degree, overlap_interval
from ontonym.evaluate.normalization import NormalizationReport, Normalize, answer_mentions, judge
from ontonym.evaluate.normalizationruns import NormalizationRuns
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.index import build_index, open_index
from ontonym.learning.unseen import names_digest, unseen_digest
from ontonym.manifest import MANIFEST
from ontonym.ontology.batch import Batch, batches_of
from ontonym.ontology.formats import read_release
from ontonym.ranges import check_seed
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.types import KINDS, Advance, Concept, Mention, Progress, Term, no_progress, staged


def case_key(text: str) -> str:
    """Text without case and extra spaces: two names of a concept that are equal in it are the same."""
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True)
class HoldOutOptions:
    """Which names are hidden: about ``fraction`` of the exact synonyms, chosen by a hash of seed, concept id and text.

    So the choice does not depend on the order of the concepts or on other names. ``language`` limits the hidden names
    to one language (a BCP 47 tag), ``kind`` to one kind (``lay``: what patients say); empty means any.
    """

    fraction: float = 0.1
    seed: int = 1
    language: str = ""
    kind: str = ""

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if not 0 < self.fraction <= 1:
            raise InputError(f"the held-out fraction must be above 0 and at most 1, not {self.fraction}")
        if self.kind and self.kind not in HIDDEN_KINDS:
            raise UnknownNameError("kind of names", self.kind, HIDDEN_KINDS)


HIDDEN_KINDS = tuple(kind for kind in KINDS if kind not in ("preferred", "fsn"))
"""The kinds of names that may be hidden."""


@dataclass(frozen=True, slots=True)
class HiddenName:
    """A hidden name and its concept; ``overlap`` is its overlap degree with the concept's remaining names."""

    text: str
    concept_id: str
    overlap: float = 0.0


class HeldOutSynonyms:
    """Takes names out of a stream of concepts: ``reduce`` yields the concepts without them, ``queries`` collects them.

    Only active exact synonyms of active concepts are candidates (``eligible`` counts them); preferred terms and fully
    specified names are always kept. A name that equals another name of the same concept under ``key`` is no candidate,
    as it would still be present. ``queries`` is complete when ``reduce`` has been read to its end.
    """

    def __init__(self, options: HoldOutOptions | None = None, *, key: Callable[[str], str] = case_key) -> None:
        self.options = options or HoldOutOptions()
        self.key = key
        self.queries: list[HiddenName] = []
        self.eligible = 0

    def reduce(self, concepts: Iterable[Concept]) -> Iterator[Concept]:
        """The concepts in order without their hidden names; resets ``queries``."""
        self.queries = []
        self.eligible = 0
        for concept in concepts:
            hidden = self._hidden(concept)
            if hidden:
                left = tuple(term for term in concept.terms if term not in hidden)
                labels = [term.text for term in left if term.status == "active"]
                self.queries += [
                    HiddenName(term.text, concept.id, overlap_degree(term.text, labels)) for term in hidden
                ]
                concept = replace(concept, terms=left)  # noqa: PLW2901
            yield concept

    def _hidden(self, concept: Concept) -> list[Term]:
        if concept.status != "active":
            return []
        times = Counter(self.key(term.text) for term in concept.terms)
        candidates = [
            term for term in concept.terms[1:] if self._is_candidate(term) and times[self.key(term.text)] == 1
        ]
        self.eligible += len(candidates)
        return [term for term in candidates if self._draw(concept.id, term.text) < self.options.fraction]

    def _is_candidate(self, term: Term) -> bool:
        return (
            (term.kind == self.options.kind if self.options.kind else term.kind in HIDDEN_KINDS)
            and term.scope == "exact"
            and term.status == "active"
            and self.options.language in ("", term.language)
        )

    def _draw(self, concept_id: str, text: str) -> float:
        """A number in [0, 1) that is the same on every machine and in every run."""
        name = f"{self.options.seed}\t{concept_id}\t{text}".encode()
        return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big") / 2**64


def evaluate_held_out(
    queries: Sequence[HiddenName],
    normalize: Normalize,
    protocol: Protocol,
    *,
    resolve: Resolve = lambda id_: id_,
    bootstrap: BootstrapOptions | None = None,
    progress: Advance | None = None,
) -> NormalizationReport:
    """The report of searching hidden names: Hits@1, Hits@10 and MRR with intervals, also by overlap degree.

    The bootstrap draws concepts, each with all its hidden names (``unit`` says ``concept``), unless the options ask for
    mentions. ``protocol.ambiguity`` says how a name that other concepts also have is judged.
    """
    documents = (
        GoldDocument(
            query.concept_id,
            query.text,
            (
                GoldMention(
                    Mention(query.text, str(row), query.concept_id, type=overlap_interval(query.overlap)),
                    (frozenset({query.concept_id}),),
                ),
            ),
        )
        for row, query in enumerate(queries)
    )
    answers = answer_mentions(documents, normalize, depth=protocol.depth, progress=progress)
    return judge(
        answers, protocol, resolve=resolve, measures=HELD_OUT_MEASURES, bootstrap=bootstrap, unit_name="concept"
    )


# From a release to figures -----------------------------------------------------------------------------------------


def hidden_names(release: Sequence[Path | str], options: HoldOutOptions = HoldOutOptions()) -> list[HiddenName]:
    """The names to hide of a release, or of a terminology's folder. Raises InputError if the options hide none."""
    held_out = HeldOutSynonyms(options)
    with _opened(release) as whole:
        for _ in held_out.reduce(whole.concepts()):
            pass
    return _some(held_out)


def evaluate_hidden_names(
    release: Sequence[Path | str],
    options: HoldOutOptions,
    *,
    encoder: str,
    signals: Sequence[str],
    resamples: int,
    progress: Progress = no_progress,
) -> NormalizationRuns:
    """Hides names of a release or a terminology's folder, indexes the rest, and searches for them by each signal.

    Raises InputError if the options hide none.
    """
    held_out = HeldOutSynonyms(options)
    with tempfile.TemporaryDirectory(prefix="ontonym-") as folder:
        reduced, made = Path(folder) / "reduced.terminology", Path(folder) / "reduced.index"
        with _opened(release) as whole:
            build_terminology(_Reduced(whole, held_out), reduced, progress=staged(progress, "hiding synonyms"))
        names = _some(held_out)
        with open_terminology(reduced) as terminology:
            build_index([terminology], made, encoder=encoder, progress=progress)
            protocol = _protocol(terminology, held_out)
        with open_index(made, encoder=encoder) as index:
            reports = {}
            for signal in chosen_signals(signals):
                search = SearchOptions(k=protocol.depth, signal=signal)
                reports[signal] = evaluate_held_out(
                    names,
                    normalizer(index, NormalizeOptions(composites=False, search=search)),
                    protocol,
                    resolve=index.resolve,
                    bootstrap=BootstrapOptions(resamples=resamples),
                    progress=staged(progress, f"searching, {signal}", len(names)),
                )
            note = encoder_note(index)
    title = f"Hidden synonyms of {', '.join(Path(one).name for one in release)}"
    if unseen_digest(encoder) == names_digest(name.text for name in names):
        return NormalizationRuns(
            reports, title, (f"note: the encoder {encoder} was trained without the hidden names", note)
        )
    warning = (
        f"warning: the encoder {encoder} may have seen the hidden names in training, so dense and fused figures may be "
        "too high"
    )
    return NormalizationRuns(reports, title, (note,), warning=warning)


def _protocol(terminology: Terminology, held_out: HeldOutSynonyms) -> Protocol:
    options, hidden = held_out.options, len(held_out.queries)
    return Protocol(
        data=f"{terminology.name} exact {f'{options.kind} ' * bool(options.kind)}synonyms",
        split=f"{hidden:,} of {held_out.eligible:,} hidden (fraction {options.fraction:g}, seed {options.seed})",
        terminology=f"{terminology.name} {terminology.version} without them".replace("  ", " "),
    )


def _some(held_out: HeldOutSynonyms) -> list[HiddenName]:
    if not held_out.queries:
        share = f"`fraction={held_out.options.fraction:g}`"
        raise InputError(
            f"nothing to hide: {share} takes none of {held_out.eligible:,} exact synonyms. Preferred terms and names "
            "of another scope (related, broad, narrow) are never hidden"
        )
    return held_out.queries


@dataclass(frozen=True, slots=True)
class _Stored:
    """A terminology on disk in the form of a release; its counts are those of its import."""

    terminology: Terminology

    @property
    def metadata(self) -> Any:
        return self.terminology.metadata

    @property
    def counts(self) -> _Stored:
        return self

    def to_dict(self) -> dict[str, Any]:
        held: dict[str, Any] = self.terminology.manifest.content.get("reader", {})
        return held

    def concepts(self) -> Iterator[Concept]:
        return map(self.terminology.concept, range(len(self.terminology)))


@dataclass(frozen=True, slots=True)
class _Reduced:
    """A release without the hidden names."""

    whole: Any
    held_out: HeldOutSynonyms

    @property
    def metadata(self) -> Any:
        return self.whole.metadata

    @property
    def counts(self) -> Any:
        return self.whole.counts

    def batches(self) -> Iterator[Batch]:
        return batches_of(self.held_out.reduce(self.whole.concepts()))


@contextmanager
def _opened(release: Sequence[Path | str]) -> Iterator[Any]:
    """A terminology folder, or the files and folders of a release, as a source of concepts."""
    if len(release) == 1 and (Path(release[0]) / MANIFEST).is_file():
        with open_terminology(release[0]) as terminology:
            yield _Stored(terminology)
    else:
        yield read_release(release)
