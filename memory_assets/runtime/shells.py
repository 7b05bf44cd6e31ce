"""The shell of every asset that does one thing for an owner: what a run gives its work, and the work as an asset.

Without ``from __future__ import annotations``: Dagster reads the types of a shell's parameters as they are.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import dagster as dg

from memory_assets.runtime.marks import Step
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.steps import Done, Result, Run, asset_options, work_through

Work = Callable[[Run, str], Done]


def step_asset(
    step: Step,
    *,
    before: Callable[[Run, str], None] | None = None,
    news: Callable[[Run, list[str]], Iterable[str]] | None = None,
    **options: Any,
) -> Callable[[Work], dg.AssetsDefinition]:
    """The decorator that makes a step's asset of its work for one owner; the docstring is what the asset's page says.

    ``before`` and ``news`` are :func:`work_through`'s, ``options`` those of :func:`asset_options`.
    """

    def decorate(work: Work) -> dg.AssetsDefinition:
        def shell(
            context: dg.AssetExecutionContext,
            scope: RunScope,
            graph: GraphResource,
            models: ModelResource,
            installation: InstallationResource,
        ) -> Iterator[Result]:
            run = Run(context, step, scope, graph, models, installation)
            yield from work_through(
                run,
                partial(work, run),
                before=partial(before, run) if before else None,
                news=partial(news, run) if news else None,
            )

        shell.__doc__ = work.__doc__
        return dg.asset(**asset_options(step, **options))(shell)

    return decorate
