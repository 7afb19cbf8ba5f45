"""Scores, against those of the command on the same outputs."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np
import pytest
from conftest import OUTPUTS, REFERENCES, SOURCES, Command

import rankrate

EVERY = ["sari", "sari-lens", "bleu", "chrf", "fkgl", "levenshtein", "compression", "copy-rate"]
WITH_MODELS = ["learned-free", "bertscore-f1", "similarity", "word-rank"]


@pytest.mark.parametrize("names", [EVERY, WITH_MODELS], ids=["texts", "models"])
def test_scores_equal_those_of_the_command_to_the_last_digit(
    program: rankrate.Program, command: Command, pairs_file: Path, names: list[str]
) -> None:
    table = list(csv.DictReader(io.StringIO(command("score", pairs_file, "--metrics", ",".join(names)))))
    assert len(table) == len(SOURCES)
    # A call before it changes nothing.
    rankrate.score(["learned-free"], SOURCES[:2], OUTPUTS[1:3], program=program)
    scores = rankrate.score(names, SOURCES, OUTPUTS, REFERENCES, program=program)
    assert list(scores) == names
    for name in names:
        written = [float(row[name]) if row[name] else math.nan for row in table]
        np.testing.assert_array_equal(scores[name], np.array(written))
        assert scores[name].dtype == np.float64
        metric = rankrate.Metric(name, program=program)
        assert metric.signature is None
        np.testing.assert_array_equal(metric.score(SOURCES, OUTPUTS, REFERENCES), scores[name])
        assert metric.signature == table[0][f"signature:{name}"]


def test_meanings_equal_those_of_the_command(program: rankrate.Program, command: Command, pairs_file: Path) -> None:
    table = csv.DictReader(io.StringIO(command("score", pairs_file, "--metrics", "learned-free", "--meaning")))
    metric = rankrate.Metric("learned-free", program=program)
    meanings = metric.meanings(SOURCES, OUTPUTS)
    assert metric.signature is not None
    rows = list(table)
    assert len(meanings) == len(rows) == len(SOURCES)
    told = 0
    for row, meaning, score in zip(rows, meanings, metric.score(SOURCES, OUTPUTS), strict=True):
        if meaning is None:
            assert math.isnan(score)
            assert row["learned-free:percent"] == ""
            continue
        told += 1
        assert meaning.score == score
        columns = [row[f"learned-free:{column}"] for column in ("percent", "low", "high")]
        assert [f"{value:.1f}" for value in (meaning.percent, meaning.low, meaning.high)] == columns
        assert 0 <= meaning.low <= meaning.high <= 100
        assert (row["learned-free:out-of-domain"] == "yes") == meaning.out_of_domain
    assert told > 0
    assert metric.meanings([], []) == []
    with pytest.raises(rankrate.ArgumentError, match="fkgl does not know what its scores mean"):
        rankrate.Metric("fkgl", program=program).meanings(SOURCES, OUTPUTS)


def test_functions_are_the_metrics_of_their_names(program: rankrate.Program) -> None:
    scores = rankrate.score(["sari", "bleu", "chrf", "bertscore-f1"], SOURCES, OUTPUTS, REFERENCES, program=program)
    functions = [rankrate.sari, rankrate.bleu, rankrate.chrf, rankrate.bertscore]
    for function, expected in zip(functions, scores.values(), strict=True):
        np.testing.assert_array_equal(function(SOURCES, OUTPUTS, REFERENCES, program=program), expected)
    levels = rankrate.fkgl(OUTPUTS, program=program)
    np.testing.assert_array_equal(levels, rankrate.Metric("fkgl", program=program).score(SOURCES, OUTPUTS))


def test_an_output_is_scored_by_its_own_references(program: rankrate.Program) -> None:
    source, output = "The vessel sank.", "The boat sank."
    both = rankrate.sari([source, source], [output, output], [["The boat sank."], ["It."]], program=program)
    for place, references in enumerate(["The boat sank.", "It."]):
        [alone] = rankrate.sari([source], [output], [[references]], program=program)
        assert both[place] == alone
    assert both[0] > both[1]


def test_an_output_without_a_reference_has_no_score(program: rankrate.Program) -> None:
    scores = rankrate.sari(["a b", "c d"], ["a", "c"], [["a"], []], program=program)
    assert scores[0] > 0
    assert math.isnan(scores[1])


def test_empty_lists_give_empty_arrays(program: rankrate.Program) -> None:
    for name in ["sari", "learned-free"]:
        scores = rankrate.Metric(name, program=program).score([], [], [])
        assert scores.shape == (0,)
        assert scores.dtype == np.float64


def test_lists_that_do_not_fit_are_refused(program: rankrate.Program) -> None:
    metric = rankrate.Metric("sari", program=program)
    with pytest.raises(rankrate.ArgumentError, match="2 sources and 1 outputs"):
        metric.score(["a", "b"], ["a"], [["a"]])
    with pytest.raises(ValueError, match="1 lists of references"):
        metric.score(["a", "b"], ["a", "b"], [["a"]])
    with pytest.raises(rankrate.ArgumentError, match="sari needs references"):
        metric.score(["a"], ["a"])
    with pytest.raises(TypeError, match="sources is one text"):
        metric.score("a", ["a"], [["a"]])
    with pytest.raises(TypeError, match=r"outputs\[1\] is no text but nan"):
        metric.score(["a", "b"], ["a", math.nan], [["a"], ["b"]])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"references\[0\] is one text"):
        metric.score(["a"], ["a"], ["a"])
    with pytest.raises(rankrate.ArgumentError, match="no valid Unicode"):
        metric.score(["a"], ["\ud800"], [["a"]])
    # None of this has ended the program.
    assert metric.score(["a"], ["a"], [["a"]]).shape == (1,)


def test_metrics_are_listed_with_their_needs(program: rankrate.Program) -> None:
    known = {metric.name: metric for metric in rankrate.metrics(program=program)}
    assert known["sari"] == rankrate.MetricInfo("sari", "higher-is-better", needs_references=True)
    assert known["fkgl"].direction == "lower-is-better"
    assert rankrate.Metric("fkgl", program=program).direction == "lower-is-better"
    with pytest.raises(rankrate.ArgumentError, match="no metric “taste”; there are: sari, "):
        rankrate.Metric("taste", program=program)
    with pytest.raises(rankrate.ArgumentError, match="no model nowhere"):
        rankrate.Metric("learned-ref", model="nowhere")


def test_a_metric_that_lacks_its_model_says_how_to_get_it(program: rankrate.Program) -> None:
    metric = rankrate.Metric("learned-ref", program=program)
    with pytest.raises(rankrate.UnavailableError, match="rankrate train"):
        metric.score(["a"], ["a"], [["a"]])
