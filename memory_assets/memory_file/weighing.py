"""What one memory of the pool is worth and where it belongs in the file, before anything is chosen. Pure.

Its worth is its value; what others say of themselves is worth less to the owner, and in a talk or to many nothing. An
open task loses with age, where it names no day, and where it is somebody else's. In a section the order is: what a
person has written into it, the owner's standing instructions, the owner's preferences, then everything else by worth.
What is done or past, and what others like, is among the insights.
"""

from __future__ import annotations

import calendar
import math
import re
from collections import Counter as Counts
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time

import snowballstemmer

from memory_assets.clock import MONTHS, in_utc
from memory_assets.llm.local import addressing
from memory_assets.llm.local.days import days_in
from memory_assets.llm.local.lexicon import ASSISTANT_ROLES
from memory_assets.memory_file import passing, render
from memory_assets.memory_file.candidates import FileRules, Memory
from memory_assets.memory_file.passing import End, State
from memory_assets.text import attribution
from memory_assets.text import content as words
from memory_assets.text.lines import clean_text, leading_day
from memory_assets.text.words import BARE_WORD

_NAMES_OF_DAYS = frozenset(
    snowballstemmer.stemmer("english").stemWords([name.lower() for name in (*MONTHS, *calendar.day_name)])
)
# A capitalised word that no other capitalised one follows.
_ALONE = re.compile(r"\b([A-Z][\w'’-]{1,60}+)(?<=[^\W_])(?![\w'’-]| [A-Z])")


NONE_MAY = math.inf
"""The least retention of what no file may have."""
_DONE = re.compile(r"^Done: |\(done\)$|^Task \((?:completed|done|failed|cancell?ed)\b", re.I)


@dataclass(frozen=True)
class Owner:
    """Whose file it is: the first words of the names under which the owner speaks, folded; none where nobody knows."""

    user: str
    names: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    """Those of everybody else who speaks."""
    talks: frozenset[str] = frozenset()
    """The sources in which somebody else speaks who is no assistant."""

    @classmethod
    def of(cls, user: str, pool: Sequence[Memory]) -> Owner:
        """As the pool shows it: the owner has the names under which the owner's words were said."""
        spoken = [(name, m.said_by_owner) for m in pool if (name := _speaker_of(m))]
        names = {name for name, is_own in spoken if is_own}
        others = frozenset(name for name, _ in spoken) - names
        people = others - ASSISTANT_ROLES
        talks = frozenset(m.source_id for m in pool if m.source_id and _speaker_of(m) in people)
        return cls(user, frozenset(names | {user.casefold()} if names else ()), others, talks)


def concerns(memory: Memory, owner: Owner) -> bool:
    """Whether a task is the owner's, asked of the owner, or done for the owner: not what others do for themselves."""
    if not owner.names or is_owners(memory, owner.user):
        return True
    words_said = {word.casefold() for word in BARE_WORD.findall(memory.text)}
    if owner.names & words_said:
        return True
    speaker = _speaker_of(memory)
    opens = next(iter(BARE_WORD.findall(memory.text)), "").casefold()
    calls = addressing.called(memory.text)
    return not (opens == speaker or calls in owner.others or addressing.is_of_self(memory.text))


def placed(memory: Memory, state: State, owner: Owner) -> Memory:
    """What is ticked off or long ago, what concerns others alone, and others' preferences, where it is known whose file
    it is, are insights. ``state`` is what a task is by now.
    """
    if memory.section == "tasks":
        is_over = "[x]" in memory.text.lower() or state is State.INSIGHT
        # A request in a letter of an unknown day counts as past.
        is_over |= memory.is_letter and memory.occurred_at is None and not memory.by_editor
        if is_over or not (memory.by_editor or concerns(memory, owner)):
            return replace(memory, section="insights")
        return replace(memory, is_overdue=state is State.OVERDUE)
    if memory.section == "preferences" and not memory.is_standing:
        if owner.names and memory.label and not memory.said_by_owner:
            return replace(memory, section="insights")
    return memory


def end_of(memory: Memory, user: str) -> End | None:
    """Until when a task is open, or a source recent; None for what time alone does not change.

    A task without a day that a person has written as a line of a file stays there until the person says otherwise.
    """
    said = day_of(memory.occurred_at)
    if memory.section == "recent":
        return passing.recent_through(said or day_of(memory.known_at))
    if memory.section != "tasks":
        return None
    if said is None:  # a day without a year is the nearest one to when it became known
        return passing.due_on(days_in(memory.text, day_of(memory.known_at)))
    end = passing.open_through(memory.text, said, is_own=is_owners(memory, user))
    is_written = memory.is_written
    return None if end is not None and is_written and end.then is State.INSIGHT else end


def with_own_day(memory: Memory) -> Memory:
    """What a person wrote as "1 November 2026: ..." is of that day alone. Not what is to come, nor a preference."""
    said = day_of(memory.occurred_at)
    dated = (
        leading_day(memory.published)
        if memory.by_editor and said is not None and memory.section != "preferences"
        else None
    )
    if dated is None or said is None or dated[0] > said:
        return memory
    return replace(memory, text=dated[1], statement=None, occurred_at=datetime.combine(dated[0], time(), UTC))


def worth_of(memory: Memory, owner: Owner, newest: datetime | None, rules: FileRules, *, was_task: bool) -> float:
    """What a memory is worth in its section: its value, of an open task by its day, its age and whose it is."""
    worth = min(1.0, max(0.0, memory.value_score)) * held_by(memory, newest, rules)
    if memory.entity_type in ("Macro", "Storyline"):
        worth *= rules.overview_weight
    if is_of_another(memory, owner):
        worth *= rules.others_own_weight
    if was_task and memory.section == "insights":
        worth *= rules.past_task_weight
    if memory.section == "tasks":
        age = (newest - in_utc(memory.occurred_at)).days if newest and memory.occurred_at else math.inf
        worth *= 0.5 + 0.5 * 0.5 ** (age / rules.task_half_days)
        if not is_owners(memory, owner.user):
            worth *= rules.others_task_weight
        if not days_in(memory.text, day_of(memory.occurred_at)):
            worth *= rules.undated_task_weight
    return worth


def newest_of(pool: Iterable[Memory]) -> datetime | None:
    """When the newest memory was said that may be in a file: never later than it became known, whatever day its source
    gives, or one mail of 2038 would make all others old.
    """
    said = ((m.occurred_at, m.known_at or m.occurred_at) for m in pool if m.excluded is None)
    return max((min(in_utc(at), in_utc(known)) for at, known in said if at and known), default=None)


def held_by(memory: Memory, newest: datetime | None, rules: FileRules) -> float:
    """How likely a memory holds still when the ``newest`` one is said: a task, what must always hold, and what a person
    has written as a line, surely.
    """
    is_sure = memory.section == "tasks" or memory.is_standing or memory.is_written
    if newest is None or memory.occurred_at is None or memory.lasting is None or is_sure:
        return 1.0
    age = max(0, (newest - in_utc(memory.occurred_at)).days)
    return 1.0 - (1.0 - memory.lasting) * min(1.0, age / rules.passing_days)


def least_held_of(memory: Memory, rules: FileRules) -> float:
    """How likely it must be that a memory of some age is needed again and holds still."""
    return rules.private_letter_least_held if memory.is_letter and not memory.is_to_many else rules.least_held


def is_of_another(memory: Memory, owner: Owner) -> bool:
    """Whether somebody else says it of themselves, or in a talk whose owner is known; or it is an overview whose title
    (without one, its text) opens with somebody else's name.
    """
    if memory.entity_type in ("Macro", "Storyline"):
        return next(iter(BARE_WORD.findall(memory.label or memory.text)), "").casefold() in owner.others
    if is_owners(memory, owner.user):
        return False
    is_talk = bool(owner.names) and memory.is_said and not memory.is_letter
    return is_talk or addressing.is_of_self(memory.text)


def is_anothers_own(memory: Memory, owner: Owner) -> bool:
    """Whether somebody else speaks of their own matters, and of nothing of the owner's: it is the owner's file.

    In a talk: of their own matters, the owner not named, but for "we". To many: of themselves alone, without "we" or
    "you", the owner not named. In a letter to one person, who is the owner: never.
    """
    if not owner.names or memory.entity_type != "KnowledgeChunk" or not memory.is_said:
        return False
    if _speaker_of(memory) in owner.names:
        return False
    worded = attribution.without_writer(attribution.without_question(memory.published))
    texts = memory.text, worded  # who asks, or is quoted, is not spoken of
    said, named = ({word.casefold() for word in BARE_WORD.findall(text)} for text in texts)
    if memory.is_letter:
        return memory.is_to_many and is_of_another(memory, owner) and owner.names.isdisjoint(said | named)
    is_own = _speaker_of(memory) in named or addressing.means_speaker(memory.text)
    only_as_we = owner.names.isdisjoint(said) and addressing.means_hearer_as_we(memory.text)
    return is_of_another(memory, owner) and is_own and (owner.names.isdisjoint(named) or only_as_we)


def least_retention_of(memory: Memory, owner: Owner, rules: FileRules, *, was_task: bool) -> float:
    """How likely a memory must be to be needed again to be in a file at all; what a person has written there, and an
    order to an assistant, always may. More is asked of what people say and write to each other, and of what was to be
    done: nobody knows whether it was. What others say of themselves in a talk or to many belongs in their file, and
    overviews of what people write to many are about the moment: none may.
    """
    if memory.is_written or (memory.is_standing and not memory.is_letter):
        return 0.0
    if memory.section == "recent":
        return rules.least_retention
    if memory.is_letter and memory.entity_type != "KnowledgeChunk" or is_anothers_own(memory, owner):
        return NONE_MAY
    if memory.section == "insights" and is_done(memory):
        return rules.done_least_retention
    is_past = was_task and memory.section == "insights"
    is_own = memory.entity_type != "KnowledgeChunk" or is_owners(memory, owner.user)
    if is_own and not is_past and not memory.is_said:
        return rules.least_retention
    if memory.is_letter:
        return rules.letter_least_retention if memory.lasting is None else rules.judged_letter_least_retention
    if memory.said_by_owner and not is_past and memory.source_id not in owner.talks:
        return rules.wish_least_retention
    is_judged = memory.entity_type == "KnowledgeChunk" and not (is_own and memory.section == "preferences")
    return rules.said_least_retention if is_judged else rules.wish_least_retention


def is_done(memory: Memory) -> bool:
    """Whether it was to be done and is ticked off: in a note, in a file of memories, or on an agent's record."""
    return _DONE.search(memory.published) is not None


def entry_of(memory: Memory, short: Mapping[str, str] | None = None) -> render.Entry:
    """A memory as a line of the file. Preferences hold whenever they were said: they carry no date.

    Overviews carry their dates in their texts, which say their titles, too. A statement that names its speaker
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


def _speaker_of(memory: Memory) -> str:
    """The first word of who says it, folded; nothing where nobody does."""
    return next(iter((memory.label or "").split()), "").casefold()


def _names(text: str, label: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.I) is not None


def distinctive(shared: Iterable[str]) -> list[str]:
    """Shared words but for numbers, months and days of the week, which a shared day brings by itself."""
    return [word for word in shared if not word.isdigit() and word not in _NAMES_OF_DAYS]


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


def rank_of(memory: Memory) -> int:
    """Which class of its section is packed first: what a person wrote in, then standing instructions, then by worth."""
    if memory.by_editor:
        return 0
    return 1 if memory.section == "preferences" and memory.said_by_owner and memory.is_standing else 2


def place_of(memory: Memory) -> tuple[object, ...]:
    """The place of an entry in the file: by section, instructions first, overviews next, then the newest day first,
    of it the newest source, in its order.

    Not by score: scores move with every new memory, and a file that people and caches compare should not.
    """
    day = day_of(memory.occurred_at)
    return (
        render.SECTIONS.index(memory.section),
        not memory.is_standing,
        not (memory.section == "preferences" and memory.said_by_owner),
        {"Macro": 0, "Storyline": 1}.get(memory.entity_type, 2),
        day is None,
        -day.toordinal() if day else 0,
        -memory.source_at if memory.source_at is not None else newest_first(memory.occurred_at)[1],
        memory.source_id or "",
        memory.turn,
        memory.position,
        memory.memory_id,
    )


def newest_first(instant: datetime | None) -> tuple[bool, float]:
    """A sort key: the newest first, what has no time last."""
    return (True, 0.0) if instant is None else (False, -in_utc(instant).timestamp())


def day_of(instant: datetime | None) -> date | None:
    """The day of an instant, in UTC."""
    return None if instant is None else in_utc(instant).date()
