"""What may be replaced without being told to, and what is said before."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ontonym.cli import overwriting, written
from ontonym.replacing import lock

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


def test_another_list_in_a_file_of_the_same_name_needs_force(run, tmp_path):
    place = tmp_path / "codes.terminology"
    for folder, rows in (("a", "A1,fever\nA2,fits\n"), ("b", "B1,cough\nB2,gout\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "codes.csv").write_text(f"code,display\n{rows}")
    assert run("import", tmp_path / "a" / "codes.csv", "-o", place).exit_code == 0
    done = run("import", tmp_path / "b" / "codes.csv", "-o", place)
    assert (done.exit_code, "holds codes, with hardly an id of the new one" in done.stderr) == (2, True)
    assert run("show", place, "A1").exit_code == 0
    assert run("import", tmp_path / "b" / "codes.csv", "-o", place, "--force").exit_code == 0


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


# The one rule for all other outputs ---------------------------------------------------------------------------------


@pytest.fixture
def files(tiny, tmp_path, monkeypatch):
    """A folder with two inputs, in which commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("name\nfits\n")
    (tmp_path / "b.csv").write_text("name\npyrexia\n")
    return tiny / "tiny.index"


def test_the_same_command_replaces_what_it_wrote_and_nothing_else(run, files, tmp_path):
    asked = ("normalize", files, "a.csv", "--column", "name", "-o", "out.csv")
    assert run(*asked).exit_code == 0
    first = (tmp_path / "out.csv").read_bytes()
    (tmp_path / "a.csv").write_text("name\nmissed beats\n")  # its input may have changed
    assert run(*asked).exit_code == 0
    assert (tmp_path / "out.csv").read_bytes() != first
    other = run("normalize", files, "b.csv", "--column", "name", "-o", "out.csv")
    assert other.exit_code == 2
    assert "out.csv: is there already, and was made by another command or with other options: give another place, or " \
        "--force to replace it" in other.stderr  # fmt: skip
    assert run("normalize", files, "b.csv", "--column", "name", "-o", "out.csv", "--force").exit_code == 0
    assert b"pyrexia" in (tmp_path / "out.csv").read_bytes()


def test_json_does_not_replace_a_table_unasked(run, files, tmp_path):
    for asked in (("normalize", files, "a.csv", "--column", "name"), ("terms", files)):
        assert run(*asked, "-o", f"{asked[0]}.csv").exit_code == 0
        written = (tmp_path / f"{asked[0]}.csv").read_bytes()
        refused = run(*asked, "-o", f"{asked[0]}.csv", "--json")
        assert (refused.exit_code, "with other options" in refused.stderr) == (2, True)
        assert (tmp_path / f"{asked[0]}.csv").read_bytes() == written


def test_what_somebody_edited_is_not_replaced(run, files, tmp_path):
    asked = ("normalize", files, "a.csv", "--column", "name", "-o", "out.csv", "--json")
    run(*asked)
    edited = (tmp_path / "out.csv").read_text() + "a row of mine\n"
    (tmp_path / "out.csv").write_text(edited)
    done = run(*asked)
    assert (done.exit_code, "was changed since it was made" in done.stderr) == (2, True)
    assert json.loads(done.stderr)["exit_code"] == 2
    assert (tmp_path / "out.csv").read_text() == edited
    assert run(*asked, "--force").exit_code == 0
    assert "a row of mine" not in (tmp_path / "out.csv").read_text()


def test_a_file_of_somebody_else_is_not_replaced_and_an_empty_one_is(run, files, tmp_path):
    (tmp_path / "out.csv").write_text("mine")
    asked = ("normalize", files, "a.csv", "--column", "name", "-o", "out.csv")
    assert "was not made by this command" in run(*asked).stderr
    assert (tmp_path / "out.csv").read_text() == "mine"
    (tmp_path / "out.csv").write_text("")
    assert run(*asked).exit_code == 0


def test_going_on_replaces_nothing_of_another_command(run, files, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("id,name\nL:1,fits\n")
    asked = ("match", "a.csv", files, "-o", "map.sssom.tsv")
    assert run(*asked).exit_code == 0
    assert run(*asked, "--resume").exit_code == 0
    other = run("match", "b.csv", *asked[2:], "--resume")
    assert (other.exit_code, "was made by another command" in other.stderr) == (2, True)
    corrected = (tmp_path / "map.sssom.tsv").read_text() + "# seen by me\n"
    (tmp_path / "map.sssom.tsv").write_text(corrected)
    assert "was changed since it was made" in run(*asked, "--resume").stderr
    assert (tmp_path / "map.sssom.tsv").read_text() == corrected
    assert run(*asked, "--resume", "--force").exit_code == 0


@pytest.mark.parametrize(
    ("place", "told"), [("no/x.tsv", "there is no folder no"), ("a.csv/x.tsv", "a.csv is a file, not a folder")]
)
def test_a_file_in_no_folder_is_an_error_before_any_work(run, tiny, files, tmp_path, place, told):
    (tmp_path / "gold.pubtator").write_text("1|t|Fits\n1|a|\n1\t0\t4\tFits\tDisease\tT:6\n")
    for asked in (
        ("pairs", tiny / "tiny.terminology", "--recipe", "synonyms", "-o", "new.pairs", "--tsv", place),
        ("evaluate", "annotation", files, "gold.pubtator", "--mistakes", place),
        ("evaluate", "normalization", files, "gold.pubtator", "-o", place.replace(".tsv", ".html")),
    ):
        done = run(*asked)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {asked[-1]}: cannot be written: {told}")
    assert not (tmp_path / "new.pairs").exists()


def test_every_output_of_a_command_is_looked_at(run, files, tmp_path):
    (tmp_path / "all.sssom.tsv").write_text("mine")
    asked = ("match", "a.csv", files, "--column", "name", "-o", "map.sssom.tsv", "--candidates", "all.sssom.tsv")
    done = run(*asked)
    assert (done.exit_code, "all.sssom.tsv: is there already" in done.stderr) == (2, True)
    assert not (tmp_path / "map.sssom.tsv").exists()


def test_one_file_for_two_outputs_is_refused_before_any_work(run, tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.tsv").symlink_to("same.tsv")
    match = ("match", "codes.csv", tiny / "tiny.index", "-o", "same.tsv", "--candidates")
    carry = ("carry", "map.tsv", "--releases", "a", "b", "-o", "same.tsv", "--look")
    for command in ((*match, "same.tsv"), (*match, tmp_path / "same.tsv"), (*match, "link.tsv"), (*carry, "same.tsv"),
                    (*carry, "same.tsv", "--force"), (*carry, "same.tsv", "--dry-run")):  # fmt: skip
        done = run(*command)
        assert (done.exit_code, "same.tsv" in done.stdout) == (2, False)
        assert "is named by --output and by --" in done.stderr
        assert not (tmp_path / "same.tsv").exists()


def test_a_dry_run_tells_what_would_be_replaced_and_writes_nothing(run, files, tmp_path):
    asked = ("normalize", files, "a.csv", "--column", "name", "-o", "out.csv")
    assert run(*asked, "--dry-run").stdout == "would write out.csv\n"
    assert not (tmp_path / "out.csv").exists()
    run(*asked)
    assert run(*asked, "--dry-run").stdout == "would write out.csv; replaces what it made before\n"
    (tmp_path / "out.csv").write_text("mine")
    assert "only with --force: it was changed since it was made" in run(*asked, "--dry-run").stdout


def test_where_nothing_can_be_remembered_force_is_asked_for(run, files, tmp_path, monkeypatch):
    (tmp_path / "no").write_text("a file where the cache should be")
    monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path / "no"))
    asked = ("normalize", files, "a.csv", "--column", "name", "-o", "out.csv")
    assert run(*asked).exit_code == 0
    assert run(*asked).exit_code == 2
    assert run(*asked, "--force").exit_code == 0


def test_what_is_remembered_names_no_file(run, files, tmp_path, own_cache):
    run("normalize", files, "a.csv", "--column", "name", "-o", "out.csv")
    kept = json.loads((own_cache / "written.json").read_text())
    assert [len(key) for key in kept] == [64]
    assert "out" not in (own_cache / "written.json").read_text()
    (own_cache / "written.json").write_text("damaged")
    assert run("normalize", files, "a.csv", "--column", "name", "-o", "new.csv").exit_code == 0


def test_an_index_of_other_terminologies_or_another_encoder_needs_force(run, release, tmp_path, encoder):
    for name, prefix in (("signs", "SG"), ("other", "OT")):
        run("import", release("1", name, prefix), "-o", tmp_path / f"{name}.terminology")
    index = tmp_path / "a.index"
    asked = ("index", tmp_path / "signs.terminology", "-o", index)
    assert run(*asked, "--encoder", encoder).exit_code == 0
    assert run(*asked, "--encoder", encoder).exit_code == 0
    done = run("index", tmp_path / "other.terminology", "-o", index, "--encoder", encoder)
    assert (done.exit_code, "is an index of signs, not of other. Give another place, or --force" in done.stderr) == (
        2,
        True,
    )
    done = run(*asked, "--encoder", "static")
    assert (done.exit_code, "was made with another encoder than static" in done.stderr) == (2, True)
    assert run(*asked, "--encoder", "static", "--force").exit_code == 0
    run("import", release("2"), "-o", tmp_path / "signs.terminology")
    assert run(*asked, "--encoder", "static").exit_code == 0  # of a newer release of the same


def test_every_command_that_writes_keeps_to_a_rule():
    from test_options import COMMANDS, flags

    from ontonym.cli.overwriting import OUTPUTS, OWN_RULE

    writing = {path for path, command in COMMANDS.items() if "--output" in flags(command)}
    assert len(writing) > 25
    unguarded = {path for path in writing if "--force" not in flags(COMMANDS[path])}
    assert unguarded == {"review start", "review merge"}  # they never replace a state file
    assert set(OWN_RULE) <= set(COMMANDS)
    assert all(set(more) <= set(flags(COMMANDS[path])) for path, more in OUTPUTS.items())


def test_a_job_over_a_folder_goes_on_in_its_folder(run, files, tmp_path):
    (tmp_path / "visits").mkdir()
    shutil.copy(tmp_path / "a.csv", tmp_path / "visits")
    asked = ("normalize", files, "visits", "-o", "answers", "--column", "name")
    assert run(*asked).exit_code == 0
    shutil.copy(tmp_path / "b.csv", tmp_path / "visits")
    assert run(*asked, "--jobs", 1).exit_code == 0  # not the same command line, but the same job
    assert sorted(path.stem for path in (tmp_path / "answers").glob("[ab]*")) == ["a", "b"]


@pytest.mark.parametrize("what", ["file", "artifact"])
def test_killed_right_after_the_rename_the_same_command_may_be_given_again(
    run, files, tiny, tmp_path, monkeypatch, what
):
    """``kill -9`` between the rename of an output and the note of who wrote it."""
    asked = {
        "file": ("normalize", files, "a.csv", "--column", "name", "-o", "out.csv"),
        "artifact": ("pairs", tiny / "tiny.terminology", "--recipe", "synonyms", "-o", "out.csv"),
    }[what]
    with monkeypatch.context() as killed:
        killed.setattr(written, "_note_written", lambda places, maker: None)
        assert run(*asked).exit_code == 0, run(*asked).stderr
    assert run(*asked).exit_code == 0
    with monkeypatch.context() as killed:  # again, over what was noted before
        killed.setattr(written, "_note_written", lambda places, maker: None)
        assert run(*asked).exit_code == 0
    other = run(*asked, *(("--strategy", "O") if what == "file" else ("--seed", 7)))
    assert "was made by another command" in other.stderr, other.stderr
    if what == "file":
        (tmp_path / "out.csv").write_text("mine")
        assert "was changed since it was made" in run(*asked).stderr
    assert run(*asked, "--force").exit_code == 0


def test_killed_right_before_the_rename_what_was_there_is_still_known(run, files, tmp_path, monkeypatch):
    from ontonym.files import output

    asked = ("normalize", files, "a.csv", "--column", "name", "-o", "out.csv")
    other = ("normalize", files, "b.csv", "--column", "name", "-o", "out.csv")
    assert run(*asked).exit_code == 0
    first = (tmp_path / "out.csv").read_bytes()
    announce = output.announce

    def killing(whole, path):
        announce(whole, path)
        if path.name == "out.csv":
            raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(output, "announce", killing)
        killed.setattr(written, "_note_written", lambda places, maker: None)
        assert run(*other, "--force").exit_code != 0
    assert (tmp_path / "out.csv").read_bytes() == first
    assert run(*other).exit_code == 2  # what is there is not its own
    assert run(*asked).exit_code == 0


def test_what_commands_that_run_side_by_side_wrote_is_remembered_of_all(tmp_path, monkeypatch):
    monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path / "cache"))
    noted = [{f"{place}": (written.Written(f"seal {place}", "maker"),)} for place in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(written._keep, noted))
    assert written._known() == {key: value for one in noted for key, value in one.items()}


def test_a_command_does_not_wait_for_ever_to_note_what_it_wrote(tmp_path, monkeypatch):
    monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path))
    monkeypatch.setattr(written, "_PATIENCE", 0.05)
    noted = {"a": (written.Written("seal", "maker"),)}
    with lock(tmp_path / "written.json"):
        written._keep(noted)
    assert written._known() == {}
    written._keep(noted)
    assert written._known() == noted


def test_where_no_home_folder_is_known_only_force_replaces(run, tiny, tmp_path, monkeypatch):
    def unknown():
        raise RuntimeError("Could not determine home directory.")  # as Python says it

    for name in ("ONTONYM_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    export = ("export", tiny / "tiny.terminology", "-o", tmp_path / "a.csv")
    assert [run(*export, *more).exit_code for more in ((), (), ("--force",))] == [0, 2, 0]
    for command in (("demo", "fever"), ("completion", "bash", "--install")):
        done = run(*command)
        assert (done.exit_code, "knows no home folder of this user: set HOME, or" in done.stderr) == (2, True)


def test_plots_of_a_name_with_brackets_are_found(tmp_path):
    for name in ("r[1].curve.svg", "r1.curve.svg"):
        (tmp_path / name).touch()
    assert list(overwriting._places(str(tmp_path / "r[1].svg"))) == [tmp_path / "r[1].svg", tmp_path / "r[1].curve.svg"]
