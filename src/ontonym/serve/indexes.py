"""Indexes and page indexes that were built or updated, as JSON and for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ontonym.manifest import Manifest
from ontonym.serve.show import Summary, size
from ontonym.store import Terminology
from ontonym.text.counting import count

if TYPE_CHECKING:
    from ontonym.index import Index, Updated
    from ontonym.index.shared.places import Shared
    from ontonym.index.shared.storage import Loaded

BESIDE: Mapping[str, str] = MappingProxyType(
    {"everyday": "such as patients use", "shortened": 'without "unspecified site", "(nonvenomous)"'}
)
"""The names that an index has beside those of its terminologies, by their key in its statistics, and what they are."""


def index_summary(index: Index, path: Path, seconds: float, more: Sequence[tuple[str, str]] = ()) -> Summary:
    """An index that was built, just opened, with ``more`` facts about what became of the one it replaces."""
    manifest = index.manifest
    concepts = sum(len(part) for part in index.terminologies)
    encoder = manifest.content["encoder"]
    shape = {
        "path": str(path),
        "fingerprint": manifest.fingerprint,
        "names": index.name_count,
        "content": manifest.content,
    }
    facts = [
        ("index", f"{path}  ({size(manifest.bytes)})"),
        ("of", _releases(index.terminologies)),
        ("made", f"{count(index.name_count, 'name')} of {count(concepts, 'concept')} in {seconds:.1f} s"),
        ("encoder", encoder if isinstance(encoder, str) else encoder["absolute"]),
        beside_fact(manifest.content["statistics"]),
        *more,
    ]
    return Summary(shape, facts)


def beside_fact(statistics: Mapping[str, int]) -> tuple[str, str]:
    """The names that an index searches beside those of its terminologies; nothing where there are none."""
    parts = (f"{count(statistics[key], f'{key} name')}, {what}" for key, what in BESIDE.items() if statistics.get(key))
    return "beside", "\n".join(parts)


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
        ("of", _releases_in(manifest)),
        (
            "made",
            f"{count(statistics['names'], 'name')} of {count(statistics['concepts'], 'concept')} in {seconds:.1f} s",
        ),
        beside_fact(statistics),
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
        "doubts": list(updated.doubts),
        "seconds": round(seconds, 3),
        "content": manifest.content,
    }
    facts = [
        ("index", f"{Path(path)}  ({size(manifest.bytes)})"),
        ("of", _releases_in(manifest)),
        *(("check", doubt) for doubt in updated.doubts),
        ("copied", f"{updated.copied:,} of {count(updated.names, 'name')}"),
        ("encoded", count(updated.encoded, "name")),
        ("dropped", f"{count(updated.dropped, 'name')} that no concept has now"),
        ("made", f"in {seconds:.1f} s"),
        beside_fact(manifest.content["statistics"]),
        *more,
    ]
    return Summary(shape, facts)


def _releases_in(manifest: Manifest) -> str:
    """The terminologies of an index that is not open."""
    parts = manifest.content["identity"]["terminologies"]
    return ", ".join(f"{part['name']} {part['version']}".strip() for part in parts)


def _releases(terminologies: Sequence[Terminology]) -> str:
    return ", ".join(one.full_name for one in terminologies)
