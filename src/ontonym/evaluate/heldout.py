"""Held-out synonyms: hide some of a terminology's own names, search for them, see whether their concept is found."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.corpora import GoldDocument, GoldMention
from ontonym.evaluate.measures import HELD_OUT_MEASURES, Protocol, Resolve, overlap_degree, overlap_interval
from ontonym.evaluate.normalization import NormalizationReport, Normalize, answer_mentions, judge
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.types import KINDS, Advance, Concept, Mention, Term


def case_key(text: str) -> str:
    """Text without case and extra spaces: the least under which two names of a concept are the same."""
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True)
class HoldOutOptions:
    """Which names are hidden: about ``fraction`` of the exact synonyms, chosen by a hash of seed, concept id and text.

    So the choice depends neither on the order of the concepts nor on the other names. ``language`` limits the hidden
    names to one language (a BCP 47 tag), ``kind`` to one kind (``lay``: what patients say), empty for every one.
    """

    fraction: float = 0.1
    seed: int = 1
    language: str = ""
    kind: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.fraction <= 1:
            raise InputError(f"the held-out fraction must be above 0 and at most 1, not {self.fraction}")
        if self.kind and self.kind not in HIDDEN_KINDS:
            raise UnknownNameError("kind of names", self.kind, HIDDEN_KINDS)


HIDDEN_KINDS = tuple(kind for kind in KINDS if kind not in ("preferred", "fsn"))
"""The kinds of names that may be hidden."""


@dataclass(frozen=True, slots=True)
class Query:
    """A hidden name and the concept it belongs to; ``overlap`` is its overlap degree with the names left to that."""

    text: str
    concept_id: str
    overlap: float = 0.0


class HeldOutSynonyms:
    """Takes names out of a stream of concepts: ``reduce`` yields the concepts without them, ``queries`` collects them.

    Only active exact synonyms of active concepts are candidates (``eligible`` counts them); preferred terms and fully
    specified names always stay. A name that another name of the same concept equals under ``key`` is no candidate: it
    would still be there. ``queries`` is complete when ``reduce`` has been read to its end.
    """

    def __init__(self, options: HoldOutOptions | None = None, *, key: Callable[[str], str] = case_key) -> None:
        self.options = options or HoldOutOptions()
        self.key = key
        self.queries: list[Query] = []
        self.eligible = 0

    def reduce(self, concepts: Iterable[Concept]) -> Iterator[Concept]:
        """The concepts in order without their hidden names; starts ``queries`` anew."""
        self.queries = []
        self.eligible = 0
        for concept in concepts:
            hidden = self._hidden(concept)
            if hidden:
                left = tuple(term for term in concept.terms if term not in hidden)
                labels = [term.text for term in left if term.status == "active"]
                self.queries += [Query(term.text, concept.id, overlap_degree(term.text, labels)) for term in hidden]
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
    queries: Sequence[Query],
    normalize: Normalize,
    protocol: Protocol,
    *,
    resolve: Resolve = lambda id_: id_,
    measures: Sequence[str] = HELD_OUT_MEASURES,
    bootstrap: BootstrapOptions | None = None,
    progress: Advance | None = None,
) -> NormalizationReport:
    """The report of searching hidden names: Hits@1, Hits@10 and MRR with intervals, by overlap degree too.

    The bootstrap draws concepts, each with all its hidden names (``unit`` says ``concept``), unless the options ask for
    mentions. A name that other concepts also have counts as any other; ``protocol.ambiguity`` says how.
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
    return judge(answers, protocol, resolve=resolve, measures=measures, bootstrap=bootstrap, unit_name="concept")
