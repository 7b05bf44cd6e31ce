"""What a detector says: where in a text a secret stands, and of what kind it is."""

from __future__ import annotations

from typing import NamedTuple

API_KEY = "api key"
ACCESS_TOKEN = "access token"
PRIVATE_KEY = "private key"
PASSWORD = "password"
CARD_NUMBER = "card number"
WEBHOOK = "webhook address"
KINDS = (API_KEY, ACCESS_TOKEN, PRIVATE_KEY, PASSWORD, CARD_NUMBER, WEBHOOK)
"""Every kind of secret, in the words that a mask shows."""


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of a text are a secret of ``kind``."""

    start: int
    end: int
    kind: str
