"""What holds for every request: Host, rate, time, headers, the log, the figures; keys and tokens."""

from __future__ import annotations

import errno
import io
import json
import logging
import re
import tarfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from ontonym.errors import FormatError, InputError
from ontonym.serve.api import concepts
from ontonym.serve.api.operations import OPERATIONS
from ontonym.serve.fhir.loading import load_resources
from ontonym.serve.http import app
from ontonym.serve.http.guard import ACCESS, RateLimit
from ontonym.serve.http.keys import TokenChecker, digest, read_keys
from ontonym.serve.http.settings import ServerOptions
from serving import KEY, SIGNED, Serving


def test_every_answer_has_the_security_headers(served):
    for path in ("/api/about", "/api/none", "/health"):
        headers = served.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "server" not in headers
    assert served.get("/api/about").headers["cache-control"] == "no-store"


def test_another_host_name_is_refused(served):
    answer = served.get("/api/about", headers={"Host": "evil.example:8000"})
    assert (answer.status_code, answer.json()) == (400, {"error": "this host name is not served here"})


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, {"127.0.0.1", "::1", "[::1]", "localhost"}),
        ({"host": "0.0.0.0"}, set()),  # noqa: S104 (nothing listens)
        ({"host": "0.0.0.0", "names": ("Terms.example",)}, {"terms.example"}),  # noqa: S104 (nothing listens)
    ],
)
def test_only_names_of_this_machine_are_answered_by_default(options, names):
    assert ServerOptions(**options).answered_names == names


def test_no_other_site_reads_answers_unless_it_is_allowed(built, served, tmp_path):
    site = {"Origin": "https://a.example"}
    assert "access-control-allow-origin" not in served.get("/api/about", headers=site).headers
    with Serving(built, tmp_path, origins=("https://a.example",)) as client:
        assert client.get("/api/about", headers=site).headers["access-control-allow-origin"] == "https://a.example"
        other = client.get("/api/about", headers={"Origin": "https://b.example"})
        assert "access-control-allow-origin" not in other.headers


def test_a_site_that_is_allowed_sends_our_headers_and_reads_refusals(built, tmp_path):
    site = {"Origin": "https://a.example"}
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-cache-id, content-type, prefer",
    }
    with Serving(built, tmp_path, origins=("https://a.example",), rate=0.1) as client:
        answer = client.options("/r5/ValueSet/$expand", headers={**site, **asked})
        assert (answer.status_code, "X-Cache-Id" in answer.headers["access-control-allow-headers"].title()) == (
            200,
            True,
        )
        asked |= {"Access-Control-Request-Method": "HEAD"}
        assert client.options("/r5/CodeSystem", headers={**site, **asked}).status_code == 200
        answers = [client.get("/api/about", headers=site) for _ in range(2)]
        assert [one.status_code for one in answers] == [200, 429]
        assert answers[1].headers["access-control-allow-origin"] == "https://a.example"
        assert answers[1].headers["access-control-expose-headers"] == "Retry-After, ETag"
        assert "Origin" in answers[1].headers["vary"]


def test_fhir_resources_are_served_from_files_folders_and_packages(built, tmp_path):
    folder, package, alone = tmp_path / "resources", tmp_path / "package.tgz", tmp_path / "alone.json"
    folder.mkdir()

    def value_set(name):
        compose = {"include": [{"system": f"http://example.org/{name}", "concept": [{"code": "a"}]}]}
        shape = {"resourceType": "ValueSet", "id": name, "url": f"http://example.org/vs/{name}", "status": "active"}
        return json.dumps({**shape, "name": name, "compose": compose}).encode()

    (folder / "one.json").write_bytes(value_set("one"))
    (folder / "patient.json").write_text('{"resourceType": "Patient"}')
    alone.write_bytes(value_set("two"))
    with tarfile.open(package, "w:gz") as archive:
        member = tarfile.TarInfo("package/three.json")
        member.size = len(value_set("three"))
        archive.addfile(member, io.BytesIO(value_set("three")))
    with Serving(built, tmp_path, resources=(str(folder), str(alone), str(package))) as client:
        found = client.get("/r5/ValueSet").json()
        assert {entry["resource"]["name"] for entry in found["entry"]} >= {"one", "two", "three"}
        assert client.get("/r4/ValueSet/two").json()["url"] == "http://example.org/vs/two"
    alone.write_text("{]")
    (tmp_path / "again").mkdir()
    with pytest.raises(FormatError, match=r"alone\.json"), Serving(built, tmp_path / "again", resources=(str(alone),)):
        pass


@pytest.mark.parametrize(
    ("name", "said"),
    [("none.tgz", "there is no such file"), ("cut.tgz", "ends too early"), ("text.tgz", "is no package"),
     ("locked.json", "cannot be read")],
)  # fmt: skip
def test_resources_that_cannot_be_read_are_one_error(tmp_path, monkeypatch, name, said):
    with tarfile.open(tmp_path / "cut.tgz", "w:gz") as archive:
        member = tarfile.TarInfo("package/three.json")
        member.size = 4
        archive.addfile(member, io.BytesIO(b"null"))
    (tmp_path / "cut.tgz").write_bytes((tmp_path / "cut.tgz").read_bytes()[:40])
    (tmp_path / "text.tgz").write_text("no package")
    (tmp_path / "locked.json").write_text("{}")

    def refused(path):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(FormatError, match=rf"{re.escape(name)}: .*{said}"):
        load_resources([tmp_path / name])


def test_a_folder_of_resources_may_have_links_that_lead_nowhere(tmp_path):
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "one.json").write_text('{"resourceType": "ValueSet", "url": "http://a/b", "status": "active"}')
    assert [one["url"] for one in load_resources([tmp_path])] == ["http://a/b"]


def test_a_client_may_ask_so_often():
    now = [0.0]
    limit = RateLimit(2, lambda: now[0])
    assert [limit.wait("a") for _ in range(5)] == [0, 0, 0, 0, 0.5]
    assert limit.wait("b") == 0
    now[0] = 0.5
    assert [limit.wait("a"), limit.wait("a")] == [0, 0.5]
    assert RateLimit(0).wait("a") == 0


def test_who_asks_too_often_is_told_to_wait(built, tmp_path):
    with Serving(built, tmp_path, rate=0.5) as client:
        assert client.get("/api/about").status_code == 200
        answer = client.get("/api/about")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
        assert client.get("/health").json() == {"status": "ok"}


def test_an_answer_that_takes_too_long_is_given_up(built, tmp_path, monkeypatch):
    going = threading.Event()
    slow = next(one for one in OPERATIONS if one.path == "/about")
    monkeypatch.setattr(app, "OPERATIONS", [_answering(slow, lambda opened, given: going.wait(20) and {})])
    with Serving(built, tmp_path, seconds=0.2) as client:
        answer = client.get("/api/about")
        assert (answer.status_code, answer.json()) == (503, {"error": "this took more than 0.2 seconds"})
        assert answer.headers["connection"] == "close"
        going.set()


def test_requests_beyond_those_that_may_wait_are_refused(built, tmp_path, monkeypatch):
    going, begun = threading.Event(), threading.Event()

    def answer(opened: Any, given: Any) -> dict[str, Any]:
        begun.set()
        going.wait(20)
        return concepts.about_answer(opened, given)

    slow = next(one for one in OPERATIONS if one.path == "/about")
    monkeypatch.setattr(app, "OPERATIONS", [_answering(slow, answer)])
    with Serving(built, tmp_path, threads=1, waiting=0) as client:
        found: list[int] = []
        waits = threading.Thread(target=lambda: found.append(client.get("/api/about").status_code))
        waits.start()
        assert begun.wait(20)
        refused = client.get("/api/about")
        going.set()
        waits.join()
        assert (refused.status_code, refused.headers["retry-after"], found) == (503, "1", [200])


def _answering(one: Any, answer: Any) -> Any:
    return type(one)(one.path, one.methods, answer, one.summary, one.parameters)


def test_a_mistake_of_ours_shows_nothing_of_the_inside(built, tmp_path, monkeypatch, caplog):
    def answer(opened: Any, given: Any) -> dict[str, Any]:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(app, "OPERATIONS", [_answering(OPERATIONS[0], answer)])
    with Serving(built, tmp_path) as client:
        found = client.get("/api/about")
    assert (found.status_code, found.json()) == (500, {"error": "this is a mistake of the server's; its log says more"})
    assert "a secret of the inside" in caplog.text
    assert found.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(("more", "query"), [({}, None), ({"log_queries": True}, "q=chest+pain&k=1")])
def test_the_log_has_a_line_for_each_request_and_no_query_unless_asked(built, tmp_path, more, query):
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    ACCESS.addHandler(handler)
    ACCESS.setLevel(logging.INFO)
    try:
        with Serving(built, tmp_path, **more) as client:
            client.get("/api/search?q=chest+pain&k=1")
            client.get("/health")
    finally:
        ACCESS.removeHandler(handler)
    (line,) = lines
    said = json.loads(line)
    assert (said["method"], said["path"], said["status"], said.get("query")) == ("GET", "/api/search", 200, query)
    assert ("chest" in line) == (query is not None)


def test_the_figures_count_requests_under_bounded_names(built, tmp_path):
    with Serving(built, tmp_path) as client:
        for path in ("/api/about", "/api/about", "/api/%20x", "/anything/at/all", "/r5/x"):
            client.get(path)
        for path in ("ValueSet/%24expand", "ValueSet/one/$expand", "CodeSystem?url=x", "metadata", "$x", "X/$expand"):
            client.get(f"/r4/{path}")
        client.post("/r4", json={"resourceType": "Bundle", "type": "batch"})
        client.request("MADEUP", "/r5/$nowhere")
        text = client.get("/metrics").text
    assert 'ontonym_requests_total{method="GET",path="/api/about",status="200"} 2.0' in text
    assert 'ontonym_requests_total{method="GET",path="other",status="404"} 2.0' in text
    assert 'ontonym_requests_total{method="other",path="/r5",status="404"} 1.0' in text
    assert "ontonym_generation 1.0" in text
    assert "anything" not in text
    asked = set(re.findall(r'path="(/r4[^"]*)",status="(\d+)"', text))
    assert asked == {
        ("/r4/ValueSet/$expand", "400"), ("/r4/ValueSet/$expand", "404"), ("/r4/CodeSystem", "200"),
        ("/r4/metadata", "200"), ("/r4", "200"), ("/r4", "404"),
    }  # fmt: skip


def test_health_and_readiness(served):
    assert served.get("/health").json() == {"status": "ok"}
    assert served.get("/ready").json() == {"status": "ready", "generation": 1, "failure": ""}


def test_a_file_of_keys_is_checked_and_never_quoted(write):
    keys = read_keys(write("keys", f"\ufeff# who\n\nanna {KEY}\nward 3 0123456789abcdef\n"))
    assert dict(keys) == {digest(KEY): "anna", digest("0123456789abcdef"): "ward 3"}
    with pytest.raises(FormatError, match=r"bad:1: no name followed by a key of at least 16 characters") as told:
        read_keys(write("bad", "anna secret"))
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"closed": True}, "nobody could read"),
        ({"issuer": "https://a.example"}, "give both"),
        ({"scope": "x"}, "is of tokens"),
    ],
)
def test_options_that_do_not_fit_are_told(options, message):
    with pytest.raises(InputError, match=message):
        ServerOptions(**options)


# Tokens -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def signing() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def issuer(signing: rsa.RSAPrivateKey) -> Iterator[str]:
    """The address of an OIDC issuer on this machine."""
    key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(signing.public_key())) | {"kid": "one", "use": "sig"}

    class Issuer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found: Any = {"keys": [key]} if self.path == "/keys" else {"jwks_uri": f"{place}/keys"}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(found).encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Issuer)
    place = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield place
    server.shutdown()
    server.server_close()


def token(signing: rsa.RSAPrivateKey, issuer: str, **changed: Any) -> str:
    claims = {"iss": issuer, "aud": "ontonym", "sub": "7", "preferred_username": "ben", "exp": time.time() + 60,
              "scope": "openid terms.write"}  # fmt: skip
    return jwt.encode(claims | changed, signing, algorithm="RS256", headers={"kid": "one"})


def test_a_token_of_the_issuer_is_taken(signing, issuer):
    checker = TokenChecker(issuer, "ontonym", "terms.write")
    assert checker.holder(token(signing, issuer), writing=True) == "ben"
    assert checker.holder(token(signing, issuer, preferred_username=""), writing=True) == "7"
    assert checker.holder(token(signing, issuer, scope="openid"), writing=True) is None
    assert checker.holder(token(signing, issuer, scope="openid"), writing=False) == "ben"
    assert checker.holder(token(signing, issuer, scope=None, scp=7, roles=["terms.write"]), writing=True) == "ben"
    assert checker.holder(token(signing, issuer, scope=None, roles=None), writing=True) is None


@pytest.mark.parametrize("changed", [{"aud": "other"}, {"iss": "https://other.example"}, {"exp": 1000}])
def test_a_token_of_another_issuer_audience_or_time_is_not(signing, issuer, changed):
    assert TokenChecker(issuer, "ontonym").holder(token(signing, issuer, **changed), writing=True) is None


def test_a_token_signed_by_nobody_or_with_another_key_is_not_taken(signing, issuer):
    checker = TokenChecker(issuer, "ontonym")
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    assert checker.holder(token(other, issuer), writing=True) is None
    unsigned = jwt.encode({"iss": issuer, "aud": "ontonym", "sub": "7", "exp": time.time() + 60}, "", algorithm="none")
    assert checker.holder(unsigned, writing=True) is None
    assert checker.holder("a.b.c", writing=True) is None
    claims = {"iss": issuer, "aud": "ontonym", "sub": "7", "exp": time.time() + 60}
    curve = jwt.encode(claims, ec.generate_private_key(ec.SECP256R1()), algorithm="ES256", headers={"kid": "one"})
    assert checker.holder(curve, writing=True) is None
    assert checker.holder(token(signing, issuer, sub="", preferred_username=""), writing=True) is None


def test_the_log_says_why_a_token_is_refused(signing, issuer, caplog):
    TokenChecker(issuer, "ontonym").holder(token(signing, issuer, aud="other"), writing=True)
    assert 'a token was refused: "Audience doesn\'t match"' in caplog.text
    assert token(signing, issuer)[:20] not in caplog.text


@pytest.mark.parametrize("path", ["/api/about", "/r5/metadata"])
def test_an_issuer_that_cannot_be_reached_is_no_fault_of_the_token(built, tmp_path, signing, path, caplog):
    nowhere = "http://127.0.0.1:9"
    with Serving(built, tmp_path, issuer=nowhere, audience="ontonym", closed=True) as client:
        signed = {"Authorization": f"Bearer {token(signing, nowhere)}"}
        answer = client.get(path, headers=signed)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
        assert client.get(path, headers=SIGNED).status_code == 200
    assert f"the keys of the issuer {nowhere} cannot be fetched" in caplog.text


def test_an_issuer_without_https_is_refused():
    with pytest.raises(InputError, match="is no https address"):
        TokenChecker("http://issuer.example", "ontonym")


def test_tokens_write_in_the_name_of_their_subject(own, tmp_path, signing, issuer):
    with Serving(own, tmp_path, issuer=issuer, audience="ontonym") as client:
        signed = {"Authorization": f"Bearer {token(signing, issuer)}"}
        added = client.post("/api/terms/add", json={"id": "T:6", "text": "funny turn"}, headers=signed)
        assert added.status_code == 200
        assert client.get("/api/terms").json()["terms"][0]["who"] == "ben"
        assert client.post("/api/terms/add", json={"id": "T:6", "text": "fit"}, headers=SIGNED).status_code == 200
