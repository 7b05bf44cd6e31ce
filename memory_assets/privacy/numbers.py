"""Numbers with a check of their own: payment cards, bank accounts, keys of Bitcoin wallets."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from memory_assets.privacy.tokens import CARD_NUMBER, PRIVATE_KEY, Span

# 13 to 19 digits, written together or in the groups in which cards are printed; not in a path, an id or a decimal.
_CARD = re.compile(
    r"(?<![\w/.+-])(?:\d{4}([ -]|\. ?)\d{4}\1\d{4}\1\d{1,7}|\d(?: \d){12,18}|\d{4} \d{4} \d{8}|"
    r"\d{4}([ -])\d{6}\2\d{4,5}|\d{13,19})(?![\w-]|\.\d)"
)
# First digits and lengths of the issuers (ISO/IEC 7812, as the issuers publish them).
_ISSUERS = (
    (("4",), (13, 16, 19)),
    (("51", "52", "53", "54", "55", *(str(number) for number in range(2221, 2721))), (16,)),
    (("34", "37"), (15,)),
    (("6011", "65", *(str(number) for number in range(644, 650))), (16, 19)),
    (tuple(str(number) for number in range(3528, 3590)), (16,)),
    (("36", "38", "39", *(str(number) for number in range(300, 306))), (14,)),
    (("62",), (16, 17, 18, 19)),
)
# A private key as wallets export it, alone (WIF) or with all that follow from it (BIP 32): base 58, the last four bytes
# a check.
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_WALLET = re.compile(rf"(?<![A-Za-z0-9])(?:[5KL9c][{_BASE58}]{{50,51}}|[xyzt]prv[{_BASE58}]{{107,108}})(?![A-Za-z0-9])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{1,4}){3,9}(?![A-Za-z0-9])")


def find_cards(text: str) -> Iterator[Span]:
    """Numbers of payment cards: an issuer's first digits, a length of its cards, and a right check digit (Luhn)."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if any(len(digits) in lengths and digits.startswith(first) for first, lengths in _ISSUERS) and luhn(digits):
            yield Span(*match.span(), CARD_NUMBER)


def find_wallets(text: str) -> Iterator[Span]:
    """Private keys of Bitcoin wallets with a right check (the first four bytes of SHA-256, taken twice)."""
    for match in _WALLET.finditer(text):
        number = 0
        for letter in match[0]:
            number = number * 58 + _BASE58.index(letter)
        data = number.to_bytes((number.bit_length() + 7) // 8, "big")
        if hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]:
            yield Span(*match.span(), PRIVATE_KEY)


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of those before it (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1


def count_ibans(text: str) -> int:
    """How many account numbers with a right check (ISO 13616, modulo 97) are in a text."""
    found = 0
    for match in _IBAN.finditer(text):
        account = match[0].replace(" ", "")
        moved = account[4:] + account[:4]
        if 15 <= len(account) <= 34 and int("".join(str(int(c, 36)) for c in moved)) % 97 == 1:
            found += 1
    return found
