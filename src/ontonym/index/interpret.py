"""The readings of a query: what it may mean, each with its candidates and a probability.

A query is read as it was typed, in capitals, with its abbreviations written out, in other words, without a negation or
the words around a finding, and with its spelling corrected. `Interpreter.readings_of` takes these steps in order.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

import numpy as np

from ontonym.index.choices import Choice, Interpretation, Readings, rounded, weighed
from ontonym.index.doubts import capped, doubted, unsupported
from ontonym.index.evidence import Evidence
from ontonym.index.narrower import narrowed
from ontonym.index.query import Query, changed_queries, changed_together
from ontonym.index.reworded import names_said
from ontonym.index.scan import Scan
from ontonym.index.signals import Signals
from ontonym.index.spelling import replaces_english, trust_in
from ontonym.text.context import without_negation
from ontonym.text.contractions import with_apostrophes
from ontonym.text.doses import without_dose
from ontonym.text.foreign import in_other_words, other_writings
from ontonym.text.foreignframes import without_foreign_frame, without_foreign_negation
from ontonym.text.frames import of_family, without_frame
from ontonym.text.lexicon import has_symbol, is_unspoken
from ontonym.text.normalization import tokens
from ontonym.text.records import without_record
from ontonym.text.values import values_in_words
from ontonym.types import Correction

_MOST_KNOWN = 1 << 11
"""Queries whose candidates are kept: at 10 kB, 20 MB."""

_LONGEST_ACRONYM = 6
"""Letters of the longest word in small letters that may be an acronym."""

_AS_WRITTEN = 0.25
"""How likely a query is meant with the negation that it begins with ("no energy"), or the words around a finding."""

_LEAST_READING = 0.01
"""Readings after the first that are less probable are dropped."""

_LEAST_CORRECTED = 0.1
"""The least confidence of a corrected query's best candidate."""

_TRUST_IN_CORRECTION = 0.9
"""A correction must be surer than the query as typed divided by this: a little surer is not enough."""

_CLEAR = 0.75
"""How likely the corrections that lead to one answer have to be, of all that are nearly as likely, to be sure of it."""

_ROUNDING = 1e-4
"""By how much rounding may set the similarity of the quick scan below that of the candidates."""

_TRUST_IN_REWORDING = 0.85
"""How often it is right then (docs/decisions.md, "Other words are a reading of the query")."""

_IN_ENGLISH, _IN_PART, _OTHER_WRITING = 2.0, 1.0, 1.0
"""How likely, as a multiple of the text itself, are its words in English by the table of other languages, those of a
part of it, and another way to write it.
"""

_FAMILY, _FAMILIES = "family", 30
"""So many names with this word has a terminology that tells family histories (ICD-10-CM, SNOMED CT)."""

_OF_FAMILY = 0.85
"""How likely what a relative has is meant as a family history there, and not as the patient's."""

_UNSUPPORTED = 0.5
"""How much less likely a reading is for each abbreviation written out as what its answer has no word of."""

_SELDOM = 2e-5
"""A short form without vowels that a smaller share of the names has is no word of theirs."""

_MILLIGRAM, _DOSES = "mg", 0.02
"""A terminology in which a larger share of the names has this word is one of doses (RxNorm)."""


class Interpreter:
    """Reads queries as the names of an index allow, and searches for each reading.

    An `Interpretation` is one query with its candidates; a reading is an interpretation with its probability.
    """

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._known: dict[tuple[Hashable, ...], Interpretation] = {}

    def readings_of(self, queries: Sequence[Query], scan: Scan) -> list[Readings]:
        """The readings of each query, the most probable first, each with its probability, in [0, 1].

        A query that is equal to a name has one reading, the query itself, and so has every one that is searched for
        verbatim. If all signals are fused, its abbreviations are written out; the probability of a reading is
        proportional to its prior times its `Interpretation.weight`. Corrected queries replace the one they correct if
        their highest confidence is clearly higher.
        """
        if scan.verbatim:
            return [[(1.0, read)] for read in self.interpretations(queries, scan)]
        queries = [self._capitalized(self._in_words(query)) for query in queries]
        wordings = [self._wordings(query, scan) for query in queries]
        reads = iter(self.interpretations([one for groups in wordings for some in groups for _, one in some], scan))
        found: list[Readings] = []
        for groups in wordings:
            meant = [[self._meant(prior, next(reads)) for prior, _ in some] for some in groups]
            found.append(weighed(meant) if meant[1:] or meant[0][1:] else meant[0])
        best = self._corrected_if_better([some[0][1] for some in found], scan)
        kept: list[Readings] = [
            [
                *((some[0][0] * share, one) for share, one in first),
                *(other for other in some[1:] if other[0] >= _LEAST_READING),
            ]
            for some, first in zip(found, best, strict=True)
        ]
        if scan.signal != "fused":
            return kept
        return [[(weight, narrowed(one, self._signals)) for weight, one in some] for some in kept]

    def _meant(self, prior: float, read: Interpretation) -> tuple[float, Interpretation]:
        """A reading with its prior: less where its answer has nothing of what an abbreviation was written out as."""
        if read.query.correction is Correction.EXPANDED and len(read.evidence.concepts):
            prior *= _UNSUPPORTED ** unsupported(read, self._signals)
        return prior, replace(_as_trusted(read), prior=prior)

    def interpretations(self, queries: Sequence[Query], scan: Scan) -> list[Interpretation]:
        """The candidates of each query as it is, without correction.

        Those of the last queries are kept by what they depend on, since many texts have the same words (*Seizures*,
        *seizure*) and readings of a text come again.
        """
        if scan.allowed is not None or scan.hidden is not None or scan.also:
            found = self._interpreted(queries, scan)
        else:
            how = (scan.source, scan.representation, scan.signal, scan.k, scan.seed, scan.verbatim)
            keys = [(*how, *query.said) for query in queries]
            known = {key: read for key in keys if (read := self._known.get(key)) is not None}
            fresh = {key: query for key, query in zip(keys, queries, strict=True) if key not in known}
            made = dict(zip(fresh, self._interpreted(list(fresh.values()), scan), strict=True))
            if len(self._known) + len(made) > _MOST_KNOWN:
                self._known.clear()
            self._known.update(made)
            known.update(made)
            found = [known[key].of(query) for key, query in zip(keys, queries, strict=True)]
        return found if scan.signal != "fused" or scan.verbatim else [doubted(read, self._signals) for read in found]

    def _interpreted(self, queries: Sequence[Query], scan: Scan) -> list[Interpretation]:
        evidences = self._signals.evidences(queries, scan)
        return [self._interpretation(query, scan, one) for query, one in zip(queries, evidences, strict=True)]

    def _interpretation(self, query: Query, scan: Scan, evidence: Evidence) -> Interpretation:
        similarities = evidence.similarities("dense" if scan.signal == "fused" else scan.signal, scan.representation)
        terminologies = self._signals.places(evidence.concepts)
        confidences = self._signals.confidences(evidence, scan.signal, scan.representation, terminologies)
        return Interpretation(query, scan, evidence, rounded(confidences), similarities, terminologies)

    def believed(self, queries: Sequence[Query], scan: Scan, least: float, wanted: int) -> list[list[Choice]]:
        """For each query the first ``wanted`` candidates with a similarity of at least ``least``, best first: what the
        first module of a sieve accepts. Often there are none, which the dense signal finds out quickly.
        """
        found: list[list[Choice]] = [[] for _ in queries]
        if not queries or not self._signals.parts(scan.source):
            return found
        places = list(range(len(queries)))
        if scan.signal in ("fused", "dense"):
            near = self._signals.nearness(queries, scan.source, scan.representation, scan.allowed)
            places = [place for place in places if near[place] > least - _ROUNDING]
        for place, read in zip(places, self.interpretations([queries[one] for one in places], scan), strict=True):
            near_enough = (one for one in read.ranked() if read.similarities[one] >= least)
            found[place] = [read.choice(one, believed=True) for one in islice(near_enough, wanted)]
        return found

    def _capitalized(self, query: Query) -> Query:
        """A short word in capitals, if only that form is a name: "ards" is ARDS, whose S is not a plural."""
        text, capitals = query.text, query.text.upper()
        if not text.islower() or len(text) > _LONGEST_ACRONYM or len(self._signals.spelled(query.words)):
            return query
        if not len(self._signals.spelled(tokens(capitals))):
            return query
        (read,) = changed_queries(self._signals.encoder, query, {capitals: ((text, capitals),)}, Correction.CAPITALIZED)
        return read

    def _in_words(self, query: Query) -> Query:
        """A query that is no name without what a record adds ("2) asthma, 2015"), with its missing apostrophes ("cant
        sleep"), and measured values as what they say ("K 6.2" is hyperkalemia).
        """
        whole = with_apostrophes(without_record(query.text))
        said, changes = values_in_words(whole)
        if said == query.text or len(self._signals.spelled(query.words)):
            return query
        correction = Correction.EXPANDED if changes else query.correction
        (read,) = changed_queries(self._signals.encoder, query, {said: changes}, correction)
        return read

    def _wordings(self, query: Query, scan: Scan) -> list[list[tuple[float, Query]]]:
        """What to search for instead of the query, each with its prior: a list for the query, and one for it without
        the negation that it begins with or the words around what it asks for ("c/o", "for three days", "500 mg bd").

        Each list has the text itself, with its abbreviations written out, and in the words of a name. Only the query
        itself where it is equal to a name, or one signal alone ranks.
        """
        if scan.signal != "fused" or (self._is_named(query.words, scan) and not has_symbol(query.text)):
            return [[(1.0, query)]]
        own = self._own_wordings(query, scan)
        if not self._tells_families or not (what := of_family(query.text)):
            return own
        (told,) = self._said_as(query, f"family history of {what}", Correction.REWORDED)
        return [
            *([((1 - _OF_FAMILY) * prior, one) for prior, one in some] for some in own),
            [(_OF_FAMILY * prior, one) for prior, one in self._expanded(told)],
        ]

    def _own_wordings(self, query: Query, scan: Scan) -> list[list[tuple[float, Query]]]:
        """What to search for where the query says something of the patient, as in `_wordings`."""
        whole = [*self._expanded(query), *self._reworded(query, scan), *self._in_english(query)]
        bare = without_frame(query.text)
        bare = without_foreign_frame(bare or query.text) or bare
        if not self._tells_doses:
            bare = without_dose(bare or query.text) or bare
        asserted = without_negation(bare or query.text) or without_foreign_negation(bare or query.text)
        if not asserted and not bare:
            return [whole]
        (core,) = changed_queries(self._signals.encoder, query, {asserted or bare: ()}, query.correction)
        core = replace(core, negated=bool(asserted))
        of_core = [*self._expanded(core), *self._reworded(core, scan), *self._in_english(core)]
        shares = ((_AS_WRITTEN, whole), (1 - _AS_WRITTEN, of_core))
        return [[(share * prior, one) for prior, one in some] for share, some in shares]

    def _expanded(self, query: Query) -> list[tuple[float, Query]]:
        """The query with its abbreviations written out, each way with its prior; only itself where it has none."""
        found = self._signals.lexicon.expansions(query.text, self._is_word)
        priors = {one.text: one.prior for one in found}
        changes = {one.text: one.changes for one in found if one.changes}
        queries = changed_queries(self._signals.encoder, query, changes, Correction.EXPANDED) if changes else []
        return [(priors.get(one.text, 1.0), one) for one in (query, *queries)]

    def _is_word(self, word: str) -> bool:
        """Whether names have it as a word: "rt" in one of a hundred thousand names is short for something there."""
        words = tokens(word)
        if not all(self._signals.is_known(words)):
            return False
        return not is_unspoken(word.lower()) or any(self._share_with(one) >= _SELDOM for one in words)

    def _in_english(self, query: Query) -> list[tuple[float, Query]]:
        """A query in another language as the table of everyday words and abbreviations says it, and as its words may be
        written too, each with its prior."""
        languages = self._signals.languages
        words = {one.text: one for one in in_other_words(query.text, languages)}
        written = [text for text in other_writings(query.text, languages) if text not in words]
        if not words and not written:
            return []
        changes = {text: one.changes for text, one in words.items()} | {text: ((query.text, text),) for text in written}
        priors = [_IN_ENGLISH if one.is_whole else _IN_PART for one in words.values()]
        priors += [_OTHER_WRITING] * len(written)
        found = changed_queries(self._signals.encoder, query, changes, Correction.EXPANDED)
        return list(zip(priors, found, strict=True))

    def _reworded(self, query: Query, scan: Scan) -> list[tuple[float, Query]]:
        """The query as a name says it in other words, each way with its prior. None where it is a name."""
        if self._is_named(query.words, scan):
            return []
        prior, correction, texts = names_said(query.words, lambda words: self._is_named(words, scan))
        return [(prior, one) for text in texts for one in self._said_as(query, text, correction)]

    def _said_as(self, query: Query, text: str, correction: Correction) -> list[Query]:
        """The query in other words."""
        return changed_queries(self._signals.encoder, query, {text: ((query.text, text),)}, correction)

    @cached_property
    def _tells_families(self) -> bool:
        """Whether the ontology has concepts for what relatives have."""
        return self._share_with(_FAMILY) * len(self._signals.names) >= _FAMILIES

    @cached_property
    def _tells_doses(self) -> bool:
        """Whether the names of the ontology say how much of a drug there is, so that it counts in a query too."""
        return self._share_with(_MILLIGRAM) > _DOSES

    def _share_with(self, word: str) -> float:
        """What part of the names of the ontology has a normalized word, about."""
        (number,) = self._signals.names.word_ids([word])
        return 0.0 if number is None else float(np.exp(-self._signals.names.idf[number]))

    def _is_named(self, words: Sequence[str], scan: Scan) -> bool:
        """Whether words are equal to a name of a concept that may be a candidate."""
        for first, part in self._signals.parts(scan.source):
            rows = part.names.spelled(words).astype(np.int64)
            if scan.hidden is not None:
                rows = rows[~np.isin(rows + first, scan.hidden)]
            if scan.allowed is not None and len(rows):
                concepts = part.names.concepts[rows]
                rows = rows[scan.allowed[concepts] | np.isin(concepts, scan.also)]
            if len(rows):
                return True
        return False

    def _corrected_if_better(self, reads: Sequence[Interpretation], scan: Scan) -> list[Readings]:
        """For each query the readings of its corrections if the surest is clearly surer than the query itself, else it.

        The confidences of a corrected query are scaled by how far the correction can be trusted.
        """
        leasts = [max(_LEAST_CORRECTED, read.surest / _TRUST_IN_CORRECTION) for read in reads]
        tried = [  # no correction is trusted by more than 1
            least <= 1 and not _is_named_by(read) for read, least in zip(reads, leasts, strict=True)
        ]
        queries = [read.query for read, one in zip(reads, tried, strict=True) if one]
        made = iter(self.corrections(queries, [least for least, one in zip(leasts, tried, strict=True) if one]))
        corrections = [next(made) if one else [] for one in tried]  # surer than trusted: none
        others = iter(self.interpretations([query for some in corrections for _, query in some], scan))
        found: list[Readings] = []
        for read, least, some in zip(reads, leasts, corrections, strict=True):
            better = []
            for trust, _ in some:
                one = next(others)
                if one.surest * trust > least and (_is_named_by(one) or not replaces_english(one.query.changes)):
                    better.append(replace(one, prior=read.prior, confidences=rounded(one.confidences * trust)))
            found.append(self._shared(better) if better else [(1.0, read)])
        return found

    def _shared(self, reads: Sequence[Interpretation]) -> Readings:
        """The corrections of one query, each with its probability, the likeliest first.

        Where another answer is nearly as likely, none is sure: "osteoperosis" is one letter off two diseases.
        """
        likely = [one.surest * self._signals.speller.likelihood(one.query.changes) for one in reads]
        shared = [(share / sum(likely), one) for share, one in zip(likely, reads, strict=True)]
        first, *others = sorted(shared, key=lambda one: -one[0])
        kept = [first, *(one for one in others if one[0] >= _LEAST_READING)]
        answers = [one.answer for _, one in kept]
        clear = sum(share for (share, _), answer in zip(kept, answers, strict=True) if answer == answers[0])
        if clear >= _CLEAR:
            return kept
        return [(share, replace(one, confidences=capped(one.confidences, one.surest))) for share, one in kept]

    def corrections(self, queries: Sequence[Query], leasts: Sequence[float]) -> list[list[tuple[float, Query]]]:
        """Each query with its misspelled words corrected, in each way that can be trusted at least so far, in [0, 1].

        With each way comes the trust in it, which falls with the share of letters that were changed, and with the share
        of words that no name has even then. None if no word is misspelled or can be corrected.
        """
        trusts: list[list[float]] = []
        asked = []
        for query, least in zip(queries, leasts, strict=True):
            texts = self._signals.speller.corrections(query, self._signals.is_known, self._signals.lexicon.__contains__)
            trusted = {text: trust for text, changes in texts.items() if (trust := self._trust(text, changes)) >= least}
            correction = Correction.CORRECTED if query.correction is Correction.NONE else query.correction
            trusts.append(list(trusted.values()))
            asked.append((query, {text: texts[text] for text in trusted}, correction))
        found = changed_together(self._signals.encoder, asked)
        return [list(zip(trusted, some, strict=True)) for trusted, some in zip(trusts, found, strict=True)]

    def _trust(self, text: str, changes: Sequence[tuple[str, str]]) -> float:
        words = tokens(text)
        trust = trust_in(changes, alone=len(changes) == len(words))
        return sum(self._signals.is_known(words)) / max(len(words), 1) * trust


def _is_named_by(read: Interpretation) -> bool:
    """Whether some candidate has a name that is equal to the query."""
    return bool(read.evidence.column("spelled").any())


def _as_trusted(read: Interpretation) -> Interpretation:
    """An interpretation with its confidences, lower where the query is read in other words."""
    if read.query.correction is not Correction.REWORDED:
        return read
    return replace(read, confidences=rounded(read.confidences * _TRUST_IN_REWORDING))
