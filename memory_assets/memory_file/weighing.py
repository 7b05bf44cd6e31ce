"""What one memory of the pool is worth and where it would stand, before anything is chosen. Pure.

The factor is mild: between half and whole by the stored value; questions count .3, sentences that lean on
something unsaid ("That is ...") less, decisions more. What the owner asks somebody for in passing counts as a
question, with or without its mark, and an assistant's own sentences less than anybody's. In a section the order
is: the owner's orders for every answer, other standing instructions, the owner's preferences, then everything
else; within these KEEP before the rest. Tasks lose with age; what is done or past, asked for, and what others
like, stands among the insights.
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
from memory_assets.memory_file import render, validity, words
from memory_assets.memory_file.candidates import FileRules, Memory
from memory_assets.memory_file.edited_text import told_day
from memory_assets.model import RetentionTier

_DONE = re.compile(
    r"\[x\]|(?<!\bbe )(?<!\bget )(?<!\bbeing )(?<!\bhave )\b(?:done|finished|completed|fixed|shipped|resolved|cancelled|canceled|closed)\b",
    re.I,
)

_LEANS = re.compile(
    r"(?:that|this|these|those|it|they|he|she|him|them|there|here|so|then|such|both|which|also|and|but|because|"
    r"same|one|same here|you|your|the (?:first|second|third|other|same|last|former|latter|thing|truth|result))\b",
    re.I,
)
_DECIDES = re.compile(
    r"^decision:|\b(?:decided|decision (?:is|was|made)|agreed (?:with|to|that)|it is (?:decided|agreed)|moves? (?:from|to)|moved (?:from|to)|"
    r"postponed (?:to|until)|"
    r"(?:launch|release|pricing|price|database|budget|cutover) (?:of \w+ )?(?:is|are|moves|stays) (?:on|at|to|flat|now|[A-Z\d])|"
    r"no longer|(?:i|we) signed|chose|chosen|approved|accepted|switch(?:ed|es)? (?:to|from))\b",
    re.I,
)

_OPENING = r"^(?:(?:and|so|but|then|also|hey|hi|ok|okay|hmm|sure|thanks)[,!.]* )*"
# What is asked of whoever listens, and answered at once.
_ASKS = re.compile(
    _OPENING + r"(?:(?:please,? )?(?:can|could|would|will) you\b|would you mind\b"
    r"|(?:how|what|which|where|when|why) (?:can|could|do|does|should|would) (?:i|we|you|the|my|it)\b"
    r"|i(?:['’]m| am) (?:(?:also|just|still|really) )*(?:not (?:\w+ )?(?:sure|certain)|unsure|wondering|curious)\b|i wonder\b"
    r"|i(?:['’]d| would)? (?:(?:also|just|really) )*(?:appreciate|need (?:some |your )?help|(?:want|like|love) to (?:know|see|understand|make sure|ensure|confirm|check))\b"
    r"|please (?:provide|explain|help|show|suggest|give me|review|optimi[sz]e|let me know|walk me)\b|help me\b|any (?:advice|ideas|suggestions)\b)",
    re.I,
)
_TERM = re.compile(
    r"\b(?:by|before|until|no later than) (?:the )?(?:next |this )?"
    r"(?:end of|noon|midnight|tonight|today|tomorrow|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.I,
)
# Orders that hold for every answer, beside what their speaker likes.
_ORDERS = re.compile(
    r"^(?:(?:and|so|but|also|please|pls|rule|note)[,:]? )*(?:always|never|don['’]?t ever|from now on|going forward|when(?:ever)? (?:i|you)\b|every ?time|if i (?:ask|say|send)|remember|call me)\b"
    r"|\b(?:when(?:ever)? i (?:ask|say|send|share|request|mention|write|tell)|if i (?:ask|request)|your (?:answers?|replies|responses?|explanations?)|(?:want|like|expect|need) you to|by default|from now on|every time)\b"
    r"|^please\b",
    re.I,
)

# A capitalised word that no other capitalised one follows.
_PROPOSES = re.compile(r"\b(?:propose|suggest|shall we|should we|if we|whether)\b|\?", re.I)
_QUESTION_MARKS = ("?", "？")
ASSISTANT_LABELS = frozenset({"assistant", "ai", "system", "tool", "model", "bot"})
"""How exports call an assistant that has no name."""
_MONTH_STEMS = frozenset(
    snowballstemmer.stemmer("english").stemWords([name.lower() for name in MONTHS])
)
_NAME_OR_NUMBER = re.compile(r"\d|(?<=[^.!?:\s] )(?!I\b)[A-Z]")
_ABOUT_SELF = re.compile(r"\b(?:i|i'm|i'll|i've|we|we're|we'll|my|our)\b", re.I)
_ALONE = re.compile(r"\b([A-Z][\w'’-]*[^\W_])(?![\w'’-]| [A-Z])")

def placed(memory: Memory, user: str, newest: datetime | None, has_owner: bool) -> Memory:
    """Past tasks and others' preferences, where it is known whose file it is, are insights."""
    if memory.section == "tasks":
        said = day_of(memory.occurred_at)
        own = is_owners(memory, user)
        asked_here = memory.said_by_owner and asks_in_passing(memory.text, said)
        if (
            asked_here
            or sounds_done(memory.text)
            or validity.is_past(memory.text, said, day_of(newest), is_own=own)
        ):
            return replace(memory, section="insights")
    if memory.section == "preferences" and not memory.is_standing:
        # Others' likes, where it is known whose file it is, and "That is what I like", whatever it was.
        if has_owner and memory.label and not memory.said_by_owner or _LEANS.match(memory.text):
            return replace(memory, section="insights")
    return memory


def as_told(memory: Memory) -> Memory:
    """What a person wrote as "1 November 2026: ..." is of that day, and is led in by it alone. Not what is still to come,
    nor a preference, which has no day."""
    said = day_of(memory.occurred_at)
    told = told_day(memory.text) if memory.by_editor and said is not None and memory.section != "preferences" else None
    if told is None or said is None or told[0] > said:
        return memory
    return replace(memory, text=told[1], occurred_at=datetime.combine(told[0], time(), UTC))


def factor_of(
    memory: Memory, text: str, user: str, newest: datetime | None, rules: FileRules, *, was_task: bool
) -> float:
    """What a memory's gain is multiplied by: its value and what kind of sentence it is."""
    value = min(1.0, max(0.0, memory.value_score))
    factor = rules.value_floor + (1 - rules.value_floor) * value
    passing = asks_in_passing(text, day_of(memory.occurred_at))
    if passing if memory.said_by_owner else text.rstrip().endswith(_QUESTION_MARKS):
        factor *= rules.question_weight
    if is_assistants(memory):
        factor *= rules.assistant_weight
    if _LEANS.match(text):
        factor *= rules.leaning_weight
    if was_task and memory.section == "insights":
        factor *= rules.past_plan_weight if _ABOUT_SELF.search(text) else rules.past_request_weight
    elif memory.section == "insights" and decides(text):
        factor *= rules.decision_weight
    if memory.section == "insights" and not _NAME_OR_NUMBER.search(text):
        factor *= rules.plain_weight
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

    Overviews carry their dates in their texts; their titles repeat what those say.
    """
    is_overview = memory.entity_type in ("Macro", "Storyline")
    undated = is_overview or memory.section == "preferences"
    label = None if is_overview else render.label_of(memory.label, memory.said_by_owner)
    return render.Entry(
        ref=memory.ref,
        memory_id=memory.memory_id,
        section=memory.section,
        text=render.clean_text(memory.text),
        label=(short or {}).get(label, label) if label else None,
        day=None if undated else render.day_of(memory.occurred_at),
    )


def sounds_done(text: str) -> bool:
    """Whether a task reports itself ("Fixed the gate"), not when it is to be ("must be finished")."""
    return _DONE.search(text) is not None


def asks(text: str) -> bool:
    """Whether it only asks for something now: a question, or "can you", "I'm not sure" and the like without its mark."""
    return text.rstrip().endswith(_QUESTION_MARKS) or _ASKS.match(text) is not None


def asks_in_passing(text: str, said: date | None) -> bool:
    """The same, but for what says by when: "Please review the contract by Friday" is a task that is still to be done."""
    has_term = _TERM.search(text) is not None or bool(validity.days_in(text, said))
    return asks(text) and (text.rstrip().endswith(_QUESTION_MARKS) or not has_term)


def orders(text: str) -> bool:
    """Whether a standing instruction says how answers shall be ("Always ... when I ask"), not only what is liked."""
    return _ORDERS.search(text) is not None


def is_assistants(memory: Memory) -> bool:
    """Whether an assistant without a name of its own said it: advice that was given once."""
    return not memory.said_by_owner and (memory.label or "").strip().casefold() in ASSISTANT_LABELS


def decides(text: str) -> bool:
    """Whether a sentence says what was decided, not what somebody proposes."""
    return _DECIDES.search(text) is not None and _PROPOSES.search(text) is None


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
        owners_word = 2 if not memory.is_standing else 0 if orders(memory.text) else 1
    return owners_word, 0 if memory.tier == RetentionTier.KEEP else 1


def place_of(memory: Memory) -> tuple[object, ...]:
    """Where an entry stands: by section, instructions first, overviews next, then newest first, then id.

    Not by score: scores move with every new memory, and a file that people and caches compare should not.
    """
    kind = {"Macro": 0, "Storyline": 1}.get(memory.entity_type, 2)
    undated = kind < 2 or memory.section == "preferences"
    return (
        render.SECTIONS.index(memory.section),
        not memory.is_standing,
        memory.is_standing and not orders(memory.text),
        not (memory.section == "preferences" and memory.said_by_owner),
        kind,
        *newest_first(midnight(memory.occurred_at) if not undated else memory.occurred_at),
        *_place_on_line(memory),
        memory.memory_id,
    )


def _place_on_line(memory: Memory) -> tuple[object, ...]:
    """Insights of one source together, the owner's first, in the order in which they were said."""
    if memory.section != "insights" or memory.source_id is None:
        return ("", "", "", 0)
    label = render.label_of(memory.label, memory.said_by_owner)
    return (memory.source_id, "" if label is None else label, memory.label or "", memory.turn)


def newest_first(instant: datetime | None) -> tuple[bool, float]:
    """A sort key: the newest first, what has no time last."""
    return (True, 0.0) if instant is None else (False, -utc(instant).timestamp())


def day_of(instant: datetime | None) -> date | None:
    """The day of an instant, in UTC."""
    return None if instant is None else utc(instant).date()


def midnight(instant: datetime | None) -> datetime | None:
    """The start of an instant's day, in UTC."""
    return None if instant is None else utc(instant).replace(hour=0, minute=0, second=0, microsecond=0)


def utc(instant: datetime) -> datetime:
    """An instant in UTC; one without a zone is in UTC already."""
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
