"""FHIR's XML and its JSON, one to the other, by the table of elements (FHIR R5, 2.1.5 and 2.1.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from ontonym.serve.fhir.elements import DEEPEST, PRIMITIVES, Element, table
from ontonym.serve.fhir.outcomes import FhirError, FhirJson, refused

FHIR = "http://hl7.org/fhir"
XHTML = "http://www.w3.org/1999/xhtml"
_DEFAULT: Any = {None: FHIR}
_XHTML: Any = {None: XHTML}
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def written(resource: FhirJson, *, pretty: bool = False) -> bytes:
    """The resource as XML, in lines if it is to be ``pretty``; elements that FHIR does not know are left out."""
    root = _element_of(resource)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=pretty))


def _element_of(resource: FhirJson) -> etree._Element:
    kind = resource["resourceType"]
    root = etree.Element(f"{{{FHIR}}}{kind}", nsmap=_DEFAULT)
    _fill(root, table().get(kind, {}), resource)
    return root


def _fill(parent: etree._Element, elements: dict[str, Element], value: FhirJson) -> None:
    attributes = _attributes(etree.QName(parent).localname)
    for name, element in elements.items():
        if name in attributes:
            if name in value:
                parent.set(name, _text(str(value[name])))
            continue
        for part, extra in _paired(value.get(name), value.get(f"_{name}")):
            _add(parent, element, part, extra)


def _attributes(within: str) -> tuple[str, ...]:
    """The elements of FHIR that are attributes in XML: the id of what is no resource, and the url of an extension."""
    if within in ("extension", "modifierExtension"):
        return "id", "url"
    return ("id",) if within[:1].islower() else ()


def _text(text: str) -> str:
    """The text without what no XML can hold."""
    return _NOT_IN_XML.sub("\ufffd", text)


def _paired(values: Any, extras: Any) -> Iterator[tuple[Any, Any]]:
    listed = values if isinstance(values, list) else [] if values is None else [values]
    more = extras if isinstance(extras, list) else [] if extras is None else [extras]
    for at in range(max(len(listed), len(more))):
        yield (listed[at] if at < len(listed) else None), (more[at] if at < len(more) else None)


def _add(parent: etree._Element, element: Element, value: Any, extra: Any) -> None:
    if element.name == "div" and isinstance(value, str):
        parent.append(_narrative(value))
        return
    if value is None and element.type not in PRIMITIVES:
        return  # only a primitive has extensions without a value
    child = etree.SubElement(parent, f"{{{FHIR}}}{element.name}")
    if element.type in PRIMITIVES:
        if value is not None:
            text = ("true" if value else "false") if isinstance(value, bool) else str(value)
            child.set("value", _text(text))
        if isinstance(extra, dict):
            _fill(child, {name: table()["Extension"][name] for name in ("id", "extension")}, extra)
    elif element.type == "Resource":
        child.append(_element_of(value))
    else:
        _fill(child, table()[element.type], value)


def _narrative(text: str) -> etree._Element:
    try:
        return etree.fromstring(text.encode(), _parser())
    except etree.XMLSyntaxError:
        made = etree.Element(f"{{{XHTML}}}div", nsmap=_XHTML)
        made.text = _text(text)
        return made


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def parsed(body: bytes) -> FhirJson:
    """The resource of an XML body as JSON.

    Raises FhirError (400) where it is no XML, declares entities, or is no FHIR resource.
    """
    try:
        root = etree.fromstring(body, _parser())
    except etree.XMLSyntaxError as error:
        raise _bad(str(error)) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise _bad("a document type declaration is not allowed")
    return _resource(root, 0)


def _resource(node: etree._Element, depth: int) -> FhirJson:
    name = _name(node)
    if name not in table() or not name[:1].isupper():
        raise _bad(f"{name} is no resource type that this server knows")
    return {"resourceType": name, **_object(node, name, depth)}


def _object(node: etree._Element, kind: str, depth: int) -> FhirJson:
    if depth > DEEPEST:
        raise refused(400, "structure", "TOO_DEEP", limit=DEEPEST)
    elements = table()[kind]
    result: FhirJson = {name: node.get(name) for name in ("id", "url") if node.get(name) is not None}
    for child in node:
        if not isinstance(child.tag, str):
            raise _bad("an entity reference is not allowed")
        name = _name(child)
        if name == "div":
            result["div"] = etree.tostring(child, encoding="unicode", with_tail=False)
            continue
        element = elements.get(name)
        if element is None:
            raise _bad(f"{kind} has no element {name}")
        value, extra = _value(child, element, depth)
        _put(result, name, value, extra, element.repeats)
    return result


def _put(result: FhirJson, name: str, value: Any, extra: Any, repeats: bool) -> None:
    if not repeats:
        if name in result:
            raise _bad(f"{name} may only be there once")
        if value is not None:
            result[name] = value
        if extra is not None:
            result[f"_{name}"] = extra
        return
    listed = result.setdefault(name, [])
    listed.append(value)
    if extra is not None or f"_{name}" in result:
        more = result.setdefault(f"_{name}", [None] * (len(listed) - 1))
        more.extend([None] * (len(listed) - 1 - len(more)))
        more.append(extra)


def _value(node: etree._Element, element: Element, depth: int) -> tuple[Any, FhirJson | None]:
    if element.type == "Resource":
        if len(node) != 1:
            raise _bad(f"{element.name} must hold one resource")
        return _resource(node[0], depth + 1), None
    if element.type not in PRIMITIVES:
        return _object(node, element.type, depth + 1), None
    extra = _object(node, "Extension", depth + 1) if len(node) or node.get("id") else None
    text = node.get("value")
    return (None if text is None else _primitive(text, element.type, element.name)), extra


def _primitive(text: str, kind: str, name: str) -> Any:
    if kind == "string":
        return text
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    if kind == "integer" and re.fullmatch(r"[+-]?\d{1,10}", text):
        return int(text)
    if kind == "decimal" and re.fullmatch(r"[+-]?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?", text):
        return float(text)
    raise _bad(f"{name} has the value {text[:60]!r}, which is no {kind}")


def _name(node: etree._Element) -> str:
    name = etree.QName(node)
    if name.namespace not in (FHIR, XHTML):
        raise _bad(f"{name.localname} is not in the namespace {FHIR}")
    return name.localname


def _bad(problem: str) -> FhirError:
    return refused(400, "structure", "BAD_XML", problem=problem)
