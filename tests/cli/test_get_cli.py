"""Downloads from a server on this machine: progress, checksums, mirrors, and what is said where nothing is reached."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ontonym.ontology.published import PUBLISHED

OBO = b"format-version: 1.2\nontology: hp\ndata-version: hp/releases/2025-01-01\n\n[Term]\nid: HP:1\nname: Fever\n"
PACKED = gzip.compress(OBO)


class Publisher(BaseHTTPRequestHandler):
    """A mirror that has hp.obo and desc2025.gz, moves one file, cuts one, and lacks the rest."""

    def do_GET(self) -> None:
        if self.path.endswith("/moved/hp.obo"):
            self.send_response(302)
            self.send_header("Location", "/hp.obo")
            self.end_headers()
        elif self.path.endswith(("hp.obo", "desc2025.gz")):
            self.send_response(200)
            cut = "/cut/" in self.path
            body = PACKED if self.path.endswith(".gz") else OBO
            self.send_header("Content-Length", str(len(body) + (99 if cut else 0)))
            self.end_headers()
            self.wfile.write(body)
        else:
            self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def mirror(monkeypatch, tmp_path) -> Iterator[str]:
    monkeypatch.chdir(tmp_path)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), Publisher) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("place", ["", "/", "/moved", "/hp.obo"])
def test_a_terminology_is_downloaded_and_can_be_imported(run, mirror, tmp_path, place):
    done = run("get", "hpo", "--mirror", f"{mirror}{place}")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "hp.obo").read_bytes() == OBO
    assert "licence      HPO licence: free to use" in done.stdout
    assert hashlib.sha256(OBO).hexdigest() in done.stdout
    hint = next(line for line in done.stdout.splitlines() if line.startswith("next: "))
    assert hint == "next: ontonym import hp.obo -o hpo.terminology"
    assert run(*hint.split()[2:]).exit_code == 0


def test_what_the_publisher_packed_is_not_packed_again(run, mirror, tmp_path):
    for new in (True, False):
        done = run("get", "mesh", "--mirror", mirror, "--sha256", hashlib.sha256(PACKED).hexdigest(), "--json")
        assert (done.exit_code, json.loads(done.stdout)["new"]) == (0, new)
        assert (tmp_path / "desc2025.gz").read_bytes() == PACKED


def test_checksums_are_kept_to(run, mirror, tmp_path):
    good = hashlib.sha256(OBO).hexdigest()
    done = run("get", "hpo", "--mirror", mirror, "--sha256", "0" * 64)
    assert (done.exit_code, f"its SHA-256 is {good}, not 000" in done.stderr) == (1, True)
    assert not list(tmp_path.glob("*hp.obo*"))
    assert run("get", "hpo", "--mirror", mirror, "--sha256", good.upper(), "--json").exit_code == 0


def test_another_file_is_replaced_only_with_force(run, mirror, tmp_path):
    (tmp_path / "hp.obo").write_text("mine")
    done = run("get", "hpo", "--mirror", mirror)
    assert (done.exit_code, (tmp_path / "hp.obo").read_text()) == (2, "mine")
    assert "is there already, with other content: give another place, or --force" in done.stderr
    assert json.loads(run("get", "hpo", "--mirror", mirror, "--force", "--json").stdout)["new"] is True
    assert json.loads(run("get", "hpo", "--mirror", mirror, "--json").stdout)["new"] is False


@pytest.mark.parametrize(
    ("place", "said"),
    [("{}/cut", "the connection ended after "), ("{}/other.obo", "the server answers 404"),
     ("http://127.0.0.1:9", "cannot be reached"), ("ftp://x", "is no address that begins with https://")],
)  # fmt: skip
def test_what_goes_wrong_is_one_line_and_leaves_nothing(run, mirror, tmp_path, place, said):
    done = run("get", "hpo", "--mirror", place.format(mirror))
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
    if "reached" in said:
        assert "copy it here, and type `ontonym import hp.obo -o hpo.terminology`; or name a mirror, --mirror URL" in (
            done.stderr
        )


def test_a_dry_run_and_the_list_reach_nothing(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tried = json.loads(run("get", "icd10cm", "--dry-run", "-o", tmp_path, "--json").stdout)
    assert tried["path"] == str(tmp_path / PUBLISHED["icd10cm"].file)
    assert list(json.loads(run("get", "--json").stdout)) == list(PUBLISHED)
    assert "unknown open terminology 'snomed'" in run("get", "snomed").stderr
    assert list(tmp_path.iterdir()) == []


def test_every_address_is_safe_and_every_licence_is_stated():
    for one in PUBLISHED.values():
        assert one.url.startswith("https://")
        assert one.licence
        assert Path(one.file).suffix in (".obo", ".zip", ".gz")
