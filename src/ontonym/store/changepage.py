"""What changed between two releases as a page for people to read, in one HTML file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

from ontonym.files.page import code, filter_box, page_lines, table, text
from ontonym.store.affected import Affected, Checked
from ontonym.store.describing import Change, ChangeKind
from ontonym.store.diff import Difference
from ontonym.store.open import Terminology
from ontonym.store.replacement import Link
from ontonym.text.counting import count
from ontonym.types import Advance

PAGE_ROWS = 2_000
"""Rows of one kind of change that a page shows; browsers grow slow beyond that."""

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

_Cell = Callable[[Change], str]


@dataclass(frozen=True, slots=True)
class _Section:
    """How a kind of change is shown: its heading, what it means, and its columns."""

    heading: str
    about: str
    columns: tuple[tuple[str, _Cell], ...]


def change_page(
    difference: Difference,
    checks: Sequence[Checked],
    affected: Sequence[Affected],
    *,
    rows: int,
    elsewhere: tuple[str, str],
    progress: Advance,
) -> Iterator[str]:
    """The page piece by piece; of every kind of change, and of affected rows, the first ``rows``.

    ``elsewhere`` says where all changes, and all affected rows, are found. ``progress`` gets the changes done since
    its last call.
    """
    title = f"What changed in {difference.new.name or 'the terminology'}"
    releases = f"{_version(difference.old)} to {_version(difference.new)}"
    body = _body(title, difference, checks, affected, rows, elsewhere, progress)
    return page_lines(f"{title}: {releases}", body, filtered=True)


def _body(
    title: str,
    difference: Difference,
    checks: Sequence[Checked],
    affected: Sequence[Affected],
    rows: int,
    elsewhere: tuple[str, str],
    progress: Advance,
) -> Iterator[str]:
    """The page part by part: what changed at a glance, what is affected, then a section for each kind of change."""
    yield from _opening(title, difference, checks)
    yield filter_box()
    if checks:
        yield from _affected(checks, affected, rows, elsewhere[1])
    for kind, number in difference.counts().items():
        if number:
            section = SECTIONS[kind]
            yield _opened(kind, section.heading, number, section.about)
            names, cells = zip(*section.columns, strict=True)
            shown = islice(difference.changes(kind), rows)
            yield from _table(names, [[cell(change) for cell in cells] for change in shown])
            yield _rest(number, rows, elsewhere[0])
            yield "</details>"
        progress(number)


def _version(terminology: Terminology) -> str:
    return terminology.version or "an undated release"


def _opening(title: str, difference: Difference, checks: Sequence[Checked]) -> Iterator[str]:
    """Title, the two releases, cautions, and the counts as links to their sections."""
    old, new = difference.old, difference.new
    yield f"<h1>{text(title)}</h1>"
    yield (
        f"<p>From <b>{text(f'{old.name} {old.version}')}</b> ({count(_active(old), 'active concept')}) to "
        f"<b>{text(f'{new.name} {new.version}')}</b> ({count(_active(new), 'active concept')}). "
        f"{difference.unchanged:,} of the {count(difference.compared, 'concept')} that both have did not change.</p>"
    )
    for caution in difference.cautions:
        yield f'<p class="caution">{text(caution[:1].upper() + caution[1:])}</p>'
    yield '<nav class="cards">'
    if checks:
        number = sum(checked.affected for checked in checks)
        yield f'<a href="#affected"><b>{number:,}</b> affected in your files</a>'
    for kind, number in difference.counts().items():
        if number:
            yield f'<a href="#{_anchor(kind)}"><b>{number:,}</b> {text(SECTIONS[kind].heading.lower())}</a>'
    yield "</nav>"
    if not any(difference.counts().values()):
        yield "<p>Nothing changed.</p>"


def _active(terminology: Terminology) -> int:
    return int(terminology.statistics.get("active_concepts", 0))


def _anchor(kind: str) -> str:
    return kind.replace(" ", "-")


def _opened(anchor: str, heading: str, number: int, about: str) -> str:
    return (
        f'<details open id="{_anchor(anchor)}"><summary><h2>{text(heading)}</h2> <span class="soft">{number:,} '
        f'<span class="shown"></span></span></summary><p class="soft">{text(about)}</p>'
    )


def _rest(number: int, rows: int, elsewhere: str) -> str:
    if number <= rows:
        return ""
    return f'<p class="caution">{text(f"The first {rows:,} of {number:,} are shown. {elsewhere}".strip())}</p>'


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table without the columns in which no row has anything."""
    kept = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    names = [columns[place] for place in kept]
    cells = ([row[place] for place in kept] for row in rows)
    return table(names, cells, kind="rows", labelled=set(names) - {"id", "concept"})


def _affected(checks: Sequence[Checked], affected: Sequence[Affected], rows: int, elsewhere: str) -> Iterator[str]:
    """What points at concepts that are no longer active, file by file."""
    about = "Rows of the files that were checked whose concept is no longer active, with what to take instead."
    yield _opened("affected", "Affected in your files", len(affected), about)
    for checked in checks:
        yield f'<p class="soft">{text(checked_line(checked))}</p>'
    names = ("id", "concept", "where", "why", "take instead", "consider", "note")
    yield from _table(names, [_affected_cells(each) for each in affected[:rows]])
    yield _rest(len(affected), rows, elsewhere)
    yield "</details>"


def _affected_cells(affected: Affected) -> list[str]:
    outcome = affected.outcome
    where = f"{affected.file}:{affected.line}" if affected.line is not None else affected.file
    return [
        code(outcome.id),
        text(outcome.preferred),
        f'<span class="item">{text(where)}, {text(affected.column)}</span>{_note(affected.text)}',
        text(outcome.why if outcome.recent else f"{outcome.why} before"),
        _links(outcome.replaced_by),
        _links(outcome.consider),
        _note(outcome.note),
    ]


def checked_line(checked: Checked) -> str:
    """What was looked at in a file, in one line whose counts add up to its ids."""
    ids = checked.affected + checked.current + checked.unknown + checked.elsewhere
    rows = count(checked.rows, "row") + (f", {checked.malformed:,} malformed" if checked.malformed else "")
    return (
        f"{checked.file}: {checked.affected:,} of {count(ids, 'id')} no longer active ({checked.recent:,} since the "
        f"old release); {checked.current:,} active, {checked.unknown:,} unknown, {checked.elsewhere:,} of other "
        f"terminologies. Looked at: {', '.join(checked.columns)} of {rows}"
    )


def _id(change: Change) -> str:
    return code(change.id)


def _preferred(change: Change) -> str:
    return text(change.preferred)


def _links(links: Iterable[Link]) -> str:
    return "".join(
        f'<span class="item">{code(link.id)} {text(link.preferred)}{_GONE[link.status]}</span>' for link in links
    )


_GONE = MappingProxyType({"active": "", "unknown": "", "retired": ' <span class="note">(retired)</span>'})


def _note(words: str) -> str:
    return f'<span class="note">{text(words)}</span>' if words else ""


def _said(change: Change) -> str:
    return _note(change.note)


def _before(change: Change) -> str:
    return _marked(change.old, change.new)[0]


def _after(change: Change) -> str:
    return _marked(change.old, change.new)[1]


def _marked(old: str, new: str) -> tuple[str, str]:
    """Both names with the words in which they differ marked."""
    mine, others = _WORD.findall(old), _WORD.findall(new)
    before, after = [], []
    for same, a, b, c, d in difflib.SequenceMatcher(None, mine, others, autojunk=False).get_opcodes():
        left, right = text("".join(mine[a:b])), text("".join(others[c:d]))
        before.append(left if same == "equal" or not left else f"<del>{left}</del>")
        after.append(right if same == "equal" or not right else f"<ins>{right}</ins>")
    return "".join(before), "".join(after)


def _language(change: Change) -> str:
    return text(change.language)


_HEAD: tuple[tuple[str, _Cell], ...] = (("id", _id), ("concept", _preferred))
_INSTEAD: tuple[tuple[str, _Cell], ...] = (
    *_HEAD,
    ("take instead", lambda change: _links(change.replaced_by)),
    ("consider", lambda change: _links(change.consider)),
    ("note", _said),
)
_PAIR: tuple[tuple[str, _Cell], ...] = (("id", _id), ("before", _before), ("after", _after), ("note", _said))
_NAME_PAIR: tuple[tuple[str, _Cell], ...] = (*_HEAD, *_PAIR[1:])

SECTIONS: MappingProxyType[ChangeKind, _Section] = MappingProxyType(
    {
        "added": _Section(
            "Added", "Concepts with an id that the old release does not have.",
            (*_HEAD, ("under", lambda change: _links(change.parents_gained))),
        ),
        "retired": _Section("Retired", "Concepts that are still there, but no longer active.", _INSTEAD),
        "merged": _Section("Merged", "Concepts whose id now means another concept.", _INSTEAD),
        "removed": _Section("Removed", "Concepts whose id is nowhere in the new release.", _HEAD),
        "reinstated": _Section(
            "Reinstated", "Retired concepts that are active again.", (*_HEAD, ("name before", lambda c: text(c.old))),
        ),
        "replacement changed": _Section(
            "Replacements changed", "Concepts retired before, for which the release now names other successors.",
            _INSTEAD,
        ),
        "renamed": _Section("Renamed", "Concepts with another preferred term.", _PAIR),
        "fsn changed": _Section("Fully specified names changed", "Concepts with another fully specified name.", _PAIR),
        "synonym respelled": _Section(
            "Synonyms respelled", "Names that differ from the one before in spelling alone.", _NAME_PAIR
        ),
        "synonym gained": _Section(
            "Synonyms gained", "New names of concepts that are in both releases.",
            (*_HEAD, ("name", lambda c: text(c.new)), ("language", _language), ("note", _said)),
        ),
        "synonym lost": _Section(
            "Synonyms lost", "Names that concepts in both releases no longer have.",
            (*_HEAD, ("name", lambda c: text(c.old)), ("language", _language), ("note", _said)),
        ),
        "moved": _Section(
            "Moved", "Concepts with other parents.",
            (
                *_HEAD,
                ("no longer under", lambda change: _links(change.parents_lost)),
                ("now under", lambda change: _links(change.parents_gained)),
                ("note", _said),
            ),
        ),
    }
)  # fmt: skip
"""How each kind of change is shown."""
