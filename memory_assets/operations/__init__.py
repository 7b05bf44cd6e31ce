"""How the installation runs itself: partitions, windows, jobs, the inbox, the instance.

Enters:  requests to run something, for whom, and for which window of time.
Leaves:  Dagster runs on the installation's instance, and their reports.
Belongs: what is due, partitions, jobs, the way from a command to a run.
Not here: what the runs decide (the rooms), the words of the command line (cli/).
"""
