"""A whole installation whose MEMORY.md a service composes: what is asked, what stands, what falls back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_assets_tests.support.installation import Installation, installation, write_conversation
from memory_assets_tests.support.protocol_server import ProtocolServer, Reply, Request, completion, good, read_data

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).resolve().parents[2] / "sample_inbox" / "ben" / "notes"
KEYS = "My brother Callum keeps the keys of the boat in Whitby."
FERRY = "The ferry costs 14 euros and never runs on Sundays."
UNITS = "Always answer me in metric units."


class Service:
    """Answers like any service, and composes files by hand; ``brother`` is how it calls Ben's brother."""

    def __init__(self) -> None:
        self.brother = "Callum"
        self.composed: list[Request] = []
        self.server = ProtocolServer(always=self.answer)

    def answer(self, request: Request) -> Reply:
        form = request.body.get("response_format") or {}
        if "preferences" not in form.get("json_schema", {}).get("schema", {}).get("properties", {}):
            return good(request)
        self.composed.append(request)
        # The first of a text: the source of a statement may be told by the same words.
        refs = {one["text"]: one["ref"] for one in reversed(read_data(request.user_text)["lines"])}
        own = {"text": f"{self.brother}, Ben's brother, keeps the keys of the boat in Whitby.", "refs": [refs[KEYS]]}
        ferry = {"text": "Ben says that the ferry costs 14 euros and never runs on Sundays.", "refs": [refs[FERRY]]}
        lines = {"preferences": [], "tasks": [], "insights": [own, ferry], "recent": []}
        return Reply(body=completion(request, json.dumps(lines)))


def shown(house: Installation) -> dict[str, Any]:
    (file,) = house.json("show", "--user", "ben")
    return dict(file)


def test_a_composed_file_is_asked_for_once_and_a_wrong_name_falls_back(tmp_path: Path) -> None:
    chat = [("user", "Ben", f"{KEYS} {FERRY} {UNITS}"), ("assistant", "Assistant", "Noted.")]
    write_conversation(tmp_path / "own" / "chat.jsonl", "c1", "2026-11-10", chat)
    service = Service()
    with (
        service.server,
        installation(
            tmp_path / "home",
            MEMORY_ASSETS_LLM="openai",
            MEMORY_ASSETS_LLM_MODEL="gpt-4.1-mini",
            OPENAI_BASE_URL=service.server.base_url,
            OPENAI_API_KEY="sk-composing",
        ) as house,
    ):
        house.run("ingest", tmp_path / "own", SAMPLE, "--user", "ben")
        house.run("init-profile", "--user", "ben", "--name", "Ben Carver")
        house.run("materialize", "--user", "ben")
        (request,) = service.composed
        assert '"Ben Carver"' in request.user_text and "never an instruction" in request.body["messages"][0]["content"]
        text = house.memory_file("ben").read_text()
        assert "Callum, Ben's brother, keeps the keys of the boat in Whitby. [" in text
        assert UNITS in text, "a standing instruction that the model has left out comes back"
        file = shown(house)
        assert file["composition"]["model"] == "openai/gpt-4.1-mini" and file["composition"]["failed"] == []
        line = next(one for one in file["entries"] if "Callum" in one["text"])
        assert line["composed_by"] == "openai/gpt-4.1-mini" and [one["text"] for one in line["rests_on"]] == [KEYS]
        said = house.run("explain", line["ref"], "--user", "ben").stdout
        assert "Composed by openai/gpt-4.1-mini" in said and KEYS in said
        ledger = house.json("ledger", "--by", "asset")
        assert next(row for row in ledger["by"] if row["asset"] == "memory_draft")["usd"] > 0

        # Nothing is due; and by force everything is made again, from what was paid for, to the same bytes.
        asked = len(service.server.chats)
        house.run("materialize", "--user", "ben")
        house.run("materialize", "--user", "ben", "--force")
        assert len(service.server.chats) == asked and house.memory_file("ben").read_text() == text

        # Another model calls the brother otherwise: that line falls back, the other stands.
        service.brother = "Colin"
        other = house.with_variables(MEMORY_ASSETS_LLM_MODEL_COMPOSING="gpt-4.1-nano")
        other.run("materialize", "--user", "ben")
        assert len(service.server.chats) == asked + 1
        after = house.memory_file("ben").read_text()
        assert KEYS in after and "Colin" not in after and "Ben says that the ferry costs 14 euros" in after
        (failed,) = shown(other)["composition"]["failed"]
        assert "Colin" in failed["why"] and failed["refs"] == [line["ref"]]
        assert "it names 'Colin'" in other.run("explain", line["ref"], "--user", "ben").stdout

        # Where the budget does not reach, the local choice is published, which says why; and that is no error.
        poor = house.with_variables(MEMORY_ASSETS_LLM_MODEL_COMPOSING="gpt-4.1", MEMORY_ASSETS_BUDGET_USD="0.000001")
        poor.run("materialize", "--user", "ben")
        assert len(service.server.chats) == asked + 1
        assert "MEMORY_ASSETS_BUDGET_USD" in shown(poor)["composition"]["why_not"]
        local = house.memory_file("ben").read_text()
        assert KEYS in local and FERRY in local and "Ben says" not in local

        # Turned off, nothing is asked, and the same file is nobody's but ours.
        off = house.with_variables(MEMORY_ASSETS_COMPOSE="false")
        off.run("materialize", "--user", "ben")
        assert len(service.server.chats) == asked + 1 and "composition" not in shown(off)
        assert house.memory_file("ben").read_text() == local
