"""Titles and overviews of storylines and macros, from the summaries of what they include."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date

from memory_assets.clock import MONTHS
from memory_assets.llm.local.concepts import noun_phrases
from memory_assets.llm.local.describe import cover, word_values
from memory_assets.llm.local.language import Parsed, parse, rarity
from memory_assets.llm.local.lexicon import NOT_NAMES, VAGUE_NOUNS
from memory_assets.llm.local.patterns import DECISION, LEANING
from memory_assets.llm.local.sentences import pieces, split_sentences
from memory_assets.llm.local.spans import names_in
from memory_assets.llm.tasks import DatedSummary, MacroName, MacroRequest, StorylineName, StorylineRequest

LONGEST_SENTENCE = 260
MOST_SUMMARIES = 400
_SPEAKER = re.compile(r"^[^\s:][^:]{0,40}: (?=\S)")
_UNKNOWN_DAY = "Day unknown"
_ANY_DAY = rf"(?:\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}|{_UNKNOWN_DAY}): "
_DATED = re.compile(rf"^{_ANY_DAY}")
_TITLED = re.compile(rf"^[^.!?]{{0,160}}?: (?={_ANY_DAY})")
_NEXT_DAY = re.compile(rf"(?<=[.!?…\"”)]) (?={_ANY_DAY})")


def name_storyline(request: StorylineRequest) -> StorylineName:
    """The answer to ``hierarchy/name_storyline``: a title, and two to three dated sentences."""
    title, summary = _tell(request.anchor, request.sources, sentences=3)
    return StorylineName(title=title, summary=summary)


def name_macro(request: MacroRequest) -> MacroName:
    """The answer to ``hierarchy/name_macro``: a title, and two to four dated sentences."""
    title, overview = _tell(request.anchor, request.storylines, sentences=4, said_once=True)
    return MacroName(title=title, overview=overview)


def _tell(anchor: str, included: Sequence[DatedSummary], sentences: int, *, said_once: bool = False) -> tuple[str, str]:
    told = [sentence for item in _spread(included) for sentence in _sentences(item, said_once=said_once)]
    if not told:
        return anchor, f"{anchor}."
    parsed = parse([_bare(text) for _, text in told])
    texts = [text for _, text in told]
    first = {text: place for place, text in reversed(list(enumerate(texts)))}  # what is said again is chosen once
    places = sorted(first.values())
    short = [place for place in places if len(texts[place]) <= LONGEST_SENTENCE]
    worths = {
        place: _telling(parsed[place].text) for place in short or [place for place in places if place < sentences]
    }
    chosen = cover(parsed, word_values(parsed), worths, sentences)
    return _title(anchor, parsed), _compose([told[position] for position in chosen])


def _sentences(item: DatedSummary, *, said_once: bool) -> Iterator[tuple[str | None, str]]:
    """The sentences of a summary, each with its day as spoken: the summary's own dates before the item's.

    A sentence that somebody is named for stays whole, and keeps the name, whoever the story is about.
    ``said_once``: a name holds for the sentences behind it, up to the next name or day (:func:`_compose`). A title
    before the first day is left out: what it names, the sentences tell.
    """
    summary = " ".join(item.summary.removeprefix(f"{item.title}: ").split())
    for part in _NEXT_DAY.split(_TITLED.sub("", summary, count=1)):
        dated = _DATED.match(part)
        day = dated[0].removesuffix(": ") if dated else _as_spoken(item.day)
        speaker = ""
        for sentence in split_sentences(part[dated.end() :] if dated else part):
            named = _SPEAKER.match(sentence)
            speaker = named[0] if named else speaker if said_once else ""
            whole = sentence if named else speaker + sentence
            for text in [whole] if speaker else [piece.text for piece in pieces(sentence)]:
                yield None if day == _UNKNOWN_DAY else day, text


def _compose(told: Sequence[tuple[str | None, str]]) -> str:
    """Sentences one after the other; a day or a speaker that stays the same is said once.

    Where nobody is named any more, the day is said again: the name before it would hold on.
    """
    parts = []
    before: tuple[str | None, str] = ("", "")
    for day, text in told:
        speaker = match[0] if (match := _SPEAKER.match(text)) else ""
        same_day = before[0] == day or (before[0] == "" and day is None)
        lead = "" if same_day or day is None else f"{day}: "
        if before[1] and not speaker:
            lead = f"{day or _UNKNOWN_DAY}: "
        goes_on = not lead and before == (day, speaker)
        parts.append(lead + _ended(text[len(speaker) :] if goes_on else text))
        before = (day, speaker)
    return " ".join(parts)


def _spread(included: Sequence[DatedSummary]) -> list[DatedSummary]:
    """At most so many summaries, evenly over time: the cost of a title has a bound."""
    if len(included) <= MOST_SUMMARIES:
        return list(included)
    step = len(included) / MOST_SUMMARIES
    return [included[int(index * step)] for index in range(MOST_SUMMARIES)]


def _bare(text: str) -> str:
    return _SPEAKER.sub("", _DATED.sub("", text))


def _ended(text: str) -> str:
    text = text if text[-1:] in ".!?…" else text.rstrip(" ,;:") + "."
    if len(text) > LONGEST_SENTENCE + 60:
        text = split_sentences(text[: LONGEST_SENTENCE + 60])[0].rsplit(" ", 1)[0] + " …"
    return text


def _as_spoken(day: str | None) -> str | None:
    """ "8 May 2023", whatever the machine's locale is."""
    try:
        known = date.fromisoformat(day) if day else None
    except ValueError:
        return None
    return f"{known.day} {MONTHS[known.month - 1]} {known.year}" if known else None


def _telling(text: str) -> float:
    """Decisions tell how a story went on; what leans on an unsaid sentence, a question or a list tells less."""
    weight = 1.6 if DECISION.search(text) else 1.0
    if LEANING.match(text) or "?" in text or text.lower().startswith("action items"):
        weight *= 0.5
    return weight


def _title(anchor: str, parsed: Sequence[Parsed]) -> str:
    """The anchor and the two to four terms that most of the summaries share and few other texts would."""
    said: Counter[str] = Counter()
    for one in parsed:
        phrases = {" ".join(word.lemma.lower() for word in phrase[-2:]) for phrase in noun_phrases(one)}
        said.update(phrases | {phrase.split()[-1] for phrase in phrases})
        said.update(set(names_in(one)))
    known = set(anchor.lower().split())
    scores = {
        term: max(rarity(word.lower()) for word in term.split()) * (0.2 + math.log(count))
        for term, count in said.items()
        if _is_telling(term, known)
    }
    terms: list[str] = []
    for term in sorted(scores, key=lambda term: (-scores[term], -len(term), term)):
        if len(terms) == 3:
            break
        if not any(term.lower() in other.lower() or other.lower() in term.lower() for other in terms):
            terms.append(term)
    return f"{anchor}: {', '.join(terms)}" if terms else anchor


def _is_telling(term: str, known: set[str]) -> bool:
    words = term.lower().split()
    return (
        bool(words)
        and words[-1] not in VAGUE_NOUNS
        and words[-1] not in NOT_NAMES
        and len(words[-1]) > 2
        and not known & set(words)
    )
