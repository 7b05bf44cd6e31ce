"""How an installation is, from its facts: pure."""

import pytest

from memory_assets.automation.installation import WELL, Facts, describe, owner_row

NORA = owner_row("nora", 4, 0, 1, "2026-11-20T12:00:00Z")
TEAM = owner_row("team-garden", 2)
SOURCES = {"processed": 5, "failed": 1}


def check(asset: str, name: str, failed_for: str, found: int) -> dict[str, object]:
    return {"asset": asset, "check": name, "failed_for": failed_for, "found": found, "what_to_do": "confirm them"}


HELD = check("notes", "no_owner_was_held_up", "nora", 1)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (Facts(), "Nobody is here yet"),
        (Facts([NORA, TEAM]), WELL),
        (
            Facts([owner_row("nora", 4, 2, 1, due="notes is due: it was never made.")]),
            "1 owner with something to do, 2 files set aside",
        ),
        (Facts([owner_row("nora", 4, 1, 1)], [HELD, HELD]), "2 checks failing, 1 file set aside"),
        (Facts([NORA], [HELD]), "1 check failing"),
    ],
)
def test_how_it_is_in_a_sentence(facts: Facts, said: str) -> None:
    assert describe(facts)["how_is_it"].startswith(said)


def test_counts_are_over_all_owners_and_the_table_has_each() -> None:
    page = describe(Facts([NORA, TEAM], sources=SOURCES, calls=7, usd=0.25, last_run_usd=0.05, budget_usd=1.0))
    assert (page["users"], page["teams"], page["sources"], page["published_files"]) == (1, 1, 6, 1)
    assert "nora" in page["by_owner"] and "team-garden" in page["by_owner"]
    assert (page["cost_so_far_usd"], page["budget"]) == (
        0.25,
        "0.0500 USD by the last run that asked a model; a run may spend 1",
    )


def test_what_nights_cost_is_shown_beside_what_the_specification_expects() -> None:
    spent = [
        {"day": "2026-11-19", "asset": "notes", "usd": 0.006},
        {"day": "2026-11-20", "asset": "notes", "usd": 0.002},
        {"day": "2026-11-20", "asset": "descriptions", "usd": 0.004},
    ]
    page = describe(Facts([NORA, owner_row("ben"), TEAM], spent=spent))
    expected = (
        "0.0120 USD for 2 users, 0.0040 of it for descriptions: 2.00 USD a month for 1,000 such users, where 9.60 are "
        "expected"
    )
    assert page["cost_of_30_days"] == expected
    assert page["cost_by_day"].index("2026-11-20 | 0.006 | 0.004") < page["cost_by_day"].index(
        "2026-11-19 | 0.006 | 0 "
    )
    assert page["cost_by_asset"].index("notes | 0.008") < page["cost_by_asset"].index("descriptions | 0.004")
    assert "cost_of_30_days" not in describe(Facts([NORA], calls=7))


def test_the_state_is_another_one_when_anything_is() -> None:
    facts = Facts([NORA])
    assert facts.state() == Facts([NORA]).state()
    assert len({one.state() for one in (facts, Facts([TEAM]), Facts([NORA], [HELD]), Facts([NORA], usd=0.1))}) == 4


def test_who_is_held_up_and_which_edits_are_open_are_read_off_the_failing_checks() -> None:
    edits = check("memory_file", "edits_are_taken_in", "nora", 3)
    tasks = check("heartbeat_file", "task_edits_are_taken_in", "nora", 2)
    page = describe(Facts([NORA], [HELD, check("macros", "no_owner_was_held_up", "ben, nora", 1), edits, tasks]))
    assert (page["owners_held_up"], page["open_edits"], page["failing_checks"]) == ("ben, nora", 5, 4)
    well = describe(Facts([NORA]))
    assert (well["owners_held_up"], well["open_edits"], well["in_the_way"]) == ("nobody", 0, "nothing")
