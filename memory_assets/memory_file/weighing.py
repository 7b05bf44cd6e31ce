"""What one memory of the pool is worth and where it would stand, before anything is chosen. Pure.

The factor is mild: between half and whole by the stored value; questions count .3, sentences that lean on
something unsaid ("That is ...") less, decisions more; among insights what has happened, and what names or counts,
counts more, and what opens with a doing ("Looking forward to it") less. What the owner asks somebody for in
passing counts as a question, with or without its mark, and an assistant's own sentences less than anybody's. In a
section the order is: the owner's orders for every answer, other standing instructions, the owner's preferences,
then everything else; within these KEEP before the rest. Tasks lose with age; what is done or past, asked for, and
what others like, stands among the insights.
"""

from __future__ import annotations

import math
import re
from collections import Counter as Counts
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time

import snowballstemmer

from memory_assets.clock import MONTHS
from memory_assets.memory_file import passing, render, sentence_kinds, validity, words
from memory_assets.memory_file.candidates import FileRules, Memory
from memory_assets.memory_file.passing import End, State
from memory_assets.model import RetentionTier
from memory_assets.text.lines import clean_text, leading_day

ASSISTANT_LABELS = frozenset({"assistant", "ai", "system", "tool", "model", "bot"})
"""How exports call an assistant that has no name."""
_MONTH_STEMS = frozenset(snowballstemmer.stemmer("english").stemWords([name.lower() for name in MONTHS]))
# A capitalised word that no other capitalised one follows.
_ALONE = re.compile(r"\b([A-Z][\w'’-]{1,60}+)(?<=[^\W_])(?![\w'’-]| [A-Z])")


def placed(memory: Memory, state: State, has_owner: bool) -> Memory:
    """What is told as done or long ago, what the owner only tells of others, and others' preferences, where it is known
    whose file it is, are insights. ``state`` is what a task is by now."""
    if memory.section == "tasks":
        said = day_of(memory.occurred_at)
        asked_here = memory.said_by_owner and sentence_kinds.asks_in_passing(memory.text, said)
        only_told = memory.said_by_owner and not memory.by_editor and sentence_kinds.tells_of_another(memory.text, said)
        if asked_here or only_told or sentence_kinds.sounds_done(memory.text) or state is State.TOLD:
            return replace(memory, section="insights")
        return replace(memory, is_overdue=state is State.OVERDUE)
    if memory.section == "preferences" and not memory.is_standing:
        # Others' likes, where it is known whose file it is, and "That is what I like", whatever it was.
        if has_owner and memory.label and not memory.said_by_owner or sentence_kinds.leans(memory.text):
            return replace(memory, section="insights")
    return memory


def end_of(memory: Memory, user: str) -> End | None:
    """Until when a task is open, or a source recent; None for what time alone does not change.

    A task without a day that a person has written as a line of a file stays there until the person says otherwise.
    """
    said = day_of(memory.occurred_at)
    if memory.section == "recent":
        return passing.recent_through(said)
    if memory.section != "tasks":
        return None
    end = passing.open_through(memory.text, said, is_own=is_owners(memory, user))
    is_written = memory.by_editor or memory.is_own_line
    return None if end is not None and is_written and end.then is State.TOLD else end


def with_own_day(memory: Memory) -> Memory:
    """What a person wrote as "1 November 2026: ..." is of that day, and is led in by it alone. Not what is still to
    come, nor a preference, which has no day.
    """
    said = day_of(memory.occurred_at)
    told = (
        leading_day(memory.published)
        if memory.by_editor and said is not None and memory.section != "preferences"
        else None
    )
    if told is None or said is None or told[0] > said:
        return memory
    return replace(memory, text=told[1], statement=None, occurred_at=datetime.combine(told[0], time(), UTC))


def factor_of(
    memory: Memory, text: str, user: str, newest: datetime | None, rules: FileRules, *, was_task: bool
) -> float:
    """What a memory's gain is multiplied by: its value and what kind of sentence it is."""
    value = min(1.0, max(0.0, memory.value_score))
    factor = rules.value_floor + (1 - rules.value_floor) * value
    passing = sentence_kinds.asks_in_passing(text, day_of(memory.occurred_at))
    if passing if memory.said_by_owner else text.rstrip().endswith(sentence_kinds.QUESTION_MARKS):
        factor *= rules.question_weight
    if is_assistants(memory):
        factor *= rules.assistant_weight
    if sentence_kinds.leans(text):
        factor *= rules.leaning_weight
    if was_task and memory.section == "insights":
        factor *= rules.past_plan_weight if sentence_kinds.is_about_self(text) else rules.past_request_weight
    elif memory.section == "insights" and sentence_kinds.decides(text):
        factor *= rules.decision_weight
    if memory.section == "insights":
        if not sentence_kinds.names_or_counts(text):
            factor *= rules.plain_weight
        if memory.entity_type == "KnowledgeChunk":
            if sentence_kinds.happened(text):
                factor *= rules.happened_weight
            if sentence_kinds.opens_with_doing(text):
                factor *= rules.doing_weight
    if memory.entity_type in ("Macro", "Storyline"):
        factor *= rules.overview_weight
    if memory.section == "tasks":
        age = (newest - utc(memory.occurred_at)).days if newest and memory.occurred_at else math.inf
        factor *= 0.5 + 0.5 * 0.5 ** (age / rules.task_half_days)
        if not is_owners(memory, user):
            factor *= rules.others_task_weight
        if not validity.days_in(text, day_of(memory.occurred_at)):
            factor *= rules.undated_task_weight
    return factor


def entry_of(memory: Memory, short: Mapping[str, str] | None = None) -> render.Entry:
    """A memory as a line of the file. Preferences hold whenever they were said: they carry no date.

    Overviews carry their dates in their texts; their titles repeat what those say. A statement that names its speaker
    is nobody's quotation: no speaker leads it in.
    """
    is_overview = memory.entity_type in ("Macro", "Storyline")
    undated = is_overview or memory.section == "preferences"
    label = None if is_overview else render.label_of(memory.label, memory.said_by_owner)
    text = clean_text(memory.published)
    if label and memory.published != memory.text and _names(text, label):
        label = None
    return render.Entry(
        ref=memory.ref,
        memory_id=memory.memory_id,
        section=memory.section,
        text=text,
        label=(short or {}).get(label, label) if label else None,
        day=None if undated else render.day_of(memory.occurred_at),
        is_overdue=memory.is_overdue,
    )


def _names(text: str, label: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.I) is not None


def is_assistants(memory: Memory) -> bool:
    """Whether an assistant without a name of its own said it: advice that was given once."""
    return not memory.said_by_owner and (memory.label or "").strip().casefold() in ASSISTANT_LABELS


def telling(shared: Iterable[str]) -> list[str]:
    """Shared words but for numbers and months, which a shared day brings by itself."""
    return [word for word in shared if not word.isdigit() and word not in _MONTH_STEMS]


def short_labels(pool: Iterable[Memory]) -> dict[str, str]:
    """First names for whole ones ("Maya Lindqvist": "Maya"), where the pool calls one person so and no other.

    A pair of words is somebody's name when others use its first word alone: nobody calls a Millpond Pool
    Millpond.
    """
    chunks = [m for m in pool if m.entity_type == "KnowledgeChunk"]
    labels = {label for m in chunks if (label := render.label_of(m.label))}
    alone: Counts[str] = Counts()
    for memory in chunks:
        if len(memory.text) <= 2000:
            alone.update(set(_ALONE.findall(memory.text)))
    firsts = Counts(label.split()[0] for label in labels if len(label.split()) > 1)
    return {
        label: first
        for label in labels
        if len(label.split()) == 2
        and firsts[first := label.split()[0]] == 1
        and (alone[first] >= 2 or words.rarity(label.split()[1].casefold()) > 2.8)
    }


def is_owners(memory: Memory, user: str) -> bool:
    """Whether it is the owner's own word, or nobody's in particular (their notes). Never makes it an order."""
    speaker = (memory.label or "").split()
    return memory.said_by_owner or not speaker or speaker[0].casefold() == user.casefold()


def rank_of(memory: Memory) -> tuple[int, int]:
    """Which class of its section is packed first: what a person wrote into the file, the owner's word, then KEEP.

    Of the owner's words, orders for every answer come first, then other standing instructions, then preferences.
    """
    if memory.by_editor:
        return -1, 0
    owners_word = 3
    if memory.section == "preferences" and memory.said_by_owner:
        owners_word = 2 if not memory.is_standing else 0 if sentence_kinds.orders(memory.text) else 1
    return owners_word, 0 if memory.tier == RetentionTier.KEEP else 1


def place_of(memory: Memory) -> tuple[object, ...]:
    """Where an entry stands: by section, instructions first, overviews next, then the newest source first, in its
    order.

    Not by score: scores move with every new memory, and a file that people and caches compare should not.
    """
    return (
        render.SECTIONS.index(memory.section),
        not memory.is_standing,
        memory.is_standing and not sentence_kinds.orders(memory.text),
        not (memory.section == "preferences" and memory.said_by_owner),
        {"Macro": 0, "Storyline": 1}.get(memory.entity_type, 2),
        *newest_first(memory.occurred_at),
        memory.source_id or "",
        memory.turn,
        memory.position,
        memory.memory_id,
    )


def newest_first(instant: datetime | None) -> tuple[bool, float]:
    """A sort key: the newest first, what has no time last."""
    return (True, 0.0) if instant is None else (False, -utc(instant).timestamp())


def day_of(instant: datetime | None) -> date | None:
    """The day of an instant, in UTC."""
    return None if instant is None else utc(instant).date()


def utc(instant: datetime) -> datetime:
    """An instant in UTC; one without a zone is in UTC already."""
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
