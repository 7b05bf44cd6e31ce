"""How long recall, a context and a hook take beside a million passages, the graph's part with them.

The sample inbox's memory is built; then its owner gets as many generated passages (``recall_size``), a fifth of which
the graph holds as statements, with storylines over them, records of decisions and fixes, contradictions, doubts,
corrections and a log of accesses. Beside them, in the same run, the bare index answers the same questions, and a server
on the loopback is asked the same over HTTP. Then what a ``remember`` costs whoever asks next, and what asking costs
while a run is at work.

``python -m memory_assets_tests.bench.context_size [PASSAGES] [ROUNDS] [HOME]``.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr
from datetime import timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import dagster as dg
import numpy as np
import requests

from memory_assets.clock import to_iso
from memory_assets.commands.context import context_for
from memory_assets.commands.hooks import Files, act
from memory_assets.commands.remembering import local_models, remember
from memory_assets.context.policy import Asked
from memory_assets.graph import embedded, query_files
from memory_assets.graph.graph import Graph, open_graph
from memory_assets.graph.owners import MARK, find_stage, readable_owners, stage_made
from memory_assets.hooks.policy import read_event
from memory_assets.keys.issuing import add_key
from memory_assets.keys.policy import Scope
from memory_assets.model import AccessKind, node_id, reference
from memory_assets.recall.index import SourceText
from memory_assets.recall.search import bring_up_to_date, opened, recall, source_mark
from memory_assets.runtime.accesses import Access, record_accesses
from memory_assets.runtime.marks import BEGUN
from memory_assets.server.host import application
from memory_assets.settings import Settings
from memory_assets.sources.ingest import ingest_paths
from memory_assets.validity import doubts
from memory_assets_tests.bench.bounded_files import processors_of
from memory_assets_tests.bench.recall_size import AT_ONCE, QUESTIONS, TURNS, generated, questions, search_bare
from memory_assets_tests.server.conftest import served
from memory_assets_tests.support.house import NOW, House

PASSAGES, ROUNDS = 1_000_000, 120
SAMPLE = Path(__file__).resolve().parents[2] / "sample_inbox" / "maya"
STATES, BATCH = 5, 100
"""One turn in so many states something; so many sources are written at a time."""
DISPUTED, RECORDED, TOLD, HELD, USED = 200, 20, 20, 400, 4
"""Of so many statements one contradicts the next, of so many sources one is a record, one is a storyline's first; of so
many statements one has a doubt against it, and so many lines of the log there are for each source.
"""
FIRST = 10
"""The first so many read the files, and don't count."""

Row = dict[str, Any]


def fill(graph: Graph, settings: Settings, user: str, count: int) -> None:
    """So many passages in the index, and what of them the graph holds."""
    seeds = query_files.load(Path(__file__).parent / "cypher").items()
    graph._queries = {**graph._queries, **{f"bench/{name}": query for name, query in seeds}}
    passages = opened(settings.home, user)
    bring_up_to_date(graph, passages, readable_owners(graph, user))
    for page in _pages(count, BATCH):
        _state(graph, settings, user, [_source(user, key, one) for key, one in page])
    marks = {row["id"]: row["mark"] for row in graph.read("recall/list_sources", user_ids=[user])}
    for page in _pages(count, AT_ONCE):
        named = [(node_id("source", user, key), one) for key, one in page]
        passages.replace({name: one._replace(mark=marks[name]) for name, one in named})
    passages.set_mark(source_mark(graph, [user]))


def asked_of(count: int) -> list[str]:
    """What may be asked of some of the sources."""
    every = max(1, count // TURNS // QUESTIONS)
    return questions([one for key, one in generated(count) if int(key[-6:]) % every == 0])


def _pages(count: int, most: int) -> Iterator[list[tuple[str, SourceText]]]:
    left = generated(count)
    while page := list(islice(left, most)):
        yield page


def _state(graph: Graph, settings: Settings, user: str, rows: list[Row]) -> None:
    said = [said for row in rows for said in row["said"]]
    pairs = [(one, said[at + 1]) for at, one in enumerate(said[:-1]) if at % DISPUTED == 0]
    for one in (one for pair in pairs for one in pair):
        one["is_disputed"] = True
    sources = [{name: value for name, value in row.items() if name != "said"} for row in rows]
    graph.write("bench/add_said_sources", sources, user_id=user)
    graph.write("bench/add_said_statements", said, user_id=user)
    graph.write("bench/add_fixes", [record for row in rows for record in _records(user, row)], user_id=user)
    graph.write("bench/add_topics", list(_topics(user, rows)), user_id=user)
    graph.write("validity/link_contradictions", [_pair(user, *pair) for pair in pairs], user_id=user)
    held = [doubts.Doubt(one["id"], one["content"]) for one in said[::HELD]]
    graph.write_together(doubts.opened(graph, user, held, "ana", NOW))
    injected = [
        Access(user, row["id"], NOW - timedelta(days=day), AccessKind.INJECTED, "ana")
        for row in rows
        for day in range(USED)
    ]
    record_accesses(settings, injected)


def _source(user: str, key: str, one: SourceText) -> Row:
    identifier = node_id("source", user, key)
    said = []
    for passage in one.passages[::STATES]:
        name = node_id("chunk", user, key, passage.turn)
        said.append(
            {
                "id": name,
                "ref": reference(name),
                "content": passage.text,
                "speaker": passage.speaker,
                "turn": passage.turn,
                "is_disputed": None,
                "source_id": identifier,
            }
        )
    return {
        "id": identifier,
        "ref": reference(identifier),
        "number": int(key[-6:]),
        "title": one.passages[0].text[:40],
        "started_at": to_iso(one.started_at),
        "project": None,
        "said": said,
    }


def _records(user: str, source: Row) -> Iterator[Row]:
    if source["number"] % RECORDED == 0:
        identifier = node_id("record", user, source["id"])
        yield {
            "id": identifier,
            "ref": reference(identifier),
            "source_id": source["id"],
            "kind": ("decision", "error_fix", "fact")[source["number"] // RECORDED % 3],
            "text": source["said"][0]["content"],
            "about": [f"src/module_{source['number'] % 997}.py"],
        }


def _topics(user: str, rows: list[Row]) -> Iterator[Row]:
    for start in range(0, len(rows) - 5, TOLD):
        identifier = node_id("storyline", user, rows[start]["id"])
        yield {
            "id": identifier,
            "ref": reference(identifier),
            "title": rows[start]["title"],
            "at": rows[start]["started_at"],
            "source_ids": [row["id"] for row in rows[start : start + 5]],
        }


def _pair(user: str, one: Row, other: Row) -> Row:
    return {
        "id": node_id("contradiction", user, one["id"], other["id"]),
        "one_id": one["id"],
        "other_id": other["id"],
        "kind": "number",
        "probability": 0.9,
        "why": "two values",
        "found_at": to_iso(NOW),
        "judged_by": "bench",
    }


def measured(
    name: str, works: Iterable[Callable[[], Any]], processors: Callable[[], float], skip: int = FIRST
) -> float:
    """Print the percentiles of some works; the 95th by the clock, in milliseconds."""
    taken = []
    for work in works:
        began, busy = time.perf_counter(), processors()
        work()
        taken.append((1000 * (time.perf_counter() - began), 1000 * (processors() - busy)))
    (p50, busy50), (p95, busy95) = np.percentile(taken[skip:], [50, 95], axis=0)
    print(
        f"  {name:<34}{p50:>8.1f} ms p50 {p95:>8.1f} ms p95; processors {busy50:>7.1f} ms p50 {busy95:>8.1f} ms p95",
        flush=True,
    )
    return float(p95)


def over_http(
    graph: Graph, settings: Settings, user: str, asked: list[str], name: str, processors: Callable[[], float]
) -> None:
    """The same asked of a served application, over the loopback; the client's time is in it. No hook is cut short."""
    settings = settings.model_copy(update={"hook_deadline_ms": 60_000})
    _, token = add_key(graph, user, "ana", list(Scope), settings.clock.now())
    with served(application(graph, settings)) as url, requests.Session() as client:
        client.headers["Authorization"] = f"Bearer {token}"

        def post(path: str, body: Row) -> None:
            client.post(f"{url}{path}", json=body, timeout=60).raise_for_status()

        def context(number: int, question: str) -> None:
            cues = {"files": [f"src/module_{number}.py"], "people": ["Priya Raman"], "session": f"http-{name}-{number}"}
            post("/context/assemble", {"task": question} | cues)

        def hook(number: int, question: str) -> None:
            event = {"session_id": f"http-hook-{name}-{number}", "prompt": question, "cwd": ""}
            post("/hooks/claude-code/UserPromptSubmit", event)

        measured("recall over HTTP", [partial(post, "/recall", {"question": q}) for q in asked], processors)
        measured("context over HTTP", [partial(context, n, q) for n, q in enumerate(asked)], processors)
        measured("a prompt's hook over HTTP", [partial(hook, n, q) for n, q in enumerate(asked)], processors)


def main(count: int = PASSAGES, rounds: int = ROUNDS, home: Path | None = None) -> None:
    """Print the percentiles; the memory is kept in ``home`` if one is given."""
    with tempfile.TemporaryDirectory() as scratch, dg.DagsterInstance.ephemeral() as instance:
        settings = Settings(_env_file=None, home=home or Path(scratch) / "home", now=NOW, graph_heap="2g")
        graph = open_graph(settings)
        house = House(graph, settings.home, instance, "bench")
        maya, settings = house.user("maya"), house.settings
        began = time.perf_counter()
        if opened(settings.home, maya).size()["passages"] < count:  # a home that is given may have them
            ingest_paths(graph, maya, [SAMPLE], None, settings.clock)
            with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):  # Dagster tells each step there
                assert house.run("build_memory").success
            fill(graph, settings, maya, count)
        asked = asked_of(count)
        size, taken = opened(settings.home, maya).size(), time.perf_counter() - began
        print(f"\nBeside {size['passages']:,} passages (filled in {taken:,.0f} s)", flush=True)
        processors = processors_of(settings)
        asked = [asked[number % len(asked)] for number in range(rounds + FIRST)]
        passages, files, fresh_name = opened(settings.home, maya), Files(), secrets.token_hex(4)

        def hook(number: int, question: str) -> Any:
            event = read_event(
                "claude-code",
                "UserPromptSubmit",
                {"session_id": f"hook-{fresh_name}-{number}", "prompt": question, "cwd": ""},
            )
            return act(graph, settings, maya, event, files, "ana")

        def context(number: int, question: str) -> Any:
            named = f"src/module_{number}.py"
            wanted = Asked(task=question, files=[named], people=["Priya Raman"], session=f"s-{fresh_name}-{number}")
            return context_for(graph, settings, maya, wanted)

        def recalled(question: str) -> Any:
            return recall(graph, settings.home, maya, question, 2000)

        passages.search(asked[0])
        bare = measured("bare index", [partial(search_bare, passages, q) for q in asked], processors)
        ours = measured("recall", [partial(recalled, q) for q in asked], processors)
        print(f"    {ours / bare:.2f} times the bare index at the 95th percentile")
        measured("context", [partial(context, n, q) for n, q in enumerate(asked)], processors)
        measured("a prompt's hook", [partial(hook, n, q) for n, q in enumerate(asked)], processors)
        over_http(graph, settings, maya, asked, fresh_name, processors)
        models = local_models(settings)
        few = asked[:12]

        def noted(number: int) -> Any:
            return remember(graph, settings, maya, f"The lamp of room {fresh_name} {number} is green.", models=models)

        measured("remember", [partial(noted, n) for n in range(len(few))], processors, skip=2)

        def after_remember(number: int, question: str) -> Iterator[Callable[[], Any]]:
            noted(number)
            yield partial(recalled, question)

        fresh = (work for n, q in enumerate(few, start=len(few)) for work in after_remember(n, q))
        measured("recall after each remember", fresh, processors, skip=2)
        now = settings.clock.now()
        stage = f"{MARK}processed_sources"
        ended = find_stage(graph, maya, stage) or ""
        graph.write_together([stage_made(maya, stage, ended + BEGUN, now)])
        measured("recall while a run is at work", [partial(recalled, q) for q in few], processors, skip=2)
        graph.write_together([stage_made(maya, stage, ended, now)])
        graph.close()
        embedded.stop(settings)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*map(int, given[:2]), home=Path(given[2]) if given[2:] else None)
