"""Lists of texts as arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

Texts = Iterable[str]
TextLists = Iterable[Iterable[str]]


def as_texts(texts: Texts, name: str) -> list[str]:
    """The texts as a list.

    Raises:
        TypeError: They are one text, a table or a set, or one of them is no text.
    """
    _refuse_whole(texts, name, "a list of texts")
    # Arrays of Arrow hold values of their own kind.
    listed = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)
    for place, text in enumerate(listed):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{place}] is no text but {text!r}")
    # Some arrays hold subclasses of str.
    return [str(text) for text in listed]


def as_text_lists(lists: TextLists, name: str) -> list[list[str]]:
    """The lists of texts as lists.

    Raises:
        TypeError: One of them is a text itself, or holds something else than texts.
    """
    _refuse_whole(lists, name, "a list of lists of texts")
    return [as_texts(texts, f"{name}[{place}]") for place, texts in enumerate(lists)]


def _refuse_whole(texts: object, name: str, wanted: str) -> None:
    """Refuse what can be looped over without giving texts in an order.

    One text gives letters, a table the names of its columns, and a set its texts in any order.
    """
    kind = type(texts).__name__
    if isinstance(texts, str):
        raise TypeError(f"{name} is one text: give {wanted}")
    # Looking at the columns of a lazy frame of Polars would compute them.
    if isinstance(texts, Mapping) or any(hasattr(type(texts), columns) for columns in ("columns", "column_names")):
        raise TypeError(f"{name} is a table ({kind}): give {wanted}, such as one of its columns")
    if isinstance(texts, Set):
        raise TypeError(f"{name} is a {kind}, which has no order: give {wanted}")
    if not isinstance(texts, Iterable):
        raise TypeError(f"{name} has the type {kind}: give {wanted}")
