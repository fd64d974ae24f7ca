"""The plain text at the beginning of a Wikipedia page, out of its wiki markup, and whether the page tells names apart.

Honest, not complete: what templates would write is left out, but for those that only mark up their own text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterable

MAX_LEAD = 200_000
"""Most characters of a page that are looked at for its beginning."""

_ROUNDS = 40
"""How deep templates and links may be nested; what is deeper is left out with what is around it."""
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
    """Whether the page only tells apart what its title can mean."""
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
