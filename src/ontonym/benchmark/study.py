"""A study of the quality of similarity sets: blinded sheets for annotators, and the evaluation of their answers.

Schulz, section 3.3: of each set 30 similar and 30 dissimilar pairs are judged without knowing the set.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson

from ontonym.arrays import Doubles, Mask
from ontonym.benchmark.sets import SimilaritySet
from ontonym.errors import FormatError, InputError, needing
from ontonym.files.cells import cell_text, guarded, unguarded
from ontonym.files.csvtext import csv_rows
from ontonym.files.records import csv_delimiter
from ontonym.files.workbooks import sheet_rows
from ontonym.ranges import check_seed
from ontonym.text.numbers import whole_number

StudyAnswer = Literal["same", "not same", "don't know"]

ANSWERS: Mapping[str, StudyAnswer] = {
    "same": "same", "s": "same", "1": "same", "yes": "same", "not same": "not same", "n": "not same", "0": "not same",
    "no": "not same", "different": "not same", "don't know": "don't know", "?": "don't know", "dk": "don't know",
    "dont know": "don't know", "don’t know": "don't know",
}  # fmt: skip
"""The answers that annotators may give, in any case."""

COLUMNS = ("number", "first term", "second term", "same, not same, or don't know")
KEY = "key.json"
QUESTION = (
    "Are the two terms similar in the sense that they could be used interchangeably in consultation notes? You may "
    "look terms up. Write same, not same, or don't know in the last column."
)


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """``each``: the number of similar and of dissimilar pairs drawn from each set (all if it has fewer); ``seed``."""

    each: int = 30
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.each < 1:
            raise InputError(f"at least 1 pair of each kind must be drawn of a set, not {self.each}")


@dataclass(frozen=True, slots=True)
class StudyPair:
    """A pair of a study: its set, its terms, and whether the set has it as similar."""

    set: str
    first: str
    second: str
    similar: bool


def draw_study(sets: Iterable[SimilaritySet], options: StudyOptions) -> list[StudyPair]:
    """The pairs of all sets in one shuffled order, the two terms of each in random order as well."""
    generator = np.random.default_rng(options.seed)
    drawn: list[StudyPair] = []
    for pairs in sets:
        for similar in (True, False):
            rows = np.flatnonzero(pairs.similar == similar)
            for row in generator.choice(rows, min(options.each, len(rows)), replace=False).tolist():
                terms = pairs.first[row], pairs.second[row]
                first, second = terms[::-1] if generator.random() < 0.5 else terms
                drawn.append(StudyPair(pairs.name, first, second, similar))
    return [drawn[place] for place in generator.permutation(len(drawn)).tolist()]


def write_sheets(
    folder: Path | str, pairs: Sequence[StudyPair], annotators: Sequence[str], *, excel: bool = False
) -> list[Path]:
    """Writes one sheet for each annotator, CSV or XLSX, and the key, which they must not see; returns the sheets'
    paths.

    Every annotator gets the same pairs in the same order. Raises InputError if the folder has a study or a file of that
    name already or names of annotators cannot be file names; MissingExtraError for XLSX without openpyxl.
    """
    folder = Path(folder)
    if (folder / KEY).exists():
        raise InputError(f"{folder}: has a study already, and its answers would be lost: give another place")
    if not annotators or len(set(annotators)) != len(annotators):
        raise InputError("a study needs annotators, each with a name of their own")
    for name in annotators:
        if not name.strip() or Path(name).name != name or name.startswith("."):
            raise InputError(f"{name!r} cannot be the name of a file: name the annotator in another way")
    sheets = [folder / f"{name}.{'xlsx' if excel else 'csv'}" for name in annotators]
    for place in sheets:
        if place.exists():
            raise InputError(f"{place}: is there already, and would be lost: give another place")
    rows = [(number, pair.first, pair.second, "") for number, pair in enumerate(pairs, 1)]
    folder.mkdir(parents=True, exist_ok=True)
    for place in sheets:
        if excel:
            _write_excel(place, rows)
        else:
            with place.open("w", encoding="utf-8-sig", newline="") as stream:
                csv.writer(stream).writerows([COLUMNS, *([guarded(str(cell)) for cell in row] for row in rows)])
    key = [{"set": pair.set, "first": pair.first, "second": pair.second, "similar": pair.similar} for pair in pairs]
    (folder / KEY).write_bytes(orjson.dumps({"study": 1, "pairs": key}, option=orjson.OPT_INDENT_2))
    return sheets


def read_study(folder: Path | str) -> tuple[list[StudyPair], dict[str, list[StudyAnswer | None]]]:
    """The pairs of a study by its key, and each annotator's answers in the same order; None for an empty cell.

    Raises InputError if the folder has no key or no sheet, FormatError with the line for an invalid answer or a sheet
    whose pairs are not those of the key.
    """
    folder = Path(folder)
    try:
        key = orjson.loads((folder / KEY).read_bytes())
        pairs = [StudyPair(row["set"], row["first"], row["second"], row["similar"]) for row in key["pairs"]]
    except OSError as error:
        raise InputError(f"{folder / KEY}: cannot be read: {error.strerror}. `write_sheets()` writes it") from error
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{folder / KEY}: is not the key of a study: {error}") from error
    sheets = sorted(
        path for path in folder.iterdir() if path.suffix in (".csv", ".xlsx") and not path.name.startswith("~")
    )
    if not sheets:
        raise InputError(f"{folder}: no sheet (.csv or .xlsx) beside the key")
    return pairs, {sheet.stem: _answers(sheet, pairs) for sheet in sheets}


def _answers(sheet: Path, pairs: Sequence[StudyPair]) -> list[StudyAnswer | None]:
    """The answers of one filled sheet in the order of the pairs; None for an empty cell."""
    if sheet.suffix == ".xlsx":
        rows = [[cell_text(cell) for cell in row] for _, row in sheet_rows(sheet)]
    else:
        rows = _csv_rows(sheet)
    found: list[StudyAnswer | None] = [None] * len(pairs)
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        number = whole_number(row[0].strip().removesuffix(".0"))
        if number is None or not 1 <= number <= len(pairs) or len(row) < 3:
            raise FormatError(sheet, f"{row[0]!r} is the number of no pair of the key", line=line)
        pair = pairs[number - 1]
        said_of = (row[1], row[2]), (unguarded(row[1]), unguarded(row[2]))
        if (pair.first, pair.second) not in said_of:
            raise FormatError(sheet, f"the terms are not those of pair {number} in the key", line=line)
        said = " ".join(row[3].split()).casefold() if len(row) > 3 else ""
        if said and said not in ANSWERS:
            raise FormatError(sheet, f"{row[3]!r} is no answer", line=line, hint="Write same, not same, or don't know")
        found[number - 1] = ANSWERS[said] if said else None
    return found


def _csv_rows(sheet: Path) -> list[list[str]]:
    try:
        text = sheet.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(sheet, "not UTF-8 text", hint="Save it as CSV UTF-8") from error
    return [row for _, row in csv_rows(sheet, text, csv_delimiter(text.partition("\n")[0]))]


def _write_excel(place: Path, rows: Sequence[Sequence[Any]]) -> None:
    """Writes a sheet as XLSX, with a list of answers to choose from."""
    with needing("openpyxl", "eval", "an XLSX sheet"):
        from openpyxl import Workbook
        from openpyxl.worksheet.datavalidation import DataValidation
    book = Workbook()
    sheet = book.active
    sheet.title = "pairs"
    for row in (COLUMNS, *rows):
        sheet.append([None if cell == "" else cell for cell in row])
    for cells in sheet.iter_rows(min_row=2, min_col=2, max_col=3):
        for cell in cells:
            cell.data_type = "s"  # so that a term that begins with = is not a formula
    choice = DataValidation(type="list", formula1='"same,not same,don\'t know"', allow_blank=True)
    choice.prompt, choice.promptTitle = QUESTION[:255], "Same?"
    sheet.add_data_validation(choice)
    choice.add(f"D2:D{len(rows) + 1}")
    for column, width in zip("ABCD", (9, 60, 60, 34), strict=True):
        sheet.column_dimensions[column].width = width
    sheet.freeze_panes = "A2"
    book.save(place)


# Evaluating the answers ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Quality:
    """The annotators' judgement of some pairs (Schulz, Table 3).

    ``undecided``: the share of pairs without a majority answer, which count only in ``alpha``. ``alpha``:
    Krippendorff's for nominal answers; "don't know" and empty cells are no answers. None if there is nothing to agree
    on, or only one answer was ever given. ``accuracy``, ``recall`` and ``precision`` are those of the set's labels,
    with the majority as the truth and similar as positive; None if no pair counts.
    """

    pairs: int
    undecided: float
    alpha: float | None
    accuracy: float | None
    recall: float | None
    precision: float | None


def quality(pairs: Sequence[StudyPair], answers: Mapping[str, Sequence[StudyAnswer | None]]) -> Quality:
    """The quality of pairs by all annotators' answers; MissingExtraError without nltk or scikit-learn."""
    votes = np.array(
        [[{"same": 1.0, "not same": 0.0}.get(answer or "", np.nan) for answer in own] for own in answers.values()]
    ).reshape(len(answers), len(pairs))
    truth = majority(votes)
    decided = ~np.isnan(truth)
    labels = np.array([pair.similar for pair in pairs], dtype=np.bool_)[decided]
    said = truth[decided] == 1
    scores = _scores(said, labels) if decided.any() else (None, None, None)
    return Quality(len(pairs), float(np.mean(~decided)) if len(pairs) else 0.0, _alpha(votes), *scores)


@dataclass(frozen=True, slots=True)
class JudgedStudy:
    """The result of a study: the quality of all pairs (``all``) and of each set's by its name.

    ``unanswered`` counts the empty cells of each annotator.
    """

    annotators: list[str]
    unanswered: dict[str, int]
    sets: dict[str, Quality]


def judge_study(folder: Path | str) -> JudgedStudy:
    """Reads the filled sheets of a study and evaluates its sets; raises what `read_study` and `quality` raise."""
    pairs, answers = read_study(folder)
    parts: dict[str, Sequence[int]] = {"all": range(len(pairs))}
    for name in sorted({pair.set for pair in pairs}):
        parts[name] = [row for row, pair in enumerate(pairs) if pair.set == name]
    sets = {
        name: quality([pairs[row] for row in rows], {who: [own[row] for row in rows] for who, own in answers.items()})
        for name, rows in parts.items()
    }
    return JudgedStudy(list(answers), {who: sum(one is None for one in own) for who, own in answers.items()}, sets)


def majority(votes: Doubles) -> Doubles:
    """1 if more than half of all annotators say same, 0 if more than half say not same, else NaN.

    ``votes`` has shape ``(annotators, pairs)``, NaN for no answer.
    """
    same, other = (votes == 1).sum(axis=0), (votes == 0).sum(axis=0)
    half = len(votes) / 2
    return np.where(same > half, 1.0, np.where(other > half, 0.0, np.nan))


def _alpha(votes: Doubles) -> float | None:
    """Krippendorff's alpha over the pairs that two annotators or more answered; None if all answered alike."""
    with needing("nltk", "eval", "the agreement of annotators"):
        from nltk.metrics.agreement import AnnotationTask
    given = ~np.isnan(votes)
    given &= given.sum(axis=0) > 1
    answers = [(who, pair, votes[who, pair]) for who, pair in np.argwhere(given).tolist()]
    if len({answer for _, _, answer in answers}) < 2:
        return None
    return float(AnnotationTask(answers).alpha())


def _scores(truth: Mask, labels: Mask) -> tuple[float, float | None, float | None]:
    with needing("scikit-learn", "eval", "the quality of sets"):
        from sklearn.metrics import accuracy_score, precision_score, recall_score
    return (
        float(accuracy_score(truth, labels)),
        float(recall_score(truth, labels)) if truth.any() else None,
        float(precision_score(truth, labels)) if labels.any() else None,
    )
