"""Pictures: real PNGs, small, different when the figures are, and never the end of a run."""

from __future__ import annotations

import base64
import io
import os
import re
import subprocess
import sys
import threading
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from PIL import Image

from memory_assets.presentation import plots

DAY = datetime(2026, 5, 3, tzinfo=UTC)
MOST_BYTES = 12 * 1024
IMAGE = re.compile(r"!\[((?:\\.|[^\]\\])*)\]\(data:image/png;base64,([A-Za-z0-9+/=]+)\)")


def opened(markdown: str) -> Image.Image:
    """The picture in a Markdown image, which is all that there is."""
    found = IMAGE.fullmatch(markdown)
    assert found, markdown[:200]
    data = base64.b64decode(found[2], validate=True)
    assert len(data) <= MOST_BYTES
    image = Image.open(io.BytesIO(data))
    assert (image.format, image.size) == ("PNG", (plots.WIDTH, plots.HEIGHT))
    return image.convert("RGB")


def bars(*heights: float, says: str = "seven") -> str:
    return plots.stacked_bars([str(place) for place in range(len(heights))], {"a": heights}, unit="n", says=says)


def budget(*rows: tuple[str, float, float]) -> str:
    return plots.used_of_budget(rows, unit="tokens", says="used")


def timeline(*rows: tuple[str, int]) -> str:
    return plots.spans([(label, DAY, DAY + timedelta(days=days)) for label, days in rows], says="spans")


def curves(*values: float | None, days: int | None = None, name: str = "a") -> str:
    dates = [(DAY + timedelta(days=place)).date().isoformat() for place in range(days or len(values))]
    return plots.curves(dates, {name: values}, unit="tokens", says="state")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (curves(1, 2, 3), curves(1, 2, 2)),
        (curves(1, 2, 3), curves(1, None, 3)),
        (bars(1, 2, 3), bars(1, 2, 2)),
        (budget(("a", 1, 9)), budget(("a", 8, 9))),
        (timeline(("a", 9), ("b", 90)), timeline(("a", 30), ("b", 90))),
    ],
    ids=["curves", "curves with a gap", "bars", "budget", "spans"],
)
def test_a_picture_shows_its_figures(one: str, other: str) -> None:
    assert opened(one).tobytes() != opened(other).tobytes()


def test_the_same_figures_give_the_same_bytes() -> None:
    assert bars(1, 5, 2) == bars(1, 5, 2)


def colours_of(picture: Image.Image) -> set[str]:
    pixels = picture.tobytes()
    return {f"#{pixels[at : at + 3].hex().upper()}" for at in range(0, len(pixels), 3)}


def test_a_picture_stands_on_white_and_each_series_keeps_its_colour() -> None:
    series = {name: [1, 2, 3] for name in ("conversation", "email", "slack", "transcript", "note")}
    full = opened(plots.stacked_bars(["x", "y", "z"], series, unit="sources", says="s"))
    assert full.getpixel((0, 0)) == (255, 255, 255)
    assert set(plots.PALETTE[:5]) <= colours_of(full)
    fewer = opened(plots.stacked_bars(["x", "y", "z"], series | {"conversation": [0, 0, 0]}, unit="sources", says="s"))
    assert set(plots.PALETTE[1:5]) <= colours_of(fewer) and plots.BLUE not in colours_of(fewer)


def test_each_curve_keeps_its_colour_however_few_its_days() -> None:
    days = ["2026-05-03", "2026-05-04", "2026-05-09"]
    both = opened(plots.curves(days, {"a": [3, 4, 5], "b": [9, 9, 2]}, unit="n", says="s"))
    assert set(plots.PALETTE[:2]) <= colours_of(both)
    fewer = opened(plots.curves(days, {"a": [None] * 3, "b": [9, 9, 2]}, unit="n", says="s"))
    assert plots.PALETTE[1] in colours_of(fewer) and plots.BLUE not in colours_of(fewer)
    alone = opened(curves(7)).tobytes()
    assert any(blue > red + 40 for red, blue in zip(alone[::3], alone[2::3], strict=True)), "one day alone has a place"


@pytest.mark.parametrize(("values", "days"), [((), 0), ((1, 2), 3)])
def test_curves_without_days_or_of_other_lengths_are_a_sentence(values: tuple[float, ...], days: int) -> None:
    assert curves(*values, days=days).startswith("state (The plot could not be drawn: ")


def test_its_words_are_plain_text_for_whoever_cannot_see_it() -> None:
    (paragraph,) = [t for t in MarkdownIt("commonmark").parse(bars(1, says="7 ] of\n![8](x) <b>")) if t.children]
    (image,) = paragraph.children
    assert (image.type, image.content) == ("image", "7 \\] of \\!\\[8\\](x) \\<b\\>")


LABELS = (
    *("東京 trip", "नमस्ते", "שלום", "🎉 party", "a\nb\x00\u202e", "", "x" * 500),
    *("$x^{$", "$5 and $x^{", "\\frac{1}{", "_x%n"),
)


@pytest.mark.parametrize("label", LABELS)
def test_any_script_is_drawn_without_a_warning(label: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened(timeline((f"1 {label}", 9), (label, 3)))
        opened(budget((label, 1, 2)))
        opened(curves(1, 2, name=label))
        opened(plots.stacked_bars([label] * 9, {label: [1] * 9, "b": [2] * 9}, unit=label, says=label, below=label))


@pytest.mark.parametrize("sign", ["W", "i", "—"])
def test_a_long_label_is_cut_where_its_room_ends(sign: str) -> None:
    for picture in (opened(timeline((f"1 {sign * 90}", 9))), opened(budget((sign * 90, 1, 2)))):
        edge = picture.crop((0, 0, 2, plots.HEIGHT))
        assert edge.getcolors() == [(2 * plots.HEIGHT, (255, 255, 255))]


def test_a_legend_of_many_files_stands_whole_in_the_picture() -> None:
    names = [f"project-{place}/notes/MEMORY.md" for place in range(8)]
    picture = opened(
        plots.curves([DAY.date().isoformat()], {name: [place] for place, name in enumerate(names)}, unit="%", says="s")
    )
    for left in (0, plots.WIDTH - 2):
        edge = picture.crop((left, 0, left + 2, plots.HEIGHT))
        assert edge.getcolors() == [(2 * plots.HEIGHT, (255, 255, 255))]
    signs = [picture.crop((left, 0, left + 30, plots.LEGEND_ROWS * plots.LEGEND_ROW)) for left in (55, 55 + 250)]
    seen = {colour for sign in signs for _, colour in sign.getcolors() or ()}
    for wanted in plots.PALETTE[:-1]:
        red, green, blue = (int(wanted[at : at + 2], 16) for at in (1, 3, 5))
        assert any(abs(r - red) + abs(g - green) + abs(b - blue) < 60 for r, g, b in seen), wanted


ROWS = st.tuples(st.text(max_size=60), st.integers(0, 10**9), st.integers(0, 10**9))


@settings(max_examples=15)
@given(st.lists(ROWS, min_size=1, max_size=10))
def test_pictures_are_small_whatever_they_show(rows: list[tuple[str, int, int]]) -> None:
    opened(budget(*rows))
    series = {"a": [row[1] for row in rows], "b": [row[2] for row in rows]}
    opened(plots.stacked_bars([row[0] for row in rows], series, unit="n", says="s"))


def test_the_fullest_picture_is_small() -> None:
    months = [f"{2017 + place // 12}-{place % 12 + 1:02}" for place in range(120)]
    series = {name: [(place * 7 + seed * 13) % 29 for place in range(120)] for seed, name in enumerate("abcde")}
    opened(plots.stacked_bars(months, series, unit="sources", says="s", below="month"))


def test_a_picture_that_cannot_be_drawn_is_a_sentence() -> None:
    broken = plots.stacked_bars(["a"], {"a": [1, 2]}, unit="n", says="3 sources")
    assert broken == "3 sources (The plot could not be drawn: ValueError.)"


def test_threads_draw_what_one_would_draw() -> None:
    expected = [bars(*range(1, n)) for n in range(3, 9)]
    found: dict[int, str] = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: bars(*range(1, n))})) for n in range(3, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[n] for n in range(3, 9)] == expected


SCRIPT = """
import sys
import threading
import memory_assets.presentation.plots as plots
real = threading.Timer
threading.Timer = lambda seconds, call: real(0, call)  # as on a machine on which the list of fonts takes long
assert "matplotlib" not in sys.modules, "matplotlib is imported before it is needed"
assert plots.stacked_bars(["a"], {"a": [1]}, unit="n", says="s").startswith("![s](")
"""


def test_drawing_writes_into_the_installations_home_alone_and_says_nothing(tmp_path: Path) -> None:
    home, installation = tmp_path / "person", tmp_path / "installation"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MPL"))}
    environment = kept | {"HOME": str(home), "MEMORY_ASSETS_HOME": str(installation)}
    command = [sys.executable, "-c", SCRIPT]
    options = {"cwd": Path(__file__).parents[2], "capture_output": True, "text": True, "timeout": 300}
    done = subprocess.run(command, env=environment, check=False, **options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(home.iterdir()) == []
    assert list((installation / "cache" / "matplotlib").glob("fontlist*.json"))
