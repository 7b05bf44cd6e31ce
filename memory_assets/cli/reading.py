"""Commands that read: show, explain, export, recall, metrics, context."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import typer

from memory_assets.cli.context import (
    MOST,
    AllProjects,
    OptionalUser,
    Project,
    User,
    check_past,
    chosen_users,
    connect,
    connect_for,
    day_option,
    read_instant,
    within,
)
from memory_assets.cli.curating import show_value
from memory_assets.cli.output import Json, emit, emit_line, emitted, say, table
from memory_assets.cli.records import show_record
from memory_assets.clock import check_order
from memory_assets.context.policy import DEFAULT, SHARES, SURFACES, Asked
from memory_assets.errors import WrongUseError
from memory_assets.model import Granularity

AsOf = Annotated[date | None, day_option("--as-of", "As it was at the end of that day (UTC).")]
NEAREST = 10
"""So many of what was left out are shown, unless another number is asked for."""


def show(
    user: OptionalUser = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=0,
            max=MOST,
            help="Of what was left out only so many, the nearest first, at a cost that does not grow with the "
            "memories. Without it, --json lists each memory that was left out, by its reference.",
        ),
    ] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What is in each MEMORY.md, section by section, and what was left out and why; or the file as it was."""
    from memory_assets.memory_file.reports import files_as_of, first_stored_day, show_briefly, show_files

    settings, graph = connect()
    users = chosen_users(graph, user)
    if as_of is not None:
        check_past("--as-of", as_of, settings.clock)
        versions = [{"user": name, **version} for name in users for version in files_as_of(graph, name, as_of)]
        if not emitted(versions, as_json):
            for version in versions:
                print(f"{version['path']}, published on {version['day']}\n\n{version['text']}")
        if not versions:
            first = min((day for name in users if (day := first_stored_day(graph, name))), default=None)
            say(f"Nothing is stored of that day. {_FIRST.format(first) if first else _NO_FILE}")
        return
    if as_json and limit is None:
        emit([file for name in users for file in show_files(graph, settings, name)])
        return
    most = NEAREST if limit is None else limit
    files = [file for name in users for file in show_briefly(graph, settings, name, most)]
    if emitted(files, as_json):
        return
    for file in files:
        print(f"{file['path']}\n{_use(file)}, {len(file['entries'])} of {file['considered']} memories\n")
        table(("section", file["unit"], "budget"), ((s["name"], s["tokens"], s["budget"]) for s in file["sections"]))
        print()
        table(("ref", "section", "text"), ((e["ref"], e["section"], e["text"]) for e in file["entries"]))
        _show_composition(file)
        print(f"\n{file['left_out_count']} left out (--json lists them):")
        table(("reason", "memories"), file["left_out_by_reason"].items())
        print()
        if file["left_out"]:
            print("The most valuable of them (`explain` shows each):")
            rows = (row | {"value": f"{row['value']:.3f}"} for row in file["left_out"])
            table(("ref", "section", "value", "reason", "text"), rows)
            print()
    if not files:
        say("Nothing is published yet: `memory-assets materialize`.")


_FIRST = "The first stored day is {}; `recall --as-of` goes back further."
_NO_FILE = "Nothing was published yet: `memory-assets materialize`."


def _show_composition(file: dict[str, Any]) -> None:
    """By which model a file is composed, or why not, and what failed its check."""
    composition = file.get("composition")
    if composition is None:
        return
    composed = sum("composed_by" in entry for entry in file["entries"])
    print(f"\n{composed} of {len(file['entries'])} lines composed by {composition['model']}")
    if composition["why_not"]:
        print(f"Not composed: {composition['why_not']}")
    if composition["failed"]:
        table(("not in the file, because it", "line"), ((one["why"], one["text"]) for one in composition["failed"]))


def explain(
    ref: Annotated[str, typer.Argument(help="The reference at the end of a line of a MEMORY.md, or a name's.")],
    user: User,
    as_json: Json = False,
) -> None:
    """From an entry back to what was said, by whom, where and when; and why it was worth its place.

    The reference of a person, concept, entity or relationship shows what is noted of it and how it is connected, that
    of a periodic task its full definition, that of an agent's record its state and where it was found; that counts the
    access.
    """
    from memory_assets.commands.reading import MEMORY, NAME, RECORD, TASK
    from memory_assets.commands.reading import explain as explain_for

    settings, graph = connect_for(user)
    kind, found = explain_for(graph, settings, user, ref.strip("[]"))
    if not emitted(found, as_json):
        {RECORD: show_record, NAME: _show_name, TASK: _show_task, MEMORY: _show_memory}[kind](found)
    if kind == RECORD and not as_json:
        show_value(found["curation"])


def _show_name(found: dict[str, Any]) -> None:
    show_anchor(found)
    _show_life(found)


def _show_life(found: dict[str, Any]) -> None:
    if life := found.get("life"):
        fades = f", archived on {life['archived_on']} unless it is asked for" if life["archived_on"] else ""
        week = life["last_seven_days"].get("retrieved", 0)
        print(
            f"\n{life['state']}, salience {life['salience']:.2f}, retrieved {life['accesses']} "
            f"time{'s' * (life['accesses'] != 1)} "
            f"({week} in the last seven days){fades}"
        )


def _show_memory(found: dict[str, Any]) -> None:
    from memory_assets.validity.reading import in_words

    print(f"{found['text']}\n")
    if "said" in found:
        print(f"said as: {found['said']}\n")
    if later := found.get("rest_superseded_by"):
        print(f"Of {found['whole']!r}: the rest is superseded by [{later}].\n")
    for line in found.get("composed", ()):
        rests_on = ", ".join(f"[{part['ref']}]" for part in line.get("rests_on", ()))
        what = f"from {rests_on}" if rests_on else f"which is not in the file: it {line['why']}"
        print(f"Composed by {line['composed_by']}, {what}:\n  {line['text']}\n")
    for relation in found.get("validity", ()):
        print(f"{in_words(relation)}\n")
    if edit := found.get("edit"):
        print(f"{edit['said']}\n")
    if found["value"]:
        table(("signal", "value"), found["value"].items())
    _show_life(found)
    show_value(found.get("curation"))
    print()
    for file in found["files"]:
        print(f"Stands in {file['path']}, {file['section']}.\n")
    for source in found["sources"]:
        print(f"{source['occurred_at'] or 'time unknown'}  {source['kind']}  {source['title']}\n  {source['path']}")
        print(f"  {source['excerpt']}")
        print(f"  taken for: {source['judged']}\n" if "judged" in source else "")


def _show_task(found: dict[str, Any]) -> None:
    task = found["task"]
    print(f"{task['id']}: {task['task_name']} ({task['schedule']})\n{found['text']}\n")
    table(("done", "failed", "last error"), [(task["execution_count"], task["error_count"], task["last_error"])])


def show_anchor(anchor: dict[str, Any]) -> None:
    """What is known of a person, concept, entity or relationship, on stdout."""
    sources, days = anchor["source_count"] or 0, anchor["distinct_source_days"]
    on_days = f" on {days} day{'s' * (days != 1)}" if days is not None else ""
    print(f"{anchor['text']} ({anchor['kind']}): {sources} source{'s' * (sources != 1)}{on_days}\n")
    if anchor["description"]:
        waits = " (to be renewed: the notes have changed since)" if anchor["is_dirty"] else ""
        print(f"{anchor['description']}{waits}\n")
    for note in anchor["notes"]:
        day = (note["noted_at"] or "time unknown")[:10]
        held = f" ({note['outdated']})" if "outdated" in note else ""
        print(f"{day}  {note['lifetime']:8}{note['content']}{held}\n  {note['source']}")
    if anchor["relationships"]:
        print()
        names = {"from": "from_name", "to": "to_name", "sources": "source_count"}
        rows = (row | {shown: row[name] for shown, name in names.items()} for row in anchor["relationships"])
        table(("from", "type", "to", "sources", "description", "ref"), rows)


def export(
    user: User,
    canonical: Annotated[
        bool, typer.Option("--canonical", help="Ordered, without what depends on when, where or by which run.")
    ] = False,
    originals: Annotated[
        bool, typer.Option("--originals", help="With what was masked, where MEMORY_ASSETS_KEEP_ORIGINALS has kept it.")
    ] = False,
) -> None:
    """Everything that is stored of one user, as JSON lines in the shape of APOC's export."""
    from memory_assets.graph.export import export_user

    _, graph = connect_for(user)
    for line in export_user(graph, user, canonical=canonical, originals=originals):
        emit_line(line)


def _use(file: dict[str, Any]) -> str:
    return ", ".join(f"{one['used']} of {one['limit']} {one['unit']}" for one in file["limits"])


def recall(
    user: User,
    question: Annotated[
        str, typer.Argument(help="A question or some words; or the reference of a line of a MEMORY.md.")
    ] = "",
    level: Annotated[
        Granularity,
        typer.Option(
            "--level",
            help="What was said; or storylines with what their sources say; or themes with their storylines. Without a "
            "question these are the latest.",
        ),
    ] = Granularity.SAID,
    tokens: Annotated[int, typer.Option("--tokens", help="At most so many tokens.")] = 2000,
    as_of: AsOf = None,
    since: Annotated[date | None, day_option("--since", "Said on that day or later.")] = None,
    until: Annotated[date | None, day_option("--until", "Said by that day.")] = None,
    about: Annotated[
        list[str] | None,
        typer.Option("--about", metavar="NAME", help="Where this name is said, or beside it. Several: all of them."),
    ] = None,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Fill the budget, with what hardly answers, too.")
    ] = False,
    more: Annotated[int, typer.Option("--more", metavar="PAGE", help="Go on: 2 is what did not fit at first.")] = 1,
    archived: Annotated[bool, typer.Option("--archived", help="In what has faded, too.")] = False,
    project: Project = None,
    all_projects: AllProjects = False,
    as_json: Json = False,
) -> None:
    """Find what was said: the passages that likely answer a question, whole, with their days and sources.

    Behind words that hold no longer you see since when, and the reference of what was said then.

    A reference shows what a line of a MEMORY.md comes from, and what was said around it. What of a team's sources
    it finds is extracted for the user by the next run. Storylines and themes are opened by their references (`open`).
    """
    from memory_assets.commands.sources import recall_for
    from memory_assets.recall.index import Span

    check_order(since, until)
    span = Span(since, until, tuple(about or ()))
    if level is not Granularity.SAID:
        if as_of is not None:
            raise WrongUseError("--as-of goes with what was said: a storyline is made of what is known now.")
        if thorough:
            raise WrongUseError("--thorough goes with what was said.")
        where = {"archived": archived, "days": (since, until), "about": span.about, "page": more}
        _explore(user, question, level, tokens, as_json, **where, within=within(project, all_projects=all_projects))
        return
    settings, graph = connect_for(user)
    if as_of is not None:
        check_past("--as-of", as_of, settings.clock)
    how: dict[str, Any] = {"archived": archived, "span": span, "thorough": thorough, "page": more}
    how |= {"within": within(project, all_projects=all_projects)}
    recalled, wanted = recall_for(graph, settings, user, question, tokens, as_of, **how)
    found = recalled.recalled
    sources = [
        {name: getattr(head, name) for name in ("id", "ref", "owner", "kind", "title")}
        | {"occurred_at": head.started_at, "passages": [_passage(row) for row in rows]}
        for head, rows in found.passages
    ]
    asked = {"question": question, "budget": tokens, "tokens": found.tokens}
    following = more + 1 if found.has_more else None
    shown = {"abstained": found.abstained, "nearest": sources} if found.abstained else {"abstained": False}
    document = {"sources": [] if found.abstained else sources, "more": following, "wanted": list(wanted)}
    document |= {"did_you_mean": list(recalled.meant)} if recalled.meant else {}
    if emitted({**asked, **shown, **document}, as_json):
        return
    if not found.passages:
        meant = f" Did you mean {' or '.join(recalled.meant)}?" if recalled.meant else ""
        say(f"Nothing that was said fits this.{meant}" if more == 1 else "There is no more of it.")
        return
    if found.abstained:
        say("Nothing relevant was found (`--thorough` shows what there is); the nearest:")
    print(found.text)
    if following and not found.abstained:
        say(f"There is more: --more {following}.")
    if wanted:
        say(
            f"{len(wanted)} of the team's sources will be extracted for {user}: `memory-assets materialize --user "
            f"{user}`."
        )


def _explore(user: str, question: str, level: Granularity, tokens: int, as_json: bool, **how: Any) -> None:
    """Storylines or themes, on stdout."""
    from memory_assets.commands.reading import explore_for

    settings, graph = connect_for(user)
    found = explore_for(graph, settings, user, question, level, tokens, **how)
    below = "sources" if level is Granularity.STORYLINES else "storylines"
    cards = [{**card.row, below: [line.row for line in card.lines]} for card in found.packed.cards]
    asked = {"question": question, "level": level.value, "budget": tokens, "tokens": found.packed.tokens}
    following = how["page"] + 1 if found.packed.has_more else None
    said = {"matched": found.matched, "by_words_alone": found.by_words_alone, "more": following}
    if emitted({**asked, **said, level.value: cards}, as_json):
        return
    if found.by_words_alone:
        say(f"Found by words alone: {found.by_words_alone}")
    if not cards and how["page"] > 1:
        say("There is no more of it.")
        return
    if not cards and found.chosen:
        say(f"None of the {level.value} fits {tokens} tokens: give it more with --tokens.")
        return
    if not cards and how["about"]:
        say(f"No {level.value} say all of these names.")
        return
    if not cards and any(how["days"]):
        say(f"There are no {level.value} of that time.")
        return
    if not cards:
        say(f"There are no {level.value} yet: five sources on three days about one name make a storyline.")
        return
    if question.strip() and not found.matched:
        say(f"No {level.value} fit these words; the latest are:")
    print(found.packed.text)
    if following:
        say(f"There is more: --more {following}.")


def _passage(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("turn", "speaker", "said_at", "text")} | {
        "score": round(row.score, 4)
    }


def metrics(user: OptionalUser = None, as_json: Json = False) -> None:
    """How full the bounded files are, what they are made from, and since when."""
    from memory_assets.metrics.snapshots import read_history, read_measures

    settings, graph = connect()
    today = settings.clock.now().date()
    found = [
        {"user": name, **read_measures(graph, name), "history": read_history(graph, name, today)}
        for name in chosen_users(graph, user)
    ]
    if emitted(found, as_json):
        return
    for one in found:
        ratio = one["graph_to_file_ratio"]
        behind = f", {ratio:g} for each in the files" if ratio is not None else ""
        print(f"{one['user']}: {one['memories']} memories{behind}; metrics of {len(one['history'])} days\n")
        files = ((file["path"], file["entries"], file["utilization_pct"], file["of"]) for file in one["files"])
        table(("file", "entries", "used %", "of its"), files)
        print()
        tiers = ((tier, of_it["memories"], of_it["mean_value"]) for tier, of_it in one["tiers"].items())
        table(("tier", "memories", "mean value"), tiers)
        print()
        table(("heartbeat", "figure"), ((name.replace("_", " "), value) for name, value in one["heartbeat"].items()))
        print()


Several = list[str] | None


def context(
    user: User,
    task: Annotated[str, typer.Argument(help="What is to be done; nothing: what to know at a beginning.")] = "",
    query: Annotated[str, typer.Option("--query", help="A question, or some words.")] = "",
    file: Annotated[Several, typer.Option("--file", help="A path at work; can be repeated.")] = None,
    error: Annotated[Several, typer.Option("--error", help="A message of an error; can be repeated.")] = None,
    person: Annotated[Several, typer.Option("--person", help="Who takes part; can be repeated.")] = None,
    branch: Annotated[str, typer.Option("--branch", help="The branch at work.")] = "",
    activity: Annotated[str, typer.Option("--activity", help=f"Whose shares: {', '.join(SHARES)}.")] = DEFAULT,
    session: Annotated[str, typer.Option("--session", help="Nothing comes twice in it; counts as given.")] = "",
    tokens: Annotated[int, typer.Option("--tokens", help="At most so many.")] = 8_000,
    surface: Annotated[str, typer.Option("--surface", help=f"Whose ceiling: {', '.join(SURFACES)}.")] = "mcp",
    deadline: Annotated[int | None, typer.Option("--deadline", min=1, help="Milliseconds.")] = None,
    level: Annotated[Granularity, typer.Option("--level", help="Of what is relevant.")] = Granularity.SAID,
    project: Project = None,
    all_projects: AllProjects = False,
    predict: Annotated[bool, typer.Option("--predict", help="What will be needed next, and how likely.")] = False,
    at: Annotated[str | None, typer.Option("--at", help="With --predict: what is used at this time of day.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Each entry with its reason, and what was left out.")] = False,
    as_json: Json = False,
) -> None:
    """Say what an agent is to know before it starts, in four tiers within a budget; or what it will need next."""
    from memory_assets.commands.context import context_for, predict_for

    if at is not None and not predict:
        raise WrongUseError("--at goes with --predict.")
    if activity not in SHARES:
        raise WrongUseError(f"--activity takes {', '.join(SHARES)}, not {activity!r}.")
    settings, graph = connect_for(user)
    cues: dict[str, Any] = {"task": task, "query": query, "files": file or [], "errors": error or []}
    cues |= {"people": person or [], "branch": branch, "activity": activity, "session": session}
    limits: dict[str, Any] = {"budget": tokens, "surface": surface, "deadline_ms": deadline, "level": level}
    asked = Asked(**cues, **limits, within=within(project, all_projects=all_projects))
    if predict:
        found = predict_for(graph, settings, user, asked, read_instant("--at", at) if at is not None else None)
        if not emitted(found, as_json):
            table(("ref", "tier", "probability", "cue", "tokens"), found["predicted_memories"])
            share, past = found["confidence"], found["calibration"]
            print(f"\nexpected share that will be used: {'-' if share is None else share}")
            if past["judged"]:
                print(
                    f"of {past['judged']} that were shown and judged {past['used']:.0%} were used, "
                    f"{past['probability']:.0%} expected; Brier score {past['brier']} (0 is right each time)"
                )
        return
    found = context_for(graph, settings, user, asked)
    if emitted(found, as_json):
        return
    print(found["context"], end="")
    if why:
        print()
        table(("ref", "tier", "tokens", "why"), found["entries"])
        print()
        table(("left out", "reason"), ((row["ref"], row["reason"]) for row in found["left_out"]))
    if found["abstained"]:
        say("Nothing relevant was found.")
    if found["partial"]:
        say("The deadline has passed before all of it was looked through.")
    say(f"{found['token_count']:,} of {found['budget']:,} tokens.")
