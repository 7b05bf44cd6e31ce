"""The names in a source: its speakers, the people addressed, and what else is named, with all that is said of each."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

from memory_assets.llm.local import kinds, lexicon
from memory_assets.llm.local.gazetteer import is_given_name, is_surname
from memory_assets.llm.local.greetings import HARDLY_A_WORD, greeting_end, name_among, opening_line
from memory_assets.llm.local.kinds import Candidate
from memory_assets.llm.local.language import Parsed, rarity
from memory_assets.llm.local.reading import Sentence, short_names, speakers
from memory_assets.llm.local.sentences import Form
from memory_assets.llm.local.spans import NameSpan, clean_name, is_subject, name_spans, opens, span_text
from memory_assets.llm.tasks import SourceText

_SALUTATION = re.compile(
    "(?i:hi|hey|hello|dear|thanks|thank you|good morning|"
    r"good afternoon),? (?P<name>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)(?=\s*[,!.:–-]|$)"
)
_COMMON = 3.3
"""Words rarer than this are hardly ever meant as words where they are capitalised."""


def find_people(source: SourceText, reading: Sequence[Sentence]) -> dict[str, Candidate]:
    """The speakers, under each short name that only one of them answers to."""
    names = [name for name in speakers(source) if not _is_collective(name, source)]
    result: dict[str, Candidate] = {}
    owner: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for short in (*short_names([name]), *_with_title(name)):
            owner[short.lower()].add(name)
    candidates = {
        name: Candidate(name.lower(), kinds.PERSON, Counter({name: 10_000}), is_speaker=True) for name in names
    }
    for name, candidate in candidates.items():
        candidate.entity_type = kinds.PERSON
        result[name.lower()] = candidate
    for short, whose in owner.items():
        if len(whose) == 1 and (short not in lexicon.NOT_NAMES or is_given_name(short.capitalize())):
            result.setdefault(short, candidates[next(iter(whose))])
    return result


def _with_title(name: str) -> list[str]:
    """ "Dr. Shaw" answers to "Shaw"; a full name does to its surname only behind a title."""
    words = name.split()
    return [words[-1]] if len(words) > 1 and words[0].rstrip(".").lower() in lexicon.TITLES else []


def _is_collective(name: str, source: SourceText) -> bool:
    """Whether a sender is an office, an event or a firm: by its words, or by an article before it."""
    words = name.split()
    last = words[-1].lower() if words else ""
    is_named = (
        last in lexicon.KIN_AND_ROLES | lexicon.TITLES or any(map(is_given_name, words)) or any(map(is_surname, words))
    )
    if source.source_type == "email" and not is_named and rarity(last) < _COMMON:
        return True  # "Newsletter"
    if len(words) < 2 or is_given_name(words[0]):
        return False
    if "&" in words or last in lexicon.TYPE_OF_LAST_WORD and not is_surname(words[-1]):
        return True
    return any(re.search(rf"\b[Tt]he {re.escape(name)}\b", turn.text) for turn in source.turns)


def find_names(source: SourceText, reading: Sequence[Sentence], people: dict[str, Candidate]) -> dict[str, Candidate]:
    """Candidates from the pipeline's names and from capitalised words, each with its kind."""
    heard = [
        (position, sentence.parsed)
        for position, sentence in enumerate(reading)
        if not sentence.by_assistant and sentence.piece.form is not Form.HEADING
    ]
    small = Counter(token.text for _, parsed in heard for token in parsed.tokens if token.text.islower())
    found: dict[str, Candidate] = {}
    seen: set[tuple[int, int]] = set()
    openings = {turn.index: opening_line(turn.text) for turn in source.turns}
    greeted = {at: greeting_end(reading[at].parsed, openings.get(reading[at].turn, "")) for at in _edges(reading)}
    for position, parsed in heard:
        for start, end, name, label in _named(parsed, greeted.get(position, 0)):
            if (known := _known(people, name)) is not None:
                known.sentences[position] = None
                continue
            candidate = found.setdefault(name.lower(), Candidate(name.lower(), "entity"))
            _note(candidate, position, parsed, start, end, name, label)
            seen.update((position, at) for at in range(start, end))
        if (match := _SALUTATION.match(parsed.text)) and (addressee := _greeted(parsed, match)):
            _address(found, people, position, addressee, to_program=reading[position].to_assistant)
    found = {key: candidate for key, candidate in found.items() if _is_meant_as_name(candidate, small)}
    _find_again(heard, found, people, seen)
    for candidate in found.values():
        kinds.decide(candidate)
    _join_short_forms(found)
    return found


def _edges(reading: Sequence[Sentence]) -> Iterator[int]:
    """The first and the last sentence of each turn: where people greet."""
    for _, turn in groupby(range(len(reading)), key=lambda at: reading[at].turn):
        first, *others = turn
        yield from (first, *others[-1:])


def _named(parsed: Parsed, greeted: int) -> Iterator[tuple[int, int, str, str]]:
    """The names of a sentence; of its first ``greeted`` tokens, which only greet, those that are names alone."""
    for span in name_spans(parsed):
        start, end = span.start, span.end
        if start < greeted:
            first, last = name_among(parsed.tokens[start:end])
            start, end = start + first, start + last
        name = clean_name(span_text(parsed, NameSpan(start, end, span.label))) if end > start else None
        if name is not None:
            yield start, end, name, span.label


def _greeted(parsed: Parsed, match: re.Match[str]) -> str | None:
    """The name of the person a sentence greets; None where the word behind the greeting is no name."""
    words = [token for token in parsed.tokens if match.start("name") <= token.start < match.end("name")]
    first, last = name_among(words)
    return parsed.text[words[first].start : words[last - 1].end] if last > first else None


def _known(people: dict[str, Candidate], name: str) -> Candidate | None:
    """The speaker whose name this is; the pipeline may have put the next line's first word behind it."""
    low = name.lower()
    if (known := people.get(low)) is not None:
        return known
    return next((one for key, one in people.items() if " " in key and low.startswith(f"{key} ")), None)


def _note(candidate: Candidate, position: int, parsed: Parsed, start: int, end: int, name: str, label: str) -> None:
    tokens = parsed.tokens
    candidate.forms[name] += 1
    candidate.seen += 1
    candidate.sentences[position] = None
    candidate.proper += any(token.pos == "PROPN" for token in tokens[start:end])
    candidate.labelled += bool(label)
    candidate.inside += not opens(tokens, start) or (is_given_name(name) and is_subject(tokens, start))
    candidate.evidence.add(kinds.around(tokens, start, end))
    if kinds.is_ordinary(name, parsed.text):
        candidate.evidence[kinds.PERSON] -= 3.0
    first = tokens[start].lower.rstrip(".")
    if first in lexicon.TITLES and end - start > 1:
        candidate.evidence[kinds.PERSON] += 4.0
    if label:
        candidate.evidence.add(kinds.label_says(label, name))


def _address(
    found: dict[str, Candidate], people: dict[str, Candidate], position: int, text: str, *, to_program: bool
) -> None:
    """Who is greeted by name is a person, whatever the pipeline thinks; but for a program that is spoken to."""
    name = clean_name(text)
    if name is None or to_program and name.lower() in lexicon.PRODUCTS:
        return
    if (known := _known(people, name)) is not None:
        known.sentences[position] = None
        return
    candidate = found.setdefault(name.lower(), Candidate(name.lower(), "entity"))
    candidate.forms[name] += 1
    candidate.seen += 1
    candidate.inside += 1
    candidate.proper += 1
    candidate.sentences[position] = None
    candidate.is_addressed = True


def _is_meant_as_name(candidate: Candidate, small: Counter[str]) -> bool:
    """Not a word that the source also writes small, unless it is somebody's first name within sentences."""
    if " " in candidate.key or candidate.is_addressed:
        return True
    rare = rarity(candidate.key) >= _COMMON
    if small[candidate.key] > 0:
        return rare and candidate.inside > 0 or is_given_name(candidate.name) and candidate.inside > 0
    if candidate.inside > 0 or candidate.labelled > 0 or is_given_name(candidate.name):
        return True
    return rarity(candidate.key) >= HARDLY_A_WORD


def _find_again(
    heard: Sequence[tuple[int, Parsed]],
    found: dict[str, Candidate],
    people: dict[str, Candidate],
    seen: set[tuple[int, int]],
) -> None:
    """The places of a known name that neither the tagger nor the pipeline took for one: at a sentence's start, say."""
    starts: dict[str, list[tuple[tuple[str, ...], Candidate]]] = defaultdict(list)
    for candidate in found.values():
        for form in candidate.forms:
            words = tuple(form.split())
            starts[words[0]].append((words, candidate))
    for position, parsed in heard:
        tokens = parsed.tokens
        for at, token in enumerate(tokens):
            if not token.is_capitalised and token.text not in starts:
                continue
            if token.is_capitalised and (known := people.get(token.lower)) is not None:
                if not opens(tokens, at) or rarity(token.lower) >= _COMMON or is_subject(tokens, at):
                    known.sentences[position] = None
                continue
            if (position, at) in seen:
                continue
            for words, candidate in starts.get(token.text, ()):
                end = at + len(words)
                if tuple(t.text for t in tokens[at:end]) != words:
                    continue
                if (
                    opens(tokens, at)
                    and len(words) == 1
                    and rarity(token.lower) < _COMMON
                    and not is_subject(tokens, at)
                ):
                    continue
                candidate.seen += 1
                candidate.sentences[position] = None
                candidate.inside += not opens(tokens, at)
                candidate.proper += any(t.pos == "PROPN" for t in tokens[at:end])
                candidate.evidence.add(kinds.around(tokens, at, end))
    for candidate in (*found.values(), *people.values()):
        candidate.sentences = dict.fromkeys(sorted(candidate.sentences))


def _join_short_forms(found: dict[str, Candidate]) -> None:
    """ "Anna" is "Anna Schmidt" and "Brinewell" is "Brinewell Sensors" where the source knows one such."""
    by_word: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in found.values():
        words = candidate.key.split()
        if len(words) < 2:
            continue
        by_word[words[0]].append(candidate)
        if candidate.kind == kinds.PERSON:
            by_word[words[-1]].append(candidate)
    for word, owners in sorted(by_word.items()):
        short = found.get(word)
        if len(owners) != 1 or short is None:
            continue
        owner = owners[0]
        if owner.kind == kinds.PERSON or (
            owner.entity_type in {"organization", "event"} and short.entity_type not in {"place", kinds.PERSON}
        ):
            owner.absorb(found.pop(word))
