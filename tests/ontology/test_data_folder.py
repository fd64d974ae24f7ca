"""Every folder of the open data that holds a terminology imports with one command, and nothing is missing.

What must come out is counted anew here from the files, without our readers, and compared with the data's own README.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ontonym.cli import main
from ontonym.store import Terminology, open_terminology
from ontonym.types import Concept

pytestmark = pytest.mark.live

Import = Callable[..., Any]


class Imported:
    """What an import printed, and the terminology it made."""

    def __init__(self, told: dict[str, Any], terminology: Terminology) -> None:
        self.told = told
        self.terminology = terminology
        self.rows: dict[str, Any] = told["reader"]["rows"]
        self.concepts: dict[str, int] = told["reader"]["concepts"]
        self.names: dict[str, Any] = told["reader"]["terms"]
        self.format: str = told["metadata"]["format"]

    @cached_property
    def all(self) -> list[Concept]:
        """The concepts as they are stored."""
        return [self.terminology.concept(row) for row in range(len(self.terminology))]

    def named(self) -> int:
        """Names read: those kept, and those that repeat another of their concept."""
        return int(sum(self.names["kept"].values()) + self.names["skipped"].get("repeated name", 0))


@pytest.fixture
def imported(data: Path, tmp_path: Path) -> Iterator[Import]:
    opened: list[Terminology] = []

    def _import(*words: str) -> Imported:
        arguments = [str(data / word) if (data / word).exists() and "/" in word else word for word in words]
        place = str(tmp_path / f"{len(opened)}.terminology")
        result = CliRunner().invoke(main, ["import", *arguments, "-o", place, "--json"])
        assert result.exit_code == 0, result.output
        opened.append(open_terminology(place))
        return Imported(json.loads(result.stdout), opened[-1])

    yield _import
    for terminology in opened:
        terminology.close()


@contextmanager
def text(path: Path) -> Iterator[io.TextIOBase]:
    with ExitStack() as stack:
        raw: Any = stack.enter_context(path.open("rb"))
        if path.suffix == ".gz":
            raw = stack.enter_context(gzip.open(raw))
        elif path.suffix == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(raw))
            raw = stack.enter_context(archive.open(archive.namelist()[0]))
        yield stack.enter_context(io.TextIOWrapper(raw, encoding="utf-8-sig", newline=""))


def rows(path: Path, delimiter: str = "\t") -> list[list[str]]:
    with text(path) as stream:
        lines = (line for line in stream if not line.startswith("#"))
        if delimiter == "\t":
            return [[cell.strip('"') for cell in line.rstrip("\r\n").split("\t")] for line in lines]
        return list(csv.reader(lines, delimiter=delimiter))


def obo_counts(path: Path) -> dict[str, int]:
    """Live and obsolete terms, synonyms and is-a lines of live terms, by regular expressions."""
    with text(path) as stream:
        stanzas = [s.partition("\n[")[0] for s in re.split(r"^\[Term\]\r?$", stream.read(), flags=re.MULTILINE)[1:]]
    live = [s for s in stanzas if not re.search(r"^is_obsolete:\s*true", s, re.MULTILINE)]
    return {
        "live": len(live),
        "obsolete": len(stanzas) - len(live),
        "synonyms": sum(len(re.findall(r"^synonym:", s, re.MULTILINE)) for s in live),
        "names": sum(len(re.findall(r"^(?:name|synonym):", s, re.MULTILINE)) for s in stanzas),
        "is_a": sum(len(re.findall(r"^is_a:", s, re.MULTILINE)) for s in live),
    }


@pytest.mark.parametrize(
    ("path", "live", "synonyms"),
    [
        ("hpo/hp.obo.gz", 11_673, 14_218),
        ("hpo/hp_boqa_2017.obo.gz", 12_226, 15_943),
        ("doid/doid_2016-09-19.obo", 6_971, 12_020),
        ("doid/HumanDO_2015.obo", 6_574, 12_769),
        ("doid/orphanet_import.obo", 5_742, 7_605),
        ("gard/gard.obo", 6_110, 27_365),
        ("uberon/craft_UBERON.obo.zip", 13_080, 37_374),
    ],
)
def test_obo(data: Path, imported: Import, path: str, live: int, synonyms: int) -> None:
    counted, made = obo_counts(data / path), imported(path)
    assert (counted["live"], counted["synonyms"]) == (live, synonyms)
    assert made.concepts == {"active": live, "retired": counted["obsolete"]}
    concepts = [concept for concept in made.all if concept.status == "active"]
    assert made.named() == counted["names"]
    assert sum(len(concept.parents) for concept in concepts) == counted["is_a"]


def test_medic(data: Path, imported: Import) -> None:
    with text(data / "medic/medic_06Jul2012.txt") as stream:
        lines = [line.rstrip("\n") for line in stream if line.strip()]
    names = sum(len(line.partition("||")[2].split("|")) for line in lines)
    made = imported("medic/medic_06Jul2012.txt")
    assert (made.concepts["active"], made.named()) == (len(lines), names) == (11_915, 76_237)
    several = sum("|" in line.partition("||")[0] for line in lines)
    assert sum(bool(concept.alternative_ids) for concept in made.all) == several


def test_hpo_with_its_translations(data: Path, imported: Import) -> None:
    with text(data / "hpo/hp.json.gz") as stream:
        graph = json.load(stream)["graphs"][0]
    phenotypes = {n["id"] for n in graph["nodes"] if "/HP_" in n["id"] and n.get("type") == "CLASS"}
    live = [n for n in graph["nodes"] if "/HP_" in n["id"] and "deprecated" not in n.get("meta", {})]
    synonyms = sum(len(n.get("meta", {}).get("synonyms", ())) for n in live)
    assert (len(live), synonyms) == (16_875, 21_805)  # one of them, HP:0034334, is a property
    made = imported("hpo/hp.json.gz", "hpo_translations/")
    assert made.format == "obographs"
    assert made.concepts == {"active": 16_874, "retired": 371}
    assert len(made.all) == len(phenotypes) == 17_245
    assert made.told["statistics"]["is_a_edges"] == sum(e["pred"] == "is_a" for e in graph["edges"]) == 21_138
    alone = imported("hpo/hp.json.gz")
    retired = (
        sum(len(n.get("meta", {}).get("synonyms", ())) for n in graph["nodes"] if n["id"] in phenotypes) - synonyms
    )
    assert alone.named() == len(phenotypes) + synonyms + retired
    fever = {
        t.language: t.text
        for t in made.terminology.concept(made.terminology.row("HP:0001945")).terms
        if t.kind == "preferred"
    }
    assert {"en": "Fever", "de": "Fieber", "es": "Fiebre", "ja": "発熱"}.items() <= fever.items()


def test_hpo_translations_alone(data: Path, imported: Import) -> None:
    translated = names = 0
    for path in sorted((data / "hpo_translations").glob("hp-*.tsv")):
        header, *body = rows(path)
        status = next(i for i in range(len(header)) if body[5][i] in {"OFFICIAL", "CANDIDATE", "NOT_TRANSLATED"})
        value = header.index("translation_value")
        good = [row for row in body if row[0] != "ID" and row[status] != "NOT_TRANSLATED"]
        translated += len(good)
        if "babelon" in path.name:
            names += sum("IAO:0000115" not in row for row in good)
        else:
            names += sum(bool(name.strip()) for row in good for name in row[value].split("|"))
    made = imported("hpo_translations/")
    assert made.rows["kept"] == translated == 114_982
    assert made.named() == names
    assert made.told["metadata"]["details"]["files_left_out"]["first"] == ["PROVENANCE.txt"]


def test_mesh(data: Path, imported: Import) -> None:
    labels = rows(data / "mesh/mesh_id_label_mappings.tsv")
    entries = sum(len([name for name in row[2].split("|") if name]) for row in labels)
    assert (len(labels), entries) == (29_351, 123_902)
    trees = rows(data / "mesh/tree-numbers.tsv")[1:]
    owner = {row[2]: row[0] for row in trees}
    mine = {row[0] for row in labels}
    edges = {(r[0], owner.get(r[2].rpartition(".")[0])) for r in trees if r[0] in mine}
    edges = {(child, parent) for child, parent in edges if parent and parent != child}
    columns = ("mesh_id_label*:id=1", "mesh_id_label*:preferred=2", "mesh_id_label*:entries=3",
               "tree-numbers.tsv:id=mesh_id", "tree-numbers.tsv:tree=mesh_tree_number")  # fmt: skip
    given = [word for column in columns for word in ("--column", column)]
    made = imported("mesh/mesh_id_label_mappings.tsv", "mesh/tree-numbers.tsv", "--prefix", "MESH", *given)
    assert made.concepts["active"] == 29_351
    assert made.names["kept"]["preferred"] + made.names["kept"]["entry"] == 29_351 + 123_902 - 1
    assert made.named() == 29_351 + 123_902
    assert {(c.id[5:], p[5:]) for c in made.all for p in c.parents} == edges
    guessed = imported("mesh/mesh_id_label_mappings.tsv", "mesh/tree-numbers.tsv", "--prefix", "MESH")
    assert guessed.concepts["active"] == len(mine | {row[0] for row in trees})


def test_icd10cm(data: Path, imported: Import) -> None:
    with text(data / "icd10cm/icd10cm_tabular_2021.xml") as stream:
        diagnoses = len(re.findall(r"<diag[ >]", stream.read()))
    with text(data / "icd10cm/icd10cm-order-Jan-2021.txt") as stream:
        codes = {line[6:14].strip() for line in stream}
    assert (diagnoses, len(codes)) == (45_017, 95_358)
    made = imported("icd10cm/")
    assert {c.id[8:].replace(".", "") for c in made.all if "category" not in c.id} >= codes
    assert made.rows["skipped"] == {"list line of a code in the tabular XML": diagnoses}


def test_disease_ontology_tables(data: Path, imported: Import) -> None:
    labels, xrefs = rows(data / "doid/HumanDO.tsv")[1:], rows(data / "doid/allXREFinDO.tsv")[1:]
    assert len(xrefs) == 39_264
    made = imported("doid/HumanDO.tsv", "doid/allXREFinDO.tsv")
    assert (made.rows["read"], made.rows["kept"]) == (len(labels) + len(xrefs),) * 2
    assert made.concepts["active"] == len({row[0] for row in labels} | {row[0] for row in xrefs})
    assert sum(len(c.xrefs) for c in made.all) == 39_264 - 1  # GARD: is there twice for one concept
    by_name: dict[str, set[str]] = {}
    for row in [*labels, *xrefs]:
        by_name.setdefault(row[1], set()).add(row[0])
    edges = {(r[0], *by_name[r[2]]) for r in labels if len(by_name.get(r[2], ())) == 1}
    assert {(c.id, p) for c in made.all for p in c.parents} == edges


def test_symptoms(data: Path, imported: Import) -> None:
    with text(data / "doid/symp_import.owl") as stream:
        classes = re.findall(r'<owl:Class rdf:about="([^"]+)"', stream.read())
    assert imported("doid/symp_import.owl").concepts["active"] == len(set(classes))


def orpha(concept_id: str) -> str:
    return re.sub(r"^Orphanet:", "ORPHA:", concept_id)


def test_efo(data: Path, imported: Import) -> None:
    with text(data / "efo/efo_nxo_2023-07.json.gz") as stream:
        graph = json.load(stream)
    nodes = {node["id"]: node for node in graph["nodes"]}
    synonyms = sum(len(node["synonyms"] or ()) for node in nodes.values())
    assert (len(nodes), synonyms) == (34_826, 104_806)
    made = imported("efo/efo_nxo_2023-07.json.gz", "efo/efo_xrefs.json.gz")
    assert made.format == "nodelink"
    assert len(made.all) == 34_826
    edges = {(orpha(link["target"]), orpha(link["source"])) for link in graph["links"]}
    assert {(c.id, p) for c in made.all for p in c.parents} == edges
    alone = imported("efo/efo_nxo_2023-07.json.gz")
    assert alone.named() + alone.names["skipped"]["empty name"] == 34_826 + synonyms
    with text(data / "efo/efo_xrefs.json.gz") as stream:
        known = sum(row["efo_id"] in nodes for row in json.load(stream))
    assert made.rows["kept"] == 34_826 + known


def curie_of(published: str) -> str:
    return re.sub(r"^https?://identifiers\.org/(\w+)/", r"\1:", published).lower()


def test_mondo(data: Path, imported: Import) -> None:
    labels = {row[0]: row[1] for row in rows(data / "mondo/class-stats.tsv")[1:] if row[1]}
    edges, xrefs = rows(data / "mondo/edges.tsv")[1:], rows(data / "mondo/xrefs.tsv")[1:]
    is_a = [(row[0], row[2]) for row in edges if row[1] == "rdfs:subClassOf"]
    assert len(is_a) == 60_525
    made = imported("mondo/")
    assert len(made.all) == len(labels)
    assert {c.id for c in made.all} >= {own for own in labels if "//" not in own}
    live = [c for c in made.all if c.id.startswith("MONDO:") and not c.preferred.lower().startswith("obsolete")]
    assert len(live) == 32_102
    mine = {(curie_of(child), curie_of(parent)) for child, parent in is_a if child in labels}
    assert {(c.id.lower(), p.lower()) for c in made.all for p in c.parents} == mine
    assert made.rows["skipped"]["row of a concept without any name"] == sum(
        row[0] not in labels for row in [*edges, *xrefs]
    )


def test_chebi(data: Path, imported: Import) -> None:
    names = rows(data / "chebi/chebi_names.tsv")[1:]
    made = imported("chebi/", "--prefix", "CHEBI")
    assert made.rows["kept"] == len(names) == 21_601
    assert made.concepts["active"] == len({row[0] for row in names})


@pytest.mark.parametrize(("name", "classes"), [("mouse", 2_744), ("human_ncit_anatomy", 3_304)])
def test_oaei_anatomy(data: Path, imported: Import, name: str, classes: int) -> None:
    with text(data / f"oaei_anatomy/{name}.owl.xml") as stream:
        about = re.findall(r'<owl:Class rdf:about="([^"]+)"', stream.read())
    made = imported(f"oaei_anatomy/{name}.owl.xml")
    assert len(about) == classes
    own = "class of OWL or of the OBO vocabulary itself"
    assert made.concepts["active"] + made.rows["skipped"][own] == classes


def test_wikidata(data: Path, imported: Import) -> None:
    folder = data / "wikidata"
    items = [row for name in ("disease", "symptom") for row in rows(folder / f"{name}.csv", ",")[1:]]
    mesh, doid = (rows(folder / f"wikidata_{name}.csv", ",")[1:] for name in ("MeSH_ID", "DOID"))
    assert len(mesh) == 38_681
    made = imported("wikidata/")
    known = {row[0] for row in items}
    assert {c.id for c in made.all} == {f"Wikidata:{qid}" for qid in known}
    assert made.rows["read"] == len(items) + len(mesh) + len(doid)
    linked = {(row[0].rpartition("/")[2], f"MESH:{row[1]}") for row in mesh} | {(r[0], f"MESH:{r[8]}") for r in items}
    expected = {(qid, xref) for qid, xref in linked if qid in known and xref != "MESH:"}
    assert {(c.id[9:], x) for c in made.all for x in c.xrefs if x.startswith("MESH:")} == expected
    japanese = {row[0] for row in items if row[5]}
    assert {c.id[9:] for c in made.all if any(t.language == "ja" for t in c.terms)} == japanese


def test_wikiumls(data: Path, imported: Import) -> None:
    with text(data / "wikiumls/meshdesc_wiki.json") as stream:
        titles = json.load(stream)
    columns = ("id@MESH=key", "preferred=value", "xrefs@Wikipedia=value")
    made = imported("wikiumls/meshdesc_wiki.json", *(word for c in columns for word in ("--column", c)))
    assert made.concepts["active"] == len(titles) == 18_663
    assert {c.id[5:]: c.xrefs[0].partition(":")[2] for c in made.all} == titles


@pytest.mark.parametrize(
    ("path", "mappings"),
    [("biomappings/positive.sssom.tsv", 11_719), ("biomappings/negative.sssom.tsv", 1_825), ("mondo_sssom/", 0),
     ("mh_mapping/", 0)],
)  # fmt: skip
def test_mappings(data: Path, imported: Import, path: str, mappings: int) -> None:
    files = [data / path] if path.endswith(".tsv") else sorted((data / path).glob("*.sssom.tsv"))
    tables = [rows(file) for file in files]
    made = imported(path)
    assert made.rows["read"] == made.rows["kept"] == sum(len(table) - 1 for table in tables)
    if mappings:
        assert made.rows["read"] == mappings
    stated: set[tuple[str, str, str]] = set()
    for header, *body in tables:
        place = {name: i for i, name in enumerate(header)}
        for row in body:
            modifier = row[place["predicate_modifier"]] if "predicate_modifier" in place else ""
            predicate = f"not {row[place['predicate_id']]}" if modifier else row[place["predicate_id"]]
            ends = (row[place["subject_id"]], row[place["object_id"]])
            stated.add((ends[0].partition(":")[2], predicate, ends[1].partition(":")[2]))
    found = {
        (c.id.partition(":")[2], name, target.partition(":")[2])
        for c in made.all
        for name, target in [
            *((m.predicate_id, m.object_id) for m in c.mappings),
            *((p.name, p.value) for p in c.properties),
        ]
    }
    assert found == stated
