"""The JSON API: one table of operations, each a pure function from what is opened and what is given to a JSON value.

Nothing here knows of HTTP. The OpenAPI description and the clients are made from the same table.
"""
