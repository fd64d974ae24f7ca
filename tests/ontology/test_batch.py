from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.ontology.batch import Batch, batches_of
from ontonym.types import KINDS, SCOPES, STATUSES, Concept, Mapping, Property, Relation, Term

WORDS = st.text(alphabet="aβ ,|\n", max_size=4)
LISTS = st.lists(WORDS, max_size=2).map(tuple)
TERMS = st.builds(Term, WORDS, st.sampled_from(KINDS), st.sampled_from(SCOPES), WORDS, st.sampled_from(STATUSES), WORDS)
NUMBERS = st.integers(0, 9)


@st.composite
def concepts(draw: st.DrawFn) -> Concept:
    name = draw(WORDS)
    mapping = st.builds(
        Mapping,
        st.just(name),
        WORDS,
        WORDS,
        WORDS,
        st.one_of(st.none(), st.floats(0, 1)),
        object_label=WORDS,
        source=WORDS,
        rule=WORDS,
        comment=WORDS,
        group=NUMBERS,
        priority=NUMBERS,
    )
    return Concept(
        name,
        draw(st.lists(TERMS, max_size=3).map(tuple)),
        *[draw(part) for part in (LISTS, st.lists(st.builds(Relation, WORDS, WORDS), max_size=2).map(tuple))],
        definitions=draw(LISTS),
        tags=draw(LISTS),
        status=draw(st.sampled_from(STATUSES)),
        alternative_ids=draw(LISTS),
        replaced_by=draw(LISTS),
        consider=draw(LISTS),
        xrefs=draw(LISTS),
        properties=draw(st.lists(st.builds(Property, WORDS, WORDS), max_size=2).map(tuple)),
        mappings=draw(st.lists(mapping, max_size=2).map(tuple)),
    )


@examples(80)
@given(st.lists(concepts(), max_size=5))
def test_concepts_come_back_out_of_columns_as_they_went_in(given: list[Concept]) -> None:
    assert list(Batch.of(given).concepts()) == given


def test_ready_batches_keep_their_place_among_concepts() -> None:
    alone = [Concept(f"A:{i}", ()) for i in range(4)]
    ready = Batch.of(alone[1:3])
    found = list(batches_of([alone[0], ready, alone[3]]))
    assert [batch.ids.tolist() for batch in found] == [["A:0"], ["A:1", "A:2"], ["A:3"]]
    assert found[1] is ready
