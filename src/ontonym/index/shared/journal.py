"""A user's own terms in a shared index: the journal as a table that only grows, and the part that is searched.

A change is one transaction: the entries of the journal, the new part and the new revision are there together or not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import orjson

from ontonym.artifact import ArtifactWriter
from ontonym.checksums import Checksums, sha256
from ontonym.encoder.protocol import Encoder
from ontonym.errors import InputError
from ontonym.index.added import PART, AddedTerm, Entry, Find, Journal, write_added
from ontonym.index.part import IndexPart
from ontonym.index.shared.database import Database, Transaction
from ontonym.index.shared.mirror import PART as FILE_PART
from ontonym.index.shared.mirror import terms_owner
from ontonym.index.shared.schema import quoted
from ontonym.types import NIL

_KEPT = 2  # revisions whose files stay, for those that are just opening them


def read_journal(database: Database) -> Journal:
    """The journal of the shared index of a database."""
    return _journal(database, quoted(database.address.index))


def stored_journal(transaction: Transaction, schema: str) -> Journal:
    """The journal as a transaction sees it."""
    return _journal(transaction, schema)


def _journal(asked: Database | Transaction, schema: str) -> Journal:
    rows = asked.fetch(
        f"SELECT did, id, text, count, who, written, why FROM {schema}.journal ORDER BY entry"  # noqa: S608 (names are quoted, values go apart)
    )
    return Journal(Entry(did, AddedTerm(*term)) for did, *term in rows)


def write_entries(transaction: Transaction, schema: str, entries: Sequence[Entry], first: int) -> None:
    """Appends entries to the journal; ``first`` is how many it has."""
    rows = []
    for number, entry in enumerate(entries, first):
        term = entry.term
        values = (term.id, term.text, term.count, term.who, term.when, term.why)
        rows.append((number, entry.did, *(v.replace("\0", " ") if isinstance(v, str) else v for v in values)))
    transaction.insert(
        f"INSERT INTO {schema}.journal (entry, did, id, text, count, who, written, why, revision) "  # noqa: S608 (names are quoted, values go apart)
        f"SELECT $1, $2, $3, $4, $5, $6, $7, $8, revision + 1 FROM {schema}.state",
        rows,
    )


def amend(
    transaction: Transaction,
    schema: str,
    journal: Journal,
    find: Find,
    ontology: IndexPart,
    encoder: Encoder,
    old: Path | None,
) -> None:
    """Writes the part of the terms in effect as the next revision. ``old`` is that of the present one, or None.

    Raises InputError for texts of NIL, which only an index in a folder searches.
    """
    if any(term.id == NIL for term in journal.held.values()):
        raise InputError(
            "an index in a database cannot hold texts without a concept (NIL): leave them out, or remove those that "
            "the index has (`remove_terms()`)"
        )
    with tempfile.TemporaryDirectory(prefix="ontonym-terms-") as place:
        folder = Path(place)
        checksums = Checksums(folder)
        try:
            writer = ArtifactWriter(folder, checksums)
            write_added(writer, journal, find, ontology, encoder, old)
        finally:
            checksums.close()
        ((revision,),) = transaction.fetch(
            f"UPDATE {schema}.state SET revision = revision + 1 RETURNING revision"  # noqa: S608 (names are quoted, values go apart)
        )
        files = sorted(file for file in (folder / PART).rglob("*") if file.is_file())
        rows = [
            (terms_owner(revision), file.name, number // FILE_PART, data[number : number + FILE_PART])
            for file in files
            for data in [file.read_bytes()]
            for number in range(0, max(len(data), 1), FILE_PART)
        ]
        transaction.insert(f"INSERT INTO {schema}.file VALUES ($1, $2, $3, $4)", rows)  # noqa: S608 (names are quoted, values go apart)
        added = writer.content.get("added", {}) | {"files": {file.name: sha256(file) for file in files}}
    transaction.fetch(f"UPDATE {schema}.state SET added = $1", orjson.dumps(added).decode())  # noqa: S608 (names are quoted, values go apart)
    transaction.fetch(
        f"DELETE FROM {schema}.file WHERE owner LIKE 'terms-%' AND substr(owner, 7)::bigint <= $1",  # noqa: S608 (names are quoted, values go apart)
        revision - _KEPT,
    )
