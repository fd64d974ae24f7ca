"""The headings of `ontonym.text.notes.sections` in clinical notes, for a person to read and edit. English;
`ontonym.text.foreign.headings` has those of other languages.

The tables are written as `ontonym.text.patterns` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        "chief complaint": (
            "chief? complaint|complaints, cc, pc, presenting complaint|complaints|problem, clinical indication, "
            "indication|indications, reason for visit|consultation|consult|referral|admission|presentation, "
            "reason for hospitalization|study|exam|examination, referral reason"
        ),
        "history of present illness": (
            "history of present|presenting illness, history of the present illness, history of presenting complaint, "
            "present illness, hpi, hpc, present|clinical|interval|interim|current? history, current? symptoms, "
            "subjective, presentation"
        ),
        "past medical history": (
            "past|previous|prior? medical history, past? medical hx, past medical and surgical history, past? med hx, "
            "past|previous history, past hx, mh, pmh, pmhx, pmhx and pshx, pmh and psh, pmsh, past|previous illnesses, "
            "past? psychiatric history, past psych, past? psych history|hx, past? ocular history, poh, "
            "past obstetric history, past? obs history|hx, obstetric|ob|gyn|gynae hx, gynae history, "
            "previous pregnancies, past oncologic history, childhood illnesses, prior|previous|past diagnoses, "
            "past|resolved|inactive problems, past problem list"
        ),
        "past surgical history": (
            "past? surgical history|hx, psh, pshx, surg hx, prior|previous|past surgeries, previous|prior operations, "
            "past|prior procedures"
        ),
        "family history": (
            "family, family history|hx, family medical|psychiatric history, family history of illness, "
            "fh, fhx, fmh, fmhx, fam hx, maternal|paternal history, pedigree"
        ),
        "birth history": (
            "birth|perinatal|neonatal|obstetric|pregnancy|prenatal|antenatal|gynecologic|ob|gyn|obgyn history, "
            "developmental history, development, pregnancy, delivery, birth, perinatal, neonatal, postnatal, antenatal"
        ),
        "social history": (
            "social|soc hx, sh, shx, social|personal|occupational|travel|sexual history, "
            "social and family situation, habits, substance use"
        ),
        "allergies": (
            "drug|medication|food|known? allergies, allergy, nkda, allergies and adverse reactions, "
            "allergies and intolerances|adrs, adrs, adverse drug? reactions, drug? intolerances, "
            "allergic|allergy history"
        ),
        "medications": (
            "medication, current|home|admission|discharge|outpatient|inpatient? medications, current|home? meds, "
            "medication list|history, medications on admission|discharge, medications prior to admission, "
            "medications at home, current? drugs, drug history, prescriptions, current treatment, rx"
        ),
        "immunizations": (
            "immunization|immunizations|immunisations, immunization history, vaccinations, "
            "vaccination history, vaccines"
        ),
        "review of systems": (
            "review of systems|symptoms, review of organ systems, ros, systems|system|systemic review, "
            "functional inquiry"
        ),
        "physical examination": (
            "physical? examination|exam, physical, pe, px, on examination, o and e, oe, e and o, i and o, "
            "clinical|general examination, examination|physical findings, neurological examination|exam, "
            "neurologic|neuro exam, mental state|status, mental state|status examination|exam, mse, "
            "admission|discharge exam, "
            "physical examination on admission, dysmorphology examination, dysmorphic features, "
            "clinical findings|features, primary|secondary survey, on arrival, on scene"
        ),
        "vital signs": (
            "vital signs, admission? vitals, vs, obs, observations, measurements, growth parameters, anthropometry"
        ),
        "laboratory results": (
            "laboratory results|data|findings|studies|abnormalities|tests, laboratory, laboratories, labs, lab, "
            "lab results|data, metabolic features, "
            "blood tests, bloods, microbiology, cultures, urinalysis, investigations, diagnostic? tests, "
            "test results, diagnostic studies"
        ),
        "imaging": (
            "imaging, imaging studies|results|findings, radiology, radiology results, chest? x-ray, cxr, ct scan?, "
            "mri, ultrasound, echocardiogram, echo, ecg, ekg, eeg"
        ),
        "genetic results": (
            "genetic results|testing|findings, genetics, molecular testing|findings, karyotype, genotype"
        ),
        "procedures": (
            "procedure|procedures, procedures performed, operations, operative procedure|findings, "
            "major surgical or invasive procedure, description of procedure, anesthesia, specimens"
        ),
        "pathology": (
            "pathology results?, histology, histopathology, final pathologic diagnosis, gross|microscopic description"
        ),
        "hospital course": (
            "brief? hospital course, hospital course by problem|system, ed|clinical|treatment? course, "
            "emergency department course, course in hospital, progress note?, interval|overnight? events"
        ),
        "problems": (
            "active|current|medical? problems, active? problem list, active? issues, comorbidities, co-morbidities, "
            "chronic conditions, active|current diagnoses"
        ),
        "diagnoses": (
            "diagnosis|diagnoses, dx, admission|discharge|final|secondary diagnosis|diagnoses, "
            "admitting|principal|primary|preoperative|postoperative|working diagnosis"
        ),
        "differential diagnosis": (
            "differential diagnosis|diagnoses, differential|differentials, ddx, rule out, suspected diagnosis|diagnoses"
        ),
        "assessment": (
            "assessment, impression|impressions, imp, impr, clinical|diagnostic impression, clinical? summary, "
            "formulation, opinion, evaluation"
        ),
        "assessment and plan": (
            "assessment|impression and plan|recommendations, a and p, ap, imp|diagnosis and plan, problems and plans"
        ),
        "plan": (
            "plan|plans, treatment|discharge plan, plan of care, plan and recommendations, "
            "recommendation|recommendations, management, treatment, tx, orders, therapy, discharge? disposition, "
            "follow-up, follow up, followup, next steps, discharge condition|status, condition on discharge"
        ),
        "return precautions": (
            "return? precautions, patient|discharge|return|follow-up|followup? instructions, when to return|call, "
            "when to seek help, reasons to return, return if, safety netting|net, safety-netting advice, "
            "red flags discussed, warning signs, patient? education, counseling, counselling, advice, "
            "anticipatory guidance"
        ),
        "objective": "objective|objectives, aim|aims, purpose",
        "background": "background, introduction",
        "methods": "methods, materials|patients and methods, technique, comparison, design, setting",
        "results": "main? results, data, studies",
        "findings": "findings",
        "conclusion": "conclusion|conclusions, discussion, interpretation",
        "prophylaxis": "prophylaxis, ppx",
        "contraindications": (
            "contraindications, possible side effects, side effects discussed, risks discussed?, "
            "potential complications, risks and benefits"
        ),
    }
)
"""The headings of each section, without regard to capitals, written as `ontonym.text.patterns` says; ``and`` also
stands for ``/``, ``&`` and ``+``."""

SOAP: Mapping[str, str] = MappingProxyType(
    {"s": "history of present illness", "o": "physical examination", "a": "assessment", "p": "plan"}
)
"""The sections of letters as headings, in a note that has the first two: "P:" may be a pulse, "O:" blood group 0."""

SAYS: Mapping[str, str] = MappingProxyType(
    {
        "past medical history": "historical",
        "past surgical history": "historical",
        "family history": "family",
        "allergies": "hypothetical",
        "immunizations": "hypothetical",
        "return precautions": "hypothetical",
        "prophylaxis": "hypothetical",
        "contraindications": "hypothetical",
        "differential diagnosis": "uncertain",
    }
)
"""The context of every mention in a section, of `ontonym.text.notes.context.CONTEXTS`. What stands under allergies or
in instructions is what could happen, as it is in medspaCy; a plan names what the patient has, and sets nothing."""

INNER_FIRST_WORDS = frozenset(
    "general appearance constitutional head eyes ears nose throat mouth ent heent neck chest thorax breast breasts "
    "heart cardiac cardiovascular cardiology cv cvs respiratory resp pulmonary lungs lung abdomen abdominal gi "
    "gastrointestinal gu genitourinary genitalia renal urinary kidney kidneys msk musculoskeletal skeletal "
    "extremities ext limbs hands feet back spine skin integument derm dermatologic neuro neurological neurologic "
    "neurology psych psychiatric psychiatry endo endocrine haem heme hematologic hematology heme/lymph lymph "
    "lymphatic lymphatics vascular rectal pelvic immunologic infectious id oncologic oncology metabolic hepatic liver "
    "mother father brother brothers sister sisters siblings maternal paternal grandmother grandfather aunt uncle "
    "cousin cousins parents son daughter children face facial hair teeth growth vision hearing ophthalmologic "
    "orthopedic rheumatologic sensory motor reflexes gait mental other others note date reaction reactions gen pulm "
    "abd mgm mgf pgm pgf half wife husband spouse niece nephew mum mom dad grandma grandpa grandparents".split()
)
"""First words of headings inside a section, such as organ systems and relatives: they do not end it."""

SECTION_LAST_WORDS = frozenset(
    "exam examination testing tests test results assessment plan complaint complaints diagnosis diagnoses course "
    "screening evaluation findings history hx note".split()
)
"""Last words of headings that stand for a section of their own ("Gait exam") and are no part of what relatives have."""
