"""The sensor ``alerts``: looks at what the instance has recorded, and tells every channel what it has not heard yet."""

import dagster as dg

from memory_assets.clock import Clock
from memory_assets.operations.alerts.channels import open_channels
from memory_assets.operations.alerts.delivery import deliver
from memory_assets.operations.alerts.gather import Gathering
from memory_assets.operations.alerts.outbox import Outbox
from memory_assets.operations.jobs import OWNERS
from memory_assets.resources import InstallationResource


@dg.sensor(
    name="alerts",
    minimum_interval_seconds=20,
    default_status=dg.DefaultSensorStatus.RUNNING,
    owners=OWNERS,
    description=(
        "Tells of failed runs, failed checks, and failing sensors and schedules: each once, to the log, and to the "
        "webhook and Slack where MEMORY_ASSETS_ALERT_WEBHOOK_URL and MEMORY_ASSETS_ALERT_SLACK_URL name them. "
        "Starts no run."
    ),
)
def alerts(context: dg.SensorEvaluationContext, installation: InstallationResource) -> dg.SensorResult:
    """Gather, deliver, and say how many of what. Fails, after all is done, when something could not be read."""
    settings = installation.settings
    clock = Clock()  # Dagster's records tell the real time, also where MEMORY_ASSETS_NOW stops the house's clock
    channels = open_channels(settings, clock)
    outbox = Outbox(settings.alerts_file)
    try:
        names = [channel.name for channel in channels]
        gathered = Gathering(context.instance, outbox, names, clock, settings.ui_url).look(context.cursor)
        done = deliver(outbox, channels, clock)
    finally:
        outbox.close()
    if gathered.unreadable is not None:
        # The cursor stays where it was, and the outbox knows what was told: the next tick reads it again.
        raise gathered.unreadable
    told = ", ".join(f"{count} {state}" for state, count in sorted(done.items()))
    reason = f"{gathered.alerts} new alerts; deliveries: {told}" if gathered.alerts or told else "Nothing to tell."
    return dg.SensorResult(skip_reason=reason, cursor=gathered.cursor)
