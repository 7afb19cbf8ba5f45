"""A study as a dataset folder, read back by the libraries that it is made for."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
import yaml
from conftest import Command

import rankrate

TEXTS = [
    {
        "source_id": "s1",
        "source": 'One,\n"two".',
        "references": ["Eins 😀.", "日本語"],
        "output": "=1 😀\r\nTwo",
        "system": "a|b",
    },
    {
        "source_id": "s1",
        "source": 'One,\n"two".',
        "output": "",
        "system": "c",
        "ratings": [{"rater": "p", "value": 7.5}],
    },
]


@pytest.fixture(scope="module")
def data(program_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a server with the demonstration study."""
    folder = tmp_path_factory.mktemp("data")
    subprocess.run([program_path, "demo", "--no-metrics", "--data", folder], check=True, capture_output=True)
    return folder


def header_of(card: str) -> dict[str, Any]:
    """The header of a card, of which each of its configs must name a file."""
    _, header, _ = card.split("---\n", 2)
    fields: dict[str, Any] = yaml.safe_load(header)
    return fields


def csv_cell(value: object, text: str) -> object:
    """The text of a CSV cell as a value of the type of another one."""
    if isinstance(value, bool):
        return {"true": True, "false": False}[text]
    return type(value)(text) if isinstance(value, int | float) else text


def test_every_cell_is_that_of_the_tidy_table(
    program: rankrate.Program, command: Command, data: Path, tmp_path: Path
) -> None:
    folder = rankrate.export_dataset("demo", tmp_path / "demo", license="cc-by-4.0", data=data, program=program)
    assert folder == tmp_path / "demo"
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "outputs.parquet", "ratings.parquet"]
    tidy = list(csv.DictReader(io.StringIO(command("export", "demo", "--format", "tidy", "--data", data))))
    ratings = parquet.read_table(folder / "ratings.parquet")
    assert len(tidy) == ratings.num_rows == 268
    names = list(tidy[0])
    assert ratings.column_names[: len(names)] == names
    for row, cells in zip(ratings.to_pylist(), tidy, strict=True):
        for name, text in cells.items():
            value = row[name]
            assert (value is None) == (text == ""), name
            assert value is None or value == csv_cell(value, text), name
    types = {field.name: (field.type, field.nullable) for field in ratings.schema}
    assert types["rater"] == (pa.string(), False)
    assert types["value"] == (pa.float64(), False)
    assert types["z"] == (pa.float64(), True)
    assert types["rank"] == (pa.int64(), False)
    assert types["shared"] == (pa.bool_(), False)
    assert types["recorded_at"] == (pa.timestamp("ms", tz="UTC"), False)
    facts = parquet.read_metadata(folder / "ratings.parquet").metadata
    event = json.loads(
        command("export", "demo", "--format", "tidy", "-o", tmp_path / "t.csv", "--data", data, "--json")
    )
    assert facts[b"rankrate.event"] == str(event["event"]).encode()
    assert facts[b"rankrate.schema"] == b"1"


def test_outputs_are_those_of_the_json_lines(program: rankrate.Program, command: Command, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (tmp_path / "texts.jsonl").write_text("\n".join(json.dumps(row) for row in TEXTS), encoding="utf-8")
    command("study", "create", "texts", "--data", data)
    command("import", "texts", tmp_path / "texts.jsonl", "--data", data)
    folder = rankrate.export_dataset("texts", tmp_path / "texts", language=["de", "en"], data=data, program=program)
    lines = command("export", "texts", "--format", "jsonl", "--data", data).splitlines()
    outputs = parquet.read_table(folder / "outputs.parquet").to_pylist()
    assert len(outputs) == len(lines) == 2
    for row, line in zip(outputs, map(json.loads, lines), strict=True):
        for name in (
            "source_id",
            "source",
            "references",
            "output_id",
            "output",
            "system",
            "kind",
            "twin_of",
            "category",
        ):
            assert row[name] == line[name], name
        assert row["automatic_category"] == line["automatic"]["category"]
    [rating] = parquet.read_table(folder / "ratings.parquet").to_pylist()
    [line] = json.loads(lines[1])["ratings"]
    assert rating["recorded_at"] == datetime.fromisoformat(line["recorded_at"]).astimezone(UTC)
    assert rating["value"] == line["value"] == 7.5
    assert {"low": rating["scale_low"], "high": rating["scale_high"]} == line["scale"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert header_of(card)["language"] == ["de", "en"]
    assert "license" not in header_of(card)
    assert "No licence was given" in card


def test_datasets_reads_the_folder_by_its_card(program: rankrate.Program, data: Path, tmp_path: Path) -> None:
    folder = rankrate.export_dataset("demo", tmp_path / "demo", license="CC-BY-4.0", data=data, program=program)
    cache = str(tmp_path / "cache")
    assert datasets.get_dataset_config_names(str(folder)) == ["ratings", "outputs"]
    # The default is the first.
    ratings = datasets.load_dataset(str(folder), split="train", cache_dir=cache)
    assert len(ratings) == 268
    assert ratings.features["recorded_at"].dtype == "timestamp[ms, tz=UTC]"
    assert all(row["recorded_at"].tzinfo is not None for row in ratings)
    outputs = datasets.load_dataset(str(folder), "outputs", split="train", cache_dir=cache)
    assert len(outputs) == 104
    assert all(isinstance(text, str) for row in outputs for text in row["references"])
    assert set(outputs["kind"]) <= {"machine", "human", "baseline"}

    card = (folder / "README.md").read_text(encoding="utf-8")
    header = header_of(card)
    assert header["pretty_name"] == "Demonstration"
    assert header["license"] == "cc-by-4.0"
    assert header["size_categories"] == ["n<1K"]
    assert [config["data_files"] for config in header["configs"]] == ["ratings.parquet", "outputs.parquet"]
    assert "- 260 ratings, and 8 copies of these at identical outputs" in card
    figures = program.run(["agreement", "--study", "demo", "--bootstrap", "1000", "--data", str(data)])
    alpha = " | ".join(
        f"{part['alpha']:.3f} [{part['interval']['low']:.3f}, {part['interval']['high']:.3f}]"
        for part in (figures["raw"], figures["z"])
    )
    assert f"| overall | {figures['units']} | {figures['pairable_units']} | {alpha} |" in card


def test_a_study_without_outputs_is_a_dataset_without_rows(
    program: rankrate.Program, command: Command, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    command("study", "create", "empty", "--data", data)
    folder = rankrate.export_dataset("empty", tmp_path / "empty", data=data, program=program)
    for name in ("ratings", "outputs"):
        table = parquet.read_table(folder / f"{name}.parquet")
        assert table.num_rows == 0
        assert "source_id" in table.column_names
    # A table without rows is not one that datasets loads.
    assert "configs" not in header_of((folder / "README.md").read_text(encoding="utf-8"))


def test_an_export_replaces_an_earlier_one_and_leaves_other_files_alone(
    program: rankrate.Program, data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    # What a clone of a dataset's repository has, and a table of an earlier export.
    (folder / ".gitattributes").write_text("*.parquet filter=lfs\n")
    (folder / "spans.parquet").write_text("x")
    rankrate.export_dataset("demo", folder, license="mit", data=data, program=program)
    names = [".gitattributes", "README.md", "outputs.parquet", "ratings.parquet"]
    assert sorted(path.name for path in folder.iterdir()) == names
    rankrate.export_dataset("demo", folder, license="cc0-1.0", data=data, program=program)
    assert 'license: "cc0-1.0"' in (folder / "README.md").read_text(encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir()) == names

    (folder / "thesis.txt").write_text("x")
    with pytest.raises(rankrate.ArgumentError, match=r"holds other files, such as thesis\.txt"):
        rankrate.export_dataset("demo", folder, data=data, program=program)
    assert (folder / "thesis.txt").read_text() == "x"
    with pytest.raises(rankrate.ComputationError, match="river"):
        rankrate.export_dataset("river", tmp_path / "new", data=data, program=program)
    assert not (tmp_path / "new").exists()
    with pytest.raises(rankrate.ArgumentError, match="“english” is not a language code"):
        rankrate.export_dataset("demo", tmp_path / "new", language="english", data=data, program=program)
    with pytest.raises(rankrate.ArgumentError, match="-o FOLDER"):
        program.run(["export", "demo", "--format", "dataset", "--data", str(data)])
