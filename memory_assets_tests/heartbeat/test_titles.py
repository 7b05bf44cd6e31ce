"""Titles of tasks and their bodies: one task each, whatever habit a HEARTBEAT.md has."""

from __future__ import annotations

import pytest

from memory_assets.heartbeat.reading import read_tasks

Tasks = list[tuple[str, str, str]]

HABITS: dict[str, tuple[str, Tasks]] = {
    "heading + paragraph": (
        "# HEARTBEAT.md\n\n## Daily: check inbox\n\nOpen the inbox and answer what is urgent.\nNote the rest in "
        "the log.\n",
        [
            (
                "Daily: check inbox",
                "Daily",
                "Daily: check inbox\nOpen the inbox and answer what is urgent.\nNote the rest in the log.",
            ),
        ],
    ),
    "heading + 2 paragraphs": (
        "# HEARTBEAT.md\n\n## Daily: check inbox\n\nOpen the inbox and answer what is urgent.\n\nNote the rest in "
        "the log.\n",
        [
            (
                "Daily: check inbox",
                "Daily",
                "Daily: check inbox\nOpen the inbox and answer what is urgent.\n\nNote the rest in the log.",
            ),
        ],
    ),
    "box bold nested": (
        "# H\n\n- [ ] **Check mail** (every 2 hours)\n  - answer urgent ones\n  - archive newsletters\n- [ ] "
        "**Water plants** (daily)\n  Only the ferns.\n",
        [
            (
                "Check mail (every 2 hours)",
                "every 2 hours",
                "**Check mail** (every 2 hours)\n- answer urgent ones\n- archive newsletters",
            ),
            ("Water plants (daily)", "daily", "**Water plants** (daily)\nOnly the ferns."),
        ],
    ),
    "numbered indented": (
        "# H\n\n1. Check the build\n   Look at CI and report failures.\n2. Check the disk\n   Warn when above 80 %.\n",
        [
            ("Check the build", "every 30 minutes", "Check the build\nLook at CI and report failures."),
            ("Check the disk", "every 30 minutes", "Check the disk\nWarn when above 80 %."),
        ],
    ),
    "numbered, para inside": (
        "# H\n\n1. Check the build every hour\n\n   Look at CI and report failures.\n\n2. Check the disk daily\n\n "
        "  Warn when above 80 %.\n",
        [
            (
                "Check the build every hour",
                "every hour",
                "Check the build every hour\n\nLook at CI and report failures.",
            ),
            ("Check the disk daily", "daily", "Check the disk daily\n\nWarn when above 80 %."),
        ],
    ),
    "bold lead paragraph": (
        "# H\n\n**Check mail** (every 2 hours)\nRead the inbox and answer what is urgent.\n\n**Weekly report** "
        "(every Friday)\nSum up what was done.\n",
        [
            (
                "Check mail (every 2 hours)",
                "every 2 hours",
                "**Check mail** (every 2 hours)\nRead the inbox and answer what is urgent.",
            ),
            ("Weekly report (every Friday)", "every Friday", "**Weekly report** (every Friday)\nSum up what was done."),
        ],
    ),
    "bold lead alone then para": (
        "# H\n\n**Check mail (every 2 hours)**\n\nRead the inbox and answer what is urgent.\n\n**Weekly report "
        "(every Friday)**\n\nSum up what was done.\n",
        [
            (
                "Check mail (every 2 hours)",
                "every 2 hours",
                "**Check mail (every 2 hours)**\n\nRead the inbox and answer what is urgent.",
            ),
            (
                "Weekly report (every Friday)",
                "every Friday",
                "**Weekly report (every Friday)**\n\nSum up what was done.",
            ),
        ],
    ),
    "bold lead then bullets": (
        "# H\n\n**Check mail (every 2 hours)**\n- read the inbox\n- answer what is urgent\n\n**Weekly report "
        "(every Friday)**\n- sum up what was done\n",
        [
            (
                "Check mail (every 2 hours)",
                "every 2 hours",
                "**Check mail (every 2 hours)**\n- read the inbox\n- answer what is urgent",
            ),
            (
                "Weekly report (every Friday)",
                "every Friday",
                "**Weekly report (every Friday)**\n- sum up what was done",
            ),
        ],
    ),
    "title: lines": (
        "# H\n\nTitle: Check mail\nEvery 2 hours read the inbox.\nAnswer what is urgent.\n\nTitle: Weekly "
        "report\nEvery Friday sum up.\n",
        [
            ("Check mail", "Every 2 hours", "Title: Check mail\nEvery 2 hours read the inbox.\nAnswer what is urgent."),
            ("Weekly report", "Every Friday", "Title: Weekly report\nEvery Friday sum up."),
        ],
    ),
    "task: fields": (
        "# H\n\nTask: Check mail\nSchedule: every 2 hours\nAction: read the inbox and answer.\n\nTask: Weekly "
        "report\nSchedule: every Friday\nAction: sum up what was done.\n",
        [
            (
                "Check mail",
                "every 2 hours",
                "Task: Check mail\nSchedule: every 2 hours\nAction: read the inbox and answer.",
            ),
            (
                "Weekly report",
                "every Friday",
                "Task: Weekly report\nSchedule: every Friday\nAction: sum up what was done.",
            ),
        ],
    ),
    "heading + steps": (
        "# H\n\n## Check mail (every 2 hours)\n\n1. Open the inbox.\n2. Answer what is urgent.\n3. Archive the "
        "rest.\n\n## Weekly report (every Friday)\n\n1. Collect.\n2. Send.\n",
        [
            (
                "Check mail (every 2 hours)",
                "every 2 hours",
                "Check mail (every 2 hours)\n1. Open the inbox.\n2. Answer what is urgent.\n3. Archive the rest.",
            ),
            ("Weekly report (every Friday)", "every Friday", "Weekly report (every Friday)\n1. Collect.\n2. Send."),
        ],
    ),
    "heading + bullets steps": (
        "# H\n\n## Check mail (every 2 hours)\n\n- Open the inbox.\n- Answer what is urgent.\n",
        [
            (
                "Check mail (every 2 hours)",
                "every 2 hours",
                "Check mail (every 2 hours)\n- Open the inbox.\n- Answer what is urgent.",
            ),
        ],
    ),
    "heading intro+bullets": (
        "# H\n\n## Daily: check inbox\n\nGo through what came in:\n\n- answer what is urgent\n- archive the rest\n",
        [
            (
                "Daily: check inbox",
                "Daily",
                "Daily: check inbox\nGo through what came in:\n\n- answer what is urgent\n- archive the rest",
            ),
        ],
    ),
    "heading para+bullets": (
        "# H\n\n## Check inbox (daily)\n\nGo through what came in and sort it.\n\n- answer what is urgent\n- "
        "archive the rest\n",
        [
            (
                "Check inbox (daily)",
                "daily",
                (
                    "Check inbox (daily)\nGo through what came in and sort it.\n\n- answer what is urgent\n- archive "
                    "the rest"
                ),
            ),
        ],
    ),
    "heading schedule field + para": (
        "# H\n\n## Check mail\n\n**Schedule:** every 2 hours\n\nRead the inbox and answer what is urgent.\n",
        [
            (
                "Check mail",
                "every 2 hours",
                "Check mail\n**Schedule:** every 2 hours\n\nRead the inbox and answer what is urgent.",
            ),
        ],
    ),
    "heading fields bullets": (
        "# H\n\n## Check mail\n- **Schedule:** every 2 hours\n- **Action:** read the inbox and answer\n- "
        "**Notify:** only when urgent\n\n## Report\n- Schedule: weekly\n- Action: sum up\n",
        [
            (
                "Check mail",
                "every 2 hours",
                (
                    "Check mail\n- **Schedule:** every 2 hours\n- **Action:** read the inbox and "
                    "answer\n- **Notify:** only when urgent"
                ),
            ),
            ("Report", "weekly", "Report\n- Schedule: weekly\n- Action: sum up"),
        ],
    ),
    "title line + indented": (
        "# H\n\nCheck mail (every 2 hours)\n    Read the inbox.\n    Answer what is urgent.\n\nWeekly report "
        "(every Friday)\n    Sum up what was done.\n",
        [
            (
                "Check mail (every 2 hours)",
                "every 2 hours",
                "Check mail (every 2 hours)\n    Read the inbox.\n    Answer what is urgent.",
            ),
            ("Weekly report (every Friday)", "every Friday", "Weekly report (every Friday)\n    Sum up what was done."),
        ],
    ),
    "title colon + indented": (
        "# H\n\nCheck mail, every 2 hours:\n    Read the inbox.\n    Answer what is urgent.\n\nWeekly report, "
        "every Friday:\n    Sum up what was done.\n",
        [
            (
                "Check mail, every 2 hours:",
                "every 2 hours",
                "Check mail, every 2 hours:\n    Read the inbox.\n    Answer what is urgent.",
            ),
            ("Weekly report, every Friday:", "every Friday", "Weekly report, every Friday:\n    Sum up what was done."),
        ],
    ),
    "bullet bold colon nested": (
        "# H\n\n- **Check mail:** every 2 hours\n  - read the inbox\n  - answer what is urgent\n- **Report:** "
        "every Friday\n  - sum up\n",
        [
            (
                "Check mail: every 2 hours",
                "every 2 hours",
                "**Check mail:** every 2 hours\n- read the inbox\n- answer what is urgent",
            ),
            ("Report: every Friday", "every Friday", "**Report:** every Friday\n- sum up"),
        ],
    ),
    "bullet para": (
        "# H\n\n- **Check mail** — every 2 hours\n\n  Read the inbox.\n\n  Answer what is urgent.\n\n- **Report** "
        "— weekly\n\n  Sum up.\n",
        [
            (
                "Check mail — every 2 hours",
                "every 2 hours",
                "**Check mail** — every 2 hours\n\nRead the inbox.\n\nAnswer what is urgent.",
            ),
            ("Report — weekly", "weekly", "**Report** — weekly\n\nSum up."),
        ],
    ),
    "h3 tasks under h2 freq": (
        "# H\n\n## Daily\n\n### Check mail\nRead the inbox and answer what is urgent.\n\n### Water plants\nOnly "
        "the ferns.\n",
        [
            ("Check mail", "Daily", "Check mail\nRead the inbox and answer what is urgent."),
            ("Water plants", "Daily", "Water plants\nOnly the ferns."),
        ],
    ),
    "h3 with bullets under h2": (
        "# H\n\n## Daily\n\n### Check mail\n- read the inbox\n- answer what is urgent\n\n### Water plants\n- only "
        "the ferns\n",
        [
            ("Check mail", "Daily", "Check mail\n- read the inbox\n- answer what is urgent"),
            ("Water plants", "Daily", "Water plants\n- only the ferns"),
        ],
    ),
    "yaml-like blocks": (
        "# H\n\n- name: Check mail\n  every: 2 hours\n  do: read the inbox and answer\n\n- name: Report\n  every: "
        "friday\n  do: sum up\n",
        [
            ("Check mail", "every 2 hours", "name: Check mail\nevery: 2 hours\ndo: read the inbox and answer"),
            ("Report", "every friday", "name: Report\nevery: friday\ndo: sum up"),
        ],
    ),
    "yaml fence": (
        "# H\n\n```yaml\ntasks:\n  - id: mail\n    schedule: every 2 hours\n    definition: read the inbox\n```\n",
        [
            ("mail", "every 2 hours", "read the inbox"),
        ],
    ),
    "table": (
        "# H\n\n| Task | When | What |\n|---|---|---|\n| Check mail | every 2 hours | read the inbox and answer "
        "|\n| Report | every Friday | sum up |\n",
        [
            (
                "Check mail — every 2 hours — read the inbox and answer",
                "every 2 hours",
                "Check mail — every 2 hours — read the inbox and answer",
            ),
            ("Report — every Friday — sum up", "every Friday", "Report — every Friday — sum up"),
        ],
    ),
    "table in section": (
        "# H\n\n## Tasks\n\n| Task | When | What |\n|---|---|---|\n| Check mail | every 2 hours | read the inbox "
        "and answer |\n",
        [
            (
                "Check mail — every 2 hours — read the inbox and answer",
                "every 2 hours",
                "Check mail — every 2 hours — read the inbox and answer",
            ),
        ],
    ),
    "bold numbered": (
        "# H\n\n**1. Check mail (every 2 hours)**\nRead the inbox.\n\n**2. Report (weekly)**\nSum up.\n",
        [
            ("1. Check mail (every 2 hours)", "every 2 hours", "**1. Check mail (every 2 hours)**\nRead the inbox."),
            ("2. Report (weekly)", "weekly", "**2. Report (weekly)**\nSum up."),
        ],
    ),
    "bullet then indented plain": (
        "# H\n\n* Check mail (every 2 hours)\n    Read the inbox and answer.\n* Report (weekly)\n    Sum up.\n",
        [
            ("Check mail (every 2 hours)", "every 2 hours", "Check mail (every 2 hours)\nRead the inbox and answer."),
            ("Report (weekly)", "weekly", "Report (weekly)\nSum up."),
        ],
    ),
    "heading code": (
        "# H\n\n## Check disk (daily)\n\nRun this and warn above 80 %:\n\n```sh\ndf -h\n```\n\nThen note the result.\n",
        [
            (
                "Check disk (daily)",
                "daily",
                "Check disk (daily)\nRun this and warn above 80 %:\n\n```sh\ndf -h\n```\n\nThen note the result.",
            ),
        ],
    ),
    "heading w/ box items": (
        "# H\n\n## Morning routine (daily at 08:00)\n\n- [ ] Check mail\n- [ ] Check calendar\n",
        [
            ("Check mail", "daily at 08:00", "Check mail"),
            ("Check calendar", "daily at 08:00", "Check calendar"),
        ],
    ),
    "setext": (
        "Check mail (every 2 hours)\n--------------------------\n\nRead the inbox.\n\nReport "
        "(weekly)\n---------------\n\nSum up.\n",
        [
            ("Check mail (every 2 hours)", "every 2 hours", "Check mail (every 2 hours)\nRead the inbox."),
            ("Report (weekly)", "weekly", "Report (weekly)\nSum up."),
        ],
    ),
    "heading quote": (
        "# H\n\n## Check mail (every 2 hours)\n\n> Read the inbox.\n> Answer.\n",
        [
            ("Check mail (every 2 hours)", "every 2 hours", "Check mail (every 2 hours)\n> Read the inbox.\n> Answer."),
        ],
    ),
    "single h2 without h1": (
        "## Daily: check inbox\n\nOpen the inbox.\n\n## Weekly: report\n\nSum up.\n",
        [
            ("Daily: check inbox", "Daily", "Daily: check inbox\nOpen the inbox."),
            ("Weekly: report", "Weekly", "Weekly: report\nSum up."),
        ],
    ),
    "h1 tasks": (
        "# Daily: check inbox\n\nOpen the inbox.\n\n# Weekly: report\n\nSum up.\n",
        [
            ("Daily: check inbox", "Daily", "Daily: check inbox\nOpen the inbox."),
            ("Weekly: report", "Weekly", "Weekly: report\nSum up."),
        ],
    ),
    "emoji heads": (
        "# H\n\n### 📬 Check mail\n*Every 2 hours*\n\nRead the inbox and answer.\n\n### 📊 Report\n*Weekly*\n\nSum up.\n",  # noqa: E501
        [
            ("📬 Check mail", "Every 2 hours", "📬 Check mail\n*Every 2 hours*\n\nRead the inbox and answer."),
            ("📊 Report", "Weekly", "📊 Report\n*Weekly*\n\nSum up."),
        ],
    ),
    "nested boxes": (
        "# H\n\n- [ ] Check mail every 2 hours\n  - [ ] read the inbox\n  - [x] archive\n",
        [
            (
                "Check mail every 2 hours",
                "every 2 hours",
                "Check mail every 2 hours\n- [ ] read the inbox\n- [x] archive",
            ),
        ],
    ),
    "def heading bullets + tail para": (
        "# H\n\n## Check mail (every 2 hours)\n\n- read the inbox\n- answer\n\nTell me only what is urgent.\n",
        [
            (
                "Check mail (every 2 hours)",
                "every 2 hours",
                "Check mail (every 2 hours)\n- read the inbox\n- answer\n\nTell me only what is urgent.",
            ),
        ],
    ),
    "sections within a task": (
        "# H\n\n## Check mail (every 2 hours)\n\nOpen the inbox.\n\n### Steps\n1. Read.\n2. Answer.\n\n### "
        "Escalation\nTell Nora.\n",
        [
            (
                "Check mail (every 2 hours)",
                "every 2 hours",
                (
                    "Check mail (every 2 hours)\nOpen the inbox.\n\n### Steps\n1. Read.\n2. Answer.\n\n### "
                    "Escalation\nTell Nora."
                ),
            ),
        ],
    ),
    "items that say when are tasks of their own": (
        "# H\n\n## Mail (daily)\n- Sum up the inbox\n- Look for invoices every Friday\n",
        [
            ("Sum up the inbox", "daily", "Sum up the inbox"),
            ("Look for invoices every Friday", "every Friday", "Look for invoices every Friday"),
        ],
    ),
    "a name for tasks is no title": (
        "# H\n\n## Daily checks\n- Look into the inbox\n- Look at the disk\n",
        [
            ("Look into the inbox", "daily", "Look into the inbox"),
            ("Look at the disk", "daily", "Look at the disk"),
        ],
    ),
    "a heading that only says when is no title": (
        "# H\n\n## Every morning\n- Read the mail\n- Look at the calendar\n",
        [
            ("Read the mail", "Every morning", "Read the mail"),
            ("Look at the calendar", "Every morning", "Look at the calendar"),
        ],
    ),
    "an item in Chinese": (
        "# 心跳\n\n## 检查邮件（每2小时）\n\n阅读收件箱并回复紧急邮件。\n",
        [
            ("检查邮件（每2小时）", "every 2 hours", "检查邮件（每2小时）\n阅读收件箱并回复紧急邮件。"),
        ],
    ),
}


@pytest.mark.parametrize("habit", HABITS)
def test_a_title_and_what_stands_beneath_are_one_task(habit: str) -> None:
    text, expected = HABITS[habit]
    assert [(task.name, task.schedule, task.text) for task in read_tasks(text).tasks] == expected


def test_a_long_body_stays_whole() -> None:
    body = " ".join(f"Sentence {number} of a long text." for number in range(300)) + "\n\nAnd its last paragraph."
    (task,) = read_tasks(f"# Beats\n\n## Check mail (every 2 hours)\n\n{body}\n").tasks
    assert (task.name, task.text) == ("Check mail (every 2 hours)", f"Check mail (every 2 hours)\n{body}")
