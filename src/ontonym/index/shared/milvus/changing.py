"""Changes of users' terms in Milvus, without transactions.

The entries of the journal come first, each a row of its own, so that none is lost whoever else adds some. Then what the
terms in effect are searched by is made of the whole journal, until a state has all entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from ontonym.index.added import Journal
from ontonym.index.open import Index
from ontonym.index.shared.milvus.storage import MilvusStorage
from ontonym.index.shared.mirror import present_terms
from ontonym.index.shared.outgoing import check_terms, searched_terms

T = TypeVar("T")


def change(index: Index, storage: MilvusStorage, changed: Callable[[Journal, Index], T]) -> tuple[bool, T | None]:
    """Whether the change was made, and what it returned; not made if another generation replaced the opened."""
    present = storage.present()
    if present is None or present.fingerprint != index.manifest.fingerprint:
        return False, None
    journal = storage.journal()
    first = len(journal.entries)
    done = changed(journal, index)
    if len(journal.entries) > first:
        check_terms(journal)  # before anything is written: what is in the journal stays there
        storage.write_entries(journal.entries[first:], first)
        searched = search_terms(storage, index)
        while not searched:  # another generation came meanwhile
            with index.opened_as.open() as newer:
                searched = search_terms(storage, newer)
    return True, done


def search_terms(storage: MilvusStorage, index: Index) -> bool:
    """Makes all terms in effect searched, those that others add meanwhile too; False for an index that was replaced."""
    while True:
        present, journal = storage.present(), storage.journal()
        if present is None or present.fingerprint != index.manifest.fingerprint:
            return False
        if present.revision >= len(journal.entries):
            return True
        terms = searched_terms(index, journal, present_terms(storage, storage.state())[1])
        owner = storage.write_terms(terms)
        storage.publish(replace(present, revision=len(journal.entries), terms=owner, added=terms.added))
