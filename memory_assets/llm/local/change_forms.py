"""Forms of change that link two sayings for certain: "switched from OLD to NEW", "no longer X", "is now Y".

Which verbs have which roles is data (``change_forms.tsv``: name, kind, verbs, roles of the old and of the new); who
does what is the parser's. A form links only what is said of one subject, in the same words but for the value; a form of
another construction ("the ThinkPad died") is likely. Any doubt - a question, a condition, a
quotation, what is temporary, past or a joke - takes the certainty, not the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from memory_assets.llm.local.clause_roles import (
    BESIDE,
    DOING,
    JOINTS,
    OBJECT,
    SPEAKERS,
    SUBJECT,
    WHEN,
    WHY,
    Clause,
    Verbs,
    clauses_of,
    forms,
    predicates,
)
from memory_assets.llm.local.gazetteer import is_place
from memory_assets.llm.local.language import Parsed
from memory_assets.llm.local.pair_features import Word, stem, stems_of, words_of

UNSURE = frozenset(("doubt", "brief", "past", "joke", "also", "still", "partly", "several"))
"""Groups of ``pair_marks.tsv`` whose words in the later saying leave it open whether it changes anything."""
OF_CLAUSE = frozenset(("also", "still", "partly", "several"))
"""Those of them that say so of their clause alone: "I no longer eat meat, I eat fish again"."""
OF_CHANGE = frozenset(("now", "ends", "instead", "moves", "figures"))
OF_PAST = frozenset(("doubt", "past", "joke"))
OF_MORE = frozenset(("often", "doubt"))
"""Those whose words make an earlier saying one that nothing changes, and a task one that is not done at once."""
MOST_TOKENS = 40
ENDS = ("end", "give up", "stop", "rid")
"""The forms by which somebody's own ends."""
TIMES = "time"
_DAYS = (WHEN, "by", "before")
_THEIRS = frozenset(("his", "her", "their"))
_SHORT_SPANS = frozenset(("minut", "hour", "day", "week"))
_FOR_GOOD = frozenset(("good", "ever"))
_DOUBTS = frozenset('?"“”«»')
_ONE_OF = (("name", "number", "thing"), ("name", "number"))
"""Sorts of words two of which exclude each other as where something is, and as what it is."""
_NOUNS = frozenset(("name", "number", "thing", "kind", "bare"))
_NONE: frozenset[str] = frozenset()


class Form(NamedTuple):
    """A form of change that holds: its name and what it changes, for people."""

    name: str
    kind: str
    is_done: bool = False
    at: int = -1
    """Where in the earlier text the verb is whose clause holds no longer, -1 if there is none."""
    contradicts: bool = False
    is_likely: bool = False
    """Whether it mostly changes what was said: enough for a doubt, not to supersede."""


def is_plain(words: Sequence[Word], unsure: frozenset[str] = UNSURE) -> bool:
    """Whether a text says what it says without doubt: no question, quotation or condition, nothing for a while."""
    found = (word.marks for word in words if not word.is_name and ("ends" not in word.marks or "past" in word.marks))
    marks = _NONE.union(*found)
    return marks.isdisjoint(unsure) and not any(word.lower in _DOUBTS for word in words)


def may_link(earlier: Sequence[Word], later: Sequence[Word], is_task: bool) -> bool:
    """Whether two texts have the words without which no form links them: only these are worth a parser's time."""
    if not is_plain(later, UNSURE - OF_CLAUSE):
        return False
    said = {word.stem for word in later}
    if is_task and not said.isdisjoint(word.stem for word in earlier if word.worth > 0):
        return True
    return not said.isdisjoint(_form_words()) or any(not word.marks.isdisjoint(OF_CHANGE) for word in later)


@cache
def _form_words() -> frozenset[str]:
    verbs = {verb.partition("_")[0] for one in forms().values() for verb in one.verbs}
    return frozenset(map(stem, JOINTS | verbs | {"not"}))


def mentions_a_home(text: str) -> bool:
    """Whether a text may say where somebody lives or moves: what is said of one home shares no word with another."""
    verbs = {stem(verb) for name in ("home", "live") for verb in forms()[name].verbs}
    return any(word.stem in verbs for word in words_of(text)[0])


def states_a_change(parsed: Parsed) -> bool:
    """Whether a text says by its form that something of somebody's has ended or is otherwise now."""
    if len(parsed.tokens) > MOST_TOKENS or not is_plain(words_of(parsed.text)[0], UNSURE - OF_CLAUSE):
        return False
    clauses = (one for one in clauses_of(parsed, "") if one.is_asserted and "MD" not in one.helpers)
    return any(_ends_or_is_now(one) for one in clauses if is_plain(words_of(one.text)[0]))


def _ends_or_is_now(clause: Clause) -> bool:
    what = clause.but((SUBJECT, WHEN, BESIDE, *WHY)) - stems_of(TIMES)
    if not clause.subject or not what or clause.is_denied and not clause.is_over:
        return False
    if clause.is_over or clause.is_now and clause.verb.tag in ("VBP", "VBZ") and not clause.is_one_of("light"):
        return True
    return clause.is_past and any(clause.is_one_of(name) and clause.of(forms()[name].old) for name in ENDS)


def link(earlier: tuple[Parsed, str], later: tuple[Parsed, str], is_task: bool) -> Form | None:
    """The form by which the later of two sayings, each with its speaker, changes the earlier one."""
    (first, by), (second, said_by) = earlier, later
    if max(len(first.tokens), len(second.tokens)) > MOST_TOKENS:
        return None
    before, after = list(clauses_of(first, by)), list(clauses_of(second, said_by))
    words, others = words_of(first.text)[0], words_of(second.text)[0]
    if is_task and by == said_by and is_plain(words, OF_MORE) and is_plain(others) and not _lists(second):
        if any(_is_done(old, new) for new in after for old in before):
            return Form("done", "task", True)
    if not is_plain(others, UNSURE - OF_CLAUSE) or not is_plain(words, OF_PAST) or _lists(first, deeply=True):
        return None
    asserted = [one for one in after if one.is_asserted and is_plain(words_of(one.text)[0])]
    pairs = [(old, new) for new in asserted for old in before if by == said_by or old.is_of_named(by)]
    change, is_list = _Change(second), _lists(second)
    found = [
        form._replace(at=old.verb.start)
        for old, new in pairs
        if (form := _parts(old, new) or (None if is_list else change(old, new)))
    ]
    return next((form for form in found if not form.is_likely), found[0] if found else None)


def _lists(parsed: Parsed, *, deeply: bool = False) -> bool:
    """Whether a text joins things that change apart: "coffee and tea"; ``deeply``: "opens at 6 and closes at 10"."""
    tokens = parsed.tokens
    apart = {token.head for token in tokens if token.dep in ("nsubj", "nsubjpass")}
    if not deeply:
        apart |= {at for at, token in enumerate(tokens) if tokens[token.head].pos in ("VERB", "AUX")}
    return any(token.dep == "conj" and at not in apart for at, token in enumerate(tokens))


def _parts(old: Clause, new: Clause) -> Form | None:
    """Whether two who were together are no more: "Clara and Tom got divorced"."""
    ended = set(map(stem, predicates("part")))
    is_over = new.is_one_of("part") or new.verb.lemma == "be" and new.of((OBJECT,)) & ended
    if old.is_denied or old.is_past or new.is_denied or "MD" in new.helpers or not is_over:
        return None
    together = old.of([*old.roles]) | {stem(old.verb.lemma)}
    people = new.subject | new.others | new.of((OBJECT, "with", "from")) - ended
    is_couple = not together.isdisjoint(map(stem, predicates("together"))) and people - SPEAKERS <= together
    return Form("part", "relation") if is_couple and not people.isdisjoint(old.subject) else None


class _Change:
    """How a clause of a later text changes one of an earlier text."""

    def __init__(self, later: Parsed) -> None:
        tokens = later.tokens
        self.named = frozenset(stem(token.lower) for token in tokens if token.tag == "NNP")
        within = {at for name in later.names if name.label == "GPE" for at in range(name.start, name.end)}
        self.cities = self.named & {stem(tokens[at].lower) for at in within}
        self.places = self.cities | self.named & {stem(token.lower) for token in tokens if is_place(token.text)}

    def __call__(self, old: Clause, new: Clause) -> Form | None:
        """The form, None if it changes nothing."""
        if old.is_denied or old.is_past or new.is_denied and not new.is_over or "MD" in new.helpers:
            return None
        if new.is_over:
            if _follows(old, new):
                return Form("no longer", "status")
            rest = new.but((SUBJECT, WHEN, BESIDE, *WHY))
            is_of_it = bool(rest) and rest <= old.but((SUBJECT, WHEN)) and _is_same_subject(old, new)
            return Form("no longer so", "status", is_likely=True) if is_of_it else None
        both = ((one, other) for one in (old, old.turned) for other in (new, new.turned) if one and other)
        if form := next(filter(None, (_other_value(*pair, self.named) for pair in both)), None):
            return form
        matching = (one for one in forms().values() if one.old != ("-",) and new.is_one_of(one.name))
        found = [form for one in matching if (form := self._of_form(one, old, new))]
        return next((form for form in found if not form.is_likely), found[0] if found else None)

    def _of_form(self, form: Verbs, old: Clause, new: Clause) -> Form | None:
        """Whether what a form names as the old is what the earlier clause says, and all else of it is the same."""
        change = Form(form.name, form.kind)
        known = old.of([*old.roles]) | {stem(old.verb.lemma)}
        value = old.but((SUBJECT, WHEN))
        was, becomes = new.of(form.old), new.of(form.new)
        if form.name in ("gone", "leave") and new.of(("at",)) - value:
            return None  # "left at noon" is of one day
        if form.name == "gone":
            values = [one.but((SUBJECT, WHEN)) for one in (old, old.turned) if one]
            thing = was - SPEAKERS
            is_over = new.is_past and bool(thing) and not new.of((OBJECT,))
            return change._replace(is_likely=True) if is_over and any(thing <= some for some in values) else None
        if form.kind == "status" and (new.is_open or new.verb.lemma == old.verb.lemma):
            return None  # who repairs bikes may have sold one
        if form.name == "out of work":
            verb = f"{new.verb.lemma}_{new.particle}" if new.particle else new.verb.lemma
            is_out = "auxpass" in new.helpers or new.verb.lemma in ("resign", "retire")  # who lost may have played
            is_job = verb in form.verbs and (was == {"job"} or not was and is_out)
            is_at_work = old.verb.lemma == "work" and bool(old.of(("in", "at", "on", "for", "as", "with")))
            rest = new.but((OBJECT, SUBJECT, WHEN, BESIDE, *WHY, "after")) - stems_of(TIMES)
            if is_job and is_at_work and rest <= value and _is_same_subject(old, new):
                # What was quit after an hour is hardly what somebody does for a living.
                return change._replace(is_likely=not new.of(("after",)).isdisjoint(_SHORT_SPANS))
            return None
        agent = ("by",) if "auxpass" in new.helpers else ()
        is_made = form.kind in ("figure", "date") and bool(new.of((OBJECT,))) and OBJECT not in form.old
        # Who quits tennis after an injury quits it; who stops drinking coffee after lunch may drink some before.
        why = (*WHY, "after") if form.new == ("-",) and form.old != (DOING,) else WHY
        thing = new.but([*form.old, *form.new, *why, *agent, WHEN, SUBJECT, BESIDE]) - stems_of(TIMES) - _FOR_GOOD
        if SUBJECT not in form.new and not is_made:  # who raised the rent is no part of it
            thing |= new.subject - SPEAKERS
        if form.new != ("-",) and not becomes - known or not thing <= known:
            return None
        if SUBJECT not in form.new and not is_made and not new.subject <= SPEAKERS and not new.subject <= known:
            return None
        if is_made and not _THEIRS.isdisjoint(new.text.lower().split()):
            return None
        if form.kind == "home":
            is_at_home = old.is_one_of("live") and _is_same_subject(old, new)
            is_moved = was <= value if was else becomes <= self.places and not becomes & known
            is_sure = bool(was) or becomes <= self.cities  # Rust is a town, too
            return change._replace(is_likely=not is_sure) if is_at_home and is_moved else None
        if not was:
            own = old.subject - SPEAKERS
            # "The dentist moved the appointment": who moves it may be what it is called by.
            is_of_it = bool(own) and bool(thing) and thing <= own <= (thing | new.subject if is_made else thing)
            of_kind = _has_figure if form.kind == "figure" else _has_time
            if form.kind == "name" and is_of_it and old.verb.lemma in ("be", "call", "name"):
                return change
            is_one = form.kind in ("figure", "date") and of_kind(becomes) and of_kind(value)
            return change if is_of_it and is_one else None
        is_whole = was <= known - old.of((WHEN,)) if SUBJECT in form.new else was <= value | {stem(old.verb.lemma)}
        if is_whole and (_is_same_subject(old, new) or bool(thing)):
            return change._replace(is_likely=change.is_likely or form.name == "leave" and not was <= self.named)
        return None


def _follows(old: Clause, new: Clause) -> bool:
    """Whether the earlier clause says all that the later one denies: who works no more does not work there."""
    is_adjective = old.verb.lemma == "be" and "auxpass" in new.helpers and old.of((OBJECT,)) == {stem(new.verb.lower)}
    roles = [role for role in new.roles if role not in (*WHY, SUBJECT, BESIDE)]
    is_said = roles or is_adjective or not new.is_one_of("light")
    is_of_it = is_adjective or new.verb.lemma == old.verb.lemma
    is_less = all(new.roles[role] - _FOR_GOOD <= old.of((role,)) for role in roles)
    return bool(is_said) and is_of_it and is_less and _is_same_subject(old, new)


def _other_value(old: Clause, new: Clause, named: frozenset[str]) -> Form | None:
    """Whether two clauses say the same of one subject, but for one value, which is so now."""
    keys = [{role for role in one.roles if role not in (BESIDE, *WHY)} for one in (old, new)]
    if new.verb.lemma != old.verb.lemma or keys[0] != keys[1] or not _is_same_subject(old, new):
        return None
    differ = [role for role in keys[1] if new.roles[role] != old.roles[role] and role != SUBJECT]
    if len(differ) != 1:
        return None
    was, becomes = old.roles[differ[0]], new.roles[differ[0]]
    is_figure = _has_figure(becomes)
    is_said = new.is_now and not (old.is_new and new.is_new) or bool(new.instead) and new.instead <= was
    # "Dr. Lee" and "Dr. Shah" share a word, and so do two things that one may do beside each other.
    is_other = becomes - was if is_figure else was - becomes and (not becomes & was or new.verb.lemma == "be")
    if not is_said or _has_figure(was) != is_figure or not is_other:
        return None
    # Who is one thing now may still be the other, too.
    is_somebody = new.verb.lemma == "be" and differ == [OBJECT] and (new.subject <= SPEAKERS or new.is_of_person)
    if is_somebody and not is_figure and not becomes & was and not new.instead:
        return None
    # A new dentist is in the place of the old one, a new book is not.
    is_one = is_figure or becomes <= named and new.verb.lemma == "be"
    change = Form("now", "figure" if is_figure else "value", is_likely=new.is_new and not is_one)
    if new.verb.lemma != "be" or is_figure or new.instead and new.instead <= was:
        return change
    is_sure = _is_alike(old, new, differ[0])
    return None if is_sure is None else change._replace(is_likely=change.is_likely or not is_sure)


def _is_alike(old: Clause, new: Clause, role: str) -> bool | None:
    """Whether what two clauses say of one thing by "be" excludes each other, None if it does not: what was red may be
    clean now, and who is a nurse a mother.
    """
    (was, old_head), (becomes, new_head) = (one.heads.get(role, ("", "")) for one in (old, new))
    of_whom = [one.heads.get(OBJECT, ("", ""))[0] for one in (old, new)]
    if role != OBJECT and "quality" in of_whom:
        return False if of_whom[0] == of_whom[1] else None
    if not _NOUNS.issuperset((was, becomes)):
        return None
    are_times = all(_has_time(one.roles[role]) or one.heads[role][0] == "number" for one in (old, new))
    if was != becomes and not are_times and role == OBJECT and not new.is_turned:
        return None
    is_one = are_times or was == becomes and (was in _ONE_OF[role == OBJECT] or old_head == new_head)
    return is_one and old.subject == new.subject


def _is_same_subject(old: Clause, new: Clause) -> bool:
    is_bare = [one.subject <= SPEAKERS for one in (old, new)]
    subjects = (
        new.subject | old.subject if new.subject == {"we"} and old.subject == {"i"} else old.subject
    )  # "we" is me, too
    return bool(new.subject) and new.subject <= subjects and is_bare[0] == is_bare[1]


def _is_done(task: Clause, report: Clause) -> bool:
    """Whether a clause reports the work of a task as done: the same verb, and all its words."""
    lead, finish = (forms()[name].verbs for name in ("lead", "finish"))
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
    return not stems.isdisjoint(stems_of(TIMES) | {"am", "pm"}) or any(":" in one for one in stems)


def _has_figure(stems: frozenset[str]) -> bool:
    return any(one[:1].isdigit() for one in stems)
