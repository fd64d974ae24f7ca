"""Looking concepts up: names, what is around them, branches, and the same concept in other terminologies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from built import indexed
from ontonym import import_release
from ontonym.errors import UnknownIdError, WrongTypeError
from ontonym.index import Index, open_index
from ontonym.serve.concepts import concept_shape, roots_shape, tree_shape
from ontonym.tasks.concepts import ConceptView, branches_of, find_concept

BODY = """format-version: 1.2
data-version: 2024-01-01
ontology: body

[Term]
id: B:1
name: All

[Term]
id: B:2
name: Disorder
is_a: B:1

[Term]
id: B:3
name: Disorder of the heart
is_a: B:2

[Term]
id: B:4
name: Disorder of the lung
is_a: B:2

[Term]
id: B:5
name: Cor <b>pulmonale</b>
def: "Heart disease that comes of the lung." [X:1]
synonym: "Lung heart" EXACT layperson []
synonym: "Heart trouble" BROAD []
xref: O:7
is_a: B:3
is_a: B:4

[Term]
id: B:6
name: Infarct
is_a: B:3

[Term]
id: B:7
name: Asthma
is_a: B:4

[Term]
id: B:9
name: obsolete Dropsy
is_obsolete: true
replaced_by: B:3
"""

OTHER = """format-version: 1.2
data-version: 2023-01-01
ontology: other

[Term]
id: O:1
name: Asthma

[Term]
id: O:7
name: Pulmonary heart disease
is_a: O:1
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("both")
    with open_index(indexed(folder, {"body.obo": BODY, "other.obo": OTHER})) as index:
        yield index


@pytest.fixture
def cor(both: Index) -> ConceptView:
    return find_concept(both, "B:5")


def test_a_concept_says_its_names_and_definition(cor: ConceptView) -> None:
    assert (cor.id, cor.preferred, cor.status) == ("B:5", "Cor <b>pulmonale</b>", "active")
    assert cor.names == ("Cor <b>pulmonale</b>", "Lung heart", "Heart trouble")
    assert cor.definition == "Heart disease that comes of the lung."
    assert cor.xrefs == ("O:7",)


def test_what_is_around_it(cor: ConceptView, both: Index) -> None:
    assert cor.parents.ids == ("B:3", "B:4")
    assert cor.siblings.ids == ("B:7", "B:6"), "by name"
    assert cor.ancestors.ids == ("B:3", "B:4", "B:2", "B:1"), "the nearest first"
    assert find_concept(both, "B:2").descendants.ids == ("B:3", "B:4", "B:5", "B:6", "B:7")
    assert cor.is_a("B:2")
    assert not find_concept(both, "B:2").is_a(cor)
    assert "B:3" in cor.parents
    assert cor.parents[0] == find_concept(both, "B:3")


def test_branches_are_below_what_holds_nearly_all(both: Index) -> None:
    assert branches_of(both, "B:5").ids == ("B:3", "B:4")
    assert branches_of(both, "B:3").ids == (), "a branch is not its own"
    assert branches_of(both, "B:2").ids == ()


def test_the_same_concept_elsewhere(both: Index) -> None:
    assert [one.id for one in find_concept(both, "B:5").elsewhere] == ["O:7"]
    assert [one.id for one in find_concept(both, "O:7").elsewhere] == ["B:5"]
    assert [one.id for one in find_concept(both, "O:1").elsewhere] == ["B:7"]
    assert list(find_concept(both.terminologies[0], "B:5").elsewhere) == [], "a terminology knows no other"


def test_ids_are_forgiven_their_prefix(both: Index) -> None:
    assert find_concept(both.terminologies[0], "5").id == "B:5"
    assert find_concept(both, "5").id == "B:5"
    with pytest.raises(UnknownIdError, match="no concept 'B:55'"):
        find_concept(both, "B:55")


def test_a_retired_concept_is_shown_with_its_successor(both: Index) -> None:
    dropsy = find_concept(both, "B:9")
    assert (dropsy.status, dropsy.replaced_by.ids) == ("retired", ("B:3",))
    assert "B:3 Disorder of the heart" in dropsy._repr_html_()


def test_cards_are_escaped(cor: ConceptView) -> None:
    html = cor._repr_html_()
    assert "<strong>Cor &lt;b&gt;pulmonale&lt;/b&gt;</strong>" in html
    assert "<b>" not in html
    assert "B:3 Disorder of the heart; B:4 Disorder of the lung" in html
    assert "&lt;b&gt;" in find_concept(cor.terminology, "B:3").children._repr_html_()


def test_a_concept_as_json(cor: ConceptView) -> None:
    shape = concept_shape(cor)
    assert shape["names"][2] == {
        "text": "Heart trouble", "kind": "synonym", "scope": "broad", "language": "en", "status": "active",
        "source": "",
    }  # fmt: skip
    assert shape["branches"][1] == {"id": "B:4", "preferred": "Disorder of the lung"}
    assert shape["elsewhere"] == [{"id": "O:7", "preferred": "Pulmonary heart disease", "terminology": "other"}]


def test_a_tree_expands_each_concept_once(cor: ConceptView) -> None:
    (root,) = tree_shape(cor)["trees"]
    disorder = root["children"][0]
    heart, lung = disorder["children"]
    assert (root["id"], disorder["id"], heart["id"], lung["id"]) == ("B:1", "B:2", "B:3", "B:4")
    assert (heart["children"][0]["is_concept"], heart["children"][0]["repeated"]) == (True, False)
    assert (lung["children"][0]["is_concept"], lung["children"][0]["repeated"]) == (True, True)


def test_a_tree_says_what_it_leaves_out(both: Index) -> None:
    (root,) = tree_shape(find_concept(both, "B:3"), levels=1, most=1)["trees"]
    heart = root["children"][0]["children"][0]
    assert ([one["id"] for one in heart["children"]], heart["left_out"]) == (["B:5"], 1)
    top = roots_shape(both.terminologies[0], levels=0, most=1)
    assert (top["trees"][0]["id"], top["trees"][0]["left_out"], top["left_out"]) == ("B:1", 1, 0)


def test_what_is_above_is_looked_up_by_its_id_in_other_terminologies_and_releases(both: Index, tmp_path: Path) -> None:
    cor = find_concept(both, "B:5")
    assert cor.is_a(find_concept(both, "B:2"))
    assert cor.is_a("B:2")
    assert cor.is_a("2"), "as find_concept takes ids"
    assert not cor.is_a(find_concept(both, "O:7")), "row 1 as B:2, which is above"
    assert not cor.is_a("B:5"), "not above itself"
    newer = BODY.replace("data-version: 2024", "data-version: 2025").replace("[Term]\nid: B:1\nname: All\n\n", "")
    (tmp_path / "newer.obo").write_text(newer.replace("is_a: B:1\n", "") + "\n[Term]\nid: B:0\nname: New\n")
    with import_release(tmp_path / "newer.obo", tmp_path / "newer.terminology") as new:
        above = {one.id for one in new if cor.is_a(one)}
        assert above == {"B:2", "B:3", "B:4"}
        assert {one.id for one in cor.ancestors if new["B:5"].is_a(one)} == above, "B:1 is not in the newer one"
    with pytest.raises(UnknownIdError, match="no concept 'O:7' in body"):
        cor.is_a("O:7")
    with pytest.raises(WrongTypeError, match="give the id of a concept as text"):
        cor.is_a(5)  # type: ignore[arg-type]


def test_concepts_of_a_list_by_place_and_by_id(cor: ConceptView) -> None:
    assert cor.parents["B:4"] == cor.parents[1]
    assert cor.parents[:1].ids == ("B:3",)
    with pytest.raises(UnknownIdError, match="no concept 'B:9' in these 2 concepts"):
        cor.parents["B:9"]
