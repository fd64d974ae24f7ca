"""Explanations as text: a few short lines each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.index.everyday import SOURCE as EVERYDAY_NAME
from ontonym.index.everyday import is_near_name
from ontonym.index.evidence import SIGNAL_TABLE
from ontonym.tasks.explain.comparing import HitComparison
from ontonym.tasks.explain.decisiontexts import decision_line
from ontonym.tasks.explain.explaining import Explanation, Part
from ontonym.tasks.explain.mentions import MentionExplanation, Nil
from ontonym.tasks.explain.rivals import Named, Rival
from ontonym.tasks.explain.shapley import NAME
from ontonym.tasks.explain.sharedwords import Words
from ontonym.text.counting import first_and_more
from ontonym.text.foreign.words import table_languages
from ontonym.text.languages import LANGUAGES, language_of
from ontonym.types import KINDS, NIL, Hit

KIND_WORDS = dict.fromkeys(KINDS, "synonym") | {
    "preferred": "preferred term",
    "fsn": "fully specified name",
    "lay": "lay term",
    "abbreviation": "abbreviation",
    "entry": "entry term",
}
SIGNAL_WORDS = {name: row.word for name, row in SIGNAL_TABLE.items()} | {
    "equal": "equal name",
    "numbers": "numbers",
    "opposites": "opposite words",
    "qualifiers": "qualifiers",
    "residual": "“other”",
    NAME: "kind of name",
}
"""The words for each signal and each other group of features."""

TERM_WORDS = SIGNAL_WORDS | {
    "dominance": "no weaker evidence",
    "reading": "reading of the query",
    "competition": "other candidates of the reading",
    "readings": "other readings",
    "duplicates": "duplicate records",
    "narrower": "narrower concept",
    "document": "document",
}
"""The words for each term of a difference."""

NEAR_NAME = "near name"
"""What a clinical name of the list of everyday names is called where the concept is only near to it."""

_NOT_FOUND = "no signal brings it: it was looked at because you asked"
_MOST = 8
_FEW = 2
_LEVEL = 0.005
_LITTLE = 0.01


def matched(hit: Hit, *, origin: bool = False) -> str:
    """The matched name and its kind, with ``origin`` also its source.

    Everyday names are called so instead of lay terms: they come with the package, and no terminology has them. Clinical
    names among them that the concept is only near to are near names.
    """
    scope = f"{hit.scope} " if hit.kind == "synonym" and hit.scope != "exact" else ""
    own = EVERYDAY_NAME if hit.source == EVERYDAY_NAME else scope + KIND_WORDS[hit.kind]
    said = [NEAR_NAME if is_near_name(hit) else own]
    if origin:
        said += [part for part in (hit.source, hit.terminology) if part and part not in said]
    return f"“{hit.matched}” ({', '.join(said)})"


def described(explanation: Explanation) -> list[str]:
    """Why the concept is a hit, in lines: the name and the evidence, the words, the signals, the rival, namesakes."""
    hit = explanation.hit
    lines = [
        f"{matched(hit, origin=True)}: {hit.reason.detail or hit.reason.rule}",
        read_line(explanation),
        _words_line(explanation.words),
        _signals_line(explanation.parts) if explanation.parts else "",
    ]
    if explanation.believed:
        near = f"this is near enough ({explanation.near:.2f}) to be believed"
        lines.append(f"added terms are asked first ({explanation.module}), and {near}")
    if explanation.rank is None:
        lines.append(_NOT_FOUND)
    if explanation.rival:
        lines.append(_rival_line(explanation.rival))
        if explanation.rival.decision:
            lines.append(decision_line(explanation.rival.decision, explanation.rival.concept.preferred))
    if explanation.namesakes:
        lines.append(f"fits {_some(explanation.namesakes)} as well")
    return [line for line in lines if line]


def language_advice(index: Index, text: str, hits: Sequence[Hit]) -> str:
    """What to do where a query is in another language than the names of the index, and no answer is sure; or empty."""
    language, spoken = language_of(text), index.signals.languages
    if not language or language in spoken or (hits and hits[0].confidence >= LIKELIER_RIGHT):
        return ""
    if language not in table_languages():
        return f"the query looks {LANGUAGES[language]}: import names in that language with the release to search in it"
    if spoken:
        return ""
    return (
        f"the query looks {LANGUAGES[language]}, and this index knows English: import names in that language with the "
        "release, or make the index with the encoder `multilingual` (the package ontonym-multilingual)"
    )


def described_nil(nil: Nil, best: Named | None = None) -> list[str]:
    """Why there is no concept, in lines; ``best`` is the nearest candidate."""
    if nil.rule == "no words":
        return ["it has no letter and no digit"]
    lines = ["nothing resembles it"]
    if nil.rule == "below the threshold":
        nearest = f"{_name(best)} comes nearest with" if best else "the nearest concept has"
        lines = [f"{nearest} {nil.confidence:.2f}, {nil.missing:.2f} below the threshold {nil.threshold:.2f}"]
    if nil.rule == "added as NIL":
        return [f"texts that were added as {NIL} are nearer than {_name(best) if best else 'any concept'}"]
    if nil.rule == "placeholder":
        return ["it holds the place of a name where nothing is said"]
    if nil.none is not None and nil.others is not None:
        lines.append(f"{nil.none:.2f} went to “none of them”, {nil.others:.2f} to other concepts")
    if nil.unknown:
        lines.append(f"in no name: {first_and_more(nil.unknown, _MOST)}")
    return lines


def described_mention(explanation: MentionExplanation) -> list[str]:
    """What was looked up for a mention, if it differs from the text, and why it is NIL, in lines."""
    lines = [f"“{short}” means “{long}” in this document" for short, long in explanation.abbreviations.items()]
    if explanation.implied:
        lines.append(f"“{explanation.mention.text}” was taken for “{explanation.implied}”")
    if explanation.parts:
        parts = [f"“{part.mention.text}”" for part in explanation.parts]
        lines.append(f"it names several, each surer by itself: {first_and_more(parts, _MOST)}")
    if explanation.nil and not explanation.parts:
        best = explanation.candidates[0].hit if explanation.candidates else None
        lines += described_nil(explanation.nil, Named(best.id, best.preferred) if best else None)
    return lines


def read_line(explanation: Explanation) -> str:
    """What was read into the query, and how likely it is meant so; empty if nothing was."""
    said = [f"“{written}” as “{meant}”" for written, meant in explanation.corrections]
    if explanation.hit.reason.negated:
        said.append("its negation set aside")
    if not said:
        said = ["nothing, though it can be read otherwise"] if explanation.probability < 1 else []
    if not said:
        return ""
    likely = f"; probability {explanation.probability:.2f}" if explanation.probability < 1 else ""
    before = f" ({explanation.prior:.2f} before the search)" if likely and explanation.prior < 1 else ""
    return f"read into the query: {', '.join(said)}{likely}{before}"


def _words_line(words: Words) -> str:
    if not words.only_query and not words.only_name:
        return ""  # the reason says that they are equal
    said = (("in both", words.shared), ("only in the query", words.only_query), ("only in the name", words.only_name))
    return "; ".join(f"{where}: {first_and_more(list(dict.fromkeys(which)), _MOST)}" for where, which in said if which)


def _signals_line(parts: Mapping[str, Part]) -> str:
    """Each signal's share with its similarity, the largest first, and last the signals against the concept."""
    ordered = sorted((item for item in parts.items() if item[1].share >= _LITTLE), key=lambda item: -item[1].share)
    for_it = [_signal_share(name, part) for name, part in ordered if (part.lift or 0) >= 0]
    against = [_signal_share(name, part) for name, part in ordered if (part.lift or 0) < 0]
    said = [", ".join(for_it), f"against it {', '.join(against)}" if against else ""]
    return f"signals: {'; '.join(filter(None, said))}"


def _signal_share(name: str, part: Part) -> str:
    similarity = "" if part.similarity is None else f" ({part.similarity:.2f})"
    return f"{SIGNAL_WORDS[name]} {part.share:.0%}{similarity}"


def _rival_line(rival: Rival) -> str:
    lead = f"{abs(rival.lead):.2f} {'ahead of' if rival.lead > 0 else 'behind'}"
    if abs(rival.lead) < _LEVEL:
        lead = "level with"
    return ", ".join([f"{lead} {_name(rival.concept)}", *filter(None, [_relation(rival)])])


def _relation(rival: Rival) -> str:
    return {
        "parent": "its parent",
        "child": "its child",
        "ancestor": f"{rival.steps} steps above it",
        "descendant": f"{rival.steps} steps below it",
        "sibling": f"its sibling under {_some(rival.via)}",
        "kin": f"{rival.steps} steps away over {_some(rival.via)}",
        "unrelated": "with nothing above both",
        "flat": "",
        "elsewhere": "of another terminology",
    }[rival.kinship]


def described_comparison(comparison: HitComparison) -> list[str]:
    """How two concepts compare, in lines: the two, what was read into the query for each, and what decided."""
    first, second, rival = comparison.first, comparison.second, comparison.rival
    lines = []
    for one in (first, second):
        place = "not found" if one.rank is None else f"rank {one.rank}"
        lines.append(f"{_name(Named(one.hit.id, one.hit.preferred))}: {place}, confidence {one.hit.confidence:.2f}")
        reason = f"{matched(one.hit, origin=True)}: {one.hit.reason.detail or one.hit.reason.rule}"
        said = [reason, read_line(one), _words_line(one.words), _NOT_FOUND if one.rank is None else ""]
        lines += [f"  {line}" for line in said if line]
    lines.append(_rival_line(rival))
    if comparison.relation == "elsewhere":
        lines.append("they are of different terminologies, so they are not rivals")
    elif comparison.relation == "duplicates":
        lines.append("they are records of the same concept, so they are not rivals")
    if rival.decision:
        lines.append(decision_line(rival.decision, rival.concept.preferred))
    if len(comparison.terms) > 1:
        ordered = sorted(comparison.terms.items(), key=lambda item: -abs(item[1]))
        terms = [f"{TERM_WORDS[name]} {term:+.2f}" for name, term in ordered if abs(term) >= _LEVEL]
        lines.append(f"difference of {comparison.difference:+.2f} in log-odds: {', '.join(terms) or 'none'}")
    return lines


def _name(concept: Named) -> str:
    return f"{concept.preferred} ({concept.id})"


def _some(concepts: Sequence[Named]) -> str:
    return first_and_more([_name(concept) for concept in concepts], _FEW)
