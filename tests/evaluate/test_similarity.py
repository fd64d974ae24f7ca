"""Similarity measures beside scipy and beside formulas written out; sets evaluated as a user would read them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.feature_extraction.text import TfidfVectorizer

from ontonym.benchmark.sets import SimilaritySet
from ontonym.encoder.static import StaticEncoder, StaticShape
from ontonym.encoder.vectors import read_vectors, word_overlaps
from ontonym.errors import InputError, UnknownNameError
from ontonym.evaluate import pairsimilarity
from ontonym.evaluate.graded import GradedSet
from ontonym.evaluate.pairsimilarity import SPELLINGS, alike_by_encoder, measures_of
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.evaluate.similarity import area_interval, evaluate_similarity

FIRST = ("heart attack", "kidney failure", "fever", "Heart Attack", "unknownish")
SECOND = ("cardiac infarct", "renal failure", "high temperature", "kidney", "fever")


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    generator = np.random.default_rng(0)
    vocabulary = ["heart", "attack", "kidney", "failure", "fever", "cardiac", "infarct", "renal", "high", "temperature"]
    file = tmp_path_factory.mktemp("words") / "words.txt"
    rows = [f"{word} {' '.join(f'{value:.4f}' for value in generator.normal(size=7))}" for word in vocabulary]
    file.write_text("10 7\n" + "\n".join(rows) + "\n")
    return file


def test_measures_of_word_vectors_as_scipy_has_them(words):
    encoder = read_vectors(words)
    found = alike_by_encoder(encoder, FIRST, SECOND, measures_of(encoder))
    assert set(found) == {f"{a}_{m}" for a in ("avg", "pair") for m in ("cos", "r", "rho", "tau")} | {"fJ", "mJ"}
    independent = {
        "cos": lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b),
        "r": lambda a, b: stats.pearsonr(a, b).statistic,
        "rho": lambda a, b: stats.spearmanr(a, b).statistic,
        "tau": lambda a, b: stats.kendalltau(a, b).statistic,
    }
    for place, (one, other) in enumerate(zip(FIRST, SECOND, strict=True)):
        left, right = (
            encoder.vectors(encoder.rows(text)).astype(float) if encoder.rows(text) else None for text in (one, other)
        )
        if left is None:
            assert all(np.isnan(values[place]) for values in found.values())
            continue
        for name, measure in independent.items():
            assert found[f"avg_{name}"][place] == pytest.approx(measure(left.mean(0), right.mean(0)), abs=1e-6)
            pairs = [measure(a, b) for a in left for b in right]
            assert found[f"pair_{name}"][place] == pytest.approx(np.mean(pairs), abs=1e-6)
        pooled = [[max(0.0, *(row[axis] for row in side)) for axis in range(7)] for side in (left, right)]
        assert found["mJ"][place] == pytest.approx(jaccard(*pooled), abs=1e-9)
        universe = [*left, *right]
        memberships = [[max(0.0, *(word @ element for word in side)) for element in universe] for side in (left, right)]
        assert found["fJ"][place] == pytest.approx(jaccard(*memberships), abs=1e-9)


def jaccard(one, other):
    pairs = list(zip(one, other, strict=True))
    return sum(min(pair) for pair in pairs) / sum(max(pair) for pair in pairs)


def test_a_term_with_an_unknown_word_is_not_represented(words):
    encoder = read_vectors(words)
    assert [encoder.knows(text) for text in ("heart attack", "Heart", "heart disease", "", "?")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    first, second = ("heart attack", "heart disease"), ("cardiac infarct", "fever")
    assert np.isnan(alike_by_encoder(encoder, first, second, ["avg_cos"])["avg_cos"]).tolist() == [False, True]
    loosely = alike_by_encoder(encoder, first, second, ["avg_cos", "fJ"], any_word=True)
    assert not np.isnan([*loosely["avg_cos"], *loosely["fJ"]]).any()


def test_each_encoder_is_opened_once(words, monkeypatch):
    opened = []
    monkeypatch.setattr(pairsimilarity, "open_encoder", lambda name: opened.append(name) or read_vectors(name))
    methods = pairsimilarity.methods_of(["edit", str(words)], "", every=False, any_word=True)
    assert opened == [str(words)]
    found = {name: dict(ask(["heart attack"], ["heart disease"])) for name, ask in methods.items()}
    assert (list(found), found["edit"]["edit"][0]) == (["edit", "words.txt"], pytest.approx(1 - 6 / 13))
    assert not np.isnan(found["words.txt"]["avg_cos"]).any()
    with pytest.raises(InputError, match="any_word"):
        pairsimilarity.methods_of(["edit"], "", every=False, any_word=True)


def test_an_unknown_measure_is_said(words):
    with pytest.raises(UnknownNameError, match="avg_cos"):
        alike_by_encoder(read_vectors(words), FIRST, SECOND, ["cos"])
    with pytest.raises(UnknownNameError, match="fuzzy jaccard"):
        word_overlaps(read_vectors(words), FIRST, SECOND, measure="jaccard")


def test_measures_of_an_encoder_as_scipy_has_them():
    generator = np.random.default_rng(1)
    shape = StaticShape(dim=24, word_rows=64, ngram_rows=64)
    table = generator.integers(-127, 128, (shape.rows, 24), dtype=np.int8)
    encoder = StaticEncoder(table, np.ones(shape.rows, np.float32), shape, "")
    found = alike_by_encoder(encoder, FIRST, SECOND, measures_of(encoder))
    left, right = encoder.encode(FIRST), encoder.encode(SECOND)
    for place in range(len(FIRST)):
        a, b = left[place].astype(float), right[place].astype(float)
        assert found["cos"][place] == pytest.approx(a @ b, abs=1e-6)
        assert found["r"][place] == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-9)
        assert found["rho"][place] == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-9)
        assert found["tau"][place] == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-9)
    assert np.isnan(alike_by_encoder(encoder, ["", "fever"], ["fever", "fever"], ["cos"])["cos"]).tolist() == [
        True,
        False,
    ]


def test_spelling_baselines():
    first, second = ("Ankle sprain", "ankle sprain", "xyz"), ("ankle sprain", "sprain of ankle", "ankle")
    assert SPELLINGS["edit"](first, second)[[0, 2]].tolist() == [1.0, 0.0]
    char = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5)).fit(sorted({*first, *second}))
    dense = (char.transform(first).toarray() * char.transform(second).toarray()).sum(axis=1)
    assert SPELLINGS["char"](first, second) == pytest.approx(dense, abs=1e-12)
    bm25 = SPELLINGS["bm25"](first, second)
    assert bm25[0] == pytest.approx(1.0)
    assert 0 < bm25[1] <= 1.0
    assert bm25[2] == 0.0


def graded_set():
    generator = np.random.default_rng(3)
    grades = generator.normal(size=80)
    names = tuple(f"t{number}" for number in range(80))
    similarities = {
        "near": {"cos": grades + 0.2 * generator.normal(size=80), "tau": grades},
        "far": {"cos": generator.normal(size=80), "tau": -grades},
    }
    return GradedSet("grades", names, names, grades), similarities


def test_graded_sets_over_the_pairs_that_all_methods_know():
    pairs, similarities = graded_set()
    similarities["far"]["cos"][:5] = np.nan
    found = evaluate_similarity(pairs, similarities, BootstrapOptions(unit="mention", resamples=499, method="BCa"))
    assert (found.n, found.pairs, found.graded) == (75, 80, True)
    near = found.headline("near")
    assert near.value.value == pytest.approx(
        stats.spearmanr(pairs.scores[5:], similarities["near"]["cos"][5:]).statistic, abs=1e-9
    )
    assert (near.standing.better, found.headline("far").standing.worse) == (1, 1)
    assert found.figures["near"]["tau"].standing is None
    by_tau = {name: {"tau": both["tau"], "cos": both["cos"]} for name, both in similarities.items()}
    again = evaluate_similarity(pairs, by_tau, BootstrapOptions(unit="mention", resamples=99))
    assert again.n == 80  # only the measure that methods are compared by leaves pairs out
    assert again.to_dict()["methods"]["far"]["tau"] == {
        "value": {"value": -1.0, "low": -1.0, "high": -1.0}, "better_than": 0, "worse_than": 1,
        "among_measures": {"better_than": 0, "worse_than": 1},
    }  # fmt: skip


def test_sets_of_similar_and_dissimilar_pairs():
    generator = np.random.default_rng(4)
    similar = np.arange(200) % 2 == 0
    names = tuple(f"t{number}" for number in range(200))
    pairs = SimilaritySet("parted", names, names, similar, np.zeros(200, np.int64), tuple(("A", "B") for _ in names))
    similarities = {"good": {"cos": similar + 0.5 * generator.random(200)}, "edit": {"edit": generator.random(200)}}
    found = evaluate_similarity(pairs, similarities)
    good = found.headline("good")
    assert (good.value.value, good.auc.value, str(good.standing)) == (1.0, 1.0, "1")
    assert good.value.low == pytest.approx(0.025 ** (1 / 200), abs=1e-9)  # Clopper and Pearson
    assert found.headline("edit").auc.low < 0.5 < found.headline("edit").auc.high


@pytest.mark.parametrize("graded", [True, False])
def test_the_measures_of_one_method_are_compared_as_methods_are(graded):
    generator = np.random.default_rng(6)
    truth = np.arange(120) % 2 == 0
    names = tuple(f"t{number} word" if number < 30 else f"t{number}" for number in range(120))
    if graded:
        pairs = GradedSet("g", names, names, truth + generator.random(120))
    else:
        pairs = SimilaritySet("p", names, names, truth, np.zeros(120, np.int64), tuple(("A", "B") for _ in names))
    measures = {"cos": truth + generator.random(120), "r": generator.random(120), "tau": -1.0 * truth}
    options = BootstrapOptions(unit="mention", resamples=199)
    one = evaluate_similarity(pairs, {"only": measures}, options)
    several = evaluate_similarity(pairs, {name: {name: values} for name, values in measures.items()}, options)
    among = {name: figures.among for name, figures in one.figures["only"].items()}
    assert among == {name: several.headline(name).standing for name in measures}
    assert among["cos"].better > 0
    assert several.headline("cos").among is None
    assert one.multi_word == 0.25
    assert one.to_dict()["methods"]["only"]["cos"]["among_measures"]["better_than"] == among["cos"].better


def test_a_term_of_several_words_counts_in_every_pair():
    pairs = GradedSet("g", ("heart attack",) * 4, ("MI", "flu", "cold", "mitral valve"), np.array([4.0, 1.0, 1.5, 2.0]))
    found = evaluate_similarity(pairs, {"m": {"cos": np.array([0.9, 0.1, 0.2, 0.3])}}, BootstrapOptions(resamples=9))
    assert found.multi_word == 5 / 8


def test_delongs_interval_as_written_out():
    generator = np.random.default_rng(5)
    similar = generator.random(90) < 0.4
    values = np.round(similar * 0.4 + generator.random(90), 1)
    above, below = values[similar], values[~similar]
    wins = (above[:, None] > below) + 0.5 * (above[:, None] == below)
    spread = wins.mean(axis=1).var(ddof=1) / len(above) + wins.mean(axis=0).var(ddof=1) / len(below)
    found = area_interval(similar, values, float(wins.mean()))
    assert found.low == pytest.approx(wins.mean() - 1.959963984540054 * spread**0.5, abs=1e-9)


def test_what_cannot_be_evaluated_is_said():
    pairs, _ = graded_set()
    with pytest.raises(InputError, match="no pair whose terms all of far can represent"):
        evaluate_similarity(pairs, {"far": {"cos": np.full(80, np.nan)}})
