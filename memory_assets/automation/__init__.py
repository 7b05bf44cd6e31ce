"""What starts, watches and cleans up runs: the pipeline of all rooms, in the order of the story.

Enters:  new files, the hour of the day, a changed file, the events of runs.
Leaves:  runs, alerts, the installation's page, a history that stays small.
Belongs: jobs, schedules, sensors, alerts, the history of runs, the UI's processes.
Not here: what a run does (the rooms), how a step runs (runtime/), what a person asks for (commands/).
"""
