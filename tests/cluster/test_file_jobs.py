"""Jobs of files: one output for each input, parts for several machines, and nothing twice or lost after kill -9."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ontonym.cli import main
from ontonym.distributed.files import FilesDone, JobPart, answer_files, problems
from ontonym.documents import DocumentOptions
from ontonym.errors import InputError, MismatchError, UnknownNameError
from ontonym.index import AddedTerm, Index, add_terms, open_index
from ontonym.serve.answering import AnsweringOptions
from ontonym.serve.answers import OutputChoice
from ontonym.tasks import AnnotateOptions, NormalizeOptions
from warded import NOTE, OTHER

NORMALIZING = AnsweringOptions(NormalizeOptions())
TABLE = "code,text\n1,breast carcinoma\n2,\n3,qqqq\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of several formats, and some that are none of the job."""
    made = tmp_path / "in"
    made.mkdir()
    (made / "a.csv").write_text(TABLE)
    (made / "b.txt").write_text("DM\nHepatitis B\n\n")
    (made / "c.jsonl").write_text('{"text": "ovarian cancer"}\n')
    for name in (".hidden.csv", "_SUCCESS"):
        (made / name).write_text(TABLE)
    (made / "inner").mkdir()
    return made


def run(
    index: Index, folder: Path, part: str = "1/1", options: AnsweringOptions = NORMALIZING, **more: Any
) -> FilesDone:
    target = OutputChoice(str(folder.parent / "out"), **more)
    return answer_files(index, folder, target, options, part=JobPart.parse(part))


def test_every_file_has_its_own_output(index: Index, folder: Path) -> None:
    done = run(index, folder)
    out = folder.parent / "out"
    assert sorted(one.name for one in out.iterdir()) == ["_job", "a.csv", "b.txt.jsonl", "c.jsonl"]
    assert [one.name for one in done.now] == ["a.csv", "b.txt", "c.jsonl"]
    assert (done.before, done.failed, done.total, done.folders) == ((), (), 3, ("inner",))
    assert done.found == {"sure": 4, "none": 1}
    header, first = (out / "a.csv").read_text().splitlines()[:2]
    assert header == (
        "code,text,ontonym_id,ontonym_name,ontonym_confidence,ontonym_certainty,ontonym_negated,ontonym_matched,"
        "ontonym_terminology,ontonym_equivalents,ontonym_nearest"
    )
    cells = first.split(",")
    assert float(cells.pop(4)) > 0.95
    assert cells == ["1", "breast carcinoma", "W:1", "Breast cancer", "sure", "", "Breast carcinoma", "ward", "", ""]
    assert [json.loads(line)["id"] for line in (out / "b.txt.jsonl").read_text().splitlines()] == ["W:4", "W:3"]
    record = json.loads((out / "_job/done/a.csv.json").read_text())
    assert (record["rows"], record["mentions"], record["bytes"]) == (3, 2, len(TABLE))
    assert json.loads((out / "_job/job.json").read_text())["index"] == index.manifest.fingerprint


def test_malformed_rows_of_files_are_told(ward: Path, folder: Path) -> None:
    (folder / "a.csv").write_text(TABLE + "4\n5,DM,more\n")
    for _ in range(2):
        done = CliRunner().invoke(main, ["normalize", str(ward), str(folder), "-o", f"{folder.parent / 'out'}/"])
        assert done.stderr.splitlines()[1] == "2 malformed rows without an answer, in a.csv"


def test_what_is_done_is_not_done_again_unless_it_changed(index: Index, folder: Path) -> None:
    run(index, folder)
    out = folder.parent / "out"
    (folder / "b.txt").write_text("DM\n")
    (out / "c.jsonl").unlink()
    os.utime(folder / "a.csv", ns=(1, 1))
    done = run(index, folder)
    assert [one.name for one in done.now] == ["b.txt", "c.jsonl"]
    assert [one.name for one in done.before] == ["a.csv"], "another time, the same content"
    assert len((out / "b.txt.jsonl").read_text().splitlines()) == 1
    (out / "_job/done/a.csv.json").write_text("{}")
    assert [one.name for one in run(index, folder).now] == ["a.csv"]


def test_parts_are_all_files_once(index: Index, folder: Path) -> None:
    done = [run(index, folder, f"{number}/2") for number in (1, 2)]
    assert [[one.name for one in each.now] for each in done] == [["a.csv", "c.jsonl"], ["b.txt"]]
    assert run(index, folder).now == ()
    names = [str(number) for number in range(17)]
    assert sorted(name for number in range(1, 6) for name in JobPart(number, 5).of_names(names)) == sorted(names)
    for wrong in ("0/2", "3/2", "1", "1/0", "a/b"):
        with pytest.raises(InputError, match="such as 3/16"):
            JobPart.parse(wrong)


def test_formats_of_the_output(index: Index, folder: Path) -> None:
    run(index, folder, format="tsv")
    out = folder.parent / "out"
    assert sorted(one.name for one in out.iterdir()) == ["_job", "a.csv.tsv", "b.txt.tsv", "c.jsonl.tsv"]
    assert (out / "a.csv.tsv").read_text().startswith("code\ttext\tontonym_id")
    with pytest.raises(InputError, match=r"another job \(format differ\)"):
        run(index, folder, as_json=True)
    with pytest.raises(UnknownNameError, match="unknown output format 'xls'"):
        run(index, folder, format="xls")
    other = OutputChoice(str(folder.parent / "json"), as_json=True)
    assert [one.output for one in answer_files(index, folder, other, NORMALIZING).now] == [
        "a.csv.jsonl", "b.txt.jsonl", "c.jsonl",
    ]  # fmt: skip


def test_no_answers_replace_those_of_another_file(index: Index, folder: Path) -> None:
    (folder / "b.txt.jsonl").write_text('{"text": "breast carcinoma"}\n')
    with pytest.raises(InputError, match=r"the answers of b\.txt and b\.txt\.jsonl would both be b\.txt\.jsonl"):
        run(index, folder)
    assert not (folder.parent / "out").exists()
    assert len(run(index, folder, format="csv").now) == 4


def test_annotation_of_files(index: Index, folder: Path) -> None:
    for path in folder.glob("*.*"):
        path.unlink()
    for number, note in enumerate((NOTE, OTHER)):
        (folder / f"{number}.txt").write_text(note)
    done = run(index, folder, options=AnsweringOptions(AnnotateOptions(), but=("negated",)))
    assert [one.documents for one in done.now] == [1, 1]
    rows = [json.loads(line) for line in (folder.parent / "out/0.txt.jsonl").read_text().splitlines()]
    assert (rows[0]["id"], rows[0]["start"], rows[0]["end"]) == ("W:4", 0, 18)
    assert done.now[0].mentions == len(rows)


def test_a_file_that_cannot_be_read_keeps_no_other_back(index: Index, folder: Path) -> None:
    (folder / "aa.csv").write_text("one,two\n1,2\n")
    done = run(index, folder)
    assert [one.name for one in done.now] == ["a.csv", "b.txt", "c.jsonl"]
    assert [(one.name, one.problem.count("none is called text")) for one in done.failed] == [("aa.csv", 1)]
    (folder / "aa.csv").write_text(TABLE)
    assert [one.name for one in run(index, folder).now] == ["aa.csv"]


def test_every_file_that_cannot_be_read_is_named(index: Index, folder: Path) -> None:
    (folder / "aa.csv").write_text("text,x,x\nDM,1,2\n")
    (folder / "bb.csv").write_bytes(b"text\n\xe8\n")
    said = problems(run(index, folder, format="jsonl").failed)
    assert said == (
        "aa.csv: two columns are called 'x', which JSON lines cannot hold: rename one; 1 more (bb.csv): "
        "the other files are done; fix these, and run the same again"
    )


def test_an_empty_file_has_no_answers_and_is_no_failure(index: Index, folder: Path) -> None:
    (folder / "aa.csv").touch()
    done = run(index, folder)
    assert ([one.name for one in done.now], done.empty, done.failed) == (["a.csv", "b.txt", "c.jsonl"], ("aa.csv",), ())
    assert not (folder.parent / "out/aa.csv").exists()
    (folder / "aa.csv").write_text(TABLE)
    done = run(index, folder)
    assert ([one.name for one in done.now], done.empty) == (["aa.csv"], ())


def test_a_folder_is_not_answered_into_what_is_called_as_a_file(index: Index, folder: Path) -> None:
    for name in ("y.tsv", "y.jsonl", "y.csv.gz", "y.pubtator"):
        with pytest.raises(InputError, match=r"is the name of a file, .* give a folder, `output=.*/y/`"):
            answer_files(index, folder, OutputChoice(str(folder.parent / name)), NORMALIZING)
        assert not (folder.parent / name).exists()
    (folder.parent / "there").write_text("a file")
    with pytest.raises(InputError, match="is the name of a file"):
        answer_files(index, folder, OutputChoice(str(folder.parent / "there")), NORMALIZING)
    answer_files(index, folder, OutputChoice(f"{folder.parent / 'y.tsv'}/"), NORMALIZING)
    assert (folder.parent / "y.tsv").is_dir(), "with a stroke it is meant as a folder"


def test_answers_of_another_job_are_left_alone(index: Index, folder: Path) -> None:
    run(index, folder)
    other = AnsweringOptions(NormalizeOptions(threshold=0.9), DocumentOptions(column="text"))
    with pytest.raises(InputError, match=r"holds answers of another job \(options differ\)"):
        run(index, folder, options=other)
    with pytest.raises(InputError, match="need another folder"):
        answer_files(index, folder, OutputChoice(str(folder)), NORMALIZING)
    (empty := folder.parent / "empty").mkdir()
    with pytest.raises(InputError, match="has no files"):
        answer_files(index, empty, OutputChoice(str(folder.parent / "out")), NORMALIZING)


@pytest.mark.slow
def test_an_index_that_changes_meanwhile_stops_the_job(ward: Path, folder: Path) -> None:
    import shutil

    copy = shutil.copytree(ward.parent, folder.parent / "copy") / ward.name
    with open_index(copy) as opened:
        stale = open_index(copy)
        add_terms(copy, [AddedTerm("W:3", "yellow eyes")])
        run(opened, folder, "1/3")  # it was opened before
        with open_index(copy) as now, pytest.raises(InputError, match=r"another job \(index differ\)"):
            run(now, folder, "2/3")
        stale.close()
        with pytest.raises(MismatchError, match="was changed while the job ran"):
            answer_files(opened, folder, OutputChoice(str(folder.parent / "out")), NORMALIZING, jobs=2)


@pytest.mark.slow
def test_a_killed_job_goes_on_and_answers_every_mention_once(ward: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for number in range(40):
        texts = [f"breast carcinoma {number}-{row}" for row in range(25)]
        (source / f"{number:02}.csv").write_text("\n".join(["text", *texts, ""]))
    command = [sys.executable, "-m", "ontonym", "normalize", str(ward), str(source), "-o", str(target), "--jobs", "2"]
    for least in (3, 9, 15):
        running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while running.poll() is None and len(list(target.glob("_job/done/*.json"))) < least:
            time.sleep(0.005)
        running.send_signal(signal.SIGKILL)
        running.wait()
    kept = {one.name.removesuffix(".json") for one in target.glob("_job/done/*.json")}
    assert len(kept) >= 15
    before = {one.name: one.stat().st_mtime_ns for one in target.glob("*.csv")}
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "40 files = " in done.stderr
    rows = [line.split(",")[0] for path in sorted(target.glob("*.csv")) for line in path.read_text().splitlines()[1:]]
    assert Counter(rows) == Counter(f"breast carcinoma {number}-{row}" for number in range(40) for row in range(25))
    recorded = {one.name.removesuffix(".json") for one in target.glob("_job/done/*.json")}
    assert recorded == {f"{number:02}.csv" for number in range(40)}
    patience = time.monotonic() + 60
    while any(target.glob(".*.writing")) and time.monotonic() < patience:  # of a worker that outlived its command
        time.sleep(0.2)
        subprocess.run(command, capture_output=True, check=True)
    assert {one.name for one in target.iterdir()} == {"_job", *recorded}, "no draft is left"
    assert all((target / name).stat().st_mtime_ns == time for name, time in before.items() if name in kept)
