"""Who says a sentence of a source and to whom, so that it can be told to a stranger. Pure."""

from __future__ import annotations

from memory_assets.llm.local.reading import Sentence, clean_speaker, is_agents_own, is_owners, speakers
from memory_assets.llm.local.rewriting import USER, Said, statement_of
from memory_assets.llm.local.sentences import Form
from memory_assets.llm.local.standalone import addresses, asks, points_outside, talks
from memory_assets.llm.tasks import SourceText
from memory_assets.text import attribution

ASSISTANT = "the assistant"
RECIPIENT = "the recipient"


class Telling:
    """A source's speakers, by whom its sentences are told."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.named = speakers(source)
        self.is_agents_own = is_agents_own(source)

    def statement(self, sentence: Sentence, before: Sentence | None, *, is_order: bool = False) -> str | None:
        """What a stranger understands alone of a sentence; ``before`` is the one before it in the source."""
        speaker = sentence.speaker
        if speaker is None or not speaker.strip() or self.is_agents_own or sentence.is_noted:
            return self._of_nobody(sentence)
        if sentence.by_assistant and clean_speaker(speaker) not in self.named:
            return None if talks(sentence.parsed) or points_outside(sentence.parsed) else sentence.text
        if sentence.parsed.text != sentence.text:
            return sentence.text  # its words were cut for the parse: as it was said, behind the name
        is_same_turn = before is not None and before.turn == sentence.turn
        return statement_of(
            Said(
                sentence.parsed,
                self._name(speaker),
                self._other(sentence, speaker),
                before.parsed if before is not None and is_same_turn else None,
                is_order=is_order,
                to_agent=sentence.to_assistant and len(self.named) < 2,
            )
        )

    def _of_nobody(self, sentence: Sentence) -> str | None:
        """A line of a note is meant to be read alone; a sentence of its prose may need the one before, or be said to
        somebody who is not named. In what is quoted nobody knows who "I" is either.
        """
        if self.source.passes_on(sentence.speaker):
            parsed = sentence.parsed
            return None if talks(parsed) or asks(parsed.tokens, 0) or points_outside(parsed) else sentence.text
        is_prose = sentence.piece.form is Form.SENTENCE and not sentence.is_noted
        is_unclear = is_prose and (points_outside(sentence.parsed) or addresses(sentence.parsed))
        return None if is_unclear else sentence.text

    def _name(self, speaker: str) -> str:
        name = clean_speaker(speaker)
        if name in self.named:
            return attribution.name_of(speaker)
        return USER if is_owners(self.source, speaker) else attribution.name_of(speaker)

    def _other(self, sentence: Sentence, speaker: str) -> str | None:
        if self.source.source_type == "email":
            return self._recipient(speaker)
        others = [name for name in self.named if name != clean_speaker(speaker)]
        if len(others) == 1:
            return others[0]
        return ASSISTANT if sentence.to_assistant and not others else None

    def _recipient(self, writer: str) -> str:
        """Whom a mail is written to: its owner, where somebody else writes and the owner is known."""
        owner = self.source.owner_speaker
        if owner is None or clean_speaker(owner) == clean_speaker(writer):
            return RECIPIENT
        name = self._name(owner)
        return USER if "@" in name else name
