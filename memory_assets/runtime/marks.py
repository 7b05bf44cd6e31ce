"""What each asset of an owner was last made from, and so for whom it is due. Pure.

A mark is ``<upstream>.<recipe>``: a digest of the marks upstream when the step began, and one of its prompts,
models and code. A step is due where its mark is not the one that follows from the marks upstream as they are (the
first of which changes with the raw sources). A third part is ``~<instant>``, from when on the step is due again by
itself, with a digest of what it has set aside until then; or a digest of what it left unfinished, so that it stays
due. A ``!`` at the end says that the step has begun anew and not ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memory_assets.clock import sortable
from memory_assets.llm.model_client import Models
from memory_assets.model import fingerprint, is_team

WANTED = "wanted_sources"
"""No asset: the mark that changes when a user asks for more of the teams' sources."""
DIGITS = 16
BEGUN = "!"
NEVER = datetime(9999, 12, 31, tzinfo=UTC)


@dataclass(frozen=True)
class Step:
    """An asset as the chain of marks sees it. Each room declares its own, where its assets are."""

    name: str
    recipe: Callable[[Models], str]
    """A digest of the prompts, models and code that it is made with now."""
    upstream: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """What a run does first, though nothing of it goes into this. Dagster wants one root for a selection of all
    assets, so that a person can pick a user for them."""
    of_teams: bool = False
    """Teams have it too, not only users."""
    follows_teams: bool = False
    """A user's follows from those of the user's teams as well."""
    asks_models: bool = False
    """It costs tokens, and money where they cost some."""
    also: str | None = None
    """A mark that no asset leaves, on which it depends once there is one."""
    for_everybody: bool = False
    """Each owner has it, empty where there is nothing to do: so its page is never missing."""
    unpartitioned: frozenset[str] = frozenset()
    """What of the upstream is no owner's: assets without partitions."""
    by_news: bool = False
    """It uses nothing of its upstream: it is due for owners for whom its asset's own query finds something."""
    from_nothing: bool = False
    """It is made although what is upstream has left no mark yet."""
    takes: frozenset[str] = frozenset()
    """The values of a run's scope that are meant for it; ``owners`` is for all."""


Marks = Mapping[tuple[str, str], str]
"""Mark by (owner, asset)."""


@dataclass(frozen=True)
class Chain:
    """The marks of some owners as they are, the steps with today's recipes, and who belongs to which teams."""

    steps: Mapping[str, Step]
    """All steps by name, in the order of the pipeline."""
    recipes: Mapping[str, str]
    marks: Marks
    teams: Mapping[str, Sequence[str]]
    now: datetime
    """By the house's clock."""

    def mark(self, owner: str, step: str) -> str | None:
        """The mark that the step has left; None when it was never done."""
        return self.marks.get((owner, step))

    def expected(self, owner: str, step: str) -> str:
        """The mark that the step would leave if it were done now, to its end."""
        spec = self.steps[step]
        followed = [owner, *(sorted(self.teams.get(owner, ())) if spec.follows_teams else ())]
        marks = (self.mark(name, above) for name in followed for above in spec.upstream)
        upstream = [mark and mark.removesuffix(BEGUN) for mark in marks]
        if spec.follows_teams and (wanted := self.mark(owner, WANTED)):
            upstream.append(wanted)
        if spec.also and (said := self.mark(owner, spec.also)):
            upstream.append(said)
        return f"{fingerprint(*followed, *upstream)[:DIGITS]}.{self.recipes[step][:DIGITS]}"

    def is_due(self, owner: str, step: str) -> bool:
        """Whether there is something to do for the step; never for one that the owner does not have."""
        spec = self.steps[step]
        if not spec.upstream or spec.by_news or (is_team(owner) and not spec.of_teams):
            return False
        if not spec.from_nothing and self.mark(owner, spec.upstream[0]) is None:
            return False  # there is nothing to follow from yet, because it failed or is still to come
        found, wanted = self.mark(owner, step), self.expected(owner, step)
        if found and found.startswith(f"{wanted}.~") and not found.endswith(BEGUN):
            return found.partition("~")[2].partition(".")[0] <= sortable(self.now)
        return found != wanted

    def reason(self, owner: str, step: str) -> str:
        """Why the step is due, in a few words."""
        found, wanted = self.mark(owner, step), self.expected(owner, step)
        if found is None:
            return "it was never made"
        upstream, recipe, *more = found.removesuffix(BEGUN).split(".")
        if upstream != wanted.split(".")[0]:
            return "what it is made from has changed"
        if recipe != wanted.split(".")[1]:
            return "its prompts, models or code have changed"
        if found.endswith(BEGUN):
            return "the last run did not end"
        if not more:
            return "it is current"
        return "enough time has passed" if more[0].startswith("~") else "the last run left something unfinished"


def left_unfinished(expected: str, problems: Iterable[str]) -> str:
    """The mark of a step that could not do all: due again, and another one when other things are left."""
    return f"{expected}.{fingerprint(*sorted(problems))[:DIGITS]}"


def current_until(expected: str, instant: datetime) -> str:
    """The mark of a step that follows from time as well, and will give something else from ``instant`` on."""
    return f"{expected}.~{sortable(instant)}"


def current_but(expected: str, set_aside: Iterable[str], until: datetime | None) -> str:
    """The mark of a step that has done all but what is set aside, for ever or ``until`` an instant.

    It is another one when other things are set aside, so that what follows learns of what has passed since.
    """
    return f"{current_until(expected, until or NEVER)}.{fingerprint(*sorted(set_aside))[:DIGITS]}"


def begun(mark: str) -> str:
    """The mark of a step that begins to replace what there is."""
    return mark if mark.endswith(BEGUN) else mark + BEGUN


def due_steps(chain: Chain, owner: str, steps: Iterable[str] | None = None) -> list[str]:
    """The steps that are due for an owner by themselves, in the order of the pipeline; not what follows from them."""
    wanted = set(chain.steps if steps is None else steps)
    return [step for step in chain.steps if step in wanted and chain.is_due(owner, step)]
