"""Commands about models and configuration: ledger, doctor."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from memory_assets.cli.output import Json, emit, table
from memory_assets.graph.graph import open_graph
from memory_assets.settings import load_settings


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command()(ledger)
    app.command()(doctor)


def ledger(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only calls for this user or team-<team>.")] = None,
    run: Annotated[str | None, typer.Option(help="Only calls of this run; the beginning of its id is enough.")] = None,
    since: Annotated[str | None, typer.Option(help="Only calls at or after this instant (ISO 8601).")] = None,
    by: Annotated[
        str, typer.Option(help="What to sum up by, one or several of: model, asset, user, run, task, day.")
    ] = "model,asset,user",
    as_json: Json = False,
) -> None:
    """What the models were asked, and what it cost: calls, tokens, money, in all and by what you ask for."""
    from memory_assets.llm.ledger import GROUPS
    from memory_assets.llm.opening import open_ledger
    from memory_assets.runtime.owners import check_known

    groups = [name.strip() for name in by.split(",") if name.strip()]
    if unknown := sorted(set(groups) - set(GROUPS)):
        raise typer.BadParameter(f"--by {', '.join(unknown)}: it takes {', '.join(GROUPS)}.")
    begin = _instant(since)
    settings = load_settings()
    summary = open_ledger(settings).summary(groups, user=user, run=run, since=begin)
    if user is not None and not summary["calls"]:
        check_known(open_graph(settings), settings, [user])
    if as_json:
        emit(summary)
        return
    print(
        f"{summary['calls']} calls ({summary['cached']} from the cache), {summary['tokens_in']} tokens in "
        f"({summary['tokens_cached']} of them cached by the service), {summary['tokens_out']} out, "
        f"{summary['usd']:.4f} USD"
    )
    if summary["unpriced"]:
        print(
            f"Not in USD: {summary['unpriced_calls']} calls to {', '.join(summary['unpriced'])}, whose price is not "
            "known. MEMORY_ASSETS_PRICES names a file that says it."
        )
    if summary["by"]:
        columns = (*groups, "calls", "cached", "tokens_in", "tokens_cached", "tokens_out", "usd")
        table(columns, ([_figure(row.get(column)) for column in columns] for row in summary["by"]))


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("--since takes an instant as ISO 8601, for example 2026-10-05.") from None
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant


def _figure(value: Any) -> Any:
    return f"{value:.6f}" if isinstance(value, float) else value


def doctor(as_json: Json = False) -> None:
    """What is configured, what is missing, and what to do about it."""
    from memory_assets.commands.doctor import examine

    findings = examine()
    if as_json:
        emit([finding.as_row() for finding in findings])
    else:
        table(("", "what", "finding", "what to do"), ((f.mark, f.what, f.finding, f.remedy) for f in findings))
    if any(finding.is_broken for finding in findings):
        raise typer.Exit(1)
