"""When two written names may be one: short forms, sound, typing errors. Pure, and symmetric throughout.

Short forms of given names come from ``nicknames``, with what its table lacks below; distance from ``rapidfuzz``,
sound from ``jellyfish``. A likeness is never enough by itself: ``resolve`` joins only where nobody else is meant.
"""

from __future__ import annotations

from functools import cache, lru_cache

import jellyfish
from nicknames import NickNamer
from rapidfuzz.distance import OSA

LONG_NAME = 6
"""Letters from which a single typing error that can't be heard is likelier than another name."""
VERY_LONG_NAME = 8
"""Letters from which any single typing error is."""
SHORTEST_PREFIX = 3

# What the published table lacks: what no letters connect, and yet everybody says (the table has pairs of this kind that
# nobody says), and short forms of other languages.
_MORE = {
    "robert": "bob bobby bobbie",
    "richard": "dick",
    "edward": "ted teddy ned",
    "margaret": "peggy peg daisy",
    "mary": "polly",
    "helen": "nell nellie",
    "eleanor": "nell",
    "elizabeth": "libby",
    "martha": "patty",
    "alexander": "sasha sascha xander",
    "alexandra": "sasha sascha",
    "aleksandr": "sasha",
    "mikhail": "misha",
    "michael": "micha michi",
    "dmitri": "dima mitya",
    "ivan": "vanya",
    "tomasz": "tomek tom",
    "katarzyna": "kasia",
    "malgorzata": "gosia",
    "johannes": "hannes hans jo",
    "friedrich": "fritz",
    "wilhelm": "willi willy",
    "katharina": "kathi kati katja kathy",
    "elisabeth": "lisa liesl sissi",
    "jose": "pepe",
    "francisco": "paco pancho",
    "ignacio": "nacho",
    "guadalupe": "lupe",
    "giuseppe": "beppe pino",
    "matthias": "matze hias",
    "sebastian": "basti",
    "benedikt": "ben",
    "priyanka": "priya",
    "anna": "ania anya",
    "muhammad": "mo mohammed mohammad mohamed muhammed",
    "stephen": "steven",
}


@cache
def _table() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Short forms by formal name, and formal names by short form."""
    published = NickNamer().nickname_lookup
    short: dict[str, set[str]] = {}
    for formal, forms in published.items():
        short.setdefault(formal, set()).update(form for form in forms if _connected(formal, form))
    for formal, words in _MORE.items():
        short.setdefault(formal, set()).update(words.split())
    formal_of: dict[str, set[str]] = {}
    for formal, forms in short.items():
        for form in forms:
            formal_of.setdefault(form, set()).add(formal)
    return (
        {key: frozenset(forms) for key, forms in short.items()},
        {key: frozenset(names) for key, names in formal_of.items()},
    )


def _connected(formal: str, form: str) -> bool:
    """Whether a published pair shows it: the same beginning, or three letters in common."""
    alike = str.maketrans("kzjyf", "csgip")
    one, other = formal.translate(alike), form.translate(alike)
    return one[:1] == other[:1] or any(other[at : at + 3] in one for at in range(len(other) - 2))


def is_given_name(word: str) -> bool:
    """Whether the table knows the word as a given name, formal or short."""
    short, formal = _table()
    return word in short or word in formal


@lru_cache(maxsize=16_384)
def same_given(word: str) -> frozenset[str]:
    """The given names that a given name may be short for or be called by, itself among them."""
    short, formal = _table()
    mine = formal.get(word, frozenset())
    siblings = {form for name in mine for form in short[name]} if len(mine) == 1 else set()
    called = {*short.get(word, ()), *mine, *siblings}
    return frozenset({word, *(name for name in called if not _other_form(word, name))})


def related(one: str, other: str) -> bool:
    """Whether two given names may be one person's: equal, short forms, or one the beginning of the other."""
    if heard(one) == heard(other) or other in same_given(one) or one in same_given(other):
        return True
    shorter, longer = sorted((one, other), key=lambda word: (len(word), word))
    begins = len(shorter) >= SHORTEST_PREFIX and longer.startswith(shorter) and len(longer) - len(shorter) >= 2
    return begins and shorter not in _table()[0] and not _other_form(one, other)


def has_variant(formal: str, other: str) -> bool:
    """Whether ``other`` is ``formal`` in another spelling, or a short form of it."""
    if heard(formal) == heard(other):
        return True
    return len(other) < len(formal) and related(formal, other) and formal not in _table()[0].get(other, ())


_HEARD = (
    ("sz", "s"), ("oe", "o"), ("ue", "u"), ("ae", "a"), ("ph", "f"), ("th", "t"), ("qu", "kv"), ("qv", "kv"),
    ("ck", "k"), ("x", "ks"), ("c", "k"), ("y", "i"), ("w", "v"), ("z", "s"), ("h", ""),
)  # fmt: skip


@lru_cache(maxsize=65_536)
def heard(word: str) -> str:
    """A name by its sounds, where languages and habits only spell them otherwise: Katherine, Catherine; Jörg, Joerg."""
    for written, said in _HEARD:
        word = word[:1] + word[1:].replace(written, said) if written == "h" else word.replace(written, said)
    return "".join(c for at, c in enumerate(word) if at == 0 or c != word[at - 1])


_OTHER_FORMS = ("a", "e", "ia", "ina", "ine", "le", "elle", "la", "ette", "etta", "ne", "na", "ella")


def _other_form(one: str, other: str) -> bool:
    """Daniel and Danielle, Paul and Paula: the other sex's form of a name is no short form of it."""
    shorter, longer = sorted((one, other), key=lambda word: (len(word), word))
    return len(shorter) >= 4 and longer.startswith(shorter) and longer[len(shorter) :] in _OTHER_FORMS


@lru_cache(maxsize=65_536)
def sound(word: str) -> str:
    """How a name sounds (metaphone, letters only)."""
    return jellyfish.metaphone("".join(c for c in word if c.isascii() and c.isalpha()))


@lru_cache(maxsize=65_536)
def misspelt(one: str, other: str) -> bool:
    """Whether one of two words may be the other with one letter wrong, missing or swapped.

    From eight letters on that is enough; a shorter one must sound the same too.
    """
    shorter = min(len(one), len(other))
    if one == other or shorter < LONG_NAME or one[:1] != other[:1] or _other_ending(one, other):
        return False
    return OSA.distance(one, other, score_cutoff=1) <= 1 and (shorter >= VERY_LONG_NAME or sound(one) == sound(other))


@lru_cache(maxsize=65_536)
def nearly(one: str, other: str) -> bool:
    """Whether two words are close enough to ask about: a distance of one, or the same sound."""
    if one == other or min(len(one), len(other)) < 3 or one[:1] != other[:1]:
        return False
    return OSA.distance(one, other, score_cutoff=1) <= 1 or (len(one) > 3 and sound(one) == sound(other))


def misspelt_given(one: str, other: str) -> bool:
    """The same for given names: Christian and Christina are two names, not one misspelt."""
    return misspelt(one, other) and not (is_given_name(one) and is_given_name(other))


def misspelt_short(one: str, other: str) -> bool:
    """The same for a first name alone that is nobody's own: Prya is a Priya, as long as no Prya is known of."""
    if min(len(one), len(other)) < SHORTEST_PREFIX + 1 or one[:1] != other[:1] or is_given_name(one):
        return False
    return (
        OSA.distance(one, other, score_cutoff=1) <= 1 and sound(one) == sound(other) and not _other_ending(one, other)
    )


def _other_ending(one: str, other: str) -> bool:
    """Daniel and Daniela, Petersen and Peterson: another ending is another name."""
    vowels = "aeiouy"
    if {one[-3:], other[-3:]} == {"sen", "son"}:
        return True
    return one.rstrip(vowels) == other.rstrip(vowels) and one[-1:] != other[-1:]
