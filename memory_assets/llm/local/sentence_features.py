"""What a sentence shows of itself, as named numbers: the input of the model of sentences' kinds. Pure.

Words and their pairs, pieces of words (which hold in every script), how it opens, its parts of speech, its shape,
and where it was said. What word lists of one language would say is learned from these.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memory_assets.llm.local.language import ENGLISH, SPACELESS, Parsed, language_of
from memory_assets.llm.local.sentences import Piece

MOST_CHARACTERS = 500
"""What a sentence is, its first words show; its cost must have a bound."""
MOST_TOKENS = 60
TO_ASSISTANT, BY_ASSISTANT = "words to an assistant", "words of an assistant"
"""Said by the owner to an assistant, and by an assistant."""
_PIECES = range(2, 6)
_PIECES_OF_SPACELESS = range(1, 4)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+|[?!.:;…？！。：]")
_CODE = re.compile(r"[`{}<>\\|_=]|\(\)|::|//")


class Setting(NamedTuple):
    """Where a sentence was said: ``where`` is the kind of source, :data:`TO_ASSISTANT` or :data:`BY_ASSISTANT`, ""
    unknown; ``opens`` and ``ends`` its turn; ``before``: the sentence before it; ``is_answered``: an assistant answers
    its turn with more than a few words; ``lead``: what is above it in a note, ``row``: its words as those of a
    table's row or of a list, ``is_line``: it is a line of its own, ``is_entry``: it is noted down of what its heading
    or its own first words name, ``is_of_somebody``: that is a person, ``is_listed``: it is in a list of bare things;
    ``is_worked_on``: it is part of a text that is worked on with an assistant, and said by nobody.
    """

    where: str = ""
    opens: bool = False
    ends: bool = False
    before: str = ""
    is_answered: bool = False
    lead: str = ""
    row: str = ""
    is_line: bool = False
    is_entry: bool = False
    is_of_somebody: bool = False
    is_listed: bool = False
    is_worked_on: bool = False


def features(piece: Piece, parsed: Parsed, setting: Setting) -> dict[str, float]:
    """The features of one sentence by name. Each group of many has a length of about 1; single ones lie in 0 to 2."""
    text = piece.text[:MOST_CHARACTERS].replace("’", "'")
    found = {**_shape(text), **dict.fromkeys(_place(piece, setting), 1.0)}
    if SPACELESS.search(text):
        # Neither its words nor its parts of speech are known here: its characters carry it all.
        return found | _unit((f"the letters “{run}”" for run in runs(text.lower(), _PIECES_OF_SPACELESS)), 3.0)
    words = _WORD.findall(text.lower())
    pairs = (f"{one} {other}" for one, other in zip(words, words[1:], strict=False))
    found |= _unit(f"the words “{word}”" for word in (*words, *pairs))
    found |= _unit(f"the letters “{run}”" for word in text.lower().split() for run in runs(f" {word} ", _PIECES))
    if language_of(text) == ENGLISH:  # the tagger knows no other
        found |= _unit((f"its grammar is {tags}" for tags in _tags(parsed)), 0.7)
    return found | dict.fromkeys(_opening(words), 0.5)


def runs(text: str, lengths: range) -> Iterator[str]:
    """The pieces of a text of these lengths."""
    return (text[at : at + length] for length in lengths for at in range(max(1, len(text) - length + 1)))


def _opening(words: Sequence[str]) -> Iterator[str]:
    first = [word for word in words if word[0].isalnum()][:3]
    yield from (f"word {place} is “{word}”" for place, word in enumerate(first, 1))
    yield f"it opens with “{' '.join(first[:2])}”"
    yield f"it opens with “{' '.join(first)}”"


def _tags(parsed: Parsed) -> Iterator[str]:
    tokens = parsed.tokens[:MOST_TOKENS]
    tags = [token.tag for token in tokens]
    yield from tags
    yield f"first {'-'.join(tags[:2])}"
    yield f"first {'-'.join(tags[:3])}"
    for token, tag in zip(tokens, tags[1:], strict=False):
        if token.pos == "PRON":
            yield f"{token.lower} {tag}"


def _shape(text: str) -> Mapping[str, float]:
    words = text.split()
    inner = [word for word in words[1:] if word[0].isalpha()]
    last = text.rstrip(" \"')*")[-1:]
    return {
        "how long it is": min(2.0, len(text) / 100),
        "how many words it has": min(2.0, len(words) / 20),
        "it is short": float(len(words) < 4 and not SPACELESS.search(text)),
        "it asks": float(last in ("?", "？")),
        "it exclaims": float(last in ("!", "！")),
        "it announces": float(last in (":", "：")),
        "it has a figure": float(any(map(str.isdigit, text))),
        "its capital letters": sum(word[0].isupper() for word in inner) / max(1, len(inner)),
        "it looks like code": float(_CODE.search(text) is not None),
    }


def _place(piece: Piece, setting: Setting) -> Iterator[str]:
    if setting.where:
        yield f"it is said in: {setting.where}"
    yield f"it is a {piece.form.value}"
    if setting.opens:
        yield "it opens its turn"
    if setting.ends:
        yield "it ends its turn"
    if setting.before.rstrip().endswith(("?", "？")):
        yield "it follows a question"


def _unit(names: Iterator[str], length: float = 1.0) -> dict[str, float]:
    counts = Counter(names)
    norm = math.sqrt(sum(count * count for count in counts.values()))
    return {name: length * count / norm for name, count in counts.items()}
