"""A review in Python: begun from candidates, decided, undone, merged, exported."""

from __future__ import annotations

from pathlib import Path

import pytest

import ontonym
from ontonym.errors import InputError, LockedError, UnknownNameError
from reviewed import laid_out


@pytest.fixture
def candidates(tmp_path: Path) -> Path:
    return laid_out(tmp_path)


def test_a_review_from_candidates_to_mappings(candidates: Path, tmp_path: Path) -> None:
    state = tmp_path / "my.review"
    with ontonym.start_review(candidates, state, reviewer="anna") as review:
        assert [item.id for item in review.listed()] == ["L:2", "L:4", "L:1", "L:3", "L:5"]
        assert review.decide("L:1", "accept").status == "mapped"
        assert review.decide("L:2", "exact", "9").in_force[0].target == "T:9", "the prefix is completed"
        review.decide("L:4", "none", comment="not here")
        review.decide("L:5", "accept")
        assert review.standing("L:5").in_force[0].verdict == "broad"
        assert (review.progress.decided, len(review)) == (4, 5)
        assert (review.undo(), review.standing("L:5").status) == (True, "undecided")
        assert (review.redo(), review.standing("L:5").status) == (True, "mapped")
        assert review.listed("mapped").columns()["decided"] == ["anna exact T:9", "anna exact T:1", "anna broad T:6"]
        assert "4 of 5 decided" in repr(review)
        assert review.export(tmp_path / "decided.csv").kinds == {"mapped": 3, "with no match": 1}
    assert "L:4" in (tmp_path / "decided.csv").read_text()
    with ontonym.open(state) as again:
        assert again["L:3"].label == "red hair"
        assert again.listed("undecided").columns()["id"] == ["L:3"]


def test_a_source_concept_is_named_by_its_code_alone(candidates: Path, tmp_path: Path) -> None:
    with ontonym.start_review(candidates, tmp_path / "my.review", reviewer="anna") as review:
        decided = review.decide("1", "exact", "T:1")
        assert (decided.status, decided) == ("mapped", review.standing("L:1"))
        assert review.assign("ben", ["2", "L:3"]) == 2
        assert [review.standing(code).assigned for code in ("L:2", "3", "L:4")] == ["ben", "ben", ""]
        assert review["4"].label == "nosebleed"


def test_a_sheet_is_written_filled_and_read(candidates: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "todo.csv"
    with ontonym.start_review(candidates, tmp_path / "my.review", reviewer="anna") as review:
        assert review.write_sheet(sheet, each=1) == 5
        filled = [f"{line},exact," if line.startswith("L:2") else line for line in sheet.read_text().splitlines()]
        sheet.write_text("\n".join(line.replace(",,,exact,", ",exact,") for line in filled) + "\n")
        assert review.read_sheet(sheet) == 1
        assert review.standing("L:2").in_force[0].target == "T:3"


def test_two_reviewers_are_merged(candidates: Path, tmp_path: Path) -> None:
    states = [tmp_path / "anna.review", tmp_path / "ben.review"]
    for state, target in zip(states, ("T:1", "T:2"), strict=True):
        with ontonym.start_review(candidates, state, reviewer=state.stem) as review:
            assert review.assign([state.stem]) == 5
            review.decide("L:1", "exact", target)
    merger = ontonym.merge_reviews(states, tmp_path / "both.review")
    assert [one.source for one in merger.disagreements] == ["L:1"]
    with ontonym.open_review(tmp_path / "both.review", read_only=True) as both:
        assert both.listed("disagreed").columns()["status"] == ["disagreed"]


def test_what_is_wrong_is_said(candidates: Path, tmp_path: Path) -> None:
    state = tmp_path / "my.review"
    with ontonym.start_review(candidates, state, reviewer="anna") as review:
        with pytest.raises(InputError, match="no source concept 'L:9'"):
            review["L:9"]
        with pytest.raises(UnknownNameError, match="unknown verdict 'maybe'"):
            review.decide("L:1", "maybe")
        with pytest.raises(UnknownNameError, match="unknown filter 'new'"):
            review.listed("new")
        with pytest.raises(InputError, match="names no reviewer"):
            review.assign([])
        with pytest.raises(LockedError):
            ontonym.open_review(state, reviewer="ben")
    with pytest.raises(InputError, match="is there already"):
        ontonym.start_review(candidates, state)
    with pytest.raises(InputError, match="no review to merge"):
        ontonym.merge_reviews([])


@pytest.mark.slow
def test_targets_are_looked_up_in_the_index_that_was_matched_to(index: ontonym.IndexHandle, tmp_path: Path) -> None:
    table = tmp_path / "codes.csv"
    table.write_text("code,name\nL1,Heart attack\nL2,Zebra crossing\n")
    ontonym.match(table, index, tmp_path / "map.sssom.tsv", candidates=tmp_path / "all.sssom.tsv", mode="best")
    with ontonym.start_review(
        tmp_path / "all.sssom.tsv", tmp_path / "my.review", proposals=tmp_path / "map.sssom.tsv", index=index
    ) as review:
        first = review.listed("all")[0].id
        with pytest.raises(InputError, match=r"no concept 'I50\.9'"):
            review.decide(first, "exact", "I50.9")
        assert review.decide(first, "exact", "H:5").in_force[0].label == "Fever"


def test_a_review_of_what_match_wrote_knows_the_index(index: ontonym.IndexHandle, tmp_path: Path) -> None:
    codes = tmp_path / "codes.csv"
    codes.write_text("code,name\nL1,Heart attack\nL2,Fits\n")
    ontonym.match(codes, index, tmp_path / "map.sssom.tsv", candidates=tmp_path / "all.sssom.tsv")
    ontonym.match(codes, index, tmp_path / "alone.sssom.tsv")
    for number, file in enumerate(("all.sssom.tsv", "alone.sssom.tsv")):
        with ontonym.start_review(tmp_path / file, tmp_path / f"{number}.review", reviewer="ann") as review:
            source = review.listed("all")[0].id
            with pytest.raises(InputError, match=r"no concept 'H:999' in heart.*`unchecked=`"):
                review.decide(source, "exact", "H:999")
            assert review.decide(source, "exact", "3").in_force[0].target == "H:3"
            assert review.decide(source, "exact", "H:999", unchecked=True).in_force[0].target == "H:999"
            with pytest.raises(InputError, match="no concept 'H:998'"):
                review.decide(source, "exact", "H:998")


def test_what_was_decided_follows_the_order_of_a_list(candidates: Path, tmp_path: Path) -> None:
    with ontonym.start_review(candidates, tmp_path / "my.review", reviewer="anna") as review:
        review.decide("L:2", "exact", "T:9")
        listed = review.listed("all")
        listed.reverse()
        assert dict(zip(listed.columns()["id"], listed.columns()["status"], strict=True))["L:2"] == "mapped"
        assert listed[-1:].columns()["status"] == [review.standing(listed[-1].id).status]
        assert [item.id for item in review] == ["L:1", "L:2", "L:3", "L:4", "L:5"]
        assert "L:1" in review
        assert review["L:1"] in review
        assert "L:9" not in review
