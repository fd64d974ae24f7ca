"""Random changes of small sound files, read in this process over and over: readers, documents, mapping files, reviews,
artifacts, normalization. Every execution is made anew from its seed and number, so no corpus is kept."""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np

from damage import made
from figures import Bench, Row, Sheet, main
from hostile import DOCUMENTS, RELEASES, SSSOM, TABLES
from materials import work_folder
from ontonym.artifact import verify
from ontonym.documents import read_documents
from ontonym.errors import InputError
from ontonym.index import open_index
from ontonym.index.termfile import read_terms
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import build_terminology, open_terminology
from ontonym.store.mappings import read_mappings
from ontonym.tasks import search
from ontonym.tasks.review import open_review, start_review
from ontonym.text.lexicon import read_lexicon
from ontonym.text.normalization import canonical, key, tokens
from ontonym.text.visible import visible

Rng = np.random.Generator

PIECES: tuple[bytes, ...] = (
    b"\t", b",", b"|", b"\n", b"\r", b"\r\n", b'"', b"'", b"\\", b"\0", b"\x1b", b"\xff", b"\xc3", b"\xed\xa0\x80",
    b"<", b">", b"</", b"/>", b"&", b"&#0;", b"&#xd800;", b"<!--", b"]]>", b"<![CDATA[", b"<!DOCTYPE a>", b"{", b"}",
    b"[", b"]", b":", b"null", b"true", b"-1", b"0", b"1e999", b"NaN", b"9" * 30, b"9" * 5_000, b"\xc2\xb2",
    b"\xd9\xa1", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b" ", b"\xc2\xa0", b"\xcc\x81", b"\xf0\x9f\xa6\xa0", b"%", b"%zz",
    b"..", b"/", b"http://", b"urn:", b"_:a", b"@en", b"^^", b"S:3", b"is_a: ", b"\\u0000", b"\\ud800", b"=1+1", b"#",
    b"!", b"\xff\xfe<\0", b"PK\x03\x04", b"\x1f\x8b", b"2030-13-45", b"x" * 3_000,
)  # fmt: skip
"""What is put into files: what formats are made of, and what they trip over."""


def changed(rng: Rng, data: bytes, others: Sequence[bytes]) -> bytes:
    """The bytes after one to five changes; ``others`` are files that pieces are taken from."""
    for _ in range(int(rng.integers(1, 6))):
        start, stop = sorted(int(place) for place in rng.integers(0, len(data) + 1, 2))
        if rng.random() < 0.7:
            stop = min(stop, start + int(rng.integers(1, 40)))
        kind = int(rng.integers(8))
        if kind == 0:
            flipped = bytearray(data)
            for place in rng.integers(0, max(len(data), 1), 3):
                flipped[place : place + 1] = bytes([int(rng.integers(256))])
            data = bytes(flipped)
        elif kind == 1:
            data = data[:start] + data[stop:]
        elif kind == 2:
            data = data[:stop] + data[start:stop] * int(rng.integers(1, 4)) + data[stop:]
        elif kind in (3, 4):
            data = data[:start] + PIECES[int(rng.integers(len(PIECES)))] + data[start:]
        elif kind == 5:
            data = data[:start] + PIECES[int(rng.integers(len(PIECES)))] + data[stop:]
        elif kind == 6:
            other = others[int(rng.integers(len(others)))]
            begin, end = sorted(int(place) for place in rng.integers(0, len(other) + 1, 2))
            data = data[:start] + other[begin : min(end, begin + 200)] + data[stop:]
        else:
            line = data[:start].rfind(b"\n") + 1
            data = data[:line] + data[line : data.find(b"\n", start) + 1] + data[line:]
    return data


def _overwritten(rng: Rng, data: bytes) -> bytes:
    """As many bytes as before, a few of them others."""
    found = bytearray(data)
    for place in rng.integers(0, len(data), int(rng.integers(1, 4))):
        found[int(place)] = int(rng.choice([0, 1, 0x7F, 0x80, 0xFF, int(rng.integers(256))]))
    return bytes(found)


# What is fuzzed ------------------------------------------------------------------------------------------------------

Fuzzed = Callable[[Path, Rng], None]
"""Makes one input in an empty folder and reads it; InputError is an answer, any other error a finding."""


def _release(folder: Path, rng: Rng) -> None:
    names = sorted(RELEASES)
    name = names[int(rng.integers(len(names)))]
    files = RELEASES[name].encoded()
    chosen = list(files)[int(rng.integers(len(files)))]
    files[chosen] = changed(rng, files[chosen], _ALL)
    for inner, data in files.items():
        (folder / inner).parent.mkdir(parents=True, exist_ok=True)
        (folder / inner).write_bytes(data)
    release = read_release([folder], options=ReadOptions(), format=name if rng.random() < 0.8 else None)
    if rng.random() < 0.2:
        build_terminology(release, folder / "a.terminology")
        open_terminology(folder / "a.terminology").close()
    else:
        for batch in release.batches():
            list(batch.concepts())


def _documents(folder: Path, rng: Rng) -> None:
    form, (name, text) = list(DOCUMENTS.items())[int(rng.integers(len(DOCUMENTS)))]
    (folder / name).write_bytes(changed(rng, text.encode(), _ALL))
    documents = read_documents(folder / name, format=None if rng.random() < 0.2 or form == "lines" else form)
    marks = [mark for document in documents for mark in document.marks]
    counts = documents.counts
    if counts.rows != counts.kept + counts.skipped.total() + counts.malformed:
        raise AssertionError(f"{len(marks)} marks, and the counts do not add up")


def _tables(folder: Path, rng: Rng) -> None:
    name, text, _ = list(TABLES.values())[int(rng.integers(len(TABLES)))]
    file = folder / name
    file.write_bytes(changed(rng, text.encode(), _ALL))
    kind = int(rng.integers(4))
    if kind == 0:
        read_terms(str(file))
    elif kind == 1:
        list(read_mappings(file).rows)
    elif kind == 2:
        read_lexicon(file)
    else:
        list(read_release([file], options=ReadOptions(), format="table").batches())


def _reviews(folder: Path, rng: Rng) -> None:
    (folder / "m.sssom.tsv").write_bytes(SSSOM.encode() if rng.random() < 0.5 else changed(rng, SSSOM.encode(), _ALL))
    start_review(folder / "a.review", folder / "m.sssom.tsv")
    data = (folder / "a.review").read_bytes()
    altered = _overwritten(rng, data) if rng.random() < 0.5 else changed(rng, data, [data, SSSOM.encode()])
    (folder / "a.review").write_bytes(altered)
    with open_review(folder / "a.review", "me", candidates=folder / "m.sssom.tsv"):
        pass


def _normalization(folder: Path, rng: Rng) -> None:
    drawn = rng.integers(0, 0x3000, int(rng.integers(0, 30))).tolist()
    pieces = [PIECES[int(place)].decode(errors="replace") for place in rng.integers(0, len(PIECES), 6)]
    words = [_WORDS[int(place)] for place in rng.integers(0, len(_WORDS), 5)]
    parts = ["".join(map(chr, drawn)), *pieces, *words]
    text = "".join(parts[int(place)] for place in rng.permutation(len(parts)))
    folded = key(text)
    if key(folded) != folded or not all(word and " " not in word for word in tokens(text)):
        raise AssertionError(f"{text!r} is not normalized for good")
    canonical(text)
    if visible(visible(text)) != visible(text):
        raise AssertionError(f"{text!r} is not visible for good")


def artifacts(kept: Path) -> Fuzzed:
    """Opens the artifacts of `damage.made` in ``kept`` after one of their files was changed."""
    made(kept)
    names = ("a.index", "a.terminology")
    files = [file for name in names for file in sorted((kept / name).rglob("*")) if 0 < file.stat().st_size < 1 << 20]
    files = [file for file in files if file.is_file()]

    def opened(folder: Path, rng: Rng) -> None:
        file = files[int(rng.integers(len(files)))]
        name = file.relative_to(kept).parts[0]
        shutil.copytree(kept / name, folder / name)
        data = file.read_bytes()
        inside = folder / file.relative_to(kept)
        inside.unlink()
        inside.write_bytes(_overwritten(rng, data) if rng.random() < 0.8 else changed(rng, data, [data]))
        try:
            _asked(folder / name)
        except InputError:
            raise
        except Exception:
            verify(folder / name)  # as the command line does, which then says that it is damaged
            raise

    return opened


def _asked(artifact: Path) -> None:
    if artifact.suffix == ".terminology":
        with open_terminology(artifact) as terminology:
            for row in range(0, len(terminology), 17):
                terminology.concept(row)
    else:
        with open_index(artifact) as index:
            for text in ("sign 7 of the kind", "wobly walk 3"):
                search(index, text)


_ALL = [data for sample in RELEASES.values() for data in sample.encoded().values()]
_ALL += [text.encode() for _, text in DOCUMENTS.values()] + [table[1].encode() for table in TABLES.values()]
_WORDS = (
    "Alzheimer's",
    "type II",
    "1,000",
    "A-T",
    "non-small",
    "β-blocker",
    "cannot",
    "Ménière",
    "N.O.S.",
    "(left)",
    "IgA",
)

TARGETS: Mapping[str, Fuzzed | None] = MappingProxyType(
    {
        "releases": _release,
        "documents": _documents,
        "tables and mapping files": _tables,
        "reviews": _reviews,
        "normalization": _normalization,
        "artifacts": None,
    }
)
"""What is fuzzed, by name; the artifacts are made first."""


@dataclass(slots=True)
class Fuzzing:
    """What came of one target: how often it ran, in how many seconds of the processor, and each finding once."""

    target: str
    executions: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    findings: dict[str, str] = field(default_factory=dict)


def fuzz(name: str, folder: Path, seed: int, *, seconds: float = 0.0, most: int = 0, first: int = 0) -> Fuzzing:
    """Runs a target for so many seconds of the processor, or ``most`` times; execution ``first`` comes first."""
    target = TARGETS[name] or artifacts(_empty(folder / "kept"))
    found = Fuzzing(name)
    place = folder / "one"
    began = time.process_time()
    for number in itertools.count(first):
        if (seconds and found.seconds >= seconds) or (most and found.executions >= most):
            return found
        rng = np.random.default_rng([seed, number])
        _empty(place)
        start = time.process_time()
        try:
            target(place, rng)
        except InputError:
            found.refused += 1
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}"
            found.findings.setdefault(where, f"--seed {seed} --first {number}: {error}")
        found.executions += 1
        found.seconds = time.process_time() - began
        found.slowest = max(found.slowest, time.process_time() - start)
    raise AssertionError("numbers have no end")


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """One row for each target; False where there was a finding."""
    rows: list[Row] = []
    for name in chosen.only or TARGETS:
        with work_folder() as folder:
            found = fuzz(name, folder, chosen.seed, seconds=60 * chosen.minutes, most=chosen.most, first=chosen.first)
        rows.append(
            {
                "target": name,
                "minutes": found.seconds / 60,
                "executions": found.executions,
                "refused": found.refused,
                "findings": len(found.findings),
                "slowest s": found.slowest,
            }
        )
        print(f"{name}: {found.executions:,} executions, {len(found.findings)} findings", flush=True)
        for where, how in found.findings.items():
            print(f"  {where}: {how}"[:500], flush=True)
    protocol = (f"seed {chosen.seed}; minutes of the processor; a finding is any error but one that names the file",)
    bench.show(Sheet("fuzz", "Fuzzing", protocol, rows, 1))
    return not any(row["findings"] for row in rows)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--minutes", type=float, default=30, help="of the processor for each target (default: 30)")
    parser.add_argument("--most", type=int, default=0, help="executions of each target at most")
    parser.add_argument("--first", type=int, default=0, help="number of the first execution, to repeat a finding")
    parser.add_argument("--only", nargs="+", default=[], choices=TARGETS, help="targets")
    parser.add_argument("--seed", type=int, default=1, help="of the changes")


if __name__ == "__main__":
    sys.exit(main("fuzz", str(__doc__), measure, _options))
