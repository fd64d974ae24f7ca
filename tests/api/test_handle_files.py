"""Open artifacts that others change: own terms are seen at once, and files are held no longer than they are open."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

import ontonym
from ontonym.errors import ArtifactError


@pytest.fixture
def own(heart: Path, tmp_path: Path) -> Path:
    """An index of its own, which a test may change."""
    for name in ("heart.terminology", "a.encoder", "a.index"):
        shutil.copytree(heart / name, tmp_path / name)
    return tmp_path / "a.index"


def test_terms_of_a_gold_corpus(own: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "ward.pubtator"
    corpus.write_text("1|t|A funny turn again\n1|a|\n1\t2\t12\tfunny turn\tDisease\tH:6\n\n", encoding="utf-8")
    with ontonym.open_index(own) as index:
        assert index.add_terms(corpus).added == 1
        assert [(one.term.text, one.concept) for one in index.terms()] == [("funny turn", "H:6")]
        assert index.remove_terms(str(corpus)).removed == 1


def test_threads_add_terms_in_turn(own: Path) -> None:
    with ontonym.open(own) as index, ThreadPoolExecutor(4) as threads:
        added = threads.map(lambda number: index.add_terms([("H:6", f"turn {number}")]).added, range(8))
        assert [*added] == [1] * 8
        assert sorted(one.term.text for one in index.terms()) == [f"turn {number}" for number in range(8)]


def test_own_terms_are_searched_at_once(own: Path) -> None:
    with ontonym.open(own) as index:
        assert not any(hit.confidence > 0.5 for hit in index.search("funny turn"))
        assert index.add_terms({"H:6": ["funny turn", "absence"]}, who="me", why="ward 3").added == 2
        assert index.search("funny turn", k=1)[0].id == "H:6"
        assert index["H:6"].preferred == "Seizure"
        assert [(one.term.text, one.term.who) for one in index.terms()] == [("funny turn", "me"), ("absence", "me")]
        assert index.remove_terms([("H:6", "absence")]).removed == 1
        assert index.remove_terms("H:6").removed == 1
    assert ontonym.terms(own) == []
    assert ontonym.add_terms(own, [("H:5", "burning up")]).held == 1


def test_own_terms_take_ids_as_the_command_line_does(own: Path) -> None:
    with ontonym.open(own) as index:
        change = index.add_terms([("6", "funny turn"), ("h:6", "absence"), ("nobody", "x y")])
        assert (change.added, [term.id for term in change.unknown]) == (3, ["nobody"])
        assert [one.term.id for one in index.terms()] == ["H:6", "H:6", "nobody"]
        assert index.remove_terms(["6", "nobody"]).removed == 3
    assert ontonym.add_terms(own, {"6": "funny turn"}).unknown == ()
    assert ontonym.search(own, "funny turn", k=1)[0].id == "H:6"


def open_files() -> list[int]:
    listed = os.open("/proc/self/fd", os.O_RDONLY)
    try:
        found = os.listdir(listed)  # noqa: PTH208 (a descriptor)
        return [number for number in map(int, found) if number != listed]
    finally:
        os.close(listed)


@contextmanager
def so_many_more_files(more: int) -> Iterator[None]:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = open_files()
    free = (number for number in range(soft) if number not in taken)
    resource.setrlimit(resource.RLIMIT_NOFILE, (next(islice(free, more, None)), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


linux = pytest.mark.skipif(sys.platform != "linux", reason="open files are counted in /proc")


def test_what_was_added_is_opened_once_and_not_by_every_call(own: Path) -> None:
    with ontonym.open(own) as index:
        index.add_terms({"H:6": ["funny turn"]})
        assert index.search("funny turn", k=1)[0].id == "H:6"
        now = index._present()
        assert (index.normalize("funny turn")[0].id, len(index.terms())) == ("H:6", 1)
        assert index._present() is now
        index.add_terms({"H:5": ["burning up"]})
        assert [one.id for one in index.normalize(["funny turn", "burning up"])] == ["H:6", "H:5"]
        assert index._present() is not now


@linux
def test_an_added_term_is_not_lost_where_no_more_files_can_be_opened(own: Path) -> None:
    with ontonym.open(own) as index:
        index.add_terms({"H:6": ["funny turn"]})
        with so_many_more_files(3), pytest.raises(ArtifactError, match="cannot be read: Too many open files"):
            index.search("funny turn")
        assert index.search("funny turn", k=1)[0].id == "H:6"


@linux
@pytest.mark.parametrize("more", [0, 3, 20, 45])
def test_an_index_is_not_damaged_where_no_more_files_can_be_opened(heart: Path, more: int) -> None:
    with so_many_more_files(more), pytest.raises(ArtifactError, match="cannot be read: Too many open files"):
        ontonym.open(heart / "a.index")


@linux
def test_a_closed_index_holds_no_files(own: Path) -> None:
    ontonym.search(own, "fits")  # what is opened once for all indexes
    before = len(open_files())
    gc.disable()
    try:
        with ontonym.open(own) as index:
            index.add_terms({"H:6": ["funny turn"]})
            for text in ("fits", "heart attack", "funny turn"):
                index.search(text)
            index.explain("fits", "H:6")
            index.normalize(["fits", "fever"])
        assert len(open_files()) == before
    finally:
        gc.enable()


@linux
def test_an_index_that_is_gone_holds_no_files(heart: Path) -> None:
    ontonym.search(heart / "a.index", "fits")
    gc.collect()  # what other tests have left
    before = len(open_files())
    index = ontonym.open(heart / "a.index")
    index.search("heart attack")
    index.explain("fits", "H:6")
    del index
    gc.collect()
    assert len(open_files()) == before


def test_a_closed_index_says_so(heart: Path) -> None:
    index = ontonym.open(heart / "a.index")
    index.close()
    index.close()
    assert repr(index) == "<Index of heart 2024-01-01, closed>"
    with pytest.raises(ValueError, match=r"the index .*a.index is closed"):
        index.search("fits")
    assert (index.closed, index._repr_html_()) == (True, None)


def test_a_closed_terminology_says_so(heart: Path) -> None:
    with ontonym.open_terminology(heart / "heart.terminology") as terminology:
        assert not terminology.closed
    assert repr(terminology) == "<Terminology heart 2024-01-01, closed>"
    assert (terminology.closed, terminology._repr_html_()) == (True, None)
    with pytest.raises(ValueError, match=r"the terminology .*heart.terminology is closed"):
        terminology["H:6"]


def test_a_folder_without_an_artifact_is_not_called_an_encoder(tmp_path: Path) -> None:
    with pytest.raises(ontonym.OntonymError, match=r"is not an artifact \(it has no manifest\.json\)"):
        ontonym.open(tmp_path)


def test_closing_an_index_closes_what_shares_its_files(own: Path) -> None:
    index = ontonym.open(own)
    index.add_terms({"H:6": ["funny turn"]})
    now = index.refreshed()
    index.close()
    with pytest.raises(ValueError, match="is closed"):
        now.search("fits")
    now.close()
