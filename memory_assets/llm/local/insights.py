"""What of a cluster of sources is worth knowing for long: the statements that say most, each whole and as it was said.

Greedy coverage (``text/words.py``): what lasts says more, what another has said already adds nothing.
"""

from __future__ import annotations

from memory_assets.llm.tasks import ClusterRequest, ClusterStatement, Insight, Insights
from memory_assets.llm.tokens import count_tokens
from memory_assets.text.attribution import behind_name
from memory_assets.text.words import Candidate, choose_covering, content_words, word_weights

TOKENS_A_SUBJECT = 120
LONGEST_INSIGHT = 400
FOREVER = 0.9
"""From this durability on a statement is a foundational fact (as of notes)."""


def draw_insights(request: ClusterRequest) -> Insights:
    """The answer to ``consolidation/draw_insights``: whole statements, in their order, each of the first subject that
    it is about; of none where it is about none.
    """
    speaking = [one for one in request.statements if one.about]
    usable = [one for one in speaking if len(one.text) <= LONGEST_INSIGHT and not one.text.endswith(("?", "？"))]
    usable = usable or speaking
    words = [content_words(one.text) for one in usable]
    known = frozenset().union(*map(content_words, request.subjects))
    candidates = [
        Candidate(said, count_tokens(one.text), 0.1 + one.durability) for one, said in zip(usable, words, strict=True)
    ]
    budget = TOKENS_A_SUBJECT * max(1, len(request.subjects))
    chosen = choose_covering(candidates, budget, word_weights(words), known) or list(range(min(1, len(usable))))
    return Insights(insights=tuple(_insight(usable[place]) for place in sorted(chosen)))


def _insight(one: ClusterStatement) -> Insight:
    return Insight(
        subject=one.about[0],
        text=one.text if one.said_by_owner else behind_name(one.text, one.speaker),
        refs=(one.ref,),
        lifetime="forever" if one.durability >= FOREVER else "year",
    )
