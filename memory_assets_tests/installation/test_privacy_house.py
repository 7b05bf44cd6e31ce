"""A whole installation that is given secrets in every kind of source: none of them is anywhere in it, nor leaves it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from memory_assets_tests.support.canaries import needles, write_all
from memory_assets_tests.support.installation import installation
from memory_assets_tests.support.protocol_server import ProtocolServer

pytestmark = pytest.mark.slow  # nothing in it depends on the engine


def found_in(text: str) -> list[str]:
    """The secrets that stand in a text, as they are or as base64 of them."""
    forms = ((needle, (needle, base64.b64encode(needle.encode()).decode().rstrip("="))) for needle in needles())
    return [needle for needle, spellings in forms if any(spelling in text for spelling in spellings)]


def test_no_secret_is_anywhere_in_an_installation_nor_leaves_it(tmp_path: Path, user: str) -> None:
    server = ProtocolServer()
    write_all(tmp_path / "in")
    told: list[str] = []
    with server, installation(tmp_path / "home") as house:
        told.append(house.run("ingest", tmp_path / "in", "--user", user).stdout)
        assert "Secrets masked before anything was stored: " in told[-1]
        remote = type(house)(
            house.home,
            (
                ("MEMORY_ASSETS_LLM", "openai"),
                ("MEMORY_ASSETS_EMBEDDER", "openai"),
                ("OPENAI_BASE_URL", server.base_url),
                ("OPENAI_API_KEY", "sk-" + "nobody"),
            ),
        )
        for at in (house, remote):
            done = at.run("materialize", "--user", user)
            told += [done.stdout, done.stderr]
            told.append(at.run("show", "--user", user, "--json").stdout)
        told.append(house.run("export", "--user", user).stdout)
        rows = house.json(
            "graph", "query", "MATCH (n) WHERE n.user_id = $u RETURN properties(n) AS p", "--param", f"u={user}"
        )
        assert sum(1 for row in rows if row["p"].get("masked_count")) >= 7
        told.append(json.dumps(rows, ensure_ascii=False))
        told.append(house.memory_file(user).read_text(encoding="utf-8"))
        assert server.chats and server.embeddings
        told += [json.dumps(request.body, ensure_ascii=False) for request in (*server.chats, *server.embeddings)]
        assert any("[masked: " in text for text in told[-len(server.chats) :])
    assert [needle for text in told for needle in found_in(text)] == []
    for path in house.home.rglob("*"):
        assert found_in(str(path)) == []
        if path.is_file():
            assert found_in(path.read_bytes().decode("latin-1")) == [], path
