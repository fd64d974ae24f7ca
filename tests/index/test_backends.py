"""One contract for all backends of an index: the folder, a PostgreSQL and a Milvus server give the same answers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from milvusserver import MilvusServer
from ontonym.errors import UnknownNameError
from ontonym.index import (
    AddedTerm,
    Index,
    IndexOptions,
    add_terms,
    holdings,
    open_index,
    read_journal,
    remove_terms,
    update_index,
)
from ontonym.index.names import forms_of
from ontonym.index.shared.places import copy_index, manifest_at, stamp_at
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology
from ontonym.tasks import SearchOptions, search, search_many
from postgres import Server
from workshop import Workshop

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache")]

_CONCEPTS, _NAMES = 1200, 4
_SAME = 0.97
BACKENDS = ("folder", "postgres", "milvus")
DEFAULTS = SearchOptions()
_NUMBER = count(1)


def stanzas(names: list[str], *, tagged: bool = True) -> list[str]:
    """Concepts with four names each, ten below each of the first hundred."""
    found = []
    for concept in range(_CONCEPTS):
        first, *others = names[_NAMES * concept : _NAMES * (concept + 1)]
        lines = [f"id: T:{concept:05}", f"name: {first}", *(f'synonym: "{one}" EXACT []' for one in others)]
        if concept >= 100:
            lines.append(f"is_a: T:{concept % 100:05}")
        if tagged:
            lines.append(f"namespace: {('finding', 'disorder')[concept % 2]}")
        found.append("\n".join(lines) + "\n")
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, words: Callable[[int, int], list[str]]) -> Iterator[Index]:
    workshop = Workshop(tmp_path_factory.mktemp("made"))
    names = words(_CONCEPTS * _NAMES, 1)
    index = workshop.index(
        workshop.terminology("t", *stanzas(names)), options=IndexOptions(everyday=False), name="made"
    )
    yield index
    workshop.close()


@pytest.fixture(scope="module")
def queries(words: Callable[[int, int], list[str]]) -> list[str]:
    """Names as they are, with a word too many, with one missing, misspelled, and names of nothing."""
    rng, names, found = np.random.default_rng(5), words(_CONCEPTS * _NAMES, 1), words(40, 9)
    for number, name in enumerate(rng.choice(names, 200).tolist()):
        parts = name.split()
        found.append((name, f"severe {name}", " ".join(parts[1:]) or name, name[:-2] + name[-1:])[number % 4])
    return found


def loaded(request: pytest.FixtureRequest, made: Index, folder: Path, name: str) -> str:
    """The place of a copy of the index in the backend that the test is for."""
    if request.param == "folder":
        for part in (made.path, made.path.parent / "a.encoder", made.path.parent / "t.terminology"):
            shutil.copytree(part, folder / (f"{name}.index" if part == made.path else part.name))
        return str(folder / f"{name}.index")
    server: MilvusServer | Server = request.getfixturevalue({"postgres": "server"}.get(request.param, request.param))
    url = server.url(name)
    copy_index(made.path, url)
    return url


@pytest.fixture(params=BACKENDS)
def place(request: pytest.FixtureRequest, made: Index, tmp_path: Path) -> str:
    """An index of its own for each test, in each backend."""
    return loaded(request, made, tmp_path, f"own{next(_NUMBER)}")


@pytest.fixture(scope="module", params=BACKENDS)
def unchanged(request: pytest.FixtureRequest, made: Index, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An index in each backend for all tests that only read it."""
    return loaded(request, made, tmp_path_factory.mktemp("unchanged"), "unchanged")


def ids(index: Index, texts: list[str], options: SearchOptions = DEFAULTS) -> list[list[str]]:
    return [[hit.id for hit in hits] for hits in search_many(index, texts, options)]


def share_of_equal(found: list[list[str]], expected: list[list[str]]) -> float:
    return sum(one == other for one, other in zip(found, expected, strict=True)) / len(expected)


def test_every_signal_answers_as_the_folder_does(unchanged: str, made: Index, queries: list[str]) -> None:
    with open_index(unchanged) as index:
        own, theirs = made.signals.ontology, index.signals.ontology
        near = 0
        for query in made.signals.queries(queries[::4]):
            assert theirs.names.spelled(query.words).tolist() == own.names.spelled(query.words).tolist()
            for which in ("lexical", "char"):
                given = own.char.query(query.words) if which == "char" else query.words
                expected, found = getattr(own, which).nearest(given, 20), getattr(theirs, which).nearest(given, 20)
                assert found.rows.tolist() == expected.rows.tolist()
                assert found.similarities.tolist() == expected.similarities.tolist()
            expected, found = own.dense.nearest(query.vector, 20), theirs.dense.nearest(query.vector, 20)
            assert found.similarities == pytest.approx(own.dense.vectors(found.rows) @ query.vector, abs=1e-3)
            near += len(set(found.rows.tolist()) & set(expected.rows.tolist()))
        assert near >= _SAME * 20 * len(queries[::4])


def test_vectors_and_forms_are_those_of_the_folder(unchanged: str, made: Index) -> None:
    rows = np.array([7, 3, 3, 4000, 0])
    with open_index(unchanged) as index:
        own, theirs = made.signals.ontology, index.signals.ontology
        assert theirs.dense.vectors(rows).tolist() == own.dense.vectors(rows).tolist()
        assert theirs.dense.vectors(rows).tolist() == own.dense.vectors(rows).tolist()  # now from memory
        assert theirs.dense.vectors(slice(10, 13)).tolist() == own.dense.vectors(slice(10, 13)).tolist()
        forms = forms_of([own.names.words_of(row) for row in rows.tolist()] + [["nothing", "has", "these"]])
        assert theirs.names.forms.first(forms).tolist() == own.names.forms.first(forms).tolist()
        for found, expected in zip(theirs.names.forms.each(forms), own.names.forms.each(forms), strict=True):
            assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(),
        SearchOptions(strategy="O-C"),
        SearchOptions(signal="char"),
        SearchOptions(within=("T:00003", "T:00004")),
        SearchOptions(tags=("finding",)),
    ],
    ids=str,
)
def test_the_first_ten_are_those_of_the_folder(
    unchanged: str, made: Index, queries: list[str], options: SearchOptions
) -> None:
    expected = ids(made, queries, options)
    assert any(expected)
    with open_index(unchanged) as index:
        assert share_of_equal(ids(index, queries, options), expected) >= _SAME


def test_a_filter_is_applied_inside_the_scan(unchanged: str, made: Index) -> None:
    with open_index(unchanged) as index:
        wanted = np.zeros(made.name_count, dtype=np.bool_)
        wanted[1::3] = True
        query = made.signals.query("cardi neph")
        found = index.signals.ontology.dense.nearest(query.vector, 10, wanted)
        expected = made.signals.ontology.dense.nearest(query.vector, 10, wanted)
        assert len(found.rows) == 10 and wanted[found.rows].all()
        assert found.rows.tolist() == expected.rows.tolist()
        with pytest.raises(UnknownNameError, match="disorder, finding"):
            search(index, "x", SearchOptions(tags=("nothing",)))


def test_many_threads_share_an_open_index(unchanged: str, made: Index, queries: list[str]) -> None:
    expected = ids(made, queries[:60])
    with open_index(unchanged) as index, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda text: [hit.id for hit in search(index, text)], queries[:60]))
    assert share_of_equal(found, expected) >= _SAME


def test_added_terms_are_searched_at_once_and_the_journal_keeps_all(place: str) -> None:
    before = stamp_at(place)
    with open_index(place) as index:
        change = add_terms(place, [AddedTerm("T:00007", "funny turn", who="me"), AddedTerm("X:1", "gone")])
        assert (change.added, [term.id for term in change.unknown]) == (2, ["X:1"])
        assert stamp_at(place) != before
        assert search(index, "funny turn")[:1] != search(index.refreshed(), "funny turn")[:1]
        now = index.refreshed()
        assert now.refreshed() is now
        (hit, *_) = search(now, "funny turn")
        assert (hit.id, hit.matched, hit.source) == ("T:00007", "funny turn", "added by me")
        assert manifest_at(place).content["added"] == {"terms": 2, "searched": 1}
        assert remove_terms(place, [AddedTerm("T:00007", ""), AddedTerm("T:00008", "never")]).removed == 1
        again = now.refreshed()
        assert [hit.id for hit in search(again, "funny turn")] == [hit.id for hit in search(index, "funny turn")]
        assert [(one.did, one.term.text) for one in read_journal(again)] == [
            ("added", "funny turn"), ("added", "gone"), ("removed", "funny turn"),
        ]  # fmt: skip
        assert [held.term.text for held in holdings(again)] == ["gone"]


def test_an_update_is_another_index_of_the_same_terms(
    place: str, tmp_path: Path, words: Callable[[int, int], list[str]]
) -> None:
    names = words(_CONCEPTS * _NAMES, 1)
    names[4] = "wholly new wording"
    text = "format-version: 1.2\nontology: t\n\n" + "\n".join(f"[Term]\n{one}" for one in stanzas(names))
    (tmp_path / "next.obo").write_text(text, encoding="utf-8")
    build_terminology(read_release([tmp_path / "next.obo"]), tmp_path / "next.terminology")
    add_terms(place, [AddedTerm("T:00001", "funny turn")])
    with open_index(place) as old:
        updated = update_index(place, [tmp_path / "next.terminology"])
        assert updated.encoded == 1 and updated.copied == updated.names - 1
        assert search(old, "wholly new wording")[0].matched != "wholly new wording"  # who has it open keeps it
        with open_index(place) as new:
            assert search(new, "wholly new wording")[0].id == "T:00001"
            assert search(new, "funny turn")[0].id == "T:00001"


def test_an_index_comes_back_as_it_went(unchanged: str, made: Index, tmp_path: Path) -> None:
    if "://" not in unchanged:
        pytest.skip("ONTONYM_DATA: a folder is copied as any folder is")
    copy_index(unchanged, tmp_path / "back.index")
    with open_index(tmp_path / "back.index", encoder=made.path.parent / "a.encoder") as back:
        assert back.manifest.files == made.manifest.files
        assert search(back, "cardi neph") == search(made, "cardi neph")
