"""What a conversation of 10,000 words costs at the price table's prices, from the real requests and their tokens.

Specification 004, "Cost": 0.05 USD for such a conversation, of which processing takes about 0.01, extraction 0.03
and embeddings 0.01. The conversation is made of the sample inbox's own ones; it is ingested, processed and
extracted as any other, against a server on this machine that speaks the protocol. What is counted is what went over
the wire: the messages and the schema of every request, and answers as long as the local model's own for the same
part, as compact JSON: each of its statements in whole, none left out or referred to. The notes that are taken of it
are in the sum, though not in the specification's three parts: one for each name. Tokens are cl100k_base's; nothing
is taken off for input that a service has cached.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_assets.entities.extraction import Extractor
from memory_assets.graph import embedded
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.llm.local.model import LocalModel
from memory_assets.llm.model_client import Answer
from memory_assets.llm.opening import open_models
from memory_assets.llm.tasks import (
    DESCRIBE_SOURCE,
    EXTRACT_ENTITIES,
    Extraction,
    SourceDescription,
    SourceText,
    TurnText,
)
from memory_assets.llm.tokens import count_tokens
from memory_assets.notes.taking import NoteTaker
from memory_assets.runtime.scope import RunScope
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths
from memory_assets.sources.process import process_sources
from memory_assets_tests.bench.corpora import ROOT
from memory_assets_tests.support.installation import write_conversation
from memory_assets_tests.support.protocol_server import (
    Json,
    ProtocolServer,
    Reply,
    Request,
    completion,
    embeddings,
    good,
    read_data,
)
from memory_assets_tests.support.short_answers import shorten

WORDS = 10_000
TARGET_USD = 0.05
"""004, "Cost": for a conversation of 10,000 words."""
MODELS = {"llm_model_processing": "gpt-5-nano", "llm_model": "gpt-4.1-mini", "embedder_model": "text-embedding-3-small"}
"""004: the models of its estimate."""
PER_MESSAGE = 4


@dataclass(frozen=True)
class Cost:
    """What one conversation cost: its words, the ledger's rows by model and asset, and the calls that were made."""

    words: int
    rows: list[dict[str, Any]]
    usd: float


def lines_of(words: int) -> Iterator[tuple[str, str, str]]:
    """Turns of the sample inbox's conversations, (role, name, content), until ``words`` words are said.

    Where the samples end, they are told again with other names for weeks, so that no sentence is there twice.
    """
    said = round_ = 0
    while said < words:
        round_ += 1
        for path in sorted((ROOT / "sample_inbox").glob("*/conversations/*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                turn = json.loads(line) if line.startswith("{") else {}
                text = turn.get("content")
                if not isinstance(text, str) or turn.get("role") not in ("user", "assistant"):
                    continue
                text = text if round_ == 1 else f"In week {round_}: {text}"
                said += len(text.split())
                yield turn["role"], turn.get("name") or turn["role"].title(), text
                if said >= words:
                    return


def answer(request: Request) -> Reply:
    """The local model's answer to the same part, with a usage of what went over the wire."""
    if "tools" in request.body:
        return take_notes(request)
    data = read_data(request.user_text)
    turns = tuple(TurnText(**{"at": None, **line}) for line in data["lines"])
    fields = data["fields"]
    payload = SourceText(
        source_type=fields["kind of source"],
        title=fields["title"],
        started_at=fields["began at"],
        owner_speaker=fields["the owner of this memory speaks as"],
        turns=turns,
    )
    extracts = "entities" in request.body["response_format"]["json_schema"]["schema"]["properties"]
    task, kind = (EXTRACT_ENTITIES, Extraction) if extracts else (DESCRIBE_SOURCE, SourceDescription)
    (given,) = LocalModel().ask_many(task, [payload], kind, asset="-", user_id="-")
    assert isinstance(given, Answer), given
    fields = given.value.model_dump(mode="json")
    if extracts:
        fields = shorten(fields["entities"], [one for one in fields["statements"] if is_wanted(one)])
    text = compact(fields)
    body = completion(request, text)
    body["usage"] = usage(count_request(request.body), count_tokens(text))
    return Reply(body=body)


def take_notes(request: Request) -> Reply:
    """A note about each listed name, in calls of tools."""
    reply = good(request)
    messages = sum(count_tokens(json.dumps(message)) + PER_MESSAGE for message in request.body["messages"])
    said = reply.body["choices"][0]["message"]
    written = count_tokens(json.dumps(said.get("tool_calls") or said.get("content")))
    reply.body["usage"] = usage(messages + count_tokens(compact(request.body["tools"])), written)
    return reply


def is_wanted(statement: Json) -> bool:
    """Whether the prompt asks for it: no question by itself, no chitchat. The local model keeps both."""
    return statement["content_type"] != "chitchat" and not statement["text"].rstrip().endswith("?")


def count_request(body: Json) -> int:
    """The tokens of a chat completion's input: its messages, and the schema that the answer must have."""
    messages = sum(count_tokens(message["content"]) + PER_MESSAGE for message in body["messages"])
    return messages + count_tokens(compact(body["response_format"]["json_schema"]))


def usage(tokens_in: int, tokens_out: int) -> Json:
    """A usage as the protocol writes it."""
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}


def compact(value: Any) -> str:
    """JSON as structured outputs write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def embed(request: Request) -> Reply:
    """Vectors with a usage of what went over the wire."""
    body = embeddings(request, 64)
    tokens = sum(count_tokens(text) for text in request.body["input"])
    body["usage"] = {"prompt_tokens": tokens, "total_tokens": tokens}
    return Reply(body=body)


def measure(graph: Graph, scratch: Path, user: str, words: int = WORDS) -> Cost:
    """Take one conversation of ``words`` words of ``user`` from its file to what is known of it; what the ledger
    says.
    """
    file = write_conversation(scratch / "long" / "conversation.jsonl", "long", "2026-11-03", list(lines_of(words)))
    said = sum(len(json.loads(line)["content"].split()) for line in file.read_text(encoding="utf-8").splitlines())
    with ProtocolServer(always=answer) as server:
        server.always_embeds = embed
        settings = Settings(
            _env_file=None,
            home=scratch / "home",
            llm="openai",
            embedder="openai",
            OPENAI_BASE_URL=server.base_url,
            **MODELS,
        )
        models = open_models(settings)
        ingest_paths(graph, user, [file], None, settings.clock)
        language = models.language_for("processed_sources")
        processed = process_sources(graph, user, language, models.embedder, settings.clock)
        assert (processed.processed, processed.failed) == (1, []), processed
        language = models.language_for("extracted_entities")
        counts = Extractor(graph, language, models.embedder, settings.clock, user, lambda _: None).run(RunScope())
        assert (counts["extracted"], counts["failed"]) == (1, 0), counts
        taken = NoteTaker(graph, models.language_for("notes"), settings.clock, user, lambda _: None).run(RunScope())
        assert (taken["taken"], taken["failed"]) == (3, 0), taken
    summary = models.ledger.summary(("asset", "model"))
    return Cost(said, summary["by"], summary["usd"])


@contextmanager
def graph_of_its_own(scratch: Path) -> Iterator[Graph]:
    """The embedded engine in a folder of its own, stopped at the end."""
    settings = Settings(_env_file=None, home=scratch / "graph")
    graph = open_graph(settings)
    try:
        yield graph
    finally:
        graph.close()
        embedded.stop(settings)


def main() -> None:
    """Print the cost by step and model."""
    with tempfile.TemporaryDirectory() as scratch, graph_of_its_own(Path(scratch)) as graph:
        cost = measure(graph, Path(scratch), "bench")
    print(
        f"\nCost of a conversation of {cost.words} words (target {TARGET_USD:.2f} USD; without discounts for "
        "cached input)"
    )
    print(f"  {'step':<20}{'model':<32}{'calls':>6}{'tokens in':>11}{'out':>9}{'USD':>10}")
    for row in cost.rows:
        print(
            f"  {row['asset']:<20}{row['model']:<32}{row['calls']:>6}{row['tokens_in']:>11}{row['tokens_out']:>9}"
            f"{row['usd']:>10.5f}"
        )
    print(f"  {'in all':<78}{cost.usd:>10.5f}")


if __name__ == "__main__":
    main()
