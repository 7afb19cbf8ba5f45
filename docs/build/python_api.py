"""The reference of the Python package, from its docstrings.

The source is parsed and not imported, so that nothing of the package's dependencies is needed.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

PACKAGE = Path(__file__).resolve().parents[2] / "python/src/rankrate"
# The headings of the modules, in their order.
TITLES = {
    "_metrics": "Metrics",
    "_pairs": "Rerank, align, categorise",
    "_frames": "Figures of ratings",
    "_commands": "Further figures, and training",
    "_study": "A study on a server",
    "_dataset": "A study as a dataset",
    "_reward": "A reward for training",
    "_program": "The program",
    "errors": "Errors",
}
SECTIONS = ("Args", "Returns", "Raises", "Attributes")
ROLE = re.compile(r":(?:func|class|meth|attr|data):`(?:rankrate\.)?([\w.]+)`")
# The longest signature on one line.
WIDTH = 100

FunctionNode: TypeAlias = ast.FunctionDef
DefinitionNode: TypeAlias = "ast.FunctionDef | ast.ClassDef"


@dataclass(frozen=True)
class Item:
    """What the reference describes: a function, a class, or a member of a class."""

    name: str
    node: DefinitionNode

    @property
    def anchor(self) -> str:
        """Its place on the page."""
        return self.name.lower().replace(".", "-").replace("__", "")

    @property
    def is_property(self) -> bool:
        """Whether it is an attribute that is computed."""
        return "property" in decorators(self.node)

    def docstring(self) -> str:
        """Its docstring."""
        found = ast.get_docstring(self.node)
        if found is None:
            sys.exit(f"{self.name} has no docstring")
        return found


def reference() -> str:
    """The reference: a section for each module, and one for the types of signatures."""
    modules = {name: ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8")) for name in exporting_modules()}
    items = {name: list(items_of(tree, exported(name))) for name, tree in modules.items()}
    page = Page({item.name: item.anchor for found in items.values() for item in found})
    sections = [page.section(TITLES[name], items[name]) for name in TITLES]
    return "\n".join([*sections, page.types(modules.values())])


def exporting_modules() -> list[str]:
    """The modules of which the package exports names."""
    found = [node.module or "" for node in imports()]
    if unknown := set(found) - set(TITLES):
        sys.exit(f"docs/build/python_api.py has no title for {', '.join(sorted(unknown))}")
    return found


def exported(module: str) -> list[str]:
    """The names of a module that the package exports."""
    return [alias.name for node in imports() if node.module == module for alias in node.names]


def imports() -> Iterator[ast.ImportFrom]:
    """The imports of the package, but for those that its own functions need."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    names = next(ast.literal_eval(node.value) for node in tree.body if is_assignment(node, "__all__"))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            node.names = [alias for alias in node.names if alias.name in names]
            yield node


def is_assignment(node: ast.stmt, name: str) -> bool:
    """Whether a statement gives a value to this name."""
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name


def items_of(tree: ast.Module, names: Iterable[str]) -> Iterator[Item]:
    """The named functions and classes of a module in their order, each class before its members."""
    wanted = set(names)
    for node in tree.body:
        if not isinstance(node, FunctionNode | ast.ClassDef) or node.name not in wanted:
            continue
        yield Item(node.name, node)
        for member in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(member, FunctionNode) and (not member.name.startswith("_") or member.name == "__call__"):
                yield Item(f"{node.name}.{member.name}", member)


class Page:
    """The text of the page, with links between its items."""

    def __init__(self, anchors: dict[str, str]) -> None:
        self.anchors = anchors
        self.signatures: list[str] = []

    def section(self, title: str, items: Iterable[Item]) -> str:
        """A heading with the items below it."""
        return "\n".join([f"## {title}\n", *(self.describe(item) for item in items)])

    def describe(self, item: Item) -> str:
        """An item: its signature, what its docstring says, and its parameters, result, errors and attributes."""
        level = "####" if "." in item.name else "###"
        text = f"{level} `rankrate.{item.name}` {{#{item.anchor}}}\n\n"
        if signature := self.signature(item):
            text += f"```python\n{signature}\n```\n\n"
        owner = item.name.split(".")[0] if "." in item.name or isinstance(item.node, ast.ClassDef) else ""
        about, sections = split_docstring(item.docstring())
        text += self.markdown(about.strip(), owner) + "\n\n"
        for name in SECTIONS:
            if name in sections:
                text += self.describe_section(name, sections[name], owner)
        return text

    def describe_section(self, name: str, body: str, owner: str) -> str:
        """A section of a docstring."""
        title = {"Args": "Parameters", "Raises": "Errors"}.get(name, name)
        if name == "Returns":
            return f"**{title}:** {self.markdown(body.strip(), owner)}\n\n"
        rows = [f"- `{key}`: {self.markdown(value, owner)}" for key, value in list_entries(body)]
        return f"**{title}**\n\n" + "\n".join(rows) + "\n\n"

    def signature(self, item: Item) -> str:
        """How an item is called; nothing of what is only returned or raised."""
        node = item.node
        if isinstance(node, ast.ClassDef):
            made = [member for member in node.body if isinstance(member, FunctionNode) and member.name == "__init__"]
            if not made or node.name.endswith("Error"):
                return ""
            return self.call(f"rankrate.{item.name}", made[0], "")
        if item.is_property:
            return f"{item.name}: {ast.unparse(node.returns)}" if node.returns else ""
        name = item.name.removesuffix(".__call__") if "." in item.name else f"rankrate.{item.name}"
        result = ast.unparse(node.returns) if node.returns else "None"
        return self.call(name, node, "" if result == "None" else f" -> {unquoted(result)}")

    def call(self, name: str, node: ast.FunctionDef, result: str) -> str:
        """A call with its parameters, one a line where they are many."""
        parameters = list_parameters(node.args)
        line = f"{name}({', '.join(parameters)}){result}"
        self.signatures.append(line)
        if len(line) <= WIDTH:
            return line
        return "\n".join([f"{name}(", *(f"    {parameter}," for parameter in parameters), f"){result}"])

    def types(self, trees: Iterable[ast.Module]) -> str:
        """The names that stand for types in signatures."""
        text = "## Types in signatures {#types}\n\n"
        used = set(re.findall(r"\w+", " ".join(self.signatures)))
        # Names may be imported from modules that export nothing else.
        helpers = ast.parse((PACKAGE / "_texts.py").read_text(encoding="utf-8"))
        for name, value, about in sorted(alias for tree in [*trees, helpers] for alias in type_aliases(tree)):
            if name in used:
                described = self.markdown(about, "").replace("\n", " ")
                text += f"- `{name}` is `{value}`. {described}".rstrip() + "\n"
        return text

    def markdown(self, text: str, owner: str) -> str:
        """The text of a docstring as Markdown, with links; names of members are looked for in their class first."""

        def link(found: re.Match[str]) -> str:
            name = found[1]
            for full in (f"{owner}.{name}", name):
                if full in self.anchors:
                    return f"[`{name}`](#{self.anchors[full]})"
            return f"`{name}`"

        paragraphs = (textwrap.dedent(part).strip() for part in re.split(r"\n\s*\n", text))
        plain = "\n\n".join(" ".join(part.split()) for part in paragraphs)
        return re.sub(r"``([^`]+)``", r"`\1`", ROLE.sub(link, plain))


def list_parameters(arguments: ast.arguments) -> list[str]:
    """The parameters with their types and defaults, without that of the object itself."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    listed = [
        describe_parameter(argument, default)
        for argument, default in zip(plain, [*defaults, *arguments.defaults], strict=True)
        if argument.arg != "self"
    ]
    if arguments.vararg:
        listed.append("*" + describe_parameter(arguments.vararg, None))
    elif arguments.kwonlyargs:
        listed.append("*")
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    listed += [describe_parameter(argument, default) for argument, default in pairs]
    if arguments.kwarg:
        listed.append("**" + describe_parameter(arguments.kwarg, None))
    return listed


def describe_parameter(argument: ast.arg, default: ast.expr | None) -> str:
    """A parameter with its type and its default."""
    kind = f": {unquoted(ast.unparse(argument.annotation))}" if argument.annotation else ""
    return f"{argument.arg}{kind}" + (f" = {ast.unparse(default)}" if default is not None else "")


def unquoted(kind: str) -> str:
    """A type without the quotes of one that is not imported."""
    return kind[1:-1] if kind[:1] in "'\"" and kind[:1] == kind[-1:] else kind


def split_docstring(text: str) -> tuple[str, dict[str, str]]:
    """The text before all sections, and each section by its name."""
    parts = re.split(rf"^({'|'.join(SECTIONS)}):\n", text, flags=re.MULTILINE)
    return parts[0], dict(zip(parts[1::2], parts[2::2], strict=True))


def list_entries(body: str) -> list[tuple[str, str]]:
    """The names of a section with what is said of each."""
    found = re.findall(r"^ {4}(\w+): (.*\n?(?: {5,}.*\n?)*)", body, re.MULTILINE)
    return [(name, about) for name, about in found]


def type_aliases(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Names of types with what they stand for, and the sentence below them."""
    for node, after in zip(tree.body, [*tree.body[1:], ast.Pass()], strict=True):
        target = node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(node, ast.Assign):
            target = node.targets[0]
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(target, ast.Name) or node.value is None:
            continue
        if re.fullmatch(r"[A-Z][a-z]\w+", target.id):
            about = ast.literal_eval(after.value) if is_text(after) else ""
            yield target.id, unquoted(ast.unparse(node.value)), about


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def decorators(node: DefinitionNode) -> list[str]:
    """The decorators, as they are written."""
    return [ast.unparse(decorator) for decorator in node.decorator_list]
