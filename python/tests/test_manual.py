"""The manual's commands and Python code, run as a reader would, and what it says they print.

Blocks marked `sh` and `python` run in the order of the page, in a folder with the manual's sample files. A block
marked `text` right after one of them is its output, in which `...` stands for anything. Blocks marked `py` are about a
study on a server: they run with the demonstration at the address that they name. Blocks marked `shell` do not run: they
start servers, or need what a test has not.
"""

from __future__ import annotations

import contextlib
import doctest
import functools
import io
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from server import serve

import rankrate

MANUAL = Path(__file__).resolve().parents[2] / "docs" / "src"
PAGES = sorted(path for path in MANUAL.rglob("*.md") if path.name != "SUMMARY.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def page_name(path: Path) -> str:
    return path.relative_to(MANUAL).as_posix()


def runnable_blocks(text: str) -> list[tuple[str, str, str | None]]:
    """Each block that runs: its language, its code, and the output that the page shows, if it shows one."""
    found = list(BLOCK.finditer(text))
    blocks = []
    for place, block in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        if block[1] in ("sh", "python"):
            follows = after is not None and after[1] == "text" and not text[block.end() : after.start()].strip()
            blocks.append((block[1], block[2], after[2] if after and follows else None))
    return blocks


def run_commands(commands: str) -> str:
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{commands}\n{done.stderr}"
    return done.stdout


def run_python(code: str, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<manual>", "exec"), names)
    return printed.getvalue()


@pytest.mark.parametrize("page", [path for path in PAGES if runnable_blocks(path.read_text("utf-8"))], ids=page_name)
def test_commands_of_a_page_run_and_print_what_it_says(
    page: Path, program_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "reader"
    shutil.copytree(MANUAL / "samples", folder)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rankrate").symlink_to(program_path.resolve())
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]]))
    monkeypatch.setenv("RANKRATE_LOG", "error")
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for language, code, expected in runnable_blocks(page.read_text("utf-8")):
        printed = run_commands(code) if language == "sh" else run_python(code, names)
        if expected is not None:
            matches = doctest.OutputChecker().check_output(expected, printed, OUTPUT)
            assert matches, f"{code}\nprints\n{printed}\nand not\n{expected}"


SERVER_BLOCKS = [
    (path, block[2]) for path in PAGES for block in BLOCK.finditer(path.read_text("utf-8")) if block[1] == "py"
]


def test_code_about_a_study_on_a_server_runs(
    program_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SERVER_BLOCKS
    with serve(program_path, tmp_path) as server:
        server.run("demo", "--no-metrics")
        monkeypatch.setenv("RANKRATE_TOKEN", server.token("--all-studies", "--write", person="lead"))
        for number, (page, code) in enumerate(SERVER_BLOCKS):
            address = f"{server.address}/s/demo"
            named, replaced = re.subn(r"https://rate\.example\.org/s/[a-z-]+", address, code)
            assert replaced == 1, f"{page_name(page)}: the code names its study"
            study = rankrate.Study(address, os.environ["RANKRATE_TOKEN"])
            outputs = study.outputs()
            names: dict[str, Any] = {
                "rankrate": rankrate,
                "os": os,
                "frame": pd.DataFrame({"source": ["It rained."], "output": ["Rain."], "system": [f"new-{number}"]}),
                "scores": pd.Series(1.0, index=outputs.index),
            }
            run_python(named, names)


def test_every_metric_is_described_with_its_direction(program: rankrate.Program) -> None:
    page = (MANUAL / "figures" / "metrics.md").read_text("utf-8")
    rows: dict[str, tuple[str, str]] = {}
    for line in page.splitlines():
        cells = line.split("|")
        if len(cells) > 4:
            rows |= {name: (cells[3], cells[4].strip()) for name in re.findall(r"`([\w-]+)`", cells[1])}
    direction = {"higher-is-better": "higher", "lower-is-better": "lower", "neither": "neither"}
    for metric in rankrate.metrics(program=program):
        range_, references = rows[metric.name]
        assert range_.strip().endswith(direction[metric.direction]), metric
        assert references == ("yes" if metric.needs_references else "no"), metric


def test_every_template_and_export_is_described(program_path: Path) -> None:
    def help_of(*command: str) -> str:
        return subprocess.run([program_path, *command, "--help"], capture_output=True, text=True, check=True).stdout

    templates = re.search(r"The template to begin with:(.*?)\n\n", help_of("study", "create"), re.DOTALL)
    formats = re.search(r"Possible values:\n(.*?)\n\n", help_of("export"), re.DOTALL)
    assert templates is not None
    assert formats is not None
    protocols = (MANUAL / "study" / "protocols.md").read_text("utf-8")
    names = re.findall(r"`([\w-]+)`", templates[1])
    assert len(names) > 5
    assert [name for name in names if f"\n| `{name}` |" not in protocols] == []
    export = (MANUAL / "formats" / "export.md").read_text("utf-8")
    names = re.findall(r"^ +- ([\w-]+):", formats[1], re.MULTILINE)
    assert len(names) > 5
    assert [name for name in names if f"{{{{#export {name}}}}}" not in export] == []


@functools.cache
def options_of(command: tuple[str, ...]) -> set[str] | None:
    """The options of a command; None if there is no such command."""
    done = subprocess.run([rankrate.find_program(), *command, "--help"], capture_output=True, text=True, check=False)
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", done.stdout)) if done.returncode == 0 else None


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_in_sentences_exist_with_their_options(page: Path, program_path: Path) -> None:
    text = page.read_text("utf-8")
    blocks = "\n".join(block[2] for block in BLOCK.finditer(text) if block[1] in ("shell", "console"))
    sentences = [match.replace("\n", " ") for match in re.findall(r"`(rankrate [^`]+)`", BLOCK.sub("", text))]
    for line in [*sentences, *re.findall(r"^rankrate .*$", blocks, re.MULTILINE)]:
        words = line.split("#")[0].split()[1:]
        command = tuple(words[:1]) if words and re.fullmatch("[a-z-]+", words[0]) else ()
        if (
            len(words) > 1
            and command in [("study",), ("user",), ("token",), ("webhook",), ("align",)]
            and re.fullmatch("[a-z]+", words[1])
        ):
            command = (*command, words[1])
        options = options_of(command)
        assert options is not None, f"{page_name(page)}: there is no command `{line}`"
        named = {word.split("=")[0] for word in words if re.match("--?[a-z]", word)}
        assert named <= options, f"{page_name(page)}: `{line}` has no {', '.join(sorted(named - options))}"
