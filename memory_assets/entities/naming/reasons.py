"""Why a name means somebody, in the words in which it is kept and shown."""

from __future__ import annotations

from memory_assets.entities.naming.forms import Form


def reason_of(form: Form) -> str:
    """Why a name of this form was joined with somebody's."""
    if form.is_full:
        return "the same person's name, written another way"
    if form.is_address or form.handle:
        return "an account of that name"
    if form.given:
        return "initials that fit one person only"
    if form.surname:
        return "a surname that one person only has"
    return "a first name that one person only has"
