from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ontonym.cli import main
from ontonym.store import open_terminology


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


def names(path: Path) -> dict[str, list[tuple[str, str]]]:
    with open_terminology(path) as terminology:
        concepts = [terminology.concept(row) for row in range(len(terminology))]
    return {concept.id: [(term.text, term.language) for term in concept.terms] for concept in concepts}


FIRST = "code;wort;ort;note\r\nA;Frost;x;1\r\n"
SECOND = "note;ort;wort;code\r\n1;x;Frost;A\r\n2;y;Frostzehe;B\r\n"
COLUMNS = ("--column", "id=code", "--column", "preferred@de=wort")


@pytest.mark.slow
def test_like_reads_the_next_release_as_the_last(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "mine-1.csv").write_text(FIRST)
    (tmp_path / "mine-2.csv").write_text(SECOND)
    first = run("import", "mine-1.csv", *COLUMNS, "--prefix", "L", "--name", "mine")
    assert first.exit_code == 0, first.output
    assert "columns      id=code, preferred@de=wort" in first.stdout
    assert "next release: ontonym import NEW --like mine.terminology" in " ".join(first.stdout.split())
    second = run("import", "mine-2.csv", "--like", "mine.terminology", "-o", "new.terminology", "--json")
    told: dict[str, Any] = json.loads(second.stdout)["metadata"]
    assert (told["name"], told["details"]["options"]["prefix"]) == ("mine", "L")
    assert names(tmp_path / "new.terminology") == {"L:A": [("Frost", "de")], "L:B": [("Frostzehe", "de")]}
    again = run("import", "mine-2.csv", "--like", "new.terminology", "--prefix", "M", "-o", "third.terminology")
    assert again.exit_code == 0
    assert list(names(tmp_path / "third.terminology")) == ["M:A", "M:B"]


def test_like_does_not_replace_what_it_is_like(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(FIRST)
    run("import", "mine.csv", *COLUMNS)
    result = run("import", "mine.csv", "--like", "mine.terminology")
    assert result.exit_code == 2
    assert "this would replace mine.terminology" in result.output
    assert run("import", "mine.csv", "--like", "mine.terminology", "-o", "mine.terminology").exit_code == 0


def test_like_names_the_column_that_is_gone(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(FIRST)
    run("import", "mine.csv", *COLUMNS)
    (tmp_path / "mine.csv").write_text(FIRST.replace("wort", "word"))
    result = run("import", "mine.csv", "--like", "mine.terminology", "-o", "new.terminology")
    assert result.exit_code == 2
    assert "mine.csv:1: unknown column 'wort'" in result.output
    assert "Valid: code, note, ort, word" in result.output
    assert not (tmp_path / "new.terminology").exists()


def test_an_option_that_means_nothing_for_the_format(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(FIRST)
    result = run("import", "mine.csv", *COLUMNS, "--linked-to", "MESH")
    assert result.exit_code == 2
    assert "wikidata" in result.output
