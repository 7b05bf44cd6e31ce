"""The rules of the house, executed: who may import whom, where Cypher stands, what a room's door says."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from memory_assets.graph.query_files import FRAGMENTS, bare, catalogue

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "memory_assets"
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))
PURE_NAMES = {"policy.py", "render.py", "rails.py", "selection.py"}
# By its name, or because the first paragraph of its docstring says so.
PURE = [
    path
    for path in MODULES
    if path.name in PURE_NAMES
    or re.search(r'\A"""(?:(?!\n\n|""").)*\bPure\b', path.read_text(encoding="utf-8"), re.DOTALL)
]

# Packages that an import by name would hide from the contracts, and their one door.
BY_NAME = {"wordllama": "llm/", "bpe_openai": "llm/"}
IMPURE = {
    "dagster",
    "neo4j",
    "openai",
    "spacy",
    "wordllama",
    "os",
    "socket",
    "subprocess",
    "requests",
    "sqlite3",
    "time",
}


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """A file's module and all that is in it: parsed once for all tests of a process."""
    return tuple(ast.walk(ast.parse(text_of(path))))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every module that a file imports, by its full name."""
    found: list[str] = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found += (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
    return tuple(found)


def place(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_a_room_reads_by_its_own_queries_and_the_graphs() -> None:
    """What several rooms read is in ``cypher/graph``; ``curation`` alone brings back what it has cut."""
    contract = text_of(ROOT / ".importlinter")
    rooms = re.search(r"^ *(sources \|.*)$", contract, re.M)
    assert rooms is not None
    every = catalogue()
    found = {
        f"{place(path)}: {name}"
        for room in rooms[1].split(" | ")
        for path in (PACKAGE / room).rglob("*.py")
        for _, name in strings(path)
        if name in every and not name.startswith((f"{room}/", "graph/", "runtime/", "curation/restore_"))
    }
    assert not found


def test_the_contracts_of_imports_hold() -> None:
    """Layers, rooms that know nothing of each other, one door for each package outside: ``.importlinter``."""
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
        "--no-cache",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_there_are_modules_to_judge() -> None:
    """The rules below hold for each of them, and would hold for none."""
    assert len(MODULES) > 400 and len(PURE) > 100 and PACKAGE / "clock.py" in MODULES
    assert any(imports(path) for path in PURE) and len(referenced_names()) > 5000


def test_what_is_imported_by_name_has_its_own_door() -> None:
    wrong = {}
    for path in MODULES:
        named = {name.partition(".")[0] for name in imports(path)} | {text for _, text in strings(path)}
        if found := [name for name, door in BY_NAME.items() if name in named and not place(path).startswith(door)]:
            wrong[place(path)] = found
    assert not wrong, f"imported by name: {wrong}: go through the adapter instead."


def test_what_dagster_keeps_to_itself_is_imported_in_one_place() -> None:
    wrong = {
        place(path): found
        for path in MODULES
        if path.name != "dagster_internals.py"
        and (found := [name for name in imports(path) if name.startswith(("dagster._", "dagster_shared"))])
    }
    assert not wrong, f"Dagster's own: {wrong}: runtime/dagster_internals.py imports it, and says why."


def test_decisions_touch_nothing_outside() -> None:
    wrong = {
        place(path): found
        for path in PURE
        if (found := sorted({name for name in imports(path) if name.partition(".")[0] in IMPURE}))
    }
    assert not wrong, f"these decide, and must not import: {wrong}"


@cache
def strings(path: Path) -> tuple[tuple[int, str], ...]:
    """Every string that is not a docstring, f-strings' parts included."""
    docstrings = {
        id(node.body[0].value)
        for node in nodes_of(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    }
    return tuple(
        (node.lineno, node.value)
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    )


CYPHER = re.compile(r"\b(MATCH|MERGE|UNWIND|CREATE)\b\s*[(\[$]|\bRETURN\b .*\bAS\b|\bDETACH DELETE\b")


def test_no_cypher_in_python() -> None:
    found = [
        f"{place(path)}:{line}: {text[:60]!r}"
        for path in MODULES
        for line, text in strings(path)
        if CYPHER.search(text)
    ]
    assert not found, f"Cypher belongs into cypher/: {found}"


CLOCKS = re.compile(r"datetime\.(?:now|utcnow)\(|time\.time\(\)|date\.today\(")


def test_only_the_clock_asks_for_the_time() -> None:
    found = {path for path in MODULES if CLOCKS.search(text_of(path))}
    assert {path.name for path in found} == {"clock.py"}, f"use the one clock: {sorted(map(place, found))}"


def test_each_folder_has_a_door_sign() -> None:
    without = [
        place(folder)
        for folder in sorted({path.parent for path in MODULES})
        if not (door := folder / "__init__.py").is_file() or not ast.get_docstring(ast.parse(text_of(door)))
    ]
    assert not without, f"no __init__.py with a docstring: {without}"


def referenced_names() -> set[str]:
    return {text for path in MODULES for _, text in strings(path)}


def test_every_query_file_is_used_and_every_used_query_exists() -> None:
    files = {
        path.relative_to(ROOT / "cypher").with_suffix("").as_posix()
        for path in (ROOT / "cypher").rglob("*.cypher")
        if path.parent.name not in ("schema", FRAGMENTS)
    }
    rooms = {name.split("/")[0] for name in files}
    named = referenced_names()
    used = {text for text in named if re.fullmatch(r"[a-z_]+/[a-z0-9_]+", text) and text.split("/")[0] in rooms}
    used -= {name for name in used if (PACKAGE / name.split("/")[0] / "prompts" / f"{name.split('/')[1]}.md").is_file()}
    # The knife takes its statements by their names alone.
    used |= {name for name in files if name.startswith("curation/") and name.partition("/")[2] in named}
    assert files - used == set(), "unused query files"
    assert used - files == set(), "queries that do not exist"


_MAYBE_NULL_KEY = re.compile(r"OPTIONAL MATCH \(\w+:\w+ \{\w+: (?!row\.|wanted\.)\w+\.(?!id\b)\w+")
"""The embedded engine reads all that an owner has where an index is asked for null: 130 ms at a million passages."""


def test_no_index_is_asked_for_what_may_be_null() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): hits
        for path in (ROOT / "cypher").rglob("*.cypher")
        if (hits := _MAYBE_NULL_KEY.findall(path.read_text(encoding="utf-8")))
    }
    assert not found, f"write coalesce(…, ''): {found}"


def test_each_folder_of_queries_is_named_like_the_package_that_loads_them() -> None:
    folders = {path.parent.name for path in (ROOT / "cypher").glob("*/*.cypher")} - {"schema", FRAGMENTS}
    wrong = []
    for folder in sorted(folders):
        own = {text for path in (PACKAGE / folder).rglob("*.py") for _, text in strings(path)}
        if not own & {f"{folder}/{path.stem}" for path in (ROOT / "cypher" / folder).glob("*.cypher")}:
            wrong.append(folder)
    assert folders and not wrong, f"no package of this name loads them: {wrong}"


def test_every_prompt_is_a_task_and_every_task_has_a_prompt() -> None:
    from memory_assets.llm import tasks

    declared = {value for name, value in vars(tasks).items() if name.isupper() and isinstance(value, str)}
    files = {f"{path.parent.parent.name}/{path.stem}" for path in PACKAGE.glob("*/prompts/*.md")}
    assert files == declared


# The embedded engine fails, or leaves links standing, where one row deletes links that the next one follows.
def test_links_are_all_found_before_the_first_is_deleted() -> None:
    for query in catalogue().values():
        text = bare(query.text)
        links = set(re.findall(r"-\[(\w+):", text))
        streamed = links & set(re.findall(r"^\s*DELETE (\w+)", text, re.MULTILINE))
        assert not streamed, f"{query.name} deletes {streamed} as it finds them: collect them first, then FOREACH."


def test_every_setting_is_documented() -> None:
    from memory_assets.settings import Settings

    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    for name, field in Settings.model_fields.items():
        variable = field.validation_alias or f"MEMORY_ASSETS_{name.upper()}"
        assert f"#{variable}=" in example, f"{variable} is not in .env.example"


def test_every_command_is_in_the_docs() -> None:
    import typer.main

    from memory_assets.cli.app import app

    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    root = typer.main.get_command(app)
    names = []
    for name, command in root.commands.items():
        children = getattr(command, "commands", {})
        names += [f"{name} {child}" for child in children] or [name]
    missing = [name for name in names if name not in page]
    assert not missing, f"not in docs/commands.md: {missing}"


def test_every_command_that_a_sentence_advises_exists() -> None:
    import typer.main

    from memory_assets.cli.app import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    wrong = []
    for path in MODULES:
        for line, text in strings(path):
            for name, child in re.findall(r"`memory-assets ([a-z][a-z-]*)(?: ([a-z]+)\b)?", text):
                children = getattr(commands.get(name), "commands", None)
                if name not in commands or (children and child and child not in children):
                    wrong.append(f"{place(path)}:{line}: {name} {child}".rstrip())
    assert not wrong, f"advised, but no command: {wrong}"


def test_every_public_function_says_what_it_does() -> None:
    silent = []
    for path in MODULES:
        module = nodes_of(path)[0]
        assert isinstance(module, ast.Module)
        for node in module.body:
            if (
                isinstance(node, ast.FunctionDef | ast.ClassDef)
                and not node.name.startswith("_")
                and not ast.get_docstring(node)
            ):
                silent.append(f"{place(path)}:{node.name}")
    assert not silent
