"""Recall as of a day, on a year of changes that is generated: on each day holds what its history says."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from datetime import date, timedelta

import pytest

from memory_assets.commands.sources import recall_for
from memory_assets.entities.extraction import Extractor
from memory_assets.runtime.scope import RunScope
from memory_assets.sources.process import process_sources
from memory_assets.validity.judging import judge_statements
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.graph
FIRST = date(2025, 11, 3)
CITIES = "Boston Denver Austin Chicago Oslo Porto Vienna Lisbon Dublin Turin".split()
DAYS = "3 May,9 May,17 May,2 June,14 June,1 July,8 August,21 August,5 September".split(",")
ASKED = 16


@dataclass
class History:
    """What was said on which day, and since which day what holds."""

    said: list[tuple[date, list[str]]] = field(default_factory=list)
    homes: list[tuple[date, str]] = field(default_factory=list)
    launches: list[tuple[date, str]] = field(default_factory=list)

    @staticmethod
    def on(changes: list[tuple[date, str]], day: date) -> str | None:
        """What held on a day."""
        return next((value for since, value in reversed(changes) if since <= day), None)


def generated(seed: int) -> History:
    rng, history, day = random.Random(seed), History(), FIRST
    cities, days = rng.sample(CITIES, len(CITIES)), rng.sample(DAYS, len(DAYS))
    while day < FIRST + timedelta(days=365) and cities and days:
        if not history.homes or rng.random() < 0.5:
            old, new = (history.homes[-1][1] if history.homes else None), cities.pop()
            moved = [f"I moved from {old} to {new}."] if old else []
            history.said.append((day, [*moved, f"I live in {new}."]))
            history.homes.append((day, new))
        else:
            old, new = (history.launches[-1][1] if history.launches else None), days.pop()
            what = f"moves from {old} to {new}" if old else f"is on {new}"
            history.said.append((day, [f"The launch of the boat {what}."]))
            history.launches.append((day, new))
        day += timedelta(days=rng.randint(9, 40))
    rng.shuffle(history.said)  # in whatever order the files come
    return history


def take_in(house: House, nora: str, history: History) -> None:
    for number, (day, texts) in enumerate(history.said):
        lines = [
            {"role": "user", "name": "Nora", "content": text, "timestamp": f"{day}T10:0{turn}:00Z"}
            for turn, text in enumerate(texts)
        ]
        house.ingest(
            nora, f"{number}.jsonl", "\n".join(json.dumps(line | {"conversation_id": str(number)}) for line in lines)
        )  # noqa: E501
    graph, clock, models = house.graph, house.settings.clock, house.models
    process_sources(graph, nora, models.language_for("processed_sources"), models.embedder, clock)
    Extractor(
        graph, models.language_for("extracted_entities"), models.embedder, clock, nora, lambda _: None
    ).run(RunScope())  # fmt: skip
    judge_statements(graph, nora, clock.now(), house.settings.validity_index(nora), "recipe")


def held(house: House, nora: str, question: str, pattern: str, day: date) -> set[str]:
    """What the passages of an answer say that are not marked as over."""
    found, _ = recall_for(house.graph, house.settings, nora, question, 2000, day)
    texts = [row.text for _, rows in found.recalled.passages for row in rows]
    return {match[1] for text in texts if "superseded on" not in text and (match := re.search(pattern, text))}


@pytest.mark.parametrize("seed", [7])
def test_what_held_on_a_day_is_as_the_history_says(house: House, seed: int) -> None:
    nora, history = house.user("nora"), generated(seed)
    take_in(house, nora, history)
    rng = random.Random(seed)
    edges = [day + timedelta(days=more) for day, _ in history.homes[1:3] + history.launches[1:3] for more in (-1, 0)]
    for day in [*edges, *(FIRST + timedelta(days=rng.randrange(-5, 380)) for _ in range(ASKED))]:
        home, launch = History.on(history.homes, day), History.on(history.launches, day)
        assert held(house, nora, "Where do I live?", r"I live in (\w+)", day) == ({home} if home else set()), day
        days = held(house, nora, "When is the launch of the boat?", r"(?:to|on) (\d+ \w+)\.", day)
        assert days == ({launch} if launch else set()), day
