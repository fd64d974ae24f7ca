"""Makes src/ontonym/text/lexicon.tsv: what clinical abbreviations mean, from own.tsv and four published inventories.

``python benchmarks/lexicon/make.py FOLDER``, where FOLDER holds the files of
https://github.com/lisavirginia/clinical-abbreviations, folder ``sources`` (see lexicon.LICENCE.txt).
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ontonym.text.normalization import canonical

HERE = Path(__file__).parent
LEXICON = HERE.parents[1] / "src" / "ontonym" / "text" / "lexicon.tsv"
HEADER = ("written", "meaning", "share", "sources")
LEAST_SHARE = 0.005
"""Rarer meanings are dropped."""

JUNK = re.compile(
    r"\b(abbreviat\w*|abbreviaion|acronym|initials?|intitial|horizon|typo|null|vanderbilt|phoneme|tennessee\w*|tenncare|starpanel|columbia"
    r"|kentucky|allen pavilion|isabella|hudson|saint|street|road|lane|phone|fax|facsimile|voicemail|television|disc"
    r"|copay|company|companies|county|building|coworker|dominican|domican|georgia|alabama|pennsylvania|puerto|virginia"
    r"|minnesota|los angeles|district of|south\w*|north|west|east|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?"
    r"|saturdays?|sundays?|december|captain|miss|misses|mister|m[rs]s?|manager|trademark|partnership|roman"
    r"|associates in|natural logarithm|advertisement|macaroni|gymnasium|junior|senior|toilet paper|developers|name"
    r"|standard time|daylight time|energetic|post script|word|square|means|social security|university|lower case)\b"
    r"|^\W*\d*\W*$|[=*?]|^not an|^latin|^part of|^(vi|i|in|os|ky|md|phd|cap|one|two|three|four|five|six)$"
)
"""Names, places and remarks, which are no meanings."""

SPELLING = dict(
    pair.split("=")
    for pair in """acetysalicylic=acetylsalicylic angiontensin=angiotensin grgroup=group
    assister=assisted bilaterlly=bilaterally caesarean=cesarean canula=cannula
    capacit=capacity chornic=chronic computerized=computed cystourethogram=cystourethrogram diptheria=diphtheria
    dextromethoraphan=dextromethorphan dietician=dietitian ebstein=epstein extremitiy=extremity faction=fraction
    glomular=glomerular guage=gauge inverior=inferior liason=liaison membanes=membranes moouth=mouth mumurs=murmurs
    murmumrs=murmurs nause=nausea oxalacetic=oxaloacetic parkinsons=parkinson postivie=positive purprua=purpura
    serosanguinous=serosanguineous tetrology=tetralogy thalium=thallium alternalte=alternate vdrug=drug""".split()
)
"""Misspelled words of the inventories."""

SPACED = {"DiDi twins": "DiDi", "Mono-Di twins": "MoDi", "MCA dopplers": "", "M TX": "MTX", "PEC w SF": "PEC w SF"}
"""What obgyn.txt writes with spaces, which elsewhere end the abbreviation; nothing for those left out."""
MISPRINTED = frozenset({"GIN", "MSF", "UPCR"})
REMARKS = frozenset({"nos"})
"""Remarks of classifications, which text normalization drops."""
"""Rows of obgyn.txt that are left out."""


class Sense(NamedTuple):
    """An abbreviation, one of its meanings, and the share of its uses, over 0 to 1, that have it."""

    written: str
    meaning: str
    share: float


def folded(written: str) -> str:
    """The form under which spellings of an abbreviation are one: without case and dots."""
    return written.casefold().replace(".", "")


def cleaned(meaning: str) -> str:
    """A meaning in lower case with its spelling corrected; empty where it is none."""
    text = re.sub(r"\s*\([^)]*\)", "", meaning.replace('"', "").lower()).split(" (")[0].replace(" & ", " and ")
    either, _, other = text.partition("/")
    text = either if either[:4] == other.strip()[:4] else text  # "bilateral/bilaterally" is one meaning
    if JUNK.search(text.strip()):
        return ""
    text = re.sub(r"[a-z]+", lambda word: SPELLING.get(word[0], word[0]), text)
    return " ".join(text.strip(" -,.").split())


def read_own(path: Path) -> Iterator[Sense]:
    """The senses of own.tsv."""
    rows = path.read_text(encoding="utf-8").splitlines()[1:]
    for written, meaning, share in (row.split("\t") for row in rows):
        yield Sense(written, meaning, float(share))


def read_notes(path: Path) -> Iterator[Sense]:
    """The senses of one of Vanderbilt's files; ``variation`` tells how the form is written ("A/P_2|a/p_4")."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            counts: Counter[str] = Counter()
            for spelling in row["variation"].split("|"):
                form, _, count = spelling.rpartition("_")
                counts[form.strip(".")] += int(count) if count.isdigit() else 0
            written = max(counts, key=lambda form: (counts[form], form)) if counts else ""
            yield Sense(written or row["abbreviation"], cleaned(row["sense"]), float(row["frequency"]))


def read_sign_out(path: Path) -> Iterator[Sense]:
    """The senses of the sign-out notes, all in lower case: in capitals here where they are the initials."""
    for row in path.read_text(encoding="utf-8").splitlines():
        written, meaning, share = row.split("\t")
        text = cleaned(meaning)
        initials = "".join(word[0] for word in text.replace("-", " ").replace("/", " ").split())
        yield Sense(written.upper() if written == initials and len(written) > 1 else written, text, float(share))


def read_obstetrics(path: Path) -> Iterator[Sense]:
    """The abbreviations of obstetrics, equally common where one has several meanings."""
    meanings: dict[str, dict[str, str]] = defaultdict(dict)
    for row in path.read_text(encoding="utf-8").splitlines():
        form = next((form for form in SPACED if row.startswith(form + " ")), row.partition(" ")[0])
        written = SPACED.get(form, form)
        if written and written not in MISPRINTED:
            meanings[folded(written)].setdefault(cleaned(row[len(form) :]), written)
    for found in meanings.values():
        for meaning, written in found.items():
            yield Sense(written, meaning, 1 / len(found))


def by_form(senses: Iterator[Sense]) -> dict[str, list[Sense]]:
    """The senses of one source by folded form, without those that mean nothing, each form's shares summing to 1."""
    forms: dict[str, list[Sense]] = defaultdict(list)
    for sense in senses:
        form = folded(sense.written)  # "hepatitis b" is no meaning of "b"
        if canonical(sense.meaning) and form not in {folded(sense.meaning), *folded(sense.meaning).split()}:
            forms[form].append(sense)
    return {
        form: [sense._replace(share=sense.share / sum(each.share for each in found)) for sense in found]
        for form, found in forms.items()
    }


def merged(form: str, sources: dict[str, dict[str, list[Sense]]], proper: dict[str, str]) -> list[tuple[str, ...]]:
    """The rows of a form, the commonest meaning first; our own list weighs as much as all other sources together."""
    using = [letter for letter in sources if form in sources[letter]]
    others = len(using) - ("o" in using)
    own = (0.5 if others else 1.0) if "o" in using else 0.0
    weights = {letter: own if letter == "o" else (1 - own) / others for letter in using}
    shares: dict[str, float] = defaultdict(float)
    wordings: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    written: dict[str, float] = defaultdict(float)
    letters: dict[str, list[str]] = defaultdict(list)
    for letter in using:
        for sense in sources[letter][form]:
            text = re.sub(r"[a-z]+", lambda word: proper.get(word[0], word[0]), sense.meaning)
            meaning = canonical(sense.meaning.lower())
            shares[meaning] += sense.share * weights[letter]
            wordings[meaning][text] += sense.share * weights[letter] + (letter == "o")
            written[sense.written] += sense.share * weights[letter] + (letter == "o")
            letters[meaning] += [letter] if letter not in letters[meaning] else []
    kept = {meaning: share for meaning, share in shares.items() if share >= LEAST_SHARE}
    thousandths = {meaning: max(1, round(1000 * share / sum(kept.values()))) for meaning, share in kept.items()}
    thousandths[max(thousandths, key=lambda meaning: (thousandths[meaning], meaning))] += 1000 - sum(
        thousandths.values()
    )
    name = max(written, key=lambda text: (written[text], text))
    return [
        (name, max(wordings[meaning], key=lambda text: (wordings[meaning][text], text)), f"{count / 1000:g}",
         "".join(letters[meaning]))
        for meaning, count in sorted(thousandths.items(), key=lambda pair: (-pair[1], pair[0]))
    ]  # fmt: skip


def make(folder: Path) -> list[tuple[str, ...]]:
    """The rows of the lexicon, sorted by folded form, then by falling share."""
    own = list(read_own(HERE / "own.tsv"))
    sources = {
        "o": by_form(iter(own)),
        "c": by_form(read_notes(folder / "vanderbilt_clinic_notes.txt")),
        "d": by_form(read_notes(folder / "vanderbilt_discharge_sums.txt")),
        "s": by_form(read_sign_out(folder / "sense_distribution_448.txt")),
        "b": by_form(read_obstetrics(folder / "obgyn.txt")),
    }
    found = [re.findall(r"[A-Za-z]+", sense.meaning) for sense in own]
    lower = {word for words in found for word in words if word.islower()}
    names = [word for words in found if any(len(word) > 3 and word.islower() for word in words) for word in words]
    proper = {word.lower(): word for word in names if len(word) > 2 and word.lower() not in lower | {"silver"}}
    forms = sorted({form for found in sources.values() for form in found} - REMARKS)
    return [row for form in forms for row in merged(form, sources, proper)]


if __name__ == "__main__":
    lines = ["\t".join(row) + "\n" for row in (HEADER, *make(Path(sys.argv[1])))]
    LEXICON.write_text("".join(lines), encoding="utf-8", newline="\n")
    print(f"{len(lines) - 1:,} meanings in {LEXICON}")
