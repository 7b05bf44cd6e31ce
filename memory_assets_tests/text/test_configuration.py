"""Entries go into configurations and out of them again; every other byte stays."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_assets.text.configuration import MARK, ConfigurationError, Json, with_table, without_table

WORDS = st.text(max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(WORDS | st.sampled_from(["mcpServers", "hooks"]), VALUES, max_size=4)
LAYOUTS = st.tuples(
    st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans(), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", MARK])
)
ENTRY = {"type": "http", "headers": {"Authorization": "Bearer mem_x"}}
PATH = ("mcpServers", "memory-assets")


def laid_out(document: dict[str, Any], layout: tuple[Any, bool, str, str]) -> str:
    indent, as_ascii, line, mark = layout
    text = json.dumps(document, indent=indent, ensure_ascii=as_ascii) + "\n"
    return mark + text.replace("\n", line)


@given(DOCUMENTS, LAYOUTS)
@example({"mcpServers": {}}, (2, True, "\r\n", MARK))
@example({"mcpServers": {"memory-assets": 1}}, (None, True, "\n", ""))
def test_a_value_is_put_and_all_else_is_as_it_was(document: dict[str, Any], layout: tuple[Any, bool, str, str]) -> None:
    text = laid_out(document, layout)
    if not isinstance(document.get("mcpServers", {}), dict):
        with pytest.raises(ConfigurationError, match="mcpServers"):
            Json(text).put(PATH, ENTRY)
        return
    edited = Json(text).put(PATH, ENTRY)
    assert edited.parsed() == document | {"mcpServers": document.get("mcpServers", {}) | {"memory-assets": ENTRY}}
    assert edited.put(PATH, ENTRY) == edited
    assert edited.text.count("\n") == edited.text.count("\r\n") or "\r\n" not in text
    # What was there is there still, in one or two pieces.
    if "memory-assets" not in document.get("mcpServers", {}):
        start = next((n for n in range(len(text)) if edited.text[n] != text[n]), len(text))
        assert edited.text.endswith(text[start:])
        without = edited.remove(PATH if "mcpServers" in document else PATH[:1])
        assert without.parsed() == document
        if document.get("mcpServers") or ("mcpServers" not in document and document):
            assert without.text == text


@given(DOCUMENTS, LAYOUTS, st.lists(VALUES, max_size=3))
def test_an_element_is_appended_and_taken_out(
    document: dict[str, Any], layout: tuple[Any, bool, str, str], there: list[Any]
) -> None:
    document = document | {"hooks": {"Stop": there}}
    text = laid_out(document, layout)
    edited = Json(text).append(("hooks", "Stop"), ENTRY)
    assert edited.parsed() == document | {"hooks": {"Stop": [*there, ENTRY]}}
    without = edited.remove(("hooks", "Stop", len(there)))
    assert without.parsed() == document
    assert without.text == text or not there


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("\r\n", '{\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n'),
        (MARK, MARK + '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"x":1.0}', '{"x":1.0,"a":{"b":1}}'),
        ('{\n\t"x": 1e3\n}\n', '{\n\t"x": 1e3,\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'),
        ('{"a": {"b": 2, "c": "}"}}', '{"a": {"b": 1, "c": "}"}}'),
        ('{"a": {"b": 0}, "a": {"b": 2}}', '{"a": {"b": 0}, "a": {"b": 1}}'),
    ],
)
def test_odd_layouts(text: str, edited: str) -> None:
    assert Json(text).put(("a", "b"), 1).text == edited


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, // a comment\n}', "no plain JSON"),
        ('{"a": 1,}', "trailing commas"),
        ("[]", "no object"),
        ('{"a": [1]}', "no object"),
        ('{"a": null}', "no object"),
        ("[" * 100_000, "too deep"),
        ("nonsense", "no plain JSON"),
    ],
)
def test_what_cannot_be_edited_without_harm_is_refused(text: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        Json(text).put(("a", "b"), 1)


def test_a_name_that_stands_there_twice_is_taken_out_twice() -> None:
    assert Json('{"a": 1, "b": 2, "a": 3, "c": 4}').remove(["a"]).text == '{"b": 2, "c": 4}'


TABLE = {"url": "http://127.0.0.1:4747/mcp", "http_headers": {"Authorization": "Bearer mem_x"}}
NAME = ("mcp_servers", "memory-assets")
TOMLS = [
    "",
    MARK,
    'model = "o"  # mine',
    'model = "o"\n\n[mcp_servers.docs]\nurl = "x"\n',
    'model = "o"\r\n\r\n[mcp_servers.docs]\r\nurl = "x"\r\n',
    '[mcp_servers]\n[mcp_servers.docs]\nurl = """\n[mcp_servers.other]\n"""\n',
    "[[a.b]]\nx = 1\n[[a.b]]\nx = 2\n# end",
    MARK + 'x = 1979-05-27T07:32:00Z\ny = [\n  ["a"],\n]\n',
    'mcp_servers.docs.url = "x"\n',
]


@pytest.mark.parametrize("text", TOMLS)
def test_a_table_goes_to_the_end_and_out_again(text: str) -> None:
    before = tomllib.loads(text.removeprefix(MARK))
    try:
        edited = with_table(text, NAME, TABLE)
    except ConfigurationError as error:
        assert text.startswith("mcp_servers.docs") and "form that is not edited" in str(error)
        return
    after = tomllib.loads(edited.removeprefix(MARK))
    assert after == before | {"mcp_servers": before.get("mcp_servers", {}) | {"memory-assets": TABLE}}
    assert edited.startswith(text) and ("\r\n" in text) == ("\r\n" in edited)
    assert with_table(edited, NAME, TABLE) == edited
    assert without_table(edited, NAME).removesuffix("\n") == text.removesuffix("\n")
    more = edited + '[mcp_servers.memory-assets.tools.recall]\nenabled = true\n\n[mcp_servers.later]\nurl = "z"\n'
    assert tomllib.loads(without_table(more, NAME).removeprefix(MARK)) == before | {
        "mcp_servers": before.get("mcp_servers", {}) | {"later": {"url": "z"}}
    }
    other = with_table(edited, NAME, TABLE | {"url": "y"})
    assert tomllib.loads(other.removeprefix(MARK))["mcp_servers"]["memory-assets"]["url"] == "y"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mcp_servers = {}\n", "not edited"),
        ("mcp_servers = 1\n", "no table"),
        ("x = [\n", "no TOML"),
        ('[mcp_servers]\nmemory-assets = { url = "x" }\n', "not edited"),
    ],
)
def test_tables_in_another_form_are_refused(text: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        with_table(text, NAME, TABLE)
