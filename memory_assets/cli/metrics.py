"""The command about the bounded files' metrics."""

from __future__ import annotations

import json

import typer

from memory_assets.cli.context import OptionalUser, chosen_users, connect
from memory_assets.cli.output import Json, emit, table


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command()(metrics)


def metrics(user: OptionalUser = None, as_json: Json = False) -> None:
    """How full the bounded files are, what stands behind them, and since when."""
    from memory_assets.metrics.snapshots import read_history, read_measures

    settings, graph = connect()
    today = settings.clock.now().date()
    found = [
        {"user": name, **json.loads(read_measures(graph, name).to_json()), "history": read_history(graph, name, today)}
        for name in chosen_users(graph, user)
    ]
    if as_json:
        emit(found)
        return
    for one in found:
        ratio = one["graph_to_file_ratio"]
        behind = f", {ratio:g} for each in the files" if ratio is not None else ""
        print(f"{one['user']}: {one['memories']} memories{behind}; metrics of {len(one['history'])} days\n")
        table(
            ("file", "entries", "used %", "of its"),
            ((file["path"], file["entries"], file["utilization_pct"], file["of"]) for file in one["files"]),
        )
        print()
        table(("tier", "memories", "mean value"), ((tier, t["memories"], t["mean_value"]) for tier, t in one["tiers"].items()))
        print()
        table(("heartbeat", "figure"), ((name.replace("_", " "), value) for name, value in one["heartbeat"].items()))
        print()
