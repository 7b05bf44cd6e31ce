"""The shells of the room: raw_sources reads files into the graph, processed_sources makes them readable."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import dagster as dg
from pydantic import Field

from memory_assets.model import check_owner
from memory_assets.operations.partitions import backfill_policy, owners
from memory_assets.operations.unfinished import tell_unfinished
from memory_assets.operations.window import WindowConfig
from memory_assets.resources import GraphResource, InstallationResource, ModelResource
from memory_assets.sources import policy
from memory_assets.sources.formats import READER_VERSION
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.policy import IngestReport
from memory_assets.sources.process import ProcessReport, process_sources

ROWS_SHOWN = 50
LINES_TOLD = 20


class IngestConfig(dg.Config):
    """Which files to read, and how. The defaults read what is new in the owner's inbox."""

    paths: list[str] = Field(
        default_factory=list, description="Files and folders; none: the owner's inbox folder."
    )
    kind: str | None = Field(
        default=None,
        description="conversation, email, slack, transcript or note; none: recognised by the content.",
    )
    force: bool = Field(default=False, description="Read files again that have not changed.")


@dg.asset(
    partitions_def=owners,
    backfill_policy=backfill_policy,
    group_name="sources",
    owners=["team:memory"],
    kinds={"neo4j", "python"},
    code_version=str(READER_VERSION),
)
def raw_sources(
    context: dg.AssetExecutionContext,
    config: IngestConfig,
    graph: GraphResource,
    installation: InstallationResource,
) -> dg.MaterializeResult:
    """What an owner's people and agents said and wrote, with its raw content, kept for ever (004, Phase 0).

    Conversations, e-mail, Slack exports, transcripts and notes, read in place from the given paths or the
    owner's inbox. Idempotent by content. What cannot be read is set aside with the reason.
    """
    if config.paths and len(context.partition_keys) > 1:
        raise dg.Failure("Paths are one owner's: launch them for one partition.", allow_retries=False)
    for owner in context.partition_keys:
        inbox = installation.settings.inbox / check_owner(owner)
        if not config.paths:
            inbox.mkdir(parents=True, exist_ok=True, mode=0o700)
        report = ingest_paths(
            graph.open(),
            owner,
            config.paths or [str(inbox)],
            config.kind,
            installation.clock,
            force=config.force,
            on_progress=_progress(context.log.info, "files read", 200),
        )
        for told in _left_out(report):
            context.log.warning(told)
        context.add_asset_metadata(describe_ingestion(report), partition_key=owner)
    return dg.MaterializeResult()


@dg.asset(
    deps=[raw_sources],
    partitions_def=owners,
    backfill_policy=backfill_policy,
    group_name="sources",
    owners=["team:memory"],
    kinds={"neo4j", "openai"},
    code_version=policy.CODE_VERSION,
)
def processed_sources(
    context: dg.AssetExecutionContext,
    config: WindowConfig,
    graph: GraphResource,
    models: ModelResource,
    installation: InstallationResource,
) -> dg.MaterializeResult:
    """The same sources cleaned into turns, with a summary, keywords, tags and an embedding (004, Phase 1).

    Works from the raw content in the graph alone, on what is due by fingerprint: content, prompt, models,
    code. A source that fails keeps its reason and is due again; the others are not held up.
    """
    since, until = config.bounds()
    for owner in context.partition_keys:
        with installation.owner_lock(owner):
            report = process_sources(
                graph.open(),
                owner,
                models.language(),
                models.embedder(),
                installation.clock,
                since=since,
                until=until,
                force=config.force,
                on_progress=_progress(context.log.info, "sources processed", 320),
            )
        problems = [f"{row['title']!r} could not be processed: {row['reason']}" for row in report.failed]
        if report.budget_note:
            problems.append(f"{report.left} sources are left for the next run: {report.budget_note}")
        metadata = describe_processing(report, models.language().name)
        context.add_asset_metadata(metadata | tell_unfinished(context, problems), partition_key=owner)
    return dg.MaterializeResult()


def describe_ingestion(report: IngestReport) -> dict[str, Any]:
    """What a person wants to see of an ingestion."""
    metadata: dict[str, Any] = {
        "sources": report.sources,
        "new": report.new,
        "unchanged": report.unchanged,
        "files": report.files,
        "ignored": report.ignored,
        "set_aside_count": len(report.set_aside),
        "set_aside": dg.MetadataValue.json(report.set_aside),
        "broken_lines": len(report.line_errors),
    }
    tables = {
        "set_aside_files": (("path", "reason"), report.set_aside),
        "left_out_lines": (("path", "line", "reason"), report.line_errors),
        "guessed_encodings": (("path", "encoding"), report.guessed),
    }
    return metadata | {name: _table(columns, rows) for name, (columns, rows) in tables.items() if rows}


def describe_processing(report: ProcessReport, model: str) -> dict[str, Any]:
    """What a person wants to see of a processing: counts, tokens, cost, failures."""
    metadata: dict[str, Any] = {
        "due": report.due,
        "processed": report.processed,
        "failed": len(report.failed),
        "left": report.left,
        "model": model,
        "answers": report.calls,
        "answers_from_cache": report.cached,
        "tokens_in": report.tokens_in,
        "tokens_out": report.tokens_out,
        "usd": report.usd,
    }
    if report.budget_note:
        metadata["budget"] = report.budget_note
    if report.failed:
        metadata["failures"] = _table(("title", "reason", "id"), report.failed)
    return metadata


def _left_out(report: IngestReport) -> Iterable[str]:
    """What of the files is not in: the lines one by one, as many as anybody reads."""
    for row in report.line_errors[:LINES_TOLD]:
        yield f"{row['path']}, line {row['line']}: {row['reason']}"
    if len(report.line_errors) > LINES_TOLD:
        yield f"and {len(report.line_errors) - LINES_TOLD} lines more; the run's metadata lists them."
    if report.set_aside:
        yield f"{len(report.set_aside)} of {report.files} files are set aside; the run's metadata says why."


def _table(columns: tuple[str, ...], rows: Iterable[Mapping[str, Any]]) -> dg.MarkdownMetadataValue:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    all_rows = list(rows)
    for row in all_rows[:ROWS_SHOWN]:
        cells = (str(row[column]).replace("|", "\\|").replace("\n", " ")[:300] for column in columns)
        lines.append("| " + " | ".join(cells) + " |")
    if len(all_rows) > ROWS_SHOWN:
        lines.append(f"\nand {len(all_rows) - ROWS_SHOWN} more")
    return dg.MetadataValue.md("\n".join(lines))


def _progress(say: Callable[[str], None], what: str, step: int) -> Callable[[int, int], None]:
    def progress(done: int, of: int) -> None:
        if of > step and (done % step == 0 or done == of):
            say(f"{done} of {of} {what}")

    return progress
