"""Alerts go out whatever is in the way of the installation's page."""

import logging
import uuid

import dagster as dg
import pytest

from memory_assets.automation.alerts.sensor import alerts
from memory_assets.graph.graph import Graph
from memory_assets.runtime.resources import GraphResource, InstallationResource


class _BrokenGraph(GraphResource):
    """A graph whose failure is none of ours."""

    def open(self) -> Graph:
        raise OSError("no space left on the device")


def test_a_page_that_cannot_be_told_holds_no_alert_up(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with dg.DagsterInstance.ephemeral() as instance:
        run = dg.DagsterRun(job_name="build_memory", run_id=str(uuid.uuid4()), status=dg.DagsterRunStatus.STARTED)
        instance.add_run(run)
        instance.report_run_failed(run)
        caplog.clear()
        context = dg.build_sensor_context(
            instance=instance, resources={"installation": InstallationResource(), "graph": _BrokenGraph()}
        )
        result = alerts(context)
    assert isinstance(result, dg.SensorResult) and "1 new alerts" in str(result.skip_reason)
    assert any("build_memory" in record.getMessage() and record.levelno == logging.ERROR for record in caplog.records)
