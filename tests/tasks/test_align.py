from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from little_pages import CONCEPTS, PAGES
from made import concept
from ontonym.encoder import open_encoder
from ontonym.encoder.protocol import AliasPair, Scores
from ontonym.errors import InputError, UnknownNameError
from ontonym.index.pagebuild import build_pages
from ontonym.index.pages import Pages, open_pages
from ontonym.learning.rerankers.pages import page_groups
from ontonym.store import Terminology
from ontonym.tasks.align import Aligned, AlignOptions, SecondStage, Weighing, align, default_weights, known_links
from ontonym.tasks.align.aligning import alias_set, page_candidates
from ontonym.tasks.align.weighing import FEATURES, features_of
from ontonym.types import Mapping


class Letters:
    """A reranker that knows which letters both sides have in common."""

    fingerprint = "letters"
    weight = 1.0

    def __init__(self) -> None:
        self.pairs: list[AliasPair] = []

    def score(self, pairs: Sequence[AliasPair]) -> Scores:
        self.pairs += pairs
        shares = []
        for one, other in pairs:
            ours, theirs = set("".join(one)), set("".join(other))
            shares.append(len(ours & theirs) / len(ours | theirs))
        return np.clip(np.array(shares), 0.01, 0.99)


@pytest.fixture
def sides(tmp_path: Path, open_concepts: Callable[..., list[Terminology]]) -> Iterator[tuple[Terminology, Pages]]:
    source, little = open_concepts(CONCEPTS, PAGES)
    build_pages([little], tmp_path / "little.pages")
    with open_pages(tmp_path / "little.pages") as pages:
        yield source, pages


@pytest.fixture(scope="module")
def weighing() -> Weighing:
    return Weighing(open_encoder(), default_weights())


def told(source: Terminology, pages: Pages, found: Sequence[Aligned]) -> dict[str, str]:
    """The first page of each concept."""
    return {source.id(one.row): pages.id(one.candidates[0].page) if one.candidates else "" for one in found}


def test_each_concept_gets_its_page(sides: tuple[Terminology, Pages], weighing: Weighing) -> None:
    source, pages = sides
    found = list(align(source, pages, [1, 2, 3, 4, 5, 6], AlignOptions(k=4), SecondStage(weighing)))
    assert told(source, pages, found) == {
        "T:3": "Wikidata:Q2",
        "T:4": "Wikidata:Q8",
        "T:5": "Wikidata:Q1",
        "T:6": "Wikidata:Q7",
        "T:7": "Wikidata:Q11",
        "T:8": "Wikidata:Q12",
    }
    for one in found:
        sure = [candidate.confidence or 0.0 for candidate in one.candidates]
        assert sure == sorted(sure, reverse=True)
        assert 0 < sum(sure) <= 1 + 1e-6
        assert len(sure) <= 4
    (infarction,) = (one for one in found if source.id(one.row) == "T:3")
    assert infarction.candidates[0].same == 2  # Heart attack and 心筋梗塞; Infarction, Myocardial only by its words
    assert infarction.candidates[0].confidence > 0.9  # type: ignore[operator]


def test_what_has_no_page_is_less_sure(sides: tuple[Terminology, Pages], weighing: Weighing) -> None:
    source, pages = sides
    abnormality, fever = align(source, pages, [0, 3], AlignOptions(), SecondStage(weighing))
    assert sum(one.confidence or 0 for one in abnormality.candidates) < 0.5 < (fever.candidates[0].confidence or 0)


def test_languages_are_chosen_for_a_run(sides: tuple[Terminology, Pages], weighing: Weighing) -> None:
    source, pages = sides
    japanese = list(align(source, pages, [1, 2, 3, 5], AlignOptions(languages=("ja",)), SecondStage(weighing)))
    assert told(source, pages, japanese) == {
        "T:3": "Wikidata:Q2", "T:4": "", "T:5": "Wikidata:Q1", "T:7": "Wikidata:Q11"
    }  # fmt: skip
    brought = page_candidates(source, pages, 3, AlignOptions(languages=("ja",)))
    assert brought is not None
    assert brought.names == ("発熱",)
    assert ("発熱",) in brought.known_as
    with pytest.raises(UnknownNameError, match=r"unknown language 'fr'.*de, en, ja"):
        list(align(source, pages, [3], AlignOptions(languages=("fr",))))


def test_alias_sets_are_drawn_and_cut_by_rule() -> None:
    names = [f"name {number}" for number in range(40)]
    drawn = alias_set(names, 8)
    assert drawn[0] == "name 0"
    assert len(set(drawn)) == 8
    assert set(drawn) <= set(names)
    assert drawn == alias_set([names[0], *reversed(names[1:])], 8)  # whatever order the release has
    assert drawn != alias_set(names, 8, seed=1)
    assert drawn[1:] != tuple(names[1:8])
    assert alias_set(["a", "b", "a", "b"], 8) == ("a", "b")


def test_without_a_second_stage_candidates_stay_as_they_are_brought(sides: tuple[Terminology, Pages]) -> None:
    source, pages = sides
    (found,) = align(source, pages, [1], AlignOptions(order="char"), SecondStage())
    brought = page_candidates(source, pages, 1, AlignOptions(order="char"))
    assert brought is not None
    assert [one.page for one in found.candidates] == brought.pages.tolist()[:10]
    assert {one.confidence for one in found.candidates} == {None}


def test_a_reranker_reads_the_names_of_the_likeliest(sides: tuple[Terminology, Pages], weighing: Weighing) -> None:
    source, pages = sides
    letters = Letters()
    (plain,) = align(source, pages, [1], AlignOptions(k=64), SecondStage(weighing))
    (both,) = align(source, pages, [1], AlignOptions(k=64), SecondStage(weighing, letters, depth=3, weight=2.0))
    read = {one.page: one.reranked for one in both.candidates if one.reranked is not None}
    assert set(read) == {one.page for one in plain.candidates[:3]}
    assert [names for names, _ in letters.pairs] == [alias_set(source.names(1), 32)] * 3
    assert {pages.title(page) for page in read} == {names[0] for _, names in letters.pairs}
    before, after = (sum(one.confidence or 0 for one in some.candidates[:3]) for some in (plain, both))
    assert after == pytest.approx(before, abs=1e-4)  # shared out anew among those that were read
    (alone,) = align(source, pages, [1], AlignOptions(k=64), SecondStage(None, letters, depth=3))
    scores = [one.confidence for one in alone.candidates]
    assert scores[:3] == sorted((one for one in scores if one is not None), reverse=True)
    assert set(scores[3:]) == {None}


def test_features_say_what_they_say(sides: tuple[Terminology, Pages], weighing: Weighing) -> None:
    source, pages = sides
    brought = page_candidates(source, pages, 3, AlignOptions())
    assert brought is not None
    table = features_of(weighing.encoder, pages, brought.names, brought.found, brought.places, brought.known_as)
    assert table.shape == (len(brought.places), len(FEATURES))
    right = dict(zip(FEATURES, table[brought.pages.tolist().index(pages.find("Wikidata:Q1"))].tolist(), strict=True))
    assert (right["same"], right["same_title"]) == (1, 0)
    assert right["same_names"] == pytest.approx(np.log(3))  # Pyrexia and 発熱
    assert right["same_others"] == pytest.approx(2 / 3)
    assert right["names"] == pytest.approx(np.log(5))
    assert (right["words"], right["letters"], right["dense"]) == pytest.approx((1, 1, 1), abs=1e-3)
    film = page_candidates(source, pages, 4, AlignOptions())
    assert film is not None
    table = features_of(weighing.encoder, pages, film.names, film.found, film.places, film.known_as)
    remarks = dict(zip(film.pages.tolist(), table[:, FEATURES.index("remark")].tolist(), strict=True))
    assert {pages.id(page) for page, remark in remarks.items() if remark} == {"Wikidata:Q6"}


def test_what_is_known_is_told_by_ids_on_either_side(
    tmp_path: Path, open_concepts: Callable[..., list[Terminology]]
) -> None:
    moved = [
        *CONCEPTS,
        concept("T:10", "Heart failure", xrefs="Wikidata:Q3"),
        concept("T:11", "old", status="retired", replaced_by="T:1"),
        concept("T:12", "Heart"),
    ]
    renamed = [*PAGES, concept("Wikidata:Q20", "Phenotype", xrefs="T:11 X:1")]
    source, little = open_concepts(moved, renamed)
    build_pages([little], tmp_path / "x.pages")
    with open_pages(tmp_path / "x.pages") as pages:
        stated = [
            Mapping("Wikidata:Q4", "skos:exactMatch", "T:12", ""),
            Mapping("T:7", "skos:broadMatch", "Wikidata:Q11", ""),
        ]
        links = known_links(source, pages, stated)
        shown = {source.id(row): sorted(map(pages.id, some)) for row, some in links.items()}
    assert shown == {
        "T:1": ["Wikidata:Q20"], "T:3": ["Wikidata:Q2"], "T:4": ["Wikidata:Q8"], "T:5": ["Wikidata:Q1"],
        "T:6": ["Wikidata:Q7"], "T:8": ["Wikidata:Q12"], "T:10": ["Wikidata:Q3"], "T:12": ["Wikidata:Q4"],
    }  # fmt: skip


def test_groups_teach_the_right_page_among_those_brought(
    sides: tuple[Terminology, Pages], weighing: Weighing
) -> None:  # fmt: skip
    source, pages = sides
    gold = [(1, pages.find("Wikidata:Q2") or 0), (3, pages.find("Wikidata:Q9") or 0), (5, 0)]
    options = AlignOptions(languages=("en",))
    made = page_groups(source, pages, gold, weighing, options, 2, training=True)
    assert (len(made.groups), made.nameless) == (2, 1)
    first, second = made.groups
    assert first.candidates[first.positive][0] == "Myocardial infarction"
    assert len(first.candidates) == len(second.candidates) == 2
    if second.positive >= 0:  # brought by its letters: then it takes the last place
        assert second.candidates[second.positive][0] == "Yellow fever"
        assert second.positive == 1
    judged = page_groups(source, pages, gold[1:2], weighing, options, 1, training=False)
    assert judged.groups[0].positive == -1
    with pytest.raises(InputError, match="no aligned concept has a name in the languages de"):
        page_groups(source, pages, gold, weighing, AlignOptions(languages=("de",)), 2, training=True)


@pytest.mark.parametrize(("name", "value"), [("candidates", 0), ("k", 0), ("aliases", 0)])
def test_numbers_that_make_no_sense_are_told(name: str, value: int) -> None:
    with pytest.raises(InputError, match=f"`{name}=` must be at least 1, not 0"):
        AlignOptions(**{name: value})  # type: ignore[arg-type]


def test_an_unknown_order_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown way to bring candidates 'dense'.*all, both, char, lexical"):
        AlignOptions(order="dense")  # type: ignore[arg-type]
