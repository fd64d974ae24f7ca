"""How carried mappings are told: between which releases."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ontonym.serve.carried import _releases


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (("1", "a"), ("2", "b"), "1 → 2"),
        (("", "a"), ("", "b"), "no version → no version"),
        (("", "a"), ("", "a"), "no version, the same"),
    ],
)
def test_releases_without_a_version_are_said_to_have_none(old, new, said):
    release = [SimpleNamespace(version=version, fingerprint=fingerprint) for version, fingerprint in (old, new)]
    assert _releases(SimpleNamespace(old=release[0], new=release[1])) == said
