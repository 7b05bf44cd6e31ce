"""All settings of an installation, typed, from the environment and the project's ``.env``.

``.env.example`` documents each of them; ``memory-assets doctor`` checks them. ``MEMORY_ASSETS_ENV_FILE`` names
another file than the project's ``.env``.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from memory_assets.clock import Clock
from memory_assets.errors import SettingsError
from memory_assets.work_limit import SECONDS, WorkLimit

PACKAGE = Path(__file__).resolve().parent


def _project_root() -> Path:
    """The checkout's root, or the working directory when the package was installed from a wheel."""
    root = PACKAGE.parent
    return root if (root / "pyproject.toml").is_file() else Path.cwd()


class Settings(BaseSettings):
    """What people configure. Addresses, secrets and the choice of engines: policies are not settings."""

    model_config = SettingsConfigDict(
        env_prefix="MEMORY_ASSETS_",
        env_file=os.environ.get("MEMORY_ASSETS_ENV_FILE", _project_root() / ".env"),
        env_ignore_empty=True,
        extra="ignore",
        populate_by_name=True,
    )

    home: Path = Field(default_factory=lambda: _project_root() / ".memory-assets")
    now: datetime | None = None
    timezone: str = "UTC"
    postgres_url: SecretStr | None = None
    keep_originals: bool = False
    source_seconds: float = Field(default=SECONDS, gt=0, le=86_400)

    llm: Literal["local", "openai"] = "local"
    llm_model: str = "gpt-4.1-mini"
    llm_model_processing: str | None = None
    llm_model_extraction: str | None = None
    llm_model_notes: str | None = None
    llm_model_composing: str | None = None
    compose: bool = True
    judge_pairs: bool = False
    consolidate: bool = True
    llm_timeout_seconds: float = Field(default=120, gt=0, le=3600)
    embedder: Literal["local", "openai"] = "local"
    embedder_model: str = "text-embedding-3-small"
    budget_usd: float | None = Field(default=None, ge=0)
    prices: Path | None = None
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(default=None, validation_alias="OPENAI_BASE_URL")

    neo4j_uri: str | None = Field(default=None, validation_alias="NEO4J_URI")
    neo4j_username: str = Field(default="neo4j", validation_alias="NEO4J_USERNAME")
    neo4j_password: SecretStr | None = Field(default=None, validation_alias="NEO4J_PASSWORD")
    neo4j_database: str = Field(default="neo4j", validation_alias="NEO4J_DATABASE")
    graph_heap: str = Field(default="1g", pattern=r"^\d+[mg]$")

    alert_webhook_url: SecretStr | None = None
    alert_slack_url: SecretStr | None = None
    ui_url: str = "http://127.0.0.1:3000"
    server_port: int = Field(default=4747, ge=0, le=65_535)
    server_requests_per_minute: int = Field(default=6_000, ge=1)
    """So often a key may ask the server."""
    hook_deadline_ms: int = Field(default=200, ge=1)
    """So long an agent waits for what it is given with a prompt, a file or an error."""

    @field_validator("now")
    @classmethod
    def _now_is_aware(cls, value: datetime | None) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value

    @field_validator("timezone")
    @classmethod
    def _timezone_is_known(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"{value!r} is no time zone; name one like Europe/Zurich") from None
        return value

    @field_validator("postgres_url")
    @classmethod
    def _postgres_url_is_one(cls, value: SecretStr | None) -> SecretStr | None:
        # Dagster takes it from the environment unchanged, and has this driver alone.
        if value is not None and not value.get_secret_value().startswith("postgresql+psycopg2://"):
            raise ValueError("write it as postgresql+psycopg2://user:password@host:5432/database")
        return value

    @field_validator("alert_webhook_url", "alert_slack_url")
    @classmethod
    def _alerts_go_to_an_address(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not _is_web_address(value.get_secret_value()):
            raise ValueError("write it as https://host/path")
        return value

    @field_validator("ui_url")
    @classmethod
    def _ui_url_has_no_slash(cls, value: str) -> str:
        if not _is_web_address(value):
            raise ValueError("write it as http://host:port")
        return without_login(value).rstrip("/")

    @field_validator("home")
    @classmethod
    def _home_is_absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @cached_property
    def clock(self) -> Clock:
        """The installation's clock: real, or stopped at ``MEMORY_ASSETS_NOW``."""
        return Clock(self.now)

    @property
    def work_limit(self) -> WorkLimit:
        """How much processor time the work on one source may take."""
        return WorkLimit(self.source_seconds)

    @property
    def inbox(self) -> Path:
        """``HOME/inbox``: one folder per user, and ``team-<team>`` per team."""
        return self.home / "inbox"

    @property
    def graph_home(self) -> Path:
        """Where the embedded graph keeps its data, state file and log."""
        return self.home / "graph"

    @property
    def server_home(self) -> Path:
        """Where the server for agents keeps its state file and log."""
        return self.home / "server"

    @property
    def dagster_home(self) -> Path:
        """Dagster's instance storage."""
        return self.home / "dagster"

    @property
    def models_file(self) -> Path:
        """The SQLite file with the response cache and the ledger of the models."""
        return self.home / "models.sqlite"

    @property
    def alerts_file(self) -> Path:
        """The SQLite file with the alerts and who has received them."""
        return self.home / "alerts.sqlite"

    def accesses_file(self, user: str) -> Path:
        """The log of what was accessed of a user's memories, an SQLite file: what is not counted yet is only there."""
        return self.home / "accesses" / f"{user}.sqlite3"

    def values_cache(self, user: str) -> Path:
        """What was scored of a user's memories, so that the next scoring reads only what has changed."""
        return self.home / "cache" / "values" / user

    def storylines_cache(self, user: str) -> Path:
        """What a user's storylines were grouped from, so that only anchors that have changed are grouped again."""
        return self.home / "cache" / "storylines" / user

    def validity_index(self, user: str) -> Path:
        """The index of a user's statements by which a new one finds those that it may bear on; made from the graph."""
        return self.home / "validity" / f"{user}.sqlite3"

    def unjudged_index(self, user: str) -> Path:
        """The same of what agents have remembered for a user since a run has judged what they say."""
        return self.home / "validity" / "unjudged" / f"{user}.sqlite3"

    def duplicates_cache(self, user: str) -> Path:
        """The vectors and words by which a new memory finds those that say the same; made from the graph."""
        return self.home / "cache" / "duplicates" / user / "vectors.sqlite3"

    @property
    def cache_folders(self) -> tuple[Path, ...]:
        """The folders of caches, with a folder for each user; all of it can be made anew."""
        return tuple(self.home / "cache" / name for name in ("values", "storylines", "duplicates"))

    def memory_file(self, user: str) -> Path:
        """Where a user's MEMORY.md is published."""
        return self.home / "files" / user / "MEMORY.md"

    def heartbeat_file(self, user: str) -> Path:
        """Where a user's HEARTBEAT.md is published."""
        return self.home / "files" / user / "HEARTBEAT.md"


def env_file() -> str:
    """The file of these settings, for a process that works in another folder: it would read the one there."""
    return os.path.abspath(str(Settings.model_config.get("env_file") or os.devnull))


OWNERS_ALONE = 0o077
HOME_MARKER = ".memory-assets-home"


def ensure_home(settings: Settings) -> None:
    """Make HOME for its owner alone, with a mark by which no ingestion takes it for somebody's sources.

    What this process and those that it starts write from now on is their owner's alone, too: Dagster, SQLite and
    others that write into HOME ask for no mode of their own.
    """
    os.umask(OWNERS_ALONE)
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    settings.home.chmod(0o700)
    settings.inbox.mkdir(exist_ok=True, mode=0o700)
    (settings.home / HOME_MARKER).touch(mode=0o600)


def without_login(address: str) -> str:
    """An address as it may be shown: a name and password before the host are left out."""
    return re.sub(r"//[^/@]*@", "//", address)


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # no port that is one, half an IPv6 address
        return False


def load_settings() -> Settings:
    """Read the settings, or raise :class:`SettingsError` naming each variable that cannot be used."""
    try:
        return Settings()
    except ValidationError as error:
        reasons = "; ".join(f"{_variable(item['loc'])}: {item['msg']}" for item in error.errors(include_input=False))
        raise SettingsError(f"The settings cannot be used: {reasons}. See .env.example.") from None


def _variable(location: tuple[int | str, ...]) -> str:
    name = str(location[0]) if location else "settings"
    return name if name.isupper() else f"MEMORY_ASSETS_{name.upper()}"
