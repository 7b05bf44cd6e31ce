"""Which sources an extraction is due for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memory_assets.clock import to_iso
from memory_assets.entities.due import SOURCES_PER_BATCH, DueSource, batches, choose_due
from memory_assets.model import fingerprint

AT = datetime(2026, 3, 1, tzinfo=UTC)


def source(name: str = "s", **change: Any) -> dict[str, Any]:
    given = {
        "id": name,
        "owner": "u",
        "started_at": AT,
        "processing_status": "extracted",
        "text_fingerprint": "p",
    }
    return given | change


def extraction(**change: Any) -> dict[str, Any]:
    made_from = fingerprint("p", to_iso(AT), "recipe")
    return {"source_id": "s", "fingerprint": made_from, "status": "extracted"} | change


@pytest.mark.parametrize(
    ("change", "made", "due"),
    [
        ({}, extraction(), False),
        ({}, None, True),
        ({}, extraction(status="failed"), True),
        ({}, extraction(fingerprint="other"), True),
        ({"text_fingerprint": "q"}, extraction(), True),
        ({"started_at": None}, extraction(), True),  # its time became another one
    ],
)
def test_an_extraction_stands_as_long_as_its_fingerprint(
    change: dict[str, Any], made: dict[str, Any] | None, due: bool
) -> None:
    found = choose_due([source(**change)], [made] if made else [], user="u", recipe="recipe")
    assert bool(found.sources) is due


def test_another_prompt_model_or_code_makes_all_due() -> None:
    assert choose_due([source()], [extraction()], user="u", recipe="another").sources


def test_forced_within_a_window() -> None:
    sources = [source("s"), source("t", started_at=AT.replace(month=5)), source("v", started_at=None)]
    window = {"since": AT, "until": AT.replace(month=4)}
    found = choose_due(sources, [extraction()], user="u", recipe="recipe", force=True, **window)
    assert [one.id for one in found.sources] == ["s"]
    found = choose_due(sources, [extraction()], user="u", recipe="recipe", force=True)
    assert [one.id for one in found.sources] == ["s", "t", "v"]


def test_the_oldest_come_first_whatever_order_they_are_read_in() -> None:
    sources = [
        source("b"),
        source("a"),
        source("c", started_at=AT.replace(year=2020)),
        source("0", started_at=None),
    ]
    for given in (sources, sources[::-1]):
        assert [one.id for one in choose_due(given, [], user="u", recipe="r").sources] == ["c", "a", "b", "0"]


def test_a_teams_source_is_never_marked() -> None:
    sources = [
        source(processing_status="processed"),
        source("t", owner="team-x", processing_status="processed"),
    ]
    made = [extraction(), extraction(source_id="t")]
    found = choose_due(sources, made, user="u", recipe="recipe")
    assert (found.to_mark, found.standing) == (("s",), 2)


def test_rounds_hold_all_that_is_due_once() -> None:
    due = [DueSource(str(n), "f", False, True, None) for n in range(2 * SOURCES_PER_BATCH + 1)]
    assert [one for batch in batches(due) for one in batch] == due
    assert [len(batch) for batch in batches(due)] == [SOURCES_PER_BATCH, SOURCES_PER_BATCH, 1]
