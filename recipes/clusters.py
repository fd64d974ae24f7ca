"""What the contextual encoder learns from: texts that mean the same, in clusters, from open sources alone.

A cluster is a concept with its names and definitions, joined with the same concept of other terminologies, with what
people call it every day (``text/everyday.tsv``), its abbreviations (``text/lexicon.tsv``), or a WordNet synset with its
gloss.
"""

from __future__ import annotations

import csv
import json
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "benchmarks"))

from ontonym.arrays import Ints32  # noqa: E402
from ontonym.index.everyday import everyday_names  # noqa: E402
from ontonym.store import Terminology  # noqa: E402
from ontonym.text.normalization import canonical  # noqa: E402
from wordlists import abbreviations, corpus_strings, synsets  # noqa: E402

GROUPS = ("terminology", "everyday", "wordnet", "abbreviation")
TERMINOLOGY, EVERYDAY, WORDNET, ABBREVIATION = range(4)
NAME, LAY, DEFINITION = range(3)
"""Kinds of texts."""

_LONGEST_NAME = 100
_LONGEST_DEFINITION = 160
_LONGEST_GLOSS = 100
_MOST_DEFINITIONS = 2
_HELD_SHARE = 6
_SPELLED = {"orphanet": "Orphanet", "orphanet.ordo": "Orphanet", "icd10cm": "ICD10CM", "mesh": "MESH"}
"""How our readers write the prefixes of mappings; all others in capitals."""

Names = dict[str, tuple[str, int]]
"""The names of a cluster by the form in which they are compared, each with its kind."""


@dataclass(slots=True)
class Clusters:
    """``texts`` with the cluster (``owners``) and kind of each, by cluster; ``groups`` by cluster: a place in `GROUPS`.

    ``related``, shape ``(k, 2)``, are a cluster and one that it is a kind of. ``counts`` say what was left out.
    """

    texts: list[str]
    owners: Ints32
    kinds: npt.NDArray[np.int8]
    groups: npt.NDArray[np.int8]
    related: Ints32
    counts: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.groups)

    def save(self, folder: Path) -> None:
        """Writes the clusters into a folder, for `read_clusters`."""
        (folder / "texts.txt").write_text("".join(f"{text}\n" for text in self.texts), encoding="utf-8")
        (folder / "counts.json").write_text(json.dumps(self.counts, indent=1) + "\n", encoding="utf-8")
        np.savez(
            folder / "clusters.npz", owners=self.owners, kinds=self.kinds, groups=self.groups, related=self.related
        )


def read_clusters(folder: Path) -> Clusters | None:
    """The clusters saved in a folder; None if there are none."""
    if not (folder / "clusters.npz").is_file():
        return None
    texts = (folder / "texts.txt").read_text(encoding="utf-8").split("\n")[:-1]
    with np.load(folder / "clusters.npz", allow_pickle=False) as arrays:
        return Clusters(texts, **arrays, counts=json.loads((folder / "counts.json").read_text(encoding="utf-8")))


def is_held(concept_id: str) -> bool:
    """Whether a concept of HPO is one that no training may see, so that unseen concepts can be measured."""
    return concept_id.startswith("HP:") and zlib.crc32(concept_id.encode(), 3) % 100 < _HELD_SHARE


def make_clusters(
    terminologies: list[Terminology], data: Path, wordnet: Path, is_unseen: Callable[[str], bool]
) -> Clusters:
    """The clusters of all sources.

    ``is_unseen`` says of a name whether it is left out, so that what is learned over this encoder later (the ranking)
    meets names that it has not seen. Every string of the dev corpora that is no name of a terminology is left out too.
    """
    joined = _Joined(terminologies, data)
    drafts = _Drafts(joined, data)
    drafts.add_said(EVERYDAY, everyday_names())
    drafts.add_said(ABBREVIATION, (([meaning], [written]) for written, meaning in abbreviations()))
    drafts.add_wordnet(wordnet)
    return drafts.clusters(is_unseen)


class _Joined:
    """The concepts of several terminologies, numbered end to end, and which of them are the same concept."""

    def __init__(self, terminologies: list[Terminology], data: Path) -> None:
        self.terminologies = terminologies
        self.starts: list[int] = np.concatenate([[0], np.cumsum([len(one) for one in terminologies])]).tolist()
        self.counts: Counter[str] = Counter()
        self._above = list(range(self.starts[-1]))
        self._place = np.repeat(np.arange(len(terminologies)), np.diff(self.starts)).tolist()
        self._first: dict[str, int] = {}
        self._join_ids()
        self._join_mapped(data)
        self._join_named()

    def root(self, one: int) -> int:
        """The number that stands for all that are the same as ``one``."""
        above = self._above
        while above[one] != one:
            above[one] = above[above[one]]
            one = above[one]
        return one

    def rows(self, terminology: Terminology, start: int) -> Iterator[tuple[int, int]]:
        """The rows of the active concepts of a terminology, each with its root."""
        for row in np.flatnonzero(terminology.active).tolist():
            yield row, self.root(start + row)

    def _join(self, one: int, other: int) -> None:
        self._above[self.root(other)] = self.root(one)

    def _each(self) -> Iterator[tuple[Terminology, int]]:
        yield from zip(self.terminologies, self.starts, strict=False)

    def _join_ids(self) -> None:
        for terminology, start in self._each():
            for row, concept_id in enumerate(terminology.ids()):
                if concept_id in self._first:
                    self._join(self._first[concept_id], start + row)
                else:
                    self._first[concept_id] = start + row

    def _join_mapped(self, data: Path) -> None:
        """Joins what cross-references and curated exact mappings link one to one."""
        links: set[tuple[int, int]] = set()
        for terminology, start in self._each():
            if terminology.name == "icd10cm":
                continue  # what ICD-10-CM is linked to is as a rule broader or narrower
            for row in range(len(terminology)):
                for xref in terminology.concept(row).xrefs:
                    other = self._first.get(xref)
                    if other is not None and self._place[other] != self._place[start + row]:
                        links.add((min(other, start + row), max(other, start + row)))
        for subject, target in _mapped(data):
            one, two = self._first.get(subject), self._first.get(target)
            if one is not None and two is not None and one != two:
                links.add((min(one, two), max(one, two)))
        ends = Counter((node, self._place[other]) for link in links for node, other in (link, link[::-1]))
        for one, two in sorted(links):
            if ends[one, self._place[two]] == 1 and ends[two, self._place[one]] == 1:
                self.counts["concepts joined by mappings"] += 1
                self._join(one, two)

    def _join_named(self) -> None:
        """Joins concepts of several terminologies whose preferred terms are equal, and no others of theirs."""
        named: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for place, (terminology, start) in enumerate(self._each()):
            for row in np.flatnonzero(terminology.active).tolist():
                named[canonical(terminology.preferred(row))][place].append(start + row)
        for form, places in named.items():
            nodes = [nodes[0] for nodes in places.values() if len(nodes) == 1]
            if not form or len(nodes) < 2 or len(nodes) < len(places):
                continue
            for node in nodes[1:]:
                if self.root(node) != self.root(nodes[0]):
                    self.counts["concepts joined by equal preferred terms"] += 1
                    self._join(nodes[0], node)


class _Drafts:
    """Clusters while they are put together: those of terminologies by root, and free ones."""

    def __init__(self, joined: _Joined, data: Path) -> None:
        self._joined, self._counts = joined, joined.counts
        self._names: dict[int, Names] = defaultdict(dict)
        self._definitions: dict[int, list[str]] = defaultdict(list)
        self._called: dict[str, int] = {}
        self._held: set[int] = set()
        self._free: list[tuple[int, Names, list[str]]] = []
        self._read()
        self._barred = corpus_strings(data) - set(self._called)
        self._counts["strings of the dev corpora that are no names"] = len(self._barred)

    def _read(self) -> None:
        synonyms: dict[str, int] = {}
        for terminology, start in zip(self._joined.terminologies, self._joined.starts, strict=False):
            for row, root in self._joined.rows(terminology, start):
                concept = terminology.concept(row)
                if is_held(concept.id):
                    self._held.add(root)
                for number, term in enumerate(concept.terms):
                    if term.language != "en" or len(term.text) > _LONGEST_NAME or term.scope in ("broad", "related"):
                        continue
                    form, kind = canonical(term.text), LAY if term.kind == "lay" else NAME
                    if form and (form not in self._names[root] or kind == LAY):
                        self._names[root][form] = (term.text, kind)
                    (synonyms if number else self._called).setdefault(form, root)
                self._definitions[root] += [text for text in concept.definitions if text]
        for form, root in synonyms.items():
            self._called.setdefault(form, root)

    def add_said(self, group: int, lists: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
        """Adds what stands for clinical names: to the concept that has the first of them, or as its own cluster."""
        for clinical, said in lists:
            root = next((self._called[form] for form in map(canonical, clinical) if form in self._called), None)
            names: Names = {} if root is None else self._names[root]
            for text in said:
                form = canonical(text)
                if form in self._barred:
                    self._counts["phrases left out as strings of the dev corpora"] += 1
                elif form and form not in self._called:
                    names[form] = (text, LAY)
            if root is None:
                names.update({form: (text, NAME) for text in clinical if (form := canonical(text)) not in self._barred})
                self._free.append((group, names, []))

    def add_wordnet(self, folder: Path) -> None:
        """Adds a cluster for every synset of WordNet."""
        for lemmas, gloss, _ in synsets(folder):
            names: Names = {}
            for text in lemmas:
                form = canonical(text)
                if form in self._barred:
                    self._counts["words of WordNet left out as strings of the dev corpora"] += 1
                elif form:
                    names[form] = (text, NAME)
            self._free.append((WORDNET, names, [gloss]))

    def clusters(self, is_unseen: Callable[[str], bool]) -> Clusters:
        """All clusters but those held out, without the names that are unseen or those of a concept held out."""
        roots = [root for root in self._names if root not in self._held]
        held_forms = {form for root in self._held for form in self._names[root]}
        self._counts["clusters held out"] = len(self._held)
        texts: list[str] = []
        owners: list[int] = []
        kinds: list[int] = []
        drafts = [(TERMINOLOGY, self._names[root], self._definitions[root]) for root in roots] + self._free
        for number, (group, names, definitions) in enumerate(drafts):
            for form, (text, kind) in names.items():
                if form in held_forms:
                    self._counts["names left out as names of a concept held out"] += 1
                elif group == TERMINOLOGY and is_unseen(text):
                    self._counts["names held out"] += 1
                else:
                    texts.append(" ".join(text.split()))
                    owners.append(number)
                    kinds.append(kind)
            longest = _LONGEST_GLOSS if group == WORDNET else _LONGEST_DEFINITION
            for definition in definitions[:_MOST_DEFINITIONS]:
                text = " ".join(definition.split())[:longest]
                if text and canonical(text) not in self._barred:
                    texts.append(text)
                    owners.append(number)
                    kinds.append(DEFINITION)
        self._counts["clusters"], self._counts["texts"] = len(drafts), len(texts)
        groups = np.array([group for group, _, _ in drafts], dtype=np.int8)
        return Clusters(
            texts, np.array(owners, dtype=np.int32), np.array(kinds, dtype=np.int8), groups,
            self._related({root: number for number, root in enumerate(roots)}), dict(self._counts),
        )  # fmt: skip

    def _related(self, numbers: dict[int, int]) -> Ints32:
        joined, pairs = self._joined, set()
        for terminology, start in zip(joined.terminologies, joined.starts, strict=False):
            for row in range(len(terminology)):
                one = numbers.get(joined.root(start + row))
                for parent in terminology.hierarchy.parents(row).tolist() if one is not None else ():
                    two = numbers.get(joined.root(start + parent))
                    if two is not None and one != two:
                        pairs.add((one, two))
        return np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2)


def _mapped(data: Path) -> Iterator[tuple[str, str]]:
    """Exact mappings of SSSOM files, ids with the prefixes of our readers."""
    places = sorted((data / "mondo_sssom").glob("mondo_exactmatch_*.sssom.tsv"))
    for place in [*places, data / "biomappings/positive.sssom.tsv"]:
        with place.open(encoding="utf-8", newline="") as lines:
            rows = csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t")
            for row in rows:
                if row["predicate_id"] == "skos:exactMatch":
                    yield _curie(row["subject_id"]), _curie(row["object_id"])


def _curie(written: str) -> str:
    prefix, _, code = written.partition(":")
    return f"{_SPELLED.get(prefix.lower(), prefix.upper())}:{code}"
