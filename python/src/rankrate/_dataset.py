"""A study as a folder that ``datasets.load_dataset`` reads: Parquet files and a dataset card."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._program import Program, StrPath, shared_program
from .errors import ArgumentError

if TYPE_CHECKING:
    import pyarrow as pa

# What a column holds, for the card.
_OUTPUT_COLUMNS = {
    "source_id": "the name of the source in the study",
    "source": "the text that was simplified",
    "context_before": "the text before the source in its document, where it is known",
    "context_after": "the text after the source in its document, where it is known",
    "references": "simplifications of the source by people",
    "output_id": "the output, the same in all files and exports",
    "output": "the simplification that was judged",
    "system": "the system, or the person, that wrote it",
    "kind": "whether that is a machine, a human or a baseline",
    "twin_of": "the identical output of the same source that was judged in place of this one",
    "category": "split, deletion or paraphrase, as most of those who judged it chose",
    "automatic_category": "the category that the program suggested",
}
_RATING_COLUMNS = {
    "source_id": "the name of the source in the study",
    "source": "the text that was simplified",
    "output_id": "the output, the same in all files and exports",
    "output": "the simplification that was judged",
    "system": "the system, or the person, that wrote it",
    "kind": "whether that is a machine, a human or a baseline",
    "category": "split, deletion or paraphrase, as most of those who judged it chose",
    "rater": "the annotator's pseudonym",
    "dimension": "what was rated",
    "value": "the rating",
    "scale_low": "the lowest rating that is possible",
    "scale_high": "the highest rating that is possible",
    "z": "(rating − mean)/standard deviation of the rater on this dimension, population standard deviation",
    "shared": "whether it is a copy of the rating of the identical output, which counts once for agreement",
    "recorded_at": "when the rating was given, UTC",
}
_SCORE = "score_"
# The sizes by which the Hugging Face hub sorts datasets.
_SIZES = [(1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")]


def export_dataset(
    study: str,
    folder: StrPath,
    *,
    license: str,
    language: str | Sequence[str] = "en",
    data: StrPath | None = None,
    database_url: str | None = None,
    program: Program | None = None,
) -> Path:
    """Write a study as a dataset: ``ratings.parquet``, ``outputs.parquet`` and a card, ``README.md``.

    ``datasets.load_dataset(folder, "ratings")`` reads it, and so does the Hugging Face hub. It has what annotators
    submitted, under their pseudonyms, and none of their notes and replies, which may name people. Read it before you
    publish it.

    Args:
        study: The study, by its short name.
        folder: Where to; it is made if it is missing, and must hold no other files than those of an earlier export.
        license: The licence of the dataset, as the hub names it, such as ``cc-by-4.0``.
        language: The language of the texts, or several, as ISO 639-1 names them.
        data: The data folder of the server; by default that of its settings.
        database_url: Its database, where that is another one than the file in the data folder.
        program: The program to run.

    Returns:
        The folder.

    Raises:
        ImportError: pyarrow is missing: ``pip install "rankrate[dataset]"``.
        ArgumentError: The folder holds other files.
        ComputationError: There is no such study, or the program cannot read it.
    """
    import pyarrow.parquet as parquet

    target = Path(folder)
    names = {"ratings.parquet", "outputs.parquet", "README.md"}
    others = [path.name for path in target.iterdir() if path.name not in names] if target.exists() else []
    if others:
        raise ArgumentError(f"{target} holds other files, such as {others[0]}: name an empty folder")
    runner = program or shared_program()
    place = [] if data is None else ["--data", os.fspath(data)]
    place += [] if database_url is None else ["--database-url", database_url]

    with tempfile.TemporaryDirectory(prefix="rankrate-") as name:
        file = Path(name) / "study.jsonl"
        exported = runner.run([*place, "export", study, "--format", "jsonl", "-o", str(file)])
        with file.open(encoding="utf-8") as lines:
            outputs = [json.loads(line) for line in lines]
    described = runner.run([*place, "study", "show", study])
    agreement = runner.run([*place, "agreement", "--study", study, "--by", "dimension"]) if exported["ratings"] else {}

    tables = {"ratings": _ratings_table(outputs), "outputs": _outputs_table(outputs)}
    target.mkdir(parents=True, exist_ok=True)
    for table_name, table in tables.items():
        parquet.write_table(table, target / f"{table_name}.parquet")
    languages = [language] if isinstance(language, str) else list(language)
    card = _card(described, exported, agreement, tables, license, languages, runner.version())
    (target / "README.md").write_text(card, encoding="utf-8", newline="\n")
    return target


def _ratings_table(outputs: Iterable[Mapping[str, Any]]) -> pa.Table:
    import pyarrow as pa

    schema = pa.schema(
        [pa.field(name, pa.string()) for name in ("source_id", "source", "output_id", "output", "system", "kind")]
        + [pa.field(name, pa.string()) for name in ("category", "rater", "dimension")]
        + [pa.field(name, pa.float64()) for name in ("value", "scale_low", "scale_high", "z")]
        + [pa.field("shared", pa.bool_()), pa.field("recorded_at", pa.timestamp("ms", tz="UTC"))]
    )
    rows = [
        {
            name: output.get(name)
            for name in ("source_id", "source", "output_id", "output", "system", "kind", "category")
        }
        | {name: rating[name] for name in ("rater", "dimension", "z", "shared")}
        | {"value": rating["value"], "scale_low": rating["scale"]["low"], "scale_high": rating["scale"]["high"]}
        | {"recorded_at": _timestamp(rating["recorded_at"])}
        for output in outputs
        for rating in output["ratings"]
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def _outputs_table(outputs: Sequence[Mapping[str, Any]]) -> pa.Table:
    import pyarrow as pa

    metrics = sorted({name for output in outputs for name in output.get("metric_scores", {})})
    strings = [name for name in _OUTPUT_COLUMNS if name != "references"]
    fields = [
        pa.field(name, pa.list_(pa.string()) if name == "references" else pa.string()) for name in _OUTPUT_COLUMNS
    ]
    schema = pa.schema(fields + [pa.field(_SCORE + name, pa.float64()) for name in metrics])
    rows = [
        {name: output.get(name) for name in strings}
        | {"references": output["references"], "automatic_category": output["automatic"]["category"]}
        | {_SCORE + name: output.get("metric_scores", {}).get(name) for name in metrics}
        for output in outputs
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def _timestamp(text: str) -> Any:
    from datetime import datetime

    return datetime.fromisoformat(text)


def _card(
    described: Mapping[str, Any],
    exported: Mapping[str, Any],
    agreement: Mapping[str, Any],
    tables: Mapping[str, pa.Table],
    license: str,
    languages: Sequence[str],
    version: str,
) -> str:
    settings = described["settings"]
    ratings, outputs = tables["ratings"], tables["outputs"]
    size = next((name for most, name in _SIZES if outputs.num_rows < most), "n>1M")
    header = [
        "---",
        # JSON is YAML, whatever is in the texts.
        f"pretty_name: {json.dumps(described['name'], ensure_ascii=False)}",
        f"license: {json.dumps(license)}",
        f"language: {json.dumps(languages)}",
        "task_categories: [text-generation]",
        "tags: [text-simplification, human-evaluation, rank-and-rate]",
        f"size_categories: [{size}]",
        "configs:",
        "- config_name: ratings\n  data_files: ratings.parquet\n  default: true",
        "- config_name: outputs\n  data_files: outputs.parquet",
        "---",
    ]
    counts = [
        f"- {_count(ratings.num_rows - exported['shared_ratings'], 'rating')}"
        + (
            f", and {exported['shared_ratings']} copies of these at identical outputs"
            if exported["shared_ratings"]
            else ""
        ),
        f"- {_count(outputs.num_rows, 'output')} of {_count(_distinct(outputs, 'source_id'), 'source')}",
        f"- {_count(_distinct(outputs, 'system'), 'system')}",
        f"- {_count(_distinct(ratings, 'rater'), 'rater')}",
    ]
    steps = ", then ".join(f"*{step}*" for step in settings["protocol"])
    scales = [
        f"- {dimension['name']}: {dimension['scale']['low']} to {dimension['scale']['high']}"
        for dimension in settings["dimensions"]
    ]
    parts = [
        "\n".join(header),
        f"# {described['name']}",
        f"People's judgements of text simplifications, collected with Rank & Rate {version}; the state of the study "
        f"`{described['study']}` at its event number {exported['event']}.",
        "## What is in it",
        "\n".join(counts),
        '```python\nfrom datasets import load_dataset\n\nratings = load_dataset(FOLDER, "ratings", split="train")\n```',
        "## How it was collected",
        f"Annotators judged all outputs of a source before the next source, in these steps: {steps}. Each source was "
        f"planned for {_count(settings['overlap'], 'annotator')}. The numbers that they could give:",
        "\n".join(scales),
        "The dataset has what annotators submitted, as it was last changed. Sources for training, qualification and "
        "attention checks are left out, and so is everything of people who withdrew. Annotators are numbered and not "
        "named; their notes are not part of it. Raters of imported ratings are called as in their files, and simulated "
        "ones say that they are.",
        "## Agreement",
        _agreement_table(agreement),
        "## Columns of ratings",
        _column_list(ratings.column_names, _RATING_COLUMNS),
        "## Columns of outputs",
        _column_list(outputs.column_names, _OUTPUT_COLUMNS),
        "## Licence",
        f"{license}. Texts keep the rights of their authors.",
    ]
    return "\n\n".join(parts) + "\n"


def _agreement_table(agreement: Mapping[str, Any]) -> str:
    if not agreement:
        return "There are no ratings."
    lines = [
        "Krippendorff's α (interval) of ratings and z-scores. Identical outputs of a source are one unit.",
        "",
        "| dimension | α of ratings | α of z-scores | outputs with two ratings or more |",
        "|---|---|---|---|",
    ]
    for name, part in agreement.get("parts", {}).items():
        lines.append(f"| {name} | {_alpha(part['raw'])} | {_alpha(part['z'])} | {part['pairable_units']} |")
    return "\n".join(lines)


def _alpha(estimate: Mapping[str, Any]) -> str:
    alpha = estimate["alpha"]
    return f"undefined: {estimate['undefined']}" if alpha is None else f"{alpha:.3f}"


def _column_list(names: Iterable[str], described: Mapping[str, str]) -> str:
    return "\n".join(
        f"- `{name}`: {described.get(name) or 'the score by the metric ' + name.removeprefix(_SCORE)}" for name in names
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _distinct(table: pa.Table, column: str) -> int:
    return len(set(table.column(column).to_pylist()))
