"""Commands on the graph itself: start, stop, status, query."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_assets.cli.output import Json, emit, say, table
from memory_assets.graph import embedded
from memory_assets.graph.graph import open_graph
from memory_assets.settings import Settings, load_settings, without_login


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    graph = typer.Typer(help="The graph: start, stop, status, read-only queries.", no_args_is_help=True)
    graph.command()(start)
    graph.command()(stop)
    graph.command()(status)
    graph.command()(query)
    app.add_typer(graph, name="graph")


def start() -> None:
    """Start the embedded graph, if it does not run yet."""
    settings = load_settings()
    if _is_remote(settings):
        print(f"The graph is Neo4j at {_address(settings)}: nothing to start.")
        return
    embedded.start(settings)
    print("The graph runs.")


def stop() -> None:
    """Stop the embedded graph."""
    settings = load_settings()
    if _is_remote(settings):
        print(f"The graph is Neo4j at {_address(settings)}: it is not ours to stop.")
        return
    stopped = embedded.stop(settings)
    print("The graph is stopped." if stopped else "The graph did not run.")


def status(as_json: Json = False) -> None:
    """Which engine this installation uses, whether it runs, and what it holds."""
    settings = load_settings()
    remote = {"engine": "neo4j", "uri": _address(settings), "running": True}
    report: dict[str, Any] = remote if _is_remote(settings) else embedded.status(settings)
    if report.get("running"):
        graph = open_graph(settings)
        report["server"] = str(graph.server_info())
        report["nodes"] = {row["label"]: row["nodes"] for row in graph.read("graph/count_nodes")}
    if as_json:
        emit(report)
        return
    nodes = report.pop("nodes", {})
    for name, value in report.items():
        print(f"{name:<10} {value}")
    if nodes:
        print()
        table(("label", "nodes"), nodes.items())


def query(
    cypher: Annotated[str, typer.Argument(help="A reading Cypher query.")],
    param: Annotated[list[str] | None, typer.Option("--param", help="A parameter, as name=value.")] = None,
    as_json: Json = False,
) -> None:
    """Run a read-only query; `--json` gives a list of row objects."""
    rows = open_graph(load_settings()).query_read_only(cypher, _parameters(param or []))
    if as_json:
        emit(rows)
    elif rows:
        table(list(rows[0]), (list(row.values()) for row in rows))
    else:
        say("No rows.")


def _parameters(pairs: list[str]) -> dict[str, str | int | float | bool | None | list]:
    """``name=value``: the value is read as JSON where it is JSON, else taken as text."""
    import json

    parameters = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            raise typer.BadParameter(f"{pair!r}: write --param name=value.")
        try:
            parameters[name] = json.loads(value)
        except json.JSONDecodeError:
            parameters[name] = value
    return parameters


def _address(settings: Settings) -> str:
    return without_login(settings.neo4j_uri or "")


def _is_remote(settings: Settings) -> bool:
    return settings.neo4j_uri is not None


