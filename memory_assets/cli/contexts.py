"""The command that reads a source at a level of compression, and gets from any level to the original."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from memory_assets.cli.context import User, connect_for
from memory_assets.cli.output import Json, emit, table


class Level(StrEnum):
    """How much of a source is shown (000, ``compression_level``)."""

    FULL = "full"
    SUMMARY = "summary"
    KEYWORDS = "keywords"


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command()(context)


def context(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE_ID_OR_REF",
            help="A source's id, as `sources` lists it; or a reference of a source or statement, as a MEMORY.md has it.",
        ),
    ],
    user: User,
    level: Annotated[Level, typer.Option("--level", help="How much of it.")] = Level.SUMMARY,
    as_json: Json = False,
) -> None:
    """Show a source in full, as a summary (a tenth of it) or as keywords (three hundredths). Counts the access."""
    from memory_assets.compression.reading import open_context

    settings, graph = connect_for(user)
    found = open_context(graph, user, source.strip("[]"), level.value, settings.clock.now())
    if as_json:
        emit(found)
        return
    original = found["source"]
    print(f"{original['title']}\n{original['kind']}, {original['occurred_at'] or 'time unknown'}, {found['content_type']}, {found['access_tier']}")
    print(f"{original['path']}\n\n{found['text']}\n")
    table(
        ("level", "ref", "tokens", "share", "accesses", "expires"),
        (
            (one["level"], one["ref"], one["token_count"], f"{one['compression_ratio']:.2%}", one["access_count"], (one["expires_at"] or "never")[:10])
            for one in found["levels"]
        ),
    )
    beside = (("follows", [found["follows"]]), ("followed by", found["followed_by"]), ("part of", [found["part_of"]]), ("parts", found["parts"]))
    for relation, ids in beside:
        if named := [key for key in ids if key]:
            print(f"{relation}: {', '.join(named)}")
    if found["level"] != Level.FULL.value:
        print(f"The original: memory-assets context {original['id']} --user {user} --level full")
