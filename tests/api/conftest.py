from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ontonym
from built import indexed

HEART = """format-version: 1.2
data-version: 2024-01-01
ontology: heart

[Term]
id: H:1
name: Abnormality

[Term]
id: H:2
name: Abnormality of the heart
is_a: H:1

[Term]
id: H:3
name: Myocardial infarction
def: "Death of heart muscle." [X:1]
synonym: "Heart attack" EXACT layperson []
is_a: H:2

[Term]
id: H:4
name: Palpitations
synonym: "Skipped heart beats" EXACT layperson []
is_a: H:2

[Term]
id: H:5
name: Fever
synonym: "Pyrexia" EXACT []
is_a: H:1

[Term]
id: H:6
name: Seizure
synonym: "Fits" EXACT layperson []
is_a: H:1
"""


@pytest.fixture(scope="session")
def heart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with heart.obo, heart.terminology, a.encoder and the index a.index; nobody changes it."""
    folder = tmp_path_factory.mktemp("heart")
    indexed(folder, {"heart.obo": HEART})
    return folder


@pytest.fixture(scope="session")
def index(heart: Path) -> Iterator[ontonym.IndexHandle]:
    with ontonym.open(heart / "a.index") as opened:
        yield opened
