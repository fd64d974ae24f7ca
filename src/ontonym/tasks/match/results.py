"""The result of a match: for each source concept its candidates and what is proposed, with the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.index import Index
from ontonym.index.everyday import is_near_name
from ontonym.index.evidence import FEATURES, SIGNAL_COLUMNS
from ontonym.index.scan import Scan
from ontonym.memo import Memo
from ontonym.store import Terminology
from ontonym.store.mappings.rows import EXACT
from ontonym.tasks.hits import matched_term
from ontonym.tasks.match.candidates import Candidates, readings_of, scan_of
from ontonym.tasks.match.mediators import SourceNames
from ontonym.tasks.match.options import MatchOptions
from ontonym.tasks.match.references import SharedReferences, on_both_sides
from ontonym.tasks.match.related import BROAD, CLOSE, Related, worded_relation
from ontonym.tasks.match.structure import Anchors, both_hierarchies, turned_against
from ontonym.tasks.reasons import less_sure, reason_of
from ontonym.types import Correction, Reason

_SPELLED = FEATURES.index("spelled")
_MOST_READ = 1 << 14
"""Names of the source of which it is kept what they were read as."""


class _ReadName(NamedTuple):
    """What a name was read as, and how; ``why`` says why its ``answer``, a concept number, is doubted, if it is."""

    text: str
    correction: Correction = Correction.NONE
    answer: int = -1
    why: str = ""


@dataclass(frozen=True, slots=True)
class MatchCandidate:
    """A concept of the index that a source concept may be the same as.

    ``score`` is in [0, 1], higher is better; ``similarity`` is the dense cosine, in [-1, 1], of ``name``, the source's
    name that found it best, and ``matched``, the candidate's name; ``reason`` says in words what they share. Of ``of``
    names of the source ``found`` brought it; ``lender`` is the terminology that ``name`` is borrowed from, empty for an
    own name. ``predicate`` is that of SSSOM: the two are the same (`EXACT`), or the candidate is broader (`BROAD`) or
    narrower (`NARROW`) than the source, or only related (`RELATED`), where one name denies or doubts what the other
    says; for a candidate that is broader by the match of a concept above the source, ``above`` is that concept's id,
    and the score is that match's. ``referenced``: both refer to the same id, or one to
    the other. ``turned`` is the number of proposals with which it contradicts the hierarchies: one side has their
    concepts above, the other below.
    """

    id: str
    preferred: str
    score: float
    similarity: float
    name: str
    matched: str
    reason: Reason
    found: int
    of: int
    lender: str = ""
    predicate: str = EXACT
    above: str = ""
    referenced: bool = False
    turned: int = 0


@dataclass(frozen=True, slots=True)
class Matched:
    """A source concept with its candidates, best first; ``proposed`` is one of them, a related concept, or None."""

    id: str
    preferred: str
    candidates: tuple[MatchCandidate, ...] = field(default=())
    proposed: MatchCandidate | None = None


@dataclass(frozen=True)
class Matching:
    """The result of a match: the source concepts searched for (``asked``, as rows), their candidate pairs and the
    proposals.

    ``found`` are the pairs, grouped by source, best first, with their ``scores``; ``chosen`` marks the proposed ones.
    ``certain`` are pairs that are decided or have one id, source rows and concept numbers, shape ``(n, 2)``;
    ``options`` say how they were found; ``related`` are proposals for concepts without a match.
    Iterating gives one `Matched` for each source concept.
    """

    names: SourceNames
    index: Index
    asked: Ints
    found: Candidates
    scores: Doubles
    chosen: Mask
    certain: Ints
    options: MatchOptions
    related: tuple[Related, ...] = ()

    @property
    def source(self) -> Terminology:
        """The terminology that was matched."""
        return self.names.source

    def __len__(self) -> int:
        return len(self.asked)

    def __iter__(self) -> Iterator[Matched]:
        return self.concepts()

    @property
    def proposed(self) -> int:
        """The number of concepts with a proposal."""
        return int(self.chosen.sum()) + len(self.related)

    def concepts(self) -> Iterator[Matched]:
        """Every source concept with all its candidates, in order."""
        related = {one.source: one for one in self.related}
        for place, row in enumerate(self.asked.tolist()):
            pairs = self.pairs_of(place)
            candidates = tuple(map(self.candidate, pairs))
            proposed = [one for at, one in zip(pairs, candidates, strict=True) if self.chosen[at]]
            if row in related:
                proposed = [self._related_candidate(related[row])]
            yield Matched(self.source.id(row), self.source.preferred(row), candidates, *proposed)

    def proposals(self) -> Iterator[Matched]:
        """The source concepts that have a proposal, with only that candidate."""
        found = [(int(self.found.sources[at]), self.candidate(at)) for at in np.flatnonzero(self.chosen).tolist()]
        found += [(one.source, self._related_candidate(one)) for one in self.related]
        for row, candidate in sorted(found, key=lambda one: one[0]):
            yield Matched(self.source.id(row), self.source.preferred(row), (candidate,), candidate)

    def pairs_of(self, place: int) -> range:
        """The candidate pairs of a source concept, by its position among those searched for."""
        return range(int(self._bounds[place]), int(self._bounds[place + 1]))

    @cached_property
    def on_both_sides(self) -> int:
        """The number of active ids that are on both sides, and were not searched for."""
        return len(on_both_sides(self.source, self.index)[0])

    @cached_property
    def retired(self) -> int:
        """The number of source concepts that are retired, and were not searched for."""
        return int((~self.source.active).sum())

    @cached_property
    def nameless(self) -> int:
        """The number of active source concepts that have no name, and could not be searched for."""
        return int((self.source.active & (np.diff(self.source.term_bounds()) == 0)).sum())

    @cached_property
    def _bounds(self) -> Ints:
        """The position at which the pairs of each source concept begin, with the end."""
        places = np.zeros(len(self.source), dtype=np.int64)
        places[self.asked] = np.arange(len(self.asked))
        return np.searchsorted(places[self.found.sources], np.arange(len(self.asked) + 1)).astype(np.int64)

    @cached_property
    def _has_hierarchy(self) -> bool:
        return self.source.hierarchy.has_levels

    @cached_property
    def referenced(self) -> Mask:
        """For each pair whether the two share a cross-reference, if that was used."""
        if not self.options.xrefs:
            return np.zeros(len(self.found), dtype=np.bool_)
        shared = SharedReferences.between(self.source, self.index.terminologies)
        return shared.features(self.found.sources, self.found.targets)["xref_shared"] > 0

    @property
    def anchors(self) -> Anchors:
        """The proposed pairs, and the decided ones."""
        sources, targets = self.found.sources[self.chosen], self.found.targets[self.chosen]
        return Anchors.of(sources, targets, (len(self.source), self.index.concept_count), self.certain)

    @cached_property
    def turned(self) -> Ints:
        """For each pair the number of proposed and decided ones with which it contradicts the hierarchies; 0 if not
        proposed.
        """
        sources, targets = self.found.sources[self.chosen], self.found.targets[self.chosen]
        ours, theirs = both_hierarchies(self.source, self.index.terminologies, sources, targets, self.certain)
        counts = np.zeros(len(self.found), dtype=np.int64)
        counts[self.chosen] = turned_against(sources, targets, self.anchors, ours, theirs)
        return counts

    def texts(self, at: int) -> tuple[str, str]:
        """The names of a pair, by its position: that of the source, as it was read, and the name of the index that it
        found.
        """
        text = self._read_name(at).text
        return text, self._matched(at, text)

    def _matched(self, at: int, text: str) -> str:
        """The name of the index that a name of the source found, as it was read."""
        is_spelled = bool(self.found.features[at, _SPELLED])
        return matched_term(self.index, text, int(self.found.names[at]), is_spelled=is_spelled).text

    def _read_name(self, at: int) -> _ReadName:
        """What the name of a pair was read as."""
        term, number = int(self.found.terms[at]), int(self.found.readings[at])
        text = self.names.text(term)
        if not number and self.found.left[at] == 1:
            return _ReadName(text)
        readings = self._readings[text, self.names.language(term)]
        if number:
            return readings[abs(number) - 1]
        return next((one for one in readings if one.text == text), _ReadName(text))

    @cached_property
    def _scan(self) -> Scan:
        """How the names of the source were searched for."""
        return scan_of(self.index, self.options)

    @cached_property
    def _readings(self) -> Memo[tuple[str, str], tuple[_ReadName, ...]]:
        """What names of the source were read as, each with its language."""
        return Memo(self._read, _MOST_READ)

    def _read(self, named: tuple[str, str]) -> tuple[_ReadName, ...]:
        text, language = named
        (query,) = self.index.signals.queries([text], [language])
        if self.options.names == "read":
            (readings,) = readings_of(self.index, [query], self._scan)
            reads = [read for _, read in readings]
        else:
            reads = self.index.interpreter.candidates.interpretations([query], self._scan)
        return tuple(_ReadName(read.query.text, read.query.correction, read.answer, read.doubt.why) for read in reads)

    def candidate(self, at: int) -> MatchCandidate:
        """A pair, by its position, as a candidate of its source."""
        found, index = self.found, self.index
        concept = int(found.targets[at])
        features = found.features[at].tolist()
        text, read = self.names.text(int(found.terms[at])), self._read_name(at)
        matched = self._matched(at, read.text)
        reason = reason_of(text, matched, features, read_as=read.text, correction=read.correction)
        return MatchCandidate(
            id=index.id(concept),
            preferred=index.preferred(concept),
            score=float(self.scores[at]),
            similarity=min(max(features[SIGNAL_COLUMNS["dense"]], -1.0), 1.0),
            name=text,
            matched=matched,
            reason=less_sure(reason, read.why if read.answer == concept else ""),
            found=int(found.found[at]),
            of=int(found.asked[at]),
            lender=self.names.lender(int(found.terms[at])),
            predicate=self._predicate(at, read.text, matched),
            referenced=bool(self.referenced[at]),
            turned=int(self.turned[at]),
        )

    def _predicate(self, at: int, text: str, matched: str) -> str:
        """The same, or broader or narrower by the words of the names for a source without a hierarchy but groups.

        A hierarchy says more than words (urinary bladder mucosa is bladder mucosa), and so does a cross-reference. A
        candidate that a near name found (`ontonym.index.everyday`) is a close match.
        """
        if self.referenced[at]:
            return EXACT
        if is_near_name(self.index.term(int(self.found.names[at]))):
            return CLOSE
        if self._has_hierarchy:
            return EXACT
        return worded_relation(at, self.found, float(self.scores[at]), (text, matched)) or EXACT

    def unmatched(self) -> Iterator[Matched]:
        """The source concepts without a proposal, with their candidates."""
        proposed = {*self.found.sources[self.chosen].tolist(), *(one.source for one in self.related)}
        for place, row in enumerate(self.asked.tolist()):
            if row not in proposed:
                yield Matched(
                    self.source.id(row), self.source.preferred(row), tuple(map(self.candidate, self.pairs_of(place)))
                )

    def _related_candidate(self, one: Related) -> MatchCandidate:
        """The related concept of a source concept, as its candidate."""
        if one.pair >= 0:
            candidate = self.candidate(one.pair)
            if one.predicate == EXACT:
                return replace(candidate, score=one.score, predicate=EXACT)
            both = (candidate.name, candidate.matched)
            narrow, broad = both if one.predicate == BROAD else both[::-1]
            said = f"“{narrow}” is “{broad}” with words that narrow it"
            return replace(candidate, score=one.score, predicate=one.predicate, reason=Reason("words", said))
        preferred, target = self.source.preferred(one.source), self.index.preferred(one.target)
        ours, theirs = self.index.encoder.encode_names([preferred, target])
        return MatchCandidate(
            id=self.index.id(one.target),
            preferred=target,
            score=one.score,
            similarity=float(np.clip(ours @ theirs, -1, 1)),
            name=preferred,
            matched=target,
            reason=Reason("meaning", f"it is below {self.source.preferred(one.above)}, which is matched to this"),
            found=0,
            of=0,
            predicate=one.predicate,
            above=self.source.id(one.above),
        )
