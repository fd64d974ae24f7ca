"""The page index: encyclopedia pages, found by all names of a concept at once (Rahimi section 3.1).

A page is one document in each of its fields. BM25 adds up the weights of the words of all names in title, aliases and
text; the char signal compares the n-grams of all names with those of title and aliases together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Doubles, Ints
from ontonym.artifact import open_artifact
from ontonym.errors import ArtifactError
from ontonym.index.char import CharSignal
from ontonym.index.handle import Handle
from ontonym.index.inverted import Postings
from ontonym.index.lexical import LexicalSignal
from ontonym.index.names import Names
from ontonym.index.sources import found_place, opened_sources
from ontonym.manifest import Manifest
from ontonym.store import Terminology
from ontonym.store.hierarchy import Edges
from ontonym.text.normalization import key, tokens

FIELDS = ("title", "aliases", "text")
"""The fields that BM25 searches, each by itself; their similarities are added up."""
NAMES = "names"
"""Title and aliases as one document, which the char signal searches."""
SIZES = (1, 2, 3, 4, 5)
"""The n-gram lengths (Rahimi section 3.1)."""
JOINED = "joined"
"""The numbers of the pages that are merged into another page."""

Order = Literal["lexical", "char", "both", "all"]
ORDERS: tuple[Order, ...] = get_args(Order)
"""How candidates are ranked: by BM25, by the char signal, or both in turn; ``all`` puts pages that have exactly a name
of the concept first, which long lists of other names could push out.
"""

_MOST = 1_000_000
"""As `ontonym.index.char.MOST_POSTINGS`: the names of a concept together have many more n-grams than a query."""
_REMEDY = "rebuild with `build_pages()`"
_WIDER = 3
"""BM25 brings so many times the pages that are asked for, of each field."""


@dataclass(frozen=True, slots=True)
class FoundPages:
    """The pages that the names of a concept bring.

    ``pages`` are page numbers, ascending, shape ``(n,)``. ``lexical`` is their BM25 similarity, 0 upward, ``char`` the
    cosine of n-grams in [0, 1], ``same`` how many of the names the page has. Higher is nearer; 0 is nothing in common.
    """

    pages: Ints
    lexical: Doubles
    char: Doubles
    same: Ints

    def best(self, order: Order, k: int) -> Ints:
        """The positions in ``pages`` of the ``k`` best candidates, best first, ties by lower page number."""
        if order in ("lexical", "char"):
            return self._ranked(self.lexical if order == "lexical" else self.char)[:k]
        first = [self._ranked(self.same.astype(np.float64), self.char)] if order == "all" else []
        ranked = [self._ranked(self.lexical), self._ranked(self.char)]
        depth = max(map(len, ranked), default=0)
        turns = [int(some[place]) for place in range(depth) for some in ranked if place < len(some)]
        listed = dict.fromkeys([*(place for some in first for place in some.tolist()), *turns])
        return np.fromiter(listed, dtype=np.int64)[:k]

    def _ranked(self, similarities: Doubles, then: Doubles | None = None) -> Ints:
        order = np.lexsort((self.pages, *([] if then is None else [-then]), -similarities))
        return order[similarities[order] > 0]


_NONE = FoundPages(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))


class _Field:
    """One field of all pages that have it; each such page has a row."""

    def __init__(self, folder: Path) -> None:
        self.names = Names(folder)
        self.postings = Postings.open(folder, len(self.names.vocabulary), len(self.names))
        self.lexical = LexicalSignal(self.names, self.postings)
        self._pages: Ints = np.asarray(self.names.concepts).astype(np.int64)

    def pages(self, rows: Ints) -> Ints:
        """The page of each row."""
        return self._pages[rows]

    def rows(self, pages: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """The row of each page, and whether the page has the field."""
        rows = np.minimum(np.searchsorted(self._pages, pages), len(self._pages) - 1)
        return rows, self._pages[rows] == pages


class Pages(Handle):
    """An open page index; read-only. Pages are numbered through all its terminologies in order."""

    def __init__(self, path: Path, manifest: Manifest, terminologies: tuple[Terminology, ...]) -> None:
        super().__init__(path, manifest, terminologies)
        try:
            self._fields = [_Field(path / name) for name in FIELDS if (path / name).is_dir()]
            self._names = _Field(path / NAMES)
            self._char = CharSignal(path / NAMES, self._names.names, self._names.postings, sizes=SIZES, most=_MOST)
            self._joined = Edges.open(path, JOINED)
        except ValueError as error:
            raise ArtifactError(f"{path}: damaged: {error}; {_REMEDY}") from error

    def __len__(self) -> int:
        return len(self._names.names)

    @property
    def fingerprint(self) -> str:
        """A value that changes whenever a search could find another page."""
        return self.manifest.fingerprint

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the names of pages."""
        return tuple(sorted({name for one in self.terminologies for name in one.term_languages().names}))

    def title(self, page: int) -> str:
        """The title of a page: its preferred name."""
        return self.preferred(page)

    def numbers(self) -> Ints:
        """The numbers of all pages, ascending."""
        return self._names.pages(np.arange(len(self)))

    def find(self, page_id: str) -> int | None:
        """The number of the page with this id, or of the page it was merged into; None for an unknown id."""
        for terminology, offset in zip(self.terminologies, self._offsets, strict=False):
            row = terminology.find(page_id)
            if row is not None:
                return self.page_of(offset + row)
        return None

    def page_of(self, number: int) -> int | None:
        """The page of a concept number: itself, or the page it was merged into; None if it is no page."""
        page = self._owners[[number]]
        _, held = self._names.rows(page)
        return int(page[0]) if held[0] else None

    @cached_property
    def _owners(self) -> Ints:
        """The page of each number: itself, or the page it was merged into."""
        owners = np.arange(self._offsets[-1])
        owners[self._joined.indices] = np.repeat(owners, self._joined.degrees())
        return owners

    def owners(self) -> Iterator[tuple[Terminology, Ints]]:
        """Each terminology with the page number of each of its concepts; one that was merged has that of its page."""
        for terminology, offset in zip(self.terminologies, self._offsets, strict=False):
            yield terminology, self._owners[offset : offset + len(terminology)]

    def parts(self, page: int) -> list[tuple[Terminology, int]]:
        """The concepts of a page, its own first, then those merged into it, as terminologies and rows."""
        return [self.locate(one) for one in (page, *self._joined.of(page).tolist())]

    def names(self, page: int, languages: tuple[str, ...] = ()) -> list[str]:
        """The distinct names of a page, its title first; in ``languages``, empty for all."""
        return list(dict.fromkeys(name for one, row in self.parts(page) for name in one.names(row, languages)))

    def rarity(self, words: Sequence[str]) -> Doubles:
        """The rarity of words among the names of all pages, shape ``(words,)``: BM25's inverse frequency, above 0."""
        names = self._names.names
        numbers = names.word_ids(words)
        return np.array([names.unseen_idf if number is None else names.idf[number] for number in numbers], dtype=float)

    def search(self, names: Sequence[str], k: int) -> FoundPages:
        """The pages nearest to all names of a concept together: the ``k`` best by BM25 and the ``k`` best by n-grams.

        BM25 is summed over the distinct words of all names and over the fields, for pages among the first ``3 k`` of
        some field. Pages that have one of the names are added, at most ``k`` for each name.
        """
        words = list(dict.fromkeys(word for name in names for word in tokens(name)))
        if not words:
            return _NONE
        same = Counter(page for name in dict.fromkeys(map(key, names)) for page in self._named(name, k))
        brought = [np.fromiter(same, dtype=np.int64, count=len(same))]
        brought += [field.pages(field.lexical.nearest(words, _WIDER * k).rows) for field in self._fields]
        query = self._char.query(words)
        pages = np.unique(np.concatenate([*brought, self._names.pages(self._char.nearest(query, k).rows)]))
        if not len(pages):
            return _NONE
        lexical = np.zeros(len(pages))
        for field in self._fields:
            rows, held = field.rows(pages)
            lexical[held] += field.lexical.similarities(words, rows[held])
        rows, _ = self._names.rows(pages)
        having = np.array([same[page] for page in pages.tolist()], dtype=np.int64)
        return FoundPages(pages, lexical, self._char.similarities(query, rows).astype(np.float64), having)

    def _named(self, name: str, most: int) -> set[int]:
        """The pages that have a name, at most ``most`` of each terminology."""
        found: set[int] = set()
        for terminology, offset in zip(self.terminologies, self._offsets, strict=False):
            rows = terminology.rows_named(name)[:most]
            found.update(self._owners[terminology.term_concepts()[rows].astype(np.int64) + offset].tolist())
        numbers = np.fromiter(sorted(found), dtype=np.int64)
        _, held = self._names.rows(numbers)
        return set(numbers[held].tolist())


def open_pages(path: Path | str) -> Pages:
    """Opens the page index at ``path``.

    Raises ArtifactError if it is missing or damaged, MismatchError if a terminology has changed since it was made.
    """

    def load(folder: Path, manifest: Manifest) -> Pages:
        facts = manifest.content
        places = [found_place(folder, place, "terminology") for place in facts["terminologies"]]
        with opened_sources(folder, places, facts["identity"]["terminologies"], _REMEDY) as opened:
            return Pages(folder, manifest, opened)

    return open_artifact(path, "page index", load)
