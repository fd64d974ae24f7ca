"""``ontonym diff`` from two release files to summary, TSV, JSON and page."""

from __future__ import annotations

import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

from ontonym.cli.diff import ELSEWHERE
from ontonym.files.page import text
from ontonym.serve.changes import AFFECTED_COLUMNS, CHANGE_COLUMNS, Report, page_lines, progress_of
from ontonym.store import open_terminology
from ontonym.store.describing import CHANGE_KINDS
from ontonym.store.diff import diff
from outcomes import one_line

OLD = """format-version: 1.2
data-version: 2024-01-01
ontology: tiny

[Term]
id: T:0000001
name: Fever
synonym: "Pyrexia" EXACT []

[Term]
id: T:0000002
name: Cough
is_a: T:0000001

[Term]
id: T:0000003
name: Sniffles
is_a: T:0000001
"""

NEW = """format-version: 1.2
data-version: 2025-01-01
ontology: tiny

[Term]
id: T:0000001
name: Febrile state
synonym: "Pyrexia" EXACT []
synonym: "<script>alert(1)</script> & \\"hot\\"" EXACT []

[Term]
id: T:0000002
name: obsolete Cough
is_obsolete: true
replaced_by: T:0000004

[Term]
id: T:0000003
name: Sniffles
is_a: T:0000004

[Term]
id: T:0000004
name: Tussis
is_a: T:0000001
"""

SSSOM = (
    "#license: x\nsubject_id\tpredicate_id\tobject_id\tmapping_justification\n"
    "X:1\tskos:exactMatch\tT:0000002\tsemapv:ManualMappingCuration\n"
    "X:2\tskos:exactMatch\tT:0000001\tsemapv:ManualMappingCuration\n"
)


@pytest.fixture
def releases(run, tmp_path: Path) -> tuple[Path, Path]:
    places = []
    for name, content in (("old", OLD), ("new", NEW)):
        (tmp_path / f"{name}.obo").write_text(content)
        places.append(tmp_path / f"{name}.terminology")
        assert run("import", tmp_path / f"{name}.obo", "-o", places[-1]).exit_code == 0
    (tmp_path / "map.sssom.tsv").write_text(SSSOM)
    return places[0], places[1]


@pytest.mark.usefixtures("wide")
def test_summary(run, releases) -> None:
    done = run("diff", *releases)
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        f"old        tiny 2024-01-01  (3 active concepts, {releases[0]})",
        f"new        tiny 2025-01-01  (3 active concepts, {releases[1]})",
        "unchanged  0 of 2 concepts that are in both",
        "",
        "1 added",
        "  T:0000004  Tussis, under Febrile state",
        "",
        "1 retired",
        "  T:0000002  Cough → T:0000004 Tussis",
        "",
        "1 renamed",
        "  T:0000001  Fever → Febrile state",
        "",
        "1 synonym gained",
        '  T:0000001  Febrile state: <script>alert(1)</script> & "hot"',
        "",
        "1 moved",
        "  T:0000003  Sniffles: Febrile state → Tussis (still below its former parent)",
        "",
        "all of them: -o changes.html to read, -o changes.tsv or changes.json to work with",
    ]


@pytest.mark.usefixtures("wide")
def test_nothing_changed(run, releases) -> None:
    done = run("diff", releases[0], releases[0])
    assert done.stdout.splitlines()[2:4] == [
        "unchanged  3 of 3 concepts that are in both",
        "caution: both are the same release",
    ]


def test_tsv(run, releases, tmp_path) -> None:
    out = tmp_path / "changes.tsv"
    done = run("diff", *releases, "-o", out)
    assert f"wrote {out} (" in done.stdout
    header, *rows = [line.split("\t") for line in out.read_text().splitlines()]
    assert tuple(header) == CHANGE_COLUMNS
    assert rows == [
        ["added", "T:0000004", "Tussis", "", "T:0000001", "", "", "T:0000001=Febrile state", "", ""],
        ["retired", "T:0000002", "Cough", "", "", "T:0000004", "", "T:0000004=Tussis", "", ""],
        ["renamed", "T:0000001", "Febrile state", "Fever", "Febrile state", "", "", "", "en", ""],
        ["synonym gained", "T:0000001", "Febrile state", "", '<script>alert(1)</script> & "hot"', "", "", "", "en", ""],
        ["moved", "T:0000003", "Sniffles", "T:0000001", "T:0000004", "", "",
         "T:0000001=Febrile state|T:0000004=Tussis", "", "still below its former parent"],
    ]  # fmt: skip


def test_json_to_standard_output_and_file_are_the_same(run, releases, tmp_path) -> None:
    done = run("diff", *releases, "--json", "-o", tmp_path / "changes.json.gz")
    shape = json.loads(done.stdout)
    assert json.loads(gzip.decompress((tmp_path / "changes.json.gz").read_bytes())) == shape
    assert list(shape) == [
        "old", "new", "compared", "unchanged", "cautions", "counts", "checks", "affected", "changes",
    ]  # fmt: skip
    assert (shape["old"]["version"], shape["new"]["active_concepts"]) == ("2024-01-01", 3)
    assert list(shape["counts"]) == list(CHANGE_KINDS)
    assert sum(shape["counts"].values()) == len(shape["changes"]) == 5
    assert shape["changes"][1] == {
        "change": "retired", "id": "T:0000002", "preferred": "Cough", "old": "", "new": "", "parents_lost": [],
        "parents_gained": [], "replaced_by": [{"id": "T:0000004", "preferred": "Tussis", "status": "active"}],
        "consider": [], "language": "", "note": "",
    }  # fmt: skip


class Page(HTMLParser):
    """The tags of a page that were opened and not closed, what it loads, and its rows by section."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.rows: dict[str, int] = {}
        self.section = ""
        self.words: list[str] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.addresses += [str(given[name]) for name in ("src", "href", "action") if name in given]
        if tag == "details":
            self.section = str(given["id"])
        if tag == "tr":
            self.rows[self.section] = self.rows.get(self.section, -1) + 1
        if tag not in {"meta", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_page_is_whole_and_needs_nothing_else(run, releases, tmp_path) -> None:
    out = tmp_path / "changes.html"
    assert run("diff", *releases, "-o", out, "--check", tmp_path / "map.sssom.tsv").exit_code == 0
    content = out.read_text()
    page = Page(content)
    assert page.open == []
    assert page.rows == {"affected": 1, "added": 1, "retired": 1, "renamed": 1, "synonym-gained": 1, "moved": 1}
    assert all(address.startswith("#") for address in page.addresses)
    assert "default-src 'none'" in content
    assert not re.search(r"url\(|@import|https?://", content)
    assert content.count("<script") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;hot&quot;" in content
    assert "<del>Fever</del>" in content


def test_page_says_where_the_rest_is(releases) -> None:
    with open_terminology(releases[0]) as old, open_terminology(releases[1]) as new:
        report = Report(diff(old, new), elsewhere=ELSEWHERE)
        content = "\n".join(page_lines(report, lambda _: None, rows=0))
    assert "The first 0 of 1 are shown. A TSV file has all: -o changes.tsv" in content
    assert Page(content).rows == dict.fromkeys(("added", "retired", "renamed", "synonym-gained", "moved"), 0)


def test_characters_that_turn_the_text_around_are_shown() -> None:
    assert text("a\u202eb<\x00") == "a□b&lt;□"


@pytest.mark.usefixtures("wide")
def test_check_names_the_row_and_the_replacement(run, releases, tmp_path) -> None:
    map_file, out = tmp_path / "map.sssom.tsv", tmp_path / "hint.tsv"
    done = run("diff", *releases, "--check", map_file, "--affected", out)
    assert done.exit_code == 0
    shown = " ".join(done.stdout.split())
    assert (
        f"{map_file}: 1 of 4 ids no longer active (1 since the old release); 1 active, 0 unknown, 2 of other "
        "terminologies. Looked at: subject_id, object_id of 2 rows" in shown
    )
    assert "T:0000002 line 3, object_id: Cough, retired → T:0000004 Tussis [X:1 skos:exactMatch T:0000002]" in shown
    header, row = [line.split("\t") for line in out.read_text().splitlines()]
    assert tuple(header) == AFFECTED_COLUMNS
    assert row == [
        str(map_file), "3", "object_id", "T:0000002", "retired", "this release", "T:0000002", "Cough", "T:0000004", "",
        "T:0000004=Tussis", "", "X:1 skos:exactMatch T:0000002",
    ]  # fmt: skip


def test_check_as_json(run, releases, tmp_path) -> None:
    (tmp_path / "added.csv").write_text("id,term\nT:0000002,hack\n")
    done = run("diff", *releases, "--check", tmp_path / "map.sssom.tsv", "--check", tmp_path / "added.csv", "--json")
    shape = json.loads(done.stdout)
    assert [checked["affected"] for checked in shape["checks"]] == [1, 1]
    assert [(each["line"], each["why"], each["since"], each["text"]) for each in shape["affected"]] == [
        (3, "retired", "this release", "X:1 skos:exactMatch T:0000002"),
        (2, "retired", "this release", "hack"),
    ]


def test_fail_on_affected(run, releases, tmp_path) -> None:
    options = ["--check", tmp_path / "map.sssom.tsv", "--fail-on-affected"]
    done = run("diff", *releases, *options)
    assert one_line(done, 1) == "error: 1 id of concepts that this release took away"
    assert "1 retired" in done.stdout
    assert run("diff", releases[1], releases[1], *options).exit_code == 0


def test_ids_in_a_column_that_is_named(run, releases, tmp_path) -> None:
    (tmp_path / "x.csv").write_text("what\nnothing\n")
    message = one_line(run("diff", *releases, "--check", tmp_path / "x.csv", "--id-column", "wat"))
    assert message == "error: unknown column 'wat'. Did you mean 'what'? Valid: what"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "changes.xlsx"], "changes.xlsx: the ending of the name does not tell what to write. Endings known: "
         ".tsv .json .html"),
        (["--fail-on-affected"], "--id-column, --affected and --fail-on-affected are about --check FILE: name a file "
         "to check"),
        (["--check", "nowhere.tsv"], "nowhere.tsv: no such file"),
        (["-o", "nowhere/changes.tsv"], "nowhere/changes.tsv: cannot be written: there is no folder nowhere"),
    ],
)  # fmt: skip
def test_what_the_user_can_mend(run, releases, arguments, message) -> None:
    assert message in one_line(run("diff", *releases, *arguments))


def test_not_a_terminology(run, releases, tiny, tmp_path) -> None:
    assert "tiny.index" in one_line(run("diff", releases[0], tiny / "tiny.index"))
    assert "old.obo" in one_line(run("diff", tmp_path / "old.obo", releases[1]))


def test_a_failure_leaves_the_old_file_as_it_was(run, releases, tmp_path, monkeypatch) -> None:
    out = tmp_path / "changes.tsv"
    out.write_text("before")

    def broken(report, progress):
        yield "change"
        raise KeyboardInterrupt

    monkeypatch.setattr("ontonym.serve.changes.WRITERS", {".tsv": broken})
    assert run("diff", *releases, "-o", out, "--force").exit_code == 130
    assert out.read_text() == "before"
    assert not list(tmp_path.glob(".changes*"))


def test_progress_is_told_now_and_then(monkeypatch) -> None:
    monkeypatch.setattr("ontonym.serve.changes._STEP", 10)
    told = []
    report = SimpleNamespace(difference=SimpleNamespace(counts=lambda: {"added": 20, "retired": 12}))
    advance = progress_of(report, "writing", lambda *args: told.append(args))
    for more in (*[1] * 15, 7, 9, 1):
        advance(more)
    assert told == [("writing", 10, 32), ("writing", 22, 32), ("writing", 32, 32)]
