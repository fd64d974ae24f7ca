"""What a search doubts, and so is not proposed as a match."""

from __future__ import annotations

import pytest

from made import concept, opened
from ontonym.index import IndexOptions, build_index, open_index
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
