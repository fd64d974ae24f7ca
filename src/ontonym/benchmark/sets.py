"""Term-similarity sets: pairs of names, half of them similar, in a folder that anyone with the release can recreate.

Schulz, section 3: five relations, easy and hard pairs, random and closest negatives make 20 sets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import orjson
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from ontonym.arrays import Mask, Rows
from ontonym.artifact import open_artifact, write_artifact
from ontonym.benchmark.negatives import NONE, STRATEGIES, Strategy, closest_negatives, random_negatives
from ontonym.benchmark.similar import (
    RELATIONS,
    NumberedNames,
    SimilarityRelation,
    SimilarNameOptions,
    SimilarPairs,
    similar_pairs,
)
from ontonym.checksums import sha256
from ontonym.errors import ArtifactError, InputError, UnknownNameError
from ontonym.learning.recipes.links import groups_of
from ontonym.manifest import Manifest
from ontonym.ranges import check_seed
from ontonym.store import Terminology
from ontonym.text.counting import count
from ontonym.text.normalization import normalize
from ontonym.types import SCOPES, Progress, Scope, no_progress

Difficulty = Literal["easy", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)

HEADER = ("first", "second", "similar", "distance", "first_concept", "second_concept")
RECIPE = "recipe.json"
STATISTICS = "statistics.json"
_RECIPE_VERSION = 1


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How similarity sets are made.

    ``languages`` and ``scopes`` are as in `SimilarNameOptions`. A similar pair is easy if its Levenshtein distance in
    lower case is at most ``threshold``, else hard: with the paper's 5, easy possibly-equivalent pairs can have the mean
    distance of 3.96 in Table 2. ``seed`` is for the random negatives.
    """

    languages: tuple[str, ...] = ("en",)
    scopes: tuple[Scope, ...] = ("exact",)
    threshold: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.threshold < 0:
            raise InputError(f"the threshold between easy and hard pairs must be at least 0, not {self.threshold}")
        for scope in self.scopes:
            if scope not in SCOPES:
                raise UnknownNameError("scope", scope, SCOPES)


def set_name(relation: SimilarityRelation, difficulty: Difficulty, strategy: Strategy) -> str:
    """The name of a set: ``fsn-synonym.hard.levenshtein``."""
    return f"{relation}.{difficulty}.{strategy}"


@dataclass(frozen=True, slots=True, eq=False)
class SimilaritySet:
    """Pairs of names: ``similar`` says whether they mean the same, ``distances`` are Levenshtein's, in lower case.

    Each similar pair is followed by a dissimilar one with the same first name. ``concepts`` are the ids of both names;
    of a name in a dissimilar pair, the first concept that has it.
    """

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    similar: Mask
    distances: Rows
    concepts: tuple[tuple[str, str], ...]

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return f"<SimilaritySet {self.name}: {len(self):,} pairs, {int(self.similar.sum()):,} similar>"

    def restricted(self, names: Collection[str]) -> SimilaritySet:
        """The similar pairs with both names among the normalized ``names``, each with its dissimilar pair.

        So half of the pairs are still similar; the second name of a dissimilar pair may be any.
        """
        return self._of([row for row in both_among(self.first, self.second, names) if self.similar[row]])

    def drawn(self, most: int, seed: int = 0) -> SimilaritySet:
        """At most ``most`` pairs, half of them similar: a random sample if there are more, in order."""
        similar = np.flatnonzero(self.similar)
        if len(self) <= most:
            return self
        return self._of(np.sort(np.random.default_rng(seed).choice(similar, most // 2, replace=False)).tolist())

    def _of(self, similar: Sequence[int]) -> SimilaritySet:
        """Some similar pairs, each with its dissimilar one."""
        rows = [row for first in similar for row in (first, first + 1)]
        first, second = (tuple(side[row] for row in rows) for side in (self.first, self.second))
        concepts = tuple(self.concepts[row] for row in rows)
        return SimilaritySet(self.name, first, second, self.similar[rows], self.distances[rows], concepts)


def both_among(first: Sequence[str], second: Sequence[str], names: Collection[str]) -> list[int]:
    """The positions of pairs whose texts, after normalization, are both among the normalized ``names``."""
    zipped = enumerate(zip(first, second, strict=True))
    return [row for row, (one, other) in zipped if normalize(one) in names and normalize(other) in names]


def build_sets(
    terminology: Terminology,
    path: Path | str,
    options: BuildOptions = BuildOptions(),
    *,
    older: Sequence[Terminology] = (),
    threads: int = 1,
    progress: Progress = no_progress,
) -> Manifest:
    """Makes the sets of a terminology and writes them as a folder of TSV files with manifest, statistics and recipe.

    A set without pairs is not written. A positive pair without any possible negative is left out of that set (the
    statistics give the number of positives before), so that half of each set is similar. The same releases and options
    give the same bytes on any machine. ``progress`` gets the stage, the work done and the total.

    Raises InputError if the terminology has no pair of names that differ, MissingExtraError without the extra eval.
    """
    progress("finding similar names", 0, 0)
    names, pairs = similar_pairs(terminology, older, SimilarNameOptions(options.languages, options.scopes))
    if not any(map(len, pairs.values())):
        raise InputError(
            f"{terminology.name}: no concept has two names in the wanted languages and scopes, and none was replaced: "
            "no pair of similar names"
        )
    meanings = groups_of(len(names.texts), np.concatenate([found.names for found in pairs.values()]))
    similar = meanings.astype(np.int64)
    lowered = names.lowered()
    written: dict[str, Any] = {}
    table: list[dict[str, Any]] = []
    with write_artifact(path, "benchmark") as writer:
        for relation in RELATIONS:
            parts = _split(pairs[relation], lowered, options.threshold)
            for difficulty, part in parts.items():
                if not len(part.pairs):
                    continue
                negatives = _negatives(part, relation, difficulty, similar, lowered, options, threads, progress)
                figures = {"relation": relation, "difficulty": difficulty, "positives": len(part.pairs)}
                for strategy, chosen in negatives.items():
                    name = set_name(relation, difficulty, strategy)
                    made = _made(name, names, part.pairs, part.distances, chosen, lowered)
                    figures |= _figures(strategy, made)
                    if len(made):
                        file = writer.folder / f"{name}.tsv"
                        file.write_text(_tsv(made), encoding="utf-8", newline="")
                        written[name] = {"pairs": len(made), "sha256": sha256(file)}
                table.append(figures)
        recipe = recipe_of(terminology, older, options, written)
        (writer.folder / RECIPE).write_bytes(_json(recipe))
        sizes = np.unique(similar, return_counts=True)[1]
        statistics = {"sets": table, "names": len(names.texts), "meanings": len(sizes), "largest": int(sizes.max())}
        (writer.folder / STATISTICS).write_bytes(_json(statistics))
        writer.content.update({"identity": {"name": terminology.name}, "recipe": recipe, "statistics": statistics})
    return writer.manifest


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    pairs: SimilarPairs
    distances: Rows


def _split(pairs: SimilarPairs, lowered: Sequence[str], threshold: int) -> dict[Difficulty, _Part]:
    distances = _distances(pairs.names, lowered)
    easy = distances <= threshold
    parts: dict[Difficulty, _Part] = {}
    for difficulty, rows in (("easy", np.flatnonzero(easy)), ("hard", np.flatnonzero(~easy))):
        chosen = SimilarPairs(pairs.names[rows], [pairs.concepts[row] for row in rows.tolist()])
        parts[difficulty] = _Part(chosen, distances[rows])  # type: ignore[index]
    return parts


def _negatives(
    part: _Part, relation: SimilarityRelation, difficulty: Difficulty, similar: Rows, lowered: Sequence[str],
    options: BuildOptions, threads: int, progress: Progress,
) -> dict[Strategy, Rows]:  # fmt: skip
    """The negatives of one relation and difficulty by each strategy; each set has its own random sample."""
    number = RELATIONS.index(relation) * len(DIFFICULTIES) + DIFFICULTIES.index(difficulty)
    generator = np.random.default_rng([options.seed, number])
    stage, total = f"closest names for {relation} {difficulty}", len(np.unique(part.pairs.names[:, 0]))
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        progress(stage, min(done, total), total)

    progress(stage, 0, total)
    return {
        "random": random_negatives(part.pairs.names, similar, generator),
        "levenshtein": closest_negatives(part.pairs.names, similar, lowered, threads=threads, progress=advance),
    }


def _made(
    name: str, names: NumberedNames, pairs: SimilarPairs, distances: Rows, chosen: Rows, lowered: Sequence[str]
) -> SimilaritySet:
    """A set: each positive pair followed by its negative one."""
    rows = np.flatnonzero(chosen != NONE)
    first, second = pairs.names[rows, 0], pairs.names[rows, 1]
    numbers = np.stack([first, second, first, chosen[rows]], axis=1).reshape(-1, 2)
    apart = _distances(numbers[1::2], lowered)
    concepts = [pair for row in rows.tolist() for pair in (
        pairs.concepts[row], (pairs.concepts[row][0], names.owners[int(chosen[row])]))]  # fmt: skip
    return SimilaritySet(
        name,
        tuple(names.texts[number] for number in numbers[:, 0].tolist()),
        tuple(names.texts[number] for number in numbers[:, 1].tolist()),
        np.arange(len(numbers)) % 2 == 0,
        np.stack([distances[rows], apart], axis=1).ravel(),
        tuple(concepts),
    )


def _distances(pairs: Rows, lowered: Sequence[str]) -> Rows:
    if not len(pairs):
        return np.zeros(0, dtype=np.int64)
    found: Rows = cpdist(
        [lowered[number] for number in pairs[:, 0].tolist()],
        [lowered[number] for number in pairs[:, 1].tolist()],
        scorer=Levenshtein.distance,
        dtype=np.int64,
    )
    return found


def _figures(strategy: Strategy, made: SimilaritySet) -> dict[str, Any]:
    """The columns of Table 2 for a set: its size, and the mean distances of both kinds of pairs."""
    return {
        strategy: {
            "pairs": len(made),
            "positive_distance": _mean(made.distances[made.similar]),
            "negative_distance": _mean(made.distances[~made.similar]),
        }
    }


def _mean(numbers: Rows) -> float | None:
    return round(float(numbers.mean()), 4) if len(numbers) else None


def _tsv(made: SimilaritySet) -> str:
    rows = zip(made.first, made.second, made.similar.astype(int), made.distances, made.concepts, strict=True)
    lines = [
        f"{first}\t{second}\t{similar}\t{distance}\t{concepts[0]}\t{concepts[1]}\n"
        for first, second, similar, distance, concepts in rows
    ]
    return "\t".join(HEADER) + "\n" + "".join(lines)


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


# Recipes -------------------------------------------------------------------------------------------------------------


def recipe_of(
    terminology: Terminology, older: Sequence[Terminology], options: BuildOptions, sets: Mapping[str, Any]
) -> dict[str, Any]:
    """What others need to make the same sets from their own copy of the releases; it contains no name from them."""
    return {
        "recipe": _RECIPE_VERSION,
        "terminology": terminology.release,
        "older": [one.release for one in older],
        "options": {**asdict(options), "languages": list(options.languages), "scopes": list(options.scopes)},
        "sets": dict(sets),
    }


@dataclass(frozen=True, slots=True)
class SetsRecipe:
    """A recipe: the options, the source releases, and the expected sets."""

    options: BuildOptions
    terminology: Mapping[str, str]
    older: tuple[Mapping[str, str], ...]
    sets: Mapping[str, Mapping[str, Any]]

    def check_releases(self, terminology: Terminology, older: Sequence[Terminology]) -> None:
        """Raises InputError if the releases differ from the recipe's, or were imported in another way."""
        asked, given = (self.terminology, *self.older), (terminology, *older)
        if len(asked) != len(given):
            raise InputError(
                f"the recipe needs {count(len(asked) - 1, 'older release')}, and {len(given) - 1} were given"
            )
        for wanted, release in zip(asked, given, strict=True):
            if wanted["fingerprint"] != release.fingerprint:
                raise InputError(
                    f"{release.path}: {release.name} {release.version} ({release.fingerprint[:12]}) is not what the "
                    f"recipe was made of: {wanted['name']} {wanted['version']} ({wanted['fingerprint'][:12]}). Import "
                    "that release, with the options of its makers"
                )

    def differences(self, made: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """The names of the sets that differ from the recipe's."""
        return sorted(name for name in {*self.sets, *made} if self.sets.get(name) != made.get(name))


def read_recipe(path: Path | str) -> SetsRecipe:
    """Reads the recipe in a file or in a folder of sets; raises InputError if it is no recipe."""
    path = Path(path)
    try:
        value = orjson.loads((path / RECIPE if path.is_dir() else path).read_bytes())
        if value["recipe"] != _RECIPE_VERSION:
            raise InputError(f"{path}: a recipe of version {value['recipe']}; this ontonym reads {_RECIPE_VERSION}")
        options = {field.name: value["options"][field.name] for field in fields(BuildOptions)}
        options |= {name: tuple(options[name]) for name in ("languages", "scopes")}
        return SetsRecipe(BuildOptions(**options), value["terminology"], tuple(value["older"]), value["sets"])
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a recipe of `build_sets()`: {error}") from error


# Reading -------------------------------------------------------------------------------------------------------------


def open_sets(path: Path | str) -> Iterator[SimilaritySet]:
    """The sets of a folder, one by one, in the order of `RELATIONS`, `DIFFICULTIES` and `STRATEGIES`.

    Raises ArtifactError if the folder is damaged or holds something else.
    """
    path = Path(path)
    made = open_artifact(path, "benchmark", lambda _, manifest: manifest)
    if "recipe" not in made.content:
        raise ArtifactError(f"{path}: has no similarity sets. Make them with `build_sets()`")
    for relation in RELATIONS:
        for difficulty in DIFFICULTIES:
            for strategy in STRATEGIES:
                name = set_name(relation, difficulty, strategy)
                if name in made.content["recipe"]["sets"]:
                    yield _read(path / f"{name}.tsv", name)


def _read(file: Path, name: str) -> SimilaritySet:
    """The set in a file that `build_sets` wrote; ArtifactError for a damaged one."""
    try:
        with file.open(encoding="utf-8", newline="\n") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines]
        if tuple(rows[0]) != HEADER:
            raise ValueError(f"its first line is {rows[0]}")
        columns = list(zip(*rows[1:], strict=True))
        first, second, similar, distances, one, other = columns
        if similar != ("1", "0") * (len(similar) // 2):
            raise ValueError("its pairs are not similar and dissimilar in turn")
        return SimilaritySet(
            name,
            first,
            second,
            np.array([label == "1" for label in similar]),
            np.array(distances, dtype=np.int64),
            tuple(zip(one, other, strict=True)),
        )
    except (OSError, ValueError, IndexError) as error:
        raise ArtifactError(f"{file}: damaged: {error}; make it again with `build_sets()`") from error
