"""``ontonym normalize`` of a long table goes on where it was stopped, and ends with the bytes of a run that was not."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ontonym import resuming
from ontonym.replacing import lock
from outcomes import one_line

NAMES = ("heart attack", "no fever", "skipped beats", "fits and fever", "qqqq", "", "raised temperature", "seizures")
KILLED = """
import os, signal, sys
from ontonym import resuming
from ontonym.cli import main
note, left = resuming.Draft.note, int(sys.argv.pop(1))
def noted(draft, counts):
    global left
    note(draft, counts)
    left -= 1
    if not left:
        draft._stream.write(b"half a ro")
        draft._stream.flush()
        os.kill(os.getpid(), signal.SIGKILL)
resuming.NOTED, resuming.Draft.note = 0, noted
main(sys.argv[1:])
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """1,000 rows, some without a text, some over two lines, some malformed."""
    rows = [f'{number},{NAMES[number % 8]} {number % 37},"a\n""b"""' for number in range(1000)]
    rows[11::97] = ["short"] * len(rows[11::97])
    made = tmp_path / "in.csv"
    made.write_text("\n".join(["nr,text,note", *rows, ""]))
    return made


def killed(after: int, *arguments: object) -> None:
    """Runs the command in a process of its own, which is killed within the row after so many notes."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    asked = [sys.executable, "-c", KILLED, str(after), *map(str, arguments)]
    done = subprocess.run(asked, env=environment, stderr=subprocess.PIPE, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def stopped(error: BaseException) -> Callable[[resuming.Draft, Mapping[str, int]], None]:
    """A way to note that raises the error after the second note."""
    note, notes = resuming.Draft.note, []

    def noted(draft: resuming.Draft, counts: Mapping[str, int]) -> None:
        note(draft, counts)
        notes.append(1)
        if len(notes) == 2:
            raise error

    return noted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "output", "flags"),
    [
        ("in.csv", "out.csv", ()),
        ("in.csv.gz", "out.jsonl", ()),
        ("in.csv", "out.tsv", ("--jobs", "2")),
        ("in.txt", "out.csv", ("--threshold", "0.7")),
    ],
)
def test_after_kill_9_at_several_places_the_bytes_are_the_same(run, tiny, table, tmp_path, name, output, flags):
    (tmp_path / "in.csv.gz").write_bytes(gzip.compress(table.read_bytes()))
    (tmp_path / "in.txt").write_text("".join(f"{NAMES[number % 8]} {number % 41}\n" for number in range(1000)))
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole = run("normalize", tiny / "tiny.index", tmp_path / name, "-o", tmp_path / "a" / output, *flags)
    asked = ("normalize", tiny / "tiny.index", tmp_path / name, "-o", tmp_path / "b" / output, *flags)
    for after in (1, 3, 2):  # each goes on where the one before was noted last
        killed(after, *asked)
    noted = json.loads((tmp_path / "b" / f"{output}.unfinished.json").read_text())["counts"]["documents"]
    done = run(*asked)
    assert (done.exit_code, done.stderr) == (0, f"goes on at row {noted + 1:,}\n{whole.stderr}")
    assert 700 < noted < 1000
    assert (tmp_path / "b" / output).read_bytes() == (tmp_path / "a" / output).read_bytes()
    assert [one.name for one in (tmp_path / "b").iterdir()] == [output]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_ctrl_c_and_a_full_disk_keep_what_was_answered(run, tiny, table, tmp_path, monkeypatch, error):
    monkeypatch.setattr(resuming, "NOTED", 0)
    asked = ("normalize", tiny / "tiny.index", table, "-o", tmp_path / "out.csv")
    with monkeypatch.context() as patched:
        patched.setattr(resuming.Draft, "note", stopped(error))
        done = run(*asked)
    kept = tmp_path / "out.csv.unfinished"
    assert done.exit_code == (130 if isinstance(error, KeyboardInterrupt) else 2)
    assert f"what was answered is in {kept}: the same command goes on from there" in done.stderr
    assert not (tmp_path / "out.csv").exists()
    assert run(*asked).stderr.startswith("goes on at row ")
    run("normalize", tiny / "tiny.index", table, "-o", tmp_path / "whole.csv")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert not list(tmp_path.glob("*.unfinished*")) + list(tmp_path.glob(".*"))


@pytest.mark.parametrize("change", ["options", "file", "notes"])
def test_another_job_begins_anew(run, tiny, table, tmp_path, monkeypatch, change):
    monkeypatch.setattr(resuming, "NOTED", 0)
    asked = ["normalize", tiny / "tiny.index", table, "-o", tmp_path / "out.csv"]
    with monkeypatch.context() as patched:
        patched.setattr(resuming.Draft, "note", stopped(KeyboardInterrupt()))
        assert run(*asked).exit_code == 130
    if change == "options":
        asked += ["--threshold", "0.9"]
    elif change == "file":
        table.write_text(table.read_text().replace("fits", "fever", 1))
    else:
        (tmp_path / "out.csv.unfinished.json").write_text("{")
    done = run(*asked)
    assert done.exit_code == 0
    assert "goes on" not in done.stderr
    asked[4] = tmp_path / "whole.csv"
    run(*asked)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert not list(tmp_path.glob("*.unfinished*"))


def test_an_error_in_the_input_keeps_nothing(run, tiny, table, tmp_path, monkeypatch):
    monkeypatch.setattr(resuming, "NOTED", 0)
    with table.open("ab") as stream:
        stream.write(b"1001,\xff,\n")
    message = one_line(run("normalize", tiny / "tiny.index", table, "-o", tmp_path / "out.csv"))
    assert "not UTF-8" in message
    assert [one.name for one in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("ending", [".csv.gz", ".parquet"])
def test_what_is_not_whole_after_each_row_leaves_nothing(run, tiny, table, tmp_path, monkeypatch, ending):
    monkeypatch.setattr(resuming, "NOTED", 0)
    monkeypatch.setattr("ontonym.serve.answering.normalize_documents", interrupted)
    done = run("normalize", tiny / "tiny.index", table, "-o", tmp_path / f"out{ending}")
    assert (done.exit_code, done.stderr) == (130, "interrupted\n")
    assert [one.name for one in tmp_path.iterdir()] == ["in.csv"]


def interrupted(index, documents, *given, **options):
    yield next(iter(documents)), []
    raise KeyboardInterrupt


def test_two_processes_do_not_write_one_output(run, tiny, table, tmp_path):
    with lock(tmp_path / "out.csv"):
        message = one_line(run("normalize", tiny / "tiny.index", table, "-o", tmp_path / "out.csv"))
    assert "is writing it now: wait for it, or stop it" in message


@pytest.mark.parametrize("damage", [b"9,Fi\xe8vre,x\n", b"9,fe\0ver,x\n", b'9,"fever,x\n'])
def test_a_fault_in_the_last_row_is_known_before_anything_is_looked_up(
    run, tiny: Path, table: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    def looked_up(*_: object) -> None:
        raise AssertionError("looked up")

    monkeypatch.setattr(sys.modules["ontonym.tasks.normalize"]._Normalizer, "answers", looked_up)
    with table.open("ab") as stream:
        stream.write(damage)
    done = run("normalize", tiny / "tiny.index", table, "--column", "text", "-o", table.with_name("out.csv"))
    assert done.exit_code == 2
    assert f"in.csv:{table.read_bytes()[: -len(damage)].count(10) + 1}: " in one_line(done)
    assert sorted(path.name for path in table.parent.iterdir()) == ["in.csv"]
