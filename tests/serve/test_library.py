"""Generations: what is replaced on disk is opened beside the present one, which stays open while a request holds it."""

from __future__ import annotations

import asyncio
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette

from ontonym.errors import InputError
from ontonym.index import AddedTerm, add_terms, build_index
from ontonym.ontology.formats import read_release
from ontonym.serve.http.app import Server
from ontonym.serve.http.settings import ServerOptions
from ontonym.serve.library import KeptAnswers, ServedLibrary
from ontonym.store import build_terminology, open_terminology
from serving import TINY


def rebuilt(folder, text):
    """Replaces tiny.terminology and tiny.index by those of another release."""
    (folder / "tiny/tiny.obo").write_text(text)
    build_terminology(read_release([folder / "tiny/tiny.obo"]), folder / "tiny/tiny.terminology")
    with open_terminology(folder / "tiny/tiny.terminology") as terminology:
        build_index([terminology], folder / "tiny/tiny.index", encoder=folder / "tiny/a.encoder")


def test_a_request_ends_with_the_generation_it_began_with(own):
    with ServedLibrary([own / "tiny/tiny.index"]) as library:
        with library.pinned() as before:
            rebuilt(own, TINY.replace("name: Fever", "name: Hot"))
            assert library.refresh()
            with library.pinned() as after:
                assert (before.number, after.number) == (1, 2)
                assert before.index().preferred(before.index().number("T:5")) == "Fever"
                assert after.index().preferred(after.index().number("T:5")) == "Hot"
            terminology = before.index().terminologies[0]
        with pytest.raises(ValueError, match="is closed"):
            terminology.find("T:5")
        assert not library.refresh()


def test_added_terms_make_a_generation_that_shares_the_files(own):
    with ServedLibrary([own / "tiny/tiny.index"]) as library:
        with library.pinned() as before:
            add_terms(own / "tiny/tiny.index", [AddedTerm("T:6", "funny turn")])
            assert library.refresh()
        with library.pinned() as after:
            assert after.index().terminologies[0] is before.index().terminologies[0]
            assert after.index().aliases(after.index().number("T:6")) == ("Seizure", "Fits", "funny turn")
            assert before.index().aliases(before.index().number("T:6")) == ("Seizure", "Fits")


def test_a_link_that_leads_to_another_release_is_followed(own, tmp_path):
    """As deployments swap releases: each in a folder of its own, with a link to the present one."""
    shutil.copytree(own, tmp_path / "new")
    rebuilt(tmp_path / "new", TINY.replace("name: Fever", "name: Hot"))
    shutil.copytree(tmp_path / "new", tmp_path / "newer")
    add_terms(tmp_path / "newer/tiny/tiny.index", [AddedTerm("T:5", "ardour")])
    current = tmp_path / "current"
    current.symlink_to(own)
    with ServedLibrary([current / "tiny/tiny.index"]) as library:
        for release, added in (("new", False), ("newer", True)):
            next_one = tmp_path / "next"
            next_one.symlink_to(tmp_path / release)
            next_one.replace(current)
            assert library.refresh()
            with library.pinned() as opened:
                names = opened.index().aliases(opened.index().number("T:5"))
                assert (names[0], "ardour" in names) == ("Hot", added)
                assert (tmp_path / release).resolve() in opened.index().path.parents
        assert not library.refresh()


def test_a_process_that_nobody_asks_for_figures_has_its_own_among_them(own):
    """Of several workers only one answers ``/metrics``, with the lowest generation of all."""
    server = Server(ServedLibrary([own / "tiny/tiny.index"]), ServerOptions())

    def generation():
        return server.metrics.registry.get_sample_value("ontonym_generation")

    async def lived():
        async with server.lifespan(Starlette()):
            rebuilt(own, TINY.replace("name: Fever", "name: Hot"))
            for _ in range(600):
                if generation() == 2:
                    return
                await asyncio.sleep(0.1)

    assert generation() == 1
    asyncio.run(lived())
    assert generation() == 2


def test_between_two_replacements_the_present_generation_stays(own):
    with ServedLibrary([own / "tiny/tiny.index", own / "tiny/tiny.terminology"]) as library:
        (own / "tiny/tiny.obo").write_text(TINY.replace("name: Fever", "name: Hot"))
        build_terminology(read_release([own / "tiny/tiny.obo"]), own / "tiny/tiny.terminology")
        library.refresh()
        with library.pinned() as opened:
            assert opened.index().preferred(opened.index().number("T:5")) == "Fever"
        with open_terminology(own / "tiny/tiny.terminology") as terminology:
            build_index([terminology], own / "tiny/tiny.index", encoder=own / "tiny/a.encoder")
        assert library.refresh()
        with library.pinned() as opened:
            assert opened.index().preferred(opened.index().number("T:5")) == "Hot"


def test_a_failure_is_told_and_tried_again_when_the_artifact_changes(own):
    with ServedLibrary([own / "tiny/tiny.terminology"]) as library:
        kept = own / "kept"
        shutil.copytree(own / "tiny/tiny.terminology", kept)
        manifest = own / "tiny/tiny.terminology/manifest.json"
        manifest.write_text("{}")
        assert not library.refresh()
        assert "manifest.json" in library.failure
        assert not library.refresh()
        assert library.failures == 1
        shutil.rmtree(own / "tiny/tiny.terminology")
        kept.rename(own / "tiny/tiny.terminology")
        assert library.refresh()
        assert library.failure == ""


def test_a_server_goes_on_looking_whatever_failed(own):
    raised = iter([None, MemoryError(), RuntimeError("a mistake")])

    def warm(index):
        if error := next(raised, None):
            raise error

    with ServedLibrary([own / "tiny/tiny.index"], warm=warm) as library:
        for said in ("MemoryError", "a mistake", ""):
            add_terms(own / "tiny/tiny.index", [AddedTerm("T:6", f"funny {said or 'turn'}")])
            assert library.refresh() is (said == "")
            assert library.failure == said
        assert (library.failures, library.generation) == (2, 2)


def test_a_failure_is_logged_and_over_when_what_is_served_is_back(own, caplog):
    place, kept = own / "tiny/tiny.index", own / "kept"
    with ServedLibrary([place]) as library:
        place.rename(kept)
        shutil.copytree(kept, place)
        (place / "manifest.json").write_text("{}")
        assert not library.refresh()
        assert "generation 1 stays" in caplog.text
        assert "manifest.json" in caplog.text
        shutil.rmtree(place)
        kept.rename(place)
        assert not library.refresh()
        assert (library.failure, library.failures, library.generation) == ("", 1, 1)


def test_the_library_closes_what_nobody_holds(own):
    library = ServedLibrary([own / "tiny/tiny.index"])
    with library.pinned() as opened:
        library.close()
        assert opened.index().find("T:5") is not None
        terminology = opened.terminology("tiny")
    with pytest.raises(ValueError, match="is closed"):
        terminology.find("T:5")
    library.close()


def test_terminologies_of_indexes_and_alone_are_each_release_once(own):
    with ServedLibrary([own / "tiny/tiny.index", own / "tiny/tiny.terminology"]) as library, library.pinned() as opened:
        assert list(opened.indexes) == ["tiny"]
        assert list(opened.terminologies) == ["tiny"]


def test_what_is_no_index_is_refused(own):
    with pytest.raises(InputError, match="is of kind encoder; give an index or a terminology"):
        ServedLibrary([own / "tiny/a.encoder"])
    with pytest.raises(InputError, match="is given twice"):
        ServedLibrary([own / "tiny/tiny.index", own / "tiny/tiny.index"])


def test_kept_answers_take_so_many_bytes_and_those_not_asked_for_longest_go():
    kept = KeptAnswers(most=10_000, longest=4000)
    for name in (b"a", b"b", b"c"):
        kept.keep(name, name * 2500)
    assert kept.get(b"a") == b"a" * 2500
    kept.keep(b"d", b"d" * 2500)
    assert (kept.get(b"a"), kept.get(b"b"), kept.get(b"d")) == (b"a" * 2500, None, b"d" * 2500)
    kept.keep(b"d", b"d" * 2500)
    kept.keep(b"long", b"x" * 5000)
    assert kept.get(b"long") is None
    assert kept.get(b"c") is not None, "an answer that is kept already takes no room again"


def test_a_long_question_takes_room_as_its_answer_does():
    kept = KeptAnswers(most=10_000, longest=4000)
    questions = [bytes([number]) * 3000 for number in range(6)]
    for question in questions:
        kept.keep(question, b"none")
    assert [kept.get(one) for one in questions] == [None, None, None, b"none", b"none", b"none"]
    kept.keep(b"q" * 5000, b"none")
    assert kept.get(b"q" * 5000) is None


def test_a_sharded_index_is_served_as_any(served, own, tmp_path):
    """Search, completion and FHIR's lookups give the same over HTTP."""
    from ontonym.index import IndexOptions, build_index, open_index
    from ontonym.index.sources import kept_encoder
    from serving import Serving

    place = own / "tiny/tiny.index"
    with open_index(place) as index:
        options = index.manifest.content["identity"]["options"]
        build_index(
            index.terminologies, place, encoder=kept_encoder(place, index.manifest.content["encoder"]),
            options=IndexOptions(tuple(options["languages"]), options["retired"], options["everyday"], shards=3),
        )  # fmt: skip
    asked = ("/api/search?q=heart%20atack", "/api/autocomplete?q=hea", "/api/concept?id=T:3",
             "/r5/ValueSet/$expand?url=http://example.org/none&filter=heart")  # fmt: skip
    with Serving(own, tmp_path) as client:
        for path in asked:
            expected, found = served.get(path), client.get(path)
            assert (found.status_code, found.json()) == (expected.status_code, expected.json()), path
    assert (place / "shards" / "2" / "dense_int8.npy").is_file()


def test_who_asks_for_something_else_does_not_wait_for_what_is_being_made(own):
    begun, go_on = threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert go_on.wait(20)
        return "slow"

    with ServedLibrary([own / "tiny/tiny.index"]) as library, library.pinned() as opened, ThreadPoolExecutor(3) as pool:
        first = pool.submit(opened.once, "slow", slow)
        assert begun.wait(20)
        again = pool.submit(opened.once, "slow", lambda: "made twice")
        try:
            assert pool.submit(opened.once, "quick", lambda: "quick").result(20) == "quick"
        finally:
            go_on.set()
        assert (first.result(20), again.result(20)) == ("slow", "slow")


def test_a_terminology_that_is_served_beside_its_index_is_that_of_the_index(own):
    with ServedLibrary([own / "tiny/tiny.terminology", own / "tiny/tiny.index"]) as library, library.pinned() as opened:
        assert opened.terminology("tiny") is opened.index().terminologies[0]


def test_closing_twice_takes_nothing_from_who_still_reads(own):
    library = ServedLibrary([own / "tiny/tiny.index"])
    with library.pinned() as opened:
        library.close()
        library.close()
        assert opened.terminology("tiny").find("T:5") is not None
