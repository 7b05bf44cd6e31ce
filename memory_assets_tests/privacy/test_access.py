"""Who may read a source: the rule by itself."""

from __future__ import annotations

import pytest

from memory_assets.privacy.access import keys_of, may_read, name_key, reader_keys, strictest, written_sensitivity

OWNERS = {"nora": ["nora", "team-sea"], "nora-berg": ["nora-berg", "team-sea"], "bo": ["bo"],
          "b": ["b", "team-sea", name_key("Nora Berg")]}  # fmt: skip


@pytest.mark.parametrize(
    ("owner", "sensitivity", "user", "allowed"),
    [
        ("nora", "high", "nora", True),
        ("nora", "low", "bo", False),
        ("team-sea", "low", "nora", True),
        ("team-sea", "normal", "nora", True),
        ("team-sea", None, "nora", True),
        ("team-sea", "low", "bo", False),
        ("team-sea", "high", "bo", False),
        ("team-sea", "high", "nora", False),  # a first name is not enough: another Nora may be meant
        ("team-sea", "high", "nora-berg", True),
        ("team-sea", "high", "b", True),
    ],
)
def test_who_may_read(owner: str, sensitivity: str | None, user: str, allowed: bool) -> None:
    readers = reader_keys(owner, ["Nora Berg", "Tomasz"])
    assert may_read(owner=owner, sensitivity=sensitivity, readers=readers, user=user, owners=OWNERS[user]) is allowed


def test_nobody_reads_what_nobody_took_part_in() -> None:
    for user, owners in OWNERS.items():
        assert not may_read(owner="team-sea", sensitivity="high", readers=[], user=user, owners=owners)


def test_a_name_is_no_owner() -> None:
    assert keys_of("Tomasz") == {"tomasz", "name: tomasz"}
    assert keys_of("Nora Berg") == {"noraberg", "nora-berg", "nora_berg", "name: nora berg"}
    assert keys_of("team-sea") == {"teamsea", "team_sea", "name: team sea"} and keys_of("…") == set()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("---\ntitle: Pay\nsensitivity: High\n---\nText", "high"),
        ("---\ntitle: Pay\n---\nsensitivity: high", None),
        ("My sensitivity: high", None),
        ('{"role": "user", "sensitivity": "high"}\n{"sensitivity": "low"}', "high"),
        ('{"content": "\\"sensitivity\\": \\"high\\""}', None),
    ],
)
def test_what_a_source_says_of_its_own_sensitivity(raw: str, said: str | None) -> None:
    assert written_sensitivity(raw) == said


def test_the_strictest_holds() -> None:
    assert [strictest(values) for values in ((), (None,), ("low", None), ("low", "normal"), ("high", "low"))] == [
        "normal", "normal", "low", "normal", "high",
    ]  # fmt: skip
