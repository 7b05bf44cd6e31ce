"""What models are asked, as types: one payload and one answer per task.

A task's name is its prompt file's, ``<room>/<prompt>``. Both implementations take the same payload
and leave the same answer, so that whatever leaves the local model passes the large one's filters.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from memory_assets.llm.wire import ShortExtraction, lengthen

DESCRIBE_SOURCE = "sources/describe_source"
EXTRACT_ENTITIES = "entities/extract_entities"
SAME_PERSON = "entities/same_person"
NAME_STORYLINE = "hierarchy/name_storyline"
NAME_MACRO = "hierarchy/name_macro"
NOTE_PEOPLE = "notes/note_people"
NOTE_CONCEPTS = "notes/note_concepts"
NOTE_ENTITIES = "notes/note_entities"
DESCRIBE_SUBJECT = "descriptions/describe_subject"
COMPOSE_FILE = "memory_file/compose_file"
JUDGE_PAIR = "validity/judge_pair"
DRAW_INSIGHTS = "consolidation/draw_insights"
CONDENSE_RECORD = "curation/condense_record"


class _Task(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TurnText(_Task):
    """One turn of a source: who said what. ``index`` counts from 0 within the source."""

    index: int
    speaker: str | None
    text: str
    at: str | None = None


LETTERS = ("email", "slack")
"""What people write to each other."""


class SourceText(_Task):
    """A cleaned source, as models see it.

    ``owner_speaker`` is the speaker whose words count as the owner's own, or None. Where there is one in a
    conversation, everybody else in it is an assistant: what several people say to each other is a transcript.
    ``writer`` is whose note it is, where that is known: "I" is the writer there, and nothing more follows from it, for
    anything can be pasted into a note. ``recipient`` is the one whom a mail is sent to, where its header has the name.
    """

    source_type: str
    title: str
    started_at: str | None
    owner_speaker: str | None
    turns: tuple[TurnText, ...]
    writer: str | None = Field(default=None, exclude=True)
    recipient: str | None = Field(default=None, exclude=True)

    def passes_on(self, speaker: str | None) -> bool:
        """Whether words of this speaker are another's, and nobody knows whose: in what people write to each other,
        what nobody says is forwarded or quoted.
        """
        return self.source_type in LETTERS and not (speaker or "").strip()


class SourceDescription(_Task):
    """004, Phase 1: a summary of one to two sentences, 5 to 10 keywords, 3 to 5 tags."""

    summary: str
    keywords: tuple[str, ...]
    tags: tuple[str, ...]


class ExtractedEntity(_Task):
    """004, Phase 2, Step 1. ``confidence`` is 0 to 10; kept from 7 with more than two subpoints.

    ``name`` is the display name; ``entity_type`` refines an Entity (organization, place, product,
    project, event, work, date, other) and is ``person`` or ``concept`` otherwise.
    """

    kind: Literal["person", "concept", "entity"]
    name: str
    entity_type: str
    confidence: float = Field(ge=0, le=10)
    subpoints: tuple[str, ...]


class Statement(_Task):
    """One thing that was said, worth remembering by itself.

    ``text`` is a whole sentence as a person would read it. ``turn`` is the turn it stands in. ``statement`` is what of
    it a stranger understands alone: the text itself where nothing else is given, None where it needs what was said
    before.
    ``content_type``: preference, task, insight, chitchat (000). ``is_instruction``: a standing
    instruction or preference of its speaker ("always", "never", "I prefer", "from now on").
    ``durability`` 0 to 1: how likely it is to be needed again (000, retention signal).
    ``confidence`` 0 to 10. ``about``: names of extracted entities that it mentions. ``judged``: what it was taken for
    and why, in words, where the model says so.
    """

    text: str
    # Of whom a few words are noted down ("allergic to nuts"): the same below two names are two statements. No service
    # is asked for it, and the keys of their answers in the cache have the schema in them.
    of: SkipJsonSchema[str] = ""
    speaker: str | None
    turn: int
    content_type: Literal["preference", "task", "insight", "chitchat"]
    is_instruction: bool = False
    durability: float = Field(ge=0, le=1)
    # How likely it holds a year later, where that is judged. No service is asked for it.
    lasting: SkipJsonSchema[float | None] = None
    confidence: float = Field(ge=0, le=10)
    about: tuple[str, ...] = ()
    statement: str | None = None
    # Its words behind the question that they answer, or behind who writes them. No service is asked for it.
    quotation: SkipJsonSchema[str] = ""
    judged: str = ""

    @model_validator(mode="before")
    @classmethod
    def _states_its_text(cls, value: Any) -> Any:
        return {"statement": value.get("text"), **value} if isinstance(value, dict) else value


class Extraction(_Task):
    """The answer to :data:`EXTRACT_ENTITIES`. A service is asked for its short form (``wire.py``); both are read."""

    asked_as: ClassVar[type[BaseModel]] = ShortExtraction

    entities: tuple[ExtractedEntity, ...]
    statements: tuple[Statement, ...]

    @model_validator(mode="before")
    @classmethod
    def _may_be_short(cls, value: Any) -> Any:
        return lengthen(value)


class NamedPerson(_Task):
    """A name as an owner's sources write it, and the first few statements about a person of that name."""

    name: str
    statements: tuple[str, ...]


class NamePair(_Task):
    """Two names that may be one person's."""

    one: NamedPerson
    other: NamedPerson


class SamePerson(_Task):
    """The answer to :data:`SAME_PERSON`. ``confidence`` is 0 to 10."""

    verdict: Literal["same", "different", "unsure"]
    confidence: float = Field(ge=0, le=10)


class DescribedSentence(_Task):
    """One sentence, and the references of all that it rests on."""

    text: str
    refs: tuple[str, ...]


class SaidOfIt(_Task):
    """What is said about the anchor of a storyline or macro: one statement that is understood alone, and who says it.
    ``ref``: its reference within the request, None where it cannot be cited; ``day``: its own, where that is another
    than that of what it is below.
    """

    speaker: str | None
    text: str
    ref: str | None = None
    day: str | None = None


class DatedSummary(_Task):
    """A source's or storyline's summary with its day (``YYYY-MM-DD``) or None. ``said``: what the source states about
    the anchor, in its order, or what the storyline's text rests on; its summary is about all of the source. ``ref``:
    the reference of the summary itself, where nothing is stated.
    """

    day: str | None
    summary: str
    said: tuple[SaidOfIt, ...] = ()
    ref: str | None = None


class StorylineRequest(_Task):
    """004, nightly storyline promotion: what a storyline is about and what it includes, oldest first."""

    anchor: str
    sources: tuple[DatedSummary, ...]


class StorylineName(_Task):
    """A title of a few words, and 2 to 4 sentences."""

    title: str
    sentences: tuple[DescribedSentence, ...]


class MacroRequest(_Task):
    """004, weekly macro promotion: the storylines of one anchor, oldest first."""

    anchor: str
    storylines: tuple[DatedSummary, ...]


class MacroName(StorylineName):
    """The same of a macro."""


Kind = Literal["person", "concept", "entity"]
Lifetime = Literal["week", "month", "year", "forever"]


class SubjectName(_Task):
    """Somebody or something that a source names: what notes can be about, and nothing else."""

    kind: Kind
    name: str
    entity_type: str


class StatedText(_Task):
    """A statement that the extraction of a source has stored, in the order of the turns."""

    speaker: str | None
    text: str
    content_type: str
    durability: float
    about: tuple[str, ...]
    said_by_owner: bool = Field(default=False, exclude=True)


class NoteRequest(_Task):
    """004, Phase 2, Step 4: the names that a source was found to hold, and what was said of them."""

    source_type: str
    title: str
    started_at: str | None
    owner_speaker: str | None
    names: tuple[SubjectName, ...]
    statements: tuple[StatedText, ...]


class SubjectNote(_Task):
    """``add_note_to_person``, ``_concept`` or ``_entity``: something worth knowing of a name."""

    subject: str
    content: str
    lifetime: Lifetime


class Relation(_Task):
    """``create_relationship``: from one name to another, of a published type (``relationships.py``)."""

    from_name: str
    to_name: str
    type: str
    description: str


class RelationNote(_Task):
    """``add_note_to_relationship``."""

    from_name: str
    to_name: str
    type: str
    content: str
    lifetime: Lifetime


class NotesTaken(_Task):
    """The answer to :data:`NOTE_PEOPLE` and its like: every tool call that was taken, in order."""

    notes: tuple[SubjectNote, ...] = ()
    relationships: tuple[Relation, ...] = ()
    relationship_notes: tuple[RelationNote, ...] = ()


class DescriptionNote(_Task):
    """Something that is noted of a subject: its reference within the request, its day (``YYYY-MM-DD``) or None, and its
    words, behind their speaker's name where they need it. ``statement``: what of them a stranger understands alone,
    None where they need what was said before; ``speaker``: who says it, None where that is nobody's or the owner's own.
    ``lasting``: the rank of its lifetime.
    """

    ref: str
    day: str | None
    text: str
    statement: str | None = Field(default=None, exclude=True)
    speaker: str | None = Field(default=None, exclude=True)
    lasting: int = Field(default=1, exclude=True)


class DescriptionRequest(_Task):
    """004, Nightly Description Consolidation: who or what is described (``kind``: person, concept, entity,
    relationship), how so far (sentences that are still supported), and what is noted, oldest first.
    """

    kind: str
    name: str
    entity_type: str
    current: tuple[str, ...]
    notes: tuple[DescriptionNote, ...]


class SubjectDescription(_Task):
    """The answer to :data:`DESCRIBE_SUBJECT`: one or two sentences."""

    sentences: tuple[DescribedSentence, ...]


class ClusterStatement(_Task):
    """A statement of a cluster of sources; ``day``: when it was said; ``about``: the subjects that it is about, then
    who says it.
    """

    ref: str
    day: str | None
    speaker: str | None
    text: str
    about: tuple[str, ...] = ()
    durability: float = Field(default=0.0, exclude=True)
    said_by_owner: bool = Field(default=False, exclude=True)


class ClusterRequest(_Task):
    """004, Memory Consolidation: what the sources of one cluster state, oldest first, and whom or what they share."""

    subjects: tuple[str, ...]
    statements: tuple[ClusterStatement, ...]


class Insight(_Task):
    """What is worth knowing of a subject once the sources are archived, with the statements that it rests on."""

    subject: str
    text: str
    refs: tuple[str, ...]
    lifetime: Literal["year", "forever"]


class Insights(_Task):
    """The answer to :data:`DRAW_INSIGHTS`."""

    insights: tuple[Insight, ...]


class FileCandidate(_Task):
    """A memory that may be in a file; ``required`` where it must."""

    ref: str
    section: str
    day: str | None
    speaker: str | None
    text: str
    required: bool | None = None


class FileRequest(_Task):
    """What one bounded file is composed from: whose it is, how large it may be, and the candidates for it."""

    owner: str
    limits: str
    candidates: tuple[FileCandidate, ...]


class ComposedLine(_Task):
    """One statement, and the references of the candidates that it rests on."""

    text: str
    refs: tuple[str, ...]


class ComposedFile(_Task):
    """The answer to :data:`COMPOSE_FILE`: each section's lines, in their order."""

    preferences: tuple[ComposedLine, ...] = ()
    tasks: tuple[ComposedLine, ...] = ()
    insights: tuple[ComposedLine, ...] = ()
    recent: tuple[ComposedLine, ...] = ()


class DatedStatement(_Task):
    """A statement as it was said: its day (``YYYY-MM-DD``), its speaker by name (empty: the owner), its words."""

    day: str
    speaker: str
    text: str


class PairRequest(_Task):
    """Two statements in an owner's memory, by when they were said."""

    owner: str
    earlier: DatedStatement
    later: DatedStatement


class PairVerdict(_Task):
    """The answer to :data:`JUDGE_PAIR`: what the later statement means for the earlier one, and which of its words hold
    no longer. ``confidence`` is 0 to 10.
    """

    relation: Literal["changed", "done", "same", "contradicts", "both"]
    lost: str = ""
    kind: str = ""
    why: str = ""
    confidence: float = Field(ge=0, le=10)


class RecordToCondense(_Task):
    """What an agent has recorded at length: its kind, its title ("" without), its text."""

    kind: str
    title: str
    text: str


class CondensedRecord(_Task):
    """The answer to :data:`CONDENSE_RECORD`: the same in fewer words of its own."""

    text: str
