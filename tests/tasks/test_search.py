from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from built import indexed
from ontonym.errors import InputError, UnknownNameError
from ontonym.index import Index, IndexOptions, build_index, open_index
from ontonym.store import open_terminology
from ontonym.tasks import SIGNALS, SearchOptions, explain, search, search_many

HUMAN = """format-version: 1.2
ontology: human

[Term]
id: H:1
name: Disorder of heart

[Term]
id: H:2
name: Heart attack
synonym: "Myocardial infarction" EXACT []
synonym: "Infarction, Myocardial" RELATED []
synonym: "MI" BROAD []
synonym: "ARDS" RELATED []
is_a: H:1

[Term]
id: H:3
name: Heart failure
is_a: H:1

[Term]
id: H:4
name: Cold
synonym: "Common cold" EXACT []
synonym: "Coryza" EXACT []

[Term]
id: H:5
name: Low temperature
synonym: "Cold" EXACT []

[Term]
id: H:6
name: Haemangioma
synonym: "Strawberry mark" NARROW []

[Term]
id: H:7
name: obsolete Dropsy
synonym: "Hydropsy" EXACT []
is_obsolete: true
replaced_by: H:3

[Term]
id: H:8
name: Diabetes mellitus type 1

[Term]
id: H:9
name: Diabetes mellitus type 2
alt_id: H:90
"""

MOUSE = """format-version: 1.2
ontology: mouse

[Term]
id: M:1
name: Whisker loss

[Term]
id: M:2
name: heart attack
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("search")
    indexed(made, {"human.obo": HUMAN, "mouse.obo": MOUSE})
    return made


@pytest.fixture(scope="module")
def index(folder: Path) -> Iterator[Index]:
    with open_index(folder / "a.index") as opened:
        yield opened


QUERIES = ["heart attack", "cold", "infarct of the myocardium", "diabetes type II", "hemangiomas", "xyzzy", "heart"]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("signal", SIGNALS)
def test_hits_come_once_each_and_by_confidence(index: Index, query: str, signal: str) -> None:
    hits = search(index, query, SearchOptions(signal=signal))
    assert len({hit.id for hit in hits}) == len(hits)
    assert all(0 < hit.confidence <= 1 for hit in hits)
    for terminology in {hit.terminology for hit in hits}:
        confidences = [round(hit.confidence, 6) for hit in hits if hit.terminology == terminology]
        assert confidences == sorted(confidences, reverse=True)
        if signal == "fused":
            assert sum(confidences) <= 1.00001


def test_a_hit_tells_all_of_its_term(index: Index) -> None:
    hit = search(index, "strawberry marks")[0]
    assert (hit.id, hit.preferred, hit.matched) == ("H:6", "Haemangioma", "Strawberry mark")
    assert (hit.kind, hit.scope, hit.terminology, hit.status) == ("synonym", "narrow", "human", "active")
    assert hit.signals["lexical"] == 1
    assert hit.signals["char"] == pytest.approx(1, abs=0.02)
    assert hit.signals["dense"] == pytest.approx(1, abs=0.02)
    assert hit.similarity == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("heart failure", "H:3"),
        ("hemangiomas", "H:6"),
        ("type II diabetes mellitus", "H:9"),
        ("type I diabetes mellitus", "H:8"),
        ("myocardail infarction", "H:2"),
        ("MI", "H:2"),
        ("coryza", "H:4"),
    ],
)
def test_right_concept_comes_first(index: Index, query: str, first: str) -> None:
    assert search(index, query, SearchOptions(terminologies=("human",)))[0].id == first


def test_the_preferred_term_wins_a_tie_of_names(index: Index) -> None:
    first, second = search(index, "cold", SearchOptions(signal="lexical"))[:2]
    assert first.confidence == second.confidence == 1
    assert (first.id, second.id) == ("H:4", "H:5")
    assert (first.kind, second.kind) == ("preferred", "synonym")


def test_after_that_more_names_and_then_the_order_of_terminologies(index: Index) -> None:
    hits = search(index, "heart attack", SearchOptions(signal="lexical"))
    assert [hit.id for hit in hits[:2]] == ["H:2", "M:2"]
    assert hits[0].confidence == hits[1].confidence


def test_concepts_that_share_the_name_name_one_another(index: Index) -> None:
    hits = {hit.id: hit for hit in search(index, "Cold")}
    assert hits["H:4"].ambiguous == ("H:5",)
    assert hits["H:5"].ambiguous == ("H:4",)
    assert all(hit.ambiguous == () for name, hit in hits.items() if name not in ("H:4", "H:5"))


def test_ambiguous_concepts_cut_off_by_k_are_still_named(index: Index) -> None:
    (hit,) = search(index, "Cold", SearchOptions(k=1))
    assert len(hit.ambiguous) == 1
    assert {hit.id, *hit.ambiguous} == {"H:4", "H:5"}


@pytest.mark.parametrize(
    ("query", "matched"),
    [
        ("Myocardial infarction", "Myocardial infarction"),
        ("Infarction, Myocardial", "Infarction, Myocardial"),
        ("infarction, myocardial", "Infarction, Myocardial"),
        ("myocardial infarctions", "Myocardial infarction"),
    ],
)
def test_of_equal_names_the_one_written_like_the_query_is_shown(index: Index, query: str, matched: str) -> None:
    hit = next(hit for hit in search(index, query) if hit.id == "H:2")
    assert hit.matched == matched


def test_reasons(index: Index) -> None:
    def reason(query: str, concept: str) -> tuple[str, tuple[str, ...]]:
        hit = explain(index, query, concept).hit
        return hit.reason.rule, hit.reason.changes

    assert reason("Heart attack", "H:2") == ("exact", ())
    assert reason("hemangiomas", "H:6") == ("normalized", ("case", "spelling variant", "plural"))
    assert reason("heart attack of somebody", "H:3")[0] == "meaning"
    assert (
        explain(index, "hemangiomas", "H:6").hit.reason.detail == "the same but for case, spelling variant and plural"
    )
    assert reason("haemangiomma", "H:6")[0] == "spelling"
    assert reason("failure of heart", "H:3")[0] in ("words", "normalized")


@pytest.mark.parametrize(("query", "rule"), [("ARDS", "exact"), ("ards", "spelling")])
def test_an_acronym_is_found_in_small_letters_too(index: Index, query: str, rule: str) -> None:
    hit = search(index, query)[0]
    assert (hit.id, hit.matched, hit.reason.rule) == ("H:2", "ARDS", rule)
    assert hit.confidence > 0.5


def test_filters_keep_to_what_they_name(index: Index) -> None:
    def ids(**options: tuple[str, ...]) -> list[str]:
        return sorted(hit.id for hit in search(index, "heart attack", SearchOptions(**options)))

    assert ids(within=("H:1",)) == ["H:1", "H:2", "H:3"]
    assert ids(within=("H:2",)) == ["H:2"]
    assert ids(terminologies=("mouse",)) == ["M:1", "M:2"] or ids(terminologies=("mouse",)) == ["M:2"]
    assert ids(within=("H:1",), terminologies=("mouse",)) == []


def test_a_filter_leaves_the_namesakes_outside_unnamed(index: Index) -> None:
    (first, *_) = search(index, "heart attack", SearchOptions(terminologies=("human",)))
    assert first.ambiguous == ()


def test_k_and_the_least_confidence_cut_the_list(index: Index) -> None:
    hits = search(index, "heart")
    assert search(index, "heart", SearchOptions(k=2)) == hits[:2]
    least = hits[1].confidence
    assert [hit.id for hit in search(index, "heart", SearchOptions(least=least))] == [hit.id for hit in hits[:2]]


@pytest.mark.parametrize("text", ["", " ", "?!", "\u200b", "ωωω φφφ ωωω"])
def test_text_that_means_nothing_has_no_sure_hit(index: Index, text: str) -> None:
    assert all(hit.confidence < 0.5 for hit in search(index, text))
    if not text.strip(" ?!\u200b"):
        assert search(index, text) == []


@pytest.mark.slow
@pytest.mark.parametrize("signal", SIGNALS)
def test_a_very_long_text_is_searched_like_any_other(index: Index, signal: str) -> None:
    text = "heart attack " + " ".join(f"word{number}" for number in range(1_000))
    hits = search(index, text, SearchOptions(signal=signal))
    assert all(hit.confidence < 0.5 for hit in hits)


def test_wrong_options_are_errors_that_list_the_valid_names() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown signal 'densse'. Did you mean 'dense'\? Valid: char, dense"):
        SearchOptions(signal="densse")
    with pytest.raises(
        UnknownNameError,
        match=r"unknown strategy 'O'\. Valid: added, added-mean, .*, all, all-mean, names, names-mean, tuned$",
    ):
        SearchOptions(strategy="O")
    with pytest.raises(InputError, match="k is 0"):
        SearchOptions(k=0)


def test_retired_concepts_are_found_where_the_index_has_them(index: Index, folder: Path) -> None:
    assert all(hit.matched != "Hydropsy" for hit in search(index, "Hydropsy"))
    with open_terminology(folder / "human.terminology") as human:
        build_index([human], folder / "b.index", encoder=folder / "a.encoder", options=IndexOptions(retired=True))
    with open_index(folder / "b.index") as other:
        hit = search(other, "Hydropsy")[0]
        assert (hit.id, hit.status) == ("H:7", "retired")


def test_same_search_gives_the_same_hits(index: Index) -> None:
    for query in QUERIES:
        assert search(index, query) == search(index, query)


def test_queries_that_are_searched_for_together_have_the_hits_of_each(index: Index) -> None:
    texts = [
        "heart attack",
        "qqq",
        "hart failure",
        "MI",
        "H:4",
        "no cold",
        "infarction of the heart",
        "cold",
        "type 2 mark",
    ]
    texts = [*texts, *texts[::-1]]
    for options in (SearchOptions(), SearchOptions(strategy="O-C"), SearchOptions(signal="char"), SearchOptions(k=1)):
        found = search_many(index, texts, options)
        assert found == [search(index, text, options) for text in texts]
        assert found[0][0].id in ("H:2", "M:2")
        assert found[:9] == found[:8:-1]
