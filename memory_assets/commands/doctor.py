"""The examination: what is configured, what is missing, and what to do about it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from memory_assets import __version__
from memory_assets.errors import MemoryAssetsError
from memory_assets.graph.graph import open_graph
from memory_assets.settings import Settings, load_settings, without_login

OK, NOTE, BROKEN = "ok", "note", "broken"
_STEPS = ("processing", "extraction", "notes", "composing")
"""What may have a model of its own."""


@dataclass(frozen=True)
class Finding:
    """One line of the examination."""

    status: str
    what: str
    finding: str
    remedy: str = ""

    @property
    def is_broken(self) -> bool:
        """Whether the installation cannot work as it is."""
        return self.status == BROKEN


def examine() -> list[Finding]:
    """Examine the installation; never raises for what it finds broken."""
    try:
        settings = load_settings()
    except MemoryAssetsError as error:
        return [Finding(BROKEN, "settings", str(error), "correct the variable, see .env.example")]
    steps: list[Callable[[Settings], Finding]] = [
        _home, _clock, _language, _embedder, _prices, _alerts, _instance, _graph,
    ]  # fmt: skip
    return [Finding(OK, "version", __version__), *(_safely(step, settings) for step in steps)]


def _safely(step: Callable[[Settings], Finding], settings: Settings) -> Finding:
    name = step.__name__.strip("_")
    try:
        return step(settings)
    except MemoryAssetsError as error:
        return Finding(BROKEN, name, str(error))
    except OSError as error:
        return Finding(BROKEN, name, str(error), "check the path and its permissions")


def _home(settings: Settings) -> Finding:
    home = settings.home
    if not home.exists():
        return Finding(NOTE, "home", f"{home} does not exist yet", "the first command makes it")
    if not home.is_dir():
        return Finding(BROKEN, "home", f"{home} is no folder", "set MEMORY_ASSETS_HOME to a folder of yours")
    if not os.access(home, os.W_OK):
        return Finding(BROKEN, "home", f"{home} cannot be written", "set MEMORY_ASSETS_HOME to a folder of yours")
    if stat.S_IMODE(home.stat().st_mode) & 0o077:
        return Finding(NOTE, "home", f"{home} can be read by others", f"chmod 700 {home}")
    free = shutil.disk_usage(home).free
    if free < 1 << 30:
        return Finding(NOTE, "home", f"{home}: only {free >> 20} MiB free", "make room")
    return Finding(OK, "home", f"{home} ({free >> 30} GiB free)")


def _clock(settings: Settings) -> Finding:
    if settings.now is not None:
        return Finding(NOTE, "clock", f"stopped at {settings.now.isoformat()}", "unset MEMORY_ASSETS_NOW for real time")
    return Finding(OK, "clock", "real time, UTC")


def _language(settings: Settings) -> Finding:
    if settings.llm == "local":
        return Finding(OK, "language model", "local: no key, no network")
    own = {step: getattr(settings, f"llm_model_{step}") for step in _STEPS}
    named = [f"{model} for {step}" for step, model in own.items() if model and model != settings.llm_model]
    return _service("language model", settings, ", ".join([settings.llm_model, *named]), "MEMORY_ASSETS_LLM=local")


def _embedder(settings: Settings) -> Finding:
    if settings.embedder == "local":
        return Finding(OK, "embedder", "local: no key, no network")
    return _service("embedder", settings, settings.embedder_model, "MEMORY_ASSETS_EMBEDDER=local")


def _service(what: str, settings: Settings, model: str, way_out: str) -> Finding:
    where = without_login(settings.openai_base_url or "the openai client's default service")
    if settings.openai_api_key is None and settings.openai_base_url is None:
        return Finding(BROKEN, what, f"{model}: no OPENAI_API_KEY", f"set OPENAI_API_KEY, or {way_out}")
    limit = "no limit" if settings.budget_usd is None else f"{settings.budget_usd:g} USD a run"
    remedy = "set MEMORY_ASSETS_BUDGET_USD to bound a run's cost" if settings.budget_usd is None else ""
    return Finding(OK, what, f"{model} at {where}, {limit}", remedy)


def _prices(settings: Settings) -> Finding:
    from memory_assets.llm.budget import price_of

    asked = [settings.llm_model, *(getattr(settings, f"llm_model_{step}") for step in _STEPS)]
    models = [model for model in asked if model and settings.llm != "local"]
    models += [settings.embedder_model] if settings.embedder != "local" else []
    if not models:
        return Finding(OK, "prices", "nothing costs money")
    unknown = sorted({model for model in models if price_of(model, settings.prices) is None})
    if unknown:
        remedy = "name their prices in a file for MEMORY_ASSETS_PRICES: the ledger counts tokens alone until then"
        return Finding(NOTE, "prices", f"not known for {', '.join(unknown)}", remedy)
    return Finding(OK, "prices", f"known for {', '.join(sorted(set(models)))}")


def _alerts(settings: Settings) -> Finding:
    from memory_assets.automation.alerts.delivery import open_channels
    from memory_assets.automation.alerts.outbox import UNDELIVERABLE, WAITING, Outbox

    outbox = Outbox(settings.alerts_file)
    try:
        counts = outbox.counts()
    finally:
        outbox.close()
    channels = [channel.name for channel in open_channels(settings, settings.clock)]
    unsent = [f"{counts[state]} {state}" for state in (WAITING, UNDELIVERABLE) if counts.get(state)]
    finding = ", ".join(channels) + (f" ({', '.join(unsent)} within 30 days)" if unsent else "")
    if channels == ["log"]:
        remedy = "set MEMORY_ASSETS_ALERT_WEBHOOK_URL or MEMORY_ASSETS_ALERT_SLACK_URL to get them elsewhere"
        return Finding(NOTE, "alerts", f"to the log alone{finding.removeprefix('log')}", remedy)
    if counts.get(UNDELIVERABLE):
        return Finding(NOTE, "alerts", finding, "the log of `make ui` or of the daemon says why")
    return Finding(OK, "alerts", finding)


def _instance(settings: Settings) -> Finding:
    """Opens the instance, which prepares it: a service's first start needs no other command."""
    from memory_assets.runtime.instance import open_instance

    with open_instance(settings) as instance:
        runs = instance.get_runs_count()
    if settings.postgres_url is not None:
        where = f"Postgres at {urlsplit(settings.postgres_url.get_secret_value()).hostname}"
    else:
        files = [path for path in settings.dagster_home.rglob("*") if path.is_file()]
        where = f"SQLite files in {settings.dagster_home} ({sum(path.stat().st_size for path in files) >> 20} MiB)"
    return Finding(OK, "instance", f"{where}, {runs} runs")


def _graph(settings: Settings) -> Finding:
    graph = open_graph(settings)
    sources = sum(row["nodes"] for row in graph.read("graph/count_nodes") if row["label"] == "Source")
    return Finding(OK, "graph", f"{graph.server_info()}, {sources} sources")
