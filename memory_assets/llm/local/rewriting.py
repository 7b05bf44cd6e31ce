"""A sentence that somebody said as a statement that a stranger understands: names for "I" and "you", or nothing. Pure.

"I've been to Oslo" of Caroline's is "Caroline has been to Oslo". Nobody's gender is guessed in what is written: once
named, somebody is "they", or the name again where "they" could be others. What nobody says stays as it is, and so do
quotations and words in other languages than English. A sentence that is not understood alone gives None.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memory_assets.llm.local.agreement import (
    has_third_person,
    is_modal,
    is_present,
    is_wanted,
    joined,
    third_person,
    verb_of,
)
from memory_assets.llm.local.direct_speech import is_anothers
from memory_assets.llm.local.language import ENGLISH, Parsed, language_of, words_in
from memory_assets.llm.local.leaning import leans, names_people
from memory_assets.llm.local.lexicon import KIN_AND_ROLES
from memory_assets.llm.local.sentences import MOST_WORDS
from memory_assets.llm.local.standalone import (
    PERSONS,
    SUBJECTS,
    TIMES,
    WHEN,
    addresses,
    asks,
    children,
    is_aside,
    is_sentence,
    opening,
    pointing,
    quoted,
    together,
)

_ME = frozenset("i me my mine myself".split())
_US = frozenset("we us our ours ourselves".split())
_YOU = frozenset("you your yours yourself yourselves ya u".split())
_OF = frozenset("my mine our ours your yours his hers".split())
_THEY = {"i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves"}
_THEY |= {"we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves"}
_SELF = frozenset("myself ourselves yourself yourselves".split())
_OF_ONE = {"am": "is", "'m": "is", "are": "is", "'re": "is", "have": "has", "'ve": "has", "do": "does", "were": "was"}
_OF_ONE |= {"wanna": "wants to"}
_OF_THEY = {"am": "are", "'m": "are", "'re": "are", "'ve": "have", "was": "were"}
_OF_SEVERAL = {"'re": "are", "'ve": "have"}
_TOGETHER = frozenset("all both each other another eachother together between among".split())
"""What says of "us" that it takes several, where it is not said of a noun: "we each", not "each day"."""
_BETWEEN = frozenset("chat talk conversation call friendship".split())
"""What two who talk have with each other."""
_NOT_BASE = frozenset({"VBD", "VBZ", "VBN", "VBG", "MD"})
_MOST_CALLED = 6
USER = "The user"
FEWEST_OF_OTHER_LANGUAGES = 3
ENDS = frozenset(".!?…")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence and who says it, to whom.

    ``is_order``: it lays down or asks for something. ``to_agent``: it is said to an agent, who is "you" in an order.
    ``hearers``: the names by which others may be called. ``is_public``: "we" may be any of many. ``opens_letter``: it
    may open with its recipient.
    """

    parsed: Parsed
    speaker: str
    other: str | None = None
    is_order: bool = False
    to_agent: bool = False
    hearers: frozenset[str] = frozenset()
    is_public: bool = False
    opens_letter: bool = False


def statement_of(said: Said) -> str | None:
    """What a stranger understands alone; None where nothing can be."""
    text = said.parsed.text.strip()
    if not text or text.endswith(":"):
        return None
    if language_of(text) != ENGLISH:
        return text if words_in(text) >= FEWEST_OF_OTHER_LANGUAGES else None  # "Mm." is of none
    statement = _Rewriting(said).result()
    return statement if statement is None or said.is_order or words_in(statement) <= MOST_WORDS else None


def restated_behind(said: Said, statement: str, after: Parsed) -> str | None:
    """A sentence behind the statement of those before it (``after``), as one; None where nobody would
    understand that either, or remember it as one thing.
    """
    text = said.parsed.text.strip()
    if not text or text[-1] in ":?" or language_of(text) != ENGLISH:
        return None
    following = _Rewriting(said, after)
    more = following.result()
    if more is None or following.lead or following.proposes:
        return None
    both = f"{statement}{'' if statement[-1] in ENDS else '.'} {more}"
    return both if words_in(both) <= MOST_WORDS else None


def is_of_self(parsed: Parsed, ignored: Collection[int] = ()) -> bool:
    """Whether somebody speaks of themselves: "I", "my"."""
    return any(token.lower in _ME and at not in ignored for at, token in enumerate(parsed.tokens))


def proposes(said: Said) -> bool:
    """Whether a sentence says "let's": it states nothing that another could lean on."""
    return _Rewriting(said).proposes


class _Unclear(Exception):
    """The sentence cannot be understood alone."""


class _Rewriting:
    """One sentence word by word: which words replace others, and who has been named so far."""

    def __init__(self, said: Said, after: Parsed | None = None) -> None:
        """``after``: the sentence that it is read behind."""
        self.said, self.tokens, self.after = said, said.parsed.tokens, after
        self.quoted = quoted(said.parsed)
        self.labels = {at: name.label for name in said.parsed.names for at in range(name.start, name.end)}
        self.start = self._start()
        self.calls = self.start > opening(self.tokens, is_order=said.is_order)
        self.words: dict[int, str] = {}
        self.is_named = self.are_named = self.is_other_named = self.is_known = False
        self.lead = ""

    def _start(self) -> int:
        """Where the sentence begins, behind what only opens it and the name of whom it is said to."""
        start = opening(self.tokens, is_order=self.said.is_order)
        behind = self._behind_call(start)
        # An order is theirs to follow who are called.
        is_order = self.said.is_order and self.tokens[behind].tag in {"VB", "VBP", "UH", "RB"}
        return start if is_order else behind

    def _behind_call(self, start: int) -> int:
        """Where a sentence begins behind the names of those whom it calls: "Tom, I ...", "Tom / Cara: The ..."."""
        tokens = self.tokens
        marks = (at for at in range(start, min(start + _MOST_CALLED, len(tokens) - 1)) if tokens[at].text in {",", ":"})
        end = next(marks, start)
        words = [at for at in range(start, end) if tokens[at].text[:1].isalpha() and tokens[at].tag != "CC"]
        if not words or not all(tokens[at].is_capitalised for at in words):
            return start
        following = next((token for token in tokens[end + 1 :] if token.pos != "SPACE"), tokens[end])
        opens_line = self.said.opens_letter and following.is_capitalised and following.pos not in {"PROPN", "NOUN"}
        hearers = {*self.said.hearers, *(self.said.other or "").split()[:1]}
        others = [tokens[at] for at in words if tokens[at].text not in hearers]  # "Woah Tom, ..."
        is_known = tokens[words[-1]].text in hearers and all(one.dep in {"intj", "compound"} for one in others)
        are_names = all(
            tokens[at].pos == "PROPN" and tokens[at].dep not in SUBJECTS and self.labels.get(at) not in WHEN
            for at in words
        )
        return end + 1 if is_known or opens_line and are_names else start

    def result(self) -> str | None:
        """The statement."""
        try:
            self._check()
            for place in range(self.start, len(self.tokens)):
                if place not in self.quoted:
                    self._word(place)
        except _Unclear:
            return None
        return self._text()

    def _check(self) -> None:
        ignored = {*range(self.start), *self.quoted}
        tokens = self.tokens
        asked = self._asked()
        if asked is not None:
            self.start, self.lead = asked, f"{self.said.speaker} asks {self.said.other} to "
            self.is_named = True
        elif asks(tokens, self.start):
            raise _Unclear
        elif not self.proposes and not is_sentence(tokens, is_order=self.said.is_order):
            raise _Unclear
        if self.after is None and not self.said.is_order and leans(self.said.parsed, ignored):
            raise _Unclear
        if self._pointing(ignored) is not None:
            raise _Unclear

    def _pointing(self, ignored: Collection[int]) -> int | None:
        """The first word that means something neither said in the sentence nor in the one that it is read behind."""
        known = {self.said.speaker.split()[0], self.said.speaker.split()[-1]}
        if self.after is None:
            return pointing(self.said.parsed, ignored, known)
        since = len(self.after.tokens)
        hidden = {*quoted(self.after), *(at + since for at in ignored)}
        place = pointing(together(self.after, self.said.parsed), hidden, known, since)
        if place is not None or names_people(self.after):
            return None if place is None else place - since
        return next((at for at, token in enumerate(self.tokens) if token.lower in PERSONS and at not in ignored), None)

    def _asked(self) -> int | None:
        """Where what is asked for begins: behind "can you please"."""
        words = [token.lower for token in self.tokens[self.start : self.start + 4]]
        is_asked = len(words) == 4 and self.tokens[self.start].tag == "MD" and words[1] == "you"
        if not is_asked or not self.said.other or not self.tokens[-1].text.startswith(("?", ".")):
            return None
        at = self.start + (3 if words[2] == "please" else 2)
        return at if self.tokens[at].tag in {"VB", "VBP", "NN"} else None

    @property
    def proposes(self) -> bool:
        """Whether it opens with "let's": it states nothing."""
        words = [token.lower.replace("’", "'") for token in self.tokens[self.start : self.start + 2]]
        return words == ["let", "'s"]

    def _word(self, place: int) -> None:
        token = self.tokens[place]
        if place in self.words or token.tag not in {"PRP", "PRP$"} and token.lower not in _ME | _US | _YOU - {"mine"}:
            return
        if self._is_part(place) or is_aside(self.tokens, place):
            raise _Unclear
        if token.text in {"'s", "’s"}:
            self._proposed(place)
        elif token.pos in {"NOUN", "PROPN", "NUM"} and not self._is_of(place):
            if token.lower in _OF:
                raise _Unclear  # "a mine"
        elif token.lower in _ME | _US | _YOU and is_anothers(self.tokens, place):
            raise _Unclear
        elif token.lower in _ME:
            self._speaker(place)
        elif token.lower in _US:
            self._speaker_and_others(place)
        elif token.lower in _YOU:
            self._other(place)

    def _is_of(self, place: int) -> bool:
        """Whether "of" is before it, as in "a friend of mine"."""
        return place > 0 and self.tokens[place - 1].lower == "of"

    def _is_part(self, place: int) -> bool:
        """Whether letters, a hyphen or a slash are right beside it: "Im", "I/O", "me-time"."""
        text, token = self.said.parsed.text, self.tokens[place]
        after, before = text[token.end : token.end + 1], text[token.start - 1 : token.start]
        return after.isalpha() or "-" in (before, after) or "/" in (before, after)

    def _speaker(self, place: int) -> None:
        """ "I" and its like: the speaker's name, then "they"."""
        word = self.tokens[place].lower
        if word in _SELF and not self.is_named:
            raise _Unclear
        is_other_asked = bool(self.lead) and word != "me"
        is_unclear = is_other_asked or self.tokens[place].dep == "conj" or self._is_ambiguous(place, is_one=True)
        if word in _SELF or self.is_named and not is_unclear:
            self.words[place] = _THEY[word]
            self._agree(place, _OF_THEY, is_one=False)
            return
        name = USER if self._follows(place) == self.said.speaker.split()[0] else self._speakers_name()
        self._put(place, name)
        self.is_named = self.is_known = True
        self._agree(place, _OF_ONE, is_one=True)

    def _follows(self, place: int) -> str:
        return self.tokens[place + 1].text if place + 1 < len(self.tokens) else ""

    def _speakers_name(self) -> str:
        """The whole name, then the first one."""
        name = self.said.speaker
        is_whole = not (self.is_known or self.is_named) or len(name.split()) != 2 or name == USER
        return name if is_whole else name.split()[0]

    def _speaker_and_others(self, place: int) -> None:
        """ "We" and its like: the speaker alone, where it holds of each and nobody is said to be there; else with
        those who are, with the listener, or with others.
        """
        word, both = self.tokens[place].lower, self.said.other if self._is_between_both(place) else None
        is_of_each = both is None and self._is_of_each(place)
        if is_of_each:
            self._speaker(place)
            return
        if word in _SELF and not self.are_named:
            raise _Unclear
        if word in _SELF or self.are_named and not self.is_named and not self._is_ambiguous(place, is_one=False):
            self.words[place] = _THEY[word]
        elif word == "us" and (self._follows(place) == "all" or self._is_of(place)):
            raise _Unclear  # everybody, or those who were meant
        elif word in _OF and both is None:
            self._put(place, f"{self._speakers_name()}{' and others' if self._is_of_several(place) else ''}")
            self.is_known = True
        else:
            self._put(place, f"{self._speakers_name()} and {both or 'others'}")
            self.are_named = self.is_known = True
            self.is_other_named |= both is not None
        self._agree(place, _OF_SEVERAL, is_one=False)

    def _is_of_several(self, place: int) -> bool:
        """Whether "our" is not only the speaker's: what "we" have, or many may have, but for a relative or a boss."""
        token = self.tokens[place]
        return (self.are_named or self.said.is_public) and self.tokens[token.head].lemma not in KIN_AND_ROLES

    @property
    def _is_talk(self) -> bool:
        """Whether one person says it to another."""
        return self.said.other is not None and not self.said.to_agent and not self.said.is_public

    def _is_of_each(self, place: int) -> bool:
        """Whether what is said of "us" to another holds of the speaker alone: no word says that it takes several."""
        token = self.tokens[place]
        may_be = token.dep in {*SUBJECTS, "poss"} or token.lower in _SELF
        if not may_be or not self._is_talk or self.lead or self.said.is_order or self.are_named:
            return False
        if self.calls or addresses(self.said.parsed):
            return False  # "Tom, we should go": the listener is meant, too
        of_noun = {"det", "predet", "amod"}  # "we met each other", but not "each day"
        return not any(token.lower in _TOGETHER and token.dep not in of_noun for token in self.tokens)

    def _is_between_both(self, place: int) -> bool:
        """Whether "we" is who speaks and who listens: "since we last talked", "since our last chat"."""
        token = self.tokens[place]
        if not self._is_talk:
            return False
        if token.dep == "poss":
            return self.tokens[token.head].lemma in _BETWEEN and not children(self.tokens, token.head, {"prep"})
        since = any(self.tokens[at].lower == "since" for at in children(self.tokens, token.head, {"mark"}))
        adverbs = (at for at in children(self.tokens, token.head, {"advmod"}) if since or at < token.head)
        is_last = any(self.tokens[at].lower == "last" for at in adverbs)  # but "we came last"
        return token.dep == "nsubj" and (is_last or self._follows(place).lower() == "last")

    def _other(self, place: int) -> None:
        """ "You": the only other one, or the agent of an order."""
        token, said = self.tokens[place], self.said
        if said.is_order and said.to_agent and not self.lead and not is_wanted(self.tokens, place):
            return
        following = self.tokens[place + 1].tag if place + 1 < len(self.tokens) else ""
        is_thanked = place == self.start + 1 and self.tokens[self.start].tag in {"VB", "VBP"} and token.dep == "dobj"
        is_of_several = (
            is_thanked or following in {"NNS", "DT", "PDT"} and token.dep not in {"dobj", "dative", "pobj", "poss"}
        )
        if said.other is None or is_of_several or self._is_anybody(place):
            raise _Unclear
        if token.lower in _SELF:
            if not self.is_other_named:
                raise _Unclear
            self.words[place] = "themselves"
            return
        self._put(place, said.other)
        self.is_other_named = True
        self._agree(place, _OF_ONE, is_one=True)

    def _is_anybody(self, place: int) -> bool:
        """Whether "you" may be anybody, as in "when you paint": no word is about somebody or some day."""
        token = self.tokens[place]
        if token.tag == "PRP$" or token.lower in _OF | _SELF:
            return False
        clause = self.tokens[token.head]
        if token.dep.startswith("nsubj") and clause.dep == "advcl":
            return clause.tag not in {"VBD", "VBN"}
        return not self.lead and not any(self._is_of_somebody(at) for at in range(len(self.tokens)))

    def _is_of_somebody(self, place: int) -> bool:
        """Whether a word shows that a sentence is about somebody: a speaker, a person, a day, what somebody does."""
        token = self.tokens[place]
        if place in self.quoted:
            return False
        is_of_verb = token.tag == "VBD" or token.tag in {"VBN", "VBG"} and self._is_finite(place)
        return token.lower in _ME | _US or self.labels.get(place) == "PERSON" or is_of_verb

    def _is_finite(self, place: int) -> bool:
        """Whether a participle has a helper of the present: "you've won", "you are moving"."""
        helpers = children(self.tokens, place, {"aux"})
        return any(self.tokens[at].tag == "VBP" for at in helpers)

    def _proposed(self, place: int) -> None:
        """ "Let's meet": somebody proposes to meet."""
        if place != self.start + 1 or not self.proposes:
            raise _Unclear
        self.words[self.start], self.words[place] = self.said.speaker, " proposes to"
        self.is_named = True
        after = place + 1
        if after < len(self.tokens) and self.tokens[after].lower == "not":
            self.words[place], self.words[after] = " proposes not to", ""

    def _put(self, place: int, name: str) -> None:
        """A name in place of a pronoun; "the user" within a sentence."""
        if name.startswith(USER) and (place != self.start or self.lead):
            name = name[0].lower() + name[1:]
        of = "" if self.tokens[place].lower not in _OF else "'" if name.endswith(" others") else "'s"
        self.words[place] = f"{'that ' if self._needs_that(place) else ''}{name}{of}"

    def _needs_that(self, place: int) -> bool:
        """Whether a name would be read as one with the noun before it: "told my sister I was"."""
        token = self.tokens[place]
        is_said = token.dep.startswith("nsubj") and self.tokens[token.head].dep == "ccomp"
        if not is_said or place <= self.start or self._is_time(place - 1):
            return False
        return self.tokens[place - 1].pos in {"NOUN", "PROPN"}

    def _is_ambiguous(self, place: int, *, is_one: bool) -> bool:
        """Whether "they" could be others that the sentence has named before; an agent is none."""
        is_other_named = self.is_other_named and not self.said.to_agent
        before = (at for at in range(self.start, place) if at not in self.quoted)
        return is_other_named or any(self._is_another(at, is_one=is_one) for at in before)

    def _is_another(self, place: int, *, is_one: bool) -> bool:
        """Whether "they" could mean this word: any noun but a time in place of one person, of several a plural."""
        token = self.tokens[place]
        if token.lower in {"they", "them", "their", "these", "those"}:
            return place not in self.words
        if token.pos not in {"NOUN", "PROPN"} or self._is_time(place):
            return False
        return is_one or token.tag in {"NNS", "NNPS"} or token.dep == "conj" or self.labels.get(place) == "PERSON"

    def _is_time(self, place: int) -> bool:
        token = self.tokens[place]
        return token.dep == "npadvmod" or token.lemma in TIMES or self.labels.get(place) in WHEN

    def _agree(self, place: int, forms: dict[str, str], *, is_one: bool) -> None:
        """Give the verbs of a subject its person."""
        verb = verb_of(self.tokens, place) if self.tokens[place].lower in {"i", "we", "you"} else None
        if (
            verb is None
            or self.tokens[place].lower == "you"
            and self.tokens[verb].tag == "VB"
            and not children(self.tokens, verb, {"aux", "auxpass"})
        ):
            return
        helpers = children(self.tokens, verb, {"aux", "auxpass"})
        finite = helpers[0] if helpers else verb
        self._conjugate(finite, verb, forms, is_one=is_one)
        if not is_one:
            return
        for other in joined(self.tokens, verb):
            helpers_too = children(self.tokens, other, {"aux", "auxpass"})
            if helpers_too and self.tokens[helpers_too[0]].tag == "VBP":
                self._conjugate(helpers_too[0], other, forms, is_one=True)
            elif not helpers_too and is_present(self.tokens, other, None if helpers else verb):
                self._conjugate(other, other, forms, is_one=True)

    def _conjugate(self, place: int, verb: int, forms: dict[str, str], *, is_one: bool) -> None:
        token = self.tokens[place]
        word = token.lower.replace("’", "'")
        if word == "'d":
            helps = [token.lower for token in self.tokens[place + 1 : place + 2]] == ["have"]
            is_past = self.tokens[verb].tag == "VBN" and not helps
            self.words[place] = " had" if is_past else " would"
        elif word == "'ll":
            self.words[place] = " will"
        elif word in forms and not (word == "do" and token.tag == "VB"):
            self.words[place] = (" " if word.startswith("'") else "") + forms[word]
        elif is_modal(self.tokens, place):
            return
        elif is_one and token.tag not in _NOT_BASE and word.isalpha() and word != "be":
            if has_third_person(token.text):
                self.words[place] = third_person(token.text)

    def _text(self) -> str | None:
        parts: list[str] = [self.lead]
        tokens, text = self.tokens, self.said.parsed.text
        for place in range(self.start, len(tokens)):
            end = tokens[place + 1].start if place + 1 < len(tokens) else len(text)
            word = self.words.get(place, tokens[place].text)
            if place > self.start and tokens[place - 1].tag == "." and tokens[place].is_capitalised:
                word = word[:1].upper() + word[1:]
            parts += [word, text[tokens[place].end : end]]
        statement = " ".join("".join(parts).split())
        if self.lead:
            statement = statement.rstrip("?") + "." if statement.endswith("?") else statement
        return statement[:1].upper() + statement[1:] if any(map(str.isalnum, statement)) else None
