"""The command line as a whole: groups, everyday options, one meaning for each option, old names, JSON errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click
import pytest

from ontonym.cli import VERBS, main
from ontonym.cli.everyday import EVERYDAY, GROUPS, OWN_THEMES, RENAMED, THEMES
from ontonym.cli.lazy import HelpAll, LazyGroup

ROOT = Path(__file__).parents[2]


def commands(group: click.Command = main, context: click.Context | None = None) -> Iterator[tuple[str, click.Command]]:
    """Every command below the group by its path."""
    context = context or click.Context(main, info_name="ontonym")
    for name in group.table if isinstance(group, LazyGroup) else ():
        command = group.get_command(context, name)
        yield from [(f"{name} {below}", found) for below, found in
                    commands(command, click.Context(command, context, name))] or [(name, command)]  # fmt: skip


COMMANDS = dict(commands())


def options(command: click.Command) -> list[click.Option]:
    return [one for one in command.params if isinstance(one, click.Option) and not isinstance(one, HelpAll)]


def flags(command: click.Command) -> dict[str, click.Option]:
    return {flag: one for one in options(command) for flag in (*one.opts, *one.secondary_opts)}


def takes(option: click.Option) -> str:
    if option.is_flag:
        return ""
    return "a number" if isinstance(option.type, click.types.IntParamType | click.types.FloatParamType) else "a text"


def test_the_first_help_fits_one_screen(run):
    shown = run("--help").stdout
    assert len(shown.splitlines()) <= 40
    assert max(map(len, shown.splitlines()[:-1])) <= 80, "no line is wrapped on a terminal of 80 columns"
    assert max(map(len, shown.splitlines())) <= 100
    for name in ("search", "normalize", "import", "match", "evaluate"):
        assert re.search(rf"^  {name} +\w", shown, re.MULTILINE)
    assert "distill" not in shown


def test_help_all_lists_every_command(run):
    shown = run("--help-all").stdout
    assert sorted(re.findall(r"^  ([a-z-]+) ", shown, re.MULTILINE)) == sorted(VERBS)


def test_every_command_is_in_one_group():
    grouped = [name for often, seldom in GROUPS.values() for name in f"{often} {seldom}".split()]
    assert len(grouped) == len(set(grouped))
    assert set(VERBS) <= set(grouped)


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_help_shows_at_most_twelve_options(run, path):
    shown = run(*path.split(), "--help").stdout
    listed = re.findall(r"^  (-[a-z-]+)", shown.partition("\nOptions:\n")[2], re.MULTILINE)
    assert 2 <= len(listed) <= 12, listed
    assert len(EVERYDAY.get(path, "").split()) <= 10


def test_help_all_shows_every_option(run):
    shown = run("train", "--help-all").stdout
    assert [flag for flag in flags(COMMANDS["train"]) if not re.search(rf"{flag}\b", shown)] == []
    assert "--help-all" not in shown
    assert "--matryoshka" not in run("train", "--help").stdout


def test_help_all_shows_the_other_options_by_theme(run):
    shown = run("normalize", "--help-all").stdout
    everyday, _, others = shown.partition("\nWhat is read:\n")
    assert "  --column " in everyday
    assert "  --verbatim " not in everyday
    assert re.search(r"\nA second stage:\n  --rerank DIR .*?\n  --rerank-weight ", others, re.DOTALL)
    assert others.index("\nWhere things are now:\n  --terminology-at ") < others.index(
        "\nFiles that are there already:\n"
    )
    assert shown.index("Files that are there already") < shown.index("Examples:")


def test_help_calls_numbers_as_people_do(run):
    shown = run("match", "--help-all").stdout
    assert "\n  --threshold NUMBER " in shown
    assert "\n  -k N " in shown
    assert not any(word in (ROOT / "docs/cli.md").read_text() for word in ("INTEGER", "FLOAT"))


@pytest.mark.parametrize(
    ("command", "theme", "flag"),
    [
        ("match", "What is searched for, and how", "--tag TAG"),
        ("match", "What is written", "--format NAME"),
        ("import", "For releases of one publisher", "--tag NAME"),
        ("calibrate", "How figures are taken", "--seed N"),
    ],
)
def test_an_option_stands_under_the_theme_of_its_command(run, command, theme, flag):
    shown = run(command, "--help-all").stdout
    themes = re.split(r"\n([A-Z][^\n]*):\n", shown)
    assert [title for title, text in pairwise(themes) if f"\n{text}".count(f"\n  {flag} ")] == [theme]


def test_every_own_theme_is_of_an_option_that_is_there():
    for path, own in OWN_THEMES.items():
        assert own.keys() <= flags(COMMANDS[path]).keys(), path
        assert set(own.values()) <= set(THEMES), path


def test_every_option_that_is_not_of_every_day_has_one_theme():
    themed = [flag for flags in THEMES.values() for flag in flags.split()]
    assert len(themed) == len(set(themed))
    rest = {one for path in EVERYDAY for command in [COMMANDS[path]] for more in command.params
            if isinstance(more, HelpAll) for one in more.rest}  # fmt: skip
    assert [one.opts for one in rest if not set(one.opts) & set(themed)] == []


def test_every_everyday_option_and_every_new_name_is_there():
    for path, listed in EVERYDAY.items():
        assert set(listed.split()) <= set(flags(COMMANDS[path])), path
    for path, names in RENAMED.items():
        here = flags(COMMANDS[path])
        assert set(names.values()) <= set(here), path
        assert not names.keys() & here.keys(), path


def test_one_name_has_one_meaning():
    rows = re.findall(r"^\| `(\S+)` \| (.*?) \| (.+) \|$", (ROOT / "docs/options.md").read_text(), re.MULTILINE)
    table = {name: kind.strip() for name, kind, _ in rows}
    assert len(table) == len(rows), "an option stands twice in docs/options.md"
    used: dict[str, set[str]] = {}
    for command in COMMANDS.values():
        for flag, option in flags(command).items():
            used.setdefault(flag, set()).add(takes(option))
    assert {flag: {kind} for flag, kind in table.items()} == used


def test_old_names_of_options_are_read(run, tiny):
    search = ("search", tiny / "tiny.index", "fits", "--json")
    asked = [run(*search, option, tiny / "tiny.terminology") for option in ("--terminology-at", "--terminology")]
    assert asked[0].exit_code == 0
    assert asked[0].stdout == asked[1].stdout == run(*search, f"--terminology={tiny / 'tiny.terminology'}").stdout


@pytest.mark.parametrize(
    "asked", [("search", "no.index", "fits"), ("search", "no.index", "fits", "--kk", "3"), ("serch",)]
)
def test_who_asks_for_json_gets_errors_as_json(run, asked):
    plain, done = run(*asked), run(*asked, "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert json.loads(done.stderr) == {"error": plain.stderr.strip().removeprefix("error: "), "exit_code": 2}
