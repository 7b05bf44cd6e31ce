"""Whose words are the owner's own (design.md, section 4): the speaker of the profile; else the only speaker with role
user; else nobody's. Pure.

A mail's sender is the owner by address where the profile names addresses: anybody can write anybody's name. Who else
speaks in a mail is quoted in it, and never the owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import parseaddr

from memory_assets.entities.naming.records import Profile
from memory_assets.entities.text import canonical_name


def speaker_of_profile(
    profile: Profile | None, speakers: Sequence[str], source_type: str, addresses: Sequence[str] = ()
) -> str | None:
    """The one of ``speakers`` whom the profile names; of several, the one it names first.

    ``addresses`` of a mail begin with its sender's, as "Name <address>".
    """
    if profile is None:
        return None
    if source_type == "email" and addresses:
        speakers = [speaker for speaker in speakers if canonical_name(speaker) == canonical_name(_sender(addresses[0]))]
        sender = parseaddr(addresses[0])[1].casefold()
        own = {text.casefold() for text in profile.names if "@" in text.strip("@")}
        if own:
            return speakers[0] if speakers and sender in own else None
    spelt: dict[str, str] = {}
    for speaker in sorted(speakers):
        spelt.setdefault(canonical_name(speaker), speaker)
    known = (spelt.get(canonical_name(text)) for text in profile.names)
    return next((speaker for speaker in known if speaker is not None), None)


def _sender(address: str) -> str:
    """How a mail's sender is called in it: by name, else by the first part of the address."""
    name, _, bare = address.rpartition(" <")
    return name or bare.partition("@")[0]


def owner_speaker(
    profile: Profile | None,
    speakers: Sequence[str],
    source_type: str,
    addresses: Sequence[str],
    by_role: str | None,
) -> str | None:
    """The owner's speaker in a source. ``by_role``: the only speaker with role user, of the owner's own sources."""
    return speaker_of_profile(profile, speakers, source_type, addresses) or by_role


def writer_of(profile: Profile | None, source_type: str, *, is_own: bool) -> str | None:
    """Who is "I" in a source that nobody speaks in: of a note of the owner's own, the owner."""
    return profile.name if profile is not None and is_own and source_type == "note" else None
