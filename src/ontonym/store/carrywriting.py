"""What carrying mappings over gives: the file with the rows that stay, byte for byte, and the rest as candidates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from ontonym.errors import InputError
from ontonym.files.output import written_file
from ontonym.ontology.xrefs import curie
from ontonym.store.carry import ENDS, Carried, CarryOptions, DoubtfulMapping, End, carry
from ontonym.store.diff import Difference, diff
from ontonym.store.export.mappings import MappingFacts, made_by, write_mappings
from ontonym.store.mappingfile import MappingFile, MappingRow
from ontonym.store.mappings.iris import expanded
from ontonym.store.mappings.rows import FREQUENCY, JUSTIFICATIONS, NO_TERM
from ontonym.store.mappings.sssom import IDS, PROPAGATED
from ontonym.store.open import open_terminology
from ontonym.store.replacement import Link
from ontonym.text.counting import count
from ontonym.types import Progress

_KEPT = frozenset(
    """
    record_id predicate_label predicate_type author_id author_label reviewer_id reviewer_label creator_id creator_label
    license mapping_provider mapping_source mapping_tool mapping_tool_id mapping_tool_version mapping_date
    publication_date review_date curation_rule curation_rule_text see_also issue_tracker_item
    """.split()
) | {FREQUENCY}
"""Columns that a mapping to look at keeps: who made it, when and how, and how often its source occurs. How alike its
ends are is not among them, since these may be others now."""

_VERSION = re.compile(rb"(#\s*(subject|object)_source_version:\s*)(\S.*?)(\s*)")


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """A mapping file that was carried over; ``differences`` are those of its releases, which are closed again.

    With ``follow``, mappings whose proposal is to follow were written with their new ids.
    """

    carried: Carried
    differences: tuple[Difference, ...]
    follow: bool

    def __repr__(self) -> str:
        return f"<CarriedFile of {count(self.mappings, 'mapping')}, {self.to_look_at:,} to look at>"

    @property
    def mappings(self) -> int:
        """How many mappings there are."""
        return len(self.carried.stay) + len(self.carried.doubtful)

    @property
    def followed(self) -> int:
        """How many were written with their new ids, or were there already."""
        return self.carried.proposals.get("follow", 0) if self.follow else 0

    @property
    def to_look_at(self) -> int:
        """How many are left to look at."""
        return len(self.carried.doubtful) - self.followed

    @property
    def cautions(self) -> list[str]:
        """What makes a comparison doubtful; the same release named twice on purpose does not."""
        found = (caution for one in self.differences if one.old.path != one.new.path for caution in one.cautions)
        return list(dict.fromkeys(found))


def carry_file(
    mappings: Path | str,
    releases: Sequence[tuple[Path | str, Path | str]],
    output: Path | str,
    *,
    look: Path | str | None,
    follow: bool,
    options: CarryOptions,
    progress: Progress | None = None,
) -> CarriedFile:
    """Carries a mapping file over to new releases: ``output`` gets what stays, ``look`` what is to be looked at.

    ``releases`` are the old and the new terminology of a side, once for each. ``follow`` writes mappings whose concepts
    have one replacement into ``output``, with the new ids. Raises as `carry` does, and InputError for more than two
    sides, and where a file to write is the mapping file itself.
    """
    if len(releases) > 2:
        raise InputError("`releases=` is given once for each side of the mappings: at most twice")
    for path in (output, look):
        if path is not None and Path(path).exists() and Path(mappings).exists() and Path(path).samefile(mappings):
            raise InputError(f"{path}: is the mapping file itself, which stays as it is: give another name")
    with ExitStack() as stack:
        opened = [[stack.enter_context(open_terminology(one)) for one in pair] for pair in releases]
        differences = tuple(diff(old, new, progress=progress) for old, new in opened)
        carried = carry(mappings, differences, options)
        with written_file(output) as stream:
            stream.writelines(carried_file(carried, differences, follow=follow))
        if look is not None:
            about = MappingFacts(slots=doubtful_slots(carried, differences), iris=carried.file.prefixes)
            write_mappings(look, doubtful_rows(carried, follow=follow), about, format="sssom")
    return CarriedFile(carried, differences, follow)


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
    """The head with the new version of each side where it says the old one."""
    lines = file.head.splitlines(keepends=True)
    for place, line in enumerate(lines):
        match = _VERSION.fullmatch(line)
        if match is None:
            continue
        start, end, written, rest = match.groups()
        old = written.strip(b"\"'")
        known = [one for one in differences if one.old.version and one.old.version.encode() == old]
        if len(known) > 1:  # both sides have this version: the one that knows the ids of this end
            known = [one for one in known if _knows(one, file, "subject" if end == b"subject" else "object")]
        if known:
            lines[place] = start + written.replace(old, known[0].new.version.encode()) + rest
    return b"".join(lines)


def _knows(difference: Difference, file: MappingFile, end: End) -> bool:
    """Whether the old release has an id that the mappings have at this end."""
    return any(difference.old.find(curie(row.ids[end])) is not None for row in file.rows())


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
    """The mappings to look at, as candidates for a review: the proposal first, its reasons in ``comment``, before that
    of the mapping. Who made it, when, and how often its source occurs are kept.

    A mapping of which an end is gone without a replacement is a row to ``sssom:NoTermFound``. ``follow`` leaves out
    those whose proposal is to follow.
    """
    for one in carried.doubtful:
        if not (follow and one.proposal == "follow"):
            yield from _candidates(one, carried.file)


def _candidates(one: DoubtfulMapping, file: MappingFile) -> Iterator[dict[str, str]]:
    """The rows to choose from in place of a doubtful mapping: every pair of what its ends may have become."""
    cells = one.row.cells
    ends = one.ends()
    own: dict[End, Link] = {end: Link(one.row.ids[end], one.labels[end]) for end in ENDS}
    subjects = ends["subject"] or (own["subject"],)
    objects = ends["object"] if ends["subject"] and ends["object"] else (Link(NO_TERM),)
    kept = _kept(cells, file)
    was = one.row.statement
    for subject, target in product(subjects, objects):
        yield {
            **kept,
            "subject_id": subject.id,
            "subject_label": subject.preferred,
            "predicate_id": cells["predicate_id"],
            "predicate_modifier": cells.get("predicate_modifier", "") if target.id != NO_TERM else "",
            "object_id": target.id,
            "object_label": target.preferred,
            "mapping_justification": cells.get("mapping_justification", "") or JUSTIFICATIONS["unspecified"],
            "comment": _joined(*(finding.words for finding in one.findings), cells.get("comment", "")),
            "other": _joined(f"proposal: {one.proposal}; was {was}, line {one.row.line} of {file.path.name}",
                             cells.get("other", "")),
        }  # fmt: skip


def _kept(cells: Mapping[str, str], file: MappingFile) -> dict[str, str]:
    """What a row says of itself, or the head of its file of all rows, with ids as everywhere in ontonym."""
    given = {name: file.facts.get(name, "") for name in PROPAGATED} | {
        name: text for name, text in cells.items() if text
    }
    return {
        name: "|".join(expanded(part.strip(), file.prefixes) for part in text.split("|")) if name in IDS else text
        for name, text in given.items()
        if text and name in _KEPT
    }


def _joined(*texts: str) -> str:
    return "; ".join(filter(None, texts))
