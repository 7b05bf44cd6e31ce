"""What a statement says happened, cut to a title: "The hysteresis rule is live in Tidewatch". Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memory_assets.llm.local.language import Parsed, Token
from memory_assets.llm.local.lexicon import TIME_NOUNS
from memory_assets.llm.local.matters import NOMINAL, capital
from memory_assets.llm.local.restating import RECIPIENT
from memory_assets.llm.local.standalone import FINITE, SUBJECTS, WHEN

LONGEST_EVENT = 18
"""So many words has what happened at most."""
_CLAUSE_ENDS = frozenset({"PUNCT", "CCONJ"})
"""What a title may end before: an "if" or a "because" is part of what is said."""
_MEANWHILE = frozenset("after before since until when while".split())
PARTICIPANTS = frozenset("i me my mine we us our ours you your yours".split())
"""Words for those who speak with each other: nobody outside knows who they are."""
_TIES = frozenset("also already anyway even finally just now really so still then too".split())
"""What ties a statement to a talk; without another adverb ("always", "only") it would say something else."""


class Event(NamedTuple):
    """What a statement says happened, cut to a title; its names, nouns, adjectives and numbers, as they are written and
    their lemmas; the lemmas of its nouns; of these and its names those that a verb says something of, and those that it
    is done to, with what these are like ("Ana sold the old boat"); the words of the name that it begins with, folded,
    and what it says of that ("held a game"), both empty where it begins with none.
    """

    text: str
    words: frozenset[str]
    things: frozenset[str]
    about: frozenset[str]
    objects: frozenset[str]
    subject: tuple[str, ...]
    predicate: str


def event_of(parsed: Parsed) -> Event | None:
    """What a statement says happened: a named subject, a verb, and what it is about; None where the statement has no
    such beginning. A day that leads it in, and what only ties it to a talk ("also", "just"), is left out.
    """
    tokens = parsed.tokens
    times = {at for name in parsed.names if name.label in WHEN for at in range(name.start, name.end)}
    headed = _behind_heading(tokens)
    begin = next((at for at in range(headed, len(tokens)) if not _leads_in(tokens, at, times)), headed)
    verb = next((at for at in range(begin, len(tokens)) if tokens[at].tag in FINITE), begin)
    if not _is_subject(tokens[begin:verb]):
        return None
    until = _until_when(parsed, verb)
    if until < len(tokens) and tokens[verb].lemma == "be" and tokens[verb + 1].tag not in {"VBG", "VBN"}:
        return None  # "is on a boat on Saturday" says nothing without its day
    ends = [at for at in range(verb + 2, until + 1) if _may_end(tokens, verb, at, until)]
    fitting = [at for at in ends if at - begin <= LONGEST_EVENT]
    clauses = [
        at for at in fitting if at == until or tokens[at].pos in _CLAUSE_ENDS or _is_meanwhile(tokens, at, times)
    ]
    end = min(clauses, default=max(fitting, default=0))
    words = [tokens[at] for at in range(begin, end) if not _ties(tokens, at) and not _is_when(tokens, at, verb, times)]
    if not words or any(token.tag == "PRP" or token.lower in PARTICIPANTS for token in words):
        return None
    text = _once_named(_joined_words(parsed, words), words)
    if RECIPIENT in text.casefold() or _is_broken(words):
        return None
    said = [token for token in words if token.pos in NOMINAL | {"NUM"} and not token.is_stop]
    forms = frozenset(form for token in said for form in (token.lower, token.lemma.casefold()))
    about = [at for at in range(begin, end) if tokens[at] in said and _is_said_of(tokens, at)]
    objects = [
        at
        for at in about
        if tokens[at].dep == "dobj" and tokens[at].pos in NOMINAL and tokens[at].lemma not in TIME_NOUNS
    ]
    objects += [
        at for at in range(begin, end) if tokens[at].pos == "ADJ" and tokens[at].head in objects and tokens[at] in said
    ]
    return Event(
        capital(text),
        forms,
        frozenset(token.lemma.casefold() for token in said if token.pos == "NOUN"),
        frozenset(tokens[at].lemma.casefold() for at in about),
        frozenset(tokens[at].lemma.casefold() for at in objects),
        *_predicated(parsed, text, words),
    )


def _is_said_of(tokens: Sequence[Token], at: int) -> bool:
    """Whether a verb says something of a word: of the show, not of the art, in "Ana held an art show for friends"; of
    the boat in "the sale of the boat fell through", and in "the boat sale fell through".
    """
    while tokens[at].head != at and (tokens[at].dep in {"conj", "pobj"} or tokens[at].lower == "of"):
        at = tokens[at].head
    is_of_subject = tokens[at].dep == "compound" and tokens[tokens[at].head].dep in SUBJECTS
    return is_of_subject or tokens[at].dep == "nsubj" or tokens[tokens[at].head].pos in {"VERB", "AUX"}


def _predicated(parsed: Parsed, text: str, words: Sequence[Token]) -> tuple[tuple[str, ...], str]:
    """The words of the name that a title begins with, and what is said of it: "held a game", "planning a show"."""
    verb = next(at for at, token in enumerate(words) if token.tag in FINITE)
    named = _joined_words(parsed, words[:verb])
    is_name = all(token.pos == "PROPN" or token.text == "-" for token in words[:verb])
    if not is_name or not text.startswith(f"{named} "):
        return (), ""
    said = text.removeprefix(f"{named} ")
    if words[verb].lemma == "be" and verb + 1 < len(words) and words[verb + 1].tag == "VBG":
        said = said.removeprefix(f"{words[verb].text} ")
    subject = (token for token in words[:verb] if token.pos == "PROPN")
    return tuple(word for token in subject for word in token.lower.split("-")), said


def _behind_heading(tokens: Sequence[Token]) -> int:
    """Where the statement behind a heading begins ("Decision of today's weekly: the launch moves")."""
    colon = next((at for at, token in enumerate(tokens) if token.text == ":"), None)
    # "For everyone who missed the weekly:" has a verb, and says nothing by it.
    is_heading = colon is not None and (
        not any(token.tag in FINITE for token in tokens[:colon])
        or (tokens[0].pos == "ADP" and any(token.tag in FINITE for token in tokens[colon:]))
    )
    return colon + 1 if colon is not None and is_heading and colon + 1 < len(tokens) else 0


def _leads_in(tokens: Sequence[Token], at: int, times: set[int]) -> bool:
    """Whether a word before all else says when, or ties a statement to a talk ("Yesterday,", "Just last week")."""
    is_before_time = tokens[at].pos == "ADP" and at + 1 in times
    return at in times or is_before_time or tokens[at].pos == "PUNCT" or _ties(tokens, at)


def _ties(tokens: Sequence[Token], at: int) -> bool:
    """Whether an adverb ties a statement to a talk ("also", "more into it" than what?), and is no part of its verb."""
    token = tokens[at]
    is_of_verb = at > 0 and tokens[at - 1].pos == "VERB"
    is_compared = any(one.lower == "than" for one in tokens[at:])
    is_more = token.lower == "more" and at + 1 < len(tokens) and tokens[at + 1].pos == "ADP" and not is_compared
    return (is_more or (token.lower in _TIES and token.dep == "advmod")) and not is_of_verb


def _is_meanwhile(tokens: Sequence[Token], at: int, times: set[int]) -> bool:
    """Whether a word begins another clause of its time, and no day ("until 31 March 2027")."""
    return tokens[at].lower in _MEANWHILE and at + 1 not in times


def _is_when(tokens: Sequence[Token], at: int, verb: int, times: set[int]) -> bool:
    """Whether a word before the verb says when by the day of its statement ("the race yesterday took three hours")."""
    is_leaning = not any(letter.isdigit() for letter in tokens[at].text)
    return at < verb and at in times and tokens[at].dep in {"npadvmod", "advmod"} and is_leaning


def _joined_words(parsed: Parsed, words: Sequence[Token]) -> str:
    """Words as they are in a text, without what is left out between them."""
    pieces: list[str] = []
    end = -1
    for token in words:
        between = parsed.text[end : token.start] if end >= 0 else ""
        gap = between if not between.strip() else "" if token.pos == "PUNCT" else " "
        pieces += [gap if pieces else "", parsed.text[token.start : token.end]]
        end = token.end
    return "".join(pieces).rstrip(" .,;:!")


def _once_named(text: str, words: Sequence[Token]) -> str:
    """A title without the name of whom it begins with said again: "Ana painted their boat", not "Ana's"."""
    name = words[0].text
    is_name = words[0].pos == "PROPN" and (len(words) == 1 or words[1].tag not in {"POS", "CC"})
    return name + re.sub(rf"\b{re.escape(name)}['’]s(?= )", "their", text[len(name) :]) if is_name else text


def _is_broken(words: Sequence[Token]) -> bool:
    """Whether a quotation, a parenthesis or a clause ("while Ana") has begun in the words and does not end there."""
    joins = max((at for at, token in enumerate(words) if token.pos == "SCONJ"), default=None)
    is_open = joins is not None and not any(token.tag in FINITE for token in words[joins:])
    signs = Counter(sign for token in words for sign in token.text)
    return is_open or signs['"'] % 2 == 1 or signs["("] != signs[")"]


def _until_when(parsed: Parsed, since: int) -> int:
    """Where a statement says a time that leans on its day ("tomorrow"): a title has none."""
    leaning = (
        name.start
        for name in parsed.names
        if name.label in WHEN
        and name.start > since + 1  # "took fourteen minutes" says it of the race, not when
        and parsed.tokens[name.start - 1].pos != "NUM"  # "10 October", of which the month alone was found
        and not any(letter.isdigit() for token in parsed.tokens[name.start : name.end] for letter in token.text)
    )
    # "last week", where no name of a time was found in it.
    nouns = (
        at
        for at, token in enumerate(parsed.tokens)
        if at > since and token.dep == "npadvmod" and token.lemma in TIME_NOUNS and parsed.tokens[at - 1].pos == "ADJ"
    )
    at = min((*leaning, *nouns), default=len(parsed.tokens))
    while at and at < len(parsed.tokens) and parsed.tokens[at - 1].pos in {"ADJ", "ADP", "DET", "SCONJ"}:
        at -= 1
    return at


def _is_subject(tokens: Sequence[Token]) -> bool:
    """Whether the words before the verb are a name or a thing, and nothing else that a sentence may open with."""
    allowed = {"ADJ", "ADP", "DET", "NOUN", "NUM", "PART", "PROPN", "ADV", "AUX"}
    return (
        any(token.pos in {"NOUN", "PROPN"} for token in tokens)
        and tokens[0].pos in {"DET", "NOUN", "PROPN", "ADJ", "NUM"}
        and all((token.pos in allowed and token.tag != "PRP") or token.text == "-" for token in tokens)
    )


def _may_end(tokens: Sequence[Token], verb: int, at: int, until: int) -> bool:
    """Whether a title may end before a word: behind a noun, a number or the like, where something new begins."""
    said = tokens[verb + 1 : at]
    is_within = at < len(tokens) and tokens[at].start == tokens[at - 1].end and tokens[at].text in {"-", "–", "/"}
    is_compared = at < len(tokens) and tokens[at].lower == "than"
    if at < len(tokens) and (is_within or is_compared or _reaches_on(tokens, verb, at) or _lists_on(tokens, at)):
        return False
    is_clause = at == len(tokens) or (tokens[at].pos in _CLAUSE_ENDS and tokens[at].tag not in {"``", "''"})
    if tokens[at - 1].tag in {"RB", "RP"}:
        return is_clause and tokens[at - 2].pos == "VERB"  # "got pushed back"
    is_noun = tokens[at - 1].pos in {"NOUN", "PROPN", "NUM", "ADJ"} or tokens[at - 1].tag == "NN"  # "nothing"
    if not is_noun and not (is_clause and tokens[at - 1].tag == "VBN"):
        return False
    if not any(token.pos in {"NOUN", "PROPN", "NUM"} for token in said):
        return at == len(tokens)
    return at == until or is_clause or tokens[at].pos == "ADP"


def _reaches_on(tokens: Sequence[Token], verb: int, at: int) -> bool:
    """Whether "from 3 November" goes on "to 10 November"."""
    before = [token.lower for token in tokens[verb:at] if token.lower in {"from", "to"}]
    return tokens[at].lower == "to" and before[-1:] == ["from"]


def _lists_on(tokens: Sequence[Token], at: int) -> bool:
    """Whether a comma or "and" is within a list of things, and begins no clause of its own."""
    if tokens[at].text != "," and tokens[at].pos != "CCONJ":
        return False
    listed = NOMINAL | {"DET", "NUM", "CCONJ"}
    end = next(
        (n for n in range(at, len(tokens)) if tokens[n].pos not in listed and tokens[n].text != ","), len(tokens)
    )
    begins_clause = end < len(tokens) and tokens[end].tag in FINITE
    return not begins_clause and any(token.pos in {"NOUN", "PROPN", "NUM"} for token in tokens[at:end])
