"""The files of a corpus, wherever they lie, and the parts (splits, folds, languages) that a layout keeps apart."""

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

_T = TypeVar("_T")

_SAME_PART = MappingProxyType(
    {"trng": "train", "training": "train", "validation": "dev", "valid": "dev", "val": "dev", "development": "dev",
     "devel": "dev", "testing": "test"}
)  # fmt: skip
"""What layouts call train, dev and test otherwise."""
_SAMPLES = 3


@dataclass(frozen=True)
class CorpusFiles:
    """What lies at a path: one file, or those of a folder or archive by name, empty ones left out."""

    path: Path
    sources: tuple[Source, ...]

    @property
    def lone(self) -> Source | None:
        """The only file, None where there are several."""
        return self.sources[0] if len(self.sources) == 1 else None

    @cached_property
    def by_folder(self) -> Mapping[str, tuple[Source, ...]]:
        """The files by their folder within the path, which is empty for what lies in no folder below it."""
        found: dict[str, list[Source]] = {}
        for source in self.sources:
            found.setdefault(folder_of(source), []).append(source)
        return {folder: tuple(sources) for folder, sources in found.items()}

    @property
    def samples(self) -> list[Source]:
        """The first files of each folder, from which a layout is detected."""
        return [source for sources in self.by_folder.values() for source in sources[:_SAMPLES]]

    def name_of(self, folder: str) -> str:
        """What to call a folder of `by_folder`: its path, or where it has none the name of what was given."""
        return folder or (self.path.resolve().name if self.path.is_dir() else self.path.resolve().parent.name)


def look(path: Path | str) -> CorpusFiles:
    """The files at a path; raises FormatError where there is none, or one cannot be opened."""
    sources = open_sources([path])
    if not sources:
        raise FormatError(path, "no file in it", hint="Name the files of the corpus, or the folder that they lie in")
    return CorpusFiles(Path(path), tuple(sources))


def folder_of(source: Source) -> str:
    """The folder of a file within the path given."""
    parent = PurePosixPath(source.name).parent.as_posix()
    return "" if parent == "." else parent


def base(source: Source) -> str:
    """The name of a file without its folder."""
    return PurePosixPath(source.name).name


def first_line(source: Source) -> str:
    """The first line of a file that is not blank, looked for in its beginning."""
    return next((line.rstrip("\r") for line in source.head().split("\n") if line.strip()), "")


def mixed_lines(source: Source) -> Iterator[tuple[str, bool]]:
    """The lines of a file in which some may be Windows-1252, and whether each is; what that lacks is read as Latin-1.

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
    """The one file that is read: the one given, or the only one of a folder that fits.

    Raises FormatError where a folder has none (``nothing``: what is wrong then, and the hint) or several.
    """
    if found.lone is not None:
        return found.lone
    fitting = [source for source in found.sources if fits(source)]
    if not fitting:
        raise FormatError(found.path, nothing[0], hint=nothing[1])
    if len(fitting) > 1:
        names = ", ".join(source.name for source in fitting[:_SAMPLES]) + ", …" * (len(fitting) > _SAMPLES)
        raise FormatError(found.path, f"{len(fitting):,} corpora in it ({names})", hint="Name one of them")
    return fitting[0]


def chosen(found: CorpusFiles, parts: Mapping[str, _T], wanted: str | None, nothing: tuple[str, str]) -> _T:
    """The part asked for, or the only one there is.

    A part is called by its name (``fold-0/test``) or by words of it that no other part has together (``0 test``);
    train, dev and test are known under the names that layouts give them (``validation``). Raises InputError, with the
    parts that there are, for one that is not there, and where several could be meant; FormatError, saying ``nothing``,
    where there is none.
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
