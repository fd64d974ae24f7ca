"""The files of a corpus, wherever they are, and the parts (splits, folds, languages) that a layout separates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TypeVar

from ontonym.errors import FormatError, InputError
from ontonym.files.source import Source, open_sources
from ontonym.text.counting import first_few

_T = TypeVar("_T")

_SAME_PART = MappingProxyType(
    {"trng": "train", "training": "train", "validation": "dev", "valid": "dev", "val": "dev", "development": "dev",
     "devel": "dev", "testing": "test"}
)  # fmt: skip
"""Other names of train, dev and test in layouts."""
_SAMPLES = 3


@dataclass(frozen=True)
class CorpusFiles:
    """The files at a path: one file, or the non-empty ones of a folder or archive by name."""

    path: Path
    sources: tuple[Source, ...]

    @property
    def lone(self) -> Source | None:
        """The only file, None if there are several."""
        return self.sources[0] if len(self.sources) == 1 else None

    @cached_property
    def by_folder(self) -> Mapping[str, tuple[Source, ...]]:
        """The files by their folder within the path; an empty name for those directly in it."""
        found: dict[str, list[Source]] = {}
        for source in self.sources:
            found.setdefault(folder_of(source), []).append(source)
        return {folder: tuple(sources) for folder, sources in found.items()}

    @property
    def samples(self) -> list[Source]:
        """The first files of each folder, from which a layout is detected."""
        return [source for sources in self.by_folder.values() for source in sources[:_SAMPLES]]

    def name_of(self, folder: str) -> str:
        """The name of a folder of `by_folder`: its path, or the name of the given path if that is empty."""
        return folder or (self.path.resolve().name if self.path.is_dir() else self.path.resolve().parent.name)


def corpus_files(path: Path | str) -> CorpusFiles:
    """The files at a path; raises FormatError if there is none, or one cannot be opened."""
    sources = open_sources([path])
    if not sources:
        raise FormatError(path, "no file in it", hint="Name the files of the corpus, or the folder that they lie in")
    return CorpusFiles(Path(path), tuple(sources))


def folder_of(source: Source) -> str:
    """The folder of a file within the given path."""
    parent = PurePosixPath(source.name).parent.as_posix()
    return "" if parent == "." else parent


def base(source: Source) -> str:
    """The name of a file without its folder."""
    return PurePosixPath(source.name).name


def first_line(source: Source) -> str:
    """The first non-blank line near the beginning of a file; empty if there is none."""
    return next((line.rstrip("\r") for line in source.head().split("\n") if line.strip()), "")


def mixed_lines(source: Source) -> Iterator[tuple[str, bool]]:
    """The lines of a file in which some may be Windows-1252, and whether each is; bytes undefined there are read as
    Latin-1.

    For layouts that are known to mix encodings.
    """
    for line in source.read().split(b"\n"):
        try:
            yield line.decode("utf-8").removesuffix("\r"), False
        except UnicodeDecodeError:
            try:
                text = line.decode("cp1252")
            except UnicodeDecodeError:
                text = line.decode("latin-1")
            yield text.removesuffix("\r"), True


def only(found: CorpusFiles, fits: Callable[[Source], bool], nothing: tuple[str, str]) -> Source:
    """The one file to read: the given one, or the only one of a folder that fits.

    Raises FormatError if a folder has none (``nothing``: the problem and the hint) or several.
    """
    if found.lone is not None:
        return found.lone
    fitting = [source for source in found.sources if fits(source)]
    if not fitting:
        raise FormatError(found.path, nothing[0], hint=nothing[1])
    if len(fitting) > 1:
        names = first_few((source.name for source in fitting), _SAMPLES)
        raise FormatError(found.path, f"{len(fitting):,} corpora in it ({names})", hint="Name one of them")
    return fitting[0]


def chosen(found: CorpusFiles, parts: Mapping[str, _T], wanted: str | None, nothing: tuple[str, str]) -> _T:
    """The requested part, or the only one.

    A part is given by its name (``fold-0/test``) or by words of it that no other part has together (``0 test``); train,
    dev and test are also known by the names of layouts (``validation``). Raises InputError, which lists the parts, for
    an unknown part or an ambiguous one; FormatError with ``nothing`` if there is no part.
    """
    if not parts:
        raise FormatError(found.path, nothing[0], hint=nothing[1])
    listed = ", ".join(parts)
    if wanted is None:
        if len(parts) == 1:
            return next(iter(parts.values()))
        raise InputError(f"{found.path} has several parts: {listed}. Say which: `split=NAME`")
    asked = _words(wanted)
    exact = [name for name in parts if name == wanted] or [name for name in parts if _words(name) == asked]
    fitting = exact or [name for name in parts if asked and asked <= _words(name)]
    if len(fitting) == 1:
        return parts[fitting[0]]
    problem = f"several parts called {wanted!r}" if fitting else f"no split {wanted!r}"
    raise InputError(f"{found.path}: {problem}; there {'is' if len(parts) == 1 else 'are'} {listed}")


def _words(name: str) -> frozenset[str]:
    return frozenset(_SAME_PART.get(word, word) for word in re.findall(r"[^\W_]+", name.casefold()))
