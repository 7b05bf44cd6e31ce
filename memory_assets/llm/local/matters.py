"""What statements speak of: noun phrases, each with who says it, how it is written, and who calls it theirs. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memory_assets.llm.local.concepts import is_concept
from memory_assets.llm.local.language import Parsed, Token, rarity
from memory_assets.llm.local.lexicon import ROLES
from memory_assets.llm.local.spans import name_spans
from memory_assets.llm.local.standalone import WHEN

NOMINAL = frozenset({"ADJ", "NOUN", "PROPN"})
LONGEST_PHRASE = 3
RAREST = 4.0
"""A rarer word says no more of what a matter is: names nobody else bears would be every title."""
OF_SEVERAL = 0.2
"""What is so often written of several is more than one: "camping trips"."""
SEVERAL_WORDS = 1.5
PERSONS_NAME = 0.4
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
    named: int = 0
    """How often it is written as a name."""
    alone: int = 0
    """How often it is written with no article, and nothing else in the place of one ("this", "which")."""

    @property
    def written(self) -> str:
        """As it is mostly written; the longer form of equals."""
        times = self._times
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

    @property
    def as_a_matter(self) -> str:
        """As a title calls it: what mostly stands alone has no article, and no capital for beginning a sentence."""
        times, form = self._times, self.written
        small = form[:1].lower() + form[1:]
        is_alone = not self.plurals and 2 * self.alone > times.total()
        called = form if is_alone else self.with_article
        is_begun = called == form and times[small] and 2 * self.named < times.total()
        return small if is_begun else called

    @property
    def _times(self) -> Counter[str]:
        """How often each form is written, with whatever article."""
        times: Counter[str] = Counter()
        for (_, form), count in self.forms.items():
            times[form] += count
        return times

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


def capital(text: str) -> str:
    """With a capital first."""
    return text[:1].upper() + text[1:]


def without_capital(text: str) -> str:
    """As it is written behind other words: an article has no capital."""
    return text[:1].lower() + text[1:] if text.split(" ", 1)[0].lower() in _ARTICLES else text


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
        if at < len(tokens) and at not in apart and tokens[at].pos in NOMINAL and is_word(tokens[at]):
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


def is_word(token: Token) -> bool:
    """Whether it is written as a word, and as no address or mark."""
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
    matter.named += matter.is_name
    matter.alone += not article and (phrase.before is None or phrase.before.pos not in {"DET", "PRON"})
    if phrase.tokens[-1].tag == "NNS":
        matter.plurals[form] += 1
    matter.is_person = matter.is_person or phrase.is_person
    speaker = statement.speaker
    if speaker and speaker.casefold() not in ROLES:
        matter.speakers[speaker] += 1
        matter.owners[speaker] += before == "my" or phrase.owner in speaker.split()
