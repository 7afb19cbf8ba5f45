"""The HTTP API of a real server against its own description, by schemathesis."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

from server import serve

# A request may fit its schema and still be refused for what no schema can say: lists of different lengths, a metric
# that there is not, an archived study. Everything else that schemathesis checks holds as it is.
SETTINGS = """\
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 401, 403, 404, 409, 422, 429, 503]
"""

# The number of requests for each operation and kind of data. They follow from the seed, so that a run tells the same
# on every machine; sequences of requests, which follow from what the server answers, are left out.
EXAMPLES = 10
PHASES = "coverage,fuzzing"


def test_the_server_does_what_it_describes(program_path: Path, tmp_path: Path) -> None:
    with serve(program_path, tmp_path, "--api-rate", "1000000") as server:
        token = server.token("--all-studies", "--write")
        with urllib.request.urlopen(f"{server.address}/api/v1/openapi.json", timeout=30) as answer:
            description = json.load(answer)
        # A study, a format and a text that exist, so that not every request ends with 404.
        for item in description["paths"].values():
            for operation in item.values():
                for parameter in operation.get("parameters", ()):
                    example = {"study": "river", "format": "tidy"}.get(parameter["name"])
                    if example is not None:
                        parameter["schema"] = {"type": "string", "enum": [example, "none"]}
        assert description["openapi"] == "3.1.0"
        schema = tmp_path / "openapi.json"
        schema.write_text(json.dumps(description), encoding="utf-8")
        (tmp_path / "schemathesis.toml").write_text(SETTINGS, encoding="utf-8")
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", schema),
                *("--url", f"{server.address}/api/v1"),
                *("--header", f"Authorization: Bearer {token}"),
                *("--max-examples", str(EXAMPLES)),
                *("--phases", PHASES),
                *("--seed", "1"),
                *("--request-timeout", "60"),
            ],
            capture_output=True,
            check=False,
            text=True,
            encoding="utf-8",
            timeout=600,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stdout[-200_000:] + done.stderr[-2_000:]
