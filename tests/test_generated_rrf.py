"""Generated UMLS and RxNorm releases are what their formats say, agree with themselves, and change as they say."""

from __future__ import annotations

import gzip
import sys
import zipfile
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from digests import digest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

import releases
from releases.rrf_tables import COLUMNS, LINKS

SIZE = 1500
Row = dict[str, str]


@cache
def rrf(folder: Path) -> dict[str, list[Row]]:
    """The rows of every RRF file by name, its parts joined."""
    columns: dict[str, list[str]] = {name: names.split() for name, names in COLUMNS.items()}
    found: dict[str, list[Row]] = {}
    for path in sorted((folder / "META").iterdir()):
        name = path.name.split(".RRF")[0] + ".RRF"
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        assert data.endswith(b"|\n")
        for line in data.decode().split("\n")[:-1]:
            fields = line.split("|")[:-1]
            found.setdefault(name, []).append(dict(zip(columns[name], fields, strict=True)))
    return found


@pytest.fixture(scope="module")
def metas(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Releases 1 and 2 of a generated UMLS."""
    out = tmp_path_factory.mktemp("metas")
    first, second = (
        releases.write_rrf(out, releases.Options(SIZE, seed=7, changed=0.05, release=release)).path
        for release in (1, 2)
    )
    assert (first.name, second.name) == ("2025AA", "2025AB")
    return first, second


def test_rrf_has_as_many_rows_as_asked_for_and_says_so(metas: tuple[Path, Path], tmp_path: Path) -> None:
    found = rrf(metas[0])
    concepts = {row["CUI"] for row in found["MRCONSO.RRF"]}
    assert abs(len(concepts) / SIZE - 1) < 0.05
    assert abs(len(found["MRCONSO.RRF"]) / len(concepts) - 10 / 3) < 0.15
    assert abs(len(found["MRREL.RRF"]) / len(concepts) - 80 / 9) < 0.6
    for row in found["MRFILES.RRF"]:
        path = metas[0] / "META" / row["FIL"]
        if row["FIL"] != "MRFILES.RRF":
            assert (int(row["RWS"]), int(row["BTS"])) == (len(found[row["FIL"]]), path.stat().st_size)
            assert int(row["CLS"]) == len(row["FMT"].split(",")) == len(found[row["FIL"]][0])
    few = releases.write_rrf(tmp_path, releases.Options(SIZE), names=SIZE * 2, relations=SIZE * 4).rows
    assert abs(few["MRCONSO.RRF"] / SIZE - 2) < 0.15
    assert abs(few["MRREL.RRF"] / SIZE - 4) < 0.4
    with pytest.raises(ValueError, match="names a concept: 1 to 19"):
        releases.write_rrf(tmp_path, releases.Options(10), names=1000)


def test_rrf_names_have_one_preferred_atom_per_language(metas: tuple[Path, Path]) -> None:
    found = rrf(metas[1])
    rank = {(row["SAB"], row["TTY"]): int(row["MRRANK_RANK"]) for row in found["MRRANK.RRF"]}
    sabs = {row["RSAB"]: row["LAT"] for row in found["MRSAB.RRF"]}
    by_language: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in found["MRCONSO.RRF"]:
        by_language[row["CUI"], row["LAT"]].append(row)
        assert sabs[row["SAB"]] == row["LAT"]
    assert {language for _, language in by_language} == {"ENG", "GER", "SPA", "FRE", "JPN"}
    for rows in by_language.values():
        preferred = [row for row in rows if (row["TS"], row["STT"], row["ISPREF"]) == ("P", "PF", "Y")]
        best = max(rows, key=lambda row: rank[row["SAB"], row["TTY"]])
        assert preferred == [best]
        for row in rows:
            assert (row["TS"] == "P") == (row["LUI"] == best["LUI"])
        for sui in {row["SUI"] for row in rows}:
            same = [row for row in rows if row["SUI"] == sui]
            assert len({row["STR"] for row in same}) == 1
            assert [row["ISPREF"] for row in same].count("Y") == 1
        assert len({row["LUI"] for row in rows if row["STT"] == "PF" and row["ISPREF"] == "Y"}) == len(
            {row["LUI"] for row in rows}
        )
    auis = [row["AUI"] for row in found["MRCONSO.RRF"]]
    assert len(set(auis)) == len(auis)
    assert [row["CUI"] for row in found["MRCONSO.RRF"]] == sorted(row["CUI"] for row in found["MRCONSO.RRF"])
    assert {row["SUPPRESS"] for row in found["MRCONSO.RRF"]} == {"N", "O", "E", "Y"}


def test_rrf_relations_go_both_ways_between_what_is_there(metas: tuple[Path, Path]) -> None:
    found = rrf(metas[1])
    owner = {row["AUI"]: row["CUI"] for row in found["MRCONSO.RRF"]}
    turned = {link.rel: link.back for link in LINKS} | {link.back: link.rel for link in LINKS}
    rela = {(link.rel, link.rela): link.back_rela for link in LINKS} | {
        (link.back, link.back_rela): link.rela for link in LINKS
    }
    rows = Counter((row["CUI1"], row["REL"], row["RELA"], row["CUI2"], row["SAB"]) for row in found["MRREL.RRF"])
    back = Counter(
        {
            (second, turned[rel], rela[rel, name], first, sab): count
            for (first, rel, name, second, sab), count in rows.items()
        }
    )
    assert rows == back
    assert {row["REL"] for row in found["MRREL.RRF"]} == {"PAR", "CHD", "RO", "RB", "RN", "RQ", "SIB"}
    for row in found["MRREL.RRF"]:
        assert owner[row["AUI1"]] == row["CUI1"]
        assert owner[row["AUI2"]] == row["CUI2"]
    assert len({row["RUI"] for row in found["MRREL.RRF"]}) == len(found["MRREL.RRF"])
    assert [row["CUI1"] for row in found["MRREL.RRF"]] == sorted(row["CUI1"] for row in found["MRREL.RRF"])
    parents: dict[str, set[str]] = defaultdict(set)
    for row in found["MRREL.RRF"]:
        if row["REL"] == "PAR":
            assert row["RELA"] in ("inverse_isa", "")
            assert row["CUI2"] < row["CUI1"]
            parents[row["CUI1"]].add(row["CUI2"])
    assert set(owner.values()) - set(parents) == {"C0000001"}
    for row in found["MRREL.RRF"]:
        if row["REL"] == "SIB":
            assert parents[row["CUI1"]] & parents[row["CUI2"]]


def test_rrf_types_and_definitions_belong_to_their_concepts(metas: tuple[Path, Path]) -> None:
    found = rrf(metas[0])
    owner = {row["AUI"]: row["CUI"] for row in found["MRCONSO.RRF"]}
    assert {row["CUI"] for row in found["MRSTY.RRF"]} == set(owner.values())
    assert {row["TUI"]: row["STY"] for row in found["MRSTY.RRF"]}["T047"] == "Disease or Syndrome"
    assert all(owner[row["AUI"]] == row["CUI"] for row in found["MRDEF.RRF"])
    for name in ("MRSTY.RRF", "MRDEF.RRF"):
        identities = [row["ATUI"] for row in found[name]]
        assert len(set(identities)) == len(identities)


def test_rrf_next_release_merges_renames_and_moves(metas: tuple[Path, Path]) -> None:
    old, new = rrf(metas[0]), rrf(metas[1])
    before, after = ({row["CUI"] for row in each["MRCONSO.RRF"]} for each in (old, new))
    past = [row for row in new["MRCUI.RRF"] if row["VER"] != "2025AB"]
    assert past == old["MRCUI.RRF"]
    gone = {row["CUI1"]: row for row in new["MRCUI.RRF"]}
    assert before - after == {row["CUI1"] for row in new["MRCUI.RRF"] if row["VER"] == "2025AB"}
    assert before - after
    assert not set(gone) & after
    assert all((row["CUI2"] in after) == (row["REL"] != "DEL") == (row["MAPIN"] == "Y") for row in gone.values())
    assert {row["REL"] for row in gone.values()} == {"SY", "DEL", "RB", "RN", "RO"}
    names = [
        {row["CUI"]: (row["STR"], row["AUI"]) for row in each["MRCONSO.RRF"]
         if (row["LAT"], row["TS"], row["STT"], row["ISPREF"]) == ("ENG", "P", "PF", "Y")} for each in (old, new)
    ]  # fmt: skip
    renamed = [cui for cui in before & after if names[0][cui][0] != names[1][cui][0]]
    assert abs(len(renamed) / len(before & after) - 0.05) < 0.02
    assert all((names[0][cui][1] == names[1][cui][1]) == (cui not in renamed) for cui in before & after)
    up = [{(row["CUI1"], row["CUI2"]) for row in each["MRREL.RRF"] if row["REL"] == "PAR"} for each in (old, new)]
    moved = {source for source, _ in up[0] - up[1]} & after
    assert 0 < len(moved) < 0.06 * SIZE


def test_rrf_parts_join_to_the_whole_and_the_same_bytes_come_again(tmp_path: Path) -> None:
    options = releases.Options(400, seed=3)
    whole, parts, again = (
        releases.write_rrf(tmp_path / name, options, split=split).path
        for name, split in (("a", 0), ("b", 50_000), ("c", 50_000))
    )
    assert rrf(whole) == rrf(parts)
    names = [path.name for path in sorted((parts / "META").glob("MRREL*"))]
    assert names[:1] == ["MRREL.RRF.aa.gz"]
    assert digest(parts) == digest(again)
    packed = releases.write_rrf(tmp_path / "d", options, zip=True).path
    with zipfile.ZipFile(packed) as archive:
        assert archive.read("2025AA/META/MRCONSO.RRF") == (whole / "META/MRCONSO.RRF").read_bytes()


@pytest.fixture(scope="module")
def rxnorms(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Releases 1 and 2 of a generated RxNorm."""
    out = tmp_path_factory.mktemp("rxnorm")
    first, second = (
        releases.write_rxnorm(out, releases.Options(SIZE, seed=7, changed=0.05, release=release)).path
        for release in (1, 2)
    )
    assert (first.name, second.name) == ("RxNorm_full_01012025", "RxNorm_full_02012025")
    return first, second


def fields(folder: Path, name: str) -> list[list[str]]:
    return [line.split("|")[:-1] for line in (folder / "rrf" / name).read_text(encoding="utf-8").splitlines()]


def test_rxnorm_drugs_are_named_by_what_they_are_made_of(rxnorms: tuple[Path, Path]) -> None:
    conso = fields(rxnorms[0], "RXNCONSO.RRF")
    assert {len(row) for row in conso} == {18}
    names = {row[0]: (row[12], row[14]) for row in conso if row[11] == "RXNORM" and row[12] not in ("PSN", "SY")}
    assert len(set(names.values())) == len(names)
    assert len({row[7] for row in conso}) == len(conso)
    related: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    rows = fields(rxnorms[0], "RXNREL.RRF")
    assert {len(row) for row in rows} == {16}
    for first, _, _, _, second, _, _, rela, *_ in rows:
        related[second][rela].append(first)
    for cui, (tty, name) in names.items():
        if tty == "SCD":
            (component,), (form,) = related[cui]["consists_of"], related[cui]["has_dose_form"]
            assert name == f"{names[component][1]} {names[form][1]}"
            assert cui in related[component]["constitutes"]
        elif tty == "SBD":
            (drug,), (brand,) = related[cui]["tradename_of"], related[cui]["has_ingredient"]
            assert name == f"{names[drug][1]} [{names[brand][1]}]"
    assert {tty for tty, _ in names.values()} == {"IN", "PIN", "BN", "DF", "SCDC", "SCD", "SBD"}
    strengths = {row[0]: row[10] for row in fields(rxnorms[0], "RXNSAT.RRF") if row[8] == "RXN_STRENGTH"}
    assert all(names[cui][1].endswith(f" {strength}") for cui, strength in strengths.items())


def test_rxnorm_next_release_merges_and_renames(rxnorms: tuple[Path, Path]) -> None:
    old, new = ({row[0]: row[14] for row in fields(each, "RXNCONSO.RRF")[::-1]} for each in rxnorms)
    gone = {row[0]: row[4] for row in fields(rxnorms[1], "RXNCUI.RRF")}
    assert set(old) - set(new) == set(gone) - {row[0] for row in fields(rxnorms[0], "RXNCUI.RRF")}
    assert set(old) - set(new)
    assert set(gone.values()) <= set(new)
    assert len(set(new) - set(old)) > 0.04 * SIZE
    renamed = [cui for cui in set(old) & set(new) if old[cui] != new[cui]]
    assert 0.005 < len(renamed) / len(old) < 0.06
    archived = {row[12]: row[15] for row in fields(rxnorms[1], "RXNATOMARCHIVE.RRF")}
    assert archived == gone
