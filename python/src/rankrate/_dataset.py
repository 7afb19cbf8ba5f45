"""A study as a folder that ``datasets.load_dataset`` reads: Parquet files and a dataset card."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ._program import Program, StrPath, shared_program


def export_dataset(
    study: str,
    folder: StrPath,
    *,
    license: str | None = None,
    language: str | Sequence[str] = "en",
    consensus: bool = False,
    with_work_in_progress: bool = False,
    data: StrPath | None = None,
    database_url: str | None = None,
    program: Program | None = None,
) -> Path:
    """Write a study as a dataset, as the command ``rankrate export STUDY --format dataset`` does.

    The folder has ``ratings.parquet``, ``outputs.parquet``, a card, ``README.md``, and where the study has such answers
    ``comparisons.parquet``, ``spans.parquet`` and ``unjudged.parquet``. ``datasets.load_dataset(folder, "ratings")``
    reads it, and so does the Hugging Face hub. It has what annotators submitted, under their pseudonyms, and none of
    their notes and replies, which may name people. Read it before you publish it.

    Args:
        study: The study, by its short name.
        folder: Where to; it is made if it is missing, and must hold no other files than those of an earlier export.
        license: The licence of the dataset, as the hub names it, such as ``cc-by-4.0``, or in other words. Without one
            the card says that none was given.
        language: The language of the texts, or several, as ISO 639 names them.
        consensus: Whether to write the answers on which the raters of a source agreed, in place of their own.
        with_work_in_progress: Whether to include answers of sources that are not submitted yet.
        data: The data folder of the server; by default that of its settings.
        database_url: Its database, where that is another one than the file in the data folder.
        program: The program to run.

    Returns:
        The folder.

    Raises:
        ArgumentError: The folder holds other files, or an argument does not fit.
        ComputationError: There is no such study, or the program cannot read it.
    """
    languages = language if isinstance(language, str) else ",".join(language)
    command = ["export", study, "--format", "dataset", "--output", os.fspath(folder), "--language", languages]
    command += [] if license is None else ["--license", license]
    command += ["--consensus"] if consensus else []
    command += ["--in-work"] if with_work_in_progress else []
    command += [] if data is None else ["--data", os.fspath(data)]
    command += [] if database_url is None else ["--database-url", database_url]
    (program or shared_program()).run(command)
    return Path(folder)
