"""Measures of similarity sets beside independent implementations, on random and on adversarial input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import accuracy_score, roc_auc_score

from limits import examples
from ontonym.errors import InputError
from ontonym.evaluate.agreement import (
    MethodStanding,
    corrected,
    mcnemar,
    part,
    right_answers,
    spearman,
    spearman_differs,
    standings_of_answers,
    standings_of_correlations,
)
from ontonym.evaluate.significance import BootstrapOptions

OPTIONS = BootstrapOptions(unit="mention", resamples=999, method="BCa")

values = st.lists(
    st.tuples(st.booleans(), st.sampled_from([-1.0, -0.5, 0.0, 0.1, 0.1 + 1e-12, 0.7, 1.0])), min_size=2, max_size=40
).filter(lambda pairs: len({label for label, _ in pairs}) == 2)


@examples(200)
@given(values)
def test_auc_and_the_best_threshold_as_by_trying_all(pairs):
    similar = np.array([label for label, _ in pairs])
    similarities = np.array([value for _, value in pairs])
    found = part(similar, similarities)
    wins = [(a > b) + 0.5 * (a == b) for a in similarities[similar] for b in similarities[~similar]]
    assert found.auc == pytest.approx(np.mean(wins), abs=1e-12)
    assert found.auc == pytest.approx(roc_auc_score(similar, similarities), abs=1e-12)
    tried = [accuracy_score(similar, similarities >= threshold) for threshold in (*similarities, np.inf)]
    assert found.accuracy == pytest.approx(max(tried), abs=1e-12)
    assert right_answers(similar, similarities, found).mean() == pytest.approx(found.accuracy, abs=1e-12)


def test_parting_needs_both_kinds():
    with pytest.raises(InputError, match="similar and dissimilar"):
        part(np.array([True, True]), np.array([0.1, 0.2]))


@examples(100)
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_as_the_textbook_has_it(only_first, only_second):
    first = np.array([True] * only_first + [False] * only_second + [True, False])
    second = np.array([False] * only_first + [True] * only_second + [True, False])
    apart = only_first + only_second
    if not apart:
        expected = 1.0
    elif apart < 25:
        expected = stats.binomtest(min(only_first, only_second), apart).pvalue
    else:
        expected = stats.chi2.sf((abs(only_first - only_second) - 1) ** 2 / apart, 1)
    assert mcnemar(first, second) == pytest.approx(expected, abs=1e-9)


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=30))
def test_spearman_as_scipy_has_it_with_ties(pairs):
    grades, similarities = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    found = spearman(grades, similarities, BootstrapOptions(unit="mention", resamples=19))
    if np.ptp(grades) == 0 or np.ptp(similarities) == 0:
        assert (found.value, found.low, found.high) == (0.0, -1.0, 1.0)
    else:
        assert found.value == pytest.approx(stats.spearmanr(grades, similarities).statistic, abs=1e-9)


def test_the_interval_is_that_of_scipys_bca_bootstrap():
    generator = np.random.default_rng(0)
    grades = generator.normal(size=60)
    similarities = grades + generator.normal(size=60)
    found = spearman(grades, similarities, OPTIONS)
    expected = stats.bootstrap(
        (grades, similarities), lambda a, b: stats.spearmanr(a, b).statistic, paired=True, vectorized=False,
        n_resamples=999, method="BCa", rng=np.random.default_rng(OPTIONS.seed),
    ).confidence_interval  # fmt: skip
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    with pytest.raises(InputError, match="too few"):
        spearman(grades[:2], similarities[:2], OPTIONS)


def test_perfect_agreement_has_no_spread():
    grades = np.arange(10.0)
    found = spearman(grades, -grades, OPTIONS)
    assert (found.value, found.low, found.high) == (-1.0, -1.0, -1.0)


def test_standings_count_whom_each_beats_at_the_corrected_level():
    generator = np.random.default_rng(1)
    good, bad = generator.random(400) < 0.9, generator.random(400) < 0.5
    found = standings_of_answers({"good": good, "as good": good.copy(), "bad": bad})
    assert found == {"good": MethodStanding(1, 0), "as good": MethodStanding(1, 0), "bad": MethodStanding(0, 2)}
    assert [str(MethodStanding(*counts)) for counts in ((22, 0), (9, 13), (0, 17), (0, 0))] == [
        "22",
        "9/-13",
        "-17",
        "",
    ]
    assert corrected(23) == pytest.approx(0.0002, abs=5e-6)  # as the paper's tables say


def test_standings_of_correlations():
    generator = np.random.default_rng(2)
    grades = generator.normal(size=200)
    near, far = grades + 0.3 * generator.normal(size=200), generator.normal(size=200)
    found = standings_of_correlations(grades, {"near": near, "far": far, "near again": near.copy()}, OPTIONS)
    assert found == {"near": MethodStanding(1, 0), "far": MethodStanding(0, 2), "near again": MethodStanding(1, 0)}
    assert spearman_differs(grades, near, far, OPTIONS) > 0 > spearman_differs(grades, far, near, OPTIONS)
