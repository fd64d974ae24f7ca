from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from made import concept, examples_of, seed_with, texts_of
from ontonym.errors import UnknownNameError
from ontonym.learning.recipes import PoolOptions, RecipeOptions
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology
from ontonym.types import Term

CONCEPTS = [
    concept("A", "new name", "newer name"),
    concept("B", "other name"),
    concept("O1", "obsolete old name", "Old  NAME", "ancient name", status="retired", replaced_by="A"),
    concept("O2", "vague name", status="retired", consider="A B"),
    concept("O3", "stepping stone", status="retired", replaced_by="O1"),  # leads on to A
    concept("O4", "lost name", status="retired", replaced_by="O5 X:9"),
    concept("O5", "dead end", status="retired"),
    concept("O6", "round and round", status="retired", replaced_by="O7"),
    concept("O7", "and round", status="retired", replaced_by="O6"),
    concept("O8", "new-name", status="retired", replaced_by="A"),
]


def test_names_of_a_retired_concept_with_those_of_what_replaced_it(open_concepts):
    examples = examples_of(open_concepts(CONCEPTS), "historical")
    old = ["old name", "Old  NAME", "ancient name", "stepping stone"]
    expected = [(name, new) for name in old for new in ("new name", "newer name")]
    expected.append(("new-name", "newer name"))  # spelled like the other
    assert Counter(texts_of(examples)) == Counter(expected)
    told = examples.described["historical"]
    assert told["associations"] == {"replaced_by": 3}
    assert (told["pairs_of_concepts"], told["names"]) == (3, 5)


def test_considered_replacements_when_asked_for(open_concepts):
    terminologies = open_concepts(CONCEPTS)
    examples = examples_of(terminologies, "historical", options=RecipeOptions(associations=("consider",)))
    assert texts_of(examples) == [
        ("vague name", "new name"), ("vague name", "newer name"), ("vague name", "other name"),
    ]  # fmt: skip
    both = examples_of(terminologies, "historical", options=RecipeOptions(associations=("replaced-by", "consider")))
    assert both.counts()["train"] == 9 + 3
    assert both.described["historical"]["associations"] == {"replaced_by": 3, "consider": 2}


def test_a_retired_name_of_concepts_in_two_splits_is_not_for_training(open_concepts):
    shares = (0.5, 0.5, 0.0)
    terminologies = open_concepts(CONCEPTS)
    seed = seed_with(terminologies, {"A": "train", "B": "dev"}, shares)
    examples = examples_of(
        terminologies, "historical", options=RecipeOptions(associations=("consider", "replaced_by")),
        pool=PoolOptions(shares=shares, seed=seed),
    )  # fmt: skip
    assert "vague name" not in {old for old, _ in texts_of(examples)}
    assert texts_of(examples, "dev") == [("vague name", "other name")]


def test_a_retired_name_that_a_dev_concept_has_is_not_for_training(open_concepts):
    shares = (0.5, 0.5, 0.0)
    retired = concept("O", "Taken name", "free name", status="retired", replaced_by="A")
    terminologies = open_concepts([concept("A", "new name"), concept("B", "taken NAME"), retired])
    seed = seed_with(terminologies, {"A": "train", "B": "dev"}, shares)
    examples = examples_of(terminologies, "historical", pool=PoolOptions(shares=shares, seed=seed))
    assert texts_of(examples) == [("free name", "new name")]


def test_excluded_retired_names_stay_out(open_concepts):
    examples = examples_of(open_concepts(CONCEPTS[:3]), "historical", pool=PoolOptions(exclude=("name, ancient",)))
    assert {old for old, _ in texts_of(examples)} == {"old name", "Old  NAME"}
    assert examples.described["historical"]["excluded"] == 1


def test_languages_scopes_and_retired_names(open_concepts):
    retired = concept(
        "O", "kept", Term("verworfen", language="de"), Term("broad", scope="broad"), Term("gone", status="retired"),
        status="retired", replaced_by="A",
    )  # fmt: skip
    alone = concept("P", Term("latest", "fsn", status="retired"), Term("earlier", status="retired"),
                    status="retired", replaced_by="A")  # fmt: skip
    made = texts_of(examples_of(open_concepts([concept("A", "new"), retired, alone]), "historical"))
    assert made == [("kept", "new"), ("latest", "new")]


def test_an_unknown_association_is_answered_with_the_known_ones(open_concepts):
    with pytest.raises(UnknownNameError, match=r"unknown association 'same'.*consider, replaced_by"):
        examples_of(open_concepts(CONCEPTS), "historical", options=RecipeOptions(associations=("same",)))


# --- RF2: the three associations of Schulz, section 3.1 --------------------------------------------------------------

REFSETS = {
    "SAME AS": "900000000000527005", "REPLACED BY": "900000000000526001",
    "POSSIBLY EQUIVALENT TO": "900000000000523009", "MOVED TO": "900000000000524003",
}  # fmt: skip
FSN, SYNONYM, MODULE = "900000000000003001", "900000000000013009", "900000000000207008"


def rf2(folder: Path) -> Path:
    """Active concept 1001, and retired ones 2001 to 2004, one for each association."""
    place = folder / "Snapshot" / "Terminology"
    place.mkdir(parents=True)

    def table(name: str, fields: str, rows: list[str]) -> None:
        lines = ["\t".join(["id", "effectiveTime", "active", "moduleId", *fields.split()])]
        lines += [row.replace("|", "\t") for row in rows]
        (place / f"{name}_INT_20310131.txt").write_text("\r\n".join(lines) + "\r\n")

    numbers = range(2001, 2005)
    table(
        "sct2_Concept_Snapshot", "definitionStatusId",
        [f"1001|20300131|1|{MODULE}|1", *(f"{one}|20300131|0|{MODULE}|1" for one in numbers)],
    )  # fmt: skip
    described = [("1001", FSN, "Glump of toe (disorder)"), ("1001", SYNONYM, "Toe glump")]
    described += [(str(one), FSN, f"[D]Glump {one} (finding)") for one in numbers]
    table(
        "sct2_Description_Snapshot-en", "conceptId languageCode typeId term caseSignificanceId",
        [f"{n}|20300131|1|{MODULE}|{one}|en|{kind}|{text}|1" for n, (one, kind, text) in enumerate(described, 11)],
    )  # fmt: skip
    table(
        "der2_cRefset_AssociationSnapshot", "refsetId referencedComponentId targetComponentId",
        [f"u{n}|20300131|1|{MODULE}|{refset}|{n}|1001" for n, refset in zip(numbers, REFSETS.values(), strict=True)],
    )  # fmt: skip
    return folder


@pytest.mark.parametrize(
    ("associations", "retired"),
    [
        (("replaced_by",), (2001, 2002)),
        (("consider",), (2003,)),
        (("SAME AS",), (2001,)),
        (("replaced by", "Possibly Equivalent To"), (2002, 2003)),
        (("replaced_by", "SAME AS", "MOVED TO"), (2001, 2002, 2004)),
    ],
)
def test_associations_of_rf2_by_the_store_s_lists_or_their_own_names(tmp_path, associations, retired):
    build_terminology(read_release([rf2(tmp_path / "release")]), tmp_path / "x.terminology")
    with open_terminology(tmp_path / "x.terminology") as terminology:
        examples = examples_of([terminology], "historical", options=RecipeOptions(associations=associations))
    names = ("Glump of toe (disorder)", "Toe glump")
    assert sorted(texts_of(examples)) == sorted((f"Glump {one}", name) for one in retired for name in names)
