"""Lists of texts as arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Texts = Iterable[str]
TextLists = Iterable[Iterable[str]]


def as_texts(texts: Texts, name: str) -> list[str]:
    """The texts as a list.

    Raises:
        TypeError: They are one text, a table, or one of them is no text.
    """
    _refuse_whole(texts, name, "a list of texts")
    listed = list(texts)
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
    """Refuse what can be looped over without giving texts: one text gives letters, a table the names of its columns."""
    if isinstance(texts, str):
        raise TypeError(f"{name} is one text: give {wanted}")
    if isinstance(texts, Mapping) or hasattr(texts, "columns") or hasattr(texts, "column_names"):
        kind = type(texts).__name__
        raise TypeError(f"{name} is a table ({kind}): give {wanted}, such as one of its columns")
