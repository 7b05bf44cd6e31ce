"""Token counts are tiktoken's, for any text, quickly and without network."""

from __future__ import annotations

import gzip
import hashlib
from importlib import util
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.llm.tokens import ENCODING, count_tokens, pieces

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


SOURCE = f"https://openaipublic.blob.core.windows.net/encodings/{ENCODING}.tiktoken"


@pytest.fixture(scope="module")
def tiktoken(tmp_path_factory):
    """tiktoken's own encoding, from the vocabulary that bpe-openai brings along, put where tiktoken looks for it."""
    import tiktoken

    package = Path(next(iter(util.find_spec("bpe_openai").submodule_search_locations)))
    folder = tmp_path_factory.mktemp("vocabulary")
    vocabulary = gzip.decompress((package / "data" / f"{ENCODING}.tiktoken.gz").read_bytes())
    (folder / hashlib.sha1(SOURCE.encode()).hexdigest()).write_bytes(vocabulary)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield tiktoken.get_encoding(ENCODING)


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_texts_count_as_in_tiktoken(tiktoken, text):
    assert count_tokens(text) == len(tiktoken.encode_ordinary(text))


@settings(max_examples=400)
@given(ANY_TEXT)
def test_any_text_counts_as_in_tiktoken(tiktoken, text):
    # tiktoken joins surrogate pairs; ours replaces each half. Whole characters never differ.
    clean = "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    assert count_tokens(text) == len(tiktoken.encode_ordinary(clean))


def test_a_text_without_spaces_is_no_trap():
    assert count_tokens("a" * 2_000_000) > 0


@settings(max_examples=150)
@given(st.text(max_size=400), st.integers(8, 60))
def test_pieces_join_to_the_same_text_and_fit(text, limit):
    found = pieces(text, limit)
    assert (
        "".join(found) == text.encode("utf-8", "replace").decode()
        if text.isascii()
        else "".join(found) == text
    )
    assert found and all(count_tokens(piece) <= limit for piece in found)


def test_pieces_of_a_megabyte(tmp_path):
    text = "word " * 250_000
    found = pieces(text, 5000)
    assert "".join(found) == text and max(map(count_tokens, found)) <= 5000
