"""The classifications of the ICD family: ICD-10-CM, ClaML, ICD-11, and titles that can be understood alone."""
