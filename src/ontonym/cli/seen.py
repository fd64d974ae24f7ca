"""``--seen``: what training had seen, for telling zero-shot questions apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ontonym.evaluate.corpora import told_format
from ontonym.evaluate.questions import Seen, Target
from ontonym.evaluate.texts import annotated_texts, excluded_names, first_line
from ontonym.ontology.xrefs import curie
from ontonym.store import open_terminology


def read_seen(places: Sequence[str], target: Target) -> Seen:
    """All texts, and the target's concepts, of some terminologies, tables of texts and ids, corpora and lists of names.

    A file with a tab in its first line is a table; a list of names has one a line. Raises FormatError for a file that
    cannot be read as any of these.
    """
    seen = Seen()
    for place in places:
        if Path(place).is_dir():
            _add_terminology(place, target, seen)
        elif told_format(place) or "\t" in first_line(place):
            texts, _ = annotated_texts([place])
            ids = {curie(one) for _, one in texts}
            seen.add((text for text, _ in texts), (known for one in ids if (known := target.resolve(one)) is not None))
        else:
            seen.add(excluded_names([place]))
    return seen


def _add_terminology(place: str, target: Target, seen: Seen) -> None:
    with open_terminology(place) as terminology:
        seen.add(terminology.term_texts())
        seen.add((), (known for one in terminology.ids() if (known := target.resolve(one)) is not None))
