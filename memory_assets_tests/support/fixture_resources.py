"""Dagster's resources over what a test has at hand: its graph, its models, its clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg

from memory_assets.clock import Clock
from memory_assets.graph.graph import Graph
from memory_assets.resources import GraphResource, InstallationResource, ModelResource


def given_resources(graph: Graph, language: Any, embedder: Any, clock: Clock) -> dict[str, Any]:
    """The three resources that assets ask for. Classes of this call: Dagster makes instances of its own."""

    class GivenGraph(GraphResource):
        def open(self) -> Graph:
            return graph

    class GivenModels(ModelResource):
        def setup_for_execution(self, context: dg.InitResourceContext) -> None:
            """They are there already."""

        def language(self) -> Any:
            return language

        def embedder(self) -> Any:
            return embedder

    fixed = clock

    class GivenInstallation(InstallationResource):
        @property
        def clock(self) -> Clock:
            return fixed

        @contextmanager
        def owner_lock(self, owner: str) -> Iterator[None]:
            yield

    return {"graph": GivenGraph(), "models": GivenModels(), "installation": GivenInstallation()}
