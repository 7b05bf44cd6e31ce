"""Small pictures for people: each a Markdown image with its bytes in it, and with words that say the main figure.

The only importer of matplotlib, and only when a picture is drawn: it takes half a second to import. Figures are
drawn one at a time, without pyplot and its global state. A picture that cannot be drawn is a sentence instead,
never an error: no run fails because of a plot.
"""

from __future__ import annotations

import base64
import io
import logging
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from typing import Any

from memory_assets.presentation.reports import Markdown, one_cell
from memory_assets.settings import load_settings

WIDTH, HEIGHT = 640, 220
"""Pixels of every picture."""
LABEL_LENGTH = 34
LEGEND_LINES = 10
"""Lines that a legend names at most."""
LEGEND_ROWS = 4
LEGEND_ROW = 21
"""Pixels of a row of a legend."""
LEGEND_SIGN = 52
"""Pixels beside a label in a legend: its sign and what is left free."""
SHADES = 4
"""So many steps lead from white to each colour in a picture: enough for the edges of letters and lines."""

# Okabe and Ito's palette, which people with any colour vision can distinguish.
BLUE, ORANGE, GREEN = "#0072B2", "#E69F00", "#009E73"
PALETTE = (BLUE, ORANGE, GREEN, "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
INK, PALE = "#222222", "#DDDDDD"

_DRAWING = threading.Lock()
_DPI = 100
_TEXT = 9.5  # points
_SIGN_WIDTH = 8  # pixels, at most, on average


def stacked_bars(
    labels: Sequence[str], series: Mapping[str, Sequence[float]], *, unit: str, says: str, below: str = ""
) -> Markdown:
    """Bars over ``labels``, a colour for each of the ``series`` (as many numbers as labels), with a legend.

    A series of zeros is left out of the picture and keeps its colour, so that colours mean the same in all.
    ``unit`` names what is counted, ``below`` what the labels are; ``says`` is the picture's main figure in words.
    """

    def paint(axes: Any) -> None:
        from matplotlib.collections import PolyCollection

        bottom = [0.0] * len(labels)
        for place, (name, heights) in enumerate(series.items()):
            top = [low + height for low, height in zip(bottom, heights, strict=True)]
            # One collection for a colour: a bar each would take three times as long to draw.
            if not any(heights):
                continue
            bars = [_box(at, low, high) for at, (low, high) in enumerate(zip(bottom, top, strict=True)) if high > low]
            colour = PALETTE[place % len(PALETTE)]
            axes.add_collection(PolyCollection(bars, facecolors=colour, label=_drawable(name)), autolim=False)
            bottom = top
        _count_axis(axes, unit, max(bottom, default=0))
        room = WIDTH // (_SIGN_WIDTH * max(map(len, labels), default=1) + 2 * _SIGN_WIDTH)
        step = max(1, -(-len(labels) // max(1, room)))
        ticks = list(range(0, len(labels), step))
        axes.set_xticks(ticks, [_drawable(labels[tick]) for tick in ticks])
        axes.set_xlim(-0.7, max(len(labels), 6) - 0.3)
        axes.set_xlabel(_drawable(below), fontsize=_TEXT, color=INK)
        if len(series) > 1 and any(map(any, series.values())):
            _draw_legend(axes, min(len(series), 6))

    return _picture(paint, says, (0.1, 0.21, 0.855, 0.66))


def used_of_budget(rows: Sequence[tuple[str, float, float]], *, unit: str, says: str) -> Markdown:
    """For each ``(name, used, budget)``, top to bottom, how much of an outline is filled."""

    def paint(axes: Any) -> None:
        places = range(len(rows))
        used, budgets = [row[1] for row in rows], [row[2] for row in rows]
        fits = [BLUE if row[1] <= row[2] else PALETTE[5] for row in rows]
        axes.barh(places, budgets, 0.62, color=PALE)
        axes.barh(places, used, 0.62, color=fits)
        axes.barh(places, budgets, 0.62, facecolor="none", edgecolor=INK, linewidth=0.8)
        widest = max([*used, *budgets, 1])
        for place, (_, part, whole) in enumerate(rows):
            said = {"s": f"{part:,.0f} of {whole:,.0f}", "va": "center", "fontsize": _TEXT, "color": INK}
            axes.text(max(part, whole) + widest * 0.012, place, **said)
        axes.set_yticks(places, [_drawable(row[0], 144) for row in rows])
        axes.set_ylim(max(len(rows), 4) - 0.5, -0.5)
        axes.set_xlim(0, widest * 1.24)
        axes.set_xlabel(_drawable(unit), fontsize=_TEXT, color=INK)

    return _picture(paint, says, (0.24, 0.2, 0.74, 0.76))


def curves(
    days: Sequence[str], lines: Mapping[str, Sequence[float | None]], *, unit: str, says: str, today: date | None = None
) -> Markdown:
    """A line over ``days`` (ISO dates, in order) for each name in ``lines``: a number for each day, None where
    there is none. Each is a state that holds until the next one, but where a day is ``today`` in a course that goes on.
    """

    def paint(axes: Any) -> None:
        from matplotlib.dates import date2num

        places = [float(date2num(datetime.fromisoformat(day))) for day in days]
        labels, columns = _legend_of(list(lines))
        most = 0.0
        for place, (name, values) in enumerate(lines.items()):
            known = [(at, value) for at, value in zip(places, values, strict=True) if value is not None]
            if not known:
                continue
            most = max(most, *(value for _, value in known))
            look = {"color": PALETTE[place % len(PALETTE)], "linewidth": 1.6, "label": labels.get(name, "_")}
            if today is None:
                axes.step(*zip(*known, strict=True), where="post", marker="o", markersize=3, **look)
            else:
                axes.plot(*zip(*known, strict=True), linestyle="-" if place < len(PALETTE) else "--", **look)
        _count_axis(axes, unit, most, whole=today is None)
        if today is not None:
            axes.axvline(float(date2num(today)), color=INK, linewidth=0.8, linestyle=":")
        width = max(places[-1] - places[0], 6.0)  # days: one alone has a place too
        axes.set_xlim(places[0] - width * 0.03, places[0] + width * 1.03)
        _time_axis(axes)
        if len(lines) > 1:
            left, bottom, width_share, height = (0.1, 0.21, 0.855, 0.66)
            rows = -(-len(labels) // columns)
            axes.set_position((left, bottom, width_share, height - (rows - 1) * LEGEND_ROW / HEIGHT))
            _draw_legend(axes, columns)

    return _picture(paint, says, (0.1, 0.21, 0.855, 0.66))


def spans(rows: Sequence[tuple[str, datetime, datetime]], *, says: str) -> Markdown:
    """A bar from the first to the last instant of each ``(label, first, last)``, top to bottom, over a time axis."""

    def paint(axes: Any) -> None:
        from matplotlib.dates import date2num

        firsts = [date2num(first) for _, first, _ in rows]
        lasts = [date2num(last) for _, _, last in rows]
        width = max(max(lasts) - min(firsts), 14.0)  # days: no axis of hours
        lengths = [max(last - first, width / 200) for first, last in zip(firsts, lasts, strict=True)]
        axes.barh(range(len(rows)), lengths, 0.62, left=firsts, color=BLUE)
        axes.set_yticks(range(len(rows)), [_drawable(label, 232) for label, _, _ in rows])
        axes.set_ylim(max(len(rows), 4) - 0.5, -0.5)
        axes.set_xlim(min(firsts) - width * 0.02, min(firsts) + width * 1.02)
        _time_axis(axes)
        axes.grid(axis="x", color=PALE, linewidth=0.8)

    return _picture(paint, says, (0.38, 0.19, 0.59, 0.79))


def _legend_of(names: Sequence[str]) -> tuple[dict[str, str], int]:
    """The labels of a legend's lines, as many as there is room for, and in how many columns none is cut."""
    named = names[:LEGEND_LINES]
    room = WIDTH * 0.9
    plain = {name: _drawable(name) for name in named}
    widest = max(map(_width, plain.values()), default=0) + LEGEND_SIGN
    columns = max(1, min(len(named), int(room / widest)))
    if columns == 1 and len(named) > 1:
        columns = 2
    columns = max(columns, -(-len(named) // LEGEND_ROWS))
    return {name: _drawable(name, room / columns - LEGEND_SIGN) for name in named}, columns


def _draw_legend(axes: Any, columns: int) -> None:
    look = {"fontsize": _TEXT, "frameon": False, "labelcolor": INK, "handlelength": 1.0}
    axes.legend(ncols=columns, loc="lower left", bbox_to_anchor=(-0.01, 0.98), **look)


def _time_axis(axes: Any) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    axes.xaxis_date()
    locator = AutoDateLocator(maxticks=7)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    axes.xaxis.get_offset_text().set(fontsize=_TEXT, color=INK)


def _box(at: int, low: float, high: float) -> list[tuple[float, float]]:
    return [(at - 0.43, low), (at - 0.43, high), (at + 0.43, high), (at + 0.43, low)]


def _count_axis(axes: Any, unit: str, most: float, *, whole: bool = True) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=whole))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value / 1000:,g}k" if value >= 10_000 else f"{value:g}")
    axes.set_ylim(0, max(most, 1) * 1.05)
    axes.set_ylabel(_drawable(unit), fontsize=_TEXT, color=INK)
    axes.grid(axis="y", color=PALE, linewidth=0.8)


def _picture(paint: Callable[[Any], None], says: str, place: tuple[float, float, float, float]) -> Markdown:
    """What ``paint`` puts into axes at ``place`` (left, bottom, width, height; shares of the picture)."""
    words = one_cell(says, 600)
    try:
        with _DRAWING:
            png = base64.b64encode(_png(paint, place)).decode("ascii")
    except Exception as error:  # noqa: BLE001 - the figures are in the words: nobody loses a run for the picture
        return Markdown(f"{words} (The plot could not be drawn: {one_cell(type(error).__name__)}.)")
    return Markdown(f"![{words}](data:image/png;base64,{png})")


def _png(paint: Callable[[Any], None], place: tuple[float, float, float, float]) -> bytes:
    _keep_fonts_at_home()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=(WIDTH / _DPI, HEIGHT / _DPI), dpi=_DPI, facecolor="white")
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes(place)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=_TEXT, colors=INK, length=0)
    axes.spines[:].set_visible(False)
    paint(axes)
    canvas.draw()
    full = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba(), "raw", "RGBA", 0, 1)
    # A third of the bytes of all colours: each colour of ours as it is, and what lies between it and white.
    colours = [bytes.fromhex(name[1:]) for name in (*PALETTE, INK, PALE)]
    shades = [255 - (255 - part) * step // SHADES for step in range(SHADES + 1) for one in colours for part in one]
    palette = Image.new("P", (1, 1))
    palette.putpalette(shades)
    few = full.convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE)
    out = io.BytesIO()
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


@cache
def _keep_fonts_at_home() -> None:
    """Let matplotlib keep its list of fonts (a second's work) in the installation's home, unless somebody has chosen a
    folder for it: left alone, it would write into the person's own home.
    """
    if "MPLCONFIGDIR" not in os.environ:
        folder = load_settings().home / "cache" / "matplotlib"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.environ["MPLCONFIGDIR"] = str(folder)
    # That the list takes its time, where it takes more than five seconds, is no news.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


@cache
def _glyphs() -> frozenset[int]:
    """The signs that the font which matplotlib brings along can draw."""
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())


def _drawable(text: str, room: float | None = None) -> str:
    """A label in signs that the font has, each run of others as one "…", in ``room`` pixels; never mathematics."""
    known = "".join(sign if ord(sign) in _glyphs() and sign.isprintable() else "\0" for sign in " ".join(text.split()))
    words = re.sub("\0[\0 ]*", "… ", known).strip()
    if len(words) > LABEL_LENGTH:
        words = words[: LABEL_LENGTH - 1].rstrip() + "…"
    while room is not None and len(words) > 1 and _width(words) > room:
        words = words[:-2].rstrip() + "…"
    return words.replace("$", r"\$")


def _width(text: str) -> float:
    """Pixels of a line in the pictures' font."""
    from matplotlib.font_manager import findfont, get_font

    font = get_font(findfont("DejaVu Sans"))
    font.set_size(_TEXT, _DPI)
    font.set_text(text)
    return float(font.get_width_height()[0]) / 64
