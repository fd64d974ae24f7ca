"""The benchmarks of similarity sets compute what they say, on made names."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pytest

from made import concept

pytest.importorskip("scipy")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

import closest
import similarity
from materials import Trained
from ontonym.benchmark import build_sets
from ontonym.benchmark.nearest import Neighbours
from ontonym.evaluate import Interval
from ontonym.text.normalization import normalize

pytestmark = pytest.mark.benchmark

CHOSEN = argparse.Namespace(threads=2)


def names(count):
    generator = np.random.default_rng(0)
    words = ["acute", "renal", "failure", "kidney", "left", "chronic", "pain", "of", "syndrome", "type", "two"]
    return sorted({" ".join(generator.choice(words, 4)) for _ in range(count)})


def test_a_size_is_timed_and_checked_against_rapidfuzz(monkeypatch):
    monkeypatch.setattr(closest, "SAMPLED", 40)
    texts = names(300)
    row, wrong = closest._row(texts, np.arange(len(texts)) // 2, CHOSEN)
    assert wrong == row["wrong"] == 0
    assert row["names"] == len(texts)
    assert row["ratio"] == pytest.approx(row["rapidfuzz s"] / row["ontonym s"])


def test_a_wrong_answer_is_told():
    groups = np.array([0, 0, 1, 2])
    distances = np.array([0, 1, 3, 2])
    right = Neighbours(np.array([0, 1]), np.array([3]), np.array([2]))
    wrong = Neighbours(np.array([0, 1]), np.array([2]), np.array([3]))
    assert not closest._is_wrong(right, 0, distances, groups)
    assert closest._is_wrong(wrong, 0, distances, groups)


def test_growth_is_the_exponent_of_the_time():
    rows = closest._grown([{"names": 10, "ontonym s": 1.0}, {"names": 20, "ontonym s": 4.0}])
    assert [row["growth"] for row in rows] == [None, pytest.approx(2.0)]


def test_encoders_are_judged_on_the_sets_and_on_hidden_names(open_concepts, tmp_path, monkeypatch):
    concepts = [concept(f"C{number}", *names(300)[3 * number : 3 * number + 3]) for number in range(60)]
    (terminology,) = open_concepts(concepts)
    build_sets(terminology, tmp_path / "sets")
    monkeypatch.setattr(similarity, "missing", lambda base: True)
    encoder = Trained(Path("default"), "none", 0.0, kept=True)
    rows = similarity._judged("made", tmp_path / "sets", encoder)
    assert [row["set"] for row in rows] == [f"made {name}" for name in similarity.JUDGED]
    assert set(rows[1]) == {"set", "pairs", "edit", "char", "bm25", "default", "trained on it"}
    assert rows[1]["default"] == rows[1]["trained on it"]
    assert isinstance(rows[1]["edit"], Interval)
    hidden = similarity._hidden(terminology.path)
    assert 0 < len(hidden) < terminology.term_count
    only = {normalize(name) for name in hidden}
    some = similarity._restricted(tmp_path / "sets", only)
    for made in some:
        assert {normalize(name) for name in (*made.first, *made.second[::2])} <= only
        assert made.similar.tolist() == [True, False] * (len(made) // 2)
        assert made.first[::2] == made.first[1::2]
    assert any(some)
    statistics = similarity._statistics("made", tmp_path / "sets")
    assert statistics[0]["of"] == "made"
    assert statistics[0]["pairs"] > 0
