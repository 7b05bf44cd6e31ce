"""Titles: who or what, the matter that the statements of its sources share, and what happened last ("Ana's
boat: passed the inspection").

A matter is a noun phrase, a name among them, around the word that most sources share. It is somebody's ("Ana's
boat") where they call it theirs, and has the article that it mostly has.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memory_assets.llm.local.clause_roles import SUBJECTS, particles
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
ENOUGH = 0.5
"""What happened is told that says this share of the most, rather than what happened before it."""
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
"""What begins another clause of its time."""
PARTICIPANTS = frozenset("i me my mine we us our ours you your yours".split())
"""Words for those who speak with each other: nobody outside knows who they are."""
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
    """What a statement says happened, cut to a title: all of it, the word before its verb, what is from it on, and the
    names, nouns and numbers.
    """

    text: str
    subject: str
    predicate: str
    things: frozenset[str]
    is_state: bool
    """Whether it says how it is ("loves", "needs"), not what happened."""
    is_dated: bool
    """Whether it names a time."""
    is_past: bool


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
    ends = [at for at in range(verb + 2, until + 1) if _may_end(tokens, verb, at, until)]
    fitting = [at for at in ends if at - begin <= LONGEST_TITLE]
    clauses = [at for at in fitting if at == until or tokens[at].pos in _CLAUSE_ENDS or tokens[at].lower in _MEANWHILE]
    end = min(clauses, default=max(fitting, default=0))
    words = [tokens[at] for at in range(begin, end) if not _ties(tokens, at)]
    if not words or any(token.tag == "PRP" or token.lower in PARTICIPANTS for token in words):
        return None
    text, predicate = (
        _joined_words(parsed, some) for some in (words, [one for one in words if one.start >= tokens[verb].start])
    )
    if RECIPIENT in text.casefold() or _is_broken(words):
        return None
    things = (token.lemma.casefold() for token in words if token.pos in {"NOUN", "PROPN", "NUM"})
    named = [token for token in tokens[begin:verb] if token.pos in {"NOUN", "PROPN"}] or [tokens[begin]]
    subject = next((token for token in named if token.dep in SUBJECTS), named[-1])
    followed = tokens[verb + 1].tag if verb + 1 < end else ""
    goes_on = tokens[verb].lemma == "be" and followed == "VBG"
    has_done = tokens[verb].lemma == "have" and followed == "VBN"
    is_state = tokens[verb].tag in {"VBZ", "VBP"} and not goes_on and not has_done
    predicate = predicate.removeprefix(tokens[verb].text).strip() if goes_on else predicate
    is_dated = any(verb < at < end for at in times)
    is_past = tokens[verb].tag == "VBD"
    return Event(_capital(text), subject.lemma.casefold(), predicate, frozenset(things), is_state, is_dated, is_past)


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
    """Whether an adverb ties a statement to a talk ("also"), and is no part of its verb ("pushed back", "is down")."""
    token = tokens[at]
    is_of_verb = at > 0 and (tokens[at - 1].pos == "VERB" or token.lower in particles())
    return token.tag == "RB" and token.is_stop and token.dep == "advmod" and not is_of_verb


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
        and name.start > since
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
    if at < len(tokens) and (_reaches_on(tokens, verb, at) or _lists_on(tokens, at)):
        return False
    is_clause = at == len(tokens) or tokens[at].pos in _CLAUSE_ENDS
    if tokens[at - 1].tag in {"RB", "RP"}:
        return is_clause and tokens[at - 2].pos == "VERB"  # "got pushed back"
    if tokens[at - 1].pos not in {"NOUN", "PROPN", "NUM", "ADJ"} and not (is_clause and tokens[at - 1].tag == "VBN"):
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


def title_of(anchor: str, stated: Sequence[Stated], *, is_open: bool = True) -> str:
    """Who or what, the matter that most sources share, and what happened last of it (unless it ``is_open`` no more), as
    far as they say that.
    """
    name = " ".join(anchor.split()[: MOST_WORDS // 2])
    known = _words_of(anchor)
    common = _shared_words(stated)
    matter = _shared_matter(anchor, stated, common)
    is_own = matter is not None and known <= set(matter.words)
    who = _who(matter) if matter is not None and is_own else name
    base = _joined(who, matter) if matter is not None else _capital(_written(anchor, stated) or name)
    of = set(matter.words) if matter is not None else known
    room = LONGEST_TITLE - len(base.split())
    happened = _event_of_matter(stated, of, known | _words_of(who or ""), common, room) if is_open else None
    if happened is None:
        return base if who is not None else _with_speakers(base, stated)
    if matter is not None and happened.subject in of and who is not None:
        return happened.text if _words_of(who) & _words_of(happened.text) else f"{who}: {happened.text}"
    if matter is not None and happened.subject in _words_of(who or ""):
        return f"{base}: {happened.predicate}"
    if of <= happened.things and _words_of(name) & happened.things:
        return happened.text
    is_of_several = any(common.get(word, 0) > 1 for word in happened.things - of - known)
    if of <= known or (happened.subject in of and is_of_several):
        return happened.text
    return f"{base}: {happened.text}"


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


def _shared_matter(anchor: str, stated: Sequence[Stated], common: Mapping[str, int]) -> Matter | None:
    """The phrase around the word that most sources share, if several do: with more words only where most sources that
    share one share them all. What is named like a concept is its own matter.
    """
    known = _words_of(anchor)
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


def _event_of_matter(
    stated: Sequence[Stated], words: set[str], known: set[str], common: Mapping[str, int], room: int
) -> Event | None:
    """Of the events of a matter the last one that says enough of what several sources share, a state nearly as much as
    any: one of whom a title is about, unless what is said of the matter itself says more; one of others where neither
    has any.
    """
    events = [event for one in stated if (event := event_of(one.parsed)) is not None and event.things & words]

    def says(event: Event) -> int:
        return sum(count for word in event.things - known if (count := common.get(word, 0)) > 1)

    fitting = [
        event
        for event in events
        if (says(event) > 0 or words <= known) and (event.is_past or event.things - known - words)
        if len(event.predicate.split()) <= room
    ]
    people = {word for one in stated for word in _words_of(one.speaker or "")}
    own = [event for event in fitting if event.subject in known and not (event.is_state and event.subject in people)]
    others = [event for event in fitting if event.subject in words or words <= known]
    own_most, others_most = (max(map(says, some), default=0) for some in (own, others))
    own = (
        own
        if own and own_most >= NEARLY * others_most
        else others or [one for one in fitting if one.is_dated or not one.is_state]
    )
    own = own or fitting
    most = max(map(says, own), default=0)
    enough = (event for event in reversed(own) if says(event) >= (NEARLY if event.is_state else ENOUGH) * most)
    return next(enough, None)


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
