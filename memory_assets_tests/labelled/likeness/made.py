"""Two thousand pairs made by rule, always the same ones: half say the same in another form, half only look like it.

What makes a pair one or the other is its kind. Sentences are put together of parts, so that each kind is met with many
words, in many lengths.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from memory_assets.curation.likeness import Claim

PAIRS = 2_000
DAY, LATER = date(2026, 5, 4), date(2026, 6, 9)
_WHO = "Anna|Marek|Priya|Tomás|Ingrid|Yusuf|Chloe|Dmitri|Hana|Oliver".split("|")
_WHERE = "Lisbon|Krakow|Osaka|Bergen|Nairobi|Quito|Galway|Tartu|Hobart|Seville".split("|")
_THINGS = (
    "deployment pipeline|kitchen boiler|quarterly report|garden fence|billing service|violin|old ferry|login page|"
    "mortgage offer|reading group|backup server|summer course"
).split("|")
_QUALITIES = (
    ("open", "closed"), ("safe", "dangerous"), ("cheap", "expensive"), ("finished", "unfinished"), ("slow", "fast"),
    ("empty", "full"), ("public", "private"), ("valid", "invalid"), ("heavy", "light"), ("early", "late"),
)  # fmt: skip
_DOES = (
    ("repaired", "broke"), ("bought", "sold"), ("accepted", "rejected"), ("praised", "blamed"), ("joined", "left"),
    ("found", "lost"), ("opened", "closed"), ("started", "stopped"),
)  # fmt: skip
_OTHER = "bicycle|contract|bakery|museum ticket|tax return|orchard|test suite|carpet|guest room|dentist".split("|")
_MONTHS = "January|March|June|August|October|December".split("|")
_OPENINGS = ("Well, ", "Actually, ", "Okay, ", "Oh, ", "By the way, ", "Honestly, ", "You know, ")


class Pair(NamedTuple):
    """Two texts of a kind; whether they say the same."""

    kind: str
    one: Claim
    other: Claim
    is_same: bool


class _Words:
    """Words of a sentence, drawn in a fixed order."""

    def __init__(self, draw: random.Random) -> None:
        self.who, self.whom = draw.sample(_WHO, 2)
        self.where, self.elsewhere = draw.sample(_WHERE, 2)
        self.thing, self.another = draw.sample(_THINGS, 2)
        self.other = draw.choice(_OTHER)
        self.quality, self.opposite = draw.choice(_QUALITIES)
        self.does, self.undoes = draw.choice(_DOES)
        self.number, self.more = draw.sample(range(2, 90), 2)
        self.month, self.later = draw.sample(_MONTHS, 2)
        self.rest = draw.choice(
            (
                f" in {self.where}",
                f" because the {self.other} was too expensive",
                f" together with {self.whom}",
                "",
                f" for {self.number} weeks",
                f" after the long discussion about the {self.other}",
            )
        )


def _plain(w: _Words) -> str:
    return f"{w.who} {w.does} the {w.thing}{w.rest}."


def _contracted(w: _Words) -> tuple[str, str]:
    return (
        (f"I'm sure that {w.who} doesn't like the {w.thing}{w.rest}.",
         f"I am sure that {w.who} does not like the {w.thing}{w.rest}.")
        if w.number % 3 == 0
        else (f"We've {w.does} the {w.thing}{w.rest}.", f"We have {w.does} the {w.thing}{w.rest}.")
        if w.number % 3 == 1
        else (f"It's clear that they can't see the {w.thing}{w.rest}.",
              f"It is clear that they cannot see the {w.thing}{w.rest}.")
    )  # fmt: skip


def _spelled(w: _Words) -> tuple[str, str]:
    british, american = (
        ("colour", "color"), ("favourite", "favorite"), ("organised", "organized"), ("neighbour", "neighbor"),
        ("theatre", "theater"), ("realised", "realized"), ("harbour", "harbor"), ("apologising", "apologizing"),
    )[w.number % 8]  # fmt: skip
    text = f"{w.who} spoke of the word {{}} and the {w.thing}{w.rest}."
    return text.format(british), text.format(american)


_SAME: dict[str, Callable[[_Words, random.Random], tuple[str, str]]] = {
    "case": lambda w, draw: (_plain(w), draw.choice((str.lower, str.upper))(_plain(w))),
    "closing mark": lambda w, draw: (_plain(w), _plain(w)[:-1] + draw.choice(("", "!", "…", " .", ";"))),
    "space": lambda w, draw: (_plain(w), "  " + _plain(w).replace(" ", draw.choice(("  ", "\n", "\t", "\u00a0")), 3)),
    "marks": lambda w, draw: (
        f"{w.who} said “{w.thing}” – it was the up-to-date {w.other}{w.rest}.",
        f'{w.who} said "{w.thing}" — it was the up to date {w.other}{w.rest}',
    ),
    "contraction": lambda w, draw: _contracted(w),
    "opening": lambda w, draw: (
        f"The {w.thing} is {w.quality} for {w.who}{w.rest}.",
        f"{draw.choice(_OPENINGS)}the {w.thing} is {w.quality} for {w.who}{w.rest}.",
    ),
    "politeness": lambda w, draw: (
        f"Always send the {w.thing} to {w.who}{w.rest}.",
        f"Please always send the {w.thing} to {w.who}{w.rest}.",
    ),
    "article": lambda w, draw: (
        f"User prefers the {w.quality} {w.thing}{w.rest}.",
        f"The user prefers the {w.quality} {w.thing}{w.rest}.",
    ),
    "spelling": lambda w, draw: _spelled(w),
    "figure": lambda w, draw: (
        f"{w.who} paid 1,{w.number:03} euros for the {w.thing}.",
        f"{w.who} paid 1{w.number:03} euros for the {w.thing}",
    ),
}
_OTHERWISE: dict[str, Callable[[_Words, random.Random], tuple[str, str]]] = {
    "negation": lambda w, draw: draw.choice(
        (
            (f"{w.who} likes the {w.thing}{w.rest}.", f"{w.who} doesn't like the {w.thing}{w.rest}."),
            (f"The {w.thing} is {w.quality}{w.rest}.", f"The {w.thing} is not {w.quality}{w.rest}."),
            (f"{w.who} {w.does} the {w.thing}{w.rest}.", f"{w.who} never {w.does} the {w.thing}{w.rest}."),
            (f"Nobody {w.does} the {w.thing}{w.rest}.", f"Somebody {w.does} the {w.thing}{w.rest}."),
            (f"{w.who} came with the {w.thing}{w.rest}.", f"{w.who} came without the {w.thing}{w.rest}."),
        )
    ),
    "number": lambda w, draw: (
        f"The {w.thing} took {w.number} hours{w.rest}.",
        f"The {w.thing} took {w.more} hours{w.rest}.",
    ),
    "date": lambda w, draw: (
        f"{w.who} {w.does} the {w.thing} on {w.number % 28 + 1} {w.month}{w.rest}.",
        f"{w.who} {w.does} the {w.thing} on {w.number % 28 + 1} {w.later}{w.rest}.",
    ),
    "name": lambda w, draw: draw.choice(
        (
            (f"{w.who} {w.does} the {w.thing}.", f"{w.whom} {w.does} the {w.thing}."),
            (f"The {w.thing} belongs to {w.who}{w.rest}.", f"The {w.thing} belongs to Beatriz{w.rest}."),
            (f"The {w.thing} stands in {w.where}.", f"The {w.thing} stands in {w.elsewhere}."),
        )
    ),
    "order": lambda w, draw: draw.choice(
        (
            (f"{w.who} {w.does} the {w.thing} of {w.whom}.", f"{w.whom} {w.does} the {w.thing} of {w.who}."),
            (f"The {w.thing} is better than the {w.other}.", f"The {w.other} is better than the {w.thing}."),
            (f"{w.who} flew from {w.where} to {w.elsewhere}.", f"{w.who} flew from {w.elsewhere} to {w.where}."),
            (f"The {w.thing} came before the {w.other}.", f"The {w.other} came before the {w.thing}."),
            (f"Between {w.number} and {w.more} people came.", f"Between {w.more} and {w.number} people came."),
        )
    ),
    "opposite": lambda w, draw: draw.choice(
        (
            (f"The {w.thing} is {w.quality}{w.rest}.", f"The {w.thing} is {w.opposite}{w.rest}."),
            (f"{w.who} {w.does} the {w.thing}{w.rest}.", f"{w.who} {w.undoes} the {w.thing}{w.rest}."),
        )
    ),
    "related": lambda w, draw: draw.choice(
        (
            (f"{w.who} {w.does} the {w.thing}{w.rest}.", f"{w.who} {w.does} the {w.another}{w.rest}."),
            (f"{w.who} {w.does} the {w.thing}{w.rest}.", f"{w.who} {w.does} the {w.thing} and the {w.other}{w.rest}."),
            (f"The {w.thing} is {w.quality}{w.rest}.", f"The {w.other} is {w.quality}{w.rest}."),
        )
    ),
    "tense": lambda w, draw: draw.choice(
        (
            (f"{w.who} lives near the {w.thing}{w.rest}.", f"{w.who} lived near the {w.thing}{w.rest}."),
            (f"{w.who} will visit the {w.thing}{w.rest}.", f"{w.who} visited the {w.thing}{w.rest}."),
            (f"{w.who} might repair the {w.thing}{w.rest}.", f"{w.who} can repair the {w.thing}{w.rest}."),
        )
    ),
    "question": lambda w, draw: (f"The {w.thing} is {w.quality}{w.rest}.", f"The {w.thing} is {w.quality}{w.rest}?"),
    "small word": lambda w, draw: draw.choice(
        (
            (f"Some of the {w.thing}s are {w.quality}.", f"All of the {w.thing}s are {w.quality}."),
            (f"Her {w.thing} is {w.quality}{w.rest}.", f"My {w.thing} is {w.quality}{w.rest}."),
            (f"{w.who} left before the {w.thing}.", f"{w.who} left after the {w.thing}."),
            (f"The {w.thing} costs +{w.number} points.", f"The {w.thing} costs -{w.number} points."),
            (f"Few of them saw the {w.thing}.", f"A few of them saw the {w.thing}."),
        )
    ),
    "speaker": lambda w, draw: (_plain(w), _plain(w)),
    "day": lambda w, draw: (
        f"{w.who} {w.does} the {w.thing} yesterday{w.rest}.",
        f"{w.who} {w.does} the {w.thing} yesterday{w.rest}.",
    ),
    "validity": lambda w, draw: (f"The {w.thing} is {w.quality}.", f"The {w.thing} is {w.quality}."),
}


def made_pairs(count: int = PAIRS) -> list[Pair]:
    """So many pairs, half of which say the same; each kind as often as any other of its half."""
    draw = random.Random(16)
    pairs = []
    for at in range(count):
        is_same = at % 2 == 0
        makers = _SAME if is_same else _OTHERWISE
        kind = list(makers)[at // 2 % len(makers)]
        one, other = makers[kind](_Words(draw), draw)
        first, second = Claim(one, "Anna", DAY), Claim(other, "Anna", DAY)
        if kind == "speaker":
            second = Claim(other, "Marek", DAY)
        elif kind == "day":
            second = Claim(other, "Anna", LATER)
        elif kind == "validity":
            second = Claim(other, "Anna", DAY, "2026-06-09T00:00:00Z")
        pairs.append(Pair(kind, *((first, second) if draw.random() < 0.5 else (second, first)), is_same))
    return pairs
