"""One file, several connections and processes: nobody takes what another still writes."""

import sqlite3
import subprocess
import sys

from memory_assets.files.sqlite_file import SqliteFile

SCHEMA = "CREATE TABLE IF NOT EXISTS notes (text TEXT PRIMARY KEY)"
COMES_AND_GOES = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("INSERT INTO notes VALUES (?)", (sys.argv[2],))
connection.close()
"""


def add(file: SqliteFile, text: str) -> None:
    with file.transaction() as connection:
        connection.execute("INSERT INTO notes VALUES (?)", (text,))


def texts(path) -> list[str]:
    with sqlite3.connect(path) as connection:
        return [row[0] for row in connection.execute("SELECT text FROM notes ORDER BY text")]


def test_a_second_connection_of_one_process_leaves_the_first_its_locks(tmp_path):
    path = tmp_path / "rows.sqlite"
    first, second = SqliteFile(path, SCHEMA, RuntimeError), SqliteFile(path, SCHEMA, RuntimeError)
    add(first, "harbour")
    add(second, "cello")
    second.close()
    for number in range(3):
        other = f"other {number}"
        subprocess.run([sys.executable, "-c", COMES_AND_GOES, str(path), other], check=True, timeout=300)
        add(first, f"orchard {number}")

    assert texts(path) == ["cello", "harbour", *(f"orchard {n}" for n in range(3)), *(f"other {n}" for n in range(3))]


def test_the_file_is_its_owners_alone(tmp_path):
    path = tmp_path / "rows.sqlite"
    path.touch(mode=0o644)
    add(SqliteFile(path, SCHEMA, RuntimeError), "harbour")

    assert path.stat().st_mode & 0o777 == 0o600
