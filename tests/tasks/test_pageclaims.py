"""Pages that several concepts claim: the surest concept keeps a page, and the others look further."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from little_pages import CONCEPTS, PAGES
from made import concept
from ontonym.encoder import open_encoder
from ontonym.index.pagebuild import build_pages
from ontonym.index.pages import open_pages
from ontonym.store import Terminology
from ontonym.tasks.align import Aligned, AlignOptions, SecondStage, Weighing, align, default_weights, write_alignment
from ontonym.tasks.align.aligning import PageCandidate
from ontonym.tasks.align.pageclaims import PageClaims


def aligned(row: int, *candidates: tuple[int, float | None]) -> Aligned:
    return Aligned(row, tuple(PageCandidate(page, sure, 0.0, 0.0, 0) for page, sure in candidates))


def pages(one: Aligned) -> list[int]:
    return [each.page for each in one.candidates]


def test_the_surest_concept_keeps_a_page_and_the_other_takes_its_next() -> None:
    found = [aligned(1, (7, 0.95), (8, 0.01)), aligned(2, (7, 0.6), (9, 0.3))]
    first, second = PageClaims(found, {}).settle(found)
    assert first == found[0]
    assert pages(second) == [9, 7]
    likelier, lost = second.candidates
    assert (likelier.claimed_by, lost.claimed_by) == (None, 1)
    left = 0.6 * (1 - 0.9 * 0.95)
    assert lost.confidence == pytest.approx(left / (left + 0.3 + 0.1), abs=1e-6)
    assert likelier.confidence == pytest.approx(0.3 / (left + 0.3 + 0.1), abs=1e-6)


def test_what_is_known_is_claimed_for_certain_but_by_its_own_concepts() -> None:
    found = [aligned(1, (7, 0.9), (8, 0.05)), aligned(2, (7, 0.8))]
    claims = PageClaims(found, {2: frozenset([7]), 3: frozenset([8])})
    first, second = claims.settle(found)
    assert [each.claimed_by for each in first.candidates] == [2, 3]
    assert second == found[1]
    assert first.candidates[0].confidence == pytest.approx(0.09 / (0.09 + 0.005 + 0.05), abs=1e-6)


def test_what_is_denied_and_what_is_hardly_likely_claims_nothing() -> None:
    found = [aligned(1, (7, 0.9)), aligned(2, (7, 0.6)), aligned(3, (8, 0.04)), aligned(4, (8, 0.03))]
    settled = list(PageClaims(found, {}, denied={(1, 7)}).settle(found))
    assert settled[1:] == found[1:]
    assert settled[0] == found[0]


def test_without_confidences_and_among_equals_nothing_changes() -> None:
    found = [aligned(1, (7, None)), aligned(2, (7, None)), aligned(3, (8, 0.5)), aligned(4, (8, 0.5)), aligned(5)]
    assert list(PageClaims(found, {}).settle(found)) == found


def test_confidences_beyond_one_together_keep_their_sum() -> None:
    found = [aligned(1, (7, 1.0)), aligned(2, (7, 0.9), (8, 0.8))]
    _, second = PageClaims(found, {}).settle(found)
    assert pages(second) == [8, 7]
    assert sum(each.confidence or 0 for each in second.candidates) == pytest.approx(1.7, abs=1e-5)


def test_the_alignment_says_whose_page_it_rather_is(
    tmp_path: Path, open_concepts: Callable[..., list[Terminology]]
) -> None:
    feverish = concept("T:20", "Fever, feeling of", parents="T:1")
    source, little = open_concepts([*CONCEPTS, feverish], PAGES)
    build_pages([little], tmp_path / "little.pages")
    second = SecondStage(Weighing(open_encoder(), default_weights()))
    with open_pages(tmp_path / "little.pages") as opened:
        row = source.current("T:20")
        assert row is not None
        (alone,) = align(source, opened, [row], AlignOptions(k=5), second)
        written = write_alignment(source, opened, tmp_path / "a.sssom.tsv", AlignOptions(k=5), second, threshold=0.001)
        (fever,) = (each for each in alone.candidates if opened.id(each.page) == "Wikidata:Q1")
    lines = (tmp_path / "a.sssom.tsv").read_text(encoding="utf-8").splitlines()
    (said,) = (line for line in lines if line.startswith("T:20\t") and "\tWikidata:Q1\t" in line)
    assert said.endswith("rather the page of T:5 Febrile states")
    assert f"\t{fever.confidence:.4f}\t" not in said
    assert written.known == 5
