"""What holds for every recipe over any terminologies: nothing leaks, and no negative means what its anchor means."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from limits import examples
from made import opened
from ontonym.errors import InputError
from ontonym.learning.recipes import RECIPES, Examples, Pool, PoolOptions, RecipeOptions, make_examples, name_pool
from ontonym.learning.recipes.split import SPLITS
from ontonym.text.normalization import key, normalize
from ontonym.types import Concept, Mapping, Relation, Term

WORDS = ("arm", "Arm", "leg", "hand", "foot", "eye", "ear", "toe", "lip", "jaw", "skin", "bone", "a-r-m", "LEG!")
EXCLUDED = ("Foot", "skin ear")
OPTIONS = RecipeOptions(associations=("replaced_by", "consider"), predicates=("skos:exactMatch",))


@st.composite
def release(draw: st.DrawFn, prefix: str, others: str) -> list[Concept]:
    """Concepts whose names, parents, references, mappings and replacements are drawn; homonyms abound."""
    size = draw(st.integers(2, 8))
    ids = [f"{prefix}:{n}" for n in range(size)]
    elsewhere = st.sampled_from([f"{others}:{n}" for n in range(4)])
    text = st.one_of(st.sampled_from(WORDS), st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).map(" ".join))
    language = st.sampled_from(["en", "en", "de"])
    concepts = []
    for n, one in enumerate(ids):
        names = draw(st.lists(st.tuples(text, language), max_size=4))
        before = st.sampled_from(ids[:n] or ids[:1])
        parents = tuple(dict.fromkeys(draw(st.lists(before, max_size=2)))) if n else ()
        retired = draw(st.integers(0, 5)) == 0
        concepts.append(
            Concept(
                one,
                terms=tuple(
                    Term(name, "synonym" if k else "preferred", language=tag) for k, (name, tag) in enumerate(names)
                ),
                parents=parents,
                relations=tuple(Relation("near", draw(before)) for _ in range(draw(st.integers(0, 1)))),
                definitions=tuple(draw(st.lists(text.map("something like {}".format), max_size=2))),
                xrefs=tuple(draw(st.lists(elsewhere, max_size=1))),
                mappings=tuple(
                    Mapping(one, "skos:exactMatch", target, "semapv:ManualMappingCuration", object_label=draw(text))
                    for target in draw(st.lists(st.one_of(elsewhere, st.just("Z:1")), max_size=1))
                ),
                status="retired" if retired else "active",
                replaced_by=(draw(before),) if retired and n else (),
                consider=(draw(before),) if retired and n else (),
            )
        )  # fmt: skip
    return concepts


def spelled(pool: Pool) -> dict[str, set[int]]:
    """The splits of the concepts that have a text of each spelling in the pool."""
    found: dict[str, set[int]] = {}
    for text, concept in zip(pool.texts, pool.concepts.tolist(), strict=True):
        found.setdefault(key(text), set()).add(int(pool.splits[concept]))
    return found


def check_no_leak(pool: Pool, examples: Examples) -> None:
    """No text or spelling of a later split's concept in a split; dev and test triplets may look around."""
    of = spelled(pool)
    texts = examples.texts
    for place, split in enumerate(SPLITS):
        table = examples.table(split)
        looks_around = split != "train" and table.shape[1] == 3
        rows = table[:, 0] if looks_around else table.ravel()
        for row in np.unique(rows).tolist():
            assert pool.splits[texts.concepts[row]] == place
            assert max(of.get(key(texts.texts[row]), {place})) == place
    train = {key(texts.texts[row]) for row in np.unique(examples.table("train")).tolist()}
    for split in ("dev", "test"):
        table = examples.table(split)
        rows = table[:, 0] if table.shape[1] == 3 else table.ravel()
        assert not train & {key(texts.texts[row]) for row in rows.tolist()}
    unwanted = {normalize(text) for text in EXCLUDED}
    for table in examples.tables.values():
        assert not {normalize(texts.texts[row]) for row in np.unique(table).tolist()} & unwanted


def check_negatives(examples: Examples) -> None:
    """A negative neither means what anchor or positive mean nor is spelled like any text of that meaning."""
    texts = examples.texts
    said: dict[int, set[int]] = {}
    for meaning, spelling in zip(texts.meanings.tolist(), texts.spellings.tolist(), strict=True):
        said.setdefault(meaning, set()).add(spelling)
    for table in examples.tables.values():
        if table.shape[1] < 3:
            continue
        for anchor, positive, negative in table.tolist():
            for row in (anchor, positive):
                assert texts.meanings[negative] != texts.meanings[row]
                assert texts.spellings[negative] not in said[texts.meanings[row]]


def allowed(pool: Pool, recipe: str) -> set[tuple[int, int]]:
    """The pairs of concepts, anchor's and positive's, that a recipe may pair beside those of one meaning."""
    first = dict(zip(range(len(pool.terminologies)), pool.firsts.tolist(), strict=False))
    pairs: set[tuple[int, int]] = set()
    for place, terminology in enumerate(pool.terminologies):
        for row in range(len(terminology)):
            one = terminology.concept(row)
            here = first[place] + row
            if recipe == "historical" and one.status == "retired":  # its names speak of all that it leads to
                rows = [terminology.current(target) for target in (*one.replaced_by, *one.consider)]
                found = [first[place] + row for row in rows if row is not None]
                pairs.update(product(found, found))
            targets: list[str] = []
            if recipe in ("graph", "comb"):
                targets += [*one.parents, *(relation.target for relation in one.relations)]
            if recipe == "triplets":
                targets += one.parents
            if recipe == "mappings":
                targets += [mapping.object_id for mapping in one.mappings]
            for target, (k, other) in product(targets, enumerate(pool.terminologies)):
                if (row_there := other.find(target)) is not None:
                    pairs.add((here, first[k] + row_there))
    return pairs


def check_positives(pool: Pool, recipe: str, examples: Examples) -> None:
    texts = examples.texts
    explicit = allowed(pool, recipe)
    for table in examples.tables.values():
        for anchor, positive in table[:, :2].tolist():
            assert texts.spellings[anchor] != texts.spellings[positive]
            ends = (int(texts.concepts[anchor]), int(texts.concepts[positive]))
            assert texts.meanings[anchor] == texts.meanings[positive] or ends in explicit or ends[::-1] in explicit


def check_triplet_count(examples: Examples) -> None:
    for split in SPLITS:
        told = examples.described["label_pairs"][split]
        alone = told["without_parents_label"] + told["without_others_label"]
        assert len(examples.table(split)) == 3 * (told["pairs"] - told["without_either"]) - 2 * alone


def check_synonym_count(pool: Pool, examples: Examples) -> None:
    for split in SPLITS:
        counts = np.diff(pool.usable(split)[1])
        assert len(examples.table(split)) == (counts * (counts - 1) // 2).sum()


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
@examples(15, phases=[Phase.explicit, Phase.reuse, Phase.generate])  # shrinking builds thousands of terminologies
@given(
    first=release("A", "B"),
    second=release("B", "A"),
    marks=st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["A:0", "A:1", "B:1", "X:1"])), max_size=3),
    seed=st.integers(0, 5),
)
def test_nothing_leaks_and_positives_are_no_negatives(recipe, first, second, marks, seed, tmp_path_factory):
    options = PoolOptions(languages=(), exclude=EXCLUDED, shares=(0.6, 0.2, 0.2), seed=seed)
    with opened(tmp_path_factory.mktemp("all"), first, second) as terminologies:
        pool = name_pool(terminologies, options, marks)
        try:
            examples = make_examples(pool, RECIPES[recipe], OPTIONS)
        except InputError:
            assert not len(RECIPES[recipe].make(pool, OPTIONS, 0).tables["train"])
            return
        assert examples.texts.texts.tolist()[: len(pool.texts)] == pool.texts.tolist()
        folded = [key(text) for text in examples.texts.texts]
        assert len(set(zip(folded, examples.texts.spellings.tolist(), strict=True))) == len(set(folded))
        check_no_leak(pool, examples)
        check_negatives(examples)
        check_positives(pool, recipe, examples)
        if recipe == "triplets":
            check_triplet_count(examples)
        if recipe == "synonyms":
            check_synonym_count(pool, examples)
