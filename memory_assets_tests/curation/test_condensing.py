"""Archived records in fewer words: nothing that cannot be guessed goes, and what they said can be put back."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.curation.cadences import Cadence
from memory_assets.curation.condensing import IN_SENTENCES, MOST, condense, fault, in_sentences, put_back
from memory_assets.curation.cycle import plan_cycles, run_cycle
from memory_assets.curation.restoring import list_cuts, restore
from memory_assets.curation.snapshots import read_whole
from memory_assets.errors import UnknownReferenceError
from memory_assets.graph.graph import Graph
from memory_assets.graph.lives import Life
from memory_assets.lifecycle.folding import columns_of
from memory_assets.llm.tokens import count_tokens
from memory_assets.model import State
from memory_assets_tests.curation.many_graphs import due, outcomes
from memory_assets_tests.curation.records import record, run, seed
from memory_assets_tests.curation.test_tombstones import DUE, carry_out, prune, rows_to_cut
from memory_assets_tests.llm.openai_bench import Bench
from memory_assets_tests.support.protocol_server import ProtocolServer, says, status

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
NEEDED = (
    "The keel of the Petrel cost 4,200 euros in March. Marek said on 3 May that the survey is not finished. "
    "The yard in Galway has no crane."
)
PADDING = " ".join(
    f"It was {how} to see how the work on the wooden hull went on during that visit, and everybody there liked it."
    for how in "good nice lovely pleasant fine splendid great interesting exciting calming wonderful soothing".split()
)
LONG = f"{NEEDED} {PADDING} {PADDING.replace('visit', 'stay')} {PADDING.replace('hull', 'mast')}"


@pytest.mark.parametrize(
    ("shorter", "reason"),
    [
        (NEEDED, ""),
        (NEEDED.replace("4,200", "4,300"), "leaves out the number"),
        (NEEDED.replace(" in March", ""), "leaves out"),
        (NEEDED.replace("on 3 May ", ""), "leaves out"),
        (NEEDED.replace("not finished", "finished"), "leaves out a denial"),
        (NEEDED.replace("The yard in Galway has no crane.", ""), "leaves out the name 'galway'"),
        (NEEDED.replace("has no crane", "has a crane, and no survey"), "leaves out a denial"),
        (f"{NEEDED} Priya agrees.", "adds the name"),
        (f"{NEEDED} It is not good.", "adds a denial"),
        (f"{NEEDED} A scandal!", "which the record does not"),
        ("", "says nothing"),
    ],
)
def test_fewer_words_say_what_cannot_be_guessed_and_nothing_else(shorter: str, reason: str) -> None:
    found = fault(f"{NEEDED} {PADDING}", shorter)
    assert found == reason if not reason else reason in found


def test_whole_sentences_keep_what_is_needed() -> None:
    found = in_sentences(LONG)
    assert found.startswith(NEEDED) and count_tokens(found) < count_tokens(LONG) / 2
    assert fault(LONG, found) == ""


WORDS = st.sampled_from("Anna never saw the old boat in Rome 12 3 May not without a crane and rope".split())
SENTENCES = st.lists(WORDS, min_size=2, max_size=9).map(lambda words: f"{' '.join(words).capitalize()}.")


@given(st.lists(SENTENCES, min_size=1, max_size=12).map(" ".join))
def test_sentences_of_its_own_add_nothing(text: str) -> None:
    shorter = in_sentences(text)
    assert len(shorter.split()) <= len(text.split())
    found = fault(text, shorter)
    assert "adds the" not in found and "which the record does not" not in found


def archived(graph: Graph, user: str, key: str, text: str = LONG, kind: str = "Analysis", **known: Any) -> str:
    properties = {"record_kind": kind, "text": text, "state": "archived", "token_count": count_tokens(text)}
    seed(graph, user, [record(f"{user}:{key}", kind, ref=f"{user}{key}", **properties | {"bulky": user} | known)])
    return f"{user}:{key}"


def test_a_record_is_condensed_and_put_back(graph: Graph, user: str) -> None:
    one = archived(graph, user, "1")
    before = read_whole(graph, user, [one])[one].properties
    (done,) = condense(graph, None, user, NOW)
    after = read_whole(graph, user, [one])[one].properties
    assert (done.why, done.by, done.after) == ("", IN_SENTENCES, after["token_count"])
    assert after["full_text"] == LONG and after["text"] == in_sentences(LONG) and after["version"] == 2
    assert condense(graph, None, user, NOW) == []
    for dry_run in (True, False):
        (back,) = put_back(graph, user, [f"{user}1"], NOW, dry_run=dry_run)
        assert back == {"ref": f"{user}1", "before": done.after, "after": count_tokens(LONG), "text": LONG}
    with pytest.raises(UnknownReferenceError, match="fewer words"):
        put_back(graph, user, [f"{user}1"], NOW)
    assert condense(graph, None, user, NOW) == [], "what a person gave back its words keeps them"
    back = read_whole(graph, user, [one])[one].properties
    changed = {"version", "updated_at", "bulky"}
    assert {k: v for k, v in back.items() if k not in changed} == {k: v for k, v in before.items() if k not in changed}


@pytest.mark.parametrize("was_condensed", [False, True])
def test_what_was_archived_and_condensed_is_restored_as_it_was(graph: Graph, user: str, was_condensed: bool) -> None:
    known = {"full_text": f"{LONG} More.", "condensed_by": IN_SENTENCES} if was_condensed else {}
    one = archived(graph, user, "1", state="active", bulky=None, **known)
    before = read_whole(graph, user, [one])[one].properties
    rows = [row | dict.fromkeys(DUE) for row in rows_to_cut(graph, user, [one], "archive")]
    assert carry_out(graph, user, "archive_records", rows) == {one}
    if was_condensed:
        run(graph, "access_record", id=one, user_id=user)
    else:
        assert [done.why for done in condense(graph, None, user, NOW)] == [""]
    (audit,) = list_cuts(graph, user)
    assert len(restore(graph, user, NOW + timedelta(days=1), audits=[audit["id"]]).back) == 1
    after = read_whole(graph, user, [one])[one].properties
    names = ("text", "token_count", "full_text", "condensed_by", "condensed_at", "bulky", "state")
    assert {name: after.get(name) for name in names} == {name: before.get(name) for name in names}


def test_what_is_short_in_use_or_to_be_kept_stays(graph: Graph, user: str) -> None:
    archived(graph, user, "1", "Short.")
    archived(graph, user, "2", state="active")
    archived(graph, user, "3", ttl_policy="keep_forever")
    assert condense(graph, None, user, NOW) == []


def test_ten_a_cycle(graph: Graph, user: str) -> None:
    for at in range(MOST + 2):
        archived(graph, user, str(at))
    assert len(condense(graph, None, user, NOW)) == MOST
    assert len(condense(graph, None, user, NOW)) == 2


def test_what_does_not_wait_any_more_takes_nobodys_place(graph: Graph, user: str) -> None:
    stale: list[dict[str, Any]] = [
        {"state": "active"},
        {"ttl_policy": "keep_forever"},
        {"tombstone": True},
        {"full_text": LONG},
        {"token_count": 500},
    ]
    for at in range(MOST):
        archived(graph, user, f"0{at}", **stale[at % len(stale)])
    waiting = archived(graph, user, "1")
    assert [done.id for done in condense(graph, None, user, NOW)] == [waiting]


def test_what_is_read_or_pruned_does_not_wait_any_more(graph: Graph, user: str) -> None:
    read, pruned, unread = (archived(graph, user, key, archived_from="active") for key in ("1", "2", "3"))
    life = Life(NOW, State.ACTIVE, salience_at=NOW, access_count=1, last_accessed_at=NOW)
    still = replace(life, state=State.ARCHIVED, archived_from=State.ACTIVE)
    rows = [{"id": read, **columns_of(life)}, {"id": unread, **columns_of(still)}]
    graph.write("lifecycle/set_lives", [row | {"is_valued": False} for row in rows], user_id=user)
    assert prune(graph, user, [pruned]) == {pruned}
    marks = {key: one.properties.get("bulky") for key, one in read_whole(graph, user, [read, pruned, unread]).items()}
    assert marks == {read: None, pruned: None, unread: user}


def test_what_has_nothing_to_leave_out_does_not_wait_for_ever(graph: Graph, user: str) -> None:
    dense = " ".join(f"Berth {at} costs {at * 7 + 100} euros." for at in range(60))
    archived(graph, user, "1", dense)
    (done,) = condense(graph, None, user, NOW)
    assert done.why == "little can be left out of it"
    assert condense(graph, None, user, NOW) == []


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (NEEDED, ""),
        (NEEDED.replace("not finished", "finished"), "denial"),
        (NEEDED.replace("Marek", "Tomas"), "name"),
        (NEEDED.replace("4,200 euros", "some euros"), "number"),
        (NEEDED.replace(" on 3 May", ""), "leaves out"),
        (LONG, "little can be left out"),
    ],
)
def test_a_models_words_pass_the_same_check(graph: Graph, user: str, tmp_path: Path, answer: str, why: str) -> None:
    one = archived(graph, user, "1")
    with ProtocolServer(says(json.dumps({"text": answer}))) as server:
        bench = Bench(server, tmp_path)
        (done,) = condense(graph, bench.model, user, NOW)
        assert len(server.chats) == 1 and "Petrel" in server.chats[0].user_text
    assert done.by == bench.model.name and (why in done.why if why else not done.why)
    text = read_whole(graph, user, [one])[one].properties["text"]
    assert text == (LONG if why else NEEDED)


def test_a_cycle_asks_the_model_about_ten_and_what_they_said_comes_back(
    graph: Graph, user: str, tmp_path: Path
) -> None:
    texts = {f"{at:02}": LONG + " It was so." * at for at in range(MOST + 2)}
    for key, text in texts.items():
        archived(graph, user, key, text)
    with ProtocolServer(always=says(json.dumps({"text": NEEDED}))) as server:
        model = Bench(server, tmp_path).model
        planned = run_cycle(graph, user, Cadence.SIX_HOURS, NOW, language=model, dry_run=True)
        assert (len(server.chats), len(planned.condensed)) == (0, MOST)
        assert {(one.by, one.why) for one in planned.condensed} == {(model.name, "the model would be asked")}
        done = run_cycle(graph, user, Cadence.SIX_HOURS, NOW, language=model)
        assert [one.id for one in done.condensed] == [one.id for one in planned.condensed]
        assert (len(server.chats), done.counts["condense"]) == (MOST, MOST)
        rest = run_cycle(graph, user, Cadence.SIX_HOURS, NOW + timedelta(hours=6), language=model)
        assert (len(server.chats), rest.counts["condense"]) == (MOST + 2, 2)
    refs = [f"{user}{key}" for key in texts]
    assert {row["text"] for row in put_back(graph, user, refs, NOW)} == set(texts.values())


def test_a_plan_lists_what_is_archived_by_it_and_condensed(graph: Graph, user: str) -> None:
    known = {"state": "active", "bulky": None, "tier": "COLD", "severity": "info", "confidence": None}
    long_ago = {"created_at": "2025-01-02T00:00:00.000Z", "changed_at": "2025-01-02T00:00:00.000Z"}
    one = archived(graph, user, "1", kind="Recommendation", **known, **long_ago, **due(user, f"{user}:1"))
    archived(graph, user, "0")
    seed(graph, user, [record(f"{user}:s", "Source")], [(one, "RECORDED_IN", f"{user}:s")])
    planned = plan_cycles(graph, user, Cadence, NOW)
    done = [run_cycle(graph, user, cadence, NOW) for cadence in Cadence]
    assert [(row.id, row.why) for row in done[-1].condensed] == [(f"{user}:0", ""), (one, "")]
    assert outcomes(planned) == outcomes(done)


def test_what_a_service_cannot_answer_now_waits(graph: Graph, user: str, tmp_path: Path) -> None:
    archived(graph, user, "1")
    with ProtocolServer(always=status(503)) as server:
        (done,) = condense(graph, Bench(server, tmp_path, max_retries=0).model, user, NOW)
    assert "next cycle" in done.why
    (again,) = condense(graph, None, user, NOW)
    assert again.why == ""
