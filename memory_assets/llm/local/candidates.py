"""What the source says of one name or phrase, while it is collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


class Evidence(dict[str, float]):
    """How much speaks for each kind of thing (see kinds): nothing where nothing was said."""

    def __missing__(self, kind: str) -> float:
        return 0.0

    def add(self, other: Mapping[str, float]) -> None:
        """Take what speaks for the same thing elsewhere."""
        for kind, worth in other.items():
            self[kind] += worth


@dataclass
class Candidate:
    """One name or phrase. ``sentences`` are positions in the reading, ``echoes`` an assistant's."""

    key: str
    kind: str
    forms: Counter[str] = field(default_factory=Counter)
    sentences: dict[int, None] = field(default_factory=dict)
    echoes: dict[int, None] = field(default_factory=dict)
    evidence: Evidence = field(default_factory=Evidence)
    seen: int = 0
    """How often it stands in the text."""
    proper: int = 0
    """How often the tagger took it for a proper noun."""
    labelled: int = 0
    """How often the pipeline found it as a name."""
    inside: int = 0
    """How often it is capitalised where a sentence's start is no reason for it."""
    entity_type: str = ""
    is_speaker: bool = False
    is_addressed: bool = False
    in_title: bool = False
    confidence: float = 0.0

    @property
    def name(self) -> str:
        """The form said most; among equals the longest, then the first in the alphabet."""
        return min(self.forms, key=lambda form: (-self.forms[form], -len(form), form))

    def absorb(self, other: Candidate) -> None:
        """Take what was collected under another form of the same name."""
        self.forms[self.name] += sum(other.forms.values())
        self.evidence.add(other.evidence)
        self.seen += other.seen
        self.proper += other.proper
        self.labelled += other.labelled
        self.inside += other.inside
        self.is_addressed |= other.is_addressed
        self.sentences = dict.fromkeys(sorted({*self.sentences, *other.sentences}))
