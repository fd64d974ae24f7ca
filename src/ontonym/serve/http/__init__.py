"""The server: opened artifacts that are swapped under load, HTTP around the JSON API, FHIR and the page, processes."""
