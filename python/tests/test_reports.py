"""What every command prints with ``--json``, against the JSON Schema that the program gives of it."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from conftest import RATED, SCORES

SAMPLES = Path(__file__).resolve().parents[2] / "docs/src/samples"
# The pairs to train an aligner on, in the columns of MultiMWA.
GOLD = "\t".join(["0", "a b c", "N/A", "a b", "N/A", "1", "1", "0-0 1-1", "", ""])


@dataclass(frozen=True)
class Workplace:
    """A data folder with studies and accounts, and sample files beside it."""

    program: Path
    folder: Path

    def run(self, *arguments: str) -> str:
        """What a command prints; ``@NAME`` is a file of the folder, ``:NAME`` a sample of the manual."""
        words = [self.path(word) for word in arguments]
        command: list[str | Path] = [self.program, *words, "--data", self.folder / "data"]
        done = subprocess.run(command, capture_output=True, check=False, text=True, encoding="utf-8")
        assert done.returncode == 0, f"{arguments}\n{done.stderr}"
        return done.stdout

    def path(self, word: str) -> str:
        """The argument, as a path where it names a file."""
        folder = {"@": self.folder, ":": SAMPLES}.get(word[:1])
        return str(folder / word[1:]) if folder else word


@pytest.fixture(scope="module")
def workplace(program_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    folder = tmp_path_factory.mktemp("reports")
    rows = [
        {"source": source, "system": system, "output": output, "rater": rater, "rating": SCORES[rater][number]}
        for rater in SCORES
        for number, (source, system, output) in enumerate(
            (source, system, output) for source, of_systems in RATED.items() for system, output in of_systems.items()
        )
    ]
    with (folder / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    datasets = [f'[[dataset]]\nname = "{name}"\nratings = "demo.csv"\n' for name in ("first", "second")]
    (folder / "datasets.toml").write_text("\n".join(datasets), encoding="utf-8")
    (folder / "keys.txt").write_text("ferry\n", encoding="utf-8")
    (folder / "gold.tsv").write_text(f"{GOLD}\n" * 8, encoding="utf-8")
    workplace = Workplace(program_path, folder)
    workplace.run("demo", "--no-metrics")
    workplace.run("export", "demo", "--format", "simpeval-past", "--output", "@demo.csv")
    workplace.run("study", "create", "river")
    workplace.run("import", "river", "@ratings.csv")
    workplace.run("user", "add", "lea")
    workplace.run("user", "add", "max")
    workplace.run("backup", "@backup.sqlite")
    return workplace


# Trees alone, and few of them.
BRIEFLY = "--without-encoder --folds 2"

# A command for each report, several where it has several shapes. They run in this order.
REPORTS: dict[str, list[str]] = {
    "agreement": ["agreement --study demo --bootstrap 50", "agreement @ratings.csv --by system"],
    "raters": ["raters --study demo", "raters @ratings.csv"],
    "systems": ["systems --study demo", "systems @ratings.csv --by category"],
    "compare": ["compare editor-1 splitter-1 --study demo --unpaired --ties 5", "compare A B @ratings.csv"],
    "pairwise": ["pairwise :comparisons.csv --bootstrap 50"],
    "spans": ["spans :spans.jsonl --bootstrap 50"],
    "protocols": ["protocols :ratings.csv :ratings.csv"],
    "reading": ["rc :answers.csv --items --support", "rc :answers.csv --answerable-in Original"],
    "score": ["score :outputs.csv --metrics sari,bleu,fkgl --references :references.csv"],
    "meta-eval": [
        "meta-eval --study demo --metrics sari,fkgl --bootstrap 50",
        "meta-eval --ratings @ratings.csv --metrics fkgl,copy-rate --against fkgl --bootstrap 50",
        "meta-eval --ratings @ratings.csv --metrics fkgl --degenerate --upper-limit",
    ],
    "train": [f"train @demo.csv --from none --cross-validate --repeats 1 -o @metric {BRIEFLY}"],
    "leave-one-out": [f"train --datasets @datasets.toml --leave-one-dataset-out --bootstrap 50 {BRIEFLY}"],
    # They need an encoder: server/src/cli/pretrain/tests.rs.
    "pretrain": [],
    "pretrain-ablation": [],
    "align-train": ["align train @gold.tsv -o @aligner --grade grid"],
    "align-eval": ["align eval @gold.tsv --grade string"],
    "import-preview": ["import river @ratings.csv --dry-run"],
    "import": ["import river @ratings.csv", "import demo --references :references.csv"],
    "imports": ["import demo --list", "import river --list"],
    "import-undo": ["import river --undo {import}"],
    "export": ["export demo --format jsonl --output @demo.jsonl"],
    "study": [
        "study show demo",
        "study create lake",
        "study close lake",
        "study create pond",
        "study order pond where-uncertain",
    ],
    "studies": ["study list"],
    "study-file": ["study export demo --output @demo.json"],
    "study-experiment": ["study experiment pond --with likert", "study experiment pond"],
    "study-annotators": [
        "study annotators demo --overlap 4 --keys @keys.txt",
        "study annotators demo --keys @keys.txt",
    ],
    "study-erase": ["study erase lake", "study erase lake --yes"],
    "study-systems": ["system demo"],
    "users": ["user list"],
    "user": ["user add ann", "user reset ann"],
    "user-role": ["user role lea river lead"],
    "user-erase": ["user erase max", "user erase max --yes"],
    "token": ["token add lea --all-studies", "token add lea --study river --write"],
    "tokens": ["token list lea"],
    "token-revoke": ["token revoke lea {token}"],
    "webhook": ["webhook add river https://hooks.example.org/a --webhooks-allow https://hooks.example.org/"],
    "webhooks": ["webhook list river"],
    # A server has to send it: server/src/webhooks/tests.rs.
    "webhook-test": [],
    "webhook-remove": ["webhook remove river {webhook}"],
    "backup": ["backup -o @second.sqlite"],
    "restore": ["restore @backup.sqlite"],
    "check": ["check"],
    "demo": ["demo"],
}
LINES: dict[str, list[str]] = {
    "align-links": ["align :pairs.tsv --format json --grade string"],
    "align-edits": ["align :pairs.tsv --format edits --grade string"],
    "rerank": ["rerank :candidates.jsonl --json"],
}


EXPORTS = [
    *("simpeval-past", "simpeval-2022", "jsonl", "tidy", "comparisons", "answers", "written"),
    *("spans", "thresh", "gold", "metric-scores", "alignments"),
]


def test_every_report_and_line_fits_its_schema(workplace: Workplace) -> None:
    names = json.loads(workplace.run("schema", "--json"))
    assert sorted(names) == sorted([*REPORTS, *LINES, *(f"export-{name}" for name in EXPORTS)])
    ids: dict[str, str] = {}
    for name, commands in REPORTS.items():
        validator, schema = read_schema(workplace, name)
        for command in commands:
            printed = json.loads(workplace.run(*command.format_map(ids).split(), "--json"))
            assert printed["schema"] == f"{name}/1"
            check(validator, printed, command)
            assert undescribed(schema, schema, printed) == [], command
            if name == "imports":
                ids["import"] = printed["imports"][0]["id"]
            if name in ("token", "webhook"):
                ids[name] = printed["id"]
    for name, commands in LINES.items():
        validator, schema = read_schema(workplace, name)
        for command in commands:
            lines = [json.loads(line) for line in workplace.run(*command.split()).splitlines()]
            assert lines
            for line in lines:
                check(validator, line, command)
                assert undescribed(schema, schema, line) == [], command


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_fits_its_schema(workplace: Workplace, name: str) -> None:
    validator, schema = read_schema(workplace, f"export-{name}")
    file = workplace.folder / f"export-{name}"
    workplace.run("export", "demo", "--format", name, "--output", str(file), "--with-accepted")
    assert f"`export-{name}/1`" in (workplace.folder / f"export-{name}.README.md").read_text(encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    if name in ("jsonl", "spans"):
        values = [json.loads(line) for line in text.splitlines()]
    elif name == "thresh":
        values = [json.loads(text)]
    else:
        rows = csv.DictReader(text.splitlines(True), delimiter="\t" if name == "alignments" else ",")
        assert rows.fieldnames is not None
        assert set(schema["required"]) <= set(rows.fieldnames)
        assert all(of_column(schema, column) for column in rows.fieldnames)
        values = [{column: typed(cell, of_column(schema, column)) for column, cell in row.items()} for row in rows]
    # The demonstration has none of these; of tables, the columns above are checked.
    assert values or name in ("alignments", "comparisons", "answers", "written", "spans", "gold")
    for value in values:
        check(validator, value, name)
        assert undescribed(schema, schema, value) == [], name


def of_column(schema: dict[str, Any], column: str) -> dict[str, Any]:
    """The schema of a column's values."""
    patterns = schema.get("patternProperties", {}).items()
    found = [of for pattern, of in patterns if re.search(pattern, column)]
    return schema["properties"].get(column) or (found[0] if found else {})


def typed(cell: str, of: dict[str, Any]) -> Any:
    """A cell as a program reads it."""
    kinds = of["type"] if isinstance(of["type"], list) else [of["type"]]
    if cell == "" and "null" in kinds:
        return None
    readers: dict[str, Callable[[str], Any]] = {"number": float, "integer": int, "boolean": json.loads}
    return readers.get(kinds[0], str)(cell)


def test_a_report_that_does_not_fit_is_found(workplace: Workplace) -> None:
    validator, schema = read_schema(workplace, "demo")
    printed = json.loads(workplace.run("demo", "--json"))
    assert not validator.is_valid(printed | {"loaded": "yes"})
    assert undescribed(schema, schema, printed | {"more": 1}) == ["more"]


def read_schema(workplace: Workplace, name: str) -> tuple[Any, dict[str, Any]]:
    """A report's schema, which is valid itself."""
    schema = json.loads(workplace.run("schema", name))
    jsonschema_rs.meta.validate(schema)
    return jsonschema_rs.validator_for(schema), schema


def check(validator: Any, printed: Any, command: str) -> None:
    """Fails with each place that does not fit."""
    faults = [f"{list(fault.instance_path)}: {fault.message}" for fault in validator.iter_errors(printed)]
    assert not faults, f"{command}\n" + "\n".join(faults)


def undescribed(schema: dict[str, Any], root: dict[str, Any], value: Any) -> list[str]:
    """The keys of a value that its schema does not name."""
    parts = list(parts_of(schema, root))
    if isinstance(value, list):
        items = [part["items"] for part in parts if isinstance(part.get("items"), dict)]
        return [key for item in items[:1] for element in value for key in undescribed(item, root, element)]
    known = {key: of for part in parts for key, of in part.get("properties", {}).items()}
    if not isinstance(value, dict) or not known or any("additionalProperties" in part for part in parts):
        return []
    missing = [key for key in value if key not in known]
    return missing + [name for key in value if key in known for name in undescribed(known[key], root, value[key])]


def parts_of(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema, and all those that it consists of or chooses among."""
    if "$ref" in schema:
        yield from parts_of(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    yield schema
    for part in [*schema.get("allOf", []), *schema.get("oneOf", []), *schema.get("anyOf", [])]:
        yield from parts_of(part, root)
