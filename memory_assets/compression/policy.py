"""The levels of a context as a table of pure functions (000, Hierarchical Summarization Policy; 001, TTL Rules).

``full`` is the source itself, by a pointer: its text is in the graph once. ``summary`` has at most a tenth of its
tokens, ``keywords`` at most three hundredths (000, ``COMPRESSION_TARGETS``), by the one counter of the house. No model
is asked: the summary begins with what processing wrote, and where its tenth has room for more, what extraction found
said follows in whole statements, chosen for what they cover, in the order in which they were said.

A tenth of a short source says nothing: a summary may have 30 tokens in any case and keywords 10 (000: "Level 2:
Bullet summary (~30 tokens)", "Level 3: Keyword tags (~10 tokens)"), but never more than the level above.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory_assets.clock import to_iso
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import ContentType, Sensitivity, node_id
from memory_assets.privacy.personal import has_personal
from memory_assets.text.attribution import label_of
from memory_assets.text.words import SENTENCE_END, Candidate, choose_covering, content_words, rarity, word_weights

CODE_VERSION = "2"
"""Part of every fingerprint: raise it when the same source would give another text, or another place among the others,
and contexts are made again.
"""

FULL, SUMMARY, KEYWORDS = "full", "summary", "keywords"
LEVELS = (FULL, SUMMARY, KEYWORDS)
PUBLIC, SENSITIVE = "PUBLIC", "SENSITIVE"
OPENING = 1000
"""How many characters of a source's beginning are read: all of one that is shorter than a summary's floor."""

SMALL_TALK, INSTRUCTION, QUESTION = 0.3, 1.5, 0.4
FEWEST_WORDS = 3
"""A statement of fewer content words ("Please do.") says nothing by itself."""

_ENDS = ".!?…。！？:;"


@dataclass(frozen=True)
class CompressionRules:
    """Shares in hundredths and floors in tokens (000), and the days that keywords live unless accessed (001)."""

    summary_percent: int = 10
    keywords_percent: int = 3
    summary_floor: int = 30
    keywords_floor: int = 10
    keywords_days: int = 45


RULES = CompressionRules()


@dataclass(frozen=True)
class Said:
    """A statement as a source makes it."""

    content: str
    speaker: str | None
    turn: int
    content_type: str
    durability: float
    confidence: float
    token_count: int
    is_instruction: bool = False
    has_personal_data: bool = False
    position: int = 0
    said_by_owner: bool = False

    @property
    def label(self) -> str | None:
        """The name written before its words."""
        return label_of(self.speaker, self.said_by_owner)


@dataclass(frozen=True)
class Material:
    """All that a source's contexts are made from. ``names`` come with the surest first."""

    title: str
    summary: str
    keywords: tuple[str, ...]
    names: tuple[str, ...]
    said: tuple[Said, ...]
    token_count: int
    opening: str = ""
    sensitivity: str | None = None
    has_personal_data: bool = False


@dataclass(frozen=True)
class Context:
    """One level of one source. ``content`` is None at full: it is the source's own.

    ``compression_ratio`` is the share of the source's tokens.
    """

    level: str
    content: str | None
    token_count: int
    compression_ratio: float
    content_type: str
    contains_pii: bool
    access_tier: str


def context_id(user: str, source_id: str, level: str) -> str:
    """The id of a level of a source, for one user."""
    return node_id("context", user, source_id, level)


def allowance(level: str, full_tokens: int) -> int:
    """How many tokens a level may have of a source of ``full_tokens``."""
    if level == FULL:
        return full_tokens
    percent, floor = {
        SUMMARY: (RULES.summary_percent, RULES.summary_floor),
        KEYWORDS: (RULES.keywords_percent, RULES.keywords_floor),
    }[level]
    return min(full_tokens, max(floor, full_tokens * percent // 100))


def expires_at(level: str, created_at: datetime) -> datetime | None:
    """When a context expires that nobody has accessed: keywords after 45 days (001, TTL Rules), nothing else ever.

    The specification has no other figure: 000 names ``expires_at`` and content types, and no time for either.
    """
    return created_at + timedelta(days=RULES.keywords_days) if level == KEYWORDS else None


def is_expired(context: Mapping[str, Any], now: datetime) -> bool:
    """Whether a context is offered no more: past its time, unread, and protected by no rail (001, TTL Rules)."""
    at = context.get("expires_at")
    return (
        at is not None
        and at <= now
        and not context.get("access_count")
        and context.get("ttl_policy") != "keep_forever"
        and context.get("state") != "core"
    )


def due_key(user: str, at: datetime | None) -> str | None:
    """Owner and instant as one text: a range of one index finds what has expired."""
    return None if at is None else f"{user} {to_iso(at)}"


def expiry_of(key: str) -> datetime:
    """The instant of a :func:`due_key`."""
    return datetime.fromisoformat(key.partition(" ")[2])


def content_type_of(said: Iterable[Said]) -> str:
    """What a source is about: chitchat only for want of else; else the most frequent, of equals the more durable."""
    counts = Counter(one.content_type for one in said)
    order = [kind.value for kind in (ContentType.PREFERENCE, ContentType.TASK, ContentType.INSIGHT)]
    best = max(order, key=lambda kind: (counts[kind], -order.index(kind)))
    return best if counts[best] else ContentType.CHITCHAT.value


def access_tier(sensitivity: str | None, contains_pii: bool) -> str:
    """SENSITIVE where the source is of high sensitivity, or the level's own words hold personal data; else PUBLIC."""
    return SENSITIVE if contains_pii or sensitivity == Sensitivity.HIGH.value else PUBLIC


def compress(material: Material) -> tuple[Context, ...]:
    """The levels of a source, from full to keywords; a source without a word has full alone."""
    about = content_type_of(material.said)
    personal = material.has_personal_data or any(one.has_personal_data for one in material.said)
    full = Context(FULL, None, material.token_count, 1.0, about, personal, access_tier(material.sensitivity, personal))
    made = [full]
    texts = (
        (SUMMARY, lambda budget: write_summary(material, budget)),
        (KEYWORDS, lambda budget: write_keywords(material, made[-1].content or "", budget)),
    )
    for level, write in texts:
        text = write(min(made[-1].token_count, allowance(level, material.token_count)))
        if not text:
            break
        tokens, personal = count_tokens(text), has_personal(text)
        ratio = round(tokens / material.token_count, 4)
        made.append(Context(level, text, tokens, ratio, about, personal, access_tier(material.sensitivity, personal)))
    return tuple(made)


def write_summary(material: Material, budget: int) -> str:
    """The model's summary in whole sentences, then the statements that say most beside it, in the order of saying.

    Small talk is used only of a source that has nothing else. What is left where nothing fits whole is a beginning.
    """
    head = leading_sentences(material.summary, budget)
    said = _beside(material.said, head)
    candidates = [
        Candidate(words, _cost(one), _factor(one) if len(words) >= FEWEST_WORDS else 0.0)
        for one, words in ((one, content_words(one.content)) for one in said)
    ]
    weights = word_weights([candidate.words for candidate in candidates])
    left = budget - count_tokens(head) - 1
    chosen = choose_covering(candidates, left, weights, content_words(head)) if left > 0 else []
    while chosen:
        text = "\n".join(filter(None, [head, _as_lines([said[place] for place in sorted(chosen)])]))
        if count_tokens(text) <= budget:
            return text
        chosen.pop()
    if head:
        return head
    longest = (material.summary, material.opening, material.title)
    return next((text for one in longest if (text := beginning(one, budget))), "")


def write_keywords(material: Material, summary: str, budget: int) -> str:
    """The model's keywords, then whom and what the source names, as far as there is room; else its rarest words."""
    rare = sorted(content_words(summary), key=lambda word: (-rarity(word), word))
    for words in ([*material.keywords, *material.names], rare):
        text = ""
        seen: set[str] = set()
        for word in (" ".join(word.split()) for word in words):
            longer = f"{text}, {word}" if text else word
            if word and word.casefold() not in seen and count_tokens(longer) <= budget:
                text = longer
                seen.add(word.casefold())
        if text:
            return text
    return beginning(summary, budget)


def leading_sentences(text: str, budget: int) -> str:
    """As many whole sentences from the beginning of ``text`` as fit; it may be none."""
    flat = " ".join(text.split())
    if count_tokens(flat) <= budget:
        return flat
    ends = [match.start() for match in SENTENCE_END.finditer(flat)]
    return next((flat[:end] for end in reversed(ends) if count_tokens(flat[:end]) <= budget), "")


def beginning(text: str, budget: int) -> str:
    """The longest beginning of ``text`` in whole words that fits; of a word that is too long, its first signs."""
    flat = " ".join(text.split())
    if count_tokens(flat) <= budget:
        return flat
    for ends in ([match.end() for match in re.finditer(r"\S+", flat)], range(1, len(flat))):
        if fitting := bisect_right(ends, budget, key=lambda end: count_tokens(flat[:end])):
            return flat[: ends[fitting - 1]]
    return ""


def _beside(said: Sequence[Said], head: str) -> list[Said]:
    """In the order of saying, each once, without what the summary has word for word."""
    summary = head.casefold()
    found: dict[str, Said] = {}
    for one in sorted(said, key=lambda one: (one.turn, one.position, one.content, one.speaker or "")):
        text = " ".join(one.content.split()).casefold().rstrip(_ENDS)
        if text and text not in summary:
            found.setdefault(text, one)
    serious = [one for one in found.values() if one.content_type != ContentType.CHITCHAT]
    return serious if any(one.content_type != ContentType.CHITCHAT for one in said) else list(found.values())


def _factor(one: Said) -> float:
    """What a statement is worth beside its words: how durable and sure it is, whether it always holds or only asks."""
    sure = (0.5 + 0.5 * one.durability) * (0.5 + 0.5 * one.confidence)
    return (
        sure
        * (SMALL_TALK if one.content_type == ContentType.CHITCHAT else 1)
        * (INSTRUCTION if one.is_instruction else 1)
        * (QUESTION if "?" in one.content else 1)
    )


def _cost(one: Said) -> int:
    """At most what a statement adds: its words, a full stop, a break, and who said it."""
    return one.token_count + 2 + (count_tokens(one.label) + 1 if one.label else 0)


def _as_lines(said: Sequence[Said]) -> str:
    """Statements as lines, one for all that somebody says in a row, behind the name that it needs."""
    lines: list[tuple[str | None, list[str]]] = []
    for one in said:
        text = " ".join(one.content.split())
        text = text if text[-1:] in _ENDS else text + "."
        if not lines or lines[-1][0] != one.label:
            lines.append((one.label, []))
        lines[-1][1].append(text)
    return "\n".join(f"{who}: {' '.join(texts)}" if who else " ".join(texts) for who, texts in lines)
