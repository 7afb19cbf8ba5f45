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
        ratings: As for :func:`rankrate.agreement`.
        a: A system, by its name.
        b: Another one.
        dimension: The dimension; by default the first one.
        columns: The names of columns that are called otherwise.
        program: The program to run.
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
    """How each rater judges beside the others: the report of ``rankrate raters``. Arguments as for :func:`compare`."""
    options = [f"--dimension={dimension}"] if dimension is not None else []
    return run_on_ratings("raters", ratings, columns, options, program)


def pairwise(file: StrPath, *options: str, program: Program | None = None) -> dict[str, Any]:
    """Preferences of systems from comparisons: the report of ``rankrate pairwise FILE``.

    Args:
        file: The file.
        options: Further flags, as on the command line.
        program: The program to run.
    """
    return _report("pairwise", [file], options, program)


def spans(file: StrPath, *options: str, program: Program | None = None) -> dict[str, Any]:
    """Figures of marked spans: the report of ``rankrate spans FILE``. Arguments as for :func:`pairwise`."""
    return _report("spans", [file], options, program)


def rc(file: StrPath, *options: str, program: Program | None = None) -> dict[str, Any]:
    """Figures of reading comprehension: the report of ``rankrate rc FILE``. Arguments as for :func:`pairwise`."""
    return _report("rc", [file], options, program)


def protocols(files: Iterable[StrPath], *options: str, program: Program | None = None) -> dict[str, Any]:
    """Protocols compared on the sources that their files of ratings share: the report of ``rankrate protocols``.

    Args:
        files: The files.
        options: Further flags, as on the command line.
        program: The program to run.
    """
    return _report("protocols", files, options, program)


def train(
    ratings: StrPath, *options: str, out: StrPath | None = None, program: Program | None = None
) -> dict[str, Any]:
    """Trains a metric on a file of ratings: the report of ``rankrate train``.

    Args:
        ratings: The file.
        options: Flags, such as ``"--folds=5"``.
        out: The file to write the metric to, which ``Metric(…, model=out)`` takes.
        program: The program to run.
    """
    written = [] if out is None else [f"--output={os.fspath(out)}"]
    return _report("train", [ratings], [*written, *options], program)


def _report(command: str, files: Iterable[StrPath], options: Iterable[str], program: Program | None) -> dict[str, Any]:
    arguments = [command, *(os.fspath(file) for file in files), *options]
    report: dict[str, Any] = (program or shared_program()).run(arguments)
    return report
