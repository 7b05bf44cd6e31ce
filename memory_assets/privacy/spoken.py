"""Passwords, codes and keys that a person or a file names: "my password is …", "pw = …", "passcode is 4921",
``API_KEY=…``.

No detector of source code reads prose. What follows the name decides: a value with digits or signs is one; an
ordinary word only where nothing follows it ("wifi password: sunflower"), and never a word that says something about a
password ("the password is wrong"). A PIN and a door's code are digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from detect_secrets.filters.heuristic import is_templated_secret

from memory_assets.privacy.tokens import ACCESS_TOKEN, API_KEY, PASSWORD, Span

NAMES = ("pass", "pw", "kennwort", "contrase", "senha", "wachtwoord", "pin", "code", "cvv", "cvc", "phrase", "mnemonic",
         "key", "token", "secret", "cred", " -u ")  # fmt: skip
"""Every text in which anything is found here has one of these (lower case)."""

PASS_NAMES = (
    r"(?:pass[ -]?(?:word|wd|wort|phrase|code)|kennwort|mot de passe|contrase(?:ñ|n)a|wachtwoord|"
    r"(?<![A-Za-z])(?:pwd?|senha|passw|(?:seed|recovery|backup|wallet) phrase|mnemonic))s?"
)
PIN_NAMES = (
    r"(?<![A-Za-z])(?:pin(?:[ -]?(?:code|number))?|"
    r"(?:door|gate|alarm|access|entry|security|lock|safe|unlock|vault|garage|keypad|pass)[ -]?codes?|cvv2?|cvc)"
)
KEY_NAMES = (
    "(?:(?:api|auth|access|secret|client|private|service|account|encryption|signing|master|database|db|session|"
    "refresh|"
    r"bearer|deploy|bot|app|webhook|license|licence|activation|product)[ _-]?(?:access[ _-]?)?(?:key|token|secret)|"
    r"(?<![A-Za-z])(?:token|secret))(?:[ _-]?id)?"
)
_FOR = r"(?:[ \t]+(?:for|to|of|on|at|in|from|für|zum|zur|pour|para)(?:[ \t]+[^\s.:;!?=]+){1,6}?)?"
_TAIL = r"(?:[_-]\w{1,20})?[\"'`*_\])]{0,3}(?:[ \t]*\([^()\n]{1,60}\))?"
_ASSIGNED = r"[ \t]*(?::=|={1,3}>?|:|：|->|→)[*_`]{0,3}[ \t]*"
_VERB = (
    r"(?:'s|’s|\s+(?:is|was|are|ist|lautet|war|est|es|é|will\s+be|should\s+be|equals|becomes|remains))"
    r"(?:\s+(?:now|still|just|simply|currently|again|actually|set\s+to|changed\s+to|reset\s+to|"
    r"as\s+follows))*(?:[ \t]*+[:=]\s++|\s++)"
)
_VALUE = r"(?P<value>\"[^\"\n]{2,200}\"|'[^'\n]{2,200}'|`[^`\n]{2,200}`|“[^”\n]{2,200}”|«[^»\n]{2,200}»|[^\s]{1,300})"
_NEXT_LINE = r"[ \t]*:[ \t]*\n[ \t>]*(?P<value>[^\s]{4,100})(?=[ \t]*(?:\n|\Z))"

# Words that say something about a password, its absence, its type in code; as a value they are none.
_ABOUT = frozenset(
    """
    a about above absolutely active added again age all already also always an and another any anything as at
    attached available back bad based because been before being below blank bool boolean both bytes case changed
    clear compromised correct cracked currently default defined dead denied different due easy either email
    empty encrypted enough entered everything exact exactly expired expiring exposed false far field fine first
    for forbidden forgotten form found from generated given going gone good guessable hard hash hashed he her
    here hers hidden his how idea if important impossible in inactive incorrect input insecure int invalid it
    its just kept key known last later leaked least less like literally locked long lost mandatory manager me
    mind mindestens mine minimum missing more most much my n/a na necessary needed never new next nil no none
    not nothing null number object obvious of off ok okay old on one only optional or our out outdated over
    password passwords pending please policy prompt protected public really ready redacted required reset
    resetting reused right safe same saved secret secretstr secure see self sensitive sent set shared she short
    similar simple so some something soon still stolen stored str string strong stuff such super sure tbd
    temporary terrible text than that the their then there these they this those to today token tomorrow too
    totally tricky true type unchanged undefined unique unknown unsafe until unset up updated user used username
    using valid value very void was we weak well what when where which who why will with within without working
    wrong x y yes yet you your yours zero falsch richtig abgelaufen vergessen geändert nicht das der die ein
    eine leer gleich oublié perdu expiré changé incorrect olvidada incorrecta correcta caducada cambiada
    esquecida errada alterada vergeten gewijzigd verlopen onjuist
    """.split()
)
_ABOUT_ENDINGS = ("ed", "ing", "able", "ible", "ful", "less", "ly", "ous", "tion", "n't")
UNITS = re.compile(
    r"(?<!\s)\s*+(?:[-–]\s*+\d++\s*+)?(?:\+\s*+)?(?:characters?|chars?|digits?|letters?|symbols?|numbers?|words?|bits?|bytes?|"
    r"seconds?|minutes?|hours?|days?|weeks?|months?|years?|times?|percent|%|people|stück\b|mal\b|zeichen\b|stellen\b|"
    r"ziffern\b|caract[eè]res\b|cifras\b|d[ií]gitos\b|chiffres\b|tecken\b|tegn\b|tekens\b|of\b|"
    r"attempts?|tries|or more)",
    re.I,
)
_CLAUSE_END = re.compile(
    r"[ \t]*(?:\Z|\n|[,;.!?)\]}|/(<\"'`”»–—]|(?:and|but|or|so|for|on|if|in|with|user|login|thanks|thx|und|for)\b|-\s)",
    re.I,
)
_OF_A_YEAR = re.compile(
    r"[ \t]+(?:editions?|versions?|revisions?|updates?|reports?|reviews?|models?|standards?|seasons?|releases?|"
    "requirements?|rules?|"
    r"acts?|laws?|handbooks?|guides?|conferences?|summits?|surveys?|audits?|budgets?|courses?|manuals?|ausgabe|fassung|édition|edición)\b",
    re.I,
)
_PLAIN = re.compile(r"[^\W\d_]+(?:[/'’.,-]+[^\W\d_]+)*[^\w\s]*")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_REFERENCE = re.compile(
    r"(?:[A-Za-z_][\w.]*+[\[(].*|(?:self|this|os|process|settings|config|env|args|options|request|user|props|"
    r"data)\.[\w.].*|"
    r"[$%]?[({<].*|\$[A-Z_]+\W*|%\w\W*|https?://.*|\[masked:?.*|&\w+;.*|\\[nrt].*)"
)
# A variable is called after what it holds.
_VARIABLE = re.compile(r"(?=[\w.]*[_.])[A-Za-z_.]*(?:pass|pwd|secret|token|key|hash)[A-Za-z_.]*", re.I)
_DIGIT = re.compile(r"\d")
_OPENING, _CLOSING = "\"'`“«*_~([{", "\"'`”»*_~)]},.;:?"


Accept = Callable[[str, str], bool]
"""Whether a value is a secret, by itself and by what follows it."""


class Form(NamedTuple):
    """How a secret is written: a pattern with a group ``value``, and of what kind it is (None: what its name says)."""

    pattern: re.Pattern[str]
    kind: str | None
    accept: Accept


def form(pattern: str, accept: Accept, kind: str | None = PASSWORD) -> Form:
    """A form in which capitals do not count."""
    return Form(re.compile(pattern, re.IGNORECASE), kind, accept)


def find_spoken(text: str, low: str) -> Iterator[Span]:
    """Secrets that are named in ``text``; ``low`` is the same in lower case."""
    if any(name in low for name in NAMES):
        yield from find_forms(text, _FORMS, [(0, len(text))])


def find_forms(text: str, forms: Iterable[Form], places: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """What of these forms is in the given places of a text."""
    for start, end in places:
        for pattern, kind, accept in forms:
            for match in pattern.finditer(text, start, end):
                span = trimmed(text, *match.span("value"))
                if span and accept(text[slice(*span)], text[span[1] : span[1] + 60]):
                    named = match[0].lower() if kind is None else ""
                    yield Span(*span, kind or (ACCESS_TOKEN if "token" in named else API_KEY))


BEFORE, AFTER = 110, 420
"""How far from the word that names it a form reaches, in characters."""


@lru_cache(maxsize=16)
def places_of(anchor: re.Pattern[str], low: str) -> tuple[tuple[int, int], ...]:
    """The places around an anchor in which a form with a digit can hit, none overlapping another."""
    found: list[tuple[int, int]] = []
    for match in anchor.finditer(low) if _DIGIT.search(low) else ():
        start, end = max(match.start() - BEFORE, 0), match.end() + AFTER
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(place for place in found if _DIGIT.search(low, *place))


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """A value without the quotes, marks of emphasis and punctuation around it."""
    while start < end and text[start] in _OPENING:
        start += 1
    while start < end and text[end - 1] in _CLOSING:
        end -= 1
    return (start, end) if start < end else None


_LENGTH = re.compile(
    r"(?:min\.?|max\.?|mínimo|minimum)?\d{1,3}[-–]?(?:stellig\w*|zeichen|stellen|characters?|chars?|digits?|"
    "letters?|symbols?|caract[eè]res?|car|"
    r"karakters?|karakter|znaków|cyfr\w*|символ\w*)[.,]?",
    re.I,
)


def is_strong(value: str) -> bool:
    """Whether a value has what no word has: digits, signs, capitals within; and is no length ("12-stellig")."""
    if _LENGTH.fullmatch(value):
        return False
    if (
        _REFERENCE.fullmatch(value)
        or _VARIABLE.fullmatch(value)
        or is_templated_secret(value)
        or len(set(value.strip(".*xX•-_#?"))) < 2
    ):
        return False
    return not _PLAIN.fullmatch(value) or bool(_INNER_CAPITAL.search(value))


def _is_password(value: str, after: str) -> bool:
    """A value after "password is", "password:", "pw =": strong, or an ordinary word with which the clause ends."""
    if is_strong(value):
        digits = re.fullmatch(r"[\d.,:%/-]+", value)
        return not (digits and (len(value) < 4 or UNITS.match(after)))
    low = value.lower()
    return (
        bool(_PLAIN.fullmatch(value))
        and len(value) > 3
        and low not in _ABOUT
        and not set(re.split(r"[^\w]+", low)) & _ABOUT
        and not low.endswith(_ABOUT_ENDINGS)
        and bool(_CLAUSE_END.match(after))
    )


def _is_mixed(value: str, after: str) -> bool:
    """A value with no word between it and the name: only what nobody would write otherwise."""
    return len(value) >= 5 and is_strong(value) and bool(re.search(r"\d", value) and re.search(r"[^\d.,:%/-]", value))


_COUNTED = re.compile(r"\s+(?!always|thanks|unless|plus)[a-z]{3,}s\b")  # "is 2000 pages of law"
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d|-)|\d\d-\d\d-(?:19|20)\d\d(?!\d|-)")


def is_code(value: str, after: str) -> bool:
    """Whether a value is the digits of a code: no day, year, length or amount."""
    digits = re.sub(r"[-#* ]", "", value)
    if not digits.isdigit() or not 3 <= len(digits) <= 12 or _DAY.match(value + after):
        return False
    is_year = re.fullmatch(r"(?:19|20)\d\d", value) and _OF_A_YEAR.match(after)  # "the security code 2024 edition"
    return not is_year and not UNITS.match(after) and not _COUNTED.match(after)


def _is_key(value: str, after: str) -> bool:
    if re.fullmatch(
        r"[A-Za-z]{20,}", value
    ):  # letters alone are a key in disorder: no words, small letters and capitals by turns
        words = sum(map(len, re.findall(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}", value)))
        return words < 0.5 * len(value) and len(re.findall(r"[a-z][A-Z]", value)) >= len(value) // 6
    return (
        len(value) >= 8
        and value[0] != "/"
        and is_strong(value)
        and bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value))
    )


def _is_phrase(value: str, after: str) -> bool:
    words = value.lower().split()
    least = 4 if words[0] in _ABOUT else 3
    return least <= len(words) <= 24 and not set(words) & _FUNCTION_WORDS


_FUNCTION_WORDS = frozenset(
    (
        "a an and any are for how i in is it not of or password passphrase please that the this to was we what when "
        "you your"
    ).split()
)
_MY = r"(?:my|our|the|your|his|her|their|a)\s+(?:[\w-]+\s+){0,2}?"
_FORMS = (
    form(PASS_NAMES + _TAIL + _FOR + _ASSIGNED + _VALUE, _is_password),
    form(PASS_NAMES + _FOR + _VERB + _VALUE, _is_password),
    form(PASS_NAMES + _TAIL + _FOR + _NEXT_LINE, _is_mixed),
    form(
        r"(?:phrase|mnemonic)s?" + _FOR + rf"(?:{_ASSIGNED}|{_VERB})(?P<value>[a-z]+(?:[ \t]+[a-z]+){{2,23}})",
        _is_phrase,
    ),
    form(PASS_NAMES + r"\s+from\s+(?P<value>\S{4,100})", _is_mixed),
    form(PASS_NAMES + r"(?:\s+from\s+\S+)?\s+to\s+(?P<value>\S{4,100})", _is_mixed),
    form(PASS_NAMES + r"[ \t]+(?P<value>\S{4,100})", _is_mixed),
    form(r"(?<![A-Za-z])(?:pass|creds?|credentials?)" + _ASSIGNED + r"(?P<value>\S{4,100})", _is_mixed),
    form(r"\bcred(?:ential)?s\b[^\n]{0,40}?\S+\s*[/|:]\s*(?P<value>\S{4,100})", _is_mixed),
    form(r"\s-u\s+[\w.@-]+:(?P<value>\S{3,100})", _is_mixed),
    form(r"(?<!\S)(?P<value>\S{4,100})\s+(?:is|was|ist|as)\s+" + _MY + PASS_NAMES + r"\b", _is_mixed),
    form(PIN_NAMES + _TAIL + _FOR + rf"(?:{_ASSIGNED}|{_VERB}|[ \t]+)" + _VALUE, is_code),
    form(PIN_NAMES + r"\s+(?:from\s+\S+\s+)?to\s+(?P<value>\S{3,12})", is_code),
    form(KEY_NAMES + _TAIL + _FOR + rf"(?:{_ASSIGNED}|{_VERB})" + _VALUE, _is_key, None),
)
