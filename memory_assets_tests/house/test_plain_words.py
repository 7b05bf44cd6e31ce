"""What users read says what it means: no numbers and sections of the documents that specified the behaviour.

Docstrings may name them where no tool shows them to a user; those of assets, checks, jobs and commands are shown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
import typer.main

from memory_assets.cli.app import app
from memory_assets.definitions import defs
from memory_assets.runtime.resources import resources
from memory_assets_tests.house.test_house_rules import MODULES, ROOT, nodes_of, place, strings, text_of

SOURCE = re.compile(
    r"\bspecifications?\b|\bspec\.? 0|(?<![\d.,:/-])00[0-4](?=[,;:)'’\s]|$)(?! \d)|\bPhase \d|\bStep \d\b|"
    r"\brails? \d|§ ?\d"
    r"|\bnever-prune\b|\bTTL (?:rules?|policy)\b",
    re.IGNORECASE,
)
"""A document by its number (000 to 004), or a part of one by its name."""

PAGES = [
    ROOT / name
    for name in (
        "README.md",
        "CHANGELOG.md",
        ".env.example",
        "dagster.yaml",
        "docs/sources.md",
        "docs/files.md",
        "docs/running.md",
        "docs/service.md",
    )
]
"""What is for users; docs/architecture.md lists the documents for those who change the code."""


@pytest.mark.parametrize(
    "text",
    [
        "kept for ever (004, Phase 0).",
        "(000, Monitoring and Metrics.) Utilisation",
        "with the tools of 004, Phase 2, Step 4.",
        "no keywords more than three hundredths (000).",
        "or more distinct days (specification 004).",
        "past a never-prune rail",
        "the grace of rail 9",
        "after 45 days (001, TTL Rules)",
        "(004)",
        "see 003",
    ],
)
def test_the_pattern_finds_a_source(text: str) -> None:
    assert SOURCE.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "2,000 tokens",
        "100,000 sources",
        "0.001",
        "scan-0042.eml",
        "12:00",
        "£3,004.",
        "the phase that follows",
        "+44 004 7",
        "1.000",
    ],
)
def test_the_pattern_passes_plain_words(text: str) -> None:
    assert not SOURCE.search(text)


def of_dagster() -> Iterator[tuple[str, str | None]]:
    """Every description in Dagster's UI, by where it stands."""
    graph, repository = defs.resolve_asset_graph(), defs.get_repository_def()
    for key in graph.get_all_asset_keys():
        yield f"asset {key.to_user_string()}", graph.get(key).description
    for check in graph.asset_check_keys:
        yield f"check {check.to_user_string()}", graph.get_check_spec(check).description
    for job in repository.get_all_jobs():
        if not job.name.startswith("__"):
            yield f"job {job.name}", job.description
        yield from (
            (f"op {node.name}", node.definition.description) for node in job.nodes if job.name == "prune_history"
        )
    for one in (*repository.schedule_defs, *repository.sensor_defs):
        yield f"{type(one).__name__} {one.name}", one.description
        yield from (
            (f"metadata of {one.name}: {name}", f"{name} {value.value}") for name, value in one.metadata.items()
        )
    for name, resource in resources().items():
        yield f"resource {name}", getattr(resource, "resource_cls", type(resource)).__doc__


def of_configuration() -> Iterator[tuple[str, str | None]]:
    """Every field of a launchpad, with its help."""
    for config in dg.Config.__subclasses__():
        if config.__module__.startswith("memory_assets."):
            yield from ((f"{config.__name__}.{name}", field.description) for name, field in config.model_fields.items())


def of_the_command_line() -> Iterator[tuple[str, str | None]]:
    """Every command's help, and that of its arguments and options."""
    todo = [("memory-assets", typer.main.get_command(app))]
    while todo:
        name, command = todo.pop()
        yield name, command.help
        yield from ((f"{name} {param.name}", getattr(param, "help", "") or "-") for param in command.params)
        todo += [(f"{name} {child}", one) for child, one in getattr(command, "commands", {}).items()]


@pytest.mark.parametrize("shown", [of_dagster, of_configuration, of_the_command_line])
def test_what_is_shown_is_there_and_names_no_source(shown: Callable[[], Iterator[tuple[str, str | None]]]) -> None:
    pairs = sorted(shown(), key=lambda pair: pair[0])
    assert len(pairs) > 5
    assert not (silent := [where for where, text in pairs if not (text or "").strip()]), f"nothing is said of {silent}"
    found = {where: match[0] for where, text in pairs if (match := SOURCE.search(text or ""))}
    assert not found, f"these name a source: {found}: say in plain words what it means"


def docstring_lines(path: Path) -> set[int]:
    """Where strings stand that no code uses: the docstrings of constants and fields."""
    return {
        node.lineno for node in nodes_of(path) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def test_no_message_names_a_source() -> None:
    found = []
    for path in MODULES:
        silent = docstring_lines(path)
        found += [
            f"{place(path)}:{line}: {match[0]!r}"
            for line, text in strings(path)
            if line not in silent and (match := SOURCE.search(text))
        ]
    assert not found, f"users are shown a source ({found}): say in plain words what it means"


def test_no_page_names_a_source() -> None:
    found = {page.name: names for page in PAGES if (names := [match[0] for match in SOURCE.finditer(text_of(page))])}
    assert not found
