"""Whether two names are one person's, by rules: what rules can tell is told before anybody is asked."""

from __future__ import annotations

from memory_assets.llm.tasks import NamePair, SamePerson


def judge_pair(pair: NamePair) -> SamePerson:
    """The answer to ``entities/same_person``: nothing more than the names is known here, so never sure."""
    return SamePerson(verdict="unsure", confidence=0)
