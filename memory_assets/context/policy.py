"""Which memories an agent's context has, in which tier, and the text (003, Context Assembly). Pure.

A tier has a share of each limit by the activity; what it does not use flows on to the next one. Entries are whole or
left out. Each line begins with a mark and ends with a line end, so that the tokens of lines add up; the finished text
is counted all the same. Equal offers give equal bytes.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any
from unicodedata import normalize

from memory_assets.model import AccessKind, Granularity
from memory_assets.privacy.projects import Within
from memory_assets.text.lines import characters_of, same_words, shortened
from memory_assets.text.words import SPACED_SIGN, content_words, rarity

CRITICAL, RELEVANT, BACKGROUND, INDEX = TIERS = (1, 2, 3, 4)
HEADINGS = {CRITICAL: "## Critical", RELEVANT: "## Relevant", BACKGROUND: "## Background", INDEX: "## Ask me about"}
DEFAULT = "default"
_DEFAULT = (0.25, 0.375, 0.25, 0.125)
SHARES: Mapping[str, tuple[float, float, float, float]] = {
    DEFAULT: _DEFAULT,
    "feature": _DEFAULT,
    "debugging": (0.375, 0.3125, 0.1875, 0.125),
    "review": (0.25, 0.3125, 0.3125, 0.125),
    "planning": (0.25, 0.3125, 0.3125, 0.125),
    "chat": (0.2, 0.45, 0.225, 0.125),
}
"""What each tier has of a budget, by what the agent does; any other activity is the default."""

IN_SESSION, SAID_ABOVE, NO_ROOM = "already in this session", "already said above", "no room"
MOST_CONTRADICTIONS = 3
MOST_CUES = 8
_LETTERS = re.compile(r"[^\W\d_]+|\d+")
TELLING = 3.0
"""Words as rare as this are names of something (``rarity``: six less the Zipf frequency)."""
OUTDATED = 0.6
"""What holds no longer, or perhaps not, has so much of its score: what holds comes first."""
_LONGEST_CUE = 400
"""Characters of a cue that are searched for: what distinguishes errors is at their beginning."""
_SHOWN = 60
"""Characters of a cue that a reason names."""

CountTokens = Callable[[str], int]


@dataclass(frozen=True)
class Limits:
    """How large a text may be: tokens, characters, or both; ``characters`` as UTF-16 counts them, never fewer than
    anybody else. ``entries``: no more than so many, whatever their size.
    """

    tokens: int | None = None
    characters: int | None = None
    entries: int | None = None

    def capped(self, tokens: int) -> Limits:
        """The same with at most so many tokens."""
        return replace(self, tokens=min(tokens, self.tokens or tokens))


SURFACES: Mapping[str, Limits] = {"mcp": Limits(tokens=8_000), "claude-code-hook": Limits(characters=10_000)}
"""The limits of the surfaces on which agents get a context, by name."""


def limits_of(surface: str | Limits) -> Limits:
    """The limits of a surface by its name, or its own."""
    return SURFACES[surface] if isinstance(surface, str) else surface


@dataclass(frozen=True)
class Asked:
    """What a context is for. All of it may be left out: then it is what to know at a beginning.

    ``task`` is what is to be done, ``query`` a question; ``tiers``: only these. ``session``: nothing comes twice in it.
    ``within``: only what is of that project, and of none. ``level``: what is relevant is told as it was said, or by the
    storylines or themes that it is part of.
    """

    task: str = ""
    query: str = ""
    files: Sequence[str] = ()
    errors: Sequence[str] = ()
    people: Sequence[str] = ()
    branch: str = ""
    activity: str = DEFAULT
    session: str = ""
    budget: int = 8_000
    surface: str | Limits = "mcp"
    deadline_ms: int | None = None
    tiers: Collection[int] = TIERS
    within: Within | None = None
    level: Granularity = Granularity.SAID

    @property
    def limits(self) -> Limits:
        """The budget and the surface's ceiling, whichever is less."""
        return limits_of(self.surface).capped(self.budget)


@dataclass(frozen=True)
class Cue:
    """One thing to search for: ``kind`` is what of :class:`Asked` it is, ``words`` what is searched, ``label`` how a
    reason names it. ``names``: how else it is called; ``stem``: the words of its own name.
    """

    kind: str
    words: str
    label: str
    names: tuple[str, ...] = ()
    stem: frozenset[str] = frozenset()
    weight: float = 1.0

    @cached_property
    def hints(self) -> frozenset[str]:
        """Its words that are so rare that a text with one of them means it."""
        return frozenset(word for word in self.stem or content_words(self.words) if rarity(word) >= TELLING)

    def is_meant(self, text: str) -> bool:
        """Whether a text says one of its names, or of its rare words."""
        return self.is_named(text) or not self.hints.isdisjoint(_words(text))

    def is_about(self, text: str) -> bool:
        """Whether a text says what the cue is called, or one of its own words; of a question that is not asked."""
        return not (self.names or self.stem) or self.is_named(text) or not self.stem.isdisjoint(_words(text))

    def is_named(self, text: str) -> bool:
        """Whether a text says one of its names."""
        folded = _folded(text)
        return any(_whole(name).search(folded) for name in self.names)

    @property
    def spellings(self) -> frozenset[str]:
        """Its names as a text in lower case may have them: as a graph makes that, or folded; composed or not."""
        lower = {one for name in self.names for one in (name.lower(), name.casefold())}
        return frozenset(normalize(form, one) for form in ("NFC", "NFD") for one in lower)


def _folded(text: str) -> str:
    return normalize("NFC", normalize("NFC", text).casefold())


@lru_cache(maxsize=1024)
def _whole(name: str) -> re.Pattern[str]:
    """A name in a folded text: not within a word, where its script has spaces between words."""
    folded, sign = _folded(name), SPACED_SIGN.pattern
    before = rf"(?<!{sign})" if SPACED_SIGN.match(folded[:1]) else ""
    behind = rf"(?!{sign})" if SPACED_SIGN.match(folded[-1:]) else ""
    return re.compile(before + re.escape(folded) + behind)


def _words_in(name: str) -> list[str]:
    """The words of a name as programs write one, in any script: of ``readHTTPHeader`` three."""
    found: list[str] = []
    for run in _LETTERS.findall(normalize("NFC", name)):
        begin = 0
        for at in range(1, len(run)):
            begins = not run[at - 1].isupper() or run[at + 1 : at + 2].islower()
            if run[at].isupper() and begins:
                found.append(run[begin:at])
                begin = at
        found.append(run[begin:])
    return found


def cues_of(asked: Asked) -> list[Cue]:
    """What to search for, the most telling first, each once; not more than :data:`MOST_CUES`."""
    found: list[Cue] = []
    if asked.query.strip():
        found.append(Cue("query", asked.query, "the question"))
    if asked.task.strip():
        found.append(Cue("task", asked.task, "the task"))
    for error in filter(str.strip, asked.errors):
        found.append(Cue("error", error[:_LONGEST_CUE], f"the error “{shortened(error, _SHOWN)}”"))
    for path in filter(str.strip, asked.files):
        found.append(_file_cue(path.strip()))
    for name in filter(str.strip, asked.people):
        found.append(Cue("person", name, shortened(name, _SHOWN), (name.strip(),), weight=0.9))
    if words := " ".join(_words_in(asked.branch)[:12]):
        stem = content_words(words)
        found.append(Cue("branch", words, f"the branch {shortened(asked.branch, _SHOWN)}", stem=stem, weight=0.8))
    return list({(one.kind, one.words): one for one in found if one.words.strip()}.values())[:MOST_CUES]


def _file_cue(path: str) -> Cue:
    """A file is searched by its name's words and its folder; only what names it is surely about it."""
    *folders, name = re.split(r"[/\\]", path.rstrip("/\\")) or [path]
    own = _words_in(name.rpartition(".")[0] or name)
    words = " ".join((*folders[-1:], *own, name))
    names = tuple(dict.fromkeys((path, name)))
    label = path if len(path) <= 120 else f"…{path[-119:]}"
    return Cue("file", words, label, names, content_words(" ".join(own)), weight=0.9)


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    return content_words(text)


def shared(text: str, words: Collection[str]) -> float:
    """How much a text has of some words, below 0.1: the score of offers that no search has found."""
    known = sum(rarity(word) for word in sorted(_words(text) & set(words)))
    return 0.1 * known / (1 + known)


@dataclass(frozen=True)
class Offer:
    """A memory that may be put in the context: ``text`` is clean and on one line, ``group`` the line above it (a day, a
    source; empty for none), ``why`` a true reason.

    ``key`` is what a session knows it by. ``covers`` are the references of the statements in it, ``parts`` their words
    in the same order, of which those that an agent has are left out; ``memory_ids`` are the owner's memories in
    it. ``cue`` is what it was found by, ``score`` how well, where it was searched for. ``brief``: the group without
    its title, where the offer itself says it: then nobody is told it twice.
    """

    ref: str
    tier: int
    text: str
    why: str
    key: str
    covers: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    label: str = ""
    group: str = ""
    brief: str = ""
    memory_ids: tuple[str, ...] = ()
    cue: str = ""
    score: float = 0.0
    is_whole: bool = False
    """It is given whole, even where its statements are known: its point is that they disagree."""

    @property
    def line(self) -> str:
        """The line of the text."""
        return f"- {self.words} [{self.ref}]\n"

    @property
    def words(self) -> str:
        """What is said, behind who says it."""
        return f"{self.label}: {self.text}" if self.label else self.text

    @property
    def keys(self) -> tuple[str, ...]:
        """All that an agent has once it has this."""
        return tuple(dict.fromkeys((self.key, *self.covers)))

    def without(self, known: Collection[str]) -> Offer | None:
        """What of it an agent that has these keys does not have; None where that is nothing."""
        if self.key in known:
            return None
        if self.is_whole or not any(one in known for one in self.covers):
            return self
        left = [place for place, one in enumerate(self.covers) if one not in known]
        if not left or len(self.parts) != len(self.covers):
            return None
        return replace(
            self,
            ref=self.covers[left[0]],
            text=" … ".join(self.parts[place] for place in left),
            brief="",
            covers=tuple(self.covers[place] for place in left),
            parts=tuple(self.parts[place] for place in left),
            memory_ids=tuple(self.memory_ids[place] for place in left),
        )


@dataclass(frozen=True)
class Assembled:
    """A context: its text, its tokens in all and by tier, what each tier could have used, and what was left out."""

    text: str = ""
    tokens: int = 0
    tiers: Mapping[int, int] = field(default_factory=dict)
    effective: Mapping[int, int] = field(default_factory=dict)
    chosen: tuple[Offer, ...] = ()
    left_out: tuple[tuple[Offer, str], ...] = ()

    def as_json(self, count_tokens: CountTokens) -> dict[str, Any]:
        """As every protocol answers."""
        return {
            "context": self.text,
            "token_count": self.tokens,
            "tiers": {f"tier{tier}": self.tiers.get(tier, 0) for tier in TIERS},
            "effective_budgets": {f"tier{tier}": self.effective.get(tier, 0) for tier in TIERS},
            "entries": [
                {"ref": one.ref, "tier": one.tier, "tokens": count_tokens(one.line), "why": one.why, "text": one.words}
                for one in self.chosen
            ],
            "left_out": [{"ref": one.ref, "reason": reason} for one, reason in self.left_out],
        }


def by_size(offer: Offer, tokens: int, power: float) -> Offer:
    """An offer of so many ``tokens`` as recall packs it, where it is one of what is relevant: of two that are about as
    good the shorter comes first, and more of them fit.
    """
    return replace(offer, score=offer.score / max(1, tokens) ** power) if offer.tier == RELEVANT else offer


def wanted(offers: Iterable[Offer], asked: Asked, *, has_cues: bool) -> list[Offer]:
    """Those of the offers that belong into an answer, in their order: what was searched for the best first, each once.

    Where something was searched for and nothing found, the background helps nobody; what must always hold comes with a
    task alone.
    """
    offers = list(offers)
    found = not has_cues or any(one.cue for one in offers)
    first: dict[tuple[int, str], Offer] = {}
    for one in sorted(offers, key=lambda one: -one.score):
        if one.tier in asked.tiers and (found or (one.tier == CRITICAL and bool(asked.task.strip()))):
            first.setdefault((one.tier, one.key), one)
    return list(first.values())


def assemble(
    offers: Iterable[Offer],
    limits: Limits,
    activity: str,
    count_tokens: CountTokens,
    seen: Collection[str] = (),
    tiers: Collection[int] = TIERS,
    fits: Callable[[str], bool] = lambda text: True,
) -> Assembled:
    """As many whole entries as fit, tier by tier, each in the order given; nothing that is in ``seen``, nothing twice.

    One that does not fit is left out, and smaller ones after it may still fit. What no tier has used in the end goes to
    what the first ones had no room for. ``tiers``: these alone share the limits. ``fits``: whether the finished text
    does, where it is put.
    """
    packing, everything = _Packing(offers, limits, count_tokens, frozenset(seen)), _Size.of(limits, 1.0)
    shares = SHARES.get(activity, SHARES[DEFAULT])
    whole = sum(share for tier, share in zip(TIERS, shares, strict=True) if tier in tiers) or 1.0
    effective: dict[int, int] = {}
    flowing = _Size()
    for tier, share in zip(TIERS, shares, strict=True):
        room = _Size.of(limits, share / whole if tier in tiers else 0.0) + flowing
        packing.fill(tier, room)
        effective[tier] = room.tokens
        flowing = room - packing.size(tier)
    for tier in TIERS:
        packing.fill(tier, packing.size(tier) + everything - packing.size())
        effective[tier] = max(effective[tier], packing.size(tier).tokens)
    left_out = [*packing.left_out, *((one, NO_ROOM) for tier in TIERS for one in packing.waiting[tier])]
    chosen = packing.chosen()
    text = render(chosen)
    while chosen and not (_Size.measured(text, count_tokens).fits(everything, limits) and fits(text)):
        left_out.append((chosen.pop(), NO_ROOM))
        text = render(chosen)
    used = {tier: count_tokens(render(one for one in chosen if one.tier == tier)) for tier in TIERS}
    return Assembled(text, count_tokens(text), used, effective, tuple(_in_order(chosen)), tuple(left_out))


class _Packing:
    """The entries that are chosen so far, and the offers that wait, by tier."""

    def __init__(
        self, offers: Iterable[Offer], limits: Limits, count_tokens: CountTokens, seen: frozenset[str]
    ) -> None:
        self._limits, self._count, self._seen = limits, count_tokens, seen
        given = list(offers)
        self.waiting = {tier: [one for one in given if one.tier == tier] for tier in TIERS}
        self._taken: set[str] = set()
        self._said: set[str] = set()
        self._packed: dict[int, list[Offer]] = {tier: [] for tier in TIERS}
        self._sizes = dict.fromkeys(TIERS, _Size())
        self.left_out: list[tuple[Offer, str]] = []

    def size(self, tier: int | None = None) -> _Size:
        """How large a tier is, or all of them."""
        return self._sizes[tier] if tier is not None else sum(self._sizes.values(), _Size())

    def chosen(self) -> list[Offer]:
        """What was chosen, in the order of the text."""
        return _in_order(one for packed in self._packed.values() for one in packed)

    def _size(self, text: str) -> _Size:
        return _Size.measured(text, self._count)

    def fill(self, tier: int, room: _Size) -> None:
        """Put into a tier what it has room for; what it has none for still waits."""
        waiting = []
        packed, most = self._packed[tier], self._limits.entries
        for offer in self.waiting[tier]:
            is_new = offer.without(self._seen)
            one = is_new and is_new.without(self._taken)
            if one is None or _is_said(words := same_words(one.text).casefold(), self._said):
                self.left_out.append((offer, SAID_ABOVE if is_new else IN_SESSION))
                continue
            grown = self._sizes[tier] + self._size(one.line)
            beside = [other for other in packed if other.group == one.group]
            grown += self._size(_opening([*beside, one])) - self._size(_opening(beside))
            if not packed:
                grown += self._size(f"{HEADINGS[tier]}\n")
            is_full = most is not None and sum(map(len, self._packed.values())) >= most
            if is_full or not grown.fits(room, self._limits):
                waiting.append(offer)
                continue
            packed.append(one)
            self._sizes[tier] = grown
            self._taken.update(one.keys)
            self._said.add(words)
        self.waiting[tier] = waiting


def _is_said(words: str, said: Collection[str]) -> bool:
    """Whether most of some words are entries of their own further up, as those of a summary may be."""
    within = f" {words} "
    return 2 * sum(len(one) for one in said if f" {one} " in within) > len(words)


def render(entries: Iterable[Offer]) -> str:
    """The text: tiers in their order, in each the groups as their first entries come; what has no group first."""
    lines: list[str] = []
    last = 0
    for (tier, _), of_group in groupby(_in_order(entries), key=lambda one: (one.tier, one.group)):
        some = list(of_group)
        if tier != last:
            lines.append(f"{HEADINGS[tier]}\n")
            last = tier
        lines += [_opening(some), *(one.line for one in some)]
    return "".join(lines)


def _opening(group: Sequence[Offer]) -> str:
    """The line above offers of one group; none where there are none, or they are of no group."""
    named = next((one.brief for one in group if one.brief), "") or next((one.group for one in group), "")
    return f"### {named}\n" if named else ""


def _in_order(entries: Iterable[Offer]) -> list[Offer]:
    entries = list(entries)
    first: dict[tuple[int, str], int] = {}
    for place, one in enumerate(entries):
        first.setdefault((one.tier, one.group), place if one.group else -1)
    return sorted(entries, key=lambda one: (one.tier, first[one.tier, one.group]))


@dataclass(frozen=True)
class _Size:
    tokens: int = 0
    characters: int = 0

    @classmethod
    def of(cls, limits: Limits, share: float) -> _Size:
        return cls(int((limits.tokens or 0) * share), int((limits.characters or 0) * share))

    @classmethod
    def measured(cls, text: str, count_tokens: CountTokens) -> _Size:
        return cls(count_tokens(text), characters_of(text))

    def __add__(self, other: _Size) -> _Size:
        return _Size(self.tokens + other.tokens, self.characters + other.characters)

    def __sub__(self, other: _Size) -> _Size:
        return _Size(self.tokens - other.tokens, self.characters - other.characters)

    def fits(self, room: _Size, limits: Limits) -> bool:
        """Whether it is no larger in any unit that is limited."""
        return (limits.tokens is None or self.tokens <= room.tokens) and (
            limits.characters is None or self.characters <= room.characters
        )


@dataclass(frozen=True)
class Usage:
    """How often memories were shown (retrieved or injected), and what became of that: how often they were cited,
    ignored, and said to be wrong. ``injected``: how often a context had them.
    """

    shown: int = 0
    cited: int = 0
    injected: int = 0
    ignored: int = 0
    wrong: int = 0

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Usage:
        """From how often they were used, by kind."""
        injected = counts.get(AccessKind.INJECTED, 0)
        return cls(
            counts.get(AccessKind.RETRIEVED, 0) + injected,
            counts.get(AccessKind.CITED, 0),
            injected,
            counts.get(AccessKind.IGNORED, 0),
            counts.get(AccessKind.WRONG, 0),
        )

    @property
    def offered(self) -> int:
        """How often they could have been cited: what was cited or ignored was there, wherever it came from."""
        return max(self.injected, self.cited + self.ignored)

    @property
    def is_judged(self) -> bool:
        """Whether anything was ever of use, or wrong: to be ignored is no fault where all is."""
        return bool(self.cited or self.wrong)


PRIOR_SHOWN = 4
"""The rate of all of an owner's memories together counts as much as so many showings of one."""


def probability(one: Usage, all_of_them: Usage) -> float:
    """How likely a memory is used once it is shown: as often as it was, drawn towards how often all are.

    Without any past, and where nobody has ever said what was of use, it is a quarter: (cited + 1) / (shown + 4) of
    none.
    """
    if not all_of_them.cited:
        one = all_of_them = Usage()
    common = min(1.0, (all_of_them.cited + 1) / (all_of_them.shown + PRIOR_SHOWN))
    return round(min(1.0, (one.cited + common * PRIOR_SHOWN) / (one.shown + PRIOR_SHOWN)), 4)


@dataclass(frozen=True)
class Calibration:
    """How right predictions were of so many memories that were shown and ``judged``: the share that was ``used``, the
    mean ``probability`` that each was said to have when it was shown, and the mean square of what they were off by
    (``brier``, Brier 1950: 0 where each was right; .25 where each was a half).
    """

    judged: int = 0
    used: float = 0.0
    probability: float = 0.0
    brier: float | None = None

    def corrected(self, expected: float) -> float:
        """An expected share, more where more was used than expected until now, and less where less was."""
        ratio = (self.used * self.judged + 1) / (self.probability * self.judged + 1)
        return round(min(1.0, expected * ratio), 4)


def calibration(uses: Iterable[tuple[str, str]]) -> Calibration:
    """From what memories were used for, by id and kind, in that order: each is predicted when it is shown, from what is
    known until then, and judged when it is cited, ignored or said to be wrong after that.
    """
    known: dict[str, Counter[str]] = defaultdict(Counter)
    everything: Counter[str] = Counter()
    predicted: dict[str, float] = {}
    outcomes: list[tuple[float, bool]] = []
    for memory_id, kind in uses:
        if kind in (AccessKind.RETRIEVED, AccessKind.INJECTED):
            predicted[memory_id] = probability(Usage.of(known[memory_id]), Usage.of(everything))
        elif memory_id in predicted and kind in (AccessKind.CITED, AccessKind.IGNORED, AccessKind.WRONG):
            outcomes.append((predicted.pop(memory_id), kind == AccessKind.CITED))
        known[memory_id][kind] += 1
        everything[kind] += 1
    if not outcomes:
        return Calibration()
    count = len(outcomes)
    used, said = sum(is_used for _, is_used in outcomes) / count, sum(said for said, _ in outcomes) / count
    brier = sum((said - is_used) ** 2 for said, is_used in outcomes) / count
    return Calibration(count, round(used, 4), round(said, 4), round(brier, 4))


RANKED_BY_USAGE = (RELEVANT, BACKGROUND)
LEAST, MOST = 0.7, 1.3
"""What usage makes of a score, at most."""
FRESH = 10
"""Each so many places of what is relevant have one for what was shown least."""


def usefulness(one: Usage, all_of_them: Usage) -> float:
    """What a memory's score is multiplied by for how it was used, within :data:`LEAST` and :data:`MOST`; 1 for what was
    never shown, and of all where nobody has ever said what was of use. Least is what was wrong more often than cited.

    It is (cited + 1) / (injected + 4) against the quarter that this is of nothing. Where less than a quarter of all
    that is shown is cited, the expectation is that share: to be seldom cited is no fault where all are.
    """
    if one.wrong > one.cited:
        return LEAST
    if not all_of_them.is_judged:
        return 1.0
    expected = min(1 / PRIOR_SHOWN, (all_of_them.cited + 1) / (all_of_them.offered + PRIOR_SHOWN))
    return min(MOST, max(LEAST, (one.cited + 1) / (expected * one.offered + 1)))


def best_used(of: Iterable[Usage]) -> Usage:
    """Of several memories that are shown as one, the usage that counts for it: who cites one of them, cites it."""
    return max(of, key=lambda one: (one.cited, one.offered, one.shown, one.ignored, one.wrong), default=Usage())


def by_usage(offers: Iterable[Offer], usage: Mapping[str, Usage], all_of_them: Usage) -> list[Offer]:
    """The offers as they were ordered, those of :data:`RANKED_BY_USAGE` by score and usefulness: of equals what was
    cited is before what was ignored, and this before what is wrong. Each tenth place among what is relevant is for what
    was shown least of those that could stand there. ``usage`` is by memory, ``all_of_them`` of all of the owner's.
    """
    offers = list(offers)
    if not all_of_them.is_judged:
        return offers
    used = {id(one): best_used(usage[name] for name in one.memory_ids if name in usage) for one in offers}
    factors = {name: usefulness(one, all_of_them) for name, one in used.items()}

    def worth(one: Offer) -> tuple[float, float, int]:
        return one.score * factors[id(one)], factors[id(one)], -used[id(one)].wrong

    found = [one for one in offers if one.tier not in RANKED_BY_USAGE]
    for tier in RANKED_BY_USAGE:
        waiting = sorted((one for one in offers if one.tier == tier), key=worth, reverse=True)
        for place in range(FRESH - 1, len(waiting), FRESH) if tier == RELEVANT else ():
            due = waiting[place]
            equals = (at for at in range(place, len(waiting)) if MOST * waiting[at].score >= worth(due)[0])
            least = min(equals, key=lambda at: (used[id(waiting[at])].wrong, used[id(waiting[at])].offered))
            waiting.insert(place, waiting.pop(least))
        found += waiting
    return found


def reserved(wait: float, least: float, lately: Iterable[float]) -> float:
    """How many seconds of those that somebody waits are for choosing: as many as that took ``lately`` but for the
    slowest time, ``least`` at least, and half of them at most.
    """
    usual = sorted(lately)[:-1]
    return min(wait / 2, max([least, *usual[-1:]]))


def regularity(days: int, all_days: int) -> float:
    """How likely what was used at this time on so many of all days is used at it again: (days + 1) / (all + 4)."""
    return round((days + 1) / (all_days + PRIOR_SHOWN), 4)
