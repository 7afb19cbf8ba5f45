"""Tables of other libraries, files and exports as arguments, and what is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import polars
import pyarrow as pa
import pytest
from conftest import Command

import rankrate


@pytest.fixture(scope="module")
def exports(program_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with exports of the demonstration, and its data."""
    folder = tmp_path_factory.mktemp("exports")
    with rankrate.Program(path=program_path) as program:
        data = ["--data", str(folder / "data")]
        program.run(["demo", "--no-metrics", *data])
        for name, file in [("tidy", "tidy.csv"), ("jsonl", "demo.jsonl"), ("dataset", "folder")]:
            program.run(["export", "demo", "--format", name, "-o", str(folder / file), *data])
    return folder


def test_tables_of_other_libraries_are_frames(ratings: pd.DataFrame, ratings_file: Path) -> None:
    expected = rankrate.agreement(ratings)["raw_alpha"].tolist()
    others = [
        polars.from_pandas(ratings),
        polars.from_pandas(ratings).lazy(),
        datasets.Dataset.from_pandas(ratings),
        ratings_file,
        str(ratings_file),
        ratings.rename(columns={"rating": "value"}),
    ]
    for other in others:
        assert rankrate.agreement(other)["raw_alpha"].tolist() == expected, type(other)
        assert list(rankrate.systems(other).index) == ["A", "B"]
    renamed = ratings_file.with_name("renamed.csv")
    ratings.rename(columns={"output": "generation"}).to_csv(renamed, index=False)
    mapped = {name: name for name in ("source", "system", "rater", "rating")} | {"output": "generation"}
    assert rankrate.agreement(renamed, columns=mapped)["raw_alpha"].tolist() == expected
    wrongs: list[object] = [[1, 2], {"source": []}, 7]
    for wrong in wrongs:
        with pytest.raises(TypeError, match="give a frame of pandas"):
            rankrate.agreement(wrong)


def test_exports_have_the_figures_of_the_study(exports: Path, command: Command) -> None:
    import json

    data = ["--data", str(exports / "data")]
    printed = json.loads(command("agreement", "--study", "demo", "--by", "category", "--json", *data))
    ranking = json.loads(command("systems", "--study", "demo", "--json", *data))["rankings"][0]["systems"]
    tables = [
        exports / "tidy.csv",
        exports / "demo.jsonl",
        exports / "folder",
        exports / "folder" / "ratings.parquet",
        pd.read_csv(exports / "tidy.csv"),
        pd.read_parquet(exports / "folder" / "ratings.parquet"),
        polars.read_parquet(exports / "folder" / "ratings.parquet"),
        datasets.load_dataset(str(exports / "folder"), "ratings", split="train"),
    ]
    for table in tables:
        frame = rankrate.agreement(table, by="category")
        assert frame.loc["all", "raw_alpha"] == pytest.approx(printed["raw"]["alpha"], abs=1e-9), table
        assert frame.loc["all", "units"] == printed["units"]
        for part, figures in printed["parts"].items():
            assert frame.loc[part, "raw_alpha"] == pytest.approx(figures["raw"]["alpha"], abs=1e-9), (table, part)
        means = rankrate.systems(table)["raw_mean"]
        for system in ranking:
            assert means[system["system"]] == pytest.approx(system["raw"]["mean"]), (table, system["system"])


@pytest.mark.parametrize(
    "texts",
    [
        pd.DataFrame({"source": ["a"]}),
        polars.DataFrame({"source": ["a"]}),
        polars.LazyFrame({"source": ["a"]}),
        datasets.Dataset.from_dict({"source": ["a"]}),
        {"source": ["a"]},
    ],
    ids=["pandas", "polars", "lazy", "datasets", "dict"],
)
def test_a_table_is_no_list_of_texts(texts: object, program: rankrate.Program) -> None:
    with pytest.raises(TypeError, match=r"sources is a table \(\w+\): give a list of texts"):
        rankrate.score(["fkgl"], texts, ["a"], program=program)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="references is a table"):
        rankrate.sari(["a"], ["a"], texts, program=program)  # type: ignore[arg-type]


def test_columns_of_tables_are_lists_of_texts(program: rankrate.Program) -> None:
    columns: list[Any] = [
        pd.Series(["a b", "c"]),
        polars.Series(["a b", "c"]),
        datasets.Dataset.from_dict({"source": ["a b", "c"]})["source"],
        pa.array(["a b", "c"]),
    ]
    for column in columns:
        assert rankrate.fkgl(column, program=program).shape == (2,)


@pytest.mark.parametrize("texts", [{"a", "b"}, 7, None, Path("a.txt")])
def test_what_has_no_order_or_no_texts_is_refused(texts: object, program: rankrate.Program) -> None:
    with pytest.raises(TypeError, match=r"outputs (is a set, which has no order|has the type \w+): give a list"):
        rankrate.fkgl(texts, program=program)  # type: ignore[arg-type]


def test_files_are_paths(ratings: pd.DataFrame, ratings_file: Path) -> None:
    functions: list[Callable[..., Any]] = [rankrate.pairwise, rankrate.spans, rankrate.rc, rankrate.train]
    for function in functions:
        with pytest.raises(TypeError, match="the file is a DataFrame: give the path of a file"):
            function(ratings)
    with pytest.raises(TypeError, match="files is one path: give a list"):
        rankrate.protocols(str(ratings_file))


def test_texts_are_bounded(program: rankrate.Program) -> None:
    long = "word " * 5000
    with pytest.raises(rankrate.ArgumentError, match=r"\[1\] has more than 20,000 bytes"):
        rankrate.fkgl(["short", long], program=program)
    with pytest.raises(rankrate.ArgumentError, match=r"sources\[0\]"):
        rankrate.align([long], ["short"], program=program)
    with pytest.raises(rankrate.ArgumentError, match=r"candidates\[0\]\[0\]"):
        rankrate.rerank(["short"], [[long]], program=program)


def test_scores_of_a_corpus(program: rankrate.Program, command: Command, pairs_file: Path) -> None:
    import json

    rows = [json.loads(line) for line in pairs_file.read_text("utf-8").splitlines()]
    texts = [[row[name] for row in rows] for name in ("source", "output", "references")]
    names = ["sari", "bleu", "chrf", "fkgl"]
    scores = rankrate.corpus_score(names, texts[0], texts[1], texts[2], program=program)
    printed = json.loads(command("score", pairs_file, "--metrics", ",".join(names), "--json"))
    assert scores == {name: printed["metrics"][name]["corpus"] for name in names}
    with pytest.raises(rankrate.ArgumentError, match="compression has no score of a whole corpus"):
        rankrate.corpus_score(["compression"], ["a b"], ["a"], program=program)


def test_further_commands(ratings: pd.DataFrame, ratings_file: Path, command: Command) -> None:
    import json

    printed = json.loads(command("compare", "A", "B", ratings_file, "--json"))
    assert rankrate.compare(ratings, "A", "B")["raw"] == printed["raw"]
    assert len(rankrate.raters(ratings)["raters"]) == 3
    samples = Path(__file__).resolve().parents[2] / "docs" / "src" / "samples"
    for function, name in [
        (rankrate.pairwise, "comparisons.csv"),
        (rankrate.spans, "spans.jsonl"),
        (rankrate.rc, "answers.csv"),
    ]:
        assert function(samples / name) == json.loads(command(function.__name__, samples / name, "--json"))
    assert rankrate.protocols([ratings_file, ratings_file]) == json.loads(
        command("protocols", ratings_file, ratings_file, "--json")
    )
