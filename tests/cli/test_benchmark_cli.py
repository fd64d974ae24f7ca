"""``ontonym benchmark``, as a user types it."""

from __future__ import annotations

import json

import pytest

from made import concept, opened
from ontonym.artifact import read_manifest

CONCEPTS = [
    concept("A", "sacrum sprain", "sacral sprain", "lumbosacral strain"),
    concept("B", "malaria", "swamp fever"),
    concept("C", "sacrum strain", "sacral sprains"),
]


@pytest.fixture(scope="module")
def terminology(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("benchmark"), CONCEPTS) as (made,):
        yield made.path


@pytest.mark.slow
def test_sets_are_made_told_and_made_again_by_their_recipe(run, terminology, tmp_path):
    made = run("benchmark", "build", terminology, "-o", tmp_path / "sets")
    assert made.exit_code == 0
    lines = made.stdout.splitlines()
    assert lines[1].split() == ["fsn-synonym", "easy", "4", "3.00", "3.00", "2.00"]
    assert lines[-1] == f"next: ontonym evaluate similarity {tmp_path / 'sets'}"
    told = run("info", tmp_path / "sets")
    assert "t0 1" in told.stdout
    again = run(
        "benchmark", "build", terminology, "--recipe", tmp_path / "sets" / "recipe.json", "-o", tmp_path / "again",
        "--json",
    )  # fmt: skip
    assert again.exit_code == 0
    shape = json.loads(again.stdout)
    assert shape["different"] == []
    assert shape["fingerprint"] == read_manifest(tmp_path / "sets").fingerprint


@pytest.mark.slow
def test_what_a_recipe_does_not_give_ends_with_1(run, terminology, tmp_path):
    run("benchmark", "build", terminology, "-o", tmp_path / "sets")
    recipe = tmp_path / "sets" / "recipe.json"
    changed = json.loads(recipe.read_text())
    changed["sets"]["fsn-synonym.easy.random"]["sha256"] = "0" * 64
    recipe.write_text(json.dumps(changed))
    again = run("benchmark", "build", terminology, "--recipe", recipe, "-o", tmp_path / "again")
    assert again.exit_code == 1
    assert "not what the recipe made: fsn-synonym.easy.random" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--threshold", "-1"), "at least 0, not -1"),
        (("--scope", "wide"), "exact"),
        (("--language", "xx"), "no pair of similar names"),
        (("--recipe", "nowhere.json"), "nowhere.json: cannot be read"),
        (("--older", "nowhere"), "nowhere"),
    ],
)
def test_bad_input_is_one_line(run, terminology, tmp_path, arguments, said):
    result = run("benchmark", "build", terminology, "-o", tmp_path / "sets", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "sets").exists()
