"""What annotation remembers of words has a limit, however many texts it reads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from built import SMALL, indexed
from ontonym.index import Index, open_index
from ontonym.tasks import SearchOptions
from ontonym.tasks.annotation.spans import Finder
from ontonym.text.sounds import sound
from ontonym.text.wordroots import stem


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    rows = "id\tpreferred\nW:1\tZinc deficiency\nW:2\tFever\n"
    with open_index(indexed(tmp_path_factory.mktemp("words"), {"made.tsv": rows}, SMALL)) as opened:
        yield opened


def test_what_is_remembered_of_the_words_of_texts_has_a_limit(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontonym.tasks.annotation.stretches._MOST_KNOWN", 100)
    finder = Finder(index, SearchOptions())
    finder.find("Zinc deficiency, fever. " + " ".join(f"newword{number}osis deficiency" for number in range(400)))
    likely = finder._likely
    assert likely is not None
    assert 0 < len(likely._stretches._odds_of_last) <= 100


@pytest.mark.parametrize("remembered", [stem, sound])
def test_what_is_remembered_of_words_has_a_limit(remembered: object) -> None:
    assert remembered.cache_info().maxsize == 1 << 16  # type: ignore[attr-defined]
