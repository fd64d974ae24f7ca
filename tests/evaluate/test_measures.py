from __future__ import annotations

import numpy as np
import pytest

from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.measures import (
    Protocol,
    check_cutoffs,
    composite_rank,
    gold_rank,
    nil_rank,
    per_mention,
)
from ontonym.types import Hit

RANKS = np.array([1, 2, 0, 6, 10], dtype=np.int64)


def hit(id_: str, *ambiguous: str) -> Hit:
    return Hit(id_, id_, id_, "synonym", "exact", "", "t", 0.9, 0.9, ambiguous=ambiguous)


def same(id_: str) -> str:
    return id_


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("accuracy@1", 0.2),
        ("accuracy@5", 0.4),
        ("accuracy@10", 0.8),
        ("hits@1", 0.2),
        ("mrr", (1 + 1 / 2 + 1 / 6 + 0.1) / 5),
    ],
)
def test_measure_is_the_mean_over_every_mention(measure: str, value: float) -> None:
    assert per_mention(measure, RANKS).mean() == pytest.approx(value)


@pytest.mark.parametrize("name", ["accuracy", "accuracy@0", "precision@1"])
def test_unknown_measure_lists_the_valid_ones(name: str) -> None:
    with pytest.raises(UnknownNameError, match="accuracy@k, hits@k, mrr"):
        per_mention(name, RANKS)


def test_strict_rank_counts_the_hits_own_concept_only() -> None:
    hits = [hit("A", "B"), hit("B", "A")]
    assert gold_rank(hits, frozenset({"B"}), same, lenient=False, depth=10) == 2
    assert gold_rank(hits, frozenset({"B"}), same, lenient=True, depth=10) == 1


def test_rank_stops_at_depth() -> None:
    assert gold_rank([hit("A"), hit("B")], frozenset({"B"}), same, lenient=False, depth=1) == 0


def test_alternative_ids_resolve_in_answers() -> None:
    resolve = {"OLD": "NEW", "NEW": "NEW"}.get
    assert gold_rank([hit("OLD")], frozenset({"NEW"}), resolve, lenient=False, depth=10) == 1


def parts_rank(answers: list[list[Hit]], *gold: str) -> int:
    return composite_rank(answers, [frozenset({id_}) for id_ in gold], same, lenient=False, depth=10)


def test_composite_is_right_when_each_part_is_answered_first() -> None:
    assert parts_rank([[hit("A")], [hit("B")]], "B", "A") == 1


def test_composite_has_the_rank_of_its_worst_part() -> None:
    assert parts_rank([[hit("A")], [hit("X"), hit("Y"), hit("B")]], "A", "B") == 3


def test_unsplit_composite_cannot_be_right() -> None:
    assert parts_rank([[hit("A"), hit("B")]], "A", "B") == 2


def test_extra_part_with_a_wrong_answer_is_wrong() -> None:
    assert parts_rank([[hit("A")], [hit("B")], [hit("X")]], "A", "B") == 0


def test_extra_part_that_repeats_a_right_answer_is_right() -> None:
    assert parts_rank([[hit("A")], [hit("B")], [hit("A")]], "A", "B") == 1


def test_part_with_no_answer_is_not_found() -> None:
    assert parts_rank([[hit("A")], []], "A", "B") == 0


def test_nil_is_right_when_nothing_is_answered() -> None:
    assert (nil_rank([]), nil_rank([hit("A")])) == (1, 0)


def test_protocol_refuses_an_unknown_rule() -> None:
    with pytest.raises(UnknownNameError, match="Valid: all, any, found, skip"):
        Protocol("NCBI", "dev", "MEDIC", composite="most")  # type: ignore[arg-type]


def test_protocol_caption_names_every_rule() -> None:
    assert Protocol("BC5CDR", "dev", "MeSH 2024", types=("Disease",), nil="in").caption() == (
        "BC5CDR dev (Disease), MeSH 2024, names: ontology, ambiguous names: strict, composites: any, NIL in, "
        "gold missing from the terminology: wrong, first 10 answers"
    )


def test_cutoff_below_the_depth_is_refused() -> None:
    with pytest.raises(InputError, match="accuracy@10 needs 10 answers, and the protocol looks at 5"):
        check_cutoffs(["accuracy@1", "accuracy@10"], 5)
