"""Summaries of a terminology or of mappings that were written to a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ontonym.files.output import STDOUT
from ontonym.serve.show import Summary, size
from ontonym.store.export import WRITERS, TerminologyExport
from ontonym.store.export.formats import left_out_words
from ontonym.store.export.mappings import MAPPING_WRITERS, MappingConversion
from ontonym.store.mappings import MappingSet


def terminology_summary(output: str, done: TerminologyExport) -> Summary:
    """What was written to the file ``output``, or to `STDOUT`, and what the format cannot carry."""
    lost = left_out_words(done.left_out)
    facts = [
        ("format", WRITERS[done.format].title),
        ("concepts", f"{done.concepts:,}"),
        ("names", f"{done.terms:,}"),
        ("left out", lost),
    ]
    return _written(output, asdict(done), facts, [("jsonl holds everything", "dim")] if lost else [])


def mappings_summary(output: str, done: MappingConversion) -> Summary:
    """How many mappings were read and written to the file ``output``, or to `STDOUT`, and what was left out."""
    read, written = done.read, done.written
    shape = {
        "format": done.format,
        "read": len(read.rows),
        "malformed": read.counts.malformed,
        "mappings": written.mappings,
        "left_out": dict(+written.left_out),
    }
    facts = [
        ("format", MAPPING_WRITERS[done.format].title),
        ("mappings", f"{written.mappings:,} of {len(read.rows):,}"),
        ("left out", left_out_words(written.left_out)),
        ("malformed", _malformed(read)),
    ]
    return _written(output, shape, facts)


def _malformed(read: MappingSet) -> str:
    first = read.counts.examples[0] if read.counts.examples else None
    return f"{read.counts.malformed:,}, the first on line {first.line}: {first.problem}" if first else ""


def _written(
    output: str,
    shape: dict[str, Any],
    facts: Sequence[tuple[str, str]],
    lines: Sequence[tuple[str, str]] = (),
) -> Summary:
    """The summary of a file; where standard output has it, only JSON, on stderr."""
    if output == STDOUT:
        return Summary(shape, stderr=True)
    length = Path(output).stat().st_size
    return Summary({"path": output, "bytes": length, **shape}, [("file", f"{output}  ({size(length)})"), *facts], lines)
