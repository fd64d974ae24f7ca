"""Encoders of every kind in plain sentence-transformers, and folders of sentence-transformers here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ontonym
from built import random_encoder
from ontonym.encoder import open_encoder
from ontonym.encoder.modelfolder import MODULES, inner_folder
from ontonym.manifest import MANIFEST

pytestmark = pytest.mark.training

TEXTS = ["heart attack", "fits", "", "…"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("encoders")
    one, two = random_encoder(folder / "one.encoder"), random_encoder(folder / "two.encoder", seed=1)
    ontonym.join([one, two], folder / "both.encoder", [1, 3])
    words = folder / "words.txt"
    words.write_text("heart 1 0 0\nattack 0 1 0\nfits 0 0 1\n")
    from ontonym.encoder.vectors import import_vectors

    import_vectors(words, folder / "words.encoder")
    return {"static": one, "joined": folder / "both.encoder", "vectors": folder / "words.encoder"}


@pytest.mark.parametrize("kind", ["static", "joined", "vectors"])
def test_a_folder_opens_in_sentence_transformers(folders: dict[str, Path], kind: str) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folders[kind]), trust_remote_code=True, device="cpu")
    ours = open_encoder(folders[kind])
    np.testing.assert_array_equal(model.encode(TEXTS), ours.encode(TEXTS))
    assert model.get_embedding_dimension() == ours.dim
    scores = model.similarity(model.encode(["fits"]), model.encode(["fits", "heart attack"]))
    assert scores[0, 0] == pytest.approx(1)
    assert scores[0, 1] < 0.5


def test_what_sentence_transformers_saves_opens_here(folders: dict[str, Path], tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    ontonym.sentence_transformer(folders["joined"]).save_pretrained(str(tmp_path / "saved"))
    ours, saved = open_encoder(folders["joined"]), open_encoder(tmp_path / "saved")
    assert saved.fingerprint == ours.fingerprint
    again = SentenceTransformer(str(tmp_path / "saved"), trust_remote_code=True, device="cpu")
    np.testing.assert_array_equal(again.encode(TEXTS), ours.encode(TEXTS))


def test_encoders_by_name_and_from_before_open_too(folders: dict[str, Path]) -> None:
    model = ontonym.sentence_transformer("static")
    np.testing.assert_array_equal(model.encode(TEXTS), open_encoder("static").encode(TEXTS))
    np.testing.assert_array_equal(model.encode(["fits"], prompt="no "), open_encoder("static").encode(["no fits"]))


def test_a_saved_folder_can_be_saved_again(folders: dict[str, Path], tmp_path: Path) -> None:
    ontonym.sentence_transformer(folders["joined"]).save_pretrained(str(tmp_path / "one"))
    ontonym.sentence_transformer(tmp_path / "one").save_pretrained(str(tmp_path / "two"))
    assert open_encoder(tmp_path / "two").fingerprint == open_encoder(folders["joined"]).fingerprint


def test_a_file_of_word_vectors_is_saved_as_a_folder(folders: dict[str, Path], tmp_path: Path) -> None:
    file = folders["vectors"].parent / "words.txt"
    ontonym.sentence_transformer(file).save_pretrained(str(tmp_path / "saved"))
    np.testing.assert_array_equal(open_encoder(tmp_path / "saved").encode(TEXTS), open_encoder(file).encode(TEXTS))


@pytest.mark.parametrize("name", ["static", "multilingual", "contextual"])
def test_a_named_encoder_can_be_saved(tmp_path: Path, name: str) -> None:
    if name != "static":
        pytest.importorskip(f"ontonym_{name}")
    ontonym.sentence_transformer(name).save_pretrained(str(tmp_path / "saved"))
    assert (tmp_path / "saved" / MODULES).is_file()
    assert inner_folder(tmp_path / "saved") == tmp_path / "saved" / "0_EncoderModule"
    assert open_encoder(tmp_path / "saved").fingerprint == open_encoder(name).fingerprint


def test_static_embeddings_of_sentence_transformers_open_here(tmp_path: Path, tiny_bert: Callable[..., Path]) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    bert = tiny_bert(tmp_path / "bert", ["heart", "attack", "fits"])
    table = np.random.default_rng(0).standard_normal((200, 16), dtype=np.float32)
    module = StaticEmbedding(Tokenizer.from_file(str(bert / "tokenizer.json")), embedding_weights=table)
    model = SentenceTransformer(modules=[module], device="cpu")
    model.save_pretrained(str(tmp_path / "static"))
    expected = model.encode(["heart attack", "fits"], normalize_embeddings=True)
    np.testing.assert_allclose(open_encoder(tmp_path / "static").encode(["heart attack", "fits"]), expected, atol=1e-6)


def test_a_module_that_is_not_there_is_no_folder_of_ours(folders: dict[str, Path], tmp_path: Path) -> None:
    assert (folders["static"] / MANIFEST).is_file()
    assert inner_folder(folders["static"]) is None
    (tmp_path / MODULES).write_text('[{"type": "ontonym.encoder.module.EncoderModule", "path": "../.."}]')
    assert inner_folder(tmp_path) is None
