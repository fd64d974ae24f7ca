"""The cues of `ontonym.text.context`: phrases that make a mention near them negated, uncertain, hypothetical,
historical or family.

In these tables ``_`` stands for any space, and ``|`` separates phrases.
"""

from __future__ import annotations

from types import MappingProxyType

_MEN = (
    "father brother bro uncle nephew grandfather grandson son stepfather stepbrother dad daddy grandpa granddad "
    "grandad husband fiance boyfriend mgf pgf"
).split()
_WOMEN = (
    "mother sister sis aunt niece grandmother granddaughter daughter stepmother stepsister mom mum mommy mummy grandma "
    "granny wife fiancee girlfriend mgm pgm"
).split()
_RELATIVES = (
    *_MEN,
    *_WOMEN,
    *"parent cousin sibling grandparent grandchild spouse relative".split(),
    *"sisters brothers aunts uncles nephews nieces daughters sons parents cousins siblings".split(),
    *"grandparents grandchildren relatives".split(),
)
_OWNED = "child children kid kids partner twin gran nan nana family".split()
"""Relatives only as somebody's: "her children" are, and children are not."""

_OWNERS = "his her my our their pt's patient's".split()
RELATIVES = "|".join((*_RELATIVES, *(f"{owner}_{one}" for owner in _OWNERS for one in _OWNED if one != "family")))
"""Who else than the patient has something."""

PRONOUNS = MappingProxyType(dict.fromkeys(_MEN, "he") | dict.fromkeys(_WOMEN, "she"))
"""How a sentence goes on about a relative of the one who writes: "My husband snores. He has sleep apnea"."""

PREGNANCIES = "|".join(f"{when}_{one}" for when in ("prev", "previous", "last") for one in ("preg", "pregnancy"))
"""Those before this one."""

_SUGGEST = "|".join(
    (
        *(f"{one}_suggest" for one in "appearances changes features findings results signs they".split()),
        *(f"{one}_suggest" for one in "would may might could".split()),
    )
)

_SHOULD = "|".join(
    f"should_{who}_{comes}"
    for who in "he she they you".split()
    for comes in "develop become have get experience notice".split()
)

_CONTRACTED = tuple("isn't wasn't aren't weren't doesn't don't didn't hasn't haven't hadn't".split())
_DENIED = (
    "have had show reveal demonstrate see appreciate develop exhibit feel report complain_of suffer_from "
    "consistent_with suggestive_of diagnostic_of indicative_of"
).split()
_NOT = "|".join(phrase for deny in ("not", *_CONTRACTED) for phrase in (deny, *(f"{deny}_{what}" for what in _DENIED)))
_DEVELOP = "|".join(f"{may}_develop" for may in "may might could can".split())

BEFORE = MappingProxyType(
    {
        "negated": (
            "no|no_evidence_of|no_evidence_for|no_sign_of|no_signs_of|no_signs_or_symptoms_of|no_history_of|"
            "no_prior_history_of|no_past_history_of|no_complaints_of|no_findings_of|no_suspicion_of|no_longer_has|"
            "no_longer_have|never_had|never_developed|never_experienced|without|without_evidence_of|without_signs_of|"
            "without_any_evidence_of|w/o|denies|denied|deny|denying|denies_any|negative_for|neg_for|free_of|free_from|"
            "clear_of|absence_of|absent|lack_of|lacks|lacked|lacking|rules_out|ruled_out|ruled_out_for|rules_him_out_for|"
            "rules_her_out_for|has_been_ruled_out_for|fails_to_reveal|failed_to_reveal|does_not_have|do_not_have|"
            f"did_not_have|{_NOT}|not_associated_with_any|unremarkable_for|neither|nor|"
            "inconsistent_with|instead_of|rather_than|nil|never|normal|nobody_with|nobody_has|nobody_had|no_one_with|no_one_has|"
            "no_one_had"
        ),
        "uncertain": (
            "possible|possibly|probable|probably|presumed|presumptive|suspected|suspect|suspects|suspicious_for|"
            "suspicion_of|suspicion_for|likely|rule_out|rule_out_for|r/o|ruling_out|to_exclude|to_rule_out|"
            "evaluate_for|evaluated_for|assess_for|check_for|work_up_for|workup_for|concern_for|concerns_for|"
            "concerning_for|worrisome_for|may_have|may_have_had|might_have|could_have|may_be|might_be|could_be|"
            "may_represent|might_represent|could_represent|may_reflect|suggestive_of|suggests|suggesting|"
            "cannot_exclude|cannot_rule_out|can_not_exclude|can_not_rule_out|can't_exclude|can't_rule_out|"
            "does_not_exclude|not_exclude|differential_includes|differential_diagnosis_includes|"
            "differential_diagnosis_of|questionable|question_of|unclear_if|unclear_whether|not_certain_if|"
            "not_certain_whether|uncertain_if|whether|versus|vs|equivocal_for|apparent|is_likely|are_likely|"
            "was_likely|most_likely|unclear_whether_she_has|unclear_whether_he_has|possibility_of|question_whether|"
            "uncertain_whether|thought_to_be|thought_to_have|consider|consider_a|would_include|differential_would_include|"
            "differential_diagnosis_would_include|ddx|concerned_about|concerned_for|worried_about|worry_about|"
            "worries_about|wonder_if|wonder_about|wonders_if|wonders_about|wondering_if|wondering_about|would_fit|would_also_fit|could_fit|could_it_be|"
            "could_this_be|query|appears_to_be|appear_to_be|seems_to_be|perhaps|maybe|poss|favor|favors|favoring|favour|"
            f"favours|favouring|in_favor_of|in_favour_of|favored_over|favoured_over|more_likely_than|{_SUGGEST}"
        ),
        "hypothetical": (
            f"{_SHOULD}|{_DEVELOP}|if|in_case_of|in_the_event_of|at_risk_for|at_risk_of|watch_for|"
            "monitor_for|return_for|if_she_develops|if_he_develops|"
            "if_you_have|if_you_develop|in_case|should_return_for|return_if|as_needed_for|prn_for|prn|p.r.n|"
            "prophylaxis_against|prophylaxis_for|prophylaxis_of|prevention_of|to_prevent|risk_of|risk_for|"
            "increased_risk_of|screening_for|screen_for|screened_for|vaccinated_against|vaccinated_for|vaccination_against|"
            "vaccination_for|vaccine_against|vaccine_for|immunized_against|immunised_against|immunization_against|"
            "to_avoid|avoid|avoids|avoiding|precautions_for|precautions|unless|look_out_for|be_alert_for|warned_of|"
            "expect|anticipate|warned_about|warned_re|safety_netted|safety_netted_for|safety_netted_re|safety_netted_about|safety_net_for"
        ),
        "historical": (
            "history_of|a_history_of|history_significant_for|history_notable_for|history_includes|hx_of|h/o|hx|"
            "past_medical_history|past_medical_history_of|past_surgical_history|past_history_of|medical_history|"
            "medical_history_of|pmh|pmhx|pmh_of|psh|previous|previously|previously_had|prior|remote|status_post|s/p|"
            f"in_the_past|formerly|former|prev|healed|background_of|background_history_of|{PREGNANCIES}|"
            "ex_smoker|ex_smokers|ex_drinker|recovered_from|had_had"
        ),
        "family": (
            "family_history|family_history_of|family_history_significant_for|family_history_notable_for|"
            "family_medical_history|family_hx|family_hx_of|family_psychiatric_history|family_psychiatric_hx|family_psych_history|"
            "family_psych_hx|fam_hx|fam_hx_of|fh|fhx|fh_of|half_sister|half_brother|"
            f"first_degree_relatives|{RELATIVES}"
        ),
    }
)
"""Phrases that stand before the mention."""

BEGINNINGS = (
    "an?|few|some|several|multiple|small|mild|moderate|severe|minimal|trace|tiny|large|occasional|old|known|"
    "longstanding"
)
"""Words (as a pattern) that begin a list of what there is, after what there is not."""

OF_VERBS = frozenset(("not", *_CONTRACTED, "never"))
"""Negations of verbs, which begin no list unless what follows directly is a mention: "not eating, sleepy"."""

COMPOUNDS = (
    "prophylaxis|ppx|precautions|protocol|vaccine|vaccines|vaccination|vaccinations|immunization|immunisation|"
    "screening|screen|prevention|risk"
)
"""Words directly after what is guarded against: "DVT prophylaxis", "seizure precautions"."""

_WHEN_YOUNG = "|".join(
    (
        *(f"as_a_{age}" for age in "child boy girl baby toddler teenager teen kid student".split()),
        *"as_an_infant as_an_adolescent as_a_young_adult".split(),
        *(f"in_{age}" for age in "childhood infancy adolescence".split()),
        *(f"in_{owner}_{age}" for owner in ("his", "her", "my") for age in "childhood youth teens".split()),
    )
)
_MAY_COME = "|".join(
    f"{may}_{come}"
    for may in "may might could can".split()
    for come in "occur develop recur follow arise ensue".split()
)
_LAST = "|".join(f"last_{time}" for time in "month year winter spring summer autumn fall".split())
_YEARS = "|".join(f"in_{year}" for year in range(1900, 2100))

AFTER = MappingProxyType(
    {
        "negated": (
            "not_seen|not_present|not_found|not_identified|not_detected|not_noted|not_observed|not_demonstrated|"
            "not_appreciated|not_evident|not_visualized|not_apparent|is_absent|was_absent|are_absent|were_absent|absent|"
            "is_negative|was_negative|negative|neg|ruled_out|is_ruled_out|was_ruled_out|were_ruled_out|are_ruled_out|"
            "has_been_ruled_out|have_been_ruled_out|excluded|is_excluded|was_excluded|has_been_excluded|denied|"
            "was_denied|not_favored|not_favoured|was_lacking|were_lacking|is_lacking|are_lacking|unlikely|is_unlikely|free|did_not_occur|"
            "never_developed|never_occurred|none|nil"
        ),
        "uncertain": (
            "possible|is_possible|probable|is_probable|suspected|is_suspected|was_suspected|likely|is_likely|"
            "questionable|in_question|cannot_be_excluded|cannot_be_ruled_out|can_not_be_excluded|"
            "can_not_be_ruled_out|could_not_be_excluded|could_not_be_ruled_out|can't_be_excluded|can't_be_ruled_out|"
            "not_excluded|not_ruled_out|not_been_ruled_out|not_been_excluded|has_not_been_excluded|have_not_been_excluded|"
            "has_not_been_ruled_out|have_not_been_ruled_out|favored|favoured|is_favored|is_favoured|favored_over|favoured_over|"
            "more_likely_than|to_be_excluded|to_be_ruled_out|"
            "should_be_ruled_out|should_be_excluded|must_be_ruled_out|is_considered|was_considered|versus|vs|"
            "in_the_differential|on_the_differential|queried|is_queried|was_queried|has_been_queried"
        ),
        "hypothetical": f"{COMPOUNDS}|{_MAY_COME}",
        "historical": (
            "repaired|was_repaired|surgically_corrected|surgically_closed|in_the_past|years_ago|year_ago|months_ago|month_ago|weeks_ago|by_history|in_remission|has_resolved|"
            f"have_resolved|resolved|has_settled|have_settled|subsided|has_subsided|have_subsided|"
            f"has_caught_up|have_caught_up|closed_spontaneously|last_time|{PREGNANCIES}|{_WHEN_YOUNG}|{_LAST}|{_YEARS}"
        ),
        "family": (
            "in_the_family|in_a_sibling|in_first_degree_relatives|"
            + "|".join(f"in_{one}" for one in _RELATIVES)
            + "|"
            + "|".join(f"in_{owner}_{one}" for owner in _OWNERS for one in (*_RELATIVES, *_OWNED))
        ),
    }
)
"""Phrases that stand after the mention."""

_NOTHING = (
    "no_increase|no_decrease|no_change|no_changes|no_significant_change|no_interval_change|no_improvement|no_further|"
    "no_doubt|no_difference|no_differences|no_significant_difference|no_significant_differences|no_effect|no_effects|"
    "no_association|no_correlation|no_relationship|no_role|not_only|not_just|not_merely|not_necessarily|not_always|"
    "not_associated_with|not_related_to|not_linked_to|not_correlated_with|not_due_to|not_caused_by|not_limited_to|"
    "never_treated|never_needed|never_admitted_with|never_admitted_for|no_response|no_reason|not_yet|not_extend|not_cause|not_causing|not_drain|not_domestic|not_be|without_difficulty|without_further|"
    "gram_negative|absent_mindedness|history_of_present_illness|history_and_physical|history_taking|"
    "natural_history|social_history|poor_history|prior_to|previous_to|if_negative|if_possible|as_soon_as_possible|"
    "more_likely_to|less_likely_to|likely_to|is_not_excluded_from|mother_of|father_of|son_of|daughter_of|"
    "free_of_charge|whether_or_not|potential_to|potential_for|possible_role|possible_mechanism|"
    "probable_relationship|possible_relationship|possible_association|apparent_life|onset_in_childhood|"
    "onset_in_infancy|onset_in_adolescence|onset_as_a_child"
)
_UNITS = "hour hr day week wk month mth year yr".split()
_FOR_SO_LONG = "|".join(
    f"{length}_{history}"
    for length in (
        *(f"{unit}{ending}" for unit in _UNITS for ending in ("", "s", "'s")),
        *"long short brief longstanding long_standing".split(),
    )
    for history in ("history_of", "hx_of", "h/o")
)
"""How long something has gone on until now: "a three-week history of"."""

NEITHER = f"{_NOTHING}|{_FOR_SO_LONG}"
"""Phrases that contain a cue, but say nothing of a mention."""

REACH_OF = MappingProxyType(
    dict.fromkeys(("possibly", "could_be", "could_have", "may_be", "may_have", "might_be", "might_have"), 5)
    | dict.fromkeys(("not", "isn't", "wasn't", "previous", "prev", "prior", "former", "remote", "apparent"), 3)
    | dict.fromkeys(("negative", "instead_of", "rather_than", "inconsistent_with"), 3)
    | dict.fromkeys(PREGNANCIES.split("|"), 6)
    | {"if": 8, "absent": 2, "whether": 4, "versus": 1, "vs": 1, "none": 1, "free": 0, "normal": 0, "neg": 3}
    | dict.fromkeys(("consider", "consider_a", "query", "never", "healed", "expect", "anticipate"), 1)
    | dict.fromkeys((*_CONTRACTED[2:], "repaired"), 1)
    | dict.fromkeys(("favor", "favors", "favoring", "favour", "favours", "favouring"), 4)
    | dict.fromkeys(("favored_over", "favoured_over"), 4)
    | dict.fromkeys(("perhaps", "maybe", "poss", "appears_to_be", "appear_to_be", "seems_to_be"), 5)
    | dict.fromkeys(("could_it_be", "could_this_be", "concerned_about", "worried_about", "worry_about"), 8)
    | dict.fromkeys(COMPOUNDS.split("|"), 0)
)
"""The reach, in words, of cues that apply only to what is near."""

ENDS = (
    "but|however|although|though|nevertheless|yet|except|except_for|other_than|until|aside_from|apart_from|besides|which|who|because|"
    "since|cause_of|as_a_cause_of|as_the_cause_of|source_of|as_the_source_of|"
    "causes_of|etiology_of|origin_of|presents|presents_with|presented|presented_with|presenting|presenting_with|admitted|now|currently|today|"
    "in_patients_with|patients_with|patient|patients|pt|the_patient"
)
"""Phrases that end the reach of every cue: another clause or another person begins."""

CAUSES = "because_of|secondary_to|due_to|caused_by"
"""Phrases that end the reach of every cue but of a condition: "if he stops it because of nausea"."""

CONDITIONS = frozenset("if if_you_have if_you_develop if_he_develops if_she_develops return_if unless".split())
"""Those cues."""

ASSERTS = (
    "has|had|reports|reported|complains_of|complaining_of|admits|admits_to|endorses|endorsed|notes|noted|positive_for|"
    "consistent_with|diagnosed_with|developed|treated_with|treated_for|started_on|given_for|shows|showed|reveals|"
    "revealed|demonstrates|demonstrated|in_keeping_with|keeping_with|in_keeping_w|keeping_w|consistent_w|c/w"
)
"""Phrases that end the reach of negation and uncertainty, but not of history and family."""

IN_CONDITIONS = frozenset("has had reports complains_of notes developed".split())
"""Those of them that a condition may have: "if he becomes drowsy or has black stools"."""

OF_SELF = "i_have|i_had|i_am|i'm|i've|i_was|i_feel|i_get|i_wonder|i_think|i_may|i_might|i_do|i_don't|i_also|and_i"
"""Phrases after which the one who writes is the one who has it, and no longer a relative."""

SAYS_THAT = "reports_that|reported_that|states_that|says_that|said_that|thinks_that|notes_that|noted_that|noticed_that"
"""Phrases that end the reach of negation, uncertainty and family: what is reported is of the patient."""

TELLING = frozenset(
    "reports reported report states stated says said say notes noted denies denied deny describes described noticed "
    "noticing thinks thought worries worried concerned brings brought asks asked wonders knows".split()
)
"""Words after a family member that make this person the reporter: "mother denies fever"."""

LEADS_TO_TELLING = frozenset("has have had is was are were been also both who very".split())
"""Words that may stand between: "his wife has noticed"."""

TOLD_BY = frozenset(
    ("by", "per", "according to", *(f"{met} {w}" for met in "lives living here seen".split() for w in ("with", "w")))
)
"""Words before a family member that make this person the reporter or a companion: "per mom"."""

DETERMINERS = frozenset("a an the his her my our their pt's patient's both".split())
"""Words that may stand between, as *his* does there."""
