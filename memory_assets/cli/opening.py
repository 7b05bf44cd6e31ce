"""The command that opens one memory: what it says, what is below it, what it is part of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import typer

from memory_assets.cli.context import User, connect_for
from memory_assets.cli.output import Json, emitted, table
from memory_assets.cli.reading import show_anchor
from memory_assets.cli.records import held_in_words, show_record

BUDGET = 4000


Level = Literal["full", "summary", "keywords"]
"""How much of a source is shown (000, ``compression_level``)."""


def open_memory(
    ref: Annotated[
        str,
        typer.Argument(
            metavar="REF",
            help="A reference, as a MEMORY.md, `recall` and `open` have it; or a source's id, as `sources` lists it.",
        ),
    ],
    user: User,
    level: Annotated[
        Level | None, typer.Option("--level", help="How much of a source's text; of a statement, that of its source.")
    ] = None,
    tokens: Annotated[int, typer.Option("--tokens", help="At most so many tokens of what is below it.")] = BUDGET,
    as_json: Json = False,
) -> None:
    """Open one memory: a theme shows its storylines, a storyline its sources, a source its summary and sentences, a
    sentence its source and what was said around it, a name its themes, storylines and relationships; and each what it
    is part of. What an agent has recorded shows its state, its sources and the records that it is linked to.

    A source's text comes in full, as a summary (a tenth of it) or as keywords (three hundredths). Counts the access.
    """
    from memory_assets.commands.reading import open_memory as opened_for
    from memory_assets.validity.reading import in_words

    settings, graph = connect_for(user)
    found = opened_for(graph, settings, user, ref.strip("[]"), tokens, level)
    if emitted(found, as_json):
        return
    if "agent" in found:
        show_record(found)
        return
    if found["kind"] == "source":
        _show_source(found)
    elif found["kind"] == "statement":
        speaker = f"{found['speaker']}: " if found["speaker"] else ""
        print(f"{speaker}{found['text']}{_marks(found)}\n")
        if days := held_in_words(found):
            print(f"It {days}.\n")
        for relation in found["validity"]:
            print(f"{in_words(relation)}\n")
        _show_lines("said before", found["before"])
        _show_lines("said after", found["after"])
        _show_heads("said in", ({"kind": row["kind"], **row} for row in found["sources"]))
    elif "notes" in found:
        show_anchor({**found, "text": f"{found['title']}{_marks(found)}"})
        print()
    else:
        from memory_assets.recall.levels import head_of

        print(f"{found['kind'].capitalize()}: {head_of(found)}\n\n{found['text']}\n")
    for name in ("themes", "storylines", "sources", "sentences"):
        if found["kind"] != "statement":
            _show_lines(name, found.get(name, ()))
    if found.get("left_out"):
        print(f"{found['left_out']} more below it (--tokens).\n")
    _show_heads("part of", found["part_of"])
    _show_heads("about", found["about"])


def _show_source(found: dict[str, Any]) -> None:
    context = found["context"]
    print(f"{found['title']}{_marks(found)}")
    kind, at = found["source_kind"], found["occurred_at"] or "time unknown"
    print(", ".join(filter(None, (kind, at, context["content_type"], context["access_tier"]))))
    print(f"{found['path']}\n\n{context['text']}\n")
    if context["levels"]:
        rows = (
            [one["level"], one["ref"], one["token_count"], f"{one['compression_ratio']:.2%}", one["access_count"]]
            + [(one["expires_at"] or "never")[:10]]
            for one in context["levels"]
        )
        table(("level", "ref", "tokens", "share", "accesses", "expires"), rows)
    for relation in ("follows", "followed_by", "part_of", "parts"):
        if beside := context[relation]:
            print(f"{relation.replace('_', ' ')}: {beside if isinstance(beside, str) else ', '.join(beside)}")
    print()


def _show_lines(title: str, rows: Iterable[dict[str, Any]]) -> None:
    if lines := [row["line"] for row in rows]:
        print("\n".join([f"{title}:", *(f"- {line}" for line in lines), ""]))


def _show_heads(title: str, rows: Iterable[dict[str, Any]]) -> None:
    for row in rows:
        day = f"{row['at'][:10]}, " if row.get("at") else ""
        print(f"{title}: {day}{row['kind']} {row['title']}{_marks(row)}")


def _marks(row: dict[str, Any]) -> str:
    return (" (archived)" if row.get("is_archived") else "") + (f" [{row['ref']}]" if row.get("ref") else "")
