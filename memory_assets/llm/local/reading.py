"""A source read once: its turns as cut, cleaned and parsed sentences. Everything else works on this."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, repeat
from typing import NamedTuple

from memory_assets.llm.local.gazetteer import is_given_name
from memory_assets.llm.local.language import ENGLISH, NAMES, SPACELESS, Parsed, language_of, parse, words_in
from memory_assets.llm.local.lexicon import ASSISTANT_ROLES, NOT_NAMES, ROLES
from memory_assets.llm.local.lists import Item, in_lists
from memory_assets.llm.local.places import Place, below, blocks, sentences_of
from memory_assets.llm.local.sentence_features import BY_ASSISTANT, TO_ASSISTANT, Setting
from memory_assets.llm.local.sentences import Piece, cut_lead_in, pieces
from memory_assets.llm.tasks import SourceText

# Past these, a source is a dump rather than speech: its rest stays reachable as raw text only.
LONGEST_READ = 1_000_000
LONGEST_DESCRIBED = 120_000
SHORTEST_ANSWER = 300
"""An assistant that only says that it will heed a wish says so in fewer characters."""
SHORTEST_IN_A_LANGUAGE = 5
"""Words of a sentence, at least, whose language is certain."""
NOTED = ("memory-file", "file-edit")
WITH_ASSISTANTS = ("conversation", "record")

_SHORT_LEADS = re.compile(r"^(?:\w{1,4}: )+")
"""What mail programs put before a subject ("Re: ", "Fwd: "), in any language."""
_WORD = re.compile(r"[^\W\d_]+")
# A line in place of a tool's call or its result, or of a file ("[Read gave: …]", "[Bash: ls]", "[image]").
_FOLDED = re.compile(r"^[ \t]*\[(?![\[\]])[^\[\]:\n]{1,80}(?::[^\n]*)?\][ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a turn: as cut (``piece``), as parsed, and where it was said."""

    turn: int
    speaker: str | None
    piece: Piece
    parsed: Parsed
    setting: Setting
    place: Place | None = None
    """Where in a note it is."""

    @property
    def by_assistant(self) -> bool:
        return self.setting.where == BY_ASSISTANT

    @property
    def is_noted(self) -> bool:
        """Whether it is in somebody's file of memories: its owner wrote it down to be remembered."""
        return self.setting.where in NOTED

    @property
    def to_assistant(self) -> bool:
        return self.setting.where == TO_ASSISTANT

    @property
    def text(self) -> str:
        return self.piece.text


class Reading(NamedTuple):
    """A source's sentences in order, and its title when it has one."""

    sentences: list[Sentence]
    title: Parsed | None


class _Cut(NamedTuple):
    turn: int
    speaker: str | None
    piece: Piece
    place: Place | None


def read(source: SourceText, *, longest: int = LONGEST_READ, keep: bool = False) -> Reading:
    """Cut and parse a source, up to ``longest`` characters; ``keep`` it for the next reading of the same."""
    named = speakers(source)
    vocatives = short_names(named)
    texts: list[str] = []
    for turn in source.turns:
        if longest <= 0:
            break
        texts.append(turn.text[:longest])
        longest -= len(turn.text)
    noted = blocks(source.title, texts) if source.source_type == "note" else repeat(None)
    cut: list[_Cut] = []
    for turn, text, of_note in zip(source.turns, texts, noted, strict=False):
        if is_assistant(source, turn.speaker):
            text = _FOLDED.sub("", text)  # nobody's words
        for piece, place in ((piece, None) for piece in pieces(text)) if of_note is None else sentences_of(of_note):
            piece = replace(piece, text=cut_lead_in(piece.text, vocatives))
            cut.append(_Cut(turn.index, turn.speaker, piece, place))
    # An assistant's answers bring no names of their own (see entities): no need to look for them there.
    nameless = {one.piece.text for one in cut} - {
        one.piece.text for one in cut if not is_assistant(source, one.speaker)
    }
    shallow = nameless - {one.piece.text for one in cut if clean_speaker(one.speaker) in named}
    title = " ".join(source.title.split())
    *parsed, parsed_title = parse(
        [*(one.piece.text for one in cut), title], nameless=nameless, shallow=shallow, keep=keep
    )
    items = {
        at: Item(one.piece, one.place, words)
        for at, (one, words) in enumerate(zip(cut, parsed, strict=True))
        if one.place is not None
    }
    for at, item in in_lists(items).items():
        cut[at] = cut[at]._replace(piece=item.piece, place=item.place)
    sentences = [
        Sentence(*one[:3], words, setting if one.place is None else below(setting, one.piece, one.place), one.place)
        for one, words, setting in zip(cut, parsed, _settings(source, cut), strict=True)
    ]
    return Reading(sentences, parsed_title if title else None)


def _settings(source: SourceText, cut: Sequence[_Cut]) -> Iterator[Setting]:
    """Where each piece was said."""
    others = {turn.speaker for turn in source.turns if turn.speaker is not None and not is_owners(source, turn.speaker)}
    with_assistant = source.source_type in WITH_ASSISTANTS and all(is_assistant(source, other) for other in others)
    turns = [None, *(one.turn for one in cut), None]
    # What an assistant answers at once, with more than that it will heed it.
    answered = {
        turn.index
        for turn, answer in pairwise(source.turns)
        if is_assistant(source, answer.speaker) and len(answer.text) >= SHORTEST_ANSWER
    }
    worked_on = _worked_on(source, cut)
    for at, (turn, speaker, _, _) in enumerate(cut):
        where = source.source_type
        if is_assistant(source, speaker):
            where = BY_ASSISTANT
        elif with_assistant and is_owners(source, speaker):
            where = TO_ASSISTANT
        before = cut[at - 1].piece.text if at else ""
        is_answered = where == TO_ASSISTANT and turn in answered
        yield Setting(
            where, turns[at] != turn, turns[at + 2] != turn, before, is_answered, is_worked_on=at in worked_on
        )


def _worked_on(source: SourceText, cut: Sequence[_Cut]) -> frozenset[int]:
    """The pieces of a talk with an assistant in a language that its owner names, and comes back to English from: a
    speech, a translation or an exercise that both work on. Who changes languages for good, or has two, still speaks.
    Of a turn without English all are.
    """
    if source.source_type not in WITH_ASSISTANTS:
        return frozenset()
    spoken = {
        at: language_of(_without_signs(piece.text))
        for at, (_, _, piece, _) in enumerate(cut)
        if words_in(piece.text) >= SHORTEST_IN_A_LANGUAGE
    }
    words = {
        word for _, speaker, piece, _ in cut if is_owners(source, speaker) for word in _WORD.findall(piece.text.lower())
    }
    named = {language for language, name in NAMES.items() if name in words} - {ENGLISH}
    owners = {at: language for at, language in spoken.items() if is_owners(source, cut[at].speaker)}
    last = max((at for at, language in owners.items() if language == ENGLISH), default=-1)
    found = {at for at, one in spoken.items() if one in named and (at < last or one not in owners.values())}
    turns = {cut[at].turn for at in found} - {cut[at].turn for at, one in spoken.items() if one == ENGLISH}
    return frozenset(found.union(at for at, one in enumerate(cut) if one.turn in turns))


def _without_signs(text: str) -> str:
    """Without a few signs of a script without spaces among the words of another ("my wife Mei (梅)")."""
    return SPACELESS.sub(" ", text) if 2 * len(SPACELESS.findall(text)) < len(text) else text


def subject_of(source: SourceText) -> str:
    """What a source says that it is about, on one line: its title, or its subject without "Re:"."""
    return _SHORT_LEADS.sub("", " ".join(source.title.split()))


def is_owners(source: SourceText, speaker: str | None) -> bool:
    """Whether these are the owner's own words: never by an unknown owner, nor in what nobody says."""
    return speaker is not None and speaker == source.owner_speaker


def is_assistant(source: SourceText, speaker: str | None) -> bool:
    """Whether these are an assistant's words: by its role, or as the owner's counterpart without a person's name."""
    if speaker is None or speaker == source.owner_speaker:
        return False
    if is_agents_own(source):  # what an agent keeps on record is what it knows, not what it answers
        return False
    if speaker.strip().lower() in ASSISTANT_ROLES:
        return True
    if source.source_type not in WITH_ASSISTANTS or source.owner_speaker is None:
        return False
    return not is_given_name(clean_speaker(speaker).partition(" ")[0])


def is_agents_own(source: SourceText) -> bool:
    """Whether it is what an agent noted by itself: nobody speaks in it, and the agent is no person."""
    return source.source_type == "record" and source.owner_speaker is None


def speakers(source: SourceText) -> list[str]:
    """The distinct speakers that are somebody, in order of appearance: roles are nobody's name."""
    if is_agents_own(source):
        return []
    named = dict.fromkeys(clean_speaker(turn.speaker) for turn in source.turns if turn.speaker and turn.speaker.strip())
    return [name for name in named if name and name.lower() not in ROLES]


def clean_speaker(name: str | None) -> str:
    """A speaker as a person's display name: no address in angle brackets, no quotes, one line."""
    text = re.sub(r"\s+", " ", re.sub(r"<[^<>]{0,200}>|\([^()]{0,100}\)", " ", name or "")).strip(" \"'<>,;:")
    return text[:120].strip()


def short_names(names: Sequence[str]) -> list[str]:
    """How people are addressed: the name, its first word, and its short forms (Melanie: Mel)."""
    result: dict[str, None] = {}
    for name in names:
        first = name.split()[0] if name.split() else ""
        if "@" in name or not first[:1].isalpha():
            continue
        result[name] = None
        result[first] = None
        for length in (2, 3, 4):
            if len(first) > length + 1:
                result[first[:length]] = None
    return [name for name in result if len(name) >= 2 and (name in names or name.lower() not in NOT_NAMES)]
