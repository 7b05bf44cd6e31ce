"""How the installation runs itself: what is due, for whom, who starts it, and who is told when it fails.

Enters:  requests to run something, for whom, and for which window of time; new files; the hour of the day.
Leaves:  Dagster runs on the installation's instance, their reports, alerts.
Belongs: partitions, marks and what is due; the one way of every asset through its owners (``steps``); jobs, schedules,
         sensors, alerts, the history of runs; the way from a command to a run.
Not here: what the runs decide (the rooms), the words of the command line (cli/).
"""
