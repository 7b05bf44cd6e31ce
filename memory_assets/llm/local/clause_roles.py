"""Who does what, with what and when: the clauses of a sentence, each with the words that its verb leads, by role. Pure.

The parser says what depends on what; here it becomes what can be compared between two sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from memory_assets.llm.local.language import Parsed, Token, table
from memory_assets.llm.local.pair_features import stem

SELF = {"i": "i", "my": "i", "me": "i", "we": "we", "our": "we", "us": "we"}
SPEAKERS = frozenset(SELF.values())
SUBJECT, OBJECT, WHEN, DOING, BESIDE = "subject", "object", "when", "doing", "beside"
SUBJECTS = ("nsubj", "nsubjpass")
_LEADS = frozenset("nsubj nsubjpass attr acomp oprd dobj npadvmod advmod".split())
_ROLES = {"nsubj": SUBJECT, "nsubjpass": SUBJECT, "npadvmod": WHEN, "advmod": WHEN, "xcomp": DOING}
_APART = frozenset("conj advcl relcl parataxis ccomp acl intj".split())
JOINTS = frozenset(("now", "nowadays", "longer", "anymore", "more", "just", "instead", "rather"))
_NOW = frozenset(("now", "nowadays", "instead"))
OPEN = frozenset(("a", "an", "another", "some"))
WHY = ("because", "due", "since", "despite", "thanks", "during")
"""Prepositions of what says why or in which time something ended: that belongs to no frame."""
_NONE: frozenset[str] = frozenset()

FORMS = "change_forms.tsv"
"""The verbs of change, as data: a row has a form's name, kind and verbs, and its roles."""


class Verbs(NamedTuple):
    """A row."""

    name: str
    kind: str
    verbs: frozenset[str]
    old: tuple[str, ...]
    new: tuple[str, ...]


@cache
def forms() -> Mapping[str, Verbs]:
    """The rows, by name."""
    return {
        name: Verbs(name, kind, frozenset(verbs.split()), tuple(old.split()), tuple(new.split()))
        for name, kind, verbs, old, new in table(FORMS)
    }


@cache
def predicates(name: str) -> frozenset[str]:
    """The verbs of a row of the forms."""
    return forms()[name].verbs


@cache
def particles() -> frozenset[str]:
    """The particles of all verbs: "up" of "give_up"."""
    return frozenset(verb.partition("_")[2] for one in forms().values() for verb in one.verbs) - {""}


class Clause(NamedTuple):
    """A verb with the stems of the content words that depend on it, by role ("subject", "object", a preposition)."""

    verb: Token
    is_led: bool
    """Whether it is the verb of a sentence, or what somebody needs or wants to do."""
    roles: Mapping[str, frozenset[str]]
    helpers: frozenset[str]
    """The small words beside the verb, and the tags of those."""
    instead: frozenset[str]
    """What it is said not to be: "on Wednesday, not Tuesday"."""
    text: str
    particle: str = ""
    others: frozenset[str] = _NONE
    """Who else is its subject: "Clara and Tom"."""
    is_open: bool = False
    """Whether its object is any of its kind: "sold a car"."""
    is_of_person: bool = False
    """Whether its subject is a name alone."""
    turned: Clause | None = None
    """The same the other way round, where it says who is the one: "Tom is my manager"."""
    is_turned: bool = False
    heads: Mapping[str, tuple[str, str]] = MappingProxyType({})
    """Of each role the sort of word that leads it - a "name", a "thing" ("the hall"), a "kind" ("a nurse"), ... - and
    its stem."""

    @property
    def subject(self) -> frozenset[str]:
        return self.roles.get(SUBJECT, _NONE)

    @property
    def is_now(self) -> bool:
        return not self.helpers.isdisjoint((*_NOW, "new"))

    @property
    def is_new(self) -> bool:
        """Whether nothing but "new" says that it is so now."""
        return "new" in self.helpers and self.helpers.isdisjoint(_NOW)

    def is_one_of(self, name: str) -> bool:
        """Whether its verb, with its particle if it has one, is of a row of the forms."""
        return not predicates(name).isdisjoint((self.verb.lemma, f"{self.verb.lemma}_{self.particle}"))

    @property
    def is_over(self) -> bool:
        return "longer" in self.helpers or self.is_denied and not self.helpers.isdisjoint(("anymore", "more"))

    @property
    def is_denied(self) -> bool:
        return not self.helpers.isdisjoint(("neg", "never"))

    @property
    def is_asserted(self) -> bool:
        """Whether it says that something is so: not "wants me to stop"."""
        is_finite = "nsubj" in self.helpers and not self.helpers.isdisjoint(("do", "does", "did"))
        return self.verb.dep in ("ROOT", "conj") or self.verb.tag not in ("VB", "VBG") or is_finite

    @property
    def is_past(self) -> bool:
        is_present = not self.helpers.isdisjoint(("is", "are", "am", "'m", "'s", "'re"))
        return self.verb.tag == "VBD" or self.verb.tag == "VBN" and not is_present

    def is_of_named(self, speaker: str) -> bool:
        """Whether it speaks of somebody or something that is not the speaker's own."""
        own = {stem(name.lower()) for name in speaker.split()}
        return bool(self.subject) and self.subject.isdisjoint(SPEAKERS | own)

    def of(self, roles: Sequence[str]) -> frozenset[str]:
        """The words that have one of these roles."""
        return _NONE.union(*(self.roles.get(role, _NONE) for role in roles))

    def but(self, roles: Sequence[str]) -> frozenset[str]:
        """The words that have none of these roles."""
        return self.of([role for role in self.roles if role not in roles])


def clauses_of(parsed: Parsed, speaker: str) -> Iterator[Clause]:
    """The clauses of a text; "I" of a speaker with a name is that name."""
    tokens = parsed.tokens
    against = _instead(tokens)
    for at, verb in enumerate(tokens):
        if verb.pos not in ("VERB", "AUX") or verb.dep not in ("ROOT", "conj", "ccomp", "xcomp"):
            continue
        roles: dict[str, set[str]] = {}
        turned: dict[str, set[str]] = {}
        helpers: set[str] = set()
        instead: set[str] = set()
        own = [at]
        for place, token in enumerate(tokens):
            role, is_beside = _role(tokens, place, at)
            if is_beside or role and role != BESIDE:
                own.append(place)
            if _says_now(tokens, place, at):
                helpers.add("new" if token.lower == "new" else "now")
                continue
            is_joint = role and token.lower in JOINTS and (token.lower != "more" or _is_any_more(tokens, place, at))
            if place not in against and (is_beside or is_joint):
                helpers |= {token.lower, token.dep, token.tag if token.dep == "aux" else ""}
            is_self = token.lower in SELF
            stems = (
                _speaker(SELF[token.lower], speaker)
                if is_self
                else {stem(token.lower)}
                if _is_content(token)
                else set()
            )
            if role and place in against:
                instead |= set() if is_self else stems
            elif role and stems and (role == SUBJECT or not is_self):
                roles.setdefault(role, set()).update(stems)
            if role in (SUBJECT, OBJECT) and stems and place not in against and (role == OBJECT or not is_self):
                turned.setdefault(OBJECT if role == SUBJECT else SUBJECT, set()).update(stems)
        if SUBJECT not in roles and verb.dep in ("conj", "xcomp"):
            heads = [place for place in range(len(tokens)) if _role(tokens, place, verb.head)[0] == SUBJECT]
            shared = [
                _speaker(SELF[tokens[one].lower], speaker) if tokens[one].lower in SELF else {stem(tokens[one].lower)}
                for one in heads
                if tokens[one].lower in SELF or _is_content(tokens[one])
            ]
            roles |= {SUBJECT: set().union(*shared)} if shared else {}
        is_led = verb.dep in ("ROOT", "conj") or tokens[verb.head].lemma in forms()["lead"].verbs
        clause = Clause(
            verb,
            is_led,
            {role: frozenset(some) for role, some in roles.items()},
            frozenset(helpers),
            frozenset(instead),
            " ".join(tokens[place].text for place in sorted(own)),
            particle=next((token.lower for token in tokens if token.head == at and _is_particle(token)), ""),
            is_open=any(
                token.lower in OPEN and tokens[token.head].head == at for token in tokens if token.dep == "det"
            ),
            is_of_person=any(one.head == at and one.dep in SUBJECTS and one.tag == "NNP" for one in tokens),
            heads=_heads(tokens, at),
            others=frozenset(
                stem(token.lower) if token.lower not in SELF else SELF[token.lower]
                for token in tokens
                if token.dep == "conj" and tokens[token.head].dep in SUBJECTS and tokens[token.head].head == at
            ),
        )
        if _is_of_one(tokens, at) and turned.keys() == {SUBJECT, OBJECT}:
            rest = {role: some for role, some in clause.roles.items() if role not in turned}
            other_way = {role: frozenset(some) for role, some in turned.items()}
            whose, what = (clause.heads.get(role, ("", "")) for role in (OBJECT, SUBJECT))
            led = {**clause.heads, SUBJECT: whose, OBJECT: what}
            turned_round = clause._replace(roles=rest | other_way, is_of_person=False, is_turned=True, heads=led)
            clause = clause._replace(turned=turned_round)
        yield clause


def _is_of_one(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a clause says who or what the one of its kind is: "Tom is my manager", "Ben is the lead"."""
    what = [at for at, token in enumerate(tokens) if token.head == verb and token.dep == "attr"]
    return tokens[verb].lemma == "be" and any(
        token.head in what and (token.dep == "poss" or token.lower == "the") for token in tokens
    )


def _heads(tokens: Sequence[Token], verb: int) -> dict[str, tuple[str, str]]:
    """Of each role of a verb the sort of the word that leads it, and its stem; no sort where several do."""
    found: dict[str, tuple[str, str]] = {}
    for at, token in enumerate(tokens):
        is_led = tokens[token.head].dep == "prep" and token.dep == "pobj"
        if token.lower in JOINTS or not is_led and (token.head != verb or token.dep not in _LEADS):
            continue
        role, _ = _role(tokens, at, verb)
        if role:
            found[role] = ("", "") if role in found else (_sort(tokens, at), stem(token.lower))
    return found


def _sort(tokens: Sequence[Token], at: int) -> str:
    """What sort of word it is, whatever the parser takes an unknown name for."""
    token = tokens[at]
    before = [one for one in tokens if one.head == at and one.dep in ("det", "poss")]
    if token.pos == "NUM":
        return "number"
    inner = token.text[1:].replace("-", "").replace("'", "")
    if inner and not (inner.isalpha() and inner.islower()):  # "AngularJS", "B7", "jo@example.com"
        return "name"
    if token.pos not in ("NOUN", "PROPN"):
        return "quality" if token.pos in ("ADJ", "VERB", "ADV") else ""
    if any(one.lower in OPEN for one in before) or token.tag == "NNS" and not before:
        return "kind"
    return "name" if token.pos == "PROPN" else "thing" if before else "bare"


def _is_particle(token: Token) -> bool:
    return token.dep == "prt" or token.dep == "advmod" and token.lower in particles()


def _says_now(tokens: Sequence[Token], place: int, verb: int) -> bool:
    """Whether a word says that what its clause says is so now: "these days", "my new dentist"."""
    token, head = tokens[place], tokens[tokens[place].head]
    if token.lower == "days" and place and tokens[place - 1].lower == "these":
        return True
    if token.lower != "new" or token.dep != "amod" or head.head != verb or head.dep not in (*SUBJECTS, "attr"):
        return False
    return any(one.head == token.head and (one.dep == "poss" or one.lower == "the") for one in tokens)


def _is_any_more(tokens: Sequence[Token], place: int, verb: int) -> bool:
    """Whether "more" says that something is over, not how much: "not any more", as the parser sees "vegan any more"."""
    is_passive = any(token.dep == "auxpass" and token.head == verb for token in tokens)
    return tokens[place].dep == "advmod" or tokens[place].head == verb and is_passive


def _speaker(pronoun: str, speaker: str) -> set[str]:
    return {stem(name.lower()) for name in speaker.split()} if speaker and pronoun == "i" else {pronoun}


def _role(tokens: Sequence[Token], place: int, verb: int) -> tuple[str, bool]:
    """Which role a word has with a verb, "" if none; and whether it is beside it."""
    if place == verb:
        return "", False
    found, at = "", place
    while tokens[at].head != verb:
        if tokens[at].dep in _APART and not (at != place and tokens[at].dep == "conj") or tokens[at].head == at:
            return "", False
        found = BESIDE if tokens[at].dep == "appos" else found
        at = tokens[at].head
        if tokens[at].dep == "prep" and not found:
            found = tokens[at].lower
            # The parser takes "from 300 to 400" for one place.
            found = "to" if found == "from" and "to" in [one.lower for one in tokens[at:place]] else found
    if tokens[at].dep in _APART:
        return "", False
    if tokens[at].dep in ("aux", "auxpass"):
        return "", at == place
    role = BESIDE if tokens[at].dep == "dep" else _ROLES.get(tokens[at].dep, OBJECT)
    return role if role == SUBJECT or not found else found, at == place


def _is_content(token: Token) -> bool:
    has_content = token.pos in ("NUM", "PROPN") or not token.is_stop or token.lower == "other"
    return token.text[:1].isalnum() and token.lower not in JOINTS and has_content


def _instead(tokens: Sequence[Token]) -> frozenset[int]:
    """The places of what is said not to be: behind "instead of", "rather than" and ", not"."""
    found: set[int] = set()
    for at in range(1, len(tokens) - 1):
        pair = (tokens[at - 1].lower, tokens[at].lower)
        if pair in (("instead", "of"), ("rather", "than"), (",", "not"), ("and", "not")):
            end = next(
                (p for p in range(at + 1, len(tokens)) if tokens[p].pos in ("PUNCT", "ADP", "CCONJ") and p > at + 1),
                len(tokens),
            )
            found.update(range(at, end))
    return frozenset(found)
