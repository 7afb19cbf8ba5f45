"""The description of the HTTP API is valid, and a client that knows nothing else reads and writes a study."""

from __future__ import annotations

import io
import json
import time
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from server import TestServer, serve


@pytest.fixture(scope="module")
def server(program_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestServer]:
    with serve(program_path, tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def description(server: TestServer) -> dict[str, Any]:
    with urllib.request.urlopen(f"{server.address}/api/v1/openapi.json", timeout=30) as answer:
        parsed: dict[str, Any] = json.load(answer)
    return parsed


class DescribedClient:
    """Sends requests by what the description says of them, and checks each answer against its schema."""

    def __init__(self, server: TestServer, description: dict[str, Any]) -> None:
        self.address = server.address + description["servers"][0]["url"]
        self.token = server.token("--all-studies", "--write")
        self.description = description
        self.operations = {
            operation["operationId"]: (method, path, operation)
            for path, item in description["paths"].items()
            for method, operation in item.items()
        }

    def schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return (
            {"$schema": "https://json-schema.org/draft/2020-12/schema"}
            | schema
            | {"components": self.description["components"]}
        )

    def send(self, name: str, body: Any = None, **values: str) -> Any:
        method, path, operation = self.operations[name]
        query = {}
        for parameter in operation.get("parameters", ()):
            value = values.pop(parameter["name"], None)
            if parameter["in"] == "path":
                assert value is not None, parameter
                path = path.replace(f"{{{parameter['name']}}}", urllib.parse.quote(value, safe=""))
            elif value is not None:
                query[parameter["name"]] = value
        assert not values, f"{name} takes no {values}"
        headers = {"Authorization": f"Bearer {self.token}"}
        data = None
        if body is not None:
            content = operation["requestBody"]["content"]["application/json"]
            jsonschema.validate(body, self.schema(content["schema"]))
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        address = f"{self.address}{path}?{urllib.parse.urlencode(query)}"
        request = urllib.request.Request(address, data=data, headers=headers, method=method.upper())
        with urllib.request.urlopen(request, timeout=60) as answer:
            described = operation["responses"][str(answer.status)]
            [(media_type, content)] = (
                (kind, content)
                for kind, content in described["content"].items()
                if answer.headers["Content-Type"].startswith(kind)
            )
            if media_type != "application/json":
                assert (content["schema"]["type"], content["schema"]["format"]) == ("string", "binary")
                return answer.read()
            parsed = json.load(answer)
        jsonschema.validate(parsed, self.schema(content["schema"]))
        return parsed

    def done(self, job: str) -> Any:
        while True:
            shown = self.send("show_job", job=job)
            if shown["state"] not in ("queued", "running"):
                return shown
            time.sleep(0.1)


@pytest.fixture(scope="module")
def client(server: TestServer, description: dict[str, Any]) -> DescribedClient:
    return DescribedClient(server, description)


def test_the_description_is_valid(description: dict[str, Any]) -> None:
    faults = [
        f"{'/'.join(map(str, fault.absolute_path))}: {fault.message}"
        for fault in OpenAPIV31SpecValidator(description).iter_errors()
    ]
    assert faults == []


def test_nothing_in_it_has_no_meaning_for_generators(description: dict[str, Any]) -> None:
    def parts(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            yield value
            value = list(value.values())
        if isinstance(value, list):
            for part in value:
                yield from parts(part)

    for part in parts(description):
        assert part.get("items") is not False, part
        assert "prefixItems" not in part, part
    for item in description["paths"].values():
        for operation in item.values():
            assert all(response["description"] for response in operation["responses"].values()), operation
            for content in operation.get("requestBody", {}).get("content", {}).values():
                assert "example" in content or content["schema"] == {"type": "string"}, operation["operationId"]


def test_its_examples_fit_their_schemas(client: DescribedClient) -> None:
    examples = 0
    for _, _, operation in client.operations.values():
        for content in operation.get("requestBody", {}).get("content", {}).values():
            if "example" in content:
                jsonschema.validate(content["example"], client.schema(content["schema"]))
                examples += 1
    assert examples == 4


def test_a_client_made_of_it_reads(client: DescribedClient) -> None:
    [study] = client.send("list_studies")["studies"]
    assert study["slug"] == "river"
    assert client.send("show_study", study="river")["counts"]["sources"] == 4
    for name in ("sources", "outputs", "ratings", "scores", "comparisons", "spans", "answers"):
        page = client.send(f"list_{name}", study="river", limit="3")
        assert isinstance(page[name], list)
    agreement = client.send("show_agreement", study="river", by="system", bootstrap="50")
    assert agreement["raw"]["alpha"] is not None
    assert client.send("show_systems", study="river")["rankings"]
    archive = client.send("export_study", study="river", format="tidy")
    assert zipfile.ZipFile(io.BytesIO(archive)).testzip() is None


def test_a_client_made_of_it_writes(client: DescribedClient) -> None:
    rows = [{"source": "It rained.", "output": "Rain fell.", "system": "new", "kind": "machine"}]
    job = client.send("add_outputs", {"rows": rows, "strict": True}, study="river")["job"]
    assert client.done(job)["state"] == "done"
    outputs = client.send("list_outputs", study="river", limit="500")["outputs"]
    [output] = [output for output in outputs if output["system"] == "new"]
    scores = {"metric": "taste", "direction": "lower-is-better", "scores": [{"output": output["id"], "value": 2.5}]}
    assert client.done(client.send("add_scores", scores, study="river")["job"])["state"] == "done"
    listed = client.send("list_scores", study="river")["scores"]
    assert [score["value"] for score in listed if score["output"] == output["id"]] == [2.5]
    scored = client.send("score", {"metrics": ["fkgl"], "sources": ["It rained."], "outputs": ["Rain fell."]})
    assert len(scored["scores"][0]["values"]) == 1
