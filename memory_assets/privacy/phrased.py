"""Passwords, codes and keys with words between their name and their value, as people say and note them.

"the password that I use everywhere is …", "My password? …", "the PIN of the safe is 4829", "Wi-Fi: Guest / …", a
cell beside "password" in a table, several of them on one line, names in scripts that `spoken` doesn't read. With
words in between only a value that nobody would write otherwise counts: letters and digits mixed, or a code's
digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from memory_assets.privacy.spoken import KEY_NAMES, PASS_NAMES, PIN_NAMES, UNITS, is_strong, names_a_year, trimmed
from memory_assets.privacy.tokens import API_KEY, PASSWORD, Span

Accept = Callable[[str, str], bool]
_COUNTED = re.compile(r"\s+(?!always|thanks|unless|plus)[a-z]{3,}s\b")  # "is 2000 pages of law"
_DIGIT = re.compile(r"\d")
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,2}(?:st|nd|rd|th)|\d+(?:[.,]\d+)?[a-zA-Z%€$]{1,3}"
)
# What a text names beside a password: a day, a ticket's number, a way to encrypt or a standard.
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d|-)|\d\d-\d\d-(?:19|20)\d\d(?!\d|-)")
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


def _is_code(value: str, after: str) -> bool:
    if _DAY.match(value + after) or names_a_year(value, after):
        return False
    digits = re.sub(r"[-#* ]", "", value)
    return digits.isdigit() and 3 <= len(digits) <= 12 and not UNITS.match(after) and not _COUNTED.match(after)


def _is_code_or_mixed(value: str, after: str) -> bool:
    return _is_code(value, after) or _is_mixed(value, after)


def _is_random(value: str, after: str) -> bool:
    """Beside a key's name without "is": small letters, capitals and digits in disorder, or groups as licences have
    them.
    """
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
    return len(set(value.lower().split())) >= 11 and not set(value.lower().split()) & {
        "and",
        "the",
        "that",
        "with",
        "you",
        "for",
        "are",
        "was",
        "not",
    }


_V = r"(?P<value>[^\s<>|]{3,300})"
_NUMBER = r"(?P<value>#?\d[\d#*]{2,11}|#?\d{1,4}(?:[ -]\d{1,4}){1,3}#?)(?![\w.,]*\d)"
_NOT_ABOUT = (
    "(?![A-Za-z])(?![ _-]?(?:polic|manager|hash|field|generator|rotation|strength|entropy|length|reset|prompt|file|"
    "database|store|protected|less))"
)
_NOT_ABOUT_IN = "(?!ord)" + _NOT_ABOUT.removeprefix("(?![A-Za-z])")
# Names that `spoken` has no form for: other languages, shorter hands.
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

# What each group of forms needs to stand in a text (lower case). Most texts have none of it, and most places no digit.
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
_WORDS_ANCHOR = re.compile(r"(?:secret|magic|safe) word|phrase|mnemonic")
BEFORE, AFTER = 110, 420
"""How far from its anchor a form reaches, in characters."""

_FORMS: tuple[tuple[re.Pattern[str], re.Pattern[str], str, Accept], ...] = tuple(
    (anchor, re.compile(pattern, re.IGNORECASE), kind, accept)
    for anchor, pattern, kind, accept in (
        # words between the name and what it is
        (
            _PASS_ANCHOR,
            (rf"{PASS_NAMES}{_NOT_ABOUT}[^.!?;:\n|<>]{{1,80}}?(?:\s{_IS}|[:=])[ \t]+{_V}"),
            PASSWORD,
            _is_mixed,
        ),
        (
            _PASS_ANCHOR,
            (
                rf"{PASS_NAMES}{_NOT_ABOUT}[^!?;:\n|<>]{{1,80}}?\s(?:it['’]s|it is|used to be|to be|"
                rf"now(?! it))(?:\s+now)?\s+{_V}"
            ),
            PASSWORD,
            _is_mixed,
        ),
        (
            _PASS_ANCHOR,
            (
                rf"{PASS_NAMES}{_NOT_ABOUT}[^.!?;:\n|<>]{{0,40}}?\s(?:changed|reset|set|updated|switched|"
                rf"went)\s+from\s+{_V}"
            ),
            PASSWORD,
            _is_mixed,
        ),
        (
            _PASS_ANCHOR,
            (
                rf"{PASS_NAMES}{_NOT_ABOUT}[^.!?;:\n|<>]{{0,60}}?\s(?:changed|reset|set|updated|switched|"
                rf"went)\s+(?:from\s+\S+\s+)?to\s+{_V}"
            ),
            PASSWORD,
            _is_mixed,
        ),
        # the value in the next sentence, after a dash, in a cell, in an element
        (
            _PASS_ANCHOR,
            (rf"{PASS_NAMES}{_NOT_ABOUT}(?:[ \t]*[.?!,–—-][ \t]*|[ \t]+[.?!,–—-]?[ \t]*)[\"'`*]*{_V}"),
            PASSWORD,
            _is_last,
        ),
        (
            _PASS_ANCHOR,
            (rf"(?:{PASS_NAMES}{_NOT_ABOUT}|{_ELSEWHERE})[^|\n]{{0,40}}\|[ \t]*[`*\"]*{_V}"),
            PASSWORD,
            _is_mixed,
        ),
        (
            _PASS_ANCHOR,
            (
                rf"<[^<>\n]{{0,40}}(?:{PASS_NAMES}{_NOT_ABOUT_IN}|secret|api[_-]?key|"
                rf"token)[^<>\n]{{0,20}}>[ \t]*(?P<value>[^\s<]{{4,100}})(?=[ \t]*<)"
            ),
            PASSWORD,
            _is_mixed,
        ),
        (
            _PASS_ANCHOR,
            (rf"(?<!\S)(?P<value>\S{{4,100}})[ \t]+\((?:the |my |new |a )*{PASS_NAMES}\)"),
            PASSWORD,
            _is_mixed,
        ),
        (
            _PASS_ANCHOR,
            (rf"(?<![A-Za-z-])pass(?:\s{_IS}(?:\s+now)?|[ \t]*[:=])[ \t]+{_V}"),
            PASSWORD,
            lambda value, after: _is_mixed(value, after) and not value[0].isdigit(),
        ),
        # other names
        (
            _PASS_ANCHOR,
            rf"{_ELSEWHERE}[ \t]*+(?:[（(][^()（）\n]{{1,40}}[)）])?(?:{_IS}|jest|är|er|on|я|это|—|–|-|:|=|：|是|为|為|は|이|은|는|"  # noqa: E501
            r"가|\s++)*"
            r"(?P<value>[!-~]{4,100})",
            PASSWORD,
            _is_code_or_mixed,
        ),
        (
            _WORDS_ANCHOR,
            (
                rf"(?:secret|magic|safe) word[ \t]*(?:{_IS}|:|=)[ \t]*[\"'“`]?(?P<value>[^\W\d_]{{4,30}})(?=[\"'”`.!,]|"
                r"[ \t]*(?:\n|\Z))"
            ),
            PASSWORD,
            lambda value, after: value.lower() not in _NO_WORD,
        ),
        # codes of digits
        (_CODE_ANCHOR, rf"{_DIGITS_NAMED}[^.!?;:\n\d]{{0,60}}?(?:\s{_IS}|[:=])[ \t]*{_NUMBER}", PASSWORD, _is_code),
        (_CODE_ANCHOR, rf"(?:{PIN_NAMES})[ \t]*[:=–-]?[ \t]*{_NUMBER}", PASSWORD, _is_code),
        (
            _CODE_ANCHOR,
            (
                rf"(?:three|four|last|3|4) digits on the (?:back|front)[^.!?;:\n\d]{{0,30}}?(?:\s{_IS}|"
                rf"[:=])[ \t]*{_NUMBER}"
            ),
            PASSWORD,
            _is_code,
        ),
        # beside who logs in, and the network
        (
            _LOGIN_ANCHOR,
            (
                "(?:log-?in|user(?:name|id)?|account|wi-?fi|wlan|ssid|network|"
                rf"hotspot)[ \t]*[:=|][ \t]*[^\s|/]+(?:[ \t][^\s|/]+)?[ \t]*(?:[ \t]/[ \t]|\|)[ \t]*{_V}"
            ),
            PASSWORD,
            lambda value, after: _is_mixed(value, after) and not _TICKET.fullmatch(value),
        ),
        (
            _LOGIN_ANCHOR,
            (
                rf"(?:wi-?fi|wlan|wpa[23]?|wep|network)[ -]?(?:key|code|pass|schlüssel)[^.!?;:\n]{{0,30}}?(?:\s{_IS}|"
                rf"[ \t]*[:=])?[ \t]+{_V}"
            ),
            PASSWORD,
            _is_mixed,
        ),
        (_LOGIN_ANCHOR, rf"\bmysql(?:dump|admin)?\b[^\n|]{{0,80}}?\s-p{_V}", PASSWORD, _is_mixed),
        (
            _LOGIN_ANCHOR,
            (
                r"(?<![\w/.-])(?:root|admin(?:istrator)?|guest)/(?P<value>[^\s/]{5,60})\s+(?:is|are|was)\s+(?:the|my|"
                r"our)\s+(?:[\w-]+\s+){0,2}?(?:log-?in|credentials|creds)\b(?![ \t-](?:page|screen|form|path|route|url|"
                "link|view|handler|endpoint|template|script|shell|table|file|dialog|prompt|store|button))"
            ),
            PASSWORD,
            _is_mixed,
        ),
        (
            _LOGIN_ANCHOR,
            (
                r"\b(?:log-?in|credentials|creds)(?:\s(?:is|are|was)|[ \t]*[:=])\s+(?:root|admin(?:istrator)?|"
                rf"guest)/{_V}(?![\w/])"
            ),
            PASSWORD,
            _is_mixed,
        ),
        # keys beside their name
        (_KEY_ANCHOR, rf"{KEY_NAMES}[ \t]+[\"'`(]?{_V}", API_KEY, _is_random),
        (
            _KEY_ANCHOR,
            (
                rf"(?:totp|2fa|mfa|otp|authenticator)[ _-]?(?:seed|secret|key)[ \t]*(?:{_IS}|"
                rf"[:=])?[ \t]+(?P<value>[A-Z2-7]{{16,}})"
            ),
            API_KEY,
            lambda value, after: value.isupper(),
        ),
        (
            _WORDS_ANCHOR,
            (r"(?:phrase|mnemonic)s?[ \t]+(?P<value>[a-z]{3,8}(?:[ \t]+[a-z]{3,8}){11,23})"),
            PASSWORD,
            _is_words,
        ),
    )
)
_NO_WORD: frozenset[str] = frozenset(
    "please always never unknown secret known still here there what that this changed gone lost said spoken".split()
)
# Several of them on one line: each value that is mixed.
_SEVERAL = re.compile(
    "(?:pass(?:word|code|phrase)s|passwörter|credentials|creds|logins|pins|pin codes|(?:recovery|backup|"
    r"2fa)[ -]codes)\b"
    r"[^:=\n.]{0,40}(?::|=|\bare\b)[ \t]*+(?!(?:see|stored|kept|hashed|encrypted|salted|saved|managed|with|"
    r"by)\b)(?P<line>[^\n]{1,400})",
    re.IGNORECASE,
)


def find_phrased(text: str, low: str) -> Iterator[Span]:
    """Secrets that are told with words in between; ``low`` is the text in lower case."""
    for anchor, pattern, kind, accept in _FORMS:
        for start, end in _windows(anchor, low):
            for match in pattern.finditer(text, start, end):
                span = trimmed(text, *match.span("value"))
                if span and accept(text[slice(*span)], text[span[1] : span[1] + 60]):
                    yield Span(*span, kind)
    for match in (
        _SEVERAL.finditer(text)
        if _PASS_ANCHOR.search(low) or _CODE_ANCHOR.search(low) or "cred" in low or "login" in low
        else ()
    ):
        codes = re.search(r"pin|code", match[0][: match.start("line") - match.start()], re.IGNORECASE)
        for word in re.finditer(r"[^\s,;/()]+", match["line"]):
            span = trimmed(text, *(match.start("line") + place for place in word.span()))
            if span and (_is_code_or_mixed if codes else _is_mixed)(text[slice(*span)], text[span[1] : span[1] + 60]):
                yield Span(*span, PASSWORD)


@lru_cache(maxsize=16)
def _windows(anchor: re.Pattern[str], low: str) -> tuple[tuple[int, int], ...]:
    """The places around an anchor in which a form can hit, none overlapping another; without a digit only words can
    be one.
    """
    found: list[tuple[int, int]] = []
    for match in anchor.finditer(low):
        start, end = max(match.start() - BEFORE, 0), match.end() + AFTER
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(place for place in found if anchor is _WORDS_ANCHOR or _DIGIT.search(low, *place))
