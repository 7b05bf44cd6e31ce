"""Notes and relationships by rules: the local model's answer to ``notes/note_*`` (specification 004, Phase 2, Step 4).

A note is a statement of the extraction, word for word. How long it is stored follows from what kind of
statement it is and how durable (004, Note Retention): preferences and foundational facts forever or a year, tasks
and what is going on a month, situations a week.

A relationship is read from a sentence only where its words say it in one of a few plain forms, with both names in
place. Questions, wishes, conditions, doubts and denials make none: precision before recall. Names count where they
are; "I" and "my" are the speaker's, "me" is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memory_assets.llm.local.lexicon import NOT_NAMES
from memory_assets.llm.relationships import TYPES
from memory_assets.llm.tasks import (
    Lifetime,
    NoteRequest,
    NotesTaken,
    Relation,
    RelationNote,
    StatedText,
    SubjectName,
    SubjectNote,
)
from memory_assets.text.attribution import Words, attributed

MOST_NOTES = 12
"""Of one subject in one source: the most durable, in the order in which they were said."""
MOST_RELATION_NOTES = 4
FOREVER, A_YEAR, A_MONTH, TOO_LITTLE = 0.9, 0.75, 0.5, 0.2
LONGEST_NOTE = 400
LONGEST_READ = 300
MOST_NAMES = 60

_OPEN, _CLOSE = "\ue000", "\ue001"
_SELF = re.compile(r"\b(?:I|I['’](?:m|ve|ll|d)|my|we|our)\b", re.IGNORECASE)
_FIRST_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_UNSURE = re.compile(
    r"\?|\b(?:not|never|no longer|nobody|none|without|used to|if|whether|unless|would|could|might|(?-i:may)|maybe|"
    "perhaps|"
    r"probably|possibly|should|hopefully|apparently|supposedly|allegedly|wish(?:es)?|hop(?:es?|ing)|wants?|wanted|"
    r"plan(?:s|ning|ned)?|consider(?:s|ing)?|think(?:s|ing)? (?:about|of)|going to|almost|nearly|pretend\w*|imagine|"
    r"until|formerly worked|ex)\b|n['’]t\b",
    re.IGNORECASE,
)
_RELATIVE = (
    r"(?:wife|husband|spouse|fianc[eé]e?|son|daughter|mom|mum|mother|dad|father|sister|brother|twin|"
    r"(?:twin|little|big|older|younger|elder) (?:sister|brother)|grand(?:ma|pa|mother|father|son|daughter)|"
    r"aunt|uncle|cousin|niece|nephew|(?:mother|father|sister|brother|son|daughter)-in-law)"
)
_NOW = r"(?: (?:currently|now|also|still|just|both|already|mostly|mainly|always))?"
_THE = r"(?: (?:the|a|an|our|their|his|her))?"
_A, _B = rf"{_OPEN}(?P<a>\d+){_CLOSE}", rf"{_OPEN}(?P<b>\d+){_CLOSE}"
_POSSESSIVE = r"['’]s"
_ROLE = r"(?:an?|the) (?:[\w-]+ ){0,3}[\w-]+"
_LEADS = r"(?:leads?|manages?|heads|runs|(?:is|am) (?:leading|managing|running|heading|in charge of|responsible for))"

_NEXT_WORD = re.compile(r"(?:['’]s)?[ -]([^\W\d_]+)")
_GOES_NO_FURTHER = frozenset(
    "and or but as at by for from in into near of off on onto over since so than that then through to too together "
    "until till upon via when where which while who with again already also because both here now there today "
    "tomorrow this next last every each is are was were has have had will full part during after before".split()
)


class _Rule(NamedTuple):
    """A plain form of words, and whether its first name is the relationship's second."""

    type: str
    form: re.Pattern[str]
    turned: bool


def _rule(type_name: str, form: str, *, turned: bool = False) -> _Rule:
    return _Rule(type_name, re.compile(form), turned)


RULES = (
    _rule(
        "works_at", rf"{_A}{_NOW} (?:works?|(?:is|am) working|ha(?:s|ve) worked)(?: as {_ROLE})? (?:at|for){_THE} {_B}"
    ),
    _rule("works_with", rf"{_A}{_NOW} (?:works?|(?:is|am) working)(?: closely)? (?:together )?with {_B}"),
    _rule("manages", rf"{_A}{_NOW} {_LEADS}{_THE} {_B}"),
    _rule("manages", rf"{_A}{_NOW} (?:reports?|(?:is|am) reporting) to {_B}", turned=True),
    _rule("member_of", rf"{_A}{_NOW} (?:has joined|have joined|joined|joins){_THE} {_B}"),
    _rule("owns", rf"{_A}{_NOW} owns?{_THE} {_B}"),
    _rule("uses", rf"{_A}{_NOW} (?:uses?|(?:is|am|are) using|(?:has |have )?switched to|relies on|rely on){_THE} {_B}"),
    _rule("lives_in", rf"{_A}{_NOW} (?:lives?|(?:is|am) living|resides?|(?:is|am) based) (?:in|near) {_B}"),
    _rule("lives_in", rf"{_A} (?:has |have )?(?:just |recently )?moved (?:back )?to {_B}"),
    _rule("family_of", rf"{_A} (?:is|am) {_B}{_POSSESSIVE} {_RELATIVE}\b"),
    _rule("family_of", rf"{_A}{_POSSESSIVE} {_RELATIVE}(?:,| is)? {_B}"),
    _rule("friend_of", rf"{_A}{_POSSESSIVE} (?:(?:old|good|close|best|great|dear) )*friend,? {_B}"),
    _rule("part_of", rf"{_A} (?:is|are) (?:a )?(?:\w+ )?part of{_THE} {_B}"),
    _rule("renamed_from", rf"{_A} (?:has been |have been |was |were |is )?renamed (?:to |as |into )?{_B}", turned=True),
)
"""The plain forms, all of which are tried: a sentence may say several things."""


def lifetime_of(statement: StatedText) -> Lifetime:
    """How long a statement is stored as a note (004, Note Retention)."""
    if statement.content_type == "preference":
        return "forever" if statement.durability >= FOREVER else "year"
    if statement.content_type == "task":
        return "month"
    if statement.durability >= FOREVER:
        return "forever"
    if statement.durability >= A_YEAR:
        return "year"
    return "month" if statement.durability >= A_MONTH else "week"


def take_notes(request: NoteRequest, kind: str) -> NotesTaken:
    """The answer to the task of a kind of subjects: ``person`` to ``notes/note_people``, and so on."""
    names = {name.name: name for name in request.names}
    worth = [one for one in request.statements if _is_worth_noting(one)]
    found: dict[tuple[str, str, str], Relation] = {}
    for one, other, type_name, statement in _relations(request.names, request.statements):
        if one.kind == kind:  # each relationship is found by the step of its first name
            key = (one.name, other.name, type_name)
            relation = Relation(from_name=key[0], to_name=key[1], type=type_name, description=_attributed(statement))
            found.setdefault(key, relation)
    return NotesTaken(
        notes=tuple(_notes(worth, [name for name in names.values() if name.kind == kind])),
        relationships=tuple(found.values()),
        relationship_notes=tuple(_relation_notes(found.values(), worth)),
    )


def _attributed(statement: StatedText) -> str:
    return attributed(Words(statement.text, statement.speaker, statement.said_by_owner))


def _is_worth_noting(statement: StatedText) -> bool:
    return (
        statement.content_type != "chitchat"
        and statement.durability >= TOO_LITTLE
        and len(statement.text) <= LONGEST_NOTE
        and len(statement.text.split()) >= 4
        and not statement.text.rstrip(" \"')").endswith("?")
    )


def _notes(worth: Sequence[StatedText], subjects: Iterable[SubjectName]) -> Iterator[SubjectNote]:
    for subject in subjects:
        for one in _most_durable([one for one in worth if _is_about(one, subject)], MOST_NOTES):
            yield SubjectNote(subject=subject.name, content=_attributed(one), lifetime=lifetime_of(one))


def _most_durable(statements: Sequence[StatedText], most: int) -> list[StatedText]:
    """At most so many of them, in the order in which they were said."""
    best = sorted(range(len(statements)), key=lambda number: (-statements[number].durability, number))[:most]
    return [statements[number] for number in sorted(best)]


def _is_about(statement: StatedText, subject: SubjectName) -> bool:
    """Whether it names the subject, or is what the subject says of itself."""
    if subject.name in statement.about:
        return True
    return subject.kind == "person" and _is_speaker(statement, subject) and _SELF.search(statement.text) is not None


def _is_speaker(statement: StatedText, name: SubjectName) -> bool:
    return statement.speaker is not None and statement.speaker.casefold() == name.name.casefold()


def _relation_notes(relations: Iterable[Relation], worth: Sequence[StatedText]) -> Iterator[RelationNote]:
    for relation in relations:
        ends = {relation.from_name, relation.to_name}
        both = [one for one in worth if ends <= set(one.about) and _attributed(one) != relation.description]
        for one in _most_durable(both, MOST_RELATION_NOTES):
            yield RelationNote(
                from_name=relation.from_name,
                to_name=relation.to_name,
                type=relation.type,
                content=_attributed(one),
                lifetime=lifetime_of(one),
            )


def _relations(
    names: Sequence[SubjectName], statements: Sequence[StatedText]
) -> Iterator[tuple[SubjectName, SubjectName, str, StatedText]]:
    known = sorted(names, key=lambda name: name.name)[:MOST_NAMES]
    spelled = _spellings(known)
    if not spelled:
        return
    anywhere = re.compile(
        r"(?<![\w@.])(?:"
        + "|".join(re.escape(form) for form in sorted(spelled, key=lambda f: (-len(f), f)))
        + r")(?!\w|\.\w)"
    )
    for statement in statements:
        speaker = next((at for at, n in enumerate(known) if n.kind == "person" and _is_speaker(statement, n)), None)
        for sentence in _FIRST_SENTENCE.split(statement.text):
            if len(sentence) > LONGEST_READ or sentence.rstrip().endswith("?"):
                continue
            masked = _masked(sentence, anywhere, spelled, speaker)
            if masked.count(_OPEN) < 2 or _UNSURE.search(masked):
                continue
            for rule in RULES:
                for match in rule.form.finditer(masked):
                    one, other = known[int(match["a"])], known[int(match["b"])]
                    if other.kind != "person" and _goes_on(masked, match):
                        continue
                    if rule.turned:
                        one, other = other, one
                    if one != other and _may_be(rule.type, one, other):
                        yield one, other, rule.type, statement


def _goes_on(masked: str, match: re.Match[str]) -> bool:
    """Whether the last name is only the beginning of another ("owns the alert thresholds")."""
    after = _NEXT_WORD.match(masked, match.end())
    return after is not None and after[1].casefold() not in _GOES_NO_FURTHER


def _may_be(type_name: str, one: SubjectName, other: SubjectName) -> bool:
    """Whether the kinds of the two allow it; of places and employers, what is known of them as well."""
    if not TYPES[type_name].allows(one.kind, other.kind):
        return False
    if type_name == "lives_in":
        return other.entity_type == "place"
    if type_name == "works_at":
        return other.entity_type not in {"person", "date", "event"}
    return True


def _spellings(known: Sequence[SubjectName]) -> dict[str, int]:
    """Each way in which one name alone is written: as listed, and a person's first name where only one has it."""
    spelled: dict[str, int] = {}
    firsts: dict[str, set[int]] = {}
    for at, name in enumerate(known):
        spelled[name.name] = at
        first = name.name.split()[0] if name.name.split() else ""
        if name.kind == "person" and first[:1].isupper() and first.casefold() not in NOT_NAMES and "@" not in first:
            firsts.setdefault(first, set()).add(at)
    for first, whose in firsts.items():
        if len(whose) == 1:
            spelled.setdefault(first, next(iter(whose)))
    return spelled


def _masked(sentence: str, anywhere: re.Pattern[str], spelled: dict[str, int], speaker: int | None) -> str:
    """The sentence with each name as a sign of its own; the speaker's "I" and "my" too."""
    sentence = sentence.replace(_OPEN, " ").replace(_CLOSE, " ")
    masked = anywhere.sub(lambda match: f"{_OPEN}{spelled[match[0]]}{_CLOSE}", sentence)
    if speaker is not None:
        sign = f"{_OPEN}{speaker}{_CLOSE}"
        masked = re.sub(r"\bI['’]m\b", f"{sign} am", masked)
        masked = re.sub(r"\bI['’]ve\b", f"{sign} have", masked)
        masked = re.sub(r"\bI\b", sign, masked)
        masked = re.sub(r"\b[Mm]y\b", f"{sign}'s", masked)
    return re.sub(rf"({_CLOSE})['’]s (an?|the) ", r"\1 is \2 ", masked)
