"""How memories read in a context: a passage, a record, a contradiction, a topic, a line of MEMORY.md. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memory_assets.context.policy import BACKGROUND, CRITICAL, INDEX, OUTDATED, RELEVANT, Cue, Offer
from memory_assets.model import SourceType, fingerprint
from memory_assets.text.lines import begins_with, clean_text

Row = Mapping[str, Any]
Notes = Sequence[tuple[str, str]]
"""Words that hold no longer, each with why."""
_MEMORY_LINE = re.compile(r"^- (?P<text>.*) \[(?P<ref>\d{9})\]$")
PREFERENCES = "Personal Preferences"
_TITLE = 60
_QUOTED = 40


def with_notes(text: str, notes: Notes) -> str:
    """Words on one line with what of them holds no longer; the last note on each counts."""
    flat = " ".join(text.split())
    latest = {words: note for part, note in notes if (words := " ".join(part.split())) in flat}
    remarks = [note if words == flat else f"“{_beginning(words)}”: {note}" for words, note in latest.items()]
    return clean_text(text) + (f" ({'; '.join(remarks)})" if remarks else "")


def _beginning(words: str) -> str:
    """The first words of some, enough to find them above."""
    if len(words) <= _QUOTED:
        return clean_text(words)
    return clean_text(words[:_QUOTED].rpartition(" ")[0] or words[:_QUOTED]) + "…"


def of_passage(
    head: Row, speaker: str | None, text: str, said: Sequence[Row], notes: Notes, cue: Cue, score: float
) -> Offer:
    """A passage that was found. ``said`` are the statements in it, ``notes`` what of it holds no longer.

    One that surely names a file that is at work, and of which nothing is superseded, is critical.
    """
    is_critical = cue.kind == "file" and bool(said) and not notes and cue.is_named(text)
    own = (head["source_id"],) if head["is_own"] else ()
    words, title = with_notes(text, notes), clean_text(head["title"])[:_TITLE].rstrip()
    kind = "" if head["kind"] == SourceType.CONVERSATION else f", {head['kind']}"
    when, reference = f"{day_of(head['at'])}{kind}", f"[{head['ref']}]"
    return Offer(
        ref=said[0]["ref"] if said else head["ref"],
        tier=CRITICAL if is_critical else RELEVANT,
        text=words,
        why=f"names {cue.label}, in force" if is_critical else f"found for {cue.label}",
        key=f"{head['ref']}/{fingerprint(text)[:8]}",
        covers=tuple(one["ref"] for one in said),
        parts=tuple(with_notes(one["words"], notes) for one in said) if len(said) > 1 else (),
        label=clean_text(" ".join((speaker or "").split()))[:_TITLE].rstrip(),
        group=f"{when}{f': {title}' if title else ''} {reference}",
        brief=f"{when} {reference}" if title and begins_with(words, title, _TITLE) else "",
        memory_ids=tuple(one["id"] for one in said) or own,
        cue=cue.label,
        score=score * (OUTDATED if notes else 1.0),
    )


def of_record(record: Row, covers: Sequence[str], notes: Notes, cue: Cue, score: float) -> Offer:
    """What an agent has remembered as a decision, or as the fix of an error; ``covers`` are its statements."""
    is_fix = record["kind"] == "error_fix"
    is_named = cue.is_named("\n".join((record["text"], *record["about"])))
    what = "fix of an error" if is_fix else "decision"
    why = f"{what} {'about' if is_named else 'found for'} {cue.label}"
    return Offer(
        ref=record["ref"],
        tier=CRITICAL,
        text=with_notes(record["text"], notes),
        why=why if is_fix or notes else f"{why}, in force",
        key=record["ref"],
        covers=tuple(covers),
        group=f"{'Fixes' if is_fix else 'Decisions'}, {day_of(record['at'])}",
        memory_ids=(record["id"],),
        cue=cue.label,
        score=score,
    )


def of_contradiction(row: Row, name: str, cue: Cue) -> Offer:
    """Two statements that cannot both be true and that nobody has settled, or one that is said to be wrong; ``name`` is
    what it is settled by.
    """
    sides = [
        f"“{clean_text(row[side])}”{f' [{ref}]' if (ref := row[f'{side}_ref']) else ''}"
        f" ({', '.join(filter(None, (clean_text(row[f'{side}_speaker'] or ''), day_of(row[f'{side}_at']))))})"
        for side in ("one", "other")
    ]
    return Offer(
        ref=name,
        tier=CRITICAL,
        text=f"Not settled: {sides[0]} against {sides[1]}",
        why=f"open contradiction, found for {cue.label}",
        key=f"contradiction/{name}",
        covers=tuple(filter(None, (row["one_ref"], row["other_ref"]))),
        memory_ids=tuple(filter(None, (row["one_id"], row["other_id"]))),
        cue=cue.label,
        score=0.5 * cue.weight,
        is_whole=True,
    )


def of_statement(row: Row, tier: int, why: str) -> Offer:
    """One statement by itself, as it is understood alone."""
    return Offer(row["ref"], tier, clean_text(row["text"]), why, row["ref"], memory_ids=(row["memory_id"],))


def of_file(text: str, standing: Mapping[str, str]) -> list[Offer]:
    """The entries of a MEMORY.md, in its order: ``standing`` are the references of what must always hold, each
    with why. These are critical; all else is background, the preferences last.
    """
    offers: list[Offer] = []
    last: list[Offer] = []
    heading = year = ""
    for line in text.split("\n"):
        if line.startswith("## "):
            heading, year = line[3:], ""
        elif line.startswith("### "):
            year = line[4:]
        elif match := _MEMORY_LINE.match(line):
            ref = match["ref"]
            is_standing = ref in standing
            is_preference = heading == PREFERENCES
            tier, group = (CRITICAL, "") if is_standing else (BACKGROUND, ", ".join(filter(None, (heading, year))))
            why = standing.get(ref) or f"stands in MEMORY.md under {heading}"
            one = Offer(ref=ref, tier=tier, text=match["text"], why=why, key=ref, group=group)
            (last if is_preference and not is_standing else offers).append(one)
    return offers + last


def of_overview(row: Row, days: str, kind: str, cue: Cue, score: float) -> Offer:
    """A storyline or a theme with its text, in place of what was said; ``days`` are its days and how much it holds."""
    title, text = clean_text(row["title"]), clean_text(row["text"])
    return Offer(
        ref=row["ref"],
        tier=RELEVANT,
        text=f"{title} ({days}): {text}" if days else f"{title}: {text}",
        why=f"found for {cue.label}",
        key=row["ref"],
        covers=(_title_of(row),),
        group=kind.capitalize(),
        memory_ids=(row["id"],),
        cue=cue.label,
        score=score,
        is_whole=True,
    )


def of_topic(row: Row) -> Offer:
    """A storyline or a theme, by its title: what can be asked for."""
    count = row["source_count"] or 0
    last = f"last {row['last_at'][:10]}" if row["last_at"] else ""
    size = ", ".join(filter(None, (f"{count} source{'' if count == 1 else 's'}" if count else "", last)))
    title = clean_text(row["title"])
    text = f"{title} ({size})" if size else title
    return Offer(ref=row["ref"], tier=INDEX, text=text, why="recall answers it", key=_title_of(row))


def _title_of(row: Row) -> str:
    """What a session knows a title by: who has it alone has not the text below it."""
    return f"{row['ref']}/title"


def day_of(at: str | None) -> str:
    """The day of an instant."""
    return (at or "")[:10] or "day unknown"
