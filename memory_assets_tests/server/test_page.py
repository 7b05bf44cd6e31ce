"""The page at the server's root: in a real browser, for the key's user, with a memory's words as text alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests

from memory_assets.server.page import PAGE
from memory_assets.settings import Settings
from memory_assets_tests.server.conftest import SECONDS, Client
from memory_assets_tests.support.browser import CHROMIUM, open_browser

pytestmark = pytest.mark.own_engine
HOSTILE = "Nora's code word is <img src=x onerror=\"document.title='owned'\">heather."


@pytest.mark.parametrize("path", PAGE)
def test_the_page_needs_no_key_and_loads_nothing_from_elsewhere(url: str, path: str) -> None:
    answer = requests.get(url + path, timeout=SECONDS)
    assert answer.status_code == 200 and "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "http:" not in answer.text and "https:" not in answer.text


def test_the_file_is_the_published_one(client: Client, settings: Settings, user: str) -> None:
    assert client.get("/file").json() == {
        "path": str(settings.memory_file(user)),
        "text": "",
        "tokens": 0,
        "limit": 2_000,
    }
    settings.memory_file(user).parent.mkdir(parents=True, exist_ok=True)
    settings.memory_file(user).write_text("# Memory\n\n- Nora keeps bees. [482915037]\n", encoding="utf-8")
    found = client.get("/file").json()
    assert "keeps bees" in found["text"] and 10 < found["tokens"] < 30
    assert client.get("/curation").json() == {"cuts": [], "more": None}


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
def test_a_person_looks_at_what_the_memory_holds(client: Client, settings: Settings, user: str, tmp_path: Path) -> None:
    ref = client.post("/memories", {"text": HOSTILE}).json()["ref"]
    settings.memory_file(user).parent.mkdir(parents=True, exist_ok=True)
    settings.memory_file(user).write_text(f"# Memory\n\n## Facts\n\n- {HOSTILE} [{ref}]\n", encoding="utf-8")
    with open_browser(tmp_path) as browser:
        browser.open(f"{client.url}/?#")
        browser.shows("page --user NAME")
        browser.open(f"{client.url}/?x#key={client.token}")
        browser.shows(f"Memory of {user}", "onerror", "heather")
        assert client.token not in browser.evaluate("location.href")
        browser.click(f"[{ref}]")
        browser.shows(f"MemoryEntry {ref}", "type weight", "safety multiplier")
        browser.evaluate("document.getElementById('search').question.value = 'code word'")
        browser.click("Search")
        browser.shows("tokens in", "heather")
        browser.click("Contradictions")
        browser.shows("Nothing contradicts anything.")
        client.post("/usage", {"wrong": [ref]})
        browser.click("Curated")
        browser.click("Contradictions")
        browser.shows("it is said to be wrong")
        browser.click("Both hold")
        browser.shows("Nothing contradicts anything.", "Settled")
        browser.click("Undo")
        browser.shows("The first holds")
        (found,) = client.get("/contradictions", about=ref).json()["contradictions"]
        assert found["b"]["text"] == "it is said to be wrong"
        browser.click("Curated")
        browser.shows("Curation has cut nothing")
        assert browser.evaluate("document.title") == f"Memory of {user}"
        assert browser.evaluate("document.images.length") == 0
        browser.evaluate("sessionStorage.clear(); location.reload()")
        browser.shows("page --user NAME")
