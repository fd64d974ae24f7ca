"""A release of two invented concepts in every format, with the ways in which it may be wrong.

The child is ``Ménière's disease``, the parent ``Ear disorder``. Whoever adds a format adds its sample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

Change = tuple[str, str]
CHILD, PARENT = "Ménière's disease", "Ear disorder"


@dataclass(frozen=True)
class Sample:
    """``files`` by name; ``ids`` of child and parent. A change replaces text that is in one of the files once.

    ``row`` is the child's own row, which stands twice where an id does. ``parent`` names a parent that is not there,
    ``cycle`` makes the parent a child of the child, ``broken`` makes one row malformed. Where the columns of a file
    are told by their names, ``columns`` is the file, its delimiter, and a column that is needed; the first ``fixed``
    columns tell the format, so they stay where they are.
    """

    files: dict[str, str]
    ids: tuple[str, str]
    row: str = ""
    parent: Change | None = None
    cycle: Change | None = None
    broken: Change | None = None
    columns: tuple[str, str, str] | None = None
    fixed: int = 0

    def changed(self, change: Change) -> Sample:
        """The sample with text replaced that must be there."""
        old, new = change
        assert sum(text.count(old) for text in self.files.values()) == 1, f"{old!r} is not there once"
        return replace(self, files={name: text.replace(old, new) for name, text in self.files.items()})

    def encoded(self, encode: Callable[[str], bytes] = str.encode) -> dict[str, bytes]:
        """The files as bytes."""
        return {name: encode(text) for name, text in self.files.items()}


def write(folder: Path, files: dict[str, bytes]) -> list[Path]:
    """The files in a folder, and their paths."""
    paths = [folder / name for name in files]
    for path, data in zip(paths, files.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return paths


def table(*rows: str, delimiter: str = "\t") -> str:
    """Rows parted by ``|`` as lines parted by the delimiter."""
    return "".join(row.replace("|", delimiter) + "\n" for row in rows)


CORE, ACTIVE = "900000000000207008", "20200131|1|900000000000207008"
DESCRIPTION = "conceptId|languageCode|typeId|term|caseSignificanceId"
RELATIONSHIP = "sourceId|destinationId|relationshipGroup|typeId|characteristicTypeId|modifierId"
COMMON = "id|effectiveTime|active|moduleId"
LOINC = "LOINC_NUM|COMPONENT|PROPERTY|TIME_ASPCT|SYSTEM|SCALE_TYP|METHOD_TYP|CLASS|STATUS|LONG_COMMON_NAME"
ICD11 = "Foundation URI|Linearization URI|Code|BlockId|Title|ClassKind|DepthInKind|IsResidual|ChapterNo|isLeaf"
MMS = "http://id.who.int/icd/release/11/mms"


def _mesh(number: int, name: str, tree: str) -> str:
    return f"""<DescriptorRecord DescriptorClass="1">
 <DescriptorUI>D90000{number}</DescriptorUI><DescriptorName><String>{name}</String></DescriptorName>
 <TreeNumberList><TreeNumber>{tree}</TreeNumber></TreeNumberList>
 <ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M900000{number}</ConceptUI>
  <ConceptName><String>{name}</String></ConceptName>
  <TermList><Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="NON" RecordPreferredTermYN="Y">
   <TermUI>T90000{number}</TermUI><String>{name}</String></Term></TermList>
 </Concept></ConceptList>
</DescriptorRecord>
"""


def _wikidata(number: int, name: str, parent: str = "") -> str:
    value = f'{{"entity-type": "item", "id": "{parent}"}}'
    above = f', "P279": [{_statement("P279", value)}]' if parent else ""
    return (
        f'{{"type": "item", "id": "Q90000{number}", "labels": {{"en": {{"language": "en", "value": "{name}"}}}}, '
        f'"claims": {{"P486": [{_statement("P486", f"{chr(34)}D90000{number}{chr(34)}")}]{above}}}}}'
    )


def _statement(name: str, value: str) -> str:
    snak = f'{{"snaktype": "value", "property": "{name}", "datavalue": {{"value": {value}, "type": "any"}}}}'
    return f'{{"mainsnak": {snak}, "type": "statement", "rank": "normal"}}'


def _atom(number: int, name: str) -> str:
    return f"C000000{number}|ENG|P|L{number}|PF|S{number}|Y|A{number}|||D{number}|MSH|MH|D{number}|{name}|0|N||\n"


def _omop(number: int, name: str) -> str:
    return f"900{number}|{name}|Condition|SNOMED|Disorder|S|100{number}|20200101|20991231|"


def _page(number: int, title: str) -> str:
    return (
        f'{{"index": {{"_type": "_doc", "_id": "{number}"}}}}\n{{"namespace": 0, "title": "{title}", "wiki": "enwiki", '
        f'"language": "en", "opening_text": "About it.", "text": "About it.", "redirect": []}}\n'
    )


def _claml(code: str, kind: str, name: str, more: str) -> str:
    label = f'<Rubric kind="preferred"><Label xml:lang="en">{name}</Label></Rubric>'
    return f'<Class code="{code}" kind="{kind}">{more}{label}</Class>\n'


OMOP = (
    "concept_id|concept_name|domain_id|vocabulary_id|concept_class_id|standard_concept|concept_code|"
    "valid_start_date|valid_end_date|invalid_reason"
)
OMOP_IS_A = "9002|9001|Is a|20200101|20991231|"
RF2_CHILD = f"11|{ACTIVE}|1001|en|900000000000003001|{CHILD} (disorder)|900000000000448009"
RF2_IS_A = f"21|{ACTIVE}|1001|1002|0|116680003|900000000000011006|900000000000451002"
FHIR_CHILD = f'{{"code": "2", "display": "{CHILD}", "property": [{{"code": "parent", "valueCode": "1"}}]}},\n'
NODE = "http://purl.obolibrary.org/obo/X_"
OWL_CHILD = f"""<owl:Class rdf:about="{NODE}2"><rdfs:subClassOf rdf:resource="{NODE}1"/>
 <rdfs:label>{CHILD}</rdfs:label></owl:Class>
"""
SKOS_CHILD = f"""<http://x.example/2> a skos:Concept ; skos:inScheme <http://x.example/> ;
 skos:broader <http://x.example/1> ;
 skos:prefLabel "{CHILD}"@en .
"""
ICD10CM_CHILD = f"<diag><name>H81</name><desc>{CHILD}</desc></diag>\n"

SAMPLES: MappingProxyType[str, Sample] = MappingProxyType(
    {
        "obo": Sample(
            {
                "x.obo": "format-version: 1.2\nontology: x\n\n[Term]\nid: X:1\nname: Ear disorder\n\n"
                f"[Term]\nid: X:2\nname: {CHILD}\nis_a: X:1\n\n"
            },
            ("X:2", "X:1"),
            row=f"[Term]\nid: X:2\nname: {CHILD}\nis_a: X:1\n\n",
            parent=("is_a: X:1", "is_a: X:9"),
            cycle=("name: Ear disorder\n", "name: Ear disorder\nis_a: X:2\n"),
            broken=("name: Ear disorder\n", "name: Ear disorder\nnothing\n"),
        ),
        "obographs": Sample(
            {
                "x.json": '{"graphs": [{"id": "http://purl.obolibrary.org/obo/x.json", "nodes": [\n'
                f'{{"id": "{NODE}2", "type": "CLASS", "lbl": "{CHILD}"}},\n'
                f'{{"id": "{NODE}1", "type": "CLASS", "lbl": "Ear disorder"}}\n'
                f'], "edges": [\n{{"sub": "{NODE}2", "pred": "is_a", "obj": "{NODE}1"}}\n]}}]}}\n'
            },
            ("X:2", "X:1"),
            row=f'{{"id": "{NODE}2", "type": "CLASS", "lbl": "{CHILD}"}},\n',
            parent=(f'"obj": "{NODE}1"', f'"obj": "{NODE}9"'),
            cycle=('"edges": [\n', f'"edges": [\n{{"sub": "{NODE}1", "pred": "is_a", "obj": "{NODE}2"}},\n'),
            broken=('"lbl": "Ear disorder"', '"lbl": ["Ear disorder"]'),
        ),
        "fhir": Sample(
            {
                "CodeSystem-x.json": '{"resourceType": "CodeSystem", "url": "http://x.example/cs",\n'
                '"status": "active", "content": "complete", "hierarchyMeaning": "is-a",\n'
                '"property": [{"code": "parent", "type": "code", '
                '"uri": "http://hl7.org/fhir/concept-properties#parent"}],\n'
                f'"concept": [{FHIR_CHILD}{{"code": "1", "display": "Ear disorder"}}]}}\n'
            },
            ("cs:2", "cs:1"),
            row=FHIR_CHILD,
            parent=('"valueCode": "1"', '"valueCode": "9"'),
            cycle=('"Ear disorder"}', '"Ear disorder", "property": [{"code": "parent", "valueCode": "2"}]}'),
            broken=('"code": "1", "display"', '"code": {}, "display"'),
        ),
        "icd10cm": Sample(
            {
                "icd10cm_tabular_2030.xml": '<?xml version="1.0" encoding="utf-8"?>\n<ICD10CM.tabular>'
                "<version>2030</version>\n<chapter><name>8</name><desc>Ears</desc>\n"
                f'<section id="H80-H83"><desc>Ear disorder (H80-H83)</desc>\n{ICD10CM_CHILD}</section>\n'
                "</chapter></ICD10CM.tabular>\n"
            },
            ("ICD10CM:H81", "ICD10CM:H80-H83"),
            row=ICD10CM_CHILD,
            broken=(f"<desc>{CHILD}</desc>", "<desc/>"),
        ),
        "claml": Sample(
            {
                "x.xml": '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE ClaML SYSTEM "ClaML.dtd">\n'
                '<ClaML version="2.0.0">\n<Meta name="lang" value="en"/>\n'
                '<Title name="ICD-10-EN-2030" version="2030">Classification</Title>\n'
                + _claml("VIII", "chapter", PARENT, '<SubClass code="H81"/>')
                + _claml("H81", "category", CHILD, '<SuperClass code="VIII"/>')
                + "</ClaML>\n"
            },
            ("ICD10:H81", "ICD10:VIII"),
            row=_claml("H81", "category", CHILD, '<SuperClass code="VIII"/>'),
            parent=('<SuperClass code="VIII"/>', '<SuperClass code="IX"/>'),
            broken=('<Class code="H81"', "<Class"),
        ),
        "icd11": Sample(
            {
                "SimpleTabulation-ICD-11-MMS-en.txt": table(
                    ICD11,
                    f"http://id.who.int/icd/entity/10|{MMS}/10|||{PARENT}|chapter|1|False|10|False",
                    f"http://id.who.int/icd/entity/20|{MMS}/20|AB31||- {CHILD}|category|1|False|10|True",
                )
            },
            ("ICD11:AB31", "ICD11:10"),
            row=table(f"http://id.who.int/icd/entity/20|{MMS}/20|AB31||- {CHILD}|category|1|False|10|True"),
            broken=(f"- {CHILD}\tcategory\t1\tFalse\t10\tTrue", "category"),
            columns=("SimpleTabulation-ICD-11-MMS-en.txt", "\t", "Title"),
            fixed=2,
        ),
        "mesh": Sample(
            {
                "desc2030.xml": '<?xml version="1.0"?>\n<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/'
                'databases/dtd/nlmdescriptorrecordset_20300101.dtd">\n<DescriptorRecordSet LanguageCode="eng">\n'
                + _mesh(1, PARENT, "C09.218")
                + _mesh(2, CHILD, "C09.218.568")
                + "</DescriptorRecordSet>\n"
            },
            ("MESH:D900002", "MESH:D900001"),
            row=_mesh(2, CHILD, "C09.218.568"),
            broken=("<DescriptorUI>D900002</DescriptorUI>", ""),
        ),
        "rrf": Sample(
            {
                "META/MRCONSO.RRF": _atom(1, PARENT) + _atom(2, CHILD),
                "META/MRREL.RRF": "C0000002|A2|AUI|PAR|C0000001|A1|AUI||R1||MSH|MSH|||N||\n",
                "META/MRSTY.RRF": "C0000002|T047|B2|Disease or Syndrome|AT1||\n",
            },
            ("UMLS:C0000002", "UMLS:C0000001"),
            row=_atom(2, CHILD),
            parent=("|PAR|C0000001|", "|PAR|C0000009|"),
            cycle=(
                "C0000002|A2|AUI|PAR|C0000001|A1|AUI||R1||MSH|MSH|||N||\n",
                "C0000002|A2|AUI|PAR|C0000001|A1|AUI||R1||MSH|MSH|||N||\n"
                "C0000001|A1|AUI|PAR|C0000002|A2|AUI||R2||MSH|MSH|||N||\n",
            ),
            broken=(f"|D1|{PARENT}|0|N||", f"|D1|{PARENT}"),
        ),
        "loinc": Sample(
            {
                "LoincTable/Loinc.csv": table(
                    LOINC,
                    f"90001-1|Ear|Find|Pt|^Patient|Nom||CLIN|ACTIVE|{PARENT}",
                    f"90002-9|Vertigo|Find|Pt|^Patient|Nom||CLIN|ACTIVE|{CHILD}",
                    delimiter=",",
                )
            },
            ("LOINC:90002-9", "LOINC:90001-1"),
            row=table(f"90002-9|Vertigo|Find|Pt|^Patient|Nom||CLIN|ACTIVE|{CHILD}", delimiter=","),
            broken=("90001-1,Ear,Find,Pt", "90001-1,Ear"),
            columns=("LoincTable/Loinc.csv", ",", "LONG_COMMON_NAME"),
        ),
        "rf2": Sample(
            {
                "Snapshot/Terminology/sct2_Concept_Snapshot_INT_20300131.txt": table(
                    f"{COMMON}|definitionStatusId",
                    f"1001|{ACTIVE}|900000000000073002",
                    f"1002|{ACTIVE}|900000000000074008",
                ),
                "Snapshot/Terminology/sct2_Description_Snapshot-en_INT_20300131.txt": table(
                    f"{COMMON}|{DESCRIPTION}",
                    RF2_CHILD,
                    f"12|{ACTIVE}|1002|en|900000000000003001|{PARENT} (disorder)|900000000000448009",
                ),
                "Snapshot/Terminology/sct2_Relationship_Snapshot_INT_20300131.txt": table(
                    f"{COMMON}|{RELATIONSHIP}", RF2_IS_A
                ),
            },
            ("SCTID:1001", "SCTID:1002"),
            row=table(f"1001|{ACTIVE}|900000000000073002"),
            parent=("\t1001\t1002\t0\t", "\t1001\t1009\t0\t"),
            cycle=(table(RF2_IS_A), table(RF2_IS_A, RF2_IS_A.replace("21|", "22|").replace("1001|1002", "1002|1001"))),
            broken=("900000000000074008\n", "900000000000074008\tmore\n"),
            columns=("Snapshot/Terminology/sct2_Description_Snapshot-en_INT_20300131.txt", "\t", "conceptId"),
        ),
        "skos": Sample(
            {
                "x.ttl": "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
                "<http://x.example/> a skos:ConceptScheme .\n"
                "<http://x.example/1> a skos:Concept ; skos:inScheme <http://x.example/> ;\n"
                f' skos:prefLabel "{PARENT}"@en .\n{SKOS_CHILD}'
            },
            ("x:2", "x:1"),
            row=SKOS_CHILD,
            parent=("skos:broader <http://x.example/1>", "skos:broader <http://x.example/9>"),
            cycle=(f'"{PARENT}"@en', f'"{PARENT}"@en ; skos:broader <http://x.example/2>'),
        ),
        "owl": Sample(
            {
                "x.owl": '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n '
                'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">\n'
                '<owl:Ontology rdf:about="http://purl.obolibrary.org/obo/x.owl"/>\n'
                f'<owl:Class rdf:about="{NODE}1"><rdfs:label>{PARENT}</rdfs:label></owl:Class>\n{OWL_CHILD}</rdf:RDF>\n'
            },
            ("X:2", "X:1"),
            row=OWL_CHILD,
            parent=(f'rdf:resource="{NODE}1"', f'rdf:resource="{NODE}9"'),
            cycle=(
                f"<rdfs:label>{PARENT}</rdfs:label>",
                f'<rdfs:label>{PARENT}</rdfs:label><rdfs:subClassOf rdf:resource="{NODE}2"/>',
            ),
        ),
        "omop": Sample(
            {
                "CONCEPT.csv": table(OMOP, _omop(1, PARENT), _omop(2, CHILD)),
                "CONCEPT_RELATIONSHIP.csv": table(
                    "concept_id_1|concept_id_2|relationship_id|valid_start_date|valid_end_date|invalid_reason",
                    OMOP_IS_A,
                ),
            },
            ("OMOP:9002", "OMOP:9001"),
            row=table(_omop(2, CHILD)),
            parent=("9002\t9001\tIs a", "9002\t9009\tIs a"),
            cycle=(table(OMOP_IS_A), table(OMOP_IS_A, OMOP_IS_A.replace("9002|9001", "9001|9002"))),
            broken=(f"9001\t{PARENT}\t", f"9001\t{PARENT}\tmore\t"),
            columns=("CONCEPT.csv", "\t", "concept_name"),
        ),
        "ctd": Sample(
            {
                "CTD_diseases.tsv": table(
                    "# DiseaseName|DiseaseID|AltDiseaseIDs|Definition|ParentIDs|TreeNumbers|ParentTreeNumbers|"
                    "Synonyms|SlimMappings",
                    f"{PARENT}|MESH:D900001|||||||",
                    f"{CHILD}|MESH:D900002|||MESH:D900001||||",
                )
            },
            ("MESH:D900002", "MESH:D900001"),
            row=table(f"{CHILD}|MESH:D900002|||MESH:D900001||||"),
            parent=("\t\t\tMESH:D900001\t", "\t\t\tMESH:D900009\t"),
            cycle=(f"{PARENT}\tMESH:D900001\t\t\t\t", f"{PARENT}\tMESH:D900001\t\t\tMESH:D900002\t"),
            broken=(f"{PARENT}\tMESH:D900001\t", PARENT),
            columns=("CTD_diseases.tsv", "\t", "DiseaseID"),
            fixed=2,
        ),
        "medic": Sample(
            {
                "medic.txt": f"D900001||{PARENT}\nD900002|900001||{CHILD}|Meniere disease\n"
                "D900003||Nose disorder\nD900004||Eye disorder\n"
            },
            ("MESH:D900002", "MESH:D900001"),
            row=f"D900002|900001||{CHILD}|Meniere disease\n",
            broken=(f"D900001||{PARENT}", f"D900001|{PARENT}"),
        ),
        "nodelink": Sample(
            {
                "x.json": '{"directed": true, "multigraph": true, "graph": {"name": "x"}, "nodes": [\n'
                f'{{"id": "X:2", "name": "{CHILD}"}},\n{{"id": "X:1", "name": "{PARENT}"}}\n], "links": [\n'
                '{"source": "X:2", "target": "X:1", "key": "is_a"}\n]}\n'
            },
            ("X:2", "X:1"),
            row=f'{{"id": "X:2", "name": "{CHILD}"}},\n',
            parent=('"target": "X:1"', '"target": "X:9"'),
            cycle=('"links": [\n', '"links": [\n{"source": "X:1", "target": "X:2", "key": "is_a"},\n'),
            broken=(f'{{"id": "X:1", "name": "{PARENT}"}}', f'{{"name": "{PARENT}"}}'),
        ),
        "wikidata": Sample(
            {"wikidata.json": f"[\n{_wikidata(1, PARENT)},\n{_wikidata(2, CHILD, 'Q900001')}\n]\n"},
            ("Wikidata:Q900002", "Wikidata:Q900001"),
            row=f",\n{_wikidata(2, CHILD, 'Q900001')}",
            parent=('"id": "Q900001"}, "type": "any"', '"id": "Q900009"}, "type": "any"'),
            cycle=(_wikidata(1, PARENT), _wikidata(1, PARENT, "Q900002")),
            broken=(_wikidata(1, PARENT), _wikidata(1, PARENT)[:-1]),
        ),
        "wikipedia": Sample(
            {"enwiki-20300101-cirrussearch-content.json": _page(1, PARENT) + _page(2, CHILD)},
            (f"Wikipedia:{CHILD.replace(' ', '_')}", f"Wikipedia:{PARENT.replace(' ', '_')}"),
            row=_page(2, CHILD),
            broken=(f'"title": "{PARENT}"', '"title": ""'),
        ),
        "table": Sample(
            {"codes.csv": table("id|name|parent", f"X:1|{PARENT}|", f"X:2|{CHILD}|X:1", delimiter=",")},
            ("X:2", "X:1"),
            row=f"X:2,{CHILD},X:1\n",
            parent=(f"{CHILD},X:1", f"{CHILD},X:9"),
            cycle=(f"X:1,{PARENT},", f"X:1,{PARENT},X:2"),
            broken=(f"X:1,{PARENT},", f"X:1,{PARENT}"),
            columns=("codes.csv", ",", "name"),
        ),
    }
)
"""A sample by the name of its format."""
