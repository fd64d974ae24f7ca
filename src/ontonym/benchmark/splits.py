"""Splits like WikiUMLS (Rahimi section 3.3): concepts whose page is known by an id, in train, dev and test.

Whole concepts are drawn together with all that have the same meaning or the same page, so that nothing leaks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.artifact import write_artifact
from ontonym.errors import InputError
from ontonym.index.pages import Pages
from ontonym.learning.recipes.links import groups_of, linked_concepts
from ontonym.learning.recipes.split import SPLITS, split_concepts
from ontonym.manifest import Manifest
from ontonym.ranges import check_seed
from ontonym.store import Terminology
from ontonym.store.export.mappings import MappingFacts, write_mappings
from ontonym.store.mappings.rows import JUSTIFICATIONS
from ontonym.tasks.align import known_links
from ontonym.text.strings import mixed
from ontonym.types import Mapping as Statement

RAHIMI = (10.0, 2.0, 5.8)
"""Thousands of concepts in train, dev and test (section 3.3)."""

BY_ID = JUSTIFICATIONS["cross-reference"]


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """``shares`` of train, dev and test, which sum to 1; the draw depends on ``seed`` and the ids of the concepts."""

    shares: tuple[float, float, float] = (RAHIMI[0] / sum(RAHIMI), RAHIMI[1] / sum(RAHIMI), RAHIMI[2] / sum(RAHIMI))
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)


def build_splits(
    source: Terminology,
    pages: Pages,
    path: Path | str,
    options: SplitOptions = SplitOptions(),
    *,
    mappings: Iterable[Statement] = (),
) -> Manifest:
    """Writes ``train.sssom.tsv``, ``dev.sssom.tsv`` and ``test.sssom.tsv``: each concept with its only page.

    A concept belongs to a page if the page has the concept's id, the concept has the page's, or a mapping says that
    they are the same. Concepts with several pages are left out and counted. Raises InputError if no concept has a page.
    """
    links = known_links(source, pages, mappings)
    unique = {row: next(iter(found)) for row, found in sorted(links.items()) if len(found) == 1}
    if not unique:
        raise InputError(
            f"{source.name} and {pages.releases}: no concept is known to have one page. Import pages with their ids in "
            "the terminology (of Wikidata: `linked_to=`), or give `mappings=`"
        )
    splits = _drawn(source, unique, options)
    with write_artifact(path, "benchmark") as writer:
        counts: Counter[str] = Counter()
        for number, split in enumerate(SPLITS):
            rows = (one for one in _rows(source, pages, unique) if splits[source.row(one["subject_id"])] == number)
            about = {
                "mapping_set_id": f"urn:ontonym:{source.fingerprint[:12]}-{pages.fingerprint[:12]}-{split}",
                "mapping_set_title": f"{source.name} to {pages.releases}: {split}",
            }
            counts[split] = write_mappings(
                writer.folder / f"{split}.sssom.tsv", rows, MappingFacts(slots=about), format="sssom"
            ).mappings
        writer.content["identity"] = {
            "source": source.release,
            "pages": pages.fingerprint,
            "options": asdict(options),
        }
        writer.content["statistics"] = {
            **counts,
            "with several pages": len(links) - len(unique),
            "names": _counted_names(source, pages, unique),
        }
    return writer.manifest


def _counted_names(source: Terminology, pages: Pages, unique: Mapping[int, int]) -> dict[str, dict[str, float]]:
    """Rahimi's table 1: the different names of a concept or page on average, and the languages that they are in.

    Of all concepts and pages with a name, and of the aligned ones.
    """
    owners = np.arange(len(source))
    sides = {
        "concepts": [(source, owners, source.active)],
        "aligned concepts": [(source, owners, _marked(owners, unique))],
    }
    for name, wanted in (("pages", pages.numbers()), ("aligned pages", list(unique.values()))):
        sides[name] = [(one, own, _marked(own, wanted)) for one, own in pages.owners()]
    return {name: _averages(side) for name, side in sides.items()}


def _marked(owners: Ints, wanted: Iterable[int]) -> Mask:
    return np.isin(owners, np.fromiter(wanted, dtype=np.int64))


def _averages(side: Sequence[tuple[Terminology, Ints, Mask]]) -> dict[str, float]:
    """The number of concepts or pages, and the averages of those that have a name.

    Each part is a terminology with the concept or page of each of its rows, and those of its rows that count.
    """
    spoken: dict[str, int] = {}
    owned, names, languages = [], [], []
    for terminology, owners, counted in side:
        rows = terminology.term_concepts().astype(np.int64)
        kept = np.flatnonzero(counted[rows] & terminology.term_statuses().among(("active",)))
        own = owners[rows[kept]]
        tags = terminology.term_languages()
        numbers = np.array([spoken.setdefault(tag.split("-")[0], len(spoken)) for tag in tags.names], dtype=np.int64)
        owned.append(own)
        names.append(mixed(own, terminology.term_texts().strings().hashes()[kept]))
        languages.append(mixed(own, numbers[tags.codes[kept]]))
    number, different, in_languages = (len(np.unique(np.concatenate(parts))) for parts in (owned, names, languages))
    each = max(number, 1)
    return {"number": number, "names": round(different / each, 2), "languages": round(in_languages / each, 2)}


def _drawn(source: Terminology, unique: dict[int, int], options: SplitOptions) -> dict[int, int]:
    """The split of each aligned concept, as a position in `SPLITS`."""
    holders: dict[int, list[int]] = defaultdict(list)
    for row, page in unique.items():
        holders[page].append(row)
    shared = [(some[0], other) for some in holders.values() for other in some[1:]]
    links = np.concatenate([linked_concepts([source]), np.array(shared, dtype=np.int64).reshape(-1, 2)])
    meanings = groups_of(len(source), links)
    drawn = split_concepts(source.ids().strings(), meanings, options.shares, options.seed)
    return {row: int(drawn[row]) for row in unique}


def _rows(source: Terminology, pages: Pages, unique: dict[int, int]) -> Iterator[dict[str, str]]:
    for row, page in unique.items():
        yield {
            "subject_id": source.id(row),
            "subject_label": source.preferred(row),
            "predicate_id": "skos:exactMatch",
            "object_id": pages.id(page),
            "object_label": pages.title(page),
            "mapping_justification": BY_ID,
        }
