"""Secrets that are nobody's, made of pieces, so that no scanner of repositories takes this file for a leak."""

from __future__ import annotations

import base64

KEY_LINES = "\n".join(("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "MzEfYyjiWA4R4ypbHqGC0H0+tG3hGbN2"))
PRIVATE_KEY = f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{KEY_LINES}\n-----END RSA {'PRIVATE'} KEY-----"

TOKENS = {
    "aws": ("api key", "AKIA" + "QX7EXAMPLE4NOPE9"),
    "github": ("access token", "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"),
    "gitlab": ("access token", "gl" + "pat-" + "Xy7Zw3Qr9Ts1Uv5Wx8Yz"),
    "slack": ("access token", "xo" + "xb-" + "123456789012-210987654321-abcDEFghiJKL"),
    "openai": ("api key", "sk" + "-proj-" + "Q7w3E9r1T5y8U2i6O0p4A7s3D9f1"),
    "anthropic": ("api key", "sk" + "-ant-" + "api03-Z1x7C3v9B5n2M8a4S6d0F3g7H1j5"),
    "google": ("api key", "AI" + "za" + "SyD3f7G1h5J9k2L6m0N4p8Q1r5S9t3U7v0W"),
    "stripe": ("api key", "sk" + "_live_" + "4eC39HqLyjWDarjtT1zdp7dc"),
    "huggingface": ("access token", "h" + "f_" + "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi"),
    "jwt": ("access token", "ey" + "JhbGciOiJIUzI1NiJ9" + ".ey" + "JzdWIiOiI0MjQyIn0" + ".c2lnbmF0dXJlX29mX25vYm9keQ"),
    "webhook": ("webhook address", "https://hooks." + "slack.com/services/" + "T0A1B2C3D/B4E5F6G7H/aBcDeFgHiJkLmNoPqRsTuVwX"),
    "card": ("card number", "4111 " + "1111 1111 " + "1111"),
}
"""Name: the kind and a value that tells by itself what it is."""

PASSWORDS = {
    "prose": "my password is {}",
    "wifi": "The wifi password: {}",
    "pw": "pw = {}",
    "login": "postgres://app:{}@db.example.org:5432/house",
    "variable": "DB_PASSWORD={}",
}
"""Name: a sentence or a line in which a password stands."""


def encoded(text: str) -> str:
    """Base64, in lines as a mail has them."""
    return base64.encodebytes(text.encode()).decode()
