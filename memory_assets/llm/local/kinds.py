"""Whether a name is a person's, a place's, an organisation's, a product's …, by all that speaks for each.

The pipeline's label is one voice among several: on chat, names it has not seen and technical words it is
often wrong. Others are the words around the name ("in", "wife", "said"), how it is written, and lists of
names. Every voice adds to the kinds that it speaks for; the strongest kind wins (see :func:`decide`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memory_assets.llm.local import lexicon
from memory_assets.llm.local.gazetteer import is_given_name, is_place, is_surname
from memory_assets.llm.local.language import ENGLISH, LANGUAGES, Token, language_of, rarity
from memory_assets.text.words import zipf_frequency

PERSON = "person"
KINDS = (PERSON, "organization", "place", "product", "project", "event", "work", "group", "other")
"""Among equals the earlier kind wins."""

LABEL_WORTH = 1.0
LEAST_FOR_A_PERSON = 0.8
_ORDINARY, _COMMONEST = 4.0, 6.0
"""From here on a word is common in its language (Zipf frequency), and no name though some are called so."""
_HARDLY_A_NAME = 3.3
"""A last word of a name that is less rare is meant as a word, unless people are called so."""
_NAME_WORD = r"[^\W\d_]++(?>(?:['’.-][^\W\d_]++)*)['’.-]?"
_PERSON_SHAPE = re.compile(rf"{_NAME_WORD}(?: {_NAME_WORD}){{0,3}}$")
_PRODUCT_SHAPE = re.compile(r"[a-z][A-Z]|\d|(?:SQL|DB|JS|OS|SDK|API|CI|IDE|UI|kit|ware)$|^[A-Z]{2,}$|\+\+|#$")


class Evidence(dict[str, float]):
    """How much speaks for each kind of thing (see kinds): nothing where nothing was said."""

    def __missing__(self, kind: str) -> float:
        return 0.0

    def add(self, other: Mapping[str, float]) -> None:
        """Take what speaks for the same thing elsewhere."""
        for kind, worth in other.items():
            self[kind] += worth


@dataclass
class Candidate:
    """One name or phrase. ``sentences`` are positions in the reading, ``echoes`` an assistant's."""

    key: str
    kind: str
    forms: Counter[str] = field(default_factory=Counter)
    sentences: dict[int, None] = field(default_factory=dict)
    echoes: dict[int, None] = field(default_factory=dict)
    evidence: Evidence = field(default_factory=Evidence)
    seen: int = 0
    """How often it is in the text."""
    proper: int = 0
    """How often the tagger took it for a proper noun."""
    labelled: int = 0
    """How often the pipeline found it as a name."""
    inside: int = 0
    """How often it is capitalised where a sentence's start is no reason for it."""
    entity_type: str = ""
    is_speaker: bool = False
    is_addressed: bool = False
    in_title: bool = False
    confidence: float = 0.0

    @property
    def name(self) -> str:
        """The form said most; among equals the longest, then the first in the alphabet."""
        return min(self.forms, key=lambda form: (-self.forms[form], -len(form), form))

    def absorb(self, other: Candidate) -> None:
        """Take what was collected under another form of the same name."""
        self.forms[self.name] += sum(other.forms.values())
        self.evidence.add(other.evidence)
        self.seen += other.seen
        self.proper += other.proper
        self.labelled += other.labelled
        self.inside += other.inside
        self.is_addressed |= other.is_addressed
        self.sentences = dict.fromkeys(sorted({*self.sentences, *other.sentences}))


def around(tokens: Sequence[Token], start: int, end: int) -> Evidence:
    """What the words around a name (tokens ``start`` up to ``end``) say of it."""
    said = Evidence()
    if start:
        _left(said, tokens[start - 1])
    if end < len(tokens):
        _right(said, tokens[end], tokens[end + 1] if end + 1 < len(tokens) else None)
    return said


_BEFORE: Mapping[str, Mapping[str, float]] = {
    **dict.fromkeys(("in", "into"), {"place": 1.1, "product": 0.4}),
    **dict.fromkeys(("near", "around", "outside", "across"), {"place": 1.1}),
    **dict.fromkeys(("to", "from"), {"place": 0.5}),
    "at": {"organization": 1.0, "place": 0.6},
    **dict.fromkeys(("by", "with"), {PERSON: 0.3}),
    **dict.fromkeys(("on", "via"), {"product": 0.9}),
    "the": {PERSON: -1.5},
    **dict.fromkeys(("a", "an", "our", "your", "this", "every", "new", "old"), {PERSON: -1.0, "product": 0.5}),
}
"""What the word before a name says of it."""


def _left(said: Evidence, before: Token) -> None:
    word, lemma = before.lower, before.lemma.lower()
    if word.rstrip(".") in lexicon.TITLES:
        said[PERSON] += 4.0
    elif lemma in lexicon.KIN_AND_ROLES:
        said[PERSON] += 2.0
    elif lemma in lexicon.VERBS_TO_PEOPLE:
        said[PERSON] += 1.2
    else:
        said.add(_BEFORE.get(word, {}))


def _right(said: Evidence, after: Token, after2: Token | None) -> None:
    lemma = after.lemma.lower()
    if after.lower in {"'s", "’s"}:
        if after2 is not None and after2.lemma.lower() in lexicon.KIN_AND_ROLES:
            said[PERSON] += 1.5
        else:
            said[PERSON] += 0.3
    elif after.tag in {"VBZ", "VBD", "VBP"} and lemma in lexicon.VERBS_OF_PEOPLE:
        said[PERSON] += 1.3
    elif lemma in {"project", "initiative", "launch", "rollout"}:
        said["project"] += 1.0
    elif after.lower in {"who", "whom"} or (after.text == "," and after2 is not None and after2.lower == "who"):
        said[PERSON] += 2.0
    elif after.text == "," and after2 is not None and after2.lower in {"which", "where"}:
        said[PERSON] -= 1.0


def by_itself(name: str) -> Evidence:
    """What a name says of itself: its words' places in the lists, its last word, how it is written."""
    said = Evidence()
    words = name.split()
    first, last = words[0], words[-1]
    if not _PERSON_SHAPE.match(name):
        said[PERSON] -= 6.0
    if len(words) > 1 and (kind := lexicon.TYPE_OF_LAST_WORD.get(last.lower().strip("."))):
        # "Sun-hee Park", "Anna Hall": many such words are surnames.
        said[kind] += 1.0 if is_given_name(first) and is_surname(last) else 4.0
    if name.lower() in lexicon.HOLIDAYS:
        said["event"] += 4.0
    if "&" in words or "and" in words:
        said["organization"] += 3.0
    if _PRODUCT_SHAPE.search(name) and not is_place(name):
        said["product"] += 1.5
    if name.lower() in lexicon.PRODUCTS:
        said["product"] += 2.2
    if is_place(name):
        said["place"] += 2.0
    if len(words) == 1:
        said[PERSON] += 1.6 if is_given_name(name) else 0.1 if is_surname(name) else -0.9
        if not is_given_name(name) and rarity(name.lower()) > 6.0:
            said["product"] += 0.3
    elif is_given_name(first):
        said[PERSON] += 2.4 + 0.6 * is_surname(last)
    elif not is_surname(last):
        said[PERSON] -= 0.8
    is_worded = not (is_surname(last) or is_given_name(last)) and rarity(last.lower()) < _HARDLY_A_NAME
    if len(words) > 1 and (is_worded or any(word.islower() and len(word) > 3 for word in words)):
        said[PERSON] -= 3.0  # "Easter holidays", "Ada Lind Reception"
    if name.isupper() and len(name) > 1:
        said[PERSON] -= 3.0
    return said


def is_ordinary(name: str, text: str) -> bool:
    """Whether a name is one word that is common in the language of its text, where another than English has it with a
    capital: "Zimmer", "Sie".
    """
    language = language_of(text)
    if language not in LANGUAGES or language == ENGLISH or " " in name:
        return False
    is_known = is_given_name(name) or is_place(name)
    return zipf_frequency(name.lower(), language) >= (_COMMONEST if is_known else _ORDINARY)


def label_says(label: str, name: str) -> Evidence:
    """What the pipeline's label says of one sighting. It calls most names that it does not know persons."""
    if label != "PERSON":
        return Evidence({lexicon.ENTITY_TYPES.get(label, "other"): LABEL_WORTH})
    known = any(is_given_name(word) or is_surname(word) for word in name.split())
    return Evidence({PERSON: LABEL_WORTH if known or " " in name else LABEL_WORTH / 2})


def decide(candidate: Candidate) -> None:
    """Give the candidate its kind and its type."""
    # Said often is no more than said: sightings weigh by their root, so that no rule wins by repetition.
    damping = max(1, candidate.seen) ** -0.5
    said = Evidence({kind: worth * damping for kind, worth in candidate.evidence.items()})
    said.add(by_itself(candidate.name))
    said["other"] += 0.3
    if candidate.is_addressed:
        said[PERSON] += 3.0
    best = min(KINDS, key=lambda kind: (-said[kind], KINDS.index(kind)))
    if best == PERSON and said[PERSON] < LEAST_FOR_A_PERSON:
        best = "other"
    candidate.evidence = said
    candidate.kind = PERSON if best == PERSON else "entity"
    candidate.entity_type = best
