"""What the local model takes sentences for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.sentence_features import BY_ASSISTANT, TO_ASSISTANT, Setting
from memory_assets.llm.local.sentence_model import Kind
from memory_assets.llm.local.sentences import Form, Piece, pieces
from memory_assets.llm.local.statements import SURE_OF_INSTRUCTION, Verdict, gives_order, judge, kind_of
from memory_assets.llm.tasks import SourceText, TurnText
from memory_assets.memory_file.candidates import FileRules
from memory_assets_tests.labelled.kinds.examples import WRITTEN, Example, written


def verdict(text: str, *, by_assistant: bool = False, to_assistant: bool = False) -> Verdict:
    piece = pieces(text)[0]
    where = BY_ASSISTANT if by_assistant else TO_ASSISTANT if to_assistant else "note"
    return judge(piece, parse([piece.text])[0], Setting(where))


def answered(text: str) -> Verdict:
    """What it is taken for where an assistant answers it at once."""
    piece = pieces(text)[0]
    return judge(piece, parse([piece.text])[0], Setting(TO_ASSISTANT, is_answered=True))


def test_what_an_assistant_does_at_once_is_no_task_and_a_rule_that_it_heeds_stays_one() -> None:
    assert verdict("Remind me to renew my passport by Friday.", to_assistant=True).kind is Kind.TASK
    assert answered("Remind me to renew my passport by Friday.").kind is not Kind.TASK
    assert answered("I need to renew my passport by Friday.").kind is Kind.TASK
    assert answered("Always answer me in French.").is_instruction


@given(st.sampled_from([one for one in written(WRITTEN) if one.kind is Kind.INSTRUCTION]))
def test_what_is_answered_at_once_lays_down_a_rule_only_where_that_is_sure(example: Example) -> None:
    found = answered(example.piece.text)
    assert not found.is_instruction or found.probability >= SURE_OF_INSTRUCTION


ANYBODY_WOULD_SAY = {
    Kind.INSTRUCTION: [
        "Always answer me in French.",
        "From now on, use metric units.",
        "Please never book a window seat for me.",
        "When I ask for a summary, keep it under fifty words.",
        "Please don't use any tables in your answers.",
    ],
    Kind.PREFERENCE: [
        "I hate long meetings.",
        "I'm allergic to penicillin.",
        "I never drink coffee after lunch.",
        "I really enjoy crossword puzzles.",
        "My favourite colour is teal.",
    ],
    Kind.TASK: [
        "I need to renew my passport by Friday.",
        "TODO: rotate the keys.",
        "Please send the floor plan to Otto by Monday.",
        "I'll send you the contract tonight.",
        "Don't forget to buy milk.",
    ],
    Kind.FACT: [
        "The bridge reopened on Monday.",
        "We decided to keep the old logo.",
        "Nadia broke her wrist on the ice rink.",
        "The launch moved to 12 June.",
        "Our landlord sold the building to a bank in March.",
    ],
    Kind.NONE: [
        "Thank you so much for your help!",
        "How was your weekend?",
        "Wow, that's awesome!",
        "Never mind, it works now.",
        "Can you help me with that?",
    ],
}


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in ANYBODY_WOULD_SAY.items() for text in texts]
)
def test_plain_sentences_are_of_the_kind_that_anybody_would_say(kind: Kind, text: str) -> None:
    found = verdict(text, to_assistant=kind in (Kind.INSTRUCTION, Kind.PREFERENCE))
    assert found.kind is kind, found
    assert 0 < found.probability <= 1 and found.reasons


def test_small_talk_is_worth_less_than_a_fact_and_a_fact_less_than_an_instruction() -> None:
    worth = {
        kind: [verdict(text, to_assistant=True).durability for text in texts]
        for kind, texts in ANYBODY_WOULD_SAY.items()
    }
    assert max(worth[Kind.NONE]) < min(worth[Kind.FACT])
    assert sum(worth[Kind.FACT]) < sum(worth[Kind.INSTRUCTION])


def test_an_assistant_never_gives_an_instruction() -> None:
    for text in ANYBODY_WOULD_SAY[Kind.INSTRUCTION] + ANYBODY_WOULD_SAY[Kind.PREFERENCE]:
        found = verdict(text, by_assistant=True)
        assert not found.is_instruction and found.content_type in {"insight", "chitchat"}


def test_hedged_and_heard_is_less_certain() -> None:
    sure = verdict("The museum opens at ten.").confidence
    assert verdict("Maybe the museum opens at ten.").confidence < sure
    assert verdict("She said the museum opens at ten.").confidence < sure


def test_bullets_under_a_heading_of_tasks_are_tasks() -> None:
    piece = Piece("Budget figures for Lena", Form.BULLET, "Action items")
    assert judge(piece, parse([piece.text])[0], Setting()).content_type == "task"


def test_a_line_of_a_tool_is_nobodys_statement() -> None:
    traces = "[Bash: grep -rn drift [a-z]*.py]\n[Read gave: The timer was always wrong. (30 lines)]\n[image]"
    turns = (
        TurnText(index=0, speaker="user", text="[Note: the timer of the greenhouse drifts by a minute.]"),
        TurnText(index=1, speaker="assistant", text=f"{traces}\nThe timer adds a minute every day."),
        TurnText(index=2, speaker="assistant", text=traces),
    )
    source = SourceText(source_type="conversation", title="Timer", started_at=None, owner_speaker="user", turns=turns)
    texts = [one.text for one in extract(source).statements]
    assert len(texts) == 2 and "greenhouse" in texts[0] and texts[1] == "The timer adds a minute every day."
    only_traces = source.model_copy(update={"turns": turns[2:]})
    assert extract(only_traces).statements == ()


IN_OTHER_LANGUAGES = [
    ("Antworte mir ab jetzt bitte nur noch auf Deutsch.", "preference"),
    ("Responde siempre en español, por favor.", "preference"),
    ("Ne me propose plus jamais de restaurants avec des fruits de mer.", "preference"),
    ("以后请一直用中文回答我。", "preference"),
    ("Sou alérgica a amendoim desde criança.", "preference"),
    ("Bitte schick mir den Vertrag bis Freitag.", "task"),
    ("Tengo que renovar el pasaporte antes de junio.", "task"),
    ("Je dois envoyer le devis à Claire avant lundi.", "task"),
    ("Am 3. Mai ziehen wir in die neue Wohnung in Leipzig.", "insight"),
    ("Le lancement a été repoussé au 12 mars.", "insight"),
    ("Vielen Dank und liebe Grüße!", "chitchat"),
    ("¡Qué bien, me alegro mucho!", "chitchat"),
    ("谢谢，辛苦了！", "chitchat"),
]


@pytest.mark.parametrize(("text", "content_type"), IN_OTHER_LANGUAGES)
def test_other_languages_are_judged_by_what_was_learned(text: str, content_type: str) -> None:
    found = verdict(text, to_assistant=content_type == "preference")
    assert found.content_type == content_type, found


WITHOUT_A_MODEL = [
    "Моя сестра живёт в Казани.",
    "Мы переехали на PostgreSQL в мае.",
    "저는 주로 Slack을 써요.",
    "제 여동생은 부산에 살아요.",
    "أختي تعيش في عمان",
    "Jag flyttar till Oslo i maj.",
    "Budgeten ligger i mappen.",
    "Moja siostra mieszka w Gdyni.",
    "Kardeşim Ankara'da yaşıyor.",
]


@pytest.mark.parametrize("text", WITHOUT_A_MODEL)
def test_a_sentence_of_any_language_is_a_fact_as_it_was_said(text: str) -> None:
    turns = (TurnText(index=0, speaker="Maja", text=text),)
    source = SourceText(source_type="slack", title="", started_at=None, owner_speaker="Maja", turns=turns)
    assert [(one.content_type, one.statement) for one in extract(source).statements] == [("insight", text)]


@pytest.mark.parametrize("text", [text for text, _ in IN_OTHER_LANGUAGES])
def test_an_assistant_wishes_nothing_in_any_language(text: str) -> None:
    found = verdict(text, by_assistant=True)
    assert not found.is_instruction and found.content_type in {"insight", "chitchat"}


def test_a_check_box_says_what_is_to_be_done_in_any_language() -> None:
    assert verdict("- [ ] Reifen wechseln und die Werkstatt anrufen").content_type == "task"
    assert verdict("- [x] Reifen gewechselt und die Werkstatt angerufen").content_type == "insight"


@pytest.mark.parametrize(
    ("counterpart", "content_type"),
    [
        ("Melanie", "preference"),
        ("Ines Carvalho", "preference"),
        ("assistant", "chitchat"),
        ("Helpful Bot 3", "chitchat"),
    ],
)
def test_who_has_a_persons_name_is_no_assistant(counterpart: str, content_type: str) -> None:
    turns = (
        TurnText(index=0, speaker="Caroline", text="Shall we have fish on Sunday?"),
        TurnText(index=1, speaker=counterpart, text="I'm allergic to fish and I never eat prawns."),
    )
    source = SourceText(
        source_type="conversation", title="Sunday", started_at=None, owner_speaker="Caroline", turns=turns
    )
    said = {one.turn: one for one in extract(source).statements}
    assert said[1].content_type == content_type


LONG_AND_SPACELESS = (
    "我从小就住在海边的一个小镇上，家里人都喜欢吃鱼虾，周末经常一起去码头买新鲜的海产品回来做饭，"
    "但是我对花生严重过敏，所以以后绝对不要给我推荐任何含有花生的菜谱，谢谢。"
)


def test_a_long_sentence_without_spaces_is_whole_in_its_statement() -> None:
    turns = (TurnText(index=0, speaker="林伟", text=LONG_AND_SPACELESS),)
    source = SourceText(source_type="slack", title="饮食", started_at=None, owner_speaker="林伟", turns=turns)
    said = "".join(one.statement or "" for one in extract(source).statements)
    assert "花生严重过敏" in said and "绝对不要" in said


def test_a_link_is_whole_in_its_statement() -> None:
    link = "https://docs.example.org/document/d/" + "1AbCdEf-" * 9 + "/edit"
    turns = (TurnText(index=0, speaker="Ana", text=f"I put the plan of the harbour at {link} on Monday."),)
    source = SourceText(source_type="slack", title="Plan", started_at=None, owner_speaker="Ana", turns=turns)
    assert [link in (one.statement or "") for one in extract(source).statements] == [True]


@pytest.mark.parametrize(
    ("shares", "kind"),
    [
        ((0.45, 0.1, 0.05, 0.3, 0.1), Kind.FACT),
        ((0.05, 0.45, 0.05, 0.3, 0.15), Kind.FACT),
        ((0.05, 0.1, 0.05, 0.1, 0.7), Kind.NONE),
        ((0.75, 0.1, 0.05, 0.05, 0.05), Kind.INSTRUCTION),
        ((0.1, 0.1, 0.5, 0.2, 0.1), Kind.TASK),
    ],
)
def test_what_is_not_surely_of_a_rare_kind_is_of_the_next_likely_one(shares: tuple[float, ...], kind: Kind) -> None:
    assert kind_of(dict(zip(Kind, shares, strict=True))) is kind


@pytest.mark.parametrize(
    ("text", "is_order"),
    [
        ("Send the digest on Mondays.", True),
        ("When I paste a log, please start with its first error.", True),
        ("Please do not plan any travel for me.", True),
        ("Always name the file, and say which line.", True),
        ("I send the digest on Mondays.", False),
        ("We have to send the digest on Mondays.", False),
        ("New quarter, new habits.", False),
    ],
)
def test_an_order_opens_a_clause_with_a_bare_verb(text: str, is_order: bool) -> None:
    assert gives_order(parse([text])[0]) is is_order


@pytest.mark.parametrize("text", ["- [ ] milk", "- [ ] Rotate keys", "# Action items\n\n- slides\n- buy milk and eggs"])
def test_what_is_written_as_a_task_is_worth_a_line_however_short_it_is(text: str) -> None:
    items = [piece for piece in pieces(text) if piece.form is not Form.HEADING]
    for piece, parsed in zip(items, parse([piece.text for piece in items]), strict=True):
        found = judge(piece, parsed, Setting("note"))
        assert found.kind is Kind.TASK and found.durability >= FileRules().least_retention


@pytest.mark.parametrize(
    "text", ["Запуск перенесён на 3 мая.", "우리는 5월 3일에 출시합니다.", "Ana bor i Malmö sedan 2019."]
)
def test_a_sentence_of_a_language_that_is_not_known_does_not_vanish(text: str) -> None:
    found = judge(pieces(text)[0], parse([text])[0], Setting("note"))
    assert found.kind is Kind.FACT and found.durability >= FileRules().least_retention


def test_each_statement_says_what_it_was_taken_for_and_why() -> None:
    turns = (TurnText(index=0, speaker="Ana", text="I really love crossword puzzles."),)
    source = SourceText(source_type="conversation", title="", started_at=None, owner_speaker="Ana", turns=turns)
    judged = extract(source).statements[0].judged
    assert judged.startswith("preference (0.") and judged.count("“") >= 1
    box = TurnText(index=0, speaker=None, text="- [ ] oil the gate")
    noted = SourceText(source_type="note", title="", started_at=None, owner_speaker=None, turns=(box,))
    assert [one.judged for one in extract(noted).statements] == ["task (1.00): it is a todo"]


def _types(texts: list[str], speaker: str | None = None) -> list[str]:
    turns = tuple(TurnText(index=at, speaker=speaker, text=text) for at, text in enumerate(texts))
    source = SourceText(source_type="note", title="", started_at=None, owner_speaker=None, turns=turns)
    return [one.content_type for one in extract(source).statements]


def test_what_says_that_something_ended_or_is_otherwise_now_is_a_fact() -> None:
    said = ["I stopped drinking coffee.", "I cancelled Netflix.", "Tom stopped smoking."]
    assert "chitchat" not in _types(said)
    small = ["It stopped raining.", "I'm so tired now.", "Maybe I stopped caring.", "I was just leaving now, bye!"]
    assert set(_types(small)) == {"chitchat"}


NOTED = [
    ("I am no longer vegetarian, I eat fish again.", "Ana Lindt is no longer vegetarian, they eat fish again."),
    ("My dentist is Dr. Weber.", "Ana Lindt's dentist is Dr. Weber."),
    ("The bridge reopened on Monday.", "The bridge reopened on Monday."),
    ('"I live in a boat", says the poster.', '"I live in a boat", says the poster.'),
]


@pytest.mark.parametrize(("words", "statement"), NOTED)
def test_what_the_writer_of_a_note_says_of_themselves_is_restated_by_name(words: str, statement: str) -> None:
    note = SourceText(
        source_type="note",
        title="",
        started_at=None,
        owner_speaker=None,
        turns=(TurnText(index=0, speaker=None, text=words),),
    )
    assert [one.statement for one in extract(note).statements] == [words]
    by = extract(note.model_copy(update={"writer": "Ana Lindt"})).statements
    assert [(one.text, one.statement, one.speaker) for one in by] == [(words, statement, None)]


SHORT = "Tenho dois filhos."
LONG = "Quando eu conheci o Tiago, ele perguntou-me se eu gosto de bacalhau."
ASKS = "I have to give a speech at the wedding of my friends, please correct my Portuguese."
COMES_BACK = "The second sentence was wrong, my teacher says, I have lessons with her on Thursdays."


def _talk(*said: str) -> SourceText:
    turns = [turn for one in said for turn in (("user", one), ("assistant", "Está bem."))]
    return SourceText(
        source_type="conversation",
        title="",
        started_at=None,
        owner_speaker="user",
        turns=tuple(TurnText(index=at, speaker=speaker, text=text) for at, (speaker, text) in enumerate(turns)),
    )


def _said(*turns: str) -> set[str]:
    return {one.text for one in extract(_talk(*turns)).statements if one.content_type != "chitchat"}


def test_a_text_in_another_language_that_is_worked_on_is_nobodys_statement() -> None:
    assert _said(ASKS, f"{LONG} {SHORT}", COMES_BACK).isdisjoint({LONG, SHORT}) and _said(ASKS, COMES_BACK)
    tells_a_change = "Não trabalho mais no banco em Lisboa desde janeiro."
    assert tells_a_change not in _said(ASKS, tells_a_change, COMES_BACK)


ERROR = "RuntimeError: CUDA out of memory, tried to allocate two hundred mebibytes."


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ((ASKS, f"{LONG} {SHORT}", "Sou alérgico a penicilina e tomo um comprimido para a tensão."), SHORT),
        ((f"{LONG}", "I am allergic to penicillin and to nuts.", LONG), "I am allergic to penicillin and to nuts."),
        (
            (ERROR, "Ich arbeite seit 2019 bei Siemens in Berlin.", ERROR),
            "Ich arbeite seit 2019 bei Siemens in Berlin.",
        ),
        (
            (
                "I want to ask you about my wife's name, it is Chinese.",
                "My wife Mei (梅) has worked in Taipei since 2015.",
                COMES_BACK,
            ),
            "My wife Mei (梅) has worked in Taipei since 2015.",
        ),
        (
            (
                "I have a question about my tax return.",
                "Meine Frau Lena arbeitet seit 2019 bei Siemens.",
                "What do I need to send in?",
            ),
            "Meine Frau Lena arbeitet seit 2019 bei Siemens.",
        ),
    ],
    ids=[
        "changes languages for good",
        "begins with a text",
        "a program's words",
        "a sign of another script",
        "has two",
    ],
)
def test_what_an_owner_says_in_another_language_is_theirs(turns: tuple[str, ...], said: str) -> None:
    assert said in _said(*turns)
