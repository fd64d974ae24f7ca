"""Indexes made with every kind of encoder: built, opened again by the place that was noted, searched and updated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ontonym.encoder import open_encoder
from ontonym.encoder.joined import join_encoders
from ontonym.encoder.vectors import import_vectors
from ontonym.errors import MismatchError
from ontonym.index import build_index, open_index
from ontonym.index.update import update_index
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology
from ontonym.tasks import normalize
from ontonym.tasks.search import SearchOptions, search
from ontonym.types import Mention

pytestmark = [pytest.mark.onnx, pytest.mark.training]

NAMES = ("heart pain", "kidney failure", "retinal atrophy", "liver infarction")


def terminology(folder: Path, name: str, *more: str) -> Path:
    file = folder / f"{name}.obo"
    stanzas = [f"[Term]\nid: T:{number}\nname: {text}\n" for number, text in enumerate([*NAMES, *more])]
    file.write_text("format-version: 1.2\nontology: tiny\n\n" + "\n".join(stanzas), encoding="utf-8")
    build_terminology(read_release([file]), folder / f"{name}.terminology")
    return folder / f"{name}.terminology"


def word_vectors(folder: Path) -> Path:
    words = sorted({word for name in NAMES for word in name.split()} | {"newborn"})
    lines = [" ".join([word, *("1" if i == j else "0" for j in range(len(words)))]) for i, word in enumerate(words)]
    (folder / "words.vec").write_text("\n".join([f"{len(words)} {len(words)}", *lines]), encoding="utf-8")
    import_vectors(folder / "words.vec", folder / "words.encoder")
    return folder / "words.encoder"


def of_words(request: pytest.FixtureRequest, folder: Path) -> Path:
    return word_vectors(folder)


def of_a_file_of_words(request: pytest.FixtureRequest, folder: Path) -> Path:
    return word_vectors(folder).with_name("words.vec")


def of_torch(request: pytest.FixtureRequest, folder: Path) -> Path:
    return request.getfixturevalue("tiny")


def of_a_plain_folder(request: pytest.FixtureRequest, folder: Path) -> Path:
    return request.getfixturevalue("plain")


def of_onnx(request: pytest.FixtureRequest, folder: Path) -> Path:
    return request.getfixturevalue("exported")


def of_int8(request: pytest.FixtureRequest, folder: Path) -> Path:
    return request.getfixturevalue("exported") / "onnx" / "model_int8.onnx"


def of_joined(request: pytest.FixtureRequest, folder: Path) -> Path:
    join_encoders([request.getfixturevalue("tiny"), "default"], [1, 1], folder / "both.encoder")
    return folder / "both.encoder"


Kind = Callable[[pytest.FixtureRequest, Path], Path]


@pytest.mark.parametrize(
    "kind", [of_words, of_a_file_of_words, of_torch, of_a_plain_folder, of_onnx, of_int8, of_joined]
)
def test_an_index_finds_and_updates_with_it(kind: Kind, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    encoder = kind(request, tmp_path)
    with open_terminology(terminology(tmp_path, "old")) as opened:
        build_index([opened], tmp_path / "a.index", encoder=encoder)
    with open_index(tmp_path / "a.index") as index:
        hits = search(index, "failure kidney", SearchOptions(k=1))
        assert [hit.id for hit in hits] == ["T:1"]
        vector = index.encoder.encode(["retinal atrophy"])[0]
        assert index.signals.ontology.dense.nearest(vector, 1).similarities[0] == pytest.approx(1, abs=0.03)
    updated = update_index(tmp_path / "a.index", [terminology(tmp_path, "new", "newborn heart")])
    assert (updated.copied, updated.encoded) == (4, 1)
    with open_index(tmp_path / "a.index") as index:
        assert [hit.id for hit in search(index, "heart of the newborn", SearchOptions(k=1))] == ["T:4"]


@pytest.mark.parametrize("kind", [of_words, of_torch, of_onnx, of_int8, of_joined])
@pytest.mark.usefixtures("single_precision")
def test_what_mentions_are_looked_up_together_changes_no_answer(
    kind: Kind, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with open_terminology(terminology(tmp_path, "old")) as opened:
        build_index([opened], tmp_path / "a.index", encoder=kind(request, tmp_path))
    mentions = [Mention(text) for text in ("painful heart", "atrophy", "a failing kidney with other words", "liver")]
    with open_index(tmp_path / "a.index") as index:
        together, alone = (list(normalize(index, mentions, at_once=at_once)) for at_once in (64, 1))
    assert [one.id for one in together] == [one.id for one in alone]
    assert [one.confidence for one in together] == pytest.approx([one.confidence for one in alone], abs=1e-4)


def test_an_index_made_with_torch_opens_with_the_onnx_form_of_the_same_weights(exported: Path, tmp_path: Path) -> None:
    with open_terminology(terminology(tmp_path, "old")) as opened:
        build_index([opened], tmp_path / "a.index", encoder=exported / "model.safetensors")
    with open_index(tmp_path / "a.index", encoder=exported) as index:
        assert type(index.encoder).__name__ == "OnnxEncoder"
    with pytest.raises(MismatchError, match="the encoder it was made from is not the one at"):
        open_index(tmp_path / "a.index", encoder=exported / "onnx" / "model_int8.onnx")


def test_an_index_does_not_open_with_other_weights(plain: Path, tmp_path: Path) -> None:
    with open_terminology(terminology(tmp_path, "old")) as opened:
        build_index([opened], tmp_path / "a.index", encoder=plain)
    pooling = plain / "1_Pooling" / "config.json"
    pooling.write_text(pooling.read_text().replace('"mean"', '"cls"'))
    with pytest.raises(MismatchError, match=r"rebuild with `build_index\(\)`"):
        open_index(tmp_path / "a.index")


@pytest.mark.parametrize("kind", [of_words, of_torch, of_onnx, of_joined])
def test_names_that_normalization_makes_equal_get_equal_vectors(
    kind: Kind, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    encoder = open_encoder(kind(request, tmp_path))
    rows = encoder.encode_names(["Liver infarctions", "liver infarction", "LIVER INFARCTION, NOS", "heart pain", ""])
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])
    assert not np.array_equal(rows[0], rows[3])
    assert not rows[4].any()
    np.testing.assert_allclose(
        encoder.encode_names(["liver infarction"]), encoder.encode(["liver infarction"]), atol=1e-5
    )


def test_a_plural_is_asked_as_the_name_is_kept(tiny: Path, tmp_path: Path) -> None:
    with open_terminology(terminology(tmp_path, "one")) as opened:
        build_index([opened], tmp_path / "my.index", encoder=tiny)
    with open_index(tmp_path / "my.index") as index:
        (best, *_) = search(index, "Kidney Failures", SearchOptions(signal="dense"))
        assert best.id == "T:1"
        assert best.similarity == pytest.approx(1.0, abs=0.02)  # but for int8
