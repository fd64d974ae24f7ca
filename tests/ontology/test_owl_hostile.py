"""OWL and SKOS files that are broken or mean harm, in every serialization."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import FormatError
from ontonym.files.checkedxml import MAX_ENTITIES, MAX_ENTITY
from ontonym.ontology.formats import read_release
from ontonym.types import Term

Read = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

OWL_NS = "http://www.w3.org/2002/07/owl#"


def rdf_xml(label: str = "x", doctype: str = "", more: str = "", about: str = "http://x.org/a#B") -> str:
    return f"""<?xml version="1.0"?>
{doctype}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="{OWL_NS}"
 xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
<owl:Class rdf:about="{about}">
<rdfs:label>{label}</rdfs:label></owl:Class>{more}
</rdf:RDF>
"""


def owl_xml(label: str = "x", doctype: str = "", more: str = "", about: str = "http://x.org/a#B") -> str:
    return f"""<?xml version="1.0"?>
{doctype}<Ontology xmlns="{OWL_NS}" ontologyIRI="http://x.org/a">
<Declaration><Class IRI="{about}"/></Declaration>
<AnnotationAssertion><AnnotationProperty abbreviatedIRI="rdfs:label"/><IRI>{about}</IRI>
<Literal>{label}</Literal></AnnotationAssertion>{more}
</Ontology>
"""


Made = Callable[..., str]
both = pytest.mark.parametrize("made", [rdf_xml, owl_xml])


def doctype(made: Made, declarations: str) -> str:
    return f"<!DOCTYPE {'rdf:RDF' if made is rdf_xml else 'Ontology'} [\n{declarations}\n]>\n"


NAMESPACES = """<!ENTITY ex "http://x.org/a#" > <!-- <!ENTITY ex "no"> ]> -->
<!ENTITY single 'it said "yes" &amp; 100' >
<!ENTITY twice "&ex;&ex;">
<!ENTITY eacute "&#233;"> <!ENTITY more "a &lt; b &amp;amp;"> <!ENTITY ex "http://second.org/">
<!ELEMENT anything ANY>"""


@both
def test_entities_of_an_internal_subset_work(read: Read, made: Made) -> None:
    text = "&ex;|&single;|&twice;|caf&eacute;|&more;|&lt;"
    concepts, _ = read("o.owl", made(text, doctype(made, NAMESPACES), about="&ex;B"))
    (concept,) = concepts
    said = 'http://x.org/a#|it said "yes" & 100|http://x.org/a#http://x.org/a#|café|a < b &amp;|<'
    assert (concept.id, concept.terms) == ("a:B", (Term(said, "preferred"),))


@both
def test_billion_laughs(read: Read, made: Made) -> None:
    laughs = '<!ENTITY a0 "lol">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    with pytest.raises(FormatError, match=r"o\.owl:\d+: the entity a\d stands for more than 300 characters") as caught:
        read("o.owl", made("&a9;", doctype(made, laughs)))
    assert "xmllint" in caught.value.hint


@both
@pytest.mark.parametrize(
    ("declarations", "problem"),
    [
        (f'<!ENTITY a "{"x" * (MAX_ENTITY + 1)}">', "stands for more than"),
        (f'<!ENTITY a "{"x" * 40_000}">', "stands for more than"),
        ('<!ENTITY a "&b;"><!ENTITY b "&a;">', "refers to itself"),
        ('<!ENTITY a "&b;">', "refers to b, which is not defined"),
        ('<!ENTITY a "&#60;b/>">', "stands for markup"),
        ("".join(f'<!ENTITY a{i} "x">' for i in range(MAX_ENTITIES + 1)), "entities declared, more than"),
        ("".join(f'<!ENTITY a{i} "&a{i - 1};">' for i in range(900, 0, -1)) + '<!ENTITY a0 "x">', "too many others"),
    ],
)
def test_entities_that_grow_or_hold_markup(read: Read, made: Made, declarations: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read("o.owl", made("x", doctype(made, declarations)))


@both
@pytest.mark.parametrize("external", ["SYSTEM", 'PUBLIC "-//x"'])
def test_external_entities_are_not_fetched(read: Read, made: Made, tmp_path: Path, external: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    declared = doctype(made, f'<!ENTITY a {external} "{secret.as_uri()}">')
    with pytest.raises(FormatError) as caught:
        read("o.owl", made("&a;", declared))
    assert "SECRET" not in str(caught.value)
    concepts, _ = read("o.owl", made("x", declared))
    assert concepts[0].preferred == "x"


@both
def test_a_document_type_that_names_a_dtd_is_harmless(read: Read, made: Made, tmp_path: Path) -> None:
    dtd = tmp_path / "d.dtd"
    dtd.write_text('<!ENTITY a "SECRET">')
    root = "rdf:RDF" if made is rdf_xml else "Ontology"
    named = f'<!DOCTYPE {root} SYSTEM "{dtd.as_uri()}" [<!ENTITY % p SYSTEM "{dtd.as_uri()}"> %p;]>\n'
    concepts, _ = read("o.owl", made("x", named))
    assert concepts[0].preferred == "x"
    with pytest.raises(FormatError) as caught:
        read("o.owl", made("&a;", named))
    assert "SECRET" not in str(caught.value)


@both
@pytest.mark.parametrize("cut", [-3, -30, -60])
def test_a_file_cut_short(read: Read, made: Made, cut: int) -> None:
    with pytest.raises(FormatError, match=r"o\.owl:\d+: the XML ends early .*Download or copy the file again"):
        read("o.owl", made()[:cut])


def test_rdf_cut_between_two_classes(read: Read) -> None:
    whole = rdf_xml()
    with pytest.raises(FormatError, match=r"o\.owl:6: the XML ends early"):
        read("o.owl", whole[: whole.index("</rdf:RDF>")])


@both
def test_encodings(read: Read, made: Made) -> None:
    latin = made("é").encode("latin-1")
    with pytest.raises(FormatError, match=r"o\.owl:[5-7]: not well-formed XML \(not well-formed \(invalid token\)\)"):
        read("o.owl", latin)
    declared = latin.replace(b'version="1.0"', b'version="1.0" encoding="ISO-8859-1"')
    with pytest.raises(FormatError, match=r"the XML is in ISO-8859-1 where UTF-8 is needed. iconv -f ISO-8859-1"):
        read("o.owl", declared)
    with pytest.raises(FormatError, match=r"UTF-16"):
        read("o.owl", made("é").encode("utf-16"))
    concepts, _ = read("o.owl", b"\xef\xbb\xbf" + made("é").encode())
    assert concepts[0].preferred == "é"


@both
def test_not_well_formed(read: Read, made: Made) -> None:
    text = made("x", doctype(made, '<!ENTITY a "b">\n\n')).replace("B", "B<", 1)
    line = text[: text.index("B<")].count("\n") + 1
    with pytest.raises(FormatError, match=rf"o\.owl:{line}: not well-formed XML"):
        read("o.owl", text)


@both
def test_nul_bytes(read: Read, made: Made) -> None:
    with pytest.raises(FormatError):
        read("o.owl", made("x\0y"))


def test_nesting_that_would_take_hours(read: Read) -> None:
    more = "<owl:Class><rdfs:subClassOf>" * 100_000
    with pytest.raises(FormatError, match="nested deeper than 10,000"):
        read("o.owl", rdf_xml(more=more))


def test_nesting_in_owl_xml(read: Read) -> None:
    more = "<SubClassOf>" + "<ObjectComplementOf>" * 1000
    with pytest.raises(FormatError, match=r"o\.owl:\d+: not well-formed XML \(Excessive depth"):
        read("o.owl", owl_xml(more=more + "</ObjectComplementOf>" * 1000 + "</SubClassOf>"))


def test_xml_that_is_no_rdf(read: Read) -> None:
    more = '\n\n<owl:Class rdf:about="http://x.org/a" rdf:ID="b"/>'
    with pytest.raises(FormatError, match=r"o\.owl:7: not valid RDF/XML .*Download or copy the file again"):
        read("o.owl", rdf_xml(more=more + "\n" * 50))


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('\n<Declaration><Class abbreviatedIRI="no:A"/></Declaration>', "the prefix of 'no:A' is not declared"),
        ("\n<Declaration><Class/></Declaration>", "Class without IRI"),
        ('\n<SubClassOf><Class IRI="#A"/></SubClassOf>', "SubClassOf of 1 where 2 are needed"),
        ("\n<AnnotationAssertion/>", "an AnnotationAssertion without property, subject and value"),
    ],
)
def test_owl_xml_that_is_no_ontology(read: Read, more: str, problem: str) -> None:
    with pytest.raises(FormatError, match=rf"o\.owl:6: {problem}"):
        read("o.owl", owl_xml(more=more))


PREFIXES = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n@prefix x: <http://x.org/a#> .\nx:A a owl:Class .\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (PREFIXES + "x:B a ?? .\n", r"o\.ttl:4: not valid Turtle"),
        (PREFIXES + 'x:B x:c "cut', r"o\.ttl:4: not valid Turtle .*end of file"),
        (PREFIXES + "x:B a no:Class .\n", r"o\.ttl:4: not valid Turtle .*prefix no: has not been declared"),
        (PREFIXES.encode() + b'x:B x:c "\xe9" .\n', r"o\.ttl:4: not valid Turtle .*UTF-8"),
        (PREFIXES + f'x:B x:c "{"x" * (20 << 20)}" .\n', "a single value of more than 16 MB"),
        (PREFIXES + "x:B x:c " + "[ x:c " * 100_000, r"o\.ttl:4: not valid Turtle"),
    ],
)
def test_broken_turtle(read: Read, text: str | bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read("o.ttl", text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            '{"@context": "https://example.org/c.jsonld", "@id": "http://x.org/a", "@type": "owl:Class"}',
            "at an address",
        ),
        ('{"@context": {"x": "http://x.org/"}, "@graph": [\n{"@id": ]}', r"o\.jsonld:2: not valid JSON"),
        ('{"@context": {"x": "http://x.org/"}, "x:y": ' + '{"x:y":' * 50_000 + "1" + "}" * 50_001, "not valid JSON"),
        ('{"@context": {"x": "http://x.org/"}, "@graph": [{"@id": {}}]}', "not valid JSON-LD"),
    ],
)
def test_broken_json_ld(write: Write, text: str, problem: str) -> None:
    release = read_release([write("o.jsonld", text)], format="owl")
    with pytest.raises(FormatError, match=problem):
        list(release.concepts())


def test_a_file_of_another_kind_forced_to_be_owl(write: Write) -> None:
    release = read_release([write("o.txt", "name,code\nx,1\n")], format="owl")
    with pytest.raises(FormatError, match="not RDF/XML, Turtle, N-Triples or JSON-LD, or OWL/XML"):
        list(release.concepts())
