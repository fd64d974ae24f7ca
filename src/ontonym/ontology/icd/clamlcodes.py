"""The rubrics of a ClaML class, and the codes that ClaML does not list: those made by modifiers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from ontonym.text.numbers import whole_number

MARKS = {"*": "aster", "†": "dagger", "+": "dagger", "!": "optional"}
"""How a code cited in a text shows its usage, and ClaML's own word for it (ICD-10, volume 2, section 3.1.3)."""

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_BLOCKS = frozenset({"Para", "Fragment", "ListItem", "List", "Table", "Caption", "Row", "Cell", "Include"})
_EMPTY_BRACKETS = re.compile(r"\s*[(\[]\s*[,;]*\s*[)\]]")


@dataclass(frozen=True, slots=True)
class Reference:
    """A code that a label cites; ``foreign`` if it names another classification than this one."""

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


MAX_MADE = 10_000
"""The maximum number of codes made by the modifiers of one class."""

_LONGEST = 7
_ICD = re.compile(r"[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]*)?$")
_TIER = re.compile(r"_(\d)$")
_EXCLUDE = "excludeOnPrecedingModifier"


@dataclass(frozen=True, slots=True)
class ModifierClass:
    """One character of a modifier: what it appends to a code, and its meaning."""

    modifier: str
    code: str
    usage: str
    labels: tuple[Label, ...]
    never_after: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ModifiedBy:
    """A modifier of a class: which of its characters are valid (empty: all), and their position (0: at the end)."""

    modifier: str
    valid: frozenset[str]
    position: int


@dataclass(frozen=True, slots=True)
class MadeCode:
    """A code made by modifiers: the code below which it is, and the characters in order."""

    code: str
    parent: str
    by: tuple[ModifierClass, ...]


@dataclass(slots=True)
class Modifiers:
    """The modifiers of a classification and where they apply; ``parents`` is the tree of its classes by code."""

    parents: dict[str, str] = field(default_factory=dict)
    branches: set[str] = field(default_factory=set)
    classes: dict[str, list[ModifierClass]] = field(default_factory=dict)
    applied: dict[str, list[ModifiedBy]] = field(default_factory=dict)
    excluded: dict[str, frozenset[str]] = field(default_factory=dict)

    def learn_character(self, element: etree._Element, language: str) -> None:
        """Reads a ModifierClass element."""
        modifier = element.get("modifier", "")
        never = (meta.get("value", "").split() for meta in children(element, "Meta") if meta.get("name") == _EXCLUDE)
        self.classes.setdefault(modifier, []).append(
            ModifierClass(
                modifier,
                element.get("code", ""),
                element.get("usage", ""),
                tuple(labels(element, language)),
                frozenset((pair[0], pair[1]) for pair in never if len(pair) == 2),
            )
        )

    def learn_class(self, element: etree._Element, code: str) -> None:
        """Reads the place of a Class element in the tree, and its modifiers."""
        parent = next((sup.get("code", "") for sup in children(element, "SuperClass")), "")
        if parent:
            self.parents[code] = parent
            self.branches.add(parent)
        for sub in children(element, "SubClass"):
            self.branches.add(code)
            self.parents.setdefault(sub.get("code", ""), code)
        applied = [_modified_by(one) for one in children(element, "ModifiedBy")]
        if not applied and element.get("kind") == "category":
            applied = _linked(element)
        if applied:
            self.applied[code] = applied
        excluded = frozenset(one.get("code", "") for one in children(element, "ExcludeModifier"))
        if excluded:
            self.excluded[code] = excluded

    def made(self, code: str) -> Iterator[MadeCode]:
        """The codes that modifiers make of a class, parents first; none of a class that has classes below it.

        A modifier holds for its class and all below, but for those that exclude it (EN ISO 13120, ModifiedBy). Several
        apply one after the other; a character may be ruled out after one of the modifier before it (DIMDI's and BfArM's
        Meta ``excludeOnPrecedingModifier``).
        """
        if code in self.branches:
            return
        grown = [MadeCode(code, "", ())]
        for one in self._chain(code):
            further = []
            for base in grown:
                for character in self.classes.get(one.modifier, ()):
                    if one.valid and character.code not in one.valid:
                        continue
                    if base.by and (base.by[-1].modifier, base.by[-1].code) in character.never_after:
                        continue
                    whole = appended(base.code, character.code, one.position)
                    further.append(MadeCode(whole, base.code, (*base.by, character)))
            yield from further
            grown = further or grown

    def count(self, code: str) -> int:
        """An upper bound of the number of codes that ``made`` would make, counted without making them."""
        sizes = [len(self.classes.get(one.modifier, ())) or 1 for one in self._chain(code)]
        return sum(math.prod(sizes[: n + 1]) for n in range(len(sizes)))

    def _chain(self, code: str) -> list[ModifiedBy]:
        path = [code]
        while (above := self.parents.get(path[-1], "")) and above not in path:
            path.append(above)
        chain: dict[str, ModifiedBy] = {}
        for node in reversed(path):
            chain.update((one.modifier, one) for one in self.applied.get(node, ()))
            for modifier in self.excluded.get(node, ()):
                chain.pop(modifier, None)
        return sorted(chain.values(), key=lambda one: one.position)


def appended(code: str, character: str, position: int) -> str:
    """The code with a modifier's character: ``E10`` and ``.0`` give ``E10.0``, ``M45``, ``7`` at 5 give ``M45.X7``.

    Positions count from 1 without the dot; those that a code skips are filled with X, as those who code with ICD-10 do.
    """
    if not _ICD.match(code) or character.startswith("."):
        return code + (character[1:] if character.startswith(".") and "." in code else character)
    bare = code.replace(".", "").ljust(min(position, _LONGEST) - 1, "X") + character
    return f"{bare[:3]}.{bare[3:]}"


def _modified_by(element: etree._Element) -> ModifiedBy:
    modifier = element.get("code", "")
    valid = frozenset(one.get("code", "") for one in children(element, "ValidModifierClass"))
    position = whole_number(element.get("position", ""))
    return ModifiedBy(modifier, valid, _tier(modifier) if position is None else position)


def _tier(modifier: str) -> int:
    """The position that WHO and its members write at the end of a modifier's code: ``S04E10_4``."""
    found = _TIER.search(modifier)
    return int(found[1]) if found else 0


def _linked(element: etree._Element) -> list[ModifiedBy]:
    """The modifiers of a category that only its text links: WHO's release forgets the ModifiedBy of one (M13)."""
    found = []
    for rubric in children(element, "Rubric"):
        if rubric.get("kind") == "modifierlink":
            for node in rubric.iter("{*}Reference"):
                modifier = node.get("code", "")
                found.append(ModifiedBy(modifier, frozenset(), _tier(modifier)))
    return found
