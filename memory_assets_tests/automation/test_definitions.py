"""The code location loads by itself, opens nothing, and its lineage is the architecture's."""

from __future__ import annotations

import os
import subprocess
import sys

import dagster as dg
import pytest

from memory_assets.definitions import defs
from memory_assets.runtime.partitions import EVERYBODY, PARTITION_TAG

LINEAGE = {
    "raw_sources": ("sources", set()),
    "processed_sources": ("sources", {"raw_sources"}),
    "accesses": ("lifecycle", {"raw_sources"}),
    "agent_records": ("records", {"raw_sources", "accesses"}),
    "curated_memories": ("curation", {"agent_records", "accesses"}),
    "recall_index": ("recall", {"processed_sources"}),
    "extracted_entities": ("entities", {"processed_sources", "accesses"}),
    "notes": ("notes", {"extracted_entities"}),
    "descriptions": ("descriptions", {"accesses", "notes", "statement_validity"}),
    "current_notes": ("descriptions", {"descriptions"}),
    "compressed_contexts": ("compression", {"extracted_entities"}),
    "statement_validity": ("validity", {"extracted_entities"}),
    "storylines": ("hierarchy", {"statement_validity"}),
    "macros": ("hierarchy", {"storylines"}),
    "memory_states": ("lifecycle", {"accesses", "extracted_entities", "storylines", "macros"}),
    "consolidation_plan": ("consolidation", {"accesses", "notes", "memory_states"}),
    "consolidated_memories": ("consolidation", {"consolidation_plan"}),
    "value_classifications": (
        "values",
        {"accesses", "statement_validity", "storylines", "macros", "memory_states", "consolidated_memories"},
    ),
    "memory_draft": ("memory_file", {"value_classifications"}),
    "memory_file": ("memory_file", {"memory_draft"}),
    "heartbeat_file": ("heartbeat", {"heartbeat_tasks", "raw_sources"}),
    "bounded_memory_metrics": ("memory_file", {"memory_file", "heartbeat_file"}),
}
GIVEN = {"heartbeat_tasks": ("heartbeat", set()), "installation": ("installation", set())}
"""What no owner has a partition of: what people add, and the page of all."""
BLOCKING = {
    "draft_is_within_budget",
    "sections_are_within_budget",
    "only_this_users_memories",
    "no_foreign_sources",
    "entries_are_whole_and_explained",
}


def graph() -> dg.AssetGraph:
    return defs.resolve_asset_graph()


def test_the_lineage_is_the_architectures() -> None:
    nodes = {
        key.to_user_string(): (
            graph().get(key).group_name,
            {parent.to_user_string() for parent in graph().get(key).parent_keys},
        )
        for key in graph().get_all_asset_keys()
    }
    assert nodes == LINEAGE | GIVEN


@pytest.mark.parametrize("name", sorted(LINEAGE))
def test_each_asset_is_described_owned_kinded_and_partitioned(name: str) -> None:
    node = graph().get(dg.AssetKey(name))
    assert node.description
    assert node.owners
    assert node.kinds
    assert isinstance(node.partitions_def, dg.DynamicPartitionsDefinition)
    assert node.partitions_def.name == ("owners" if name in ("raw_sources", "processed_sources") else "users")


def test_a_user_follows_from_the_same_user_across_the_two_sets() -> None:
    across = {
        (parent.to_user_string(), key.to_user_string())
        for key in graph().materializable_asset_keys
        for parent in graph().get(key).parent_keys
        if isinstance(graph().get_partition_mapping(key, parent), dg.IdentityPartitionMapping)
        and graph().get(parent).partitions_def != graph().get(key).partitions_def
    }
    assert across == {
        ("processed_sources", "extracted_entities"),
        ("processed_sources", "recall_index"),
        ("raw_sources", "accesses"),
        ("raw_sources", "agent_records"),
        ("raw_sources", "heartbeat_file"),
    }


def test_a_selection_of_all_assets_has_one_root_so_that_a_person_can_pick_a_user_for_them() -> None:
    everything = {key for key in graph().materializable_asset_keys if graph().get(key).is_partitioned}
    roots = [key for key in everything if not graph().get(key).parent_keys & everything]
    assert roots == [dg.AssetKey("raw_sources")]


def test_the_drafts_checks_block_and_every_check_is_described() -> None:
    specs = (
        [spec for checks in defs.resolve_all_asset_checks() for spec in checks.check_specs]
        if hasattr(defs, "resolve_all_asset_checks")
        else [spec for checks in (defs.asset_checks or []) for spec in checks.check_specs]
    )
    assert {spec.name for spec in specs if spec.blocking} >= BLOCKING
    assert all(spec.description for spec in specs)


def test_importing_the_definitions_opens_nothing_and_loads_no_model(tmp_path) -> None:
    program = (
        "import sys, memory_assets.definitions as d; "
        "heavy = {'spacy', 'wordllama', 'openai', 'jpype', 'torch'} & set(sys.modules); "
        "assert not heavy, heavy; "
        "import os; assert not os.path.exists(os.environ['MEMORY_ASSETS_HOME'])"
    )
    environment = os.environ | {"MEMORY_ASSETS_HOME": str(tmp_path / "home"), "NEO4J_URI": "bolt://127.0.0.1:1"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("job", ["build_memory", "update_memory", "open_sources"])
def test_a_job_over_both_sets_is_for_everybody_by_a_tag_that_each_way_to_launch_it_takes(job: str) -> None:
    assert defs.resolve_job_def(job).tags[PARTITION_TAG] == EVERYBODY


@pytest.mark.parametrize(
    ("job", "retires"),
    [
        ("open_sources", "extracted_entities"),
        ("consolidate_memories", "consolidation_plan"),
        ("curate_memories", "curated_memories"),
        ("update_memory", "extracted_entities"),
    ],
)
def test_a_job_that_retires_or_archives_counts_accesses_first(job: str, retires: str) -> None:
    given = defs.resolve_job_def(job).graph.dependencies
    above = {
        one.name: {edge.node for found in inputs.values() for edge in found.get_node_dependencies()}
        for one, inputs in given.items()
    }
    reached, waiting = set(), [retires]
    while waiting:
        reached.add(name := waiting.pop())
        waiting += above[name] - reached
    assert "accesses" in reached
