"""Which name stands for all that are one person's or one thing's, and what each name's resolution is. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory_assets.entities.naming.forms import read_form
from memory_assets.entities.naming.links import Links
from memory_assets.entities.naming.reasons import reason_of
from memory_assets.entities.naming.records import ITS_OWN, PERSON, RULES, Name, Resolution


def resolutions_of(links: Links) -> dict[str, Resolution]:
    """What every name means, by its id, once everything is joined."""
    kept = {d.keep_id: d.at for d in links.decisions if d.same and d.decided_by == PERSON and d.keep_id}
    chosen: dict[str, str] = {}
    result: dict[str, Resolution] = {}
    for key in links.names:
        root = links.groups.root(key)
        if root not in chosen:
            chosen[root] = _stands_for(links, links.groups.members(root), kept)
    for key in links.names:
        anchor = chosen[links.groups.root(key)]
        sources = {
            source: where
            for source, root in links.in_sources.get(key, {}).items()
            if (where := chosen.get(links.groups.root(root))) and where != anchor
        }
        if anchor == key:
            reason, by = (ITS_OWN, RULES)
        else:
            reason, by = links.why.get(key) or (reason_of(read_form(links.names[key].name)), RULES)
        if sources and anchor == key:
            reason = "several people are called so: by who takes part in a source"
        result[key] = Resolution(anchor, reason, by, sources)
    return result


def _stands_for(links: Links, members: Sequence[str], kept: Mapping[str, str]) -> str:
    if links.profile and links.profile.person_id in members:
        return links.profile.person_id
    names = [links.names[key] for key in members if key in links.names]
    if not names:
        return ""
    if by_word := [key for key in members if key in kept]:
        return max(by_word, key=lambda key: (kept[key], key))
    persons = [name for name in names if name.kind == "person"]
    others = [name for name in names if name.kind != "person"]
    if persons and others and len(persons) == 1 and max(map(weight_of, others)) > weight_of(persons[0]):
        names = others
    else:
        names = persons or names
    return min(names, key=_fullest).name_id


def weight_of(name: Name) -> float:
    """How much the sources say that this is what the name is."""
    return round(sum(name.sources.values()), 6)


def _fullest(name: Name) -> tuple[object, ...]:
    if name.kind != "person":
        return (-len(name.sources), -round(weight_of(name), 6), name.canonical_name, name.name_id)
    form = read_form(name.name)
    return (
        -form.fullness,
        form.turned or bool(form.handle) or bool(form.address),
        -len(form.given) if form.is_full else 0,
        bool(form.title),
        -len(form.middles),
        -len(name.sources),
        name.canonical_name,
        name.name_id,
    )
