"""Commands on ratings and files whose reports are dictionaries, as they print them with ``--json``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._frames import Ratings, run_on_ratings
from ._program import Program, StrPath, shared_program


def compare(
    ratings: Ratings,
    a: str,
    b: str,
    *,
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
    program: Program | None = None,
) -> dict[str, Any]:
    """Two systems compared on the sources that both have, with tests: the report of ``rankrate compare``.

    Args:
        ratings: As for :func:`agreement`.
        a: A system, by its name.
        b: Another one.
        dimension: The dimension; by default the first one.
        columns: The names of columns that are called otherwise.
        program: The program to run.

    Returns:
        The report: the difference of the means, its interval and its tests, of ratings and of z-scores. What is
        undefined is ``None``, with the reason beside it.

    Raises:
        TypeError: The ratings are neither a table nor a file.
        ArgumentError: A column is missing, or an argument is wrong.
        ComputationError: The ratings cannot be read, or there is no such system; the message says which.
    """
    options = [f"--dimension={dimension}"] if dimension is not None else []
    return run_on_ratings("compare", ratings, columns, options, program, flag=[a, b])


def raters(
    ratings: Ratings,
    *,
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
    program: Program | None = None,
) -> dict[str, Any]:
    """How each rater judges compared with the others: the report of ``rankrate raters``.

    Arguments and errors as for :func:`compare`.

    Returns:
        The report, with the raters of most concern first. Fractions are 0 to 1, other figures points of the scale; what
        is undefined is ``None``, with the reason beside it.
    """
    options = [f"--dimension={dimension}"] if dimension is not None else []
    return run_on_ratings("raters", ratings, columns, options, program)


def pairwise(file: StrPath, *options: str, program: Program | None = None) -> dict[str, Any]:
    """Preferences of systems from comparisons: the report of ``rankrate pairwise FILE``.

    Args:
        file: The path of the file.
        options: Further flags, as on the command line, such as ``"--bootstrap=1000"``.
        program: The program to run.

    Returns:
        The report. What is undefined is ``None``, with the reason beside it.

    Raises:
        TypeError: The file is no path.
        ArgumentError: A flag is wrong.
        ComputationError: The file cannot be read; the message says why.
    """
    return _report("pairwise", [file], options, program)


def spans(file: StrPath, *options: str, program: Program | None = None) -> dict[str, Any]:
    """Figures of marked spans: the report of ``rankrate spans FILE``.

    Arguments, result and errors as for :func:`pairwise`.
    """
    return _report("spans", [file], options, program)


def rc(file: StrPath, *options: str, program: Program | None = None) -> dict[str, Any]:
    """Figures of reading comprehension: the report of ``rankrate rc FILE``; percentages are 0 to 100.

    Arguments, result and errors as for :func:`pairwise`.
    """
    return _report("rc", [file], options, program)


def protocols(files: Iterable[StrPath], *options: str, program: Program | None = None) -> dict[str, Any]:
    """Protocols compared on the sources that their files of ratings share: the report of ``rankrate protocols``.

    Args:
        files: The paths of two files or more.
        options: Further flags, as on the command line.
        program: The program to run.

    Returns:
        The report. What is undefined is ``None``, with the reason beside it.

    Raises:
        TypeError: One of the files is no path.
        ArgumentError: A flag is wrong, or there are too few files.
        ComputationError: A file cannot be read; the message says why.
    """
    if isinstance(files, str | os.PathLike):
        raise TypeError("files is one path: give a list of two or more")
    return _report("protocols", files, options, program)


def train(
    ratings: StrPath,
    *options: str,
    out: StrPath | None = None,
    progress: bool = False,
    program: Program | None = None,
) -> dict[str, Any]:
    """Trains a metric on a file of ratings: the report of ``rankrate train``.

    Args:
        ratings: The path of the file.
        options: Flags, such as ``"--folds=5"``.
        out: The file to write the metric to, which ``Metric(…, model=out)`` takes.
        progress: Draw a bar of tqdm for each stage.
        program: The program to run.

    Returns:
        The report, with the figures of the metric on sources that were held out.

    Raises:
        TypeError: The ratings are no path.
        ArgumentError: A flag is wrong.
        ComputationError: The ratings cannot be read, or the training fails; the message says why.
        UnavailableError: ``progress`` is set, and tqdm is not installed.
    """
    written = [] if out is None else [f"--output={os.fspath(out)}"]
    return _report("train", [ratings], [*written, *options], program, progress=progress)


def _report(
    command: str,
    files: Iterable[StrPath],
    options: Iterable[str],
    program: Program | None,
    *,
    progress: bool = False,
) -> dict[str, Any]:
    paths = [_as_path(file) for file in files]
    report: dict[str, Any] = (program or shared_program()).run([command, *paths, *options], progress=progress)
    return report


def _as_path(file: StrPath) -> str:
    if not isinstance(file, str | os.PathLike):
        raise TypeError(
            f"the file is a {type(file).__name__}: give the path of a file, such as one that it is saved to"
        )
    return os.fspath(file)
