"""A server of the real program on this machine, with a study and tokens."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conftest import RATED, SCORES


@dataclass(frozen=True)
class TestServer:
    """A running server with the study ``river``, led by ``lea``."""

    __test__ = False
    address: str
    study: str
    program: Path
    data: Path

    def run(self, *arguments: str) -> str:
        """Runs a command of the program on the server's data."""
        command: list[str | Path] = [self.program, *arguments, "--data", self.data]
        done = subprocess.run(command, capture_output=True, check=False, text=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def token(self, *options: str, person: str = "lea") -> str:
        """A new token."""
        printed = json.loads(self.run("token", "add", person, *(options or ("--all-studies",)), "--json"))
        return str(printed["token"])


@contextmanager
def serve(program: Path, folder: Path, *options: str) -> Iterator[TestServer]:
    """Serves the study of the ratings that other tests use, until the context ends."""
    data = folder / "data"
    rows = [
        {"source": source, "system": system, "output": output, "rater": rater, "rating": SCORES[rater][number]}
        for rater in SCORES
        for number, (source, system, output) in enumerate(
            (source, system, output) for source, of_systems in RATED.items() for system, output in of_systems.items()
        )
    ]
    lines = folder / "ratings.jsonl"
    lines.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    server = TestServer("", "", program, data)
    server.run("study", "create", "river", "--template", "rank-and-rate")
    server.run("user", "add", "lea")
    server.run("user", "role", "lea", "river", "lead")
    server.run("import", "river", str(lines))
    command: list[str | Path] = [program, "serve", "--listen", "127.0.0.1:0", "--data", data, *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RANKRATE_")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        try:
            assert running.stdout is not None
            found = re.search(r"http://[0-9.:]+", running.stdout.readline())
            assert found, "the server says where it is"
            address = found.group()
            yield TestServer(address, f"{address}/s/river", program, data)
        finally:
            running.terminate()
            running.wait(timeout=30)
