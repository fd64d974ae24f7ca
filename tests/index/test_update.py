"""An update gives, byte for byte, the index that a full build gives, whatever changed."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from listed import stored
from ontonym.encoder.static import StaticShape, save_static
from ontonym.errors import ArtifactError, InputError, MismatchError
from ontonym.index import IndexOptions, build_index, open_index, update_index
from ontonym.store import open_terminology
from ontonym.types import Concept, Term

WORDS = ("heart", "attack", "of", "the", "lung", "IV", "fevers", "acute", "swollen", "knee", "ß", "β-cell", "ward")


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


OPEN = ("unspecified", "(left)", "headache", "[old]")
"""Words of names that have shorter names, and one that the list of everyday names has."""

texts = st.lists(st.sampled_from((*WORDS, *OPEN)), max_size=4).map(" ".join)
terms = st.builds(
    Term,
    text=texts,
    kind=st.sampled_from(("preferred", "synonym", "lay", "abbreviation")),
    scope=st.sampled_from(("exact", "broad")),
    language=st.sampled_from(("en", "en-GB", "de")),
    status=st.sampled_from(("active", "active", "retired")),
)
named = st.tuples(st.lists(terms, max_size=5), st.sampled_from(("active", "active", "active", "retired")))
releases = st.dictionaries(st.integers(0, 20), named, max_size=12)
options = st.sampled_from(({}, {"retired": True}, {"languages": ("en",)}))
LAST = Concept("T:last", (Term("last name"),))


def sample(seed: int) -> list[Concept]:
    """Some concepts, the same for the same seed."""
    rng = np.random.default_rng(seed)
    listed = [" ".join(rng.choice(WORDS, rng.integers(1, 5))) for _ in range(60)]
    return [Concept(f"T:{n}", tuple(Term(text) for text in listed[3 * n : 3 * n + 3])) for n in range(20)] + [LAST]


def concepts_of(release: dict[int, tuple[list[Term], str]], order: Sequence[int] = ()) -> list[Concept]:
    """The concepts of a drawn release in some order, and one that always has a name."""
    ranked = sorted(release, key=lambda number: (order.index(number) if number in order else -1, number))
    return [*(Concept(f"T:{n}", tuple(release[n][0]), status=release[n][1]) for n in ranked), LAST]  # type: ignore[arg-type]


@st.composite
def changes(draw: st.DrawFn) -> tuple[list[Concept], list[Concept]]:
    """A release and the next: concepts gone, new, moved, retired, renamed, their terms in another order or kind."""
    before = draw(releases)
    after = {n: each for n, each in before.items() if draw(st.integers(0, 9))} | draw(
        releases.filter(lambda r: len(r) < 4)
    )
    for number, (listed, status) in list(after.items()):
        fate = draw(st.integers(0, 5))
        if fate == 0:
            after[number] = (listed[::-1], status)
        elif fate == 1:
            after[number] = ([replace(term, kind="lay", scope="broad") for term in listed], status)
        elif fate == 2:
            after[number] = ([replace(term, text=draw(texts)) for term in listed], "retired")
    return concepts_of(before), concepts_of(after, draw(st.permutations(range(21))) if draw(st.booleans()) else ())


@pytest.mark.slow
@examples(90)
@given(one=changes(), other=changes(), chosen=options, way=st.integers(0, 2))
def test_an_update_is_a_rebuild(tmp_path: Path, one: Any, other: Any, chosen: dict[str, Any], way: int) -> None:
    olds = [stored(tmp_path / "1.terminology", one[0], "one"), stored(tmp_path / "2.terminology", other[0], "two")]
    news = [stored(tmp_path / "3.terminology", one[1], "one"), stored(tmp_path / "4.terminology", other[1], "two")]
    before, given_, after = (
        (olds[:1], news[:1], news[:1]),
        (olds, news[::-1], news),
        (olds, news[1:], [olds[0], news[1]]),
    )[way]
    updated = indexed(before, tmp_path / "updated.index", **chosen)
    made = update_index(updated, given_)
    assert contents(updated) == contents(indexed(after, tmp_path / "rebuilt.index", **chosen))
    assert 0 <= made.encoded <= made.names <= made.terms
    assert made.copied + made.encoded == made.names


def test_many_names_of_a_concept_keep_the_first_of_each_form(tmp_path: Path) -> None:
    many = [Term(f"name {n % 60} thing") for n in range(150)] + [Term("thing name 7"), Term("new one")]
    place = stored(tmp_path / "t.terminology", [Concept("T:1", tuple(many)), Concept("T:2", tuple(many[::-1]))])
    with open_terminology(place) as terminology:
        build_index([terminology], tmp_path / "t.index")
    with open_index(tmp_path / "t.index") as index:
        names, texts_ = index.signals.names, index.terminologies[0].term_texts()
        shown = [texts_[int(row)] for row in names.terms]
    assert shown[:61] == [*(f"name {n} thing" for n in range(60)), "new one"]
    assert shown[61:64] == ["new one", "thing name 7", "name 29 thing"]
    assert len(shown) == 122


@pytest.mark.parametrize("seed", range(6))
def test_shorter_names_are_those_of_a_rebuild(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)

    def release(texts_: list[str]) -> list[Concept]:
        """Half of the concepts are below the one before; a third of the names are new."""
        for place in rng.integers(0, len(texts_), len(texts_) // 3).tolist():
            texts_[place] = " ".join(rng.choice((*WORDS[:4], *OPEN), rng.integers(1, 5)))
        return [
            Concept(f"T:{n}", (Term(texts_[2 * n]), Term(texts_[2 * n + 1])), parents=(f"T:{n - 1}",) if n % 2 else ())
            for n in range(len(texts_) // 2)
        ]

    names = ["Knee, unspecified"] * 120
    olds = [stored(tmp_path / f"{name}.terminology", release(names), name) for name in ("one", "two")]
    news = [stored(tmp_path / f"{name}-next.terminology", release(names), name) for name in ("one", "two")]
    for before, after in ((olds[:1], news[:1]), (olds, news)):
        updated = indexed(before, tmp_path / "updated.index")
        update_index(updated, after)
        assert contents(updated) == contents(indexed(after, tmp_path / "rebuilt.index"))
        assert json.loads((updated / "manifest.json").read_bytes())["content"]["statistics"]["shortened"] > 5


def test_what_was_done_is_told(tmp_path: Path) -> None:
    before = [Concept("T:1", (Term("heart attack"), Term("Heart attacks"), Term("lung fever"), Term("?!")))]
    after = [Concept("T:1", (Term("heart attack"), Term("Heart attacks"), Term("knee pain"), Term("pain of knee")))]
    index = indexed([stored(tmp_path / "a.terminology", before)], tmp_path / "t.index")
    made = update_index(index, [stored(tmp_path / "b.terminology", after)])
    assert (made.names, made.copied, made.encoded, made.dropped) == (3, 1, 2, 1)
    assert (made.terms, made.read) == (4, 2)


def test_only_unknown_names_are_encoded(tmp_path: Path) -> None:
    before = [Concept(f"T:{i}", (Term(f"name {i} thing"), Term(f"other {i}"))) for i in range(50)]
    after = [*before[:20], Concept("T:20", (Term("something new"), Term("other 20"))), *before[30:], *before[21:25]]
    index = indexed([stored(tmp_path / "a.terminology", before)], tmp_path / "t.index")
    made = update_index(index, [stored(tmp_path / "b.terminology", after)])
    assert (made.names, made.encoded) == (90, 1)


def test_the_old_terminology_may_be_gone_and_the_new_one_in_its_place(tmp_path: Path) -> None:
    before, after = sample(1), sample(2)
    place = stored(tmp_path / "t.terminology", before)
    index = indexed([place], tmp_path / "t.index")
    stored(place, after)
    with pytest.raises(MismatchError):
        open_index(index)
    update_index(index, [place])
    rebuilt = indexed([place], tmp_path / "r.index")
    assert contents(index) == contents(rebuilt)


@pytest.mark.slow
def test_one_of_several_terminologies_is_replaced_by_name(tmp_path: Path) -> None:
    one, two = sample(5), sample(6)
    places = [stored(tmp_path / "1.terminology", one, "one"), stored(tmp_path / "2.terminology", two, "two")]
    index = indexed(places, tmp_path / "both.index")
    newer = stored(tmp_path / "3.terminology", sample(7), "two")
    update_index(index, [newer])
    assert contents(index) == contents(indexed([places[0], newer], tmp_path / "r.index"))
    stranger = stored(tmp_path / "4.terminology", two, "three")
    with pytest.raises(InputError, match=r"its name 'three' must be that of one terminology of the index \(one, two\)"):
        update_index(index, [stranger])
    stored(places[0], two, "one")
    with pytest.raises(MismatchError, match="is no longer what"):
        update_index(index, [newer])
    places[0].rename(tmp_path / "moved.terminology")
    with pytest.raises(ArtifactError, match=r"its terminology one is no longer at .*: give it to the update too"):
        update_index(index, [newer])
    update_index(index, [newer, tmp_path / "moved.terminology"])
    with pytest.raises(InputError, match="at least one terminology"):
        update_index(index, [])


def test_another_terminology_is_no_new_release(tmp_path: Path) -> None:
    index = indexed([stored(tmp_path / "t.terminology", sample(1), "one")], tmp_path / "t.index")
    before = contents(index)
    stranger = stored(tmp_path / "s.terminology", [Concept("X:1", (Term("quite another thing"),))], "other")
    with pytest.raises(InputError, match=r"other has hardly a name in common with one, which .* is of"):
        update_index(index, [stranger])
    assert contents(index) == before
    renamed = stored(tmp_path / "n.terminology", sample(1), "one 2026")
    (doubt,) = update_index(index, [renamed]).doubts
    assert "which has another name" in doubt


def test_another_encoder_encodes_every_name(tmp_path: Path) -> None:
    shape = StaticShape(dim=16, word_rows=64, ngram_rows=64)
    weights = np.random.default_rng(1).normal(size=(shape.rows, 16)).astype(np.float32)
    save_static(tmp_path / "other.encoder", weights, shape, {})
    place = stored(tmp_path / "t.terminology", sample(3))
    index = indexed([place], tmp_path / "t.index")
    made = update_index(index, [place], encoder=tmp_path / "other.encoder")
    assert made.encoded == made.names > 0
    with open_terminology(place) as opened:
        build_index([opened], tmp_path / "r.index", encoder=tmp_path / "other.encoder")
    assert contents(index) == contents(tmp_path / "r.index")


def test_an_index_of_nothing_to_search_is_refused_and_the_old_one_stays(tmp_path: Path) -> None:
    index = indexed([stored(tmp_path / "t.terminology", sample(3))], tmp_path / "t.index")
    before = contents(index)
    empty = stored(tmp_path / "e.terminology", [Concept("T:1", (Term("gone", status="retired"),))])
    with pytest.raises(InputError, match="no name to index"):
        update_index(index, [empty])
    assert contents(index) == before


@pytest.mark.parametrize(
    "name",
    [
        "name_hash.npy", "repeat_hash.npy", "repeat_words.npy", "repeat_words.rows.npy", "shorter_name.npy",
        "shorter_form.npy", "shorter_term.npy",
    ],
)  # fmt: skip
def test_a_damaged_memory_says_to_rebuild(tmp_path: Path, name: str) -> None:
    place = stored(tmp_path / "t.terminology", sample(3))
    index = indexed([place], tmp_path / "t.index")
    (index / name).write_bytes(b"x" * (index / name).stat().st_size)
    with pytest.raises(ArtifactError, match=r"rebuild with `build_index\(\)`"):
        update_index(index, [place])


@pytest.mark.parametrize("stage", ["reading names", "meaning"])
def test_interrupted_the_old_index_serves_on(tmp_path: Path, stage: str) -> None:
    index = indexed([stored(tmp_path / "t.terminology", sample(3))], tmp_path / "t.index")
    before, threads = contents(index), threading.active_count()

    def interrupt(now: str, done: int, total: int) -> None:
        if now == stage:
            raise KeyboardInterrupt

    with open_index(index) as serving:
        with pytest.raises(KeyboardInterrupt):
            update_index(index, [stored(tmp_path / "new.terminology", sample(4))], progress=interrupt)
        assert len(serving.signals.evidence(serving.signals.query("heart attack")).concepts)
    assert contents(index) == before
    assert not [place.name for place in tmp_path.iterdir() if place.name.startswith(".")]
    assert threading.active_count() == threads
