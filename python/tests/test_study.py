"""The client of a study against a real server, and against the commands on the same data."""

from __future__ import annotations

import contextlib
import json
import pickle
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import polars
import pytest
from conftest import RATED
from server import TestServer, serve

import rankrate


@pytest.fixture(scope="module")
def server(program_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestServer]:
    with serve(program_path, tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def study(server: TestServer) -> rankrate.Study:
    return rankrate.Study(server.study, server.token("--all-studies", "--write"))


def test_data_comes_as_frames(study: rankrate.Study) -> None:
    info = study.info()
    assert info["slug"] == "river"
    assert info["writable"]
    sources, outputs, ratings = study.sources(), study.outputs(), study.ratings()
    assert set(RATED) <= set(sources["text"])
    assert len(ratings) == 24
    assert set(ratings["output"]) <= set(outputs.index)
    first = ratings.merge(outputs[["text"]], left_on="output", right_index=True).iloc[0]
    assert first["text"] in RATED[sources.loc[first["source"], "text"]].values()
    assert study.ratings(since=ratings.attrs["event"]).empty
    # The reference names the columns; raters here are in no group.
    for frame, method in [(sources, study.sources), (outputs, study.outputs), (ratings, study.ratings)]:
        described = (method.__doc__ or "").partition("Returns:")[2].partition("attrs")[0]
        columns = set(re.findall(r"``([a-z_]+)``", described)) - {"group"}
        assert len(columns) > 5
        assert columns <= set(frame.columns), columns - set(frame.columns)


def test_lists_end_where_others_sources_come_last(server: TestServer, study: rankrate.Study) -> None:
    server.run("demo", "--no-metrics")
    demo = rankrate.Study(f"{server.address}/s/demo", server.token(person="lead"))
    assert (len(demo.outputs()), len(demo.ratings())) == (104, 268)
    assert not demo.sources().empty


def test_a_page_that_comes_again_and_again_is_an_error(study: rankrate.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    page = {"event": 1, "outputs": [{"id": "a"}], "next": "1.1"}
    monkeypatch.setattr(study, "_get", lambda *_, **__: page)
    with pytest.raises(rankrate.ServerError, match="the same page of outputs"):
        study.outputs()


def test_figures_are_those_of_the_commands(study: rankrate.Study, server: TestServer) -> None:
    options = ["--study", "river", "--json"]
    printed = json.loads(server.run("agreement", *options, "--by", "system", "--bootstrap", "200"))
    frame = study.agreement(by="system", bootstrap=200)
    # The API has a version of its own, so that its figures name no schema.
    assert {"schema": "agreement/1"} | frame.attrs["report"] == printed
    assert frame.loc["all", "raw_alpha"] == printed["raw"]["alpha"]
    printed = json.loads(server.run("systems", *options))
    frame = study.systems()
    assert {"schema": "systems/1"} | frame.attrs["report"] == printed
    assert list(frame.index) == ["A", "B"]
    assert study.systems(by="category")["raw_outputs"].sum() == 8


def test_rows_and_scores_go_in(study: rankrate.Study) -> None:
    before = study.outputs()
    new = pd.DataFrame(
        {
            "source": [*RATED, "Nur im neuen System: Ærø 😀."],
            "output": ["It went down.", "It rained.", "No plan.", "Es sank.", "Neu."],
            "system": "C",
            "kind": "machine",
            "references": [["The ship sank."], [], [], [], ["Auf Ærø."]],
        }
    )
    [job] = study.add_outputs(new, strict=True)
    assert job["state"] == "done"
    after = study.outputs(since=before.attrs["event"])
    added = after[after["system"] == "C"]
    assert sorted(added["text"]) == sorted(new["output"])
    sources = study.sources().set_index("text")
    assert sources.loc["Nur im neuen System: Ærø 😀.", "references"] == ["Auf Ærø."]

    values = pd.Series(range(len(added)), index=added.index, dtype=float)
    [job] = study.add_scores("taste", values, direction="lower-is-better", version="v1")
    assert job["result"]
    scores = study.scores().query("name == 'taste'").set_index("output")["value"]
    assert scores.to_dict() == values.to_dict()
    [metric] = [metric for metric in study.scores().attrs["metrics"] if metric["name"] == "taste"]
    assert metric["direction"] == "lower-is-better"
    study.add_scores("taste", {added.index[0]: -1.0}, direction="lower-is-better", version="v1")
    assert study.scores().query("name == 'taste'").set_index("output").loc[added.index[0], "value"] == -1.0


def test_tables_of_other_libraries_and_missing_scores_go_in(study: rankrate.Study, tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            # pandas takes such names for numbers.
            "source_id": [101, 102],
            "source": ["A first source of a table.", "A second source of a table."],
            "output": ["First.", "Second."],
            "system": "T",
            "references": [["One."], ["Two.", "Zwei ö."]],
        }
    )
    table.to_parquet(tmp_path / "table.parquet")
    tables = [table, pd.read_parquet(tmp_path / "table.parquet"), polars.from_pandas(table)]
    for number, given in enumerate([*tables, datasets.Dataset.from_pandas(table)]):
        name = f"T{number}"
        given = given.with_columns(system=polars.lit(name)) if isinstance(given, polars.DataFrame) else given
        given = given.assign(system=name) if isinstance(given, pd.DataFrame) else given
        [job] = study.add_outputs(given)
        assert job["result"]["imported"]["bad"] == 0, type(given)
    sources = study.sources().set_index("source_id")
    assert sources.loc["102", "references"] == ["Two.", "Zwei ö."]
    outputs = study.outputs().query("source_id in ['101', '102']")
    assert sorted(set(outputs["system"])) == ["T", "T0", "T1", "T2"]

    values = pd.Series([0.5, float("nan"), None], index=outputs.index[:3])
    study.add_scores("with-gaps", values)
    assert study.scores().query("name == 'with-gaps'")["value"].tolist() == [0.5]
    with pytest.raises(rankrate.ArgumentError, match="is infinite"):
        study.add_scores("with-gaps", {outputs.index[0]: float("inf")})
    for wrong in (polars.Series([1.0]), [1.0], table):
        with pytest.raises(TypeError, match=f"scores is a {type(wrong).__name__}: give a series"):
            study.add_scores("with-gaps", wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="outputs is a PosixPath: give a frame"):
        study.add_outputs(tmp_path / "table.parquet")


def test_ratings_of_a_study_have_its_figures(server: TestServer) -> None:
    server.run("demo", "--no-metrics")
    demo = rankrate.Study(f"{server.address}/s/demo", server.token(person="lead"))
    expected, ratings = demo.agreement(by="system"), demo.ratings()
    figures = rankrate.agreement(ratings, by="system")
    # A rating that stands for an identical output's is no rating of its own.
    assert ratings["shared"].any()
    assert len(figures) > 20
    expected = expected.loc[figures.index]
    assert figures["raw_alpha"].to_dict() == pytest.approx(expected["raw_alpha"].to_dict())
    assert figures["units"].to_dict() == expected["units"].to_dict()
    assert rankrate.systems(ratings)["raw_mean"].to_dict() == pytest.approx(demo.systems()["raw_mean"].to_dict())
    texts = demo.outputs()[["text", "category", "automatic_category"]]
    with_texts = ratings.merge(texts, left_on="output", right_index=True)
    categories = rankrate.agreement(with_texts, by="category")["raw_alpha"]
    assert categories.to_dict() == pytest.approx(demo.agreement(by="category")["raw_alpha"].to_dict())
    assert pickle.loads(pickle.dumps(demo)).info()["slug"] == "demo"


def test_imports_have_a_bar(study: rankrate.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[dict[str, Any]] = []

    @contextlib.contextmanager
    def bars(wanted: bool) -> Iterator[Any]:
        yield drawn.append if wanted else None

    monkeypatch.setattr("rankrate._study.progress_bars", bars)
    frame = pd.DataFrame({"source": [f"A bar of {n}." for n in range(1500)], "output": "Bar.", "system": "P"})
    assert len(study.add_outputs(frame, progress=True)) == 2
    assert [(bar["done"], bar["total"]) for bar in drawn] == [(1000, 1500), (1500, 1500)]


def test_a_strict_import_that_adds_nothing_raises(study: rankrate.Study) -> None:
    before = len(study.outputs())
    good = {"source": "A new one.", "output": "New.", "system": "D"}
    too_long = "a" * 501
    frame = pd.DataFrame([good, good | {"output": too_long}, good | {"output": f"b {too_long}"}])
    with pytest.raises(rankrate.ServerError, match="nothing of the rows 1 to 3 was added") as caught:
        study.add_outputs(frame, strict=True)
    assert "row 2: the output has a word of more than 500 letters" in str(caught.value)
    assert len(study.outputs()) == before
    [job] = study.add_outputs(frame)
    assert job["result"]["imported"]["bad"] == 2


def test_the_dataset_is_saved(study: rankrate.Study, tmp_path: Path) -> None:
    study.export("tidy", tmp_path / "tidy.zip")
    with zipfile.ZipFile(tmp_path / "tidy.zip") as archive:
        assert archive.testzip() is None
        assert any(name.endswith(".csv") for name in archive.namelist())


def test_refusals_are_errors_with_a_sentence(server: TestServer, study: rankrate.Study) -> None:
    reading = rankrate.Study(server.study, server.token("--study", "river"))
    with pytest.raises(rankrate.ServerError, match="only reads") as caught:
        reading.add_scores("taste", {"00000000-0000-7000-8000-000000000000": 1.0})
    assert caught.value.status == 403
    with pytest.raises(rankrate.ServerError, match="does not exist") as caught:
        rankrate.Study(f"{server.address}/s/lake", server.token()).info()
    assert caught.value.status == 404
    with pytest.raises(rankrate.ServerError, match="does not work") as caught:
        rankrate.Study(server.study, "rankrate_nothing").info()
    assert caught.value.status == 401
    with pytest.raises(rankrate.ServerError, match="no ratings on"):
        study.systems(dimension="taste")
    with pytest.raises(rankrate.ServerError, match="cannot be reached"):
        rankrate.Study("http://127.0.0.1:9/s/river", "rankrate_nothing", timeout=5).info()
    with pytest.raises(rankrate.ArgumentError, match="column “system”"):
        study.add_outputs(pd.DataFrame({"source": ["a"], "output": ["b"]}))


@pytest.mark.parametrize(
    ("url", "token"),
    [("river", "rankrate_a"), ("ftp://a/s/river", "rankrate_a"), ("http://a/studies", "rankrate_a")]
    + [("http://a/s/river", token) for token in ("", "secret", "rankrate_a\n", "rankrate_a b")],
)
def test_wrong_addresses_and_tokens_are_named(url: str, token: str) -> None:
    with pytest.raises(rankrate.ArgumentError):
        rankrate.Study(url, token)


def test_a_token_is_not_shown(server: TestServer) -> None:
    token = server.token()
    assert token not in repr(rankrate.Study(server.study, token))
