"""Whether a sentence leans on the one before it though no pronoun in it shows that. Pure.

"The training was hard" is of some training, "I will find one" of something, "I love the colour and shape" of what
somebody shows. "The" needs something that makes a noun known: words beside it ("the gate of the yard"), or something
before it in the sentence ("I went to a concert, and the singer waved").
"""

from __future__ import annotations

from collections.abc import Collection

from memory_assets.llm.local.language import Parsed, Token
from memory_assets.llm.local.lexicon import KIN_AND_ROLES, PERSON_NOUNS, VERBS_TO_PEOPLE
from memory_assets.llm.local.standalone import NO_PERSON, SUBJECTS, TIMES, WHEN, children, quoted

_NOUNS = frozenset({"NOUN", "PROPN"})
_SPECIFYING = frozenset({"prep", "relcl", "acl", "poss", "appos", "ccomp", "nummod"})
_SPECIFYING_TAGS = frozenset({"JJS", "RBS", "CD", "NNP", "NNPS"})
_NUMBERS = WHEN | {"CARDINAL", "ORDINAL", "PERCENT", "QUANTITY", "MONEY"}
_IN_PLACE = frozenset("one ones any some many both another same".split())
"""What takes the place of a noun that was said."""
NAMED_ENOUGH = 2
"""What names so many things says something of them, whatever it is about: "The studio moved from Bonn to Cologne"."""
_PLACES = frozenset({*SUBJECTS, "dobj", "pobj", "attr", "dative", "conj"})


def leans(parsed: Parsed, ignored: Collection[int] = ()) -> bool:
    """Whether it surely says nothing alone: what it is about, or what a word of it means, was said before."""
    tokens = parsed.tokens
    nouns = _nouns(parsed, ignored)
    known = _known(parsed, nouns)
    first = next((at for at in nouns if at not in known), len(tokens))
    opens = [at for at in known if at < first]
    joined = {other for at in known for other in children(tokens, at, {"conj"})}
    names = (name for name in parsed.names if name.label not in _NUMBERS)
    named = {tuple(token.lemma for token in tokens[name.start : name.end]) for name in names}
    is_about = len(named) < NAMED_ENOUGH and any(
        tokens[at].dep in SUBJECTS and not children(tokens, at, {"compound"}) for at in opens
    )
    is_list = bool(opens) and bool(joined) and joined.union(known).issuperset(nouns)
    return is_about or is_list or any(_is_pro_form(tokens, at, nouns) for at in range(len(tokens)) if at not in ignored)


def said_as_known(parsed: Parsed) -> int:
    """How many nouns it speaks of as known, without a word that makes them known."""
    return len(_known(parsed, _nouns(parsed, quoted(parsed))))


def is_explained_by(before: Parsed, parsed: Parsed) -> bool:
    """Whether the sentence before explains what "the" or "we" mean in a sentence; or both were one."""
    known = _known(parsed, _nouns(parsed, ()))
    named = {token.lemma for token in before.tokens if token.pos in _NOUNS}
    if known and (before.text[-1:].isalnum() or any(parsed.tokens[at].lemma in named for at in known)):
        return True
    first = next((token for token in parsed.tokens if token.pos in {"PRON", *_NOUNS}), None)
    return first is not None and first.lower == "we" and names_people(before)


def names_people(parsed: Parsed) -> bool:
    """Whether somebody beside the speaker is named: by name, by what they are to somebody, or as who does something, or
    whom something is done to that is done to people.
    """
    tokens = parsed.tokens
    things = {at for name in parsed.names if name.label in NO_PERSON for at in range(name.start, name.end)}
    return any(token.pos == "PROPN" and at not in things for at, token in enumerate(tokens)) or any(
        token.pos == "NOUN"
        and (
            token.lemma in KIN_AND_ROLES | PERSON_NOUNS
            or token.dep == "dobj"
            and tokens[token.head].lemma in VERBS_TO_PEOPLE
        )
        for at, token in enumerate(tokens)
    )


def _nouns(parsed: Parsed, ignored: Collection[int]) -> list[int]:
    """The places of the nouns but for those that say when, or which other noun."""
    times = {at for name in parsed.names if name.label in WHEN for at in range(name.start, name.end)}
    return [
        at
        for at, token in enumerate(parsed.tokens)
        if token.pos in _NOUNS
        and token.dep not in {"compound", "npadvmod"}
        and token.lemma not in TIMES
        and at not in times
        and at not in ignored
    ]


def _known(parsed: Parsed, nouns: Collection[int]) -> list[int]:
    """Those that "the" makes known, and no word beside them, nor the same noun before."""
    tokens = parsed.tokens
    named = {at for name in parsed.names for at in range(name.start, name.end)}
    beside: dict[int, list[int]] = {at: [] for at in nouns}
    for at, token in enumerate(tokens):
        if token.head in beside and token.head != at:
            beside[token.head].append(at)
    said = {tokens[at].lemma: at for at in reversed(range(len(tokens)))}
    return [
        at
        for at in nouns
        if tokens[at].pos == "NOUN"
        and not (at and tokens[at].is_capitalised)
        and said[tokens[at].lemma] == at
        and any(tokens[other].lower == "the" for other in beside[at])
        and named.isdisjoint([at, *beside[at]])
        and not any(tokens[other].dep in _SPECIFYING or tokens[other].tag in _SPECIFYING_TAGS for other in beside[at])
    ]


def _is_pro_form(tokens: tuple[Token, ...], at: int, nouns: Collection[int]) -> bool:
    """Whether a word takes the place of a noun that the sentence has not: "I will find one"."""
    token = tokens[at]
    if token.lower not in _IN_PLACE or token.dep not in _PLACES or token.pos == "PROPN":
        return False
    if any(tokens[other].lower in {"of", "no"} for other in children(tokens, at, {"prep", "det"})):
        return False
    return not any(
        other < at and not (tokens[other].dep in SUBJECTS and tokens[other].head == token.head) for other in nouns
    )
