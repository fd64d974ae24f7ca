"""OMOP's SOURCE_TO_CONCEPT_MAP (CDM 5.4): a site's source codes with the standard concepts that they mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np

from ontonym.errors import InputError
from ontonym.ontology.omop.words import MAPS_TO, NO_CONCEPT, PREFIX, vocabulary_of
from ontonym.store.export.fhirproperties import code_of
from ontonym.store.export.formats import csv_rows
from ontonym.store.export.mappingfacts import MappingExport, MappingFacts
from ontonym.store.mappings.iris import BARE_PREFIX, split_id
from ontonym.store.mappings.rows import NO_TERM, SAME, Row, denied
from ontonym.store.open import Terminology
from ontonym.text.strings import Strings

COLUMNS = (
    "source_code", "source_concept_id", "source_vocabulary_id", "source_code_description", "target_concept_id",
    "target_vocabulary_id", "valid_start_date", "valid_end_date", "invalid_reason",
)  # fmt: skip
"""The columns of the table, in order."""

LONGEST = {"source_code": 50, "source_vocabulary_id": 20, "source_code_description": 255}
"""The maximum number of characters of each column."""

UPHILL = SAME | {"skos:closeMatch", "skos:broadMatch"}
"""Predicates that the table can represent: OMOP maps a code to an equal or a broader concept."""

LITERALS = "local"
"""The vocabulary of codes without a prefix, and of words without a code."""
FIRST_DAY, LAST_DAY = "1970-01-01", "2099-12-31"
STANDARD = ("standard concept", "S")

WANTS_CONCEPTS = "OMOP's own concept ids are needed"
GET_OMOP = (
    "Download the vocabularies from athena.ohdsi.org, import them (`build_terminology()`), and give them: "
    "`omop=athena.terminology`"
)
WANTS_VOCABULARIES = f"SOURCE_TO_CONCEPT_MAP wants the vocabulary of each target too. {GET_OMOP}"

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def write_source_map(rows: Sequence[Row], facts: MappingFacts, out: BinaryIO) -> MappingExport:
    """Writes mappings to OMOP's concepts; a target that is not standard is replaced by the standard concepts it maps
    to.

    Raises InputError if target codes cannot become concept ids, or the name of a vocabulary is too long.
    """
    left_out: Counter[str] = Counter()
    cut: Counter[str] = Counter()
    targets = OmopTargets(facts, rows)
    given = facts.vocabularies.get(PREFIX.rstrip(":"), "")
    date = facts.slots.get("mapping_date", "")
    written = 0
    with csv_rows(out) as write:
        write(COLUMNS)
        for row in rows:
            source = _source(row, facts, left_out, cut)
            found = targets.of(row, left_out) if source is not None else []
            written += bool(found)
            day = row.get("mapping_date") or date
            start = day if _DATE.fullmatch(day) else FIRST_DAY
            for concept in found:
                code, vocabulary_id, label = source or ("", "", "")
                vocabulary = targets.vocabulary(concept) or given
                if not vocabulary:
                    raise InputError(f"{row['object_id']}: {WANTS_VOCABULARIES}")
                write([code, 0, vocabulary_id, label, concept, vocabulary, start, LAST_DAY, ""])
    return MappingExport(written, left_out + cut)


def _source(row: Row, facts: MappingFacts, left_out: Counter[str], cut: Counter[str]) -> tuple[str, str, str] | None:
    """Code, vocabulary and description of a source, or None if the row is left out."""
    if denied(row) or row["predicate_id"] not in UPHILL:
        left_out["mappings that are denied, narrower, or only related"] += 1
        return None
    subject = row.get("subject_id", "")
    prefix, code = split_id(subject)[0], code_of(subject) or row["subject_label"]
    if len(code) > LONGEST["source_code"]:
        left_out[f"sources of more than {LONGEST['source_code']} characters"] += 1
        return None
    vocabulary = facts.vocabularies.get(prefix) or (
        vocabulary_of(prefix) if prefix else facts.vocabularies.get(BARE_PREFIX, LITERALS)
    )
    if len(vocabulary) > LONGEST["source_vocabulary_id"]:
        longest = LONGEST["source_vocabulary_id"]
        raise InputError(f"{vocabulary}: a vocabulary_id has at most {longest} characters: `vocabularies={prefix}=ID`")
    label = row.get("subject_label", "")
    cut[f"descriptions, cut at {LONGEST['source_code_description']} characters"] += (
        len(label) > LONGEST["source_code_description"]
    )
    return code, vocabulary, label[: LONGEST["source_code_description"]]


class OmopTargets:
    """The OMOP concepts of targets; of one that is not standard, the standard concepts that it maps to."""

    def __init__(self, facts: MappingFacts, rows: Sequence[Row]) -> None:
        self._omop = facts.omop
        codes = {row["object_id"] for row in rows if not row["object_id"].startswith(PREFIX)}
        self._by_code = _rows_by_code(facts.omop, codes) if facts.omop else {}

    def of(self, row: Row, left_out: Counter[str]) -> list[int]:
        """The concept ids, `NO_CONCEPT` where nothing fits; none if the vocabularies have none, which is counted.

        Raises InputError for a code of another terminology where no OMOP vocabularies are given.
        """
        target = row["object_id"]
        if target == NO_TERM:
            return [NO_CONCEPT]
        if self._omop is None:
            number = target.removeprefix(PREFIX)
            if not target.startswith(PREFIX) or not number.isdecimal():
                raise InputError(f"{target}: {WANTS_CONCEPTS}. {GET_OMOP}")
            return [int(number)]
        places = [place] if (place := self._omop.find(target)) is not None else self._by_code.get(target, [])
        found = dict.fromkeys(one for place in places for one in self._standard(self._omop, place))
        if not found:
            left_out["targets for which the OMOP vocabularies have no standard concept"] += 1
        return [int(self._omop.id(one).removeprefix(PREFIX)) for one in found]

    def preferred(self, concept: int) -> str:
        """The name of a concept; empty where that is not known."""
        return "" if (place := self._place(concept)) is None or self._omop is None else self._omop.preferred(place)

    def vocabulary(self, concept: int) -> str:
        """The vocabulary of a concept; empty where that is not known, ``None`` for `NO_CONCEPT`."""
        if concept == NO_CONCEPT:
            return "None"
        place = self._place(concept)
        if place is None or self._omop is None:
            return ""
        terms = self._omop.terms_of(place)
        return self._omop.term(terms.start).source if terms else "None"

    def _place(self, concept: int) -> int | None:
        return None if self._omop is None else self._omop.find(f"{PREFIX}{concept}")

    @staticmethod
    def _standard(omop: Terminology, place: int) -> Iterator[int]:
        """The concept itself if it is standard, else those that it maps to."""
        concept = omop.concept(place)
        if any((one.name, one.value) == STANDARD for one in concept.properties):
            yield place
            return
        for mapping in concept.mappings:
            row = omop.find(mapping.object_id) if mapping.source == MAPS_TO and mapping.object_id else None
            if row is not None:
                yield row


def _rows_by_code(omop: Terminology, codes: set[str]) -> dict[str, list[int]]:
    """The concepts that have one of some codes, which are stored as cross-references; active ones first."""
    lists = omop.lists("xrefs")
    wanted = np.unique(Strings.of(sorted(codes)).hashes())
    places = np.flatnonzero(np.isin(lists.values.strings().hashes(), wanted))
    owners = np.searchsorted(np.asarray(lists.bounds), places, side="right") - 1
    found: dict[str, list[int]] = {}
    for place, owner in zip(places.tolist(), owners.tolist(), strict=True):
        found.setdefault(lists.values[place], []).append(owner)
    return {code: sorted(some, key=lambda one: not omop.active[one]) for code, some in found.items()}
