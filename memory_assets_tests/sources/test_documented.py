"""The examples of docs/sources.md are read as it says."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from memory_assets.sources.formats import clean, recognise
from memory_assets.sources.formats.base import Document, RawSource

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
EXAMPLES = {
    heading: re.search(r"```\w*\n(.*?)```", body, re.DOTALL)
    for heading, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
}
EXPECTED = {
    "Conversations as JSON lines": ("conversation", 1, "When do I plant garlic?", "2026-10-05T09:00:00+00:00"),
    "Conversations in one JSON document": ("conversation", 1, "Leeks", "2026-10-05T09:00:00+00:00"),
    "ChatGPT's data export": ("conversation", 1, "Garden plan", "2025-10-01T06:26:41+00:00"),
    "Claude's data export": ("conversation", 1, "Compost", "2026-10-01T08:01:00+00:00"),
    "Claude Code's transcripts": ("conversation", 1, "Fix the watering timer", "2026-10-01T08:01:00+00:00"),
    "Codex's transcripts": ("conversation", 1, "Why does the timer drift?", "2026-10-01T08:01:00+00:00"),
    "Agent records": ("record", 9, "Harbor: beliefs of 2026-10-05", "2026-10-05T09:00:00+00:00"),
    "Slack": ("slack", 1, "Slack: Who waters the beds?", "2026-10-05T09:00:00.000100+00:00"),
    "Mail": ("email", 1, "Seeds", "2026-10-05T07:00:00+00:00"),
    "Transcripts": ("transcript", 1, "Garden call", "2026-10-05T00:00:00+00:00"),
    "Notes": ("note", 1, "Compost", "2026-10-05T00:00:00+00:00"),
}


@pytest.mark.parametrize("heading", EXPECTED)
def test_an_example_is_read_as_it_is_described(heading: str) -> None:
    kind, count, title, started = EXPECTED[heading]
    example = EXAMPLES[heading]
    assert example is not None
    data = example[1].encode()
    chosen = recognise(data, "example")
    found = list(chosen.read(Document(io.BytesIO(data), "example", len(data))))
    sources = [item for item in found if isinstance(item, RawSource)]
    assert (chosen.kind, len(sources), len(found)) == (kind, count, count)
    assert sources[0].title == title and str(sources[0].started_at).startswith(started[:19].replace("T", " "))
    assert clean(kind, sources[0].raw_content).turns


def test_every_format_has_an_example() -> None:
    assert set(EXPECTED) == {heading for heading, example in EXAMPLES.items() if example}
