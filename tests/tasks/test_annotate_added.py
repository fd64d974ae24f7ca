"""Mentions that are names only because a user added them: found at once, where the strategy searches added terms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from built import SMALL, imported, random_encoder
from mentioned import found
from ontonym.index import AddedTerm, Index, add_terms, build_index, open_index, remove_terms
from ontonym.index.windows import LONGEST, Windows, joined
from ontonym.store import open_terminology
from ontonym.tasks import STRATEGIES, AnnotateOptions, NormalizeOptions, SearchOptions, annotate, annotate_texts
from ontonym.text.normalization import tokens
from ontonym.types import Mention

TABLE = """id\tpreferred\tabbreviations\tparents
M:1\tDisease\t\t
M:2\tSeizure\t\tM:1
M:3\tHeart failure\t\tM:1
M:4\tAsthma\tSET\tM:1
M:5\tBreast cancer\t\tM:1
"""

TEXT = "Had a funny turn, then heart failure."


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("annotate-added")
    random_encoder(folder / "a.encoder", SMALL)
    imported(folder, {"made.tsv": TABLE})
    return folder


@pytest.fixture
def index(made: Path, tmp_path: Path) -> Iterator[Index]:
    with open_terminology(made / "made.terminology") as terminology:
        build_index([terminology], tmp_path / "a.index", encoder=made / "a.encoder")
    with open_index(tmp_path / "a.index") as opened:
        yield opened


def add(index: Index, concept: str, *texts: str) -> Index:
    add_terms(index.path, [AddedTerm(concept, text, who="ann") for text in texts])
    return index.refreshed()


def by(strategy: str, **options: tuple[str, ...]) -> AnnotateOptions:
    return AnnotateOptions(NormalizeOptions(search=SearchOptions(strategy=strategy, **options)))


def test_a_refreshed_index_finds_added_terms_and_removed_ones_no_more(index: Index) -> None:
    assert found(index, TEXT) == [("heart failure", "M:3")]
    index = add(index, "M:2", "funny turn")
    assert found(index, TEXT) == [("funny turn", "M:2"), ("heart failure", "M:3")]
    remove_terms(index.path, [AddedTerm("M:2", "funny turn")])
    assert found(index.refreshed(), TEXT) == [("heart failure", "M:3")]


def test_a_stream_of_texts_takes_up_what_is_added_between_two(index: Index) -> None:
    def texts() -> Iterator[str]:
        yield TEXT
        add(index, "M:2", "funny turn", "asthma", "asthma", "asthma")
        yield TEXT
        yield "asthma"

    first, second, third = ([(one.text, one.id) for one in each] for each in annotate_texts(index, texts(), at_once=1))
    assert first == [("heart failure", "M:3")]
    assert second == [("funny turn", "M:2"), ("heart failure", "M:3")]
    assert third == [("asthma", "M:2")]  # its own name before, but the added term is believed first


def test_the_answer_to_a_mention_seen_before_changes_with_what_is_added(index: Index) -> None:
    def texts() -> Iterator[str]:
        yield "asthma"
        add(index, "M:2", "asthma")
        yield "asthma"

    answers = [each[0].id for each in annotate_texts(index, texts(), by("D-T+O-T"), at_once=1)]
    assert answers == ["M:4", "M:2"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_strategy_says_which_names_are_looked_for(index: Index, strategy: str) -> None:
    index = add(index, "M:2", "funny turn")
    sources = {module.source for module in STRATEGIES[strategy]}
    options = by(strategy)
    assert [text for text, _ in found(index, TEXT, options)] == [
        *(["funny turn"] if sources != {"O"} else []),
        *(["heart failure"] if sources != {"D"} else []),
    ]


def test_without_added_terms_a_search_of_them_finds_nothing(index: Index) -> None:
    assert found(index, TEXT, by("D-T")) == []
    assert found(index, TEXT, by("D-T+O-T")) == [("heart failure", "M:3")]


@pytest.mark.parametrize(
    ("added", "text", "expected"),
    [
        (("M:3", "acute heart failure on top"), "acute heart failure on top", ["acute heart failure on top"]),
        (("M:3", "blips"), "a Blip, blips", ["Blip", "blips"]),
        (("M:2", "Turns, Funny"), "funny turn", ["funny turn"]),
        (("M:2", "QX"), "QX again", []),
        (("M:2", "QXZ"), "QXZ, qxz", ["QXZ"]),
        (("M:2", "set"), "a set of SET", ["SET"]),
        (("M:2", "turn of the disease"), "a disease", []),
        (("M:5", "ovarian cancer"), "ovarian and breast cancer", ["ovarian and breast cancer"] * 2),
    ],
)
def test_added_terms_are_found_by_the_same_rules(
    index: Index, added: tuple[str, str], text: str, expected: list[str]
) -> None:
    index = add(index, *added)
    assert [written for written, _ in found(index, text)] == expected


def test_an_abbreviation_of_an_added_term(index: Index) -> None:
    index = add(index, "M:2", "funny turn")
    text = "A funny turn (FT) and another FT."
    assert found(index, text) == [("funny turn", "M:2"), ("FT", "M:2"), ("FT", "M:2")]


def test_what_an_added_abbreviation_means_is_known_better(index: Index) -> None:
    """ "Floppy heart muscle (FHM)" is no name, but FHM was added to a concept with a name of all these words."""
    text = "floppy heart muscle (FHM) of FHM"
    assert found(index, text) == []
    index = add(index, "M:3", "FHM", "floppy heart muscle syndrome")
    assert found(index, text) == [("floppy heart muscle", "M:3"), ("FHM", "M:3"), ("FHM", "M:3")]


def test_filters_hold_for_added_terms(index: Index) -> None:
    index = add(index, "M:2", "funny turn")
    index = add(index, "M:3", "pump gone")
    text = "funny turn and pump gone"
    assert found(index, text, by("D-T+OD-T", within=("M:3",))) == [("pump gone", "M:3")]


def test_a_term_added_to_two_concepts_is_ambiguous(index: Index) -> None:
    index = add(index, "M:2", "funny turn")
    index = add(index, "M:3", "funny turn")
    (one,) = annotate(index, "a funny turn")
    assert {hit.id for hit in one.candidates if hit.matched == "funny turn"} == {"M:2", "M:3"}
    assert one.mention == Mention("funny turn", "2-12", "", 2, 12, "made")


def test_windows_of_both_parts_are_those_of_asking_for_every_window(index: Index) -> None:
    index = add(index, "M:2", "funny turn", "heart failure", "turn funny heart")
    signals = index.signals
    words = tokens("funny turn funny heart failure of asthma heart failure")
    everywhere = np.ones(len(words), dtype=np.bool_)
    limits = np.full(len(words), len(words))
    windows = joined(
        [Windows(part.names, first).find(words, everywhere, everywhere, limits) for first, part in signals.parts("OD")]
    )
    one_by_one = {
        (start, end): set(signals.spelled(words[start:end]).tolist())
        for start in range(len(words))
        for end in range(start + 1, min(len(words), start + LONGEST) + 1)
        if len(signals.spelled(words[start:end]))
    }
    assert {(one.start, one.end): set(one.rows) for one in windows} == one_by_one
    assert len(one_by_one) == len(windows)
    assert [one.end - one.start for one in windows] == sorted(one.end - one.start for one in windows)
    assert len(one_by_one[3, 5]) == 2
    in_order = {(one.start, one.end): one.in_order for one in windows}
    assert (in_order[0, 2], in_order[1, 3], in_order[1, 4], in_order[3, 5]) == (True, False, True, True)
