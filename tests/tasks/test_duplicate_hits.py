"""Duplicate records of one concept in a terminology are one answer: they name each other and are no rivals."""

from __future__ import annotations

from pathlib import Path

import pytest

from built import SMALL, index_fixture, indexed, indexed_twice
from ontonym.evaluate.corpora import GoldMention
from ontonym.evaluate.measures import gold_rank
from ontonym.evaluate.normalization import Answer
from ontonym.index import AddedTerm, Index, open_index
from ontonym.index.calibration import Calibration, Curve, write_calibration
from ontonym.index.fuse import PREFERRED
from ontonym.tasks import NormalizeOptions, SearchOptions, explain_hits, normalize, search
from ontonym.tasks.confidences import RatedCandidates
from ontonym.tasks.search import Experiment
from ontonym.types import Hit, Mention

WARD = """id\tpreferred\tsynonyms\talternative_ids
M:1\tGlass Bone Disease\t\t
O:1\tGLASS BONE DISEASE\tGBD1\t
M:2\tMarble fever\tRed fever\tO:2
O:2\tRED FEVER\t\t
M:4\tShaking\t\t
M:5\tTrembling\tShaking\t
"""


index = index_fixture({"ward.tsv": WARD}, SMALL)


def by_id(hits: list[Hit]) -> dict[str, Hit]:
    return {hit.id: hit for hit in hits}


@pytest.mark.parametrize(("text", "one", "other"), [("glass bone disease", "M:1", "O:1"), ("red fever", "M:2", "O:2")])
def test_duplicates_name_each_other_and_share_no_probability(index: Index, text: str, one: str, other: str) -> None:
    first, second, *others = search(index, text)
    assert {first.id, second.id} == {one, other}
    assert (first.equivalents, second.equivalents) == ((second.id,), (first.id,))
    assert first.confidence == second.confidence > 0.9
    assert first.ambiguous == second.ambiguous == ()
    assert first.confidence + sum(hit.confidence for hit in others) <= 1 + 1e-6


def test_concepts_that_only_share_a_name_stay_rivals(index: Index) -> None:
    hits = by_id(search(index, "shaking"))
    assert (hits["M:4"].ambiguous, hits["M:4"].equivalents) == (("M:5",), ())
    assert hits["M:4"].confidence + hits["M:5"].confidence <= 1


def test_an_answer_has_the_codes_of_both(index: Index) -> None:
    (answer,) = normalize(index, [Mention("glass bone disease")])
    assert {answer.id, *answer.equivalents} == {"M:1", "O:1"}
    assert answer.certainty == "sure"
    assert answer.candidates == tuple(search(index, "glass bone disease"))
    (answer,) = normalize(index, [Mention("glass bone disease")], NormalizeOptions(search=SearchOptions(k=1)))
    assert answer.equivalents == ("O:1" if answer.id == "M:1" else "M:1",)
    (answer,) = normalize(index, [Mention("glass")], NormalizeOptions(threshold=1))
    assert (answer.id, answer.equivalents) == (None, ())


def test_an_explained_hit_and_a_code_name_the_duplicate_too(index: Index) -> None:
    text = "glass bone disease"
    assert [one.hit for one in explain_hits(index, text)] == search(index, text)
    (hit,) = search(index, "M:2")
    assert hit.equivalents == ("O:2",)


def test_one_signal_names_what_records_say_only(index: Index) -> None:
    hits = by_id(search(index, "red fever", SearchOptions(signal="char")))
    assert hits["M:2"].equivalents == ("O:2",)
    assert by_id(search(index, "glass bone disease", SearchOptions(signal="char")))["M:1"].equivalents == ()


def test_a_duplicate_is_right_under_the_lenient_rule(index: Index) -> None:
    first, second, *_ = search(index, "red fever")
    for gold, strict in ((first.id, 1), (second.id, 2)):
        ranks = [
            gold_rank([first, second], frozenset((gold,)), index.resolve, lenient=one, depth=10)
            for one in (True, False)
        ]
        assert ranks == [1, strict]


def test_the_duplicates_together_are_the_rival_of_the_others() -> None:
    firsts = [0, 1, 0, 3]
    one_terminology = RatedCandidates([0.4, 0.3, 0.2, 0.05], [0, 0, 0, 0], firsts)
    assert [*map(one_terminology.own, range(4))] == pytest.approx([0.6, 0.3, 0.6, 0.05])
    two = RatedCandidates([0.4, 0.3, 0.2, 0.05], [0, 1, 0, 1], firsts)
    apart = [*map(two.own, range(4))]
    assert apart == pytest.approx([0.6 / 0.65, 0.3 / 0.4, 0.6 / 0.65, 0.05 / 0.4])


def test_a_calibration_takes_duplicates_as_one_concept_with_a_name_of_its_own(tmp_path: Path) -> None:
    place = indexed(tmp_path, {"ward.tsv": WARD}, SMALL)
    levels = {"spelled": 0.9, "shared": 0.5, "mended": 0.4, "near": 0.3}
    write_calibration(place, Calibration({way: Curve((0.0, 1.0), (0.0, most)) for way, most in levels.items()}))
    text = "glass bone disease"
    with open_index(place) as index:
        raw = search(index, text, Experiment(calibrated=False))
        hits = search(index, text)
        assert [hit.confidence for hit in hits[:2]] == pytest.approx([0.9 * raw[0].confidence] * 2, abs=1e-6)
        (answer,) = normalize(index, [Mention(text)])
        assert answer.candidates == tuple(hits)
        shared = search(index, "shaking")[0]
        assert shared.confidence == pytest.approx(0.5 * PREFERRED / (PREFERRED + 1), abs=0.01)


def test_an_outcome_for_calibration_is_right_by_either_record(index: Index) -> None:
    pytest.importorskip("sklearn")
    from ontonym.evaluate.calibration import answered_outcomes

    hits = tuple(search(index, "glass bone disease"))
    gold = [GoldMention(Mention("glass bone disease"), (frozenset((one,)),)) for one in ("M:1", "O:1", "M:4")]
    outcomes = answered_outcomes([Answer(one, hits) for one in gold], index.resolve)
    assert outcomes.right.tolist() == [1, 1, 0]


def test_a_term_added_to_one_of_two_records_makes_neither_surer_than_sure(tmp_path: Path) -> None:
    indexed_twice(tmp_path, {"ward.tsv": WARD}, [AddedTerm("O:1", "glass bone disease")])
    with open_index(tmp_path / "added.index") as index:
        for shared in (False, True):
            hits = search(index, "glass bone disease", Experiment(calibrated=False, shared=shared))
            assert hits[0].id == "O:1"
            assert max(hit.confidence for hit in hits) <= 1
        (answer,) = normalize(
            index, [Mention("glass bone disease")], NormalizeOptions(search=Experiment(calibrated=False))
        )
        assert answer.confidence <= 1
