"""Storylines and themes as answers (004, Retrieval Granularity Controls): which fit a question, and what of them fits a
budget. Pure.

A card is a storyline or a theme with its words; its lines are what is below it: the sources of a storyline, the
storylines of a theme, the sentences of a source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from memory_assets.recall.policy import words_of
from memory_assets.text.lines import characters_of

Row = dict[str, Any]
CountTokens = Callable[[str], int]
Days = tuple[date | None, date | None]
"""The first and the last."""


@dataclass(frozen=True)
class LevelRules:
    """The figures of the choice; likeness is a cosine less the mean one of all that is compared."""

    title_weight: float = 2.0
    # As much liker the question than all are: found by its meaning alone. Vectors of every embedder lie elsewhere.
    telling_likeness: float = 0.18
    likeness_weight: float = 2.0
    # What scores less than this share of the best is left out.
    least_share: float = 0.5
    # The words of cards take so much of a budget at first, so that there is room for the lines below the best.
    share_of_words: float = 0.6
    most: int = 50


RULES = LevelRules()


@dataclass(frozen=True)
class Line:
    """One thing below a card, on one line; ``row`` is what it was made from, with ``id`` and ``ref``."""

    text: str
    row: Row


@dataclass(frozen=True)
class Card:
    """One answer: its head, its words, and the lines below it in reading order."""

    head: str
    text: str
    row: Row
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Packed:
    """The cards that fit, each with those of its lines that do; the finished text and its tokens."""

    text: str
    tokens: int
    cards: tuple[Card, ...]
    has_more: bool = False
    """Whether cards are left for a further page."""


def rank(words: Mapping[str, float], likeness: Mapping[str, float], rules: LevelRules = RULES) -> list[str]:
    """The ids of what fits a question, best first: by its words (scores above 0), by its meaning (see the rules)."""
    best_words = max(words.values(), default=0.0)
    scores = {
        name: (words.get(name, 0.0) / best_words if best_words else 0.0)
        + rules.likeness_weight * max(0.0, likeness.get(name, 0.0))
        for name in {*words, *(name for name, like in likeness.items() if like >= rules.telling_likeness)}
    }
    least = rules.least_share * max(scores.values(), default=0.0)
    chosen = [name for name, score in scores.items() if score >= least]
    return sorted(chosen, key=lambda name: (-scores[name], name))[: rules.most]


def touches(row: Row, days: Days) -> bool:
    """Whether a storyline or theme overlaps the days."""
    since, until = days
    first, last = ((row[name] or "")[:10] for name in ("first_at", "last_at"))
    return (since is None or last >= since.isoformat()) and (until is None or (first or last) <= until.isoformat())


def latest(rows: Iterable[Row], rules: LevelRules = RULES) -> list[str]:
    """The ids of those whose last event is latest: the answer where nothing fits the question."""
    known = sorted(rows, key=lambda row: (row["last_at"] or "", row["source_count"] or 0, row["id"]), reverse=True)
    return [row["id"] for row in known[: rules.most]]


def says(card: Card, names: Iterable[str]) -> bool:
    """Whether a card, in its words or its lines, says all the words of all names."""
    said = set(words_of(" ".join([card.head, card.text, *(line.text for line in card.lines)])))
    return all(said.issuperset(words_of(name)) for name in names)


def head_of(row: Row) -> str:
    """A storyline's or theme's title, its days, how much it is made of, and its reference."""
    return f"{_flat(row['title'])}, {days_and_size(row)}{_marks(row)}"


def days_and_size(row: Row) -> str:
    """The days of a storyline or theme and how much it is made of."""
    first, last = ((row[name] or "")[:10] for name in ("first_at", "last_at"))
    days = [] if not first else [first] if first == last else [f"{first} to {last}"]
    counts = [(row.get("storyline_count"), "storyline"), (row.get("source_count"), "source")]
    return ", ".join([*days, *(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count)])


def source_line(row: Row) -> str:
    """A source's day, kind and summary, and its reference."""
    said = _flat(row["text"]) or _flat(row["title"])
    return f"{(row['at'] or '')[:10] or 'day unknown'}, {row['kind']}: {said}{_marks(row)}"


def sentence_line(row: Row) -> str:
    """A statement with its speaker, and its reference."""
    speaker = f"{row['speaker']}: " if row["speaker"] else ""
    return f"{speaker}{_flat(row['text'])}{_marks(row)}"


def pack(
    cards: Sequence[Card],
    count_tokens: CountTokens,
    budget: int,
    rules: LevelRules = RULES,
    *,
    page: int = 1,
    characters: int | None = None,
) -> Packed:
    """What fits: the best cards whole, then the lines below them, the latest first; then more cards. The finished text
    is counted; it has no more ``characters``, either. ``page`` 2 is what fits of the cards that are left then.

    What does not fit is left out, and smaller ones after it may still fit. No line is shown twice: of two cards
    with one line, the better one has it.
    """
    left, seen = list(cards), set[str]()
    for _ in range(page):
        packed = _filled(left, count_tokens, budget, rules, seen, characters)
        shown = {card.row["id"] for card in packed.cards}
        seen |= shown | {line.row["id"] for card in packed.cards for line in card.lines}
        left = [card for card in left if card.row["id"] not in seen]
    return replace(packed, has_more=bool(left and packed.cards))


def _filled(
    cards: Sequence[Card],
    count_tokens: CountTokens,
    budget: int,
    rules: LevelRules,
    shown_before: Collection[str],
    characters: int | None,
) -> Packed:
    chosen: dict[str, list[int]] = {}
    by_id = {card.row["id"]: card for card in cards}
    seen = set(shown_before)
    used = 0

    def take(name: str, text: str, limit: float) -> bool:
        nonlocal used
        cost = count_tokens(text + "\n")
        if name in seen or used + cost > limit:
            return False
        used += cost
        seen.add(name)
        return True

    for limit in (rules.share_of_words * budget, budget):
        for name, card in by_id.items():
            if take(name, _card_text(card), limit):
                chosen[name] = []
        for name, places in chosen.items():
            lines = list(enumerate(by_id[name].lines))
            places += [at for at, line in reversed(lines) if take(line.row["id"], _line_text(line), budget)]
    while True:
        shown = tuple(
            replace(by_id[name], lines=tuple(by_id[name].lines[at] for at in sorted(places)))
            for name, places in chosen.items()
        )
        text = "\n".join("\n".join([_card_text(card), *map(_line_text, card.lines), ""]) for card in shown)
        tokens = count_tokens(text)
        is_short = characters is None or characters_of(text) <= characters
        if (tokens <= budget and is_short) or not chosen:
            return Packed(text, tokens, shown)
        last = next(reversed(chosen))
        if chosen[last]:
            chosen[last].pop()
        else:
            del chosen[last]


def within(lines: Sequence[Line], count_tokens: CountTokens, budget: int, *, latest_first: bool = True) -> list[Line]:
    """Those of the lines that fit a budget, whole and each once, in their order: the latest are taken first, or the
    first.
    """
    places: list[int] = []
    seen: set[str] = set()
    used = 0
    order = range(len(lines))
    for at in reversed(order) if latest_first else order:
        cost = count_tokens(_line_text(lines[at]) + "\n")
        if lines[at].row["id"] not in seen and used + cost <= budget:
            used += cost
            seen.add(lines[at].row["id"])
            places.append(at)
    return [lines[at] for at in sorted(places)]


def _card_text(card: Card) -> str:
    return f"## {card.head}\n{_flat(card.text)}"


def _line_text(line: Line) -> str:
    return f"- {line.text}"


def _marks(row: Row) -> str:
    archived = " (archived)" if row.get("is_archived") else ""
    return f"{archived} [{row['ref']}]" if row.get("ref") else archived


def _flat(text: str | None) -> str:
    return " ".join((text or "").split())
