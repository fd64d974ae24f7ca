"""One change between two releases, and the kinds there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ontonym.store.replacement import Link

Kind = Literal[
    "added", "retired", "merged", "removed", "reinstated", "replacement changed", "renamed", "fsn changed",
    "synonym respelled", "synonym gained", "synonym lost", "moved",
]  # fmt: skip
"""What can become of a concept.

``added``: a concept with a new id. ``retired``: still there, no longer active. ``merged``: its id is an alternative
id of another concept. ``removed``: its id is nowhere. ``reinstated``: active again. ``replacement changed``: it was
retired before, and other concepts are said to take its place. ``renamed``: another preferred term. ``fsn changed``:
another fully specified name. ``synonym respelled``: a name that differs only in spelling from the one before.
``synonym gained``, ``synonym lost``: a name of any kind. ``moved``: other parents.
"""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""The kinds of change, in the order in which they are told."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one concept.

    ``preferred`` is its preferred term today, and of a concept that is no longer active the last one that it had while
    it was. ``old`` and ``new`` are the names before and after, ``language`` is theirs (where the published successors
    changed, ``old`` are those before). ``parents_lost`` and ``parents_gained`` tell a move; an added concept gained its
    parents. ``replaced_by`` are the active concepts that take the place of one that is no longer active, ``consider``
    weaker suggestions. ``note`` says more in words.
    """

    kind: Kind
    id: str
    preferred: str
    old: str = ""
    new: str = ""
    parents_lost: tuple[Link, ...] = ()
    parents_gained: tuple[Link, ...] = ()
    replaced_by: tuple[Link, ...] = ()
    consider: tuple[Link, ...] = ()
    language: str = ""
    note: str = ""
