"""Releases that mean harm: entities, huge lines, full disks, and what the command line says of them."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sampled import XML, every_format, having, read, sample_in
from samples import CHILD, PARENT, SAMPLES, Sample, table, write

from ontonym.cli import main
from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology


def with_doctype(sample: Sample, subset: str) -> dict[str, bytes]:
    """The XML with a document type of its own, and the parent's name as a reference to the entity ``e``."""

    def change(text: str) -> bytes:
        text = re.sub(r"<!DOCTYPE[^>]*>", "", text)
        root = re.search(r"<([A-Za-z][\w.:]*)", text)
        assert root is not None
        return text.replace("?>", f"?>\n<!DOCTYPE {root[1]} {subset}>", 1).replace(PARENT, "&e;").encode()

    return sample.encoded(change)


BILLION = '<!ENTITY a "lol">' + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise("abcdfghij"))


@pytest.mark.parametrize("name", XML)
@pytest.mark.parametrize(
    "subset",
    [
        '[<!ENTITY e "harmless">]',
        f'[{BILLION}<!ENTITY e "&j;">]',
        '[<!ENTITY e SYSTEM "file://SECRET">]',
        '[<!ENTITY e SYSTEM "http://127.0.0.1:9/secret">]',
        '[<!ENTITY % p SYSTEM "file://SECRET"> %p;]',
        'SYSTEM "file://SECRET"',
        'SYSTEM "http://127.0.0.1:9/evil.dtd"',
        f'[<!ENTITY e "{"x" * 100_000}">]',
    ],
    ids=["internal", "billion", "file", "http", "parameter", "dtd file", "dtd http", "quadratic"],
)
def test_entities_are_never_expanded_or_fetched(tmp_path: Path, name: str, subset: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("TOP SECRET")
    write(tmp_path / "r", with_doctype(SAMPLES[name], subset.replace("SECRET", str(secret))))
    if name == "owl" and subset.startswith('[<!ENTITY e "harmless'):  # OWL writes namespaces as entities
        assert {concept.preferred for concept in read([tmp_path / "r"])[0]} == {CHILD, "harmless"}
        return
    with pytest.raises(FormatError, match=r"entit|DTD|well-formed|no concept") as caught:
        read([tmp_path / "r"])
    assert "TOP SECRET" not in str(caught.value)
    assert str(tmp_path / "r") in str(caught.value)


HUGE = """
import gzip, json, resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from samples import CHILD, SAMPLES
from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release

folder, said = Path(sys.argv[2]), {}
long = gzip.compress(b"x" * (16 << 20)) * 128
for name, sample in SAMPLES.items():
    for kind in ("gzip", "sparse"):
        paths = []
        for file, text in sample.files.items():
            path = folder / kind / name / (file + (".gz" if kind == "gzip" else ""))
            path.parent.mkdir(parents=True, exist_ok=True)
            paths.append(path)
            start = text[: text.index(CHILD) + len(CHILD)] if CHILD in text else text
            with path.open("wb") as stream:
                stream.write(gzip.compress(start.encode()) if kind == "gzip" else start.encode())
                if CHILD in text:
                    stream.write(long) if kind == "gzip" else stream.truncate(2 << 30)
        try:
            for _ in read_release(paths, format=name).concepts():
                pass
            said[f"{name} {kind}"] = ""
        except FormatError as error:
            said[f"{name} {kind}"] = str(error)
        for path in paths:
            path.unlink()
print(json.dumps({"said": said, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10}))
"""


@pytest.mark.slow
def test_a_line_of_two_gigabytes_fails_fast_in_little_memory(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    # through a small process: what one counts as its peak begins with that of the one it came from
    small = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    command = [sys.executable, "-c", small, sys.executable, "-c", HUGE, here, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    for what, said in result["said"].items():
        assert re.search(r"longer than|NUL byte|not well-formed|a single value of more", said), (what, said)
    assert result["peak"] < 400 << 20


def cli(*arguments: str | Path) -> Any:
    result = CliRunner().invoke(main, ["import", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


@having("broken")
def test_the_command_line_shows_malformed_rows_and_stops_at_the_first_under_strict(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    assert sample.broken is not None
    path, output = sample_in(tmp_path / "r", sample.changed(sample.broken)), tmp_path / "x.terminology"
    result = cli(path, "-o", output, "--json")
    assert result.exit_code == 0
    assert json.loads(result.output)["reader"]["rows"]["malformed"] == 1
    before = (output / "manifest.json").read_bytes()
    result = cli(path, "-o", output, "--strict")
    assert result.exit_code == 2
    assert str(path) in result.output
    assert (output / "manifest.json").read_bytes() == before


@every_format
@pytest.mark.parametrize("harm", ["empty", "binary", "cut zip", "slip", "bomb"])
def test_the_command_line_ends_with_2_and_one_error(tmp_path: Path, name: str, harm: str) -> None:
    (file, data), *_ = SAMPLES[name].encoded().items()
    base = file.rpartition("/")[2]
    path = tmp_path / (base if harm in ("empty", "binary") else "r.zip")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"../{base}" if harm == "slip" else base, data)
        if harm == "bomb":
            for i in range(1, 80):
                archive.writestr(f"{i}-{base}", b"")
                archive.filelist[-1].file_size = 1 << 30
    content = {"empty": b"", "binary": os.urandom(5000).replace(b"\n", b"\0"), "cut zip": buffer.getvalue()[:-30]}
    path.write_bytes(content.get(harm, buffer.getvalue()))
    result = cli(path, "--format", name, "-o", tmp_path / "x.terminology")
    assert result.exit_code == 2
    assert result.output.count("error:") == 1
    assert str(path) in result.output
    assert not (tmp_path / "x.terminology").exists()


LIMITED = """
import resource, sys
from ontonym.__main__ import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.argv = ["ontonym", *sys.argv[2:]]
main()
"""


def limited(size: int, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The import in a process that may write no file larger than that."""
    command = [sys.executable, "-c", LIMITED, str(size), "import", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource limits there")
@pytest.mark.parametrize("size", [0, 1000, 300_000])
def test_a_full_disk_is_one_error_and_the_old_terminology_stays(tmp_path: Path, size: int) -> None:
    output = tmp_path / "x.terminology"
    build_terminology(read_release([sample_in(tmp_path / "old", SAMPLES["table"])]), output)
    before = {path.name: path.read_bytes() for path in output.iterdir()}
    rows = table("id|name", *(f"X:{i}|name of number {i}" for i in range(40_000)), delimiter=",")
    (tmp_path / "new.csv").write_text(rows)
    run = limited(size, tmp_path / "new.csv", "-o", output)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"error: {output}: cannot be written: File too large\n"
    assert {path.name: path.read_bytes() for path in output.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "old", "x.terminology"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource limits there")
def test_no_room_to_unpack_a_compressed_archive_names_the_folder(tmp_path: Path) -> None:
    rows = ("id,name\n" + "".join(f"X:{i},{'name ' * 20}{i}\n" for i in range(350_000))).encode()
    with tarfile.open(tmp_path / "r.tgz", "w:gz", compresslevel=1) as archive:
        info = tarfile.TarInfo("codes.csv")
        info.size = len(rows)
        archive.addfile(info, io.BytesIO(rows))
    run = limited(1 << 20, tmp_path / "r.tgz", "-o", tmp_path / "x.terminology", TMPDIR=str(tmp_path))
    assert run.returncode == 2
    problem = f"cannot be unpacked into {tmp_path} (File too large)"
    hint = "Unpack it yourself, or let TMPDIR name a folder with more room"
    assert run.stderr == f"error: {tmp_path / 'r.tgz'}: {problem}. {hint}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["r.tgz"]


MAP = "source_code,source_vocabulary_id,target_concept_id,source_concept_id\nA1,local,{},1\nA2,local,12,{}\n"
DEPTH = "\tchapter\t1\t"


def test_columns_with_numbers_of_thousands_of_digits_are_not_taken(tmp_path: Path) -> None:
    digits = "9" * 5_000
    source_map = tmp_path / "SOURCE_TO_CONCEPT_MAP.csv"
    source_map.write_text(MAP.format(digits, digits), encoding="utf-8")
    release = read_release([source_map], format="omop")
    assert [mapping.object_id for one in release.concepts() for mapping in one.mappings] == ["OMOP:12"]
    assert release.counts.malformed == 1
    ((name, text),) = SAMPLES["icd11"].files.items()
    assert DEPTH in text
    icd11 = tmp_path / name
    icd11.write_text(text.replace(DEPTH, DEPTH.replace("1", digits)), encoding="utf-8")
    assert [one.id for one in read_release([icd11], format="icd11").concepts()] == ["ICD11:10", "ICD11:AB31"]


def test_lists_in_turtle_may_not_be_thousands_deep(tmp_path: Path) -> None:
    (sound,) = SAMPLES["skos"].files.values()
    deep, flat = tmp_path / "deep.ttl", tmp_path / "flat.ttl"
    deep.write_text(f"{sound}\n<a:b> <p:q> {'(' * 3_000_000}")
    with pytest.raises(FormatError, match="lists or blank nodes more than 1,000 deep"):
        read([deep])
    flat.write_text(f"{sound}\n<a:b> <p:q> {'(' * 900}{')' * 900} .")
    assert {concept.id for concept in read([flat])[0]} == set(SAMPLES["skos"].ids)
