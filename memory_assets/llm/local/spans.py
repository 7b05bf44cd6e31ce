"""Where a sentence may name somebody or something, and how the name reads by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memory_assets.llm.local import lexicon
from memory_assets.llm.local.gazetteer import is_given_name
from memory_assets.llm.local.language import Parsed, Token, rarity
from memory_assets.text.words import POSSESSIVE


class NameSpan(NamedTuple):
    """Tokens ``start`` up to ``end``. ``label`` is the pipeline's, "" where only a capital speaks for a name."""

    start: int
    end: int
    label: str


_ARTICLE = re.compile(
    r"^(?:the|a|an|my|our|your|his|her|their|its|this|that|these|those|some|any|dear|hi|hey|hello|thanks|mr\.?|"
    r"mrs\.?|ms\.?|dr\.?|prof\.?|professor)\s+",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_][\w'’.&+#/-]*(?: (?:&|[\w'’.&+#/-]+)){0,5}$")
_CODE_OR_FILE = re.compile(
    r"@|//| [-–—|#] |[a-z][A-Z]\w{0,80}\(|\w_\w|\.(?:js|py|html?|css|json|csv|txt|docx?|xlsx?|pdf|pptx?|gif|jpe?g|"
    r"png)\b"
)
_OPENING = frozenset("\"“‘'([:•-–—*#>|/") | {"``"}
_AFTER_A_SUBJECT = frozenset({"VBZ", "VBD", "MD", "POS"})
_LONGEST_RUN = 5
# An order's or a sentence's first word is no part of the name behind it ("Tell Jeannie", "Configure Redis").
_LEADING_TAGS = frozenset({"VB", "VBP", "UH", "VBG", "IN", "CC", "WRB"})


def name_spans(parsed: Parsed) -> list[NameSpan]:
    """The pipeline's names, trimmed, then runs of capitalised words beside them."""
    tokens = parsed.tokens
    result: list[NameSpan] = []
    taken: set[int] = set()
    for span in parsed.names:
        if span.label != "PERSON" and span.label not in lexicon.ENTITY_TYPES:
            continue
        start, end = _trimmed(tokens, span.start, span.end)
        if not any(token.is_capitalised for token in tokens[start:end]):
            continue
        taken.update(range(start, end))
        result.append(NameSpan(start, end, span.label))
    run: list[int] = []
    for index in range(len(tokens) + 1):
        if index < len(tokens) and index not in taken and len(run) < _LONGEST_RUN:
            if _may_be_name(tokens, index) or (run and tokens[index].text == "&"):
                run.append(index)
                continue
        while run and tokens[run[-1]].text == "&":
            run.pop()
        if run:
            result.append(NameSpan(run[0], run[-1] + 1, ""))
        run = []
    return result


def _trimmed(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    while end - start > 1 and (
        tokens[start].tag in _LEADING_TAGS
        or tokens[start].lower in lexicon.NOT_NAMES
        or (tokens[start].start == 0 and rarity(tokens[start].lower) < 1.6)
    ):
        start += 1
    while end - start > 1 and (
        not tokens[end - 1].is_capitalised and tokens[end - 1].pos in {"NOUN", "VERB", "ADP", "DET"}
    ):
        end -= 1
    return start, end


def opens(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word's capital says nothing, since a sentence, a quotation or a list item begins with it."""
    return index == 0 or tokens[index - 1].text in _OPENING or tokens[index - 1].text in {".", "!", "?", "…"}


def _may_be_name(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    if not token.is_capitalised or token.lower in lexicon.NOT_NAMES:
        return False
    if not opens(tokens, index):
        return token.pos in {"PROPN", "NOUN", "ADJ", "VERB", "X"} or is_given_name(token.text) or token.text.isupper()
    # At a start, a capital is no evidence: the tagger, a rare word or a known first name have to say so.
    if is_given_name(token.text):
        return is_subject(tokens, index) or token.pos == "PROPN" or (token.pos == "NOUN" and rarity(token.lower) >= 3.0)
    return token.pos == "PROPN" and rarity(token.lower) >= 3.0


def is_subject(tokens: Sequence[Token], at: int) -> bool:
    """Whether a verb of the third person, a possessive or "and" follows: "Will lives", not "Will you"."""
    return at + 1 < len(tokens) and (tokens[at + 1].tag in _AFTER_A_SUBJECT or tokens[at + 1].lower == "and")


def clean_name(text: str) -> str | None:
    """A display name without articles, titles, possessives and marks; None when it can be no name."""
    name = re.sub(r"\s+", " ", text).strip(" \"'“”‘’.,;:!?()[]{}*_#~`-–—/\\|<>")
    while (shorter := _ARTICLE.sub("", name, count=1)) != name:
        name = shorter
    name = POSSESSIVE.sub("", name).strip(" .,;:!?-")
    words = name.split()
    while words and words[0].lower() in lexicon.NOT_NAMES:
        words = words[1:]
    while words and words[-1].lower() in lexicon.NOT_NAMES:
        words = words[:-1]
    name = " ".join(words).strip(" -–—/.,;:")
    if not 2 <= len(name) <= 60 or not words or not _NAME.match(name):
        return None
    if not any(word[:1].isupper() for word in words) or name.lower() in lexicon.VAGUE_NOUNS:
        return None
    return None if _CODE_OR_FILE.search(name) else name


def span_text(parsed: Parsed, span: NameSpan) -> str:
    """The span as it is written."""
    return parsed.text[parsed.tokens[span.start].start : parsed.tokens[span.end - 1].end]
