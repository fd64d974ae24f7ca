"""Bytes in and out: files, archives, XML, delimited text and records. Nothing here knows a format of the field."""
