"""Fixtures: the real program, and texts and ratings of our own writing."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

import rankrate

SOURCES = [
    "The vessel foundered off the coast after it had struck a reef.",
    "Die Über-Straße führt nach Århus, naïve façade; 日本語のテキスト und Ελληνικά.",
    "Rain fell on the roof all night, although the forecast had promised otherwise.",
    "Rain fell on the roof all night, although the forecast had promised otherwise.",
    "The council withdrew its plan, which residents had opposed.",
]
OUTPUTS = [
    "The ship hit a reef. It sank near the coast.",
    "Die Straße führt nach Århus 😀; 日本語.",
    "It rained all night.",
    "Rain fell on the roof all night, although the forecast had promised otherwise.",
    "",
]
REFERENCES = [
    ["The ship sank near the coast after it hit a reef.", "The ship hit a reef and sank."],
    ["Die Straße führt nach Århus."],
    ["It rained the whole night."],
    ["It rained the whole night."],
    ["The council dropped its plan.", "The council gave up its plan. Residents did not like it."],
]

Command = Callable[..., str]


@pytest.fixture(scope="session")
def program_path() -> Path:
    """The program to test; without one there is nothing to test."""
    path = rankrate.find_program()
    done = subprocess.run([path, "stdio", "--help"], capture_output=True, check=False)
    assert done.returncode == 0, f"{path} is no rankrate of this version"
    return path


@pytest.fixture
def program(program_path: Path) -> Iterator[rankrate.Program]:
    with rankrate.Program(path=program_path) as running:
        yield running


@pytest.fixture
def command(program_path: Path) -> Command:
    """Runs a command of the program, and returns what it prints."""

    def run(*arguments: str | os.PathLike[str]) -> str:
        done = subprocess.run([program_path, *arguments], capture_output=True, check=True)
        return done.stdout.decode("utf-8")

    return run


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    """The texts as lines of JSON, with references."""
    path = tmp_path / "pairs.jsonl"
    rows = zip(SOURCES, OUTPUTS, REFERENCES, strict=True)
    lines = [json.dumps({"source": s, "output": o, "references": r, "system": "A"}) for s, o, r in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


RATED = {
    "The vessel sank near the coast.": {"A": "The boat sank.", "B": "Sank the vessel of boats."},
    "Rain fell on the roof all night.": {"A": "It rained all night.", "B": "Rain the roof."},
    "The council withdrew its plan.": {"A": "The council dropped its plan.", "B": "Council plan withdrew."},
    "Ölschiffe sanken vor der Küste.": {"A": "Schiffe sanken.", "B": "Öl sank; vor, der\t„Küste“."},
}
SCORES: dict[str, list[float]] = {
    "1": [82, 31, 64, 40, 90, 12, 71, 28],
    "2": [70.5, 45, 58, 33, 95, 20, 66.25, 41],
    "3": [91, 22, 49, 38, 77, 35, 80, 15],
}


@pytest.fixture
def ratings() -> pd.DataFrame:
    outputs = [
        {"source": source, "system": system, "output": output}
        for source, of_systems in RATED.items()
        for system, output in of_systems.items()
    ]
    rows = [
        output | {"rater": rater, "rating": score}
        for rater, scores in SCORES.items()
        for output, score in zip(outputs, scores, strict=True)
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def ratings_file(ratings: pd.DataFrame, tmp_path: Path) -> Path:
    """The same ratings as a person would save them: a table with commas."""
    path = tmp_path / "ratings.csv"
    ratings.to_csv(path, index=False, quoting=csv.QUOTE_ALL)
    return path
