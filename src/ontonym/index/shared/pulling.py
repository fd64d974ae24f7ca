"""Copies a shared index into a folder, byte for byte what was loaded, with the present terms of users."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ontonym.artifact import ArtifactWriter, Manifest, write_artifact
from ontonym.index.added import write_added
from ontonym.index.open import Index
from ontonym.index.part import IndexPart
from ontonym.index.place import noted_place
from ontonym.index.shared.backend import PostgresBackend
from ontonym.index.shared.journal import read_journal
from ontonym.index.shared.mirror import IN_TABLES, copy_files, index_owner, kept_files
from ontonym.index.shared.opening import backend_of
from ontonym.store.columns import NumberWriter, save_numbers
from ontonym.store.lookup import HashLookup
from ontonym.types import Progress

_NAMES = 1 << 14
_WORDS = 1 << 14


def pull_index(index: Index, path: Path | str, *, overwrite: bool = True, progress: Progress | None = None) -> Manifest:
    """Copies an open shared index into the folder ``path``, and gives its manifest.

    The copy names the terminologies where this machine keeps them (`ontonym.index.place.cache_folder`); give others
    with ``terminologies`` when it is opened elsewhere.
    """
    path = Path(path)
    with write_artifact(path, "index", overwrite=overwrite) as writer:
        fill_folder(writer, index, path, progress)
    assert writer.manifest is not None  # noqa: S101 (set when the block ends)
    return writer.manifest


def fill_folder(writer: ArtifactWriter, index: Index, path: Path, progress: Progress | None = None) -> None:
    """Writes all files of a shared index into the folder of a writer."""
    backend = backend_of(index.signals)
    folder, files = writer.folder, {name: {"sha256": entry.sha256} for name, entry in index.manifest.files.items()}
    copy_files(backend.database, index_owner(index.manifest.fingerprint), kept_files(files, IN_TABLES), folder)
    _write_names(folder, backend, len(index), progress)
    _write_words(folder, backend, progress)
    writer.content |= {name: value for name, value in index.manifest.content.items() if name != "added"}
    writer.content["terminologies"] = [noted_place(one.path, path) for one in index.terminologies]
    journal = read_journal(backend.database)
    write_added(writer, journal, index.find, IndexPart(folder), index.encoder, None)


def _write_names(folder: Path, backend: PostgresBackend, names: int, progress: Progress | None) -> None:
    """Writes the vectors of names, and the lookup of their words."""
    forms = np.empty(names, dtype=np.uint64)
    with (folder / "dense.rows").open("w+b") as vectors, (folder / "dense.codes").open("w+b") as codes:
        scales = NumberWriter(folder, "dense_scale", np.float32)
        for start in range(0, names, _NAMES):
            statement = (
                f"SELECT row, form, scale, code, vector FROM {backend.name} "  # noqa: S608 (names are quoted, values go apart)
                "WHERE row >= $1 AND row < $2 ORDER BY row"
            )
            rows = backend.database.fetch(statement, start, start + _NAMES)
            forms[start : start + len(rows)] = np.array([row[1] for row in rows], dtype=np.int64).view(np.uint64)
            scales.extend(np.array([row[2] for row in rows], dtype=np.float32))
            codes.write(b"".join(row[3].bytes for row in rows))
            vectors.write(b"".join(row[4] for row in rows))
            if progress:
                progress("copying names", start + len(rows), names)
        scales.close()
        for stream, name, dtype in ((codes, "dense_sign", np.uint8), (vectors, "dense_int8", np.int8)):
            stream.flush()
            save_numbers(folder, name, np.memmap(stream.name, dtype=dtype, mode="r").reshape(names, -1))
    for name in ("dense.rows", "dense.codes"):
        (folder / name).unlink()
    HashLookup.build(folder, "form", forms, np.arange(names))


def _write_words(folder: Path, backend: PostgresBackend, progress: Progress | None) -> None:
    """Writes the inverted lists."""
    lists, worths = NumberWriter(folder, "word_name", np.uint32), NumberWriter(folder, "word_worth", np.float32)
    words = len(np.load(folder / "word_name.rows.npy", mmap_mode="r")) - 1
    for start in range(0, words, _WORDS):
        statement = (
            f"SELECT rows, worths FROM {backend.posting} "  # noqa: S608 (names are quoted, values go apart)
            "WHERE word >= $1 AND word < $2 ORDER BY word"
        )
        found = backend.database.fetch(statement, start, start + _WORDS)
        lists.extend(np.frombuffer(b"".join(row[0] for row in found), dtype="<u4"))
        worths.extend(np.frombuffer(b"".join(row[1] for row in found), dtype="<f4"))
        if progress:
            progress("copying words", start + len(found), words)
    lists.close()
    worths.close()
