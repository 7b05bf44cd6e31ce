"""Whom an owner's names mean: the door to ``naming/``."""

from memory_assets.entities.naming.records import Decision, Name, Profile, Resolution
from memory_assets.entities.naming.resolve import VERSION, resolve, resolve_names

__all__ = ["VERSION", "Decision", "Name", "Profile", "Resolution", "resolve", "resolve_names"]
