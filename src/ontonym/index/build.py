"""Builds an index over terminologies: names, the three signals, and the fingerprints of what it was made from."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ontonym.artifact import Manifest, write_artifact
from ontonym.encoder import DEFAULT, open_encoder
from ontonym.errors import InputError
from ontonym.index.char import write_char
from ontonym.index.dense import write_dense
from ontonym.index.lexical import write_lexical
from ontonym.index.names import NameOptions, Names, name_texts, write_names
from ontonym.store import Terminology

Progress = Callable[[str, int, int], None]
"""Told the stage, how many items of it are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """What is indexed: ``languages`` (two-letter codes, empty for all), ``retired`` concepts and terms too."""

    languages: tuple[str, ...] = ()
    retired: bool = False


def build_index(
    terminologies: Sequence[Terminology],
    path: Path | str,
    *,
    encoder: str | Path = DEFAULT,
    options: IndexOptions = IndexOptions(),
    overwrite: bool = True,
    progress: Progress | None = None,
) -> Manifest:
    """Builds the index of the terminologies' names at ``path``; the old one there stays whole until the new one is.

    Raises InputError where there is no name to index, ArtifactError where ``path`` holds something else.
    """
    path = Path(path)
    if not terminologies:
        raise InputError("an index needs at least one terminology")
    opened = open_encoder(encoder)
    with write_artifact(path, "index", overwrite=overwrite) as writer:
        stage = _Stages(progress)
        total = sum(terminology.term_count for terminology in terminologies)
        chosen = NameOptions(options.languages, options.retired)
        write_names(writer.folder, terminologies, chosen, stage.begin("reading names", total))
        names = Names(writer.folder)
        if not len(names):
            raise InputError(
                "there is no name to index: every term is retired or in another language "
                f"(languages: {', '.join(options.languages) or 'all'}, retired: {'in' if options.retired else 'out'})"
            )
        write_char(writer.folder, names, stage.begin("spelling", len(names)))
        write_lexical(writer.folder, names, stage.begin("words", len(names)))
        texts = name_texts(names, terminologies)
        write_dense(writer.folder, texts, len(names), opened, stage.begin("meaning", len(names)))
        sources = [
            {"name": terminology.name, "version": terminology.version, "fingerprint": terminology.fingerprint}
            for terminology in terminologies
        ]
        writer.content["identity"] = {
            "terminologies": sources,
            "encoder": opened.fingerprint,
            "options": asdict(options),
        }
        writer.content["terminologies"] = [_place(terminology.path, path) for terminology in terminologies]
        writer.content["encoder"] = DEFAULT if str(encoder) == DEFAULT else _place(Path(encoder), path)
        writer.content["statistics"] = {
            "concepts": sum(map(len, terminologies)),
            "terms": total,
            "names": len(names),
            "words": len(names.vocabulary),
        }
    assert writer.manifest is not None  # noqa: S101 (set when the block ends)
    return writer.manifest


def _place(source: Path, index: Path) -> dict[str, str]:
    """Where a source lies, from the index's folder and from the root: either may still hold after a move."""
    absolute = source.resolve()
    return {"relative": os.path.relpath(absolute, index.resolve().parent), "absolute": str(absolute)}


class _Stages:
    """Turns the counters of the stages into calls of one progress function."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def begin(self, stage: str, total: int) -> Callable[[int], None]:
        progress, done = self._progress, 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            if progress:
                progress(stage, done, total)

        return advance
