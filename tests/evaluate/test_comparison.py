"""Runs compared: bootstrap and t-test as scipy has them, and what cannot be compared."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate.comparison import compare_pairs, compare_runs, compare_with_figure, comparison_table
from ontonym.evaluate.results import Run
from ontonym.evaluate.significance import BootstrapOptions

N = 60
GENERATOR = np.random.default_rng(5)
KEYS = tuple(f"q{number}" for number in range(N))
LOW, HIGH = GENERATOR.random(N) * 0.6, 0.3 + GENERATOR.random(N) * 0.7


def run(name: str, values: np.ndarray, **more: object) -> Run:
    return Run(name, KEYS[: len(values)], {"mrr": values}, **more)  # type: ignore[arg-type]


def test_difference_interval_and_tests_are_scipys():
    bootstrap = BootstrapOptions(resamples=999, seed=3)
    found = compare_runs(run("low", LOW), run("high", HIGH), bootstrap)
    theirs = stats.bootstrap(
        (HIGH - LOW,), np.mean, n_resamples=999, method="percentile", rng=np.random.default_rng(3), batch=999
    )
    one = found.differences["mrr"]
    assert one.difference.value == pytest.approx((HIGH - LOW).mean(), abs=1e-12)
    assert one.difference.low == pytest.approx(theirs.confidence_interval.low, abs=0.02)
    assert one.difference.high == pytest.approx(theirs.confidence_interval.high, abs=0.02)
    assert found.t_tests["mrr"] == pytest.approx(stats.ttest_rel(LOW, HIGH).pvalue, abs=1e-12)
    assert found.verdict("mrr").startswith("high is better than low: mrr +0.")
    back = compare_runs(run("high", HIGH), run("low", LOW), bootstrap)
    assert back.verdict("mrr").startswith("low is worse than high: mrr -0.")
    assert (
        compare_runs(run("a", LOW), run("b", LOW)).verdict("mrr").startswith("b and a are not told apart: mrr +0.000")
    )


def test_documents_are_drawn_where_there_are_any():
    """Sixty answers of two documents tell as much as two answers: the interval is wider."""
    groups = ("x",) * 30 + ("y",) * 30
    values = np.repeat([0.2, 0.9], 30)
    base = np.full(N, 0.5)
    single = compare_runs(run("a", base), run("b", values)).differences["mrr"].difference
    grouped = compare_runs(run("a", base, groups=groups), run("b", values, groups=groups)).differences["mrr"].difference
    assert single.high - single.low < 0.3
    assert (grouped.low, grouped.high) == (pytest.approx(-0.3), pytest.approx(0.4))


def test_one_sample_against_a_published_figure():
    found = compare_with_figure(run("ours", HIGH), "mrr", 0.3)
    one = found.differences["mrr"]
    assert one.difference.value == pytest.approx(HIGH.mean() - 0.3)
    assert found.t_tests["mrr"] == pytest.approx(stats.ttest_1samp(HIGH, 0.3).pvalue, rel=1e-9)
    assert one.p == pytest.approx(1 / 10_001)  # none of Xu's 10,000 runs strays so far
    assert compare_with_figure(run("ours", HIGH), "mrr", float(HIGH.mean())).differences["mrr"].p == 1.0
    with pytest.raises(InputError, match="between 0 and 1"):
        compare_with_figure(run("ours", HIGH), "mrr", 85.5)
    with pytest.raises(UnknownNameError, match="accuracy"):
        compare_with_figure(run("ours", HIGH), "accuracy", 0.5)


def test_what_cannot_be_compared_is_told():
    with pytest.raises(InputError, match=r"different questions \(59 and 60\)"):
        compare_runs(run("a", LOW), run("b", HIGH[:59]))
    with pytest.raises(InputError, match="never compared"):
        compare_runs(run("a", LOW, names="ontology"), run("b", HIGH, names="added terms"))
    with pytest.raises(InputError, match="no measure in common"):
        compare_runs(run("a", LOW), Run("b", KEYS, {"hits@1": HIGH}))
    with pytest.raises(UnknownNameError, match="Valid: a, b"):
        compare_pairs([("a", "c")], [run("a", LOW), run("b", HIGH)])


def test_the_table_says_which_is_better():
    pairs = [("high", "low"), ("low", "low")]
    table = comparison_table(compare_pairs(pairs, [run("low", LOW), run("high", HIGH)]))
    assert [(row[0], row[-1]) for row in table.rows] == [("high - low", "high"), ("low - low", "not told apart")]
    assert table.signed


def test_the_table_says_what_its_p_do_not_allow_for():
    groups = tuple(f"d{number // 3}" for number in range(N))
    runs = [run("low", LOW, groups=groups, unit="document"), run("high", HIGH, groups=groups, unit="document")]
    (one,) = compare_pairs([("high", "low")], runs)
    assert "which takes the questions of a document for independent" in comparison_table([one]).notes[1]
    assert len(comparison_table([one]).notes) == 2
    assert "not corrected for the 2 made here" in comparison_table([one, one]).notes[2]
    assert "p below 0.025 (Bonferroni)" in comparison_table([one, one]).notes[2]
    (alone,) = compare_pairs([("high", "low")], [run("low", LOW), run("high", HIGH)])
    assert "independent" not in comparison_table([alone]).notes[1]


def test_a_file_with_one_run_stands_for_it():
    runs = [run("ours:fused", HIGH), run("theirs:fused", LOW), run("theirs:dense", LOW)]
    (one,) = compare_pairs([("ours", "theirs:dense")], runs)
    assert (one.run, one.against) == ("ours:fused", "theirs:dense")
    with pytest.raises(UnknownNameError, match="unknown run 'theirs'"):
        compare_pairs([("ours", "theirs")], runs)
