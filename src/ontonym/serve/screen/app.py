"""The application: what each key does and shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, Concatenate, ParamSpec

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.geometry import Region
from textual.widgets import Footer, Static

from ontonym.errors import OntonymError
from ontonym.serve.reviews import decision_words, progress_line
from ontonym.serve.screen.dialogs import ChoiceDialog, FindDialog, HelpDialog, LineDialog
from ontonym.serve.screen.lists import ItemList
from ontonym.serve.screen.panel import LINES_OF_CANDIDATE, candidates_text, heading
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.review import FILTERS, Event, Review, ReviewCandidate, TargetAround, around

KEYS: tuple[tuple[str, str, str, str, bool], ...] = (
    ("a,enter", "accept", "accept", "accept the marked candidate, with the relation that is proposed", True),
    ("e", "decide('exact')", "exact", "accept it as the same", False),
    ("b", "decide('broad')", "broader", "the candidate is broader than the source", True),
    ("n", "decide('narrow')", "narrower", "the candidate is narrower", True),
    ("r", "decide('related')", "related", "the candidate is only related", True),
    ("x", "reject", "reject", "not this candidate; the next one is marked", True),
    ("0", "none", "no match", "nothing fits", True),
    ("f,t", "find", "find", "another target: searched in the index, or its id typed", True),
    ("plus", "also", "also", "the next decision is in addition to those there are", False),
    ("at", "assign", "assign", "give it to a reviewer", False),
    ("s", "skip", "skip", "put it off, to the end of the list", False),
    ("u", "undo", "undo", "undo what you did last", True),
    ("question_mark", "help", "keys", "all keys", True),
    ("U,ctrl+r", "redo", "redo", "do again what was undone", False),
    ("l", "filter", "list", "which source concepts are listed", True),
    ("slash", "search", "search", "only those with some words; nothing typed lists all again", True),
    ("c", "comment", "comment", "say something about the source concept", True),
    ("g", "jump", "go to", "to a source concept by its id", False),
    ("left,left_square_bracket", "mark(-1)", "", "the candidate before", False),
    ("right,right_square_bracket", "mark(1)", "", "the next candidate", False),
    ("q", "quit", "quit", "leave; everything is kept already", True),
)
"""Every key of the screen: keys, action, word at the bottom, what it does, and whether it stands at the bottom."""

_SHOWN = {"plus": "+", "at": "@", "slash": "/", "question_mark": "?", "left_square_bracket": "[", "ctrl+r": "^r",
          "right_square_bracket": "]", "left": "←", "right": "→", "enter": "⏎"}  # fmt: skip
_MARKS = "·  undecided   ✓ mapped   ∅ nothing fits   ≠ reviewers disagree   » put off   ✎ comment   @ assigned"
_FOUND = 12
Typed = ParamSpec("Typed")


def _told(act: Callable[Concatenate[ReviewApp, Typed], None]) -> Callable[Concatenate[ReviewApp, Typed], None]:
    """What is wrong, such as a full disk, is shown on the screen, and does not end it."""

    @wraps(act)
    def shown(app: ReviewApp, /, *given: Typed.args, **more: Typed.kwargs) -> None:
        try:
            act(app, *given, **more)
        except OntonymError as error:
            app._tell(str(error))

    return shown


class ReviewApp(App[None]):
    """A review on the screen, whose index is searched for other targets, where it has one."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "ontonym review"
    CSS_PATH = Path(__file__).with_name("screen.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(keys, action, word, show=show, key_display=_SHOWN.get(keys.split(",")[0], keys.split(",")[0]))
            for keys, action, word, _, show in KEYS
        ),
        *(Binding(str(digit), f"pick({digit - 1})", show=False) for digit in range(1, 10)),
    ]

    def __init__(self, review: Review, chosen: str = "undecided") -> None:
        super().__init__()
        self.review = review
        self._filter, self._wanted = chosen, ""
        self._marked = 0
        self._also = False
        self._brought: dict[str, list[ReviewCandidate]] = {}
        self._said = ""

    # Drawing --------------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """The list on the left, what is said of one source concept on the right, the keys below."""
        yield Static(id="top")
        with Horizontal(id="body"):
            yield ItemList(self.review)
            with VerticalScroll(id="right", can_focus=False):
                yield Static(id="heading")
                yield Static(id="candidates")
        yield Static(id="said")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Shows the first list."""
        self._list()
        self.items.focus()

    @property
    def items(self) -> ItemList:
        """The list of source concepts."""
        return self.query_one(ItemList)

    @property
    def candidates(self) -> list[ReviewCandidate]:
        """The candidates of the source concept under the cursor, those brought to it last."""
        source = self.items.source
        if not source:
            return []
        item = self.review.item(source)
        brought = [one for one in self._brought.get(source, []) if item.candidate(one.id) is None]
        return [*item.candidates, *brought]

    @property
    def marked(self) -> ReviewCandidate | None:
        """The candidate that is marked."""
        found = self.candidates
        return found[min(self._marked, len(found) - 1)] if found else None

    def _list(self, source: str = "") -> None:
        self.items.show(self.review.listed(self._filter, self._wanted), source)
        if not self.items.sources:
            self._tell(f"nothing is {self._filter}{f' with “{self._wanted}”' if self._wanted else ''}: press l for "
                       "another list")  # fmt: skip
        self._draw()

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        """Another source concept: its proposed candidate, or the best that is left, is marked."""
        self._also = False
        self._mark_best(event.source)
        self._draw()

    def _mark_best(self, source: str) -> None:
        self._marked = 0
        if source:
            item, standing = self.review.item(source), self.review.standing(source)
            wanted = [event.target for event in standing.decisions] + ([item.proposed.id] if item.proposed else [])
            places = {one.id: place for place, one in enumerate(self.candidates) if one.id not in standing.refused}
            first = next(iter(places.values()), 0)
            self._marked = next((places[one] for one in wanted if one in places), first)

    def _draw(self) -> None:
        place = f"{self.items.cursor + 1:,} of {len(self.items.sources):,}" if self.items.sources else "none"
        what = f"{self._filter}{f' “{self._wanted}”' if self._wanted else ''}: {place}"
        name = f"{self.review.journal.path.name}  ·  {self.review.reviewer}"
        self.query_one("#top", Static).update(f"{name}  ·  {what}  ·  {progress_line(self.review.progress())}")
        said = self._said or ("in addition: the next decision leaves what is decided" if self._also else "")
        self.query_one("#said", Static).update(said)
        source = self.items.source
        head, body = self.query_one("#heading", Static), self.query_one("#candidates", Static)
        if not source:
            head.update("")
            body.update("")
            return
        item, standing = self.review.item(source), self.review.standing(source)
        head.update(heading(item, standing))
        width = max(body.size.width, 40)
        body.update(candidates_text(self.candidates, item, standing, self._marked, width, self._around()))
        self.items.refresh_line(self.items.cursor)
        self.call_after_refresh(self._show_marked)

    def _show_marked(self) -> None:
        """Scrolls the candidates so that the marked one is in sight."""
        top = self.query_one("#heading").outer_size.height
        before = LINES_OF_CANDIDATE * self._marked
        place = Region(0, top + before, 1, 3 * LINES_OF_CANDIDATE) if self._marked else Region(0, 0, 1, 1)
        self.query_one("#right", VerticalScroll).scroll_to_region(place, animate=False)

    def on_resize(self) -> None:
        """Lines are cut to the new width."""
        self.call_after_refresh(self._draw)

    def _tell(self, words: str) -> None:
        self._said = words
        self.query_one("#said", Static).update(words)

    # Deciding -------------------------------------------------------------------------------------------------------

    def action_accept(self) -> None:
        """The marked candidate, as it is proposed."""
        if self.marked is not None:
            self._decide(self.marked.verdict, self.marked)
        elif self.items.source:
            self._tell("no candidate to accept: f finds another target, 0 says that nothing fits")

    def action_decide(self, verdict: str) -> None:
        """The marked candidate, with this relation."""
        if self.marked is not None:
            self._decide(verdict, self.marked)

    def action_none(self) -> None:
        """Nothing fits."""
        if self.items.source:
            self._decide("none", None)

    @_told
    def action_reject(self) -> None:
        """Not the marked candidate; stays, and marks the next that is left."""
        source, one = self.items.source, self.marked
        if one is not None and self._done(self.review.decide(source, "reject", one.id, label=one.label)):
            refused = self.review.standing(source).refused
            left = [place for place, each in enumerate(self.candidates) if each.id not in refused]
            self._marked = left[0] if left else self._marked
            if not left:
                self._tell("all candidates are rejected: 0 says that nothing fits, f finds another target")
            self._draw()

    @_told
    def _decide(self, verdict: str, one: ReviewCandidate | None) -> None:
        target, label = (one.id, one.label) if one else ("", "")
        self._done(self.review.decide(self.items.source, verdict, target, label=label, also=self._also))
        self.items.action_move(1)
        self._draw()

    def _done(self, event: Event | None) -> bool:
        self._also = False
        if event is None:
            self._tell("you have decided just that already")
            return False
        self._tell(f"{event.source}: {decision_words(event)}   (u undoes it)")
        return True

    def action_also(self) -> None:
        """The next decision is in addition."""
        self._also = not self._also
        self._said = ""
        self._draw()

    @_told
    def action_skip(self) -> None:
        """Puts the source concept off."""
        if self.items.source:
            self.review.skip(self.items.source)
            self._tell(f"{self.items.source}: put off")
            self.items.action_move(1)
            self._draw()

    def action_undo(self) -> None:
        """Undoes, and goes to the source concept."""
        self._back(self.review.undo, "undone")

    def action_redo(self) -> None:
        """Does again, and goes to the source concept."""
        self._back(self.review.redo, "done again")

    @_told
    def _back(self, act: Callable[[], Event | None], word: str) -> None:
        event = act()
        if event is None:
            self._tell(f"nothing to be {word}")
            return
        self._go(event.source)
        self._tell(f"{word}: {event.source}: {event.did} {decision_words(event) or event.text or event.to}")
        self._mark_best(event.source)
        self._draw()

    def _go(self, source: str) -> None:
        """To a source concept, listed among all where it is not in the list."""
        if source not in self.items.sources:
            self._filter, self._wanted = "all", ""
            self.items.show(self.review.listed("all"), source)
        else:
            self.items.cursor = self.items.sources.index(source)

    # Moving and asking ------------------------------------------------------------------------------------------------

    def action_mark(self, by: int) -> None:
        """The candidate before or after."""
        if self.candidates:
            self._marked = max(0, min(self._marked + by, len(self.candidates) - 1))
            self._draw()

    def action_pick(self, place: int) -> None:
        """The candidate with this number."""
        if place < len(self.candidates):
            self._marked = place
            self._draw()

    def action_filter(self) -> None:
        """Asks which source concepts are listed."""
        choices = [(name, f"{self.review.count(name):>7,}  {meaning}") for name, (meaning, _) in FILTERS.items()]
        self.push_screen(ChoiceDialog("List", choices, self._filter), self._filtered)

    def _filtered(self, name: str | None) -> None:
        if name is not None:
            self._filter, self._said = name, ""
            self._list(self.items.source)

    def action_search(self) -> None:
        """Asks for words."""
        self.push_screen(LineDialog("Only with these words", "in labels and ids", self._wanted), self._searched)

    def _searched(self, wanted: str | None) -> None:
        if wanted is not None:
            self._wanted, self._said = wanted, ""
            self._list(self.items.source)

    def action_jump(self) -> None:
        """Asks for a source concept."""
        self.push_screen(LineDialog("Go to", "the id of a source concept"), self._jumped)

    def _jumped(self, source: str | None) -> None:
        if source and source not in self.review.items:
            self._tell(f"no source concept {source} in this review")
        elif source:
            self._go(source)

    def action_comment(self) -> None:
        """Asks for a comment."""
        if self.items.source:
            self.push_screen(LineDialog(f"Comment on {self.items.source}"), self._commented)

    @_told
    def _commented(self, text: str | None) -> None:
        if text:
            self.review.comment(self.items.source, text)
            self._tell("the comment is kept")
            self._draw()

    def action_assign(self) -> None:
        """Asks for a reviewer."""
        if self.items.source:
            assigned = self.review.standing(self.items.source).assigned
            hint = "the name of a reviewer; nothing takes it away"
            self.push_screen(LineDialog(f"Who has {self.items.source}", hint, assigned), self._assigned)

    def _around(self) -> TargetAround | None:
        """What the index knows around the marked candidate."""
        if self.review.index is None or not 0 <= self._marked < len(self.candidates):
            return None
        return around(self.review.index, self.candidates[self._marked].id)

    @_told
    def _assigned(self, to: str | None) -> None:
        if to is not None:
            self.review.assign([self.items.source], [to])
            self._draw()

    def action_find(self) -> None:
        """Asks for another target."""
        source = self.items.source
        if not source:
            return
        if self.review.index is None:
            hint = "DOID:1 and its name (open the review with an index to search)"
            self.push_screen(LineDialog("Another target by its id", hint), self._typed)
        else:
            self.push_screen(FindDialog(self._ask, self.review.item(source).label), self._bring)

    def _ask(self, text: str) -> list[ReviewCandidate]:
        """What the index has for words, or for an id."""
        assert self.review.index is not None  # noqa: S101 (nothing is asked without)
        index = self.review.index = self.review.index.refreshed()
        known = index.resolve(text)
        if known is not None:
            return [ReviewCandidate(known, index.preferred(index.number(known)), added=True)]
        hits = search(index, text, SearchOptions(k=_FOUND))
        return [
            ReviewCandidate(hit.id, hit.preferred, confidence=hit.confidence, name=text, added=True,
                      why=(f"{hit.matched}: {hit.reason.detail}",))
            for hit in hits
        ]  # fmt: skip

    def _typed(self, text: str | None) -> None:
        if text:
            target, _, label = text.partition(" ")
            self._bring(ReviewCandidate(target, label.strip(), added=True))

    def _bring(self, one: ReviewCandidate | None) -> None:
        """Puts a target among the candidates, marked: the next key decides on it."""
        if one is None:
            return
        source = self.items.source
        if one.id not in {each.id for each in self.candidates}:
            self._brought.setdefault(source, []).append(one)
        self._marked = next(place for place, each in enumerate(self.candidates) if each.id == one.id)
        self._tell(f"{one.id} is among the candidates now: a accepts it, b n r say how it is related")
        self._draw()

    def action_help(self) -> None:
        """All keys."""
        keys = [(" ".join(_SHOWN.get(key, key) for key in names.split(",")), what) for names, _, _, what, _ in KEYS]
        moves = [("↑ ↓ k j", "the source concept before and after; page keys, home and end"),
                 ("1 … 9", "mark the candidate with this number")]  # fmt: skip
        self.push_screen(HelpDialog([*moves, *keys], _MARKS))

    async def action_quit(self) -> Any:
        """Leaves."""
        self.exit()
