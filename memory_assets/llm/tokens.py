"""The one token counter: cl100k_base, offline, the same everywhere.

The count is made by the tokenizer of ``bpe-openai`` (its ids are those of tiktoken, which a test compares;
it is linear on any text, and needs no download). Text is always text: ``<|endoftext|>`` in a source
counts as the characters that it is.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import tempfile
from collections.abc import Callable
from functools import cache
from importlib import machinery, util
from pathlib import Path
from typing import Any

ENCODING = "cl100k_base"
_SOURCE = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
_CHECKSUM = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_WIDEST = 16  # characters a token; text of wider ones is cut earlier than it had to be
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def count_tokens(text: str) -> int:
    """The number of cl100k_base tokens in ``text``. Never fails: a lone surrogate counts as U+FFFD."""
    return _tokenizer()(well_formed(text))


def well_formed(text: str) -> str:
    """``text`` as it can be written in UTF-8: lone surrogates become U+FFFD."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def pieces(text: str, limit: int) -> list[str]:
    """Cut ``text`` into pieces of at most ``limit`` tokens that join to the same text.

    A cut falls behind white space where there is some in the last quarter of a piece.
    """
    if limit < 8:
        raise ValueError("A piece needs room for at least 8 tokens.")
    text, at = well_formed(text), 0
    found: list[str] = []
    while at < len(text) or not found:
        window = text[at : at + limit * _WIDEST]
        if count_tokens(window) > limit:
            end = _longest_start(window, limit)
            space = max(window.rfind(mark, end * 3 // 4, end) for mark in (" ", "\n"))
            window = window[: space + 1 if space > 0 else end]
        found.append(window)
        at += len(window)
    return found


@cache
def _tokenizer() -> Callable[[str], int]:
    try:
        return _extension().tokenizer_for_encoding(ENCODING).count
    except (ImportError, OSError, AttributeError):  # another build: tiktoken has the same ids, more slowly
        encoding = tiktoken_encoding()
        return lambda text: len(encoding.encode_ordinary(text))


def _extension() -> Any:
    """The compiled part of bpe-openai alone: its package takes half a second and three vocabularies more."""
    spec = machinery.PathFinder.find_spec("_bindings", [str(_package())])
    if spec is None or spec.loader is None:
        raise ImportError("bpe-openai has no compiled part")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _package() -> Path:
    spec = util.find_spec("bpe_openai")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("bpe-openai is not installed")
    return Path(spec.submodule_search_locations[0])


def tiktoken_encoding() -> Any:
    """tiktoken's own cl100k_base, loaded without network: for comparison, and where bpe-openai fails."""
    vocabulary = gzip.decompress((_package() / "data" / f"{ENCODING}.tiktoken.gz").read_bytes())
    if hashlib.sha256(vocabulary).hexdigest() != _CHECKSUM:  # tiktoken would load another one
        raise ValueError("The vocabulary in bpe-openai is not tiktoken's: reinstall bpe-openai.")
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / hashlib.sha1(_SOURCE.encode()).hexdigest()).write_bytes(vocabulary)
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        try:
            import tiktoken

            return tiktoken.get_encoding(ENCODING)
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before


def _longest_start(text: str, limit: int) -> int:
    """The length of a long start of ``text`` with at most ``limit`` tokens (never zero)."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return low
