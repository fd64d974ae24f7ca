"""The screen of a review, driven by its keys."""

from __future__ import annotations

import asyncio

import pytest

from made import concept, opened
from ontonym.errors import InputError
from ontonym.index import build_index, open_index
from ontonym.tasks.review import ReviewJournal
from reviewed import HEAD, begun, laid_out, play, reviewing, told

pytest.importorskip("textual")

from ontonym.serve.screen.app import KEYS, ReviewApp

pytestmark = pytest.mark.slow


def press(path, *keys, who="anna", index=None, size=(120, 36), look=lambda app: None):
    """Presses keys in a review, and gives what ``look`` sees at the end; ``type:words`` types."""

    async def go():
        with reviewing(path, who) as review:
            review.index = index
            app = ReviewApp(review)
            async with app.run_test(size=size) as pilot:
                for key in keys:
                    if key.startswith("type:"):
                        await pilot.press(*("space" if each == " " else each for each in key[5:]))
                        await pilot.pause(0.2)
                    else:
                        await pilot.press(key)
                    await pilot.pause()
                return look(app)

    return asyncio.run(go())


def said(app):
    return str(app.query_one("#said").render())


def shown(app):
    return "\n".join(str(app.query_one(name).render()) for name in ("#heading", "#candidates"))


def decided(path):
    with reviewing(path, "looker") as review:
        return {source: told(review, source) for source in review.items if review.standing(source).in_force}


def test_accepting_goes_on_to_the_next(tmp_path):
    path = begun(tmp_path)
    source = press(path, "a", "0", "enter", look=lambda app: app.items.source)
    assert source == "L:3"  # L:2 accepted, L:4 has nothing that fits, L:1 accepted
    assert decided(path) == {
        "L:2": [("anna", "exact", "T:3")], "L:4": [("anna", "none", "")], "L:1": [("anna", "exact", "T:1")],
    }  # fmt: skip


def test_accept_takes_the_relation_that_is_proposed(tmp_path):
    path = begun(tmp_path)
    press(path, "end", "a")
    assert decided(path) == {"L:5": [("anna", "broad", "T:6")]}


@pytest.mark.parametrize(("key", "verdict"), [("e", "exact"), ("b", "broad"), ("n", "narrow"), ("r", "related")])
def test_relations_to_another_candidate(tmp_path, key, verdict):
    path = begun(tmp_path)
    press(path, "2", key)
    assert decided(path) == {"L:2": [("anna", verdict, "T:4")]}


def test_rejecting_stays_and_marks_the_next(tmp_path):
    path = begun(tmp_path)
    marked, words = press(path, "x", look=lambda app: (app.marked.id, said(app)))
    assert (marked, words) == ("T:4", "L:2: reject T:3 cardiac failure   (u undoes it)")
    words = press(path, "x", look=said)  # and it is still so in another session
    assert words.startswith("all candidates are rejected")
    assert decided(path) == {"L:2": [("anna", "reject", "T:3"), ("anna", "reject", "T:4")]}


def test_undo_and_redo_go_where_that_was(tmp_path):
    path = begun(tmp_path)
    source, words = press(path, "a", "0", "u", "u", look=lambda app: (app.items.source, said(app)))
    assert (source, words) == ("L:2", "undone: L:2: decide exact T:3 cardiac failure")
    assert decided(path) == {}
    assert press(path, "U", look=lambda app: app.items.source) == "L:2"
    assert decided(path) == {"L:2": [("anna", "exact", "T:3")]}
    assert press(path, "U", "U", look=said) == "nothing to be done again"


def test_in_addition(tmp_path):
    path = begun(tmp_path)
    press(path, "n", "up", "2", "plus", "n")
    assert decided(path) == {"L:2": [("anna", "narrow", "T:3"), ("anna", "narrow", "T:4")]}


def test_comment_assign_skip(tmp_path):
    path = begun(tmp_path)
    text = press(path, "c", "type:ask ben", "enter", "at", "type:ben", "enter", "s", "up", look=shown)
    assert "✎ ask ben" in text
    assert "for ben" in text
    with reviewing(path) as review:
        standing = review.standing("L:2")
        assert ([event.text for event in standing.comments], standing.assigned) == (["ask ben"], "ben")
        assert review.listed()[-1] == "L:2"


def test_what_cannot_be_done_is_told_and_the_screen_goes_on(tmp_path, monkeypatch):
    def full(*_):
        raise InputError("the disk is full")

    monkeypatch.setattr(ReviewJournal, "_write", full)
    path = begun(tmp_path)
    for keys in (("s",), ("x",), ("c", "type:ask", "enter"), ("at", "type:ben", "enter"), ("a",)):
        assert press(path, *keys, look=said) == "the disk is full"


def test_a_target_that_is_no_candidate(tmp_path):
    path = begun(tmp_path)
    words = press(path, "f", "type:T:99 failing heart", "enter", look=said)
    assert words.startswith("T:99 is among the candidates now")
    assert decided(path) == {}
    press(path, "t", "type:T:99 failing heart", "enter", "b")
    assert decided(path) == {"L:2": [("anna", "broad", "T:99")]}
    with reviewing(path) as review:
        assert review.item("L:2").candidate("T:99").label == "failing heart"


def test_searching_the_index_while_typing(tmp_path, encoder):
    path = begun(tmp_path)
    with opened(tmp_path, [concept("T:1", "renal failure"), concept("T:70", "weak heart", "feeble heart")]) as (one,):
        build_index([one], tmp_path / "t.index", encoder=encoder)
    with open_index(tmp_path / "t.index") as index:
        press(path, "f", "ctrl+u", "type:feeble", "enter", "a", index=index)
        assert decided(path) == {"L:2": [("anna", "exact", "T:70")]}
        press(path, "f", "ctrl+u", "type:T:1", "enter", "r", index=index)
        assert decided(path)["L:4"] == [("anna", "related", "T:1")]
        press(path, "f", "ctrl+u", "type:feeble", "escape", index=index)  # leaving changes nothing
    assert set(decided(path)) == {"L:2", "L:4"}


def test_the_marked_candidate_is_in_sight(tmp_path):
    rows = "".join(f"L:1\tmany\tskos:exactMatch\t\tT:{n}\ttarget {n}\tm\t0.5\t\t\t\t\n" for n in range(20))
    laid_out(tmp_path, HEAD + rows)
    path = begun(tmp_path)

    def scrolled(app):
        return app.query_one("#right").scroll_offset.y

    assert press(path, *["right"] * 3, size=(100, 20), look=scrolled) == 0
    assert press(path, *["right"] * 19, size=(100, 20), look=scrolled) > 20
    assert press(path, *["right"] * 19, *["left"] * 19, size=(100, 20), look=scrolled) == 0


def test_lists_search_and_jump(tmp_path):
    path = begun(tmp_path)
    play(path, "anna", [("none", "L:4", "")])
    assert press(path, look=lambda app: app.items.sources) == ["L:2", "L:1", "L:3", "L:5"]
    sources = press(path, "l", "down", "down", "down", "down", "enter", look=lambda app: app.items.sources)
    assert sources == ["L:4"]  # undecided, mine, assigned, mapped, rejected
    found = press(path, "slash", "type:renal", "enter", look=lambda app: app.items.sources)
    assert found == ["L:1"]
    nothing = press(path, "slash", "type:zzz", "enter", look=lambda app: (app.items.sources, said(app)))
    assert nothing == ([], "nothing is undecided with “zzz”: press l for another list")
    assert press(path, "g", "type:L:5", "enter", look=lambda app: app.items.source) == "L:5"
    assert press(path, "g", "type:L:4", "enter", look=lambda app: app.items.source) == "L:4"  # not in the list
    assert "no source concept L:7" in press(path, "g", "type:L:7", "enter", look=said)


def test_keys_do_nothing_where_there_is_nothing(tmp_path):
    path = begun(tmp_path)
    keys = ["slash", "type:zzz", "enter", *"aebnrx0csu12", "plus", "at", "left", "right", "down", "end"]
    press(path, *keys)
    assert decided(path) == {}
    words = press(path, "down", "a", look=said)  # L:4 has no candidate
    assert words.startswith("no candidate to accept")


def test_what_is_shown(tmp_path):
    path = begun(tmp_path)
    text = press(path, "down", "down", look=shown)
    assert text.startswith("kidney failure   L:1   10×\nproposed: = renal failure")
    assert "▸1 0.95 " in text
    assert "renal failure  T:1" in text
    assert "equal; matched" in text
    top = press(path, look=lambda app: str(app.query_one("#top").render()))
    assert top == "one.review  ·  anna  ·  undecided: 1 of 5  ·  0 of 5 decided (0%): 0 mapped, 0 with no match"


def test_disagreements_are_shown_and_settled(tmp_path):
    from ontonym.tasks.review import merge_journals

    paths = [begun(tmp_path, "a.review"), begun(tmp_path, "b.review")]
    play(paths[0], "anna", [("exact", "L:1", "T:1")])
    play(paths[1], "ben", [("exact", "L:1", "T:2")])
    both = tmp_path / "both.review"
    merge_journals(paths, both)
    keys = ("l", "down", "down", "down", "down", "down", "enter")
    text = press(both, *keys, look=shown)
    assert "reviewers disagree" in text
    assert "✓ exact T:2 renal agenesis   ben" in text
    press(both, *keys, "2", "a")
    assert decided(both) == {"L:1": [("ben", "exact", "T:2"), ("anna", "exact", "T:2")]}


@pytest.mark.parametrize("size", [(60, 14), (200, 60)])
def test_any_size(tmp_path, size):
    path = begun(tmp_path)
    assert press(path, "down", "a", "question_mark", "escape", "l", "escape", size=size, look=said)


def test_every_key_is_in_the_help(tmp_path):
    path = begun(tmp_path)
    text = press(path, "question_mark", look=lambda app: str(app.screen.query_one("#keys").render()))
    for _, _, _, what, _ in KEYS:
        assert what in text
    assert press(path, "question_mark", "a", look=lambda app: app.items.source) == "L:2"  # any key only leaves the help
    assert decided(path) == {}


def test_what_is_around_the_marked_candidate_is_shown(tmp_path, encoder):
    path = begun(tmp_path)
    concepts = [
        concept("T:0", "disease of the heart"),
        concept("T:3", "cardiac failure", parents="T:0", definitions=("The heart pumps too little.",)),
        concept("T:8", "heart attack", parents="T:0"),
    ]
    with opened(tmp_path, concepts) as (one,):
        build_index([one], tmp_path / "t.index", encoder=encoder)
    with open_index(tmp_path / "t.index") as index:
        seen = press(path, index=index, look=shown)
        other = press(path, "2", index=index, look=shown)
    for line in ("The heart pumps too little.", "is a: disease of the heart", "beside it: heart attack"):
        assert line in seen
        assert line not in other
