"""``python -m memory_assets_tests.support.neo4j_server [--servers N] -- COMMAND...``: run COMMAND against a real Neo4j.

Of several servers the command's own is the first; workers of its tests find the others in ``NEO4J_TEST_SERVERS``.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack

import neo4j

from memory_assets_tests.support.neo4j_server.server import SERVERS, MissingToolError, neo4j_server


def main(arguments: list[str]) -> int:
    """The exit code of the command; 2 when there is none to run or no server to run it against."""
    parser = argparse.ArgumentParser(prog="neo4j_server", description=__doc__)
    parser.add_argument("--servers", type=int, default=1, help="how many of them, one for each worker")
    parser.add_argument("command", nargs="+", help="what to run, behind --")
    asked = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with ExitStack() as stack:
        if os.environ.get("NEO4J_URI"):
            variables: dict[str, str] = {}
            print("NEO4J_URI is set: using that server", flush=True)
        else:
            try:
                servers = [stack.enter_context(neo4j_server()) for _ in range(max(1, asked.servers))]
                variables = servers[0] | {SERVERS: json.dumps(servers)}
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
        with subprocess.Popen(asked.command, env=environment) as running:
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
