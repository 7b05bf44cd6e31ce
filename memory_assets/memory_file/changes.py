"""Facts that a later sentence changes: where somebody lives, what a figure is now, what was put right. Pure.

Only plain forms count, and only of one speaker and one subject: "my sister has moved to Lyon" says nothing of where a
brother lives. A sentence changes an earlier one where it says so: it moves somebody ("moved to"), says "now" or "raised
to" of a figure or a name, says "no longer", or names what it puts right ("9500, not 8000"). What two texts say side by
side without such a mark may both be true, and both stand; so they do where the mark is in a question or is otherwise no
change (:mod:`.change_limits`). Wishes of one instant that contradict each other both stand as well: neither is the
newer one.

Of a memory that says more than one thing only the clause is outdated that says the changed one: the rest stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memory_assets.memory_file import change_limits
from memory_assets.memory_file.clauses import (
    DATES,
    FIGURE,
    Clause,
    Sentence,
    before,
    clauses,
    left_of,
    parts,
    stem,
    stems,
)
from memory_assets.memory_file.home_moves import NOW, moves

_NO_LONGER = re.compile(
    r"\bno longer (?P<a>[^,;.!?]+)|(?:\bnot|n['’]t) (?P<b>[^,;.!?]{1,120}?) any ?more\b(?! than\b)", re.I
)
_NOT_SO = re.compile(r"\b(?:used to|no longer|any ?more|was|were|had|never|not)\b|n['’]t\b", re.I)
_INSTEAD = re.compile(
    r"(?:\b(?P<head>[a-z]{1,30}) )?(?:\b(?P<new>\w[\w'’-]{0,60})|"
    r"(?P<figure>[$€£]?\b\d[\w.:]{0,30})(?: ?(?P<unit>[\w%€]{1,30}))?), "
    r"(?:and )?not (?:on |at |in |by |for )?(?:the )?"
    r"(?:(?P=head) )?(?P<old>[$€£]?[\w.:'’-]{0,60}\w)\b",
    re.I,
)
_TO = r"(?: from (?P<old>[$€£]?\d[\d.,]{0,30})(?: ?[\w%€]{1,30})?)? to (?P<new>[$€£]?\d[\d.,]*)"
_GOES = re.compile(
    r"\b(?:raised|increased|gr[eo]wn?|went(?: up| down)?|gone (?:up|down)|rose|risen|dropped|fell|fallen|reduced|"
    "cut|lowered|changed|updated|extended|"
    rf"shortened|improved|doubled|halved)\b{_TO}",
    re.I,
)
_MAKES_GO = re.compile(
    r"^(?:i|we|they|he|she|(?:my|our|the) \w+)(?:['’]ve|['’]s| have| has)? (?:just |recently |now )?(?:raised|"
    "increased|reduced|cut|lowered|changed|extended|"
    rf"shortened|doubled|halved) (?P<thing>(?:my|our|the) [^,;.!?\d]{{2,60}}?){_TO}",
    re.I,
)
_IS_CALLED = re.compile(
    r"^(?P<what>(?:my|our|the) [a-z][\w'’ -]{1,40}?) (?:is|are) (?P<first>now )?"
    r"(?P<name>(?-i:[A-Z])[\w'’-]*(?: (?-i:[A-Z])[\w'’-]*)*|[\w-]*\d[\w-]*)(?P<last> now)?$",
    re.I,
)
_FAVOURITE = re.compile(
    r"^(?P<what>(?:my|our) favou?rite [\w'’ -]{1,40}?) (?:is|are) (?P<first>now )?"
    r"(?P<name>(?!(?:here|there|over|gone|almost|nearly|not|in|on|at|for|coming|closed|done)\b)"
    r"(?:the )?[\w'’-]{1,30}(?: (?!now$)[\w'’-]{1,30}){0,2})(?P<last> now)?$",
    re.I,
)
_DENIES = re.compile(r"\b(?:never|not|no|stop|avoid|without)\b|n['’]t\b", re.I)
_RULES = re.compile(
    r"^(?:please |do |don['’]t |do not )*(?:always|never|use|avoid|stop|write|give|add|include|call|send|book)\b|"
    r"\b(?:always|never)\b",
    re.I,
)
_WISHING = frozenset("alway never not no stop avoid without pleas use again ever don't".split())
_FEWEST_SHARED = 2
Rule = Callable[[Clause, Sequence[Clause]], Iterator[Clause]]
"""The clauses of memories, in order, that a later clause changes."""


@dataclass(frozen=True)
class Outcome:
    """What later sentences change: by memory id the later one's reference, the latest of several."""

    taken: dict[str, str]
    """Memories of which nothing holds any longer."""
    left: dict[str, tuple[str, str]]
    """Memories of which some holds: the words that do, and the reference of what takes the others back."""
    clauses: dict[str, str]
    """The words of each clause that holds no longer, with the reference of what takes it back."""
    gone: dict[str, frozenset[int]]
    """Of each memory in ``left`` which of its parts are taken back."""


def outdated(said: Sequence[Sentence]) -> Outcome:
    """Which memories a later one changes, wholly or in some of their clauses."""
    dated = sorted(
        (s for s in said if s.day is not None and not s.is_task), key=lambda s: (s.day, s.place, s.memory_id)
    )
    told = [clause for one in dated for clause in clauses(one, finely=True)]
    rules: dict[frozenset[str], list[Clause]] = {}
    found: dict[str, set[int]] = {}
    last: dict[str, str] = {}
    over: dict[str, str] = {}
    for later in (clause for one in dated for clause in clauses(one, finely=False)):
        gone = [earlier for rule in _rules_of(later) for earlier in rule(later, told)]
        if later.said.is_preference and _RULES.search(later.text):
            alike = rules.setdefault(later.words - _WISHING, [])
            gone += _wishes_otherwise(later, alike)
            alike.append(later)
        for earlier in gone:
            found.setdefault(earlier.said.memory_id, set()).update(earlier.parts)
            last[earlier.said.memory_id] = over[earlier.text] = later.said.ref
    texts = {one.memory_id: one.text for one in dated if one.memory_id in found}
    rest = {
        name: left_of(texts[name], gone) if len(gone) < len(parts(texts[name])) else None
        for name, gone in found.items()
    }
    return Outcome(
        {name: last[name] for name in found if rest[name] is None},
        {name: (text, last[name]) for name, text in rest.items() if text is not None},
        over,
        {name: frozenset(found[name]) for name, text in rest.items() if text is not None},
    )


def _rules_of(later: Clause) -> list[Rule]:
    if change_limits.is_unsure(later.text):
        return []
    lower = f"{later.lead}{later.text}".casefold()
    return [rule for words, rule in _BY_WORD if any(word in lower for word in words)]


def _is_now(later: Clause, told: Sequence[Clause]) -> Iterator[Clause]:
    """ "Rex weighs 14 kg now", "my flight is now at 9 am": the same words with another figure of the same kind."""
    if not later.figures or not later.words or not NOW.search(later.text):
        return
    found = []
    for earlier in before(later, told):
        if not later.words <= earlier.words or not earlier.figures or earlier.figures & later.figures:
            continue
        if bool(later.times) != bool(earlier.times) or _NOT_SO.search(earlier.text) or _has_more_figures(earlier):
            continue
        is_all = later.words == earlier.words and later.text.split()[:2] == earlier.text.split()[:2]
        if len(later.words) >= _FEWEST_SHARED or later.times and earlier.times or is_all:
            found.append(earlier)
    yield from _of_one_thing(later, found)


def _is_now_called(later: Clause, told: Sequence[Clause]) -> Iterator[Clause]:
    """ "My manager is now Lisa", "my favourite colour is green now": the same thing with another name, or another
    favourite.
    """
    for form in (_IS_CALLED, _FAVOURITE):
        match = form.match(later.text)
        if match is None or not (match["first"] or match["last"]):
            continue
        for earlier in before(later, told):
            was = form.match(earlier.text)
            if (
                was
                and was["what"].casefold() == match["what"].casefold()
                and was["name"].casefold() != match["name"].casefold()
            ):
                yield earlier


def _goes(later: Clause, told: Sequence[Clause]) -> Iterator[Clause]:
    """ "The rent was raised from 900 to 950": what said the old figure of the same thing, or any other on an
    earlier day.
    """
    match = _MAKES_GO.match(later.text) or _GOES.search(later.text)
    if match is None:
        return
    active = match.groupdict().get("thing")
    if not active and _NOT_SO.search(
        later.text[max(0, match.start() - 8) : match.start()].replace("was", "").replace("were", "")
    ):
        return
    thing = stems(FIGURE.sub(" ", active or later.text[: match.start()]))
    found = []
    for earlier in before(later, told):
        is_old = match["old"] is not None and match["old"].strip("$€£.,") in earlier.figures
        if (
            thing
            and thing <= earlier.words
            and (is_old or match["old"] is None and (len(thing) >= _FEWEST_SHARED or earlier.words <= later.words))
        ):
            if (
                earlier.figures
                and match["new"].strip("$€£.,") not in earlier.figures
                and not earlier.times
                and not _has_more_figures(earlier)
            ):
                if _says_of(later.text[match.end() :], earlier):
                    found.append(earlier)
    yield from _of_one_thing(later, found)


def _is_no_longer(later: Clause, told: Sequence[Clause]) -> Iterator[Clause]:
    """ "I don't work at Acme any more": what said so before."""
    match = _NO_LONGER.search(later.text)
    if match is None:
        return
    ended = stems(match["a"] or match["b"])
    who = stems(later.text[: match.start()].casefold().removesuffix("do").removesuffix("does"))
    if not ended:
        return
    for earlier in before(later, told):
        is_all = earlier.words == ended | who or _is_predicate(ended, earlier.text)
        if change_limits.lists_several(earlier.text) and earlier.words - ended - who:
            continue  # "coffee and tea", of which one is left
        if (
            (len(ended) >= _FEWEST_SHARED or is_all)
            and ended | who <= earlier.words
            and not _NOT_SO.search(earlier.text)
        ):
            if _subject(later.text) == _subject(earlier.text):
                yield earlier


def _puts_right(later: Clause, told: Sequence[Clause]) -> Iterator[Clause]:
    """ "The budget is 9500, not 8000": what said the old of the same thing, on the same day too."""
    match = _INSTEAD.search(later.text)
    if match is None:
        return
    old, new = match["old"].casefold(), (match["new"] or match["figure"]).casefold()
    if _has_digit(old) != _has_digit(new):
        return  # "in wood, not 8000"
    thing = stems(FIGURE.sub(" ", later.text[: match.start("new" if match["new"] else "figure")]))
    found = []
    for earlier in told:
        if (earlier.said.day, earlier.said.place) > (later.said.day, later.said.place):
            continue
        if earlier.said.speaker != later.said.speaker:
            continue
        if earlier.said.memory_id == later.said.memory_id or change_limits.lists_several(earlier.text):
            continue
        words = [word.casefold() for word in re.findall(r"[$€£]?[\w.:'’-]{0,60}\w", earlier.text)]
        if match["unit"] and old in words[:-1] and words[words.index(old) + 1] != match["unit"].casefold():
            continue  # "4 chairs", and "6 plates, not 4"
        if (
            thing
            and thing <= earlier.words
            and old in words
            and new not in words
            and _says_of(later.text[match.end() :], earlier)
        ):
            found.append(earlier)
    yield from _of_one_thing(later, found)


def _has_more_figures(clause: Clause) -> bool:
    """Whether a clause joins figures of which a later one may change one alone: "opens at 6 and closes at 10"."""
    return len(clause.figures) > 1 and change_limits.lists_several(FIGURE.sub("0", clause.text))


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def _says_of(after: str, earlier: Clause) -> bool:
    """Whether what is said behind a figure ("in Ulm", "for the milk") is said of the earlier one's thing too."""
    return all(stems(FIGURE.sub(" ", what)) - DATES <= earlier.words for what in change_limits.what_for(after))


def _of_one_thing(later: Clause, found: Sequence[Clause]) -> Iterator[Clause]:
    """Those that a sentence changes, unless they are of things with different names, of a time of their own or of
    another's.
    """
    of_now = [c for c in found if not _is_of_then(c) and not change_limits.is_another_owners(c.text, later.text)]
    beside = (
        {name for name in change_limits.names_beside(c.text, later.text) if stem(name) not in DATES} for c in of_now
    )
    if len({frozenset(names) for names in beside if names}) <= 1:
        yield from of_now


def _is_of_then(clause: Clause) -> bool:
    return change_limits.is_of_then(clause.said.text if len(clause.said.text) < _ONE_SENTENCE else clause.text)


_ONE_SENTENCE = 200
"""In a text of fewer characters a time that is told ("in June") may be any clause's."""


def _wishes_otherwise(later: Clause, alike: Sequence[Clause]) -> Iterator[Clause]:
    """ "Never use tabs" after "always use tabs": of wishes in the same words those that are the other way round."""
    for earlier in before(later, alike) if later.words - _WISHING else ():
        if bool(_DENIES.search(earlier.text)) != bool(_DENIES.search(later.text)) and earlier.figures == later.figures:
            yield earlier


def _is_predicate(words: frozenset[str], text: str) -> bool:
    """Whether a text says just this of its subject: "I'm vegetarian"."""
    return any(
        stems(match[1]) == words for match in re.finditer(r"(?:['’]m|['’]s|\bam|\bis|\bare)(?: an?)? ([^,;.!?]+)", text)
    )


def _subject(text: str) -> str:
    """How a clause opens: with "I", "my", a name."""
    return re.split(r"['’\s]", text.strip().casefold(), maxsplit=1)[0]


# Each rule with the words without which it cannot hold: most sentences have none of them.
_BY_WORD: tuple[tuple[tuple[str, ...], Rule], ...] = (
    (("moved", "relocated", "now", "these days", "as of"), moves),
    (("now",), _is_now),
    (("now",), _is_now_called),
    ((" to ",), _goes),
    (("no longer", "more"), _is_no_longer),
    ((", not ", ", and not "), _puts_right),
)
