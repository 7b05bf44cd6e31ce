"""Dagster's handles on everything outside (the graph, the models, the installation), and the scope of a run.

All of it comes from the settings, so that nothing sensitive is in a launchpad, a run's configuration or an event log.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import PrivateAttr

from memory_assets.clock import Clock
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.llm.model_client import Embedder, LanguageModel, Models
from memory_assets.llm.opening import open_models
from memory_assets.presentation.reports import spent
from memory_assets.runtime.owners import owner_lock
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings, load_settings


@cache
def _settings() -> Settings:
    return load_settings()


@cache
def _graph() -> Graph:
    return open_graph(_settings())


class GraphResource(dg.ConfigurableResource):
    """The one graph of this installation: Neo4j where ``NEO4J_URI`` is set, else the embedded engine."""

    def open(self) -> Graph:
        """A connected graph; one per process, started on demand."""
        return _graph()


class ModelResource(dg.ConfigurableResource):
    """The language model and the embedder that the settings choose; a run's budget is theirs together."""

    _models: Models | None = PrivateAttr(default=None)
    _run: str = PrivateAttr(default="")

    def setup_for_execution(self, context: dg.InitResourceContext) -> None:
        """A new run, a new budget."""
        self._models = None
        self._run = context.run.run_id if context.run else ""

    def language(self, asset: str = "") -> LanguageModel:
        """The language model that ``asset`` asks in this run; the one for everything else when none is named."""
        return self.opened().language_for(asset)

    def embedder(self) -> Embedder:
        """The embedder of this run."""
        return self.opened().embedder

    def opened(self) -> Models:
        """Both, with the ledger and the budget that they share."""
        if self._models is None:
            self._models = open_models(_settings(), self._run)
        return self._models

    def meter(self, asset: str, owner: str) -> Callable[[], dict[str, Any]]:
        """From now on, what ``asset`` asks the models for ``owner``: call the result for tokens and money."""
        ledger = self.opened().ledger
        began = ledger.last_call()
        return lambda: spent(ledger.totals(asset, owner, began))


class InstallationResource(dg.ConfigurableResource):
    """Where this installation keeps its files, what time it is, and who may write for an owner."""

    @property
    def settings(self) -> Settings:
        """The installation's settings."""
        return _settings()

    @property
    def clock(self) -> Clock:
        """The one clock."""
        return _settings().clock

    @contextmanager
    def owner_lock(self, owner: str) -> Iterator[None]:
        """Hold the right to write an owner's derived state."""
        with owner_lock(_settings(), owner):
            yield


def resources() -> dict[str, object]:
    """The resources under the names that the assets ask for."""
    scope = RunScope.configure_at_launch()
    return {"graph": GraphResource(), "models": ModelResource(), "installation": InstallationResource(), "scope": scope}


Entries = Sequence[Mapping[str, Any]]
"""What a draft has, line by line."""


class EditedFiles(dg.ConfigurableResource):
    """What people have written into published files, for the steps that take it in before they make anything anew."""

    @abstractmethod
    def find(self, graph: Graph, owners: list[str]) -> list[str]:
        """Those of ``owners`` who have a MEMORY.md that somebody has changed."""

    @abstractmethod
    def take_in(self, graph: Graph, installation: InstallationResource, owner: str, kind: str) -> list[str]:
        """Take in every edit of the owner's files of a kind; a sentence about each file that was edited."""

    @abstractmethod
    def taken_in(self, graph: Graph, installation: InstallationResource, owner: str, kind: str) -> set[str]:
        """The digests of these files' texts, of those all of whose words are in the graph."""

    @abstractmethod
    def check(self, graph: Graph, installation: InstallationResource, owner: str, path: Path, entries: Entries) -> None:
        """Raise :class:`~memory_assets.runtime.edited_files.EditedError` where a draft of ``entries`` does not answer
        all that a MEMORY.md was given.
        """

    @abstractmethod
    def conflicts(self, graph: Graph, owner: str, kind: str) -> list[dict[str, str]]:
        """What edits and the graph don't agree on, with both texts."""
