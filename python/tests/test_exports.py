"""Every format of ``rankrate export``, read by pandas, Polars and ``datasets``.

The formats are those that the command lists, so that a new one is read without a line here. What a column holds is what
the command's own schema says, and Python's own readers say what a file holds; figures are those of the study.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import datasets
import pandas as pd
import polars
import pytest
from server import TestServer, serve
from test_reports import of_column, typed

import rankrate

Rows: TypeAlias = list[dict[str, Any]]
Kind = Literal["string", "number", "integer", "boolean"]

# Texts that a careless writer or reader breaks.
HARD_TEXTS = [
    'He said "no", and\tleft;\nshe stayed.',
    "=SUM(A1) 😀 naïve façade, 日本語, Ελληνικά",
    "NA",
    "null",
    "'quoted' \\n is no line end",
    "007",
    '"',
    "",
]
# The formats that hold such texts.
HARD_FORMATS = ["simpeval-past", "simpeval-2022", "jsonl", "dataset"]


@dataclass(frozen=True)
class Exports:
    """A server with the demonstration and a study of hard texts, and their exports in every format."""

    server: TestServer
    folder: Path
    formats: list[str]

    def path(self, study: str, name: str) -> Path:
        """The table of a study in a format; for a dataset the folder."""
        return self.folder / study / name / "table"

    def schema(self, name: str) -> dict[str, Any]:
        """What the program says of a row, a line or a whole file."""
        schema: dict[str, Any] = json.loads(self.server.run("schema", f"export-{name}"))
        return schema

    def tables(self) -> list[tuple[Path, dict[str, Kind], str]]:
        """Each table of text with the kinds of its columns, and what separates its cells."""
        found = []
        for path in self.files():
            first = path.read_text("utf-8").partition("\n")[0]
            separator = "\t" if "\t" in first else ","
            if first and not first.startswith(("{", "[")):
                names, schema = next(csv.reader([first], delimiter=separator)), self.schema(path.parent.name)
                found.append((path, {column: kind_of(of_column(schema, column)) for column in names}, separator))
        return found

    def lines(self) -> list[Path]:
        """Each file with a line of JSON for each row."""
        return [path for path in self.files() if path.read_text("utf-8").startswith("{")]

    def files(self) -> list[Path]:
        """All that were exported as one file."""
        return [path for path in sorted(self.folder.glob("*/*/table")) if path.is_file()]


@pytest.fixture(scope="module")
def exports(program_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exports]:
    folder = tmp_path_factory.mktemp("exports")
    rows = [
        {
            "source_id": f"{number:03}",
            "source": f"{text} Source {number}.",
            "output": text,
            "system": "a|b, “c”",
            "ratings": [{"rater": "01", "value": 10 * number + 0.5}] if number % 2 else [],
        }
        for number, text in enumerate(HARD_TEXTS)
    ]
    (folder / "hard.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with serve(program_path, folder) as server:
        server.run("demo", "--no-metrics")
        server.run("study", "create", "hard")
        server.run("import", "hard", str(folder / "hard.jsonl"))
        server.run("user", "role", "lea", "demo", "lead")
        add_scores(server)
        done = subprocess.run([program_path, "export", "--help"], capture_output=True, text=True, check=True)
        listed = re.search(r"Possible values:\n(.*?)\n\n", done.stdout, re.DOTALL)
        assert listed is not None
        exports = Exports(server, folder, re.findall(r"^ +- ([\w-]+):", listed[1], re.MULTILINE))
        assert len(exports.formats) > 10
        demo = rankrate.Study(f"{server.address}/s/demo", server.token("--all-studies"))
        for name in exports.formats:
            demo.export(name, folder / "archive.zip")
            unpack(folder / "archive.zip", exports.path("demo", name))
        for name in HARD_FORMATS:
            exports.path("hard", name).parent.mkdir(parents=True)
            server.run("export", "hard", "--format", name, "-o", str(exports.path("hard", name)))
        yield exports


def unpack(archive: Path, table: Path) -> None:
    """Puts the table of an archive in its place; of a dataset, which is a folder, all files."""
    table.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive) as packed:
        assert packed.testzip() is None
        files = {Path(name).name: packed.read(name) for name in packed.namelist()}
    if any(name.endswith(".parquet") for name in files):
        table.mkdir()
        for name, content in files.items():
            (table / name).write_bytes(content)
    else:
        [content] = [files[name] for name in files if not name.endswith((".md", ".raters.csv", ".signatures.csv"))]
        table.write_bytes(content)


def add_scores(server: TestServer) -> None:
    """Gives the outputs of the demonstration scores, of which some are missing."""
    demo = rankrate.Study(f"{server.address}/s/demo", server.token("--all-studies", "--write"))
    outputs = demo.outputs()
    length = outputs["text"].str.len().astype(float)
    demo.add_scores("length", length[::2], direction="neither")
    demo.add_scores("ratio", length / 7, direction="higher-is-better")


def kind_of(schema: dict[str, Any]) -> Kind:
    """What a column holds where it holds anything."""
    kinds: list[Kind] = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return kinds[0]


def expected_rows(path: Path, kinds: dict[str, Kind], separator: str) -> Rows:
    """The rows of a table by Python's own reader; an empty cell is one without a value."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=separator))
    return [
        {name: None if cell == "" else typed(cell, {"type": kinds[name]}) for name, cell in row.items()} for row in rows
    ]


def read_by_pandas(path: Path, kinds: dict[str, Kind], separator: str) -> Rows:
    texts = {name: "str" for name, kind in kinds.items() if kind == "string"}
    frame = pd.read_csv(path, sep=separator, dtype=texts, keep_default_na=False, na_values=[""])
    for name, kind in kinds.items():
        if not frame[name].isna().all():
            assert pd.api.types.is_numeric_dtype(frame[name]) == (kind != "string"), (path, name)
    return records(frame)


def records(frame: pd.DataFrame) -> Rows:
    """The rows of a frame, in which nothing stands for what is missing."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def read_by_polars(path: Path, kinds: dict[str, Kind], separator: str) -> Rows:
    types = {"string": polars.String, "number": polars.Float64, "integer": polars.Int64, "boolean": polars.Boolean}
    schema = {name: types[kind] for name, kind in kinds.items()}
    return polars.read_csv(path, separator=separator, schema_overrides=schema).to_dicts()


def read_by_datasets(path: Path, kinds: dict[str, Kind], separator: str) -> Rows:
    types = {"string": "string", "number": "float64", "integer": "int64", "boolean": "bool"}
    features = datasets.Features({name: datasets.Value(types[kind]) for name, kind in kinds.items()})
    cache = str(path.parent / "cache")
    table = datasets.load_dataset(
        "csv",
        data_files=str(path),
        split="train",
        cache_dir=cache,
        features=features,
        sep=separator,
        keep_default_na=False,
        na_values=[""],
    )
    rows: Rows = table.to_list()
    return rows


@pytest.mark.parametrize("read", [read_by_pandas, read_by_polars, read_by_datasets])
def test_tables_are_read_to_the_last_cell(exports: Exports, read: Callable[[Path, dict[str, Kind], str], Rows]) -> None:
    tables = exports.tables()
    assert len(tables) > 10
    for path, kinds, separator in tables:
        rows = expected_rows(path, kinds, separator)
        # A table without rows is not one that datasets loads.
        if rows or read is not read_by_datasets:
            assert read(path, kinds, separator) == rows, path


def test_lines_are_read_to_the_last_key(exports: Exports) -> None:
    paths = exports.lines()
    assert paths
    for path in paths:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        plain = {key for key, value in lines[0].items() if not isinstance(value, list | dict)}
        lists = {key for key, value in lines[0].items() if isinstance(value, list)}
        cache = str(path.parent / "cache")
        tables: dict[str, Rows] = {
            "pandas": records(pd.read_json(path, lines=True, dtype=False)),
            "polars": polars.read_ndjson(path, infer_schema_length=None).to_dicts(),
            "datasets": datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=cache).to_list(),
        }
        for library, rows in tables.items():
            assert len(rows) == len(lines), (library, path)
            for row, line in zip(rows, lines, strict=True):
                assert {key: row[key] for key in plain} == {key: line[key] for key in plain}, (library, path)
                assert {key: len(row[key]) for key in lists} == {key: len(line[key]) for key in lists}, (library, path)


def test_texts_come_out_as_they_went_in(exports: Exports) -> None:
    lines = [json.loads(line) for line in exports.path("hard", "jsonl").read_text("utf-8").splitlines()]
    assert [line["output"] for line in lines] == HARD_TEXTS
    assert [line["source_id"] for line in lines] == [f"{number:03}" for number in range(len(HARD_TEXTS))]
    [table] = [table for table in exports.tables() if table[0] == exports.path("hard", "simpeval-past")]
    rows = read_by_pandas(*table)
    assert [row["generation"] or "" for row in rows] == HARD_TEXTS
    assert [row["rating_1"] for row in rows] == [10 * n + 0.5 if n % 2 else None for n in range(len(HARD_TEXTS))]
    outputs = pd.read_parquet(exports.path("hard", "dataset") / "outputs.parquet")
    assert outputs["output"].tolist() == HARD_TEXTS
    assert outputs["source_id"].tolist() == [f"{number:03}" for number in range(len(HARD_TEXTS))]


def test_figures_of_the_tables_are_those_of_the_study(exports: Exports) -> None:
    report = json.loads(exports.server.run("systems", "--study", "demo", "--json"))["rankings"][0]["systems"]
    means = {system["system"]: system["raw"]["mean"] for system in report}
    tidy, folder = exports.path("demo", "tidy"), exports.path("demo", "dataset")
    cache = str(exports.folder / "cache")
    tables = {
        "pandas, CSV": pd.read_csv(tidy),
        "Polars, CSV": polars.read_csv(tidy).to_pandas(),
        "datasets, CSV": datasets.load_dataset("csv", data_files=str(tidy), split="train", cache_dir=cache).to_pandas(),
        "pandas, Parquet": pd.read_parquet(folder / "ratings.parquet"),
        "Polars, Parquet": polars.read_parquet(folder / "ratings.parquet").to_pandas(),
        "datasets, folder": datasets.load_dataset(str(folder), "ratings", split="train", cache_dir=cache).to_pandas(),
    }
    for name, table in tables.items():
        assert (len(table), int((~table["shared"]).sum())) == (268, 260), name
        of_outputs = table.groupby(["system", "output_id"])["value"].mean()
        assert of_outputs.groupby("system").mean().to_dict() == pytest.approx(means), name
        assert pd.api.types.is_float_dtype(table["z"]), name
        assert table["final_value"].isna().all(), name
    scores = pd.read_csv(exports.path("demo", "metric-scores"))
    outputs = pd.read_parquet(folder / "outputs.parquet").set_index("output_id")["output"]
    assert scores.set_index("output_id")["ratio"].to_dict() == pytest.approx((outputs.str.len() / 7).to_dict())
    assert scores["length"].notna().sum() == len(outputs) / 2


def test_the_command_writes_what_archives_hold(exports: Exports, tmp_path: Path) -> None:
    for name in ("tidy", "jsonl"):
        exports.server.run("export", "demo", "--format", name, "-o", str(tmp_path / name))
        assert (tmp_path / name).read_bytes() == exports.path("demo", name).read_bytes()


def test_formats_that_are_no_tables_are_read_by_their_readers(exports: Exports) -> None:
    known = {path for path, *_ in exports.tables()} | set(exports.lines())
    for name in exports.formats:
        path = exports.path("demo", name)
        text = path.read_text("utf-8") if path.is_file() else ""
        if path in known or path.is_dir() or not text:
            continue
        assert isinstance(json.loads(text), list), name
    # What measures an aligner takes the alignments that annotators corrected.
    alignments = exports.path("demo", "alignments")
    report = json.loads(exports.server.run("align", "eval", str(alignments), "--grade", "string", "--json"))
    assert report["pairs"] == len(alignments.read_text("utf-8").splitlines()) - 1 > 0
