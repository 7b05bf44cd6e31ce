"""The examples as somebody runs them: own processes, a real server, a model's service that speaks the protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets.client import Memory
from memory_assets.graph.graph import Graph
from memory_assets.keys.policy import Scope
from memory_assets.settings import Settings
from memory_assets_tests.server.conftest import client_of, settings, url
from memory_assets_tests.support.processes import free_port
from memory_assets_tests.support.protocol_server import ProtocolServer, calls, says

__all__ = ["settings", "url"]
pytestmark = pytest.mark.own_engine
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name: str, *words: str, said: str, service: ProtocolServer, **environment: str) -> tuple[list[str], str]:
    """The lines that an example prints, and what it complains of."""
    given = {"OPENAI_BASE_URL": service.base_url, "OPENAI_API_KEY": "sk-test", "OPENAI_MODEL": "any"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *words],
        input=said, capture_output=True, text=True, timeout=120, env=os.environ | given | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


def home_of(tmp_path: Path, address: str) -> str:
    """A home whose server answers there: by that the client finds it."""
    (tmp_path / "found" / "server").mkdir(parents=True)
    (tmp_path / "found" / "server" / "server.json").write_text(
        json.dumps({"pid": os.getpid(), "port": int(address.rpartition(":")[2])})
    )
    return str(tmp_path / "found")


def test_a_chat_recalls_what_was_said_elsewhere_goes_on_and_ends(
    graph: Graph, url: str, settings: Settings, user: str, tmp_path: Path
) -> None:
    token = client_of(graph, url, user, *Scope).token
    where = {"MEMORY_ASSETS_TOKEN": token, "MEMORY_ASSETS_HOME": home_of(tmp_path, url)}
    Memory(url, token).remember("Nora keeps bees in Skagness.")
    with ProtocolServer(says("In Skagness."), says("Yes.")) as service:
        lines, complaints = run("chat.py", "talk", said="Where are Nora's bees?\n\nSure?\n", service=service, **where)
        assert lines == ["In Skagness.", "Yes."] and not complaints
        first, second = (chat.body["messages"] for chat in service.chats)
    assert [message["role"] for message in first] == ["system", "user"]
    assert "<memory>" in first[1]["content"] and "Nora keeps bees in Skagness." in first[1]["content"]
    assert first[1]["content"].endswith("Where are Nora's bees?") and "Skagness" not in first[0]["content"]
    assert [message["content"] for message in second[1:3]] == ["Where are Nora's bees?", "In Skagness."]
    # Another process goes on where that one ended.
    with ProtocolServer(says("You asked about bees.")) as service:
        assert run("chat.py", "talk", said="What did I ask?\n/end\n", service=service, **where)[0]
        (third,) = (chat.body["messages"] for chat in service.chats)
    assert [message["content"] for message in third[1:5]] == ["Where are Nora's bees?", "In Skagness.", "Sure?", "Yes."]
    (ended,) = (settings.inbox / user / "sessions").iterdir()
    assert "You asked about bees." in ended.read_text()


def test_a_chat_has_turns_back_that_left_it(graph: Graph, url: str, user: str, tmp_path: Path) -> None:
    token = client_of(graph, url, user, *Scope).token
    said = [f"We talked about the harbor and the {number} boats in it, {'at length ' * 40}." for number in range(150)]
    said[3] = f"The marmalade recipe needs 900 grams of sugar. {'Stir it well. ' * 60}Then let it rest for a night."
    memory = Memory(url, token)
    memory.add_turns("long", [{"role": "user", "content": text} for text in said])
    where = {"MEMORY_ASSETS_TOKEN": token, "MEMORY_ASSETS_HOME": home_of(tmp_path, url)}
    with ProtocolServer(says("900 grams.")) as service:
        run("chat.py", "long", said="How much sugar does the marmalade need?\n", service=service, **where)
        (chat,) = service.chats
    assert said[3] in chat.body["messages"][-1]["content"].partition("</memory>")[0]


def test_the_docs_program_runs_as_it_stands(graph: Graph, url: str, user: str, tmp_path: Path) -> None:
    page = (EXAMPLES.parent / "docs" / "agents.md").read_text(encoding="utf-8")
    program = page.partition("```python\n")[2].partition("```")[0]
    environment = {
        "MEMORY_ASSETS_TOKEN": client_of(graph, url, user, *Scope).token,
        "MEMORY_ASSETS_HOME": home_of(tmp_path, url),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env=os.environ | environment
    )
    assert "Nora keeps bees in Skagness." in done.stdout, done.stderr


def test_a_chat_goes_on_where_its_memory_does_not_answer(user: str, tmp_path: Path) -> None:
    home = home_of(tmp_path, f"http://127.0.0.1:{free_port()}")
    with ProtocolServer(says("Hello.")) as service:
        lines, complaints = run(
            "chat.py", said="Hi\n", service=service, MEMORY_ASSETS_TOKEN="mem_x", MEMORY_ASSETS_HOME=home
        )
    assert lines == ["Hello."] and "without memory" in complaints and "mem_x" not in complaints


def test_an_agents_model_calls_the_tools_and_reads_their_answers(
    graph: Graph, url: str, user: str, tmp_path: Path
) -> None:
    token = client_of(graph, url, user, *Scope).token
    script = (
        calls(("remember", {"text": "The harbor freezes in March."})),
        calls(("recall", {"question": "When does the harbor freeze?"}), ("recall", "no JSON"), ("recall", {})),
        says("In March."),
    )
    with ProtocolServer(*script) as service:
        lines, _ = run(
            "agent.py", "When", "does the harbor freeze?", said="", service=service,
            MEMORY_ASSETS_TOKEN=token, MEMORY_ASSETS_HOME=home_of(tmp_path, url),
        )  # fmt: skip
        bodies = [chat.body for chat in service.chats]
    assert lines == ["In March."] and len(bodies) == 3
    assert {"recall", "remember", "open"} <= {tool["function"]["name"] for tool in bodies[0]["tools"]}
    assert "memory" in bodies[0]["messages"][0]["content"]
    answered = [message["content"] for message in bodies[2]["messages"] if message["role"] == "tool"]
    assert '"is_new":true' in answered[0] and "The harbor freezes in March." in answered[1]
    assert "no JSON" in answered[2] and "question" in answered[3]
