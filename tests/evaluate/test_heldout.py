from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.heldout import HeldOutSynonyms, HiddenName, HoldOutOptions, evaluate_held_out, hidden_names
from ontonym.evaluate.measures import Protocol, overlap_degree, overlap_interval
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.types import Concept, Hit, Mention, Term

ALL = HoldOutOptions(fraction=1)


def concept(id_: str, *terms: Term) -> Concept:
    return Concept(id_, (Term(f"name of {id_}", "preferred"), *terms))


def many(n: int = 2_000) -> list[Concept]:
    return [concept(f"T:{i}", Term(f"first {i}"), Term(f"second {i}")) for i in range(n)]


def queries(*concepts: Concept, options: HoldOutOptions = ALL) -> list[HiddenName]:
    held = HeldOutSynonyms(options)
    list(held.reduce(concepts))
    return held.queries


def test_about_a_tenth_is_hidden() -> None:
    held = HeldOutSynonyms()
    list(held.reduce(many()))
    assert held.eligible == 4_000
    assert len(held.queries) == pytest.approx(400, abs=60)


def test_hidden_names_leave_their_concept_and_nothing_else_does() -> None:
    held = HeldOutSynonyms()
    reduced = list(held.reduce(many()))
    kept = {(c.id, term.text) for c in reduced for term in c.terms}
    hidden = {(query.concept_id, query.text) for query in held.queries}
    assert kept.isdisjoint(hidden)
    assert kept | hidden == {(c.id, term.text) for c in many() for term in c.terms}


def test_choice_does_not_depend_on_order() -> None:
    assert sorted(q.text for q in queries(*many(), options=HoldOutOptions())) == sorted(
        q.text for q in queries(*reversed(many()), options=HoldOutOptions())
    )


def test_choice_depends_on_the_seed() -> None:
    assert queries(*many(), options=HoldOutOptions(seed=1)) != queries(*many(), options=HoldOutOptions(seed=2))


@pytest.mark.parametrize(
    "term",
    [
        Term("wide", scope="broad"),
        Term("gone", status="retired"),
        Term("full (disorder)", kind="fsn"),
        Term("Name of  T:1"),
    ],
)
def test_names_that_are_no_candidates_stay(term: Term) -> None:
    assert queries(concept("T:1", term)) == []


def test_names_equal_to_each_other_stay() -> None:
    assert queries(concept("T:1", Term("gout"), Term("Gout"), Term("podagra"))) == [HiddenName("podagra", "T:1")]


def test_key_decides_which_names_are_equal() -> None:
    held = HeldOutSynonyms(ALL, key=lambda text: text.lower().rstrip("s"))
    list(held.reduce([concept("T:1", Term("seizure"), Term("seizures"))]))
    assert held.queries == []


def test_retired_concepts_keep_their_names() -> None:
    assert queries(Concept("T:1", (Term("a", "preferred"), Term("b")), status="retired")) == []


def test_language_limits_the_hidden_names() -> None:
    options = HoldOutOptions(fraction=0.999_999, language="de")
    assert queries(concept("T:1", Term("gout"), Term("Gicht", language="de")), options=options) == [
        HiddenName("Gicht", "T:1")
    ]


def test_fraction_outside_its_range_is_refused() -> None:
    with pytest.raises(InputError, match="above 0 and at most 1"):
        HoldOutOptions(fraction=1.01)


def test_report_of_held_out_names() -> None:
    def search(mentions: Sequence[Mention]) -> Iterable[Sequence[Hit]]:
        found = {"a": ["T:1"], "b": ["T:9", "T:1"], "c": ["T:2"], "d": []}
        return [[Hit(i, i, i, "synonym", "exact", "", "t", 0.9, 0.9) for i in found[m.text]] for m in mentions]

    hidden = [HiddenName("a", "T:1"), HiddenName("b", "T:1"), HiddenName("c", "T:2"), HiddenName("d", "T:3")]
    report = evaluate_held_out(
        hidden, search, Protocol("T", "held out", "T 1"), bootstrap=BootstrapOptions(resamples=200)
    )
    values = {name: overlap_interval.value for name, overlap_interval in report.measures.items()}
    assert values == {"hits@1": 0.5, "hits@10": 0.75, "mrr": 0.625}
    assert (report.n, report.unit) == (4, "concept")


def test_a_release_may_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "codes.csv").write_text("id,preferred,synonyms\nT:1,Fever,Pyrexia\nT:2,Seizure,Fits\n")
    assert sorted(one.text for one in hidden_names([tmp_path / "release"], ALL)) == ["Fits", "Pyrexia"]


def test_only_one_kind_is_hidden() -> None:
    one = concept("T:1", Term("belly ache", "lay"), Term("abdominalgia"), Term("AP", "abbreviation"))
    hidden = queries(one, options=HoldOutOptions(fraction=1, kind="lay"))
    assert [query.text for query in hidden] == ["belly ache"]
    with pytest.raises(UnknownNameError, match="Valid: abbreviation, entry, lay, synonym"):
        HoldOutOptions(kind="preferred")


def test_the_overlap_degree_is_the_share_of_the_words_that_names_left_have() -> None:
    whole = Concept("T:1", (Term("Pain of the abdomen", "preferred"), Term("pain in the belly", "lay"), Term("aching")))
    (query,) = queries(whole, options=HoldOutOptions(fraction=1, kind="lay"))
    assert query.overlap == pytest.approx(1 / 2)  # pain and belly; in and the do not count
    assert overlap_degree("of the", ["of the"]) == 0
    assert overlap_degree("pain PAIN tumours", ["tumour"]) == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    ("degree", "named"),
    [(0, "0-0.2"), (0.2, "0-0.2"), (0.21, "0.2-0.4"), (1 / 3, "0.2-0.4"), (0.8, "0.6-0.8"), (1, "0.8-1")],
)
def test_degrees_fall_into_the_intervals_of_the_figure(degree: float, named: str) -> None:
    assert overlap_interval(degree) == f"overlap {named}"
