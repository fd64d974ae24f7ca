"""Opens any artifact at a path, by its kind; and the index or terminology that an argument means."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ontonym.api.given import given_places, name_or_place, place_if_given, place_of, several
from ontonym.api.terminologies import TerminologyHandle
from ontonym.artifact import is_url, open_artifact, read_manifest
from ontonym.encoder import is_model_folder, is_name, place_of_encoder
from ontonym.encoder.own import own_name
from ontonym.encoder.places import OWN
from ontonym.errors import ArtifactError, FormatError, InputError, WrongTypeError
from ontonym.manifest import MANIFEST, Manifest
from ontonym.store import Terminology
from ontonym.text.counting import count

if TYPE_CHECKING:
    from ontonym.api.handles import IndexHandle
    from ontonym.encoder import Encoder, Reranker
    from ontonym.index.pages import Pages

_OURS = ("ontonym", "contextlib")
"""The modules of ours, and those by which they call each other."""

AN_INDEX = "an index: its path, or what `ontonym.open()` made of it"
A_TERMINOLOGY = "a terminology: its path, or what `ontonym.open()` made of it"
AN_ENCODER = 'an encoder: its path, or a name such as "default"'
AN_OPEN_ENCODER = f"{AN_ENCODER}, or what `ontonym.open_encoder()` made of it"


def open(path: Path | str) -> Any:
    """What is at a path, ready to use, whatever kind of artifact it is.

    An index (`IndexHandle`) searches, normalizes and annotates; a terminology (`TerminologyHandle`) gives concepts by
    their ids; encoders, rerankers, page indexes, training examples, sets of similar names, reviews and files of
    mappings are opened too, and names of encoders (``default``). What it gives has the type ``Any``: `open_index` and
    `open_terminology` give theirs. Raises ArtifactError where there is nothing, or something else.
    """
    if isinstance(path, str) and is_name(path):
        return open_encoder(path)
    place = place_of(path, "the path of an artifact")
    if place.is_file() and place.suffix != ".onnx":
        from ontonym.tasks.review.journal import is_review

        if is_review(place):
            from ontonym.api.reviewing import open_review

            return open_review(place)
        from ontonym.store.mappings import read_mappings

        try:
            return read_mappings(place)
        except FormatError as error:
            release = "A release or a table of a terminology is read by `import_release`"
            hint = f"{error.hint}. {release}" if error.hint else release
            raise FormatError(error.path, error.problem, line=error.line, hint=hint) from None
    if not (place / MANIFEST).is_file() and is_model_folder(place):
        return open_encoder(place)
    kind = "index" if is_url(place) else read_manifest(place).kind
    if kind not in OPENERS:
        raise ArtifactError(f"{place}: is of kind {kind}, which `ontonym.open()` does not know")
    return OPENERS[kind](place)


def open_index(
    path: Path | str,
    *,
    terminologies: Sequence[Path | str] | None = None,
    encoder: Encoder | Path | str | None = None,
    lexicon: Path | str | None = None,
) -> IndexHandle:
    """The index at ``path``, open, with the terminologies and the encoder it was made from. Close it, or use ``with``.

    These are looked for beside the index first, then where they were; ``terminologies`` and ``encoder`` give other
    places, and an ``encoder`` of your own has to be given. ``lexicon`` is a TSV file of abbreviations, whose meanings
    take the place of those that come with the package. Raises ArtifactError if a source of the index is missing,
    MismatchError if one has changed since.
    """
    from ontonym.api.handles import IndexHandle
    from ontonym.index.open import IndexPlace

    place = IndexPlace(
        place_of(path, AN_INDEX),
        tuple(given_places(terminologies, A_TERMINOLOGY)) if terminologies is not None else (),
        None if encoder is None else encoder_place(encoder),
        place_if_given(lexicon),
    )
    return place.open_as(IndexHandle)


def open_terminology(path: Path | str) -> TerminologyHandle:
    """The terminology at ``path``, open. Close it, or use ``with``.

    Raises `ArtifactError` where the folder is missing, damaged, or of another kind or format version.
    """

    def load(folder: Path, manifest: Manifest) -> TerminologyHandle:
        made = TerminologyHandle._load(folder, manifest)
        assert isinstance(made, TerminologyHandle)  # noqa: S101 (for mypy)
        return made

    return open_artifact(place_of(path, A_TERMINOLOGY), "terminology", load)


def open_encoder(place: Path | str = "default") -> Encoder:
    """The encoder at a place: a folder of ours, of sentence-transformers or Hugging Face, a file of word vectors, or a
    name: ``default``, ``static``, ``contextual``, ``hub:owner/model``. See `ontonym.encoder.open_encoder`.
    """
    from ontonym.encoder import open_encoder as opened

    return opened(name_or_place(place, AN_ENCODER))


def sentence_transformer(place: Encoder | Path | str = "default") -> Any:
    """The encoder at a place as a ``SentenceTransformer`` of sentence-transformers (needs ontonym[train]).

    Its vectors are those of `open_encoder`. ``SentenceTransformer(folder, trust_remote_code=True)`` opens the same
    folder where ontonym is installed: the flag lets it import the class of ontonym that the folder names.
    """
    from ontonym.encoder.module import sentence_transformer as made

    return made(encoder_place(place))


def open_reranker(place: Path | str) -> Reranker:
    """The reranker in a folder, or the form of one that a file inside it holds."""
    from ontonym.encoder import open_reranker as opened

    return opened(place_of(place, "the path of a reranker"))


def open_pages(path: Path | str) -> Pages:
    """The page index at ``path``, open, for `ontonym.align`. Close it, or use ``with``."""
    from ontonym.index.pages import open_pages as opened

    return opened(place_of(path, "the path of a page index, or what `ontonym.open()` made of it"))


def _open_examples(path: Path) -> Any:
    from ontonym.learning.recipes import open_examples

    return open_examples(path)


def _open_benchmark(path: Path) -> Any:
    from ontonym.benchmark.sets import open_sets

    return list(open_sets(path))


OPENERS: Mapping[str, Callable[[Path], Any]] = MappingProxyType(
    {
        "index": open_index,
        "terminology": open_terminology,
        "encoder": open_encoder,
        "reranker": open_reranker,
        "page index": open_pages,
        "pairs": _open_examples,
        "benchmark": _open_benchmark,
    }
)
"""How each kind of artifact is opened."""


@contextmanager
def using_index(given: object) -> Iterator[IndexHandle]:
    """The index that an argument means: one that is open stays open, one that is opened here is closed again.

    Raises WrongTypeError for anything but a path or an index, InputError for a terminology.
    """
    from ontonym.api.handles import IndexHandle
    from ontonym.index import Index

    if isinstance(given, Index):
        yield given if isinstance(given, IndexHandle) else given.as_kind(IndexHandle)
        return
    if isinstance(given, Terminology):
        raise InputError(f"{given.path}: is a terminology; make an index of it with `build_index()`")
    place = place_of(given, AN_INDEX)
    if (place / MANIFEST).is_file() and (kind := read_manifest(place).kind) != "index":
        how = "; make an index of it with `build_index()`" if kind == "terminology" else "; give an index"
        raise InputError(f"{place}: is of kind {kind}{how}")
    with open_index(place) as opened:
        yield opened


@contextmanager
def using_terminology(given: object, columns: Sequence[str] = ()) -> Iterator[Terminology]:
    """The terminology that an argument means, as `using_index`; a release or table is read as it is, with a warning of
    rows that are lost.

    ``columns`` are those of a table, as `open_or_read` takes them.
    """
    if isinstance(given, Terminology):
        if columns:
            raise InputError("`columns=` is for a table, and a terminology is given: leave it out")
        yield given
        return
    from ontonym.store.build import open_or_read

    place = place_of(given, A_TERMINOLOGY)
    with open_or_read(place, columns) as opened:
        if opened.path != place:
            warn_of_lost_rows(opened.manifest)
        yield opened


def warn_of_lost_rows(made: Manifest) -> None:
    """A warning that says how many rows of a release were left out because they are malformed, and why the first is, or
    because their concept has no name.
    """
    from ontonym.ontology.tables.rows import NAMELESS

    reader = made.content["reader"]
    lost = []
    if malformed := reader["rows"]["malformed"]:
        first = next((f"; the first: line {one['line']}, {one['problem']}" for one in reader["malformed_examples"]), "")
        lost.append(f"{count(malformed, 'malformed row')} left out{first}")
    if nameless := reader["rows"]["skipped"].get(NAMELESS, 0):
        lost.append(f"{count(nameless, 'row')} left out whose concept has no name")
    if lost:
        warnings.warn("; ".join(lost), stacklevel=_outside())


def _outside() -> int:
    """The level of the stack, as `warnings.warn` counts it for who calls this, where the code of the user is."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    return level


@contextmanager
def using_terminologies(given: object) -> Iterator[list[Terminology]]:
    """The terminologies that an argument means, one or several, as `using_terminology`."""
    with ExitStack() as stack:
        yield [stack.enter_context(using_terminology(one)) for one in several(given)]


@contextmanager
def using_pages(given: Pages | Path | str) -> Iterator[Pages]:
    """The page index that an argument means: one that is open stays open, one that is opened here is closed again."""
    from ontonym.index.pages import Pages

    if isinstance(given, Pages):
        yield given
        return
    with open_pages(given) as opened:
        yield opened


def terminology_places(given: object, wanted: str = A_TERMINOLOGY) -> list[Path]:
    """The paths of one terminology or several, given by their paths or open; ``wanted`` says what else may be meant."""
    return [one.path if isinstance(one, Terminology) else place_of(one, wanted) for one in several(given)]


def terminology_of(given: object) -> Terminology:
    """The terminology that an argument means, which stays open for what is made of it."""
    return given if isinstance(given, Terminology) else open_terminology(place_of(given, A_TERMINOLOGY))


def encoder_of(given: object) -> Encoder:
    """The encoder that an argument means."""
    return open_encoder(encoder_place(given))


def encoder_place(given: object, *, saved: bool = False) -> str:
    """Where the encoder is that an argument means: its path or name, as given or of an open one.

    One of the user's own gets a name, unless it has to be ``saved``. Raises WrongTypeError for any other, and what
    `own_name` raises.
    """
    place = given if isinstance(given, str | Path) else place_of_encoder(given)
    if place is None or (saved and str(place).startswith(OWN)):
        if saved:
            raise WrongTypeError(given, AN_OPEN_ENCODER)
        place = own_name(given, AN_OPEN_ENCODER)
    return name_or_place(place, AN_ENCODER)
