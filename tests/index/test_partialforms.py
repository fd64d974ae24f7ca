"""Names by nearly all their roots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from built import SMALL, indexed
from ontonym.index import open_index
from ontonym.index.names import Names
from ontonym.index.partialforms import PartialForms, PartialMatches
from ontonym.text.phrasearrays import Phrases

NAMES = (
    "Lesch-Nyhan syndrome",
    "Urinary incontinence",
    "Muscle spasticity",
    "Severe asthma",
    "Cardiac arrest",
    "Disease",
)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Names]:
    rows = "".join(f"[Term]\nid: M:{number}\nname: {name}\n\n" for number, name in enumerate(NAMES))
    folder: Path = tmp_path_factory.mktemp("partial")
    with open_index(indexed(folder, {"made.obo": f"format-version: 1.2\nontology: made\n\n{rows}"}, SMALL)) as index:
        yield index.signals.names


def nearest(forms: PartialForms, words: str) -> tuple[float, float]:
    """The shares of the words and of the name nearest to them."""
    found = forms.nearest(Phrases.of([words.split()]))
    return float(found.of_phrase[0]), float(found.of_name[0])


def test_general_words_hardly_count_and_one_telling_word_may_lack(names: Names) -> None:
    forms = PartialForms(names)
    assert nearest(forms, "lesch nyhan")[1] > 0.8
    assert nearest(forms, "lesch nyhan")[0] == 1
    of_phrase, of_name = nearest(forms, "incontinence")
    assert of_phrase == 1
    assert 0.4 <= of_name <= 0.6
    assert nearest(forms, "asthma")[1] > nearest(forms, "spasticity")[1]
    assert 0.5 < nearest(forms, "renal incontinence urinary")[0] < 1


def test_what_has_no_telling_word_in_common_has_no_match(names: Names) -> None:
    forms = PartialForms(names)
    for words in ("disease", "keyboard", "of the", ""):
        assert nearest(forms, words) == (0, 0)
    assert forms.nearest(Phrases.of([["keyboard"]])).overlaps == 0
    assert len(forms.nearest(Phrases.of([])).of_name) == 0


def test_names_out_of_sight_or_not_allowed_are_not_found(names: Names) -> None:
    (row,) = names.spelled(["urinary", "incontinence"]).tolist()
    assert nearest(PartialForms(names, hidden=np.array([row])), "incontinence") == (0, 0)
    allowed = np.ones(len(NAMES), dtype=np.bool_)
    allowed[names.concepts[row]] = False
    assert nearest(PartialForms(names, allowed), "incontinence") == (0, 0)
    assert nearest(PartialForms(names, allowed), "spasticity")[0] == 1


def test_phrases_are_matched_together_as_alone_and_repeated_words_count_once(names: Names) -> None:
    forms = PartialForms(names)
    phrases = ["urinary incontinence", "keyboard", "", "urinary urinary incontinence", "the severe asthma", "arrest"]
    phrases += ["urinary incontinence cardiac", "arrest cardiac urinary", "lesch muscle"]
    together = forms.nearest(Phrases.of([words.split() for words in phrases]))
    alone = [nearest(forms, words) for words in phrases]
    assert list(zip(together.of_phrase.tolist(), together.of_name.tolist(), strict=True)) == alone
    assert alone[0] == alone[3] == (1, 1)
    assert alone[6][1] == 1  # without one word it is a name
    assert alone[6][0] < 1


def test_the_best_match_is_the_first_of_equal_ones() -> None:
    matches = PartialMatches(np.array([0.5, 1.0, 0.5, 0.2]), np.array([1.0, 0.5, 1.0, 0.2]))
    best = matches.best(np.array([2, 2, 2, 0]), 3)
    assert best.of_phrase.tolist() == [0.2, 0, 0.5]
    assert best.of_name.tolist() == [0.2, 0, 1]
