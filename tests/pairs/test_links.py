from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from made import concept, opened
from ontonym.learning.recipes.links import groups_of, linked_concepts
from ontonym.store import Terminology
from ontonym.text.bulk import normalized_hashes
from ontonym.text.normalization import normalize
from ontonym.text.strings import Strings
from ontonym.types import Concept

HUMAN = [
    concept("H:1", "Heart attack", xrefs="M:1"),
    concept("H:2", "Asthma"),
    concept("H:3", "Kidney stones"),
    concept("H:4", "Lonely"),
    concept("H:5", "Asthma", status="retired", xrefs="M:1"),
]
MOUSE = [
    concept("M:1", "infarction of the heart"),
    concept("M:2", "ASTHMA"),
    concept("M:3", "Stone, Kidney", alternative_ids="H:4"),
]


def slow_links(terminologies: Sequence[Terminology]) -> list[list[int]]:
    """The definition, one concept after another."""
    by_id: dict[str, list[int]] = defaultdict(list)
    by_name: dict[str, list[int]] = defaultdict(list)
    referenced: list[tuple[int, tuple[str, ...]]] = []
    base = 0
    for terminology in terminologies:
        for row in range(len(terminology)):
            if terminology.active[row]:
                one = terminology.concept(row)
                by_id[one.id].append(base + row)
                by_name[normalize(one.preferred)].append(base + row)
                referenced.append((base + row, one.xrefs + one.alternative_ids))
        base += len(terminology)
    pairs: set[tuple[int, int]] = set()
    for number, references in referenced:
        for reference in references:
            if len(by_id[reference]) <= 3:
                pairs |= {(min(number, other), max(number, other)) for other in by_id[reference] if other != number}
    for group in (*by_id.values(), *(group for group in by_name.values() if len(group) <= 8)):
        pairs |= set(combinations(sorted(group), 2))
    return [list(pair) for pair in sorted(pairs)]


def test_links_are_cross_references_alternative_ids_and_equal_preferred_names(open_concepts):
    # numbers: H:1 to H:5 are 0 to 4, M:1 to M:3 are 5 to 7; what is retired is linked to nothing
    assert linked_concepts(open_concepts(HUMAN, MOUSE)).tolist() == [[0, 5], [1, 6], [2, 7], [3, 7]]


def test_one_terminology_without_references_has_no_links(open_concepts):
    assert linked_concepts(open_concepts(HUMAN)).shape == (0, 2)


def test_a_name_of_more_than_eight_concepts_links_nothing(open_concepts):
    def links(count: int) -> list[list[int]]:
        return linked_concepts(open_concepts([concept(f"N:{n}", "Unspecified") for n in range(count)])).tolist()

    assert links(9) == []
    assert links(8) == [list(pair) for pair in combinations(range(8), 2)]


@pytest.mark.slow
def test_a_cross_reference_to_more_than_three_concepts_links_nothing(open_concepts):
    def links(count: int) -> list[list[int]]:
        same = [[concept("X:1", f"name {n}")] for n in range(count)]
        return linked_concepts(open_concepts([concept("A", "first", xrefs="X:1")], *same)).tolist()

    assert [0, 1] in links(3)
    assert not [pair for pair in links(4) if 0 in pair]
    assert len(links(4)) == 6  # the same id four times


def test_a_concept_without_a_name_goes_by_its_id(open_concepts):
    assert linked_concepts(open_concepts([concept("asthma")], [concept("B", "Asthma")])).tolist() == [[0, 1]]


WORDS = st.sampled_from(
    ["arm", "arms", "Arm", "leg pain", "pain, leg", "ALPS", "alp", "was", "WAS", "", "type I", "type 1"]
)
IDS = st.sampled_from([f"X:{n}" for n in range(6)])


@st.composite
def release(draw: st.DrawFn) -> list[Concept]:
    ids = draw(st.lists(IDS, unique=True, min_size=1, max_size=6))
    return [
        Concept(
            one,
            terms=concept("", *names).terms if (names := [n for n in draw(st.lists(WORDS, max_size=2)) if n]) else (),
            xrefs=tuple(draw(st.lists(IDS, max_size=2))),
            alternative_ids=tuple(draw(st.lists(IDS, max_size=1))),
            status=draw(st.sampled_from(["active", "active", "active", "retired"])),
        )
        for one in ids
    ]


@pytest.mark.slow
@examples(40)
@given(releases=st.lists(release(), min_size=1, max_size=5))
def test_links_are_those_of_the_slow_definition(releases, tmp_path_factory):
    with opened(tmp_path_factory.mktemp("links"), *releases) as terminologies:
        found = linked_concepts(terminologies)
        assert found.tolist() == slow_links(terminologies)
        assert groups_of(sum(map(len, releases)), found).tolist() == slow_groups(
            sum(map(len, releases)), found.tolist()
        )


def slow_groups(count: int, links: Iterable[Sequence[int]]) -> list[int]:
    """The smallest member of the set of each, sets joined until nothing changes."""
    sets = [{number} for number in range(count)]
    for a, b in links:
        joined = sets[a] | sets[b]
        for member in joined:
            sets[member] = joined
    return [min(one) for one in sets]


@given(data=st.data(), count=st.integers(1, 30))
def test_groups_join_what_is_linked_directly_or_through_others(data, count):
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda ends: ends[0] != ends[1])
    links = sorted(
        {(min(ends), max(ends)) for ends in data.draw(st.lists(pair, max_size=40) if count > 1 else st.just([]))}
    )
    found = groups_of(count, np.array(links, dtype=np.int64).reshape(-1, 2))
    assert found.tolist() == slow_groups(count, links)


def test_a_long_chain_is_one_group():
    order = np.random.default_rng(0).permutation(5000)
    links = np.sort(np.stack([order[:-1], order[1:]], axis=1), axis=1)
    assert set(groups_of(5000, links[np.lexsort((links[:, 1], links[:, 0]))]).tolist()) == {0}


NAMES = st.lists(
    st.one_of(
        st.sampled_from(
            ["ALPS", "WAS protein", "AIDS", "CASES", "type I", "factor V", "I", "vitamin B12", "β-thalassemia",
             "TNFα", "alpha-1 acid", "α1", "oedema NOS", "Oedema, NOS", "pain, INCLUDED", "A-T", "can't walk", "cannot",
             "1,000", "2.5 mg", " AIDS", "BIOPSIES OF BONES", "Biopsies of BONES", "déjà vu", "",
             "   ", "III", "stage iia", "İ"]
        ),
        st.text(max_size=12),
        st.lists(
            st.sampled_from(["feet", "FEET", "i", "V", "type", "NOS", "metastases", "b2a", "Grade", "α", "x-ray"]),
            max_size=4,
        ).map(" ".join),
    ),
    max_size=12,
)  # fmt: skip


@pytest.mark.slow
@examples(300)
@given(texts=NAMES)
def test_normalized_hashes_are_equal_where_normalized_texts_are(texts):
    hashes = normalized_hashes(Strings.of(texts)).tolist()
    clean = Strings.of(texts).tolist()
    for (one, first), (other, second) in combinations(zip(clean, hashes, strict=True), 2):
        assert (first == second) == (normalize(one) == normalize(other)), (one, other)
