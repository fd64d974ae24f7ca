"""``ontonym export``: what it prints, which endings it takes, and that a pipe gets nothing but the file."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ontonym.ontology.formats import read_release
from ontonym.store import open_terminology


def test_a_table(run, tiny, tmp_path):
    done = run("export", tiny / "tiny.terminology", "-o", tmp_path / "tiny.csv")
    assert done.exit_code == 0, done.output
    lines = (tmp_path / "tiny.csv").read_text().splitlines()
    assert len(lines) == 1 + 7
    assert lines[3] == "T:3,Myocardial infarction,Cardiac infarct,,,,Heart attack,,T:2,,,,active,en,,"
    assert "3 where a name comes from" in done.stdout
    assert "jsonl holds everything" in done.stdout


def test_json_says_what_was_left_out(run, tiny, tmp_path):
    path = tmp_path / "tiny.csv.gz"
    done = run("export", tiny / "tiny.terminology", "-o", path, "--json")
    told = json.loads(done.stdout)
    assert told == {
        "path": str(path),
        "bytes": path.stat().st_size,
        "format": "csv",
        "concepts": 7,
        "terms": 15,
        "left_out": {"where a name comes from": 3},
    }
    assert gzip.decompress(path.read_bytes()).startswith(b"id,preferred,")


@pytest.mark.parametrize("format", ["jsonl", "csv", "tsv", "obographs", "fhir"])
def test_every_format_comes_back(run, tiny, tmp_path, format):
    out = tmp_path / "out"
    assert run("export", tiny / "tiny.terminology", "-o", out, "--format", format).exit_code == 0
    assert run("import", out, "-o", tmp_path / "back.terminology").exit_code == 0
    with open_terminology(tiny / "tiny.terminology") as old, open_terminology(tmp_path / "back.terminology") as new:
        for row in range(len(old)):
            before, after = old.concept(row), new.concept(new.row(old.id(row)))
            assert {term.text for term in after.terms} == {term.text for term in before.terms}
            assert (after.parents, after.status, after.preferred) == (before.parents, before.status, before.preferred)
        assert len(new) == len(old)


def test_standard_output_is_the_file_alone(run, tiny, tmp_path):
    done = run("export", tiny / "tiny.terminology", "-o", "-", "--format", "jsonl", "--json")
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 1 + 7
    assert json.loads(done.stderr)["concepts"] == 7
    (tmp_path / "t.jsonl").write_text(done.stdout)
    assert [c.id for c in read_release([tmp_path / "t.jsonl"]).concepts()][:2] == ["T:1", "T:2"]


def test_url_of_a_code_system(run, tiny, tmp_path):
    path = tmp_path / "t.fhir.json"
    assert run("export", tiny / "tiny.terminology", "-o", path, "--url", "http://x.org/t").exit_code == 0
    assert json.loads(path.read_text())["url"] == "http://x.org/t"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "out.json"], "JSON could be obographs or fhir"),
        (["-o", "out.xlsx"], "the ending of the name does not tell"),
        (["-o", "-"], "standard output has no name that tells the format"),
        (["-o", "a.csv", "--format", "xml"], "unknown format 'xml'. Valid: csv, fhir, jsonl, obographs, tsv"),
        (["-o", "a.csv", "--url", "http://x.org"], "--url is for FHIR, but the format is csv"),
        (["-o", "no/such/folder/a.csv"], "cannot be written: there is no folder no/such/folder"),
        ([], "missing option -o FILE"),
    ],
)
def test_mistakes_say_what_to_do(run, tiny, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = run("export", tiny / "tiny.terminology", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_terminology(run, tmp_path):
    done = run("export", tmp_path / "none.terminology", "-o", tmp_path / "a.csv")
    assert (done.exit_code, "no such terminology" in done.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_control_c_leaves_no_file(run, tiny, tmp_path):
    """Interrupted in the middle, which a progress callback that waits makes sure of."""
    code = (
        "import time, sys\nfrom ontonym.store import Terminology\nfrom ontonym.cli import main\n"
        "real = Terminology.concept\n"
        "def slow(self, row):\n    print('going', flush=True); time.sleep(30)\n    return real(self, row)\n"
        "Terminology.concept = slow\n"
        f"main(['export', {str(tiny / 'tiny.terminology')!r}, '-o', {str(tmp_path / 'a.csv')!r}])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "going\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == "interrupted"
    assert list(tmp_path.iterdir()) == []
