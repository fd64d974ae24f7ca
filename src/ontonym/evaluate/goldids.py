"""Gold ids that an index does not have: an error where it has none of them, since then every figure would be 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ontonym.errors import InputError
from ontonym.evaluate.corpora import Corpus
from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.text.counting import first_few


def refuse_foreign_gold(
    data: str,
    ids: Iterable[str],
    resolve: Callable[[str], str | None],
    terminologies: Sequence[Terminology],
    hint: str = "",
) -> None:
    """Raises InputError if there are gold ids, and not one of them is known.

    ``data`` names where they are from, and ``hint`` says what else can be done.
    """
    unknown: dict[str, None] = {}
    for one in ids:
        if resolve(one) is not None:
            return
        unknown[one] = None
    if unknown:
        sample = next((terminology.id(0) for terminology in terminologies if len(terminology)), "")
        names = ", ".join(one.name for one in terminologies)
        raise InputError(
            f"{data}: {names} has none of its gold ids ({first_few(unknown)}), so every answer would be wrong. Write "
            f"them as the terminology does, such as {sample}{hint}; a table has them in the column id, and texts in "
            "text"
        )


def refuse_foreign_corpora(corpora: Sequence[Corpus], index: Index) -> None:
    """Raises InputError if corpora have gold ids, and the index has not one of them."""
    ids = (
        one
        for corpus in corpora
        for document in corpus
        for gold in document.mentions
        for part in gold.parts
        for one in part
    )
    data = ", ".join(corpus.path.name for corpus in corpora)
    hint = ", or say with `prefix=` what prefix those written without one have ('' for none)"
    refuse_foreign_gold(data, ids, index.resolve, index.terminologies, hint)
