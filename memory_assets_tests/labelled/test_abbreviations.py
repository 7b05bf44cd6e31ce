"""The abbreviations that sentences are cut by are those of the spaCy that is installed."""

from __future__ import annotations

from pathlib import Path

from memory_assets.llm.local import language
from memory_assets_tests.labelled.abbreviations import listed


def test_the_file_holds_what_spacy_lists() -> None:
    written = Path(language.__file__).with_name(language.ABBREVIATIONS).read_text(encoding="utf-8")
    assert written == listed(), "write it anew: python -m memory_assets_tests.labelled.abbreviations"
