"""Joined encoders: their cosines are the weighted mean of their parts', and their transformer can be trained on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ontonym.artifact import read_manifest, verify
from ontonym.encoder import DEFAULT, open_encoder
from ontonym.encoder.joined import JoinedEncoder, check_shares, join_encoders, part_folders, transformer_part
from ontonym.encoder.static import StaticShape, save_static
from ontonym.errors import ArtifactError, InputError
from ontonym.text.normalization import canonical

SHAPE = StaticShape(dim=16, word_rows=64, ngram_rows=64)


@pytest.fixture
def statics(tmp_path: Path) -> list[Path]:
    """Two static encoders with random weights."""
    folders = [tmp_path / f"{seed}.encoder" for seed in (1, 2)]
    for seed, folder in enumerate(folders):
        weights = np.random.default_rng(seed).standard_normal((SHAPE.rows, SHAPE.dim), dtype=np.float32)
        save_static(folder, weights, SHAPE, {})
    return folders


def test_cosines_are_the_weighted_means_of_those_of_the_parts(
    statics: list[Path], names: list[str], tmp_path: Path
) -> None:
    manifest = join_encoders(statics, [3, 1], tmp_path / "both.encoder", {"said": "so"})
    both = open_encoder(tmp_path / "both.encoder")
    one, other = (open_encoder(folder).encode(names) for folder in statics)
    found = both.encode(names)
    assert both.dim == 32
    np.testing.assert_allclose(found @ found.T, 0.75 * one @ one.T + 0.25 * other @ other.T, atol=1e-6)
    assert manifest.content["identity"] == {"encoder": "joined", "shares": [0.75, 0.25]}
    assert manifest.content["said"] == "so"
    verify(tmp_path / "both.encoder")


def test_a_text_that_one_part_does_not_know_has_the_other_alone() -> None:
    class Knows:
        dim = 2

        def __init__(self, word: str) -> None:
            self.fingerprint = self.word = word

        def encode(self, texts):
            return np.array([[float(self.word in text), 0] for text in texts], dtype=np.float32)

    found = JoinedEncoder([Knows("heart"), Knows("kidney")], [0.5, 0.5]).encode(["heart", "heart kidney", "liver"])
    half = 0.5**0.5
    np.testing.assert_allclose(found, [[1, 0, 0, 0], [half, 0, half, 0], [0, 0, 0, 0]], atol=1e-7)


def test_the_fingerprint_depends_on_parts_their_order_and_shares(statics: list[Path]) -> None:
    one, other = map(open_encoder, statics)
    prints = [
        JoinedEncoder(parts, shares).fingerprint
        for parts, shares in (([one, other], [0.5, 0.5]), ([other, one], [0.5, 0.5]), ([one, other], [0.6, 0.4]))
    ]
    assert len(set(prints)) == 3
    assert JoinedEncoder([one, other], [2, 2]).fingerprint == prints[0]


def test_the_encoder_of_the_package_and_word_vectors_can_be_joined(names: list[str], tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("heart 1 0\nkidney 0 1\n", encoding="utf-8")
    join_encoders([DEFAULT, words], [1, 1], tmp_path / "both.encoder")
    both = open_encoder(tmp_path / "both.encoder")
    assert both.dim == open_encoder().dim + 2
    assert both.encode(["heart", "kidney"])[:, -2:] == pytest.approx(np.eye(2) * 0.5**0.5)


@pytest.mark.parametrize(
    ("shares", "count", "told"),
    [([1], 2, "as many shares"), ([1], 1, "at least two"), ([1, 0], 2, "above 0"), ([1, float("nan")], 2, "above 0")],
)
def test_shares_that_make_no_sense_are_refused(shares: list[float], count: int, told: str) -> None:
    with pytest.raises(InputError, match=told):
        check_shares(shares, count)


def test_what_is_no_encoder_cannot_be_joined(statics: list[Path], tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="no such encoder"):
        join_encoders([statics[0], tmp_path / "nothing"], [1, 1], tmp_path / "both.encoder")
    assert not (tmp_path / "both.encoder").exists()


def test_damaged_parts_are_told(statics: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "both.encoder"
    join_encoders(statics, [1, 1], folder)
    (folder / "2" / "table.npy").unlink()
    with pytest.raises(ArtifactError, match=r"2/table.npy is missing"):
        open_encoder(folder)


@pytest.mark.training
def test_training_needs_exactly_one_transformer(statics: list[Path], tmp_path: Path) -> None:
    from ontonym.learning.encoders.bases import Base
    from ontonym.text.strings import Strings

    join_encoders(statics, [1, 1], tmp_path / "both.encoder")
    with pytest.raises(InputError, match="static and static"):
        Base(str(tmp_path / "both.encoder")).trainable(Strings.of(["heart"]), seed=0, dropout=0.0)


# With torch -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def both(tiny: Path, statics: list[Path], tmp_path: Path) -> Path:
    join_encoders([tiny, statics[0]], [0.6, 0.4], tmp_path / "both.encoder")
    return tmp_path / "both.encoder"


@pytest.mark.usefixtures("single_precision")
def test_what_is_trained_gives_the_vectors_of_the_joined_encoder(both: Path, names: list[str], tmp_path: Path) -> None:
    from ontonym.learning.encoders.bases import Base
    from ontonym.learning.encoders.trainable import encode_rows
    from ontonym.text.strings import Strings

    texts = Strings.of(names)
    trainable = Base(str(both)).trainable(texts, seed=0, dropout=0.0)
    trainable.prepare(texts, 24)
    rows = np.random.default_rng(0).permutation(len(names))
    expected = open_encoder(both).encode([names[row] for row in rows])
    np.testing.assert_allclose(encode_rows(trainable, rows), expected, atol=1e-5)
    trainable.save(tmp_path / "saved.encoder", {"told": 1})
    saved = open_encoder(tmp_path / "saved.encoder")
    np.testing.assert_allclose(saved.encode(names), open_encoder(both).encode(names), atol=1e-6)
    assert read_manifest(tmp_path / "saved.encoder").content["told"] == 1


@pytest.mark.usefixtures("single_precision")
def test_what_stays_beside_encodes_each_spelling_once(tiny: Path, names: list[str], tmp_path: Path) -> None:
    from ontonym.learning.encoders.bases import Base
    from ontonym.learning.encoders.trainable import encode_rows
    from ontonym.text.strings import Strings

    spellings = [*names, *(name.upper() for name in names), *names]
    texts = Strings.of(spellings)
    told: list[tuple[int, int]] = []
    base = Base("none", shape=SHAPE, beside=str(tiny), share=0.3)
    trainable = base.trainable(texts, seed=0, dropout=0.0, ahead=lambda done, total: told.append((done, total)))
    distinct = len({canonical(name) for name in spellings})
    assert told == [(distinct, distinct)]
    trainable.prepare(texts, 24)
    found = encode_rows(trainable, np.arange(len(spellings)))
    trainable.save(tmp_path / "saved.encoder", {})
    expected = open_encoder(tmp_path / "saved.encoder").encode_names(spellings)
    np.testing.assert_allclose(found[:, : -SHAPE.dim], expected[:, : -SHAPE.dim], atol=1e-3)
    assert (found * expected).sum(axis=1).min() > 0.999  # the static one is kept in 8 bits


@pytest.mark.usefixtures("single_precision")
def test_the_onnx_form_is_that_of_the_transformer_inside(both: Path, names: list[str]) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from ontonym.learning.encoders.datasets import ExampleDataset
    from ontonym.learning.encoders.forms import export_forms
    from ontonym.learning.encoders.options import TrainOptions
    from ontonym.learning.recipes import Examples, Texts
    from ontonym.text.strings import Strings

    count = np.arange(len(names), dtype=np.int32)
    table = np.stack([count[::2], count[1::2]], axis=1)
    dataset = ExampleDataset(
        Examples(Texts(Strings.of(names), count, count // 2, count), {"train": table}, {"recipe": ""})
    )
    before = open_encoder(both)
    forms = export_forms(both, dataset, TrainOptions())
    assert [form.name for form in forms] == ["float32", "int8"]
    assert forms[0].agreement.mean_cosine == pytest.approx(1.0, abs=1e-5)
    after = open_encoder(both)
    assert after.fingerprint == before.fingerprint
    assert (part_folders(both)[transformer_part(part_folders(both))] / "onnx" / "model.onnx").is_file()
    verify(both)
    np.testing.assert_allclose(after.encode(names), before.encode(names), atol=1e-5)
