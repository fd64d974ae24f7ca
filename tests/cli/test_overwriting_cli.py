"""What may be replaced without being told to, and what is said before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

OBO = "format-version: 1.2\nontology: {name}\ndata-version: {version}\n\n[Term]\nid: {prefix}:1\nname: Fever\n"


@pytest.fixture
def release(tmp_path: Path):
    def made(version: str, name: str = "signs", prefix: str = "SG") -> Path:
        path = tmp_path / f"{name}-{version}.obo"
        path.write_text(OBO.format(name=name, version=version, prefix=prefix))
        return path

    return made


def version_of(run, place) -> str:
    return json.loads(run("info", place, "--json").stdout)["content"]["identity"]["version"]


def test_an_older_release_needs_force(run, release, tmp_path):
    place = tmp_path / "signs.terminology"
    for version in ("2025-02-01", "2025-10-01", "2025-10-01"):  # the same again, and a newer one, are no question
        assert run("import", release(version), "-o", place).exit_code == 0
    done = run("import", release("2025-03-01"), "-o", place)
    assert done.exit_code == 2
    assert "holds signs 2025-10-01, which is newer than 2025-03-01. Give another place, or --force" in done.stderr
    assert version_of(run, place) == "2025-10-01"
    assert sorted(path.suffix for path in tmp_path.iterdir() if path.is_dir()) == [".terminology"]
    assert run("import", release("2025-03-01"), "-o", place, "--force").exit_code == 0
    assert version_of(run, place) == "2025-03-01"


def test_another_terminology_needs_force(run, release, tmp_path):
    place = tmp_path / "signs.terminology"
    run("import", release("1"), "-o", place)
    done = run("import", release("1", "other", "OT"), "-o", place)
    assert (done.exit_code, "holds signs 1, another terminology than other" in done.stderr) == (2, True)
    assert run("import", release("1", "renamed"), "-o", place).exit_code == 0  # its ids are the same


def test_a_dry_run_says_what_it_would_do_and_does_nothing(run, release, tmp_path):
    place = tmp_path / "signs.terminology"
    tried = json.loads(run("import", release("2"), "-o", place, "--dry-run", "--json").stdout)
    assert (tried["path"], tried["replaces"], tried["statistics"]["concepts"]) == (str(place), "", 1)
    assert not place.exists()
    run("import", release("2"), "-o", place)
    done = run("import", release("1"), "-o", place, "--dry-run")
    assert "replaces     signs 2" in done.stdout
    assert "which is newer than 1: the import would be refused" in done.stderr
    assert version_of(run, place) == "2"


def test_tables_of_several_files_in_a_report_are_told_apart(run, tiny, tmp_path):
    pytest.importorskip("scipy")
    (tmp_path / "gold.tsv").write_text("text\tid\nfits\tT:6\npyrexia\tT:5\n")
    for name in "ab":
        done = run("evaluate", "search", tiny / "tiny.index", tmp_path / "gold.tsv", "--resamples", 9, "-o",
                   tmp_path / f"{name}.json")  # fmt: skip
        assert done.exit_code == 0, done.stderr
    shown = json.loads(run("evaluate", "report", tmp_path / "a.json", tmp_path / "b.json", "--json").stdout)
    titles = [table["title"] for one in shown["results"] for table in one["tables"]]
    assert len(titles) == len(set(titles)) > 1
    assert titles[0].startswith("a: ")
    assert titles[-1].startswith("b: ")
