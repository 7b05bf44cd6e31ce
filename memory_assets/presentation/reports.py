"""The form of what people look at: Markdown that no memory's text can break, money, and owners summed up.

Every room's ``metadata.py`` says what its assets show as a plain dict: numbers stay numbers, text stays text,
and what is to be rendered is :class:`Markdown`. The runtime turns these into Dagster's types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

ROWS_SHOWN = 50
CELL_LENGTH = 300
COLUMNS_OF_OWNERS = 8
IN_PLACE = 999
"""Dagster's UI draws Markdown of fewer than 1,000 characters in place, and anything longer behind a link."""
BAR_WIDTH = 20
SMALL = 0.01
"""Fractions below it show more digits: a call costs as little."""

AVERAGES = {"mean_value": "memories", "graph_to_file_ratio": "file_entries"}
"""Figures that are averages, and what each is weighed by; what has a limit, or is one, is a range. All else adds up."""
RANGES = frozenset({"budget", "days_in_history"})

# What a reader of Markdown acts on inside a line. Most text is a memory's: an image in it would be fetched.
_ACTIVE = re.compile(r"[\\`*\[\]<>|~&!$]|(?<![^\W_])_|_(?![^\W_])")
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


class Markdown(str):
    """Text to be rendered as Markdown."""

    __slots__ = ()


def one_cell(value: object, limit: int = CELL_LENGTH) -> str:
    """Any value as one line of at most ``limit`` visible characters, in which nothing is active Markdown.

    None is empty, instants are their day (UTC), fractions keep four digits after the point, and six where they are
    small.
    """
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            digits = 4 if abs(value) >= SMALL else 6
            return f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0"
        case datetime():
            return value.date().isoformat()
        case date():
            return value.isoformat()
    text = " ".join(_UNSEEN.sub("", str(value)).split())
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    return _ACTIVE.sub(r"\\\g<0>", text)


def markdown_table(
    columns: Sequence[str] | Mapping[str, str],
    rows: Iterable[Mapping[str, Any]],
    most: int = ROWS_SHOWN,
    fit: int | None = None,
) -> Markdown:
    """Rows as a Markdown table; ``columns`` are their keys, or keys and the headings to show.

    Numbers are on the right. Of more than ``most`` rows, or than fit in ``fit`` characters, the first are shown and the
    others counted below.
    """
    headings = columns if isinstance(columns, Mapping) else {name: name.replace("_", " ") for name in columns}
    given = list(rows)
    shown = given[:most]
    sides = ["---:" if _are_numbers([row.get(name) for row in shown]) else "---" for name in headings]
    lines = [_line(headings.values()), "|" + "|".join(sides) + "|"]
    lines += [_line(row.get(name) for name in headings) for row in shown]
    if len(given) > len(shown):
        lines += ["", f"and {len(given) - len(shown)} more"]
    table = Markdown("\n".join(lines))
    if fit is not None and len(table) > fit and len(shown) > 1:
        return markdown_table(columns, given, len(shown) - 1, fit)
    return table


def bar(part: float, whole: float, width: int = BAR_WIDTH) -> str:
    """``part`` of ``whole`` as a bar of text, which is drawn wherever text is."""
    filled = round(width * min(max(part / whole, 0), 1)) if whole > 0 else 0
    return "█" * (filled or (part > 0)) + "░" * (width - (filled or (part > 0)))


def count_table(heading: str, counts: Mapping[str, int], unit: str) -> Markdown:
    """Counts by name as a table of two columns, the largest first."""
    rows = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [{"name": n, "count": c} for n, c in rows]
    return markdown_table({"name": heading, "count": unit}, shown, fit=IN_PLACE)


def fenced(text: str, language: str = "") -> Markdown:
    """Text as a block of code that it cannot end by itself."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return Markdown(f"{fence}{language}\n{text}\n{fence}")


def spent(totals: Mapping[str, Any]) -> dict[str, Any]:
    """What a step's work for one owner cost, from the ledger's totals since it began (``Ledger.totals``).

    Tokens are those of calls that were really made, ``tokens_in_cached`` the part that the service had cached,
    ``usd`` their price.
    """
    shown = {name: totals[name] for name in ("calls", "tokens_in", "tokens_out")}
    if totals.get("tokens_cached"):
        shown["tokens_in_cached"] = totals["tokens_cached"]
    shown |= {"answers_from_cache": totals["cached"], "usd": round(float(totals["usd"]), 6)}
    if totals["unpriced"]:
        shown["unpriced"] = f"not in usd, since their price is not known: {', '.join(totals['unpriced'])}"
    return shown


def summarise(done: Mapping[str, Mapping[str, Any]], held_up: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A run of several owners at a glance: how many, what their figures add up to, and a row for each.

    ``done`` is each owner's metadata of an asset; ``held_up`` says of each other owner why nothing came of it. Counts
    are added up, an average is made again with its weights, of a limit the least and the most are shown, of yes and no
    for how many it is yes; texts, tables and pictures are each owner's own.
    """
    held_up = held_up or {}
    summary: dict[str, Any] = {"owners": len(done), "owners_held_up": len(held_up), **_together(done)}
    given = {name: sorted(one[name] for one in done.values() if is_number(one.get(name))) for name in sorted(RANGES)}
    if spread := [_range(name, values) for name, values in given.items() if values]:
        summary["least_to_most"] = markdown_table(("figure", "least", "median", "most"), spread)
    if done:
        rows = [{"owner": owner, **metadata} for owner, metadata in sorted(done.items())]
        figures = [
            name for name in _names(done) if any(is_number(one.get(name)) and one[name] for one in done.values())
        ]
        summary["by_owner"] = markdown_table(("owner", *figures[:COLUMNS_OF_OWNERS]), rows)
    if held_up:
        rows = [{"owner": owner, "reason": reason} for owner, reason in sorted(held_up.items())]
        summary["held_up"] = markdown_table(("owner", "reason"), rows)
    return summary


def _names(done: Mapping[str, Mapping[str, Any]]) -> Iterable[str]:
    """Every figure that an owner has, in the order of the page."""
    return dict.fromkeys(name for one in done.values() for name in one)


def _together(done: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of all owners together."""
    shown: dict[str, Any] = {}
    for name in _names(done):
        known = [(one[name], one) for one in done.values() if is_number(one.get(name))]
        if any(isinstance(one.get(name), bool) for one in done.values()):
            shown[name] = f"for {sum(one.get(name) is True for one in done.values())} of {len(done)} owners"
        elif name in AVERAGES:
            if weight := sum(one.get(AVERAGES[name], 0) for _, one in known):
                shown[name] = round(sum(value * one.get(AVERAGES[name], 0) for value, one in known) / weight, 4)
        elif known and name not in RANGES:
            total = sum(value for value, _ in known)
            shown[name] = round(total, 6) if isinstance(total, float) else total
    return shown


def _range(name: str, values: Sequence[float]) -> dict[str, Any]:
    middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    return {"figure": name.replace("_", " "), "least": values[0], "median": middle, "most": values[-1]}


def is_number(value: object) -> bool:
    """A number, and neither yes nor no."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(one_cell(cell) for cell in cells) + " |"


def _are_numbers(values: Sequence[object]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(map(is_number, known))


def some(names: Iterable[str], most: int = 5) -> str:
    """Names for a sentence: the first ones, and how many more there are."""
    listed = list(names)
    rest = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {rest} more" if rest > 0 else "")
