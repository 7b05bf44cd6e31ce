"""Processes seen from outside: each may end between two looks at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import psutil

T = TypeVar("T")


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
