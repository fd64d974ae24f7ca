"""``ontonym update``: an index brought up to a new release."""

from __future__ import annotations

import json
import shutil

import pytest

from sealed import resealed

RENAMED = "name: Palpitations", "name: Heart palpitations"


@pytest.fixture
def folder(tiny, run, tmp_path):
    """tiny.index, and a new release of its terminology in new.terminology: one name of 14 is another."""
    shutil.copytree(tiny / "tiny.index", tmp_path / "tiny.index")
    (tmp_path / "tiny.obo").write_text((tiny / "tiny.obo").read_text().replace(*RENAMED).replace("2024-01", "2024-02"))
    assert run("import", tmp_path / "tiny.obo", "-o", tmp_path / "new.terminology").exit_code == 0
    return tmp_path


def test_update_gives_what_index_gives(run, folder, encoder):
    done = run("update", folder / "tiny.index", folder / "new.terminology", "--json")
    assert done.exit_code == 0, done.stderr
    run("index", folder / "new.terminology", "--no-everyday", "--encoder", encoder, "-o", folder / "rebuilt.index")
    shapes = [json.loads(run("info", folder / name, "--json").stdout) for name in ("tiny.index", "rebuilt.index")]
    assert shapes[0]["fingerprint"] == shapes[1]["fingerprint"] == json.loads(done.stdout)["fingerprint"]
    hits = json.loads(run("search", folder / "tiny.index", "heart palpitations", "--json").stdout)["hits"]
    assert (hits[0]["id"], hits[0]["reason"]["rule"]) == ("T:4", "normalized")


def test_update_tells_what_was_done(run, folder):
    shape = json.loads(run("update", folder / "tiny.index", folder / "new.terminology", "--json").stdout)
    assert {name: shape[name] for name in ("names", "copied", "encoded", "dropped", "terms", "read")} == {
        "names": 14, "copied": 13, "encoded": 1, "dropped": 1, "terms": 14, "read": 1,
    }  # fmt: skip
    assert shape["content"]["identity"]["terminologies"][0]["version"] == "2024-02-01"
    again = run("update", folder / "tiny.index", folder / "new.terminology").stdout
    assert "of       tiny 2024-02-01\n" in again
    assert "copied   14 of 14 names\nencoded  0 names\ndropped  0 names that no concept has now\n" in again


def test_update_says_that_a_release_is_older_or_has_another_name(run, tiny, folder):
    assert json.loads(run("update", folder / "tiny.index", folder / "new.terminology", "--json").stdout)["doubts"] == []
    done = run("update", folder / "tiny.index", tiny / "tiny.terminology")
    assert done.exit_code == 0, done.stderr
    assert "check    tiny 2024-01-01 is older than tiny 2024-02-01, which was there before\n" in done.stdout
    assert run("import", folder / "tiny.obo", "--name", "other", "-o", folder / "other.terminology").exit_code == 0
    done = run("update", folder / "tiny.index", folder / "other.terminology", "--json")
    said = "other 2024-02-01 took the place of tiny 2024-01-01, which has another name"
    assert json.loads(done.stdout)["doubts"] == [said]


def test_update_with_another_encoder(run, folder, encoder):
    shutil.copytree(encoder, folder / "moved.encoder")
    place = folder / "tiny.index"
    same = run("update", place, folder / "new.terminology", "--encoder", folder / "moved.encoder", "--json")
    assert json.loads(same.stdout)["encoded"] == 1
    other = run("update", place, folder / "new.terminology", "--encoder", "default", "--json")
    assert json.loads(other.stdout)["encoded"] == 14


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.index", "new.terminology"], "nothing.index: no such index; make one with `ontonym index`"),
        (["tiny.index", "nothing.terminology"], "nothing.terminology: no such terminology"),
        (["new.terminology", "new.terminology"], "is a terminology, but an index was expected"),
        (["tiny.index"], "error: missing argument 'TERMINOLOGY…'"),
    ],
)
def test_update_says_what_is_wrong_and_leaves_the_index(run, folder, monkeypatch, arguments, message):
    monkeypatch.chdir(folder)
    before = (folder / "tiny.index" / "manifest.json").read_bytes()
    done = run("update", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert (folder / "tiny.index" / "manifest.json").read_bytes() == before
    assert not list(folder.glob(".tiny.index*"))


def test_update_of_an_old_format_says_to_rebuild(run, folder):
    resealed(folder / "tiny.index", lambda facts: facts.update(format_version=1))
    done = run("update", folder / "tiny.index", folder / "new.terminology")
    assert done.exit_code == 2
    assert "has the old format 1" in done.stderr
    assert "rebuild with `ontonym index`" in done.stderr


def test_shards_and_memory_change_no_answer(run, tiny, tmp_path, encoder):
    made = ("index", tiny / "tiny.terminology", "--no-everyday", "--encoder", encoder, "-o", tmp_path / "a.index")
    done = run(*made, "--shards", 4, "--memory", "1G", "--json")
    assert done.exit_code == 0, done.stderr
    shutil.copytree(tiny / "tiny.terminology", tmp_path / "tiny.terminology")
    for words in ("palpitations", "abnormal heart", "hart"):
        shown = [json.loads(run("search", place, words, "--json").stdout)["hits"]
                 for place in (tiny / "tiny.index", tmp_path / "a.index")]  # fmt: skip
        assert shown[0] == shown[1]
    assert shown[0]
    assert run("info", tmp_path / "a.index", "--verify").exit_code == 0
    for more, said in (
        (("--memory", "1M"), "terms needs about 256 MiB of memory, and the limit is 1 MiB: allow --memory 257M, or"),
        (("--memory", "lots"), "memory 'lots': write a number with M or G"),
        (("--shards", 0), "0 is not in the range 1<=x<=256"),
        (("--shards", 2, "--to", "postgresql://localhost/x/y"), "--memory, --shards and --on are for building in a"),
    ):  # fmt: skip
        refused = run(*made, *more)
        assert (refused.exit_code, said in refused.stderr) == (2, True), refused.stderr
