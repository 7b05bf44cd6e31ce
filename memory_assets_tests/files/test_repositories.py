"""By what the work in a folder is known."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.files.repositories import branch_of, known_by

git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def _git(folder, *words):
    subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)


@git
def test_a_folder_and_its_subfolder_are_known_by_the_repository(tmp_path):
    root = tmp_path / "harbor"
    (root / "web" / "src").mkdir(parents=True)
    _git(root, "init", "-q")
    assert {known_by(str(root / below)) for below in ("", "web", "web/src", "web/gone")} == {str(root)}


@git
def test_a_repository_is_known_by_its_remote(tmp_path):
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "remote", "add", "upstream", "https://example.org/other/thing.git")
    _git(tmp_path, "remote", "add", "origin", "git@example.org:acme/harbor.git")
    assert known_by(str(tmp_path)) == "git@example.org:acme/harbor.git"


@git
def test_a_worktree_is_known_as_its_repository_is(tmp_path):
    root, other = tmp_path / "harbor", tmp_path / "elsewhere"
    root.mkdir()
    _git(root, "init", "-q")
    _git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "first")
    _git(root, "worktree", "add", "-q", str(other))
    assert known_by(str(other)) == str(root)
    _git(root, "checkout", "-q", "-b", "fix/42-anchor")
    assert (branch_of(str(root)), branch_of(str(other / "src"))) == ("fix/42-anchor", "elsewhere")
    _git(root, "checkout", "-q", "--detach")
    assert branch_of(str(root)) == branch_of(str(tmp_path)) == branch_of("harbor") == ""


def test_without_a_repository_a_folder_is_known_by_itself(tmp_path):
    assert known_by(str(tmp_path / "gone")) == str(tmp_path / "gone")
    assert known_by("C:\\src\\harbor") == "C:\\src\\harbor"


def test_the_home_folder_is_known_by_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert known_by(str(tmp_path)) == ""
    assert known_by(str(tmp_path / "harbor")) == str(tmp_path / "harbor")
    (tmp_path / ".git").mkdir()  # whoever has it under version control has no project of it
    assert known_by(str(tmp_path)) == ""
    assert known_by(str(tmp_path / "harbor")) == str(tmp_path / "harbor")
    assert known_by("/") == ""


def test_a_home_behind_a_link_is_the_home_folder(tmp_path, monkeypatch):
    (tmp_path / "maya").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "maya")
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert known_by(str(tmp_path / "maya")) == known_by(str(tmp_path / "link")) == ""


def test_who_has_no_home_works_in_folders(tmp_path, monkeypatch):
    def none(name):
        raise KeyError(name)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", none)
    assert known_by(str(tmp_path / "harbor")) == str(tmp_path / "harbor")


@given(st.text(max_size=50))
def test_no_folder_fails(text):
    assert known_by("/nowhere/at/all/" + text)
