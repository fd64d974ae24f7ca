"""Mappings carried over: every reason to look at one again, what is proposed, and what stays byte for byte."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from listed import stored
from made import concept, opened
from ontonym.errors import FormatError, InputError
from ontonym.store import open_terminology
from ontonym.store.carry import CarryOptions, carry
from ontonym.store.carrywriting import carried_file, doubtful_rows
from ontonym.store.diff import diff
from ontonym.types import Term

OLD = [
    concept("T:0", "all"),
    concept("T:1", "stays", "remains", parents="T:0"),
    concept("T:2", "goes", parents="T:0"),
    concept("T:3", "is replaced", parents="T:0"),
    concept("T:4", "is split", parents="T:0"),
    concept("T:5", "is merged", parents="T:0"),
    concept("T:6", "heart trouble", parents="T:0"),
    concept("T:7", "renamed within its names", "inner name", parents="T:0"),
    concept("T:8", "respelled name", parents="T:0"),
    concept("T:10", "one branch", parents="T:0"),
    concept("T:11", "other branch", parents="T:0"),
    concept("T:12", "moves across", parents="T:10"),
    concept("T:13", "moves down", parents="T:10"),
    concept("T:14", "below one branch", parents="T:10"),
    concept("T:15", "may be", parents="T:0"),
    concept("T:16", "vanishes", parents="T:0"),
    concept("T:17", "lump of the skin", parents="T:0"),
]
NEW = [
    concept("T:0", "all"),
    concept("T:1", "stays", "remains", "another synonym", parents="T:0"),
    concept("T:2", "goes", status="retired"),
    concept("T:3", "is replaced", status="retired", replaced_by="T:1"),
    concept("T:4", "is split", status="retired", replaced_by="T:1 T:7"),
    concept("T:1b", "survivor", alternative_ids="T:5", parents="T:0"),
    concept("T:6", "cardiac arrest", parents="T:0"),
    concept("T:7", "inner name", "renamed within its names", parents="T:0"),
    concept("T:8", "Respelled Name", parents="T:0"),
    concept("T:10", "one branch", parents="T:0"),
    concept("T:11", "other branch", parents="T:0"),
    concept("T:12", "moves across", parents="T:11"),
    concept("T:13", "moves down", parents="T:14"),
    concept("T:14", "below one branch", parents="T:10"),
    concept("T:15", "may be", status="retired", consider="T:1 T:7"),
    concept("T:17", "lump of the skin", parents="T:0"),
    concept("T:20", "wart", "common wart", parents="T:0"),
]
HEAD = "subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification\tcomment\n"
COMMENTS = '#curie_map:\n#  T: http://t.example/\n#subject_source_version: "1"\n# object_source_version: 9\n'


def line(subject, target, label="", modifier="", predicate="skos:exactMatch", ending="\n"):
    return f"{subject}\t{label}\t{predicate}\t{modifier}\t{target}\tsemapv:ManualMappingCuration\t{ending}"


@pytest.fixture(scope="module")
def change(tmp_path_factory):
    folder = tmp_path_factory.mktemp("carry")
    with ExitStack() as stack:
        old, new = (
            stack.enter_context(open_terminology(stored(folder / f"{version}.terminology", concepts, "t", version)))
            for version, concepts in (("1", OLD), ("2", NEW))
        )
        yield diff(old, new)


def carried_over(change, folder, *lines, options=None, head=COMMENTS + HEAD):
    path = folder / "map.sssom.tsv"
    path.write_bytes((head + "".join(lines)).encode())
    return carry(path, [change], options or CarryOptions())


@pytest.mark.parametrize(
    ("source", "reasons", "proposal", "words", "instead"),
    [
        ("T:2", ["retired"], "drop", "T:2 “goes” was retired, and nothing takes its place", []),
        ("T:3", ["retired"], "follow", "T:3 “is replaced” was retired; replaced by T:1 stays", ["T:1"]),
        ("T:4", ["split"], "look again", "T:4 “is split” was retired; replaced by T:1 stays, T:7 inner name",
         ["T:1", "T:7"]),
        ("T:5", ["merged"], "follow", "T:5 “is merged” was merged; is now T:1b survivor", ["T:1b"]),
        ("T:6", ["renamed"], "look again", "T:6 was “heart trouble” and is now “cardiac arrest”", []),
        ("T:12", ["moved"], "look again",
         "T:12 was below T:10 one branch, and is now below T:11 other branch", []),
        ("T:15", ["split"], "look again", "T:15 “may be” was retired; may be T:1 stays, T:7 inner name",
         ["T:1", "T:7"]),
        ("T:16", ["removed"], "drop", "T:16 “vanishes” was removed, and nothing takes its place", []),
        ("T:99", ["unknown"], "look again", "T:99 is in neither release", []),
    ],
)  # fmt: skip
def test_reasons_and_proposals(change, tmp_path, source, reasons, proposal, words, instead):
    carried = carried_over(change, tmp_path, line(source, "X:1"), line("T:17", "X:2"))
    (look,) = carried.doubtful
    assert [finding.reason for finding in look.findings] == reasons
    assert (look.proposal, look.findings[0].words) == (proposal, words)
    assert [link.id for link in look.findings[0].links] == instead
    assert carried.counts == {reasons[0]: 1}


@pytest.mark.parametrize("source", ["T:0", "T:1", "T:7", "T:8", "T:13", "T:17", "X:5"])
def test_what_changes_no_meaning_stays(change, tmp_path, source):
    carried = carried_over(change, tmp_path, line(source, "X:1"), line("T:1", "X:2"))
    assert (carried.doubtful, len(carried.stay)) == ([], 2)


def test_either_end(change, tmp_path):
    carried = carried_over(change, tmp_path, line("X:1", "T:5"), line("T:3", "T:2"))
    assert [(f.end, f.reason) for look in carried.doubtful for f in look.findings] == [
        ("object", "merged"), ("subject", "retired"), ("object", "retired"),
    ]  # fmt: skip
    assert [look.proposal for look in carried.doubtful] == ["follow", "drop"]


def test_a_new_concept_that_has_just_the_name(change, tmp_path):
    mapped = line("X:1", "T:17", label="Wart")
    carried = carried_over(change, tmp_path, mapped)
    (look,) = carried.doubtful
    assert look.findings[0].words == "T:20 wart is new, and has the name “Wart” of X:1"
    assert [row["object_id"] for row in doubtful_rows(carried)] == ["T:17", "T:20"]
    assert carried_over(change, tmp_path, mapped, options=CarryOptions(better=False)).doubtful == []
    assert carried_over(change, tmp_path, line("X:1", "T:17", label="lump of the skin")).doubtful == []
    assert carried_over(change, tmp_path, line("X:1", "T:17", label="Wart", modifier="Not")).doubtful == []


def test_another_semantic_tag_is_another_meaning(tmp_path):
    names = [[Term(f"lump ({tag})", "fsn"), Term("lump", "preferred")] for tag in ("finding", "disorder")]
    with ExitStack() as stack:
        old, new = (
            stack.enter_context(
                open_terminology(stored(tmp_path / f"{version}.terminology", [concept("T:1", *reversed(some))], "t"))
            )
            for version, some in enumerate(names)
        )
        carried = carried_over(diff(old, new), tmp_path, line("T:1", "X:1"))
    assert [finding.words for look in carried.doubtful for finding in look.findings] == [
        "T:1: semantic tag disorder, was finding"
    ]


def test_moves_can_be_left_alone(change, tmp_path):
    assert carried_over(change, tmp_path, line("T:12", "X:1"), options=CarryOptions(moved=False)).doubtful == []


def test_a_survivor_that_is_mapped_already_is_told(change, tmp_path):
    carried = carried_over(change, tmp_path, line("T:3", "X:1"), line("T:1", "X:2"))
    (look,) = carried.doubtful
    assert [finding.reason for finding in look.findings] == ["retired", "joined"]
    assert (look.findings[1].words, look.proposal) == ("T:1 is mapped to X:2 already", "look again")
    same = carried_over(change, tmp_path, line("T:3", "X:1"), line("T:1", "X:1"))
    assert same.doubtful[0].proposal == "follow"
    assert list(carried_file(same, [change], follow=True))[1:] == [line("T:1", "X:1").encode()]  # once


def test_following_writes_new_ids_in_place(change, tmp_path):
    lines = [line("T:1", "X:1"), line("T:5", "X:2", label="is merged", ending="\r\n"), line("T:2", "X:3")]
    carried = carried_over(change, tmp_path, *lines)
    head, first, second = carried_file(carried, [change], follow=True)
    assert head.decode() == (COMMENTS + HEAD).replace('subject_source_version: "1"', 'subject_source_version: "2"')
    assert first == lines[0].encode()
    assert second.decode() == (
        "T:1b\tsurvivor\tskos:exactMatch\t\tX:2\tsemapv:ManualMappingCuration\t"
        "T:5 “is merged” was merged; is now T:1b survivor\r\n"
    )
    assert [row["subject_id"] for row in doubtful_rows(carried, follow=True)] == ["T:2"]


@pytest.mark.parametrize("swapped", [False, True])
def test_each_side_has_its_own_new_version_where_the_old_ones_are_alike(change, tmp_path, swapped):
    other = [concept("U:1", "other side")]
    with ExitStack() as stack:
        old, new = (
            stack.enter_context(open_terminology(stored(tmp_path / f"{version}.terminology", other, "u", version)))
            for version in ("1", "7")
        )
        head = COMMENTS.replace("object_source_version: 9", "object_source_version: 1") + HEAD
        path = tmp_path / "map.sssom.tsv"
        path.write_text(head + line("T:1", "U:1"))
        differences = [change, diff(old, new)][:: -1 if swapped else 1]
        written = b"".join(carried_file(carry(path, differences), differences)).decode()
    assert '#subject_source_version: "2"\n# object_source_version: 7\n' in written


def test_candidates_for_a_review(change, tmp_path):
    carried = carried_over(
        change, tmp_path, line("T:4", "X:1"), line("T:2", "X:2"), line("X:3", "T:15", modifier="Not")
    )
    rows = list(doubtful_rows(carried))
    assert [(row["subject_id"], row["predicate_modifier"], row["object_id"]) for row in rows] == [
        ("T:1", "", "X:1"), ("T:7", "", "X:1"), ("T:2", "", "sssom:NoTermFound"),
        ("X:3", "Not", "T:1"), ("X:3", "Not", "T:7"),
    ]  # fmt: skip
    assert rows[2]["subject_label"] == "goes"
    assert rows[0]["other"] == "proposal: look again; was T:4 skos:exactMatch X:1, line 6 of map.sssom.tsv"
    assert rows[3]["other"] == "proposal: look again; was X:3 not skos:exactMatch T:15, line 8 of map.sssom.tsv"


LINES = st.lists(
    st.tuples(
        st.sampled_from([one.id for one in OLD] + ["T:1b", "T:20", "T:99", "X:1"]),
        st.sampled_from(["X:1", "X:2", "T:5", "T:1", "T:6"]),
        st.sampled_from(["", "wart", "é “quoted”", '"a ""cell"""']),
        st.sampled_from(["", "Not"]),
        st.sampled_from(["\n", "\r\n", "  \n"]),
    ),
    min_size=1,
    max_size=12,
)


@examples(60)
@given(rows=LINES, last=st.booleans())
def test_rows_stay_byte_for_byte_or_are_looked_at(change, tmp_path_factory, rows, last):
    lines = [line(s, o, label, modifier, ending=end) for s, o, label, modifier, end in [("T:1", "X:9", "", "", "\n"),
                                                                                         *rows]]  # fmt: skip
    if last:
        lines[-1] = lines[-1].rstrip()  # no line break at the end
    carried = carried_over(change, tmp_path_factory.mktemp("rows"), *lines)
    written = list(carried_file(carried, [change]))[1:]
    looked = {look.row.line for look in carried.doubtful}
    first = (COMMENTS + HEAD).count("\n") + 1
    assert written == [each.encode() for number, each in enumerate(lines, first) if number not in looked]
    assert len(carried.stay) + len(carried.doubtful) == len(lines)
    assert all(look.findings for look in carried.doubtful)


@pytest.mark.parametrize(
    ("lines", "head", "error", "said"),
    [
        ([line("X:1", "Y:1")], HEAD, InputError, "no id of its mappings is in the releases of t 2"),
        ([], HEAD, InputError, "no id of its mappings"),
        ([line("T:1", "")], HEAD, FormatError, r"map\.sssom\.tsv:2: no object_id"),
        ([line("T:1", "X:1")], "a\tb\n", FormatError, r"map\.sssom\.tsv:1: no column subject_id"),
        ([], "# only a comment\n", FormatError, "no line with the names of columns"),
    ],
)
def test_what_cannot_be_carried(change, tmp_path, lines, head, error, said):
    with pytest.raises(error, match=said):
        carried_over(change, tmp_path, *lines, head=head)


def test_codes_without_a_prefix_are_carried_too(tmp_path):
    old = [concept("A1", "old name"), concept("B2", "stays")]
    new = [concept("A1", "old name", status="retired", replaced_by="C3"), concept("C3", "new name"),
           concept("B2", "stays")]  # fmt: skip
    file = tmp_path / "map.sssom.tsv"
    file.write_text(
        "# curie_map:\n#   local: urn:ontonym:no-prefix:\n"
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
        "local:A1\tskos:exactMatch\tX:1\tsemapv:ManualMappingCuration\n"
        "local:B2\tskos:exactMatch\tX:2\tsemapv:ManualMappingCuration\n"
    )
    with opened(tmp_path, old, new) as (before, after):
        change = diff(before, after)
        carried = carry(file, [change])
        assert [(look.row.subject, look.proposal) for look in carried.doubtful] == [("A1", "follow")]
        assert [row.subject for row in carried.stay] == ["B2"]
        written = b"".join(carried_file(carried, [change], follow=True)).decode().splitlines()
        assert [row.split("\t")[0] for row in written[3:]] == ["local:C3", "local:B2"]
