"""The sentences of a source restated so that a stranger understands each alone: who says it, and to whom. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby
from typing import NamedTuple

from memory_assets.llm.local.gazetteer import is_given_name
from memory_assets.llm.local.greetings import called_in
from memory_assets.llm.local.language import ENGLISH, Parsed, Token, language_of, words_in
from memory_assets.llm.local.leaning import is_explained_by, leans
from memory_assets.llm.local.lists import DONE
from memory_assets.llm.local.places import MOST_ABOVE, PEOPLE, Place, lead_of, names_above
from memory_assets.llm.local.quotations import across, quotations
from memory_assets.llm.local.reading import (
    Sentence,
    clean_speaker,
    is_agents_own,
    is_owners,
    short_names,
    speakers,
    subject_of,
)
from memory_assets.llm.local.rewriting import (
    ENDS,
    USER,
    Said,
    is_of_self,
    proposes,
    restated_behind,
    statement_of,
)
from memory_assets.llm.local.sentences import MOST_WORDS, Form, plain
from memory_assets.llm.local.standalone import (
    PERSONS,
    SUBJECTS,
    addresses,
    asks,
    fits,
    is_sentence,
    pointing,
    points_outside,
    quoted,
    talks,
    together,
)
from memory_assets.llm.local.statements import gives_order
from memory_assets.llm.tasks import LETTERS, SourceText
from memory_assets.text import attribution
from memory_assets.text.lines import shortened
from memory_assets.text.words import BARE_WORD

ASSISTANT = "the assistant"
RECIPIENT = "the recipient"
_FEWEST_WORDS = 5
_FEWEST_WORDS_OF_QUESTION = _FEWEST_WORDS_OF_ANSWER = 4
MOST_OF_ANSWER = 3
"""So many sentences of a turn answer what the turn before it ends with."""
TALKS = frozenset({"conversation", "transcript"})
_QUOTES = re.compile(r"[“”„«»]")
_LONGEST_MATTER = 60
_CHANNEL, _DAY = re.compile(r"#[^\s“”]{1,80}"), re.compile(r"\d{4}-\d{2}-\d{2}")
_JOINT = re.compile(r"[\s,;:.!?…–—]{1,6}(?:(?:and|so|but|also|then|because|plus)\s){0,2}", re.IGNORECASE)
_QUOTED_FORMS = frozenset({Form.SENTENCE, Form.BULLET})
_MAKES_KNOWN = frozenset({"det", "poss", "nummod", "compound"})


class Restated(NamedTuple):
    """A restated sentence: its statement, perhaps behind what was said before, and all words of that."""

    sentence: Sentence
    statement: str | None
    parsed: Parsed
    is_plain: bool
    """Whether it only states something, to nobody in particular, so that the next sentence may go with it."""
    quotation: str | None = None
    """What has no statement, word for word: behind the question that it answers in a talk, or behind a name."""
    said: tuple[Sentence, ...] = ()
    """The sentences that are quoted behind a name."""


class Asked(NamedTuple):
    """The question that a sentence may answer, and what was said between the two."""

    question: Sentence
    since: tuple[Sentence, ...]


class Named(NamedTuple):
    """Whom a note names before a sentence: since the heading that names somebody, and in the same paragraph."""

    since: bool
    beside: bool


class Restating:
    """Restates the sentences of a source by who says them."""

    def __init__(self, source: SourceText, reading: Sequence[Sentence]) -> None:
        self.source = source
        self.named = speakers(source)
        self._turns = {turn.index: turn.text for turn in source.turns}
        self.is_agents_own = is_agents_own(source)
        self._quoted = frozenset(
            (*_quoted(source, reading), *(id(one) for one in reading if one.place is not None and one.place.is_quoted))
        )
        self._before = dict(_named_before(reading))
        self._called = dict(_called_in(reading)) if source.source_type == "email" else {}

    def statement(self, sentence: Sentence, *, is_order: bool = False) -> str | None:
        """What a stranger understands alone of a sentence."""
        speaker = sentence.speaker
        if speaker is None or self._is_of_nobody(sentence):
            of_writer = self._of_writer(sentence, is_order=is_order)
            statement = of_writer or self._of_nobody(sentence)
            if sentence.place is None or statement is None and id(sentence) in self._quoted:
                return statement
            if of_writer is None and self._is_writers(sentence):
                statement = self._as_written(sentence)
                return statement and self._in_place(sentence, statement, is_order=is_order)
            return self._in_place(sentence, statement, is_order=is_order)
        if sentence.by_assistant and clean_speaker(speaker) not in self.named:
            return None if talks(sentence.parsed) or points_outside(sentence.parsed) else sentence.text
        if sentence.parsed.text != sentence.text:
            # Its words were cut for the parse: as it was said, behind the name, where its speaker has one.
            return None if self._name(speaker) == USER and is_of_self(sentence.parsed) else sentence.text
        return statement_of(self._said(sentence, is_order=is_order))

    def restate(
        self, sentence: Sentence, before: Restated | None, *, is_order: bool = False, is_worth_it: bool = True
    ) -> Restated:
        """A sentence restated behind the one before it: with that where it leans on it, else alone.

        A shred of a note's paragraph goes with what is before it, where it ``is_worth_it``.
        """
        alone = self.statement(sentence, is_order=is_order)
        is_shred = alone is None or _is_shred(sentence.parsed)
        if is_worth_it and is_shred and before is not None and (both := self._noted_behind(sentence, before)):
            return Restated(sentence, both, together(before.parsed, sentence.parsed), is_plain=False)
        is_plain = not is_order and self._is_speech(sentence)
        if is_plain and before is not None and before.is_plain and before.statement is not None:
            is_one = (before.sentence.turn, before.sentence.speaker) == (sentence.turn, sentence.speaker)
            if is_one and (alone is None or is_explained_by(before.parsed, sentence.parsed)):
                both = restated_behind(self._said(sentence), before.statement, before.parsed)
                if both is not None:
                    return Restated(sentence, both, together(before.parsed, sentence.parsed), is_plain)
        is_addressed = is_plain and (addresses(sentence.parsed) or proposes(self._said(sentence)))
        return Restated(sentence, alone, sentence.parsed, is_plain and not is_addressed)

    def answer(self, sentence: Sentence, asked: Asked) -> str | None:
        """What somebody answers in a talk, word for word behind the question, where that is understood alone."""
        question, said = asked.question, (*asked.since, sentence)
        parsed, answer = question.parsed, " ".join(one.text for one in said)
        is_talk = self.source.source_type in TALKS and all(map(self._is_speech, (question, *said)))
        is_clear = words_in(question.text) >= _FEWEST_WORDS_OF_QUESTION and not points_outside(parsed)
        if not is_talk or not is_clear or leans(parsed, quoted(parsed)) or addresses(sentence.parsed):
            return None
        if words_in(sentence.text) < _FEWEST_WORDS_OF_ANSWER or _QUOTES.search(question.text + answer):
            return None
        asker, speaker = self._name(question.speaker or ""), self._name(sentence.speaker or "")
        both = attribution.answered(asker, question.text, speaker, answer)
        return both if words_in(both) <= MOST_WORDS else None

    def in_words(self, sentence: Sentence, before: Sequence[Sentence]) -> tuple[Sentence, ...]:
        """A sentence with so much of what is said ``before`` it in the same turn that it is clear, word for word, what
        it means; nothing where nothing makes it clear. In a channel a whole message is as clear as it gets.
        """
        if (
            language_of(sentence.text) != ENGLISH
            or asks(sentence.parsed.tokens, 0)
            or words_in(sentence.text) < _FEWEST_WORDS_OF_ANSWER
        ):
            return ()
        said: tuple[Sentence, ...] = ()
        parsed = sentence.parsed
        for one in chain((sentence,), reversed(before)):
            if not self.may_be_quoted(one):
                return ()
            said, parsed = (one, *said), together(one.parsed, parsed) if said else parsed
            if sum(words_in(each.text) for each in said) > MOST_WORDS:
                return ()
            is_first = len(said) > len(before)
            is_whole = is_first or len(said) > 1 or not _is_shred(one.parsed)
            is_clear = is_first and self._is_chat or not points_outside(parsed)
            opening = one.parsed.tokens[0]
            goes_on = opening.tag == "CC" or opening.lower in {"so", "but", "then"}
            if is_whole and (is_first or not goes_on) and is_clear:
                return said
        return ()

    def is_quoted(self, sentence: Sentence) -> bool:
        """Whether a sentence is rather quoted than told in the third person: in what is written, "we" and "you" are
        clear beside who writes it, to whom and about what, and by no name that a rule finds.
        """
        return self.source.source_type in LETTERS or sentence.to_assistant

    def may_be_quoted(self, sentence: Sentence) -> bool:
        """Whether somebody says it themselves, in a sentence or an item of a list, and quotes nobody."""
        is_said = not self._is_of_nobody(sentence) and not sentence.by_assistant and sentence.place is None
        is_whole = sentence.piece.form in _QUOTED_FORMS and sentence.parsed.text == sentence.text
        return is_said and is_whole and not _QUOTES.search(sentence.text)

    def quote(self, said: Sequence[Sentence]) -> str:
        """Sentences of one turn word for word, behind the name of who says them; of a mail or to an assistant with what
        it is about, of a mail with whom it is for, and in a channel with its name and what is answered there.
        """
        speaker, is_letter = said[0].speaker or "", self.source.source_type == "email"
        is_written = self.source.source_type not in TALKS or said[0].to_assistant
        is_owners_letter = is_letter and is_owners(self.source, speaker)
        to = self._other(said[0], speaker) if is_owners_letter else None
        channel, opener = self._channel
        return attribution.quoted(
            self._name(speaker),
            self._as_said([one.text for one in said], said[0].turn),
            is_written=is_written,
            to="" if to is None or to == RECIPIENT else to,
            channel=channel,
            about=self._matter if is_letter or said[0].to_assistant else opener if said[0].turn else "",
        )

    def _as_said(self, texts: Sequence[str], turn: int) -> str:
        """Sentences of a turn with what joins them there: "and", a comma."""
        whole, said, end = " ".join(plain(self._turns[turn]).split()), "", 0
        for text in texts:
            found = re.search(re.escape(text), whole[end:], re.IGNORECASE)
            if found is None or said and not _JOINT.fullmatch(whole[end : end + found.start()]):
                return " ".join(texts)
            said += whole[end : end + found.end()] if said else text
            end += found.end()
        return said

    @property
    def _is_chat(self) -> bool:
        """Whether people write short messages to each other: what each is about is before it, in others' words."""
        return self.source.source_type == "slack"

    @cached_property
    def _channel(self) -> tuple[str, str]:
        """The channel in which messages are written, and of a thread how its first message begins."""
        channel, _, opener = self.source.title.partition(": ")
        if not self._is_chat or not _CHANNEL.fullmatch(channel):
            return "", ""
        is_opener = bool(opener) and not _DAY.fullmatch(opener) and not _QUOTES.search(opener)
        return channel, shortened(opener, _LONGEST_MATTER) if is_opener else ""

    @cached_property
    def _matter(self) -> str:
        """What the source says that it is about, unless that repeats the words of a turn: many programs call a chat by
        its first message.
        """
        matter = subject_of(self.source)
        words = matter.rstrip(".… ").casefold()
        is_said = any(words in " ".join(turn.text.split()).casefold() for turn in self.source.turns)
        return "" if is_said or len(matter) > _LONGEST_MATTER or _QUOTES.search(matter) else matter

    def _noted_behind(self, sentence: Sentence, before: Restated) -> str | None:
        """A sentence of a note's paragraph behind what is before it there."""
        if (
            not _is_one_paragraph(sentence, before.sentence)
            or before.statement is None
            or asks(sentence.parsed.tokens, 0)
            or addresses(sentence.parsed)
        ):
            return None
        if self.source.writer and is_of_self(sentence.parsed):
            return restated_behind(Said(sentence.parsed, self.source.writer), before.statement, before.parsed)
        both = f"{before.statement}{'' if before.statement[-1] in ENDS else '.'} {sentence.text}"
        return both if words_in(both) <= MOST_WORDS else None

    def _is_speech(self, sentence: Sentence) -> bool:
        """Whether somebody with a name or the owner says it in whole sentences."""
        is_whole = sentence.piece.form is Form.SENTENCE and sentence.parsed.text == sentence.text
        return is_whole and not self._is_of_nobody(sentence) and not sentence.by_assistant

    def _said(self, sentence: Sentence, *, is_order: bool = False) -> Said:
        speaker = sentence.speaker or ""
        other = self._other(sentence, speaker)
        return Said(
            sentence.parsed,
            self._name(speaker),
            other,
            is_order=is_order,
            to_agent=sentence.to_assistant and len(self.named) < 2,
            hearers=frozenset(short_names(self.named)),
            is_public=self.source.source_type in LETTERS or other is None,
            opens_letter=self.source.source_type == "email" and sentence.setting.opens,
        )

    def _is_of_nobody(self, sentence: Sentence) -> bool:
        """Whether nobody speaks, or somebody notes something down, or repeats what another said at length."""
        is_said = bool((sentence.speaker or "").strip()) and not self.is_agents_own and not sentence.is_noted
        return not is_said or id(sentence) in self._quoted

    def _of_writer(self, sentence: Sentence, *, is_order: bool) -> str | None:
        """What the writer of a note says in it of themselves, by their name."""
        if not self._is_writers(sentence) or sentence.parsed.text != sentence.text:
            return None
        return statement_of(Said(sentence.parsed, self.source.writer or "", is_order=is_order))

    def _as_written(self, sentence: Sentence) -> str | None:
        """What a writer says of themselves and nobody can restate, as they wrote it: an item or line below its lead."""
        parsed, place = sentence.parsed, sentence.place or Place()
        is_apart = place.is_line or sentence.piece.form not in {Form.SENTENCE, Form.HEADING}
        is_unclear = not is_apart or not place.above or addresses(parsed) or points_outside(parsed)
        words = place.row or sentence.text
        return None if is_unclear or words_in(words) > MOST_WORDS else f"{self.source.writer} wrote: {words}"

    def _is_writers(self, sentence: Sentence) -> bool:
        """Whether the writer of a note, who is known, speaks of themselves."""
        is_known = self.source.writer is not None and sentence.speaker is None and id(sentence) not in self._quoted
        return is_known and is_of_self(sentence.parsed, quoted(sentence.parsed))

    def _of_nobody(self, sentence: Sentence) -> str | None:
        """A line of a note is meant to be read alone; a sentence of its prose may need the one before, or be said to
        somebody who is not named. In what is quoted nobody knows who "I" is either.
        """
        if self.source.passes_on(sentence.speaker) or id(sentence) in self._quoted:
            parsed = sentence.parsed
            return None if talks(parsed) or asks(parsed.tokens, 0) or points_outside(parsed) else sentence.text
        is_prose = sentence.piece.form is Form.SENTENCE and not sentence.is_noted
        points = points_outside if sentence.place is None else _opens_outside
        is_unclear = is_prose and (points(sentence.parsed) or addresses(sentence.parsed))
        return None if is_unclear else sentence.text

    def _in_place(self, sentence: Sentence, statement: str | None, *, is_order: bool) -> str | None:
        """A line of a note behind what is above it, where it says too little alone."""
        place, parsed = sentence.place or Place(), sentence.parsed
        if place.is_listed and not place.row:
            return None
        text = place.row or statement or sentence.text
        lead = place.lead(text)
        text = f"{text}{DONE}" if sentence.piece.form is Form.DONE else text
        named, is_prose = self._before[id(sentence)], _is_prose(sentence)
        if statement is None and (not lead or text.rstrip().endswith(":") or addresses(parsed)):
            return None
        is_line = not is_prose and not place.row and language_of(parsed.text) == ENGLISH
        if (statement is None or is_line) and not _may_mean(place.above, parsed, named):
            return None
        is_of_day = any(not lead_of(one) for one in place.above[-MOST_ABOVE:])
        is_standalone = statement is not None and not place.row and not (lead and is_of_day)
        # An item in small letters is no sentence, whatever a parser finds in it: "texts only, never answers".
        is_written = is_prose or is_order or not text[:1].islower()
        is_standalone = is_standalone and is_written and _is_standalone(parsed, is_order=is_order, is_prose=is_prose)
        if is_standalone:
            return text
        is_bare = _is_shred(parsed) and not any(token.dep in SUBJECTS for token in parsed.tokens)
        if is_prose and named.beside and is_bare:
            return None  # "Anna is his wife. Works at the bank."
        return f"{lead}: {text}" if lead else text

    def _name(self, speaker: str) -> str:
        name = clean_speaker(speaker)
        if name in self.named:
            return attribution.name_of(speaker)
        return USER if is_owners(self.source, speaker) else attribution.name_of(speaker)

    def _other(self, sentence: Sentence, speaker: str) -> str | None:
        if self.source.source_type == "email":
            return self._recipient(sentence.turn, speaker)
        others = [name for name in self.named if name != clean_speaker(speaker)]
        if len(others) == 1:
            return others[0]
        return ASSISTANT if sentence.to_assistant and not others else None

    def _recipient(self, turn: int, writer: str) -> str | None:
        """Whom a mail is written to: its owner, where somebody else writes, else by its header, or whom it calls."""
        owner, to = self.source.owner_speaker, clean_speaker(self.source.recipient)
        if owner is None:  # the words may be passed on, and were for another
            return self._called.get(turn)
        if clean_speaker(owner) != clean_speaker(writer):
            name = self._name(owner)
            return USER if "@" in name else name
        is_another = to != clean_speaker(writer) and is_given_name(to.partition(" ")[0])
        return to if is_another else self._called.get(turn) or RECIPIENT


def _called_in(mail: Iterable[Sentence]) -> Iterator[tuple[int, str | None]]:
    """Whom each paragraph of a mail is for: who is called by name there, else whom its writer greets before all."""
    greeted: dict[str | None, str | None] = {}
    for sentence in mail:
        if sentence.setting.opens:
            called = called_in(sentence.parsed)
            greeted.setdefault(sentence.speaker, called)
            yield sentence.turn, called or greeted[sentence.speaker]


def _is_prose(sentence: Sentence) -> bool:
    """Whether it is in a paragraph of a note."""
    return sentence.place is not None and sentence.piece.form is Form.SENTENCE and not sentence.place.is_line


def _is_one_paragraph(sentence: Sentence, before: Sentence) -> bool:
    is_prose = before.place is not None and before.piece.form is Form.SENTENCE and _is_prose(sentence)
    return is_prose and sentence.turn == before.turn


def _is_standalone(parsed: Parsed, *, is_order: bool, is_prose: bool) -> bool:
    """Whether a line of a note is a sentence that needs nothing above it. Which word does what is known in English."""
    is_whole = is_sentence(parsed.tokens, is_order=False) or is_order and gives_order(parsed)
    is_whole = is_whole and (is_prose or not _is_telegraphic(parsed.tokens))
    return (
        language_of(parsed.text) == ENGLISH
        and is_whole
        and not points_outside(parsed)
        and not leans(parsed, quoted(parsed))
    )


def _is_telegraphic(tokens: Sequence[Token]) -> bool:
    """Whether it leaves out what would make its subject known: "livery is due on the 1st"."""
    subject = next((at for at, token in enumerate(tokens) if token.dep in SUBJECTS), None)
    if subject is None:
        return False
    beside = [token for token in tokens if token.head == subject and token.dep in _MAKES_KNOWN]
    is_bare = tokens[subject].tag == "NN" and not beside
    return is_bare or tokens[subject].pos == "PROPN" and [token.tag for token in beside] == ["NN"]


def _opens_outside(parsed: Parsed) -> bool:
    """Whether a sentence of a note means something before it: nothing that it names itself is before the word."""
    at = pointing(parsed, quoted(parsed))
    named = at is not None and any(token.pos in {"NOUN", "PROPN"} for token in parsed.tokens[:at])
    return parsed.text.rstrip().endswith(":") or at is not None and not named


def _is_shred(parsed: Parsed) -> bool:
    """Whether it is no sentence by itself, or hardly one: what it is about is before it."""
    if language_of(parsed.text) != ENGLISH:
        return words_in(parsed.text) < _FEWEST_WORDS
    return not is_sentence(parsed.tokens, is_order=False) and not gives_order(parsed)


def _may_mean(above: Sequence[str], parsed: Parsed, named: Named) -> bool:
    """Whether what is above a line may be what its pronouns mean: the one person whom the innermost heading with a
    name names, where that is "he" or "she", and nobody has been named since.
    """
    ignored = quoted(parsed)
    at = pointing(parsed, ignored)
    while at is not None:
        pronoun = parsed.tokens[at].lower
        if pronoun in PERSONS and (named.since or not _is_of_one(above, pronoun)):
            return False
        at = pointing(parsed, ignored, since=at + 1)
    return True


def _is_of_one(above: Sequence[str], pronoun: str) -> bool:
    names = names_above(above)
    return len(names) == 1 and fits(names[0], pronoun)


def _named_before(reading: Sequence[Sentence]) -> Iterator[tuple[int, Named]]:
    """Of each sentence of a note whether people are named before it whom nothing above names."""
    above: tuple[str, ...] = ()
    turn: int | None = None
    since = beside = False
    for sentence in reading:
        if sentence.place is None:
            continue
        own = sentence.place.above
        last = next((at + 1 for at in reversed(range(len(own))) if names_above(own[at : at + 1])), 0)
        since = since and own[:last] == above
        beside = beside and turn == sentence.turn
        above, turn = own[:last], sentence.turn
        yield id(sentence), Named(since, beside)
        if _names_others(sentence.parsed, {word for one in own for word in BARE_WORD.findall(one)}):
            since = beside = True


def _names_others(parsed: Parsed, known: Collection[str]) -> bool:
    """Whether it names people, by their names or by what they are to somebody, whom the known words don't."""
    people = {at for name in parsed.names if name.label == "PERSON" for at in range(name.start, name.end)}
    return any(
        token.text not in known
        and (token.pos == "PROPN" and (at in people or is_given_name(token.text)) or token.lemma in PEOPLE)
        for at, token in enumerate(parsed.tokens)
    )


def _quoted(source: SourceText, reading: Sequence[Sentence]) -> Iterator[int]:
    """The sentences of quotations that go over several of them."""
    texts = {turn.index: turn.text for turn in source.turns}
    for turn, group in groupby(reading, key=lambda sentence: sentence.turn):
        said = list(group)
        if not quotations(texts[turn]):
            continue
        yield from (id(said[at]) for at in across(plain(texts[turn]), [one.text for one in said]))


def questions(reading: Sequence[Sentence]) -> Iterator[Asked | None]:
    """For each sentence the one of another speaker that it may answer: the last of the turn before, where that asks."""
    asked: Asked | None = None
    before: Sentence | None = None
    for sentence in reading:
        if before is None or sentence.turn != before.turn:
            is_asked = before is not None and before.speaker != sentence.speaker and before.text.endswith("?")
            asked = Asked(before, ()) if before is not None and is_asked else None
        if asked is not None and (sentence.text.endswith("?") or len(asked.since) == MOST_OF_ANSWER):
            asked = None
        yield asked
        if asked is not None:
            asked = asked._replace(since=(*asked.since, sentence))
        before = sentence
