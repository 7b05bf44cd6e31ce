"""The rules of the local model, one table per class, with the hard negatives beside them."""

from __future__ import annotations

import pytest

from memory_assets.llm.local.extract import extract
from memory_assets.llm.local.language import parse
from memory_assets.llm.local.sentence_features import BY_ASSISTANT, TO_ASSISTANT, Setting
from memory_assets.llm.local.sentence_model import Kind
from memory_assets.llm.local.sentences import Form, Piece, pieces
from memory_assets.llm.local.statements import Verdict, judge, kind_of
from memory_assets.llm.tasks import SourceText, TurnText


def verdict(text: str, *, by_assistant: bool = False, to_assistant: bool = False) -> Verdict:
    piece = pieces(text)[0]
    where = BY_ASSISTANT if by_assistant else TO_ASSISTANT if to_assistant else "note"
    return judge(piece, parse([piece.text])[0], Setting(where))


INSTRUCTIONS = [
    "Always answer me in French.",
    "Never call me before nine in the morning.",
    "Please always cc my accountant on invoices.",
    "Please never book a window seat for me.",
    "Don't ever share my calendar with vendors.",
    "Do not ever deploy on a Friday without asking me.",
    "From now on, use metric units.",
    "From now on we ship on Tuesdays.",
    "Going forward, please send the digest on Mondays.",
    "Remember that I take my coffee without milk.",
    "Keep in mind that my mother is hard of hearing.",
    "I prefer trains over planes.",
    "We strongly prefer written agendas.",
    "My preference is short replies.",
    "I'd like you to always show your sources.",
    "I want you to never round the totals.",
    "Make sure to always lock the side door.",
    "Call me Sam.",
    "Please call me Captain Haddock.",
    "My pronouns are they and them.",
    "Don't touch the staging server unless I ask.",
    "Use tabs by default.",
    "Include the ticket number whenever I ask about a bug.",
    "Whenever I send you a recipe, please convert it to grams.",
    "When I ask for a summary, keep it under fifty words.",
    "If I ask for directions, give me the bicycle route.",
    "Please don't phone me on weekends.",
    "I want your answers in plain English.",
    "I'd like all explanations to be in two paragraphs.",
    "Please use full sentences for anything I will forward.",
    "Please write Canadian English, because most of what you draft goes to Ottawa.",
    "My reading hour is Tuesday from now on, no longer Monday.",
]
NOT_INSTRUCTIONS = [
    "I have always loved old maps.",
    "Never mind.",
    "Never mind, it works now.",
    "I never thought it would rain this much.",
    "She always brings cake to the office.",
    "Never been to Portugal before.",
    "Always happy to help!",
    "Never say never.",
    "You should never give up.",
    "Do you prefer tea or coffee?",
    "He preferred the blue one.",
    "The server never answered.",
    "Call me back when you can.",
    "Call me tomorrow.",
    "Please don't hesitate to write.",
    "Don't forget to buy milk.",
    "If you have any questions, please contact the front desk.",
    "If you cannot attend, please call Rosa.",
    "Please do not reply to this message.",
    "It was the best day I ever had.",
    "The usual rule is that nobody remembers.",
    "I remember that we met in Oslo.",
    "Remember I told you about the leak?",
    "Going forward, the plant will run at half load.",
    "We met from nine to noon.",
    "The always-on display drains the battery.",
    "From now on he cooks alone.",
    "The twins are bottle-fed from now on.",
    "I'd like the code to be well structured and in two files.",
    "I want the report to be in colour for the fair.",
]
PREFERENCES = [
    "I love walking along the harbour at dawn.",
    "I hate long meetings.",
    "I really enjoy crossword puzzles.",
    "I don't eat meat.",
    "I'm allergic to penicillin.",
    "I am lactose intolerant.",
    "I can't stand loud restaurants.",
    "My favourite colour is teal.",
    "My favorite bakery closed last spring.",
    "I usually work from the library.",
    "I never drink coffee after lunch.",
    "I always take the aisle seat.",
    "I live in Ghent.",
    "I work as a physiotherapist.",
    "I was born in Quito.",
    "My wife is a violinist.",
    "My son is seven.",
    "My birthday is on 4 March.",
    "I'm a retired carpenter.",
    "I have two daughters.",
    "I'm a big fan of slow trains.",
    "I have always loved old maps.",
    "I only use open formats.",
    "I swim twice a week.",
    "I speak Portuguese.",
    "I favour paper over screens.",
    "I preferred the train to the bus all year.",
    "Short mornings and long evenings suit me.",
]
NOT_PREFERENCES = [
    "I love that!",
    "I love it.",
    "I would love to hear more about it.",
    "I'd like to book a table.",
    "It looks like rain.",
    "I was like a ghost yesterday.",
    "Do you like jazz?",
    "He loves his bicycle.",
    "My wife is coming at six.",
    "I'm a bit tired.",
    "I have a meeting at noon.",
    "My daughter's recital went well.",
    "I loved the concert last night.",
    "The users prefer the old layout.",
    "I feel like a new person.",
    "We live-streamed the event.",
    "Favourite items are sold out.",
    "Enjoy your trip!",
    "The house is in Ghent.",
    "I had two tickets for the opera.",
    "I work on it.",
    "They hate waiting.",
    "Everybody speaks Portuguese here.",
    "The allergy season started early.",
    "That is the part I do not like.",
    "I like the proposal.",
    "On Tuesday I meet the plumber, and Jo joins me.",
    "I only want to finish the first chapter.",
]
TASKS = [
    "I need to renew my passport.",
    "We should compare three suppliers.",
    "I'll send the contract tonight.",
    "I'm going to repaint the fence in June.",
    "TODO: rotate the keys.",
    "Action item: Lena checks the budget.",
    "The report is due on Thursday.",
    "The deadline is 3 May.",
    "Please send the floor plan to Otto.",
    "Can you review the draft by Monday?",
    "Could you please order more toner?",
    "Don't forget to water the ferns.",
    "Remember to charge the drill.",
    "Let's visit the museum on Sunday.",
    "Ben will prepare the slides by Friday.",
    "Priya needs to sign the lease.",
    "The roof must be repaired before winter.",
    "Send the invoice to Anna.",
    "We have to move out by the end of July.",
    "I plan to run the marathon next spring.",
    "- [ ] call the plumber",
    "We still need a venue for the wedding.",
    "The launch is scheduled for 12 June.",
    "I promised to bring the ladder.",
    "Make sure the valve is closed.",
]
NOT_TASKS = [
    "I had to laugh.",
    "I have to say, the view was superb.",
    "We'll see.",
    "You should be proud.",
    "The train was late due to snow.",
    "I wanted to call but forgot.",
    "We should have booked earlier.",
    "She sent the contract yesterday.",
    "- [x] call the plumber",
    "They needed more time last year.",
    "The will was read in March.",
    "Everyone planned well and it paid off.",
    "The shop opens by the river.",
    "I'd love to hear about it.",
    "Let me know!",
    "The request came from the council.",
    "He asked whether it works.",
    "The bridge reopened on Monday.",
    "What time does the bakery open?",
    "It will always be my home town.",
    "Let's face it, the soup was cold.",
    "The tests passed on Friday.",
    "I went over the numbers with the bank on Tuesday.",
    "I picked up the children and drove over the bridge.",
    "I went to Oslo over the weekend.",
    "Sales rose by four percent in May.",
    "Our cat slept all day.",
    "I want to remember this: the sea was as flat as a plate.",
    "My lesson from the move: boxes should be announced by number.",
    "The pump has to run above the mark for ten minutes before it counts.",
    "I will not argue before breakfast again.",
    "A house by the lake that I want to see.",
    "1. Point the service at the new disk, restart",
]
CHITCHAT = [
    "Hey Jon!",
    "Good morning everyone!",
    "How are you?",
    "What's up?",
    "Thanks a lot!",
    "Thank you so much for your help!",
    "That's great!",
    "Wow, that's awesome!",
    "Sounds good!",
    "Take care!",
    "See you later!",
    "Good luck!",
    "Congrats!",
    "I'm so proud of you!",
    "I'm glad to hear that.",
    "You're welcome!",
    "No problem!",
    "Haha, same here.",
    "How was your weekend?",
    "Have a great day!",
    "I totally agree.",
    "It was amazing!",
    "Let me know if you have any questions.",
    "Your kind words mean a lot.",
    "Best regards, Nora",
]
INSIGHTS = [
    "We decided to keep the old logo.",
    "It turns out the pump was blocked.",
    "The tests passed on Friday.",
    "Revenue grew to 2.4 million euros in March.",
    "The bridge reopened on Monday.",
    "I moved the piano into the cellar.",
    "The library closes at eight.",
    "Our landlord sold the building to a bank.",
    "The capital of Australia is Canberra.",
    "The old engine used twelve litres per hundred kilometres.",
    "Thanksgiving traffic blocked the tunnel for three hours.",
    "Wow Air cancelled the flight from Reykjavik to Boston in February.",
    "- [x] plumber called and paid",
    "The council rejected the parking garage with nine votes to two.",
    "Nadia broke her wrist on the ice rink.",
    "The vaccine arrives frozen at minus seventy degrees.",
    "Both sensors failed after the thunderstorm.",
    "He founded the orchestra in 1987.",
    "The bakery switched from gas to electric ovens.",
    "Our choir won second prize in Vienna.",
    "The archive holds letters by two forgotten poets.",
    "Kilimanjaro took them six days.",
    "The invoice was paid twice.",
    "The contract with Acme ended in 2024.",
    "Decided: the regatta is on 4 May.",
    "The choir moves from Hall A to Hall C.",
]


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_a_standing_rule_is_an_instruction(text: str) -> None:
    found = verdict(text)
    assert (found.content_type, found.is_instruction, found.durability) == ("preference", True, 0.95), found


@pytest.mark.parametrize("text", NOT_INSTRUCTIONS)
def test_the_words_of_a_rule_alone_are_none(text: str) -> None:
    assert not verdict(text).is_instruction, verdict(text)


@pytest.mark.parametrize("text", PREFERENCES)
def test_likes_habits_and_personal_facts_are_preferences(text: str) -> None:
    assert verdict(text).content_type == "preference", verdict(text)


@pytest.mark.parametrize("text", NOT_PREFERENCES)
def test_reactions_wishes_and_others_likes_are_no_preferences(text: str) -> None:
    assert verdict(text).content_type != "preference", verdict(text)


@pytest.mark.parametrize("text", TASKS)
def test_commitments_requests_and_plans_are_tasks(text: str) -> None:
    assert verdict(text).content_type == "task", verdict(text)


@pytest.mark.parametrize("text", NOT_TASKS)
def test_what_is_past_or_a_figure_of_speech_is_no_task(text: str) -> None:
    assert verdict(text).content_type != "task", verdict(text)


@pytest.mark.parametrize("text", CHITCHAT)
def test_greetings_thanks_and_reactions_are_chitchat(text: str) -> None:
    found = verdict(text)
    assert found.content_type == "chitchat" and found.durability < 0.1, found


@pytest.mark.parametrize("text", INSIGHTS)
def test_facts_decisions_and_events_are_insights(text: str) -> None:
    assert verdict(text).content_type == "insight", verdict(text)


def test_an_assistant_never_gives_an_instruction() -> None:
    for text in INSTRUCTIONS + PREFERENCES:
        found = verdict(text, by_assistant=True)
        assert not found.is_instruction and found.content_type in {"insight", "chitchat"}


def test_an_assistants_sentence_lasts_less_than_a_persons() -> None:
    text = "The council rejected the parking garage with nine votes to two."
    assert verdict(text, by_assistant=True).durability < verdict(text).durability / 2


def test_a_decision_outlasts_a_fact_and_a_question() -> None:
    decision, fact = verdict("We decided to sell the printer."), verdict("We cleaned and sold the printer.")
    question = verdict("Did the archive sell the large format printer?")
    assert decision.durability > fact.durability > question.durability


def test_hedged_and_heard_is_less_certain() -> None:
    sure = verdict("The museum opens at ten.").confidence
    assert verdict("Maybe the museum opens at ten.").confidence < sure
    assert verdict("She said the museum opens at ten.").confidence < sure


def test_bullets_under_a_heading_of_tasks_are_tasks() -> None:
    piece = Piece("Budget figures for Lena", Form.BULLET, "Action items")
    assert judge(piece, parse([piece.text])[0], Setting()).content_type == "task"


def test_a_line_that_stands_for_a_tool_is_nobodys_statement() -> None:
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


@pytest.mark.parametrize(
    "text",
    [
        "I'm not sure if the shed needs a permit for that roof.",
        "How can I paint the shed without taking the shelves out, considering I have two days",
        "But I'm still wondering which screws the old hinges take.",
    ],
)
def test_what_is_asked_of_an_assistant_without_a_mark_is_a_question(text: str) -> None:
    asked, told = verdict(text, to_assistant=True), verdict(text)
    assert asked.rule in {"question", "small_question"}
    assert asked.durability < told.durability


def test_a_passing_wish_to_an_assistant_lasts_less_than_a_plan() -> None:
    passing = "I want to make sure the roof beams of the shed carry the snow load."
    plan = "I want to replace the roof beams of the shed before the snow load."
    assert verdict(passing, to_assistant=True).durability < 0.5 * verdict(plan, to_assistant=True).durability
    assert verdict(passing).durability > 0.5 * verdict(plan).durability


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
    assert verdict(text).content_type == content_type, verdict(text)


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
        ("assistant", "insight"),
        ("Helpful Bot 3", "insight"),
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
        ((0.45, 0.1, 0.05, 0.1, 0.3), Kind.PREFERENCE),
        ((0.05, 0.3, 0.05, 0.25, 0.35), Kind.FACT),
        ((0.05, 0.1, 0.05, 0.1, 0.7), Kind.NONE),
        ((0.6, 0.1, 0.1, 0.1, 0.1), Kind.INSTRUCTION),
        ((0.1, 0.1, 0.5, 0.2, 0.1), Kind.TASK),
    ],
)
def test_what_is_not_surely_an_instruction_speaks_for_a_preference(shares: tuple[float, ...], kind: Kind) -> None:
    assert kind_of(dict(zip(Kind, shares, strict=True))) is kind
