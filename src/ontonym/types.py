"""The data model: frozen records that every other room speaks in."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as ReadOnlyDict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, get_args

from ontonym.pickling import pickled_as_tuple

Kind = Literal["preferred", "fsn", "synonym", "lay", "abbreviation", "entry"]
"""What a term is to its concept: ``fsn`` is a fully specified name, ``entry`` a term of an index (MeSH, ICD-10)."""

Scope = Literal["exact", "narrow", "broad", "related"]
"""How close a synonym is to its concept, in the sense of the OBO format 1.4, section "synonym"."""

Status = Literal["active", "retired"]

Progress = Callable[[str, int, int | None], None]
"""Called during long work with the name of the stage, how much of it is done, and how much there is (None: unknown)."""


def no_progress(stage: str, done: int, total: int | None) -> None:
    """Reports the progress of long work to nobody."""


Advance = Callable[[int], None]
"""Called during long work with the number of things done since the last call."""


def staged(progress: Progress | None, stage: str, total: int | None = None) -> Advance:
    """A function that reports the sum of its arguments as the progress of a stage."""
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        if progress:
            progress(stage, done, total)

    return advance


LONGEST_TEXT = 10_000
"""Most characters of a name, a mention and a query. The longest names of SNOMED CT and UMLS have some 3,000."""
LONGEST_ID = 2_000
"""Most characters of the id of a concept."""

NIL = "NIL"
"""What stands for an id where no concept fits; older corpora call it CUI-less."""

KINDS: tuple[Kind, ...] = get_args(Kind)
SCOPES: tuple[Scope, ...] = get_args(Scope)
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Term:
    """One name of a concept.

    ``text`` is as published, never normalized. ``language`` is a BCP 47 tag. ``source`` says where in the release the
    name comes from, in the release's own words (``layperson``, ``inclusionTerm``, a UMLS source), or is empty.
    """

    text: str
    kind: Kind = "synonym"
    scope: Scope = "exact"
    language: str = "en"
    status: Status = "active"
    source: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation other than is-a from a concept to ``target`` (a concept id); ``predicate`` as the release names it."""

    predicate: str
    target: str


@dataclass(frozen=True, slots=True)
class Property:
    """What a release says of a concept that is neither a name nor a relation to a concept.

    ``name`` is as the release names it: a FHIR property, an ICD-10 note (``excludes1``), a SNOMED CT concrete value.
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Mapping:
    """One mapping between concepts, shaped as SSSOM shapes it (https://mapping-commons.github.io/sssom/).

    ``source`` is what states it (SSSOM ``mapping_source``: a reference set, a ConceptMap). ``rule``, ``group`` and
    ``priority`` are for maps that depend on the patient, as SNOMED CT's extended map does: of each group the first
    mapping by priority whose rule holds. They are empty and 0 elsewhere. ``object_id`` is empty where the source says
    that there is no target.
    """

    subject_id: str
    predicate_id: str
    object_id: str
    justification: str
    confidence: float | None = None
    subject_label: str = ""
    object_label: str = ""
    source: str = ""
    rule: str = ""
    comment: str = ""
    group: int = 0
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept of a terminology release, as a reader yields it.

    ``id`` is a CURIE such as ``HP:0001250``. ``terms`` holds every name with the preferred term first. ``parents`` are
    the is-a targets. ``replaced_by`` names the successors of a retired concept, ``consider`` weaker suggestions.
    ``alternative_ids`` are ids that mean this concept too (OBO ``alt_id``, MEDIC's further ids). ``xrefs`` are CURIEs
    with normalized prefixes. ``mappings`` have this concept as their subject.
    """

    id: str
    terms: tuple[Term, ...]
    parents: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    definitions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: Status = "active"
    alternative_ids: tuple[str, ...] = ()
    replaced_by: tuple[str, ...] = ()
    consider: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()
    properties: tuple[Property, ...] = ()
    mappings: tuple[Mapping, ...] = ()

    @property
    def preferred(self) -> str:
        """The preferred term's text, or the id where the release gives no name."""
        return self.terms[0].text if self.terms else self.id


@pickled_as_tuple
@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of text to normalize.

    ``start`` and ``end`` are character offsets into ``document``'s text (end exclusive), or None where the mention
    came alone. ``type`` is the corpus's own label (``SpecificDisease``, ``Chemical``). ``passage`` is the
    document's text, or empty where it is not known: a document says what its abbreviations mean.
    """

    text: str
    id: str = ""
    document: str = ""
    start: int | None = None
    end: int | None = None
    type: str = ""
    passage: str = field(default="", repr=False)


class Correction(StrEnum):
    """What was changed in a query before it was searched for."""

    NONE = "none"
    CAPITALIZED = "capitalized"
    """It was written in capitals, since only then it is a name: ``ards`` is ARDS."""
    CORRECTED = "corrected"
    """Misspelled words were replaced."""
    EXPANDED = "expanded"
    """Abbreviations were written out."""
    REWORDED = "reworded"
    """It was said in the words of a name: ``renal damage`` as kidney disease."""


@pickled_as_tuple
@dataclass(frozen=True, slots=True)
class Reason:
    """Why a hit was found: ``rule`` names the strongest evidence, ``detail`` says it in words for a person.

    ``changes`` are the steps of text normalization under which query and matched term became equal; empty where they
    were equal from the start, or never became so. ``correction`` is what was changed in the query before; where the
    changed query is equal to the term, the rule is ``spelling``. ``code`` is for a query that is the concept's id.
    ``negated`` says that the query denies the concept ("no fever").
    """

    rule: Literal["code", "exact", "normalized", "spelling", "words", "meaning"]
    detail: str
    changes: tuple[str, ...] = ()
    correction: Correction = Correction.NONE
    negated: bool = False


@pickled_as_tuple
@dataclass(frozen=True, slots=True)
class Hit:
    """One concept found for a query.

    ``confidence`` is in [0, 1], the estimated probability that this is the right concept; hits of one terminology are
    ordered by it. Hits of several are ordered before the confidence among each one's own concepts is estimated, so a
    later hit of another terminology can have a higher one.
    ``similarity`` is the dense cosine between query and matched term, in [-1, 1], higher is closer. ``signals`` gives
    each signal's own similarity in [0, 1] for this concept. ``ambiguous`` lists the ids of other concepts of its
    terminology that the evidence cannot tell from this one (a name they share). ``equivalents`` are ids of the same
    concept: first its duplicates in its own terminology, by cross-reference or preferred term
    (`ontonym.store.duplicates`), then those in other terminologies, by the name they share or by cross-reference.
    """

    id: str
    preferred: str
    matched: str
    kind: Kind
    scope: Scope
    source: str
    terminology: str
    confidence: float
    similarity: float
    signals: ReadOnlyDict[str, float] = field(default_factory=dict, hash=False)
    reason: Reason = Reason("meaning", "")
    ambiguous: tuple[str, ...] = ()
    equivalents: tuple[str, ...] = ()
    status: Status = "active"
