"""Two values of one attribute: sayings that share all their words but for a figure, a day, a place, a person, a denial,
an order. Which predicates have one value at a time is data (``change_forms.tsv``, the rows ``one ...``).

Of a present state a later value supersedes the earlier one; nothing explains two values of one time, of something past,
or a denial: these contradict each other (003, Contradiction Scanner, as design.md corrects it).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from memory_assets.llm.local.change_forms import is_plain
from memory_assets.llm.local.clause_roles import SELF, SUBJECTS, predicates
from memory_assets.llm.local.language import Parsed, Token, table
from memory_assets.llm.local.pair_features import ALIKE, Alignment, stem, stems_of, words_of
from memory_assets.llm.local.standalone import above, children

UNSURE = frozenset(("doubt", "joke", "also", "brief", "partly", "several"))
"""Groups of ``pair_marks.tsv`` whose words leave open whether a text says what it says of the same as another."""
OPPOSITES = "opposites.tsv"
MOST_TOKENS, MOST_LEFT = 30, 4
FIGURE, TIME, PLACE, PERSON, NAME, WORD = "number", "date", "place", "person", "name", "word"
_LABELS = {"GPE": PLACE, "LOC": PLACE, "FAC": PLACE, "PERSON": PERSON, "DATE": TIME, "TIME": TIME}
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS = {word: str(value) for value, word in enumerate(_SMALL)} | {"noon": "12", "dozen": "12"}
_DENIALS = frozenset("not n't never no none nobody nothing neither nor without cannot".split())
_SUPPORT = frozenset("do can any ever somebody someone anybody anyone there yet still already".split())
_ARTICLES = frozenset(("a", "an", "the"))
_DEFINITE = frozenset("the my our your his her their its".split())
_WHERE = frozenset("in at on under behind near beside inside above below".split())
_TURNS = frozenset(map(stem, "before after first last follow precede then prior earlier later".split()))
_TURNED = frozenset(map(frozenset, (("befor", "after"), ("first", "last"), ("earlier", "later"))))
_OBJECTS = frozenset("dobj attr nsubjpass".split())


class Later(StrEnum):
    """What two values that are said on two days mean for each other."""

    CHANGES = "changes"
    """A present state: the later value holds since."""
    CONTRADICTS = "contradicts"
    """Nothing explains both, whenever they are said."""
    ADDS = "adds"
    """What had not happened on one day may have on another."""


class Conflict(NamedTuple):
    """What two texts say otherwise of one thing: its kind, and what a later day makes of that."""

    kind: str
    later: Later


class _Item(NamedTuple):
    """A content word: what it is compared by, of which sort it is, and its place in the text."""

    key: str
    sort: str
    at: int


def may_conflict(found: Alignment) -> bool:
    """Whether two texts share so many of their words that one value may be all that differs."""
    return all(_shares(found, side) for side in (0, 1))


def _shares(found: Alignment, side: int) -> bool:
    words = zip(found.texts[side].words, found.same[side], found.near[side], strict=True)
    shared = [same or near >= ALIKE for word, same, near in words if word.worth > 0]
    rest = shared.count(False)
    return rest <= MOST_LEFT and rest <= shared.count(True) + 1


def conflict(earlier: Parsed, later: Parsed) -> Conflict | None:
    """What two texts of one speaker say otherwise, if that is all that they differ in."""
    if any(len(one.tokens) > MOST_TOKENS or not is_plain(words_of(one.text)[0], UNSURE) for one in (earlier, later)):
        return None
    return next(filter(None, (find(earlier, later) for find in (_denial, _order, _opposite, _values))), None)


def _is_word(token: Token) -> bool:
    return any(map(str.isalnum, token.text)) and token.lower not in _ARTICLES


def _key(token: Token) -> str:
    """What a word is compared by."""
    return _NUMBERS.get(token.lower, stem(token.lemma if token.pos in ("VERB", "AUX") else token.lower))


def _keys(parsed: Parsed, skipped: frozenset[str] = frozenset()) -> list[str]:
    """All words by what they are compared by, without articles and marks."""
    words = (token for token in parsed.tokens if _is_word(token) and skipped.isdisjoint((token.lower, token.lemma)))
    return [_key(token) for token in words]


def _denial(earlier: Parsed, later: Parsed) -> Conflict | None:
    """Whether one says the same as the other but for a denial."""
    denied = [sum(token.lower in _DENIALS for token in one.tokens) for one in (earlier, later)]
    if sorted(denied) != [0, 1]:
        return None
    skipped = _DENIALS | _SUPPORT
    if _keys(earlier, skipped) != _keys(later, skipped) or not _keys(earlier, skipped):
        return None
    # What had not happened on one day may have on another.
    is_dated = any(item.sort == TIME for item in _items(earlier))
    return Conflict("negation", Later.ADDS if _is_past(earlier) and not is_dated else Later.CONTRADICTS)


def _order(earlier: Parsed, later: Parsed) -> Conflict | None:
    """Whether both name the same things in the other order, or the other way round."""
    keys = _keys(earlier), _keys(later)
    one, other = (frozenset(some) for some in keys)
    if one ^ other in _TURNED and [key for key in keys[0] if key in other] == [key for key in keys[1] if key in one]:
        return Conflict("order", Later.CONTRADICTS)
    if sorted(keys[0]) != sorted(keys[1]) or keys[0] == keys[1]:
        return None
    if one & _TURNS:
        return Conflict("order", Later.CONTRADICTS)
    return Conflict("preference", Later.CHANGES) if "prefer" in one else None


@cache
def _opposites() -> Mapping[str, tuple[int, int]]:
    """Each word with the row of its opposites, and its side of that."""
    sides = ((at, side, words) for at, row in enumerate(table(OPPOSITES)) for side, words in enumerate(row))
    return {word: (at, side) for at, side, words in sides for word in words.split()}


def _opposite(earlier: Parsed, later: Parsed) -> Conflict | None:
    """Whether one says the opposite of one word of the other: "is open", "is closed"; "I love it", "I hate it"."""
    spans = _only_span(earlier, later)
    if spans is None or any(len(span) > 1 for span in spans):
        return None
    words = [[token for token in one.tokens if _is_word(token)] for one in (earlier, later)]
    if len(words[0]) < 3 and "I" not in (words[0][0].text, words[1][0].text):
        return None
    one, other = (text.tokens[span.start] for text, span in zip((earlier, later), spans, strict=True))
    was, becomes = ({_opposites()[word] for word in {it.lower, it.lemma} & _opposites().keys()} for it in (one, other))
    if not any((at, 1 - side) in becomes for at, side in was):
        return None
    is_liking = one.pos == "VERB" and one.lemma in _opposites() and one.tag != "VBN"
    return Conflict("preference" if is_liking else "status", Later.CHANGES)


def _values(earlier: Parsed, later: Parsed) -> Conflict | None:
    """Whether both give one attribute a value of the same sort, and another one each."""
    both = earlier, later
    past = [_is_past(one) for one in both]
    spans = _only_span(earlier, later)
    if spans is None:
        return None
    rest = [[item for item in _items(one) if item.at in span] for one, span in zip(both, spans, strict=True)]
    sort = _common_sort([{item.sort for item in some} for some in rest])
    if past[0] != past[1] or not sort:
        return None
    # Two times are given alike: weekday and weekday, hour and hour.
    if sort == TIME and len({tuple(item.key.isalpha() for item in some) for some in rest}) > 1:
        return None
    values = [[item.at for item in some] for some in rest]
    if not all(_is_of_one(one, sort, some) for one, some in zip(both, values, strict=True)):
        return None
    is_lasting = past[0] or any(
        earlier.tokens[at].lemma in predicates("lasting") for at in _predicates(earlier, values[0])
    )
    return Conflict(sort, Later.CONTRADICTS if is_lasting else Later.CHANGES)


def _only_span(earlier: Parsed, later: Parsed) -> tuple[range, range] | None:
    """The words that are in each text in place of those of the other, where all else is the same."""
    places = [[at for at, token in enumerate(one.tokens) if _is_word(token)] for one in (earlier, later)]
    keys = [[_key(one.tokens[at]) for at in some] for one, some in zip((earlier, later), places, strict=True)]
    changes = [op for op in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes() if op[0] != "equal"]
    if len(changes) != 1 or changes[0][0] != "replace":
        return None
    _, a, b, c, d = changes[0]
    return range(places[0][a], places[0][b - 1] + 1), range(places[1][c], places[1][d - 1] + 1)


def _common_sort(sorts: Sequence[frozenset[str] | set[str]]) -> str:
    """The sort of all values, "" if they are of several. A name may be one of a place or a person."""
    said = set().union(*sorts)
    if not all(sorts) or WORD in said:
        return ""
    if len(said) == 2 and NAME in said and said & {PLACE, PERSON}:
        said -= {NAME}
    return said.pop() if len(said) == 1 else ""


def _items(parsed: Parsed) -> Iterator[_Item]:
    sorts = {at: _LABELS.get(name.label, "") for name in parsed.names for at in range(name.start, name.end)}
    times = stems_of("time")
    for at, token in enumerate(parsed.tokens):
        if not any(map(str.isalnum, token.text)) or token.is_stop and token.lower not in _NUMBERS:
            continue
        if token.lemma in predicates("light"):
            continue
        key = _NUMBERS.get(token.lower, stem(token.lower))
        if key in times:
            sort = TIME
        elif token.pos == "NUM" or token.text[0].isdigit():
            sort = TIME if _is_of_day(parsed.tokens, at) else FIGURE
        elif token.pos == "PROPN" or sorts.get(at) in (PLACE, PERSON):
            sort = sorts[at] if sorts.get(at) in (PLACE, PERSON) else NAME
        else:
            sort = PLACE if _is_where(parsed.tokens, at) else WORD
        yield _Item(key.replace(",", "") if key[0].isdigit() else key, sort, at)


def _is_where(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word says where the thing of its clause is: "under the flowerpot"."""
    head = tokens[at].head
    while tokens[head].pos in ("NOUN", "PROPN") and tokens[at].dep in ("compound", "amod", "nmod") and head != at:
        at, head = head, tokens[head].head
    return (
        tokens[at].dep == "pobj" and tokens[head].lower in _WHERE and tokens[tokens[head].head].pos in ("VERB", "AUX")
    )


def _is_of_day(tokens: Sequence[Token], at: int) -> bool:
    """Whether a figure is part of a day or a time of day: "3 May", "9:30", "5 pm", "at 7"."""
    beside = [stem(tokens[one].lower) for one in (at - 2, at - 1, at + 1, at + 2) if 0 <= one < len(tokens)]
    if any(one.text == "May" for one in tokens[max(0, at - 1) : at + 2]):
        return True
    if ":" in tokens[at].text or not stems_of("time").isdisjoint(beside) or {"am", "pm", "a.m", "p.m"} & set(beside):
        return True
    return tokens[at].text.isdigit() and len(tokens[at].text) == 4 and "in" in beside


def _predicates(parsed: Parsed, places: Sequence[int]) -> list[int]:
    """The verbs over these words."""
    verbs = ([at for at in above(parsed.tokens, place) if parsed.tokens[at].pos in ("VERB", "AUX")] for place in places)
    return list(dict.fromkeys(some[0] for some in verbs if some))


def _is_of_one(parsed: Parsed, sort: str, places: Sequence[int]) -> bool:
    """Whether what is said has one value at a time: a predicate of one value, of a definite subject."""
    if sort in (PERSON, NAME) and _is_by_one(parsed, places):
        return True
    heads = _predicates(parsed, places)
    # "Room 12 is free" says nothing of room 14.
    if not heads or any(_is_in_subject(parsed, at) for at in places):
        return False
    return all(_has_one_value(parsed, sort, head) for head in heads)


def _has_one_value(parsed: Parsed, sort: str, head: int) -> bool:
    lemma = parsed.tokens[head].lemma
    if _is_past(parsed) and _is_by_speaker(parsed, head) and lemma not in predicates("lasting"):
        return False  # one may have done so twice
    is_any = sort in (FIGURE, TIME) and lemma not in _opposites()  # one likes more than one season
    return (is_any or lemma in predicates(f"one {sort}")) and _is_definite(parsed, head)


def _is_in_subject(parsed: Parsed, at: int) -> bool:
    words = (parsed.tokens[one] for one in above(parsed.tokens, at))
    return any(one.dep in SUBJECTS for one in takewhile(lambda one: one.pos not in ("VERB", "AUX"), words))


def _is_by_speaker(parsed: Parsed, verb: int) -> bool:
    return any(one.head == verb and one.dep == "nsubj" and one.lower in SELF for one in parsed.tokens)


def _is_by_one(parsed: Parsed, places: Sequence[int]) -> bool:
    """Whether the one that these words name is the only one who does or did so: "leads the team"."""
    subject = [at for at in places if parsed.tokens[at].dep in ("nsubj", "pobj")]
    if not subject:
        return False
    at = subject[0]
    verb = parsed.tokens[at].head
    if parsed.tokens[at].dep == "pobj":
        if parsed.tokens[verb].lower != "by":
            return False
        verb = parsed.tokens[verb].head
    objects = children(parsed.tokens, verb, _OBJECTS)
    return parsed.tokens[verb].lemma in predicates("one agent") and any(
        token.head in objects and token.lower in _DEFINITE for token in parsed.tokens
    )


def _is_definite(parsed: Parsed, verb: int) -> bool:
    tokens = parsed.tokens
    subjects = children(tokens, verb, SUBJECTS)
    for at in subjects:
        subject = tokens[at]
        parts = {one.lower for one in tokens if one.head == at and one.dep in ("det", "poss", "nummod")}
        if subject.lower in SELF or subject.lower in ("he", "she"):
            continue
        if subject.tag in ("NNS", "NNPS") and not parts & _DEFINITE:
            return False
        if (
            not parts
            and subject.pos != "PROPN"
            and not any(one.head == at and one.dep in ("compound", "nmod") for one in tokens)
        ):
            return False
    return bool(subjects)


def _is_past(parsed: Parsed) -> bool:
    root = next((at for at, token in enumerate(parsed.tokens) if token.dep == "ROOT"), None)
    was = any(token.head == root and token.lower in ("was", "were", "did") for token in parsed.tokens)
    return root is not None and (was or parsed.tokens[root].tag == "VBD")
