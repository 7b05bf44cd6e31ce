"""Phrases that mean more or less than they say: rules in a polite dress ("Could you please never ...?"), empty vows. Pure.

A question or a wish is a rule when it says so ("always", "never", "from now on", "in future", "any more"), or when it speaks of
all that the other one writes ("keep your answers short", "no emojis, please"). What may be meant for this once is none.
"""

from __future__ import annotations

import re

_LEAD = r"^(?:(?:and|also|so|but|oh|then|one more thing|another thing|btw|by the way|hi|hey|ok|okay)[,:]? )*"
_PLEASE = r"(?:(?:please|kindly|perhaps|maybe|also|just),? ){0,4}"
_STANDING = r"(?:always|never|only ever|from now on|going forward|in (?:the )?future|at all times|every time|each time|whenever|by default)"
_WRITING = (
    r"(?:answers?|replies|reply|responses?|messages|emails|summaries|explanations?|texts|suggestions|recommendations|outputs?|drafts)"
)
_ALL_OF_IT = rf"\b(?:(?:all |any |every |each )(?:of )?(?:your )?|your (?:\w+ )?){_WRITING}\b"
_STYLE = (
    r"(?:emojis?|emoticons|bullets?(?: points?| lists?)?|lists|jargon|small talk|exclamation (?:marks|points)|markdown|tables|headings|"
    r"hashtags|abbreviations|acronyms|slang|filler|pleasantries|nicknames|disclaimers|puns)"
)
_DO = (
    r"(?:add|address|answer|ask|avoid|book|call|check|cite|confirm|double-check|explain|format|give|include|keep|leave|limit|list|make|"
    r"mention|name|phrase|prefer|provide|put|quote|remind|reply|respond|round|send|share|show|skip|spell|start|suggest|tell|translate|use|write)"
)

_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(form, re.IGNORECASE))
    for name, form in {
        "would_you_always": rf"{_LEAD}(?:can|could|would|will) you {_PLEASE}(?:make sure (?:to |that you |you )?|be sure to |try to |remember to )?"
        rf"(?:always|never|from now on)\b(?! mind)(?=.*\b(?:please|me|my|i|us|our|your)\b)",
        "please_stop": rf"{_LEAD}(?:can|could|would|will) you {_PLEASE}(?:stop|avoid|quit) (?!being\b)\w+ing\b(?=.*\b(?:{_STYLE}|me|my|your)\b)",
        "would_you_mind": rf"{_LEAD}(?:(?:would|do) you )?mind (?:(?:always|never) \w+ing\b|not \w+ing\b(?=.*(?:{_STYLE}|{_ALL_OF_IT}|{_STANDING})))",
        "may_i_ask": rf"{_LEAD}(?:(?:would|is) it (?:be )?possible(?: for you)?|(?:can|could|may|might) i ask (?:you|that you)|i(?:'d| would| must|'ll)? "
        rf"(?:like to )?ask (?:you|that you))(?: to)? {_PLEASE}(?:always|never|only ever)\b",
        "i_would_appreciate": r"\bi(?:'d| would)(?: \w+)? (?:(?:appreciate|like|love|prefer) it|be (?:\w+ )?(?:grateful|glad|happy|thankful)) if "
        rf"you (?:could |would |can )?{_PLEASE}(?:(?:always|never|only|stopped)\b|(?=.*(?:{_ALL_OF_IT}|\b{_STANDING}\b))|(?:wrote|spoke|answered|replied) (?:to me )?in\b)",
        "it_would_be_good": r"^it(?:'s| is|'d be| would be)(?: \w+)? (?:important|essential|crucial|vital|great|good|nice|helpful|better|best)(?: (?:to|for) me)? "
        rf"(?:that|if) you (?:could |would |can )?{_PLEASE}(?:always|never)\b",
        "refrain_from": rf"{_LEAD}(?:please|kindly),? (?:refrain from|avoid) (?:\w+ing\b|{_STYLE})",
        "all_you_write": rf"{_LEAD}{_PLEASE}(?:you (?:can|may|should) )?(?:do not |don't )?{_DO}\b.*{_ALL_OF_IT}(?! (?:to|from|of|about) )",
        "no_style": rf"{_LEAD}(?:please,? )?no (?:more )?{_STYLE}(?: (?:or|and) {_STYLE})?,? ?(?:please|thanks|thank you)\b"
        rf"|{_LEAD}please,? no (?:more )?{_STYLE}\b",
        "never_want": r"\bi (?:never|don't ever|do not ever) want (?:to (?:see|get|receive|hear|read)|you|any)\b(?! .*\bagain\b)",
        "only_want_answers": rf"\bi only (?:ever )?(?:want|need|like) {_WRITING}\b",
        "under_no_circumstances": rf"{_LEAD}{_PLEASE}under no circumstances (?:(?:should|may|must|are) you (?:to )?)?{_DO}\b",
        "make_it_a_rule": rf"{_LEAD}{_PLEASE}make it (?:a|your) (?:rule|habit) (?:to|that)\b",
        "in_future": rf"{_LEAD}(?:in|for)(?: the)? future(?: reference)?,? {_PLEASE}(?:{_DO}\b|do not\b|don't\b|no {_STYLE}|i(?:'d| would)? prefer\b|i(?:'d| would)? (?:want|like)\b(?=.*(?:\byou|{_WRITING}|{_STYLE}))"
        r"|(?<=reference, )i want\b|(?<=reference )i want\b)"
        r"(?! to (?:live|be|go|visit|see|travel|have|become|learn|try)\b)",
        "lets_always": r"^let's (?:please )?(?:always|never) (?!(?:speak|talk|do|say|forget|remember|mind)\b)\w+(?!.*\bagain\b)",
        "remember_before_every": rf"{_LEAD}{_PLEASE}remember to {_DO}\b(?=.*\b(?:me|my|us|our)\b).*\b(?:any|every|each|whenever|always)\b",
    }.items()
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
    return next((name for name, form in _FORMS if form.search(text)), None)


# What nobody could tick off: "I'll stay motivated", "I'll make a difference in the world".
_VOW = re.compile(
    rf"{_LEAD}(?:if [^,]{{3,60}}, )?(?:i|we)(?:'ll| will|(?:'m| am|'re| are) going to)(?: \w+ly| also| always| just)* (?:"
    r"be (?:\w+ly |more )?(?:willing|patient|persistent|open|confident|excited|happy|glad|proud|grateful|ready|careful|mindful|fine|okay|honest|positive|thankful)\b"
    r"|(?:feel|stay|remain|enjoy|appreciate|celebrate|believe|trust|embrace|cherish|treasure)\b"
    r"|make (?:a|the) (?:\w+ )?difference\b|leave a (?:\w+ )?(?:impact|mark|legacy)\b|(?:do|try|give it) my (?:very )?(?:best|all)\b|never give up\b"
    r"|keep (?:you posted|in touch|going|trying|learning|it up|that in mind|this in mind|an open mind)\b|learn from my mistakes\b"
    r"|(?:ask|let you know|reach out|get back to you)\b.{0,30}$)",
    re.IGNORECASE,
)


# Of whom or what it is, so that it can be ticked off after all: "I'll ask Anna", "I'll get back to you about the contract".
_OF_SOMETHING = re.compile(
    r"(?<=[\w,] )(?!(?-i:I)\b)(?-i:[A-Z])[\w'-]+|\b(?:ask|reach out to|about) (?:the|my|our|his|her|their|this|that)\b|\bto (?:finish|complete|send|book|submit|call|fix)\b",
    re.IGNORECASE,
)


def is_vow(text: str) -> bool:
    """Whether ``text`` (straight quotes) is a good intention rather than a task."""
    return _VOW.match(text) is not None and _OF_SOMETHING.search(text) is None
