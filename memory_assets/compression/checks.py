"""Claims about contexts that can be false."""

from dataclasses import asdict

from memory_assets.compression.assets import compressed_contexts
from memory_assets.compression.policy import RULES
from memory_assets.runtime.judging import users_check

LIMITS = {name: value for name, value in asdict(RULES).items() if name != "keywords_days"}
REMEDY = "materialise compressed_contexts of these users again with force; if it fails again, report it"

levels_keep_their_ratio = users_check(
    compressed_contexts,
    "levels_keep_their_ratio",
    "No summary has more than a tenth of its source's tokens, no keywords more than three hundredths. Of a short "
    "source, 30 and 10 tokens are allowed; never more than the level above has.",
    "compression/list_overlong",
    "levels of sources are longer than their share",
    REMEDY,
    params=LIMITS,
)
originals_are_reachable = users_check(
    compressed_contexts,
    "originals_are_reachable",
    "From every context, keywords too, a way leads level by level to the source and its whole text.",
    "compression/list_unreachable",
    "contexts have lost their original",
    REMEDY,
)
