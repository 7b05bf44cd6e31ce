"""The sensor ``alerts``: looks at what the instance has recorded, and sends every channel what is new to it."""

import dagster as dg

from memory_assets.automation.alerts.delivery import deliver, open_channels
from memory_assets.automation.alerts.gather import Gathering
from memory_assets.automation.alerts.outbox import Outbox
from memory_assets.automation.installation import checks_of, report_installation
from memory_assets.automation.jobs import ENDED, OWNERS
from memory_assets.clock import Clock
from memory_assets.errors import MemoryAssetsError
from memory_assets.runtime.resources import GraphResource, InstallationResource

_SEEN: dict[str, str] = {}
"""The last run that had ended when this process looked at the installation, by instance: one look for each end."""


@dg.sensor(
    name="alerts",
    minimum_interval_seconds=20,
    default_status=dg.DefaultSensorStatus.RUNNING,
    owners=OWNERS,
    description=(
        "Tells of failed runs, failed checks, and failing sensors and schedules: once when it begins, once for whom "
        "or what is new, and once when it is over; to the log, and to the webhook and Slack where "
        "MEMORY_ASSETS_ALERT_WEBHOOK_URL and MEMORY_ASSETS_ALERT_SLACK_URL name them. Starts no run."
    ),
)
def alerts(
    context: dg.SensorEvaluationContext, installation: InstallationResource, graph: GraphResource
) -> dg.SensorResult:
    """Gather, deliver, and say how many of what. Fails, after all is done, when something could not be read."""
    settings = installation.settings
    clock = Clock()  # Dagster's records have the real time, also where MEMORY_ASSETS_NOW stops the house's clock
    channels = open_channels(settings, clock)
    outbox = Outbox(settings.alerts_file, [channel.name for channel in channels])
    gathered = Gathering(context.instance, outbox, clock, settings.ui_url)
    try:
        cursor = gathered.look(context.cursor)
        done = deliver(outbox, channels, clock)
    finally:
        outbox.close()
    _report_installation(context, installation, graph)  # the alerts are out: nothing of the page may hold them up
    if gathered.unreadable is not None:
        # The cursor stays where it was, and the outbox knows what was taken: the next tick reads it again.
        raise gathered.unreadable
    sent = ", ".join(f"{count} {state}" for state, count in sorted(done.items()))
    reason = f"{gathered.alerts} new alerts; deliveries: {sent}" if gathered.alerts or sent else "Nothing to tell."
    return dg.SensorResult(skip_reason=reason, cursor=cursor)


def _report_installation(
    context: dg.SensorEvaluationContext, installation: InstallationResource, graph: GraphResource
) -> None:
    """The installation's page, when a run has ended since the last look, however it was started and has ended."""
    instance = context.instance
    ended = instance.get_run_records(dg.RunsFilter(statuses=list(ENDED)), limit=1, order_by="update_timestamp")
    last = f"{ended[0].dagster_run.run_id} {ended[0].update_timestamp}" if ended else ""
    if not last or _SEEN.get(instance.root_directory) == last:
        return
    try:
        report_installation(instance, graph.open(), installation.settings, checks_of(context))
    except MemoryAssetsError as error:
        context.log.warning(f"The installation's page is as it was: {error}")
    except Exception as error:  # noqa: BLE001 - the page is no alert: whatever is in its way, the sensor goes on
        context.log.warning(f"The installation's page is as it was ({type(error).__name__}).")
    _SEEN[instance.root_directory] = last
