"""The reward function, called as trainers call it."""

from __future__ import annotations

import math
import runpy
from pathlib import Path
from typing import Any

import pytest
from conftest import OUTPUTS, REFERENCES, SOURCES

import rankrate


def test_rewards_are_scores_of_completions_and_conversations(program: rankrate.Program) -> None:
    metric = rankrate.Metric("learned-free", program=program)
    reward = rankrate.Reward(metric)
    scores = metric.score(SOURCES, OUTPUTS).tolist()
    padded = [f"  {output}\n" for output in OUTPUTS]
    assert reward(prompts=SOURCES, completions=padded, source=SOURCES, step=[1] * 5) == scores
    talk = [[{"role": "assistant", "content": output}] for output in OUTPUTS]
    rewards = reward(completions=talk, source=SOURCES)
    assert rewards == scores
    assert all(type(value) is float for value in rewards)
    assert reward.__name__ == "rankrate_learned_free"
    calls: list[Any] = [[{"role": "assistant", "content": None}], [{"role": "assistant", "content": "A ship sank."}]]
    assert reward(calls, source=SOURCES[:2]) == metric.score(SOURCES[:2], ["", "A ship sank."]).tolist()
    parts: list[Any] = [[{"role": "assistant", "content": [{"type": "text", "text": "a"}]}]]
    with pytest.raises(rankrate.ArgumentError, match="the content of a completion is a list: give texts"):
        reward(parts, source=SOURCES[:1])
    assert reward([], source=[]) == []


def test_larger_is_better(program: rankrate.Program) -> None:
    metric = rankrate.Metric("fkgl", program=program)
    levels = metric.score(SOURCES, OUTPUTS)
    assert rankrate.Reward(metric)(OUTPUTS, source=SOURCES) == (-levels).tolist()
    neither = rankrate.Metric("compression", program=program)
    with pytest.raises(rankrate.ArgumentError, match="sign=1"):
        rankrate.Reward(neither)
    shorter = rankrate.Reward(neither, sign=-1)
    assert shorter(["a"], source=["a"]) == [-1.0]


def test_references_come_from_their_column(program: rankrate.Program) -> None:
    metric = rankrate.Metric("sari", program=program)
    with pytest.raises(rankrate.ArgumentError, match="references_column"):
        rankrate.Reward(metric)
    reward = rankrate.Reward(metric, references_column="simple", source_column="text", empty=-1.0)
    rewards = reward(OUTPUTS, text=SOURCES, simple=REFERENCES)
    assert rewards[:4] == metric.score(SOURCES, OUTPUTS, REFERENCES).tolist()[:4]
    assert rewards[4] == -1.0
    none = rankrate.Reward(metric, references_column="simple")
    assert math.isnan(none(["a", "b"], source=["a", "b"], simple=[["a"], []])[1])


def test_columns_that_do_not_fit_are_named(program: rankrate.Program) -> None:
    reward = rankrate.Reward(rankrate.Metric("fkgl", program=program))
    with pytest.raises(rankrate.ArgumentError, match="no column “source” beside the completions; there are: text"):
        reward(["a"], text=["a"])
    with pytest.raises(rankrate.ArgumentError, match="1 completions and 2 values in the column “source”"):
        reward(["a"], source=["a", "b"])


def test_the_example_prefers_better_outputs_as_it_learns(capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(__file__).parent.parent / "examples" / "reward.py"
    result = runpy.run_path(str(example))["main"]()
    assert result[-1] > result[0]
    assert "step" in capsys.readouterr().out
