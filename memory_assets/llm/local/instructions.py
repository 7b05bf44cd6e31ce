"""Whether a sentence is a standing rule: how somebody wants to be treated from now on, in a polite dress too.

A question or a wish is a rule when it says so ("always", "never", "from now on", "in future", "any more"), or when
it speaks of all that the other one writes ("keep your answers short", "no emojis, please"). What may be meant for
this once is none.
"""

from __future__ import annotations

import re

from memory_assets.llm.local.language import Parsed
from memory_assets.llm.local.lexicon import DIRECTIVE_VERBS, NOT_DIRECTIVE_VERBS
from memory_assets.llm.local.patterns import ADVERBS, I_OR_WE, first_of, is_question, table

# Standing rules: a directive form is needed, not just the word "always".
INSTRUCTIONS = table(
    please_standing=r"\bplease,? (?:always|never|do ?n[o']?t ever|do not ever)\b(?! mind)",
    no_ever=r"\b(?:do not|don'?t) (?:you )?ever\b(?! (?:give up|change|think|forget)\b)",
    from_now_on=r"\b(?:from now on|from here on(?: out)?|from this point (?:on|forward)|from today on)\b",
    going_forward=(
        r"\bgoing forward\b.*\b(?:please|you|i(?:'d| would)? (?:like|want|prefer)|let's|always|never|we (?:should|will|"
        r"use))\b|^(?:please|always|never)\b.*\bgoing forward\b"
    ),
    remember_that=(
        "^(?:please |and |also )*(?:remember|note|keep in mind|bear in mind|don'?t forget)(?:,? please)?(?:,|:|"
        r" that)? (?:i\b|i'm|i've|my\b|we\b|our\b|never\b|always\b)(?! (?:told|said|mentioned|asked|used to|was|were|"
        r"had|did|saw|went|talked|discussed)\b)"
    ),
    prefer=rf"{I_OR_WE}{ADVERBS} prefer(?! not to (?:say|talk))(?!red)\b",
    would_prefer=rf"{I_OR_WE}(?:'d| would){ADVERBS} (?:prefer|rather)(?= (?:that )?you\b)",
    my_preference=r"\bmy (?:strong |general |personal |clear )?preference (?:is|for|remains|would be)\b",
    want_you_to_always=(
        f"{I_OR_WE}(?:'d| would)?{ADVERBS} (?:like|love|want|need|expect|ask|"
        r"prefer)(?: for)? you(?: to)? (?:please )?(?:always|never|only|not|stop|keep)\b"
    ),
    make_sure_always=r"\b(?:make sure|be sure|ensure)(?: that)?(?: you| to)?(?: you)? (?:always|never)\b",
    you_must_always=(
        r"\byou (?:should|must|need to|have to|are to) (?:please )?(?:always|never|only)\b.*\b(?:me|my|i)\b"
    ),
    for_anything=(
        "^(?:also |and )?(?:please )?(?:always )?(?:use|keep|give|write|answer|respond|reply|format|show|include|add|"
        r"list|explain)\b.*\b(?:for (?:anything|everything|any|every|all|whatever)\b.*\b(?:i|you)\b|(?:of |"
        "in )?what(?:ever)? you (?:draft|write|send|suggest))|^(?:also |and |please )*remember (?:this )?for (?:every|"
        r"all|any)\b|\bevery time, (?:because|please|so)\b"
    ),
    call_me=(
        "^(?:please |just |and |but |you can |everyone |everybody |people |friends |hi,? )*(?:call(?:s)?|"
        r"address) me (?-i:[A-Z][a-z]+|by)\b(?! (?:when|if|at|on|tomorrow|later)\b)(?<!Back)"
    ),
    pronouns=r"\bmy pronouns are\b|\b(?:address|refer to) me (?:as|by)\b",
    unless_i_ask=(
        r"\b(?:do not|don'?t|never|no|stop|avoid) .*\b(?:unless (?:i|we)\b|without (?:asking|checking|telling|my|our|"
        "talking))"
    ),
    by_default=(
        "^(?:please )?(?:use|keep|give|write|answer|respond|reply|format|show|send|include|add|list|explain|start|end|"
        r"cc|put|make|assume|provide)\b.*\b(?:by default|every time|each time|at all times|whenever|any ?time|"
        "when(?:ever)? i (?:ask|say|send|share|request|mention|write|tell)|if i (?:ask|say|send|share|request|"
        r"mention))\b"
    ),
    whenever_please=(
        r"^(?:and |so |also )?(?:whenever|every time|any ?time|each time|(?:when|if) (?:i|we)\b|when you (?:ask|write|"
        "reply|answer|respond|suggest|recommend|send|book|schedule|draft|give|show|list|explain)) .*[,;] ?(?:please|"
        "always|never|make sure|i(?:'d| would)? (?:like|want|need|expect) you|you (?:should|must|need to)|don'?t|"
        r"do not)\b"
    ),
    my_answers=(
        rf"\bi(?:'d| would)?{ADVERBS} (?:like|want|need|prefer) (?:(?:all |every |any )?(?:of )?your (?:answers?|"
        "replies|reply|responses?|emails?|summaries|reports?|messages?|explanations?|code)|(?:all |every |"
        "any )(?:my |the )?(?:answers?|replies|responses?|emails?|summaries|reports?|messages?|explanations?|code)|"
        r"(?:my|the) (?:answers|replies|explanations|summaries|emails|messages))\b.*\b(?:to be|to have|to include|in|"
        r"as|short|brief)\b"
    ),
)
_PLEASE_DO_NOT = re.compile(
    r"\bplease,? (?:do not|don'?t|stop) (?!(?:hesitate|worry|mind|forget|get me|feel|wait|let me know|apologi[sz]e|"
    r"be |think|take (?:this|it)|reply to this|respond to this|distribute|print|forward this|panic)\b)",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:me|my|i|i'm|ever|again|any ?more|unless|without|before \d|after \d|weekends?|evenings?|mornings?)\b",
    re.IGNORECASE,
)
_DIRECTIVE_OPENING = re.compile(
    "^(?:(?:and|also|so|but|please|pls|then|again|ok|okay|rule|note|reminder|important)[,:]? )*(?:always|"
    r"never)(?:,? ever,?)? (?P<verb>[\w'-]+)",
    re.IGNORECASE,
)
_CONDITION_OPENING = re.compile(
    "^(?:and |so |also |but )?(?:when(?:ever)?|every time|any ?time|each time|if|for|before|after|"
    r"in) [^,;]{3,160}[,;] (?:always |never |then |please )*(?P<verb>[\w'-]+)",
    re.IGNORECASE,
)
_STANDING_CONDITION = re.compile(
    "^(?:and |so |also |but )?(?:whenever|every time|any ?time|each time|(?:when|if) (?:i|you) (?:ask|say|send|"
    r"share|request|mention|write|tell|give|reply|answer|book|schedule|draft|suggest|recommend))\b|[,;] (?:always|"
    "never) ",
    re.IGNORECASE,
)
_FIRST_OR_SECOND = re.compile(r"\b(?:i|i'm|we|you|your|me|us|please|let's|always|never|my|our)\b", re.IGNORECASE)
_THIRD = re.compile(r"\b(?:he|she|they|his|her|their|it)\b", re.IGNORECASE)
_MOTTO = re.compile(
    r"\bnever (?:mind|say never|give up|stop (?:believing|dreaming|learning)|know)\b|"
    r"\balways (?:remember (?!that i\b|i\b|my\b)|believe|look on the bright|a pleasure|be yourself|"
    "follow your (?:heart|dream)|welcome|here for you|there for you)",
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


_LEAD = r"^(?:(?:and|also|so|but|oh|then|one more thing|another thing|btw|by the way|hi|hey|ok|okay)[,:]? )*"
_PLEASE = r"(?:(?:please|kindly|perhaps|maybe|also|just),? ){0,4}"
_STANDING = (
    "(?:always|never|only ever|from now on|going forward|in (?:the )?future|at all times|every time|each time|"
    "whenever|by default)"
)
_WRITING = (
    "(?:answers?|replies|reply|responses?|messages|emails|summaries|explanations?|texts|suggestions|recommendations|"
    "outputs?|drafts)"
)
_ALL_OF_IT = rf"\b(?:(?:all |any |every |each )(?:of )?(?:your )?|your (?:\w+ )?){_WRITING}\b"
_STYLE = (
    "(?:emojis?|emoticons|bullets?(?: points?| lists?)?|lists|jargon|small talk|exclamation (?:marks|points)|"
    "markdown|tables|headings|"
    r"hashtags|abbreviations|acronyms|slang|filler|pleasantries|nicknames|disclaimers|puns)"
)
_DO = (
    "(?:add|address|answer|ask|avoid|book|call|check|cite|confirm|double-check|explain|format|give|include|keep|"
    "leave|limit|list|make|"
    "mention|name|phrase|prefer|provide|put|quote|remind|reply|respond|round|send|share|show|skip|spell|start|"
    "suggest|tell|translate|use|write)"
)

POLITE = table(
    **{
        "would_you_always": f"{_LEAD}(?:can|could|would|will) you {_PLEASE}(?:make sure (?:to |that you |you )?|"
        "be sure to |try to |remember to )?"
        rf"(?:always|never|from now on)\b(?! mind)(?=.*\b(?:please|me|my|i|us|our|your)\b)",
        "please_stop": (
            rf"{_LEAD}(?:can|could|would|will) you {_PLEASE}(?:stop|avoid|quit) (?!being\b)\w+ing\b(?=.*\b(?:{_STYLE}|"
            r"me|my|your)\b)"
        ),
        "would_you_mind": (
            rf"{_LEAD}(?:(?:would|do) you )?mind (?:(?:always|never) \w+ing\b|not \w+ing\b(?=.*(?:{_STYLE}|"
            f"{_ALL_OF_IT}|{_STANDING})))"
        ),
        "may_i_ask": f"{_LEAD}(?:(?:would|is) it (?:be )?possible(?: for you)?|(?:can|could|may|might) i ask (?:you|"
        "that you)|i(?:'d| would| must|'ll)? "
        rf"(?:like to )?ask (?:you|that you))(?: to)? {_PLEASE}(?:always|never|only ever)\b",
        "i_would_appreciate": r"\bi(?:'d| would)(?: \w+)? (?:(?:appreciate|like|love|prefer) it|be (?:\w+ )?(?:grateful|glad|happy|"  # noqa: E501
        "thankful)) if "
        rf"you (?:could |would |can )?{_PLEASE}(?:(?:always|never|only|stopped)\b|(?=.*(?:{_ALL_OF_IT}|"
        rf"\b{_STANDING}\b))|(?:wrote|spoke|answered|replied) (?:to me )?in\b)",
        "it_would_be_good": r"^it(?:'s| is|'d be| would be)(?: \w+)? (?:important|essential|crucial|vital|great|good|nice|helpful|"  # noqa: E501
        "better|best)(?: (?:to|for) me)? "
        rf"(?:that|if) you (?:could |would |can )?{_PLEASE}(?:always|never)\b",
        "refrain_from": rf"{_LEAD}(?:please|kindly),? (?:refrain from|avoid) (?:\w+ing\b|{_STYLE})",
        "all_you_write": (
            rf"{_LEAD}{_PLEASE}(?:you (?:can|may|should) )?(?:do not |don't )?{_DO}\b.*{_ALL_OF_IT}(?! (?:to|from|of|"
            "about) )"
        ),
        "no_style": rf"{_LEAD}(?:please,? )?no (?:more )?{_STYLE}(?: (?:or|and) {_STYLE})?,? ?(?:please|thanks|thank you)\b"  # noqa: E501
        rf"|{_LEAD}please,? no (?:more )?{_STYLE}\b",
        "never_want": r"\bi (?:never|don't ever|do not ever) want (?:to (?:see|get|receive|hear|read)|you|any)\b(?! .*\bagain\b)",  # noqa: E501
        "only_want_answers": rf"\bi only (?:ever )?(?:want|need|like) {_WRITING}\b",
        "under_no_circumstances": rf"{_LEAD}{_PLEASE}under no circumstances (?:(?:should|may|must|are) you (?:to )?)?{_DO}\b",  # noqa: E501
        "make_it_a_rule": rf"{_LEAD}{_PLEASE}make it (?:a|your) (?:rule|habit) (?:to|that)\b",
        "in_future": rf"{_LEAD}(?:in|for)(?: the)? future(?: reference)?,? {_PLEASE}(?:{_DO}\b|do not\b|don't\b|no {_STYLE}|i(?:'d| would)? prefer\b|i(?:'d| would)? (?:want|like)\b(?=.*(?:\byou|{_WRITING}|{_STYLE}))"  # noqa: E501
        r"|(?<=reference, )i want\b|(?<=reference )i want\b)"
        r"(?! to (?:live|be|go|visit|see|travel|have|become|learn|try)\b)",
        "lets_always": r"^let's (?:please )?(?:always|never) (?!(?:speak|talk|do|say|forget|remember|mind)\b)\w+(?!.*\bagain\b)",  # noqa: E501
        "remember_before_every": rf"{_LEAD}{_PLEASE}remember to {_DO}\b(?=.*\b(?:me|my|us|our)\b).*\b(?:any|every|each|whenever|always)\b",  # noqa: E501
    }
)


_HOLDS_ON = re.compile(rf"\b{_STANDING}\b", re.IGNORECASE)
_FOR_ONCE = re.compile(
    r"\b(?:today|tonight|tomorrow|this (?:time|once|week(?:end)?|morning|afternoon|evening)|at \d+|"
    r"(?:by|before|until|till|on|next|this) (?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)


def standing_request(text: str) -> str | None:
    """The name of the polite form of a standing rule that ``text`` has (straight quotes), if any.

    What is asked for one day ("Please avoid driving tomorrow") is none, unless it says that it holds on.
    """
    if _FOR_ONCE.search(text) and not _HOLDS_ON.search(text):
        return None
    return first_of(POLITE, text)


# What nobody could tick off: "I'll stay motivated", "I'll make a difference in the world".
_VOW = re.compile(
    rf"{_LEAD}(?:if [^,]{{3,60}}, )?(?:i|we)(?:'ll| will|(?:'m| am|'re| are) going to)(?: \w+ly| also| always| just)* (?:"  # noqa: E501
    r"be (?:\w+ly |more )?(?:willing|patient|persistent|open|confident|excited|happy|glad|proud|grateful|ready|careful|mindful|fine|okay|honest|positive|thankful)\b"  # noqa: E501
    r"|(?:feel|stay|remain|enjoy|appreciate|celebrate|believe|trust|embrace|cherish|treasure)\b"
    r"|make (?:a|the) (?:\w+ )?difference\b|leave a (?:\w+ )?(?:impact|mark|legacy)\b|(?:do|try|give it) my (?:very )?(?:best|all)\b|never give up\b"  # noqa: E501
    r"|keep (?:you posted|in touch|going|trying|learning|it up|that in mind|this in mind|an open mind)\b|learn from my mistakes\b"  # noqa: E501
    r"|(?:ask|let you know|reach out|get back to you)\b.{0,30}$)",
    re.IGNORECASE,
)


# Of whom or what it is, so that it can be ticked off after all: "I'll ask Anna", "I'll get back to you about the
# contract".
_OF_SOMETHING = re.compile(
    r"(?<=[\w,] )(?!(?-i:I)\b)(?-i:[A-Z])[\w'-]+|\b(?:ask|reach out to|about) (?:the|my|our|his|her|their|this|that)\b|\bto (?:finish|complete|send|book|submit|call|fix)\b",  # noqa: E501
    re.IGNORECASE,
)


def is_vow(text: str) -> bool:
    """Whether ``text`` (straight quotes) is a good intention rather than a task."""
    return _VOW.match(text) is not None and _OF_SOMETHING.search(text) is None
