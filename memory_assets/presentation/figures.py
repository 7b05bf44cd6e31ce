"""What each figure on an asset's page means, and what becomes of it where several owners are summed up. Pure.

The one list of all metadata that assets produce. What counts something is added up over owners, an average is made
again with its weights, a size that has a limit is a range; texts, tables and pictures are each owner's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Owners = Mapping[str, Mapping[str, Any]]


class Kind(StrEnum):
    """What a figure of several owners is."""

    SUM = "sum"
    RANGE = "range"
    """The least, the median and the most: a limit, or what has one."""
    AVERAGE = "average"
    """Weighed by another figure of the same asset."""
    OWNERS = "owners"
    """Yes or no: for how many it is yes."""
    OWN = "own"
    """No figure: shown for each owner alone."""


@dataclass(frozen=True)
class Figure:
    """A figure's meaning, its kind, and what an average is weighed by."""

    means: str
    kind: Kind = Kind.SUM
    weight: str = ""


def _own(means: str) -> Figure:
    return Figure(means, Kind.OWN)


_RETRY = _own("the command that tries again what is set aside or failed")
_SET_ASIDE = {
    "set_aside": Figure("sources that have failed, in this run or before, and wait"),
    "set_aside_sources": _own("these sources, why, and when they are tried again"),
    "to_try_again": _RETRY,
}
_STOPPED = _own("why the step stopped before it was done")
_NOTE = _own("what to know of this run")
_OF_ALL = {
    "owners": _own("of a run for everybody: for how many owners it was due"),
    "owners_held_up": _own("of a run for everybody: for how many it failed"),
    "by_owner": _own("the figures of each of them"),
    "least_to_most": _own("limits and the like, which do not add up"),
    "seconds": Figure("how long the step took, in seconds"),
    "unfinished": _own("what could not be done, a line for each"),
    "looked_at": _own("when it was found current since: everything else is what was said when it was made"),
}
_COST = {
    "calls": Figure("questions to a model"),
    "tokens_in": Figure("tokens of questions to a model, in calls that were really made"),
    "tokens_in_cached": Figure("the part of them that the service had cached"),
    "tokens_out": Figure("tokens of a model's answers, in calls that were really made"),
    "answers_from_cache": Figure("answers that had been paid before"),
    "usd": Figure("what the calls cost, in US dollars"),
    "unpriced": _own("models whose price is not known, so that their calls are not in the cost"),
}
_OF_A_FILE = {
    "tokens": Figure("tokens of the file by the real count"),
    "budget": Figure("the most that the file may have, in the first of its limits", Kind.RANGE),
    "entries": Figure("memories in the file"),
    "considered": Figure("memories that it was chosen from"),
    "left_out": Figure("memories that are not in the file"),
    "sections": _own("each section's size against its own budget and what other sections left unused"),
    "left_out_by_reason": _own("why memories were left out"),
    "best_left_out": _own("the most valuable memories that were left out, and why"),
    "files": _own("each of the user's files, where there are several"),
    "composed_by": _own("the model that has composed the file from the best candidates"),
    "composed_lines": Figure("lines of the file that a model has composed"),
    "failed_lines": Figure("lines of the model's that did not follow from what they cite, and are not in the file"),
    "not_composed": _own("why the file is the local choice although a model is configured"),
    "lines_that_failed": _own("these lines, and why each failed"),
}
_OF_TEXT = {
    "publication": _own("what became of the file on the disk"),
    "path": _own("where the file is"),
    "edited_copy": _own("where words of an edited file are that are in the file no more"),
}
_GROUPED = {
    "named": Figure("got a title and a summary in this run"),
    "named_before": Figure("have those of an earlier run"),
    "failed": Figure("could not be named"),
    "left_by_budget": Figure("were left for the next run when the budget ended"),
    "left_for_the_next_run": Figure("are more than one run names: the next one goes on"),
    "retired": Figure("were removed, since sources make them up no more"),
    "note": _NOTE,
    "stopped": _STOPPED,
    "largest": _own("those of most sources"),
    "over_time": _own("when these were going on"),
}

FIGURES: dict[str, dict[str, Figure]] = {
    "raw_sources": {
        "sources": Figure("sources in the files that were read in this run"),
        "new": Figure("of them new or changed"),
        "unchanged": Figure("of them as they were"),
        "files": Figure("files that were looked at"),
        "waiting": Figure("files that may still be growing, left for the next run"),
        "ignored": Figure("files that hold no source, such as a system's own"),
        "set_aside": Figure("files that could not be read"),
        "broken_lines": Figure("lines of readable files that could not be read"),
        "encodings_guessed": Figure("files that do not name their encoding"),
        "masked": Figure("secrets that were masked in what was read"),
        "sources_in_all": Figure("sources of the owner in the graph"),
        "masked_by_kind": _own("secrets that are masked in all sources of the owner"),
        "personal_data": _own("personal data in all sources of the owner"),
        "set_aside_files": _own("the files that could not be read, and why"),
        "not_read": _own("the same files for programs"),
        "left_out_lines": _own("the lines that could not be read, and why"),
        "guessed_encodings": _own("the encodings that were guessed"),
        "to_try_again": _RETRY,
        "over_time": _own("how many sources happened when, the newest first"),
        "over_time_plot": _own("the same by kind of source"),
    },
    "processed_sources": {
        "due": Figure("sources to process"),
        "processed": Figure("sources that were processed in this run"),
        "unchanged": Figure("sources that were processed before and are current"),
        "failed": Figure("sources that failed in this run"),
        "left": Figure("sources left for the next run when the budget ended"),
        "model": _own("the language model"),
        "stopped": _STOPPED,
        "failures": _own("the sources that failed in this run, and why"),
        **_SET_ASIDE,
        **_COST,
    },
    "extracted_entities": {
        "due": Figure("sources to extract"),
        "extracted": Figure("sources that were extracted in this run"),
        "failed": Figure("sources that failed in this run"),
        "left_by_budget": Figure("sources left for the next run when the budget ended"),
        "standing": Figure("sources that were extracted before and are current"),
        "waiting": Figure("sources that have failed before and are not tried again yet"),
        "of_teams_not_asked_for": Figure("sources of the user's teams that the user has not opened or asked for"),
        "mentions": Figure("mentions of people, concepts and entities found in this run"),
        "statements": Figure("statements found in this run"),
        "retired": Figure("memories that were removed, since no source makes them any more"),
        "names_in_all": Figure("people, concepts and entities in the graph"),
        "statements_in_all": Figure("statements in the graph"),
        "entities_by_kind": _own("people, concepts and entities in the graph"),
        "statements_by_type": _own("statements in the graph by what they are about"),
        "dropped_by_reason": _own("answers of the model that were not taken, by reason"),
        "most_mentioned": _own("the names that most sources mention"),
        "stopped": _STOPPED,
        **_SET_ASIDE,
        **_COST,
    },
    "notes": {
        "due": Figure("sources to take notes of"),
        "standing": Figure("sources whose notes are current"),
        "taken": Figure("steps that were taken; each source has three: people, concepts, entities"),
        "unchanged": Figure("steps that were as they should be"),
        "failed": Figure("steps that failed"),
        "left_by_budget": Figure("sources left for the next run when the budget ended"),
        "notes": Figure("notes taken in this run"),
        "relationships": Figure("relationships found in this run"),
        "retired": Figure("notes and relationships that were removed, since no source makes them any more"),
        "placed_anew": Figure("notes and relationships that moved to another name"),
        "notes_in_all": Figure("notes in the graph"),
        "notes_expired": Figure("of them past their time: a week, a month or a year after what they tell of"),
        "relationships_in_all": Figure("relationships in the graph"),
        "waiting_for_consolidation": Figure("names whose notes have changed since they were last brought together"),
        "notes_by_lifetime": _own("notes in the graph by how long they matter"),
        "relationships_by_type": _own("relationships in the graph by type"),
        "best_connected": _own("the names with most relationships"),
        "stopped": _STOPPED,
        **_COST,
    },
    "descriptions": {
        "due": Figure("people, concepts, entities and relationships to describe"),
        "consolidated": Figure("of them described otherwise than before"),
        "unchanged": Figure("of them described as before"),
        "left": Figure("of them left for the next run, since a run does only so many"),
        "embedded": Figure("descriptions that were embedded, since their text has changed"),
        "failed": Figure("of them that could not be described"),
        "refused": Figure("sentences of a model that do not follow from what they cite, and answers of no use"),
        "left_by_budget": Figure("of them left for the next run when the budget ended"),
        "described_in_all": Figure("people, concepts, entities and relationships that are described"),
        "waiting": Figure("of all, those whose notes have changed since"),
        "latest": _own("whose description has changed in this run: before and after"),
        "refused_by_reason": _own("why sentences of a model were not taken"),
        "stopped": _STOPPED,
        **_COST,
    },
    "current_notes": {
        "retired": Figure("notes whose time was over and that were retired in this run"),
        "notes_in_all": Figure("notes in the graph"),
        "next_at": _own("when the next note expires"),
    },
    "compressed_contexts": {
        "sources": Figure("sources that have contexts"),
        "due": Figure("sources to compress"),
        "compressed": Figure("sources that were compressed in this run"),
        "placed": Figure("sources whose place among the others was set anew"),
        "retired": Figure("sources whose contexts were removed, since there is nothing to compress any more"),
        "expired": Figure("keywords that expired unread and were removed in this run"),
        "contexts_in_all": Figure("contexts in the graph, three for each source"),
        "contexts_expired": Figure("of them expired and not removed yet"),
        "accesses": Figure("how often somebody has read a context"),
        "tokens_full": Figure("tokens of the sources"),
        "tokens_summary": Figure("tokens of their summaries"),
        "tokens_keywords": Figure("tokens of their keywords"),
        "levels": _own("the three levels, with their share of the full"),
        "content_types": _own("what the sources are about"),
        "ratio_plot": _own("the levels against their limits"),
    },
    "storylines": {
        **_GROUPED,
        "anchors": Figure("people, concepts and entities that have one"),
        "stories": Figure("storylines that the sources make up"),
        "told_twice_or_over": Figure("left out, since they tell the same as another"),
        "storylines_in_all": Figure("storylines in the graph"),
        **_COST,
    },
    "macros": {
        **_GROUPED,
        "themes": Figure("macros that the storylines make up"),
        "macros_in_all": Figure("macros in the graph"),
        **_COST,
    },
    "accesses": {
        "accesses": Figure("accesses that were counted in this run, of any kind"),
        "memories": Figure("memories that were retrieved by them"),
        "became_active": Figure("of them retrieved for the first time, or archived before"),
        "became_core": Figure("of them retrieved ten times"),
        "gone": Figure("memories that were retrieved and are there no more"),
        "by_kind": _own("the accesses by what became of the memory"),
        "promoted": _own("the memories that came into another state, and which"),
        "note": _NOTE,
    },
    "memory_states": {
        "looked_at_anew": Figure("memories that have changed, or whose day had come"),
        "archived": Figure("of them faded or expired, and archived in this run"),
        "back": Figure("of them archived before, and said again"),
        "next_day": _own("when the next of them will have faded"),
        "archived_now": _own("the memories archived in this run, and why"),
        "states": _own("memories by kind and state"),
        "states_plot": _own("the same as a picture"),
        "counted_at": Figure("when they were counted: of many, every seven days"),
        "most_accessed": _own("the ten memories that were retrieved most often, and when they fade"),
        "most_accessed_plot": _own("their salience, two months back and ahead"),
        "fading_next": _own("the ten memories that fade first"),
        "fading_next_plot": _own("their salience, two months back and ahead"),
    },
    "consolidation_plan": {
        "sources_rested": Figure("sources that have faded, or that nobody has asked for in a month"),
        "candidates": Figure("of them in the clusters that this run has looked at"),
        "clusters": Figure("clusters of sources that are to be consolidated"),
        "planned": Figure("of them planned, with what would be noted of each"),
        "new": Figure("of them planned for the first time"),
        "nothing_to_note": Figure("clusters that stay as they are, since nothing could carry a note of them"),
        "sources_to_archive": Figure("sources that the plans would archive"),
        "statements_to_archive": Figure("statements that the plans would archive"),
        "left_for_the_next_run": Figure("are more than one run plans: the next one goes on"),
        "plan": _own("the candidates: by which trigger, what would be noted and archived, what stays and why"),
        "insights_planned": _own("the sentences that would be noted, and the references of what they rest on"),
        "sources_planned": _own("the sources that would be archived"),
        "refused": _own("sentences of the model that do not follow from what they cite, by reason"),
        "note": _NOTE,
        **_COST,
    },
    "consolidated_memories": {
        "consolidations": Figure("plans that this run has carried out"),
        "sources_archived": Figure("sources that it has archived"),
        "statements_archived": Figure("statements that it has archived"),
        "insights": Figure("sentences that it has noted"),
        "kept_by_rails": Figure("memories that a rail has kept at the last moment"),
        "overtaken": Figure("plans whose sources were used or changed since, so that they were left"),
        "taken_back": Figure("consolidations that were taken back, since a source of theirs is gone"),
        "waiting": Figure("plans that are there to be read first"),
        "left_for_the_next_run": Figure("are more than one run carries out: the next one goes on"),
        "done": _own("what was carried out"),
        "note": _NOTE,
    },
    "statement_validity": {
        "statements": Figure("statements that were new, or other than before, and were judged in this run"),
        "pairs": Figure("pairs of statements that were compared"),
        "wholly": Figure("statements that a later one supersedes or closes, in all"),
        "in_part": Figure("statements of which a later one supersedes a clause, in all"),
        "perhaps": Figure("statements that are perhaps outdated, in all"),
        "contradictions": Figure("contradictions that are open, in all"),
        "new_statements": _own("the first of what is new, or was said again"),
        "changes": _own("what was superseded last, and by what"),
        "open_contradictions": _own("statements that cannot both be true"),
        "note": _NOTE,
        **_COST,
    },
    "value_classifications": {
        "memories": Figure("memories that have a value"),
        "changed": Figure("values that were written in this run"),
        "retired": Figure("values that were removed with their memory"),
        "mean_value": Figure("the memories' mean value, from 0 to 1", Kind.AVERAGE, "memories"),
        "note": _NOTE,
        "tiers": _own("memories by kind and tier: to be kept from 0.8, summarised from 0.5, else archived"),
        "values": _own("how many memories are worth how much"),
        "values_plot": _own("the same by tier"),
    },
    "memory_draft": {
        **_OF_A_FILE,
        "made_anew": Figure("whether anything had changed, so that it was chosen again", Kind.OWNERS),
        "budget_plot": _own("each section and the whole file against their budgets"),
        "draft": _own("the draft's text"),
        **_COST,
    },
    "memory_file": {
        **_OF_TEXT,
        **_OF_A_FILE,
        "entries_added": Figure("entries that the last publication added"),
        "entries_removed": Figure("entries that the last publication removed"),
        "memory": _own("the file's text"),
        "difference": _own("what changed from the text that was there before"),
    },
    "heartbeat_file": {
        **_OF_TEXT,
        "tokens": Figure("tokens of the file by the real count"),
        "budget": Figure("the most tokens that the file may have", Kind.RANGE),
        "budget_use": _own("the share of them that is used"),
        "tasks": Figure("tasks in the graph"),
        "registry_hash": _own("changes whenever a task does"),
        "shown": _own("how many tasks the file names"),
        "heartbeat": _own("the file's text"),
    },
    "bounded_memory_metrics": {
        "memories": Figure("memories that have a value"),
        "file_entries": Figure("memories that are in one of the files"),
        "graph_to_file_ratio": Figure("memories in the graph for each in the files", Kind.AVERAGE, "file_entries"),
        "snapshot_kept": Figure("whether the figures had changed, so that they were stored", Kind.OWNERS),
        "days_in_history": Figure("days of the last year of which figures are stored", Kind.RANGE),
        "utilization": _own("how full each file is, by the fullest of its limits"),
        "tiers": _own("memories to be kept, summarised or archived"),
        "heartbeat_loading": _own("what loading tasks only when due saves"),
        "utilization_plot": _own("how full each file was over time"),
        "tiers_plot": _own("memories by tier over time"),
        "graph_to_file_plot": _own("memories in the graph for each in the files over time"),
        "heartbeat_plot": _own("tokens of HEARTBEAT.md against those of all tasks in full over time"),
    },
}  # fmt: skip


def figures_of(asset: str) -> dict[str, Figure]:
    """All that an asset's page can show, in the order of the page."""
    return FIGURES[asset] | _OF_ALL


def together(asset: str, done: Owners) -> dict[str, Any]:
    """The figures of several owners that mean something of all: sums, averages, for how many a thing is so."""
    shown: dict[str, Any] = {}
    for name, figure in figures_of(asset).items():
        given = [(one[name], one) for one in done.values() if is_number(one.get(name))]
        if figure.kind is Kind.SUM and given:
            total = sum(value for value, _ in given)
            shown[name] = round(total, 6) if isinstance(total, float) else total
        elif figure.kind is Kind.AVERAGE and (weight := sum(one.get(figure.weight, 0) for _, one in given)):
            shown[name] = round(sum(value * one.get(figure.weight, 0) for value, one in given) / weight, 4)
        elif figure.kind is Kind.OWNERS and any(name in one for one in done.values()):
            shown[name] = f"for {sum(one.get(name) is True for one in done.values())} of {len(done)} owners"
    return shown


def ranges(asset: str, done: Owners) -> list[dict[str, Any]]:
    """What is neither summed nor averaged: rows of ``figure``, ``least``, ``median`` and ``most``."""
    rows = []
    for name, figure in figures_of(asset).items():
        values = sorted(one[name] for one in done.values() if is_number(one.get(name)))
        if figure.kind is Kind.RANGE and values:
            middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
            rows.append({"figure": name.replace("_", " "), "least": values[0], "median": middle, "most": values[-1]})
    return rows


def telling(asset: str, done: Owners, most: int) -> list[str]:
    """The figures in which owners have anything at all, the first of the page first."""
    numbers = (name for name, figure in figures_of(asset).items() if figure.kind is not Kind.OWN)
    return [name for name in numbers if any(is_number(one.get(name)) and one[name] for one in done.values())][:most]


def meanings(asset: str) -> list[dict[str, str]]:
    """Rows of ``figure`` and ``means`` for a reader of the asset's page."""
    return [{"figure": name, "means": figure.means} for name, figure in figures_of(asset).items()]


def is_number(value: object) -> bool:
    """A number, and neither yes nor no."""
    return isinstance(value, int | float) and not isinstance(value, bool)
