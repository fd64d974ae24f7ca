from __future__ import annotations

import contextlib
import gzip
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.errors import InputError
from ontonym.ontology.formats import FORMATS, read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.tables.columns import ColumnMapping

PIECES = [
    b"[Term]\n", b"id: X:1\n", b'synonym: "a" EXACT layperson []\n', b'def: "', b"\\", b"\n", b"||", b"|", b"\t", b",",
    b'"', b"D1||a|b\n", b"id,name\n", b"A,b\n", b'{"graphs": [{"nodes": [{"id": "x", "lbl": "y", "meta": {',
    b'"synonyms": [{"val": 1}]', b"}}]}]}", b'{"id": "x", "terms": ["y"]}\n', b'{"id": {}, "name": []}\n', b"null",
    b"<ICD10CM.tabular><chapter><name>1</name><desc>x</desc>", b"<diag><name>A00</name>", b"<desc>d</desc>", b"</diag>",
    b"</chapter></ICD10CM.tabular>", b"A00\n", b"A000\n", b"A00XXXA\n",
    b"*NEWRECORD\nRECTYPE = D\n", b"MH = a\n", b"ENTRY = b|NON|EQV|acd\n", b"UI = D1\n",
    b"<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D1</DescriptorUI><DescriptorName><String>a</String>",
    b"</DescriptorName><ConceptList><Concept/></ConceptList></DescriptorRecord>", b"</DescriptorRecordSet>",
    b"LOINC_NUM,COMPONENT,PROPERTY,TIME_ASPCT,SYSTEM,SCALE_TYP,METHOD_TYP,CLASS,STATUS,LONG_COMMON_NAME\n",
    b"1-1,a,b,c,d,e,,f,ACTIVE,g\n", b"LoincNumber,ConsumerName\n",
    b"# DiseaseName\tDiseaseID\n", b"x\tMESH:D1\n", b"\xff", b"\x00", b"\xef\xbb\xbf", b"\r\n", b"http://x.org/", b":",
]  # fmt: skip

content = st.one_of(st.binary(max_size=300), st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join))


def zipped(raw: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("f", raw)
    return buffer.getvalue()


@pytest.mark.parametrize("name", [None, *FORMATS])
@examples(120)
@given(raw=content, mapped=st.booleans(), strict=st.booleans())
def test_arbitrary_bytes_raise_nothing_but_input_errors(
    tmp_path: Path, name: str | None, raw: bytes, mapped: bool, strict: bool
) -> None:
    path = tmp_path / "fuzz"
    path.write_bytes(raw)
    columns = ColumnMapping.parse(["id=1", "preferred=2"]) if mapped else None
    with contextlib.suppress(InputError):
        release = read_release([path], format=name, options=ReadOptions(columns=columns, strict=strict))
        for _ in release.concepts():
            pass


@pytest.mark.parametrize("pack", [gzip.compress, zipped])
@examples(150)
@given(data=st.data())
def test_damaged_archives_raise_nothing_but_input_errors(tmp_path: Path, pack: object, data: st.DataObject) -> None:
    packed = bytearray(pack(b"[Term]\nid: X:1\nname: a\n" * 20))  # type: ignore[operator]
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(4, len(packed) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "fuzz"
    path.write_bytes(bytes(packed[: data.draw(st.integers(4, len(packed)))]))
    with contextlib.suppress(InputError):
        for _ in read_release([path], format="obo").concepts():
            pass
