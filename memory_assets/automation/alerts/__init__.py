"""Alerts: what failed, for whom, where to look and what to do, and when it is over; each once to each channel.

Enters:  ended runs, failed checks, ticks of sensors and schedules, as the instance has recorded them. Leaves:  alerts
to the log, to a webhook and to Slack; the outbox ``HOME/alerts.sqlite``. Belongs: reading the facts (``gather``), what
they open and close (``conditions``), wording them (``alert``), what is open
         and still to be sent (``outbox``), the way out (``delivery``), the sensor that does it all (``sensor``).
Not here: what a check claims (the rooms), and the content of any memory: only the fields of facts get in.
"""
