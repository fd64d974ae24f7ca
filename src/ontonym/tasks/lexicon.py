"""The names that a strategy searches, the ontology's and those that were added, as finding mentions asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ontonym.arrays import Ints, Mask
from ontonym.index import Index
from ontonym.index.evidence import Source
from ontonym.index.windows import Window, Windows, joined
from ontonym.tasks.strategy import modules_of
from ontonym.text.normalization import tokens


class Lexicon:
    """Names by their rows, in which added ones follow the ontology's; `refresh` takes up what was added since."""

    def __init__(self, index: Index, strategy: str) -> None:
        self._index = index
        self._source = _source(index, strategy)
        self._of_ontology = Windows(index.signals.names)
        self._take_up()

    def refresh(self) -> bool:
        """Takes up the terms that were added or removed since; whether there were any."""
        self._index.refresh()
        if self._index.signals is self._signals:
            return False
        self._take_up()
        return True

    def _take_up(self) -> None:
        self._signals = self._index.signals
        self._parts = [(first, part.names) for first, part in self._signals.parts(self._source)]
        self._windows = [Windows(names, first) if first else self._of_ontology for first, names in self._parts]

    def windows(self, words: Sequence[str], opens: Mask, closes: Mask, limits: Ints) -> list[Window]:
        """Every window of the words that is a name, as `Windows.find` has it."""
        return joined([windows.find(words, opens, closes, limits) for windows in self._windows])

    def spelled(self, words: Sequence[str]) -> list[int]:
        """The names with exactly these words, in any order."""
        return [int(row) for row in self._signals.spelled(words, self._source)]

    def concept(self, row: int) -> int:
        """The concept number of a name."""
        first = len(self._signals.names)
        if row >= first and self._signals.added is not None:
            return int(self._signals.added.part.names.concepts[row - first])
        return int(self._signals.names.concepts[row])

    def names_of(self, concept: int) -> Iterator[list[str]]:
        """The words of each name of a concept."""
        for _, names in self._parts:
            for row in range(int(names.bounds[concept]), int(names.bounds[concept + 1])):
                yield names.words_of(row)

    def spellings(self, row: int) -> list[str]:
        """The terms that share a name row."""
        first = len(self._signals.names)
        if row >= first and self._signals.added is not None:
            return [self._signals.added.term(row - first).text]
        terminology, concept = self._index.locate(self.concept(row))
        texts = terminology.term_texts()
        form = sorted(tokens(texts[int(self._signals.names.terms[row])]))
        return [texts[term] for term in terminology.terms_of(concept) if sorted(tokens(texts[term])) == form]


def _source(index: Index, strategy: str) -> Source:
    """All that the modules of a strategy search."""
    searched = {module.source for module in modules_of(index, strategy)}
    return searched.pop() if len(searched) == 1 else "OD"
