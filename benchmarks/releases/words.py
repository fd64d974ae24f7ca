"""The words of the grammar: everyday clinical English with adjectives and German, and the parts of made-up words.

One entry a line or between slashes: ``noun|adjective|German``, the last two optional. Spelled as in the United States;
``british`` respells.
"""

from __future__ import annotations

import re

SITES = """
heart|cardiac|Herz / lung|pulmonary|Lunge / liver|hepatic|Leber / kidney|renal|Niere / spleen|splenic|Milz /
pancreas|pancreatic|Pankreas / stomach|gastric|Magen / esophagus|esophageal|Ösophagus / duodenum|duodenal|Duodenum /
jejunum|jejunal|Jejunum / ileum|ileal|Ileum / cecum|cecal|Zökum / colon|colonic|Kolon / rectum|rectal|Rektum /
anus|anal|Anus / gallbladder|cholecystic|Gallenblase / bile duct|biliary|Gallengang /
urinary bladder|vesical|Harnblase / ureter|ureteral|Harnleiter / urethra|urethral|Harnröhre /
prostate|prostatic|Prostata / testis|testicular|Hoden / epididymis|epididymal|Nebenhoden / ovary|ovarian|Ovar /
uterus|uterine|Uterus / cervix uteri|uterocervical|Zervix / vagina|vaginal|Vagina / vulva|vulval|Vulva /
breast|mammary|Brust / thyroid gland|thyroid|Schilddrüse / parathyroid gland|parathyroid|Nebenschilddrüse /
adrenal gland|adrenal|Nebenniere / pituitary gland|pituitary|Hypophyse / thymus|thymic|Thymus /
brain|cerebral|Gehirn / cerebellum|cerebellar|Kleinhirn / brainstem|brainstem|Hirnstamm /
spinal cord|spinal|Rückenmark / meninges|meningeal|Meningen / optic nerve|optic|Sehnerv /
facial nerve|facial|Nervus facialis / sciatic nerve|sciatic|Ischiasnerv / median nerve|median|Nervus medianus /
ulnar nerve|ulnar neural|Nervus ulnaris / retina|retinal|Netzhaut / cornea|corneal|Hornhaut / lens|lenticular|Linse /
iris|iridic|Iris / eyelid|palpebral|Augenlid / conjunctiva|conjunctival|Bindehaut /
lacrimal gland|lacrimal|Tränendrüse / external ear|auricular|Ohrmuschel / middle ear|tympanic|Mittelohr /
inner ear|labyrinthine|Innenohr / nose|nasal|Nase / maxillary sinus|maxillary|Kieferhöhle /
pharynx|pharyngeal|Rachen / larynx|laryngeal|Kehlkopf / trachea|tracheal|Trachea / bronchus|bronchial|Bronchus /
pleura|pleural|Pleura / diaphragm|diaphragmatic|Zwerchfell / tongue|lingual|Zunge / lip|labial|Lippe /
tooth|dental|Zahn / gingiva|gingival|Zahnfleisch / parotid gland|parotid|Ohrspeicheldrüse /
tonsil|tonsillar|Tonsille / skull|cranial|Schädel / mandible|mandibular|Unterkiefer / orbit|orbital|Orbita /
clavicle|clavicular|Schlüsselbein / scapula|scapular|Schulterblatt / sternum|sternal|Brustbein / rib|costal|Rippe /
humerus|humeral|Humerus / radius|radial|Radius / ulna|ulnar|Ulna / wrist|carpal|Handgelenk / hand|manual|Hand /
thumb|pollical|Daumen / index finger|indicial|Zeigefinger / pelvis|pelvic|Becken / hip joint|coxal|Hüfte /
femur|femoral|Femur / patella|patellar|Kniescheibe / knee joint|genicular|Knie / tibia|tibial|Tibia /
fibula|fibular|Fibula / ankle joint|talocrural|Sprunggelenk / calcaneus|calcaneal|Fersenbein / foot|pedal|Fuß /
great toe|hallucal|Großzehe / shoulder joint|glenohumeral|Schulter / elbow joint|cubital|Ellenbogen /
cervical spine|cervical|Halswirbelsäule / thoracic spine|thoracic|Brustwirbelsäule /
lumbar spine|lumbar|Lendenwirbelsäule / sacrum|sacral|Kreuzbein / coccyx|coccygeal|Steißbein / skin|cutaneous|Haut /
scalp|scalp|Kopfhaut / nail|ungual|Nagel / axilla|axillary|Achsel / groin|inguinal|Leiste /
abdominal wall|abdominal|Bauchwand / peritoneum|peritoneal|Peritoneum / omentum|omental|Omentum /
mesentery|mesenteric|Mesenterium / aorta|aortic|Aorta / carotid artery|carotid|Arteria carotis /
coronary artery|coronary|Koronararterie / femoral artery|femoral arterial|Arteria femoralis /
portal vein|portal|Pfortader / vena cava|caval|Vena cava / jugular vein|jugular|Vena jugularis /
mitral valve|mitral|Mitralklappe / aortic valve|aortic valvular|Aortenklappe / atrium|atrial|Vorhof /
ventricle|ventricular|Ventrikel / pericardium|pericardial|Perikard / bone marrow|medullary|Knochenmark /
lymph node|nodal|Lymphknoten / tendon|tendinous|Sehne / ligament|ligamentous|Band / meniscus|meniscal|Meniskus /
placenta|placental|Plazenta / umbilical cord|umbilical|Nabelschnur
"""

DISORDERS = """
fracture|fractured|Fraktur / abscess|suppurative|Abszess / neoplasm|neoplastic|Neoplasie / tumor|tumorous|Tumor /
carcinoma|carcinomatous|Karzinom / sarcoma|sarcomatous|Sarkom / hemorrhage|hemorrhagic|Blutung /
hematoma|bruised|Hämatom / edema|edematous|Ödem / ischemia|ischemic|Ischämie / infarction|infarcted|Infarkt /
inflammation|inflamed|Entzündung / infection|infected|Infektion / ulcer|ulcerated|Ulkus /
perforation|perforated|Perforation / obstruction|obstructed|Obstruktion / stenosis|stenotic|Stenose /
atrophy|atrophic|Atrophie / hypertrophy|hypertrophic|Hypertrophie / fibrosis|fibrotic|Fibrose /
necrosis|necrotic|Nekrose / calcification|calcified|Verkalkung / rupture|ruptured|Ruptur /
laceration|lacerated|Risswunde / contusion|contused|Prellung / dislocation|dislocated|Luxation /
sprain|sprained|Verstauchung / hernia|herniated|Hernie / cyst|cystic|Zyste / polyp|polypoid|Polyp /
fistula|fistulous|Fistel / thrombosis|thrombotic|Thrombose / embolism|embolic|Embolie /
aneurysm|aneurysmal|Aneurysma / malformation|malformed|Fehlbildung / agenesis|absent|Agenesie /
hypoplasia|hypoplastic|Hypoplasie / dysplasia|dysplastic|Dysplasie / degeneration|degenerative|Degeneration /
insufficiency|insufficient|Insuffizienz / failure|failing|Versagen / dysfunction|dysfunctional|Dysfunktion /
paralysis|paralyzed|Lähmung / neuropathy|neuropathic|Neuropathie / pain syndrome|painful|Schmerzsyndrom /
tuberculosis|tuberculous|Tuberkulose / mycosis|mycotic|Mykose / burn|burned|Verbrennung /
frostbite|frostbitten|Erfrierung / foreign body|obstructed by foreign body|Fremdkörper / anemia|anemic|Anämie /
lymphoma|lymphomatous|Lymphom / metastasis|metastatic|Metastase / gangrene|gangrenous|Gangrän /
effusion|effused|Erguss / empyema|empyematous|Empyem / prolapse|prolapsed|Prolaps / torsion|twisted|Torsion /
contracture|contracted|Kontraktur / ankylosis|ankylosed|Ankylose / osteomyelitis|osteomyelitic|Osteomyelitis /
arthritis|arthritic|Arthritis / bursitis|bursal|Bursitis / vasculitis|vasculitic|Vaskulitis /
granuloma|granulomatous|Granulom / hyperplasia|hyperplastic|Hyperplasie / leukoplakia|leukoplakic|Leukoplakie /
diverticulum|diverticular|Divertikel / sclerosis|sclerotic|Sklerose / hypoperfusion|hypoperfused|Minderdurchblutung /
spasm|spastic|Spasmus / ectopia|ectopic|Ektopie / deformity|deformed|Deformität
"""

MODIFIERS = """
acute||akut / chronic||chronisch / subacute||subakut / recurrent||rezidivierend / congenital||angeboren /
acquired||erworben / hereditary||hereditär / idiopathic||idiopathisch / primary||primär / secondary||sekundär /
benign||benigne / malignant||maligne / severe||schwer / mild||leicht / moderate||mittelschwer /
progressive||progressiv / postoperative||postoperativ / traumatic||traumatisch / pathological||pathologisch /
open||offen / closed||geschlossen / complete||vollständig / partial||partiell / multiple||multipel /
solitary||solitär / diffuse||diffus / focal||fokal / superficial||oberflächlich / deep||tief / neonatal||neonatal /
pediatric||pädiatrisch / juvenile||juvenil / senile||senil / gestational||gestationsbedingt /
drug-induced||medikamentös / radiation-induced||strahlenbedingt / alcohol-related||alkoholbedingt /
autoimmune||autoimmun / allergic||allergisch / eosinophilic||eosinophil / septic||septisch / aseptic||aseptisch /
necrotizing||nekrotisierend / ulcerative||ulzerierend / hemorrhagic||hämorrhagisch / ischemic||ischämisch /
cystic||zystisch / fibrous||fibrös / stress||ermüdungsbedingt / intermittent||intermittierend /
persistent||persistierend / transient||transient / refractory||refraktär / asymptomatic||asymptomatisch /
symptomatic||symptomatisch / familial||familiär / sporadic||sporadisch / early-onset||früh beginnend /
late-onset||spät beginnend / unspecified||nicht näher bezeichnet
"""

PARTS = """
upper part||oberer Teil / lower part||unterer Teil / anterior wall||Vorderwand / posterior wall||Hinterwand /
lateral surface||laterale Fläche / medial surface||mediale Fläche / proximal end||proximales Ende /
distal end||distales Ende / body||Korpus / head||Kopf / neck||Hals / base||Basis / apex||Apex / lining||Auskleidung /
capsule||Kapsel / margin||Rand / central portion||zentraler Anteil / peripheral zone||periphere Zone /
fundus||Fundus / hilum||Hilus / blood supply||Gefäßversorgung / cortex||Kortex / medulla||Medulla /
surrounding tissue||umgebendes Gewebe
"""

SIDES = "left||links / right||rechts / bilateral||beidseits"

PROCEDURES = """
excision||Exzision / biopsy||Biopsie / incision||Inzision / drainage||Drainage / repair||Rekonstruktion /
resection||Resektion / transplantation||Transplantation / fixation||Fixierung / reduction||Reposition /
replacement||Ersatz / removal||Entfernung / insertion of stent into||Stentimplantation / aspiration||Punktion /
irrigation||Spülung / dilation||Dilatation / ligation||Ligatur / embolization||Embolisation / ablation||Ablation /
injection into||Injektion / suture||Naht / reconstruction||Wiederherstellung / amputation||Amputation /
decompression||Dekompression / exploration||Exploration / plain X-ray||Röntgen / ultrasonography||Sonographie /
computed tomography||Computertomographie / magnetic resonance imaging||Magnetresonanztomographie /
scintigraphy||Szintigraphie / arteriography||Arteriographie / endoscopy||Endoskopie / radiotherapy||Strahlentherapie /
brachytherapy||Brachytherapie / catheterization||Katheterisierung / anastomosis||Anastomose / graft||Transplantat /
closure||Verschluss / curettage||Kürettage / debridement||Débridement / lavage||Lavage / manipulation||Manipulation /
massage||Massage / monitoring||Überwachung / cryotherapy||Kryotherapie / laser coagulation||Laserkoagulation /
fenestration||Fensterung / revision||Revision / palpation||Palpation / auscultation||Auskultation /
percussion||Perkussion / angioplasty||Angioplastie / anesthesia||Anästhesie / nerve block||Nervenblockade /
taping||Taping / mobilization||Mobilisation
"""

APPROACHES = """
percutaneous||perkutan / laparoscopic||laparoskopisch / endoscopic||endoskopisch / open||offen /
robot-assisted||roboterassistiert / transluminal||transluminal / transvaginal||transvaginal /
transrectal||transrektal / stereotactic||stereotaktisch / fluoroscopy-guided||durchleuchtungsgesteuert /
ultrasound-guided||sonographisch gesteuert / CT-guided||CT-gesteuert / emergency||notfallmäßig / elective||elektiv /
diagnostic||diagnostisch / therapeutic||therapeutisch / palliative||palliativ / intraoperative||intraoperativ /
minimally invasive||minimal-invasiv / staged||zweizeitig
"""

FINDINGS = """
pain||Schmerz / tenderness||Druckschmerz / swelling||Schwellung / stiffness||Steifigkeit / numbness||Taubheit /
itching||Juckreiz / discoloration||Verfärbung / weakness||Schwäche / deformity||Deformität / mass||Raumforderung /
murmur||Geräusch / discharge||Ausfluss / bleeding||Blutung / tremor||Tremor / coldness||Kälte / warmth||Überwärmung /
pulsation||Pulsation / scar||Narbe / crepitus||Krepitation / cramp||Krampf / enlargement||Vergrößerung /
opacity||Trübung / asymmetry||Asymmetrie / decreased movement||verminderte Beweglichkeit /
increased tone||erhöhter Tonus / abnormal color||abnorme Farbe / abnormal sensation||abnorme Empfindung /
normal function||normale Funktion / abnormal shadow||abnormer Schatten / loss of hair||Haarverlust
"""

OBSERVED = """
length||Länge / width||Breite / volume||Volumen / diameter||Durchmesser / pressure||Druck / temperature||Temperatur /
blood flow||Blutfluss / thickness||Dicke / mobility||Beweglichkeit / strength||Kraft / density||Dichte /
color||Farbe / position||Lage / surface area||Oberfläche / mass concentration||Massenkonzentration /
molar concentration||Stoffmengenkonzentration / catalytic activity||katalytische Aktivität /
range of flexion||Beugeumfang / range of extension||Streckumfang / stage of tumor||Tumorstadium /
grade of tumor||Tumorgrad / sensation||Sensibilität / tone||Tonus / electrical activity||elektrische Aktivität
"""

OBJECTS = """
catheter||Katheter / stent||Stent / prosthesis||Prothese / screw||Schraube / plate||Platte / pin||Stift /
needle||Nadel / suture||Nahtmaterial / drain||Drain / pump||Pumpe / electrode||Elektrode / pacemaker||Schrittmacher /
valve||Klappe / graft||Prothesenmaterial / splint||Schiene / brace||Orthese / bandage||Verband /
dressing||Wundauflage / tube||Tubus / cannula||Kanüle / retractor||Retraktor / clamp||Klemme / endoscope||Endoskop /
probe||Sonde / sensor||Sensor / implant||Implantat / mesh||Netz / clip||Clip / coil||Spirale / monitor||Monitor
"""

MATERIALS = """
titanium||Titan / silicone||Silikon / polyurethane||Polyurethan / stainless steel||Edelstahl / ceramic||Keramik /
latex||Latex / cobalt-chromium||Kobalt-Chrom / bioabsorbable||bioresorbierbar / drug-eluting||wirkstofffreisetzend /
coated||beschichtet / reinforced||verstärkt / disposable||Einmal / reusable||wiederverwendbar /
adjustable||verstellbar / telescopic||teleskopisch / balloon-expandable||ballonexpandierbar /
self-expanding||selbstexpandierend / cemented||zementiert / cementless||zementfrei / wireless||drahtlos
"""

FORMS = """
oral tablet||Tablette / oral capsule||Kapsel / oral solution||Lösung zum Einnehmen /
oral suspension||Suspension zum Einnehmen / powder for solution for injection||Pulver zur Injektion /
solution for injection||Injektionslösung / prolonged-release oral tablet||Retardtablette /
gastro-resistant oral capsule||magensaftresistente Kapsel / chewable tablet||Kautablette / eye drops||Augentropfen /
ear drops||Ohrentropfen / nasal spray||Nasenspray / cream||Creme / ointment||Salbe / gel||Gel /
transdermal patch||transdermales Pflaster / suppository||Zäpfchen / inhaler||Inhalator / pessary||Vaginalzäpfchen /
lozenge||Lutschtablette / mouthwash||Mundspülung / shampoo||Shampoo / enema||Klysma /
effervescent tablet||Brausetablette
"""

SALTS = """
hydrochloride||hydrochlorid / sodium||natrium / potassium||kalium / sulfate||sulfat / acetate||acetat /
citrate||citrat / maleate||maleat / tartrate||tartrat / phosphate||phosphat / mesylate||mesilat /
hydrobromide||hydrobromid / calcium||calcium / succinate||succinat / fumarate||fumarat / nitrate||nitrat
"""

GROUPS = """
chloro / bromo / fluoro / methyl / ethyl / propyl / phenyl / benzyl / hydroxy / methoxy / amino / nitro / cyano /
oxo / carboxy / acetyl / iodo / butyl / ethoxy / thio / vinyl / sulfonyl / pyridyl / furyl
"""

QUALITIES = """
high||hoch / low||niedrig / normal||normal / abnormal||abnorm / present||vorhanden / absent||nicht vorhanden /
increased||erhöht / decreased||vermindert / early||früh / late||spät / continuous||kontinuierlich / rapid||rasch /
slow||langsam / upward||aufwärts / downward||abwärts / round||rund / oval||oval / irregular||unregelmäßig /
hourly||stündlich / daily||täglich
"""

EVENTS = """
fall from||Sturz von / collision with||Zusammenstoß mit / exposure to||Exposition gegenüber /
contact with||Kontakt mit / overdose of||Überdosis von / struck by||getroffen von / caught in||eingeklemmt in /
ingestion of||Ingestion von / inhalation of||Inhalation von / assault with||Angriff mit
"""

CHANGES = """
with complication / without complication / unspecified cause / of late onset / of early onset / with recurrence /
in remission / following treatment / during pregnancy / in childhood / with delayed healing /
with systemic involvement / after surgery / stable phase / active phase / first episode / subsequent encounter /
with risk of progression / clinically suspected / histologically confirmed / left untreated / long term / short term /
of uncertain significance / by history / newly diagnosed / under observation / end stage / early stage /
with residual deficit
"""

ONSETS = "b br c cl d dr f fl g gl h j k kr l m n p pr qu r s sk st t tr v w x z".split()
VOWELS = "a e i o u y ae io ea".split()
GENUS_ENDS = "bacter coccus della monas myces virus plasma nema thrix spora nium lia vibrio bacillus".split()
EPITHET_ENDS = "densis lii rata lans rosa talis nica nifera roides latum".split()
STEM_ENDS = (
    "mab nib pril sartan lol statin nazole cillin mycin vir dipine xetine zepam tidine platin rubicin lase min".split()
)
"""Made-up words are onset, vowel, onset, vowel, ending. Endings begin with a consonant, so no two words are equal."""

_BRITISH = (
    ("leuko", "leuco"), (r"\bhemo", "haemo"), (r"\bhema", "haema"), ("anemi", "anaemi"), ("ischemi", "ischaemi"),
    ("edema", "oedema"), ("esophag", "oesophag"), ("cecum", "caecum"), ("cecal", "caecal"), ("tumor", "tumour"),
    ("pediatric", "paediatric"), (r"color\b", "colour"), (r"fiber\b", "fibre"), ("paralyz", "paralys"),
    ("ization", "isation"), ("izing", "ising"), ("anesthe", "anaesthe"), ("sulf", "sulph"), ("diarrhea", "diarrhoea"),
    (r"center\b", "centre"), ("gynecol", "gynaecol"), ("orthopedic", "orthopaedic"), ("leukemi", "leukaemi"),
)  # fmt: skip
_RESPELL = re.compile("|".join(american for american, _ in _BRITISH), re.IGNORECASE)
_RESPELLED = {american.replace(r"\b", ""): british for american, british in _BRITISH}


def british(text: str) -> str:
    """The text as spelled in Great Britain."""
    return _RESPELL.sub(_respell, text)


def _respell(found: re.Match[str]) -> str:
    word = _RESPELLED[found[0].lower()]
    return word.capitalize() if found[0][0].isupper() else word


def entries(text: str) -> list[tuple[str, str, str]]:
    """The entries of a table as (noun, adjective, German); what an entry does not give is its noun."""
    found = []
    for entry in text.replace("\n", " ").split("/"):
        noun, adjective, german = [*(part.strip() for part in entry.split("|")), "", ""][:3]
        if noun:
            found.append((noun, adjective or noun, german or noun))
    return found
