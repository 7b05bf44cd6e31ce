"""Settings, and what is shown of them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from memory_assets.commands.doctor import examine
from memory_assets.errors import SettingsError
from memory_assets.settings import HOME_MARKER, Settings, ensure_home, load_settings, without_login
from memory_assets.sources.disk_files import Unit
from memory_assets.sources.walking import walk


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("bolt://127.0.0.1:7687", "bolt://127.0.0.1:7687"),
        ("bolt://neo4j:hidden@host:7687", "bolt://host:7687"),
        ("http://user:hid%40den@host/v1?x=a@b", "http://host/v1?x=a@b"),
    ],
)
def test_an_address_is_shown_without_its_login(address: str, shown: str) -> None:
    assert without_login(address) == shown


def test_home_is_its_owners_alone_and_nobodys_source(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "folder" / "home")
    settings.home.mkdir(parents=True, mode=0o755)
    ensure_home(settings)
    assert stat.S_IMODE(settings.home.stat().st_mode) == 0o700
    mine, theirs = settings.inbox / "maya" / "a.md", settings.inbox / "ben" / "b.md"
    for note in (mine, theirs, tmp_path / "folder" / "c.md"):
        note.parent.mkdir(exist_ok=True)
        note.write_text("A note.")
    found = walk([tmp_path / "folder"])
    assert found.units == [Unit(str(tmp_path / "folder" / "c.md"))]
    assert [path for path, _ in found.set_aside] == [str(settings.home)]
    assert walk([settings.inbox / "maya"]).units == [Unit(str(mine))]
    assert (settings.home / HOME_MARKER).is_file()


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_ASSETS_NOW", "soon")
    with pytest.raises(SettingsError, match="MEMORY_ASSETS_NOW"):
        load_settings()
    assert [finding.status for finding in examine()] == ["broken"]


def test_a_home_that_is_a_file_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").write_text("")
    monkeypatch.setenv("MEMORY_ASSETS_HOME", str(tmp_path / "home"))
    assert any(found.is_broken and "is no folder" in found.finding for found in examine())


def test_a_service_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_assets.commands.doctor import _language

    settings = Settings(llm="openai", openai_base_url="http://user:hidden@127.0.0.1:1/v1")
    finding = _language(settings)
    assert not finding.is_broken
    assert "hidden" not in finding.finding
    assert _language(Settings(llm="openai")).is_broken
