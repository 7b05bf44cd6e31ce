"""What commands share: the settings, the graph, and who exists."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_assets.graph.graph import Graph, open_graph
from memory_assets.model import check_user, is_team
from memory_assets.runtime.owners import check_known
from memory_assets.settings import Settings, load_settings

User = Annotated[str, typer.Option("--user", "-u", help="Whose memory.")]
OptionalUser = Annotated[str | None, typer.Option("--user", "-u", help="Whose memory; everybody's if left out.")]


def connect() -> tuple[Settings, Graph]:
    """The settings and the graph, which is started when it does not run."""
    settings = load_settings()
    return settings, open_graph(settings)


def connect_for(user: str) -> tuple[Settings, Graph]:
    """The same, for a user who must exist."""
    check_user(user)
    settings, graph = connect()
    check_known(graph, settings, [user])
    return settings, graph


def users_in(graph: Graph) -> list[str]:
    """Every user that the graph knows, in order."""
    return sorted(row["user_id"] for row in graph.read("runtime/list_owners") if not is_team(row["user_id"]))


def chosen_users(graph: Graph, user: str | None) -> list[str]:
    """The named user, or all of them; a named one must exist."""
    if user is None:
        return users_in(graph)
    check_known(graph, load_settings(), [check_user(user)])
    return [user]
