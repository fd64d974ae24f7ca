"""An encoder that a user wrote: an object with the members of `ontonym.encoder.Encoder`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ontonym
from ontonym.encoder import open_encoder, place_of_encoder
from ontonym.encoder.own import own_name
from ontonym.errors import ArtifactError, InputError, MismatchError, WrongTypeError

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class ByLetter:
    """Counts letters."""

    dim = len(LETTERS)
    fingerprint = "by-letter-1"
    is_steady = True

    def encode(self, texts: Sequence[str]) -> Any:
        counts = np.array([[text.lower().count(one) + 0.01 for one in LETTERS] for text in texts], dtype=np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    def encode_names(self, texts: Sequence[str]) -> Any:
        return self.encode(texts)


@pytest.fixture
def made(heart: Path, tmp_path: Path) -> tuple[Path, ByLetter]:
    encoder = ByLetter()
    ontonym.build_index(heart / "heart.terminology", tmp_path / "own.index", encoder=encoder)
    return tmp_path / "own.index", encoder


def test_it_searches_the_index_that_it_made(made: tuple[Path, ByLetter]) -> None:
    path, encoder = made
    with ontonym.open_index(path, encoder=encoder) as index:
        assert index.encoder is encoder
        (hit,) = index.search("traeh kcatta", k=1, signal="dense", verbatim=True)
        name, query = encoder.encode([hit.matched, "traeh kcatta"])
        assert hit.matched == "Heart attack"
        assert hit.similarity == pytest.approx(float(name @ query), abs=0.01)
        assert index.add_terms({"H:6": ["zzzqqq"]}).added == 1
        assert index.search("zzzqqq", k=1)[0].id == "H:6"


def test_one_that_is_a_record_need_not_be_hashable(heart: Path, tmp_path: Path) -> None:
    @dataclass
    class Record(ByLetter):
        used: int = 0

    one, other = Record(), Record()
    with pytest.raises(TypeError):
        hash(one)
    with ontonym.open_terminology(heart / "heart.terminology") as terminology:
        assert ontonym.distill(one, terminology, tmp_path / "a.encoder", dim=8, epochs=1).dim == 8
    opened = open_encoder(own_name(one, "an encoder"))
    assert opened is one
    assert place_of_encoder(one) == f"own:Record-{ByLetter.fingerprint}"
    assert place_of_encoder(other) is None, "another one that is equal is not open"


def test_it_is_measured_as_others_are(heart: Path, tmp_path: Path) -> None:
    runs = ontonym.evaluate_heldout(
        heart / "heart.terminology", encoder=ByLetter(), fraction=0.5, signals="dense", resamples=9
    )
    assert runs.first.mentions_read > 0
    with ontonym.open_terminology(heart / "heart.terminology") as terminology:
        student = ontonym.distill(ByLetter(), terminology, tmp_path / "a.encoder", dim=8, epochs=1)
    assert student.dim == 8


def test_where_it_is_not_open_the_error_says_what_to_give(made: tuple[Path, ByLetter]) -> None:
    path, encoder = made
    with ontonym.open_index(path) as index:
        assert index.encoder is encoder, "it is known as long as somebody holds it"
    encoder.fingerprint = "by-letter-2"
    with pytest.raises(MismatchError, match="the encoder it was made from is not the one"):
        ontonym.open_index(path, encoder=encoder)
    with pytest.raises(ArtifactError, match="no file holds it: give the object as `encoder=`"):
        ontonym.open_index(path, encoder="own:Nobody-1")


class Unnamed:
    dim = 3

    def encode(self, texts: Sequence[str]) -> Any:
        return np.ones((len(texts), 3), dtype=np.float32)


class TooLong(ByLetter):
    def encode(self, texts: Sequence[str]) -> Any:
        return super().encode(texts) * 2


class TooWide(ByLetter):
    dim = 5


class Doubles(ByLetter):
    def encode_names(self, texts: Sequence[str]) -> Any:
        return super().encode_names(texts).astype(np.float64)


@pytest.mark.parametrize(
    ("encoder", "error", "said"),
    [
        (Unnamed(), WrongTypeError, r"an encoder of your own also needs fingerprint, is_steady, encode_names\), not"),
        (object(), WrongTypeError, 'give an encoder: its path, or a name such as "default"'),
        (TooLong(), InputError, r"TooLong.encode\(\) gives rows of the length 2: divide each by its length"),
        (TooWide(), InputError, r"gives float32 \(2, 26\) for 2 texts, not float32 \(2, 5\)"),
        (Doubles(), InputError, r"Doubles.encode_names\(\) gives float64 \(2, 26\)"),
    ],
)
def test_what_is_no_encoder_says_what_it_lacks(
    heart: Path, tmp_path: Path, encoder: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        ontonym.build_index(heart / "heart.terminology", tmp_path / "no.index", encoder=encoder)
    assert not (tmp_path / "no.index").exists()


def test_what_is_saved_is_trained_and_joined(heart: Path, tmp_path: Path) -> None:
    with pytest.raises(WrongTypeError, match=r"made of it, not "):
        ontonym.join([ByLetter(), "static"], tmp_path / "no.encoder")
