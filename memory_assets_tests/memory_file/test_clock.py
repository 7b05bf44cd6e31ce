"""Without anything new the file follows the clock, and whenever it is made, a day's file is the same."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.graph.graph import Graph
from memory_assets.memory_file.drafts import read_draft
from memory_assets.memory_file.user_files import default_of
from memory_assets.settings import Settings
from memory_assets_tests.memory_file.world import NOW, World
from memory_assets_tests.support.memory_files import make_draft
from memory_assets_tests.support.values import classify_memories

pytestmark = pytest.mark.graph
DAYS = 75


def world_of(graph: Graph, user: str, home: Path) -> World:
    """A user whose sources are of the last sixty days, with tasks of which some have passed and some are to come."""
    world = World(graph, user, Settings(_env_file=None, home=home, now=NOW))
    for place, days in enumerate((3, 20, 41, 50, 59)):
        source = world.add_source(f"talk{place}", days)
        world.add_statement(f"The lighthouse had {place + 3} keepers in {1900 + place}.", source)
        world.add_statement(
            f"Carry crate {place + 1} to the orchard.", world.add_source(f"note{place}", days + 1), "task"
        )
        world.add_source(f"walk{place}", days, source_type="note")
        due = NOW + timedelta(days=9 * place - 12)
        world.add_statement(f"Paint boat {place + 1} by {due:%Y-%m-%d}.", source, "task")
    return world


def brought_up_to(world: World, days: int, *, force: bool = False) -> str:
    """The draft of a day, made as the assets make it."""
    now = NOW + timedelta(days=days)
    saved = None if force else world.settings.home / "kept"
    classify_memories(world.graph, world.user, now, force=force, saved=saved)
    make_draft(world.graph, world.user, now, force=force)
    return read_draft(world.graph, default_of(world.user)).text


def plain(text: str, world: World) -> str:
    """Without what every user's file has of its own."""
    return re.sub(r"\[\d{9}\]", "[]", text.replace(world.user, "maria"))


def test_day_by_day_or_once_in_february_the_file_is_the_same(graph: Graph, user: str, tmp_path: Path) -> None:
    daily, once = (world_of(graph, f"{user}-{name}", tmp_path / name) for name in ("daily", "once"))
    november = brought_up_to(once, 0)
    texts = [brought_up_to(daily, days) for days in range(DAYS + 1)]
    assert plain(texts[0], daily) == plain(november, once)
    february = brought_up_to(once, DAYS)
    assert plain(texts[-1], daily) == plain(february, once)
    assert brought_up_to(daily, DAYS, force=True) == texts[-1]
    assert "Paint boat" in november and "## Recent Context" in november
    assert "Paint boat" not in february and "## Recent Context" not in february
    assert "keepers" in february
    # Each file differs from the one of the day before for a reason: a task's day, a week later, a source's month.
    ends = {9 * place - 12 + after for place in range(5) for after in (1, 8)}
    undated = {days - 60 + after for days in (4, 21, 42, 51, 60) for after in (11, 31)} | {
        days - 29 for days in (3, 20, 41, 50, 59)
    }
    changed = {days for days in range(1, DAYS + 1) if texts[days] != texts[days - 1]}
    assert changed <= ends | undated and len(changed) >= 9


def test_a_draft_is_made_again_on_the_day_that_it_names_and_not_before(graph: Graph, user: str, tmp_path: Path) -> None:
    world = world_of(graph, user, tmp_path / "home")
    brought_up_to(world, 0)
    at = read_draft(graph, default_of(user)).changes_at
    assert at is not None and NOW < at <= NOW + timedelta(days=3)
    assert not make_draft(graph, user, at - timedelta(milliseconds=1))
    assert make_draft(graph, user, at)
    assert not make_draft(graph, user, at)
    assert read_draft(graph, default_of(user)).changes_at > at
    brought_up_to(world, DAYS)
    assert read_draft(graph, default_of(user)).changes_at is None
    assert not make_draft(graph, user, NOW + timedelta(days=4000))
