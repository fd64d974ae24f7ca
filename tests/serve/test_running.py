"""A real server: its client, workers of which one is killed, an index replaced under load, random requests."""

from __future__ import annotations

import inspect
import json
import os
import signal
import socket
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from uvicorn.supervisors import Multiprocess

import ontonym
from ontonym.errors import InputError, OntonymError, UnknownIdError
from ontonym.index import AddedTerm, add_terms, build_index
from ontonym.ontology.formats import read_release
from ontonym.serve.api.operations import OPERATIONS
from ontonym.serve.client import ServerClient, ServerError
from ontonym.serve.http.guard import Guard
from ontonym.serve.http.listening import listening
from ontonym.serve.http.metrics import SHARED, ServerMetrics
from ontonym.serve.http.running import OPTIONS, STATE, WorkerProcesses, run_server, worker_app
from ontonym.serve.http.settings import ServerOptions
from ontonym.serve.http.stopping import Stopping
from ontonym.store import build_terminology, open_terminology
from ontonym.tasks.review import review
from reviewed import begun
from running import running
from serving import KEY, TINY


def test_the_client_has_a_method_for_each_operation():
    methods = {name for name, _ in inspect.getmembers(ServerClient, inspect.isfunction) if not name.startswith("_")}
    assert methods == {one.path.strip("/").replace("/", "_") for one in OPERATIONS}


def test_connections_wait_until_the_server_has_started() -> None:
    with listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname(), timeout=5) as client:
        client.sendall(b"GET / HTTP/1.1")
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.recv(3) == b"GET"


def test_what_is_no_address_to_listen_on_is_one_error() -> None:
    for host, wrong in (("a" * 70, "that is no name of a host"), ("192.0.2.1", "Cannot assign requested address$")):
        with pytest.raises(InputError, match=f"cannot listen on {host}.*{wrong}"), listening(host, 0):
            pass


def test_a_review_that_cannot_be_read_is_refused_at_the_start(own, tmp_path):
    (tmp_path / "map.review").write_text("subject_id\tobject_id\n")
    for name, wrong in (("nowhere.review", "no such review"), ("map.review", "not the header of a review")):
        options = ServerOptions(artifacts=(str(own / "tiny/tiny.index"),), reviews=(str(tmp_path / name),))
        with pytest.raises(OntonymError, match=wrong):
            run_server(options, lambda address: None)


def test_a_worker_reads_its_reviews_before_it_answers(own, tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(review, "read_items", lambda *files, all=review.read_items: read.append(files) or all(*files))
    state = begun(tmp_path)
    options = ServerOptions(artifacts=(str(own / "tiny/tiny.index"),), reviews=(str(state),))
    monkeypatch.setenv(OPTIONS, options.as_text())
    monkeypatch.setenv(STATE, str(tmp_path))
    monkeypatch.setattr("ontonym.serve.http.running._log_to_streams", lambda: None)
    del read[:]
    with TestClient(worker_app()) as client:
        assert len(read) == 1
        assert client.get("/api/reviews", headers={"Host": "localhost"}).json()["reviews"][0]["items"] == 5
    assert len(read) == 1


@pytest.mark.slow
def test_the_client_asks_what_the_server_answers(own, tmp_path):
    (tmp_path / "keys").write_text(f"anna {KEY}")
    with running(own / "tiny/tiny.index", "--keys", tmp_path / "keys") as (address, process):
        client = ServerClient(address, KEY)
        assert client.search("pyrexia", k=1, within=("T:1",))["hits"][0]["id"] == "T:5"
        assert client.normalize("fits")["mentions"][0]["id"] == "T:6"
        assert client.concept("T:3")["preferred"] == "Myocardial infarction"
        assert client.hierarchy("T:3", relation="parents")["concepts"][0]["id"] == "T:2"
        assert client.terms_add("T:6", "funny turn")["added"] == 1
        assert client.search("funny turn", k=1)["hits"][0]["id"] == "T:6"
        with pytest.raises(UnknownIdError, match="no concept 'T:77'"):
            client.concept("T:77")
        with pytest.raises(InputError, match="unknown parameter 'wihtin'"):
            client.search("x", wihtin="T:1")
        with pytest.raises(InputError, match="needs a key"):
            ServerClient(address).terms_add("T:6", "x")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) in (0, -signal.SIGTERM)
    with pytest.raises(ServerError, match="no answer"):
        client.about()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (-9, "worker 11 was ended by SIGKILL (where nobody sent it, memory ran out); another one takes its place"),
        (-11, "worker 11 was ended by SIGSEGV; another one takes its place"),
        (1, "worker 11 ended with exit code 1; another one takes its place"),
        (None, "worker 11 did not answer and was ended; another one takes its place"),
    ],
)
def test_the_log_says_why_a_worker_was_replaced(monkeypatch, caplog, code, said):
    monkeypatch.setattr("uvicorn.supervisors.multiprocess.SIGNALS", [])
    monkeypatch.setattr("ontonym.serve.http.running.mark_process_dead", lambda pid: None)
    workers = WorkerProcesses(uvicorn.Config("made:app", workers=2), [])
    workers.processes = [SimpleNamespace(pid=11, exitcode=code), SimpleNamespace(pid=12, exitcode=None)]
    replaced = [SimpleNamespace(pid=13, exitcode=None), workers.processes[1]]
    monkeypatch.setattr(Multiprocess, "keep_subprocess_alive", lambda self: setattr(self, "processes", replaced))
    workers.keep_subprocess_alive()
    assert [record.getMessage() for record in caplog.records] == [said]


class NewWorker:
    """A worker process that answers at the third question, or ends before."""

    def __init__(self, ends: bool = False) -> None:
        self.pid, self.asked, self.done = 13, 0, []
        self.process = SimpleNamespace(is_alive=lambda: not (ends and self.asked))

    def is_ready(self, timeout: float) -> bool:
        self.asked += 1
        return self.asked == 3

    def __getattr__(self, name: str) -> Callable[[], None]:
        return lambda: self.done.append(name)


@pytest.mark.parametrize(
    ("ends", "signals", "done", "said"),
    [
        (False, [], ["start"], []),
        (True, [], ["start", "kill", "join"], ["the new worker 13 did not start: the workers of before go on"]),
        (False, [signal.SIGTERM], ["start", "kill", "join"], []),
    ],
)
def test_a_worker_is_replaced_when_the_new_one_answers(monkeypatch, caplog, ends, signals, done, said):
    """However long it takes to open what is served, unless the new one ends or all are told to stop."""
    new, old = NewWorker(ends), NewWorker()
    monkeypatch.setattr("uvicorn.supervisors.multiprocess.SIGNALS", [])
    monkeypatch.setattr("ontonym.serve.http.running.Process", lambda config, sockets: new)
    workers = WorkerProcesses(uvicorn.Config("made:app", workers=1, timeout_worker_healthcheck=0), [])
    workers.processes, workers.signal_queue = [old], signals
    workers.restart_all()
    replaced = done == ["start"]
    assert (new.done, workers.processes == [new]) == (done, replaced)
    assert old.done == (["terminate", "join"] if replaced else [])
    assert [record.getMessage() for record in caplog.records] == said


def test_nobody_is_connected_to_a_server_that_stops(monkeypatch):
    monkeypatch.setattr("uvicorn.supervisors.multiprocess.SIGNALS", [])
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        WorkerProcesses(uvicorn.Config("made:app", workers=1), [listener]).terminate_all()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))


def test_what_is_answered_while_the_server_stops_ends_its_connection():
    async def app(scope, receive, send):
        await JSONResponse({}, headers={"Connection": "keep-alive"})(scope, receive, send)

    stopping, heard = Stopping(), []
    client = TestClient(Guard(app, ServerOptions(names=("testserver",)), ServerMetrics(), str, stopping))
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        with stopping.watching():
            assert client.get("/api/about").headers["connection"] == "keep-alive"
            signal.raise_signal(signal.SIGTERM)
            assert client.get("/api/about").headers["connection"] == "close"
        signal.raise_signal(signal.SIGTERM)
        assert heard == [signal.SIGTERM] * 2, "whoever watched for it before still does"
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.slow
def test_workers_are_killed_under_load_and_the_others_answer(built):
    """What a killed worker had taken is lost; nothing else is, and no answer is wrong."""
    with running(built / "tiny/tiny.index", "--workers", "2") as (address, process):
        stop = threading.Event()
        wrong: list[Any] = []
        lost: list[str] = []
        answered = [0] * 4

        def ask(number: int) -> None:
            client = ServerClient(address)
            while not stop.is_set():
                try:
                    if client.search(f"pyrexia {answered[number]}", k=1)["hits"][0]["id"] != "T:5":
                        wrong.append("another hit")
                    answered[number] += 1
                    time.sleep(0.005)  # a new worker has to start on the cores that are left
                except ServerError as error:
                    lost.append(str(error))
                except Exception as error:
                    wrong.append(error)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(answered))]
        for thread in threads:
            thread.start()
        for _ in range(2):
            killed = _workers(process.pid)[0]
            os.kill(killed, signal.SIGKILL)
            until = time.monotonic() + 60
            while time.monotonic() < until and (killed in (now := _workers(process.pid)) or len(now) < 2):
                time.sleep(0.1)
            assert len(_workers(process.pid)) == 2
        before = sum(answered)
        time.sleep(1)
        stop.set()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert sum(answered) > before
        assert len(lost) <= 2 * len(threads), lost


def test_workers_without_a_folder_for_temporary_files_are_one_error(built, monkeypatch):
    def none(*_, **__):
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.TemporaryDirectory", none)
    options = ServerOptions((str(built / "tiny/tiny.index"),), port=0, workers=2)
    with pytest.raises(InputError, match=r"mount one at /tmp, name one with TMPDIR, or start one worker$"):
        run_server(options, lambda address: None)


def test_the_gauges_of_a_worker_that_ended_do_not_stay(tmp_path, monkeypatch):
    monkeypatch.setenv(SHARED, str(tmp_path))
    monkeypatch.setattr("uvicorn.supervisors.multiprocess.SIGNALS", [])
    monkeypatch.setattr(Multiprocess, "keep_subprocess_alive", lambda self: self.processes.append(started.pop()))
    for name in ("gauge_livemin_11.db", "counter_11.db", "gauge_livemin_12.db"):
        (tmp_path / name).touch()
    started = [SimpleNamespace(pid=13, exitcode=None), SimpleNamespace(pid=12, exitcode=None)]
    workers = WorkerProcesses(uvicorn.Config("made:app", workers=2), [])
    workers.processes = [SimpleNamespace(pid=11, exitcode=None)]
    workers.keep_subprocess_alive()
    del workers.processes[0]
    workers.keep_subprocess_alive()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["counter_11.db", "gauge_livemin_12.db"]


@pytest.mark.slow
def test_every_worker_knows_the_closure_table_of_a_client(built):
    with running(built / "tiny/tiny.index", "--workers", "2") as (address, process):
        _until(lambda: len(_workers(process.pid)) == 2)

        def asked(*codes: str) -> Any:
            system = next(one["resource"]["url"] for one in _json(f"{address}/r5/CodeSystem?_format=json")["entry"])
            concepts = [{"name": "concept", "valueCoding": {"system": system, "code": code}} for code in codes]
            body = {"resourceType": "Parameters", "parameter": [{"name": "name", "valueString": "t"}, *concepts]}
            return _json(f"{address}/r5/$closure", body)

        assert asked()["version"] == "0"
        codes = ("T:1", "T:2", "T:3", "T:4", "T:5", "T:6")
        found = [asked(code) for code in codes]  # each over a connection of its own, so that both workers are asked
        assert [one["version"] for one in found] == ["1", "2", "3", "4", "5", "6"]
        below = [one["group"][0]["element"][0]["code"] for one in found[1:]]
        assert below == list(codes[1:])


def _json(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/fhir+json", "Connection": "close"}
    asked = urllib.request.Request(url, data, headers)  # noqa: S310 - the address of our own server
    with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310 (the address of our own server)
        return json.load(answer)


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.1)


def _workers(parent: int) -> list[int]:
    """The worker processes of a server that live."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            facts = (place / "stat").read_text().rpartition(")")[2].split()
            if int(facts[1]) == parent and facts[0] != "Z" and b"spawn_main" in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except (OSError, IndexError):
            continue
    return sorted(found)


@pytest.mark.slow
def test_an_index_is_replaced_under_load_without_a_failed_or_mixed_answer(own):
    """Releases call the concept Fever Hot1, Hot2…, and have a synonym of the same number."""
    with running(own / "tiny/tiny.index") as (address, _):
        stop = threading.Event()
        wrong: list[Any] = []
        seen: set[str] = set()

        def ask() -> None:
            client = ServerClient(address)
            while not stop.is_set():
                try:
                    hits = client.search("fever", k=10)["hits"]
                    (told,) = [hit for hit in hits if hit["id"] == "T:5"]
                    seen.add(told["preferred"])
                    names = {one["text"] for one in client.concept("T:5")["names"] if "Hot" in one["text"]}
                    if len({text.rpartition("Hot")[2] for text in names}) > 1:
                        wrong.append(names)
                except Exception as error:
                    wrong.append(error)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for number in range(1, 5):
            names = f'name: Hot{number}\nsynonym: "Fever" EXACT []\nsynonym: "Very Hot{number}" EXACT []'
            (own / "tiny/tiny.obo").write_text(TINY.replace("name: Fever", names))
            build_terminology(read_release([own / "tiny/tiny.obo"]), own / "tiny/tiny.terminology")
            with open_terminology(own / "tiny/tiny.terminology") as terminology:
                build_index([terminology], own / "tiny/tiny.index", encoder=own / "tiny/a.encoder")
            add_terms(own / "tiny/tiny.index", [AddedTerm("T:5", f"burning {number}")])
            time.sleep(0.6)
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert {"Hot2", "Hot3", "Hot4"} <= seen


@pytest.mark.slow
def test_random_requests_never_break_the_server(built, tmp_path):
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, given, settings

    from serving import Serving

    serving = Serving(built, tmp_path)
    with serving as client:
        schema = schemathesis.openapi.from_dict(client.get("/api/openapi.json").json())
        asked = 0
        for found in schema.get_all_operations():
            operation = found.ok()

            @given(case=operation.as_strategy())
            @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None)
            def check(case: Any) -> None:
                nonlocal asked
                arguments = case.as_transport_kwargs(base_url="http://testserver")
                arguments.pop("cookies", None)
                answer = client.request(**arguments)
                asked += 1
                assert answer.status_code < 500, (arguments, answer.text)
                assert answer.headers["content-type"].startswith("application/json")

            check()
    assert asked >= 15 * len(OPERATIONS)


@pytest.mark.parametrize(
    ("host", "more", "warns"),
    [("127.0.0.1", (), False), ("0.0.0.0", (), True), ("0.0.0.0", ("--closed",), False)],  # noqa: S104 (the warning about it is what is tested)
)
def test_who_may_read_from_elsewhere_is_said(
    monkeypatch: pytest.MonkeyPatch, host: str, more: tuple[str, ...], warns: bool
) -> None:
    from click.testing import CliRunner

    from ontonym.cli import main

    monkeypatch.setattr("ontonym.serve.http.running.run_server", lambda _, announce, **more: announce("http://x:1"))
    keys = ("--keys", "keys.txt") if more else ()
    shared = "postgresql://me:secret@db.example.org/terms/hp"
    said = CliRunner().invoke(main, ["serve", "a.index", shared, "--host", host, *more, *keys])
    assert said.exit_code == 0
    assert said.stderr.startswith("serving a.index, postgresql://me@db.example.org/terms/hp at http://x:1 ")
    assert ("other machines" in said.stderr) == warns


@pytest.mark.parametrize("workers", [1, 2])
def test_what_cannot_be_opened_is_said_in_the_words_of_the_command_line(own, workers):
    place = own / "tiny/tiny.index"
    with running(place, "--workers", workers) as (address, _):
        for word in ("Hot", "Feverish"):  # an index of the first release, over the terminology of the second
            (own / "next.obo").write_text(TINY.replace("Fever", word))
            terminology = ontonym.import_release(own / "next.obo", own / "tiny/tiny.terminology")
            if word == "Hot":
                ontonym.build_index(terminology, own / "next.index", encoder=own / "tiny/a.encoder")
        place.rename(own / "before.index")
        (own / "next.index").rename(place)
        said = []

        def has_failed() -> bool:
            said.append(_json(f"{address}/ready")["failure"])  # of this worker or the other: asked once
            return bool(said[-1])

        _until(has_failed)
    assert said[-1].endswith("rebuild with `ontonym index`")
