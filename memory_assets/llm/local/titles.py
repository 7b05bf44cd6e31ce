"""Titles: what happened last of that which most of the statements are about ("Ana's boat passed the inspection"); where
none says it, who or what, and the matter that the statements share ("Ana's boat").

A matter is a noun phrase, a name among them, around the word that most sources share. It is somebody's ("Ana's
boat") where they call it theirs, and has the article that it mostly has.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from memory_assets.llm.local.concepts import is_concept
from memory_assets.llm.local.language import Parsed, Token, rarity
from memory_assets.llm.local.lexicon import ROLES, TIME_NOUNS
from memory_assets.llm.local.restating import RECIPIENT
from memory_assets.llm.local.spans import name_spans
from memory_assets.llm.local.standalone import FINITE, WHEN

MOST_WORDS = 12
"""Of a title; of an anchor's name at most the first half of them."""
LONGEST_TITLE = 18
"""Of a title that says what happened, too."""
NEARLY = 0.8
"""This share of the most counts as nearly as much."""
AS_CENTRAL, OF_THE_SAME = 0.9, 0.45
"""What happened last is told that is so near to all statements, of the nearest event, and so near to that one."""
LONGEST_PHRASE = 3
RAREST = 4.0
"""A rarer word says no more of what a matter is: names nobody else bears would be every title."""
OF_SEVERAL = 0.2
"""What is so often written of several is more than one: "camping trips"."""
SEVERAL_WORDS = 1.5
PERSONS_NAME = 0.4
SHARED_BY_MOST = 0.6
OF_MOST = 0.4
"""What fewer sources share is not what they are about."""
_CLAUSE_ENDS = frozenset({"PUNCT", "CCONJ"})
"""What a title may end before: an "if" or a "because" is part of what is said."""
_NOMINAL = frozenset({"ADJ", "NOUN", "PROPN"})
_MEANWHILE = frozenset("after before since until when while".split())
PARTICIPANTS = frozenset("i me my mine we us our ours you your yours".split())
"""Words for those who speak with each other: nobody outside knows who they are."""
_TIES = frozenset("also already anyway even finally just now really so still then too".split())
"""What ties a statement to a talk; without another adverb ("always", "only") it would say something else."""
_ARTICLES = {"a": "a", "an": "a", "the": "the"}


class Stated(NamedTuple):
    """A statement: the number of the source that makes it, who says it, and its words."""

    source: int
    speaker: str | None
    parsed: Parsed


@dataclass
class Matter:
    """A phrase: its articles and forms, the sources and people that speak of it, and who calls it theirs."""

    words: tuple[str, ...]
    forms: Counter[tuple[str, str]] = field(default_factory=Counter)
    sources: set[int] = field(default_factory=set)
    speakers: Counter[str] = field(default_factory=Counter)
    owners: Counter[str] = field(default_factory=Counter)
    is_name: bool = False
    is_person: bool = False
    plurals: Counter[str] = field(default_factory=Counter)
    """As it is written of several."""

    @property
    def written(self) -> str:
        """As it is mostly written; the longer form of equals."""
        times: Counter[str] = Counter()
        for (_, form), count in self.forms.items():
            times[form] += count
        return max(times, key=lambda form: (times[form], len(form), form))

    @property
    def with_article(self) -> str:
        """With the article that it has anywhere, a name with the one that it mostly has."""
        form = self.written
        if form not in self.plurals and self.plurals.total() >= max(1, OF_SEVERAL * self.forms.total()):
            return max(self.plurals, key=lambda one: (self.plurals[one], one))
        article = max(("the", "a"), key=lambda word: self.forms[word, form])
        bare = self.forms["", form] if self.is_name else 0
        if self.forms[article, form] <= bare:
            return form
        return f"{'an' if article == 'a' and form[0] in 'aeiou' else article} {form}"

    def is_of(self, who: str) -> bool:
        """Whether somebody mostly calls it theirs."""
        return 2 * self.owners[who] >= self.forms.total()

    @property
    def worth(self) -> float:
        """By the sources that share it and how rare its rarest word is."""
        rareness = min(RAREST, max(rarity(word) for word in self.words))
        several = SEVERAL_WORDS if len(self.words) > 1 else 1.0
        return rareness * several * (0.3 + math.log(len(self.sources))) * (PERSONS_NAME if self.is_person else 1.0)


def matters_of(stated: Sequence[Stated]) -> list[Matter]:
    """The matters that statements speak of, by worth, the highest first."""
    found: dict[tuple[str, ...], Matter] = {}
    for statement in stated:
        for phrase in _phrases(statement.parsed):
            _take(found, statement, phrase)
    return sorted(found.values(), key=lambda matter: (-matter.worth, matter.words))


class Event(NamedTuple):
    """What a statement says happened, cut to a title; its names, nouns, adjectives and numbers, as they are written and
    their lemmas; and the lemmas of its nouns.
    """

    text: str
    words: frozenset[str]
    things: frozenset[str]


def event_of(parsed: Parsed) -> Event | None:
    """What a statement says happened: a named subject, a verb, and what it is about; None where the statement has no
    such beginning. A day that leads it in, and what only ties it to a talk ("also", "just"), is left out.
    """
    tokens = parsed.tokens
    times = {at for name in parsed.names if name.label in WHEN for at in range(name.start, name.end)}
    headed = _behind_heading(tokens)
    begin = next((at for at in range(headed, len(tokens)) if not _leads_in(tokens, at, times)), headed)
    verb = next((at for at in range(begin, len(tokens)) if tokens[at].tag in FINITE), begin)
    if not _is_subject(tokens[begin:verb]):
        return None
    until = _until_when(parsed, verb)
    if until < len(tokens) and tokens[verb].lemma == "be" and tokens[verb + 1].tag not in {"VBG", "VBN"}:
        return None  # "is on a boat on Saturday" says nothing without its day
    ends = [at for at in range(verb + 2, until + 1) if _may_end(tokens, verb, at, until)]
    fitting = [at for at in ends if at - begin <= LONGEST_TITLE]
    clauses = [
        at for at in fitting if at == until or tokens[at].pos in _CLAUSE_ENDS or _is_meanwhile(tokens, at, times)
    ]
    end = min(clauses, default=max(fitting, default=0))
    words = [tokens[at] for at in range(begin, end) if not _ties(tokens, at) and not _is_when(tokens, at, verb, times)]
    if not words or any(token.tag == "PRP" or token.lower in PARTICIPANTS for token in words):
        return None
    text = _once_named(_joined_words(parsed, words), words)
    if RECIPIENT in text.casefold() or _is_broken(words):
        return None
    said = [token for token in words if token.pos in _NOMINAL | {"NUM"} and not token.is_stop]
    forms = frozenset(form for token in said for form in (token.lower, token.lemma.casefold()))
    return Event(_capital(text), forms, frozenset(token.lemma.casefold() for token in said if token.pos == "NOUN"))


def _behind_heading(tokens: Sequence[Token]) -> int:
    """Where the statement behind a heading begins ("Decision of today's weekly: the launch moves")."""
    colon = next((at for at, token in enumerate(tokens) if token.text == ":"), None)
    # "For everyone who missed the weekly:" has a verb, and says nothing by it.
    is_heading = colon is not None and (
        not any(token.tag in FINITE for token in tokens[:colon])
        or (tokens[0].pos == "ADP" and any(token.tag in FINITE for token in tokens[colon:]))
    )
    return colon + 1 if colon is not None and is_heading and colon + 1 < len(tokens) else 0


def _leads_in(tokens: Sequence[Token], at: int, times: set[int]) -> bool:
    """Whether a word before all else says when, or ties a statement to a talk ("Yesterday,", "Just last week")."""
    is_before_time = tokens[at].pos == "ADP" and at + 1 in times
    return at in times or is_before_time or tokens[at].pos == "PUNCT" or _ties(tokens, at)


def _ties(tokens: Sequence[Token], at: int) -> bool:
    """Whether an adverb ties a statement to a talk ("also", "more into it" than what?), and is no part of its verb."""
    token = tokens[at]
    is_of_verb = at > 0 and tokens[at - 1].pos == "VERB"
    is_compared = any(one.lower == "than" for one in tokens[at:])
    is_more = token.lower == "more" and at + 1 < len(tokens) and tokens[at + 1].pos == "ADP" and not is_compared
    return (is_more or (token.lower in _TIES and token.dep == "advmod")) and not is_of_verb


def _is_meanwhile(tokens: Sequence[Token], at: int, times: set[int]) -> bool:
    """Whether a word begins another clause of its time, and no day ("until 31 March 2027")."""
    return tokens[at].lower in _MEANWHILE and at + 1 not in times


def _is_when(tokens: Sequence[Token], at: int, verb: int, times: set[int]) -> bool:
    """Whether a word before the verb says when by the day of its statement ("the race yesterday took three hours")."""
    is_leaning = not any(letter.isdigit() for letter in tokens[at].text)
    return at < verb and at in times and tokens[at].dep in {"npadvmod", "advmod"} and is_leaning


def _joined_words(parsed: Parsed, words: Sequence[Token]) -> str:
    """Words as they are in a text, without what is left out between them."""
    pieces: list[str] = []
    end = -1
    for token in words:
        between = parsed.text[end : token.start] if end >= 0 else ""
        gap = between if not between.strip() else "" if token.pos == "PUNCT" else " "
        pieces += [gap if pieces else "", parsed.text[token.start : token.end]]
        end = token.end
    return "".join(pieces).rstrip(" .,;:!")


def _once_named(text: str, words: Sequence[Token]) -> str:
    """A title without the name of whom it begins with said again: "Ana painted their boat", not "Ana's"."""
    name = words[0].text
    is_name = words[0].pos == "PROPN" and (len(words) == 1 or words[1].tag not in {"POS", "CC"})
    return name + re.sub(rf"\b{re.escape(name)}['’]s(?= )", "their", text[len(name) :]) if is_name else text


def _is_broken(words: Sequence[Token]) -> bool:
    """Whether a quotation, a parenthesis or a clause ("while Ana") has begun in the words and does not end there."""
    joins = max((at for at, token in enumerate(words) if token.pos == "SCONJ"), default=None)
    is_open = joins is not None and not any(token.tag in FINITE for token in words[joins:])
    signs = Counter(sign for token in words for sign in token.text)
    return is_open or signs['"'] % 2 == 1 or signs["("] != signs[")"]


def _until_when(parsed: Parsed, since: int) -> int:
    """Where a statement says a time that leans on its day ("tomorrow"): a title has none."""
    leaning = (
        name.start
        for name in parsed.names
        if name.label in WHEN
        and name.start > since + 1  # "took fourteen minutes" says it of the race, not when
        and parsed.tokens[name.start - 1].pos != "NUM"  # "10 October", of which the month alone was found
        and not any(letter.isdigit() for token in parsed.tokens[name.start : name.end] for letter in token.text)
    )
    # "last week", where no name of a time was found in it.
    nouns = (
        at
        for at, token in enumerate(parsed.tokens)
        if at > since and token.dep == "npadvmod" and token.lemma in TIME_NOUNS and parsed.tokens[at - 1].pos == "ADJ"
    )
    at = min((*leaning, *nouns), default=len(parsed.tokens))
    while at and at < len(parsed.tokens) and parsed.tokens[at - 1].pos in {"ADJ", "ADP", "DET", "SCONJ"}:
        at -= 1
    return at


def _is_subject(tokens: Sequence[Token]) -> bool:
    """Whether the words before the verb are a name or a thing, and nothing else that a sentence may open with."""
    allowed = {"ADJ", "ADP", "DET", "NOUN", "NUM", "PART", "PROPN", "ADV", "AUX"}
    return (
        any(token.pos in {"NOUN", "PROPN"} for token in tokens)
        and tokens[0].pos in {"DET", "NOUN", "PROPN", "ADJ", "NUM"}
        and all((token.pos in allowed and token.tag != "PRP") or token.text == "-" for token in tokens)
    )


def _may_end(tokens: Sequence[Token], verb: int, at: int, until: int) -> bool:
    """Whether a title may end before a word: behind a noun, a number or the like, where something new begins."""
    said = tokens[verb + 1 : at]
    is_within = at < len(tokens) and tokens[at].start == tokens[at - 1].end and tokens[at].text in {"-", "–", "/"}
    is_compared = at < len(tokens) and tokens[at].lower == "than"
    if at < len(tokens) and (is_within or is_compared or _reaches_on(tokens, verb, at) or _lists_on(tokens, at)):
        return False
    is_clause = at == len(tokens) or (tokens[at].pos in _CLAUSE_ENDS and tokens[at].tag not in {"``", "''"})
    if tokens[at - 1].tag in {"RB", "RP"}:
        return is_clause and tokens[at - 2].pos == "VERB"  # "got pushed back"
    is_noun = tokens[at - 1].pos in {"NOUN", "PROPN", "NUM", "ADJ"} or tokens[at - 1].tag == "NN"  # "nothing"
    if not is_noun and not (is_clause and tokens[at - 1].tag == "VBN"):
        return False
    if not any(token.pos in {"NOUN", "PROPN", "NUM"} for token in said):
        return at == len(tokens)
    return at == until or is_clause or tokens[at].pos == "ADP"


def _reaches_on(tokens: Sequence[Token], verb: int, at: int) -> bool:
    """Whether "from 3 November" goes on "to 10 November"."""
    before = [token.lower for token in tokens[verb:at] if token.lower in {"from", "to"}]
    return tokens[at].lower == "to" and before[-1:] == ["from"]


def _lists_on(tokens: Sequence[Token], at: int) -> bool:
    """Whether a comma or "and" is within a list of things, and begins no clause of its own."""
    if tokens[at].text != "," and tokens[at].pos != "CCONJ":
        return False
    listed = _NOMINAL | {"DET", "NUM", "CCONJ"}
    end = next(
        (n for n in range(at, len(tokens)) if tokens[n].pos not in listed and tokens[n].text != ","), len(tokens)
    )
    begins_clause = end < len(tokens) and tokens[end].tag in FINITE
    return not begins_clause and any(token.pos in {"NOUN", "PROPN", "NUM"} for token in tokens[at:end])


def title_of(anchor: str, stated: Sequence[Stated], happened: Event | None = None) -> str:
    """What happened, behind whom or what a title is about where it doesn't say it; else the matter that most sources
    share.
    """
    name = " ".join(anchor.split()[: MOST_WORDS // 2])
    known = _words_of(anchor)
    if happened is not None:
        is_told = known & happened.words or name.casefold() in happened.text.casefold()
        return happened.text if is_told else f"{_capital(name)}: {happened.text}"
    matter = _shared_matter(anchor, stated)
    if matter is None:
        return _capital(_written(anchor, stated) or name)
    who = _who(matter) if known <= set(matter.words) else name
    base = _joined(who, matter)
    return base if who is not None else _with_speakers(base, stated)


def central_event(anchor: str, stated: Sequence[Stated], near: np.ndarray) -> tuple[int, Event] | None:
    """What happened last of what most statements are about, and its place: of the events of the word that most sources
    share the last that says the same as the one nearest to all: nearly as near to all and near to that one, or in its
    words.

    ``near`` is the nearness of each statement to each.
    """
    events = {at: event for at, one in enumerate(stated) if (event := event_of(one.parsed)) is not None}
    known = _words_of(anchor)
    common = {word: count for word, count in _shared_words(stated).items() if word not in known}
    of_most = {word for word, count in common.items() if count >= max(2, NEARLY * max(common.values()))}
    events = {at: event for at, event in events.items() if event.words & of_most} or events
    if not events:
        return None
    central = {at: round(float(near[at].sum() - near[at, at]), 6) for at in events}
    nearest = max(events, key=lambda at: (central[at], at))

    def says_the_same(at: int) -> bool:
        of_nearest = central[at] / central[nearest] if central[nearest] > 0 else 0.0
        if near[nearest, at] >= OF_THE_SAME and of_nearest >= AS_CENTRAL:
            return True
        words, others = events[at].words - known, events[nearest].words - known
        is_alike = len(words & others) >= NEARLY * min(len(words), len(others))
        return is_alike and bool((events[at].things & events[nearest].things) - known)

    last = max((nearest, *filter(says_the_same, events)))
    return last, events[last]


def _with_speakers(base: str, stated: Sequence[Stated]) -> str:
    """A title of nobody's behind the two who speak of it: "The painting: Ana and Ben"."""
    speakers = sorted({one.speaker for one in stated if one.speaker and one.speaker.casefold() not in ROLES})
    return f"{base}: {' and '.join(speakers)}" if len(speakers) == 2 else base


def _words_of(name: str) -> set[str]:
    return set(name.casefold().split())


def _shared_words(stated: Sequence[Stated]) -> dict[str, int]:
    """The nouns, names and adjectives with content, each with how many sources have it; not the speakers' names."""
    shared: dict[str, set[int]] = {}
    for one in stated:
        times = {at for name in one.parsed.names if name.label in WHEN for at in range(name.start, name.end)}
        for at, token in enumerate(one.parsed.tokens):
            if (
                at not in times
                and token.pos in _NOMINAL
                and _is_word(token)
                and not token.is_stop
                and token.lemma not in TIME_NOUNS
            ):
                shared.setdefault(token.lemma.casefold(), set()).add(one.source)
    people = {word for one in stated for word in _words_of(one.speaker or "")}
    return {word: len(sources) for word, sources in shared.items() if word not in people}


def _shared_matter(anchor: str, stated: Sequence[Stated]) -> Matter | None:
    """The phrase around the word that most sources share, if several do: with more words only where most sources that
    share one share them all. What is named like a concept is its own matter.
    """
    known, common = _words_of(anchor), _shared_words(stated)
    is_concept = anchor == anchor.casefold()
    people = {word for one in stated for word in _words_of(one.speaker or "")} - known

    def share(matter: Matter) -> tuple[int, int, float, tuple[str, ...]]:
        counts = [common.get(word, 0) for word in matter.words]
        wide = len(matter.words) if min(counts) >= SHARED_BY_MOST * max(counts) else -len(matter.words)
        return max(counts), wide, matter.worth, matter.words

    found = [
        one
        for one in matters_of(stated)
        if len(one.sources) > 1 and not one.is_person and not set(one.words) & people
        if known < set(one.words) or (known == set(one.words) if is_concept else not known & set(one.words))
    ]
    fewest = max(2, OF_MOST * len({one.source for one in stated}))
    best = max((one for one in found if share(one)[0] >= fewest), key=share, default=None)
    return best or _word_of_most(stated, {w: n for w, n in common.items() if w not in known and n >= fewest})


def _word_of_most(stated: Sequence[Stated], common: Mapping[str, int]) -> Matter | None:
    """The noun that most sources share, however little it says: "the kids"."""
    forms: dict[str, Counter[tuple[str, str]]] = {}
    for one in stated:
        for token in one.parsed.tokens:
            if token.pos == "NOUN" and token.lemma.casefold() in common:
                forms.setdefault(token.lemma.casefold(), Counter())["the", token.text] += 1
    word = max(forms, key=lambda one: (common[one], rarity(one), one), default=None)
    return None if word is None else Matter((word,), forms[word])


def _joined(who: str | None, matter: Matter) -> str:
    """ "Ana's boat" where Ana calls it hers, "Ana and the boat" where she doesn't."""
    if who is not None and matter.is_of(who):
        return _capital(f"{who}'s {matter.written}")
    return _capital(f"{who} and {matter.with_article}" if who else matter.with_article)


def _who(matter: Matter) -> str | None:
    """Who mostly speaks of a matter; nobody where several do alike."""
    (name, count), *_ = sorted(matter.speakers.items(), key=lambda item: (-item[1], item[0])) or [("", 0)]
    is_most = count >= SHARED_BY_MOST * sum(matter.speakers.values())
    return name if name and is_most else None


def _written(anchor: str, stated: Sequence[Stated]) -> str | None:
    """A concept as its statements mostly write it ("alerts" for "alert")."""
    if anchor != anchor.casefold():
        return None
    forms = Counter(
        token.lower
        for one in stated
        for token in one.parsed.tokens
        if token.pos == "NOUN" and token.lemma.casefold() == anchor
    )
    return max(forms, key=lambda form: (forms[form], form)) if forms else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class _Phrase(NamedTuple):
    tokens: tuple[Token, ...]
    before: Token | None
    is_person: bool
    owner: str
    """Whose it is called by name: "Ana" in "Ana's boat"."""


def _phrases(parsed: Parsed) -> Iterator[_Phrase]:
    """Names, and nouns with what is before them: each with all its shorter endings."""
    tokens = parsed.tokens
    people = {at for span in name_spans(parsed) if span.label == "PERSON" for at in range(span.start, span.end)}
    apart = {at for name in parsed.names if name.label in WHEN for at in range(name.start, name.end)}
    start = None
    for at in range(len(tokens) + 1):
        if at < len(tokens) and at not in apart and tokens[at].pos in _NOMINAL and _is_word(tokens[at]):
            start = at if start is None else start
            continue
        if start is not None:
            yield from _endings(tokens, start, at, people)
        start = None


def _endings(tokens: Sequence[Token], start: int, end: int, people: set[int]) -> Iterator[_Phrase]:
    if end - start > 1 and tokens[start].pos == "PROPN" and tokens[start + 1].pos == "NOUN":
        yield _Phrase((tokens[start],), None, start in people, "")  # of "LGBTQ youth" the name alone
    while end > start and tokens[end - 1].pos == "ADJ":
        end -= 1
    for first in range(max(start, end - LONGEST_PHRASE), end):
        words = tokens[first:end]
        if words[0].pos == "ADJ" and (words[0].is_stop or rarity(words[0].lower) < 2.6):
            continue
        if words[-1].pos == "NOUN" and not is_concept(words):
            continue
        if words[-1].pos == "PROPN" and (
            not words[-1].is_capitalised or first > start and tokens[first - 1].pos == "PROPN"
        ):
            continue
        before = tokens[start - 1] if start else None
        owner = tokens[start - 2].text if start > 1 and tokens[start - 1].tag == "POS" else ""
        yield _Phrase(tuple(words), before, any(at in people for at in range(first, end)), owner)


def _is_word(token: Token) -> bool:
    return len(token.text) > 1 and token.text[0].isalpha() and not set(token.text) & set("@/\\<>[]{}|_=*")


def _forms(tokens: Sequence[Token]) -> str:
    """Words as they are written, with no gap where there is none ("King's College")."""
    ends = [None, *(token.end for token in tokens)]
    return "".join(
        f"{'' if end in (None, token.start) else ' '}{token.text}" for end, token in zip(ends, tokens, strict=False)
    )


def _take(found: dict[tuple[str, ...], Matter], statement: Stated, phrase: _Phrase) -> None:
    words = tuple(token.lemma.casefold() for token in phrase.tokens)
    matter = found.setdefault(words, Matter(words))
    matter.is_name = phrase.tokens[-1].pos == "PROPN"
    before = phrase.before.lower if phrase.before is not None else ""
    # What is somebody's is a certain one: "my boat", "Ana's boat" are the boat.
    is_owned = phrase.before is not None and phrase.before.tag in {"PRP$", "POS"} and not matter.is_name
    article = "the" if is_owned else _ARTICLES.get(before, "")
    form = _forms(phrase.tokens)
    matter.forms[article, form] += 1
    matter.sources.add(statement.source)
    if phrase.tokens[-1].tag == "NNS":
        matter.plurals[form] += 1
    matter.is_person = matter.is_person or phrase.is_person
    speaker = statement.speaker
    if speaker and speaker.casefold() not in ROLES:
        matter.speakers[speaker] += 1
        matter.owners[speaker] += before == "my" or phrase.owner in speaker.split()
