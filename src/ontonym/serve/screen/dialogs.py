"""Small windows over the screen: one line to type, a search in the target index, a choice, and the keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import Key
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from ontonym.tasks.review import ReviewCandidate

_SOON = 0.12
"""Seconds after the last key until what is typed is searched for."""


class LineDialog(ModalScreen[str | None]):
    """One line to type; None where it is left with Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "leave")]

    def __init__(self, title: str, hint: str = "", text: str = "") -> None:
        super().__init__()
        self._title, self._hint, self._text = title, hint, text

    def compose(self) -> ComposeResult:
        """A title and the line."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title")
            yield Input(self._text, placeholder=self._hint)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """What was typed."""
        self.dismiss(event.value.strip())


class ChoiceDialog(ModalScreen[str | None]):
    """One of several, each with its key and what it is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "leave")]

    def __init__(self, title: str, choices: Sequence[tuple[str, str]], chosen: str = "") -> None:
        super().__init__()
        self._title, self._choices, self._chosen = title, choices, chosen

    def compose(self) -> ComposeResult:
        """A title and the choices."""
        width = max((len(name) for name, _ in self._choices), default=0)
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title")
            yield OptionList(
                *(
                    Option(Text.assemble((name.ljust(width + 2), "bold"), (what, "dim")), id=name)
                    for name, what in self._choices
                )
            )

    def on_mount(self) -> None:
        """Puts the cursor on the current choice."""
        names = [name for name, _ in self._choices]
        choices = self.query_one(OptionList)
        choices.highlighted = names.index(self._chosen) if self._chosen in names else 0
        choices.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """The choice."""
        self.dismiss(event.option.id)


class FindDialog(ModalScreen[ReviewCandidate | None]):
    """Searches the target index while one types; gives the concept that is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "leave"),
        Binding("down", "move(1)", "next", priority=True),
        Binding("up", "move(-1)", "previous", priority=True),
    ]

    def __init__(self, ask: Callable[[str], list[ReviewCandidate]], text: str) -> None:
        super().__init__()
        self._ask, self._text = ask, text
        self._found: list[ReviewCandidate] = []
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """A line to type above what is found."""
        with Vertical(classes="dialog wide find"):
            yield Label("Find another target: words, or an id", classes="title")
            yield Input(self._text)
            yield OptionList()

    def on_mount(self) -> None:
        """Searches for the source's own name first."""
        self._search()

    def on_input_changed(self) -> None:
        """Searches when no key came for a moment."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_SOON, self._search)

    def _search(self) -> None:
        text = self.query_one(Input).value.strip()
        self._found = self._ask(text) if text else []
        options = self.query_one(OptionList)
        options.clear_options()
        for one in self._found:
            sure = "    " if one.confidence is None else f"{one.confidence:.2f}"
            options.add_option(
                Text.assemble(f"{sure}  ", (one.label, "bold"), (f"  {one.id}", "dim"),
                              (f"\n      {'; '.join(one.why)}", "dim"))
            )  # fmt: skip
        if self._found:
            options.highlighted = 0

    def action_move(self, by: int) -> None:
        """Up and down in what is found, while the line keeps the keys."""
        options = self.query_one(OptionList)
        if self._found:
            options.highlighted = max(0, min((options.highlighted or 0) + by, len(self._found) - 1))

    def on_input_submitted(self) -> None:
        """The one that is marked, of what is typed by now."""
        if self._timer is not None:
            self._timer.stop()
            place = self.query_one(OptionList).highlighted
            before = self._found
            self._search()
            if before == self._found:
                self.query_one(OptionList).highlighted = place
        place = self.query_one(OptionList).highlighted
        self.dismiss(self._found[place] if self._found and place is not None else None)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """The mouse chooses too."""
        self.dismiss(self._found[event.option_index])


class HelpDialog(ModalScreen[None]):
    """All keys; any key closes it but those that scroll."""

    def __init__(self, keys: Sequence[tuple[str, str]], marks: str) -> None:
        super().__init__()
        self._keys, self._marks = keys, marks

    def compose(self) -> ComposeResult:
        """The keys in one column."""
        text = Text()
        for name, what in self._keys:
            text.append(f"{name:>12}  ", style="bold cyan")
            text.append(f"{what}\n")
        text.append(f"\n{self._marks}", style="dim")
        with VerticalScroll(classes="dialog wide"):
            yield Label("Keys", classes="title")
            yield Static(text, id="keys")

    def on_key(self, event: Key) -> None:
        """Leaves, and does nothing else; or scrolls."""
        if event.key not in ("up", "down", "pageup", "pagedown", "home", "end"):
            event.stop()
            event.prevent_default()
            self.dismiss(None)
