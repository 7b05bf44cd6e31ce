"""What spaCy knows as an abbreviation. ``python -m memory_assets_tests.labelled.abbreviations`` writes it down anew."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from memory_assets.llm.local import language


def listed() -> str:
    """A row for each language: its code, a tab, its abbreviations of two letters or more, without the last point."""
    return "".join(f"{one}\t{' '.join(_of(one))}\n" for one in language.WITH_ABBREVIATIONS)


def _of(one: str) -> list[str]:
    written = import_module(f"spacy.lang.{one}.tokenizer_exceptions").TOKENIZER_EXCEPTIONS
    words = {word.removesuffix(".") for word in written if word.endswith(".")}
    return sorted(word for word in words if len(word) > 1 and word.translate({ord("."): "", ord("-"): ""}).isalpha())


if __name__ == "__main__":
    Path(language.__file__).with_name(language.ABBREVIATIONS).write_text(listed(), encoding="utf-8")
