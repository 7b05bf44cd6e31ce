"""Personal data by kind: what counts, and what only looks like it."""

from __future__ import annotations

from collections import Counter

import pytest

from memory_assets.privacy.personal import count_personal, personal_json, read_personal


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Write to nora.berg@example.org or bo@mail.example.co.uk.", {"e-mail address": 2}),
        ("Call +41 44 668 18 00 tomorrow", {"phone number": 1}),
        ("Call (212) 555-2368 or 650-253-0000", {"phone number": 2}),
        ("IBAN CH93 0076 2011 6238 5295 7", {"bank account": 1}),
        ("DE89370400440532013000", {"bank account": 1}),
        ("DE89370400440532013001", {}),
        ("SSN 078-05-1120", {"national id": 1}),
        ("AHV 756.9217.0769.85", {"national id": 1}),
        ("AHV 756.9217.0769.84", {}),
        ("at 1791190800.000100 on 2026-10-05 12:30", {}),
        ("order 20260101123456789, 3 of 12", {}),
        ("version 3.14.159-2653 and 192.168.100.200", {}),
        ("nobody@localhost", {}),
    ],
)
def test_personal_data_by_kind(text: str, kinds: dict[str, int]) -> None:
    counts = count_personal(text)
    assert counts == Counter(kinds)
    assert read_personal(personal_json(counts)) == counts
