"""How turns become passages, how a question is searched for, how passages are ranked, and which fit the budget. Pure.

Words find passages, their own and their neighbours' (:mod:`index`); :mod:`ranking` says which of them answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, datetime
from difflib import get_close_matches
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple
from unicodedata import normalize

import snowballstemmer

from memory_assets.clock import MONTHS
from memory_assets.model import SourceType
from memory_assets.text.lines import begins_with, characters_of
from memory_assets.text.words import UNSPACED_RUN, UNSPACED_SIGN, pairs, zipf_frequency

LONGEST = 700
"""Characters of a passage: a longer turn (a note, a mail) is several, cut where sentences or lines end."""

NEAR = 4
"""A passage is also found by the words of so many before and after it: an answer seldom repeats its question's."""

_STEMMER = snowballstemmer.stemmer("english")
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_ENDS = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_HEADING = re.compile(r"#{1,6}[ \t]+\S.*")
LONGEST_TITLE = 60
"""Characters of a title that stand above passages."""
MOST_HEADINGS = 3
"""So many turns that are headings alone go with the turn below them."""


class Passage(NamedTuple):
    """One piece of a source: ``turn`` is the turn it is from, ``said_at`` ISO 8601 or None."""

    turn: int
    speaker: str | None
    said_at: str | None
    text: str


def split_turns(turns: Iterable[Mapping[str, Any]]) -> list[Passage]:
    """The passages of a source, in order; nothing of a turn is left out. A heading goes with the turn below it (by the
    same speaker, at the same time): alone it answers nothing.
    """
    found: list[Passage] = []
    headings: list[Passage] = []
    for turn in turns:
        text = str(turn["text"])
        one = Passage(int(turn["index"]), turn.get("speaker"), turn.get("at"), text.strip())
        if headings and (len(headings) == MOST_HEADINGS or headings[0][1:3] != one[1:3]):
            found += headings
            headings = []
        if _HEADING.fullmatch(one.text) and len(one.text) < LONGEST // 2:
            headings.append(one)
            continue
        found += [one._replace(text=piece) for piece in split_text("\n".join([*(h.text for h in headings), text]))]
        headings = []
    return found + headings


def day_said(said_at: str | None, started_at: datetime | None) -> date | None:
    """The day of a passage: its own (ISO 8601), else that of its source; None where nobody knows it."""
    try:
        return date.fromisoformat((said_at or "")[:10])
    except ValueError:
        return started_at.date() if started_at else None


def turns_of(passage: Found) -> range:
    """The turns that a passage may have words of: its own, and those before it where it begins with a heading."""
    return range(max(0, passage.turn - MOST_HEADINGS * passage.text.startswith("#")), passage.turn + 1)


def split_text(text: str) -> Iterator[str]:
    """``text`` in pieces of at most :data:`LONGEST` characters, whole sentences as far as they fit."""
    held = ""
    for part in _ENDS.split(text.strip()):
        while len(part) > LONGEST:
            if held:
                yield held
                held = ""
            cut = part.rfind(" ", LONGEST // 2, LONGEST)
            cut = cut if cut > 0 else LONGEST
            yield part[:cut].strip()
            part = part[cut:].strip()
        if held and len(held) + 1 + len(part) > LONGEST:
            yield held
            held = part
        else:
            held = f"{held} {part}".strip()
    if held:
        yield held


def spoken(passage: Passage | Found) -> str:
    """What is indexed of a passage: its own words with its speaker's name."""
    return f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text


def beside(place: int, count: int) -> Iterator[int]:
    """The places of a passage's neighbours in a source of ``count`` passages."""
    return (at for at in range(max(0, place - NEAR), min(count, place + NEAR + 1)) if at != place)


def spaced(text: str) -> str:
    """``text`` with room around each sign of a script that is written without spaces, so that each is a word."""
    return UNSPACED_SIGN.sub(r" \g<0> ", text)


MOST_TERMS = 64
"""Words of a question that are searched for: nobody's question has more, and a pasted page is no question."""

_WORD = re.compile(r"\w+")
# Signs of scripts without spaces apart from the rest of a token.
_PARTS = re.compile(rf"{UNSPACED_RUN.pattern}|(?:(?!{UNSPACED_SIGN.pattern}).)+")
ROLES_OF_USERS = frozenset({"user", "human"})
ROLES_OF_MODELS = frozenset({"assistant", "ai", "system", "tool"})
_POSSESSIVE = re.compile(r"['’]s\b")
_BEGINS = re.compile(r"(?:^|[.!?:\n])\W*\Z")
_ROLES = ROLES_OF_USERS | ROLES_OF_MODELS | {"unknown"}
MOST_FOUND = 400
"""So many passages are given of those that are ranked: more than fit any budget that is used."""


@dataclass(frozen=True)
class RecallRules:
    """The figures of the search (bench/recall.py prints what they give)."""

    candidates: int = 400
    # Of so few all are ranked: then meaning alone finds, too.
    all_of: int = 2000
    # What a neighbour's word counts in the choice of candidates.
    near_boost: float = 0.4
    # Where packing stops, as a share of the best score; and by how much a passage's tokens divide its score in packing.
    least_share: float = 0.5
    size_power: float = 0.12
    # A page is packed out of so many times its tokens, if there are as many: of passages, and each source's head once.
    enough: float = 1.25
    # So many are looked at, with so many of a head that is not known yet: it may be shorter.
    spare: float = 1.4
    head_tokens: int = 20
    # What is shown as the nearest where nothing relevant was found.
    nearest_tokens: int = 150
    # A word this common in English (Zipf) does not show what is meant.
    commonest: float = 6.3
    # And so common is what a question is asked with ("think", "people"): its meaning is that of the rest.
    commonest_meant: float = 5.8
    # And so common a name that is a word, too, or many people's.
    commonest_name: float = 3.7
    # And so common one whose likes are looked for, word by word.
    commonest_likened: float = 5.5


RULES = RecallRules()
THOROUGH = replace(RULES, enough=1.8)
"""Of what fills its budget: short passages from further down fit, too. BEAM's evidence within 8,000 tokens is 86.0 %
with it, else 83.8; whoever stops where it no longer helps has seen what is good enough.
"""


@dataclass(frozen=True)
class Found:
    """A passage that the index gives: ``place`` counts the passages of its source, ``score`` is above 0."""

    source_id: str
    place: int
    turn: int
    speaker: str | None
    said_at: str | None
    text: str
    score: float
    tokens: int | None = None
    """The tokens of its line, where they were counted."""
    superseded_by: tuple[str, ...] = ()
    """The references of what has taken the place of its words, or of some of them."""


@dataclass(frozen=True)
class Answered:
    """The passages for a question, best first, and how likely there is an answer among them, from 0 to 1."""

    found: tuple[Found, ...]
    confidence: float
    is_sure: bool = False
    """Whether the confidence suffices to answer."""


@dataclass(frozen=True)
class SourceHead:
    """What is written once above the passages of a source."""

    id: str
    ref: str | None
    owner: str
    kind: str
    title: str
    started_at: datetime | None
    is_archived: bool = False
    kept_turns: Sequence[int] | None = None
    """Of a source that a note replaces: the turns that the default search still reads."""
    is_titled: bool = True
    """Its title says more than how it begins."""

    @property
    def page(self) -> tuple[Hashable, ...]:
        """What the versions of one page have in common."""
        return self.owner, self.kind, self.title, self.started_at

    def is_in_reach(self, turn: int) -> bool:
        """Whether the default search reads a turn of it."""
        return not self.is_archived or turn in (self.kept_turns or ())


@dataclass(frozen=True)
class Recalled:
    """The passages that fit, grouped by source, and the tokens of the whole text."""

    text: str
    tokens: int
    passages: tuple[tuple[SourceHead, tuple[Found, ...]], ...]
    has_more: bool = False
    """Whether passages are left that are good enough and did not fit."""
    abstained: bool = False
    """Nothing relevant was found: these are the nearest."""


def search_terms(question: str, rules: RecallRules = RULES, owner: Set[str] = frozenset()) -> list[str]:
    """The words and phrases to look for, each once: rare enough to show what is meant, else all of them.

    Of scripts without spaces, each two signs that follow each other are a phrase. ``owner``: the words of the names of
    whose memory it is, which do not show it either (:func:`names_in`).
    """
    words: list[str] = []
    names = names_in(question, owner)
    tokens = _WORD.findall(question.casefold())
    for token in [one for one in tokens if names.isdisjoint(words_of(one))] or tokens:
        words += _words_of(token)
    telling = [
        word for word in words if zipf_frequency(word, "en") < rules.commonest and (len(word) > 1 or word.isdigit())
    ]
    return list(dict.fromkeys(telling or words))[:MOST_TERMS]


def telling_words(question: str, names: Set[str] = frozenset(), rules: RecallRules = RULES) -> str:
    """A question without common words and who speaks, which say nothing of what is meant; all of it if that is all."""
    words = [word for word in _WORD.findall(question.casefold()) if names.isdisjoint(words_of(word))]
    return " ".join(word for word in words if zipf_frequency(word, "en") < rules.commonest_meant) or question


def meant_words(question: str, names: Set[str] = frozenset(), rules: RecallRules = RULES) -> list[str]:
    """The words of a question that say what is meant, each once: no common ones, none of these names'."""
    words = (word for word in words_of(question) if len(word) > 1 or word.isdigit())
    meant = (word for word in words if word not in names and zipf_frequency(word, "en") < rules.commonest_likened)
    return list(dict.fromkeys(meant))[:MOST_TERMS]


def names_in(question: str, names: Set[str], rules: RecallRules = RULES) -> frozenset[str]:
    """Those of some names' words that a question says as names, and nowhere as a word.

    A rare one ("Petra") is one with a capital, or where the question has none at all. A word that others are called,
    too, or a thing ("Rose", "May", "Baker") is one by its capital beside another of the names, before "'s" or within a
    sentence, where it is no month and no word after it has a capital (a headline's have).
    """
    tokens = list(_WORD.finditer(question))
    parts = [frozenset(words_of(token[0])) & names for token in tokens]
    said: set[str] = set()
    other: set[str] = set()
    for at, (token, part) in enumerate(zip(tokens, parts, strict=True)):
        if not part:
            continue
        beside = [near for near in (at - 1, at + 1) if 0 <= near < len(tokens) and tokens[near][0][0].isupper()]
        is_name = token[0][0].isupper() and (
            any(parts[near] for near in beside)
            or _POSSESSIVE.match(question, token.end()) is not None
            or (
                _BEGINS.search(question, 0, token.start()) is None
                and at + 1 not in beside
                and token[0].capitalize() not in MONTHS
            )
        )
        for word in part:
            is_rare = zipf_frequency(word, "en") < rules.commonest_name
            (said if is_name or (is_rare and (token[0][0].isupper() or question.islower())) else other).add(word)
    return frozenset(said - other)


def likely_meant(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """Those of some names that are written much like one, the likest first."""
    by_form = {one.casefold(): one for one in sorted(names, reverse=True)}
    return [by_form[one] for one in get_close_matches(name.casefold(), by_form, n=most, cutoff=0.75)]


def match_expression(terms: Sequence[str]) -> str:
    """The terms as SQLite's FTS5 understands them: each quoted, any of them."""
    return " OR ".join(f'"{term}"' for term in terms)


def words_of(text: str) -> list[str]:
    """The words of a text, case folded and without accents."""
    folded = text.casefold()
    if not folded.isascii():
        folded = normalize("NFC", _ACCENTS.sub("", normalize("NFKD", folded)))
    return _WORD.findall(folded)


def name_words(speaker: str) -> frozenset[str]:
    """The words of a speaker's name; none where it is a role."""
    return frozenset(words_of(speaker)) - _ROLES


def index_terms(text: str) -> list[str]:
    """The terms by which a text is found: stems, and of scripts without spaces each sign and each pair of them."""
    found: list[str] = []
    for word in words_of(text):
        for part in _PARTS.findall(word):
            if UNSPACED_RUN.match(part):
                found += [*part, *(pairs(part) if len(part) > 1 else ())]
            else:
                found.append(_stem(part))
    return found


def query_terms(word: str) -> list[str]:
    """The terms of one of a question's words, as :func:`search_terms` gives them."""
    return [word.replace(" ", "")] if " " in word else index_terms(word)


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


def without_repeats(found: Sequence[Found], pages: Mapping[str, Hashable], before: Sequence[Found] = ()) -> list[Found]:
    """Those of the passages whose words are not all in another source's passage of the same page and time: among
    those ``before``, or among these (of equals the first stays). ``pages`` says of each source which page it is a
    version of: a note that was edited is two sources, most of whose words are the same.
    """
    shown: dict[Hashable, list[tuple[str, str]]] = {}
    words = [" ".join(one.text.split()) for one in (*before, *found)]
    for one, flat in zip((*before, *found), words, strict=True):
        shown.setdefault((pages[one.source_id], one.said_at, one.speaker), []).append((one.source_id, flat))
    distinct: list[Found] = []
    for at, one in enumerate(found, len(before)):
        others = shown[pages[one.source_id], one.said_at, one.speaker]
        first = others.index((one.source_id, words[at]))
        if not any(
            source != one.source_id and words[at] in flat and (len(flat) > len(words[at]) or place < first)
            for place, (source, flat) in enumerate(others)
        ):
            distinct.append(one)
    return distinct


def good_enough(ranked: Sequence[Found], rules: RecallRules = RULES, best: float = 0.0) -> list[Found]:
    """Those of the passages, best first, that score at least half of the best of them, or of a better one before them:
    more of them hardly ever helps.
    """
    least = rules.least_share * max([best, *(one.score for one in ranked)])
    return [one for one in ranked if one.score >= least]


def pack(
    ranked: Sequence[Found],
    heads: Mapping[str, SourceHead],
    count_tokens: Callable[[str], int],
    budget: int,
    page: int = 1,
    rules: RecallRules = RULES,
    more: Callable[[], Sequence[Found]] = tuple,
    characters: int | None = None,
) -> Recalled:
    """As many passages as fit, the best first (short ones a little sooner; the first of a source bears its head); those
    of one source come together in their order, its head once. ``page`` 2 is what fits of what is left then.

    One that does not fit is left out, and smaller ones after it may still fit. The finished text is counted. ``more``
    gives the passages behind the ranked ones, some at a time: it is asked before a page that these may not fill, so
    that a page is the same whichever of them is wanted. ``characters``: the text has no more of them, either.
    """
    costs: dict[tuple[str, int], int] = {}
    of_heads: dict[str, int] = {}
    left: list[Found] = []
    for _ in range(page):
        found = ranked if not costs else ()
        while True:
            known = [one for one in found if one.source_id in heads]
            costs |= {(one.source_id, one.place): _cost(one, heads[one.source_id], count_tokens) for one in known}
            left += known
            for name in {one.source_id for one in known} - of_heads.keys():
                of_heads[name] = count_tokens(head_line(heads[name]) + "\n\n")
            sizes = [(one.source_id, costs[one.source_id, one.place]) for one in left]
            fitting = [(name, size) for name, size in sizes if size + of_heads[name] <= budget]
            tokens = sum(size for _, size in fitting) + sum(of_heads[name] for name in {name for name, _ in fitting})
            if tokens >= rules.enough * budget or not (found := more()):
                break
        spared = {(one.source_id, one.place): _spared(one, heads[one.source_id], count_tokens) for one in left}
        net = {place: max(1, costs[place] - tokens) for place, tokens in spared.items()}
        recalled, left = _filled(left, heads, count_tokens, net, of_heads, budget, rules.size_power, characters)
    return replace(recalled, has_more=bool(left) and bool(recalled.passages))


def _filled(
    ranked: Sequence[Found],
    heads: Mapping[str, SourceHead],
    count_tokens: Callable[[str], int],
    costs: Mapping[tuple[str, int], int],
    of_heads: Mapping[str, int],
    budget: int,
    size_power: float,
    characters: int | None,
) -> tuple[Recalled, list[Found]]:
    """One text, and what did not fit."""
    chosen: dict[str, list[Found]] = {}
    used, least = 0, min(costs.values(), default=0)
    of_source: dict[str, list[int]] = {}
    sizes = [costs[one.source_id, one.place] for one in ranked]
    waiting: list[tuple[float, int, int]] = []
    for at, one in enumerate(ranked):
        of_source.setdefault(one.source_id, []).append(at)
        size = sizes[at] + of_heads[one.source_id]
        waiting.append((-one.score / max(1, size) ** size_power, at, size))
    heapify(waiting)
    done: set[int] = set()
    while waiting and used + least <= budget:
        _, at, size = heappop(waiting)
        if at in done or used + size > budget:
            continue
        done.add(at)
        used += size
        source = ranked[at].source_id
        if source not in chosen:
            chosen[source] = []
            for other in of_source[source]:  # these are cheaper now
                heappush(waiting, (-ranked[other].score / max(1, sizes[other]) ** size_power, other, sizes[other]))
        chosen[source].append(ranked[at])
    while True:
        groups = tuple((heads[key], tuple(sorted(rows, key=lambda row: row.place))) for key, rows in chosen.items())
        text = "\n".join(
            "\n".join([head_line(head, rows), *(_line(row, _day_of(row, head)) for row in rows), ""])
            for head, rows in groups
        )
        tokens = count_tokens(text)
        is_short = characters is None or characters_of(text) <= characters
        if (tokens <= budget and is_short) or not chosen:
            taken = {(row.source_id, row.place) for _, rows in groups for row in rows}
            return Recalled(text, tokens, groups), [
                one for one in ranked if (one.source_id, one.place) not in taken
            ]  # fmt: skip
        last = next(reversed(chosen))
        chosen[last].pop()
        if not chosen[last]:
            del chosen[last]


def head_line(head: SourceHead, passages: Iterable[Found] = ()) -> str:
    """A source's day, kind (but of a conversation, which most are) and title, and its reference; without the title
    where one of the ``passages`` below says it.

    It is repeated above every few passages: each of its tokens costs some of what is recalled.
    """
    day = head.started_at.date().isoformat() if head.started_at else "day unknown"
    kind = "" if head.kind == SourceType.CONVERSATION else f", {head.kind}"
    title = _shown(head.title) if head.is_titled else ""
    is_told = bool(title) and not any(begins_with_title(one.text, title) for one in passages)
    reference = f" [{head.ref}]" if head.ref else ""
    return f"{day}{kind}{f': {title}' if is_told else ''}{reference}"


def begins_with_title(text: str, title: str) -> bool:
    """Whether a text begins with a title, as far as that is shown."""
    shown = _shown(title)
    return bool(shown) and begins_with(text, shown, LONGEST_TITLE)


def _shown(title: str) -> str:
    return " ".join(title.split())[:LONGEST_TITLE].rstrip()


def line(speaker: str | None, text: str) -> str:
    """A passage as it is shown."""
    flat = " ".join(text.split())
    return f"- {speaker}: {flat}" if speaker else f"- {flat}"


def _line(passage: Found, day: str = "") -> str:
    return line(", ".join(filter(None, (day, passage.speaker))), passage.text)


def _day_of(passage: Found, head: SourceHead) -> str:
    """The day of a passage, where its source's head shows another one; else nothing."""
    day = (passage.said_at or "")[:10]
    return "" if head.started_at and head.started_at.date().isoformat() == day else day


def _cost(passage: Found, head: SourceHead, count_tokens: Callable[[str], int]) -> int:
    day = _day_of(passage, head)
    words = passage.tokens or count_tokens(_line(passage) + "\n")
    return words + (_tokens_of_day(day, count_tokens) if day else 0)


def _spared(passage: Found, head: SourceHead, count_tokens: Callable[[str], int]) -> int:
    """The tokens of a title that the head of a passage has no need of."""
    if not head.is_titled or not begins_with_title(passage.text, head.title):
        return 0
    return count_tokens(head_line(head)) - count_tokens(head_line(head, (passage,)))


@lru_cache(maxsize=4096)
def _tokens_of_day(day: str, count_tokens: Callable[[str], int]) -> int:
    return count_tokens(f"{day}, ")


def asks(text: str) -> bool:
    """Whether a text is a question."""
    return text.rstrip().endswith(("?", "？"))


def _words_of(token: str) -> Iterator[str]:
    """A token's words: itself, or of its unspaced parts each pair of signs as a phrase (the index has each sign
    alone).
    """
    for part in _PARTS.findall(token):
        if UNSPACED_RUN.match(part):
            yield from (" ".join(pair) for pair in pairs(part))
        else:
            yield part
