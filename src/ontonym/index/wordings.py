"""The wordings of a query: what to search for instead of it as it was typed.

A query is read in capitals, as what its measured values say, with its abbreviations written out, in the words of names,
in English, and without a negation or the words around a finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ontonym.index.beginnings import denial_begins_name, name_cut_short
from ontonym.index.query import Query, changed_queries
from ontonym.index.scan import Scan
from ontonym.index.signals import Signals
from ontonym.index.spacings import spaced_as_names
from ontonym.text.abbreviations import without_own_initials
from ontonym.text.amounts import said_as_amount
from ontonym.text.contractions import spelled_out
from ontonym.text.doses import DOSE_FORMS, dose_as_named, drug_names, is_treated, without_dose
from ontonym.text.foreign.frames import without_foreign_frame, without_foreign_negation
from ontonym.text.foreign.words import in_other_words, other_writings, table_languages
from ontonym.text.frames import in_history, no_longer, of_family, without_frame, without_negation
from ontonym.text.lacks import lacking
from ontonym.text.languages import is_said_in_english, language_of
from ontonym.text.lexicon import has_symbol, is_unspoken
from ontonym.text.normalization import tokens, without_nos
from ontonym.text.records import without_own_code, without_record
from ontonym.text.rewordings import (
    findings_for,
    induced_disease,
    phrases_for,
    with_type,
    with_what_it_is,
    without_apostrophe,
)
from ontonym.text.unspecified import said_uncomplicated
from ontonym.text.values import values_in_words
from ontonym.types import KINDS, Correction

_LONGEST_ACRONYM = 6
"""Letters of the longest word in small letters that may be an acronym."""

_AS_WRITTEN = 0.25
"""How likely a query is meant with the negation that it begins with ("no energy"), or the words around a finding."""

_IN_ENGLISH, _IN_PART, _OTHER_WRITING = 2.0, 1.0, 1.0
"""How likely, as a multiple of the text itself, are its words in English by the table of other languages, those of a
part of it, and another way to write it.
"""

_FAMILY, _FAMILIES = "family", 30
"""So many names with this word has a terminology that tells family histories (ICD-10-CM, SNOMED CT)."""

_OF_FAMILY = 0.85
"""How likely what a relative has is meant as a family history there, and not as the patient's."""

_OWN_ACRONYM = 0.35
"""How likely an acronym means a concept that has it as a synonym, where it usually stands for another one
(docs/decisions.md, "An acronym may be a name of something else").
"""

_PREFERRED = KINDS.index("preferred")
_UNSPECIFIED = "unspecified"
_OF = "of"

_HAD = 0.25
"""How likely, as a multiple of the text itself, it is asked for what somebody had where a text begins so ("PMH: gout").
"""

_HISTORIES = ("personal history of", "history of")
"""How names say that somebody had something."""

_REWORDED = 0.3
"""How likely a name in other words is meant, before it is searched for."""

_WITHOUT_CAUSE = 0.01
"""How likely a disease that something induced is meant without what induced it: where no name tells that either."""

_AS_AMOUNT = 0.6
"""How likely a name is meant that says as names do how much there is of something ("low sodium")."""

_SELDOM = 2e-5
"""A short form without vowels that a smaller share of the names has is no word of theirs."""

_DESIGNATED = re.compile(r"(?<![\w.-])\d{1,2}[A-Z](?![\w-])")
"""A number with a capital, that of a type as well as of an amount: "2G"."""

_MILLIGRAM, _DOSES = "mg", 0.02
"""A terminology in which a larger share of the names has this word is one of doses (RxNorm)."""


class QueryWording(NamedTuple):
    """What to search for instead of a query, after its ``prior``: how likely that is meant, relative to the others."""

    prior: float
    query: Query

    def with_share(self, share: float) -> QueryWording:
        """The wording with this share of its prior."""
        return QueryWording(share * self.prior, self.query)


class Wordings:
    """The wordings of queries, as the names of an index allow."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals

    def of(self, query: Query, scan: Scan) -> list[list[QueryWording]]:
        """What to search for instead of a query, each with its prior: a list for the query, and one for it without the
        negation that it begins with or the words around what it asks for ("c/o", "for three days", "500 mg bd").

        Each list has the text itself, with its abbreviations written out, and in the words of a name. Only names where
        an abbreviation written out makes one, and only the query itself where it is one, or one signal alone ranks.
        """
        groups = self._of_patient_and_family(self._capitalized(self._in_plain_words(query)), scan)
        return [self._only_names_if_expanded([self._unspecified(one, scan) for one in group], scan) for group in groups]

    def _only_names_if_expanded(self, wordings: list[QueryWording], scan: Scan) -> list[QueryWording]:
        """Some wordings; only those that are names where abbreviations written out make one, as it is mostly meant."""
        if len(wordings) == 1:
            return wordings
        named = [one for one in wordings if self._signals.is_candidate_name(one.query.words, scan)]
        return named if any(one.query.correction is Correction.EXPANDED for one in named) else wordings

    def _of_patient_and_family(self, query: Query, scan: Scan) -> list[list[QueryWording]]:
        """What to search for where the query may say something of the patient or of a relative, as in `of`; what
        somebody had, and what relatives have, are readings of their own where the terminology tells them."""
        if scan.signal != "fused":
            return [[QueryWording(1.0, query)]]
        if not has_symbol(query.text) and self._signals.is_candidate_name(query.words, scan):
            return [self._acronym_meanings(query, scan)]
        own = self._of_patient(query, scan)
        if not self._tells_families:
            return own
        if past := self._of_past(query, own, scan):
            return past
        if what := of_family(query.text):
            return self._of_family(query, what, own)
        return own

    def _of_past(self, query: Query, own: list[list[QueryWording]], scan: Scan) -> list[list[QueryWording]]:
        """The wordings of a query that says what somebody had, or what is over: as a history where that is a name, else
        its ``own`` ones. What somebody had may be meant by itself too. Empty for other queries."""
        had = in_history(query.text)
        what = had or no_longer(query.text)
        texts = (f"{said} {what}" for said in _HISTORIES if what)
        named = next((text for text in texts if self._signals.is_candidate_name(tuple(tokens(text)), scan)), "")
        past = [[QueryWording(1.0, self._said_as(query, named, Correction.EXPANDED))]] if named else []
        if not had:
            return past
        finding = self._read_as(query, had, query.correction)
        return [*(past or own), [one.with_share(_HAD) for one in self._expanded(finding)]]

    def _of_family(self, query: Query, what: str, own: list[list[QueryWording]]) -> list[list[QueryWording]]:
        """The wordings of a query that says ``what`` a relative has: its ``own`` ones, and a family history."""
        history = self._said_as(query, f"family history of {what}", Correction.REWORDED)
        return [
            *([one.with_share(1 - _OF_FAMILY) for one in group] for group in own),
            [one.with_share(_OF_FAMILY) for one in self._expanded(history)],
        ]

    def _capitalized(self, query: Query) -> Query:
        """A short word in capitals, if only that form is a name: "ards" is ARDS, whose S is not a plural."""
        text, capitals = query.text, query.text.upper()
        if not text.islower() or len(text) > _LONGEST_ACRONYM or self._signals.is_name(query.words):
            return query
        if not self._signals.is_name(tokens(capitals)):
            return query
        return self._said_as(query, capitals, Correction.CAPITALIZED)

    def _in_plain_words(self, query: Query) -> Query:
        """A query that is no name without what a record adds ("2) asthma, 2015"), as words are spelled outside messages
        ("cant sleep", "hurtsss wen i pee"), "L-sided" written out, and measured values as what they say ("K 6.2" is
        hyperkalemia), or parted and joined as names are ("mid-face hypoplasia"); doses as names that tell some do.
        """
        if self._signals.is_name(query.words):
            return query
        own = without_own_code(without_record(query.text), self._has_words)
        own = dose_as_named(own) if self._tells_doses else own
        whole = spelled_out(own, self._has_words)
        said, changes = values_in_words(spaced_as_names(without_own_initials(whole), self._signals))
        if said == query.text:
            return query
        correction = Correction.EXPANDED if changes else query.correction
        return self._read_as(query, said, correction, changes)

    def _of_patient(self, query: Query, scan: Scan) -> list[list[QueryWording]]:
        """What to search for where the query says something of the patient, as in `of`; where what stands within the
        words around it is a name, they are no part of one."""
        language, bare = query.language or language_of(query.text), self._bare(query.text)
        is_foreign = bool(language) and not is_said_in_english(query.text)
        lacked = (words for words in lacking(bare) if self._signals.is_candidate_name(words, scan))
        if (name := next(lacked, ())) and not self._signals.is_candidate_name(query.words, scan):
            named = self._said_as(query, " ".join(name), Correction.REWORDED)
            return [[QueryWording(1 - _AS_WRITTEN, named), QueryWording(_AS_WRITTEN, query)]]
        asserted = without_foreign_negation(bare) or without_negation(bare)
        if asserted and denial_begins_name(bare, asserted, self._signals):
            asserted = ""
        if not asserted and bare == query.text:
            return [self._in_all_words(query, scan, language, is_foreign)]
        core = self._read_as(query, asserted or bare, query.correction)
        within = self._in_all_words(replace(core, negated=bool(asserted)), scan, language, is_foreign)
        if not asserted and any(self._signals.is_candidate_name(one.query.words, scan) for one in within):
            return [within]
        whole = self._in_all_words(query, scan, language, is_foreign)
        return [
            [one.with_share(_AS_WRITTEN) for one in whole],
            [one.with_share(1 - _AS_WRITTEN) for one in within],
        ]

    def _bare(self, text: str) -> str:
        """A text without the words around what it asks for, and without the dose of a drug unless names tell doses."""
        bare = without_frame(text) or text
        bare = without_foreign_frame(bare) or bare
        return bare if self._tells_doses or self._is_designated(text) else without_dose(bare) or bare

    def _in_all_words(self, query: Query, scan: Scan, language: str, is_foreign: bool) -> list[QueryWording]:
        """The query as it is and in other words, each way with its prior; ``language`` is the one that the whole of
        it is in or is told to be in, empty where that may be English, and ``is_foreign`` says that it is not English.
        """
        own = self._expanded(query, foreign=is_foreign)
        return [*own, *self._reworded(query, scan), *self._cut_short(query, scan), *self._in_english(query, language)]

    def _unspecified(self, wording: QueryWording, scan: Scan) -> QueryWording:
        """A wording that ends with NOS (not otherwise specified), or says that nothing complicates a finding, as a name
        says that; itself where none does."""
        query = wording.query
        if scan.signal != "fused":
            return wording
        named = (words for words in said_uncomplicated(query.text) if self._signals.is_candidate_name(words, scan))
        if (words := next(named, ())) and not self._signals.is_candidate_name(query.words, scan):
            return wording._replace(query=self._said_as(query, " ".join(words), Correction.EXPANDED))
        bare = without_nos(query.text)
        text = f"{bare} {_UNSPECIFIED}"
        if bare == query.text or not self._signals.is_candidate_name(tuple(tokens(text)), scan):
            return wording
        return wording._replace(query=self._read_as(query, text, Correction.EXPANDED, (("NOS", _UNSPECIFIED),)))

    def _expanded(self, query: Query, *, foreign: bool = False) -> list[QueryWording]:
        """The query with its abbreviations written out, each way with its prior; only itself where it has none."""
        found = [
            replace(one, text=self._numbered(one.text)) if one.changes else one
            for one in self._signals.lexicon.expansions(query.text, self._is_word, foreign=foreign)
        ]
        priors = {one.text: one.prior for one in found}
        changes = {one.text: one.changes for one in found if one.changes}
        queries = changed_queries(self._signals.encoder, query, changes, Correction.EXPANDED) if changes else []
        return [QueryWording(priors.get(one.text, 1.0), one) for one in (query, *queries)]

    def _numbered(self, text: str) -> str:
        """A text that ends with a number as a name says it, which may call it that of a type: "CMT2A"."""
        if not any(letter.isdigit() for letter in text.rpartition(" ")[2]) or self._signals.is_name(tokens(text)):
            return text
        said = (one for one in with_type(tuple(tokens(text))) if self._signals.is_name(one))
        return next(map(" ".join, said), text)

    def _acronym_meanings(self, query: Query, scan: Scan) -> list[QueryWording]:
        """A query that is a name, and if that is only an acronym, also as what names of other concepts say it usually
        stands for: "DM" is a synonym of myotonic dystrophy, and diabetes mellitus to nearly everyone. Each with its
        prior.
        """
        itself = [QueryWording(1.0, query)]
        is_mixed = not (query.text.isupper() or query.text.islower())  # "CoA" is coenzyme A to all
        if len(query.words) > 1 or is_mixed or len(others := self._expanded(query)) == 1:
            return itself
        own, is_preferred = self._signals.candidates_named(query.words, scan)
        if is_preferred:
            return itself
        meanings = [one for one in others if one.query.changes]
        share = (1 - _OWN_ACRONYM) / sum(one.prior for one in meanings)
        found, left = [], _OWN_ACRONYM
        for prior, one in meanings:
            concepts, _ = self._signals.candidates_named(one.words, scan)
            if concepts and own.issuperset(concepts):
                left += prior * share
            elif concepts:
                found.append(QueryWording(prior * share, one))
        return [QueryWording(left, query), *found] if found else itself

    def _has_words(self, text: str) -> bool:
        """Whether names have all the words of a text."""
        return all(self._signals.is_known(tokens(text)))

    def _is_word(self, word: str) -> bool:
        """Whether names have it as a word: "rt" in one of a hundred thousand names is short for something there."""
        words = tokens(word)
        if not all(self._signals.is_known(words)):
            return False
        return not is_unspoken(word.lower()) or any(self._share_with(one) >= _SELDOM for one in words)

    def _in_english(self, query: Query, language: str) -> list[QueryWording]:
        """A query in another language as the table of everyday words and abbreviations says it, and as its words may be
        written too, each with its prior."""
        languages = self._signals.languages
        said = in_other_words(query.text, languages, self._has_words)
        if not said and not languages and language in table_languages():
            said = in_other_words(query.text, (language,), self._has_words)
        words = {one.text: one for one in said}
        written = [text for text in other_writings(query.text, languages) if text not in words]
        changes = {text: one.changes for text, one in words.items()} | {text: ((query.text, text),) for text in written}
        priors = [_IN_ENGLISH if one.is_whole else _IN_PART for one in words.values()]
        priors += [_OTHER_WRITING] * len(written)
        found = changed_queries(self._signals.encoder, query, changes, Correction.EXPANDED)
        return list(map(QueryWording, priors, found))

    def _reworded(self, query: Query, scan: Scan) -> list[QueryWording]:
        """The query as a name says it in other words, each way with its prior. None where it is a name."""
        if self._signals.is_candidate_name(query.words, scan):
            return []
        said = _said_as_named(query, lambda words: self._signals.is_candidate_name(words, scan))
        return [QueryWording(said.prior, self._said_as(query, text, said.correction)) for text in said.texts]

    def _cut_short(self, query: Query, scan: Scan) -> list[QueryWording]:
        """The query as the name that it begins word by word ("G. lamblia"), with its prior."""
        name = name_cut_short(query, self._signals, scan.source)
        if not name or not self._signals.is_candidate_name(name, scan):
            return []
        return [QueryWording(_REWORDED, self._said_as(query, " ".join(name), Correction.EXPANDED))]

    def _said_as(self, query: Query, text: str, correction: Correction) -> Query:
        """The query with all of its text in other words."""
        return self._read_as(query, text, correction, ((query.text, text),))

    def _read_as(
        self, query: Query, text: str, correction: Correction, changes: Sequence[tuple[str, str]] = ()
    ) -> Query:
        """The query with another text searched for; ``changes`` are what was written and what that is read as."""
        (found,) = changed_queries(self._signals.encoder, query, {text: changes}, correction)
        return found

    @cached_property
    def _tells_families(self) -> bool:
        """Whether the ontology has concepts for what relatives have."""
        return self._share_with(_FAMILY) * len(self._signals.names) >= _FAMILIES

    @cached_property
    def _tells_doses(self) -> bool:
        """Whether the names of the ontology say how much of a drug there is, so that it counts in a query too."""
        return self._share_with(_MILLIGRAM) > _DOSES

    def _is_designated(self, text: str) -> bool:
        """Whether a number with a capital in a text is a word of names, and so no dose: "LGMD 2G"."""
        return any(all(self._signals.is_known(tokens(one))) for one in _DESIGNATED.findall(text))

    def _share_with(self, word: str) -> float:
        """What part of the names of the ontology has a normalized word, about."""
        (number,) = self._signals.names.word_ids([word])
        return 0.0 if number is None else float(np.exp(-self._signals.names.idf[number]))


class _Said(NamedTuple):
    """The ``texts`` that say as a name what a query says, how likely each is, and what kind of change that is."""

    texts: Sequence[str]
    prior: float = _REWORDED
    correction: Correction = Correction.REWORDED


def _said_as_named(query: Query, is_named: Callable[[tuple[str, ...]], bool]) -> _Said:
    """What says as a name what a query says; no texts where no name says the same.

    A query may say in other words that something is wrong, or that there is too much of it; it may be an adjective
    ("confused"), leave out what a disease is called ("Guillain-Barré") or that its number is that of a type, or name
    the form or salt of a drug.
    """
    words = query.words
    bare = tuple(word for word in words if word != _OF)
    if any(map(is_named, {bare, (*bare, _OF)} - {words})):  # "injury of cornea" is *cornea injury*, no corneal disease
        return _Said([])
    amounts = said_as_amount(words)
    told = findings_for(words[0]) if len(words) == 1 else ()
    drugs = (drug for drug in drug_names(words) if words[-1] not in DOSE_FORMS or not is_treated(drug))
    for said in (*amounts, *with_type(words), *phrases_for(words), *drugs, *told):
        if is_named(said):
            text = " ".join(said)
            return _Said([text], _AS_AMOUNT, Correction.EXPANDED) if said in amounts else _Said([text])
    diseases = with_what_it_is(words) or without_apostrophe(query.text, words)
    if named := [" ".join(said) for said in diseases if is_named(said)]:
        return _Said(named, _REWORDED / len(named))
    disease = induced_disease(words)
    for said in (disease, *phrases_for(disease)):
        if said and is_named(said):
            return _Said([" ".join(said)], _WITHOUT_CAUSE)
    return _Said([])
