from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.stats import binomtest

from ontonym.errors import InputError, MissingExtraError
from ontonym.evaluate.significance import (
    BootstrapOptions,
    clusters,
    f1_interval,
    few_units,
    mean_interval,
    paired_difference,
    ratio_interval,
)

OPTIONS = BootstrapOptions(resamples=2_000)


def coin(ones: int, n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return (np.arange(n) < ones).astype(np.float64)


def test_interval_of_a_proportion_is_near_the_normal_one() -> None:
    interval = mean_interval(coin(320, 400), None, OPTIONS)
    half = 1.96 * (0.8 * 0.2 / 400) ** 0.5
    assert interval.value == 0.8
    assert interval.low == pytest.approx(0.8 - half, abs=0.005)
    assert interval.high == pytest.approx(0.8 + half, abs=0.005)


def test_same_seed_gives_the_same_interval() -> None:
    assert mean_interval(coin(30, 50), None, OPTIONS) == mean_interval(coin(30, 50), None, OPTIONS)


def test_documents_that_agree_within_widen_the_interval_by_the_root_of_their_size() -> None:
    values = np.repeat(coin(32, 40), 10)
    rows = np.repeat(np.arange(40), 10)
    alone, grouped = mean_interval(values, None, OPTIONS), mean_interval(values, rows, OPTIONS)
    assert alone.value == grouped.value == 0.8
    assert (grouped.high - grouped.low) / (alone.high - alone.low) == pytest.approx(10**0.5, rel=0.1)


def test_documents_weigh_by_their_mentions() -> None:
    values = np.array([1.0, 0.0, 0.0, 0.0])
    assert mean_interval(values, np.array([0, 1, 1, 1]), OPTIONS).value == 0.25


@pytest.mark.parametrize(("ones", "low", "high"), [(0, 0.0, 1 - 0.025**0.1), (10, 0.025**0.1, 1.0)])
def test_all_equal_values_get_the_exact_binomial_interval(ones: int, low: float, high: float) -> None:
    interval = mean_interval(coin(ones, 10), None, OPTIONS)
    assert (interval.low, interval.high) == (pytest.approx(low), pytest.approx(high))


def test_equal_units_between_0_and_1_get_an_interval_that_narrows_with_their_number() -> None:
    few, many = (mean_interval(np.full(n, 0.5), None, OPTIONS) for n in (2, 1_000))
    miss = 0.025**0.5
    assert (few.low, few.high) == (pytest.approx(miss / 2), pytest.approx(1 - miss / 2))
    assert (many.low, many.high) == (pytest.approx(0.498, abs=0.001), pytest.approx(0.502, abs=0.001))
    grouped = mean_interval(np.array([0.1, 0.2, 0.3] * 2), np.array([0, 0, 0, 1, 1, 1]), OPTIONS)
    assert grouped.high - grouped.low == pytest.approx(1 - miss)
    ratio = ratio_interval(np.array([1.0, 2.0]), np.array([2.0, 4.0]), None, OPTIONS)
    assert ratio == few


def test_no_values_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing to evaluate"):
        mean_interval(np.array([]), None, OPTIONS)
    with pytest.raises(InputError, match="nothing to evaluate"):
        f1_interval(np.array([]), np.array([], dtype=np.bool_), None, OPTIONS)


def test_f1_where_each_right_answer_meets_one_wanted_is_the_ratio_of_counts() -> None:
    right = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0])  # three documents: what was found, then what was wanted
    found, rows = np.array([True] * 4 + [False] * 4), np.array([0, 1, 1, 2, 0, 1, 1, 2])
    both, answered, wanted = (np.bincount(rows, weights=one) for one in (right * found, found, ~found))
    right[7] = 1.0
    assert f1_interval(right, found, rows, OPTIONS) == ratio_interval(2 * both, answered + wanted, None, OPTIONS)


def test_f1_is_the_harmonic_mean_where_answers_meet_several() -> None:
    right = np.array([1.0] * 10 + [1.0] + [0.0] * 9)  # ten answers meet one of ten wanted
    found = np.arange(20) < 10
    rows = np.tile(np.arange(5), 4)
    assert f1_interval(right, found, rows, OPTIONS).value == pytest.approx(2 * 1.0 * 0.1 / 1.1)
    alone = f1_interval(np.array([1.0, 1.0]), np.array([True, False]), None, OPTIONS)
    assert alone == mean_interval(np.array([1.0]), None, OPTIONS), "one answer found and wanted is one observation"


def test_bca_is_near_percentile() -> None:
    plain = mean_interval(coin(60, 100), None, OPTIONS)
    corrected = mean_interval(coin(60, 100), None, BootstrapOptions(resamples=2_000, method="BCa"))
    assert corrected.low == pytest.approx(plain.low, abs=0.02)


def test_clusters_follow_documents() -> None:
    rows = clusters(["b", "a", "b"], BootstrapOptions())
    assert rows is not None
    assert rows.tolist() == [1, 0, 1]


def test_intervals_over_few_documents_have_a_caveat() -> None:
    assert few_units(5, "document") == ["note: 5 documents are few: intervals over so few are too narrow"]
    assert few_units(20, "document") == []


def test_one_document_falls_back_to_mentions() -> None:
    assert clusters(["a", "a"], BootstrapOptions()) is None


def test_paired_difference_is_second_minus_first() -> None:
    first, second = coin(50, 100), coin(60, 100)
    paired = paired_difference(first, second, None, OPTIONS)
    assert paired.difference.value == pytest.approx(0.1)
    assert paired.difference.low > 0
    assert paired.p < 0.01


def test_equal_runs_differ_by_nothing() -> None:
    paired = paired_difference(coin(5, 10), coin(5, 10), None, OPTIONS)
    assert (paired.difference.value, paired.difference.low, paired.p) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("units", [2, 3, 5, 8])
def test_few_units_that_all_gain_the_same_prove_no_more_than_their_signs(units: int) -> None:
    first, second = np.zeros(units), np.ones(units)
    paired = paired_difference(first, second, None, OPTIONS)
    assert paired.p == pytest.approx(binomtest(units, units).pvalue)
    assert (paired.difference.value, paired.difference.high) == (1.0, 1.0)
    assert (paired.difference.low > 0) == (paired.p < 0.05)


@pytest.mark.parametrize("units", [2, 4, 5, 12])
def test_few_units_that_gain_differently_are_no_surer_than_a_test_of_signs(units: int) -> None:
    gains = np.linspace(0.1, 0.2, units)
    rows = np.repeat(np.arange(units), 3)
    paired = paired_difference(np.zeros(3 * units), np.repeat(gains, 3), rows, OPTIONS)
    assert paired.p == pytest.approx(max(binomtest(units, units).pvalue, 1 / 2_001))


def test_all_right_of_ten_is_not_told_apart_from_a_published_figure() -> None:
    paired = paired_difference(np.full(10, 0.85), np.ones(10), None, OPTIONS)
    assert paired.p > binomtest(10, 10, 0.85).pvalue > 0.05
    assert paired.difference.low < 0 < paired.difference.high


def test_equal_gains_that_rounding_tells_apart_have_no_spread() -> None:
    first = np.array([0.1, 0.2, 0.3, 0.7])
    paired = paired_difference(first, first + 0.1, None, OPTIONS)
    assert paired.p == 1.0  # 2 * 1.1 ** -4, at most 1
    assert paired.difference.low < 0


def test_balanced_changes_are_not_significant() -> None:
    first = coin(50, 100)
    second = first.copy()
    second[[0, 1, 98, 99]] = [0, 0, 1, 1]
    assert paired_difference(first, second, None, OPTIONS).p == 1.0


def test_runs_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="over 3 and 4 mentions"):
        paired_difference(coin(1, 3), coin(1, 4), None, OPTIONS)


def test_missing_scipy_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ontonym\[eval\]'"):
        mean_interval(coin(5, 10), None, OPTIONS)
