"""Passwords, codes and keys with words between their name and their value, as people say and note them.

"the password that I use everywhere is …", "My password? …", "the PIN of the safe is 4829", "Wi-Fi: Guest / …", a
cell beside "password" in a table, several of them on one line, names in scripts that `spoken` doesn't read. With
words in between only a value that nobody would write otherwise counts: letters and digits mixed, or a code's
digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.privacy.spoken import (
    KEY_NAMES,
    PASS_NAMES,
    PIN_NAMES,
    find_forms,
    form,
    is_code,
    is_strong,
    places_of,
    trimmed,
)
from memory_assets.privacy.tokens import API_KEY, PASSWORD, Span

_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,2}(?:st|nd|rd|th)|\d+(?:[.,]\d+)?[a-zA-Z%€$]{1,3}"
)
# What a text names beside a password: a ticket's number, a way to encrypt or a standard.
_TICKET = re.compile(r"[A-Z]{1,10}\d?-\d{1,6}")
_TERM = re.compile(
    "(?i:aes|sha|md|rsa|des|hmac|oauth|pbkdf|bcrypt|argon|iso|nist|rfc|utf|tls|ssl|wpa|base|ed|"
    r"x)[-_ ]?[\d.]+(?:[-_/][A-Za-z\d]{1,8}){0,3}"
)
_FILE = re.compile(r"[\w./-]+\.(?:[a-z]{1,4}\d?|json|yaml|toml|html)|(?:[\w.-]+/)+[\w.-]+")


def _is_mixed(value: str, after: str) -> bool:
    """Letters and digits (or digits and signs) mixed: no date, amount or path."""
    return (
        5 <= len(value) <= 100
        and is_strong(value)
        and bool(re.search(r"\d", value) and re.search(r"[^\d.,:%/-]", value))
        and not _DATE.fullmatch(value)
        and not _TERM.fullmatch(value)
        and not _FILE.fullmatch(value)
        and "@" not in value[1:-1].partition(".")[0]
    )


def _is_last(value: str, after: str) -> bool:
    return _is_mixed(value, after) and re.match(r"[\"'`.!*_]*[ \t]*(?:\n|\Z|\|)", after) is not None


def _is_code_or_mixed(value: str, after: str) -> bool:
    return is_code(value, after) or _is_mixed(value, after)


def _is_random(value: str, after: str) -> bool:
    """Beside a key's name without "is": letters of both cases and digits in disorder, or groups as in licences."""
    if re.fullmatch(r"(?:[A-Z0-9]{4,8}-){2,}[A-Z0-9]{4,12}", value) and re.search(r"\d", value):
        return True
    return (
        len(value) >= 16
        and is_strong(value)
        and re.fullmatch(r"[A-Za-z0-9+/=_-]+", value) is not None
        and all(re.search(part, value) for part in (r"[a-z]", r"[A-Z]", r"\d"))
        and sum(map(len, re.findall(r"[A-Z]?[a-z]{3,}", value))) < 0.6 * len(value)  # else words: a program's own name
        and len(re.findall(r"(?<=[a-z])[A-Z0-9]|(?<=\d)[A-Za-z]", value)) >= 3
    )


def _is_words(value: str, after: str) -> bool:
    words = set(value.lower().split())
    return len(words) >= 11 and words.isdisjoint("and the that with you for are was not".split())


_V = r"(?P<value>[^\s<>|]{3,300})"
_NUMBER = r"(?P<value>#?\d[\d#*]{2,11}|#?\d{1,4}(?:[ -]\d{1,4}){1,3}#?)(?![\w.,]*\d)"
_NOT_ABOUT = (
    "(?![A-Za-z])(?![ _-]?(?:polic|manager|hash|field|generator|rotation|strength|entropy|length|reset|prompt|file|"
    "database|store|protected|less))"
)
# Names that `spoken` has no form for: other languages, abbreviations.
_ELSEWHERE = (
    r"(?:密码|密碼|パスワード|暗証番号|비밀번호|(?<![^\W_])(?:парол[ья]|hasło|lösenord(?:et)?|adgangskode(?:n)?|passord(?:et)?|"
    "salasana|şifre(?:si|m)?|parola|"
    r"heslo|jelszó|p/w|p\.w\.|psw|pswd|psswd|passwd|(?:secret|magic|safe) word)(?![^\W_]|-\w))"
)
_IS = r"(?:is|was|are|be|ist|lautet|war|est|es|é|it['’]?s|now|used to be|becomes?)"
_LOCKED = (
    "(?:door|gate|alarm|safe|building|garage|(?:bike |pad)?lock|lock ?box|strongbox|house|office|flat|apartment|"
    "phone|vault|locker|bike|suitcase|box|"
    r"room|lift|elevator|shed|studio)"
)
_DIGITS_NAMED = (
    f"(?:{PIN_NAMES}|(?<![A-Za-z])(?:(?:recovery|backup|2fa|mfa|otp|verification|one[- ]time|unlock|sim|"
    "bank(?:ing)?|card)[ -]?(?:codes?|pins?|numbers?)|"
    "puk|otp|(?-i:TAN)|(?:lock[ -]?|safe[ -]?|locker[ -]?)combination|combination (?:of|for|to) (?:the|my|"
    rf"our) (?:[\w-]+ ){{0,2}}?{_LOCKED})|"
    rf"codes? (?:for|to|of) (?:the |my |our )?(?:[\w-]+ ){{0,2}}?{_LOCKED})"
)

# What each group of forms needs to be in a text (lower case). Most texts have none of it, and most places no digit.
_PASS_ANCHOR = re.compile(
    r"pass|pwd?\b|\bpw|kennwort|contrase|senha|wachtwoord|p/w|p\.w\.|psw|парол|密码|密碼|パスワード|暗証番号|비밀번호|"
    r"hasło|lösenord|adgangskode|salasana|şifre|parola|heslo|jelszó"
)
_CODE_ANCHOR = re.compile(r"\bpin|code|\bcvv|\bcvc|\botp\b|\btan\b|\bpuk\b|combination|digits on")
_LOGIN_ANCHOR = re.compile(
    r"(?:log-?in|user(?:name|id)?|account|wi-?fi|wlan|ssid|network|hotspot)[ \t]*[:=|]|(?:wi-?fi|wlan|wpa[23]?|wep|"
    "network)[ -]?(?:key|code|pass|schl)|mysql|"
    r"(?<![\w/.-])(?:root|admin(?:istrator)?|guest)/\S"
)
_KEY_ANCHOR = re.compile(r"key|token|secret|seed")

_PASS = PASS_NAMES + _NOT_ABOUT
_CHANGED = r"\s(?:changed|reset|set|updated|switched|went)"
_PASS_FORMS = (
    # words between the name and what it is
    form(rf"{_PASS}[^.!?;:\n|<>]{{1,80}}?(?:\s{_IS}|[:=])[ \t]+{_V}", _is_mixed),
    form(rf"{_PASS}[^!?;:\n|<>]{{1,80}}?\s(?:it['’]s|it is|used to be|to be|now(?! it))(?:\s+now)?\s+{_V}", _is_mixed),
    form(rf"{_PASS}[^.!?;:\n|<>]{{0,40}}?{_CHANGED}\s+from\s+{_V}", _is_mixed),
    form(rf"{_PASS}[^.!?;:\n|<>]{{0,60}}?{_CHANGED}\s+(?:from\s+\S+\s+)?to\s+{_V}", _is_mixed),
    # the value in the next sentence, after a dash, in a cell
    form(rf"{_PASS}(?:[ \t]*[.?!,–—-][ \t]*|[ \t]+[.?!,–—-]?[ \t]*)[\"'`*]*{_V}", _is_last),
    form(rf"(?:{_PASS}|{_ELSEWHERE})[^|\n]{{0,40}}\|[ \t]*[`*\"]*{_V}", _is_mixed),
    form(rf"(?<!\S)(?P<value>\S{{4,100}})[ \t]+\((?:the |my |new |a )*{PASS_NAMES}\)", _is_mixed),
    form(
        rf"(?<![A-Za-z-])pass(?:\s{_IS}(?:\s+now)?|[ \t]*[:=])[ \t]+{_V}",
        lambda value, after: _is_mixed(value, after) and not value[0].isdigit(),
    ),
    # other names
    form(
        rf"{_ELSEWHERE}[ \t]*+(?:[（(][^()（）\n]{{1,40}}[)）])?"
        rf"(?:{_IS}|jest|är|er|on|я|это|—|–|-|:|=|：|是|为|為|は|이|은|는|가|\s++)*(?P<value>[!-~]{{4,100}})",
        _is_code_or_mixed,
    ),
)
_CODE_FORMS = (
    form(rf"{_DIGITS_NAMED}[^.!?;:\n\d]{{0,60}}?(?:\s{_IS}|[:=])[ \t]*{_NUMBER}", is_code),
    form(rf"(?:{PIN_NAMES})[ \t]*[:=–-]?[ \t]*{_NUMBER}", is_code),
    form(
        r"(?:three|four|last|3|4) digits on the (?:back|front)[^.!?;:\n\d]{0,30}?"
        rf"(?:\s{_IS}|[:=])[ \t]*{_NUMBER}",
        is_code,
    ),
)
_ADMIN = r"(?:root|admin(?:istrator)?|guest)"
# Beside who logs in, and the network.
_LOGIN_FORMS = (
    form(
        r"(?:log-?in|user(?:name|id)?|account|wi-?fi|wlan|ssid|network|hotspot)[ \t]*[:=|][ \t]*[^\s|/]+"
        rf"(?:[ \t][^\s|/]+)?[ \t]*(?:[ \t]/[ \t]|\|)[ \t]*{_V}",
        lambda value, after: _is_mixed(value, after) and not _TICKET.fullmatch(value),
    ),
    form(
        r"(?:wi-?fi|wlan|wpa[23]?|wep|network)[ -]?(?:key|code|pass|schlüssel)[^.!?;:\n]{0,30}?"
        rf"(?:\s{_IS}|[ \t]*[:=])?[ \t]+{_V}",
        _is_mixed,
    ),
    form(rf"\bmysql(?:dump|admin)?\b[^\n|]{{0,80}}?\s-p{_V}", _is_mixed),
    form(
        rf"(?<![\w/.-]){_ADMIN}/(?P<value>[^\s/]{{5,60}})\s+(?:is|are|was)\s+(?:the|my|our)\s+"
        r"(?:[\w-]+\s+){0,2}?(?:log-?in|credentials|creds)\b(?![ \t-](?:page|screen|form|path|route|url|link|view|"
        "handler|endpoint|template|script|shell|table|file|dialog|prompt|store|button))",
        _is_mixed,
    ),
    form(rf"\b(?:log-?in|credentials|creds)(?:\s(?:is|are|was)|[ \t]*[:=])\s+{_ADMIN}/{_V}(?![\w/])", _is_mixed),
)
_KEY_FORMS = (
    form(rf"{KEY_NAMES}[ \t]+[\"'`(]?{_V}", _is_random, API_KEY),
    form(
        r"(?:totp|2fa|mfa|otp|authenticator)[ _-]?(?:seed|secret|key)[ \t]*"
        rf"(?:{_IS}|[:=])?[ \t]+(?P<value>[A-Z2-7]{{16,}})",
        lambda value, after: value.isupper(),
        API_KEY,
    ),
)
_FORMS = (
    (_PASS_ANCHOR, _PASS_FORMS),
    (_CODE_ANCHOR, _CODE_FORMS),
    (_LOGIN_ANCHOR, _LOGIN_FORMS),
    (_KEY_ANCHOR, _KEY_FORMS),
)
# Words alone: wherever they are.
_WORD_FORMS = (
    form(
        rf"(?:secret|magic|safe) word[ \t]*(?:{_IS}|:|=)[ \t]*[\"'“`]?(?P<value>[^\W\d_]{{4,30}})"
        r"(?=[\"'”`.!,]|[ \t]*(?:\n|\Z))",
        lambda value, after: value.lower() not in _NO_WORD,
    ),
    form(r"(?:phrase|mnemonic)s?[ \t]+(?P<value>[a-z]{3,8}(?:[ \t]+[a-z]{3,8}){11,23})", _is_words),
)
_NO_WORD: frozenset[str] = frozenset(
    "please always never unknown secret known still here there what that this changed gone lost said spoken".split()
)
# Several of them on one line: each value that is mixed.
_SEVERAL_NAMES = ("pass", "cred", "login", "pins", "codes")
_SEVERAL = re.compile(
    "(?:pass(?:word|code|phrase)s|passwörter|credentials|creds|logins|pins|pin codes|(?:recovery|backup|"
    r"2fa)[ -]codes)\b"
    r"[^:=\n.]{0,40}(?::|=|\bare\b)[ \t]*+(?!(?:see|stored|kept|hashed|encrypted|salted|saved|managed|with|"
    r"by)\b)(?P<line>[^\n]{1,400})",
    re.IGNORECASE,
)


def find_phrased(text: str, low: str) -> Iterator[Span]:
    """Secrets with words between their name and their value; ``low`` is the text in lower case."""
    for anchor, forms in _FORMS:
        yield from find_forms(text, forms, places_of(anchor, low))
    if any(word in low for word in (" word", "phrase", "mnemonic")):
        yield from find_forms(text, _WORD_FORMS, [(0, len(text))])
    for match in _SEVERAL.finditer(text) if any(name in low for name in _SEVERAL_NAMES) else ():
        codes = re.search(r"pin|code", match[0][: match.start("line") - match.start()], re.IGNORECASE)
        for word in re.finditer(r"[^\s,;/()]+", match["line"]):
            span = trimmed(text, *(match.start("line") + place for place in word.span()))
            if span and (_is_code_or_mixed if codes else _is_mixed)(text[slice(*span)], text[span[1] : span[1] + 60]):
                yield Span(*span, PASSWORD)
