"""What people look at on raw_sources and processed_sources: counts, what was left out and why, sources over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.graph.graph import Graph
from memory_assets.model import SourceType
from memory_assets.presentation import plots
from memory_assets.presentation.reports import Markdown, count_table, markdown_table
from memory_assets.sources.masking import summed
from memory_assets.sources.process import ProcessReport
from memory_assets.sources.seen_files import IngestReport

WEEKS_SHOWN, MONTHS_SHOWN = 54, 120
RETRY = "memory-assets retry"
"""The command that tries again what is set aside or failed."""


def read_days(graph: Graph, owner: str) -> list[dict[str, Any]]:
    """An owner's sources by day and kind: rows of ``day`` (ISO date or None), ``kind``, ``sources``."""
    return graph.read("sources/count_sources_by_day", user_id=owner)


def read_statuses(graph: Graph, owner: str) -> dict[str, int]:
    """How many of an owner's sources have come how far, by ``processing_status``."""
    rows = graph.read("sources/count_sources_by_status", user_id=owner)
    return {row["status"]: row["sources"] for row in rows}


def read_failures(graph: Graph, owner: str) -> list[dict[str, Any]]:
    """The sources that could not be processed (100 at most): ``id``, ``title``, ``reason``, ``next_attempt_at``."""
    return graph.read("sources/list_failed_sources", user_id=owner)


def read_privacy(graph: Graph, owner: str) -> tuple[Counter[str], Counter[str]]:
    """What is masked in an owner's sources, and what personal data they hold, by kind."""
    return summed(graph.read("sources/list_private", user_id=owner))


def describe_ingestion(
    report: IngestReport,
    days: Sequence[Mapping[str, Any]] = (),
    private: tuple[Counter[str], Counter[str]] | None = None,
) -> dict[str, Any]:
    """What an ingestion found, with a table of each thing that is not in.

    ``days`` as :func:`read_days` gives them, ``private`` as :func:`read_privacy`.
    """
    names = ("sources", "new", "unchanged", "files", "waiting", "ignored")
    shown: dict[str, Any] = {name: getattr(report, name) for name in names}
    shown |= {"set_aside": len(report.set_aside), "broken_lines": len(report.line_errors)}
    shown |= {"encodings_guessed": len(report.guessed), "masked": report.masked.total()}
    if private is not None:
        for name, counts in zip(("masked_by_kind", "personal_data"), private, strict=True):
            if counts:
                shown[name] = count_table("kind", dict(sorted(counts.items())), "in the graph")
    tables = {
        "set_aside_files": (("path", "reason"), report.set_aside),
        "left_out_lines": (("path", "line", "reason"), report.line_errors),
        "guessed_encodings": (("path", "encoding"), report.guessed),
    }
    shown |= {name: markdown_table(columns, rows) for name, (columns, rows) in tables.items() if rows}
    if report.set_aside:
        shown["to_try_again"] = RETRY
    if days:
        kinds = {kind.value: sum(row["sources"] for row in days if row["kind"] == kind) for kind in SourceType}
        shown["sources_in_all"] = sum(kinds.values())
        shown["sources_by_kind"] = count_table("kind", kinds, "in the graph")
        shown["over_time_plot"] = over_time(days)
    return shown


def describe_processing(
    report: ProcessReport, model: str, statuses: Mapping[str, int], failed: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """What a processing did. ``statuses`` are those after it (:func:`read_statuses`), the unchanged ones included.

    ``failed`` are all that are failed after it (:func:`read_failures`), this run's and earlier ones'.
    """
    ready = sum(count for status, count in statuses.items() if status in ("processed", "extracted"))
    shown: dict[str, Any] = {
        "due": report.due,
        "processed": report.processed,
        "unchanged": max(0, ready - report.processed),
        "failed": len(report.failed),
        "left": report.left,
        "model": model,
    }
    if report.budget_note:
        shown["stopped"] = f"by the budget: {report.budget_note}"
    if report.failed:
        shown["failures"] = markdown_table(("title", "reason", "id"), report.failed)
    if failed:
        rows = [{**row, "again": to_iso(row["next_attempt_at"]) or "when something changes"} for row in failed]
        shown["set_aside"] = len(failed)
        shown["set_aside_sources"] = markdown_table(("title", "reason", "again", "id"), rows)
        shown["to_try_again"] = RETRY
    return shown


def left_by_budget(report: ProcessReport, statuses: Mapping[str, int]) -> str:
    """What a budget that ended has left, and how far the owner's sources are: by phase, in the order of the phases."""
    order = {"raw": 0, "failed": 1, "processed": 2, "extracted": 3}
    phases = sorted(statuses.items(), key=lambda pair: (order.get(pair[0], len(order)), pair[0]))
    counts = ", ".join(f"{count} {status}" for status, count in phases if count)
    return f"{report.left} sources are left for the next run (now {counts}): {report.budget_note}"


def over_time(days: Sequence[Mapping[str, Any]]) -> Markdown:
    """Sources over the time in which they happened, by kind: per week, month or year, as fits; undated ones counted."""
    dated = [(date.fromisoformat(row["day"]), row["kind"], row["sources"]) for row in days if row["day"]]
    undated = sum(row["sources"] for row in days if not row["day"])
    note = f"{undated} sources without a date are not drawn." if undated else ""
    if not dated:
        return Markdown(note)
    periods, unit = _periods(min(day for day, _, _ in dated), max(day for day, _, _ in dated))
    found: Counter[tuple[str, str]] = Counter()
    for day, kind, sources in dated:
        found[_period(day, unit), kind] += sources
    totals = Counter({period: sum(found[period, kind] for kind in SourceType) for period in periods})
    if unit == "year":
        periods = [period for period in periods if totals[period]]  # a wrong date is centuries away
    fullest = max(periods, key=lambda period: totals[period])
    says = (
        f"{totals.total()} sources from {periods[0]} to {periods[-1]} by {unit}; most in {fullest}: {totals[fullest]}"
    )
    series = {kind.value: [found[period, kind] for period in periods] for kind in SourceType}
    below = "week, from its Monday" if unit == "week" else unit
    picture = plots.stacked_bars(periods, series, unit="sources", says=says, below=below)
    return Markdown(f"{picture}\n\n{note.strip()}".strip())


def _periods(first: date, last: date) -> tuple[list[str], str]:
    """Every period from first to last, in the finest unit of which there are not too many."""
    days = (last - first).days
    if days // 7 + 1 <= WEEKS_SHOWN:
        weeks = [first - timedelta(days=first.weekday()) + timedelta(weeks=n) for n in range(days // 7 + 2)]
        return [_period(week, "week") for week in weeks if week <= last], "week"
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    if len(months) <= MONTHS_SHOWN:
        return [f"{month // 12}-{month % 12 + 1:02}" for month in months], "month"
    return [str(year) for year in range(first.year, last.year + 1)], "year"


def _period(day: date, unit: str) -> str:
    if unit == "week":
        return (day - timedelta(days=day.weekday())).isoformat()  # its Monday
    return day.isoformat()[: 7 if unit == "month" else 4]
