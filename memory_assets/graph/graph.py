"""The graph, as rooms see it: ``read`` and ``write`` by the name of a file in ``cypher/``.

Each write is one explicit transaction (each batch of rows, when there are many); a read is one statement, which is sent
and answered in one exchange. Either is retried as a whole when the engine says that trying again can help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import neo4j
from neo4j.exceptions import AuthError, ConstraintError, DriverError, Neo4jError, ServiceUnavailable, SessionExpired
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from memory_assets.batches import in_batches
from memory_assets.errors import GraphQueryError, GraphUnavailableError, QueryFileError
from memory_assets.graph.connection import Connection, Engine
from memory_assets.graph.query_files import Query, catalogue, check_read_only
from memory_assets.graph.values import plain, prepare_parameters, prepare_rows, weight
from memory_assets.settings import Settings, ensure_home

T = TypeVar("T")

BATCH_ROWS = 500
BATCH_BYTES = 4_000_000
ATTEMPTS = 12
LONGEST_WAIT = 2.0

_LOST = (ServiceUnavailable, SessionExpired, AuthError)
# Conflicts that another attempt settles: what the embedded engine calls them, and what Neo4j says when two processes
# bring an index or a constraint into being at the same moment, IF NOT EXISTS or not, or when a node that a statement
# has matched is deleted before the statement writes to it.
_CONFLICTS = (
    *("ConcurrentModificationException", "DuplicatedKeyException", "NeedRetryException"),
    *("EquivalentSchemaRuleAlreadyExists", "Neo.ClientError.Statement.EntityNotFound"),
)

# How the embedded engine says that its heap, or the share of it that queries may take, does not suffice.
_OUT_OF_HEAP = ("Query heap budget exceeded", "OutOfMemoryError", "Java heap space")


class Statement(NamedTuple):
    """One statement of :meth:`Graph.write_together`."""

    name: str
    params: dict[str, Any]


class Graph:
    """The graph of one installation. One per process; thread safe."""

    def __init__(self, connection: Connection, queries: Mapping[str, Query] | None = None) -> None:
        self._connection = connection
        self._queries = catalogue() if queries is None else queries

    def __repr__(self) -> str:
        return f"Graph({self._connection.engine})"

    @property
    def engine(self) -> Engine:
        """``neo4j`` or ``embedded``."""
        return self._connection.engine

    def server_info(self) -> str:
        """Which server answers, in which version and where, for a log line."""
        return self._connection.server_info()

    def close(self) -> None:
        """Close the connections; a hosted engine goes on for others."""
        self._connection.close()

    def read(self, name: str, **params: Any) -> list[dict[str, Any]]:
        """The rows of a statement in mode read."""
        return self.read_each(name, lambda row: row, **params)

    def read_parts(self, name: str, ids: Sequence[str], **params: Any) -> Iterator[dict[str, Any]]:
        """The rows of :meth:`read` for ``$ids``, of which a bounded number is sent, and answered, at a time."""
        for start in range(0, len(ids), BATCH_ROWS):
            yield from self.read(name, ids=list(ids[start : start + BATCH_ROWS]), **params)

    def read_each(self, name: str, make: Callable[[dict[str, Any]], T], **params: Any) -> list[T]:
        """What ``make`` makes of each row of :meth:`read`, as it comes: the rows are never all there at once.

        ``make`` must not do anything else: where the engine asks to try again, it is given every row once more.
        """
        query = self._query(name, "read", params)
        prepared = prepare_parameters(name, params)
        return self._attempt(neo4j.READ_ACCESS, lambda session: [*map(make, _rows(session, query, prepared))], name)

    def write(
        self, name: str, rows: Sequence[Mapping[str, Any]] | None = None, *, batch: int = BATCH_ROWS, **params: Any
    ) -> list[dict[str, Any]]:
        """Run a statement in mode write; ``rows`` are sent as ``$rows``, each batch one transaction."""
        given = params if rows is None else params | {"rows": rows}
        query = self._query(name, "write", given)
        prepared = prepare_parameters(name, params)
        if rows is None:
            return self._send(query, prepared)
        results: list[dict[str, Any]] = []
        # All rows are checked before the first is sent.
        for part in in_batches(prepare_rows(name, rows), batch, weight, BATCH_BYTES):
            results += self._send(query, prepared | {"rows": part})
        return results

    def _send(self, query: Query, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        return self._run(neo4j.WRITE_ACCESS, lambda tx: list(_rows(tx, query, params)), query.name)

    def write_together(self, statements: Sequence[Statement]) -> list[list[dict[str, Any]]]:
        """Run several statements in one transaction: all of them or none."""
        prepared = []
        for name, params in statements:
            query = self._query(name, None, params)
            if query.mode == "schema":
                raise QueryFileError(f"cypher/{name}.cypher changes the schema: run it by itself.")
            prepared.append((query, prepare_parameters(name, params)))
        if not prepared:
            return []
        return self._run(
            neo4j.WRITE_ACCESS,
            lambda tx: [list(_rows(tx, query, params)) for query, params in prepared],
            ", ".join(dict.fromkeys(name for name, _ in statements)),
        )

    def query_read_only(self, cypher: str, params: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a person's own statement, which may only read; whatever it did is rolled back."""
        check_read_only(cypher)
        prepared = prepare_parameters("query", params or {})

        def work(tx: neo4j.Transaction) -> list[dict[str, Any]]:
            rows = [plain(dict(record.items())) for record in tx.run(cypher, prepared)]
            tx.rollback()
            return rows

        return self._run(neo4j.READ_ACCESS, work, None)

    def apply_schema(self, now: str) -> list[str]:
        """Bring the schema up to date; the names of the files of ``cypher/schema/`` that were applied now.

        Each is remembered by its checksum, as a Migration node, and applied again when it has changed; its statements
        say ``IF NOT EXISTS``, so that two processes may do so at once. They are recorded when all have been applied: a
        record made before its constraint could be made twice.
        """
        applied = {row["name"]: row["checksum"] for row in self.read("graph/list_migrations")}
        files = sorted((query for query in self._queries.values() if query.mode == "schema"), key=lambda one: one.name)
        wanted = [query for query in files if applied.get(query.name) != query.checksum]
        for query in wanted:
            self._run_schema(query)
        rows = [{"id": f"migration:{one.name}", "name": one.name, "checksum": one.checksum} for one in wanted]
        if rows:
            self.write("graph/upsert_migrations", [row | {"applied_at": now} for row in rows])
        return [query.name for query in wanted]

    def checkpoint(self) -> None:
        """Have Neo4j write its store out, so that its old transaction logs can be pruned."""
        self._attempt(neo4j.WRITE_ACCESS, lambda session: session.run("CALL db.checkpoint()").consume(), None)

    def _run_schema(self, query: Query) -> None:
        def work(session: neo4j.Session) -> None:
            for statement in query.statements:
                session.run(statement).consume()

        self._attempt(neo4j.WRITE_ACCESS, work, query.name)

    def _query(self, name: str, mode: str | None, params: Mapping[str, Any]) -> Query:
        query = self._queries.get(name)
        if query is None:
            raise QueryFileError(f"There is no cypher/{name}.cypher. Check the name, or add the file.")
        if mode is not None and query.mode != mode:
            raise QueryFileError(f"cypher/{name}.cypher is in mode {query.mode}: not for Graph.{mode}.")
        missing, surplus = sorted(query.params - params.keys()), sorted(params.keys() - query.params)
        if missing or surplus:
            problems = [f"needs {', '.join(missing)}"] * bool(missing)
            problems += [f"does not take {', '.join(surplus)}"] * bool(surplus)
            raise QueryFileError(f"cypher/{name}.cypher {' and '.join(problems)}. Change the call or the file.")
        return query

    def _run(self, access: str, work: Callable[[neo4j.Transaction], T], name: str | None) -> T:
        def in_transaction(session: neo4j.Session) -> T:
            with session.begin_transaction() as tx:
                result = work(tx)
                if not tx.closed():
                    tx.commit()
                return result

        return self._attempt(access, in_transaction, name)

    def _attempt(self, access: str, work: Callable[[neo4j.Session], T], name: str | None) -> T:
        retrying = Retrying(
            retry=retry_if_exception(_may_pass),
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_random_exponential(multiplier=0.02, max=LONGEST_WAIT),
            reraise=True,
        )
        try:
            return retrying(self._once, access, work)
        except _LOST as error:
            raise GraphUnavailableError(
                f"The graph ({self.engine}) stopped answering ({type(error).__name__}). "
                "See `memory-assets graph status`, then try again."
            ) from None
        except (Neo4jError, DriverError) as error:
            what = f"cypher/{name}.cypher" if name else "The query"
            reason = f"{what} was refused by the {self.engine} engine: {reason_of(error)}"
            raise GraphQueryError(reason) from None

    def _once(self, access: str, work: Callable[[neo4j.Session], T]) -> T:
        driver = self._connection.driver()
        try:
            with driver.session(database=self._connection.database, default_access_mode=access) as session:
                return work(session)
        except _LOST:
            self._connection.renew(driver)
            raise


def open_graph(settings: Settings) -> Graph:
    """The graph of this installation, reachable and with its schema up to date."""
    ensure_home(settings)
    graph = Graph(Connection(settings))
    graph.apply_schema(settings.clock.now().isoformat())
    return graph


def _rows(
    where: neo4j.Session | neo4j.Transaction, query: Query, params: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    result = where.run(query.text, dict(params))
    columns = result.keys()  # the embedded engine names none when there are no rows
    if query.returns and columns and set(columns) != set(query.returns):
        raise QueryFileError(
            f"cypher/{query.name}.cypher returns {', '.join(columns)}, "
            f'but its header says {", ".join(query.returns)}. Make "returns:" say what it returns.'
        )
    for record in result:
        yield {key: plain(value) for key, value in zip(columns, record, strict=True)}


def _may_pass(error: BaseException) -> bool:
    """Whether another attempt can help: transient errors, lost connections, two writers on one new key."""
    if isinstance(error, (ConstraintError, *_LOST)):
        return True
    if isinstance(error, Neo4jError):
        return error.is_retryable() or any(word in str(error) for word in _CONFLICTS)
    return isinstance(error, DriverError) and error.is_retryable()


def reason_of(error: Exception) -> str:
    """Why an engine refused something, for people: what to do where its memory did not suffice, else its own words."""
    said = str(getattr(error, "message", None) or error)
    if any(word in said for word in _OUT_OF_HEAP):
        return (
            "its memory is too small for this. Set MEMORY_ASSETS_GRAPH_HEAP to more (it is 1g where it is not "
            f"set), run `memory-assets graph stop`, and try again. The engine's own words: {said}"
        )
    return said
