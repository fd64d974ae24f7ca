"""TREC files: written, read back with equal measures, and bad lines told."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.evaluate.measures import MEASURES, measured
from ontonym.evaluate.retrieval import SearchQuestion, rankings_of
from ontonym.evaluate.trec import (
    QRELS,
    QUERIES,
    RunOptions,
    evaluate_runs,
    named_measures,
    read_qrels,
    read_run,
    write_run,
    write_trec,
)

ASKED = [
    SearchQuestion("heart attack", ("heart attack", "MI"), frozenset({"T:1"})),
    SearchQuestion("q2", ("x\ty",), frozenset()),
]
GAINS = [{"T:1": 3, "T:0": 2}, {"T 2": 1}]
ANSWERS = [(("T:9", 0.5), ("T:1", 0.5), ("T:0", 0.1)), ()]


def test_files_and_what_is_read_back(tmp_path):
    write_trec(tmp_path, ASKED, GAINS, {"our run": ANSWERS})
    assert (tmp_path / QRELS).read_text() == "1 0 T:1 3\n1 0 T:0 2\n2 0 T%202 1\n"
    assert (tmp_path / QUERIES).read_text().splitlines() == [
        "number\tid\ttexts", "1\theart attack\theart attack | MI", "2\tq2\tx y",
    ]  # fmt: skip
    assert (tmp_path / "our%20run.run").read_text().splitlines() == [
        "1 Q0 T:9 1 0.500000 our%20run", "1 Q0 T:1 2 0.499999 our%20run", "1 Q0 T:0 3 0.100000 our%20run",
    ]  # fmt: skip
    assert read_qrels(tmp_path / QRELS) == {"1": {"T:1": 3, "T:0": 2}, "2": {"T%202": 1}}
    assert read_run(tmp_path / "our%20run.run") == {"1": (("T:9", 0.5), ("T:1", 0.499999), ("T:0", 0.1))}


concepts = st.sampled_from([f"C{number}" for number in range(9)])
confidences = st.sampled_from([0.0, 0.1, 0.1000001, 0.5, 0.9, 1.0])


@examples(100)
@given(
    st.lists(
        st.tuples(
            st.dictionaries(concepts, confidences, max_size=9), st.dictionaries(concepts, st.integers(1, 3), min_size=1)
        ),
        min_size=1, max_size=5,
    )
)  # fmt: skip
def test_ties_keep_their_order_for_trec_eval(tmp_path_factory, drawn):
    """What trec_eval makes of a file is what we measure: also for equal confidences."""
    folder = tmp_path_factory.mktemp("trec")
    answers = [tuple(sorted(found.items(), key=lambda one: -one[1])) for found, _ in drawn]
    gains = [worth for _, worth in drawn]
    asked = [SearchQuestion(str(number), (), frozenset()) for number in range(len(drawn))]
    write_trec(folder, asked, gains, {"r": answers})
    if not (folder / "r.run").stat().st_size:
        return
    run = list(ir_measures.read_trec_run(str(folder / "r.run")))
    qrels = list(ir_measures.read_trec_qrels(str(folder / QRELS)))
    ours = measured(rankings_of(answers), gains, (1, 5), MEASURES)
    theirs = {
        "ndcg@5": ir_measures.nDCG @ 5, "mrr": ir_measures.RR(rel=3), "hits@1": ir_measures.Success(rel=3) @ 1,
        "recall@5": ir_measures.R(rel=3) @ 5,
    }  # fmt: skip
    for name, measure in theirs.items():
        for metric in ir_measures.iter_calc([measure], qrels, run):
            expected = float(np.nan_to_num(metric.value))
            assert ours[name][int(metric.query_id) - 1] == pytest.approx(expected, abs=1e-9)
    back = read_run(folder / "r.run")
    for number, found in enumerate(answers, 1):
        assert [concept for concept, _ in back.get(str(number), ())] == [concept for concept, _ in found]


def test_equal_scores_of_others_are_ranked_as_trec_eval_does(tmp_path):
    (tmp_path / "r.run").write_text("1 Q0 A 1 0.5 r\n1 Q0 C 2 0.5 r\n1 Q0 B 3 0.7 r\n\n")
    assert [concept for concept, _ in read_run(tmp_path / "r.run")["1"]] == ["B", "C", "A"]
    qrels = [ir_measures.Qrel("1", "C", 1)]
    run = ir_measures.read_trec_run(str(tmp_path / "r.run"))
    assert ir_measures.calc_aggregate([ir_measures.RR], qrels, run)[ir_measures.RR] == 0.5


def test_any_measure_of_ir_measures():
    gold = {"1": {"A": 1, "B": 1}, "2": {"A": 1}}
    run = {"1": (("A", 0.9), ("C", 0.8), ("B", 0.7))}
    found = named_measures(["AP@10", "P@2"], ["1", "2"], gold, run)
    assert found["AP@10"].tolist() == [pytest.approx((1 + 2 / 3) / 2), 0.0]
    assert found["P@2"].tolist() == [0.5, 0.0]
    with pytest.raises(UnknownNameError, match="nonsense"):
        named_measures(["nonsense"], ["1"], gold, run)
    with pytest.raises(InputError, match="not a share"):
        named_measures(["NumRet"], ["1"], gold, run)


def test_questions_with_nothing_but_junk():
    """trec_eval writes outside its memory where the highest relevance of a question is -2."""
    gold = {str(number): {"A": -2, "B": -2} for number in range(500)}
    found = named_measures(["AP@100"], list(gold), gold, dict.fromkeys(gold, (("A", 0.9), ("C", 0.8))))
    assert not found["AP@100"].any()


@pytest.mark.parametrize(
    ("read", "content", "said"),
    [
        (read_run, "1 Q0 A 1 0.5 r\n1 Q0 B 2\n", "r:2: expected question Q0"),
        (read_run, "1 Q0 A 1 high r\n", "r:1: expected question Q0"),
        (read_run, "1 Q0 A 1 0.5 r\n1 Q0 A 2 0.4 r\n", "answered with A twice"),
        (read_run, "\n", "is empty"),
        (read_qrels, "1 0 A\n", "r:1: expected question 0"),
        (read_qrels, "1 0 A nan\n", "r:1: expected question 0"),
        (read_qrels, "1 0 A 1\n1 0 B 1.5\n", "r:2: expected question 0"),
    ],
)
def test_bad_lines_are_told(tmp_path, read, content, said):
    (tmp_path / "r").write_text(content)
    with pytest.raises(FormatError, match=said):
        read(tmp_path / "r")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "none")


def test_a_relevance_that_no_answer_has_is_an_error(tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 A 3\n1 0 B 0\n")
    (tmp_path / "a.run").write_text("1 Q0 A 1 0.5 a\n")
    with pytest.raises(InputError, match="no answer has a relevance of 4 or more"):
        evaluate_runs(tmp_path / "qrels.txt", {"a": str(tmp_path / "a.run")}, RunOptions(relevant=4))


def test_a_run_of_nothing_is_an_empty_file(tmp_path):
    write_run(tmp_path / "r.run", [(), ()], "r")
    assert not (tmp_path / "r.run").read_bytes()
