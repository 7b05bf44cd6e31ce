"""What kind of sentence a memory is: asked in passing, an order, told of another. Pure.

Forms of English alone: in other languages a sentence is of no kind, and nothing is taken off or added for it.
"""

from __future__ import annotations

import re
from datetime import date

from memory_assets.memory_file import validity

_DONE = re.compile(
    r"\[x\]|(?<!\bbe )(?<!\bget )(?<!\bbeing )(?<!\bhave )\b(?:done|finished|completed|fixed|shipped|resolved|"
    r"cancelled|canceled|closed)\b",
    re.I,
)

_LEANS = re.compile(
    r"(?:that|this|these|those|it|they|he|she|him|them|there|here|so|then|such|both|which|also|and|but|because|"
    r"same|one|same here|you|your|the (?:first|second|third|other|same|last|former|latter|thing|truth|result))\b",
    re.I,
)
_OPENING = r"^(?:(?:and|so|but|then|also|hey|hi|ok|okay|hmm|sure|thanks)[,!.]* )*"
# What is asked of whoever listens, and answered at once.
_ASKS = re.compile(
    _OPENING + r"(?:(?:please,? )?(?:can|could|would|will) you\b|would you mind\b"
    r"|(?:how|what|which|where|when|why) (?:can|could|do|does|should|would) (?:i|we|you|the|my|it)\b"
    r"|i(?:['’]m| am) (?:(?:also|just|still|really) )*(?:not (?:\w+ )?(?:sure|certain)|unsure|wondering|curious)\b|"
    r"i wonder\b"
    "|i(?:['’]d| would)? (?:(?:also|just|really) )*(?:appreciate|need (?:some |your )?help|(?:want|like|"
    r"love) to (?:know|see|understand|make sure|ensure|confirm|check))\b"
    r"|please (?:provide|explain|help|show|suggest|give me|review|optimi[sz]e|let me know|walk me)\b|help me\b|"
    r"any (?:advice|ideas|suggestions)\b)",
    re.I,
)
_TERM = re.compile(
    r"\b(?:by|before|until|no later than) (?:the )?(?:next |this )?"
    r"(?:end of|noon|midnight|tonight|today|tomorrow|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.I,
)
# Orders that hold for every answer, beside what their speaker likes.
_ORDERS = re.compile(
    "^(?:(?:and|so|but|also|please|pls|rule|note)[,:]? )*(?:always|never|don['’]?t ever|from now on|going forward|"
    r"when(?:ever)? (?:i|you)\b|every ?time|if i (?:ask|say|send)|remember|call me)\b"
    r"|\b(?:when(?:ever)? i (?:ask|say|send|share|request|mention|write|tell)|if i (?:ask|request)|"
    "your (?:answers?|replies|responses?|explanations?)|(?:want|like|expect|need) you to|by default|from now on|"
    r"every time)\b"
    r"|^please\b",
    re.I,
)
# What opens with somebody or something else, and says neither that it must be done nor that somebody asks for it, nor
# behind that what the owner has to do.
_TELLS_OF_ANOTHER = re.compile(
    r"(?:your\b|(?:(?:it|they|he|she|you)(?:['’](?:s|re|ve|d|ll))?|(?:that|this|these|those)(?:['’](?:s|ll|d)|"
    r"(?= (?:is|was|are|were|will|would|makes?|made|means|helps?|gives?)\b)))(?![\w'’]))"
    "(?! (?:(?:still|also|really|just|all|both|now) )*(?:(?:is |are )?(?:due|to be|time|my turn|on me|up to me)|"
    r"needs?|must|ha(?:s|ve) (?:got )?to|ought|should)\b)"
    r"(?!.*\b(?:(?:me|us) to|my job to|(?:I|we)(?:['’]ve)? (?:(?:still|also|really|just|now) )?(?:must|have to|"
    r"need to|got to|gotta))\b)",
    re.I | re.S,
)
QUESTION_MARKS = ("?", "？")


def sounds_done(text: str) -> bool:
    """Whether a task reports itself ("Fixed the gate"), not when it is to be ("must be finished")."""
    return _DONE.search(text) is not None


def asks(text: str) -> bool:
    """Whether it only asks for something now: a question, or "can you", "I'm not sure" and the like without its
    mark.
    """
    return text.rstrip().endswith(QUESTION_MARKS) or _ASKS.match(text) is not None


def asks_in_passing(text: str, said: date | None) -> bool:
    """The same, but for what says by when: "Please review the contract by Friday" is a task that is still to be
    done.
    """
    has_term = _TERM.search(text) is not None or bool(validity.days_in(text, said))
    return asks(text) and (text.rstrip().endswith(QUESTION_MARKS) or not has_term)


def tells_of_another(text: str, said: date | None) -> bool:
    """Whether it opens with whom or what else it is about ("They help me through the day") and names no day: no
    task.
    """
    return _TELLS_OF_ANOTHER.match(text) is not None and _TERM.search(text) is None and not validity.days_in(text, said)


def orders(text: str) -> bool:
    """Whether a standing instruction says how answers shall be ("Always ... when I ask"), not only what is liked."""
    return _ORDERS.search(text) is not None


def leans(text: str) -> bool:
    """Whether it opens with what only the sentence before it explains ("That is ...")."""
    return _LEANS.match(text) is not None
