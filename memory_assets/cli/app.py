"""The application: its commands by topic, and what an error looks like."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from errno import EPIPE

import typer

from memory_assets.cli.connecting import connect, hook
from memory_assets.cli.curating import audits, consolidate, curate, curation, duplicates, restore
from memory_assets.cli.erasing import erase
from memory_assets.cli.files import edits, files
from memory_assets.cli.heartbeat import heartbeat
from memory_assets.cli.installation import doctor, graph, ledger, ui
from memory_assets.cli.migrate import migrate
from memory_assets.cli.names import init_profile, names, team
from memory_assets.cli.opening import open_memory
from memory_assets.cli.reading import context, explain, export, metrics, recall, show
from memory_assets.cli.records import records
from memory_assets.cli.remembering import correct, remember
from memory_assets.cli.running import ingest, materialize, sample
from memory_assets.cli.serving import agents, mcp, page, serve, server, tokens
from memory_assets.cli.sessions import session
from memory_assets.cli.sources import projects, retry, sources
from memory_assets.cli.validity import contradictions, decisions, diff, undo
from memory_assets.errors import MemoryAssetsError, WrongUseError

app = typer.Typer(
    name="memory-assets",
    help="An agent's long-term memory as Dagster assets: from real sources to a bounded MEMORY.md.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    ingest, materialize, sample, ui, show, explain, export, recall, context, correct, remember, records, projects,
    agents, retry, init_profile, metrics, ledger, doctor, migrate, diff, decisions, undo, consolidate, curate, restore,
    audits, erase, serve, mcp, page, connect, hook,
):  # fmt: skip
    app.command()(command)
app.command("open")(open_memory)
for name, group in {
    "duplicates": duplicates, "edits": edits, "contradictions": contradictions, "files": files, "sources": sources,
    "names": names, "heartbeat": heartbeat, "team": team, "graph": graph, "curation": curation, "session": session,
    "tokens": tokens, "server": server,
}.items():  # fmt: skip
    app.add_typer(group, name=name)


def main() -> None:
    """Run the command line; every foreseen error is one sentence on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed by the caller
            stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    try:
        try:
            app()
        finally:
            print(end="", flush=True)
    except MemoryAssetsError as error:
        print(f"memory-assets: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, WrongUseError) else 1)
    except OSError as error:
        _end_output()
        if error.errno != EPIPE:  # else nobody reads on, as with `| head -1`
            where = f" ({error.filename})" if error.filename else ""
            print(
                f"memory-assets: {error.strerror or type(error).__name__}{where}. Check the path and the rights to it; "
                "MEMORY_ASSETS_HOME says where everything is kept, `memory-assets doctor` what else is wrong.",
                file=sys.stderr,
            )
        sys.exit(1)


def _end_output() -> None:
    """Have nothing more of what cannot be written tried at the end, when it would be a traceback."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
