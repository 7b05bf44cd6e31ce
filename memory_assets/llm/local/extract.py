"""A source taken apart: whom and what it speaks of, and what was said (004, Phase 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from memory_assets.llm.local import note_worth, worth
from memory_assets.llm.local.change_forms import states_a_change
from memory_assets.llm.local.entities import find_entities
from memory_assets.llm.local.language import ENGLISH, Parsed, is_content, language_of, words_in
from memory_assets.llm.local.places import LONGEST_LEAD, lead_of
from memory_assets.llm.local.reading import Sentence, read
from memory_assets.llm.local.restating import Restated, Restating, questions
from memory_assets.llm.local.sentences import MOST_WORDS, Form
from memory_assets.llm.local.standalone import SUBJECTS, is_sentence
from memory_assets.llm.local.statements import Verdict, judge
from memory_assets.llm.tasks import Extraction, SourceText, Statement

FEWEST_WORDS_OF_CHITCHAT, FEWEST_WORDS_OF_HEADING = 3, 4
LEAST_BESIDE, LEAST_QUOTED, LEAST_QUOTED_OF_TALK = 0.15, 0.5, 0.8
"""What is less likely to be needed again is not quoted, nor beside what is. What is said in a talk mostly lacks what it
answers: of frozen talks 49 of 100 quotations are good from .55 on, from .8 on 62.
"""
FACT_FROM = 0.6
"""From this worth on small talk by its words is a fact: "I got promoted!" """
MOST_ABOUT = 12
# A password is masked where it is said what it is; of other secrets a sign or a form of "to be" shows it.
_MASKED_AT_THE_END = re.compile(r"(?P<sign>[:=：是] ?)?[\"'“`]?\[masked: (?P<kind>[a-z ]{1,40})\][\W_]*$")
_FEWEST_WORDS_BEFORE_MASK = 8
# What takes a lost letter's place has letters beside it; alone it is a lost emoji, or half a one.
_LOST = "\ufffd"
_LOST_LETTERS = re.compile(r"(?<=[^\W\d_])\ufffd++|(?<!\ufffd)\ufffd++(?=[^\W\d_])")
LOST_OF_READABLE = 0.1
"""Lost letters, of those that are there: with more of them a line is unreadable."""


class Candidate(NamedTuple):
    """A restated sentence, and the verdict on it."""

    restated: Restated
    verdict: Verdict


def extract(source: SourceText) -> Extraction:
    """The answer to ``entities/extract_entities``: entities, and every sentence as a statement."""
    reading, title = read(source)
    found = find_entities(source, reading, title)
    sentences = list(candidates(source, reading))
    once = list(each_once(sentences))
    stated = [_statement(one, about, source) for one, about in zip(once, found.about, strict=True)]
    quoted = _quoted_once([one.restated for one in once], stated, Restating(source, reading))
    statements = [one for candidate, one in zip(once, quoted, strict=True) if _says_something(candidate)]
    return Extraction(entities=found.entities, statements=tuple(statements))


def candidates(source: SourceText, reading: Sequence[Sentence]) -> Iterator[Candidate]:
    """Every sentence of a source, each restated behind the one before it."""
    restating = Restating(source, reading)
    restated: Restated | None = None
    turn: list[Sentence] = []
    for sentence, asked in zip(reading, questions(reading), strict=True):
        verdict = judge(sentence.piece, sentence.parsed, sentence.setting)
        is_worth_it = verdict.content_type != "chitchat"
        is_asked = verdict.is_instruction or verdict.content_type == "task"
        is_order = is_asked or verdict.content_type == "preference" and sentence.to_assistant
        restated = restating.restate(sentence, restated, is_order=is_order, is_worth_it=is_worth_it)
        turn = turn if turn and turn[-1].turn == sentence.turn else []
        if restated.statement is None or restating.is_quoted(sentence) and not is_asked:
            answer = restating.answer(sentence, asked) if asked and restated.statement is None else None
            said = () if answer else restating.in_words(sentence, turn)
            restated = restated._replace(quotation=answer or (restating.quote(said) if said else None), said=said)
        turn.append(sentence)
        yield Candidate(restated, verdict)


def _quoted_once(
    restated: Sequence[Restated], stated: Sequence[Statement], restating: Restating
) -> Iterator[Statement]:
    """Of quotations that overlap one, whole, in place of the best of what they say; no sentence is quoted twice."""
    quotes = {at: "" for at, one in enumerate(restated) if one.said}
    groups = list(_groups(restated, stated, restating))
    end = 0
    for group, after in zip_longest(groups, groups[1:]):
        whole = _with_more(restated, stated, restating, group, range(end, after[0] if after else len(restated)))
        best = max(group, key=lambda at: (stated[at].durability, -at))
        quotes[best] = restating.quote([restated[at].sentence for at in whole])
        end = whole[-1] + 1
    return (one.model_copy(update={"quotation": quotes[at]}) if at in quotes else one for at, one in enumerate(stated))


def _groups(restated: Sequence[Restated], stated: Sequence[Statement], restating: Restating) -> Iterator[range]:
    """The places of sentences that quotations say which are likely enough to be needed again: of those that overlap
    together, or, where that is more than one may have, the later one by what is behind the earlier, if it is clear.
    """
    places = {id(one.sentence): at for at, one in enumerate(restated)}
    group: range | None = None
    for at, one in enumerate(restated):
        least = LEAST_QUOTED if restating.is_quoted(one.sentence) else LEAST_QUOTED_OF_TALK
        if not one.said or stated[at].durability < least:
            continue
        first = places[id(one.said[0])]
        if group is None or first > group[-1]:
            yield from [] if group is None else [group]
            group = range(first, at + 1)
        elif _words_of(restated, group[0], at) <= MOST_WORDS:
            group = range(group[0], at + 1)
        elif rest := restating.in_words(one.sentence, [other.sentence for other in restated[group[-1] + 1 : at]]):
            yield group
            group = range(places[id(rest[0])], at + 1)
    yield from [] if group is None else [group]


def _with_more(
    restated: Sequence[Restated],
    stated: Sequence[Statement],
    restating: Restating,
    group: range,
    free: range,
) -> range:
    """What is quoted, with what is said behind and before it in the same turn, as long as that may be quoted, is worth
    a word, and is in no other quotation (``free``).
    """
    first, last = group[0], group[-1]

    def goes_with(at: int, *span: int) -> bool:
        if at not in free or stated[at].durability < LEAST_BESIDE:
            return False
        sentence = restated[at].sentence
        is_beside = sentence.turn == restated[first].sentence.turn and restating.may_be_quoted(sentence)
        return is_beside and _words_of(restated, *span) <= MOST_WORDS

    while goes_with(last + 1, first, last + 1):
        last += 1
    while goes_with(first - 1, first - 1, last):
        first -= 1
    return range(first, last + 1)


def _words_of(restated: Sequence[Restated], first: int, last: int) -> int:
    return sum(words_in(one.sentence.text) for one in restated[first : last + 1])


def each_once(sentences: Sequence[Candidate]) -> Iterator[Candidate]:
    """A note's sentences, each statement once: where the next one repeats it, that has it, with the best verdict."""
    best: Verdict | None = None
    for candidate, after in zip_longest(sentences, sentences[1:]):
        is_behind = candidate.restated.parsed is not candidate.restated.sentence.parsed
        best = max(best, candidate.verdict, key=lambda one: one.durability) if best and is_behind else candidate.verdict
        goes_on = (
            after is not None
            and after.restated.sentence.place is not None
            and after.restated.parsed is not after.restated.sentence.parsed
        )
        one = candidate.restated._replace(statement=None) if goes_on else candidate.restated
        yield Candidate(one, best if is_behind and one.sentence.place is not None else candidate.verdict)


def _says_something(candidate: Candidate) -> bool:
    """Whether it has words enough: a heading names what follows, and the sentences below it carry its meaning."""
    sentence, verdict = candidate.restated.sentence, candidate.verdict
    words = words_in(sentence.text)
    only_leads = sentence.place is not None and not is_sentence(sentence.parsed.tokens, is_order=False)
    is_heading = sentence.piece.form is Form.HEADING and (words < FEWEST_WORDS_OF_HEADING or only_leads)
    return not is_heading and (verdict.content_type != "chitchat" or words >= FEWEST_WORDS_OF_CHITCHAT)


def _is_uninformative(sentence: Sentence) -> bool:
    """Whether no reader learns anything from it: masked, unreadable, a bare verb in a box, or without content words."""
    text, words = sentence.text, [token for token in sentence.parsed.tokens if token.text[:1].isalnum()]
    if sentence.place is not None and len(text) <= LONGEST_LEAD and not sentence.setting.is_entry and not lead_of(text):
        return True  # only a day, and of nothing
    if _is_unreadable(text):
        return True
    if mask := _MASKED_AT_THE_END.search(text):
        before = [token for token in words if token.end <= mask.start()]
        is_said = mask["kind"] == "password" or mask["sign"] is not None or bool(before and before[-1].lemma == "be")
        return is_said and len(before) < _FEWEST_WORDS_BEFORE_MASK
    is_bare = [token.pos for token in words] == ["VERB"] or not any(map(is_content, words))
    return sentence.piece.form is Form.TODO and is_bare and language_of(text) == ENGLISH


def _is_unreadable(text: str) -> bool:
    """Whether many of its letters are lost: some beside those that are there, or most, in words without any other."""
    readable, lost = sum(map(str.isalpha, text)), sum(map(len, _LOST_LETTERS.findall(text)))
    return lost > LOST_OF_READABLE * readable or 2 * text.count(_LOST) > readable


def _sets_against(parsed: Parsed) -> bool:
    """Whether a clause of its own is set against what was said before it: no "long but beautiful journey"."""
    tokens = parsed.tokens
    at = next((at for at, token in enumerate(tokens) if token.lower == "but" and token.dep == "cc"), len(tokens))
    return any(token.dep in SUBJECTS for token in tokens[at + 1 :])


def _statement(candidate: Candidate, about: tuple[str, ...], source: SourceText) -> Statement:
    restated, verdict = candidate
    lasting: float | None = None
    sentence, content_type, value, why = restated.sentence, verdict.content_type, verdict.durability, verdict.why
    if worth.is_judged(restated, verdict, source):
        value, lasting = worth.judged(restated, verdict, source)
        why = f"{why}; worth a line ({value:.2f})"
        # The statement before it is enough by itself, unless this sentence says what became of it ("but ...").
        is_whole = restated.parsed is sentence.parsed or _sets_against(sentence.parsed)
        if content_type == "chitchat" and value >= FACT_FROM and is_whole:
            content_type = "insight"
    elif note_worth.is_judged(restated, verdict, source):
        value = note_worth.note_worth(restated, verdict, source)
        why = f"{why}; worth a line ({value:.2f})"
    is_said = not sentence.by_assistant and not sentence.setting.is_worked_on
    if content_type == "chitchat" and is_said and states_a_change(sentence.parsed):
        content_type, why = "insight", f"{why}; it tells a change"  # what it ends holds no longer
    statement, answer = (None, None) if _is_uninformative(sentence) else (restated.statement, restated.quotation)
    return Statement(
        text=sentence.text,
        of=sentence.place.above[-1] if sentence.place and statement and sentence.setting.is_of_somebody else "",
        speaker=sentence.speaker,
        turn=sentence.turn,
        content_type=content_type,
        is_instruction=verdict.is_instruction,
        durability=value,
        lasting=lasting,
        confidence=verdict.confidence,
        about=about[:MOST_ABOUT],
        statement=statement,
        quotation=answer or "",
        judged=why,
    )
