"""An index in shards gives the very answers of one that is not: contract for every signal, filter and update."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from ontonym.errors import InputError
from ontonym.index import AddedTerm, Index, IndexOptions, add_terms, build_index, open_index, update_index
from ontonym.index.names import forms_of
from ontonym.index.shards import shard_folder
from ontonym.index.signcodes import SignCodes, candidates_for
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.completing import complete
from workshop import Workshop

CONCEPTS, NAMES = 400, 4
SHARDS = 3


def stanzas(names: list[str], first: int = 0) -> list[str]:
    found = []
    for concept in range(len(names) // NAMES):
        preferred, *others = names[NAMES * concept : NAMES * (concept + 1)]
        lines = [f"id: T:{first + concept:05}", f"name: {preferred}", *(f'synonym: "{one}" EXACT []' for one in others)]
        if concept >= 20:
            lines.append(f"is_a: T:{first + concept % 20:05}")
        found.append("\n".join(lines) + "\n")
    return found


@pytest.fixture(scope="module")
def names(words: Callable[[int, int], list[str]]) -> list[str]:
    return words(CONCEPTS * NAMES, 1)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> Iterator[tuple[Index, Index]]:
    workshop = Workshop(tmp_path_factory.mktemp("shards"))
    half = CONCEPTS * NAMES // 2
    terminologies = [
        workshop.terminology("one", *stanzas(names[:half])),
        workshop.terminology("two", *stanzas(names[half:], CONCEPTS)),
    ]
    made = [
        workshop.index(*terminologies, options=IndexOptions(shards=count), name=f"in{count}") for count in (1, SHARDS)
    ]
    yield made[0], made[1]
    workshop.close()


@pytest.fixture(scope="module")
def queries(names: list[str]) -> list[str]:
    rng, found = np.random.default_rng(5), ["", "nothing of all this", "-"]
    for number, name in enumerate(rng.choice(names, 60).tolist()):
        found.append((name, f"severe {name}", name.split()[0], name[:-2] + name[-1:])[number % 4])
    return found


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(k=30),
        SearchOptions(strategy="O-C"),
        *(SearchOptions(signal=signal) for signal in ("lexical", "char", "dense")),
        SearchOptions(within=("T:00003", "T:00404")),
        SearchOptions(terminologies=("two",)),
    ],
    ids=str,
)
def test_same_hits_in_the_same_order_with_the_same_confidence(
    both: tuple[Index, Index], queries: list[str], options: SearchOptions
) -> None:
    whole, sharded = both
    found = 0
    for query in queries:
        expected = search(whole, query, options)
        assert search(sharded, query, options) == expected
        found += len(expected)
    assert found > len(queries)


def test_same_completions(both: tuple[Index, Index], names: list[str]) -> None:
    whole, sharded = both
    for name in names[::40]:
        expected = complete(whole, name[:4])
        assert expected and complete(sharded, name[:4]) == expected


def test_every_signal_and_lookup_is_that_of_the_whole_index(both: tuple[Index, Index], queries: list[str]) -> None:
    whole, sharded = (index.signals.ontology for index in both)
    rows = np.array([7, 3, 3, len(whole.names) - 1, 0])
    assert sharded.dense.vectors(rows).tolist() == whole.dense.vectors(rows).tolist()
    assert sharded.dense.vectors(slice(10, 13)).tolist() == whole.dense.vectors(slice(10, 13)).tolist()
    forms = forms_of([whole.names.words_of(row) for row in rows.tolist()] + [["nothing", "has", "these"]])
    assert sharded.names.forms.first(forms).tolist() == whole.names.forms.first(forms).tolist()
    for found, expected in zip(sharded.names.forms.each(forms), whole.names.forms.each(forms), strict=True):
        assert found.tolist() == expected.tolist()
    words = np.arange(0, len(whole.names.vocabulary), 7)
    assert sharded.prefixes._postings.rows_of(words).tolist() == whole.prefixes._postings.rows_of(words).tolist()
    for query in both[0].signals.queries(queries):
        for which in ("lexical", "char", "dense"):
            given = whole.char.query(query.words) if which == "char" else query.words
            given = query.vector if which == "dense" else given
            expected, found = getattr(whole, which).nearest(given, 20), getattr(sharded, which).nearest(given, 20)
            assert found.rows.tolist() == expected.rows.tolist()
            assert found.similarities.tolist() == expected.similarities.tolist()


def test_statistics_and_numbers_of_names_are_files_of_the_whole_index(both: tuple[Index, Index]) -> None:
    whole, sharded = (index.path for index in both)
    for name in ("word_idf", "gram_idf", "gram_word", "name_length", "name_worth", "name_words", "word_order"):
        assert (whole / f"{name}.npy").read_bytes() == (sharded / f"{name}.npy").read_bytes(), name
    rows = [np.load(shard_folder(sharded, number) / "rows.npy") for number in range(SHARDS)]
    assert all(len(one) for one in rows)
    assert sorted(np.concatenate(rows).tolist()) == list(range(both[0].name_count))
    assert not (sharded / "dense_int8.npy").exists()


def test_ties_of_the_scan_go_to_the_lower_row() -> None:
    """What shards rely on to keep the very candidates of one scan."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (5000, 2), dtype=np.uint8)
    query = rng.standard_normal(16).astype(np.float32)
    distances, rows = SignCodes(codes).nearest(query, 10, None)
    every = np.bitwise_count(codes ^ np.packbits(query > 0)).sum(axis=1)
    assert rows.tolist() == np.lexsort((np.arange(5000), every))[: candidates_for(10)].tolist()
    assert distances.tolist() == every[rows].tolist()


def test_added_terms_and_updates_keep_the_shards(
    workshop: Workshop, names: list[str], tmp_path: Path, queries: list[str]
) -> None:
    old, new = names[: 100 * NAMES], names[4 * NAMES : 110 * NAMES]
    terminology = workshop.terminology("t", *stanzas(old))
    later = workshop.terminology("later", *stanzas(new))
    for count in (1, SHARDS):
        workshop.index(terminology, options=IndexOptions(shards=count), name=f"in{count}")
        place = tmp_path / f"in{count}.index"
        add_terms(place, [AddedTerm("T:00003", "words of my own")])
        updated = update_index(place, [later.path])
        assert 0 < updated.encoded < 11 * NAMES  # the others are copied from their shards
    with open_index(tmp_path / "in1.index") as whole, open_index(tmp_path / f"in{SHARDS}.index") as sharded:
        assert sharded.manifest.content["identity"]["options"]["shards"] == SHARDS
        for query in ("words of my own", *queries):
            assert search(sharded, query) == search(whole, query)
    build_index([later], tmp_path / "fresh.index", encoder=tmp_path / "a.encoder", options=IndexOptions(shards=SHARDS))
    with open_index(tmp_path / "fresh.index") as fresh:
        made = {name for name in fresh.manifest.files if not name.startswith("added")}
        for name in made:
            assert (tmp_path / "fresh.index" / name).read_bytes() == (
                tmp_path / f"in{SHARDS}.index" / name
            ).read_bytes()


def test_more_shards_than_concepts_leave_some_empty(workshop: Workshop) -> None:
    terminology = workshop.terminology("t", "id: T:1\nname: heart failure\n", "id: T:2\nname: broken hand\n")
    index = workshop.index(terminology, options=IndexOptions(shards=16), name="many")
    assert [hit.id for hit in search(index, "heart failure")][:1] == ["T:1"]
    assert complete(index, "brok")[0].id == "T:2"
    with pytest.raises(InputError, match="1 to 256 are possible"):
        build_index([terminology], workshop.folder / "no.index", options=IndexOptions(shards=257))
