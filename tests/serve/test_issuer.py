"""The keys of an OIDC issuer: what its outage, its silence and made-up tokens cost."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from ontonym.serve.http import issuer
from ontonym.serve.http.issuer import IssuerKeys, UnreachableIssuer


class FakeIssuer(ThreadingHTTPServer):
    """An issuer on this machine, which counts what it is asked, and can be told to fail."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.place = f"http://127.0.0.1:{self.server_port}"
        public = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key()
        self.key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(public)) | {"use": "sig"}
        self.names = ["one"]
        self.fails = False
        self.asked: list[str] = []


class Answering(BaseHTTPRequestHandler):
    server: FakeIssuer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        keys = [self.server.key | {"kid": one} for one in self.server.names]
        found: Any = {"keys": keys} if self.path == "/keys" else {"jwks_uri": f"{self.server.place}/keys"}
        self.send_response(503 if self.server.fails else 200)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def fake() -> Iterator[FakeIssuer]:
    server = FakeIssuer()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(issuer.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_an_issuer_that_is_silent_keeps_one_request_waiting(monkeypatch):
    monkeypatch.setattr(issuer, "_PATIENCE", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        keys = IssuerKeys(f"http://127.0.0.1:{silent.getsockname()[1]}")
        times: list[float] = []
        for _ in range(5):
            begun = time.perf_counter()
            with pytest.raises(UnreachableIssuer):
                keys.find("one")
            times.append(time.perf_counter() - begun)
    assert times[0] >= 0.3
    assert max(times[1:]) < 0.1


def test_while_one_tries_again_the_others_are_told_at_once(monkeypatch):
    monkeypatch.setattr(issuer, "_PATIENCE", 0.5)
    monkeypatch.setattr(issuer, "PAUSE", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        keys = IssuerKeys(f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(UnreachableIssuer):
            keys.find("one")

        def ask() -> None:
            with pytest.raises(UnreachableIssuer):
                keys.find("one")

        again = threading.Thread(target=ask)
        again.start()
        time.sleep(0.1)
        begun = time.perf_counter()
        with pytest.raises(UnreachableIssuer):
            keys.find("one")
        assert time.perf_counter() - begun < 0.2
        again.join()


def test_an_issuer_is_asked_again_after_the_pause(fake, clock):
    fake.fails = True
    keys = IssuerKeys(fake.place)
    with pytest.raises(UnreachableIssuer):
        keys.find("one")
    fake.fails = False
    with pytest.raises(UnreachableIssuer):
        keys.find("one")
    clock.now += issuer.PAUSE
    assert keys.find("one").key_id == "one"


def test_keys_that_are_there_count_through_a_short_outage(fake, clock):
    keys = IssuerKeys(fake.place)
    assert keys.find("one").key_id == "one"
    fake.fails = True
    clock.now += issuer.PAUSE
    with pytest.raises(UnreachableIssuer):
        keys.find("new")
    assert keys.find("one").key_id == "one"
    clock.now += issuer.KEPT
    with pytest.raises(UnreachableIssuer):
        keys.find("one")


def test_made_up_names_of_keys_ask_the_issuer_once(fake, clock):
    keys = IssuerKeys(fake.place)
    assert [keys.find(name) for name in ("a", "b", None, "c")] == [None] * 4
    assert fake.asked == ["/.well-known/openid-configuration", "/keys"]
    fake.names.append("new")
    clock.now += issuer.PAUSE
    assert keys.find("new").key_id == "new"
    assert fake.asked[2:] == ["/keys"]
