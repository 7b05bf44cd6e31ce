"""What keeps a sentence from changing another though it has the form: doubt, other times, other people's things. Pure.

A change that is not seen leaves two lines in a file; a change that is none takes a true one out. So each of these
decides against the change.
"""

from __future__ import annotations

import re
from datetime import date

from memory_assets.clock import MONTHS

_UNSURE = re.compile(
    r"\b(?:if|whether|unless|would|could|might|should|maybe|perhaps|will|won['’]t|going to|plans? to|planning|"
    "hop(?:e|es|ing) to|wants?|wish|"
    r"imagine|dream\w*|pretend\w*|kidding|joking|claims?|says|said|thinks?|rumou?rs?|supposedly|allegedly)\b|['’]ll\b",
    re.I,
)
_MONTH = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
_WHILE_THEN = re.compile(
    rf"\b(?:last (?!name)\w+|ago|yesterday|(?:back )?then|once|in (?:(?:19|20)\d\d|{_MONTH}))\b", re.I
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_AFTER_A_PLACE = re.compile(
    # Nothing in it gives back what it took: hostile text costs no more than other text.
    "^(?>(?: (?:area|myself|now|these days|nowadays|yesterday|today|recently|already|again|permanently|together|"
    r"last \w+|this \w+|earlier this \w+|"
    r"(?:a|two|three|\d+) (?:days?|weeks?|months?) ago|for (?:good|work|love|school|family|a (?:new )?job|(?:my|"
    r"our|his|her|their) (?:[\w]++['’]s )?(?:new )?"
    "(?:job|work|studies|degree|phd|family|health|wife|husband|partner|girlfriend|boyfriend|parents|kids|children|"
    r"career)\b[\w ]*+)|with [\w’' ]++|"
    rf"(?:on|in|since) (?:early |late |mid-?)?(?:\w+day|\d{{1,2}}(?:st|nd|rd|th)? (?:{_MONTH})|"
    rf"(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?)|"
    r"(?:in |on )?(?:19|20)\d\d|because [^,]++|and [^,]++))*)(?:,(?! (?:just|not)\b).*)?$",
    re.I,
)
_NOT_FOR_GOOD = re.compile(r"\b(?:back|before|for (?:the|one|two|three|\d+|an?) (?!(?:new )?job\b)\w+)\b", re.I)
_ONE_OF_MANY = re.compile(
    "^(?:my|our|the) (?:friends?|colleagues?|co-?workers?|cousins?|neighbou?rs?|classmates?|team-?mates?|clients?|"
    "customers?|users?)$",
    re.I,
)
_OF_WHAT = re.compile(r"\b(?:for|in|on|at|of|with) (?P<what>[^,;.!?]+)", re.I)
_OWNER = re.compile(r"\b(\w+)(?:['’]s|(?<=s)['’]) (?=\w)", re.I)
_NO_OWNERS = frozenset("it that this he she what there here let who where how when everything".split())
_MINE = re.compile(r"\b(?:my|our)\b", re.I)
# Behind a name "Ghent, Belgium" is one place.
_SEVERAL = re.compile(r"\b(?:and|or|plus)\b|,(?!(?<=[a-z],)(?-i: [A-Z])[\w-]+(?:(?-i: [A-Z])[\w-]+)?\.?$)|[;&]", re.I)
_NAME = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z][\w-]+")
_OTHERS_TASK = re.compile(
    r"^(?:ask|remind|tell|get|make sure|check|see|do not|don['’]t|never)\b|"
    r"^(?!(?:i|we)\b)(?:[\w'’-]+ ){1,4}?(?:will|has to|have to|needs? to|must|should|shall|is to|is going to|"
    r"are going to|promised to|wants? to)\b(?! be\b)",
    re.I,
)
_AGAIN = re.compile(r"\b(?:every|each|daily|weekly|monthly|yearly|annually|always|regularly|\w+days)\b", re.I)
_POINTS = re.compile(r"^(?:it|that|this|them|those|these|everything|something|another|one)\b", re.I)
_INDEFINITE = re.compile(r"^an? \w", re.I)


def is_unsure(text: str) -> bool:
    """Whether a clause only supposes, plans, jokes or reports what it says."""
    return _UNSURE.search(text) is not None


def is_of_then(text: str) -> bool:
    """Whether a clause says that it is of a time: "last year", "in June". What is otherwise now leaves it true."""
    return _WHILE_THEN.search(text) is not None


def moves_for_good(after: str, said: date | None) -> bool:
    """Whether what stands ``after`` the place of a move lets it be a place to live in since, not a visit, a memory
    or a tool.
    """
    match = _AFTER_A_PLACE.match(after)
    if match is None or is_unsure(after) or _NOT_FOR_GOOD.search(after):
        return False
    years = {int(year) for year in _YEAR.findall(after)}
    return not years or said is not None and max(years) >= said.year - 1


def is_one_of_many(who: str) -> bool:
    """Whether people have several of these, so that the next one told of may be another: "my friend"."""
    return _ONE_OF_MANY.match(who) is not None


def is_same_place(one: str, other: str) -> bool:
    """Whether one place's name holds the other's whole: "Boston", "Boston Heights"."""
    mine, theirs = set(one.casefold().split()), set(other.casefold().split())
    return mine <= theirs or theirs <= mine


def what_for(after: str) -> list[str]:
    """What the words ``after`` a figure say that it is of: "for the milk", "in Ulm"."""
    return [match["what"] for match in _OF_WHAT.finditer(after)]


def is_another_owners(earlier: str, later: str) -> bool:
    """Whether the earlier of two texts speaks of somebody's own that the later one says is mine: "Anna's salary",
    "my salary".
    """
    told = later.casefold()
    owners = {name for name in map(str.casefold, _OWNER.findall(earlier)) if name not in _NO_OWNERS}
    return _MINE.search(later) is not None and any(name not in told for name in owners)


def lists_several(text: str) -> bool:
    """Whether a text joins things of which another may mean only one: "tea and coffee"."""
    return _SEVERAL.search(text) is not None


def names_beside(text: str, other: str) -> frozenset[str]:
    """The names in a text that are not in another one."""
    told = other.casefold()
    return frozenset(name.casefold() for name in _NAME.findall(text) if name.casefold() not in told)


def stays_open(task: str, what: str) -> bool:
    """Whether a task is somebody else's, a ban or one that comes again, or ``what`` was finished may not be its
    thing.
    """
    if _OTHERS_TASK.match(task) or _AGAIN.search(task) or _POINTS.match(what) or is_another_owners(task, what):
        return True
    return _INDEFINITE.match(what) is not None and not re.search(r"\ban? \w", task, re.I)
