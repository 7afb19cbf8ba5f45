"""Figures in frames, against the commands on the same ratings in a file."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import RATED, Command

import rankrate


def test_agreement_is_that_of_the_command(
    program: rankrate.Program, command: Command, ratings: pd.DataFrame, ratings_file: Path
) -> None:
    options = ["--by", "system", "--bootstrap", "200", "--seed", "7"]
    printed = json.loads(command("agreement", ratings_file, *options, "--json"))
    frame = rankrate.agreement(ratings, by="system", bootstrap=200, seed=7, program=program)
    assert frame.attrs["report"] == printed
    assert list(frame.index) == ["all", "A", "B"]
    assert frame.loc["all", "raw_alpha"] == printed["raw"]["alpha"]
    assert frame.loc["all", "z_interval_high"] == printed["z"]["interval"]["high"]
    assert frame.loc["B", "z_alpha"] == printed["parts"]["B"]["z"]["alpha"]
    assert frame.loc["all", "pairable_units"] == 8
    plain = rankrate.agreement(ratings, level="ordinal", program=program)
    assert "raw_interval_low" not in plain.columns
    assert plain.attrs["report"]["level"] == "ordinal"
    assert set(plain.attrs["report"]["coefficients"]) == {"ac2", "quadratic_kappa"}


def test_systems_are_those_of_the_command(
    program: rankrate.Program, command: Command, ratings: pd.DataFrame, ratings_file: Path
) -> None:
    printed = json.loads(command("systems", ratings_file, "--json"))
    frame = rankrate.systems(ratings, program=program)
    assert frame.attrs["report"] == printed
    [first, _] = printed["rankings"][0]["systems"]
    assert list(frame.index) == ["A", "B"]
    assert frame.loc["A", "z_mean"] == first["z"]["mean"]
    assert [frame.loc["A", "raw_interval_low"], frame.loc["A", "raw_interval_high"]] == first["raw"]["interval"]
    by_category = rankrate.systems(ratings, by="category", program=program)
    assert set(by_category["category"]) <= {"split", "deletion", "paraphrase"}
    assert by_category["raw_outputs"].sum() == 8


def test_metrics_are_evaluated_as_by_the_command(
    program: rankrate.Program, command: Command, ratings: pd.DataFrame, ratings_file: Path, tmp_path: Path
) -> None:
    references = {source: [outputs["A"], source] for source, outputs in RATED.items()}
    scores = ratings.drop_duplicates("output")[["source", "system"]].assign(taste=[8, 2, 6, 3, 9, 1, 7.5, 4])
    frame = rankrate.meta_eval(
        ratings, ["bleu", "fkgl"], scores=scores, references=references, bootstrap=100, against="bleu", program=program
    )
    rows = [json.dumps({"source": s, "references": r}) for s, r in references.items()]
    (tmp_path / "references.jsonl").write_text("\n".join(rows), encoding="utf-8")
    scores.to_csv(tmp_path / "scores.csv", index=False)
    files = ["--references", tmp_path / "references.jsonl", "--scores", tmp_path / "scores.csv"]
    options = ["--metrics", "bleu,fkgl", "--bootstrap", "100", "--against", "bleu", "--json"]
    printed = json.loads(command("meta-eval", "--ratings", ratings_file, *files, *options))
    assert frame.attrs["report"] == printed
    assert sorted(frame.index) == ["bleu", "fkgl", "taste"]
    assert frame.loc["taste", "tau_all"] == printed["metrics"]["taste"]["tau"]["all"] == 1.0
    assert frame.loc["bleu", "ci_low"] == printed["metrics"]["bleu"]["ci"][0]
    assert frame.loc["fkgl", "direction"] == "lower-is-better"
    assert frame.loc["fkgl", "difference_tau_value"] == printed["metrics"]["fkgl"]["difference"]["tau"]["value"]


def test_columns_may_have_other_names_and_lack_values(program: rankrate.Program, ratings: pd.DataFrame) -> None:
    expected = rankrate.agreement(ratings, program=program)
    renamed = ratings.rename(columns={"output": "generation", "rater": "who"})
    renamed.loc[len(renamed)] = {"source": "x", "system": "A", "generation": "y", "who": "1", "rating": math.nan}
    renamed["rating"] = renamed["rating"].astype("Float64")
    named = rankrate.agreement(renamed, columns={"output": "generation", "rater": "who"}, program=program)
    pd.testing.assert_frame_equal(named, expected)
    with pytest.raises(rankrate.ArgumentError, match="no column “output” for the output"):
        rankrate.agreement(renamed, program=program)
    with pytest.raises(rankrate.ArgumentError, match="no field “text”"):
        rankrate.agreement(ratings, columns={"text": "output"}, program=program)


def test_numbers_of_raters_are_names(program: rankrate.Program, ratings: pd.DataFrame) -> None:
    expected = rankrate.agreement(ratings, program=program)
    ratings["rater"] = ratings["rater"].astype(np.int64)
    pd.testing.assert_frame_equal(rankrate.agreement(ratings, program=program), expected)


def test_dimensions_are_chosen_and_averaged(program: rankrate.Program, ratings: pd.DataFrame) -> None:
    fluency = ratings.assign(dimension="fluency", rating=[float(n % 11) for n in range(len(ratings))])
    both = pd.concat([ratings.assign(dimension="simplicity"), fluency], ignore_index=True)
    frame = rankrate.agreement(both, by="dimension", program=program)
    assert list(frame.index) == ["all", "fluency", "simplicity"]
    chosen = rankrate.agreement(both, dimension="fluency", program=program)
    assert chosen["raw_alpha"]["all"] == frame["raw_alpha"]["fluency"]
    with pytest.raises(rankrate.ComputationError, match="no ratings on “taste”"):
        rankrate.agreement(both, dimension="taste", program=program)


def test_what_is_undefined_has_a_reason(ratings: pd.DataFrame, program_path: Path) -> None:
    alone = ratings[ratings["rater"] == "1"]
    with rankrate.Program(path=program_path, threads=1) as program:
        frame = rankrate.agreement(alone, bootstrap=10, program=program)
    assert math.isnan(frame["raw_alpha"]["all"])
    assert frame["raw_undefined"]["all"] == frame.attrs["report"]["raw"]["undefined"]
    assert frame["raw_interval_undefined"]["all"]


def test_wrong_arguments_and_ratings_are_explained(program: rankrate.Program, ratings: pd.DataFrame) -> None:
    with pytest.raises(rankrate.ArgumentError, match="sideways"):
        rankrate.agreement(ratings, level="sideways", program=program)  # type: ignore[arg-type]
    with pytest.raises(rankrate.ComputationError, match="taste"):
        rankrate.meta_eval(ratings, ["taste"], program=program)
    with pytest.warns(rankrate.RankrateWarning, match="Left out"):
        rankrate.systems(ratings.assign(rating=["good", *ratings["rating"][1:]]), program=program)
    with pytest.raises(rankrate.RankrateError):
        rankrate.agreement(ratings.iloc[:0], program=program)
