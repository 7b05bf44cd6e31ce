"""Which sources an extraction is due for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memory_assets.clock import to_iso
from memory_assets.entities.due import choose_due
from memory_assets.entities.naming.records import Profile
from memory_assets.model import fingerprint

AT = datetime(2026, 3, 1, tzinfo=UTC)
NOW = datetime(2026, 5, 1, tzinfo=UTC)


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
    return {
        "source_id": "s",
        "fingerprint": made_from,
        "status": "extracted",
        "attempts": None,
        "next_attempt_at": None,
    } | change


@pytest.mark.parametrize(
    ("change", "made", "due"),
    [
        ({}, extraction(), False),
        ({}, None, True),
        ({}, extraction(status="failed"), True),  # nobody has counted what it failed with
        ({}, extraction(status="failed", attempts=1), False),  # trying again is no use
        ({}, extraction(status="failed", attempts=1, next_attempt_at=NOW.replace(hour=1)), False),
        ({}, extraction(status="failed", attempts=1, next_attempt_at=NOW), True),
        ({}, extraction(status="failed", attempts=1, fingerprint="other"), True),  # the prompt has changed since
        ({}, extraction(status="wanted", fingerprint=""), True),
        ({}, extraction(fingerprint="other"), True),
        ({"text_fingerprint": "q"}, extraction(), True),
        ({"started_at": None}, extraction(), True),  # its time became another one
    ],
)
def test_an_extraction_stands_as_long_as_its_fingerprint(
    change: dict[str, Any], made: dict[str, Any] | None, due: bool
) -> None:
    found = choose_due([source(**change)], [made] if made else [], user="u", recipe="recipe", now=NOW)
    assert bool(found.sources) is due


@pytest.mark.parametrize(
    ("kind", "owner", "due"), [("note", "u", True), ("note", "team-harbor", False), ("transcript", "u", False)]
)
def test_the_notes_of_who_gets_a_profile_are_due(kind: str, owner: str, due: bool) -> None:
    given = source(source_type=kind, owner=owner, speakers=[], addresses=[], by_role=None)
    found = choose_due([given], [extraction()], user="u", recipe="recipe", now=NOW, profile=Profile("Ana Lindt"))
    assert bool(found.sources) is due


def test_another_prompt_model_or_code_makes_all_due() -> None:
    assert choose_due([source()], [extraction()], user="u", recipe="another", now=NOW).sources


def test_forced_within_a_window() -> None:
    sources = [source("s"), source("t", started_at=AT.replace(month=5)), source("v", started_at=None)]
    window = {"since": AT, "until": AT.replace(month=4)}
    found = choose_due(sources, [extraction()], user="u", recipe="recipe", now=NOW, force=True, **window)
    assert [one.id for one in found.sources] == ["s"]
    found = choose_due(sources, [extraction()], user="u", recipe="recipe", now=NOW, force=True)
    assert [one.id for one in found.sources] == ["s", "t", "v"]


def test_the_oldest_come_first_whatever_order_they_are_read_in() -> None:
    sources = [
        source("b"),
        source("a"),
        source("c", started_at=AT.replace(year=2020)),
        source("0", started_at=None),
    ]
    for given in (sources, sources[::-1]):
        assert [one.id for one in choose_due(given, [], user="u", recipe="r", now=NOW).sources] == ["c", "a", "b", "0"]


def test_a_teams_source_is_due_once_somebody_wants_it() -> None:
    of_team = [source("t", owner="team-x"), source("v", owner="team-x")]
    wanted = [extraction(source_id="t", status="wanted", fingerprint="")]
    found = choose_due(of_team, wanted, user="u", recipe="recipe", now=NOW)
    assert [(one.id, one.seen, one.is_own) for one in found.sources] == [("t", False, False)]
    assert found.unwanted == 1
    forced = choose_due(of_team, wanted, user="u", recipe="recipe", now=NOW, force=True)
    assert [one.id for one in forced.sources] == ["t"], "force redoes what there is, and asks for nothing more"


def test_a_retry_takes_up_what_waits_and_counts_on_where_nothing_has_changed() -> None:
    failed = extraction(status="failed", attempts=3, next_attempt_at=NOW.replace(year=2027))
    assert choose_due([source()], [failed], user="u", recipe="recipe", now=NOW).waiting == 1
    (tried,) = choose_due([source()], [failed], user="u", recipe="recipe", now=NOW, retry=True).sources
    assert (tried.attempts, tried.seen) == (3, True)
    (tried,) = choose_due([source()], [failed], user="u", recipe="another", now=NOW).sources
    assert tried.attempts == 0


def test_a_run_for_some_sources_leaves_the_others_due() -> None:
    found = choose_due([source("s"), source("t")], [], user="u", recipe="recipe", now=NOW, only=["t"])
    assert ([one.id for one in found.sources], found.unasked) == (["t"], 1)


def test_a_teams_source_is_never_marked() -> None:
    sources = [
        source(processing_status="processed"),
        source("t", owner="team-x", processing_status="processed"),
    ]
    made = [extraction(), extraction(source_id="t")]
    found = choose_due(sources, made, user="u", recipe="recipe", now=NOW)
    assert (found.to_mark, found.standing) == (("s",), 2)


def test_a_due_source_says_how_long_it_is() -> None:
    listed = choose_due([source(tokens=7)], [], user="u", recipe="recipe", now=NOW).sources
    assert [one.tokens for one in listed] == [7]
