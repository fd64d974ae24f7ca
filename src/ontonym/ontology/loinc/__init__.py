"""LOINC of the Regenstrief Institute, with its accessory files."""
