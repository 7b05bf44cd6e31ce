"""Who says what in a transcript's lines: "Speaker: text", or words below their speaker."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.formats.transcript_lines import (
    CUE_TAG,
    DATED,
    HEADER,
    HEADER_LINES,
    PROGRAMS,
    STAMP_ALONE,
    STAMPED,
    first_speaker,
    has_programs_head,
    is_dated,
    layout_of,
    messengers,
    said_in,
)


def said_lines(text: str) -> Iterator[tuple[str | None, str]]:
    """Lines "Speaker: text", or below their speaker; a line without a speaker goes on with the turn before it."""
    lines = text.split("\n")
    layout = layout_of(lines)
    if layout is not None:
        yield from _below_speakers(lines, layout)
        return
    speakers = {said[0] for line in lines if (said := said_in(line))}
    dated = is_dated(lines)
    begins = _head_ends(lines)
    speaker: str | None = None
    for number, line in enumerate(lines):
        if number < begins or not line.strip() or STAMP_ALONE.match(line[:200]) or PROGRAMS.fullmatch(line[:200]):
            continue
        if speaker is None and number < HEADER_LINES and HEADER.match(line[:400]):
            continue
        silent = one_line(line.rstrip().removesuffix(":"))
        if line.rstrip().endswith(":") and silent in speakers:  # a turn without words
            speaker = silent
            continue
        if dated and (sender := messengers(line)):
            speaker = one_line(sender)  # what they wrote under a picture stands in the lines below
            continue
        if dated and not DATED.match(line[:200]):
            yield speaker, clean_text(CUE_TAG.sub("", line))
            continue
        said = said_in(line)
        if dated and not said:  # the messenger's own: somebody has joined
            speaker = None
        speaker = said[0] if said else speaker
        yield said or (speaker, clean_text(STAMPED.sub("", line)))


def _below_speakers(lines: list[str], layout: re.Pattern[str]) -> Iterator[tuple[str | None, str]]:
    """What stands below each speaker. A few lines before the first one are the head; many are somebody's words."""
    first = first_speaker(lines, layout)
    speaker: str | None = None
    for line in lines[first if first <= HEADER_LINES else 0 :]:
        named = layout.match(line[:300])
        if named:
            speaker = one_line(named["name"])
        elif line.strip() and not PROGRAMS.fullmatch(line[:200]):
            yield speaker, clean_text(CUE_TAG.sub("", line))


def _head_ends(lines: list[str]) -> int:
    """Where what is said begins: at the first speaker below a program's own head, below a line "Transcript", else at once."""
    head = lines[: min(first_speaker(lines, None), HEADER_LINES)]
    if has_programs_head(lines) and len(head) < HEADER_LINES:
        return len(head)
    return next((number + 1 for number, line in enumerate(head) if line.strip() == "Transcript"), 0)
