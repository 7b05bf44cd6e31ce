"""Dagster's resources over what a test has at hand: its graph, its models, its installation."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memory_assets.automation.editing import EditedFilesResource
from memory_assets.clock import Clock
from memory_assets.graph.graph import Graph
from memory_assets.llm.model_client import Models
from memory_assets.llm.opening import open_budget, open_ledger
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings


def given_resources(graph: Graph, language: Any, embedder: Any, clock: Clock) -> dict[str, Any]:
    """The three resources that assets ask for, over the test's own home, without locks between processes."""
    settings = Settings(_env_file=None)
    return resources_of(graph, given_models(settings, language, embedder), settings, clock)


def given_models(settings: Settings, language: Any, embedder: Any) -> Models:
    """A test's models with the installation's ledger and budget; a scripted model writes into the ledger."""
    ledger = open_ledger(settings)
    language.ledger = ledger
    return Models(language, embedder, ledger, open_budget(settings))


def resources_of(graph: Graph, models: Models, settings: Settings, clock: Clock | None = None) -> dict[str, Any]:
    """The resources over these. Classes of this call: Dagster makes instances of its own."""

    class GivenGraph(GraphResource):
        def open(self) -> Graph:
            return graph

    class GivenModels(ModelResource):
        def opened(self) -> Models:
            return models

    given, fixed = settings, clock or settings.clock

    class GivenInstallation(InstallationResource):
        @property
        def settings(self) -> Settings:
            return given

        @property
        def clock(self) -> Clock:
            return fixed

        @contextmanager
        def owner_lock(self, owner: str) -> Iterator[None]:
            yield

    given_all = {"graph": GivenGraph(), "models": GivenModels(), "installation": GivenInstallation()}
    return given_all | {"scope": RunScope.configure_at_launch(), "edited_files": EditedFilesResource()}
