"""One driver to one engine, and a new one when the embedded host came back somewhere else."""

from __future__ import annotations

import logging
import threading
from typing import Literal

import neo4j
from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError, ServiceUnavailable

from memory_assets.errors import GraphUnavailableError, SettingsError
from memory_assets.graph import embedded
from memory_assets.graph.fresh_copy import DATABASE
from memory_assets.settings import Settings, without_login

Engine = Literal["neo4j", "embedded"]
CONNECT_SECONDS = 15.0

# Unknown labels and properties are everyday life in a graph that is still empty.
logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)


class Connection:
    """Holds the driver; thread safe. The settings keep the password, nothing here shows it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._driver: neo4j.Driver | None = None
        self.engine: Engine = "neo4j" if settings.neo4j_uri else "embedded"
        self.database = settings.neo4j_database if settings.neo4j_uri else DATABASE

    def __repr__(self) -> str:
        return f"Connection({self.engine})"

    def driver(self) -> neo4j.Driver:
        """The driver, connected and verified on first use."""
        with self._lock:
            if self._driver is None:
                self._driver = self._connect()
            return self._driver

    def renew(self, failed: neo4j.Driver) -> None:
        """Give up ``failed``: the next use connects anew, and starts the embedded host if it is gone."""
        if self.engine == "neo4j":
            return  # the driver's pool reconnects by itself
        with self._lock:
            if self._driver is failed:
                self._driver = None
                failed.close()

    def close(self) -> None:
        """Close the driver; the embedded host stays for others."""
        with self._lock:
            if self._driver is not None:
                self._driver.close()
                self._driver = None

    def server_info(self) -> str:
        """Which server answers, in which version and where, for a log line."""
        info = self.driver().get_server_info()
        state = embedded.find(self._settings) if self.engine == "embedded" else None
        address = ":".join(str(part) for part in info.address[:2])
        return f"{self.engine} {state.version if state else info.agent} at {address}"

    def _connect(self) -> neo4j.Driver:
        if self.engine == "neo4j":
            return self._connect_neo4j()
        state = embedded.start(self._settings)
        try:
            return _open(embedded.uri(state), embedded.USERNAME, state.password)
        except (DriverError, Neo4jError) as error:
            raise GraphUnavailableError(
                f"The embedded graph at {embedded.uri(state)} does not let us in ({type(error).__name__}). "
                "Run `memory-assets graph stop` and try again."
            ) from None

    def _connect_neo4j(self) -> neo4j.Driver:
        settings = self._settings
        uri = without_login(str(settings.neo4j_uri))  # whose name and password are settings of their own
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        try:
            return _open(uri, settings.neo4j_username, password)
        except (ConfigurationError, ValueError) as error:
            raise SettingsError(f"NEO4J_URI {uri!r} cannot be used: {error}") from None
        except AuthError:
            raise GraphUnavailableError(
                f"Neo4j at {uri} refuses user {settings.neo4j_username!r}. Check NEO4J_USERNAME and NEO4J_PASSWORD."
            ) from None
        except (ServiceUnavailable, DriverError, Neo4jError) as error:
            raise GraphUnavailableError(
                f"Neo4j at {uri} cannot be reached ({type(error).__name__}). Check that it runs and that "
                "NEO4J_URI is right, or unset NEO4J_URI to use the embedded graph."
            ) from None


def _open(uri: str, username: str, password: str) -> neo4j.Driver:
    driver = neo4j.GraphDatabase.driver(
        uri,
        auth=(username, password),
        user_agent="memory-assets",
        telemetry_disabled=True,
        connection_timeout=CONNECT_SECONDS,
        max_transaction_retry_time=0.0,  # retries are ours: one place, and the constraint error too
    )
    try:
        driver.verify_connectivity()
    except BaseException:
        driver.close()
        raise
    return driver
