"""An update gives, byte for byte, the index that a full build gives, whatever changed."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import ArtifactError, InputError, MismatchError
from ontonym.index import IndexOptions, build_index, open_index, update_index
from ontonym.ontology.batch import batches_of
from ontonym.store import build_terminology, open_terminology
from ontonym.types import Concept, Term

WORDS = ("heart", "attack", "of", "the", "lung", "IV", "fevers", "acute", "swollen", "knee", "ß", "β-cell", "ward")


class Listed:
    def __init__(self, concepts: Sequence[Concept], name: str) -> None:
        self.metadata = {"name": name, "version": str(len(concepts))}
        self.counts = self
        self.given = concepts

    def to_dict(self) -> dict[str, Any]:
        return {}

    def batches(self) -> Any:
        return batches_of(self.given)


def stored(path: Path, concepts: Sequence[Concept], name: str = "tiny") -> Path:
    build_terminology(Listed(concepts, name), path)
    return path


def indexed(places: Sequence[Path], path: Path, **options: Any) -> Path:
    opened = [open_terminology(place) for place in places]
    build_index(opened, path, options=IndexOptions(**options))
    for terminology in opened:
        terminology.close()
    return path


def contents(index: Path) -> dict[str, bytes]:
    """Every file but the manifest, which has paths and a date; its fingerprint stands for what matters of it."""
    files = {p.relative_to(index).as_posix(): p.read_bytes() for p in sorted(index.rglob("*")) if p.is_file()}
    return {**files, "manifest.json": json.loads(files["manifest.json"])["fingerprint"].encode()}


def drawn(draw: random.Random, size: int) -> list[Concept]:
    def term(place: int) -> Term:
        text = " ".join(draw.choices(WORDS, k=draw.randint(0, 4)))
        return Term(
            text,
            "preferred" if place == 0 else "synonym",
            status=draw.choice(("active", "active", "active", "retired")),
            language=draw.choice(("en", "en", "de")),
        )

    return [
        Concept(
            f"T:{number}",
            tuple(term(place) for place in range(draw.randint(0, 5))),
            status=draw.choice(("active", "active", "active", "retired")),
        )
        for number in range(size)
    ] + [Concept("T:last", (Term("last name"),))]


def changed(draw: random.Random, concepts: Sequence[Concept]) -> list[Concept]:
    kept = [concept for concept in concepts if draw.random() < 0.9]
    fresh = drawn(draw, 4)
    mixed = [draw.choice(fresh) if draw.random() < 0.1 else concept for concept in kept]
    out = [Concept(concept.id, concept.terms[::-1] if draw.random() < 0.2 else concept.terms) for concept in mixed]
    if draw.random() < 0.5:
        draw.shuffle(out)
    return list({concept.id: concept for concept in [*out, Concept("T:last", (Term("last name"),))]}.values())


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("options", [{}, {"retired": True}, {"languages": ("en",)}])
def test_an_update_is_a_rebuild(tmp_path: Path, seed: int, options: dict[str, Any]) -> None:
    draw = random.Random(seed)  # noqa: S311
    before = drawn(draw, 40)
    after = changed(draw, before)
    updated = indexed([stored(tmp_path / "old.terminology", before)], tmp_path / "a.index", **options)
    new = stored(tmp_path / "new.terminology", after)
    rebuilt = indexed([new], tmp_path / "b.index", **options)
    made = update_index(updated, [new])
    assert contents(updated) == contents(rebuilt)
    assert made.encoded <= made.names
    with open_index(updated) as index, open_index(rebuilt) as other:
        assert [index.id(i) for i in range(index.concept_count)] == [other.id(i) for i in range(other.concept_count)]


def test_only_unknown_names_are_encoded(tmp_path: Path) -> None:
    before = [Concept(f"T:{i}", (Term(f"name {i} thing"), Term(f"other {i}"))) for i in range(50)]
    after = [*before[:20], Concept("T:20", (Term("something new"), Term("other 20"))), *before[30:], *before[21:25]]
    index = indexed([stored(tmp_path / "a.terminology", before)], tmp_path / "t.index")
    made = update_index(index, [stored(tmp_path / "b.terminology", after)])
    assert (made.names, made.encoded) == (90, 1)


def test_the_old_terminology_may_be_gone_and_the_new_one_in_its_place(tmp_path: Path) -> None:
    before, after = drawn(random.Random(1), 30), drawn(random.Random(2), 30)  # noqa: S311
    place = stored(tmp_path / "t.terminology", before)
    index = indexed([place], tmp_path / "t.index")
    stored(place, after)
    with pytest.raises(MismatchError):
        open_index(index)
    update_index(index, [place])
    rebuilt = indexed([place], tmp_path / "r.index")
    assert contents(index) == contents(rebuilt)


def test_one_of_several_terminologies_is_replaced_by_name(tmp_path: Path) -> None:
    draw = random.Random(5)  # noqa: S311
    one, two = drawn(draw, 20), drawn(draw, 25)
    places = [stored(tmp_path / "1.terminology", one, "one"), stored(tmp_path / "2.terminology", two, "two")]
    index = indexed(places, tmp_path / "both.index")
    newer = stored(tmp_path / "3.terminology", changed(draw, two), "two")
    update_index(index, [newer])
    assert contents(index) == contents(indexed([places[0], newer], tmp_path / "r.index"))
    stranger = stored(tmp_path / "4.terminology", two, "three")
    with pytest.raises(InputError, match=r"its name 'three' must be that of one terminology of the index \(one, two\)"):
        update_index(index, [stranger])
    stored(places[0], two, "one")
    with pytest.raises(MismatchError, match="is no longer what"):
        update_index(index, [newer])


def test_another_encoder_encodes_every_name(tmp_path: Path) -> None:
    import numpy as np

    from ontonym.encoder.static import StaticShape, save_static

    shape = StaticShape(dim=16, word_rows=64, ngram_rows=64)
    weights = np.random.default_rng(1).normal(size=(shape.rows, 16)).astype(np.float32)
    save_static(tmp_path / "other.encoder", weights, shape, {})
    place = stored(tmp_path / "t.terminology", drawn(random.Random(3), 20))  # noqa: S311
    index = indexed([place], tmp_path / "t.index")
    made = update_index(index, [place], encoder=tmp_path / "other.encoder")
    assert made.encoded == made.names > 0
    with open_terminology(place) as opened:
        build_index([opened], tmp_path / "r.index", encoder=tmp_path / "other.encoder")
    assert contents(index) == contents(tmp_path / "r.index")


def test_an_index_of_nothing_to_search_is_refused_and_the_old_one_stays(tmp_path: Path) -> None:
    index = indexed([stored(tmp_path / "t.terminology", drawn(random.Random(3), 20))], tmp_path / "t.index")  # noqa: S311
    before = contents(index)
    empty = stored(tmp_path / "e.terminology", [Concept("T:1", (Term("gone", status="retired"),))])
    with pytest.raises(InputError, match="no name to index"):
        update_index(index, [empty])
    assert contents(index) == before


@pytest.mark.parametrize("name", ["name_hash.npy", "repeat_hash.npy", "repeat_words.npy", "repeat_words.rows.npy"])
def test_a_damaged_memory_says_to_rebuild(tmp_path: Path, name: str) -> None:
    place = stored(tmp_path / "t.terminology", drawn(random.Random(3), 20))  # noqa: S311
    index = indexed([place], tmp_path / "t.index")
    (index / name).write_bytes(b"x" * (index / name).stat().st_size)
    with pytest.raises(ArtifactError, match="rebuild with `ontonym index`"):
        update_index(index, [place])
