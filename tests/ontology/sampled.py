"""Samples of every format on disk, as tests of all formats read them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from samples import SAMPLES, Sample, write

from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.types import Concept

every_format = pytest.mark.parametrize("name", sorted(SAMPLES))
XML = sorted(name for name, sample in SAMPLES.items() if "<?xml" in "".join(sample.files.values()))
COLUMNS = sorted(name for name, sample in SAMPLES.items() if sample.columns)


def having(what: str) -> pytest.MarkDecorator:
    """The formats that have a sample of that."""
    return pytest.mark.parametrize("name", sorted(name for name, s in SAMPLES.items() if getattr(s, what)))


def read(paths: Iterable[Path], **options: Any) -> tuple[list[Concept], Release]:
    release = read_release(list(paths), options=ReadOptions(**options))
    return list(release.concepts()), release


def plain(name: str, folder: Path) -> list[Concept]:
    """The concepts of the sample as it should be."""
    write(folder / "plain", SAMPLES[name].encoded())
    return read([folder / "plain"])[0]


def sample_in(folder: Path, sample: Sample) -> Path:
    write(folder, sample.encoded())
    return folder
