"""The verbs of change, as data: a row of ``change_forms.tsv`` has a form's name, kind and verbs, and its roles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

FORMS = "change_forms.tsv"


class Verbs(NamedTuple):
    """A row."""

    name: str
    kind: str
    verbs: frozenset[str]
    old: tuple[str, ...]
    new: tuple[str, ...]


@cache
def forms() -> Mapping[str, Verbs]:
    """The rows, by name."""
    rows = (files("memory_assets.llm.local") / FORMS).read_text(encoding="utf-8").splitlines()
    cut = (row.split("\t") for row in rows)
    return {
        name: Verbs(name, kind, frozenset(verbs.split()), tuple(old.split()), tuple(new.split()))
        for name, kind, verbs, old, new in cut
    }


@cache
def predicates(name: str) -> frozenset[str]:
    """The verbs of a row of the forms."""
    return forms()[name].verbs


@cache
def particles() -> frozenset[str]:
    """The particles of all verbs: "up" of "give_up"."""
    return frozenset(verb.partition("_")[2] for one in forms().values() for verb in one.verbs) - {""}
