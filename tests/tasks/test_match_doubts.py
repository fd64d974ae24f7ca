"""What a search doubts, and so is not proposed as a match; and how a match reads the names of local lists."""

from __future__ import annotations

import pytest

from made import concept, opened
from ontonym.index import IndexOptions, build_index, open_index
from ontonym.tasks import search
from ontonym.tasks.match import MatchOptions, match
from ontonym.types import Term


@pytest.mark.parametrize("names", ["read", "written"])
def test_what_a_search_doubts_is_not_proposed(tmp_path, names):
    codes = [concept("T:1", "hypokalemia", "low potassium"), concept("T:2", "kidney disease")]
    terms = ["potassium", "low serum potassium", "kidney", "disorder of kidney"]
    local = [concept(f"L:{number}", name) for number, name in enumerate(terms, 1)]
    with opened(tmp_path, local, codes) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            made = match(source, index, MatchOptions(mode="best", names=names))
            assert {(one.id, one.proposed.id) for one in made if one.proposed} == {("L:2", "T:1"), ("L:4", "T:2")}
            scores = {one.id: candidate.score for one in made for candidate in one.candidates[:1]}
            assert 0 < scores["L:1"] < 0.3 > scores["L:3"] > 0


def test_a_finding_without_what_a_name_tells_of_its_course_is_no_exact_match(tmp_path):
    local = [concept("L:1", "wrist pain, worse at night"), concept("L:2", "severe wrist pain")]
    with opened(tmp_path, local, [concept("T:1", "wrist pain"), concept("T:2", "ankle pain")]) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            assert [hit.id for hit in search(index, "wrist pain, worse at night")][:1] == ["T:1"]
            proposed = [one.proposed for one in match(source, index, MatchOptions(mode="best"))]
            assert [one.predicate for one in proposed if one] == ["skos:broadMatch"]  # of severe pain, which says more


def test_what_a_search_doubts_is_no_narrower_match_by_its_words(tmp_path):
    codes = [concept("T:1", "hypokalemia", "low potassium"), concept("T:2", "acute kidney failure")]
    local = [concept("L:1", "potassium"), concept("L:2", "kidney failure")]
    with opened(tmp_path, local, codes) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            made = list(match(source, index, MatchOptions(mode="best", related=True, threshold=0.6)))
            predicates = {one.id: one.proposed.predicate for one in made if one.proposed}
            assert predicates == {"L:2": "skos:narrowMatch"}


@pytest.mark.parametrize("names", ["read", "written"])
def test_the_reason_says_why_a_candidate_is_doubted(tmp_path, names):
    local = [concept("L:1", "potassium"), concept("L:2", "low potassium")]
    codes = [concept("T:1", "hypokalemia", "low potassium"), concept("T:2", "potassium deficiency")]
    with opened(tmp_path, local, codes) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            found = match(source, index, MatchOptions(mode="best", names=names))
            why = [[one.reason.detail.partition("; less sure: ")[2] for one in made.candidates] for made in found]
            hits = [hit.reason.detail.partition("; less sure: ")[2] for hit in search(index, "potassium")]
            assert sorted(why[0]) == sorted(hits) == ["", "the query names a substance, and this is a finding"]
            assert not any(why[1])


def test_an_abbreviation_that_says_whose_finding_it_is_is_written_out(tmp_path):
    codes = [concept("T:1", "family history of breast cancer"), concept("T:2", "personal history of breast cancer")]
    local = [concept("L:1", "FH breast cancer"), concept("L:2", "Hb")]
    with opened(tmp_path, local, [*codes, concept("T:3", "heart block")]) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            made = list(match(source, index, MatchOptions(mode="best")))
            assert {one.id: one.proposed.id for one in made if one.proposed} == {"L:1": "T:1"}


def test_an_abbreviation_with_two_meanings_is_the_likelier_one_and_nothing_broader(tmp_path):
    codes = [concept("T:1", "carcinoembryonic antigen"), concept("T:2", "carotid endarterectomy")]
    codes += [concept("T:3", "endarterectomy"), concept("T:4", "antigen")]
    with opened(tmp_path, [concept("L:1", "CEA")], codes) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            best = search(index, "CEA")[0]
            (made,) = match(source, index, MatchOptions(mode="best"))
            assert made.proposed
            assert (made.proposed.id, made.proposed.predicate, best.id) == ("T:1", "skos:exactMatch", "T:1")
            assert 0.5 < made.proposed.score <= min(best.confidence, 0.8)
            options = MatchOptions(mode="best", related=True, threshold=0.9)  # no surer endarterectomy
            assert [one.proposed for one in match(source, index, options)] == [None]


def test_two_things_are_not_below_what_the_second_is(tmp_path):
    local = [concept("L:1", "gizmo + induction of labor"), concept("L:2", "failed induction of labor")]
    with opened(tmp_path, local, [concept("T:1", "induction of labor"), concept("T:2", "fever")]) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            options = MatchOptions(mode="best", related=True, threshold=0.7)
            made = [one.proposed for one in match(source, index, options)]
            assert [one and one.predicate for one in made] == [None, "skos:broadMatch"]


def test_a_name_in_another_language_is_read_in_it_where_that_is_known(tmp_path):
    names = ["Husten", Term("Husten", "preferred", language="de"), Term("Husten", "preferred", language="de-CH")]
    local = [concept(f"L:{number}", name) for number, name in enumerate(names, 1)]
    with opened(tmp_path, local, [concept("T:1", "cough"), concept("T:2", "fever")]) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            made = [one.proposed for one in match(source, index, MatchOptions(mode="best"))]
            assert [one and (one.id, one.reason.detail) for one in made] == [
                None,
                ("T:1", "read as “cough”: the same text"),
                ("T:1", "read as “cough”: the same text"),
            ]


def test_shorthand_of_an_english_name_in_a_list_of_another_language_is_read(tmp_path):
    names = [Term(text, "preferred", language="de") for text in ("chronic sob", "suspected sob")]
    local = [concept(f"L:{number}", name) for number, name in enumerate(names, 1)]
    with opened(tmp_path, local, [concept("T:1", "shortness of breath"), concept("T:2", "fever")]) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            made = [one.proposed for one in match(source, index, MatchOptions(mode="best", related=True))]
            assert [one and one.id for one in made] == ["T:1", "T:1"]


def test_a_name_that_says_nothing_is_not_below_what_its_group_is(tmp_path):
    local = [
        concept("L:1", "Kidney failure"),
        concept("L:2", "Unknown / undiagnosed", parents="L:1"),
        concept("L:3", "Dialysis since 2019", parents="L:1"),
    ]
    with opened(tmp_path, local, [concept("T:1", "kidney failure"), concept("T:2", "fever")]) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            made = {one.id: one.proposed for one in match(source, index, MatchOptions(mode="best", related=True))}
            assert {id_: one and one.predicate for id_, one in made.items()} == {
                "L:1": "skos:exactMatch", "L:2": None, "L:3": "skos:broadMatch"
            }  # fmt: skip


def test_what_leaves_more_unsaid_is_the_same_and_a_side_is_no_kind_of_thing(tmp_path):
    names = ("Dark urine, unspecified", "Cough - left", "DO NOT USE - Dark urine", "Z187 - Dark urine")
    local = [concept(f"L:{number}", name) for number, name in enumerate(names, 1)]
    theirs = [concept("T:1", "dark urine"), concept("T:2", "left"), concept("T:3", "cough"), concept("T:4", "fever")]
    with opened(tmp_path, local, theirs) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions(everyday=False))
        with open_index(tmp_path / "t.index") as index:
            made = {one.id: one.proposed for one in match(source, index, MatchOptions(mode="best", related=True))}
            proposed = {id_: one and (one.predicate, one.id) for id_, one in made.items() if id_ != "L:2"}
            assert proposed == dict.fromkeys(("L:1", "L:3", "L:4"), ("skos:exactMatch", "T:1"))
            assert made["L:2"] is None or made["L:2"].id != "T:2"


def test_what_a_near_name_finds_is_close_and_not_the_same(tmp_path):
    local = [concept("L:1", "obstructive sleep apnea"), concept("L:2", "blacking out")]
    with opened(tmp_path, local, [concept("T:1", "sleep apnea"), concept("T:2", "syncope")]) as (source, target):
        build_index([target], tmp_path / "t.index", options=IndexOptions())
        with open_index(tmp_path / "t.index") as index:
            proposed = [one.proposed for one in match(source, index, MatchOptions(mode="best"))]
            assert [(one.id, one.predicate) for one in proposed if one] == [
                ("T:1", "skos:closeMatch"), ("T:2", "skos:exactMatch"),
            ]  # fmt: skip
