"""Indexes and page indexes that were built or updated, as JSON and for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ontonym.artifact import Manifest
from ontonym.index import Index
from ontonym.index.added import added_counts
from ontonym.index.update import Updated
from ontonym.serve.show import Summary, count, size
from ontonym.store import Terminology

Facts = list[tuple[str, str]]


def index_summary(index: Index, path: Path, seconds: float, *, calibration_dropped: bool) -> Summary:
    """An index that was built, just opened; whether the index that it replaces was calibrated."""
    manifest = index.manifest
    concepts = sum(len(part) for part in index.terminologies)
    shape = {
        "path": str(path),
        "fingerprint": manifest.fingerprint,
        "names": len(index),
        "content": manifest.content,
    }
    facts = [
        ("index", f"{path}  ({size(manifest.bytes)})"),
        ("of", _releases(index.terminologies)),
        ("made", f"{count(len(index), 'name')} of {count(concepts, 'concept')} in {seconds:.1f} s"),
        *_added_facts(path, manifest.content),
        *_calibration_facts(path, "dropped" if calibration_dropped else ""),
    ]
    return Summary(shape, facts, next=f'ontonym search {path} "heart skipping beats"')


def pages_summary(path: Path, manifest: Manifest, terminologies: Sequence[Terminology], seconds: float) -> Summary:
    """A page index that was built from terminologies."""
    held = manifest.content["statistics"]
    shape = {"path": str(path), "fingerprint": manifest.fingerprint, "content": manifest.content}
    facts = [
        ("page index", f"{path}  ({size(manifest.bytes)})"),
        ("of", _releases(terminologies)),
        ("made", f"{count(held['pages'], 'page')} in {seconds:.1f} s"),
        ("fields", ", ".join(f"{held[name]:,} {name}" for name in held if name != "pages")),
    ]
    return Summary(shape, facts, next=f"ontonym align hp.terminology {path} -o hp-wiki.sssom.tsv")


def updated_summary(path: str, updated: Updated, seconds: float) -> Summary:
    """An index that was updated. A person gets plain lines: drawing a table would take longer than many an update."""
    manifest = updated.manifest
    shape = {
        "path": path,
        "fingerprint": manifest.fingerprint,
        "names": updated.names,
        "copied": updated.copied,
        "encoded": updated.encoded,
        "dropped": updated.dropped,
        "terms": updated.terms,
        "read": updated.read,
        "calibration": updated.calibration,
        "seconds": round(seconds, 3),
        "content": manifest.content,
    }
    releases = [f"{part['name']} {part['version']}".strip() for part in manifest.content["identity"]["terminologies"]]
    facts = [
        ("index", f"{Path(path)}  ({size(manifest.bytes)})"),
        ("of", ", ".join(releases)),
        ("copied", f"{updated.copied:,} names of {updated.names:,}"),
        ("encoded", f"{updated.encoded:,} names"),
        ("dropped", f"{updated.dropped:,} names that no concept has now"),
        ("made", f"in {seconds:.1f} s"),
        *_calibration_facts(Path(path), updated.calibration),
        *_added_facts(Path(path), manifest.content),
    ]
    return Summary(shape, facts)


def _releases(terminologies: Sequence[Terminology]) -> str:
    return ", ".join(f"{one.name} {one.version}".strip() for one in terminologies)


def _added_facts(path: Path, content: Mapping[str, Any]) -> Facts:
    """What became of the terms that users added, where there are any."""
    terms, searched = added_counts(content)
    if not terms:
        return []
    gone = f"; {terms - searched:,} not searched: `ontonym terms {path} --gone` lists them" if searched < terms else ""
    return [("added", f"{searched:,} terms of users carried over{gone}")]


def _calibration_facts(path: Path, became: str) -> Facts:
    """What became of the calibration that an index had, its curves, where it had one."""
    if not became:
        return []
    kept = f"carried over; new names were not asked: `ontonym calibrate {path}` learns it anew"
    gone = f"dropped, for it was learned of another index: `ontonym calibrate {path}` learns it anew"
    return [("curves", kept if became == "kept" else gone)]
