"""Category separation beside the sum over all triples."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from limits import examples
from made import concept
from ontonym.encoder.vectors import read_vectors
from ontonym.errors import InputError, UnknownIdError
from ontonym.evaluate.categories import names_below, separate, separate_words, without_shared
from ontonym.evaluate.overlaps import overlap
from ontonym.evaluate.pairsimilarity import alike_by_encoder

RELATED = {
    "cos": lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b),
    "r": lambda a, b: stats.pearsonr(a, b).statistic,
    "rho": lambda a, b: stats.spearmanr(a, b).statistic,
    "tau": lambda a, b: stats.kendalltau(a, b).statistic,
}


def by_triples(near, other, far, similar):
    wrong = [similar(i, j) <= similar(i, k) for i in near for j in other for k in far]
    return sum(wrong) / len(wrong)


@examples(60)
@given(st.data())
def test_the_overlap_is_that_of_all_triples(data):
    rows = st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=6)
    near, other, far = (np.array(data.draw(rows), dtype=np.float64) for _ in range(3))  # many equal products
    assert overlap(near, other, far).mean() == pytest.approx(by_triples(near, other, far, np.dot), abs=1e-12)


@pytest.mark.parametrize("measure", RELATED)
def test_every_measure_as_scipy_has_it(measure):
    generator = np.random.default_rng(0)
    vectors = {name: generator.normal(size=8).astype(np.float32) for name in "abcdefghijkl"}

    def encode(names):
        return np.stack([vectors[name] for name in names])

    found = separate(encode, (list("abcd"), list("efg"), list("hijkl")), measure)
    exact = {name: vector.astype(np.float64) for name, vector in vectors.items()}
    sides = [[exact[name] for name in names] for names in ("abcd", "efg", "hijkl")]
    assert found.overlap.value == pytest.approx(by_triples(*sides, RELATED[measure]), abs=1e-12)
    assert found.names == (4, 3, 5)
    assert found.overlap.low <= found.overlap.value <= found.overlap.high


@pytest.fixture(scope="module")
def word_vectors(tmp_path_factory):
    generator = np.random.default_rng(2)
    file = tmp_path_factory.mktemp("words") / "words.txt"
    vocabulary = ["heart", "valve", "repair", "scan", "of", "the", "wild", "fungus", "rod"]
    rows = [f"{word} {' '.join(f'{value:.4f}' for value in generator.normal(size=6))}" for word in vocabulary]
    file.write_text("\n".join(rows) + "\n")
    return read_vectors(file)


WORDED = (
    ["heart scan", "scan of the valve", "scan"],
    ["heart repair", "repair", "valve repair"],
    ["wild fungus", "rod", "the wild rod", "gone unknown", "unknown rod"],
)


@pytest.mark.parametrize("measure", [f"{way}_{name}" for way in ("avg", "pair") for name in RELATED] + ["fJ", "mJ"])
def test_every_measure_of_word_vectors(word_vectors, measure):
    def similar(one, other):
        return round(alike_by_encoder(word_vectors, [one], [other], [measure], any_word=True)[measure][0], 12)

    found = separate_words(word_vectors, WORDED, measure)
    near, other, far = WORDED
    assert found.names == (3, 3, 3)
    assert found.overlap.value == pytest.approx(by_triples(near, other, far[:3], similar), abs=1e-12)
    loosely = separate_words(word_vectors, WORDED, measure, any_word=True)
    assert loosely.names == (3, 3, 4)
    assert loosely.overlap.value == pytest.approx(by_triples(near, other, [*far[:3], far[4]], similar), abs=1e-12)
    with pytest.raises(InputError, match="no name that the encoder can represent"):
        separate_words(word_vectors, (["scan"], ["repair"], ["unknown rod"]), measure)


def test_more_names_than_fit_at_once(monkeypatch):
    generator = np.random.default_rng(1)
    near, other, far = (generator.normal(size=(size, 5)) for size in (50, 30, 40))
    whole = overlap(near, other, far)
    monkeypatch.setattr("ontonym.evaluate.overlaps._BLOCK", 200)
    assert overlap(near, other, far).tolist() == whole.tolist()


def test_names_of_a_branch(open_concepts):
    (terminology,) = open_concepts(
        [
            concept("T", "top"),
            concept("A", "left", parents="T"),
            concept("B", "below left", "other name", parents="A"),
            concept("C", "below both", parents="A D"),
            concept("D", "right", parents="T"),
            concept("E", "gone", parents="A", status="retired"),
        ]
    )
    assert names_below(terminology, "B", every_name=True) == ["below left", "other name"]
    left, right = names_below(terminology, "A"), names_below(terminology, "D")
    assert (left, right) == (["below both", "below left", "left"], ["below both", "right"])
    assert len(names_below(terminology, "A", most=2, seed=3)) == 2
    assert without_shared(left, right, ["far"]) == (["below left", "left"], ["right"], ["far"])
    with pytest.raises(UnknownIdError, match="X"):
        names_below(terminology, "X")
    with pytest.raises(InputError, match="the category 2 of 3 has no name"):
        without_shared(left, ["below both"], ["far"])


def test_what_cannot_be_measured_is_said():
    with pytest.raises(InputError, match="no name that the encoder can represent"):
        separate(lambda names: np.zeros((len(names), 4), np.float32), (["a"], ["b"], ["c"]))
    with pytest.raises(InputError, match="takes too much memory: lower `most=`"):
        separate(lambda names: np.ones((2000, 1000), np.float32), (["a"], ["b"], ["c"]), "tau")


def test_the_command(open_concepts, capsys, tmp_path):
    from click.testing import CliRunner

    from ontonym.cli import main

    (terminology,) = open_concepts(
        [
            concept("N1", "heart disease"), concept("N1a", "heart failure", parents="N1"),
            concept("N2", "heart procedure"), concept("N2a", "heart surgery", parents="N2"),
            concept("F", "organism"), concept("Fa", "bacterium", parents="F"),
        ]
    )  # fmt: skip
    asked = ["evaluate", "categories", str(terminology.path), "--near", "N1", "--near", "N2", "--far", "F"]
    found = json.loads(CliRunner().invoke(main, [*asked, "--measure", "rho", "--json"]).stdout)
    assert found["encoders"]["default"]["rho"]["names"] == [2, 2, 2]
    assert found["notes"][0].startswith("near heart disease (N1)")
    assert found["encoders"]["default"]["rho"]["overlap"]["value"] == 0.0
    shown = CliRunner().invoke(main, asked).stdout
    assert "0.000 [0.000, 0.842]" in shown  # two names: the exact binomial interval
    assert "near heart disease (N1) and heart procedure (N2), far organism (F)" in shown
    rows = [f"{word} {number} {number % 2} 1" for number, word in enumerate("heart disease failure bacterium".split())]
    (tmp_path / "words.txt").write_text("\n".join([*rows, "procedure 1 2 3", "organism 3 1 2"]) + "\n")
    words = [*asked, "--encoder", str(tmp_path / "words.txt"), "--all-measures"]
    found = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)["encoders"]["words.txt"]
    assert list(found) == [*(f"{way}_{name}" for way in ("avg", "pair") for name in RELATED), "fJ", "mJ"]
    assert found["fJ"]["names"] == [2, 1, 2]  # no vector for surgery
    shown = CliRunner().invoke(main, words).stdout
    values = {name: one["overlap"]["value"] for name, one in found.items()}
    best, worst = min(values, key=values.get), max(reversed(values), key=values.get)
    assert f"{best}/" in shown
    assert f"/{worst}" in shown
    for more, said in ((["--near", "F"], "give --near twice, not 3 times"), (["--measure", "x"], "unknown measure")):
        refused = CliRunner().invoke(main, [*asked, *more])
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
        assert said in refused.stderr
