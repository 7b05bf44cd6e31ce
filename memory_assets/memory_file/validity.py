"""What of the pool still holds: which days a text names, and words that a later word takes back. Pure.

Only obvious forms count. What time alone changes is another matter (:mod:`.passing`). A later
word takes an earlier one back when the same person says it of the same thing with a mark of change ("no
longer", "from now on", "instead", "moves to"); the earlier one is left out with the later one's reference. What
the owner wishes for once more in the same words stands as it was first said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory_assets.clock import MONTHS

_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS)
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_LOGGED = re.compile(r"(\d{4})-(\d\d)-(\d\d): ")
_SPOKEN = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})|(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|"
    r"nd|rd|th)?)\b"
    r"(?:,? (?P<year>(?:19|20|21)\d\d)\b)?",
    re.I,
)
_CHANGE = re.compile(
    r"\b(?:no longer|not any ?more|from now on|instead(?: of)?|changed my mind|a change\b|changes? (?:for|to|of) my|"
    r"is now|are now|now (?:only|always|never)|switch(?:ed|ing)? (?:to|from)|as of (?:now|today)|stop \w+ing|"
    r"only suggest|for anything|any ?more)\b",
    re.I,
)
_MOVE = re.compile(
    r"\b(?P<subject>(?-i:[a-z])[^\W\d_]{3,})(?: (?:of|in|at|for|with) [^.;:!?]{1,50}?)?(?: (?:has|is|was|been|now|"
    "be)){0,6}"
    r" (?:moves?|moved|postponed|shifts|shifted|rescheduled)\b[^.;!?]{0,60}?\b(?:to|until|till)\b",
    re.I,
)
_SETTLED = re.compile(
    r"\b(?:is|are|starts?|begins?|takes place|moves?|moved|launch(?:es)?|set|planned|scheduled|due|from)\b",
    re.I,
)
_PROPOSED = re.compile(
    r"\b(?:propose[sd]?|suggest(?:s|ed)?|(?-i:may)|might|could|would|if|whether|asks?|asked)\b|\?", re.I
)
_SUBJECT_IS_NONE = frozenset("they that this what which week month with from have when then also".split())

# Things that people change as a whole, though no word of the old need stand in the new.
_TOPICS: Mapping[str, re.Pattern[str]] = {
    "diet": re.compile(r"\b(?:vegan|vegetarian|pescatarian|omnivore|meat|carnivore|diet)\b", re.I),
    "form": re.compile(r"\b(?:bullets?|bullet lists?|bullet points|paragraphs?|prose|tables?)\b", re.I),
    "focus": re.compile(r"\bfocus (?:afternoon|morning|day|time|block)s?\b", re.I),
    "language": re.compile(
        r"\b(?:answer|write|reply|speak|talk|respond)\b.*\b(?:in|to me in) (?:English|German|French|Spanish|"
        r"Swedish|Italian|Portuguese|Dutch)\b",
        re.I,
    ),
    "naming": re.compile(r"\bcall me\b", re.I),
    "recap": re.compile(r"\b(?:weekly|daily|monthly) (?:recap|digest|summary|report)\b", re.I),
}


@dataclass(frozen=True)
class Said:
    """What a judgement needs of one memory: ``day`` is the day it was said, ``place`` when within that day, as far as
    that is known: the instant of its source, the turn in it, and the place in that."""

    memory_id: str
    ref: str
    text: str
    speaker: str
    day: date | None
    words: frozenset[str]
    is_preference: bool
    is_task: bool = False
    place: tuple[str, int, int] = ("", 0, 0)


def day_of(text: str, said: date | None) -> date | None:
    """The day that a memory is of: a log's line begins with its own ("2026-10-14: The database is ...")."""
    match = _LOGGED.match(text)
    own = _date(int(match[1]), int(match[2]), int(match[3])) if match else None
    return own if own is not None and (said is None or own <= said) else said


def days_in(text: str, said: date | None) -> list[date]:
    """The calendar days that ``text`` names; without a year, the one nearest to the day it was said."""
    found = []
    for year, month, day in _ISO.findall(text):
        found.append(_date(int(year), int(month), int(day)))
    for match in _SPOKEN.finditer(text):
        name = (match["m1"] or match["m2"])[:3].title()
        month = next(i for i, full in enumerate(MONTHS, 1) if full.startswith(name))
        day = int(match["d1"] or match["d2"])
        if match["year"]:
            found.append(_date(int(match["year"]), month, day))
        elif said is not None:
            near = [_date(said.year + step, month, day) for step in (-1, 0, 1)]
            found.append(min((d for d in near if d), key=lambda d: abs((d - said).days), default=None))
    return [day for day in found if day is not None]


def without_days(text: str) -> str:
    """The text without the calendar days that it names."""
    return _SPOKEN.sub(" ", _ISO.sub(" ", text))


def done(pool: Sequence[Said]) -> dict[str, str]:
    """Tasks that a later line of a note reports as it stood ("- [x] Winter cover on the boat")."""
    reports = [s for s in pool if not s.speaker and not s.is_task and 2 < len(s.words) < 9 and s.text[-1:] not in ".!?"]
    found = {}
    for task in (s for s in pool if s.is_task):
        for report in reports:
            if task.day is not None and report.day is not None and report.day > task.day and report.words <= task.words:
                found[task.memory_id] = report.ref
    return found


def superseded(pool: Sequence[Said]) -> dict[str, str]:
    """Which memories a later one takes back: memory id to the later one's reference."""
    dated = sorted((s for s in pool if s.day is not None), key=lambda s: (s.day, s.place, s.memory_id))
    found: dict[str, str] = {}
    for later in dated:
        for earlier in _taken_back_by(later, dated):
            # The latest word of all wins; what is itself taken back later still takes back what was before.
            found[earlier.memory_id] = later.ref
    return found


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
_PLAIN_WORD = re.compile(r"[^\W_]+")
_NO_CONTENT = frozenset("a an the and or i my we our is are for of in on it its that this with please".split())
_FEWEST_SHARED = 3
_AGAINST = frozenset("over than instead".split())
_CHOOSES = re.compile(r"\b(?:over|than|instead)\b", re.I)
_BY_ORDER = _AGAINST | frozenset("not never from before after without except unless".split())
"""Words by which the order of the others says which is wished for."""
_WISHING = frozenset("prefer prefers preferred preference rather would always never favor favour".split())


def repeated(pool: Sequence[Said]) -> dict[str, str]:
    """Wishes of the owner's that another one says already: memory id to the other one's reference.

    They say the same when their words do up to what they are for ("to keep it simple", "because ..."): the wish as
    it was first said stays, so that saying it again changes no line of a file. Where something else was wished for in
    its place in between ("metric", "imperial", "metric" again), the last one stays: it must be newer than that.
    """
    stays: dict[tuple[str, ...], Said] = {}
    others: list[tuple[Said, tuple[str, ...]]] = []
    found: dict[str, str] = {}
    wishes = (s for s in pool if s.is_preference and not s.speaker and _WISH.search(s.text))
    for said in sorted(wishes, key=lambda s: (s.day is None, s.day or date.max, len(s.text), s.place, s.memory_id)):
        core = _core(said.text)
        if len(core) < _FEWEST_SHARED:
            continue
        known = stays.setdefault(core, said)
        if known is not said:
            since = (key for other, key in others if known.day is None or (other.day or date.max) > known.day)
            if known.day != said.day and any(_in_place_of(key, core) for key in since):
                found = {name: said.ref if ref == known.ref else ref for name, ref in found.items()}
                stays[core], known, said = said, said, known
            found[said.memory_id] = known.ref
        others.append((known, core))
    return found


def _core(text: str) -> tuple[str, ...]:
    """What a wish says, without what it is for: its words, in their order where that tells."""
    told = [word for word in _PLAIN_WORD.findall(_PURPOSE.sub("", text).casefold()) if word not in _NO_CONTENT]
    return tuple(sorted(set(told)) if _BY_ORDER.isdisjoint(told) else told)


def _in_place_of(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one wish says something else than the other in its place: all but one of their words are the same."""
    mine, theirs = set(one) - _WISHING, set(other) - _WISHING
    return one != other and len(mine - theirs) <= 1 and len(theirs - mine) <= 1


def turned(one: str, other: str, marks: frozenset[str] = _BY_ORDER) -> bool:
    """Whether two texts say the same words the other way round ("from Graz to Ulm", "from Ulm to Graz"), around one of
    ``marks``."""
    told = [_PLAIN_WORD.findall(text.casefold()) for text in (one, other)]
    return not marks.isdisjoint(told[0]) and told[0] != told[1] and sorted(told[0]) == sorted(told[1])


def outdated(
    overviews: Mapping[str, str],
    texts: Mapping[str, Iterable[str]],
    taken: Mapping[str, str],
    clauses: Mapping[str, str],
) -> dict[str, str]:
    """Overviews and summaries (id to text) that say again, word for word, what is :func:`superseded` (id to the later
    one; ``texts``: what was said and its statement), or one of the ``clauses`` (words to reference) that a memory of
    more has lost: id to the later one."""
    gone = {
        words: taken[memory_id]
        for memory_id in sorted(texts.keys() & taken.keys())
        for text in texts[memory_id]
        if (words := text.casefold().rstrip(" .!…。"))
    }
    gone |= {text.casefold(): ref for text, ref in clauses.items() if len(text.split()) >= _FEWEST_SHARED}
    found = {}
    for memory_id, text in overviews.items():
        told = text.casefold()
        later = next((ref for words, ref in gone.items() if words in told), None)
        if later is not None:
            found[memory_id] = later
    return found


def _taken_back_by(later: Said, dated: Sequence[Said]) -> Iterable[Said]:
    changes = later.is_preference and _CHANGE.search(later.text) is not None
    topics = {name for name, pattern in _TOPICS.items() if pattern.search(later.text)} if changes else set()
    subject, new_days = _moved(later)
    chooses = later.is_preference and _WISH.search(later.text) is not None and _CHOOSES.search(later.text) is not None
    if not changes and not chooses and subject is None:
        return
    for earlier in dated:
        if (earlier.day, earlier.place) >= (later.day, later.place):  # both are known here
            return
        if changes and earlier.is_preference and earlier.speaker == later.speaker:
            shared = earlier.words & later.words
            same_topic = any(_TOPICS[name].search(earlier.text) for name in topics)
            if same_topic or len(shared) >= 3 and 2 * len(shared) >= len(earlier.words):
                yield earlier
        same_words = earlier.words == later.words and earlier.speaker == later.speaker
        if chooses and same_words and turned(earlier.text, later.text, _AGAINST):
            yield earlier
        if subject is not None and _sets_a_day(earlier, subject, new_days):
            yield earlier


def _moved(said: Said) -> tuple[str | None, list[date]]:
    """The thing that a sentence moves, and the days it names (the last one is the new one)."""
    match = _MOVE.search(said.text)
    if match is None or _PROPOSED.search(said.text) or match["subject"].lower() in _SUBJECT_IS_NONE:
        return None, []
    after = days_in(said.text[match.end() - 3 : match.end() + 40], said.day)
    return (match["subject"].lower(), after[:1]) if after else (None, [])


def _sets_a_day(earlier: Said, subject: str, new_days: Sequence[date]) -> bool:
    match = re.search(rf"\b{re.escape(subject)}\b", earlier.text, re.I)
    if match is None:
        return False
    clause = re.split(r"[.;!?]", earlier.text[match.end() : match.end() + 90])[0]
    named = days_in(clause, earlier.day)
    settles = _SETTLED.search(clause)
    if not named or settles is None or settles.start() > 40 or _PROPOSED.search(earlier.text):
        return False
    return not set(new_days) & set(named)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
