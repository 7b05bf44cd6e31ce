"""What statement_validity shows, and what its check says."""

from __future__ import annotations

from datetime import timedelta

import dagster as dg
import pytest

from memory_assets.settings import Settings
from memory_assets.validity.assets import statement_validity
from memory_assets.validity.checks import contradictions_are_resolved
from memory_assets_tests.memory_file.world import World
from memory_assets_tests.support.partitions import add_partitions
from memory_assets_tests.validity.test_judging import say

pytestmark = pytest.mark.graph


def materialize(world: World) -> tuple[dict[str, object], list[dg.AssetCheckEvaluation]]:
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, [world.user])
        done = dg.materialize(
            [statement_validity, contradictions_are_resolved],
            partition_key=world.user,
            resources=world.resources(),
            instance=instance,
        )
        (made,) = done.asset_materializations_for_node("statement_validity")
        shown = {name: value.value for name, value in made.metadata.items()}
        return shown, done.get_asset_check_evaluations()


def test_its_page_shows_what_is_new_what_changed_and_what_is_disputed(world: World) -> None:
    say(world, "I live in Boston.", 1)
    say(world, "I moved from Boston to Denver.", 30)
    say(world, "I am allergic to nuts.", 2)
    say(world, "I am not allergic to nuts.", 3)
    shown, checks = materialize(world)
    assert (shown["statements"], shown["wholly"], shown["contradictions"]) == (4, 1, 1)
    assert "I live in Boston." in str(shown["changes"]) and "negation" in str(shown["open_contradictions"])
    assert "I am allergic to nuts." in str(shown["new_statements"])
    assert [one.passed for one in checks if one.check_name == "contradictions_are_resolved"] == [True]
    first = world.now
    for days, is_early in ((30, True), (31, False)):
        world.settings = Settings(_env_file=None, home=world.settings.home, now=first + timedelta(days=days))
        shown, checks = materialize(world)
        passed = [one.passed for one in checks if one.check_name == "contradictions_are_resolved"]
        assert passed == [is_early], "a day too early, or a day after"
    assert (shown["statements"], shown["wholly"], shown["contradictions"]) == (0, 1, 1), (
        "what there is, though nothing is new"
    )
    assert shown["note"] == "no statement is new since the last run" and "new_statements" not in shown
    (late,) = [one for one in checks if one.check_name == "contradictions_are_resolved"]
    assert not late.passed and late.severity is dg.AssetCheckSeverity.WARN
    assert "nuts" not in str(late.metadata), "an alert never says what somebody's memory does"
