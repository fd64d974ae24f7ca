"""What carrying mappings over gives: the file with the rows that stay, byte for byte, and the rest as candidates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from ontonym.ontology.xrefs import curie
from ontonym.store.carry import ENDS, Carried, DoubtfulMapping, End
from ontonym.store.diff import Difference
from ontonym.store.export.mappings import made_by
from ontonym.store.mappingfile import MappingFile, MappingRow
from ontonym.store.mappings.rows import JUSTIFICATIONS, NO_TERM
from ontonym.store.replacement import Link

_VERSION = re.compile(rb"(#\s*(?:subject|object)_source_version:\s*)(\S.*?)(\s*)")


def carried_file(carried: Carried, differences: Sequence[Difference], *, follow: bool = False) -> Iterator[bytes]:
    """The carried mapping file, row by row.

    Its head is the old one; only where it says the version of an old release, it says the new one's. Rows that stay are
    as they were. ``follow`` writes those whose proposal is to follow with their new ids and labels, unless that mapping
    is there already.
    """
    yield _head(carried.file, differences)
    followed = {one.row.line: one for one in carried.doubtful if follow and one.proposal == "follow"}
    there = {_pair(row) for row in carried.stay}
    kept = {row.line: row for row in carried.stay}
    for line in sorted([*kept, *followed]):
        if line in kept:
            yield kept[line].raw
            continue
        row = _followed(followed[line], carried.file)
        if _pair(row) not in there:
            there.add(_pair(row))
            yield row.raw


def _head(file: MappingFile, differences: Sequence[Difference]) -> bytes:
    versions = {one.old.version.encode(): one.new.version.encode() for one in differences if one.old.version}
    lines = file.head.splitlines(keepends=True)
    for place, line in enumerate(lines):
        match = _VERSION.fullmatch(line)
        if match is not None and (new := versions.get(match[2].strip(b"\"'"))):
            lines[place] = match[1] + match[2].replace(match[2].strip(b"\"'"), new) + match[3]
    return b"".join(lines)


def _pair(row: MappingRow) -> tuple[str, ...]:
    cells = row.cells
    ends = (curie(row.ids["subject"]), curie(row.ids["object"]))
    return (*ends, cells["predicate_id"], cells.get("predicate_modifier", ""))


def _followed(one: DoubtfulMapping, file: MappingFile) -> MappingRow:
    """The row with each end that is gone replaced by what takes its place."""
    cells, ids = dict(one.row.cells), dict(one.row.ids)
    for end, links in one.ends().items():
        if links[0].id != one.row.ids[end]:
            cells |= {f"{end}_id": file.written(links[0].id)}
            ids[end] = links[0].id
            if f"{end}_label" in cells:
                cells[f"{end}_label"] = links[0].preferred
    if "comment" in cells:
        cells["comment"] = "; ".join(filter(None, [cells["comment"], *(found.words for found in one.findings)]))
    raw = one.row.raw
    ending = raw[len(raw.rstrip(b"\r\n")) :]
    written = "\t".join(cells[name] for name in file.columns).encode() + ending
    return MappingRow(one.row.line, written, cells, ids)


def doubtful_slots(carried: Carried, differences: Sequence[Difference]) -> Mapping[str, str]:
    """The metadata of the mappings to look at, by slots of SSSOM."""
    kept = {name: carried.file.facts[name] for name in ("license",) if name in carried.file.facts}
    of = {
        "mapping_set_id": f"urn:ontonym:carried-{differences[0].new.fingerprint[:12]}",
        "mapping_set_title": f"Mappings of {carried.file.path.name} to look at",
    }
    return made_by("ontonym carry", kept | of)


def doubtful_rows(carried: Carried, *, follow: bool = False) -> Iterator[dict[str, str]]:
    """The mappings to look at, as candidates for a review: the proposal first, its reasons in ``comment``.

    A mapping of which an end is gone without a replacement is a row to ``sssom:NoTermFound``. ``follow`` leaves out
    those whose proposal is to follow.
    """
    for one in carried.doubtful:
        if not (follow and one.proposal == "follow"):
            yield from _candidates(one, carried.file)


def _candidates(one: DoubtfulMapping, file: MappingFile) -> Iterator[dict[str, str]]:
    cells = one.row.cells
    ends = one.ends()
    own: dict[End, Link] = {end: Link(one.row.ids[end], one.labels[end]) for end in ENDS}
    subjects = ends["subject"] or (own["subject"],)
    objects = ends["object"] if ends["subject"] and ends["object"] else (Link(NO_TERM),)
    was = f"{own['subject'].id} {cells['predicate_id']} {own['object'].id}"
    for subject, target in product(subjects, objects):
        yield {
            "subject_id": subject.id,
            "subject_label": subject.preferred,
            "predicate_id": cells["predicate_id"],
            "predicate_modifier": cells.get("predicate_modifier", "") if target.id != NO_TERM else "",
            "object_id": target.id,
            "object_label": target.preferred,
            "mapping_justification": cells.get("mapping_justification", "") or JUSTIFICATIONS["unspecified"],
            "comment": "; ".join(finding.words for finding in one.findings),
            "other": f"proposal: {one.proposal}; was {was}, line {one.row.line} of {file.path.name}",
        }
