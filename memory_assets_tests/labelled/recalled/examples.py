"""Questions with the turns that answer them, and indexes of the talk: LoCoMo's conversations and BEAM's chats at hand.

Only numbers and pointers leave here: signals of passages, and which are evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

import numpy as np

from memory_assets.recall import ranking
from memory_assets.recall.index import PassageIndex, SourceText
from memory_assets.recall.policy import Found, SourceHead, split_turns
from memory_assets.recall.ranking import Query
from memory_assets_tests.bench.corpora import BEAM_MARK, beam, gold_messages, held_on, locomo, placed, sessions

FEWEST_FOREIGN = 100
"""So many of others' questions are asked of each talk, if there are as many."""


@dataclass(frozen=True)
class Talk:
    """A conversation or chat: its sources, which turn each place of them is, and its questions with their evidence."""

    name: str
    is_chat: bool
    sources: dict[str, SourceText]
    turns: dict[tuple[str, int], str]
    questions: list[tuple[str, frozenset[str]]]

    def index(self, folder: Path) -> PassageIndex:
        """A new index of it."""
        index = PassageIndex(folder / self.name)
        index.replace(self.sources)
        return index

    @property
    def heads(self) -> dict[str, SourceHead]:
        """What stands above its passages."""
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
    """A question as the ranking sees it: signals of the candidates, and which are evidence (none of a foreign one)."""

    talk: int
    signals: dict[str, np.ndarray]
    query: Query
    is_evidence: np.ndarray

    @property
    def is_foreign(self) -> bool:
        """Whether it was asked of another's memory."""
        return not self.is_evidence.any()


def examples(told: Sequence[Talk], folder: Path) -> list[Example]:
    """The own questions of each, and of the others' of its sort as many, or :data:`FEWEST_FOREIGN`."""
    found = []
    for number, talk in enumerate(told):
        index = talk.index(folder)
        foreign = [
            (question, frozenset[str]())
            for other in told
            if other is not talk and other.is_chat == talk.is_chat
            for question, _ in other.questions
        ]
        chosen = np.random.RandomState(number).permutation(len(foreign))[: max(len(talk.questions), FEWEST_FOREIGN)]
        for question, evidence in [*talk.questions, *(foreign[at] for at in chosen)]:
            seen = index.candidates(question)
            if seen is None:
                continue
            candidates, query, places = seen
            turns = [talk.turns[place] for place in places]
            of_evidence = np.array([turn in evidence for turn in turns])
            if evidence and not of_evidence.any():
                continue
            found.append(Example(number, ranking.signals(candidates, query), query, of_evidence))
        index.close()
    return found
