"""Whether a sentence is understood by itself: it says who does what, and nothing in it points outside. Pure.

A sentence points outside where a pronoun, or a bare "this" or "there", comes before anything in it that could be meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from memory_assets.llm.local.gazetteer import pronoun_of
from memory_assets.llm.local.language import Parsed, Span, Token

FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_HELPING = frozenset({"do", "have", "be"})
_ONE = frozenset("it its itself this that".split())
_SEVERAL = frozenset("they them 'em their theirs themselves these those".split())
_PERSON = dict.fromkeys("he him his himself".split(), "he") | dict.fromkeys("she her hers herself".split(), "she")
PERSONS = frozenset(_PERSON)
_PLACE = frozenset({"here", "there"})
TIMES = frozenset(
    "moment time morning afternoon evening night day week weekend month quarter season spring summer autumn fall "
    "winter year decade century".split()
)
"""What "this" says when of, not which."""
_INDEFINITE = frozenset("everyone everybody someone somebody anyone anybody who people".split())
NO_PERSON = frozenset("DATE TIME GPE ORG LOC FAC EVENT WORK_OF_ART LAW PRODUCT MONEY PERCENT QUANTITY".split())
WHEN = frozenset({"DATE", "TIME"})
_ASIDES = frozenset({("you", "know"), ("you", "see"), ("i", "mean")})
"""Asides to the listener that say nothing."""
_QUOTATION = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»')


def quoted(parsed: Parsed) -> frozenset[int]:
    """The places of the words between quotation marks."""
    spans = [(match.start(), match.end()) for match in _QUOTATION.finditer(parsed.text)] if parsed.tokens else []
    if not spans:
        return frozenset()
    return frozenset(
        at for at, token in enumerate(parsed.tokens) if any(start <= token.start < end for start, end in spans)
    )


def opening(tokens: tuple[Token, ...], *, is_order: bool = False) -> int:
    """How many words only open the sentence: interjections, conjunctions and asides, with the mark behind them, and
    whom a message is for, but in an order, which is theirs to follow.
    """
    at = 0
    while at < len(tokens):
        if is_aside(tokens, at):
            at += 3
        elif (
            tokens[at].tag in {"UH", "CC"}
            and not _denies(tokens, at)
            or not is_order
            and is_mention(tokens, at)
            or at
            and tokens[at].tag in {",", ":"}
        ):
            at += 1
        else:
            break
    return at if at < len(tokens) and not (tokens[0].tag == "CC" and tokens[0].lower in {"either", "both"}) else 0


def _denies(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether "no" belongs to what follows: "no dashes please", but not "No, I ..."."""
    return tokens[at].lower == "no" and tokens[at + 1 : at + 2] != () and tokens[at + 1].pos != "PUNCT"


def is_mention(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a message says here whom it is for: "@Ana:", "@Ana we ...", but not "@Ana and I" nor "@Ana has"."""
    if not tokens[at].text.startswith("@") or at + 1 == len(tokens):
        return False
    following = tokens[at + 1]
    return following.tag in {",", ":"} or following.tag not in {*FINITE, "CC", "POS"}


def is_aside(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether "you know," begins here: what it says is behind it."""
    words = tuple(token.lower for token in tokens[at : at + 3])
    return words[:2] in _ASIDES and words[2:] == (",",)


def children(tokens: tuple[Token, ...], at: int, deps: Collection[str]) -> list[int]:
    """The places of the words that depend on one in one of these ways, in order."""
    return [place for place, token in enumerate(tokens) if token.head == at and place != at and token.dep in deps]


def above(tokens: Sequence[Token], place: int) -> list[int]:
    """A word and all that it depends on, the nearest first."""
    found = [place]
    while tokens[found[-1]].head not in found:
        found.append(tokens[found[-1]].head)
    return found


def is_sentence(tokens: tuple[Token, ...], *, is_order: bool) -> bool:
    """Whether somebody is said to do something: a finite verb with a subject, and more than "I do"."""
    root = next((place for place, token in enumerate(tokens) if token.dep == "ROOT"), None)
    if root is None or tokens[0].tag == "JJ" and tokens[0].dep not in {"amod", "compound", *SUBJECTS}:
        return False
    marks = children(tokens, root, {"mark"})
    if marks and not any(token.dep in SUBJECTS for token in tokens[: marks[0]]):
        return False  # "Because it rained."
    subjects = children(tokens, root, SUBJECTS)
    if subjects and tokens[subjects[0]].tag == "WDT":
        return False  # "Which closed in May."
    if is_order and (subjects or tokens[root].tag not in {"VBD", "VBZ", "VBG", "VBN"}):
        return len(tokens) > root + 2 or tokens[root].lemma not in _HELPING
    helpers = children(tokens, root, {"aux", "auxpass"})
    if tokens[root].tag not in FINITE and not any(tokens[place].tag in FINITE for place in helpers):
        return False
    if not subjects:
        return False
    if tokens[root].lemma.strip("-") in _HELPING or tokens[root].tag == "MD":
        rest = {token.dep for place, token in enumerate(tokens) if token.head == root and place != root}
        return not rest <= SUBJECTS | {"punct", "neg", "cc", "intj", "advmod", "conj", "dep", "npadvmod"}
    return True


def asks(tokens: tuple[Token, ...], start: int) -> bool:
    """Whether a sentence asks, with or without its mark: "how can I"."""
    if any(token.text.startswith("?") for token in tokens[-2:]):
        return True
    root = next((place for place, token in enumerate(tokens) if token.dep == "ROOT"), 0)
    if not tokens:
        return False
    subjects = children(tokens, root, SUBJECTS)
    helpers = [*children(tokens, root, {"aux", "auxpass"}), root]
    is_open = tokens[start].tag in {"WRB", "WP", "WDT"} or start in helpers
    return is_open and bool(subjects) and start != subjects[0] and helpers[0] < subjects[0]


def pointing(parsed: Parsed, ignored: Collection[int], known: Collection[str] = (), since: int = 0) -> int | None:
    """The first word ``since`` a place that means something said before, or None. The ``known`` may be "they"."""
    return next(_pointing(parsed, ignored, known, since), None)


def together(one: Parsed, other: Parsed) -> Parsed:
    """Two sentences as one text."""
    words, characters = len(one.tokens), len(one.text) + 1
    tokens = (
        replace(token, start=token.start + characters, end=token.end + characters, head=token.head + words)
        for token in other.tokens
    )
    names = (Span(name.start + words, name.end + words, name.label) for name in other.names)
    return Parsed(f"{one.text} {other.text}", (*one.tokens, *tokens), (*one.names, *names))


_LISTENER = frozenset("you your yours yourself yourselves".split())
_SPEAKER = frozenset("i me my mine myself we us our ours ourselves".split())


def points_outside(parsed: Parsed) -> bool:
    """Whether something in it means what was said before, or more is to come."""
    return parsed.text.rstrip().endswith(":") or pointing(parsed, quoted(parsed)) is not None


def talks(parsed: Parsed) -> bool:
    """Whether it means the speaker or the listener."""
    return _means(parsed, _SPEAKER | _LISTENER)


def addresses(parsed: Parsed) -> bool:
    """Whether it asks, or means the listener."""
    return asks(parsed.tokens, 0) or _means(parsed, _LISTENER)


def _means(parsed: Parsed, words: Collection[str]) -> bool:
    ignored = quoted(parsed)
    return any(
        token.lower in words and token.tag in {"PRP", "PRP$"} and place not in ignored
        for place, token in enumerate(parsed.tokens)
    )


def _pointing(parsed: Parsed, ignored: Collection[int], known: Collection[str], since: int) -> Iterator[int]:
    tokens = parsed.tokens
    for place in range(since, len(tokens)):
        if place in ignored or not _points(tokens, place):
            continue
        before = [at for at in range(place) if at not in ignored]
        if tokens[place].lower in _SEVERAL and any(tokens[at].text in known for at in before):
            continue
        if tokens[place].dep == "det" or not any(
            _may_mean(parsed, place, at) for at in before if not _is_beside(tokens, place, at)
        ):
            yield place


def _points(tokens: tuple[Token, ...], place: int) -> bool:
    token = tokens[place]
    if token.lower in _PLACE:
        return token.tag == "RB" and token.dep != "expl"
    if token.lower in {"this", "that", "these", "those"}:
        if token.tag != "DT" or any(other.text == ":" for other in tokens[place:]):
            return False  # "remember this: ..." says it
        if not token.dep:  # nobody has asked what depends on what
            return place == 0 or tokens[place + 1 :][:1] == () or tokens[place + 1].pos not in {"NOUN", "PROPN", "ADJ"}
        return token.dep != "det" or tokens[token.head].lemma not in TIMES | {tokens[at].lemma for at in range(place)}
    return token.tag in {"PRP", "PRP$"} and token.lower in _ONE | _SEVERAL | _PERSON.keys()


def _is_beside(tokens: tuple[Token, ...], place: int, at: int) -> bool:
    """Whether a pronoun cannot mean a noun: it is what the noun does something to ("a friend made it"), or a part of
    what is said of it ("an example of how to use it", "Ben is her brother").
    """
    above = tokens[place].head
    while tokens[place].tag == "PRP" and above != tokens[above].head and above != at:
        above = tokens[above].head
    if tokens[place].tag == "PRP" and above == at:
        return True
    if tokens[place].dep == "poss" and tokens[tokens[place].head].dep == "attr":
        place = tokens[place].head
    is_object = tokens[place].dep in {"dobj", "dative", "attr"}
    at = tokens[at].head if tokens[at].dep == "appos" else at
    if is_object and tokens[at].dep in SUBJECTS and tokens[at].head == tokens[place].head:
        return True
    is_shown = tokens[place].lower in {"this", "that", "these", "those", *_PLACE} and tokens[place].dep != "det"
    is_behind = tokens[place].dep == "pobj" and tokens[at].dep in {"dobj", "pobj"}  # "put work into it"
    return (is_shown or is_behind) and _clause_of(tokens, place) == _clause_of(tokens, at)


def _clause_of(tokens: tuple[Token, ...], place: int) -> int:
    """The nearest verb that a word depends on."""
    while tokens[place].pos not in {"VERB", "AUX"} and tokens[place].head != place:
        place = tokens[place].head
    return place


def _may_mean(parsed: Parsed, place: int, at: int) -> bool:
    """Whether a pronoun can mean the noun at a place before it."""
    tokens = parsed.tokens
    noun, word = tokens[at], tokens[place].lower
    if word in _SEVERAL and noun.lower in _INDEFINITE:
        return True
    if noun.pos not in {"NOUN", "PROPN"} or noun.dep in {"npadvmod", "compound"}:
        return False
    opens = not any(token.tag in FINITE or token.tag == "VB" and token.dep == "ROOT" for token in tokens[:place])
    if opens and tokens[place].dep in SUBJECTS and noun.dep not in SUBJECTS:
        return False  # "in the garden it was quiet"
    name = next((name for name in parsed.names if name.start <= at < name.end), None)
    label = name.label if name else ""
    if label in WHEN:
        return False
    is_plural = noun.tag in {"NNS", "NNPS"}
    if word in _SEVERAL:
        return is_plural or any(tokens[other].pos in {"NOUN", "PROPN"} for other in children(tokens, at, {"conj"}))
    if word in _PERSON:
        return not is_plural and label not in NO_PERSON and fits(tokens[name.start if name else at].text, word)
    return word not in _ONE or not is_plural and label != "PERSON"


def fits(name: str, pronoun: str) -> bool:
    """Whether somebody of this name may be "he" or "she": unless all who are called so are known to be the other."""
    return pronoun_of(name.split()[0]) in {None, _PERSON[pronoun]}
