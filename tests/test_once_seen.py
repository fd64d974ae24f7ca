"""What once cost users time or data, line by line, each with the command that shows it mended."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import ontonym
from docworld import lay_out
from ontonym.cli import VERBS, main
from ontonym.errors import WrongTypeError

pytestmark = pytest.mark.slow

Command = Callable[[str], Result]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seen")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ONTONYM_CACHE", str(folder.with_name("seen-cache")))
        lay_out(folder)
    return folder


@pytest.fixture
def command(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command line in a folder with the world."""
    shutil.copytree(world, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    for name, value in (("ONTONYM_CACHE", str(tmp_path / "cache")), ("ONTONYM_REVIEWER", "anna"),
                        ("ONTONYM_ENCODER", "static"), ("COLUMNS", "200")):  # fmt: skip
        monkeypatch.setenv(name, value)

    def run(line: str) -> Result:
        words = shlex.split(line)[1:]
        return CliRunner().invoke(main, words, obj=("ontonym", *words))

    return run


def following(done: Result) -> str:
    """The command that a command names as the next one."""
    return next(line for line in done.stdout.splitlines() if line.startswith("next: ")).removeprefix("next: ")


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "jsonl"])
def test_a_table_keeps_the_columns_of_its_user_and_is_what_its_ending_says(command: Command, ending: str) -> None:
    if ending == "xlsx":
        pytest.importorskip("openpyxl")
    done = command(f"ontonym normalize hp.index complaints.csv --column complaint -o found.{ending}")
    assert done.exit_code == 0, done.output
    content = Path(f"found.{ending}").read_bytes()
    starts = {
        "csv": b"patient,complaint,since,ontonym_id,",
        "tsv": b"patient\tcomplaint\tsince\tontonym_id\t",
        "xlsx": b"PK",
        "jsonl": b'{"patient":"P1","complaint":"heart skipping beats","since":',
    }
    assert content.removeprefix(b"\xef\xbb\xbf").startswith(starts[ending])
    again = command(f"ontonym normalize hp.index found.{ending} --column complaint -o again.csv")  # it is read as well
    assert again.exit_code == 0, again.output
    assert "P1,heart skipping beats,2021,HP:0001962" in Path("again.csv").read_text(encoding="utf-8-sig")


def test_an_unknown_ending_is_an_error(command: Command) -> None:
    done = command("ontonym normalize hp.index complaints.csv --column complaint -o found.xslx")
    assert (done.exit_code, "no format has this ending" in done.stderr) == (2, True)
    assert not Path("found.xslx").exists()


def test_targets_are_checked_hints_are_true_and_frequent_codes_come_first(command: Command) -> None:
    done = command("ontonym match codes.csv hp.index --column id=code --column display --mode best --related "
                   "-o p.sssom.tsv --candidates all.sssom.tsv")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert re.search(r"2000×\s+W4\s+Calibration of gizmo", done.stdout), "a preview, and what has no match"
    rows = Path("p.sssom.tsv").read_text(encoding="utf-8")
    assert "skos:broadMatch" in rows, "a broader proposal is called broader"
    assert "sssom:NoTermFound" in rows, "what has no match is written"
    started = command(following(done))
    assert started.exit_code == 0, started.output
    listed = command(following(started))
    assert listed.exit_code == 0, listed.output
    state = shlex.split(following(started))[3]
    assert listed.stdout.index("W4") < listed.stdout.index("W2")
    refused = command(f"ontonym review decide {state} W1 exact I50.9")
    assert (refused.exit_code, "no concept 'I50.9' in hp" in refused.stderr) == (2, True)
    assert "exact HP:0001658 Myocardial infarction" in command(f"ontonym review decide {state} W1 exact 0001658").stdout


def test_an_older_release_does_not_replace_a_newer_one(command: Command) -> None:
    assert command("ontonym import hp-2026.obo -o hp.terminology").exit_code == 0
    done = command("ontonym import hp-2016.obo -o hp.terminology")
    assert done.exit_code == 2
    assert "holds hp 2026-01-16, which is newer than 2016-04-01. Give another place, or --force" in done.stderr


def test_the_system_of_local_codes_reaches_them(command: Command) -> None:
    command("ontonym match codes.csv hp.index --column id=code --column display --mode best -o p.sssom.tsv")
    done = command("ontonym export-mappings p.sssom.tsv -o p.r4.json --system local=http://hospital.example/codes")
    assert done.exit_code == 0, done.output
    groups = json.loads(Path("p.r4.json").read_text(encoding="utf-8"))["group"]
    assert {group["source"] for group in groups} == {"http://hospital.example/codes"}


def test_python_takes_what_people_give_and_says_what_it_wants(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert ontonym.normalize("hp.index", ["fits"])[0].id == "HP:0001250"
    assert ontonym.search("~/here/hp.index", "fits", k=1)[0].id == "HP:0001250"
    with ontonym.open("hp.index") as index:
        assert len(ontonym.search(index, "fits", k=3)) <= 3
        assert index["HP:0001250"].parents.ids == ("HP:0000707",)
    with pytest.raises(WrongTypeError, match="give an index"):
        ontonym.search(3, "fits")
    verbs = {"match", "align", "train", "calibrate", "add_terms", "evaluate_normalization", "open_review", "pairs"}
    assert verbs <= set(ontonym.__all__)
    assert all(inspect.getdoc(getattr(ontonym, name)) for name in verbs)


def test_a_concept_is_looked_up(command: Command) -> None:
    shown = command("ontonym show hp.index 0001250").stdout
    assert all(word in shown for word in ("Seizure", "Convulsion", "Abnormality of the nervous system", "Febrile"))
    assert "Febrile seizure" in command("ontonym tree hp.index HP:0001250").stdout


def test_the_first_help_is_one_screen_and_lists_the_everyday_commands(command: Command) -> None:
    shown = command("ontonym --help").stdout.splitlines()
    assert len(shown) <= 40
    listed = [line for line in shown if re.match(r"^  [a-z-]+ +\S", line)]
    assert 15 <= len(listed) < len(VERBS)


def test_the_guides_are_short_and_need_no_paper(command: Command) -> None:
    guides = sorted((Path(__file__).parent.parent / "docs" / "guides").glob("*.md"))
    assert len(guides) == 6, "and docs/server.md"
    for guide in guides:
        text = guide.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 120, guide.name
        assert not re.search(r"\b(?:O-T|D-T|OD-T|Ngo|Schulz|Kong|Rahimi|section \d)\b", text), guide.name
