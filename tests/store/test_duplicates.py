"""Which records of a terminology are one concept, by what it says itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from built import SMALL, indexed
from ontonym.store import Terminology, open_terminology
from ontonym.store.duplicates import first_duplicates, recorded_duplicates

RECORDS = """format-version: 1.2
ontology: twice

[Term]
id: T:1
name: Brittle hair disease
alt_id: X:1

[Term]
id: X:1
name: FRAGILE HAIR

[Term]
id: T:2
name: Double nail syndrome, type 2
subset: disorder

[Term]
id: X:2
name: DOUBLE-NAIL SYNDROME TYPE 2
subset: disorder

[Term]
id: T:3
name: Glass bone disease
xref: X:3

[Term]
id: X:3
name: Crystal bones
xref: T:3

[Term]
id: T:4
name: Blue ear disease
xref: X:4

[Term]
id: X:4
name: Blue ears

[Term]
id: T:5
name: Other fever

[Term]
id: T:51
name: Other fever
is_a: T:5

[Term]
id: T:6
name: Potassium
subset: substance

[Term]
id: T:61
name: Potassium
subset: measurement

[Term]
id: T:7
name: N-sand
synonym: "x" EXACT []

[Term]
id: T:71
name: N'-sand

[Term]
id: T:8
name: Old cough

[Term]
id: T:81
name: Old cough
is_obsolete: true
"""


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminology]:
    folder = tmp_path_factory.mktemp("twice")
    index = indexed(folder, {"twice.obo": RECORDS}, SMALL)
    assert index.exists()
    (path,) = folder.glob("*.terminology")
    with open_terminology(path) as opened:
        yield opened


def same(twice: Terminology, *ids: str) -> bool:
    firsts = first_duplicates(twice, [twice.row(one) for one in ids])
    assert firsts in ([0, 1], [0, 0])
    return firsts == [0, 0]


@pytest.mark.parametrize(("one", "other"), [("T:1", "X:1"), ("T:2", "X:2"), ("T:3", "X:3")])
def test_ids_names_and_mutual_references_say_that_records_are_the_same(
    twice: Terminology, one: str, other: str
) -> None:
    assert same(twice, one, other)
    assert same(twice, other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("T:4", "X:4"),  # only one references the other
        ("T:5", "T:51"),  # one is above the other
        ("T:6", "T:61"),  # a substance and a measurement
        ("T:7", "T:71"),  # a prime tells substances apart
        ("T:8", "T:81"),  # retired
        ("T:1", "T:2"),
    ],
)
def test_nothing_less_does(twice: Terminology, one: str, other: str) -> None:
    assert not same(twice, one, other)
    assert not same(twice, other, one)


def test_groups_begin_with_their_first_row(twice: Terminology) -> None:
    rows = [twice.row(one) for one in ("T:5", "X:2", "T:1", "T:2", "X:1")]
    assert first_duplicates(twice, rows) == [0, 1, 2, 1, 2]
    assert first_duplicates(twice, []) == []


def test_a_record_is_looked_up_from_either_side(twice: Terminology) -> None:
    def recorded(concept: str) -> list[str]:
        return [twice.id(row) for row in recorded_duplicates(twice, twice.row(concept))]

    assert [recorded(one) for one in ("T:1", "X:1", "T:3", "X:3")] == [["X:1"], ["T:1"], ["X:3"], ["T:3"]]
    assert [recorded(one) for one in ("T:2", "T:4", "X:4", "T:5", "T:8")] == [[]] * 5  # names are not compared


def test_a_preferred_term_of_many_says_nothing(tmp_path: Path) -> None:
    rows = "".join(f"\n[Term]\nid: T:{number}\nname: Unspecified\n" for number in range(4))
    indexed(tmp_path, {"many.obo": f"format-version: 1.2\nontology: many\n{rows}"}, SMALL)
    with open_terminology(next(tmp_path.glob("*.terminology"))) as many:
        assert first_duplicates(many, [0, 1, 2, 3]) == [0, 1, 2, 3]
        assert first_duplicates(many, [0, 1, 2]) == [0, 0, 0]
