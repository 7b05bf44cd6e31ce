"""Whether a sentence tells what somebody likes, chooses, does habitually, or is."""

from __future__ import annotations

import re

from memory_assets.llm.local.language import Parsed, specificity
from memory_assets.llm.local.lexicon import PERSON_NOUNS, RELATIVES
from memory_assets.llm.local.patterns import ADVERBS, DAY, DAYS, I_OR_WE, LEANING, first_of, table

PREFERENCES = table(
    likes=(
        rf"\b(?<!would )(?<!'d )i{ADVERBS} (?:like|love|hate|enjoy|dislike|adore|detest|despise|loathe|prefer|crave|"
        r"value)\b(?! (?:it|this|that|these|those|them|how|hearing|seeing you|your|you|to (?:hear|see you|know|say|"
        r"think)|what you|the (?:idea|way|sound|photo|pic|picture|colors?|look|vibe)s?)\b)(?! the \w+[.!])(?![.!?,]|$)"
    ),
    have_loved=(
        r"\bi(?:'ve| have) (?:always |never |long )(?:\w+ly )?(?:loved|liked|hated|enjoyed|preferred|wanted|been (?:a|"
        "an|into|fond|drawn|fascinated|interested|obsessed|passionate))"
    ),
    favourite=(
        r"\bmy (?:all-time |absolute |personal |very |current |new |second )*(?:favou?rites?|fave|go-to|dream job|"
        r"pet peeve|comfort food)\b"
    ),
    leaning=(
        f"{I_OR_WE}(?:'m| am|'re| are){ADVERBS} (?:not )?(?:a )?(?:big |huge |real )?(?:leaning towards?|"
        "more comfortable|used to (?!be)|fan of|into (?!the)|(?:not )?fond of|keen on|partial to|obsessed with|"
        r"passionate about|fascinated by|hooked on|addicted to|crazy about|interested in)\b"
    ),
    lightweight=rf"{I_OR_WE}(?:'m| am|'re| are) trying to (?:keep|avoid|stick|minimi[sz]e|limit)\b",
    dietary=(
        r"\bi(?:'m| am| have| suffer from|'ve been)(?: \w+){0,3} (?:allerg(?:y|ies|ic)|intolerant|vegan|vegetarian|"
        "pescatarian|lactose|gluten|c(?:o)?eliac|diabet(?:ic|es)|asthma(?:tic)?|afraid of|scared of|terrified of|"
        r"dyslexi[ac]|colou?r-?blind|left-handed|migraines?)\b"
    ),
    allergic_to=r"\b(?:allergic to|allergy to)\b",
    cannot_stand=rf"{I_OR_WE} (?:can'?t|cannot|can not) (?:stand|tolerate|eat|drink|live without)\b",
    does_not=(
        f"{I_OR_WE} (?:don'?t|do not){ADVERBS} (?:like|eat|drink|use|enjoy|care for|drive|smoke|wear|want (?:any|you|"
        r"to (?:use|see|get|be called)))\b"
    ),
    wants_only=rf"{I_OR_WE} only (?:want(?! to)|accept|use|take|drink|eat|fly|buy|need|read|work)\b",
    would_rather=rf"{I_OR_WE}(?:'d| would){ADVERBS} (?:rather|prefer)\b",
    favours=(
        rf"{I_OR_WE}{ADVERBS} (?:favou?r (?!it\b|that\b|this\b)|lean (?:more )?towards?)\b|\bi(?:'ve|"
        r" have)?(?: \w+ly)? preferred\b.*\b(?:over|to|rather than|instead of)\b"
    ),
    choice=(
        r"\bi(?:'ve| have)? (?:(?:just|also|finally) )?(?:decided|cho(?:se|sen)|opted|picked(?! up\b)|settled (?:on|"
        r"for)|(?:went|gone) (?:with|for))\b(?=.*\b(?:(?<!\bit )(?<!\bthat )over(?! (?:the (?:weekend|week|phone|"
        "years?|holidays?|bridge|summer|winter)|there|here|lunch|dinner|breakfast|coffee|time|it|with|to|a|an|"
        r"\d\w*)\b)|instead of|rather than)\b)|\bi(?:'ve| have)? (?:just |also )?decided against\b"
    ),
    suits=r"\b(?:works? best for|suits?) me\b",
    identity_name=(
        r"\bmy (?:full |first |last |middle |maiden |nick)?(?:name|birthday|pronouns|hometown|email(?: address)?|"
        "phone(?: number)?|address|blood type|native language|mother tongue|zodiac sign|time ?zone)(?:'s| is| was|"
        r" are)\b"
    ),
    identity_family=(
        rf"\bmy (?:\w+ )?(?:{RELATIVES})(?:'s name| named|,? [A-Z]\w+,)?(?:'s (?=an? |the |in |at |called|named|from|"
        r"allergic|vegan|vegetarian|\d|(?-i:[A-Z]))| is| are| was born| lives?| works?| turned| turns| has|"
        r" have)\b(?! (?:been (?:so|really|great)|so |really |very |such|doing|going|getting|being|having|coming|"
        "asking|waiting|loving))"
    ),
    identity_live=(
        r"\bi(?:'ve)?(?: (?:currently|now|also|still|have|actually|mostly|mainly))* (?:live|lived|work|reside|grew up|"
        r"was born|was raised|study|teach|commute|volunteer|major(?:ed)?)(?: \w+ly| remotely| part-time|"
        r" full-time)? (?:in|at|as|for|near|on|from|to|out of)\b(?! (?:it|this|that|home|least|the moment|you|"
        r"improving|it's)\b)"
    ),
    identity_from=(
        r"\bi(?:'m| am)(?: \w+ly)? (?:from (?!the )|based in|married|divorced|widowed|engaged to|retired|originally|"
        r"\d{1,2} years? old|\d{2}(?=[.,]|$)|in my (?:early |mid |late )?\d0s|fluent|bilingual|self-employed|single\b)"
    ),
    identity_have=(
        r"\bi(?:'ve| have)(?: got)? (?:a|an|two|three|four|five|\d) (?:\w+[- ]){0,2}(?:kids?|child(?:ren)?|sons?|"
        "daughters?|dogs?|cats?|siblings?|brothers?|sisters?|wife|husband|pets?|puppy|grandchildren|snakes?|"
        r"turtles?)\b"
    ),
    identity_speak=r"\bi(?:'m)? (?:\w+ly )?(?:speak|speaking) (?-i:[A-Z])\w+|\bi identify as\b",
    habit_every=(
        rf"{I_OR_WE} (?:\w+ ){{1,5}}(?:every|each) (?:single |other )?(?:morning|day|night|evening|week|weekend|month|"
        rf"year|{DAY})\b|{I_OR_WE} (?:\w+ ){{1,5}}(?:once|twice|\w+ times) an? (?:day|week|month|year)\b|"
        rf"\bon {DAYS},? i\b"
    ),
)
_HABIT = re.compile(
    r"\bi (?:always|never|usually|typically|generally|normally|rarely|seldom|tend to|refuse to|avoid|stick (?:to|"
    r"with)|try to (?:always|avoid|keep)|make a point of) (?P<verb>[\w'-]+)",
    re.IGNORECASE,
)
_I_AM_A = re.compile(
    r"\bi(?:'m| am)(?: \w+ly| also| just| still)* (?:an?|the) (?P<noun>(?:[\w'-]+ ){0,3}[\w'-]+)",
    re.IGNORECASE,
)
_PERSON_SUFFIX = re.compile(
    r"(?:(?<=[^\W\d]{3})(?:ist|ian|eer|ologist|ographer|wright)|(?:teach|engin|design|develop|manag|writ|paint|"
    "danc|work|own|lead|own|found|research|programm|lectur|farm|bak|produc|report|volunt|train|trad|bank|mak|"
    "creat|edit|direct|doct|act|auth|consult|account|assist|lawy|sing|perform|own|play|run|lov|drink)(?:er|or|eer|"
    "ant))$",
    re.IGNORECASE,
)
_NOT_A_PERSON = re.compile(
    r"^(?:bit|little|lot|few|huge fan of (?:it|this|that)|mess|wreck|winner|goner|disaster)\b", re.IGNORECASE
)

_TELLING_LEANING = 0.6


_NO_HABIT = frozenset(
    (
        "thought knew mind know imagined expected realized realised been think forget felt feel seen give get want "
        "wanted struggle miss"
    ).split()
)


def preference_in(text: str, parsed: Parsed) -> str | None:
    """The name of the pattern by which a sentence tells of its speaker, if any."""
    if LEANING.match(text) and specificity(parsed) < _TELLING_LEANING:
        return None  # "That is the bit I do not like": whatever that was, it does not say
    if (rule := first_of(PREFERENCES, text)) is not None:
        return rule
    habit = _HABIT.search(text)
    if habit and _is_present(habit["verb"], parsed, habit.start("verb")):
        return "habit"
    person = _I_AM_A.search(text)
    if person and not _NOT_A_PERSON.match(person["noun"]):
        words = [word.lower() for word in person["noun"].split()]
        if any(word in PERSON_NOUNS or _PERSON_SUFFIX.search(word) for word in words):
            return "identity_is"
    return None


def _is_present(verb: str, parsed: Parsed, start: int) -> bool:
    if verb.lower() in _NO_HABIT:
        return False
    token = next((token for token in parsed.tokens if token.start <= start < token.end), None)
    return token is not None and token.tag in {"VB", "VBP", "VBG"}
