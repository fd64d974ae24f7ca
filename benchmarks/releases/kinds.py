"""The kinds of concepts that a generated release has: how many of each, what they are named and what they relate to."""

from __future__ import annotations

from dataclasses import dataclass

PREFERRED, GERMAN, DEFINITION = 0, 5, 1
"""Wordings: 0 is the preferred name, 1 to 4 are synonyms, 5 and 6 are German. Definitions are worded as synonym 1."""

SYNONYMS = 4
GERMAN_SYNONYM = 6


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of concept.

    ``share`` is in percent of all concepts. ``families`` are ten sets of slots of ``grammar.SLOTS`` that its concepts
    take turns in; ``wordings`` are the templates of ``grammar``. ``attributes`` are pairs of attribute type (a SNOMED
    CT id) and the kind of its targets. ``types`` are UMLS semantic types (TUI, STN, name).
    """

    tag: str
    share: int
    families: tuple[str, ...]
    wordings: tuple[str, ...]
    attributes: tuple[tuple[int, str], ...] = ()
    types: tuple[tuple[str, str, str], ...] = ()
    case: int = 900000000000448009


SITE, MORPHOLOGY, AGENT = 363698007, 116676008, 246075003
METHOD, PROCEDURE_SITE, DEVICE = 260686004, 363704007, 424226004
INGREDIENT, DOSE_FORM, DUE_TO = 127489000, 411116001, 42752001
STRENGTH = 1142135004
CASE_SENSITIVE, INITIAL_INSENSITIVE = 900000000000017005, 900000000000020002

_BODY_WORDINGS = (
    "[{part} of ][{lat} ]{site}[ {number}]",
    "[{lat} ]{site:adj} structure[ - {part}][ {number}]",
    "{site}[, {part}][, {lat}][ #{number}]",
    "structure of [{part} of ][{lat} ]{site}[ {number}]",
    "[{lat:abbr}]{site:abbr}[{part:abbr}]-ST[{number}]",
    "{site:de}[, {part:de}][, {lat:de}][ {number}]",
    "[{part:de} ]{site:de}[ {lat:de}][ Nr. {number}]",
)

KINDS: tuple[Kind, ...] = (
    Kind(
        "disorder", 25,
        ("dis site", "mod dis site", "mod dis site genus", "dis lat site", "mod dis lat site",
         "mod dis part lat site",
         "dis part site genus", "mod dis lat site genus", "mod dis part site", "dis part lat site"),
        ("[{mod} ]{dis} of [{part} of ][{lat} ]{site}[ due to {genus}]",
         "[{mod} ][{lat} ]{site:adj} {dis}[ of {part}][ caused by {genus}]",
         "{dis}, {site}[, {part}][, {lat}][, {mod}][, {genus}]",
         "{site} {dis}[ - {mod}][ {lat}][ {part}][ ({genus})]",
         "[{mod:abbr}]{dis:abbr}[{part:abbr}][{lat:abbr}]{site:abbr}[ {genus}]",
         "{dis:de}, {site:de}[, {part:de}][, {lat:de}][, {mod:de}][ durch {genus}]",
         "{site:de}: [{mod:de} ]{dis:de}[ ({part:de})][ {lat:de}][ {genus}]"),
        ((SITE, "body structure"), (MORPHOLOGY, "morphologic abnormality"), (AGENT, "organism"), (DUE_TO, "disorder"),
         (SITE, "body structure")),
        (("T047", "B2.2.1.2.1", "Disease or Syndrome"), ("T191", "B2.2.1.2.1.2", "Neoplastic Process"),
         ("T037", "B2.3", "Injury or Poisoning"), ("T046", "B2.2.1.2", "Pathologic Function")),
    ),
    Kind(
        "finding", 9,
        ("find site", "find lat site", "qual find site", "qual find lat site", "find part lat site", "find part site",
         "qual find part site", "find lat site", "qual find part lat site", "qual find lat site"),
        ("[{qual} ]{find} of [{part} of ][{lat} ]{site}", "[{lat} ]{site:adj} {find}[ of {part}][, {qual}]",
         "{find} in [{part} of ]the [{lat} ]{site}[ ({qual})]", "{site}: {find}[; {part}][; {lat}][; {qual}]",
         "{find:abbr}[{qual:abbr}]{site:abbr}[{lat:abbr}][{part:abbr}]",
         "{find:de}, {site:de}[, {part:de}][, {lat:de}][, {qual:de}]",
         "{site:de}: {find:de}[ {qual:de}][ {lat:de}][ {part:de}]"),
        ((SITE, "body structure"), (363714003, "observable entity")),
        (("T033", "A2.2", "Finding"), ("T184", "A2.2.2", "Sign or Symptom")),
    ),
    Kind(
        "procedure", 16,
        ("proc site", "appr proc site", "proc lat site", "appr proc lat site", "proc part site", "proc part lat site",
         "appr proc part site", "appr proc part lat site", "proc lat site mat obj", "proc site mat obj"),
        ("[{appr} ]{proc} of [{part} of ][{lat} ]{site}[ using {mat}][ {obj}]",
         "[{lat} ]{site:adj} {proc}[ of {part}][, {appr}][ with {mat}][ {obj}]",
         "{proc}, {site}[, {part}][, {lat}][, {appr}][, {mat}][ {obj}]",
         "{site} - [{appr} ]{proc}[ ({part})][ {lat}][ by {mat}][ {obj}]",
         "[{appr:abbr}]{proc:abbr}[{part:abbr}][{lat:abbr}]{site:abbr}[ {mat}][ {obj:abbr}]",
         "{proc:de}, {site:de}[, {part:de}][, {lat:de}][, {appr:de}][, {mat:de}][ {obj:de}]",
         "{site:de}: [{appr:de} ]{proc:de}[ ({part:de})][ {lat:de}][ mit {mat:de}][ {obj:de}]"),
        ((METHOD, "qualifier value"), (PROCEDURE_SITE, "body structure"), (DEVICE, "physical object")),
        (("T061", "B1.3.1.3", "Therapeutic or Preventive Procedure"), ("T060", "B1.3.1.2", "Diagnostic Procedure")),
    ),
    Kind(
        "body structure", 10,
        ("site lat", "site part", "site part lat", "site number", "site part number", "site part lat number",
         "site lat number", "site part number", "site part lat number", "site lat number"),
        _BODY_WORDINGS, ((272741003, "qualifier value"),),
        (("T023", "A1.2.3.1", "Body Part, Organ, or Organ Component"), ("T024", "A1.2.3.2", "Tissue")),
    ),
    Kind(
        "morphologic abnormality", 2,
        ("mod dis", "qual dis", "mod qual dis", "mod dis number", "qual dis number", "mod qual dis number",
         "mod dis code",
         "qual dis code", "mod qual dis", "mod qual dis number"),
        ("[{qual} ][{mod} ]{dis}[ type {number}][ {code}]", "{dis}[, {mod}][, {qual}][ grade {number}][ {code}]",
         "{dis} lesion[ - {mod}][ {qual}][ ({number})][ {code}]",
         "[{mod} ]{dis:adj} change[, {qual}][ {number}][ {code}]",
         "{dis:abbr}[{mod:abbr}][{qual:abbr}][ {number}][ {code}]",
         "{dis:de}[, {mod:de}][, {qual:de}][ Typ {number}][ {code}]",
         "[{mod:de} ]{dis:de}[ {qual:de}][ {number}][ {code}]"),
        (), (("T049", "A1.2.2.2", "Cell or Molecular Dysfunction"), ("T190", "A1.2.2", "Anatomical Abnormality")),
    ),
    Kind(
        "organism", 9,
        ("genus epithet",) * 4 + ("genus epithet number",) * 3 + ("genus epithet code",) * 3,
        ("{genus} {epithet}[ serotype {number}][ strain {code}]",
         "{genus:abbr}. {epithet}[ serovar {number}][ str. {code}]",
         "{epithet} {genus}[ type {number}][ ({code})]", "{genus} species {epithet}[ ({number})][ {code}]",
         "{genus:abbr}{epithet:abbr}[{number}][ {code}]", "{genus} {epithet}[ Serotyp {number}][ Stamm {code}]",
         "{genus:abbr}. {epithet}[ Typ {number}][ {code}]"),
        (), (("T007", "A1.1.3.2.1", "Bacterium"), ("T005", "A1.1.4", "Virus"), ("T004", "A1.1.3.1", "Fungus")),
        CASE_SENSITIVE,
    ),
    Kind(
        "substance", 9,
        ("stem", "stem salt", "locant group stem", "locant group stem", "locant group stem salt", "stem salt",
         "locant group locant2 group2 stem", "locant group locant2 group2 stem", "stem code",
         "locant group stem code"),
        ("[{locant}][{group}][-{locant2}][{group2}]{stem}[ {salt}][ {code}]",
         "{stem} substance[, {locant}][{group}][, {locant2}][{group2}][ {salt}][ {code}]",
         "{stem} compound[ {locant}][{group}][ {locant2}][{group2}][ {salt}][ {code}]",
         "[{locant}][{group}][-{locant2}][{group2}]{stem} preparation[ as {salt}][ ({code})]",
         "{stem:abbr}[{group:abbr}][{locant}][{group2:abbr}][{locant2}][{salt:abbr}][ {code}]",
         "[{locant}][{group}][-{locant2}][{group2}]{stem}[{salt:de}][ {code}]",
         "{stem}[-{salt:de}][ {locant}][{group}][ {locant2}][{group2}][ {code}]"),
        (), (("T121", "A1.4.1.1.1", "Pharmacologic Substance"), ("T109", "A1.4.1.2.1", "Organic Chemical"),
             ("T123", "A1.4.1.1.3", "Biologically Active Substance")),
    ),
    Kind(
        "clinical drug", 6,
        ("stem mg form", "stem mg form", "stem salt mg form", "stem mg2 form", "stem mg form", "stem salt mg form",
         "stem mg mg2 form", "stem salt mg2 form", "stem form", "stem salt form"),
        ("product containing {stem}[ {salt}][ {mg} milligram][ in {mg2} milliliter] {form}",
         "{stem}[ {salt}][ {mg} mg][/{mg2} mL] {form}", "{stem}[ {mg} mg][ per {mg2} mL] as {form}[ ({salt})]",
         "{form} {stem}[ {salt}][ {mg}mg][/{mg2}mL]", "{stem:abbr}{form:abbr}[{salt:abbr}][ {mg}][/{mg2}]",
         "{stem}[{salt:de}][ {mg} mg][/{mg2} ml] {form:de}", "{form:de} {stem}[ {salt:de}][ {mg} mg][/{mg2} ml]"),
        ((INGREDIENT, "substance"), (DOSE_FORM, "qualifier value"), (INGREDIENT, "substance")),
        (("T200", "A1.3.3", "Clinical Drug"),), INITIAL_INSENSITIVE,
    ),
    Kind(
        "observable entity", 3,
        ("obs site", "obs lat site", "obs part site", "obs part lat site", "qual obs site", "obs stem", "obs stem",
         "qual obs lat site", "qual obs part site", "qual obs stem"),
        ("[{qual} ]{obs} of [{part} of ][{lat} ][{site}][{stem} in blood]",
         "[{site} ][{stem} ]{obs}[, {part}][, {lat}][, {qual}]",
         "{obs}: [{lat} ][{site}][, {part}][{stem}][ {qual}]",
         "measured {obs}[ of {site}][ ({part})][ {lat}][ of {stem}][ {qual}]",
         "{obs:abbr}[{site:abbr}][{part:abbr}][{lat:abbr}][ {stem}][{qual:abbr}]",
         "{obs:de}[, {site:de}][, {part:de}][, {lat:de}][ {stem} im Blut][, {qual:de}]",
         "[{site:de}: ][{stem}: ]{obs:de}[ {part:de}][ {lat:de}][ {qual:de}]"),
        (), (("T201", "A2.3.1", "Clinical Attribute"), ("T034", "A2.2.1", "Laboratory or Test Result")),
    ),
    Kind(
        "physical object", 4,
        ("mat obj", "mat site obj", "site obj", "mat obj code", "mat site obj code", "site obj code",
         "mat obj number",
         "site obj number", "mat site obj number", "mat site obj"),
        ("[{mat} ][{site:adj} ]{obj}[ size {number}][ model {code}]",
         "{obj}[, {site}][, {mat}][ no. {number}][ ({code})]",
         "{obj}[ for {site}][ made of {mat}][ {number}][ {code}]", "[{site} ]{obj}[ - {mat}][ {number} mm][ {code}]",
         "{obj:abbr}[{mat:abbr}][{site:abbr}][ {number}][ {code}]",
         "{obj:de}[, {site:de}][, {mat:de}][ Größe {number}][ Modell {code}]",
         "{obj:de}[ für {site:de}][ aus {mat:de}][ {number}][ {code}]"),
        (), (("T074", "A1.3.1", "Medical Device"),),
    ),
    Kind(
        "qualifier value", 2,
        ("qual mod", "qual part", "mod part", "qual number", "mod number", "qual mod part", "part number",
         "qual mod number",
         "qual part number", "mod part number"),
        ("[{qual} ][{mod} ][{part} ]state[ grade {number}]", "[{mod} ][{part} ][{qual} ]value[ {number}]",
         "state[; {qual}][; {mod}][; {part}][; {number}]", "[{number} - ][{qual} ][{mod} ][{part} ]level",
         "QV[{qual:abbr}][{mod:abbr}][{part:abbr}][{number}]",
         "Zustand[ {qual:de}][ {mod:de}][ {part:de}][ Grad {number}]",
         "Stufe[ {number}][ {qual:de}][ {mod:de}][ {part:de}]"),
        (), (("T080", "A2.1.2", "Qualitative Concept"), ("T081", "A2.1.3", "Quantitative Concept")),
    ),
    Kind(
        "situation", 2,
        ("dis site", "mod dis site", "dis lat site", "mod dis lat site", "proc site", "proc lat site",
         "appr proc site",
         "mod dis part site", "appr proc lat site", "dis part site"),
        ("history of [{mod} ][{dis}][{appr} ][{proc}] of [{part} of ][{lat} ]{site}",
         "past [{mod} ][{lat} ]{site:adj} [{dis}][{proc}][ of {part}][, {appr}]",
         "H/O: [{dis}][{proc}], {site}[, {mod}][, {part}][, {lat}][, {appr}]",
         "known [{dis}][{proc}] ({site})[ {mod}][ {part}][ {lat}][ {appr}]",
         "HO[{mod:abbr}][{dis:abbr}][{proc:abbr}]{site:abbr}[{lat:abbr}][{part:abbr}][{appr:abbr}]",
         "Zustand nach [{dis:de}][{proc:de}], {site:de}[, {part:de}][, {lat:de}][, {mod:de}][, {appr:de}]",
         "Z. n. [{dis:de}][{proc:de}] {site:de}[ {part:de}][ {lat:de}][ {mod:de}][ {appr:de}]"),
        ((246090004, "disorder"),), (("T033", "A2.2", "Finding"),),
    ),
    Kind(
        "event", 2,
        ("event obj mat", "event stem", "event obj", "event stem salt", "event obj mat", "event obj number",
         "event stem",
         "event obj mat number", "event stem code", "event obj code"),
        ("{event} [{mat} ][{obj}][{stem}][ {salt}][ {number}][ {code}]",
         "{event} [{obj}][, {mat}][{stem}][, {salt}][, {number}][, {code}] (accidental)",
         "accident: {event} [{mat} ][{obj}][{stem}][ {salt}][ {number}][ {code}]",
         "unintended {event} [{mat} ][{obj}][{stem}][ {salt}][ {number}][ {code}]",
         "{event:abbr}[{mat:abbr}][{obj:abbr}][ {stem}][{salt:abbr}][ {number}][ {code}]",
         "{event:de} [{mat:de} ][{obj:de}][{stem}][{salt:de}][ {number}][ {code}]",
         "Unfall: {event:de} [{obj:de}][ {mat:de}][{stem}][{salt:de}][ {number}][ {code}]"),
        (), (("T037", "B2.3", "Injury or Poisoning"),),
    ),
    Kind(
        "specimen", 1,
        ("site", "site part", "site lat", "site part lat", "site mod", "site part mod", "site lat mod", "site number",
         "site part lat mod", "site mod number"),
        ("[{mod} ]specimen from [{part} of ][{lat} ]{site}[ no. {number}]",
         "[{lat} ]{site:adj} specimen[, {part}][, {mod}][ {number}]",
         "sample of {site}[, {lat}][, {part}][ ({mod})][ {number}]",
         "{site} sample[ {part}][ {lat}][ {mod}][ #{number}]",
         "SP{site:abbr}[{part:abbr}][{lat:abbr}][{mod:abbr}][ {number}]",
         "Probe aus {site:de}[, {part:de}][, {lat:de}][, {mod:de}][ Nr. {number}]",
         "{site:de}probe[ {part:de}][ {lat:de}][ {mod:de}][ {number}]"),
        ((118169006, "body structure"),), (("T031", "A1.4.2", "Body Substance"),),
    ),
)  # fmt: skip

if sum(kind.share for kind in KINDS) != 100:
    raise AssertionError("the shares of the kinds do not make up 100 percent")
