"""``python -m memory_assets_tests.support.neo4j_server -- COMMAND...``: run COMMAND against a real Neo4j."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack

import neo4j

from memory_assets_tests.support.neo4j_server.server import MissingToolError, neo4j_server


def main(arguments: list[str]) -> int:
    """The exit code of the command; 2 when there is none to run or no server to run it against."""
    command = arguments[1:] if arguments[:1] == ["--"] else arguments
    if not command:
        print(f"usage: {__doc__}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with ExitStack() as stack:
        if os.environ.get("NEO4J_URI"):
            variables: dict[str, str] = {}
            print("NEO4J_URI is set: using that server", flush=True)
        else:
            try:
                variables = stack.enter_context(neo4j_server())
            except MissingToolError as error:
                print(error, file=sys.stderr)
                return 2
        environment = os.environ | variables
        try:
            print(f"server: {_version(environment)}", flush=True)
        except neo4j.exceptions.Neo4jError as error:
            print(f"Neo4j refuses us: {error.message}. Check NEO4J_USERNAME and NEO4J_PASSWORD.", file=sys.stderr)
            return 2
        except neo4j.exceptions.DriverError as error:
            print(f"Neo4j cannot be reached: {error}. Check NEO4J_URI.", file=sys.stderr)
            return 2
        with subprocess.Popen(command, env=environment) as running:
            try:
                return running.wait()
            except (KeyboardInterrupt, SystemExit):
                running.terminate()
                running.wait()
                raise


def _version(environment: dict[str, str]) -> str:
    auth = (environment.get("NEO4J_USERNAME", "neo4j"), environment.get("NEO4J_PASSWORD", ""))
    with neo4j.GraphDatabase.driver(environment["NEO4J_URI"], auth=auth) as driver:
        info = driver.get_server_info()
        return f"{info.agent} at {environment['NEO4J_URI']}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
