"""Tasks out of files: YAML as documented, and the HEARTBEAT.md files of old; one broken entry costs itself alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.heartbeat.reading import DEFAULT_SCHEDULE, read_tasks

GOOD = """\
- id: mail
  task_name: Check mail
  schedule: every 2 hours
  definition: Look into the inbox.
- id: 7
  schedule: "0 9 * * 1"
  definition: {steps: [a, b], from: 2026-01-01}
  is_active: false
"""


def test_yaml_as_documented() -> None:
    first, second = read_tasks(GOOD).tasks
    assert (first.key, first.name, first.schedule, first.text) == (
        *("mail", "Check mail", "every 2 hours"),
        "Look into the inbox.",
    )
    assert first.is_active and not second.is_active
    assert (second.key, second.name) == ("7", "7")
    assert second.text == '{"from": "2026-01-01", "steps": ["a", "b"]}'


def test_secrets_are_masked_before_they_are_anywhere() -> None:
    token = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    in_words, in_json = read_tasks(
        f"- {{id: a, schedule: daily, definition: 'Push with {token}.'}}\n"
        f"- {{id: b, schedule: daily, definition: {{step: push, with: {token}}}}}\n"
    ).tasks
    assert "[masked: " in in_words.text and "[masked: " in in_json.text
    assert token not in in_words.text + in_json.text


def test_a_list_under_tasks_and_json_are_read_too() -> None:
    assert len(read_tasks("tasks:\n- {id: a, schedule: daily, definition: x}\n").tasks) == 1
    assert len(read_tasks('[{"id": "a", "schedule": "daily", "definition": "x"}]').tasks) == 1


@pytest.mark.parametrize(
    ("entry", "line", "reason"),
    [
        ("- {id: b, schedule: sometimes, definition: x}", 9, "'sometimes' is no schedule"),
        ("- {schedule: daily, definition: x}", 9, "it has no id"),
        ("- {id: ~, schedule: daily, definition: x}", 9, "it has no id"),
        ("- {id: b, schedule: daily}", 9, "it has no definition"),
        ("- {id: b, definition: x}", 9, "it has no schedule"),
        ("- {id: b, schedule: daily, definition: x, is_active: maybe}", 9, "write true or false"),
        ("- {id: b, schedule: daily, definition: x, when: now}", 9, "it has when"),
        ('- {id: "two\\nlines\\0", schedule: daily, definition: x}', 9, "one line of"),
        ("- {id: mail, schedule: daily, definition: x}", 9, "same id"),
        ("- just words", 9, "no mapping"),
        ("- {id: [broken", 9, "not valid YAML"),
        ("- {id: b, schedule: daily, definition: !!python/object:os.system x}", 9, "not valid YAML"),
    ],
)
def test_a_broken_entry_is_named_with_its_line_and_stops_no_other(entry: str, line: int, reason: str) -> None:
    reading = read_tasks(f"{GOOD}{entry}\n- {{id: last, schedule: daily, definition: y}}\n")
    assert [task.key for task in reading.tasks] == ["mail", "7", "last"]
    (refused,) = reading.refused
    assert (refused.line, reason in refused.reason) == (line, True), refused


def test_aliases_are_refused_before_they_grow() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\ntasks:\n- {id: c, schedule: daily, definition: *b}\n"
    reading = read_tasks(bomb)
    assert not reading.tasks
    assert "aliases" in reading.refused[0].reason


OLD = """\
---
title: old
---
# HEARTBEAT

Keep it short.

## Every 30 minutes
Something about these.

- [ ] Check **email** for urgent ones
  - answer if needed
- [x] Water the plants
1. Look at the calendar (every 2 hours)

## Daily at 08:00
Write the morning briefing.

```sh
make report
```
"""


def test_a_heartbeat_file_of_old() -> None:
    reading = read_tasks(OLD)
    shown = [(task.name, task.schedule, task.is_active) for task in reading.tasks]
    assert shown == [
        ("Check email for urgent ones", "Every 30 minutes", True),
        ("Water the plants", "Every 30 minutes", False),
        ("Look at the calendar (every 2 hours)", "every 2 hours", True),
        ("Write the morning briefing.", "Daily at 08:00", True),
    ]
    assert reading.tasks[0].text == "Check **email** for urgent ones\n- answer if needed"
    assert "make report" in reading.tasks[3].text
    assert [(one.line, one.reason.split(":")[0]) for one in reading.refused] == [
        (6, "it introduces the file"),
        (9, "it is text beside a list"),
    ]


LED = """\
# Beats

## Kickoff (Mondays 9:30)
When triggered:
1. Look at the mail
   - answer it
2. Say good morning

## Checks
Every 3-4 hours:
- Look at the queue
- Look at the disk

Before a release:
- [ ] Tag it
- [x] Read the log once per day

## Notes (old)
- The queue was red in May

## Done
Nothing more of it.

## If the web is there:
- Look for news
"""


def test_what_leads_a_list_in_is_one_task_with_it_or_said_in_each() -> None:
    reading = read_tasks(LED)
    assert [(task.name, task.schedule, task.is_active, task.text) for task in reading.tasks] == [
        (
            *("Kickoff (Mondays 9:30)", "on Monday at 9:30", True),
            "Kickoff (Mondays 9:30)\nWhen triggered:\n1. Look at the mail\n   - answer it\n2. Say good morning",
        ),
        ("Look at the queue", "every 3 hours", True, "Every 3-4 hours:\nLook at the queue"),
        ("Look at the disk", "every 3 hours", True, "Every 3-4 hours:\nLook at the disk"),
        ("Tag it", DEFAULT_SCHEDULE, True, "Before a release:\nTag it"),
        ("Read the log once per day", "every day", False, "Before a release:\nRead the log once per day"),
        ("Look for news", DEFAULT_SCHEDULE, True, "If the web is there:\nLook for news"),
    ]
    covered = {line for first, last in reading.spans.values() for line in range(first, last + 1)}
    assert covered >= {4, 5, 6, 7, 10, 11, 12, 14, 15, 16}, "every line that says something is some task's"
    assert [(one.line, one.reason) for one in reading.refused] == [
        (19, "it stands under 'Notes (old)': no task of its own"),
        (22, "it stands under 'Done': no task of its own"),
    ]


@pytest.mark.parametrize(
    ("line", "schedule"),
    [
        ('interval: "0 9 * * *" # in the morning', "0 9 * * *"),
        ("**Interval:** 45 minutes", "every 45 minutes"),
        ("Schedule: daily", "daily"),
        ("cron: */15 * * * *", "*/15 * * * *"),
        ("Schedule: when it suits", DEFAULT_SCHEDULE),
    ],
)
def test_a_line_above_all_tasks_may_say_when(line: str, schedule: str) -> None:
    first, second = read_tasks(f"# HEARTBEAT\n{line}\n\n## Checks\n- Look at the mail\n- Tidy up weekly\n").tasks
    assert (first.schedule, second.schedule) == (schedule, "weekly")


@pytest.mark.parametrize(
    ("line", "schedule"),
    [
        ("Sundays 10 AM: sum up", "on Sunday at 10 AM"),
        ("Look at it (every 24h)", "every 24h"),
        ("Water the plants every evening at 19:00", "every evening at 19:00"),
        ("Once a week, tidy up", "every week"),
        ("每 2 小时 看一次", "every 2 hours"),
        ("每天 看一次", "every day"),
        ("Tidy the 30 minutes' notes", DEFAULT_SCHEDULE),
    ],
)
def test_the_forms_in_which_people_say_when(line: str, schedule: str) -> None:
    (task,) = read_tasks(f"- {line}\n").tasks
    assert task.schedule == schedule


def test_a_list_without_a_word_on_time_beats_as_agents_do() -> None:
    tasks = read_tasks("- Check the logs\n- Look for replies\n").tasks
    assert [task.schedule for task in tasks] == [DEFAULT_SCHEDULE] * 2
    assert len({task.key for task in tasks}) == 2


def test_the_projects_own_file_is_not_read_back() -> None:
    reading = read_tasks("# Heartbeat of ben\n\n2 tasks\n\n## Quick Tasks\n- mail (daily): x\n")
    assert not reading.tasks
    assert "published" in reading.refused[0].reason


def test_other_names_for_the_fields_and_a_block_of_yaml_in_markdown() -> None:
    reading = read_tasks(
        "# HEARTBEAT.md\n\n## Periodic checks\n- [ ] Check mail every 30 minutes\n- Id: the badge is at the door\n\n"
        "tasks:\n  - name: email-check\n    interval: 30m\n    prompt: Check for urgent mail\n"
    )
    assert [(task.name, task.schedule) for task in reading.tasks] == [
        ("Check mail every 30 minutes", "every 30 minutes"),
        ("Id: the badge is at the door", DEFAULT_SCHEDULE),
        ("email-check", "30m"),
    ]
    assert reading.tasks[2].key == "email-check" and not reading.refused


def test_words_that_yaml_takes_for_values_are_ids() -> None:
    tasks = read_tasks(
        "- {id: off, schedule: daily, definition: x}\n- {id: 007, schedule: daily, definition: y}\n"
    ).tasks
    assert [task.key for task in tasks] == ["off", "007"]


@given(st.text())
def test_any_text_is_read_without_a_crash(text: str) -> None:
    reading = read_tasks(text)
    assert len({task.key for task in reading.tasks}) == len(reading.tasks)


def test_daily_before_another_word_tells_of_that_word() -> None:
    text = (
        "## Every 6 hours\n- Review the daily logs\n- Backup (daily)\n\n## Daily checks\n- Look into weekly "
        "figures\n\n## Rest\n- Weekly review\n"
    )
    schedules = {task.definition: task.schedule for task in read_tasks(text).tasks}
    assert schedules == {
        "Review the daily logs": "Every 6 hours",
        "Backup (daily)": "daily",
        "Look into weekly figures": "daily",
        "Weekly review": "weekly",
    }
    assert [task.schedule for task in read_tasks("- Weather at 07:00 daily\n").tasks] == ["every day at 07:00"]


def test_rows_that_say_when_are_tasks_and_so_is_a_paragraph_that_begins_with_it() -> None:
    text = (
        "- Mail (hourly)\n\n| When | What |\n|---|---|\n| every 15 min | ping the server |\n| 0 9 * * 1 | weekly "
        "report |\n\nEvery Friday at 17:00, write the summary.\n\nThis is read every 30 minutes by the agent.\n"
    )
    reading = read_tasks(text)
    assert [(t.definition, t.schedule, reading.spans[t.key]) for t in reading.tasks] == [
        ("Mail (hourly)", "hourly", (1, 2)),
        ("every 15 min — ping the server", "every 15 min", (5, 5)),
        ("0 9 * * 1 — weekly report", "0 9 * * 1", (6, 6)),
        ("Every Friday at 17:00, write the summary.", "Every Friday at 17:00", (8, 8)),
    ]
    assert [refused.line for refused in reading.refused] == [3, 10]


def test_what_is_struck_out_is_idle_and_a_record_of_states_is_no_task() -> None:
    reading = read_tasks(
        "---\ninterval: 2h\n---\n- ~~Old check~~\n- New check\n\n## State Tracking\nlast_check: null\n"
    )
    assert [(t.name, t.is_active, t.schedule) for t in reading.tasks] == [
        ("~~Old check~~", False, "every 2h"),
        ("New check", True, "every 2h"),
    ]
    assert [refused.line for refused in reading.refused] == [8]


def test_a_section_of_fields_is_one_task_and_a_heading_may_say_the_time() -> None:
    text = (
        "# Heartbeat\n\n## Morning check-in\n- Time: 08:00\n- Action: Ask for the priorities\n\n"
        "## Evening check (6:00 PM)\n1. Back up\n\n## Weekly build\nEvery week, build something:\n\n```\nmake\n```\n"
    )
    assert [(task.name, task.schedule, task.definition) for task in read_tasks(text).tasks] == [
        (
            "Morning check-in",
            "every day at 08:00",
            "Morning check-in\n- Time: 08:00\n- Action: Ask for the priorities",
        ),
        ("Back up", "every day at 6:00 PM", "Back up"),
        ("Weekly build", "weekly", "Weekly build\nEvery week, build something:\n\n```\nmake\n```"),
    ]


@pytest.mark.parametrize(
    "text", ["- " + "1" * 100_000, "- " + "1," * 50_000, "# " + "morning " * 12_500 + "\n\n- check mail\n"]
)
def test_a_long_line_is_no_trap(text: str) -> None:
    assert all(task.schedule == DEFAULT_SCHEDULE for task in read_tasks(text).tasks)


HOW_TO_BEAT = """\
# Heartbeat

## Checks
- Look into the inbox
- If the disk is fuller than 90 %, tell Nora; otherwise HEARTBEAT_OK
- If nothing needs attention, reply only `HEARTBEAT_OK`
- **Never** write to customers
- Se tudo estiver em ordem: responda apenas `HEARTBEAT_OK`
- 不要打扰用户

Status: set up and running

## Reply rules
- Keep it under three lines
- Sum up every Friday at 17:00

## Environment Variables
- `BEAT_EVERY` - how often (default 30)

## What may wait
**Notes:**
- Nora is away in May

Do not:
- wake anybody at night

## Figures
```json
{"mail": 0}
```
"""


def test_rules_of_how_to_beat_settings_and_records_are_no_tasks() -> None:
    reading = read_tasks(HOW_TO_BEAT)
    assert [task.definition for task in reading.tasks] == [
        "Look into the inbox",
        "If the disk is fuller than 90 %, tell Nora; otherwise HEARTBEAT_OK",
        "Sum up every Friday at 17:00",
    ]
    refused = {one.line: one.reason for one in reading.refused}
    assert list(refused) == [6, 7, 8, 9, 11, 14, 18, 21, 24, 28]
    assert refused[6] == "it is a rule for every beat: no task of its own"
    assert refused[14] == "it stands under 'Reply rules': a rule or a setting, no task"
    assert refused[28] == "it is a record of how things stand: no task"


@pytest.mark.parametrize(
    "line",
    [
        "Don't forget the plants",
        "Always look into the inbox first; if it is empty, HEARTBEAT_OK",
        "Send the report to Nora, then HEARTBEAT_OK",
        "State: look how it stands",
        "Never skip the backup",
        "Nunca esqueça as plantas",
        "Niemals vergessen, die Pflanzen zu gießen",
        "不要忘记浇花",
        "If the disk is full, clean it up, then HEARTBEAT_OK",
        "If there is mail, sum it up and then reply HEARTBEAT_OK",
    ],
)
def test_what_only_sounds_like_a_rule_is_a_task(line: str) -> None:
    assert [task.definition for task in read_tasks(f"- {line}\n").tasks] == [line]


def test_the_title_of_a_file_makes_no_rule_of_all_its_tasks() -> None:
    text = "# Heartbeat rules\n- Look into the inbox\n- Reply HEARTBEAT_OK when nothing is new\n"
    for title in ("# Heartbeat rules", "## Rules", "# Guidelines\n\n## Every hour"):
        (task,) = read_tasks(text.replace("# Heartbeat rules", title)).tasks
        assert task.definition == "Look into the inbox"


def test_a_file_that_stands_whole_in_a_block_of_code_is_read_as_what_it_is() -> None:
    text = "```markdown\n# Heartbeat\n\n## Hourly\n- Look into the inbox\n\n```sh\nmake\n```\n```\n"
    reading = read_tasks(text)
    assert [(task.definition, task.schedule, reading.spans[task.key]) for task in reading.tasks] == [
        ("Look into the inbox", "Hourly", (5, 6))
    ]


@pytest.mark.parametrize(
    ("line", "schedule"),
    [
        ("Back up daily at 9:00 and 21:00", "0 9,21 * * *"),
        ("7 am, 7 pm every day: look", "0 7,19 * * *"),
        ("每日 9:00, 21:00 备份", "0 9,21 * * *"),
        ("每天 08:30 看一次", "every day at 08:30"),
        ("Look daily at 9:00 and 21:30", "daily at 9:00"),
    ],
)
def test_several_times_of_a_day_are_one_schedule(line: str, schedule: str) -> None:
    (task,) = read_tasks(f"- {line}\n").tasks
    assert task.schedule == schedule


def test_a_weekly_heading_may_name_its_day() -> None:
    for heading, schedule in {
        "Weekly summary (Sunday)": "on Sunday",
        "Weekly at 18:00 (Sunday)": "on Sunday at 18:00",
    }.items():
        (task,) = read_tasks(f"# Beats\n\n## {heading}\n1. Sum up\n").tasks
        assert task.schedule == schedule
