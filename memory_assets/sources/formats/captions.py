"""Captions: WebVTT, SRT and SBV, whole, without a head or broken; the cues with their voices."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import webvtt

from memory_assets.sources.cleaning import clean_text, one_line
from memory_assets.sources.formats.transcript_lines import CUE_TAG, said_in
from memory_assets.sources.formats.transcript_words import said_lines

# Cues without the head of a caption file, as some programs write them into a text.
_BARE = re.compile(r"(?<!\s)\s*+\d{1,2}:\d{1,2}:\d{1,2}\.\d{1,3}[ \t]*-->[ \t]*\d{1,2}:\d{1,2}:\d{1,2}\.\d{1,3}[ \t]*\n")
_SBV = re.compile(r"(?m)^[ \t]*(\d{1,2}:\d\d:\d\d\.\d{3}),(\d{1,2}:\d\d:\d\d\.\d{3})[ \t]*$")  # YouTube's own
_NAMED_CUE = re.compile(r"(?m)^(\d{1,2}:\d{1,2}:\d{1,2}\.\d{1,3}[ \t]*-->[^\n]*)\n([^\W\d_][^\n<>:]{0,58})\n(?=[^\n\d][^\n]*\S)")
_SRT = re.compile(r"(?<!\s)\s*+\d{1,9}[ \t]*+\n[ \t]*\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}[ \t]*-->")

_VOICE = re.compile(r"<v(?:\.[^ \t<>]*+)?[ \t]+([^>]{1,200})>")

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")


def is_captions(text: str) -> bool:
    """Whether a text begins as WebVTT, SRT or SBV, or with a cue of theirs."""
    return re.match(r"WEBVTT(?:[ \t\n]|$)", text) is not None or any(
        form.match(text.lstrip()) is not None for form in (_SRT, _BARE, _SBV)
    )


def _with_voices(text: str) -> str:
    """Cues without a head as a caption file; a name that stands above what is said, in most of them, as its voice."""
    named = _NAMED_CUE.findall(text)
    if 2 * len(named) > text.count("-->"):
        text = _NAMED_CUE.sub(lambda match: f"{match[1]}\n<v {match[2].strip()}>", text)
    return "WEBVTT\n\n" + text.lstrip()


def cues_in(text: str) -> Iterator[tuple[str | None, str]]:
    """Who says what in captions, cue by cue; None where no voice is named."""
    if _SBV.match(text.lstrip()):
        text = _SBV.sub(r"\1 --> \2", text)
    if _BARE.match(text):
        return _vtt_cues(_with_voices(text))
    return _srt_cues(text) if _SRT.match(text) else _vtt_cues(text)


def _vtt_cues(text: str) -> Iterator[tuple[str | None, str]]:
    try:
        captions = webvtt.from_string(text).captions
    except Exception:  # noqa: BLE001
        captions = []
    if not captions:  # a broken caption file is still text
        yield from said_lines(re.sub(r"(?m)^(?:WEBVTT\b.*|.*-->.*)$", "", text))
        return
    rolling = bool(re.search(r"(?m)^Kind: captions", text[:200])) or "<c>" in text
    shown = ""
    for caption in sorted(captions, key=lambda caption: caption.start_in_seconds):
        cue = str(caption.raw_text)
        if rolling:  # each cue shows the line before it once more
            lines = [line for line in cue.split("\n") if _untagged(line)]
            fresh = [line for number, line in enumerate(lines) if number or _untagged(line) != shown]
            shown = _untagged(lines[-1]) if lines else shown
            cue = "\n".join(fresh)
        yield from _voices(cue)


def _srt_cues(text: str) -> Iterator[tuple[str | None, str]]:
    """SRT is WebVTT with commas in its times and without a head."""
    stamps = re.compile(
        r"(?m)^([ \t]*\d{1,3}:\d{2}:\d{2}),(\d{1,3}[ \t]*-->[ \t]*\d{1,3}:\d{2}:\d{2}),(\d{1,3})"
    )
    yield from _vtt_cues("WEBVTT\n\n" + stamps.sub(r"\1.\2.\3", text.lstrip()))


def _voices(cue: str) -> Iterator[tuple[str | None, str]]:
    pieces = _VOICE.split(cue)
    if len(pieces) == 1:
        line = " ".join(cue.split("\n"))
        said = said_in(line) or said_in(CUE_TAG.sub("", line))
        yield (one_line(_decoded(said[0])), clean_text(_decoded(said[1]))) if said else (None, _untagged(cue))
        return
    if pieces[0].strip():
        yield None, _untagged(pieces[0])
    for speaker, words in zip(pieces[1::2], pieces[2::2], strict=True):
        yield one_line(_decoded(speaker)) or None, _untagged(words)


def _untagged(cue: str) -> str:
    return one_line(_decoded(CUE_TAG.sub("", cue)), 100_000)


def _decoded(cue: str) -> str:
    """Character references as what they stand for; only whole ones, so that an address's "&section=" stays."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), cue)
