"""Indexes and page indexes that were built or updated, as JSON and for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ontonym.index import Index
from ontonym.index.shared.places import Shared
from ontonym.index.shared.storage import Loaded
from ontonym.index.update import Updated
from ontonym.manifest import Manifest
from ontonym.serve.show import Summary, count, size
from ontonym.store import Terminology


def index_summary(index: Index, path: Path, seconds: float, more: Sequence[tuple[str, str]] = ()) -> Summary:
    """An index that was built, just opened, with ``more`` facts about what became of the one it replaces."""
    manifest = index.manifest
    concepts = sum(len(part) for part in index.terminologies)
    statistics, encoder = manifest.content["statistics"], manifest.content["encoder"]
    beside = [(statistics["everyday"], "everyday name", "such as patients use")]
    beside += [(statistics["shortened"], "shortened name", 'without words such as "unspecified site"')]
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
        ("encoder", encoder if isinstance(encoder, str) else encoder["absolute"]),
        *(("beside", f"{count(number, noun)}, {what}") for number, noun, what in beside if number),
        *more,
    ]
    return Summary(shape, facts)


def shared_summary(shared: Shared, seconds: float) -> Summary:
    """An index that was loaded into a database, or copied out of it."""
    manifest, loaded = shared.manifest, shared.loaded
    statistics = manifest.content["statistics"]
    shape = {
        "path": str(shared.place),
        "fingerprint": manifest.fingerprint,
        "names": statistics["names"],
        "generation": None if loaded is None else loaded.generation,
        "continued_at": None if loaded is None else loaded.continued_at,
        "content": manifest.content,
    }
    facts = [
        ("index", str(shared.place)),
        (
            "of",
            ", ".join(
                f"{one['name']} {one['version']}".strip() for one in manifest.content["identity"]["terminologies"]
            ),
        ),
        (
            "made",
            f"{count(statistics['names'], 'name')} of {count(statistics['concepts'], 'concept')} in {seconds:.1f} s",
        ),
    ]
    if loaded is not None:
        facts.append(("generation", f"{loaded.generation}{_how(loaded)}"))
    return Summary(shape, facts)


def _how(loaded: Loaded) -> str:
    if loaded.was_there:
        return ", which was there already"
    return f"; an earlier try had loaded {count(loaded.continued_at, 'name')}" if loaded.continued_at else ""


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
    return Summary(shape, facts)


def updated_summary(path: str, updated: Updated, seconds: float, more: Sequence[tuple[str, str]] = ()) -> Summary:
    """An index that was updated, with ``more`` facts about what became of terms and calibration."""
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
        *more,
    ]
    return Summary(shape, facts)


def _releases(terminologies: Sequence[Terminology]) -> str:
    return ", ".join(f"{one.name} {one.version}".strip() for one in terminologies)
