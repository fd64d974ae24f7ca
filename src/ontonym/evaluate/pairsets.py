"""Evaluates methods on folders of similarity sets and on files of graded pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ontonym.benchmark.sets import SimilaritySet, open_sets
from ontonym.errors import InputError
from ontonym.evaluate.graded import GradedSet, read_graded
from ontonym.evaluate.pairsimilarity import check_measure, methods_of
from ontonym.evaluate.results import Evaluation, Results
from ontonym.evaluate.similarity import BCA, Evaluated, evaluate_similarity
from ontonym.evaluate.similaritytables import tables_of, text_of
from ontonym.evaluate.texts import excluded_names
from ontonym.manifest import MANIFEST
from ontonym.ranges import check_seed
from ontonym.text.normalization import normalize
from ontonym.types import Progress, no_progress

PairSet = GradedSet | SimilaritySet


@dataclass(frozen=True, slots=True)
class SimilarityOptions:
    """The ``methods`` to compare: encoders, files of word vectors, or names of `SPELLINGS`.

    ``sets``: only sets of a folder whose name has one of these words. ``measure`` is the one for comparisons; empty: a
    method's first; ``every_measure`` adds the others. ``any_word``: word vectors represent a term if they have one of
    its words; else every word must have a vector (Schulz, section 5). ``names`` is a file of the only names that count.
    At most ``most`` pairs of a set of similar and dissimilar names are drawn by ``seed`` (0: all).
    """

    methods: tuple[str, ...] = ("default", "edit")
    sets: tuple[str, ...] = ()
    measure: str = ""
    every_measure: bool = False
    any_word: bool = False
    names: str | None = None
    most: int = 0
    seed: int = 0
    resamples: int = BCA.resamples

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.seed and not self.most:
            raise InputError("`seed=` draws pairs, and all are taken: give `most=N` too")
        if self.measure:
            check_measure(self.measure)


def evaluate_pair_sets(
    places: Sequence[Path | str],
    options: SimilarityOptions,
    *,
    progress: Progress = no_progress,
) -> Evaluation:
    """The figures of all methods on folders of similarity sets and files of graded pairs; see `evaluate_similarity`.

    Raises InputError if the options leave no set at a place, or no pair in a set, and for those that do nothing.
    """
    for place in places:
        if not Path(place).exists():
            raise InputError(f"{place}: no such file or folder. `build_sets()` makes a folder of sets")
    if options.sets and not any(Path(place).is_dir() for place in places):
        raise InputError("`sets=` names sets of a folder, and only files are given: leave it out")
    only = {normalize(name) for name in excluded_names([options.names])} if options.names else None
    sets = [_drawn(_restricted(pairs, only), options) for place in places for pairs in _read(Path(place), options.sets)]
    bootstrap = replace(BCA, resamples=options.resamples)
    methods = methods_of(options.methods, options.measure, every=options.every_measure, any_word=options.any_word)
    found: list[Evaluated] = []
    for number, pairs in enumerate(sets):
        progress(pairs.name, number, len(sets))
        similarities = {name: ask(pairs.first, pairs.second) for name, ask in methods.items()}
        found.append(evaluate_similarity(pairs, similarities, bootstrap))
    about = [f"only similar pairs whose names are both in {options.names}"] if options.names else []
    about += [f"at most {options.most:,} pairs of a set, drawn (seed {options.seed})"] if options.most else []
    title = f"Telling similar names in {', '.join(Path(place).name for place in places)}"
    return Evaluation(
        Results(title, tuple(about), *tables_of(found, bootstrap)),
        {"sets": [one.to_dict() for one in found], "bootstrap": bootstrap.caption("pair")},
        bootstrap,
        text_of(found, bootstrap),
    )


def _read(path: Path, wanted: Sequence[str]) -> Iterator[PairSet]:
    if not path.is_dir():
        yield read_graded(path)
        return
    if not (path / MANIFEST).is_file() and (files := sorted(path.glob("*.txt")) + sorted(path.glob("*.csv"))):
        raise InputError(f"{path}: no folder of sets; for graded pairs give its files: {path / files[0].name} …")
    some = [pairs for pairs in open_sets(path) if not wanted or any(words in pairs.name for words in wanted)]
    if not some:
        raise InputError(f"{path}: no set whose name has {' or '.join(wanted)}")
    yield from some


def _restricted(pairs: PairSet, only: set[str] | None) -> PairSet:
    """The pairs with both names among ``only``, with the dissimilar pairs that belong to them."""
    if only is None:
        return pairs
    some = pairs.restricted(only)
    if not len(some):
        raise InputError(f"{pairs.name}: no pair whose names are both in the file of names")
    return some


def _drawn(pairs: PairSet, options: SimilarityOptions) -> PairSet:
    return pairs.drawn(options.most, options.seed) if options.most and isinstance(pairs, SimilaritySet) else pairs
