"""NIL as a class: whether a text is more like the texts that have no concept than like those that have one (Xu 3.2), or
holds the place of a name in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ontonym.index import Index
from ontonym.index.added import is_added
from ontonym.index.nil import NilTexts
from ontonym.index.query import Query
from ontonym.index.scan import Representation
from ontonym.tasks.hits import AnyHit, made
from ontonym.tasks.search import SearchOptions, scan_of
from ontonym.tasks.strategy import Module, modules_of
from ontonym.text.placeholders import is_placeholder
from ontonym.types import Hit, Mention


def says_nothing(text: str, preferred: str | None, source: str = "") -> bool:
    """Whether a text holds the place of a name, as in a cell "NULL" or "N/A", and does not mean the concept with this
    preferred term, None for no concept.

    It does mean one that is called so, such as an answer *None* of a questionnaire, or that a user added it to:
    ``source`` is that of the name that matched. A synonym *NULL* or *NA* is not enough, nor is
    *Na(+)*.
    """
    if not is_placeholder(text):
        return False
    is_called_so = preferred is not None and preferred.casefold() == text.strip().casefold()
    return not (is_called_so or is_added(source))


def is_left_empty(mention: Mention, hits: Sequence[Hit]) -> bool:
    """Whether a mention without a passage, such as a cell, says nothing (`says_nothing`)."""
    best = next(iter(hits), None)
    preferred, source = (best.preferred, best.source) if best else (None, "")
    return not mention.passage and says_nothing(mention.text, preferred, source)


def answered_by_nil(
    index: Index, texts: Sequence[str], found: Sequence[Sequence[AnyHit]], options: SearchOptions
) -> set[str]:
    """Those of ``texts``, each with its hits, that the texts of NIL answer under the strategy of the options.

    They are searched where added terms are, as one concept more. The first module of a sieve answers NIL if such a text
    is near enough and nearer than every added term, or as near and added more often; the last one, if it searches added
    terms, if such a text is nearer than every hit. Near is by the signal of the options, by the dense one if all are
    fused. None of them in an index without such texts.
    """
    if index.nil is None:
        return set()
    queries = index.signals.queries(texts)
    *sieves, last = modules_of(index, options.strategy)
    answers: list[bool | None] = [None] * len(queries)
    for module in sieves:
        left = [number for number, answer in enumerate(answers) if answer is None]
        asked = [queries[number] for number in left]
        for number, answer in zip(left, _by_sieve(index, index.nil, asked, module, options), strict=True):
            answers[number] = answer
    if "D" in last.source:
        representation: Representation = "T" if options.signal == "fused" else last.representation  # as in a hit
        matches = index.nil.matches(queries, options.signal, representation)
        for number, (own, hits) in enumerate(zip(matches, found, strict=True)):
            if answers[number] is None:
                nearest = max((_nearness(made(hit), options.signal) for hit in hits), default=-1.0)
                answers[number] = round(own.similarity, 6) > round(nearest, 6)
    return {text for text, answer in zip(texts, answers, strict=True) if answer}


def _by_sieve(
    index: Index, nil: NilTexts, queries: Sequence[Query], module: Module, options: SearchOptions
) -> Iterator[bool | None]:
    """Whether a module of a sieve, which is not its last, answers NIL to each query; None where it answers nothing."""
    believed = index.interpreter.candidates.believed(queries, scan_of(index, options, module), options.sieve, 1)
    for own, choices in zip(nil.matches(queries, options.signal, module.representation), believed, strict=True):
        best = next(iter(choices), None)
        if best is None:
            yield True if own.similarity >= options.sieve else None
        else:
            near, times = float(best.read.similarities[best.place]), int(best.read.evidence.given[best.place])
            yield (round(own.similarity, 6), own.times) > (round(near, 6), times)


def _nearness(hit: Hit, signal: str) -> float:
    """The similarity of a hit by which a strategy compares."""
    return hit.similarity if signal == "fused" else hit.confidence
