"""A shared index on a real server: killed while it is loaded, replicated, behind a pooler, with rights, and refused."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ontonym.cli import main
from ontonym.errors import ArtifactError, InputError, LockedError, MismatchError
from ontonym.index import AddedTerm, Index, add_terms, holdings, open_index
from ontonym.index.shared.address import address_of
from ontonym.index.shared.loading import load_index
from ontonym.serve.library import ServedLibrary
from ontonym.tasks import search
from pooler import pooled
from postgres import Server, served
from workshop import Workshop, first, index_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache")]

_NAMES = 6000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, words: Callable[[int, int], list[str]]) -> Iterator[Index]:
    workshop = Workshop(tmp_path_factory.mktemp("made"))
    yield index_of(workshop, words(_NAMES, 2))
    workshop.close()


@pytest.fixture(scope="module")
def url(server: Server, made: Index) -> str:
    """The URL of the index on the server, loaded once; tests that change it undo what they did."""
    load_index(made, address_of(server.url("shared")))
    return server.url("shared")


def test_a_server_killed_while_it_is_loaded_keeps_what_it_acknowledged(
    made: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ontonym.index.shared.postgres.loading._NAMES", 500)
    with served() as server:
        address = address_of(server.url("killed"))
        acknowledged: list[int] = []

        def kill_at_2000(stage: str, done: int, total: int) -> None:
            if stage == "loading names":
                acknowledged.append(done)
                if done == 2000:
                    server.kill()

        with pytest.raises(ArtifactError, match=r"lost|no answer"):
            load_index(made, address, kill_at_2000)
        server.start()
        assert server.sql("SELECT names FROM killed.generation") == str(acknowledged[-1]) == "2000"
        assert server.sql("SELECT count(*), max(row) FROM killed.name_1") == "2000|1999"
        with pytest.raises(ArtifactError, match="is not whole yet"):
            open_index(server.url("killed"))
        loaded = load_index(made, address)
        assert (loaded.generation, loaded.continued_at) == (1, 2000)
        assert load_index(made, address).was_there
        name = made.text(4321)
        assert first(server.url("killed"), name) == "T:04321"
        add_terms(server.url("killed"), [AddedTerm("T:00007", "wholly other words")])
        server.kill()
        server.start()
        assert first(server.url("killed"), "wholly other words") == "T:00007"


def test_an_open_index_goes_on_after_the_server_was_started_again(made: Index) -> None:
    with served() as server:
        load_index(made, address_of(server.url("again")))
        with open_index(server.url("again")) as index:
            assert search(index, made.text(10))[0].id == "T:00010"
            server.kill()
            with pytest.raises(ArtifactError, match=f"no answer from a PostgreSQL server at 127.0.0.1:{server.port}"):
                search(index, made.text(11))
            server.start()
            assert search(index, made.text(12))[0].id == "T:00012"


def test_two_who_load_the_same_index_do_not_load_a_name_twice(server: Server, made: Index) -> None:
    address = address_of(server.url("twice"))

    def meanwhile(stage: str, done: int, total: int) -> None:
        if stage == "loading words" and done == 0:
            server.sql("UPDATE twice.generation SET words = 1")

    with pytest.raises(LockedError, match="another process is loading this index"):
        load_index(made, address, meanwhile)


def test_added_terms_of_many_processes_are_all_kept(url: str) -> None:
    command = [sys.executable, "-m", "ontonym", "add-terms", url, "--term"]
    running = [subprocess.Popen([*command, f"T:0010{number}", f"mine {number}"]) for number in range(4)]
    assert [process.wait(timeout=120) for process in running] == [0, 0, 0, 0]
    with open_index(url) as index:
        assert sorted(held.term.text for held in holdings(index)) == ["mine 0", "mine 1", "mine 2", "mine 3"]
        assert search(index, "mine 2")[0].matched == "mine 2"
    done = subprocess.run(
        [sys.executable, "-m", "ontonym", "remove-terms", url, *(f"--concept=T:0010{number}" for number in range(4))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("4 terms removed; postgresql://postgres@127.0.0.1")


def test_a_replica_answers_and_cannot_be_changed(server: Server, url: str, made: Index) -> None:
    with served(copy_of=server) as replica:
        place = replica.url("shared")
        with open_index(place) as index:
            assert search(index, made.text(99))[0].id == "T:00099"
            with pytest.raises(ArtifactError, match="is a replica, which cannot be changed"):
                add_terms(place, [AddedTerm("T:00001", "on the replica")])
            add_terms(url, [AddedTerm("T:00001", "on the primary")])
            until, now = time.monotonic() + 30, index
            while now is index and time.monotonic() < until:
                time.sleep(0.1)
                now = index.refreshed()
            assert search(now, "on the primary")[0].id == "T:00001"


def test_a_pooler_may_give_every_transaction_another_connection(server: Server, url: str, made: Index) -> None:
    with pooled(server.port) as pooler:
        place = f"postgresql://postgres@127.0.0.1:{pooler.port}/postgres/shared?prepared=off"
        with open_index(place) as index:
            for row in range(0, 300, 10):
                assert search(index, made.text(row))[0].id == f"T:{row:05}"
        add_terms(place, [AddedTerm("T:00002", "through the pooler")])
        assert first(place, "through the pooler") == "T:00002"
        assert pooler.switched > 10


def test_a_reader_reads_and_changes_nothing(
    server: Server, url: str, made: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.sql("CREATE ROLE reader LOGIN PASSWORD 'secret'")
    try:
        monkeypatch.setenv("PGPASSWORD", "secret")
        with pytest.raises(ArtifactError, match="permission denied for schema shared: grant it to the user"):
            open_index(server.url("shared", "reader"))
        server.sql("GRANT USAGE ON SCHEMA shared TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA shared TO reader")
        assert first(server.url("shared", "reader"), made.text(33)) == "T:00033"
        with pytest.raises(ArtifactError, match="permission denied"):
            add_terms(server.url("shared", "reader"), [AddedTerm("T:00001", "not mine")])
        server.sql(
            "GRANT UPDATE ON shared.state TO reader; GRANT INSERT ON shared.journal TO reader; "
            "GRANT INSERT, DELETE ON shared.file TO reader"
        )
        add_terms(server.url("shared", "reader"), [AddedTerm("T:00001", "mine alone")])
        assert server.sql("SELECT stored_by FROM shared.journal WHERE text = 'mine alone'") == "reader"
        monkeypatch.setenv("PGPASSWORD", "wrong-one")
        with pytest.raises(ArtifactError, match=r"refuses the user.*PGPASSWORD") as raised:
            open_index(server.url("shared", "reader"))
        assert "wrong-one" not in str(raised.value)
    finally:
        server.sql("DROP OWNED BY reader; DROP ROLE reader")


def test_the_server_finds_terms_that_were_added_meanwhile(url: str, made: Index) -> None:
    with ServedLibrary([url]) as library:
        assert not library.refresh()
        add_terms(url, [AddedTerm("T:00003", "heard on the ward")])
        assert library.refresh() and not library.failure
        with library.pinned() as opened:
            assert list(opened.indexes) == ["shared"]
            assert search(opened.index(), "heard on the ward")[0].id == "T:00003"


def test_errors_are_one_line_with_exit_code_2_and_without_the_password(
    server: Server, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        assert (ended.value.code, printed.out, printed.err.count("\n")) == (2, "", 1)
        assert "hush" not in printed.err
        return printed.err

    place = f"postgresql://reader:hush@127.0.0.1:{server.port}/postgres/shared"
    assert "refuses the user" in said("search", place, "x")
    assert "no answer from a PostgreSQL server at 127.0.0.1:1:" in said(
        "search", "postgresql://u:hush@127.0.0.1:1/d/x", "x"
    )
    assert "no such shared index" in said("search", server.url("nothing"), "x")
    assert "make it with `createdb other`" in said("search", server.url("x", database="other"), "x")
    few = ("--questions", "100", "--resamples", "10")
    assert "takes one in a folder" in said("calibrate", place.replace("reader", "postgres"), *few)
    assert "names the database 'd', but no index" in said("search", "postgresql://u:hush@h/d", "x")
    assert "cannot be the name of a shared index" in said("search", "postgresql://u:hush@h/d/Not%20This", "x")
    assert "unknown option of a shared index" in said("search", "postgresql://u:hush@h/d/x?pool=1", "x")


def test_other_versions_and_foreign_tables_are_refused(server: Server, url: str, made: Index) -> None:
    server.sql("UPDATE shared.state SET format = 99")
    try:
        with pytest.raises(MismatchError, match="tables of version 99, and this ontonym reads 2: upgrade ontonym"):
            open_index(url)
    finally:
        server.sql("UPDATE shared.state SET format = 2")
    server.sql("CREATE SCHEMA taken; CREATE TABLE taken.mine (a int)")
    with pytest.raises(ArtifactError, match="holds tables that ontonym did not make"):
        load_index(made, address_of(server.url("taken")))


def test_the_command_that_comes_next_has_the_options_of_the_url(
    url: str, made: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["index", str(made.path), "--to", f"{url}?prepared=off"])
    assert f"next: ontonym search '{url}?prepared=off' " in capsys.readouterr().out


def test_addresses_are_read_and_shown_without_passwords() -> None:
    address = address_of(Path("postgresql://me:p%40ss@db.example.org:6432/terms/hp?sslmode=require&prepared=off"))
    assert address is not None
    assert (address.user, address.password, address.host, address.port) == ("me", "p@ss", "db.example.org", 6432)
    assert (address.database, address.index, address.sslmode, address.prepared) == ("terms", "hp", "require", False)
    assert str(address.path) == address.shown == "postgresql://me@db.example.org:6432/terms/hp"
    assert "p@ss" not in repr(address) and address_of("hp.index") is None
    with pytest.raises(InputError, match="no index in it"):
        address_of("postgresql://h/terms")
