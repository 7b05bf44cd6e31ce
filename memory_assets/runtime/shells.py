"""The shell of every asset that does one thing for an owner: what a run gives its work, and the work as an asset.

Without ``from __future__ import annotations``: Dagster reads the types of a shell's parameters as they are.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import dagster as dg

from memory_assets.clock import Clock
from memory_assets.graph.graph import Graph
from memory_assets.llm.model_client import Embedder, LanguageModel
from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import Done, Result, asset_options, work_through
from memory_assets.settings import Settings


@dataclass(frozen=True)
class Run:
    """What a step's work for one owner is given: where it reads and writes, whom it asks, and what the run is for."""

    step: Step
    scope: RunScope
    resource: GraphResource
    models: ModelResource
    installation: InstallationResource
    log: Callable[[str], None]

    @property
    def graph(self) -> Graph:
        """The one graph, connected."""
        return self.resource.open()

    @property
    def language(self) -> LanguageModel:
        """The language model that the step asks."""
        return self.models.language(self.step.name)

    @property
    def embedder(self) -> Embedder:
        """The embedder of the run."""
        return self.models.embedder()

    @property
    def settings(self) -> Settings:
        """The installation's settings."""
        return self.installation.settings

    @property
    def clock(self) -> Clock:
        """The one clock."""
        return self.installation.clock

    def now(self) -> datetime:
        """The present instant."""
        return self.clock.now()


Work = Callable[[Run, str], Done]


def step_asset(
    step: Step,
    *,
    group: str,
    kinds: set[str],
    code_version: str,
    freshness: dg.FreshnessPolicy | None = None,
    before: Callable[[Run, str], None] | None = None,
    news: Callable[[Run, list[str]], Iterable[str]] | None = None,
) -> Callable[[Work], dg.AssetsDefinition]:
    """The decorator that makes a step's asset of its work for one owner; the docstring is what the asset's page says.

    ``before`` and ``news`` are :func:`work_through`'s.
    """
    options = asset_options(step, group=group, kinds=kinds, code_version=code_version, freshness=freshness)

    def decorate(work: Work) -> dg.AssetsDefinition:
        def shell(
            context: dg.AssetExecutionContext,
            scope: RunScope,
            graph: GraphResource,
            models: ModelResource,
            installation: InstallationResource,
        ) -> Iterator[Result]:
            run = Run(step, scope, graph, models, installation, context.log.info)
            yield from work_through(
                context,
                step,
                scope,
                graph,
                models,
                installation,
                partial(work, run),
                before=partial(before, run) if before else None,
                news=partial(news, run) if news else None,
            )

        shell.__doc__ = work.__doc__
        return dg.asset(**options)(shell)

    return decorate
