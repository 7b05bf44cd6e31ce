"""A graph from before keeps its texts when they are moved out of the records."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]

OLDER_GRAPH = '''
import json, os, sys
import arcadedb_embedded
from memory_assets.graph.large_texts import keep_apart

home = sys.argv[1]
with arcadedb_embedded.create_database(home) as database:
    with database.transaction():
        database.command("opencypher", """
            UNWIND range(1, 20) AS n
            CREATE (:Memory:Source {id: toString(n), title: 'a title', turns: 'said in ' + toString(n), content: null})
        """)
    def seen():
        rows = database.query("opencypher", "MATCH (s:Memory) RETURN properties(s) AS p ORDER BY s.id")
        return [dict(row.get("p")) for row in rows]
    before = seen()
    print(json.dumps([keep_apart(database), keep_apart(database), seen() == before, len(before), before[0]["turns"]]))
    print([name for name in os.listdir(home) if "Source" in name and "_ext." in name] != [])
    sys.stdout.flush()
    os._exit(0)  # the engine's threads outlive a finished process
'''


def test_an_older_graph_is_rewritten_once_and_reads_as_before(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OLDER_GRAPH, str(tmp_path / "graph")],
        capture_output=True, text=True, timeout=120, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    told, apart = done.stdout.strip().splitlines()[-2:]
    assert json.loads(told) == [["Source"], [], True, 20, "said in 1"]
    assert apart == "True"
