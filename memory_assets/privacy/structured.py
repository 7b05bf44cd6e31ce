"""Secrets in markup, headers, addresses and commands: ``<apiKey>…</apiKey>``, ``Cookie: session=…``, ``sshpass -p …``.

A value is named by its element, its header or its program; only a value that no word could be counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.privacy.spoken import Form, find_forms, form, is_strong
from memory_assets.privacy.tokens import ACCESS_TOKEN, PRIVATE_KEY, Span

_NAMED_KEY = (
    r"(?:[\w.:-]*[_.:-])?(?:(?:api|app|auth|access|account|client|consumer|encryption|license|private|secret|"
    "service|shared|"
    "signing|storage|subscription|bearer|refresh|session|id|bot|deploy)[_-]?(?:access[_-]?)?(?:key|token|secret)|"
    "secret|token)"
)
_NAMED_PASSWORD = r"(?:[\w.:-]*[_.:-])?(?:\w{0,20}(?:password|passwd|passphrase|passwort|kennwort)|pwd|pass)"
_V = r"(?P<value>[^\s<>\"']{4,400})"
# An argument, and no variable of the shell's: "$PASS1", "%PASS1%".
_C = r"(?!\"?(?:\$\w+|%\w+%)\"?(?:[\s|;&]|\Z))(?P<value>\"[^\"\n]{4,100}\"|'[^'\n]{4,100}'|[^\s|;&<>\"']{4,200})"
_SAME_LINE = r"[^\n|;&]{0,100}?"

# "COVID-19-related", "gpt-4-turbo": words and versions, where a key is asked for.
_WORDS = re.compile(r"[A-Za-z]+\d{0,2}(?:[-_.](?:[A-Za-z]+|v?\d{1,4}))+")
_PROPERTY = re.compile(r"\d{1,3}(?:\.\d+)?[a-z%]{0,4}", re.IGNORECASE)


def _is_password(value: str, after: str) -> bool:
    """Whether a value has a digit and what else no word, amount or reference has."""
    return bool(
        len(value) >= 4
        and is_strong(value)
        and re.search(r"\d", value)
        and re.search(r"[A-Za-z]", value)
        and not _PROPERTY.fullmatch(value)
    )


def _is_key(value: str, after: str) -> bool:
    return len(value) >= 12 and _is_password(value, after) and not _WORDS.fullmatch(value)


def _is_any(value: str, after: str) -> bool:
    return True


def _within(name: str) -> str:
    """A value in an element, a property list's pair, an attribute beside the one that names it."""
    return (
        rf"(?:<{name}(?:\s[^<>]{{0,200}})?>|<key>\s*{name}\s*</key>\s*<string>|(?:key|name)=[\"']{name}[\"']\s+value=[\"'])"
        rf"\s*{_V}(?:\s*</|[\"'])"
    )


# What comes before a password among the arguments of a program.
_ARGUMENT = (
    rf"\b(?:(?:curl|wget|https?|xh)\b{_SAME_LINE}\s--(?:proxy-)?user[ =][\"']?[^\s:\"']{{1,60}}:|sshpass\s+(?-i:-p)\s*"
    r"|(?:docker|podman|helm|az|oc|skopeo|buildah|cf|heroku|npm)\s+(?:\w+\s+)?login\b"
    rf"{_SAME_LINE}\s(?:-p|--password)[ =]|redis-cli\b{_SAME_LINE}\s(?-i:-a|--pass)[ =]?"
    r"|htpasswd\s+-(?=\w{0,20}b)\w{1,20}\s+\S+\s+\S+\s+"
    rf"|openssl\b{_SAME_LINE}\s(?:-k\s+|-pass(?:in|out)?\s+pass:)|ldap(?:search|modify|add|whoami)\b{_SAME_LINE}\s(?-i:-w)\s+"
    rf"|(?:un)?zip\b{_SAME_LINE}\s(?-i:-P)\s*|smbclient\b{_SAME_LINE}\s-U\s*[^\s%]{{1,60}}%"
    rf"|lftp\b{_SAME_LINE}\s-u\s*[^\s,]{{1,60}},)"
)
_PROGRAMS = ("--user", "sshpass", "login", "redis-cli", "htpasswd", "openssl", "ldap", "zip", "smbclient", "lftp")

# The words (lower case) of which one must be in a text, and the form.
_FORMS: tuple[tuple[tuple[str, ...], Form], ...] = (
    (("</", "value="), form(_within(_NAMED_KEY), _is_key, None)),
    (("</", "value="), form(_within(_NAMED_PASSWORD), _is_password)),
    # headers of requests, and addresses
    (
        ("authorization",),
        form(
            rf"\bauthorization[\"']?\s*[:=]\s*[\"']?(?:token|api-?key|key|digest|apitoken)[ =]+{_V}",
            _is_key,
            ACCESS_TOKEN,
        ),
    ),
    (
        ("cookie",),
        form(
            r"\bcookies?:[^\n]{0,400}?\b[\w.-]{0,30}(?:sess(?:ion)?(?:[_-]?id)?|sid|auth|token|jwt|csrf)[\w.-]{0,20}="
            r"(?P<value>[^\s;\"'<>]{16,2000})",
            _is_key,
            ACCESS_TOKEN,
        ),
    ),
    (("sig=",), form(r"[?&](?:amp;)?sig=(?P<value>[\w%+/-]{30,}={0,2})", _is_key, ACCESS_TOKEN)),
    # programs that take a password
    (_PROGRAMS, form(_ARGUMENT + _C, _is_password)),
    (("--password-stdin",), form(rf"\becho\s+(?:-n\s+)?{_C}\s*\|{_SAME_LINE}--password-stdin", _is_password)),
    # as a manager of passwords copies it: the name on a line, the value below it
    (
        ("password\n", "passwort\n", "kennwort\n"),
        form(r"(?m)^[ \t]*(?:password|passwort|kennwort)[ \t]*\n[ \t]*(?P<value>\S{6,100})[ \t]*$", _is_password),
    ),
    (
        ("pass ",),
        form(
            r"(?<![A-Za-z-])pass (?:for|to|of|on)\s[^.!?;:\n]{1,40}?\s(?:is|was)\s+"
            r"(?!(?-i:[A-Z]{3})\d+(?:[.,]\d+)?(?:[\s.,;!?]|\Z))(?P<value>[A-Za-z]\S{5,200})(?=[ \t]*(?:\Z|\n|[,;(]|"
            r"(?:and|but|or|so|if|thanks|thx|please)\b)|(?<=[.,;!?])\s)",
            _is_password,
        ),
    ),
    # a key by its name and its shape: 32 bytes (Ethereum), PuTTY's lines where its file was cut
    (
        ("key",),
        form(
            r"\bpriv(?:ate)?[ _-]?key(?:\s+(?:is|ist|was)|\s*[:=])?\s*[\"'(`]?(?P<value>\b(?:0x)?[0-9a-f]{64}\b)",
            _is_any,
            PRIVATE_KEY,
        ),
    ),
    (
        ("private-lines",),
        form(
            r"Private-Lines:\s*\d{1,3}\s*\n(?P<value>[A-Za-z0-9+/=]{20,}(?:\s*\n[A-Za-z0-9+/=]{20,})*)",
            _is_any,
            PRIVATE_KEY,
        ),
    ),
)


def find_structured(text: str, low: str) -> Iterator[Span]:
    """Secrets in markup, headers, addresses and commands; ``low`` is the text in lower case."""
    if "&lt;" in low:  # markup as Slack and HTML write it, at the same places
        text = text.replace("&lt;", "   <").replace("&gt;", ">   ")
        low = text.lower() if len(text.lower()) == len(text) else low.replace("&lt;", "   <").replace("&gt;", ">   ")
    forms = [one for words, one in _FORMS if any(word in low for word in words)]
    yield from find_forms(text, forms, [(0, len(text))])
