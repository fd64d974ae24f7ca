"""Two small indexes, a review and a server of them, for tests of the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from built import indexed
from ontonym.serve.http.app import make_app
from ontonym.serve.http.settings import ServerOptions
from ontonym.serve.library import ServedLibrary
from reviewed import begun

TINY = """format-version: 1.2
data-version: 2024-01-01
ontology: tiny

[Term]
id: T:1
name: Phenotypic abnormality

[Term]
id: T:2
name: Abnormality of the heart
is_a: T:1

[Term]
id: T:3
name: Myocardial infarction
synonym: "Heart attack" EXACT layperson []
synonym: "Cardiac infarct" EXACT []
is_a: T:2

[Term]
id: T:4
name: Palpitations
synonym: "Skipped heart beats" EXACT layperson []
is_a: T:2

[Term]
id: T:5
name: Fever
synonym: "Pyrexia" EXACT []
is_a: T:1

[Term]
id: T:6
name: Seizure
synonym: "Fits" EXACT layperson []
xref: U:2
is_a: T:1

[Term]
id: T:9
name: obsolete Dropsy
is_obsolete: true
"""
OTHER = """format-version: 1.2
data-version: 1
ontology: other

[Term]
id: U:1
name: Disorder

[Term]
id: U:2
name: Seizures
is_a: U:1

[Term]
id: U:3
name: Heart attack
is_a: U:1
"""
KEY = "3f9c2b7d51e84a06"


class Serving:
    """A client of a server of both indexes of a folder and of a new review, where anna has the key."""

    def __init__(self, folder: Path, reviews: Path, **options: Any) -> None:
        self.library = ServedLibrary(
            [folder / "tiny/tiny.index", folder / "other/other.index"], [begun(reviews, "one.review")]
        )
        (reviews / "keys.txt").write_text(f"# who writes\nanna {KEY}\n")
        self.options = ServerOptions(**({"keys": str(reviews / "keys.txt"), "names": ("testserver",)} | options))
        self.client = TestClient(make_app(self.library, self.options), raise_server_exceptions=False)

    def __enter__(self) -> TestClient:
        return self.client.__enter__()

    def __exit__(self, *error: Any) -> None:
        self.client.__exit__(*error)


SIGNED = {"Authorization": f"Bearer {KEY}"}


def served_folder(folder: Path) -> None:
    """Lays out tiny.index over tiny.terminology and other.index over other.terminology."""
    for name, text in (("tiny", TINY), ("other", OTHER)):
        (folder / name).mkdir()
        indexed(folder / name, {f"{name}.obo": text}).rename(folder / name / f"{name}.index")
