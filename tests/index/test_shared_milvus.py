"""A shared index on a real Milvus server: killed while it is loaded, changed by several at once, replaced, refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from milvusserver import MilvusServer, milvus_served, why_not
from ontonym.cli import main
from ontonym.errors import ArtifactError, InputError
from ontonym.index import AddedTerm, Index, add_terms, holdings, open_index, read_journal
from ontonym.index.shared.address import address_of
from ontonym.index.shared.loading import load_index
from ontonym.index.shared.milvus.storage import MilvusStorage
from ontonym.tasks import search
from workshop import Workshop, first, index_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("cache"),
    pytest.mark.skipif(why_not() is not None, reason=why_not() or "there is a server"),
]

_NAMES = 3000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, words: Callable[[int, int], list[str]]) -> Iterator[Index]:
    workshop = Workshop(tmp_path_factory.mktemp("made"))
    yield index_of(workshop, words(_NAMES, 2))
    workshop.close()


@pytest.fixture(scope="module")
def url(milvus: MilvusServer, made: Index) -> str:
    load_index(made, address_of(milvus.url("shared")))
    return milvus.url("shared")


def test_a_server_killed_while_it_is_loaded_keeps_what_it_acknowledged(
    made: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ontonym.index.shared.milvus.loading._NAMES", 500)
    monkeypatch.setattr("ontonym.index.shared.milvus.client._WORKING", 5.0)
    with milvus_served(lease=6) as server:
        address = address_of(server.url("killed"))

        def kill_at_1500(stage: str, done: int, total: int) -> None:
            if (stage, done) == ("loading names", 1500):
                server.kill()

        with pytest.raises(ArtifactError, match="no answer from a Milvus server"):
            load_index(made, address, kill_at_1500)
        server.start()
        monkeypatch.setattr("ontonym.index.shared.milvus.client._WORKING", 60.0)
        with pytest.raises(ArtifactError, match="is not whole yet"):
            open_index(server.url("killed"))
        loaded = load_index(made, address)
        assert (loaded.generation, loaded.continued_at) == (1, 1500)
        assert load_index(made, address).was_there
        assert first(server.url("killed"), made.text(2321)) == "T:02321"
        add_terms(server.url("killed"), [AddedTerm("T:00007", "wholly other words")])
        server.kill()
        server.start()
        assert first(server.url("killed"), "wholly other words") == "T:00007"


def test_added_terms_of_many_processes_are_all_kept_and_searched(url: str) -> None:
    command = [sys.executable, "-m", "ontonym", "add-terms", url, "--term"]
    running = [subprocess.Popen([*command, f"T:0010{number}", f"mine {number}"]) for number in range(3)]
    assert [process.wait(timeout=200) for process in running] == [0, 0, 0]
    with open_index(url) as index:
        assert sorted(held.term.text for held in holdings(index)) == ["mine 0", "mine 1", "mine 2"]
        assert [search(index, f"mine {number}")[0].id for number in range(3)] == ["T:00100", "T:00101", "T:00102"]


def test_who_has_added_a_term_last_makes_those_of_others_searched_too(url: str, made: Index) -> None:
    """Another adds a term between the reading of the journal and the new state: nobody's term is left out."""
    storage = MilvusStorage(address_of(url))
    publish, twice = MilvusStorage.publish, []

    def with_another(self: MilvusStorage, state: object) -> None:
        if not twice:
            twice.append(1)
            journal = storage.journal()
            first = len(journal.entries)
            journal.add([AddedTerm("T:00201", "meanwhile on the ward")])
            storage.write_entries(journal.entries[first:], first)
        publish(self, state)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MilvusStorage, "publish", with_another)
        add_terms(url, [AddedTerm("T:00200", "here at the desk")])
    storage.close()
    assert first(url, "meanwhile on the ward") == "T:00201" and first(url, "here at the desk") == "T:00200"
    with open_index(url) as index:
        assert [entry.term.text for entry in read_journal(index)][-2:] == ["here at the desk", "meanwhile on the ward"]


def test_terms_that_others_replaced_while_they_are_read_are_read_anew(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others change terms twice between the reading of the state and of its files, which are removed then."""
    add_terms(url, [AddedTerm("T:00300", "before the round")])
    monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path / "others"))
    present, late = MilvusStorage.state, ["on the round", "after it"]

    def with_others(self: MilvusStorage) -> object:
        found = present(self)
        while late:
            command = [sys.executable, "-m", "ontonym", "add-terms", url, "--term", "T:00301", late.pop(0)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if not late:
                monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path / "here"))  # where no terms were read yet
        return found

    monkeypatch.setattr(MilvusStorage, "state", with_others)
    with open_index(url) as index:
        found = [search(index, words)[0].id for words in ("before the round", "on the round", "after it")]
    assert found == ["T:00300", "T:00301", "T:00301"]


def test_old_generations_are_removed_with_the_second_release_after(
    milvus: MilvusServer, tmp_path: Path, words: Callable[[int, int], list[str]]
) -> None:
    workshop, place = Workshop(tmp_path), milvus.url("grows")
    storage = MilvusStorage(address_of(place))

    def load(number: int) -> None:
        stanzas = [f"id: T:{row}\nname: {name} {number}\n" for row, name in enumerate(words(50, number))]
        load_index(workshop.index(workshop.terminology(f"t{number}", *stanzas), name=f"i{number}"), address_of(place))

    load(1)
    with open_index(place) as old:
        load(2)
        assert search(old, words(50, 1)[3])[0].matched.endswith(" 1")
        load(3)
    names = storage.server.call("list_collections")
    assert sum(name.startswith("grows_name_") for name in names) == 2
    owners = {row["kind"] for row in storage.server.rows("file", 'id != ""', ["kind"])}
    assert sum(owner.startswith("index-") for owner in owners) == 2
    assert sum(owner.startswith("terminology-") for owner in owners) == 2
    storage.close()
    workshop.close()


def test_errors_are_one_line_with_exit_code_2_and_without_the_password(
    milvus: MilvusServer, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ontonym.index.shared.milvus.client._PATIENCE", 2.0)

    def said(*arguments: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        assert (ended.value.code, printed.out, printed.err.count("\n")) == (2, "", 1), printed.err
        assert "hush" not in printed.err
        return printed.err

    assert "or it refuses user and password" in said("search", milvus.url("shared", "root:hush@"), "x")
    assert "no answer from a Milvus server at 127.0.0.1:1," in said("search", "milvus://u:hush@127.0.0.1:1/d/x", "x")
    assert "no such shared index" in said("search", milvus.url("nothing"), "x")
    assert "no such shared index" in said("search", url.replace("/default/", "/other/"), "x")
    few = ("--questions", "100", "--resamples", "10")
    assert "takes one in a folder" in said("calibrate", url, *few)
    assert "cannot be the name of a shared index" in said("search", "milvus://u:hush@h/d/with-a-dash", "x")
    assert "unknown option of a shared index" in said("search", "milvus://u:hush@h/d/x?sslmode=on", "x")


def test_addresses_are_read_and_shown_without_passwords() -> None:
    address = address_of(Path("milvus://me:p%40ss@db.example.org:19531/terms/hp"))
    assert address is not None and (address.scheme, address.host, address.port) == ("milvus", "db.example.org", 19531)
    assert (address.database, address.index, address.user, address.password) == ("terms", "hp", "me", "p@ss")
    assert str(address.path) == address.shown == "milvus://me@db.example.org:19531/terms/hp"
    with pytest.raises(InputError, match="no index in it"):
        address_of("milvus://h/terms")
