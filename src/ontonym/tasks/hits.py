"""What is made of a candidate: readings of a query with the evidence on it, choices from them, and a hit of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ontonym.index import Index
from ontonym.index.evidence import FEATURES, SIGNAL_COLUMNS, Evidence, Signals
from ontonym.tasks.strategy import Module
from ontonym.text.normalization import changes, key, normalize
from ontonym.types import Hit, Reason, Term

READ_AS = "read as "
"""How the reason of a hit begins whose query was mended first."""

_SPELLED = FEATURES.index("spelled")


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to read the query, as it is or with its misspelled words mended, and what one module makes of it.

    ``similarities`` are those that a sieve goes by.
    """

    text: str
    module: Module
    signals: Signals
    evidence: Evidence
    confidences: npt.NDArray[np.float64]
    similarities: npt.NDArray[np.float32]

    @property
    def surest(self) -> float:
        """The highest confidence, 0 where there is no candidate."""
        return float(self.confidences.max(initial=0.0))

    def term(self, index: Index, name: int) -> Term:
        """The term of a name row; those of added terms follow the ontology's."""
        first = len(self.signals.names)
        if name >= first and self.signals.added is not None:
            return self.signals.added.term(name - first)
        return index.term(name)


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate in its place among the answers to a query.

    ``place`` is its row in the evidence of the reading. ``believed`` says that it comes from the first module of a
    sieve, which was near enough.
    """

    read: Reading
    place: int
    confidence: float
    believed: bool = False

    @property
    def concept(self) -> int:
        """Its concept number."""
        return int(self.read.evidence.concepts[self.place])


def hit_of(index: Index, text: str, choice: Choice) -> Hit:
    """The hit that a choice is for the query ``text``."""
    read, place = choice.read, choice.place
    evidence = read.evidence
    terminology, row = index.locate(choice.concept)
    features = evidence.features[place].tolist()
    spelled = bool(features[_SPELLED])
    name = int(evidence.best[place])
    is_added = name >= len(read.signals.names)
    term = read.term(index, name) if is_added or not spelled else nearest_spelling(index, read.text, name)
    return Hit(
        id=terminology.id(row),
        preferred=terminology.preferred(row),
        matched=term.text,
        kind=term.kind,
        scope=term.scope,
        source=term.source,
        terminology=terminology.name,
        confidence=choice.confidence,
        similarity=min(max(features[SIGNAL_COLUMNS["dense"]], -1.0), 1.0),
        signals={name: round(min(max(features[at], 0.0), 1.0), 4) for name, at in SIGNAL_COLUMNS.items()},
        reason=reason_of(text, term.text, features, spelled=spelled, read_as=read.text),
        ambiguous=tuple(index.id(concept) for concept in _namesakes(read, place)) if spelled else (),
        status=terminology.status(row),
    )


def _namesakes(read: Reading, place: int) -> list[int]:
    """The other concepts that have a name equal to the query too, surest first."""
    spelled = np.flatnonzero(read.evidence.column("spelled"))
    ranked = spelled[np.argsort(-read.confidences[spelled], kind="stable")]
    others: list[int] = read.evidence.concepts[ranked[ranked != place]].tolist()
    return others


def nearest_spelling(index: Index, text: str, name: int) -> Term:
    """Of the terms of the ontology that share a name row, the one written most like the query."""
    names = index.signals.names
    terminology, row = index.locate(int(names.concepts[name]))
    texts = terminology.term_texts()
    first = int(names.terms[name])
    form = normalize(texts[first])
    alike = [term for term in terminology.terms_of(row) if term >= first and normalize(texts[term]) == form]
    wanted = key(text)
    return terminology.term(min(alike, key=lambda term: (texts[term] != text, key(texts[term]) != wanted, term)))


def reason_of(text: str, matched: str, features: Sequence[float], *, spelled: bool, read_as: str = "") -> Reason:
    """Why a name was found for a text, which was ``read_as`` another where words were mended; ``features`` are those of
    its concept (`ontonym.index.evidence.FEATURES`), ``spelled`` says that text and name are equal.
    """
    read_as = read_as or text
    if text == matched:
        return Reason("exact", "the same text")
    mended = "" if read_as == text else f"{READ_AS}“{read_as}”: "
    if spelled:
        steps = changes(read_as, matched) or ()
        detail = f"the same but for {_listed(steps)}" if steps else "the same text"
        return Reason("spelling" if mended else "normalized", mended + detail, steps)
    strengths = {name: features[column] for name, column in SIGNAL_COLUMNS.items()}
    if strengths["lexical"] >= 0.7:
        return Reason("words", f"{mended}shares its telling words ({strengths['lexical']:.0%} by rarity)")
    if strengths["char"] >= 0.6 and strengths["char"] >= strengths["dense"]:
        return Reason("spelling", f"{mended}spelled alike ({strengths['char']:.0%} of letter groups)")
    return Reason("meaning", f"{mended}close in meaning (cosine {strengths['dense']:.2f})")


def _listed(steps: tuple[str, ...]) -> str:
    return steps[0] if len(steps) == 1 else f"{', '.join(steps[:-1])} and {steps[-1]}"
