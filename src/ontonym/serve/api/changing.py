"""What writes, and what is asked of what was written: a user's own terms, and the decisions of reviews."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ontonym.errors import InputError
from ontonym.evaluate.ownterms import OwnTerms, add_own_terms, remove_own_terms
from ontonym.index import holdings
from ontonym.serve.api.parameters import ApiValues
from ontonym.serve.library import Opened, chosen
from ontonym.serve.reviews import (
    decided_summary,
    disagreement_words,
    item_shape,
    list_shape,
    progress_shape,
    undone_summary,
)
from ontonym.serve.terms import added_summary, held_shape, removed_summary
from ontonym.tasks.review import open_review, seen_in

PATIENCE = 5.0
"""How many seconds who decides waits for another who decides in the same review."""


def terms_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The terms that were added to an index, those of one concept where its id is given."""
    index = opened.index(given["index"])
    held = [held_shape(one) for one in holdings(index) if given["id"] in ("", one.term.id, one.concept)]
    return {"total": len(held), "terms": held[given["offset"] : given["offset"] + given["count"]]}


def add_term_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """Adds a term to an index in the name of the key's name; searches find it from now on."""
    index = opened.index(given["index"])
    own = OwnTerms(terms=((given["id"], given["text"]),), who=given["who"], why=given["why"], strict=True)
    return dict(added_summary(str(index.path), add_own_terms(index.opened_as, own)).shape)


def remove_term_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """Removes an added term from an index in the name of the key's name."""
    index = opened.index(given["index"])
    own = OwnTerms(terms=((given["id"], given["text"]),), who=given["who"], why=given["why"])
    summary = removed_summary(str(index.path), remove_own_terms(index.opened_as, own))
    if summary.failure:
        raise InputError(summary.failure)
    return dict(summary.shape)


def reviews_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The reviews with their progress."""
    found = []
    for name, path in opened.reviews.items():
        with open_review(path, "reader", read_only=True) as review:
            found.append({"name": name, **progress_shape(review)})
    return {"reviews": found}


def review_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The source concepts of a review that a filter and a search leave, most urgent first, a page of them."""
    with open_review(_review(opened, given), given["who"] or "reader", read_only=True) as review:
        listed = review.listed(given["filter"], given["search"])
        shown = listed[given["offset"] : given["offset"] + given["count"]]
        return list_shape(review, given["filter"], listed, shown) | {"offset": given["offset"]}


def review_item_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """A source concept of a review, with its candidates and where it stands."""
    with open_review(_review(opened, given), given["who"] or "reader", read_only=True) as review:
        item = review.resolved(given["id"])
        return item_shape(item, review.standing(item.id))


def decide_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """Decides on a source concept in the name of the key's name, who has read it in the ``version`` that is given."""
    seen = seen_in(given["version"]) if given["version"] else None
    with open_review(_review(opened, given), given["who"], patience=PATIENCE) as review:
        made = review.decide(
            given["id"], given["verdict"], given["target"], label=given["label"], also=given["also"],
            comment=given["comment"], seen=seen,
        )  # fmt: skip
        notice = disagreement_words(review.standing(made.source), made) if made else ""
        return {**decided_summary(review, given["id"]).shape, "notice": notice or None}


def undo_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """Undoes what the key's name did last in a review, or does it again."""
    with open_review(_review(opened, given), given["who"], patience=PATIENCE) as review:
        event = review.redo() if given["redo"] else review.undo()
        if event is None:
            raise InputError(f"there is nothing of {given['who']} to {'do again' if given['redo'] else 'undo'}")
        return dict(undone_summary(event, redo=given["redo"]).shape)


def _review(opened: Opened, given: ApiValues) -> Path:
    if not opened.reviews:
        raise InputError("no review is served here: `review=STATE` names one when the server is started")
    return chosen("review", given["review"], opened.reviews)
