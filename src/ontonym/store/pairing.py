"""Which concepts of two releases are the same: by id, by merging, or by id under another prefix; and what to know
before the two are compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Hashes, Mask, Rows
from ontonym.store.open import Terminology
from ontonym.text.counting import count
from ontonym.text.strings import Strings, gathered

_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)")


@dataclass(frozen=True, slots=True)
class Pairing:
    """What became of every concept of the old release.

    ``today`` is the row in the new one, -1 where there is none. ``own`` marks the concepts that are still concepts of
    their own; a concept with a row that is not its own was merged into that one. ``prefixes`` are those that all ids
    have changed, old to new.
    """

    today: Rows
    own: Mask
    prefixes: dict[str, str]

    def __len__(self) -> int:
        return len(self.today)


def paired(old: Terminology, new: Terminology) -> Pairing:
    """The concepts of ``old`` with those of ``new`` that they are today."""
    here, there = old.ids().strings().hashes(), new.ids().strings().hashes()
    today = new.find_rows(old.ids().strings())
    own = today >= 0
    own[own] = there[today[own]] == here[own]
    prefixes = _changed_prefixes(old, new, today)
    for before, after in prefixes.items():
        rows = _with_prefix(old, before)
        ids = _locals(old, rows).prefixed(f"{after}:" if after else "")
        found = new.find_rows(ids)
        known = found >= 0
        today[rows[known]] = found[known]
        own[rows[known]] = there[found[known]] == ids.hashes()[known]
    return Pairing(today, own, prefixes)


def cautions(old: Terminology, new: Terminology, pairing: Pairing) -> tuple[str, ...]:
    """What makes a comparison doubtful, in sentences: other names, few common ids, swapped order, other languages."""
    return tuple(
        caution
        for caution in (
            "both are the same release" if old.fingerprint == new.fingerprint else "",
            _other_terminology(old, new, pairing),
            _swapped(old, new),
            *(
                f"the prefix {before or '(none)'} of the old ids is {after or '(none)'} in the new ones: "
                "they are compared as the same"
                for before, after in pairing.prefixes.items()
            ),
            *_other_languages(old, new),
        )
        if caution
    )


def _other_terminology(old: Terminology, new: Terminology, pairing: Pairing) -> str:
    kept = int(np.count_nonzero(pairing.today >= 0))
    share = f"{kept:,} of {count(len(old), 'id')} of the old one are in the new one"
    if old.name != new.name:
        return f"{old.name} and {new.name} have different names, and {share}: are they releases of one terminology?"
    return f"only {share}: are they releases of one terminology?" if 2 * kept < len(old) else ""


def _swapped(old: Terminology, new: Terminology) -> str:
    dates = [_DATE.search(terminology.version) for terminology in (old, new)]
    if dates[0] and dates[1] and dates[0].groups() > dates[1].groups():
        return f"the old release ({old.version}) is dated after the new one ({new.version}): are they swapped?"
    return ""


def _other_languages(old: Terminology, new: Terminology) -> list[str]:
    """Languages of which one of the two has no name at all: mostly a matter of how they were imported."""
    found = []
    for which, one, other in (("old", old, new), ("new", new, old)):
        mine: dict[str, int] = one.statistics.get("terms_by_language", {})
        alone = sorted(mine.keys() - other.statistics.get("terms_by_language", {}).keys())
        if alone:
            names = sum(mine[tag] for tag in alone)
            found.append(
                f"only the {which} one has names in {', '.join(alone)} ({names:,}): was it imported otherwise?"
            )
    return found


def _changed_prefixes(old: Terminology, new: Terminology, today: Rows) -> dict[str, str]:
    """Prefixes of the old ids that are gone, with the new prefix under which most of their ids are found again."""
    gone, come = (
        [prefix for prefix in mine if prefix not in others]
        for mine, others in ((_prefixes(old), _prefixes(new)), (_prefixes(new), _prefixes(old)))
    )
    if not come:
        return {}
    arrived = {prefix: np.unique(_locals(new, _with_prefix(new, prefix)).hashes()) for prefix in come}
    found: dict[str, str] = {}
    for prefix in gone:
        rows = _with_prefix(old, prefix)
        rows = rows[today[rows] < 0]
        hashes = _locals(old, rows).hashes()
        shares = {name: _among(hashes, known) for name, known in arrived.items()}
        likely = max(shares, key=lambda name: shares[name])
        if len(rows) and 2 * shares[likely] > len(rows):
            found[prefix] = likely
    return found


def _among(hashes: Hashes, known: Hashes) -> int:
    return int(np.count_nonzero(np.isin(hashes, known)))


def _prefixes(terminology: Terminology) -> tuple[str, ...]:
    return tuple(terminology.manifest.content["prefixes"])


def _with_prefix(terminology: Terminology, prefix: str) -> Rows:
    """The rows whose id has this prefix; with an empty one those without any."""
    ids = terminology.ids().strings()
    colons = ids.last(ord(":"))
    if not prefix:
        return np.flatnonzero(colons < 0)
    head = np.frombuffer(f"{prefix}:".encode(), dtype=np.uint8)
    starts = ids.offsets[:-1]
    same = colons == starts + len(head) - 1
    for place, byte in enumerate(head):
        same[same] = ids.data[starts[same] + place] == byte
    return np.flatnonzero(same)


def _locals(terminology: Terminology, rows: Rows) -> Strings:
    """What comes after the prefix in the ids of the rows."""
    ids = terminology.ids().strings().take(rows)
    begins = np.maximum(ids.last(ord(":")) + 1, ids.offsets[:-1])
    return gathered(ids.data, begins, ids.offsets[1:] - begins)
