"""Facts that a later sentence changes: where somebody lives, what a figure is now, what is done, what was put right. Pure.

Only plain forms count, and only of one speaker and one subject: "my sister has moved to Lyon" says nothing of where a
brother lives. A sentence changes an earlier one where it says so: it moves somebody ("moved to"), says "now" or "raised to" of a
figure, says "no longer", tells a task's work as done, or names what it puts right ("9500, not 8000"). What two texts
say side by side without such a mark may both be true, and both stand; so they do where the mark is in a question or
is otherwise no change (:mod:`.change_limits`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from typing import Protocol

import snowballstemmer

from memory_assets.memory_file import change_limits

_WHO = r"(?P<who>i|we|(?:my|our|the) (?:[\w'’-]+ ){0,2}?[\w'’-]+|(?-i:[A-Z])[\w’-]+)"
_HAVE = r"(?:['’](?:ve|s) | have | has | )"
_PLACE = r"(?P<place>(?-i:[A-Z])[\w’-]+(?: (?-i:[A-Z])[\w’-]+)*)"
_LIVES = re.compile(
    rf"^{_WHO}(?:['’](?:m|re|s)| am| is| are)?(?: currently| now| still)? (?:lives?|living|based|resides?) (?:now )?in {_PLACE}", re.I
)
_MOVED = re.compile(
    rf"^{_WHO}{_HAVE}(?:just |recently |now |finally )?(?:moved|relocated)(?: back)?(?: (?:from|out of) [^.;!?]{{2,40}}?)? to {_PLACE}",
    re.I,
)
_NOW = re.compile(r"(?<!until )(?<!till )(?<!by )(?<!for )(?<!right )(?<!just )(?<!before )(?<!to )\bnow\b(?! (?:that|and then|and again)\b)", re.I)
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_TIME = re.compile(r"\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b\d{1,2}:\d\d\b|\bat \d{1,2}\b(?! ?%)", re.I)
_NO_LONGER = re.compile(r"\bno longer (?P<a>[^,;.!?]+)|(?:\bnot|n['’]t) (?P<b>[^,;.!?]+?) any ?more\b(?! than\b)", re.I)
_NOT_SO = re.compile(r"\b(?:used to|no longer|any ?more|was|were|had|never|not)\b|n['’]t\b", re.I)
_DONE = re.compile(
    rf"^(?:i|we){_HAVE}(?:just |already |finally |now )?(?P<verb>finished|completed|submitted|sent|paid|filed|booked|bought|fixed|"
    r"returned|renewed|cancell?ed|signed|delivered|called|ordered|posted|mailed|reserved|repaired|replaced|uploaded|published|"
    r"wrote|written|(?:am |are )?done with) (?P<what>[^,;.!?]+)",
    re.I,
)
_IN_PART = re.compile(r"\b(?:almost|nearly|half|parts?|some|most|not|until|about|for)\b", re.I)
_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|this (?:morning|afternoon|evening|week)|last (?:night|week|\w+day)|on \w+day|(?:a|\d+|two|three) \w+ ago|"
    r"at last|already|now|in time|on time|early)\b.*",
    re.I,
)
_FINISHES = frozenset("finished completed done".split())
_TO_FINISH = frozenset("finish complet do done write prepar file work draft make get need rememb submit still".split())
"""What a task may say besides the thing that was finished."""
_PRESENT = {"sent": "send", "paid": "pay", "bought": "buy", "wrote": "write", "written": "write"}
_INSTEAD = re.compile(
    r"(?:\b(?P<new>\w[\w-]*)|(?P<figure>[$€£]?\b\d[\w.:]*)(?: ?[\w%€]+)?), (?:and )?not (?:on |at |in |by |for )?(?P<old>[$€£]?[\w.:-]*\w)\b", re.I
)
_GOES = re.compile(
    r"\b(?:raised|increased|gr[eo]wn?|went(?: up| down)?|rose|risen|dropped|fell|fallen|reduced|cut|lowered|changed|updated|extended|"
    r"shortened|improved|doubled|halved)\b(?: from (?P<old>[$€£]?\d[\d.,]*)(?: ?[\w%€]+)?)? to (?P<new>[$€£]?\d[\d.,]*)", re.I
)
_DENIES = re.compile(r"\b(?:never|not|no|stop|avoid|without)\b|n['’]t\b", re.I)
_RULES = re.compile(r"^(?:please |do |don['’]t |do not )*(?:always|never|use|avoid|stop|write|give|add|include|call|send|book)\b|\b(?:always|never)\b", re.I)
_LEAD_IN = re.compile(
    r"^(?:(?:and|but|so|also|oh|well|actually|sorry|btw|by the way|update|good news|finally|correction|fyi)\b[,:]? ?)+", re.I
)
_CLAUSE_END = re.compile(r"[.;!?](?=\s|$)|, (?=(?:and|but|so) )| but ", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_EMPTY = frozenset(
    "a an the my our your his her i we me us it its is are am was were be been to of in on at by for from with and or as that this "
    "now still currently actually just really very have has had do does did will would should i'm we're it's i've".split()
)
_WISHING = frozenset("alway never not no stop avoid without pleas use again ever don't".split())
_FEWEST_SHARED = 2


class Sentence(Protocol):
    """What is asked of a memory: :class:`memory_assets.memory_file.validity.Said` has it."""

    @property
    def memory_id(self) -> str:
        """Its id."""

    @property
    def ref(self) -> str:
        """Its reference in files."""

    @property
    def text(self) -> str:
        """Its words."""

    @property
    def speaker(self) -> str:
        """Who says it; empty for the owner."""

    @property
    def day(self) -> date | None:
        """The day on which it was said."""

    @property
    def is_preference(self) -> bool:
        """Whether it is a wish."""

    @property
    def is_task(self) -> bool:
        """Whether it is something to be done."""

    @property
    def place(self) -> tuple[str, int]:
        """When within that day: the instant of its source, and the turn in it."""


@dataclass(frozen=True)
class _Clause:
    """One clause of a memory, without what leads it in."""

    said: Sentence
    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        return _stems(_FIGURE.sub(" ", self.text))

    @cached_property
    def figures(self) -> frozenset[str]:
        return frozenset(_FIGURE.findall(self.text))

    @cached_property
    def times(self) -> frozenset[str]:
        return frozenset("".join(match.lower().removeprefix("at").split()) for match in _TIME.findall(self.text))


def changed(said: Sequence[Sentence]) -> dict[str, str]:
    """Which memories a later one changes: memory id to the later one's reference, the latest of several."""
    dated = sorted((s for s in said if s.day is not None and not s.is_task), key=lambda s: (s.day, s.place, s.memory_id))
    clauses = [clause for one in dated for clause in _clauses(one)]
    rules: dict[frozenset[str], list[_Clause]] = {}
    found: dict[str, str] = {}
    for later in clauses:
        lower = later.text.casefold()
        is_unsure = change_limits.is_unsure(later.text)
        for words, rule in () if is_unsure else _BY_WORD:
            if any(word in lower for word in words):
                for earlier in rule(later, clauses):
                    found[earlier.memory_id] = later.said.ref
        if later.said.is_preference and _RULES.search(later.text):
            alike = rules.setdefault(later.words - _WISHING, [])
            for earlier in _wishes_otherwise(later, alike):
                found[earlier.memory_id] = later.said.ref
            alike.append(later)
    return found


def done(said: Sequence[Sentence]) -> dict[str, str]:
    """Tasks whose work the same person tells as done later: memory id to the later one's reference."""
    tasks = [s for s in said if s.is_task and s.day is not None]
    found: dict[str, str] = {}
    if not tasks:
        return found
    for later in sorted((s for s in said if s.day is not None), key=lambda s: (s.day, s.place, s.memory_id)):
        for clause in _clauses(later):
            match = _DONE.match(clause.text)
            if match is None or _IN_PART.search(match["what"]):
                continue
            thing = _stems(_WHEN.sub("", match["what"]))
            verb = match["verb"].casefold()
            for task in tasks:
                if (task.day, task.place) <= (later.day, later.place) and task.speaker == later.speaker and task.memory_id != later.memory_id:  # type: ignore[operator]
                    if thing and not change_limits.stays_open(_opening(task.text), match["what"]) and _is_its_work(verb, thing, task.text):
                        found[task.memory_id] = later.ref
    return found


def _is_its_work(verb: str, thing: frozenset[str], task: str) -> bool:
    asked = _stems(_FIGURE.sub(" ", task))
    if not thing <= asked:
        return False
    if verb.split()[-2 if verb.endswith("with") else -1] in _FINISHES:
        return asked - thing - _DATES <= _TO_FINISH
    did = _stem(_PRESENT.get(verb, verb))
    return did in asked and not (change_limits.lists_several(task) and asked - thing - _DATES - _TO_FINISH - {did, "must"})


def _moves(later: _Clause, clauses: Sequence[_Clause]) -> Iterator[Sentence]:
    """ "I moved from Boston to Denver", "I live in Denver now": what was said of living elsewhere."""
    match = _MOVED.match(later.text) or (_LIVES.match(later.text) if _NOW.search(later.text) else None)
    if match is None or not change_limits.moves_for_good(later.text[match.end() :], later.said.day):
        return
    for earlier in _before(later, clauses):
        lived = _LIVES.match(earlier.text)
        if lived and _same(lived["who"], match["who"]) and not change_limits.is_same_place(lived["place"], match["place"]):
            yield earlier.said


def _is_now(later: _Clause, clauses: Sequence[_Clause]) -> Iterator[Sentence]:
    """ "Rex weighs 14 kg now", "my flight is now at 9 am": the same words with another figure of the same kind."""
    if not later.figures or not later.words or not _NOW.search(later.text):
        return
    found = []
    for earlier in _before(later, clauses):
        if not later.words <= earlier.words or not earlier.figures or earlier.figures & later.figures:
            continue
        if bool(later.times) != bool(earlier.times) or _NOT_SO.search(earlier.text):
            continue
        if len(later.words) >= _FEWEST_SHARED or later.times and earlier.times:
            found.append(earlier)
    yield from _of_one_thing(later, found)


def _goes(later: _Clause, clauses: Sequence[_Clause]) -> Iterator[Sentence]:
    """ "The rent was raised from 900 to 950": what said the old figure of the same thing, or any other on an earlier day."""
    match = _GOES.search(later.text)
    if match is None or _NOT_SO.search(later.text[max(0, match.start() - 8) : match.start()].replace("was", "").replace("were", "")):
        return
    thing = _stems(_FIGURE.sub(" ", later.text[: match.start()]))
    found = []
    for earlier in _before(later, clauses):
        is_old = match["old"] is not None and match["old"].strip("$€£.,") in earlier.figures
        if thing and thing <= earlier.words and (is_old or match["old"] is None and len(thing) >= _FEWEST_SHARED):
            if earlier.figures and match["new"].strip("$€£.,") not in earlier.figures and not earlier.times:
                if _says_of(later.text[match.end() :], earlier):
                    found.append(earlier)
    yield from _of_one_thing(later, found)


def _is_no_longer(later: _Clause, clauses: Sequence[_Clause]) -> Iterator[Sentence]:
    """ "I don't work at Acme any more": what said so before."""
    match = _NO_LONGER.search(later.text)
    if match is None:
        return
    ended = _stems(match["a"] or match["b"])
    who = _stems(later.text[: match.start()].casefold().removesuffix("do").removesuffix("does"))
    if not ended:
        return
    for earlier in _before(later, clauses):
        least = len(ended) >= _FEWEST_SHARED or _is_predicate(ended, earlier.text)
        if change_limits.lists_several(earlier.text) and earlier.words - ended - who:
            continue  # "coffee and tea", of which one is left
        if least and ended | who <= earlier.words and not _NOT_SO.search(earlier.text):
            if later.text.split()[0].casefold()[:2] == earlier.text.split()[0].casefold()[:2]:
                yield earlier.said


def _puts_right(later: _Clause, clauses: Sequence[_Clause]) -> Iterator[Sentence]:
    """ "The budget is 9500, not 8000": what said the old of the same thing, on the same day too."""
    match = _INSTEAD.search(later.text)
    if match is None:
        return
    old, new = match["old"].casefold(), (match["new"] or match["figure"]).casefold()
    if old[-1].isdigit() != any(letter.isdigit() for letter in new):
        return  # "in wood, not 8000"
    thing = _stems(_FIGURE.sub(" ", later.text[: match.start()]))
    found = []
    for earlier in clauses:
        if (earlier.said.day, earlier.said.place) > (later.said.day, later.said.place) or earlier.said.speaker != later.said.speaker:  # type: ignore[operator]
            continue
        if earlier.said.memory_id == later.said.memory_id or change_limits.lists_several(earlier.text):
            continue
        told = [word.casefold() for word in re.findall(r"[$€£]?[\w.:-]*\w", earlier.text)]
        if thing and thing <= earlier.words and old in told and new not in told and _says_of(later.text[match.end() :], earlier):
            found.append(earlier)
    yield from _of_one_thing(later, found)


def _says_of(after: str, earlier: _Clause) -> bool:
    """Whether what is said behind a figure ("in Ulm", "for the milk") is said of the earlier one's thing too."""
    return all(_stems(_FIGURE.sub(" ", what)) - _DATES <= earlier.words for what in change_limits.what_for(after))


def _of_one_thing(later: _Clause, found: Sequence[_Clause]) -> Iterator[Sentence]:
    """Those that a sentence changes, unless they are of things with different names, of a time of their own or of another's."""
    of_now = [c for c in found if not change_limits.is_of_then(c.text) and not change_limits.is_another_owners(c.text, later.text)]
    beside = ({name for name in change_limits.names_beside(c.text, later.text) if _stem(name) not in _DATES} for c in of_now)
    if len({frozenset(names) for names in beside if names}) <= 1:
        yield from (c.said for c in of_now)


def _wishes_otherwise(later: _Clause, alike: Sequence[_Clause]) -> Iterator[Sentence]:
    """ "Never use tabs" after "always use tabs": of wishes in the same words those that are the other way round."""
    for earlier in _before(later, alike) if later.words - _WISHING else ():
        if bool(_DENIES.search(earlier.text)) != bool(_DENIES.search(later.text)) and earlier.figures == later.figures:
            yield earlier.said


def _before(later: _Clause, clauses: Sequence[_Clause]) -> Iterator[_Clause]:
    """The same speaker's clauses that came before."""
    for earlier in clauses:
        if (earlier.said.day, earlier.said.place) >= (later.said.day, later.said.place):  # type: ignore[operator]  # both are known here
            return
        if earlier.said.speaker == later.said.speaker:
            yield earlier


def _same(one: str, other: str) -> bool:
    """Whether who moved takes the one along that lived there: "we" takes me, "I" not all of us."""
    lived, moved = one.casefold(), other.casefold()
    return (lived == moved and not change_limits.is_one_of_many(lived)) or (lived, moved) == ("i", "we")


def _is_predicate(words: frozenset[str], text: str) -> bool:
    """Whether a text says just this of its subject: "I'm vegetarian"."""
    return any(_stems(match[1]) == words for match in re.finditer(r"(?:['’]m|['’]s|\bam|\bis|\bare)(?: an?)? ([^,;.!?]+)", text))


def _opening(text: str) -> str:
    return _LEAD_IN.sub("", text.strip())


def _clauses(said: Sentence) -> Iterator[_Clause]:
    """What a memory says, clause by clause; what it asks says nothing, unless it asks for it from now on."""
    start = 0
    for end in (*_CLAUSE_END.finditer(said.text), None):
        text = _opening(said.text[start : end.start() if end else None])
        asks = text.endswith("?") or end is not None and end[0] == "?"
        if text and (said.is_preference or not asks):
            yield _Clause(said, text)
        start = end.end() if end else start


def _stems(text: str) -> frozenset[str]:
    words = (word.casefold().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in words if word not in _EMPTY)


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    return snowballstemmer.stemmer("english").stemWord(word)


_MONTHS_AND_DAYS = (
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep oct nov dec "
    "monday tuesday wednesday thursday friday saturday sunday today tomorrow tonight week month weekend end next this until due before please"
)
_DATES = frozenset(map(_stem, _MONTHS_AND_DAYS.split()))

# Each rule with the words without which it cannot hold: most sentences have none of them.
_BY_WORD: tuple[tuple[tuple[str, ...], Callable[[_Clause, Sequence[_Clause]], Iterator[Sentence]]], ...] = (
    (("moved", "relocated", "now"), _moves),
    (("now",), _is_now),
    ((" to ",), _goes),
    (("no longer", "more"), _is_no_longer),
    ((", not ", ", and not "), _puts_right),
)
