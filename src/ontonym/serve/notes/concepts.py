"""One row for each concept of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ontonym.documents import Document
from ontonym.serve.notes.branches import Branches
from ontonym.tasks.documents import MarkAnswer

CONCEPT_COLUMNS = ("document", "id", "preferred", "branch", "context", "mentions", "confidence", "texts", "sections")
"""The columns; ``context`` is what the text says of all mentions in the row, since a concept that is negated in one
place and not in another has a row for each. ``confidence`` is the highest, ``texts`` are the different mentions,
``sections`` the headings above them."""


def concept_rows(document: Document, found: Sequence[MarkAnswer], branches: Branches) -> Iterator[list[str]]:
    """The rows of a document, in the order of the first mentions; mentions without a concept are left out."""
    rows: dict[tuple[str, tuple[str, ...]], list[MarkAnswer]] = {}
    for one in found:
        if one.answer.id is not None:
            rows.setdefault((one.answer.id, one.context or ()), []).append(one)
    for (id_, context), ones in rows.items():
        names = (hit.preferred for one in ones for hit in one.answer.candidates if hit.id == id_)
        texts = dict.fromkeys(" ".join(one.mark.mention.text.split()) for one in ones)
        surest = max(one.answer.confidence for one in ones)
        yield [
            document.id, id_, next(names, ""), branches[id_], "|".join(context), str(len(ones)), f"{surest:.4f}",
            "|".join(texts), "|".join(dict.fromkeys(one.section for one in ones if one.section)),
        ]  # fmt: skip
