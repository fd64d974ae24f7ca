"""A server behind a reverse proxy, and what watches it: host names, the public address, clients that go away."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from ontonym.errors import InputError
from ontonym.serve.api.operations import BASE
from ontonym.serve.client import ServerClient
from ontonym.serve.fhir.routes import MOUNTS
from ontonym.serve.http.guard import ACCESS, PROBES
from ontonym.serve.http.settings import OWN_PATHS, ServerOptions
from running import running
from serving import KEY, SIGNED, Serving

PUBLIC = "https://terms.example.org/terms/"


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """The lines of the log of requests, as they are written."""
    found: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: found.append(record.getMessage())  # type: ignore[method-assign]
    ACCESS.addHandler(handler)
    ACCESS.setLevel(logging.INFO)
    yield found
    ACCESS.removeHandler(handler)


@pytest.mark.parametrize("path", ["/health", "/ready", "/metrics"])
def test_whoever_watches_the_server_asks_by_any_address(built, tmp_path, path):
    with Serving(built, tmp_path, names=("terms.example.org",)) as client:
        assert client.get(path, headers={"Host": "10.2.0.17:8000"}).status_code == 200
        assert client.get("/api/about", headers={"Host": "10.2.0.17:8000"}).status_code == 400
        assert client.get("/api/about", headers={"Host": "terms.example.org:443"}).status_code == 200


@pytest.mark.parametrize("host", ["terms.example.org:x", "terms.example.org:80@evil.example", "terms.example.org:/"])
def test_a_host_whose_port_is_none_is_refused(built, tmp_path, host):
    with Serving(built, tmp_path, names=("terms.example.org",)) as client:
        assert client.get("/r5/CodeSystem", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"names": ("terms.example.org:443",)}, "give it alone"),
        ({"names": ("https://terms.example.org",)}, "give it alone"),
        ({"names": ("*.example.org",)}, "give it alone"),
        ({"names": ("",)}, "give it alone"),
        ({"origins": ("https://app.example.org/",)}, "give https://app.example.org$"),
        ({"origins": ("https://APP.example.org:443",)}, "give https://app.example.org$"),
        ({"origins": ("app.example.org",)}, "is no web site"),
        ({"origins": ("https://app.example.org:x",)}, "is no web site"),
        ({"public": "terms.example.org"}, "is no address of a server"),
        ({"public": "https://terms.example.org/?a"}, "is no address of a server"),
        ({"public": "https://anna:secret@terms.example.org"}, "is no address of a server"),
        ({"public": "https://terms.example.org/the terms"}, "is no address of a server"),
        ({"public": "https://terms.example.org/fhir"}, "leave /fhir out"),
        ({"public": "https://terms.example.org/api/terms/"}, "leave /api/terms out"),
    ],
)
def test_names_that_no_request_would_have_are_told(given, message):
    with pytest.raises(InputError, match=message):
        ServerOptions(**given)


def test_a_public_address_ends_before_every_path_that_programs_ask_for():
    assert {BASE, *PROBES, *(f"/{one}" for one in MOUNTS)} == OWN_PATHS
    assert ServerOptions(public="https://terms.example.org/our%20terms/").prefix == "/our terms"


def test_sites_and_names_as_they_are_sent_are_taken():
    options = ServerOptions(
        names=("Terms.example.org", "[::1]", "10.0.0.7"), origins=("*", "http://app.example.org:8080", "http://[::1]")
    )
    assert options.answered_names == {"terms.example.org", "[::1]", "10.0.0.7"}
    assert ServerOptions(public=PUBLIC).answered_names == {
        "127.0.0.1",
        "::1",
        "[::1]",
        "localhost",
        "terms.example.org",
    }


@pytest.mark.parametrize("before", ["", "/terms"])
@pytest.mark.parametrize("host", ["127.0.0.1:8000", "terms.example.org"])
def test_links_lead_to_the_public_address_whatever_the_proxy_passes_on(built, tmp_path, before, host):
    with Serving(built, tmp_path, names=(), public=PUBLIC) as client:
        found = client.get(f"{before}/r4/CodeSystem?_count=1", headers={"Host": host}).json()
        links = {one["relation"]: one["url"] for one in found["link"]}
        assert links["next"].startswith("https://terms.example.org/terms/r4/CodeSystem?")
        assert found["entry"][0]["fullUrl"].startswith("https://terms.example.org/terms/r4/CodeSystem/")
        described = client.get(f"{before}/api/openapi.json", headers={"Host": host}).json()
        assert described["servers"] == [{"url": "https://terms.example.org/terms"}]
        asked = {"request": {"method": "GET", "url": links["next"]}}
        batch = client.post(
            f"{before}/r4", json={"resourceType": "Bundle", "type": "batch", "entry": [asked]}, headers={"Host": host}
        ).json()
        assert batch["entry"][0]["response"]["status"] == "200 OK"
        assert client.get(f"{before}/style.css", headers={"Host": host}).status_code == 200


def test_the_page_is_at_the_public_address_with_and_without_a_slash(built, tmp_path):
    with Serving(built, tmp_path, public=PUBLIC) as client:
        answer = client.get("/terms", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (308, "/terms/")
        assert "<title>ontonym</title>" in client.get("/terms/").text
        assert client.get("/termsx/").status_code == 404


@pytest.mark.parametrize("path", ["/r5/ValueSet/$expand", "/api/terms/add"])
def test_a_client_that_goes_away_is_no_mistake_of_the_server(built, tmp_path, path, caplog, lines):
    with Serving(built, tmp_path) as client:
        sent = asyncio.run(_gone(client.app, path))
        figures = client.get("/metrics").text
    said = json.loads(lines[0])
    assert (said["path"], said["status"], said["client"]) == (path, 499, "10.0.0.9")
    assert sent == []
    assert 'status="499"' in figures
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


async def _gone(app: Any, path: str) -> list[Any]:
    """What is sent to a client that goes away after the first bytes of its body."""
    messages = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"testserver"), (b"content-type", b"application/json"),
               (b"authorization", SIGNED["Authorization"].encode())]  # fmt: skip
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers,
             "client": ("10.0.0.9", 5), "scheme": "http", "server": ("testserver", 80)}  # fmt: skip
    await app(scope, receive, send)
    return sent


def test_a_fhir_body_that_says_it_is_too_long_is_refused_before_it_is_sent(served):
    def never():
        yield b"{"
        raise AssertionError("the body was read on")

    answer = served.post(
        "/r5/ValueSet/$expand", content=never(), headers={"Content-Length": str(17 << 20)},
    )  # fmt: skip
    issue = answer.json()["issue"][0]
    assert (answer.status_code, issue["code"], answer.headers["connection"]) == (413, "too-long", "close")
    assert "17825792 bytes" in issue["details"]["text"]


def test_who_has_a_key_is_in_the_log(built, tmp_path, lines):
    with Serving(built, tmp_path, closed=True) as client:
        client.get("/r5/metadata", headers=SIGNED)
        client.get("/r5/metadata", headers={"Authorization": "Bearer 0000000000000000"})
    assert [(one["status"], one.get("who")) for one in map(json.loads, lines)] == [(200, "anna"), (401, None)]
    assert KEY not in "".join(lines)


def test_keys_are_read_again_when_their_file_was_changed(built, tmp_path, caplog):
    with Serving(built, tmp_path, closed=True) as client:
        file = tmp_path / "keys.txt"

        def status(key: str) -> int:
            return client.get("/api/about", headers={"Authorization": f"Bearer {key}"}).status_code

        assert (status(KEY), status("fedcba9876543210")) == (200, 401)
        file.write_text("ben fedcba9876543210\n")
        assert (status(KEY), status("fedcba9876543210")) == (401, 200)
        file.write_text("ben short\n")
        assert status("fedcba9876543210") == 200
        assert "the keys from before still count" in caplog.text
        file.unlink()
        assert status("fedcba9876543210") == 200


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress,
        lambda body: gzip.compress(body, 0),
        lambda body: gzip.compress(body[:9]) + gzip.compress(body[9:]),
    ],
)
def test_a_body_may_come_in_gzip(served, packed):
    found = {"resourceType": "Parameters", "parameter": [{"name": "url", "valueUri": "urn:none"}]}
    headers = {"Content-Type": "application/fhir+json", "Content-Encoding": "gzip"}
    answer = served.post("/r4/ValueSet/$expand", content=packed(json.dumps(found).encode()), headers=headers)
    assert "'urn:none' could not be found" in answer.json()["issue"][0]["details"]["text"]
    headers["Content-Type"] = "application/json"
    assert served.post("/api/search", content=packed(b'{"q": "fits"}'), headers=headers).json()["query"] == "fits"


@pytest.mark.parametrize(
    ("body", "packing", "status", "said"),
    [
        (gzip.compress(b" " * (17 << 20)), "gzip", 413, "at most 16777216"),
        (gzip.compress(b"{}")[:-9], "gzip", 400, "it ends too early"),
        (b"{}", "gzip", 400, "is no gzip"),
        (gzip.compress(b"{}") + b"more", "gzip", 400, "is no gzip"),
        (b"{}", "br", 415, "Supported: gzip"),
    ],
    ids=["too long", "cut off", "plain", "more after it", "another packing"],  # gzip writes the time of day
)
def test_a_body_that_cannot_be_unpacked_is_one_issue(served, body, packing, status, said):
    headers = {"Content-Type": "application/fhir+json", "Content-Encoding": packing}
    answer = served.post("/r4/ValueSet/$expand", content=body, headers=headers)
    assert (answer.status_code, answer.json()["resourceType"]) == (status, "OperationOutcome")
    assert said in answer.json()["issue"][0]["details"]["text"]
    headers["Content-Type"] = "application/json"
    answer = served.post("/api/search", content=body, headers=headers)
    limited = "more than 4,000,000 bytes" if status == 413 else said
    assert (answer.status_code, limited in answer.json()["error"]) == (status, True)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no SIGHUP here")
def test_a_reload_does_not_end_the_only_worker(built):
    with running(built / "tiny/tiny.index") as (address, process):
        process.send_signal(signal.SIGHUP)
        assert process.stderr is not None
        assert "SIGHUP: the one worker goes on" in process.stderr.readline()
        assert ServerClient(address).about()["ontonym"]


@pytest.mark.parametrize("before", ["/terms", ""])  # the proxy leaves the path as it is, or takes it off
def test_errors_name_paths_as_clients_have_them(built, tmp_path, before):
    with Serving(built, tmp_path, public=PUBLIC) as client:
        missing = client.get(f"{before}/nothing").json()["error"]
        assert missing.startswith("there is nothing at /terms/nothing: see /terms/api/openapi.json")
        assert missing.endswith("for FHIR /terms/r5, /terms/r4, /terms/fhir")
        wrong = client.post(f"{before}/api/about", json={}).json()["error"]
        assert wrong.startswith("/terms/api/about takes GET, HEAD, not POST: see /terms/api/openapi.json")
