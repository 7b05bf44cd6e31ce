"""Which statements say the same of the same, and which of them the file has for all of them. Pure.

Two say the same in the same words, or, said by one person and alike in numbers, names and denials, where they are near
in their vectors and in most of their words: then the file has the newer one, but of wishes, which hold at any time, the
first. One that says less than another, in no words of its own, is said by that one. What shares a topic and some words
alone is another matter (so are "the file is uploaded" and "the image is uploaded"). Of a wish that the owner repeats in
the same words, the file has the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from memory_assets.llm.local import addressing
from memory_assets.llm.local.days import without_days
from memory_assets.memory_file import render, weighing
from memory_assets.text import content as words
from memory_assets.text.words import BARE_WORD

if TYPE_CHECKING:
    from memory_assets.memory_file.items import Item

NEAR, OVERLAPPING = 0.92, 0.85
"""Cosines: of two that say the same (002, 003), and of one that holds what the other says."""
SHARED = 0.6
"""So much of either's content words are the other's, where both say the same."""
FEWEST_WORDS = 3
"""With fewer content words nothing shows that two statements mean the same by them."""
_SENTENCE_END = re.compile(r"(?:(?<=[.!?:])|(?<=[.!?]”))\s+")
_WISH = re.compile(r"\b(?:prefer|preference|rather|always|never|favou?r)\b", re.I)
# "To" leads to what it is for before these words alone: elsewhere to the very thing ("convert to euros", "send to
# Anna").
_PURPOSE = re.compile(
    r"\s(?:(?:in order to|since|because|so that|due to|as it|as they)|to (?:achieve|allow|avoid|be|balance|boost|build|"
    "enhance|ensure|focus|get|give|have|help|improve|keep|let|maintain|make|manage|maximi[sz]e|minimi[sz]e|optimi[sz]e|"
    r"prevent|protect|provide|reduce|reflect|save|simplify|speed|stay|streamline|strengthen|support))\b.*$",
    re.I | re.S,
)
_NO_CONTENT = frozenset("a an the and or i my we our is are for of in on it its that this with please".split())
_FEWEST_SHARED = 3
_BY_ORDER = frozenset("over than instead not never from before after without except unless".split())
"""Words by which the order of the others says which is wished for."""
_WISHING = frozenset("prefer prefers preferred preference rather would always never favor favour".split())


def find_repeated(items: Sequence[Item]) -> dict[str, Item]:
    """The statements that another one says already: memory id to that one, which itself repeats none."""
    statements = sorted((item for item in items if item.memory.entity_type == "KnowledgeChunk"), key=_precedence)
    beside: dict[str, list[Item]] = {}
    for one, other in _candidates(statements):
        beside.setdefault(one.memory_id, []).append(other)
        beside.setdefault(other.memory_id, []).append(one)
    canonical: dict[str, Item] = {}
    for item in statements:
        if item.memory_id not in canonical:
            canonical |= {
                other.memory_id: item
                for other in beside.get(item.memory_id, ())
                if _precedence(other) > _precedence(item) and say_the_same(item, other)
            }
    for item in sorted(statements, key=lambda i: (-len(i.words), -len(i.folded), _precedence(i))):
        whole = (other for other in beside.get(item.memory_id, ()) if other.memory_id not in canonical)
        holds = next((other for other in whole if not _may_stay(item, other) and is_held_by(item, other)), None)
        if item.memory_id not in canonical and holds is not None:
            canonical[item.memory_id] = holds
    return {name: _last(canonical, item) for name, item in canonical.items()}


def say_the_same(one: Item, other: Item) -> bool:
    """Whether each of two statements says what the other one says."""
    if one.folded == other.folded:
        return one.speaker == other.speaker or None in (one.speaker, other.speaker)
    shared = one.words & other.words
    if one.days and one.days == other.days:  # one task with one day, in two people's or two days' words
        fewest = min(len(weighing.distinctive(words)) for words in (one.words, other.words))
        is_one = one.polarity[0] == other.polarity[0] and not _each_names_another(one, other)
        return is_one and len(weighing.distinctive(shared)) >= max(2, SHARED * fewest)
    if not _may_be_one(one, other) or _name_others(one, other):
        return False
    is_another_thing = len(one.words - other.words) == len(other.words - one.words) == 1
    return (
        cosine(one, other) >= (OVERLAPPING if one.words == other.words else NEAR)
        and len(shared) >= SHARED * max(len(one.words), len(other.words))
        and not is_another_thing
    )


def is_held_by(item: Item, other: Item) -> bool:
    """Whether another statement says all that a statement says, and more; of two days not what was said before: "I have
    read the contract" may be newer than "I want to read the contract on the train".
    """
    if is_sentence_of(item.folded, other.folded):
        return item.speaker == other.speaker or None in (item.speaker, other.speaker)
    is_of_one = item.speaker == other.speaker and None is not item.memory.source_id == other.memory.source_id
    if is_of_one and is_sentence_of(item.said.casefold(), other.folded):
        return True  # restated, and quoted with what is beside it
    is_part = FEWEST_WORDS <= len(item.words) and item.words < other.words
    is_later = weighing.newest_first(item.memory.occurred_at) < weighing.newest_first(other.memory.occurred_at)
    return is_part and not is_later and _may_be_one(item, other) and cosine(item, other) >= OVERLAPPING


def is_sentence_of(text: str, longer: str) -> bool:
    """Whether ``longer`` says ``text`` word for word among its sentences."""
    at = longer.find(text) if len(text) < len(longer) else -1
    if at < 0 or text[-1:] not in ".!?":
        return False
    before, after = longer[:at].rstrip(), longer[at + len(text) :]
    return (not before or before[-1] in ".!?:") and (not after or after[0].isspace())


def said_by(overview: Item, chosen: Iterable[Item]) -> list[str]:
    """The references of the entries that say most sentences of an overview word for word; none where they say fewer.

    Its title, days and speakers are no sentences, nor is who talked about what.
    """
    entries = list(chosen)
    parts = [
        part.strip("“”")
        for part in _SENTENCE_END.split(overview.folded)
        if not part.endswith(":") and not addressing.is_opening(part)
    ]
    found = [next((other.entry.ref for other in entries if _says(other, part)), None) for part in parts]
    said = [ref for ref in found if ref is not None]
    return list(dict.fromkeys(said)) if 2 * len(said) > len(parts) else []


def _says(chosen: Item, sentence: str) -> bool:
    """Whether an entry says a folded sentence word for word, both by the same person."""
    said = sentence.removeprefix(chosen.lead)
    return any(said in words and (said == words or is_sentence_of(said, words)) for words in chosen.wordings)


def _candidates(items: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    """The pairs of which either may say what the other says: of one text, sentence or day, or near in their vectors."""
    alike: dict[object, list[Item]] = {}
    for item in items:
        days = [item.days] if item.days else []
        for key in {item.folded, item.said.casefold(), *_SENTENCE_END.split(item.folded), *days}:
            alike.setdefault(key, []).append(item)
    for group in alike.values():
        yield from combinations(group, 2)
    for width in {len(item.vector) for item in items if item.vector is not None}:
        of_width = [item for item in items if item.vector is not None and len(item.vector) == width]
        vectors = np.stack([item.vector for item in of_width if item.vector is not None])
        yield from ((of_width[one], of_width[other]) for one, other in _near(vectors))


def _near(vectors: np.ndarray[Any, Any]) -> Iterator[tuple[int, int]]:
    ones, others = np.nonzero(np.triu(vectors @ vectors.T >= OVERLAPPING, 1))
    yield from zip(ones.tolist(), others.tolist(), strict=True)


def _may_be_one(one: Item, other: Item) -> bool:
    """Whether they are one person's, agree in denials and numbers, and say no two directions."""
    same = one.polarity == other.polarity and one.speaker == other.speaker
    return same and not turned(one.said, other.said)


def _may_stay(item: Item, other: Item) -> bool:
    """Whether a statement stays though another one holds what it says: a person has put it there, or it is an order."""
    return _authority(item) < _authority(other)


def _authority(item: Item) -> tuple[bool, bool]:
    return not item.memory.by_editor, not item.memory.is_standing


def _precedence(item: Item) -> tuple[Any, ...]:
    memory = item.memory
    newest = weighing.newest_first(memory.occurred_at)
    by_time = (newest[0], -newest[1]) if memory.section == "preferences" else newest
    return *_authority(item), render.SECTIONS.index(memory.section), *by_time, -memory.turn, memory.memory_id


def cosine(one: Item, other: Item) -> float:
    """How near two are in their vectors, -1 to 1; 0 where either has none."""
    if one.vector is None or other.vector is None or len(one.vector) != len(other.vector):
        return 0.0
    return float(one.vector @ other.vector)


def _name_others(one: Item, other: Item) -> bool:
    """Whether either names somebody or something that the other one does not."""
    texts = one.said, other.said
    return bool(words.names_beside(*texts) or words.names_beside(*texts[::-1]))


def _each_names_another(one: Item, other: Item) -> bool:
    """Whether each of them names somebody, something or a figure, beside its days, that the other one does not."""
    texts = [without_days(item.said) for item in (one, other)]
    figures, others = (frozenset(words.polarity(text)[1]) for text in texts)
    names = words.names_beside(*texts), words.names_beside(*texts[::-1])
    return all(map(_has_distinctive, names)) or bool(figures - others and others - figures)


def _has_distinctive(names: Iterable[str]) -> bool:
    return bool(weighing.distinctive(words.content_words(" ".join(names))))


def _last(canonical: Mapping[str, Item], item: Item) -> Item:
    while item.memory_id in canonical:
        item = canonical[item.memory_id]
    return item


def find_repeated_wishes(pool: Iterable[Item]) -> dict[str, str]:
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
