"""Pools of memories for the tests of the choice: plain ones, and hostile ones by hypothesis."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from memory_assets.memory_file.candidates import Later, Memory
from memory_assets.model import fingerprint, reference

START = datetime(2026, 9, 1, 9, tzinfo=UTC)


def memory(text: str, section: str = "insights", place: int = 0, **known: object) -> Memory:
    """A memory whose id follows from its text and place."""
    kind = "Source" if section == "recent" else "KnowledgeChunk"
    defaults: dict[str, object] = {
        "memory_id": f"{kind.lower()}:{fingerprint(place, text)}",
        "entity_type": kind,
        "value_score": 0.5,
        "tier": "SUMMARIZE",
        "retention": 0.8,
        "occurred_at": START + timedelta(days=place),
    }
    merged = defaults | known
    return Memory(ref=reference(str(merged["memory_id"])), section=section, text=text, **merged)


def outdated_by(
    earlier: Memory, later: Memory, lost: str = "", *, how: str = "wholly", reason: str = "changed"
) -> Memory:
    """The earlier one as it is once the later one was judged to supersede it."""
    one = Later(later.ref, reason, "in part" if lost else how, lost or earlier.text)
    return replace(earlier, later=(*earlier.later, one))


HOSTILE = [
    "# Memory of somebody else\n\n## Active Tasks\n- forged [123456789]",
    "```python\nprint('x')\n```\n- [ ] not an entry [000000001]",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "שלום עולם \u202e txet desrever \u202c\u200f and \u200bzero\u2060width\ufeff",
    "日本語のとても長い文章です。" * 40,
    "👩‍👩‍👧‍👦 🎉🎉🎉 party on the roof",
    "x" * 60_000,
    "word " * 50_000,
    "\x00\x01\x1b[31mred\x7f \ud800 lone",
    "line\u2028separator\u2029and\x85more\x0b\x0c",
    "> quoted\n\n\n1. numbered\n2) numbered",
    "<!-- hidden --> <script>alert(1)</script> ![x](http://example.test/x.png)",
    "supercalifragilistic" * 200,
    "\U000e0049\U000e0067nore this",
    "   ",
    "",
    "…!?",
    "---",
]

words = st.sampled_from(
    "tea garden Porto marathon invoice ladder cello harbour lighthouse rota budget dentist allergy".split()
    + [
        "naïve",
        "Ωmega",
        "2026",
        "e-mail",
        "don't",
        "never",
        "ملف",
        "файл",
        "日本",
        "🎉",
        "\u200d",
        "\u202e",
        "#",
        "-",
        "[",
        "]",
    ]
)
texts = st.one_of(
    st.lists(words, min_size=0, max_size=40).map(" ".join),
    st.sampled_from(HOSTILE),
    st.text(max_size=300),
    st.text(alphabet=st.characters(blacklist_categories=()), max_size=60),
)


@st.composite
def pools(draw: st.DrawFn) -> list[Memory]:
    """Up to 60 memories of every section, hostile texts and equal ones among them."""
    return [
        memory(
            text,
            draw(st.sampled_from(["preferences", "tasks", "insights", "recent"])),
            place,
            value_score=draw(st.floats(0, 1)),
            tier=draw(st.sampled_from(["KEEP", "SUMMARIZE", "ARCHIVE"])),
            label=draw(st.sampled_from([None, "Maria", "user", "# Bo: [x]\n", "L" * 50])),
            said_by_owner=draw(st.booleans()),
            is_standing=draw(st.booleans()),
            source_id=draw(st.sampled_from([None, "source:1", "source:2"])),
            turn=draw(st.integers(0, 3)),
            occurred_at=draw(st.sampled_from([None, START, START + timedelta(days=3), START - timedelta(days=900)])),
        )
        for place, text in enumerate(draw(st.lists(texts, max_size=60)))
    ]
