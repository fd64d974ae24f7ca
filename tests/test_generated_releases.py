"""Generated RF2 releases are what the format says, agree with themselves, and are the same bytes for the same seed."""

from __future__ import annotations

import csv
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from digests import digest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

import releases
from releases import metadata
from releases.draws import Draws
from releases.package import FILES
from releases.render import check_digits, sctids

ROOT = Path(__file__).parent.parent
SIZE = 1500
ALL = ("Snapshot", "Full", "Delta")
Row = dict[str, str]


def verhoeff(number: str) -> int:
    """The check value of a number with its check digit (0 where it is right), digit by digit as Verhoeff has it."""
    multiply = [[int(c) for c in row] for row in (
        "0123456789 1234067895 2340178956 3401289567 4012395678 5987604321 6598710432 7659821043 8765932104 9876543210"
    ).split()]  # fmt: skip
    swap = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
    value = 0
    for place, digit in enumerate(reversed(number)):
        turned = int(digit)
        for _ in range(place % 8):
            turned = swap[turned]
        value = multiply[value][turned]
    return value


@cache
def rf2(folder: Path) -> dict[str, list[Row]]:
    """The rows of every file of a release by "view kind", read with the header lines."""
    kinds = {name.split("{")[0]: kind for kind, (_, name, _) in FILES.items()}
    found: dict[str, list[Row]] = {}
    for path in sorted(folder.rglob("*.txt")):
        view = path.relative_to(folder).parts[0]
        kind = kinds[path.name.split(view)[0]]
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
        found.setdefault(f"{view} {kind}", []).extend(rows)
    return found


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """Releases 1 and 2 of the International edition, and the extension to release 2, in all views."""
    out = tmp_path_factory.mktemp("releases")
    first = releases.write_rf2(out, releases.Options(SIZE, seed=7, changed=0.05), views=ALL)
    options = releases.Options(SIZE, seed=7, changed=0.05, release=2)
    second = releases.write_rf2(out, options, views=ALL)
    extension = releases.write_extension(out, options, concepts=150, views=ALL)
    return first.path, second.path, extension.path


def latest(rows: list[Row]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for row in rows:
        if row["id"] not in found or found[row["id"]]["effectiveTime"] < row["effectiveTime"]:
            found[row["id"]] = row
    return found


def test_check_digits_are_verhoeffs() -> None:
    published = ("138875005", "116680003", "900000000000207008", "447562003", "733073007")
    assert [int(check_digits(np.array([int(number[:-1])]))[0]) for number in published] == [5, 3, 8, 3, 7]
    made = sctids(np.array([0, 8, 9999, 99_999_998, 99_999_999, 250_000_000]), 1999000, 11)
    assert all(verhoeff(str(number)) == 0 for number in made)
    assert [str(number)[-10:-1] for number in made[3:]] == ["199900011", "199900111", "199900211"]
    assert len(str(made[3])) == 18


def test_files_have_the_official_names_headers_and_line_ends(folders: tuple[Path, Path, Path]) -> None:
    concepts = folders[0] / "Snapshot/Terminology/sct2_Concept_Snapshot_INT_20250101.txt"
    assert concepts.read_bytes().startswith(b"id\teffectiveTime\tactive\tmoduleId\tdefinitionStatusId\r\n138875005\t")
    assert concepts.read_bytes().endswith(b"\r\n")
    expected = {
        "Full/Terminology/sct2_Description_Full-en_INT_20250201.txt",
        "Delta/Refset/Language/der2_cRefset_LanguageDelta-en_INT_20250201.txt",
        "Snapshot/Refset/Map/der2_iisssccRefset_ExtendedMapSnapshot_INT_20250201.txt",
        "Snapshot/Refset/Metadata/der2_ssRefset_ModuleDependencySnapshot_INT_20250201.txt",
    }
    assert expected <= {path.relative_to(folders[1]).as_posix() for path in folders[1].rglob("*.txt")}
    german = folders[2] / "Snapshot/Terminology/sct2_Description_Snapshot-de_DE1999500_20250201.txt"
    assert "für" in german.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1, 2])
def test_snapshot_and_delta_follow_from_the_history(folders: tuple[Path, Path, Path], which: int) -> None:
    found, date = rf2(folders[which]), "20250101" if which == 0 else "20250201"
    for kind in FILES:
        full = found[f"Full {kind}"]
        assert latest(full) == {row["id"]: row for row in found[f"Snapshot {kind}"]}, kind
        assert len(found[f"Snapshot {kind}"]) == len(latest(full)), kind
        assert [row for row in full if row["effectiveTime"] == date] == found[f"Delta {kind}"], kind
        assert len({(row["id"], row["effectiveTime"]) for row in full}) == len(full), kind


@pytest.mark.slow
def test_ids_are_valid_unique_and_of_our_namespace(folders: tuple[Path, Path, Path]) -> None:
    known = {str(special[0]) for special in metadata.SPECIALS}
    for folder, namespaces in ((folders[1], {"1999000"}), (folders[2], {"1999500", "1999550", "1999570"})):
        for kind, partition in (("concept", "10"), ("description", "11"), ("relationship", "12"), ("concrete", "12")):
            ids = [row["id"] for row in rf2(folder)[f"Snapshot {kind}"] if row["id"] not in known]
            assert len(ids) == len(set(ids))
            assert {one[-3:-1] for one in ids} <= {partition}
            assert {one[-10:-3] for one in ids} <= namespaces
            assert not [one for one in ids if verhoeff(one) or len(one) > 18]


def test_every_reference_leads_somewhere(folders: tuple[Path, Path, Path]) -> None:
    base, extension = rf2(folders[1]), rf2(folders[2])
    for own, reached in ((base, [base]), (extension, [base, extension])):
        concepts = {row["id"] for each in reached for row in each["Snapshot concept"]}
        terms = {
            row["id"] for each in reached for kind in ("description", "definition") for row in each[f"Snapshot {kind}"]
        }
        for kind in FILES:
            rows = own[f"Snapshot {kind}"]
            named = [column for column in FILES[kind][2].split() if column.endswith("Id") and column != "correlationId"]
            for column in named:
                reached_by = {row[column] for row in rows}
                assert reached_by <= (concepts | terms if column == "referencedComponentId" else concepts), (
                    kind,
                    column,
                )


def test_hierarchy_is_rooted_without_cycles_and_active(folders: tuple[Path, Path, Path]) -> None:
    base, extension = rf2(folders[1]), rf2(folders[2])
    active = {row["id"] for each in (base, extension) for row in each["Snapshot concept"] if row["active"] == "1"}
    parents: dict[str, set[str]] = defaultdict(set)
    for row in base["Snapshot relationship"] + extension["Snapshot relationship"]:
        if row["active"] == "1":
            assert row["sourceId"] in active
            assert row["destinationId"] in active
            if row["typeId"] == str(metadata.IS_A):
                assert row["destinationId"] not in parents[row["sourceId"]]
                parents[row["sourceId"]].add(row["destinationId"])
    assert active - set(parents) == {str(metadata.ROOT)}
    depth = {str(metadata.ROOT): 0}
    while len(depth) < len(active):
        ready = {one for one in active - set(depth) if all(parent in depth for parent in parents[one])}
        assert ready, "a cycle"
        depth.update({one: 1 + max(depth[parent] for parent in parents[one]) for one in ready})
    assert max(depth.values()) > 5


def test_hierarchy_holds_at_every_time_of_the_history(folders: tuple[Path, Path, Path]) -> None:
    found = rf2(folders[1])
    times = sorted({row["effectiveTime"] for row in found["Full concept"]})
    assert times[0] == "20020131"
    assert times[-1] == "20250201"
    for time in times:
        concepts, relations = (
            latest([row for row in found[f"Full {kind}"] if row["effectiveTime"] <= time])
            for kind in ("concept", "relationship")
        )
        active = {one for one, row in concepts.items() if row["active"] == "1"}
        placed = [row for row in relations.values() if row["active"] == "1"]
        assert {row["sourceId"] for row in placed} | {str(metadata.ROOT)} == active
        assert {row["destinationId"] for row in placed} <= active


def test_every_concept_has_one_full_name_and_a_preferred_one_per_dialect(folders: tuple[Path, Path, Path]) -> None:
    found = rf2(folders[1])
    terms = {row["id"]: row for row in found["Snapshot description"] if row["active"] == "1"}
    full = [row for row in terms.values() if row["typeId"] == str(metadata.FSN)]
    concepts = {row["id"] for row in found["Snapshot concept"]}
    assert Counter(row["conceptId"] for row in full) == Counter(concepts)
    assert len({row["term"] for row in full}) == len(full)
    assert all(row["term"].endswith(")") for row in full)
    for refset in (metadata.GREAT_BRITAIN, metadata.UNITED_STATES):
        members = [row for row in found["Snapshot language"] if row["refsetId"] == str(refset) and row["active"] == "1"]
        preferred = [
            terms[row["referencedComponentId"]]
            for row in members
            if row["acceptabilityId"] == str(metadata.PREFERRED) and row["referencedComponentId"] in terms
        ]
        synonyms = Counter(row["conceptId"] for row in preferred if row["typeId"] == str(metadata.SYNONYM))
        assert synonyms == Counter(concepts)
        respelled = any("haemorrhag" in row["term"].lower() or "tumour" in row["term"].lower() for row in preferred)
        assert respelled == (refset == metadata.GREAT_BRITAIN)


def test_retired_concepts_say_why_and_what_replaces_them(folders: tuple[Path, Path, Path]) -> None:
    found = rf2(folders[1])
    retired = {row["id"] for row in found["Snapshot concept"] if row["active"] == "0"}
    active = {row["id"] for row in found["Snapshot concept"]} - retired
    reasons = {
        row["referencedComponentId"]: int(row["valueId"])
        for row in found["Snapshot reason"]
        if row["refsetId"] == str(metadata.CONCEPT_REASON)
    }
    assert set(reasons) == retired
    assert abs(len(retired) / len(active | retired) - 160 / 520) < 0.04
    named = {reason: (str(refset), count) for _, reason, refset, count in metadata.REASONS}
    targets: dict[str, list[Row]] = defaultdict(list)
    for row in found["Snapshot association"]:
        targets[row["referencedComponentId"]].append(row)
    assert {row["refsetId"] for rows in targets.values() for row in rows} == {refset for refset, _ in named.values()}
    for one, rows in targets.items():
        refset, count = named[reasons[one]]
        assert {row["refsetId"] for row in rows} == {refset}
        assert 1 <= len(rows) <= count
        assert {row["targetComponentId"] for row in rows} <= active
    assert len(targets) > 0.98 * len(retired)


def test_history_has_about_three_rows_per_id(folders: tuple[Path, Path, Path]) -> None:
    found = rf2(folders[0])
    for kind in ("concept", "description", "relationship", "language"):
        assert 2.5 < len(found[f"Full {kind}"]) / len(found[f"Snapshot {kind}"]) < 3.5, kind
    assert 2.7 < len(found["Snapshot description"]) / SIZE < 3.4
    assert 5.3 < len(found["Snapshot relationship"]) / SIZE < 6.3


def test_the_next_release_shares_all_but_its_changes(folders: tuple[Path, Path, Path]) -> None:
    old, new = rf2(folders[0]), rf2(folders[1])
    for kind in FILES:
        if kind != "module":
            past = [row for row in new[f"Full {kind}"] if row["effectiveTime"] <= "20250101"]
            assert past == old[f"Full {kind}"], kind
    before, after = ({row["id"]: row["active"] for row in each["Snapshot concept"]} for each in (old, new))
    assert len(set(after) - set(before)) == round(0.05 * SIZE)
    assert not set(before) - set(after)
    newly = [one for one in before if before[one] == "1" and after[one] == "0"]
    assert 0 < len(newly) < 0.03 * SIZE
    names = [
        {row["conceptId"]: row["term"] for row in each["Snapshot description"]
         if row["typeId"] == str(metadata.FSN) and row["active"] == "1"} for each in (old, new)
    ]  # fmt: skip
    renamed = [one for one in before if before[one] == after[one] == "1" and names[0][one] != names[1][one]]
    assert abs(len(renamed) / sum(state == "1" for state in before.values()) - 0.05) < 0.02
    up = [
        {(row["sourceId"], row["destinationId"]) for row in each["Snapshot relationship"]
         if row["typeId"] == str(metadata.IS_A) and row["active"] == "1"} for each in (old, new)
    ]  # fmt: skip
    moved = {source for source, _ in up[0] - up[1]} - set(newly)
    assert 0 < len(moved) < 0.06 * SIZE


def test_maps_and_values_are_as_the_format_has_them(folders: tuple[Path, Path, Path]) -> None:
    found = rf2(folders[1])
    rules = Counter(row["mapRule"].split()[0] for row in found["Snapshot extended_map"])
    assert set(rules) == {"TRUE", "IFA", "OTHERWISE"}
    assert rules["IFA"] == rules["OTHERWISE"]
    by_source: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in found["Snapshot extended_map"]:
        by_source[row["referencedComponentId"], row["mapGroup"]].append(row)
        assert bool(row["mapTarget"]) == (row["mapCategoryId"] != str(metadata.NOT_CLASSIFIABLE))
        if row["mapAdvice"].startswith("ALWAYS "):
            assert row["mapAdvice"].split()[1] == row["mapTarget"]
    for rows in by_source.values():
        assert sorted(row["mapPriority"] for row in rows) == [str(turn + 1) for turn in range(len(rows))]
    assert all(row["value"][0] == "#" and float(row["value"][1:]) > 0 for row in found["Snapshot concrete"])
    assert all(row["mapTarget"][4] == "/" for row in found["Snapshot simple_map"])


def test_extension_names_concepts_of_the_base_in_german(folders: tuple[Path, Path, Path]) -> None:
    base, extension = rf2(folders[1]), rf2(folders[2])
    international = {row["id"] for row in base["Snapshot concept"]}
    german = {row["id"]: row for row in extension["Snapshot description"] if row["languageCode"] == "de"}
    assert len({row["conceptId"] for row in german.values()} & international) > 0.4 * SIZE
    members = [row for row in extension["Snapshot language"] if row["refsetId"] == str(metadata.GERMAN)]
    assert {row["referencedComponentId"] for row in members} == set(german)
    assert {row["moduleId"] for row in members} == {str(metadata.EXTENSION)}
    needs = {(row["moduleId"], row["referencedComponentId"]) for row in extension["Snapshot module"]}
    assert needs == {(str(metadata.EXTENSION), str(metadata.CORE)), (str(metadata.EXTENSION), str(metadata.MODEL))}
    placed = {row["destinationId"] for row in extension["Snapshot relationship"] if row["typeId"] == str(metadata.IS_A)}
    assert placed <= international


def test_same_options_same_bytes_and_other_seeds_other_ones(tmp_path: Path) -> None:
    options = releases.Options(300, seed=5)
    digests = [digest(releases.write_rf2(tmp_path / out, options).path) for out in ("a", "b")]
    assert digests[0] == digests[1]
    assert digest(releases.write_rf2(tmp_path / "c", releases.Options(300, seed=6)).path) != digests[0]


def test_snapshot_alone_is_that_of_the_full_release(tmp_path: Path) -> None:
    options = releases.Options(400, seed=5)
    alone = releases.write_rf2(tmp_path / "a", options).path
    beside = releases.write_rf2(tmp_path / "b", options, views=ALL).path
    assert digest(alone / "Snapshot") == digest(beside / "Snapshot")
    assert [path.name for path in alone.iterdir() if path.is_dir()] == ["Snapshot"]


def test_zip_holds_the_folder(tmp_path: Path) -> None:
    options = releases.Options(200, seed=5)
    folder = releases.write_rf2(tmp_path / "a", options).path
    packed = releases.write_rf2(tmp_path / "b", options, zip=True).path
    assert packed.name == f"{folder.name}.zip"
    assert not packed.with_suffix("").exists()
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "c")
    assert digest(tmp_path / "c" / folder.name) == digest(folder)


def test_an_unknown_view_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="known: Snapshot, Full, Delta"):
        releases.write_rf2(tmp_path, releases.Options(10), views=("Snap",))


@pytest.mark.slow
def test_command_line_writes_what_it_says(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.releases", "rf2", str(tmp_path), "--concepts", "250", "--delta"]
    done = subprocess.run(
        [*command, "--extension", "20", "--release", "3"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    folder = tmp_path / "SnomedCT_Generated_PRODUCTION_20250301T120000Z"
    rows = rf2(folder)["Snapshot concept"]
    assert len(rows) == 250 + 2 * 2 + len(metadata.SPECIALS)
    assert f"{len(rows):,} Snapshot concept" in done.stdout
    assert (tmp_path / "SnomedCT_GeneratedDE_PRODUCTION_20250301T120000Z/Delta").is_dir()
    wrong = subprocess.run([*command, "--release", "0"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "start at 1" in wrong.stderr


@pytest.mark.live
def test_open_names_are_real_ones_under_our_ids(tmp_path: Path) -> None:
    opennames = pytest.importorskip("releases.opennames")
    try:
        folder = opennames.data_folder()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    namer = opennames.OpenNames(Draws(1), folder)
    options = releases.Options(3000, seed=1, release=2)
    first, extension = (
        releases.write_rf2(tmp_path, options, names=namer).path,
        releases.write_extension(tmp_path, options, concepts=50, names=namer).path,
    )
    full = [
        row for row in rf2(first)["Snapshot description"] if row["typeId"] == str(metadata.FSN) and row["active"] == "1"
    ]
    names = [row["term"].rpartition(" (")[0] for row in full]
    assert len({row["term"] for row in full}) == len(full)
    with (folder / "mesh/mesh_id_label_mappings.tsv").open(encoding="utf-8") as stream:
        mesh = {line.split("\t")[1].strip() for line in stream}
    assert sum(name in mesh for name in names) > 0.2 * len(names)
    assert not any(name.endswith(" variant 2") for name in names)
    german = [row["term"] for row in rf2(extension)["Snapshot description"] if row["languageCode"] == "de"]
    assert len(german) > 8
    assert any("ä" in name or "ö" in name for name in german)
