"""The Python interface: artifacts that answer as objects, functions for every verb, tables of other libraries.

What is below takes opened artifacts and options classes; here paths, texts and keywords are accepted too.
"""
