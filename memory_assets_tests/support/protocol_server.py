"""A local server that speaks OpenAI's protocol: believable by default, and as broken as a test wants.

    with ProtocolServer(status(429, retry_after=0.2), refusal("no")) as server:
        ...  # OPENAI_BASE_URL = server.base_url

The first chat completions meet the scripted behaviours in the order of their arrival, the rest get good
answers, which are made from the request's own data by simple rules: the same request, the same answer.
Embeddings are hashed words at a fixed width, so that texts alike have vectors alike.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memory_assets_tests.support.short_answers import shorten

Json = dict[str, Any]
FINGERPRINT = re.compile(r"\w+(?:['’-]\w+)*")


@dataclass(frozen=True)
class Request:
    """One request as it arrived. ``at`` is monotonic seconds."""

    path: str
    headers: dict[str, str]
    body: Json
    at: float

    @property
    def user_text(self) -> str:
        """The first user message."""
        return next(message["content"] for message in self.body["messages"] if message["role"] == "user")


@dataclass
class Reply:
    """One response. ``cut`` announces more bytes than it sends; ``hold`` waits before it answers."""

    status: int = 200
    body: Json | str = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    hold: threading.Event | None = None


Behaviour = Callable[[Request], Reply]


def good(request: Request) -> Reply:
    """A believable answer to what was asked: calls of tools where there are some, once."""
    if tools := [tool["function"]["name"] for tool in request.body.get("tools", ())]:
        answered = any(message["role"] == "tool" for message in request.body["messages"])
        return calls(*(() if answered else believable_calls(request, tools)))(request)
    return Reply(body=completion(request, json.dumps(answer_to(request), ensure_ascii=False)))


def status(code: int, message: str = "scripted", /, *, retry_after: float | None = None, **error: Any) -> Behaviour:
    """An error response, with ``Retry-After`` when that is given."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return lambda request: Reply(code, {"error": {"message": message, "type": "scripted", **error}}, headers)


def says(text: str, finish_reason: str = "stop") -> Behaviour:
    """A completion with this text."""
    return lambda request: Reply(body=completion(request, text, finish_reason))


def calls(*wanted: tuple[str, Json | str]) -> Behaviour:
    """A completion that calls these tools with these arguments (text: as it stands); without any, the word done."""

    def behaviour(request: Request) -> Reply:
        body = completion(request, "" if wanted else "done", "tool_calls" if wanted else "stop")
        if wanted:
            body["choices"][0]["message"] |= {
                "content": None,
                "tool_calls": [
                    {
                        "id": f"call_{number}",
                        "type": "function",
                        "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
                    }
                    for number, (name, given) in enumerate(wanted)
                ],
            }
        return Reply(body=body)

    return behaviour


def believable_calls(request: Request, tools: list[str]) -> list[tuple[str, Json]]:
    """A note about each listed name of the tools' kind in the first statement of it; relations of the first two."""
    add = next(name for name in tools if name.startswith("add_note_to_") and name != "add_note_to_relationship")
    kind = add.removeprefix("add_note_to_")
    lines = read_data(request.user_text)["lines"]
    named = [line for line in lines if "kind" in line]
    statements = [line for line in lines if "durability" in line]
    wanted: list[tuple[str, Json]] = []
    for name in (line["name"] for line in named if line["kind"] == kind):
        said = next((line["text"] for line in statements if name in line.get("about", ())), None)
        if said is not None:
            wanted.append((add, {"subject": name, "content": said[:300], "lifetime": "month"}))
    own = [line["name"] for line in named if line["kind"] == kind]
    others = [line["name"] for line in named if line["name"] not in own[:1]]
    if own and others:
        ends = {"from": own[0], "to": others[0], "type": "related_to"}
        wanted.append(("create_relationship", ends | {"description": f"{own[0]} and {others[0]} belong together."}))
    return wanted


def truncated(request: Request) -> Reply:
    """The first half of a good answer, stopped at the output limit."""
    text = json.dumps(answer_to(request))
    return Reply(body=completion(request, text[: len(text) // 2], "length"))


def without_choices(request: Request) -> Reply:
    """A good answer without its choices."""
    reply = good(request)
    reply.body["choices"] = []
    return reply


def without_content(request: Request) -> Reply:
    """A good answer whose message says nothing."""
    reply = good(request)
    reply.body["choices"][0]["message"]["content"] = None
    return reply


def refusal(reason: str) -> Behaviour:
    """The model declines."""

    def behaviour(request: Request) -> Reply:
        body = completion(request, "")
        body["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": reason}
        return Reply(body=body)

    return behaviour


def raw(text: str, code: int = 200, content_type: str = "application/json") -> Behaviour:
    """A body that is not the protocol's."""
    return lambda request: Reply(code, text, {"Content-Type": content_type})


def hangs_up(request: Request) -> Reply:
    """A connection that ends in the middle of the body."""
    return Reply(body=completion(request, "{}"), cut=True)


def holds(event: threading.Event, then: Behaviour = good) -> Behaviour:
    """Answers when the event is set (or the server is closed)."""

    def behaviour(request: Request) -> Reply:
        reply = then(request)
        reply.hold = event
        return reply

    return behaviour


class ProtocolServer:
    """The server, on a free port of 127.0.0.1, in threads of this process."""

    def __init__(self, *behaviours: Behaviour, width: int = 64, always: Behaviour = good) -> None:
        self.requests: list[Request] = []
        self.most_at_once = 0
        self.width = width
        self.always = always
        self.always_embeds: Behaviour = lambda asked: Reply(body=embeddings(asked, self.width))
        self._behaviours = deque(behaviours)
        self._embedding_behaviours: deque[Behaviour] = deque()
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._running = 0
        self._closing = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.protocol = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> ProtocolServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    @property
    def base_url(self) -> str:
        """What belongs into ``OPENAI_BASE_URL``."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def chats(self) -> list[Request]:
        """The chat completions that were asked for."""
        return [request for request in list(self.requests) if request.path.endswith("/chat/completions")]

    @property
    def embeddings(self) -> list[Request]:
        """The embeddings that were asked for."""
        return [request for request in list(self.requests) if request.path.endswith("/embeddings")]

    def script(self, *behaviours: Behaviour) -> None:
        """Add behaviours for the next chat completions."""
        with self._lock:
            self._behaviours.extend(behaviours)

    def script_embeddings(self, *behaviours: Behaviour) -> None:
        """Add behaviours for the next embeddings."""
        with self._lock:
            self._embedding_behaviours.extend(behaviours)

    def wait_for(self, count: int, seconds: float = 300.0) -> bool:
        """Wait until so many requests have arrived."""
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.requests) >= count, seconds)

    def answer(self, request: Request) -> Reply:
        """The reply to a request, which counts as running until it can be sent: with its answer a client sends the
        next.
        """
        with self._arrived:
            self.requests.append(request)
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
            behaviour = self._next(request)
            self._arrived.notify_all()
        try:
            reply = behaviour(request)
            while reply.hold is not None and not reply.hold.wait(0.02) and not self._closing.is_set():
                pass
            return reply
        finally:
            with self._lock:
                self._running -= 1

    def _next(self, request: Request) -> Behaviour:
        if request.path.endswith("/chat/completions"):
            return self._behaviours.popleft() if self._behaviours else self.always
        if request.path.endswith("/embeddings"):
            return self._embedding_behaviours.popleft() if self._embedding_behaviours else self.always_embeds
        if request.path.endswith("/models"):
            return lambda asked: Reply(body={"object": "list", "data": [{"id": "any", "object": "model"}]})
        return status(404, "no such address")


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    protocol: ProtocolServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, *args: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self._answer(json.loads(self.rfile.read(length) or b"{}"))

    def _answer(self, body: Json) -> None:
        request = Request(
            self.path, {key.lower(): value for key, value in self.headers.items()}, body, time.monotonic()
        )
        reply = self.server.protocol.answer(request)
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        data = text.encode()
        self.send_response(reply.status)
        for key, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data) + (100 if reply.cut else 0)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()
        if reply.cut:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True


def completion(request: Request, text: str, finish_reason: str = "stop") -> Json:
    """A chat completion with this text and a usage of about four characters a token."""
    tokens_in = sum(len(message.get("content") or "") for message in request.body["messages"]) // 4 + 1
    tokens_out = len(text) // 4 + 1
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": request.body["model"],
        "choices": [{"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": text}}],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }


def embeddings(request: Request, width: int) -> Json:
    """One vector per text: a bag of hashed words."""
    texts = request.body["input"]
    texts = [texts] if isinstance(texts, str) else texts
    rows = [{"object": "embedding", "index": i, "embedding": _vector(text, width)} for i, text in enumerate(texts)]
    tokens = sum(len(text) // 4 + 1 for text in texts)
    return {
        "object": "list",
        "model": request.body["model"],
        "data": rows,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _vector(text: str, width: int) -> list[float]:
    vector = [0.0] * width
    for word in FINGERPRINT.findall(text.casefold()) or [text]:
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        vector[int.from_bytes(digest[:4], "big") % width] += 1.0 if digest[4] % 2 else 0.9
    return vector


def answer_to(request: Request) -> Json:
    """A believable answer to one of the tasks, told apart by the fields that it wants."""
    wanted = _wanted_fields(request)
    data = read_data(request.user_text)
    if "entities" in wanted:
        whole = _extraction(data["lines"])
        return shorten(whole["entities"], whole["statements"])
    if "keywords" in wanted:
        return _description(data["lines"])
    if "preferences" in wanted:
        return _file(data["lines"])
    if "relation" in wanted:
        return {"relation": "both", "lost": "", "kind": "", "why": "", "confidence": 9}
    if "sentences" in wanted and "title" not in wanted:
        return {"sentences": [{"text": line["text"], "refs": [line["ref"]]} for line in data["lines"][-1:]]}
    if "insights" in wanted:
        return {"insights": []}
    title = f"{data['fields'].get('anchor') or 'Something'} over {len(data['lines'])} sources"
    return {"title": title, "sentences": _cited_words(data["lines"])[:3]}


def _cited_words(lines: list[Json]) -> list[Json]:
    """What sources and storylines say, word for word behind its speaker's name, as sentences that cite it."""
    said = [
        {"text": f"{one['speaker']}: {one['text']}" if one.get("speaker") else one["text"], "refs": [one["ref"]]}
        for line in lines
        for one in line.get("said", ())
        if "ref" in one
    ]
    summaries = [(text, line["ref"]) for line in lines if "ref" in line for text in _sentences(line["summary"])]
    return said or [{"text": text, "refs": [ref]} for text, ref in summaries]


def read_data(user_text: str) -> Json:
    """The data inside the fence: ``fields`` by their label, ``lines`` of JSON objects."""
    inside = user_text.partition("<data>\n")[2].partition("\n</data>")[0]
    fields: Json = {}
    lines: list[Json] = []
    for line in inside.split("\n"):
        if line.startswith("{"):
            lines.append(json.loads(line))
        elif ": " in line and not line.startswith('"'):
            label, _, value = line.partition(": ")
            fields[label] = json.loads(value)
    return {"fields": fields, "lines": lines}


def _wanted_fields(request: Request) -> set[str]:
    form = request.body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return set(form["json_schema"]["schema"]["properties"])
    system = request.body["messages"][0]["content"]
    return set(json.loads(system[system.rindex("schema:\n") + 8 :])["properties"])


def _file(candidates: list[Json]) -> Json:
    """Each candidate as a line of its section that names its speaker: some of these follow from it."""
    lines: Json = {name: [] for name in ("preferences", "tasks", "insights", "recent")}
    for one in candidates:
        text = re.sub(r"\bI\b", one.get("speaker") or "", one["text"])
        lines[one["section"]].append({"text": text, "refs": [one["ref"]]})
    return lines


def _description(turns: list[Json]) -> Json:
    text = " ".join(turn["text"] for turn in turns)
    words = [word for word, _ in _frequent(text)]
    summary = " ".join(_sentences(text)[:2]) or "An empty source."
    return {
        "summary": summary[:400],
        "keywords": (words + _filler("keyword"))[:8],
        "tags": ["work", "personal", "planning"],
    }


def _extraction(turns: list[Json]) -> Json:
    said = [(turn, sentence) for turn in turns for sentence in _sentences(turn["text"])]
    names: Counter[str] = Counter()
    for turn, sentence in said:
        names.update(re.findall(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})?", sentence))
        if turn.get("speaker"):
            names[turn["speaker"]] += 1
    speakers = {turn.get("speaker") for turn in turns}
    people = [("person", "person", name) for name, _ in names.most_common(6) if name in speakers]
    things = [("entity", "other", name) for name, _ in names.most_common(6) if name not in speakers]
    known = " ".join(names).casefold()
    topics = [word for word, count in _frequent(" ".join(s for _, s in said)) if count > 1 and word not in known]
    concepts = [("concept", "concept", word) for word in topics[:3]]
    entities = [
        {
            "kind": kind,
            "name": name,
            "entity_type": refined,
            "confidence": 8,
            "subpoints": _subpoints(name, said),
        }
        for kind, refined, name in people + things + concepts
    ]
    statements = [_statement(turn, sentence, entities) for turn, sentence in said if len(sentence.split()) >= 4]
    return {"entities": entities, "statements": statements}


def _statement(turn: Json, sentence: str, entities: list[Json]) -> Json:
    low = sentence.lower()
    instruction = bool(re.search(r"\b(always|never|prefer|from now on)\b", low))
    task = bool(re.search(r"\b(need to|have to|must|will|todo|deadline)\b", low))
    kind = (
        "preference"
        if instruction or re.search(r"\b(like|love|hate|favou?rite)\b", low)
        else "task"
        if task
        else "insight"
    )
    return {
        "text": sentence,
        "speaker": turn.get("speaker"),
        "turn": turn["index"],
        "content_type": "chitchat" if re.match(r"(hi|hey|thanks|wow|great)\b", low) else kind,
        "is_instruction": instruction,
        "durability": 0.9 if instruction else 0.7,
        "confidence": 9,
        "about": [entity["name"] for entity in entities if entity["name"].lower() in low],
    }


def _subpoints(name: str, said: list[tuple[Json, str]]) -> list[str]:
    about = [sentence for turn, sentence in said if name.lower() in sentence.lower() or turn.get("speaker") == name]
    return (list(dict.fromkeys(about)) + _filler(f"It is about {name}, point"))[:3]


def _frequent(text: str) -> list[tuple[str, int]]:
    words = [word.lower() for word in FINGERPRINT.findall(text) if len(word) > 5]
    return sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in re.split(r"(?<=[.!?])\s+|\n+", text) if sentence.strip()]


def _filler(words: str) -> list[str]:
    return [f"{words} {number}" for number in range(1, 6)]
