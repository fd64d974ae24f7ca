"""Making artifacts: terminologies of releases, indexes of terminologies, one's own names, and what changed."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.frames import as_table, library_of
from ontonym.api.given import given_columns, given_places, place_of, several
from ontonym.api.opening import (
    AN_INDEX,
    encoder_place,
    open_terminology,
    terminology_of,
    terminology_places,
    using_index,
    using_terminology,
    warn_of_lost_rows,
)
from ontonym.api.terminologies import TerminologyHandle
from ontonym.encoder import place_of_encoder
from ontonym.encoder.places import installed_folder
from ontonym.errors import InputError
from ontonym.index import Index, IndexOptions
from ontonym.manifest import Manifest
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.tables.columns import ColumnMapping
from ontonym.store import Terminology, refuse_repeats
from ontonym.tasks.optionkeywords import chosen

if TYPE_CHECKING:
    from ontonym.encoder import Encoder
    from ontonym.index import Holding, TermsChange, Updated
    from ontonym.store.diff import Difference
    from ontonym.store.export import TerminologyExport
    from ontonym.types import Progress


def import_release(
    release: Any,
    output: Path | str,
    options: ReadOptions | None = None,
    *,
    format: str | None = None,
    **keywords: Any,
) -> TerminologyHandle:
    """Reads the files of a release into a terminology at ``output``, and opens it.

    ``release`` are files, folders and archives as the publisher sent them, whose ``format`` is detected, or a data
    frame of pandas, polars, Arrow or DuckDB, which is read as a table and has the name of ``output``. Keywords are
    fields of `ReadOptions`: ``languages=("en",)``, ``prefix="LOCAL"``, and of a table ``columns=["id=code",
    "preferred=display"]``, or a dictionary, ``{"id": "code", "preferred": "display"}``. A terminology that is at
    ``output`` is replaced, of whatever release. Warns of rows that are left out, as they are malformed or have no
    name; with ``strict`` malformed ones are an error. Raises FormatError for a file that is not what it should be.
    """
    from ontonym.ontology.formats import read_release
    from ontonym.store import build_terminology

    columns = keywords.get("columns")
    if columns is not None and not isinstance(columns, ColumnMapping):
        keywords = {**keywords, "columns": ColumnMapping.parse(given_columns(columns))}
    how, target = chosen(options, ReadOptions(), keywords), place_of(output)
    if library_of(release):
        how = replace(how, name=how.name or target.stem)
    with as_table(release) as files:
        places = given_places(files, "the path of a release, or several, or a data frame")
        made = build_terminology(read_release(places, format=format, options=how), target, strict=how.strict)
    warn_of_lost_rows(made)
    return open_terminology(target)


def build_index(
    terminologies: Any,
    output: Path | str,
    *,
    encoder: Encoder | Path | str = "default",
    options: IndexOptions | None = None,
    overwrite: bool = True,
    progress: Progress | None = None,
    on: Any = None,
    **keywords: Any,
) -> Manifest:
    """Writes an index over one or several terminologies, open or by their paths, to ``output``; gives its manifest.

    `open_index` opens it then. Names are encoded here, or ``on`` a Dask cluster, as in `normalize`. Keywords are fields
    of `IndexOptions`: ``languages``, ``retired``, ``everyday``. ``output`` may be the URL of a shared index, which is
    loaded from a folder that is gone afterwards. ``encoder`` may be an object of your own with the members of
    `Encoder`, which `open_index` then needs too.
    Raises what `open_terminology` and `open_encoder` raise, and InputError where a terminology is given twice.
    """
    from ontonym.distributed.encoding import encoded_on
    from ontonym.index import build_index as build
    from ontonym.index.shared.address import address_of
    from ontonym.index.shared.places import build_shared, manifest_at

    how, named = chosen(options, IndexOptions(), keywords), encoder_place(encoder)
    with ExitStack() as stack:
        opened = [
            one if isinstance(one, Terminology) else stack.enter_context(open_terminology(one))
            for one in several(terminologies)
        ]
        refuse_repeats(opened)
        place = place_of(output)
        address = address_of(place)
        if address is not None and on is not None:
            raise InputError("`on=` is for an index in a folder: leave it out")
        if address is None:
            wrap = stack.enter_context(encoded_on(on, named))
            return build(opened, place, encoder=named, options=how, overwrite=overwrite, progress=progress, wrap=wrap)
        build_shared(opened, address, encoder=named, options=how, progress=progress)
        return manifest_at(place)


def update(index: Index | Path | str, terminologies: Any, *, encoder: Encoder | Path | str | None = None) -> Updated:
    """Brings an index up to new releases of its terminologies, given by their paths; only new names are encoded."""
    from ontonym.index import update_index

    named = None if encoder is None else encoder_place(encoder)
    return update_index(_index_place(index), terminology_places(terminologies), encoder=named)


def add_terms(index: Index | Path | str, terms: Any, *, who: str = "", why: str = "") -> TermsChange:
    """Adds names of your own to an index: see `IndexHandle.add_terms`."""
    with using_index(index) as opened:
        return opened.add_terms(terms, who=who, why=why)


def remove_terms(index: Index | Path | str, terms: Any, *, who: str = "", why: str = "") -> TermsChange:
    """Removes names of your own from an index: see `IndexHandle.remove_terms`."""
    with using_index(index) as opened:
        return opened.remove_terms(terms, who=who, why=why)


def terms(index: Index | Path | str) -> list[Holding]:
    """The names of your own that an index holds, each with the concept that it has today."""
    with using_index(index) as opened:
        return opened.terms()


def diff(old: Any, new: Any, *, progress: Progress | None = None) -> Difference:
    """What changed between two releases of a terminology, open or by their paths; see `ontonym.store.diff.diff`."""
    from ontonym.store.diff import diff as difference

    return difference(terminology_of(old), terminology_of(new), progress=progress)


def export(
    terminology: Any, target: Path | str, *, format: str | None = None, url: str = "", raw: bool = False
) -> TerminologyExport:
    """Writes a terminology to a file that other software reads: CSV, TSV, JSONL, OBO Graphs or FHIR, by its ending."""
    from ontonym.store.export import export_terminology

    with using_terminology(terminology) as opened:
        return export_terminology(opened, place_of(target), format=format, url=url, raw=raw)


def info(artifact: Any) -> Manifest:
    """What an artifact is and what it was made from: its manifest, of an open one, by its path, or by the name of an
    encoder."""
    from ontonym.index.shared.places import manifest_at

    manifest = getattr(artifact, "manifest", None)
    if isinstance(manifest, Manifest):
        return manifest
    place = installed_folder(place_of_encoder(artifact) or artifact)
    return manifest_at(place_of(place, "the path of an artifact"))


def _index_place(index: Index | Path | str) -> Path:
    return index.opened_as.path if isinstance(index, Index) else place_of(index, AN_INDEX)
