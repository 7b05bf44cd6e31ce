"""One way for every asset to work through its owners: who is due, one at a time, what became of each.

In a run for ``EVERYBODY`` each step asks the marks for whom it is due. An owner who fails holds up no other: the
mark does not move, so that what follows is not due, and the check ``no_owner_was_held_up`` names the owner. A run for
one owner alone fails with the owner.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import dagster as dg

from memory_assets.clock import Clock
from memory_assets.errors import GraphUnavailableError, MemoryAssetsError, ModelServiceError, OwnerNameError
from memory_assets.graph.graph import Graph
from memory_assets.llm.model_client import Embedder, LanguageModel
from memory_assets.model import is_team
from memory_assets.presentation.reports import summarise
from memory_assets.runtime import events
from memory_assets.runtime.chain import read_chain, recipes_of, record_mark
from memory_assets.runtime.held_up import HELD_UP_CHECK, held_up_owners, report_held_up
from memory_assets.runtime.instance import remove_owners
from memory_assets.runtime.marks import BEGUN, Chain, Step, begun, current_but, current_until, left_unfinished
from memory_assets.runtime.owners import check_known, everybody, known_names
from memory_assets.runtime.partitions import EVERYBODY, backfill_policy, partitions_of, partitions_of_run
from memory_assets.runtime.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings

NOT_OF_TEAMS = "A team has none of its own: its members have."
NO_ONE_HELD_UP = "Every owner got what was due; those who failed are named here, and due again, until it was made."
# Errors that every owner would meet, so that going on with the next one would only repeat them.
FOR_EVERYBODY = (GraphUnavailableError, ModelServiceError)

Result: TypeAlias = dg.AssetMaterialization | dg.MaterializeResult | dg.AssetCheckResult
"""What an asset yields: of each owner of a run for several, or of the one of its own; and who was held up."""


@dataclass(frozen=True)
class Done:
    """What a step did for one owner: what a person wants to see of it, and what it had to leave."""

    metadata: Mapping[str, Any] = field(default_factory=dict)
    problems: Sequence[str] = ()
    """What is left and can be done by the next run: the step stays due."""
    failed: Sequence[str] = ()
    """What failed this time and is left alone until something changes, or until ``changes_at``."""
    set_aside: Sequence[str] = ()
    """The ids of all that is left alone so, since whenever: not due for the step; what follows learns of changes."""
    unasked: Sequence[str] = ()
    """What was left because the run was for something else or had done enough: still due, and no cause for an alert."""
    changes_at: datetime | None = None
    """When time alone makes something else of it."""
    unchanged: bool = False
    """It was not made anew, so that ``changes_at`` is as it was."""
    notes: Sequence[str] = ()
    """What a person should know although nothing is left to do."""


def asset_options(
    step: Step, *, group: str, kinds: set[str], code_version: str, freshness: dg.FreshnessPolicy | None = None
) -> dict[str, Any]:
    """What every asset has in common: its place in the chain, its owners' partitions, its promise of freshness.

    Where nothing is due no run is started, and the schedule keeps the promise with a materialization without a run.
    """
    return {
        "name": step.name,
        "deps": [
            # A user's follows from the same user's above, whichever set that is in; marks know what follows from teams.
            dg.AssetDep(above, partition_mapping=None if above in step.unpartitioned else dg.IdentityPartitionMapping())
            for above in (*step.upstream, *step.after)
        ],
        "partitions_def": partitions_of(step),
        "backfill_policy": backfill_policy,
        "group_name": group,
        "owners": ["team:memory"],
        "kinds": kinds,
        "code_version": code_version,
        "output_required": False,
        "check_specs": [dg.AssetCheckSpec(HELD_UP_CHECK, asset=step.name, description=NO_ONE_HELD_UP)],
        "freshness_policy": freshness,
    }


DAILY = dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=50), warn_window=timedelta(hours=26))
WEEKLY = dg.FreshnessPolicy.time_window(fail_window=timedelta(days=15), warn_window=timedelta(days=8))
"""What is promised of what comes by schedule: a day's (a week's) cadence, missed once a warning, twice a failure."""


@dataclass(frozen=True)
class Run:
    """What a step's work for one owner is given: where it reads and writes, whom it asks, and what the run is for."""

    context: dg.AssetExecutionContext
    step: Step
    scope: RunScope
    resource: GraphResource
    models: ModelResource
    installation: InstallationResource

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

    def log(self, message: str) -> None:
        """A word of progress."""
        self.context.log.info(message)


def work_through(
    run: Run,
    work: Callable[[str], Done],
    *,
    before: Callable[[str], None] | None = None,
    again: bool = False,
    new: str | None = None,
    news: Callable[[list[str]], Iterable[str]] | None = None,
) -> Iterator[Result]:
    """Call ``work`` for each owner of the run for whom this asset is due, and report.

    A run for one partition works in any case; else the marks decide, unless ``scope.force``, or ``again`` where a
    step has a force of its own. ``before`` is called with the owner before it is noted what the work is made from.
    ``new`` names an owner who may begin with this run. ``news`` finds, among some owners, those for whom something
    has changed that no mark knows of: files.
    """
    yield from _StepRun(run, work, before, again, new, news).through()


@dataclass
class _StepRun:
    """One asset's part in a run."""

    _run: Run
    _work: Callable[[str], Done]
    _before: Callable[[str], None] | None
    _again: bool
    _new: str | None
    _news: Callable[[list[str]], Iterable[str]] | None

    def __post_init__(self) -> None:
        self._context, self._step, self._graph = self._run.context, self._run.step, self._run.graph
        self._scope = self._run.scope.applied_to(self._step)
        self._recipes = recipes_of({self._step.name: self._step}, self._run.models.opened())
        self._partitions = [key for key in partitions_of_run(self._context) if key != EVERYBODY]
        self._alone = len(self._partitions) == 1
        self._done: dict[str, Mapping[str, Any]] = {}
        self._held_up: dict[str, Exception] = {}
        self._ended_by: Exception | None = None

    def through(self) -> Iterator[Result]:
        """Work through the owners, and say what there is of all of it and who is held up."""
        yield from self._work_through()
        if self._ended_by is None:
            yield from self._materialization()
        if self._ended_by is None or self._held_up:
            yield report_held_up(
                self._context, self._step.name, self._held_up, self._done, self._run.now(), alone=self._alone
            )
        if self._ended_by is not None:
            raise self._ended_by

    def _work_through(self) -> Iterator[dg.AssetMaterialization]:
        """A run for several reports each owner as soon as it is done, whatever ends the run later."""
        owners, current = self._owners()
        events.tag_owners(self._context, owners)
        for owner in current:
            as_it_was = events.found_current(self._context.instance, self._step.name, owner, self._run.now())
            if len(as_it_was) > 1 or not self._partitions:  # of whom nothing was ever made, nothing is said
                yield self._event(owner, as_it_was)
        for number, owner in enumerate(owners, start=1):
            try:
                self._done[owner] = self._one(owner)
            except Exception as error:
                if self._alone or not isinstance(error, FOR_EVERYBODY):
                    self._hold_up(owner, error)
                if self._alone or isinstance(error, FOR_EVERYBODY):
                    self._ended_by = error
                    return
            else:
                if not self._alone:
                    yield self._event(owner, self._done[owner])
            if len(owners) > 20 and number % 20 == 0:
                self._context.log.info(f"{number} of {len(owners)} owners done")

    def _owners(self) -> tuple[list[str], list[str]]:
        """The owners to work for, teams first; and those of whom the run reports that all is current: asked for by a
        partition, or held up before.
        """
        asked = self._partitions or self._scope.owners
        self._refuse_strangers(asked)
        chosen = list(asked) or everybody(self._context.instance, self._graph, self._run.settings)
        if self._partitions and self._scope.owners:
            chosen = [name for name in chosen if name in set(self._scope.owners)]
        chosen.sort(key=lambda name: (not is_team(name), name))
        teams = [name for name in chosen if is_team(name)]
        if teams and self._partitions and not self._step.of_teams:
            self._context.log.info(f"{', '.join(teams)}: {NOT_OF_TEAMS}")
        mine = [name for name in chosen if self._step.of_teams or not is_team(name)]
        more = self._again or self._scope.asks_for_more()
        if self._alone or more or not mine:
            return mine, []
        due = self._due(mine, bool(asked))
        shows = mine if self._partitions else held_up_owners(self._context.instance, self._step.name)
        return due, [name for name in mine if name in shows and name not in set(due)]

    def _refuse_strangers(self, asked: Sequence[str]) -> None:
        """A partition can be added by hand in the UI under any name: it goes again, and nothing is made for it."""
        settings = self._run.settings
        try:
            check_known(self._graph, settings, [name for name in asked if name != self._new])
        except OwnerNameError:
            remove_owners(self._context.instance, set(asked) - known_names(self._graph, settings))
            raise

    def _due(self, owners: list[str], asked: bool) -> list[str]:
        if not self._step.upstream and asked and len(owners) == 1:
            return owners  # who is named alone may have been given paths
        chain = self._chain(owners)
        due = {owner for owner in owners if chain.is_due(owner, self._step.name)}
        due |= set(self._news(owners)) if self._news else set()
        if self._step.for_everybody:  # without a source or a task there is nothing to do, and the page shall say so
            due |= set(owners) - self._context.instance.get_materialized_partitions(self._context.asset_key)
        return [owner for owner in owners if owner in due]

    def _chain(self, owners: list[str]) -> Chain:
        return read_chain(self._graph, {self._step.name: self._step}, self._recipes, owners, self._run.now())

    def _one(self, owner: str) -> Mapping[str, Any]:
        """The work for one owner, its mark, and what it cost."""
        began = time.monotonic()
        spent = self._run.models.meter(self._step.name, owner)
        if not self._step.upstream:
            done = self._work(owner)  # whose writes merge by content: nobody has to wait
        else:
            with self._run.installation.owner_lock(owner):
                done = self._derive(owner)
        cost = spent() if self._step.asks_models else {}
        metadata = {**done.metadata, **cost, events.SECONDS: round(time.monotonic() - began, 2)}
        whose = "" if self._alone else f"{owner}: "
        for note in done.notes:
            self._context.log.warning(whose + note)
        return events.shown(metadata) | events.tell_unfinished(self._context, [*done.problems, *done.failed], whose)

    def _derive(self, owner: str) -> Done:
        """The work, and the mark of what it was made from as that was when it began."""
        if self._before is not None:
            self._before(owner)
        chain, name = self._chain([owner]), self._step.name
        before, expected = chain.mark(owner, name), chain.expected(owner, name)
        replacing = before
        if before is not None and before != expected and (chain.is_due(owner, name) or self._scope.asks_for_more()):
            replacing = begun(before)
        if replacing is not None and replacing != before:
            # A step writes batch by batch: one that is stopped on the way leaves some of each recipe.
            record_mark(self._graph, self._run.settings, owner, name, replacing)
        done = self._work(owner)
        if left := [*done.problems, *done.unasked, *self._scope.window()]:
            mark = left_unfinished(expected, [*left, *done.set_aside])
        elif done.set_aside:
            mark = current_but(expected, done.set_aside, done.changes_at)
        elif done.unchanged and before and before.removesuffix(BEGUN).startswith(f"{expected}.~"):
            mark = before.removesuffix(BEGUN)
        else:
            mark = current_until(expected, done.changes_at) if done.changes_at else expected
        if not self._step.by_news and (replacing != before or mark != before):
            record_mark(self._graph, self._run.settings, owner, name, mark)
        return done

    def _hold_up(self, owner: str, error: Exception) -> None:
        self._held_up[owner] = error
        self._context.log.error(f"{owner}: {error}")
        if not isinstance(error, MemoryAssetsError):
            self._context.log.debug("".join(traceback.format_exception(error)))

    def _event(self, owner: str, metadata: Mapping[str, Any]) -> dg.AssetMaterialization:
        """The materialization of one owner's partition in a run for several, with what it was made from."""
        mark, *upstream = self._versions(owner)
        versions = dict(zip(self._step.upstream, upstream, strict=True))
        tags = events.provenance(self._context, owner, mark, versions) | events.only_after(self._step.after)
        return dg.AssetMaterialization(self._context.asset_key, partition=owner, metadata=dict(metadata), tags=tags)

    def _versions(self, owner: str) -> list[str]:
        """The marks of this asset and of those upstream: what Dagster calls data versions."""
        chain = self._chain([owner])
        return [chain.mark(owner, name) or "none" for name in (self._step.name, *self._step.upstream)]

    def _materialization(self) -> Iterator[dg.MaterializeResult]:
        if not self._partitions:
            held_up = {owner: str(error) for owner, error in self._held_up.items()}
            summary = events.shown(summarise(self._done, held_up))
            if not self._done and not self._held_up:
                summary |= events.found_current(self._context.instance, self._step.name, EVERYBODY, self._run.now())
            yield dg.MaterializeResult(metadata=summary)
            return
        if not self._step.of_teams and all(is_team(name) for name in self._partitions):
            return  # nothing of theirs: what follows is skipped
        if self._alone:
            for owner, metadata in self._done.items():  # none, where the configuration names others
                version = dg.DataVersion(self._versions(owner)[0])
                tags = events.only_after(self._step.after)
                yield dg.MaterializeResult(metadata=dict(metadata), data_version=version, tags=tags)
            return
        yield events.without_event()
