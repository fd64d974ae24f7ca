"""Builds a terminology folder from a stream of concepts, in one pass and without holding them in memory."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ontonym.artifact import write_artifact
from ontonym.errors import InputError, WrongTypeError
from ontonym.files.workbooks import workbook_and_sheet
from ontonym.manifest import MANIFEST, Manifest
from ontonym.ontology.batch import GROUPS, Batch, BatchPart
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.tables.local import completed_columns
from ontonym.store.columns import (
    CHUNK,
    ListColumn,
    NumberWriter,
    StringColumn,
    StringWriter,
    load_numbers,
    save_numbers,
)
from ontonym.store.hierarchy import Edges, cut, find_cycles
from ontonym.store.layout import TERM_HASH, Tables, number_columns
from ontonym.store.lookup import HashLookup, IdLookup, distinct_prefixes, same_texts
from ontonym.store.open import Terminology, open_terminology
from ontonym.store.repeats import merge_repeats, without_repeats
from ontonym.text.folding import folded
from ontonym.types import Advance

NAMED = 5
"""How many of what went wrong are named in the manifest; all are counted."""

_MISREAD = re.compile(rb"\xc2[\x80-\x9f]")

PREFIX_LIMIT = 100
"""How many distinct id prefixes are kept for suggesting ids."""


class ReleaseCounts(Protocol):
    """What a reader counted."""

    def to_dict(self) -> Mapping[str, Any]:
        """The counts by name."""


class ReleaseStream(Protocol):
    """What a reader gives: its concepts, and once they are all read the counts and facts of the release."""

    @property
    def metadata(self) -> Any:
        """Facts, as a mapping or a dataclass; ``name`` and ``version`` become part of the fingerprint."""

    @property
    def counts(self) -> ReleaseCounts:
        """What was read; complete once `batches` is exhausted."""

    def batches(self) -> Iterator[Batch]:
        """The concepts in the release's order, in columns."""


def build_terminology(
    release: ReleaseStream,
    output: Path | str,
    *,
    strict: bool = False,
    overwrite: bool = True,
    accept: Callable[[Path], None] | None = None,
    progress: Advance | None = None,
) -> Manifest:
    """The manifest of the terminology made from ``release`` at ``output``.

    A concept given twice is merged into its first row. An is-a edge that closes a cycle is left out of the hierarchy
    by the rule of `find_cycles`, counted and named in the manifest, or with ``strict`` stops the build with
    `InputError`; a parent that is not in the release is counted and named. What the concepts say stays as published.
    ``accept`` is called with the new terminology before it takes the place of an older one (`check_replacement`).
    ``progress`` gets the number of concepts read since its last call. Raises `ArtifactError` where ``output`` cannot be
    written, and whatever the reader raises; ``output`` then stays as it was.
    """
    if not hasattr(release, "batches"):
        raise WrongTypeError(release, "a release as `read_release()` gives it")
    with write_artifact(output, "terminology", overwrite=overwrite, accept=accept) as writer:
        with ExitStack() as files:
            columns = _Columns(writer.folder, files)
            for batch in release.batches():
                columns.add(batch)
                if progress is not None:
                    progress(len(batch))
        columns.tables.save(writer.folder)
        facts = _finish(writer.folder, columns, strict=strict)
        metadata = _as_dict(release.metadata)
        writer.content.update(
            identity={"name": str(metadata.get("name", "")), "version": str(metadata.get("version", ""))},
            metadata=metadata,
            reader=dict(release.counts.to_dict()),
            **facts,
        )
    return writer.manifest


@contextmanager
def open_or_read(path: Path | str, columns: Sequence[str]) -> Iterator[Terminology]:
    """Opens the terminology at ``path``, or a temporary one that is made from a release or table there.

    ``columns`` are those of a table: `completed_columns`. InputError where they are named of a terminology.
    """
    place = Path(path)
    with ExitStack() as stack:
        there = workbook_and_sheet(place)[0].exists()
        if there and not (place / MANIFEST).exists():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ontonym-")))
            options = ReadOptions(columns=completed_columns(place, columns)) if columns else ReadOptions()
            release = read_release([place], options=options)
            place = folder / "source.terminology"
            build_terminology(release, place)
        elif columns and not there:
            raise InputError(f"{path}: no such file")
        elif columns:
            raise InputError(f"{path}: is a terminology, so that `columns=` names nothing: leave it out")
        yield stack.enter_context(open_terminology(place))


def _as_dict(metadata: Any) -> dict[str, Any]:
    return asdict(metadata) if is_dataclass(metadata) and not isinstance(metadata, type) else dict(metadata)


class _Columns:
    """All columns while the concepts stream in; ``files`` closes them."""

    def __init__(self, folder: Path, files: ExitStack) -> None:
        def numbers(name: str, dtype: npt.DTypeLike) -> NumberWriter:
            return files.enter_context(NumberWriter(folder, name, dtype))

        def texts(name: str) -> StringWriter:
            return files.enter_context(StringWriter(folder, name))

        self.tables = Tables()
        self.merged_terms = 0
        self._ids = texts("concept_id")
        types: dict[str, npt.DTypeLike] = {"concept_status": np.uint8, TERM_HASH: np.uint64}
        for group in GROUPS:
            types |= number_columns(group)
        self._numbers = {name: numbers(name, dtype) for name, dtype in types.items()}
        self._texts = {name: texts(name) for layout in GROUPS.values() for name in layout.texts}
        self._bounds = {group: numbers(f"{group}.rows", np.int64) for group in GROUPS}
        self._totals = dict.fromkeys(GROUPS, 0)
        for bounds in self._bounds.values():
            bounds.append(0)

    def add(self, batch: Batch) -> None:
        """Appends some concepts."""
        active, retired = (self.tables.code("status", name) for name in ("active", "retired"))
        self._ids.extend(batch.ids)
        self._numbers["concept_status"].extend(np.where(batch.retired, retired, active))
        for group in GROUPS:
            part = batch.parts.get(group)
            if part is None:
                self._bounds[group].extend(np.full(len(batch), self._totals[group]))
                continue
            if group == "terms":
                part, merged = without_repeats(part)
                self.merged_terms += merged
                self._numbers[TERM_HASH].extend(folded(part.texts["term_text"]).hashes())
            self._add(group, part)

    def _add(self, group: str, part: BatchPart) -> None:
        for name, texts in part.texts.items():
            self._texts[name].extend(texts)
        for name, table in GROUPS[group].coded.items():
            coded = part.coded[name]
            self._numbers[name].extend(self.tables.encode(table, coded.names)[coded.codes])
        for name, numbers in part.numbers.items():
            self._numbers[name].extend(numbers)
        self._bounds[group].extend(np.cumsum(part.counts) + self._totals[group])
        self._totals[group] += int(part.counts.sum())


def _finish(folder: Path, columns: _Columns, *, strict: bool) -> dict[str, Any]:
    """Merges repeated concepts, then writes lookups and hierarchy; returns what the manifest says about them."""
    merged, merged_terms = _merge_concepts(folder)
    ids = StringColumn.open(folder, "concept_id")
    hashes = ids.strings().hashes()
    alternatives = ListColumn.open(folder, "alternative_ids")
    alternative_hashes = alternatives.values.strings().hashes()
    shadowed = np.flatnonzero(np.isin(alternative_hashes, hashes))
    lookup = HashLookup.build(
        folder,
        "id",
        np.concatenate([hashes, alternative_hashes]),
        np.concatenate([np.arange(len(ids)), alternatives.owners()]),
    )
    hierarchy = _write_hierarchy(folder, ids, IdLookup(lookup, ids, alternatives), strict=strict)
    _write_names(folder)
    misread = _misread_names(folder)
    return {
        "statistics": _statistics(folder, columns.tables, ids, hierarchy["edges"]),
        "prefixes": _prefixes(ids),
        "merged_concepts": merged,
        "merged_terms": columns.merged_terms + merged_terms,
        "shadowed_alternative_ids": {
            "count": len(shadowed),
            "first": alternatives.values.take(shadowed[:NAMED]),
        },
        "unknown_parents": hierarchy["unknown_parents"],
        "cycles": hierarchy["cycles"],
        **({"misread_names": misread} if misread["count"] else {}),
    }


def _merge_concepts(folder: Path) -> tuple[dict[str, Any], int]:
    """Merges concepts that are given more than once; how many there were, the first of them, and how many equal terms
    fell away.
    """
    ids = StringColumn.open(folder, "concept_id")
    first = same_texts(ids, ids.strings().hashes())
    repeats = np.flatnonzero(first != np.arange(len(first)))
    merged = {"count": len(repeats), "first": ids.take(repeats[:NAMED])}
    del ids  # the column is written anew, and Windows replaces no file that is mapped
    return merged, merge_repeats(folder, first) if len(repeats) else 0


def _write_hierarchy(folder: Path, ids: StringColumn, lookup: IdLookup, *, strict: bool) -> dict[str, Any]:
    """Writes the is-a edges in both directions, without those that close a cycle; returns what the manifest says."""
    listed = ListColumn.open(folder, "parents")
    texts, child = listed.values, listed.owners()
    parent = lookup.find_all(texts.strings())
    unknown = np.flatnonzero(parent < 0)
    known = parent >= 0
    edges = Edges.of_pairs(child[known], parent[known], len(ids))
    cycles = find_cycles(edges)
    if cycles:
        if strict:
            raise InputError(
                f"the is-a hierarchy has a cycle: {_spell(cycles[0], ids)}. Fix the release, or import it without "
                "strict: then the last step of each cycle is left out and counted"
            )
        edges = cut(edges, cycles)
    edges.save(folder, "parents")
    Edges.of_pairs(edges.indices, edges.sources(), len(ids)).save(folder, "children")
    named = [f"{ids[int(child[place])]} is_a {texts[place]}" for place in unknown[:NAMED].tolist()]
    return {
        "edges": len(edges.indices),
        "unknown_parents": {"count": len(unknown), "first": named},
        "cycles": {"count": len(cycles), "first": [_spell(cycle, ids) for cycle in cycles[:NAMED]]},
    }


def _spell(cycle: Sequence[int], ids: StringColumn) -> str:
    return " is_a ".join(ids.take(cycle))


def _misread_names(folder: Path) -> dict[str, Any]:
    """The names with control characters from U+0080 to U+009F: the quotes, dashes and the like of Windows-1252 that
    were read as Latin-1.
    """
    texts = StringColumn.open(folder, "term_text")
    strings = texts.strings()
    places = [match.start() for match in _MISREAD.finditer(strings.data.data)]
    rows = np.unique(np.searchsorted(strings.offsets, places, side="right") - 1)
    return {"count": len(rows), "first": texts.take(rows[:NAMED])}


def _write_names(folder: Path) -> None:
    counts = np.diff(load_numbers(folder, "terms.rows"))
    save_numbers(folder, "term_concept", np.repeat(np.arange(len(counts), dtype=np.uint32), counts))
    hashes = load_numbers(folder, TERM_HASH)
    HashLookup.build(folder, "name", hashes, np.arange(len(hashes)))
    (folder / f"{TERM_HASH}.npy").unlink()


def _statistics(folder: Path, tables: Tables, ids: StringColumn, edges: int) -> dict[str, Any]:
    """The numbers of concepts, of edges, and of rows of every group, for the manifest."""
    active = int(np.count_nonzero(load_numbers(folder, "concept_status") == tables.code("status", "active")))
    statistics: dict[str, Any] = {
        "concepts": len(ids),
        "active_concepts": active,
        "retired_concepts": len(ids) - active,
        "is_a_edges": edges,
    }
    for group in GROUPS:
        statistics[group] = int(load_numbers(folder, f"{group}.rows")[-1])
    for table, column in (("kind", "term_kind"), ("scope", "term_scope"), ("language", "term_language")):
        counts = np.bincount(load_numbers(folder, column), minlength=len(tables.names(table)))
        statistics[f"terms_by_{table}"] = {
            name: count for name, count in zip(tables.names(table), counts.tolist(), strict=True) if count
        }
    return statistics


def _prefixes(ids: StringColumn) -> list[str]:
    """The distinct prefixes of the ids (empty for ids without a colon), the most frequent first."""
    counts: Counter[str] = Counter()
    for start in range(0, len(ids), CHUNK):
        prefixes, times = distinct_prefixes(ids.strings(start, min(start + CHUNK, len(ids))))
        counts.update(dict(zip(prefixes, times.tolist(), strict=True)))
        if len(counts) > PREFIX_LIMIT * 100:
            break
    return sorted(counts, key=lambda prefix: (-counts[prefix], prefix))[:PREFIX_LIMIT]
