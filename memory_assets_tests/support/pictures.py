"""The picture inside a Markdown text."""

from __future__ import annotations

import base64
import io
import re

from PIL import Image

IMAGE = re.compile(r"!\[((?:\\.|[^\]\\])*)\]\(data:image/png;base64,([A-Za-z0-9+/=]+)\)")


def picture_in(markdown: str) -> tuple[str, Image.Image]:
    """The words and the pixels of the one picture in ``markdown``."""
    ((words, data),) = IMAGE.findall(markdown)
    return words, Image.open(io.BytesIO(base64.b64decode(data, validate=True))).convert("RGB")
