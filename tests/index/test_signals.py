from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ontonym.index import Index
from ontonym.index.nearest import nearest_of
from ontonym.index.scan import Scan
from ontonym.tasks import SearchOptions, search
from ontonym.text.normalization import tokens

Words = Callable[[int, int], list[str]]


def stanzas(names: list[str]) -> list[str]:
    return [f"id: N:{number:05d}\nname: {name}" for number, name in enumerate(names)]


def made(workshop: Any, words: Words, count: int, seed: int = 0) -> tuple[Index, list[str]]:
    names = list(dict.fromkeys(words(count, seed)))
    return workshop.index(workshop.terminology("made", *stanzas(names))), names


def bm25(names: list[list[str]], query: list[str]) -> np.ndarray:
    """Robertson's BM25 with k1 1.2 and b 0.75, as Lucene has it, over lists of words."""
    average = sum(map(len, names)) / len(names)
    frequency = Counter(word for name in names for word in set(name))
    scores = np.zeros(len(names))
    for row, name in enumerate(names):
        times = Counter(name)
        for word in query:
            if times[word]:
                idf = math.log(1 + (len(names) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                norm = times[word] + 1.2 * (1 - 0.75 + 0.75 * len(name) / average)
                scores[row] += idf * times[word] * 2.2 / norm
    return scores


def nearest_by(expected: np.ndarray, k: int) -> tuple[list[int], np.ndarray]:
    """The rows of the highest of some similarities above 0, ties by lower row, and these similarities."""
    order = np.lexsort((np.arange(len(expected)), -expected.astype(np.float32)))[:k]
    order = order[expected[order] > 0]
    return order.tolist(), expected[order]


@pytest.mark.slow
def test_lexical_similarities_are_those_of_bm25(workshop: Any, words: Words) -> None:
    index, names = made(workshop, words, 800)
    split = [tokens(name) for name in names]
    for query in [*names[:40], *words(40, 9), "carx carx unheard", "unheard"]:
        rows, similarities = nearest_by(bm25(split, tokens(query)), 10)
        found = index.signals.ontology.lexical.nearest(tokens(query), 10)
        assert found.similarities == pytest.approx(similarities, rel=1e-5)
        assert found.rows.tolist() == rows


@pytest.mark.slow
@pytest.mark.parametrize("share", [1, 0.4, 0.05])
def test_lexical_looks_no_further_than_it_must_and_finds_the_same(
    workshop: Any, words: Words, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ontonym.index.lexical._AT_ONCE", 20)  # so that every word is a step of its own
    monkeypatch.setattr("ontonym.index.lexical._FEW", 50)
    index, names = made(workshop, words, 1500)
    split = [tokens(name) for name in names]
    wanted = np.random.default_rng(1).random(len(names)) < share
    for place in range(60):
        query = tokens(" ".join(names[place : place + 1 + place % 4]))
        rows, similarities = nearest_by(np.where(wanted, bm25(split, query), 0), 1 + place % 7)
        found = index.signals.ontology.lexical.nearest(query, 1 + place % 7, None if share == 1 else wanted)
        assert found.similarities == pytest.approx(similarities, rel=1e-5)
        assert found.rows.tolist() == rows


def test_common_words_of_a_query_bring_no_names_beside_other_signals(workshop: Any) -> None:
    names = ["carx lesion", *(f"{word} lesion" for word in ("dask", "elno", "firt", "gusk", "hano"))]
    index = workshop.index(workshop.terminology("made", *(f"id: M:{n}\nname: {name}" for n, name in enumerate(names))))
    lexical = index.signals.ontology.lexical
    (rarest,), (every,) = (lexical.nearest_to_each([["lesion", "carx"]], 10, share=share) for share in (0.8, 1.0))
    assert (rarest.rows.tolist(), sorted(every.rows.tolist())) == ([0], [0, 1, 2, 3, 4, 5])
    alone = search(index, "lesion carx", SearchOptions(signal="lexical"))
    assert len(alone) == len(names)


@pytest.mark.oracle
def test_lexical_similarities_are_those_of_bm25s(workshop: Any, words: Words) -> None:
    bm25s = pytest.importorskip("bm25s")
    index, names = made(workshop, words, 1500)
    split = [tokens(name) for name in names]
    oracle = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    oracle.index(split, show_progress=False)
    for query in [*names[:60], *words(60, 9)]:
        distinct = list(dict.fromkeys(tokens(query)))
        expected = oracle.get_scores(distinct) * 2.2  # it leaves out the constant k1 + 1
        found = index.signals.ontology.lexical.nearest(distinct, 10)
        assert found.similarities == pytest.approx(np.sort(expected)[::-1][: len(found.rows)], rel=1e-4)
        assert found.similarities == pytest.approx(expected[found.rows], rel=1e-4)


def by_char(index: Index, query: list[str]) -> np.ndarray:
    char = index.signals.ontology.char
    return char.similarities(char.query(query), np.arange(index.name_count))


def char_cosines(names: list[list[str]], query: list[str]) -> np.ndarray:
    """What the char signal promises, letter by letter."""
    holders = Counter(word for name in names for word in set(name))
    counts: Counter[str] = Counter()
    for word, count in holders.items():
        for gram in set(letters(word)):
            counts[gram] += count

    def vector(of: list[str]) -> dict[str, float]:
        times = Counter(gram for word in of for gram in letters(word))
        return {
            gram: n * (math.log((1 + len(names)) / (1 + min(counts[gram], len(names)))) + 1)
            for gram, n in times.items()
        }

    def square(of: dict[str, float]) -> float:
        return sum(weight**2 for weight in of.values())

    asked = vector(query)
    cosines = []
    for name in names:
        own = vector(name)
        length = math.sqrt(sum(n**2 * square(vector([word])) for word, n in Counter(name).items()))
        dot = sum(weight * own.get(gram, 0) for gram, weight in asked.items())
        cosines.append(min(dot / max(length * math.sqrt(square(asked)), 1e-12), 1))
    return np.asarray(cosines)


def letters(word: str) -> list[str]:
    return [f" {word} "[start : start + size] for size in (3, 4) for start in range(len(word) + 3 - size)]


@pytest.mark.slow
def test_char_similarities_are_cosines_of_letter_groups(workshop: Any, words: Words) -> None:
    strange = ["ear ear pain", "b\u00e9b\u00e9 c", "\u5fc3\u810f\u75c5", "banana ana", "a", "\U0001f600grin x"]
    names = list(dict.fromkeys([*words(150, 3), *strange]))
    index = workshop.index(workshop.terminology("made", *stanzas(names)))
    split = [tokens(name) for name in names]
    for query in [*split[::9], tokens("ear aer"), tokens("bananas"), tokens("c a"), *split[-6:]]:
        assert by_char(index, query) == pytest.approx(char_cosines(split, query), abs=1e-5)


@pytest.mark.slow
def test_char_finds_the_most_similar_and_keeps_to_a_filter(workshop: Any, words: Words) -> None:
    names = [name for name in dict.fromkeys(words(1500, 0)) if len(set(name.split())) == len(name.split())]
    index = workshop.index(workshop.terminology("made", *stanzas(names)))
    wanted = np.random.default_rng(1).random(len(names)) < 0.3
    char = index.signals.ontology.char
    for name in names[:40]:
        query = char.query(tokens(name[:2] + name[3:]))
        for mask in (None, wanted):
            expected = char.similarities(query, np.arange(len(names)))
            if mask is not None:
                expected[~mask] = 0
            found = char.nearest(query, 5, mask)
            assert len(found.rows) == min(5, int((expected > 0.05).sum()))
            assert found.similarities == pytest.approx(np.sort(expected)[::-1][: len(found.rows)])
            assert found.similarities == pytest.approx(expected[found.rows])


@pytest.mark.slow
def test_char_looks_at_few_names_of_many_and_finds_nearly_all(
    workshop: Any, words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, names = made(workshop, words, 3000)
    char = index.signals.ontology.char
    asked = [tokens(name[:3] + name[4:]) for name in names[:100]]
    whole = [char.nearest(char.query(query), 10) for query in asked]
    monkeypatch.setattr("ontonym.index.char._MOST_NAMES", 600)
    monkeypatch.setattr("ontonym.index.char._FEW", 10)
    some = np.random.default_rng(1).random(len(names)) < 0.5
    recalled = []
    for query, best in zip(asked, whole, strict=True):
        found = char.nearest(char.query(query), 10)
        recalled.append(np.isin(best.rows, found.rows).mean())
        assert found.similarities == pytest.approx(char.similarities(char.query(query), found.rows))
        assert some[char.nearest(char.query(query), 10, some).rows].all()
    assert np.mean(recalled) > 0.85


@pytest.mark.oracle
def test_char_similarities_are_near_those_of_scikit_learn(workshop: Any, words: Words) -> None:
    pytest.importorskip("sklearn")
    from sklearn.feature_extraction.text import TfidfVectorizer

    index, names = made(workshop, words, 1500)
    normalized = [" ".join(tokens(name)) for name in names]
    oracle = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4))
    matrix = oracle.fit_transform(normalized)
    for query in normalized[::40]:
        reordered = " ".join(query.split()[::-1])
        expected = (matrix @ oracle.transform([reordered]).T).toarray()[:, 0]
        off = np.abs(by_char(index, reordered.split()) - expected)
        assert off.mean() < 0.03
        assert np.corrcoef(by_char(index, reordered.split()), expected)[0, 1] > 0.97


@pytest.mark.oracle
def test_char_is_that_of_scikit_learn_where_no_two_words_share_letters(workshop: Any) -> None:
    pytest.importorskip("sklearn")
    from sklearn.feature_extraction.text import TfidfVectorizer

    names = ["vitamin c", "vitamin d", "c fibre", "factor x", "ab blood"]
    index = workshop.index(workshop.terminology("made", *stanzas(names)))
    normalized = [" ".join(tokens(name)) for name in names]
    oracle = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4))
    matrix = oracle.fit_transform(normalized)
    for query in normalized:
        expected = (matrix @ oracle.transform([query]).T).toarray()[:, 0]
        assert by_char(index, query.split()) == pytest.approx(expected, abs=1e-5)


def test_char_similarity_of_a_name_to_itself_is_one(workshop: Any, words: Words) -> None:
    index, names = made(workshop, words, 300)
    for row in range(0, len(names), 17):
        assert by_char(index, tokens(names[row]))[row] == pytest.approx(1, abs=0.01)


def test_char_knows_nothing_of_strange_letters(workshop: Any, words: Words) -> None:
    index, _ = made(workshop, words, 50)
    assert not by_char(index, ["ωωωω"]).any()
    assert not by_char(index, []).any()
    assert index.signals.ontology.char.nearest(index.signals.ontology.char.query([]), 5).rows.tolist() == []


@pytest.mark.slow
def test_dense_nearest_are_those_of_the_float_cosine(workshop: Any, words: Words) -> None:
    index, names = made(workshop, words, 4000)
    vectors = index.encoder.encode(names)
    shorter = [" ".join(name.split()[1:]) for name in names[:80] if " " in name]
    misspelled = [name[:3] + name[4:] for name in names[100:160]]
    recalled = []
    for query in shorter + misspelled:
        vector = index.encoder.encode([query])[0]
        cosines = vectors @ vector
        found = index.signals.ontology.dense.nearest(vector, 10)
        assert found.similarities == pytest.approx(cosines[found.rows], abs=0.01)
        assert (np.diff(found.similarities) <= 0).all()
        recalled.append((cosines[found.rows] >= np.sort(cosines)[-10] - 0.002).mean())
    assert np.mean(recalled) >= 0.98


@pytest.mark.slow
def test_dense_filter_acts_inside_the_scan(workshop: Any, words: Words) -> None:
    index, names = made(workshop, words, 3000)
    wanted = np.random.default_rng(1).random(len(names)) < 0.02
    vectors = index.encoder.encode(names)
    for query in words(20, 6):
        vector = index.encoder.encode([query])[0]
        expected = np.where(wanted, vectors @ vector, -2)
        found = index.signals.ontology.dense.nearest(vector, 5, wanted)
        assert set(found.rows.tolist()) <= set(np.flatnonzero(wanted).tolist())
        assert found.similarities == pytest.approx(np.sort(expected)[::-1][:5], abs=0.02)


def test_dense_finds_nothing_for_a_text_without_words(workshop: Any, words: Words) -> None:
    index, _ = made(workshop, words, 50)
    assert index.signals.ontology.dense.nearest(index.encoder.encode(["?!"])[0], 5).rows.tolist() == []
    nobody = np.zeros(index.name_count, dtype=np.bool_)
    assert index.signals.ontology.dense.nearest(index.encoder.encode(["carx"])[0], 5, nobody).rows.tolist() == []


def test_nearest_breaks_ties_by_the_lower_row() -> None:
    similarities = np.asarray([0.5, 0.9, 0.5, 0.5, 0.1], dtype=np.float32)
    found = nearest_of(np.asarray([7, 3, 2, 9, 1]), similarities, 3)
    assert found.rows.tolist() == [3, 2, 7]
    assert found.similarities == pytest.approx([0.9, 0.5, 0.5])


def test_rarity_of_words_is_that_of_bm25(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("made", *stanzas(["ear pain", "ear ear wax", "leg pain", "arm"])))
    names = index.signals.names
    found = dict(zip(names.vocabulary, names.idf.tolist(), strict=True))
    assert found["ear"] == pytest.approx(math.log(1 + (4 - 2 + 0.5) / 2.5))
    assert found["arm"] == pytest.approx(math.log(1 + (4 - 1 + 0.5) / 1.5))
    assert names.word_ids(["arm", "toe"]) == [names.vocabulary[:].index("arm"), None]


def test_word_overlap_is_weighted_by_rarity(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("made", *stanzas(["ear pain", "leg pain", "arm 2"])))
    evidence = index.signals.evidence(index.signals.query("ear ache 3"))
    names = index.signals.names
    place = evidence.concepts.tolist().index(0)
    ear, pain = (float(names.idf[number]) for number in names.word_ids(["ear", "pain"]) if number is not None)
    strange = names.unseen_idf
    assert evidence.column("query_share")[place] == pytest.approx(ear / (ear + 2 * strange), rel=1e-5)
    assert evidence.column("name_share")[place] == pytest.approx(ear / (ear + pain), rel=1e-5)
    assert evidence.column("words")[place] == pytest.approx(2 * ear / (2 * ear + pain + 2 * strange), rel=1e-5)
    assert evidence.column("number_missing").tolist() == [1.0] * len(evidence.concepts)


@pytest.mark.parametrize(
    ("text", "against"),
    [
        ("perforated ulcer", [1, 0, 0]),
        ("ulcer without bleeding", [0, 0, 1]),
        ("ulcer, no perforation", [0, 1, 0]),
        ("ulcer", [0, 0, 0]),
    ],
)
def test_a_name_that_denies_what_the_query_says_contradicts_it(workshop: Any, text: str, against: list[int]) -> None:
    names = ["Ulcer without hemorrhage or perforation", "Ulcer with perforation", "Ulcer with hemorrhage"]
    index = workshop.index(workshop.terminology("made", *stanzas(names)))
    evidence = index.signals.evidence(index.signals.query(text))
    assert evidence.column("contradicted").tolist() == against


def test_light_words_of_a_sentence_count_little(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("made", *stanzas(["ear pain", "leg pain", "arm 2"])))
    shares = []
    for text in ("pain ear", "my ear has pain", "strange ear grew pain"):
        evidence = index.signals.evidence(index.signals.query(text))
        shares.append(float(evidence.column("query_share")[evidence.concepts.tolist().index(0)]))
    ear, pain = (float(index.signals.names.idf[number]) for number in index.signals.names.word_ids(["ear", "pain"]))
    said = ear + pain
    assert shares[0] == 1
    assert shares[1] == pytest.approx(said / (said + 0.2 * 2 * index.signals.names.unseen_idf), rel=1e-5)
    assert shares[2] == pytest.approx(said / (said + 2 * index.signals.names.unseen_idf), rel=1e-5)


def test_numbers_that_differ_are_told(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("made", *stanzas(["diabetes type 1", "diabetes type 2", "diabetes"])))
    evidence = index.signals.evidence(index.signals.query("type II diabetes"))
    assert evidence.concepts.tolist() == [0, 1, 2]
    assert evidence.column("number_missing").tolist() == [1, 0, 1]
    assert evidence.column("number_extra").tolist() == [1, 0, 0]
    assert evidence.column("spelled").tolist() == [0, 1, 0]


def test_a_name_far_down_a_long_list_counts_too(workshop: Any) -> None:
    synonyms = "\n".join(f'synonym: "filler{chr(97 + n // 26)}{chr(97 + n % 26)}" EXACT []' for n in range(90))
    many = f'id: N:1\nname: Many names\n{synonyms}\nsynonym: "peculiar wording" EXACT []'
    index = workshop.index(workshop.terminology("made", many, "id: N:2\nname: Other"))
    evidence = index.signals.evidence(index.signals.query("Peculiar wording"))
    place = evidence.concepts.tolist().index(0)
    assert evidence.column("spelled")[place] == 1
    assert evidence.column("dense")[place] == pytest.approx(1, abs=0.02)


def test_a_hidden_name_is_as_if_it_were_not_there(workshop: Any) -> None:
    one = 'id: N:1\nname: Heart attack\nsynonym: "Coronary event" EXACT []'
    made = workshop.terminology("made", one, "id: N:2\nname: Heart failure")
    index = workshop.index(made)
    evidence = index.signals.evidence(index.signals.query("heart attack"), Scan(hidden=np.asarray([0]), also=(0,)))
    place = evidence.concepts.tolist().index(0)
    assert evidence.best[place] == 1
    assert evidence.column("spelled")[place] == 0
    assert evidence.column("size")[place] == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    ("text", "against"),
    [("toxic goitre", [0, 1]), ("nontoxic goitre", [1, 0]), ("goitre, not toxic", [1, 0]), ("goitre", [0, 0])],
)
def test_a_name_with_a_word_that_denies_itself_contradicts_the_query(
    workshop: Any, text: str, against: list[int]
) -> None:
    index = workshop.index(workshop.terminology("made", *stanzas(["Toxic goitre", "Nontoxic goitre"])))
    evidence = index.signals.evidence(index.signals.query(text))
    assert evidence.column("contradicted").tolist() == against
