"""How a source is introduced: who wrote or talked with whom, and about what."""

from __future__ import annotations

from collections.abc import Sequence

from memory_assets.llm.local.lexicon import ROLES
from memory_assets.llm.local.reading import Sentence, is_owners, short_names, speakers, subject_of
from memory_assets.llm.local.rewriting import USER
from memory_assets.llm.local.titles import Stated, matters_of
from memory_assets.llm.tasks import SourceText
from memory_assets.text.attribution import name_of

MOST_NAMED = 4
MOST_MATTERS = 2
TALKED = frozenset({"conversation", "slack", "transcript"})


def opening_of(source: SourceText, reading: Sequence[Sentence], *, least: int = 2) -> str:
    """ "Ana and Bo talked about the boat."; nothing of what nobody says, or where ``least`` turns share nothing."""
    who = [name_of(name) for name in speakers(source)]
    if not who and any(is_owners(source, turn.speaker) for turn in source.turns):
        who = [USER]
    subject = subject_of(source) if source.source_type == "email" else ""
    about = f"“{subject}”" if subject else _matters(source, reading, least)
    if not about or not who or source.source_type not in {*TALKED, "email"}:
        return ""
    if source.source_type == "email":
        return f"{listed(who)} wrote about {about}."
    if len(who) == 1 and any(sentence.to_assistant for sentence in reading):
        return f"{who[0]} talked with an assistant about {about}."
    talked = "wrote" if len(who) == 1 and source.source_type == "slack" else "talked"
    return f"{listed(who)} {talked} about {about}."


def listed(names: Sequence[str]) -> str:
    """ "Ana, Bo and Cleo"; of many the first, and how many others."""
    shown = list(names if len(names) <= MOST_NAMED else names[: MOST_NAMED - 1])
    if len(shown) < len(names):
        shown.append(f"{len(names) - len(shown)} others")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


def _matters(source: SourceText, reading: Sequence[Sentence], least: int) -> str:
    """What several turns speak of: no name of somebody who speaks."""
    people = {word.casefold() for name in short_names(speakers(source)) for word in name.split()}
    stated = [Stated(one.turn, one.speaker, one.parsed) for one in reading if one.speaker not in _roles_of(source)]
    chosen: list[str] = []
    said: set[str] = set()
    for matter in matters_of(stated):
        words = set(matter.words)
        if len(chosen) < MOST_MATTERS and len(matter.sources) >= least and not words & (people | said):
            chosen.append(matter.with_article)
            said |= words
    return " and ".join(chosen)


def _roles_of(source: SourceText) -> set[str]:
    """The speakers that are an assistant without a name."""
    return {
        turn.speaker
        for turn in source.turns
        if turn.speaker and turn.speaker.casefold() in ROLES and not is_owners(source, turn.speaker)
    }
