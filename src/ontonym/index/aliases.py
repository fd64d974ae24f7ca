"""The names of a concept that an index searches: what a reranker reads of a candidate."""

from __future__ import annotations

import numpy as np

from ontonym.index.open import Index


def concept_aliases(index: Index, concept: int) -> tuple[str, ...]:
    """The names of a concept number, one of each spelling, the ontology's first, the preferred one at their head;
    then those that were added. Empty where it has none.
    """
    signals = index.signals
    names = signals.names
    terminology, _ = index.locate(concept)
    texts = terminology.term_texts()
    rows = range(int(names.bounds[concept]), int(names.bounds[concept + 1]))
    found = [texts[int(names.terms[row])] for row in rows]
    if signals.added is not None:
        own = np.asarray(signals.added.part.names.bounds)
        found += [signals.added.term(row).text for row in range(int(own[concept]), int(own[concept + 1]))]
    return tuple(dict.fromkeys(found))


def concept_of(index: Index, terminology: str, concept_id: str) -> int:
    """The number of the concept with this very id in the terminology of this name; UnknownIdError where there is none.

    Several terminologies of an index may have the same id.
    """
    offset = 0
    for one in index.terminologies:
        if one.name == terminology:
            return offset + one.row(concept_id)
        offset += len(one)
    return index.number(concept_id)
