"""Figures of ratings in pandas frames, by the program's own commands."""

from __future__ import annotations

import json
import math
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._program import Program, StrPath, shared_program
from .errors import ArgumentError, RankrateWarning

if TYPE_CHECKING:
    import pandas as pd

References: TypeAlias = "Mapping[str, Sequence[str]] | StrPath"
"""References by the text of their source, or a folder or file that has them, as for ``rankrate score``."""

Ratings: TypeAlias = "pd.DataFrame | StrPath | Any"
"""Ratings: a frame of pandas, a table that becomes one by its method ``to_pandas`` (Polars, Arrow, ``datasets``), or a
file: any that the commands read, among them an export and the folder of a dataset."""

# The fields of a row of ratings; of these the first five are needed.
_FIELDS = ("source", "output", "system", "rater", "rating", "dimension", "category", "source_id")
_NEEDED = _FIELDS[:5]


def agreement(
    ratings: Ratings,
    *,
    level: Literal["nominal", "ordinal", "interval", "ratio"] = "interval",
    by: Literal["category", "system", "dimension"] | None = None,
    bootstrap: int | None = None,
    seed: int | None = None,
    unit: Literal["source", "output"] = "source",
    dimension: str | None = None,
    scale: str | None = None,
    columns: Mapping[str, str] | None = None,
    program: Program | None = None,
) -> pd.DataFrame:
    """Krippendorff's alpha of ratings, on raw ratings and on z-scores of each rater.

    Args:
        ratings: One rating a row, with the columns ``source``, ``output``, ``system``, ``rater`` and ``rating``, and
            where there are some ``dimension``, ``category`` (split, deletion or paraphrase) and ``source_id``. Rows
            without a rating count for nothing. The tables of ratings that a study is exported as, and files, are
            taken as they are; see :data:`Ratings`.
        level: How the difference of two values counts.
        by: Also a row for each part.
        bootstrap: How many resamples intervals are drawn from; by default there are none.
        seed: The random seed of the resamples.
        unit: What is resampled: sources with all of their outputs, or outputs.
        dimension: The dimension; by default the first one.
        scale: The numbers that ratings may be, as ``1..5``; by default the usual scale that has them all.
        columns: The names of columns that are called otherwise, as ``{"output": "generation"}``.
        program: The program to run.

    Returns:
        A row for all ratings, ``all``, and one for each part, with ``raw_alpha``, ``z_alpha``, ``units`` and
        ``pairable_units``; with ``bootstrap`` also the ends of their 95 % intervals, as ``raw_interval_low``.
        What is undefined is ``nan``, with the reason in ``raw_undefined`` or ``z_undefined``. ``attrs["report"]`` has
        the whole report of ``rankrate agreement --json``.

    Raises:
        TypeError: The ratings are neither a table nor a file.
        ArgumentError: A column is missing, or an argument is wrong.
        ComputationError: The ratings cannot be read; the message says why.
    """
    options = ["--level", level]
    options += _options(by=by, bootstrap=bootstrap, dimension=dimension, scale=scale)
    if bootstrap is not None:
        options += [*_options(seed=seed), "--unit", unit]
    report = run_on_ratings("agreement", ratings, columns, options, program)
    return agreement_frame(report)


def systems(
    ratings: Ratings,
    *,
    by: Literal["category"] | None = None,
    dimension: str | None = None,
    scale: str | None = None,
    columns: Mapping[str, str] | None = None,
    program: Program | None = None,
) -> pd.DataFrame:
    """Mean z-score and mean rating of each system, with 95 % intervals and ranks.

    Args:
        ratings: As for :func:`agreement`.
        by: A ranking for each category of outputs in place of one of all.
        dimension: The dimension; by default the first one.
        scale: The numbers that ratings may be, as ``1..5``.
        columns: The names of columns that are called otherwise.
        program: The program to run.

    Returns:
        A row for each system in the order of ranks, with ``rank``, ``letters`` (systems that share one cannot be told
        apart), ``z_mean``, ``z_interval_low``, ``z_interval_high``, ``raw_mean`` and others; with ``by`` also
        ``category``. ``attrs["report"]`` has the whole report of ``rankrate systems --json``.

    Raises:
        TypeError: The ratings are neither a table nor a file.
        ArgumentError: A column is missing, or an argument is wrong.
        ComputationError: The ratings cannot be read; the message says why.
    """
    options = _options(by=by, dimension=dimension, scale=scale)
    report = run_on_ratings("systems", ratings, columns, options, program)
    return systems_frame(report)


def meta_eval(
    ratings: Ratings,
    metrics: Iterable[str] = (),
    *,
    scores: pd.DataFrame | Any | None = None,
    references: References | None = None,
    lower_is_better: Iterable[str] = (),
    higher_is_better: Iterable[str] = (),
    rule: Literal["majority", "all-agree"] = "majority",
    threshold: str | None = None,
    bootstrap: int = 1000,
    seed: int = 1,
    against: str | None = None,
    upper_limit: bool = False,
    degenerate: bool = False,
    without_reference_copies: bool = False,
    include_training: bool = False,
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: bool = False,
    program: Program | None = None,
) -> pd.DataFrame:
    """How well metrics agree with people.

    Args:
        ratings: As for :func:`agreement`.
        metrics: The metrics to compute; by default those that are quick, or none beside ``scores``.
        scores: Scores computed elsewhere: ``source`` with ``output`` or ``system``, and a column for each metric.
        references: References of the sources, where a metric needs some.
        lower_is_better: Metrics of ``scores`` of which a lower score is better; else it is guessed from the name.
        higher_is_better: Metrics of ``scores`` of which a higher score is better.
        rule: How many raters must prefer an output.
        threshold: Ratings that differ by no more are a tie: a share of the scale such as ``5%``, the default, or
            points such as ``5``.
        bootstrap: How many resamples of sources intervals and tests are drawn from.
        seed: The random seed of the resamples.
        against: Test every other metric against this one.
        upper_limit: Add to the report what a rater reaches who is held against all others.
        degenerate: Put each metric to nine kinds of worthless text.
        without_reference_copies: Leave out outputs that are one of their references word for word.
        include_training: Judge learned metrics by the sources that they were trained on as well.
        dimension: The dimension; by default the first one.
        columns: The names of columns of ``ratings`` that are called otherwise.
        progress: Draw a bar of tqdm for each stage.
        program: The program to run.

    Returns:
        A row for each metric with ``tau_all`` (Kendall-tau-like) and its 95 % interval ``ci_low`` to ``ci_high``,
        ``pearson``, ``spearman``, ``kendall_b`` and others, named as in ``rankrate meta-eval --json`` with nested names
        joined by ``_``. ``attrs["report"]`` has the whole report.

    Raises:
        TypeError: The ratings or the scores are neither a table nor a file.
        ArgumentError: A column is missing, there is no such metric, or an argument is wrong.
        ComputationError: The data cannot be read; the message says why.
        UnavailableError: ``progress`` is set, and tqdm is not installed.
    """
    names = list(metrics)
    options = ["--rule", rule, "--bootstrap", str(bootstrap), "--seed", str(seed)]
    options += _options(ties=threshold, against=against, dimension=dimension)
    if names:
        options += ["--metrics", ",".join(names)]
    for flag, given in (
        ("--upper-limit", upper_limit),
        ("--degenerate", degenerate),
        ("--without-reference-copies", without_reference_copies),
        ("--include-training", include_training),
    ):
        options += [flag] if given else []
    for flag, metric_names in (("--lower-is-better", lower_is_better), ("--higher-is-better", higher_is_better)):
        for name in metric_names:
            options += [flag, name]

    def add_files(folder: Path) -> list[str]:
        files: list[str] = []
        if scores is not None:
            lines = folder / "scores.jsonl"
            table = as_frame(scores, "scores")
            _write_lines(lines, frame_records(table, {str(name): name for name in table.columns}))
            files += ["--scores", str(lines)]
        if isinstance(references, Mapping):
            lines = folder / "references.jsonl"
            rows = ({"source": source, "references": list(texts)} for source, texts in references.items())
            _write_lines(lines, rows)
            files += ["--references", str(lines)]
        elif references is not None:
            files += ["--references", os.fspath(references)]
        return files

    report = run_on_ratings(
        "meta-eval",
        ratings,
        columns,
        options,
        program,
        flag=["--ratings"],
        add_files=add_files,
        progress=progress,
    )
    return _frame(report["metrics"].items(), "metric", report)


def agreement_frame(report: dict[str, Any]) -> pd.DataFrame:
    """The report of ``rankrate agreement --json`` as a frame."""
    whole = {key: report[key] for key in ("raw", "z", "units", "pairable_units")}
    rows = {"all": whole, **report.get("parts", {})}
    return _frame(rows.items(), "part", report)


def systems_frame(report: dict[str, Any]) -> pd.DataFrame:
    """The report of ``rankrate systems --json`` as a frame."""
    rows: list[tuple[str, dict[str, Any]]] = []
    for ranking in report["rankings"]:
        category = {} if ranking["category"] is None else {"category": ranking["category"]}
        for system in ranking["systems"]:
            rows.append((system["system"], category | {k: v for k, v in system.items() if k != "system"}))
    return _frame(rows, "system", report)


def run_on_ratings(
    command: str,
    ratings: Ratings,
    columns: Mapping[str, str] | None,
    options: list[str],
    program: Program | None,
    *,
    flag: Sequence[str] = (),
    add_files: Callable[[Path], list[str]] = lambda _: [],
    progress: bool = False,
) -> dict[str, Any]:
    """The report of a command on ratings; what it warns of is a warning here."""
    with tempfile.TemporaryDirectory(prefix="rankrate-") as name:
        folder = Path(name)
        if isinstance(ratings, str | os.PathLike):
            file = Path(ratings)
            options = [*options, *(f"--map={field}={column}" for field, column in (columns or {}).items())]
        else:
            frame = as_frame(ratings, "ratings")
            exported = None if columns else _as_exported(frame)
            file = folder / ("ratings.jsonl" if exported is None else "ratings.csv")
            if exported is None:
                _write_lines(file, _rating_rows(frame, columns or {}))
            else:
                exported.to_csv(file, index=False)
        arguments = [command, *flag, str(file), *options, *add_files(folder)]
        report: dict[str, Any] = (program or shared_program()).run(arguments, progress=progress)
    for warning in report.get("warnings", ()):
        warnings.warn(warning, RankrateWarning, stacklevel=3)
    return report


def as_frame(table: Any, name: str) -> pd.DataFrame:
    """The table as a frame of pandas.

    Raises:
        TypeError: It is no table.
    """
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return table
    if hasattr(table, "collect") and not hasattr(table, "to_pandas"):
        table = table.collect()
    if hasattr(table, "to_pandas"):
        frame = table.to_pandas()
        if isinstance(frame, pd.DataFrame):
            return frame
    kind = type(table).__name__
    raise TypeError(
        f"{name} is a {kind}: give a frame of pandas, a table with a method to_pandas (Polars, Arrow, datasets), or "
        f"pandas.DataFrame(…) of it"
    )


# The columns by which a table of ratings that a study was exported as is known.
_EXPORTED = (
    "source_id",
    "output_id",
    "system",
    "category",
    "automatic_category",
    "rater",
    "dimension",
    "value",
    "shared",
)


# Those by which ratings of a study are known that the HTTP API gave; there, ids stand for texts.
_LISTED = ("output", "source", "source_id", "system", "rater", "dimension", "value", "shared", "recorded_at")


def _as_exported(frame: pd.DataFrame) -> pd.DataFrame | None:
    """The frame in the form of a table that a study was exported as; nothing of other ratings."""
    if all(name in frame.columns for name in _EXPORTED):
        return frame
    if not all(name in frame.columns for name in _LISTED):
        return None
    categories = {name: None for name in ("category", "automatic_category") if name not in frame.columns}
    return frame.drop(columns="source").rename(columns={"output": "output_id"}).assign(**categories)


def _rating_rows(ratings: pd.DataFrame, columns: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    unknown = [field for field in columns if field not in _FIELDS]
    if unknown:
        raise ArgumentError(f"there is no field “{unknown[0]}”; there are: {', '.join(_FIELDS)}")
    named = {field: columns.get(field, field) for field in _FIELDS}
    # Exports and the HTTP API call the rating a value.
    if "rating" not in columns and "rating" not in ratings.columns and "value" in ratings.columns:
        named["rating"] = "value"
    for field, column in named.items():
        if column not in ratings.columns and (field in _NEEDED or field in columns):
            raise ArgumentError(
                f"the frame has no column “{column}” for the {field}; "
                f"name it in columns, as {{{field!r}: …}}; there are: {', '.join(map(str, ratings.columns))}"
            )
    present = {field: column for field, column in named.items() if column in ratings.columns}
    return (row for row in frame_records(ratings, present) if "rating" in row)


def frame_records(frame: pd.DataFrame, columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows as JSON objects, without what is missing."""
    values = [frame[column].tolist() for column in columns.values()]
    for row in zip(*values, strict=True):
        yield {name: _as_json(value) for name, value in zip(columns, row, strict=True) if not is_missing(value)}


def _as_json(value: Any) -> Any:
    # Lists of texts come as arrays from Parquet files and Polars, and columns of objects hold numbers of NumPy.
    return value.tolist() if hasattr(value, "tolist") else value


def is_missing(value: object) -> bool:
    """Whether the value stands for none."""
    # None, NaN, and pandas' own sign for what is missing, which is equal to nothing and true of nothing.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")


def _options(**given: object) -> list[str]:
    """Flags of what is given: ``--flag=value``, since a value may begin with a hyphen."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value is not None]


def _frame(rows: Iterable[tuple[str, Mapping[str, Any]]], index: str, report: dict[str, Any]) -> pd.DataFrame:
    import pandas as pd

    flat = [{index: name} | dict(_flatten(figures)) for name, figures in rows]
    frame = pd.DataFrame(flat, columns=None if flat else [index]).set_index(index)
    frame.attrs["report"] = report
    return frame


def _flatten(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested names joined by ``_``; the two ends of an interval have names of their own."""
    for name, value in figures.items():
        full = prefix + name
        if isinstance(value, Mapping):
            yield from _flatten(value, full + "_")
        elif isinstance(value, list) and len(value) == 2:
            yield full + "_low", value[0]
            yield full + "_high", value[1]
        else:
            yield full, math.nan if value is None else value
