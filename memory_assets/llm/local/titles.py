"""Titles: what happened last of that which most of the statements are about ("Ana's boat passed the inspection"); where
none says it, who or what, and the matter that the statements share ("Ana's boat"). What happened stands behind both
where it only touches that matter ("Ana and basketball, e.g. held a benefit basketball game").

A matter is a noun phrase, a name among them, around the word that most sources share. It is somebody's ("Ana's
boat") where they call it theirs, and has the article that it mostly has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from memory_assets.llm.local.events import Event, event_of
from memory_assets.llm.local.language import rarity
from memory_assets.llm.local.lexicon import ROLES, TIME_NOUNS
from memory_assets.llm.local.matters import NOMINAL, Matter, Stated, capital, is_word, matters_of, without_capital
from memory_assets.llm.local.standalone import WHEN

LONGEST_NAME = 6
"""So many words of an anchor's name are in a title."""
LONGEST_TITLE = 20
"""So many words has a title of what happened, behind its matter, at most."""
ONE_OF_MANY = "e.g."
"""What a title tells after it is one of many things that its sources do."""
NEARLY = 0.8
"""This share of the most counts as nearly as much."""
AS_CENTRAL, OF_THE_SAME = 0.9, 0.45
"""What happened last is told that is so near to all statements, of the nearest event, and so near to that one."""
SHARED_BY_MOST = 0.6
OF_MOST = 0.4
"""What fewer sources share is not what they are about."""


def title_of(anchor: str, stated: Sequence[Stated], happened: Event | None = None) -> str:
    """What happened, behind whom or what a title is about where it doesn't say it, and as one of many things behind the
    matter that most sources share where it only touches that ("Ana and basketball, e.g. held a benefit basketball
    game"); else the matter.
    """
    name = " ".join(anchor.split()[:LONGEST_NAME])
    known = _words_of(anchor)
    matter = _shared_matter(anchor, stated)
    told = ""
    if happened is not None:
        is_told = known & happened.words or name.casefold() in happened.text.casefold()
        told = happened.text if is_told else f"{capital(name)}: {happened.text}"
        if matter is None or _says(happened, matter, known, stated):
            return told
    if matter is None:
        return capital(_written(anchor, stated) or name)
    who = _who(matter) if known <= set(matter.words) else name
    base = _joined(who, matter)
    if happened is not None:
        is_theirs = who is not None and _is_called(happened.subject, who, stated)
        title = f"{base}, {ONE_OF_MANY} {(is_theirs and happened.predicate) or without_capital(happened.text)}"
        is_said = base.casefold() in happened.text.casefold()
        return told if is_said or len(title.split()) > LONGEST_TITLE else title
    return base if who is not None else _with_speakers(base, stated)


def _says(happened: Event, matter: Matter, known: set[str], stated: Sequence[Stated]) -> bool:
    """Whether what happened is of a matter itself, or calls it by all of its words; it only touches a matter beside
    which it is done to what few sources speak of ("the database drops the duplicates").
    """
    if len(matter.words) > 1 and matter.written.casefold() in happened.text.casefold():
        return True
    word = matter.words[-1]
    objects = happened.objects - _speakers(stated)
    if word in happened.about and objects:
        shared = _shared_words(stated)
        fewest = OF_MOST * len({one.source for one in stated})
        return all(shared.get(one, 0) >= fewest for one in objects)
    return bool(happened.about & {word, *_words_of_most(known, stated)})


def _is_called(subject: Sequence[str], who: str, stated: Sequence[Stated]) -> bool:
    """Whether a name is somebody's whole name, or the first one of somebody who speaks: "Nora Brandt" is not "Nora
    Weiss", and a boat is no club of its name.
    """
    words = who.casefold().replace("-", " ").split()
    speaks = any((one.speaker or "").casefold() == who.casefold() for one in stated)
    return list(subject) == words or (speaks and list(subject) == words[:1])


def central_event(anchor: str, stated: Sequence[Stated], near: np.ndarray) -> tuple[int, Event] | None:
    """What happened last of what most statements are about, and its place: of the events of the word that most sources
    share the last that says the same as the one nearest to all: nearly as near to all and near to that one, or in its
    words.

    ``near`` is the nearness of each statement to each.
    """
    events = {at: event for at, one in enumerate(stated) if (event := event_of(one.parsed)) is not None}
    known = _words_of(anchor)
    of_most = _words_of_most(known, stated)
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


def _words_of_most(known: set[str], stated: Sequence[Stated]) -> set[str]:
    """The words that most sources share, but for those ``known``."""
    return widely_shared({word: n for word, n in _shared_words(stated).items() if word not in known}, NEARLY)


def widely_shared(sources: Mapping[str, int], share: float) -> set[str]:
    """Of words with how many sources share them those that several share, and this share of the most."""
    fewest = max(2, share * max(sources.values(), default=0))
    return {word for word, count in sources.items() if count >= fewest}


def _shared_words(stated: Sequence[Stated]) -> dict[str, int]:
    """The nouns, names and adjectives with content, each with how many sources have it; not the speakers' names."""
    shared: dict[str, set[int]] = {}
    for one in stated:
        times = {at for name in one.parsed.names if name.label in WHEN for at in range(name.start, name.end)}
        for at, token in enumerate(one.parsed.tokens):
            if (
                at not in times
                and token.pos in NOMINAL
                and is_word(token)
                and not token.is_stop
                and token.lemma not in TIME_NOUNS
            ):
                shared.setdefault(token.lemma.casefold(), set()).add(one.source)
    people = _speakers(stated)
    return {word: len(sources) for word, sources in shared.items() if word not in people}


def _speakers(stated: Sequence[Stated]) -> set[str]:
    """The words of the names of those who speak."""
    return {word for one in stated for word in _words_of(one.speaker or "")}


def _shared_matter(anchor: str, stated: Sequence[Stated]) -> Matter | None:
    """The phrase around the word that most sources share, if several do: with more words only where most sources that
    share one share them all. What is named like a concept is its own matter.
    """
    known, common = _words_of(anchor), _shared_words(stated)
    is_concept = anchor == anchor.lower()
    people = _speakers(stated) - known

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
        return capital(f"{who}'s {matter.written}")
    return capital(f"{who} and {matter.as_a_matter}" if who else matter.as_a_matter)


def _who(matter: Matter) -> str | None:
    """Who mostly speaks of a matter; nobody where several do alike."""
    (name, count), *_ = sorted(matter.speakers.items(), key=lambda item: (-item[1], item[0])) or [("", 0)]
    is_most = count >= SHARED_BY_MOST * sum(matter.speakers.values())
    return name if name and is_most else None


def _written(anchor: str, stated: Sequence[Stated]) -> str | None:
    """A concept as its statements mostly write it ("alerts" for "alert")."""
    if anchor != anchor.lower():
        return None
    forms = Counter(
        token.lower
        for one in stated
        for token in one.parsed.tokens
        if token.pos == "NOUN" and token.lemma.casefold() == anchor
    )
    return max(forms, key=lambda form: (forms[form], form)) if forms else None
