"""The one token counter: cl100k_base, offline, the same everywhere.

The count is made by the tokenizer of ``bpe-openai`` (its ids are those of tiktoken, which a test compares;
it is linear on any text, and needs no download). Text is always text: ``<|endoftext|>`` in a source
counts as the characters that it is.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import machinery, util
from typing import Any

ENCODING = "cl100k_base"
_WIDEST = 16  # characters a token; text of wider ones is cut earlier than it had to be
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def count_tokens(text: str) -> int:
    """The number of cl100k_base tokens in ``text``. Never fails: a lone surrogate counts as U+FFFD."""
    return int(_tokenizer().count(well_formed(text)))


def encode_tokens(text: str) -> list[int]:
    """The cl100k_base ids of ``text``, special tokens as ordinary text."""
    return list(_tokenizer().encode(well_formed(text)))


def well_formed(text: str) -> str:
    """``text`` as it can be written in UTF-8: surrogates that stand for nothing become U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text) if _LONE_SURROGATE.search(text) else text


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
def _tokenizer() -> Any:
    """From the compiled part of bpe-openai alone: its package takes half a second and three vocabularies more."""
    package = util.find_spec("bpe_openai")
    places = package.submodule_search_locations if package is not None else None
    spec = machinery.PathFinder.find_spec("_bindings", list(places or ()))
    if spec is None or spec.loader is None:
        raise ImportError("bpe-openai has no compiled part: install it again.")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.tokenizer_for_encoding(ENCODING)


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
