"""The list of source concepts: drawn line by line, so that it is as fast with a million as with ten."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ontonym.tasks.review import Item, Review, ReviewStanding
from ontonym.text.visible import cut_to

MARKS = {"undecided": ("·", "dim"), "mapped": ("✓", "green"), "none": ("∅", "yellow"), "disagreed": ("≠", "bold red")}
"""How the status of a source concept is drawn, and in which style."""

NARROW = 44
"""Columns below which the list leaves out ids."""

_CHOSEN = Style(bgcolor="#264f78", color="#ffffff")


class ItemList(ScrollView, can_focus=True):
    """The source concepts that are listed; a `Chosen` message names the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "previous", show=False),
        Binding("down,j", "move(1)", "next", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("home", "first", "first", show=False),
        Binding("end", "last", "last", show=False),
    ]

    cursor: reactive[int] = reactive(0)

    class Chosen(Message):
        """The cursor came to another source concept, or the list has none."""

        def __init__(self, source: str) -> None:
            self.source = source
            super().__init__()

    def __init__(self, review: Review) -> None:
        super().__init__()
        self._review = review
        self.sources: list[str] = []

    @property
    def source(self) -> str:
        """The source concept under the cursor, empty where there is none."""
        return self.sources[self.cursor] if self.sources else ""

    def show(self, sources: list[str], source: str = "") -> None:
        """Lists these, with the cursor on ``source`` where it is among them, else on the first."""
        self.sources = sources
        self.virtual_size = Size(max(self.size.width, 1), len(sources))
        self.set_reactive(ItemList.cursor, sources.index(source) if source in sources else 0)
        self.refresh()
        self._arrived()

    def action_move(self, by: int) -> None:
        """One up or down."""
        self.go(self.cursor + by)

    def action_page(self, by: int) -> None:
        """One page up or down."""
        self.go(self.cursor + by * max(self.size.height - 1, 1))

    def action_first(self) -> None:
        """To the first."""
        self.go(0)

    def action_last(self) -> None:
        """To the last."""
        self.go(len(self.sources) - 1)

    def go(self, place: int) -> None:
        """To this place, or the nearest that there is."""
        self.cursor = max(0, min(place, len(self.sources) - 1))

    def watch_cursor(self, before: int) -> None:
        """Brings the cursor into sight, and draws what it left and where it came."""
        self.refresh_line(before)
        self.refresh_line(self.cursor)
        self._arrived()

    def on_resize(self) -> None:
        """Lines are as wide as the list."""
        self.virtual_size = Size(max(self.size.width, 1), len(self.sources))

    def _arrived(self) -> None:
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
        self.post_message(self.Chosen(self.source))

    def render_line(self, y: int) -> Strip:
        """The line at ``y`` on the screen."""
        place = y + self.scroll_offset.y
        width = self.size.width
        if place >= len(self.sources):
            return Strip.blank(width, self.rich_style)
        item = self._review.items[self.sources[place]]
        text = line_of(item, self._review.standing(item.id), self._review.reviewer, width)
        segments = [*text.render(self.app.console)]
        strip = Strip([one for one in segments if one.text != "\n"]).adjust_cell_length(width)
        strip = strip.apply_style(self.rich_style)
        if place == self.cursor:
            strip = Strip([Segment(one.text, (one.style or Style()) + _CHOSEN) for one in strip]).simplify()
        return strip

    def on_click(self, event: object) -> None:
        """The mouse moves the cursor too."""
        place = getattr(event, "y", 0) + self.scroll_offset.y
        if 0 <= place < len(self.sources):
            self.cursor = place


def compact(number: float) -> str:
    """A frequency in at most five characters: ``950``, ``12k``, ``3.4M``."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= (size if size > 1e3 else 1e4):
            return f"{number / size:.1f}{unit}" if number < 10 * size else f"{number / size:.0f}{unit}"
    return f"{number:.4g}"


def line_of(item: Item, standing: ReviewStanding, reviewer: str, width: int) -> Text:
    """A source concept in one line: status, whose, label, id, how often."""
    mark, style = MARKS[standing.status]
    if standing.status == "undecided" and reviewer in standing.skipped:
        mark = "»"
    often = f" {compact(item.frequency):>5}×" if item.frequency != 1 else ""
    end = often if width < NARROW or item.label == item.id else f" {item.id}{often}"
    flags = ("✎" if standing.comments else " ") + ("@" if standing.assigned else " ")
    room = max(width - len(end) - 6, 8)
    label = cut_to(item.label, room)
    text = Text(no_wrap=True, end="")
    text.append(f"{mark} ", style=style)
    text.append(label.ljust(room), style="" if standing.status == "undecided" else "dim")
    text.append(f" {flags}", style="cyan")
    text.append(end, style="dim")
    return text
