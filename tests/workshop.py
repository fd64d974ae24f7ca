"""Makes small terminologies, encoders and indexes for the tests of the index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from built import random_encoder
from ontonym.index import Index, IndexOptions, build_index, open_index
from ontonym.ontology.formats import read_release
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.tasks import search

Handle = TypeVar("Handle", Terminology, Index)


def obo(name: str, *stanzas: str) -> str:
    return f"format-version: 1.2\nontology: {name}\n\n" + "\n".join(f"[Term]\n{stanza}\n" for stanza in stanzas)


class Workshop:
    """Makes terminologies, encoders and indexes in one folder, and closes what it opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._opened: list[Terminology | Index] = []

    def terminology(self, name: str, *stanzas: str) -> Terminology:
        file = self.folder / f"{name}.obo"
        file.write_text(obo(name, *stanzas), encoding="utf-8")
        build_terminology(read_release([file]), self.folder / f"{name}.terminology")
        return self.keep(open_terminology(self.folder / f"{name}.terminology"))

    def encoder(self, name: str = "a", seed: int = 0) -> Path:
        return random_encoder(self.folder / f"{name}.encoder", seed=seed)

    def index(self, *terminologies: Terminology, options: IndexOptions | None = None, name: str = "a") -> Index:
        encoder = self.folder / "a.encoder"
        place = self.folder / f"{name}.index"
        build_index(
            terminologies,
            place,
            encoder=encoder if encoder.exists() else self.encoder(),
            options=options or IndexOptions(everyday=False),
        )
        return self.keep(open_index(place))

    def keep(self, handle: Handle) -> Handle:
        self._opened.append(handle)
        return handle

    def close(self) -> None:
        for handle in self._opened:
            handle.close()


def index_of(workshop: Workshop, names: Sequence[str]) -> Index:
    """An index of one concept for each name, T:00000 and so on, its names told apart by their number."""
    stanzas = [f"id: T:{number:05}\nname: {name} {number}\n" for number, name in enumerate(names)]
    return workshop.index(workshop.terminology("t", *stanzas), name="made")


def first(place: str, text: str) -> str:
    """The id of the first hit in the index at a place."""
    with open_index(place) as index:
        return search(index, text)[0].id
