"""Tasks whose work the same person tells as done later: "I paid the rent". Pure.

The verb must be the task's own, or one of finishing, and the thing must be the task's: what else the task says of
it in front ("the May rent", "the bike light") makes it another thing, what it says behind ("in Graz") is meant by
"the hotel" where no other open task could be meant. A task that stands too long is a line too much; one that is
closed wrongly is forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memory_assets.memory_file import change_limits
from memory_assets.memory_file.change_limits import is_unsure
from memory_assets.memory_file.clauses import Sentence, clauses, opening, stem, stems
from memory_assets.memory_file.validity import Said

_VERBS = (
    "finished|completed|submitted|sent|paid|filed|booked|bought|fixed|returned|renewed|cancell?ed|signed|delivered|"
    "called|ordered|posted|mailed|reserved|repaired|replaced|uploaded|published|wrote|written"
)
_DONE = re.compile(
    r"^(?:(?:i|we)(?:['’](?:ve|m|re)| have| has| am| are)? )?(?:(?:just|already|finally|now|also) )*"
    r"(?P<verb>(?:all )?(?:done|finished) with|[a-z]+ed|"
    r"sent|paid|bought|wrote|written|made|got|done|did|sold|built|found|met|gave|told|"
    r"brought|taught|chose|drew|hung|kept|put|set|took|spoke) (?P<particle>(?:up|out|off|in|back|down|away|over|on) )?"
    r"(?P<what>[^,;.!?]+)",
    re.I,
)
_IS_DONE = re.compile(
    r"^(?!(?:i|we|you|he|she|they|it)\b)(?P<what>[^,;.!?]{2,60}?) (?:"
    r"(?:is|are|was|were|has been|have been|got)(?: (?:now|already|finally|all))* (?P<verb>done|[a-z]+ed|sent|paid|"
    r"bought|written|made|sold|built|found)(?P<rest>(?: [^,;.!?]+)?)|"
    rf"(?P<plain>done|{_VERBS})(?P<to>(?: to [^,;.!?]+)?))$",
    re.I,
)
"""What is told as done, not by whom: "the invoice was sent to Ana", "passport renewed"."""
_NOT_DONE = re.compile(r"\b(?:be|being|when|once|until|after|before|as soon as)\b", re.I)
_HAS_TO = re.compile(
    r"^(?P<who>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?) (?:needs?|has|have|must|should|plans?|wants?|will|would|is going) "
)
"""A task that is told of somebody by name, as the owner's are, too, where sentences stand in the third person."""
_PRESENT = {
    "sent": "send",
    "paid": "pay",
    "bought": "buy",
    "wrote": "write",
    "written": "write",
    "made": "make",
    "got": "get",
    "done": "do",
    "did": "do",
    "sold": "sell",
    "built": "build",
    "found": "find",
    "met": "meet",
    "gave": "give",
    "told": "tell",
    "brought": "bring",
    "taught": "teach",
    "chose": "choose",
    "drew": "draw",
    "hung": "hang",
    "kept": "keep",
    "took": "take",
    "spoke": "speak",
    "cancelled": "cancel",
}
_PLAIN_VERB = re.compile(rf"(?:{_VERBS})$", re.I)
_FINISHES = frozenset("finished completed done".split())
_TO_FINISH = frozenset(
    "finish complet do done write prepar file work draft make get need rememb submit still must pleas forget todo".split()  # noqa: E501
)
"""What a task may say besides the thing that was finished, and what it opens with."""
_LEADS = frozenset("need want rememb forget must pleas todo tri get got also final should don't".split())
"""What may stand before a task's own verb; "I needed to ..." tells nothing as done."""
_IN_PART = re.compile(
    r"\b(?:almost|nearly|half|parts?|some|most|not|until)\b|\babout (?:half|an?|\d+)\b|\bfor (?:now|(?:an?|\d+|two|"
    r"three|a few) (?:minutes?|hours?|days?|weeks?|months?))\b",
    re.I,
)
_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|this (?:morning|afternoon|evening|week)|last (?:night|week(?:end)?|month|"
    r"\w+day)|on \w+day|(?:a|\d+|two|three) \w+ ago|"
    r"at last|already|now|in time|on time|early)\b.*",
    re.I,
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = (
    rf"(?:\w+day|tonight|tomorrow|noon|midnight|the end of \w+(?: \w+)?|(?:next|this|the) (?:week(?:end)?|month|year)"
    rf"|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)?(?: {_MONTH})?|{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?"
    rf"|\d{{4}}-\d\d-\d\d|\d{{1,2}}(?::\d\d)? ?[ap]m)(?:,? (?:19|20)\d\d)?"
)
_DUE = re.compile(
    rf"\bbefore [^,;.!?]+|\b(?:due )?(?:by|until|till|before|on|no later than|due) (?:(?:next|this) )?{_DATE}(?= |"
    "$|[,.;!?])|"
    r"\b(?:today|tonight|tomorrow|(?:this|next) (?:morning|afternoon|evening|week(?:end)?|month|\w+day)|asap|soon|"
    r"please)\b",
    re.I,
)
_TAKEN_BACK = re.compile(
    r"^,? ?(?:but|though|although|however|except|only)\b|\b(?:nobody|no one|not|never|nothing|failed|wrong|again|"
    r"in vain|voicemail)\b|n['’]t\b",
    re.I,
)
_DEFINITE = re.compile(r"^(?:(?:the|my|our|his|her|their|this|that|both|all)\b|(?-i:[A-Z]))", re.I)
_NEW_THING = re.compile(r"^(?:an? |new |more )", re.I)
_LINKS = frozenset(
    "to in at from of on by and or if when so because which that who for with about against as than".split()
)
_OF_ITSELF = frozenset("to in at from of on by".split())
"""What may lead to words of a task that "the hotel" does not repeat: not "about the wedding", nor "for Anna"."""


def done(said: Sequence[Sentence]) -> dict[str, str]:
    """Tasks whose work the same person tells as done later: memory id to the later one's reference.

    What is told of somebody by name is judged among what is told of the same name, as if they had said it themselves.
    """
    found = _done(said)
    for name in sorted({match["who"] for s in said if s.is_task and (match := _HAS_TO.match(s.text))}):
        found |= _done([_told_by_self(s, name) for s in said if s.text.startswith(f"{name} ")])
    return found


def _told_by_self(said: Sentence, name: str) -> Said:
    text = f"I{said.text.removeprefix(name)}"
    return Said(said.memory_id, said.ref, text, said.speaker, said.day, frozenset(), False, said.is_task, said.place)


def _done(said: Sequence[Sentence]) -> dict[str, str]:
    tasks = [s for s in said if s.is_task and s.day is not None]
    found: dict[str, str] = {}
    if not tasks:
        return found
    for later in sorted((s for s in said if s.day is not None), key=lambda s: (s.day, s.place, s.memory_id)):
        for clause in clauses(later, finely=False):
            match = _DONE.match(_active(clause.text))
            if (
                match is None
                or _IN_PART.search(match["what"])
                or _TAKEN_BACK.search(clause.text[match.end() :] + clause.after)
            ):
                continue
            before = [
                task
                for task in tasks
                if (task.day, task.place) <= (later.day, later.place)
                and task.speaker == later.speaker
                and task.memory_id != later.memory_id
            ]
            finished = _finished_by(match, before)
            certain = [task for task, is_whole in finished if is_whole]
            meant = certain or (
                [task for task, _ in finished] if len({_thing_of(task) for task, _ in finished}) == 1 else []
            )
            found.update((task.memory_id, later.ref) for task in meant)
    return found


def _active(text: str) -> str:
    """The same as done by its speaker, where a clause only says of the thing that it is done."""
    match = _IS_DONE.match(text)
    if (
        match is None
        or _NOT_DONE.search(match["what"])
        or _TAKEN_BACK.search(match["what"])
        or is_unsure(match["what"])
    ):
        return text
    thing = match["what"][:1].lower() + match["what"][1:]
    return f"I {match['verb'] or match['plain']} {thing}{match['rest'] or match['to'] or ''}"


def _finished_by(match: re.Match[str], tasks: Sequence[Sentence]) -> list[tuple[Sentence, bool]]:
    """The tasks whose work a clause may tell as done, and whether it names all of it."""
    what = _WHEN.sub("", match["what"]).strip()
    verb = match["verb"].casefold().split()[-2 if match["verb"].endswith("with") else -1]
    if not _is_told_of(verb, what):
        return []
    found = []
    for task in tasks:
        # "I called the school and left a message": the first thing by itself is done as well.
        for thing in dict.fromkeys((what, what.split(" and ")[0])):
            is_whole = _is_its_work(verb, thing, match["particle"] or "", task.text)
            if is_whole is not None:
                found.append((task, is_whole))
                break
    return found


def _is_told_of(verb: str, what: str) -> bool:
    """Whether ``what`` is some one thing: "I cleaned the garage", not "I cleaned"."""
    thing = stems(what)
    if re.match(r"to (?!the |my |our )[a-z]", what):
        return False  # "I tried to fix the bike"
    if _PLAIN_VERB.match(verb) or verb in _FINISHES:
        return bool(thing)
    return bool(thing) and (len(thing) > 1 or _DEFINITE.match(what) is not None or _NEW_THING.match(what) is not None)


_stems_of = lru_cache(maxsize=64)(stems)


@lru_cache(maxsize=4_000)
def _asked(task: str) -> tuple[str, frozenset[str]]:
    """A task without what leads it in and when it is due, and its content words."""
    text = _DUE.sub(" ", opening(task))
    return text, stems(text)


def _is_its_work(verb: str, what: str, particle: str, task: str) -> bool | None:
    """Whether a task is done with this: wholly told, told but for what may be meant, or (None) not at all."""
    text, asked = _asked(task)
    thing = _stems_of(particle + what)
    if not thing <= asked or change_limits.stays_open(opening(task), what):
        return None
    if verb in _FINISHES:
        return True if asked - thing <= _TO_FINISH else None
    did = stem(_PRESENT.get(verb, verb))
    if not _is_what_it_asks_for(did, text):
        return None
    left = asked - thing - _TO_FINISH - {did}
    if not left:
        return True
    if change_limits.lists_several(text) or not _DEFINITE.match(what) or what[:1].isupper():
        return None
    return False if _may_be_meant(text, did, thing, left) else None


def _is_what_it_asks_for(did: str, task: str) -> bool:
    """Whether this verb is the first that a task says: "I need to move", not "help Anna move"."""
    words = re.findall(r"[\w'’-]+", task)
    for word, following in zip(words, [*words[1:], ""], strict=True):
        told = stems(word)
        if did in told and not (did in _LEADS or following.casefold() == "to" and did == "plan"):
            return True
        if not told <= _LEADS | {"plan"}:
            return False
    return False


def _may_be_meant(task: str, did: str, thing: frozenset[str], left: frozenset[str]) -> bool:
    """Whether the words ``left`` stand behind the thing ("the hotel in Graz") or before its article ("Anna the
    contract").
    """
    words = re.findall(r"[\w'’-]+", task)
    at = [place for place, word in enumerate(words) if stems(word) and stems(word) <= thing]
    if not at:
        return False
    opens = [
        place
        for place in range(at[0] + 1)
        if words[place].casefold() in ("the", "my", "our", "a", "an") or did in stems(words[place])
    ]
    if any(stems(word) & left for word in words[max(opens, default=0) : at[-1] + 1]):
        return False  # "the May rent", "Thursday's appointment"
    behind = [place for place in range(at[-1] + 1, len(words)) if stems(words[place]) & left]
    if not behind:
        return True
    return words[at[-1] + 1].casefold() in _OF_ITSELF and not any(
        word.casefold() in _LINKS - _OF_ITSELF for word in words[at[-1] + 1 :]
    )


def _thing_of(task: Sentence) -> frozenset[str]:
    return _asked(task.text)[1] - _TO_FINISH
