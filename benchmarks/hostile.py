"""Reads releases, documents and tables that are broken or mean harm, of every format: an answer or one clear error."""

from __future__ import annotations

import argparse
import gzip
import io
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from damage import made
from figures import Bench, Row, Sheet, main
from materials import work_folder
from probing import ANSWERED, BROKEN, PATIENCE, TOLD, Ending, probe, warm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "ontology"))

from samples import SAMPLES  # type: ignore[import-not-found]

BASE = 300 << 20
"""Bytes of memory that reading a file may take, and ten times the bytes of the file."""

_SEARCHED = 150_000
"""Bytes of files whose mentions are searched for: honest work of some seconds on a slow machine."""

Change = Callable[[np.random.Generator, bytes], bytes]

BIOC = (
    '<?xml version="1.0"?><collection><source>x</source><date>d</date><key>k</key><document><id>1</id><passage>'
    "<offset>0</offset><text>mark 3 and mark 4</text><annotation id='a'><infon key='type'>D</infon>"
    "<location offset='0' length='6'/><text>mark 3</text></annotation></passage></document></collection>"
)
PUBTATOR = "1|t|mark 3 and mark 4\n1|a|wobbly walk was seen\n1\t0\t6\tmark 3\tD\tS:3\n\n"
RELEASES: Mapping[str, Any] = MappingProxyType(SAMPLES)
"""Small sound releases of every format, by its name."""
DOCUMENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "lines": ("m.txt", "mark 3\nwobbly walk\nsign 4 of the kind\n"),
        "csv": ("m.csv", 'id,text\n1,mark 3\n2,"wobbly, walk"\n'),
        "tsv": ("m.tsv", "id\ttext\n1\tmark 3\n2\twobbly walk\n"),
        "jsonl": ("m.jsonl", '{"text":"mark 3","start":1,"end":7,"id":12}\n{"text":"wobbly walk"}\n'),
        "pubtator": ("m.pubtator", PUBTATOR),
        "bioc": ("m.xml", BIOC),
        "bioc-json": (
            "m.bioc.json",
            '{"documents":[{"id":"1","passages":[{"offset":0,"text":"mark 3 and","annotations":[{"id":"a","text":'
            '"mark 3","infons":{"type":"D"},"locations":[{"offset":0,"length":6}]}]}]}]}',
        ),
    }
)
"""Mentions of the index of `damage.made` in every format: the name of a file, and its text."""

SSSOM = (
    "#mapping_set_id: http://x.org/y\n#curie_map:\n#  S: http://x.org/S_\n"
    "subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification\tconfidence\n"
    "S:3\tsign 3\tskos:exactMatch\tS:4\tsign 4\tsemapv:ManualMappingCuration\t0.9\n"
)
TABLES: Mapping[str, tuple[str, str, tuple[str, ...]]] = MappingProxyType(
    {
        "mapping file": ("m.sssom.tsv", SSSOM, ("export-mappings", "m.sssom.tsv", "-o", "out.csv", "--force")),
        "review": ("m.sssom.tsv", SSSOM, ("review", "start", "m.sssom.tsv", "-o", "out.review")),
        "terms to add": ("t.tsv", "id\ttext\tcount\twho\nS:3\tlurching\t2\tme\n", ("add-terms", "a.index", "t.tsv")),
        "terms in JSON": ("t.jsonl", '{"id":"S:3","text":"lurching","count":2}\n', ("add-terms", "a.index", "t.jsonl")),
        "lexicon": ("l.tsv", "SOB\tshortness of breath\n", ("search", "a.index", "SOB 3", "--lexicon", "l.tsv")),
        "affected": ("m.csv", "id,x\nS:3,1\n", ("diff", "a.terminology", "a.terminology", "--affected", "m.csv")),
        "columns": ("c.csv", "code,name\n1,one\n2,two\n", ("import", "c.csv", "-o", "out.terminology")),
    }
)
"""Other files that people give: name, text, and the command that reads it."""


# Changes -------------------------------------------------------------------------------------------------------------


def _cut(rng: np.random.Generator, data: bytes) -> tuple[int, int]:
    start, stop = sorted(int(place) for place in rng.integers(0, len(data) + 1, 2))
    return start, stop


def _flips(rng: np.random.Generator, data: bytes) -> bytes:
    changed = bytearray(data)
    for place in rng.integers(0, len(data), int(rng.integers(1, 8))):
        changed[int(place)] = int(rng.integers(256))
    return bytes(changed)


def _truncated(rng: np.random.Generator, data: bytes) -> bytes:
    return data[: int(rng.integers(len(data)))]


def _without(rng: np.random.Generator, data: bytes) -> bytes:
    start, stop = _cut(rng, data)
    return data[:start] + data[stop:]


def _doubled(rng: np.random.Generator, data: bytes) -> bytes:
    start, stop = _cut(rng, data)
    return data[:stop] + data[start:stop] * int(rng.integers(1, 5)) + data[stop:]


def _repeated(rng: np.random.Generator, data: bytes) -> bytes:
    start, stop = _cut(rng, data)
    return data[:start] + data[start:stop] * (4_000_000 // max(stop - start, 1)) + data[stop:]


def _flooded(*what: bytes, size: int = 6_000_000) -> Change:
    def change(rng: np.random.Generator, data: bytes) -> bytes:
        place = int(rng.integers(len(data) + 1))
        one = what[int(rng.integers(len(what)))]
        return data[:place] + one * (size // len(one)) + data[place:]

    return change


def _inserted(*what: bytes) -> Change:
    def change(rng: np.random.Generator, data: bytes) -> bytes:
        for _ in range(int(rng.integers(1, 4))):
            place = int(rng.integers(len(data) + 1))
            data = data[:place] + what[int(rng.integers(len(what)))] + data[place:]
        return data

    return change


def _numbers(rng: np.random.Generator, data: bytes) -> bytes:
    digits = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    if not digits:
        return data
    place = digits[int(rng.integers(len(digits)))]
    return data[:place] + b"9" * int(rng.choice([20, 400, 5000, 200_000])) + data[place + 1 :]


def _gzipped(rng: np.random.Generator, data: bytes) -> bytes:
    fill = [b"\n", b" ", b"\0", b"a", b"{}", b"<a/>", b"a\tb\n", b'[{"a":'][int(rng.integers(8))]
    place = int(rng.integers(len(data) + 1))
    return gzip.compress(data[:place] + fill * (150_000_000 // len(fill)) + data[place:], 1)


def _zipped(rng: np.random.Generator, data: bytes) -> bytes:
    out = io.BytesIO()
    names = ("a.txt", "../../x.obo", "/etc/x", "C:\\x", "a" * 60_000, "x\0y", "\x1b[31mx", "a.zip", "é")
    name = names[int(rng.integers(len(names)))]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(int(rng.choice([1, 2, 3_000]))):
            archive.writestr(f"{number}{name}" if number else name, data)
    return _flips(rng, out.getvalue()) if rng.random() < 0.5 else out.getvalue()


def _tarred(rng: np.random.Generator, data: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo(["a.txt", "../x", "/x"][int(rng.integers(3))])
        info.size, info.type = len(data), [tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.FIFOTYPE][int(rng.integers(3))]
        archive.addfile(info, io.BytesIO(data))
    return _flips(rng, out.getvalue()) if rng.random() < 0.5 else out.getvalue()


CHANGES: Mapping[str, Change] = MappingProxyType(
    {
        "bytes changed": _flips,
        "truncated": _truncated,
        "a part missing": _without,
        "a part doubled": _doubled,
        "a part 4 MB long": _repeated,
        "blank lines": _flooded(b"\n", b"\r\n", b" \n", b"\t\n"),
        "one long name": _flooded(b"a", b"a ", "é".encode(), b"\\", b"-", size=12_000_000),
        "separators": _flooded(b"\t", b",", b"|", b"$", b";", b'"', b"'", b"\\\n"),
        "nesting": _flooded(b"[", b"{", b"<a>", b'{"a":', b"(", b"[[", b"<Description>"),
        "small parts": _flooded(b"<a/>", b"{},", b"[],", b"0,", b'"",', b"!\n", b"a:\n", b"[Term]\n", b"<!-- -->"),
        "control characters": _inserted(b"\x1b[31m", b"\x00", b"\x07", b"\x9b", "\u202e".encode(), b"\xef\xbb\xbf"),
        "not UTF-8": _inserted(b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80"),
        "entities": _inserted(b"&a;", b"<!DOCTYPE a [<!ENTITY a 'aaaa'>]>", b'<!ENTITY x SYSTEM "file:///etc/passwd">'),
        "huge numbers": _numbers,
        "gzip bombs": _gzipped,
        "zips": _zipped,
        "tars": _tarred,
    }
)
"""How a file is made hostile, by name."""


@dataclass(frozen=True, slots=True)
class Case:
    """One hostile file: its format, how it was changed, its size in bytes, and how the command ended."""

    form: str
    change: str
    size: int
    seed: int
    ending: Ending


def asked() -> dict[str, tuple[dict[str, bytes], tuple[str, ...]]]:
    """Every format: the files of a small sound one, and the command that reads them."""
    found: dict[str, tuple[dict[str, bytes], tuple[str, ...]]] = {
        name: (sample.encoded(), ("import", "given", "-o", "out.terminology", "--format", name))
        for name, sample in SAMPLES.items()
    }
    for name, (file, text) in DOCUMENTS.items():
        for what, verb in (("mentions", "normalize"), ("texts", "annotate")):
            found[f"{what}: {name}"] = (
                {file: text.encode()},
                (verb, "a.index", f"given/{file}", "-o", "out.tsv", "--force"),
            )
    for name, (file, text, command) in TABLES.items():
        arguments = tuple(f"given/{file}" if one == file else one for one in command)
        found[name] = ({file: text.encode()}, arguments)
    return found


def run_cases(folder: Path, count: int, seed: int, only: Sequence[str] = (), first: int = 0) -> Iterator[Case]:
    """Makes ``count`` hostile files beside the artifacts of `made`, each read by its command.

    ``first`` is the number of the first of them: files of one seed may be made in portions.
    """
    warm()
    formats = asked()
    kinds = [(form, change) for form in formats for change in CHANGES if not only or form in only or change in only]
    order = np.random.default_rng(seed).permutation(len(kinds))
    for number in range(first, first + count):
        form, change = kinds[int(order[number % len(kinds)])]
        yield one_case(folder, form, change, seed * 1_000_003 + number, formats)


def one_case(
    folder: Path, form: str, change: str, seed: int, formats: Mapping[str, tuple[dict[str, bytes], tuple[str, ...]]]
) -> Case:
    """One hostile file, read."""
    rng = np.random.default_rng(seed)
    files, command = formats[form]
    _emptied(folder)
    chosen = list(files)[int(rng.integers(len(files)))]
    written = 0
    for name, data in files.items():
        place = folder / "given" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        changed = CHANGES[change](rng, data) if name == chosen else data
        place.write_bytes(changed[:_SEARCHED] if form.startswith(("mentions", "texts")) else changed)
        written += place.stat().st_size
    ending = probe(folder, command, memory=BASE + 10 * written)
    return Case(form, change, written, seed, ending)


def _emptied(folder: Path) -> None:
    import shutil

    for place in (folder / "given", *folder.glob("out.*"), *folder.glob(".out.*")):
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
    (folder / "given").mkdir()


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """One table by kind of change; False where a command crashed, hung or took too much memory."""
    with work_folder() as folder:
        cases = []
        for case in run_cases(made(folder), chosen.cases, chosen.seed, chosen.only):
            cases.append(case)
            if case.ending.outcome in BROKEN:
                shown = case.ending.said.replace("\n", " ")[:300]
                print(
                    f"{case.ending.outcome}: {case.form}, {case.change}, {case.size:,} bytes, seed {case.seed}, "
                    f"{case.ending.seconds:.1f} s, {case.ending.grown >> 20} MiB: {shown}",
                    flush=True,
                )
    rows: list[Row] = []
    for change in CHANGES:
        endings = [case.ending for case in cases if case.change == change]
        counts = Counter(ending.outcome for ending in endings)
        rows.append(
            {
                "files with": change,
                "cases": counts.total(),
                **{name: counts[name] for name in (ANSWERED, TOLD, *BROKEN)},
                "longest s": max((ending.seconds for ending in endings), default=0.0),
                "most MiB": max((ending.grown >> 20 for ending in endings), default=0),
            }
        )
    protocol = (f"{PATIENCE} s of the processor; {BASE >> 20} MiB and ten times the bytes on disk",)
    bench.show(Sheet("hostile", f"Hostile files of {len(asked())} formats", protocol, rows, 1))
    return not any(case.ending.outcome in BROKEN for case in cases)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cases", type=int, default=2_000, help="files (default: 2,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the files")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="formats or changes")


if __name__ == "__main__":
    sys.exit(main("hostile", str(__doc__), measure, _options))
