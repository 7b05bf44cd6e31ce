"""Processes and files of a house at work, seen from outside: each may be gone between two looks at it."""

from __future__ import annotations

import os
import random
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import psutil

T = TypeVar("T")
PORTS = range(20_000, 32_000)
"""Below those that the system hands out by itself, to whoever connects or asks for any: they stay free."""


def family_of(pid: int) -> list[psutil.Process]:
    """A process and all that it has started; empty when it has ended."""
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def of_each(processes: list[psutil.Process], look: Callable[[psutil.Process], T]) -> list[T]:
    """What a look at each of them finds, without those that have ended meanwhile."""
    found = []
    for process in processes:
        try:
            found.append(look(process))
        except psutil.Error:  # ended, or about to: its files are nobody's
            continue
    return found


def listened_on(processes: list[psutil.Process]) -> set[str]:
    """The addresses at which they listen, as IPv4."""
    connections = of_each(processes, lambda process: process.net_connections("tcp"))
    return {
        connection.laddr.ip.removeprefix("::ffff:")
        for of_one in connections
        for connection in of_one
        if connection.status == psutil.CONN_LISTEN
    }


def files_of(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """All files below a folder with their state, without those that go while one looks."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            try:
                found = path.stat()
            except OSError:  # removed or replaced since its folder was listed
                continue
            if stat.S_ISREG(found.st_mode):
                yield path, found


def files_with(folder: Path, text: bytes) -> list[Path]:
    """The files below a folder in which a text stands."""

    def holds(path: Path) -> bool:
        try:
            return text in path.read_bytes()
        except FileNotFoundError:
            return False

    return [path for path, _ in files_of(folder) if holds(path)]


def free_port() -> int:
    """A port that nobody listens on, and that nobody is given by chance before it is used."""
    chance = random.SystemRandom()
    while True:
        port = chance.choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
