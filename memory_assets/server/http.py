"""The operations over HTTP; OpenAPI describes them at /openapi.json."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature, signature
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from memory_assets import __version__
from memory_assets.commands.consolidating import WORKING
from memory_assets.commands.sources import LEAST_TOKENS
from memory_assets.errors import GraphUnavailableError, MemoryAssetsError, OwnerBusyError, UnknownReferenceError
from memory_assets.keys.policy import Caller, KeyRefusedError
from memory_assets.server import requests
from memory_assets.server.gate import caller_of
from memory_assets.server.operations import Operations
from memory_assets.server.page import add_page
from memory_assets.server.parts import POSITION, as_text


def _caller(
    request: Request,
    _: Annotated[Any, Security(HTTPBearer(auto_error=False, description="`memory-assets tokens add` makes a key."))],
) -> Caller:
    """Whom the gate has let in; OpenAPI says by what."""
    return caller_of(request)


By = Annotated[Caller, Depends(_caller)]
Answer = dict[str, Any]
Budget = Annotated[int, Query(ge=LEAST_TOKENS, le=requests.MOST_TOKENS, description="At most so many tokens.")]
More = Annotated[str, Query(pattern=f"^$|{POSITION}", description="Go on: the `more` of the answer before.")]
Level = Annotated[str | None, Query(pattern="^(full|summary|keywords|history|why)$")]
SAID = {"caller": By, "budget": Budget, "more": More, "level": Level}
"""What HTTP says of an operation's parameters beyond their types."""
STATUS_OF: dict[type[MemoryAssetsError], int] = {
    KeyRefusedError: 403,
    UnknownReferenceError: 404,
    OwnerBusyError: 409,
    GraphUnavailableError: 503,
}
"""The HTTP status of each error; any other foreseen one is the request's fault: 400."""


class Refusal(BaseModel):
    """Why there is no answer, in words."""

    error: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Refusal, "description": "The operation cannot do this."},
    401: {"model": Refusal, "description": "No valid key."},
    403: {"model": Refusal, "description": "The key does not permit it."},
    404: {"model": Refusal, "description": "The user has no such memory, session, contradiction or operation."},
    409: {"model": Refusal, "description": "A run writes the same memory: ask again when it has ended."},
    413: {"model": Refusal, "description": "The body is too large."},
    422: {"model": Refusal, "description": "The operation takes no such fields."},
    429: {"model": Refusal, "description": "The key asks too often; Retry-After says for how many seconds."},
    503: {"model": Refusal, "description": "The graph does not answer, or too much is asked at a time."},
}
"""Any operation may be refused so."""


def http_app(operations: Operations) -> FastAPI:
    """The routes. Each runs in a thread of its own: what it asks waits for the graph."""
    app = FastAPI(
        title="memory-assets",
        version=__version__,
        description="An agent's memory: what a key opens is one user's.",
        docs_url=None,
        redoc_url=None,
    )

    @app.exception_handler(MemoryAssetsError)
    def refused(_: Request, error: MemoryAssetsError) -> JSONResponse:
        status = next((code for kind, code in STATUS_OF.items() if isinstance(error, kind)), 400)
        return JSONResponse({"error": str(error)}, status)

    @app.exception_handler(RequestValidationError)
    def mistaken(_: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"error": requests.explained(error.errors())}, 422)

    @app.exception_handler(Exception)
    def failed(request: Request, _: Exception) -> JSONResponse:
        said = f"{request.method} {request.url.path} failed: the server's log says why."
        return JSONResponse({"error": said}, 500)

    @app.exception_handler(HTTPException)
    def unknown(request: Request, error: HTTPException) -> JSONResponse:
        said = f"{request.method} {request.url.path}: {error.detail}. GET /openapi.json lists what there is."
        return JSONResponse({"error": said}, error.status_code, error.headers)

    @app.get("/health/live")
    async def live() -> Answer:
        """The server runs."""  # and says so without a thread, whatever holds all of them
        return {"status": "live", "version": __version__}

    @app.get("/health/ready")
    def ready() -> Answer:
        """The graph answers, too."""
        operations.graph.server_info()
        return {"status": "ready"}

    keyed = APIRouter(responses=REFUSALS)

    def route(method: str, path: str, run: Callable[..., Answer], said: str, **how: Any) -> None:
        how = {"name": run.__name__, "methods": [method], "description": said} | how
        keyed.add_api_route(path, _endpoint(run), **how)

    of = operations
    route("POST", "/context/assemble", of.context, "What to know before starting, in four tiers.")
    route("POST", "/context/predict", of.predict, "What will be needed next.")
    route("POST", "/recall", of.recall, "What was said, decided and done, for a question.")
    opened = "One memory, with what is below it and what it is part of, within a budget."
    route("GET", "/memories/{ref}", of.open, opened, name="open_memory")
    route("GET", "/memories/{ref}/value", of.value, "What curation holds a memory to be worth, term by term.")
    remembered = "Remember something: on the disk, and found by recall, when this answers."
    route("POST", "/memories", of.remember, remembered, status_code=201)
    corrected = "Give a memory other words; without any it is retired; ``undo`` takes the last correction back."
    route("PATCH", "/memories/{ref}", of.correct, corrected)

    @keyed.delete("/memories/{ref}")
    def retire(
        caller: By,
        ref: str,
        asked: requests.RetireRequest | None = None,
        reason: Annotated[str, Query(max_length=1_000, description="Why; here or in the body.")] = "",
    ) -> Answer:
        """Retire a memory: nothing is deleted, and it can be taken back."""
        said = asked or requests.RetireRequest()
        try:
            why = requests.CorrectRequest(ref=said.ref, reason=said.reason or reason)
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from None
        return operations.correct(caller, ref, why)

    undone = "Take a correction back, by the reference or the id of its audit; or the settling of a contradiction."
    route("POST", "/memories/{ref}/undo", of.undo, undone)
    route("POST", "/usage", of.used, "Say which of the offered memories were cited, and which ignored.")
    happened = "An event of an agent, as the agent says it; the answer is in the agent's own form."
    route("POST", "/hooks/{agent}/{event}", of.hook, happened)
    route("GET", "/file", of.file, "The published MEMORY.md.")
    route("GET", "/curation", of.curation, "What curation has cut and can bring back.")

    @keyed.get("/contradictions")
    def contradictions(
        caller: By,
        status: Annotated[str, Query(pattern="^(open|resolved)$")] = "open",
        about: Annotated[str, Query(max_length=400, description="A name that they say, or a reference.")] = "",
        budget: Budget = requests.MOST_TOKENS,
        more: More = "",
    ) -> Answer:
        """The contradictions that are open, or those that somebody has settled."""
        return operations.contradictions(caller, budget, more, settled=status == "resolved", about=about)

    route("POST", "/contradictions/{identifier}/resolve", of.resolve, "Settle a contradiction.")

    @keyed.post("/consolidate", responses={202: {"description": "It goes on by itself."}})
    def consolidate(caller: By, asked: requests.ConsolidateRequest, response: Response) -> Answer:
        """Ask for consolidation and curation, or for what they would do, which is answered where it is soon there."""
        answer = operations.consolidate(caller, asked)
        if answer["state"] == WORKING:
            response.status_code = 202
        return answer

    route("GET", "/operations/{operation}", of.operation, "How far an operation is, and what it has done.")
    route(
        "POST", "/sessions/{session}/turns", of.add_turns, "Append turns to a session: on the disk when this answers."
    )

    @keyed.get("/sessions/{session}/turns", response_model=Answer)
    def turns(
        caller: By,
        session: str,
        refs: Annotated[list[str], Query(max_length=requests.MOST_REFS, description="Turns: 17, or 3-9.")] = [],  # noqa: B006
        about: Annotated[str, Query(max_length=4_000, description="A question: those that left and answer it.")] = "",
        budget: Budget = requests.MOST_TOKENS,
        more: More = "",
    ) -> Response:
        """Turns of a session as they were stored; without refs or about all that left its working memory."""
        return _escaped(operations.turns(caller, session, refs, about, budget, more))

    @keyed.get("/sessions/{session}", response_model=Answer)
    def session(caller: By, session: str, budget: Budget = requests.MOST_TOKENS, more: More = "") -> Response:
        """The working memory of a session."""
        return _escaped(operations.session(caller, session, budget, more))

    route("POST", "/sessions/{session}/end", of.end_session, "End a session: it becomes a source.", name="end")
    route("GET", "/status", of.status, "How far the sources have come, and what has failed.")
    app.include_router(keyed)
    add_page(app)
    return app


def _endpoint(run: Callable[..., Answer]) -> Callable[..., Answer]:
    """An operation as a route has it: each of its parameters is the path's, the query's or the body's."""

    def endpoint(**given: Any) -> Answer:
        return run(**given)

    of_it = [one for one in signature(run, eval_str=True).parameters.values() if one.name != "whole"]
    shown = [one.replace(kind=one.KEYWORD_ONLY, annotation=SAID.get(one.name, one.annotation)) for one in of_it]
    endpoint.__signature__ = Signature(shown, return_annotation=Answer)  # type: ignore[attr-defined]
    return endpoint


def _escaped(answer: Answer) -> Response:
    """An answer in which half a sign, which no encoding has, is escaped: it goes as it was stored, too."""
    return Response(as_text(answer).encode("utf-8", "backslashreplace"), media_type="application/json")
