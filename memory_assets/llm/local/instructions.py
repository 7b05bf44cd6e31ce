"""Whether a sentence is a standing rule: how somebody wants to be treated from now on."""

from __future__ import annotations

import re

from memory_assets.llm.local.language import Parsed
from memory_assets.llm.local.lexicon import DIRECTIVE_VERBS, NOT_DIRECTIVE_VERBS
from memory_assets.llm.local.patterns import ADVERBS, I_OR_WE, first_of, table
from memory_assets.llm.local.polite import standing_request
from memory_assets.llm.local.sentence_marks import is_question

# Standing rules: a directive form is needed, not just the word "always".
INSTRUCTIONS = table(
    please_standing=r"\bplease,? (?:always|never|do ?n[o']?t ever|do not ever)\b(?! mind)",
    no_ever=r"\b(?:do not|don'?t) (?:you )?ever\b(?! (?:give up|change|think|forget)\b)",
    from_now_on=r"\b(?:from now on|from here on(?: out)?|from this point (?:on|forward)|from today on)\b",
    going_forward=r"\bgoing forward\b.*\b(?:please|you|i(?:'d| would)? (?:like|want|prefer)|let's|always|never|we (?:should|will|use))\b|^(?:please|always|never)\b.*\bgoing forward\b",
    remember_that=r"^(?:please |and |also )*(?:remember|note|keep in mind|bear in mind|don'?t forget)(?:,? please)?(?:,|:| that)? (?:i\b|i'm|i've|my\b|we\b|our\b|never\b|always\b)(?! (?:told|said|mentioned|asked|used to|was|were|had|did|saw|went|talked|discussed)\b)",
    prefer=rf"{I_OR_WE}{ADVERBS} prefer(?! not to (?:say|talk))(?!red)\b",
    would_prefer=rf"{I_OR_WE}(?:'d| would){ADVERBS} (?:prefer|rather)(?= (?:that )?you\b)",
    my_preference=r"\bmy (?:strong |general |personal |clear )?preference (?:is|for|remains|would be)\b",
    want_you_to_always=rf"{I_OR_WE}(?:'d| would)?{ADVERBS} (?:like|love|want|need|expect|ask|prefer)(?: for)? you(?: to)? (?:please )?(?:always|never|only|not|stop|keep)\b",
    make_sure_always=r"\b(?:make sure|be sure|ensure)(?: that)?(?: you| to)?(?: you)? (?:always|never)\b",
    you_must_always=r"\byou (?:should|must|need to|have to|are to) (?:please )?(?:always|never|only)\b.*\b(?:me|my|i)\b",
    for_anything=r"^(?:also |and )?(?:please )?(?:always )?(?:use|keep|give|write|answer|respond|reply|format|show|include|add|list|explain)\b.*\b(?:for (?:anything|everything|any|every|all|whatever)\b.*\b(?:i|you)\b|(?:of |in )?what(?:ever)? you (?:draft|write|send|suggest))|^(?:also |and |please )*remember (?:this )?for (?:every|all|any)\b|\bevery time, (?:because|please|so)\b",
    call_me=r"^(?:please |just |and |but |you can |everyone |everybody |people |friends |hi,? )*(?:call(?:s)?|address) me (?-i:[A-Z][a-z]+|by)\b(?! (?:when|if|at|on|tomorrow|later)\b)(?<!Back)",
    pronouns=r"\bmy pronouns are\b|\b(?:address|refer to) me (?:as|by)\b",
    unless_i_ask=r"\b(?:do not|don'?t|never|no|stop|avoid) .*\b(?:unless (?:i|we)\b|without (?:asking|checking|telling|my|our|talking))",
    by_default=r"^(?:please )?(?:use|keep|give|write|answer|respond|reply|format|show|send|include|add|list|explain|start|end|cc|put|make|assume|provide)\b.*\b(?:by default|every time|each time|at all times|whenever|any ?time|when(?:ever)? i (?:ask|say|send|share|request|mention|write|tell)|if i (?:ask|say|send|share|request|mention))\b",
    whenever_please=r"^(?:and |so |also )?(?:whenever|every time|any ?time|each time|(?:when|if) (?:i|we)\b|when you (?:ask|write|reply|answer|respond|suggest|recommend|send|book|schedule|draft|give|show|list|explain)) .*[,;] ?(?:please|always|never|make sure|i(?:'d| would)? (?:like|want|need|expect) you|you (?:should|must|need to)|don'?t|do not)\b",
    my_answers=rf"\bi(?:'d| would)?{ADVERBS} (?:like|want|need|prefer) (?:(?:all |every |any )?(?:of )?your (?:answers?|replies|reply|responses?|emails?|summaries|reports?|messages?|explanations?|code)|(?:all |every |any )(?:my |the )?(?:answers?|replies|responses?|emails?|summaries|reports?|messages?|explanations?|code)|(?:my|the) (?:answers|replies|explanations|summaries|emails|messages))\b.*\b(?:to be|to have|to include|in|as|short|brief)\b",
)
_PLEASE_DO_NOT = re.compile(
    r"\bplease,? (?:do not|don'?t|stop) (?!(?:hesitate|worry|mind|forget|get me|feel|wait|let me know|apologi[sz]e|be |think|take (?:this|it)|reply to this|respond to this|distribute|print|forward this|panic)\b)",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:me|my|i|i'm|ever|again|any ?more|unless|without|before \d|after \d|weekends?|evenings?|mornings?)\b",
    re.IGNORECASE,
)
_DIRECTIVE_OPENING = re.compile(
    r"^(?:(?:and|also|so|but|please|pls|then|again|ok|okay|rule|note|reminder|important)[,:]? )*(?:always|never)(?:,? ever,?)? (?P<verb>[\w'-]+)",
    re.IGNORECASE,
)
_CONDITION_OPENING = re.compile(
    r"^(?:and |so |also |but )?(?:when(?:ever)?|every time|any ?time|each time|if|for|before|after|in) [^,;]{3,160}[,;] (?:always |never |then |please )*(?P<verb>[\w'-]+)",
    re.IGNORECASE,
)
_STANDING_CONDITION = re.compile(
    r"^(?:and |so |also |but )?(?:whenever|every time|any ?time|each time|(?:when|if) (?:i|you) (?:ask|say|send|share|request|mention|write|tell|give|reply|answer|book|schedule|draft|suggest|recommend))\b|[,;] (?:always|never) ",
    re.IGNORECASE,
)
_FIRST_OR_SECOND = re.compile(
    r"\b(?:i|i'm|we|you|your|me|us|please|let's|always|never|my|our)\b", re.IGNORECASE
)
_THIRD = re.compile(r"\b(?:he|she|they|his|her|their|it)\b", re.IGNORECASE)
_MOTTO = re.compile(
    r"\bnever (?:mind|say never|give up|stop (?:believing|dreaming|learning)|know)\b|\balways (?:remember (?!that i\b|i\b|my\b)|believe|look on the bright|a pleasure|be yourself|follow your (?:heart|dream)|welcome|here for you|there for you)",
    re.IGNORECASE,
)


def instruction_in(text: str, parsed: Parsed) -> str | None:
    """The name of the standing-rule pattern that holds, if any."""
    if _MOTTO.search(text):
        return None
    if (polite := standing_request(text)) is not None:
        return polite
    if is_question(text) and not re.search(
        r"\bi(?:'d)? (?:\w+ )?prefer|from now on|\b(?:always|never) \w+ .*\bplease", text, re.IGNORECASE
    ):
        return None
    if (rule := first_of(INSTRUCTIONS, text)) is not None and (
        rule not in {"from_now_on", "prefer"} or _is_said_of_oneself(text, parsed)
    ):
        return rule
    if _PLEASE_DO_NOT.search(text) and _PERSONAL.search(text):
        return "please_do_not"
    opening = _DIRECTIVE_OPENING.match(text)
    if opening and _is_directive(opening["verb"], parsed, opening.start("verb")):
        return "always_or_never"
    condition = _CONDITION_OPENING.match(text)
    if (
        condition
        and _STANDING_CONDITION.search(text)
        and _is_directive(condition["verb"], parsed, condition.start("verb"))
    ):
        return "whenever"
    return None


def _is_said_of_oneself(text: str, parsed: Parsed) -> bool:
    """Whether "from now on" is said to somebody or of oneself; "he manages alone from now on" is news."""
    if _FIRST_OR_SECOND.search(text):
        return True
    if _THIRD.search(text):
        return False
    first, after = parsed.tokens[0], text.lower().find("from now on") + len("from now on")
    following = next((token for token in parsed.tokens if token.start >= after and token.text.isalpha()), None)
    return first.lower in DIRECTIVE_VERBS or (following is not None and following.tag == "VB")


def _is_directive(verb: str, parsed: Parsed, start: int) -> bool:
    """Whether the word at ``start`` is a bare verb that orders something."""
    if verb.lower() in NOT_DIRECTIVE_VERBS:
        return False
    token = next((token for token in parsed.tokens if token.start <= start < token.end), None)
    if verb.lower() in DIRECTIVE_VERBS:
        return True
    return token is not None and token.tag in {"VB", "VBP"} and token.lemma.lower() == verb.lower()
