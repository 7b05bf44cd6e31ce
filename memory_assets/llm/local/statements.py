"""What kind of statement a sentence is, and how likely it is to be needed again.

A model learned from labelled sentences judges (see :mod:`~memory_assets.llm.local.sentence_model`); by rule only what
is written as an item of a list: check boxes, and lists under a heading of tasks. Text only ever gets classified here:
an order in it makes it a statement of its speaker's, nothing more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from memory_assets.llm.local.language import ENGLISH, Parsed, language_of, specificity
from memory_assets.llm.local.sentence_features import BY_ASSISTANT, Setting, features
from memory_assets.llm.local.sentence_model import Kind, Lasting, Opinion, opinion
from memory_assets.llm.local.sentences import Form, Piece

ContentType = Literal["preference", "task", "insight", "chitchat"]

CONTENT_TYPES: Mapping[Kind, ContentType] = {
    Kind.INSTRUCTION: "preference",
    Kind.PREFERENCE: "preference",
    Kind.TASK: "task",
    Kind.FACT: "insight",
    Kind.NONE: "chitchat",
}
LEARNED = frozenset((ENGLISH, "de", "fr", "es", "pt", "it", "nl", "zh"))
"""The languages that the model judges: those that it was learned from, and their next of kin."""
LEAST = {Kind.INSTRUCTION: 0.5, Kind.PREFERENCE: 0.5}
"""So likely a sentence has to be of a kind that is seldom meant and often sounded."""
SURE_OF_INSTRUCTION = 0.8
"""From here on an English sentence may lay down a rule though it gives no order ("Mornings are mine alone"), and any
though an assistant answers it at once, as it does what it is asked for this time alone."""
SURE_OF_TASK, LIKELY_TASK = 0.7, 0.4
"""From here on what a note says is to be done though no box and no heading says so: surely; and as likely as anything
else, where it is an order, or in a language in which nobody knows orders.
"""
RATHER_THAN_FACT = 2.0
"""So many times as likely as a fact a task has to be in a language in which nobody knows orders: half of what is only a
little likelier is a fact, an address or what somebody eats."""
LEAST_OF_NONE = 0.5
"""From here on what a note says is nothing to be remembered."""
SURE_OF_FOREIGN_ITEM = 0.9
"""The same of an item in a language in which nobody knows orders: most of a list is what there is."""
NOTE = "note"
OF_BOXES = {Form.TODO: Kind.TASK, Form.DONE: Kind.FACT}
WORTH_OF = {Lasting.DAYS: 0.6, Lasting.WEEKS: 0.8, Lasting.YEARS: 1.0}
HEADING_FACTOR = 0.5
LIST_FACTOR = 0.6
"""So much less is worth a list of bare things than what says something of one, unless it is still to be done."""
UNJUDGED = 0.6
"""How likely a sentence is worth a word whose language the model was not learned from, and an entry of a note: the
model was learned from sentences, and takes "oil = 5W-30" for small talk."""
VAGUE = 0.5
"""So much less is worth what says nothing in particular."""

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?)"
)

TASK_SECTION = re.compile(
    r"\b(?:action(?:s| items?)|to-?dos?|next steps?|tasks?|follow[- ]?ups?|open (?:items|points)|assignments?|"
    r"checklist|homework)\b|^to do\b",
    re.IGNORECASE,
)
"""A heading whose list is to be done."""

_HEDGES = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|i (?:think|guess|suppose|believe|assume)|not sure|i'm not certain|"
    r"kind of|sort of|seems?|apparently|could be|hopefully|unsure|roughly|i wonder)\b",
    re.IGNORECASE,
)
_HEARSAY = re.compile(
    r"\b(?:apparently|i(?:'ve)? heard|rumou?r|supposedly|allegedly|they say|reportedly|(?:he|she|they) (?:said|"
    r"says|told|claims?))\b",
    re.IGNORECASE,
)
_ABOUT_SELF = re.compile(r"\b(?:i|i'm|i've|i'll|my|we|our|me)\b", re.IGNORECASE)

_FIGURE = re.compile(rf"\d|\b{_DAY}\b|\b{_MONTH} \d", re.IGNORECASE)
_ASKS = re.compile(r"\?[ \"')*]*+$")
_SURENESS = ((_HEDGES, -2.5), (_HEARSAY, -1.5), (_FIGURE, 0.5), (_ASKS, -3.0))
"""What words say of how sure somebody is."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one sentence: its kind, how likely that is (0 to 1), and why, in words; how likely it is to be
    needed again (0 to 1), and how sure its speaker is of it (0 to 10).
    """

    kind: Kind
    probability: float
    reasons: tuple[str, ...]
    durability: float
    confidence: float
    opinion: Opinion

    @property
    def content_type(self) -> ContentType:
        return CONTENT_TYPES[self.kind]

    @property
    def why(self) -> str:
        """The judgement in words, for people: "preference (0.94): the words “i love”, it is said in: conversation"."""
        return f"{self.kind} ({self.probability:.2f}): {', '.join(self.reasons)}"

    @property
    def is_instruction(self) -> bool:
        return self.kind is Kind.INSTRUCTION


def judge(piece: Piece, parsed: Parsed, setting: Setting) -> Verdict:
    """Classify one sentence. An assistant's own sentences are never anybody's preference, task or order."""
    if setting.where == NOTE:
        return _judge_noted(piece, parsed, setting)
    thought, by_assistant = opinion(features(piece, parsed, setting)), setting.where == BY_ASSISTANT
    language = language_of(piece.text)
    possible = set(Kind) if not by_assistant else {Kind.FACT, Kind.NONE}
    is_order = language != ENGLISH or gives_order(parsed)
    if thought.kinds[Kind.INSTRUCTION] < SURE_OF_INSTRUCTION and (setting.is_answered or not is_order):
        possible.discard(Kind.INSTRUCTION)
    if setting.is_answered and language == ENGLISH and is_order:
        possible.discard(Kind.TASK)  # what was asked for is done
    kind = kind_of(thought.kinds, possible)
    probability, reasons = thought.kinds[kind], thought.reasons(kind)
    keep = 1.0 - thought.kinds[Kind.NONE]
    if language not in LEARNED:
        kind, probability, reasons = Kind.FACT, thought.kinds[Kind.FACT], ("its language is not known here",)
        keep = keep if by_assistant else UNJUDGED
    written = None if by_assistant else as_written(piece)
    if setting.is_worked_on:
        kind, probability, reasons, keep = Kind.NONE, 1.0, ("it is part of a text that is worked on",), 0.0
    elif written is not None:
        kind, probability, reasons = written, 1.0, (f"it is a {piece.form.value}",)
        # Who writes a task into a list means to keep it, however short it is.
        keep = 1.0 if written is Kind.TASK else keep
    value = keep * _durability(thought, parsed) * (HEADING_FACTOR if piece.form is Form.HEADING else 1)
    return Verdict(kind, probability, reasons, round(value, 3), _confidence(piece.text, by_assistant), thought)


def _judge_noted(piece: Piece, parsed: Parsed, setting: Setting) -> Verdict:
    """Classify a sentence of a note. An item of a list is what its writer notes down, and no headline as in an answer:
    it is read as a sentence. Whether it is a wish follows from what is above it; nothing is to be done but what is
    surely said so.
    """
    form = Form.SENTENCE if piece.form in (Form.BULLET, Form.STEP) else piece.form
    piece = replace(piece, text=setting.row or piece.text)
    thought = opinion(features(replace(piece, form=form), parsed, setting))
    led = f"{setting.lead}: {piece.text}" if setting.lead else piece.text
    above = opinion(features(replace(piece, text=led, form=form), parsed, setting))
    is_item = form is not piece.form or setting.is_line
    if is_item and LEAST_OF_NONE <= thought.kinds[Kind.NONE] > above.kinds[Kind.NONE]:
        thought = above  # it says too little alone, and is restated behind what is above it
    known = language_of(piece.text) in LEARNED
    kind, probability = Kind.FACT, thought.kinds[Kind.FACT]
    reasons: tuple[str, ...] = ("its language is not known here",)
    keep = 1.0 - thought.kinds[Kind.NONE] if known else UNJUDGED
    if setting.is_entry:  # who notes down what somebody is or needs means to keep it, however short it is
        keep = 1.0 if setting.is_of_somebody else max(keep, UNJUDGED)
    if known:
        is_english = language_of(piece.text) == ENGLISH
        is_order = not is_english or gives_order(parsed)
        sure = _sure_of_task(is_item=is_item, is_english=is_english, is_order=is_order)
        sure = sure if is_english else max(sure, RATHER_THAN_FACT * thought.kinds[Kind.FACT])
        # A step is one of how something is done, and an entry says how something is.
        lays_down = is_order and piece.form is not Form.STEP and not setting.is_entry
        order = LEAST[Kind.INSTRUCTION] if lays_down else SURE_OF_INSTRUCTION
        is_noted = setting.is_entry or setting.is_listed and setting.row
        none = math.inf if is_noted else LEAST_OF_NONE
        least = LEAST | {Kind.NONE: none, Kind.FACT: 0.0, Kind.TASK: sure, Kind.INSTRUCTION: order}
        is_wish = setting.lead and above.kinds[Kind.INSTRUCTION] >= SURE_OF_INSTRUCTION
        if is_wish and not setting.is_of_somebody:
            kind, probability, reasons = (
                Kind.INSTRUCTION,
                above.kinds[Kind.INSTRUCTION],
                above.reasons(Kind.INSTRUCTION),
            )
        else:
            possible = [one for one in Kind if thought.kinds[one] >= least[one]]
            kind = max(possible, key=lambda one: thought.kinds[one])
            probability, reasons = thought.kinds[kind], thought.reasons(kind)
    written = as_written(piece)
    if written is not None:
        kind, probability, reasons = written, 1.0, (f"it is a {piece.form.value}",)
        keep = 1.0 if written is Kind.TASK else keep
    is_of_things = setting.is_listed and written is not Kind.TASK
    factor = HEADING_FACTOR if piece.form is Form.HEADING else LIST_FACTOR if is_of_things else 1
    value = keep * _durability(thought, parsed) * factor
    return Verdict(kind, probability, reasons, round(value, 3), _confidence(piece.text, False), thought)


def _sure_of_task(*, is_item: bool, is_english: bool, is_order: bool) -> float:
    """How likely something in a note has to be a task to be one: an item of a list is mostly what there is."""
    if is_item:
        return (SURE_OF_TASK if is_english else SURE_OF_FOREIGN_ITEM) if is_order else math.inf
    return SURE_OF_TASK if is_english and not is_order else LIKELY_TASK


def gives_order(parsed: Parsed) -> bool:
    """Whether a clause opens with a bare verb ("When I paste a log, please start with its first error")."""
    opens = True
    for token in parsed.tokens:
        if token.tag == "VB" and opens:
            return True
        is_before_verb = token.tag in {"RB", "UH"} or token.lower in {"please", "do"}
        opens = token.pos in {"PUNCT", "CCONJ"} or opens and is_before_verb
    return False


def as_written(piece: Piece) -> Kind | None:
    """What an item of a list of tasks is by the way it is written; None for everything else."""
    if piece.form in (Form.BULLET, Form.STEP) and TASK_SECTION.search(piece.section):
        return Kind.TASK
    return OF_BOXES.get(piece.form)


def kind_of(kinds: Mapping[Kind, float], among: Collection[Kind] = frozenset(Kind)) -> Kind:
    """The likeliest kind of those that are likely enough (see :data:`LEAST`)."""
    return max(
        (kind for kind in Kind if kind in among and kinds[kind] >= LEAST.get(kind, 0)), key=lambda kind: kinds[kind]
    )


def _durability(thought: Opinion, parsed: Parsed) -> float:
    """How long what is worth a word holds, and how specific it is.

    By how likely it is worth a word and by this, sentences that readers would keep come in a better order than by their
    kind; names and figures are asked for more often than what is said in vague words.
    """
    held = math.fsum(WORTH_OF[span] * share for span, share in thought.lasting.items())
    return held * (1 - VAGUE + VAGUE * specificity(parsed))


def _confidence(text: str, by_assistant: bool) -> float:
    value = -1.0 if by_assistant else 1.5 if _ABOUT_SELF.search(text) else 0.0
    value += 7.0 + sum(worth for words, worth in _SURENESS if words.search(text))
    return round(max(0.0, min(10.0, value)), 1)
