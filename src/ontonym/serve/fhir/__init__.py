"""A FHIR terminology server, R5 inside: a pure engine, its wire formats, and the routes that mount it."""
