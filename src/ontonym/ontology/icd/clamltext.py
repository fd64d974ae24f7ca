"""What a rubric of ClaML says: its labels as names and as whole texts, and the codes that they refer to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

MARKS = {"*": "aster", "†": "dagger", "+": "dagger", "!": "optional"}
"""How a code cited in a text shows its usage, and ClaML's own word for it (ICD-10, volume 2, section 3.1.3)."""

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_BLOCKS = frozenset({"Para", "Fragment", "ListItem", "List", "Table", "Caption", "Row", "Cell", "Include"})
_EMPTY_BRACKETS = re.compile(r"\s*[(\[]\s*[,;]*\s*[)\]]")


@dataclass(frozen=True, slots=True)
class Reference:
    """A code that a label cites; ``foreign`` where it names another classification than this one."""

    code: str
    usage: str
    foreign: bool


@dataclass(frozen=True, slots=True)
class Label:
    """One label of a rubric: ``name`` without the codes it cites, ``text`` with them."""

    kind: str
    language: str
    name: str
    text: str
    references: tuple[Reference, ...]


def tag(element: etree._Element) -> str:
    """The element's name without a namespace, which ClaML 3 files may have."""
    return etree.QName(element).localname


def children(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """The children of that name, whatever their namespace."""
    return element.iterchildren(f"{{*}}{name}")


def labels(element: etree._Element, language: str) -> Iterator[Label]:
    """The labels of all rubrics of a Class, Modifier or ModifierClass, in their order.

    ``language`` is that of labels without ``xml:lang``. The fragments of a label are one text: in ICD-10's bracketed
    lists each item repeats the head that it shares with the others (EN ISO 13120, element Fragment).
    """
    for rubric in children(element, "Rubric"):
        kind = rubric.get("kind", "")
        for label in children(rubric, "Label"):
            name = _EMPTY_BRACKETS.sub("", _squeezed(_pieces(label, cited=False)))
            yield Label(
                kind,
                label.get(_LANGUAGE, language).replace("_", "-") or language,
                name,
                _squeezed(_pieces(label, cited=True)),
                tuple(_reference(node) for node in label.iter("{*}Reference")),
            )


def _reference(node: etree._Element) -> Reference:
    text = _squeezed(map(str, node.itertext()))
    usage = node.get("usage") or next((usage for mark, usage in MARKS.items() if text.endswith(mark)), "")
    return Reference(node.get("code") or text, usage, bool(node.get("authority") or node.get("uid")))


def _pieces(node: etree._Element, *, cited: bool) -> Iterator[str]:
    """The text of a label; where ``cited``, with its references, in brackets where ClaML says so."""
    yield node.text or ""
    for child in node:
        name = tag(child)
        if name == "Reference":
            if cited:
                bracketed = "bracket" in child.get("class", "")
                text = "".join(_pieces(child, cited=True)).strip()
                yield f" ({text})" if bracketed and not text.startswith("(") else text
        elif name in _BLOCKS:
            yield " "
            yield from _pieces(child, cited=cited)
            yield " "
        else:
            yield from _pieces(child, cited=cited)
        yield child.tail or ""


def _squeezed(pieces: Iterator[str]) -> str:
    return " ".join("".join(pieces).split())
