from __future__ import annotations

import bz2
import errno
import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest

from ontonym.errors import FormatError, InputError
from ontonym.files import spool as spool_module
from ontonym.ontology.formats import read_release, sniff
from ontonym.ontology.wiki.wikidata import wikipedia_id
from ontonym.ontology.wiki.wikipedia import is_disambiguation, opening
from ontonym.types import Concept, Term

Read = Callable[..., Any]


def export(*pages: str, database: str = "enwiki", language: str = "en", site: str = "Wikipedia") -> str:
    return f"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="{language}">
<siteinfo><sitename>{site}</sitename><dbname>{database}</dbname>
<namespaces><namespace key="0" case="first-letter"/><namespace key="6">Datei</namespace></namespaces></siteinfo>
{"".join(pages)}</mediawiki>
"""


def page(title: str, text: str, *, ns: int = 0, redirect: str = "") -> str:
    target = f"<redirect title={quoteattr(redirect)}/>" if redirect else ""
    return (
        f"<page><title>{escape(title)}</title><ns>{ns}</ns><id>1</id>{target}"
        f'<revision><id>2</id><text bytes="9" xml:space="preserve">{escape(text)}</text></revision></page>\n'
    )


PAGES = (
    page("Cold toe", "#REDIRECT [[Frost toe]]", redirect="Frost toe"),
    page("Frost toe", "'''Frost toe''' is a made-up [[disorder|condition]].\n\n== Signs ==\nNot read."),
    page("Toe frost of the sole", "#REDIRECT [[Frost toe#Sole]] {{R to section}}", redirect="Frost toe"),
    page("Frost", "'''Frost''' may be:\n* [[Frost toe]]\n{{disambiguation}}"),
    page("Icy", "#REDIRECT [[Frost]]", redirect="Frost"),
    page("Talk:Frost toe", "Is this so?", ns=1),
    page("Frost ear", "{{Infobox|name=x}}\n'''Frost ear''' (''auris gelida'') is cold.{{cite|a}}"),
)


def test_articles_with_the_titles_that_redirect_to_them(read: Read) -> None:
    concepts, release = read("enwiki-20240601-pages-articles.xml", export(*PAGES))
    assert concepts == [
        Concept(
            "Wikipedia:Frost_toe",
            (
                Term("Frost toe", "preferred"),
                Term("Cold toe", "entry"),
                Term("Toe frost of the sole", "entry", "narrow"),
            ),
            definitions=("Frost toe is a made-up condition.",),
        ),
        Concept(
            "Wikipedia:Frost_ear",
            (Term("Frost ear", "preferred"),),
            definitions=("Frost ear (auris gelida) is cold.",),
        ),
    ]
    assert (release.counts.rows, release.counts.kept) == (7, 4)
    assert release.counts.skipped == {
        "disambiguation page": 1, "page outside the articles": 1, "redirect to a page that is not taken": 1,
    }  # fmt: skip
    metadata = release.metadata
    assert (metadata.name, metadata.version, metadata.format) == ("enwiki", "2024-06-01", "wikipedia")


@pytest.mark.parametrize("attribute", [True, False])
@pytest.mark.parametrize("target", ["frost_toe", "frost toe", "Frost  toe"])
def test_redirects_are_followed_as_mediawiki_writes_titles(read: Read, target: str, attribute: bool) -> None:
    cold = page("Cold toe", f"#REDIRECT [[{target}]]", redirect="Frost toe")
    sole = page("Sole toe", f"#REDIRECT [[{target}#Sole]]", redirect="Frost toe")
    if not attribute:
        cold, sole = (one.replace('title="Frost toe"', "") for one in (cold, sole))
    text = "'''Frost toe''' is cold."
    (concept,), release = read("enwiki.xml", export(cold, page("Frost toe", text), sole))
    assert [(term.text, term.scope) for term in concept.terms] == [
        ("Frost toe", "exact"), ("Cold toe", "exact"), ("Sole toe", "narrow")
    ]  # fmt: skip
    assert not release.counts.skipped


def test_of_a_page_with_its_history_the_newest_text_is_read(read: Read) -> None:
    now = page("Frost toe", "'''Frost toe''' is cold.")
    old = "<revision><id>1</id><text>#REDIRECT [[Elsewhere]]</text></revision>"
    (concept,), _ = read("enwiki.xml", export(now.replace("<revision>", f"{old}<revision>")))
    assert concept.definitions == ("Frost toe is cold.",)


def test_another_language_in_bzip2_parts(write: Callable[[str, str | bytes], Path]) -> None:
    text = "[[Datei:Zeh.jpg|mini|Ein [[Zeh]]]]\n'''Frostzehe''' ist erfunden."
    pages = (page("Kalte Zehe", "#WEITERLEITUNG [[Frostzehe]]", redirect="Frostzehe"), page("Frostzehe", text))
    dumps = [export(one, database="dewiki", language="de").encode() for one in pages]
    parts = [write(f"p{number}.xml.bz2", bz2.compress(dump)) for number, dump in enumerate(dumps)]
    assert sniff([parts[0]]).name == "wikipedia"
    assert list(read_release(parts).concepts()) == [
        Concept(
            "Wikipedia.de:Frostzehe",
            (Term("Frostzehe", "preferred", language="de"), Term("Kalte Zehe", "entry", language="de")),
            definitions=("Frostzehe ist erfunden.",),
        )
    ]


def index_dump(*pages: dict[str, Any]) -> str:
    lines = (json.dumps({"index": {"_type": "_doc", "_id": "1"}}) + "\n" + json.dumps(p) for p in pages)
    return "\n".join(lines) + "\n"


DOCUMENT: dict[str, Any] = {
    "title": "Frost toe", "namespace": 0, "wiki": "enwiki", "language": "en", "wikibase_item": "Q900001",
    "opening_text": "Frost toe is a\nmade-up condition.", "text": "Frost toe is a made-up condition. And more.",
    "text_bytes": 70, "template": ["Template:Infobox"],
    "redirect": [{"namespace": 0, "title": "Cold toe"}, {"namespace": 4, "title": "FT"}],
}  # fmt: skip


def test_content_dump_of_the_search_index(read: Read) -> None:
    told_apart = {**DOCUMENT, "title": "Frost", "template": ["Template:Disambiguation"]}
    portal = {**DOCUMENT, "title": "Portal:Frost", "namespace": 100}
    long = {**DOCUMENT, "title": "Frost ear", "opening_text": None, "text": "It is cold. " * 200, "redirect": []}
    text = index_dump(DOCUMENT, told_apart, portal, long) + '{"index":{}}\n{"title": 7}\nno\n'
    concepts, release = read("enwiki-20240603-cirrussearch-content.json.gz", gzip.compress(text.encode()))
    assert concepts[0] == Concept(
        "Wikipedia:Frost_toe",
        (Term("Frost toe", "preferred"), Term("Cold toe", "entry")),
        definitions=("Frost toe is a made-up condition.",),
        xrefs=("Wikidata:Q900001",),
    )
    assert concepts[1].definitions[0].endswith("is cold.")
    assert 1980 < len(concepts[1].definitions[0]) <= 2000
    assert release.counts.skipped == {"disambiguation page": 1, "page outside the articles": 1}
    assert [(r.line, r.problem[:16]) for r in release.counts.examples] == [
        (10, "a page without a"),
        (11, "not valid JSON ("),
    ]
    assert release.metadata.version == "2024-06-03"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("{{Infobox|a={{b|{{c}}}}}}'''X''' is y.<ref name=a>{{cite}}</ref><ref name=\"a\" /> Z", "X is y. Z"),
        ("X<!-- hidden [[a]] --> y <!-- open", "X y"),
        ("{| class=x\n|-\n| a\n{| b |}\n|}\nAfter", "After"),
        ("[[File:A.jpg|thumb|A [[b|c]] d]]X [[:Category:Y]] [[a b]]s", "X Category:Y a bs"),
        ("[https://x.y/z the site] and [//a.b]", "the site and"),
        ("{{lang|la|pes}} of {{convert|10|mm|in}}{{snd}}{{nowrap|5 kg}}", "pes of 10 mm – 5 kg"),
        ("X ({{IPA|x}}; {{lang-la|y}}) &amp; 5&nbsp;kg<br/>a<sub>2</sub>", "X (y) & 5 kg a2"),
        ("X ({{IPA|x}}) y", "X y"),
        ("One\n\n* two\n# three\n\n== H ==\nfour", "One\ntwo\nthree"),
        ("__NOTOC__\nX {{unclosed y", "X {{unclosed y"),
        ("X<ref>open y", "Xopen y"),
        ("<math>a^2</math>X", "X"),
    ],
)
def test_the_opening_without_markup(markup: str, text: str) -> None:
    assert opening(markup) == text


@pytest.mark.parametrize("hostile", ["{{" * 60_000, "[[" * 60_000, "<ref>" * 40_000, "<!--" * 40_000, "[//a" * 50_000])
def test_hostile_markup_is_soon_done_with(hostile: str) -> None:
    assert isinstance(opening(hostile), str)


def test_disambiguation_is_told_by_template_in_many_languages() -> None:
    for name in ("Disambiguation", "disambig|x", "Begriffsklärung", "Homonymie", "曖昧さ回避", "hndis|Frost, A"):
        assert is_disambiguation(f"x {{{{{name}}}}}")
    assert is_disambiguation("__DISAMBIG__")
    for name in ("Disambiguation needed", "About|x|y|Frost (disambiguation)", "cite"):
        assert not is_disambiguation(f"x {{{{{name}}}}}")


def test_ids_meet_those_of_wikidata() -> None:
    assert wikipedia_id("en", "Frost toe") == "Wikipedia:Frost_toe"
    assert wikipedia_id("de", "Frost-Zehe") == "Wikipedia.de:Frost-Zehe"


def test_a_cut_export_and_declared_entities_are_refused(read: Read) -> None:
    whole = export(*PAGES)
    with pytest.raises(FormatError, match=r"x\.xml:\d+: not well-formed"):
        read("x.xml", whole[: len(whole) // 2])
    with pytest.raises(FormatError, match="declares entities"):
        read("x.xml", '<!DOCTYPE mediawiki [<!ENTITY a "b">]>' + whole.replace("Not read", "&a;"))


def test_no_room_for_the_articles_says_what_to_do(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_options: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", "/small")
    monkeypatch.setattr(spool_module, "TemporaryFile", full)
    with pytest.raises(InputError, match=r"x\.xml: .* in /small: No space left on device\. Let TMPDIR"):
        read("x.xml", export(*PAGES))
