"""Names from the open terminologies in the data folder: real names for generated concepts, by kind."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import gcd
from pathlib import Path

import numpy as np

from ontonym.ontology.formats import read_release

from .draws import Bools, Bytes, Draws, Ints
from .grammar import capitalized, change_suffix, variant_suffix
from .kinds import GERMAN, KINDS, SYNONYMS
from .render import table
from .words import british

Names = tuple[str, ...]

_LONGEST = 200
_DISEASES = ("hpo/hp.obo.gz", "doid/doid_2016-09-19.obo", "doid/orphanet_import.obo", "gard/gard.obo")
_POOLS = {"body structure": "anatomy", "specimen": "anatomy", "substance": "substances", "clinical drug": "substances"}
_DISEASE_TAGS = ("disorder", "finding", "situation", "morphologic abnormality", "event")


def data_folder() -> Path:
    """The folder of open data: ``ONTONYM_DATA``, else ``../shared/data`` beside the repository.

    Raises:
        FileNotFoundError: it does not exist.
    """
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("ONTONYM_DATA", default))
    if not folder.is_dir():
        raise FileNotFoundError(f"no data folder at {folder}: set ONTONYM_DATA to where the open terminologies lie")
    return folder


def _read(paths: Iterable[Path]) -> Iterator[tuple[str, Names]]:
    """Id and names of every active concept."""
    for path in paths:
        for concept in read_release([path]).concepts():
            if concept.status == "active":
                yield concept.id, tuple(dict.fromkeys(term.text for term in concept.terms))


def _tables(folder: Path) -> Iterator[Names]:
    with (folder / "mesh/mesh_id_label_mappings.tsv").open(encoding="utf-8") as stream:
        for line in stream:
            _, label, entries = [*line.rstrip("\n").split("\t"), ""][:3]
            yield (label, *(entry for entry in entries.split("|") if entry and entry != label))


def _compounds(folder: Path) -> Iterator[Names]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    with (folder / "chebi/chebi_names.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            found[row["COMPOUND_ID"]][row["NAME"]] = None
    for names in found.values():
        yield tuple(names)


def _codes(folder: Path) -> Iterator[Names]:
    """The long titles of the ICD-10-CM order file."""
    with (folder / "icd10cm/icd10cm-order-Jan-2021.txt").open(encoding="utf-8") as stream:
        for line in stream:
            yield (line[77:].strip(),)


def _translations(folder: Path) -> dict[str, str]:
    with (folder / "hpo_translations/hp-de.babelon.tsv").open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["subject_id"]: row["translation_value"] for row in rows if row["predicate_id"] == "rdfs:label"}


@dataclass(frozen=True, slots=True)
class _Pool:
    """The names of one kind of concept: for each, the row of its first name, how many follow, its German name's row.

    ``american`` and ``british`` hold all names in both spellings.
    """

    first: Ints
    count: Ints
    german: Ints
    american: Bytes
    british: Bytes
    differs: Bools

    @classmethod
    def of(cls, concepts: Iterable[tuple[Names, str]]) -> _Pool:
        """The pool of concepts with their German names or empty ones, but for preferred names that came before."""
        taken: set[str] = set()
        first, count, german = [], [], []
        names: list[str] = []
        for terms, translated in concepts:
            usable = [term for term in terms if term and len(term.encode()) <= _LONGEST and term.isprintable()]
            if not usable or usable[0].casefold() in taken:
                continue
            taken.add(usable[0].casefold())
            first.append(len(names))
            names += usable[: SYNONYMS + 1]
            count.append(len(usable[: SYNONYMS + 1]))
            german.append(len(names) if translated else -1)
            names += [translated] if translated else []
        spelled = [british(name) for name in names]
        differs = np.array([names[at] != spelled[at] for at in first])
        return cls(np.array(first), np.array(count), np.array(german), table(names), table(spelled), differs)

    def __len__(self) -> int:
        return len(self.first)


class OpenNames:
    """Names of open terminologies under one seed (see ``Namer``); German ones are HPO's.

    Where there are more concepts than names, names come back as variants with a number.
    """

    def __init__(self, draws: Draws, folder: Path | None = None) -> None:
        """Reads the terminologies; ``folder`` is the data folder where it is None.

        Raises:
            FileNotFoundError: there is no data folder, or a file is missing in it.
        """
        self._draws = draws
        data = folder or data_folder()
        german = _translations(data)
        diseases = [(names, german.get(each, "")) for each, names in _read(data / name for name in _DISEASES)]
        anatomy = [(names, "") for _, names in _read([data / "uberon/craft_UBERON.obo.zip"])]
        self._pools = {
            "diseases": _Pool.of([*diseases, *((names, "") for names in _codes(data))]),
            "anatomy": _Pool.of(anatomy),
            "substances": _Pool.of((names, "") for names in _compounds(data)),
            "general": _Pool.of((names, "") for names in _tables(data)),
        }

    def differs(self, kinds: Ints, members: Ints) -> Bools:
        """Whether the preferred name is spelled differently in Great Britain."""
        found = np.zeros(len(kinds), dtype=bool)
        for pool, rows in self._parts(kinds):
            chosen, _ = self._chosen(pool, kinds[rows], members[rows])
            found[rows] = pool.differs[chosen]
        return found

    def worded(self, kinds: Ints, members: Ints, wordings: Ints) -> Bools:
        """Whether there is a name of this wording: as many synonyms as the concept has, one German name."""
        found = np.zeros(len(kinds), dtype=bool)
        for pool, rows in self._parts(kinds):
            chosen, _ = self._chosen(pool, kinds[rows], members[rows])
            own = wordings[rows]
            german = (own == GERMAN) & (pool.german[chosen] >= 0)
            found[rows] = (own < pool.count[chosen]) & (own <= SYNONYMS) | german
        return found

    def names(self, kinds: Ints, members: Ints, wordings: Ints, changes: Ints, british: Bools) -> Bytes:
        """The names, padded with NUL and with a capital first; the preferred one where there is none of the wording."""
        width = max(pool.american.shape[1] for pool in self._pools.values())
        turns = np.zeros(len(kinds), dtype=np.int64)
        cells = np.zeros((len(kinds), width), dtype=np.uint8)
        for pool, rows in self._parts(kinds):
            chosen, turns[rows] = self._chosen(pool, kinds[rows], members[rows])
            own = wordings[rows]
            at = pool.first[chosen] + np.where(own < pool.count[chosen], own, 0)
            at = np.where((own == GERMAN) & (pool.german[chosen] >= 0), pool.german[chosen], at)
            for spelled, table_ in ((british[rows], pool.british), (~british[rows], pool.american)):
                cells[rows[spelled], : table_.shape[1]] = table_[at[spelled]]
        suffixes = [variant_suffix(turns), change_suffix(self._draws, kinds, members, changes)]
        return capitalized(np.concatenate([cells, *suffixes], axis=1))

    def _parts(self, kinds: Ints) -> Iterator[tuple[_Pool, Ints]]:
        tags = [kind.tag for kind in KINDS]
        named = ["diseases" if tag in _DISEASE_TAGS else _POOLS.get(tag, "general") for tag in tags]
        for name, pool in self._pools.items():
            rows = np.flatnonzero(np.array([each == name for each in named])[kinds])
            if len(rows):
                yield pool, rows

    def _chosen(self, pool: _Pool, kinds: Ints, members: Ints) -> tuple[Ints, Ints]:
        """The concept of the pool that each concept takes its names from, and which turn of the pool it is."""
        stride = int(len(pool) * 0.6180339887) | 1
        while gcd(stride, len(pool)) != 1:
            stride += 2
        turns, rest = np.divmod(members, len(pool))
        return (rest * stride + kinds * 7919) % len(pool), turns
