"""Condenses long archived records (001, Option C; design.md, section 4): by the configured model, else to some of their
own sentences. What they said is stored beside it, and can be put back.

What is shorter must say all that cannot be guessed: each name, number, day and denial of the record, and nothing that
the record does not say. In doubt the record stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory_assets.curation.likeness import capitalised, numbers, times_named
from memory_assets.curation.reading import Plan
from memory_assets.errors import ModelError, UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.knife import cut
from memory_assets.llm.local.days import days_in
from memory_assets.llm.local.sentences import split_sentences
from memory_assets.llm.model_client import LanguageModel
from memory_assets.llm.tasks import CONDENSE_RECORD, CondensedRecord, RecordToCondense
from memory_assets.llm.tokens import count_tokens
from memory_assets.runtime.failures import waits
from memory_assets.text.content import content_words, denied
from memory_assets.text.words import Candidate, choose_covering, word_weights
from memory_assets.text.words import content_words as rare_words

ASSET = "curated_memories"
IN_SENTENCES = "whole sentences"
"""Who has condensed a record where no model did."""
MOST = 10
"""So many records a cycle condenses (001, Risks)."""
_DENIED_WORDS = 5

Row = dict[str, Any]


@dataclass(frozen=True)
class CondensingRules:
    """To how many tokens sentences are chosen, and how many of a hundred may be left (what is long: ``@is_bulky``)."""

    target: int = 250
    most_percent: int = 85


RULES = CondensingRules()


@dataclass(frozen=True)
class Condensed:
    """What became of a record: ``why`` is empty where it was condensed, else why it stays."""

    id: str
    ref: str
    before: int
    after: int
    by: str
    why: str = ""


def condense(
    graph: Graph,
    language: LanguageModel | None,
    user: str,
    now: datetime,
    *,
    plan: Plan | None = None,
    dry_run: bool = False,
) -> list[Condensed]:
    """Condense the first :data:`MOST` of the archived records that are long and wait.

    ``language`` is the configured model; None, or one that works here, leaves whole sentences. What a service could not
    answer now waits for the next cycle. The owner's lock is held. A dry run writes nothing, asks nobody: what becomes
    of those that wait by what a ``plan`` has left; ``why`` says that a service would be asked.
    """
    plan = plan or Plan()
    waiting = {row["id"] for row in graph.read("curation/list_bulky", user_id=user, limit=MOST + len(plan.gone))}
    asked = {"ids": sorted((waiting | plan.archived) - plan.gone), "planned": sorted(plan.archived)}
    found = graph.read("curation/list_to_condense", user_id=user, **asked)[:MOST]
    service = language if language is not None and not getattr(language, "works_here", False) else None
    if dry_run and service is not None:
        seen = [(row["id"], row["ref"], row["token_count"]) for row in found]
        return [Condensed(key, ref, tokens, tokens, service.name, _TO_ASK) for key, ref, tokens in seen]
    answers = _asked(service, user, found) if service is not None else [None] * len(found)
    by = service.name if service is not None else IN_SENTENCES
    judged = [(row, *_one(row, answer, by)) for row, answer in zip(found, answers, strict=True)]
    done = [one for _, one, _ in judged]
    if dry_run:
        return done
    rows = [
        {"id": row["id"], "version": row["version"], "text": text, "token_count": one.after}
        | {"condensed_by": one.by if text is not None else None}
        for row, one, text in judged
        if one.why != _LATER
    ]
    written = {row["id"] for row in cut(graph, "set_condensed", rows, user=user, now=now)}
    return [one if one.id in written or one.why else replace(one, after=one.before, why=_OVERTAKEN) for one in done]


_TO_ASK = "the model would be asked"
_LATER = "the model is asked again by the next cycle"
_OVERTAKEN = "somebody has written it meanwhile"


def _asked(language: LanguageModel, user: str, found: Sequence[Row]) -> list[CondensedRecord | ModelError]:
    payloads = [RecordToCondense(kind=row["kind"], title=row["title"] or "", text=row["text"]) for row in found]
    answers = language.ask_many(CONDENSE_RECORD, payloads, CondensedRecord, asset=ASSET, user_id=user)
    return [answer if isinstance(answer, ModelError) else answer.value for answer in answers]


def _one(row: Row, answer: CondensedRecord | ModelError | None, by: str) -> tuple[Condensed, str | None]:
    """What becomes of a record, and its shorter text; None where it stays."""
    before = row["token_count"]
    if isinstance(answer, ModelError) and waits(answer):
        return Condensed(row["id"], row["ref"], before, before, by, _LATER), None
    if isinstance(answer, CondensedRecord):
        text = answer.text.strip()
    else:
        text, by = in_sentences(row["text"]), IN_SENTENCES
    if reason := fault(row["text"], text) or _too_long(row["title"], row["text"], text):
        return Condensed(row["id"], row["ref"], before, before, by, reason), None
    return Condensed(row["id"], row["ref"], before, _length(row["title"], text), by), text


def _length(title: str | None, text: str) -> int:
    return count_tokens("\n".join(part for part in (title, text) if part))


def _too_long(title: str | None, text: str, shorter: str) -> str:
    is_shorter = 100 * _length(title, shorter) <= RULES.most_percent * _length(title, text)
    return "" if is_shorter else "little can be left out of it"


def fault(text: str, shorter: str) -> str:
    """Why a shorter text cannot replace a text; "" where it does: it has its names, numbers, days and denials, and
    no others, and no word of its own.
    """
    if not any(map(str.isalnum, shorter)):
        return "it says nothing in words"
    marks = set(_marks(text)), set(_marks(shorter))
    if lost := sorted(marks[0] - marks[1]):
        return f"it leaves out {lost[0][0]} {lost[0][1]!r}"
    if added := sorted(marks[1] - marks[0]):
        return f"it adds {added[0][0]} {added[0][1]!r}"
    denials = _denied(text), _denied(shorter)
    if len(denials[1]) > len(denials[0]):
        return "it adds a denial"
    for one, other, what in ((*denials, "leaves out"), (*denials[::-1], "adds")):
        if any(not any(not words or words & theirs for theirs in other) for words in one):
            return f"it {what} a denial"
    if own := sorted(content_words(shorter) - content_words(text)):
        return f"it says {own[0]!r}, which the record does not"
    return ""


def _marks(text: str) -> Iterator[tuple[str, str]]:
    """What of a text must not be lost: its names, numbers and times."""
    yield from (("the name", word) for word in capitalised(text))
    yield from (("the number", figure) for figure in numbers(text))
    yield from (("the time", word) for word in times_named(text))
    yield from (("the day", day.isoformat()) for day in days_in(text, None))


def _denied(text: str) -> list[frozenset[str]]:
    return [content_words(" ".join(behind.split()[:_DENIED_WORDS])) for behind in denied(text)]


def in_sentences(text: str) -> str:
    """The sentences of a text that say most, in their order, so that each name, number, day and denial stays."""
    sentences = [one for one in split_sentences(text) if one.strip()]
    if len(sentences) < 2:
        return text
    marks = [{*_marks(one), *(("a denial", " ".join(sorted(words))) for words in _denied(one))} for one in sentences]
    said = Counter(mark for of_one in marks for mark in of_one)
    needed = {at for at, of_one in enumerate(marks) if any(said[mark] == 1 for mark in of_one)}
    candidates = [Candidate(rare_words(one), count_tokens(one)) for one in sentences]
    weights = word_weights([candidate.words for candidate in candidates])
    covered = {word for at in needed for word in candidates[at].words}
    room = RULES.target - sum(candidates[at].tokens for at in needed)
    chosen = needed | set(choose_covering(candidates, max(0, room), weights, covered))
    # What several sentences have, one of them has to say.
    for mark in sorted(set().union(*marks)):
        if not any(mark in marks[at] for at in chosen):
            chosen.add(next(at for at, of_one in enumerate(marks) if mark in of_one))
    return " ".join(sentences[at] for at in sorted(chosen))


def put_back(graph: Graph, user: str, refs: Sequence[str], now: datetime, *, dry_run: bool = False) -> list[Row]:
    """Give condensed records back what they said, by their references: ``ref``, ``before`` and ``after`` in tokens, and
    the ``text`` of each. The owner's lock is held.

    Raises :class:`UnknownReferenceError` where a reference names no condensed record of the user, and gives none back.
    """
    found = graph.read("curation/list_condensed", user_id=user, refs=list(refs))
    if missing := sorted(set(refs) - {row["ref"] for row in found}):
        raise UnknownReferenceError(f"No record [{missing[0]}] of {user} is told in fewer words.")
    rows = [
        {"id": row["id"], "version": row["version"], "token_count": _length(row["title"], row["full_text"])}
        for row in found
    ]
    back = {row["id"] for row in (rows if dry_run else cut(graph, "restore_texts", rows, user=user, now=now))}
    return [
        {"ref": row["ref"], "before": row["token_count"], "after": new["token_count"], "text": row["full_text"]}
        for row, new in zip(found, rows, strict=True)
        if row["id"] in back
    ]
