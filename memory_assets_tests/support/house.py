"""A house at work: some owners of the shared graph with a Dagster instance, a home and models of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._core.storage.defs_state.base import set_defs_state_storage
from dagster._core.test_utils import create_run_for_test

from memory_assets.automation.jobs import AUTOMATION_TAG
from memory_assets.automation.pipeline import STEPS
from memory_assets.definitions import build_definitions
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import add_members
from memory_assets.llm.model_client import Models
from memory_assets.llm.opening import open_models
from memory_assets.runtime.chain import read_chain, recipes_of, record_mark
from memory_assets.runtime.marks import Chain, due_steps
from memory_assets.runtime.partitions import EVERYBODY, PARTITION_TAG, owners, partitions_of, users
from memory_assets.runtime.steps import HELD_UP_CHECK
from memory_assets.settings import Settings, ensure_home
from memory_assets.sources.ingest import ingest_paths
from memory_assets_tests.support.fixture_resources import given_models, resources_of
from memory_assets_tests.support.partitions import add_partitions

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LIST_OWNERS = "runtime/list_owners"


class House:
    """Its owners' names have ``name`` in them; nobody else of the graph exists for it."""

    def __init__(
        self,
        graph: Graph,
        home: Path,
        instance: dg.DagsterInstance,
        name: str,
        language: Any = None,
        embedder: Any = None,
    ) -> None:
        self.name, self.instance = name, instance
        self.settings = Settings(_env_file=None, home=home, now=NOW)
        ensure_home(self.settings)
        self.graph = only_owners(graph, name)
        self.models: Models = (
            given_models(self.settings, language, embedder) if language else open_models(self.settings)
        )
        self.resources = resources_of(self.graph, self.models, self.settings)
        self.definitions = build_definitions(**self.resources)

    def travel(self, now: datetime) -> None:
        """Let the house's clock stand at another instant."""
        self.settings = Settings(_env_file=None, home=self.settings.home, now=now)
        self.resources = resources_of(self.graph, self.models, self.settings)
        self.definitions = build_definitions(**self.resources)

    def user(self, name: str) -> str:
        """A user of this house."""
        return f"{name}-{self.name}"

    def team(self, name: str, *members: str) -> str:
        """A team of this house with these members; as an owner."""
        add_members(self.graph, self.settings.clock, f"{name}-{self.name}", list(members))
        return f"team-{name}-{self.name}"

    def write(self, owner: str, name: str, text: str) -> Path:
        """A file in an owner's inbox."""
        path = self.settings.inbox / owner / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def ingest(self, owner: str, name: str, text: str) -> None:
        """A source taken in by hand, from a file that lies in nobody's inbox."""
        path = self.settings.home / "elsewhere" / owner / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        ingest_paths(self.graph, owner, [path], None, self.settings.clock)

    def run(
        self,
        job: str,
        partition: str = EVERYBODY,
        *,
        scope: Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> dg.ExecuteInProcessResult:
        """Run a job in this process; ``config`` is that of raw_sources."""
        add_partitions(self.instance, [EVERYBODY, partition])
        with set_defs_state_storage(None):  # a schedule's context leaves its instance there
            return self.definitions.resolve_job_def(job).execute_in_process(
                instance=self.instance,
                run_config=run_configuration(scope, config),
                tags={**(tags or {}), PARTITION_TAG: partition},
                raise_on_error=False,
            )

    def run_range(
        self, job: str, first: str, last: str, *, scope: Mapping[str, Any] | None = None
    ) -> dg.ExecuteInProcessResult:
        """A range of partitions, as a backfill works through it: a run for each set. The last one."""
        add_partitions(self.instance, [EVERYBODY, first, last])
        tags = {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}
        of_job = [key.path[-1] for key in self.definitions.resolve_job_def(job).asset_layer.executable_asset_keys]
        for partitions in (owners, users):
            chosen = [dg.AssetKey(name) for name in of_job if partitions_of(STEPS[name]) == partitions]
            everything = self.definitions.resolve_implicit_global_asset_job_def()
            done = everything.execute_in_process(
                instance=self.instance,
                asset_selection=chosen,
                run_config=run_configuration(scope, None),
                tags=tags,
                raise_on_error=False,
            )
        return done

    def run_at_work(self, status: dg.DagsterRunStatus, **tags: str) -> dg.DagsterRun:
        """A run as Dagster knows it from its beginning to its end, driven by this process."""
        location = RegisteredCodeLocationOrigin("memory_assets.definitions")
        origin = RemoteJobOrigin(RemoteRepositoryOrigin(location, "__repository__"), "update_memory")
        return create_run_for_test(self.instance, tags=tags, status=status, remote_job_origin=origin)

    def request(self, request: dg.RunRequest, job: str) -> dg.ExecuteInProcessResult:
        """Execute what a schedule or sensor has asked for."""
        assert request.partition_key == EVERYBODY and AUTOMATION_TAG in request.tags
        scope = request.run_config.get("resources", {}).get("scope", {}).get("config")
        config = request.run_config.get("ops", {}).get("raw_sources", {}).get("config")
        return self.run(job, request.partition_key, scope=scope, config=config, tags=request.tags)

    def chain(self, *owners: str) -> Chain:
        """The marks of these owners as they stand."""
        return read_chain(self.graph, STEPS, recipes_of(STEPS, self.models), owners, self.settings.clock.now())

    def due(self, owner: str, steps: Iterable[str] = tuple(STEPS)) -> list[str]:
        """What is due for an owner."""
        return due_steps(self.chain(owner), owner, steps)

    def made(self, owner: str, *steps: str) -> None:
        """Say that these steps were made from what stands, by whatever stands in the graph."""
        for step in steps:
            expected = self.chain(owner).expected(owner, step)
            record_mark(self.graph, self.settings, owner, step, expected)

    def file(self, user: str) -> Path:
        """Where a user's file is published."""
        return self.settings.memory_file(user)

    def asked(self, since: int = 0) -> Counter[tuple[str, str]]:
        """Who was asked about and for which asset, by the ledger, in calls after ``since``; no embeddings."""
        with self.models.ledger._reading() as connection:
            rows = connection.execute(
                "SELECT asset, user, COUNT(*) FROM calls WHERE id > ? AND task != 'embed' GROUP BY asset, user",
                (since,),
            ).fetchall()
        return Counter({(asset, user): calls for asset, user, calls in rows})


def run_configuration(scope: Mapping[str, Any] | None, config: Mapping[str, Any] | None) -> dict[str, Any]:
    """A run's configuration as the launchpad has it: its scope, and what raw_sources alone takes."""
    given = {"resources": {"scope": {"config": dict(scope or {})}}}
    return given | ({"ops": {"raw_sources": {"config": dict(config)}}} if config else {})


def only_owners(graph: Graph, name: str) -> Graph:
    """The same graph, in which only owners with ``name`` in their name are known: tests share one."""
    query = graph._queries[LIST_OWNERS]
    narrowed = query.text.replace(
        "RETURN DISTINCT user_id", f"WITH user_id WHERE user_id CONTAINS '{name}'\nRETURN DISTINCT user_id"
    )
    assert narrowed != query.text
    return Graph(graph._connection, {**graph._queries, LIST_OWNERS: replace(query, text=narrowed)})


def materialized(result: dg.ExecuteInProcessResult, asset: str) -> list[str | None]:
    """The partitions of an asset that a run has materialized, sorted."""
    found = [
        event.partition for event in result.get_asset_materialization_events() if event.asset_key == dg.AssetKey(asset)
    ]
    return sorted(found, key=str)


def verdicts(result: dg.ExecuteInProcessResult, check: str = HELD_UP_CHECK) -> dict[str, dg.AssetCheckEvaluation]:
    """A check's evaluations in a run, by asset: one each."""
    found = [one for one in result.get_asset_check_evaluations() if one.check_name == check]
    by_asset = {one.asset_key.to_user_string(): one for one in found}
    assert len(by_asset) == len(found), "one evaluation judges all owners"
    return by_asset


def values_of(evaluation: dg.AssetCheckEvaluation) -> dict[str, Any]:
    """An evaluation's metadata as plain values."""
    return {name: value.value for name, value in evaluation.metadata.items()}


def in_partitions(names: Sequence[str]) -> list[str]:
    """What a run for everybody materializes when it worked for ``names``: these, and the summary."""
    return sorted([*names, EVERYBODY])
