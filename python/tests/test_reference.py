"""The manual's reference of the package, against the package itself."""

from __future__ import annotations

import builtins
import dataclasses
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import rankrate

ROOT = Path(__file__).resolve().parents[2]
# A reference to what has the same parameters.
AS_FOR = re.compile(r"Arguments[\w, ]* as for \[`([\w.]+)`\]")


def generator() -> ModuleType:
    """The module of the manual's build that writes the reference."""
    spec = importlib.util.spec_from_file_location("python_api", ROOT / "docs/build/python_api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["python_api"] = module
    spec.loader.exec_module(module)
    return module


def public_items() -> Iterator[tuple[str, Any]]:
    """Each exported name, and each public member that its class defines."""
    for name in rankrate.__all__:
        value = getattr(rankrate, name)
        yield name, value
        for member, defined in vars(value).items() if inspect.isclass(value) else ():
            is_call = inspect.isfunction(defined) or isinstance(defined, property)
            if is_call and (not member.startswith("_") or member == "__call__"):
                yield f"{name}.{member}", defined


ITEMS = dict(public_items())
TEXT: str = generator().reference()
ENTRIES = {
    name: text for name, text in re.findall(r"^#+ `rankrate\.([\w.]+)` \{#[\w-]+\}\n(.*?)(?=^##|\Z)", TEXT, re.M | re.S)
}


def listed(name: str, title: str) -> list[str]:
    """The names in a list below a heading of an entry."""
    found = re.search(rf"\*\*{title}\*\*\n\n((?:- .*\n)+)", ENTRIES[name])
    return re.findall(r"^- `(\w+)`: \S", found[1], re.M) if found else []


def parameters(value: Any) -> list[str]:
    """The parameters of a function, or of what makes an object, without the object itself."""
    is_result = inspect.isclass(value) and (dataclasses.is_dataclass(value) or issubclass(value, BaseException))
    if is_result or isinstance(value, property):
        return []
    return [name for name in inspect.signature(value).parameters if name != "self"]


def own_attributes(kind: type) -> list[str]:
    """The public attributes that a class gives its objects."""
    made = vars(kind).get("__init__")
    return re.findall(r"self\.([a-z]\w*)(?::[^=\n]+)? = ", inspect.getsource(made)) if made else []


def test_it_has_all_that_there_is_and_nothing_else() -> None:
    assert sorted(ENTRIES) == sorted(ITEMS)
    assert len(ENTRIES) == len(re.findall(r"^#+ `rankrate\.", TEXT, re.M))
    anchors = re.findall(r"\{#([\w-]+)\}", TEXT)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r"\]\(#([\w-]+)\)", TEXT)) <= set(anchors)


@pytest.mark.parametrize("name", ITEMS)
def test_an_entry_says_all_of_its_parameters_and_attributes(name: str) -> None:
    entry, value = ENTRIES[name], ITEMS[name]
    expected = parameters(value)
    other = AS_FOR.search(entry)
    if other is not None:
        # It may lack some of the other's, such as references.
        assert set(expected) <= set(listed(other[1], "Parameters")), name
    else:
        assert listed(name, "Parameters") == expected
    if dataclasses.is_dataclass(value):
        assert listed(name, "Attributes") == [field.name for field in dataclasses.fields(value)]
    elif inspect.isclass(value):
        assert sorted(listed(name, "Attributes")) == sorted(set(own_attributes(value)))
    for error in listed(name, "Errors"):
        kind = getattr(rankrate, error, None) or getattr(builtins, error)
        assert issubclass(kind, BaseException)
    # What RST marks and Markdown does not.
    assert "``" not in entry.replace("```", "")
    assert ":func:" not in entry


@pytest.mark.parametrize("name", [name for name, value in ITEMS.items() if inspect.isfunction(value)])
def test_a_signature_is_that_of_the_function(name: str) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```", ENTRIES[name], re.M | re.S)
    declared = re.sub(r"\s+", "", code).rpartition(")->")[0] or re.sub(r"\s+", "", code).removesuffix(")")
    for parameter in inspect.signature(ITEMS[name]).parameters.values():
        if parameter.name != "self":
            default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
            kind = re.sub(r"\s+", "", str(parameter.annotation).strip("'\""))
            assert f"{parameter.name}:{kind}{default}".replace('"', "'") in declared.replace('"', "'"), parameter
