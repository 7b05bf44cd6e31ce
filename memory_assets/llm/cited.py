"""Whether a line that a model wrote says what it cites, and nothing else: of a file, of a description. Pure.

Judged are its names, numbers, days, denials and conditions, whether it names who speaks and who is spoken of, and that
it has no words of its own. These checks compare forms, and fail in doubt: a line that fails is replaced by the memory's
own words. They don't see who does what to whom.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from memory_assets.clock import MONTHS
from memory_assets.llm.local.days import days_in, without_days
from memory_assets.text import content as words
from memory_assets.text import when
from memory_assets.text.words import POSSESSIVE, SENTENCE_END, UNSPACED_RUN, WORD

LONGEST = 300
MOST_CITED = 8
COVERED_SHARE, ORDERED_SHARE = 0.5, 0.75
"""A line that cites a memory has at least this share of its content, or of a standing instruction's."""
_FIRST_OR_SECOND = re.compile(
    r"\b(?:I|[Mm](?:e|y|ine|yself)|[Ww]e|us|[Oo]ur(?:s|selves)?|[Yy]ou(?:rs?|rself|rselves)?)\b"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DENIED_WORDS = 5
_COUNTED_WORDS = 2
_CONDITION_WORDS = 8
_CONDITIONAL = re.compile(
    r"\b((?i:if|unless|whether|provided|supposing|when(?:ever)?|while|until|till|once|before|after|except|only"
    r"|would|might|could|maybe|perhaps|possibly|probably|likely|presumably|apparently|supposedly|allegedly|reportedly"
    r"|thinks?|thought|believe[sd]?|guess(?:es|ed)?|suppose[sd]?|assume[sd]?|suspect(?:s|ed)?|doubt(?:s|ed)?"
    r"|seem(?:s|ed)?)|may)(?:\b|(?=n['’]t))|(['’]d)\b"
)
"""When and within which limits something holds, whether it may, and that it is only held to be so."""
_ONLY_POSSIBLE = re.compile(
    r"(?:\b(?:to|would|might|may|could|should|must|can|will|shall)|['’](?:d|ll))\s+(?:not\s+)?([^\W\d_]+)"
)
"""What is meant, wished or expected, and need not be so: the word right behind these."""
_GRAMMAR = frozenset(
    """
    a an the and of in on at to as that this these which who whose is are was were be been being has
    have had having do does did doing don't doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't he she it
    they him her them his hers its their theirs himself herself itself themselves there where say says said no not
    """.split()
)
"""What a line may add to the words of others: it says nothing by itself, or is judged as a denial."""
_PLURAL = re.compile(r"(?<=[^\W\d_]{2})(?:(?<=[xzo])es|(?<=[sc]h)es|(?<=ss)es|(?<![sui])s)$")


@dataclass(frozen=True)
class Cited:
    """A memory as a composed line cites it: its words, whose they are (``is_owners``: the file's owner's), the day
    (``YYYY-MM-DD``) they are of, and whether they must always hold (``is_standing``).
    """

    ref: str
    memory_id: str
    section: str
    text: str
    said_by: str | None = None
    day: str | None = None
    rest_superseded_by: str | None = None
    is_owners: bool = False
    is_standing: bool = False

    @cached_property
    def on(self) -> date | None:
        """Its day."""
        return date.fromisoformat(self.day) if self.day else None

    @property
    def meant(self) -> tuple[str, ...]:
        """The dates that it means by "yesterday" and the like."""
        return tuple(meant for _, meant in when.notes_of(self.text, self.on))

    @property
    def says(self) -> str:
        """Its words with whose they are, and the dates that it means."""
        return " ".join((self.said_by or "", self.text, *self.meant))


def fault(text: str, cited: Sequence[Cited]) -> str | None:
    """Why a line does not follow from what it cites; None where it does."""
    if not any(map(str.isalnum, text)):
        return "says nothing in words"
    if len(text) > LONGEST:
        return f"longer than {LONGEST} characters"
    if len(cited) > MOST_CITED:
        return f"rests on more than {MOST_CITED} memories"
    if found := _FIRST_OR_SECOND.search(text):
        return f"not in the third person ({found[0]!r})"
    return next(filter(None, _faults(text, cited)), None)


def covers(text: str, one: Cited, owner: str = "") -> bool:
    """Whether a line says a memory: at least half of its content, by its words. That somebody is named says nothing."""
    wanted = _read(one.text) - _read(f"{owner} {one.said_by or ''}")
    return len(wanted & _read(text)) >= max(1, COVERED_SHARE * len(wanted))


def _faults(text: str, cited: Sequence[Cited]) -> Iterator[str | None]:
    yield _unnamed_speaker(text, cited)
    yield _foreign_day(text, cited)
    yield _foreign_name(text, cited)
    yield _foreign_number(text, cited)
    yield _turned_denial(text, cited)
    yield _unnamed_subject(text, cited)
    yield _turned_condition(text, cited)
    yield _cut_instruction(text, cited)
    yield _own_words(text, cited)


def _read(text: str) -> frozenset[str]:
    return words.content_words(without_days(text))


def _foreign_name(text: str, cited: Sequence[Cited]) -> str | None:
    """A capitalised word that none of them says. At the beginning of a sentence common words may be capitalised."""
    known = {word for one in cited for word in _words(one.says) | _dated(one)}
    for sentence in SENTENCE_END.split(without_days(text)):
        for place, match in enumerate(WORD.finditer(sentence)):
            word = POSSESSIVE.sub("", match[0])
            is_common = place == 0 and (word.casefold() in words.STOP_WORDS or _read(word) <= _said(cited))
            if any(map(str.isupper, word)) and word.casefold() not in known and not is_common:
                return f"names {word!r}, which nothing that it cites does"
    return None


def _said(cited: Sequence[Cited]) -> frozenset[str]:
    return _read(" ".join(one.says for one in cited))


def _foreign_number(text: str, cited: Sequence[Cited]) -> str | None:
    """A number that none of them says, or that counts something else than where they say it."""
    said = [pair for one in cited for pair in _counted(one.says)]
    years = {str(one.on.year) for one in cited if one.on}
    for number, counts in _counted(without_days(text)):
        theirs = [what for other, what in said if other == number]
        if not theirs and number not in years:
            return f"says {number}, which nothing that it cites does"
        if len(number) < 4 and counts and all(theirs) and not any(counts & what for what in theirs):
            return f"counts something else by {number} than what it cites"
    return None


def _counted(text: str) -> list[tuple[str, frozenset[str]]]:
    """Each number in a text with the words that follow it: what it counts."""
    tokens = [match[0] for match in re.finditer(rf"{_NUMBER.pattern}|{WORD.pattern}|[.,;:!?]", text)]
    found = []
    for place, token in enumerate(tokens):
        number = when.NUMBERS.get(token.casefold()) if token.casefold() != "one" else None
        written = _NUMBER.search(token)
        if number is not None or written:
            value = str(number) if number is not None else written[0].replace(",", "") if written else ""
            behind = " ".join(tokens[place + 1 : place + 1 + _COUNTED_WORDS])
            found.append((value, _read(re.split(r"[.,;:!?]", behind)[0])))
    return found


def _turned_denial(text: str, cited: Sequence[Cited]) -> str | None:
    """A denial that none of them says, or one of theirs that the line leaves out."""
    mine, whole = _denied(text), _read(text)
    theirs = [_denied(one.text) for one in cited]
    every = [what for denied in theirs for what in denied]
    if any(not any(not what or what & other for other in every) for what in mine):
        return "denies what nothing that it cites denies"
    if not mine and (theirs and all(theirs) or any(what & whole for what in every)):
        return "leaves out a denial"
    if any(what & whole and not any(what & other for other in mine) for what in every):
        return "leaves out a denial"
    return None


def _denied(text: str) -> list[frozenset[str]]:
    return [_read(" ".join(behind.split()[:_DENIED_WORDS])) for behind in words.denied(text)]


def _turned_condition(text: str, cited: Sequence[Cited]) -> str | None:
    """An "if" or "might" that the line adds, or leaves out of what it covers; or as done what is only intended."""
    mine, theirs = _conditions(text), [pair for one in cited for pair in _conditions(one.text)]
    if added := sorted(word for word, what in mine if not _is_among(word, what, theirs)):
        return f"adds {added[0]!r} to what it cites"
    ordered = [one.text for one in cited if one.is_standing]
    for sentence in (*_covered_sentences(text, cited), *ordered):
        if lost := sorted(word for word, what in _conditions(sentence) if not _is_among(word, what, mine)):
            return f"leaves out {lost[0]!r}"
    said = " ".join(one.text for one in cited)
    possible = _possible(said) - _forms(_ONLY_POSSIBLE.sub(" ", said))
    turned = sorted(possible & _forms(_ONLY_POSSIBLE.sub(" ", text)))
    return f"says as a fact what is only meant by {turned[0]!r} in what it cites" if turned else None


def _conditions(text: str) -> list[tuple[str, frozenset[str]]]:
    """Each word of condition or doubt, with what it is said of: the words behind it."""
    bare = without_days(text)
    return [
        (_form(match[1]) if match[1] else "would", _read(" ".join(bare[match.end() :].split()[:_CONDITION_WORDS])))
        for match in _CONDITIONAL.finditer(bare)
    ]


def _is_among(word: str, what: frozenset[str], others: Iterable[tuple[str, frozenset[str]]]) -> bool:
    """Whether the same condition is said of the same."""
    return any(word == other and (not what or not theirs or what & theirs) for other, theirs in others)


def _cut_instruction(text: str, cited: Sequence[Cited]) -> str | None:
    """A standing instruction of which the line leaves out a day, a number, or more than a little of the rest."""
    said, mine = _read(text), {number for number, _ in _counted(text)}
    for one in (one for one in cited if one.is_standing):
        days = {*days_in(one.text, one.on)} - {*days_in(text, one.on)}
        numbers = {number for number, _ in _counted(without_days(one.text))} - mine
        if lost := sorted(numbers | {day.isoformat() for day in days}):
            return f"leaves out {lost[0]} of a standing instruction"
        wanted = _read(one.text)
        if len(wanted & said) < ORDERED_SHARE * len(wanted):
            return "leaves out too much of a standing instruction"
    return None


def _possible(text: str) -> set[str]:
    return {_form(word) for word in _ONLY_POSSIBLE.findall(text) if word.islower() and word not in _GRAMMAR}


def _own_words(text: str, cited: Sequence[Cited]) -> str | None:
    """A word that none of them says in this form; the third person's "s" and a plural's don't count."""
    known = {form for one in cited for form in _forms(one.says) | _dated(one)}
    unspaced = _said(cited)
    for match in WORD.finditer(without_days(text)):
        word = POSSESSIVE.sub("", match[0]).casefold().replace("’", "'")
        if word in _GRAMMAR or word in when.NUMBERS or any(map(str.isdigit, word)) or _conditions(word):
            continue
        if _form(word) not in known and not (UNSPACED_RUN.search(word) and _read(word) <= unspaced):
            return f"says {word!r}, which nothing that it cites does"
    return None


def _forms(text: str) -> set[str]:
    return {_form(word) for word in _words(text)}


def _form(word: str) -> str:
    """A word without the "s" of the third person or a plural."""
    folded = word.casefold().replace("’", "'")
    return f"{folded[:-3]}y" if folded.endswith("ies") and len(folded) > 4 else _PLURAL.sub("", folded)


def _unnamed_speaker(text: str, cited: Sequence[Cited]) -> str | None:
    """Whose words it cites is named in the line; the owner need not be, but for words of themselves."""
    named = _words(text)
    for one in cited:
        is_needed = one.said_by and (not one.is_owners or _FIRST_OR_SECOND.search(one.text))
        if is_needed and not named & _names(one.said_by or ""):
            return f"does not name {one.said_by}, whose words it cites"
    return None


def _unnamed_subject(text: str, cited: Sequence[Cited]) -> str | None:
    """The name that a covered sentence opens with, missing in the line; or all names of a covered sentence."""
    mine = _words(text)
    for one in cited:
        for sentence in _covered_sentences(text, [one]):
            tokens = WORD.findall(_without_times(sentence, one.on))
            names = {POSSESSIVE.sub("", token) for token in tokens if token[0].isupper()}
            names = {name for name in names if name.casefold() not in words.STOP_WORDS}
            opening = POSSESSIVE.sub("", tokens[0]) if tokens else ""
            if opening in names and _form(opening) not in _forms(text):
                return f"does not name {opening!r}, of which it tells"
            if names and not mine & ({name.casefold() for name in names} | _names(one.said_by or "")):
                return f"names nobody, where what it cites names {min(names)!r}"
    return None


def _covered_sentences(text: str, cited: Sequence[Cited]) -> Iterator[str]:
    """The sentences of which a line says something besides names."""
    mine = _read(text)
    for one in cited:
        for sentence in SENTENCE_END.split(one.text):
            if mine & _read(" ".join(word for word in WORD.findall(sentence) if not word[0].isupper())):
                yield sentence


def _without_times(sentence: str, on: date | None) -> str:
    for said, _ in when.notes_of(sentence, on):
        sentence = sentence.replace(said, " ", 1)
    return without_days(sentence)


def _foreign_day(text: str, cited: Sequence[Cited]) -> str | None:
    """A day that none of them names or is of; or one given as "yesterday", of words of several days."""
    own = {one.on for one in cited}
    newest = max((day for day in own if day), default=None)
    if len(own) > 1 and when.notes_of(text, newest):
        return "tells a day by another one, of words of several days"
    named = {day for one in cited for said in (one.text, *one.meant) for day in days_in(said, one.on)}
    foreign = next((day for day in days_in(text, newest) if day not in named | own), None)
    return f"names {foreign.isoformat()}, which nothing that it cites does" if foreign else None


def _words(text: str) -> set[str]:
    return {POSSESSIVE.sub("", match[0]).casefold() for match in WORD.finditer(text)}


def _names(name: str) -> set[str]:
    """The words by which somebody may be called."""
    return _words(name) - words.STOP_WORDS or _words(name)


def _dated(one: Cited) -> set[str]:
    """The month of its day, as it may be written."""
    return {MONTHS[one.on.month - 1].casefold()} if one.on else set()
