"""What a run says on the terminal: one line per step and per word of progress, on stderr.

Everything else that Dagster records (events, tracebacks, metadata) is in the run's log in the UI.
"""

from __future__ import annotations

import logging
import sys

import dagster as dg

from memory_assets.runtime.partitions import EVERYBODY


class _OneLine(logging.Formatter):
    """``owner · step  message``"""

    def format(self, record: logging.LogRecord) -> str:
        meta = getattr(record, "dagster_meta", {})
        tags = meta.get("run_tags") or meta.get("job_tags") or {}
        owner = tags.get("dagster/partition", "").removeprefix(EVERYBODY)
        where = " · ".join(part for part in (owner, meta.get("step_key") or "") if part)
        text = meta.get("orig_message") or record.getMessage()
        return f"  {where:<36} {text}" if where else f"  {text}"


class _ProgressOnly(logging.Filter):
    """What a person waits for: the assets' own words, not Dagster's bookkeeping, nor what a failure has skipped."""

    def filter(self, record: logging.LogRecord) -> bool:
        meta = getattr(record, "dagster_meta", {})
        skipped = record.getMessage().rstrip().endswith("Not executing.")
        return meta.get("dagster_event") is None and not skipped


@dg.logger(None, description="One line per word of progress, on stderr.")
def console_logger(init_context: dg.InitLoggerContext) -> logging.Logger:
    """The logger of every run that is driven from a terminal."""
    logger = logging.Logger("memory_assets", level=logging.INFO)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine())
    handler.addFilter(_ProgressOnly())
    logger.addHandler(handler)
    return logger
