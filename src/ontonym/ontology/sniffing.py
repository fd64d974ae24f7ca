"""Telling formats apart: which of the files that were found are the release, and of what format it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ontonym.errors import FormatError
from ontonym.files.source import Source
from ontonym.ontology.release import Reader

GENERAL = "table"
"""The format that many a file fits: in a folder or archive it counts only where no file is of another format."""


@dataclass(frozen=True, slots=True)
class Format:
    """A release format: ``title`` for people, ``recognized_by`` in words, ``matches`` on a file's beginning and its
    name; an archive's or folder's files are asked one by one. ``knows`` are the read options of this format that not
    every format has (`release.SPECIAL`)."""

    name: str
    title: str
    recognized_by: str
    matches: Callable[[str, str], bool]
    reader: Reader
    knows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """The format of a release, the files that are read, and those of a folder or archive that are not."""

    format: Format
    sources: tuple[Source, ...]
    left_out: tuple[Source, ...]


def choose(
    sources: Sequence[Source], path: Path | str, formats: Mapping[str, Format], format: str | None = None
) -> Chosen:
    """The files among ``sources`` of the format named, or of the one format they have; ``path`` is where they are,
    ``formats`` all there are, in the order in which they are asked.

    A file that was named by the user is always read. Of those found in a folder or archive the files of a specific
    format are, and only where there are none, tables.

    Raises:
        FormatError: nothing is of a known format, or of the one named, or files are of different formats.
    """
    if format is not None:
        asked = formats[format]
        return _split(asked, sources, _of_format(asked, sources, path, formats))
    known = {source: form for source in sources if (form := _recognize(source, formats)) is not None}
    for source in sources:
        if source.packed.named and source not in known:
            raise FormatError(source.label, "the format is not recognized", hint=_known_formats(formats))
    if not sources:
        hint = "Name the files of the release, or the folder or archive they lie in"
        raise FormatError(path, "no file in it", hint=hint)
    if not known:
        raise FormatError(path, f"no file of a known format in it ({_shown(sources)})", hint=_known_formats(formats))
    if any(form.name != GENERAL for form in known.values()):
        known = {s: form for s, form in known.items() if form.name != GENERAL or s.packed.named}
    forms = {form.name: form for form in known.values()}
    if len(forms) > 1:
        raise _different(known, path)
    return _split(next(iter(forms.values())), sources, list(known))


def _of_format(
    form: Format, sources: Sequence[Source], path: Path | str, formats: Mapping[str, Format]
) -> Sequence[Source]:
    """The files that were named, and those found that fit the format; one found alone is taken at the user's word."""
    fitting = [s for s in sources if s.packed.named or _fits(s, form)]
    if form.name == GENERAL:
        general = [s for s in fitting if s.packed.named or _recognize(s, formats) is form]
        fitting = general or fitting
    if not fitting and len(sources) == 1:
        return sources
    if not fitting:
        problem = f"no file of the format {form.name} in it ({_shown(sources)})"
        raise FormatError(path, problem, hint=f"It is recognized by {form.recognized_by}")
    return fitting


def _split(form: Format, sources: Sequence[Source], taken: Sequence[Source]) -> Chosen:
    chosen = set(taken)
    return Chosen(form, tuple(taken), tuple(source for source in sources if source not in chosen))


def _different(known: Mapping[Source, Format], path: Path | str) -> FormatError:
    told = []
    for name in dict.fromkeys(form.name for form in known.values()):
        names = [source.name for source, form in known.items() if form.name == name]
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        told.append(f"{', '.join(names[:3])}{more} {'are' if len(names) > 1 else 'is'} {name}")
    if all(source.packed.named for source in known):
        hint = "Import them one by one"
    else:
        hint = "Say which one: --format NAME takes just the files of that format (format=NAME in Python)"
    return FormatError(path, f"files of different formats ({'; '.join(told)})", hint=hint)


def _shown(sources: Sequence[Source]) -> str:
    names = [source.name for source in sources]
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


def _recognize(source: Source, formats: Mapping[str, Format]) -> Format | None:
    """The format of a file by its beginning; None where it has no known one."""
    return next((form for form in formats.values() if _fits(source, form)), None)


def _fits(source: Source, form: Format) -> bool:
    """Whether a file is of a format; what was only found in a folder or archive and is binary is no table."""
    head = source.head()
    if form.name == GENERAL and "\0" in head and "\ufffd" in head and not source.packed.named:
        return False
    return bool(head) and form.matches(head, source.name)


def _known_formats(formats: Mapping[str, Format]) -> str:
    return f"Known: {', '.join(formats)}. If it is one of them, say so: --format NAME (format=NAME in Python)"
