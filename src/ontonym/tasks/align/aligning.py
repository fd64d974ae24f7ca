"""Alignment of concepts with encyclopedia pages in two stages (Rahimi): candidates for all names, then their ranking.

A page index brings candidates. Countable features of them are weighed, and a reranker, if one is given, reads the names
of concept and page together, in all requested languages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Doubles, Ints
from ontonym.encoder.mixing import mixed
from ontonym.encoder.protocol import Reranker
from ontonym.errors import InputError, UnknownNameError
from ontonym.index.pages import ORDERS, FoundPages, Order, Pages
from ontonym.ontology.options import speaks
from ontonym.ranges import check_range, check_seed
from ontonym.store import Terminology
from ontonym.store.mappings import SAME, stated_mappings
from ontonym.tasks.align.weighing import Weighing
from ontonym.text.strings import hash64
from ontonym.types import Mapping as Statement

PageLinks = Mapping[int, frozenset[int]]
"""Rows of concepts with the numbers of their pages."""

_AT_ONCE = 64
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class AlignOptions:
    """How concepts are aligned.

    ``order`` (`ontonym.index.pages.ORDERS`) brings ``candidates`` pages, of which the best ``k`` are kept.
    ``languages`` (BCP 47 tags, empty for all) select the names that are read on both sides. On each side at most
    ``aliases`` names are read: the preferred one, then others in an order that depends on ``seed`` and their texts, the
    same in every run.
    """

    order: Order = "all"
    candidates: int = 64
    k: int = 10
    languages: tuple[str, ...] = ()
    aliases: int = 32
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.order not in ORDERS:
            raise UnknownNameError("way to bring candidates", self.order, ORDERS)
        for name in ("candidates", "k", "aliases"):
            check_range(name, getattr(self, name), 1)


@dataclass(frozen=True, slots=True)
class SecondStage:
    """How candidates are ranked: by learned weights, and by a reranker's scores with ``weight`` (None: as it learned).

    Without ``weighing`` the reranker's scores alone are the confidences (Rahimi section 3.2); without either,
    candidates keep the order of the first stage. The reranker reads the first ``depth``.
    """

    weighing: Weighing | None = None
    reranker: Reranker | None = None
    depth: int = 64
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class PageCandidate:
    """A candidate page of a concept.

    ``confidence`` is in [0, 1], None if the candidate was neither weighed nor read. ``lexical`` is BM25, 0 upward,
    ``char`` the cosine of n-grams and ``reranked`` the reranker's score, both in [0, 1]; ``reranked`` is None if it was
    not read. ``same`` is the number of the concept's names that the page has. ``claimed_by`` is the row of another
    concept that is surer of the page, None where there is none or nobody asked (`ontonym.tasks.align.pageclaims`).
    """

    page: int
    confidence: float | None
    lexical: float
    char: float
    same: int
    reranked: float | None = None
    claimed_by: int | None = None


@dataclass(frozen=True, slots=True)
class Aligned:
    """A concept, by its row, and its candidates, the most likely first."""

    row: int
    candidates: tuple[PageCandidate, ...]


def align(
    source: Terminology,
    pages: Pages,
    rows: Iterable[int],
    options: AlignOptions = AlignOptions(),
    second: SecondStage = SecondStage(),
) -> Iterator[Aligned]:
    """The candidates of each concept, in the order of ``rows``; processed in batches, so memory is bounded.

    A concept without a name in the languages has none. Raises UnknownNameError for a language that neither side has.
    """
    check_languages(source, pages, options.languages)
    batch: list[int] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _AT_ONCE:
            yield from _aligned(source, pages, batch, options, second)
            batch = []
    yield from _aligned(source, pages, batch, options, second)


@dataclass(frozen=True, slots=True)
class PageCandidates:
    """The first stage's result for a concept: its names, the pages, best first, and the names of each page."""

    names: tuple[str, ...]
    found: FoundPages
    places: Ints
    known_as: tuple[tuple[str, ...], ...]

    @property
    def pages(self) -> Ints:
        """The numbers of the candidates."""
        return self.found.pages[self.places]


def page_candidates(source: Terminology, pages: Pages, row: int, options: AlignOptions) -> PageCandidates | None:
    """The candidates of a concept by the first stage; None if it has no name in the languages."""
    names = source.names(row, options.languages)
    if not names:
        return None
    found = pages.search(names, options.candidates)
    places = found.best(options.order, options.candidates)
    known_as = [pages.names(page, options.languages) or [pages.title(page)] for page in found.pages[places].tolist()]
    return PageCandidates(
        alias_set(names, options.aliases, options.seed),
        found,
        places,
        tuple(alias_set(some, options.aliases, options.seed) for some in known_as),
    )


def alias_set(names: Sequence[str], most: int, seed: int = 0) -> tuple[str, ...]:
    """The names to read: the first, then others ordered by a hash of their text and the seed; at most ``most``."""
    others = sorted(dict.fromkeys(names[1:]), key=lambda name: hash64(f"{seed} {name}"))
    return (names[0], *(name for name in others if name != names[0]))[:most]


def _aligned(
    source: Terminology, pages: Pages, rows: Sequence[int], options: AlignOptions, second: SecondStage
) -> Iterator[Aligned]:
    brought = [page_candidates(source, pages, row, options) for row in rows]
    weighed = [None if one is None else weigh(pages, one, second.weighing) for one in brought]
    asked = []
    for one, confidences in zip(brought, weighed, strict=True):
        order = np.arange(0) if one is None else _order(confidences, len(one.places))[: second.depth]
        asked.append(order)
    scores = _read(brought, asked, second.reranker)
    for row, one, confidences, order, read in zip(rows, brought, weighed, asked, scores, strict=True):
        yield Aligned(row, () if one is None else _ranked(one, confidences, order, read, second)[: options.k])


def weigh(pages: Pages, brought: PageCandidates, weighing: Weighing | None) -> Doubles | None:
    """The confidences of a concept's candidates, or None without weights."""
    if weighing is None:
        return None
    return weighing.confidences(pages, brought.names, brought.found, brought.places, brought.known_as)


def _order(confidences: Doubles | None, count: int) -> Ints:
    return np.arange(count) if confidences is None else np.argsort(-confidences, kind="stable")


def _read(
    brought: Sequence[PageCandidates | None], orders: Sequence[Ints], reranker: Reranker | None
) -> list[Doubles | None]:
    if reranker is None:
        return [None] * len(brought)
    pairs = [
        (one.names, one.known_as[place])
        for one, order in zip(brought, orders, strict=True)
        if one is not None
        for place in order.tolist()
    ]
    scores = reranker.score(pairs)
    edges = np.cumsum([len(order) for order in orders])
    return [*np.split(scores, edges)[: len(orders)]]


def _ranked(
    one: PageCandidates, confidences: Doubles | None, order: Ints, read: Doubles | None, second: SecondStage
) -> tuple[PageCandidate, ...]:
    sure = confidences
    if read is not None:
        assert second.reranker is not None  # noqa: S101 (asked before)
        if sure is None:
            sure = np.full(len(one.places), -1.0)
            sure[order] = read
        else:
            weight = second.reranker.weight if second.weight is None else second.weight
            sure = sure.copy()
            sure[order] = mixed(sure[order], read, weight)
    reranked = {} if read is None else dict(zip(order.tolist(), read.tolist(), strict=True))
    pages = one.pages
    return tuple(
        PageCandidate(
            page=int(pages[place]),
            confidence=None if sure is None or sure[place] < 0 else round(float(sure[place]), 6),
            lexical=float(one.found.lexical[one.places[place]]),
            char=float(one.found.char[one.places[place]]),
            same=int(one.found.same[one.places[place]]),
            reranked=reranked.get(place),
        )
        for place in _order(sure, len(pages)).tolist()
    )


# Known links ------------------------------------------------------------------------------------------------------


def known_links(
    source: Terminology, pages: Pages, mappings: Iterable[Statement] = (), *, ids: bool = True
) -> PageLinks:  # fmt: skip
    """The concepts whose page is known: a page has the concept's id, the concept has the page's, or a mapping says so.

    With ``ids`` false only mappings count. Retired concepts stand for their replacements.
    """
    found: dict[int, set[int]] = defaultdict(set)
    if ids:
        _by_ids(source, pages, found)
    same = [(said.subject_id, said.object_id) for said in mappings if said.predicate_id in SAME]
    for concept_id, page_id in (*same, *((other, one) for one, other in same)):
        row, number = source.current(concept_id), pages.find(page_id)
        if row is not None and number is not None:
            found[row].add(number)
    return {row: frozenset(some) for row, some in found.items()}


def decided_links(
    source: Terminology, pages: Pages, paths: Sequence[str]
) -> tuple[PageLinks, frozenset[tuple[int, int]]]:
    """The pages that concepts are known to have, by ids and mapping files, and the pairs that the files deny.

    Raises InputError for a file that has no mapping between the two.
    """
    links = dict(known_links(source, pages))
    denied: set[tuple[int, int]] = set()
    for path in paths:
        stated = known_links(source, pages, stated_mappings([path]), ids=False)
        denials = known_links(source, pages, stated_mappings([path], denied=True), ids=False)
        if not stated and not denials:
            raise InputError(f"{path}: no mapping between {source.name or source.path} and {pages.releases}")
        links.update(stated)
        denied.update((row, page) for row, some in denials.items() for page in some)
    return links, frozenset(denied)


def _by_ids(source: Terminology, pages: Pages, found: dict[int, set[int]]) -> None:
    offset = 0
    for terminology in pages.terminologies:
        for owner, known in _referenced(terminology, source):
            row, page = source.current(known), pages.page_of(offset + owner)
            if row is not None and page is not None:
                found[row].add(page)
        offset += len(terminology)
    xrefs = source.lists("xrefs")
    for row in np.flatnonzero(source.active).tolist():
        for xref in xrefs[row]:
            if (number := pages.find(xref)) is not None:
                found[row].add(number)


def _referenced(pages: Terminology, source: Terminology) -> Iterator[tuple[int, str]]:
    """The rows of pages for each source id among their cross-references, in blocks."""
    lists = pages.lists("xrefs")
    bounds = np.asarray(lists.bounds)
    for start in range(0, len(lists.values), _BLOCK):
        held = source.find_rows(lists.values.strings(start, min(start + _BLOCK, len(lists.values)))) >= 0
        for place in (np.flatnonzero(held) + start).tolist():
            yield int(np.searchsorted(bounds, place, side="right")) - 1, lists.values[place]


def check_sides(source: Terminology, pages: Pages) -> None:
    """Raises InputError if there is no concept to align or both sides are the same."""
    if not source.active.any():
        raise InputError(f"{source.name or source.path}: no active concept to align")
    if any(one.fingerprint == source.fingerprint for one in pages.terminologies):
        raise InputError(f"{source.path}: is what the pages of {pages.path} were made from: both sides are the same")


def check_languages(source: Terminology, pages: Pages, wanted: Sequence[str]) -> None:
    """Raises UnknownNameError for a language in which neither side has a name; it lists those that one has."""
    known = sorted({*source.term_languages().names, *pages.languages})
    for language in wanted:
        if not any(speaks(one, (language,)) for one in known):
            raise UnknownNameError("language", language, known)
