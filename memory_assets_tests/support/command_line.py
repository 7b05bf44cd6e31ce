"""A command line in this process.

Typer's runner builds the parser of all commands at each call, as long as many a command takes: here it is built once.
"""

from __future__ import annotations

from functools import cache

import typer.testing
from typer.testing import CliRunner, Result

from memory_assets.cli.app import app

typer.testing._get_command = cache(typer.testing._get_command)


def run_command(*arguments: str) -> Result:
    """What a command comes to: its output, and how it has ended."""
    return CliRunner().invoke(app, list(arguments))
