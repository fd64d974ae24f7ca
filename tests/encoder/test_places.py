"""The names of encoders: what they stand for, what is installed, and what is said where something is not."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from built import imported
from ontonym.artifact import read_manifest
from ontonym.encoder import CONTEXTUAL, DEFAULT, MULTILINGUAL, STATIC, open_encoder
from ontonym.encoder import places as encoder_places
from ontonym.encoder.places import (
    CHOICE,
    contextual_folder,
    has_contextual,
    installed,
    multilingual_folder,
    ranking_file,
)
from ontonym.errors import InputError, MissingExtraError
from ontonym.index import build_index, open_index
from ontonym.index.fuse import default_fusion
from ontonym.store import open_terminology
from ontonym.tasks import search

HUMAN = "format-version: 1.2\nontology: human\n\n[Term]\nid: H:1\nname: Diplopia\n\n[Term]\nid: H:2\nname: Deafness\n"
here = pytest.mark.skipif(not has_contextual(), reason="needs packages/ontonym-contextual, onnxruntime and tokenizers")

spoken = pytest.mark.skipif(not find_spec("ontonym_multilingual"), reason="needs packages/ontonym-multilingual")


def test_default_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, CONTEXTUAL)
    assert installed(DEFAULT) == CONTEXTUAL
    monkeypatch.setenv(CHOICE, STATIC)
    assert installed(DEFAULT) == STATIC
    assert installed("some/folder") == "some/folder"
    monkeypatch.setenv(CHOICE, "best")
    with pytest.raises(InputError, match="ONTONYM_ENCODER is 'best': set it to static or contextual or multilingual"):
        installed(DEFAULT)


def test_without_the_package_default_is_static(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOICE, raising=False)
    monkeypatch.setattr(encoder_places, "_PACKAGE", "ontonym_not_there")
    assert installed(DEFAULT) == STATIC
    with pytest.raises(MissingExtraError, match=r"needs ontonym-contextual.*ontonym\[contextual\]"):
        open_encoder(CONTEXTUAL)
    monkeypatch.setattr(encoder_places, "_LANGUAGES", "ontonym_not_there")
    with pytest.raises(MissingExtraError, match=r"needs ontonym-multilingual.*ontonym\[multilingual\]"):
        open_encoder(MULTILINGUAL)


def test_the_static_encoder_has_the_ranking_of_the_package() -> None:
    assert ranking_file(STATIC) is None
    assert ranking_file("no/such/folder") is None


@here
@pytest.mark.onnx
@pytest.mark.slow
def test_the_contextual_encoder_is_joined_with_the_static_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOICE, raising=False)
    assert installed(DEFAULT) == CONTEXTUAL
    static, joined, alone = open_encoder(STATIC), open_encoder(CONTEXTUAL), open_encoder(contextual_folder())
    assert joined.dim == static.dim + alone.dim
    texts = ["seeing double", "diplopia", "deafness"]
    share = read_manifest(contextual_folder(), "encoder").content["share"]
    apart = [encoder.encode(texts) for encoder in (static, alone)]
    cosines = (1 - share) * apart[0] @ apart[0].T + share * apart[1] @ apart[1].T
    np.testing.assert_allclose(joined.encode(texts) @ joined.encode(texts).T, cosines, atol=1e-5)
    assert cosines[0, 1] > cosines[0, 2] + 0.2

    (place,) = imported(tmp_path, {"human.obo": HUMAN})
    with open_terminology(place) as terminology:
        build_index([terminology], tmp_path / "a.index")
    assert read_manifest(tmp_path / "a.index", "index").content["encoder"] == CONTEXTUAL
    with open_index(tmp_path / "a.index") as index:
        assert index.fusion is not default_fusion()
        assert search(index, "seeing double")[0].id == "H:1"


@here
def test_the_package_is_small_and_has_a_ranking() -> None:
    sizes = [file.stat().st_size for file in contextual_folder().rglob("*") if file.is_file()]
    assert sum(sizes) < 25_000_000
    assert ranking_file(CONTEXTUAL) == contextual_folder() / "ranking.json"


@spoken
@pytest.mark.parametrize("asked", ["sordera", "surdité", "sağırlık", "surdez", "hluchota", "難聴", "耳聋"])
def test_the_multilingual_encoder_finds_an_english_name(asked: str) -> None:
    names = ["Deafness", "Diplopia", "Fever", "Seizure", "Obesity", "Short stature", "Cataract"]
    encoder = open_encoder(MULTILINGUAL)
    similarities = encoder.encode([asked]) @ encoder.encode_names(names).T
    assert names[int(similarities.argmax())] == "Deafness"


@spoken
def test_an_index_remembers_that_its_encoder_is_multilingual(tmp_path: Path) -> None:
    sizes = [file.stat().st_size for file in multilingual_folder().rglob("*") if file.is_file()]
    assert sum(sizes) < 20_000_000
    (place,) = imported(tmp_path, {"human.obo": HUMAN})
    with open_terminology(place) as terminology:
        build_index([terminology], tmp_path / "a.index", encoder=MULTILINGUAL)
    assert read_manifest(tmp_path / "a.index", "index").content["encoder"] == MULTILINGUAL
    with open_index(tmp_path / "a.index") as index:
        assert search(index, "sordera")[0].id == "H:2"
