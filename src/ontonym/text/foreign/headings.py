"""The headings of `ontonym.text.notes.headings` in other languages, by the section that they begin."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FOREIGN_HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        "chief complaint": (
            "aufnahmegrund, vorstellungsgrund, beschwerden, motivo de consulta|ingreso, motif, motif de consultation, "
            "motif d'hospitalisation, motivo del ricovero, motivo da consulta, queixa principal, reden van komst, "
            "hoofdklacht, şikayeti, şikayet, 主訴, 主诉"
        ),
        "history of present illness": (
            "aktuelle anamnese, jetzige anamnese, anamnese, enfermedad actual, historia actual, "
            "histoire de la maladie, "
            "anamnesi patologica prossima, história da doença atual, hikayesi, öykü, 現病歴, 现病史"
        ),
        "past medical history": (
            "vorgeschichte, vorerkrankungen, eigenanamnese, vordiagnosen, antecedentes, "
            "antecedentes personales|médicos, "
            "antecedentes patológicos, antécédents, antécédents médicaux|personnels, atcd, anamnesi patologica remota, "
            "antecedentes pessoais, história pregressa, voorgeschiedenis, özgeçmiş, 既往歴, 既往史"
        ),
        "family history": (
            "familienanamnese, antecedentes familiares, historia|história familiar, antécédents familiaux, "
            "anamnesi familiare, familieanamnese, soygeçmiş, rodinná anamnéza, 家族歴, 家族史"
        ),
        "social history": "sozialanamnese, hábitos, mode de vie, anamnesi fisiologica, sociale anamnese, 個人史, "
        "个人史",
        "allergies": "allergien, alergias, allergie, allergieën, alerjiler, alerji, アレルギー, 过敏史",
        "medications": (
            "medikation, medikamente, dauermedikation, tratamiento, tratamiento habitual, medicación, traitement, "
            "traitements, terapia domiciliare, medicação, medicatie, ilaçlar, 内服薬, 用药史"
        ),
        "physical examination": (
            "befund, körperlicher untersuchungsbefund, untersuchungsbefund, klinischer befund, "
            "exploración|exploracion, "
            "exploración física, examen físico, examen, examen clinique|physique, esame obiettivo, exame físico, "
            "lichamelijk onderzoek, fizik muayene, 身体所見, 查体, 体格检查"
        ),
        "laboratory results": "laborwerte, laborbefunde, analítica, biologie, esami ematici, laboratorio, 検査所見, "
        "辅助检查",
        "diagnoses": (
            "diagnose, diagnosen, hauptdiagnose, nebendiagnosen, diagnóstico|diagnósticos, diagnosi, tanı, 診断, 诊断"
        ),
        "differential diagnosis": (
            "differentialdiagnose|differentialdiagnosen, diagnóstico|diagnósticos diferencial|diferenciales, "
            "diagnostic différentiel, diagnosi differenziale, ayırıcı tanı, 鑑別診断, 鉴别诊断"
        ),
        "assessment": "beurteilung, zusammenfassung, epikrise, impresión diagnóstica, conclusioni, conclusie",
        "plan": "procedere, prozedere, weiteres vorgehen, plan de tratamiento, conduite à tenir, conduta, beleid",
    }
)
"""Written as `ontonym.text.patterns` says; an accent may be missing where the form without it is listed too."""
