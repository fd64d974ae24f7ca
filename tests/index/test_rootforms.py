"""Names by the roots of their words: which ones a form has, of some kinds and concepts, read once for an index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ontonym.index import IndexOptions
from ontonym.index.partialforms import PartialForms
from ontonym.index.rootforms import RootForms, root_hash
from ontonym.tasks import annotate
from ontonym.types import KINDS

TERMS = [
    'id: T:1\nname: Swelling of ankle\nsynonym: "Ankle swelling" EXACT layperson []',
    "id: T:2\nname: Fever",
    "id: T:3\nname: Pain",
]


@pytest.fixture
def index(workshop: Any) -> Any:
    return workshop.index(workshop.terminology("made", *TERMS), options=IndexOptions(everyday=False))


def names_of(index: Any, forms: RootForms, words: str) -> list[tuple[str, str]]:
    form = np.uint64(sum(map(root_hash, words.split())) & 0xFFFFFFFFFFFFFFFF)
    rows = forms.rows_of(form)
    assert bool(forms.has(np.array([form]))[0]) == bool(rows)
    return sorted((index.id(int(index.signals.names.concepts[row])), index.term(row).text) for row in rows)


def test_names_of_some_kinds_and_concepts(index: Any) -> None:
    (_, part), *_ = index.signals.parts("O")
    every = part.root_forms(frozenset(KINDS))
    both = [("T:1", "Ankle swelling"), ("T:1", "Swelling of ankle")]
    assert names_of(index, every, "ankle swelling") == both
    assert names_of(index, part.root_forms(frozenset(KINDS) - {"lay"}), "ankle swelling") == both[1:]
    some = every.only(part.names.concepts != part.names.concepts[every.rows_of(np.uint64(root_hash("pain")))[0]])
    assert names_of(index, some, "ankle swelling") == both
    assert names_of(index, some, "pain") == []
    assert names_of(index, every, "pain") == [("T:3", "Pain")]
    assert names_of(index, every.only(np.zeros(len(part.names), bool)), "pain") == []


def test_the_names_of_an_index_are_read_once_however_many_texts_are_annotated(
    index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[type] = []
    for one in (RootForms, PartialForms):
        begin = one.__init__

        def counted(self: Any, *given: Any, begin: Any = begin, **more: Any) -> None:
            made.append(type(self))
            begin(self, *given, **more)

        monkeypatch.setattr(one, "__init__", counted)
    found = [[one.id for one in annotate(index, "Her ankles were swelling, no pain.")] for _ in range(3)]
    assert found[0] == found[1] == found[2]
    assert "T:3" in found[0]
    assert sorted(one.__name__ for one in made) == ["PartialForms", "RootForms"]
