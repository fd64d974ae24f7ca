"""Reader of Wikipedia dumps: XML exports with wiki markup, and the search index's content dumps (CirrusSearch).

A page is a row. What Rahimi's candidate pages need (section 3): title, text, and the names that redirect to it.
"""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import orjson
from lxml import etree

from ontonym.arrays import Ints
from ontonym.files.source import Source
from ontonym.files.spool import Spool
from ontonym.files.xml import iter_elements, line_of
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.wiki.wikidata import wikipedia_id
from ontonym.types import Concept, Term

MAX_LEAD = 200_000
"""The maximum number of characters of a page that are read for its beginning."""

_ROUNDS = 40
"""How deep templates and links may be nested; what is nested deeper is left out with its surroundings."""
_HEADING = re.compile(r"^==[^\n]*==[ \t]*$", re.MULTILINE)
_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
_TABLE = re.compile(r"\{\|(?:(?!\{\||\|\}).)*?\|\}", re.DOTALL)
_LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
_EXTERNAL = re.compile(r"\[(?:https?:)?//[^\s\[\]]+ ?([^\[\]\n]*)\]")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BREAK = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)
_SWITCH = re.compile(r"__[A-Z]+__")
_EMPTY_BRACKETS = re.compile(r" ?\([\s;,:]*\)")
_LOOSE = re.compile(r"\(\s*[;,:]\s*")
_WITH_CONTENT = ("ref", "math", "gallery", "timeline", "score", "syntaxhighlight", "imagemap", "table", "noinclude")
_OWN_TEXT = frozenset(
    {"nowrap", "nobr", "small", "big", "abbr", "em", "strong", "noitalic", "sup", "sub", "visible anchor", "vanchor",
     "not a typo", "sic"}
)  # fmt: skip
"""Templates that show their first argument."""
_SECOND_TEXT = frozenset({"lang", "transl", "transliteration", "color", "font color"})
"""Templates that show their second argument, or the last before named ones."""
_DASHES = {"snd": " – ", "spnd": " – ", "spaced ndash": " – ", "ndash": "–", "mdash": "—", "'": "'", "-": "", "!": "|"}

_DISAMBIGUATION = re.compile(
    r"(?:disambig|hndis$|geodis$|^dab$|^begriffsklärung|^homonymie|^desambigua|^doorverwijspagina|^dp$|^ujednoznacznienie"
    r"|^неоднозначность|^aimai|^曖昧さ回避|^消歧义|^消歧義|^förgrening|^täsmennys|^rozcestník|^egyért|^anlam ayrımı"
    r"|^동음이의|^peker$|^flertydig|^täpsustus|^αποσαφήνιση|^פירושונים|^nozīmju atdalīšana|^argipen)",
    re.IGNORECASE,
)
"""Names of the templates that mark a disambiguation page in the languages of Rahimi."""
_NOT_DISAMBIGUATION = ("needed", "disambiguation link", "cleanup")
_TEMPLATE_NAME = re.compile(r"\{\{\s*([^{}|\n]{1,60})")


def is_disambiguation(wikitext: str) -> bool:
    """Whether the page is a disambiguation page."""
    return "__DISAMBIG__" in wikitext or marks_disambiguation({match[1] for match in _TEMPLATE_NAME.finditer(wikitext)})


def marks_disambiguation(templates: Iterable[str]) -> bool:
    """Whether one of the template names marks a disambiguation page; a namespace before the name is left aside."""
    for template in templates:
        name = template.rpartition(":")[2].strip().lower()
        if _DISAMBIGUATION.search(name) and not any(word in name for word in _NOT_DISAMBIGUATION):
            return True
    return False


def opening(wikitext: str, namespaces: Collection[str] = ("file", "image", "category")) -> str:
    """The plain text before the first heading, a paragraph a line; ``namespaces`` (lower case) are those whose links
    show nothing or a picture."""
    text = wikitext[:MAX_LEAD]
    heading = _HEADING.search(text)
    text = _without(text[: heading.start()] if heading else text, "<!--", "-->")
    for tag in _WITH_CONTENT:
        text = _without_element(text, tag)
    text = _innermost_first(text, _TEMPLATE, _shown_by_template)
    text = _innermost_first(text, _TABLE, lambda _: "")
    text = _innermost_first(text, _LINK, lambda inside: _shown_by_link(inside, namespaces))
    text = _EXTERNAL.sub(r"\1", text)
    text = _TAG.sub("", _BREAK.sub(" ", text))
    text = html.unescape(_SWITCH.sub("", re.sub(r"'{2,5}", "", text)))
    text = _LOOSE.sub("(", _EMPTY_BRACKETS.sub("", text))
    lines = (
        " ".join(line.strip("*#:; \t").split()) for line in text.split("\n") if not line.startswith(("|", "!", "{|"))
    )
    return "\n".join(line for line in lines if line and not set(line) <= set("[]{}|.,;-"))


def _without(text: str, start: str, end: str) -> str:
    """The text without what is between the marks; an opening mark without a closing one hides all that follows."""
    parts, place = [], 0
    while (found := text.find(start, place)) >= 0:
        parts.append(text[place:found])
        closed = text.find(end, found)
        if closed < 0:
            return "".join(parts)
        place = closed + len(end)
    return "".join([*parts, text[place:]])


def _without_element(text: str, tag: str) -> str:
    """The text without the elements of that name; one that is not closed loses its tag only."""
    opened = re.compile(rf"<{tag}\b[^<>]*>", re.IGNORECASE)
    closing, parts, place = f"</{tag}", [], 0
    lower = text.lower() if len(text.lower()) == len(text) else text
    last = lower.rfind(closing)
    while (match := opened.search(text, place)) is not None:
        parts.append(text[place : match.start()])
        place = match.end()
        if not match[0].endswith("/>") and place <= last:
            closed = lower.find(closing, place)
            place = text.find(">", closed) + 1 or len(text)
    return "".join([*parts, text[place:]])


def _innermost_first(text: str, pattern: re.Pattern[str], shown: Callable[[str], str]) -> str:
    for _ in range(_ROUNDS):
        text, changed = pattern.subn(lambda match: shown(match[1] if match.re.groups else ""), text)
        if not changed:
            break
    return text


def _shown_by_template(inside: str) -> str:
    name, _, rest = inside.partition("|")
    name = name.strip().lower().replace("_", " ")
    arguments = [part.strip() for part in rest.split("|") if "=" not in part] if rest else []
    if name in _DASHES:
        return _DASHES[name]
    if name in _OWN_TEXT or name.startswith("lang-"):
        return arguments[0] if arguments else ""
    if name in _SECOND_TEXT:
        return arguments[1] if len(arguments) > 1 else ""
    if name in {"convert", "cvt"} and len(arguments) > 1:
        return f"{arguments[0]} {arguments[1]}"
    return ""


def _shown_by_link(inside: str, namespaces: Collection[str]) -> str:
    target, piped, rest = inside.partition("|")
    space, colon, _ = target.partition(":")
    if colon and space.strip().lower() in namespaces:
        return ""
    return rest.rpartition("|")[2] if piped else target.removeprefix(":")


OTHER_NAMESPACE = "page outside the articles"
DISAMBIGUATION = "disambiguation page"
LOST_REDIRECT = "redirect to a page that is not taken"
NO_TITLE = "a page without a title"
MAX_OPENING = 2000
"""Most characters taken of a text of which the dump does not say where its opening ends."""

_PICTURES = frozenset({"file", "image", "category", "media"})
_TARGET = re.compile(r"#[^\[\n]{0,40}\[\[([^\]|\n]+)")
_ACTION = re.compile(r'\s*\{\s*"index"\s*:\s*\{')
_CIRRUS = re.compile(r'"(?:opening_text|wikibase_item|text_bytes|auxiliary_text)"\s*:')
_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})")
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def is_wikipedia(head: str) -> bool:
    """Whether the beginning of a file is an export of MediaWiki, or a content dump of its search index."""
    if re.search(r"<mediawiki[\s>]", head[:4096]):
        return True
    first, _, rest = head.lstrip().partition("\n")
    second = rest.partition("\n")[0] if _ACTION.match(first) else first
    return second.startswith("{") and '"title"' in second and bool(_CIRRUS.search(second))


def read_wikipedia(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The articles as concepts ``Wikipedia:Title`` (``Wikipedia.de:Titel``), with the titles that redirect to them.

    A redirect to a section of a page is a narrower name. Pages outside the articles and disambiguation pages are left
    out. In an XML export a redirect is a page of its own, anywhere in the dump: so articles are kept in a temporary
    file, and 16 bytes a redirect in memory.

    Raises:
        FormatError: not well-formed XML.
        InputError: there is no room for the temporary file.
    """
    exports = [source for source in sources if source.head(4096).lstrip().startswith("<")]
    for source in sources:
        if source not in exports:
            yield from _index_pages(source, log)
    if exports:
        yield from _exported(exports, log)


def _describe(source: Source, wiki: str, title: str, log: ReleaseLog) -> None:
    date = _DATE.search(source.name)
    version = "-".join(date.groups()) if date else ""
    log.describe(name=wiki, title=title, version=version, licence="CC-BY-SA-4.0")


@dataclass(frozen=True, slots=True)
class _Wiki:
    """The Wikipedia of a dump: the name of its database, its language, and the language of its texts."""

    database: str
    tag: str
    language: str

    @classmethod
    def of(cls, database: str, language: str) -> _Wiki:
        tag = database.removesuffix("wiki").replace("_", "-") or language or "en"
        return cls(database or f"{tag}wiki", tag, language or tag)

    def concept(self, title: str, text: str, names: Sequence[tuple[str, bool]], item: str = "") -> Concept:
        """The concept of a page; ``names`` are redirects, and whether each leads to a section only."""
        redirects = dict.fromkeys(
            Term(name, "entry", "narrow" if section else "exact", self.language)
            for name, section in names
            if name != title
        )
        return Concept(
            id=wikipedia_id(self.tag, title),
            terms=(Term(title, "preferred", language=self.language), *redirects),
            definitions=(text,) if text else (),
            xrefs=(f"Wikidata:{item}",) if item else (),
        )


def _index_pages(source: Source, log: ReleaseLog) -> Iterator[Concept]:
    """The pages of a CirrusSearch content dump: a line that says where to index, then the page."""
    for number, line in enumerate(source.lines(), start=1):
        if not line.strip() or _ACTION.match(line):
            continue
        try:
            page = orjson.loads(line)
            title = page["title"]
            redirects = [entry["title"] for entry in page.get("redirect") or () if entry.get("namespace", 0) == 0]
            if not all(isinstance(text, str) and text for text in (title, *redirects)):
                raise TypeError
        except orjson.JSONDecodeError as error:
            log.malformed(source, number, f"not valid JSON ({error.msg})", line)
            continue
        except (KeyError, TypeError, AttributeError):
            log.malformed(source, number, NO_TITLE, line)
            continue
        rule = _skip_rule(page)
        if rule:
            log.counts.skip(rule)
            continue
        wiki = _Wiki.of(_text(page.get("wiki")), _text(page.get("language")))
        _describe(source, wiki.database, "Wikipedia", log)
        text = _text(page.get("opening_text")) or _shortened(_text(page.get("text")))
        log.counts.keep()
        names = [(redirect, False) for redirect in redirects]
        yield wiki.concept(title, " ".join(text.split()), names, _text(page.get("wikibase_item")))


def _skip_rule(page: dict[str, Any]) -> str:
    templates = page.get("template")
    if page.get("namespace", 0) != 0:
        return OTHER_NAMESPACE
    named = [name for name in templates if isinstance(name, str)] if isinstance(templates, list) else []
    return DISAMBIGUATION if marks_disambiguation(named) else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _shortened(text: str) -> str:
    """The beginning of a text, at most ``MAX_OPENING`` characters, up to the end of a sentence if there is one."""
    if len(text) <= MAX_OPENING:
        return text
    cut = text[:MAX_OPENING]
    return cut[: cut.rfind(". ") + 1] or cut


class _Redirects:
    """Titles that redirect, by the hash of the page they lead to; once all are added, those of a page are found."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._targets, self._starts = array("q"), array("q")
        self.found = 0

    def __len__(self) -> int:
        return len(self._targets)

    def add(self, wiki: str, page: str, name: str, *, section: bool) -> None:
        """Adds a title that redirects to a page, or to a section of one."""
        self._targets.append(hash((wiki, page)))
        self._starts.append(self._spool.add(page, name, section))

    @cached_property
    def _ordered(self) -> tuple[Ints, Ints]:
        """Hashes of pages, ascending, and the positions of the titles."""
        targets = np.frombuffer(self._targets, dtype=np.int64)
        order = np.argsort(targets, kind="stable")
        return targets[order], np.frombuffer(self._starts, dtype=np.int64)[order]

    def names(self, wiki: str, title: str) -> list[tuple[str, bool]]:
        """The titles that redirect to the page, and whether to a section of it only."""
        targets, starts = self._ordered
        first, end = (np.searchsorted(targets, hash((wiki, title)), side=side) for side in ("left", "right"))
        records = map(self._spool.read, sorted(starts[first:end].tolist()))
        names = [(name, section) for page, name, section in records if page == title]
        self.found += len(names)
        return names


def _exported(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The articles of XML exports, put aside until every redirect is known."""
    problem = f"{sources[0].path}: its articles cannot be put aside"
    hint = "Let TMPDIR name a folder with more room"
    with Spool(problem, hint) as pages, Spool(problem, hint) as names:
        redirects = _Redirects(names)
        wikis: list[_Wiki] = []
        for source in sources:
            _put_aside(source, log, pages, redirects, wikis)
        for number, title, text in pages:
            wiki = wikis[number]
            log.counts.keep()
            yield wiki.concept(title, text, redirects.names(wiki.database, title))
        log.counts.keep(redirects.found)
        log.counts.skip(LOST_REDIRECT, len(redirects) - redirects.found)


def _put_aside(source: Source, log: ReleaseLog, pages: Spool, redirects: _Redirects, wikis: list[_Wiki]) -> None:
    """Stores the articles of a dump as (number of the wiki, title, opening), and its redirects."""
    wiki, namespaces = _Wiki.of("", ""), _PICTURES
    for element in iter_elements(source, ("{*}siteinfo", "{*}page")):
        if element.tag.endswith("}siteinfo") or element.tag == "siteinfo":
            root = element.getroottree().getroot()
            wiki = _Wiki.of(_child(element, "dbname"), root.get(_LANGUAGE, ""))
            namespaces = _PICTURES | {
                (space.text or "").lower()
                for space in element.iterfind("{*}namespaces/{*}namespace")
                if space.get("key") in {"-2", "6", "14"}
            }
            _describe(source, wiki.database, _child(element, "sitename"), log)
            wikis.append(wiki)
            continue
        if not wikis:
            wikis.append(wiki)
        title, space = _child(element, "title"), _child(element, "ns")
        if not title:
            log.malformed(source, line_of(element), NO_TITLE)
            continue
        if space not in {"", "0"}:
            log.counts.skip(OTHER_NAMESPACE)
            continue
        revisions = element.findall("{*}revision")
        text = _child(revisions[-1], "text") if revisions else ""  # the newest, where an export has the history too
        target = element.find("{*}redirect")
        if target is not None:
            match = _TARGET.search(text)
            written, _, section = (match[1] if match else "").partition("#")
            redirects.add(wiki.database, target.get("title") or _title(written), title, section=bool(section))
        elif is_disambiguation(text):
            log.counts.skip(DISAMBIGUATION)
        else:
            pages.add(len(wikis) - 1, title, opening(text, namespaces))


def _title(written: str) -> str:
    """The title that a link leads to: MediaWiki begins titles with a capital and has no underscores in them."""
    words = " ".join(written.replace("_", " ").split())
    return f"{words[:1].upper()}{words[1:]}"


def _child(element: etree._Element, path: str) -> str:
    found = element.find(f"{{*}}{path}")
    return (found.text or "").strip() if found is not None else ""
