"""Invented records of MeSH in the layouts of its files, and the concept of one of them."""

from __future__ import annotations

from ontonym.types import Concept, Property, Relation, Term

DESC = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_20240101.dtd">
<DescriptorRecordSet LanguageCode = "eng">
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D900001</DescriptorUI>
  <DescriptorName><String>Ionophores</String></DescriptorName>
  <TreeNumberList><TreeNumber>D27.505</TreeNumber></TreeNumberList>
  <ConceptList><Concept PreferredConceptYN="Y">
    <ConceptUI>M9000001</ConceptUI><ConceptName><String>Ionophores</String></ConceptName>
    <TermList><Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="NON" RecordPreferredTermYN="Y">
      <TermUI>T900001</TermUI><String>Ionophores</String></Term></TermList>
  </Concept></ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D900002</DescriptorUI>
  <DescriptorName><String>Inventomycin</String></DescriptorName>
  <AllowableQualifiersList>
   <AllowableQualifier><QualifierReferredTo><QualifierUI>Q900001</QualifierUI>
     <QualifierName><String>side effects</String></QualifierName></QualifierReferredTo>
     <Abbreviation>SE</Abbreviation></AllowableQualifier>
   <AllowableQualifier><QualifierReferredTo><QualifierUI>Q900002</QualifierUI>
     <QualifierName><String>blood</String></QualifierName></QualifierReferredTo>
     <Abbreviation>BL</Abbreviation></AllowableQualifier>
  </AllowableQualifiersList>
  <SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo><DescriptorUI>D900001</DescriptorUI>
    <DescriptorName><String>Ionophores</String></DescriptorName></DescriptorReferredTo></SeeRelatedDescriptor>
  </SeeRelatedList>
  <PharmacologicalActionList><PharmacologicalAction><DescriptorReferredTo><DescriptorUI>D900001</DescriptorUI>
    <DescriptorName><String>Ionophores</String></DescriptorName></DescriptorReferredTo></PharmacologicalAction>
  </PharmacologicalActionList>
  <TreeNumberList>
    <TreeNumber>D27.505.900</TreeNumber><TreeNumber>D02.633.100</TreeNumber><TreeNumber>D27.505.901</TreeNumber>
  </TreeNumberList>
  <ConceptList>
   <Concept PreferredConceptYN="Y">
    <ConceptUI>M9000002</ConceptUI>
    <ConceptName><String>Inventomycin</String></ConceptName>
    <CASN1Name>4-Inventoxylic acid</CASN1Name>
    <RegistryNumber>37H9VM9WZL</RegistryNumber>
    <ScopeNote>An invented
      antibiotic.
    </ScopeNote>
    <RelatedRegistryNumberList>
      <RelatedRegistryNumber>52665-69-7 (Inventomycin)</RelatedRegistryNumber>
      <RelatedRegistryNumber>3383-96-8 (Inventomycin sulfate)</RelatedRegistryNumber>
    </RelatedRegistryNumberList>
    <ConceptRelationList>
      <ConceptRelation RelationName="NRW"><Concept1UI>M9000002</Concept1UI><Concept2UI>M9000003</Concept2UI>
      </ConceptRelation>
      <ConceptRelation RelationName="BRD"><Concept1UI>M9000002</Concept1UI><Concept2UI>M9000004</Concept2UI>
      </ConceptRelation>
    </ConceptRelationList>
    <TermList>
     <Term ConceptPreferredTermYN="N" IsPermutedTermYN="N" LexicalTag="TRD" RecordPreferredTermYN="N">
      <TermUI>T900003</TermUI><String>Invento&#233;</String>
      <ThesaurusIDlist><ThesaurusID>FR French Trade Name (1990)</ThesaurusID></ThesaurusIDlist></Term>
     <Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="NON" RecordPreferredTermYN="Y">
      <TermUI>T900002</TermUI><String>Inventomycin</String></Term>
     <Term ConceptPreferredTermYN="N" IsPermutedTermYN="N" LexicalTag="ABB" RecordPreferredTermYN="N">
      <TermUI>T900004</TermUI><String>IVM</String></Term>
    </TermList>
   </Concept>
   <Concept PreferredConceptYN="N">
    <ConceptUI>M9000003</ConceptUI>
    <ConceptName><String>A-90000</String></ConceptName>
    <RegistryNumber>3383-96-9</RegistryNumber>
    <ConceptRelationList>
      <ConceptRelation RelationName="NRW"><Concept1UI>M9000002</Concept1UI><Concept2UI>M9000003</Concept2UI>
      </ConceptRelation>
    </ConceptRelationList>
    <TermList>
     <Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="LAB" RecordPreferredTermYN="N">
      <TermUI>T900005</TermUI><String>A-90000</String></Term>
     <Term ConceptPreferredTermYN="N" IsPermutedTermYN="Y" LexicalTag="LAB" RecordPreferredTermYN="N">
      <TermUI>T900005</TermUI><String>A 90000</String></Term>
     <Term ConceptPreferredTermYN="N" IsPermutedTermYN="N" LexicalTag="NON" RecordPreferredTermYN="N">
      <TermUI>T900006</TermUI><String>Antibiotics A90000</String></Term>
     <Term ConceptPreferredTermYN="N" IsPermutedTermYN="Y" LexicalTag="NON" RecordPreferredTermYN="N">
      <TermUI>T900006</TermUI><String>A90000, Antibiotic</String></Term>
     <Term ConceptPreferredTermYN="N" IsPermutedTermYN="Y" LexicalTag="NON" RecordPreferredTermYN="N">
      <TermUI>T900006</TermUI><String>A ninety thousand</String></Term>
    </TermList>
   </Concept>
   <Concept PreferredConceptYN="N">
    <ConceptUI>M9000004</ConceptUI>
    <ConceptName><String>Inventoids</String></ConceptName>
    <TermList>
     <Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="NON" RecordPreferredTermYN="N">
      <TermUI>T900007</TermUI><String>Inventoids</String></Term>
    </TermList>
   </Concept>
   <Concept PreferredConceptYN="N">
    <ConceptUI>M9000005</ConceptUI>
    <ConceptName><String>Nearly Inventomycin</String></ConceptName>
    <ConceptRelationList>
      <ConceptRelation RelationName="REL"><Concept1UI>M9000005</Concept1UI><Concept2UI>M9000002</Concept2UI>
      </ConceptRelation>
    </ConceptRelationList>
    <TermList>
     <Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="ABX" RecordPreferredTermYN="N">
      <TermUI>T900008</TermUI><String>Nearly IVM</String></Term>
    </TermList>
   </Concept>
  </ConceptList>
</DescriptorRecord>
</DescriptorRecordSet>
"""
QUAL = """<?xml version="1.0"?>
<QualifierRecordSet LanguageCode="eng"><QualifierRecord>
  <QualifierUI>Q900001</QualifierUI><QualifierName><String>side effects</String></QualifierName>
  <TreeNumberList><TreeNumber>Y04.010</TreeNumber></TreeNumberList>
  <ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M9000010</ConceptUI>
   <ConceptName><String>side effects</String></ConceptName><ScopeNote>Used with drugs.</ScopeNote>
   <TermList><Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="NON" RecordPreferredTermYN="Y">
    <TermUI>T900010</TermUI><String>side effects</String><Abbreviation>SE</Abbreviation>
    <EntryVersion>SIDE EFF</EntryVersion></Term></TermList></Concept></ConceptList>
</QualifierRecord></QualifierRecordSet>
"""
SUPP = """<?xml version="1.0"?>
<SupplementalRecordSet LanguageCode="eng"><SupplementalRecord SCRClass="3">
  <SupplementalRecordUI>C900001</SupplementalRecordUI>
  <SupplementalRecordName><String>Invention syndrome</String></SupplementalRecordName>
  <Note>A rare disease.
  </Note>
  <HeadingMappedToList>
   <HeadingMappedTo><DescriptorReferredTo><DescriptorUI>*D900001</DescriptorUI>
    <DescriptorName><String>Ionophores</String></DescriptorName></DescriptorReferredTo></HeadingMappedTo>
   <HeadingMappedTo><DescriptorReferredTo><DescriptorUI>D900002</DescriptorUI>
    <DescriptorName><String>Inventomycin</String></DescriptorName></DescriptorReferredTo>
    <QualifierReferredTo><QualifierUI>*Q900001</QualifierUI>
    <QualifierName><String>side effects</String></QualifierName></QualifierReferredTo></HeadingMappedTo>
  </HeadingMappedToList>
  <IndexingInformationList><IndexingInformation><DescriptorReferredTo><DescriptorUI>D900002</DescriptorUI>
    <DescriptorName><String>Inventomycin</String></DescriptorName></DescriptorReferredTo></IndexingInformation>
  </IndexingInformationList>
  <SourceList><Source>J Invent 1990;(7):55</Source></SourceList>
  <ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M9000020</ConceptUI>
   <ConceptName><String>Invention syndrome</String></ConceptName><RegistryNumber>0</RegistryNumber>
   <TermList><Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="NON" RecordPreferredTermYN="Y">
    <TermUI>T900020</TermUI><String>Invention syndrome</String></Term></TermList></Concept></ConceptList>
</SupplementalRecord></SupplementalRecordSet>
"""
D_BIN = """*NEWRECORD
RECTYPE = D
MH = Ionophores
MN = D27.505
DC = 1
UI = D900001

*NEWRECORD
RECTYPE = D
MH = Inventomycin
AQ = SE BL
PRINT ENTRY = Inventoé|T109|T195|TRD|EQV|FR French Trade Name (1990)|900308|abbcdef
ENTRY = IVM|T109|ABB|EQV|NLM (1991)|900308|abcdef
ENTRY = A-90000|T109|T195|LAB|NRW|UNK (19XX)|741111|A A 90000|abbcdefs
ENTRY = A 90000
ENTRY = Antibiotics A90000|T109|NON|NRW|NLM (1991)|900308|abcdef
ENTRY = A90000, Antibiotic
ENTRY = A ninety thousand
ENTRY = Inventoids|T109|BRD|NLM (1991)|900308|abdef
ENTRY = Nearly IVM|T109|ABX|REL|NLM (1991)|900308|abcdef
MN = D27.505.900
MN = D02.633.100
MN = D27.505.901
FX = Ionophores
PA = Ionophores
MH_TH = NLM (1975)
ST = T109
RN = 37H9VM9WZL
RR = 52665-69-7 (Inventomycin)
RR = 3383-96-8 (Inventomycin sulfate)
N1 = 4-Inventoxylic acid
AN = nothing = here
MS = An invented antibiotic.
DC = 1
UI = D900002
"""
Q_BIN = """*NEWRECORD
RECTYPE = Q
SH = side effects
QE = SIDE EFF
QA = SE
MS = Used with drugs.
QT = 1
UI = Q900001
"""
C_BIN = """*NEWRECORD
RECTYPE = C
NM = Invention syndrome
RN = 0
SY = Syndrome of invention|T047|EQV|OMIM (2013)|ORD (2010)|090615|abdeef
HM = *Ionophores
HM = Inventomycin/*side effects
HM = Nowhere/to be found
II = Inventomycin
NM_TH = ORD (2010)
ST = T047
FR = 38
NO = A rare disease.
UI = C900001
"""

INVENTOMYCIN = Concept(
    "MESH:D900002",
    (
        Term("Inventomycin", "preferred"),
        Term("4-Inventoxylic acid", "entry", source="CASN1Name"),
        Term("Inventoé", "entry", source="TRD"),
        Term("IVM", "abbreviation", source="ABB"),
        Term("A-90000", "entry", "narrow", source="LAB"),
        Term("Antibiotics A90000", "entry", "narrow"),
        Term("A ninety thousand", "entry", "narrow"),
        Term("Inventoids", "entry", "broad"),
        Term("Nearly IVM", "entry", "related", source="ABX"),
    ),
    parents=("MESH:D900001",),
    relations=(Relation("see also", "MESH:D900001"), Relation("pharmacological action", "MESH:D900001")),
    definitions=("An invented antibiotic.",),
    tags=("topical descriptor", "Chemicals and Drugs"),
    alternative_ids=("MESH:M9000002", "MESH:M9000003", "MESH:M9000004", "MESH:M9000005"),
    xrefs=("UNII:37H9VM9WZL", "CAS:52665-69-7"),
    properties=(
        Property("tree number", "D27.505.900"),
        Property("tree number", "D02.633.100"),
        Property("tree number", "D27.505.901"),
        Property("allowable qualifiers", "BL SE"),
        Property("related registry number", "3383-96-8 (Inventomycin sulfate)"),
        Property("related registry number", "3383-96-9 (A-90000)"),
    ),
)
