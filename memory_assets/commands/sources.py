"""What a person asks of single sources: opening, recalling, removing and restoring, trying again what has failed.

Who reads a team's source needs it: it is extracted for that user from then on (004, lazy extraction). Removing is
soft: the source stays, unread by anybody, with an audit; what it alone states goes with the next run, by the rails
of every retirement. What has failed is made due in the graph first, then a run does what is due: a kill on the way
loses nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.clock import Clock, to_iso
from memory_assets.entities.team_sources import request_sources
from memory_assets.errors import MemoryAssetsError, UnknownReferenceError, WrongUseError
from memory_assets.graph.graph import Graph, Statement
from memory_assets.graph.knife import cuts
from memory_assets.graph.owners import readable_owners, source_mark, teams_of
from memory_assets.graph.retirement import removal_rows
from memory_assets.keys.policy import COMMAND_LINE
from memory_assets.model import AccessKind, is_team, reference
from memory_assets.recall.index import ALL, Span
from memory_assets.recall.policy import words_of
from memory_assets.recall.search import Recall, recall
from memory_assets.runtime.accesses import Access, Given, record_accesses
from memory_assets.settings import Settings
from memory_assets.sources.source_list import Line, failures, files_set_aside, read_source

if TYPE_CHECKING:
    import dagster as dg

    from memory_assets.commands.runs import RunReport

JOB = "open_sources"
LEAST_TOKENS, MOST_TOKENS = 25, 200_000
MOST_PAGES = 50


def _source_id(graph: Graph, user: str, given: str) -> str:
    """The id of the source that somebody means by its id or its reference; what is neither, as it is.

    Raises :class:`WrongUseError` for a reference that two of the sources have which the user may read.
    """
    rows = graph.read("sources/list_ids_of_reference", ref=_bare(given), user_ids=readable_owners(graph, user))
    if len(rows) > 1:
        raise WrongUseError(f"{given!r} means several sources: {', '.join(row['id'] for row in rows)}. Give the id.")
    return rows[0]["id"] if rows else given


def find_source(graph: Graph, user: str, named: str) -> dict[str, Any]:
    """The source with this id or reference among those that the user may read.

    Raises :class:`UnknownReferenceError`, in the same words for one of somebody else's as for none at all.
    """
    source_id = _source_id(graph, user, named)
    source = read_source(graph, user, source_id)
    if source is None:
        aside = files_set_aside(graph, [user, *teams_of(graph, user)])
        if file := next((line for line in aside if line["id"] == source_id), None):
            raise UnknownReferenceError(
                f"{source_id!r} is a file that gave no source: {file['path']}. {file['reason']} "
                "`memory-assets retry` reads it again."
            )
        raise UnknownReferenceError(
            f"No source {source_id!r} is known to {user}. `memory-assets sources --user {user}` lists those that are."
        )
    return source


def open_source(
    instance: dg.DagsterInstance, graph: Graph, clock: Clock, user: str, named: str
) -> tuple[dict[str, Any], RunReport | None]:
    """Want the source for the user and extract it now, unless it is extracted or was set aside with a reason.

    Returns the source as the user finds it then, and the run that extracted it, where there was one. Opening it
    again changes nothing; what has failed is tried again by ``memory-assets retry``.
    """
    from memory_assets.commands.runs import run_job
    from memory_assets.runtime.instance import add_owners

    source = find_source(graph, user, named)
    source_id = source["id"]
    request_sources(graph, user, [source_id], clock.now())
    if source["phase"] == "extracted" or source["reason"]:
        return source, None
    needed = [user] if source["phase"] == "processed" else sorted({user, source["owner"]})
    add_owners(instance, needed)
    run = run_job(instance, JOB, needed, scope={"sources": [source_id]})
    return find_source(graph, user, source_id), run


def recall_for(
    graph: Graph,
    settings: Settings,
    user: str,
    question: str,
    budget: int,
    as_of: date | None = None,
    *,
    span: Span = ALL,
    page: int = 1,
    agent: str = COMMAND_LINE,
    session: str = "",
    **how: Any,
) -> tuple[Recall, tuple[str, ...]]:
    """Search what the user may read (up to the day ``as_of``, as it held then); and the ids of the team's sources in
    the answer, which are extracted for the user from now on. The rest as :func:`recall.search.recall` takes it.

    What was retrieved is appended to the log of accesses, for ``agent`` in ``session``.
    """
    check_question(question)
    check_budget(budget)
    check_page(page)
    check_names(span.about)
    now = settings.clock.now()
    how |= {"span": span, "page": page, "today": now.date()}
    found = recall(graph, settings.home, user, question, budget, as_of, **how)
    retrieved = [Access(user, one, now, AccessKind.RETRIEVED, agent, session) for one in found.retrieved]
    record_accesses(settings, retrieved, Given(user, now, found.recalled.tokens, agent))
    touched = [head.id for head, _ in found.recalled.passages if is_team(head.owner)]
    return found, tuple(request_sources(graph, user, touched, now)) if touched else ()


def check_question(question: str) -> None:
    """Raise where nothing is asked."""
    if not question.strip():
        raise WrongUseError(
            "There is nothing to search for: give a question, some words, or a reference of nine digits."
        )


def check_budget(budget: int) -> None:
    """Raise where so many tokens cannot be a budget."""
    if not LEAST_TOKENS <= budget <= MOST_TOKENS:
        raise WrongUseError(f"A budget of {budget} tokens cannot be used: give {LEAST_TOKENS} to {MOST_TOKENS:,}.")


def check_page(page: int) -> None:
    """Raise where no answer has so many pages."""
    if not 1 <= page <= MOST_PAGES:
        raise WrongUseError(f"There is no page {page}: give 1 to {MOST_PAGES}.")


def check_names(names: Iterable[str]) -> None:
    """Raise where something is to be about a name that is none."""
    if not all(words_of(name) for name in names):
        raise WrongUseError("A name has no letter in it: say whom or what it is to be about.")


WHY = {
    "reader": "its file is read otherwise now",
    "owner": "its owner wants it gone",
    "undo": "the decision that it holds was taken back",
}


def remove_source(graph: Graph, clock: Clock, user: str, named: str, reason: str = "") -> bool:
    """Remove one of the user's own sources; False where it was removed before.

    Raises :class:`UnknownReferenceError` for one that the user does not have, :class:`MemoryAssetsError` for a
    team's and for one that a rail keeps.
    """
    if _removed_id(graph, user, named):
        return False
    source = find_source(graph, user, named)
    source_id = source["id"]
    if source["owner"] != user:
        raise MemoryAssetsError(
            f"{named!r} belongs to {source['owner']}, not to {user}: only an own source can be removed."
        )
    rested = Statement("curation/record_rested_refs", {"rows": [{"id": source_id}], "user_id": user})
    why = reason or "its owner wants it gone"
    if not _write(graph, clock, user, source_id, "set_sources_removed", why, rested):
        raise MemoryAssetsError(f"{named!r} is kept forever, so that it is not removed: say first that it is not.")
    return True


def restore_source(graph: Graph, clock: Clock, user: str, named: str) -> bool:
    """Take back that a source was removed, or withdrawn with the file that it came from; False where it was not.

    Raises :class:`UnknownReferenceError` for one that the user does not have.
    """
    if source_id := _removed_id(graph, user, named):
        return _write(graph, clock, user, source_id, "restore_sources", "its owner wants it back")
    if not graph.read("graph/find_sources", ids=[_source_id(graph, user, named)], user_id=user):
        raise UnknownReferenceError(
            f"No source {named!r} is known to {user}. `memory-assets sources --user {user} --removed` lists "
            "those that were removed."
        )
    return False


def list_removed(graph: Graph, owners: Sequence[str], user: str | None = None) -> list[Line]:
    """The removed and withdrawn sources of these owners, the latest first, as the list of sources shows sources.

    Those that ``user`` may read; without one, all.
    """
    readers = readable_owners(graph, user) if user is not None else None
    other = "the file that it came from was moved out again"
    return [
        {**{key: row[key] for key in ("id", "kind", "title", "path", "owner")}, "phase": "removed"}
        | {
            "ref": reference(row["id"]),
            "started_at": to_iso(row["started_at"]),
            "reason": WHY.get(row["removed_by"], other),
        }
        for row in graph.read("sources/list_removed_sources", user_ids=list(owners), reader_ids=readers)
    ]


def _removed_id(graph: Graph, user: str, named: str) -> str | None:
    """The id of the removed source of a user's with this id or reference."""
    removed = list_removed(graph, [user])
    return next((line["id"] for line in removed if _bare(named) in (line["id"], line["ref"])), None)


def _bare(reference: str) -> str:
    """A reference as somebody copies it, without its brackets."""
    return reference.strip("[] ")


def _write(graph: Graph, clock: Clock, user: str, source_id: str, name: str, reason: str, *first: Statement) -> bool:
    now = clock.now()
    written = cuts(name, removal_rows(user, [source_id], reason, now), user=user, now=now)
    *_, done, _ = graph.write_together([*first, *written, source_mark(user, now)])
    return bool(done)


Run = Callable[..., "RunReport"]


@dataclass
class Retried:
    """What became of what was tried again: lines as ``source_list`` has them, and the runs that did it."""

    passed: list[Line] = field(default_factory=list)
    failed: list[Line] = field(default_factory=list)
    gone: list[Line] = field(default_factory=list)
    """Files that are no longer where they were: nothing more is said of them."""
    runs: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """What stood in the way of a run as a whole."""


def retry_failures(
    instance: dg.DagsterInstance,
    graph: Graph,
    settings: Settings,
    owners: Sequence[str],
    user: str | None,
    run: Run | None = None,
) -> Retried:
    """Try again now whatever of ``owners`` is set aside or has failed, as ``user`` sees it or each of them does."""
    from memory_assets.commands.runs import job_for, run_job
    from memory_assets.runtime.instance import add_owners

    run = run or run_job
    before = failures(graph, owners, user)
    report = Retried()
    if not before:
        return report
    add_owners(instance, sorted({line["owner"] for line in before} | set(owners)))
    files = [line for line in before if line["title"] is None]
    report.gone = _read_again(instance, graph, files, report, run)
    failed = [line for line in before if line not in files]
    working = _make_due(graph, settings, owners, failed) if failed else []
    working = sorted({*working, *(line["owner"] for line in files if line not in report.gone)})
    if working:
        _note(report, run(instance, job_for(working), working), working)
    after = {line["id"]: line for line in failures(graph, owners, user)}
    gone = {line["id"] for line in report.gone}
    report.failed = [after[line["id"]] for line in before if line["id"] in after]
    report.passed = [line for line in before if line["id"] not in after and line["id"] not in gone]
    return report


def path_to_read(path: str) -> Path | None:
    """Where a file that was set aside lies now: itself, or the archive in which it was; None when neither is there."""
    found = Path(path)
    if os.path.lexists(found):
        return found
    above = next((parent for parent in found.parents if os.path.lexists(parent)), None)
    return above if above is not None and above.is_file() else None


def _read_again(
    instance: dg.DagsterInstance, graph: Graph, files: Sequence[Line], report: Retried, run: Run
) -> list[Line]:
    """Read the files that are still there, a run for each owner and kind; return those that are not."""
    gone: list[Line] = []
    groups: dict[tuple[str, str | None], set[str]] = {}
    for line in files:
        if (found := path_to_read(line["path"])) is None:
            gone.append(line)
        else:
            groups.setdefault((line["owner"], line["kind"]), set()).add(str(found))
    for owner in sorted({line["owner"] for line in gone}):
        rows = [{"id": line["id"]} for line in gone if line["owner"] == owner]
        graph.write("sources/set_files_gone", rows, user_id=owner)
    for (owner, kind), paths in sorted(groups.items(), key=str):
        config = {"paths": sorted(paths), "kind": kind, "force": True}
        _note(report, run(instance, "ingest_sources", [owner], config=config), [owner])
    return gone


def _make_due(graph: Graph, settings: Settings, owners: Sequence[str], failed: Sequence[Line]) -> list[str]:
    """Make the failures due in the graph and by the marks; for whom there is something to do then."""
    from memory_assets.runtime.chain import read_chain, record_mark
    from memory_assets.runtime.marks import begun

    now = to_iso(settings.clock.now())
    working: set[str] = set()
    chain = read_chain(graph, {}, {}, owners, settings.clock.now())
    for owner in owners:
        steps = []
        if graph.write("sources/set_failures_due", user_id=owner, now=now):
            steps.append("processed_sources")
        if not is_team(owner) and graph.write("entities/set_failures_due", user_id=owner, now=now):
            steps.append("extracted_entities")
        if not is_team(owner) and graph.write("notes/set_failures_due", user_id=owner):
            steps.append("notes")
        for step in steps:
            if (mark := chain.mark(owner, step)) is not None:
                record_mark(graph, settings, owner, step, begun(mark))
        if steps:
            working.add(owner)
    teams = {owner for owner in working if is_team(owner)}
    working |= {user for user, of_user in chain.teams.items() if teams.intersection(of_user)}
    return sorted(working)


def _note(report: Retried, run: RunReport, owners: Sequence[str]) -> None:
    report.runs.append(run.run_id)
    report.problems += dict.fromkeys(problem for owner in owners for problem in run.failures_of(owner))


def as_document(report: Retried) -> Mapping[str, Any]:
    """The report as the command's JSON document."""
    lines = {"passed": report.passed, "failed": report.failed, "gone": report.gone}
    shown = {name: [{key: line[key] for key in line if key != "owner"} for line in of] for name, of in lines.items()}
    return {**shown, "runs": report.runs, "problems": report.problems}
