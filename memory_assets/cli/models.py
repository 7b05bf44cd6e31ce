"""Commands about models and configuration: ledger, doctor."""

from __future__ import annotations

import typer

from memory_assets.cli.output import Json, emit, table
from memory_assets.settings import load_settings


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command()(ledger)
    app.command()(doctor)


def ledger(as_json: Json = False) -> None:
    """What the models were asked, and what it cost: calls, tokens, money; by model, asset and user."""
    from memory_assets.llm.model_client import open_ledger

    summary = open_ledger(load_settings()).summary()
    if as_json:
        emit(summary)
        return
    print(
        f"{summary['calls']} calls ({summary['cached']} from the cache), {summary['tokens_in']} tokens in, "
        f"{summary['tokens_out']} out, {summary['usd']:.4f} USD"
    )
    if summary["by"]:
        columns = ("model", "asset", "user", "calls", "cached", "tokens_in", "tokens_out", "usd")
        table(columns, ([row.get(column) for column in columns] for row in summary["by"]))


def doctor(as_json: Json = False) -> None:
    """What is configured, what is missing, and what to do about it."""
    from memory_assets.operations.doctor import examine

    findings = examine()
    if as_json:
        emit([finding.as_row() for finding in findings])
    else:
        table(("", "what", "finding", "what to do"), ((f.mark, f.what, f.finding, f.remedy) for f in findings))
    if any(finding.is_broken for finding in findings):
        raise typer.Exit(1)
