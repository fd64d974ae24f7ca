"""Memory and speed over many documents: generated notes, streamed through `ontonym annotate`'s own way into a page or
JSON lines, in a process of its own."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

from figures import Bench, Row, Sheet, main
from materials import import_files, indexed, work_folder
from ontonym.documents import Document, Passage
from ontonym.index import Index, open_index
from ontonym.ontology.options import ReadOptions
from ontonym.serve.answers import OutputChoice, opened_answers
from ontonym.serve.notes import note_format, opened_notes
from ontonym.tasks.documents import annotate_documents
from sources import data_folder

_HEADS = ("HPI:", "PMH:", "Family history:", "Examination:", "Assessment and plan:")
_WORDS = (
    "the patient was seen today with and has had a for of in since no denies possible mother severe mild left right "
    "on examination there is treated follow up weeks years old presented chronic acute reports history was given"
).split()
_STAGES = (0.1, 0.25, 0.5, 1.0)


def notes(index: Index, seed: int = 0) -> Iterator[Document]:
    """Notes without end: common words, names of the index, some with another ending, and words that none has had."""
    draw = random.Random(seed)  # noqa: S311 (generated texts, not secrets)
    names = len(index.signals.names)
    number = 0
    while True:
        number += 1
        lines = []
        for head in draw.sample(_HEADS, 3):
            words: list[str] = []
            for _ in range(draw.randint(2, 4)):
                words += draw.choices(_WORDS, k=draw.randint(2, 6))
                words.append(index.text(draw.randrange(names)))
                new = "".join(draw.choices("abcdefgilmnoprstu", k=7)) + draw.choice(("osis", "itis", "emia", "oma"))
                words += [*draw.choices(_WORDS, k=2), new]
            lines.append(f"{head} {' '.join(words)}.")
        yield Document(f"note {number}", (Passage("\n".join(lines), 0),))


def resident() -> float:
    """The memory of this process now, in MB (10^6 bytes), without the mapped files that it shares with others."""
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """The memory after parts of the documents, and at the end."""
    with work_folder() as folder:
        place = import_files([data_folder() / "hpo/hp.json.gz"], folder / "hpo.terminology", ReadOptions(name="hpo"))
        with indexed([place], folder) as index:
            path = index.path
        context = multiprocessing.get_context("spawn")  # whose memory is not that of making the index
        with ProcessPoolExecutor(1, context) as pool:
            output = str(folder / f"out.{chosen.output}")
            rows = pool.submit(_streamed, str(path), chosen.documents, output).result()
    protocol = (
        f"generated notes (seed 0) with names of HPO and words that never came before, written as {chosen.output}",
        "own MB: resident memory without shared pages; peak MB: ru_maxrss, mapped files that were touched included; "
        "both in 10^6 bytes, of a process that does nothing else",
    )
    bench.show(Sheet("memory", "Memory over many documents", protocol, rows, 1))


def _streamed(path: str, documents: int, out: str) -> list[Row]:
    """One row for each part of the documents."""
    rows: list[Row] = []
    output = OutputChoice(out)
    stages = {max(1, round(documents * share)) for share in _STAGES}
    with open_index(path) as index:
        opened = (
            opened_notes(output, index, source="notes", left_out=Counter())
            if note_format(output)
            else opened_answers(output, source="notes", annotating=True, left_out=Counter())
        )
        began, cpu, found = time.perf_counter(), time.process_time(), 0
        with opened as write:
            for number, (document, answers) in enumerate(annotate_documents(index, islice(notes(index), documents)), 1):
                write(document, answers)
                found += len(answers)
                if number in stages:
                    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
                    rows.append({
                        "documents": number,
                        "mentions": found,
                        "own MB": round(resident(), 1),
                        "peak MB": round(peak, 1),
                        "seconds": time.perf_counter() - began,
                        "documents/s of processor": number / (time.process_time() - cpu),
                    })  # fmt: skip
    return rows


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=20_000, metavar="N", help="how many notes")
    parser.add_argument("--output", choices=("jsonl", "html", "tsv"), default="jsonl", help="what is written")


if __name__ == "__main__":
    sys.exit(main("notes", str(__doc__), measure, _options))
