"""Secrets in markup, headers, addresses and commands: ``<apiKey>…</apiKey>``, ``Cookie: session=…``, ``sshpass -p …``.

What stands there is named by its element, its header or its program; only a value that no word could be counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.privacy.spoken import is_strong, trimmed
from memory_assets.privacy.tokens import ACCESS_TOKEN, API_KEY, PASSWORD, PRIVATE_KEY, Span

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

# The words (lower case) of which one must stand in a text, the pattern, the kind, and whether a key's length is asked
# for.
_FORMS: tuple[tuple[tuple[str, ...], re.Pattern[str], str, int], ...] = tuple(
    (words, re.compile(pattern, re.IGNORECASE), kind, least)
    for words, pattern, kind, least in (
        # an element, a property list's pair, an attribute beside the one that names it
        (("</",), rf"<(?P<name>{_NAMED_KEY})(?:\s[^<>]{{0,200}})?>\s*{_V}\s*</", API_KEY, 12),
        (("</",), rf"<(?P<name>{_NAMED_PASSWORD})(?:\s[^<>]{{0,200}})?>\s*{_V}\s*</", PASSWORD, 4),
        (("<string>",), rf"<key>\s*{_NAMED_KEY}\s*</key>\s*<string>\s*{_V}\s*</string>", API_KEY, 12),
        (("<string>",), rf"<key>\s*{_NAMED_PASSWORD}\s*</key>\s*<string>\s*{_V}\s*</string>", PASSWORD, 4),
        (("value=",), rf"(?:key|name)=[\"']{_NAMED_KEY}[\"']\s+value=[\"']{_V}[\"']", API_KEY, 12),
        (("value=",), rf"(?:key|name)=[\"']{_NAMED_PASSWORD}[\"']\s+value=[\"']{_V}[\"']", PASSWORD, 4),
        # headers of requests, and addresses
        (("authorization",), (
            rf"\bauthorization[\"']?\s*[:=]\s*[\"']?(?:token|api-?key|key|digest|apitoken)[ =]+{_V}"
        ), ACCESS_TOKEN, 16),
        (("cookie",),
         r"\bcookies?:[^\n]{0,400}?\b[\w.-]{0,30}(?:sess(?:ion)?(?:[_-]?id)?|sid|auth|token|jwt|csrf)[\w.-]{0,20}="
         r"(?P<value>[^\s;\"'<>]{16,2000})", ACCESS_TOKEN, 16),
        (("sig=",), r"[?&](?:amp;)?sig=(?P<value>[\w%+/-]{30,}={0,2})", ACCESS_TOKEN, 30),
        # programs that take a password among their arguments
        (("--user",), (
            rf"\b(?:curl|wget|https?|xh)\b{_SAME_LINE}\s--(?:proxy-)?user[ =][\"']?[^\s:\"']{{1,60}}:{_C}"
        ), PASSWORD, 4),
        (("sshpass",), rf"\bsshpass\s+(?-i:-p)\s*{_C}", PASSWORD, 4),
        (("login",), (
            rf"\b(?:docker|podman|helm|az|oc|skopeo|buildah|cf|heroku|npm)\s+(?:\w+\s+)?login\b{_SAME_LINE}\s(?:-p|"
            f"--password)[ =]{_C}"
        ),
         PASSWORD, 4),
        (("redis-cli",), rf"\bredis-cli\b{_SAME_LINE}\s(?-i:-a|--pass)[ =]?{_C}", PASSWORD, 4),
        (("htpasswd",), rf"\bhtpasswd\s+-(?=\w{{0,20}}b)\w{{1,20}}\s+\S+\s+\S+\s+{_C}", PASSWORD, 4),
        (("--password-stdin",), rf"\becho\s+(?:-n\s+)?{_C}\s*\|{_SAME_LINE}--password-stdin", PASSWORD, 4),
        (("openssl",), rf"\bopenssl\b{_SAME_LINE}\s(?:-k\s+|-pass(?:in|out)?\s+pass:){_C}", PASSWORD, 4),
        (("ldap",), rf"\bldap(?:search|modify|add|whoami)\b{_SAME_LINE}\s(?-i:-w)\s+{_C}", PASSWORD, 4),
        (("zip",), rf"\b(?:un)?zip\b{_SAME_LINE}\s(?-i:-P)\s*{_C}", PASSWORD, 4),
        (("smbclient",), rf"\bsmbclient\b{_SAME_LINE}\s-U\s*[^\s%]{{1,60}}%{_C}", PASSWORD, 4),
        (("lftp",), rf"\blftp\b{_SAME_LINE}\s-u\s*[^\s,]{{1,60}},{_C}", PASSWORD, 4),
        # as a manager of passwords copies it: the name on a line, the value below it
        (("password\n", "passwort\n", "kennwort\n"), (
            r"(?m)^[ \t]*(?:password|passwort|kennwort)[ \t]*\n[ \t]*(?P<value>\S{6,100})[ \t]*$"
        ),
         PASSWORD, 6),
        (("pass ",), r"(?<![A-Za-z-])pass (?:for|to|of|on)\s[^.!?;:\n]{1,40}?\s(?:is|was)\s+"
         
             r"(?!(?-i:[A-Z]{3})\d+(?:[.,]\d+)?(?:[\s.,;!?]|\Z))(?P<value>[A-Za-z]\S{5,200})(?=[ \t]*(?:\Z|\n|[,;(]|"
             r"(?:and|but|or|so|if|thanks|thx|please)\b)|(?<=[.,;!?])\s)"
         , PASSWORD, 6),
        # a key that its name and its shape tell: 32 bytes (Ethereum), PuTTY's lines where its file was cut
        (("key",), (
            r"\bpriv(?:ate)?[ _-]?key(?:\s+(?:is|ist|was)|\s*[:=])?\s*[\"'(`]?(?P<value>\b(?:0x)?[0-9a-f]{64}\b)"
        ), PRIVATE_KEY, 60),
        (("private-lines",), (
            r"Private-Lines:\s*\d{1,3}\s*\n(?P<value>[A-Za-z0-9+/=]{20,}(?:\s*\n[A-Za-z0-9+/=]{20,})*)"
        ), PRIVATE_KEY, 20),
    )
)  # fmt: skip
# "COVID-19-related", "gpt-4-turbo": words and versions, where a key is asked for.
_WORDS = re.compile(r"[A-Za-z]+\d{0,2}(?:[-_.](?:[A-Za-z]+|v?\d{1,4}))+")
_PROPERTY = re.compile(r"\d{1,3}(?:\.\d+)?[a-z%]{0,4}", re.IGNORECASE)


def find_structured(text: str, low: str) -> Iterator[Span]:
    """Secrets in markup, headers, addresses and commands; ``low`` is the text in lower case."""
    if "&lt;" in low:  # markup as Slack and HTML write it, at the same places
        text = text.replace("&lt;", "   <").replace("&gt;", ">   ")
        low = text.lower() if len(text.lower()) == len(text) else low.replace("&lt;", "   <").replace("&gt;", ">   ")
    for words, pattern, kind, least in _FORMS:
        if not any(word in low for word in words):
            continue
        for match in pattern.finditer(text):
            span = trimmed(text, *match.span("value"))
            if span is None:
                continue
            value = text[slice(*span)]
            if kind == PRIVATE_KEY or (
                len(value) >= least and _is_secret(value) and not (kind != PASSWORD and _WORDS.fullmatch(value))
            ):
                named = (match.groupdict().get("name") or "").lower()
                yield Span(*span, ACCESS_TOKEN if kind == API_KEY and "token" in named else kind)


def _is_secret(value: str) -> bool:
    """Whether a value has a digit and what else no word, amount or reference has."""
    return bool(
        is_strong(value)
        and re.search(r"\d", value)
        and re.search(r"[A-Za-z]", value)
        and not _PROPERTY.fullmatch(value)
    )
