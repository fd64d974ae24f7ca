"""Retrieval measures beside ir_measures (trec_eval), on adversarial rankings too; gains worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, Success, nDCG
from scipy import stats

from limits import examples
from made import concept
from ontonym.errors import InputError
from ontonym.evaluate.measures import MEASURES, measured, ndcg
from ontonym.evaluate.retrieval import (
    SearchQuestion,
    answered,
    interval_notes,
    rankings_of,
    related_gains,
    report_retrieval,
)
from ontonym.evaluate.retrievaltables import normalized_table
from ontonym.evaluate.significance import EACH, BootstrapOptions, Interval, paired_t_test

THEIRS = {
    "mrr": RR(rel=3),
    **{f"hits@{k}": Success(rel=3) @ k for k in (1, 5, 10)},
    **{f"ndcg@{k}": nDCG @ k for k in (1, 5, 10)},
    **{f"recall@{k}": R(rel=3) @ k for k in (1, 5, 10)},
}

concepts = st.sampled_from([f"C{number}" for number in range(14)])
questions = st.lists(
    st.tuples(st.lists(concepts, max_size=12, unique=True), st.dictionaries(concepts, st.integers(-1, 3), min_size=1)),
    min_size=1, max_size=8,
)  # fmt: skip


@examples(200)
@given(questions)
def test_every_measure_as_trec_eval_has_it(drawn):
    """Also where nothing was found, nothing found is worth anything, or no concept is right."""
    rankings, gains = [list(side) for side in zip(*drawn, strict=True)]
    qrels = [ir_measures.Qrel(str(q), c, gain) for q, worth in enumerate(gains) for c, gain in worth.items()]
    run = [
        ir_measures.ScoredDoc(str(q), c, float(-place))
        for q, ranking in enumerate(rankings) for place, c in enumerate(ranking)
    ]  # fmt: skip
    found = measured(rankings, gains, measures=MEASURES[:4])
    theirs = {name: np.full(len(gains), np.nan) for name in THEIRS}
    names = {str(measure): name for name, measure in THEIRS.items()}
    for metric in ir_measures.iter_calc(list(THEIRS.values()), qrels, run):
        theirs[names[str(metric.measure)]][int(metric.query_id)] = metric.value
    for name, values in found.items():
        assert values == pytest.approx(np.nan_to_num(theirs[name]), abs=1e-9)


@examples(100)
@given(questions)
def test_ndcg_of_what_was_returned_knows_no_other_concept(drawn):
    rankings, gains = [list(side) for side in zip(*drawn, strict=True)]
    found = measured(rankings, gains, measures=["ndcg-returned"])
    for k in (1, 5, 10):
        seen = [
            {concept: worth.get(concept, 0) for concept in ranking[:k]}
            for ranking, worth in zip(rankings, gains, strict=True)
        ]
        assert found[f"ndcg-returned@{k}"] == pytest.approx(ndcg(rankings, seen, k))


def test_the_papers_example_of_ndcg():
    """Right, sibling, parent, uncle, grandparent: Ngo gives 0.976 against the best order of these five."""
    worth = {"right": 3, "sibling": 1, "parent": 2, "uncle": 1, "grandparent": 1}
    (found,) = ndcg([["right", "sibling", "parent", "uncle", "grandparent"]], [worth], 5)
    assert found == pytest.approx(0.9766, abs=1e-4)
    worth |= {"child": 2}  # which was not found
    ranking = list(worth)[:5]
    (whole,), (own,) = (ndcg([ranking], [worth], 5, returned=returned) for returned in (False, True))
    assert own == found > whole


def test_gains_of_a_small_hierarchy(open_concepts):
    (terminology,) = open_concepts(
        [
            concept("root"), concept("grandparent", parents="root"), concept("parent", parents="grandparent"),
            concept("other parent", parents="root"), concept("uncle", parents="grandparent"),
            concept("cousin", parents="uncle"), concept("gold", parents="parent"), concept("sibling", parents="parent"),
            concept("child", parents="gold"), concept("grandchild", parents="child"),
            concept("great-grandchild", parents="grandchild"), concept("nephew", parents="sibling"),
        ]
    )  # fmt: skip
    found = related_gains(terminology.hierarchy, [terminology.row("gold")])
    assert {terminology.id(row): gain for row, gain in found.items()} == {
        "gold": 3, "parent": 2, "child": 2, "grandparent": 1, "uncle": 1, "sibling": 1, "grandchild": 1,
    }  # fmt: skip
    both = related_gains(terminology.hierarchy, [terminology.row("gold"), terminology.row("child")])
    assert both[terminology.row("child")] == both[terminology.row("gold")] == 3


def test_of_several_labels_each_concept_counts_with_its_best_confidence():
    answers = {"a": [("X", 0.5), ("Y", 0.4)], "b": [("Y", 0.9), ("Z", 0.5)], "c": []}
    asked = [SearchQuestion("1", ("a", "b"), frozenset({"Y"})), SearchQuestion("2", ("c",), frozenset({"Y"}))]
    found = answered(lambda texts: [answers[text] for text in texts], asked, 3)
    assert found == [(("Y", 0.9), ("X", 0.5), ("Z", 0.5)), ()]
    assert rankings_of(answered(lambda texts: [answers[text] for text in texts], asked, 1)) == [["Y"], []]


def test_what_is_measured_is_the_order_in_which_it_was_found() -> None:
    found = [("A:1", 0.4), ("B:1", 0.9), ("A:2", 0.1)]  # of two terminologies, each with confidences of its own
    asked = [SearchQuestion("q", ("q",), frozenset({"A:1"}), 0.0)]
    assert rankings_of(answered(lambda texts: [found for _ in texts], asked, 2)) == [["A:1", "B:1"]]


def test_the_paired_t_test_is_scipys():
    generator = np.random.default_rng(0)
    first, second = generator.random(30), generator.random(30)
    assert paired_t_test(first, second) == pytest.approx(stats.ttest_rel(first, second).pvalue, abs=1e-12)
    assert paired_t_test(first, first.copy()) == 1.0
    assert paired_t_test(np.zeros(5), np.ones(5)) == 0.0
    with pytest.raises(InputError, match="cannot be paired"):
        paired_t_test(first, second[:3])


def test_a_report_by_overlap_degree():
    asked = [SearchQuestion(str(n), ("x",), frozenset({"A"}), overlap) for n, overlap in enumerate((0.1, 0.15, 0.9))]
    report = report_retrieval(asked, [["A"], [], ["B", "A"]], [{"A": 3}] * 3)
    assert report.measures["hits@1"].value == pytest.approx(1 / 3)
    assert report.measures["mrr"].value == pytest.approx(0.5)
    assert list(report.by_overlap) == ["overlap 0.8-1", "overlap 0-0.2"]
    assert report.by_overlap["overlap 0-0.2"][0] == 2
    assert report.by_overlap["overlap 0-0.2"][1]["hits@10"].value == 0.5
    with pytest.raises(InputError, match="no question"):
        report_retrieval([], [], [])


def test_names_of_one_concept_are_drawn_together():
    right = (np.arange(120) // 6) % 4 > 0  # twenty concepts with six names each, all found or all missed
    rankings = [["X" if one else "Y"] for one in right]
    golds = [f"C{n // 6}" for n in range(120)]
    gains = [{"X": 3}] * 120

    def interval(names: list[str], bootstrap: BootstrapOptions) -> Interval:
        asked = [SearchQuestion(str(n), ("x",), frozenset({gold})) for n, gold in enumerate(names)]
        return report_retrieval(asked, rankings, gains, bootstrap, measures=("mrr",)).measures["mrr"]

    drawn, each = BootstrapOptions(resamples=999), replace(EACH, resamples=999)
    together, apart = interval(golds, drawn), interval(golds, each)
    assert together.value == apart.value == 0.75
    assert (together.high - together.low) / (apart.high - apart.low) == pytest.approx(6**0.5, rel=0.15)
    different = [str(n) for n in range(120)]
    assert interval(different, drawn) == interval(different, each) == apart
    asked = [SearchQuestion(str(n), ("x",), frozenset({gold})) for n, gold in enumerate(golds)]
    assert interval_notes(asked, drawn)[0].startswith("[low, high]: 95% interval, percentile bootstrap over concepts")
    assert interval_notes(asked[:12], drawn)[1].startswith("note: 2 concepts are few")
    assert interval_notes(asked[:1], drawn)[1].startswith("note: 1 question is few")


def test_a_run_that_reached_nothing_hides_no_figures_of_the_others():
    asked = [SearchQuestion("1", ("a",), frozenset("A")), SearchQuestion("2", ("b",), frozenset("B"))]
    gains = [{"A": 3}, {"B": 3}]
    nothing, found = (
        report_retrieval(asked, rankings, gains, measures=("mrr",), first_stage=rankings)
        for rankings in ([["C"], []], [["C", "A"], []])
    )
    table = normalized_table({"nothing": nothing, "found": found}, "the first stage")
    assert table.columns == ("run", "n", "n. mrr")
    assert [row[:2] for row in table.rows] == [("nothing", 0), ("found", 1)]
    assert table.rows[0][2] is None
    assert table.rows[1][2].value == 0.5
