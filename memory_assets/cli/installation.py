"""Commands on the installation: its graph, its UI, what the models have cost, what is missing."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from memory_assets.cli.context import connect, read_instant
from memory_assets.cli.output import Json, emitted, listed, say, table
from memory_assets.errors import WrongUseError
from memory_assets.settings import Settings, load_settings, without_login

graph = typer.Typer(help="The graph: start, stop, status, read-only queries.", no_args_is_help=True)


@graph.command()
def start() -> None:
    """Start the embedded graph, if it does not run yet."""
    from memory_assets.graph import embedded

    settings = load_settings()
    if settings.neo4j_uri is None:
        embedded.start(settings)
    print("The graph runs." if settings.neo4j_uri is None else f"{_neo4j(settings)}: nothing to start.")


@graph.command()
def stop() -> None:
    """Stop the embedded graph."""
    from memory_assets.graph import embedded

    settings = load_settings()
    if settings.neo4j_uri is not None:
        print(f"{_neo4j(settings)}: it is not ours to stop.")
    else:
        print("The graph is stopped." if embedded.stop(settings) else "The graph did not run.")


@graph.command()
def status(as_json: Json = False) -> None:
    """Which engine this installation uses, whether it runs, and what it holds."""
    from memory_assets.graph import embedded
    from memory_assets.graph.graph import open_graph

    settings = load_settings()
    remote = {"engine": "neo4j", "uri": without_login(settings.neo4j_uri or ""), "running": True}
    report: dict[str, Any] = remote if settings.neo4j_uri is not None else embedded.status(settings)
    if report.get("running"):
        opened = open_graph(settings)
        report["server"] = opened.server_info()
        report["nodes"] = {row["label"]: row["nodes"] for row in opened.read("graph/count_nodes")}
    if emitted(report, as_json):
        return
    nodes = report.pop("nodes", {})
    for name, value in report.items():
        print(f"{name:<10} {value}")
    if nodes:
        print()
        table(("label", "nodes"), nodes.items())


@graph.command()
def query(
    cypher: Annotated[str, typer.Argument(help="A reading Cypher query.")],
    param: Annotated[list[str] | None, typer.Option("--param", help="A parameter, as name=value.")] = None,
    as_json: Json = False,
) -> None:
    """Run a read-only query; `--json` gives a list of row objects."""
    rows = connect()[1].query_read_only(cypher, _parameters(param or []))
    if listed(rows, as_json, "No rows."):
        table(list(rows[0]), rows)


def _parameters(pairs: list[str]) -> dict[str, str | int | float | bool | None | list]:
    """``name=value``: the value is read as JSON where it is JSON, else taken as text."""
    parameters = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            raise WrongUseError(f"{pair!r}: write --param name=value.")
        try:
            parameters[name] = json.loads(value)
        except json.JSONDecodeError:
            parameters[name] = value
    return parameters


def _neo4j(settings: Settings) -> str:
    return f"The graph is Neo4j at {without_login(settings.neo4j_uri or '')}"


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
        raise WrongUseError(f"--by {', '.join(unknown)}: it takes {', '.join(GROUPS)}.")
    settings = load_settings()
    begin = read_instant("--since", since, settings.clock) if since else None
    summary = open_ledger(settings).summary(groups, user=user, run=run, since=begin)
    if user is not None and not summary["calls"]:
        check_known(connect()[1], settings, [user])
    if emitted(summary, as_json):
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
        table(columns, (row | {"usd": f"{row['usd']:.6f}"} for row in summary["by"]))


def doctor(as_json: Json = False) -> None:
    """What is configured, what is missing, and what to do about it."""
    from memory_assets.commands.doctor import examine

    findings = examine()
    if not emitted([vars(finding) for finding in findings], as_json):
        table(("", "what", "finding", "what to do"), ((f.status, f.what, f.finding, f.remedy) for f in findings))
    if any(finding.is_broken for finding in findings):
        raise typer.Exit(1)


def ui(
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Where the UI listens, on 127.0.0.1.")] = 3000,
) -> None:
    """Dagster's webserver and daemon, and the server for agents, on 127.0.0.1, until TERM or Ctrl-C ends all of it."""
    from memory_assets.automation.ui import serve
    from memory_assets.server.process import resident

    settings = load_settings()
    raise typer.Exit(serve(settings, port, say, resident(settings)))
