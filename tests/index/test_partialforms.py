"""Names by nearly all their roots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from built import SMALL, indexed
from ontonym.index import open_index
from ontonym.index.names import Names
from ontonym.index.partialforms import NO_MATCH, PartialForms

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


def test_general_words_hardly_count_and_one_telling_word_may_lack(names: Names) -> None:
    forms = PartialForms(names)
    assert forms.nearest(["lesch", "nyhan"]).of_name > 0.8
    assert forms.nearest(["lesch", "nyhan"]).of_phrase == 1
    half = forms.nearest(["incontinence"])
    assert half.of_phrase == 1
    assert 0.4 <= half.of_name <= 0.6
    assert forms.nearest(["asthma"]).of_name > forms.nearest(["spasticity"]).of_name
    assert forms.nearest(["renal", "incontinence"]).of_phrase < 1


def test_what_has_no_telling_word_in_common_has_no_match(names: Names) -> None:
    forms = PartialForms(names)
    assert forms.nearest(["disease"]) is NO_MATCH
    assert forms.nearest(["keyboard"]) == NO_MATCH
    assert forms.nearest([]) is NO_MATCH
    assert NO_MATCH.overlap == 0


def test_names_out_of_sight_or_not_allowed_are_not_found(names: Names) -> None:
    (row,) = names.spelled(["urinary", "incontinence"]).tolist()
    assert PartialForms(names, hidden=np.array([row])).nearest(["incontinence"]) == NO_MATCH
    allowed = np.ones(len(NAMES), dtype=np.bool_)
    allowed[names.concepts[row]] = False
    assert PartialForms(names, allowed).nearest(["incontinence"]) == NO_MATCH
    assert PartialForms(names, allowed).nearest(["spasticity"]).of_phrase == 1
