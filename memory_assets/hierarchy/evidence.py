"""What the text of a storyline or macro rests on, sentence by sentence: statements, each in one of its sources, or
sources as wholes where nothing is stated (:mod:`memory_assets.llm.sentences`). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_assets.clock import day_of
from memory_assets.llm import sentences
from memory_assets.llm.cited import Cited, fault
from memory_assets.llm.local.lexicon import ROLES
from memory_assets.llm.local.names import named_words
from memory_assets.llm.local.sentences import split_sentences
from memory_assets.llm.sentences import Refused, Sentence, is_said
from memory_assets.llm.tasks import StorylineName
from memory_assets.text.lines import leading_day

MOST_SENTENCES = 4
LEAST_SENTENCES = 2
"""So many, or fewer where no more is said."""
Key = tuple[str, str]
"""The ids of what is cited and of its source."""


@dataclass(frozen=True)
class Evidence:
    """A statement as a source makes it, or a source by its summary (``id`` is its own then); ``day`` as in
    ``2026-05-03``.
    """

    id: str
    source_id: str
    text: str
    speaker: str | None = None
    day: str | None = None
    is_owners: bool = False

    @property
    def key(self) -> Key:
        """By what it is found again."""
        return self.id, self.source_id

    @property
    def words(self) -> tuple[str, ...]:
        """What it says: a statement without its own day, which is told before it, or each sentence of a summary."""
        if self.id == self.source_id:
            return tuple(split_sentences(" ".join(self.text.split())))
        return (self.text.removeprefix(f"{self.day}: "),)


def evidence_of(row: Mapping[str, Any]) -> Evidence:
    """What is cited, as it was read (``hierarchy/list_evidence``)."""
    day = day_of(row["at"]).isoformat() if row["at"] else None
    return Evidence(row["id"], row["source_id"], row["text"] or "", row["speaker"], day, bool(row["is_owners"]))


def numbered(evidence: Iterable[Evidence]) -> dict[str, Evidence]:
    """Each by its reference within a request."""
    return {str(number): one for number, one in enumerate(dict.fromkeys(evidence), start=1)}


def take(answer: StorylineName, shown: Mapping[str, Evidence]) -> tuple[tuple[Sentence, ...], Refused]:
    """The sentences of an answer that are taken, and the others, each with why."""
    taken, refused = sentences.take(answer.sentences, shown, MOST_SENTENCES, fault_of)
    return tuple(_sentence(text, cited) for text, cited in taken.items()), refused


def _sentence(text: str, cited: Sequence[Evidence]) -> Sentence:
    return Sentence(text, tuple(one.id for one in cited), tuple(one.source_id for one in cited))


def fault_of(text: str, cited: Sequence[Evidence]) -> str | None:
    """Why a sentence does not follow from what it cites; None where it is a statement word for word, behind its day and
    its speaker's name, or says what the statements say.
    """
    if is_said(text, _said(cited)):
        return None
    if dated := leading_day(text):
        day, rest = dated
        if is_said(rest, _said(one for one in cited if one.day == day.isoformat())):
            return None
    return fault(text, [_cited(one) for one in cited])


def _said(cited: Iterable[Evidence]) -> Iterator[str]:
    return (named_words(words, one.speaker) for one in cited for words in one.words)


def _cited(one: Evidence) -> Cited:
    is_named = one.speaker and one.speaker.strip().casefold() not in ROLES
    return Cited(*one.key, "", one.text, one.speaker if is_named else None, one.day, is_owners=one.is_owners)


def keys_of(given: Iterable[Sentence]) -> list[Key]:
    """What sentences rest on, each once."""
    pairs = (pair for one in given for pair in zip(one.cites, one.sources, strict=True))
    return list(dict.fromkeys(pairs))


def unsupported(given: Sequence[Sentence], text: str | None, known: Mapping[Key, Evidence]) -> list[tuple[str, str]]:
    """The sentences of a stored text that do not follow from what they cite, each with why."""

    def cited(sentence: Sentence) -> list[Evidence]:
        return [known[key] for key in keys_of([sentence]) if key in known]

    return sentences.unsupported(given, text, cited, fault_of)
