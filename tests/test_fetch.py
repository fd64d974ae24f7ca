"""The open data of the benchmarks are downloaded from where they were published, each file checked."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

import fetch

FILES = {"/one/repo/c0ffee/a%20file.tsv": b"fever\n", "/two/repo/beef/b.obo": b"changed\n"}


@pytest.fixture
def server() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = FILES.get(self.path)
            self.send_response(404 if found is None else 200)
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as opened:
        threading.Thread(target=opened.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{opened.server_port}"
        opened.shutdown()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    digest = hashlib.sha256(b"fever\n").hexdigest()
    rows = [
        "file\trepository\tpath\tcommit\tsha256\tlicence",
        f"medic/a.tsv\tone/repo\ta file.tsv\tc0ffee\t{digest}\tCC0",
        f"doid/b.obo\ttwo/repo\tb.obo\tbeef\t{digest}\tCC BY 3.0",
    ]
    (tmp_path / "sources.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.setattr(fetch, "SOURCES", tmp_path / "sources.tsv")
    monkeypatch.setenv("ONTONYM_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.mark.slow
def test_what_is_missing_is_downloaded_and_checked(
    server: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch.main(["--only", "medic", "--server", server]) == 0
    assert (folder / "medic" / "a.tsv").read_bytes() == b"fever\n"
    assert "medic/a.tsv  6 bytes  CC0" in capsys.readouterr().out
    assert fetch.main(["--server", server]) == 1
    said = capsys.readouterr()
    assert "medic/a.tsv" not in said.out, "it is there"
    assert "1 files are missing" in said.out
    assert "doid/b.obo" in said.err
    assert "it was not kept" in said.err
    assert not (folder / "doid" / "b.obo").exists()


def test_every_file_of_the_table_has_its_place_and_checksum() -> None:
    listed = fetch.sources()
    assert len({one.file for one in listed}) == len(listed) > 50
    for one in listed:
        assert len(one.commit) == 40, one
        assert len(one.sha256) == 64, one
        assert one.url("https://host").startswith(f"https://host/{one.repository}/{one.commit}/")
        assert one.licence, one.file
    assert {"medic", "ncbi_disease", "bc5cdr", "mesh", "doid", "wikiumls"} <= {one.folder for one in listed}


def test_a_reader_that_goes_ends_the_list_without_a_word() -> None:
    script = Path(__file__).parent.parent / "benchmarks" / "fetch.py"
    with subprocess.Popen([sys.executable, script, "--list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listed:
        assert listed.stdout is not None and listed.stderr is not None
        listed.stdout.close()
        assert (listed.stderr.read(), listed.wait()) == (b"", 0)
