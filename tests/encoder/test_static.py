from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ontonym.encoder import Encoder, open_encoder
from ontonym.encoder.static import StaticEncoder, StaticShape, bags, pieces, quantize, save_static
from ontonym.errors import ArtifactError, WrongTypeError
from sealed import resealed

SHAPE = StaticShape(dim=32, word_rows=512, ngram_rows=2048)
NAMES = ["Seizure", "Myocardial infarction", "type 2 diabetes", "", "?!", "heart attack", "ダウン症候群", "x " * 300]


def weights(seed: int = 0, shape: StaticShape = SHAPE) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((shape.rows, shape.dim), dtype=np.float32)


@pytest.fixture
def encoder(tmp_path: Path) -> StaticEncoder:
    return save_static(tmp_path / "a.encoder", weights(), SHAPE, {})


def test_rows_are_of_unit_length_and_without_a_word_zero(encoder: Encoder) -> None:
    vectors = encoder.encode(NAMES)
    assert (vectors.shape, vectors.dtype) == ((8, 32), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0, 0, 1, 1, 1], abs=1e-6)


@pytest.mark.parametrize("missing", [None, float("nan"), b"heart", 3])
def test_what_is_no_text_is_refused_with_its_place(encoder: Encoder, missing: Any) -> None:
    for encode in (encoder.encode, encoder.encode_names):
        with pytest.raises(WrongTypeError, match=r"^give a list of texts, not \w+ \(at position 1\)$"):
            encode(["heart", missing])


def test_a_column_with_labels_of_its_own_is_read_by_place(encoder: Encoder) -> None:
    pandas = pytest.importorskip("pandas")
    found = encoder.encode(pandas.Series(NAMES, index=range(9, 1, -1)))
    assert found.tolist() == encoder.encode(NAMES).tolist()


def test_no_texts_give_no_rows(encoder: Encoder) -> None:
    assert encoder.encode([]).shape == (0, 32)


def test_a_batch_gives_what_one_by_one_gives(encoder: Encoder) -> None:
    one_by_one = np.concatenate([encoder.encode([name]) for name in NAMES])
    assert np.abs(encoder.encode(NAMES) - one_by_one).max() < 1e-6
    assert np.abs(encoder.encode(NAMES[::-1])[::-1] - one_by_one).max() < 1e-6


def test_few_texts_and_many_have_the_same_vectors_to_the_bit(encoder: Encoder) -> None:
    texts = [" ".join(("acute", "chronic", "heart", "failure", "of", "the", "left")[:size]) for size in range(8)]
    texts += ["", "heart heart failure", "pain", "left heart"]
    many = encoder.encode(texts)
    for start in range(0, len(texts), 3):
        assert encoder.encode(texts[start : start + 3]).tolist() == many[start : start + 3].tolist()


def test_more_texts_than_a_chunk_keep_their_order(encoder: Encoder) -> None:
    words = [f"word{number % 50}" for number in range(40_000)]
    vectors = encoder.encode(words)
    assert np.abs(vectors[39_950:] - encoder.encode(words[:50])).max() < 1e-6


def test_a_vector_is_the_sum_of_its_pieces(encoder: StaticEncoder) -> None:
    table = encoder.table.astype(np.float64) * encoder.scales[:, None]
    expected = np.zeros(32)
    for word in ("heart", "attack"):
        rows, weight = pieces(word, SHAPE)
        expected += table[rows[0]] + weight * table[rows[1:]].sum(axis=0)
    expected /= np.linalg.norm(expected)
    assert encoder.encode(["Heart attacks"])[0] == pytest.approx(expected, abs=1e-5)


def test_pieces_are_the_word_and_its_marked_ngrams() -> None:
    rows, weight = pieces("ear", SHAPE)
    assert len(rows) == 1 + 3 + 2 + 1  # <ea ear ar>, <ear ear>, <ear>
    assert weight == pytest.approx(6**-0.5)
    assert rows[0] < SHAPE.word_rows <= min(rows[1:])
    assert max(rows) < SHAPE.rows


def test_a_number_has_no_ngrams() -> None:
    assert pieces("12", SHAPE)[1] == 0.0
    assert len(pieces("12", SHAPE)[0]) == 1


def test_bags_hold_the_pieces_of_each_text() -> None:
    held = bags(["", "ear pain", "ear"], SHAPE)
    ear, pain = pieces("ear", SHAPE), pieces("pain", SHAPE)
    assert held.starts.tolist() == [0, 0, len(ear[0]) + len(pain[0]), 2 * len(ear[0]) + len(pain[0])]
    assert held.rows.tolist() == ear[0] + pain[0] + ear[0]
    assert held.weights[: len(ear[0])] == pytest.approx([1.0] + [ear[1]] * 6)


def test_misspelled_words_stay_near_their_kin_even_untrained() -> None:
    shape = StaticShape(dim=256, word_rows=8192, ngram_rows=16384)
    encoder = StaticEncoder(*quantize(weights(0, shape)), shape, "test")
    right, wrong, other = encoder.encode(["myocardial infarction", "myocardal infarcton", "kidney stones"])
    assert right @ wrong > 0.3
    assert abs(right @ other) < 0.2


def test_spelling_and_plural_give_the_same_vector(encoder: Encoder) -> None:
    first, second = encoder.encode(["haemangiomas of skin", "Hemangioma of skin"])
    assert first.tolist() == second.tolist()


def test_quantization_is_off_by_half_a_step_at_most() -> None:
    exact = weights(3)
    exact[5] = 0
    table, scales = quantize(exact)
    assert (np.abs(table * scales[:, None] - exact) <= scales[:, None] * 0.5001).all()
    assert table.dtype == np.int8
    assert np.abs(table).max() == 127
    assert not table[5].any()


def test_saved_and_opened_it_is_the_same(tmp_path: Path, encoder: StaticEncoder) -> None:
    opened = open_encoder(tmp_path / "a.encoder")
    assert opened.fingerprint == encoder.fingerprint
    assert opened.dim == 32
    assert opened.encode(NAMES).tolist() == encoder.encode(NAMES).tolist()


def test_fingerprint_is_that_of_weights_and_shape(tmp_path: Path, encoder: StaticEncoder) -> None:
    again = save_static(tmp_path / "b.encoder", weights(), SHAPE, {"told": "otherwise"})
    assert again.fingerprint == encoder.fingerprint
    other = weights()
    other[0, 0] += 1
    assert save_static(tmp_path / "c.encoder", other, SHAPE, {}).fingerprint != encoder.fingerprint
    reshaped = StaticShape(dim=32, word_rows=1024, ngram_rows=1536)
    assert save_static(tmp_path / "d.encoder", weights(), reshaped, {}).fingerprint != encoder.fingerprint


def test_missing_folder_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"no such encoder; make one with `train\(\)`"):
        open_encoder(tmp_path / "nothing")


@pytest.mark.parametrize("file", ["table.npy", "scales.npy"])
def test_missing_or_cut_file_is_an_error(tmp_path: Path, encoder: StaticEncoder, file: str) -> None:
    place = tmp_path / "a.encoder" / file
    place.write_bytes(place.read_bytes()[:-7])
    with pytest.raises(ArtifactError, match=f"damaged: file {file} has"):
        open_encoder(tmp_path / "a.encoder")
    place.unlink()
    with pytest.raises(ArtifactError, match=f"file {file} is missing"):
        open_encoder(tmp_path / "a.encoder")


@pytest.mark.parametrize("file", ["table.npy", "scales.npy"])
def test_garbage_in_a_file_is_an_error(tmp_path: Path, encoder: StaticEncoder, file: str) -> None:
    place = tmp_path / "a.encoder" / file
    place.write_bytes(b"x" * place.stat().st_size)
    with pytest.raises(ArtifactError, match="damaged"):
        open_encoder(tmp_path / "a.encoder")


def test_another_kind_of_encoder_is_an_error(tmp_path: Path, encoder: StaticEncoder) -> None:
    resealed(tmp_path / "a.encoder", lambda facts: facts["content"]["identity"].update(encoder="hashed"))
    with pytest.raises(ArtifactError, match="'hashed'"):
        open_encoder(tmp_path / "a.encoder")


def test_a_table_of_another_shape_is_an_error() -> None:
    table, scales = quantize(weights())
    with pytest.raises(ArtifactError, match="does not fit"):
        StaticEncoder(table[:-1], scales, SHAPE, "")
