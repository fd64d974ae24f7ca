"""Command-line options made from an options dataclass."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import ontonym
from ontonym.cli import VERBS, main
from ontonym.cli.errors import COMMANDS, in_flags
from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.searching import NORMALIZE, PLACE, RERANKING, SEARCH, RerankingOptions
from ontonym.index.open import IndexPlace
from ontonym.tasks import NormalizeOptions, SearchOptions


@dataclass(frozen=True)
class Drink:
    """What is drunk."""

    sugar: int = 2
    milk: bool = True
    hot: bool = False
    with_: tuple[str, ...] = ()
    cup: float | None = None
    name: str = "tea"


GROUP = OptionGroup(
    Drink(hot=True),
    sugar=Opt("Spoons.", "-s"),
    milk=Opt("Without milk.", "--black", off=True),
    hot=Opt("Cold.", "--cold", off=True),
    with_=Opt("What goes with it.", "--with", "FOOD"),
    cup=Opt("Litres.", type=float),
)


@pytest.mark.parametrize(
    ("typed", "drink", "given"),
    [
        ("", Drink(hot=True), {}),
        ("-s 1 --black --with jam --with scones", Drink(1, False, True, ("jam", "scones")),
         {"sugar": 1, "milk": False, "with_": ("jam", "scones")}),
        ("--cup 0.5 --cold", Drink(cup=0.5), {"hot": False, "cup": 0.5}),
    ],
)  # fmt: skip
def test_a_command_gets_its_options_as_one_object(typed, drink, given):
    found = []

    @click.command()
    @click.argument("place")
    @GROUP.as_("drink")
    def command(place, drink):
        found.append((place, drink, GROUP.given("drink")))

    done = CliRunner().invoke(command, ["home", *typed.split()])
    assert (done.output, found) == ("", [("home", drink, given)])


def test_a_field_that_is_not_there_is_refused():
    with pytest.raises(TypeError, match="Drink has no field salt"):
        OptionGroup(Drink(), salt=Opt("Salt."))


def test_messages_are_shown_in_the_words_of_the_command_line():
    message = "x: which? Name it, `format=NAME`, leave `at_once=` out, or run `build_index()` or `other()`"
    shown = "x: which? Name it, --format NAME, leave --at-once out, or run `ontonym index` or `other()`"
    assert in_flags(message) == shown
    assert in_flags("only look with `keep=False`") == "only look with --dry-run"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("train-reranker", "x", "--base", "x", "-o", "y", "--hidden", "0"), "--hidden must be at least 1, not 0"),
        (("learn-ranking", "x", "--hidden-share", "3"), "--hidden-share is a share between 0 and 1, not 3"),
        (("evaluate", "normalization", "x", "y", "--depth", "2"), "--depth must be at least 10, not 2"),
        (("evaluate", "strategies", "x", "y", "--signal", "all"), "--signal all: strategies are compared under one"),
    ],
)
def test_messages_name_the_flag_that_the_command_itself_has(run, tmp_path, monkeypatch, typed, said):
    monkeypatch.chdir(tmp_path)
    done = run(*typed)
    assert done.exit_code == 2
    assert said in done.stderr


def test_every_field_that_messages_name_is_a_flag_of_a_command():
    flags = {flag for command in commands(main) for one in command.params for flag in (*one.opts, *one.secondary_opts)}
    fields = {one.name.rpartition("__")[2] for command in commands(main) for one in command.params if "__" in one.name}
    unknown = set()
    for path in Path(ontonym.__file__).parent.rglob("*.py"):
        if path.parent.name == "cli":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        described = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
        texts = [one for one in ast.walk(tree) if isinstance(one, ast.Constant) and id(one) not in described]
        named = {
            field for one in texts if isinstance(one.value, str) for field in re.findall(r"`([a-z_]+)=", one.value)
        }
        unknown |= {f"{path.name}: {one}" for one in named if one not in fields and in_flags(f"`{one}=`") not in flags}
    assert unknown == set()


def commands(group, parent=None, name="ontonym"):
    """Every command that is no group."""
    context = click.Context(group, parent=parent, info_name=name)
    for below in group.list_commands(context):
        command = group.get_command(context, below)
        if isinstance(command, click.Group):
            yield from commands(command, context, below)
        else:
            yield command


def test_a_group_can_be_made_of_another_one():
    few = GROUP.but("sugar", defaults=Drink(sugar=5), cup=Opt("Cups.", type=int))
    found = []

    @click.command()
    @few.as_("drink")
    def command(drink):
        found.append(drink)

    done = CliRunner().invoke(command, ["--help"])
    assert "--black" not in done.output
    assert "[default: 5]" in done.output
    assert CliRunner().invoke(command, ["--cup", "2"]).output == ""
    assert found == [Drink(sugar=5, cup=2)]


@pytest.mark.parametrize(
    ("group", "typed", "made"),
    [
        (SEARCH, "-k 3 --within A --within B --tag T --only hp --signal char --strategy O-T",
         SearchOptions(3, "O-T", "char", within=("A", "B"), tags=("T",), terminologies=("hp",))),
        (NORMALIZE, "--precision 0.9 --as-written --no-document --whole --expect T --section Allergies=substance",
         NormalizeOptions(precision=0.9, abbreviations=False, document=False, composites=False, expected=("T",),
                          sections=(("Allergies", "substance"),))),
        (RERANKING, "--rerank R --rerank-depth 3 --rerank-weight 2 --rerank-below 1", RerankingOptions("R", 3, 2, 1)),
        (PLACE, "--terminology-at A --terminology-at B --encoder E", IndexPlace(Path(), ("A", "B"), "E")),
    ],
)  # fmt: skip
def test_the_shared_groups_make_what_python_users_pass(group, typed, made):
    found = []

    @click.command()
    @group.as_("options")
    def command(options):
        found.append(options)

    assert CliRunner().invoke(command, typed.split(), catch_exceptions=False).output == ""
    assert found == [made]


def test_every_function_that_messages_name_exists_and_has_a_command():
    source = Path(ontonym.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in source.rglob("*.py") if path.parent.name != "cli"}
    defined = {name for text in texts.values() for name in re.findall(r"^def (\w+)\(", text, re.MULTILINE)}
    assert sorted(COMMANDS.keys() - defined) == []
    assert sorted(command for command in COMMANDS.values() if command.split()[0] not in VERBS) == []
