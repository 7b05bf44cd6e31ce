"""The shells of extraction, storylines and macros, with their checks, as Dagster runs them."""

from __future__ import annotations

from datetime import UTC, datetime

import dagster as dg
import pytest

from memory_assets.clock import Clock
from memory_assets.curation.checks import no_railed_memory_is_retired
from memory_assets.entities import checks as entity_checks
from memory_assets.entities.assets import extracted_entities
from memory_assets.graph.graph import Graph
from memory_assets.hierarchy import checks as hierarchy_checks
from memory_assets.hierarchy.assets import macros, storylines
from memory_assets_tests.hierarchy.test_promotion import MOORING, SAILS, script, seed
from memory_assets_tests.support.fixture_resources import given_resources
from memory_assets_tests.support.partitions import add_known
from memory_assets_tests.support.scripted_models import HashEmbedder, ScriptedModel

pytestmark = pytest.mark.graph
CLOCK = Clock(datetime(2026, 12, 1, 9, tzinfo=UTC))
CHECKS = [
    entity_checks.every_statement_has_a_source,
    entity_checks.memories_stay_with_their_owner,
    entity_checks.no_extraction_failed,
    hierarchy_checks.storylines_meet_the_counters,
    hierarchy_checks.macros_meet_the_counters,
    hierarchy_checks.storylines_follow_from_statements,
    hierarchy_checks.macros_follow_from_statements,
    no_railed_memory_is_retired,
]


def run(graph: Graph, owner: str) -> dg.ExecuteInProcessResult:
    instance = dg.DagsterInstance.ephemeral()
    add_known(instance, [owner])
    result = dg.materialize(
        [extracted_entities, storylines, macros, *CHECKS],
        partition_key=owner,
        instance=instance,
        resources=given_resources(graph, ScriptedModel(script), HashEmbedder(), CLOCK),
    )
    assert isinstance(result, dg.ExecuteInProcessResult)
    return result


def test_a_users_run_reports_what_it_did_and_passes_its_checks(graph: Graph, user: str) -> None:
    seed(graph, user, SAILS + MOORING)
    result = run(graph, user)
    assert result.success
    found = {event.step_key: event.materialization.metadata for event in result.get_asset_materialization_events()}
    assert found["extracted_entities"]["extracted"].value == 10
    assert found["extracted_entities"]["tokens_in"].value == 100
    assert "| Boat | concept | 10 | 10 |" in str(found["extracted_entities"]["most_mentioned"].value)
    assert found["storylines"]["named"].value == 2
    assert "| Boat 5, 1 to 5 January 2026 | Boat | 5 | 5 | 2026-01-01 | 2026-01-05 |" in str(
        found["storylines"]["largest"].value
    )
    assert found["macros"]["named"].value == 1
    evaluations = result.get_asset_check_evaluations()
    assert len(evaluations) == len(CHECKS) + len(found)  # each asset has one of its own
    assert [evaluation.check_name for evaluation in evaluations if not evaluation.passed] == []


def test_a_team_has_no_partition_of_what_users_alone_have(graph: Graph, user: str) -> None:
    with pytest.raises(dg.DagsterUnknownPartitionError, match=f"team-{user}"):
        run(graph, f"team-{user}")
