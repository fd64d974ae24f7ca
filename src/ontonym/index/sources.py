"""The terminologies and the encoder that an index was made from: where they are is written when it is made; when it is
opened, they are looked up, and their fingerprints compared."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ontonym.artifact import verify
from ontonym.encoder.places import MULTILINGUAL
from ontonym.errors import ArtifactError, MismatchError
from ontonym.manifest import MANIFEST
from ontonym.store import Terminology, open_terminology

_HEX = "_bytes"
"""The ending of the entry for the bytes, in hexadecimal, of a path that is not UTF-8."""


def noted_place(source: Path, index: Path) -> dict[str, str]:
    """The path of a source relative to the index's folder, and absolute: either may still be right after a move."""
    absolute = source.resolve()
    place = {"relative": os.path.relpath(absolute, index.resolve().parent), "absolute": str(absolute)}
    return place | {name + _HEX: os.fsencode(path).hex() for name, path in place.items() if not _is_text(path)}


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _noted(place: dict[str, str], name: str) -> Path:
    return Path(os.fsdecode(bytes.fromhex(place[name + _HEX])) if name + _HEX in place else place[name])


def found_place(index: Path, place: dict[str, str], what: str) -> Path:
    """Where a source of the index is now: at its relative or its absolute path, or in the folder that the index is in.

    Raises ArtifactError if it is at none of them.
    """
    folder, relative, absolute = index.resolve().parent, _noted(place, "relative"), _noted(place, "absolute")
    for candidate in (folder / relative, absolute, folder / absolute.name):
        if candidate.exists():
            return candidate
    raise ArtifactError(
        f"{index}: its {what} is no longer at {place['absolute']}: put it there or beside the index, or rebuild with "
        "`build_index()`"
    )


@contextmanager
def opened_sources(
    folder: Path, places: Sequence[Path | str], made_from: Sequence[dict[str, Any]], remedy: str
) -> Iterator[tuple[Terminology, ...]]:
    """Opens the terminologies that the artifact in ``folder`` was made from; they are closed if the block fails.

    Raises ArtifactError if one is missing, MismatchError with the ``remedy`` if one has changed.
    """
    with ExitStack() as stack:
        opened = []
        for place, source in zip(places, made_from, strict=True):
            opened.append(stack.enter_context(open_terminology(place)))
            what = f"the terminology {source['name']}"
            check_same(folder, what, source["fingerprint"], opened[-1].fingerprint, place, remedy)
        yield tuple(opened)
        stack.pop_all()


def check_same(folder: Path, what: str, expected: str, found: str, place: Path | str, remedy: str) -> None:
    """Raises MismatchError if two fingerprints differ."""
    if found != expected:
        raise MismatchError(
            f"{folder}: {what} it was made from is not the one at {place} (fingerprint {expected[:12]} then, "
            f"{found[:12]} now): {remedy}"
        )


def check_whole(path: Path) -> None:
    """Recomputes the checksums of the artifact at ``path`` and of those it was made from, where they can be found.

    Raises ArtifactError for the first that is not whole.
    """
    content = verify(path).content
    encoder = content.get("encoder")
    places = [("terminology", place) for place in content.get("terminologies", ())]
    places += [("encoder", encoder)] if isinstance(encoder, dict) else []
    for what, place in places:
        try:
            source = found_place(path, place, what)
        except (ArtifactError, KeyError, TypeError, OSError):
            continue
        if (source / MANIFEST).is_file():
            verify(source)


def kept_encoder(index: Path, kept: str | dict[str, str]) -> str | Path:
    """The encoder in an index's manifest: its name, or its present path; raises ArtifactError if it is missing."""
    return kept if isinstance(kept, str) else found_place(index, kept, "encoder")


def languages_beside_english(terminologies: Sequence[Terminology], encoder: str | Path) -> frozenset[str]:
    """The languages of `table_languages` that queries of an index may be in: those of its names, and all where its
    encoder is the multilingual one."""
    from ontonym.text.foreign.words import table_languages  # what an update need not load

    if str(encoder) == MULTILINGUAL:
        return frozenset(table_languages())
    spoken = {tag.partition("-")[0].lower() for one in terminologies for tag in one.term_languages().names}
    return frozenset(spoken).intersection(table_languages())
