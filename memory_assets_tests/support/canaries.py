"""Secrets that are nobody's, made of pieces, so that no scanner of repositories takes this file for a leak."""

from __future__ import annotations

import base64
import json
from email.message import EmailMessage
from pathlib import Path

KEY_LINES = "\n".join(
    ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "MzEfYyjiWA4R4ypbHqGC0H0+tG3hGbN2")
)
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
    "webhook": (
        "webhook address",
        "https://hooks." + "slack.com/services/" + "T0A1B2C3D/B4E5F6G7H/aBcDeFgHiJkLmNoPqRsTuVwX",
    ),
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


PASSWORD = "hunter2xyz"


def encoded(text: str) -> str:
    """Base64, in lines as a mail has them."""
    return base64.encodebytes(text.encode()).decode()


def line(content: str, speaker: str = "Nora Berg", **more: object) -> str:
    """A line of a conversation."""
    return json.dumps({"role": "user", "name": speaker, "content": content, **more}) + "\n"


def write_all(folder: Path) -> Path:
    """Every kind of source with every kind of secret; the names of two files hold one, too."""
    folder.mkdir(parents=True, exist_ok=True)
    values = [value for _, value in TOKENS.values()]
    (folder / "chat.jsonl").write_text(
        line(f"Use {values[0]} and {values[1]}, my password is {PASSWORD}")
        + line(f"{PASSWORD} works. {PRIVATE_KEY}")
        + line(json.dumps({"login": f"postgres://app:{PASSWORD}@db.example.org/house"}))
    )
    for name, coding in (("plain", "7bit"), ("base64", "base64"), ("quoted", "quoted-printable")):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Message-ID"] = (
            "Nora Berg <nora@example.org>",
            "bo@example.org",
            f"<{name}@x.example>",
        )
        mail["Subject"] = f"The {name} key {values[2]}"
        body = "\n".join(("Hello,", *values[:6], f"pw = {PASSWORD}", PRIVATE_KEY, "Bye"))
        mail.set_content(body, cte=coding)
        mail.add_alternative(
            f"<p>my pass<i>word</i> is <b>{PASSWORD}</b></p><p>{values[7]}</p>&#112;assword: {PASSWORD}", subtype="html"
        )
        (folder / f"{name}.eml").write_bytes(bytes(mail))
    (folder / "garden").mkdir()
    (folder / "garden" / "2026-10-05.json").write_text(
        json.dumps(
            [
                {"type": "message", "ts": f"17911908{n:02d}.000100", "user": "U1AA", "text": f"see {value}"}
                for n, value in enumerate(values)
            ]
        )
    )
    (folder / "talk.vtt").write_text(
        "WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<v Nora Berg>the wifi password is\n\n2\n00:02.000 --> 00:03.000\n"
        f"<v Nora Berg>{PASSWORD}\n\n3\n00:03.000 --> 00:04.000\n<v Bo>{values[5]} and {values[11]}\n"
    )
    (folder / "note.md").write_text(
        f"# Key {values[4]}\n\n{encoded(f'the value {values[3]} is for all of us')}\n\n" + "\n".join(values)
    )
    (folder / f"{values[1]}.md").write_text("Nothing in it.\n")
    (folder / f"{values[8]}.png").write_bytes(b"\x89PNG\0")
    return folder


def needles() -> list[str]:
    """Every secret that :func:`write_all` writes, and the lines of the key."""
    return [PASSWORD, *(value for _, value in TOKENS.values()), *PRIVATE_KEY.split("\n")[1:-1]]
