"""What the model of sentences' kinds was not learned from, and how well it judges it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.llm.local.language import ENGLISH, language_of, parse
from memory_assets.llm.local.sentence_features import BY_ASSISTANT, Setting, features
from memory_assets.llm.local.sentence_model import Kind, opinion
from memory_assets.llm.local.sentences import Form, Piece
from memory_assets_tests.bench.corpora import corpora
from memory_assets_tests.labelled.kinds.examples import WRITTEN, figures, real, written

LANGUAGES = (ENGLISH, "de", "es", "fr", "pt", "zh")
LEAST_MEAN = 0.6
LEAST_OF_A_KIND = 0.38


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_that_were_not_learned_from_are_judged_as_their_writers_meant(language: str) -> None:
    held_back = [one for one in written(WRITTEN) if one.is_test and one.language == language]
    found = figures(held_back)
    assert len(held_back) >= 90
    assert found.pop("mean") >= LEAST_MEAN, found
    assert min(found.values()) >= LEAST_OF_A_KIND, found


@pytest.mark.slow
@pytest.mark.skipif(not corpora().is_dir(), reason=f"the corpora are not at hand: {corpora()}")
def test_real_sentences_of_the_frozen_half_are_judged_as_their_readers_did() -> None:
    found = figures([one for one in real() if one.is_test])
    assert found["mean"] >= LEAST_MEAN, found
    assert found["standing instruction"] >= 0.6 and min(found.values()) >= 0.36, found


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentences_language_is_known_by_its_words(language: str) -> None:
    sentences = [one.piece.text for one in written(WRITTEN) if one.language == language]
    right = sum((language_of(text) == ENGLISH) == (language == ENGLISH) for text in sentences)
    assert right >= 0.97 * len(sentences)


@given(
    text=st.text(min_size=1, max_size=700),
    where=st.sampled_from(["", "note", BY_ASSISTANT]),
    form=st.sampled_from(Form),
)
def test_any_text_gets_probabilities_and_reasons_of_its_own(text: str, where: str, form: Form) -> None:
    found = features(Piece(text, form), parse([text])[0], Setting(where, True, False, text[:20]))
    thought = opinion(found)
    for group in (thought.kinds, thought.lasting):
        assert sum(group.values()) == pytest.approx(1.0) and min(group.values()) >= 0
    for kind in Kind:
        assert len(thought.reasons(kind)) <= 3 and set(thought.reasons(kind)) <= found.keys()
    assert set(thought.kinds) == set(Kind)
