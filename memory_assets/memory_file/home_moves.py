"""Who lives somewhere else now: "I moved from Boston to Denver", "I live in Denver now". Pure.

"I've moved to Sales" and "we've moved to Slack" have the same form: what is a part of a company, a step, a seat, a day
or a program by its name, by its shape or by how the same person speaks of it elsewhere is no place to live in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_assets.llm.local.lexicon import KIN_AND_ROLES, ORGANIZATIONS, PRODUCTS, TITLES
from memory_assets.memory_file import change_limits
from memory_assets.memory_file.clauses import DATES, Clause, before, stem

_WHO = r"(?P<who>i|we|(?:my|our|the) (?:[\w'’-]+ ){0,2}?[\w'’-]+|(?-i:[A-Z])[\w’-]+)"
_HAVE = r"(?:['’](?:ve|s) | have | has | )"
_PLACE = r"(?P<place>(?-i:[A-Z])[\w’-]+(?:\.? (?-i:[A-Z])[\w’-]+)*)"
_LIVES = re.compile(
    f"^{_WHO}(?:['’](?:m|re|s)| am| is| are)?(?: currently| now| still)? (?:lives?|living|based|"
    f"resides?) (?:now )?in {_PLACE}",
    re.I,
)
_MOVED = re.compile(
    f"^{_WHO}{_HAVE}(?:just |recently |now |finally )?(?P<verb>moved|relocated)(?: back)?(?: (?:from|"
    f"out of) (?P<from>[^.;!?]{{2,40}}?))? to {_PLACE}",
    re.I,
)
NOW = re.compile(
    r"(?<!until )(?<!till )(?<!by )(?<!for )(?<!right )(?<!just )(?<!before )(?<!to )\bnow\b(?! (?:that|and then|"
    r"and again)\b)",
    re.I,
)
"""That something is so since lately."""
_LATELY = re.compile(r"\b(?:these days|nowadays|as of (?:today|this week|this month|last \w+))\b", re.I)
# What companies, courses and journeys are divided into, and what a company's parts do: closed sets, unlike their names.
_PART_OF_SOMETHING = frozenset(
    "team group squad crew department dept division unit section desk room floor level seat row shift table class "
    "grade year chapter page module lesson step phase stage round tier plan version option gate platform lane line "
    "track column status account channel bed ward lab studio zone".split()
)
_BUSINESS = frozenset(
    "sales finance accounts hr it qa pr legal design product support operations ops logistics research security "
    "data growth strategy service services success quality treasury payroll admin infrastructure backend frontend "
    "payments partnerships editorial production maintenance supply risk audit tax policy content brand innovation "
    "media retail wholesale gold silver bronze premium pro basic business nights days mornings afternoons evenings".split()  # noqa: E501
)
_DOING = re.compile(r"[a-z](?:ing|ment|tions?|ics|ware|ology|iance|nance|ship)$")
_LANGUAGE = re.compile(r"[a-z](?:ish|ese)$")
_NO_NAME_OF_A_PLACE = re.compile(r"\d|[a-z][A-Z]|^(?!US|UK|NYC|LA|DC|SF|UAE|USA)[A-Z]{2,}$|\.$")
_COMES_BACK = re.compile(r"\b(?:back|returned|not|never|left)\b|n['’]t\b", re.I)
_GROUP = re.compile(
    r"\b(?:team|class|course|group|crew|squad|project|app|site|service|meeting|department|codebase|database|server|standup)$",
    re.I,
)


def moves(later: Clause, clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Of the clauses before ``later`` those that say where somebody lived who lives somewhere else since."""
    match = _MOVED.match(later.text) or (_LIVES.match(later.text) if _is_lately(later) else None)
    if match is None or not change_limits.moves_for_good(later.text[match.end() :], later.said.day):
        return
    if later.after and (
        _COMES_BACK.search(later.after) or not re.match(r",? ?(?:but|and|so) (?:i|we|my|our|the)\b", later.after, re.I)
    ):
        return  # "but came back", "but only in my dreams"
    found = match.groupdict()
    verb, origin = found.get("verb"), found.get("from")
    if verb and not _is_a_home(match["place"], relocated=verb.casefold() == "relocated", who=match["who"]):
        return
    is_other: bool | None = None
    for earlier in before(later, clauses):
        lived = _LIVES.match(earlier.text)
        if (
            not lived
            or not _same(lived["who"], match["who"])
            or change_limits.is_same_place(lived["place"], match["place"])
        ):
            continue
        if origin and origin[0].isupper() and not change_limits.is_same_place(lived["place"], origin):
            continue  # "from Evernote to Notion", "from Ulm to Graz": not from where they are said to live
        if is_other is None:
            is_other = bool(verb) and _is_spoken_of_otherwise(match["place"], later, clauses)
        if not is_other:
            yield earlier


def _is_lately(later: Clause) -> bool:
    return NOW.search(later.text) is not None or _LATELY.search(f"{later.lead} {later.text}") is not None


def _is_a_home(place: str, *, relocated: bool, who: str) -> bool:
    words = [word.rstrip(".") for word in place.split()]
    lower = [word.casefold() for word in words]
    if (
        {stem(word) for word in lower} & DATES
        or lower[0] in TITLES
        or any(_NO_NAME_OF_A_PLACE.search(word) for word in words)
    ):
        return False
    if any(
        word in _PART_OF_SOMETHING | _BUSINESS | KIN_AND_ROLES or _DOING.search(word) for word in (lower[0], lower[-1])
    ):
        return False
    if len(lower) > 1 and _LANGUAGE.search(lower[-1]):
        return False  # "Intermediate Spanish"
    if (
        " ".join(lower) in PRODUCTS
        or " ".join(lower) in ORGANIZATIONS
        or lower[0] in PRODUCTS | ORGANIZATIONS
        and len(words) > 1
    ):
        return False
    return relocated or _GROUP.search(who) is None


def _is_spoken_of_otherwise(place: str, later: Clause, clauses: Sequence[Clause]) -> bool:
    """Whether the same person speaks of it as of a tool or a team: "the Ada team", "on Miro", "we use Miro"."""
    name = re.escape(place)
    otherwise = re.compile(
        rf"\b(?:on|via|use|uses|used|using|with|into|the) {name}\b(?!['’])|\b{name} (?:team|department|group|account|channel|app|board|cluster|project|unit)\b"  # noqa: E501
    )
    return any(clause.said.speaker == later.said.speaker and otherwise.search(clause.text) for clause in clauses)


def _same(one: str, other: str) -> bool:
    """Whether who moved takes the one along that lived there: "we" takes me, "I" not all of us."""
    lived, moved = one.casefold(), other.casefold()
    return (lived == moved and not change_limits.is_one_of_many(lived)) or (lived, moved) == ("i", "we")
