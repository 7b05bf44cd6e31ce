"""What the working memory of a session holds, as pure functions (specification 002, 4.1; design of one budget).

One budget holds all of it: the summary of what left, recalled passages, recent turns, and our own headings. The oldest
turns leave whole. What left is summarised by episodes: each once, from its own words; eight summaries of one level
become one of the next, and the session's summary is chosen from those that are left. So it follows from the turns
that left, never from what it was before, and its cost grows with their logarithm.

The units of the text begin with a bracket or a mark and end with a line: their tokens add up exactly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from memory_assets.llm.local.lexicon import GREETINGS
from memory_assets.llm.tokens import count_tokens
from memory_assets.text.lines import one_line
from memory_assets.text.words import Candidate, choose_covering, content_words, word_weights

ROLES = ("user", "assistant", "system", "tool")
SPOKEN = ("user", "assistant")
LONGEST_CONTENT = 1_000_000
"""Characters of one turn; a longer one is given in pieces."""
HEADINGS = ("## What was said before", "## Recalled", "## Turns")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_WORD = re.compile(r"\w+")
_WIDEST = 16
"""Characters of a token: what is longer is cut earlier than it had to be."""
_MOST_OF_A_SIGN = 4
"""Tokens: a sign has at most four bytes."""
_DAY_TOKENS = 12
"""Room for a turn's day and its line's end."""


@dataclass(frozen=True)
class SessionRules:
    """The budget in tokens and its shares, and where an episode begins."""

    budget: int = 8000
    summary_share: float = 0.075
    recalled_share: float = 0.5
    """What recalled passages may take from turns; more only while nobody else needs it."""
    target_share: float = 0.75
    """Turns leave until no more than this is used."""
    turn_share: float = 0.25
    """A longer turn is shown as its head and tail; an episode is at most as long."""
    gap: timedelta = timedelta(minutes=30)
    fewest_turns: int = 8
    """A greeting begins no episode within so many turns of the last one's beginning."""
    summary_percent: int = 10
    summary_floor: int = 30
    """Of an episode: a tenth of its tokens, or so many (000, the summary level)."""
    longest_sentence: int = 80
    children: int = 8
    half_life: float = 3.0
    """Retrievals after which a passage's use counts half."""

    @property
    def summary_tokens(self) -> int:
        """The most that the summary has."""
        return int(self.budget * self.summary_share)

    @property
    def recalled_tokens(self) -> int:
        """The most that one retrieval brings."""
        return int(self.budget * self.recalled_share)

    @property
    def turn_tokens(self) -> int:
        """The most that one turn is shown with."""
        return int(self.budget * self.turn_share)


RULES = SessionRules()


@dataclass(frozen=True)
class Turn:
    """One turn of a session; ``number`` counts from 0 and is its reference. ``at`` is when it was said (ISO 8601)."""

    number: int
    role: str
    content: str
    at: str
    tokens: int
    name: str | None = None
    id: str | None = None
    place: str | None = None
    agent: str = ""

    @property
    def who(self) -> str:
        """The name written before its words."""
        return one_line(self.name or "")[:80] or self.role


@dataclass(frozen=True)
class Sentence:
    """One sentence of a summary: of which turn, said by whom, on which day."""

    number: int
    who: str
    day: str
    text: str
    factor: float


@dataclass(frozen=True)
class Node:
    """The summary of an episode (level 0), or of eight nodes of the level below."""

    level: int
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True)
class Passage:
    """A recalled passage: ``source`` is its source's reference, ``place`` where in it, ``head`` the source's line."""

    source: str
    place: int
    head: str
    text: str
    use: float = 0.0
    """What it was used for so far, the latest retrieval counting most."""

    @property
    def ref(self) -> str:
        """What it is called by."""
        return f"{self.source}/{self.place}"

    @property
    def line(self) -> str:
        """As it is written in the text."""
        return "- " + " ".join(self.text.split()) + "\n"

    @property
    def opening(self) -> str:
        """Its source's line, once above its passages."""
        return "### " + " ".join(self.head.split()) + "\n"


@dataclass(frozen=True)
class WorkingMemory:
    """A session as it is now. ``left`` is the pointer: turns before it have left. ``waiting`` are those of them whose
    episode goes on; all that left before is in ``nodes``."""

    left: int = 0
    turns: tuple[Turn, ...] = ()
    waiting: tuple[Turn, ...] = ()
    nodes: tuple[Node, ...] = ()
    recalled: tuple[Passage, ...] = ()
    injected: tuple[str, ...] = ()
    """References that the agent's context has."""
    ended_at: str | None = None
    agent: str = ""
    """The last one that was at work."""
    followed: int = 0
    """Up to which byte of the agent's transcript its turns are here."""
    projects: tuple[str | None, ...] = ()
    """In which its turns were added, each once; None: in none."""

    @property
    def project(self) -> str | None:
        """The one that is recalled for in it: the first that it was at work in."""
        return next(filter(None, self.projects), None)

    @property
    def count(self) -> int:
        """How many turns the session has had."""
        return self.left + len(self.turns)


def with_turns(memory: WorkingMemory, turns: Iterable[Turn]) -> WorkingMemory:
    """The same with further turns; a session that has ended goes on."""
    return replace(memory, turns=(*memory.turns, *turns), ended_at=None)


def decide_left(memory: WorkingMemory, rules: SessionRules = RULES) -> int:
    """How many turns have left when the budget holds: the oldest go, whole, until three quarters are used."""
    costs = [_tokens(shown(turn, before, rules)) for before, turn in _pairs(memory.turns)]
    recalled = min(_cost_of(memory.recalled), rules.recalled_tokens)
    fixed = _headings_cost() + recalled
    used = fixed + sum(costs) + (rules.summary_tokens if memory.left else 0)
    if used <= rules.budget:
        return memory.left
    going = 0
    used = fixed + sum(costs) + rules.summary_tokens
    while used > rules.budget * rules.target_share and going < len(costs) - 1:
        used -= costs[going]
        going += 1
    return memory.left + going


def evicted(memory: WorkingMemory, left: int, rules: SessionRules = RULES) -> WorkingMemory:
    """The same after the pointer has moved: episodes that are complete are summarised, once, from their own words."""
    going = left - memory.left
    if going <= 0:
        return memory
    waiting, nodes = list(memory.waiting), memory.nodes
    for turn in memory.turns[:going]:
        if waiting and begins_episode(waiting, turn, rules):
            nodes = with_episode(nodes, summarise(tuple(waiting), rules), rules)
            waiting = []
        waiting.append(turn)
    return replace(memory, left=left, turns=memory.turns[going:], waiting=tuple(waiting), nodes=nodes)


def begins_episode(before: Sequence[Turn], turn: Turn, rules: SessionRules = RULES) -> bool:
    """Whether an episode begins with a turn: after a gap in time, at another place, where a person greets or thanks, or
    where the episode would be longer than a turn may be."""
    last = before[-1]
    gap = abs(datetime.fromisoformat(turn.at) - datetime.fromisoformat(last.at))
    if turn.place != last.place or gap > rules.gap:
        return True
    if turn.role == "user" and len(before) >= rules.fewest_turns and _greets(turn.content):
        return True
    return sum(one.tokens for one in before) + turn.tokens > rules.turn_tokens


@lru_cache(maxsize=64)
def summarise(turns: tuple[Turn, ...], rules: SessionRules = RULES) -> tuple[Sentence, ...]:
    """The sentences that say most of an episode, in a tenth of its tokens; of tools only where nobody else speaks."""
    spoken = [turn for turn in turns if turn.role in SPOKEN] or list(turns)
    budget = min(
        max(rules.summary_floor, sum(turn.tokens for turn in turns) * rules.summary_percent // 100),
        rules.summary_tokens,
    )
    sentences = tuple(one for turn in spoken for one in _sentences(turn, rules))
    if chosen := choose(sentences, budget):
        return chosen
    first = next((turn for turn in spoken if turn.content.strip()), spoken[0])
    return (_sentence(first, beginning(one_line(first.content[: budget * _WIDEST]), budget // 2)),)


@lru_cache(maxsize=64)
def choose(sentences: tuple[Sentence, ...], budget: int) -> tuple[Sentence, ...]:
    """Those that cover most within ``budget`` tokens as they are rendered, in their order."""
    words = [_words(one.text) for one in sentences]
    candidates = [Candidate(said, _tokens(_line(one)), one.factor) for one, said in zip(sentences, words, strict=True)]
    chosen = choose_covering(candidates, budget, word_weights(words))
    while chosen:
        within = tuple(sentences[place] for place in sorted(chosen))
        if _tokens(render_sentences(within)) <= budget:
            return within
        chosen.pop()
    return ()


def with_episode(nodes: tuple[Node, ...], said: tuple[Sentence, ...], rules: SessionRules = RULES) -> tuple[Node, ...]:
    """The nodes with one episode more: eight of a level become one of the next, so that there are few at any time."""
    nodes = (*nodes, Node(0, said))
    while len(nodes) >= rules.children and len({node.level for node in nodes[-rules.children :]}) == 1:
        last = nodes[-rules.children :]
        united = choose(tuple(one for node in last for one in node.sentences), rules.summary_tokens)
        nodes = (*nodes[: -rules.children], Node(last[0].level + 1, united))
    return nodes


def session_summary(memory: WorkingMemory, rules: SessionRules = RULES) -> str:
    """What the turns that left come to, chosen from the summaries of their episodes; nothing while all are there."""
    sentences = tuple(one for node in memory.nodes for one in node.sentences)
    sentences += summarise(memory.waiting, rules) if memory.waiting else ()
    return render_sentences(choose(sentences, rules.summary_tokens))


def render_sentences(sentences: Iterable[Sentence]) -> str:
    """Sentences as lines with their turn's reference; a day once above what was said on it."""
    lines, day = [], ""
    for one in sentences:
        if one.day != day:
            lines.append(f"### {one.day}\n")
            day = one.day
        lines.append(_line(one))
    return "".join(lines)


def with_passages(memory: WorkingMemory, passages: Sequence[Passage], rules: SessionRules = RULES) -> WorkingMemory:
    """The same after a retrieval that gave ``passages``, the best first, as many as one retrieval may bring.

    A passage is worth what it was retrieved for, by rank, the latest counting most: what many questions find stays
    longer than what one brought along.
    """
    known = {one.ref: one for one in memory.recalled}
    aged = {ref: replace(one, use=one.use * 0.5 ** (1 / rules.half_life)) for ref, one in known.items()}
    brought = fitting(passages, rules.recalled_tokens)
    for rank, one in enumerate(brought):
        use = aged[one.ref].use if one.ref in aged else 0.0
        aged[one.ref] = replace(one, use=use + 1 / (10 + rank))
    return replace(memory, recalled=tuple(aged.values()))


def with_used(memory: WorkingMemory, refs: Iterable[str]) -> WorkingMemory:
    """The same after the passages of these sources were cited: a citation counts as being found first once more."""
    cited = set(refs)
    found = tuple(replace(one, use=one.use + 0.1) if one.source in cited else one for one in memory.recalled)
    return replace(memory, recalled=found)


def trimmed(memory: WorkingMemory, rules: SessionRules = RULES) -> WorkingMemory:
    """The same with as many recalled passages as there is room beside summary and turns, the most used."""
    if not memory.recalled:
        return memory
    turns = sum(_tokens(shown(turn, before, rules)) for before, turn in _pairs(memory.turns))
    room = rules.budget - _headings_cost() - turns - (rules.summary_tokens if memory.left else 0)
    best = sorted(memory.recalled, key=lambda one: (-one.use, one.ref))
    chosen = {one.ref for one in fitting(best, room)}
    return replace(memory, recalled=tuple(one for one in memory.recalled if one.ref in chosen))


def render_recalled(passages: Iterable[Passage]) -> str:
    """Passages under their sources' lines, each source once."""
    groups: dict[str, list[Passage]] = {}
    for one in passages:
        groups.setdefault(one.source, []).append(one)
    return "".join(
        rows[0].opening + "".join(row.line for row in sorted(rows, key=lambda row: row.place))
        for rows in groups.values()
    )


def render(memory: WorkingMemory, rules: SessionRules = RULES) -> str:
    """The working memory as one text: our headings, and below them what was said, as data."""
    parts = (
        session_summary(memory, rules),
        render_recalled(memory.recalled),
        "".join(shown(turn, before, rules) for before, turn in _pairs(memory.turns)),
    )
    since = f", from {memory.turns[0].at[:10]}" if memory.turns else ""
    headings = (HEADINGS[0], HEADINGS[1], f"{HEADINGS[2]}{since}")
    return "".join(f"{heading}\n{part}" for heading, part in zip(headings, parts, strict=True) if part)


def shown(turn: Turn, before: Turn | None, rules: SessionRules = RULES) -> str:
    """A turn as it is written in the text: reference, its day where that is another than the last one's, who, what."""
    day = f"{turn.at[:10]}, " if before is not None and before.at[:10] != turn.at[:10] else ""
    return f"[{turn.number}] {day}{turn.who}: {shown_content(turn, rules)}\n"


def is_long(turn: Turn, rules: SessionRules = RULES) -> bool:
    """Whether a turn is shown as its head and tail."""
    head, content = f"[{turn.number}] {turn.who}: ", _moved_in(turn.content)
    if _MOST_OF_A_SIGN * len(head + content) <= rules.turn_tokens - _DAY_TOKENS:
        return False
    return turn.tokens > rules.turn_tokens or count_tokens(head + content) > rules.turn_tokens - _DAY_TOKENS


def shown_content(turn: Turn, rules: SessionRules = RULES) -> str:
    """What is shown of a turn's words: all, or head and tail with the reference of what is between them.

    Further lines are moved in by a space, so that no words of a turn can pass for another one.
    """
    content = _moved_in(turn.content)
    if not is_long(turn, rules):
        return content
    between = f"\n […: {turn.tokens:,} tokens in all, [{turn.number}] has them …]\n "
    head = f"[{turn.number}] {turn.who}: "
    room = max(0, rules.turn_tokens - _DAY_TOKENS - count_tokens(head) - count_tokens(between) - 4)
    return f"{beginning(content, room // 2)}{between}{beginning(content, room - room // 2, from_end=True)}"


def beginning(text: str, budget: int, *, from_end: bool = False) -> str:
    """A long start of ``text``, or end of it, with at most ``budget`` tokens, cut anywhere."""
    longest = budget * _WIDEST
    text = text[max(0, len(text) - longest) :] if from_end else text[:longest]
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[-middle:] if from_end else text[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    return "" if not low else text[-low:] if from_end else text[:low]


def _moved_in(content: str) -> str:
    return re.sub(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", "\n ", content)


@lru_cache(maxsize=1)
def _headings_cost() -> int:
    return sum(count_tokens(f"{heading}\n") for heading in (*HEADINGS[:2], f"{HEADINGS[2]}, from 2026-11-25"))


def fitting(passages: Iterable[Passage], budget: int) -> list[Passage]:
    """Those that fit, the first first; smaller ones after one that does not, too."""
    chosen: list[Passage] = []
    sources: set[str] = set()
    left = budget
    for one in passages:
        cost = _tokens(one.line) + (0 if one.source in sources else _tokens(one.opening))
        if cost <= left:
            left -= cost
            sources.add(one.source)
            chosen.append(one)
    return chosen


def _cost_of(passages: Sequence[Passage]) -> int:
    openings = {one.source: one.opening for one in passages}
    return sum(_tokens(one.line) for one in passages) + sum(map(_tokens, openings.values()))


def _pairs(turns: Sequence[Turn]) -> Iterator[tuple[Turn | None, Turn]]:
    return zip((None, *turns[:-1]), turns, strict=False)  # of no turns there is no first one


def _sentences(turn: Turn, rules: SessionRules) -> Iterator[Sentence]:
    for sentence in _SENTENCE_END.split(turn.content[: rules.turn_tokens * _WIDEST]):
        text = one_line(sentence)
        if len(text.split()) > 2 and _tokens(text) <= rules.longest_sentence:
            yield _sentence(turn, text)


def _sentence(turn: Turn, text: str) -> Sentence:
    """A turn's sentence, with its weight: the user's own words answer most questions, questions and small talk few."""
    factor = (1.5 if turn.role == "user" else 1.0) * (0.4 if text.endswith(("?", "？")) else 1.0)
    factor *= 0.3 if _greets(text) else 1.0
    return Sentence(turn.number, turn.who, turn.at[:10], text, factor)


def _line(one: Sentence) -> str:
    return f"[{one.number}] {one.who}: {one.text}\n"


@lru_cache(maxsize=2048)
def _tokens(text: str) -> int:
    """The tokens of a unit, cached: most are counted again with each turn that is added."""
    return count_tokens(text)


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return content_words(text)


def _greets(content: str) -> bool:
    first = _WORD.search(content[:40])
    return first is not None and first[0].casefold() in GREETINGS


def as_row(turn: Turn) -> Mapping[str, Any]:
    """A turn as it is given back: every byte of its content."""
    row = {"ref": str(turn.number), "role": turn.role, "name": turn.name, "content": turn.content, "at": turn.at}
    return row | {"id": turn.id, "place": turn.place, "agent": turn.agent or None}


@dataclass(frozen=True)
class Part:
    """What was said of a session in one project, or in none (None): a source of that, when the session ends."""

    name: str
    project: str | None
    turns: tuple[Turn, ...]

    @property
    def is_spoken(self) -> bool:
        """Whether anybody says anything in it."""
        return any(turn.role in SPOKEN and turn.content.strip() for turn in self.turns)

    @property
    def lines(self) -> Iterator[str]:
        """The lines of its conversation file."""
        return conversation_lines(self.name, self.turns, self.project)


def parts_of(session: str, turns: Iterable[tuple[str | None, Turn]]) -> list[Part]:
    """A session by the projects in which its turns were added. The part that it begins with has the session's own name,
    each other one that of its first turn, too: so turns that come later, in whatever project, change no part's name.
    """
    found: dict[str | None, list[Turn]] = {}
    for project, turn in turns:
        found.setdefault(project, []).append(turn)
    return [Part(_part_name(session, said[0].number), project, tuple(said)) for project, said in found.items()]


def _part_name(session: str, first: int) -> str:
    return f"{session}~{first}" if first else session  # no session is called so


def conversation_lines(session: str, turns: Iterable[Turn], project: str | None = None) -> Iterator[str]:
    """The turns as the lines of a conversation file, by which the session is one source however often it is read."""
    for turn in turns:
        said = {"role": turn.role, "name": turn.name, "content": turn.content, "timestamp": turn.at}
        row = {key: value for key, value in said.items() if value is not None} | {"conversation_id": session}
        row |= {"project": project} if project else {}
        yield json.dumps(row, ensure_ascii=False)
