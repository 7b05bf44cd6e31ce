"""Who and what a source speaks of, with the evidence for it.

Speakers are persons by construction. The pipeline's names are noisy on chat, so each has to earn its
confidence: by being said again, by staying capitalised, by being a proper noun to the tagger and rare
in general English; its label is the majority's in the source. Concepts are noun phrases (adjectives
and nouns before a noun), by repetition and rarity. Subpoints are the sentences that speak of it, and
who or what else is named there. An assistant's answers only add mentions of what people named: long
answers with their title-case headings would bury it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memory_assets.llm.local import lexicon
from memory_assets.llm.local.language import Parsed, Token, rarity
from memory_assets.llm.local.reading import Sentence, short_names, speakers
from memory_assets.llm.local.sentences import Form
from memory_assets.llm.tasks import ExtractedEntity, SourceText

KEPT_CONFIDENCE = 7.0  # what the entities room keeps from (004, Phase 2, Step 1)
MOST_SUBPOINTS = 8
FEWEST_SUBPOINTS = 3  # more than two subpoints are needed to be kept (same place)
SUBPOINT_LENGTH = 160
MOST_ENTITIES = 48


@dataclass
class Candidate:
    """What the source says of one name or phrase. ``sentences`` are positions in the reading, ``echoes`` an assistant's."""

    key: str
    kind: str
    forms: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    sentences: dict[int, None] = field(default_factory=dict)
    echoes: dict[int, None] = field(default_factory=dict)
    proper: int = 0
    is_speaker: bool = False
    is_addressed: bool = False
    in_title: bool = False
    confidence: float = 0.0

    @property
    def name(self) -> str:
        """The form said most; among equals the longest, then the first in the alphabet."""
        return min(self.forms, key=lambda form: (-self.forms[form], -len(form), form))


@dataclass(frozen=True)
class Found:
    """The entities of a source, and for each sentence the names of those that it mentions."""

    entities: tuple[ExtractedEntity, ...]
    about: tuple[tuple[str, ...], ...]


_POSSESSIVE = re.compile(r"['’]s?$")
_ARTICLE = re.compile(
    r"^(?:the|a|an|my|our|your|his|her|their|its|this|that|these|those|some|any|dear|hi|hey|hello|thanks|mr\.?|mrs\.?|ms\.?|dr\.?)\s+",
    re.IGNORECASE,
)
_ADDRESSED = "addressed"
_SALUTATION = re.compile(
    r"(?i:hi|hey|hello|dear|thanks|thank you|good morning|good afternoon),? (?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?=\s*[,!.:–-])"
)
_NAME = re.compile(r"[^\W\d_][\w'’.&+#/-]*(?: [\w'’.&+#/-]+){0,5}$")


def find_entities(source: SourceText, reading: Sequence[Sentence], title: Parsed | None = None) -> Found:
    """All persons, entities and concepts of a source, strongest first, and what each sentence is about."""
    people = _people(source, reading)
    candidates = _names(reading, people)
    candidates.update(_concepts(reading, candidates))
    for candidate in people.values():
        candidates.setdefault(candidate.key, candidate)
    _add_mentions(reading, candidates)
    if title is not None:
        _credit_title(candidates.values(), title)
    ranked = _rank(list(candidates.values()), len(reading), len(source.turns))
    named_in = _names_by_sentence(ranked)
    entities = tuple(_entity(candidate, reading, named_in) for candidate in ranked)
    return Found(entities, tuple(tuple(named_in.get(position, ())) for position in range(len(reading))))


def _people(source: SourceText, reading: Sequence[Sentence]) -> dict[str, Candidate]:
    """The speakers, under each short name that only one of them answers to."""
    names = speakers(source)
    result: dict[str, Candidate] = {}
    owner: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for short in short_names([name]):
            owner[short.lower()].add(name)
    candidates = {
        name: Candidate(name.lower(), "person", Counter({name: 10_000}), is_speaker=True) for name in names
    }
    for name, candidate in candidates.items():
        result[name.lower()] = candidate
    for short, whose in owner.items():
        if len(whose) == 1 and short not in lexicon.NOT_NAMES:
            result.setdefault(short, candidates[next(iter(whose))])
    for position, sentence in enumerate(reading):
        for token in sentence.parsed.tokens:
            if token.is_capitalised and (known := result.get(token.lower)) is not None:
                known.sentences[position] = None
    return result


def _names(reading: Sequence[Sentence], people: dict[str, Candidate]) -> dict[str, Candidate]:
    """Candidates from the pipeline's names and from capitalised proper nouns within a sentence."""
    found: dict[str, Candidate] = {}
    lower_case = Counter(token.text for s in reading for token in s.parsed.tokens if token.text.islower())
    for position, sentence in enumerate(reading):
        if sentence.by_assistant or sentence.piece.form is Form.HEADING:
            continue
        for text, label, proper in (*_addressee(sentence), *name_spans(sentence.parsed)):
            name = clean_name(text)
            if name is None or (known := people.get(name.lower())) is not None:
                if name is not None and known is not None:
                    known.sentences[position] = None
                continue
            if " " not in name and lower_case[name.lower()] > 0 and rarity(name.lower()) < 3.5:
                continue
            candidate = found.setdefault(name.lower(), Candidate(name.lower(), "entity"))
            candidate.forms[name] += 1
            candidate.labels["PERSON" if label == _ADDRESSED else label] += 1
            candidate.is_addressed |= label == _ADDRESSED
            candidate.proper += proper
            candidate.sentences[position] = None
    _join_first_names(found)
    for candidate in found.values():
        candidate.kind = "person" if _is_person(candidate, lower_case) else "entity"
    return found


def _add_mentions(reading: Sequence[Sentence], candidates: dict[str, Candidate]) -> None:
    """Where an assistant speaks of what people named. Such mentions are told, but weigh nothing."""
    for position, sentence in enumerate(reading):
        if not sentence.by_assistant:
            continue
        words = [
            token.lemma.lower() if token.pos == "NOUN" else token.lower for token in sentence.parsed.tokens
        ]
        grams = (
            " ".join(words[at : at + size]) for size in (1, 2, 3, 4) for at in range(len(words) - size + 1)
        )
        for gram in dict.fromkeys(grams):
            if (candidate := candidates.get(gram)) is not None:
                candidate.echoes[position] = None


def _addressee(sentence: Sentence) -> Iterable[tuple[str, str, bool]]:
    """Whoever is greeted by name is a person, whatever the pipeline thinks."""
    if match := _SALUTATION.match(sentence.text):
        yield match["name"], _ADDRESSED, True


def name_spans(parsed: Parsed) -> Iterable[tuple[str, str, bool]]:
    """(text, label, is a proper noun to the tagger) of each name-like span; label "" when only tagged."""
    taken: set[int] = set()
    for span in parsed.names:
        taken.update(range(span.start, span.end))
        tokens = list(parsed.tokens[span.start : span.end])
        # "Tell Jeannie", "Configure Redis": an order's verb is no part of a name.
        while len(tokens) > 1 and (
            tokens[0].tag in {"VB", "VBP", "UH", "VBG", "IN", "CC", "WRB"}
            or (tokens[0].start == 0 and rarity(tokens[0].lower) < 1.6)
        ):
            tokens = tokens[1:]
        if span.label == "PERSON" or span.label in lexicon.ENTITY_TYPES:
            text = parsed.text[tokens[0].start : tokens[-1].end]
            yield text, span.label, any(token.pos == "PROPN" for token in tokens)
    run: list[Token] = []
    for index, token in enumerate([*parsed.tokens, None]):
        if (
            token is not None
            and index not in taken
            and token.pos == "PROPN"
            and token.is_capitalised
            and len(run) < 5
        ):
            run.append(token)
            continue
        # A single capitalised word that opens the sentence says nothing.
        if run and (len(run) > 1 or run[0].start > 0):
            yield parsed.text[run[0].start : run[-1].end], "", True
        run = []


def clean_name(text: str) -> str | None:
    """A display name without articles, titles, possessives and marks; None when it can be no name."""
    name = re.sub(r"\s+", " ", text).strip(" \"'“”‘’.,;:!?()[]{}*_#~`-–—/\\|<>")
    while (shorter := _ARTICLE.sub("", name, count=1)) != name:
        name = shorter
    name = _POSSESSIVE.sub("", name).strip(" .,;:!?-")
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
    if re.search(
        r"@|//| [-–—|#] |[a-z][A-Z]\w*\(|\w_\w|\.(?:js|py|html?|css|json|csv|txt|docx?|xlsx?|pdf|pptx?|gif|jpe?g|png)\b",
        name,
    ):
        return None
    return name


def _join_first_names(found: dict[str, Candidate]) -> None:
    """ "Anna" is "Anna Schmidt" when the source knows one person with that first name."""
    full: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in found.values():
        if " " in candidate.key and _label(candidate) == "PERSON":
            full[candidate.key.split()[0]].append(candidate)
    for first, owners in sorted(full.items()):
        if len(owners) == 1 and first in found:
            short = found.pop(first)
            owner = owners[0]
            owner.labels.update(short.labels)
            owner.proper += short.proper
            owner.forms[owner.name] += sum(short.forms.values())
            owner.sentences = dict.fromkeys(sorted({*owner.sentences, *short.sentences}))


def _is_person(candidate: Candidate, lower_case: Counter[str]) -> bool:
    """By majority, unless it is written as no person is, or its last word is a common noun of this source."""
    if _label(candidate) != "PERSON" or not re.fullmatch(
        r"(?:[^\W\d_]+['’.-]?)+(?: (?:[^\W\d_]+['’.-]?)+)*", candidate.name
    ):
        return False
    words = candidate.name.split()
    if (
        any(
            word[1:] != word[1:].lower()
            and not re.match(r"(?:Mc|Mac|O['’]|De|Di|Le|La|Van)[A-Z]", word)
            and "-" not in word
            for word in words
        )
        and len(words) < 3
    ):
        return all(word.isupper() and len(word) > 3 for word in words) and len(words) > 1
    last = words[-1].lower()
    return not (lower_case[last] > 0 and rarity(last) < 4.5) and last not in lexicon.TYPE_OF_LAST_WORD


def _label(candidate: Candidate) -> str:
    """The majority label; the tagger's unlabelled sightings do not vote."""
    votes = [(count, label) for label, count in candidate.labels.items() if label]
    return min(votes, key=lambda vote: (-vote[0], vote[1]))[1] if votes else ""


def _concepts(reading: Sequence[Sentence], names: dict[str, Candidate]) -> dict[str, Candidate]:
    """Noun phrases of one to three words, each also under its shorter endings and its nouns."""
    found: dict[str, Candidate] = {}
    for position, sentence in enumerate(reading):
        if sentence.by_assistant:
            continue
        for phrase in noun_phrases(sentence.parsed):
            # Modifiers count by themselves: "adoption agency" speaks of adoption, whatever comes after it.
            endings = [phrase[-length:] for length in range(1, len(phrase) + 1)]
            for words in [*endings, *([word] for word in phrase[:-1] if word.pos == "NOUN")]:
                key = " ".join(word.lemma.lower() for word in words)
                if key in names or not _is_concept(words):
                    continue
                candidate = found.setdefault(key, Candidate(key, "concept"))
                candidate.forms[key] += 1
                candidate.sentences[position] = None
    return found


def noun_phrases(parsed: Parsed) -> Iterable[list[Token]]:
    """Runs of adjectives and nouns that end in a noun; at most the last three words."""
    run: list[Token] = []
    for token in (*parsed.tokens, None):
        if token is not None and token.pos in {"ADJ", "NOUN"} and _is_word(token):
            run.append(token)
            continue
        while run and run[-1].pos != "NOUN":
            run.pop()
        if run:
            run = run[-3:]
            # Common adjectives ("new", "great") belong to the moment, not to the concept.
            while len(run) > 1 and (
                run[0].pos == "ADJ"
                and rarity(run[0].lower) < 2.6
                or run[0].lower in lexicon.VAGUE_NOUNS
                or run[0].is_stop
            ):
                run = run[1:]
            yield run
        run = []


def _is_word(token: Token) -> bool:
    return (
        len(token.text) > 1
        and bool(re.fullmatch(r"[^\W\d_][\w&+/-]*(?:['’]s)?", token.text))
        and len(token.text) <= 30
    )


def _is_concept(words: Sequence[Token]) -> bool:
    head = words[-1]
    lemma = head.lemma.lower()
    if (
        lemma in lexicon.VAGUE_NOUNS
        or head.lower in lexicon.VAGUE_NOUNS
        or lemma in lexicon.NOT_NAMES
        or len(lemma) < 3
    ):
        return False
    if lemma.endswith("in") and rarity(lemma + "g") < rarity(lemma):
        return False  # "thinkin"
    if lemma in lexicon.TIME_NOUNS or any(word.lower in lexicon.NOT_NAMES for word in words):
        return False
    if not re.fullmatch(r"[a-z][a-z&+/-]*", lemma) or "/" in lemma and len(lemma) > 15:
        return False
    return len(words) > 1 or rarity(lemma) >= 1.9


def _credit_title(candidates: Iterable[Candidate], title: Parsed) -> None:
    lemmas = f" {' '.join(token.lemma.lower() for token in title.tokens)} "
    words = f" {' '.join(token.lower for token in title.tokens)} "
    for candidate in candidates:
        candidate.in_title = f" {candidate.key} " in lemmas or f" {candidate.key} " in words


def _rank(candidates: list[Candidate], sentences: int, turns: int) -> list[Candidate]:
    """Confidence from the evidence; then only as many concepts stay above the bar as a source can be about."""
    for candidate in candidates:
        candidate.confidence = _confidence(candidate)
    ranked = sorted(
        candidates, key=lambda c: (-c.confidence, -len(c.sentences), -rarity(c.key.split()[-1]), c.key)
    )
    room = {
        "concept": 3 + min(7, sentences // 14),
        "entity": 4 + min(10, sentences // 10),
        "person": 6 + min(14, turns // 4),
    }
    for candidate in ranked:
        if candidate.is_speaker or candidate.confidence < KEPT_CONFIDENCE:
            continue
        room[candidate.kind] -= 1
        if room[candidate.kind] < 0:
            candidate.confidence = KEPT_CONFIDENCE - 0.5
    ranked.sort(key=lambda c: (-c.confidence, -len(c.sentences), c.key))
    # Ties in one name: "pottery" as a concept beats "Pottery" as a name only by standing first.
    return ranked[:MOST_ENTITIES]


def _confidence(candidate: Candidate) -> float:
    if candidate.is_speaker:
        return 10.0
    said = len(candidate.sentences) + (1.5 if candidate.in_title else 0)
    head = candidate.key.split()[-1]
    words = candidate.key.count(" ") + 1
    if candidate.kind == "concept":
        value = {1: 4.0, 2: 6.3}.get(int(said), 7.0 + 0.2 * min(6, said - 3))
        value += 0.8 * (words > 1) + 0.5 * max(0.0, min(2.0, rarity(head) - 2.4)) + 1.0 * candidate.in_title
        return min(9.0, value)
    total = sum(candidate.labels.values())
    labelled = total - candidate.labels[""]
    value = 5.0 + min(2.0, 0.9 * (said - 1))
    value += 1.0 * (candidate.proper >= 0.6 * total) + 1.0 * (words > 1) + 0.7 * (labelled >= 0.5 * total)
    value += 1.0 * candidate.is_addressed
    value += 0.4 * max(-2.0, min(2.5, rarity(head) - 3.0))
    votes = candidate.labels[_label(candidate)]
    if labelled and votes < 0.6 * labelled:
        value -= 0.8
    if not labelled and words == 1 and said < 2:
        value -= 1.5
    return max(0.0, min(9.5, value))


def _names_by_sentence(ranked: Sequence[Candidate]) -> dict[int, list[str]]:
    result: dict[int, list[str]] = defaultdict(list)
    for candidate in ranked:
        for position in (*candidate.sentences, *candidate.echoes):
            result[position].append(candidate.name)
    return result


def _entity(
    candidate: Candidate, reading: Sequence[Sentence], named_in: dict[int, list[str]]
) -> ExtractedEntity:
    """The answer for one candidate: its sentences as subpoints, then who and what is named beside it."""
    texts: dict[str, None] = {}
    beside: Counter[str] = Counter()
    for position in candidate.sentences:
        texts.setdefault(_short(reading[position].text))
        beside.update(name for name in named_in.get(position, ()) if name != candidate.name)
    if candidate.kind != "concept" and len(texts) + len(beside) < FEWEST_SUBPOINTS:
        # Named once, in a short message: what the sentences around it speak of belongs to it too.
        for position in candidate.sentences:
            for near in (position - 1, position + 1):
                if 0 <= near < len(reading) and reading[near].turn == reading[position].turn:
                    beside.update(name for name in named_in.get(near, ()) if name != candidate.name)
    subpoints = list(texts)[:MOST_SUBPOINTS]
    subpoints += sorted(beside, key=lambda name: (-beside[name], name))[: MOST_SUBPOINTS - len(subpoints)]
    if candidate.is_speaker:
        spoken = (
            s.text for s in reading if s.speaker is not None and s.speaker.lower().startswith(candidate.key)
        )
        subpoints += [
            t for t in dict.fromkeys(_short(text) for text in spoken if len(text) > 30) if t not in texts
        ]
    if candidate.in_title:
        subpoints.append("named in the title")
    return ExtractedEntity(
        kind=candidate.kind,  # type: ignore[arg-type]
        name=candidate.name,
        entity_type=_entity_type(candidate),
        confidence=round(candidate.confidence, 1),
        subpoints=tuple(dict.fromkeys(subpoints))[:MOST_SUBPOINTS],
    )


def _short(text: str) -> str:
    if len(text) <= SUBPOINT_LENGTH:
        return text
    return text[:SUBPOINT_LENGTH].rsplit(" ", 1)[0] + " …"


def _entity_type(candidate: Candidate) -> str:
    if candidate.kind != "entity":
        return candidate.kind
    last = candidate.key.split()[-1].strip(".")
    if " " in candidate.key and last in lexicon.TYPE_OF_LAST_WORD:
        return lexicon.TYPE_OF_LAST_WORD[last]
    return lexicon.ENTITY_TYPES.get(_label(candidate), "other")
