"""Titles: who or what, and the matter that the statements of its sources share ("Caroline and the adoption agency").

A matter is a noun phrase, a name among them, that several sources speak of and few other texts would. It is somebody's
("Jon's dance studio") where they call it theirs, and has the article that it mostly has.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memory_assets.llm.local.concepts import is_concept
from memory_assets.llm.local.language import Parsed, Token, rarity
from memory_assets.llm.local.lexicon import ROLES
from memory_assets.llm.local.spans import name_spans
from memory_assets.llm.local.telling import RECIPIENT

MOST_WORDS = 12
"""Of a title; of an anchor's name at most the first half of them."""
LONGEST_PHRASE = 3
RAREST = 4.0
"""A rarer word tells no more of what a matter is: names nobody else bears would be every title."""
SEVERAL_WORDS = 1.5
PERSONS_NAME = 0.4
SHARED_BY_MOST = 0.6
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_CLAUSE_ENDS = frozenset({"PUNCT", "CCONJ"})
"""What a title may end before: an "if" or a "because" is part of what is said."""
_NOMINAL = frozenset({"ADJ", "NOUN", "PROPN"})
TIMES = frozenset({"DATE", "TIME"})
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
        telling = min(RAREST, max(rarity(word) for word in self.words))
        several = SEVERAL_WORDS if len(self.words) > 1 else 1.0
        return telling * several * (0.3 + math.log(len(self.sources))) * (PERSONS_NAME if self.is_person else 1.0)


def matters_of(stated: Sequence[Stated]) -> list[Matter]:
    """The matters that statements speak of, the most telling first."""
    found: dict[tuple[str, ...], Matter] = {}
    for statement in stated:
        for phrase in _phrases(statement.parsed):
            _take(found, statement, phrase)
    return sorted(found.values(), key=lambda matter: (-matter.worth, matter.words))


def event_of(anchor: str, parsed: Parsed) -> str | None:
    """What a statement says happened to an anchor, cut to a title: a named subject, a verb, and what it is about; None
    where the statement has no such beginning.
    """
    tokens = parsed.tokens
    verb = next((at for at, token in enumerate(tokens) if token.tag in _FINITE), 0)
    if not _is_subject(tokens[:verb]):
        return None
    until = _until_when(parsed)
    ends = [at for at in range(verb + 2, until + 1) if _may_end(tokens, verb, at, until)]
    fitting = [at for at in ends if len(parsed.text[: tokens[at - 1].end].split()) <= MOST_WORDS]
    clauses = [at for at in fitting if at == until or tokens[at].pos in _CLAUSE_ENDS]
    end = min(clauses, default=max(fitting, default=0))
    words = tokens[:end]
    if not set(anchor.casefold().split()) & {word for token in words for word in (token.lower, token.lemma.casefold())}:
        return None
    text = parsed.text[: tokens[end - 1].end].rstrip(" .,;:!")
    leans = any(token.tag == "PRP" or token.lower in PARTICIPANTS for token in words) or RECIPIENT in text.casefold()
    return None if leans or _is_broken(words) else _capital(text)


def _is_broken(words: Sequence[Token]) -> bool:
    """Whether a quotation or a clause ("while Ana") has begun in the words and does not end there."""
    joins = max((at for at, token in enumerate(words) if token.pos == "SCONJ"), default=None)
    is_open = joins is not None and not any(token.tag in _FINITE for token in words[joins:])
    return is_open or sum(token.text.count('"') for token in words) % 2 == 1


def _until_when(parsed: Parsed) -> int:
    """Where a statement says a time that leans on its day ("tomorrow"): a title has none."""
    leaning = (
        name.start
        for name in parsed.names
        if name.label in TIMES
        and not any(letter.isdigit() for token in parsed.tokens[name.start : name.end] for letter in token.text)
    )
    at = min(leaning, default=len(parsed.tokens))
    while at and at < len(parsed.tokens) and parsed.tokens[at - 1].pos in {"ADP", "DET", "SCONJ"}:
        at -= 1
    return at


def _is_subject(tokens: Sequence[Token]) -> bool:
    """Whether the words before the verb are a name or a thing, and nothing else that a sentence may open with."""
    allowed = {"ADJ", "ADP", "DET", "NOUN", "NUM", "PART", "PROPN", "ADV", "AUX"}
    return (
        any(token.pos in {"NOUN", "PROPN"} for token in tokens)
        and tokens[0].pos in {"DET", "NOUN", "PROPN", "ADJ", "NUM"}
        and all(token.pos in allowed and token.tag != "PRP" for token in tokens)
    )


def _may_end(tokens: Sequence[Token], verb: int, at: int, until: int) -> bool:
    """Whether a title may end before a word: behind a noun, a number or the like, where something new begins."""
    said = tokens[verb + 1 : at]
    is_clause = at == len(tokens) or tokens[at].pos in _CLAUSE_ENDS
    if tokens[at - 1].tag in {"RB", "RP"}:
        return is_clause and tokens[at - 2].pos == "VERB"  # "got pushed back"
    if tokens[at - 1].pos not in {"NOUN", "PROPN", "NUM", "ADJ", "VERB"}:
        return False
    if not any(token.pos in {"NOUN", "PROPN", "NUM"} for token in said):
        return at == len(tokens)
    return at == until or is_clause or tokens[at].pos == "ADP"


def title_of(anchor: str, stated: Sequence[Stated], most: int = 1) -> str:
    """Who or what, and at most so many matters of it."""
    name = " ".join(anchor.split()[: MOST_WORDS // 2])
    known = set(anchor.casefold().split())
    matters = matters_of(stated)
    itself = next((matter for matter in matters if set(matter.words) == known and not matter.is_name), None)
    whose = _who(itself, stated) if itself is not None else None
    if itself is not None and whose is not None and itself.is_of(whose):
        return _joined(whose, [itself])
    # A matter that several share, best what the anchor is called in full ("the choir festival" of "festival"); people
    # are the matter of somebody, hardly of a thing.
    shared = [matter for matter in matters if len(matter.sources) > 1 and not matter.is_person]
    longer = [matter for matter in shared if known < set(matter.words)]
    chosen = _apart([*longer, *shared], known, most)
    if not chosen and itself is not None and whose is not None:
        return _joined(whose, [itself])
    chosen = chosen or _apart(matters, known, most)
    if not chosen:
        return _capital(name)
    within = next((matter for matter in chosen if known & set(matter.words)), None)
    if within is None:
        return _joined(_written(anchor, stated) or name, chosen)
    who = _who(within, stated)
    return _joined(who, [within]) if who is not None else _joined(None, chosen)


def _joined(who: str | None, chosen: Sequence[Matter]) -> str:
    """ "Ana's boat" where Ana calls it hers, "Ana and the boat" where she doesn't."""
    first = chosen[0]
    if who is not None and len(chosen) == 1 and first.is_of(who):
        return _capital(f"{who}'s {first.written}")
    return _capital(" and ".join(_bounded([*([who] if who else []), *(matter.with_article for matter in chosen)])))


def _bounded(parts: Sequence[str]) -> list[str]:
    kept = list(parts[:1])
    for part in parts[1:]:
        if len(" and ".join([*kept, part]).split()) <= MOST_WORDS:
            kept.append(part)
    return kept


def _apart(matters: Iterable[Matter], known: set[str], most: int) -> list[Matter]:
    """The best that are not the anchor again, nor each other."""
    chosen: list[Matter] = []
    said: set[str] = set()
    for matter in matters:
        words = set(matter.words)
        if len(chosen) == most:
            break
        if words <= known or words & said or matter.is_person and words & known:
            continue
        chosen.append(matter)
        said |= words
    return chosen


def _who(matter: Matter, stated: Sequence[Stated]) -> str | None:
    """Who speaks of a matter in most of its sources; nobody where several do alike."""
    sources = {speaker: {one.source for one in stated if one.speaker == speaker} for speaker in matter.speakers}
    (name, count), *_ = sorted(matter.speakers.items(), key=lambda item: (-item[1], item[0])) or [("", 0)]
    is_most = count >= SHARED_BY_MOST * sum(matter.speakers.values())
    return name if name and is_most and len(sources[name] & matter.sources) * 2 >= len(matter.sources) else None


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
    """Names, and nouns with what stands before them: each with all its shorter endings."""
    tokens = parsed.tokens
    people = {at for span in name_spans(parsed) if span.label == "PERSON" for at in range(span.start, span.end)}
    times = {at for name in parsed.names if name.label in TIMES for at in range(name.start, name.end)}
    start = None
    for at in range(len(tokens) + 1):
        if at < len(tokens) and at not in times and tokens[at].pos in _NOMINAL and _is_word(tokens[at]):
            start = at if start is None else start
            continue
        if start is not None:
            yield from _endings(tokens, start, at, people)
        start = None


def _endings(tokens: Sequence[Token], start: int, end: int, people: set[int]) -> Iterator[_Phrase]:
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


def _form(token: Token) -> str:
    """A word as it is written within a sentence: a capital at its beginning is no part of a noun."""
    return token.lower if token.pos != "PROPN" and token.text[1:].islower() else token.text


def _take(found: dict[tuple[str, ...], Matter], statement: Stated, phrase: _Phrase) -> None:
    words = tuple(token.lemma.casefold() for token in phrase.tokens)
    matter = found.setdefault(words, Matter(words))
    matter.is_name = phrase.tokens[-1].pos == "PROPN"
    before = phrase.before.lower if phrase.before is not None else ""
    # What is somebody's is a certain one: "my boat", "Ana's boat" are the boat.
    is_owned = phrase.before is not None and phrase.before.tag in {"PRP$", "POS"} and not matter.is_name
    article = "the" if is_owned else _ARTICLES.get(before, "")
    matter.forms[article, " ".join(map(_form, phrase.tokens))] += 1
    matter.sources.add(statement.source)
    matter.is_person = matter.is_person or phrase.is_person
    speaker = statement.speaker
    if speaker and speaker.casefold() not in ROLES:
        matter.speakers[speaker] += 1
        matter.owners[speaker] += before == "my" or phrase.owner in speaker.split()
