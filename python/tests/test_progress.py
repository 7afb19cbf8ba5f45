"""Progress bars of long calls: they count what is done, and change no figure."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tqdm import auto

import rankrate

SOURCES = [f"The vessel number {number} foundered off the coast." for number in range(300)]
OUTPUTS = [f"Ship {number} sank near the coast." for number in range(300)]
REFERENCES = [[f"The ship number {number} sank."] for number in range(300)]


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[int], int]]:
    """Each bar that is drawn: its name, the places where it was, and its end."""
    drawn: list[tuple[str, list[int], int]] = []

    class Bar:
        def __init__(self, desc: str, total: int) -> None:
            self.n = 0
            self.closed = False
            drawn.append((desc, [], total))

        def update(self, more: int) -> None:
            assert more >= 0
            assert not self.closed
            self.n += more
            drawn[-1][1].append(self.n)

        def close(self) -> None:
            self.closed = True

    monkeypatch.setattr(auto, "tqdm", Bar)
    return drawn


def check(bars: list[tuple[str, list[int], int]], expected: list[tuple[str, int]]) -> None:
    """Each bar goes from nothing to all, with steps in between."""
    assert [(name, total) for name, _, total in bars] == expected
    for name, places, total in bars:
        assert places[0] == 0, name
        assert places[-1] == total, name
        assert places == sorted(places), name
        assert len(places) > 2, name


def test_scores_are_the_same_with_a_bar(program: rankrate.Program, bars: list[tuple[str, list[int], int]]) -> None:
    names = ["sari", "bleu", "fkgl"]
    plain = rankrate.score(names, SOURCES, OUTPUTS, REFERENCES, program=program)
    assert bars == []
    shown = rankrate.score(names, SOURCES, OUTPUTS, REFERENCES, program=program, progress=True)
    for name in names:
        np.testing.assert_array_equal(plain[name], shown[name])
    check(bars, [("scores", 900)])
    bars.clear()
    metric = rankrate.Metric("sari", program=program)
    np.testing.assert_array_equal(metric.score(SOURCES, OUTPUTS, REFERENCES, progress=True), plain["sari"])
    corpus = rankrate.corpus_score(["bleu"], SOURCES, OUTPUTS, REFERENCES, program=program, progress=True)
    assert corpus == rankrate.corpus_score(["bleu"], SOURCES, OUTPUTS, REFERENCES, program=program)
    rewards = rankrate.Reward(metric, references_column="references", progress=True)
    assert rewards(completions=OUTPUTS, source=SOURCES, references=REFERENCES) == plain["sari"].tolist()
    check(bars, [("scores", 300)] * 3)


def test_calls_with_models_have_a_bar_for_each_stage(
    program: rankrate.Program, bars: list[tuple[str, list[int], int]]
) -> None:
    # More texts than are encoded at once.
    texts = (SOURCES[:100], OUTPUTS[:100])
    references = REFERENCES[:100]
    plain = rankrate.bertscore(*texts, references, program=program)
    shown = rankrate.bertscore(*texts, references, program=program, progress=True)
    np.testing.assert_array_equal(plain, shown)
    check(bars, [("texts encoded", 300), ("scores", 100)])
    bars.clear()
    learned = rankrate.Metric("learned-free", program=program)
    assert learned.meanings(*texts, progress=True) == learned.meanings(*texts)
    assert rankrate.align(*texts, program=program, progress=True) == rankrate.align(*texts, program=program)
    candidates = list(map(list, zip(*texts, strict=True)))
    shown_choices = rankrate.rerank(texts[0], candidates, program=program, progress=True)
    choices = rankrate.rerank(texts[0], candidates, program=program)
    assert [choice.scores.tolist() for choice in shown_choices] == [choice.scores.tolist() for choice in choices]
    check(bars, [("scores", 100), ("pairs aligned", 100), ("sources", 100)])


def test_commands_have_bars(
    program: rankrate.Program, ratings: pd.DataFrame, bars: list[tuple[str, list[int], int]]
) -> None:
    frame = pd.concat([ratings.assign(source=ratings["source"] + f" {n}") for n in range(40)], ignore_index=True)
    options: dict[str, Any] = {"bootstrap": 20, "program": program}
    shown = rankrate.meta_eval(frame, ["fkgl", "compression"], progress=True, **options)
    pd.testing.assert_frame_equal(shown, rankrate.meta_eval(frame, ["fkgl", "compression"], **options))
    check(bars, [("scores", 2 * 40 * 8)])


def test_a_bar_without_tqdm_is_an_error_with_a_sentence(
    program: rankrate.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert rankrate.fkgl(OUTPUTS, program=program).shape == (300,)
    calls: list[Callable[[], object]] = [
        lambda: rankrate.fkgl(OUTPUTS, program=program, progress=True),
        lambda: program.run(["schema"], progress=True),
    ]
    for call in calls:
        with pytest.raises(rankrate.UnavailableError, match=r"pip install \"rankrate\[progress\]\""):
            call()
    # It has not reached the program.
    assert rankrate.fkgl(OUTPUTS[:1], program=program).shape == (1,)


def test_an_interrupted_bar_does_not_leave_its_answer_to_the_next(
    program: rankrate.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    plain = rankrate.fkgl(OUTPUTS, program=program).tolist()
    with monkeypatch.context() as patch:
        patch.setattr(auto, "tqdm", interrupt)
        with pytest.raises(KeyboardInterrupt):
            rankrate.fkgl(SOURCES, program=program, progress=True)
    assert rankrate.fkgl(OUTPUTS, program=program).tolist() == plain
