"""Pages that several concepts claim: an encyclopedia tells of a concept on one page, so a page is likelier that of the
concept that is surest of it, and hardly another's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from ontonym.tasks.align.aligning import Aligned, PageCandidate, PageLinks

_KEPT = 0.1
"""What is left of the confidence in a page that is another concept's for certain."""

_LEAST = 0.05
"""The confidence from which on a concept claims a page."""


class PageClaims:
    """Which concept is surest of each page, in ``found``, the results of a whole alignment.

    Concepts have the pages that are ``known`` for certain; pairs that are ``denied`` (concept row, page) claim nothing.
    It holds a pair of numbers for each page that is claimed.
    """

    def __init__(
        self, found: Iterable[Aligned], known: PageLinks, denied: Collection[tuple[int, int]] = frozenset()
    ) -> None:
        self._surest: dict[int, tuple[float, int]] = {}
        for one in found:
            for each in one.candidates:
                sure = each.confidence or 0.0
                is_surer = sure >= _LEAST and sure > self._surest.get(each.page, (0.0, 0))[0]
                if is_surer and (one.row, each.page) not in denied:
                    self._surest[each.page] = sure, one.row
        self._known: dict[int, set[int]] = defaultdict(set)
        for row, pages in known.items():
            for page in pages:
                self._known[page].add(row)

    def settle(self, found: Iterable[Aligned]) -> Iterator[Aligned]:
        """The results with the confidences that the claims leave, the likeliest page first.

        What a page loses the other candidates, and that there is none, gain in proportion. Results without confidences
        stay as they are.
        """
        for one in found:
            rivals = [self._rival(one.row, each) for each in one.candidates]
            yield _settled(one, rivals) if any(rivals) else one

    def _rival(self, row: int, one: PageCandidate) -> tuple[float, int] | None:
        """How sure another concept is of a page, if it is surer, and its row."""
        if one.confidence is None:
            return None
        owners = self._known.get(one.page, set())
        if owners:
            return None if row in owners else (1.0, min(owners))
        sure, other = self._surest.get(one.page, (0.0, row))
        return (sure, other) if other != row and sure > one.confidence else None


def _settled(one: Aligned, rivals: list[tuple[float, int] | None]) -> Aligned:
    before = [each.confidence or 0.0 for each in one.candidates]
    after = [sure * (1 - (1 - _KEPT) * rival[0]) if rival else sure for sure, rival in zip(before, rivals, strict=True)]
    none = max(1 - sum(before), 0.0)
    grown = (sum(before) + none) / max(sum(after) + none, 1e-12)
    settled = [
        replace(each, confidence=round(sure * grown, 6), claimed_by=rival[1] if rival else None)
        for each, sure, rival in zip(one.candidates, after, rivals, strict=True)
    ]
    return Aligned(one.row, tuple(sorted(settled, key=lambda each: -(each.confidence or 0.0))))
