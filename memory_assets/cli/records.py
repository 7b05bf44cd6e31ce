"""The command that lists what agents have recorded, and how a record is shown."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from memory_assets.cli.context import User, connect_for
from memory_assets.cli.output import Json, listed, table
from memory_assets.text.lines import shortened

LENGTH = 80
"""The list shows so much of a record's text."""


Kind = Literal[
    "belief", "reflection", "task", "analysis", "recommendation", "synthesis", "notification", "session", "memory"
]
"""What agents record, by the words of their lines."""


def records(
    user: User, kind: Annotated[Kind | None, typer.Option("--kind", help="Only these.")] = None, as_json: Json = False
) -> None:
    """What agents have recorded: beliefs, tasks, analyses and so on. `open` shows one by its reference."""
    from memory_assets.model import RECORD_KINDS
    from memory_assets.records.policy import KINDS
    from memory_assets.records.reading import list_records

    _, graph = connect_for(user)
    found = list_records(graph, user, [KINDS[kind]] if kind else RECORD_KINDS)
    if listed(found, as_json, "There are none: agents' records come in by the inbox or `memory-assets ingest`."):
        rows = (row | {"day": (row["recorded_at"] or "")[:10] or None, "text": _in_short(row)} for row in found)
        table(("ref", "kind", "agent", "state", "tier", "day", "text"), rows)


def held_in_words(found: dict[str, Any]) -> str:
    """Between which days something holds."""
    days = [f"{word} {found[name]}" for word, name in (("from", "valid_from"), ("to", "valid_to")) if found.get(name)]
    return f"holds {' '.join(days)}" if days else ""


def show_record(found: dict[str, Any]) -> None:
    """One record on stdout: what it says, of whom, its state, where it was found and what it is linked to."""
    title = f"{found['title']}\n\n" if found["title"] else ""
    print(f"{title}{found['text']} [{found['ref']}]\n")
    said = {name: found[name] for name in ("confidence", "status", "due", "severity") if found[name] is not None}
    parts = [found["kind"], f"by {found['agent']}", (found["recorded_at"] or "time unknown")[:10], found["state"]]
    parts += [found["tier"]] if found["tier"] else []
    parts += [f"{name} {value}" for name, value in said.items()]
    parts += [f"about {', '.join(found['about'])}"] if found["about"] else []
    parts += [days] if (days := held_in_words(found)) else []
    print(f"{', '.join(parts)}; retrieved {found['access_count']} times\n")
    for row in found["records"]:
        print(f"{row['relation']}: {row['kind']} by {row['agent']}: {_in_short(row)} [{row['ref']}]")
    for source in found["sources"]:
        print(f"recorded in: {source['title']} [{source['ref']}]\n  {source['path']}")


def _in_short(row: dict[str, Any]) -> str:
    return shortened(": ".join(filter(None, (row["title"], row["text"]))), LENGTH)
