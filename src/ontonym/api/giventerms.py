"""Terms of a user, given in any of the forms that `IndexHandle.add_terms` takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.frames import column_names, computed, library_of, texts_in
from ontonym.api.given import given_texts, place_of
from ontonym.errors import InputError, WrongTypeError

if TYPE_CHECKING:
    from ontonym.index import AddedTerm


def given_terms(terms: Any, who: str = "", why: str = "", *, removal: bool = False) -> list[AddedTerm]:
    """Terms of a user in any of the forms that `IndexHandle.add_terms` takes; for a ``removal`` an id alone is one too.

    Raises WrongTypeError for another form.
    """
    from ontonym.evaluate.ownterms import terms_of_file
    from ontonym.files.user import user_name
    from ontonym.index import AddedTerm

    for name, said in (("who", who), ("why", why)):
        if not isinstance(said, str):
            raise WrongTypeError(said, f"a text for `{name}=`")
    if isinstance(terms, str | Path) and not (removal and isinstance(terms, str) and not Path(terms).exists()):
        found: Iterable[Any] = terms_of_file(str(place_of(terms)), removal=removal).terms
    elif isinstance(terms, Mapping):
        found = [(id_, text) for id_, texts in terms.items() for text in given_texts(texts, "texts for each id")]
    elif isinstance(terms, AddedTerm | str):
        found = [terms]
    elif library_of(terms):
        found = _rows_of_terms(terms, removal=removal)
    else:
        found = terms
    wanted = (
        "pairs of id and text, a dictionary from ids to texts, `AddedTerm`s, or a data frame or the path of a table "
        "with the columns id and text, or of a gold corpus"
    )
    if not isinstance(found, Iterable):
        raise WrongTypeError(terms, wanted)

    def term(one: Any) -> AddedTerm:
        pair = (one, "") if isinstance(one, str) and removal else one
        if isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(part, str) for part in pair):
            return AddedTerm(*pair)
        if not isinstance(one, AddedTerm):
            raise WrongTypeError(one, wanted)
        return one

    made = map(term, found)
    return [replace(one, who=one.who or who or user_name(), why=one.why or why) for one in made]


def _rows_of_terms(frame: Any, *, removal: bool) -> list[tuple[str, str]]:
    """The ids and texts of a data frame; InputError for a row that lacks one of them, by its place from 0.

    For a ``removal`` a text may be missing, or the column of texts.
    """
    frame = computed(frame)
    ids = texts_in(frame, "id")
    texts = texts_in(frame, "text") if not removal or "text" in column_names(frame) else [None] * len(ids)
    rows: list[tuple[str, str]] = []
    for place, (id_, text) in enumerate(zip(ids, texts, strict=True)):
        if not id_ or not (text or removal):
            raise InputError(f"row {place} of the data frame has no {'text' if id_ else 'id'}: fill it in, or drop it")
        rows.append((id_, text or ""))
    return rows
