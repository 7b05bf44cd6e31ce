"""Wishes that another one says already, and overviews that say what holds no longer. Pure.

Of a wish that the owner repeats in the same words, the file has the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from memory_assets.text.words import BARE_WORD

if TYPE_CHECKING:
    from memory_assets.memory_file.items import Item


_WISH = re.compile(r"\b(?:prefer|preference|rather|always|never|favou?r)\b", re.I)
# "To" leads to what it is for before these words alone: elsewhere to the very thing ("convert to euros", "send to
# Anna").
_PURPOSE = re.compile(
    r"\s(?:(?:in order to|since|because|so that|due to|as it|as they)|to (?:achieve|allow|avoid|be|balance|boost|"
    "build|enhance|ensure|"
    "focus|get|give|have|help|improve|keep|let|maintain|make|manage|maximi[sz]e|minimi[sz]e|optimi[sz]e|prevent|"
    "protect|"
    r"provide|reduce|reflect|save|simplify|speed|stay|streamline|strengthen|support))\b.*$",
    re.I | re.S,
)
_NO_CONTENT = frozenset("a an the and or i my we our is are for of in on it its that this with please".split())
_FEWEST_SHARED = 3
_BY_ORDER = frozenset("over than instead not never from before after without except unless".split())
"""Words by which the order of the others says which is wished for."""
_WISHING = frozenset("prefer prefers preferred preference rather would always never favor favour".split())


def repeated(pool: Iterable[Item]) -> dict[str, str]:
    """Wishes of the owner's that another one says already: memory id to the other one's reference.

    They say the same when their words do up to what they are for ("to keep it simple", "because ..."): the wish as
    it was first said stays, so that saying it again changes no line of a file. Where something else was wished for in
    its place in between ("metric", "imperial", "metric" again), the last one stays: it must be newer than that.
    """
    stays: dict[tuple[str, ...], Item] = {}
    others: list[tuple[Item, tuple[str, ...]]] = []
    found: dict[str, str] = {}
    for said in sorted((item for item in pool if _WISH.search(item.said)), key=_when):
        core = _core(said.said)
        if len(core) < _FEWEST_SHARED:
            continue
        known = stays.setdefault(core, said)
        if known is not said:
            first = known.said_on
            since = (key for other, key in others if first is None or (other.said_on or date.max) > first)
            if first != said.said_on and any(_in_place_of(key, core) for key in since):
                found = {name: said.entry.ref if ref == known.entry.ref else ref for name, ref in found.items()}
                stays[core], known, said = said, said, known
            found[said.memory_id] = known.entry.ref
        others.append((known, core))
    return found


def _when(item: Item) -> tuple[Any, ...]:
    """When it was said, as far as that is known: the day, the instant of its source, the turn and the place in it."""
    memory, day = item.memory, item.said_on
    at = memory.occurred_at.isoformat() if memory.occurred_at else ""
    return day is None, day or date.max, len(item.said), at, memory.turn, memory.position, memory.memory_id


def _core(text: str) -> tuple[str, ...]:
    """What a wish says, without what it is for: its words, in their order where that matters."""
    content = [word for word in BARE_WORD.findall(_PURPOSE.sub("", text).casefold()) if word not in _NO_CONTENT]
    return tuple(sorted(set(content)) if _BY_ORDER.isdisjoint(content) else content)


def _in_place_of(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one wish says something else than the other in its place: all but one of their words are the same."""
    mine, theirs = set(one) - _WISHING, set(other) - _WISHING
    return one != other and len(mine - theirs) <= 1 and len(theirs - mine) <= 1


def turned(one: str, other: str) -> bool:
    """Whether two texts say the same words the other way round ("from Graz to Ulm", "from Ulm to Graz")."""
    said = [BARE_WORD.findall(text.casefold()) for text in (one, other)]
    return not _BY_ORDER.isdisjoint(said[0]) and said[0] != said[1] and sorted(said[0]) == sorted(said[1])


def find_outdated(
    overviews: Mapping[str, str],
    texts: Mapping[str, Iterable[str]],
    taken: Mapping[str, str],
    clauses: Mapping[str, str],
) -> dict[str, str]:
    """Overviews and summaries (id to text) that say again, word for word, what is superseded: id to the later one.

    ``taken`` is what is superseded (id to the later one), ``texts`` what was said and its statement, ``clauses`` what a
    memory of more has lost (words to reference).
    """
    gone = {
        words: taken[memory_id]
        for memory_id in sorted(texts.keys() & taken.keys())
        for text in texts[memory_id]
        if (words := text.casefold().rstrip(" .!…。"))
    }
    gone |= {text.casefold(): ref for text, ref in clauses.items() if len(text.split()) >= _FEWEST_SHARED}
    found = {}
    for memory_id, text in overviews.items():
        folded = text.casefold()
        later = next((ref for words, ref in gone.items() if words in folded), None)
        if later is not None:
            found[memory_id] = later
    return found
