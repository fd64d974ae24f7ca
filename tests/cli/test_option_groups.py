"""Command-line options made from an options dataclass."""

from __future__ import annotations

from dataclasses import dataclass

import click
import pytest
from click.testing import CliRunner

from ontonym.cli.errors import in_flags
from ontonym.cli.options import Opt, OptionGroup


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
