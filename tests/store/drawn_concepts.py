"""Concepts drawn for tests, and their way into a file of some format and back."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st

from limits import examples
from ontonym.ontology.batch import Batch, batches_of
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology
from ontonym.store.export import TerminologyExport, export_terminology
from ontonym.types import KINDS, SCOPES, STATUSES, Concept, Mapping, Property, Relation, Term


class Listed:
    """A release whose concepts are given."""

    metadata: ClassVar = {"name": "hp", "version": "1", "prefix": "HP"}

    def __init__(self, given: Iterable[Concept]) -> None:
        self._given = list(given)
        self.counts = self

    def batches(self) -> Iterator[Batch]:
        return batches_of(self._given)

    def to_dict(self) -> dict[str, int]:
        return {}


NASTY = st.text(
    st.one_of(st.sampled_from("|\\\"',;:#\t\n\r\x00\x0b\x1f\u2028é中"), st.characters(exclude_categories=["Cs"])),
    min_size=1,
    max_size=12,
)
TIDY = NASTY.map(lambda text: " ".join(text.replace("\0", "").split())).filter(bool)
"""Names as formats have them that know no white space at the ends of a name, no line breaks and no NUL in it."""
LANGUAGES = st.sampled_from(["en", "de", "pt-BR"])
IDS = st.integers(0, 99).map(lambda n: f"HP:{n:07}")
ANY_IDS = st.one_of(IDS, st.sampled_from(["MESH:D1", "local:a b|c", "SCTID:22298006", "http://x.org/y#z"]))


def some(values: st.SearchStrategy[Any], most: int = 3, unique: bool = True) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(values, max_size=most, unique=unique).map(tuple)


def terms(text: st.SearchStrategy[str], **parts: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Term, ...]]:
    """A preferred term, and others; no two with the same text."""
    plain = {"kind": st.just("synonym"), "scope": st.just("exact"), "language": st.just("en")}
    term = st.builds(Term, text, **(plain | parts))
    others = st.lists(term, max_size=4, unique_by=lambda t: t.text)
    first = st.builds(Term, text, st.just("preferred"))
    return st.builds(lambda a, b: (a, *(t for t in b if t.text != a.text)), first, others)


def concepts(
    names: Any, text: st.SearchStrategy[str], ids: Any = IDS, **parts: Any
) -> st.SearchStrategy[list[Concept]]:
    """Concepts with different ids."""
    concept = st.builds(
        Concept, id=ids, terms=names, parents=some(ids), definitions=some(text, 2), tags=some(text),
        status=st.sampled_from(STATUSES), alternative_ids=some(st.sampled_from(["HP:1000001", "HP:1000002"])),
        replaced_by=some(ids), consider=some(ids), xrefs=some(st.sampled_from(["UMLS:C1", "MESH:D1"])),
        relations=some(st.builds(Relation, st.sampled_from(["BFO:0000050", "site of"]), ids)), **parts,
    )  # fmt: skip
    return st.lists(concept, min_size=1, max_size=25, unique_by=lambda c: c.id)


@st.composite
def full(draw: st.DrawFn) -> list[Concept]:
    """Concepts with everything that a concept may have, and nothing tidied."""
    kinds, scopes, statuses = map(st.sampled_from, (KINDS, SCOPES, STATUSES))
    names = st.lists(
        st.builds(Term, NASTY, kinds, scopes, LANGUAGES, statuses, st.one_of(st.just(""), NASTY)),
        max_size=4, unique_by=lambda t: (t.text, t.kind, t.language),
    ).map(tuple)  # fmt: skip
    mapping = st.builds(
        Mapping, st.just(""), st.sampled_from(["skos:exactMatch", "x:y"]), st.one_of(st.just(""), ANY_IDS), NASTY,
        confidence=st.one_of(st.none(), st.floats(0, 1)), object_label=st.one_of(st.just(""), NASTY), source=NASTY,
        rule=st.one_of(st.just(""), NASTY), comment=st.one_of(st.just(""), NASTY), group=st.integers(0, 9),
        priority=st.integers(0, 9),
    )  # fmt: skip
    properties = some(st.builds(Property, NASTY, NASTY))
    made = draw(concepts(names, NASTY, ANY_IDS, properties=properties, mappings=some(mapping)))
    return [replace(c, mappings=tuple(replace(m, subject_id=c.id) for m in c.mappings)) for c in made]


def there_and_back(given: Iterable[Concept], format: str) -> tuple[list[Concept], list[Concept], TerminologyExport]:
    """The concepts as stored, as they come back, and what the export said."""
    with tempfile.TemporaryDirectory() as folder:
        place, out = (
            Path(folder) / "a.terminology",
            Path(folder) / ("a.json" if format == "obographs" else f"a.{format}"),
        )
        build_terminology(Listed(given), place)
        with open_terminology(place) as terminology:
            done = export_terminology(terminology, out, format=format)
            stored = [terminology.concept(row) for row in range(len(terminology))]
        release = read_release([out], format="table" if format in {"csv", "tsv", "jsonl"} else format)
        return stored, list(release.concepts()), done


many = examples(
    12, suppress_health_check=list(HealthCheck), phases=[phase for phase in Phase if phase is not Phase.explain]
)
