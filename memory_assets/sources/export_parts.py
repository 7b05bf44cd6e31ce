"""Which files of ChatGPT's and Claude's exports are sources, and which only lie beside the conversations."""

from __future__ import annotations

import re

from memory_assets.sources.formats import chatgpt, claude, claude_notes

# What ChatGPT and Claude export beside the conversations: settings, votes, a copy as a web page. No sources.
_EXPORT_PARTS = frozenset(
    {"chat.html", "user.json", "users.json", "user_settings.json", "message_feedback.json", "shared_conversations.json",
     "model_comparisons.json", "shopping.json", "sora.json", "export_manifest.json",
     "conversation_asset_file_names.json"}
)  # fmt: skip
# Parts of such an export that can hold somebody's words, and why they are not read.
_UNREAD_PARTS = {
    "projects.json": "It holds an export's projects in a form that is not known: save the documents that matter as files.",
    "memories.json": "It holds an export's memories in a form that is not known; the conversations that they come from are read.",
    "group_chats.json": "It holds an export's group chats, which are not read: save those that matter as text.",
}
_CONVERSATIONS = re.compile(r"conversations(?:-\d{1,6})?\.json", re.IGNORECASE)
_NOTHING = re.compile(rb'(?:\xef\xbb\xbf)?\s*+(?:\{\s*+(?:"\w{1,60}"\s*+:\s*+\[\s*+\]\s*+)?\}|\[\s*+\])?\s*+')


def is_conversations(name: str) -> bool:
    """Whether a file is named as the one in which ChatGPT and Claude export conversations, whole or in pieces."""
    return _CONVERSATIONS.fullmatch(name) is not None


def is_exported(head: bytes, name: str) -> bool:
    """Whether a file begins as ChatGPT's or Claude's conversations do: only then its neighbours are parts."""
    return max(chatgpt.sniff(head, name), claude.sniff(head, name)) > 0


def is_export_part(name: str) -> bool:
    """Whether a file beside exported conversations is a part of the export without being a source."""
    return name.lower() in _EXPORT_PARTS or name.lower() in _UNREAD_PARTS


def is_read_part(name: str, head: bytes) -> bool:
    """Whether a part of an export is a source by itself: Claude's projects and memories."""
    return name.lower() in _UNREAD_PARTS and claude_notes.sniff(head, name) > 0


def why_unread(name: str, head: bytes) -> str | None:
    """Why a part of an export that holds somebody's words is not read; None for one that holds none."""
    return None if _NOTHING.fullmatch(head) else _UNREAD_PARTS.get(name.lower())
