"""Every text that the FHIR server says to a client, by its message id. No text stands anywhere else.

Where HL7's terminology tests fix the English sentence, that sentence is part of the protocol and stands here word for
word; the ids are those of HL7's message catalogue where it has one.
"""

from __future__ import annotations

TEXTS = {
    "ABSTRACT_CODE_NOT_ALLOWED": "Code '{system}#{code}' is abstract, and not allowed in this context",
    "CODESYSTEM_CS_NO_SUPPLEMENT": (
        "CodeSystem {canonical} is a supplement, so can't be used as a value in Coding.system"
    ),
    "CODE_CASE_DIFFERENCE": (
        "The code '{code}' differs from the correct code '{normal}' by case. Although the code system '{canonical}' is "
        "case insensitive, implementers are strongly encouraged to use the correct case anyway"
    ),
    "CONCEPT_DEPRECATED_IN_VALUESET": (
        "The presence of the concept '{code}' in the system '{system}' in the value set {vs} is marked with a status "
        "of {status} and its use should be reviewed"
    ),
    "Coding_has_no_code": "Coding has no code and cannot be validated",
    "Coding_has_no_system__cannot_validate": (
        "Coding has no system. A code with no system has no defined meaning, and it cannot be validated. A system "
        "should be provided"
    ),
    "DEPRECATED_CONCEPT_FOUND": "The concept '{code}' is deprecated and its use should be reviewed",
    "Display_Name_WS_for__should_be_one_of__instead_of_one": (
        "Wrong whitespace in Display Name '{display}' for {system}#{code}. Valid display is {choices} (for the "
        "language(s) '{languages}')"
    ),
    "Display_Name_WS_for__should_be_one_of__instead_of_other": (
        "Wrong whitespace in Display Name '{display}' for {system}#{code}. Valid display is one of {count} choices: "
        "{choices} (for the language(s) '{languages}')"
    ),
    "Display_Name_for__should_be_one_of__instead_of_one": (
        "Wrong Display Name '{display}' for {system}#{code}. Valid display is {choices} (for the language(s) "
        "'{languages}')"
    ),
    "Display_Name_for__should_be_one_of__instead_of_other": (
        "Wrong Display Name '{display}' for {system}#{code}. Valid display is one of {count} choices: {choices} (for "
        "the language(s) '{languages}')"
    ),
    "FILTER_NOT_UNDERSTOOD": (
        'The filter "{property} {op} {value}" from the value set {vs} was not understood in the context of {system}'
    ),
    "INACTIVE_CONCEPT_FOUND": "The concept '{code}' has a status of {status} and its use should be reviewed",
    "INACTIVE_DISPLAY_FOUND": (
        "'{display}' is no longer considered a correct display for code '{code}' (status = {status}). The correct "
        "display is one of {choices}."
    ),
    "MSG_DEPRECATED": "Reference to deprecated {resource} {canonical}",
    "MSG_DRAFT": "Reference to draft {resource} {canonical}",
    "MSG_EXPERIMENTAL": "Reference to experimental {resource} {canonical}",
    "MSG_RETIRED": "Reference to retired {resource} {canonical}",
    "MSG_WITHDRAWN": "Reference to withdrawn {resource} {canonical}",
    "NO_VALID_DISPLAY_AT_ALL": (
        "Cannot validate the display '{display}' for the code {system}#{code}, since the code system gives no display "
        "for it"
    ),
    "NO_VALID_DISPLAY_FOUND_NONE_FOR_LANG_ERR": (
        "Wrong Display Name '{display}' for {system}#{code}. There are no valid display names found for language(s) "
        "'{languages}'. Default display is '{default}'"
    ),
    "NO_VALID_DISPLAY_FOUND_NONE_FOR_LANG_OK": (
        "There are no valid display names found for the code {system}#{code} for language(s) '{languages}'. The "
        "display is '{display}' which is a valid display for the default language"
    ),
    "None_of_the_provided_codes_are_in_the_value_set_one": (
        "The provided code {codes} was not found in the value set '{vs}'"
    ),
    "STATUS_CODE_WARNING_CODE": "The concept '{code}' is valid but is {status}",
    "SYSTEM_VERSION_MULTIPLE_OVERRIDE": (
        "The request forces two versions of the code system {system}: '{first}' and '{second}'"
    ),
    "TX_GENERAL_CC_ERROR_MESSAGE": "No valid coding was found for the value set '{vs}'",
    "Terminology_TX_System_Relative": "Coding.system must be an absolute reference, not a local reference",
    "Terminology_TX_System_ValueSet2": "The Coding references a value set, not a code system ('{system}')",
    "UNABLE_TO_HANDLE_SYSTEM_FILTER_WITH_NO_VALUE": (
        "The system {system} filter with property = {property}, op = {op} has no value"
    ),
    "UNABLE_TO_INFER_CODESYSTEM": (
        "The System URI could not be determined for the code '{code}' in the ValueSet '{vs}': none of its code systems "
        "has it there ({systems})"
    ),
    "UNKNOWN_CODESYSTEM": (
        "A definition for CodeSystem '{system}' could not be found, so the code cannot be validated"
    ),
    "UNKNOWN_CODESYSTEM_EXP": (
        "A definition for CodeSystem '{system}' could not be found, so the value set cannot be expanded"
    ),
    "UNKNOWN_CODESYSTEM_VERSION": (
        "A definition for CodeSystem '{system}' version '{version}' could not be found, so the code cannot be "
        "validated. Valid versions: {versions}"
    ),
    "UNKNOWN_CODESYSTEM_VERSION_EXP": (
        "A definition for CodeSystem '{system}' version '{version}' could not be found, so the value set cannot be "
        "expanded. Valid versions: {versions}"
    ),
    "UNKNOWN_CODESYSTEM_VERSION_EXP_NONE": (
        "A definition for CodeSystem '{system}' version '{version}' could not be found, so the value set cannot be "
        "expanded. No versions of this code system are known"
    ),
    "UNKNOWN_CODESYSTEM_VERSION_NONE": (
        "A definition for CodeSystem '{system}' version '{version}' could not be found, so the code cannot be "
        "validated. No versions of this code system are known"
    ),
    "UNKNOWN_CODE_IN_FRAGMENT": (
        "Unknown Code '{code}' in the CodeSystem '{system}' version '{version}' - note that the code system is labeled "
        "as a fragment, so the code may be valid in some other fragment"
    ),
    "Unable_to_resolve_system__value_set_has_multiple_matches": (
        "The System URI could not be determined for the code '{code}' in the ValueSet '{vs}': value set expansion has "
        "multiple matches: [{systems}]"
    ),
    "Unable_to_resolve_value_Set_": "A definition for the value Set '{vs}' could not be found",
    "Unknown_Code_in": "Unknown code '{code}' in the CodeSystem '{system}'",
    "Unknown_Code_in_Version": "Unknown code '{code}' in the CodeSystem '{system}' version '{version}'",
    "VALUESET_CIRCULAR_REFERENCE": ("Found a circularity pointing to {vs} processing ValueSet with pathway [{path}]"),
    "VALUESET_SUPPLEMENT_MISSING": "Required supplement not found: {supplements}",
    "VALUESET_TOO_COSTLY": "The value set '{vs}' expansion has too many codes to produce (>{limit})",
    "VALUESET_VALUE_MISMATCH": (
        "The code system '{system}' version '{version}' in the ValueSet include is different to the one in the value "
        "('{given}')"
    ),
    "VALUESET_VALUE_MISMATCH_CHANGED": (
        "The code system '{system}' version '{version}' resulting from the version '{include}' in the ValueSet include "
        "is different to the one in the value ('{given}')"
    ),
    "VALUESET_VALUE_MISMATCH_DEFAULT": (
        "The code system '{system}' version '{version}' for the versionless include in the ValueSet include is "
        "different to the one in the value ('{given}')"
    ),
    "VALUESET_VERSION_CHECK": (
        "The version '{version}' is not allowed for system '{system}': required to be '{wanted}' by a version-check "
        "parameter"
    ),
    "VS_EXP_IMPORT_UNK": "Unable to find included value set '{vs}'",
    "VS_EXP_IMPORT_UNK_PINNED": "Unable to find included value set '{vs}' version '{version}'",
    # What follows has no counterpart in HL7's catalogue.
    "ALTERNATIVE_CODE": (
        "The code '{code}' is an alternative code of '{normal}' in the code system '{canonical}', which should be used "
        "instead"
    ),
    "BAD_GZIP": "The body is no gzip: {problem}",
    "BAD_ID": "The id '{id}' is no FHIR id",
    "BAD_JSON": "The body is no JSON: {problem}",
    "BAD_PARAMETER": "The parameter '{name}' must be {wanted}, not {given}",
    "BAD_RESOURCE": "{what} is not what FHIR says: {problem}",
    "BAD_REGEX": "The regular expression '{value}' cannot be used: {problem}",
    "BAD_XML": "The body is no FHIR XML: {problem}",
    "BUSY": "The server is busy: try again in a second",
    "BATCH_ENTRY": "Bundle.entry[{row}] has no request with a method and a url",
    "BATCH_TYPE": "A Bundle of type 'batch' is expected, not '{given}'",
    "CACHE_FULL": "The cache '{id}' holds all that it may: {limit} resources, {size} MB",
    "CLOSURE_NAME": "The closure table '{name}' is not known: start it with a name and no concept",
    "CLOSURE_VERSION": "The closure table '{name}' has no version {version}: the last one is {last}",
    "CODESYSTEM_NO_CONTENT": (
        "The code system {canonical} has no content here (content = {content}), so this cannot be done with it"
    ),
    "COMPOSE_TOO_DEEP": "Value sets include each other more than {limit} levels deep",
    "DISPLAY_LANGUAGE": "The language '{value}' is no BCP 47 language tag",
    "ECL_NOT_SUPPORTED": "The expression constraint uses {what}, which this server does not support",
    "ECL_SYNTAX": "The expression constraint cannot be read at character {at}: {problem}",
    "ECL_UNKNOWN": "The expression constraint names the concept '{code}', which {system} does not have",
    "FILTER_UNKNOWN": "The filter {property} {op} names the concept '{code}', which {system} does not have",
    "FORMAT": "The format '{value}' is not supported. Supported: application/fhir+json, application/fhir+xml",
    "INCOMPLETE_COMPOSE": "ValueSet.compose.{where} has neither a system nor a value set",
    "INTERNAL": "This is a mistake of the server's; its log says more",
    "LOCKED_DATE": "The value set {vs} cannot be processed, because its compose has a lockedDate",
    "MEDIA_TYPE": "The media type '{value}' of the body is not supported",
    "MISSING_PARAMETER": "The operation needs {wanted}",
    "MODIFIER_EXTENSION": "The modifier extension {url} in {where} is not understood",
    "NO_ISSUER": "Tokens cannot be checked at present",
    "NO_COMPOSE": "The value set {vs} has neither a compose nor an expansion, so its members are not known",
    "NOT_FOUND": "There is no {what} here",
    "NO_SEARCH": "This server has no index for the code system {system}, so it cannot be searched by meaning",
    "NOT_UNDERSTOOD": "The parameter '{name}' is not supported with the value '{value}'",
    "OPERATION": "There is no operation {what} here",
    "R4_PARAMETER": "'{name}' is a parameter of FHIR R4, which is answered at /r4: R5 has '{now}'",
    "PACKING": "A body packed as '{value}' is not supported. Supported: gzip",
    "REPEATED_PARAMETER": "The parameter '{name}' may be given only once",
    "REPEATED_CODES": "{what} needs exactly one of {names}",
    "SEARCH_PARAMETER": "The search parameter '{name}' is not supported for {type}. Supported: {names}",
    "NO_KEY": "This needs a key that is known here",
    "TOO_COSTLY": "The request takes more work than this server does for one request",
    "TOO_DEEP": "The body is nested more than {limit} levels deep",
    "TOO_MANY": "The request has {count} {what}; at most {limit} are allowed",
    "TOO_LARGE": "The body has {size} bytes; at most {limit} are allowed",
    "TWO_SYSTEMS": "The codes are of two code systems, {first} and {second}: $subsumes compares codes of one",
    "UNKNOWN_CODE": "Unable to find code '{code}' in {canonical}",
    "UNKNOWN_TARGET": "No mapping was found for the concept",
    "WRONG_METHOD": "{method} is not allowed here, only {allowed}; what this server does is at metadata",
    "WRONG_RESOURCE": "A resource of type {wanted} is expected, not {given}",
}


def text(message: str, **values: object) -> str:
    """The text of that message id with its values filled in."""
    return TEXTS[message].format(**values)


def listed(names: list[str]) -> str:
    """Names as a sentence lists them: ``a``, ``a or b``, ``a, b or c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}" if names else ""
