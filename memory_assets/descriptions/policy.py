"""Whose description is due, from which notes it is made, and which sentences of an answer are taken (004, Nightly
Description Consolidation). Pure.

A description follows from the notes that hold: neither expired nor outdated, nor left out by somebody's decision. Where
there are none, or none of them can be told, it follows from those that expired last.
Each of its sentences is a note word for word, or cites notes that say what it says (``llm/cited.py``). How it was
described before is shown to a model, and decides nothing: the same notes are not asked about twice.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from memory_assets.clock import day_of, to_iso
from memory_assets.graph.notes import LIFETIME_RANKS
from memory_assets.llm import sentences
from memory_assets.llm.cited import Cited, fault
from memory_assets.llm.sentences import Sentence, is_said, read_sentences
from memory_assets.llm.tasks import DescriptionNote, DescriptionRequest, SubjectDescription
from memory_assets.model import fingerprint
from memory_assets.text.attribution import Words, attributed, behind_name
from memory_assets.text.lines import clean_text

CODE_VERSION = "2"

KINDS = {"Person": "person", "Concept": "concept", "Entity": "entity", "Relationship": "relationship"}
MOST_SENTENCES = {"person": 2, "entity": 2, "concept": 1, "relationship": 1}
"""004: a short description of people and entities; one sentence of concepts and relationships."""
UNKNOWN_LIFETIME = LIFETIME_RANKS["month"]
_NEVER = "~"
"""Sorts behind every instant."""


@dataclass(frozen=True)
class DescriptionRules:
    """How many are described in a run, who comes first (004, Cost Optimization: accessed in the last 7 days), and how
    many notes of one are read.
    """

    most_a_run: int = 200
    accessed_within: timedelta = timedelta(days=7)
    most_notes: int = 60


RULES = DescriptionRules()


@dataclass(frozen=True)
class Subject:
    """Somebody or something to be described, and how it is described so far."""

    id: str
    kind: str
    name: str
    entity_type: str
    description: str | None = None
    sentences: tuple[Sentence, ...] = ()
    described_from: str | None = None
    embedder: str | None = None
    dirty_at: datetime | None = None


@dataclass(frozen=True)
class Noted:
    """Something noted of a subject. ``words`` are those that were said and ``speaker`` says them, where they are a
    source's; ``statement`` is what of them a stranger understands alone.
    """

    id: str
    content: str
    lifetime: str | None
    noted_at: datetime | None
    expires_at: datetime | None
    is_outdated: bool
    words: str
    statement: str | None = None
    speaker: str | None = None
    is_owners: bool = False

    @property
    def day(self) -> str | None:
        """The day of what it says."""
        return day_of(self.noted_at).isoformat() if self.noted_at else None


def stale_key(user: str, instant: datetime | None = None) -> str:
    """The text by which an index finds whose description is due: at once, or from an instant on."""
    return f"{user}|{to_iso(instant) or ''}"


def end_of_keys(user: str) -> str:
    """Sorts behind every key of a user."""
    return f"{user}|{_NEVER}"


def instant_of(key: str) -> datetime:
    """The instant of a :func:`stale_key`."""
    return datetime.fromisoformat(key.partition("|")[2])


def in_turn(rows: Iterable[Mapping[str, Any]], now: datetime, rules: DescriptionRules = RULES) -> list[str]:
    """The ids of who is due: first those that somebody has asked for in the last days, then by how long they wait.

    Who has waited longer than those days is one of the first, too: what is asked for every day keeps nobody waiting for
    ever.
    """

    def turn(row: Mapping[str, Any]) -> tuple[bool, datetime, str]:
        # What time alone made due waits since the instant of its key; a key without one says "at once", and no more.
        since = row["dirty_since"] or (now if row["stale_key"].endswith("|") else instant_of(row["stale_key"]))
        asked = [at for at in (row["accessed_at"], row["source_accessed_at"]) if at is not None]
        is_recent = bool(asked) and now - max(asked) <= rules.accessed_within
        return not (is_recent or now - since > rules.accessed_within), since, row["id"]

    return [row["id"] for row in sorted(rows, key=turn)]


def subject_of(row: Mapping[str, Any]) -> Subject:
    """A subject as it was read (``descriptions/list_subjects``)."""
    kind = next(KINDS[label] for label in row["labels"] if label in KINDS)
    is_relationship = kind == "relationship"
    name = f"{row['from_name']} {row['type']} {row['to_name']}" if is_relationship else row["name"]
    of_kind = (row["type"] if is_relationship else row["entity_type"]) or kind
    known = {name: row[name] for name in ("description", "described_from", "embedder", "dirty_at")}
    return Subject(row["id"], kind, name or "", of_kind, sentences=read_sentences(row["sentences"]), **known)


def notes_by_subject(
    notes: Iterable[Mapping[str, Any]],
    statements: Iterable[Mapping[str, Any]],
    left_out: Container[str],
    own_names: Container[str] = (),
) -> dict[str, list[Noted]]:
    """What is noted, by subject, oldest first: what is of an unknown day comes before all.

    ``statements`` are those of the notes' sources: a note that has the words of one in it, or rests on it, is outdated
    with it.
    ``left_out``: the statements that somebody has decided to leave out. ``own_names``, folded: who is called so is the
    owner, also in a team's source.
    """
    stated: dict[str, list[Mapping[str, Any]]] = {}
    for row in statements:
        stated.setdefault(row["source_id"], []).append(row)
    found: dict[str, dict[str, Noted]] = {}
    for row in sorted(notes, key=lambda row: (row["subject_id"], row["note_id"] or "", row["source_id"])):
        of_source = stated.get(row["source_id"], ())
        said = [one for one in of_source if one["words"] and one["words"] in row["content"]]
        bearing = [*said, *(one for one in of_source if one["chunk_id"] in row["rests_on"])]
        is_outdated = any(one["outdated"] or one["chunk_id"] in left_out for one in bearing)
        one = _noted(row, said, own_names, is_outdated)
        of_it = found.setdefault(row["subject_id"], {})
        before = of_it.get(one.id, one)
        # A note of several sources is outdated with what any of them says no longer; its words are one source's.
        of_it[one.id] = replace(one if said else before, is_outdated=one.is_outdated or before.is_outdated)
    return {
        key: sorted(of_it.values(), key=lambda one: (to_iso(one.noted_at) or "", one.id))
        for key, of_it in found.items()
    }


def _noted(
    row: Mapping[str, Any], said: Sequence[Mapping[str, Any]], own_names: Container[str], is_outdated: bool
) -> Noted:
    note = (row["note_id"] or row["source_id"], row["content"], row["lifetime"])
    when = (row["noted_at"], row["expires_at"], is_outdated)
    if not said:
        return Noted(*note, *when, row["content"], statement=row["content"])
    best = max(said, key=lambda one: (len(one["words"]), one["chunk_id"]))
    is_owners = bool(best["said_by_owner"]) or (best["speaker"] or "").casefold() in own_names
    return Noted(*note, *when, best["words"], best["statement"], best["speaker"], is_owners)


def grounds(notes: Iterable[Noted], now: datetime) -> list[list[Noted]]:
    """What a description may follow from, the first first: what of the notes is neither outdated nor expired, then what
    expired last, and before that. Whichever nights there were, what is left of the notes gives the same.
    """
    current = [one for one in notes if not one.is_outdated]
    holding = [one for one in current if one.expires_at is None or one.expires_at > now]
    expired = sorted({one.expires_at for one in current if one.expires_at and one.expires_at <= now}, reverse=True)
    return [part for part in (holding, *([one for one in current if one.expires_at == at] for at in expired)) if part]


def rests_on(subject: Subject, notes: Iterable[Noted]) -> bool:
    """Whether somebody is described, and by these notes alone."""
    cited = {key for one in subject.sentences for key in one.cites}
    return bool(cited) and cited <= {one.id for one in notes}


def made_from(subject: Subject, notes: Sequence[Noted], recipe: str) -> str:
    """All that a model is asked about a subject: the first of its :func:`grounds`."""
    parts = (f"{one.id} {one.content} {one.statement} {one.lifetime} {one.day}" for one in notes)
    return fingerprint(recipe, subject.kind, subject.name, subject.entity_type, *parts)


def request_for(subject: Subject, notes: Sequence[Noted], rules: DescriptionRules = RULES) -> DescriptionRequest:
    """What is asked about a subject: its notes, of more than so many those that last longest and are newest."""
    ids = {one.id for one in notes}

    def note(number: int, one: Noted) -> DescriptionNote:
        speaker, said = None if one.is_owners else one.speaker, {"day": one.day, "text": one.content}
        return DescriptionNote(ref=str(number), statement=_checked(one), speaker=speaker, lasting=_rank(one), **said)

    return DescriptionRequest(
        **{name: getattr(subject, name) for name in ("kind", "name", "entity_type")},
        current=tuple(one.text for one in subject.sentences if ids.issuperset(one.cites)),
        notes=tuple(note(number, one) for number, one in enumerate(shown(notes, rules), start=1)),
    )


def _checked(one: Noted) -> str | None:
    """What a stranger understands of a note alone, where it follows from the note as every sentence must."""
    text = one.statement and behind_name(one.statement, None if one.is_owners else one.speaker)
    return one.statement if text and fault_of(clean_text(text), [one]) is None else None


def shown(notes: Sequence[Noted], rules: DescriptionRules = RULES) -> list[Noted]:
    """The notes that a model sees, in their order."""
    best = sorted(range(len(notes)), key=lambda at: (-_rank(notes[at]), -at))[: rules.most_notes]
    return [notes[at] for at in sorted(best)]


def _rank(one: Noted) -> int:
    return LIFETIME_RANKS.get(one.lifetime or "", UNKNOWN_LIFETIME)


def take(
    kind: str, answer: SubjectDescription, notes: Sequence[Noted]
) -> tuple[tuple[Sentence, ...], tuple[tuple[str, str], ...]]:
    """The sentences of an answer that are taken, and the others, each with why. ``notes`` are those it was shown."""
    by_number = {str(number): one for number, one in enumerate(notes, start=1)}
    taken, refused = sentences.take(answer.sentences, by_number, MOST_SENTENCES[kind], fault_of)
    return tuple(Sentence(text, tuple(one.id for one in cited)) for text, cited in taken.items()), refused


def fault_of(text: str, cited: Sequence[Noted]) -> str | None:
    """Why a sentence of a description does not follow from what it cites; None where it is a note word for word, or
    says what the notes say.
    """
    said = (words for one in cited for words in (one.content, _with_name(one)))
    return None if is_said(text, said) else fault(text, [_cited(one) for one in cited])


def _with_name(one: Noted) -> str:
    """What was said, behind the name that it needs."""
    return attributed(Words(one.words, one.speaker, one.is_owners))


def _cited(one: Noted) -> Cited:
    return Cited(one.id, one.id, "", one.words, one.speaker, one.day, is_owners=one.is_owners)


def due_again(user: str, described: Iterable[Sentence], notes: Iterable[Noted], now: datetime) -> str | None:
    """The key by which a description is due by time alone: when the next of the notes that it rests on expires."""
    ends = {one.id: one.expires_at for one in notes}
    cited = (ends.get(key) for sentence in described for key in sentence.cites)
    instants = [at for at in cited if at is not None and at > now]
    return stale_key(user, min(instants)) if instants else None


def unsupported(subject: Subject, notes: Sequence[Noted]) -> list[tuple[str, str]]:
    """The sentences of a stored description that do not follow from the notes they cite, each with why."""
    known = {one.id: one for one in notes}

    def cited(sentence: Sentence) -> list[Noted]:
        return [known[key] for key in sentence.cites if key in known]

    return sentences.unsupported(subject.sentences, subject.description, cited, fault_of)
