"""Forms of change that link two sayings for certain: "switched from OLD to NEW", "no longer X", "is now Y".

Which verbs have which roles is data (``change_forms.tsv``: name, kind, verbs, roles of the old and of the new); who
does what is the parser's. A form links only what is said of one subject, in the same words but for the value. Any doubt
- a question, a condition, a quotation, what is temporary, past or a joke - takes the certainty, not the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from memory_assets.llm.local.language import Parsed, Token
from memory_assets.llm.local.pair_features import Word, stem, stems_of, words_of

FORMS = "change_forms.tsv"
UNSURE = frozenset(("doubt", "brief", "past", "joke", "also", "still", "partly", "several"))
"""Groups of ``pair_marks.tsv`` whose words in the later saying leave it open whether it changes anything."""
OF_CLAUSE = frozenset(("also", "still", "partly", "several"))
"""Those of them that say so of their clause alone: "I no longer eat meat, I eat fish again"."""
OF_CHANGE = frozenset(("now", "ends", "instead", "moves", "figures"))
OF_PAST = frozenset(("doubt", "past", "joke"))
OF_MORE = frozenset(("often", "doubt"))
"""Those whose words make an earlier saying one that nothing changes, and a task one that is not done at once."""
MOST_TOKENS = 40
SELF = {"i": "i", "my": "i", "me": "i", "we": "we", "our": "we", "us": "we"}
TIMES = "time"
SPEAKERS = frozenset(SELF.values())
SUBJECT, OBJECT, WHEN, DOING = "subject", "object", "when", "doing"
_DAYS = (WHEN, "by", "before")
_ROLES = {"nsubj": SUBJECT, "nsubjpass": SUBJECT, "npadvmod": WHEN, "advmod": WHEN, "xcomp": DOING}
_APART = frozenset("conj advcl relcl parataxis ccomp acl intj".split())
_JOINTS = frozenset(("now", "nowadays", "longer", "anymore", "more", "just", "instead", "rather"))
_DOUBTS = frozenset('?"“”«»')
_NONE: frozenset[str] = frozenset()


class Form(NamedTuple):
    """A form of change that holds: its name and what it changes, for people."""

    name: str
    kind: str
    is_done: bool = False
    at: int = -1
    """Where in the earlier text the verb stands whose clause holds no longer, -1 if no verb tells."""
    contradicts: bool = False


class _Verbs(NamedTuple):
    name: str
    kind: str
    verbs: frozenset[str]
    old: tuple[str, ...]
    new: tuple[str, ...]


class Clause(NamedTuple):
    """A verb with the stems of the telling words that depend on it, by role ("subject", "object", a preposition)."""

    verb: Token
    is_led: bool
    """Whether it is the verb of a sentence, or what somebody needs or wants to do."""
    roles: Mapping[str, frozenset[str]]
    helpers: frozenset[str]
    """The small words beside the verb, and the tags of those."""
    instead: frozenset[str]
    """What it is said not to be: "on Wednesday, not Tuesday"."""
    text: str

    @property
    def subject(self) -> frozenset[str]:
        return self.roles.get(SUBJECT, _NONE)

    @property
    def is_over(self) -> bool:
        return "longer" in self.helpers or self.is_denied and not self.helpers.isdisjoint(("anymore", "more"))

    @property
    def is_denied(self) -> bool:
        return not self.helpers.isdisjoint(("neg", "never"))

    @property
    def is_told(self) -> bool:
        """Whether it says that something is so: not "wants me to stop"."""
        return self.verb.dep in ("ROOT", "conj") or self.verb.tag not in ("VB", "VBG")

    @property
    def is_past(self) -> bool:
        is_present = not self.helpers.isdisjoint(("is", "are", "am", "'m", "'s", "'re"))
        return self.verb.tag == "VBD" or self.verb.tag == "VBN" and not is_present

    def is_of_named(self, speaker: str) -> bool:
        """Whether it speaks of somebody or something that is not the speaker's own."""
        own = {stem(name.lower()) for name in speaker.split()}
        return bool(self.subject) and self.subject.isdisjoint(SPEAKERS | own)

    def of(self, roles: Sequence[str]) -> frozenset[str]:
        """The words that have one of these roles."""
        return _NONE.union(*(self.roles.get(role, _NONE) for role in roles))

    def but(self, roles: Sequence[str]) -> frozenset[str]:
        """The words that have none of these roles."""
        return self.of([role for role in self.roles if role not in roles])


@cache
def _forms() -> Mapping[str, _Verbs]:
    rows = (files("memory_assets.llm.local") / FORMS).read_text(encoding="utf-8").splitlines()
    cut = (row.split("\t") for row in rows)
    return {
        name: _Verbs(name, kind, frozenset(verbs.split()), tuple(old.split()), tuple(new.split()))
        for name, kind, verbs, old, new in cut
    }


@cache
def predicates(name: str) -> frozenset[str]:
    """The verbs of a row of the forms."""
    return _forms()[name].verbs


def is_plain(words: Sequence[Word], unsure: frozenset[str] = UNSURE) -> bool:
    """Whether a text says what it says without doubt: no question, quotation or condition, nothing for a while."""
    told = (word.marks for word in words if not word.is_name and ("ends" not in word.marks or "past" in word.marks))
    marks = _NONE.union(*told)
    return marks.isdisjoint(unsure) and not any(word.lower in _DOUBTS for word in words)


def may_link(earlier: Sequence[Word], later: Sequence[Word], is_task: bool) -> bool:
    """Whether two texts have the words without which no form links them: only these are worth a parser's time."""
    if not is_plain(later, UNSURE - OF_CLAUSE):
        return False
    said = {word.stem for word in later}
    if is_task:
        return not said.isdisjoint(word.stem for word in earlier if word.worth > 0)
    return not said.isdisjoint(_form_words()) or any(not word.marks.isdisjoint(OF_CHANGE) for word in later)


@cache
def _form_words() -> frozenset[str]:
    return frozenset(map(stem, _JOINTS.union({"not"}, *(one.verbs for one in _forms().values()))))


def tells_a_home(text: str) -> bool:
    """Whether a text may say where somebody lives or moves: what is said of one home shares no word with another."""
    verbs = {stem(verb) for name in ("home", "live") for verb in _forms()[name].verbs}
    return any(word.stem in verbs for word in words_of(text)[0])


def link(earlier: tuple[Parsed, str], later: tuple[Parsed, str], is_task: bool) -> Form | None:
    """The form by which the later of two sayings, each with its speaker, changes the earlier one for certain."""
    (first, by), (second, said_by) = earlier, later
    is_doubtful = not is_plain(words_of(second.text)[0], UNSURE if is_task else UNSURE - OF_CLAUSE)
    if max(len(first.tokens), len(second.tokens)) > MOST_TOKENS or is_doubtful:
        return None
    before = list(_clauses(first, by))
    after = [one for one in _clauses(second, said_by) if is_task or one.is_told and is_plain(words_of(one.text)[0])]
    pairs = ((old, new) for new in after for old in before if by == said_by or old.is_of_named(by))
    if is_task:
        is_whole = by == said_by and is_plain(words_of(first.text)[0], OF_MORE) and not _lists(second)
        return Form("done", "task", True) if is_whole and any(_is_done(*pair) for pair in pairs) else None
    if not is_plain(words_of(first.text)[0], OF_PAST) or _lists(first, deeply=True) or _lists(second):
        return None
    named = frozenset(stem(token.lower) for token in second.tokens if token.tag == "NNP")
    places = frozenset(
        stem(token.lower)
        for name in second.names
        if name.label == "GPE"
        for token in second.tokens[name.start : name.end]
    )
    found = ((form, pair[0]) for pair in pairs if (form := _changes(*pair, named, places & named)))
    return next((form._replace(at=old.verb.start) for form, old in found), None)


def _lists(parsed: Parsed, *, deeply: bool = False) -> bool:
    """Whether a text joins things that change apart: "coffee and tea"; ``deeply``: "opens at 6 and closes at 10"."""
    tokens = parsed.tokens
    apart = {token.head for token in tokens if token.dep in ("nsubj", "nsubjpass")}
    if not deeply:
        apart |= {at for at, token in enumerate(tokens) if tokens[token.head].pos in ("VERB", "AUX")}
    return any(token.dep == "conj" and at not in apart for at, token in enumerate(tokens))


def _changes(old: Clause, new: Clause, named: frozenset[str], places: frozenset[str]) -> Form | None:
    """How one clause changes another, if it does."""
    if old.is_denied or old.is_past or new.is_denied and not new.is_over or "MD" in new.helpers:
        return None
    if _is_same_frame(old, new):
        differ = [role for role in new.roles if new.roles[role] != old.roles[role] and role != SUBJECT]
        if new.is_over and all(new.roles[role] < old.roles[role] for role in differ):
            return Form("no longer", "status")
        if len(differ) == 1 and not new.is_over:
            was, becomes = old.roles[differ[0]], new.roles[differ[0]]
            is_said = not new.helpers.isdisjoint(("now", "instead")) or bool(new.instead) and new.instead <= was
            is_figure = _has_figure(becomes)
            if is_said and _has_figure(was) == is_figure and (becomes - was if is_figure else not becomes & was):
                return Form("now", "figure" if is_figure else "value")
    if new.instead and new.verb.lemma == old.verb.lemma and new.subject <= old.subject | SPEAKERS:
        said = old.of([*old.roles])
        if new.instead <= said and old.of((OBJECT,)) & new.of((OBJECT,)):
            return Form("instead", "choice")
    told = (one for one in _forms().values() if one.old != ("-",) and new.verb.lemma in one.verbs and not new.is_over)
    return next((Form(one.name, one.kind) for one in told if _is_told(one, old, new, named, places)), None)


def _is_same_frame(old: Clause, new: Clause) -> bool:
    """Whether two clauses say the same of one subject, but for the values."""
    return new.verb.lemma == old.verb.lemma and old.roles.keys() == new.roles.keys() and _is_same_subject(old, new)


def _is_same_subject(old: Clause, new: Clause) -> bool:
    is_bare = [one.subject <= SPEAKERS for one in (old, new)]
    told = (
        new.subject | old.subject if new.subject == {"we"} and old.subject == {"i"} else old.subject
    )  # "we" is me, too
    return bool(new.subject) and new.subject <= told and is_bare[0] == is_bare[1]


def _is_told(form: _Verbs, old: Clause, new: Clause, named: frozenset[str], places: frozenset[str]) -> bool:
    """Whether what a form names as the old is what the earlier clause says, and all else of it is the same."""
    known = old.of([*old.roles]) | {stem(old.verb.lemma)}
    was, becomes = new.of(form.old), new.of(form.new)
    thing = new.but([*form.old, *form.new, WHEN, SUBJECT]) - stems_of(TIMES) | (new.subject - SPEAKERS)
    if form.new != ("-",) and not becomes - known or not thing <= known:
        return False
    if not new.subject <= SPEAKERS and not new.subject <= known:
        return False
    value = old.but((SUBJECT, WHEN))
    if form.kind == "home":
        is_at_home = old.verb.lemma in _forms()["live"].verbs and _is_same_subject(old, new)
        return is_at_home and (was <= value if was else becomes <= places and not becomes & known)
    if not was:
        is_of_it = bool(old.subject - SPEAKERS) and old.subject - SPEAKERS == thing
        of_kind = _has_figure if form.kind == "figure" else _has_time
        return form.kind in ("figure", "date") and is_of_it and of_kind(becomes) and of_kind(value)
    if form.name == "leave" and not was <= named:
        return False
    return was <= value | {stem(old.verb.lemma)} and (_is_same_subject(old, new) or bool(thing))


def _is_done(task: Clause, report: Clause) -> bool:
    """Whether a clause tells the work of a task as done: the same verb, and all its words."""
    lead, finish = (_forms()[name].verbs for name in ("lead", "finish"))
    if report.verb.tag not in ("VBD", "VBN") or not report.helpers.isdisjoint(("MD", "being", "neg", "never")):
        return False
    if report.verb.dep not in ("ROOT", "conj") or report.verb.lemma not in finish | {task.verb.lemma}:
        return False
    if not task.is_led or task.verb.lemma in lead or task.verb.tag in ("VBD", "VBN") or task.is_denied:
        return False
    asked, did = task.but((*_DAYS, SUBJECT)), report.but((WHEN, SUBJECT))
    does = report.subject
    if "auxpass" in report.helpers and not does <= SPEAKERS:
        did, does = did | does - SPEAKERS, _NONE
    is_same = task.subject | does <= SPEAKERS or does == task.subject
    return is_same and bool(asked) and asked == did


def _has_time(stems: frozenset[str]) -> bool:
    return not stems.isdisjoint(stems_of(TIMES))


def _has_figure(stems: frozenset[str]) -> bool:
    return any(one[:1].isdigit() for one in stems)


def _clauses(parsed: Parsed, speaker: str) -> Iterator[Clause]:
    """The clauses of a text; "I" of a speaker with a name is that name."""
    tokens = parsed.tokens
    against = _instead(tokens)
    for at, verb in enumerate(tokens):
        if verb.pos not in ("VERB", "AUX") or verb.dep not in ("ROOT", "conj", "ccomp", "xcomp"):
            continue
        roles: dict[str, set[str]] = {}
        helpers: set[str] = set()
        instead: set[str] = set()
        own = [at]
        for place, token in enumerate(tokens):
            role, is_beside = _role(tokens, place, at)
            if role or is_beside:
                own.append(place)
            if place not in against and (is_beside or role and token.lower in _JOINTS):
                helpers |= {token.lower, token.dep, token.tag if token.dep == "aux" else ""}
            if role and place in against:
                instead |= {stem(token.lower)} if _tells(token) else set()
            elif role == SUBJECT and token.lower in SELF:
                roles.setdefault(role, set()).update(_speaker(SELF[token.lower], speaker))
            elif role and _tells(token):
                roles.setdefault(role, set()).add(stem(token.lower))
        if SUBJECT not in roles and verb.dep in ("conj", "xcomp"):
            heads = [place for place in range(len(tokens)) if _role(tokens, place, verb.head)[0] == SUBJECT]
            told = [
                _speaker(SELF[tokens[one].lower], speaker) if tokens[one].lower in SELF else {stem(tokens[one].lower)}
                for one in heads
                if tokens[one].lower in SELF or _tells(tokens[one])
            ]
            roles |= {SUBJECT: set().union(*told)} if told else {}
        is_led = verb.dep in ("ROOT", "conj") or tokens[verb.head].lemma in _forms()["lead"].verbs
        yield Clause(
            verb,
            is_led,
            {role: frozenset(some) for role, some in roles.items()},
            frozenset(helpers),
            frozenset(instead),
            " ".join(tokens[place].text for place in sorted(own)),
        )


def _speaker(pronoun: str, speaker: str) -> set[str]:
    return {stem(name.lower()) for name in speaker.split()} if speaker and pronoun == "i" else {pronoun}


def _role(tokens: Sequence[Token], place: int, verb: int) -> tuple[str, bool]:
    """Which role a word has with a verb, "" if none; and whether it stands beside it."""
    if place == verb:
        return "", False
    found, at = "", place
    while tokens[at].head != verb:
        if tokens[at].dep in _APART and not (at != place and tokens[at].dep == "conj") or tokens[at].head == at:
            return "", False
        at = tokens[at].head
        if tokens[at].dep == "prep" and not found:
            found = tokens[at].lower
            # The parser takes "from 300 to 400" for one place.
            found = "to" if found == "from" and "to" in [one.lower for one in tokens[at:place]] else found
    if tokens[at].dep in _APART:
        return "", tokens[at].dep == "conj" and at == place
    role = _ROLES.get(tokens[at].dep, OBJECT)
    return role if role == SUBJECT or not found else found, at == place


def _tells(token: Token) -> bool:
    return (
        token.text[:1].isalnum() and token.lower not in _JOINTS and (token.pos in ("NUM", "PROPN") or not token.is_stop)
    )


def _instead(tokens: Sequence[Token]) -> frozenset[int]:
    """The places of what is said not to be: behind "instead of", "rather than" and ", not"."""
    found: set[int] = set()
    for at in range(1, len(tokens) - 1):
        pair = (tokens[at - 1].lower, tokens[at].lower)
        if pair in (("instead", "of"), ("rather", "than"), (",", "not"), ("and", "not")):
            end = next(
                (p for p in range(at + 1, len(tokens)) if tokens[p].pos in ("PUNCT", "ADP", "CCONJ") and p > at + 1),
                len(tokens),
            )
            found.update(range(at, end))
    return frozenset(found)
