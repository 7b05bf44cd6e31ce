"""Personal data in a text, by kind: marked, never masked. Deterministic and offline.

Phone numbers are judged by ``phonenumberslite`` (Google's libphonenumber, Apache 2.0). Postal addresses are not
found: no detector without a model knows them.
"""

from __future__ import annotations

import json
import re
from collections import Counter

from phonenumbers import Leniency, PhoneNumberMatcher

from memory_assets.privacy.tokens import count_ibans

EMAIL, PHONE, IBAN, NATIONAL_ID = "e-mail address", "phone number", "bank account", "national id"

_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])"
)
_MAYBE_PHONE = re.compile(r"(?:\+\d|\(\d|\b\d)[\d ()./-]{6,24}\d")
_SEPARATED = re.compile(r"\+|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}")
# United States (SSA, number ranges never issued left out), Switzerland (AHV, EAN-13's check digit), United Kingdom
# (NINO).
_SSN = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
_AHV = re.compile(r"(?<![\d.])756\.?\d{4}\.?\d{4}\.?\d{2}(?![\d.]\d)")
_NINO = re.compile(
    r"(?<![A-Za-z0-9])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d\d){3} ?[A-D](?![A-Za-z0-9])"
)
_REGION = "US"  # whose way of writing a number without its country's code is known; with the code all are


def count_personal(text: str) -> Counter[str]:
    """How many e-mail addresses, phone numbers, bank accounts and national ids a text holds, by kind."""
    found: Counter[str] = Counter()
    if "@" in text:
        found[EMAIL] = len(_EMAIL.findall(text))
    if re.search(r"\d{2}", text):
        found[NATIONAL_ID] = len(_SSN.findall(text)) + len(_NINO.findall(text)) + sum(map(_is_ahv, _AHV.findall(text)))
        found[IBAN] = count_ibans(text)
        found[PHONE] = _count_phones(text)
    return +found


def has_personal(text: str) -> bool:
    """Whether a text holds any personal data that is known here."""
    return bool(count_personal(text))


def personal_json(counts: Counter[str]) -> str:
    """Counts as the graph stores them: JSON text, sorted by kind."""
    return json.dumps([{"kind": kind, "count": counts[kind]} for kind in sorted(counts)])


def read_personal(stored: str | None) -> Counter[str]:
    """What :func:`personal_json` wrote; nothing where nothing was written."""
    return Counter({row["kind"]: row["count"] for row in json.loads(stored or "[]")})


def _count_phones(text: str) -> int:
    count = 0
    for match in _MAYBE_PHONE.finditer(text):
        if _SEPARATED.search(match[0]) and not _SSN.search(match[0]):
            count += sum(1 for _ in PhoneNumberMatcher(match[0], _REGION, leniency=Leniency.VALID))
    return count


def _is_ahv(number: str) -> bool:
    *digits, check = (int(character) for character in number if character.isdigit())
    return (10 - sum(digit * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10) % 10 == check
