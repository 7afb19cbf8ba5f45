"""A preprocessor of mdBook: what the program says of itself, in the pages of the manual.

{{#commands}} becomes the help of every command, {{#schemas}} the keys of all that commands print as JSON,
{{#python}} the reference of the Python package, and {{#export FORMAT}} the description of that export's columns with
the first line of the demonstration study.

RANKRATE_PROGRAM names the program; without it, it is target/debug/rankrate. With RANKRATE_MANUAL_PICTURES=none,
pages have no pictures.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import python_api

COMMANDS = "{{#commands}}"
SCHEMAS = "{{#schemas}}"
PYTHON = "{{#python}}"
EXPORT = re.compile(r"\{\{#export ([\w-]+)\}\}")
# What the README of an export says of columns, up to the next heading or the remark on CSV.
SECTION = re.compile(
    r"^## ((?:Columns(?: of \w+)?|Keys|Links)\n.*?)(?=^## |^The tables are CSV|\Z)", re.MULTILINE | re.DOTALL
)
PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*pictures/[^)]*\)\n", re.MULTILINE)
ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Read the book from standard input, and write it with the pages filled in."""
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    for chapter in chapters(book["items"]):
        if os.environ.get("RANKRATE_MANUAL_PICTURES") == "none":
            chapter["content"] = PICTURE.sub("", chapter["content"])
        if COMMANDS in chapter["content"]:
            chapter["content"] = chapter["content"].replace(COMMANDS, reference(program()))
        if SCHEMAS in chapter["content"]:
            chapter["content"] = chapter["content"].replace(SCHEMAS, SchemaPages(program()).text())
        if PYTHON in chapter["content"]:
            chapter["content"] = chapter["content"].replace(PYTHON, python_api.reference())
        if EXPORT.search(chapter["content"]):
            chapter["content"] = with_exports(chapter["content"])
    json.dump(book, sys.stdout)


def chapters(items: list[Any]) -> Iterator[dict[str, Any]]:
    """All chapters of the book, those within others as well."""
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def with_exports(content: str) -> str:
    """The text of a page with exports described."""
    with tempfile.TemporaryDirectory() as folder:
        exports = DemoExports(Path(folder))
        return EXPORT.sub(lambda found: exports.describe(found[1]), content)


def program() -> Path:
    """The program that is asked."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = Path(os.environ.get("RANKRATE_PROGRAM", target / "debug/rankrate"))
    if not path.exists():
        sys.exit(f"there is no program {path}: build it (cargo build -p server), or name one in RANKRATE_PROGRAM")
    return path


class DemoExports:
    """Exports of the demonstration study, whose data is in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run("demo", "--no-metrics")

    def run(self, *arguments: str) -> None:
        """Run a command on the folder."""
        subprocess.run([program(), *arguments, "--data", self.folder], capture_output=True, check=True, env=clean())

    def describe(self, name: str) -> str:
        """The sections of the README about columns, one level down, and the first lines of the table.

        A folder of binary tables has no such lines.
        """
        folder = self.folder / name
        folder.mkdir()
        table = folder / "table"
        self.run("export", "demo", "--format", name, "--output", str(table))
        [readme_file] = folder.rglob("*README.md")
        readme = readme_file.read_text(encoding="utf-8")
        sections = SECTION.findall(readme)
        text = "\n".join(re.sub(r"^(.*)\n", r"**\1**\n", section, count=1) for section in sections)
        text_lines = table.read_text(encoding="utf-8").splitlines() if table.is_file() else []
        lines = [shorten(line) for line in text_lines[:2]]
        # Tables without rows, and formats that are no lines.
        example = "\n".join(lines) if len(lines) > 1 and len(lines[1]) > 1 else ""
        return text + (f"\n```text\n{example}\n```\n" if example else "")


class SchemaPages:
    """The JSON Schemas that the program gives, as tables of keys."""

    TYPES: ClassVar[dict[str, str]] = {
        "boolean": "true or false",
        "integer": "whole number",
        "null": "null",
        "number": "number",
        "object": "object",
        "string": "text",
    }

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shapes: dict[str, dict[str, Any]] = {}

    def run(self, *arguments: str) -> Any:
        """What the command ``schema`` prints."""
        done = subprocess.run([self.path, "schema", *arguments], capture_output=True, check=True, env=clean())
        return json.loads(done.stdout)

    def text(self) -> str:
        """A table for each report, then one for each shape that they have in common."""
        parts = []
        # The page on exports says what their columns and keys mean.
        for name in self.run("--json"):
            if name.startswith("export-"):
                continue
            schema = self.run(name)
            for shape, of in schema.get("$defs", {}).items():
                if self.shapes.setdefault(shape, of) != of:
                    sys.exit(f"two shapes are called {shape}")
            parts.append(f"### {name}\n\n`{schema['title']}`\n\n{self.table(schema)}")
        parts.append("## Shapes\n")
        parts += [f"### {name} {{#{anchor(name)}}}\n\n{self.shape(of)}" for name, of in sorted(self.shapes.items())]
        return "\n".join(parts)

    def shape(self, schema: dict[str, Any]) -> str:
        """A shape: its description, and its keys or what it is one of."""
        about = schema.get("description", "")
        table = self.table(schema)
        return f"{about}\n\n{table}" if table else f"{about}\n\n{self.kind(schema)}\n"

    def table(self, schema: dict[str, Any]) -> str:
        """The keys of an object, those of its parts as well; nothing for what is no object."""
        rows = [
            f"| `{key}` | {self.kind(of)} | {meaning(of)} |"
            for part in self.parts(schema)
            for key, of in part.get("properties", {}).items()
        ]
        return "| key | value | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n" if rows else ""

    def parts(self, schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """An object, and those whose keys it has as well; keys of choices are together."""
        if "$ref" in schema:
            schema = self.shapes[shape_name(schema)]
        yield schema
        for part in schema.get("allOf", []):
            yield from self.parts(part)
            for choice in [*part.get("anyOf", []), *self.resolve(part).get("oneOf", [])]:
                yield from self.parts(choice)

    def resolve(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The shape that is referred to, or the schema itself."""
        return self.shapes[shape_name(schema)] if "$ref" in schema else schema

    def kind(self, schema: dict[str, Any]) -> str:
        """A type in words, with links to shapes."""
        if "$ref" in schema:
            name = shape_name(schema)
            return f"[{name}](#{anchor(name)})"
        if "type" not in schema and schema.get("default", "") is None:
            return "null"
        if "const" in schema:
            return f"`{schema['const']}`"
        if "enum" in schema:
            return ", ".join(f"`{value}`" for value in schema["enum"])
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return " or ".join(self.kind(of) for of in schema[choice])
        kinds = schema.get("type", "object")
        return " or ".join(self.plain_kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))

    def plain_kind(self, kind: str, schema: dict[str, Any]) -> str:
        """One of the types of JSON in words."""
        if kind == "array":
            return f"list of {self.kind(schema['items'])}" if isinstance(schema.get("items"), dict) else "list"
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            return f"by name: {self.kind(schema['additionalProperties'])}"
        if kind == "object" and "properties" in schema:
            return ", ".join(f"`{key}`: {self.kind(of)}" for key, of in schema["properties"].items())
        return self.TYPES[kind]


def meaning(schema: dict[str, Any]) -> str:
    """The description of a key; that of an optional shape is beside the shape's name."""
    texts = (of.get("description") for of in [schema, *schema.get("oneOf", [])])
    return next((" ".join(text.split()) for text in texts if text), "")


def shape_name(schema: dict[str, Any]) -> str:
    """The name of the shape that a schema refers to."""
    return str(schema["$ref"]).rpartition("/")[2]


def anchor(shape: str) -> str:
    """The place of a shape on its page."""
    return f"shape-{shape.lower()}"


def shorten(line: str) -> str:
    """The line, cut where it is very long."""
    return line if len(line) <= 400 else line[:400] + " …"


def clean() -> dict[str, str]:
    """The environment without settings of this machine's."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("RANKRATE_", "DATABASE_"))}


def reference(path: Path) -> str:
    """The help of each command below a heading, and the options that all commands have once."""
    everywhere = help_of(path, [])
    shared = set(option_blocks(everywhere))
    parts = []
    for words in subcommands(path, []):
        text = without_blocks(help_of(path, words), shared)
        parts.append(f"## rankrate {' '.join(words)}\n\n```text\n{text}\n```\n")
    options = everywhere[everywhere.index("Options:") :]
    parts.append(f"## Options of every command\n\n```text\n{options}\n```\n")
    return "\n".join(parts)


def subcommands(path: Path, words: list[str]) -> Iterator[list[str]]:
    """Each command with its subcommands after it, in the order of the help."""
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", help_of(path, words), re.MULTILINE)
    for name in re.findall(r"^  (\S+)", listed[1], re.MULTILINE) if listed else []:
        if name != "help":
            yield [*words, name]
            yield from subcommands(path, [*words, name])


def help_of(path: Path, words: list[str]) -> str:
    """The help as in a terminal of 100 columns, with the name of the program, and nothing of this machine in it."""
    done = subprocess.run([path, *words, "--help"], capture_output=True, check=True, env=clean() | {"COLUMNS": "100"})
    text = done.stdout.decode("utf-8")
    lines = (line.rstrip() for line in text.replace(f"Usage: {path.name} ", "Usage: rankrate ").splitlines())
    return "\n".join(lines).strip()


BLOCK = re.compile(r"^ {2,6}-.*(?:\n(?: {8,}.*)?(?=\n|$))*", re.MULTILINE)


def option_blocks(text: str) -> list[str]:
    """Each option with its description."""
    return [block.strip() for block in BLOCK.findall(text)]


def without_blocks(text: str, shared: set[str]) -> str:
    """The help without these options, and without headings below which nothing is left."""
    text = BLOCK.sub(lambda found: "" if found[0].strip() in shared else found[0], text)
    text = re.sub(r"\n{3,}", "\n\n", text).strip() + "\n\n"
    return re.sub(r"^[A-Z][^\n]*:\n\n(?=\S|\Z)", "", text, flags=re.MULTILINE).strip()


if __name__ == "__main__":
    main()
