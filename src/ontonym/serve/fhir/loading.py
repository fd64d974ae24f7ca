"""FHIR resources from files: JSON and XML resources and Bundles, folders of them, and FHIR's npm packages."""

from __future__ import annotations

import sys
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

from ontonym.errors import FormatError
from ontonym.files.packing import AGAIN, naming_faults
from ontonym.serve.fhir import r4, xml
from ontonym.serve.fhir.elements import checked
from ontonym.serve.fhir.outcomes import FhirError, FhirJson

_BUNDLED = ("CodeSystem", "ValueSet", "ConceptMap")
TYPES = (*_BUNDLED, "Bundle")
LARGEST = 1 << 30


def load_resources(paths: Iterable[Path | str]) -> list[FhirJson]:
    """The code systems, value sets and concept maps of files, folders and ``.tgz`` packages, as R5; other resources are
    skipped.

    Raises FormatError where a file cannot be read, is no JSON or XML, or no FHIR resource.
    """
    found: list[FhirJson] = []
    for path in map(Path, paths):
        with naming_faults(path):
            found.extend(_of_path(path))
    return found


def _of_path(path: Path) -> Iterator[FhirJson]:
    if path.is_dir():
        for inner in sorted(one for one in path.rglob("*.json") if one.is_file()):
            yield from _of_bytes(inner.read_bytes(), inner, strict=False)
    elif not path.is_file():
        raise FormatError(path, "there is no such file")
    elif path.name.endswith((".tgz", ".tar.gz")):
        yield from _of_package(path)
    else:
        yield from _of_bytes(path.read_bytes(), path, strict=True)


def _of_package(path: Path) -> Iterator[FhirJson]:
    read = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if not (member.isfile() and member.name.endswith(".json") and "/." not in member.name):
                    continue
                read += member.size
                if read > LARGEST:
                    raise FormatError(path, f"holds more than {LARGEST} bytes")
                file = archive.extractfile(member)
                if file is not None:
                    yield from _of_bytes(file.read(), Path(f"{path}/{member.name}"), strict=False)
    except EOFError:
        raise FormatError(path, "is no whole package: it ends too early", hint=AGAIN) from None
    except tarfile.TarError as error:
        raise FormatError(path, f"is no package: {error}") from None


def _of_bytes(body: bytes, path: Path, *, strict: bool) -> Iterator[FhirJson]:
    """The resources of one file; where it need not be one of ours, other JSON is skipped."""
    try:
        is_xml = path.suffix == ".xml"
        resource = xml.parsed(body) if is_xml else orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
        if not strict and (not isinstance(resource, dict) or resource.get("resourceType") not in TYPES):
            return
        resource = checked(resource, *TYPES, most=sys.maxsize)
    except FhirError as error:
        raise FormatError(path, str(error)) from None
    except orjson.JSONDecodeError as error:
        raise FormatError(path, f"is no JSON: {error}") from None
    resource = r4.from_r4(resource)
    if resource["resourceType"] != "Bundle":
        yield resource
        return
    for entry in resource.get("entry") or ():
        inner = entry.get("resource") or {}
        if inner.get("resourceType") in _BUNDLED:
            yield inner
