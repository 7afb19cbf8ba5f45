"""A study as a dataset folder, read back by the library that it is made for."""

from __future__ import annotations

import csv
import io
import subprocess
from pathlib import Path

import datasets
import pyarrow.parquet as parquet
import pytest
from conftest import Command

import rankrate


@pytest.fixture(scope="module")
def data(program_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a server with the demonstration study."""
    folder = tmp_path_factory.mktemp("data")
    subprocess.run([program_path, "demo", "--no-metrics", "--data", folder], check=True, capture_output=True)
    return folder


def test_a_study_becomes_a_folder_that_datasets_reads(
    program: rankrate.Program, command: Command, data: Path, tmp_path: Path
) -> None:
    folder = rankrate.export_dataset("demo", tmp_path / "demo", license="cc-by-4.0", data=data, program=program)
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "outputs.parquet", "ratings.parquet"]
    tidy = list(csv.DictReader(io.StringIO(command("export", "demo", "--format", "tidy", "--data", data))))
    cache = tmp_path / "cache"
    ratings = datasets.load_dataset(str(folder), "ratings", split="train", cache_dir=str(cache))
    key = ["output_id", "rater", "dimension"]
    written = {tuple(row[name] for name in key): (row["value"], row["z"]) for row in tidy}
    assert len(ratings) == len(written) == len(tidy) == 268
    for row in ratings:
        value, z = written[tuple(row[name] for name in key)]
        assert row["value"] == float(value)
        assert (row["z"] is None) == (z == "")
        assert row["z"] is None or row["z"] == float(z)
        assert row["recorded_at"].tzinfo is not None
    outputs = datasets.load_dataset(str(folder), "outputs", split="train", cache_dir=str(cache))
    assert len(outputs) == 104
    assert all(isinstance(text, str) for row in outputs for text in row["references"])
    assert set(outputs["kind"]) <= {"machine", "human", "baseline"}
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith('---\npretty_name: "Demonstration"\nlicense: "cc-by-4.0"\n')
    assert "- 260 ratings, and 8 copies of these at identical outputs" in card
    alpha = program.run(["--data", str(data), "agreement", "--study", "demo"])["raw"]["alpha"]
    assert f"| overall | {alpha:.3f} |" in card
    for table in ("ratings", "outputs"):
        for column in parquet.read_schema(folder / f"{table}.parquet").names:
            assert f"- `{column}`: " in card
    # A second export replaces the first.
    rankrate.export_dataset("demo", folder, license="cc0-1.0", data=data, program=program)
    assert '"cc0-1.0"' in (folder / "README.md").read_text(encoding="utf-8")


def test_other_files_are_left_alone_and_a_missing_study_is_named(
    program: rankrate.Program, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(rankrate.ArgumentError, match=r"holds other files, such as thesis\.txt"):
        rankrate.export_dataset("demo", tmp_path, license="mit", data=data, program=program)
    with pytest.raises(rankrate.ComputationError, match="river"):
        rankrate.export_dataset("river", tmp_path / "new", license="mit", data=data, program=program)
    assert not (tmp_path / "new").exists()
