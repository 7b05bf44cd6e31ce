"""What kind of statement a sentence is, and how likely it is to be needed again.

The languages of :data:`LEARNED` are judged by the model that was learned from labelled sentences; English by tables of
named patterns, read top to bottom, of which the first that holds decides; in all others next to none holds, and a
sentence is a fact. Text only ever gets classified here: an order in it makes it a statement of its speaker's, nothing
more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memory_assets.llm.local.greetings import CHITCHAT, REACTIONS, TELLING, TELLING_REACTION
from memory_assets.llm.local.instructions import instruction_in, is_vow
from memory_assets.llm.local.language import Parsed, language_of, specificity
from memory_assets.llm.local.patterns import (
    ABOUT_SELF,
    ASKS_ASSISTANT,
    DECISION,
    DECISION_SECTION,
    FIGURE,
    HEARSAY,
    HEDGES,
    LEANING,
    first_of,
    has_day,
    is_question,
)
from memory_assets.llm.local.preferences import preference_in
from memory_assets.llm.local.sentence_features import BY_ASSISTANT, TO_ASSISTANT, Setting, features
from memory_assets.llm.local.sentence_model import Kind, Lasting, Opinion, opinion
from memory_assets.llm.local.sentences import Form, Piece
from memory_assets.llm.local.to_do import NOT_TASKS, PASSING_WISH, REQUEST, TASK_SECTION, TASKS, is_imperative

ContentType = Literal["preference", "task", "insight", "chitchat"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one sentence; ``rule`` names the pattern that decided it."""

    content_type: ContentType
    rule: str
    is_instruction: bool
    durability: float
    confidence: float


_TO_THE_OTHER = re.compile(r"you(?:'|’|r|\b)", re.IGNORECASE)

BASE_DURABILITY = {"preference": 0.8, "task": 0.66, "insight": 0.66, "chitchat": 0.08}
DECISION_DURABILITY = 0.8
INSTRUCTION_DURABILITY = 0.95
QUESTION_FACTOR = 0.3
ASSISTANT_FACTOR = 0.4
HEADING_FACTOR = 0.5
TO_ASSISTANT_FACTOR = 0.35  # "Can you help me with ...": answered at once, seldom needed again
LEANING_FACTOR = 0.7  # "That is why it broke": true, but of what?
TO_THE_OTHER_FACTOR = 0.6  # "You have a caring heart" tells less than what people say of themselves


LEARNED = frozenset(("de", "fr", "es", "pt", "it", "nl", "zh"))
"""The languages that the model judges: those that it was learned from, and their next of kin."""
CONTENT_TYPES: Mapping[Kind, ContentType] = {
    Kind.INSTRUCTION: "preference",
    Kind.PREFERENCE: "preference",
    Kind.TASK: "task",
    Kind.FACT: "insight",
    Kind.NONE: "chitchat",
}
LEAST = {Kind.INSTRUCTION: 0.5, Kind.PREFERENCE: 0.4}
"""So likely a sentence has to be of a kind that is seldom meant and often sounded."""
WEAKER = {Kind.INSTRUCTION: Kind.PREFERENCE, Kind.PREFERENCE: Kind.FACT}
DURABILITY_OF_KINDS = {Kind.INSTRUCTION: INSTRUCTION_DURABILITY, Kind.PREFERENCE: 0.8, Kind.TASK: 0.66, Kind.NONE: 0.08}
DURABILITY_OF_FACTS = {Lasting.DAYS: 0.5, Lasting.WEEKS: 0.66, Lasting.YEARS: 0.8}


def judge(piece: Piece, parsed: Parsed, setting: Setting) -> Verdict:
    """Classify one sentence. An assistant's own sentences are never anybody's preference or order."""
    by_assistant = setting.where == BY_ASSISTANT
    if language_of(piece.text) not in LEARNED:
        return _by_patterns(piece, parsed, by_assistant=by_assistant, to_assistant=setting.where == TO_ASSISTANT)
    thought = opinion(features(piece, parsed, setting))
    possible = (Kind.FACT, Kind.NONE) if by_assistant else tuple(Kind)
    kind = kind_of(thought.kinds, possible)
    content_type, rule = CONTENT_TYPES[kind], "learned"
    if piece.form in (Form.TODO, Form.DONE) and not by_assistant:
        content_type, rule = _of_person(piece.text, piece, parsed, question=False)
    value = _worth(thought) * (HEADING_FACTOR if piece.form is Form.HEADING else 1)
    confidence = _confidence(piece.text, is_question(piece.text), by_assistant)
    return Verdict(content_type, rule, kind is Kind.INSTRUCTION, round(value, 3), round(confidence, 1))


def kind_of(kinds: Mapping[Kind, float], among: tuple[Kind, ...] = tuple(Kind)) -> Kind:
    """The likeliest kind. What is not likely enough to be one (see :data:`LEAST`) speaks for the next weaker one."""
    shares = {kind: kinds[kind] for kind in among}
    for kind, weaker in WEAKER.items():
        if shares.get(kind, 1.0) < LEAST[kind]:
            shares[weaker] += shares.pop(kind)
    return max(shares, key=lambda kind: shares[kind])


def _worth(thought: Opinion) -> float:
    """The durability that it has as each kind, by how likely that is."""
    facts = sum(DURABILITY_OF_FACTS[span] * share for span, share in thought.lasting.items())
    return sum(
        share * (facts if kind is Kind.FACT else DURABILITY_OF_KINDS[kind]) for kind, share in thought.kinds.items()
    )


def _by_patterns(piece: Piece, parsed: Parsed, *, by_assistant: bool, to_assistant: bool) -> Verdict:
    text = _straight(piece.text)
    instruction = None if by_assistant else instruction_in(text, parsed)
    asked = is_question(text) or to_assistant and ASKS_ASSISTANT.match(text) is not None
    question = asked and instruction is None
    if by_assistant:
        content_type, rule = _of_assistant(text)
    elif instruction:
        content_type, rule = "preference", instruction
    else:
        content_type, rule = _of_person(text, piece, parsed, question=question)
    decided = (
        content_type == "insight"
        and not question
        and (DECISION.search(text) is not None or DECISION_SECTION.search(piece.section) is not None)
    )
    if content_type == "task" and rule == "request":
        question = False  # a request asks for something to be done, not to be told
    value = _durability(content_type, parsed, piece, instruction, decided, question, by_assistant)
    if to_assistant and (
        rule in {"request", "imperative", "please"} or content_type == "task" and PASSING_WISH.match(text)
    ):
        value *= TO_ASSISTANT_FACTOR
    return Verdict(
        content_type,
        "decision" if decided else rule,
        instruction is not None,
        round(value, 3),
        round(_confidence(text, question, by_assistant), 1),
    )


def _straight(text: str) -> str:
    return text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')


def _of_assistant(text: str) -> tuple[ContentType, str]:
    if (rule := first_of(CHITCHAT, text)) is not None:
        return "chitchat", rule
    return "insight", "fact"


def _of_person(text: str, piece: Piece, parsed: Parsed, *, question: bool) -> tuple[ContentType, str]:
    if piece.form is Form.TODO:
        return "task", "checkbox"
    if piece.form is Form.DONE:
        return "insight", "done"
    told = 0.0 if question else specificity(parsed)
    chat = first_of(CHITCHAT, text)
    if chat is not None and told < (TELLING_REACTION if chat in REACTIONS else TELLING):
        return "chitchat", chat
    if not question and (preference := preference_in(text, parsed)) is not None:
        return "preference", preference
    if is_vow(text) and not has_day(text):
        return "chitchat", "vow"
    if not NOT_TASKS.search(text):
        if question and REQUEST.search(text):
            return "task", "request"
        if not question and (task := first_of(TASKS, text)) is not None and not DECISION.search(text):
            if not (task in {"obligation", "passive"} and LEANING.match(text)):
                return "task", task
        if not question and piece.form is not Form.STEP and is_imperative(piece, parsed):
            return "task", "imperative"
    if piece.form in {Form.BULLET, Form.STEP} and TASK_SECTION.search(piece.section):
        return "task", "section"
    if question and specificity(parsed) < 0.5:
        return "chitchat", "small_question"
    if len(text.split()) < 3 and told < 0.3:
        return "chitchat", "fragment"
    return "insight", "question" if question else "fact"


def _durability(
    content_type: ContentType,
    parsed: Parsed,
    piece: Piece,
    instruction: str | None,
    decided: bool,
    question: bool,
    by_assistant: bool,
) -> float:
    told = specificity(parsed)
    if instruction:
        return INSTRUCTION_DURABILITY
    value = BASE_DURABILITY[content_type]
    if decided:
        value = DECISION_DURABILITY * (0.7 + 0.3 * told)
    elif content_type == "preference":
        value *= 0.6 + 0.4 * told
    elif content_type != "chitchat":
        value *= 0.15 + 0.85 * told
    if question:
        value *= QUESTION_FACTOR
    if by_assistant:
        value *= ASSISTANT_FACTOR
    if piece.form is Form.HEADING:
        value *= HEADING_FACTOR
    if _TO_THE_OTHER.match(piece.text):
        value *= TO_THE_OTHER_FACTOR
    if LEANING.match(piece.text):
        value *= LEANING_FACTOR
    return min(1.0, value)


def _confidence(text: str, question: bool, by_assistant: bool) -> float:
    value = 7.0
    if HEDGES.search(text):
        value -= 2.5
    if HEARSAY.search(text):
        value -= 1.5
    if ABOUT_SELF.search(text) and not by_assistant:
        value += 1.5
    if FIGURE.search(text):
        value += 0.5
    if question:
        value -= 3.0
    if by_assistant:
        value -= 1.0
    return max(0.0, min(10.0, value))
