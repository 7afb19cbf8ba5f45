#!/usr/bin/env python3
"""Installs the wheels of target/wheels in a new environment and uses them as a person would, with the times taken.

    scripts/wheel && scripts/try-wheel.py

It fails unless the page, its style sheet and its scripts are served, `rankrate serve --demo` has the encoder and
the learned metric, and the client scores. Nothing of this machine but Python and a package index is used.
"""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELS = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "wheels"
# A page of a debug build takes longer, but this is none.
SERVE_TIMEOUT = 120

CLIENT = """
import math, sys, rankrate
scores = rankrate.score(
    ["learned-free", "bertscore-source-f1", "word-rank"], ["The vessel foundered."], ["The ship sank."]
)
assert all(math.isfinite(values[0]) for values in scores.values()), scores
[alignment] = rankrate.align(["The vessel foundered."], ["The ship sank."])
assert alignment.grade == "encoder", alignment
import pandas as pd
rows = [dict(source="a b", output=o, system=s, rater=r, rating=v)
        for r, values in {"1": (80, 20), "2": (70, 30)}.items() for (o, s), v in zip([("a", "A"), ("b", "B")], values)]
assert rankrate.systems(pd.DataFrame(rows)).index[0] == "A"
print({name: values[0].item() for name, values in scores.items()})
"""


def main() -> None:
    wheels = sorted(WHEELS.glob("rankrate*.whl"))
    if len(wheels) != 2:
        sys.exit(f"there are {len(wheels)} wheels in {WHEELS}, not two: build them with scripts/wheel")
    with tempfile.TemporaryDirectory(prefix="rankrate-wheel-") as name:
        folder = Path(name)
        started = time.perf_counter()
        venv.create(folder / "environment", with_pip=True)
        scripts = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
        say("a new environment", started)

        started = time.perf_counter()
        [program] = [wheel for wheel in wheels if not wheel.name.startswith("rankrate_encoder")]
        pip = [scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # The encoder's wheel is beside it; all other packages come from the index.
        run([*pip, "--find-links", WHEELS, f"{program}[notebook]"], folder)
        installed = time.perf_counter() - started
        say("pip install", started)

        started = time.perf_counter()
        printed = run([scripts / "python", "-W", "error", "-c", CLIENT], folder)
        say(f"the client scored {printed.strip()}", started)

        served = serve(scripts / "rankrate", folder)
        print(f"from pip install to the page: {installed + served:.1f} s")


def serve(program: Path, folder: Path) -> float:
    """Serves the demonstration study until its page is there, and returns the seconds that this took."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log_file = folder / "serve.log"
    started = time.perf_counter()
    with log_file.open("wb") as log:
        command = [program, "serve", "--demo", "--listen", f"127.0.0.1:{port}", "--data", folder / "data"]
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment(), cwd=folder)
        try:
            page = wait_for(f"http://127.0.0.1:{port}/", server, log_file)
            seconds = time.perf_counter() - started
            say("rankrate serve --demo, until its page was fetched", started)
            if "Rank &amp; Rate" not in page:
                sys.exit(f"this is not the page: {page[:500]}")
            files = sorted(set(re.findall(r'/pkg/[\w./-]+\.(?:css|js)', page)))
            if not any(file.endswith(".css") for file in files) or not any(file.endswith(".js") for file in files):
                sys.exit(f"the page names no style sheet or no script: {files}")
            for file in files:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}{file}") as answer:
                        size = len(answer.read())
                except OSError as error:
                    sys.exit(f"{file} is not served: {error}")
                if not size:
                    sys.exit(f"{file} is empty")
            print(f"  {len(files)} files of the interface were served")
        finally:
            server.terminate()
            server.wait()
    log_text = log_file.read_text(encoding="utf-8", errors="replace")
    for fault in ("without the encoder", "cannot be computed", "cannot be read", " ERROR "):
        if fault in log_text:
            sys.exit(f"the server's log says “{fault}”:\n{log_text}")
    return seconds


def wait_for(address: str, server: subprocess.Popen[bytes], log_file: Path) -> str:
    deadline = time.monotonic() + SERVE_TIMEOUT
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(address) as answer:
                return answer.read().decode("utf-8")
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
    sys.exit(f"no page at {address}; the server wrote:\n{log_file.read_text(errors='replace')}")


def environment() -> dict[str, str]:
    """This process's environment without what would lead to another encoder, program or package."""
    own = ("RANKRATE_", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(own)}


def run(command: list[Path | str], folder: Path) -> str:
    done = subprocess.run(command, env=environment(), cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command[:4]))} … failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def say(what: str, started: float) -> None:
    print(f"{time.perf_counter() - started:6.1f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
