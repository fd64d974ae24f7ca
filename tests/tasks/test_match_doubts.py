"""What a search doubts, and so is not proposed as a match."""

from __future__ import annotations

import pytest

from made import concept, opened
from ontonym.index import IndexOptions, build_index, open_index
from ontonym.tasks import search
from ontonym.tasks.match import MatchOptions, match


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
