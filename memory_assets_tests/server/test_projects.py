"""Two projects' keys against every operation, on a memory that the whole chain has made: neither sees the other's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import dagster as dg
import pytest
import requests

from memory_assets.graph.export import export_user
from memory_assets.graph.graph import Graph
from memory_assets.graph.owners import readable_owners
from memory_assets.graph.projects import offered
from memory_assets.keys.issuing import add_key
from memory_assets.keys.policy import Scope
from memory_assets.memory_file.drafts import make_drafts, read_draft
from memory_assets.memory_file.user_files import add_file, remove_file, user_files
from memory_assets.privacy.projects import Within
from memory_assets.records.reading import list_records
from memory_assets.server.host import application
from memory_assets.server.mcp import FILE
from memory_assets.sources.ingest import ingest_paths
from memory_assets.text.injected import OPENING, without_injected
from memory_assets_tests.commands.test_correcting import run
from memory_assets_tests.commands.test_decisions import said
from memory_assets_tests.conftest import owner_for
from memory_assets_tests.hooks.payloads import COMPACTED, ENDED, FAILED, READ, STARTED, prompted
from memory_assets_tests.server.conftest import SECONDS, Client, served
from memory_assets_tests.server.test_mcp import call, read, within
from memory_assets_tests.sources.exports import code, codex_message, codex_meta
from memory_assets_tests.support.house import House

pytestmark = pytest.mark.graph
PROJECTS = ("harbor", "garden")
WORDS = {"harbor": "Quayzephyr", "garden": "Mulchzephyr", "": "Commonzephyr"}
"""A word that only the sources of a project say."""
SAID = (
    "Ilse Brandt wants a new rope for the {word} crane before the winter.",
    "The rope of the {word} crane costs {number} euros, says Ilse Brandt.",
    "Ilse Brandt ordered the rope for the {word} crane, {number} metres of it.",
    "The new rope for the {word} crane has arrived, says Ilse Brandt.",
    "Ilse Brandt put the new rope on the {word} crane.",
    "The rope of the {word} crane holds well, says Ilse Brandt.",
)


def chat(project: str, number: int) -> str:
    text = SAID[number].format(word=WORDS[project], number=number + 4)
    row = {"role": "user", "name": "Nora", "content": text, "timestamp": f"2026-0{3 + number}-0{2 + number}T09:00:00Z"}
    row |= {"conversation_id": f"{project or 'none'}-{number}"} | ({"project": project} if project else {})
    answer = row | {"role": "assistant", "name": "assistant", "content": f"I note that of the {WORDS[project]}."}
    return "\n".join(map(json.dumps, (row, answer))) + "\n"


@pytest.fixture(scope="module")
def house(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with dg.DagsterInstance.ephemeral() as instance:
        made = House(graph, tmp_path_factory.mktemp("projects"), instance, owner_for(__name__))
        nora = made.user("nora")
        for project in WORDS:
            for number in range(len(SAID)):
                made.write(nora, f"{project or 'none'}-{number}.jsonl", chat(project, number))
        ingest_paths(graph, nora, [made.settings.inbox / nora], None, made.settings.clock)
        assert made.run("build_memory").success
        assert made.run("form_storylines").success
        yield made


@pytest.fixture(scope="module")
def nora(house: House) -> str:
    return house.user("nora")


@pytest.fixture(scope="module")
def url(graph: Graph, house: House) -> Iterator[str]:
    with served(application(graph, house.settings)) as address:
        yield address


def key(house: House, url: str, user: str, project: str | None = None) -> Client:
    now = house.settings.clock.now()
    return Client(url, add_key(house.graph, user, f"agent-{project or 'any'}", list(Scope), now, project=project)[1])


def other(project: str) -> str:
    return WORDS[PROJECTS[1 - PROJECTS.index(project)]]


def refs(house: House, user: str) -> list[str]:
    """The references of all that is stored of a user."""
    rows = [row["properties"] for line in export_user(house.graph, user) if (row := _row(line)).get("properties")]
    return sorted({row["ref"] for row in rows if row.get("ref")})


def _row(line: Any) -> dict[str, Any]:
    return json.loads(line) if isinstance(line, str) else line


def ask(client: Client, method: str, path: str, body: Any = None, **headers: str) -> requests.Response:
    return requests.request(method, client.url + path, json=body, headers=client.headers | headers, timeout=SECONDS)


@pytest.mark.parametrize("project", PROJECTS)
def test_recall_finds_what_is_of_the_project_and_of_none(house: House, nora: str, url: str, project: str) -> None:
    question = {"question": "What does Ilse Brandt say?", "budget": 8_000, "thorough": True}
    bound, free = key(house, url, nora, project), key(house, url, nora)
    for client, headers in (
        (bound, {}),
        (free, {"X-Memory-Project": project}),
        (free, {"X-Memory-Project": f"/x/{project}"}),
    ):
        text = ask(client, "POST", "/recall", question, **headers).json()["text"]
        assert WORDS[project] in text and WORDS[""] in text and other(project) not in text
    for headers, more in (({}, {}), ({"X-Memory-Project": project}, {"all_projects": True})):
        text = ask(free, "POST", "/recall", question | more, **headers).json()["text"]
        assert all(word in text for word in WORDS.values())


def test_a_folder_at_work_is_a_hint(house: House, nora: str, url: str, tmp_path: Path) -> None:
    """It is the project where the key has none, the folder is there, and has a name."""
    free, bound = key(house, url, nora), key(house, url, nora, "harbor")
    (tmp_path / "Garden").mkdir()
    (tmp_path / "---").mkdir()
    folders = {"Garden": "garden", "---": None, "nowhere": None, "Garden/../Garden": "garden"}
    for folder, project in folders.items():
        given = {"X-Memory-Folder": quote(f"{tmp_path}/{folder}")}
        assert ask(free, "GET", "/status", **given).json()["project"] == project
        assert ask(bound, "GET", "/status", **given).json()["project"] == "harbor"
    given = {"X-Memory-Folder": f"{tmp_path}/Garden", "X-Memory-Project": "harbor"}
    assert ask(free, "GET", "/status", **given).json()["project"] == "harbor"
    assert ask(free, "GET", "/status", **{"X-Memory-Folder": "Garden"}).json()["project"] is None


@pytest.mark.parametrize("project", PROJECTS)
def test_a_key_cannot_leave_its_project(house: House, nora: str, url: str, project: str) -> None:
    bound = key(house, url, nora, project)
    asked = {"question": other(project)}
    assert ask(bound, "POST", "/recall", asked | {"all_projects": True}).status_code == 403
    assert ask(bound, "POST", "/recall", asked, **{"X-Memory-Project": "elsewhere"}).status_code == 403
    assert ask(bound, "POST", "/recall", asked, **{"X-Memory-Project": project.upper()}).status_code == 200
    assert ask(bound, "GET", "/status", **{"X-Memory-Project": "---"}).status_code == 400
    for nowhere in ("/", str(Path.home())):
        assert ask(bound, "GET", "/status", **{"X-Memory-Project": nowhere}).json()["project"] == project
    assert ask(bound, "GET", "/file").status_code == 403
    assert read(bound, FILE) == f"refused: {ask(bound, 'GET', '/file').json()['error']}"
    assert call(bound, "recall", question="Ilse", all_projects=True)[0]


@pytest.mark.parametrize("project", PROJECTS)
def test_no_operation_gives_anything_of_another_project(house: House, nora: str, url: str, project: str) -> None:
    word, foreign = WORDS[project], other(project)
    bound, free = key(house, url, nora, project), key(house, url, nora, None)
    them = key(house, url, nora, PROJECTS[1 - PROJECTS.index(project)])
    theirs = ask(them, "POST", "/memories", {"text": f"The {foreign} is locked at night.", "kind": "decision"}).json()
    ask(
        them,
        "POST",
        f"/sessions/hidden-from-{project}/turns",
        {"turns": [{"role": "user", "content": f"The {foreign} again."}]},
    )
    own = ask(bound, "POST", "/memories", {"text": f"The {word} is locked at noon.", "kind": "decision"}).json()
    assert own["recallable"] and theirs["recallable"]
    every = refs(house, nora)
    hidden = [ref for ref in every if foreign in free.get(f"/memories/{ref}").text]
    assert len(hidden) > 10 and theirs["ref"] in hidden
    answers: list[requests.Response] = []
    for level in ("said", "storylines", "themes"):
        for question in ("Ilse Brandt", f"What of the {foreign}?", "rope"):
            answers.append(bound.post("/recall", {"question": question, "budget": 4_000, "level": level}))
    for body in ({}, {"task": foreign}, {"query": "What does Ilse Brandt decide?"}, {"files": [f"src/{foreign}.py"]}):
        answers.append(bound.post("/context/assemble", body))
    answers.append(bound.post("/context/predict", {"file_opened": f"src/{foreign}.py", "at": "2026-11-01T09:00:00Z"}))
    for ref in every:
        answers += [bound.get(f"/memories/{ref}"), bound.get(f"/memories/{ref}/value")]
    for event in (STARTED, COMPACTED, READ, FAILED, prompted(f"Where is the {foreign}?"), ENDED):
        name = event["hook_event_name"]
        answers.append(bound.post(f"/hooks/claude-code/{name}", event | {"session_id": f"of-{project}"}))
    for path in ("/contradictions", "/curation", "/status", f"/sessions/hidden-from-{project}", "/file"):
        answers.append(bound.get(path))
    answers.append(bound.post("/memories", {"text": "The rope is old.", "kind": "fact"}))
    for answered in answers:
        assert answered.status_code in (200, 201, 403, 404), answered.text
        said = answered.text.replace(f"What of the {foreign}?", "")
        assert foreign not in said, answered.request.url
    assert any(word in answered.text for answered in answers)
    assert bound.get(f"/memories/{own['ref']}").json()["text"] == f"The {word} is locked at noon."


@pytest.mark.parametrize("project", PROJECTS)
def test_what_is_of_another_project_is_unknown_in_the_same_words_as_none(
    house: House, nora: str, url: str, project: str
) -> None:
    bound = key(house, url, nora, project)
    them = key(house, url, nora, PROJECTS[1 - PROJECTS.index(project)])
    theirs = them.post("/memories", {"text": f"Nobody oils the {other(project)}.", "kind": "fact"}).json()["ref"]
    them.post(f"/sessions/theirs-{project}/turns", {"turns": [{"role": "user", "content": "Hello."}]})
    asks = [
        ("GET", "/memories/{}", None),
        ("PATCH", "/memories/{}", {"text": "It is so.", "reason": "why"}),
        ("DELETE", "/memories/{}?reason=why", None),
        ("POST", "/memories/{}/undo", None),
    ]
    for method, path, body in asks:
        found, none = (ask(bound, method, path.format(ref), body) for ref in (theirs, "000000000"))
        assert found.status_code == none.status_code == 404
        assert found.json()["error"].replace(theirs, "000000000") == none.json()["error"]
    own = bound.post("/memories", {"text": f"Somebody oils the {WORDS[project]}.", "kind": "fact"}).json()["ref"]
    assert not call(bound, "open", ref=own, session=f"of-{project}")[0]
    assert call(bound, "open", ref=own, session=f"theirs-{project}")[0]
    assert read(bound, f"memory://{theirs}").replace(theirs, "000000000") == read(bound, "memory://000000000")
    for method, path, body in (
        ("GET", "/sessions/{}", None),
        ("GET", "/sessions/{}/turns", None),
        ("POST", "/recall", {"question": "Who says hello?", "session": "{}"}),
        ("POST", "/usage", {"cited": ["000000000"], "session": "{}"}),
        ("POST", "/sessions/{}/end", None),
    ):
        if body:
            assert ask(bound, method, path, body | {"session": f"theirs-{project}"}).status_code == 404
            continue
        found, none = (ask(bound, method, path.format(name), body) for name in (f"theirs-{project}", "nothing"))
        assert found.status_code == none.status_code == 404
        assert found.json()["error"].replace(f"theirs-{project}", "nothing") == none.json()["error"]
    added = bound.post(f"/sessions/theirs-{project}/turns", {"turns": [{"role": "user", "content": "Me, too."}]})
    assert added.status_code == 404
    used = bound.post("/usage", {"cited": [theirs], "wrong": [theirs]}).json()
    assert used == {"cited": 0, "ignored": 0, "wrong": 0, "unknown": [theirs]}
    known = {row["id"] for row in them.get("/contradictions").json()["contradictions"]}
    them.post("/usage", {"wrong": [theirs]})
    (doubt,) = [row for row in them.get("/contradictions").json()["contradictions"] if row["id"] not in known]
    assert doubt["id"] not in bound.get("/contradictions").text
    settled = {"resolution": "both_valid", "note": "It is so."}
    assert bound.post(f"/contradictions/{doubt['id']}/resolve", settled).status_code == 404
    assert them.post(f"/contradictions/{doubt['id']}/resolve", settled).status_code == 200


@pytest.mark.parametrize("project", PROJECTS)
def test_what_is_remembered_and_corrected_stays_in_its_project(house: House, nora: str, url: str, project: str) -> None:
    bound, them = key(house, url, nora, project), key(house, url, nora, PROJECTS[1 - PROJECTS.index(project)])
    text = {"text": f"The anchor of {project} is of iron.", "kind": "fact", "idempotency_key": "anchor"}
    made = bound.post("/memories", text).json()
    assert bound.post("/memories", text).json()["is_new"] is False
    fixed = ask(
        bound, "PATCH", f"/memories/{made['ref']}", {"text": "The anchor is of brass.", "reason": "seen"}
    ).json()
    assert "brass" in bound.post("/recall", {"question": "Which anchor?"}).json()["text"]
    assert "brass" not in them.post("/recall", {"question": "Which anchor?"}).json()["text"]
    assert ask(bound, "POST", f"/memories/{fixed['superseded']}/undo").status_code == 200
    # What a source of the project says: other words for it are the project's, too.
    found = next(
        ref
        for ref in refs(house, nora)
        if (opened := bound.get(f"/memories/{ref}").json()).get("kind") == "statement"
        and WORDS[project] in opened["text"]
    )
    new = ask(bound, "PATCH", f"/memories/{found}", {"text": "It is made of birch.", "reason": "seen"}).json()["ref"]
    assert bound.get(f"/memories/{new}").status_code == 200
    assert them.get(f"/memories/{new}").status_code == 404
    assert "birch" not in them.post("/recall", {"question": "What is of birch?"}).json()["text"]
    assert ask(bound, "POST", f"/memories/{found}/undo").status_code == 200


def test_what_was_retrieved_in_a_session_elsewhere_is_not_seen(house: House, nora: str, url: str) -> None:
    bound, free = key(house, url, nora, "harbor"), key(house, url, nora)
    path, word, foreign = "/sessions/crossing", WORDS["harbor"], other("harbor")
    bound.post(f"{path}/turns", {"turns": [{"role": "user", "content": "Hello."}]})
    for about in (word, foreign):
        asked = {"question": f"What does Ilse Brandt say of the {about}?", "session": "crossing", "all_projects": True}
        assert about in free.post("/recall", asked).json()["text"]
    assert {word, foreign} <= {said for said in (word, foreign) if said in str(free.get(path).json()["retrieved"])}
    assert word in bound.get(path).text and foreign not in bound.get(path).text


def test_a_teams_sources_that_were_retrieved_or_injected_in_a_session_are_seen(house: House, url: str) -> None:
    dora = house.user("dora")
    team = house.team("yard", dora)
    for project in WORDS:
        house.ingest(team, f"{project or 'none'}.jsonl", chat(project, 0))
    assert house.run("build_memory").success
    bound, free, path = key(house, url, dora, "harbor"), key(house, url, dora), "/sessions/yard"
    bound.post(f"{path}/turns", {"turns": [{"role": "user", "content": "Hello."}]})
    for word in WORDS.values():
        asked = {"question": f"What does Ilse Brandt say of the {word}?", "session": "yard", "all_projects": True}
        assert word in free.post("/recall", asked).json()["text"]
        free.post("/context/assemble", {"query": asked["question"], "session": "yard"})
    everything, own = free.get(path).json(), bound.get(path).json()
    assert {word for word in WORDS.values() if word in str(everything["retrieved"])} == set(WORDS.values())
    assert own["retrieved"] == [one for one in everything["retrieved"] if other("harbor") not in str(one)]
    names = {name.partition("/")[0] for name in everything["injected"]}
    foreign = {name for name in names if other("harbor") in free.get(f"/memories/{name}").text}
    assert 0 < len(foreign) < len(names)
    assert own["injected"] == [name for name in everything["injected"] if name.partition("/")[0] not in foreign]


def test_an_ended_session_is_of_the_project_that_it_was_begun_in(house: House, nora: str, url: str) -> None:
    bound, them = (key(house, url, nora, project) for project in PROJECTS)
    bound.post("/sessions/begun/turns", {"turns": [{"role": "user", "content": "The lantern hangs at the gate."}]})
    assert bound.post("/sessions/begun/end").json()["is_source"]
    sources = house.graph.read("sources/list_projects", user_ids=readable_owners(house.graph, nora, Within("harbor")))
    before = house.graph.read("sources/list_projects", user_ids=readable_owners(house.graph, nora, Within("garden")))
    assert {row["project"] for row in sources} == {"harbor", None}
    assert {row["project"] for row in before} == {"garden", None}
    assert them.get("/sessions/begun").status_code == 404


def test_a_session_that_moves_between_projects_ends_as_a_source_of_each(house: House, url: str) -> None:
    mona = house.user("mona")
    free = key(house, url, mona)
    words = {"harbor": "Quayzephyr", "garden": "Mulchzephyr", "": "Commonzephyr"}
    for project in ("harbor", "garden", "", "harbor"):
        turns = {"turns": [{"role": "user", "content": f"Ilse Brandt wants a rope for the {words[project]}."}]}
        given = {"X-Memory-Project": project} if project else {}
        assert ask(free, "POST", "/sessions/moving/turns", turns, **given).status_code == 200
    clients = {project: key(house, url, mona, project) for project in PROJECTS}
    assert [client.get("/sessions/moving").status_code for client in clients.values()] == [404, 404]
    assert free.post("/sessions/moving/end").json() == {"session": "moving", "is_source": True}
    assert house.run("build_memory").success
    question = {"question": "What does Ilse Brandt want?", "thorough": True, "budget": 8_000}
    for project, client in clients.items():
        text = client.post("/recall", question).json()["text"]
        assert {word for word in words.values() if word in text} == {words[project], words[""]}
    text = free.post("/recall", question).json()["text"]
    assert all(word in text for word in words.values())
    assert [client.get("/sessions/moving").status_code for client in clients.values()] == [404, 404]


def test_a_session_that_somebody_in_no_project_began_is_closed_to_others_once_a_project_works_in_it(
    house: House, nora: str, url: str
) -> None:
    bound, them = (key(house, url, nora, project) for project in PROJECTS)
    turns = {"turns": [{"role": "user", "content": "Hello."}]}
    key(house, url, nora).post("/sessions/shared/turns", turns)
    assert bound.get("/sessions/shared").status_code == them.get("/sessions/shared").status_code == 200
    assert bound.post("/sessions/shared/turns", turns).status_code == 200
    assert bound.get("/sessions/shared").status_code == 200
    assert them.get("/sessions/shared").status_code == them.post("/sessions/shared/turns", turns).status_code == 404


def test_a_key_follows_no_transcript_of_another_project(house: House, nora: str, url: str, tmp_path: Path) -> None:
    bound, free = key(house, url, nora, "harbor"), key(house, url, nora)
    folders = {project: str(tmp_path / project) for project in PROJECTS}

    def followed(client: Client, name: str, at: str, *lines: str) -> requests.Response:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        path.write_text("".join(f"{line}\n" for line in lines))
        given = {"session_id": "s1", "cwd": folders.get(at, ""), "transcript_path": str(path)}
        return client.post(f"/hooks/claude-code/{name}", given | {"hook_event_name": name})

    for name in ("Stop", "PreCompact", "SessionEnd"):
        for at, began in (("garden", "garden"), ("garden", "harbor"), ("harbor", "garden"), ("", "garden")):
            claude = code("user", "The gate opens with 4-7-1.", "u1", None, cwd=folders[began])
            codex = [codex_meta("s1", cwd=folders[began]), codex_message("user", "The gate opens.", 1)]
            for lines in ([claude], codex):
                refused = followed(bound, name, at, *lines)
                assert refused.status_code == 403, (name, at, began)
                asked = ask(bound, "GET", "/status", **{"X-Memory-Project": "garden"})
                assert refused.json()["error"] == asked.json()["error"]
    assert free.get("/sessions/s1").status_code == 404
    own = code("user", "The crane is oiled.", "u1", None, cwd=folders["harbor"])
    assert followed(bound, "Stop", "harbor", own).status_code == 200
    assert "The crane is oiled." in bound.get("/sessions/s1").text
    assert followed(free, "Stop", "garden", own).status_code == 200


@pytest.mark.parametrize("written", ["claude", "codex"])
def test_each_line_of_a_transcript_is_of_the_project_of_its_own_folder(
    house: House, url: str, tmp_path: Path, written: str
) -> None:
    lena = house.user(f"lena-{written}")
    bound, free = key(house, url, lena, "harbor"), key(house, url, lena)
    (tmp_path / "garden" / ".git").mkdir(parents=True)
    said = {"harbor": "Oil the crane.", "harbor/docs": "Describe the crane.", "garden/docs": "The hedge is cut."}
    path = tmp_path / "t.jsonl"
    lines = [] if written == "claude" else [codex_meta("s1", cwd=str(tmp_path / "harbor"))]
    for number, (folder, text) in enumerate([*said.items(), ("harbor", "It is oiled.")]):
        at = str(tmp_path / folder)
        if written == "claude":
            lines.append(code("user", text, f"u{number}", None, cwd=at))
        else:
            context = {"type": "turn_context", "timestamp": "2026-05-03T09:00:00Z", "payload": {"cwd": at}}
            lines += [json.dumps(context), codex_message("user", text, number)]
    path.write_text("".join(f"{line}\n" for line in lines))
    end = {"session_id": "s1", "cwd": str(tmp_path / "harbor"), "transcript_path": str(path)}
    end |= {"hook_event_name": "SessionEnd"}
    sessions = house.settings.inbox / lena / "sessions"

    def ended(client: Client, **headers: str) -> dict[str | None, list[str]]:
        answered = ask(client, "POST", "/hooks/claude-code/SessionEnd", end, **headers)
        assert answered.status_code == 200, answered.text
        found: dict[str | None, list[str]] = {}
        for file in sorted(sessions.iterdir()):
            for row in map(json.loads, file.open()):
                found.setdefault(row.get("project"), []).append(row["content"])
            file.unlink()
        shutil.rmtree(house.settings.home / "sessions" / lena)
        return found

    at_harbor = ["Oil the crane.", "Describe the crane.", "It is oiled."]
    assert ended(free) == {"harbor": at_harbor, "garden": ["The hedge is cut."]}
    assert ended(bound) == {"harbor": at_harbor}, "a key of one project follows nothing of another"
    everything = [*said.values(), "It is oiled."]
    assert ended(free, **{"X-Memory-Project": "quarry"}) == {"quarry": everything}, "what is given holds"


def test_every_kind_of_memory_is_of_a_project_when_all_its_sources_are(house: House, nora: str) -> None:
    rows = house.graph.read("recall/list_storylines", user_id=nora, with_archived=True)
    assert rows, "the sources of one anchor are a storyline"
    ids = [row["id"] for row in rows]
    owners = readable_owners(house.graph, nora)
    found = house.graph.read("graph/list_projects_of_memories", ids=ids, user_id=nora, user_ids=owners)
    assert {row["id"] for row in found} == set(ids) and all(row["projects"] for row in found)
    for row in found:
        projects = {name or None for name in row["projects"]}
        for project in PROJECTS:
            strict = readable_owners(house.graph, nora, Within(project, is_bound=True))
            assert offered(house.graph, nora, strict, [row["id"]]) == (
                {row["id"]} if projects <= {project, None} else set()
            )
    assert offered(house.graph, nora, owners, ids) == set(ids)


@pytest.mark.parametrize("project", PROJECTS)
def test_a_file_of_a_project_holds_what_is_of_it_and_of_none(
    house: House, nora: str, project: str, tmp_path: Path
) -> None:
    now = house.settings.clock.now()

    def entries(name: str, of: str | None) -> dict[str, str]:
        file = add_file(house.graph, house.settings, nora, tmp_path / name, now, preset="codex", project=of)
        assert file in user_files(house.graph, house.settings, nora)
        made = make_drafts(house.graph, nora, [file], now)
        assert made == [True] and make_drafts(house.graph, nora, [file], now) == [False]
        found = read_draft(house.graph, file).entries
        remove_file(house.graph, house.settings, nora, tmp_path / name, now)
        return {row["memory_id"]: row["text"] for row in found}

    of_all, of_one = entries("ALL.md", None), entries("AGENTS.md", project)
    owners = readable_owners(house.graph, nora, Within(project, is_bound=True))
    assert of_one.keys() == offered(house.graph, nora, owners, of_one) and of_one
    said = " ".join(of_one.values())
    assert WORDS[project] in said and other(project) not in said
    assert all(WORDS[name] in " ".join(of_all.values()) for name in PROJECTS)
    assert entries("AGENTS.md", None).keys() == of_all.keys()


def test_what_a_new_memory_contradicts_stands_between_the_marks(house: House, url: str) -> None:
    carl = house.user("carl")
    house.ingest(carl, "a.jsonl", said(2, "I am allergic to nuts."))
    run(house, carl)
    failed, text = call(key(house, url, carl), "remember", text="I am not allergic to nuts.")
    assert not failed and text.startswith(OPENING) and not without_injected(text)
    assert json.loads(within(text))["contradicts"][0]["text"] == "I am allergic to nuts."


def test_what_another_project_has_remembered_since_the_last_run_is_not_named(house: House, url: str) -> None:
    dora, bo = house.user("dora"), house.user("bo")
    text, denied = {"text": "The harbour gate closes at six."}, {"text": "The harbour gate does not close at six."}
    at_harbor, at_garden = (key(house, url, dora, project) for project in PROJECTS)
    ref = at_harbor.post("/memories", text).json()["ref"]
    refused = at_garden.post("/memories", denied).json()
    assert refused["contradicts"] == [] and ref not in at_garden.get("/contradictions").text
    assert at_harbor.get("/contradictions").json()["contradictions"] == []
    assert key(house, url, bo).post("/memories", denied).json()["contradicts"] == [], "another user's"
    free = key(house, url, dora)
    in_harbor = ask(free, "POST", "/memories", denied, **{"X-Memory-Project": "harbor"}).json()
    assert [one["ref"] for one in in_harbor["contradicts"]] == [ref]
    assert in_harbor["contradicts"][0]["id"] in at_harbor.get("/contradictions").text
    assert in_harbor["contradicts"][0]["id"] not in at_garden.get("/contradictions").text
    rows = free.get("/contradictions").json()["contradictions"]
    assert {(row["a"]["ref"], row["b"]["ref"]) for row in rows} == {(ref, refused["ref"]), (ref, in_harbor["ref"])}


def test_what_another_project_has_changed_holds_no_longer_for_a_key_and_is_not_named(house: House, url: str) -> None:
    finn = house.user("finn")
    for day, project, text in ((2, "harbor", "I live in Boston."), (9, "garden", "I moved from Boston to Denver.")):
        house.ingest(finn, f"{project}.jsonl", json.dumps(json.loads(said(day, text)) | {"project": project}))
    assert house.run("build_memory").success
    free, at_harbor = key(house, url, finn), key(house, url, finn, "harbor")
    at_harbor.post("/sessions/s1/turns", {"turns": [{"role": "user", "content": "I look after the cranes."}]})
    asked = {"question": "Who lives in Boston?", "thorough": True}
    for client, is_known in ((free, True), (at_harbor, False)):
        found = client.post("/recall", asked).json()
        context = client.post("/context/assemble", {"query": asked["question"]}).json()["context"]
        for text in (found["text"], context):
            assert "live in Boston" in text and "superseded on" in text
            assert (", see [" in text) == is_known
        assert any("superseded_by" in one for one in found["sources"]) == is_known
    free.post("/recall", asked | {"thorough": False, "session": "s1"})
    for client, is_known in ((free, True), (at_harbor, False)):
        (passage,) = client.get("/sessions/s1").json()["retrieved"]
        assert "superseded on" in passage["text"] and (", see [" in passage["text"]) == is_known


def test_what_takes_the_place_of_a_memory_does_not_contradict_it(house: House, url: str) -> None:
    emma = house.user("emma")
    first = key(house, url, emma).post("/memories", {"text": "The harbour gate closes at six."}).json()["ref"]
    now = house.settings.clock.now()
    cursor = Client(url, add_key(house.graph, emma, "cursor", list(Scope), now)[1])
    body = {"text": "The harbour gate does not close at six.", "supersedes": [first]}
    made = cursor.post("/memories", body).json()
    assert (made["supersedes"], made["contradicts"]) == ([first], [])
    assert cursor.get("/contradictions").json()["contradictions"] == []


def test_what_cannot_be_superseded_is_not_remembered_by_half(house: House, url: str) -> None:
    gina = house.user("gina")
    bare = {"record": "memory", "agent": "codex", "text": "The west gate closes at six."}
    house.ingest(gina, "agents/bare.jsonl", json.dumps(bare))
    run(house, gina)
    client, (record,) = key(house, url, gina), list_records(house.graph, gina)
    first = client.post("/memories", {"text": "The east gate closes at six."}).json()["ref"]
    refused = client.post("/memories", {"text": "No gate closes at six.", "supersedes": [first, record["ref"]]})
    assert refused.status_code == 400 and "no id" in refused.text
    found = client.post("/recall", {"question": "When does which gate close?", "thorough": True}).json()["text"]
    assert "east gate" in found and "No gate" not in found and "superseded" not in found
