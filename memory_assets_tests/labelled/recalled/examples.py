"""Questions with the turns that answer them, and indexes of the talk: LoCoMo's conversations and BEAM's chats at hand.

Only numbers and pointers leave here: signals of passages, and which are evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path

import numpy as np

from memory_assets.recall import ranking
from memory_assets.recall.index import PassageIndex, SourceText
from memory_assets.recall.likenesses import Likenesses
from memory_assets.recall.policy import Found, SourceHead, split_turns
from memory_assets.recall.ranking import Query
from memory_assets_tests.bench.corpora import BEAM_MARK, beam, gold_messages, held_on, locomo, placed, sessions

FEWEST_FOREIGN = 100
"""So many of others' questions are asked of each talk, if there are as many."""
SESSIONS_OF_A_FEW = {False: 4, True: 10}
"""So many of a conversation or of a chat make a small memory."""
ASKED_OF_ALL, ASKED_OF_A_FEW = 40, 20
"""So many questions of each sort are asked of what is all of a talk, and of a small memory."""
TALK, NOTES, FEW_NOTES = range(3)


@dataclass(frozen=True)
class Talk:
    """A conversation or chat: its sources, which turn each place of them is, and its questions with their evidence."""

    name: str
    is_chat: bool
    sources: dict[str, SourceText]
    turns: dict[tuple[str, int], str]
    questions: list[tuple[str, frozenset[str]]]

    def notes(self, keys: Sequence[str]) -> Talk:
        """Some of its sources, and the questions that these answer, as their owner has and asks them: nobody is named
        as speaking. A chat with a model stays as it is.
        """
        sources = {key: self.sources[key] for key in keys}
        if not self.is_chat:
            sources = {
                key: one._replace(passages=[passage._replace(speaker=None) for passage in one.passages])
                for key, one in sources.items()
            }
        turns = {place: turn for place, turn in self.turns.items() if place[0] in sources}
        there = set(turns.values())
        questions = [(self.by_owner(one), evidence) for one, evidence in self.questions if evidence <= there]
        return replace(self, sources=sources, turns=turns, questions=questions)

    def by_owner(self, question: str) -> str:
        """A question as one asks who takes part in it: "I" for the names."""
        speakers = {passage.speaker or "" for one in self.sources.values() for passage in one.passages}
        for word in () if self.is_chat else sorted(set().union(*map(str.split, speakers))):
            question = re.sub(rf"\b{re.escape(word)}\b", "I", re.sub(rf"\b{re.escape(word)}['’]s\b", "my", question))
        return question

    def index(self, folder: Path) -> PassageIndex:
        """A new index of it."""
        index = PassageIndex(folder / self.name)
        index.replace(self.sources)
        return index

    @property
    def heads(self) -> dict[str, SourceHead]:
        """What is above its passages."""
        return {
            key: SourceHead(key, "123456789", "user", "conversation", key, one.started_at)
            for key, one in self.sources.items()
        }

    def turns_of(self, found: Sequence[Found]) -> list[str]:
        """Which turn each passage is of."""
        return [self.turns[one.source_id, one.turn] for one in found]


def talks() -> list[Talk]:
    """All that is at hand."""
    return [*_conversations(), *_chats()]


def _conversations() -> Iterator[Talk]:
    for sample in locomo():
        sources, turns = {}, {}
        for number, when, said in sessions(sample["conversation"]):
            key, at = f"session-{number:02d}", when.replace(tzinfo=UTC)
            rows = [
                {"index": place, "speaker": turn["speaker"], "at": at.isoformat(), "text": turn["text"]}
                for place, turn in enumerate(said)
            ]
            sources[key] = SourceText(key, at, split_turns(rows))
            turns.update({(key, place): turn["dia_id"] for place, turn in enumerate(said)})
        known = set(turns.values())
        asked = [
            (row["question"], frozenset(re.findall(r"D\d+:\d+", " ".join(row.get("evidence") or []))))
            for row in sample["qa"]
            if row.get("category") in (1, 2, 3, 4)
        ]
        yield Talk(sample["sample_id"], False, sources, turns, [one for one in asked if one[1] & known])


def _chats() -> Iterator[Talk]:
    for number, chat, abilities in beam():
        sources, turns = {}, {}
        days = {f"{batch['batch_number']:02d}": held_on(batch) for batch in chat}
        for name, said in placed(chat):
            day = days[name[:2]]
            rows = [
                {
                    "index": place,
                    "speaker": message["role"],
                    "at": day.isoformat(),
                    "text": BEAM_MARK.sub("", message["content"]),
                }
                for place, message in enumerate(said)
            ]
            sources[name] = SourceText(name, day, split_turns(rows))
            turns.update({(name, place): str(message["id"]) for place, message in enumerate(said)})
        asked = [
            (row["question"], frozenset(map(str, gold_messages(row))))
            for rows in abilities.values()
            for row in rows
        ]  # fmt: skip
        known = set(turns.values())
        yield Talk(f"beam-{number}", True, sources, turns, [one for one in asked if one[1] & known])


@dataclass
class Example:
    """A question as the ranking sees it: signals of the candidates, which are evidence (none of a foreign one), and how
    near the words of each are to the question's.
    """

    talk: int
    signals: dict[str, np.ndarray]
    query: Query
    is_evidence: np.ndarray
    near: np.ndarray
    memory: int = TALK
    """Whether of a talk as it is, or of one as its owner's notes: all of it, or a few sessions."""
    is_far: bool = False
    """Whether it was asked of a memory of another sort."""

    @property
    def is_foreign(self) -> bool:
        """Whether it was asked of another's memory."""
        return not self.is_evidence.any()


def examples(corpus: Sequence[Talk], folder: Path) -> list[Example]:
    """The own questions of each, and of the others' of its sort as many, or :data:`FEWEST_FOREIGN`."""
    found: list[Example] = []
    for number, talk in enumerate(corpus):
        others = _foreign(corpus, talk, is_chat=talk.is_chat, is_noted=False)
        chosen = np.random.RandomState(number).permutation(len(others))[: max(len(talk.questions), FEWEST_FOREIGN)]
        asked = [*talk.questions, *((others[at], frozenset[str]()) for at in chosen)]
        found += _seen(number, talk, folder, asked)
    return found


def as_notes(corpus: Sequence[Talk], folder: Path) -> list[Example]:
    """The same as its owner's notes have it (:meth:`Talk.notes`), all and a few sessions, for a memory is small at
    first; and with questions that are far off: chats' of conversations, conversations' of chats.
    """
    found: list[Example] = []
    for number, talk in enumerate(corpus):
        rng, keys = np.random.RandomState(number), sorted(talk.sources)
        foreign, far = (_foreign(corpus, talk, is_chat=is_chat) for is_chat in (talk.is_chat, not talk.is_chat))
        size = SESSIONS_OF_A_FEW[talk.is_chat]
        starts = range(0, len(keys) - size // 2, size)
        for memory, some in [(NOTES, keys), *((FEW_NOTES, keys[at : at + size]) for at in starts)]:
            notes = talk.notes(some)
            most = ASKED_OF_ALL if memory == NOTES else ASKED_OF_A_FEW
            own = [notes.questions[at] for at in rng.permutation(len(notes.questions))[:most]]
            others = [(foreign[at], frozenset[str]()) for at in rng.permutation(len(foreign))[:most]]
            distant = [(far[at], frozenset[str]()) for at in rng.permutation(len(far))[:ASKED_OF_A_FEW]]
            for asked, is_far in (([*own, *others], False), (distant, True)):
                part = replace(notes, name=f"{notes.name}-{memory}-{some[0]}-{is_far}")
                found += _seen(number, part, folder, asked, memory, is_far)
    return found


def _foreign(corpus: Sequence[Talk], talk: Talk, *, is_chat: bool, is_noted: bool = True) -> list[str]:
    others = [other for other in corpus if other is not talk and other.is_chat == is_chat]
    return [other.by_owner(one) if is_noted else one for other in others for one, _ in other.questions]


def _seen(
    number: int,
    talk: Talk,
    folder: Path,
    asked: Sequence[tuple[str, frozenset[str]]],
    memory: int = TALK,
    is_far: bool = False,
) -> Iterator[Example]:
    index = talk.index(folder)
    likenesses = Likenesses([passage.text for one in talk.sources.values() for passage in one.passages])
    for question, evidence in asked:
        seen = index.candidates(question)
        if seen is None:
            continue
        candidates, query, places = seen
        turns = [talk.turns[place] for place in places]
        of_evidence = np.array([turn in evidence for turn in turns])
        if evidence and not of_evidence.any():
            continue
        near = likenesses.near(query.words)
        if len(near) != len(places):
            raise ValueError("Not all of the talk is ranked: it is too long to learn from.")
        found = ranking.signals(candidates, query)
        yield Example(number, found, query, of_evidence, near.astype(np.float16), memory, is_far)
    index.close()
