"""Earlier mappings whose files call the codes of the source by another prefix: a vocabulary, a code system, an IRI."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.store.mappings import Row
from ontonym.store.mappings.iris import is_iri, split_id, unescaped
from ontonym.store.mappings.rows import ENDS
from ontonym.text.normalization import key

_SEPARATOR = re.compile(r"[/#:=?_|]")


def with_own_codes(rows: Iterable[Row], source: Terminology, index: Index) -> list[Row]:
    """The rows, in which ids of the source are what the source calls them.

    A site's own codes have no prefix in its list, or the site's, and in a file the prefix that was needed there:
    *000013* is *WARD:000013* in a SOURCE_TO_CONCEPT_MAP, and *http://hospital.example/codes/000013* in RDF. A prefix
    is that of the source where most of its codes that the source has too have the source's name in the file.
    """
    known = list(rows)
    heads = {split_id(source.id(row))[0] for row in range(len(source))}
    if len(heads) != 1:
        return known  # not one list of codes
    head = heads.pop()
    same: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for row in known:
        for end in ENDS:
            for prefix, own in _readings(row.get(end, ""), head, source, index):
                if label := key(row.get(f"{end.removesuffix('id')}label", "")):
                    names = map(key, source.names(source.row(own)))
                    (same if label in names else other)[prefix] += 1
    prefixes = {prefix for prefix, count in same.items() if count > other[prefix]}
    return [_renamed(row, prefixes, head, source, index) for row in known] if prefixes else known


def _renamed(row: Row, prefixes: set[str], head: str, source: Terminology, index: Index) -> Row:
    """The row with the ids of the source for those that have one of the prefixes."""
    named = {
        end: own
        for end in ENDS
        for prefix, own in _readings(row.get(end, ""), head, source, index)
        if prefix in prefixes
    }
    return {**row, **named} if named else row


def _readings(id_: str, head: str, source: Terminology, index: Index) -> Iterator[tuple[str, str]]:
    """The prefixes that an id can have so that the rest is a code of the source, each with the source's id; none for an
    id that the source or the index has.
    """
    if not id_ or source.find(id_) is not None or index.resolve(id_) is not None:
        return
    prefix, _ = split_id(id_)
    ends = [match.end() for match in _SEPARATOR.finditer(id_)] if is_iri(id_) else [len(prefix) + bool(prefix)]
    for end in ends:
        own = f"{head}:{code}" if (code := unescaped(id_[end:])) and head else code
        if source.find(own) is not None:
            yield id_[:end], own
