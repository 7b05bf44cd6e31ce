"""Token counts are tiktoken's, for any text, quickly and without network."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm import tokens
from memory_assets.llm.tokens import count_tokens, pieces, tiktoken_encoding

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
ODD = [
    "",
    " ",
    "\n\n \t",
    "Hello, world!",
    "don't we'LL I'VE 'ſ",
    "1234567 ٣٤٥ ²Ⅷ①",
    "日本語 漢字 한국어",
    "مرحبا بالعالم",
    "हिन्दी ไทย",
    "😀👨‍👩‍👧‍👦🇩🇪",
    "<|endoftext|>",
    "a<|fim_prefix|>b<|endofprompt|>",
    "\u202e\u200b\ufeff\x00\x1c\x85\u2028",
    "e\u0301é İß",
    "x" * 5000,
    "ab " * 2000,
    "\r\n" * 50,
    "\U0010ffff\ufffd",
]


@pytest.fixture(scope="module")
def tiktoken():
    return tiktoken_encoding()


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_texts_count_as_in_tiktoken(tiktoken, text):
    assert count_tokens(text) == len(tiktoken.encode_ordinary(text))


@settings(max_examples=400)
@given(ANY_TEXT)
def test_any_text_counts_as_in_tiktoken(tiktoken, text):
    # tiktoken joins surrogate pairs; ours replaces each half. Whole characters never differ.
    clean = "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    assert count_tokens(text) == len(tiktoken.encode_ordinary(clean))


def test_without_the_fast_tokenizer_tiktoken_counts_the_same(monkeypatch):
    monkeypatch.setattr(tokens, "_extension", lambda: (_ for _ in ()).throw(ImportError()))
    monkeypatch.setattr(tokens, "_tokenizer", tokens._tokenizer.__wrapped__)
    assert count_tokens("Hello <|endoftext|> \ud800 world") == count_tokens("Hello <|endoftext|> \ufffd world")
    assert count_tokens("Hello, world!") == 4


def test_a_text_without_spaces_is_no_trap():
    assert count_tokens("a" * 2_000_000) > 0


@settings(max_examples=150)
@given(st.text(max_size=400), st.integers(8, 60))
def test_pieces_join_to_the_same_text_and_fit(text, limit):
    found = pieces(text, limit)
    assert "".join(found) == text.encode("utf-8", "replace").decode() if text.isascii() else "".join(found) == text
    assert found and all(count_tokens(piece) <= limit for piece in found)


def test_pieces_of_a_megabyte(tmp_path):
    text = "word " * 250_000
    found = pieces(text, 5000)
    assert "".join(found) == text and max(map(count_tokens, found)) <= 5000
