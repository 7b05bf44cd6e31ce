"""The shells of the room: raw_sources reads files into the graph, processed_sources makes them readable."""

from collections.abc import Callable, Iterable, Iterator

import dagster as dg
from pydantic import Field

from memory_assets.llm.prompt_files import prompts
from memory_assets.llm.tasks import DESCRIBE_SOURCE
from memory_assets.model import check_owner, fingerprint
from memory_assets.runtime.edited_files import MEMORY
from memory_assets.runtime.marks import Step
from memory_assets.runtime.partitions import EVERYBODY, partitions_of_run
from memory_assets.runtime.resources import EditedFiles, GraphResource, InstallationResource, ModelResource
from memory_assets.runtime.scope import RunScope
from memory_assets.runtime.shells import Run, step_asset
from memory_assets.runtime.steps import Done, Result, asset_options, work_through
from memory_assets.sources import policy, seen_files
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.metadata import (
    describe_ingestion,
    describe_processing,
    left_by_budget,
    read_days,
    read_failures,
    read_privacy,
    read_statuses,
)
from memory_assets.sources.process import find_next_attempt, process_sources
from memory_assets.sources.seen_files import IngestReport, find_new_files

LINES_SHOWN = 20
PROJECTS = "projects"
"""What lies in an inbox's folder projects/NAME is of the project NAME."""


class IngestConfig(dg.Config):
    """Which files to read, and how. The defaults read what is new in each inbox."""

    paths: list[str] = Field(
        default_factory=list, description="Files and folders of one owner; none: the owner's inbox folder."
    )
    kind: str | None = Field(
        default=None,
        description="conversation, email, slack, transcript, note or record; none: recognised by the content.",
    )
    force: bool = Field(default=False, description="Read files again that have not changed.")
    settle_seconds: float = Field(
        default=0, ge=0, description="Leave files that changed less than this ago for the next run: they may grow."
    )

    sensitivity: str | None = Field(
        default=None,
        description="low, normal or high: who may read these sources; none: what they say of themselves, else normal.",
    )
    project: str | None = Field(
        default=None, description="The project that these sources are of; none: what they say of themselves."
    )


RAW = Step(
    "raw_sources", lambda models: fingerprint(seen_files.reader_version(False)), of_teams=True, for_everybody=True
)
PROCESSED = Step(
    "processed_sources",
    lambda models: fingerprint(
        prompts().prompt_hash(DESCRIBE_SOURCE), *models.names("processed_sources"), policy.CODE_VERSION
    ),
    ("raw_sources",),
    of_teams=True,
    asks_models=True,
    from_nothing=True,
    takes=frozenset({"since", "until", "force", "retry", "sources"}),
)


@dg.asset(
    **asset_options(RAW, group="sources", kinds={"neo4j", "python"}, code_version=str(seen_files.reader_version(False)))
)
def raw_sources(
    context: dg.AssetExecutionContext,
    config: IngestConfig,
    scope: RunScope,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
    edited_files: EditedFiles,
) -> Iterator[Result]:
    """What an owner's people and agents said and wrote, as it was found; its raw content stays for ever.

    Conversations, e-mail, Slack exports, transcripts, notes and agents' records, read in place from the given paths or
    the owner's inbox. Reading the same again changes nothing. What cannot be read is set aside with the reason.
    """
    launched_for = partitions_of_run(context)
    targeted = scope.owners if EVERYBODY in launched_for else launched_for
    if config.paths and len(targeted) != 1:
        raise dg.Failure("Paths are one owner's: launch them for one partition.", allow_retries=False)

    def read(owner: str) -> Done:
        edits = edited_files.take_in(graph.open(), installation, owner, MEMORY)
        inbox = installation.settings.inbox / owner
        if not config.paths:
            inbox.mkdir(parents=True, exist_ok=True, mode=0o700)
        report = ingest_paths(
            graph.open(),
            owner,
            config.paths or [str(inbox)],
            config.kind,
            installation.clock,
            force=config.force,
            settle_seconds=config.settle_seconds,
            sensitivity=config.sensitivity,
            project=config.project,
            projects_in=None if config.paths else inbox / PROJECTS,
            keep_originals=installation.settings.keep_originals,
            on_progress=_progress(context.log.info, "files read", 200),
            limit=installation.settings.work_limit,
        )
        shown = describe_ingestion(report, read_days(graph.open(), owner), read_privacy(graph.open(), owner))
        if report.set_aside:
            shown["not_read"] = report.set_aside
        return Done(shown, notes=[*edits, *_left_out(report)])

    new = check_owner(targeted[0]) if config.paths else None
    # A kind, a sensitivity or a project is said of files that were read before, too.
    again = config.force or any(said is not None for said in (config.kind, config.sensitivity, config.project))

    def news(owners: list[str]) -> set[str]:
        return {*find_new_files(graph.open(), installation.settings, owners), *edited_files.find(graph.open(), owners)}

    run = Run(context, RAW, scope, graph, models, installation)
    yield from work_through(run, read, again=again, new=new, news=news)


@step_asset(PROCESSED, group="sources", kinds={"neo4j", "openai"}, code_version=policy.CODE_VERSION)
def processed_sources(run: Run, owner: str) -> Done:
    """The same sources cleaned into turns (who said what, when), with a summary, keywords, tags and an embedding.

    Made from the raw content in the graph, and made again only where content, prompt, model or code has changed. A
    source that fails keeps its reason and what was made of it before; it is tried again where that can help, after 1,
    4, 16, 64 hours, then every week. The others are not held up.
    """
    since, until = run.scope.bounds()
    report = process_sources(
        run.graph,
        owner,
        run.language,
        run.embedder,
        run.clock,
        since=since,
        until=until,
        force=run.scope.force,
        retry=run.scope.retry,
        only=run.scope.sources,
        on_progress=_progress(run.log, "sources processed", 64),
        limit=run.settings.work_limit,
    )
    failed = [f"{row['title']!r} could not be processed: {row['reason']}" for row in report.failed]
    statuses, reasons = read_statuses(run.graph, owner), read_failures(run.graph, owner)
    problems = [left_by_budget(report, statuses)] if report.budget_note else []
    standing, again = find_next_attempt(run.graph, owner, run.now())
    return Done(
        describe_processing(report, run.language.name, statuses, reasons),
        problems,
        failed,
        standing,
        [f"{report.unasked} other sources are due"] if report.unasked else [],
        changes_at=again,
    )


def _left_out(report: IngestReport) -> Iterable[str]:
    """What of the files is not in: the lines one by one, as many as anybody reads."""
    for row in report.line_errors[:LINES_SHOWN]:
        yield f"{row['path']}, line {row['line']}: {row['reason']}"
    if len(report.line_errors) > LINES_SHOWN:
        yield f"and {len(report.line_errors) - LINES_SHOWN} lines more; the run's metadata lists them."
    if report.set_aside:
        yield f"Files set aside: {len(report.set_aside)}; the run's metadata says why."


def _progress(say: Callable[[str], None], what: str, step: int) -> Callable[[int, int], None]:
    def progress(done: int, of: int) -> None:
        if of > step and (done % step == 0 or done == of):
            say(f"{done} of {of} {what}")

    return progress
