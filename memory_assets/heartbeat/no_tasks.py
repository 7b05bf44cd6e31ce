"""What is no task in a HEARTBEAT.md of old: rules for every beat, settings, notes, records of states. Pure.

"Reply HEARTBEAT_OK if nothing needs attention" tells an agent how to beat; due every half an hour it would only be done
again and again. Where the file moves in, such a line is a memory. A line that says when it is to be done is a task all
the same, except under notes and records.
"""

from __future__ import annotations

import re

MARKS = re.compile(r"[*_`#>\[\]]+")
_LEADING = re.compile(r"^[^\w]+|^\d+[.)]\s+")

_RECORDS = re.compile(
    "(?:(?:completed|done|finished|resolved)(?: (?:tasks?|items?|work))?|(?:implementation )?notes?|"
    "implementation|background|history|"
    "change ?log|(?:check |heartbeat )?state|(?:(?:check |heartbeat )?state )?tracking|about(?: .*)?|notas?|"
    "notizen|hinweise|remarques|"
    r"注意事项|备注|说明|已完成|更新日志|状态跟踪|メモ|注意)(?:\s*[(:（].*)?$",
    re.I,
)
"""Headings under which nothing is to be done again and again."""

_RULES = re.compile(
    r"(?:(?:(?:golden|hard|ground|core|general|important|safety|memory|hygiene|reply|response|reporting|notification|"
    r"communication) )*"
    r"(?:rules?|routing|guidelines?|principles|policy|policies|constraints|restrictions|boundaries|conventions)|"
    r"(?:response|reply|output|report|reporting|message)s? (?:protocol|format|rules?|style)|(?:quiet|silent) hours|"
    r"(?:when|how) to (?:stay|keep|be|speak|reach|reply|respond|report|notify|alert|message)\b.*|do ?n[o']t|don'ts|"
    r"what goes where|tone|"
    "(?:heartbeat )?intervals?|configuration|config|settings|environment(?: variables)?|(?:slash )?commands|"
    "manual (?:runs?|execution)|"
    r"regras|reglas|regeln|règles|regole|правила|(?:回复|回覆|行为|基本)?[规規](?:则|則)|ルール|心跳间隔|配置|手动执行)(?:\s*[(:（].*)?$",
    re.I,
)
"""Headings of how to beat, not of what to do: rules, settings, the forms of an answer."""

_NEVER = re.compile(
    r"(?:(?:do not|don['’]?t|never)(?! (?:forget|miss|neglect|fail|skip|omit|overlook)\b)|"
    r"(?:não|nunca)(?! (?:se |te )?(?:esque|olvid))|niemals(?! vergessen)|ne jamais(?! oublier)|(?:不要|请勿|切勿)(?!忘|漏)|禁止)"  # noqa: E501
    r"(?=\W|[\u3040-\u9fff]|$)",
    re.I,
)
_ANSWER = "HEARTBEAT OK"
_OTHERWISE = re.compile(
    r"\b(?:else|otherwise|sonst|senão|sinon|si no|si non|and then)\b|"
    r"[,;]\s++(?!(?:no|nothing|none|all|and|or)\b)[^,;]*[,;]\s*then\b|否则|然后|それ以外",
    re.I,
)
"""Marks two instructions, one of which is more than an answer."""
_ANSWERING = re.compile(
    r"(?:(?:only|just|always) )?(?:reply|respond|return|answer|output|say|keep|mantener|manter|antworte|"
    r"responda?|responde)\b|"
    r"HEARTBEAT OK\b|回复|回覆|返回|"
    r"(?:if|when|whenever|unless|only|nothing|none|no|all|else|otherwise|se|si|wenn|falls|sonst|senão|sinon)\b|"
    r"如果|若|没有|無|无|所有|全部|何も|問題",
    re.I,
)
"""How a line begins that says what to answer, or when."""
WORDS_BEFORE_AN_ANSWER = 10
"""More words before HEARTBEAT_OK are about something to be done first."""
_STATE = re.compile(
    r"(?:\*\*)?(?:status|owner|author|version|created|updated|last (?:\w+ )?(?:run|check|update|updated|checked|"
    "reviewed))"
    r"(?:\*\*)?:(?:\*\*)?\s",
    re.I,
)
_DATA = re.compile(r"(?:`{3,}|~{3,})[ \t]*jsonc?[ \t]*\n", re.I)


def heads_records(title: str) -> bool:
    """Whether a heading is that of notes, records or what is done."""
    return _RECORDS.match(_plain(title)) is not None


def heads_rules(title: str) -> bool:
    """Whether a heading, or a line that leads a list in, is that of rules or settings."""
    return _RULES.match(_plain(title)) is not None


def is_rule(text: str) -> bool:
    """Whether an item is a rule of how to beat: what never to do, or when to answer HEARTBEAT_OK."""
    plain = _plain(text)
    if _NEVER.match(plain):
        return True
    before, answer, _ = plain.partition(_ANSWER)
    is_short = len(before.split()) <= WORDS_BEFORE_AN_ANSWER and len(before) <= WORDS_BEFORE_AN_ANSWER * 8
    if not answer or not is_short or "\n" in text.strip() or not _ANSWERING.match(plain):
        return False
    return not any(match.start() for match in _OTHERWISE.finditer(before))


def is_record(text: str) -> bool:
    """Whether a block is a record of how things stand: data, or a line such as "Status: active"."""
    return _DATA.match(text) is not None or all(_STATE.match(line) for line in text.strip().splitlines())


def _plain(text: str) -> str:
    """Words without marks and without the number or symbol before them."""
    plain = " ".join(MARKS.sub(" ", text.replace("HEARTBEAT_OK", _ANSWER)).split())
    return _LEADING.sub("", _LEADING.sub("", plain))
