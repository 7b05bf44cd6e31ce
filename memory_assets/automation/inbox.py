"""The sensor on the inbox: a file dropped into ``HOME/inbox/<owner>/`` needs no further hand.

Every tick looks at the stamps of all files; only for inboxes that changed since they were known to be read, the
graph is asked. What an inbox holds is taken for read only after it was found in the graph, so that no killed run
loses a file.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import dagster as dg

from memory_assets.automation.inbox_state import (
    PAUSES,
    InboxState,
    choose_doubtful,
    decide_group,
    dump_state,
    in_turn,
    load_state,
    run_key,
    without_the_gone,
)
from memory_assets.automation.jobs import AUTOMATION_TAG, OWNERS, request_run, settled_inboxes, still_at_work
from memory_assets.automation.pipeline import what_is_due
from memory_assets.errors import GraphUnavailableError, MemoryAssetsError
from memory_assets.graph.graph import Graph
from memory_assets.model import can_own, fingerprint, is_team
from memory_assets.presentation.reports import some
from memory_assets.runtime.chain import members_of
from memory_assets.runtime.instance import add_owners, have_partitions
from memory_assets.runtime.owners import everybody
from memory_assets.runtime.resources import GraphResource, InstallationResource
from memory_assets.sources.disk_files import printable, reason_of
from memory_assets.sources.seen_files import INBOX_SETTLE_SECONDS, has_new_files, look_at

NAME = "inbox"
INTERVAL_SECONDS = 15
# A tick has 60 seconds before Dagster gives it up, and all that it learned is lost then.
LOOK_SECONDS = 20.0
# Touched files are compared by their bytes, so many within a tick; a run compares the rest.
COMPARE_BYTES = 256 << 20
DIGEST_SIZE = 16  # 64 bits: the cursor holds one for each owner for whom a run was asked
FOLLOWS = (
    *("processed_sources", "agent_records", "extracted_entities", "statement_validity", "notes", "compressed_contexts"),
    *("value_classifications", "memory_draft", "memory_file"),
)
"""The steps of the run that come after the files were read."""

Ask = Callable[[str], bool]


@dataclass
class Tick:
    """What a look at the inboxes came to: the state after it, for whom to start a run, and what was found."""

    state: InboxState
    wanted: list[str] = field(default_factory=list)
    files: int = 0
    waiting: int = 0
    unseen: int = 0
    troubles: list[str] = field(default_factory=list)


@dg.sensor(
    name=NAME,
    job_name="update_memory",
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
    owners=OWNERS,
    description="Looks every 15 seconds for new files in the inboxes (HOME/inbox/<user>/, inbox/team-<team>/), makes "
    "their owners partitions and starts one run for all of them. Files that changed less than five seconds ago wait. "
    "A run that leaves files unread is tried again at once, after 1 and after 10 minutes, then every hour.",
)
def inbox_sensor(
    context: dg.SensorEvaluationContext, graph: GraphResource, installation: InstallationResource
) -> dg.SensorResult | dg.SkipReason:
    """Look, ask, and start a run or say why not."""
    if waits := still_at_work(context.instance, NAME):
        return waits
    folders, troubles = list_inboxes(installation.settings.inbox)
    state = load_state(context.cursor)
    if state is None:
        context.log.warning("The sensor's cursor could not be read: every inbox is looked into anew.")
        state = InboxState()
    state = without_the_gone(state, folders)
    asking = _Asking(context.instance, graph, installation, state)
    tick = look_through(state, folders, asking.has_unread, installation.clock.file_time())
    in_the_way = [*troubles, *tick.troubles]
    if in_the_way and fingerprint(*in_the_way) != state.reported:
        context.log.warning(" ".join(in_the_way))  # once for each state of things, not once for each tick
    after = replace(tick.state, reported=fingerprint(*in_the_way) if in_the_way else "")
    if not have_partitions(context.instance, folders):
        # Not by the tick's own request: a command may be adding the same owners.
        add_owners(context.instance, folders)
    if not tick.wanted:
        nothing = " ".join([_nothing_new(len(folders), tick), *in_the_way])
        return dg.SensorResult(cursor=dump_state(after), skip_reason=dg.SkipReason(nothing))
    key, config = run_key(after, tick.wanted), asking.config(tick.wanted)
    requested = request_run(context.instance, NAME, key, run_config=config)
    return dg.SensorResult(cursor=dump_state(after), run_requests=[requested])


def list_inboxes(inbox: Path) -> tuple[dict[str, Path], list[str]]:
    """The folders of possible owners, by owner, and what is wrong with the others, in sentences."""
    folders: dict[str, Path] = {}
    misnamed: list[str] = []
    try:
        with os.scandir(inbox) as scan:
            entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        return {}, [f"The inbox folder could not be listed: {reason_of(error)}"]
    for entry in entries:
        if entry.name.startswith(".") or not os.path.isdir(entry.path):
            continue
        if can_own(entry.name):
            folders[entry.name] = Path(entry.path)
        else:
            misnamed.append(repr(printable(entry.name)))
    if not misnamed:
        return folders, []
    return folders, [
        f"Nobody can own {some(misnamed)} in the inbox folder: rename it, a user's or team's folder is named with 1 "
        "to 64 characters of a-z, 0-9, '_' and '-'."
    ]


def look_through(
    state: InboxState,
    folders: Mapping[str, Path],
    has_unread: Ask,
    now: float,
    elapsed: Callable[[], float] = time.monotonic,
) -> Tick:
    """Look at as many groups of inboxes as a tick has time for, one at least; the next tick begins with the rest."""
    tick = Tick(state)
    began = elapsed()
    turns = in_turn(state, folders)
    failed: list[str] = []
    unreadable: list[str] = []
    next_group = ""
    for number, (group, members) in enumerate(turns):
        if number and elapsed() - began > LOOK_SECONDS:
            next_group = group
            tick.unseen = sum(len(left) for _, left in turns[number:])
            break
        looks = {owner: look_at(folders[owner], now) for owner in members}
        digests = {owner: found.digest[:DIGEST_SIZE] for owner, found in looks.items()}
        tick.files += sum(found.files for found in looks.values())
        tick.waiting += sum(found.waiting for found in looks.values())
        unreadable += [owner for owner, found in looks.items() if found.unreadable]
        unread: dict[str, bool] = {}
        for owner in choose_doubtful(tick.state, group, digests, now):
            try:
                unread[owner] = has_unread(owner)
            except GraphUnavailableError:
                raise
            except (MemoryAssetsError, OSError):
                failed.append(owner)
                unread[owner] = True  # a run finds out, and says for whom it failed
        tick.state, wanted = decide_group(tick.state, group, digests, unread, now)
        tick.wanted += wanted
    tick.state = replace(tick.state, next_group=next_group)
    if unreadable:
        tick.troubles.append(
            f"Folders that could not be read lie in the inbox of {some(unreadable)}; the run says why."
        )
    if failed:
        tick.troubles.append(f"The graph could not say what is new in the inbox of {some(failed)}; a run finds out.")
    return tick


@dataclass
class _Asking:
    """The questions to the graph; it is only opened, and an embedded one started, when there is something to ask."""

    _instance: dg.DagsterInstance
    _graph: GraphResource
    _installation: InstallationResource
    _state: InboxState
    _cut_short: dict[str, str] | None = None

    def has_unread(self, owner: str) -> bool:
        """Whether an owner's inbox holds what no ingestion knows, or what a killed run has not carried further."""
        settings, clock = self._installation.settings, self._installation.clock
        how: dict[str, Any] = {"settle_seconds": INBOX_SETTLE_SECONDS, "most_bytes": COMPARE_BYTES, "clock": clock}
        how |= {"keep_originals": settings.keep_originals}
        graph = self._graph.open()
        is_new = has_new_files(graph, owner, [settings.inbox / owner], **how)
        return is_new or self._was_cut_short(graph, owner)

    def config(self, owners: list[str]) -> dict[str, Any]:
        """A run for these owners, and the members of its teams: what others left unfinished is the day's."""
        graph = self._graph.open()
        everyone = everybody(self._instance, graph, self._installation.settings)
        members = members_of(graph, everyone, set(owners))
        return settled_inboxes(owners=sorted({*owners, *members}))

    def _was_cut_short(self, graph: Graph, owner: str) -> bool:
        """Whether the failed run that was asked for this owner left something due, a team's members included.

        After as many tries as there are pauses that is the day's: a model that is down for days is not asked every
        hour.
        """
        entry = self._state.asked.get(owner)
        if entry is None or entry.tries > len(PAUSES):
            return False
        if self._cut_short is None:
            last = self._instance.get_runs(dg.RunsFilter(tags={AUTOMATION_TAG: NAME}), limit=1)
            failed = bool(last) and last[0].status == dg.DagsterRunStatus.FAILURE
            everyone = everybody(self._instance, graph, self._installation.settings) if failed else []
            self._cut_short = what_is_due(graph, self._installation.settings, everyone, FOLLOWS) if failed else {}
        return owner in self._cut_short or (is_team(owner) and bool(self._cut_short))


def _nothing_new(inboxes: int, tick: Tick) -> str:
    seen = inboxes - tick.unseen
    words = f"Nothing new in {seen} {'inbox' if seen == 1 else 'inboxes'} with {tick.files} files."
    if tick.waiting:
        words += f" {tick.waiting} changed a moment ago and wait until they have settled."
    if waiting := sum(entry.due is not None for entry in tick.state.asked.values()):
        words += f" {waiting} that the last runs could not finish are tried again later."
    if tick.unseen:
        words += f" {tick.unseen} more are looked at by the next tick."
    return words
