"""A written name taken apart: given name, surname, initials, title, address, handle. Pure.

"Chen, Robert", "Dr. Robert J. Chen", "R. Chen", "Robert C.", "Chen", "@bob", "robert.chen@example.com".
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from email.utils import parseaddr
from functools import lru_cache

TITLES = frozenset(
    "dr mr mrs ms miss mx prof professor sir dame lady lord rev fr sr sra herr frau hr fru mme mlle m mag dipl ing "
    "capt captain doctor".split()
)
HE = frozenset({"mr", "sir", "lord", "herr", "hr"})
SHE = frozenset({"mrs", "ms", "miss", "dame", "lady", "frau", "fru", "mme", "mlle", "sra"})
SUFFIXES = frozenset("jr jnr snr ii iii iv phd md msc bsc mba dds esq cpa pe".split())
PARTICLES = frozenset("van von der den de del della da di dos du la le al el bin ibn ter ten zu zum st".split())
ROLES = frozenset(
    "info support admin sales team office contact hello help noreply no-reply billing hr jobs press mail postmaster "
    "root webmaster news newsletter notifications service".split()
)
"""Mailboxes that belong to no one person."""

_LETTERS_APART = {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i"}
_ADDRESS = re.compile(r"[^\s@<>]++@(?=[^\s@<>]+\.[^\s@<>])[^\s@<>]++")
_INITIALS = re.compile(r"([A-Z])\.?([A-Z])\.? (?=[A-Z][a-z])")
_ASIDE = re.compile(r"[(\[\"“”„«]([^()\[\]\"“”„«»]{1,40})[)\]\"“”»]")


@dataclass(frozen=True)
class Form:
    """What a name says. Texts are folded (lower case, no accents); "" and () mean not said.

    ``given`` and ``surname`` are whole names or, of one letter, initials. A name of one word that may be
    either is ``single``. ``handle`` is what an address or an account calls its holder.
    """

    given: str = ""
    middles: tuple[str, ...] = ()
    surname: str = ""
    single: str = ""
    title: str = ""
    address: str = ""
    handle: str = ""
    aside: str = ""
    turned: bool = False

    @property
    def is_full(self) -> bool:
        """Whether both names are said in full."""
        return len(self.given) > 1 and len(self.surname) > 1

    @property
    def is_address(self) -> bool:
        """Whether nothing but an address is known."""
        return bool(self.address) and not (self.given or self.surname or self.single)

    @property
    def is_empty(self) -> bool:
        """Whether this can be nobody's name."""
        return not (self.given or self.surname or self.single or self.address)

    @property
    def fullness(self) -> int:
        """How much of a person's name this says, for the choice of a group's representative."""
        if self.is_full:
            return 10
        if self.given and self.surname:
            return 8 if len(self.given) > 1 else 7
        if self.surname:
            return 5
        return 6 if self.single and not self.handle else 2 if self.single else 1


def fold(text: str) -> str:
    """Lower case without accents: José and Jose, Łukasz and Lukasz are written alike."""
    plain = unicodedata.normalize("NFKD", "".join(_LETTERS_APART.get(c, c) for c in text.casefold()))
    return "".join(c for c in plain if not unicodedata.combining(c))


@lru_cache(maxsize=65_536)
def read_form(text: str) -> Form:
    """A name as it is written, as a :class:`Form`."""
    display, address = _split_address(text)
    folded = fold(display).strip().lstrip("@").strip(" .,;:!?'’")
    aside = ""
    if match := _ASIDE.search(folded):
        word = match[1].strip()
        aside = word if word.isalpha() else ""
        folded = " ".join(_ASIDE.sub(" ", folded).split())
    turned = False
    if "," in folded:
        surname, _, rest = folded.partition(",")
        rest = rest.strip()
        if rest.replace(".", "") in SUFFIXES:
            folded = surname
        elif rest and surname:
            folded, turned = f"{rest} {surname.strip()}", True
    handle = ""
    if " " not in folded and re.search(r"[._\d]", folded.strip(".")):
        handle = folded.strip(".")
        folded = re.sub(r"[._\d]+", " ", handle)
    elif text.strip().startswith("@"):
        handle = folded
    folded = (
        _INITIALS.sub(lambda match: f"{match[1]}. {match[2]}. ", display).casefold()
        if _INITIALS.match(display)
        else folded
    )
    words = [word.strip(".'’-") for word in folded.replace(".", ". ").split()]
    words = [word for word in words if word and any(c.isalpha() for c in word)]
    title = ""
    while len(words) > 1 and words[0] in TITLES:
        title, words = words[0], words[1:]
    while len(words) > 1 and words[-1] in SUFFIXES:
        words = words[:-1]
    local = fold(address).partition("@")[0] if address else ""
    given, middles, surname, single = _parts(words, title)
    return Form(given, middles, surname, single, title, fold(address), handle or local, aside, turned)


def _split_address(text: str) -> tuple[str, str]:
    if "@" not in text:
        return text, ""
    name, address = parseaddr(text) if "<" in text else ("", text.strip().strip("<>"))
    address = address.removeprefix("mailto:")
    return (name, address) if _ADDRESS.fullmatch(address) else (text, "")


def _parts(words: list[str], title: str) -> tuple[str, tuple[str, ...], str, str]:
    if not words:
        return "", (), "", ""
    if len(words) == 1:
        return ("", (), words[0], "") if title else ("", (), "", words[0])
    start = next((at for at, word in enumerate(words[1:-1], 1) if word in PARTICLES), len(words) - 1)
    return words[0], tuple(words[1:start]), " ".join(words[start:]), ""
